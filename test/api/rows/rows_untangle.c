// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

void Rows_Untangle(Api* api)
{
	const drapeUntangleDef good = drapeDefaultUntangleDef();
	drapeUntangleDef def = {0};
	drapeUntangleReport report;
	CANNOT_FAIL(drapeDefaultUntangleDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeWorld_Untangle, report, "it may be NULL: test_crossings");
	BAD_HANDLE(drapeWorld_Untangle, drapeWorldId, world, drapeWorld_Untangle(world, &good, &report));
	REFUSED(drapeWorld_Untangle, def,
	        "the definition of untangling is not initialised, expected drapeDefaultUntangleDef",
	        drapeWorld_Untangle(api->world, NULL, &report));
	REFUSED(drapeWorld_Untangle, def,
	        "the definition of untangling is not initialised, expected drapeDefaultUntangleDef",
	        drapeWorld_Untangle(api->world, &def, &report));
#define UNTANGLE(sentence, ...)                                                                                        \
	do                                                                                                                 \
	{                                                                                                                  \
		def = good;                                                                                                    \
		def.__VA_ARGS__;                                                                                               \
		REFUSED(drapeWorld_Untangle, def, sentence, drapeWorld_Untangle(api->world, &def, NULL));                      \
	} while (0)
	UNTANGLE("rounds is 0, expected 1 to 10000", rounds = 0);
	UNTANGLE("rounds is 10001, expected 1 to 10000", rounds = 10001);
	UNTANGLE("seconds is -1, expected a number from 0 to 1e+06", seconds = -1.0f);
	UNTANGLE("seconds is 2e+06, expected a number from 0 to 1e+06", seconds = 2e6f);
	UNTANGLE("seconds is nan, expected a number from 0 to 1e+06", seconds = NAN);
#undef UNTANGLE
}
