// SPDX-License-Identifier: MIT
#include "mesh/active.h"

#include "base/hash.h"
#include "mesh/geometry.h"

#include <string.h>

// The arrays of each kind of element, so that growing, moving and freeing are one loop each.
typedef struct Column
{
	size_t offset; // of the pointer in ActiveMesh
	size_t size;   // of an element
	bool isSecond; // left out of the hash: the scheme's name of the element, or what the other columns show soon enough
} Column;

#define COLUMN(field)                                                                                                  \
	{                                                                                                                  \
		offsetof(ActiveMesh, field), sizeof(*((ActiveMesh*)0)->field), false                                           \
	}

#define SECOND_COLUMN(field)                                                                                           \
	{                                                                                                                  \
		offsetof(ActiveMesh, field), sizeof(*((ActiveMesh*)0)->field), true                                            \
	}

static const Column particleColumns[] = {
	COLUMN(position),
	COLUMN(velocity),
	COLUMN(normal),
	COLUMN(share),
	COLUMN(parents),
	COLUMN(parentLength[0]),
	SECOND_COLUMN(vertexId),
	SECOND_COLUMN(place),
	COLUMN(level),
	COLUMN(particleFlags),
	COLUMN(joinWait),
	SECOND_COLUMN(sleepPasses),
	SECOND_COLUMN(parentLength[1]),
	SECOND_COLUMN(parentLength[2]),
};

// The texture column comes last, so that meshes without it leave it out.
static const Column triangleColumns[] = {
	COLUMN(triangle),          COLUMN(material),        COLUMN(area),          SECOND_COLUMN(bendSet),
	SECOND_COLUMN(triangleId), COLUMN(patternTriangle), COLUMN(triangleLevel), COLUMN(texcoord),
};

static const Column edgeColumns[] = {
	COLUMN(edgeFrom),      COLUMN(edgeTo),    COLUMN(wings),     COLUMN(restLength),
	SECOND_COLUMN(edgeId), COLUMN(edgeLevel), COLUMN(edgeFlags),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t TriangleColumnCount(const ActiveMesh* mesh)
{
	return COUNT(triangleColumns) - (mesh->hasTexcoords ? 0 : 1);
}

static void** ColumnPointer(ActiveMesh* mesh, Column column)
{
	return (void**)((char*)mesh + column.offset);
}

// Columns grow together. When one fails, those before it stay larger than `capacity` says, so each is freed by the
// capacity it was given: the new blocks are allocated first, and swapped in only when all are there.
static bool GrowColumns(ActiveMesh* mesh, const Column* columns, size_t columnCount, uint32_t* capacity,
                        uint32_t needed)
{
	if (needed <= *capacity)
		return true;
	if (needed > DRAPE_MAX_ELEMENTS)
		return false;
	size_t grown = MaxU32(needed, 2 * *capacity);
	grown = (grown + 255) & ~(size_t)255;

	void* blocks[16];
	DRAPE_ASSERT(columnCount <= COUNT(blocks));
	for (size_t i = 0; i < columnCount; ++i)
	{
		blocks[i] = drapeMemAlloc(grown * columns[i].size);
		if (!blocks[i])
		{
			while (i-- > 0)
				drapeMemFree(blocks[i], grown * columns[i].size);
			return false;
		}
	}
	for (size_t i = 0; i < columnCount; ++i)
	{
		void** column = ColumnPointer(mesh, columns[i]);
		size_t oldSize = *capacity * columns[i].size;
		if (*column)
			memcpy(blocks[i], *column, oldSize);
		drapeMemFree(*column, oldSize);
		*column = blocks[i];
	}
	*capacity = (uint32_t)grown;
	return true;
}

static void FreeColumns(ActiveMesh* mesh, const Column* columns, size_t columnCount, uint32_t* capacity)
{
	for (size_t i = 0; i < columnCount; ++i)
	{
		void** column = ColumnPointer(mesh, columns[i]);
		drapeMemFree(*column, *capacity * columns[i].size);
		*column = NULL;
	}
	*capacity = 0;
}

static void MoveColumns(ActiveMesh* mesh, const Column* columns, size_t columnCount, uint32_t to, uint32_t from)
{
	for (size_t i = 0; i < columnCount; ++i)
	{
		char* column = *ColumnPointer(mesh, columns[i]);
		memcpy(column + to * columns[i].size, column + from * columns[i].size, columns[i].size);
	}
}

static size_t ColumnBytes(const Column* columns, size_t columnCount, uint32_t count)
{
	size_t bytes = 0;
	for (size_t i = 0; i < columnCount; ++i)
		bytes += columns[i].size * count;
	return bytes;
}

bool drapeActiveMesh_ReserveParticles(ActiveMesh* mesh, uint32_t count)
{
	return GrowColumns(mesh, particleColumns, COUNT(particleColumns), &mesh->particleCapacity, count);
}

bool drapeActiveMesh_ReserveTriangles(ActiveMesh* mesh, uint32_t count)
{
	return GrowColumns(mesh, triangleColumns, TriangleColumnCount(mesh), &mesh->triangleCapacity, count);
}

bool drapeActiveMesh_ReserveEdges(ActiveMesh* mesh, uint32_t count)
{
	return GrowColumns(mesh, edgeColumns, COUNT(edgeColumns), &mesh->edgeCapacity, count);
}

void drapeActiveMesh_Destroy(ActiveMesh* mesh)
{
	FreeColumns(mesh, particleColumns, COUNT(particleColumns), &mesh->particleCapacity);
	FreeColumns(mesh, triangleColumns, TriangleColumnCount(mesh), &mesh->triangleCapacity);
	FreeColumns(mesh, edgeColumns, COUNT(edgeColumns), &mesh->edgeCapacity);
	ArrayFree(&mesh->log.born);
	ArrayFree(&mesh->log.died);
	ArrayFree(&mesh->log.moved);
	BitSet_Free(&mesh->log.trianglesTouched);
	BitSet_Free(&mesh->log.edgesTouched);
	*mesh = (ActiveMesh){0};
}

void drapeActiveMesh_MoveParticle(ActiveMesh* mesh, uint32_t to, uint32_t from)
{
	MoveColumns(mesh, particleColumns, COUNT(particleColumns), to, from);
}

void drapeActiveMesh_MoveTriangle(ActiveMesh* mesh, uint32_t to, uint32_t from)
{
	MoveColumns(mesh, triangleColumns, TriangleColumnCount(mesh), to, from);
}

void drapeActiveMesh_MoveEdge(ActiveMesh* mesh, uint32_t to, uint32_t from)
{
	MoveColumns(mesh, edgeColumns, COUNT(edgeColumns), to, from);
}

uint32_t drapeActiveMesh_ColumnCount(const ActiveMesh* mesh)
{
	return (uint32_t)(COUNT(particleColumns) + TriangleColumnCount(mesh) + COUNT(edgeColumns));
}

ActiveColumn drapeActiveMesh_Column(ActiveMesh* mesh, uint32_t index)
{
	ActiveKind kind = activeParticles;
	const Column* columns = particleColumns;
	if (index >= COUNT(particleColumns))
	{
		index -= (uint32_t)COUNT(particleColumns);
		kind = activeTriangles;
		columns = triangleColumns;
		if (index >= TriangleColumnCount(mesh))
		{
			index -= (uint32_t)TriangleColumnCount(mesh);
			kind = activeEdges;
			columns = edgeColumns;
		}
	}
	return (ActiveColumn){*ColumnPointer(mesh, columns[index]), columns[index].size, kind};
}

size_t drapeActiveMesh_Bytes(const ActiveMesh* mesh)
{
	return ColumnBytes(particleColumns, COUNT(particleColumns), mesh->particleCount) +
	       ColumnBytes(triangleColumns, TriangleColumnCount(mesh), mesh->triangleCount) +
	       ColumnBytes(edgeColumns, COUNT(edgeColumns), mesh->edgeCount);
}

static uint32_t PlaceOf(uint64_t key)
{
	return (uint32_t)(Hash_U64(key + 1) >> 32) | 1;
}

// In any order of the parents.
static uint32_t PlaceBetween(const ActiveMesh* mesh, const ParticleParents* parents)
{
	uint64_t sum = 0;
	for (int k = 0; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
		sum += Hash_U64((uint64_t)mesh->place[parents->parent[k]] << 32 | (uint32_t)(256.0f * parents->weight[k]));
	return PlaceOf(sum);
}

// At the end, with everything but parents at zero.
static uint32_t NewParticle(ActiveMesh* mesh, Vec4 position, Vec4 velocity, uint8_t level, uint32_t vertexId)
{
	DRAPE_ASSERT(mesh->particleCount < mesh->particleCapacity);
	uint32_t i = mesh->particleCount++;
	mesh->position[i] = position;
	mesh->velocity[i] = velocity;
	mesh->normal[i] = (Vec4){0};
	mesh->share[i] = 0;
	mesh->parents[i] = (ParticleParents){.parent = {DRAPE_NONE, DRAPE_NONE, DRAPE_NONE}};
	for (int k = 0; k < 3; ++k)
		mesh->parentLength[k][i] = 0.0f;
	mesh->vertexId[i] = vertexId;
	mesh->place[i] = PlaceOf(vertexId);
	mesh->level[i] = level;
	mesh->particleFlags[i] = 0;
	mesh->joinWait[i] = 0;
	mesh->sleepPasses[i] = 0;
	return i;
}

static void SetNormal(ActiveMesh* mesh, uint32_t particle, Vec4 direction)
{
	Vec3 normal = V3Normalize(V4Xyz(direction));
	mesh->normal[particle] = (Vec4){normal.x, normal.y, normal.z, 0.0f};
}

uint32_t drapeActiveMesh_AddParticle(ActiveMesh* mesh, Vec3 position, uint32_t vertexId)
{
	return NewParticle(mesh, (Vec4){position.x, position.y, position.z, 0.0f}, (Vec4){0}, 0, vertexId);
}

static Vec4 Middle(Vec4 a, Vec4 b)
{
	return (Vec4){0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z), 0.0f};
}

uint32_t drapeActiveMesh_AddMiddle(ActiveMesh* mesh, uint32_t a, uint32_t b, uint8_t level, uint32_t vertexId)
{
	uint32_t i = NewParticle(mesh, Middle(mesh->position[a], mesh->position[b]),
	                         Middle(mesh->velocity[a], mesh->velocity[b]), level, vertexId);
	SetNormal(mesh, i, Middle(mesh->normal[a], mesh->normal[b]));
	mesh->parents[i] = (ParticleParents){.parent = {a, b, DRAPE_NONE}, .weight = {0.5f, 0.5f, 0.0f}};
	mesh->place[i] = PlaceBetween(mesh, &mesh->parents[i]);
	return i;
}

static Vec4 Between(const Vec4* rows, const ParticleParents* parents)
{
	Vec4 first = rows[parents->parent[0]], sum = first;
	for (int k = 1; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
	{
		Vec4 row = rows[parents->parent[k]];
		sum.x += parents->weight[k] * (row.x - first.x);
		sum.y += parents->weight[k] * (row.y - first.y);
		sum.z += parents->weight[k] * (row.z - first.z);
	}
	sum.w = 0.0f;
	return sum;
}

uint32_t drapeActiveMesh_AddBetween(ActiveMesh* mesh, const ParticleParents* parents, uint8_t level, uint32_t vertexId)
{
	DRAPE_ASSERT(ParticleParents_Count(parents) >= 2);
	uint32_t i = NewParticle(mesh, Between(mesh->position, parents), Between(mesh->velocity, parents), level, vertexId);
	SetNormal(mesh, i, Between(mesh->normal, parents));
	mesh->parents[i] = *parents;
	mesh->place[i] = PlaceBetween(mesh, parents);
	return i;
}

void drapeActiveMesh_UpdateMass(ActiveMesh* mesh, uint32_t particle)
{
	float mass = (float)((double)mesh->share[particle] * mesh->areaUnit) * mesh->density;
	bool isPinned = (mesh->particleFlags[particle] & drape_particlePinned) != 0;
	mesh->velocity[particle].w = mass;
	mesh->position[particle].w = isPinned || mass <= 0.0f ? 0.0f : 1.0f / mass;
}

void drapeActiveMesh_UpdateMasses(ActiveMesh* mesh)
{
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		drapeActiveMesh_UpdateMass(mesh, i);
}

// --- checks ---------------------------------------------------------------------------------------------------------

#define REQUIRE(condition, sentence)                                                                                   \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition))                                                                                              \
			return sentence;                                                                                           \
	} while (0)

static const char* ValidateParticles(const ActiveMesh* mesh, double patternArea)
{
	int64_t share = 0;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		REQUIRE(V3IsFinite(V4Xyz(mesh->position[i])), "a particle's position is not finite");
		REQUIRE(V3IsFinite(V4Xyz(mesh->velocity[i])), "a particle's velocity is not finite");
		REQUIRE(V3IsFinite(V4Xyz(mesh->normal[i])), "a particle's normal is not finite");
		REQUIRE(mesh->share[i] > 0, "a particle has no mass");
		bool isPinned = (mesh->particleFlags[i] & drape_particlePinned) != 0;
		REQUIRE((mesh->position[i].w == 0.0f) == isPinned, "a particle's inverse mass does not fit its pin");
		share += mesh->share[i];
		const ParticleParents* parents = &mesh->parents[i];
		REQUIRE((parents->parent[0] == DRAPE_NONE) == (mesh->level[i] == 0), "only pattern vertices have no parents");
		for (int k = 0; k < 3; ++k)
		{
			uint32_t parent = parents->parent[k];
			REQUIRE(parent == DRAPE_NONE || parent < mesh->particleCount, "a particle's parent is out of range");
			REQUIRE(parent == DRAPE_NONE || mesh->level[parent] < mesh->level[i],
			        "a particle is not finer than its parents");
		}
	}
	double area = (double)share * mesh->areaUnit;
	REQUIRE(fabs(area - patternArea) <= 1e-6 * patternArea, "the particles' masses do not add up to the pattern's");
	return NULL;
}

// Up to what rounding the coordinates, a few units in the last place each, does to the area.
static bool AreaFits(const Vec2* uv, double area)
{
	double largest = 0.0, perimeter = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		largest = fmax(largest, fmax(fabs((double)uv[k].x), fabs((double)uv[k].y)));
		perimeter += D2Length(D2Between(uv[k], uv[(k + 1) % 3]));
	}
	return fabs(0.5 * FlatTwiceArea(uv) - area) <=
	       1e-4 * area + 4.0 * 0x1p-23 * largest * (perimeter + 0x1p-23 * largest);
}

static const char* ValidateTriangles(const ActiveMesh* mesh, double patternArea)
{
	double area = 0.0;
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corner = mesh->triangle[t];
		for (int k = 0; k < 3; ++k)
			REQUIRE(corner[k] < mesh->particleCount, "a triangle's particle is out of range");
		REQUIRE(corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0],
		        "a triangle repeats a corner");
		REQUIRE(mesh->area[t] > 0.0f, "a triangle has no rest area");
		REQUIRE(AreaFits(mesh->material[t].corner, (double)mesh->area[t]),
		        "a triangle's area does not fit its material coordinates");
		REQUIRE(V3IsFinite(V4Xyz(mesh->bendSet[t])), "what a triangle is held to is not finite");
		area += (double)mesh->area[t];
	}
	REQUIRE(fabs(area - patternArea) <= 1e-5 * patternArea, "the triangles' rest areas do not add up to the pattern's");
	return NULL;
}

// A corner k of a triangle such that the edge from it to the next one runs from a to b; 3 when there is none.
static int FindSide(const uint32_t* corner, uint32_t a, uint32_t b)
{
	for (int k = 0; k < 3; ++k)
	{
		if (corner[k] == a && corner[(k + 1) % 3] == b)
			return k;
	}
	return 3;
}

// Every side of every triangle is one side of one edge: `seen` has a bit for each side, and each edge claims at most
// two. A T-junction, a third triangle at an edge or a repeated edge leaves a side claimed twice or not at all.
static const char* ValidateEdges(const ActiveMesh* mesh, uint8_t* seen)
{
	uint32_t sides = 0;
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		const EdgeWings* wings = &mesh->wings[e];
		const uint32_t end[2] = {mesh->edgeFrom[e], mesh->edgeTo[e]};
		REQUIRE(wings->triangle[0] != DRAPE_NONE, "an edge has no triangle on its left");
		REQUIRE(mesh->restLength[e] > 0.0f, "an edge has no rest length");
		bool isBoundary = (mesh->edgeFlags[e] & drape_edgeBoundary) != 0;
		REQUIRE(isBoundary == (wings->triangle[1] == DRAPE_NONE), "an edge's boundary flag is wrong");
		for (int side = 0; side < 2; ++side)
		{
			uint32_t t = wings->triangle[side];
			if (t == DRAPE_NONE)
				continue;
			REQUIRE(t < mesh->triangleCount, "an edge's triangle is out of range");
			int k = FindSide(mesh->triangle[t], end[side], end[1 - side]);
			REQUIRE(k < 3, "an edge's triangle does not contain it in the right direction");
			REQUIRE(wings->opposite[side] == mesh->triangle[t][(k + 2) % 3], "an edge's opposite particle is wrong");
			REQUIRE((seen[t] & 1 << k) == 0, "two edges claim one side of a triangle");
			seen[t] |= (uint8_t)(1 << k);
			sides++;
		}
	}
	REQUIRE(sides == 3 * mesh->triangleCount, "the triangles' sides are not all covered by edges");
	return NULL;
}

const char* drapeActiveMesh_Validate(const ActiveMesh* mesh, double patternArea)
{
	const char* wrong = ValidateParticles(mesh, patternArea);
	if (!wrong)
		wrong = ValidateTriangles(mesh, patternArea);
	if (wrong)
		return wrong;
	uint8_t* seen = drapeMemAllocZero(mesh->triangleCount);
	wrong = seen ? ValidateEdges(mesh, seen) : NULL; // short of memory is not a broken mesh
	drapeMemFree(seen, mesh->triangleCount);
	return wrong;
}

static uint64_t HashColumns(uint64_t hash, const ActiveMesh* mesh, const Column* columns, size_t columnCount,
                            uint32_t count)
{
	for (size_t i = 0; i < columnCount; ++i)
	{
		const void* column = *(void* const*)((const char*)mesh + columns[i].offset);
		if (!columns[i].isSecond)
			hash = drapeHash_Bytes(hash, column, count * columns[i].size);
	}
	return hash;
}

uint64_t drapeActiveMesh_Hash(const ActiveMesh* mesh)
{
	uint64_t hash =
		HashColumns(mesh->particleCount, mesh, particleColumns, COUNT(particleColumns), mesh->particleCount);
	hash = HashColumns(hash, mesh, triangleColumns, TriangleColumnCount(mesh), mesh->triangleCount);
	return HashColumns(hash, mesh, edgeColumns, COUNT(edgeColumns), mesh->edgeCount);
}
