// SPDX-License-Identifier: MIT
#pragma once

/// @file pattern.h
/// Patterns: meshes that were made ready to become cloth, for many cloths of the same shape.
///
/// A pattern holds the mesh, its rest shape, coarser levels for the solver, and the data that the solver derives from
/// them. The first cloth of a pattern computes these data ("cooking"); every later one with the same material, model and
/// scheme shares them, so that it is created in a fraction of the time and takes memory for its own state only. Data that
/// a cloth changes, because it refines, become its own at that time. Results are the same bits as those of a cloth made
/// from the mesh.
///
/// Thread rule: a pattern belongs to no world and does not change visibly. Any thread may call the functions below and
/// create cloths of one pattern, for different worlds, at the same time; cooking makes them wait for each other. The
/// pattern must not be destroyed before these calls have returned.

#include "drape/mesh.h"

/// A pattern. It is destroyed when the program has called drapeDestroyPattern and the last cloth that uses it is gone.
typedef struct drapePattern drapePattern;

/// Describes a pattern. Get one from drapeDefaultPatternDef, then change it.
typedef struct drapePatternDef
{
	const drapeMesh* mesh;   ///< the pattern mesh; copied
	drapeRestDef rest;       ///< source of the undeformed shape; its arrays are copied
	drapeMeshReport* report; ///< out, may be NULL: the problems of the mesh, when it is refused
	uint32_t cookie;         ///< set by drapeDefaultPatternDef; catches a definition that was not initialised
} drapePatternDef;

/// The rest shape of the mesh, and no mesh. Any thread.
DRAPE_API drapePatternDef drapeDefaultPatternDef(void);

/// Creates a pattern and writes it to @p pattern. Returns ::drape_errorArgument for a definition that is not usable,
/// ::drape_errorData for a mesh that cannot become cloth (drapePatternDef::report says why), ::drape_errorLimit or
/// ::drape_errorMemory; @p pattern is then NULL and @p message, which may be NULL, receives a sentence. Any thread.
DRAPE_API drapeResult drapeCreatePattern(const drapePatternDef* def, drapePattern** pattern, drapeMessage* message);

/// Gives a pattern up. Cloths that use it keep it alive; the program must not pass it to a function any more. @p pattern
/// may be NULL. The memory hook for freeing runs on the thread that destroys the pattern or its last cloth. Any thread.
DRAPE_API drapeResult drapeDestroyPattern(drapePattern* pattern);

/// Returns the definition. Its pointers are NULL. Any thread.
DRAPE_API drapePatternDef drapePattern_GetDef(const drapePattern* pattern);

/// Returns the numbers of vertices and triangles; 0 if the pattern is NULL. Any thread.
DRAPE_API uint32_t drapePattern_GetVertexCount(const drapePattern* pattern);
DRAPE_API uint32_t drapePattern_GetTriangleCount(const drapePattern* pattern);

/// Returns the area of the rest shape in m^2; 0 if the pattern is NULL. Any thread.
DRAPE_API double drapePattern_GetArea(const drapePattern* pattern);

/// Writes the corners of the box around the vertices of the mesh, in metres. Both may be NULL. Any thread.
DRAPE_API drapeResult drapePattern_GetBounds(const drapePattern* pattern, drapeVec3* lower, drapeVec3* upper);

/// Returns the memory that the pattern holds, in bytes: the mesh and all data that cloths share. It grows when a cloth with
/// other settings is the first one to use the pattern. Any thread.
DRAPE_API size_t drapePattern_GetMemory(const drapePattern* pattern);
