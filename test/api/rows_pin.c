// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

static const drapeVec3 zero = {0.0f, 0.0f, 0.0f}, notFinite = {0.0f, NAN, 0.0f};

static void RefuseTimes(Api* api)
{
	const float inf = INFINITY;
	REFUSED(drapePin_SetTimes, start, "start is nan, expected a finite number of s",
	        drapePin_SetTimes(api->pin, NAN, 0.0f));
	REFUSED(drapePin_SetTimes, start, "start is inf, expected a finite number of s",
	        drapePin_SetTimes(api->pin, inf, 0.0f));
	REFUSED(drapePin_SetTimes, end, "end is 1, expected 0 or a time after start, which is 2",
	        drapePin_SetTimes(api->pin, 2.0f, 1.0f));
	REFUSED(drapePin_SetTimes, end, "end is -1, expected 0 or a time after start, which is -2",
	        drapePin_SetTimes(api->pin, -2.0f, -1.0f));
	REFUSED(drapePin_SetTimes, end, "end is nan, expected 0 or a time after start, which is 0",
	        drapePin_SetTimes(api->pin, 0.0f, NAN));
	REFUSED(drapePin_SetTimes, end, "end is inf, expected 0 or a time after start, which is 0",
	        drapePin_SetTimes(api->pin, 0.0f, inf));
}

static void RefuseHandles(Api* api)
{
	drapePinId made;
	BAD_HANDLE(drapeCreatePin, drapeClothId, cloth, drapeCreatePin(cloth, 0, &made));
	BAD_DESTROY(drapeDestroyPin, drapePinId, pin);
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapePinId pin;
		Api_BadHandle(api, apiKindPin, bad, &pin);
		ACCEPTED(drapePin_IsValid, pin, !drapePin_IsValid(pin));
	}
	BAD_ZERO(drapePin_GetCloth, drapePinId, pin, drapePin_GetCloth(pin));
	BAD_VALUE(drapePin_GetParticle, drapePinId, pin, drapePin_GetParticle(pin) == DRAPE_NONE);
	BAD_HANDLE(drapePin_SetTarget, drapePinId, pin, drapePin_SetTarget(pin, zero));
	BAD_HANDLE(drapePin_SetMotion, drapePinId, pin, drapePin_SetMotion(pin, api->motion));
	BAD_ZERO(drapePin_GetMotion, drapePinId, pin, drapePin_GetMotion(pin));
	BAD_HANDLE(drapePin_SetCollider, drapePinId, pin, drapePin_SetCollider(pin, api->sphere));
	BAD_ZERO(drapePin_GetCollider, drapePinId, pin, drapePin_GetCollider(pin));
	BAD_HANDLE(drapePin_SetTimes, drapePinId, pin, drapePin_SetTimes(pin, 0.0f, 0.0f));
	BAD_HANDLE(drapePin_SetMaxForce, drapePinId, pin, drapePin_SetMaxForce(pin, 1.0f));
	BAD_ZERO(drapePin_GetState, drapePinId, pin, drapePin_GetState(pin));
	BAD_HANDLE(drapePin_SetUserData, drapePinId, pin, drapePin_SetUserData(pin, NULL));
	BAD_ZERO(drapePin_GetUserData, drapePinId, pin, drapePin_GetUserData(pin));
}

void Rows_Pin(Api* api)
{
	drapePinId made;
	RefuseHandles(api);
	RefuseTimes(api);
	CANNOT_FAIL(drapePin_SetUserData, userData, "the library does not read it");
	CANNOT_FAIL(drapeCreatePin, pin, "it may be NULL");
	REFUSED(drapeCreatePin, particle, "particle is 9999, but the cloth has only 25",
	        drapeCreatePin(api->cloth, 9999, &made));
	REFUSED(drapeCreatePin, particle, "particle is 25, but the cloth has only 25",
	        drapeCreatePin(api->cloth, 25, NULL));
	REFUSED(drapePin_SetTarget, position, "position is (0, nan, 0), expected three finite numbers of m",
	        drapePin_SetTarget(api->pin, notFinite));
	BAD_OTHER(drapePin_SetMotion, motion, drapeMotionId, bad, api->foreignMotion,
	          "the motion does not exist in this world", drapePin_SetMotion(api->pin, bad));
	BAD_OTHER(drapePin_SetCollider, collider, drapeColliderId, bad, api->foreignCollider,
	          "the collider does not exist in this world", drapePin_SetCollider(api->pin, bad));
	const float forces[] = {-1.0f, 2e9f, NAN, INFINITY};
	const char* const sentences[] = {"maxForce is -1, expected a number from 0 to 1e9 N", "maxForce is 2e+09,",
	                                 "maxForce is nan,", "maxForce is inf,"};
	for (int i = 0; i < 4; ++i)
		REFUSED(drapePin_SetMaxForce, maxForce, sentences[i], drapePin_SetMaxForce(api->pin, forces[i]));
}
