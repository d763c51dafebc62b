// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

static const drapeTransform identity = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}, .scale = 1.0f};

static bool IsIdentity(drapeTransform t)
{
	return t.scale == 1.0f && t.rotation.w == 1.0f && t.position.x == 0.0f && t.position.y == 0.0f;
}

// A definition that creating a motion and changing one refuse alike.
static void RefuseDef(Api* api, const drapeMotionDef* def, const char* sentence)
{
	drapeMotionId motion;
	REFUSED(drapeCreateMotion, def, sentence, drapeCreateMotion(api->world, def, &motion));
	REFUSED(drapeMotion_SetDef, def, sentence, drapeMotion_SetDef(api->motion, def));
}

static void RefuseKeys(Api* api)
{
	drapeMotionDef def = drapeDefaultMotionDef();
	RefuseDef(api, NULL, "the definition of the motion is not initialised, expected drapeDefaultMotionDef");
	RefuseDef(api, &(drapeMotionDef){0},
	          "the definition of the motion is not initialised, expected drapeDefaultMotionDef");
	RefuseDef(api, &def, "the motion has no keys, expected at least one");
	def.keyCount = 1;
	RefuseDef(api, &def, "keys is NULL, but keyCount is 1");
	struct
	{
		drapeMotionKey key;
		const char* sentence;
	} rows[] = {
		{{1.0f, identity}, "keys[1].time is 1, expected a time after 1"},
		{{0.0f, identity}, "keys[1].time is 0, expected a time after 1"},
		{{NAN, identity}, "keys[1].time is nan, expected a finite number of s"},
		{{INFINITY, identity}, "keys[1].time is inf, expected a finite number of s"},
		{{2.0f, identity}, "keys[1].transform.position is (0, nan, 0), expected three finite numbers of m"},
		{{2.0f, identity}, "keys[1].transform.rotation has the length 0, expected 1"},
		{{2.0f, identity}, "keys[1].transform.rotation has the length nan, expected 1"},
		{{2.0f, identity}, "keys[1].transform.scale is 0, expected a number above 0"},
		{{2.0f, identity}, "keys[1].transform.scale is -1, expected a number above 0"},
		{{2.0f, identity}, "keys[1].transform.scale is inf, expected a number above 0"},
	};
	rows[4].key.transform.position.y = NAN;
	rows[5].key.transform.rotation.w = 0.0f;
	rows[6].key.transform.rotation.x = NAN;
	rows[7].key.transform.scale = 0.0f;
	rows[8].key.transform.scale = -1.0f;
	rows[9].key.transform.scale = INFINITY;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		const drapeMotionKey keys[2] = {{1.0f, identity}, rows[i].key};
		def.keys = keys;
		def.keyCount = 2;
		RefuseDef(api, &def, rows[i].sentence);
	}
}

void Rows_Motion(Api* api)
{
	const drapeMotionKey key = {0.0f, identity};
	drapeMotionDef def = drapeDefaultMotionDef();
	def.keys = &key;
	def.keyCount = 1;
	drapeMotionId made;
	CANNOT_FAIL(drapeDefaultMotionDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeMotion_SetUserData, userData, "the library does not read it");
	RefuseKeys(api);
	BAD_HANDLE(drapeCreateMotion, drapeWorldId, world, drapeCreateMotion(world, &def, &made));
	REFUSED(drapeCreateMotion, motion, "there is nowhere to write the handle of the motion to",
	        drapeCreateMotion(api->world, &def, NULL));
	BAD_DESTROY(drapeDestroyMotion, drapeMotionId, motion);
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapeMotionId motion;
		Api_BadHandle(api, apiKindMotion, bad, &motion);
		ACCEPTED(drapeMotion_IsValid, motion, !drapeMotion_IsValid(motion));
	}
	BAD_ZERO(drapeMotion_GetWorld, drapeMotionId, motion, drapeMotion_GetWorld(motion));
	BAD_HANDLE(drapeMotion_SetDef, drapeMotionId, motion, drapeMotion_SetDef(motion, &def));
	BAD_ZERO(drapeMotion_GetDef, drapeMotionId, motion, drapeMotion_GetDef(motion));
	API_BAD_ROWS(drapeMotionId, motion, 1, drapeMotion_GetTransform,
	             Api_EndBad(api, IsIdentity(drapeMotion_GetTransform(motion, 0.0)), kind_, bad_));
	ACCEPTED(drapeMotion_GetTransform, motion, IsIdentity(drapeMotion_GetTransform((drapeMotionId){0}, 1.0)));
	REFUSED_VALUE(drapeMotion_GetTransform, time, "time is nan, expected a finite number of s",
	              IsIdentity(drapeMotion_GetTransform(api->motion, (double)NAN)));
	BAD_HANDLE(drapeMotion_SetUserData, drapeMotionId, motion, drapeMotion_SetUserData(motion, NULL));
	BAD_ZERO(drapeMotion_GetUserData, drapeMotionId, motion, drapeMotion_GetUserData(motion));
}
