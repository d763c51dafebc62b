// SPDX-License-Identifier: MIT
#include "contact_scene.h"

#include "base/maths.h"
#include "bench.h"
#include "mannequin.h"

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

static drapeClothDef FabricDef(drapeScheme scheme, uint32_t levels)
{
	bool isAdaptive = scheme != drape_schemeFixed;
	drapeClothDef def = drapeDefaultClothDef();
	def.model = drape_modelFem;
	def.material.density = 0.2f;
	def.material.stretchWarp = def.material.stretchWeft = 2000.0f;
	def.material.shear = 100.0f;
	def.material.bendWarp = def.material.bendWeft = 3e-5f;
	def.material.friction = 0.5f;
	def.material.bendFriction = 50.0f; // 2HB as large as B, in gf cm/cm and gf cm^2/cm, as for many cottons
	def.material.dampingTime = 0.01f;
	def.solver = drapeDefaultFemSolverDef();
	def.solver.integrator = drape_integratorImplicitEuler;
	def.solver.newtonIterations = 1;
	def.solver.tolerance = 0.01f;
	def.solver.globalDamping = 2.0f;
	def.contact = drape_contactAll;
	def.adapt.scheme = scheme;
	// Two generations of the square-root-3 scheme are about a level of the other: nine triangles of one, and four.
	def.adapt.maxLevel = scheme == drape_schemeSqrt3 ? 2 * levels : levels;
	def.adapt.curvature.enabled = isAdaptive;
	def.adapt.collision.colliders = isAdaptive;
	return def;
}

static uint32_t Levels(const ContactScene* scene)
{
	return scene->def.scheme == drape_schemeFixed ? 0 : scene->def.levels > 0 ? scene->def.levels : mostLevels;
}

// Where a point of the flat sheet, in the plane y = 0, starts.
typedef Vec3 PlaceFcn(Vec3 flat);

static void AddSheet(ContactScene* scene, float width, float depth, Vec3 at, PlaceFcn* place)
{
	drapeMesh mesh;
	uint32_t levels = Levels(scene), coarser = 1u << levels;
	drapeClothDef def = FabricDef(scene->def.scheme, levels);
	Bench_Require(drapeMesh_CreateGrid(scene->def.columns / coarser, scene->def.rows / coarser, width, depth, &mesh) ==
	                  drape_ok,
	              "out of memory");
	Vec3* positions = (Vec3*)mesh.positions; // ours until it is freed
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = V3Add(at, place ? place(positions[i]) : positions[i]);
	def.mesh = &mesh;
	drapeClothId cloth = drapeCreateCloth(scene->world, &def);
	Bench_Require(drapeCloth_IsValid(cloth), "the cloth was refused");
	scene->cloths[scene->clothCount++] = cloth;
	drapeMesh_Free(&mesh);
}

static void AddCollider(ContactScene* scene, const drapeColliderDef* def)
{
	Bench_Require(drapeCollider_IsValid(drapeCreateCollider(scene->world, def)), "the collider was refused");
}

static void AddSphere(ContactScene* scene, float radius, Vec3 at)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.radius = radius;
	def.transform.position = at;
	AddCollider(scene, &def);
}

static void AddBox(ContactScene* scene, Vec3 halfExtents, Vec3 at, drapeQuat rotation)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeBox;
	def.halfExtents = halfExtents;
	def.transform.position = at;
	def.transform.rotation = rotation;
	AddCollider(scene, &def);
}

// --- the scenes -----------------------------------------------------------------------------------------------------

static void BuildSphere(ContactScene* scene)
{
	AddSheet(scene, 1.0f, 1.0f, (Vec3){0.0f, 0.0f, 0.0f}, NULL);
	AddSphere(scene, 0.3f, (Vec3){0.0f, -0.35f, 0.0f});
}

// A cape over head and arms of the mannequin.
static void BuildBody(ContactScene* scene)
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

// Both short ends are held.
static void BuildTwist(ContactScene* scene)
{
	AddSheet(scene, 1.0f, 0.4f, (Vec3){0.0f, 0.0f, 0.0f}, NULL);
	drapeClothView view = drapeCloth_View(scene->cloths[0]);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		Vec3 at = V4Xyz(view.positions[i]);
		if (fabsf(at.x) < 0.4999f)
			continue;
		Bench_Require(scene->pinCount < contactMaxPins, "too many pins");
		scene->pinned[scene->pinCount] = at;
		scene->pins[scene->pinCount++] = drapeCloth_Pin(scene->cloths[0], i);
	}
}

// Four turns in all, while the ends come nearer by 0.3 m; then they stand still.
static bool AnimateTwist(ContactScene* scene, int step)
{
	float share = fminf((float)(step + 1) / twistSteps, 1.0f);
	for (uint32_t i = 0; i < scene->pinCount; ++i)
	{
		Vec3 at = scene->pinned[i];
		float side = at.x > 0.0f ? 1.0f : -1.0f, angle = side * 2.0f * turn * share;
		float c = cosf(angle), s = sinf(angle);
		drapeCloth_MovePin(scene->cloths[0], scene->pins[i],
		                   (Vec3){at.x - side * 0.15f * share, at.y * c - at.z * s, at.y * s + at.z * c});
	}
	return step < twistSteps;
}

// Upright, and a little bent, so that it has a side to fall to.
static Vec3 Upright(Vec3 flat)
{
	return (Vec3){flat.z, flat.x, 0.02f * sinf(5.0f * flat.x) + 0.01f * flat.z};
}

static void BuildCrumple(ContactScene* scene)
{
	const float width = 0.35f, depth = 0.2f, wall = 0.02f, high = 0.25f; // m, half sizes of the box within
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

static void BuildLayers(ContactScene* scene)
{
	for (int i = 0; i < contactMaxCloths; ++i)
		AddSheet(scene, 1.0f, 1.0f, (Vec3){0.01f * (float)i, 0.02f * (float)i, 0.0f}, NULL);
	AddSphere(scene, 0.3f, (Vec3){0.0f, -0.35f, 0.0f});
}

// Four corners are held; the sphere starts so far up that it flies at full speed for two steps before it hits.
static void BuildShot(ContactScene* scene)
{
	AddSheet(scene, 1.0f, 1.0f, (Vec3){0.0f, 0.0f, 0.0f}, NULL);
	uint32_t coarser = 1u << Levels(scene);
	uint32_t row = scene->def.columns / coarser + 1, last = row * (scene->def.rows / coarser + 1) - 1;
	const uint32_t corners[4] = {0, row - 1, last + 1 - row, last};
	for (int i = 0; i < 4; ++i)
		drapeCloth_Pin(scene->cloths[0], corners[i]);
	float speed = scene->def.speed, high = fmaxf(0.5f, 2.0f * speed / stepRate), start = 0.5f;
	drapeKey keys[2] = {{start, drapeIdentityTransform()}, {start + (high + 0.3f) / speed, drapeIdentityTransform()}};
	keys[0].transform.position = (Vec3){0.03f, high, 0.02f};
	keys[1].transform.position = (Vec3){0.03f, -0.3f, 0.02f};
	const drapeMotionDef motion = {keys, 2, false, false};
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.1f;
	ball.motion = drapeCreateMotion(scene->world, &motion);
	AddCollider(scene, &ball);
}

static void BuildSharp(ContactScene* scene)
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
	void (*build)(ContactScene* scene);
	bool (*animate)(ContactScene* scene, int step); // NULL for none
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
	Bench_Require(false, "no such scene");
	return NULL;
}

static const ContactSceneDef scenes[] = {
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

const char* ContactScene_Scheme(drapeScheme scheme)
{
	static const char* const names[] = {
		[drape_schemeFixed] = "fixed", [drape_schemeEdge] = "edge", [drape_schemeSqrt3] = "sqrt3"};
	return names[scheme];
}

const ContactSceneDef* ContactScene_List(uint32_t index)
{
	return index < sizeof scenes / sizeof scenes[0] ? &scenes[index] : NULL;
}

void ContactScene_Create(ContactScene* scene, const ContactSceneDef* def)
{
	*scene = (ContactScene){.def = *def};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = def->threads;
	worldDef.gravity.y *= 1.0f + 1e-4f * (float)def->nudge;
	scene->world = drapeCreateWorld(&worldDef);
	Bench_Require(scene->world.world, "out of memory");
	scene->touches = calloc(contactMaxParticles, sizeof *scene->touches);
	Bench_Require(scene->touches, "out of memory");
	FindKind(def->name)->build(scene);
}

void ContactScene_Destroy(ContactScene* scene)
{
	drapeDestroyWorld(scene->world);
	free(scene->touches);
}

bool ContactScene_Animate(ContactScene* scene, int step)
{
	const SceneKind* kind = FindKind(scene->def.name);
	return kind->animate && kind->animate(scene, step);
}
