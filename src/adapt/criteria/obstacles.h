// SPDX-License-Identifier: MIT
#pragma once

#include "mesh/active.h"

// Remembered answers about obstacles at rest. The test of a point against a large mesh is expensive, and most edges
// hardly move from one pass to the next. So each answer is stored with a ball in which it holds, and the obstacles are
// asked again only when the midpoint has left the ball. The answers are the same as without: a ball holds for any edge
// or particle that has it.

// Returns whether the point is inside an obstacle. If `clearance` is not NULL, it receives a radius in metres around
// the point in which the answer holds; a radius above `maxClearance` is of no use.
typedef bool ObstacleFcn(Vec3 point, float maxClearance, float* clearance, void* context);

typedef struct Obstacles
{
	ObstacleFcn* ask; // NULL when answers must not be remembered, because obstacles move or belong to the application
	void* context;
	uint32_t revision, seenRevision; // the present one of the obstacles, and that of the balls
	// Balls of the edges, and of the particles for the pairs of their parents. A ball is a centre, m, and in w the
	// radius, m, negative inside an obstacle; 0 when nothing is known.
	ARRAY(Vec4) edges;
	Vec4* particles; // a column of the mesh, valid until the mesh changes
} Obstacles;

void drapeObstacles_Destroy(Obstacles* obstacles);

// Reserves balls for all edges and particles of the mesh, and forgets those of an older revision of the obstacles.
// False when out of memory.
bool drapeObstacles_Follow(Obstacles* obstacles, ActiveMesh* mesh);

// Returns whether the point is inside an obstacle. `ball` is one of the above, `length` the size in metres of the edge.
bool drapeObstacles_Contain(const Obstacles* obstacles, Vec4* ball, Vec3 point, float length);
