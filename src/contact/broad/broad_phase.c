// SPDX-License-Identifier: MIT
#include "contact/broad/broad_phase.h"

#include "contact/narrow/crossing.h"

#include <string.h>

enum
{
	ringGrain = 256,
	turnGrain = 512,
	vertexGrain = 2048,
};

void drapeBroadPhaseCloth_Init(BroadPhaseCloth* cloth)
{
	*cloth = (BroadPhaseCloth){0};
	drapeClothTree_Init(&cloth->tree, bvhDefaultK, bvhDefaultArity);
}

void drapeBroadPhaseCloth_Destroy(BroadPhaseCloth* cloth)
{
	drapeClothTree_Destroy(&cloth->tree);
	drapeCharts_Free(&cloth->charts);
	drapeMaterialMap_Free(&cloth->map);
	ArrayFree(&cloth->owns);
	ArrayFree(&cloth->corners);
	ArrayFree(&cloth->ringStart);
	ArrayFree(&cloth->ring);
	ArrayFree(&cloth->isBoundary);
	drapeBroadPhaseCloth_ReleaseScratch(cloth);
	drapePairList_Free(&cloth->self);
	drapePairList_Free(&cloth->folds);
}

static bool ReserveScratch(BroadPhaseCloth* cloth, const ActiveMesh* mesh)
{
	return ArrayReserve(&cloth->patch, mesh->triangleCount) && ArrayReserve(&cloth->fold, mesh->particleCount) &&
	       ArrayReserve(&cloth->turns, 3 * (size_t)mesh->triangleCount);
}

void drapeBroadPhaseCloth_ReleaseScratch(BroadPhaseCloth* cloth)
{
	ArrayFree(&cloth->patch);
	ArrayFree(&cloth->fold);
	ArrayFree(&cloth->turns);
}

bool drapeBroadPhaseCloth_Borrow(BroadPhaseCloth* cloth, const BroadPhaseCloth* lender, const ActiveMesh* mesh)
{
	DRAPE_ASSERT(cloth->revision == 0 && !cloth->hasCharts);
	if (lender->revision == 0)
		return true;
	cloth->charts = lender->charts;
	cloth->hasCharts = lender->hasCharts;
	cloth->revision = lender->revision;
	drapeCharts_Borrow(&cloth->charts);
	cloth->owns.data = lender->owns.data;
	cloth->corners.data = lender->corners.data;
	cloth->ringStart.data = lender->ringStart.data;
	cloth->ring.data = lender->ring.data;
	cloth->isBoundary.data = lender->isBoundary.data;
	return ReserveScratch(cloth, mesh);
}

void drapeBroadPhase_Destroy(BroadPhase* broadPhase)
{
	drapeContactBodies_Destroy(&broadPhase->bodies);
	ArrayFree(&broadPhase->members);
	ArrayFree(&broadPhase->pairs);
	drapePairList_Free(&broadPhase->cross);
	ArrayFree(&broadPhase->near.primitives);
	ArrayFree(&broadPhase->seen);
	ArrayFree(&broadPhase->sums);
	ArrayFree(&broadPhase->stamps);
}

// --- topology -------------------------------------------------------------------------------------------------------

static void FindOwners(BroadPhaseCloth* cloth, const ActiveMesh* mesh)
{
	uint8_t* owns = cloth->owns.data;
	memset(owns, ownsFace, mesh->triangleCount);
	memset(cloth->isBoundary.data, 0, mesh->particleCount);
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		uint32_t t = mesh->wings[e].triangle[0], k = 0;
		while (mesh->triangle[t][k] != mesh->edgeFrom[e])
			k++;
		owns[t] |= (uint8_t)(ownsEdge << k);
		if (mesh->wings[e].triangle[1] == DRAPE_NONE)
			cloth->isBoundary.data[mesh->edgeFrom[e]] = cloth->isBoundary.data[mesh->edgeTo[e]] = 1;
	}
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		uint32_t t = cloth->ring.data[cloth->ringStart.data[i]], k = 0;
		while (mesh->triangle[t][k] != i)
			k++;
		owns[t] |= (uint8_t)(ownsVertex << k);
	}
}

static void FindRings(BroadPhaseCloth* cloth, const ActiveMesh* mesh)
{
	uint32_t* start = cloth->ringStart.data;
	const uint32_t* corner = &mesh->triangle[0][0];
	memset(start, 0, (mesh->particleCount + 2) * sizeof *start);
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
		start[corner[i] + 2]++;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		start[i + 2] += start[i + 1];
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
		cloth->ring.data[start[corner[i] + 1]++] = i / 3;
}

bool drapeBroadPhaseCloth_Follow(BroadPhaseCloth* cloth, const PatternMesh* pattern, const ActiveMesh* mesh,
                                 TaskPool* tasks)
{
	DRAPE_ASSERT(mesh->revision > 0); // 0 stands for none
	if (cloth->revision == mesh->revision)
		return true;
	if (!cloth->hasCharts && drapeCharts_Create(&cloth->charts, pattern, tasks) != drape_ok)
		return false;
	cloth->hasCharts = true;
	cloth->revision = 0;
	cloth->isFitted = cloth->isJoined = false;
	if (!ArrayReserve(&cloth->owns, mesh->triangleCount) ||
	    !ArrayReserve(&cloth->corners, 3 * (size_t)mesh->triangleCount) ||
	    !ArrayReserve(&cloth->ringStart, mesh->particleCount + 2) ||
	    !ArrayReserve(&cloth->ring, 3 * (size_t)mesh->triangleCount) ||
	    !ArrayReserve(&cloth->isBoundary, mesh->particleCount) || !ReserveScratch(cloth, mesh) ||
	    !drapeCharts_Update(&cloth->charts, mesh))
		return false;
	memcpy(cloth->corners.data, mesh->triangle, 3 * (size_t)mesh->triangleCount * sizeof(uint32_t));
	FindRings(cloth, mesh);
	FindOwners(cloth, mesh);
	cloth->revision = mesh->revision;
	return true;
}

bool drapeBroadPhaseCloth_FollowMap(BroadPhaseCloth* cloth, const ActiveMesh* mesh, float reach)
{
	DRAPE_ASSERT(cloth->revision == mesh->revision);
	cloth->map.material = cloth->charts.material.data;
	cloth->map.corners = cloth->corners.data;
	cloth->map.ringStart = cloth->ringStart.data;
	cloth->map.ring = cloth->ring.data;
	return drapeMaterialMap_Follow(&cloth->map, &cloth->charts, mesh, reach);
}

// --- members --------------------------------------------------------------------------------------------------------

static bool AddMember(BroadPhase* broadPhase, BroadPhaseMember member)
{
	if (!ArrayReserve(&broadPhase->members, broadPhase->members.count + 1))
		return false;
	ArrayPush(&broadPhase->members, member);
	return true;
}

void drapeBroadPhase_Keep(BroadPhase* broadPhase, uint32_t count)
{
	DRAPE_ASSERT(count <= broadPhase->members.count);
	drapeContactBodies_Keep(&broadPhase->bodies, count);
	broadPhase->members.count = count;
}

// Forgets the elements of cloths that the last body, a collider, has overwritten.
static void ForgetOverwritten(BroadPhase* broadPhase)
{
	const ContactBody* body = &broadPhase->bodies.bodies.data[broadPhase->bodies.bodies.count - 1];
	for (uint32_t i = 0; i < broadPhase->stamps.count; ++i)
	{
		const BroadPhaseStamp* stamp = &broadPhase->stamps.data[i];
		if (stamp->cloth && (body->vertexEnd > stamp->vertexStart || body->elementEnd > stamp->elementStart))
			broadPhase->stamps.count = 0;
	}
}

bool drapeBroadPhase_AddCollider(BroadPhase* broadPhase, const Bvh* tree, const BvhBoxes* start)
{
	DRAPE_ASSERT(broadPhase->members.count + 1 == broadPhase->bodies.bodies.count);
	ForgetOverwritten(broadPhase);
	DRAPE_ASSERT(!broadPhase->bodies.bodies.data[broadPhase->bodies.bodies.count - 1].isCloth);
	return AddMember(broadPhase, (BroadPhaseMember){.tree = tree, .start = start});
}

static bool IsSameStamp(BroadPhaseStamp a, BroadPhaseStamp b)
{
	return a.cloth == b.cloth && a.vertexStart == b.vertexStart && a.elementStart == b.elementStart;
}

static bool WriteElements(ContactBodies* bodies, const BroadPhaseMember* member)
{
	const ActiveMesh* mesh = member->mesh;
	if (!drapeContactBodies_AddVertices(bodies, mesh->particleCount) ||
	    !drapeContactBodies_AddElements(bodies, mesh->triangleCount))
		return false;
	const ContactBody* body = &bodies->bodies.data[bodies->bodies.count - 1];
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		ContactElement* element = &bodies->elements.data[body->elementStart + t];
		for (int k = 0; k < 3; ++k)
			element->vertex[k] = body->vertexStart + mesh->triangle[t][k];
		element->owns = member->cloth->owns.data[t];
	}
	return true;
}

// Writes elements and owners of the last body, a cloth, unless its stamp says that they are still valid.
static bool JoinElements(BroadPhase* broadPhase, const BroadPhaseMember* member)
{
	ContactBodies* bodies = &broadPhase->bodies;
	uint32_t b = bodies->bodies.count - 1;
	const ContactBody* body = &bodies->bodies.data[b];
	BroadPhaseStamp stamp = {member->cloth, body->vertexStart, body->elementStart};
	if (member->cloth->isJoined && b < broadPhase->stamps.count && IsSameStamp(broadPhase->stamps.data[b], stamp))
	{
		drapeContactBodies_AddAgain(bodies, member->mesh->particleCount, member->mesh->triangleCount);
		return true;
	}
	broadPhase->stamps.count = MinU32(broadPhase->stamps.count, b);
	if (!ArrayReserve(&broadPhase->stamps, b + 1) || !WriteElements(bodies, member))
		return false;
	while (broadPhase->stamps.count < b)
		ArrayPush(&broadPhase->stamps, (BroadPhaseStamp){0});
	ArrayPush(&broadPhase->stamps, stamp);
	member->cloth->isJoined = true;
	return true;
}

typedef struct JoinTask
{
	const Vec4* position; // per particle
	Vec4 *from, *to;      // `from` is NULL when it is not to be written
} JoinTask;

static void JoinRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const JoinTask* task = context;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec4 x = task->position[i];
		if (task->from)
			task->from[i] = x;
		task->to[i] = (Vec4){x.x, x.y, x.z, 0.0f};
	}
}

bool drapeBroadPhase_AddCloth(BroadPhase* broadPhase, BroadPhaseMember member, const ContactBody* as)
{
	ContactBodies* bodies = &broadPhase->bodies;
	DRAPE_ASSERT(member.cloth->revision == member.mesh->revision);
	DRAPE_ASSERT(as->isCloth);
	if (!AddMember(broadPhase, member) || !drapeContactBodies_Begin(bodies, as) || !JoinElements(broadPhase, &member))
		return false;
	uint32_t first = bodies->bodies.data[bodies->bodies.count - 1].vertexStart;
	JoinTask task = {member.mesh->position, bodies->from.data + first, bodies->to.data + first};
	drapeTaskPool_For(broadPhase->tasks, member.mesh->particleCount, vertexGrain, JoinRange, &task);
	return true;
}

void drapeBroadPhase_MoveCloths(BroadPhase* broadPhase)
{
	ContactBodies* bodies = &broadPhase->bodies;
	DRAPE_ASSERT(broadPhase->members.count == bodies->bodies.count);
	for (uint32_t b = 0; b < bodies->bodies.count; ++b)
	{
		const BroadPhaseMember* member = &broadPhase->members.data[b];
		if (!member->cloth)
			continue;
		uint32_t first = bodies->bodies.data[b].vertexStart, count = member->mesh->particleCount;
		DRAPE_ASSERT(member->cloth->revision == member->mesh->revision);
		DRAPE_ASSERT(bodies->bodies.data[b].vertexEnd - first == count);
		JoinTask task = {member->mesh->position, NULL, bodies->to.data + first};
		drapeTaskPool_For(broadPhase->tasks, count, vertexGrain, JoinRange, &task);
	}
	broadPhase->isStill = false;
}

// --- sharp folds ----------------------------------------------------------------------------------------------------

// State of the triangles around a particle.
enum
{
	foldCulled, // all belong to one culled patch: they cannot collide
	foldOpen,   // they do not overlap, except perhaps at a boundary
	foldSharp,  // some may collide
};

typedef struct FoldTask
{
	BroadPhaseCloth* cloth;
	const ActiveMesh* mesh;
	const Vec4 *from, *to; // equal while nothing has moved
	float slope;           // BroadPhase::foldSlope
} FoldTask;

static void CullRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FoldTask* task = context;
	const BroadPhaseCloth* cloth = task->cloth;
	const uint32_t* patch = cloth->patch.data;
	for (uint32_t i = start; i < end; ++i)
	{
		const uint32_t *ring = &cloth->ring.data[cloth->ringStart.data[i]],
					   *last = &cloth->ring.data[cloth->ringStart.data[i + 1]];
		bool isCulled = patch[*ring] != DRAPE_NONE;
		for (const uint32_t* t = ring + 1; t < last && isCulled; ++t)
			isCulled = patch[*t] == patch[*ring];
		cloth->fold.data[i] = isCulled ? foldCulled : foldSharp;
	}
}

static bool NeedsTurns(const FoldTask* task, uint32_t triangle)
{
	const uint32_t* corner = task->mesh->triangle[triangle];
	const uint8_t* fold = task->cloth->fold.data;
	return fold[corner[0]] != foldCulled || fold[corner[1]] != foldCulled || fold[corner[2]] != foldCulled;
}

static void StoreTurns(const FoldTask* task, const uint32_t triangles[8], uint32_t count, int moment, V8 turn)
{
	Vec4 rows[8];
	float lengths[8];
	V8_StoreRows(rows, turn);
	F8_Store(lengths, F8_Sqrt(V8_Dot(turn, turn)));
	for (uint32_t i = 0; i < count; ++i)
	{
		rows[i].w = lengths[i];
		task->cloth->turns.data[3 * triangles[i] + moment] = rows[i];
	}
}

// The normal of a triangle whose corners move in straight lines is quadratic in time. Stores its Bernstein
// coefficients.
static void TurnEight(const FoldTask* task, const uint32_t triangles[8], uint32_t count)
{
	uint32_t corner[3][8];
	for (uint32_t i = 0; i < 8; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
			corner[k][i] = task->mesh->triangle[triangles[i < count ? i : 0]][k];
	}
	V8 a = V8_Gather(task->from, corner[0]);
	V8 u0 = V8_Sub(V8_Gather(task->from, corner[1]), a), v0 = V8_Sub(V8_Gather(task->from, corner[2]), a);
	V8 begin = V8_Cross(u0, v0);
	StoreTurns(task, triangles, count, 0, begin);
	if (task->from == task->to)
		return;
	V8 b = V8_Gather(task->to, corner[0]);
	V8 u1 = V8_Sub(V8_Gather(task->to, corner[1]), b), v1 = V8_Sub(V8_Gather(task->to, corner[2]), b);
	StoreTurns(task, triangles, count, 1, V8_Scale(F8_Splat(0.5f), V8_Add(V8_Cross(u0, v1), V8_Cross(u1, v0))));
	StoreTurns(task, triangles, count, 2, V8_Cross(u1, v1));
}

static void TurnRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FoldTask* task = context;
	uint32_t asked[8], count = 0;
	for (uint32_t t = start; t < end; ++t)
	{
		asked[count] = t;
		count += NeedsTurns(task, t);
		if (count == 8 || (count > 0 && t + 1 == end))
		{
			TurnEight(task, asked, count);
			count = 0;
		}
	}
}

// Counts the triangles around the particle that cover its first edge, seen along `side` at the start of the step. All
// of them face `side`. The count is one unless they wind around more than once.
static uint32_t CountTurns(const FoldTask* task, uint32_t particle, Vec3 side)
{
	const BroadPhaseCloth* cloth = task->cloth;
	uint32_t start = cloth->ringStart.data[particle], end = cloth->ringStart.data[particle + 1], count = 0;
	DRAPE_ASSERT(start < end);
	Vec3 origin = V4Xyz(task->from[particle]), edge = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = start; i < end; ++i)
	{
		const uint32_t* corner = task->mesh->triangle[cloth->ring.data[i]];
		uint32_t k = corner[0] == particle ? 0 : corner[1] == particle ? 1 : 2;
		Vec3 a = V3Sub(V4Xyz(task->from[corner[(k + 1) % 3]]), origin);
		Vec3 b = V3Sub(V4Xyz(task->from[corner[(k + 2) % 3]]), origin);
		if (i == start)
			edge = a;
		bool isOver = i == start || (V3Dot(V3Cross(a, edge), side) >= 0.0f && V3Dot(V3Cross(edge, b), side) > 0.0f);
		count += isOver;
	}
	return count;
}

// Returns whether all triangles around the particle face their mean normal throughout the step. If they wind around
// once at the start, they always do, and do not overlap. At a boundary this holds only for triangles that share an
// edge: the others may rotate over each other without facing away.
static bool IsOpen(const FoldTask* task, uint32_t particle)
{
	const BroadPhaseCloth* cloth = task->cloth;
	const uint32_t *ring = &cloth->ring.data[cloth->ringStart.data[particle]],
				   *end = &cloth->ring.data[cloth->ringStart.data[particle + 1]];
	Vec3 side = {0.0f, 0.0f, 0.0f};
	uint32_t moments = task->from == task->to ? 1 : 3;
	for (const uint32_t* t = ring; t < end; ++t)
	{
		for (uint32_t k = 0; k < moments; ++k)
			side = V3Add(side, V4Xyz(cloth->turns.data[3 * *t + k]));
	}
	float length = V3Length(side);
	bool isWide = true;
	for (const uint32_t* t = ring; t < end; ++t)
	{
		for (uint32_t k = 0; k < moments; ++k)
		{
			Vec4 turn = cloth->turns.data[3 * *t + k];
			float size = length * turn.w, along = V3Dot(V4Xyz(turn), side);
			if (!(along > task->slope * size))
				return false;
			isWide &= along > 0.7f * size;
		}
	}
	// Angles look wider from an oblique direction, but here by less than a half, so not by a full turn.
	return isWide || cloth->isBoundary.data[particle] || CountTurns(task, particle, side) == 1;
}

static void OpenRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FoldTask* task = context;
	uint8_t* fold = task->cloth->fold.data;
	for (uint32_t i = start; i < end; ++i)
	{
		if (fold[i] != foldCulled && IsOpen(task, i))
			fold[i] = foldOpen;
	}
}

// Returns the second corner that two triangles around a particle share; DRAPE_NONE when there is none.
static uint32_t OtherShared(const ActiveMesh* mesh, uint32_t a, uint32_t b, uint32_t particle)
{
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			if (mesh->triangle[a][i] == mesh->triangle[b][k] && mesh->triangle[a][i] != particle)
				return mesh->triangle[a][i];
		}
	}
	return DRAPE_NONE;
}

// Adds the pairs of triangles around one corner, without pairs of one culled patch. Without `withEdges` it adds only
// pairs that share no edge. Pairs that share an edge are found at both of its ends; the lower particle adds them.
static void AddRing(const FoldTask* task, uint32_t particle, bool withEdges, Chunk* chunk)
{
	const BroadPhaseCloth* cloth = task->cloth;
	uint32_t start = cloth->ringStart.data[particle], end = cloth->ringStart.data[particle + 1];
	for (uint32_t i = start; i < end; ++i)
	{
		for (uint32_t k = i + 1; k < end; ++k)
		{
			uint32_t a = cloth->ring.data[i], b = cloth->ring.data[k];
			if (cloth->patch.data[a] == cloth->patch.data[b] && cloth->patch.data[a] != DRAPE_NONE)
				continue;
			uint32_t other = OtherShared(task->mesh, a, b, particle);
			if (other == DRAPE_NONE || (withEdges && (other > particle || cloth->fold.data[other] != foldSharp)))
				Chunk_AddPair(chunk, a, b);
		}
	}
}

static void FoldRange(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const FoldTask* task = context;
	const uint8_t* fold = task->cloth->fold.data;
	for (uint32_t i = start; i < end; ++i)
	{
		if (fold[i] == foldSharp || (fold[i] == foldOpen && task->cloth->isBoundary.data[i]))
			AddRing(task, i, fold[i] == foldSharp, chunk);
	}
}

static bool FindFolds(const FoldTask* task, TaskPool* tasks)
{
	BroadPhaseCloth* cloth = task->cloth;
	uint32_t particles = task->mesh->particleCount;
	drapeClothTree_FindCulledPatches(&cloth->tree, cloth->patch.data, tasks);
	drapeTaskPool_For(tasks, particles, ringGrain, CullRange, (void*)task);
	drapeTaskPool_For(tasks, task->mesh->triangleCount, turnGrain, TurnRange, (void*)task);
	drapeTaskPool_For(tasks, particles, ringGrain, OpenRange, (void*)task);
	return drapePairList_Fill(&cloth->folds, particles, ringGrain, FoldRange, task, tasks);
}

// --- collecting -----------------------------------------------------------------------------------------------------

static float Margin(const BroadPhase* broadPhase, const ContactBody* body)
{
	return body->radius + body->gap + (body->isCloth ? broadPhase->margin : 0.0f);
}

static bool AddPairs(ElementPairs* pairs, const PairList* list, uint32_t firstA, uint32_t firstB)
{
	DRAPE_ASSERT(list->pairs.count <= list->pairs.capacity);
	if (!ArrayReserve(pairs, (size_t)pairs->count + list->pairs.count))
		return false;
	for (uint32_t i = 0; i < list->pairs.count; ++i)
	{
		PrimitivePair pair = list->pairs.data[i];
		ArrayPush(pairs, ((ElementPair){firstA + pair.a, firstB + pair.b}));
	}
	return true;
}

static bool FitTree(BroadPhaseCloth* cloth, const Primitives* primitives, TaskPool* tasks)
{
	if (cloth->isFitted)
		drapeClothTree_Refit(&cloth->tree, primitives, tasks);
	else if (!drapeClothTree_Build(&cloth->tree, primitives, &cloth->charts, tasks))
		return false;
	cloth->isFitted = true;
	return true;
}

bool drapeBroadPhaseCloth_Fit(BroadPhaseCloth* cloth, const ActiveMesh* mesh, float margin, TaskPool* tasks)
{
	DRAPE_ASSERT(cloth->revision == mesh->revision);
	DRAPE_ASSERT(margin >= 0.0f);
	const Primitives primitives = {
		.from = mesh->position,
		.to = mesh->position,
		.corners = &mesh->triangle[0][0],
		.cornerCount = 3,
		.count = mesh->triangleCount,
		.margin = margin,
	};
	return FitTree(cloth, &primitives, tasks);
}

static bool FitCloth(BroadPhase* broadPhase, uint32_t b)
{
	const ContactBody* body = &broadPhase->bodies.bodies.data[b];
	const BroadPhaseMember* member = &broadPhase->members.data[b];
	const Primitives primitives = {
		.from = broadPhase->bodies.from.data + body->vertexStart,
		.to = (broadPhase->isStill ? broadPhase->bodies.from.data : broadPhase->seen.data) + body->vertexStart,
		.corners = &member->mesh->triangle[0][0],
		.cornerCount = 3,
		.count = member->mesh->triangleCount,
		.margin = Margin(broadPhase, body),
	};
	return FitTree(member->cloth, &primitives, broadPhase->tasks);
}

static bool CollectSelf(BroadPhase* broadPhase, uint32_t b, ElementPairs* pairs)
{
	const ContactBody* body = &broadPhase->bodies.bodies.data[b];
	const BroadPhaseMember* member = &broadPhase->members.data[b];
	BroadPhaseCloth* cloth = member->cloth;
	const Vec4 *from = broadPhase->bodies.from.data + body->vertexStart,
			   *to = broadPhase->bodies.to.data + body->vertexStart;
	const FoldTask task = {cloth, member->mesh, from, broadPhase->isStill ? from : to, broadPhase->foldSlope};
	if (!body->collidesWithCloth)
		return true;
	return drapeClothTree_SelfPairs(&cloth->tree, &cloth->self, broadPhase->tasks) &&
	       FindFolds(&task, broadPhase->tasks) &&
	       AddPairs(pairs, &cloth->self, body->elementStart, body->elementStart) &&
	       AddPairs(pairs, &cloth->folds, body->elementStart, body->elementStart);
}

// Pairs a collider of few elements: each element queries the tree of the cloth.
static bool CollectFew(BroadPhase* broadPhase, uint32_t b, uint32_t collider, ElementPairs* pairs)
{
	const ContactBodies* bodies = &broadPhase->bodies;
	const ContactBody *body = &bodies->bodies.data[b], *other = &bodies->bodies.data[collider];
	float margin = Margin(broadPhase, other);
	for (uint32_t e = other->elementStart; e < other->elementEnd; ++e)
	{
		Kdop dop = Kdop_Empty();
		for (int k = 0; k < 3; ++k)
		{
			uint32_t v = bodies->elements.data[e].vertex[k];
			Kdop_Add(&dop, bvhDefaultK, V4Xyz(bodies->from.data[v]), margin);
			Kdop_Add(&dop, bvhDefaultK, V4Xyz(broadPhase->seen.data[v]), margin);
		}
		broadPhase->near.primitives.count = 0;
		if (!drapeBvh_Query(&broadPhase->members.data[b].cloth->tree.bvh, &dop, &broadPhase->near) ||
		    !ArrayReserve(pairs, (size_t)pairs->count + broadPhase->near.primitives.count))
			return false;
		for (uint32_t i = 0; i < broadPhase->near.primitives.count; ++i)
			ArrayPush(pairs, ((ElementPair){body->elementStart + broadPhase->near.primitives.data[i], e}));
	}
	return true;
}

static bool CollectCross(BroadPhase* broadPhase, uint32_t a, uint32_t b, ElementPairs* pairs)
{
	const BroadPhaseMember *first = &broadPhase->members.data[a], *second = &broadPhase->members.data[b];
	if (!drapeContactBodies_Collide(&broadPhase->bodies, a, b))
		return true;
	if (!first->cloth)
		return CollectCross(broadPhase, b, a, pairs);
	const Bvh* tree = second->cloth ? &second->cloth->tree.bvh : second->tree;
	if (!tree)
		return CollectFew(broadPhase, a, b, pairs);
	// Before cloths move, only the start of the step counts; the bounds of a collider hold all that it sweeps.
	const BvhBoxes* boxes = broadPhase->isStill ? second->start : NULL;
	return drapeBvh_PairsWithin(&first->cloth->tree.bvh, tree, boxes, &broadPhase->cross, broadPhase->tasks) &&
	       AddPairs(pairs, &broadPhase->cross, broadPhase->bodies.bodies.data[a].elementStart,
	                broadPhase->bodies.bodies.data[b].elementStart);
}

typedef struct AlongTask
{
	BroadPhase* broadPhase;
	uint32_t first; // first vertex of the loop
	Vec3 shift;
} AlongTask;

static void SumRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const AlongTask* task = context;
	const Vec4 *from = task->broadPhase->bodies.from.data + task->first,
			   *to = task->broadPhase->bodies.to.data + task->first;
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = start; i < end; ++i)
		sum = V3Add(sum, V3Sub(V4Xyz(to[i]), V4Xyz(from[i])));
	task->broadPhase->sums.data[start / vertexGrain] = (Vec4){sum.x, sum.y, sum.z, 0.0f};
}

static void MoveFrameRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const AlongTask* task = context;
	const Vec4* to = task->broadPhase->bodies.to.data + task->first;
	Vec4* seen = task->broadPhase->seen.data + task->first;
	for (uint32_t i = start; i < end; ++i)
		seen[i] = (Vec4){to[i].x - task->shift.x, to[i].y - task->shift.y, to[i].z - task->shift.z, 0.0f};
}

// Returns the mean displacement of the vertices of cloths; zero when a collider has a tree, which stays as it is.
static Vec3 MeanDisplacement(BroadPhase* broadPhase)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	uint32_t count = 0;
	for (uint32_t b = 0; b < broadPhase->bodies.bodies.count; ++b)
	{
		const ContactBody* body = &broadPhase->bodies.bodies.data[b];
		uint32_t vertices = body->vertexEnd - body->vertexStart;
		if (broadPhase->members.data[b].tree)
			return (Vec3){0.0f, 0.0f, 0.0f};
		if (!body->isCloth)
			continue;
		AlongTask task = {.broadPhase = broadPhase, .first = body->vertexStart};
		drapeTaskPool_For(broadPhase->tasks, vertices, vertexGrain, SumRange, &task);
		for (uint32_t i = 0; i < TaskPool_ChunkCount(vertices, vertexGrain); ++i)
			sum = V3Add(sum, V4Xyz(broadPhase->sums.data[i]));
		count += vertices;
	}
	return count > 0 ? V3Scale(1.0f / (float)count, sum) : sum;
}

// Cloths that fall together sweep over each other's positions without approaching. So the bounds are those in the frame
// that moves with the mean displacement of the cloths.
static bool FindSeenEnds(BroadPhase* broadPhase)
{
	const ContactBodies* bodies = &broadPhase->bodies;
	uint32_t count = bodies->from.count;
	if (!ArrayReserve(&broadPhase->seen, count) ||
	    !ArrayReserve(&broadPhase->sums, TaskPool_ChunkCount(count, vertexGrain)))
		return false;
	AlongTask task = {.broadPhase = broadPhase};
	if (broadPhase->isStill)
	{
		for (uint32_t b = 0; b < bodies->bodies.count && !bodies->bodies.data[b].isCloth; ++b)
			count = bodies->bodies.data[b].vertexEnd;
	}
	else
		task.shift = MeanDisplacement(broadPhase);
	drapeTaskPool_For(broadPhase->tasks, count, vertexGrain, MoveFrameRange, &task);
	return true;
}

bool drapeBroadPhase_Collect(const ContactBodies* bodies, ElementPairs* pairs, void* context)
{
	BroadPhase* broadPhase = context;
	DRAPE_ASSERT(broadPhase->margin >= 0.0f && broadPhase->foldSlope >= 0.0f);
	DRAPE_ASSERT(bodies == &broadPhase->bodies && broadPhase->members.count == bodies->bodies.count);
	if (!FindSeenEnds(broadPhase))
		return false;
	for (uint32_t b = 0; b < bodies->bodies.count; ++b)
	{
		if (broadPhase->members.data[b].cloth && (!FitCloth(broadPhase, b) || !CollectSelf(broadPhase, b, pairs)))
			return false;
	}
	for (uint32_t a = 0; a < bodies->bodies.count; ++a)
	{
		for (uint32_t b = a + 1; b < bodies->bodies.count; ++b)
		{
			if (!CollectCross(broadPhase, a, b, pairs))
				return false;
		}
	}
	return true;
}
