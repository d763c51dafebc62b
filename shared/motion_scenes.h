// SPDX-License-Identifier: MIT
#pragma once

#include "drape/drape.h"
#include "shared/posed_body.h"

// Scenes in which everything moves: clothes on bodies that walk and dance, arms that pinch, jumps, hard pulls, wind.
// `drape bench motion` runs them, and tests run them with coarser meshes. Fabric and solver are those that a program
// takes: finite elements, a measured cotton, implicit Euler with one solve, contact with everything, steps of 1/60 s.
// Garments have the same pattern with every scheme; sheets of adaptive cloth have a pattern four times as coarse.

static const float motionFrame = 1.0f / 60.0f; // s

enum
{
	motionMaxCloths = 50,
	motionMaxColliders = 208,
	motionMaxPins = 128,
};

typedef struct MotionSceneDef
{
	const char* name;
	drapeScheme scheme;
	uint32_t threads;
	float seconds; // budget of each cloth; 0 for none
	bool isCoarse; // a body of 5,200 triangles instead of 28,000, and cloth with a quarter of the triangles
} MotionSceneDef;

typedef struct MotionScene
{
	MotionSceneDef def;
	drapeWorldId world;
	drapeClothId cloths[motionMaxCloths];
	uint32_t clothCount;
	drapeColliderId colliders[motionMaxColliders];
	uint32_t colliderCount;
	// A body whose vertices move, the last of its poses, and its collider; or none.
	PosedBody body;
	drapeVec3* skin; // [body.rest.vertexCount] m; NULL without a body
	bool skinMoved;  // since the last step
	drapeColliderId bodyCollider;
	// Pins that the scene moves, and their first positions, m.
	drapePinId pins[motionMaxPins];
	drapeVec3 pinned[motionMaxPins];
	uint32_t pinCount;
	float thickness; // m, the largest of all cloths
	int settleSteps; // before the motion: cloth comes to rest on the colliders as they stand at its start
	int steps;       // of the motion
	int releaseStep; // the motion's step after which cloth has to come back: jump, release or opening; -1 for none
	bool hasStatic;  // the settled start is worth a comparison: cloth on a body at rest
} MotionScene;

// Names of the scenes; NULL past the last.
const char* MotionScene_Name(uint32_t index);

// True for a scene that is run with two threads and without sqrt3 only, because it takes long.
bool MotionScene_IsLong(const char* name);

// Ends the program when memory runs out or the name is unknown.
void MotionScene_Create(MotionScene* scene, const MotionSceneDef* def);
void MotionScene_Destroy(MotionScene* scene);

// Sets everything that the application moves for a step: 0 is the first one of the motion. To be called before
// MotionScene_Step; not while the cloth settles.
void MotionScene_Animate(MotionScene* scene, int step);

// Makes one step: hands over the vertices of the body, and steps the world.
drapeResult MotionScene_Step(MotionScene* scene);
