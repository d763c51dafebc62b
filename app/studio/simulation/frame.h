// SPDX-License-Identifier: MIT
#pragma once

// What the simulation was at one moment, copied: drawn and measured while the simulation goes on. Its memory is kept
// from one use to the next.

#include "simulation/simulation.h"

#include "drape/render.h"

typedef struct FrameCloth
{
	drapeClothView view;               // into `memory`
	uint8_t* touching;                 // [particleCount], into `memory`
	uint32_t patternVertexCount;       // the first particles are the vertices of the pattern
	const drapeVec3* patternPositions; // [patternVertexCount] m, where they began; into `memory`
	char name[104];
	void* memory;
	size_t capacity;
} FrameCloth;

typedef struct FrameShape
{
	drapeDrawnShape shape;
	drapeTransform transform; // of the collider itself, in its own size
} FrameShape;

typedef struct Frame
{
	uint64_t serial;  // of every publication; 0 for none yet
	uint64_t scene;   // number of the scene that was applied last
	uint32_t index;   // of the simulation's frame, 0 at the start
	double time;      // s
	drapeStats stats; // sums over the steps of the frame, counts at its end
	float stepMs;     // wall clock of the whole frame
	uint64_t hash;    // of the state; 0 when it is not asked for
	FrameCloth* cloths;
	uint32_t clothCount, clothCapacity;
	FrameShape* shapes;
	uint32_t shapeCount, shapeCapacity;
} Frame;

// False when memory is short: the frame then shows as much as there was room for.
bool drapeFrame_Copy(Frame* frame, const Simulation* simulation);
void drapeFrame_Free(Frame* frame);
uint32_t drapeFrame_Triangles(const Frame* frame);
