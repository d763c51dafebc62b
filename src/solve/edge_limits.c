// SPDX-License-Identifier: MIT
#include "solve/edge_limits.h"

enum
{
	edgeGrain = 2048,
	mostRounds = 12, // searches for edges beyond their limits
	innerSweeps = 4, // corrections of the edges of one search
};

// A substep may lengthen an edge by this factor and shorten it by the other.
static const float growth = 1.15f, shrink = 0.5f;

// When more than one of so many edges are beyond their limits, the cloth as a whole moved too far. Corrections of single
// edges would crumple it; only edges beyond the limit of stretch are corrected then.
static const uint32_t manyShare = 150;

// Factor of the mass of a particle that a collider supports.
static const float supportedMass = 16.0f;

// Corrections go a little beyond the limit, so that rounding does not find the edge again.
static const float overshoot = 1e-4f;

void drapeEdgeLimits_Destroy(EdgeLimits* limits)
{
	drapeChunkList_Free(&limits->found);
	ArrayFree(&limits->list);
	BitSet_Free(&limits->moved);
}

// --- detection ------------------------------------------------------------------------------------------------------

typedef struct FindTask
{
	const ActiveMesh* mesh;
	const EdgeLimitsDef* def;
	bool isHardOnly; // only edges that are longer than maxStretch rest lengths
} FindTask;

static float SquaredLength(const Vec4* position, uint32_t a, uint32_t b)
{
	Vec3 d = V3Sub(V4Xyz(position[b]), V4Xyz(position[a]));
	return V3Dot(d, d);
}

static EdgeLimit MakeLimit(const FindTask* task, uint32_t edge, float before)
{
	float rest = task->mesh->restLength[edge];
	float hard = task->def->maxStretch * rest;
	if (task->isHardOnly)
		return (EdgeLimit){edge, before, 0.0f, MaxF(before, hard)};
	float longest = MaxF(before, MinF(growth * MaxF(before, rest), hard));
	return (EdgeLimit){edge, before, shrink * MinF(before, rest), longest};
}

static void FindRange(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const FindTask* task = context;
	const ActiveMesh* mesh = task->mesh;
	for (uint32_t e = start; e < end; ++e)
	{
		uint32_t a = mesh->edgeFrom[e], b = mesh->edgeTo[e];
		float rest = mesh->restLength[e], now = SquaredLength(mesh->position, a, b);
		// Most edges are near their rest length now. These are within their limits, whatever their length before.
		float hard = task->def->maxStretch * rest, longest = task->isHardOnly ? hard : MinF(growth * rest, hard);
		if (now <= longest * longest && now >= shrink * shrink * rest * rest)
			continue;
		EdgeLimit limit = MakeLimit(task, e, sqrtf(SquaredLength(task->def->previous, a, b)));
		bool isWithin = now <= limit.longest * limit.longest && now >= limit.shortest * limit.shortest;
		if (isWithin)
			continue;
		EdgeLimit* found = Chunk_Add(chunk, sizeof limit);
		if (found)
			*found = limit;
	}
}

// --- correction -----------------------------------------------------------------------------------------------------

static float InverseMass(const EdgeLimitsDef* def, const ActiveMesh* mesh, uint32_t particle)
{
	float own = mesh->position[particle].w;
	if (def->attached && BitSet_Get(def->attached, particle))
		return 0.0f;
	return BitSet_Get(def->supported, particle) ? own / supportedMass : own;
}

static void Add(Vec4* row, float share, Vec3 change)
{
	*row = (Vec4){row->x + share * change.x, row->y + share * change.y, row->z + share * change.z, row->w};
}

// The change of the velocity at which the ends part, m/s, so that it fits the limit that the edge was beyond.
static float StopSpeed(const EdgeLimit* limit, bool isTooLong, float speed, float dt)
{
	float allowed = ((isTooLong ? limit->longest : limit->shortest) - limit->before) / dt;
	return isTooLong ? MinF(MaxF(allowed, 0.0f) - speed, 0.0f) : MaxF(MinF(allowed, 0.0f) - speed, 0.0f);
}

// Returns whether the edge had to be corrected.
static bool Correct(EdgeLimits* limits, ActiveMesh* mesh, const EdgeLimitsDef* def, const EdgeLimit* limit)
{
	uint32_t a = mesh->edgeFrom[limit->edge], b = mesh->edgeTo[limit->edge];
	Vec3 d = V3Sub(V4Xyz(mesh->position[b]), V4Xyz(mesh->position[a]));
	float length = V3Length(d), wa = InverseMass(def, mesh, a), wb = InverseMass(def, mesh, b), sum = wa + wb;
	float wanted = length > limit->longest    ? (1.0f - overshoot) * limit->longest
	               : length < limit->shortest ? (1.0f + overshoot) * limit->shortest
	                                          : length;
	if (wanted == length || !(sum > 0.0f) || !(length > 0.0f))
		return false;
	Vec3 apart = V3Sub(V4Xyz(mesh->velocity[b]), V4Xyz(mesh->velocity[a]));
	float change = (wanted - length) / (length * sum);
	float stop = StopSpeed(limit, length > wanted, V3Dot(apart, d) / length, def->dt) / (length * sum);
	const uint32_t ends[2] = {a, b};
	const float shares[2] = {-wa, wb};
	for (int k = 0; k < 2; ++k)
	{
		if (shares[k] == 0.0f)
			continue;
		Add(&mesh->position[ends[k]], change * shares[k], d);
		Add(&mesh->velocity[ends[k]], stop * shares[k], d);
		BitSet_Set(&limits->moved, ends[k]);
	}
	return true;
}

static bool IsHeld(const EdgeLimitsDef* def, const ActiveMesh* mesh, uint32_t particle)
{
	return mesh->position[particle].w == 0.0f || BitSet_Get(def->supported, particle) ||
	       (def->attached && BitSet_Get(def->attached, particle));
}

static uint32_t CountFree(const EdgeLimits* limits, const ActiveMesh* mesh, const EdgeLimitsDef* def)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < limits->list.count; ++i)
	{
		uint32_t edge = limits->list.data[i].edge;
		count += !IsHeld(def, mesh, mesh->edgeFrom[edge]) && !IsHeld(def, mesh, mesh->edgeTo[edge]);
	}
	return count;
}

static void CorrectAll(EdgeLimits* limits, ActiveMesh* mesh, const EdgeLimitsDef* def)
{
	bool isDone = false;
	for (uint32_t sweep = 0; sweep < innerSweeps && !isDone; ++sweep)
	{
		isDone = true;
		for (uint32_t i = 0; i < limits->list.count; ++i)
			isDone &= !Correct(limits, mesh, def, &limits->list.data[i]);
		limits->hasMoved |= !isDone;
	}
}

uint32_t drapeEdgeLimits_Apply(EdgeLimits* limits, ActiveMesh* mesh, const EdgeLimitsDef* def)
{
	DRAPE_ASSERT(def->previous && def->previous != mesh->position && def->supported);
	DRAPE_ASSERT(def->maxStretch > 1.0f && def->dt > 0.0f);
	FindTask task = {mesh, def, false};
	uint32_t first = 0;
	limits->freeCount = 0;
	limits->hasMoved = false;
	for (uint32_t round = 0; round < mostRounds; ++round)
	{
		limits->list.count = 0;
		if (!drapeChunkList_Fill(&limits->found, sizeof(EdgeLimit), mesh->edgeCount, edgeGrain, FindRange, &task,
		                         def->tasks) ||
		    !ChunkList_Join(&limits->found, &limits->list) || limits->list.count == 0)
			return first;
		if (round == 0)
		{
			if (!BitSet_Reserve(&limits->moved, mesh->particleCount))
				return 0;
			BitSet_ClearAll(&limits->moved, mesh->particleCount);
			first = limits->list.count;
			limits->freeCount = CountFree(limits, mesh, def);
			task.isHardOnly = def->isHardOnly || manyShare * first > mesh->edgeCount;
			if (task.isHardOnly)
				continue;
		}
		CorrectAll(limits, mesh, def);
	}
	return first;
}

uint32_t drapeEdgeLimits_Count(EdgeLimits* limits, ActiveMesh* mesh, const EdgeLimitsDef* def)
{
	const float beyond = 1.25f;
	const FindTask task = {mesh, def, false};
	uint32_t count = 0;
	limits->list.count = 0;
	if (!drapeChunkList_Fill(&limits->found, sizeof(EdgeLimit), mesh->edgeCount, edgeGrain, FindRange, &task,
	                         def->tasks) ||
	    !ChunkList_Join(&limits->found, &limits->list))
		return 0;
	for (uint32_t i = 0; i < limits->list.count; ++i)
	{
		const EdgeLimit* limit = &limits->list.data[i];
		float now = sqrtf(SquaredLength(mesh->position, mesh->edgeFrom[limit->edge], mesh->edgeTo[limit->edge]));
		count += now > beyond * limit->longest || beyond * now < limit->shortest;
	}
	return count;
}
