// SPDX-License-Identifier: MIT
#pragma once

#include "drape/drape.h"

// Creation in one expression, for tests and benchmarks: the handle, or null on failure.

drapeWorldId Make_World(const drapeWorldDef* def);
drapeClothId Make_Cloth(drapeWorldId world, const drapeClothDef* def);
drapeColliderId Make_Collider(drapeWorldId world, const drapeColliderDef* def);
// The cookie of the definition need not be set.
drapeMotionId Make_Motion(drapeWorldId world, const drapeMotionDef* def);
drapePinId Make_Pin(drapeClothId cloth, uint32_t particle);

// Removes all pins of a cloth.
void Make_Unpinned(drapeClothId cloth);
drapeConstraintId Make_Attachment(drapeClothId cloth, const drapeAttachDef* def);
drapeConstraintId Make_Tether(drapeClothId cloth, const drapeTetherDef* def);
drapeConstraintId Make_Stitch(drapeClothId cloth, const drapeStitchDef* def);

// The definition of mass-spring cloth of soft cotton with an explicit integrator, as most tests of the mesh use it.
drapeClothDef Make_SpringClothDef(void);

// The size of a snapshot, and the snapshot itself if the capacity suffices; 0 on failure.
size_t Make_Snapshot(drapeWorldId world, void* data, size_t capacity);
