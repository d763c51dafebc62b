// SPDX-License-Identifier: MIT
#include "simulation/simulation.h"

#include "document/edit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Changes of a scene that runs. The new scene's world is first made beside the running one: whatever is wrong with it
// is found there, with the words of drape_io, and its meshes serve those cloths that are made anew.

// --- what has changed ---

#define SAME(a, b, member) (memcmp(&(a)->member, &(b)->member, sizeof(a)->member) == 0)

// The mesh and where it begins.
static bool SamePattern(const drapeSceneCloth* a, const drapeSceneCloth* b)
{
	return a->source == b->source && SAME(a, b, grid) && SAME(a, b, disc) && strcmp(a->obj, b->obj) == 0 &&
	       SAME(a, b, pose);
}

static bool SameBody(const drapeSceneCloth* a, const drapeSceneCloth* b)
{
	return SAME(a, b, rest) && SAME(a, b, material) && a->model == b->model && SAME(a, b, springs) &&
	       SAME(a, b, solver) && a->adapt.scheme == b->adapt.scheme && a->contact == b->contact &&
	       a->pinMiddles == b->pinMiddles;
}

static bool SameMotion(const drapeSceneMotion* a, const drapeSceneMotion* b)
{
	bool same =
		strcmp(a->name, b->name) == 0 && a->keyCount == b->keyCount && a->smooth == b->smooth && a->repeat == b->repeat;
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

// All but its place and its picture.
static bool SameCollider(const drapeSceneCollider* a, const drapeSceneCollider* b)
{
	return a->shape == b->shape && a->radius == b->radius && a->halfHeight == b->halfHeight &&
	       SAME(a, b, halfExtents) && a->friction == b->friction && strcmp(a->motion, b->motion) == 0;
}

// Whether the same places have the same mesh colliders, with the same files.
static bool SameMeshes(const drapeScene* a, const drapeScene* b)
{
	for (uint32_t i = 0; i < a->colliderCount || i < b->colliderCount; ++i)
	{
		const drapeSceneCollider* first = i < a->colliderCount ? &a->colliders[i] : NULL;
		const drapeSceneCollider* second = i < b->colliderCount ? &b->colliders[i] : NULL;
		bool isFirst = first && first->shape == drape_shapeMesh, isSecond = second && second->shape == drape_shapeMesh;
		if (isFirst != isSecond)
			return false;
		if (isFirst && (strcmp(first->obj, second->obj) != 0 || first->firstFrame != second->firstFrame ||
		                first->frames != second->frames || first->frameRate != second->frameRate ||
		                first->repeat != second->repeat || !SameCollider(first, second)))
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
	drapeColliderDef def = drapeSceneCollider_Def(collider, FindMotion(simulation, scene, collider->motion));
	return drapeCreateCollider(simulation->made.world, &def);
}

static bool ApplyColliders(Simulation* simulation, const drapeScene* scene)
{
	const drapeScene* old = simulation->scene;
	drapeSceneWorld* made = &simulation->made;
	size_t size = scene->colliderCount * sizeof(drapeColliderId);
	drapeColliderId* colliders = size > 0 ? drapeAlloc(size) : NULL;
	if (size > 0 && !colliders)
		return false;
	for (uint32_t i = 0; i < scene->colliderCount; ++i)
	{
		const drapeSceneCollider* collider = &scene->colliders[i];
		bool stays = i < made->colliderCount && SameCollider(&old->colliders[i], collider);
		bool moved = stays && !SAME(&old->colliders[i], collider, pose);
		if (!stays || (moved && collider->motion[0]))
		{
			if (i < made->colliderCount)
				drapeDestroyCollider(made->colliders[i]);
			colliders[i] = CreateCollider(simulation, scene, collider);
			continue;
		}
		colliders[i] = made->colliders[i];
		if (moved)
			drapeCollider_SetTransform(colliders[i], drapeScenePose_Transform(collider->pose));
	}
	for (uint32_t i = scene->colliderCount; i < made->colliderCount; ++i)
		drapeDestroyCollider(made->colliders[i]);
	drapeFree(made->colliders, made->colliderCount * sizeof(drapeColliderId));
	made->colliders = colliders;
	made->colliderCount = scene->colliderCount;
	return true;
}

// --- pins ---

static void SetPin(Simulation* simulation, const drapeScene* scene, uint32_t cloth, uint32_t vertex, uint32_t entry)
{
	drapePinId pin = drapeCloth_Pin(simulation->made.cloths[cloth], vertex);
	const char* motion = scene->cloths[cloth].pins[entry - 1].motion;
	if (pin.index1 > 0 && motion[0])
		drapeCloth_PinToMotion(simulation->made.cloths[cloth], pin, FindMotion(simulation, scene, motion));
}

// Of a cloth that goes on: only those that are new or gone.
static void ApplyPins(Simulation* simulation, const drapeScene* scene, uint32_t cloth, const uint32_t* before)
{
	const uint32_t* now = simulation->cloths[cloth].pinned;
	for (uint32_t i = 0; i < simulation->made.patterns[cloth].mesh.vertexCount; ++i)
	{
		if (now[i] > 0 && before[i] == 0)
			SetPin(simulation, scene, cloth, i, now[i]);
		else if (now[i] == 0 && before[i] > 0)
			drapeCloth_Unpin(simulation->made.cloths[cloth], drapeCloth_Pin(simulation->made.cloths[cloth], i));
	}
}

// --- cloths ---

// What becomes of the cloths: where each comes from, and what was made for it.
typedef struct ClothChange
{
	uint32_t old; // its number before, DRAPE_NONE for a new one
	bool isNew;   // made anew, with the state of the old one when there is one with the same pattern
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

// What a cloth was called before: told by its name, or by its place when it was renamed.
static uint32_t FindOld(const drapeScene* old, const drapeScene* scene, uint32_t index)
{
	uint32_t found = FindCloth(old, scene->cloths[index].name);
	if (found != DRAPE_NONE)
		return found;
	bool renamed = index < old->clothCount && FindCloth(scene, old->cloths[index].name) == DRAPE_NONE;
	return renamed ? index : DRAPE_NONE;
}

static drapeResult MakeCloth(const Simulation* simulation, const drapeScene* scene, const drapeMesh* mesh,
                             uint32_t index, ClothChange* change)
{
	drapeResult result = drape_ok;
	drapeClothDef def = drapeSceneCloth_Def(&scene->cloths[index], mesh);
	def.result = &result;
	change->cloth = drapeCreateCloth(simulation->made.world, &def);
	if (result != drape_ok)
		return result;
	change->kept.pinned = malloc((mesh->vertexCount + 1) * sizeof(uint32_t));
	if (!change->kept.pinned || !drapePatternMap_Create(&change->kept.map, change->cloth))
		return drape_errorMemory;
	drapeScenePins_Resolve(&scene->cloths[index], mesh, change->kept.pinned);
	if (change->old == DRAPE_NONE || !SamePattern(&simulation->scene->cloths[change->old], &scene->cloths[index]))
		return drape_ok;
	return drapeTransfer_State(simulation->made.cloths[change->old], &simulation->cloths[change->old].map,
	                           change->cloth, &change->kept.map, &scene->cloths[index].adapt);
}

static void DropCloth(ClothChange* change)
{
	if (change->cloth.index1 > 0)
		drapeDestroyCloth(change->cloth);
	drapePatternMap_Free(&change->kept.map);
	free(change->kept.pinned);
}

// Makes what is new beside what is there. On failure nothing is left of it.
static drapeResult PlanCloths(const Simulation* simulation, const drapeScene* scene, const drapeSceneWorld* other,
                              ClothChange* changes)
{
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < scene->clothCount; ++i)
	{
		const drapeSceneCloth* cloth = &scene->cloths[i];
		uint32_t old = FindOld(simulation->scene, scene, i);
		const drapeSceneCloth* before = old == DRAPE_NONE ? NULL : &simulation->scene->cloths[old];
		// A file may have changed meanwhile.
		bool sameMesh = before && other->patterns[i].mesh.vertexCount == simulation->cloths[old].map.vertexCount;
		bool stays = sameMesh && SamePattern(before, cloth) && SameBody(before, cloth);
		changes[i] = (ClothChange){.old = old, .isNew = !stays};
		if (changes[i].isNew)
			result = MakeCloth(simulation, scene, &other->patterns[i].mesh, i, &changes[i]);
	}
	for (uint32_t i = 0; result != drape_ok && i < scene->clothCount; ++i)
		if (changes[i].isNew)
			DropCloth(&changes[i]);
	return result;
}

// Puts the planned cloths into place. `cloths`, `ids` and `patterns` have room for them.
static void PlaceCloths(Simulation* simulation, const drapeScene* scene, drapeSceneWorld* other, ClothChange* changes,
                        SimulationCloth* cloths, drapeClothId* ids)
{
	drapeSceneWorld* made = &simulation->made;
	for (uint32_t i = 0; i < scene->clothCount; ++i)
	{
		ClothChange* change = &changes[i];
		ids[i] = change->isNew ? change->cloth : made->cloths[change->old];
		cloths[i] = change->isNew ? change->kept : simulation->cloths[change->old];
		if (change->isNew)
			continue;
		// Its old place is empty now, and is not freed with the others.
		simulation->cloths[change->old] = (SimulationCloth){0};
		made->cloths[change->old] = (drapeClothId){0};
	}
	for (uint32_t i = 0; i < made->clothCount; ++i)
	{
		if (made->cloths[i].index1 > 0)
			drapeDestroyCloth(made->cloths[i]);
		drapeObj_Free(&made->patterns[i]);
	}
	drapeSimulationCloths_Free(simulation->cloths, made->clothCount);
	drapeFree(made->cloths, made->clothCount * sizeof *made->cloths);
	drapeFree(made->patterns, made->clothCount * sizeof *made->patterns);
	simulation->cloths = cloths;
	made->cloths = ids;
	made->patterns = other->patterns;
	made->clothCount = scene->clothCount;
	other->patterns = NULL;
}

static drapeResult FinishCloths(Simulation* simulation, const drapeScene* scene, const ClothChange* changes)
{
	for (uint32_t i = 0; i < scene->clothCount; ++i)
	{
		const drapeMesh* mesh = &simulation->made.patterns[i].mesh;
		uint32_t* before = calloc(mesh->vertexCount + 1, sizeof *before);
		if (!before)
			return drape_errorMemory;
		if (!changes[i].isNew)
		{
			memcpy(before, simulation->cloths[i].pinned, mesh->vertexCount * sizeof *before);
			drapeScenePins_Resolve(&scene->cloths[i], mesh, simulation->cloths[i].pinned);
			drapeCloth_SetAdapt(simulation->made.cloths[i], &scene->cloths[i].adapt, NULL);
			drapeCloth_SetBudget(simulation->made.cloths[i], &scene->cloths[i].budget);
		}
		ApplyPins(simulation, scene, i, before);
		free(before);
	}
	return drape_ok;
}

static drapeResult ApplyCloths(Simulation* simulation, const drapeScene* scene, drapeSceneWorld* other)
{
	ClothChange* changes = calloc(scene->clothCount + 1, sizeof *changes);
	SimulationCloth* cloths = calloc(scene->clothCount + 1, sizeof *cloths);
	drapeClothId* ids = scene->clothCount > 0 ? drapeAlloc(scene->clothCount * sizeof *ids) : NULL;
	drapeResult result = changes && cloths && (ids || scene->clothCount == 0) ? drape_ok : drape_errorMemory;
	if (result == drape_ok)
		result = PlanCloths(simulation, scene, other, changes);
	if (result == drape_ok)
	{
		PlaceCloths(simulation, scene, other, changes, cloths, ids);
		result = FinishCloths(simulation, scene, changes);
	}
	else
	{
		free(cloths);
		drapeFree(ids, scene->clothCount * sizeof *ids);
	}
	free(changes);
	return result;
}

// --- all of it ---

drapeResult drapeSimulation_Apply(Simulation* simulation, drapeScene* scene, drapeFileError* error)
{
	// Motions and meshes that cloth collides with cannot be changed, and before the first frame nothing would be lost.
	if (!simulation->scene || simulation->frame == 0 || !SameMotions(simulation->scene, scene) ||
	    !SameMeshes(simulation->scene, scene))
		return drapeSimulation_Begin(simulation, scene, error);
	// What has begun is not taken apart again.
	drapeScene plain = *scene;
	plain.world.untangle = false;
	drapeSceneWorld other;
	drapeResult result = drapeScene_CreateWorld(&plain, 1, &other, error);
	if (result == drape_ok)
	{
		drapeSimulation_Release(simulation);
		result = ApplyCloths(simulation, scene, &other);
		if (result == drape_ok && !ApplyColliders(simulation, scene))
			result = drape_errorMemory;
		if (result != drape_ok && error)
			snprintf(error->text, sizeof error->text, "The change was not made: %s", drapeResult_String(result));
	}
	drapeSceneWorld_Destroy(&other);
	if (result != drape_ok)
	{
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
