// SPDX-License-Identifier: MIT
#include "cli.h"

#include "crossings.h"

#include <stdio.h>
#include <stdlib.h>

// drape check of a scene: creates its world and reports doubtful properties of its start. A start that contact "all"
// cannot hold is bad input; other doubtful properties are not.

enum
{
	doubtCapacity = 32,
};

typedef struct SceneCheck
{
	const char* path;
	drapeScene* scene;
	drapeSceneWorld made;
	Crossings crossings;
	drapeMessage doubts[doubtCapacity];
	uint32_t doubtCount;
	uint32_t held; // crossing pairs that contact "all" must keep apart
} SceneCheck;

static CliExit Fail(const char* path, bool json, const drapeMessage* error)
{
	Cli_Error("%s", error->text);
	if (json)
	{
		json_t* line = error->line > 0 ? json_integer(error->line) : json_null();
		Cli_PrintJson(json_pack("{s:o, s:b, s:{s:o, s:o}}", "file", Cli_JsonText(path), "usable", 0, "error", "line",
		                        line, "text", Cli_JsonText(error->text)));
	}
	return Cli_ExitFor(error->result);
}

static bool FormatThick(const SceneCheck* check, uint32_t cloth, char* text, size_t capacity)
{
	return Thickness_Format(check->scene, &check->made, cloth, "at the start", text, capacity);
}

// Counts the cloths that are thicker than their triangles are long.
static uint32_t CountThick(const SceneCheck* check)
{
	uint32_t count = 0;
	char text[900];
	for (uint32_t i = 0; i < check->scene->clothCount; ++i)
		count += FormatThick(check, i, text, sizeof text);
	return count;
}

// --- for people ---

static void Print(const SceneCheck* check)
{
	const drapeScene* scene = check->scene;
	drapeCounters stats = drapeWorld_GetCounters(check->made.world);
	printf("%s\n  %-18s %u\n  %-18s %u\n  %-18s %u\n  %-18s %u\n  %-18s %u\n", check->path, "cloths", scene->clothCount,
	       "colliders", scene->colliderCount, "particles", stats.particles, "triangles", stats.triangles, "crossings",
	       check->crossings.count);
	char ending[64];
	if (scene->world.untangle)
		printf("  %-18s %u crossings, %u left, moved by up to %.3g m%s\n", "untangled", check->made.untangled.before,
		       check->made.untangled.after, (double)check->made.untangled.farthest,
		       Untangle_EndText(&check->made.untangled, ending, sizeof ending));
	uint32_t thick = CountThick(check);
	if (check->made.warningCount + check->doubtCount + check->crossings.pairCount + thick > 0)
		putchar('\n');
	for (uint32_t i = 0; i < check->made.warningCount; ++i)
		puts(check->made.warnings[i].text);
	for (uint32_t i = 0; i < check->doubtCount; ++i)
		puts(check->doubts[i].text);
	for (uint32_t i = 0; i < check->scene->clothCount; ++i)
	{
		char text[900];
		if (FormatThick(check, i, text, sizeof text))
			puts(text);
	}
	for (uint32_t i = 0; i < check->crossings.pairCount; ++i)
	{
		char text[700];
		CrossingPair_Format(&check->crossings.pairs[i], scene, text, sizeof text);
		printf("%s%s\n", text, check->crossings.pairs[i].isHeld ? "" : " (harmless without contact \"all\")");
	}
	if (check->held == 0)
		puts("\nThis scene can be run.");
	else
		printf("\nContact \"all\" needs a start without crossings%s.\n",
		       scene->world.untangle ? "" : "; \"untangle\": true in \"world\" takes it apart");
}

// --- for programs ---

static json_t* PlacesJson(const SceneCheck* check, const CrossingPair* pair)
{
	json_t* places = json_array();
	for (uint32_t i = 0; i < check->crossings.count; ++i)
	{
		const drapeCrossing* crossing = &check->crossings.list[i];
		const drapeSceneWorld* made = &check->made;
		bool isOther = pair->other < made->clothCount
		                   ? crossing->otherCloth.index1 == made->cloths[pair->other].index1
		                   : crossing->collider.index1 == made->colliders[pair->other - made->clothCount].index1;
		if (crossing->cloth.index1 != made->cloths[pair->cloth].index1 || !isOther)
			continue;
		const drapeVec3* p = &crossing->position;
		json_array_append_new(places, json_pack("[o, o, o]", Cli_JsonNumber((double)p->x), Cli_JsonNumber((double)p->y),
		                                        Cli_JsonNumber((double)p->z)));
	}
	return places;
}

static json_t* PairJson(const SceneCheck* check, const CrossingPair* pair)
{
	const drapeScene* scene = check->scene;
	char text[700];
	CrossingPair_Format(pair, scene, text, sizeof text);
	bool isCloth = pair->other < scene->clothCount;
	uint32_t collider = isCloth ? DRAPE_NONE : pair->other - scene->clothCount;
	return json_pack("{s:o, s:o, s:o, s:o, s:i, s:b, s:o, s:o}", "cloth", Cli_JsonText(scene->cloths[pair->cloth].name),
	                 "otherCloth", isCloth ? Cli_JsonText(scene->cloths[pair->other].name) : json_null(), "collider",
	                 isCloth ? json_null() : Cli_JsonText(scene->colliders[collider].name), "colliderNumber",
	                 Cli_JsonIndex(collider, 1), "count", (int)pair->count, "contactAll", pair->isHeld, "places",
	                 PlacesJson(check, pair), "text", Cli_JsonText(text));
}

static json_t* UntangledJson(const drapeUntangleReport* report)
{
	static const char* const ends[] = {"done", "time", "cancelled"};
	return json_pack("{s:i, s:i, s:o, s:o, s:s}", "before", (int)report->before, "after", (int)report->after,
	                 "farthest", Cli_JsonNumber((double)report->farthest), "seconds",
	                 Cli_JsonNumber((double)report->seconds), "end", ends[report->end]);
}

static bool PrintJson(const SceneCheck* check)
{
	const drapeUntangleReport* untangled = &check->made.untangled;
	json_t *object = json_object(), *warnings = json_array(), *crossings = json_array();
	for (uint32_t i = 0; i < check->made.warningCount; ++i)
		json_array_append_new(warnings, Cli_JsonText(check->made.warnings[i].text));
	for (uint32_t i = 0; i < check->doubtCount; ++i)
		json_array_append_new(warnings, Cli_JsonText(check->doubts[i].text));
	for (uint32_t i = 0; i < check->scene->clothCount; ++i)
	{
		char text[900];
		if (FormatThick(check, i, text, sizeof text))
			json_array_append_new(warnings, Cli_JsonText(text));
	}
	for (uint32_t i = 0; i < check->crossings.pairCount; ++i)
		json_array_append_new(crossings, PairJson(check, &check->crossings.pairs[i]));
	json_object_set_new(object, "file", Cli_JsonText(check->path));
	json_object_set_new(object, "usable", json_boolean(check->held == 0));
	json_object_set_new(object, "cloths", json_integer(check->scene->clothCount));
	json_object_set_new(object, "colliders", json_integer(check->scene->colliderCount));
	json_object_set_new(object, "warnings", warnings);
	json_object_set_new(object, "crossings", crossings);
	if (check->scene->world.untangle)
		json_object_set_new(object, "untangled", UntangledJson(untangled));
	return Cli_PrintJson(object);
}

// --- the command ---

static CliExit Report(SceneCheck* check, bool json)
{
	uint32_t doubts = drapeScene_FindDoubts(check->scene, &check->made, check->doubts, doubtCapacity);
	check->doubtCount = doubts < doubtCapacity ? doubts : doubtCapacity;
	drapeResult result = Crossings_Find(&check->crossings, check->scene, &check->made);
	if (result != drape_ok)
	{
		Cli_Error("%s: %s", check->path, drapeResult_GetText(result));
		return cli_exitFailed;
	}
	for (uint32_t i = 0; i < check->crossings.pairCount; ++i)
		check->held += check->crossings.pairs[i].isHeld;
	bool isPrinted = true;
	if (json)
		isPrinted = PrintJson(check);
	else
		Print(check);
	Crossings_Free(&check->crossings);
	return !isPrinted ? cli_exitFailed : check->held > 0 ? cli_exitInput : cli_exitDone;
}

CliExit CheckScene_Run(const char* path, bool json, float untangleSeconds)
{
	SceneCheck check = {.path = path};
	drapeMessage error;
	UntangleView view = {0};
	const drapeSceneWorldOptions options = {
		.untangleSeconds = untangleSeconds > 0.0f ? &untangleSeconds : NULL,
		.untangleProgress = UntangleView_Update,
		.untangleContext = &view,
	};
	if (drapeScene_Read(path, &check.scene, &error) != drape_ok)
		return Fail(path, json, &error);
	CliExit code;
	if (check.scene->clothCount == 0)
	{
		error.result = drape_errorData;
		error.line = 0;
		snprintf(error.text, sizeof error.text, "%.400s: there is no cloth in this scene", path);
		drapeScene_Free(check.scene);
		return Fail(path, json, &error);
	}
	Cli_CatchSignals();
	drapeResult result = drapeScene_CreateWorldWith(check.scene, &options, &check.made, &error);
	UntangleView_End(&view);
	if (result != drape_ok)
		code = Fail(path, json, &error);
	else
		code = Report(&check, json);
	if (check.made.untangled.end == drape_untangleCancelled)
		code = cli_exitFailed;
	drapeSceneWorld_Destroy(&check.made);
	drapeScene_Free(check.scene);
	return code;
}
