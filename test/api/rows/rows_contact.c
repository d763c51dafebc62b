// SPDX-License-Identifier: MIT
#include "api.h"

void Rows_Contact(Api* api)
{
	drapeContactPoint point;
	drapeCrossing crossing;
	uint32_t count;
	BAD_ZERO(drapeCloth_GetContacts, drapeClothId, cloth, drapeCloth_GetContacts(cloth, &point, 1));
	REFUSED_VALUE(drapeCloth_GetContacts, list, "list is NULL, but capacity is 1",
	              drapeCloth_GetContacts(api->cloth, NULL, 1) == 0);
	ACCEPTED(drapeCloth_GetContacts, capacity, drapeCloth_GetContacts(api->cloth, NULL, 0) == 0);
	BAD_ZERO(drapeWorld_GetContactEvents, drapeWorldId, world, drapeWorld_GetContactEvents(world));
	BAD_ZERO(drapeWorld_GetTouchingPairs, drapeWorldId, world, drapeWorld_GetTouchingPairs(world, NULL, 0));
	REFUSED_VALUE(drapeWorld_GetTouchingPairs, pairs, "pairs is NULL, but capacity is 1",
	              drapeWorld_GetTouchingPairs(api->world, NULL, 1) == 0);
	ACCEPTED(drapeWorld_GetTouchingPairs, capacity, drapeWorld_GetTouchingPairs(api->world, NULL, 0) < 100);
	BAD_HANDLE(drapeWorld_FindCrossings, drapeWorldId, world, drapeWorld_FindCrossings(world, &crossing, 1, &count));
	REFUSED(drapeWorld_FindCrossings, list, "list is NULL, but capacity is 1",
	        drapeWorld_FindCrossings(api->world, NULL, 1, &count));
	REFUSED(drapeWorld_FindCrossings, count, "count is NULL", drapeWorld_FindCrossings(api->world, &crossing, 1, NULL));
	ACCEPTED(drapeWorld_FindCrossings, capacity,
	         drapeWorld_FindCrossings(api->world, NULL, 0, &count) == drape_ok && count > 0);
}
