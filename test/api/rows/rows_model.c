// SPDX-License-Identifier: MIT
#include "api.h"

void Rows_Model(Api* api)
{
	CANNOT_FAIL(drapeDefaultSpringDef, ALL, "it returns constants");
	ASSERTED(drapeSpringDef_GetParameters, count, "count is NULL", drapeSpringDef_GetParameters(NULL) != NULL);
}
