// SPDX-License-Identifier: MIT
#include "render.h"

#include <stdlib.h>
#include <string.h>

// Recorded frames: one block of memory for the drawn data of each frame.

// Copies to `at` and advances it. With a NULL block it only advances, to measure the size.
typedef struct Block
{
	char* memory;
	size_t used;
} Block;

static const void* Keep(Block* block, const void* data, size_t size)
{
	if (!data)
		return NULL;
	void* copy = block->memory ? block->memory + block->used : NULL;
	if (copy)
		memcpy(copy, data, size);
	block->used += (size + 15) & ~(size_t)15;
	return copy;
}

// A shaded view reads only a few arrays; other views may read all.
static drapeDrawnCloth KeepCloth(Block* block, const drapeDrawnCloth* cloth, drapeRenderView view)
{
	const drapeClothView* from = &cloth->mesh;
	size_t particles = from->particleCount, triangles = from->triangleCount, edges = from->edgeCount;
	drapeDrawnCloth kept = {.look = cloth->look};
	drapeClothView* to = &kept.mesh;
	to->revision = from->revision;
	to->particleCount = from->particleCount;
	to->triangleCount = from->triangleCount;
	to->positions = Keep(block, from->positions, particles * sizeof *from->positions);
	to->normals = Keep(block, from->normals, particles * sizeof *from->normals);
	to->triangles = Keep(block, from->triangles, 3 * triangles * sizeof *from->triangles);
	to->materials = Keep(block, from->materials, 3 * triangles * sizeof *from->materials);
	if (view == drape_viewShaded || view == drape_viewWireframe)
		return kept;
	to->edgeCount = from->edgeCount;
	to->velocities = Keep(block, from->velocities, particles * sizeof *from->velocities);
	to->particleLevels = Keep(block, from->particleLevels, particles);
	to->patternTriangles = Keep(block, from->patternTriangles, triangles * sizeof *from->patternTriangles);
	to->triangleLevels = Keep(block, from->triangleLevels, triangles);
	to->edgeFrom = Keep(block, from->edgeFrom, edges * sizeof *from->edgeFrom);
	to->edgeTo = Keep(block, from->edgeTo, edges * sizeof *from->edgeTo);
	to->restLengths = Keep(block, from->restLengths, edges * sizeof *from->restLengths);
	kept.touching = Keep(block, cloth->touching, particles);
	kept.points = Keep(block, cloth->points, cloth->pointCount * sizeof *cloth->points);
	kept.pointCount = cloth->pointCount;
	return kept;
}

static drapeDrawnMesh KeepMesh(Block* block, const drapeDrawnMesh* mesh)
{
	drapeDrawnMesh kept = *mesh;
	kept.positions = Keep(block, mesh->positions, mesh->vertexCount * sizeof *mesh->positions);
	kept.normals = Keep(block, mesh->normals, mesh->vertexCount * sizeof *mesh->normals);
	kept.triangles = Keep(block, mesh->triangles, 3 * (size_t)mesh->triangleCount * sizeof *mesh->triangles);
	return kept;
}

static void KeepFrame(Block* block, const drapePicture* picture, RenderFrame* frame)
{
	frame->shapes = Keep(block, picture->shapes, picture->shapeCount * sizeof *picture->shapes);
	frame->shapeCount = picture->shapeCount;
	// Redirect the pointers of the copied meshes and cloths to the copied arrays.
	drapeDrawnMesh* meshes = (drapeDrawnMesh*)Keep(block, picture->meshes, picture->meshCount * sizeof *meshes);
	for (uint32_t i = 0; i < picture->meshCount; ++i)
	{
		drapeDrawnMesh kept = KeepMesh(block, &picture->meshes[i]);
		if (meshes)
			meshes[i] = kept;
	}
	frame->meshes = meshes;
	frame->meshCount = picture->meshCount;
	drapeDrawnCloth* cloths = (drapeDrawnCloth*)Keep(block, picture->cloths, picture->clothCount * sizeof *cloths);
	for (uint32_t i = 0; i < picture->clothCount; ++i)
	{
		drapeDrawnCloth kept = KeepCloth(block, &picture->cloths[i], picture->view);
		if (cloths)
			cloths[i] = kept;
	}
	frame->cloths = cloths;
	frame->clothCount = picture->clothCount;
}

void RenderRecord_Begin(RenderRecord* record, uint32_t capacity)
{
	*record = (RenderRecord){.frames = calloc(capacity, sizeof(RenderFrame)), .capacity = capacity};
	record->gaveUp = !record->frames;
}

void RenderRecord_Add(RenderRecord* record, const drapePicture* picture)
{
	if (record->gaveUp)
		return;
	Block block = {0};
	RenderFrame measured, *frame = &record->frames[record->count];
	KeepFrame(&block, picture, &measured);
	bool fits = record->count < record->capacity && record->bytes + block.used <= RENDER_RECORD_LIMIT;
	void* memory = fits ? malloc(block.used + 1) : NULL;
	if (!memory)
	{
		RenderRecord_Free(record);
		record->gaveUp = true;
		return;
	}
	record->bytes += block.used;
	block = (Block){.memory = memory};
	KeepFrame(&block, picture, frame);
	frame->block = memory;
	record->count++;
}

bool RenderRecord_Show(const RenderRecord* record, uint32_t index, drapePicture* picture)
{
	if (index >= record->count)
		return false;
	const RenderFrame* frame = &record->frames[index];
	picture->cloths = frame->cloths;
	picture->clothCount = frame->clothCount;
	picture->shapes = frame->shapes;
	picture->shapeCount = frame->shapeCount;
	picture->meshes = frame->meshes;
	picture->meshCount = frame->meshCount;
	return true;
}

void RenderRecord_Free(RenderRecord* record)
{
	for (uint32_t i = 0; i < record->count; ++i)
		free(record->frames[i].block);
	free(record->frames);
	*record = (RenderRecord){0};
}
