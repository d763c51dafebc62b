// SPDX-License-Identifier: MIT
#include "shared/garments.h"

#include "base/maths.h"
#include "shared/mannequin.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- panels ---------------------------------------------------------------------------------------------------------

// A panel is a grid of quads in the shape of a T.
//
//       neck          For the T-shirt, 9 rows of the trunk, 7 columns; 4 columns of 2 rows for each sleeve: 79 quads.
//   ____     ____     Open at the neck (3 columns), at the ends of the sleeves and at the hem; all the rest of the
//  |____     ____|    outline is sewn to the other panel.
//       |   |
//       |___|         hem
typedef struct Cut
{
	int sleeveColumns, trunkColumns, trunkRows, armpitRow, neckColumns;
	float trunkHeight; // m, of a row below the armpit
	float flare;       // widening of the hem, as a share of the width at the armpit
} Cut;

static const Cut shirtCut = {4, 7, 9, 7, 3, 0.075f, 0.0f};
static const Cut dressCut = {1, 7, 12, 10, 3, 0.08f, 0.45f};

enum
{
	maxPlaces = 256, // vertices of a panel's grid
};

static const float trunkWidth = 0.08f, sleeveWidth = 0.06f;                     // m, of a column
static const float sleeveHeight = 0.12f;                                        // m, of a row above the armpit
static const float girthX = 0.22f, girthZ = 0.13f;                              // m, half axes of the trunk
static const float armHeight = 1.415f, armRadius = 0.076f, neckRadius = 0.055f; // m

static int Columns(const Cut* cut)
{
	return cut->trunkColumns + 2 * cut->sleeveColumns;
}

static int TrunkEnd(const Cut* cut)
{
	return cut->sleeveColumns + cut->trunkColumns;
}

static int NeckStart(const Cut* cut)
{
	return cut->sleeveColumns + (cut->trunkColumns - cut->neckColumns) / 2;
}

static bool HasQuad(const Cut* cut, int column, int row)
{
	bool isTrunk = column >= cut->sleeveColumns && column < TrunkEnd(cut);
	return column >= 0 && column < Columns(cut) && row >= 0 && row < cut->trunkRows &&
	       (isTrunk || row >= cut->armpitRow);
}

static bool HasPlace(const Cut* cut, int column, int row)
{
	return HasQuad(cut, column, row) || HasQuad(cut, column - 1, row) || HasQuad(cut, column, row - 1) ||
	       HasQuad(cut, column - 1, row - 1);
}

static float Widening(const Cut* cut, float y)
{
	float length = cut->trunkHeight * (float)cut->armpitRow;
	return 1.0f + cut->flare * fmaxf(0.0f, (length - y) / length);
}

static Vec2 PanelPoint(const Cut* cut, int column, int row)
{
	float x = trunkWidth * ((float)column - 0.5f * (float)Columns(cut));
	float half = 0.5f * (float)cut->trunkColumns * trunkWidth;
	if (column < cut->sleeveColumns)
		x = -half - sleeveWidth * (float)(cut->sleeveColumns - column);
	if (column > TrunkEnd(cut))
		x = half + sleeveWidth * (float)(column - TrunkEnd(cut));
	float y = cut->trunkHeight * (float)row;
	if (row > cut->armpitRow)
		y = cut->trunkHeight * (float)cut->armpitRow + sleeveHeight * (float)(row - cut->armpitRow);
	return (Vec2){x * Widening(cut, y), y};
}

static bool IsSewn(const Cut* cut, int column, int row)
{
	bool isSide = (column == cut->sleeveColumns || column == TrunkEnd(cut)) && row <= cut->armpitRow;
	bool isUnderArm = (column < cut->sleeveColumns || column > TrunkEnd(cut)) && row == cut->armpitRow;
	bool isNeck = column > NeckStart(cut) && column < NeckStart(cut) + cut->neckColumns;
	return isSide || isUnderArm || (row == cut->trunkRows && !isNeck);
}

// The worn shape. The trunk is an ellipse and the sleeves are circles, with perimeters as long as the panels are wide,
// so that little is stretched. The shape blends between armpit and shoulder.
static Vec3 WornPoint(const Cut* cut, int column, int row, float side)
{
	Vec2 at = PanelPoint(cut, column, row);
	float armpit = cut->trunkHeight * (float)cut->armpitRow, wide = Widening(cut, at.y);
	float half = 0.5f * (float)cut->trunkColumns * trunkWidth * wide;
	float across = fminf(fmaxf(at.x / half, -1.0f), 1.0f), quarter = 1.5707963f;
	Vec3 place = {wide * girthX * sinf(quarter * across) + at.x - half * across, armHeight - armRadius - armpit + at.y,
	              wide * side * girthZ * cosf(quarter * across)};
	if (row <= cut->armpitRow)
		return place;
	float up = (at.y - armpit) / (sleeveHeight * (float)(cut->trunkRows - cut->armpitRow)), toSleeve = fabsf(across);
	// Along the shoulders it is straight.
	place.x += up * girthX * (across - sinf(quarter * across));
	float trunkY = armRadius * (2.0f * sinf(quarter * up) - 1.0f), sleeveY = -armRadius * cosf(2.0f * quarter * up);
	float trunkZ = girthZ * cosf(quarter * up), sleeveZ = armRadius * sinf(2.0f * quarter * up);
	if (row == cut->trunkRows)
		trunkZ = sleeveZ = IsSewn(cut, column, row) ? 0.0f : neckRadius;
	place.y = armHeight + (1.0f - toSleeve) * trunkY + toSleeve * sleeveY;
	place.z = side * ((1.0f - toSleeve) * trunkZ + toSleeve * sleeveZ);
	return place;
}

static void Allocate(Garment* garment, uint32_t vertices, uint32_t triangles, bool hasMaterial)
{
	*garment = (Garment){.mesh.positions = malloc(vertices * sizeof(drapeVec3)),
	                     .mesh.triangles = malloc(3 * (size_t)triangles * sizeof(uint32_t)),
	                     .material = hasMaterial ? malloc(3 * (size_t)triangles * sizeof(drapeVec2)) : NULL,
	                     .part = malloc(vertices * sizeof(GarmentPart))};
	Shared_Require(garment->mesh.positions && garment->mesh.triangles && garment->part, "out of memory");
	Shared_Require(garment->material || !hasMaterial, "out of memory");
}

static drapeVec3* Positions(const Garment* garment)
{
	return (drapeVec3*)garment->mesh.positions; // the garment's own to write
}

// Numbers the vertices of a panel. On seams the back uses those of the front.
static void NumberPanel(Garment* garment, const Cut* cut, float side, uint32_t vertex[maxPlaces])
{
	int columns = Columns(cut);
	for (int i = 0; i < (columns + 1) * (cut->trunkRows + 1); ++i)
	{
		int column = i % (columns + 1), row = i / (columns + 1), neck = NeckStart(cut);
		if (!HasPlace(cut, column, row) || (side < 0.0f && IsSewn(cut, column, row)))
			continue;
		bool isCollar = row == cut->trunkRows && column >= neck && column <= neck + cut->neckColumns;
		bool isHem = row == 0 && column >= cut->sleeveColumns && column <= TrunkEnd(cut);
		uint32_t own = garment->mesh.vertexCount++;
		vertex[i] = own;
		garment->part[own] = isCollar ? garment_collar : isHem ? garment_hem : garment_rest;
		Positions(garment)[own] = WornPoint(cut, column, row, side);
	}
}

static void AddPanel(Garment* garment, const Cut* cut, float side, const uint32_t vertex[maxPlaces])
{
	// The back is seen from the other side: its triangles wind the other way, and its u runs the other way too.
	static const int corners[2][6] = {{0, 1, 3, 0, 3, 2}, {0, 3, 1, 0, 2, 3}};
	int columns = Columns(cut);
	uint32_t* triangles = (uint32_t*)garment->mesh.triangles;
	for (int i = 0; i < columns * cut->trunkRows; ++i)
	{
		int column = i % columns, row = i / columns;
		bool hasQuad = HasQuad(cut, column, row);
		for (int k = 0; k < 6 && hasQuad; ++k)
		{
			int at = corners[side < 0.0f][k], c = column + (at & 1), r = row + (at >> 1);
			uint32_t corner6 = 3 * garment->mesh.triangleCount + (uint32_t)k;
			Vec2 flat = PanelPoint(cut, c, r);
			triangles[corner6] = vertex[r * (columns + 1) + c];
			garment->material[corner6] = (Vec2){side * flat.x, flat.y};
		}
		garment->mesh.triangleCount += hasQuad ? 2 : 0;
	}
}

static void SewPanels(Garment* garment, const Cut* cut)
{
	uint32_t vertex[maxPlaces], places = (uint32_t)((Columns(cut) + 1) * (cut->trunkRows + 1));
	Shared_Require(places <= maxPlaces, "the panel has too many vertices");
	Allocate(garment, 2 * places, 4 * places, true);
	for (int panel = 0; panel < 2; ++panel)
	{
		float side = panel == 0 ? 1.0f : -1.0f;
		NumberPanel(garment, cut, side, vertex);
		AddPanel(garment, cut, side, vertex);
	}
}

// --- refinement -----------------------------------------------------------------------------------------------------

// An edge of a triangle. The two sides of an inner edge become neighbours when sorted.
typedef struct Side
{
	uint32_t low, high; // vertices
	uint32_t corner;    // 3 * triangle + k: the edge from corner k to k + 1
} Side;

static int CompareSides(const void* a, const void* b)
{
	const Side *p = a, *q = b;
	if (p->low != q->low)
		return p->low < q->low ? -1 : 1;
	if (p->high != q->high)
		return p->high < q->high ? -1 : 1;
	return (p->corner > q->corner) - (p->corner < q->corner);
}

static Side* SortedSides(const drapeMesh* mesh)
{
	uint32_t count = 3 * mesh->triangleCount;
	Side* sides = malloc(count * sizeof *sides);
	Shared_Require(sides, "out of memory");
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t a = mesh->triangles[i], b = mesh->triangles[i - i % 3 + (i + 1) % 3];
		sides[i] = (Side){a < b ? a : b, a < b ? b : a, i};
	}
	qsort(sides, count, sizeof *sides, CompareSides);
	return sides;
}

static bool IsSameEdge(const Side* a, const Side* b)
{
	return a->low == b->low && a->high == b->high;
}

// Numbers the midpoints of edges: middle[3 * triangle + k] is that of the edge from corner k to k + 1.
static void AddMiddles(const Garment* coarse, Garment* fine, uint32_t* middle)
{
	uint32_t count = 3 * coarse->mesh.triangleCount;
	Side* sides = SortedSides(&coarse->mesh);
	for (uint32_t i = 0; i < count; ++i)
	{
		const Side* side = &sides[i];
		if (i == 0 || !IsSameEdge(side, side - 1))
		{
			GarmentPart low = coarse->part[side->low], high = coarse->part[side->high];
			uint32_t own = fine->mesh.vertexCount++;
			Positions(fine)[own] =
				V3Scale(0.5f, V3Add(coarse->mesh.positions[side->low], coarse->mesh.positions[side->high]));
			fine->part[own] = low == high ? low : garment_rest;
		}
		middle[side->corner] = fine->mesh.vertexCount - 1;
	}
	free(sides);
}

static void Refine(Garment* garment)
{
	Garment coarse = *garment;
	uint32_t vertices = coarse.mesh.vertexCount, triangles = coarse.mesh.triangleCount;
	uint32_t* middle = malloc(3 * (size_t)triangles * sizeof *middle);
	Shared_Require(middle, "out of memory");
	Allocate(garment, vertices + 3 * triangles, 4 * triangles, true);
	memcpy(Positions(garment), coarse.mesh.positions, vertices * sizeof(drapeVec3));
	memcpy(garment->part, coarse.part, vertices * sizeof(GarmentPart));
	garment->mesh.vertexCount = vertices;
	AddMiddles(&coarse, garment, middle);
	uint32_t* corner = (uint32_t*)garment->mesh.triangles;
	Vec2* material = garment->material;
	for (uint32_t t = 0; t < triangles; ++t)
	{
		// Corners 0 to 2, then the middles of the edges from corners 0 to 2.
		static const int parts[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
		uint32_t place[6];
		Vec2 flat[6];
		for (uint32_t k = 0; k < 3; ++k)
		{
			Vec2 a = coarse.material[3 * t + k], b = coarse.material[3 * t + (k + 1) % 3];
			place[k] = coarse.mesh.triangles[3 * t + k];
			place[3 + k] = middle[3 * t + k];
			flat[k] = a;
			flat[3 + k] = (Vec2){0.5f * (a.x + b.x), 0.5f * (a.y + b.y)};
		}
		for (int k = 0; k < 12; ++k)
		{
			*corner++ = place[parts[k]];
			*material++ = flat[parts[k]];
		}
	}
	garment->mesh.triangleCount = 4 * triangles;
	free(middle);
	Garment_Free(&coarse);
}

// --- off the body ---------------------------------------------------------------------------------------------------

static const float fromSkin = 0.014f; // m: vertices keep this distance, so that edges of 4 cm stay off round limbs

static Vec3 PushOut(Vec3 p)
{
	const float h = 1e-3f;
	for (int i = 0; i < 8; ++i)
	{
		float d = Mannequin_Distance(p);
		if (d >= fromSkin)
			break;
		Vec3 slope = {Mannequin_Distance((Vec3){p.x + h, p.y, p.z}) - Mannequin_Distance((Vec3){p.x - h, p.y, p.z}),
		              Mannequin_Distance((Vec3){p.x, p.y + h, p.z}) - Mannequin_Distance((Vec3){p.x, p.y - h, p.z}),
		              Mannequin_Distance((Vec3){p.x, p.y, p.z + h}) - Mannequin_Distance((Vec3){p.x, p.y, p.z - h})};
		p = V3Add(p, V3Scale(fromSkin - d + 1e-4f, V3Normalize(slope)));
	}
	return p;
}

// Moves each vertex towards the mean of its neighbours; a vertex of the outline, of its neighbours on the outline.
static void Smooth(Garment* garment, const Side* sides, Vec3* sum, uint32_t* weight)
{
	uint32_t count = 3 * garment->mesh.triangleCount;
	enum
	{
		outline = 1u << 16 // outweighs all inner neighbours
	};
	memset(sum, 0, garment->mesh.vertexCount * sizeof *sum);
	memset(weight, 0, garment->mesh.vertexCount * sizeof *weight);
	for (int pass = 0; pass < 2; ++pass)
	{
		for (uint32_t i = 0; i < count; ++i)
		{
			const Side* side = &sides[i];
			bool isFirst = i == 0 || !IsSameEdge(side, side - 1);
			bool isInner = !isFirst || (i + 1 < count && IsSameEdge(side, side + 1));
			if (!isFirst || isInner != (pass == 1))
				continue;
			const uint32_t ends[2] = {side->low, side->high};
			for (int k = 0; k < 2; ++k)
			{
				uint32_t v = ends[k];
				if (isInner && weight[v] >= outline)
					continue;
				sum[v] = V3Add(sum[v], garment->mesh.positions[ends[1 - k]]);
				weight[v] += isInner ? 1 : outline + 1;
			}
		}
	}
	for (uint32_t v = 0; v < garment->mesh.vertexCount; ++v)
	{
		Vec3* p = &Positions(garment)[v];
		Vec3 mean = V3Scale(1.0f / (float)(weight[v] % outline), sum[v]);
		*p = PushOut(V3Add(V3Scale(0.5f, *p), V3Scale(0.5f, mean)));
	}
}

static void Fit(Garment* garment)
{
	Side* sides = SortedSides(&garment->mesh);
	Vec3* sum = malloc(garment->mesh.vertexCount * sizeof *sum);
	uint32_t* weight = malloc(garment->mesh.vertexCount * sizeof *weight);
	Shared_Require(sum && weight, "out of memory");
	for (int i = 0; i < 8; ++i)
		Smooth(garment, sides, sum, weight);
	free(sides);
	free(sum);
	free(weight);
}

// --- the garments ---------------------------------------------------------------------------------------------------

static void CreatePanels(Garment* garment, const Cut* cut, uint32_t levels)
{
	SewPanels(garment, cut);
	for (uint32_t i = 0; i < levels; ++i)
	{
		Refine(garment);
		Fit(garment);
	}
}

void Garment_CreateShirt(Garment* garment, uint32_t levels)
{
	CreatePanels(garment, &shirtCut, levels);
}

void Garment_CreateDress(Garment* garment, uint32_t levels)
{
	CreatePanels(garment, &dressCut, levels);
}

// Distance from the axis of the body to its outermost point in a direction, m.
static float BodyRadius(float y, float c, float s)
{
	float out = 0.5f, step = 0.004f;
	while (out > 0.05f && Mannequin_Distance((Vec3){out * c, y, out * s}) > 0.0f)
		out -= step;
	return out + step;
}

void Garment_CreateSkirt(Garment* garment, uint32_t around, uint32_t along)
{
	const float turn = 6.2831853f, waist = 1.08f, length = 0.5f, flare = 0.12f, gap = 0.008f;
	Allocate(garment, around * (along + 1), 2 * around * along, false);
	drapeVec3* positions = Positions(garment);
	for (uint32_t k = 0; k < around; ++k)
	{
		float angle = turn * (float)k / (float)around, c = cosf(angle), s = sinf(angle), widest = 0.0f;
		for (uint32_t i = 0; i <= along; ++i)
		{
			float down = (float)i / (float)along, y = waist - length * down;
			widest = fmaxf(widest, BodyRadius(y, c, s) + gap + (i > 0 ? 0.006f : 0.0f));
			float out = widest + flare * down;
			positions[i * around + k] = (Vec3){out * c, y, out * s};
			garment->part[i * around + k] = i == 0 ? garment_waistband : i == along ? garment_hem : garment_rest;
		}
	}
	uint32_t* corner = (uint32_t*)garment->mesh.triangles;
	for (uint32_t i = 0; i < along * around; ++i)
	{
		uint32_t a = i, b = i + around, next = i % around + 1 < around ? 1 : 1 - around;
		const uint32_t quad[6] = {a, a + next, b, b, a + next, b + next};
		memcpy(corner + 6 * (size_t)i, quad, sizeof quad);
	}
	garment->mesh.vertexCount = around * (along + 1);
	garment->mesh.triangleCount = 2 * around * along;
}

void Garment_Free(Garment* garment)
{
	free((void*)garment->mesh.positions);
	free((void*)garment->mesh.triangles);
	free(garment->material);
	free(garment->part);
	*garment = (Garment){0};
}

bool Garment_IsSewn(const Garment* garment)
{
	bool panelsDiffer = false;
	uint32_t count = 3 * garment->mesh.triangleCount;
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t k = 0; k < i; ++k)
		{
			bool isSame = garment->mesh.triangles[i] == garment->mesh.triangles[k];
			panelsDiffer |= isSame && garment->material[i].x != garment->material[k].x;
		}
	}
	return panelsDiffer;
}
