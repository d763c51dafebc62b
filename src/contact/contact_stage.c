// SPDX-License-Identifier: MIT
#include "contact/contact_inner.h"

#include "contact/shapes/shape.h"
#include "contact/thickness.h"

#include <string.h>

enum
{
	pointGrain = 512,
};

// Gap that impacts leave between two faces, over the thickness. The solver keeps faces a thickness apart; at the gap
// nothing gives way any more.
static const float gapShare = 0.1f;
static const float smallestGap = 1e-5f; // m

// Margin of a cloth's bounds over its thickness: when proximities are searched, and, around the swept volume, for
// impacts. Less than the thickness, at which cloth lies on colliders.
static const float nearMargin = 0.65f, sweptMargin = 0.4f;

// Neighbouring triangles that are open wider than this, as a cosine (broad_phase.h), cannot touch. The value for
// proximities is larger, so that folds are seen before they close.
static const float nearSlope = 0.3f, sweptSlope = 0.02f;

// Activation distance over the thickness: between cloths, and between cloth and colliders. The solver holds particles
// on colliders already. The second value is for what reaches between particles: small colliders, and round ones where
// the cloth is coarse.
static const float nearReach = 1.5f, nearColliderReach = 0.5f;

// Particles may not end closer than this to colliders of which only particles are kept out, m.
static const float keepOutDistance = 1e-4f;

static float GapOf(const ContactCloth* cloth)
{
	return MaxNumF(gapShare * cloth->leastFactor * cloth->thickness, smallestGap);
}

void drapeContactStage_Destroy(ContactStage* stage)
{
	ArrayFree(&stage->cloths);
	drapeBroadPhase_Destroy(&stage->broadPhase);
	drapeStitched_Destroy(&stage->stitched);
	ArrayFree(&stage->swept);
	drapeProximities_Destroy(&stage->proximities);
	drapeContactCache_Free(&stage->cache);
	ArrayFree(&stage->points);
	ArrayFree(&stage->pointsNow);
	drapeRecovery_Destroy(&stage->recovery);
	drapeImpactSolver_Destroy(&stage->impacts);
	ArrayFree(&stage->velocity);
	ArrayFree(&stage->quiet);
	BitSet_Free(&stage->crossing);
	BitSet_Free(&stage->crossedElements);
}

// --- description ----------------------------------------------------------------------------------------------------

void drapeContactStage_Begin(ContactStage* stage, const ContactScenery* scenery, TaskPool* tasks)
{
	DRAPE_ASSERT(scenery->colliders || scenery->colliderCount == 0);
	DRAPE_ASSERT(scenery->meshes || scenery->meshCount == 0);
	stage->cloths.count = stage->stitched.list.count = 0;
	stage->scenery = *scenery;
	stage->tasks = tasks;
	stage->thickness = 0.0f;
	stage->isGathered = stage->hasLooked = false;
	drapeRecovery_Clear(&stage->recovery);
}

bool drapeContactStage_AddCloth(ContactStage* stage, const ContactCloth* cloth)
{
	DRAPE_ASSERT(cloth->broadPhase && cloth->pattern && cloth->mesh);
	DRAPE_ASSERT(cloth->thickness >= 0.0f && cloth->friction >= 0.0f);
	DRAPE_ASSERT(!stage->isGathered && !stage->hasLooked);
	if (!ArrayReserve(&stage->cloths, stage->cloths.count + 1))
		return false;
	ContactCloth added = *cloth;
	added.thickness = drapeThickness_Most(cloth->mesh, cloth->thickness);
	// Vertices may have factors of the thickness.
	float least = cloth->thicknessFactor ? INFINITY : 1.0f, most = cloth->thicknessFactor ? 0.0f : 1.0f;
	for (uint32_t i = 0; i < cloth->mesh->particleCount && cloth->thicknessFactor; ++i)
	{
		least = MinF(least, cloth->thicknessFactor[i]);
		most = MaxF(most, cloth->thicknessFactor[i]);
	}
	added.leastFactor = MinF(least, 1.0f);
	ArrayPush(&stage->cloths, added);
	if (cloth->hasAllContact)
		stage->thickness = MaxNumF(stage->thickness, drapeThickness_Most(cloth->mesh, most * cloth->thickness));
	return true;
}

void drapeContactStage_ForgetStitches(ContactStage* stage)
{
	DRAPE_ASSERT(!stage->isGathered);
	stage->stitched.list.count = 0;
}

bool drapeContactStage_AddStitch(ContactStage* stage, StitchedParticles pair)
{
	DRAPE_ASSERT(!stage->isGathered);
	return drapeStitched_Add(&stage->stitched, pair);
}

uint32_t drapeContactStage_FindCloth(const ContactStage* stage, uint32_t slot)
{
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
	{
		if (stage->cloths.data[i].slot == slot)
			return i;
	}
	return DRAPE_NONE;
}

uint32_t drapeContactScenery_IndexOf(const ContactScenery* scenery, uint32_t body)
{
	uint32_t count = scenery->colliderCount + scenery->meshCount, low = 0, high = count;
	if (!scenery->bodies)
		return body < count ? body : DRAPE_NONE;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (scenery->bodies[middle] < body)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && scenery->bodies[low] == body ? low : DRAPE_NONE;
}

// --- gathering ------------------------------------------------------------------------------------------------------

static bool JoinMesh(const MeshCollider* collider, ContactBodies* bodies)
{
	const MeshShape* shape = collider->shape;
	DRAPE_ASSERT(collider->owns);
	const ContactBody added = {.friction = collider->friction, .filter = collider->filter};
	if (!drapeContactBodies_Begin(bodies, &added) || !drapeContactBodies_AddVertices(bodies, shape->vertexCount) ||
	    !drapeContactBodies_AddElements(bodies, shape->triangleCount))
		return false;
	const ContactBody* body = &bodies->bodies.data[bodies->bodies.count - 1];
	memcpy(bodies->from.data + body->vertexStart, shape->from, shape->vertexCount * sizeof(Vec4));
	memcpy(bodies->to.data + body->vertexStart, shape->to, shape->vertexCount * sizeof(Vec4));
	for (uint32_t t = 0; t < shape->triangleCount; ++t)
	{
		ContactElement* element = &bodies->elements.data[body->elementStart + t];
		for (int k = 0; k < 3; ++k)
			element->vertex[k] = body->vertexStart + shape->triangle[3 * t + k];
		element->owns = collider->owns[t];
	}
	return true;
}

// Colliders stay gathered until one of them changes.
bool drapeContactStage_GatherColliders(ContactStage* stage)
{
	BroadPhase* broadPhase = &stage->broadPhase;
	const ContactScenery* scenery = &stage->scenery;
	if (stage->colliderBodies > 0 && stage->gatheredScenery == scenery->revision)
	{
		drapeBroadPhase_Keep(broadPhase, stage->colliderBodies);
		return true;
	}
	stage->colliderBodies = 0;
	drapeBroadPhase_Keep(broadPhase, 0);
	for (uint32_t i = 0; i < scenery->colliderCount; ++i)
	{
		if (!drapeCollider_Join(&scenery->colliders[i], &broadPhase->bodies) ||
		    !drapeBroadPhase_AddCollider(broadPhase, NULL, NULL))
			return false;
	}
	for (uint32_t i = 0; i < scenery->meshCount; ++i)
	{
		const MeshShape* shape = scenery->meshes[i].shape;
		const BvhBoxes* start = shape->moves ? &shape->boxes[shape->fromRevision % 2] : NULL;
		if (!JoinMesh(&scenery->meshes[i], &broadPhase->bodies) ||
		    !drapeBroadPhase_AddCollider(broadPhase, &shape->tree, start))
			return false;
	}
	stage->colliderBodies = broadPhase->members.count;
	stage->gatheredScenery = scenery->revision;
	return true;
}

static bool AddBody(ContactStage* stage, uint32_t index)
{
	const ContactCloth* cloth = &stage->cloths.data[index];
	const ContactBody body = {
		.filter = cloth->filter,
		.gap = GapOf(cloth),
		.friction = cloth->friction,
		.thicknessFactor = cloth->thicknessFactor,
		.frictionFactor = cloth->frictionFactor,
		.isCloth = true,
		.collidesWithCloth = true,
		.shape = cloth->mesh->material,
		.map = &cloth->broadPhase->map,
	};
	const BroadPhaseMember member = {
		.cloth = cloth->broadPhase, .mesh = cloth->mesh, .name = cloth->name, .index = index};
	if (cloth->system != contactNotSolved)
		stage->bodyOfSystem[cloth->system] = stage->broadPhase.members.count;
	return drapeBroadPhaseCloth_Follow(cloth->broadPhase, cloth->pattern, cloth->mesh, stage->tasks) &&
	       drapeBroadPhaseCloth_FollowMap(cloth->broadPhase, cloth->mesh,
	                                      nearReach / CULLING_RATIO * stage->thickness) &&
	       drapeBroadPhase_AddCloth(&stage->broadPhase, member, &body);
}

// All colliders, then all cloths with all contact, where they are now.
static bool Gather(ContactStage* stage)
{
	BroadPhase* broadPhase = &stage->broadPhase;
	DRAPE_ASSERT(!stage->isGathered);
	if (!drapeContactStage_GatherColliders(stage))
		return false;
	broadPhase->tasks = stage->tasks;
	broadPhase->thickness = stage->thickness;
	broadPhase->isStill = true;
	broadPhase->foldSlope = nearSlope;
	broadPhase->margin = nearMargin * stage->thickness;
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
	{
		if (stage->cloths.data[i].hasAllContact && !AddBody(stage, i))
			return false;
	}
	stage->isGathered = true;
	stage->gathers++;
	return true;
}

bool drapeContactStage_BeginStitched(ContactStage* stage)
{
	uint32_t slots = 0;
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
		slots = MaxU32(slots, stage->cloths.data[i].slot + 1);
	return drapeStitched_Begin(&stage->stitched, slots);
}

// Elements that stitches join, by the vertices of the gathered bodies. False when out of memory.
static bool FindStitched(ContactStage* stage)
{
	const BroadPhase* broadPhase = &stage->broadPhase;
	StitchedVertices* stitched = &stage->stitched;
	if (stitched->list.count == 0)
		return true;
	if (!drapeContactStage_BeginStitched(stage))
		return false;
	for (uint32_t b = stage->colliderBodies; b < broadPhase->members.count; ++b)
	{
		const ContactCloth* cloth = &stage->cloths.data[broadPhase->members.data[b].index];
		drapeStitched_SetRange(stitched, cloth->slot, broadPhase->bodies.bodies.data[b].vertexStart,
		                       cloth->mesh->particleCount);
	}
	return drapeStitched_Build(stitched, broadPhase->bodies.from.count);
}

// Pairs of elements that may touch, without those that stitches join.
static bool Collect(const ContactBodies* bodies, ElementPairs* pairs, void* context)
{
	ContactStage* stage = context;
	uint32_t first = pairs->count;
	if (!drapeBroadPhase_Collect(bodies, pairs, &stage->broadPhase))
		return false;
	if (stage->stitched.list.count > 0)
		drapeStitched_Filter(&stage->stitched, bodies, pairs, first);
	Deadline_Count(stage->deadline, workElement, bodies->elements.count - ContactStage_FirstCloth(stage)->elementStart);
	Deadline_Count(stage->deadline, workPair, pairs->count - first);
	return true;
}

static bool HasAllContact(const ContactStage* stage)
{
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
	{
		if (stage->cloths.data[i].hasAllContact)
			return true;
	}
	return false;
}

float drapeContactStage_NearMargin(const ContactStage* stage, const ContactCloth* cloth)
{
	return GapOf(cloth) + nearMargin * stage->thickness;
}

// --- crossings that exist -------------------------------------------------------------------------------------------

static bool AddCloths(ContactStage* stage)
{
	for (uint32_t b = stage->colliderBodies; b < stage->broadPhase.members.count; ++b)
	{
		const ContactCloth* cloth = ContactStage_ClothOf(stage, b);
		const TangleSurface like = {.gap = GapOf(cloth), .thickness = cloth->thickness, .filter = cloth->filter};
		if (!drapeRecovery_AddCloth(&stage->recovery, &like, cloth->mesh))
			return false;
	}
	return true;
}

// Returns whether both elements of a pair are cloth.
static bool AreCloth(const ContactStage* stage, ElementPair pair)
{
	return MinU32(pair.a, pair.b) >= ContactStage_FirstCloth(stage)->elementStart;
}

// Finds how cloths that cross cloths come apart. False when out of memory.
static bool Recover(ContactStage* stage, float dt)
{
	const ElementPairs* crossed = &stage->proximities.crossed;
	Recovery* recovery = &stage->recovery;
	bool isAny = false;
	stage->crossings = crossed->count;
	for (uint32_t i = 0; i < crossed->count && !isAny; ++i)
		isAny = AreCloth(stage, crossed->data[i]);
	if (!isAny)
	{
		recovery->age = 0.0f;
		return true;
	}
	if (!AddCloths(stage))
		return false;
	uint32_t first = ContactStage_FirstCloth(stage)->elementStart;
	for (uint32_t i = 0; i < crossed->count; ++i)
	{
		ElementPair pair = crossed->data[i];
		if (AreCloth(stage, pair) && !drapeRecovery_AddCrossing(recovery, pair.a - first, pair.b - first))
			return false;
	}
	return drapeRecovery_Run(recovery, dt, stage->tasks);
}

// Moves the particles of a cloth by the displacements of the recovery. Velocities change to match.
static void MoveParticles(ActiveMesh* mesh, const Vec3* moved, float dt)
{
	float rate = 1.0f / dt;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Vec4 *x = &mesh->position[i], *v = &mesh->velocity[i];
		*x = (Vec4){x->x + moved[i].x, x->y + moved[i].y, x->z + moved[i].z, x->w};
		*v = (Vec4){v->x + rate * moved[i].x, v->y + rate * moved[i].y, v->z + rate * moved[i].z, v->w};
	}
}

// Moves cloths that cross cloths apart, beyond the motion of the step so far.
static void MoveApart(ContactStage* stage, float dt)
{
	Recovery* recovery = &stage->recovery;
	const BroadPhase* broadPhase = &stage->broadPhase;
	uint32_t start = ContactStage_FirstCloth(stage)->vertexStart;
	if (!recovery->isActive)
		return;
	for (uint32_t b = stage->colliderBodies; b < broadPhase->members.count; ++b)
	{
		const ActiveMesh* mesh = ContactStage_ClothOf(stage, b)->mesh;
		uint32_t first = broadPhase->bodies.bodies.data[b].vertexStart;
		for (uint32_t i = 0; i < mesh->particleCount; ++i)
			recovery->moved.data[first - start + i] =
				V3Sub(V4Xyz(mesh->position[i]), V4Xyz(broadPhase->bodies.from.data[first + i]));
	}
	drapeRecovery_Move(recovery);
	for (uint32_t b = stage->colliderBodies; b < broadPhase->members.count; ++b)
	{
		ActiveMesh* mesh = ContactStage_ClothOf(stage, b)->mesh;
		drapeRecovery_Spare(recovery, b - stage->colliderBodies, mesh);
		MoveParticles(mesh, recovery->moved.data + broadPhase->bodies.bodies.data[b].vertexStart - start, dt);
	}
}

// --- contact points -------------------------------------------------------------------------------------------------

// Vertices that the impact solver released begin to be tracked.
static void StoreReleased(ContactStage* stage)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	uint32_t count = stage->impactResult.released > 0 ? bodies->from.count : 0;
	for (uint32_t v = BitSet_Next(&stage->impacts.released, 0, count); v != DRAPE_NONE;
	     v = BitSet_Next(&stage->impacts.released, v + 1, count))
	{
		PinchState* pinch = drapeContactStage_PinchOf(stage, v);
		if (pinch && pinch->depth == 0.0f)
			pinch->depth = pinchLeastDepth;
	}
}

// Solvers keep particles off the faces of colliders already.
static bool IsWanted(const ContactStage* stage, const Proximity* point)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	DRAPE_ASSERT(point->vertex[0] < bodies->owner.count && point->vertex[3] < bodies->owner.count);
	const ContactBody* first = &bodies->bodies.data[bodies->owner.data[point->vertex[0]]];
	const ContactBody* second = &bodies->bodies.data[bodies->owner.data[point->vertex[3]]];
	if (first->isCloth && second->isCloth)
		return true;
	if (point->distance < 0.0f) // pokes through the cloth
		return true;
	if (drapeContactStage_PassesThrough(stage, point->vertex) || drapeContactStage_IsInside(stage, point->vertex))
		return false;
	return !(first->isCloth && point->weight[0] == 1.0f && point->weight[1] < 0.0f);
}

// The displacement of a gathered vertex within the step: known for colliders, extrapolated for cloths.
static Vec3 PredictDisplacement(const ContactBodies* bodies, const ContactCloth* cloth, uint32_t v, float dt)
{
	if (!cloth)
		return V3Sub(V4Xyz(bodies->to.data[v]), V4Xyz(bodies->from.data[v]));
	uint32_t start = bodies->bodies.data[bodies->owner.data[v]].vertexStart;
	return V3Scale(dt, V4Xyz(cloth->mesh->velocity[v - start]));
}

static ContactSide SideOf(const ContactStage* stage, uint32_t body)
{
	const ContactScenery* scenery = &stage->scenery;
	const ContactCloth* cloth = ContactStage_ClothOf(stage, body);
	if (cloth)
		return (ContactSide){.cloth1 = cloth->slot + 1};
	bool isMesh = body >= scenery->colliderCount;
	DRAPE_ASSERT(body < scenery->colliderCount + scenery->meshCount);
	return (ContactSide){.collider1 = 1 + (isMesh ? scenery->meshes[body - scenery->colliderCount].slot
	                                              : scenery->colliders[body].slot)};
}

// The first point of a proximity when the step begins: weights above zero are on its side.
static Vec3 FirstPoint(const ContactBodies* bodies, const Proximity* proximity)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	float weights = 0.0f;
	for (int k = 0; k < 4; ++k)
	{
		float weight = MaxF(proximity->weight[k], 0.0f);
		sum = V3Add(sum, V3Scale(weight, V4Xyz(bodies->from.data[proximity->vertex[k]])));
		weights += weight;
	}
	return V3Scale(weights > 0.0f ? 1.0f / weights : 0.0f, sum);
}

void drapeContactPoints_Forget(ContactStage* stage, ContactSide side)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < stage->points.count; ++i)
	{
		const ContactSide* own = stage->points.data[i].side;
		bool isOf = memcmp(&own[0], &side, sizeof side) == 0 || memcmp(&own[1], &side, sizeof side) == 0;
		if (!isOf)
			stage->points.data[kept++] = stage->points.data[i];
	}
	stage->points.count = kept;
}

static ContactPoint MakePoint(const ContactStage* stage, const Proximity* proximity, float dt)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	ContactPoint point = {
		.normal = proximity->normal, .distance = proximity->distance, .friction = proximity->friction};
	point.position = FirstPoint(bodies, proximity);
	point.side[0] = SideOf(stage, bodies->owner.data[proximity->vertex[0]]);
	point.side[1] = SideOf(stage, bodies->owner.data[proximity->vertex[3]]);
	float thickness = 0.0f;
	bool isOnCollider = false;
	for (int k = 0; k < 4; ++k)
	{
		uint32_t v = proximity->vertex[k], b = bodies->owner.data[v];
		const ContactCloth* cloth = ContactStage_ClothOf(stage, b);
		bool isSolved = cloth && cloth->system != contactNotSolved;
		point.weight[k] = proximity->weight[k];
		point.particle[k] = isSolved ? v - bodies->bodies.data[b].vertexStart : DRAPE_NONE;
		point.system[k] = isSolved ? cloth->system : 0;
		isOnCollider |= !cloth;
		if (cloth)
			thickness = MaxNumF(thickness, cloth->thickness);
		if (!isSolved)
			point.way = V3Add(point.way, V3Scale(proximity->weight[k], PredictDisplacement(bodies, cloth, v, dt)));
	}
	float radius = bodies->bodies.data[bodies->owner.data[proximity->vertex[0]]].radius +
	               bodies->bodies.data[bodies->owner.data[proximity->vertex[3]]].radius;
	point.arm = radius > 0.0f ? radius + proximity->distance : 0.0f;
	thickness *= drapeContactBodies_ThicknessFactor(bodies, proximity->vertex, proximity->weight);
	point.reach = MinNumF(proximity->activationDistance, (isOnCollider ? nearColliderReach : nearReach) * thickness);
	return point;
}

typedef struct PointTask
{
	ContactStage* stage;
	float dt;
} PointTask;

static void MakePointRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const PointTask* task = context;
	ContactStage* stage = task->stage;
	for (uint32_t i = start; i < end; ++i)
	{
		Proximity* proximity = &stage->proximities.points.data[i];
		Vec4 frictionState = drapeContactCache_Recall(&stage->cache, &stage->broadPhase, i, proximity);
		stage->points.data[i] = MakePoint(stage, proximity, task->dt);
		stage->points.data[i].frictionState = frictionState;
	}
}

static bool MakePoints(ContactStage* stage, float dt)
{
	Proximities* proximities = &stage->proximities;
	if (!ArrayReserve(&stage->points, proximities->points.count) ||
	    !ArrayReserve(&stage->pointsNow, proximities->points.count) ||
	    !drapeContactCache_Begin(&stage->cache, proximities->points.count))
		return false;
	uint32_t count = 0;
	for (uint32_t i = 0; i < proximities->points.count; ++i)
	{
		const Proximity* proximity = &proximities->points.data[i];
		if (IsWanted(stage, proximity) &&
		    !drapeContactStage_IsFreed(stage, proximity->vertex, proximity->weight[0] == 1.0f ? 1 : 2,
		                               proximity->normal))
		{
			if (count < i)
				proximities->points.data[count] = *proximity;
			count++;
		}
	}
	proximities->points.count = stage->points.count = stage->cache.now.count = count;
	PointTask task = {stage, dt};
	drapeTaskPool_For(stage->tasks, count, pointGrain, MakePointRange, &task);
	return true;
}

bool drapeContactStage_Prepare(ContactStage* stage, float dt)
{
	BroadPhase* broadPhase = &stage->broadPhase;
	DRAPE_ASSERT(dt > 0.0f);
	stage->points.count = 0;
	stage->crossings = 0;
	stage->hasCrossing = false;
	stage->impactResult = (ImpactResult){0};
	if (!HasAllContact(stage))
	{
		drapeContactCache_Forget(&stage->cache);
		return true;
	}
	if (!Gather(stage) || !FindStitched(stage))
		return false;
	if (Deadline_IsCancelled(stage->deadline))
		return true;
	broadPhase->pairs.count = 0;
	const ContactDistances perEdge = {nearReach, nearColliderReach};
	const ContactDistances reach = {nearReach * broadPhase->thickness, nearColliderReach * broadPhase->thickness};
	if (!Collect(&broadPhase->bodies, &broadPhase->pairs, stage))
		return false;
	if (Deadline_IsCancelled(stage->deadline))
		return true;
	if (!drapeProximities_Find(&stage->proximities, &broadPhase->bodies, &broadPhase->pairs, reach, perEdge,
	                           stage->tasks))
		return false;
	for (uint32_t b = stage->colliderBodies; b < broadPhase->members.count; ++b)
	{
		if (!drapeProximities_AddSqueezed(&stage->proximities, &broadPhase->bodies, b,
		                                  broadPhase->members.data[b].cloth->patch.data, reach.cloth, stage->tasks))
			return false;
	}
	if (Deadline_IsCancelled(stage->deadline))
		return true;
	return drapeContactStage_LeaveColliders(stage, reach.collider, dt) && Recover(stage, dt) && MakePoints(stage, dt);
}

// Relative displacement of the two points, m, since the step began, after this fraction of it.
static Vec3 Parted(const ContactStage* stage, const ContactPoint* point, float fraction)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	DRAPE_ASSERT(fraction >= 0.0f && fraction <= 1.0f);
	Vec3 sum = V3Scale(fraction, point->way);
	for (int k = 0; k < 4; ++k)
	{
		if (point->particle[k] == DRAPE_NONE)
			continue;
		uint32_t b = stage->bodyOfSystem[point->system[k]];
		DRAPE_ASSERT(b >= stage->colliderBodies && b < bodies->bodies.count);
		Vec4 from = bodies->from.data[bodies->bodies.data[b].vertexStart + point->particle[k]];
		Vec4 now = stage->broadPhase.members.data[b].mesh->position[point->particle[k]];
		sum = V3Add(sum, V3Scale(point->weight[k], V3Sub(V4Xyz(now), V4Xyz(from))));
	}
	return sum;
}

typedef struct MovePointTask
{
	ContactStage* stage;
	float fromFraction, toFraction;
} MovePointTask;

static void MovePointRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const MovePointTask* task = context;
	ContactStage* stage = task->stage;
	for (uint32_t i = start; i < end; ++i)
	{
		ContactPoint* now = &stage->pointsNow.data[i];
		*now = stage->points.data[i];
		now->distance += V3Dot(now->normal, Parted(stage, now, task->fromFraction));
		now->way = V3Scale(task->toFraction - task->fromFraction, now->way);
		if (task->fromFraction > 0.0f)
			now->frictionState = stage->cache.now.data[i].frictionState;
	}
}

const ContactPoint* drapeContactStage_PointsAt(ContactStage* stage, float fromFraction, float toFraction)
{
	DRAPE_ASSERT(fromFraction < toFraction);
	if (fromFraction <= 0.0f && toFraction >= 1.0f)
		return stage->points.data;
	MovePointTask task = {stage, fromFraction, toFraction};
	drapeTaskPool_For(stage->tasks, stage->points.count, pointGrain, MovePointRange, &task);
	return stage->pointsNow.data;
}

// --- impacts --------------------------------------------------------------------------------------------------------

// Impacts changed the ends of ways: velocities change by as much per second. Vertices that were held have the velocity
// of what held them.
static void GatherVelocities(ContactStage* stage, float dt)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	const Vec4* wanted = stage->impacts.wanted.data;
	float rate = 1.0f / dt;
	for (uint32_t b = 0; b < bodies->bodies.count; ++b)
	{
		const ContactBody* body = &bodies->bodies.data[b];
		const ContactCloth* cloth = ContactStage_ClothOf(stage, b);
		for (uint32_t v = body->vertexStart; v < body->vertexEnd; ++v)
		{
			bool isFree = cloth && !ImpactSolver_WasFrozen(&stage->impacts, v);
			Vec4 to = bodies->to.data[v], from = isFree ? wanted[v] : bodies->from.data[v];
			Vec4 own = cloth ? cloth->mesh->velocity[v - body->vertexStart] : (Vec4){0};
			if (!isFree)
				own = (Vec4){0.0f, 0.0f, 0.0f, own.w};
			stage->velocity.data[v] = (Vec4){own.x + rate * (to.x - from.x), own.y + rate * (to.y - from.y),
			                                 own.z + rate * (to.z - from.z), own.w};
		}
	}
}

// Writes the vertices that impacts moved back to the cloths.
static void Scatter(ContactStage* stage)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	for (uint32_t b = stage->colliderBodies; b < bodies->bodies.count; ++b)
	{
		const ContactBody* body = &bodies->bodies.data[b];
		ActiveMesh* mesh = ContactStage_ClothOf(stage, b)->mesh;
		for (uint32_t v = body->vertexStart; v < body->vertexEnd; ++v)
		{
			if (!ImpactSolver_Moved(&stage->impacts, v))
				continue;
			uint32_t particle = v - body->vertexStart;
			Vec4 *x = &mesh->position[particle], to = bodies->to.data[v];
			*x = (Vec4){to.x, to.y, to.z, x->w};
			mesh->velocity[particle] = stage->velocity.data[v];
		}
	}
}

// Mesh colliders are among the bodies; shapes are, but for planes, with their edges only.
static bool KeepOut(uint32_t vertex, Vec3* end, void* context)
{
	const ContactStage* stage = context;
	const ContactCloth* cloth = ContactStage_ClothOf(stage, stage->broadPhase.bodies.owner.data[vertex]);
	if (!cloth)
		return false;
	const ContactScenery* scenery = ContactStage_SceneryOf(stage, cloth);
	const ContactDef contact = {
		.colliders = scenery->colliders,
		.colliderCount = scenery->colliderCount,
		.thickness = keepOutDistance,
		.toFraction = 1.0f,
	};
	return drapeContact_PushOut(&contact, end);
}

// Returns whether parts of a mesh press on each other. Coarse cloth does not fit into the gap between them everywhere.
static bool HasNarrowGap(const ContactStage* stage)
{
	bool isAny = false;
	for (uint32_t i = 0; i < stage->scenery.meshCount; ++i)
		isAny |= stage->scenery.meshes[i].overlaps;
	return isAny;
}

bool drapeContactStage_Resolve(ContactStage* stage, float dt)
{
	BroadPhase* broadPhase = &stage->broadPhase;
	DRAPE_ASSERT(dt > 0.0f);
	if (!stage->isGathered)
		return true;
	MoveApart(stage, dt);
	drapeBroadPhase_MoveCloths(broadPhase);
	if (!stage->recovery.isActive && drapeContactStage_IsQuiet(stage))
	{
		drapeContactStage_EndPassed(stage, dt);
		return true;
	}
	broadPhase->foldSlope = sweptSlope;
	broadPhase->margin = sweptMargin * broadPhase->thickness;
	if (!ArrayReserve(&stage->velocity, broadPhase->bodies.from.count))
		return false;
	const ImpactDef def = {
		.bodies = &broadPhase->bodies,
		.collect = Collect,
		.keepOut = stage->scenery.colliderCount > 0 ? KeepOut : NULL,
		.deadline = stage->deadline,
		.isPinched = stage->hasPinched,
		.isSqueezed = HasNarrowGap(stage),
		.frees = stage->recovery.isActive || stage->hasCrossing || stage->hasPinched || stage->hasPassed
	                 ? drapeContactStage_FreesImpact
	                 : NULL,
		.context = stage,
		.pairs = &broadPhase->pairs,
		.margin = broadPhase->margin,
		.tasks = stage->tasks,
	};
	stage->impactResult = drapeImpactSolver_Resolve(&stage->impacts, &def);
	if (stage->impactResult.outOfMemory)
		return false;
	StoreReleased(stage);
	drapeContactStage_EndPassed(stage, dt);
	if (stage->impactResult.impacts == 0)
		return true;
	GatherVelocities(stage, dt);
	drapeImpactSolver_StopVelocities(&stage->impacts, &broadPhase->bodies, stage->velocity.data);
	Scatter(stage);
	return true;
}

// --- crossings ------------------------------------------------------------------------------------------------------

// Cloths are the first surfaces of the tangle, in the order of their description. False when out of memory.
static bool FindStitchedSurfaces(ContactStage* stage, Tangle* tangle)
{
	if (stage->stitched.list.count == 0)
		return true;
	DRAPE_ASSERT(tangle->clothCount == stage->cloths.count);
	if (!drapeContactStage_BeginStitched(stage))
		return false;
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
	{
		const TangleSurface* surface = &tangle->surfaces.data[i];
		drapeStitched_SetRange(&stage->stitched, stage->cloths.data[i].slot, surface->vertexStart,
		                       surface->vertexEnd - surface->vertexStart);
	}
	tangle->stitched = &stage->stitched;
	return drapeStitched_Build(&stage->stitched, tangle->position.count);
}

bool drapeContactStage_GatherTangle(ContactStage* stage, Tangle* tangle)
{
	const ContactScenery* scenery = &stage->scenery;
	DRAPE_ASSERT(tangle->surfaces.count == 0 && tangle->solids.count == 0);
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
	{
		const ContactCloth* cloth = &stage->cloths.data[i];
		const ActiveMesh* mesh = cloth->mesh;
		const TangleSurface like = {.gap = GapOf(cloth), .thickness = cloth->thickness, .filter = cloth->filter};
		if (!drapeTangle_AddSurface(tangle, &like, mesh->position, mesh->particleCount, &mesh->triangle[0][0],
		                            mesh->triangleCount))
			return false;
	}
	for (uint32_t i = 0; i < scenery->meshCount; ++i)
	{
		const MeshShape* shape = scenery->meshes[i].shape;
		const TangleSurface like = {.shape = shape, .filter = scenery->meshes[i].filter};
		if (!drapeTangle_AddSurface(tangle, &like, shape->to, shape->vertexCount, shape->triangle,
		                            shape->triangleCount))
			return false;
	}
	for (uint32_t i = 0; i < scenery->colliderCount; ++i)
	{
		if (!drapeTangle_AddSolid(tangle, &scenery->colliders[i].def, scenery->colliders[i].to))
			return false;
	}
	return FindStitchedSurfaces(stage, tangle);
}
