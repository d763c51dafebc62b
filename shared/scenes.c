// SPDX-License-Identifier: MIT
#include "shared/scenes.h"
#include "shared/make.h"

#include "base/maths.h"
#include "shared/mannequin.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float turn = 6.2831853f; // radians

enum
{
	mostLevels = 3,
	stepRate = 60,
	twistSteps = 480,
};

// --- cloth and colliders --------------------------------------------------------------------------------------------

static uint32_t Levels(const SharedScene* scene)
{
	return scene->def.scheme == drape_schemeFixed ? 0 : scene->def.levels > 0 ? scene->def.levels : mostLevels;
}

// Places a sheet: first `bend`, which may be NULL, then a translation by `at`.
typedef struct Placement
{
	Vec3 at;
	Vec3 (*bend)(Vec3 flat);
} Placement;

static drapeVec3 Place(drapeVec3 flat, const void* context)
{
	const Placement* placement = context;
	return V3Add(placement->at, placement->bend ? placement->bend(flat) : flat);
}

static void AddSheet(SharedScene* scene, float width, float depth, Vec3 at, Vec3 (*bend)(Vec3 flat))
{
	uint32_t levels = Levels(scene), coarser = 1u << levels;
	drapeClothDef def = SharedFabric_Cotton(scene->def.scheme, levels);
	Placement placement = {at, bend};
	drapeClothId cloth = SharedSheet_Add(scene->world, &def, scene->def.columns / coarser, scene->def.rows / coarser,
	                                     width, depth, Place, &placement);
	Shared_Require(drapeCloth_IsValid(cloth), "the cloth was refused");
	scene->cloths[scene->clothCount++] = cloth;
}

static void AddCollider(SharedScene* scene, const drapeColliderDef* def)
{
	Shared_Require(drapeCollider_IsValid(Make_Collider(scene->world, def)), "the collider was refused");
}

static void AddSphere(SharedScene* scene, float radius, Vec3 at)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.radius = radius;
	def.transform.position = at;
	AddCollider(scene, &def);
}

static void AddBox(SharedScene* scene, Vec3 halfExtents, Vec3 at, drapeQuat rotation)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeBox;
	def.halfExtents = halfExtents;
	def.transform.position = at;
	def.transform.rotation = rotation;
	AddCollider(scene, &def);
}

// --- the scenes -----------------------------------------------------------------------------------------------------

static void BuildSphere(SharedScene* scene)
{
	AddSheet(scene, 1.0f, 1.0f, (Vec3){0.0f, 0.0f, 0.0f}, NULL);
	AddSphere(scene, 0.3f, (Vec3){0.0f, -0.35f, 0.0f});
}

// A cape over head and arms of the mannequin.
static void BuildBody(SharedScene* scene)
{
	drapeMesh mesh;
	drapeColliderDef def = drapeDefaultColliderDef();
	AddSheet(scene, 1.6f, 1.6f, (Vec3){0.03f, 1.8f, 0.05f}, NULL);
	Mannequin_Create(&mesh);
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	AddCollider(scene, &def);
	Mannequin_Free(&mesh);
}

// Pins both short ends.
static void BuildTwist(SharedScene* scene)
{
	AddSheet(scene, 1.0f, 0.4f, (Vec3){0.0f, 0.0f, 0.0f}, NULL);
	drapeClothView view = drapeCloth_GetView(scene->cloths[0]);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		Vec3 at = V4Xyz(view.positions[i]);
		if (fabsf(at.x) < 0.4999f)
			continue;
		Shared_Require(scene->pinCount < contactMaxPins, "too many pins");
		scene->pinned[scene->pinCount] = at;
		scene->pins[scene->pinCount++] = Make_Pin(scene->cloths[0], i);
	}
}

// Turns the ends against each other by four turns while they approach by 0.3 m; then they stop.
static bool AnimateTwist(SharedScene* scene, int step)
{
	float share = fminf((float)(step + 1) / twistSteps, 1.0f);
	for (uint32_t i = 0; i < scene->pinCount; ++i)
	{
		Vec3 at = scene->pinned[i];
		float side = at.x > 0.0f ? 1.0f : -1.0f, angle = side * 2.0f * turn * share;
		float c = cosf(angle), s = sinf(angle);
		drapePin_SetTarget(scene->pins[i],
		                   (Vec3){at.x - side * 0.15f * share, at.y * c - at.z * s, at.y * s + at.z * c});
	}
	return step < twistSteps;
}

// An upright sheet, slightly bent, so that it falls to one side.
static Vec3 Upright(Vec3 flat)
{
	return (Vec3){flat.z, flat.x, 0.02f * sinf(5.0f * flat.x) + 0.01f * flat.z};
}

static void BuildCrumple(SharedScene* scene)
{
	const float width = 0.35f, depth = 0.2f, wall = 0.02f, high = 0.25f; // m, half sizes of the inside of the box
	const drapeQuat none = {0.0f, 0.0f, 0.0f, 1.0f};
	AddSheet(scene, 1.0f, 0.6f, (Vec3){0.0f, 0.7f, 0.0f}, Upright);
	for (int side = -1; side <= 1; side += 2)
	{
		AddBox(scene, (Vec3){wall, high, depth + 2.0f * wall}, (Vec3){(float)side * (width + wall), high, 0.0f}, none);
		AddBox(scene, (Vec3){width, high, wall}, (Vec3){0.0f, high, (float)side * (depth + wall)}, none);
	}
	drapeColliderDef floor = drapeDefaultColliderDef();
	floor.shape = drape_shapePlane;
	AddCollider(scene, &floor);
}

static void BuildLayers(SharedScene* scene)
{
	for (int i = 0; i < contactMaxCloths; ++i)
		AddSheet(scene, 1.0f, 1.0f, (Vec3){0.01f * (float)i, 0.02f * (float)i, 0.0f}, NULL);
	AddSphere(scene, 0.3f, (Vec3){0.0f, -0.35f, 0.0f});
}

// Pins four corners. The sphere starts so high that it flies at full speed for two steps before the impact.
static void BuildShot(SharedScene* scene)
{
	AddSheet(scene, 1.0f, 1.0f, (Vec3){0.0f, 0.0f, 0.0f}, NULL);
	uint32_t coarser = 1u << Levels(scene);
	uint32_t row = scene->def.columns / coarser + 1, last = row * (scene->def.rows / coarser + 1) - 1;
	const uint32_t corners[4] = {0, row - 1, last + 1 - row, last};
	for (int i = 0; i < 4; ++i)
		Make_Pin(scene->cloths[0], corners[i]);
	float speed = scene->def.speed, high = fmaxf(0.5f, 2.0f * speed / stepRate), start = 0.5f;
	drapeMotionKey keys[2] = {{start, drapeIdentityTransform()},
	                          {start + (high + 0.3f) / speed, drapeIdentityTransform()}};
	keys[0].transform.position = (Vec3){0.03f, high, 0.02f};
	keys[1].transform.position = (Vec3){0.03f, -0.3f, 0.02f};
	const drapeMotionDef motion = {.keys = keys, .keyCount = 2};
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.1f;
	ball.motion = Make_Motion(scene->world, &motion);
	AddCollider(scene, &ball);
}

static void BuildSharp(SharedScene* scene)
{
	AddSheet(scene, 1.0f, 1.0f, (Vec3){0.0f, 0.0f, 0.0f}, NULL);
	drapeColliderDef pole = drapeDefaultColliderDef();
	pole.shape = drape_shapeCapsule;
	pole.radius = 0.001f;
	pole.halfHeight = 0.3f;
	pole.transform.position = (Vec3){0.1f, -0.35f, 0.07f};
	AddCollider(scene, &pole);
	// A corner of the box points up.
	AddBox(scene, (Vec3){0.1f, 0.1f, 0.1f}, (Vec3){-0.2f, -0.25f, -0.1f},
	       drapeQuat_FromAxisAngle((Vec3){1.0f, 0.0f, -1.0f}, 0.9553166f));
}

typedef struct SceneKind
{
	const char* name;
	void (*build)(SharedScene* scene);
	bool (*animate)(SharedScene* scene, int step); // NULL for none
} SceneKind;

static const SceneKind kinds[] = {
	{"sphere", BuildSphere, NULL},   {"body", BuildBody, NULL},     {"twist", BuildTwist, AnimateTwist},
	{"crumple", BuildCrumple, NULL}, {"layers", BuildLayers, NULL}, {"shot", BuildShot, NULL},
	{"sharp", BuildSharp, NULL},
};

static const SceneKind* FindKind(const char* name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
	{
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	Shared_Require(false, "no such scene");
	return NULL;
}

static const SharedSceneDef scenes[] = {
	{.name = "sphere", .columns = 32, .rows = 32, .steps = 480},
	{.name = "sphere", .columns = 64, .rows = 64, .steps = 480},
	{.name = "sphere", .columns = 128, .rows = 128, .steps = 480},
	{.name = "body", .columns = 96, .rows = 96, .steps = 540},
	{.name = "twist", .columns = 64, .rows = 24, .levels = 2, .steps = twistSteps + 240},
	{.name = "crumple", .columns = 64, .rows = 40, .steps = 420},
	{.name = "layers", .columns = 32, .rows = 32, .steps = 480},
	{.name = "shot", .columns = 64, .rows = 64, .speed = 5.0f, .steps = 300},
	{.name = "shot", .columns = 64, .rows = 64, .speed = 50.0f, .steps = 300},
	{.name = "shot", .columns = 64, .rows = 64, .speed = 500.0f, .steps = 300},
	{.name = "sharp", .columns = 64, .rows = 64, .steps = 540},
};

const char* SharedScene_Scheme(drapeScheme scheme)
{
	static const char* const names[] = {
		[drape_schemeFixed] = "fixed", [drape_schemeEdge] = "edge", [drape_schemeSqrt3] = "sqrt3"};
	return names[scheme];
}

const SharedSceneDef* SharedScene_List(uint32_t index)
{
	return index < sizeof scenes / sizeof scenes[0] ? &scenes[index] : NULL;
}

void SharedScene_Create(SharedScene* scene, const SharedSceneDef* def)
{
	*scene = (SharedScene){.def = *def};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = def->threads;
	worldDef.gravity.y *= 1.0f + 1e-4f * (float)def->nudge;
	scene->world = Make_World(&worldDef);
	Shared_Require(drapeWorld_IsValid(scene->world), "out of memory");
	FindKind(def->name)->build(scene);
}

void SharedScene_Destroy(SharedScene* scene)
{
	drapeDestroyWorld(scene->world);
}

bool SharedScene_Animate(SharedScene* scene, int step)
{
	const SceneKind* kind = FindKind(scene->def.name);
	return kind->animate && kind->animate(scene, step);
}
