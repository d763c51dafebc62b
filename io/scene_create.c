// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <stdio.h>
#include <string.h>

typedef SceneCreation Creation;

static drapeResult FailMemory(const Creation* creation)
{
	return drapeFileError_Set(creation->error, drape_errorMemory, creation->scene->path, 0, "out of memory");
}

drapeTransform drapeScenePose_GetTransform(drapeScenePose pose)
{
	return (drapeTransform){
		.position = pose.position,
		.rotation = drapeQuat_FromAxisAngle(pose.axis, pose.angle),
		.scale = pose.scale,
	};
}

// --- motions and colliders ---

static drapeMotionId FindMotion(const Creation* creation, const char* name)
{
	for (uint32_t i = 0; i < creation->scene->motionCount; ++i)
		if (strcmp(creation->scene->motions[i].name, name) == 0)
			return creation->made->motions[i];
	return (drapeMotionId){0};
}

drapeResult drapeScene_FailWorld(const SceneCreation* creation, drapeResult result, drapeScenePlace place,
                                 const char* kind, const char* name)
{
	if (result == drape_errorMemory)
		return FailMemory(creation);
	return drapeFileError_SetPlace(creation->error, result, creation->scene->path, place, "%s%s%s%s: %s", kind,
	                               name[0] ? " \"" : "", name, name[0] ? "\"" : "",
	                               drapeWorld_GetMessage(creation->made->world));
}

static drapeResult CreateMotion(const Creation* creation, uint32_t index)
{
	const drapeSceneMotion* motion = &creation->scene->motions[index];
	size_t size = motion->keyCount * sizeof(drapeMotionKey);
	drapeMotionKey* keys = drapeAlloc(size);
	if (!keys)
		return FailMemory(creation);
	for (uint32_t i = 0; i < motion->keyCount; ++i)
	{
		drapeScenePose pose = motion->keys[i].pose;
		pose.position = drapeScene_TurnUp(motion->up, pose.position);
		pose.axis = drapeScene_TurnUp(motion->up, pose.axis);
		keys[i] = (drapeMotionKey){motion->keys[i].time, drapeScenePose_GetTransform(pose)};
	}
	drapeMotionDef def = drapeDefaultMotionDef();
	def.keys = keys;
	def.keyCount = motion->keyCount;
	def.smooth = motion->smooth;
	def.repeat = motion->repeat;
	drapeResult result = drapeCreateMotion(creation->made->world, &def, &creation->made->motions[index]);
	drapeFree(keys, size);
	return result == drape_ok ? drape_ok
	                          : drapeScene_FailWorld(creation, result, motion->place, "motion", motion->name);
}

static drapeResult CreateCollider(const Creation* creation, uint32_t index)
{
	return drapeSceneCollider_Create(creation, index, FindMotion(creation, creation->scene->colliders[index].motion));
}

// --- pins ---

static drapeResult Pin(const Creation* creation, drapeClothId cloth, const drapeScenePin* pin, uint32_t vertex)
{
	drapePinId id;
	drapeResult result = drapeCreatePin(cloth, vertex, &id);
	if (result == drape_ok && pin->motion[0])
		result = drapePin_SetMotion(id, FindMotion(creation, pin->motion));
	if (result == drape_ok && pin->collider[0])
		result = drapePin_SetCollider(id, drapeScene_FindCollider(creation->scene, creation->made, pin->collider));
	if (result == drape_ok && (pin->start > 0.0f || pin->end > 0.0f))
		result = drapePin_SetTimes(id, pin->start, pin->end);
	if (result == drape_ok && pin->maxForce > 0.0f)
		result = drapePin_SetMaxForce(id, pin->maxForce);
	return result == drape_ok ? drape_ok : drapeScene_FailWorld(creation, result, pin->place, "pin", "");
}

static bool IsInBox(const drapeSceneBox* box, const drapeVec3* p)
{
	return p->x >= box->min.x && p->x <= box->max.x && p->y >= box->min.y && p->y <= box->max.y && p->z >= box->min.z &&
	       p->z <= box->max.z;
}

static drapeResult CheckPinVertices(const drapeScene* scene, const drapeScenePin* pin, uint32_t vertexCount,
                                    drapeMessage* error)
{
	for (uint32_t i = 0; i < pin->vertexCount; ++i)
	{
		if (pin->vertices[i] >= vertexCount)
			return drapeFileError_SetPlace(error, drape_errorData, scene->path, pin->place,
			                               "pin names vertex %u, expected 0 to %u", pin->vertices[i], vertexCount - 1);
	}
	return drape_ok;
}

static drapeResult CheckPinBox(const drapeScene* scene, const drapeScenePin* pin, const drapeMesh* pattern,
                               drapeMessage* error)
{
	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
	{
		if (IsInBox(&pin->box, &pattern->positions[i]))
			return drape_ok;
	}
	return drapeFileError_SetPlace(error, drape_errorData, scene->path, pin->place,
	                               "there is no vertex in this box, expected at least one");
}

// The arguments of functions that look at one cloth of a scene.
static drapeResult CheckCloth(const drapeScene* scene, uint32_t index, const drapeObj* pattern, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "scene|pattern", (const void*[]){scene, pattern});
	if (result == drape_ok && index >= scene->clothCount)
		result =
			drapeFileError_Refuse(error, "index is %u, but the scene has only %u cloths", index, scene->clothCount);
	return result;
}

drapeResult drapeScene_CheckPins(const drapeScene* scene, uint32_t index, const drapeObj* pattern, drapeMessage* error)
{
	drapeResult result = CheckCloth(scene, index, pattern, error);
	if (result != drape_ok)
		return result;
	const drapeSceneCloth* cloth = &scene->cloths[index];
	for (uint32_t i = 0; result == drape_ok && i < cloth->pinCount; ++i)
	{
		const drapeScenePin* pin = &cloth->pins[i];
		if (pin->kind == drape_scenePinVertices)
			result = CheckPinVertices(scene, pin, pattern->mesh.vertexCount, error);
		else if (pin->kind == drape_scenePinBox)
			result = CheckPinBox(scene, pin, &pattern->mesh, error);
	}
	return result;
}

static drapeResult PinVertices(const Creation* creation, drapeClothId cloth, const drapeScenePin* pin)
{
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < pin->vertexCount; ++i)
		result = Pin(creation, cloth, pin, pin->vertices[i]);
	return result;
}

static drapeResult PinBox(const Creation* creation, drapeClothId cloth, const drapeScenePin* pin,
                          const drapeMesh* pattern)
{
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < pattern->vertexCount; ++i)
	{
		if (IsInBox(&pin->box, &pattern->positions[i]))
			result = Pin(creation, cloth, pin, i);
	}
	return result;
}

static drapeResult PinCorners(const Creation* creation, drapeClothId cloth, const drapeScenePin* pin,
                              const drapeSceneGridDef* grid)
{
	uint32_t lastRow = grid->rows * (grid->columns + 1);
	const uint32_t vertices[4] = {0, grid->columns, lastRow, lastRow + grid->columns};
	drapeResult result = drape_ok;
	for (int i = 0; result == drape_ok && i < 4; ++i)
		if (pin->corners & (1u << i))
			result = Pin(creation, cloth, pin, vertices[i]);
	return result;
}

static drapeResult CreatePins(const Creation* creation, uint32_t index)
{
	const drapeSceneCloth* cloth = &creation->scene->cloths[index];
	const drapeMesh* pattern = &creation->made->patterns[index].mesh;
	drapeClothId id = creation->made->cloths[index];
	drapeResult result =
		drapeScene_CheckPins(creation->scene, index, &creation->made->patterns[index], creation->error);
	for (uint32_t i = 0; result == drape_ok && i < cloth->pinCount; ++i)
	{
		const drapeScenePin* pin = &cloth->pins[i];
		if (pin->kind == drape_scenePinVertices)
			result = PinVertices(creation, id, pin);
		else if (pin->kind == drape_scenePinBox)
			result = PinBox(creation, id, pin, pattern);
		else
			result = PinCorners(creation, id, pin, &cloth->grid);
	}
	return result;
}

// --- cloths ---

// Reports the first problem of the mesh that is an error.
static drapeResult FailMesh(const drapeScene* scene, const drapeSceneCloth* cloth, const drapeObj* pattern,
                            const drapeMeshReport* report, drapeMessage* error)
{
	for (uint32_t i = 0; i < report->problemCount; ++i)
	{
		const drapeMeshProblem* problem = &report->problems[i];
		char sentence[200], where[32] = "";
		if (drapeProblem_GetSeverity(problem->kind) == drape_severityNote)
			continue;
		drapeProblem_Format(problem, 1, sentence, sizeof sentence);
		if (pattern->triangleLines && problem->triangle < pattern->mesh.triangleCount)
			snprintf(where, sizeof where, "line %u: ", pattern->triangleLines[problem->triangle]);
		return drapeFileError_SetPlace(error, drape_errorData, scene->path, cloth->place,
		                               "cloth \"%s\" cannot be made, %s%s; 'drape check' says more", cloth->name, where,
		                               sentence);
	}
	return drapeFileError_SetPlace(error, drape_errorData, scene->path, cloth->place,
	                               "cloth \"%s\" cannot be made from this mesh", cloth->name);
}

drapeResult drapeScene_CreatePattern(const drapeScene* scene, uint32_t index, drapeObj* pattern, drapeMessage* error)
{
	drapeResult result = CheckCloth(scene, index, pattern, error);
	if (pattern)
		*pattern = (drapeObj){0};
	if (result != drape_ok)
		return result;
	const drapeSceneCloth* cloth = &scene->cloths[index];
	drapeMessage message = {0};
	result = drapeSceneMesh_Create(scene, cloth, pattern, &message);
	if (result == drape_ok)
		return drape_ok;
	if (result == drape_errorMemory)
		return drapeFileError_Set(error, drape_errorMemory, scene->path, 0, "out of memory");
	return drapeFileError_SetPlace(error, result, scene->path, cloth->place, "cloth \"%s\": %.300s", cloth->name,
	                               message.text[0] ? message.text : drapeResult_GetText(result));
}

// The median length of a texture unit; 1 m for a mesh without texture coordinates, which is refused later.
static float MedianScale(const drapeMesh* mesh)
{
	drapeMeshReport report = {0};
	drapeMesh_Check(mesh, NULL, &report, NULL);
	return report.texcoordRatioMedian > 0.0f ? report.texcoordRatioMedian : 1.0f;
}

drapeClothDef drapeSceneCloth_GetDef(const drapeSceneCloth* cloth, const drapeMesh* mesh)
{
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = mesh;
	if (!cloth)
		return def;
	def.rest = cloth->rest;
	if (def.rest.source == drape_restTexcoord && def.rest.metresPerUnit == 0.0f && mesh)
		def.rest.metresPerUnit = MedianScale(mesh);
	def.material = cloth->material;
	def.model = cloth->model;
	def.springs = cloth->springs;
	def.solver = cloth->solver;
	def.adapt = cloth->adapt;
	def.budget = cloth->budget;
	def.contact = cloth->contact;
	def.filter = cloth->filter;
	def.gravityScale = cloth->gravityScale;
	def.inertia = (drapeInertia){cloth->inertia.linear, cloth->inertia.angular};
	def.sleep = cloth->sleep;
	def.pinMiddles = cloth->pinMiddles;
	return def;
}

drapeResult drapeScene_CreateCloth(const drapeScene* scene, uint32_t index, const drapeObj* pattern, drapeWorldId world,
                                   drapeClothId* id, drapeMessage* error)
{
	drapeResult result = CheckCloth(scene, index, pattern, error);
	if (result == drape_ok && !id)
		result = drapeFileError_Refuse(error, "there is nowhere to write the handle of the cloth to");
	if (id)
		*id = (drapeClothId){0};
	if (result == drape_ok && !drapeWorld_IsValid(world))
		result = drapeFileError_Refuse(error, "the world does not exist: it was destroyed, or its handle is null");
	if (result != drape_ok)
		return result;
	const drapeSceneCloth* cloth = &scene->cloths[index];
	drapeMeshReport report = {0};
	drapeClothDef def = drapeSceneCloth_GetDef(cloth, &pattern->mesh);
	def.report = &report;
	result = drapeCreateCloth(world, &def, id);
	if (result == drape_errorMemory)
		return drapeFileError_Set(error, drape_errorMemory, scene->path, 0, "out of memory");
	if (result == drape_errorData)
		return FailMesh(scene, cloth, pattern, &report, error);
	if (result != drape_ok)
		return drapeFileError_SetPlace(error, result, scene->path, cloth->place, "cloth \"%s\" cannot be made: %s",
		                               cloth->name, drapeWorld_GetMessage(world));
	return drape_ok;
}

static drapeResult CreateCloth(const Creation* creation, uint32_t index)
{
	drapeSceneWorld* made = creation->made;
	drapeResult result = drapeScene_CreatePattern(creation->scene, index, &made->patterns[index], creation->error);
	if (result == drape_ok)
		result = drapeScene_CreateCloth(creation->scene, index, &made->patterns[index], made->world,
		                                &made->cloths[index], creation->error);
	made->frames[index] = FindMotion(creation, creation->scene->cloths[index].inertia.motion);
	if (result == drape_ok && made->frames[index].index1 > 0)
		drapeCloth_SetFrame(made->cloths[index], drapeMotion_GetTransform(made->frames[index], 0.0));
	return result == drape_ok ? CreatePins(creation, index) : result;
}

// --- the world ---

static void* AllocateZero(size_t count, size_t size)
{
	void* memory = drapeAlloc(count * size);
	if (memory)
		memset(memory, 0, count * size);
	return memory;
}

static bool AllocateArrays(const drapeScene* scene, drapeSceneWorld* made)
{
	made->motions = AllocateZero(scene->motionCount, sizeof(drapeMotionId));
	made->motionCount = scene->motionCount;
	made->colliders = AllocateZero(scene->colliderCount, sizeof(drapeColliderId));
	made->colliderCount = scene->colliderCount;
	made->meshCapacity = scene->colliderCount;
	made->sequences = AllocateZero(scene->colliderCount, sizeof(drapeSceneSequence));
	made->warnings = AllocateZero(scene->colliderCount, sizeof(drapeMessage));
	made->cloths = AllocateZero(scene->clothCount, sizeof(drapeClothId));
	made->frames = AllocateZero(scene->clothCount, sizeof(drapeMotionId));
	made->patterns = AllocateZero(scene->clothCount, sizeof(drapeObj));
	made->clothCount = scene->clothCount;
	return (made->motions || made->motionCount == 0) &&
	       ((made->colliders && made->sequences && made->warnings) || made->colliderCount == 0) &&
	       ((made->cloths && made->frames && made->patterns) || made->clothCount == 0);
}

static drapeResult CreateEmptyWorld(const Creation* creation, uint32_t threads)
{
	const drapeScene* scene = creation->scene;
	drapeWorldDef def = drapeDefaultWorldDef();
	def.workerCount = threads > 0 ? threads : scene->world.threads;
	def.gravity = scene->world.gravity;
	def.wind = scene->wind;
	def.adaptRate = scene->world.adaptRate;
	drapeMessage message = {0};
	drapeResult result = drapeCreateWorld(&def, &creation->made->world, &message);
	if (result != drape_ok)
		return drapeFileError_Set(creation->error, result, scene->path, 0, "cannot create a world: %s", message.text);
	result = drapeWorld_SetCamera(creation->made->world, scene->world.camera);
	return result == drape_ok ? drape_ok
	                          : drapeFileError_Set(creation->error, result, scene->path, 0, "world.camera: %s",
	                                               drapeWorld_GetMessage(creation->made->world));
}

// Untangles the start state if the scene asks for it. The report counts the crossings that remain.
static drapeResult Untangle(const Creation* creation, const drapeSceneWorldOptions* options)
{
	drapeUntangleDef def = drapeDefaultUntangleDef();
	if (!creation->scene->world.untangle)
		return drape_ok;
	def.seconds = options->untangleSeconds ? *options->untangleSeconds : creation->scene->world.untangleSeconds;
	def.progress = options->untangleProgress;
	def.context = options->untangleContext;
	drapeResult result = drapeWorld_Untangle(creation->made->world, &def, &creation->made->untangled);
	if (result == drape_ok || result == drape_errorMemory)
		return result == drape_ok ? drape_ok : FailMemory(creation);
	return drapeFileError_Set(creation->error, result, creation->scene->path, 0, "the start cannot be untangled: %s",
	                          drapeWorld_GetMessage(creation->made->world));
}

drapeResult drapeScene_CreateWorld(const drapeScene* scene, uint32_t threads, drapeSceneWorld* world,
                                   drapeMessage* error)
{
	return drapeScene_CreateWorldWith(scene, &(drapeSceneWorldOptions){.threads = threads}, world, error);
}

drapeResult drapeScene_CreateWorldWith(const drapeScene* scene, const drapeSceneWorldOptions* options,
                                       drapeSceneWorld* world, drapeMessage* error)
{
	const void* const pointers[] = {scene, options, world};
	drapeResult result = drapeFileError_CheckPointers(error, "scene|options|world", pointers);
	if (world)
		*world = (drapeSceneWorld){0};
	if (result != drape_ok)
		return result;
	if (error)
		*error = (drapeMessage){0};
	Creation creation = {scene, world, error};
	result = AllocateArrays(scene, world) ? CreateEmptyWorld(&creation, options->threads) : FailMemory(&creation);
	for (uint32_t i = 0; result == drape_ok && i < scene->motionCount; ++i)
		result = CreateMotion(&creation, i);
	for (uint32_t i = 0; result == drape_ok && i < scene->colliderCount; ++i)
		result = CreateCollider(&creation, i);
	for (uint32_t i = 0; result == drape_ok && i < scene->clothCount; ++i)
		result = CreateCloth(&creation, i);
	for (uint32_t i = 0; result == drape_ok && i < scene->clothCount; ++i)
		result = drapeScene_CreateConstraints(&creation, i);
	if (result == drape_ok)
		result = Untangle(&creation, options);
	if (result != drape_ok)
		drapeSceneWorld_Destroy(world);
	return result;
}

void drapeSceneWorld_Destroy(drapeSceneWorld* world)
{
	if (!world)
		return;
	drapeDestroyWorld(world->world);
	for (uint32_t i = 0; world->patterns && i < world->clothCount; ++i)
		drapeObj_Free(&world->patterns[i]);
	for (uint32_t i = 0; i < world->sequenceCount; ++i)
		drapeSceneSequence_Free(&world->sequences[i]);
	drapeFree(world->sequences, world->meshCapacity * sizeof(drapeSceneSequence));
	drapeFree(world->warnings, world->meshCapacity * sizeof(drapeMessage));
	drapeFree(world->motions, world->motionCount * sizeof(drapeMotionId));
	drapeFree(world->colliders, world->colliderCount * sizeof(drapeColliderId));
	drapeFree(world->cloths, world->clothCount * sizeof(drapeClothId));
	drapeFree(world->frames, world->clothCount * sizeof(drapeMotionId));
	drapeFree(world->patterns, world->clothCount * sizeof(drapeObj));
	*world = (drapeSceneWorld){0};
}
