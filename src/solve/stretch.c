// SPDX-License-Identifier: MIT
#include "solve/solve.h"

#include "base/simd.h"

#include <string.h>

// Provot's correction on all levels of the hierarchy.
//
// Shortening one edge after the other spreads a correction by one edge per sweep, so that a finer mesh needs more
// sweeps. The thesis lets their number grow with the number of edges (5.4.1): hundreds for a mesh of 8,192 triangles.
// The hierarchy gives more limits: the two parents of a particle may not be farther apart than the rest length between
// them. A sweep therefore goes from coarse to fine. On each level it draws the parents of the next finer particles
// together, and all finer particles follow by their weights. Then the active edges get one ordinary sweep.
//
// A particle on a collider is held. If hanging cloth pulled it down, the collider would push it out again, and cloth
// would slide off the collider bit by bit. A held particle therefore counts as heavy and does not follow its parents:
// hanging cloth is drawn up to it. Two held particles share a correction as usual.

enum
{
	carryGrain = 1024, // a multiple of 8
	padding = 8,       // rows by which groups of eight extend past the end
	rowBytes = sizeof(Vec4),
};

// Factor of the mass of a held particle.
static const float heldMass = 128.0f;

void drapeStretchLimit_Destroy(StretchLimit* limit)
{
	ArrayFree(&limit->byLevel);
	ArrayFree(&limit->slot);
	ArrayFree(&limit->parentLimits);
	for (int k = 0; k < 3; ++k)
	{
		ArrayFree(&limit->parent[k]);
		ArrayFree(&limit->weight[k]);
	}
	ArrayFree(&limit->row);
	ArrayFree(&limit->follows);
	ArrayFree(&limit->displacement);
	ArrayFree(&limit->mass);
	ArrayFree(&limit->longest);
	ArrayFree(&limit->end[0]);
	ArrayFree(&limit->end[1]);
	BitSet_Free(&limit->isParent);
	limit->revision = 0;
}

static void SortByLevel(StretchLimit* limit, const ActiveMesh* mesh)
{
	uint32_t* start = limit->levelStart;
	memset(start, 0, sizeof limit->levelStart);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		start[mesh->level[i] + 1]++;
	for (int level = 0; level <= DRAPE_MAX_LEVEL + 1; ++level)
		start[level + 1] += start[level];
	uint32_t next[DRAPE_MAX_LEVEL + 3];
	memcpy(next, start, sizeof next);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		limit->slot.data[i] = next[mesh->level[i]]++;
		limit->byLevel.data[limit->slot.data[i]] = i;
	}
}

// Lists the parents of particles in the order of levels. Vertices of the pattern and the padding have weights of 0.
static void ListParents(StretchLimit* limit, const ActiveMesh* mesh)
{
	limit->hasThirds = false;
	for (uint32_t i = 0; i < mesh->particleCount + padding; ++i)
	{
		bool isCarried = i >= limit->levelStart[1] && i < mesh->particleCount;
		const ParticleParents* parents = isCarried ? &mesh->parents[limit->byLevel.data[i]] : NULL;
		for (int k = 0; k < 3; ++k)
		{
			bool isThere = parents && parents->parent[k] != DRAPE_NONE;
			limit->parent[k].data[i] = isThere ? limit->slot.data[parents->parent[k]] * rowBytes
			                           : k > 0 ? limit->parent[0].data[i]
			                                   : 0;
			limit->weight[k].data[i] = isThere ? parents->weight[k] : 0.0f;
			limit->hasThirds |= isThere && k == 2;
		}
	}
}

// A particle whose descendants follow it moves their mass as well: from fine to coarse, each particle adds its mass to
// its parents by its weights. Corrections in inverse proportion to these sums keep the centre of mass.
static void HandMassesUp(StretchLimit* limit, const ActiveMesh* mesh)
{
	BitSet_ClearAll(&limit->isParent, mesh->particleCount);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		limit->mass.data[i] = mesh->velocity[i].w;
	float* mass = limit->mass.data;
	for (uint32_t i = mesh->particleCount; i-- > limit->levelStart[1];)
	{
		uint32_t particle = limit->byLevel.data[i];
		const ParticleParents* parents = &mesh->parents[particle];
		float own = mass[particle];
		mass[parents->parent[0]] += parents->weight[0] * own;
		mass[parents->parent[1]] += parents->weight[1] * own;
		BitSet_Set(&limit->isParent, parents->parent[0]);
		BitSet_Set(&limit->isParent, parents->parent[1]);
		if (DRAPE_UNLIKELY(parents->parent[2] != DRAPE_NONE))
		{
			mass[parents->parent[2]] += parents->weight[2] * own;
			BitSet_Set(&limit->isParent, parents->parent[2]);
		}
	}
}

static ParentLimit MakeParentLimit(const StretchLimit* limit, const ActiveMesh* mesh, uint32_t particle)
{
	DRAPE_ASSERT(particle < mesh->particleCount && mesh->level[particle] > 0);
	uint32_t a = mesh->parents[particle].parent[0], b = mesh->parents[particle].parent[1];
	return (ParentLimit){
		.a = a,
		.b = b,
		.slotA = limit->slot.data[a],
		.slotB = limit->slot.data[b],
		.length = mesh->parentLength[0][particle],
		.inverseA = 1.0f / limit->mass.data[a],
		.inverseB = 1.0f / limit->mass.data[b],
	};
}

// From coarse to fine. On finer levels a parent has less mass, because its children have their own. An edge whose
// midpoint is no parent has no limit, because its halves are active edges; so the finest level has no limits.
static void MakeParentLimits(StretchLimit* limit, const ActiveMesh* mesh)
{
	limit->parentLimits.count = 0;
	memset(limit->parentLimitStart, 0, sizeof limit->parentLimitStart);
	int finest = 0;
	while (limit->levelStart[finest + 1] < mesh->particleCount)
		finest++;
	for (int level = 1; level < finest; ++level)
	{
		uint32_t first = limit->levelStart[level], last = limit->levelStart[level + 1];
		for (uint32_t i = first; i < last; ++i)
		{
			uint32_t particle = limit->byLevel.data[i];
			if (BitSet_Get(&limit->isParent, particle) && mesh->parents[particle].parent[2] == DRAPE_NONE)
				ArrayPush(&limit->parentLimits, MakeParentLimit(limit, mesh, particle));
		}
		limit->parentLimitStart[level + 1] = limit->parentLimits.count;
		for (uint32_t i = first; i < last && level + 1 < finest; ++i)
		{
			uint32_t particle = limit->byLevel.data[i];
			const ParticleParents* parents = &mesh->parents[particle];
			for (int k = 0; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
				limit->mass.data[parents->parent[k]] -= parents->weight[k] * limit->mass.data[particle];
		}
	}
	for (int level = finest > 0 ? finest : 1; level <= DRAPE_MAX_LEVEL + 1; ++level)
		limit->parentLimitStart[level + 1] = limit->parentLimits.count;
}

static bool Reserve(StretchLimit* limit, const ActiveMesh* mesh)
{
	uint32_t count = mesh->particleCount, padded = count + padding, slots = mesh->edgeCount + 8 * graphColors;
	for (int k = 0; k < 3; ++k)
	{
		if (!ArrayReserve(&limit->parent[k], padded) || !ArrayReserve(&limit->weight[k], padded))
			return false;
	}
	return ArrayReserve(&limit->byLevel, padded) && ArrayReserve(&limit->slot, count) &&
	       ArrayReserve(&limit->parentLimits, count) && ArrayReserve(&limit->row, padded) &&
	       ArrayReserve(&limit->follows, padded) && ArrayReserve(&limit->displacement, padded) &&
	       ArrayReserve(&limit->mass, count) && ArrayReserve(&limit->longest, slots) &&
	       ArrayReserve(&limit->end[0], slots) && ArrayReserve(&limit->end[1], slots) &&
	       BitSet_Reserve(&limit->isParent, count);
}

bool drapeStretchLimit_Follow(StretchLimit* limit, const ActiveMesh* mesh)
{
	DRAPE_ASSERT(mesh->revision != 0);
	if (limit->revision == mesh->revision)
		return true;
	if (!Reserve(limit, mesh))
		return false;
	SortByLevel(limit, mesh);
	ListParents(limit, mesh);
	HandMassesUp(limit, mesh);
	MakeParentLimits(limit, mesh);
	limit->hasEnds = false;
	limit->revision = mesh->revision;
	return true;
}

// --- coarse levels --------------------------------------------------------------------------------------------------

typedef struct Sweep
{
	StretchLimit* limit;
	const ActiveMesh* mesh;
	const ColorGraph* edges;
	const StretchDef* def;
	uint32_t first; // slot of the first following particle
	uint32_t edgeStart[graphColors];
} Sweep;

// The inverse mass, 1/kg, of an end of a limit with its descendants. Pinned and held particles change without a change
// of the mesh, so they are handled here.
static float Yield(const StretchLimit* limit, uint32_t slot, float inverseMass)
{
	if (limit->row.data[slot].w <= 0.0f)
		return 0.0f;
	return limit->follows.data[slot] > 0.0f ? inverseMass : inverseMass / heldMass;
}

static void Draw(const StretchLimit* limit, uint32_t slot, float weight, Vec3 d)
{
	Vec4 *position = &limit->row.data[slot], *displacement = &limit->displacement.data[slot];
	position->x += weight * d.x;
	position->y += weight * d.y;
	position->z += weight * d.z;
	displacement->x += weight * d.x;
	displacement->y += weight * d.y;
	displacement->z += weight * d.z;
}

// The correction of the thesis's listing 3.12 with corrected weights: each end moves in inverse proportion to its mass.
static void Tighten(const StretchLimit* limit, const ParentLimit* parentLimit)
{
	const Vec4* row = limit->row.data;
	Vec3 d = V3Sub(V4Xyz(row[parentLimit->slotB]), V4Xyz(row[parentLimit->slotA]));
	float length2 = V3Dot(d, d), longest = parentLimit->longest;
	if (length2 <= longest * longest)
		return;
	float wa = Yield(limit, parentLimit->slotA, parentLimit->inverseA),
		  wb = Yield(limit, parentLimit->slotB, parentLimit->inverseB);
	float share = wa + wb > 0.0f ? 1.0f / (wa + wb) : 0.0f, excess = 1.0f - longest / sqrtf(length2);
	Draw(limit, parentLimit->slotA, excess * (share * wa), d);
	Draw(limit, parentLimit->slotB, -excess * (share * wb), d);
}

// An excess length at the start of the substep may remain.
static void FindLongestDistances(const Sweep* sweep)
{
	const Vec4* previous = sweep->def->previous;
	for (uint32_t i = 0; i < sweep->limit->parentLimits.count; ++i)
	{
		ParentLimit* parentLimit = &sweep->limit->parentLimits.data[i];
		float longest = sweep->def->maxStretch * parentLimit->length;
		float before = V3Length(V3Sub(V4Xyz(previous[parentLimit->b]), V4Xyz(previous[parentLimit->a])));
		parentLimit->longest = longest + sweep->def->keptExcess * MaxF(before - longest, 0.0f);
	}
}

// Finer particles follow their parents. The last eight of a level overwrite rows of the next one, which come later.
static void CarryAlong(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Sweep* sweep = context;
	const StretchLimit* limit = sweep->limit;
	static const uint32_t following[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	const F8 zero = F8_Splat(0.0f);
	Vec4* displacement = limit->displacement.data;
	uint32_t last = sweep->first + end;
	for (uint32_t i = sweep->first + start; i < last; i += 8)
	{
		V8 d = V8_Scale(F8_Load(&limit->weight[0].data[i]), V8_GatherAt(displacement, &limit->parent[0].data[i]));
		for (int k = 1; k < (limit->hasThirds ? 3 : 2); ++k)
		{
			V8 other = V8_GatherAt(displacement, &limit->parent[k].data[i]);
			d = V8_Add(d, V8_Scale(F8_Load(&limit->weight[k].data[i]), other));
		}
		M8 follows = F8_Gt(F8_Load(&limit->follows.data[i]), zero);
		d = (V8){F8_Blend(follows, d.x, zero), F8_Blend(follows, d.y, zero), F8_Blend(follows, d.z, zero)};
		V8_StoreRows(&displacement[i], d);
		V8_ScatterAdd(&limit->row.data[i], following, MinU32(8, last - i), d);
	}
}

static void SweepCoarseLevels(Sweep* sweep, TaskPool* tasks)
{
	StretchLimit* limit = sweep->limit;
	if (limit->parentLimits.count == 0)
		return;
	memset(limit->displacement.data, 0, limit->levelStart[1] * sizeof(Vec4));
	for (int level = 1; limit->levelStart[level] < sweep->mesh->particleCount; ++level)
	{
		for (uint32_t i = limit->parentLimitStart[level]; i < limit->parentLimitStart[level + 1]; ++i)
			Tighten(limit, &limit->parentLimits.data[i]);
		sweep->first = limit->levelStart[level];
		drapeTaskPool_For(tasks, limit->levelStart[level + 1] - sweep->first, carryGrain, CarryAlong, sweep);
	}
}

// --- the active edges -----------------------------------------------------------------------------------------------

// The first slot of a colour in the arrays per edge. Eight entries can be read and written from any slot on.
static uint32_t EdgeStart(const Sweep* sweep, const GraphColor* color)
{
	return sweep->edgeStart[color - sweep->edges->colors];
}

// The longest length of each edge, which is the same in all sweeps, as for parents.
static void FindLongest(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const Sweep* sweep = context;
	float* lengths = sweep->limit->longest.data + EdgeStart(sweep, color);
	const Vec4* previous = sweep->def->previous;
	const F8 zero = F8_Splat(0.0f), stretch = F8_Splat(sweep->def->maxStretch), kept = F8_Splat(sweep->def->keptExcess);
	uint32_t padA[8], padB[8];
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t count = MinU32(8, end - i);
		F8 longest = F8_Mul(stretch, F8_Load(&color->param[0][i]));
		if (sweep->def->keptExcess > 0.0f)
		{
			const uint32_t* a = Lanes(&color->particle[0][i], count, padA);
			const uint32_t* b = Lanes(&color->particle[1][i], count, padB);
			V8 before = V8_Sub(V8_Gather(previous, b), V8_Gather(previous, a));
			F8 excess = F8_Max(F8_Sub(F8_Sqrt(V8_Dot(before, before)), longest), zero);
			longest = F8_Add(longest, F8_Mul(kept, excess));
		}
		F8_Store(&lengths[i], longest);
	}
}

// The last eight of a colour are padded with edges of zero length, from the first row past the particles to itself.
static void FindEnds(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const Sweep* sweep = context;
	const uint32_t* slot = sweep->limit->slot.data;
	for (int k = 0; k < 2; ++k)
	{
		uint32_t* ends = sweep->limit->end[k].data + EdgeStart(sweep, color);
		for (uint32_t i = start; i < end; ++i)
			ends[i] = slot[color->particle[k][i]] * rowBytes;
		for (uint32_t i = end; i % 8 != 0; ++i)
			ends[i] = sweep->mesh->particleCount * rowBytes;
	}
}

static void FollowEdges(Sweep* sweep, TaskPool* tasks)
{
	StretchLimit* limit = sweep->limit;
	if (limit->hasEnds && limit->endVersion == sweep->edges->version)
		return;
	drapeColorGraph_For(sweep->edges, tasks, FindEnds, sweep);
	limit->hasEnds = true;
	limit->endVersion = sweep->edges->version;
}

DRAPE_INLINE void ShortenEight(Vec4* row, const uint32_t* a, const uint32_t* b, F8 longest)
{
	const F8 tiny = F8_Splat(1e-20f), zero = F8_Splat(0.0f), one = F8_Splat(1.0f);
	V8 xa, xb;
	F8 wa, wb;
	F8_GatherAt(row, a, &xa.x, &xa.y, &xa.z, &wa);
	F8_GatherAt(row, b, &xb.x, &xb.y, &xb.z, &wb);
	V8 d = V8_Sub(xb, xa);
	F8 length2 = V8_Dot(d, d);
	if (M8_Bits(F8_Gt(length2, F8_Mul(longest, longest))) == 0)
		return;
	F8 excess = F8_Max(F8_Sub(one, F8_Div(longest, F8_Sqrt(F8_Max(length2, tiny)))), zero);
	F8 share = F8_Div(excess, F8_Max(F8_Add(wa, wb), tiny));
	xa = V8_Add(xa, V8_Scale(F8_Mul(share, wa), d));
	xb = V8_Sub(xb, V8_Scale(F8_Mul(share, wb), d));
	F8_ScatterAt(row, a, xa.x, xa.y, xa.z, wa);
	F8_ScatterAt(row, b, xb.x, xb.y, xb.z, wb);
}

static void ShortenEdges(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const Sweep* sweep = context;
	const StretchLimit* limit = sweep->limit;
	uint32_t first = EdgeStart(sweep, color) + start, last = EdgeStart(sweep, color) + end, alone[2][8];
	const uint32_t *a = limit->end[0].data, *b = limit->end[1].data;
	const float* longest = limit->longest.data;
	if (color != &sweep->edges->colors[graphOverflow])
	{
		for (uint32_t i = first; i < last; i += 8)
			ShortenEight(limit->row.data, a + i, b + i, F8_Load(longest + i));
		return;
	}
	for (uint32_t i = first; i < last; ++i)
	{
		for (uint32_t k = 0; k < 8; ++k)
			alone[0][k] = alone[1][k] = sweep->mesh->particleCount * rowBytes;
		alone[0][0] = a[i];
		alone[1][0] = b[i];
		ShortenEight(limit->row.data, alone[0], alone[1], F8_Load(longest + i));
	}
}

// --- in the order of levels -----------------------------------------------------------------------------------------

// Positions in the order of levels, so that following particles are contiguous.
static void TakePositions(StretchLimit* limit, const ActiveMesh* mesh)
{
	// No branches: held particles are unpredictable.
	const float factors[2] = {1.0f, 1.0f / heldMass};
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		uint32_t particle = limit->byLevel.data[i];
		bool isHeld = (mesh->particleFlags[particle] & drape_particleHeld) != 0;
		Vec4 row = mesh->position[particle];
		row.w *= factors[isHeld];
		limit->row.data[i] = row;
		limit->follows.data[i] = ((row.w > 0.0f) & !isHeld) ? 1.0f : 0.0f;
	}
	for (uint32_t i = mesh->particleCount; i < mesh->particleCount + padding; ++i)
	{
		limit->row.data[i] = (Vec4){0.0f, 0.0f, 0.0f, 0.0f};
		limit->follows.data[i] = 0.0f;
	}
}

static void GivePositions(const StretchLimit* limit, ActiveMesh* mesh)
{
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Vec4 row = limit->row.data[i], *position = &mesh->position[limit->byLevel.data[i]];
		*position = (Vec4){row.x, row.y, row.z, position->w};
	}
}

void drapeStretchLimit_Apply(StretchLimit* limit, ActiveMesh* mesh, const ColorGraph* edges, const StretchDef* def,
                             TaskPool* tasks)
{
	DRAPE_ASSERT(limit->revision == mesh->revision);
	DRAPE_ASSERT(def->maxStretch >= 1.0f && def->iterations > 0 && def->previous);
	DRAPE_ASSERT(def->keptExcess >= 0.0f && def->keptExcess <= 1.0f);
	DRAPE_ASSERT(limit->revision == mesh->revision);
	Sweep sweep = {.limit = limit, .mesh = mesh, .edges = edges, .def = def};
	for (uint32_t color = 0; color + 1 < graphColors; ++color)
		sweep.edgeStart[color + 1] = sweep.edgeStart[color] + ((edges->colors[color].count + 7) & ~7u);
	drapeColorGraph_For(edges, tasks, FindLongest, &sweep);
	FollowEdges(&sweep, tasks);
	FindLongestDistances(&sweep);
	TakePositions(limit, mesh);
	for (uint32_t i = 0; i < def->iterations; ++i)
	{
		SweepCoarseLevels(&sweep, tasks);
		drapeColorGraph_For(edges, tasks, ShortenEdges, &sweep);
	}
	GivePositions(limit, mesh);
}
