// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// --- disc ---

static void PlaceDisc(const drapeSceneDiscDef* disc, drapeVec3* positions, drapeVec2* texcoords)
{
	const double turn = 6.283185307179586;
	positions[0] = (drapeVec3){0.0f, 0.0f, 0.0f};
	texcoords[0] = (drapeVec2){0.5f, 0.5f};
	size_t v = 1;
	for (uint32_t ring = 1; ring <= disc->rings; ++ring)
	{
		for (uint32_t i = 0; i < disc->segments; ++i, ++v)
		{
			double angle = turn * i / disc->segments, share = (double)ring / disc->rings;
			double x = share * cos(angle), y = share * sin(angle);
			positions[v] = (drapeVec3){(float)((double)disc->radius * x), 0.0f, (float)((double)disc->radius * -y)};
			texcoords[v] = (drapeVec2){(float)(0.5 + 0.5 * x), (float)(0.5 + 0.5 * y)};
		}
	}
}

static void ConnectDisc(const drapeSceneDiscDef* disc, uint32_t* corners)
{
	uint32_t segments = disc->segments;
	for (uint32_t i = 0; i < segments; ++i, corners += 3)
	{
		corners[0] = 0;
		corners[1] = 1 + i;
		corners[2] = 1 + (i + 1) % segments;
	}
	for (uint32_t ring = 1; ring < disc->rings; ++ring)
	{
		uint32_t inner = 1 + (ring - 1) * segments, outer = inner + segments;
		for (uint32_t i = 0; i < segments; ++i, corners += 6)
		{
			uint32_t next = (i + 1) % segments;
			const uint32_t quad[6] = {inner + i, outer + i, outer + next, inner + i, outer + next, inner + next};
			memcpy(corners, quad, sizeof quad);
		}
	}
}

static drapeResult CreateDisc(const drapeSceneDiscDef* disc, drapeMesh* mesh)
{
	size_t vertices = 1 + (size_t)disc->rings * disc->segments;
	size_t triangles = (size_t)disc->segments * (2 * (size_t)disc->rings - 1);
	size_t cornerBytes = 3 * triangles * sizeof(uint32_t);
	drapeVec3* positions = drapeAlloc(vertices * sizeof *positions);
	drapeVec2* texcoords = drapeAlloc(vertices * sizeof *texcoords);
	uint32_t *corners = drapeAlloc(cornerBytes), *texcoordCorners = drapeAlloc(cornerBytes);
	*mesh = (drapeMesh){
		.positions = positions,
		.vertexCount = (uint32_t)vertices,
		.triangles = corners,
		.triangleCount = (uint32_t)triangles,
		.texcoords = texcoords,
		.texcoordCount = (uint32_t)vertices,
		.texcoordTriangles = texcoordCorners,
	};
	if (!positions || !texcoords || !corners || !texcoordCorners)
	{
		drapeMesh_Free(mesh);
		return drape_errorMemory;
	}
	PlaceDisc(disc, positions, texcoords);
	ConnectDisc(disc, corners);
	memcpy(texcoordCorners, corners, cornerBytes);
	return drape_ok;
}

// --- up ---

static void TurnUp(const drapeVec3* vectors, uint32_t count)
{
	// The reader's arrays, which are const for users.
	drapeVec3* turned = (drapeVec3*)vectors;
	for (uint32_t i = 0; i < count; ++i)
		turned[i] = drapeScene_TurnUp(drape_sceneUpZ, turned[i]);
}

drapeVec3 drapeScene_TurnUp(drapeSceneUp up, drapeVec3 v)
{
	return up == drape_sceneUpZ ? (drapeVec3){v.x, v.z, -v.y} : v;
}

void drapeSceneUp_Apply(drapeSceneUp up, drapeObj* obj)
{
	if (!obj || up != drape_sceneUpZ)
		return;
	TurnUp(obj->mesh.positions, obj->mesh.vertexCount);
	TurnUp(obj->mesh.normals, obj->mesh.normalCount);
}

// --- OBJ ---

static drapeResult ReadObj(const drapeScene* scene, const char* name, drapeObj* pattern, drapeMessage* message)
{
	size_t capacity = strlen(scene->folder) + strlen(name) + 1;
	char* path = drapeAlloc(capacity);
	if (!path)
		return drape_errorMemory;
	snprintf(path, capacity, "%s%s", name[0] == '/' ? "" : scene->folder, name);
	drapeResult result = drapeObj_Read(path, pattern, message);
	drapeFree(path, capacity);
	return result;
}

// --- objects ---

static int FormatFrame(const drapeSceneObject* object, const char* folder, uint32_t number, char* path, size_t capacity)
{
	int before = snprintf(path, capacity, "%s", object->obj[0] == '/' ? "" : folder);
	size_t used = (size_t)before < capacity ? (size_t)before : capacity;
	return before + drapeFrameName_Format(object->obj, number, path + used, capacity - used);
}

int drapeSceneObject_GetPath(const drapeSceneObject* object, const char* folder, double time, char* path,
                             size_t capacity)
{
	if (capacity > 0 && path)
		path[0] = '\0';
	if (!object || !object->obj || !folder || (!path && capacity > 0))
		return 0;
	// A frame begins a little early, so that rounding does not delay it.
	double frames = floor(time * (double)object->frameRate + 1e-6);
	uint32_t number = object->firstFrame + (uint32_t)fmin(fmax(frames, 0.0), 10e6);
	int length = FormatFrame(object, folder, number, path, capacity);
	while (drapeFrameName_IsSequence(object->obj) && number > object->firstFrame && access(path, R_OK) != 0)
		length = FormatFrame(object, folder, --number, path, capacity);
	return length;
}

// --- any ---

// This file owns the mesh and may change its arrays, which are const for users.
static void Place(drapeMesh* mesh, const drapeScenePose* pose)
{
	drapeVec3* positions = (drapeVec3*)mesh->positions;
	drapeTransform transform = drapeScenePose_GetTransform(*pose);
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		positions[i] = drapeTransform_Point(transform, positions[i]);
}

drapeResult drapeSceneMesh_Create(const drapeScene* scene, const drapeSceneCloth* cloth, drapeObj* pattern,
                                  drapeMessage* message)
{
	*pattern = (drapeObj){0};
	drapeResult result;
	if (cloth->source == drape_sceneGrid)
		result = drapeMesh_CreateGrid(cloth->grid.columns, cloth->grid.rows, cloth->grid.width, cloth->grid.depth,
		                              &pattern->mesh, NULL);
	else if (cloth->source == drape_sceneDisc)
		result = CreateDisc(&cloth->disc, &pattern->mesh);
	else
	{
		result = ReadObj(scene, cloth->obj, pattern, message);
		if (result == drape_ok)
			drapeSceneUp_Apply(cloth->up, pattern);
	}
	if (result == drape_ok)
		Place(&pattern->mesh, &cloth->pose);
	return result;
}
