// SPDX-License-Identifier: MIT
#pragma once

// A sheet in a world, through the public API, that can be put into any shape: what tests of criteria and worlds work
// on.

#include "support.h"

#include "drape/world.h"

typedef struct Sheet
{
	drapeWorldId world;
	drapeClothId cloth;
} Sheet;

// Where the point (s, t) of the sheet, both 0 to 1, is in space. `amount` is the shape's to use.
typedef drapeVec3 SheetShape(float s, float t, float amount);

drapeVec3 Sheet_Flat(float s, float t, float scale);     // 1 m x 1 m times scale, in the plane y = 0
drapeVec3 Sheet_Cylinder(float s, float t, float angle); // bent along s by `angle` in all, lengths kept
drapeVec3 Sheet_Bumps(float s, float t, float height);   // nine bumps and hollows

// A flat sheet of 1 m x 1 m in a world of its own. Asserts that it succeeds.
Sheet Sheet_Create(uint32_t columns, uint32_t rows, const drapeAdaptDef* adapt);
void Sheet_Destroy(Sheet* sheet);

// Adds another sheet to a world. Null when that fails.
drapeClothId Sheet_Add(drapeWorldId world, uint32_t columns, uint32_t rows, const drapeAdaptDef* adapt);

// Puts every particle where the shape says. False when memory is short.
bool Sheet_SetShape(drapeClothId cloth, SheetShape* shape, float amount);

// Tilts the normals about z by `angle` for each metre along x, without moving anything: to criteria it is bent.
void Sheet_TiltNormals(drapeClothId cloth, float angle);

// Asserts that every invariant of the world holds.
void Sheet_Check(drapeWorldId world);

// A pass of the criteria, asserted to succeed.
drapeAdaptResult Sheet_Adapt(drapeClothId cloth);

// Passes until `quiet` of them in a row change nothing. False when that takes more than `limit`. With a shape the
// particles are put back on it after each.
bool Sheet_Settle(drapeClothId cloth, uint32_t quiet, uint32_t limit, SheetShape* shape, float amount);

uint32_t Sheet_DeepestLevel(drapeClothId cloth);
uint32_t Sheet_ShallowestLevel(drapeClothId cloth);

// No criterion, the edge scheme, no waiting.
drapeAdaptDef Sheet_Plain(uint32_t maxLevel);

// Assertions of the library that failed between the two calls; the program goes on meanwhile.
void Test_RecordAsserts(void);
uint32_t Test_RecordedAsserts(void);

// Asserted in debug builds, refused quietly in others: what every call with a bad argument must do.
#ifdef NDEBUG
#define ASSERT_REFUSED(call)                                                                                           \
	do                                                                                                                 \
	{                                                                                                                  \
		call;                                                                                                          \
	} while (0)
#else
#define ASSERT_REFUSED(call)                                                                                           \
	do                                                                                                                 \
	{                                                                                                                  \
		Test_RecordAsserts();                                                                                          \
		call;                                                                                                          \
		assert_true(Test_RecordedAsserts() > 0);                                                                       \
	} while (0)
#endif

// A world with so many workers, and nothing in it. Asserts that it succeeds.
drapeWorldId Sheet_World(uint32_t workers);

// Finite elements on a fixed mesh that settle soon, kept out of everything.
drapeClothDef Sheet_CalmDef(void);
