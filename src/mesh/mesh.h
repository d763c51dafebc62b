// SPDX-License-Identifier: MIT
#pragma once

// mesh — the pattern mesh, which a cloth is created from, and the active mesh, which is simulated.
//
//   topology.h     edges, fans, patches and windings of arbitrary triangles, in linear time
//   check.h        the examination of an input mesh: each stage reads only data that earlier stages have accepted
//   problem.c      one table of all problems: severity, repair and sentence
//   geometry.h     single triangles in double precision, and the limits of size
//   measure.h      sizes, angles, boundary loops and texture islands of a mesh
//   coincident.c   vertices at the same position
//   repair.c       repairs that do not move the surface
//   rest.h         the rest shape, unfolded from 3D or given, and the seams where its two sides differ
//   pattern.h      the pattern mesh: triangles, edges, material coordinates per corner; never changes
//   active.h       the active mesh: dense arrays of particles, triangles and edges; active_check.c its invariants
//   columns.h      per-particle data that follows adaptation
//   color_graph.h  a colouring of elements for parallel loops that add to particles
//   shapes.c       meshes to start with
//
// Invariants of a pattern: manifold with boundary, consistently oriented, every vertex is used and has one fan, every
// triangle has area in 3D and at rest, material coordinates are counter-clockwise. Holes, several components and any
// valence are allowed.
//
// The corner index c = 3 * triangle + k stands for corner k of a triangle, and for the edge from there to the next
// corner.
//
// Sources: material coordinates for refinement, Simnett 2012, 3.6.1; seams, 4.3; warp and weft as material axes, Bender
// & Deul, 4.2.

#include "mesh/pattern.h"
