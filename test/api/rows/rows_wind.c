// SPDX-License-Identifier: MIT
#include "api.h"

void Rows_Wind(Api* api)
{
	CANNOT_FAIL(drapeDefaultWindDef, ALL, "it returns constants");
	ASSERTED(drapeWindDef_GetParameters, count, "count is NULL", drapeWindDef_GetParameters(NULL) != NULL);
}
