// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Colliders of a scene. Creating the world reads all files of a deforming mesh, so that an error in the last file is
// reported before a long run and a step opens no file.

// The largest coordinate of a collider, m.
#define LARGEST_COORDINATE 1e9f

// --- messages ---

typedef struct ColliderTitle
{
	char text[100];
} ColliderTitle;

// Names appear in messages and are optional.
static ColliderTitle TitleOf(const SceneCreation* creation, uint32_t index)
{
	const char* name = creation->scene->colliders[index].name;
	ColliderTitle title;
	if (name[0])
		snprintf(title.text, sizeof title.text, "collider \"%s\"", drapeQuote(name, strlen(name)).text);
	else
		snprintf(title.text, sizeof title.text, "collider %u", index + 1);
	return title;
}

static drapeResult FailMemory(const SceneCreation* creation)
{
	return drapeFileError_Set(creation->error, drape_errorMemory, creation->scene->path, 0, "out of memory");
}

static drapeResult FailFile(const SceneCreation* creation, uint32_t index, drapeResult result,
                            const drapeMessage* message)
{
	if (result == drape_errorMemory)
		return FailMemory(creation);
	return drapeFileError_SetPlace(creation->error, result, creation->scene->path,
	                               creation->scene->colliders[index].place, "%s: %.300s", TitleOf(creation, index).text,
	                               message->text[0] ? message->text : drapeResult_GetText(result));
}

static const char* Plural(uint32_t count)
{
	return count == 1 ? "" : "s";
}

// Writes one sentence about doubtful triangles that are accepted.
static void Warn(const SceneCreation* creation, uint32_t index, const drapeObj* obj, const drapeColliderReport* report)
{
	char text[500];
	size_t used = 0;
	if (report->dropped > 0)
		used += (size_t)snprintf(text + used, sizeof text - used,
		                         "; %u of %u triangles left out for having no area, the first in line %u",
		                         report->dropped, report->triangles, obj->triangleLines[report->firstDropped]);
	if (report->nonManifoldEdges > 0)
		used += (size_t)snprintf(text + used, sizeof text - used, "; more than two triangles at %u edge%s",
		                         report->nonManifoldEdges, Plural(report->nonManifoldEdges));
	if (report->flippedEdges > 0)
		used +=
			(size_t)snprintf(text + used, sizeof text - used, "; triangles that wind against each other at %u edge%s",
		                     report->flippedEdges, Plural(report->flippedEdges));
	if (!report->isClosed)
		used += (size_t)snprintf(text + used, sizeof text - used,
		                         "; not closed, with one triangle at %u edge%s: a sheet with two sides and no inside",
		                         report->boundaryEdges, Plural(report->boundaryEdges));
	if (report->isTurned)
		used += (size_t)snprintf(text + used, sizeof text - used, "; inside out, and has been turned over");
	if (used == 0)
		return;
	drapeMessage* warning = &creation->made->warnings[creation->made->warningCount++];
	drapeFileError_SetPlace(warning, drape_errorData, creation->scene->path, creation->scene->colliders[index].place,
	                        "%s: %s", TitleOf(creation, index).text, text + 2);
	warning->result = drape_ok;
}

// --- files ---

// Returns the path of a file, with the variable in the name replaced by the frame number: the first frame plus an
// offset. DRAPE_NONE keeps the variable. Returns NULL if memory runs out; free it with drapeScene_FreeText.
static char* PathOf(const drapeScene* scene, const drapeSceneCollider* collider, uint32_t index)
{
	const char *name = collider->obj, *folder = name[0] == '/' ? "" : scene->folder;
	size_t before = strlen(folder);
	char* pattern = drapeAlloc(before + strlen(name) + 1);
	if (!pattern)
		return NULL;
	memcpy(pattern, folder, before);
	strcpy(pattern + before, name);
	if (index == DRAPE_NONE)
		return pattern;
	int length = drapeFrameName_Format(pattern, collider->firstFrame + index, NULL, 0);
	char* path = drapeAlloc((size_t)length + 1);
	if (path)
		drapeFrameName_Format(pattern, collider->firstFrame + index, path, (size_t)length + 1);
	drapeScene_FreeText(pattern);
	return path;
}

// The first number from `first` on without a file.
static uint32_t FindMissing(const char* pattern, uint32_t first, char* path, size_t capacity)
{
	uint32_t frame = first;
	while (drapeFrameName_Format(pattern, frame, path, capacity) < (int)capacity && access(path, F_OK) == 0)
		++frame;
	return frame;
}

// Counts the files if the scene does not give their number. The first has been read. A missing file is an error, not
// the end of the sequence.
static drapeResult CountFiles(const drapeScene* scene, const drapeSceneCollider* collider, uint32_t* count,
                              drapeMessage* message)
{
	*count = collider->frames;
	if (collider->frames > 0)
		return drape_ok;
	char* pattern = PathOf(scene, collider, DRAPE_NONE);
	drapeFrameRange range;
	drapeResult result =
		pattern ? drapeFrameName_FindRange(pattern, collider->firstFrame, &range, NULL) : drape_errorMemory;
	// A sequence of folders, or a folder that may not be listed: the one file that was read.
	bool isListed = result == drape_ok && range.count > 0;
	*count = isListed ? range.last - collider->firstFrame + 1 : 1;
	if (isListed && range.count < *count)
	{
		char missing[4096];
		FindMissing(pattern, collider->firstFrame, missing, sizeof missing);
		result = drapeFileError_Set(message, drape_errorData, missing, 0,
		                            "is missing, but the sequence goes on up to number %u; \"frames\" ends it earlier",
		                            range.last);
	}
	else if (result != drape_errorMemory)
		result = drape_ok;
	if (pattern)
		drapeScene_FreeText(pattern);
	return result;
}

// Names the files that exist, if the first one is missing.
static drapeResult FailFirst(const drapeScene* scene, const drapeSceneCollider* collider, const char* path,
                             drapeMessage* message)
{
	char* pattern = PathOf(scene, collider, DRAPE_NONE);
	drapeFrameRange range;
	drapeResult result = pattern ? drapeFrameName_FindRange(pattern, 0, &range, NULL) : drape_errorMemory;
	if (result == drape_ok && range.count > 0)
		drapeFileError_Set(message, drape_errorFile, path, 0,
		                   "there is no such file; the files of this sequence begin with number %u, expected "
		                   "\"firstFrame\": %u",
		                   range.first, range.first);
	if (pattern)
		drapeScene_FreeText(pattern);
	return result == drape_errorMemory ? drape_errorMemory : drape_errorFile;
}

static drapeResult CheckRange(const drapeObj* obj, const char* path, drapeMessage* message)
{
	for (uint32_t i = 0; i < obj->mesh.vertexCount; ++i)
	{
		drapeVec3 p = obj->mesh.positions[i];
		if (!(fabsf(p.x) <= LARGEST_COORDINATE && fabsf(p.y) <= LARGEST_COORDINATE && fabsf(p.z) <= LARGEST_COORDINATE))
			return drapeFileError_Set(message, drape_errorData, path, obj->vertexLines[i],
			                          "vertex %u is beyond %g m, expected a collider of this world", i + 1,
			                          (double)LARGEST_COORDINATE);
	}
	return drape_ok;
}

// `vertexCount` is the required number of vertices; 0 for any.
static drapeResult ReadFile(const drapeScene* scene, const drapeSceneCollider* collider, uint32_t index,
                            uint32_t vertexCount, drapeObj* obj, drapeMessage* message)
{
	*obj = (drapeObj){0};
	char* path = PathOf(scene, collider, index);
	if (!path)
		return drape_errorMemory;
	drapeResult result = drapeObj_Read(path, obj, message);
	if (result == drape_errorFile && vertexCount == 0 && drapeFrameName_IsSequence(collider->obj) &&
	    access(path, F_OK) != 0)
		result = FailFirst(scene, collider, path, message);
	if (result == drape_ok)
		result = CheckRange(obj, path, message);
	if (result == drape_ok && vertexCount > 0 && obj->mesh.vertexCount != vertexCount)
		result =
			drapeFileError_Set(message, drape_errorData, path, 0, "has %u vertices, expected %u as in the first file",
		                       obj->mesh.vertexCount, vertexCount);
	drapeScene_FreeText(path);
	if (result != drape_ok)
		drapeObj_Free(obj);
	else
		drapeSceneUp_Apply(collider->up, obj);
	return result;
}

// --- sequences ---

void drapeSceneSequence_Free(drapeSceneSequence* sequence)
{
	drapeFree(sequence->frames, (size_t)sequence->frameCount * sequence->vertexCount * sizeof(drapeVec3));
	drapeFree(sequence->between, sequence->vertexCount * sizeof(drapeVec3));
	*sequence = (drapeSceneSequence){0};
}

static drapeResult AddFrame(const drapeScene* scene, const drapeSceneCollider* collider, uint32_t index,
                            drapeSceneSequence* sequence, drapeMessage* message)
{
	drapeObj obj;
	drapeResult result = ReadFile(scene, collider, index, sequence->vertexCount, &obj, message);
	if (result != drape_ok)
		return result;
	memcpy(sequence->frames + (size_t)index * sequence->vertexCount, obj.mesh.positions,
	       sequence->vertexCount * sizeof(drapeVec3));
	drapeObj_Free(&obj);
	return drape_ok;
}

// The first file has been read.
static drapeResult ReadSequence(const drapeScene* scene, const drapeSceneCollider* collider, const drapeMesh* first,
                                drapeSceneSequence* sequence, drapeMessage* message)
{
	*sequence = (drapeSceneSequence){
		.vertexCount = first->vertexCount, .frameRate = collider->frameRate, .repeat = collider->repeat};
	drapeResult result = CountFiles(scene, collider, &sequence->frameCount, message);
	if (result != drape_ok)
		return result;
	size_t frameSize = first->vertexCount * sizeof(drapeVec3);
	sequence->frames = drapeAlloc(sequence->frameCount * frameSize);
	sequence->between = drapeAlloc(frameSize);
	if (!sequence->frames || !sequence->between)
		return drape_errorMemory;
	memcpy(sequence->frames, first->positions, frameSize);
	for (uint32_t i = 1; result == drape_ok && i < sequence->frameCount; ++i)
		result = AddFrame(scene, collider, i, sequence, message);
	return result;
}

static double EndOf(const drapeSceneSequence* sequence)
{
	return (double)(sequence->frameCount - 1) / (double)sequence->frameRate;
}

// Computes the vertices at a time in seconds. They depend only on the world's time, so that every run gets the same
// numbers.
static const drapeVec3* PositionsAt(const drapeSceneSequence* sequence, double time)
{
	double frame = time * (double)sequence->frameRate;
	uint32_t count = sequence->frameCount, vertices = sequence->vertexCount;
	frame = sequence->repeat ? fmod(frame, (double)count) : fmin(frame, (double)(count - 1));
	uint32_t first = (uint32_t)frame, second = first + 1 < count ? first + 1 : sequence->repeat ? 0 : first;
	float share = (float)(frame - (double)first);
	const drapeVec3 *a = sequence->frames + (size_t)first * vertices, *b = sequence->frames + (size_t)second * vertices;
	for (uint32_t i = 0; i < vertices; ++i)
		sequence->between[i] = (drapeVec3){a[i].x + share * (b[i].x - a[i].x), a[i].y + share * (b[i].y - a[i].y),
		                                   a[i].z + share * (b[i].z - a[i].z)};
	return sequence->between;
}

drapeResult drapeSceneWorld_Step(drapeSceneWorld* world, float dt)
{
	if (!world)
		return drape_errorArgument;
	double now = drapeWorld_GetTime(world->world);
	for (uint32_t i = 0; i < world->sequenceCount; ++i)
	{
		const drapeSceneSequence* sequence = &world->sequences[i];
		// A sequence at its end stands still and costs nothing.
		if (sequence->frameCount == 1 || (!sequence->repeat && now >= EndOf(sequence)))
			continue;
		drapeResult result = drapeCollider_SetPositions(sequence->collider, PositionsAt(sequence, now + (double)dt),
		                                                sequence->vertexCount);
		if (result != drape_ok)
			return result;
	}
	for (uint32_t i = 0; i < world->clothCount; ++i)
	{
		drapeMotionId motion = world->frames[i];
		if (motion.index1 > 0 && world->cloths[i].index1 > 0)
			drapeCloth_SetFrame(world->cloths[i], drapeMotion_GetTransform(motion, now + (double)dt));
	}
	return drapeWorld_Step(world->world, dt);
}

// --- creating ---

static void HashMesh(drapeSceneWorld* made, const drapeObj* obj, const drapeSceneSequence* sequence)
{
	uint64_t hash = made->meshHash ? made->meshHash : SCENE_HASH_SEED;
	hash = drapeScene_Hash(hash, obj->mesh.positions, obj->mesh.vertexCount * sizeof(drapeVec3));
	hash = drapeScene_Hash(hash, obj->mesh.triangles, 3 * (size_t)obj->mesh.triangleCount * sizeof(uint32_t));
	if (sequence)
		hash = drapeScene_Hash(hash, sequence->frames,
		                       (size_t)sequence->frameCount * sequence->vertexCount * sizeof(drapeVec3));
	made->meshHash = hash;
}

static drapeResult CreateFromObj(const SceneCreation* creation, uint32_t index, drapeColliderDef* def,
                                 const drapeObj* obj)
{
	drapeColliderReport report = {.firstDropped = DRAPE_NONE};
	drapeSceneWorld* made = creation->made;
	def->mesh = &obj->mesh;
	def->report = &report;
	drapeResult result = drapeCreateCollider(made->world, def, &made->colliders[index]);
	if (result == drape_ok)
	{
		Warn(creation, index, obj, &report);
		return drape_ok;
	}
	if (!report.problem)
		return drapeScene_FailWorld(creation, result, creation->scene->colliders[index].place, "collider",
		                            creation->scene->colliders[index].name);
	drapeMessage message = {0};
	snprintf(message.text, sizeof message.text, "%s cannot be a collider: %s", creation->scene->colliders[index].obj,
	         report.problem);
	return FailFile(creation, index, drape_errorData, &message);
}

static drapeResult CreateMesh(const SceneCreation* creation, uint32_t index, drapeColliderDef* def)
{
	const drapeSceneCollider* collider = &creation->scene->colliders[index];
	drapeSceneWorld* made = creation->made;
	drapeMessage message = {0};
	drapeObj obj;
	drapeResult result = ReadFile(creation->scene, collider, 0, 0, &obj, &message);
	if (result != drape_ok)
		return FailFile(creation, index, result, &message);
	drapeSceneSequence* sequence =
		drapeFrameName_IsSequence(collider->obj) ? &made->sequences[made->sequenceCount] : NULL;
	if (sequence)
	{
		made->sequenceCount++;
		result = ReadSequence(creation->scene, collider, &obj.mesh, sequence, &message);
	}
	if (result == drape_ok)
	{
		HashMesh(made, &obj, sequence);
		result = CreateFromObj(creation, index, def, &obj);
	}
	else
		result = FailFile(creation, index, result, &message);
	if (sequence)
		sequence->collider = made->colliders[index];
	drapeObj_Free(&obj);
	return result;
}

drapeColliderDef drapeSceneCollider_GetDef(const drapeSceneCollider* collider, drapeMotionId motion)
{
	if (!collider)
		return drapeDefaultColliderDef();
	drapeColliderDef def = collider->def;
	def.mesh = NULL;
	def.report = NULL;
	def.transform = drapeScenePose_GetTransform(collider->pose);
	def.motion = motion;
	def.cookie = drapeDefaultColliderDef().cookie;
	return def;
}

drapeResult drapeSceneCollider_Create(const SceneCreation* creation, uint32_t index, drapeMotionId motion)
{
	const drapeSceneCollider* collider = &creation->scene->colliders[index];
	drapeColliderDef def = drapeSceneCollider_GetDef(collider, motion);
	if (drapeColliderShape_GetInfo(collider->def.shape)->isMesh)
		return CreateMesh(creation, index, &def);
	drapeResult result = drapeCreateCollider(creation->made->world, &def, &creation->made->colliders[index]);
	return result == drape_ok ? drape_ok
	                          : drapeScene_FailWorld(creation, result, collider->place, "collider", collider->name);
}
