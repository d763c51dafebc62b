// SPDX-License-Identifier: MIT
#pragma once

// Finite-element cloths that hang by corners and are integrated implicitly, through the public API: what tests of the
// solvers work on. After a step, a cloth's solver still holds the matrices of its last solve.

#include "sheet.h"

#include "world/world.h"

static const float frame = 1.0f / 60.0f;

// Light cotton, 5 kN/m, implicit Euler with one linear solve; refined by hand only, up to eight levels; no limit of
// stretch, no damping.
drapeClothDef Hang_Def(void);

// A sheet of 1 m x 1 m in the plane y = 0, or the mesh of `def` when it has one, refined everywhere so many times, held
// at pattern vertices 0 and `quads`. Asserts that it succeeds.
drapeClothId Hang_Add(drapeWorldId world, const drapeClothDef* def, uint32_t quads, uint32_t refinements);

// Asserts that it succeeds.
void Hang_Step(drapeWorldId world, float dt);
void Hang_Run(drapeWorldId world, int steps);

// Asserts that every number is finite and every invariant holds.
void Hang_Check(drapeClothId cloth);

// Splits up to `edits` edges at random places.
void Hang_SplitSome(drapeClothId cloth, uint32_t edits, uint64_t seed);

ImplicitSolver* Hang_Solver(drapeClothId cloth);

// Iterations over so many steps.
uint32_t Hang_Iterations(drapeWorldId world, drapeClothId cloth, int steps);
