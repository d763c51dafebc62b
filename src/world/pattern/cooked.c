// SPDX-License-Identifier: MIT
#include "world/pattern/cooked.h"

#include <string.h>

// --- which cloths can share -----------------------------------------------------------------------------------------

// Bytes that differ only in padding make one more cooked cloth; they never make two cloths share that must not.
bool drapeCooked_Fits(const CookedCloth* cooked, const drapeClothDef* def)
{
	const drapeClothDef* own = &cooked->def;
	return own->model == def->model && own->adapt.scheme == def->adapt.scheme && own->contact == def->contact &&
	       drapeIntegrator_IsImplicit(own->solver.integrator) == drapeIntegrator_IsImplicit(def->solver.integrator) &&
	       own->solver.maxStretch == def->solver.maxStretch &&
	       memcmp(&own->material, &def->material, sizeof own->material) == 0 &&
	       memcmp(&own->springs, &def->springs, sizeof own->springs) == 0;
}

// --- cooking --------------------------------------------------------------------------------------------------------

static bool Cook(CookedCloth* cooked, TaskPool* tasks)
{
	Cloth* cloth = &cooked->cloth;
	if (!drapeEdgePools_Create(&cooked->pools) || !drapeCloth_Init(cloth, &cooked->def) ||
	    drapeCloth_Build(cloth, &cooked->def, &cooked->pools, tasks) != drape_ok)
		return false;
	return cooked->def.contact != drape_contactAll ||
	       drapeBroadPhaseCloth_Follow(&cloth->broadPhase, cloth->pattern, &cloth->active, tasks);
}

CookedCloth* drapeCooked_Create(const drapePattern* pattern, const drapeClothDef* def, TaskPool* tasks)
{
	CookedCloth* cooked = drapeMemAllocZero(sizeof *cooked);
	if (!cooked)
		return NULL;
	cooked->def = *def;
	memset(cooked->def.vertexValues, 0, sizeof cooked->def.vertexValues); // these are the cloths' own
	cooked->cloth.pattern = &pattern->mesh;
	cooked->cloth.base = &pattern->base;
	if (!Cook(cooked, tasks))
	{
		drapeCooked_Destroy(cooked);
		return NULL;
	}
	drapeImplicitSolver_ReleaseValues(&cooked->cloth.simulation.implicit);
	drapeCurvature_ReleaseScratch(&cooked->cloth.simulation.model.curvature);
	drapeBroadPhaseCloth_ReleaseScratch(&cooked->cloth.broadPhase);
	return cooked;
}

void drapeCooked_Destroy(CookedCloth* cooked)
{
	drapeCloth_Free(&cooked->cloth);
	drapeEdgePools_Destroy(&cooked->pools);
	drapeMemFree(cooked, sizeof *cooked);
}

// --- lending --------------------------------------------------------------------------------------------------------

static drapeResult CopyScheme(const Scheme* lender, drapeScheme kind, EdgePools* pools, Cloth* cloth)
{
	if (kind == drape_schemeEdge)
		return drapeEdgeScheme_CreateCopy(&cloth->scheme, pools, (const EdgeScheme*)lender, &cloth->active);
	if (kind == drape_schemeSqrt3)
		return drapeSqrt3Scheme_CreateCopy(&cloth->scheme, (const Sqrt3Scheme*)lender, &cloth->active);
	return drapeFixedScheme_CreateCopy(&cloth->scheme, lender, &cloth->active);
}

bool drapeCooked_Lend(const CookedCloth* cooked, EdgePools* pools, Cloth* cloth)
{
	const Cloth* lender = &cooked->cloth;
	const ClothSimulation* from = &lender->simulation;
	ClothSimulation* to = &cloth->simulation;
	DRAPE_ASSERT(cloth->pattern == lender->pattern && cloth->adapt.scheme == lender->adapt.scheme);
	drapeImplicitSolver_Destroy(&to->implicit);
	return drapeActiveMesh_Borrow(&cloth->active, &lender->active) &&
	       drapeBroadPhaseCloth_Borrow(&cloth->broadPhase, &lender->broadPhase, &cloth->active) &&
	       CopyScheme(lender->scheme, cloth->adapt.scheme, pools, cloth) == drape_ok &&
	       drapeModel_Borrow(&to->model, &from->model) &&
	       drapeImplicitSolver_Borrow(&to->implicit, &from->implicit, cloth->active.particleCount);
}
