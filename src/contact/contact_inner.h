// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact_stage.h"

// Shared by the files of the contact stage.

// Brings the colliders in the broad phase in step with the scenery and removes cloths from it. False when out of
// memory.
bool drapeContactStage_GatherColliders(ContactStage* stage);

// Begins to number the vertices of cloths for stitches. False when out of memory.
bool drapeContactStage_BeginStitched(ContactStage* stage);

// Margin of a cloth's bounds when proximities are searched, m.
float drapeContactStage_NearMargin(const ContactStage* stage, const ContactCloth* cloth);

// True when the cloths moved too little within the step for an impact. Needs the proximities of Prepare and the ends of
// all trajectories.
bool drapeContactStage_IsQuiet(ContactStage* stage);

// Returns the first body that is a cloth. The vertices and elements of the recovery are those of the bodies from there
// on.
DRAPE_INLINE const ContactBody* ContactStage_FirstCloth(const ContactStage* stage)
{
	DRAPE_ASSERT(stage->colliderBodies < stage->broadPhase.bodies.bodies.count);
	return &stage->broadPhase.bodies.bodies.data[stage->colliderBodies];
}

// Returns the cloth of a body, NULL for colliders.
DRAPE_INLINE const ContactCloth* ContactStage_ClothOf(const ContactStage* stage, uint32_t body)
{
	DRAPE_ASSERT(body < stage->broadPhase.members.count);
	const BroadPhaseMember* member = &stage->broadPhase.members.data[body];
	return member->cloth ? &stage->cloths.data[member->index] : NULL;
}

// Returns the colliders that a cloth touches.
DRAPE_INLINE const ContactScenery* ContactStage_SceneryOf(const ContactStage* stage, const ContactCloth* cloth)
{
	return cloth->seen ? cloth->seen : &stage->scenery;
}

// Returns the body of a collider of a cloth's scenery; shapes come before meshes.
DRAPE_INLINE uint32_t ContactScenery_BodyOf(const ContactScenery* scenery, uint32_t index)
{
	DRAPE_ASSERT(index < scenery->colliderCount + scenery->meshCount);
	return scenery->bodies ? scenery->bodies[index] : index;
}

// The opposite; DRAPE_NONE for a body that the cloth does not touch.
uint32_t drapeContactScenery_IndexOf(const ContactScenery* scenery, uint32_t body);

// --- contacts that are let go ---------------------------------------------------------------------------------------

// Returns the state of a gathered vertex (response/pinch.h), NULL for vertices that have none.
PinchState* drapeContactStage_PinchOf(const ContactStage* stage, uint32_t vertex);

// Returns whether a collider passes through a contact's cloth: it is on the wrong side already, or a vertex yields, or is
// pinched and has another home. The parts of a mesh are not told apart.
bool drapeContactStage_PassesThrough(const ContactStage* stage, const uint32_t vertex[4]);

// Returns whether a vertex of a contact is inside a collider.
bool drapeContactStage_IsInside(const ContactStage* stage, const uint32_t vertex[4]);

// Finds where cloths cross mesh colliders, and how they leave them (response/collider_sides.h). Returns false when out
// of memory.
bool drapeContactStage_LeaveColliders(ContactStage* stage, float reach, float dt);

// A filter of contacts: the normal points from the last vertex to the first.
bool drapeContactStage_IsFreed(const ContactStage* stage, const uint32_t vertex[4], uint32_t firstCount, Vec3 normal);

// ImpactDef::frees: the context is the stage.
bool drapeContactStage_FreesImpact(const ContactFeature* feature, Vec3 normal, const void* context);

// Remembers which vertices of meshes passed through cloths in the step (response/passed.h).
void drapeContactStage_EndPassed(ContactStage* stage, float dt);
