// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include "drape/cloth.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The tables of adaptation. One section per criterion is built from drapeCriterion_GetInfo, once per process, so that
// a new criterion needs no change here.

enum
{
	maxCriteria = 16,
	maxParameters = 12,
	ownFieldCount = 6, // rows of adaptFields before the criteria
};

static SceneField criterionFields[maxCriteria][1 + maxParameters];
static SceneSection criterionSections[maxCriteria];
static char titles[maxCriteria][64], conflicts[maxCriteria][96];

#define ADAPT drapeAdaptDef

static SceneField adaptFields[ownFieldCount + maxCriteria] = {
	{.key = "scheme",
     .kind = scene_choice,
     .offset = offsetof(ADAPT, scheme),
     .words = "edge|fixed|sqrt3",
     .help = "`edge` splits edges in the middle; `sqrt3` splits triangles by their centres and flips edges; `fixed` "
             "never refines"},
	{.key = "maxLevel",
     .kind = scene_uint,
     .offset = offsetof(ADAPT, maxLevel),
     .high = DRAPE_MAX_LEVEL,
     .help = "largest level; one level makes four triangles of one, with `sqrt3` two levels make three of one"},
	{.key = "maxTriangles",
     .kind = scene_uint,
     .offset = offsetof(ADAPT, maxTriangles),
     .isExplicit = true,
     .high = IO_MAX_ELEMENTS,
     .help =
         "the cloth never has more triangles than this or its mesh; 0 for no cap. Edges with the largest deviation "
         "(see `accuracy`) are split first. With a section `curvature`, `meanCurvature` or `length` the default is 0"},
	{.key = "tieRule",
     .kind = scene_choice,
     .offset = offsetof(ADAPT, tieRule),
     .words = "default|length|rest-length|curvature",
     .help = "rule that chooses the diagonal of a quadrilateral if both are equally good"},
	{.key = "joinRule",
     .kind = scene_choice,
     .offset = offsetof(ADAPT, joinRule),
     .words = "all|any|always",
     .help = "criteria that must agree to a join"},
	{.key = "joinWait",
     .kind = scene_uint,
     .offset = offsetof(ADAPT, joinWait),
     .high = 255,
     .help = "passes between two attempts to join an edge"},
};

// A criterion of the shape replaces the default one: a scene that names curvature has no accuracy and no cap unless it
// names them too.
static void ChooseCriteria(const json_t* json, void* value)
{
	const drapeCriterionInfo* info;
	bool isReplaced = false;
	for (uint32_t i = 0; (info = drapeCriterion_GetInfo(i)) != NULL; ++i)
		isReplaced |= info->readsShape && !info->isInitial && json_object_get(json, info->key);
	for (uint32_t i = 0; isReplaced && (info = drapeCriterion_GetInfo(i)) != NULL; ++i)
	{
		if (info->isInitial)
			*(bool*)(void*)((char*)value + info->offset + info->enabled) = false;
	}
	if (isReplaced)
		((ADAPT*)value)->maxTriangles = 0;
}

SceneSection drapeSceneAdaptSection = {
	.title = "cloths[].adapt",
	.help = "Adaptation: the scheme and the criteria for splits and joins.",
	.fields = adaptFields,
	.fieldCount = ownFieldCount,
	.size = sizeof(ADAPT),
	.choosePresent = ChooseCriteria,
};

static void BuildCriterion(uint32_t index, const drapeCriterionInfo* info)
{
	SceneField* fields = criterionFields[index];
	SceneSection* section = &criterionSections[index];
	snprintf(titles[index], sizeof titles[index], "cloths[].adapt.%s", info->key);
	snprintf(conflicts[index], sizeof conflicts[index], "%s would rejoin what it has just split", info->key);
	fields[0] = (SceneField){
		.key = "enabled", .kind = scene_bool, .offset = info->enabled, .help = "true when this section is given"};
	for (uint32_t k = 0; k < info->parameterCount && k < maxParameters; ++k)
	{
		fields[1 + k] = drapeScene_ParameterField(&info->parameters[k]);
		fields[1 + k].conflict = conflicts[index];
	}
	*section = (SceneSection){
		.title = titles[index],
		.help = info->help,
		.fields = fields,
		.fieldCount = 1 + (int)info->parameterCount,
		.size = info->size,
		.isSwitched = true,
		.switchOffset = info->enabled,
	};
	adaptFields[ownFieldCount + index] = (SceneField){.key = info->key,
	                                                  .kind = scene_section,
	                                                  .offset = info->offset,
	                                                  .section = section,
	                                                  .isExplicit = info->isInitial};
}

static void Build(void)
{
	const drapeCriterionInfo* info;
	uint32_t count = 0;
	for (; count < maxCriteria && (info = drapeCriterion_GetInfo(count)) != NULL; ++count)
		BuildCriterion(count, info);
	drapeSceneAdaptSection.fieldCount = ownFieldCount + (int)count;
	drapeScene_BuildColliders();
	drapeScene_BuildWind();
	drapeScene_BuildClothDefinitions();
}

const SceneSection* drapeScene_RootSection(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, Build);
	return &drapeSceneRootSection;
}
