// SPDX-License-Identifier: MIT
#include "run.h"

#include "crossings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Warnings at the start of a run: doubtful meshes of colliders, cloth that starts with crossings, and cloth that is
// thicker than its triangles are long.

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
	free(warnings->hasWarned);
	free(warnings->isTooThick);
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

static void WarnOfUntangling(RunWarnings* warnings, const drapeScene* scene, const drapeUntangleReport* report)
{
	char text[600], ending[64];
	if (report->before == 0)
		return;
	snprintf(
		text, sizeof text,
		"%.300s: cloth crossed at the start, in %u place%s; %u are left, and particles were moved by up to %.3g m%s",
		scene->path, report->before, report->before == 1 ? "" : "s", report->after, (double)report->farthest,
		Untangle_EndText(report, ending, sizeof ending));
	Add(warnings, text);
}

static void WarnOfCrossings(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made)
{
	Crossings crossings;
	bool isWanted = false;
	for (uint32_t i = 0; i < scene->clothCount; ++i)
		isWanted = isWanted || scene->cloths[i].contact == drape_contactAll;
	if (!isWanted || Crossings_Find(&crossings, scene, made) != drape_ok)
		return;
	for (uint32_t i = 0; i < crossings.pairCount; ++i)
	{
		char what[700], text[900];
		if (!crossings.pairs[i].isHeld)
			continue;
		CrossingPair_Format(&crossings.pairs[i], scene, what, sizeof what);
		snprintf(text, sizeof text, "%s; contact \"all\" needs a start without crossings%s", what,
		         scene->world.untangle ? "" : ", and \"untangle\" of the world removes them");
		Add(warnings, text);
	}
	Crossings_Free(&crossings);
}

// --- thickness ---

static void WarnOfThickness(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made,
                            const char* when)
{
	if (!warnings->isTooThick)
		warnings->isTooThick = calloc(made->clothCount, sizeof *warnings->isTooThick);
	for (uint32_t i = 0; warnings->isTooThick && i < made->clothCount; ++i)
	{
		char text[900];
		if (warnings->isTooThick[i] || !Thickness_Format(scene, made, i, when, text, sizeof text))
			continue;
		warnings->isTooThick[i] = true;
		Add(warnings, text);
	}
}

// --- units ---

static void WarnOfUnits(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made)
{
	uint32_t count = drapeScene_FindDoubts(scene, made, NULL, 0);
	drapeMessage* list = count > 0 ? malloc(count * sizeof *list) : NULL;
	if (!list)
		return;
	drapeScene_FindDoubts(scene, made, list, count);
	for (uint32_t i = 0; i < count; ++i)
		Add(warnings, list[i].text);
	free(list);
}

void RunWarnings_Find(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made)
{
	for (uint32_t i = 0; i < made->warningCount; ++i)
		Add(warnings, made->warnings[i].text);
	WarnOfUnits(warnings, scene, made);
	WarnOfUntangling(warnings, scene, &made->untangled);
	WarnOfCrossings(warnings, scene, made);
	WarnOfThickness(warnings, scene, made, "at the start");
}

// --- during the run ---

static void WarnOfStep(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made)
{
	drapeStepWarning warning = drapeWorld_GetWarning(made->world);
	if (warning.count == warnings->stepWarnings)
		return;
	warnings->stepWarnings = warning.count;
	uint32_t cloth = 0;
	while (cloth < made->clothCount && made->cloths[cloth].index1 != warning.cloth.index1)
		cloth++;
	if (!warnings->hasWarned)
		warnings->hasWarned = calloc(made->clothCount, sizeof *warnings->hasWarned);
	if (cloth >= made->clothCount || !warnings->hasWarned || warnings->hasWarned[cloth])
		return;
	char text[900];
	snprintf(text, sizeof text, "%.300s: at %.4g s cloth \"%.100s\" near [%.3g, %.3g, %.3g]: %s", scene->path,
	         warning.time, scene->cloths[cloth].name, (double)warning.position.x, (double)warning.position.y,
	         (double)warning.position.z, warning.text);
	warnings->hasWarned[cloth] = true;
	Add(warnings, text);
}

void RunWarnings_AfterStep(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made)
{
	char when[32];
	snprintf(when, sizeof when, "at %.4g s", drapeWorld_GetTime(made->world));
	WarnOfStep(warnings, scene, made);
	WarnOfThickness(warnings, scene, made, when);
}
