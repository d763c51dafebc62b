// SPDX-License-Identifier: MIT
#pragma once

#include "drape/drape.h"

// The scenes of `drape bench contact`: cloth falling on things, into things and on itself.
//
// The fabric is a cotton of finite elements, 2 mm thick, friction 0.5, with contact of faces and edges. The solver is
// implicit Euler with one solve to a hundredth of the residual. So that what lies comes to rest, threads frictionState on each
// other, the fabric damps and the air slows everything, by as much as FabricDef says. Steps are 1/60 s. Adaptive cloth
// starts eight times as coarse and refines by curvature and by collision to the edges of the other.

static const float contactFrame = 1.0f / 60.0f; // s

enum
{
	contactMaxCloths = 5,
	contactMaxPins = 256,
	contactMaxParticles = 1 << 16,
};

typedef struct ContactSceneDef
{
	const char* name;
	uint32_t columns, rows; // quads of the finest mesh, multiples of eight
	uint32_t levels;        // of the adaptive mesh; 0 for the most
	float speed;            // m/s, of what is shot
	int steps;
	drapeScheme scheme;
	uint32_t threads;
	int nudge; // gravity is greater by so many ten-thousandths: the same scene, folded otherwise
} ContactSceneDef;

// What a particle did when the last step ended.
typedef struct ParticleTouch
{
	bool touches;       // a collider
	drapeVec3 velocity; // m/s
} ParticleTouch;

typedef struct ContactScene
{
	ContactSceneDef def;
	drapeWorldId world;
	drapeClothId cloths[contactMaxCloths];
	uint32_t clothCount;
	// Pins that the scene moves, and where they were.
	drapePinId pins[contactMaxPins];
	drapeVec3 pinned[contactMaxPins];
	ParticleTouch* touches; // [contactMaxParticles] of all cloths in turn
	uint32_t pinCount;
} ContactScene;

// What a scheme is called.
const char* ContactScene_Scheme(drapeScheme scheme);

// What each scene is when nothing else is asked for; NULL past the last.
const ContactSceneDef* ContactScene_List(uint32_t index);

// Ends the program when the library refuses something.
void ContactScene_Create(ContactScene* scene, const ContactSceneDef* def);
void ContactScene_Destroy(ContactScene* scene);

// Before each step: where pins go. Whether any goes somewhere.
bool ContactScene_Animate(ContactScene* scene, int step);
