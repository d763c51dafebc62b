// SPDX-License-Identifier: MIT
#include "world/guard.h"
#include "world/world.h"

#include "base/timer.h"
#include "surface/surface.h"

#include <stdio.h>
#include <string.h>

// The step, stage by stage (docs/architecture.md).

// --- adapt ----------------------------------------------------------------------------------------------------------

bool drapeCloth_Follow(drapeWorld* world, Cloth* cloth)
{
	ClothSimulation* simulation = &cloth->simulation;
	if (!drapeModel_Follow(&simulation->model, &cloth->active, world->tasks))
		return false;
	if (simulation->model.usesEdges && !drapeStretchLimit_Follow(&simulation->stretchLimit, &cloth->active))
		return false;
	if (!drapeIntegrator_IsImplicit(simulation->solver.integrator))
		return true;
	return drapeImplicitSolver_Follow(&simulation->implicit, &cloth->active, &simulation->model, world->tasks);
}

// The world's colliders and the program's callback, as one callback for the criteria.
typedef struct InsideContext
{
	const drapeWorld* world;
	drapeCollisionCriterion own;
} InsideContext;

static bool IsInside(drapeVec3 point, void* context)
{
	const InsideContext* c = context;
	return (c->own.colliders && drapeScenery_IsInside(c->world, point)) ||
	       (c->own.inside && c->own.inside(point, c->own.context));
}

// Colliders that stand still, for what is remembered of them.
static bool IsInsideCollider(Vec3 point, float reach, float* clearance, void* context)
{
	ContactDef contact = drapeScenery_Contact(context);
	return clearance ? drapeContact_ContainsAround(&contact, point, reach, clearance)
	                 : drapeContact_Contains(&contact, point);
}

// The greatest depth in the colliders of points on the faces of a sweep, given by their weights.
static float DepthOfFaces(const drapeWorld* world, const Vec3* corner, const float (*weights)[4], uint32_t count)
{
	float depth = 0.0f;
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 point = {0.0f, 0.0f, 0.0f};
		for (int k = 0; k < 4; ++k)
			point = V3Add(point, V3Scale(weights[i][k], corner[k]));
		depth = fmaxf(depth, drapeScenery_Depth(world, point));
	}
	return depth;
}

#define THIRD (1.0f / 3.0f)

// By corner: along the edge and in the middle of the faces beside it, before and after a flip; on the faces around the
// particle that goes, and on the one that is left.
static const float flipBefore[5][4] = {
	{0.75f, 0.25f, 0, 0}, {0.5f, 0.5f, 0, 0}, {0.25f, 0.75f, 0, 0}, {THIRD, THIRD, THIRD, 0}, {THIRD, THIRD, 0, THIRD}};
static const float flipAfter[5][4] = {
	{0, 0, 0.75f, 0.25f}, {0, 0, 0.5f, 0.5f}, {0, 0, 0.25f, 0.75f}, {THIRD, 0, THIRD, THIRD}, {0, THIRD, THIRD, THIRD}};
static const float goesBefore[4][4] = {
	{0, 0, 0, 1}, {THIRD, THIRD, 0, THIRD}, {0, THIRD, THIRD, THIRD}, {THIRD, 0, THIRD, THIRD}};
static const float goesAfter[4][4] = {
	{THIRD, THIRD, THIRD, 0}, {0.5f, 0.25f, 0.25f, 0}, {0.25f, 0.5f, 0.25f, 0}, {0.25f, 0.25f, 0.5f, 0}};

typedef struct SweepContext
{
	drapeWorld* world;
	const Cloth* cloth;
} SweepContext;

// Whether the cloth gets no deeper into the colliders than it was, and meets no cloth that it is to be kept out of.
static bool SweepIsFree(const SurfaceSweep* sweep, void* context)
{
	const SweepContext* c = context;
	drapeWorld* world = c->world;
	if (c->cloth->contact == drape_contactAll)
		return drapeContactStage_IsFree(world, c->cloth, sweep);
	const bool isFlip = sweep->isFlip;
	float after = DepthOfFaces(world, sweep->corner, isFlip ? flipAfter : goesAfter, isFlip ? 5 : 4);
	if (after == 0.0f)
		return true;
	float rounding = 1e-4f * V3Length(V3Sub(sweep->corner[1], sweep->corner[0]));
	return after <= DepthOfFaces(world, sweep->corner, isFlip ? flipBefore : goesBefore, isFlip ? 5 : 4) + rounding;
}

static float CameraDistance(const drapeWorld* world, const Cloth* cloth)
{
	// To the middle of the pattern's vertices, which are the first particles.
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < cloth->pattern.vertexCount; ++i)
		sum = V3Add(sum, V4Xyz(cloth->active.position[i]));
	return V3Length(V3Sub(V3Scale(1.0f / (float)cloth->pattern.vertexCount, sum), world->camera));
}

// Out of the meshes that it is in, along its normal, and whatever it still is in by the shortest way.
static Vec3 WayOut(const ContactDef* contact, const ActiveMesh* active, uint32_t particle)
{
	Vec3 position = V4Xyz(active->position[particle]), normal = V4Xyz(active->normal[particle]);
	const ParticleParents* parents = &active->parents[particle];
	const Vec3 beside[2] = {V4Xyz(active->position[parents->parent[0]]), V4Xyz(active->position[parents->parent[1]])};
	for (uint32_t k = 0; k < contact->meshCount; ++k)
		drapeMeshCollider_LeaveAlong(&contact->meshes[k], contact, normal, beside, &position);
	drapeContact_PushOut(contact, &position);
	return position;
}

// Out of the colliders, with the velocity it was born with (Simnett et al. 2010, 7.1).
static void PushOutBorn(const drapeWorld* world, Cloth* cloth)
{
	ContactDef contact = drapeScenery_Contact(world);
	contact.thickness = cloth->simulation.model.material.thickness;
	const ChangeLog* log = &cloth->active.log;
	for (uint32_t i = 0; i < log->born.count && !drapeScenery_IsEmpty(world); ++i)
	{
		Vec4* row = &cloth->active.position[log->born.data[i]];
		if (!(row->w > 0.0f))
			continue;
		Vec3 out = WayOut(&contact, &cloth->active, log->born.data[i]);
		*row = (Vec4){out.x, out.y, out.z, row->w};
	}
}

drapeResult drapeCloth_RunAdaptation(drapeWorld* world, Cloth* cloth, AdaptCounts* counts)
{
	drapeAdaptDef adapt = cloth->adapt;
	InsideContext inside = {world, adapt.collision};
	if (adapt.collision.colliders)
	{
		adapt.collision.inside = IsInside;
		adapt.collision.context = &inside;
	}
	// A program's own obstacles may change without a word.
	bool mayRemember = inside.own.colliders && !inside.own.inside && !world->sceneryMoves;
	cloth->criteria.obstacles.ask = mayRemember ? IsInsideCollider : NULL;
	cloth->criteria.obstacles.context = world;
	cloth->criteria.obstacles.revision = world->sceneryRevision;
	drapeBudget_Apply(&cloth->budget, &cloth->active, CameraDistance(world, cloth), &adapt);
	*counts = (AdaptCounts){0};
	const bool needsColors = drapeCriteria_NeedColors(&adapt);
	if ((needsColors && !drapeModel_Follow(&cloth->simulation.model, &cloth->active, world->tasks)) ||
	    !drapeCriteria_Evaluate(&cloth->criteria, &adapt, &cloth->active,
	                            needsColors ? &cloth->simulation.model.triangles : NULL, world->tasks))
		return drape_errorMemory;
	AdaptRequest request = drapeCriteria_Request(&cloth->criteria, &adapt);
	SweepContext sweeping = {world, cloth};
	if (cloth->contact == drape_contactAll && !drapeContactStage_Look(world))
	{
		drapeCriteria_Revert(&cloth->criteria, &cloth->active);
		return drape_errorMemory;
	}
	if (cloth->contact == drape_contactAll || (!drapeScenery_IsEmpty(world) && adapt.scheme == drape_schemeSqrt3))
	{
		request.isFree = SweepIsFree;
		request.isFreeContext = &sweeping;
	}
	drapeResult result = cloth->scheme->type->adapt(cloth->scheme, &request, counts);
	if (result != drape_ok)
	{
		drapeCriteria_Revert(&cloth->criteria, &cloth->active);
		return result;
	}
	drapeBudget_Learn(&cloth->budget, counts);
	bool hasChanged = counts->splits + counts->joins > 0;
	drapeCriteria_Follow(&cloth->criteria, &adapt, &cloth->active, hasChanged);
	if (hasChanged)
		drapePins_Born(cloth);
	// With contact "all" new particles stay where they are: the solver brings them to the thickness, and impacts keep
	// the surfaces apart.
	if (hasChanged && cloth->contact == drape_contactParticles)
		PushOutBorn(world, cloth);
	drapeColumns_Complete(&cloth->active);
	return drape_ok;
}

// A pass is due when its time has come by the end of half a step, so that rates that divide each other stay in phase.
static bool AdaptationIsDue(const drapeWorld* world, float dt)
{
	return world->time + 0.5 * (double)dt >= world->nextAdaptation;
}

// The text is there already when the cloth blew up.
static drapeResult Fail(drapeWorld* world, uint32_t slot, drapeResult result)
{
	world->failure.time = world->time;
	world->failure.cloth = slot < world->cloths.count ? drapeCloth_Id(world, slot) : (drapeClothId){0};
	if (result != drape_errorUnstable)
		snprintf(world->failure.text, sizeof world->failure.text, "%s", drapeResult_String(result));
	return result;
}

static drapeResult AdaptAll(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth) || cloth->adapt.scheme == drape_schemeFixed)
			continue;
		AdaptCounts counts;
		uint64_t start = drapeTimer_Now();
		drapeResult result = drapeCloth_RunAdaptation(world, cloth, &counts);
		cloth->costs.adaptMs += drapeTimer_Ms(start);
		cloth->costs.splits += counts.splits;
		cloth->costs.joins += counts.joins;
		if (result != drape_ok)
			return Fail(world, i, result);
	}
	return drape_ok;
}

// --- simulate and surface -------------------------------------------------------------------------------------------

void drapeCloth_UpdateNormals(drapeWorld* world, Cloth* cloth)
{
	if (drapeModel_Follow(&cloth->simulation.model, &cloth->active, world->tasks))
		drapeSurface_UpdateNormals(&cloth->active, &cloth->simulation.model.triangles, world->tasks);
}

static void UpdateSurface(drapeWorld* world, Cloth* cloth)
{
	uint64_t start = drapeTimer_Now();
	drapeCloth_UpdateNormals(world, cloth);
	cloth->costs.surfaceMs += drapeTimer_Ms(start);
}

static uint32_t SlotOf(const drapeWorld* world, const Cloth* cloth)
{
	uint32_t slot = 0;
	while (world->cloths.data[slot] != cloth)
		slot++;
	return slot;
}

// One cloth, or several together. What they cost is shared by their triangles.
static drapeResult Simulate(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt)
{
	Cloth* failed;
	uint64_t start = drapeTimer_Now();
	drapeResult result =
		drapeCloths_Simulate(world, cloths, count, dt, &failed, world->failure.text, sizeof world->failure.text);
	double ms = drapeTimer_Ms(start), triangles = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		ms -= cloths[i]->costs.contactMs;
		triangles += (double)cloths[i]->active.triangleCount;
	}
	for (uint32_t i = 0; i < count; ++i)
		cloths[i]->costs.simulateMs += ms * (double)cloths[i]->active.triangleCount / triangles;
	return result == drape_ok ? drape_ok : Fail(world, SlotOf(world, failed), result);
}

// Whether the cloth is one of those that are solved together.
static bool IsTogether(const drapeWorld* world, const Cloth* cloth)
{
	return cloth->system < world->together.count && world->together.data[cloth->system] == cloth;
}

static drapeResult SimulateAll(drapeWorld* world, float dt)
{
	if (world->together.count > 0)
	{
		drapeResult together = Simulate(world, world->together.data, world->together.count, dt);
		if (together != drape_ok)
			return together;
	}
	drapeResult result = drape_ok;
	uint32_t next = 0;
	while (result == drape_ok && next < world->cloths.count)
	{
		Cloth* cloth = world->cloths.data[next];
		if (drapeCloth_IsUsed(cloth) && !IsTogether(world, cloth))
			result = Simulate(world, &cloth, 1, dt);
		next += result == drape_ok;
	}
	if (result == drape_ok)
		return result;
	// Those before the one that failed, which is as it was; and those that went together, which came first.
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (drapeCloth_IsUsed(cloth) && (i < next || IsTogether(world, cloth)))
			drapeCloth_Undo(cloth);
	}
	return result;
}

static drapeResult PrepareContact(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	bool isDone = drapeContactStage_Prepare(world, dt);
	world->collideMs += drapeTimer_Ms(start);
	return isDone ? drape_ok : Fail(world, 0, drape_errorMemory);
}

static drapeResult ResolveImpacts(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	bool isDone = drapeContactStage_Resolve(world, dt);
	world->collideMs += drapeTimer_Ms(start);
	if (isDone)
		return drape_ok;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			drapeCloth_Undo(world->cloths.data[i]);
	}
	return Fail(world, 0, drape_errorMemory);
}

static void ClearCosts(drapeWorld* world)
{
	world->animateMs = world->collideMs = 0.0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
		world->cloths.data[i]->costs = (ClothCosts){0};
}

static void Animate(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	drapeScenery_Animate(world, dt);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			drapePins_Animate(world, world->cloths.data[i], dt);
	}
	world->animateMs = drapeTimer_Ms(start);
}

static void Publish(drapeWorld* world, float dt)
{
	drapeScenery_Finish(world);
	world->time += (double)dt;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth))
			continue;
		UpdateSurface(world, cloth);
		drapePins_Finish(cloth);
		cloth->costs.contacts = BitSet_CountSet(
			&cloth->simulation.contacts, MinU32(cloth->active.particleCount, cloth->simulation.contacts.capacity));
		const ClothCosts* costs = &cloth->costs;
		drapeBudget_AddCost(&cloth->budget,
		                    (float)(costs->adaptMs + costs->simulateMs + costs->contactMs + costs->surfaceMs),
		                    cloth->active.triangleCount);
	}
}

static drapeResult RunStages(drapeWorld* world, float dt)
{
	ClearCosts(world);
	Animate(world, dt);
	if (AdaptationIsDue(world, dt))
	{
		drapeResult adapted = AdaptAll(world);
		if (adapted != drape_ok)
		{
			drapeScenery_Revert(world);
			return adapted;
		}
		world->nextAdaptation = fmax(world->nextAdaptation + world->adaptPeriod, world->time);
	}
	drapeResult simulated = PrepareContact(world, dt);
	if (simulated == drape_ok)
		simulated = SimulateAll(world, dt);
	if (simulated == drape_ok)
		simulated = ResolveImpacts(world, dt);
	if (simulated != drape_ok)
	{
		world->contactCache.now.count = 0; // what a step that did not happen did to points
		drapeScenery_Revert(world);
		return simulated;
	}
	Publish(world, dt);
	return drape_ok;
}

drapeResult drapeWorld_Step(drapeWorldId id, float dt)
{
	bool isValid = id.world && dt > 0.0f && isfinite(dt);
	DRAPE_ASSERT(isValid);
	if (!isValid)
		return drape_errorArgument;
	drapeTaskPool_SetAlert(id.world->tasks, true);
	drapeResult result = RunStages(id.world, dt);
	drapeTaskPool_SetAlert(id.world->tasks, false);
	return result;
}

drapeStepFailure drapeWorld_GetFailure(drapeWorldId id)
{
	DRAPE_ASSERT(id.world);
	return id.world ? id.world->failure : (drapeStepFailure){0};
}

double drapeWorld_GetTime(drapeWorldId id)
{
	DRAPE_ASSERT(id.world);
	return id.world ? id.world->time : 0.0;
}
