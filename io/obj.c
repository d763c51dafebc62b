// SPDX-License-Identifier: MIT
#include "io.h"

static void FreeArray(const void* data, size_t count, size_t elementSize)
{
	drapeFree((void*)data, count * elementSize);
}

void drapeObj_Free(drapeObj* obj)
{
	if (!obj)
		return;
	size_t cornerCount = 3 * (size_t)obj->mesh.triangleCount;
	FreeArray(obj->mesh.positions, obj->mesh.vertexCount, sizeof(drapeVec3));
	FreeArray(obj->mesh.triangles, cornerCount, sizeof(uint32_t));
	FreeArray(obj->mesh.texcoords, obj->mesh.texcoordCount, sizeof(drapeVec2));
	FreeArray(obj->mesh.texcoordTriangles, cornerCount, sizeof(uint32_t));
	FreeArray(obj->mesh.normals, obj->mesh.normalCount, sizeof(drapeVec3));
	FreeArray(obj->mesh.normalTriangles, cornerCount, sizeof(uint32_t));
	FreeArray(obj->vertexLines, obj->mesh.vertexCount, sizeof(uint32_t));
	FreeArray(obj->triangleLines, obj->mesh.triangleCount, sizeof(uint32_t));
	FreeArray(obj->parts, obj->partCount, sizeof(drapeObjPart));
	FreeArray(obj->names, obj->namesSize, 1);
	*obj = (drapeObj){0};
}
