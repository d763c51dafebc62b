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

// Lists of pins; an entry that is bad is named with its index.
static void RefuseLists(Api* api)
{
	const uint32_t particles[2] = {1, 9999};
	const drapeVec3 positions[2] = {{0.0f, 0.0f, 0.0f}, {0.0f, NAN, 0.0f}};
	drapePinId pins[2] = {api->pin, api->pin};
	BAD_HANDLE(drapeCreatePins, drapeClothId, cloth, drapeCreatePins(cloth, particles, 1, NULL));
	REFUSED(drapeCreatePins, particles, "particles is NULL", drapeCreatePins(api->cloth, NULL, 1, NULL));
	REFUSED(drapeCreatePins, particles, "particles[1] is 9999, but the cloth has only 25",
	        drapeCreatePins(api->cloth, particles, 2, NULL));
	ACCEPTED(drapeCreatePins, pins, drapeCreatePins(api->cloth, NULL, 0, NULL) == drape_ok);
	ACCEPTED(drapeCreatePins, count, drapeCreatePins(api->cloth, NULL, 0, pins) == drape_ok);
	BAD_HANDLE(drapeDestroyPins, drapeClothId, cloth, drapeDestroyPins(cloth, pins, 1));
	REFUSED(drapeDestroyPins, pins, "pins is NULL", drapeDestroyPins(api->cloth, NULL, 1));
	ACCEPTED(drapeDestroyPins, count, drapeDestroyPins(api->cloth, NULL, 0) == drape_ok);
	BAD_HANDLE(drapeCloth_SetPinTargets, drapeClothId, cloth, drapeCloth_SetPinTargets(cloth, pins, positions, 1));
	REFUSED(drapeCloth_SetPinTargets, pins, "pins is NULL", drapeCloth_SetPinTargets(api->cloth, NULL, positions, 1));
	REFUSED(drapeCloth_SetPinTargets, positions, "positions is NULL",
	        drapeCloth_SetPinTargets(api->cloth, pins, NULL, 1));
	REFUSED(drapeCloth_SetPinTargets, positions, "positions[1] is (0, nan, 0), expected three finite numbers of m",
	        drapeCloth_SetPinTargets(api->cloth, pins, positions, 2));
	ACCEPTED(drapeCloth_SetPinTargets, count, drapeCloth_SetPinTargets(api->cloth, NULL, NULL, 0) == drape_ok);
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		Api_BadHandle(api, apiKindPin, bad, &pins[1]);
		REFUSED(drapeCloth_SetPinTargets, pins, "pins[1] is not a pin of this cloth",
		        drapeCloth_SetPinTargets(api->cloth, pins, positions, 2));
		if (bad > 0)
			REFUSED(drapeDestroyPins, pins, "pins[1] is not a pin of this cloth",
			        drapeDestroyPins(api->cloth, pins, 2));
	}
	REFUSED(drapeCloth_SetPinTargets, pins, "pins[0] is not a pin of this cloth",
	        drapeCloth_SetPinTargets(api->second, pins, positions, 1));
}

void Rows_Pin(Api* api)
{
	drapePinId made;
	RefuseLists(api);
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
