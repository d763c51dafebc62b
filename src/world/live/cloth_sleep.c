// SPDX-License-Identifier: MIT
#include "world/live/cloth_sleep.h"

#include "world/world.h"

// --- bounds ---------------------------------------------------------------------------------------------------------

typedef struct Box
{
	Vec3 low, high; // m
} Box;

static const Box emptyBox = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void AddPoint(Box* box, Vec3 x)
{
	box->low = (Vec3){MinF(box->low.x, x.x), MinF(box->low.y, x.y), MinF(box->low.z, x.z)};
	box->high = (Vec3){MaxF(box->high.x, x.x), MaxF(box->high.y, x.y), MaxF(box->high.z, x.z)};
}

static bool AreNear(const Box* a, const Box* b, float margin)
{
	return a->low.x <= b->high.x + margin && b->low.x <= a->high.x + margin && a->low.y <= b->high.y + margin &&
	       b->low.y <= a->high.y + margin && a->low.z <= b->high.z + margin && b->low.z <= a->high.z + margin;
}

// The bounds of a cloth and the speed of its fastest particle.
static Box Survey(const Cloth* cloth, float* speed)
{
	const ActiveMesh* mesh = &cloth->active;
	Box box = emptyBox;
	float square = 0.0f;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Vec3 v = V4Xyz(mesh->velocity[i]);
		AddPoint(&box, V4Xyz(mesh->position[i]));
		square = MaxF(square, V3Dot(v, v));
	}
	*speed = sqrtf(square);
	return box;
}

// The bounds of a collider over the step. False for one without bounds.
static bool ColliderBox(const drapeWorld* world, uint32_t slot, Box* box)
{
	const Collider* collider = &world->colliders.data[slot];
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	*box = emptyBox;
	if (mesh)
	{
		AddPoint(box, mesh->shape.low);
		AddPoint(box, mesh->shape.high);
		AddPoint(box, mesh->shape.fromLow);
		AddPoint(box, mesh->shape.fromHigh);
		return true;
	}
	const drapeTransform* const places[] = {&collider->from, &collider->to};
	for (int i = 0; i < 2; ++i)
	{
		float radius = drapeShape_BoundingRadius(&collider->def) * places[i]->scale;
		if (!(radius < INFINITY))
			return false;
		const Vec3 reach = {radius, radius, radius};
		AddPoint(box, V3Sub(places[i]->position, reach));
		AddPoint(box, V3Add(places[i]->position, reach));
	}
	return true;
}

// Colliders nearer than this to the bounds of a cloth may touch it, m.
static float MarginOf(const Cloth* cloth)
{
	const float least = 0.002f;
	return 3.0f * cloth->simulation.model.material.thickness + least;
}

static bool ColliderIsNear(const drapeWorld* world, uint32_t slot, const Cloth* cloth, const Box* box)
{
	Box own;
	return !ColliderBox(world, slot, &own) || AreNear(&own, box, MarginOf(cloth));
}

static Box SleepingBox(const Cloth* cloth)
{
	DRAPE_ASSERT(cloth->sleep.isAsleep);
	return (Box){cloth->sleep.low, cloth->sleep.high};
}

// --- falling asleep and waking --------------------------------------------------------------------------------------

static uint32_t CountConstraints(const drapeWorld* world, const Cloth* cloth)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < world->constraints.list.count; ++i)
	{
		const StoredConstraint* constraint = &world->constraints.list.data[i];
		if (drapeConstraint_IsOn(world, constraint))
			count += constraint->cloth1[0] == cloth->slot + 1 || constraint->cloth1[1] == cloth->slot + 1;
	}
	return count;
}

static void FallAsleep(const drapeWorld* world, Cloth* cloth)
{
	float speed;
	Box box = Survey(cloth, &speed);
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
		cloth->active.velocity[i] = (Vec4){0.0f, 0.0f, 0.0f, cloth->active.velocity[i].w};
	cloth->simulation.previousStep = 0.0f;
	cloth->sleep.low = box.low;
	cloth->sleep.high = box.high;
	cloth->sleep.constraints = CountConstraints(world, cloth);
	cloth->sleep.isAsleep = true;
}

void drapeCloth_Wake(Cloth* cloth)
{
	cloth->sleep.isAsleep = false;
	cloth->sleep.quiet = 0.0f;
}

void drapeClothSleep_WakeAll(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
		drapeCloth_Wake(world->cloths.data[i]);
}

void drapeClothSleep_DisturbCollider(drapeWorld* world, uint32_t slot)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		const Box box = {cloth->sleep.low, cloth->sleep.high};
		if (!cloth->sleep.isAsleep || ColliderIsNear(world, slot, cloth, &box))
			drapeCloth_Wake(cloth);
	}
}

void drapeClothSleep_ForgetCloth(drapeWorld* world, const Cloth* gone)
{
	float speed;
	const Box box = Survey(gone, &speed);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		const Box own = {cloth->sleep.low, cloth->sleep.high};
		if (cloth->sleep.isAsleep && AreNear(&own, &box, MarginOf(cloth) + MarginOf(gone)))
			drapeCloth_Wake(cloth);
	}
}

// --- the world around a cloth ---------------------------------------------------------------------------------------

static bool ColliderMoves(const drapeWorld* world, uint32_t slot)
{
	const Collider* collider = &world->colliders.data[slot];
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	return world->colliderSlots.data[slot].isLive &&
	       (!drapeTransform_Equal(collider->from, collider->to) || (mesh && (mesh->isChanged || mesh->shape.moves)));
}

static bool MeetsMovingCollider(const drapeWorld* world, const Cloth* cloth, const Box* box)
{
	for (uint32_t slot = 0; slot < world->colliderSlots.count; ++slot)
	{
		if (ColliderMoves(world, slot) && ColliderIsNear(world, slot, cloth, box))
			return true;
	}
	return false;
}

static bool HasMovingPin(const Cloth* cloth)
{
	bool moves = false;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		const Pin* pin = &cloth->pins.data[i];
		if (pin->vertexId != DRAPE_NONE && !pin->isOff)
			moves |= pin->way.x != 0.0f || pin->way.y != 0.0f || pin->way.z != 0.0f;
	}
	return moves;
}

static bool HasMovingFrame(const Cloth* cloth)
{
	return cloth->frame.isSet && !drapeTransform_Equal(cloth->frame.from, cloth->frame.to);
}

static bool WindChanges(const drapeWindDef* wind)
{
	return wind->airDensity > 0.0f && (wind->kind == drape_windGusting || wind->kind == drape_windTurbulent);
}

// True if something around the cloth moves that may move it, too.
static bool IsDisturbed(const drapeWorld* world, const Cloth* cloth, const Box* box)
{
	return WindChanges(&world->wind) || HasMovingPin(cloth) || HasMovingFrame(cloth) ||
	       MeetsMovingCollider(world, cloth, box);
}

// --- the beginning of a step ----------------------------------------------------------------------------------------

static bool MayTouch(const Cloth* a, const Cloth* b)
{
	return a != b && a->contact == drape_contactAll && b->contact == drape_contactAll;
}

// Wakes the sleeping cloths that an awake one may touch within the step. Returns whether there were any.
static bool WakeTouched(drapeWorld* world, const Cloth* awake, float dt)
{
	float speed;
	bool isAny = false;
	Box box = Survey(awake, &speed);
	float reach = 2.0f * dt * (speed + MaxNumF(drapeScenery_TopSpeed(awake, dt), drapePins_TopSpeed(awake, dt))) +
	              dt * dt * V3Length(Cloth_Gravity(awake, world));
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth) || !cloth->sleep.isAsleep || !MayTouch(awake, cloth))
			continue;
		Box own = SleepingBox(cloth);
		if (!AreNear(&own, &box, reach + MarginOf(awake) + MarginOf(cloth)))
			continue;
		drapeCloth_Wake(cloth);
		isAny = true;
	}
	return isAny;
}

// Wakes cloths that constraints join to awake ones. Returns whether there were any.
static bool WakeJoined(drapeWorld* world)
{
	bool isAny = false;
	for (uint32_t i = 0; i < world->constraints.list.count; ++i)
	{
		const StoredConstraint* constraint = &world->constraints.list.data[i];
		if (!drapeConstraint_IsOn(world, constraint) || constraint->cloth1[1] == 0)
			continue;
		Cloth* a = world->cloths.data[constraint->cloth1[0] - 1];
		Cloth* b = world->cloths.data[constraint->cloth1[1] - 1];
		if (a->sleep.isAsleep == b->sleep.isAsleep)
			continue;
		drapeCloth_Wake(a->sleep.isAsleep ? a : b);
		isAny = true;
	}
	return isAny;
}

// Wakes by causes of the cloth itself. Returns the number of cloths that sleep on.
static uint32_t WakeDisturbed(drapeWorld* world)
{
	uint32_t asleep = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth) || !cloth->sleep.isAsleep)
			continue;
		const Box box = SleepingBox(cloth);
		if (IsDisturbed(world, cloth, &box) || CountConstraints(world, cloth) != cloth->sleep.constraints)
			drapeCloth_Wake(cloth);
		asleep += cloth->sleep.isAsleep;
	}
	return asleep;
}

void drapeClothSleep_Begin(drapeWorld* world, float dt)
{
	bool hasWoken = WakeDisturbed(world) > 0;
	while (hasWoken)
	{
		hasWoken = WakeJoined(world);
		for (uint32_t i = 0; i < world->cloths.count; ++i)
		{
			const Cloth* cloth = world->cloths.data[i];
			if (drapeCloth_IsUsed(cloth) && !cloth->sleep.isAsleep && cloth->contact == drape_contactAll)
				hasWoken |= WakeTouched(world, cloth, dt);
		}
	}
}

// --- the end of a step ----------------------------------------------------------------------------------------------

// Counts for how long the cloth has been quiet, and stores its bounds.
static void FollowQuiet(const drapeWorld* world, Cloth* cloth, float dt)
{
	float speed;
	const Box box = Survey(cloth, &speed);
	const ClothCosts* costs = &cloth->costs;
	bool isQuiet = speed < cloth->sleep.def.speed && costs->splits + costs->joins == 0 && !costs->isDamped &&
	               !costs->isHeld && !costs->isCarried && !IsDisturbed(world, cloth, &box);
	cloth->sleep.quiet = isQuiet ? cloth->sleep.quiet + dt : 0.0f;
	cloth->sleep.low = box.low;
	cloth->sleep.high = box.high;
}

static bool IsTired(const Cloth* cloth)
{
	const ClothSleep* sleep = &cloth->sleep;
	return sleep->isAsleep || (sleep->def.speed > 0.0f && sleep->quiet >= sleep->def.time);
}

static bool AreJoined(const drapeWorld* world, const Cloth* a, const Cloth* b)
{
	for (uint32_t i = 0; i < world->constraints.list.count; ++i)
	{
		const StoredConstraint* constraint = &world->constraints.list.data[i];
		const uint32_t* cloth1 = constraint->cloth1;
		if (drapeConstraint_IsOn(world, constraint) && ((cloth1[0] == a->slot + 1 && cloth1[1] == b->slot + 1) ||
		                                                (cloth1[0] == b->slot + 1 && cloth1[1] == a->slot + 1)))
			return true;
	}
	return false;
}

// True if the cloth belongs to the island of another one that stays awake.
static bool IsKeptAwake(const drapeWorld* world, const Cloth* cloth)
{
	const Box box = {cloth->sleep.low, cloth->sleep.high};
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* other = world->cloths.data[i];
		if (other == cloth || !drapeCloth_IsUsed(other) || (IsTired(other) && !other->sleep.isKept))
			continue;
		float speed;
		const Box own = Survey(other, &speed);
		if ((MayTouch(cloth, other) && AreNear(&box, &own, 2.0f * (MarginOf(cloth) + MarginOf(other)))) ||
		    AreJoined(world, cloth, other))
			return true;
	}
	return false;
}

void drapeClothSleep_Finish(drapeWorld* world, float dt)
{
	uint32_t tired = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		cloth->sleep.isKept = false;
		if (!drapeCloth_IsUsed(cloth) || cloth->sleep.isAsleep || !(cloth->sleep.def.speed > 0.0f))
			continue;
		FollowQuiet(world, cloth, dt);
		tired += IsTired(cloth);
	}
	// A cloth that stays awake keeps its neighbours awake, and these theirs.
	for (bool isAny = tired > 0; isAny;)
	{
		isAny = false;
		for (uint32_t i = 0; i < world->cloths.count; ++i)
		{
			Cloth* cloth = world->cloths.data[i];
			if (!drapeCloth_IsUsed(cloth) || cloth->sleep.isAsleep || !IsTired(cloth) || cloth->sleep.isKept ||
			    !IsKeptAwake(world, cloth))
				continue;
			cloth->sleep.isKept = isAny = true;
		}
	}
	for (uint32_t i = 0; tired > 0 && i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (drapeCloth_IsUsed(cloth) && !cloth->sleep.isAsleep && IsTired(cloth) && !cloth->sleep.isKept)
			FallAsleep(world, cloth);
	}
}

// --- public ---------------------------------------------------------------------------------------------------------

drapeResult drapeSleepDef_Check(drapeSleepDef def, const char* prefix, drapeMessage* message)
{
	if (!(def.speed >= 0.0f && def.speed <= 1e3f))
		return drapeRefuse(message, "%sspeed is %g, expected a number from 0 to 1000 m/s", prefix, (double)def.speed);
	if (!(def.time >= 0.0f && def.time <= 1e6f))
		return drapeRefuse(message, "%stime is %g, expected a number from 0 to 1e6 s", prefix, (double)def.time);
	return drape_ok;
}

drapeResult drapeCloth_SetSleep(drapeClothId id, drapeSleepDef sleep)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	drapeResult result = drapeSleepDef_Check(sleep, "", &cloth->world->message);
	if (result != drape_ok)
		return result;
	cloth->sleep.def = sleep;
	drapeCloth_Wake(cloth);
	return drape_ok;
}

drapeSleepDef drapeCloth_GetSleep(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->sleep.def : (drapeSleepDef){0};
}

drapeResult drapeCloth_SetAsleep(drapeClothId id, bool isAsleep)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (isAsleep && !cloth->sleep.isAsleep)
		FallAsleep(cloth->world, cloth);
	else if (!isAsleep)
		drapeCloth_Wake(cloth);
	return drape_ok;
}

bool drapeCloth_IsAsleep(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth && cloth->sleep.isAsleep;
}
