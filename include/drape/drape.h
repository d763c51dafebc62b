// SPDX-License-Identifier: MIT
#pragma once

/// @file drape.h
/// Includes every header of the core: real-time cloth on adaptive meshes. io.h, scene.h and render.h are separate.

#include "drape/adapt.h"
#include "drape/base.h"
#include "drape/mesh.h"
#include "drape/parameter.h"
#include "drape/world.h"
