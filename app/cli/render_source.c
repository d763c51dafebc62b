// SPDX-License-Identifier: MIT
#include "render.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- opening ---

// A folder's files contain no colliders, so the world of the scene is created without its cloths.
static drapeResult CreateWorld(RenderSource* source, drapeMessage* error)
{
	uint32_t clothCount = source->scene->clothCount;
	if (source->isFolder)
		source->scene->clothCount = 0;
	drapeResult result = drapeScene_CreateWorld(source->scene, source->threads, &source->made, error);
	source->scene->clothCount = clothCount;
	source->index = 0;
	return result;
}

// Finds the scene of a run. A missing scene is no error: the run may have been moved.
static void FindScene(RenderSource* source, const char* folder)
{
	char path[RUN_PATH + 32];
	snprintf(path, sizeof path, "%s/stats.json", folder);
	json_t* object = source->files.hasManifest ? NULL : json_load_file(path, 0, NULL);
	const char* scenePath = object ? json_string_value(json_object_get(object, "scene")) : source->files.manifest.scene;
	drapeMessage ignored;
	if (scenePath)
		drapeScene_Read(scenePath, &source->scene, &ignored);
	json_decref(object);
}

static drapeResult OpenFolder(RenderSource* source, const char* path, const char* scenePath, drapeMessage* error)
{
	drapeResult result = RenderFiles_Open(&source->files, path, error);
	if (result == drape_ok && scenePath)
		result = drapeScene_Read(scenePath, &source->scene, error);
	else if (result == drape_ok)
		FindScene(source, path);
	if (result != drape_ok)
		return result;
	source->firstFrame = source->files.first;
	source->frameCount = source->files.last - source->files.first + 1;
	source->frameRate = source->scene ? source->scene->time.frameRate : 30.0f;
	source->clothCount = source->files.sequenceCount;
	return source->scene ? CreateWorld(source, error) : drape_ok;
}

static drapeResult OpenScene(RenderSource* source, const char* path, drapeMessage* error)
{
	drapeResult result = SceneSet_Read(path, source->set, &source->scene, error);
	if (result != drape_ok)
		return result;
	if (source->scene->clothCount == 0)
		return Run_Fail(error, drape_errorData, "%s: there is no cloth in this scene", path);
	source->firstFrame = source->scene->output.firstFrame;
	source->frameCount = source->scene->time.frames;
	source->frameRate = source->scene->time.frameRate;
	source->clothCount = source->scene->clothCount;
	return CreateWorld(source, error);
}

// A sequence of files has the name of its cloth.
const drapeSceneCloth* RenderSource_Cloth(const RenderSource* source, uint32_t cloth)
{
	for (uint32_t i = 0; source->scene && i < source->scene->clothCount; ++i)
	{
		const drapeSceneCloth* of = &source->scene->cloths[i];
		bool same = !source->isFolder ? i == cloth
		                              : strncmp(of->name, source->files.sequences[cloth].name, strlen(of->name)) == 0;
		if (same)
			return of;
	}
	return NULL;
}

// Returns the scene's look; missing values follow from the material.
static drapeLook LookOf(const RenderSource* source, uint32_t cloth)
{
	drapeMaterial material = drapeDefaultMaterial();
	const drapeSceneCloth* of = RenderSource_Cloth(source, cloth);
	if (!of)
		return drapeDefaultLook(&material, cloth);
	return drapeLook_FromScene(of, (uint32_t)(of - source->scene->cloths));
}

drapeResult RenderSource_Open(RenderSource* source, const char* path, const char* scenePath, const CliList* set,
                              uint32_t threads, drapeMessage* error)
{
	*source = (RenderSource){.threads = threads, .set = set};
	struct stat status;
	if (stat(path, &status) != 0)
		return Run_Fail(error, drape_errorFile, "%s: %s", path, strerror(errno));
	source->isFolder = S_ISDIR(status.st_mode);
	drapeResult result = source->isFolder ? OpenFolder(source, path, scenePath, error) : OpenScene(source, path, error);
	if (result != drape_ok)
		return result;
	source->shapeCount = source->made.colliderCount;
	source->cloths = calloc(source->clothCount + 1, sizeof *source->cloths);
	source->shapes = calloc(source->shapeCount + 1, sizeof *source->shapes);
	source->meshes = calloc(source->shapeCount + 1, sizeof *source->meshes);
	source->colliderMeshCount = source->shapeCount;
	source->colliderMeshes = calloc(source->shapeCount + 1, sizeof *source->colliderMeshes);
	if (!source->cloths || !source->shapes || !source->meshes || !source->colliderMeshes)
		return drape_errorMemory;
	for (uint32_t i = 0; i < source->clothCount; ++i)
		source->cloths[i].look = LookOf(source, i);
	return drape_ok;
}

void RenderSource_Close(RenderSource* source)
{
	RenderFiles_Close(&source->files);
	for (uint32_t i = 0; source->colliderMeshes && i < source->colliderMeshCount; ++i)
		RenderMesh_Free(&source->colliderMeshes[i]);
	free(source->colliderMeshes);
	free(source->meshes);
	free(source->points);
	drapeSceneWorld_Destroy(&source->made);
	drapeScene_Free(source->scene);
	free(source->cloths);
	free(source->shapes);
	free(source->touching);
	*source = (RenderSource){0};
}

// --- frames ---

static drapeResult Step(RenderSource* source)
{
	const drapeSceneTime* time = &source->scene->time;
	uint32_t steps = (uint32_t)lround((double)time->stepRate / (double)time->frameRate);
	for (uint32_t i = 0; i < steps; ++i)
	{
		drapeResult result = drapeSceneWorld_Step(&source->made, 1.0f / time->stepRate);
		if (result != drape_ok)
			return result;
		source->steps++;
	}
	source->index++;
	return drape_ok;
}

// A plane that faces up is the floor: the unbounded ground is drawn at its height.
static drapeResult ShowShapes(RenderSource* source)
{
	source->shapeCount = source->meshCount = 0;
	source->hasFloor = false;
	for (uint32_t i = 0; i < source->made.colliderCount; ++i)
	{
		const drapeSceneCollider* collider = &source->scene->colliders[i];
		if (drapeColliderShape_GetInfo(collider->def.shape)->isMesh)
		{
			if (!RenderMesh_Show(&source->colliderMeshes[i], source->made.colliders[i], collider,
			                     &source->meshes[source->meshCount++]))
				return drape_errorMemory;
			continue;
		}
		drapeDrawnShape shape = drapeDrawnShape_FromScene(source->made.colliders[i], collider);
		if (!source->hasFloor && drapeDrawnShape_IsFloor(&shape, &source->floorHeight))
			source->hasFloor = true;
		else
			source->shapes[source->shapeCount++] = shape;
	}
	return drape_ok;
}

static drapeResult ShowTouching(RenderSource* source)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < source->clothCount; ++i)
		count += source->cloths[i].mesh.particleCount;
	if (count > source->touchingCapacity)
	{
		uint8_t* grown = realloc(source->touching, 2 * (size_t)count);
		if (!grown)
			return drape_errorMemory;
		source->touching = grown;
		source->touchingCapacity = 2 * count;
	}
	uint8_t* at = source->touching;
	for (uint32_t i = 0; i < source->clothCount; ++i)
	{
		source->cloths[i].touching = at;
		for (uint32_t k = 0; k < source->cloths[i].mesh.particleCount; ++k)
			*at++ = drapeCloth_IsTouching(source->made.cloths[i], k);
	}
	return drape_ok;
}

// Particles on colliders are drawn by themselves.
static bool IsParticle(const drapeContactPoint* point)
{
	return !DRAPE_IS_NULL(point->collider) && point->particles[1] == DRAPE_NONE;
}

static uint32_t DropParticles(drapeContactPoint* points, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; ++i)
		if (!IsParticle(&points[i]))
			points[kept++] = points[i];
	return kept;
}

static drapeResult ShowPoints(RenderSource* source)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < source->clothCount; ++i)
		count += drapeCloth_GetContacts(source->made.cloths[i], NULL, 0);
	if (count > source->pointCapacity)
	{
		drapeContactPoint* grown = realloc(source->points, 2 * (size_t)count * sizeof *grown);
		if (!grown)
			return drape_errorMemory;
		source->points = grown;
		source->pointCapacity = 2 * count;
	}
	drapeContactPoint* at = source->points;
	for (uint32_t i = 0; i < source->clothCount; ++i)
	{
		uint32_t available = source->pointCapacity - (uint32_t)(at - source->points);
		source->cloths[i].points = at;
		uint32_t found = drapeCloth_GetContacts(source->made.cloths[i], at, available);
		source->cloths[i].pointCount = DropParticles(at, found);
		at += source->cloths[i].pointCount;
	}
	return drape_ok;
}

static drapeResult ShowCloths(RenderSource* source, drapeMessage* error)
{
	if (!source->isFolder)
	{
		for (uint32_t i = 0; i < source->clothCount; ++i)
			source->cloths[i].mesh = drapeCloth_GetView(source->made.cloths[i]);
		drapeResult shown = ShowTouching(source);
		return shown == drape_ok ? ShowPoints(source) : shown;
	}
	drapeResult result = RenderFiles_Read(&source->files, source->files.first + source->index, error);
	for (uint32_t i = 0; result == drape_ok && i < source->clothCount; ++i)
	{
		const RenderSequence* sequence = &source->files.sequences[i];
		source->cloths[i].mesh = (drapeClothView){.particleCount = sequence->vertexCount,
		                                          .positions = sequence->positions,
		                                          .normals = sequence->normals,
		                                          .triangleCount = sequence->triangleCount,
		                                          .triangles = sequence->triangles,
		                                          .materials = sequence->materials};
	}
	return result;
}

drapeResult RenderSource_Go(RenderSource* source, uint32_t index, drapeMessage* error)
{
	drapeResult result = drape_ok;
	if (index < source->index && source->scene)
	{
		drapeSceneWorld_Destroy(&source->made);
		result = CreateWorld(source, error);
	}
	while (result == drape_ok && source->scene && source->index < index)
		result = Step(source);
	source->index = index;
	if (result == drape_ok)
		result = ShowCloths(source, error);
	return result == drape_ok ? ShowShapes(source) : result;
}

uint32_t RenderSource_Triangles(const RenderSource* source)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < source->clothCount; ++i)
		count += source->cloths[i].mesh.triangleCount;
	return count;
}
