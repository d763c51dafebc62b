// SPDX-License-Identifier: MIT
#include "model/model.h"

#include "base/checks/parameters.h"
#include "base/checks/rules.h"
#include "base/checks/values.h"

#include <stdio.h>

// --- the table of energies ------------------------------------------------------------------------------------------

enum
{
	anyBending = -1,
};

typedef struct EnergyRow
{
	const EnergyClass* type;
	drapeModel model;
	int bending; // drapeBending, or anyBending
} EnergyRow;

extern const EnergyClass drapeEnergy_membrane, drapeEnergy_curvature;         // fem.c
extern const EnergyClass drapeEnergy_stretchSprings, drapeEnergy_bendSprings; // springs.c
extern const EnergyClass drapeEnergy_bendElements;                            // bending.c

// Stretch before bending: explicit integrators add forces in this order.
static const EnergyRow energyRows[] = {
	{&drapeEnergy_stretchSprings, drape_modelSprings, anyBending},
	{&drapeEnergy_bendElements, drape_modelSprings, drape_bendElements},
	{&drapeEnergy_bendSprings, drape_modelSprings, drape_bendSprings},
	{&drapeEnergy_membrane, drape_modelFem, anyBending},
	{&drapeEnergy_curvature, drape_modelFem, anyBending},
};

static void ChooseEnergies(Model* model)
{
	for (size_t i = 0; i < sizeof energyRows / sizeof energyRows[0]; ++i)
	{
		const EnergyRow* row = &energyRows[i];
		if (row->model != model->kind || (row->bending != anyBending && row->bending != (int)model->springs.bending))
			continue;
		DRAPE_ASSERT(model->energyCount < modelEnergies);
		DRAPE_ASSERT((row->type->elements == elementNone) == (row->type->quadratic != NULL));
		DRAPE_ASSERT(row->type->elements == elementNone || row->type->evaluate);
		DRAPE_ASSERT(row->type->addForces && row->type->addStiffness && row->type->energy);
		model->energies[model->energyCount++].type = row->type;
	}
}

// The bending energy that describes its elements edge by edge; NULL when there is none.
static const EnergyClass* BendingOnEdges(const Model* model)
{
	for (uint32_t i = 0; i < model->energyCount; ++i)
	{
		if (model->energies[i].type->isBending && model->energies[i].type->describe)
			return model->energies[i].type;
	}
	return NULL;
}

void drapeModel_Init(Model* model, drapeModel kind, const drapeMaterial* material, const drapeSpringDef* springs)
{
	DRAPE_ASSERT((unsigned)kind <= drape_modelFem && (unsigned)springs->bending <= drape_bendNone);
	*model = (Model){.kind = kind, .material = *material, .springs = *springs, .usesEdges = true};
	ChooseEnergies(model);
	const EnergyClass* bending = BendingOnEdges(model);
	drapeMembrane_Init(&model->membrane, material);
	drapeCurvature_Init(&model->curvature, material);
	drapeColorGraph_Init(&model->stretch, 2);
	drapeColorGraph_Init(&model->bend, bending ? drapeElement_Shape(bending->elements)->particles : 2);
	drapeColorGraph_Init(&model->triangles, 3);
}

void drapeModel_SetMaterial(Model* model, const drapeMaterial* material, const drapeSpringDef* springs)
{
	DRAPE_ASSERT(springs->bending == model->springs.bending);
	model->material = *material;
	model->springs = *springs;
	drapeMembrane_SetMaterial(&model->membrane, material);
	drapeCurvature_SetMaterial(&model->curvature, material);
}

void drapeModel_Destroy(Model* model)
{
	for (uint32_t i = 0; i < model->energyCount; ++i)
		drapeEdgeElements_Destroy(&model->energies[i].elements);
	drapeColorGraph_Destroy(&model->stretch);
	drapeColorGraph_Destroy(&model->bend);
	drapeColorGraph_Destroy(&model->triangles);
	drapeMembrane_Destroy(&model->membrane);
	drapeCurvature_Destroy(&model->curvature);
	ArrayFree(&model->elementForce);
	model->revision = 0;
}

bool drapeModel_Borrow(Model* model, const Model* lender)
{
	DRAPE_ASSERT(model->kind == lender->kind && model->usesElements == lender->usesElements);
	size_t forces = lender->elementForce.capacity;
	*model = *lender;
	ArrayForget(&model->elementForce);
	drapeColorGraph_Borrow(&model->stretch);
	drapeColorGraph_Borrow(&model->bend);
	drapeColorGraph_Borrow(&model->triangles);
	drapeMembrane_Borrow(&model->membrane);
	for (uint32_t i = 0; i < model->energyCount; ++i)
		drapeEdgeElements_Borrow(&model->energies[i].elements);
	return drapeCurvature_Borrow(&model->curvature) && (forces == 0 || ArrayReserve(&model->elementForce, forces));
}

// --- values of the material -----------------------------------------------------------------------------------------

// Stretch beyond the end of the fabric's curve at which the default limit acts.
static const float defaultStretch = 1.3f;

// No edge gets longer than this much beyond the limit within a substep.
static const float hardFactor = 1.15f, leastHardStretch = 1.3f;

static float CurveEnd(const drapeStressCurve* curve)
{
	return curve->count > 0 ? 1.0f + curve->strain[curve->count - 1] : 1.0f;
}

void drapeModel_LimitStretch(Model* model, float maxStretch)
{
	DRAPE_ASSERT(maxStretch == 0.0f || maxStretch >= 1.0f);
	const drapeMaterial* material = &model->material;
	float modulus = 0.5f * (material->stretchWarp + material->stretchWeft);
	bool isDefault = maxStretch == 0.0f;
	if (isDefault)
		maxStretch = defaultStretch * MaxNumF(CurveEnd(&material->warpCurve), CurveEnd(&material->weftCurve));
	model->maxStretch = maxStretch;
	model->hardStretch = MaxNumF(hardFactor * maxStretch, leastHardStretch);
	// Explicit integrators would need several times the substeps for the default limit, which they do not have in their
	// forces; edge limits keep them from tearing (solve/edge_limits.h).
	drapeMembrane_LimitStretch(&model->membrane, isDefault && !model->usesElements ? 0.0f : maxStretch);
	model->springLimit = model->usesElements && modulus > 0.0f ? maxStretch : 0.0f;
	model->limitFactor = model->springLimit > 0.0f ? drapeMembrane_LimitSlope(modulus) / modulus : 0.0f;
}

static bool IsIn(float value, float low, float high)
{
	return value >= low && value <= high; // false for NaN
}

// Above zero, rising, at most `high`.
static bool Rises(const float* values, uint32_t count, float high)
{
	float last = 0.0f;
	for (uint32_t i = 0; i < count && i < DRAPE_CURVE_POINTS; ++i)
	{
		if (!(values[i] > last && values[i] <= high)) // true for NaN
			return false;
		last = values[i];
	}
	return true;
}

typedef struct CurveState
{
	bool fits, strainsRise, stressesRise;
} CurveState;

static CurveState CheckCurves(const drapeMaterial* material)
{
	const drapeStressCurve* curves[] = {&material->warpCurve, &material->weftCurve, &material->shearCurve};
	CurveState state = {true, true, true};
	for (int i = 0; i < 3; ++i)
	{
		state.fits = state.fits && curves[i]->count <= DRAPE_CURVE_POINTS;
		state.strainsRise = state.strainsRise && Rises(curves[i]->strain, curves[i]->count, 10.0f);
		state.stressesRise = state.stressesRise && Rises(curves[i]->stress, curves[i]->count, 1e9f);
	}
	return state;
}

// The product of both Poisson ratios must be below 1 for a positive energy.
static bool IsPoissonPossible(const drapeMaterial* material)
{
	if (!(material->stretchWarp > 0.0f && material->stretchWeft > 0.0f))
		return true;
	return material->poisson * material->poisson * material->stretchWeft < material->stretchWarp;
}

bool drapeModel_IsValid(const drapeMaterial* material, const drapeSpringDef* springs, const char** reason)
{
	const float large = 1e9f, sharpest = 1e4f;
	const CurveState curves = CheckCurves(material);
	const Rule rules[] = {
		{IsIn(material->density, 1e-6f, 1e6f), "the density must be between 1e-6 and 1e6 kg/m^2"},
		{IsIn(material->stretchWarp, 0.0f, large) && IsIn(material->stretchWeft, 0.0f, large),
	     "stretch stiffness must not be negative"},
		{IsIn(material->shear, 0.0f, large), "shear stiffness must not be negative"},
		{IsIn(material->poisson, 0.0f, 0.5f), "Poisson's ratio must be between 0 and 0.5"},
		{IsPoissonPossible(material), "Poisson's ratio squared times stretchWeft / stretchWarp must be below 1"},
		{IsIn(material->bendWarp, 0.0f, large) && IsIn(material->bendWeft, 0.0f, large),
	     "bending rigidity must not be negative"},
		{material->bendBias == 0.0f ||
	         IsIn(material->bendBias, 0.25f * (material->bendWarp + material->bendWeft), large),
	     "bendBias must be 0, or at least a quarter of bendWarp + bendWeft"},
		{IsIn(material->curlWarp, -sharpest, sharpest) && IsIn(material->curlWeft, -sharpest, sharpest),
	     "curl must be between -1e4 and 1e4 per metre"},
		{IsIn(material->bendFriction, 0.0f, sharpest), "bendFriction must be between 0 and 1e4 per metre"},
		{curves.fits, "a stress curve must have at most DRAPE_CURVE_POINTS points"},
		{curves.strainsRise, "the strains of a stress curve must be above 0, rise, and end at 10 or below"},
		{curves.stressesRise, "the stresses of a stress curve must be above 0 and rise"},
		{IsIn(material->dampingTime, 0.0f, large), "the damping time must not be negative"},
		{IsIn(material->friction, 0.0f, large), "friction must not be negative"},
		{IsIn(material->thickness, 0.0f, large), "thickness must not be negative"},
		{IsIn(material->drag, 0.0f, large) && IsIn(material->lift, 0.0f, large), "drag and lift must not be negative"},
		{(unsigned)springs->law <= drape_springLength, "unknown spring law"},
		{(unsigned)springs->damping <= drape_dampingSimple, "unknown damping"},
		{(unsigned)springs->bending <= drape_bendNone, "unknown bending"},
		{IsIn(springs->bendSpringRatio, 0.0f, 1.0f), "bendSpringRatio must be between 0 and 1"},
	};
	return Rules_Hold(rules, sizeof rules / sizeof rules[0], reason);
}

// Values that depend on each other.
static drapeResult CheckRatios(const drapeMaterial* material, const char* prefix, drapeMessage* message)
{
	const float poisson = material->poisson, leastBias = 0.25f * (material->bendWarp + material->bendWeft);
	if (!IsPoissonPossible(material))
		return drapeRefuse(
			message, "%spoisson is %g, and poisson squared times stretchWeft / stretchWarp is %g, expected below 1",
			prefix, (double)poisson, (double)(poisson * poisson * material->stretchWeft / material->stretchWarp));
	if (material->bendBias > 0.0f && material->bendBias < leastBias)
		return drapeRefuse(message,
		                   "%sbendBias is %g, expected 0 or at least a quarter of bendWarp + bendWeft, which is %g",
		                   prefix, (double)material->bendBias, (double)leastBias);
	return drape_ok;
}

static drapeResult CheckRising(const float* values, uint32_t count, float high, const char* prefix, const char* name,
                               drapeMessage* message)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		float last = i > 0 ? values[i - 1] : 0.0f;
		if (!(values[i] > last && values[i] <= high)) // true for NaN
			return drapeRefuse(message, "%s%s[%u] is %g, expected a number above %g and up to %g", prefix, name, i,
			                   (double)values[i], (double)last, (double)high);
	}
	return drape_ok;
}

static drapeResult CheckCurve(const drapeStressCurve* curve, const char* prefix, drapeMessage* message)
{
	if (curve->count > DRAPE_CURVE_POINTS)
		return drapeRefuse(message, "%scount is %u, expected at most %d", prefix, curve->count, DRAPE_CURVE_POINTS);
	drapeResult result = CheckRising(curve->strain, curve->count, 10.0f, prefix, "strain", message);
	return result == drape_ok ? CheckRising(curve->stress, curve->count, 1e9f, prefix, "stress", message) : result;
}

static drapeResult CheckCurvesOf(const drapeMaterial* material, const char* prefix, drapeMessage* message)
{
	uint32_t count;
	const drapeParameter* parameters = drapeMaterial_GetParameters(&count);
	drapeResult result = drape_ok;
	for (uint32_t i = 0; i < count && result == drape_ok; ++i)
	{
		char name[96];
		if (parameters[i].kind != drape_parameterCurve)
			continue;
		snprintf(name, sizeof name, "%s%s.", prefix, parameters[i].key);
		result = CheckCurve((const void*)((const char*)material + parameters[i].offset), name, message);
	}
	return result;
}

drapeResult drapeMaterial_Check(const drapeMaterial* material, const char* prefix, drapeMessage* message)
{
	uint32_t count;
	const drapeParameter* parameters = drapeMaterial_GetParameters(&count);
	const drapeSpringDef springs = drapeDefaultSpringDef();
	const char* reason = NULL;
	drapeResult result = drapeParameters_Check(parameters, count, material, prefix, message);
	if (result == drape_ok)
		result = CheckCurvesOf(material, prefix, message);
	if (result == drape_ok)
		result = CheckRatios(material, prefix, message);
	if (result == drape_ok && !drapeModel_IsValid(material, &springs, &reason))
		return drapeRefuse(message, "%s%s", prefix, reason);
	return result;
}

drapeResult drapeModel_Check(drapeModel kind, const drapeMaterial* material, const drapeSpringDef* springs,
                             drapeMessage* message)
{
	uint32_t count;
	const drapeParameter* parameters = drapeSpringDef_GetParameters(&count);
	drapeResult result = drapeChoice_Check("", "model", (unsigned)kind, "springs|fem", message);
	if (result == drape_ok)
		result = drapeMaterial_Check(material, "material.", message);
	return result == drape_ok ? drapeParameters_Check(parameters, count, springs, "springs.", message) : result;
}

// --- following the mesh ---------------------------------------------------------------------------------------------

typedef struct GraphSource
{
	ColorGraph* graph;
	bool isOfEdges; // else of triangles
	bool isUsed;
	GraphDescribeFcn* describe;
} GraphSource;

static bool FollowGraph(const GraphSource* source, const ModelContext* context, bool canPatch)
{
	const ActiveMesh* mesh = context->mesh;
	const ChangeLog* log = &mesh->log;
	uint32_t count = source->isOfEdges ? mesh->edgeCount : mesh->triangleCount;
	if (!source->isUsed)
		return true;
	if (!canPatch)
		return drapeColorGraph_Build(source->graph, count, mesh->particleCount, source->describe, context);
	return drapeColorGraph_Update(source->graph, source->isOfEdges ? &log->edgesTouched : &log->trianglesTouched,
	                              source->isOfEdges ? log->oldEdgeCount : log->oldTriangleCount, count,
	                              mesh->particleCount, source->describe, context);
}

static bool FollowElements(Model* model, const ActiveMesh* mesh, TaskPool* tasks)
{
	const ModelContext context = {model, mesh};
	for (uint32_t i = 0; i < model->energyCount; ++i)
	{
		ModelEnergy* energy = &model->energies[i];
		const EnergyClass* type = energy->type;
		if (type->follow && !type->follow(model, mesh, tasks))
			return false;
		if (model->usesElements && type->describe &&
		    !drapeEdgeElements_Follow(&energy->elements, type->elements, mesh, type->describe, &context))
			return false;
	}
	return true;
}

bool drapeModel_Follow(Model* model, const ActiveMesh* mesh, TaskPool* tasks)
{
	DRAPE_ASSERT(mesh->revision != 0);
	if (!FollowElements(model, mesh, tasks))
		return false;
	if (model->revision == mesh->revision)
		return true;
	bool canPatch = model->revision != 0 && model->revision + 1 == mesh->revision && !mesh->log.rebuilt;
	const ModelContext context = {model, mesh};
	const GraphSource sources[] = {
		{&model->stretch, true, model->usesEdges, drapeModel_DescribeStretch},
		{&model->bend, true, model->kind == drape_modelSprings, drapeModel_DescribeBend},
		{&model->triangles, false, true, drapeModel_DescribeTriangle},
	};
	bool done = true;
	for (int i = 0; i < 3 && done; ++i)
		done = FollowGraph(&sources[i], &context, canPatch);
	model->revision = done ? mesh->revision : 0;
	return done;
}

void drapeModel_ForgetElements(Model* model)
{
	model->membrane.revision = model->curvature.revision = 0;
	for (uint32_t i = 0; i < model->energyCount; ++i)
		model->energies[i].elements.revision = 0;
}

bool drapeModel_DescribeBend(const void* context, uint32_t edge, GraphElement* element)
{
	const EnergyClass* bending = BendingOnEdges(((const ModelContext*)context)->model);
	return bending && bending->describe(context, edge, element);
}

bool drapeModel_DescribeTriangle(const void* context, uint32_t triangle, GraphElement* element)
{
	const ActiveMesh* mesh = ((const ModelContext*)context)->mesh;
	for (int k = 0; k < 3; ++k)
		element->particle[k] = mesh->triangle[triangle][k];
	element->param[0] = mesh->area[triangle];
	element->param[1] = 0.0f;
	return true;
}

// --- all energies ---------------------------------------------------------------------------------------------------

static void AddForces(const Model* model, bool isBending, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	DRAPE_ASSERT(state->position && state->velocity && force);
	for (uint32_t i = 0; i < model->energyCount; ++i)
	{
		if (model->energies[i].type->isBending == isBending)
			model->energies[i].type->addForces(model, state, force, tasks);
	}
}

void drapeModel_AddStretch(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	AddForces(model, false, state, force, tasks);
}

void drapeModel_AddBending(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	AddForces(model, true, state, force, tasks);
}

static double SumEnergies(const Model* model, bool isBending, const Vec4* position)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < model->energyCount; ++i)
	{
		if (model->energies[i].type->isBending == isBending)
			sum += model->energies[i].type->energy(model, position);
	}
	return sum;
}

double drapeModel_StretchEnergy(const Model* model, const Vec4* position)
{
	return SumEnergies(model, false, position);
}

double drapeModel_BendEnergy(const Model* model, const Vec4* position)
{
	return SumEnergies(model, true, position);
}

const QuadraticClass* drapeModel_Quadratic(const Model* model)
{
	for (uint32_t i = 0; i < model->energyCount; ++i)
	{
		if (model->energies[i].type->quadratic)
			return model->energies[i].type->quadratic;
	}
	return NULL;
}

bool drapeModel_DescribeQuadratic(const Model* model, QuadraticEnergy* quadratic)
{
	const QuadraticClass* type = drapeModel_Quadratic(model);
	*quadratic = type ? type->describe(model) : (QuadraticEnergy){0};
	DRAPE_ASSERT(!type || quadratic->changes != 0);
	return type != NULL;
}

bool drapeModel_HasRestForces(const Model* model)
{
	const QuadraticClass* type = drapeModel_Quadratic(model);
	return type && type->describe(model).hasRest;
}

void drapeModel_AddRestForces(const Model* model, const Vec4* position, Vec4* force)
{
	DRAPE_ASSERT(drapeModel_HasRestForces(model));
	drapeModel_Quadratic(model)->addRestForces(model, position, force);
}

bool drapeModel_HasBendFriction(const Model* model)
{
	const QuadraticClass* type = drapeModel_Quadratic(model);
	return type && type->describe(model).frictionScale > 0.0f;
}

float drapeModel_GreatestStiffness(const Model* model)
{
	float greatest = 0.0f;
	for (uint32_t i = 0; i < model->energyCount; ++i)
	{
		const ModelEnergy* energy = &model->energies[i];
		if (energy->type->greatestStiffness)
			greatest = MaxNumF(greatest, energy->type->greatestStiffness(model, &energy->elements));
	}
	return greatest;
}

// --- stability ------------------------------------------------------------------------------------------------------

// The highest eigenvalue of M^-1 K is at most the largest row sum over the mass: a spring of constant k adds 2 k to the
// rows of its ends.
float drapeModel_StableStep(const Model* model, const ActiveMesh* mesh, float* scratch)
{
	DRAPE_ASSERT(model->revision == mesh->revision);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		scratch[i] = 0.0f;
	for (uint32_t i = 0; i < model->energyCount; ++i)
		model->energies[i].type->addStiffness(model, mesh, scratch);
	float highest = 0.0f;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		highest = MaxNumF(highest, scratch[i] * mesh->position[i].w);
	if (highest <= 0.0f)
		return INFINITY;
	// Damping c = tau k makes the damping ratio zeta = omega tau / 2; explicit schemes are then stable up to
	// 2 / omega (sqrt(1 + zeta^2) - zeta), written without the difference, which cancels out when damping dominates.
	float omega = sqrtf(highest), zeta = 0.5f * omega * model->material.dampingTime;
	return 2.0f / (omega * (sqrtf(1.0f + zeta * zeta) + zeta));
}
