// SPDX-License-Identifier: MIT
#include "simulation/simulation.h"

#include "document/edit.h"
#include "vec.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Limits the speed of a pulled particle, so that a fast mouse does not stretch the cloth too far in one step.
static const float pullSpeed = 4.0f; // m/s

static drapeResult Fail(drapeMessage* error, drapeResult result, const char* format, ...)
	__attribute__((format(printf, 3, 4)));

static drapeResult Fail(drapeMessage* error, drapeResult result, const char* format, ...)
{
	if (!error)
		return result;
	va_list arguments;
	va_start(arguments, format);
	*error = (drapeMessage){.result = result};
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
	return result;
}

// --- start and end ---

void drapeSimulationCloths_Free(SimulationCloth* cloths, uint32_t count)
{
	for (uint32_t i = 0; cloths && i < count; ++i)
		free(cloths[i].pinned);
	free(cloths);
}

bool drapeSimulationCloth_Init(SimulationCloth* cloth, const drapeSceneCloth* scene, const drapeMesh* mesh)
{
	*cloth = (SimulationCloth){.pinned = malloc((mesh->vertexCount + 1) * sizeof *cloth->pinned)};
	if (!cloth->pinned)
		return false;
	drapeScenePins_Resolve(scene, mesh, cloth->pinned);
	return true;
}

static SimulationCloth* InitCloths(const drapeScene* scene, const drapeSceneWorld* made)
{
	SimulationCloth* cloths = calloc(made->clothCount + 1, sizeof *cloths);
	bool done = cloths != NULL;
	for (uint32_t i = 0; done && i < made->clothCount; ++i)
		done = drapeSimulationCloth_Init(&cloths[i], &scene->cloths[i], &made->patterns[i].mesh);
	if (done)
		return cloths;
	drapeSimulationCloths_Free(cloths, made->clothCount);
	return NULL;
}

void drapeSimulation_End(Simulation* simulation)
{
	drapeSimulationCloths_Free(simulation->cloths, simulation->made.clothCount);
	drapeSceneWorld_Destroy(&simulation->made);
	drapeScene_Free(simulation->scene);
	*simulation = (Simulation){0};
}

drapeResult drapeSimulation_Begin(Simulation* simulation, drapeScene* scene, drapeMessage* error)
{
	Simulation begun = {.scene = scene, .worldNumber = simulation->worldNumber + 1};
	drapeResult result = drapeScene_CreateWorld(scene, 0, &begun.made, error);
	if (result == drape_ok && !(begun.cloths = InitCloths(scene, &begun.made)))
		result = Fail(error, drape_errorMemory, "out of memory");
	if (result != drape_ok)
	{
		drapeSimulation_End(&begun);
		return result;
	}
	drapeSimulation_End(simulation);
	*simulation = begun;
	return drape_ok;
}

// --- stepping ---

// Moves the pin towards the target, at most as far as pullSpeed allows in a step.
static void PullStep(Simulation* simulation, float dt)
{
	SimulationGrab* grab = &simulation->grab;
	if (!grab->active)
		return;
	drapeClothId cloth = simulation->made.cloths[grab->cloth];
	if (!drapePin_IsValid(grab->pin))
		return;
	uint32_t particle = drapePin_GetParticle(grab->pin);
	drapeVec3 at = V3_From4(drapeCloth_GetView(cloth).positions[particle]), way = V3_Sub(grab->target, at);
	float distance = V3_Length(way), most = pullSpeed * dt;
	drapePin_SetTarget(grab->pin, distance > most ? V3_Along(at, way, most / distance) : grab->target);
}

static void AddProfile(drapeProfile* sum, drapeProfile step)
{
	sum->animate += step.animate;
	sum->adapt += step.adapt;
	sum->simulate += step.simulate;
	sum->contact += step.contact;
	sum->surface += step.surface;
	sum->publish += step.publish;
}

FrameStats drapeSimulation_GetStats(const Simulation* simulation)
{
	if (!simulation->scene)
		return (FrameStats){0};
	drapeWorldId world = simulation->made.world;
	return (FrameStats){.counters = drapeWorld_GetCounters(world), .measures = drapeWorld_GetMeasures(world)};
}

drapeResult drapeSimulation_StepFrame(Simulation* simulation, FrameStats* stats, drapeMessage* error)
{
	const drapeSceneTime* time = &simulation->scene->time;
	uint32_t steps = (uint32_t)lround((double)time->stepRate / (double)time->frameRate);
	float dt = 1.0f / time->stepRate;
	drapeProfile profile = {0};
	drapeResult result = drape_ok;
	while (result == drape_ok && simulation->stepsMade < steps)
	{
		PullStep(simulation, dt);
		result = drapeSceneWorld_Step(&simulation->made, dt);
		simulation->stepsMade += result == drape_ok;
		AddProfile(&profile, drapeWorld_GetProfile(simulation->made.world));
	}
	*stats = drapeSimulation_GetStats(simulation);
	stats->profile = profile;
	if (result != drape_ok)
		return Fail(error, result, "The step failed: %s", drapeResult_GetText(result));
	simulation->frame++;
	simulation->stepsMade = 0;
	return drape_ok;
}

// --- grabbing ---

// The force of the mouse, N: enough to lift the cloth and to swing it. More would draw single vertices out.
static float PullForce(const drapeClothView* view)
{
	const float weights = 3.0f, gravity = 9.81f; // m/s^2
	float mass = 0.0f;
	for (uint32_t i = 0; i < view->particleCount; ++i)
		mass += view->velocities[i].w;
	return weights * gravity * mass;
}

bool drapeSimulation_Grab(Simulation* simulation, uint32_t cloth, drapeVec3 point)
{
	drapeSimulation_Release(simulation);
	if (cloth >= simulation->made.clothCount)
		return false;
	drapeClothId id = simulation->made.cloths[cloth];
	drapeClothView view = drapeCloth_GetView(id);
	uint32_t nearest = DRAPE_NONE;
	float least = INFINITY;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		float distance = V3_Distance(V3_From4(view.positions[i]), point);
		if (distance < least)
		{
			least = distance;
			nearest = i;
		}
	}
	if (nearest == DRAPE_NONE)
		return false;
	bool wasPinned = view.positions[nearest].w == 0.0f;
	drapeVec3 target = V3_From4(view.positions[nearest]);
	drapePinId pin;
	bool isHeld = drapeCreatePin(id, nearest, &pin) == drape_ok;
	// A new pin makes the particle kinematic; one that holds it with a limited force already does not.
	wasPinned |= drapeCloth_GetView(id).positions[nearest].w > 0.0f;
	if (isHeld && !wasPinned)
		drapePin_SetMaxForce(pin, PullForce(&view));
	simulation->grab = (SimulationGrab){isHeld, cloth, pin, wasPinned, target};
	return simulation->grab.active;
}

void drapeSimulation_Pull(Simulation* simulation, drapeVec3 target)
{
	simulation->grab.target = target;
}

void drapeSimulation_Release(Simulation* simulation)
{
	SimulationGrab* grab = &simulation->grab;
	if (grab->active && !grab->wasPinned && drapePin_IsValid(grab->pin))
		drapeDestroyPin(grab->pin);
	*grab = (SimulationGrab){0};
}
