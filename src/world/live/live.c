// SPDX-License-Identifier: MIT
#include "world/live/live.h"

#include "base/checks/values.h"
#include "base/transform.h"
#include "world/history.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// Settings of a living cloth. A change that needs memory makes the new model beside the old one, and replaces it only
// when nothing can fail any more.

// --- the body -------------------------------------------------------------------------------------------------------

ClothBody drapeCloth_Body(const Cloth* cloth)
{
	const Model* model = &cloth->simulation.model;
	return (ClothBody){.model = model->kind,
	                   .material = model->material,
	                   .springs = model->springs,
	                   .solver = cloth->simulation.solver};
}

drapeResult drapeClothBody_Check(const ClothBody* body, const char* prefix, drapeMessage* message)
{
	char solver[64];
	DRAPE_ASSERT(strlen(prefix) < sizeof solver - 8);
	snprintf(solver, sizeof solver, "%ssolver.", prefix);
	drapeResult result = drapeModel_Check(body->model, &body->material, &body->springs, message);
	return result == drape_ok ? drapeSolver_Check(&body->solver, solver, message) : result;
}

static void ApplySolver(const drapeSolverDef* solver, Model* model)
{
	model->usesEdges = model->kind == drape_modelSprings;
	model->usesElements = drapeIntegrator_IsImplicit(solver->integrator);
	drapeModel_LimitStretch(model, solver->maxStretch);
}

void drapeClothBody_InitModel(const ClothBody* body, Model* model)
{
	drapeModel_Init(model, body->model, &body->material, &body->springs);
	ApplySolver(&body->solver, model);
}

void drapeCloth_LoadBody(Cloth* cloth, const ClothBody* body)
{
	ClothSimulation* simulation = &cloth->simulation;
	DRAPE_ASSERT(body->model == simulation->model.kind);
	simulation->solver = body->solver;
	drapeModel_SetMaterial(&simulation->model, &body->material, &body->springs);
	ApplySolver(&body->solver, &simulation->model);
	cloth->active.density = body->material.density;
}

// Marks that the stretch limit of explicit springs leaves on particles. No other cloth reads them.
static void ForgetHeld(ActiveMesh* mesh)
{
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		mesh->particleFlags[i] &= (uint8_t)~drape_particleHeld;
}

// Puts the settings and the new model in place. This cannot fail.
static void Replace(Cloth* cloth, const ClothBody* body, Model* model)
{
	ClothSimulation* simulation = &cloth->simulation;
	const bool isImplicit = drapeIntegrator_IsImplicit(body->solver.integrator);
	drapeModel_Destroy(&simulation->model);
	simulation->model = *model;
	if (!isImplicit)
		drapeCloth_RemoveImplicitHistory(cloth);
	if (body->solver.integrator != simulation->solver.integrator)
		simulation->previousStep = 0.0f;
	if (isImplicit || body->model != drape_modelSprings)
		ForgetHeld(&cloth->active);
	simulation->solver = body->solver;
	// These follow the mesh by its revision, and described it for the old model.
	drapeImplicitSolver_Forget(&simulation->implicit);
	simulation->stretchLimit.revision = 0;
	simulation->stableRevision = 0;
	simulation->memory = (SubstepMemory){0};
	if (cloth->active.density != body->material.density)
	{
		cloth->active.density = body->material.density;
		drapeActiveMesh_UpdateMasses(&cloth->active);
	}
}

// Changes the body to settings that were checked.
static drapeResult ChangeBody(Cloth* cloth, const ClothBody* body)
{
	drapeWorld* world = cloth->world;
	drapeCloth_Wake(cloth);
	Model model;
	drapeClothBody_InitModel(body, &model);
	bool isDone = drapeModel_Follow(&model, &cloth->active, world->tasks) &&
	              drapeCloth_AddHistory(cloth, drapeIntegrator_IsImplicit(body->solver.integrator));
	if (!isDone)
	{
		drapeModel_Destroy(&model);
		return drapeWorld_FailMemory(world);
	}
	Replace(cloth, body, &model);
	return drape_ok;
}

// --- fabric, model, solver ------------------------------------------------------------------------------------------

// The material with the values that neither elements nor masses depend on: air, friction, thickness and damping.
static drapeMaterial WithoutLight(drapeMaterial material)
{
	material.friction = material.thickness = material.drag = material.lift = material.dampingTime = 0.0f;
	return material;
}

// Clearances of colliders were found for the old thickness.
static void ForgetClearances(Cloth* cloth)
{
	cloth->simulation.nearRevision = cloth->world->sceneryRevision - 1;
}

drapeResult drapeCloth_SetMaterial(drapeClothId id, const drapeMaterial* material)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (!material)
		return drapeWorld_Refuse(cloth->world, "material is NULL");
	drapeResult result = drapeMaterial_Check(material, "", &cloth->world->message);
	if (result != drape_ok)
		return result;
	ClothBody body = drapeCloth_Body(cloth);
	const drapeMaterial before = WithoutLight(body.material), after = WithoutLight(*material);
	body.material = *material;
	if (memcmp(&before, &after, sizeof before) != 0)
		result = ChangeBody(cloth, &body);
	if (result != drape_ok)
		return result;
	cloth->simulation.model.material = *material;
	drapeCloth_Wake(cloth);
	// Damping is part of the stability limit.
	cloth->simulation.stableRevision = 0;
	ForgetClearances(cloth);
	return drape_ok;
}

drapeMaterial drapeCloth_GetMaterial(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->simulation.model.material : drapeDefaultMaterial();
}

drapeResult drapeCloth_SetThickness(drapeClothId id, float thickness)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	drapeMaterial material = cloth->simulation.model.material;
	material.thickness = thickness;
	return drapeCloth_SetMaterial(id, &material);
}

float drapeCloth_GetThickness(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->simulation.model.material.thickness : 0.0f;
}

drapeResult drapeCloth_SetModel(drapeClothId id, drapeModel model, const drapeSpringDef* springs)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	const ClothBody old = drapeCloth_Body(cloth);
	ClothBody body = old;
	body.model = model;
	if (springs)
		body.springs = *springs;
	drapeResult result = drapeClothBody_Check(&body, "", &cloth->world->message);
	if (result != drape_ok || (model == old.model && memcmp(&body.springs, &old.springs, sizeof old.springs) == 0))
		return result;
	return ChangeBody(cloth, &body);
}

drapeModel drapeCloth_GetModel(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->simulation.model.kind : drape_modelSprings;
}

drapeSpringDef drapeCloth_GetSprings(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->simulation.model.springs : drapeDefaultSpringDef();
}

// True if the model does not depend on the difference of two solvers.
static bool KeepsModel(const drapeSolverDef* a, const drapeSolverDef* b)
{
	return drapeIntegrator_IsImplicit(a->integrator) == drapeIntegrator_IsImplicit(b->integrator) &&
	       a->maxStretch == b->maxStretch;
}

drapeResult drapeCloth_SetSolver(drapeClothId id, const drapeSolverDef* solver)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (!solver)
		return drapeWorld_Refuse(cloth->world, "solver is NULL");
	drapeResult result = drapeSolver_Check(solver, "", &cloth->world->message);
	if (result != drape_ok)
		return result;
	ClothSimulation* simulation = &cloth->simulation;
	if (!KeepsModel(solver, &simulation->solver))
	{
		ClothBody body = drapeCloth_Body(cloth);
		body.solver = *solver;
		return ChangeBody(cloth, &body);
	}
	if (solver->integrator != simulation->solver.integrator)
		simulation->previousStep = 0.0f;
	drapeCloth_Wake(cloth);
	simulation->solver = *solver;
	simulation->memory = (SubstepMemory){0};
	return drape_ok;
}

drapeSolverDef drapeCloth_GetSolver(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->simulation.solver : drapeDefaultSolverDef();
}

// --- contact, gravity -----------------------------------------------------------------------------------------------

drapeResult drapeContactMode_Check(drapeContactMode contact, drapeMessage* message)
{
	return drapeChoice_Check("", "contact", (unsigned)contact, "particles|all", message);
}

drapeResult drapeCloth_SetContact(drapeClothId id, drapeContactMode contact)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	drapeResult result = drapeContactMode_Check(contact, &cloth->world->message);
	if (result != drape_ok)
		return result;
	cloth->contact = contact;
	drapeCloth_Wake(cloth);
	return drape_ok;
}

drapeContactMode drapeCloth_GetContact(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->contact : drape_contactParticles;
}

drapeResult drapeGravityScale_Check(float scale, drapeMessage* message)
{
	if (scale >= -1000.0f && scale <= 1000.0f) // false for NaN
		return drape_ok;
	return drapeRefuse(message, "gravityScale is %g, expected a number from -1000 to 1000", (double)scale);
}

drapeResult drapeCloth_SetGravityScale(drapeClothId id, float scale)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	drapeResult result = drapeGravityScale_Check(scale, &cloth->world->message);
	if (result != drape_ok)
		return result;
	cloth->gravityScale = scale;
	drapeCloth_Wake(cloth);
	return drape_ok;
}

float drapeCloth_GetGravityScale(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->gravityScale : 0.0f;
}

// --- inertia --------------------------------------------------------------------------------------------------------

drapeResult drapeInertia_Check(drapeInertia inertia, const char* prefix, drapeMessage* message)
{
	if (!(inertia.linear >= 0.0f && inertia.linear <= 1.0f))
		return drapeRefuse(message, "%slinear is %g, expected a number from 0 to 1", prefix, (double)inertia.linear);
	if (!(inertia.angular >= 0.0f && inertia.angular <= 1.0f))
		return drapeRefuse(message, "%sangular is %g, expected a number from 0 to 1", prefix, (double)inertia.angular);
	return drape_ok;
}

drapeResult drapeCloth_SetInertia(drapeClothId id, drapeInertia inertia)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	drapeResult result = drapeInertia_Check(inertia, "", &cloth->world->message);
	if (result != drape_ok)
		return result;
	cloth->inertia = inertia;
	drapeCloth_Wake(cloth);
	return drape_ok;
}

drapeInertia drapeCloth_GetInertia(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->inertia : (drapeInertia){0};
}

drapeResult drapeCloth_SetFrame(drapeClothId id, drapeTransform frame)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	drapeResult result = drapePlacement_Check("frame", &frame, &cloth->world->message);
	if (result != drape_ok)
		return result;
	frame.rotation = drapeQuat_Normalize(frame.rotation);
	cloth->frame.to = frame;
	if (!cloth->frame.isSet)
		cloth->frame.from = frame;
	cloth->frame.isSet = true;
	return drape_ok;
}

drapeTransform drapeCloth_GetFrame(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth && cloth->frame.isSet ? cloth->frame.to : drapeIdentityTransform();
}

drapeResult drapeCloth_ClearFrame(drapeClothId id)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	cloth->frame = (ClothFrame){.from = drapeIdentityTransform(), .to = drapeIdentityTransform()};
	return drape_ok;
}
