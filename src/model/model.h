// SPDX-License-Identifier: MIT
#pragma once

// model — from the active mesh to forces and energies.
//
//   material.c   fabrics by name, defaults
//   wind.c       the air: steady, gusting, turbulent; drag and lift on a triangle
