// SPDX-License-Identifier: MIT
#include "world/constraint/constraints.h"

#include "world/history.h"
#include "world/world.h"

#include <string.h>

enum
{
	mostMeshes = 2 * pairMaxSystems, // cloths in progress
};

void drapeConstraints_Destroy(WorldConstraints* constraints)
{
	ArrayFree(&constraints->list);
	ArrayFree(&constraints->saved);
	ArrayFree(&constraints->placeRevisions);
	ArrayFree(&constraints->userData);
	ArrayFree(&constraints->asked);
	ArrayFree(&constraints->located);
	ArrayFree(&constraints->present);
	ArrayFree(&constraints->relocated);
	ArrayFree(&constraints->solved);
	ArrayFree(&constraints->solvedSlots);
	ArrayFree(&constraints->pins);
	ArrayFree(&constraints->skins);
}

static bool IsUsed(const StoredConstraint* constraint)
{
	return constraint->generation & 1;
}

bool drapeConstraint_IsOn(const drapeWorld* world, const StoredConstraint* constraint)
{
	return IsUsed(constraint) && !constraint->now.isBroken &&
	       drapeTime_IsWithin(world->time, constraint->start, constraint->end);
}

static Cloth* ClothOf(const drapeWorld* world, const StoredConstraint* constraint, int end)
{
	uint32_t cloth1 = constraint->cloth1[end];
	DRAPE_ASSERT(cloth1 <= world->cloths.count);
	return cloth1 > 0 ? world->cloths.data[cloth1 - 1] : NULL;
}

// --- before the substeps --------------------------------------------------------------------------------------------

// Pins with a force limit, of all cloths.
static uint32_t CountLimitedPins(const drapeWorld* world)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		for (uint32_t k = 0; drapeCloth_IsUsed(cloth) && k < cloth->pins.count; ++k)
			count += cloth->pins.data[k].vertexId != DRAPE_NONE && drapePin_MaxForce(&cloth->pins.data[k]) > 0.0f;
	}
	return count;
}

// Limits about skinned positions that a matrix may have.
static uint32_t CountSkins(const drapeWorld* world)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		if (drapeCloth_IsUsed(cloth) && drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator))
			count += drapeSkin_MostConstraints(cloth);
	}
	return count;
}

static bool Reserve(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	uint32_t count = all->list.count, particles = 0, pins = CountLimitedPins(world), skins = CountSkins(world);
	uint32_t others = pins + skins;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
		particles += drapeCloth_IsUsed(world->cloths.data[i]) ? world->cloths.data[i]->active.particleCount : 0;
	if (!ArrayReserve(&all->saved, count) || !ArrayReserve(&all->placeRevisions, 2 * count) ||
	    !ArrayReserve(&all->asked, 2 * count) || !ArrayReserve(&all->located, 2 * count) ||
	    !ArrayReserve(&all->present, 2 * count) || !ArrayReserve(&all->relocated, 2 * count) ||
	    !ArrayReserve(&all->solved, count + others) || !ArrayReserve(&all->solvedSlots, count + others) ||
	    !ArrayReserve(&all->pins, pins) || !ArrayReserve(&all->skins, skins) ||
	    !drapePairForces_ReserveConstraints(&world->pairForces, count + others, particles))
		return false;
	for (; all->placeRevisions.count < 2 * count; ++all->placeRevisions.count)
		all->placeRevisions.data[all->placeRevisions.count] = 0;
	return true;
}

// True when end i % 2 of constraint i / 2 is on this cloth, and was located on an earlier mesh of it.
static bool IsOutdated(const WorldConstraints* all, uint32_t i, const Cloth* cloth)
{
	const StoredConstraint* constraint = &all->list.data[i / 2];
	return IsUsed(constraint) && constraint->cloth1[i % 2] == cloth->slot + 1 &&
	       all->placeRevisions.data[i] != cloth->active.revision;
}

// Locates the outdated points of one cloth: their locations are in `located`, in their order. False when out of memory.
static bool LocateOutdated(drapeWorld* world, const Cloth* cloth)
{
	WorldConstraints* all = &world->constraints;
	uint32_t asked = 0;
	for (uint32_t i = 0; i < 2 * all->list.count; ++i)
	{
		if (IsOutdated(all, i, cloth))
			all->asked.data[asked++] = all->list.data[i / 2].point[i % 2];
	}
	return asked == 0 || drapeCloth_Locate(cloth, all->asked.data, asked, all->located.data);
}

// Locates the points of one cloth whose mesh has changed. False when out of memory.
static bool LocateOn(drapeWorld* world, const Cloth* cloth)
{
	WorldConstraints* all = &world->constraints;
	if (!LocateOutdated(world, cloth))
		return false;
	for (uint32_t i = 0, next = 0; i < 2 * all->list.count; ++i)
	{
		if (!IsOutdated(all, i, cloth))
			continue;
		all->list.data[i / 2].place[i % 2] = all->located.data[next++];
		ArrayPush(&all->relocated, i / 2);
		all->placeRevisions.data[i] = cloth->active.revision;
	}
	return true;
}

const PatternLocation* drapeConstraints_PresentLocations(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	if (!Reserve(world))
		return NULL;
	for (uint32_t i = 0; i < 2 * all->list.count; ++i)
		all->present.data[i] = all->list.data[i / 2].place[i % 2];
	for (uint32_t k = 0; k < world->cloths.count; ++k)
	{
		const Cloth* cloth = world->cloths.data[k];
		if (!drapeCloth_IsUsed(cloth))
			continue;
		if (!LocateOutdated(world, cloth))
			return NULL;
		for (uint32_t i = 0, next = 0; i < 2 * all->list.count; ++i)
		{
			if (IsOutdated(all, i, cloth))
				all->present.data[i] = all->located.data[next++];
		}
	}
	return all->present.data;
}

// The position of a point on a cloth.
static Vec3 PointOn(const drapeWorld* world, uint32_t slot, int end)
{
	const StoredConstraint* constraint = &world->constraints.list.data[slot];
	const PatternLocation* place = &world->constraints.list.data[slot].place[end];
	const Vec4* position = ClothOf(world, constraint, end)->active.position;
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (int k = 0; k < 3; ++k)
		sum = V3Add(sum, V3Scale(place->weight[k], V4Xyz(position[place->particle[k]])));
	return sum;
}

static Vec3 GapAt(const drapeWorld* world, uint32_t slot, float fraction)
{
	const StoredConstraint* constraint = &world->constraints.list.data[slot];
	Vec3 second =
		constraint->cloth1[1] > 0 ? PointOn(world, slot, 1) : drapeAnchor_At(world, &constraint->now.anchor, fraction);
	return V3Sub(PointOn(world, slot, 0), second);
}

static void Bind(drapeWorld* world, uint32_t slot)
{
	StoredConstraint* constraint = &world->constraints.list.data[slot];
	uint32_t collider = constraint->collider1 > 0 ? constraint->collider1 - 1 : DRAPE_NONE;
	Vec3 point = PointOn(world, slot, 0);
	if (constraint->anchorRule == anchorGiven)
		point = constraint->target;
	if (constraint->anchorRule == anchorAbove)
		point = drapeAnchor_Above(world, collider, point, constraint->offset, anchorStepBegins);
	if (constraint->cloth1[1] == 0)
		constraint->now.anchor = drapeAnchor_Bind(world, collider, point, anchorStepBegins);
	constraint->now.length = constraint->length > 0.0f ? constraint->length : V3Length(GapAt(world, slot, 0.0f));
	constraint->now.isBound = true;
}

// True when the law holds the gap at zero by a force that is linear in it.
static bool HoldsGap(const StoredConstraint* constraint)
{
	const ConstraintTraits* traits = drapeConstraint_TraitsOf(constraint->kind);
	return traits->isLinear && (!traits->closes || constraint->now.isClosed);
}

static void FillEnd(const drapeWorld* world, uint32_t slot, int end, uint32_t system, Constraint* constraint)
{
	const PatternLocation* place = &world->constraints.list.data[slot].place[end];
	for (int k = 0; k < 3; ++k)
	{
		constraint->particle[3 * end + k] = place->particle[k];
		constraint->weight[3 * end + k] = end == 0 ? place->weight[k] : -place->weight[k];
		constraint->system[3 * end + k] = (uint8_t)system;
	}
}

// Adaptation moves the surface between particles, and with it the points of constraints. Moves them back without
// changing velocities.
static void Restore(drapeWorld* world, uint32_t slot)
{
	const StoredConstraint* stored = &world->constraints.list.data[slot];
	if (!stored->now.isBound || !drapeConstraint_IsOn(world, stored) || stored->stiffness < INFINITY ||
	    !HoldsGap(stored))
		return;
	Constraint constraint = {.kind = stored->kind};
	memset(constraint.particle, 0xff, sizeof constraint.particle);
	ActiveMesh* meshes[2] = {&ClothOf(world, stored, 0)->active, NULL};
	FillEnd(world, slot, 0, 0, &constraint);
	if (stored->cloth1[1] > 0)
	{
		meshes[1] = &ClothOf(world, stored, 1)->active;
		FillEnd(world, slot, 1, 1, &constraint);
	}
	drapeConstraint_Shift(&constraint, meshes, V3Scale(-1.0f, GapAt(world, slot, 0.0f)), (Vec3){0.0f, 0.0f, 0.0f});
}

static void RestoreAll(drapeWorld* world)
{
	const int sweeps = 8;
	const WorldConstraints* all = &world->constraints;
	for (int sweep = 0; sweep < sweeps; ++sweep)
	{
		for (uint32_t i = 0; i < all->relocated.count; ++i)
			Restore(world, all->relocated.data[i]);
	}
}

static void FindLinks(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
		world->cloths.data[i]->isLinked = false;
	for (uint32_t i = 0; i < all->list.count; ++i)
	{
		const StoredConstraint* constraint = &all->list.data[i];
		if (!drapeConstraint_IsOn(world, constraint))
			continue;
		if (constraint->cloth1[1] == 0 || constraint->cloth1[1] == constraint->cloth1[0])
			continue;
		ClothOf(world, constraint, 0)->isLinked = true;
		ClothOf(world, constraint, 1)->isLinked = true;
	}
}

bool drapeConstraints_Begin(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	FindLinks(world);
	if (all->list.count + CountLimitedPins(world) + CountSkins(world) == 0)
		return true;
	if (!Reserve(world))
		return false;
	all->relocated.count = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]) && !LocateOn(world, world->cloths.data[i]))
			return false;
	}
	RestoreAll(world);
	for (uint32_t i = 0; i < all->list.count; ++i)
		all->saved.data[i] = all->list.data[i].now;
	all->saved.count = all->list.count;
	for (uint32_t i = 0; i < all->list.count; ++i)
	{
		StoredConstraint* constraint = &all->list.data[i];
		bool isOn = drapeConstraint_IsOn(world, constraint);
		if (isOn && !constraint->now.isBound)
			Bind(world, i);
		if (!isOn)
		{
			constraint->now.load = 0.0f;
			constraint->now.force = (Vec3){0.0f, 0.0f, 0.0f};
		}
	}
	return true;
}

void drapeConstraints_Undo(drapeWorld* world, const Cloth* cloth)
{
	WorldConstraints* all = &world->constraints;
	for (uint32_t i = 0; i < MinU32(all->saved.count, all->list.count); ++i)
	{
		StoredConstraint* constraint = &all->list.data[i];
		bool isIts = !cloth || constraint->cloth1[0] == cloth->slot + 1 || constraint->cloth1[1] == cloth->slot + 1;
		if (!IsUsed(constraint) || !isIts)
			continue;
		// Within a step a constraint stays bound: the step is repeated from the same beginning.
		ConstraintRecord record = all->saved.data[i];
		if (cloth)
		{
			record.anchor = constraint->now.anchor;
			record.length = constraint->now.length;
			record.isBound = constraint->now.isBound;
		}
		constraint->now = record;
	}
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (!cloth || cloth == world->cloths.data[i])
			drapePins_RestoreForces(world->cloths.data[i], !cloth);
	}
}

double drapeConstraints_AllowedGain(const drapeWorld* world, const Cloth* cloth, float dt)
{
	const WorldConstraints* all = &world->constraints;
	double mass = Cloth_Mass(cloth), elastic = 0.0, top = (double)drapeSkin_TopSpeed(cloth, dt);
	for (uint32_t i = 0; i < all->list.count; ++i)
	{
		const StoredConstraint* constraint = &all->list.data[i];
		bool isIts = constraint->cloth1[0] == cloth->slot + 1 || constraint->cloth1[1] == cloth->slot + 1;
		if (!isIts || !constraint->now.isBound || !drapeConstraint_IsOn(world, constraint))
			continue;
		double gap = (double)V3Length(GapAt(world, i, 0.0f)), speed = (double)constraint->speed;
		const ConstraintTraits* traits = drapeConstraint_TraitsOf(constraint->kind);
		if (traits->hasLength)
		{
			gap -= (double)constraint->now.length;
			gap = traits->isOneSided ? MaxNum(gap, 0.0) : fabs(gap);
		}
		if (traits->closes && !constraint->now.isClosed)
			gap = 0.0;
		if (constraint->stiffness < INFINITY)
			elastic += 0.5 * (double)constraint->stiffness * gap * gap;
		else
			speed += gap / (double)dt;
		if (constraint->cloth1[1] == 0)
			speed += (double)V3Length(V3Sub(drapeAnchor_At(world, &constraint->now.anchor, 1.0f),
			                                drapeAnchor_At(world, &constraint->now.anchor, 0.0f))) /
			         (double)dt;
		top = MaxNum(top, speed);
	}
	return 2.0 * elastic + 4.0 * mass * top * top;
}

// --- in a substep ---------------------------------------------------------------------------------------------------

// The index of a cloth among those in progress; DRAPE_NONE if it is not.
static uint32_t IndexOf(const drapeWorld* world, const Cloth* cloth)
{
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		if (world->substeps.data[i].cloth == cloth)
			return i;
	}
	return DRAPE_NONE;
}

static Constraint Describe(drapeWorld* world, uint32_t slot, const Substep* substep)
{
	StoredConstraint* stored = &world->constraints.list.data[slot];
	Constraint constraint = {
		.kind = stored->kind,
		.stiffness = stored->stiffness,
		.damping = stored->damping,
		.length = stored->now.length,
		.speed = stored->speed,
		.maxForce = stored->maxForce,
		.load = stored->now.load,
	};
	memset(constraint.particle, 0xff, sizeof constraint.particle);
	FillEnd(world, slot, 0, IndexOf(world, ClothOf(world, stored, 0)), &constraint);
	constraint.gap = GapAt(world, slot, substep->fromFraction);
	if (stored->cloth1[1] > 0)
	{
		FillEnd(world, slot, 1, IndexOf(world, ClothOf(world, stored, 1)), &constraint);
	}
	else
	{
		Vec3 from = drapeAnchor_At(world, &stored->now.anchor, substep->fromFraction);
		constraint.way = V3Sub(from, drapeAnchor_At(world, &stored->now.anchor, substep->toFraction));
		constraint.velocity = V3Scale(1.0f / substep->dt, constraint.way);
	}
	// The constraint is closed when it would close within the substep.
	if (drapeConstraint_TraitsOf(stored->kind)->closes && !(V3Length(constraint.gap) > stored->speed * substep->dt))
		stored->now.isClosed = true;
	if (stored->now.isClosed)
		constraint.speed = 0.0f;
	return constraint;
}

// Describes a limited pin: the gap is from the place of the pin to its particle.
static Constraint DescribePin(drapeWorld* world, const SolvedPin* solved, const Substep* substep)
{
	const Pin* pin = &solved->cloth->pins.data[solved->pin];
	Vec3 from = drapePin_At(pin, substep->fromFraction), to = drapePin_At(pin, substep->toFraction);
	Constraint constraint = {
		.kind = constraintPin,
		.stiffness = INFINITY,
		.maxForce = drapePin_MaxForce(pin),
		.slips = pin->slips,
		.gap = V3Sub(V4Xyz(solved->cloth->active.position[solved->particle]), from),
		.way = V3Sub(from, to),
	};
	constraint.velocity = V3Scale(1.0f / substep->dt, constraint.way);
	memset(constraint.particle, 0xff, sizeof constraint.particle);
	constraint.particle[0] = solved->particle;
	constraint.weight[0] = 1.0f;
	constraint.system[0] = (uint8_t)IndexOf(world, solved->cloth);
	return constraint;
}

static bool IsMidpoint(const Cloth* cloth)
{
	return cloth->simulation.solver.integrator == drape_integratorImplicitMidpoint;
}

// The implicit midpoint rule solves for the middle of the substep. Laws that are not linear would hold there, and not at
// its end.
static bool CanSolve(const Cloth* cloth, const StoredConstraint* constraint)
{
	return drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator) &&
	       (HoldsGap(constraint) || !IsMidpoint(cloth));
}

// True when the solver of the cloths in progress has the constraint in its matrix. The matrix cannot join the middle of
// the substep of one cloth to the end of the substep of another.
static bool IsInMatrix(const drapeWorld* world, const StoredConstraint* constraint)
{
	const Cloth* cloth = ClothOf(world, constraint, 0);
	if (constraint->cloth1[1] == 0)
		return CanSolve(cloth, constraint);
	const Cloth* other = ClothOf(world, constraint, 1);
	return CanSolve(cloth, constraint) && CanSolve(other, constraint) && IsMidpoint(cloth) == IsMidpoint(other);
}

// Adds the limited pins of a cloth in progress.
static void GatherPins(drapeWorld* world, const Substep* substep)
{
	WorldConstraints* all = &world->constraints;
	for (uint32_t i = 0; i < substep->cloth->pins.count; ++i)
	{
		uint32_t particle = drapePin_LimitedParticle(substep->cloth, &substep->cloth->pins.data[i]);
		if (particle == DRAPE_NONE)
			continue;
		const SolvedPin pin = {substep->cloth, i, particle};
		ArrayPush(&all->solvedSlots, solvedPin | all->pins.count);
		ArrayPush(&all->pins, pin);
		ArrayPush(&all->solved, DescribePin(world, &pin, substep));
	}
}

// Adds the limits about skinned positions that may act.
static void GatherSkins(drapeWorld* world, uint32_t system)
{
	WorldConstraints* all = &world->constraints;
	const Substep* substep = &world->substeps.data[system];
	uint32_t count = drapeSkin_HasLimits(substep->cloth) ? substep->cloth->active.particleCount : 0;
	for (uint32_t i = 0; i < 2 * count; ++i)
	{
		const SolvedSkin skin = {substep->cloth, i / 2, i % 2};
		Constraint constraint;
		if (!drapeSkin_Describe(world, substep, system, skin, &constraint))
			continue;
		ArrayPush(&all->solvedSlots, solvedSkin | all->skins.count);
		ArrayPush(&all->skins, skin);
		ArrayPush(&all->solved, constraint);
	}
}

// Limited pins are linear whether they hold or slip, so that the implicit midpoint rule has them in its matrix, too. A
// projection would not feel the tension of the cloth.
static bool PinsAreInMatrix(const Cloth* cloth)
{
	return drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator);
}

void drapeConstraints_Gather(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	all->solved.count = all->solvedSlots.count = all->inMatrix = all->pins.count = all->skins.count = 0;
	for (int pass = 0; pass < 2; ++pass)
	{
		for (uint32_t i = 0; i < world->substeps.count; ++i)
		{
			bool isImplicit = PinsAreInMatrix(world->substeps.data[i].cloth);
			if (isImplicit == (pass == 0))
				GatherPins(world, &world->substeps.data[i]);
			if (isImplicit && pass == 0)
				GatherSkins(world, i);
		}
		all->inMatrix = pass == 0 ? all->solved.count : all->inMatrix;
		for (uint32_t i = 0; i < all->list.count; ++i)
		{
			const StoredConstraint* constraint = &all->list.data[i];
			if (!drapeConstraint_IsOn(world, constraint) || IsInMatrix(world, constraint) != (pass == 0) ||
			    IndexOf(world, ClothOf(world, constraint, 0)) == DRAPE_NONE)
				continue;
			DRAPE_ASSERT(constraint->now.isBound);
			ArrayPush(&all->solved, Describe(world, i, &world->substeps.data[0]));
			ArrayPush(&all->solvedSlots, i);
			all->inMatrix += pass == 0;
		}
	}
}

static void StoreForce(StoredConstraint* constraint, Vec3 force, Vec3 gap)
{
	constraint->now.force = force;
	constraint->now.load = MaxNumF(-V3Dot(force, gap), 0.0f) > 0.0f ? V3Length(force) : 0.0f;
}

static SolvedPin* PinOf(WorldConstraints* all, uint32_t slot)
{
	return slot & solvedPin ? &all->pins.data[slot & ~(uint32_t)solvedPin] : NULL;
}

static SolvedSkin* SkinOf(WorldConstraints* all, uint32_t slot)
{
	return slot & solvedSkin ? &all->skins.data[slot & ~(uint32_t)solvedSkin] : NULL;
}

static void StorePinForce(const SolvedPin* solved, Vec3 force, bool slips)
{
	Pin* pin = &solved->cloth->pins.data[solved->pin];
	pin->force = force;
	pin->slips = slips;
}

// The vector from the place of a pin to its particle, m.
static Vec3 PinGapAt(const SolvedPin* solved, float fraction)
{
	return V3Sub(V4Xyz(solved->cloth->active.position[solved->particle]),
	             drapePin_At(&solved->cloth->pins.data[solved->pin], fraction));
}

// The meshes of the cloths in progress, in their order.
static void ListMeshes(const drapeWorld* world, ActiveMesh** meshes)
{
	DRAPE_ASSERT(world->substeps.count <= mostMeshes);
	for (uint32_t i = 0; i < world->substeps.count; ++i)
		meshes[i] = &world->substeps.data[i].cloth->active;
}

// A hard constraint ends the relative motion of its points, as an inelastic impact does. Integrators of second order
// would make it bounce: they extrapolate the motion before it. A one-sided constraint stops its points once, when it
// becomes taut.
static void StopGap(drapeWorld* world, const Constraint* constraint, bool wasLoaded)
{
	ActiveMesh* meshes[mostMeshes];
	ListMeshes(world, meshes);
	Vec3 velocity = drapeConstraint_GapVelocity(constraint, meshes);
	const ConstraintTraits* traits = drapeConstraint_TraitsOf(constraint->kind);
	if (traits->isOneSided && wasLoaded)
		return;
	if (traits->hasLength)
	{
		Vec3 normal = V3Normalize(constraint->gap);
		velocity = V3Scale(V3Dot(velocity, normal), normal);
	}
	drapeConstraint_Shift(constraint, meshes, (Vec3){0.0f, 0.0f, 0.0f}, V3Scale(-1.0f, velocity));
	for (uint32_t k = 0; k < constraintSlots; ++k)
	{
		if (constraint->particle[k] != DRAPE_NONE)
			drapeCloth_RestartHistory(world->substeps.data[constraint->system[k]].cloth, constraint->particle[k]);
	}
}

void drapeConstraints_StoreForces(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	uint32_t count = MinU32(all->inMatrix, world->pairForces.constraintCount);
	for (uint32_t i = 0; i < count; ++i)
	{
		const SolvedPin* pin = PinOf(all, all->solvedSlots.data[i]);
		if (pin)
		{
			StorePinForce(pin, V4Xyz(world->pairForces.constraintForce.data[i]),
			              world->pairForces.isReleased.data[i] != pairHolds);
			continue;
		}
		const Constraint* constraint = &all->solved.data[i];
		const SolvedSkin* skin = SkinOf(all, all->solvedSlots.data[i]);
		if (skin)
		{
			Vec3 force = V4Xyz(world->pairForces.constraintForce.data[i]);
			bool wasActing = drapeSkin_StoreForce(skin, constraint, force);
			if (V3Dot(force, force) > 0.0f)
				StopGap(world, constraint, wasActing);
			continue;
		}
		StoredConstraint* stored = &all->list.data[all->solvedSlots.data[i]];
		bool wasLoaded = stored->now.load > 0.0f;
		StoreForce(stored, V4Xyz(world->pairForces.constraintForce.data[i]), constraint->gap);
		bool isSlack = drapeConstraint_TraitsOf(constraint->kind)->isOneSided && !(stored->now.load > 0.0f);
		if (drapeConstraint_IsHard(constraint) && !isSlack)
			StopGap(world, constraint, wasLoaded);
	}
}

// Springs and motors act once. Hard constraints that share particles are satisfied by several sweeps.
void drapeConstraints_Project(drapeWorld* world)
{
	const int sweeps = 8;
	WorldConstraints* all = &world->constraints;
	const Substep* substep = &world->substeps.data[0];
	ActiveMesh* meshes[mostMeshes];
	if (all->solved.count == all->inMatrix)
		return;
	ListMeshes(world, meshes);
	for (int sweep = 0; sweep < sweeps; ++sweep)
	{
		for (uint32_t i = all->inMatrix; i < all->solved.count; ++i)
		{
			const Constraint* constraint = &all->solved.data[i];
			if (sweep > 0 && !drapeConstraint_IsHard(constraint))
				continue;
			uint32_t slot = all->solvedSlots.data[i];
			const SolvedPin* pin = PinOf(all, slot);
			Vec3 gap = pin ? PinGapAt(pin, substep->toFraction) : GapAt(world, slot, substep->toFraction);
			Vec3 force = drapeConstraint_Project(constraint, meshes, gap, substep->dt);
			if (pin)
			{
				StorePinForce(pin, force, V3Length(PinGapAt(pin, substep->toFraction)) > 1e-3f * V3Length(gap));
				continue;
			}
			if (sweep > 0)
				force = V3Add(force, all->list.data[slot].now.force);
			StoreForce(&all->list.data[slot], force, gap);
		}
	}
}

void drapeConstraints_Finish(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	for (uint32_t i = 0; i < all->solved.count; ++i)
	{
		uint32_t slot = all->solvedSlots.data[i];
		if (slot & (solvedPin | solvedSkin))
			continue;
		StoredConstraint* constraint = &all->list.data[slot];
		constraint->now.distance = V3Length(GapAt(world, slot, world->substeps.data[0].toFraction));
		if (!(constraint->now.distance > constraint->breakDistance))
			continue;
		constraint->now.isBroken = true;
		constraint->now.load = 0.0f;
		constraint->now.force = (Vec3){0.0f, 0.0f, 0.0f};
	}
}

// --- changes of the world -------------------------------------------------------------------------------------------

void drapeConstraints_Remove(WorldConstraints* all, uint32_t slot)
{
	all->list.data[slot].generation++;
	if (2 * slot + 1 < all->placeRevisions.count)
		all->placeRevisions.data[2 * slot] = all->placeRevisions.data[2 * slot + 1] = 0;
}

void drapeConstraints_ForgetCloth(drapeWorld* world, uint32_t slot)
{
	WorldConstraints* all = &world->constraints;
	for (uint32_t i = 0; i < all->list.count; ++i)
	{
		const StoredConstraint* constraint = &all->list.data[i];
		if (IsUsed(constraint) && (constraint->cloth1[0] == slot + 1 || constraint->cloth1[1] == slot + 1))
			drapeConstraints_Remove(all, i);
	}
}

void drapeConstraints_ForgetCollider(drapeWorld* world, uint32_t slot)
{
	WorldConstraints* all = &world->constraints;
	for (uint32_t i = 0; i < all->list.count; ++i)
	{
		const StoredConstraint* constraint = &all->list.data[i];
		if (IsUsed(constraint) && constraint->collider1 == slot + 1)
			drapeConstraints_Remove(all, i);
	}
}

void drapeConstraints_MarkLocated(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	for (uint32_t i = 0; i < 2 * all->list.count; ++i)
	{
		StoredConstraint* constraint = &all->list.data[i / 2];
		const Cloth* cloth = IsUsed(constraint) ? ClothOf(world, constraint, i % 2) : NULL;
		constraint->isLocated[i % 2] =
			cloth && i < all->placeRevisions.count && all->placeRevisions.data[i] == cloth->active.revision;
	}
}

bool drapeConstraints_ReserveLoaded(WorldConstraints* constraints, uint32_t count)
{
	return ArrayReserve(&constraints->placeRevisions, 2 * count) && ArrayReserve(&constraints->userData, count);
}

void drapeConstraints_Replace(drapeWorld* world)
{
	WorldConstraints* all = &world->constraints;
	all->saved.count = 0;
	all->placeRevisions.count = 2 * all->list.count;
	while (all->userData.count < all->list.count)
		ArrayPush(&all->userData, NULL);
	for (uint32_t i = 0; i < 2 * all->list.count; ++i)
	{
		const StoredConstraint* constraint = &all->list.data[i / 2];
		bool isLocated = IsUsed(constraint) && constraint->isLocated[i % 2];
		all->placeRevisions.data[i] = isLocated ? ClothOf(world, constraint, i % 2)->active.revision : 0;
	}
}
