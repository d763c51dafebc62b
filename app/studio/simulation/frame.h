// SPDX-License-Identifier: MIT
#pragma once

// A copy of the simulation's state at one moment, to be drawn and measured while the simulation goes on. Memory is
// reused from one copy to the next. Topology is copied only when it has changed.

#include "simulation/simulation.h"

#include "drape/render.h"

// Memory that grows and is reused.
typedef struct FrameMemory
{
	void* data;
	size_t capacity; // bytes
} FrameMemory;

// Names the topology that a copy holds.
typedef struct FrameKey
{
	uint32_t worldNumber; // 0 for no copy
	uint32_t index1, generation;
	uint32_t revision;
} FrameKey;

typedef struct FrameCloth
{
	drapeClothView view; // arrays in `state` and `topology`
	uint8_t* touching;   // [particleCount], in `state`
	// Positions (m, at the start), parts and names of the pattern; nothing else is set. In `topology`. The first
	// particles are the vertices of the pattern.
	drapeObj pattern;
	char name[104];
	FrameMemory state;    // positions, velocities, normals, touching
	FrameMemory topology; // the rest of the view
	FrameKey key;         // key of `topology`
	uint32_t topologyCopies;
} FrameCloth;

// The surface of a mesh collider as the simulation has it, in world space.
typedef struct FrameMesh
{
	const drapeVec3* positions; // [vertexCount] m, in `state`
	const uint32_t* triangles;  // [3 * triangleCount], in `topology`
	uint32_t vertexCount, triangleCount;
	FrameMemory state, topology;
	FrameKey key;
} FrameMesh;

typedef struct FrameShape
{
	drapeDrawnShape shape;
	drapeTransform transform; // the collider's own transform
	FrameMesh mesh;           // the mesh of a drape_shapeMesh; empty for other shapes
} FrameShape;

typedef struct Frame
{
	uint64_t serial; // raised with every publication; 0 before the first
	uint64_t scene;  // number of the scene that was applied last
	uint32_t index;  // number of the simulation's frame, 0 at the start
	double time;     // s
	FrameStats stats;
	float stepMs;  // wall clock of the whole frame
	uint64_t hash; // hash of the state; 0 unless requested
	FrameCloth* cloths;
	uint32_t clothCount, clothCapacity;
	FrameShape* shapes;
	uint32_t shapeCount, shapeCapacity;
} Frame;

// False when out of memory: the frame then shows the items that fit.
bool drapeFrame_Copy(Frame* frame, const Simulation* simulation);
void drapeFrame_Free(Frame* frame);
uint32_t drapeFrame_Triangles(const Frame* frame);
