// SPDX-License-Identifier: MIT
#include "shared/motion_scenes.h"
#include "shared/make.h"

#include "base/maths.h"
#include "base/random.h"
#include "base/transform.h"
#include "shared/garments.h"
#include "shared/solids.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float turn = 6.2831853f;                     // radians
static const float fineCell = 0.013f, coarseCell = 0.03f; // m: bodies of 28,000 and 5,200 triangles

// 0 before `from` seconds, 1 after `to`, with zero slope at both.
static float Ease(float from, float to, float time)
{
	float t = fminf(fmaxf((time - from) / (to - from), 0.0f), 1.0f);
	return t * t * (3.0f - 2.0f * t);
}

// The time at the end of a step of the motion, s.
static float TimeAfter(int step)
{
	return motionFrame * (float)(step + 1);
}

// --- cloth ----------------------------------------------------------------------------------------------------------

// Fabrics measured by Wang, O'Brien and Ramamoorthi.
static const char wovenCotton[] = "royal-target", shirtCotton[] = "gray-interlock", ribKnit[] = "ivory-rib-knit";

static drapeClothDef Fabric(const MotionScene* scene, const char* preset)
{
	drapeClothDef def = Make_SpringClothDef();
	def.model = drape_modelFem;
	Shared_Require(drapeMaterial_GetPreset(preset, &def.material, NULL) == drape_ok, "no such fabric");
	def.material.dampingTime = 0.01f;
	def.solver = drapeDefaultSolverDef();
	def.solver.integrator = drape_integratorImplicitEuler;
	def.solver.newtonIterations = 1;
	def.solver.tolerance = 0.01f;
	def.contact = drape_contactAll;
	def.adapt.scheme = scene->def.scheme;
	def.budget.seconds = scene->def.seconds;
	return def;
}

static drapeClothId KeepCloth(MotionScene* scene, const drapeClothDef* def, drapeClothId cloth)
{
	Shared_Require(drapeCloth_IsValid(cloth), "the cloth was refused");
	Shared_Require(scene->clothCount < motionMaxCloths, "too many cloths");
	scene->thickness = fmaxf(scene->thickness, def->material.thickness);
	scene->cloths[scene->clothCount++] = cloth;
	return cloth;
}

// Quads along one side of a sheet, from those of the fixed mesh.
static uint32_t Quads(const MotionScene* scene, uint32_t fixed)
{
	uint32_t coarser = (scene->def.isCoarse ? 2u : 1u) * (scene->def.scheme == drape_schemeFixed ? 1u : 4u);
	return fixed > coarser ? fixed / coarser : 1;
}

typedef struct SheetDef
{
	uint32_t columns, rows; // quads
	float width, depth;     // m
	drapeTransform at;      // the flat sheet is in the plane y = 0
} SheetDef;

static drapeClothId AddSheet(MotionScene* scene, const drapeClothDef* def, const SheetDef* sheet)
{
	return KeepCloth(scene, def,
	                 SharedSheet_Add(scene->world, def, sheet->columns, sheet->rows, sheet->width, sheet->depth,
	                                 SharedPlace_Transform, &sheet->at));
}

static drapeTransform At(float x, float y, float z)
{
	drapeTransform at = drapeIdentityTransform();
	at.position = (Vec3){x, y, z};
	return at;
}

// The flat sheet stood up: row 0 is the upper edge.
static drapeTransform Upright(float x, float y, float z)
{
	drapeTransform at = At(x, y, z);
	at.rotation = drapeQuat_FromAxisAngle((Vec3){1.0f, 0.0f, 0.0f}, -0.25f * turn);
	return at;
}

static drapeClothId AddGarment(MotionScene* scene, const drapeClothDef* fabric, Garment* garment)
{
	drapeClothDef def = *fabric;
	def.mesh = &garment->mesh;
	if (garment->material)
	{
		def.rest.source = drape_restMaterial;
		def.rest.material = garment->material;
	}
	return KeepCloth(scene, &def, Make_Cloth(scene->world, &def));
}

static void AddPin(MotionScene* scene, drapeClothId cloth, uint32_t particle)
{
	Shared_Require(scene->pinCount < motionMaxPins, "too many pins");
	scene->pinned[scene->pinCount] = V4Xyz(drapeCloth_GetView(cloth).positions[particle]);
	scene->pins[scene->pinCount++] = Make_Pin(cloth, particle);
}

// --- colliders ------------------------------------------------------------------------------------------------------

static drapeColliderId AddCollider(MotionScene* scene, const drapeColliderDef* def)
{
	drapeColliderId collider = Make_Collider(scene->world, def);
	Shared_Require(drapeCollider_IsValid(collider), "the collider was refused");
	Shared_Require(scene->colliderCount < motionMaxColliders, "too many colliders");
	scene->colliders[scene->colliderCount++] = collider;
	return collider;
}

static drapeColliderId AddMesh(MotionScene* scene, const drapeMesh* mesh, drapeTransform at)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = mesh;
	def.transform = at;
	return AddCollider(scene, &def);
}

static void AddBox(MotionScene* scene, Vec3 halfExtents, drapeTransform at)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeBox;
	def.halfExtents = halfExtents;
	def.transform = at;
	AddCollider(scene, &def);
}

static void AddFloor(MotionScene* scene, float y)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapePlane;
	def.transform = At(0.0f, y, 0.0f);
	AddCollider(scene, &def);
}

// Four walls and a floor at y = 0. Half sizes of the inside, m.
static void AddOpenBox(MotionScene* scene, float width, float depth, float high)
{
	const float wall = 0.02f;
	for (int side = -1; side <= 1; side += 2)
	{
		AddBox(scene, (Vec3){wall, high, depth + 2.0f * wall}, At((float)side * (width + wall), high, 0.0f));
		AddBox(scene, (Vec3){width, high, wall}, At(0.0f, high, (float)side * (depth + wall)));
	}
	AddFloor(scene, 0.0f);
}

static void SetSkin(MotionScene* scene, const BodyPose* pose)
{
	PosedBody_Skin(&scene->body, pose, scene->skin);
	scene->skinMoved = true;
}

// Adds the body in a pose.
static void AddBody(MotionScene* scene, float cell, const BodyPose* pose)
{
	PosedBody_Create(&scene->body, scene->def.isCoarse ? coarseCell : cell);
	scene->skin = malloc(scene->body.rest.vertexCount * sizeof *scene->skin);
	Shared_Require(scene->skin, "out of memory");
	PosedBody_Skin(&scene->body, pose, scene->skin);
	drapeMesh mesh = scene->body.rest;
	mesh.positions = scene->skin;
	scene->bodyCollider = AddMesh(scene, &mesh, drapeIdentityTransform());
}

// --- clothes on bodies ----------------------------------------------------------------------------------------------

static void AddShirt(MotionScene* scene)
{
	Garment shirt;
	drapeClothDef def = Fabric(scene, shirtCotton);
	Garment_CreateShirt(&shirt, scene->def.isCoarse ? 1 : 2);
	AddGarment(scene, &def, &shirt);
	Garment_Free(&shirt);
}

static void AddDress(MotionScene* scene)
{
	Garment dress;
	drapeClothDef def = Fabric(scene, wovenCotton);
	Garment_CreateDress(&dress, 1);
	AddGarment(scene, &def, &dress);
	Garment_Free(&dress);
}

// A pattern point at a vertex.
static drapePatternPoint PointAt(const drapeMesh* mesh, uint32_t vertex)
{
	uint32_t corner = 0;
	while (mesh->triangles[corner] != vertex)
		corner++;
	drapePatternPoint point = {corner / 3, {0.0f, 0.0f, 0.0f}};
	point.weights[corner % 3] = 1.0f;
	return point;
}

// Attaches the waistband to the body.
static void AddSkirt(MotionScene* scene)
{
	Garment skirt;
	drapeClothDef def = Fabric(scene, wovenCotton);
	Garment_CreateSkirt(&skirt, scene->def.isCoarse ? 36 : 52, scene->def.isCoarse ? 12 : 25);
	drapeClothId cloth = AddGarment(scene, &def, &skirt);
	for (uint32_t i = 0; i < skirt.mesh.vertexCount; ++i)
	{
		if (skirt.part[i] != garment_waistband)
			continue;
		drapeAttachDef attach = drapeDefaultAttachDef();
		attach.point = PointAt(&skirt.mesh, i);
		attach.collider = scene->bodyCollider;
		Shared_Require(drapeConstraint_IsValid(Make_Attachment(cloth, &attach)), "the waistband was refused");
	}
	Garment_Free(&skirt);
}

static void BuildWorn(MotionScene* scene)
{
	AddBody(scene, fineCell, &(BodyPose){0});
	AddShirt(scene);
}

static void BuildWalk(MotionScene* scene)
{
	BodyPose pose = BodyPose_Walk(0.0f);
	AddBody(scene, coarseCell, &pose);
	AddSkirt(scene);
}

static void AnimateWalk(MotionScene* scene, int step)
{
	BodyPose pose = BodyPose_Walk(TimeAfter(step));
	SetSkin(scene, &pose);
}

static void BuildDance(MotionScene* scene)
{
	AddBody(scene, fineCell, &(BodyPose){0});
	AddDress(scene);
}

static void AnimateDance(MotionScene* scene, int step)
{
	BodyPose pose = BodyPose_Dance(TimeAfter(step));
	SetSkin(scene, &pose);
}

static void BuildPinch(MotionScene* scene)
{
	BuildWorn(scene);
	scene->releaseStep = (int)(pinchOpenTime / motionFrame + 0.5f) - 1;
}

static void AnimatePinch(MotionScene* scene, int step)
{
	BodyPose pose = BodyPose_Pinch(TimeAfter(step));
	SetSkin(scene, &pose);
}

static void BuildJumpBody(MotionScene* scene)
{
	BuildDance(scene);
	scene->releaseStep = 15;
}

// Jumps 1 m to the side within a step.
static void AnimateJumpBody(MotionScene* scene, int step)
{
	BodyPose pose = {.position = {step < scene->releaseStep ? 0.0f : 1.0f, 0.0f, 0.0f}};
	SetSkin(scene, &pose);
}

// --- meshes and shapes that move ------------------------------------------------------------------------------------

// A sheet over a lumpy ball of 10,000 triangles, which starts to turn about a tilted axis.
static void BuildRotate(MotionScene* scene)
{
	Solid ball;
	drapeClothDef def = Fabric(scene, wovenCotton);
	uint32_t quads = Quads(scene, 64);
	AddSheet(scene, &def, &(SheetDef){quads, quads, 1.0f, 1.0f, At(0.02f, 0.34f, 0.01f)});
	Solid_CreateLumpyBall(&ball, 0.28f, 72, 70);
	drapeColliderDef collider = drapeDefaultColliderDef();
	collider.shape = drape_shapeMesh;
	collider.mesh = &ball.mesh;
	collider.friction = 2.5f; // the sheet stays on the ball
	AddCollider(scene, &collider);
	Solid_Free(&ball);
}

static void AnimateRotate(MotionScene* scene, int step)
{
	const float speed = 0.75f * turn, start = 1.0f; // rad/s, reached after so many seconds
	float time = TimeAfter(step), t = fminf(time / start, 1.0f);
	float angle = speed * (0.5f * start * t * t + fmaxf(time - start, 0.0f));
	drapeTransform at = drapeIdentityTransform();
	at.rotation = drapeQuat_FromAxisAngle((Vec3){0.25f, 1.0f, 0.1f}, angle);
	drapeCollider_SetTransform(scene->colliders[0], at);
}

static const float pressHigh = 0.15f;                                    // m: the gap at the start
static const float pressClose = 0.6f, pressOpen = 1.1f, pressEnd = 1.6f; // s

static float PressGap(float time)
{
	return pressHigh * (1.0f - Ease(0.1f, pressClose, time) + Ease(pressOpen, pressEnd, time));
}

// A sheet lies over a box; another box comes down to it, stays at zero gap, and goes up again.
static void BuildPress(MotionScene* scene)
{
	drapeClothDef def = Fabric(scene, wovenCotton);
	uint32_t quads = Quads(scene, 48);
	AddSheet(scene, &def, &(SheetDef){quads, quads, 0.7f, 0.7f, At(0.01f, 0.02f, 0.02f)});
	const Vec3 half = {0.2f, 0.1f, 0.2f};
	AddBox(scene, half, At(0.0f, -half.y, 0.0f));
	AddBox(scene, half, At(0.0f, pressHigh + half.y, 0.0f));
	scene->releaseStep = (int)(pressOpen / motionFrame);
	while (PressGap(TimeAfter(scene->releaseStep)) < 2.0f * scene->thickness)
		scene->releaseStep++;
}

static void AnimatePress(MotionScene* scene, int step)
{
	drapeCollider_SetTransform(scene->colliders[1], At(0.0f, PressGap(TimeAfter(step)) + 0.1f, 0.0f));
}

// A drum with three paddles turns about a horizontal axis, with four sheets in it.
static void BuildDrum(MotionScene* scene)
{
	Solid drum;
	drapeClothDef def = Fabric(scene, wovenCotton);
	for (int i = 0; i < 4; ++i)
		AddSheet(scene, &def,
		         &(SheetDef){Quads(scene, 24), Quads(scene, 20), 0.40f, 0.34f,
		                     At(0.0f, -0.06f + 0.04f * (float)i, 0.002f * (float)i)});
	Solid_CreateDrum(&drum, 0.30f, 0.20f, 0.07f, 3);
	AddMesh(scene, &drum.mesh, drapeIdentityTransform());
	Solid_Free(&drum);
}

static void AnimateDrum(MotionScene* scene, int step)
{
	const float speed = 4.4f, start = 1.0f; // rad/s, 42 turns a minute, reached after so many seconds
	float time = TimeAfter(step), t = fminf(time / start, 1.0f);
	drapeTransform at = drapeIdentityTransform();
	at.rotation =
		drapeQuat_FromAxisAngle((Vec3){0.0f, 0.0f, 1.0f}, speed * (0.5f * start * t * t + fmaxf(time - start, 0.0f)));
	drapeCollider_SetTransform(scene->colliders[0], at);
}

enum
{
	capsuleColumns = 20,
	capsuleRows = 10,
};

// Each capsule goes up and down and tilts, with a phase of its own.
static drapeTransform CapsuleAt(int index, float time)
{
	int column = index % capsuleColumns, row = index / capsuleColumns;
	float phase = turn * (1.2f * time + 0.137f * (float)column + 0.291f * (float)row);
	drapeTransform at = At(0.08f * ((float)column - 0.5f * (capsuleColumns - 1)), 0.05f * sinf(phase) - 0.1f,
	                       0.12f * ((float)row - 0.5f * (capsuleRows - 1)));
	at.rotation = drapeQuat_FromAxisAngle((Vec3){1.0f, 0.0f, 0.3f}, 0.3f * cosf(phase));
	return at;
}

static void BuildCapsules(MotionScene* scene)
{
	drapeClothDef def = Fabric(scene, wovenCotton);
	AddSheet(scene, &def, &(SheetDef){Quads(scene, 72), Quads(scene, 48), 1.5f, 1.0f, At(0.0f, 0.05f, 0.0f)});
	for (int i = 0; i < capsuleColumns * capsuleRows; ++i)
	{
		drapeColliderDef capsule = drapeDefaultColliderDef();
		capsule.shape = drape_shapeCapsule;
		capsule.radius = 0.02f;
		capsule.halfHeight = 0.05f;
		capsule.transform = CapsuleAt(i, 0.0f);
		AddCollider(scene, &capsule);
	}
}

static void AnimateCapsules(MotionScene* scene, int step)
{
	for (int i = 0; i < capsuleColumns * capsuleRows; ++i)
		drapeCollider_SetTransform(scene->colliders[i], CapsuleAt(i, TimeAfter(step)));
}

// Four triangles, and a ball of triangles that goes up through their plane.
static void BuildThrough(MotionScene* scene)
{
	Solid ball;
	drapeClothDef def = Fabric(scene, wovenCotton);
	AddSheet(scene, &def, &(SheetDef){2, 1, 1.0f, 0.6f, At(0.03f, 0.0f, 0.02f)});
	Solid_CreateLumpyBall(&ball, 0.15f, 40, 32);
	AddMesh(scene, &ball.mesh, At(0.0f, -0.35f, 0.0f));
	Solid_Free(&ball);
}

static void AnimateThrough(MotionScene* scene, int step)
{
	drapeCollider_SetTransform(scene->colliders[0], At(0.0f, -0.35f + 0.9f * Ease(0.0f, 0.6f, TimeAfter(step)), 0.0f));
}

// --- piles ----------------------------------------------------------------------------------------------------------

static void BuildFifty(MotionScene* scene)
{
	Random random = Random_Seed(17, 0);
	drapeClothDef def = Fabric(scene, wovenCotton);
	uint32_t quads = scene->def.scheme == drape_schemeFixed && !scene->def.isCoarse ? 8 : 4;
	for (int i = 0; i < motionMaxCloths; ++i)
	{
		// Layers of four beside each other, every one tilted.
		int column = i % 2, row = i / 2 % 2, layer = i / 4;
		drapeTransform at =
			At(0.22f * ((float)column - 0.5f), 0.12f + 0.1f * (float)layer, 0.22f * ((float)row - 0.5f));
		Vec3 axis = {Random_Range(&random, -1.0f, 1.0f), 0.0f, Random_Range(&random, -1.0f, 1.0f)};
		at.rotation = drapeQuat_FromAxisAngle(axis, Random_Range(&random, 0.05f, 0.35f));
		AddSheet(scene, &def, &(SheetDef){quads, quads, 0.2f, 0.2f, at});
	}
	AddOpenBox(scene, 0.24f, 0.24f, 0.3f);
}

// A sheet of 100,000 triangles falls upright into a box.
static void BuildBig(MotionScene* scene)
{
	drapeClothDef def = Fabric(scene, wovenCotton);
	uint32_t quads = scene->def.isCoarse ? 56 : 224;
	drapeTransform at = Upright(0.0f, 0.82f, 0.0f);
	at.rotation = Quat_Multiply(at.rotation, drapeQuat_FromAxisAngle((Vec3){0.3f, 0.1f, 1.0f}, 0.08f));
	AddSheet(scene, &def, &(SheetDef){quads, quads, 1.3f, 1.3f, at});
	AddOpenBox(scene, 0.75f, 0.3f, 0.25f);
}

// A soft sheet whose thickness of 3 mm is larger than its shortest edges of 2.5 mm, over a ball. The default criterion
// does not refine that far; curvature does.
static void BuildThick(MotionScene* scene)
{
	drapeClothDef def = Fabric(scene, shirtCotton);
	uint32_t quads = Quads(scene, 80);
	float size = scene->def.isCoarse ? 0.1f : 0.2f; // m
	def.material.thickness = 0.003f;
	def.adapt.accuracy.enabled = false;
	def.adapt.curvature.enabled = true;
	def.adapt.maxLevel = scene->def.scheme == drape_schemeSqrt3 ? 4 : 2;
	AddSheet(scene, &def, &(SheetDef){quads, quads, size, size, At(0.003f, 0.01f, 0.002f)});
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.17f * size;
	ball.transform = At(0.0f, -ball.radius, 0.0f);
	AddCollider(scene, &ball);
	AddFloor(scene, -0.45f * size);
}

// --- pulled and blown -----------------------------------------------------------------------------------------------

// A knit hangs by three pins, which jump by 20 m within a step.
static void BuildJumpPins(MotionScene* scene)
{
	drapeClothDef def = Fabric(scene, ribKnit);
	uint32_t quads = Quads(scene, 40);
	drapeClothId cloth = AddSheet(scene, &def, &(SheetDef){quads, quads, 0.8f, 0.8f, Upright(0.0f, 0.0f, 0.0f)});
	for (uint32_t i = 0; i < 3; ++i)
		AddPin(scene, cloth, i * quads / 2);
	scene->releaseStep = 15;
}

static void AnimateJumpPins(MotionScene* scene, int step)
{
	for (uint32_t i = 0; i < scene->pinCount; ++i)
		drapePin_SetTarget(scene->pins[i],
		                   V3Add(scene->pinned[i], (Vec3){step < scene->releaseStep ? 0.0f : 20.0f, 0.0f, 0.0f}));
}

// A pin with a force limit of so many weights of a sheet, as the mouse of the studio has it.
static void LimitPin(MotionScene* scene, uint32_t pin, const drapeClothDef* def, float area, float weights)
{
	float force = 9.81f * weights * area * def->material.density;
	Shared_Require(drapePin_SetMaxForce(scene->pins[pin], force) == drape_ok, "the force was refused");
}

static const float pullEnd = 0.25f, pullRelease = 0.5f; // s

// A cape on the back of a body, held along its upper edge.
static void BuildPull(MotionScene* scene)
{
	BodyPose pose = BodyPose_Walk(0.0f);
	AddBody(scene, coarseCell, &pose);
	drapeClothDef def = Fabric(scene, wovenCotton);
	uint32_t quads = Quads(scene, 56);
	drapeClothId cloth = AddSheet(scene, &def, &(SheetDef){quads, quads, 0.9f, 1.1f, Upright(0.0f, 0.87f, -0.19f)});
	for (uint32_t i = 0; i <= quads; ++i)
		AddPin(scene, cloth, i);
	scene->releaseStep = (int)(pullRelease / motionFrame);
}

// Takes one vertex of the lower half, as a mouse does, pulls it away fast, and lets it go.
static void AnimatePull(MotionScene* scene, int step)
{
	drapeClothId cloth = scene->cloths[0];
	uint32_t quads = Quads(scene, 56), grabbed = (3 * quads / 4) * (quads + 1) + quads / 3;
	if (step == 0)
	{
		drapeClothDef def = Fabric(scene, wovenCotton);
		AddPin(scene, cloth, grabbed);
		LimitPin(scene, scene->pinCount - 1, &def, 0.9f * 1.1f, 3.0f);
	}
	uint32_t last = scene->pinCount - 1;
	if (step < scene->releaseStep)
		drapePin_SetTarget(scene->pins[last], V3Add(scene->pinned[last], V3Scale(Ease(0.0f, pullEnd, TimeAfter(step)),
		                                                                         (Vec3){-0.35f, 0.15f, -1.1f})));
	else if (step == scene->releaseStep)
		drapeDestroyPin(scene->pins[last]);
}

// A flag held by two corners, in a turbulent wind of 100 m/s that hits it from the side.
static void BuildGale(MotionScene* scene)
{
	drapeClothDef def = Fabric(scene, wovenCotton);
	uint32_t columns = Quads(scene, 48), rows = Quads(scene, 32);
	drapeClothId cloth = AddSheet(scene, &def, &(SheetDef){columns, rows, 1.2f, 0.8f, Upright(0.0f, 0.0f, 0.0f)});
	AddPin(scene, cloth, 0);
	AddPin(scene, cloth, rows * (columns + 1));
	drapeWindDef wind = drapeDefaultWindDef();
	wind.kind = drape_windTurbulent;
	wind.velocity = (Vec3){60.0f, 0.0f, 80.0f};
	wind.swirlSpeed = 20.0f;
	drapeWorld_SetWind(scene->world, &wind);
}

enum
{
	twistSteps = 300,
};

static void BuildTwist(MotionScene* scene)
{
	drapeClothDef def = Fabric(scene, wovenCotton);
	uint32_t columns = Quads(scene, 64), rows = Quads(scene, 24);
	drapeClothId cloth = AddSheet(scene, &def, &(SheetDef){columns, rows, 1.0f, 0.4f, At(0.0f, 0.0f, 0.0f)});
	for (uint32_t i = 0; i <= rows; ++i)
	{
		AddPin(scene, cloth, i * (columns + 1));
		AddPin(scene, cloth, i * (columns + 1) + columns);
	}
	for (uint32_t i = 0; i < scene->pinCount; ++i)
		LimitPin(scene, i, &def, 1.0f * 0.4f, 0.3f);
}

// Turns the ends against each other by ten turns each, at a fixed distance. Fixed ends would force a stretch above 2: the
// pins yield, as hands that wring a cloth do.
static void AnimateTwist(MotionScene* scene, int step)
{
	float share = fminf((float)(step + 1) / twistSteps, 1.0f);
	for (uint32_t i = 0; i < scene->pinCount; ++i)
	{
		Vec3 at = scene->pinned[i];
		float angle = (at.x > 0.0f ? 10.0f : -10.0f) * turn * share, c = cosf(angle), s = sinf(angle);
		drapePin_SetTarget(scene->pins[i], (Vec3){at.x, at.y * c - at.z * s, at.y * s + at.z * c});
	}
}

// --- the table ------------------------------------------------------------------------------------------------------

typedef struct SceneKind
{
	const char* name;
	int settleSteps, steps;
	bool hasStatic, isLong;
	void (*build)(MotionScene* scene);
	void (*animate)(MotionScene* scene, int step); // NULL for none
} SceneKind;

static const SceneKind kinds[] = {
	{"worn", 120, 120, true, false, BuildWorn, NULL},
	{"walk", 90, 240, true, false, BuildWalk, AnimateWalk},
	{"dance", 90, 240, true, false, BuildDance, AnimateDance},
	{"rotate", 90, 240, true, false, BuildRotate, AnimateRotate},
	{"pinch", 90, 186, true, false, BuildPinch, AnimatePinch},
	{"press", 45, 180, false, false, BuildPress, AnimatePress},
	{"fifty", 0, 180, false, false, BuildFifty, NULL},
	{"jump_body", 90, 105, true, false, BuildJumpBody, AnimateJumpBody},
	{"jump_pins", 30, 105, false, false, BuildJumpPins, AnimateJumpPins},
	{"pull", 60, 120, false, false, BuildPull, AnimatePull},
	{"drum", 0, 1200, false, true, BuildDrum, AnimateDrum},
	{"capsules", 0, 240, false, false, BuildCapsules, AnimateCapsules},
	{"gale", 0, 180, false, false, BuildGale, NULL},
	{"twist20", 0, twistSteps + 30, false, false, BuildTwist, AnimateTwist},
	{"thick", 0, 150, false, false, BuildThick, NULL},
	{"through", 0, 90, false, false, BuildThrough, AnimateThrough},
	{"big", 0, 90, false, true, BuildBig, NULL},
};

enum
{
	kindCount = sizeof kinds / sizeof kinds[0],
};

static const SceneKind* FindKind(const char* name)
{
	for (int i = 0; i < kindCount; ++i)
	{
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	Shared_Require(false, "no such scene");
	return NULL;
}

const char* MotionScene_Name(uint32_t index)
{
	return index < kindCount ? kinds[index].name : NULL;
}

bool MotionScene_IsLong(const char* name)
{
	return FindKind(name)->isLong;
}

void MotionScene_Create(MotionScene* scene, const MotionSceneDef* def)
{
	const SceneKind* kind = FindKind(def->name);
	*scene = (MotionScene){.def = *def,
	                       .settleSteps = kind->settleSteps,
	                       .steps = kind->steps,
	                       .hasStatic = kind->hasStatic,
	                       .releaseStep = -1};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = def->threads;
	scene->world = Make_World(&worldDef);
	Shared_Require(drapeWorld_IsValid(scene->world), "out of memory");
	kind->build(scene);
}

void MotionScene_Destroy(MotionScene* scene)
{
	drapeDestroyWorld(scene->world);
	if (scene->skin)
		PosedBody_Destroy(&scene->body);
	free(scene->skin);
	*scene = (MotionScene){0};
}

void MotionScene_Animate(MotionScene* scene, int step)
{
	const SceneKind* kind = FindKind(scene->def.name);
	if (kind->animate)
		kind->animate(scene, step);
}

drapeResult MotionScene_Step(MotionScene* scene)
{
	drapeResult result = drape_ok;
	if (scene->skinMoved)
		result = drapeCollider_SetPositions(scene->bodyCollider, scene->skin, scene->body.rest.vertexCount);
	scene->skinMoved = false;
	return result == drape_ok ? drapeWorld_Step(scene->world, motionFrame) : result;
}
