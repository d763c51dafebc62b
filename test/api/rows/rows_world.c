// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const drapeVec3 zero = {0.0f, 0.0f, 0.0f}, notFinite = {0.0f, NAN, 0.0f};

static void* Enqueue(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext, void* userContext)
{
	(void)minRange;
	(void)userContext;
	task(0, count, 0, taskContext);
	return NULL;
}

static void Finish(void* userTask, void* userContext)
{
	(void)userTask;
	(void)userContext;
}

// --- creation -------------------------------------------------------------------------------------------------------

static drapeResult ApplyWorld(Api* api, const void* def)
{
	drapeWorldId world;
	return drapeCreateWorld(def, &world, api->message);
}

static void RefuseDefinitions(Api* api)
{
	const drapeWorldDef good = drapeDefaultWorldDef();
	drapeWorldDef def = {0};
	drapeWorldId world;
	REFUSED_TO(drapeCreateWorld, def, "the definition of the world is not initialised, expected drapeDefaultWorldDef",
	           drapeCreateWorld(NULL, &world, api->message));
	REFUSED_TO(drapeCreateWorld, def, "the definition of the world is not initialised, expected drapeDefaultWorldDef",
	           drapeCreateWorld(&def, &world, api->message));
	REFUSED_TO(drapeCreateWorld, world, "there is nowhere to write the handle of the world to",
	           drapeCreateWorld(&good, NULL, api->message));
#define CREATE(sentence, ...)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		def = good;                                                                                                    \
		def.__VA_ARGS__;                                                                                               \
		REFUSED_TO(drapeCreateWorld, def, sentence, ApplyWorld(api, &def));                                            \
	} while (0)
	CREATE("workerCount is 0, expected 1 to 64", workerCount = 0);
	CREATE("workerCount is 65, expected 1 to 64", workerCount = DRAPE_MAX_WORKERS + 1);
	CREATE("finishTask is NULL, expected both or none", enqueueTask = Enqueue);
	CREATE("enqueueTask is NULL, expected both or none", finishTask = Finish);
	CREATE("gravity is (0, nan, 0), expected three finite numbers of m/s^2", gravity = notFinite);
	CREATE("adaptRate is 0, expected a number above 0 Hz", adaptRate = 0.0f);
	CREATE("adaptRate is -1, expected a number above 0 Hz", adaptRate = -1.0f);
	CREATE("adaptRate is nan, expected a number above 0 Hz", adaptRate = NAN);
	CREATE("adaptRate is inf, expected a number above 0 Hz", adaptRate = INFINITY);
#undef CREATE
	ApiTable table = {"drapeCreateWorld", "def", .def = &good, .size = sizeof good, .apply = ApplyWorld};
	table.offset = offsetof(drapeWorldDef, wind);
	table.prefix = "wind.";
	table.list = drapeWindDef_GetParameters(&table.count);
	Api_RefuseTable(api, &table);
}

static void RefuseWorldBeyondLimit(Api* api)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	drapeWorldId worlds[DRAPE_MAX_WORLDS], world;
	uint32_t count = 0;
	while (count < DRAPE_MAX_WORLDS && drapeCreateWorld(&def, &worlds[count], NULL) == drape_ok)
		count++;
	FAILED_TO(drapeCreateWorld, def, drape_errorLimit, "there are 128 worlds already, expected fewer",
	          drapeCreateWorld(&def, &world, api->message));
	while (count > 0)
		drapeDestroyWorld(worlds[--count]);
}

// --- handles --------------------------------------------------------------------------------------------------------

static void RefuseHandles(Api* api)
{
	const drapeWindDef wind = drapeDefaultWindDef();
	size_t size;
	uint8_t data[8] = {0};
	BAD_DESTROY(drapeDestroyWorld, drapeWorldId, world);
	BAD_HANDLE(drapeWorld_SetUserData, drapeWorldId, world, drapeWorld_SetUserData(world, NULL));
	BAD_ZERO(drapeWorld_GetUserData, drapeWorldId, world, drapeWorld_GetUserData(world));
	BAD_ZERO(drapeWorld_GetCloths, drapeWorldId, world, drapeWorld_GetCloths(world, NULL, 0));
	BAD_ZERO(drapeWorld_GetColliders, drapeWorldId, world, drapeWorld_GetColliders(world, NULL, 0));
	BAD_ZERO(drapeWorld_GetMotions, drapeWorldId, world, drapeWorld_GetMotions(world, NULL, 0));
	BAD_ZERO(drapeWorld_GetConstraints, drapeWorldId, world, drapeWorld_GetConstraints(world, NULL, 0));
	BAD_HANDLE(drapeWorld_Validate, drapeWorldId, world, drapeWorld_Validate(world));
	BAD_ZERO(drapeWorld_GetMemory, drapeWorldId, world, drapeWorld_GetMemory(world));
	BAD_HANDLE(drapeWorld_Step, drapeWorldId, world, drapeWorld_Step(world, 0.01f));
	BAD_ZERO(drapeWorld_GetWarning, drapeWorldId, world, drapeWorld_GetWarning(world));
	BAD_ZERO(drapeWorld_GetTime, drapeWorldId, world, drapeWorld_GetTime(world));
	BAD_HANDLE(drapeWorld_SetGravity, drapeWorldId, world, drapeWorld_SetGravity(world, zero));
	BAD_ZERO(drapeWorld_GetGravity, drapeWorldId, world, drapeWorld_GetGravity(world));
	BAD_HANDLE(drapeWorld_SetWind, drapeWorldId, world, drapeWorld_SetWind(world, &wind));
	BAD_ZERO(drapeWorld_GetWind, drapeWorldId, world, drapeWorld_GetWind(world));
	BAD_ZERO(drapeWorld_GetWindVelocity, drapeWorldId, world, drapeWorld_GetWindVelocity(world, zero, 0.0));
	BAD_HANDLE(drapeWorld_SetCamera, drapeWorldId, world, drapeWorld_SetCamera(world, zero));
	BAD_ZERO(drapeWorld_GetCamera, drapeWorldId, world, drapeWorld_GetCamera(world));
	BAD_HANDLE(drapeWorld_SetAdaptRate, drapeWorldId, world, drapeWorld_SetAdaptRate(world, 30.0f));
	BAD_ZERO(drapeWorld_GetAdaptRate, drapeWorldId, world, drapeWorld_GetAdaptRate(world));
	BAD_HANDLE(drapeWorld_Save, drapeWorldId, world, drapeWorld_Save(world, NULL, 0, &size));
	BAD_HANDLE(drapeWorld_Load, drapeWorldId, world, drapeWorld_Load(world, data, sizeof data));
	BAD_ZERO(drapeWorld_GetHash, drapeWorldId, world, drapeWorld_GetHash(world));
	BAD_VALUE(
		drapeWorld_GetMessage, drapeWorldId, world,
		strcmp(drapeWorld_GetMessage(world), "the world does not exist: it was destroyed, or its handle is null") == 0);
}

static void AcceptHandles(Api* api)
{
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapeWorldId world;
		Api_BadHandle(api, apiKindWorld, bad, &world);
		ACCEPTED(drapeWorld_IsValid, world, !drapeWorld_IsValid(world));
		ACCEPTED(drapeWorld_Cancel, world, (drapeWorld_Cancel(world), true));
	}
}

// --- the rest -------------------------------------------------------------------------------------------------------

static drapeResult ApplyWind(Api* api, const void* def)
{
	return drapeWorld_SetWind(api->world, def);
}

static void RefuseSettings(Api* api)
{
	const drapeWindDef wind = drapeDefaultWindDef();
	REFUSED(drapeWorld_SetGravity, gravity, "gravity is (0, nan, 0), expected three finite numbers of m/s^2",
	        drapeWorld_SetGravity(api->world, notFinite));
	REFUSED(drapeWorld_SetWind, wind, "wind is NULL", drapeWorld_SetWind(api->world, NULL));
	ApiTable table = {"drapeWorld_SetWind", "wind", .def = &wind, .size = sizeof wind, .apply = ApplyWind};
	table.prefix = "";
	table.list = drapeWindDef_GetParameters(&table.count);
	Api_RefuseTable(api, &table);
	REFUSED(drapeWorld_SetCamera, position, "position is (0, nan, 0), expected three finite numbers of m",
	        drapeWorld_SetCamera(api->world, notFinite));
	REFUSED(drapeWorld_SetAdaptRate, adaptRate, "adaptRate is 0, expected a number above 0 Hz",
	        drapeWorld_SetAdaptRate(api->world, 0.0f));
	REFUSED(drapeWorld_SetAdaptRate, adaptRate, "adaptRate is nan, expected a number above 0 Hz",
	        drapeWorld_SetAdaptRate(api->world, NAN));
	REFUSED(drapeWorld_SetAdaptRate, adaptRate, "adaptRate is inf, expected a number above 0 Hz",
	        drapeWorld_SetAdaptRate(api->world, INFINITY));
	REFUSED_VALUE(drapeWorld_GetWindVelocity, point, "point is (0, nan, 0), expected three finite numbers of m",
	              drapeWorld_GetWindVelocity(api->world, notFinite, 0.0).x == 0.0f);
	REFUSED_VALUE(drapeWorld_GetWindVelocity, time, "time is nan, expected a finite number of s",
	              drapeWorld_GetWindVelocity(api->world, zero, (double)NAN).x == 0.0f);
	const float steps[] = {0.0f, -1.0f, NAN, INFINITY};
	const char* const sentences[] = {"dt is 0, expected a number above 0 s", "dt is -1,", "dt is nan,", "dt is inf,"};
	for (int i = 0; i < 4; ++i)
		REFUSED(drapeWorld_Step, dt, sentences[i], drapeWorld_Step(api->world, steps[i]));
}

static void RefuseArrays(Api* api)
{
	REFUSED_VALUE(drapeWorld_GetCloths, cloths, "cloths is NULL, but capacity is 1",
	              drapeWorld_GetCloths(api->world, NULL, 1) == 0);
	REFUSED_VALUE(drapeWorld_GetColliders, colliders, "colliders is NULL, but capacity is 1",
	              drapeWorld_GetColliders(api->world, NULL, 1) == 0);
	REFUSED_VALUE(drapeWorld_GetMotions, motions, "motions is NULL, but capacity is 1",
	              drapeWorld_GetMotions(api->world, NULL, 1) == 0);
	REFUSED_VALUE(drapeWorld_GetConstraints, constraints, "constraints is NULL, but capacity is 1",
	              drapeWorld_GetConstraints(api->world, NULL, 1) == 0);
	drapeClothId cloth;
	drapeColliderId collider;
	drapeMotionId motion;
	drapeConstraintId constraint;
	ACCEPTED(drapeWorld_GetCloths, capacity, drapeWorld_GetCloths(api->world, &cloth, 1) > 1);
	ACCEPTED(drapeWorld_GetColliders, capacity, drapeWorld_GetColliders(api->world, &collider, 1) > 1);
	ACCEPTED(drapeWorld_GetMotions, capacity, drapeWorld_GetMotions(api->world, &motion, 1) > 1);
	ACCEPTED(drapeWorld_GetConstraints, capacity, drapeWorld_GetConstraints(api->world, &constraint, 1) > 1);
}

static void RefuseSnapshots(Api* api)
{
	static uint8_t data[1 << 20];
	size_t size = 0, other = 0;
	assert_int_equal(drapeWorld_Save(api->world, NULL, 0, &size), drape_ok);
	assert_true(size <= sizeof data);
	REFUSED(drapeWorld_Save, size, "size is NULL", drapeWorld_Save(api->world, data, sizeof data, NULL));
	REFUSED(drapeWorld_Save, data, "data is NULL", drapeWorld_Save(api->world, NULL, size, &other));
	char sentence[96];
	snprintf(sentence, sizeof sentence, "capacity is 16 bytes, but the snapshot has %zu", size);
	FAILED(drapeWorld_Save, capacity, drape_errorLimit, sentence, drapeWorld_Save(api->world, data, 16, &other));
	assert_int_equal(drapeWorld_Save(api->world, data, sizeof data, &size), drape_ok);
	REFUSED(drapeWorld_Load, data, "data is NULL", drapeWorld_Load(api->world, NULL, size));
	FAILED(drapeWorld_Load, size, drape_errorData, "the snapshot is cut off", drapeWorld_Load(api->world, data, 8));
	FAILED(drapeWorld_Load, size, drape_errorData, "the snapshot is cut off",
	       drapeWorld_Load(api->world, data, size - 1));
	data[size - 1] ^= 1;
	FAILED(drapeWorld_Load, data, drape_errorData, "the snapshot is damaged", drapeWorld_Load(api->world, data, size));
	data[0] ^= 1;
	FAILED(drapeWorld_Load, data, drape_errorData, "this is not a snapshot", drapeWorld_Load(api->world, data, size));
	assert_int_equal(drapeWorld_Save(api->foreign, data, sizeof data, &size), drape_ok);
	FAILED(drapeWorld_Load, data, drape_errorData, "the snapshot belongs to another world",
	       drapeWorld_Load(api->world, data, size));
}

void Rows_World(Api* api)
{
	CANNOT_FAIL(drapeDefaultWorldDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeWorld_SetUserData, userData, "the library does not read it");
	RefuseDefinitions(api);
	RefuseWorldBeyondLimit(api);
	RefuseHandles(api);
	AcceptHandles(api);
	RefuseSettings(api);
	RefuseArrays(api);
	RefuseSnapshots(api);
}
