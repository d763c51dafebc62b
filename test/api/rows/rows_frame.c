// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

// Inertia, frames and sleep of cloths, which cloth.h declares.

static const drapeTransform identity = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}, .scale = 1.0f};

static bool IsIdentity(drapeTransform t)
{
	return t.scale == 1.0f && t.rotation.w == 1.0f && t.position.x == 0.0f && t.position.y == 0.0f;
}

static void RefuseFrames(Api* api)
{
	drapeTransform frame = identity;
	frame.position.y = NAN;
	REFUSED(drapeCloth_SetFrame, frame, "frame.position is (0, nan, 0), expected three finite numbers of m",
	        drapeCloth_SetFrame(api->cloth, frame));
	frame = identity;
	frame.rotation.w = 0.0f;
	REFUSED(drapeCloth_SetFrame, frame, "frame.rotation has the length 0, expected 1",
	        drapeCloth_SetFrame(api->cloth, frame));
	frame = identity;
	frame.scale = 0.0f;
	REFUSED(drapeCloth_SetFrame, frame, "frame.scale is 0, expected a number above 0",
	        drapeCloth_SetFrame(api->cloth, frame));
	BAD_HANDLE(drapeCloth_SetFrame, drapeClothId, cloth, drapeCloth_SetFrame(cloth, identity));
	BAD_VALUE(drapeCloth_GetFrame, drapeClothId, cloth, IsIdentity(drapeCloth_GetFrame(cloth)));
	BAD_HANDLE(drapeCloth_ClearFrame, drapeClothId, cloth, drapeCloth_ClearFrame(cloth));
}

static void RefuseInertia(Api* api)
{
	const drapeInertia good = {1.0f, 1.0f};
	const float bad[] = {-0.5f, 1.5f, NAN};
	const char* const linear[] = {"linear is -0.5, expected a number from 0 to 1", "linear is 1.5,", "linear is nan,"};
	const char* const angular[] = {"angular is -0.5, expected a number from 0 to 1", "angular is 1.5,",
	                               "angular is nan,"};
	for (int i = 0; i < 3; ++i)
	{
		REFUSED(drapeCloth_SetInertia, inertia, linear[i],
		        drapeCloth_SetInertia(api->cloth, (drapeInertia){bad[i], 1.0f}));
		REFUSED(drapeCloth_SetInertia, inertia, angular[i],
		        drapeCloth_SetInertia(api->cloth, (drapeInertia){1.0f, bad[i]}));
	}
	BAD_HANDLE(drapeCloth_SetInertia, drapeClothId, cloth, drapeCloth_SetInertia(cloth, good));
	BAD_ZERO(drapeCloth_GetInertia, drapeClothId, cloth, drapeCloth_GetInertia(cloth));
}

static void RefuseSleep(Api* api)
{
	const drapeSleepDef good = {0.01f, 1.0f};
	REFUSED(drapeCloth_SetSleep, sleep, "speed is -1, expected a number from 0 to 1000 m/s",
	        drapeCloth_SetSleep(api->cloth, (drapeSleepDef){-1.0f, 1.0f}));
	REFUSED(drapeCloth_SetSleep, sleep, "speed is nan, expected a number from 0 to 1000 m/s",
	        drapeCloth_SetSleep(api->cloth, (drapeSleepDef){NAN, 1.0f}));
	REFUSED(drapeCloth_SetSleep, sleep, "time is -1, expected a number from 0 to 1e6 s",
	        drapeCloth_SetSleep(api->cloth, (drapeSleepDef){0.01f, -1.0f}));
	REFUSED(drapeCloth_SetSleep, sleep, "time is nan, expected a number from 0 to 1e6 s",
	        drapeCloth_SetSleep(api->cloth, (drapeSleepDef){0.01f, NAN}));
	BAD_HANDLE(drapeCloth_SetSleep, drapeClothId, cloth, drapeCloth_SetSleep(cloth, good));
	BAD_ZERO(drapeCloth_GetSleep, drapeClothId, cloth, drapeCloth_GetSleep(cloth));
	BAD_HANDLE(drapeCloth_SetAsleep, drapeClothId, cloth, drapeCloth_SetAsleep(cloth, false));
	CANNOT_FAIL(drapeCloth_SetAsleep, isAsleep, "both values are good");
	BAD_ZERO(drapeCloth_IsAsleep, drapeClothId, cloth, drapeCloth_IsAsleep(cloth));
}

// Getters that pin.h and collider.h declare.
static void RefuseGetters(Api* api)
{
	float start, end;
	BAD_HANDLE(drapeCollider_GetTimes, drapeColliderId, collider, drapeCollider_GetTimes(collider, &start, &end));
	CANNOT_FAIL(drapeCollider_GetTimes, start, "it may be NULL");
	CANNOT_FAIL(drapeCollider_GetTimes, end, "it may be NULL");
	BAD_ZERO(drapePin_GetTarget, drapePinId, pin, drapePin_GetTarget(pin));
	BAD_HANDLE(drapePin_GetTimes, drapePinId, pin, drapePin_GetTimes(pin, &start, &end));
	CANNOT_FAIL(drapePin_GetTimes, start, "it may be NULL");
	CANNOT_FAIL(drapePin_GetTimes, end, "it may be NULL");
	BAD_ZERO(drapePin_GetMaxForce, drapePinId, pin, drapePin_GetMaxForce(pin));
}

void Rows_Frame(Api* api)
{
	RefuseFrames(api);
	RefuseInertia(api);
	RefuseSleep(api);
	RefuseGetters(api);
}
