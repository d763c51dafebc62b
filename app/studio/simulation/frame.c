// SPDX-License-Identifier: MIT
#include "simulation/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- one cloth ---

// Cuts blocks from the memory of a cloth, or only counts how much they need.
typedef struct Cutter
{
	char* memory; // NULL to count
	size_t used;
} Cutter;

static const void* Cut(Cutter* cutter, const void* data, size_t size)
{
	if (!data)
		return NULL;
	char* to = cutter->memory ? cutter->memory + cutter->used : NULL;
	cutter->used += (size + 15) & ~(size_t)15;
	return to ? memcpy(to, data, size) : NULL;
}

static void CutView(Cutter* cutter, const drapeClothView* from, drapeClothView* to)
{
	size_t particles = from->particleCount, triangles = from->triangleCount, edges = from->edgeCount;
	*to = *from;
	to->positions = Cut(cutter, from->positions, particles * sizeof *from->positions);
	to->velocities = Cut(cutter, from->velocities, particles * sizeof *from->velocities);
	to->normals = Cut(cutter, from->normals, particles * sizeof *from->normals);
	to->particleLevels = Cut(cutter, from->particleLevels, particles);
	to->triangles = Cut(cutter, from->triangles, 3 * triangles * sizeof *from->triangles);
	to->materials = Cut(cutter, from->materials, 3 * triangles * sizeof *from->materials);
	to->texcoords = Cut(cutter, from->texcoords, 3 * triangles * sizeof *from->texcoords);
	to->patternTriangles = Cut(cutter, from->patternTriangles, triangles * sizeof *from->patternTriangles);
	to->triangleLevels = Cut(cutter, from->triangleLevels, triangles);
	to->edgeFrom = Cut(cutter, from->edgeFrom, edges * sizeof *from->edgeFrom);
	to->edgeTo = Cut(cutter, from->edgeTo, edges * sizeof *from->edgeTo);
	to->restLengths = Cut(cutter, from->restLengths, edges * sizeof *from->restLengths);
	to->edgeLevels = Cut(cutter, from->edgeLevels, edges);
}

static bool CopyCloth(FrameCloth* cloth, drapeClothId id, const char* name, const PatternMap* map)
{
	drapeClothView view = drapeCloth_View(id);
	Cutter cutter = {0};
	size_t patternSize = map->vertexCount * sizeof *map->positions;
	CutView(&cutter, &view, &cloth->view);
	Cut(&cutter, map->positions, patternSize);
	size_t needed = cutter.used + view.particleCount;
	if (needed > cloth->capacity)
	{
		free(cloth->memory);
		cloth->memory = malloc(needed + needed / 2);
		cloth->capacity = cloth->memory ? needed + needed / 2 : 0;
	}
	cloth->view = (drapeClothView){0};
	snprintf(cloth->name, sizeof cloth->name, "%s", name);
	cloth->patternVertexCount = 0;
	if (!cloth->memory)
		return false;
	cutter = (Cutter){.memory = cloth->memory};
	CutView(&cutter, &view, &cloth->view);
	cloth->patternPositions = Cut(&cutter, map->positions, patternSize);
	cloth->patternVertexCount = map->vertexCount;
	cloth->touching = (uint8_t*)cloth->memory + cutter.used;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		cloth->touching[i] = drapeCloth_IsTouching(id, i);
	return true;
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
		done = CopyCloth(&frame->cloths[i], made->cloths[i], simulation->scene->cloths[i].name,
		                 &simulation->cloths[i].map) &&
		       done;
	frame->clothCount = made->clothCount;
	for (uint32_t i = 0; i < made->colliderCount; ++i)
		frame->shapes[i] = (FrameShape){drapeDrawnShape_FromScene(made->colliders[i], &simulation->scene->colliders[i]),
		                                drapeCollider_GetTransform(made->colliders[i])};
	frame->shapeCount = made->colliderCount;
	return done;
}

void drapeFrame_Free(Frame* frame)
{
	for (uint32_t i = 0; i < frame->clothCapacity; ++i)
		free(frame->cloths[i].memory);
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
