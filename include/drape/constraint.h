// SPDX-License-Identifier: MIT
#pragma once

/// @file constraint.h
/// Constraints between two points: attachments to colliders, tethers and stitches.
///
/// A constraint names points of cloths by pattern points, so adaptation and snapshots preserve it. It acts while the
/// world's time is at least `start` and below `end`. The first step in which it acts binds it: it takes the offset from
/// the collider, and a length that was not given, from the positions at the beginning of that step.
///
/// Cloths with implicit integrators have constraints in their system of equations. Cloths that a constraint joins are
/// solved together. Other integrators move particles to satisfy constraints after each substep.
///
/// Thread rule: as world.h. A constraint lives until drapeDestroyConstraint, or until a cloth or collider that it names
/// is destroyed.

#include "drape/cloth.h"
#include "drape/motion.h"

typedef enum drapeConstraintKind
{
	drape_constraintAttachment = 0, ///< drapeCreateAttachment
	drape_constraintTether,         ///< drapeCreateTether
	drape_constraintStitch,         ///< drapeCreateStitch
	drape_constraintKindCount,
} drapeConstraintKind;

/// Describes an attachment: a point of the cloth is held to a point that a collider carries along. The collider may
/// move, turn, scale and deform.
typedef struct drapeAttachDef
{
	drapePatternPoint point;
	drapeColliderId collider;
	/// True: the point keeps its present offset from the collider. False: it is held `offset` metres above the nearest
	/// point of the collider's surface.
	bool keepsOffset;
	float offset;        ///< m, along the outward normal; read if keepsOffset is false
	float stiffness;     ///< N/m, >= 0; 0 for a hard attachment
	float damping;       ///< N s/m, >= 0; of an attachment with stiffness
	float breakDistance; ///< m, >= 0: the attachment breaks when the gap exceeds this; 0 for never
	float start;         ///< s, of the world's time
	float end;           ///< s; 0 for never
	void* userData;
	uint32_t cookie; ///< set by drapeDefaultAttachDef; catches a definition that was not initialised
} drapeAttachDef;

/// Describes a tether: a limit of the distance between a point of the cloth and another point. It pulls when the
/// distance exceeds the limit and exerts no force below it.
typedef struct drapeTetherDef
{
	drapePatternPoint point;
	drapeClothId otherCloth;      ///< null if the other point is not on a cloth
	drapePatternPoint otherPoint; ///< point of otherCloth
	drapeColliderId collider;     ///< carries `anchor` along if otherCloth is null; null for a fixed anchor
	drapeVec3 anchor;             ///< m, in the world when the tether is bound; read if otherCloth is null
	float length;                 ///< m, >= 0; 0 for the distance when the tether is bound
	float stiffness;              ///< N/m, >= 0; 0 for a hard limit
	float damping;                ///< N s/m, >= 0; of a tether with stiffness, while it is taut
	float breakDistance;          ///< m, >= 0: the tether breaks when the distance exceeds this; 0 for never
	float start;                  ///< s, of the world's time
	float end;                    ///< s; 0 for never
	void* userData;
	uint32_t cookie; ///< set by drapeDefaultTetherDef
} drapeTetherDef;

/// Describes a stitch: two points of cloths are drawn together and then held. Contact ignores the triangles that a
/// stitch joins.
typedef struct drapeStitchDef
{
	drapePatternPoint point;
	drapeClothId otherCloth;      ///< may be the same cloth
	drapePatternPoint otherPoint; ///< point of otherCloth
	float speed;                  ///< m/s, > 0: the gap closes no faster than this
	float maxForce;               ///< N, > 0: the pull while the gap is open
	float stiffness;              ///< N/m, >= 0, of the closed stitch; 0 for a hard one
	float damping;                ///< N s/m, >= 0, of the closed stitch with stiffness
	float start;                  ///< s, of the world's time
	float end;                    ///< s; 0 for never
	void* userData;
	uint32_t cookie; ///< set by drapeDefaultStitchDef
} drapeStitchDef;

/// A hard attachment that keeps its offset, from now on. Any thread.
DRAPE_API drapeAttachDef drapeDefaultAttachDef(void);

/// A hard tether to a fixed anchor with the present distance as its limit. Any thread.
DRAPE_API drapeTetherDef drapeDefaultTetherDef(void);

/// A hard stitch that closes at 0.2 m/s with at most 1 N. Any thread.
DRAPE_API drapeStitchDef drapeDefaultStitchDef(void);

/// Creates an attachment of a cloth's point to a collider and writes its handle to @p constraint (may be NULL). Returns
/// ::drape_errorArgument for a value out of range, a point that is not on the pattern, or a collider of another world,
/// or ::drape_errorMemory. @p constraint is then null and the world unchanged.
DRAPE_API drapeResult drapeCreateAttachment(drapeClothId cloth, const drapeAttachDef* def,
                                            drapeConstraintId* constraint);

/// Creates a tether. Errors are those of drapeCreateAttachment, and ::drape_errorLimit if constraints would join more than
/// 63 cloths.
DRAPE_API drapeResult drapeCreateTether(drapeClothId cloth, const drapeTetherDef* def, drapeConstraintId* constraint);

/// Creates a stitch. Errors are those of drapeCreateTether; the two points must differ.
DRAPE_API drapeResult drapeCreateStitch(drapeClothId cloth, const drapeStitchDef* def, drapeConstraintId* constraint);

/// Removes a constraint. The cloth keeps its velocity. The handle may be null.
DRAPE_API drapeResult drapeDestroyConstraint(drapeConstraintId constraint);

/// Tells whether the handle names a constraint that exists. Never asserts (id.h).
DRAPE_API bool drapeConstraint_IsValid(drapeConstraintId constraint);

/// The state of a constraint after the last step.
typedef struct drapeConstraintState
{
	drapeConstraintKind kind;
	bool isActive;   ///< the time is between start and end, and it is not broken
	bool isBroken;   ///< the distance exceeded breakDistance
	bool isClosed;   ///< the stitch has closed its gap and holds it
	drapeVec3 force; ///< N, on `point` of the cloth at the end of the last substep; zero when it is slack or inactive
	float distance;  ///< m, between the two points, measured to the held position for an attachment
} drapeConstraintState;

/// Returns the state of a constraint; zeros for a handle that is not valid.
DRAPE_API drapeConstraintState drapeConstraint_GetState(drapeConstraintId constraint);

/// Returns the world of a constraint; null for a handle that is not valid.
DRAPE_API drapeWorldId drapeConstraint_GetWorld(drapeConstraintId constraint);

/// Write the definition of a constraint of this kind. Return ::drape_errorArgument if it has another kind; @p def is then
/// unchanged.
DRAPE_API drapeResult drapeConstraint_GetAttachDef(drapeConstraintId constraint, drapeAttachDef* def);
DRAPE_API drapeResult drapeConstraint_GetTetherDef(drapeConstraintId constraint, drapeTetherDef* def);
DRAPE_API drapeResult drapeConstraint_GetStitchDef(drapeConstraintId constraint, drapeStitchDef* def);

/// Sets and returns the pointer of the application, which the library does not read. NULL for a handle that is not valid.
DRAPE_API drapeResult drapeConstraint_SetUserData(drapeConstraintId constraint, void* userData);
DRAPE_API void* drapeConstraint_GetUserData(drapeConstraintId constraint);
