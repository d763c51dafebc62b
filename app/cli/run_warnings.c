// SPDX-License-Identifier: MIT
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a run begins with although it may not go well: odd meshes of colliders, and cloth that starts crossed.

static void Add(RunWarnings* warnings, const char* text)
{
	char** grown = realloc(warnings->texts, (warnings->count + 1) * sizeof *grown);
	char* copy = strdup(text);
	if (grown)
		warnings->texts = grown;
	if (grown && copy)
		warnings->texts[warnings->count++] = copy;
	else
		free(copy);
	Cli_Error("warning: %s", text);
}

void RunWarnings_Free(RunWarnings* warnings)
{
	for (uint32_t i = 0; i < warnings->count; ++i)
		free(warnings->texts[i]);
	free(warnings->texts);
	*warnings = (RunWarnings){0};
}

json_t* RunWarnings_Json(const RunWarnings* warnings)
{
	json_t* list = json_array();
	for (uint32_t i = 0; i < warnings->count; ++i)
		json_array_append_new(list, Cli_JsonText(warnings->texts[i]));
	return list;
}

// --- crossings ---

// What a cloth crosses: cloths by their number, then colliders.
static uint32_t OtherOf(const drapeSceneWorld* made, const drapeCrossing* crossing)
{
	for (uint32_t i = 0; i < made->clothCount; ++i)
		if (made->cloths[i].index1 == crossing->otherCloth.index1)
			return i;
	for (uint32_t i = 0; i < made->colliderCount; ++i)
		if (made->colliders[i].index1 == crossing->collider.index1)
			return made->clothCount + i;
	return UINT32_MAX;
}

static uint32_t ClothOf(const drapeSceneWorld* made, const drapeCrossing* crossing)
{
	for (uint32_t i = 0; i < made->clothCount; ++i)
		if (made->cloths[i].index1 == crossing->cloth.index1)
			return i;
	return UINT32_MAX;
}

static void WarnOfPair(RunWarnings* warnings, const drapeScene* scene, uint32_t cloth, uint32_t other, uint32_t count,
                       const drapeCrossing* first)
{
	char what[160], text[800];
	const drapeSceneCloth* of = &scene->cloths[cloth];
	if (other == cloth)
		snprintf(what, sizeof what, "itself");
	else if (other < scene->clothCount)
		snprintf(what, sizeof what, "cloth \"%.100s\"", scene->cloths[other].name);
	else if (scene->colliders[other - scene->clothCount].name[0])
		snprintf(what, sizeof what, "collider \"%.100s\"", scene->colliders[other - scene->clothCount].name);
	else
		snprintf(what, sizeof what, "collider %u", other - scene->clothCount + 1);
	snprintf(text, sizeof text,
	         "%.300s:%u:%u: cloth \"%.100s\" crosses %s at the start, with %u pair%s of triangles, the first at [%.4g, "
	         "%.4g, %.4g]; contact \"all\" keeps apart what starts apart",
	         scene->path, of->place.line, of->place.column, of->name, what, count, count == 1 ? "" : "s",
	         (double)first->position.x, (double)first->position.y, (double)first->position.z);
	Add(warnings, text);
}

static bool WantsAll(const drapeScene* scene, uint32_t thing)
{
	return thing >= scene->clothCount || scene->cloths[thing].contact == drape_contactAll;
}

// One warning for all crossings of the same two things.
static void WarnOfCrossings(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made,
                            const drapeCrossing* list, uint32_t count)
{
	uint32_t things = made->clothCount + made->colliderCount;
	uint32_t* counts = calloc((size_t)made->clothCount * things, sizeof *counts);
	for (uint32_t i = 0; counts && i < count; ++i)
	{
		uint32_t cloth = ClothOf(made, &list[i]), other = OtherOf(made, &list[i]);
		if (cloth < made->clothCount && other < things)
			counts[cloth * things + other]++;
	}
	for (uint32_t i = 0; counts && i < count; ++i)
	{
		uint32_t cloth = ClothOf(made, &list[i]), other = OtherOf(made, &list[i]);
		if (cloth >= made->clothCount || other >= things || counts[cloth * things + other] == 0)
			continue;
		if (WantsAll(scene, cloth) && WantsAll(scene, other))
			WarnOfPair(warnings, scene, cloth, other, counts[cloth * things + other], &list[i]);
		counts[cloth * things + other] = 0;
	}
	free(counts);
}

static void FindCrossings(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made)
{
	bool isWanted = false;
	for (uint32_t i = 0; i < scene->clothCount; ++i)
		isWanted = isWanted || scene->cloths[i].contact == drape_contactAll;
	uint32_t count = 0, found = 0;
	if (!isWanted || drapeWorld_FindCrossings(made->world, NULL, 0, &count) != drape_ok || count == 0)
		return;
	drapeCrossing* list = calloc(count, sizeof *list);
	if (list && drapeWorld_FindCrossings(made->world, list, count, &found) == drape_ok)
		WarnOfCrossings(warnings, scene, made, list, found < count ? found : count);
	free(list);
}

void RunWarnings_Find(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made)
{
	for (uint32_t i = 0; i < made->warningCount; ++i)
		Add(warnings, made->warnings[i].text);
	FindCrossings(warnings, scene, made);
}
