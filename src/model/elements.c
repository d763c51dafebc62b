// SPDX-License-Identifier: MIT
#include "model/energy.h"

#include <string.h>

// The elements that energies put on triangles and edges of the mesh.

static const ElementShape shapes[elementKinds] = {
	[elementNone] = {0},
	[elementTriangle] = {.particles = 3, .pairs = 3, .pair = {{0, 1}, {1, 2}, {2, 0}}},
	[elementEdge] = {.particles = 2, .pairs = 1, .pair = {{0, 1}}, .isOfEdges = true},
	[elementOpposites] = {.particles = 2, .pairs = 1, .pair = {{0, 1}}, .isOfEdges = true, .hasFarPair = true},
	[elementHinge] = {.particles = 4,
                      .pairs = 6,
                      .pair = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
                      .isOfEdges = true,
                      .hasFarPair = true},
};

const ElementShape* drapeElement_Shape(ElementKind kind)
{
	DRAPE_ASSERT((unsigned)kind < elementKinds);
	return &shapes[kind];
}

uint32_t drapeElement_Count(ElementKind kind, const ActiveMesh* mesh)
{
	DRAPE_ASSERT((unsigned)kind < elementKinds);
	if (kind == elementNone)
		return 0;
	return shapes[kind].isOfEdges ? mesh->edgeCount : mesh->triangleCount;
}

bool drapeElement_Particles(ElementKind kind, const ActiveMesh* mesh, uint32_t element,
                            uint32_t particle[elementParticles])
{
	DRAPE_ASSERT(element < drapeElement_Count(kind, mesh));
	if (kind == elementTriangle)
	{
		memcpy(particle, mesh->triangle[element], sizeof mesh->triangle[element]);
		return true;
	}
	const uint32_t ends[2] = {mesh->edgeFrom[element], mesh->edgeTo[element]};
	const EdgeWings* wings = &mesh->wings[element];
	bool hasBoth = wings->triangle[1] != DRAPE_NONE && wings->opposite[0] != wings->opposite[1];
	bool isOpposites = kind == elementOpposites && hasBoth;
	for (uint32_t k = 0; k < elementParticles; ++k)
	{
		bool isEnd = k < 2 && !isOpposites;
		particle[k] = isEnd || !hasBoth ? ends[k % 2] : wings->opposite[k % 2];
	}
	return kind == elementEdge || hasBoth;
}

// --- elements on edges ----------------------------------------------------------------------------------------------

enum
{
	columnCount = elementParticles + 2,
};
_Static_assert(sizeof(float) == sizeof(uint32_t), "all columns have elements of one size");

// All columns share one allocation, in the order of the struct.
static void SetColumns(EdgeElements* elements, void* memory, uint32_t capacity)
{
	for (uint32_t k = 0; k < elementParticles; ++k)
		elements->particle[k] = memory ? (uint32_t*)memory + (size_t)k * capacity : NULL;
	for (uint32_t k = 0; k < 2; ++k)
		elements->param[k] = memory ? (float*)memory + (size_t)(elementParticles + k) * capacity : NULL;
	elements->capacity = capacity;
}

static size_t Bytes(uint32_t capacity)
{
	return (size_t)columnCount * capacity * sizeof(float);
}

void drapeEdgeElements_Borrow(EdgeElements* elements)
{
	elements->capacity = 0;
}

void drapeEdgeElements_Destroy(EdgeElements* elements)
{
	if (elements->capacity > 0)
		drapeMemFree(elements->particle[0], Bytes(elements->capacity));
	*elements = (EdgeElements){0};
}

// Keeps the elements there are. False when out of memory, and nothing has changed.
static bool Reserve(EdgeElements* elements, uint32_t count)
{
	uint32_t oldCapacity = elements->capacity;
	DRAPE_ASSERT(elements->count <= oldCapacity || oldCapacity == 0);
	if (count <= oldCapacity)
		return true;
	if (count > DRAPE_MAX_ELEMENTS)
		return false;
	uint32_t capacity = (MaxU32(MaxU32(count, elements->count), oldCapacity + oldCapacity / 2) + 7) & ~7u;
	uint32_t* memory = drapeMemAlloc(Bytes(capacity));
	if (!memory)
		return false;
	uint32_t* old = elements->particle[0];
	size_t stride = old ? (size_t)(elements->particle[1] - elements->particle[0]) : 0; // the lender's, if borrowed
	for (size_t i = 0; old && i < columnCount; ++i)
		memcpy(memory + i * capacity, old + i * stride, elements->count * sizeof(uint32_t));
	if (oldCapacity > 0)
		drapeMemFree(old, Bytes(oldCapacity));
	SetColumns(elements, memory, capacity);
	return true;
}

typedef struct EdgeSource
{
	ElementKind kind;
	const ActiveMesh* mesh;
	GraphDescribeFcn* describe;
	const void* context;
} EdgeSource;

static void Describe(EdgeElements* elements, const EdgeSource* source, uint32_t edge)
{
	uint32_t particle[elementParticles];
	GraphElement element = {0};
	bool isThere = drapeElement_Particles(source->kind, source->mesh, edge, particle) &&
	               source->describe(source->context, edge, &element);
	for (uint32_t k = 0; k < elementParticles; ++k)
		elements->particle[k][edge] = particle[k];
	for (uint32_t k = 0; k < 2; ++k)
		elements->param[k][edge] = isThere ? element.param[k] : 0.0f;
	DRAPE_ASSERT(!isThere || (element.particle[0] == particle[0] && element.particle[1] == particle[1]));
}

// Lanes past the last edge, and the greatest parameters.
static void Finish(EdgeElements* elements)
{
	for (uint32_t i = elements->count; i % 8 != 0; ++i)
	{
		for (uint32_t k = 0; k < elementParticles; ++k)
			elements->particle[k][i] = elements->particle[k][i - 1];
		elements->param[0][i] = elements->param[1][i] = 0.0f;
	}
	for (int k = 0; k < 2; ++k)
	{
		elements->greatest[k] = 0.0f;
		for (uint32_t i = 0; i < elements->count; ++i)
			elements->greatest[k] = MaxNumF(elements->greatest[k], elements->param[k][i]);
	}
}

bool drapeEdgeElements_Follow(EdgeElements* elements, ElementKind kind, const ActiveMesh* mesh,
                              GraphDescribeFcn* describe, const void* context)
{
	DRAPE_ASSERT(drapeElement_Shape(kind)->isOfEdges && mesh->revision != 0);
	if (elements->revision == mesh->revision)
		return true;
	const ChangeLog* log = &mesh->log;
	const EdgeSource source = {kind, mesh, describe, context};
	bool canPatch = elements->revision != 0 && elements->revision + 1 == mesh->revision && !log->rebuilt;
	DRAPE_ASSERT(!canPatch || elements->count == log->oldEdgeCount);
	elements->revision = 0;
	if (!Reserve(elements, mesh->edgeCount))
		return false;
	uint32_t count = elements->count = mesh->edgeCount;
	if (canPatch)
	{
		const BitSet* touched = &log->edgesTouched;
		for (uint32_t i = BitSet_Next(touched, 0, count); i != DRAPE_NONE; i = BitSet_Next(touched, i + 1, count))
			Describe(elements, &source, i);
	}
	else
	{
		for (uint32_t i = 0; i < count; ++i)
			Describe(elements, &source, i);
	}
	Finish(elements);
	elements->revision = mesh->revision;
	return true;
}
