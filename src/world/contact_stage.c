// SPDX-License-Identifier: MIT
#include "world/history.h"
#include "world/world.h"

// Faces and edges, of all cloths that want it, kept out of each other and of colliders (contact/response/impacts.h): after the
// cloths have moved each by itself, the ends of their ways are moved until nothing passes through anything.

// What is left between two faces, over the cloth's thickness: the solver keeps them a thickness apart, this is where
// nothing gives way any more.
static const float leastGap = 0.1f;

// How far around it the cloth looks for others, over its thickness: for what lies on it, and, beyond what it sweeps
// over, for what it may meet. Less than the thickness, at which it lies on colliders.
static const float nearRoom = 0.65f, sweptRoom = 0.4f;

// Folds that are opened farther than this, as a cosine (broad_phase.h), are none. Those that lie on themselves are seen
// before they do.
static const float nearSlope = 0.3f, sweptSlope = 0.02f;

// What is nearer than this lies on each other, over the thickness. Particles on colliders are held by the solver
// already; what is left are things that come between particles, nearer to the cloth than those are: small ones, and
// round ones where the cloth is coarse.
static const float nearReach = 1.5f, nearColliderReach = 0.5f;

float drapeCloth_LeastGap(const Cloth* cloth)
{
	return fmaxf(leastGap * cloth->simulation.model.material.thickness, 1e-5f);
}

static ContactBody BodyOf(const Cloth* cloth)
{
	const drapeMaterial* material = &cloth->simulation.model.material;
	return (ContactBody){
		.gap = drapeCloth_LeastGap(cloth),
		.friction = material->friction,
		.isCloth = true,
		.meetsItself = true,
		.shape = cloth->active.material,
	};
}

// --- the stage ------------------------------------------------------------------------------------------------------

static Cloth* NextCloth(drapeWorld* world, uint32_t* i)
{
	for (; *i < world->cloths.count; ++*i)
	{
		Cloth* cloth = world->cloths.data[*i];
		if (drapeCloth_IsUsed(cloth) && cloth->contact == drape_contactAll)
			return world->cloths.data[(*i)++];
	}
	return NULL;
}

// Colliders that stay where they are stay in the broadPhase.
static bool GatherColliders(drapeWorld* world)
{
	BroadPhase* broadPhase = &world->broadPhase;
	if (world->gatheredColliders > 0 && world->gatheredScenery == world->sceneryRevision)
	{
		drapeBroadPhase_Keep(broadPhase, world->gatheredColliders);
		return true;
	}
	world->gatheredColliders = 0;
	drapeBroadPhase_Keep(broadPhase, 0);
	for (uint32_t i = 0; i < world->liveColliders.count; ++i)
	{
		if (!drapeCollider_Join(&world->liveColliders.data[i], &broadPhase->bodies) ||
		    !drapeBroadPhase_AddCollider(broadPhase, NULL))
			return false;
	}
	for (uint32_t i = 0; i < world->liveMeshes.count; ++i)
	{
		const ColliderMesh* mesh = world->colliderMeshes.data[world->liveMeshSlots.data[i]];
		if (!drapeColliderMesh_Join(mesh, world->liveMeshes.data[i].friction, &broadPhase->bodies) ||
		    !drapeBroadPhase_AddCollider(broadPhase, &mesh->shape.tree))
			return false;
	}
	world->gatheredColliders = broadPhase->members.count;
	world->gatheredScenery = world->sceneryRevision;
	return true;
}

// All colliders, then all cloths that meet. *isNeeded is false when there are none of these. A step that is about to
// begin has nowhere gone yet.
static bool Gather(drapeWorld* world, bool hasMoved, bool* isNeeded)
{
	BroadPhase* broadPhase = &world->broadPhase;
	uint32_t first = 0;
	*isNeeded = NextCloth(world, &first) != NULL;
	if (!*isNeeded)
		return true;
	if (!GatherColliders(world))
		return false;
	broadPhase->tasks = world->tasks;
	broadPhase->thickness = 0.0f;
	broadPhase->isStill = !hasMoved;
	Cloth* cloth;
	for (uint32_t i = 0; (cloth = NextCloth(world, &i)) != NULL;)
	{
		ContactBody body = BodyOf(cloth);
		BroadPhaseMember member = {.cloth = &cloth->broadPhase, .mesh = &cloth->active, .owner = cloth};
		broadPhase->thickness = fmaxf(broadPhase->thickness, cloth->simulation.model.material.thickness);
		if (!drapeBroadPhaseCloth_Follow(&cloth->broadPhase, &cloth->pattern, &cloth->active, world->tasks) ||
		    !drapeBroadPhase_AddCloth(broadPhase, member, cloth->simulation.savedPosition.data, &body))
			return false;
	}
	broadPhase->foldSlope = hasMoved ? sweptSlope : nearSlope;
	broadPhase->room = (hasMoved ? sweptRoom : nearRoom) * broadPhase->thickness;
	return true;
}

// --- what lies on what ----------------------------------------------------------------------------------------------

// Whether solvers are to know of it: not of particles of a cloth on a face of a collider.
static bool IsWanted(const ContactBodies* bodies, const Proximity* point)
{
	const ContactBody* first = &bodies->bodies.data[bodies->owner.data[point->vertex[0]]];
	const ContactBody* second = &bodies->bodies.data[bodies->owner.data[point->vertex[3]]];
	if (first->isCloth && second->isCloth)
		return true;
	return !(first->isCloth && point->weight[0] == 1.0f && point->weight[1] < 0.0f);
}

// How a vertex of the broadPhase will go on: those of cloths as they do, those of colliders as they are told.
static Vec3 PredictWay(const ContactBodies* bodies, const Cloth* cloth, uint32_t v, float dt)
{
	if (!cloth)
		return V3Sub(V4Xyz(bodies->to.data[v]), V4Xyz(bodies->from.data[v]));
	uint32_t start = bodies->bodies.data[bodies->owner.data[v]].vertexStart;
	return V3Scale(dt, V4Xyz(cloth->active.velocity[v - start]));
}

// In terms of those that are solved for.
static ContactPoint PointOf(const drapeWorld* world, const Proximity* point, float dt)
{
	const ContactBodies* bodies = &world->broadPhase.bodies;
	ContactPoint seen = {.normal = point->normal, .distance = point->distance, .friction = point->friction};
	float thickness = 0.0f;
	bool isOnSolid = false;
	for (int k = 0; k < 4; ++k)
	{
		uint32_t v = point->vertex[k], b = bodies->owner.data[v];
		const Cloth* cloth = world->broadPhase.members.data[b].owner;
		bool isSolved = cloth && cloth->system != UINT8_MAX;
		seen.weight[k] = point->weight[k];
		seen.particle[k] = isSolved ? v - bodies->bodies.data[b].vertexStart : DRAPE_NONE;
		seen.system[k] = isSolved ? cloth->system : 0;
		isOnSolid |= !cloth;
		if (cloth)
			thickness = fmaxf(thickness, cloth->simulation.model.material.thickness);
		if (!isSolved)
			seen.way = V3Add(seen.way, V3Scale(point->weight[k], PredictWay(bodies, cloth, v, dt)));
	}
	float radius = bodies->bodies.data[bodies->owner.data[point->vertex[0]]].radius +
	               bodies->bodies.data[bodies->owner.data[point->vertex[3]]].radius;
	seen.arm = radius > 0.0f ? radius + point->distance : 0.0f;
	seen.reach = fminf(point->reach, (isOnSolid ? nearColliderReach : nearReach) * thickness);
	return seen;
}

static bool MakePoints(drapeWorld* world, float dt)
{
	const Proximities* proximities = &world->proximities;
	if (!ArrayReserve(&world->points, proximities->points.count) ||
	    !ArrayReserve(&world->pointsNow, proximities->points.count) ||
	    !drapeContactCache_Begin(&world->contactCache, proximities->points.count))
		return false;
	for (uint32_t i = 0; i < proximities->points.count; ++i)
	{
		Proximity point = proximities->points.data[i];
		if (!IsWanted(&world->broadPhase.bodies, &point))
			continue;
		Vec4 frictionState = drapeContactCache_Recall(&world->contactCache, world, &point);
		ArrayPush(&world->points, PointOf(world, &point, dt));
		world->points.data[world->points.count - 1].frictionState = frictionState;
	}
	return true;
}

// The cloths that meet and have implicit integrators, as many as can be: the others see them as they go on.
static bool FindTogether(drapeWorld* world)
{
	Cloth* cloth;
	world->together.count = 0;
	if (!ArrayReserve(&world->together, pairMaxSystems))
		return false;
	for (uint32_t i = 0; (cloth = NextCloth(world, &i)) != NULL;)
	{
		cloth->system = UINT8_MAX;
		if (!drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator) || world->together.count == pairMaxSystems)
			continue;
		cloth->system = (uint8_t)world->together.count;
		ArrayPush(&world->together, cloth);
	}
	return true;
}

bool drapeContactStage_Prepare(drapeWorld* world, float dt)
{
	BroadPhase* broadPhase = &world->broadPhase;
	bool isNeeded;
	ContactReach reach;
	world->points.count = 0;
	if (!FindTogether(world) || !Gather(world, false, &isNeeded))
		return false;
	if (!isNeeded)
	{
		world->contactCache.now.count = 0;
		return true;
	}
	broadPhase->pairs.count = 0;
	reach = (ContactReach){nearReach * broadPhase->thickness, nearColliderReach * broadPhase->thickness};
	if (!drapeBroadPhase_Collect(&broadPhase->bodies, &broadPhase->pairs, broadPhase) ||
	    !drapeProximities_Find(&world->proximities, &broadPhase->bodies, &broadPhase->pairs, reach, world->tasks))
		return false;
	for (uint32_t b = 0; b < broadPhase->members.count; ++b)
	{
		const BroadPhaseMember* member = &broadPhase->members.data[b];
		if (member->cloth && !drapeProximities_AddSqueezed(&world->proximities, &broadPhase->bodies, b,
		                                                   member->cloth->patch.data, reach.cloth, world->tasks))
			return false;
	}
	return MakePoints(world, dt);
}

// How far the two places of a point have come apart since the step began, m, after this fraction of it.
static Vec3 Parted(const drapeWorld* world, const ContactPoint* point, float fraction)
{
	Vec3 sum = V3Scale(fraction, point->way);
	for (int k = 0; k < 4; ++k)
	{
		if (point->particle[k] == DRAPE_NONE)
			continue;
		const Cloth* cloth = world->together.data[point->system[k]];
		Vec4 from = cloth->simulation.savedPosition.data[point->particle[k]];
		Vec4 now = cloth->active.position[point->particle[k]];
		sum = V3Add(sum, V3Scale(point->weight[k], V3Sub(V4Xyz(now), V4Xyz(from))));
	}
	return sum;
}

const ContactPoint* drapeContactStage_PointsAt(drapeWorld* world, float fromFraction, float toFraction)
{
	if (fromFraction <= 0.0f && toFraction >= 1.0f)
		return world->points.data;
	for (uint32_t i = 0; i < world->points.count; ++i)
	{
		ContactPoint* now = &world->pointsNow.data[i];
		*now = world->points.data[i];
		now->distance += V3Dot(now->normal, Parted(world, now, fromFraction));
		now->way = V3Scale(toFraction - fromFraction, now->way);
		if (fromFraction > 0.0f)
			now->frictionState = world->contactCache.now.data[i].frictionState;
	}
	return world->pointsNow.data;
}

// --- impacts --------------------------------------------------------------------------------------------------------

// What was pushed is faster by what it was pushed in the step, and what was held has the velocity of what held it; then
// what still approaches is stopped.
static void GatherVelocities(drapeWorld* world, float dt)
{
	const ContactBodies* bodies = &world->broadPhase.bodies;
	const Vec4* wanted = world->impacts.wanted.data;
	Vec4* velocity = world->contactVelocity.data;
	float rate = 1.0f / dt;
	for (uint32_t b = 0, i = 0; b < bodies->bodies.count; ++b)
	{
		const ContactBody* body = &bodies->bodies.data[b];
		const Cloth* cloth = body->isCloth ? NextCloth(world, &i) : NULL;
		for (uint32_t v = body->vertexStart; v < body->vertexEnd; ++v)
		{
			bool goesOn = cloth && !ImpactSolver_WasHeld(&world->impacts, v);
			Vec4 to = bodies->to.data[v], from = goesOn ? wanted[v] : bodies->from.data[v];
			Vec4 own = cloth ? cloth->active.velocity[v - body->vertexStart] : (Vec4){0};
			if (!goesOn)
				own = (Vec4){0.0f, 0.0f, 0.0f, own.w};
			velocity[v] = (Vec4){own.x + rate * (to.x - from.x), own.y + rate * (to.y - from.y),
			                     own.z + rate * (to.z - from.z), own.w};
		}
	}
}

static void Scatter(drapeWorld* world)
{
	const ContactBodies* bodies = &world->broadPhase.bodies;
	for (uint32_t b = 0, i = 0; b < bodies->bodies.count; ++b)
	{
		const ContactBody* body = &bodies->bodies.data[b];
		Cloth* cloth = body->isCloth ? NextCloth(world, &i) : NULL;
		for (uint32_t v = body->vertexStart; v < body->vertexEnd && cloth; ++v)
		{
			if (!ImpactSolver_Moved(&world->impacts, v))
				continue;
			uint32_t particle = v - body->vertexStart;
			Vec4 *x = &cloth->active.position[particle], to = bodies->to.data[v];
			*x = (Vec4){to.x, to.y, to.z, x->w};
			cloth->active.velocity[particle] = world->contactVelocity.data[v];
			drapeCloth_RestartHistory(cloth, particle);
		}
	}
}

static bool KeepOut(uint32_t vertex, Vec3* end, void* context)
{
	const drapeWorld* world = context;
	ContactDef contact = drapeScenery_Contact(world);
	contact.meshCount = 0; // whose faces are among the bodies
	contact.thickness = 1e-4f;
	contact.toFraction = 1.0f;
	(void)vertex;
	return drapeContact_PushOut(&contact, end);
}

static bool Collect(const ContactBodies* bodies, ElementPairs* pairs, void* context)
{
	drapeWorld* world = context;
	return drapeBroadPhase_Collect(bodies, pairs, &world->broadPhase);
}

bool drapeContactStage_Resolve(drapeWorld* world, float dt)
{
	BroadPhase* broadPhase = &world->broadPhase;
	bool isNeeded;
	if (!Gather(world, true, &isNeeded))
		return false;
	if (!isNeeded)
		return true;
	if (!ArrayReserve(&world->contactVelocity, broadPhase->bodies.from.count))
		return false;
	const ImpactDef def = {
		.bodies = &broadPhase->bodies,
		.collect = Collect,
		.keepOut = world->liveColliders.count > 0 ? KeepOut : NULL,
		.context = world,
		.pairs = &broadPhase->pairs,
		.room = broadPhase->room,
		.tasks = world->tasks,
	};
	ImpactResult result = drapeImpactSolver_Resolve(&world->impacts, &def);
	world->impactResult = result;
	if (result.outOfMemory)
		return false;
	if (result.impacts == 0)
		return true;
	GatherVelocities(world, dt);
	drapeImpactSolver_StopVelocities(&world->impacts, &broadPhase->bodies, world->contactVelocity.data);
	Scatter(world);
	return true;
}

bool drapeContactStage_Look(drapeWorld* world)
{
	bool isNeeded;
	world->swept.count = 0;
	return Gather(world, false, &isNeeded) && (!isNeeded || drapeBroadPhase_Fit(&world->broadPhase));
}

// Whether it meets surfaces that changes since drapeContactStage_Look have left.
static bool MeetsSwept(const drapeWorld* world, const Cloth* cloth, const SurfaceSweep* sweep)
{
	Kdop own = Kdop_Empty();
	for (int k = 0; k < 4; ++k)
		Kdop_Add(&own, 6, sweep->corner[k], 0.0f);
	for (uint32_t i = 0; i < world->swept.count; ++i)
	{
		const SweptTriangle* other = &world->swept.data[i];
		const Sweep asked = {sweep->corner, other->cloth == cloth ? sweep->particle : NULL, true};
		if (Kdop_Overlap(&own, &other->bounds, 6) && drapeSweep_MeetsTriangle(&asked, other->corner, other->particle))
			return true;
	}
	return false;
}

// The two triangles after a flip, or the one that is left when a particle goes. False when memory is short.
static bool AddSwept(drapeWorld* world, const Cloth* cloth, const SurfaceSweep* sweep)
{
	static const uint8_t flipped[2][3] = {{0, 2, 3}, {1, 3, 2}}, left[1][3] = {{0, 1, 2}};
	uint32_t count = sweep->isFlip ? 2 : 1;
	if (!ArrayReserve(&world->swept, world->swept.count + count))
		return false;
	for (uint32_t i = 0; i < count; ++i)
	{
		const uint8_t* three = sweep->isFlip ? flipped[i] : left[i];
		SweptTriangle triangle = {.cloth = cloth, .bounds = Kdop_Empty()};
		for (int k = 0; k < 3; ++k)
		{
			triangle.corner[k] = sweep->corner[three[k]];
			triangle.particle[k] = sweep->particle[three[k]];
			Kdop_Add(&triangle.bounds, 6, triangle.corner[k], 0.0f);
		}
		ArrayPush(&world->swept, triangle);
	}
	return true;
}

bool drapeContactStage_IsFree(drapeWorld* world, const Cloth* cloth, const SurfaceSweep* sweep)
{
	PrimitiveList* near = &world->broadPhase.near;
	const Cloth* other;
	for (uint32_t i = 0; (other = NextCloth(world, &i)) != NULL;)
	{
		const BroadPhaseCloth* broadPhase = &other->broadPhase;
		const Sweep asked = {sweep->corner, other == cloth ? sweep->particle : NULL, sweep->isWhole};
		if (broadPhase->isFitted &&
		    drapeSweep_MeetsTree(&asked, &broadPhase->tree.bvh, broadPhase->corners.data, other->active.position, near))
			return false;
	}
	const Sweep alone = {sweep->corner, NULL, sweep->isWhole};
	for (uint32_t i = 0; i < world->liveMeshes.count; ++i)
	{
		const MeshShape* shape = world->liveMeshes.data[i].shape;
		if (drapeSweep_MeetsTree(&alone, &shape->tree, shape->triangle, shape->from, near))
			return false;
	}
	if (drapeSweep_MeetsBodies(&alone, &world->broadPhase, world->gatheredColliders))
		return false;
	// Changes follow each other: what one has left is in the way of the next.
	return !sweep->isWhole || (!MeetsSwept(world, cloth, sweep) && AddSwept(world, cloth, sweep));
}
