// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Sizes that are probably in another unit. All units are metres: a mesh in centimetres falls a hundred times too slowly,
// and texture coordinates of 0 to 1 are no metres.

enum
{
	largestUsual = 20, // m
	smallestUsual = 2, // cm
	allowedTenths = 2, // the rest shape may be larger or smaller by a fifth
};

// --- sizes ---

typedef struct Unit
{
	const char* name;
	double metres;
} Unit;

static const Unit units[] = {{"centimetres", 0.01}, {"millimetres", 0.001}};

// The extents of worn and household things, m.
static bool IsUsual(double size)
{
	return size >= 0.2 && size <= 3.0;
}

// A sentence about a size that cannot be in metres; false for any other.
static bool QuestionSize(drapeVec3 lower, drapeVec3 upper, char* text, size_t capacity)
{
	double tall = (double)upper.y - (double)lower.y;
	double size = fmax(tall, fmax((double)upper.x - (double)lower.x, (double)upper.z - (double)lower.z));
	if (!isfinite(size) || (size <= largestUsual && size >= 0.01 * smallestUsual) || size == 0.0)
		return false;
	size_t used = (size_t)snprintf(text, capacity, "it is %.3g m %s", size, size == tall ? "tall" : "large");
	for (size_t i = 0; used < capacity && i < sizeof units / sizeof units[0]; ++i)
	{
		if (IsUsual(units[i].metres * size))
		{
			snprintf(text + used, capacity - used, "; %s? scale by %g", units[i].name, units[i].metres);
			return true;
		}
	}
	snprintf(text + used, capacity - used, ", expected metres");
	return true;
}

// --- texture coordinates ---

// A sentence about texture coordinates as the rest shape. `used` is the length of one unit, m.
static bool QuestionTexcoords(const drapeMeshReport* report, double used, char* text, size_t capacity)
{
	double median = (double)report->texcoordRatioMedian, tolerance = 1.0 + 0.1 * allowedTenths;
	double low = (double)report->texcoordRatioMin, high = (double)report->texcoordRatioMax;
	if (report->texcoordIslands == 0 || !(median > 0.0))
		return false;
	if (used > tolerance * median || used * tolerance < median)
	{
		snprintf(
			text, capacity,
			"with metresPerUnit %.3g, texture coordinates make a rest shape %.3g times as large as the mesh, expected "
			"%.3g or \"auto\"",
			used, used / median, median);
		return true;
	}
	if (high <= tolerance * median && low * tolerance >= median)
		return false;
	snprintf(
		text, capacity,
		"the scale of the texture coordinates varies over the mesh, from %.3g to %.3g m per unit, so that the rest "
		"shape is distorted; \"shape\" as the source of \"rest\" avoids that",
		low, high);
	return true;
}

uint32_t drapeMesh_FindDoubts(const drapeMeshReport* report, const drapeRestDef* rest, drapeMessage* list,
                              uint32_t capacity)
{
	if (!report || !rest || (!list && capacity > 0))
		return 0;
	char text[400];
	uint32_t count = 0;
	if (QuestionSize(report->lower, report->upper, text, sizeof text) && count++ < capacity)
	{
		list[count - 1] = (drapeMessage){0};
		snprintf(list[count - 1].text, sizeof list->text, "%s", text);
	}
	if (rest->source == drape_restTexcoord &&
	    QuestionTexcoords(report, (double)rest->metresPerUnit, text, sizeof text) && count++ < capacity)
	{
		list[count - 1] = (drapeMessage){0};
		snprintf(list[count - 1].text, sizeof list->text, "%s", text);
	}
	return count;
}

// --- scenes ---

typedef struct Doubts
{
	const drapeScene* scene;
	drapeMessage* list;
	uint32_t count, capacity;
} Doubts;

static void Add(Doubts* doubts, drapeScenePlace place, const char* kind, const char* name, const char* text)
{
	if (doubts->count++ >= doubts->capacity)
		return;
	drapeMessage* message = &doubts->list[doubts->count - 1];
	*message = (drapeMessage){0};
	drapeFileError_SetPlace(message, drape_errorData, doubts->scene->path, place, "%s%s%.100s%s: %s", kind,
	                        name[0] ? " \"" : "", name, name[0] ? "\"" : "", text);
	message->result = drape_ok;
}

static void QuestionCloth(Doubts* doubts, const drapeSceneCloth* cloth, const drapeMesh* pattern)
{
	drapeMeshReport report;
	drapeMessage found[2];
	drapeRestDef rest = drapeSceneCloth_GetDef(cloth, pattern).rest;
	if (cloth->source != drape_sceneObj || drapeMesh_Check(pattern, NULL, &report, NULL) == drape_errorMemory)
		return;
	// Coordinates in metres are a pattern, and the mesh is its start pose, which may be stretched.
	if (rest.metresPerUnit == 1.0f)
		report.texcoordRatioMin = report.texcoordRatioMax = report.texcoordRatioMedian;
	uint32_t count = drapeMesh_FindDoubts(&report, &rest, found, 2);
	for (uint32_t i = 0; i < count && i < 2; ++i)
		Add(doubts, cloth->place, "cloth", cloth->name, found[i].text);
}

static void QuestionCollider(Doubts* doubts, const drapeSceneCollider* collider, drapeColliderId id)
{
	char text[400];
	drapeColliderView view = drapeCollider_GetView(id);
	if (view.vertexCount == 0)
		return;
	drapeVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t i = 0; i < view.vertexCount; ++i)
	{
		drapeVec4 p = view.positions[i];
		lower = (drapeVec3){fminf(lower.x, p.x), fminf(lower.y, p.y), fminf(lower.z, p.z)};
		upper = (drapeVec3){fmaxf(upper.x, p.x), fmaxf(upper.y, p.y), fmaxf(upper.z, p.z)};
	}
	if (QuestionSize(lower, upper, text, sizeof text))
		Add(doubts, collider->place, "collider", collider->name, text);
}

uint32_t drapeScene_FindDoubts(const drapeScene* scene, const drapeSceneWorld* world, drapeMessage* list,
                               uint32_t capacity)
{
	if (!scene || !world || (!list && capacity > 0))
		return 0;
	Doubts doubts = {.scene = scene, .list = list, .capacity = capacity};
	for (uint32_t i = 0; i < world->clothCount && i < scene->clothCount; ++i)
		QuestionCloth(&doubts, &scene->cloths[i], &world->patterns[i].mesh);
	for (uint32_t i = 0; i < world->colliderCount && i < scene->colliderCount; ++i)
		QuestionCollider(&doubts, &scene->colliders[i], world->colliders[i]);
	return doubts.count;
}
