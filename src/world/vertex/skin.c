// SPDX-License-Identifier: MIT
#include "world/vertex/skin.h"

#include "world/history.h"
#include "world/world.h"

#include <float.h>
#include <string.h>

enum
{
	skinGrain = 1024,
};

// m: particles that are less than this beyond a limit stay where they are. Maximum distances below it hold the particle.
static const float skinTolerance = 1e-5f;

// m: larger back stops are flat. Coordinates relative to their centres stay accurate.
static const float mostRadius = 100.0f;

// A limit at a fraction of the step: a sphere, which the particle may not leave or may not enter.
typedef struct SkinLimit
{
	Vec3 centre;  // m
	float radius; // m
} SkinLimit;

static const SkinTarget* TargetsOf(const Cloth* cloth)
{
	uint32_t column = cloth->painted[paintedSkin];
	return column == DRAPE_NONE ? NULL : Columns_Data(&cloth->active.columns, column);
}

static SkinLoad* LoadsOf(const Cloth* cloth)
{
	DRAPE_ASSERT(cloth->painted[paintedSkinLoad] != DRAPE_NONE);
	return Columns_Data(&cloth->active.columns, cloth->painted[paintedSkinLoad]);
}

static bool FindMaxDistance(const Cloth* cloth, uint32_t particle, float fraction, SkinLimit* limit)
{
	const float* distances = Cloth_Painted(cloth, drape_vertexMaxDistance);
	if (!distances || !(distances[particle] < paintedFree))
		return false;
	const SkinTarget* target = &TargetsOf(cloth)[particle];
	*limit = (SkinLimit){V3Lerp(target->from, target->to, fraction), distances[particle]};
	return true;
}

static bool FindBackstop(const Cloth* cloth, uint32_t particle, float fraction, SkinLimit* limit)
{
	const float* distances = Cloth_Painted(cloth, drape_vertexBackstopDistance);
	const float* radii = Cloth_Painted(cloth, drape_vertexBackstopRadius);
	float distance = distances ? distances[particle] : 0.0f, radius = radii ? MinF(radii[particle], mostRadius) : 0.0f;
	if (!(radius > 0.0f) || !(distance < paintedFree))
		return false;
	const SkinTarget* target = &TargetsOf(cloth)[particle];
	Vec3 normal = V3Normalize(V3Lerp(target->fromNormal, target->normal, fraction));
	if (!(V3Dot(normal, normal) > 0.5f))
		return false;
	Vec3 skin = V3Lerp(target->from, target->to, fraction);
	*limit = (SkinLimit){V3Sub(skin, V3Scale(distance + radius, normal)), radius};
	return true;
}

static bool FindLimit(const Cloth* cloth, uint32_t particle, bool isBackstop, float fraction, SkinLimit* limit)
{
	DRAPE_ASSERT(particle < cloth->active.particleCount && fraction >= 0.0f && fraction <= 1.0f);
	return isBackstop ? FindBackstop(cloth, particle, fraction, limit)
	                  : FindMaxDistance(cloth, particle, fraction, limit);
}

bool drapeSkin_HasLimits(const Cloth* cloth)
{
	return TargetsOf(cloth) &&
	       (Cloth_Painted(cloth, drape_vertexMaxDistance) || Cloth_Painted(cloth, drape_vertexBackstopRadius));
}

uint32_t drapeSkin_MostConstraints(const Cloth* cloth)
{
	uint32_t kinds = (Cloth_Painted(cloth, drape_vertexMaxDistance) != NULL) +
	                 (Cloth_Painted(cloth, drape_vertexBackstopRadius) != NULL);
	return drapeSkin_HasLimits(cloth) ? kinds * cloth->active.particleCount : 0;
}

// --- in the matrix --------------------------------------------------------------------------------------------------

// Returns whether the gap may reach its limit within the substep: by the motion so far, and some more by forces.
static bool MayAct(const drapeWorld* world, const Constraint* constraint, Vec3 velocity, bool isBackstop, float dt)
{
	const float share = 1.0f;
	Vec3 moves = V3Add(V3Add(constraint->way, V3Scale(dt, velocity)), V3Scale(dt * dt, world->gravity));
	float distance = V3Length(V3Add(constraint->gap, moves)), margin = share * V3Length(moves) + 10.0f * skinTolerance;
	return isBackstop ? distance - margin < constraint->length : distance + margin > constraint->length;
}

bool drapeSkin_Describe(const drapeWorld* world, const Substep* substep, uint32_t system, SolvedSkin skin,
                        Constraint* constraint)
{
	const ActiveMesh* mesh = &skin.cloth->active;
	SkinLimit from, to;
	if (!(mesh->position[skin.particle].w > 0.0f) ||
	    !FindLimit(skin.cloth, skin.particle, skin.isBackstop, substep->fromFraction, &from) ||
	    !FindLimit(skin.cloth, skin.particle, skin.isBackstop, substep->toFraction, &to))
		return false;
	SkinLoad load = LoadsOf(skin.cloth)[skin.particle];
	bool isHeld = !skin.isBackstop && to.radius < skinTolerance;
	*constraint = (Constraint){
		.kind = skin.isBackstop ? constraintBackstop
	            : isHeld        ? drape_constraintAttachment
	                            : drape_constraintTether,
		.stiffness = INFINITY,
		.length = to.radius,
		.load = skin.isBackstop ? load.push : load.pull,
		.gap = V3Sub(V4Xyz(mesh->position[skin.particle]), from.centre),
		.way = V3Sub(from.centre, to.centre),
		.isLimit = true,
	};
	constraint->velocity = V3Scale(1.0f / substep->dt, constraint->way);
	memset(constraint->particle, 0xff, sizeof constraint->particle);
	constraint->particle[0] = skin.particle;
	constraint->weight[0] = 1.0f;
	constraint->system[0] = (uint8_t)system;
	// The implicit midpoint rule solves for the middle of the substep: only linear laws hold at its end.
	bool isMidpoint = skin.cloth->simulation.solver.integrator == drape_integratorImplicitMidpoint;
	return isHeld ||
	       (!isMidpoint && (constraint->load > 0.0f || MayAct(world, constraint, V4Xyz(mesh->velocity[skin.particle]),
	                                                          skin.isBackstop, substep->dt)));
}

bool drapeSkin_StoreForce(const SolvedSkin* skin, const Constraint* constraint, Vec3 force)
{
	SkinLoad* load = &LoadsOf(skin->cloth)[skin->particle];
	float* own = skin->isBackstop ? &load->push : &load->pull;
	float along = V3Dot(force, constraint->gap);
	bool wasLoaded = *own > 0.0f, acts = skin->isBackstop ? along > 0.0f : along < 0.0f;
	*own = acts ? V3Length(force) : 0.0f;
	return wasLoaded;
}

// --- after integration ----------------------------------------------------------------------------------------------

// The distance of a point beyond a limit, m, and the unit vector from the centre to it.
static float Excess(const SkinLimit* limit, bool isBackstop, Vec3 point, Vec3* normal)
{
	Vec3 gap = V3Sub(point, limit->centre);
	float distance = V3Length(gap);
	*normal = distance > FLT_MIN ? V3Scale(1.0f / distance, gap) : (Vec3){0.0f, 0.0f, 0.0f};
	return isBackstop ? limit->radius - distance : distance - limit->radius;
}

// Moves a particle back to its limit, and removes the velocity with which it leaves: an inelastic impact.
static void KeepLimit(const Substep* substep, uint32_t particle, bool isBackstop)
{
	Cloth* cloth = substep->cloth;
	SkinLimit from, to;
	Vec4 *x = &cloth->active.position[particle], *v = &cloth->active.velocity[particle];
	Vec3 normal;
	if (!FindLimit(cloth, particle, isBackstop, substep->toFraction, &to))
		return;
	float excess = Excess(&to, isBackstop, V4Xyz(*x), &normal), *load = NULL;
	if (!(excess > skinTolerance) || !FindLimit(cloth, particle, isBackstop, substep->fromFraction, &from))
		return;
	Vec3 inward = V3Scale(isBackstop ? 1.0f : -1.0f, normal);
	Vec3 carried = V3Scale(1.0f / substep->dt, V3Sub(to.centre, from.centre));
	float leaving = MinF(V3Dot(V3Sub(V4Xyz(*v), carried), inward), 0.0f);
	Vec3 place = V3Add(V4Xyz(*x), V3Scale(excess, inward)), slowed = V3Sub(V4Xyz(*v), V3Scale(leaving, inward));
	*x = (Vec4){place.x, place.y, place.z, x->w};
	*v = (Vec4){slowed.x, slowed.y, slowed.z, v->w};
	// The next solve begins with the limit.
	load = isBackstop ? &LoadsOf(cloth)[particle].push : &LoadsOf(cloth)[particle].pull;
	*load = MaxF(*load, FLT_MIN);
	drapeCloth_RestartHistory(cloth, particle);
}

static void ProjectRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Substep* substep = context;
	for (uint32_t i = start; i < end; ++i)
	{
		if (!(substep->cloth->active.position[i].w > 0.0f))
			continue;
		// Back to the skinned position may be through the back stop.
		KeepLimit(substep, i, false);
		KeepLimit(substep, i, true);
		KeepLimit(substep, i, false);
	}
}

void drapeSkin_Project(const Substep* substep, TaskPool* tasks)
{
	if (drapeSkin_HasLimits(substep->cloth))
		drapeTaskPool_For(tasks, substep->cloth->active.particleCount, skinGrain, ProjectRange,
		                  (void*)(uintptr_t)substep);
}

// --- the step -------------------------------------------------------------------------------------------------------

float drapeSkin_TopSpeed(const Cloth* cloth, float dt)
{
	float top = 0.0f;
	uint32_t count = drapeSkin_HasLimits(cloth) ? cloth->active.particleCount : 0;
	DRAPE_ASSERT(dt > 0.0f);
	for (uint32_t i = 0; i < 2 * count; ++i)
	{
		SkinLimit from, to;
		Vec3 normal, x = V4Xyz(cloth->active.position[i / 2]);
		if (!FindLimit(cloth, i / 2, i % 2, 0.0f, &from) || !FindLimit(cloth, i / 2, i % 2, 1.0f, &to))
			continue;
		float excess = MaxF(Excess(&from, i % 2, x, &normal), 0.0f);
		top = MaxF(top, (excess + V3Length(V3Sub(to.centre, from.centre))) / dt);
	}
	return top;
}

void drapeSkin_Finish(Cloth* cloth)
{
	uint32_t column = cloth->painted[paintedSkin];
	SkinTarget* targets = column == DRAPE_NONE ? NULL : Columns_Data(&cloth->active.columns, column);
	for (uint32_t i = 0; i < cloth->active.particleCount && targets; ++i)
	{
		targets[i].from = targets[i].to;
		targets[i].fromNormal = targets[i].normal;
	}
}
