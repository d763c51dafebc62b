// SPDX-License-Identifier: MIT
#include "render.h"

#include <math.h>
#include <stdlib.h>

// Meshes of mesh colliders for pictures: present positions, and normals per vertex.

static drapeVec3 Difference(drapeVec4 a, drapeVec4 b)
{
	return (drapeVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// Adds the triangles' normals, weighted by area, and normalises the sums.
static void FindNormals(const drapeColliderView* view, drapeVec3* normals)
{
	for (uint32_t i = 0; i < view->vertexCount; ++i)
		normals[i] = (drapeVec3){0};
	for (uint32_t t = 0; t < view->triangleCount; ++t)
	{
		const uint32_t* corner = &view->triangles[3 * (size_t)t];
		drapeVec3 a = Difference(view->positions[corner[1]], view->positions[corner[0]]);
		drapeVec3 b = Difference(view->positions[corner[2]], view->positions[corner[0]]);
		drapeVec3 n = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
		for (int k = 0; k < 3; ++k)
		{
			drapeVec3* sum = &normals[corner[k]];
			*sum = (drapeVec3){sum->x + n.x, sum->y + n.y, sum->z + n.z};
		}
	}
	for (uint32_t i = 0; i < view->vertexCount; ++i)
	{
		drapeVec3 n = normals[i];
		float length = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z), scale = length > 0.0f ? 1.0f / length : 0.0f;
		normals[i] = (drapeVec3){scale * n.x, scale * n.y, scale * n.z};
	}
}

// Scales positions about the collider's origin.
static drapeTransform DrawnAt(drapeColliderId collider, float scale)
{
	drapeVec3 origin = drapeCollider_GetTransform(collider).position;
	drapeTransform transform = drapeIdentityTransform();
	float rest = 1.0f - scale;
	transform.position = (drapeVec3){rest * origin.x, rest * origin.y, rest * origin.z};
	transform.scale = scale;
	return transform;
}

// The number of vertices of a collider is constant.
static bool Reserve(RenderMesh* mesh, uint32_t vertexCount)
{
	if (mesh->positions && mesh->normals)
		return true;
	mesh->positions = calloc(vertexCount, sizeof *mesh->positions);
	mesh->normals = calloc(vertexCount, sizeof *mesh->normals);
	return mesh->positions && mesh->normals;
}

bool RenderMesh_Show(RenderMesh* mesh, drapeColliderId collider, const drapeSceneCollider* scene, drapeDrawnMesh* drawn)
{
	drapeColliderView view = drapeCollider_GetView(collider);
	if (!Reserve(mesh, view.vertexCount))
		return false;
	for (uint32_t i = 0; i < view.vertexCount; ++i)
		mesh->positions[i] = (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z};
	FindNormals(&view, mesh->normals);
	*drawn = (drapeDrawnMesh){
		.positions = mesh->positions,
		.normals = mesh->normals,
		.vertexCount = view.vertexCount,
		.triangles = view.triangles,
		.triangleCount = view.triangleCount,
		.transform = DrawnAt(collider, scene->drawnScale),
		.colour = scene->colour.given ? scene->colour.rgb : drapeDrawnShape_FromCollider(collider).colour,
	};
	return true;
}

void RenderMesh_Free(RenderMesh* mesh)
{
	free(mesh->positions);
	free(mesh->normals);
	*mesh = (RenderMesh){0};
}
