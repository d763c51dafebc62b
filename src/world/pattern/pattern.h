// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/platform/platform.h"
#include "base/tasks.h"
#include "base/use_count.h"
#include "drape/cloth.h"
#include "mesh/pattern.h"
#include "solve/base_levels.h"

// A pattern that cloths share (include/drape/pattern.h). The mesh and the coarse levels never change. For each
// combination of settings that a cloth was made with, the pattern keeps a cooked cloth: a cloth of no world, as it is
// before its first step. New cloths borrow its arrays (base/array.h), so it does not change either.
//
// The lock protects the list of cooked cloths, not the cloths: once one is in the list, any thread may read it.

typedef struct CookedCloth CookedCloth;

struct drapePattern
{
	UseCount users; // the program that created it, and each cloth
	PatternMesh mesh;
	BaseLevels base;
	drapeRestDef rest; // its array belonged to the caller and is NULL
	Vec3 lower, upper; // m
	Mutex lock;
	ARRAY(CookedCloth*) cooked;
	int64_t bytes;
};

// Adds a user. Patterns are const for programs; their number of users, and what is cooked, is not visible.
drapePattern* drapePattern_Use(const drapePattern* pattern);

// Removes a user. The last one destroys the pattern. NULL is allowed.
void drapePattern_Leave(drapePattern* pattern);

// Finds or makes the cooked cloth for a definition, whose pattern need not be this one. Returns NULL in `cooked`, with
// drape_ok, if the pattern has so many that the caller has to make its own.
drapeResult drapePattern_Cook(const drapePattern* pattern, const drapeClothDef* def, TaskPool* tasks,
                              const CookedCloth** cooked);
