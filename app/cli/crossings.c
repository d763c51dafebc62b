// SPDX-License-Identifier: MIT
#include "crossings.h"

#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t ClothNumber(const drapeSceneWorld* made, drapeClothId cloth)
{
	for (uint32_t i = 0; i < made->clothCount; ++i)
		if (made->cloths[i].index1 == cloth.index1)
			return i;
	return UINT32_MAX;
}

// Numbers the other side of a crossing: cloths first, then colliders.
static uint32_t OtherNumber(const drapeSceneWorld* made, const drapeCrossing* crossing)
{
	if (crossing->otherCloth.index1 != 0)
		return ClothNumber(made, crossing->otherCloth);
	for (uint32_t i = 0; i < made->colliderCount; ++i)
		if (made->colliders[i].index1 == crossing->collider.index1)
			return made->clothCount + i;
	return UINT32_MAX;
}

static bool WantsAll(const drapeScene* scene, uint32_t thing)
{
	return thing >= scene->clothCount || scene->cloths[thing].contact == drape_contactAll;
}

static CrossingPair* PairOf(Crossings* crossings, uint32_t cloth, uint32_t other)
{
	// The list is sorted by pairs, so the last entry is the likely one.
	for (uint32_t i = crossings->pairCount; i-- > 0;)
		if (crossings->pairs[i].cloth == cloth && crossings->pairs[i].other == other)
			return &crossings->pairs[i];
	return &crossings->pairs[crossings->pairCount];
}

static void GroupPairs(Crossings* crossings, const drapeScene* scene, const drapeSceneWorld* made)
{
	for (uint32_t i = 0; i < crossings->count; ++i)
	{
		const drapeCrossing* crossing = &crossings->list[i];
		uint32_t cloth = ClothNumber(made, crossing->cloth), other = OtherNumber(made, crossing);
		if (cloth == UINT32_MAX || other == UINT32_MAX)
			continue;
		CrossingPair* pair = PairOf(crossings, cloth, other);
		if (pair == &crossings->pairs[crossings->pairCount])
		{
			bool isHeld = WantsAll(scene, cloth) && WantsAll(scene, other);
			*pair = (CrossingPair){.cloth = cloth, .other = other, .place = crossing->position, .isHeld = isHeld};
			crossings->pairCount++;
		}
		pair->count++;
	}
}

drapeResult Crossings_Find(Crossings* crossings, const drapeScene* scene, const drapeSceneWorld* made)
{
	*crossings = (Crossings){0};
	uint32_t count = 0;
	drapeResult result = drapeWorld_FindCrossings(made->world, NULL, 0, &count);
	if (result != drape_ok || count == 0)
		return result;
	crossings->list = calloc(count, sizeof *crossings->list);
	crossings->pairs = calloc(count, sizeof *crossings->pairs);
	if (!crossings->list || !crossings->pairs)
		result = drape_errorMemory;
	else
		result = drapeWorld_FindCrossings(made->world, crossings->list, count, &crossings->count);
	if (result != drape_ok)
	{
		Crossings_Free(crossings);
		return result;
	}
	GroupPairs(crossings, scene, made);
	return drape_ok;
}

void Crossings_Free(Crossings* crossings)
{
	free(crossings->list);
	free(crossings->pairs);
	*crossings = (Crossings){0};
}

void CrossingPair_Other(const CrossingPair* pair, const drapeScene* scene, char* text, size_t capacity)
{
	if (pair->other == pair->cloth)
		snprintf(text, capacity, "itself");
	else if (pair->other < scene->clothCount)
		snprintf(text, capacity, "cloth \"%.100s\"", scene->cloths[pair->other].name);
	else if (scene->colliders[pair->other - scene->clothCount].name[0])
		snprintf(text, capacity, "collider \"%.100s\"", scene->colliders[pair->other - scene->clothCount].name);
	else
		snprintf(text, capacity, "collider %u", pair->other - scene->clothCount + 1);
}

void CrossingPair_Format(const CrossingPair* pair, const drapeScene* scene, char* text, size_t capacity)
{
	const drapeSceneCloth* cloth = &scene->cloths[pair->cloth];
	bool hasTriangles = pair->other < scene->clothCount ||
	                    drapeColliderShape_GetInfo(scene->colliders[pair->other - scene->clothCount].def.shape)->isMesh;
	char other[160];
	CrossingPair_Other(pair, scene, other, sizeof other);
	snprintf(text, capacity,
	         "%.300s:%u:%u: cloth \"%.100s\" crosses %s at the start, with %u %s%s, the first at [%.4g, %.4g, %.4g]",
	         scene->path, cloth->place.line, cloth->place.column, cloth->name, other, pair->count,
	         hasTriangles ? pair->count == 1 ? "pair" : "pairs" : "triangle",
	         hasTriangles       ? " of triangles"
	         : pair->count == 1 ? ""
	                            : "s",
	         (double)pair->place.x, (double)pair->place.y, (double)pair->place.z);
}

// --- untangling ---

bool UntangleView_Update(const drapeUntangleProgress* progress, void* context)
{
	UntangleView* view = context;
	uint32_t tenths = (uint32_t)(10.0f * progress->share);
	bool isTerminal = isatty(STDERR_FILENO) == 1;
	view->isShown = view->isShown || isTerminal;
	if (isTerminal)
		fprintf(stderr, "\runtangling: %.0f %%, %u of %u crossings left \033[K", 100.0 * (double)progress->share,
		        progress->left, progress->before);
	else if (tenths > view->tenths && progress->seconds >= 1.0f)
		fprintf(stderr, "untangling: %u %%, %u of %u crossings left\n", 10 * tenths, progress->left, progress->before);
	fflush(stderr);
	view->tenths = tenths > view->tenths ? tenths : view->tenths;
	return !Cli_StopAsked();
}

void UntangleView_End(UntangleView* view)
{
	if (view->isShown)
		fputs("\r\033[K", stderr);
	view->isShown = false;
}

const char* Untangle_EndText(const drapeUntangleReport* report, char* text, size_t capacity)
{
	if (report->end == drape_untangleTimeOver)
		snprintf(text, capacity, ", ended by the limit of time after %.3g s", (double)report->seconds);
	else
		snprintf(text, capacity, "%s", report->end == drape_untangleCancelled ? ", stopped by a signal" : "");
	return text;
}

// --- thickness ---

bool Thickness_Format(const drapeScene* scene, const drapeSceneWorld* made, uint32_t cloth, const char* when,
                      char* text, size_t capacity)
{
	const drapeSceneCloth* named = &scene->cloths[cloth];
	drapeCarriedThickness thickness = drapeCloth_GetCarriedThickness(made->cloths[cloth]);
	if (thickness.triangles == 0)
		return false;
	snprintf(text, capacity,
	         "%.300s:%u:%u: %s the thickness of cloth \"%.100s\", %.4g m, is larger than %u of its triangles; layers "
	         "there keep %.4g m: choose a smaller \"thickness\", a coarser mesh or a lower \"maxLevel\"",
	         scene->path, named->place.line, named->place.column, when, named->name, (double)thickness.asked,
	         thickness.triangles, (double)thickness.carried);
	return true;
}
