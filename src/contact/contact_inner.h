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
