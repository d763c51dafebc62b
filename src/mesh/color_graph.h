// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/bitset.h"
#include "base/tasks.h"

// A colouring of elements that act on particles: springs on two, triangles on three, bending elements on four. No two
// elements of one colour share a particle. So loops process the elements of a colour eight at a time and on several
// threads, and add to particles without a race. Each particle receives its contributions in the order of the colours,
// for any number of threads. (Box2D's constraint graph is the model.)
//
// The graph follows the changes of a mesh. Each particle has a mask of its colours, so that adding and removing an
// element takes constant time. Elements that find no free colour get the last one, the overflow, which loops process
// one by one.

enum
{
	graphColors = 64,
	graphOverflow = 63, // elements here may share particles
	graphGrain = 512,   // elements per task; a multiple of 8
};

// An element, as the owner of the graph describes it.
typedef struct GraphElement
{
	uint32_t particle[4];
	float param[2]; // rest length and stiffness, or other values that the loop reads
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
	uint64_t version;    // changes when elements are added, removed or reordered
	uint32_t arity;      // particles per element
	uint32_t colorCount; // all colours from this one on are empty, except the overflow
	GraphColor colors[graphColors];
	ARRAY(uint64_t) taken;    // [particle] mask of its colours
	ARRAY(uint8_t) itemColor; // [element] graphNone when it is not in the graph
	ARRAY(uint32_t) itemSlot; // [element] index in its colour
	bool isBorrowed;          // all of this belongs to another graph; the first change copies it
} ColorGraph;

// Returns false when the element does not exist, such as the bending element of a boundary edge.
typedef bool GraphDescribeFcn(const void* context, uint32_t item, GraphElement* element);

void drapeColorGraph_Init(ColorGraph* graph, uint32_t arity);
void drapeColorGraph_Destroy(ColorGraph* graph);

// Turns a copy of the struct into a graph that borrows the elements of the original, which outlives it and does not
// change.
void drapeColorGraph_Borrow(ColorGraph* graph);

// Clears the graph and adds elements 0 to itemCount - 1. False when out of memory: the graph is empty then.
bool drapeColorGraph_Build(ColorGraph* graph, uint32_t itemCount, uint32_t particleCount, GraphDescribeFcn* describe,
                           const void* context);

// Removes the touched elements among the first oldCount, and adds those among the first newCount. False when out of
// memory: the graph is empty then.
bool drapeColorGraph_Update(ColorGraph* graph, const BitSet* touched, uint32_t oldCount, uint32_t newCount,
                            uint32_t particleCount, GraphDescribeFcn* describe, const void* context);

// Removes all elements and keeps the memory.
void drapeColorGraph_Clear(ColorGraph* graph);

// Reserves memory for this many elements and particles in all, and for this many elements of one colour.
bool drapeColorGraph_ReserveItems(ColorGraph* graph, uint32_t itemCount, uint32_t particleCount);
bool drapeColorGraph_ReserveColor(ColorGraph* graph, uint32_t color, uint32_t count);

// The order of the elements is part of the state of a simulation. Appends one element to a colour, to restore an order
// that a snapshot has read from colors[].item. False when out of memory or when the element does not exist.
bool drapeColorGraph_Restore(ColorGraph* graph, uint32_t color, uint32_t item, uint32_t particleCount,
                             GraphDescribeFcn* describe, const void* context);

// Processes elements [start, end) of one colour.
typedef void GraphRangeFcn(const GraphColor* color, uint32_t start, uint32_t end, void* context);

// Calls fcn for all elements, colour after colour; ranges of one colour run in parallel.
void drapeColorGraph_For(const ColorGraph* graph, TaskPool* tasks, GraphRangeFcn* fcn, void* context);

// Checks that no colour has a particle twice and that the masks agree. Returns NULL, or a sentence that says what is
// wrong.
const char* drapeColorGraph_Validate(const ColorGraph* graph, uint32_t particleCount);
