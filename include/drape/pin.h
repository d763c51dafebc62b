// SPDX-License-Identifier: MIT
#pragma once

/// @file pin.h
/// Pins: particles of a cloth that go where the application says.
///
/// Thread rule: as world.h.

#include "drape/id.h"

/// Pins a particle at its position: it becomes kinematic. Adaptation does not remove the particle while the pin exists.
/// The vertices of the pattern are always the particles with the same indices. @p pin (may be NULL) receives the handle,
/// that of the existing pin if the particle is already pinned. The pin lives until drapeDestroyPin, until its end
/// (drapePin_SetTimes), or until the cloth is destroyed. Returns ::drape_errorArgument for a particle that does not
/// exist, or ::drape_errorMemory; @p pin is then null.
DRAPE_API drapeResult drapeCreatePin(drapeClothId cloth, uint32_t particle, drapePinId* pin);

/// Removes a pin. The particle keeps its velocity. The handle may be null.
DRAPE_API drapeResult drapeDestroyPin(drapePinId pin);

/// Pins many particles in one call. @p particles has @p count
/// entries; @p pins, [count], receives their handles and may be NULL. A particle that is pinned already, or named twice,
/// has one pin. Returns ::drape_errorArgument, with the index of the entry, if a particle does not exist, or
/// ::drape_errorMemory; nothing has changed then and @p pins is null.
DRAPE_API drapeResult drapeCreatePins(drapeClothId cloth, const uint32_t* particles, uint32_t count, drapePinId* pins);

/// Removes many pins of a cloth. @p pins has @p count entries, which may be null. Returns ::drape_errorArgument, with the
/// index of the entry, and changes nothing if one is not a pin of this cloth.
DRAPE_API drapeResult drapeDestroyPins(drapeClothId cloth, const drapePinId* pins, uint32_t count);

/// Tells whether the handle names a pin that exists. Never asserts (id.h).
DRAPE_API bool drapePin_IsValid(drapePinId pin);

/// Returns the cloth of a pin; null for a handle that is not valid.
DRAPE_API drapeClothId drapePin_GetCloth(drapePinId pin);

/// Returns the pinned particle; DRAPE_NONE for a handle that is not valid.
DRAPE_API uint32_t drapePin_GetParticle(drapePinId pin);

/// Sets the position in metres that the pin has at the end of the next step. The pin moves there at constant velocity
/// and follows no motion or collider any more. If all pins of a cloth jump alike, further than bodies move within a
/// step, the cloth is carried along. If only some do, these slip with a force of at most ten weights of the cloth, until
/// they have caught their particles again (docs/contact.md).
DRAPE_API drapeResult drapePin_SetTarget(drapePinId pin, drapeVec3 position);

/// Returns the place of the pin in metres, as drapePinState::target.
DRAPE_API drapeVec3 drapePin_GetTarget(drapePinId pin);

/// Does the same for many pins of a cloth. @p pins and @p positions have @p count entries. Returns
/// ::drape_errorArgument, with the index of the entry, and changes nothing if one is not a pin of this cloth or a
/// position is not finite. Allocates nothing.
DRAPE_API drapeResult drapeCloth_SetPinTargets(drapeClothId cloth, const drapePinId* pins, const drapeVec3* positions,
                                               uint32_t count);

/// Lets the pin follow a motion. The pin keeps its present position relative to the motion's transform. A null motion
/// leaves the pin where it is.
DRAPE_API drapeResult drapePin_SetMotion(drapePinId pin, drapeMotionId motion);

/// Returns the motion that the pin follows, or null.
DRAPE_API drapeMotionId drapePin_GetMotion(drapePinId pin);

/// Lets the pin follow a collider that moves, turns, scales or deforms. The pin keeps its present offset from the
/// collider: on a mesh, from the nearest triangle and in its frame. A null collider leaves the pin where it is, and so
/// does the destruction of the collider.
DRAPE_API drapeResult drapePin_SetCollider(drapePinId pin, drapeColliderId collider);

/// Returns the collider that the pin follows, or null.
DRAPE_API drapeColliderId drapePin_GetCollider(drapePinId pin);

/// Sets the times in seconds of the world from which and until which the pin holds its particle; an @p end of 0 is
/// never. A pin that starts later holds the particle where it is then. A pin that ends is removed. Returns
/// ::drape_errorArgument and changes nothing if a time is not finite, if @p end is not after @p start, or if @p start is
/// in the future and the particle is not a vertex of the pattern.
DRAPE_API drapeResult drapePin_SetTimes(drapePinId pin, float start, float end);

/// Writes these times; both pointers may be NULL. Zeros for a handle that is not valid, with ::drape_errorArgument.
DRAPE_API drapeResult drapePin_GetTimes(drapePinId pin, float* start, float* end);

/// Sets the largest force in newtons with which the pin holds its particle, 0 to 10^9; 0 is no limit, as at first. A pin
/// with a limit does not make the particle kinematic. It holds it at the place of the pin as long as the force suffices.
/// Otherwise the pin slips: it pulls with the largest force towards its place, and catches the particle when it arrives.
/// Fingers that hold a sheet, or the mouse of an editor, are such pins. When the limit is removed, the pin takes the
/// particle to its place within the next step. Returns ::drape_errorArgument and changes nothing if the force is out of
/// range.
DRAPE_API drapeResult drapePin_SetMaxForce(drapePinId pin, float maxForce);
DRAPE_API float drapePin_GetMaxForce(drapePinId pin);

/// The state of a pin after the last step.
typedef struct drapePinState
{
	drapeVec3 target; ///< m, the place of the pin; after drapePin_SetTarget, that at the end of the next step
	float maxForce;   ///< N; 0 for no limit
	drapeVec3 force;  ///< N, on the particle, at the end of the last substep; zero for a pin without a limit
	float lag;        ///< m, distance of the particle from the place of the pin; zero without a limit
	bool isSlipping;  ///< the pin needs more than its largest force, or has jumped away from its cloth
	bool isActive;    ///< the pin holds its particle; false before its start
	float start, end; ///< s, of the world's time; an end of 0 is never
} drapePinState;

/// Returns the state of a pin; zeros for a handle that is not valid.
DRAPE_API drapePinState drapePin_GetState(drapePinId pin);

/// Sets and returns the pointer of the application, which the library does not read. NULL for a handle that is not valid.
DRAPE_API drapeResult drapePin_SetUserData(drapePinId pin, void* userData);
DRAPE_API void* drapePin_GetUserData(drapePinId pin);
