// SPDX-License-Identifier: MIT
#pragma once

/// @file column.h
/// Columns: the application's own values per particle.
///
/// Thread rule: as world.h.

#include "drape/id.h"

/// The most floats that one value of a column may have.
#define DRAPE_MAX_COLUMN_COMPONENTS 16

/// A column of a cloth: an array with one value per particle that the application uses as it likes, for wetness, dirt
/// or a weight that was painted on the pattern. It follows adaptation: values stay with their particles when indices
/// change, and new particles get a value by the column's rule.

/// The value that a particle gets when adaptation creates it. Values of removed particles are lost.
typedef enum drapeColumnInherit
{
	drape_inheritMean = 0,      ///< the mean of its parents' values by their weights (drapeCloth_GetOrigin)
	drape_inheritNearestParent, ///< that of the parent with the greatest weight, the first one of equals: for labels
	drape_inheritZero,          ///< zero
} drapeColumnInherit;

/// Describes a column. Get one from drapeDefaultColumnDef, then change it.
typedef struct drapeColumnDef
{
	const char* name;        ///< 1 to 63 bytes, unique in the cloth, not beginning with "drape."; copied
	uint32_t componentCount; ///< floats per value, 1 to DRAPE_MAX_COLUMN_COMPONENTS
	drapeColumnInherit inherit;
	const float* constant; ///< [componentCount] initial value of all particles; NULL for zero; copied
	/// [vertices of the pattern * componentCount] initial values of the pattern's vertices, instead of `constant`;
	/// finer particles get theirs by the rule; may be NULL; copied.
	const float* vertexValues;
	void* userData;
	uint32_t cookie; ///< set by drapeDefaultColumnDef
} drapeColumnDef;

/// One float, the mean rule, zero everywhere. The name is not set. Any thread.
DRAPE_API drapeColumnDef drapeDefaultColumnDef(void);

/// Adds a column to a cloth and writes its handle to @p column. It lives until drapeDestroyColumn or until the cloth is
/// destroyed. Snapshots and the state hash include it: a snapshot can only be loaded into a world whose cloths have the
/// same columns, created in the same order.
///
/// Returns ::drape_errorArgument if the cloth does not exist, the definition is not initialised or out of range, or the
/// name is already used; ::drape_errorLimit if the cloth has too many columns (16 are always possible);
/// ::drape_errorMemory. On failure nothing has changed and @p column is null. Changes nothing about the simulation.
DRAPE_API drapeResult drapeCreateColumn(drapeClothId cloth, const drapeColumnDef* def, drapeColumnId* column);

/// Removes a column from its cloth. The handle may be null.
DRAPE_API drapeResult drapeDestroyColumn(drapeColumnId column);

/// Tells whether the handle names a column that exists. Never asserts (id.h).
DRAPE_API bool drapeColumn_IsValid(drapeColumnId column);

/// Returns the cloth of a column; null for a handle that is not valid.
DRAPE_API drapeClothId drapeColumn_GetCloth(drapeColumnId column);

/// Returns the column with this name, or null. The name must not be NULL.
DRAPE_API drapeColumnId drapeCloth_FindColumn(drapeClothId cloth, const char* name);

/// Returns the floats of one value of the column; 0 for a handle that is not valid.
DRAPE_API uint32_t drapeColumn_GetComponentCount(drapeColumnId column);

/// Returns the name. Valid as long as the column; NULL for a handle that is not valid.
DRAPE_API const char* drapeColumn_GetName(drapeColumnId column);

/// Returns the values of a column, [drapeClothView::particleCount * componentCount] floats by particle. The application
/// may read and write them. The pointer is valid until the next call that steps, adapts, edits or destroys the cloth,
/// adds a column to it, or loads a snapshot. Returns NULL for a handle that is not valid.
DRAPE_API float* drapeColumn_GetValues(drapeColumnId column);

/// Sets and returns the pointer of the application, which the library does not read. NULL for a handle that is not valid.
DRAPE_API drapeResult drapeColumn_SetUserData(drapeColumnId column, void* userData);
DRAPE_API void* drapeColumn_GetUserData(drapeColumnId column);
