// SPDX-License-Identifier: MIT
#pragma once

// mesh — what a cloth is cut from. Arrays come in, are examined, perhaps mended, and become a pattern mesh.
//
//   topology.h   the edges of any heap of triangles, its fans, patches and windings, all in linear time
//   check.h      the examination: every stage reads only what the stages before it have cleared
//   problem.c    one table of what can be wrong, how bad it is, what mends it, and the sentence that says so
//   geometry.h   single triangles in double precision, and the limits of size
//   measure.h    what a mesh is: sizes, angles, boundary loops, texture islands
//   coincident.c vertices at the same place
//   repair.c     mends what can be mended without moving the surface
//   rest.h       the undeformed shape: unfolded from 3D, or given; and the seams where two sides disagree
//   pattern.h    the result: triangles, edges, a material coordinate per triangle corner. Never changes once made
//
// Invariants of a pattern: manifold with boundary, consistently wound, every vertex used and with one fan, no triangle
// without area in 3D or at rest, material coordinates counter-clockwise. Holes, several pieces and any valence are
// fine.
//
// Words: corner c = 3 * triangle + k names a triangle's k-th vertex and also the edge from there to the next corner.
//
// Sources: material coordinates and what refinement needs of them, Simnett 2012, 3.6.1; sides that disagree along a
// seam, 4.3; warp and weft as axes of the material, Bender & Deul, 4.2.

#include "mesh/pattern.h"
