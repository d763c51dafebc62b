// SPDX-License-Identifier: MIT
#include "meshes.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979f

static void* Take(size_t count, size_t size)
{
	void* memory = calloc(count ? count : 1, size);
	if (!memory)
		abort();
	return memory;
}

static drapeMesh NewMesh(uint32_t vertexCount, uint32_t triangleCount)
{
	return (drapeMesh){
		.positions = Take(vertexCount, sizeof(drapeVec3)),
		.vertexCount = vertexCount,
		.triangles = Take(3 * (size_t)triangleCount, sizeof(uint32_t)),
		.triangleCount = triangleCount,
	};
}

drapeVec3* TestMesh_Positions(drapeMesh* mesh)
{
	return (drapeVec3*)mesh->positions;
}

uint32_t* TestMesh_Triangles(drapeMesh* mesh)
{
	return (uint32_t*)mesh->triangles;
}

drapeVec2* TestMesh_Texcoords(drapeMesh* mesh)
{
	return (drapeVec2*)mesh->texcoords;
}

void TestMesh_Free(drapeMesh* mesh)
{
	free((void*)mesh->positions);
	free((void*)mesh->triangles);
	free((void*)mesh->texcoords);
	free((void*)mesh->texcoordTriangles);
	free((void*)mesh->normals);
	free((void*)mesh->normalTriangles);
	*mesh = (drapeMesh){0};
}

uint32_t TestMesh_Random(uint32_t* state)
{
	// xorshift32, Marsaglia 2003; never zero
	uint32_t x = *state ? *state : 0x9e3779b9u;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

float TestMesh_RandomFloat(uint32_t* state)
{
	return (float)(TestMesh_Random(state) >> 8) / 16777216.0f;
}

drapeMesh TestMesh_FromArrays(const drapeVec3* positions, uint32_t vertexCount, const uint32_t* triangles,
                              uint32_t triangleCount)
{
	drapeMesh mesh = NewMesh(vertexCount, triangleCount);
	if (vertexCount)
		memcpy(TestMesh_Positions(&mesh), positions, vertexCount * sizeof *positions);
	if (triangleCount)
		memcpy(TestMesh_Triangles(&mesh), triangles, 3 * (size_t)triangleCount * sizeof *triangles);
	return mesh;
}

// A quad a b c d, counter-clockwise, as two triangles; returns where the next go.
static uint32_t* PutQuad(uint32_t* out, const uint32_t quad[4], bool otherDiagonal)
{
	const uint32_t cuts[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
	for (int i = 0; i < 6; ++i)
		*out++ = quad[cuts[otherDiagonal][i]];
	return out;
}

drapeMesh TestMesh_Grid(uint32_t columns, uint32_t rows, float width, float height, float jitter, uint32_t seed)
{
	drapeMesh mesh = NewMesh((columns + 1) * (rows + 1), 2 * columns * rows);
	float dx = width / (float)columns, dy = height / (float)rows;
	for (uint32_t j = 0; j <= rows; ++j)
	{
		for (uint32_t i = 0; i <= columns; ++i)
		{
			bool inner = i > 0 && i < columns && j > 0 && j < rows;
			float moveX = inner ? jitter * (2.0f * TestMesh_RandomFloat(&seed) - 1.0f) : 0.0f;
			float moveY = inner ? jitter * (2.0f * TestMesh_RandomFloat(&seed) - 1.0f) : 0.0f;
			drapeVec3 position = {((float)i + moveX) * dx, ((float)j + moveY) * dy, 0.0f};
			TestMesh_Positions(&mesh)[j * (columns + 1) + i] = position;
		}
	}
	uint32_t* out = TestMesh_Triangles(&mesh);
	for (uint32_t j = 0; j < rows; ++j)
	{
		for (uint32_t i = 0; i < columns; ++i)
		{
			uint32_t a = j * (columns + 1) + i;
			out = PutQuad(out, (uint32_t[]){a, a + 1, a + columns + 2, a + columns + 1}, (i + j) % 2);
		}
	}
	return mesh;
}

drapeMesh TestMesh_Holes(uint32_t holes)
{
	uint32_t cells = 2 * holes + 1, kept = 0;
	drapeMesh mesh = TestMesh_Grid(cells, cells, 2.0f, 2.0f, 0.0f, 1);
	for (uint32_t triangle = 0; triangle < mesh.triangleCount; ++triangle)
	{
		uint32_t column = triangle / 2 % cells, row = triangle / 2 / cells;
		if (column % 2 == 1 && row % 2 == 1)
			continue;
		memmove(TestMesh_Triangles(&mesh) + 3 * kept++, mesh.triangles + 3 * triangle, 3 * sizeof(uint32_t));
	}
	mesh.triangleCount = kept;
	return mesh;
}

// A grid of positions closed in one or both directions. Point (i, j) is number j * around + i.
static drapeMesh Closed(uint32_t around, uint32_t along, bool closedAlong)
{
	uint32_t rings = closedAlong ? along : along + 1;
	drapeMesh mesh = NewMesh(around * rings, 2 * around * along);
	uint32_t* out = TestMesh_Triangles(&mesh);
	for (uint32_t j = 0; j < along; ++j)
	{
		for (uint32_t i = 0; i < around; ++i)
		{
			uint32_t next = (i + 1) % around, above = (j + 1) % rings;
			out = PutQuad(
				out, (uint32_t[]){j * around + i, j * around + next, above * around + next, above * around + i}, false);
		}
	}
	return mesh;
}

drapeMesh TestMesh_Tube(uint32_t around, uint32_t along, float radius, float length)
{
	drapeMesh mesh = Closed(around, along, false);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		float angle = 2.0f * PI * (float)(i % around) / (float)around;
		float z = length * (float)(i / around) / (float)along;
		TestMesh_Positions(&mesh)[i] = (drapeVec3){radius * cosf(angle), radius * sinf(angle), z};
	}
	return mesh;
}

drapeMesh TestMesh_Torus(uint32_t around, uint32_t along, float majorRadius, float minorRadius)
{
	drapeMesh mesh = Closed(around, along, true);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		float angle = 2.0f * PI * (float)(i % around) / (float)around;
		float tube = 2.0f * PI * (float)(i / around) / (float)along;
		float radius = majorRadius + minorRadius * cosf(tube);
		TestMesh_Positions(&mesh)[i] =
			(drapeVec3){radius * cosf(angle), radius * sinf(angle), minorRadius * sinf(tube)};
	}
	return mesh;
}

drapeMesh TestMesh_Moebius(uint32_t around)
{
	drapeMesh mesh = NewMesh(2 * around, 2 * around);
	uint32_t* out = TestMesh_Triangles(&mesh);
	for (uint32_t i = 0; i < around; ++i)
	{
		float angle = 2.0f * PI * (float)i / (float)around;
		for (uint32_t side = 0; side < 2; ++side)
		{
			float across = side ? 0.3f : -0.3f;
			float radius = 1.0f + across * cosf(0.5f * angle);
			TestMesh_Positions(&mesh)[2 * i + side] =
				(drapeVec3){radius * cosf(angle), radius * sinf(angle), across * sinf(0.5f * angle)};
		}
		bool last = i + 1 == around;
		uint32_t low = last ? 1 : 2 * i + 2, high = last ? 0 : 2 * i + 3;
		out = PutQuad(out, (uint32_t[]){2 * i, low, high, 2 * i + 1}, false);
	}
	return mesh;
}

drapeMesh TestMesh_Fan(uint32_t valence, bool closed)
{
	uint32_t rim = closed ? valence : valence + 1;
	drapeMesh mesh = NewMesh(rim + 1, valence);
	for (uint32_t i = 0; i < rim; ++i)
	{
		double angle = 2.0 * 3.14159265358979 * i / (valence + (closed ? 0.0 : 2.0));
		TestMesh_Positions(&mesh)[i + 1] = (drapeVec3){(float)cos(angle), (float)sin(angle), 0.0f};
	}
	for (uint32_t i = 0; i < valence; ++i)
	{
		uint32_t* out = TestMesh_Triangles(&mesh) + 3 * i;
		out[0] = 0;
		out[1] = i + 1;
		out[2] = (i + 1) % rim + 1;
	}
	return mesh;
}

drapeMesh TestMesh_TwoSquares(void)
{
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
	                               {2, 0, 0}, {3, 0, 0}, {3, 1, 0}, {2, 1, 0}};
	const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
	return TestMesh_FromArrays(positions, 8, triangles, 4);
}

// The vertex in the middle of two others: found by walking the short list of those made from the lower end.
typedef struct Midpoints
{
	uint32_t *head, *next, *upper; // [lower end] -> midpoint, then [midpoint] -> midpoint
	drapeVec3* positions;
	uint32_t count;
} Midpoints;

static uint32_t Midpoint(Midpoints* midpoints, uint32_t a, uint32_t b)
{
	uint32_t lower = a < b ? a : b, upper = a < b ? b : a;
	for (uint32_t i = midpoints->head[lower]; i != DRAPE_NONE; i = midpoints->next[i])
	{
		if (midpoints->upper[i] == upper)
			return i;
	}
	uint32_t made = midpoints->count++;
	drapeVec3 p = midpoints->positions[a], q = midpoints->positions[b];
	midpoints->positions[made] = (drapeVec3){0.5f * (p.x + q.x), 0.5f * (p.y + q.y), 0.5f * (p.z + q.z)};
	midpoints->upper[made] = upper;
	midpoints->next[made] = midpoints->head[lower];
	midpoints->head[lower] = made;
	return made;
}

static drapeMesh Quartered(const drapeMesh* mesh)
{
	uint32_t room = mesh->vertexCount + 3 * mesh->triangleCount;
	drapeMesh fine = NewMesh(room, 4 * mesh->triangleCount);
	Midpoints midpoints = {Take(room, 4), Take(room, 4), Take(room, 4), TestMesh_Positions(&fine), mesh->vertexCount};
	memset(midpoints.head, 0xff, room * sizeof(uint32_t));
	memcpy(midpoints.positions, mesh->positions, mesh->vertexCount * sizeof(drapeVec3));
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		const uint32_t* t = mesh->triangles + 3 * i;
		uint32_t m[3];
		for (int k = 0; k < 3; ++k)
			m[k] = Midpoint(&midpoints, t[k], t[(k + 1) % 3]);
		const uint32_t four[12] = {t[0], m[0], m[2], m[0], t[1], m[1], m[2], m[1], t[2], m[0], m[1], m[2]};
		memcpy(TestMesh_Triangles(&fine) + 12 * i, four, sizeof four);
	}
	fine.vertexCount = midpoints.count;
	free(midpoints.head);
	free(midpoints.next);
	free(midpoints.upper);
	return fine;
}

drapeMesh TestMesh_Sphere(uint32_t levels, float radius)
{
	const drapeVec3 positions[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
	const uint32_t triangles[] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 1, 0, 5, 2, 1, 5, 3, 2, 5, 0, 3, 5};
	drapeMesh mesh = TestMesh_FromArrays(positions, 6, triangles, 8);
	for (uint32_t level = 0; level < levels; ++level)
	{
		drapeMesh fine = Quartered(&mesh);
		TestMesh_Free(&mesh);
		mesh = fine;
	}
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		drapeVec3* p = TestMesh_Positions(&mesh) + i;
		float scale = radius / sqrtf(p->x * p->x + p->y * p->y + p->z * p->z);
		*p = (drapeVec3){scale * p->x, scale * p->y, scale * p->z};
	}
	return mesh;
}

void TestMesh_AddTexcoords(drapeMesh* mesh, float unitsPerMetre)
{
	drapeVec2* texcoords = Take(mesh->vertexCount, sizeof *texcoords);
	uint32_t* corners = Take(3 * (size_t)mesh->triangleCount, sizeof *corners);
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		texcoords[i] = (drapeVec2){unitsPerMetre * mesh->positions[i].x, unitsPerMetre * mesh->positions[i].y};
	memcpy(corners, mesh->triangles, 3 * (size_t)mesh->triangleCount * sizeof *corners);
	mesh->texcoords = texcoords;
	mesh->texcoordCount = mesh->vertexCount;
	mesh->texcoordTriangles = corners;
}

void TestMesh_FlipTriangle(drapeMesh* mesh, uint32_t triangle)
{
	uint32_t* corners = TestMesh_Triangles(mesh) + 3 * triangle;
	uint32_t swapped = corners[1];
	corners[1] = corners[2];
	corners[2] = swapped;
}
