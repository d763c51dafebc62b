// SPDX-License-Identifier: MIT
#pragma once

/// @file drape.h
/// Includes every header of the core: real-time cloth on adaptive meshes. io.h, scene.h and render.h are separate.

#include "drape/base.h"
#include "drape/parameter.h"
#include "drape/mesh.h"
#include "drape/adapt.h"
#include "drape/material.h"
#include "drape/motion.h"
#include "drape/cloth.h"
#include "drape/constraint.h"
#include "drape/world.h"
