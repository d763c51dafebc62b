// SPDX-License-Identifier: MIT
#include "world/scenery.h"

#include "base/transform.h"

#include <string.h>

// Triangle meshes as colliders: the application's vertices in the collider's own space, and their shape in the world.

enum
{
	placeGrain = 2048,
};

typedef struct PlaceTask
{
	ColliderMesh* mesh;
	Transform at;
} PlaceTask;

static void PlaceRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const PlaceTask* task = context;
	for (uint32_t i = start; i < end; ++i)
		task->mesh->placed[i] = Transform_Point(task->at, task->mesh->own[i]);
}

static void Place(ColliderMesh* mesh, Transform at, TaskPool* tasks)
{
	DRAPE_ASSERT(at.scale > 0.0f);
	PlaceTask task = {mesh, at};
	drapeTaskPool_For(tasks, mesh->vertexCount, placeGrain, PlaceRange, &task);
}

static void KeepGiven(ColliderMesh* mesh)
{
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		mesh->given[i] = (Vec4){mesh->placed[i].x, mesh->placed[i].y, mesh->placed[i].z, 0.0f};
}

// Moves the shape to `placed`, with parts that overlap moved apart. Only meshes that deform have any: others look as in
// their first pose.
static drapeResult MoveShape(ColliderMesh* mesh, TaskPool* tasks)
{
	drapeResult result = drapeMeshShape_Move(&mesh->shape, mesh->placed, tasks);
	if (result != drape_ok)
		return result;
	KeepGiven(mesh);
	mesh->overlaps =
		mesh->deforms && drapeMeshSeparation_Apply(&mesh->separation, &mesh->shape, mesh->placed, mesh->gap, tasks) > 0;
	if (mesh->overlaps)
		drapeMeshShape_Adjust(&mesh->shape, mesh->placed, tasks);
	return drape_ok;
}

void drapeColliderMesh_Destroy(ColliderMesh* mesh)
{
	if (!mesh)
		return;
	drapeMemFree(mesh->own, mesh->vertexCount * sizeof(Vec3));
	drapeMemFree(mesh->placed, mesh->vertexCount * sizeof(Vec3));
	drapeMemFree(mesh->given, mesh->vertexCount * sizeof(Vec4));
	drapeMemFree(mesh->givenBefore, mesh->vertexCount * sizeof(Vec4));
	drapeMeshSeparation_Destroy(&mesh->separation);
	drapeMemFree(mesh->owns, mesh->shape.triangleCount);
	drapeMeshShape_Destroy(&mesh->shape);
	drapeMemFree(mesh, sizeof *mesh);
}

// The triangle with the lower index owns a shared edge. An edge of more than two triangles belongs to all of them.
static void FindOwners(ColliderMesh* mesh, BitSet* seen)
{
	const MeshShape* shape = &mesh->shape;
	for (uint32_t t = 0; t < shape->triangleCount; ++t)
	{
		uint8_t owns = ownsFace;
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t vertex = shape->triangle[3 * t + k], neighbour = shape->neighbour[3 * t + k];
			if (!BitSet_Get(seen, vertex))
				owns |= (uint8_t)(ownsVertex << k);
			BitSet_Set(seen, vertex);
			if (neighbour > t)
				owns |= (uint8_t)(ownsEdge << k);
		}
		mesh->owns[t] = owns;
	}
}

static drapeResult Fill(ColliderMesh* mesh, const drapeMesh* from, Transform at, TaskPool* tasks,
                        drapeColliderReport* report)
{
	mesh->vertexCount = from->vertexCount;
	mesh->own = drapeMemAllocArray(from->vertexCount, sizeof(Vec3));
	mesh->placed = drapeMemAllocArray(from->vertexCount, sizeof(Vec3));
	mesh->given = drapeMemAllocArray(from->vertexCount, sizeof(Vec4));
	mesh->givenBefore = drapeMemAllocArray(from->vertexCount, sizeof(Vec4));
	if (!mesh->own || !mesh->placed || !mesh->given || !mesh->givenBefore)
		return drape_errorMemory;
	memcpy(mesh->own, from->positions, from->vertexCount * sizeof(Vec3));
	mesh->at = at;
	Place(mesh, at, tasks);
	KeepGiven(mesh);
	MeshShapeReport found;
	drapeResult result = drapeMeshShape_Create(&mesh->shape, mesh->placed, from->vertexCount, from->triangles,
	                                           from->triangleCount, tasks, &found);
	*report = (drapeColliderReport){
		.triangles = found.triangles,
		.dropped = found.dropped,
		.firstDropped = found.firstDropped,
		.boundaryEdges = found.boundaryEdges,
		.nonManifoldEdges = found.nonManifoldEdges,
		.flippedEdges = found.flippedEdges,
		.isClosed = found.closed,
		.isTurned = found.turned,
		.problem = found.problem,
	};
	if (result != drape_ok)
		return result;
	if (!drapeMeshSeparation_Create(&mesh->separation, &mesh->shape, tasks))
		return drape_errorMemory;
	BitSet seen = {0};
	mesh->owns = drapeMemAlloc(mesh->shape.triangleCount);
	if (!mesh->owns || !BitSet_Reserve(&seen, from->vertexCount))
		return drape_errorMemory;
	BitSet_ClearAll(&seen, from->vertexCount);
	FindOwners(mesh, &seen);
	BitSet_Free(&seen);
	return drape_ok;
}

drapeResult drapeColliderMesh_Create(ColliderMesh** result, const drapeMesh* from, Transform at, TaskPool* tasks,
                                     drapeColliderReport* report)
{
	DRAPE_ASSERT(report);
	*result = NULL;
	*report = (drapeColliderReport){0};
	if (from->vertexCount == 0 || from->triangleCount == 0)
	{
		report->problem = "the mesh has no triangles";
		return drape_errorData;
	}
	ColliderMesh* mesh = drapeMemAllocZero(sizeof *mesh);
	if (!mesh)
		return drape_errorMemory;
	drapeResult code = Fill(mesh, from, at, tasks, report);
	if (code != drape_ok)
	{
		drapeColliderMesh_Destroy(mesh);
		return code;
	}
	*result = mesh;
	return drape_ok;
}

void drapeColliderMesh_Move(ColliderMesh* mesh, Transform to, float gap, TaskPool* tasks)
{
	mesh->gap = gap;
	memcpy(mesh->givenBefore, mesh->given, mesh->vertexCount * sizeof(Vec4));
	mesh->overlapsBefore = mesh->overlaps;
	if (!mesh->isChanged && drapeTransform_Equal(mesh->at, to))
	{
		if (mesh->shape.moves)
			drapeMeshShape_Rest(&mesh->shape, tasks);
		mesh->maxDisplacement = 0.0f;
		return;
	}
	Place(mesh, to, tasks);
	mesh->deforms |= mesh->isChanged;
	// When a position is out of range, all vertices stay where they were. The next step tries again.
	mesh->maxDisplacement = 0.0f;
	if (MoveShape(mesh, tasks) != drape_ok)
	{
		drapeMeshShape_Rest(&mesh->shape, tasks);
		return;
	}
	mesh->at = to;
	mesh->maxDisplacement = mesh->shape.maxDisplacement;
}

void drapeColliderMesh_Carry(ColliderMesh* mesh, const RigidMotion* motion, TaskPool* tasks)
{
	for (uint32_t i = 0; i < mesh->shape.vertexCount; ++i)
		mesh->placed[i] = RigidMotion_Point(motion, V4Xyz(mesh->shape.from[i]));
	if (drapeMeshShape_Put(&mesh->shape, mesh->placed, tasks) != drape_ok)
		return;
	Place(mesh, mesh->at, tasks);
	MoveShape(mesh, tasks);
	mesh->maxDisplacement = mesh->shape.maxDisplacement;
}

void drapeColliderMesh_Teleport(ColliderMesh* mesh, const RigidMotion* motion, Transform at, TaskPool* tasks)
{
	for (uint32_t i = 0; i < mesh->shape.vertexCount; ++i)
	{
		Vec3 given = RigidMotion_Point(motion, V4Xyz(mesh->given[i]));
		mesh->placed[i] = RigidMotion_Point(motion, V4Xyz(mesh->shape.to[i]));
		mesh->given[i] = (Vec4){given.x, given.y, given.z, 0.0f};
	}
	drapeResult result = drapeMeshShape_Put(&mesh->shape, mesh->placed, tasks);
	DRAPE_ASSERT(result == drape_ok);
	(void)result;
	mesh->maxDisplacement = 0.0f;
	mesh->at = at;
}

Vec3 drapeColliderMesh_MiddleWay(const ColliderMesh* mesh)
{
	const MeshShape* shape = &mesh->shape;
	return V3Scale(0.5f, V3Sub(V3Add(shape->low, shape->high), V3Add(shape->fromLow, shape->fromHigh)));
}

void drapeColliderMesh_Revert(ColliderMesh* mesh, Transform from, TaskPool* tasks)
{
	DRAPE_ASSERT(mesh->shape.vertexCount <= mesh->vertexCount);
	for (uint32_t i = 0; i < mesh->shape.vertexCount; ++i)
		mesh->placed[i] = V4Xyz(mesh->shape.from[i]);
	drapeMeshShape_Move(&mesh->shape, mesh->placed, tasks);
	memcpy(mesh->given, mesh->givenBefore, mesh->vertexCount * sizeof(Vec4));
	mesh->overlaps = mesh->overlapsBefore;
	mesh->at = from;
}
