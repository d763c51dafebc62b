// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

void Rows_Teleport(Api* api)
{
	const drapeTeleportDef good = drapeDefaultTeleportDef();
	drapeTeleportDef def = {0};
	CANNOT_FAIL(drapeDefaultTeleportDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeTeleport_FromTo, ALL, "it computes; drapeWorld_Teleport checks the definition");
	BAD_HANDLE(drapeWorld_Teleport, drapeWorldId, world, drapeWorld_Teleport(world, &good));
	REFUSED(drapeWorld_Teleport, def,
	        "the definition of the teleport is not initialised, expected drapeDefaultTeleportDef",
	        drapeWorld_Teleport(api->world, NULL));
	REFUSED(drapeWorld_Teleport, def,
	        "the definition of the teleport is not initialised, expected drapeDefaultTeleportDef",
	        drapeWorld_Teleport(api->world, &def));
#define TELEPORT(sentence, ...)                                                                                        \
	do                                                                                                                 \
	{                                                                                                                  \
		def = good;                                                                                                    \
		def.__VA_ARGS__;                                                                                               \
		REFUSED(drapeWorld_Teleport, def, sentence, drapeWorld_Teleport(api->world, &def));                            \
	} while (0)
	TELEPORT("teleport.position is (0, nan, 0), expected three finite numbers of m", position.y = NAN);
	TELEPORT("teleport.rotation has the length 0, expected 1", rotation.w = 0.0f);
	TELEPORT("teleport.rotation has the length nan, expected 1", rotation.x = NAN);
	TELEPORT("position takes an object beyond 1e9 m", position.x = 3e9f);
	TELEPORT("the teleport separates two cloths that a constraint joins", cloths = &api->cloth, def.clothCount = 1);
#undef TELEPORT
	BAD_OTHER(drapeWorld_Teleport, def, drapeClothId, bad, api->foreignCloth, "cloths[0] does not exist in this world",
	          (def = good, def.cloths = &bad, def.clothCount = 1, drapeWorld_Teleport(api->world, &def)));
	BAD_OTHER(drapeWorld_Teleport, def, drapeColliderId, bad, api->foreignCollider,
	          "colliders[0] does not exist in this world",
	          (def = good, def.colliders = &bad, def.colliderCount = 1, drapeWorld_Teleport(api->world, &def)));
}
