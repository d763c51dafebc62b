// SPDX-License-Identifier: MIT
#include "contact_rest.h"

#include "bench.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static const float hitSpeed = 0.01f; // m/s: what comes slower than this is laid down

// The state of a particle at the end of the last step.
typedef struct ParticleTouch
{
	bool touches;       // a collider
	drapeVec3 velocity; // m/s
} ParticleTouch;

static ParticleTouch touches[contactMaxParticles]; // particles of all cloths of the running scene

static double RestSpeed(const SharedScene* scene)
{
	double sum = 0.0, mass = 0.0;
	for (uint32_t c = 0; c < scene->clothCount; ++c)
	{
		drapeClothView view = drapeCloth_GetView(scene->cloths[c]);
		for (uint32_t i = 0; i < view.particleCount; ++i)
		{
			drapeVec4 v = view.velocities[i];
			if (view.positions[i].w == 0.0f)
				continue;
			sum += (double)v.w * (double)(v.x * v.x + v.y * v.y + v.z * v.z);
			mass += (double)v.w;
		}
	}
	return sqrt(sum / mass);
}

// The first index of each cloth's particles in `touches`.
static void FindStarts(const SharedScene* scene, uint32_t start[contactMaxCloths + 1])
{
	start[0] = 0;
	for (uint32_t c = 0; c < scene->clothCount; ++c)
		start[c + 1] = start[c] + drapeCloth_GetView(scene->cloths[c]).particleCount;
	Bench_Require(start[scene->clothCount] <= contactMaxParticles, "too many particles");
	Bench_Require(drapeWorlds_Get(scene->world)->together.count == scene->clothCount,
	              "a cloth is not solved with the others");
}

// True when a new contact point, between cloths or between a face and a collider, closed faster than hitSpeed.
static bool IsLaidOn(const SharedScene* scene, const uint32_t* start)
{
	const drapeWorld* world = drapeWorlds_Get(scene->world);
	bool isHit = false;
	for (uint32_t i = 0; i < world->contact.points.count; ++i)
	{
		const ContactPoint* point = &world->contact.points.data[i];
		float opening = V3Dot(point->normal, point->way) / contactFrame;
		for (int k = 0; k < 4; ++k)
		{
			if (point->particle[k] != DRAPE_NONE)
				opening += point->weight[k] *
				           V3Dot(point->normal, touches[start[point->system[k]] + point->particle[k]].velocity);
		}
		isHit |= point->frictionState.w == 0.0f && opening < -hitSpeed;
	}
	return isHit;
}

// True when the contact stage stopped an impact faster than hitSpeed. Cloth that is pressed together all the time, such
// as creases at a pinned corner, has impacts in every step, but slow ones.
static bool IsStopped(const SharedScene* scene, const uint32_t* start)
{
	const drapeWorld* world = drapeWorlds_Get(scene->world);
	const ContactBodies* bodies = &world->contact.broadPhase.bodies;
	bool isHit = false;
	for (uint32_t i = 0; world->contact.impactResult.impacts > 0 && i < world->contact.impacts.constraints.count; ++i)
	{
		const ContactConstraint* stop = &world->contact.impacts.constraints.data[i];
		float opening = 0.0f;
		for (int k = 0; k < 4; ++k)
		{
			uint32_t v = stop->vertex[k], b = bodies->owner.data[v], own = v - bodies->bodies.data[b].vertexStart;
			Vec3 velocity = V3Scale(1.0f / contactFrame, V3Sub(V4Xyz(bodies->to.data[v]), V4Xyz(bodies->from.data[v])));
			if (bodies->bodies.data[b].isCloth)
				velocity = touches[start[b - world->contact.colliderBodies] + own].velocity;
			opening += stop->weight[k] * V3Dot(stop->normal, velocity);
		}
		isHit |= opening < -hitSpeed;
	}
	return isHit;
}

static bool IsTouched(const SharedScene* scene, const uint32_t* start)
{
	bool isHit = false;
	for (uint32_t c = 0; c < scene->clothCount; ++c)
	{
		for (uint32_t i = start[c]; i < start[c + 1]; ++i)
		{
			const ParticleTouch* was = &touches[i];
			isHit |= !was->touches && V3Length(was->velocity) > hitSpeed &&
			         drapeCloth_IsTouching(scene->cloths[c], i - start[c]);
		}
	}
	return isHit;
}

// True when there was an impact faster than hitSpeed. After a change of the mesh the velocities before the step are
// unknown, and every impact counts.
static bool IsHit(SharedScene* scene, const drapeCounters* costs)
{
	uint32_t start[contactMaxCloths + 1];
	FindStarts(scene, start);
	bool isHit = costs->impacts > 0;
	if (costs->splits + costs->joins == 0)
		isHit = IsStopped(scene, start) || IsLaidOn(scene, start) || IsTouched(scene, start);
	for (uint32_t c = 0; c < scene->clothCount; ++c)
	{
		const drapeVec4* velocities = drapeCloth_GetView(scene->cloths[c]).velocities;
		for (uint32_t i = start[c]; i < start[c + 1]; ++i)
			touches[i] =
				(ParticleTouch){drapeCloth_IsTouching(scene->cloths[c], i - start[c]), V4Xyz(velocities[i - start[c]])};
	}
	return isHit;
}

void ContactRest_Add(ContactRest* rest, SharedScene* scene, bool isMoved)
{
	drapeCounters costs = drapeWorld_GetCounters(scene->world);
	if (rest->steps == 0)
		memset(touches, 0, sizeof touches);
	rest->steps++;
	rest->speed = RestSpeed(scene);
	if (IsHit(scene, &costs) || isMoved)
		rest->lastImpact = rest->steps;
	if (rest->speed > contactRestGoal)
		rest->lastFast = rest->steps;
}

double ContactRest_Seconds(const ContactRest* rest)
{
	return fmax((double)(rest->lastFast - rest->lastImpact) * (double)contactFrame, 0.0);
}
