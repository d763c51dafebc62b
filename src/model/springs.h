// SPDX-License-Identifier: MIT
#pragma once

#include "model/model.h"

// Bending springs are springs: what bending.c borrows from springs.c.
void drapeModel_AddBendSprings(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks);
double drapeModel_SpringEnergy(const ColorGraph* graph, const Vec4* position);
