// SPDX-License-Identifier: MIT
#include "shared/make.h"

drapeWorldId Make_World(const drapeWorldDef* def)
{
	drapeWorldId world;
	drapeCreateWorld(def, &world, NULL);
	return world;
}

drapeClothId Make_Cloth(drapeWorldId world, const drapeClothDef* def)
{
	drapeClothId cloth;
	drapeCreateCloth(world, def, &cloth);
	return cloth;
}

drapeColliderId Make_Collider(drapeWorldId world, const drapeColliderDef* def)
{
	drapeColliderId collider;
	drapeCreateCollider(world, def, &collider);
	return collider;
}

drapeMotionId Make_Motion(drapeWorldId world, const drapeMotionDef* def)
{
	drapeMotionDef set = *def;
	set.cookie = drapeDefaultMotionDef().cookie;
	drapeMotionId motion;
	drapeCreateMotion(world, &set, &motion);
	return motion;
}

drapePinId Make_Pin(drapeClothId cloth, uint32_t particle)
{
	drapePinId pin;
	drapeCreatePin(cloth, particle, &pin);
	return pin;
}

void Make_Unpinned(drapeClothId cloth)
{
	drapePinId pin;
	while (drapeCloth_GetPins(cloth, &pin, 1) > 0)
		drapeDestroyPin(pin);
}

drapeConstraintId Make_Attachment(drapeClothId cloth, const drapeAttachDef* def)
{
	drapeConstraintId constraint;
	drapeCreateAttachment(cloth, def, &constraint);
	return constraint;
}

drapeConstraintId Make_Tether(drapeClothId cloth, const drapeTetherDef* def)
{
	drapeConstraintId constraint;
	drapeCreateTether(cloth, def, &constraint);
	return constraint;
}

drapeConstraintId Make_Stitch(drapeClothId cloth, const drapeStitchDef* def)
{
	drapeConstraintId constraint;
	drapeCreateStitch(cloth, def, &constraint);
	return constraint;
}

drapeClothDef Make_SpringClothDef(void)
{
	drapeClothDef def = drapeDefaultClothDef();
	def.material = drapeDefaultMaterial();
	def.model = drape_modelSprings;
	def.solver = drapeDefaultExplicitSolverDef();
	return def;
}

size_t Make_Snapshot(drapeWorldId world, void* data, size_t capacity)
{
	size_t size;
	if (drapeWorld_Save(world, NULL, 0, &size) != drape_ok || size > capacity)
		return size;
	return drapeWorld_Save(world, data, capacity, &size) == drape_ok ? size : 0;
}
