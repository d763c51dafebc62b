// SPDX-License-Identifier: MIT
#include "api.h"

void Rows_Adapt(Api* api)
{
	CANNOT_FAIL(drapeDefaultAdaptDef, ALL, "it returns constants");
	ACCEPTED(drapeCriterion_GetInfo, index, drapeCriterion_GetInfo(0) != NULL);
	ACCEPTED(drapeCriterion_GetInfo, index, drapeCriterion_GetInfo(UINT32_MAX) == NULL);
}
