// SPDX-License-Identifier: MIT
#pragma once

// A figure of tapered capsules that walks in a circle, and the pattern of a cape for it, for the examples in C and C++.

#include <drape/drape.h>

#include <math.h>
#include <stdio.h>

#define FIGURE_PARTS 10
#define CAPE_COLUMNS 20 // quads of the cape's pattern, across and down
#define CAPE_ROWS 14
#define CAPE_VERTICES ((CAPE_COLUMNS + 1) * (CAPE_ROWS + 1))

enum
{
	figureTorso = 0, // the cape hangs from it
	figureHead = 1,
	figureGround = FIGURE_PARTS, // the collider after the parts
	figureColliders,
};

// A capsule that swings about a joint as the figure walks, by bend + swing * sin(stride + phase) radians.
typedef struct FigurePart
{
	int parent;      // the torso is its own
	drapeVec3 joint; // m, from the joint of the parent
	float centre;    // m, above the joint
	float radius, topRadius, halfHeight;
	float bend, swing, phase;
} FigurePart;

static const FigurePart figureParts[FIGURE_PARTS] = {
	{0, {0.0f, 0.93f, 0.0f}, 0.22f, 0.125f, 0.15f, 0.22f, 0.06f, 0.03f, 0.0f}, // torso
	{0, {0.0f, 0.56f, 0.0f}, 0.13f, 0.055f, 0.11f, 0.08f, 0.0f, 0.04f, 3.1f},  // head
	{0, {-0.2f, 0.4f, 0.0f}, -0.14f, 0.042f, 0.058f, 0.14f, 0.0f, 0.5f, 3.1f}, // right arm
	{2, {0.0f, -0.28f, 0.0f}, -0.13f, 0.034f, 0.042f, 0.13f, -0.5f, 0.3f, 3.1f},
	{0, {0.2f, 0.4f, 0.0f}, -0.14f, 0.042f, 0.058f, 0.14f, 0.0f, 0.5f, 0.0f}, // left arm
	{4, {0.0f, -0.28f, 0.0f}, -0.13f, 0.034f, 0.042f, 0.13f, -0.5f, 0.3f, 0.0f},
	{0, {-0.085f, 0.0f, 0.0f}, -0.2f, 0.062f, 0.085f, 0.2f, -0.1f, 0.5f, 0.0f}, // right leg
	{6, {0.0f, -0.42f, 0.0f}, -0.21f, 0.045f, 0.06f, 0.21f, 0.4f, 0.35f, 3.7f},
	{0, {0.085f, 0.0f, 0.0f}, -0.2f, 0.062f, 0.085f, 0.2f, -0.1f, 0.5f, 3.1f}, // left leg
	{8, {0.0f, -0.42f, 0.0f}, -0.21f, 0.045f, 0.06f, 0.21f, 0.4f, 0.35f, 0.6f},
};

static inline drapeVec3 Figure_Vec3(float x, float y, float z)
{
	drapeVec3 v = {x, y, z};
	return v;
}

// The transforms of the capsules after so many seconds, on a circle around `centre`.
static inline void Figure_Pose(float time, drapeVec3 centre, drapeTransform capsules[FIGURE_PARTS])
{
	const float turn = 0.65f * time, stride = 6.5f * time; // radians
	const drapeQuat heading = drapeQuat_FromAxisAngle(Figure_Vec3(0.0f, 1.0f, 0.0f), turn);
	drapeTransform joints[FIGURE_PARTS], figure = drapeIdentityTransform();
	float angles[FIGURE_PARTS];
	figure.position =
		Figure_Vec3(centre.x - 1.6f * cosf(turn), centre.y + 0.02f * cosf(2.0f * stride), centre.z + 1.6f * sinf(turn));
	figure.rotation = heading;
	for (int i = 0; i < FIGURE_PARTS; ++i)
	{
		const FigurePart* part = &figureParts[i];
		float own = part->bend + part->swing * sinf(stride + part->phase);
		angles[i] = i == figureTorso ? own : own + angles[part->parent];
		// The heading times a rotation about x.
		float c = cosf(0.5f * angles[i]), s = sinf(0.5f * angles[i]);
		drapeQuat rotation = {heading.w * s, heading.y * c, -heading.y * s, heading.w * c};
		joints[i].position = drapeTransform_Point(i == figureTorso ? figure : joints[part->parent], part->joint);
		joints[i].rotation = rotation;
		joints[i].scale = 1.0f;
		capsules[i] = joints[i];
		capsules[i].position = drapeTransform_Point(joints[i], Figure_Vec3(0.0f, part->centre, 0.0f));
	}
}

// Adds the capsules, and a box as the ground.
static inline void Figure_AddColliders(drapeWorldId world, drapeColliderId colliders[figureColliders])
{
	drapeTransform capsules[FIGURE_PARTS];
	Figure_Pose(0.0f, Figure_Vec3(0.0f, 0.0f, 0.0f), capsules);
	for (int i = 0; i < figureColliders; ++i)
	{
		drapeColliderDef def = drapeDefaultColliderDef();
		if (i == figureGround)
		{
			def.shape = drape_shapeBox;
			def.halfExtents = Figure_Vec3(20.0f, 0.5f, 20.0f);
			def.transform.position.y = -0.5f;
		}
		else
		{
			def.shape = drape_shapeTaperedCapsule;
			def.radius = figureParts[i].radius;
			def.topRadius = figureParts[i].topRadius;
			def.halfHeight = figureParts[i].halfHeight;
			def.transform = capsules[i];
		}
		if (drapeCreateCollider(world, &def, &colliders[i]) != drape_ok)
			puts(drapeWorld_GetMessage(world));
	}
}

// Moves the capsules to their places at the end of the next step.
static inline void Figure_Walk(float time, drapeVec3 centre, const drapeColliderId colliders[figureColliders])
{
	drapeTransform capsules[FIGURE_PARTS];
	Figure_Pose(time, centre, capsules);
	for (int i = 0; i < FIGURE_PARTS; ++i)
		drapeCollider_SetTransform(colliders[i], capsules[i]);
}

// A cape as a part of a cone behind the torso. Its neckline, the first CAPE_COLUMNS + 1 vertices, follows the torso. `def`
// has everything but the mesh. Null on failure.
static inline drapeClothId Figure_AddCape(drapeWorldId world, drapeClothDef def, drapeColliderId torso)
{
	drapeVec3 positions[CAPE_VERTICES];
	drapeMesh grid, mesh;
	drapeClothId cape;
	drapeMesh_CreateGrid(CAPE_COLUMNS, CAPE_ROWS, 1.0f, 1.0f, &grid, NULL);
	for (int i = 0; i < CAPE_VERTICES; ++i)
	{
		float across = (float)(i % (CAPE_COLUMNS + 1)) / CAPE_COLUMNS,
			  down = (float)(i / (CAPE_COLUMNS + 1)) / CAPE_ROWS;
		float angle = 2.9f * (across - 0.5f), radius = 0.15f + 0.55f * down;
		drapeVec3 place = Figure_Vec3(radius * sinf(angle), 0.31f - 0.8f * down, -radius * cosf(angle));
		positions[i] = drapeTransform_Point(drapeCollider_GetTransform(torso), place);
	}
	mesh = grid;
	mesh.positions = positions;
	def.mesh = &mesh;
	if (drapeCreateCloth(world, &def, &cape) != drape_ok)
		puts(drapeWorld_GetMessage(world));
	drapeMesh_Free(&grid);
	for (uint32_t i = 0; i <= CAPE_COLUMNS && drapeCloth_IsValid(cape); ++i)
	{
		drapePinId pin;
		if (drapeCreatePin(cape, i, &pin) == drape_ok)
			drapePin_SetCollider(pin, torso);
	}
	return cape;
}
