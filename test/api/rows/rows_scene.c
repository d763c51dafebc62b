// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <string.h>

#include "drape/scene.h"

// Functions of drape_io have no world: the sentence is in the message. They do not assert. test_scene has the problems
// of scenes.
#define IO_REFUSED(function, parameter, sentence, call)                                                                \
	FAILED_TO(function, parameter, drape_errorArgument, sentence, call)

static const char missing[] = "no such folder/file";
static const char sheet[] =
	"{\"version\": 1, \"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 4, \"rows\": 4}}]}";

static void RefuseReading(Api* api)
{
	drapeScene* scene;
	IO_REFUSED(drapeScene_Read, path, "path is NULL", drapeScene_Read(NULL, &scene, api->message));
	IO_REFUSED(drapeScene_Read, scene, "scene is NULL", drapeScene_Read("scenes/flag.json", NULL, api->message));
	FAILED_TO(drapeScene_Read, path, drape_errorFile,
	          "no such folder/file: cannot open: ", drapeScene_Read(missing, &scene, api->message));
	IO_REFUSED(drapeScene_Parse, text, "text is NULL, but size is 4",
	           drapeScene_Parse(NULL, 4, "name", &scene, api->message));
	IO_REFUSED(drapeScene_Parse, name, "name is NULL",
	           drapeScene_Parse(sheet, sizeof sheet - 1, NULL, &scene, api->message));
	IO_REFUSED(drapeScene_Parse, scene, "scene is NULL",
	           drapeScene_Parse(sheet, sizeof sheet - 1, "name", NULL, api->message));
	FAILED_TO(drapeScene_Parse, text, drape_errorData,
	          "name:1:", drapeScene_Parse("[]", 2, "name", &scene, api->message));
	FAILED_TO(drapeScene_Parse, size, drape_errorData,
	          "name:1:", drapeScene_Parse(sheet, 5, "name", &scene, api->message));
	ACCEPTED(drapeScene_Free, scene, (drapeScene_Free(NULL), true));
}

typedef drapeResult TextFcn(char* text, size_t capacity, size_t* size, drapeMessage* message);

static void RefuseWriting(Api* api, const drapeScene* scene)
{
	char text[16];
	size_t size;
	IO_REFUSED(drapeScene_Format, scene, "scene is NULL",
	           drapeScene_Format(NULL, text, sizeof text, &size, api->message));
	IO_REFUSED(drapeScene_Format, text, "text is NULL, but capacity is 16",
	           drapeScene_Format(scene, NULL, sizeof text, &size, api->message));
	IO_REFUSED(drapeScene_Format, size, "size is NULL",
	           drapeScene_Format(scene, text, sizeof text, NULL, api->message));
	FAILED_TO(drapeScene_Format, capacity, drape_errorLimit, "text: capacity is 16 bytes, expected at least ",
	          drapeScene_Format(scene, text, sizeof text, &size, api->message));
	IO_REFUSED(drapeScene_GetSchema, text, "text is NULL, but capacity is 16",
	           drapeScene_GetSchema(NULL, sizeof text, &size, api->message));
	IO_REFUSED(drapeScene_GetSchema, size, "size is NULL", drapeScene_GetSchema(text, sizeof text, NULL, api->message));
	FAILED_TO(drapeScene_GetSchema, capacity, drape_errorLimit, "text: capacity is 16 bytes, expected at least ",
	          drapeScene_GetSchema(text, sizeof text, &size, api->message));
	IO_REFUSED(drapeScene_GetReference, text, "text is NULL, but capacity is 16",
	           drapeScene_GetReference(NULL, sizeof text, &size, api->message));
	IO_REFUSED(drapeScene_GetReference, size, "size is NULL",
	           drapeScene_GetReference(text, sizeof text, NULL, api->message));
	FAILED_TO(drapeScene_GetReference, capacity, drape_errorLimit, "text: capacity is 16 bytes, expected at least ",
	          drapeScene_GetReference(text, sizeof text, &size, api->message));
	IO_REFUSED(drapeScene_Write, scene, "scene is NULL", drapeScene_Write(NULL, missing, api->message));
	IO_REFUSED(drapeScene_Write, path, "path is NULL", drapeScene_Write(scene, NULL, api->message));
	FAILED_TO(drapeScene_Write, path, drape_errorFile,
	          "no such folder/file: cannot write: ", drapeScene_Write(scene, missing, api->message));
}

static void RefuseCloths(Api* api, const drapeScene* scene)
{
	const drapeObj good = {.mesh = api->mesh};
	drapeObj pattern;
	drapeClothId cloth;
	IO_REFUSED(drapeScene_CreatePattern, scene, "scene is NULL",
	           drapeScene_CreatePattern(NULL, 0, &pattern, api->message));
	IO_REFUSED(drapeScene_CreatePattern, index, "index is 1, but the scene has only 1 cloths",
	           drapeScene_CreatePattern(scene, 1, &pattern, api->message));
	IO_REFUSED(drapeScene_CreatePattern, pattern, "pattern is NULL",
	           drapeScene_CreatePattern(scene, 0, NULL, api->message));
	IO_REFUSED(drapeScene_CheckPins, scene, "scene is NULL", drapeScene_CheckPins(NULL, 0, &good, api->message));
	IO_REFUSED(drapeScene_CheckPins, index, "index is 1, but the scene has only 1 cloths",
	           drapeScene_CheckPins(scene, 1, &good, api->message));
	IO_REFUSED(drapeScene_CheckPins, pattern, "pattern is NULL", drapeScene_CheckPins(scene, 0, NULL, api->message));
	IO_REFUSED(drapeScene_CreateCloth, scene, "scene is NULL",
	           drapeScene_CreateCloth(NULL, 0, &good, api->world, &cloth, api->message));
	IO_REFUSED(drapeScene_CreateCloth, index, "index is 1, but the scene has only 1 cloths",
	           drapeScene_CreateCloth(scene, 1, &good, api->world, &cloth, api->message));
	IO_REFUSED(drapeScene_CreateCloth, pattern, "pattern is NULL",
	           drapeScene_CreateCloth(scene, 0, NULL, api->world, &cloth, api->message));
	IO_REFUSED(drapeScene_CreateCloth, cloth, "there is nowhere to write the handle of the cloth to",
	           drapeScene_CreateCloth(scene, 0, &good, api->world, NULL, api->message));
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapeWorldId world;
		Api_BadHandle(api, apiKindWorld, bad, &world);
		IO_REFUSED(drapeScene_CreateCloth, world, "the world does not exist: it was destroyed, or its handle is null",
		           drapeScene_CreateCloth(scene, 0, &good, world, &cloth, api->message));
	}
}

static void RefuseWorlds(Api* api, drapeScene* scene)
{
	const drapeSceneWorldOptions options = {0};
	const float tooLong = 1e7f;
	drapeSceneWorld world;
	IO_REFUSED(drapeScene_CreateWorld, scene, "scene is NULL", drapeScene_CreateWorld(NULL, 1, &world, api->message));
	IO_REFUSED(drapeScene_CreateWorld, world, "world is NULL", drapeScene_CreateWorld(scene, 1, NULL, api->message));
	const char refused[] = "name: cannot create a world: workerCount is 65, expected 1 to 64";
	IO_REFUSED(drapeScene_CreateWorldWith, scene, "scene is NULL",
	           drapeScene_CreateWorldWith(NULL, &options, &world, api->message));
	IO_REFUSED(drapeScene_CreateWorldWith, options, "options is NULL",
	           drapeScene_CreateWorldWith(scene, NULL, &world, api->message));
	IO_REFUSED(drapeScene_CreateWorldWith, world, "world is NULL",
	           drapeScene_CreateWorldWith(scene, &options, NULL, api->message));
	// Values that a program writes into a scene: the world refuses them.
	REFUSED_TO(drapeScene_CreateWorld, threads, refused, drapeScene_CreateWorld(scene, 65, &world, api->message));
	scene->world.camera.y = NAN;
	REFUSED_TO(drapeScene_CreateWorld, scene, "name: world.camera: position is (0, nan, 4), expected three finite",
	           drapeScene_CreateWorld(scene, 1, &world, api->message));
	scene->world.camera.y = 0.0f;
	scene->world.untangle = true;
	const drapeSceneWorldOptions slow = {.untangleSeconds = &tooLong};
	REFUSED_TO(drapeScene_CreateWorldWith, options,
	           "name: the start cannot be untangled: seconds is 1e+07, expected a number from 0 to 1e+06",
	           drapeScene_CreateWorldWith(scene, &slow, &world, api->message));
	scene->world.untangle = false;
	ACCEPTED(drapeSceneWorld_Destroy, world, (drapeSceneWorld_Destroy(NULL), true));
	ACCEPTED(drapeSceneWorld_Step, world, drapeSceneWorld_Step(NULL, 0.01f) == drape_errorArgument);
	drapeSceneWorld borrowed = {.world = api->world};
	REFUSED(drapeSceneWorld_Step, dt, "dt is -1, expected a number above 0 s", drapeSceneWorld_Step(&borrowed, -1.0f));
}

static void AcceptQueries(Api* api, const drapeScene* scene)
{
	const drapeRestDef rest = drapeDefaultRestDef();
	static drapeMeshReport report;
	drapeObj obj = {0};
	drapeSceneWorld none = {0};
	ACCEPTED(drapeSceneUp_Apply, obj, (drapeSceneUp_Apply(drape_sceneUpZ, NULL), true));
	ACCEPTED(drapeSceneUp_Apply, up, (drapeSceneUp_Apply((drapeSceneUp)99, &obj), true));
	ACCEPTED(drapeScene_FindDoubts, scene, drapeScene_FindDoubts(NULL, &none, NULL, 0) == 0);
	ACCEPTED(drapeScene_FindDoubts, world, drapeScene_FindDoubts(scene, NULL, NULL, 0) == 0);
	ACCEPTED(drapeScene_FindDoubts, list, drapeScene_FindDoubts(scene, &none, NULL, 1) == 0);
	ACCEPTED(drapeScene_FindDoubts, capacity, drapeScene_FindDoubts(scene, &none, NULL, 0) == 0);
	ACCEPTED(drapeMesh_FindDoubts, report, drapeMesh_FindDoubts(NULL, &rest, NULL, 0) == 0);
	ACCEPTED(drapeMesh_FindDoubts, rest, drapeMesh_FindDoubts(&report, NULL, NULL, 0) == 0);
	ACCEPTED(drapeMesh_FindDoubts, list, drapeMesh_FindDoubts(&report, &rest, NULL, 1) == 0);
	CANNOT_FAIL(drapeMesh_FindDoubts, capacity, "any number is good with a list");
	drapeSceneWorld world = {.world = api->world};
	drapeSceneObject object = {.obj = "body_$F4.obj", .frameRate = 30.0f};
	char path[64];
	ACCEPTED(drapeScene_FindCollider, scene, DRAPE_IS_NULL(drapeScene_FindCollider(NULL, &world, "ball")));
	ACCEPTED(drapeScene_FindCollider, world, DRAPE_IS_NULL(drapeScene_FindCollider(scene, NULL, "ball")));
	ACCEPTED(drapeScene_FindCollider, name, DRAPE_IS_NULL(drapeScene_FindCollider(scene, &world, NULL)));
	ACCEPTED(drapeScene_FindCollider, name, DRAPE_IS_NULL(drapeScene_FindCollider(scene, &world, "ball")));
	ACCEPTED(drapeSceneCloth_GetDef, cloth,
	         drapeSceneCloth_GetDef(NULL, &api->mesh).cookie == drapeDefaultClothDef().cookie);
	ACCEPTED(drapeSceneCloth_GetDef, mesh, drapeSceneCloth_GetDef(&scene->cloths[0], NULL).mesh == NULL);
	ACCEPTED(drapeSceneCollider_GetDef, collider,
	         drapeSceneCollider_GetDef(NULL, api->motion).cookie == drapeDefaultColliderDef().cookie);
	CANNOT_FAIL(drapeSceneCollider_GetDef, motion, "it is copied");
	CANNOT_FAIL(drapeScenePose_GetTransform, ALL, "it computes; creating an object checks the transform");
	ACCEPTED(drapeSceneObject_GetPath, object, drapeSceneObject_GetPath(NULL, "", 0.0, path, sizeof path) == 0);
	ACCEPTED(drapeSceneObject_GetPath, folder, drapeSceneObject_GetPath(&object, NULL, 0.0, path, sizeof path) == 0);
	ACCEPTED(drapeSceneObject_GetPath, path, drapeSceneObject_GetPath(&object, "", 0.0, NULL, 9) == 0);
	ACCEPTED(drapeSceneObject_GetPath, capacity, drapeSceneObject_GetPath(&object, "", 0.0, NULL, 0) == 13);
	ACCEPTED(drapeSceneObject_GetPath, time,
	         drapeSceneObject_GetPath(&object, "", (double)NAN, path, sizeof path) == 13 &&
	             strcmp(path, "body_0000.obj") == 0);
}

void Rows_Scene(Api* api)
{
	drapeScene* scene;
	drapeMessage message = {0};
	drapeResult result = drapeScene_Parse(sheet, sizeof sheet - 1, "name", &scene, &message);
	if (result != drape_ok)
		fail_msg("%s", message.text);
	RefuseReading(api);
	RefuseWriting(api, scene);
	RefuseCloths(api, scene);
	RefuseWorlds(api, scene);
	AcceptQueries(api, scene);
	drapeScene_Free(scene);
}
