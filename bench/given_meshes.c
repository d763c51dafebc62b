// SPDX-License-Identifier: MIT
#include "given_meshes.h"

#include "shared/sheets.h"

void GivenMeshes_Destroy(GivenMeshes* given)
{
	for (uint32_t i = 0; i < given->shapes.count; ++i)
		drapeMeshShape_Destroy(&given->shapes.data[i]);
	ArrayFree(&given->shapes);
	*given = (GivenMeshes){0};
}

static void Make(MeshShape* shape, const ColliderMesh* mesh, const Vec3* positions, TaskPool* tasks)
{
	MeshShapeReport report;
	drapeMeshShape_Destroy(shape);
	drapeResult result = drapeMeshShape_Create(shape, positions, mesh->vertexCount, mesh->shape.triangle,
	                                           mesh->shape.triangleCount, tasks, &report);
	Shared_Require(result == drape_ok, "a mesh was refused");
	shape->closed = mesh->shape.closed;
}

// Shapes of the first pose are kept for as long as the meshes are the same.
static void Update(GivenMeshes* given, const drapeWorld* world)
{
	bool isNew = !given->isMade || given->meshesRevision != world->meshesRevision;
	uint32_t count = world->colliderMeshes.count;
	Shared_Require(ArrayReserve(&given->shapes, count), "out of memory");
	while (given->shapes.count < count)
		ArrayPush(&given->shapes, (MeshShape){0});
	for (uint32_t i = 0; i < count; ++i)
	{
		const ColliderMesh* mesh = world->colliderMeshes.data[i];
		if (!mesh)
			continue;
		Vec3* positions = drapeMemAllocArray(mesh->vertexCount, sizeof *positions);
		Shared_Require(positions, "out of memory");
		for (uint32_t v = 0; v < mesh->vertexCount; ++v)
			positions[v] = V4Xyz(mesh->given[v]);
		if (isNew || given->shapes.data[i].vertexCount == 0)
			Make(&given->shapes.data[i], mesh, positions, world->tasks);
		else
			Shared_Require(drapeMeshShape_Put(&given->shapes.data[i], positions, world->tasks) == drape_ok,
			               "a mesh was refused");
		drapeMemFree(positions, mesh->vertexCount * sizeof *positions);
	}
}

const MeshShape* GivenMeshes_At(GivenMeshes* given, const drapeWorld* world, uint32_t live)
{
	bool isUpToDate = given->isMade && given->time == world->time && given->revision == world->sceneryRevision &&
	                  given->meshesRevision == world->meshesRevision;
	if (!isUpToDate)
		Update(given, world);
	given->isMade = true;
	given->time = world->time;
	given->revision = world->sceneryRevision;
	given->meshesRevision = world->meshesRevision;
	return &given->shapes.data[world->liveMeshes.data[live].slot];
}
