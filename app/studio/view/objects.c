// SPDX-License-Identifier: MIT
#include "studio.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- sequences ---

uint32_t drapeObjects_FindSequence(const char* path, char* pattern, size_t capacity, uint32_t* first)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
	if (!dot || dot == name)
		return 0;
	const char* digits = dot;
	while (digits > name && isdigit((unsigned char)digits[-1]))
		--digits;
	int count = (int)(dot - digits);
	if (count == 0 || count > 9)
		return 0;
	snprintf(pattern, capacity, "%.*s$F%d%s", (int)(digits - path), path, count, dot);
	uint32_t number = (uint32_t)strtoul(digits, NULL, 10), files = 0;
	char at[document_pathCapacity];
	for (; number > 0; --number)
	{
		drapeFrameName_Format(pattern, number - 1, at, sizeof at);
		if (access(at, R_OK) != 0)
			break;
	}
	*first = number;
	for (;; ++files)
	{
		drapeFrameName_Format(pattern, number + files, at, sizeof at);
		if (access(at, R_OK) != 0)
			return files > 1 ? files : 0;
	}
}

// --- meshes ---

static void FreeMesh(ObjectMesh* mesh)
{
	drapeObj_Free(&mesh->obj);
	*mesh = (ObjectMesh){0};
}

// A file that cannot be read is kept as an empty mesh, so that it is not read and reported again in every frame.
static void LoadMesh(ObjectMesh* mesh, const char* path, drapeSceneUp up, Messages* messages)
{
	drapeMessage error;
	*mesh = (ObjectMesh){.bounds = drapeBounds_Empty(), .up = up};
	snprintf(mesh->path, sizeof mesh->path, "%s", path);
	if (drapeObj_Read(path, &mesh->obj, &error) != drape_ok)
	{
		drapeMessages_Add(messages, message_error, "%s", error.text);
		return;
	}
	drapeSceneUp_Apply(up, &mesh->obj);
	mesh->isRead = true;
	for (uint32_t i = 0; i < mesh->obj.mesh.vertexCount; ++i)
	{
		drapeVec3 p = mesh->obj.mesh.positions[i];
		mesh->bounds = drapeBounds_Union(mesh->bounds, (drapeBounds){p, p});
	}
}

const ObjectMesh* drapeObjects_Get(Objects* objects, const drapeSceneObject* object, double time, Messages* messages)
{
	char path[document_pathCapacity];
	drapeSceneObject_GetPath(object, "", time, path, sizeof path);
	ObjectMesh* found = NULL;
	for (uint32_t i = 0; !found && i < objects->count; ++i)
		found = objects->meshes[i].up == object->up && strcmp(objects->meshes[i].path, path) == 0 ? &objects->meshes[i]
		                                                                                          : NULL;
	if (!found && objects->count < objects_capacity)
	{
		found = &objects->meshes[objects->count++];
		LoadMesh(found, path, object->up, messages);
	}
	if (found)
		found->users++;
	return found && found->isRead ? found : NULL;
}

void drapeObjects_Sweep(Objects* objects)
{
	for (uint32_t i = objects->count; i-- > 0;)
	{
		ObjectMesh* mesh = &objects->meshes[i];
		if (mesh->users == 0)
		{
			FreeMesh(mesh);
			*mesh = objects->meshes[--objects->count];
		}
		else
			mesh->users = 0;
	}
}

void drapeObjects_Free(Objects* objects)
{
	for (uint32_t i = 0; i < objects->count; ++i)
		FreeMesh(&objects->meshes[i]);
	objects->count = 0;
}
