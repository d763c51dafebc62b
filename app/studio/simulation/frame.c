// SPDX-License-Identifier: MIT
#include "simulation/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- memory ---

// Copies arrays one behind the other into a block of memory, or only adds up their sizes.
typedef struct Packer
{
	char* memory; // NULL to add up
	size_t used;  // bytes
} Packer;

static const void* Pack(Packer* packer, const void* data, size_t size)
{
	if (!data)
		return NULL;
	char* to = packer->memory ? packer->memory + packer->used : NULL;
	packer->used += (size + 15) & ~(size_t)15;
	return to ? memcpy(to, data, size) : NULL;
}

static bool FrameMemory_Reserve(FrameMemory* memory, size_t size)
{
	if (size <= memory->capacity)
		return true;
	free(memory->data);
	memory->data = malloc(size + size / 2);
	memory->capacity = memory->data ? size + size / 2 : 0;
	return memory->data != NULL;
}

static bool FrameKey_Same(const FrameKey* a, const FrameKey* b)
{
	return a->worldNumber == b->worldNumber && a->index1 == b->index1 && a->generation == b->generation &&
	       a->revision == b->revision;
}

// --- cloths ---

static void PackState(Packer* packer, const drapeClothView* from, drapeClothView* to)
{
	size_t particles = from->particleCount;
	to->positions = Pack(packer, from->positions, particles * sizeof *from->positions);
	to->velocities = Pack(packer, from->velocities, particles * sizeof *from->velocities);
	to->normals = Pack(packer, from->normals, particles * sizeof *from->normals);
}

static void PackTopology(Packer* packer, const drapeClothView* from, drapeClothView* to)
{
	size_t triangles = from->triangleCount, edges = from->edgeCount;
	to->particleLevels = Pack(packer, from->particleLevels, from->particleCount);
	to->triangles = Pack(packer, from->triangles, 3 * triangles * sizeof *from->triangles);
	to->materials = Pack(packer, from->materials, 3 * triangles * sizeof *from->materials);
	to->texcoords = Pack(packer, from->texcoords, 3 * triangles * sizeof *from->texcoords);
	to->patternTriangles = Pack(packer, from->patternTriangles, triangles * sizeof *from->patternTriangles);
	to->triangleLevels = Pack(packer, from->triangleLevels, triangles);
	to->edgeFrom = Pack(packer, from->edgeFrom, edges * sizeof *from->edgeFrom);
	to->edgeTo = Pack(packer, from->edgeTo, edges * sizeof *from->edgeTo);
	to->restLengths = Pack(packer, from->restLengths, edges * sizeof *from->restLengths);
	to->edgeLevels = Pack(packer, from->edgeLevels, edges);
}

// Forgets the copy. Its memory stays for the next one.
static void ClearCloth(FrameCloth* cloth)
{
	cloth->view = (drapeClothView){0};
	cloth->pattern = (drapeObj){0};
	cloth->key = (FrameKey){0};
}

// A name of the pattern, moved to the copy of the names.
static const char* CopiedName(const drapeObj* from, const char* copy, const char* name)
{
	bool isInside = copy && name && name >= from->names && name < from->names + from->namesSize;
	return isInside ? copy + (name - from->names) : "";
}

static void PackPattern(Packer* packer, const drapeObj* from, drapeObj* to)
{
	*to = (drapeObj){.mesh = {.vertexCount = from->mesh.vertexCount}, .partCount = from->partCount};
	to->mesh.positions = Pack(packer, from->mesh.positions, from->mesh.vertexCount * sizeof *from->mesh.positions);
	to->parts = (drapeObjPart*)Pack(packer, from->parts, from->partCount * sizeof *from->parts);
	const char* names = Pack(packer, from->names, from->namesSize);
	to->materialLibrary = CopiedName(from, names, from->materialLibrary);
	for (uint32_t i = 0; to->parts && i < to->partCount; ++i)
	{
		drapeObjPart* part = &to->parts[i];
		part->object = CopiedName(from, names, part->object);
		part->group = CopiedName(from, names, part->group);
		part->material = CopiedName(from, names, part->material);
	}
}

// Copies triangles, edges, levels and pattern, unless the frame has them already.
static bool CopyTopology(FrameCloth* cloth, const drapeClothView* view, const FrameKey* key, const drapeObj* pattern)
{
	if (FrameKey_Same(&cloth->key, key))
		return true;
	Packer packer = {0};
	PackTopology(&packer, view, &cloth->view);
	PackPattern(&packer, pattern, &cloth->pattern);
	if (!FrameMemory_Reserve(&cloth->topology, packer.used))
		return false;
	packer = (Packer){.memory = cloth->topology.data};
	cloth->view = *view;
	PackTopology(&packer, view, &cloth->view);
	PackPattern(&packer, pattern, &cloth->pattern);
	cloth->key = *key;
	cloth->topologyCopies++;
	return true;
}

static bool CopyState(FrameCloth* cloth, const drapeClothView* view, drapeClothId id)
{
	Packer packer = {0};
	PackState(&packer, view, &cloth->view);
	if (!FrameMemory_Reserve(&cloth->state, packer.used + view->particleCount))
		return false;
	packer = (Packer){.memory = cloth->state.data};
	PackState(&packer, view, &cloth->view);
	cloth->touching = (uint8_t*)cloth->state.data + packer.used;
	for (uint32_t i = 0; i < view->particleCount; ++i)
		cloth->touching[i] = drapeCloth_IsTouching(id, i);
	return true;
}

static bool CopyCloth(FrameCloth* cloth, const Simulation* simulation, uint32_t index)
{
	drapeClothId id = simulation->made.cloths[index];
	drapeClothView view = drapeCloth_GetView(id);
	FrameKey key = {simulation->worldNumber, id.index1, id.generation, view.revision};
	snprintf(cloth->name, sizeof cloth->name, "%s", simulation->scene->cloths[index].name);
	if (CopyTopology(cloth, &view, &key, &simulation->made.patterns[index]) && CopyState(cloth, &view, id))
		return true;
	ClearCloth(cloth);
	return false;
}

// --- colliders ---

static bool CopyMesh(FrameMesh* mesh, drapeColliderId id, uint32_t worldNumber)
{
	drapeColliderView view = drapeCollider_GetView(id);
	FrameKey key = {worldNumber, id.index1, id.generation, 0};
	size_t indexSize = 3 * (size_t)view.triangleCount * sizeof *view.triangles;
	mesh->vertexCount = mesh->triangleCount = 0;
	if (view.triangleCount == 0)
		return true;
	if (!FrameMemory_Reserve(&mesh->state, view.vertexCount * sizeof(drapeVec3)) ||
	    !FrameMemory_Reserve(&mesh->topology, indexSize))
	{
		mesh->key = (FrameKey){0};
		return false;
	}
	drapeVec3* positions = mesh->state.data;
	for (uint32_t i = 0; i < view.vertexCount; ++i)
		positions[i] = (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z};
	if (!FrameKey_Same(&mesh->key, &key))
		memcpy(mesh->topology.data, view.triangles, indexSize);
	mesh->key = key;
	mesh->positions = positions;
	mesh->triangles = mesh->topology.data;
	mesh->vertexCount = view.vertexCount;
	mesh->triangleCount = view.triangleCount;
	return true;
}

static bool CopyShape(FrameShape* shape, const Simulation* simulation, uint32_t index)
{
	drapeColliderId id = simulation->made.colliders[index];
	shape->shape = drapeDrawnShape_FromScene(id, &simulation->scene->colliders[index]);
	shape->transform = drapeCollider_GetTransform(id);
	return CopyMesh(&shape->mesh, id, simulation->worldNumber);
}

// --- the frame ---

static bool Grow(void** data, uint32_t* capacity, uint32_t count, size_t size)
{
	if (count <= *capacity)
		return true;
	void* grown = realloc(*data, count * size);
	if (!grown)
		return false;
	memset((char*)grown + *capacity * size, 0, (count - *capacity) * size);
	*data = grown;
	*capacity = count;
	return true;
}

bool drapeFrame_Copy(Frame* frame, const Simulation* simulation)
{
	const drapeSceneWorld* made = &simulation->made;
	frame->index = simulation->frame;
	frame->clothCount = frame->shapeCount = 0;
	frame->time = simulation->scene ? drapeWorld_GetTime(made->world) : 0.0;
	if (!Grow((void**)&frame->cloths, &frame->clothCapacity, made->clothCount, sizeof *frame->cloths) ||
	    !Grow((void**)&frame->shapes, &frame->shapeCapacity, made->colliderCount, sizeof *frame->shapes))
		return false;
	bool done = true;
	for (uint32_t i = 0; i < made->clothCount; ++i)
		done = CopyCloth(&frame->cloths[i], simulation, i) && done;
	frame->clothCount = made->clothCount;
	for (uint32_t i = 0; i < made->colliderCount; ++i)
		done = CopyShape(&frame->shapes[i], simulation, i) && done;
	frame->shapeCount = made->colliderCount;
	return done;
}

void drapeFrame_Free(Frame* frame)
{
	for (uint32_t i = 0; i < frame->clothCapacity; ++i)
	{
		free(frame->cloths[i].state.data);
		free(frame->cloths[i].topology.data);
	}
	for (uint32_t i = 0; i < frame->shapeCapacity; ++i)
	{
		free(frame->shapes[i].mesh.state.data);
		free(frame->shapes[i].mesh.topology.data);
	}
	free(frame->cloths);
	free(frame->shapes);
	*frame = (Frame){0};
}

uint32_t drapeFrame_Triangles(const Frame* frame)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < frame->clothCount; ++i)
		count += frame->cloths[i].view.triangleCount;
	return count;
}
