// SPDX-License-Identifier: MIT
#pragma once

// Worlds of cloth that may not pass through anything, and what says whether it did: exact tests of every triangle, by
// brute force.

#include "sheet.h"

#include "base/maths.h"

enum
{
	sceneCloths = 4,
	sceneBodies = 3,
};

typedef struct ContactSceneDef
{
	uint32_t workers;
	drapeScheme scheme;
	drapeModel model;
	uint32_t quads; // of a sheet of 1 m, along each side
} ContactSceneDef;

// A mesh collider, and the triangles that it was made of.
typedef struct SceneMesh
{
	drapeColliderId collider;
	drapeMesh mesh; // from meshes.h
} SceneMesh;

typedef struct ContactScene
{
	ContactSceneDef def;
	drapeWorldId world;
	drapeClothId cloths[sceneCloths];
	uint32_t clothCount;
	drapeColliderId shapes[sceneBodies];
	uint32_t shapeCount;
	SceneMesh meshes[sceneBodies];
	uint32_t meshCount;
} ContactScene;

// Asserts that it succeeds, as all below.
void ContactScene_Create(ContactScene* scene, const ContactSceneDef* def);
void ContactScene_Destroy(ContactScene* scene);

// A sheet of 1 m x 1 m, put there: columns along x, rows along z before it is turned.
drapeClothId ContactScene_AddSheet(ContactScene* scene, drapeTransform at);

drapeColliderId ContactScene_AddShape(ContactScene* scene, const drapeColliderDef* def);

// Takes over the mesh.
drapeColliderId ContactScene_AddMesh(ContactScene* scene, drapeMesh mesh, drapeTransform at, drapeMotionId motion);

drapeTransform Placed(float x, float y, float z);
drapeTransform Turned(float x, float y, float z, drapeVec3 axis, float angle);

// What is wrong now.
typedef struct SceneFaults
{
	uint32_t selfCrossings; // pairs of triangles, of one cloth or two
	uint32_t bodyCrossings; // faces of cloths within a sphere or capsule, or through a triangle of a mesh
	uint32_t inside;        // particles in a body
	uint32_t notFinite;
} SceneFaults;

SceneFaults ContactScene_Faults(const ContactScene* scene);

// Steps and asserts after each that nothing is wrong.
void ContactScene_Run(ContactScene* scene, uint32_t steps, float dt);

// Mean height of a cloth, m, and the speed of its particles, root mean square, m/s.
float ContactScene_Height(drapeClothId cloth);
float ContactScene_Speed(drapeClothId cloth);
