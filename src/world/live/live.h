// SPDX-License-Identifier: MIT
#pragma once

#include "world/cloth.h"

// Settings of a living cloth (live.c), and the checks that its definition shares with their setters.

drapeResult drapeContactMode_Check(drapeContactMode contact, drapeMessage* message);
drapeResult drapeGravityScale_Check(float scale, drapeMessage* message);
drapeResult drapeInertia_Check(drapeInertia inertia, const char* prefix, drapeMessage* message);
