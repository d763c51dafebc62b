// SPDX-License-Identifier: MIT
#include "api.h"

void Rows_Stats(Api* api)
{
	BAD_ZERO(drapeWorld_GetCounters, drapeWorldId, world, drapeWorld_GetCounters(world));
	BAD_ZERO(drapeCloth_GetCounters, drapeClothId, cloth, drapeCloth_GetCounters(cloth));
	BAD_ZERO(drapeWorld_GetProfile, drapeWorldId, world, drapeWorld_GetProfile(world));
	BAD_ZERO(drapeCloth_GetProfile, drapeClothId, cloth, drapeCloth_GetProfile(cloth));
	BAD_ZERO(drapeWorld_GetMeasures, drapeWorldId, world, drapeWorld_GetMeasures(world));
	BAD_ZERO(drapeCloth_GetMeasures, drapeClothId, cloth, drapeCloth_GetMeasures(cloth));
}
