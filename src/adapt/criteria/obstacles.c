// SPDX-License-Identifier: MIT
#include "adapt/criteria/obstacles.h"

#include <math.h>

void drapeObstacles_Destroy(Obstacles* obstacles)
{
	ArrayFree(&obstacles->edges);
	ArrayFree(&obstacles->particles);
}

bool drapeObstacles_Follow(Obstacles* obstacles, uint32_t edgeCount, uint32_t particleCount)
{
	if (!obstacles->ask)
		return true;
	if (!ArrayReserve(&obstacles->edges, edgeCount) || !ArrayReserve(&obstacles->particles, particleCount))
		return false;
	if (obstacles->seenRevision != obstacles->revision)
		obstacles->edges.count = obstacles->particles.count = 0;
	while (obstacles->edges.count < edgeCount)
		ArrayPush(&obstacles->edges, (Vec4){0});
	while (obstacles->particles.count < particleCount)
		ArrayPush(&obstacles->particles, (Vec4){0});
	obstacles->seenRevision = obstacles->revision;
	return true;
}

bool drapeObstacles_Contain(const Obstacles* obstacles, Vec4* ball, Vec3 point, float length)
{
	float moved = 1.0001f * V3Length(V3Sub(point, V4Xyz(*ball)));
	if (moved < fabsf(ball->w))
		return ball->w < 0.0f;
	// A ball costs as much again as the answer: not for what will have left it by the next pass.
	const float slowly = 0.25f * length;
	float clearance = 0.0f;
	bool isInside = obstacles->ask(point, length, moved < slowly ? &clearance : NULL, obstacles->context);
	DRAPE_ASSERT(clearance >= 0.0f);
	*ball = (Vec4){point.x, point.y, point.z, isInside ? -clearance : clearance};
	return isInside;
}
