// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/rigid_fit.h"
#include "contact/contact_cache.h"
#include "world/cloth.h"

// Jumps: bodies or pins that are elsewhere when the step ends, by a motion that no body makes, such as a character that
// is put to another place. The cloth on them is carried along rigidly. It keeps its shape, and its velocities turn with
// it. The step of the body begins at the carried place, so that nothing is swept through the space between.
//
// A cloth goes along when everything that it depends on jumps alike:
//
//   held cloth   all pins and attachments jump. Otherwise it stays, and pins that jump become loose (pins.h).
//   other cloth  most particles near a collider are near one that jumps.
//
// A point jumps when it moves by more than a share of the size of the cloth within the step, and by as much away from
// the place to which its last velocity would have taken it. Fast bodies therefore do not jump: their velocity is known.
// Cloths that touch the same body, or that constraints join, make one group with one motion. It is the rigid motion that
// fits their points best. If it leaves too much, the group stays.

// Frames of cloths (drapeCloth_SetFrame) carry in the same way: the cloth goes along with the part of the frame's motion
// that it does not feel, and so do the colliders that this motion brings nearer to the end of their step.

// A cloth in the search for jumps.
typedef struct JumpCloth
{
	uint32_t group;   // another cloth or collider of the same group; its own index for the first one
	bool goes, stays; // points that it depends on jump; they do not
	bool isCarried;   // its rows were saved
	bool hasJumpingPin;
	float least;        // m: points that move by less do not jump
	uint32_t savedRows; // first row in `saved`
	uint32_t savedPins; // first entry in `pinFrom`
} JumpCloth;

// A point that a cloth depends on and that jumps.
typedef struct JumpPoint
{
	uint32_t cloth;
	uint32_t collider; // that has the point; DRAPE_NONE for a pin
	Vec3 from, to;     // m
	Vec3 unexpected;   // m: the part of the way that its last velocity does not explain
} JumpPoint;

typedef struct JumpCollider
{
	uint32_t group;
	bool isCarried;
	drapeTransform from;    // when the step began
	uint32_t savedVertices; // first entry in `vertices`
} JumpCollider;

typedef struct Jumps
{
	bool hasCarried;               // in the step in progress
	ARRAY(JumpCloth) cloths;       // per slot
	ARRAY(JumpCollider) colliders; // per slot
	ARRAY(JumpPoint) points;
	ARRAY(Vec4) saved;     // rows of carried cloths when the step began
	ARRAY(Vec3) pinFrom;   // of their pins, likewise
	ARRAY(Vec3) vertices;  // of carried meshes, likewise
	CachedVertices turned; // of cloths whose frame turns
} Jumps;

enum
{
	carriedRows = 5, // of Vec4 per particle
};

void drapeJumps_Destroy(Jumps* jumps);

// Moves positions, velocities, history and friction state of all particles. Normals stay as they are.
void drapeCloth_MoveRigidly(Cloth* cloth, const RigidMotion* motion);

// Before the simulate stage of a step of dt seconds: carries the cloths that have to go along. False when out of
// memory; nothing has changed then.
bool drapeJumps_Carry(drapeWorld* world, float dt);

// The step failed: takes carried cloths, pins and colliders back. drapeScenery_Revert has to follow.
void drapeJumps_Undo(drapeWorld* world);
