// SPDX-License-Identifier: MIT
#include "api.h"

void Rows_Solver(Api* api)
{
	const drapeIntegrator noIntegrator = (drapeIntegrator)99;
	CANNOT_FAIL(drapeDefaultSolverDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeDefaultExplicitSolverDef, ALL, "it returns constants");
	ACCEPTED(drapeIntegrator_GetName, integrator, drapeIntegrator_GetName(noIntegrator) == NULL);
	ACCEPTED(drapeIntegrator_IsImplicit, integrator, !drapeIntegrator_IsImplicit(noIntegrator));
	ACCEPTED(drapePreconditioner_GetName, preconditioner, drapePreconditioner_GetName((drapePreconditioner)99) == NULL);
	ASSERTED(drapeSolverDef_GetParameters, count, "count is NULL", drapeSolverDef_GetParameters(NULL) != NULL);
}
