// SPDX-License-Identifier: MIT
#include "world/contact_input.h"
#include "world/world.h"

// One adaptation pass of a cloth: budget, criteria, scheme, and new particles out of colliders.

// Joins the world's colliders and the application's callback to one callback for the criteria.
typedef struct InsideContext
{
	const Cloth* cloth;
	drapeCollisionCriterion own;
} InsideContext;

static bool IsInside(drapeVec3 point, void* context)
{
	const InsideContext* c = context;
	return (c->own.colliders && drapeScenery_IsInside(c->cloth, point)) ||
	       (c->own.inside && c->own.inside(point, c->own.context));
}

// The same for colliders that stand still. The criteria store the answer with the clearance in which it holds.
static bool IsInsideCollider(Vec3 point, float maxClearance, float* clearance, void* context)
{
	ContactDef contact = drapeScenery_Contact(context);
	return clearance ? drapeContact_ContainsAround(&contact, point, maxClearance, clearance)
	                 : drapeContact_Contains(&contact, point);
}

// The largest depth inside colliders, m, of sample points on the faces of a sweep. `weights` gives the points.
static float DepthOfFaces(const Cloth* cloth, const Vec3* corner, const float (*weights)[4], uint32_t count)
{
	float depth = 0.0f;
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 point = {0.0f, 0.0f, 0.0f};
		for (int k = 0; k < 4; ++k)
			point = V3Add(point, V3Scale(weights[i][k], corner[k]));
		depth = MaxNumF(depth, drapeScenery_Depth(cloth, point));
	}
	return depth;
}

#define THIRD (1.0f / 3.0f)

// Weights of the sample points by corner. A flip has points along its edge and in the centres of its faces. A particle
// that goes has points on the faces around it, before, and on the face that is left, after.
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
	uint32_t index; // index of the cloth in the description for the contact stage
} SweepContext;

// True when a change of the mesh takes the surface no deeper into colliders. With contact "all" it may not touch
// anything.
static bool SweepIsFree(const SurfaceSweep* sweep, void* context)
{
	const SweepContext* c = context;
	drapeWorld* world = c->world;
	DRAPE_ASSERT(c->index != DRAPE_NONE);
	if (c->cloth->contact == drape_contactAll)
	{
		// Joins that do not fit into the step are left to later passes.
		if (!drapeDeadline_Fits(&world->deadline, 0.0))
			return false;
		Deadline_Count(&world->deadline, workSweep, 1);
		return drapeContactStage_IsFree(&world->contact, c->index, sweep);
	}
	const bool isFlip = sweep->isFlip;
	float after = DepthOfFaces(c->cloth, sweep->corner, isFlip ? flipAfter : goesAfter, isFlip ? 5 : 4);
	if (after == 0.0f)
		return true;
	float rounding = 1e-4f * V3Length(V3Sub(sweep->corner[1], sweep->corner[0]));
	return after <= DepthOfFaces(c->cloth, sweep->corner, isFlip ? flipBefore : goesBefore, isFlip ? 5 : 4) + rounding;
}

static float CameraDistance(const drapeWorld* world, const Cloth* cloth)
{
	// The first particles are the vertices of the pattern. The distance is that of their mean.
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < cloth->pattern->vertexCount; ++i)
		sum = V3Add(sum, V4Xyz(cloth->active.position[i]));
	return V3Length(V3Sub(V3Scale(1.0f / (float)cloth->pattern->vertexCount, sum), world->camera));
}

// A position outside of all colliders: along the normal out of meshes, then the shortest displacement out of the rest.
static Vec3 PositionOutside(const ContactDef* contact, const ActiveMesh* active, uint32_t particle)
{
	Vec3 position = V4Xyz(active->position[particle]), normal = V4Xyz(active->normal[particle]);
	const ParticleParents* parents = &active->parents[particle];
	DRAPE_ASSERT(parents->parent[0] != DRAPE_NONE && parents->parent[1] != DRAPE_NONE);
	const Vec3 beside[2] = {V4Xyz(active->position[parents->parent[0]]), V4Xyz(active->position[parents->parent[1]])};
	for (uint32_t k = 0; k < contact->meshCount; ++k)
		drapeMeshCollider_LeaveAlong(&contact->meshes[k], contact, normal, beside, &position);
	drapeContact_PushOut(contact, &position);
	return position;
}

// Moves new particles out of colliders. Their velocities stay (Simnett et al. 2010, 7.1).
static void PushOutCreated(Cloth* cloth)
{
	ContactDef contact = drapeScenery_Contact(cloth);
	contact.thickness = cloth->simulation.model.material.thickness;
	drapePainted_DescribeContact(cloth, &contact);
	const ChangeLog* log = &cloth->active.log;
	for (uint32_t i = 0; i < log->created.count && !drapeScenery_IsEmpty(cloth); ++i)
	{
		Vec4* row = &cloth->active.position[log->created.data[i]];
		if (!(row->w > 0.0f))
			continue;
		const ContactDef own = ContactDef_Of(&contact, log->created.data[i]);
		Vec3 out = PositionOutside(&own, &cloth->active, log->created.data[i]);
		*row = (Vec4){out.x, out.y, out.z, row->w};
	}
}

// Every change of the mesh costs an update of model and solver, and a new tree. Returns whether a limit of time or work
// leaves a pass out that would change little.
static bool IsHardlyWorthwhile(Cloth* cloth, const AdaptRequest* request)
{
	const ActiveMesh* active = &cloth->active;
	uint32_t asked = BitSet_CountSet(request->split, active->edgeCount);
	asked += BitSet_CountSet(request->join, active->particleCount);
	if (request->refine)
		asked += BitSet_CountSet(request->refine, active->triangleCount);
	return drapeBudget_LeavesOut(&cloth->budget, asked, active->triangleCount);
}

drapeResult drapeCloth_RunAdaptation(drapeWorld* world, Cloth* cloth, AdaptCounts* counts)
{
	drapeAdaptDef adapt = cloth->adapt;
	DRAPE_ASSERT(drapeCloth_IsUsed(cloth));
	InsideContext inside = {cloth, adapt.collision};
	if (adapt.collision.colliders)
	{
		adapt.collision.inside = IsInside;
		adapt.collision.context = &inside;
	}
	// The application's own obstacles may change at any time.
	bool mayRemember = inside.own.colliders && !inside.own.inside && !cloth->seen.moves;
	cloth->criteria.obstacles.ask = mayRemember ? IsInsideCollider : NULL;
	cloth->criteria.obstacles.context = cloth;
	cloth->criteria.obstacles.revision = world->sceneryRevision;
	drapeBudget_Apply(&cloth->budget, &cloth->active, CameraDistance(world, cloth), &adapt);
	*counts = (AdaptCounts){0};
	const bool needsColors = drapeCriteria_NeedColors(&adapt);
	if ((needsColors && !drapeModel_Follow(&cloth->simulation.model, &cloth->active, world->tasks)) ||
	    !drapeCriteria_Evaluate(&cloth->criteria, &adapt, &cloth->active,
	                            needsColors ? &cloth->simulation.model.triangles : NULL, world->tasks))
		return drape_errorMemory;
	Deadline_Count(&world->deadline, workAdapt, cloth->active.triangleCount);
	AdaptRequest request = drapeCriteria_Request(&cloth->criteria, &adapt);
	if (IsHardlyWorthwhile(cloth, &request))
	{
		drapeCriteria_Follow(&cloth->criteria, &adapt, &cloth->active, false);
		return drape_ok;
	}
	SweepContext sweeping = {world, cloth, drapeContactStage_FindCloth(&world->contact, cloth->slot)};
	if (cloth->contact == drape_contactAll &&
	    (!drapeWorld_DescribeStitches(world) || !drapeContactStage_Look(&world->contact)))
	{
		drapeCriteria_Revert(&cloth->criteria, &cloth->active);
		return drape_errorMemory;
	}
	if (cloth->contact == drape_contactAll || (!drapeScenery_IsEmpty(cloth) && adapt.scheme == drape_schemeSqrt3))
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
		drapePins_PinCreated(cloth);
	// With contact "all" new particles stay where they are: the solver brings them to the thickness, and impacts keep
	// the surfaces apart.
	if (hasChanged && cloth->contact == drape_contactParticles)
		PushOutCreated(cloth);
	drapeColumns_Complete(&cloth->active);
	return drape_ok;
}
