// SPDX-License-Identifier: MIT
#include "world/contact_input.h"

#include "contact/thickness.h"
#include "world/history.h"
#include "world/world.h"

#include "mesh/geometry.h"

#include <string.h>

enum
{
	clothCookie = 0x64636c6f,
};

drapeClothDef drapeDefaultClothDef(void)
{
	return (drapeClothDef){
		.rest = drapeDefaultRestDef(),
		.material = drapeDefaultMaterial(),
		.springs = drapeDefaultSpringDef(),
		.solver = drapeDefaultSolverDef(),
		.adapt = drapeDefaultAdaptDef(),
		.cookie = clothCookie,
	};
}

// --- handles --------------------------------------------------------------------------------------------------------

bool drapeCloth_IsUsed(const Cloth* cloth)
{
	return cloth && (cloth->generation & 1);
}

static Cloth* FindCloth(drapeClothId id)
{
	if (!id.world || id.index1 == 0 || id.index1 > id.world->cloths.count)
		return NULL;
	Cloth* cloth = id.world->cloths.data[id.index1 - 1];
	return drapeCloth_IsUsed(cloth) && cloth->generation == id.generation ? cloth : NULL;
}

Cloth* drapeCloth_Get(drapeClothId id)
{
	Cloth* cloth = FindCloth(id);
	DRAPE_ASSERT(cloth);
	return cloth;
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

static drapeResult CreateScheme(drapeWorld* world, Cloth* cloth)
{
	cloth->active.hasTexcoords = cloth->pattern.texcoords != NULL;
	if (cloth->adapt.scheme == drape_schemeEdge)
		return drapeEdgeScheme_Create(&cloth->scheme, &world->edgePools, &cloth->pattern, &cloth->active);
	if (cloth->adapt.scheme == drape_schemeSqrt3)
		return drapeSqrt3Scheme_Create(&cloth->scheme, &cloth->pattern, &cloth->active);
	return drapeFixedScheme_Create(&cloth->scheme, &cloth->pattern, &cloth->active);
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
	drapePassed_Destroy(&simulation->passed);
	ArrayFree(&simulation->savedFriction);
	ArrayFree(&simulation->released);
	ArrayFree(&simulation->releasedRows);
	ArrayFree(&simulation->surveys);
	BitSet_Free(&simulation->contacts);
	BitSet_Free(&simulation->attached);
}

// Frees everything and leaves an empty slot of the same generation.
static void FreeCloth(Cloth* cloth)
{
	if (cloth->scheme)
		cloth->scheme->type->destroy(cloth->scheme);
	FreeSimulation(&cloth->simulation);
	drapeActiveMesh_Destroy(&cloth->active);
	drapePatternMesh_Destroy(&cloth->pattern);
	drapeCriteria_Destroy(&cloth->criteria);
	drapeBroadPhaseCloth_Destroy(&cloth->broadPhase);
	ArrayFree(&cloth->pins);
	*cloth = (Cloth){.slot = cloth->slot, .generation = cloth->generation};
}

static drapeResult CreateCloth(drapeWorld* world, const drapeClothDef* def, Cloth* cloth)
{
	drapeMeshReport ownReport;
	drapeMeshReport* report = def->report ? def->report : &ownReport;
	drapeResult result = drapePatternMesh_Create(&cloth->pattern, def->mesh, &def->rest, report);
	if (result != drape_ok)
		return result;
	cloth->active.density = def->material.density;
	cloth->adapt = def->adapt;
	cloth->budget = (Budget){.def = def->budget};
	cloth->pinMiddles = def->pinMiddles;
	cloth->contact = def->contact;
	drapeBroadPhaseCloth_Init(&cloth->broadPhase);
	cloth->simulation.solver = def->solver;
	drapeModel_Init(&cloth->simulation.model, def->model, &def->material, &def->springs);
	cloth->simulation.model.usesEdges = def->model == drape_modelSprings;
	cloth->simulation.model.usesElements = drapeIntegrator_IsImplicit(def->solver.integrator);
	drapeModel_LimitStretch(&cloth->simulation.model, def->solver.maxStretch);
	if (!drapeImplicitSolver_Init(&cloth->simulation.implicit, &cloth->pattern) || !drapeCloth_AddHistory(cloth))
	{
		FreeCloth(cloth);
		return drape_errorMemory;
	}
	result = CreateScheme(world, cloth);
	cloth->active.revision = 1;
	if (result == drape_ok && !drapeCloth_Follow(world, cloth))
		result = drape_errorMemory;
	if (result != drape_ok)
	{
		FreeCloth(cloth);
		return result;
	}
	drapeCloth_UpdateNormals(world, cloth);
	cloth->generation++;
	Validate(cloth);
	return drape_ok;
}

static bool IsIn(float value, float low, float high)
{
	return value >= low && value <= high; // false for NaN
}

static bool SolverIsValid(const drapeSolverDef* solver)
{
	return drapeIntegrator_Name(solver->integrator) && solver->maxSubsteps >= 1 && solver->maxSubsteps <= 65536 &&
	       IsIn(solver->globalDamping, 0.0f, 1e30f) &&
	       (solver->maxStretch == 0.0f || IsIn(solver->maxStretch, 1.0f, 1e30f)) && solver->stretchIterations >= 1 &&
	       solver->stretchIterations <= 100 && drapePreconditioner_Name(solver->preconditioner) &&
	       IsIn(solver->tolerance, 1e-6f, 0.5f) && solver->maxIterations >= 1 && solver->maxIterations <= 10000 &&
	       solver->newtonIterations >= 1 && solver->newtonIterations <= 100 &&
	       IsIn(solver->newtonTolerance, 0.0f, 0.5f);
}

static bool DefIsValid(const drapeClothDef* def)
{
	return def && def->cookie == clothCookie && def->mesh && (unsigned)def->contact <= drape_contactAll &&
	       (unsigned)def->model <= drape_modelFem && drapeModel_IsValid(&def->material, &def->springs, NULL) &&
	       SolverIsValid(&def->solver) && drapeBudget_IsValid(&def->budget, NULL) &&
	       drapeCriteria_IsValid(&def->adapt, NULL);
}

drapeClothId drapeCreateCloth(drapeWorldId id, const drapeClothDef* def)
{
	DRAPE_ASSERT(id.world && DefIsValid(def));
	drapeClothId created = {0};
	drapeResult result = drape_errorArgument;
	if (id.world && DefIsValid(def))
	{
		uint32_t slot = FreeSlot(id.world);
		Cloth* cloth = slot == DRAPE_NONE ? NULL : id.world->cloths.data[slot];
		result = cloth ? CreateCloth(id.world, def, cloth) : drape_errorMemory;
		if (result == drape_ok)
			created = drapeCloth_Id(id.world, slot);
	}
	if (def && def->result)
		*def->result = result;
	return created;
}

void drapeCloth_Destroy(Cloth* cloth)
{
	FreeCloth(cloth);
	cloth->generation++;
}

void drapeDestroyCloth(drapeClothId id)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return;
	drapeConstraints_ForgetCloth(id.world, cloth->slot);
	drapeCloth_Destroy(cloth);
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

drapeClothId drapeCloth_Id(drapeWorld* world, uint32_t slot)
{
	return (drapeClothId){.world = world, .index1 = slot + 1, .generation = world->cloths.data[slot]->generation};
}

// --- views ----------------------------------------------------------------------------------------------------------

drapeClothView drapeCloth_View(drapeClothId id)
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

bool drapeCloth_IsTouching(drapeClothId id, uint32_t particle)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || particle >= cloth->active.particleCount)
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
	CarriedThickness carried = drapeThickness_Examine(&cloth->active, asked);
	return (drapeCarriedThickness){asked, carried.least, carried.triangles};
}

_Static_assert(sizeof(drapeParticleMove) == sizeof(ParticleMove), "the log is shown as it is kept");

drapeClothChanges drapeCloth_Changes(drapeClothId id)
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

drapeParticleOrigin drapeCloth_Origin(drapeClothId id, uint32_t particle)
{
	const Cloth* cloth = drapeCloth_Get(id);
	drapeParticleOrigin origin = {0};
	DRAPE_ASSERT(cloth && particle < cloth->active.particleCount);
	if (!cloth || particle >= cloth->active.particleCount)
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
	drapeScenery_Animate(id.world, 0.0f);
	drapeResult code =
		drapeWorld_DescribeContact(id.world) ? drapeCloth_RunAdaptation(id.world, cloth, &counts) : drape_errorMemory;
	return code == drape_ok ? Finish(cloth, &counts, result) : code;
}

drapeAdaptDef drapeCloth_GetAdapt(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->adapt : drapeDefaultAdaptDef();
}

drapeResult drapeCloth_SetAdapt(drapeClothId id, const drapeAdaptDef* adapt, const char** reason)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (reason)
		*reason = "there is no such cloth, or no definition";
	if (!cloth || !adapt || !drapeCriteria_IsValid(adapt, reason))
		return drape_errorArgument;
	if (adapt->scheme != cloth->adapt.scheme)
	{
		if (reason)
			*reason = "the scheme of a cloth cannot be changed";
		return drape_errorArgument;
	}
	cloth->adapt = *adapt;
	return drape_ok;
}

drapeResult drapeCloth_SetBudget(drapeClothId id, const drapeBudgetDef* budget)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || !budget || !drapeBudget_IsValid(budget, NULL))
		return drape_errorArgument;
	cloth->budget.def = *budget;
	return drape_ok;
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
		return drape_errorMemory;
	BitSet_ClearAll(&bits->split, active->edgeCount);
	BitSet_ClearAll(&bits->join, active->particleCount);
	choose(bits, active, index);
	AdaptRequest request = drapeCriteria_Request(bits, &cloth->adapt);
	request.mustSplit = request.refine = NULL;
	request.maxTriangles = 0; // the cap limits criteria, not the program
	AdaptCounts counts;
	drapeResult code = cloth->scheme->type->adapt(cloth->scheme, &request, &counts);
	if (code != drape_ok)
		return code;
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
	DRAPE_ASSERT(cloth && edge < cloth->active.edgeCount);
	if (!cloth || edge >= cloth->active.edgeCount)
		return drape_errorArgument;
	drapeAdaptResult result = {0};
	drapeResult code = EditPass(id, ChooseEdge, edge, &result);
	return code == drape_ok && result.splits == 0 ? drape_errorBlocked : code;
}

drapeResult drapeCloth_JoinParticle(drapeClothId id, uint32_t particle)
{
	Cloth* cloth = drapeCloth_Get(id);
	DRAPE_ASSERT(cloth && particle < cloth->active.particleCount);
	if (!cloth || particle >= cloth->active.particleCount)
		return drape_errorArgument;
	drapeAdaptResult result = {0};
	drapeResult code = EditPass(id, ChooseParticle, particle, &result);
	return code == drape_ok && result.joins == 0 ? drape_errorBlocked : code;
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
static bool AllUsable(const drapeVec3* values, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!CoordinateIsUsable(values[i].x) || !CoordinateIsUsable(values[i].y) || !CoordinateIsUsable(values[i].z))
			return false;
	}
	return true;
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
	if (!cloth || !positions || !AllUsable(positions, cloth->active.particleCount))
		return drape_errorArgument;
	if (!drapeModel_Follow(&cloth->simulation.model, &cloth->active, id.world->tasks))
		return drape_errorMemory;
	CopyXyz(cloth->active.position, positions, cloth->active.particleCount);
	drapeSleep_Forget(&cloth->active);
	ForgetHistory(cloth);
	drapeCloth_UpdateNormals(id.world, cloth);
	return drape_ok;
}

drapeResult drapeCloth_SetVelocities(drapeClothId id, const drapeVec3* velocities)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || !velocities || !AllUsable(velocities, cloth->active.particleCount))
		return drape_errorArgument;
	CopyXyz(cloth->active.velocity, velocities, cloth->active.particleCount);
	ForgetHistory(cloth);
	return drape_ok;
}
