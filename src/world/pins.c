// SPDX-License-Identifier: MIT
#include "base/checks/values.h"
#include "world/world.h"

#include <stdio.h>

// A pinned particle has no inverse mass and a velocity that takes it to its pin's position at the end of the step. A
// new particle between pinned parents is pinned, too, when the cloth's definition asks for it. It has no pin of its own
// and follows its parents.

static uint32_t ParticleOf(const Cloth* cloth, const Pin* pin)
{
	if (pin->vertexId == DRAPE_NONE)
		return DRAPE_NONE;
	return cloth->scheme->type->particleOf(cloth->scheme, pin->vertexId);
}

float drapePin_MaxForce(const Pin* pin)
{
	return pin->maxForce > 0.0f ? pin->maxForce : pin->looseForce;
}

static bool IsLimited(const Pin* pin)
{
	return drapePin_MaxForce(pin) > 0.0f;
}

// The particle that a pin without a limit holds now; DRAPE_NONE before it starts.
static uint32_t PinnedParticle(const Cloth* cloth, const Pin* pin)
{
	return pin->isOff || IsLimited(pin) ? DRAPE_NONE : ParticleOf(cloth, pin);
}

uint32_t drapePin_LimitedParticle(const Cloth* cloth, const Pin* pin)
{
	return pin->isOff || !IsLimited(pin) ? DRAPE_NONE : ParticleOf(cloth, pin);
}

// --- handles --------------------------------------------------------------------------------------------------------

static const Handle* FindHandle(drapePinId id)
{
	const drapeWorld* world = drapeWorlds_Find(id.world);
	return world ? drapeHandles_Find(&world->pins, id.index1, id.generation) : NULL;
}

// A pin and its owners; all NULL, with a sentence, for a handle that is not valid.
typedef struct PinRef
{
	drapeWorld* world;
	Cloth* cloth;
	Pin* pin;
} PinRef;

static PinRef GetPin(drapePinId id)
{
	const Handle* handle = FindHandle(id);
	if (!handle)
	{
		drapeHandle_Refuse(id.world, "pin");
		return (PinRef){0};
	}
	drapeWorld* world = drapeWorlds_Find(id.world);
	Cloth* cloth = world->cloths.data[handle->cloth];
	DRAPE_ASSERT(drapeCloth_IsUsed(cloth) && handle->index < cloth->pins.count);
	return (PinRef){world, cloth, &cloth->pins.data[handle->index]};
}

static drapePinId IdOf(const drapeWorld* world, const Pin* pin)
{
	DRAPE_ASSERT(pin->handle < world->pins.list.count);
	return (drapePinId){pin->handle + 1, world->id.world, (uint16_t)world->pins.list.data[pin->handle].generation};
}

bool drapePin_IsValid(drapePinId id)
{
	return FindHandle(id) != NULL;
}

drapeClothId drapePin_GetCloth(drapePinId id)
{
	PinRef ref = GetPin(id);
	return ref.pin ? drapeCloth_Id(ref.world, ref.cloth->slot) : (drapeClothId){0};
}

uint32_t drapeCloth_GetPins(drapeClothId id, drapePinId* pins, uint32_t capacity)
{
	const Cloth* cloth = drapeCloth_Get(id);
	uint32_t count = 0;
	if (!cloth || drapeArray_Check("pins", pins, capacity, &cloth->world->message) != drape_ok)
		return 0;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		if (cloth->pins.data[i].vertexId != DRAPE_NONE && count++ < capacity)
			pins[count - 1] = IdOf(cloth->world, &cloth->pins.data[i]);
	}
	return count;
}

drapeResult drapePin_SetUserData(drapePinId id, void* userData)
{
	PinRef ref = GetPin(id);
	if (!ref.pin)
		return drape_errorArgument;
	ref.world->pins.userData.data[ref.pin->handle] = userData;
	return drape_ok;
}

void* drapePin_GetUserData(drapePinId id)
{
	PinRef ref = GetPin(id);
	return ref.pin ? ref.world->pins.userData.data[ref.pin->handle] : NULL;
}

// --- pins -----------------------------------------------------------------------------------------------------------

static void SetPinned(Cloth* cloth, uint32_t particle, bool isPinned)
{
	ActiveMesh* mesh = &cloth->active;
	DRAPE_ASSERT(particle < mesh->particleCount);
	if (isPinned)
		mesh->particleFlags[particle] |= drape_particlePinned;
	else
		mesh->particleFlags[particle] &= (uint8_t)~drape_particlePinned;
	mesh->pinRevision++;
	drapeActiveMesh_UpdateMass(mesh, particle);
	// The stable step depends on which particles are free.
	cloth->simulation.stableRevision = 0;
}

// Joins may not remove the particle of a limited pin.
static void SetKept(Cloth* cloth, uint32_t particle, bool isKept)
{
	uint8_t* flags = &cloth->active.particleFlags[particle];
	*flags = (uint8_t)(isKept ? *flags | drape_particleKept : *flags & ~drape_particleKept);
}

// Begins to hold the particle where the pin is.
static void Hold(Cloth* cloth, const Pin* pin, uint32_t particle)
{
	SetKept(cloth, particle, IsLimited(pin));
	if (!IsLimited(pin))
		SetPinned(cloth, particle, true);
}

// The slot of the pin of a particle, or of a new one; DRAPE_NONE when out of memory.
static uint32_t FindSlot(drapeWorld* world, Cloth* cloth, uint32_t vertexId)
{
	uint32_t slot = cloth->pins.count;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		if (cloth->pins.data[i].vertexId == vertexId)
			return i;
		if (cloth->pins.data[i].vertexId == DRAPE_NONE && slot == cloth->pins.count)
			slot = i;
	}
	if (!drapeHandles_Reserve(&world->pins, world->pins.list.count + 1))
		return DRAPE_NONE;
	if (slot == cloth->pins.count)
	{
		if (!ArrayGrow(&cloth->pins))
			return DRAPE_NONE;
		cloth->pins.data[slot].vertexId = DRAPE_NONE;
	}
	return slot;
}

static void AddPin(drapeWorld* world, Cloth* cloth, uint32_t slot, uint32_t particle)
{
	Vec3 position = V4Xyz(cloth->active.position[particle]);
	drapeCloth_Wake(cloth);
	cloth->pins.data[slot] = (Pin){.vertexId = cloth->active.vertexId[particle],
	                               .handle = drapeHandles_Take(&world->pins, cloth->slot, slot),
	                               .anchor = position,
	                               .from = position,
	                               .to = position,
	                               .surface.triangle = DRAPE_NONE};
	cloth->active.particleFlags[particle] &= (uint8_t)~drape_particleFollows;
	SetPinned(cloth, particle, true);
	cloth->active.velocity[particle].x = cloth->active.velocity[particle].y = cloth->active.velocity[particle].z = 0.0f;
}

drapeResult drapeCreatePin(drapeClothId clothId, uint32_t particle, drapePinId* id)
{
	Cloth* cloth = drapeCloth_Get(clothId);
	if (id)
		*id = (drapePinId){0};
	if (!cloth)
		return drape_errorArgument;
	drapeWorld* world = cloth->world;
	if (particle >= cloth->active.particleCount)
		return drapeWorld_Refuse(world, "particle is %u, but the cloth has only %u", particle,
		                         cloth->active.particleCount);
	uint32_t slot = FindSlot(world, cloth, cloth->active.vertexId[particle]);
	if (slot == DRAPE_NONE)
		return drapeWorld_FailMemory(world);
	if (cloth->pins.data[slot].vertexId == DRAPE_NONE)
		AddPin(world, cloth, slot, particle);
	if (id)
		*id = IdOf(world, &cloth->pins.data[slot]);
	return drape_ok;
}

static void SetTarget(Pin* pin, Vec3 position)
{
	DRAPE_ASSERT(V3IsFinite(position));
	pin->motion1 = pin->surface.collider1 = 0;
	pin->to = position;
}

// The transform that the pin follows.
static drapeTransform MotionOf(const drapeWorld* world, const Pin* pin, double time)
{
	DRAPE_ASSERT(pin->motion1 > 0);
	return drapeMotions_At(world, pin->motion1, pin->hasBase ? &pin->base : NULL, time);
}

drapeResult drapePin_SetTarget(drapePinId id, drapeVec3 position)
{
	PinRef ref = GetPin(id);
	if (!ref.pin)
		return drape_errorArgument;
	drapeResult result = drapeVector_Check("position", position, "m", &ref.world->message);
	if (result != drape_ok)
		return result;
	SetTarget(ref.pin, position);
	return drape_ok;
}

drapeResult drapePin_SetMotion(drapePinId id, drapeMotionId motion)
{
	PinRef ref = GetPin(id);
	uint32_t motion1;
	if (!ref.pin || !drapeMotion_Find(ref.world, motion, &motion1))
		return drape_errorArgument;
	ref.pin->motion1 = motion1;
	ref.pin->surface.collider1 = ref.pin->hasBase = 0;
	if (motion1 > 0)
		ref.pin->anchor = drapeTransform_InversePoint(MotionOf(ref.world, ref.pin, ref.world->time), ref.pin->from);
	return drape_ok;
}

drapeMotionId drapePin_GetMotion(drapePinId id)
{
	PinRef ref = GetPin(id);
	return ref.pin ? drapeMotion_Id(ref.world, ref.pin->motion1) : (drapeMotionId){0};
}

drapeResult drapePin_SetCollider(drapePinId id, drapeColliderId collider)
{
	PinRef ref = GetPin(id);
	if (!ref.pin)
		return drape_errorArgument;
	if (!DRAPE_IS_NULL(collider) && !drapeCollider_IsOf(ref.world, collider))
		return drapeWorld_Refuse(ref.world, "the collider does not exist in this world");
	ref.pin->motion1 = 0;
	ref.pin->to = ref.pin->from;
	ref.pin->surface = DRAPE_IS_NULL(collider)
	                       ? (SurfaceAnchor){.triangle = DRAPE_NONE}
	                       : drapeAnchor_Bind(ref.world, collider.index1 - 1, ref.pin->from, anchorStepEnds);
	return drape_ok;
}

drapeColliderId drapePin_GetCollider(drapePinId id)
{
	PinRef ref = GetPin(id);
	return ref.pin && ref.pin->surface.collider1 > 0 ? drapeCollider_Id(ref.world, ref.pin->surface.collider1 - 1)
	                                                 : (drapeColliderId){0};
}

void drapePins_ForgetMotion(Cloth* cloth, uint32_t motion1)
{
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		Pin* pin = &cloth->pins.data[i];
		if (pin->motion1 != motion1)
			continue;
		pin->motion1 = 0;
		pin->to = pin->from;
	}
}

void drapePins_ForgetCollider(Cloth* cloth, uint32_t slot)
{
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		if (cloth->pins.data[i].surface.collider1 == slot + 1)
			cloth->pins.data[i].surface.collider1 = 0;
	}
}

static bool ParentsArePinned(const ActiveMesh* mesh, uint32_t particle)
{
	const uint32_t* parent = mesh->parents[particle].parent;
	uint8_t flags = drape_particlePinned;
	for (int k = 0; k < 3 && parent[k] != DRAPE_NONE; ++k)
		flags &= mesh->particleFlags[parent[k]];
	return parent[0] != DRAPE_NONE && flags != 0;
}

// Releases particles that follow a parent that is no longer pinned, and those that follow them.
static void ReleaseFollowers(Cloth* cloth)
{
	ActiveMesh* mesh = &cloth->active;
	for (bool changed = true; changed;)
	{
		changed = false;
		for (uint32_t i = 0; i < mesh->particleCount; ++i)
		{
			if (!(mesh->particleFlags[i] & drape_particleFollows) || ParentsArePinned(mesh, i))
				continue;
			mesh->particleFlags[i] &= (uint8_t)~drape_particleFollows;
			SetPinned(cloth, i, false);
			changed = true;
		}
	}
}

static void Release(Cloth* cloth, Pin* pin)
{
	SetKept(cloth, ParticleOf(cloth, pin), false);
	SetPinned(cloth, ParticleOf(cloth, pin), false);
	ReleaseFollowers(cloth);
}

// Frees the slot of a pin that holds nothing any more.
static void Remove(drapeWorld* world, Pin* pin)
{
	drapeHandles_Release(&world->pins, pin->handle);
	pin->vertexId = DRAPE_NONE;
}

drapeResult drapeDestroyPin(drapePinId id)
{
	if (DRAPE_IS_NULL(id))
		return drape_ok;
	PinRef ref = GetPin(id);
	if (!ref.pin)
		return drape_errorArgument;
	Release(ref.cloth, ref.pin);
	Remove(ref.world, ref.pin);
	drapeCloth_Wake(ref.cloth);
	return drape_ok;
}

// --- many at once ---------------------------------------------------------------------------------------------------

static drapeResult CheckParticles(const Cloth* cloth, const uint32_t* particles, uint32_t count)
{
	if (!particles && count > 0)
		return drapeWorld_Refuse(cloth->world, "particles is NULL");
	for (uint32_t i = 0; i < count; ++i)
	{
		if (particles[i] >= cloth->active.particleCount)
			return drapeWorld_Refuse(cloth->world, "particles[%u] is %u, but the cloth has only %u", i, particles[i],
			                         cloth->active.particleCount);
	}
	return drape_ok;
}

// The pin of an entry of a list; NULL when it is not a pin of this cloth.
static Pin* PinOfList(Cloth* cloth, drapePinId id)
{
	const Handle* handle = id.world == cloth->world->id.world ? FindHandle(id) : NULL;
	return handle && handle->cloth == cloth->slot ? &cloth->pins.data[handle->index] : NULL;
}

static drapeResult CheckPins(Cloth* cloth, const drapePinId* pins, uint32_t count, bool mayBeNull)
{
	if (!pins && count > 0)
		return drapeWorld_Refuse(cloth->world, "pins is NULL");
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!(mayBeNull && DRAPE_IS_NULL(pins[i])) && !PinOfList(cloth, pins[i]))
			return drapeWorld_Refuse(cloth->world, "pins[%u] is not a pin of this cloth", i);
	}
	return drape_ok;
}

// Pins particles, with the slots of their pins by particle in `slotOf`. Memory has been reserved.
static void PinParticles(Cloth* cloth, const uint32_t* particles, uint32_t count, uint32_t* slotOf, drapePinId* pins)
{
	drapeWorld* world = cloth->world;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
		slotOf[i] = DRAPE_NONE;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		if (cloth->pins.data[i].vertexId != DRAPE_NONE)
			slotOf[ParticleOf(cloth, &cloth->pins.data[i])] = i;
	}
	for (uint32_t i = 0, slot = 0; i < count; ++i)
	{
		uint32_t* own = &slotOf[particles[i]];
		if (*own == DRAPE_NONE)
		{
			while (slot < cloth->pins.count && cloth->pins.data[slot].vertexId != DRAPE_NONE)
				slot++;
			cloth->pins.count = MaxU32(cloth->pins.count, slot + 1);
			DRAPE_ASSERT(cloth->pins.count <= cloth->pins.capacity);
			AddPin(world, cloth, slot, particles[i]);
			*own = slot;
		}
		if (pins)
			pins[i] = IdOf(world, &cloth->pins.data[*own]);
	}
}

drapeResult drapeCreatePins(drapeClothId id, const uint32_t* particles, uint32_t count, drapePinId* pins)
{
	Cloth* cloth = drapeCloth_Get(id);
	for (uint32_t i = 0; pins && i < count; ++i)
		pins[i] = (drapePinId){0};
	if (!cloth || CheckParticles(cloth, particles, count) != drape_ok)
		return drape_errorArgument;
	HandleTable* handles = &cloth->world->pins;
	uint32_t particleCount = cloth->active.particleCount;
	// Entries may name a particle twice.
	uint32_t most = MinU32(count, particleCount);
	uint32_t* slotOf = drapeMemAllocArray(particleCount, sizeof(uint32_t));
	bool isReserved = slotOf && drapeHandles_Reserve(handles, handles->list.count + most) &&
	                  ArrayReserve(&cloth->pins, cloth->pins.count + most);
	if (isReserved)
		PinParticles(cloth, particles, count, slotOf, pins);
	drapeMemFree(slotOf, particleCount * sizeof(uint32_t));
	return isReserved ? drape_ok : drapeWorld_FailMemory(cloth->world);
}

drapeResult drapeDestroyPins(drapeClothId id, const drapePinId* pins, uint32_t count)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || CheckPins(cloth, pins, count, true) != drape_ok)
		return drape_errorArgument;
	for (uint32_t i = 0; i < count; ++i)
	{
		// NULL for a null handle, and for a second entry of one pin.
		Pin* pin = PinOfList(cloth, pins[i]);
		if (!pin)
			continue;
		SetKept(cloth, ParticleOf(cloth, pin), false);
		SetPinned(cloth, ParticleOf(cloth, pin), false);
		Remove(cloth->world, pin);
	}
	ReleaseFollowers(cloth);
	drapeCloth_Wake(cloth);
	return drape_ok;
}

drapeResult drapeCloth_SetPinTargets(drapeClothId id, const drapePinId* pins, const drapeVec3* positions,
                                     uint32_t count)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || CheckPins(cloth, pins, count, false) != drape_ok)
		return drape_errorArgument;
	if (!positions && count > 0)
		return drapeWorld_Refuse(cloth->world, "positions is NULL");
	for (uint32_t i = 0; i < count; ++i)
	{
		char name[32];
		snprintf(name, sizeof name, "positions[%u]", i);
		drapeResult result = drapeVector_Check(name, positions[i], "m", &cloth->world->message);
		if (result != drape_ok)
			return result;
	}
	for (uint32_t i = 0; i < count; ++i)
		SetTarget(PinOfList(cloth, pins[i]), positions[i]);
	return drape_ok;
}

// --- times and forces -----------------------------------------------------------------------------------------------

drapeResult drapePin_SetTimes(drapePinId id, float start, float end)
{
	PinRef ref = GetPin(id);
	if (!ref.pin || drapeTimes_Check(start, end, &ref.world->message) != drape_ok)
		return drape_errorArgument;
	// Adaptation may remove other particles while no pin holds them.
	bool isLater = !drapeTime_IsWithin(ref.world->time, start, 0.0f);
	if (isLater && ref.cloth->active.level[ParticleOf(ref.cloth, ref.pin)] > 0)
		return drapeWorld_Refuse(ref.world, "start is in the future, but the particle is not a vertex of the pattern");
	ref.pin->start = start;
	ref.pin->end = end;
	drapeCloth_Wake(ref.cloth);
	if (isLater && !ref.pin->isOff)
		Release(ref.cloth, ref.pin);
	ref.pin->isOff = isLater;
	return drape_ok;
}

drapeResult drapePin_SetMaxForce(drapePinId id, float maxForce)
{
	PinRef ref = GetPin(id);
	if (!ref.pin)
		return drape_errorArgument;
	if (!(maxForce >= 0.0f && maxForce <= 1e9f))
		return drapeWorld_Refuse(ref.world, "maxForce is %g, expected a number from 0 to 1e9 N", (double)maxForce);
	Pin* pin = ref.pin;
	bool wasLimited = IsLimited(pin);
	drapeCloth_Wake(ref.cloth);
	pin->maxForce = maxForce;
	pin->looseForce = 0.0f;
	if (pin->isOff || wasLimited == IsLimited(pin))
		return drape_ok;
	uint32_t particle = ParticleOf(ref.cloth, pin);
	pin->force = (Vec3){0.0f, 0.0f, 0.0f};
	pin->slips = false;
	Release(ref.cloth, pin);
	// A pin that loses its limit begins where its particle is.
	if (wasLimited)
		pin->from = V4Xyz(ref.cloth->active.position[particle]);
	Hold(ref.cloth, pin, particle);
	return drape_ok;
}

drapePinState drapePin_GetState(drapePinId id)
{
	PinRef ref = GetPin(id);
	const Pin* pin = ref.pin;
	if (!pin)
		return (drapePinState){0};
	drapePinState state = {
		.target = pin->to, .maxForce = pin->maxForce, .isActive = !pin->isOff, .start = pin->start, .end = pin->end};
	uint32_t particle = drapePin_LimitedParticle(ref.cloth, pin);
	if (particle == DRAPE_NONE)
		return state;
	state.force = pin->force;
	state.lag = V3Length(V3Sub(pin->from, V4Xyz(ref.cloth->active.position[particle])));
	state.isSlipping = pin->slips != 0;
	return state;
}

drapeVec3 drapePin_GetTarget(drapePinId id)
{
	PinRef ref = GetPin(id);
	return ref.pin ? ref.pin->to : (drapeVec3){0.0f, 0.0f, 0.0f};
}

drapeResult drapePin_GetTimes(drapePinId id, float* start, float* end)
{
	PinRef ref = GetPin(id);
	if (start)
		*start = ref.pin ? ref.pin->start : 0.0f;
	if (end)
		*end = ref.pin ? ref.pin->end : 0.0f;
	return ref.pin ? drape_ok : drape_errorArgument;
}

float drapePin_GetMaxForce(drapePinId id)
{
	PinRef ref = GetPin(id);
	return ref.pin ? ref.pin->maxForce : 0.0f;
}

uint32_t drapePin_GetParticle(drapePinId id)
{
	PinRef ref = GetPin(id);
	return ref.pin ? ParticleOf(ref.cloth, ref.pin) : DRAPE_NONE;
}

// --- in the step ----------------------------------------------------------------------------------------------------

// A pin that starts holds its particle where it is, and carries it from there.
static void Catch(drapeWorld* world, Cloth* cloth, Pin* pin)
{
	uint32_t particle = ParticleOf(cloth, pin);
	Vec3 position = V4Xyz(cloth->active.position[particle]);
	pin->from = pin->to = pin->anchor = position;
	pin->isOff = false;
	if (pin->motion1 > 0)
		pin->anchor = drapeTransform_InversePoint(MotionOf(world, pin, world->time), position);
	if (pin->surface.collider1 > 0)
		pin->surface = drapeAnchor_Bind(world, pin->surface.collider1 - 1, position, anchorStepBegins);
	Hold(cloth, pin, particle);
}

// Starts and ends. False for a pin that holds nothing.
static bool Follow(drapeWorld* world, Cloth* cloth, Pin* pin)
{
	if (pin->vertexId == DRAPE_NONE)
		return false;
	if (pin->isOff && drapeTime_IsWithin(world->time, pin->start, 0.0f))
	{
		drapeCloth_Wake(cloth);
		Catch(world, cloth, pin);
	}
	if (!pin->isOff && !drapeTime_IsWithin(world->time, pin->start, pin->end))
	{
		drapeCloth_Wake(cloth);
		Release(cloth, pin);
		Remove(world, pin);
	}
	return !pin->isOff && pin->vertexId != DRAPE_NONE;
}

// The weight of a cloth under the gravity of the Earth, N.
static float WeightOf(const Cloth* cloth)
{
	return 9.81f * (float)ActiveMesh_MassArea(&cloth->active) * cloth->simulation.model.material.density;
}

void drapePin_Loosen(Cloth* cloth, Pin* pin)
{
	const float weights = 10.0f;
	DRAPE_ASSERT(!pin->isOff && !IsLimited(pin));
	Release(cloth, pin);
	pin->looseForce = weights * WeightOf(cloth);
	Hold(cloth, pin, ParticleOf(cloth, pin));
}

// A loose pin that holds its particle is fast again.
static void Fasten(Cloth* cloth, Pin* pin)
{
	uint32_t particle = drapePin_LimitedParticle(cloth, pin);
	if (!(pin->looseForce > 0.0f) || pin->slips || particle == DRAPE_NONE)
		return;
	pin->looseForce = 0.0f;
	pin->force = (Vec3){0.0f, 0.0f, 0.0f};
	pin->from = V4Xyz(cloth->active.position[particle]);
	Hold(cloth, pin, particle);
}

void drapePins_Animate(drapeWorld* world, Cloth* cloth, float dt)
{
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		Pin* pin = &cloth->pins.data[i];
		pin->savedForce = pin->force;
		pin->savedSlips = pin->slips;
		Fasten(cloth, pin);
		pin->savedLooseForce = pin->looseForce;
		if (!Follow(world, cloth, pin))
			continue;
		if (pin->surface.collider1 > 0)
			pin->to = drapeAnchor_At(world, &pin->surface, 1.0f);
		if (pin->motion1 > 0)
			pin->to = drapeTransform_Point(MotionOf(world, pin, world->time + (double)dt), pin->anchor);
		pin->way = V3Sub(pin->to, pin->from);
	}
}

void drapePins_Finish(Cloth* cloth, float dt)
{
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		Pin* pin = &cloth->pins.data[i];
		pin->from = pin->to;
		pin->velocity = V3Scale(1.0f / dt, pin->way);
	}
}

Vec3 drapePin_At(const Pin* pin, float fraction)
{
	DRAPE_ASSERT(fraction >= 0.0f && fraction <= 1.0f);
	return fraction >= 1.0f ? pin->to : V3Add(pin->from, V3Scale(fraction, V3Sub(pin->to, pin->from)));
}

void drapePins_Place(Cloth* cloth, float fraction, float dt)
{
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		const Pin* pin = &cloth->pins.data[i];
		uint32_t particle = PinnedParticle(cloth, pin);
		if (particle == DRAPE_NONE)
			continue;
		Vec3 v = V3Scale(1.0f / dt, V3Sub(drapePin_At(pin, fraction), V4Xyz(cloth->active.position[particle])));
		Vec4* velocity = &cloth->active.velocity[particle];
		*velocity = (Vec4){v.x, v.y, v.z, velocity->w};
	}
}

static void FollowParents(ActiveMesh* mesh, uint32_t i, Vec4* position)
{
	const ParticleParents* parents = &mesh->parents[i];
	DRAPE_ASSERT(parents->parent[0] != DRAPE_NONE);
	Vec3 x = {0.0f, 0.0f, 0.0f}, v = x;
	for (int k = 0; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
	{
		x = V3Add(x, V3Scale(parents->weight[k], V4Xyz(position[parents->parent[k]])));
		v = V3Add(v, V3Scale(parents->weight[k], V4Xyz(mesh->velocity[parents->parent[k]])));
	}
	position[i] = (Vec4){x.x, x.y, x.z, mesh->position[i].w};
	mesh->velocity[i] = (Vec4){v.x, v.y, v.z, mesh->velocity[i].w};
}

void drapePins_Settle(Cloth* cloth, float fraction, Vec4* position)
{
	ActiveMesh* mesh = &cloth->active;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		uint32_t particle = PinnedParticle(cloth, &cloth->pins.data[i]);
		if (particle == DRAPE_NONE)
			continue;
		Vec3 x = drapePin_At(&cloth->pins.data[i], fraction);
		position[particle] = (Vec4){x.x, x.y, x.z, mesh->position[particle].w};
	}
	if (!cloth->pinMiddles)
		return;
	// Parents have coarser levels. One level at a time, so that parents are in place before their children.
	for (uint8_t level = 1, seen = 1; seen; ++level)
	{
		seen = 0;
		for (uint32_t i = 0; i < mesh->particleCount; ++i)
		{
			if (!(mesh->particleFlags[i] & drape_particleFollows) || mesh->level[i] < level)
				continue;
			seen = 1;
			if (mesh->level[i] == level)
				FollowParents(mesh, i, position);
		}
	}
}

void drapePins_RestoreForces(Cloth* cloth, bool isFailed)
{
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		Pin* pin = &cloth->pins.data[i];
		pin->force = pin->savedForce;
		pin->slips = pin->savedSlips;
		if (pin->looseForce > 0.0f && pin->savedLooseForce == 0.0f && isFailed)
		{
			pin->looseForce = 0.0f;
			Hold(cloth, pin, ParticleOf(cloth, pin));
		}
	}
}

double drapePins_AllowedWork(const Cloth* cloth)
{
	double work = 0.0;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		const Pin* pin = &cloth->pins.data[i];
		uint32_t particle = drapePin_LimitedParticle(cloth, pin);
		if (particle == DRAPE_NONE)
			continue;
		Vec3 x = V4Xyz(cloth->active.position[particle]);
		work += (double)drapePin_MaxForce(pin) * (double)(V3Length(V3Sub(pin->from, x)) + V3Length(pin->way));
	}
	return work;
}

float drapePins_TopSpeed(const Cloth* cloth, float dt)
{
	float top = 0.0f;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		const Pin* pin = &cloth->pins.data[i];
		if (pin->vertexId != DRAPE_NONE && !pin->isOff && !IsLimited(pin))
			top = MaxNumF(top, V3Length(V3Sub(cloth->pins.data[i].to, cloth->pins.data[i].from)) / dt);
	}
	return top;
}

void drapePins_PinCreated(Cloth* cloth)
{
	ActiveMesh* mesh = &cloth->active;
	if (!cloth->pinMiddles)
		return;
	for (uint32_t i = 0; i < mesh->log.created.count; ++i)
	{
		uint32_t particle = mesh->log.created.data[i];
		if (ParentsArePinned(mesh, particle))
		{
			mesh->particleFlags[particle] |= drape_particleFollows;
			SetPinned(cloth, particle, true);
		}
	}
}
