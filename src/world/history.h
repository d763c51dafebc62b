// SPDX-License-Identifier: MIT
#pragma once

#include "world/cloth.h"

// The history of a cloth with an implicit integrator: positions and velocities before the last substep, which BDF2
// extrapolates from. ClothSimulation::previousStep is 0 when there is no history. History and friction state are
// columns of the active mesh, so they follow adaptation and are part of snapshots.

// Begins a new cloth, which has no columns.
void drapeCloth_ClearHistory(Cloth* cloth);

// Adds the columns that the kind of integrator needs and the cloth does not have. False when out of memory; nothing has
// changed then.
bool drapeCloth_AddHistory(Cloth* cloth, bool isImplicit);

// Removes the columns of implicit integrators.
void drapeCloth_RemoveImplicitHistory(Cloth* cloth);

// After a solve: the positions and velocities before it, in `previous` and `previousVelocity`, become the history. The
// columns are swapped, so `previous` and `previousVelocity` are scratch afterwards.
void drapeCloth_RememberHistory(Cloth* cloth, float dt);

// Gives a particle the history of one that has come here in a straight line at its present velocity. Does nothing for
// explicit integrators.
void drapeCloth_RestartHistory(Cloth* cloth, uint32_t particle);

// The same for all particles that touch colliders, except those that slide along them.
void drapeCloth_RestartTouchingHistory(Cloth* cloth);

// The next substep begins without history and without friction state.
void drapeCloth_ForgetHistory(Cloth* cloth);
