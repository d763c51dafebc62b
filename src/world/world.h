// SPDX-License-Identifier: MIT
#pragma once

// world — the public handles, and the step that runs the other rooms in order.
//
//   world.c   worlds: threads, the pools that their cloths share, validation
//   cloth.c   cloths: a pattern, a scheme over it, the active mesh; editing by hand, views
//
// Handles of cloths are checked in one place, Cloth_Get. Public functions check what programs pass; rooms below assert
// it.

#include "adapt/criteria.h"
#include "adapt/edge.h"
#include "base/tasks.h"
#include "drape/world.h"

typedef struct Cloth
{
	uint32_t generation; // of the slot; odd while in use
	PatternMesh pattern;
	ActiveMesh active;
	Scheme* scheme;
	drapeAdaptDef adapt;
	Criteria criteria;
} Cloth;

struct drapeWorld
{
	TaskPool* tasks;
	EdgePools edgePools;
	ARRAY(Cloth*) cloths; // by slot, also those that are free
};

// NULL for a handle that is null or stale.
Cloth* Cloth_Get(drapeClothId cloth);

void Cloth_Destroy(Cloth* cloth);
bool Cloth_IsUsed(const Cloth* cloth);

// NULL when all is well, else a sentence.
const char* Cloth_Validate(const Cloth* cloth);
