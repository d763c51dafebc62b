// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "base/rigid_fit.h"
#include "contact/contact.h"
#include "drape/vertex.h"

// Painted columns: values of the pattern's vertices (drape/vertex.h), which finer particles inherit, and skinned
// positions. A cloth has a column only for kinds that it uses (Cloth_Painted).

typedef struct Cloth Cloth;

enum
{
	paintedSkin = drape_vertexValueCount, // SkinTarget
	paintedSkinLoad,                      // SkinLoad, with paintedSkin
	paintedColumns,
};

// The skinned position of a particle. The mean of all its numbers is inherited.
typedef struct SkinTarget
{
	Vec3 from, to;           // m, when the step begins and ends
	Vec3 fromNormal, normal; // likewise; the mean of unit vectors, or zero
} SkinTarget;

// Forces of limits on a particle at the end of the last substep, N; a positive number means that the limit acted.
typedef struct SkinLoad
{
	float pull, push; // to the skinned position, and off the back stop
} SkinLoad;

// Limits at and beyond this are none, m.
static const float paintedFree = 1e6f;

// The cloth has no painted column.
void drapePainted_Init(Cloth* cloth);

// Checks the values of the vertices. `message` may be NULL.
drapeResult drapePainted_Check(uint32_t kind, const float* values, uint32_t count, drapeMessage* message);

// Sets the values of all kinds; those that are NULL stay. False when out of memory.
bool drapePainted_SetAll(Cloth* cloth, const float* const values[drape_vertexValueCount]);

// Copies the kinds that the target does not have, and skinned positions, from a cloth of the same pattern. Returns false
// when out of memory.
bool drapePainted_Transfer(const Cloth* from, Cloth* to);

// Moves the skinned positions, at the beginning and at the end of the step.
void drapePainted_MoveSkin(Cloth* cloth, const RigidMotion* motion);

// The largest factor of thickness.
float drapePainted_MostThickness(const Cloth* cloth);

// Adds the factors of thickness and friction to a description of contacts with colliders.
void drapePainted_DescribeContact(const Cloth* cloth, ContactDef* contact);

// A hash of the columns that are used; 0 for none.
uint64_t drapePainted_Hash(const Cloth* cloth);

// For snapshots: bits of the columns that are used; bytes of a value; memory for columns, false when there is none; the
// use of exactly these columns.
uint32_t drapePainted_Present(const Cloth* cloth);
uint32_t drapePainted_Size(uint32_t kind);
bool drapePainted_Reserve(Cloth* cloth, uint32_t present);
void drapePainted_Use(Cloth* cloth, uint32_t present);
