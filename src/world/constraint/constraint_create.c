// SPDX-License-Identifier: MIT
#include "world/constraint/constraints.h"

#include "world/world.h"

#include <string.h>

enum
{
	attachCookie = 0x64617474,
	tetherCookie = 0x64746574,
	stitchCookie = 0x64737469,
};

drapeAttachDef drapeDefaultAttachDef(void)
{
	return (drapeAttachDef){.point.weights = {1.0f, 0.0f, 0.0f}, .keepsOffset = true, .cookie = attachCookie};
}

drapeTetherDef drapeDefaultTetherDef(void)
{
	return (drapeTetherDef){
		.point.weights = {1.0f, 0.0f, 0.0f}, .otherPoint.weights = {1.0f, 0.0f, 0.0f}, .cookie = tetherCookie};
}

drapeStitchDef drapeDefaultStitchDef(void)
{
	return (drapeStitchDef){.point.weights = {1.0f, 0.0f, 0.0f},
	                        .otherPoint.weights = {1.0f, 0.0f, 0.0f},
	                        .speed = 0.2f,
	                        .maxForce = 1.0f,
	                        .cookie = stitchCookie};
}

// --- checks ---------------------------------------------------------------------------------------------------------

// Zero is allowed, and so is any finite value up to 10^9.
static bool IsMeasure(float value)
{
	return value >= 0.0f && value <= 1e9f;
}

static bool TimesAreValid(float start, float end)
{
	return isfinite(start) && IsMeasure(end) && (end == 0.0f || end > start);
}

static bool LawIsValid(float stiffness, float damping, float start, float end)
{
	return IsMeasure(stiffness) && IsMeasure(damping) && TimesAreValid(start, end);
}

// A point of a cloth of this world.
static bool PointIsValid(const drapeWorld* world, drapeClothId id, const drapePatternPoint* point)
{
	if (id.world != world || !drapeCloth_IsValid(id))
		return false;
	return drapePatternPoint_IsValid(drapeCloth_Get(id), point);
}

static bool IsColliderOf(const drapeWorld* world, drapeColliderId collider)
{
	return collider.world == world && drapeCollider_IsValid(collider);
}

static bool AttachIsValid(drapeClothId cloth, const drapeAttachDef* def)
{
	return def && def->cookie == attachCookie && PointIsValid(cloth.world, cloth, &def->point) &&
	       IsColliderOf(cloth.world, def->collider) && isfinite(def->offset) && fabsf(def->offset) <= 1e9f &&
	       IsMeasure(def->breakDistance) && LawIsValid(def->stiffness, def->damping, def->start, def->end);
}

static bool TetherIsValid(drapeClothId cloth, const drapeTetherDef* def)
{
	if (!def || def->cookie != tetherCookie || !PointIsValid(cloth.world, cloth, &def->point) ||
	    !IsMeasure(def->length) || !IsMeasure(def->breakDistance) ||
	    !LawIsValid(def->stiffness, def->damping, def->start, def->end))
		return false;
	if (def->otherCloth.world)
		return PointIsValid(cloth.world, def->otherCloth, &def->otherPoint);
	return V3IsFinite(def->anchor) && (!def->collider.world || IsColliderOf(cloth.world, def->collider));
}

static bool StitchIsValid(drapeClothId cloth, const drapeStitchDef* def)
{
	if (!def || def->cookie != stitchCookie || !PointIsValid(cloth.world, cloth, &def->point) ||
	    !PointIsValid(cloth.world, def->otherCloth, &def->otherPoint) || !IsMeasure(def->speed) ||
	    !IsMeasure(def->maxForce) || !LawIsValid(def->stiffness, def->damping, def->start, def->end))
		return false;
	bool isSame =
		def->otherCloth.index1 == cloth.index1 && memcmp(&def->point, &def->otherPoint, sizeof def->point) == 0;
	return def->speed > 0.0f && def->maxForce > 0.0f && !isSame;
}

// True when constraints would join at most pairMaxSystems cloths with this one.
static bool FitsLinks(const drapeWorld* world, const StoredConstraint* added)
{
	uint32_t linked = 0;
	for (uint32_t slot = 0; slot < world->cloths.count; ++slot)
	{
		bool isLinked = added->cloth1[1] > 0 && (added->cloth1[0] == slot + 1 || added->cloth1[1] == slot + 1);
		for (uint32_t i = 0; i < world->constraints.list.count && !isLinked; ++i)
		{
			const StoredConstraint* other = &world->constraints.list.data[i];
			isLinked = (other->generation & 1) && other->cloth1[1] > 0 && other->cloth1[0] != other->cloth1[1] &&
			           (other->cloth1[0] == slot + 1 || other->cloth1[1] == slot + 1);
		}
		linked += isLinked;
	}
	return added->cloth1[0] == added->cloth1[1] || linked <= pairMaxSystems;
}

// --- creation -------------------------------------------------------------------------------------------------------

static drapeConstraintId Refuse(drapeResult result, drapeResult* reason)
{
	if (reason)
		*reason = result;
	return (drapeConstraintId){0};
}

static drapeConstraintId Add(drapeWorld* world, StoredConstraint* constraint, drapeResult* reason)
{
	WorldConstraints* all = &world->constraints;
	uint32_t slot = 0;
	if (!FitsLinks(world, constraint))
		return Refuse(drape_errorLimit, reason);
	while (slot < all->list.count && (all->list.data[slot].generation & 1))
		slot++;
	if (slot == all->list.count)
	{
		if (!ArrayReserve(&all->list, slot + 1) || !ArrayReserve(&all->placeRevisions, 2 * (slot + 1)))
			return Refuse(drape_errorMemory, reason);
		all->list.count++;
		all->list.data[slot].generation = 0;
	}
	for (uint32_t i = 2 * slot; i < MinU32(2 * slot + 2, all->placeRevisions.count); ++i)
		all->placeRevisions.data[i] = 0;
	constraint->generation = all->list.data[slot].generation + 1;
	all->list.data[slot] = *constraint;
	if (reason)
		*reason = drape_ok;
	return (drapeConstraintId){world, slot + 1, constraint->generation};
}

// All bytes are written: snapshots store them.
static StoredConstraint Make(drapeConstraintKind kind, drapeClothId cloth, const drapePatternPoint* point)
{
	StoredConstraint constraint;
	memset(&constraint, 0, sizeof constraint);
	constraint.kind = kind;
	constraint.cloth1[0] = cloth.index1;
	constraint.point[0] = *point;
	constraint.breakDistance = INFINITY;
	return constraint;
}

static void SetLaw(StoredConstraint* constraint, float stiffness, float damping, float start, float end)
{
	constraint->stiffness = stiffness > 0.0f ? stiffness : INFINITY;
	constraint->damping = damping;
	constraint->start = start;
	constraint->end = end;
}

drapeConstraintId drapeCloth_Attach(drapeClothId cloth, const drapeAttachDef* def)
{
	bool isValid = AttachIsValid(cloth, def);
	DRAPE_ASSERT(isValid);
	if (!isValid)
		return Refuse(drape_errorArgument, def ? def->result : NULL);
	StoredConstraint constraint = Make(drape_constraintAttachment, cloth, &def->point);
	SetLaw(&constraint, def->stiffness, def->damping, def->start, def->end);
	constraint.collider1 = def->collider.index1;
	constraint.anchorRule = def->keepsOffset ? anchorPresent : anchorAbove;
	constraint.offset = def->offset;
	if (def->breakDistance > 0.0f)
		constraint.breakDistance = def->breakDistance;
	return Add(cloth.world, &constraint, def->result);
}

drapeConstraintId drapeCloth_Tether(drapeClothId cloth, const drapeTetherDef* def)
{
	bool isValid = TetherIsValid(cloth, def);
	DRAPE_ASSERT(isValid);
	if (!isValid)
		return Refuse(drape_errorArgument, def ? def->result : NULL);
	StoredConstraint constraint = Make(drape_constraintTether, cloth, &def->point);
	SetLaw(&constraint, def->stiffness, def->damping, def->start, def->end);
	constraint.length = def->length;
	constraint.anchorRule = anchorGiven;
	if (def->breakDistance > 0.0f)
		constraint.breakDistance = def->breakDistance;
	if (def->otherCloth.world)
	{
		constraint.cloth1[1] = def->otherCloth.index1;
		constraint.point[1] = def->otherPoint;
	}
	else
	{
		constraint.collider1 = def->collider.index1;
		constraint.target = def->anchor;
	}
	return Add(cloth.world, &constraint, def->result);
}

drapeConstraintId drapeCloth_Stitch(drapeClothId cloth, const drapeStitchDef* def)
{
	bool isValid = StitchIsValid(cloth, def);
	DRAPE_ASSERT(isValid);
	if (!isValid)
		return Refuse(drape_errorArgument, def ? def->result : NULL);
	StoredConstraint constraint = Make(drape_constraintStitch, cloth, &def->point);
	SetLaw(&constraint, def->stiffness, def->damping, def->start, def->end);
	constraint.cloth1[1] = def->otherCloth.index1;
	constraint.point[1] = def->otherPoint;
	constraint.speed = def->speed;
	constraint.maxForce = def->maxForce;
	return Add(cloth.world, &constraint, def->result);
}

// --- queries --------------------------------------------------------------------------------------------------------

bool drapeConstraint_IsValid(drapeConstraintId id)
{
	return id.world && id.index1 > 0 && id.index1 <= id.world->constraints.list.count && (id.generation & 1) &&
	       id.world->constraints.list.data[id.index1 - 1].generation == id.generation;
}

drapeConstraintState drapeConstraint_GetState(drapeConstraintId id)
{
	bool isValid = drapeConstraint_IsValid(id);
	DRAPE_ASSERT(isValid);
	if (!isValid)
		return (drapeConstraintState){0};
	const StoredConstraint* constraint = &id.world->constraints.list.data[id.index1 - 1];
	return (drapeConstraintState){
		.kind = constraint->kind,
		.isActive = drapeConstraint_IsOn(id.world, constraint),
		.isBroken = constraint->now.isBroken,
		.isClosed = constraint->now.isClosed,
		.force = constraint->now.force,
		.distance = constraint->now.distance,
	};
}
