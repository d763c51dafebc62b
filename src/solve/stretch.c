// SPDX-License-Identifier: MIT
#include "solve/solve.h"

#include "base/simd_vec.h"

#include <string.h>

// Provot's correction, on all levels.
//
// Shortening one edge after the other spreads a correction by one edge per sweep, so a finer mesh needs more sweeps;
// the thesis lets their number grow with the number of edges (5.4.1), which is hundreds for a mesh of 8,192 triangles.
// But the hierarchy knows more: a particle born in the middle of an edge says that its two parents, too, may not be
// farther apart than the rest length between them. So a sweep goes from coarse to fine. On each level the parents of
// the next finer particles are drawn together, and what moved carries everything finer along by the weights it was born
// with; then the active edges get one ordinary sweep.
//
// A particle that carries others along stands for their mass as well: the mass of a level is the mesh's, handed up from
// child to parents by the same weights. Corrections in inverse proportion to it keep the centre of mass.

void StretchLimit_Destroy(StretchLimit* limit)
{
	ArrayFree(&limit->byLevel);
	ArrayFree(&limit->ownMass);
	ArrayFree(&limit->mass);
	ArrayFree(&limit->displacement);
	limit->revision = 0;
}

static void SortByLevel(StretchLimit* limit, const ActiveMesh* mesh)
{
	uint32_t* start = limit->levelStart;
	memset(start, 0, sizeof limit->levelStart);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		start[mesh->level[i] + 1]++;
	for (int level = 0; level <= DRAPE_MAX_LEVEL; ++level)
		start[level + 1] += start[level];
	start[DRAPE_MAX_LEVEL + 2] = start[DRAPE_MAX_LEVEL + 1];
	uint32_t next[DRAPE_MAX_LEVEL + 3];
	memcpy(next, start, sizeof next);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		limit->byLevel.data[next[mesh->level[i]]++] = i;
}

bool StretchLimit_Follow(StretchLimit* limit, const ActiveMesh* mesh)
{
	if (limit->revision == mesh->revision)
		return true;
	if (!ArrayReserve(&limit->byLevel, mesh->particleCount) || !ArrayReserve(&limit->ownMass, mesh->particleCount) ||
	    !ArrayReserve(&limit->mass, mesh->particleCount) || !ArrayReserve(&limit->displacement, mesh->particleCount))
		return false;
	SortByLevel(limit, mesh);
	// From fine to coarse, each particle hands what it stands for up to its parents.
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		limit->ownMass.data[i] = mesh->velocity[i].w;
	for (uint32_t i = mesh->particleCount; i-- > limit->levelStart[1];)
	{
		uint32_t particle = limit->byLevel.data[i];
		const ParticleParents* parents = &mesh->parents[particle];
		for (int k = 0; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
			limit->ownMass.data[parents->parent[k]] += parents->weight[k] * limit->ownMass.data[particle];
	}
	limit->revision = mesh->revision;
	return true;
}

// --- coarse levels --------------------------------------------------------------------------------------------------

typedef struct Sweep
{
	StretchLimit* limit;
	ActiveMesh* mesh;
	float maxStretch;
} Sweep;

static void Draw(Vec4* position, Vec4* displacement, float weight, Vec3 d)
{
	position->x += weight * d.x;
	position->y += weight * d.y;
	position->z += weight * d.z;
	displacement->x += weight * d.x;
	displacement->y += weight * d.y;
	displacement->z += weight * d.z;
}

// The parents of one particle, in the thesis's words (listing 3.12) with its weights put right: each end moves in
// inverse proportion to its mass.
static void DrawParentsTogether(const Sweep* sweep, uint32_t particle)
{
	ActiveMesh* mesh = sweep->mesh;
	const ParticleParents* parents = &mesh->parents[particle];
	uint32_t a = parents->parent[0], b = parents->parent[1];
	Vec3 d = V3Sub(V4Xyz(mesh->position[b]), V4Xyz(mesh->position[a]));
	float length2 = V3Dot(d, d), longest = sweep->maxStretch * mesh->parentLength[particle];
	if (length2 <= longest * longest || parents->parent[2] != DRAPE_NONE)
		return;
	float wa = mesh->position[a].w > 0.0f ? 1.0f / sweep->limit->mass.data[a] : 0.0f;
	float wb = mesh->position[b].w > 0.0f ? 1.0f / sweep->limit->mass.data[b] : 0.0f;
	if (wa + wb <= 0.0f)
		return;
	float share = (1.0f - longest / sqrtf(length2)) / (wa + wb);
	Draw(&mesh->position[a], &sweep->limit->displacement.data[a], share * wa, d);
	Draw(&mesh->position[b], &sweep->limit->displacement.data[b], -share * wb, d);
}

// Finer particles follow their parents, and take over what they stand for themselves.
static void CarryAlong(const Sweep* sweep, uint32_t first, uint32_t last)
{
	StretchLimit* limit = sweep->limit;
	ActiveMesh* mesh = sweep->mesh;
	for (uint32_t i = first; i < last; ++i)
	{
		uint32_t particle = limit->byLevel.data[i];
		const ParticleParents* parents = &mesh->parents[particle];
		Vec3 d = {0.0f, 0.0f, 0.0f};
		for (int k = 0; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
		{
			d = V3Add(d, V3Scale(parents->weight[k], V4Xyz(limit->displacement.data[parents->parent[k]])));
			limit->mass.data[parents->parent[k]] -= parents->weight[k] * limit->ownMass.data[particle];
		}
		if (mesh->position[particle].w <= 0.0f)
			d = (Vec3){0.0f, 0.0f, 0.0f};
		limit->displacement.data[particle] = (Vec4){0};
		Draw(&mesh->position[particle], &limit->displacement.data[particle], 1.0f, d);
	}
}

static void SweepCoarseLevels(const Sweep* sweep)
{
	StretchLimit* limit = sweep->limit;
	uint32_t count = sweep->mesh->particleCount;
	memcpy(limit->mass.data, limit->ownMass.data, count * sizeof(float));
	for (uint32_t i = 0; i < limit->levelStart[1]; ++i)
		limit->displacement.data[limit->byLevel.data[i]] = (Vec4){0};
	for (int level = 1; limit->levelStart[level] < count; ++level)
	{
		uint32_t first = limit->levelStart[level], last = limit->levelStart[level + 1];
		for (uint32_t i = first; i < last; ++i)
			DrawParentsTogether(sweep, limit->byLevel.data[i]);
		CarryAlong(sweep, first, last);
	}
}

// --- the active edges -----------------------------------------------------------------------------------------------

static void ShortenEdges(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const Sweep* sweep = context;
	Vec4* position = sweep->mesh->position;
	const F8 tiny = F8_Splat(1e-20f), zero = F8_Splat(0.0f), one = F8_Splat(1.0f),
			 stretch = F8_Splat(sweep->maxStretch);
	uint32_t padA[8], padB[8];
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t count = MinU32(8, end - i);
		const uint32_t *a = Lanes(&color->particle[0][i], count, padA), *b = Lanes(&color->particle[1][i], count, padB);
		V8 xa, xb;
		F8 wa, wb;
		F8_GatherRows4(position, a, &xa.x, &xa.y, &xa.z, &wa);
		F8_GatherRows4(position, b, &xb.x, &xb.y, &xb.z, &wb);
		V8 d = V8_Sub(xb, xa);
		F8 length2 = V8_Dot(d, d), longest = F8_Mul(stretch, F8_Load(&color->param[0][i]));
		if (M8_Bits(F8_Gt(length2, F8_Mul(longest, longest))) == 0)
			continue;
		F8 excess = F8_Max(F8_Sub(one, F8_Div(longest, F8_Sqrt(F8_Max(length2, tiny)))), zero);
		F8 share = F8_Div(excess, F8_Max(F8_Add(wa, wb), tiny));
		V8_ScatterAdd(position, a, count, V8_Scale(F8_Mul(share, wa), d));
		V8_ScatterAdd(position, b, count, V8_Scale(F8_Mul(F8_Splat(-1.0f), F8_Mul(share, wb)), d));
	}
}

void StretchLimit_Apply(StretchLimit* limit, ActiveMesh* mesh, const ColorGraph* edges, float maxStretch,
                        uint32_t iterations, TaskPool* tasks)
{
	DRAPE_ASSERT(limit->revision == mesh->revision);
	Sweep sweep = {limit, mesh, maxStretch};
	for (uint32_t i = 0; i < iterations; ++i)
	{
		SweepCoarseLevels(&sweep);
		ColorGraph_For(edges, tasks, ShortenEdges, &sweep);
	}
}
