// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/bitset.h"
#include "base/tasks.h"

// Elements that touch particles (springs on two, triangles on three, bending on four), in colours: no two elements of
// one colour share a particle. So the elements of a colour can be worked on eight at a time and by several threads,
// adding to particles without a race, and the order in which each particle receives its contributions is that of the
// colours, whatever the number of threads. (Box2D's constraint graph is the model.)
//
// The graph follows a mesh that changes: an element is removed and added in constant time, by a mask per particle of
// the colours it has. A particle with more elements than colours puts the rest into the last one, which is worked
// through alone, one by one.

enum
{
	graphColors = 64,
	graphOverflow = 63, // elements here may share particles
	graphGrain = 512,   // elements per task; a multiple of 8
};

// What an element is, as the owner of the graph describes it.
typedef struct GraphElement
{
	uint32_t particle[4];
	float param[2]; // rest length and stiffness, or whatever the loop reads
} GraphElement;

typedef struct GraphColor
{
	uint32_t count, capacity;
	uint32_t* particle[4]; // [capacity] each
	float* param[2];       // [capacity] each
	uint32_t* item;        // [capacity] the element's index in its owner's arrays
} GraphColor;

typedef struct ColorGraph
{
	uint64_t version;    // changes whenever elements come, go or change places
	uint32_t arity;      // particles per element
	uint32_t colorCount; // colours in use: all from this on are empty, but for the overflow
	GraphColor colors[graphColors];
	ARRAY(uint64_t) taken;    // by particle: its colours
	ARRAY(uint8_t) itemColor; // by element; graphNone when it is not in the graph
	ARRAY(uint32_t) itemSlot; // by element
} ColorGraph;

// False when the element does not exist (a boundary edge does not bend).
typedef bool GraphDescribeFcn(const void* context, uint32_t item, GraphElement* element);

void drapeColorGraph_Init(ColorGraph* graph, uint32_t arity);
void drapeColorGraph_Destroy(ColorGraph* graph);

// Throws everything away and adds elements 0 to itemCount - 1. False when memory is short: the graph is empty then.
bool drapeColorGraph_Build(ColorGraph* graph, uint32_t itemCount, uint32_t particleCount, GraphDescribeFcn* describe,
                           const void* context);

// Removes the touched elements among the first oldCount, and adds those among the first newCount. As drapeColorGraph_Build
// when memory is short.
bool drapeColorGraph_Update(ColorGraph* graph, const BitSet* touched, uint32_t oldCount, uint32_t newCount,
                            uint32_t particleCount, GraphDescribeFcn* describe, const void* context);

// Empty, keeping its memory.
void drapeColorGraph_Clear(ColorGraph* graph);

// Room for so many elements and particles in all, and for so many of one colour.
bool drapeColorGraph_ReserveItems(ColorGraph* graph, uint32_t itemCount, uint32_t particleCount);
bool drapeColorGraph_ReserveColor(ColorGraph* graph, uint32_t color, uint32_t count);

// The order of the elements is part of a simulation's state. Restores an order that was read out of colors[].item.
bool drapeColorGraph_Place(ColorGraph* graph, uint32_t color, uint32_t item, uint32_t particleCount,
                           GraphDescribeFcn* describe, const void* context);

// Runs over elements [start, end) of one colour.
typedef void GraphRangeFcn(const GraphColor* color, uint32_t start, uint32_t end, void* context);

// All elements, colour after colour; ranges of one colour in parallel.
void drapeColorGraph_For(const ColorGraph* graph, TaskPool* tasks, GraphRangeFcn* fcn, void* context);

// Checks that no colour has a particle twice and that the masks agree; NULL when all is well.
const char* drapeColorGraph_Validate(const ColorGraph* graph, uint32_t particleCount);
