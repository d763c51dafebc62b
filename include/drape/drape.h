// SPDX-License-Identifier: MIT
#pragma once

/// @file drape.h
/// Everything but files: real-time cloth on adaptive meshes.

#include "drape/base.h"
#include "drape/parameter.h"
#include "drape/mesh.h"
#include "drape/adapt.h"
#include "drape/material.h"
#include "drape/motion.h"
#include "drape/cloth.h"
#include "drape/world.h"
