// SPDX-License-Identifier: MIT
#include "api.h"

void Rows_Filter(Api* api)
{
	const drapeFilter filter = drapeDefaultFilter();
	CANNOT_FAIL(drapeDefaultFilter, ALL, "it returns constants");
	CANNOT_FAIL(drapeFilter_Touches, ALL, "any bits are good");
	CANNOT_FAIL(drapeCloth_SetFilter, filter, "any bits are good");
	CANNOT_FAIL(drapeCollider_SetFilter, filter, "any bits are good");
	BAD_HANDLE(drapeCloth_SetFilter, drapeClothId, cloth, drapeCloth_SetFilter(cloth, filter));
	BAD_ZERO(drapeCloth_GetFilter, drapeClothId, cloth, drapeCloth_GetFilter(cloth));
	BAD_HANDLE(drapeCollider_SetFilter, drapeColliderId, collider, drapeCollider_SetFilter(collider, filter));
	BAD_ZERO(drapeCollider_GetFilter, drapeColliderId, collider, drapeCollider_GetFilter(collider));
}
