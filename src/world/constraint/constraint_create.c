// SPDX-License-Identifier: MIT
#include "world/constraint/constraints.h"

#include "base/checks/values.h"
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

static drapeResult CheckMeasure(drapeWorld* world, const char* name, float value, const char* unit)
{
	if (IsMeasure(value))
		return drape_ok;
	return drapeWorld_Refuse(world, "%s is %g, expected a number from 0 to 1e9 %s", name, (double)value, unit);
}

static drapeResult CheckLaw(drapeWorld* world, float stiffness, float damping, float start, float end)
{
	drapeResult result = CheckMeasure(world, "stiffness", stiffness, "N/m");
	if (result == drape_ok)
		result = CheckMeasure(world, "damping", damping, "N s/m");
	return result == drape_ok ? drapeTimes_Check(start, end, &world->message) : result;
}

// A point of a cloth of this world.
static drapeResult CheckPoint(drapeWorld* world, const char* name, drapeClothId id, const drapePatternPoint* point)
{
	if (id.world != world->id.world || !drapeCloth_IsValid(id))
		return drapeWorld_Refuse(world, "the cloth of %s does not exist in this world", name);
	return drapePatternPoint_Check(drapeCloth_Get(id), name, point);
}

static drapeResult CheckCollider(drapeWorld* world, drapeColliderId collider)
{
	return drapeCollider_IsOf(world, collider) ? drape_ok
	                                           : drapeWorld_Refuse(world, "the collider does not exist in this world");
}

static drapeResult CheckCookie(drapeWorld* world, bool isSet, const char* function)
{
	return isSet
	           ? drape_ok
	           : drapeWorld_Refuse(world, "the definition of the constraint is not initialised, expected %s", function);
}

static drapeResult CheckAttach(drapeWorld* world, drapeClothId cloth, const drapeAttachDef* def)
{
	drapeResult result = CheckCookie(world, def && def->cookie == attachCookie, "drapeDefaultAttachDef");
	if (result == drape_ok)
		result = CheckPoint(world, "point", cloth, &def->point);
	if (result == drape_ok)
		result = CheckCollider(world, def->collider);
	if (result == drape_ok && !(isfinite(def->offset) && fabsf(def->offset) <= 1e9f))
		return drapeWorld_Refuse(world, "offset is %g, expected a number from -1e9 to 1e9 m", (double)def->offset);
	if (result == drape_ok)
		result = CheckMeasure(world, "breakDistance", def->breakDistance, "m");
	return result == drape_ok ? CheckLaw(world, def->stiffness, def->damping, def->start, def->end) : result;
}

static drapeResult CheckTether(drapeWorld* world, drapeClothId cloth, const drapeTetherDef* def)
{
	drapeResult result = CheckCookie(world, def && def->cookie == tetherCookie, "drapeDefaultTetherDef");
	if (result == drape_ok)
		result = CheckPoint(world, "point", cloth, &def->point);
	if (result == drape_ok)
		result = CheckMeasure(world, "length", def->length, "m");
	if (result == drape_ok)
		result = CheckMeasure(world, "breakDistance", def->breakDistance, "m");
	if (result == drape_ok)
		result = CheckLaw(world, def->stiffness, def->damping, def->start, def->end);
	if (result != drape_ok)
		return result;
	if (!DRAPE_IS_NULL(def->otherCloth))
		return CheckPoint(world, "otherPoint", def->otherCloth, &def->otherPoint);
	result = drapeVector_Check("anchor", def->anchor, "m", &world->message);
	if (result != drape_ok)
		return result;
	return DRAPE_IS_NULL(def->collider) ? drape_ok : CheckCollider(world, def->collider);
}

static drapeResult CheckStitch(drapeWorld* world, drapeClothId cloth, const drapeStitchDef* def)
{
	drapeResult result = CheckCookie(world, def && def->cookie == stitchCookie, "drapeDefaultStitchDef");
	if (result == drape_ok)
		result = CheckPoint(world, "point", cloth, &def->point);
	if (result == drape_ok)
		result = CheckPoint(world, "otherPoint", def->otherCloth, &def->otherPoint);
	if (result != drape_ok)
		return result;
	if (!(IsMeasure(def->speed) && def->speed > 0.0f))
		return drapeWorld_Refuse(world, "speed is %g, expected a number above 0 m/s", (double)def->speed);
	if (!(IsMeasure(def->maxForce) && def->maxForce > 0.0f))
		return drapeWorld_Refuse(world, "maxForce is %g, expected a number above 0 N", (double)def->maxForce);
	if (def->otherCloth.index1 == cloth.index1 && memcmp(&def->point, &def->otherPoint, sizeof def->point) == 0)
		return drapeWorld_Refuse(world, "point and otherPoint are the same, expected two points");
	return CheckLaw(world, def->stiffness, def->damping, def->start, def->end);
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

static drapeResult Add(drapeWorld* world, StoredConstraint* constraint, void* userData, drapeConstraintId* id)
{
	WorldConstraints* all = &world->constraints;
	uint32_t slot = 0;
	if (!FitsLinks(world, constraint))
		return drapeWorld_Fail(world, drape_errorLimit, "constraints would join more than %d cloths, expected fewer",
		                       pairMaxSystems);
	while (slot < all->list.count && (all->list.data[slot].generation & 1))
		slot++;
	if (!ArrayReserve(&all->list, slot + 1) || !ArrayReserve(&all->placeRevisions, 2 * (slot + 1)) ||
	    !ArrayReserve(&all->userData, slot + 1))
		return drapeWorld_FailMemory(world);
	if (slot == all->list.count)
	{
		all->list.count++;
		all->list.data[slot].generation = 0;
	}
	while (all->userData.count <= slot)
		ArrayPush(&all->userData, NULL);
	for (uint32_t i = 2 * slot; i < MinU32(2 * slot + 2, all->placeRevisions.count); ++i)
		all->placeRevisions.data[i] = 0;
	constraint->generation = all->list.data[slot].generation + 1;
	all->list.data[slot] = *constraint;
	all->userData.data[slot] = userData;
	if (id)
		*id = drapeConstraint_Id(world, slot);
	return drape_ok;
}

// The world of the cloth; NULL, with a sentence, if the handle is not valid.
static drapeWorld* Begin(drapeClothId id, drapeConstraintId* constraint)
{
	if (constraint)
		*constraint = (drapeConstraintId){0};
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->world : NULL;
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

drapeResult drapeCreateAttachment(drapeClothId cloth, const drapeAttachDef* def, drapeConstraintId* id)
{
	drapeWorld* world = Begin(cloth, id);
	if (!world || CheckAttach(world, cloth, def) != drape_ok)
		return drape_errorArgument;
	StoredConstraint constraint = Make(drape_constraintAttachment, cloth, &def->point);
	SetLaw(&constraint, def->stiffness, def->damping, def->start, def->end);
	constraint.collider1 = def->collider.index1;
	constraint.anchorRule = def->keepsOffset ? anchorPresent : anchorAbove;
	constraint.offset = def->offset;
	if (def->breakDistance > 0.0f)
		constraint.breakDistance = def->breakDistance;
	return Add(world, &constraint, def->userData, id);
}

drapeResult drapeCreateTether(drapeClothId cloth, const drapeTetherDef* def, drapeConstraintId* id)
{
	drapeWorld* world = Begin(cloth, id);
	if (!world || CheckTether(world, cloth, def) != drape_ok)
		return drape_errorArgument;
	StoredConstraint constraint = Make(drape_constraintTether, cloth, &def->point);
	SetLaw(&constraint, def->stiffness, def->damping, def->start, def->end);
	constraint.length = def->length;
	constraint.anchorRule = anchorGiven;
	if (def->breakDistance > 0.0f)
		constraint.breakDistance = def->breakDistance;
	if (!DRAPE_IS_NULL(def->otherCloth))
	{
		constraint.cloth1[1] = def->otherCloth.index1;
		constraint.point[1] = def->otherPoint;
	}
	else
	{
		constraint.collider1 = def->collider.index1;
		constraint.target = def->anchor;
	}
	return Add(world, &constraint, def->userData, id);
}

drapeResult drapeCreateStitch(drapeClothId cloth, const drapeStitchDef* def, drapeConstraintId* id)
{
	drapeWorld* world = Begin(cloth, id);
	if (!world || CheckStitch(world, cloth, def) != drape_ok)
		return drape_errorArgument;
	StoredConstraint constraint = Make(drape_constraintStitch, cloth, &def->point);
	SetLaw(&constraint, def->stiffness, def->damping, def->start, def->end);
	constraint.cloth1[1] = def->otherCloth.index1;
	constraint.point[1] = def->otherPoint;
	constraint.speed = def->speed;
	constraint.maxForce = def->maxForce;
	return Add(world, &constraint, def->userData, id);
}

// --- queries --------------------------------------------------------------------------------------------------------

static const StoredConstraint* FindConstraint(drapeConstraintId id)
{
	const drapeWorld* world = drapeWorlds_Find(id.world);
	if (!world || id.index1 == 0 || id.index1 > world->constraints.list.count)
		return NULL;
	const StoredConstraint* constraint = &world->constraints.list.data[id.index1 - 1];
	bool isValid = (constraint->generation & 1) && (uint16_t)constraint->generation == id.generation;
	return isValid ? constraint : NULL;
}

static const StoredConstraint* Get(drapeConstraintId id)
{
	const StoredConstraint* constraint = FindConstraint(id);
	if (!constraint)
		drapeHandle_Refuse(id.world, "constraint");
	return constraint;
}

drapeConstraintId drapeConstraint_Id(const drapeWorld* world, uint32_t slot)
{
	return (drapeConstraintId){slot + 1, world->id.world, (uint16_t)world->constraints.list.data[slot].generation};
}

bool drapeConstraint_IsValid(drapeConstraintId id)
{
	return FindConstraint(id) != NULL;
}

drapeWorldId drapeConstraint_GetWorld(drapeConstraintId id)
{
	return Get(id) ? drapeWorlds_Find(id.world)->id : (drapeWorldId){0};
}

drapeResult drapeDestroyConstraint(drapeConstraintId id)
{
	if (DRAPE_IS_NULL(id))
		return drape_ok;
	if (!Get(id))
		return drape_errorArgument;
	drapeConstraints_Remove(&drapeWorlds_Find(id.world)->constraints, id.index1 - 1);
	return drape_ok;
}

drapeResult drapeConstraint_SetUserData(drapeConstraintId id, void* userData)
{
	if (!Get(id))
		return drape_errorArgument;
	drapeWorlds_Find(id.world)->constraints.userData.data[id.index1 - 1] = userData;
	return drape_ok;
}

void* drapeConstraint_GetUserData(drapeConstraintId id)
{
	return Get(id) ? drapeWorlds_Find(id.world)->constraints.userData.data[id.index1 - 1] : NULL;
}

drapeConstraintState drapeConstraint_GetState(drapeConstraintId id)
{
	const StoredConstraint* constraint = Get(id);
	if (!constraint)
		return (drapeConstraintState){0};
	return (drapeConstraintState){
		.kind = constraint->kind,
		.isActive = drapeConstraint_IsOn(drapeWorlds_Find(id.world), constraint),
		.isBroken = constraint->now.isBroken,
		.isClosed = constraint->now.isClosed,
		.force = constraint->now.force,
		.distance = constraint->now.distance,
	};
}

// --- definitions ----------------------------------------------------------------------------------------------------

static const char* const kindNames[drape_constraintKindCount] = {"an attachment", "a tether", "a stitch"};

// The constraint, if it has this kind and there is a place for the definition.
static const StoredConstraint* GetKind(drapeConstraintId id, drapeConstraintKind kind, const void* def)
{
	const StoredConstraint* constraint = Get(id);
	if (constraint && constraint->kind == kind && def)
		return constraint;
	if (constraint && def)
		drapeWorld_Refuse(drapeWorlds_Find(id.world), "the constraint is %s, expected %s", kindNames[constraint->kind],
		                  kindNames[kind]);
	else if (constraint)
		drapeWorld_Refuse(drapeWorlds_Find(id.world), "there is nowhere to write the definition to");
	return NULL;
}

// 0 stands for infinity in definitions.
static float Finite(float value)
{
	return isfinite(value) ? value : 0.0f;
}

static drapeColliderId ColliderOf(drapeConstraintId id, const StoredConstraint* constraint)
{
	return constraint->collider1 > 0 ? drapeCollider_Id(drapeWorlds_Find(id.world), constraint->collider1 - 1)
	                                 : (drapeColliderId){0};
}

static drapeClothId OtherClothOf(drapeConstraintId id, const StoredConstraint* constraint)
{
	return constraint->cloth1[1] > 0 ? drapeCloth_Id(drapeWorlds_Find(id.world), constraint->cloth1[1] - 1)
	                                 : (drapeClothId){0};
}

drapeResult drapeConstraint_GetAttachDef(drapeConstraintId id, drapeAttachDef* def)
{
	const StoredConstraint* constraint = GetKind(id, drape_constraintAttachment, def);
	if (!constraint)
		return drape_errorArgument;
	*def = (drapeAttachDef){
		.point = constraint->point[0],
		.collider = ColliderOf(id, constraint),
		.keepsOffset = constraint->anchorRule == anchorPresent,
		.offset = constraint->offset,
		.stiffness = Finite(constraint->stiffness),
		.damping = constraint->damping,
		.breakDistance = Finite(constraint->breakDistance),
		.start = constraint->start,
		.end = constraint->end,
		.userData = drapeConstraint_GetUserData(id),
		.cookie = attachCookie,
	};
	return drape_ok;
}

drapeResult drapeConstraint_GetTetherDef(drapeConstraintId id, drapeTetherDef* def)
{
	const StoredConstraint* constraint = GetKind(id, drape_constraintTether, def);
	if (!constraint)
		return drape_errorArgument;
	*def = (drapeTetherDef){
		.point = constraint->point[0],
		.otherCloth = OtherClothOf(id, constraint),
		.otherPoint = constraint->point[1],
		.collider = ColliderOf(id, constraint),
		.anchor = constraint->target,
		.length = constraint->length,
		.stiffness = Finite(constraint->stiffness),
		.damping = constraint->damping,
		.breakDistance = Finite(constraint->breakDistance),
		.start = constraint->start,
		.end = constraint->end,
		.userData = drapeConstraint_GetUserData(id),
		.cookie = tetherCookie,
	};
	return drape_ok;
}

drapeResult drapeConstraint_GetStitchDef(drapeConstraintId id, drapeStitchDef* def)
{
	const StoredConstraint* constraint = GetKind(id, drape_constraintStitch, def);
	if (!constraint)
		return drape_errorArgument;
	*def = (drapeStitchDef){
		.point = constraint->point[0],
		.otherCloth = OtherClothOf(id, constraint),
		.otherPoint = constraint->point[1],
		.speed = constraint->speed,
		.maxForce = constraint->maxForce,
		.stiffness = Finite(constraint->stiffness),
		.damping = constraint->damping,
		.start = constraint->start,
		.end = constraint->end,
		.userData = drapeConstraint_GetUserData(id),
		.cookie = stitchCookie,
	};
	return drape_ok;
}
