// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/maths.h"

// What is known of obstacles that stand still. To ask whether the middle of an edge is inside a large mesh costs much,
// and from one pass to the next most edges hardly move. So an answer is kept with the ball that it holds in, and asked
// for again when the middle has left that. The answers are the same as without: this decides about time alone, and what
// it is kept by (the number of an edge, which adaptation may give to another one) need not be right.

// Whether the point is inside an obstacle. Where `clearance` is not NULL, it becomes how far around the point, m, the
// answer holds at least; more than `reach` is of no use.
typedef bool ObstacleFcn(Vec3 point, float reach, float* clearance, void* context);

typedef struct Obstacles
{
	ObstacleFcn* ask; // NULL when nothing may be remembered, because they move or answer as they like
	void* context;
	uint32_t revision, seenRevision; // of the obstacles now, and of those that the balls are about
	// Balls by edge and by particle, for the pair that it was born between: the centre, m, and in w the radius, m,
	// below zero inside; 0 when the answer is not known to hold anywhere.
	ARRAY(Vec4) edges, particles;
} Obstacles;

void drapeObstacles_Destroy(Obstacles* obstacles);

// Room for so many, and what was known of other obstacles is forgotten. False when memory is short.
bool drapeObstacles_Follow(Obstacles* obstacles, uint32_t edgeCount, uint32_t particleCount);

// Whether the point is inside. `ball` is one of those above, `length`, m, the size of what asks.
bool drapeObstacles_Contain(const Obstacles* obstacles, Vec4* ball, Vec3 point, float length);
