// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

// Settings of a living cloth, which cloth.h declares.

static drapeResult ApplyMaterial(Api* api, const void* def)
{
	return drapeCloth_SetMaterial(api->cloth, def);
}

static drapeResult ApplySprings(Api* api, const void* def)
{
	return drapeCloth_SetModel(api->cloth, drape_modelSprings, def);
}

static drapeResult ApplySolver(Api* api, const void* def)
{
	return drapeCloth_SetSolver(api->cloth, def);
}

static void RefuseTables(Api* api)
{
	const drapeMaterial material = drapeCloth_GetMaterial(api->cloth);
	const drapeSpringDef springs = drapeDefaultSpringDef();
	const drapeSolverDef solver = drapeDefaultSolverDef();
	ApiTable table = {"drapeCloth_SetMaterial", "material", .def = &material, .size = sizeof material};
	table.apply = ApplyMaterial;
	table.prefix = "";
	table.list = drapeMaterial_GetParameters(&table.count);
	Api_RefuseTable(api, &table);
	table = (ApiTable){"drapeCloth_SetModel", "springs", .def = &springs, .size = sizeof springs};
	table.apply = ApplySprings;
	table.prefix = "springs.";
	table.list = drapeSpringDef_GetParameters(&table.count);
	Api_RefuseTable(api, &table);
	table = (ApiTable){"drapeCloth_SetSolver", "solver", .def = &solver, .size = sizeof solver};
	table.apply = ApplySolver;
	table.prefix = "";
	table.list = drapeSolverDef_GetParameters(&table.count);
	Api_RefuseTable(api, &table);
}

static void RefuseValues(Api* api)
{
	drapeSolverDef solver = drapeDefaultSolverDef();
	REFUSED(drapeCloth_SetMaterial, material, "material is NULL", drapeCloth_SetMaterial(api->cloth, NULL));
	REFUSED(drapeCloth_SetThickness, thickness, "thickness is -1, expected a number from 0 to ",
	        drapeCloth_SetThickness(api->cloth, -1.0f));
	REFUSED(drapeCloth_SetThickness, thickness, "thickness is nan, expected a number from 0 to ",
	        drapeCloth_SetThickness(api->cloth, NAN));
	REFUSED(drapeCloth_SetModel, model, "model is 99, expected one of springs|fem",
	        drapeCloth_SetModel(api->cloth, (drapeModel)99, NULL));
	REFUSED(drapeCloth_SetSolver, solver, "solver is NULL", drapeCloth_SetSolver(api->cloth, NULL));
	solver.substeps = 2;
	solver.stepRate = 60.0f;
	REFUSED(drapeCloth_SetSolver, solver, "stepRate is 60 Hz and substeps is 2, expected one of both to be 0",
	        drapeCloth_SetSolver(api->cloth, &solver));
	REFUSED(drapeCloth_SetContact, contact, "contact is 99, expected one of particles|all",
	        drapeCloth_SetContact(api->cloth, (drapeContactMode)99));
	REFUSED(drapeCloth_SetGravityScale, scale, "gravityScale is 1001, expected a number from -1000 to 1000",
	        drapeCloth_SetGravityScale(api->cloth, 1001.0f));
	REFUSED(drapeCloth_SetGravityScale, scale, "gravityScale is nan, expected a number from -1000 to 1000",
	        drapeCloth_SetGravityScale(api->cloth, NAN));
}

void Rows_Live(Api* api)
{
	const drapeMaterial material = drapeDefaultMaterial();
	const drapeSolverDef solver = drapeDefaultSolverDef();
	RefuseTables(api);
	RefuseValues(api);
	BAD_HANDLE(drapeCloth_SetMaterial, drapeClothId, cloth, drapeCloth_SetMaterial(cloth, &material));
	BAD_VALUE(drapeCloth_GetMaterial, drapeClothId, cloth, drapeCloth_GetMaterial(cloth).density == material.density);
	BAD_HANDLE(drapeCloth_SetThickness, drapeClothId, cloth, drapeCloth_SetThickness(cloth, 0.001f));
	BAD_ZERO(drapeCloth_GetThickness, drapeClothId, cloth, drapeCloth_GetThickness(cloth));
	BAD_HANDLE(drapeCloth_SetModel, drapeClothId, cloth, drapeCloth_SetModel(cloth, drape_modelFem, NULL));
	BAD_ZERO(drapeCloth_GetModel, drapeClothId, cloth, drapeCloth_GetModel(cloth));
	BAD_VALUE(drapeCloth_GetSprings, drapeClothId, cloth,
	          drapeCloth_GetSprings(cloth).bending == drapeDefaultSpringDef().bending);
	BAD_HANDLE(drapeCloth_SetSolver, drapeClothId, cloth, drapeCloth_SetSolver(cloth, &solver));
	BAD_VALUE(drapeCloth_GetSolver, drapeClothId, cloth, drapeCloth_GetSolver(cloth).tolerance == solver.tolerance);
	BAD_HANDLE(drapeCloth_SetContact, drapeClothId, cloth, drapeCloth_SetContact(cloth, drape_contactAll));
	BAD_ZERO(drapeCloth_GetContact, drapeClothId, cloth, drapeCloth_GetContact(cloth));
	BAD_HANDLE(drapeCloth_SetGravityScale, drapeClothId, cloth, drapeCloth_SetGravityScale(cloth, 1.0f));
	BAD_ZERO(drapeCloth_GetGravityScale, drapeClothId, cloth, drapeCloth_GetGravityScale(cloth));
}
