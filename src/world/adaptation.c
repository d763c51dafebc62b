// SPDX-License-Identifier: MIT
#include "world/world.h"

// One adaptation pass of a cloth: budget, criteria, scheme, and new particles out of colliders.

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
	uint32_t index; // of the cloth in the contact stage's description
} SweepContext;

// Whether the cloth gets no deeper into the colliders than it was, and meets no cloth that it is to be kept out of.
static bool SweepIsFree(const SurfaceSweep* sweep, void* context)
{
	const SweepContext* c = context;
	drapeWorld* world = c->world;
	if (c->cloth->contact == drape_contactAll)
		return drapeContactStage_IsFree(&world->contact, c->index, sweep);
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
	SweepContext sweeping = {world, cloth, drapeContactStage_FindCloth(&world->contact, cloth->slot)};
	if (cloth->contact == drape_contactAll && !drapeContactStage_Look(&world->contact))
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
