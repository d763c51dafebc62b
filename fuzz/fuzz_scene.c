// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "drape/scene.h"

#include <string.h>

// Any bytes are either a scene whose values obey docs/scenes.md, or are refused with a message that has a position.
// Files of a scene are not opened. An accepted scene can be written.

const char* const fuzzDictionary[] = {
	"{\"cloths\":[{\"name\":\"a\",\"grid\":{}}]}",
	"\"cloths\":",
	"\"grid\":{\"columns\":2,\"rows\":2}",
	"\"disc\":{\"radius\":1}",
	"\"obj\":\"a.obj\"",
	"\"name\":\"a\"",
	"\"pins\":[{\"vertices\":[0]}]",
	"\"corners\":[\"top-left\"]",
	"\"box\":{\"min\":[0,0,0],\"max\":[1,1,1]}",
	"\"motions\":[{\"name\":\"m\",\"keys\":[{\"time\":0},{\"time\":1}]}]",
	"\"motion\":\"m\"",
	"\"colliders\":[{\"shape\":\"sphere\",\"radius\":1}]",
	"\"colliders\":[{\"shape\":\"mesh\",\"obj\":\"b$F4.obj\"}]",
	"\"firstFrame\":0,\"frames\":2,\"repeat\":true",
	"$F",
	"\"contact\":\"all\"",
	"\"objects\":[{\"obj\":\"a.$F4.obj\"}]",
	"\"camera\":{\"position\":[0,1,3],\"target\":[0,0,0]}",
	"\"look\":{\"front\":\"#123456\"}",
	"\"material\":\"silk\"",
	"\"material\":{\"preset\":\"cotton\",\"density\":0.1}",
	"\"adapt\":{\"curvature\":{\"split\":7,\"join\":6}}",
	"\"time\":{\"frames\":1,\"frameRate\":30,\"stepRate\":60}",
	"\"output\":{\"formats\":[\"pc2\"],\"topology\":\"fixed\"}",
	"true",
	"null",
	"-1",
	"1e400",
	"1e39",
	"1e-50",
	"99999999999999999999",
	"\\u0000",
	"\\u0061",
	"\\\"",
	"\xC3\xA9",
	"\xFF",
	"[",
	"]",
	"{",
	"}",
	",",
	":",
	"\n",
	NULL,
};

static void CheckPose(const drapeScenePose* pose)
{
	const drapeVec3* axis = &pose->axis;
	FUZZ_CHECK(pose->scale > 0.0f);
	FUZZ_CHECK(axis->x * axis->x + axis->y * axis->y + axis->z * axis->z > 0.0f);
}

static void CheckCloth(const drapeSceneCloth* cloth)
{
	FUZZ_CHECK(cloth->name && cloth->name[0] && !strchr(cloth->name, '/') && cloth->obj);
	FUZZ_CHECK(cloth->grid.columns >= 1 && cloth->grid.width > 0.0f && cloth->disc.segments >= 3);
	FUZZ_CHECK(cloth->material.density > 0.0f && cloth->material.stretchWarp >= 0.0f);
	FUZZ_CHECK(cloth->adapt.curvature.joinAngle <= cloth->adapt.curvature.splitAngle);
	FUZZ_CHECK(cloth->adapt.length.joinRatio >= cloth->adapt.length.splitRatio);
	FUZZ_CHECK(cloth->adapt.maxLevel <= DRAPE_MAX_LEVEL);
	FUZZ_CHECK(cloth->contact == drape_contactParticles || cloth->contact == drape_contactAll);
	CheckPose(&cloth->pose);
	for (uint32_t i = 0; i < cloth->pinCount; ++i)
	{
		const drapeScenePin* pin = &cloth->pins[i];
		FUZZ_CHECK(pin->motion);
		FUZZ_CHECK(pin->kind != drape_scenePinVertices || pin->vertexCount > 0);
		FUZZ_CHECK(pin->kind != drape_scenePinCorners || (pin->corners > 0 && pin->corners < 16));
	}
}

static void CheckScene(const drapeScene* scene)
{
	FUZZ_CHECK(scene->path && scene->folder && scene->name && scene->about && scene->output.name);
	FUZZ_CHECK(scene->time.frames > 0 && scene->world.threads > 0);
	for (uint32_t i = 0; i < scene->clothCount; ++i)
		CheckCloth(&scene->cloths[i]);
	for (uint32_t i = 0; i < scene->motionCount; ++i)
	{
		FUZZ_CHECK(scene->motions[i].keyCount > 0);
		for (uint32_t k = 0; k < scene->motions[i].keyCount; ++k)
			CheckPose(&scene->motions[i].keys[k].pose);
		for (uint32_t k = 1; k < scene->motions[i].keyCount; ++k)
			FUZZ_CHECK(scene->motions[i].keys[k].time > scene->motions[i].keys[k - 1].time);
	}
	for (uint32_t i = 0; i < scene->colliderCount; ++i)
	{
		const drapeSceneCollider* collider = &scene->colliders[i];
		FUZZ_CHECK(collider->def.friction >= 0.0f && collider->motion && collider->obj);
		FUZZ_CHECK((collider->def.shape == drape_shapeMesh) == (collider->obj[0] != 0) && collider->frameRate > 0.0f);
		CheckPose(&scene->colliders[i].pose);
	}
}

// A written scene can be read, and writing it again gives the same text.
static void CheckRoundTrip(const drapeScene* scene)
{
	drapeScene* again;
	drapeMessage error;
	size_t size;
	drapeScene_Format(scene, NULL, 0, &size, NULL);
	FUZZ_CHECK(size > 0);
	char *text = drapeAlloc(size), *textAgain = drapeAlloc(size);
	FUZZ_CHECK(text && textAgain && drapeScene_Format(scene, text, size, &size, NULL) == drape_ok);
	FUZZ_CHECK(drapeScene_Parse(text, size - 1, "input", &again, &error) == drape_ok);
	FUZZ_CHECK(drapeScene_Format(again, textAgain, size, &size, NULL) == drape_ok &&
	           memcmp(text, textAgain, size) == 0);
	drapeScene_Free(again);
	drapeFree(text, size);
	drapeFree(textAgain, size);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	drapeScene* scene;
	drapeMessage error;
	drapeResult result = drapeScene_Parse((const char*)data, size, "input", &scene, &error);
	FUZZ_CHECK((result == drape_ok) == (error.text[0] == 0));
	FUZZ_CHECK((result == drape_ok) == (scene != NULL));
	if (result == drape_ok)
	{
		CheckScene(scene);
		CheckRoundTrip(scene);
	}
	else
		FUZZ_CHECK(result != drape_errorData || (error.line > 0 && strncmp(error.text, "input:", 6) == 0));
	drapeScene_Free(scene);
	FUZZ_CHECK(drapeGetMemoryUse().bytes == 0);
	return 0;
}
