// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <stdio.h>

static const drapeVec3 zero = {0.0f, 0.0f, 0.0f}, notFinite = {0.0f, NAN, 0.0f};
static const drapeTransform identity = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}, .scale = 1.0f};

static drapeResult Create(Api* api, const drapeColliderDef* def)
{
	drapeColliderId collider;
	return drapeCreateCollider(api->world, def, &collider);
}

#define CREATE(sentence, ...)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		def = good;                                                                                                    \
		def.__VA_ARGS__;                                                                                               \
		REFUSED(drapeCreateCollider, def, sentence, Create(api, &def));                                                \
	} while (0)

// Every measure of every shape.
static void RefuseMeasures(Api* api)
{
	const drapeColliderShapeInfo* info;
	const float values[] = {-1.0f, NAN, 2e9f};
	const char* const shown[] = {"-1", "nan", "2e+09"};
	for (int shape = 0; (info = drapeColliderShape_GetInfo((drapeColliderShape)shape)) != NULL; ++shape)
	{
		for (uint32_t k = 0; k < 3 * info->measureCount; ++k)
		{
			const drapeParameter* measure = info->measures[k / 3];
			drapeColliderDef def = drapeDefaultColliderDef();
			char sentence[96];
			uint32_t count;
			def.shape = (drapeColliderShape)shape;
			drapeColliderShape_GetMeasureValues(measure, &def, &count)[0] = values[k % 3];
			snprintf(sentence, sizeof sentence, "%s%s is %s, expected a number ", measure->key, count == 3 ? ".x" : "",
			         shown[k % 3]);
			REFUSED(drapeCreateCollider, def, sentence, Create(api, &def));
		}
	}
}

static void RefuseMeshes(Api* api)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	drapeMesh mesh = api->mesh;
	def.shape = drape_shapeMesh;
	REFUSED(drapeCreateCollider, def, "mesh is NULL, expected the mesh of the collider", Create(api, &def));
	def.mesh = &mesh;
	mesh.positions = NULL;
	REFUSED(drapeCreateCollider, def, "mesh: positions is NULL, but vertexCount is 25", Create(api, &def));
	mesh = api->mesh;
	mesh.triangles = NULL;
	REFUSED(drapeCreateCollider, def, "mesh: triangles is NULL, but triangleCount is 32", Create(api, &def));
	mesh = api->mesh;
	mesh.triangleCount = 0;
	FAILED(drapeCreateCollider, def, drape_errorData, "mesh: ", Create(api, &def));
	mesh = api->mesh;
	mesh.vertexCount = 3;
	FAILED(drapeCreateCollider, def, drape_errorData, "mesh: ", Create(api, &def));
}

static void RefuseDefinitions(Api* api)
{
	const drapeColliderDef good = drapeDefaultColliderDef();
	drapeColliderDef def = {0};
	drapeColliderId collider;
	BAD_HANDLE(drapeCreateCollider, drapeWorldId, world, drapeCreateCollider(world, &good, &collider));
	REFUSED(drapeCreateCollider, collider, "there is nowhere to write the handle of the collider to",
	        drapeCreateCollider(api->world, &good, NULL));
	REFUSED(drapeCreateCollider, def,
	        "the definition of the collider is not initialised, expected drapeDefaultColliderDef", Create(api, NULL));
	REFUSED(drapeCreateCollider, def,
	        "the definition of the collider is not initialised, expected drapeDefaultColliderDef", Create(api, &def));
	CREATE("shape is 99, expected one of sphere|capsule|cylinder|box|plane|mesh|taperedCapsule",
	       shape = (drapeColliderShape)99);
	CREATE("transform.position is (0, nan, 0), expected three finite numbers of m", transform.position = notFinite);
	CREATE("transform.scale is 0, expected a number above 0", transform.scale = 0.0f);
	CREATE("transform.scale is nan, expected a number above 0", transform.scale = NAN);
	CREATE("transform.rotation has the length 0, expected 1", transform.rotation.w = 0.0f);
	CREATE("transform.rotation has the length nan, expected 1", transform.rotation.x = NAN);
	CREATE("friction is -1, expected a number from 0 to 1e9", friction = -1.0f);
	CREATE("friction is nan, expected a number from 0 to 1e9", friction = NAN);
	CREATE("start is nan, expected a finite number of s", start = NAN);
	CREATE("end is -1, expected 0 or a time after start, which is 0", end = -1.0f);
	CREATE("end is nan, expected 0 or a time after start, which is 0", end = NAN);
	BAD_OTHER(drapeCreateCollider, def, drapeMotionId, bad, api->foreignMotion,
	          "the motion does not exist in this world", (def = good, def.motion = bad, Create(api, &def)));
	RefuseMeasures(api);
	RefuseMeshes(api);
}

// --- handles --------------------------------------------------------------------------------------------------------

static bool IsIdentity(drapeTransform t)
{
	return t.scale == 1.0f && t.rotation.w == 1.0f && t.position.x == 0.0f && t.position.y == 0.0f;
}

static void RefuseHandles(Api* api)
{
	drapeVec3 positions[25] = {{0}};
	BAD_DESTROY(drapeDestroyCollider, drapeColliderId, collider);
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapeColliderId collider;
		Api_BadHandle(api, apiKindCollider, bad, &collider);
		ACCEPTED(drapeCollider_IsValid, collider, !drapeCollider_IsValid(collider));
	}
	BAD_ZERO(drapeCollider_GetWorld, drapeColliderId, collider, drapeCollider_GetWorld(collider));
	BAD_HANDLE(drapeCollider_SetTransform, drapeColliderId, collider, drapeCollider_SetTransform(collider, identity));
	BAD_VALUE(drapeCollider_GetTransform, drapeColliderId, collider, IsIdentity(drapeCollider_GetTransform(collider)));
	BAD_HANDLE(drapeCollider_SetMotion, drapeColliderId, collider, drapeCollider_SetMotion(collider, api->motion));
	BAD_ZERO(drapeCollider_GetMotion, drapeColliderId, collider, drapeCollider_GetMotion(collider));
	BAD_HANDLE(drapeCollider_SetFriction, drapeColliderId, collider, drapeCollider_SetFriction(collider, 1.0f));
	BAD_ZERO(drapeCollider_GetFriction, drapeColliderId, collider, drapeCollider_GetFriction(collider));
	BAD_HANDLE(drapeCollider_SetTimes, drapeColliderId, collider, drapeCollider_SetTimes(collider, 0.0f, 0.0f));
	BAD_HANDLE(drapeCollider_SetPositions, drapeColliderId, collider,
	           drapeCollider_SetPositions(collider, positions, 25));
	BAD_VALUE(drapeCollider_GetDef, drapeColliderId, collider,
	          drapeCollider_GetDef(collider).cookie == drapeDefaultColliderDef().cookie);
	BAD_ZERO(drapeCollider_GetDistance, drapeColliderId, collider, drapeCollider_GetDistance(collider, zero));
	BAD_HANDLE(drapeCollider_SetUserData, drapeColliderId, collider, drapeCollider_SetUserData(collider, NULL));
	BAD_ZERO(drapeCollider_GetUserData, drapeColliderId, collider, drapeCollider_GetUserData(collider));
	BAD_ZERO(drapeCollider_GetView, drapeColliderId, collider, drapeCollider_GetView(collider));
}

// --- settings -------------------------------------------------------------------------------------------------------

static void RefuseTransforms(Api* api)
{
	drapeTransform t = identity;
	t.position = notFinite;
	REFUSED(drapeCollider_SetTransform, transform,
	        "transform.position is (0, nan, 0), expected three finite numbers of m",
	        drapeCollider_SetTransform(api->sphere, t));
	t = identity;
	t.scale = -1.0f;
	REFUSED(drapeCollider_SetTransform, transform, "transform.scale is -1, expected a number above 0",
	        drapeCollider_SetTransform(api->sphere, t));
	t.scale = INFINITY;
	REFUSED(drapeCollider_SetTransform, transform, "transform.scale is inf, expected a number above 0",
	        drapeCollider_SetTransform(api->sphere, t));
	t = (drapeTransform){0};
	t.scale = 1.0f;
	REFUSED(drapeCollider_SetTransform, transform, "transform.rotation has the length 0, expected 1",
	        drapeCollider_SetTransform(api->sphere, t));
}

static void RefuseSettings(Api* api)
{
	BAD_OTHER(drapeCollider_SetMotion, motion, drapeMotionId, bad, api->foreignMotion,
	          "the motion does not exist in this world", drapeCollider_SetMotion(api->sphere, bad));
	REFUSED(drapeCollider_SetFriction, friction, "friction is -1, expected a number from 0 to 1e9",
	        drapeCollider_SetFriction(api->sphere, -1.0f));
	REFUSED(drapeCollider_SetFriction, friction, "friction is nan, expected a number from 0 to 1e9",
	        drapeCollider_SetFriction(api->sphere, NAN));
	REFUSED(drapeCollider_SetTimes, start, "start is nan, expected a finite number of s",
	        drapeCollider_SetTimes(api->sphere, NAN, 0.0f));
	REFUSED(drapeCollider_SetTimes, end, "end is 1, expected 0 or a time after start, which is 1",
	        drapeCollider_SetTimes(api->sphere, 1.0f, 1.0f));
	REFUSED(drapeCollider_SetTimes, end, "end is inf, expected 0 or a time after start, which is 1",
	        drapeCollider_SetTimes(api->sphere, 1.0f, INFINITY));
	REFUSED_VALUE(drapeCollider_GetDistance, point, "point is (0, nan, 0), expected three finite numbers of m",
	              drapeCollider_GetDistance(api->sphere, notFinite) == 0.0f);
	REFUSED_VALUE(drapeCollider_GetDistance, point, "point is (0, nan, 0), expected three finite numbers of m",
	              drapeCollider_GetDistance(api->body, notFinite) == 0.0f);
}

static void RefusePositions(Api* api)
{
	drapeVec3 positions[25] = {{0}};
	REFUSED(drapeCollider_SetPositions, collider, "the collider is no mesh, expected one with vertices",
	        drapeCollider_SetPositions(api->sphere, positions, 25));
	REFUSED(drapeCollider_SetPositions, positions, "positions is NULL",
	        drapeCollider_SetPositions(api->body, NULL, 25));
	REFUSED(drapeCollider_SetPositions, count, "there are 24 positions, expected 25",
	        drapeCollider_SetPositions(api->body, positions, 24));
	positions[7] = notFinite;
	FAILED(drapeCollider_SetPositions, positions, drape_errorData,
	       "positions[7] is (0, nan, 0), expected numbers from -1e9 to 1e9 m",
	       drapeCollider_SetPositions(api->body, positions, 25));
	positions[7] = (drapeVec3){0.0f, 2e9f, 0.0f};
	FAILED(drapeCollider_SetPositions, positions, drape_errorData,
	       "positions[7] is (0, 2e+09, 0), expected numbers from -1e9 to 1e9 m",
	       drapeCollider_SetPositions(api->body, positions, 25));
}

// --- shapes, which have no world ------------------------------------------------------------------------------------

static void RefuseShapes(Api* api)
{
	drapeColliderDef def = drapeDefaultColliderDef(), wrong = def, flat = def, untouched = def;
	const drapeParameter* radius = drapeColliderShape_GetMeasure(0);
	const drapeVec3 half = {1.0f, 1.0f, 1.0f};
	uint32_t count;
	wrong.shape = (drapeColliderShape)99;
	flat.shape = drape_shapePlane;
	ACCEPTED(drapeColliderShape_GetInfo, shape, drapeColliderShape_GetInfo((drapeColliderShape)99) == NULL);
	ACCEPTED(drapeColliderShape_GetInfo, shape, drapeColliderShape_GetInfo((drapeColliderShape)-1) == NULL);
	ACCEPTED(drapeColliderShape_GetMeasure, index, drapeColliderShape_GetMeasure(UINT32_MAX) == NULL);
	ASSERTED(drapeColliderShape_GetMeasureValues, measure, "measure is NULL",
	         drapeColliderShape_GetMeasureValues(NULL, &def, &count) == NULL && count == 0);
	ASSERTED(drapeColliderShape_GetMeasureValues, def, "def is NULL",
	         drapeColliderShape_GetMeasureValues(radius, NULL, &count) == NULL && count == 0);
	ASSERTED(drapeColliderShape_GetMeasureValues, count, "count is NULL",
	         drapeColliderShape_GetMeasureValues(radius, &def, NULL) == NULL);
	ASSERTED(drapeColliderShape_GetDistance, def, "def is NULL",
	         isinf(drapeColliderShape_GetDistance(NULL, zero, NULL)));
	ACCEPTED(drapeColliderShape_GetDistance, def, isinf(drapeColliderShape_GetDistance(&wrong, zero, NULL)));
	ACCEPTED(drapeColliderShape_GetDistance, normal, drapeColliderShape_GetDistance(&def, zero, NULL) == -1.0f);
	CANNOT_FAIL(drapeColliderShape_GetDistance, point, "it computes; numbers that are not finite give such numbers");
	ASSERTED(drapeColliderShape_FitBox, def, "def is NULL", !drapeColliderShape_FitBox(NULL, half));
	ASSERTED(drapeColliderShape_FitBox, halfExtents, "halfExtents is (1, nan, 1), expected numbers from 0 to 1e9 m",
	         !drapeColliderShape_FitBox(&untouched, (drapeVec3){1.0f, NAN, 1.0f}) && untouched.radius == def.radius);
	ASSERTED(drapeColliderShape_FitBox, halfExtents, "halfExtents is (-1, 1, 1), expected numbers from 0 to 1e9 m",
	         !drapeColliderShape_FitBox(&untouched, (drapeVec3){-1.0f, 1.0f, 1.0f}) && untouched.radius == def.radius);
	ACCEPTED(drapeColliderShape_FitBox, def, !drapeColliderShape_FitBox(&wrong, half));
	ACCEPTED(drapeColliderShape_FitBox, def, !drapeColliderShape_FitBox(&flat, half));
	ASSERTED(drapeColliderShape_GetSurfaceSize, def, "def is NULL",
	         drapeColliderShape_GetSurfaceSize(NULL).vertexCount == 0);
	ACCEPTED(drapeColliderShape_GetSurfaceSize, def, drapeColliderShape_GetSurfaceSize(&wrong).vertexCount == 0);
}

static void RefuseSurfaces(Api* api)
{
	enum
	{
		capacity = 4096
	};
	static drapeVec3 positions[capacity], normals[capacity];
	static uint32_t triangles[6 * capacity];
	const size_t stride = sizeof(drapeVec3);
	const drapeColliderDef def = drapeDefaultColliderDef();
	assert_true(drapeColliderShape_GetSurfaceSize(&def).vertexCount <= capacity);
#define WRITE(def, inset, positions, normals, stride, triangles)                                                       \
	(positions_[0].x = 99.0f, drapeColliderShape_WriteSurface(def, inset, positions, normals, stride, triangles),      \
	 positions_[0].x == 99.0f)
	drapeVec3* positions_ = positions;
	ASSERTED(drapeColliderShape_WriteSurface, def, "def is NULL",
	         WRITE(NULL, 0.0f, positions, normals, stride, triangles));
	ASSERTED(drapeColliderShape_WriteSurface, inset, "inset is -1, expected a number of at least 0 m",
	         WRITE(&def, -1.0f, positions, normals, stride, triangles));
	ASSERTED(drapeColliderShape_WriteSurface, inset, "inset is nan, expected a number of at least 0 m",
	         WRITE(&def, NAN, positions, normals, stride, triangles));
	ASSERTED(drapeColliderShape_WriteSurface, positions, "positions is NULL",
	         WRITE(&def, 0.0f, NULL, normals, stride, triangles));
	ASSERTED(drapeColliderShape_WriteSurface, normals, "normals is NULL",
	         WRITE(&def, 0.0f, positions, NULL, stride, triangles));
	ASSERTED(drapeColliderShape_WriteSurface, stride, "stride is 8 bytes, expected at least 12",
	         WRITE(&def, 0.0f, positions, normals, 8, triangles));
	ASSERTED(drapeColliderShape_WriteSurface, triangles, "triangles is NULL",
	         WRITE(&def, 0.0f, positions, normals, stride, NULL));
#undef WRITE
}

void Rows_Collider(Api* api)
{
	CANNOT_FAIL(drapeDefaultColliderDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeCollider_SetUserData, userData, "the library does not read it");
	RefuseDefinitions(api);
	RefuseHandles(api);
	RefuseTransforms(api);
	RefuseSettings(api);
	RefusePositions(api);
	RefuseShapes(api);
	RefuseSurfaces(api);
}
