// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The sections of a scene around its cloths. Rows are in the order of the documentation.

// The largest speed of a motion. A faster motion is treated as a typing error.
#define MAX_SPEED 100.0f // m/s

// --- poses ---

drapeScenePose drapeScene_DefaultPose(void)
{
	return (drapeScenePose){.axis = {0.0f, 1.0f, 0.0f}, .scale = 1.0f};
}

bool drapeScene_CheckPose(const SceneObject* object, const drapeScenePose* pose)
{
	const drapeVec3* axis = &pose->axis;
	float length = axis->x * axis->x + axis->y * axis->y + axis->z * axis->z;
	if (length > 1e-12f && isfinite(length))
		return true;
	return drapeScene_Fail(object, "axis", "axis has no usable direction, expected a vector such as [0, 1, 0]");
}

static float Distance(drapeVec3 a, drapeVec3 b)
{
	return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static bool IsWholeTurns(float angle)
{
	return fabsf(remainderf(angle, 6.2831853f)) < 1e-3f;
}

static bool SameRotation(const drapeScenePose* a, const drapeScenePose* b)
{
	return (IsWholeTurns(a->angle) && IsWholeTurns(b->angle)) ||
	       (Distance(a->axis, b->axis) < 1e-5f && IsWholeTurns(a->angle - b->angle));
}

static bool SamePose(const drapeScenePose* a, const drapeScenePose* b)
{
	return Distance(a->position, b->position) < 1e-5f && fabsf(a->scale - b->scale) < 1e-5f && SameRotation(a, b);
}

// --- time ---

enum
{
	typicalStepRate = 120, // Hz
};

static const SceneField timeFields[] = {
	{.key = "frames",
     .kind = scene_uint,
     .offset = offsetof(drapeSceneTime, frames),
     .low = 1,
     .high = 10e6,
     .help = "number of frames; the first one is the start"},
	{.key = "frameRate",
     .kind = scene_float,
     .offset = offsetof(drapeSceneTime, frameRate),
     .low = 0.0,
     .high = 10000.0,
     .above = true,
     .unit = "Hz",
     .help = "frames per second of simulated time"},
	{.key = "stepRate",
     .kind = scene_float,
     .offset = offsetof(drapeSceneTime, stepRate),
     .low = 0.0,
     .high = 1e6,
     .above = true,
     .unit = "Hz",
     .isExplicit = true,
     .help =
         "steps per second, an integer multiple of `frameRate`; without it, the multiple that is nearest to 120 Hz"},
};

// A frame rate alone is enough.
static void ChooseStepRate(const json_t* json, void* value)
{
	drapeSceneTime* time = value;
	const json_t* frameRate = json_object_get(json, "frameRate");
	double rate = json_number_value(frameRate);
	if (json_object_get(json, "stepRate") || !(rate > 0.0 && rate <= 10000.0))
		return;
	time->stepRate = (float)rate * fmaxf(1.0f, roundf(typicalStepRate / (float)rate));
}

static bool CheckTime(const SceneObject* object, void* value)
{
	const drapeSceneTime* time = value;
	double steps = (double)time->stepRate / (double)time->frameRate;
	if (steps > 0.5 && steps < 1e6 && fabs(steps - round(steps)) < 1e-4 * steps)
		return true;
	return drapeScene_Fail(object, "stepRate", "stepRate is %.9g times frameRate, expected a whole number of times",
	                       steps);
}

static const SceneSection timeSection = {
	.title = "time",
	.help = "The length of the run, its frames and its steps.",
	SCENE_SECTION_FIELDS(timeFields),
	.size = sizeof(drapeSceneTime),
	.choosePresent = ChooseStepRate,
	.check = CheckTime,
};

// --- filters ---

static const SceneField filterFields[] = {
	{.key = "category",
     .kind = scene_bits,
     .offset = offsetof(drapeFilter, category),
     .help = "the categories that it belongs to"},
	{.key = "mask",
     .kind = scene_bits,
     .offset = offsetof(drapeFilter, mask),
     .help = "the categories that it touches; all without this key"},
};

static void BeginFilter(void* value)
{
	const drapeFilter filter = drapeDefaultFilter();
	memcpy(value, &filter, sizeof filter);
}

const SceneSection drapeSceneFilterSection = {
	.title = "cloths[].filter, colliders[].filter",
	.help = "The cloths and colliders that it touches: a pair touches if each side has a category that the other one's "
			"mask contains. A cloth touches itself with any filter.",
	SCENE_SECTION_FIELDS(filterFields),
	.size = sizeof(drapeFilter),
	.begin = BeginFilter,
};

// --- world ---

static const SceneField worldFields[] = {
	{.key = "gravity",
     .kind = scene_vec3,
     .offset = offsetof(drapeSceneWorldDef, gravity),
     .unit = "m/s^2",
     .help = "acceleration of everything"},
	{.key = "adaptRate",
     .kind = scene_float,
     .offset = offsetof(drapeSceneWorldDef, adaptRate),
     .low = 0.0,
     .high = 1e6,
     .above = true,
     .unit = "Hz",
     .help = "adaptation passes per second of simulated time"},
	{.key = "threads",
     .kind = scene_uint,
     .offset = offsetof(drapeSceneWorldDef, threads),
     .low = 1,
     .high = DRAPE_MAX_WORKERS,
     .help = "threads to use; the result is the same for any number"},
	{.key = "camera",
     .kind = scene_vec3,
     .offset = offsetof(drapeSceneWorldDef, camera),
     .unit = "m",
     .help = "camera position for cloths whose budget depends on the distance to it"},
	{.key = "untangle",
     .kind = scene_bool,
     .offset = offsetof(drapeSceneWorldDef, untangle),
     .help = "removes crossings of the start state before the first step"},
	{.key = "untangleSeconds",
     .kind = scene_float,
     .offset = offsetof(drapeSceneWorldDef, untangleSeconds),
     .low = 0.0,
     .high = 1e6,
     .unit = "s",
     .help = "longest time for `untangle`; 0 for no limit"},
};

static const SceneSection worldSection = {
	.title = "world",
	.help = "Values that all cloths share.",
	SCENE_SECTION_FIELDS(worldFields),
	.size = sizeof(drapeSceneWorldDef),
};

// --- wind ---

enum
{
	maxWindFields = 12,
};

static SceneField windFields[maxWindFields];

static SceneSection windSection = {
	.title = "wind",
	.help = "The air. Without this section the air is still.",
	.fields = windFields,
	.size = sizeof(drapeWindDef),
};

void drapeScene_BuildWind(void)
{
	uint32_t count;
	const drapeParameter* parameters = drapeWindDef_GetParameters(&count);
	windSection.fieldCount = drapeScene_FillFields(windFields, maxWindFields, parameters, count);
}

// --- motions ---

static const SceneField keyFields[] = {
	{.key = "time",
     .kind = scene_float,
     .offset = offsetof(drapeSceneKey, time),
     .low = 0.0,
     .high = 1e6,
     .required = true,
     .unit = "s",
     .help = "time of the key, later than the previous one"},
	SCENE_POSE_FIELDS(drapeSceneKey, pose),
};

static void BeginKey(void* value)
{
	((drapeSceneKey*)value)->pose = drapeScene_DefaultPose();
}

static bool CheckKey(const SceneObject* object, void* value)
{
	return drapeScene_CheckPose(object, &((const drapeSceneKey*)value)->pose);
}

static const SceneSection keySection = {
	.title = "motions[].keys[]",
	.help = "A transform at a time. Between keys the motion is linear; before the first and after the last it rests.",
	SCENE_SECTION_FIELDS(keyFields),
	.size = sizeof(drapeSceneKey),
	.placeOffset = offsetof(drapeSceneKey, place),
	.begin = BeginKey,
	.check = CheckKey,
};

static const SceneField motionFields[] = {
	{.key = "name",
     .kind = scene_text,
     .offset = offsetof(drapeSceneMotion, name),
     .required = true,
     .help = "name for pins and colliders"},
	{.key = "keys",
     .kind = scene_list,
     .offset = offsetof(drapeSceneMotion, keys),
     .countOffset = offsetof(drapeSceneMotion, keyCount),
     .section = &keySection,
     .required = true,
     .help = "the keys, at least one"},
	{.key = "smooth",
     .kind = scene_bool,
     .offset = offsetof(drapeSceneMotion, smooth),
     .help = "eases in and out of every key"},
	{.key = "repeat",
     .kind = scene_bool,
     .offset = offsetof(drapeSceneMotion, repeat),
     .help = "starts again after the last key, which must equal the first"},
	SCENE_UP_FIELD(drapeSceneMotion),
};

// Writes the problem of the motion between two keys; an empty text if there is none.
static void DescribeJump(const drapeSceneKey* from, const drapeSceneKey* to, char* text, size_t capacity)
{
	float seconds = to->time - from->time, distance = Distance(from->pose.position, to->pose.position);
	float turn = Distance(from->pose.axis, to->pose.axis) < 1e-5f ? fabsf(to->pose.angle - from->pose.angle) : 0.0f;
	const float straight = 3.14159265f;
	text[0] = 0;
	if (!(seconds > 0.0f))
		snprintf(text, capacity, "has time %.9g, which is not after %.9g, expected times that increase",
		         (double)to->time, (double)from->time);
	else if (!(distance <= MAX_SPEED * seconds))
		snprintf(text, capacity, "jumps: it moves %.3g m in %.3g s, expected at most %g m/s", (double)distance,
		         (double)seconds, (double)MAX_SPEED);
	else if (turn > straight * 1.0001f)
		snprintf(text, capacity, "turns by %.4g degrees, expected at most 180 from one key to the next",
		         (double)(turn * 180.0f / straight));
}

static bool CheckMotion(const SceneObject* object, void* value)
{
	const drapeSceneMotion* motion = value;
	ScenePath keysPath = drapeScenePath_Key(object->path, "keys");
	json_t* keys = json_object_get(object->json, "keys");
	for (uint32_t i = 1; i < motion->keyCount; ++i)
	{
		char text[160];
		DescribeJump(&motion->keys[i - 1], &motion->keys[i], text, sizeof text);
		ScenePath path = drapeScenePath_Index(&keysPath, i);
		SceneObject key = {object->reader, json_array_get(keys, i), &path};
		if (text[0])
			return drapeScene_Fail(&key, NULL, "key %u of motion \"%s\" %s", i + 1,
			                       drapeQuote(motion->name, strlen(motion->name)).text, text);
	}
	if (motion->repeat && !SamePose(&motion->keys[0].pose, &motion->keys[motion->keyCount - 1].pose))
		return drapeScene_Fail(object, "repeat",
		                       "motion \"%s\" jumps when it repeats, expected a last key equal to the first",
		                       drapeQuote(motion->name, strlen(motion->name)).text);
	return true;
}

static const SceneSection motionSection = {
	.title = "motions[]",
	.help = "Motions that pins and colliders follow.",
	SCENE_SECTION_FIELDS(motionFields),
	.size = sizeof(drapeSceneMotion),
	.placeOffset = offsetof(drapeSceneMotion, place),
	.check = CheckMotion,
};

bool drapeScene_CheckMotionName(const SceneObject* object, const char* key, const char* motion)
{
	const json_t* motions = json_object_get(object->reader->root, "motions");
	SceneGuess guess = drapeSceneGuess_Begin();
	for (size_t i = 0; i < json_array_size(motions); ++i)
	{
		const char* name = json_string_value(json_object_get(json_array_get(motions, i), "name"));
		if (name && strcmp(name, motion) == 0)
			return true;
		if (name)
			drapeSceneGuess_Try(&guess, motion, name, strlen(name));
	}
	if (motion[0] == 0)
		return true;
	Quoted shown = drapeQuote(motion, strlen(motion));
	if (guess.meant[0])
		return drapeScene_Fail(object, key, "there is no motion \"%s\"; did you mean \"%s\"?", shown.text, guess.meant);
	return drapeScene_Fail(object, key, "there is no motion \"%s\", expected the name of one under \"motions\"",
	                       shown.text);
}

// --- colliders ---

// The fields are built once per process (drapeScene_BuildColliders) from drapeColliderShape_GetInfo and drapeColliderShape_GetMeasure, so
// that a new shape needs no change here.

enum
{
	maxMeasures = 16,
};

static char shapeWords[200]; // keys of all shapes, as "sphere|capsule"

// Before the measures of shapes.
static const SceneField colliderHead[] = {
	{.key = "name",
     .kind = scene_text,
     .offset = offsetof(drapeSceneCollider, name),
     .help = "name for messages, pins and attachments"},
	{.key = "shape",
     .kind = scene_choice,
     .offset = offsetof(drapeSceneCollider, def.shape),
     .required = true,
     .words = shapeWords,
     .help = "axes are y; a plane is solid below y = 0; a mesh is triangles from a file"},
};

// After them.
static const SceneField colliderTail[] = {
	{.key = "obj",
     .kind = scene_text,
     .offset = offsetof(drapeSceneCollider, obj),
     .path = true,
     .help = "path of a mesh's OBJ file, relative to the scene; with `$F4`, `%04d` or `####` in it, which stand for "
             "four digits, one file per frame"},
	{.key = "firstFrame",
     .kind = scene_uint,
     .offset = offsetof(drapeSceneCollider, firstFrame),
     .high = 10e6,
     .help = "with one file per frame: the number of the first"},
	{.key = "frames",
     .kind = scene_uint,
     .offset = offsetof(drapeSceneCollider, frames),
     .high = 10e6,
     .help = "with one file per frame: their number; 0 for all there are, without a gap"},
	{.key = "frameRate",
     .kind = scene_float,
     .offset = offsetof(drapeSceneCollider, frameRate),
     .high = 10000.0,
     .above = true,
     .unit = "Hz",
     .help = "with one file per frame: files per second; between files, vertices move linearly"},
	{.key = "repeat",
     .kind = scene_bool,
     .offset = offsetof(drapeSceneCollider, repeat),
     .help = "with one file per frame: the first follows the last; otherwise the last one stays"},
	SCENE_UP_FIELD(drapeSceneCollider),
	SCENE_POSE_FIELDS(drapeSceneCollider, pose),
	{.key = "friction",
     .kind = scene_float,
     .offset = offsetof(drapeSceneCollider, def.friction),
     .low = 0.0,
     .high = 1000.0,
     .help = "friction coefficient, multiplied with the cloth's"},
	{.key = "motion",
     .kind = scene_text,
     .offset = offsetof(drapeSceneCollider, motion),
     .text = "",
     .help = "name of its motion, applied after its own transform"},
	SCENE_TIME_FIELDS(drapeSceneCollider, def.start, def.end),
	{.key = "filter",
     .kind = scene_section,
     .offset = offsetof(drapeSceneCollider, def.filter),
     .section = &drapeSceneFilterSection},
	{.key = "colour",
     .kind = scene_colour,
     .offset = offsetof(drapeSceneCollider, colour),
     .help = "colour in pictures; grey without it"},
	{.key = "drawnScale",
     .kind = scene_float,
     .offset = offsetof(drapeSceneCollider, drawnScale),
     .low = 0.0,
     .high = 1.0,
     .above = true,
     .help = "scale of its drawing: below 1 it does not show through coarse cloth (Simnett 2012 uses 0.95)"},
};

static void BeginCollider(void* value)
{
	drapeSceneCollider* collider = value;
	collider->pose = drapeScene_DefaultPose();
	collider->firstFrame = 1;
	collider->frameRate = 30.0f;
	collider->def.friction = 1.0f;
	collider->def.filter = drapeDefaultFilter();
	collider->drawnScale = 1.0f;
}

static bool HasMeasure(const drapeColliderShapeInfo* info, const drapeParameter* measure)
{
	for (uint32_t i = 0; i < info->measureCount; ++i)
		if (info->measures[i] == measure)
			return true;
	return false;
}

// A key that only some shapes have must be given for these, and for no others.
static bool CheckShapeKey(const SceneObject* object, const drapeColliderShapeInfo* info, const char* key, bool isNeeded)
{
	bool given = json_object_get(object->json, key) != NULL;
	if (given && !isNeeded)
		return drapeScene_Fail(object, key, "a %s has no %s, expected none", info->key, key);
	if (!given && isNeeded)
		return drapeScene_Fail(object, NULL, "%s is missing, expected one because this is a %s", key, info->key);
	return true;
}

static bool CheckVector(const SceneObject* object, const drapeParameter* measure, const drapeVec3* value)
{
	const float low = (float)measure->low;
	if (value->x > low && value->y > low && value->z > low)
		return true;
	return drapeScene_Fail(object, measure->key,
	                       "%s has a side that is not greater than %g, expected three lengths greater than %g (%s)",
	                       measure->key, measure->low, measure->low, measure->unit);
}

static bool CheckMeasures(const SceneObject* object, const drapeColliderShapeInfo* info)
{
	const drapeParameter* measure;
	for (uint32_t i = 0; (measure = drapeColliderShape_GetMeasure(i)) != NULL; ++i)
		if (!CheckShapeKey(object, info, measure->key, HasMeasure(info, measure)))
			return false;
	return CheckShapeKey(object, info, "obj", info->isMesh);
}

static bool CheckVectors(const SceneObject* object, const drapeColliderShapeInfo* info, drapeColliderDef def)
{
	for (uint32_t i = 0; i < info->measureCount; ++i)
	{
		uint32_t count;
		const float* value = drapeColliderShape_GetMeasureValues(info->measures[i], &def, &count);
		if (count == 3 && !CheckVector(object, info->measures[i], &(drapeVec3){value[0], value[1], value[2]}))
			return false;
	}
	return true;
}

// Checks the keys of one file per frame, and the $F in the path.
static bool CheckFiles(const SceneObject* object, const drapeSceneCollider* collider,
                       const drapeColliderShapeInfo* info)
{
	static const char* const keys[] = {"firstFrame", "frames", "frameRate", "repeat"};
	bool isSequence = info->isMesh && drapeFrameName_IsSequence(collider->obj);
	for (int i = 0; i < 4; ++i)
		if (!isSequence && json_object_get(object->json, keys[i]))
			return drapeScene_Fail(object, keys[i], "%s needs a file for each frame, expected an obj with $F4 in it",
			                       keys[i]);
	if (info->isMesh && collider->obj[0] == 0)
		return drapeScene_Fail(object, "obj", "obj is empty, expected the path of an OBJ file");
	if (info->isMesh && !drapeFrameName_IsValid(collider->obj))
		return drapeScene_Fail(object, "obj", "obj has a $ that stands for nothing, expected $F4 once");
	return true;
}

static bool CheckCollider(const SceneObject* object, void* value)
{
	const drapeSceneCollider* collider = value;
	const drapeColliderShapeInfo* info = drapeColliderShape_GetInfo(collider->def.shape);
	return CheckMeasures(object, info) && CheckFiles(object, collider, info) &&
	       drapeScene_CheckPose(object, &collider->pose) &&
	       drapeScene_CheckMotionName(object, "motion", collider->motion) &&
	       drapeScene_CheckTimes(object, collider->def.start, collider->def.end) &&
	       CheckVectors(object, info, collider->def);
}

enum
{
	headCount = sizeof colliderHead / sizeof colliderHead[0],
	tailCount = sizeof colliderTail / sizeof colliderTail[0],
};

static SceneField colliderFields[headCount + maxMeasures + tailCount];

static SceneSection colliderSection = {
	.title = "colliders[]",
	.help = "Obstacles for cloths.",
	.fields = colliderFields,
	.size = sizeof(drapeSceneCollider),
	.placeOffset = offsetof(drapeSceneCollider, place),
	.begin = BeginCollider,
	.check = CheckCollider,
};

void drapeScene_BuildColliders(void)
{
	const drapeColliderShapeInfo* info;
	size_t used = 0;
	for (int i = 0; (info = drapeColliderShape_GetInfo((drapeColliderShape)i)) != NULL && used < sizeof shapeWords; ++i)
		used += (size_t)snprintf(shapeWords + used, sizeof shapeWords - used, "%s%s", i > 0 ? "|" : "", info->key);
	assert(used < sizeof shapeWords);
	const drapeParameter* measure;
	int count = headCount;
	memcpy(colliderFields, colliderHead, sizeof colliderHead);
	for (uint32_t i = 0; i < maxMeasures && (measure = drapeColliderShape_GetMeasure(i)) != NULL; ++i)
	{
		colliderFields[count] = drapeScene_ParameterField(measure);
		colliderFields[count++].offset += offsetof(drapeSceneCollider, def);
	}
	memcpy(colliderFields + count, colliderTail, sizeof colliderTail);
	colliderSection.fieldCount = count + tailCount;
}

// --- objects ---

static const SceneField objectFields[] = {
	{.key = "name", .kind = scene_text, .offset = offsetof(drapeSceneObject, name), .help = "name for messages"},
	{.key = "obj",
     .kind = scene_text,
     .offset = offsetof(drapeSceneObject, obj),
     .required = true,
     .path = true,
     .help = "path of an OBJ file, relative to the scene; with `$F4`, `%04d` or `####` in it, which stand for four "
             "digits, one file per frame"},
	{.key = "firstFrame",
     .kind = scene_uint,
     .offset = offsetof(drapeSceneObject, firstFrame),
     .high = 10e6,
     .help = "with one file per frame: the number of the first"},
	{.key = "frameRate",
     .kind = scene_float,
     .offset = offsetof(drapeSceneObject, frameRate),
     .high = 10000.0,
     .above = true,
     .unit = "Hz",
     .help = "with one file per frame: files per second"},
	SCENE_UP_FIELD(drapeSceneObject),
	SCENE_POSE_FIELDS(drapeSceneObject, pose),
	{.key = "colour",
     .kind = scene_colour,
     .offset = offsetof(drapeSceneObject, colour),
     .help = "colour in pictures; grey without it"},
};

static void BeginObject(void* value)
{
	drapeSceneObject* object = value;
	object->pose = drapeScene_DefaultPose();
	object->firstFrame = 1;
	object->frameRate = 30.0f;
}

static bool CheckObject(const SceneObject* object, void* value)
{
	const drapeSceneObject* shown = value;
	if (shown->obj[0] == 0)
		return drapeScene_Fail(object, "obj", "obj is empty, expected the path of an OBJ file");
	return drapeScene_CheckPose(object, &shown->pose);
}

static const SceneSection objectSection = {
	.title = "objects[]",
	.help = "Meshes that are only drawn: cloth passes through them. `drape studio` can turn them into cloth.",
	SCENE_SECTION_FIELDS(objectFields),
	.size = sizeof(drapeSceneObject),
	.placeOffset = offsetof(drapeSceneObject, place),
	.begin = BeginObject,
	.check = CheckObject,
};

// --- output ---

static const SceneField outputFields[] = {
	{.key = "name",
     .kind = scene_text,
     .offset = offsetof(drapeSceneOutput, name),
     .text = "$CLOTH.$F4",
     .help = "name of the files, without ending: `$CLOTH` stands for the cloth's name, `$F4` for the frame's number "
             "with four digits"},
	{.key = "formats",
     .kind = scene_flags,
     .offset = offsetof(drapeSceneOutput, formats),
     .words = "obj|ply|pc2",
     .help = "`obj` and `ply` write one file per frame; `pc2` writes one for all and needs a fixed topology"},
	{.key = "topology",
     .kind = scene_choice,
     .offset = offsetof(drapeSceneOutput, topology),
     .words = "adaptive|fixed",
     .help = "`adaptive` writes the active mesh, which changes; `fixed` writes the pattern, evaluated on the cloth"},
	{.key = "level",
     .kind = scene_uint,
     .offset = offsetof(drapeSceneOutput, level),
     .high = 8,
     .help = "for `fixed`: number of refinements of the pattern, each into four"},
	{.key = "firstFrame",
     .kind = scene_uint,
     .offset = offsetof(drapeSceneOutput, firstFrame),
     .high = 10e6,
     .help = "number of the first frame"},
	{.key = "snapshotEvery",
     .kind = scene_uint,
     .offset = offsetof(drapeSceneOutput, snapshotEvery),
     .low = 1,
     .high = 10e6,
     .unit = "frames",
     .help = "frames between snapshots: the most that `--resume` repeats"},
};

// Returns false for a `$` without a meaning.
static bool HasKnownVariables(const char* name, bool* frame, bool* cloth)
{
	*frame = *cloth = false;
	for (const char* s = strchr(name, '$'); s; s = strchr(s + 1, '$'))
	{
		if (strncmp(s, "$CLOTH", 6) == 0)
			*cloth = true;
		else if (s[1] == 'F')
			*frame = true;
		else
			return false;
	}
	return true;
}

static bool CheckOutput(const SceneObject* object, void* value)
{
	const drapeSceneOutput* output = value;
	bool frame, cloth;
	size_t cloths = json_array_size(json_object_get(object->reader->root, "cloths"));
	if (output->name[0] == 0 || strchr(output->name, '/'))
		return drapeScene_Fail(object, "name",
		                       "name is not a file name, expected one without folders, such as $CLOTH.$F4");
	if (!HasKnownVariables(output->name, &frame, &cloth))
		return drapeScene_Fail(object, "name", "name has a $ that stands for nothing, expected $CLOTH or $F4");
	if (!frame && (output->formats & (drape_sceneFormatObj | drape_sceneFormatPly)))
		return drapeScene_Fail(object, "name", "all frames would have one name, expected $F4 in it");
	if (!cloth && cloths > 1)
		return drapeScene_Fail(object, "name", "all cloths would have one name, expected $CLOTH in it");
	if ((output->formats & drape_sceneFormatPc2) && output->topology != drape_sceneFixed)
		return drapeScene_Fail(object, "formats",
		                       "pc2 cannot hold a mesh that changes, expected \"topology\": \"fixed\"");
	return true;
}

static const SceneSection outputSection = {
	.title = "output",
	.help = "The output of `drape run`. Command-line options take precedence.",
	SCENE_SECTION_FIELDS(outputFields),
	.size = sizeof(drapeSceneOutput),
	.check = CheckOutput,
};

// --- the whole ---

static const SceneField rootFields[] = {
	{.key = "$schema", .kind = scene_note, .help = "path of `scene.schema.json`, for editors"},
	{.key = "version",
     .kind = scene_uint,
     .offset = offsetof(drapeScene, version),
     .low = 1,
     .high = 1,
     .help = "version of this format"},
	{.key = "name", .kind = scene_text, .offset = offsetof(drapeScene, name), .help = "title, shown in reports"},
	{.key = "about", .kind = scene_text, .offset = offsetof(drapeScene, about), .help = "description of the scene"},
	{.key = "time", .kind = scene_section, .offset = offsetof(drapeScene, time), .section = &timeSection},
	{.key = "world", .kind = scene_section, .offset = offsetof(drapeScene, world), .section = &worldSection},
	{.key = "wind", .kind = scene_section, .offset = offsetof(drapeScene, wind), .section = &windSection},
	{.key = "motions",
     .kind = scene_list,
     .offset = offsetof(drapeScene, motions),
     .countOffset = offsetof(drapeScene, motionCount),
     .section = &motionSection},
	{.key = "colliders",
     .kind = scene_list,
     .offset = offsetof(drapeScene, colliders),
     .countOffset = offsetof(drapeScene, colliderCount),
     .section = &colliderSection},
	{.key = "objects",
     .kind = scene_list,
     .offset = offsetof(drapeScene, objects),
     .countOffset = offsetof(drapeScene, objectCount),
     .section = &objectSection},
	{.key = "cloths",
     .kind = scene_list,
     .offset = offsetof(drapeScene, cloths),
     .countOffset = offsetof(drapeScene, clothCount),
     .section = &drapeSceneClothSection},
	{.key = "camera",
     .kind = scene_section,
     .offset = offsetof(drapeScene, camera),
     .section = &drapeSceneCameraSection},
	{.key = "output", .kind = scene_section, .offset = offsetof(drapeScene, output), .section = &outputSection},
};

static void BeginRoot(void* value)
{
	drapeScene* scene = value;
	scene->version = 1;
	scene->time = (drapeSceneTime){.frames = 100, .frameRate = 30.0f, .stepRate = typicalStepRate};
	scene->world = (drapeSceneWorldDef){.gravity = {0.0f, -9.81f, 0.0f},
	                                    .adaptRate = 30.0f,
	                                    .threads = 1,
	                                    .camera = {0.0f, 1.0f, 4.0f},
	                                    .untangleSeconds = drapeDefaultUntangleDef().seconds};
	scene->wind = drapeDefaultWindDef();
	scene->camera = drapeScene_DefaultCamera();
	scene->output = (drapeSceneOutput){.formats = drape_sceneFormatObj, .firstFrame = 1, .snapshotEvery = 1};
}

// Sets the error at the second of two entries of `list` with the same name. Names become file names and references.
static bool CheckUnique(const SceneObject* root, const char* list)
{
	json_t *array = json_object_get(root->json, list), *seen = json_object();
	ScenePath listPath = drapeScenePath_Key(root->path, list);
	bool unique = true;
	for (size_t i = 0; unique && i < json_array_size(array); ++i)
	{
		ScenePath path = drapeScenePath_Index(&listPath, i);
		SceneObject entry = {root->reader, json_array_get(array, i), &path};
		json_t* value = json_object_get(entry.json, "name");
		const char* name = json_string_value(value);
		if (json_object_get(seen, name))
			unique = drapeScene_Fail(&entry, "name", "name \"%s\" is taken, expected one that no other entry of %s has",
			                         drapeQuote(name, strlen(name)).text, list);
		else if (json_object_set(seen, name, value) != 0)
			unique = drapeScene_FailMemory(root->reader);
	}
	json_decref(seen);
	return unique;
}

static bool CheckRoot(const SceneObject* object, void* value)
{
	(void)value;
	return CheckUnique(object, "motions") && CheckUnique(object, "cloths");
}

const SceneSection drapeSceneRootSection = {
	.title = "scene",
	.help = "The file is one object.",
	SCENE_SECTION_FIELDS(rootFields),
	.size = sizeof(drapeScene),
	.begin = BeginRoot,
	.check = CheckRoot,
};
