// SPDX-License-Identifier: MIT
#include "world/world.h"

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

static Pin* GetPin(Cloth* cloth, drapePinId id)
{
	bool exists = cloth && id.index1 > 0 && id.index1 <= cloth->pins.count &&
	              cloth->pins.data[id.index1 - 1].vertexId != DRAPE_NONE;
	DRAPE_ASSERT(exists);
	return exists ? &cloth->pins.data[id.index1 - 1] : NULL;
}

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

drapePinId drapeCloth_Pin(drapeClothId id, uint32_t particle)
{
	Cloth* cloth = drapeCloth_Get(id);
	DRAPE_ASSERT(cloth && particle < cloth->active.particleCount);
	if (!cloth || particle >= cloth->active.particleCount)
		return (drapePinId){0};
	uint32_t vertexId = cloth->active.vertexId[particle], slot = cloth->pins.count;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		if (cloth->pins.data[i].vertexId == vertexId)
			return (drapePinId){i + 1};
		if (cloth->pins.data[i].vertexId == DRAPE_NONE && slot == cloth->pins.count)
			slot = i;
	}
	if (slot == cloth->pins.count && !ArrayGrow(&cloth->pins))
		return (drapePinId){0};
	Vec3 position = V4Xyz(cloth->active.position[particle]);
	cloth->pins.data[slot] = (Pin){
		.vertexId = vertexId, .anchor = position, .from = position, .to = position, .surface.triangle = DRAPE_NONE};
	cloth->active.particleFlags[particle] &= (uint8_t)~drape_particleFollows;
	SetPinned(cloth, particle, true);
	cloth->active.velocity[particle].x = cloth->active.velocity[particle].y = cloth->active.velocity[particle].z = 0.0f;
	return (drapePinId){slot + 1};
}

void drapeCloth_MovePin(drapeClothId id, drapePinId pinId, drapeVec3 position)
{
	Pin* pin = GetPin(drapeCloth_Get(id), pinId);
	DRAPE_ASSERT(V3IsFinite(position));
	if (!pin || !V3IsFinite(position))
		return;
	pin->motion1 = pin->surface.collider1 = 0;
	pin->to = position;
}

void drapeCloth_PinToMotion(drapeClothId id, drapePinId pinId, drapeMotionId motion)
{
	Cloth* cloth = drapeCloth_Get(id);
	Pin* pin = GetPin(cloth, pinId);
	bool isOwn = cloth && drapeMotion_IsOf(id.world, motion);
	DRAPE_ASSERT(isOwn);
	if (!pin || !isOwn)
		return;
	pin->motion1 = motion.index1;
	pin->surface.collider1 = 0;
	if (motion.index1 > 0)
	{
		drapeTransform now = drapeMotion_Evaluate(&id.world->motions.data[motion.index1 - 1], id.world->time);
		pin->anchor = drapeTransform_InversePoint(now, pin->from);
	}
}

void drapeCloth_PinToCollider(drapeClothId id, drapePinId pinId, drapeColliderId collider)
{
	Pin* pin = GetPin(drapeCloth_Get(id), pinId);
	bool isOwn = collider.index1 == 0 || (collider.world == id.world && drapeCollider_IsValid(collider));
	DRAPE_ASSERT(isOwn);
	if (!pin || !isOwn)
		return;
	pin->motion1 = 0;
	pin->to = pin->from;
	pin->surface = collider.index1 > 0 ? drapeAnchor_Bind(id.world, collider.index1 - 1, pin->from, anchorStepEnds)
	                                   : (SurfaceAnchor){.triangle = DRAPE_NONE};
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

void drapeCloth_Unpin(drapeClothId id, drapePinId pinId)
{
	Cloth* cloth = drapeCloth_Get(id);
	Pin* pin = GetPin(cloth, pinId);
	if (!pin)
		return;
	Release(cloth, pin);
	pin->vertexId = DRAPE_NONE;
}

drapeResult drapeCloth_SetPinTimes(drapeClothId id, drapePinId pinId, float start, float end)
{
	Cloth* cloth = drapeCloth_Get(id);
	Pin* pin = GetPin(cloth, pinId);
	bool isValid = isfinite(start) && end >= 0.0f && isfinite(end) && (end == 0.0f || end > start);
	DRAPE_ASSERT(isValid);
	if (!pin || !isValid)
		return drape_errorArgument;
	// Adaptation may remove other particles while no pin holds them.
	bool isLater = !drapeTime_IsWithin(id.world->time, start, 0.0f);
	if (isLater && cloth->active.level[ParticleOf(cloth, pin)] > 0)
		return drape_errorArgument;
	pin->start = start;
	pin->end = end;
	if (isLater && !pin->isOff)
		Release(cloth, pin);
	pin->isOff = isLater;
	return drape_ok;
}

drapeResult drapeCloth_SetPinForce(drapeClothId id, drapePinId pinId, float maxForce)
{
	Cloth* cloth = drapeCloth_Get(id);
	Pin* pin = GetPin(cloth, pinId);
	bool isValid = maxForce >= 0.0f && maxForce <= 1e9f;
	DRAPE_ASSERT(isValid);
	if (!pin || !isValid)
		return drape_errorArgument;
	bool wasLimited = IsLimited(pin);
	pin->maxForce = maxForce;
	pin->looseForce = 0.0f;
	if (pin->isOff || wasLimited == IsLimited(pin))
		return drape_ok;
	uint32_t particle = ParticleOf(cloth, pin);
	pin->force = (Vec3){0.0f, 0.0f, 0.0f};
	pin->slips = false;
	Release(cloth, pin);
	// A pin that loses its limit begins where its particle is.
	if (wasLimited)
		pin->from = V4Xyz(cloth->active.position[particle]);
	Hold(cloth, pin, particle);
	return drape_ok;
}

drapePinState drapeCloth_GetPinState(drapeClothId id, drapePinId pinId)
{
	Cloth* cloth = drapeCloth_Get(id);
	const Pin* pin = GetPin(cloth, pinId);
	if (!pin)
		return (drapePinState){0};
	drapePinState state = {.target = pin->to, .maxForce = pin->maxForce, .isActive = !pin->isOff};
	uint32_t particle = drapePin_LimitedParticle(cloth, pin);
	if (particle == DRAPE_NONE)
		return state;
	state.force = pin->force;
	state.lag = V3Length(V3Sub(pin->from, V4Xyz(cloth->active.position[particle])));
	state.isSlipping = pin->slips != 0;
	return state;
}

uint32_t drapeCloth_PinParticle(drapeClothId id, drapePinId pin)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || pin.index1 == 0 || pin.index1 > cloth->pins.count)
		return DRAPE_NONE;
	return ParticleOf(cloth, &cloth->pins.data[pin.index1 - 1]);
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
		pin->anchor = drapeTransform_InversePoint(
			drapeMotion_Evaluate(&world->motions.data[pin->motion1 - 1], world->time), position);
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
		Catch(world, cloth, pin);
	if (!pin->isOff && !drapeTime_IsWithin(world->time, pin->start, pin->end))
	{
		Release(cloth, pin);
		pin->vertexId = DRAPE_NONE;
	}
	return !pin->isOff && pin->vertexId != DRAPE_NONE;
}

// The weight of a cloth under the gravity of the Earth, N.
static float WeightOf(const Cloth* cloth)
{
	return 9.81f * (float)cloth->pattern.area * cloth->simulation.model.material.density;
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
			pin->to = drapeTransform_Point(
				drapeMotion_Evaluate(&world->motions.data[pin->motion1 - 1], world->time + (double)dt), pin->anchor);
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
