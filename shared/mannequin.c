// SPDX-License-Identifier: MIT
#include "shared/mannequin.h"

#include "base/maths.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdlib.h>

// --- the body -------------------------------------------------------------------------------------------------------

// A limb: a sphere swept from one point to another while its radius changes.
typedef struct Limb
{
	Vec3 from, to;              // m; the right half mirrors the left
	float fromRadius, toRadius; // m
} Limb;

static const Limb limbs[] = {
	{{0.00f, 1.62f, 0.01f}, {0.00f, 1.66f, 0.02f}, 0.090f, 0.095f}, // head
	{{0.00f, 1.42f, 0.00f}, {0.00f, 1.54f, 0.01f}, 0.055f, 0.050f}, // neck
	{{0.07f, 0.97f, 0.00f}, {0.09f, 1.34f, 0.00f}, 0.110f, 0.105f}, // trunk
	{{0.03f, 1.42f, 0.00f}, {0.19f, 1.42f, 0.00f}, 0.060f, 0.055f}, // shoulder
	{{0.19f, 1.42f, 0.00f}, {0.47f, 1.40f, 0.00f}, 0.050f, 0.040f}, // arm
	{{0.47f, 1.40f, 0.00f}, {0.72f, 1.39f, 0.00f}, 0.040f, 0.027f},
	{{0.72f, 1.39f, 0.00f}, {0.84f, 1.39f, 0.01f}, 0.030f, 0.020f}, // hand
	{{0.09f, 0.92f, 0.00f}, {0.10f, 0.50f, 0.00f}, 0.085f, 0.055f}, // leg
	{{0.10f, 0.50f, 0.00f}, {0.10f, 0.08f, 0.00f}, 0.055f, 0.040f},
	{{0.10f, 0.05f, 0.00f}, {0.12f, 0.04f, 0.14f}, 0.040f, 0.030f}, // foot
};

enum
{
	limbCount = sizeof limbs / sizeof limbs[0]
};

static const float blend = 0.03f; // m: distance over which limbs blend

static float LimbDistance(const Limb* limb, Vec3 p)
{
	Vec3 way = V3Sub(limb->to, limb->from), d = V3Sub(p, limb->from);
	float t = fminf(fmaxf(V3Dot(d, way) / V3Dot(way, way), 0.0f), 1.0f);
	return V3Length(V3Sub(d, V3Scale(t, way))) - (limb->fromRadius + t * (limb->toRadius - limb->fromRadius));
}

float Mannequin_Distance(drapeVec3 p)
{
	float sum = 0.0f;
	p.x = fabsf(p.x);
	for (int i = 0; i < limbCount; ++i)
		sum += expf(-LimbDistance(&limbs[i], p) / (0.3f * blend));
	return sum > 0.0f ? -0.3f * blend * logf(sum) : 1.0f;
}

// Surface nets (Gibson 1998): one vertex in every cell that the surface crosses, at the mean of the crossings on the
// cell's edges, and one quad around every crossed edge of the grid.
static const float finestCell = 0.00845f;                     // m; chosen for the number of triangles
static const Vec3 finestCorner = {-0.9047f, -0.013f, -0.16f}; // m, of the grid; no point of it lies on the surface
static const Vec3 finestExtent = {1.8083f, 1.8083f, 0.4056f}; // m

typedef struct Nets
{
	float cell;       // m
	Vec3 corner;      // m, of the grid
	int cells[3];     // along x, y, z
	float* value;     // [points of the grid]
	uint32_t* vertex; // [cells] vertex of the cell, DRAPE_NONE for none
	Vec3* positions;
	uint32_t* triangles;
	uint32_t vertexCount, triangleCount, capacity;
} Nets;

static size_t PointAt(const Nets* nets, int x, int y, int z)
{
	return ((size_t)z * (size_t)(nets->cells[1] + 1) + (size_t)y) * (size_t)(nets->cells[0] + 1) + (size_t)x;
}

static void AddVertex(Nets* nets, int x, int y, int z)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	int cuts = 0;
	for (int a = 0; a < 8; ++a)
	{
		for (int bit = 1; bit < 8; bit *= 2)
		{
			int b = a | bit;
			float from = nets->value[PointAt(nets, x + (a & 1), y + (a >> 1 & 1), z + (a >> 2))];
			float to = nets->value[PointAt(nets, x + (b & 1), y + (b >> 1 & 1), z + (b >> 2))];
			if (a == b || (from < 0.0f) == (to < 0.0f))
				continue;
			float t = from / (from - to);
			Vec3 start = {(float)(x + (a & 1)), (float)(y + (a >> 1 & 1)), (float)(z + (a >> 2))};
			Vec3 step = {bit == 1 ? t : 0.0f, bit == 2 ? t : 0.0f, bit == 4 ? t : 0.0f};
			sum = V3Add(sum, V3Add(start, step));
			cuts++;
		}
	}
	uint32_t* vertex = &nets->vertex[PointAt(nets, x, y, z)];
	*vertex = DRAPE_NONE;
	if (cuts == 0)
		return;
	Shared_Require(nets->vertexCount < nets->capacity, "the mannequin is too large");
	*vertex = nets->vertexCount;
	nets->positions[nets->vertexCount++] = V3Add(nets->corner, V3Scale(nets->cell / (float)cuts, sum));
}

// The quad of the four cells around the edge of the grid from this point along an axis.
static void AddQuad(Nets* nets, int x, int y, int z, int axis)
{
	static const int step[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	const int *along = step[axis], *u = step[(axis + 1) % 3], *v = step[(axis + 2) % 3];
	bool isInside = nets->value[PointAt(nets, x, y, z)] < 0.0f;
	if (isInside == (nets->value[PointAt(nets, x + along[0], y + along[1], z + along[2])] < 0.0f))
		return;
	uint32_t around[4];
	for (int k = 0; k < 4; ++k)
	{
		int back = k == 1 || k == 2, down = k >= 2;
		around[k] = nets->vertex[PointAt(nets, x - back * u[0] - down * v[0], y - back * u[1] - down * v[1],
		                                 z - back * u[2] - down * v[2])];
	}
	const int order[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
	for (int k = 0; k < 6; ++k)
		nets->triangles[3 * (size_t)nets->triangleCount + (size_t)k] = around[order[isInside][k]];
	nets->triangleCount += 2;
	Shared_Require(nets->triangleCount + 2 <= 2 * nets->capacity, "the mannequin is too large");
}

static void FillNets(Nets* nets)
{
	int cellsX = nets->cells[0], cellsY = nets->cells[1], cellsZ = nets->cells[2];
	int pointsX = cellsX + 1, pointsY = cellsY + 1, pointsZ = cellsZ + 1;
	for (int i = 0; i < pointsX * pointsY * pointsZ; ++i)
	{
		Vec3 at = {(float)(i % pointsX), (float)(i / pointsX % pointsY), (float)(i / (pointsX * pointsY))};
		nets->value[i] = Mannequin_Distance(V3Add(nets->corner, V3Scale(nets->cell, at)));
	}
	for (int i = 0; i < cellsX * cellsY * cellsZ; ++i)
		AddVertex(nets, i % cellsX, i / cellsX % cellsY, i / (cellsX * cellsY));
	for (int i = 0; i < cellsX * cellsY * cellsZ; ++i)
	{
		int x = i % cellsX, y = i / cellsX % cellsY, z = i / (cellsX * cellsY);
		for (int axis = 0; axis < 3 && x > 0 && y > 0 && z > 0; ++axis)
			AddQuad(nets, x, y, z, axis);
	}
}

void Mannequin_CreateWith(drapeMesh* mesh, float cell)
{
	const uint32_t capacity = (uint32_t)(2.86f / (cell * cell)); // vertices; a third more than the surface needs
	// The outermost cells stay empty.
	const float more = cell - finestCell;
	const float lengths[3] = {finestExtent.x + 2.0f * more, finestExtent.y + 2.0f * more, finestExtent.z + 2.0f * more};
	Nets nets = {.cell = cell, .corner = V3Sub(finestCorner, (Vec3){more, more, more}), .capacity = capacity};
	size_t pointCount = 1;
	for (int axis = 0; axis < 3; ++axis)
	{
		nets.cells[axis] = (int)(lengths[axis] / cell + 0.5f);
		pointCount *= (size_t)nets.cells[axis] + 1;
	}
	nets.value = malloc(pointCount * sizeof(float));
	nets.vertex = malloc(pointCount * sizeof(uint32_t));
	nets.positions = malloc(capacity * sizeof(Vec3));
	nets.triangles = malloc(6 * (size_t)capacity * sizeof(uint32_t));
	Shared_Require(nets.value && nets.vertex && nets.positions && nets.triangles, "out of memory");
	FillNets(&nets);
	*mesh = (drapeMesh){.positions = nets.positions,
	                    .vertexCount = nets.vertexCount,
	                    .triangles = nets.triangles,
	                    .triangleCount = nets.triangleCount};
	free(nets.value);
	free(nets.vertex);
}

void Mannequin_Create(drapeMesh* mesh)
{
	Mannequin_CreateWith(mesh, finestCell);
}

void Mannequin_Free(drapeMesh* mesh)
{
	free((void*)mesh->positions);
	free((void*)mesh->triangles);
	*mesh = (drapeMesh){0};
}
