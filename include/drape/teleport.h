// SPDX-License-Identifier: MIT
#pragma once

/// @file teleport.h
/// Teleport: cloths, their pins and colliders at another place in one call, without a way in between.
///
/// Thread rule: as world.h.

#include "drape/id.h"
#include "drape/transform.h"

/// Describes a teleport. Get one from drapeDefaultTeleportDef, then change it.
///
/// Everything that is listed moves by x' = rotation x + position, with the origin of the world as the centre of the
/// rotation. To take what stands at a transform `a` to a transform `b` of the same scale, rotate by b.rotation times the
/// inverse of a.rotation, and set `position` to b.position minus the rotated a.position; drapeTeleport_FromTo does that.
typedef struct drapeTeleportDef
{
	drapeQuat rotation; ///< unit length; the identity by default
	drapeVec3 position; ///< m, the translation after the rotation
	/// [clothCount] the cloths that move, with their pins; NULL for all cloths of the world. To move none, pass an array
	/// with a count of 0.
	const drapeClothId* cloths;
	uint32_t clothCount;
	const drapeColliderId* colliders; ///< [colliderCount] the colliders that move; NULL for all; as `cloths`
	uint32_t colliderCount;
	bool stops;      ///< sets the velocities of cloths to zero; false: velocities turn with the cloth
	uint32_t cookie; ///< set by drapeDefaultTeleportDef; catches a definition that was not initialised
} drapeTeleportDef;

/// All cloths and colliders stay where they are and keep their velocities. Any thread.
DRAPE_API drapeTeleportDef drapeDefaultTeleportDef(void);

/// Returns the default with the motion that takes the transform @p from to @p to. Scales do not matter. Any thread.
DRAPE_API drapeTeleportDef drapeTeleport_FromTo(drapeTransform from, drapeTransform to);

/// Teleports cloths and colliders between two steps. The next step begins at the new place and sweeps nothing over the
/// way between: there is no contact with obstacles there, no jump and no repetition. Relative to the rotated and moved
/// axes the motion goes on as before, up to rounding, if gravity and wind look the same along them. Far from the origin
/// floats are coarse: at 1 km, positions are rounded to 0.06 mm.
///
/// - Cloths move with velocities, history, the friction of contacts, tethers that are fixed in space, and frames
///   (drapeCloth_SetFrame). Values of columns stay as they are.
/// - Colliders move with velocity and friction. drapeCollider_GetTransform returns the new place. Vertices of
///   drapeCollider_SetPositions count in the collider's own space, which moves. An application that gives vertices in
///   world space sets the identity again with the next vertices (drapeCollider_SetTransform); nothing is swept either.
/// - A collider or a pin that follows a motion goes on along the motion as seen from the new place, until it gets another
///   motion (drapeCollider_SetMotion, drapePin_SetMotion). The motion itself, and others that follow it, stay.
/// - A pin, attachment or tether on a collider follows the collider if both move. If only one of them moves, the point
///   keeps its place on the cloth, with another offset from the collider.
/// - Views, contact points and touches are those of the last step; contact points are empty until the next one.
///
/// Returns ::drape_errorArgument for a definition that is not initialised, a rotation without unit length, numbers that
/// are not finite, an object that does not exist in this world, a place beyond 10^9 m, or a list that separates two
/// cloths that an active constraint joins; or ::drape_errorMemory. The world is then unchanged.
DRAPE_API drapeResult drapeWorld_Teleport(drapeWorldId world, const drapeTeleportDef* def);
