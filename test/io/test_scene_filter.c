// SPDX-License-Identifier: MIT
#include "sheet.h"

#include "drape/scene.h"

#include <string.h>

// --- scenes ---------------------------------------------------------------------------------------------------------

static const char sceneText[] = "{\"colliders\": [{\"shape\": \"sphere\", \"radius\": 0.2, "
								"\"filter\": {\"category\": [1, 63], \"mask\": []}}, "
								"{\"shape\": \"sphere\", \"radius\": 0.2}], "
								"\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 2, \"rows\": 2}, "
								"\"filter\": {\"mask\": [0, 1]}}]}";

static void CheckScene(const drapeScene* scene)
{
	assert_true(scene->colliders[0].def.filter.category == (((uint64_t)1 << 63) | 2));
	assert_true(scene->colliders[0].def.filter.mask == 0);
	assert_true(scene->colliders[1].def.filter.mask == UINT64_MAX);
	assert_true(scene->cloths[0].filter.category == 1 && scene->cloths[0].filter.mask == 3);
}

static void ScenesSayFiltersByTheirBits(void** state)
{
	(void)state;
	drapeMessage message = {0};
	drapeScene *scene = NULL, *again = NULL;
	char text[4096];
	size_t size;
	assert_int_equal(drapeScene_Parse(sceneText, strlen(sceneText), "text", &scene, &message), drape_ok);
	CheckScene(scene);
	assert_int_equal(drapeScene_Format(scene, text, sizeof text, &size, &message), drape_ok);
	assert_int_equal(drapeScene_Parse(text, strlen(text), "text", &again, &message), drape_ok);
	CheckScene(again);
	drapeSceneWorld made;
	assert_int_equal(drapeScene_CreateWorld(scene, 1, &made, &message), drape_ok);
	assert_true(drapeCollider_GetFilter(made.colliders[0]).mask == 0);
	assert_true(drapeCloth_GetFilter(made.cloths[0]).mask == 3);
	drapeSceneWorld_Destroy(&made);
	drapeScene_Free(scene);
	drapeScene_Free(again);
	const char wrong[] = "{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"filter\": {\"mask\": [64]}}]}";
	assert_int_equal(drapeScene_Parse(wrong, strlen(wrong), "text", &scene, &message), drape_errorData);
	assert_non_null(strstr(message.text, "mask is 64, expected a list of whole numbers from 0 to 63"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ScenesSayFiltersByTheirBits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
