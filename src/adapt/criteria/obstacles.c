// SPDX-License-Identifier: MIT
#include "adapt/criteria/obstacles.h"

#include <math.h>
#include <string.h>

void drapeObstacles_Destroy(Obstacles* obstacles)
{
	ArrayFree(&obstacles->edges);
	obstacles->particles = NULL;
}

bool drapeObstacles_Follow(Obstacles* obstacles, ActiveMesh* mesh)
{
	const ColumnDef def = {.name = "drape.obstacleBalls", .size = sizeof(Vec4), .rule = columnZero};
	if (!obstacles->ask)
		return true;
	uint32_t column = drapeColumns_Find(&mesh->columns, def.name);
	if (column == DRAPE_NONE)
		column = drapeColumns_Add(mesh, &def);
	if (column == DRAPE_NONE || !ArrayReserve(&obstacles->edges, mesh->edgeCount))
		return false;
	obstacles->particles = Columns_Data(&mesh->columns, column);
	if (obstacles->seenRevision != obstacles->revision)
	{
		obstacles->edges.count = 0;
		if (mesh->particleCount > 0)
			memset(obstacles->particles, 0, mesh->particleCount * sizeof(Vec4));
	}
	while (obstacles->edges.count < mesh->edgeCount)
		ArrayPush(&obstacles->edges, (Vec4){0});
	obstacles->seenRevision = obstacles->revision;
	return true;
}

bool drapeObstacles_Contain(const Obstacles* obstacles, Vec4* ball, Vec3 point, float length)
{
	DRAPE_ASSERT(obstacles->ask && length >= 0.0f);
	float moved = 1.0001f * V3Length(V3Sub(point, V4Xyz(*ball)));
	if (moved < fabsf(ball->w))
		return ball->w < 0.0f;
	// A ball costs as much again as the answer. Fast points would leave it before the next pass.
	const float slowly = 0.25f * length;
	float clearance = 0.0f;
	bool isInside = obstacles->ask(point, length, moved < slowly ? &clearance : NULL, obstacles->context);
	DRAPE_ASSERT(clearance >= 0.0f);
	*ball = (Vec4){point.x, point.y, point.z, isInside ? -clearance : clearance};
	return isInside;
}
