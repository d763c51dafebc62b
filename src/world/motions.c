// SPDX-License-Identifier: MIT
#include "world/motions.h"

#include "base/checks/values.h"
#include "world/world.h"

void drapeMotions_Destroy(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->motions.count; ++i)
		drapeMotion_Destroy(&world->motions.data[i].motion);
	ArrayFree(&world->motions);
}

drapeTransform drapeMotions_At(const drapeWorld* world, uint32_t motion1, const drapeTransform* base, double time)
{
	if (motion1 == 0)
		return drapeIdentityTransform();
	DRAPE_ASSERT(motion1 <= world->motions.count);
	DRAPE_ASSERT(world->motions.data[motion1 - 1].generation & 1);
	drapeTransform motion = drapeMotion_Evaluate(&world->motions.data[motion1 - 1].motion, time);
	return base ? drapeTransform_Compose(*base, motion) : motion;
}

// --- handles --------------------------------------------------------------------------------------------------------

static MotionSlot* FindMotion(drapeMotionId id)
{
	drapeWorld* world = drapeWorlds_Find(id.world);
	if (!world || id.index1 == 0 || id.index1 > world->motions.count)
		return NULL;
	MotionSlot* slot = &world->motions.data[id.index1 - 1];
	return (slot->generation & 1) && (uint16_t)slot->generation == id.generation ? slot : NULL;
}

static MotionSlot* Get(drapeMotionId id)
{
	MotionSlot* slot = FindMotion(id);
	if (!slot)
		drapeHandle_Refuse(id.world, "motion");
	return slot;
}

drapeMotionId drapeMotion_Id(const drapeWorld* world, uint32_t motion1)
{
	if (motion1 == 0)
		return (drapeMotionId){0};
	return (drapeMotionId){motion1, world->id.world, (uint16_t)world->motions.data[motion1 - 1].generation};
}

bool drapeMotion_Find(drapeWorld* world, drapeMotionId id, uint32_t* motion1)
{
	*motion1 = id.index1;
	if (DRAPE_IS_NULL(id) || (id.world == world->id.world && FindMotion(id)))
		return true;
	drapeWorld_Refuse(world, "the motion does not exist in this world");
	return false;
}

bool drapeMotion_IsValid(drapeMotionId id)
{
	return FindMotion(id) != NULL;
}

drapeWorldId drapeMotion_GetWorld(drapeMotionId id)
{
	return Get(id) ? drapeWorlds_Find(id.world)->id : (drapeWorldId){0};
}

// --- creation -------------------------------------------------------------------------------------------------------

drapeResult drapeCreateMotion(drapeWorldId worldId, const drapeMotionDef* def, drapeMotionId* id)
{
	drapeWorld* world = drapeWorlds_Get(worldId);
	if (id)
		*id = (drapeMotionId){0};
	if (!world)
		return drape_errorArgument;
	if (!id)
		return drapeWorld_Refuse(world, "there is nowhere to write the handle of the motion to");
	drapeResult result = drapeMotionDef_Check(def, &world->message);
	if (result != drape_ok)
		return result;
	uint32_t i = 0;
	while (i < world->motions.count && (world->motions.data[i].generation & 1))
		i++;
	Motion motion;
	if (!ArrayReserve(&world->motions, i + 1) || drapeMotion_Create(&motion, def) != drape_ok)
		return drapeWorld_FailMemory(world);
	if (i == world->motions.count)
		ArrayPush(&world->motions, (MotionSlot){0});
	world->motions.data[i] = (MotionSlot){world->motions.data[i].generation + 1, motion, def->userData};
	*id = drapeMotion_Id(world, i + 1);
	return drape_ok;
}

drapeResult drapeDestroyMotion(drapeMotionId id)
{
	if (DRAPE_IS_NULL(id))
		return drape_ok;
	MotionSlot* slot = Get(id);
	if (!slot)
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	drapeScenery_ForgetMotion(world, id.index1);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
		drapePins_ForgetMotion(world->cloths.data[i], id.index1);
	drapeMotion_Destroy(&slot->motion);
	*slot = (MotionSlot){.generation = slot->generation + 1};
	return drape_ok;
}

drapeResult drapeMotion_SetDef(drapeMotionId id, const drapeMotionDef* def)
{
	MotionSlot* slot = Get(id);
	if (!slot)
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	drapeResult result = drapeMotionDef_Check(def, &world->message);
	if (result != drape_ok)
		return result;
	Motion motion;
	if (drapeMotion_Create(&motion, def) != drape_ok)
		return drapeWorld_FailMemory(world);
	drapeMotion_Destroy(&slot->motion);
	slot->motion = motion;
	drapeScenery_KeepPlaces(world, id.index1);
	return drape_ok;
}

// --- queries --------------------------------------------------------------------------------------------------------

drapeMotionDef drapeMotion_GetDef(drapeMotionId id)
{
	const MotionSlot* slot = Get(id);
	drapeMotionDef def = slot ? drapeDefaultMotionDef() : (drapeMotionDef){0};
	if (!slot)
		return def;
	def.keys = slot->motion.keys;
	def.keyCount = slot->motion.keyCount;
	def.smooth = slot->motion.smooth;
	def.repeat = slot->motion.repeat;
	def.userData = slot->userData;
	return def;
}

drapeTransform drapeMotion_GetTransform(drapeMotionId id, double time)
{
	const MotionSlot* slot = DRAPE_IS_NULL(id) ? NULL : Get(id);
	if (!slot || drapeNumber_Check("time", time, "s", &drapeWorlds_Find(id.world)->message) != drape_ok)
		return drapeIdentityTransform();
	return drapeMotion_Evaluate(&slot->motion, time);
}

drapeResult drapeMotion_SetUserData(drapeMotionId id, void* userData)
{
	MotionSlot* slot = Get(id);
	if (!slot)
		return drape_errorArgument;
	slot->userData = userData;
	return drape_ok;
}

void* drapeMotion_GetUserData(drapeMotionId id)
{
	const MotionSlot* slot = Get(id);
	return slot ? slot->userData : NULL;
}
