// SPDX-License-Identifier: MIT
#include "world/contact_input.h"

#include "base/checks/values.h"
#include "base/transform.h"
#include "contact/thickness.h"
#include "mesh/check.h"
#include "mesh/geometry.h"
#include "surface/surface.h"
#include "world/pattern/cooked.h"
#include "world/history.h"
#include "world/live/live.h"
#include "world/world.h"

#include <string.h>

enum
{
	clothCookie = 0x64636c6f,
};

drapeClothDef drapeDefaultClothDef(void)
{
	drapeClothDef def = {
		.rest = drapeDefaultRestDef(),
		.model = drape_modelFem,
		.springs = drapeDefaultSpringDef(),
		.solver = drapeDefaultSolverDef(),
		.adapt = drapeDefaultAdaptDef(),
		.filter = drapeDefaultFilter(),
		.transform = drapeIdentityTransform(),
		.gravityScale = 1.0f,
		.inertia = {1.0f, 1.0f},
		.sleep = {.time = 1.0f},
		.cookie = clothCookie,
	};
	drapeMaterial_GetPreset("curtain", &def.material, NULL);
	return def;
}

// --- handles --------------------------------------------------------------------------------------------------------

bool drapeCloth_IsUsed(const Cloth* cloth)
{
	return cloth && (cloth->generation & 1);
}

static Cloth* FindCloth(drapeClothId id)
{
	const drapeWorld* world = drapeWorlds_Find(id.world);
	if (!world || id.index1 == 0 || id.index1 > world->cloths.count)
		return NULL;
	Cloth* cloth = world->cloths.data[id.index1 - 1];
	return drapeCloth_IsUsed(cloth) && (uint16_t)cloth->generation == id.generation ? cloth : NULL;
}

Cloth* drapeCloth_Get(drapeClothId id)
{
	Cloth* cloth = FindCloth(id);
	if (!cloth)
		drapeHandle_Refuse(id.world, "cloth");
	return cloth;
}

const drapePattern* drapeCloth_GetPattern(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->shared : NULL;
}

drapeWorldId drapeCloth_GetWorld(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->world->id : (drapeWorldId){0};
}

drapeResult drapeCloth_SetUserData(drapeClothId id, void* userData)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	cloth->userData = userData;
	return drape_ok;
}

void* drapeCloth_GetUserData(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->userData : NULL;
}

bool drapeCloth_IsValid(drapeClothId id)
{
	return FindCloth(id) != NULL;
}

// Index of a free slot, or of a new one; DRAPE_NONE when out of memory.
static uint32_t FreeSlot(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (!drapeCloth_IsUsed(world->cloths.data[i]))
			return i;
	}
	Cloth* cloth = drapeMemAllocZero(sizeof *cloth);
	if (!cloth)
		return DRAPE_NONE;
	if (!ArrayReserve(&world->cloths, world->cloths.count + 1))
	{
		drapeMemFree(cloth, sizeof *cloth);
		return DRAPE_NONE;
	}
	cloth->world = world;
	cloth->slot = world->cloths.count;
	ArrayPush(&world->cloths, cloth);
	return cloth->slot;
}

// --- creation -------------------------------------------------------------------------------------------------------

static void Validate(const Cloth* cloth)
{
#ifdef DRAPE_VALIDATE
	const char* wrong = drapeCloth_Validate(cloth);
	if (wrong && drapeInternalAssert(wrong, __FILE__, __LINE__))
		DRAPE_BREAK();
#else
	(void)cloth;
#endif
}

static drapeResult CreateScheme(Cloth* cloth, EdgePools* pools)
{
	cloth->active.hasTexcoords = cloth->pattern->texcoords != NULL;
	if (cloth->adapt.scheme == drape_schemeEdge)
		return drapeEdgeScheme_Create(&cloth->scheme, pools, cloth->pattern, &cloth->active);
	if (cloth->adapt.scheme == drape_schemeSqrt3)
		return drapeSqrt3Scheme_Create(&cloth->scheme, cloth->pattern, &cloth->active);
	return drapeFixedScheme_Create(&cloth->scheme, cloth->pattern, &cloth->active);
}

static void FreeSimulation(ClothSimulation* simulation)
{
	drapeModel_Destroy(&simulation->model);
	drapeStretchLimit_Destroy(&simulation->stretchLimit);
	drapeEdgeLimits_Destroy(&simulation->edgeLimits);
	drapeImplicitSolver_Destroy(&simulation->implicit);
	ArrayFree(&simulation->target);
	ArrayFree(&simulation->outside);
	ArrayFree(&simulation->contactNormal);
	ArrayFree(&simulation->surfaceDisplacement);
	ArrayFree(&simulation->unlimited);
	ArrayFree(&simulation->scratch);
	ArrayFree(&simulation->savedPosition);
	ArrayFree(&simulation->savedVelocity);
	ArrayFree(&simulation->savedBendSet);
	ArrayFree(&simulation->stiffness);
	ArrayFree(&simulation->savedPinch);
	ArrayFree(&simulation->savedSkinLoad);
	drapePassed_Destroy(&simulation->passed);
	ArrayFree(&simulation->savedFriction);
	ArrayFree(&simulation->released);
	ArrayFree(&simulation->releasedRows);
	ArrayFree(&simulation->surveys);
	BitSet_Free(&simulation->contacts);
	BitSet_Free(&simulation->attached);
	BitSet_Free(&simulation->narrow);
}

void drapeCloth_Free(Cloth* cloth)
{
	if (cloth->scheme)
		cloth->scheme->type->destroy(cloth->scheme);
	FreeSimulation(&cloth->simulation);
	drapeActiveMesh_Destroy(&cloth->active);
	drapeCriteria_Destroy(&cloth->criteria);
	drapeBroadPhaseCloth_Destroy(&cloth->broadPhase);
	drapeVertexMap_Destroy(&cloth->vertices);
	ArrayFree(&cloth->pins);
	drapeSeenScenery_Free(&cloth->seen);
	drapeQueryTree_Destroy(&cloth->query);
	drapePattern_Leave(cloth->shared); // last: the cloth may borrow from it
	*cloth = (Cloth){.world = cloth->world, .slot = cloth->slot, .generation = cloth->generation};
}

static bool IsUsablePoint(Vec3 x)
{
	return CoordinateIsUsable(x.x) && CoordinateIsUsable(x.y) && CoordinateIsUsable(x.z);
}

// Rotation and translation of a definition, without its scale.
static drapeTransform PlaceOf(const drapeTransform* transform)
{
	return (drapeTransform){transform->position, drapeQuat_Normalize(transform->rotation), 1.0f};
}

// Turns and moves the new particles from where the pattern has them.
static void Place(drapeWorld* world, Cloth* cloth)
{
	const drapeTransform at = PlaceOf(&cloth->transform);
	if (drapeTransform_Equal(at, drapeIdentityTransform()))
		return;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		Vec4* row = &cloth->active.position[i];
		Vec3 x = drapeTransform_Point(at, V4Xyz(*row));
		*row = (Vec4){x.x, x.y, x.z, row->w};
	}
	drapeCloth_UpdateNormals(world, cloth);
}

// The report on the mesh is about coordinates that are out of range before.
static drapeResult CheckPlace(const drapeClothDef* def, drapeMessage* message)
{
	const drapeTransform at = PlaceOf(&def->transform);
	const Vec3* positions = def->mesh ? def->mesh->positions : def->pattern->mesh.positions;
	uint32_t count = def->mesh ? def->mesh->vertexCount : def->pattern->mesh.vertexCount;
	if (def->pattern && def->transform.scale != 1.0f)
		return drapeRefuse(message, "transform.scale is %g, expected 1 with a pattern", (double)def->transform.scale);
	for (uint32_t i = 0; positions && i < count; ++i)
	{
		const Vec3 scaled = V3Scale(def->transform.scale, positions[i]);
		if (IsUsablePoint(scaled) && !IsUsablePoint(drapeTransform_Point(at, scaled)))
			return drapeRefuse(message, "transform takes vertex %u of the mesh beyond 1e9 m", i);
	}
	return drape_ok;
}

static ClothBody BodyOf(const drapeClothDef* def)
{
	return (ClothBody){.model = def->model, .material = def->material, .springs = def->springs, .solver = def->solver};
}

bool drapeCloth_Init(Cloth* cloth, const drapeClothDef* def)
{
	cloth->active.density = def->material.density;
	drapePainted_Init(cloth);
	cloth->adapt = def->adapt;
	cloth->budget = (Budget){.def = def->budget};
	cloth->pinMiddles = def->pinMiddles;
	cloth->userData = def->userData;
	cloth->contact = def->contact;
	cloth->filter = def->filter;
	cloth->previousPositions = DRAPE_NONE;
	drapeBroadPhaseCloth_Init(&cloth->broadPhase);
	cloth->gravityScale = def->gravityScale;
	cloth->transform = def->transform;
	cloth->inertia = def->inertia;
	cloth->sleep.def = def->sleep;
	cloth->frame = (ClothFrame){.from = drapeIdentityTransform(), .to = drapeIdentityTransform()};
	cloth->simulation.solver = def->solver;
	const ClothBody body = BodyOf(def);
	drapeClothBody_InitModel(&body, &cloth->simulation.model);
	drapeCloth_ClearHistory(cloth);
	drapeImplicitSolver_InitOn(&cloth->simulation.implicit, cloth->base);
	return drapeCloth_AddHistory(cloth, drapeIntegrator_IsImplicit(def->solver.integrator));
}

drapeResult drapeCloth_Build(Cloth* cloth, const drapeClothDef* def, EdgePools* pools, TaskPool* tasks)
{
	drapeResult result = CreateScheme(cloth, pools);
	cloth->active.revision = 1;
	if (result == drape_ok && (!drapePainted_SetAll(cloth, def->vertexValues) || !drapeCloth_FollowMesh(cloth, tasks)))
		result = drape_errorMemory;
	if (result == drape_ok)
		drapeSurface_UpdateNormals(&cloth->active, &cloth->simulation.model.triangles, tasks);
	return result;
}

// A pattern of the cloth's own, of the scaled mesh. Rotation and translation are not part of it.
static drapeResult CreatePattern(const drapeClothDef* def, drapeMessage* message, drapePattern** pattern)
{
	drapeMesh mesh = *def->mesh;
	drapePatternDef own = drapeDefaultPatternDef();
	own.mesh = &mesh;
	own.rest = def->rest;
	own.report = def->report;
	if (def->transform.scale == 1.0f || !mesh.positions || mesh.vertexCount == 0)
		return drapeCreatePattern(&own, pattern, message);
	Vec3* scaled = drapeMemAllocArray(mesh.vertexCount, sizeof *scaled);
	if (!scaled)
		return drapeFail_Memory(message);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		scaled[i] = V3Scale(def->transform.scale, mesh.positions[i]);
	mesh.positions = scaled;
	drapeResult result = drapeCreatePattern(&own, pattern, message);
	drapeMemFree(scaled, mesh.vertexCount * sizeof *scaled);
	return result;
}

// The pattern of the definition, or one of the cloth's own. `message` is NULL or receives a sentence about the mesh.
static drapeResult TakePattern(const drapeClothDef* def, drapeMessage* message, Cloth* cloth)
{
	drapeResult result = drape_ok;
	if (def->pattern)
	{
		cloth->shared = drapePattern_Use(def->pattern);
	}
	else
	{
		result = CreatePattern(def, message, &cloth->shared);
	}
	if (result == drape_ok)
	{
		cloth->pattern = &cloth->shared->mesh;
		cloth->base = &cloth->shared->base;
	}
	return result;
}

// A cloth with a pattern of its own has the arrays alone, so that nothing is kept twice when it changes them.
static drapeResult Fill(drapeWorld* world, const drapeClothDef* def, Cloth* cloth)
{
	const CookedCloth* cooked = NULL;
	if (!drapeCloth_Init(cloth, def) || !drapeScenery_ReserveSeen(cloth, def->filter))
		return drape_errorMemory;
	drapeResult result = def->pattern ? drapePattern_Cook(def->pattern, def, world->tasks, &cooked) : drape_ok;
	if (result != drape_ok)
		return result;
	if (!cooked)
		return drapeCloth_Build(cloth, def, &world->edgePools, world->tasks);
	bool isDone = drapeCooked_Lend(cooked, &world->edgePools, cloth) && drapePainted_SetAll(cloth, def->vertexValues) &&
	              drapeCloth_Follow(world, cloth);
	return isDone ? drape_ok : drape_errorMemory;
}

static drapeResult CreateCloth(drapeWorld* world, const drapeClothDef* def, Cloth* cloth)
{
	drapeResult result = TakePattern(def, &world->message, cloth);
	if (result != drape_ok)
		return result;
	result = Fill(world, def, cloth);
	if (result != drape_ok)
	{
		drapeCloth_Free(cloth);
		return drapeWorld_Fail(world, result, "%s", drapeResult_GetText(result));
	}
	Place(world, cloth);
	cloth->generation++;
	drapeScenery_ListSeen(cloth);
	Validate(cloth);
	return drape_ok;
}

static drapeResult CheckDef(const drapeClothDef* def, drapeMessage* message)
{
	if (!def || def->cookie != clothCookie)
		return drapeRefuse(message, "the definition of the cloth is not initialised, expected drapeDefaultClothDef");
	if (!def->mesh && !def->pattern)
		return drapeRefuse(message, "mesh and pattern are NULL, expected one of them");
	if (def->mesh && def->pattern)
		return drapeRefuse(message, "mesh and pattern are both given, expected one of them");
	const ClothBody body = BodyOf(def);
	drapeResult result = drapePlacement_Check("transform", &def->transform, message);
	if (result == drape_ok)
		result = drapeContactMode_Check(def->contact, message);
	if (result == drape_ok && def->mesh)
		result = drapeMesh_CheckArguments(def->mesh, &def->rest, message);
	if (result == drape_ok)
		result = CheckPlace(def, message);
	if (result == drape_ok)
		result = drapeGravityScale_Check(def->gravityScale, message);
	if (result == drape_ok)
		result = drapeInertia_Check(def->inertia, "inertia.", message);
	if (result == drape_ok)
		result = drapeSleepDef_Check(def->sleep, "sleep.", message);
	if (result == drape_ok)
		result = drapeClothBody_Check(&body, "", message);
	if (result == drape_ok)
		result = drapeBudget_Check(&def->budget, "budget.", message);
	if (result == drape_ok)
		result = drapeCriteria_Check(&def->adapt, "adapt.", message);
	uint32_t vertices = def->mesh ? def->mesh->vertexCount : drapePattern_GetVertexCount(def->pattern);
	for (uint32_t i = 0; i < drape_vertexValueCount && result == drape_ok; ++i)
	{
		if (def->vertexValues[i])
			result = drapePainted_Check(i, def->vertexValues[i], vertices, message);
	}
	return result;
}

drapeResult drapeCreateCloth(drapeWorldId worldId, const drapeClothDef* def, drapeClothId* id)
{
	drapeWorld* world = drapeWorlds_Get(worldId);
	if (id)
		*id = (drapeClothId){0};
	if (!world)
		return drape_errorArgument;
	if (!id)
		return drapeWorld_Refuse(world, "there is nowhere to write the handle of the cloth to");
	drapeResult result = CheckDef(def, &world->message);
	if (result != drape_ok)
		return result;
	uint32_t slot = FreeSlot(world);
	if (slot == DRAPE_NONE)
		return drapeWorld_FailMemory(world);
	result = CreateCloth(world, def, world->cloths.data[slot]);
	if (result == drape_ok)
		*id = drapeCloth_Id(world, slot);
	return result;
}

void drapeCloth_Destroy(Cloth* cloth)
{
	drapeCloth_Free(cloth);
	cloth->generation++;
}

drapeResult drapeDestroyCloth(drapeClothId id)
{
	if (DRAPE_IS_NULL(id))
		return drape_ok;
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	drapeWorld* world = cloth->world;
	drapeClothSleep_ForgetCloth(world, cloth);
	drapeConstraints_ForgetCloth(world, cloth->slot);
	drapeContactPoints_Forget(&world->contact, (ContactSide){.cloth1 = cloth->slot + 1});
	drapeHandles_ReleaseCloth(&world->pins, cloth->slot);
	drapeHandles_ReleaseCloth(&world->columns, cloth->slot);
	drapeCloth_Destroy(cloth);
	return drape_ok;
}

const char* drapeCloth_Validate(const Cloth* cloth)
{
	const Model* model = &cloth->simulation.model;
	const char* wrong = cloth->scheme->type->validate(cloth->scheme);
	if (wrong || model->revision != cloth->active.revision)
		return wrong;
	const ColorGraph* const graphs[] = {&model->stretch, &model->bend, &model->triangles};
	for (int i = 0; i < 3 && !wrong; ++i)
		wrong = drapeColorGraph_Validate(graphs[i], cloth->active.particleCount);
	return wrong;
}

drapeClothId drapeCloth_Id(const drapeWorld* world, uint32_t slot)
{
	return (drapeClothId){slot + 1, world->id.world, (uint16_t)world->cloths.data[slot]->generation};
}

// --- views ----------------------------------------------------------------------------------------------------------

drapeClothView drapeCloth_GetView(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return (drapeClothView){0};
	const ActiveMesh* active = &cloth->active;
	return (drapeClothView){
		.revision = active->revision,
		.particleCount = active->particleCount,
		.positions = active->position,
		.velocities = active->velocity,
		.normals = active->normal,
		.particleLevels = active->level,
		.triangleCount = active->triangleCount,
		.triangles = &active->triangle[0][0],
		.materials = active->material[0].corner,
		.texcoords = active->hasTexcoords ? active->texcoord[0].corner : NULL,
		.patternTriangles = active->patternTriangle,
		.triangleLevels = active->triangleLevel,
		.edgeCount = active->edgeCount,
		.edgeFrom = active->edgeFrom,
		.edgeTo = active->edgeTo,
		.restLengths = active->restLength,
		.edgeLevels = active->edgeLevel,
	};
}

static drapeResult CheckParticle(const Cloth* cloth, uint32_t particle)
{
	if (particle < cloth->active.particleCount)
		return drape_ok;
	return drapeWorld_Refuse(cloth->world, "particle is %u, but the cloth has only %u", particle,
	                         cloth->active.particleCount);
}

bool drapeCloth_IsTouching(drapeClothId id, uint32_t particle)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || CheckParticle(cloth, particle) != drape_ok)
		return false;
	const BitSet* contacts = &cloth->simulation.contacts;
	return particle < contacts->capacity && BitSet_Get(contacts, particle);
}

drapeCarriedThickness drapeCloth_GetCarriedThickness(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return (drapeCarriedThickness){0};
	float asked = cloth->simulation.model.material.thickness;
	if (cloth->contact != drape_contactAll)
		return (drapeCarriedThickness){asked, asked, 0};
	CarriedThickness carried =
		drapeThickness_Examine(&cloth->active, asked, Cloth_Painted(cloth, drape_vertexThickness));
	return (drapeCarriedThickness){asked, carried.least, carried.triangles};
}

_Static_assert(sizeof(drapeParticleMove) == sizeof(ParticleMove), "the log is shown as it is kept");

drapeClothChanges drapeCloth_GetChanges(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return (drapeClothChanges){0};
	const ChangeLog* log = &cloth->active.log;
	return (drapeClothChanges){
		.revision = cloth->active.revision,
		.createdCount = log->created.count,
		.removedCount = log->removed.count,
		.movedCount = log->moved.count,
		.created = log->created.data,
		.removed = log->removed.data,
		.moved = (const drapeParticleMove*)log->moved.data,
	};
}

drapeParticleOrigin drapeCloth_GetOrigin(drapeClothId id, uint32_t particle)
{
	const Cloth* cloth = drapeCloth_Get(id);
	drapeParticleOrigin origin = {0};
	if (!cloth || CheckParticle(cloth, particle) != drape_ok)
		return origin;
	const ParticleParents* parents = &cloth->active.parents[particle];
	while (origin.count < 3 && parents->parent[origin.count] != DRAPE_NONE)
	{
		origin.parents[origin.count] = parents->parent[origin.count];
		origin.weights[origin.count] = parents->weight[origin.count];
		origin.count++;
	}
	return origin;
}

// --- adaptation and editing ------------------------------------------------------------------------------------------

static drapeResult Finish(Cloth* cloth, const AdaptCounts* counts, drapeAdaptResult* result)
{
	Validate(cloth);
	if (result)
		*result = (drapeAdaptResult){counts->splits, counts->joins, counts->splitsBlocked, counts->joinsBlocked,
		                             counts->rebuilt};
	return drape_ok;
}

drapeResult drapeCloth_Adapt(drapeClothId id, drapeAdaptResult* result)
{
	if (result)
		*result = (drapeAdaptResult){0};
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	AdaptCounts counts;
	drapeWorld* world = cloth->world;
	drapeCloth_Wake(cloth);
	drapeScenery_Animate(world, 0.0f);
	drapeResult code =
		drapeWorld_DescribeContact(world) ? drapeCloth_RunAdaptation(world, cloth, &counts) : drape_errorMemory;
	return code == drape_ok ? Finish(cloth, &counts, result)
	                        : drapeWorld_Fail(world, code, "adaptation: %s", drapeResult_GetText(code));
}

drapeAdaptDef drapeCloth_GetAdapt(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->adapt : drapeDefaultAdaptDef();
}

drapeResult drapeCloth_SetAdapt(drapeClothId id, const drapeAdaptDef* adapt)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (!adapt)
		return drapeWorld_Refuse(cloth->world, "adapt is NULL");
	drapeResult result = drapeCriteria_Check(adapt, "", &cloth->world->message);
	if (result != drape_ok)
		return result;
	if (adapt->scheme != cloth->adapt.scheme)
		return drapeWorld_Refuse(cloth->world, "scheme is %d, but that of the cloth is %d and cannot be changed",
		                         (int)adapt->scheme, (int)cloth->adapt.scheme);
	cloth->adapt = *adapt;
	drapeCloth_Wake(cloth);
	return drape_ok;
}

drapeResult drapeCloth_SetBudget(drapeClothId id, const drapeBudgetDef* budget)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (!budget)
		return drapeWorld_Refuse(cloth->world, "budget is NULL");
	drapeResult result = drapeBudget_Check(budget, "", &cloth->world->message);
	if (result != drape_ok)
		return result;
	cloth->budget.def = *budget;
	drapeCloth_Wake(cloth);
	return drape_ok;
}

drapeBudgetDef drapeCloth_GetBudget(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->budget.def : (drapeBudgetDef){0};
}

// Pinches name colliders by their number among those that the cloth touches.
static void ForgetPinches(Cloth* cloth)
{
	PinchState* pinch = Cloth_Pinches(cloth);
	for (uint32_t i = 0; pinch && i < cloth->active.particleCount; ++i)
		pinch[i] = (PinchState){0};
}

void drapeCloth_ForgetColliders(Cloth* cloth)
{
	ForgetPinches(cloth);
	cloth->simulation.nearMeshes = cloth->world->meshesRevision - 1;
	drapeScenery_ListSeen(cloth);
}

drapeResult drapeCloth_SetFilter(drapeClothId id, drapeFilter filter)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (Filters_Equal(filter, cloth->filter))
		return drape_ok;
	if (!drapeScenery_ReserveSeen(cloth, filter))
		return drapeWorld_FailMemory(cloth->world);
	cloth->filter = filter;
	drapeCloth_Wake(cloth);
	cloth->world->sceneryRevision++;
	drapeCloth_ForgetColliders(cloth);
	return drape_ok;
}

drapeFilter drapeCloth_GetFilter(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->filter : (drapeFilter){0};
}

drapeClothDef drapeCloth_GetDef(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	drapeClothDef def = drapeDefaultClothDef();
	if (!cloth)
		return def;
	const ClothSimulation* simulation = &cloth->simulation;
	def.pattern = cloth->shared;
	def.rest = cloth->shared->rest;
	def.material = simulation->model.material;
	def.model = simulation->model.kind;
	def.springs = simulation->model.springs;
	def.solver = simulation->solver;
	def.adapt = cloth->adapt;
	def.budget = cloth->budget.def;
	def.contact = cloth->contact;
	def.filter = cloth->filter;
	def.gravityScale = cloth->gravityScale;
	def.transform = cloth->transform;
	def.inertia = cloth->inertia;
	def.sleep = cloth->sleep.def;
	def.pinMiddles = cloth->pinMiddles;
	def.userData = cloth->userData;
	return def;
}

// One pass for editing: `choose` sets the bits of the request, which are cleared before.
typedef void ChooseFcn(Criteria* bits, const ActiveMesh* active, uint32_t index);

static drapeResult EditPass(drapeClothId id, ChooseFcn* choose, uint32_t index, drapeAdaptResult* result)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	Criteria* bits = &cloth->criteria;
	const ActiveMesh* active = &cloth->active;
	if (!BitSet_Reserve(&bits->split, active->edgeCount) || !BitSet_Reserve(&bits->join, active->particleCount))
		return drapeWorld_FailMemory(cloth->world);
	BitSet_ClearAll(&bits->split, active->edgeCount);
	BitSet_ClearAll(&bits->join, active->particleCount);
	choose(bits, active, index);
	AdaptRequest request = drapeCriteria_Request(bits, &cloth->adapt);
	request.mustSplit = request.refine = NULL;
	request.maxTriangles = 0; // the cap limits criteria, not the program
	AdaptCounts counts;
	drapeResult code = cloth->scheme->type->adapt(cloth->scheme, &request, &counts);
	if (code != drape_ok)
		return drapeWorld_Fail(cloth->world, code, "%s", drapeResult_GetText(code));
	drapeCloth_Wake(cloth);
	if (counts.splits > 0)
		drapePins_PinCreated(cloth);
	drapeColumns_Complete(&cloth->active);
	return Finish(cloth, &counts, result);
}

static void ChooseEdge(Criteria* bits, const ActiveMesh* active, uint32_t edge)
{
	(void)active;
	BitSet_Set(&bits->split, edge);
}

// The thirds of an edge have the same two parents and can only be removed together.
static void ChooseParticle(Criteria* bits, const ActiveMesh* active, uint32_t particle)
{
	const ParticleParents* parents = &active->parents[particle];
	BitSet_Set(&bits->join, particle);
	for (uint32_t i = 0; ParticleParents_Count(parents) == 2 && i < active->particleCount; ++i)
	{
		const uint32_t* other = active->parents[i].parent;
		if (other[0] == parents->parent[1] && other[1] == parents->parent[0] && other[2] == DRAPE_NONE)
			BitSet_Set(&bits->join, i);
	}
}

static void ChooseEveryEdge(Criteria* bits, const ActiveMesh* active, uint32_t unused)
{
	(void)unused;
	for (uint32_t i = 0; i < active->edgeCount; ++i)
		BitSet_Set(&bits->split, i);
}

static void ChooseEveryParticle(Criteria* bits, const ActiveMesh* active, uint32_t unused)
{
	(void)unused;
	for (uint32_t i = 0; i < active->particleCount; ++i)
		BitSet_Set(&bits->join, i);
}

drapeResult drapeCloth_SplitEdge(drapeClothId id, uint32_t edge)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (edge >= cloth->active.edgeCount)
		return drapeWorld_Refuse(cloth->world, "edge is %u, but the cloth has only %u", edge, cloth->active.edgeCount);
	drapeAdaptResult result = {0};
	drapeResult code = EditPass(id, ChooseEdge, edge, &result);
	if (code != drape_ok || result.splits > 0)
		return code;
	return drapeWorld_Fail(cloth->world, drape_errorBlocked,
	                       "edge %u has the maximum level, or a triangle beside it may not "
	                       "be refined yet",
	                       edge);
}

drapeResult drapeCloth_JoinParticle(drapeClothId id, uint32_t particle)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || CheckParticle(cloth, particle) != drape_ok)
		return drape_errorArgument;
	drapeAdaptResult result = {0};
	drapeResult code = EditPass(id, ChooseParticle, particle, &result);
	if (code != drape_ok || result.joins > 0)
		return code;
	return drapeWorld_Fail(cloth->world, drape_errorBlocked,
	                       "particle %u is a vertex of the pattern, or finer triangles depend on it", particle);
}

drapeResult drapeCloth_Refine(drapeClothId id)
{
	return EditPass(id, ChooseEveryEdge, 0, NULL);
}

drapeResult drapeCloth_Coarsen(drapeClothId id)
{
	return EditPass(id, ChooseEveryParticle, 0, NULL);
}

// Coordinates must keep the limits of a pattern, so that midpoints and normals are finite, too.
static drapeResult CheckVectors(const Cloth* cloth, const drapeVec3* values, const char* name, const char* unit)
{
	if (!values)
		return drapeWorld_Refuse(cloth->world, "%s is NULL", name);
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		if (!CoordinateIsUsable(values[i].x) || !CoordinateIsUsable(values[i].y) || !CoordinateIsUsable(values[i].z))
			return drapeCoordinates_Refuse(name, i, values[i], unit, &cloth->world->message);
	}
	return drape_ok;
}

static void CopyXyz(Vec4* target, const drapeVec3* values, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		target[i].x = values[i].x;
		target[i].y = values[i].y;
		target[i].z = values[i].z;
	}
}

// The history does not lead to the state that the application has set: BDF2 begins without one.
static void ForgetHistory(Cloth* cloth)
{
	if (drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator))
		cloth->simulation.previousStep = 0.0f;
}

drapeResult drapeCloth_SetPositions(drapeClothId id, const drapeVec3* positions)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || CheckVectors(cloth, positions, "positions", "m") != drape_ok)
		return drape_errorArgument;
	if (!drapeModel_Follow(&cloth->simulation.model, &cloth->active, cloth->world->tasks))
		return drapeWorld_FailMemory(cloth->world);
	CopyXyz(cloth->active.position, positions, cloth->active.particleCount);
	drapeCloth_RememberPositions(cloth);
	drapeSleep_Forget(&cloth->active);
	drapeCloth_Wake(cloth);
	ForgetHistory(cloth);
	drapeCloth_UpdateNormals(cloth->world, cloth);
	return drape_ok;
}

drapeResult drapeCloth_SetVelocities(drapeClothId id, const drapeVec3* velocities)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || CheckVectors(cloth, velocities, "velocities", "m/s") != drape_ok)
		return drape_errorArgument;
	CopyXyz(cloth->active.velocity, velocities, cloth->active.particleCount);
	drapeCloth_Wake(cloth);
	ForgetHistory(cloth);
	return drape_ok;
}
