// SPDX-License-Identifier: MIT
#include "simulation/simulation.h"

#include "document/edit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Changes of a running scene. New cloths and colliders are created in the running world beside the old ones. Only when
// all of them exist do they replace the old ones; otherwise they are destroyed again, and nothing has changed. The mesh
// of a cloth whose pattern stays is not read again.

// --- differences between two scenes ---

#define SAME(a, b, member) (memcmp(&(a)->member, &(b)->member, sizeof(a)->member) == 0)

// Compares the meshes and where they are placed.
static bool SamePattern(const drapeSceneCloth* a, const drapeSceneCloth* b)
{
	return a->source == b->source && SAME(a, b, grid) && SAME(a, b, disc) && strcmp(a->obj, b->obj) == 0 &&
	       a->up == b->up && SAME(a, b, pose);
}

// Compares the settings that a living cloth cannot change, or for which it needs memory: a change of several cloths that
// runs out of memory must leave all of them as they were.
static bool SameKind(const drapeSceneCloth* a, const drapeSceneCloth* b)
{
	return SAME(a, b, rest) && SAME(a, b, material) && a->model == b->model && SAME(a, b, springs) &&
	       SAME(a, b, solver) && a->contact == b->contact && a->adapt.scheme == b->adapt.scheme &&
	       a->pinMiddles == b->pinMiddles && strcmp(a->inertia.motion, b->inertia.motion) == 0;
}

static bool SameMotion(const drapeSceneMotion* a, const drapeSceneMotion* b)
{
	bool same = strcmp(a->name, b->name) == 0 && a->keyCount == b->keyCount && a->smooth == b->smooth &&
	            a->repeat == b->repeat && a->up == b->up;
	for (uint32_t i = 0; same && i < a->keyCount; ++i)
		same = a->keys[i].time == b->keys[i].time && SAME(&a->keys[i], &b->keys[i], pose);
	return same;
}

static bool SameMotions(const drapeScene* a, const drapeScene* b)
{
	bool same = a->motionCount == b->motionCount;
	for (uint32_t i = 0; same && i < a->motionCount; ++i)
		same = SameMotion(&a->motions[i], &b->motions[i]);
	return same;
}

static bool SameMeasures(drapeColliderDef a, drapeColliderDef b)
{
	const drapeParameter* measure;
	uint32_t count;
	bool same = a.shape == b.shape;
	for (uint32_t i = 0; same && (measure = drapeColliderShape_GetMeasure(i)) != NULL; ++i)
	{
		const float* values = drapeColliderShape_GetMeasureValues(measure, &a, &count);
		same = memcmp(values, drapeColliderShape_GetMeasureValues(measure, &b, &count), count * sizeof *values) == 0;
	}
	return same;
}

// Compares everything but the pose and the picture.
static bool SameCollider(const drapeSceneCollider* a, const drapeSceneCollider* b)
{
	return SameMeasures(a->def, b->def) && a->def.friction == b->def.friction && SAME(a, b, def.filter) &&
	       strcmp(a->motion, b->motion) == 0;
}

static bool SameMesh(const drapeSceneCollider* a, const drapeSceneCollider* b)
{
	return strcmp(a->obj, b->obj) == 0 && a->firstFrame == b->firstFrame && a->frames == b->frames &&
	       a->frameRate == b->frameRate && a->repeat == b->repeat && a->up == b->up && SameCollider(a, b) &&
	       (a->motion[0] == 0 || SAME(a, b, pose));
}

// True when both scenes have the same mesh colliders at the same indices. A mesh collider cannot be changed while the
// scene runs, except for its pose when it follows no motion.
static bool SameMeshes(const drapeScene* a, const drapeScene* b)
{
	for (uint32_t i = 0; i < a->colliderCount || i < b->colliderCount; ++i)
	{
		const drapeSceneCollider* first = i < a->colliderCount ? &a->colliders[i] : NULL;
		const drapeSceneCollider* second = i < b->colliderCount ? &b->colliders[i] : NULL;
		bool isFirst = first && drapeColliderShape_GetInfo(first->def.shape)->isMesh;
		bool isSecond = second && drapeColliderShape_GetInfo(second->def.shape)->isMesh;
		if (isFirst != isSecond)
			return false;
		if (isFirst && !SameMesh(first, second))
			return false;
	}
	return true;
}

// --- motions and colliders ---

static drapeMotionId FindMotion(const Simulation* simulation, const drapeScene* scene, const char* name)
{
	for (uint32_t i = 0; i < scene->motionCount; ++i)
		if (strcmp(scene->motions[i].name, name) == 0)
			return simulation->made.motions[i];
	return (drapeMotionId){0};
}

static drapeColliderId CreateCollider(const Simulation* simulation, const drapeScene* scene,
                                      const drapeSceneCollider* collider)
{
	drapeColliderDef def = drapeSceneCollider_GetDef(collider, FindMotion(simulation, scene, collider->motion));
	drapeColliderId created;
	drapeCreateCollider(simulation->made.world, &def, &created);
	return created;
}

// The colliders of the changed scene: those that stay, and new ones.
typedef struct ColliderPlan
{
	drapeColliderId* colliders; // [count] drapeAlloc
	bool* isNew;                // [count]
	uint32_t count;
} ColliderPlan;

// Frees the arrays and destroys the new colliders, unless the simulation has taken them.
static void ColliderPlan_Destroy(ColliderPlan* plan)
{
	for (uint32_t i = 0; plan->colliders && plan->isNew && i < plan->count; ++i)
		if (plan->isNew[i] && plan->colliders[i].index1 > 0)
			drapeDestroyCollider(plan->colliders[i]);
	drapeFree(plan->colliders, plan->count * sizeof(drapeColliderId));
	free(plan->isNew);
	*plan = (ColliderPlan){0};
}

static bool ColliderStays(const Simulation* simulation, const drapeSceneCollider* collider, uint32_t index)
{
	if (index >= simulation->made.colliderCount)
		return false;
	const drapeSceneCollider* old = &simulation->scene->colliders[index];
	return SameCollider(old, collider) && (collider->motion[0] == 0 || SAME(old, collider, pose));
}

// Creates new colliders beside the old ones. On failure nothing is left of them.
static drapeResult PlanColliders(const Simulation* simulation, const drapeScene* scene, ColliderPlan* plan)
{
	size_t size = scene->colliderCount * sizeof(drapeColliderId);
	*plan = (ColliderPlan){size > 0 ? drapeAlloc(size) : NULL, calloc(scene->colliderCount + 1, sizeof(bool)),
	                       scene->colliderCount};
	bool done = plan->isNew && (plan->colliders || size == 0);
	if (done && size > 0)
		memset(plan->colliders, 0, size);
	for (uint32_t i = 0; done && i < scene->colliderCount; ++i)
	{
		plan->isNew[i] = !ColliderStays(simulation, &scene->colliders[i], i);
		plan->colliders[i] =
			plan->isNew[i] ? CreateCollider(simulation, scene, &scene->colliders[i]) : simulation->made.colliders[i];
		// The reader of scenes refuses measures that a collider cannot have.
		done = plan->colliders[i].index1 > 0;
	}
	if (done)
		return drape_ok;
	ColliderPlan_Destroy(plan);
	return drape_errorMemory;
}

// Replaces the colliders by the planned ones and moves those that stay.
static void PlaceColliders(Simulation* simulation, const drapeScene* scene, ColliderPlan* plan)
{
	drapeSceneWorld* made = &simulation->made;
	for (uint32_t i = 0; i < made->colliderCount; ++i)
	{
		if (i >= plan->count || plan->isNew[i])
			drapeDestroyCollider(made->colliders[i]);
		else if (!SAME(&simulation->scene->colliders[i], &scene->colliders[i], pose))
			drapeCollider_SetTransform(made->colliders[i], drapeScenePose_GetTransform(scene->colliders[i].pose));
	}
	drapeFree(made->colliders, made->colliderCount * sizeof(drapeColliderId));
	made->colliders = plan->colliders;
	made->colliderCount = plan->count;
	free(plan->isNew);
	*plan = (ColliderPlan){0};
}

// --- pins ---

static void SetPin(const Simulation* simulation, const drapeScene* scene, const drapeScenePin* entry,
                   drapeClothId cloth, uint32_t vertex)
{
	drapePinId pin;
	if (drapeCreatePin(cloth, vertex, &pin) != drape_ok)
		return;
	if (entry->motion[0])
		drapePin_SetMotion(pin, FindMotion(simulation, scene, entry->motion));
	if (entry->collider[0])
		drapePin_SetCollider(pin, drapeScene_FindCollider(scene, &simulation->made, entry->collider));
	if (entry->start > 0.0f || entry->end > 0.0f)
		drapePin_SetTimes(pin, entry->start, entry->end);
	if (entry->maxForce > 0.0f)
		drapePin_SetMaxForce(pin, entry->maxForce);
}

static void Unpin(drapeClothId cloth, uint32_t vertex)
{
	drapePinId pin;
	if (drapeCreatePin(cloth, vertex, &pin) == drape_ok)
		drapeDestroyPin(pin);
}

// Sets the pins that are new and removes those that are gone. `before` and `now` are results of drapeScenePins_Resolve;
// NULL for no pins.
static void ApplyPins(const Simulation* simulation, const drapeScene* scene, uint32_t index, drapeClothId cloth,
                      uint32_t vertexCount, const uint32_t* before, const uint32_t* now)
{
	for (uint32_t i = 0; i < vertexCount; ++i)
	{
		bool wasPinned = before && before[i] > 0;
		if (now[i] > 0 && !wasPinned)
			SetPin(simulation, scene, &scene->cloths[index].pins[now[i] - 1], cloth, i);
		else if (now[i] == 0 && wasPinned)
			Unpin(cloth, i);
	}
}

// --- cloths ---

// The plan for one cloth of the changed scene.
typedef struct ClothChange
{
	uint32_t old;    // index of the cloth before the change, DRAPE_NONE for none
	bool isNew;      // created in place of the old one, and with its state if both have the same pattern
	bool hasPattern; // `pattern` was made for it; else the old one's is used
	drapeObj pattern;
	drapeClothId cloth;
	SimulationCloth kept;
} ClothChange;

static uint32_t FindCloth(const drapeScene* scene, const char* name)
{
	for (uint32_t i = 0; i < scene->clothCount; ++i)
		if (strcmp(scene->cloths[i].name, name) == 0)
			return i;
	return DRAPE_NONE;
}

// The index of a cloth before the change: by its name, or by its index when it was renamed.
static uint32_t FindOld(const drapeScene* old, const drapeScene* scene, uint32_t index)
{
	uint32_t found = FindCloth(old, scene->cloths[index].name);
	if (found != DRAPE_NONE)
		return found;
	bool renamed = index < old->clothCount && FindCloth(scene, old->cloths[index].name) == DRAPE_NONE;
	return renamed ? index : DRAPE_NONE;
}

static const drapeObj* PatternOf(const Simulation* simulation, const ClothChange* change)
{
	return change->hasPattern ? &change->pattern : &simulation->made.patterns[change->old];
}

static drapeResult PlanCloth(const Simulation* simulation, const drapeScene* scene, uint32_t index, ClothChange* change,
                             drapeMessage* error)
{
	const drapeSceneCloth* cloth = &scene->cloths[index];
	uint32_t old = FindOld(simulation->scene, scene, index);
	const drapeSceneCloth* before = old == DRAPE_NONE ? NULL : &simulation->scene->cloths[old];
	bool samePattern = before && SamePattern(before, cloth);
	*change = (ClothChange){.old = old, .isNew = !samePattern || !SameKind(before, cloth)};
	if (!samePattern)
	{
		drapeResult result = drapeScene_CreatePattern(scene, index, &change->pattern, error);
		if (result != drape_ok)
			return result;
		change->hasPattern = true;
	}
	const drapeObj* pattern = PatternOf(simulation, change);
	drapeResult result = drapeScene_CheckPins(scene, index, pattern, error);
	if (result == drape_ok && !drapeSimulationCloth_Init(&change->kept, cloth, &pattern->mesh))
		result = drape_errorMemory;
	if (result != drape_ok || !change->isNew)
		return result;
	result = drapeScene_CreateCloth(scene, index, pattern, simulation->made.world, &change->cloth, error);
	if (result == drape_ok && samePattern)
		result = drapeCloth_TransferState(simulation->made.cloths[old], change->cloth);
	return result;
}

static void DropCloth(ClothChange* change)
{
	if (change->cloth.index1 > 0)
		drapeDestroyCloth(change->cloth);
	if (change->hasPattern)
		drapeObj_Free(&change->pattern);
	free(change->kept.pinned);
}

// Creates new cloths beside the old ones. On failure nothing is left of them.
static drapeResult PlanCloths(const Simulation* simulation, const drapeScene* scene, ClothChange* changes,
                              drapeMessage* error)
{
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < scene->clothCount; ++i)
		result = PlanCloth(simulation, scene, i, &changes[i], error);
	for (uint32_t i = 0; result != drape_ok && i < scene->clothCount; ++i)
		DropCloth(&changes[i]);
	return result;
}

// The arrays of a simulation, for the cloths of the changed scene.
typedef struct ClothArrays
{
	SimulationCloth* cloths; // malloc
	drapeClothId* ids;       // drapeAlloc, as the arrays below
	drapeMotionId* frames;
	drapeObj* patterns;
	uint32_t count;
} ClothArrays;

static void ClothArrays_Free(ClothArrays* arrays)
{
	free(arrays->cloths);
	drapeFree(arrays->ids, arrays->count * sizeof *arrays->ids);
	drapeFree(arrays->frames, arrays->count * sizeof *arrays->frames);
	drapeFree(arrays->patterns, arrays->count * sizeof *arrays->patterns);
}

static bool ClothArrays_Create(ClothArrays* arrays, uint32_t count)
{
	*arrays = (ClothArrays){.cloths = calloc(count + 1, sizeof *arrays->cloths), .count = count};
	if (count > 0)
	{
		arrays->ids = drapeAlloc(count * sizeof *arrays->ids);
		arrays->frames = drapeAlloc(count * sizeof *arrays->frames);
		arrays->patterns = drapeAlloc(count * sizeof *arrays->patterns);
	}
	if (arrays->cloths && ((arrays->ids && arrays->frames && arrays->patterns) || count == 0))
		return true;
	ClothArrays_Free(arrays);
	return false;
}

// Applies the settings that a cloth takes in place. Needs no memory but that of pins.
static void FinishCloth(const Simulation* simulation, const drapeScene* scene, uint32_t index,
                        const ClothChange* change, drapeClothId id)
{
	const uint32_t* before = change->isNew ? NULL : simulation->cloths[change->old].pinned;
	uint32_t vertexCount = PatternOf(simulation, change)->mesh.vertexCount;
	if (!change->isNew)
	{
		drapeCloth_SetAdapt(id, &scene->cloths[index].adapt);
		drapeCloth_SetBudget(id, &scene->cloths[index].budget);
		drapeCloth_SetFilter(id, scene->cloths[index].filter);
		drapeCloth_SetGravityScale(id, scene->cloths[index].gravityScale);
		drapeCloth_SetInertia(
			id, (drapeInertia){scene->cloths[index].inertia.linear, scene->cloths[index].inertia.angular});
		drapeCloth_SetSleep(id, scene->cloths[index].sleep);
	}
	ApplyPins(simulation, scene, index, id, vertexCount, before, change->kept.pinned);
}

// Replaces the cloths by the planned ones and destroys those that are gone. Takes over the arrays.
static void PlaceCloths(Simulation* simulation, const drapeScene* scene, const ClothChange* changes,
                        ClothArrays* arrays)
{
	drapeSceneWorld* made = &simulation->made;
	for (uint32_t i = 0; i < arrays->count; ++i)
	{
		const ClothChange* change = &changes[i];
		arrays->ids[i] = change->isNew ? change->cloth : made->cloths[change->old];
		arrays->cloths[i] = change->kept;
		arrays->frames[i] = FindMotion(simulation, scene, scene->cloths[i].inertia.motion);
		arrays->patterns[i] = *PatternOf(simulation, change);
		FinishCloth(simulation, scene, i, change, arrays->ids[i]);
		// Clears the old entries, so that they are not destroyed with the others.
		if (!change->isNew)
			made->cloths[change->old] = (drapeClothId){0};
		if (!change->hasPattern)
			made->patterns[change->old] = (drapeObj){0};
	}
	for (uint32_t i = 0; i < made->clothCount; ++i)
	{
		if (made->cloths[i].index1 > 0)
			drapeDestroyCloth(made->cloths[i]);
		drapeObj_Free(&made->patterns[i]);
	}
	drapeSimulationCloths_Free(simulation->cloths, made->clothCount);
	drapeFree(made->cloths, made->clothCount * sizeof *made->cloths);
	drapeFree(made->frames, made->clothCount * sizeof *made->frames);
	drapeFree(made->patterns, made->clothCount * sizeof *made->patterns);
	made->frames = arrays->frames;
	simulation->cloths = arrays->cloths;
	made->cloths = arrays->ids;
	made->patterns = arrays->patterns;
	made->clothCount = arrays->count;
}

// --- the whole scene ---

// Plans cloths and colliders, then replaces both.
static drapeResult ApplyItems(Simulation* simulation, const drapeScene* scene, drapeMessage* error)
{
	ClothArrays arrays = {0};
	ColliderPlan colliders = {0};
	ClothChange* changes = calloc(scene->clothCount + 1, sizeof *changes);
	if (!changes || !ClothArrays_Create(&arrays, scene->clothCount))
	{
		free(changes);
		return drape_errorMemory;
	}
	drapeResult result = PlanCloths(simulation, scene, changes, error);
	bool hasCloths = result == drape_ok;
	if (hasCloths)
		result = PlanColliders(simulation, scene, &colliders);
	for (uint32_t i = 0; hasCloths && result != drape_ok && i < scene->clothCount; ++i)
		DropCloth(&changes[i]);
	if (result == drape_ok)
	{
		PlaceCloths(simulation, scene, changes, &arrays);
		PlaceColliders(simulation, scene, &colliders);
	}
	else
		ClothArrays_Free(&arrays);
	free(changes);
	return result;
}

static bool HasConstraints(const drapeScene* scene)
{
	for (uint32_t i = 0; i < scene->clothCount; ++i)
	{
		const drapeSceneCloth* cloth = &scene->cloths[i];
		if (cloth->attachCount + cloth->tetherCount + cloth->stitchCount > 0)
			return true;
	}
	return false;
}

drapeResult drapeSimulation_Apply(Simulation* simulation, drapeScene* scene, drapeMessage* error)
{
	// Motions, meshes of colliders and constraints cannot be changed, and before the first frame no state would be
	// lost.
	if (!simulation->scene || simulation->frame == 0 || HasConstraints(simulation->scene) || HasConstraints(scene) ||
	    !SameMotions(simulation->scene, scene) || !SameMeshes(simulation->scene, scene))
		return drapeSimulation_Begin(simulation, scene, error);
	drapeMessage message = {0};
	drapeSimulation_Release(simulation);
	drapeResult result = ApplyItems(simulation, scene, &message);
	if (result != drape_ok)
	{
		if (message.text[0] == 0)
			snprintf(message.text, sizeof message.text, "The change was not made: %s", drapeResult_GetText(result));
		if (error)
			*error = message;
		drapeScene_Free(scene);
		return result;
	}
	drapeWorld_SetGravity(simulation->made.world, scene->world.gravity);
	drapeWorld_SetWind(simulation->made.world, &scene->wind);
	drapeWorld_SetCamera(simulation->made.world, scene->world.camera);
	drapeScene_Free(simulation->scene);
	simulation->scene = scene;
	return drape_ok;
}
