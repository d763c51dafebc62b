// SPDX-License-Identifier: MIT
#include "world/world.h"

#include <math.h>
#include <string.h>

// Carries the state of one cloth over to another cloth of the same pattern.
//
// A particle is identified by its start: the position that its pattern point has on the source's pattern mesh. Starts
// do not depend on material coordinates, which differ between cloths with another rest shape, nor on the target's own
// positions. The target refines every edge whose midpoint is the start of a particle of the source. Then each particle
// takes the position and velocity of the source's particle with the same start, or interpolates them in the source's
// triangle that contains its pattern point.

// --- starts ---

// Barycentric coordinates of `p` in the triangle of `corner`, in the plane of the fabric.
static void WeightsIn(const drapeVec2 corner[3], drapeVec2 p, float weights[3])
{
	Vec2 b = V2Sub(corner[1], corner[0]), c = V2Sub(corner[2], corner[0]), d = V2Sub(p, corner[0]);
	float determinant = V2Cross(b, c);
	weights[1] = determinant != 0.0f ? V2Cross(d, c) / determinant : 0.0f;
	weights[2] = determinant != 0.0f ? V2Cross(b, d) / determinant : 0.0f;
	weights[0] = 1.0f - weights[1] - weights[2];
}

// `material` are coordinates of a cloth with the pattern `own`; positions are those of the source's pattern.
static Vec3 StartAt(const PatternMesh* source, const PatternMesh* own, uint32_t triangle, drapeVec2 material)
{
	DRAPE_ASSERT(triangle < source->triangleCount && triangle < own->triangleCount);
	const uint32_t* vertex = &source->triangles[3 * (size_t)triangle];
	Vec3 start = {0.0f, 0.0f, 0.0f};
	float weights[3];
	WeightsIn(&own->material[3 * (size_t)triangle], material, weights);
	for (int i = 0; i < 3; ++i)
		start = V3Add(start, V3Scale(weights[i], source->positions[vertex[i]]));
	return start;
}

// --- a hash table from starts to particles ---

typedef struct StartTable
{
	const PatternMesh* pattern; // of the source
	Vec3* starts;               // [count] m
	uint32_t* owner;            // [count] a pattern triangle that has the particle
	uint32_t* first;            // [size] by cell of a grid: its first particle
	uint32_t* next;             // [count] the next particle of the cell
	uint32_t count;
	uint32_t size;   // a power of two
	float tolerance; // m: closer starts are the same; also the width of a cell
} StartTable;

static void StartTable_Destroy(StartTable* table)
{
	drapeMemFree(table->starts, table->count * sizeof(Vec3));
	drapeMemFree(table->owner, table->count * sizeof(uint32_t));
	drapeMemFree(table->first, table->size * sizeof(uint32_t));
	drapeMemFree(table->next, table->count * sizeof(uint32_t));
	*table = (StartTable){0};
}

static int64_t CellOf(const StartTable* table, float x)
{
	return (int64_t)floorf(x / table->tolerance);
}

static uint32_t HashCell(const StartTable* table, int64_t x, int64_t y, int64_t z)
{
	DRAPE_ASSERT(table->size > 0 && (table->size & (table->size - 1)) == 0);
	uint64_t hash =
		(uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
	return (uint32_t)(hash >> 24) & (table->size - 1);
}

static void StartTable_Fill(StartTable* table)
{
	memset(table->first, 0xff, table->size * sizeof(uint32_t));
	for (uint32_t i = 0; i < table->count; ++i)
	{
		Vec3 p = table->starts[i];
		uint32_t* first = &table->first[HashCell(table, CellOf(table, p.x), CellOf(table, p.y), CellOf(table, p.z))];
		table->next[i] = *first;
		*first = i;
	}
}

static bool StartTable_Create(StartTable* table, const Cloth* cloth, const drapeClothView* view)
{
	*table = (StartTable){.pattern = cloth->pattern, .count = view->particleCount, .size = 64};
	while (table->size < 2 * view->particleCount)
		table->size *= 2;
	table->starts = drapeMemAllocArray(table->count, sizeof(Vec3));
	table->owner = drapeMemAllocArray(table->count, sizeof(uint32_t));
	table->first = drapeMemAllocArray(table->size, sizeof(uint32_t));
	table->next = drapeMemAllocArray(table->count, sizeof(uint32_t));
	if (!table->starts || !table->owner || !table->first || !table->next)
	{
		StartTable_Destroy(table);
		return false;
	}
	float shortest = INFINITY;
	for (uint32_t i = 0; i < view->edgeCount; ++i)
		shortest = MinNumF(shortest, view->restLengths[i]);
	table->tolerance = MaxNumF(0.05f * shortest, 1e-9f);
	for (size_t corner = 0; corner < 3 * (size_t)view->triangleCount; ++corner)
	{
		uint32_t particle = view->triangles[corner], triangle = view->patternTriangles[corner / 3];
		table->starts[particle] = StartAt(table->pattern, table->pattern, triangle, view->materials[corner]);
		table->owner[particle] = triangle;
	}
	StartTable_Fill(table);
	return true;
}

static int CountSharedVertices(const PatternMesh* pattern, uint32_t a, uint32_t b)
{
	DRAPE_ASSERT(a < pattern->triangleCount && b < pattern->triangleCount);
	const uint32_t *va = &pattern->triangles[3 * (size_t)a], *vb = &pattern->triangles[3 * (size_t)b];
	int count = 0;
	for (int i = 0; i < 9; ++i)
		count += va[i / 3] == vb[i % 3];
	return count;
}

// Layers of a pattern may lie on each other: of several particles with this start, the one whose pattern triangle has
// the most vertices in common with `triangle`, and at least one. DRAPE_NONE as `triangle` takes any.
static uint32_t StartTable_Find(const StartTable* table, Vec3 p, uint32_t triangle)
{
	int64_t x = CellOf(table, p.x), y = CellOf(table, p.y), z = CellOf(table, p.z);
	uint32_t best = DRAPE_NONE;
	int most = 0;
	for (int k = 0; k < 27; ++k)
	{
		uint32_t i = table->first[HashCell(table, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1)];
		for (; i != DRAPE_NONE; i = table->next[i])
		{
			if (V3Length(V3Sub(table->starts[i], p)) >= table->tolerance)
				continue;
			int shared = triangle == DRAPE_NONE ? 3 : CountSharedVertices(table->pattern, table->owner[i], triangle);
			best = shared > most ? i : best;
			most = shared > most ? shared : most;
		}
	}
	return best;
}

// --- refinement ---

// The target has the shape of the source's pattern mesh, so that the midpoint of an edge is a start.
static drapeWish SplitAtKnownStart(const drapeEdgeInfo* edge, void* context)
{
	Vec3 middle = V3Scale(0.5f, V3Add(edge->from, edge->to));
	return StartTable_Find(context, middle, DRAPE_NONE) != DRAPE_NONE ? drape_wishSplit : drape_wishNone;
}

// Gives the target the shape of the source's pattern mesh.
static drapeResult SetStartPositions(drapeClothId id, const StartTable* table)
{
	drapeClothView view = drapeCloth_GetView(id);
	DRAPE_ASSERT(view.particleCount > 0 && table->pattern);
	const PatternMesh* own = drapeCloth_Get(id)->pattern;
	Vec3* starts = drapeMemAllocArray(view.particleCount, sizeof(Vec3));
	if (!starts)
		return drape_errorMemory;
	for (size_t corner = 0; corner < 3 * (size_t)view.triangleCount; ++corner)
		starts[view.triangles[corner]] =
			StartAt(table->pattern, own, view.patternTriangles[corner / 3], view.materials[corner]);
	drapeResult result = drapeCloth_SetPositions(id, starts);
	drapeMemFree(starts, view.particleCount * sizeof(Vec3));
	return result;
}

static drapeResult RefineLike(drapeClothId id, StartTable* table)
{
	Cloth* cloth = drapeCloth_Get(id);
	drapeAdaptDef kept = cloth->adapt;
	if (kept.scheme == drape_schemeFixed)
		return drape_ok;
	cloth->adapt = (drapeAdaptDef){
		.scheme = kept.scheme, .maxLevel = kept.maxLevel, .tieRule = kept.tieRule, .user = {SplitAtKnownStart, table}};
	DRAPE_ASSERT(drapeCriteria_IsValid(&cloth->adapt, NULL));
	drapeAdaptResult pass = {.splits = 1};
	drapeResult result = drape_ok;
	// A level may take several passes, because neighbours differ by at most one level. A pass moves new particles out
	// of colliders: each pass begins with the starts again.
	for (int i = 0; result == drape_ok && pass.splits > 0 && i < 8 * DRAPE_MAX_LEVEL; ++i)
	{
		result = SetStartPositions(id, table);
		if (result == drape_ok)
			result = drapeCloth_Adapt(id, &pass);
	}
	cloth->adapt = kept;
	return result;
}

// --- motion ---

// Everything that moving the target's particles needs.
typedef struct Transfer
{
	const Cloth* from;
	Cloth* to;
	drapeClothView source, target;
	const StartTable* table;
	uint32_t* first;              // [pattern triangles] the first triangle of the source in it
	uint32_t* next;               // [triangles of the source] the next one in the same pattern triangle
	Vec3 *positions, *velocities; // [particles of the target]
	uint8_t* known;               // [particles of the target]
} Transfer;

static void Transfer_Destroy(Transfer* transfer)
{
	drapeMemFree(transfer->first, transfer->from->pattern->triangleCount * sizeof(uint32_t));
	drapeMemFree(transfer->next, transfer->source.triangleCount * sizeof(uint32_t));
	drapeMemFree(transfer->positions, transfer->target.particleCount * sizeof(Vec3));
	drapeMemFree(transfer->velocities, transfer->target.particleCount * sizeof(Vec3));
	drapeMemFree(transfer->known, transfer->target.particleCount);
}

static bool Transfer_Create(Transfer* transfer)
{
	uint32_t patternCount = transfer->from->pattern->triangleCount, particles = transfer->target.particleCount;
	transfer->first = drapeMemAllocArray(patternCount, sizeof(uint32_t));
	transfer->next = drapeMemAllocArray(transfer->source.triangleCount, sizeof(uint32_t));
	transfer->positions = drapeMemAllocArray(particles, sizeof(Vec3));
	transfer->velocities = drapeMemAllocArray(particles, sizeof(Vec3));
	transfer->known = drapeMemAllocZero(particles);
	if (!transfer->first || !transfer->next || !transfer->positions || !transfer->velocities || !transfer->known)
		return false;
	memset(transfer->first, 0xff, patternCount * sizeof(uint32_t));
	for (uint32_t i = 0; i < transfer->source.triangleCount; ++i)
	{
		uint32_t* first = &transfer->first[transfer->source.patternTriangles[i]];
		transfer->next[i] = *first;
		*first = i;
	}
	return true;
}

// The triangle of the source that contains a point of a pattern triangle, or comes closest to it, with the point's
// weights there.
static uint32_t FindTriangle(const Transfer* transfer, uint32_t patternTriangle, drapeVec2 material, float weights[3])
{
	DRAPE_ASSERT(patternTriangle < transfer->from->pattern->triangleCount);
	uint32_t best = DRAPE_NONE;
	float bestScore = -INFINITY;
	for (uint32_t i = transfer->first[patternTriangle]; i != DRAPE_NONE; i = transfer->next[i])
	{
		float w[3];
		WeightsIn(&transfer->source.materials[3 * (size_t)i], material, w);
		float score = MinNumF(w[0], MinNumF(w[1], w[2]));
		if (score <= bestScore)
			continue;
		bestScore = score;
		best = i;
		memcpy(weights, w, sizeof w);
	}
	return best;
}

// Interpolates in the source. The target's material coordinates give weights in the pattern triangle, and these give
// the source's material coordinates.
static void MoveByTriangle(Transfer* transfer, size_t corner)
{
	const drapeClothView *source = &transfer->source, *target = &transfer->target;
	uint32_t particle = target->triangles[corner], patternTriangle = target->patternTriangles[corner / 3];
	const Vec2* own = &transfer->to->pattern->material[3 * (size_t)patternTriangle];
	const Vec2* other = &transfer->from->pattern->material[3 * (size_t)patternTriangle];
	float w[3];
	WeightsIn(own, target->materials[corner], w);
	Vec2 material = {w[0] * other[0].x + w[1] * other[1].x + w[2] * other[2].x,
	                 w[0] * other[0].y + w[1] * other[1].y + w[2] * other[2].y};
	uint32_t triangle = FindTriangle(transfer, patternTriangle, material, w);
	if (triangle == DRAPE_NONE)
		return;
	Vec3 position = {0.0f, 0.0f, 0.0f}, velocity = {0.0f, 0.0f, 0.0f};
	ParticleParents point;
	for (size_t i = 0; i < 3; ++i)
	{
		uint32_t from = source->triangles[3 * (size_t)triangle + i];
		point.parent[i] = from;
		point.weight[i] = w[i];
		position = V3Add(position, V3Scale(w[i], V4Xyz(source->positions[from])));
		velocity = V3Add(velocity, V3Scale(w[i], V4Xyz(source->velocities[from])));
	}
	transfer->positions[particle] = position;
	transfer->velocities[particle] = velocity;
	transfer->known[particle] = 1;
	drapeColumns_Transfer(&transfer->from->active.columns, &point, &transfer->to->active.columns, particle);
}

static void MoveCorner(Transfer* transfer, size_t corner)
{
	const drapeClothView* target = &transfer->target;
	uint32_t particle = target->triangles[corner];
	DRAPE_ASSERT(corner < 3 * (size_t)target->triangleCount && particle < target->particleCount);
	if (transfer->known[particle])
		return;
	uint32_t triangle = target->patternTriangles[corner / 3];
	Vec3 start = StartAt(transfer->from->pattern, transfer->to->pattern, triangle, target->materials[corner]);
	uint32_t same = StartTable_Find(transfer->table, start, triangle);
	if (same == DRAPE_NONE)
	{
		MoveByTriangle(transfer, corner);
		return;
	}
	transfer->positions[particle] = V4Xyz(transfer->source.positions[same]);
	transfer->velocities[particle] = V4Xyz(transfer->source.velocities[same]);
	transfer->known[particle] = 1;
	const ParticleParents point = {{same, DRAPE_NONE, DRAPE_NONE}, {1.0f, 0.0f, 0.0f}};
	drapeColumns_Transfer(&transfer->from->active.columns, &point, &transfer->to->active.columns, particle);
}

static drapeResult MoveLike(drapeClothId from, drapeClothId to, const StartTable* table)
{
	Transfer transfer = {.from = drapeCloth_Get(from),
	                     .to = drapeCloth_Get(to),
	                     .source = drapeCloth_GetView(from),
	                     .target = drapeCloth_GetView(to),
	                     .table = table};
	drapeResult result = drape_errorMemory;
	if (Transfer_Create(&transfer))
	{
		// A corner whose pattern triangle the source covers only by flipped triangles keeps its particle as it is.
		for (uint32_t i = 0; i < transfer.target.particleCount; ++i)
		{
			transfer.positions[i] = V4Xyz(transfer.target.positions[i]);
			transfer.velocities[i] = V4Xyz(transfer.target.velocities[i]);
		}
		for (size_t corner = 0; corner < 3 * (size_t)transfer.target.triangleCount; ++corner)
			MoveCorner(&transfer, corner);
		result = drapeCloth_SetPositions(to, transfer.positions);
	}
	if (result == drape_ok)
		result = drapeCloth_SetVelocities(to, transfer.velocities);
	Transfer_Destroy(&transfer);
	return result;
}

static bool PatternsAgree(const PatternMesh* a, const PatternMesh* b)
{
	return a->vertexCount == b->vertexCount && a->triangleCount == b->triangleCount &&
	       memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangleCount * sizeof(uint32_t)) == 0;
}

drapeResult drapeCloth_TransferState(drapeClothId from, drapeClothId to)
{
	const Cloth *source = drapeCloth_Get(from), *target = drapeCloth_Get(to);
	if (!source || !target)
		return drape_errorArgument;
	if (source == target)
		return drapeWorld_Refuse(target->world, "both cloths are the same, expected two");
	if (!PatternsAgree(source->pattern, target->pattern))
		return drapeWorld_Refuse(target->world, "the triangles of the two patterns differ");
	drapeClothView view = drapeCloth_GetView(from);
	StartTable table;
	if (!StartTable_Create(&table, source, &view))
		return drapeWorld_FailMemory(target->world);
	drapeResult result = RefineLike(to, &table);
	if (result == drape_ok)
		result = MoveLike(from, to, &table);
	if (result == drape_ok && !drapePainted_Transfer(source, drapeCloth_Get(to)))
		result = drape_errorMemory;
	StartTable_Destroy(&table);
	return result == drape_ok ? result : drapeWorld_Fail(target->world, result, "%s", drapeResult_GetText(result));
}
