// SPDX-License-Identifier: MIT
#include "mesh/active.h"

#include "base/hash.h"

#include <string.h>

// The typed arrays of each kind of element. Growing, moving, freeing, saving and hashing loop over these tables and
// over the registered columns (columns.h).
typedef struct Field
{
	size_t offset; // position of the pointer in ActiveMesh, bytes
	size_t size;   // bytes of one element
	bool isHashed; // false for the scheme's names, and for data that the hashed fields soon reflect
	bool isLent;   // changes only when the topology does, and is the same for all cloths of a pattern
} Field;

#define FIELD(field, isHashed, isLent)                                                                                 \
	{                                                                                                                  \
		offsetof(ActiveMesh, field), sizeof(*((ActiveMesh*)0)->field), isHashed, isLent                                \
	}

#define HASHED(field) FIELD(field, true, false)
#define UNHASHED(field) FIELD(field, false, false)
#define LENT(field) FIELD(field, true, true)

static const Field particleFields[] = {
	HASHED(position),
	HASHED(velocity),
	HASHED(normal),
	HASHED(share),
	HASHED(parents),
	HASHED(parentLength[0]),
	UNHASHED(vertexId),
	UNHASHED(originKey),
	HASHED(level),
	HASHED(particleFlags),
	HASHED(joinWait),
	UNHASHED(sleepPasses),
	UNHASHED(parentLength[1]),
	UNHASHED(parentLength[2]),
};

// The texture coordinates come last: meshes without them use one field less.
static const Field triangleFields[] = {
	LENT(triangle),       LENT(material),        LENT(area),          UNHASHED(bendSet),
	UNHASHED(triangleId), LENT(patternTriangle), LENT(triangleLevel), LENT(texcoord),
};

static const Field edgeFields[] = {
	LENT(edgeFrom), LENT(edgeTo), LENT(wings), LENT(restLength), UNHASHED(edgeId), LENT(edgeLevel), LENT(edgeFlags),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t TriangleFieldCount(const ActiveMesh* mesh)
{
	return (uint32_t)COUNT(triangleFields) - (mesh->hasTexcoords ? 0 : 1);
}

static void** FieldPointer(ActiveMesh* mesh, const Field* field)
{
	return (void**)((char*)mesh + field->offset);
}

// --- memory ----------------------------------------------------------------------------------------------------------

// Arrays that grow together.
typedef struct ArrayList
{
	void** data[COUNT(particleFields) + maxColumns];
	size_t size[COUNT(particleFields) + maxColumns];
	bool isBorrowed[COUNT(particleFields) + maxColumns];
	uint32_t count;
} ArrayList;

static void AppendArray(ArrayList* list, void** data, size_t size, bool isBorrowed)
{
	DRAPE_ASSERT(list->count < COUNT(list->data) && size > 0);
	list->data[list->count] = data;
	list->isBorrowed[list->count] = isBorrowed;
	list->size[list->count++] = size;
}

static void ListFields(ArrayList* list, ActiveMesh* mesh, const Field* fields, uint32_t fieldCount, bool borrows)
{
	list->count = 0;
	for (uint32_t i = 0; i < fieldCount; ++i)
		AppendArray(list, FieldPointer(mesh, &fields[i]), fields[i].size, borrows && fields[i].isLent);
}

// All new blocks are allocated before the first one replaces an old one, so that a failure changes nothing.
static bool GrowArrays(const ArrayList* list, uint32_t* capacity, uint32_t needed)
{
	if (needed > DRAPE_MAX_ELEMENTS)
		return false;
	size_t grown = needed > *capacity ? MaxU32(needed, 2 * *capacity) : *capacity;
	grown = (grown + 255) & ~(size_t)255;

	void* blocks[COUNT(list->data)];
	for (uint32_t i = 0; i < list->count; ++i)
	{
		blocks[i] = drapeMemAlloc(grown * list->size[i]);
		if (!blocks[i])
		{
			while (i-- > 0)
				drapeMemFree(blocks[i], grown * list->size[i]);
			return false;
		}
	}
	for (uint32_t i = 0; i < list->count; ++i)
	{
		size_t oldSize = *capacity * list->size[i];
		DRAPE_ASSERT((*list->data[i] != NULL) == (oldSize > 0));
		if (oldSize > 0)
			memcpy(blocks[i], *list->data[i], oldSize);
		if (!list->isBorrowed[i])
			drapeMemFree(*list->data[i], oldSize);
		*list->data[i] = blocks[i];
	}
	*capacity = (uint32_t)grown;
	return true;
}

bool drapeActiveMesh_ReserveParticles(ActiveMesh* mesh, uint32_t count)
{
	if (count <= mesh->particleCapacity)
		return true;
	ArrayList list;
	ListFields(&list, mesh, particleFields, (uint32_t)COUNT(particleFields), false);
	for (uint32_t i = 0; i < mesh->columns.list.count; ++i)
		AppendArray(&list, &mesh->columns.list.data[i].data, mesh->columns.list.data[i].size, false);
	return GrowArrays(&list, &mesh->particleCapacity, count);
}

bool drapeActiveMesh_ReserveTriangles(ActiveMesh* mesh, uint32_t count)
{
	if (count <= mesh->triangleCapacity && !mesh->borrowsTriangles)
		return true;
	ArrayList list;
	ListFields(&list, mesh, triangleFields, TriangleFieldCount(mesh), mesh->borrowsTriangles);
	if (!GrowArrays(&list, &mesh->triangleCapacity, count))
		return false;
	mesh->borrowsTriangles = false;
	return true;
}

bool drapeActiveMesh_ReserveEdges(ActiveMesh* mesh, uint32_t count)
{
	if (count <= mesh->edgeCapacity && !mesh->borrowsEdges)
		return true;
	ArrayList list;
	ListFields(&list, mesh, edgeFields, (uint32_t)COUNT(edgeFields), mesh->borrowsEdges);
	if (!GrowArrays(&list, &mesh->edgeCapacity, count))
		return false;
	mesh->borrowsEdges = false;
	return true;
}

static void FreeFields(ActiveMesh* mesh, const Field* fields, size_t fieldCount, uint32_t capacity, bool borrows)
{
	for (size_t i = 0; i < fieldCount; ++i)
	{
		if (!borrows || !fields[i].isLent)
			drapeMemFree(*FieldPointer(mesh, &fields[i]), capacity * fields[i].size);
	}
}

// Allocates and copies arrays that are not lent, and borrows the others.
static bool BorrowFields(ActiveMesh* mesh, const ActiveMesh* lender, const Field* fields, uint32_t fieldCount,
                         uint32_t count, uint32_t capacity)
{
	bool done = true;
	for (uint32_t i = 0; i < fieldCount; ++i)
	{
		void* const* from = (void* const*)((const char*)lender + fields[i].offset);
		void** own = FieldPointer(mesh, &fields[i]);
		*own = fields[i].isLent ? *from : drapeMemAlloc(capacity * fields[i].size);
		done = done && *own;
		if (*own && !fields[i].isLent)
			memcpy(*own, *from, count * fields[i].size);
	}
	return done;
}

bool drapeActiveMesh_Borrow(ActiveMesh* mesh, const ActiveMesh* lender)
{
	DRAPE_ASSERT(mesh->particleCapacity == 0 && mesh->triangleCapacity == 0 && mesh->edgeCapacity == 0);
	uint32_t particles = lender->particleCount, triangles = lender->triangleCount, edges = lender->edgeCount;
	mesh->hasTexcoords = lender->hasTexcoords;
	if (!drapeActiveMesh_ReserveParticles(mesh, particles))
		return false;
	for (uint32_t i = 0; i < COUNT(particleFields); ++i)
		memcpy(*FieldPointer(mesh, &particleFields[i]), *(void* const*)((const char*)lender + particleFields[i].offset),
		       particles * particleFields[i].size);
	for (uint32_t i = 0; i < mesh->columns.list.count; ++i)
		memset(mesh->columns.list.data[i].data, 0, (size_t)particles * mesh->columns.list.data[i].size);
	mesh->triangleCapacity = lender->triangleCapacity;
	mesh->edgeCapacity = lender->edgeCapacity;
	mesh->borrowsTriangles = mesh->borrowsEdges = true;
	bool hasTriangles =
		BorrowFields(mesh, lender, triangleFields, TriangleFieldCount(lender), triangles, mesh->triangleCapacity);
	if (!BorrowFields(mesh, lender, edgeFields, COUNT(edgeFields), edges, mesh->edgeCapacity) || !hasTriangles)
		return false;
	mesh->particleCount = particles;
	mesh->triangleCount = triangles;
	mesh->edgeCount = edges;
	mesh->areaUnit = lender->areaUnit;
	mesh->density = lender->density;
	mesh->revision = lender->revision;
	mesh->pinRevision = lender->pinRevision;
	return true;
}

void drapeActiveMesh_Destroy(ActiveMesh* mesh)
{
	drapeColumns_Free(&mesh->columns, mesh->particleCapacity);
	FreeFields(mesh, particleFields, COUNT(particleFields), mesh->particleCapacity, false);
	FreeFields(mesh, triangleFields, TriangleFieldCount(mesh), mesh->triangleCapacity, mesh->borrowsTriangles);
	FreeFields(mesh, edgeFields, COUNT(edgeFields), mesh->edgeCapacity, mesh->borrowsEdges);
	ArrayFree(&mesh->log.created);
	ArrayFree(&mesh->log.removed);
	ArrayFree(&mesh->log.moved);
	BitSet_Free(&mesh->log.trianglesTouched);
	BitSet_Free(&mesh->log.edgesTouched);
	*mesh = (ActiveMesh){0};
}

// --- all arrays ------------------------------------------------------------------------------------------------------

static void MoveFields(ActiveMesh* mesh, const Field* fields, size_t fieldCount, uint32_t to, uint32_t from)
{
	DRAPE_ASSERT(to != from);
	for (size_t i = 0; i < fieldCount; ++i)
	{
		char* data = *FieldPointer(mesh, &fields[i]);
		memcpy(data + to * fields[i].size, data + from * fields[i].size, fields[i].size);
	}
}

void drapeActiveMesh_MoveParticle(ActiveMesh* mesh, uint32_t to, uint32_t from)
{
	DRAPE_ASSERT(to < mesh->particleCapacity && from < mesh->particleCapacity);
	MoveFields(mesh, particleFields, COUNT(particleFields), to, from);
	drapeColumns_Move(&mesh->columns, to, from);
}

void drapeActiveMesh_MoveTriangle(ActiveMesh* mesh, uint32_t to, uint32_t from)
{
	DRAPE_ASSERT(to < mesh->triangleCapacity && from < mesh->triangleCapacity);
	MoveFields(mesh, triangleFields, TriangleFieldCount(mesh), to, from);
}

void drapeActiveMesh_MoveEdge(ActiveMesh* mesh, uint32_t to, uint32_t from)
{
	DRAPE_ASSERT(to < mesh->edgeCapacity && from < mesh->edgeCapacity);
	MoveFields(mesh, edgeFields, COUNT(edgeFields), to, from);
}

static uint32_t FieldCount(const ActiveMesh* mesh)
{
	return (uint32_t)(COUNT(particleFields) + TriangleFieldCount(mesh) + COUNT(edgeFields));
}

uint32_t drapeActiveMesh_SavedCount(const ActiveMesh* mesh)
{
	uint32_t count = FieldCount(mesh);
	for (uint32_t i = 0; i < mesh->columns.list.count; ++i)
		count += (mesh->columns.list.data[i].flags & drape_columnSaved) != 0;
	return count;
}

static ActiveArray SavedColumn(ActiveMesh* mesh, uint32_t index)
{
	const Column* column = mesh->columns.list.data;
	while (!(column->flags & drape_columnSaved) || index-- > 0)
		column++;
	return (ActiveArray){column->data, column->size, activeParticles};
}

ActiveArray drapeActiveMesh_Saved(ActiveMesh* mesh, uint32_t index)
{
	DRAPE_ASSERT(index < drapeActiveMesh_SavedCount(mesh));
	const uint32_t firstTriangle = (uint32_t)COUNT(particleFields);
	const uint32_t firstEdge = firstTriangle + TriangleFieldCount(mesh), fieldCount = FieldCount(mesh);
	if (index >= fieldCount)
		return SavedColumn(mesh, index - fieldCount);
	ActiveKind kind = index < firstTriangle ? activeParticles : index < firstEdge ? activeTriangles : activeEdges;
	const Field* field = kind == activeParticles   ? &particleFields[index]
	                     : kind == activeTriangles ? &triangleFields[index - firstTriangle]
	                                               : &edgeFields[index - firstEdge];
	return (ActiveArray){*FieldPointer(mesh, field), field->size, kind};
}

static size_t FieldBytes(const Field* fields, size_t fieldCount, uint32_t count)
{
	size_t bytes = 0;
	for (size_t i = 0; i < fieldCount; ++i)
		bytes += fields[i].size * count;
	return bytes;
}

size_t drapeActiveMesh_Bytes(const ActiveMesh* mesh)
{
	return FieldBytes(particleFields, COUNT(particleFields), mesh->particleCount) +
	       FieldBytes(triangleFields, TriangleFieldCount(mesh), mesh->triangleCount) +
	       FieldBytes(edgeFields, COUNT(edgeFields), mesh->edgeCount) +
	       drapeColumns_Bytes(&mesh->columns, mesh->particleCount);
}

static uint64_t HashFields(uint64_t hash, const ActiveMesh* mesh, const Field* fields, size_t fieldCount,
                           uint32_t count)
{
	for (size_t i = 0; i < fieldCount; ++i)
	{
		const void* data = *(void* const*)((const char*)mesh + fields[i].offset);
		if (fields[i].isHashed)
			hash = drapeHash_Bytes(hash, data, count * fields[i].size);
	}
	return hash;
}

uint64_t drapeActiveMesh_Hash(const ActiveMesh* mesh)
{
	uint64_t hash = HashFields(mesh->particleCount, mesh, particleFields, COUNT(particleFields), mesh->particleCount);
	hash = HashFields(hash, mesh, triangleFields, TriangleFieldCount(mesh), mesh->triangleCount);
	hash = HashFields(hash, mesh, edgeFields, COUNT(edgeFields), mesh->edgeCount);
	return drapeColumns_Hash(hash, &mesh->columns, mesh->particleCount);
}

// --- particles -------------------------------------------------------------------------------------------------------

static uint32_t OriginKey(uint64_t key)
{
	return (uint32_t)(Hash_U64(key + 1) >> 32) | 1;
}

// The same for any order of the parents.
static uint32_t OriginKeyBetween(const ActiveMesh* mesh, const ParticleParents* parents)
{
	uint64_t sum = 0;
	for (int k = 0; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
		sum += Hash_U64((uint64_t)mesh->originKey[parents->parent[k]] << 32 | (uint32_t)(256.0f * parents->weight[k]));
	return OriginKey(sum);
}

// Appends a particle without parents. The caller then creates its columns.
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
	mesh->originKey[i] = OriginKey(vertexId);
	mesh->level[i] = level;
	mesh->particleFlags[i] = 0;
	mesh->joinWait[i] = 0;
	mesh->sleepPasses[i] = 0;
	return i;
}

void drapeActiveMesh_RenameParticle(ActiveMesh* mesh, uint32_t particle, uint32_t vertexId)
{
	DRAPE_ASSERT(mesh->parents[particle].parent[0] == DRAPE_NONE);
	mesh->vertexId[particle] = vertexId;
	mesh->originKey[particle] = OriginKey(vertexId);
}

static void SetNormal(ActiveMesh* mesh, uint32_t particle, Vec4 direction)
{
	Vec3 normal = V3Normalize(V4Xyz(direction));
	mesh->normal[particle] = (Vec4){normal.x, normal.y, normal.z, 0.0f};
}

uint32_t drapeActiveMesh_AddParticle(ActiveMesh* mesh, Vec3 position, uint32_t vertexId)
{
	uint32_t i = NewParticle(mesh, (Vec4){position.x, position.y, position.z, 0.0f}, (Vec4){0}, 0, vertexId);
	drapeColumns_Create(&mesh->columns, i, NULL);
	return i;
}

static Vec4 Middle(Vec4 a, Vec4 b)
{
	return (Vec4){0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z), 0.0f};
}

uint32_t drapeActiveMesh_AddMiddle(ActiveMesh* mesh, uint32_t a, uint32_t b, uint8_t level, uint32_t vertexId)
{
	DRAPE_ASSERT(a != b && a < mesh->particleCount && b < mesh->particleCount);
	DRAPE_ASSERT(level > mesh->level[a] && level > mesh->level[b]);
	uint32_t i = NewParticle(mesh, Middle(mesh->position[a], mesh->position[b]),
	                         Middle(mesh->velocity[a], mesh->velocity[b]), level, vertexId);
	SetNormal(mesh, i, Middle(mesh->normal[a], mesh->normal[b]));
	mesh->parents[i] = (ParticleParents){.parent = {a, b, DRAPE_NONE}, .weight = {0.5f, 0.5f, 0.0f}};
	mesh->originKey[i] = OriginKeyBetween(mesh, &mesh->parents[i]);
	drapeColumns_Create(&mesh->columns, i, &mesh->parents[i]);
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
	DRAPE_ASSERT(ParticleParents_Count(parents) >= 2 && level > 0);
	for (uint32_t k = 0; k < ParticleParents_Count(parents); ++k)
		DRAPE_ASSERT(parents->parent[k] < mesh->particleCount && mesh->level[parents->parent[k]] < level);
	uint32_t i = NewParticle(mesh, Between(mesh->position, parents), Between(mesh->velocity, parents), level, vertexId);
	SetNormal(mesh, i, Between(mesh->normal, parents));
	mesh->parents[i] = *parents;
	mesh->originKey[i] = OriginKeyBetween(mesh, parents);
	drapeColumns_Create(&mesh->columns, i, parents);
	return i;
}

void drapeActiveMesh_UpdateMass(ActiveMesh* mesh, uint32_t particle)
{
	DRAPE_ASSERT(particle < mesh->particleCount && mesh->areaUnit > 0.0);
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
