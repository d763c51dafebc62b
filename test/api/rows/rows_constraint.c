// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

// The members that the three definitions share are refused alike: `CREATE` is the row of the definition at hand.

#define REFUSE_LAW                                                                                                     \
	CREATE("stiffness is -1, expected a number from 0 to 1e9 N/m", stiffness = -1.0f);                                 \
	CREATE("stiffness is nan, expected a number from 0 to 1e9 N/m", stiffness = NAN);                                  \
	CREATE("stiffness is 2e+09, expected a number from 0 to 1e9 N/m", stiffness = 2e9f);                               \
	CREATE("damping is -1, expected a number from 0 to 1e9 N s/m", damping = -1.0f);                                   \
	CREATE("damping is nan, expected a number from 0 to 1e9 N s/m", damping = NAN);                                    \
	CREATE("start is nan, expected a finite number of s", start = NAN);                                                \
	CREATE("end is -1, expected 0 or a time after start, which is 0", end = -1.0f);                                    \
	CREATE("end is nan, expected 0 or a time after start, which is 0", end = NAN);                                     \
	CREATE("end is inf, expected 0 or a time after start, which is 0", end = INFINITY)

#define REFUSE_POINT(point)                                                                                            \
	CREATE(#point ".triangle is 32, but the pattern has only 32", point.triangle = 32);                                \
	CREATE(#point ".weights add up to 0.5, expected 1", point.weights[0] = 0.5f);                                      \
	CREATE(#point ".weights[0] is nan, expected a number from 0 to 1", point.weights[0] = NAN);                        \
	CREATE(#point ".weights[1] is -1, expected a number from 0 to 1", point.weights[1] = -1.0f)

static void RefuseAttachments(Api* api)
{
	drapeAttachDef good = drapeDefaultAttachDef(), def = {0};
	drapeConstraintId made;
	good.collider = api->sphere;
#define CREATE(sentence, ...)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		def = good;                                                                                                    \
		def.__VA_ARGS__;                                                                                               \
		REFUSED(drapeCreateAttachment, def, sentence, drapeCreateAttachment(api->cloth, &def, &made));                 \
	} while (0)
	BAD_HANDLE(drapeCreateAttachment, drapeClothId, cloth, drapeCreateAttachment(cloth, &good, &made));
	CANNOT_FAIL(drapeCreateAttachment, constraint, "it may be NULL");
	REFUSED(drapeCreateAttachment, def,
	        "the definition of the constraint is not initialised, expected drapeDefaultAttachDef",
	        drapeCreateAttachment(api->cloth, NULL, &made));
	REFUSED(drapeCreateAttachment, def,
	        "the definition of the constraint is not initialised, expected drapeDefaultAttachDef",
	        drapeCreateAttachment(api->cloth, &def, &made));
	REFUSE_POINT(point);
	REFUSE_LAW;
	CREATE("the collider does not exist in this world", collider = (drapeColliderId){0});
	BAD_OTHER(drapeCreateAttachment, def, drapeColliderId, bad, api->foreignCollider,
	          "the collider does not exist in this world",
	          (def = good, def.collider = bad, drapeCreateAttachment(api->cloth, &def, NULL)));
	CREATE("offset is nan, expected a number from -1e9 to 1e9 m", offset = NAN);
	CREATE("offset is -2e+09, expected a number from -1e9 to 1e9 m", offset = -2e9f);
	CREATE("breakDistance is -1, expected a number from 0 to 1e9 m", breakDistance = -1.0f);
	CREATE("breakDistance is nan, expected a number from 0 to 1e9 m", breakDistance = NAN);
#undef CREATE
}

static void RefuseTethers(Api* api)
{
	const drapeTetherDef good = drapeDefaultTetherDef();
	drapeTetherDef def = {0};
	drapeConstraintId made;
#define CREATE(sentence, ...)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		def = good;                                                                                                    \
		def.__VA_ARGS__;                                                                                               \
		REFUSED(drapeCreateTether, def, sentence, drapeCreateTether(api->cloth, &def, &made));                         \
	} while (0)
	BAD_HANDLE(drapeCreateTether, drapeClothId, cloth, drapeCreateTether(cloth, &good, &made));
	CANNOT_FAIL(drapeCreateTether, constraint, "it may be NULL");
	REFUSED(drapeCreateTether, def,
	        "the definition of the constraint is not initialised, expected drapeDefaultTetherDef",
	        drapeCreateTether(api->cloth, NULL, &made));
	REFUSED(drapeCreateTether, def,
	        "the definition of the constraint is not initialised, expected drapeDefaultTetherDef",
	        drapeCreateTether(api->cloth, &def, &made));
	REFUSE_POINT(point);
	REFUSE_LAW;
	CREATE("length is -1, expected a number from 0 to 1e9 m", length = -1.0f);
	CREATE("length is nan, expected a number from 0 to 1e9 m", length = NAN);
	CREATE("breakDistance is -1, expected a number from 0 to 1e9 m", breakDistance = -1.0f);
	CREATE("anchor is (0, nan, 0), expected three finite numbers of m", anchor.y = NAN);
	BAD_OTHER(drapeCreateTether, def, drapeColliderId, bad, api->foreignCollider,
	          "the collider does not exist in this world",
	          (def = good, def.collider = bad, drapeCreateTether(api->cloth, &def, NULL)));
	BAD_OTHER(drapeCreateTether, def, drapeClothId, bad, api->foreignCloth,
	          "the cloth of otherPoint does not exist in this world",
	          (def = good, def.otherCloth = bad, drapeCreateTether(api->cloth, &def, NULL)));
	CREATE("otherPoint.triangle is 32, but the pattern has only 32", otherCloth = api->second,
	       def.otherPoint.triangle = 32);
#undef CREATE
}

static void RefuseStitches(Api* api)
{
	drapeStitchDef good = drapeDefaultStitchDef(), def = {0};
	drapeConstraintId made;
	good.otherCloth = api->second;
#define CREATE(sentence, ...)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		def = good;                                                                                                    \
		def.__VA_ARGS__;                                                                                               \
		REFUSED(drapeCreateStitch, def, sentence, drapeCreateStitch(api->cloth, &def, &made));                         \
	} while (0)
	BAD_HANDLE(drapeCreateStitch, drapeClothId, cloth, drapeCreateStitch(cloth, &good, &made));
	CANNOT_FAIL(drapeCreateStitch, constraint, "it may be NULL");
	REFUSED(drapeCreateStitch, def,
	        "the definition of the constraint is not initialised, expected drapeDefaultStitchDef",
	        drapeCreateStitch(api->cloth, NULL, &made));
	REFUSED(drapeCreateStitch, def,
	        "the definition of the constraint is not initialised, expected drapeDefaultStitchDef",
	        drapeCreateStitch(api->cloth, &def, &made));
	REFUSE_POINT(point);
	REFUSE_POINT(otherPoint);
	REFUSE_LAW;
	CREATE("speed is 0, expected a number above 0 m/s", speed = 0.0f);
	CREATE("speed is nan, expected a number above 0 m/s", speed = NAN);
	CREATE("maxForce is 0, expected a number above 0 N", maxForce = 0.0f);
	CREATE("maxForce is nan, expected a number above 0 N", maxForce = NAN);
	CREATE("point and otherPoint are the same, expected two points", otherCloth = api->cloth);
	CREATE("the cloth of otherPoint does not exist in this world", otherCloth = (drapeClothId){0});
	BAD_OTHER(drapeCreateStitch, def, drapeClothId, bad, api->foreignCloth,
	          "the cloth of otherPoint does not exist in this world",
	          (def = good, def.otherCloth = bad, drapeCreateStitch(api->cloth, &def, NULL)));
#undef CREATE
}

// Tethers between so many cloths that they cannot be solved together.
static void RefuseTooManyJoined(Api* api)
{
	enum
	{
		most = 63
	};
	drapeClothDef cloth = drapeDefaultClothDef();
	drapeClothId cloths[most + 1];
	drapeTetherDef tether = drapeDefaultTetherDef();
	drapeStitchDef stitch = drapeDefaultStitchDef();
	drapeMesh mesh;
	drapeResult result = drape_ok;
	uint32_t count = 0;
	assert_int_equal(drapeMesh_CreateGrid(1, 1, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	cloth.mesh = &mesh;
	cloth.adapt.scheme = drape_schemeFixed;
	for (; count <= most; ++count)
		assert_int_equal(drapeCreateCloth(api->world, &cloth, &cloths[count]), drape_ok);
	for (uint32_t i = 0; i + 1 < most && result == drape_ok; ++i)
	{
		tether.otherCloth = cloths[i + 1];
		result = drapeCreateTether(cloths[i], &tether, NULL);
	}
	tether.otherCloth = stitch.otherCloth = cloths[most];
	FAILED(drapeCreateTether, def, drape_errorLimit, "constraints would join more than 63 cloths, expected fewer",
	       drapeCreateTether(cloths[most - 1], &tether, NULL));
	FAILED(drapeCreateStitch, def, drape_errorLimit, "constraints would join more than 63 cloths, expected fewer",
	       drapeCreateStitch(cloths[most - 1], &stitch, NULL));
	while (count > 0)
		assert_int_equal(drapeDestroyCloth(cloths[--count]), drape_ok);
	drapeMesh_Free(&mesh);
}

static void RefuseHandles(Api* api)
{
	drapeAttachDef attach;
	drapeTetherDef tether;
	drapeStitchDef stitch;
	BAD_DESTROY(drapeDestroyConstraint, drapeConstraintId, constraint);
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapeConstraintId constraint;
		Api_BadHandle(api, apiKindConstraint, bad, &constraint);
		ACCEPTED(drapeConstraint_IsValid, constraint, !drapeConstraint_IsValid(constraint));
	}
	BAD_ZERO(drapeConstraint_GetState, drapeConstraintId, constraint, drapeConstraint_GetState(constraint));
	BAD_ZERO(drapeConstraint_GetWorld, drapeConstraintId, constraint, drapeConstraint_GetWorld(constraint));
	BAD_HANDLE(drapeConstraint_GetAttachDef, drapeConstraintId, constraint,
	           drapeConstraint_GetAttachDef(constraint, &attach));
	BAD_HANDLE(drapeConstraint_GetTetherDef, drapeConstraintId, constraint,
	           drapeConstraint_GetTetherDef(constraint, &tether));
	BAD_HANDLE(drapeConstraint_GetStitchDef, drapeConstraintId, constraint,
	           drapeConstraint_GetStitchDef(constraint, &stitch));
	BAD_HANDLE(drapeConstraint_SetUserData, drapeConstraintId, constraint,
	           drapeConstraint_SetUserData(constraint, NULL));
	BAD_ZERO(drapeConstraint_GetUserData, drapeConstraintId, constraint, drapeConstraint_GetUserData(constraint));
}

static void RefuseOtherKinds(Api* api)
{
	drapeAttachDef attach;
	drapeTetherDef tether;
	drapeStitchDef stitch;
	REFUSED(drapeConstraint_GetAttachDef, constraint, "the constraint is a tether, expected an attachment",
	        drapeConstraint_GetAttachDef(api->tether, &attach));
	REFUSED(drapeConstraint_GetTetherDef, constraint, "the constraint is a stitch, expected a tether",
	        drapeConstraint_GetTetherDef(api->stitch, &tether));
	REFUSED(drapeConstraint_GetStitchDef, constraint, "the constraint is an attachment, expected a stitch",
	        drapeConstraint_GetStitchDef(api->attachment, &stitch));
	REFUSED(drapeConstraint_GetAttachDef, def, "there is nowhere to write the definition to",
	        drapeConstraint_GetAttachDef(api->attachment, NULL));
	REFUSED(drapeConstraint_GetTetherDef, def, "there is nowhere to write the definition to",
	        drapeConstraint_GetTetherDef(api->tether, NULL));
	REFUSED(drapeConstraint_GetStitchDef, def, "there is nowhere to write the definition to",
	        drapeConstraint_GetStitchDef(api->stitch, NULL));
}

void Rows_Constraint(Api* api)
{
	CANNOT_FAIL(drapeDefaultAttachDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeDefaultTetherDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeDefaultStitchDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeConstraint_SetUserData, userData, "the library does not read it");
	RefuseAttachments(api);
	RefuseTethers(api);
	RefuseStitches(api);
	RefuseTooManyJoined(api);
	RefuseHandles(api);
	RefuseOtherKinds(api);
}
