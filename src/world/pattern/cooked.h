// SPDX-License-Identifier: MIT
#pragma once

#include "world/cloth.h"
#include "world/pattern/pattern.h"

// A cooked cloth: a cloth of no world as it is before its first step, which lends its arrays to the cloths of its pattern.

struct CookedCloth
{
	drapeClothDef def; // its settings that decide the arrays; the others are those of the first cloth
	EdgePools pools;   // of the scheme
	Cloth cloth;
};

// Returns true if cloths of this definition can borrow from the cooked one.
bool drapeCooked_Fits(const CookedCloth* cooked, const drapeClothDef* def);

// Cooks a cloth. The pattern outlives it and gets no user. NULL when out of memory.
CookedCloth* drapeCooked_Create(const drapePattern* pattern, const drapeClothDef* def, TaskPool* tasks);
void drapeCooked_Destroy(CookedCloth* cooked);

// Fills a cloth that drapeCloth_Init has prepared, with the pools of its world. False when out of memory: the cloth is to
// be freed.
bool drapeCooked_Lend(const CookedCloth* cooked, EdgePools* pools, Cloth* cloth);
