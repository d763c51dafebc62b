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

// Negative inside; near the surface about the distance, m.
static float Body(Vec3 p)
{
	float sum = 0.0f;
	p.x = fabsf(p.x);
	for (int i = 0; i < limbCount; ++i)
		sum += expf(-LimbDistance(&limbs[i], p) / (0.3f * blend));
	return sum > 0.0f ? -0.3f * blend * logf(sum) : 1.0f;
}

// Surface nets (Gibson 1998): one vertex in every cell that the surface crosses, at the mean of the crossings on the
// cell's edges, and one quad around every crossed edge of the grid.
enum
{
	cellsX = 214,
	cellsY = 214,
	cellsZ = 48,
	pointsX = cellsX + 1,
	pointsY = cellsY + 1,
	pointsZ = cellsZ + 1,
};

static const float cell = 0.00845f;                     // m; chosen for the number of triangles
static const Vec3 corner = {-0.9047f, -0.013f, -0.16f}; // m, of the grid; no point of it lies on the surface

typedef struct Nets
{
	float* value;     // [points of the grid]
	uint32_t* vertex; // [cells] vertex of the cell, DRAPE_NONE for none
	Vec3* positions;
	uint32_t* triangles;
	uint32_t vertexCount, triangleCount, capacity;
} Nets;

static size_t PointAt(int x, int y, int z)
{
	return ((size_t)z * pointsY + (size_t)y) * pointsX + (size_t)x;
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
			float from = nets->value[PointAt(x + (a & 1), y + (a >> 1 & 1), z + (a >> 2))];
			float to = nets->value[PointAt(x + (b & 1), y + (b >> 1 & 1), z + (b >> 2))];
			if (a == b || (from < 0.0f) == (to < 0.0f))
				continue;
			float t = from / (from - to);
			Vec3 start = {(float)(x + (a & 1)), (float)(y + (a >> 1 & 1)), (float)(z + (a >> 2))};
			Vec3 step = {bit == 1 ? t : 0.0f, bit == 2 ? t : 0.0f, bit == 4 ? t : 0.0f};
			sum = V3Add(sum, V3Add(start, step));
			cuts++;
		}
	}
	uint32_t* vertex = &nets->vertex[PointAt(x, y, z)];
	*vertex = DRAPE_NONE;
	if (cuts == 0)
		return;
	Shared_Require(nets->vertexCount < nets->capacity, "the mannequin is too large");
	*vertex = nets->vertexCount;
	nets->positions[nets->vertexCount++] = V3Add(corner, V3Scale(cell / (float)cuts, sum));
}

// The quad of the four cells around the edge of the grid from this point along an axis.
static void AddQuad(Nets* nets, int x, int y, int z, int axis)
{
	static const int step[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	const int *along = step[axis], *u = step[(axis + 1) % 3], *v = step[(axis + 2) % 3];
	bool isInside = nets->value[PointAt(x, y, z)] < 0.0f;
	if (isInside == (nets->value[PointAt(x + along[0], y + along[1], z + along[2])] < 0.0f))
		return;
	uint32_t around[4];
	for (int k = 0; k < 4; ++k)
	{
		int back = k == 1 || k == 2, down = k >= 2;
		around[k] = nets->vertex[PointAt(x - back * u[0] - down * v[0], y - back * u[1] - down * v[1],
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
	for (int i = 0; i < pointsX * pointsY * pointsZ; ++i)
	{
		Vec3 at = {(float)(i % pointsX), (float)(i / pointsX % pointsY), (float)(i / (pointsX * pointsY))};
		nets->value[i] = Body(V3Add(corner, V3Scale(cell, at)));
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

void Mannequin_Create(drapeMesh* mesh)
{
	enum
	{
		pointCount = pointsX * pointsY * pointsZ,
		vertexCapacity = 40000,
	};
	Nets nets = {.value = malloc(pointCount * sizeof(float)),
	             .vertex = malloc(pointCount * sizeof(uint32_t)),
	             .positions = malloc(vertexCapacity * sizeof(Vec3)),
	             .triangles = malloc(6 * (size_t)vertexCapacity * sizeof(uint32_t)),
	             .capacity = vertexCapacity};
	Shared_Require(nets.value && nets.vertex && nets.positions && nets.triangles, "out of memory");
	FillNets(&nets);
	*mesh = (drapeMesh){.positions = nets.positions,
	                    .vertexCount = nets.vertexCount,
	                    .triangles = nets.triangles,
	                    .triangleCount = nets.triangleCount};
	free(nets.value);
	free(nets.vertex);
}

void Mannequin_Free(drapeMesh* mesh)
{
	free((void*)mesh->positions);
	free((void*)mesh->triangles);
	*mesh = (drapeMesh){0};
}

// --- the shirt ------------------------------------------------------------------------------------------------------

// Each panel is a grid of quads in the shape of a T.
//
//       neck          9 rows of the trunk, 7 columns; 4 columns of 2 rows for each sleeve: 79 quads. Open at the neck
//   ____     ____     (3 columns), at the ends of the sleeves and at the hem; all the rest of the outline is sewn to
//  |____     ____|    the other panel.
//       |   |
//       |___|         hem
enum
{
	sleeveColumns = 4,
	trunkColumns = 7,
	shirtColumns = trunkColumns + 2 * sleeveColumns,
	trunkRows = 9,
	armpitRow = 7,
	neckColumns = 3,
	neckStart = sleeveColumns + (trunkColumns - neckColumns) / 2,
	trunkEnd = sleeveColumns + trunkColumns,
	shirtQuads = trunkRows * trunkColumns + 2 * sleeveColumns * (trunkRows - armpitRow),
	shirtPlaces = (shirtColumns + 1) * (trunkRows + 1),
};

static const float trunkWidth = 0.08f, sleeveWidth = 0.06f;                     // m, of a column
static const float trunkHeight = 0.075f, sleeveHeight = 0.12f;                  // m, of a row
static const float girthX = 0.22f, girthZ = 0.13f;                              // m, half axes of the trunk
static const float armHeight = 1.415f, armRadius = 0.076f, neckRadius = 0.055f; // m

static bool HasQuad(int column, int row)
{
	bool isTrunk = column >= sleeveColumns && column < trunkEnd;
	return column >= 0 && column < shirtColumns && row >= 0 && row < trunkRows && (isTrunk || row >= armpitRow);
}

static bool HasPlace(int column, int row)
{
	return HasQuad(column, row) || HasQuad(column - 1, row) || HasQuad(column, row - 1) || HasQuad(column - 1, row - 1);
}

static Vec2 PanelPoint(int column, int row)
{
	float x = trunkWidth * ((float)column - 0.5f * shirtColumns), half = 0.5f * trunkColumns * trunkWidth;
	if (column < sleeveColumns)
		x = -half - sleeveWidth * (float)(sleeveColumns - column);
	if (column > trunkEnd)
		x = half + sleeveWidth * (float)(column - trunkEnd);
	float y = trunkHeight * (float)row;
	if (row > armpitRow)
		y = trunkHeight * armpitRow + sleeveHeight * (float)(row - armpitRow);
	return (Vec2){x, y};
}

static bool IsSewn(int column, int row)
{
	bool isSide = (column == sleeveColumns || column == trunkEnd) && row <= armpitRow;
	bool isUnderArm = (column < sleeveColumns || column > trunkEnd) && row == armpitRow;
	bool isNeck = column > neckStart && column < neckStart + neckColumns;
	return isSide || isUnderArm || (row == trunkRows && !isNeck);
}

// The worn shape. The trunk is an ellipse and the sleeves are circles, with perimeters as long as the panels are wide,
// so that little is stretched. The shape blends between armpit and shoulder.
static Vec3 ShirtPoint(int column, int row, float side)
{
	Vec2 at = PanelPoint(column, row);
	float armpit = trunkHeight * armpitRow, half = 0.5f * trunkColumns * trunkWidth;
	float across = fminf(fmaxf(at.x / half, -1.0f), 1.0f), quarter = 1.5707963f;
	Vec3 place = {girthX * sinf(quarter * across) + at.x - half * across, armHeight - armRadius - armpit + at.y,
	              side * girthZ * cosf(quarter * across)};
	if (row <= armpitRow)
		return place;
	float up = (at.y - armpit) / (sleeveHeight * (trunkRows - armpitRow)), toSleeve = fabsf(across);
	// Along the shoulders it is straight.
	place.x += up * girthX * (across - sinf(quarter * across));
	float trunkY = armRadius * (2.0f * sinf(quarter * up) - 1.0f), sleeveY = -armRadius * cosf(2.0f * quarter * up);
	float trunkZ = girthZ * cosf(quarter * up), sleeveZ = armRadius * sinf(2.0f * quarter * up);
	if (row == trunkRows)
		trunkZ = sleeveZ = IsSewn(column, row) ? 0.0f : neckRadius;
	place.y = armHeight + (1.0f - toSleeve) * trunkY + toSleeve * sleeveY;
	place.z = side * ((1.0f - toSleeve) * trunkZ + toSleeve * sleeveZ);
	return place;
}

// Numbers the vertices of a panel. On seams the back uses those of the front.
static void NumberPanel(Shirt* shirt, drapeVec3* positions, uint32_t* count, float side, uint32_t vertex[shirtPlaces])
{
	for (int i = 0; i < shirtPlaces; ++i)
	{
		int column = i % (shirtColumns + 1), row = i / (shirtColumns + 1);
		if (!HasPlace(column, row) || (side < 0.0f && IsSewn(column, row)))
			continue;
		bool isCollar = row == trunkRows && column >= neckStart && column <= neckStart + neckColumns;
		bool isHem = row == 0 && column >= sleeveColumns && column <= trunkEnd;
		vertex[i] = *count;
		shirt->part[*count] = isCollar ? shirt_collar : isHem ? shirt_hem : shirt_rest;
		positions[(*count)++] = ShirtPoint(column, row, side);
	}
}

static void AddPanel(Shirt* shirt, uint32_t* triangles, float side, const uint32_t vertex[shirtPlaces])
{
	// The back is seen from the other side: its triangles wind the other way, and its u runs the other way too.
	static const int corners[2][6] = {{0, 1, 3, 0, 3, 2}, {0, 3, 1, 0, 2, 3}};
	for (int i = 0; i < shirtColumns * trunkRows; ++i)
	{
		int column = i % shirtColumns, row = i / shirtColumns;
		for (int k = 0; k < 6 && HasQuad(column, row); ++k)
		{
			int at = corners[side < 0.0f][k], c = column + (at & 1), r = row + (at >> 1);
			uint32_t corner6 = 3 * shirt->mesh.triangleCount + (uint32_t)k;
			Vec2 flat = PanelPoint(c, r);
			triangles[corner6] = vertex[r * (shirtColumns + 1) + c];
			shirt->material[corner6] = (Vec2){side * flat.x, flat.y};
		}
		shirt->mesh.triangleCount += HasQuad(column, row) ? 2 : 0;
	}
}

void Shirt_Create(Shirt* shirt)
{
	uint32_t vertex[shirtPlaces], count = 0;
	drapeVec3* positions = malloc(2 * (size_t)shirtPlaces * sizeof *positions);
	uint32_t* triangles = malloc(12 * (size_t)shirtQuads * sizeof *triangles);
	*shirt = (Shirt){.material = malloc(12 * (size_t)shirtQuads * sizeof(drapeVec2)),
	                 .part = malloc(2 * (size_t)shirtPlaces * sizeof(ShirtPart))};
	Shared_Require(positions && triangles && shirt->material && shirt->part, "out of memory");
	for (int panel = 0; panel < 2; ++panel)
	{
		float side = panel == 0 ? 1.0f : -1.0f;
		NumberPanel(shirt, positions, &count, side, vertex);
		AddPanel(shirt, triangles, side, vertex);
	}
	shirt->mesh.positions = positions;
	shirt->mesh.vertexCount = count;
	shirt->mesh.triangles = triangles;
}

void Shirt_Free(Shirt* shirt)
{
	free((void*)shirt->mesh.positions);
	free((void*)shirt->mesh.triangles);
	free(shirt->material);
	free(shirt->part);
	*shirt = (Shirt){0};
}

bool Shirt_IsSewn(const Shirt* shirt)
{
	bool panelsDiffer = false;
	uint32_t count = 3 * shirt->mesh.triangleCount;
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t k = 0; k < i; ++k)
		{
			bool isSame = shirt->mesh.triangles[i] == shirt->mesh.triangles[k];
			panelsDiffer |= isSame && shirt->material[i].x != shirt->material[k].x;
		}
	}
	return panelsDiffer;
}
