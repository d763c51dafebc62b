// SPDX-License-Identifier: MIT
#include "render.h"

#include <stdlib.h>
#include <string.h>

drapeResult RenderObjects_Show(RenderObjects* objects, const drapeScene* scene, double time, drapeMessage* error)
{
	if (scene && !objects->read && scene->objectCount > 0)
	{
		objects->read = calloc(scene->objectCount, sizeof *objects->read);
		objects->meshes = calloc(scene->objectCount, sizeof *objects->meshes);
		if (!objects->read || !objects->meshes)
			return drape_errorMemory;
		objects->count = scene->objectCount;
	}
	for (uint32_t i = 0; i < objects->count; ++i)
	{
		RenderObject* object = &objects->read[i];
		char path[RUN_PATH];
		drapeSceneObject_GetPath(&scene->objects[i], scene->folder, time, path, sizeof path);
		if (strcmp(path, object->path) == 0)
			continue;
		drapeObj_Free(&object->obj);
		drapeResult result = drapeObj_Read(path, &object->obj, error);
		if (result != drape_ok)
			return result;
		drapeSceneUp_Apply(scene->objects[i].up, &object->obj);
		strcpy(object->path, path);
		objects->meshes[i] = drapeDrawnMesh_FromScene(&object->obj.mesh, &scene->objects[i]);
	}
	return drape_ok;
}

void RenderObjects_Free(RenderObjects* objects)
{
	for (uint32_t i = 0; i < objects->count; ++i)
		drapeObj_Free(&objects->read[i].obj);
	free(objects->read);
	free(objects->meshes);
	*objects = (RenderObjects){0};
}
