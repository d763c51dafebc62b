// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/transform.h"
#include "drape/drape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Frames: a cloth feels a part of the motion of the character that wears it.

static const float frame = 1.0f / 60.0f; // s

static bool DoNotBreak(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	return false;
}

// --- a cape on a character ------------------------------------------------------------------------------------------

typedef struct RigDef
{
	drapeScheme scheme;
	drapeModel model;
	drapeIntegrator integrator;
	drapeContactMode contact;
	bool hasMesh;  // the body is a mesh, and not a capsule
	bool hasFrame; // the application sets the frame
	bool rests;    // the character does not move
	drapeInertia inertia;
} RigDef;

static const RigDef rigs[] = {
	{drape_schemeFixed, drape_modelFem, drape_integratorBdf2, drape_contactParticles, false, true, false, {0.0f, 0.0f}},
	{drape_schemeFixed,
     drape_modelFem,
     drape_integratorImplicitEuler,
     drape_contactAll,
     true,
     true,
     false,
     {0.0f, 0.0f}},
	{drape_schemeEdge, drape_modelFem, drape_integratorBdf2, drape_contactAll, false, true, false, {0.0f, 0.0f}},
	{drape_schemeSqrt3, drape_modelFem, drape_integratorBdf2, drape_contactParticles, true, true, false, {0.0f, 0.0f}},
	{drape_schemeFixed,
     drape_modelSprings,
     drape_integratorVerlet,
     drape_contactParticles,
     false,
     true,
     false,
     {0.0f, 0.0f}},
};

enum
{
	rigCount = sizeof rigs / sizeof rigs[0],
	quads = 8,
	pinCount = 3,
};

typedef struct Rig
{
	RigDef def;
	drapeWorldId world;
	drapeClothId cloth;
	drapeColliderId body;
	drapePinId pins[pinCount];
	drapeVec3 pinned[pinCount];
	int step;
} Rig;

// The character accelerates, turns and stops, all within a second.
static drapeTransform Character(const Rig* rig, int step)
{
	float t = (float)step * frame, speed = fminf(t, 0.5f);
	drapeTransform at = drapeIdentityTransform();
	if (rig->def.rests)
		return at;
	at.position = (drapeVec3){12.0f * speed * speed, 0.0f, 0.5f * sinf(9.0f * t)};
	at.rotation = drapeQuat_FromAxisAngle((drapeVec3){0.0f, 1.0f, 0.0f}, 2.5f * sinf(4.0f * t));
	return at;
}

static void AddBody(Rig* rig)
{
	drapeMesh sphere = TestMesh_Sphere(2, 0.2f);
	drapeColliderDef body = drapeDefaultColliderDef();
	body.shape = rig->def.hasMesh ? drape_shapeMesh : drape_shapeCapsule;
	body.mesh = rig->def.hasMesh ? &sphere : NULL;
	body.radius = 0.19f;
	body.halfHeight = 0.3f;
	rig->body = Make_Collider(rig->world, &body);
	assert_true(drapeCollider_IsValid(rig->body));
	TestMesh_Free(&sphere);
}

// The cape hangs from three pins behind the body.
static Rig Create(const RigDef* def)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	Rig rig = {.def = *def, .world = Make_World(&worldDef)};
	AddBody(&rig);
	drapeClothDef cloth = drapeDefaultClothDef();
	assert_int_equal(drapeMaterial_GetPreset("cotton", &cloth.material, NULL), drape_ok);
	cloth.material.thickness = 0.004f;
	cloth.model = def->model;
	cloth.solver =
		drapeIntegrator_IsImplicit(def->integrator) ? drapeDefaultSolverDef() : drapeDefaultExplicitSolverDef();
	cloth.solver.integrator = def->integrator;
	cloth.contact = def->contact;
	cloth.adapt.scheme = def->scheme;
	cloth.adapt.maxLevel = 1;
	cloth.inertia = def->inertia;
	cloth.transform.rotation = drapeQuat_FromAxisAngle((drapeVec3){1.0f, 0.0f, 0.0f}, 1.4f);
	cloth.transform.position = (drapeVec3){0.0f, -0.1f, 0.262f};
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 0.5f, 0.6f, &grid, NULL), drape_ok);
	cloth.mesh = &grid;
	rig.cloth = Make_Cloth(rig.world, &cloth);
	assert_true(drapeCloth_IsValid(rig.cloth));
	drapeMesh_Free(&grid);
	drapeClothView view = drapeCloth_GetView(rig.cloth);
	for (uint32_t i = 0; i < pinCount; ++i)
	{
		uint32_t particle = i * quads / 2;
		rig.pins[i] = Make_Pin(rig.cloth, particle);
		rig.pinned[i] = V4Xyz(view.positions[particle]);
	}
	return rig;
}

static void Destroy(Rig* rig)
{
	Sheet_Check(rig->world);
	drapeDestroyWorld(rig->world);
}

static void Step(Rig* rig, int count)
{
	for (int i = 0; i < count; ++i)
	{
		if (rig->def.hasFrame && rig->step == 0)
			assert_int_equal(drapeCloth_SetFrame(rig->cloth, Character(rig, 0)), drape_ok);
		drapeTransform at = Character(rig, ++rig->step);
		assert_int_equal(drapeCollider_SetTransform(rig->body, at), drape_ok);
		for (int k = 0; k < pinCount; ++k)
			assert_int_equal(drapePin_SetTarget(rig->pins[k], drapeTransform_Point(at, rig->pinned[k])), drape_ok);
		if (rig->def.hasFrame)
			assert_int_equal(drapeCloth_SetFrame(rig->cloth, at), drape_ok);
		assert_int_equal(drapeWorld_Step(rig->world, frame), drape_ok);
	}
}

// The largest distance of a vertex from that of the other cloth, both as their characters see them, m.
static float Deviation(const Rig* rig, const Rig* other)
{
	drapeClothView a = drapeCloth_GetView(rig->cloth), b = drapeCloth_GetView(other->cloth);
	drapeTransform at = Character(rig, rig->step), otherAt = Character(other, other->step);
	float most = 0.0f;
	for (uint32_t i = 0; i < (quads + 1) * (quads + 1); ++i)
	{
		drapeVec3 own = drapeTransform_InversePoint(at, V4Xyz(a.positions[i]));
		drapeVec3 expected = drapeTransform_InversePoint(otherAt, V4Xyz(b.positions[i]));
		most = fmaxf(most, V3Length(V3Sub(own, expected)));
	}
	return most;
}

// --- tests ----------------------------------------------------------------------------------------------------------

static void WithoutInertiaTheClothMovesAsInAFrameAtRest(void** state)
{
	(void)state;
	uint32_t allContacts = 0;
	for (int r = 0; r < rigCount; ++r)
	{
		RigDef still = rigs[r];
		still.rests = true;
		Rig rig = Create(&rigs[r]), twin = Create(&still);
		float most = 0.0f;
		uint32_t contacts = 0;
		// Longer runs amplify the last bits, and so do splits of adaptive meshes.
		for (int i = 0; i < 20; ++i)
		{
			Step(&rig, 1);
			Step(&twin, 1);
			most = fmaxf(most, Deviation(&rig, &twin));
			drapeCounters counters = drapeWorld_GetCounters(rig.world);
			assert_int_equal(counters.carried, 0);
			contacts += counters.contacts + counters.contactPoints;
		}
		print_message("rig %d: %u contacts, %g m\n", r, contacts, (double)most);
		allContacts += contacts;
		assert_true(most < (rigs[r].scheme == drape_schemeFixed ? 0.002f : 0.06f));
		Destroy(&rig);
		Destroy(&twin);
	}
	assert_true(allContacts > 0);
}

static void WithFullInertiaTheFrameChangesNoBit(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		RigDef def = rigs[r], without = rigs[r];
		def.inertia = without.inertia = (drapeInertia){1.0f, 1.0f};
		without.hasFrame = false;
		Rig rig = Create(&def), twin = Create(&without);
		Step(&rig, 20);
		Step(&twin, 20);
		assert_true(drapeWorld_GetHash(rig.world) == drapeWorld_GetHash(twin.world));
		Destroy(&rig);
		Destroy(&twin);
	}
}

// The distance from the cloth of a character at rest, by the share.
static float Response(const RigDef* rigDef, float share)
{
	RigDef def = *rigDef, still = *rigDef;
	def.inertia = (drapeInertia){share, share};
	still.rests = true;
	Rig rig = Create(&def), twin = Create(&still);
	Step(&rig, 12);
	Step(&twin, 12);
	float deviation = Deviation(&rig, &twin);
	assert_int_equal(drapeWorld_GetWarning(rig.world).count, 0);
	Destroy(&rig);
	Destroy(&twin);
	return deviation;
}

static void AShareOfTheInertiaIsBetweenNoneAndAll(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		float none = Response(&rigs[r], 0.0f), some = Response(&rigs[r], 0.2f), all = Response(&rigs[r], 1.0f);
		print_message("rig %d: %g, %g, %g m\n", r, (double)none, (double)some, (double)all);
		assert_true(none < 0.1f * some && some < all && all > 0.05f);
	}
}

static void TheShareMayChangeBetweenSteps(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		Rig rig = Create(&rigs[r]);
		for (int i = 0; i < 30; ++i)
		{
			drapeInertia inertia = {(float)(i % 3) / 2.0f, (float)(i % 5) / 4.0f};
			assert_int_equal(drapeCloth_SetInertia(rig.cloth, inertia), drape_ok);
			assert_true(drapeCloth_GetInertia(rig.cloth).angular == inertia.angular);
			Step(&rig, 1);
		}
		assert_int_equal(drapeWorld_GetWarning(rig.world).count, 0);
		Destroy(&rig);
	}
}

// A collider that stays behind is met by the remaining motion; one that another cloth lies on is not moved for it.
static void AClothBesideTheCharacterStaysAtRest(void** state)
{
	(void)state;
	Rig rig = Create(&rigs[0]);
	drapeColliderDef ground = drapeDefaultColliderDef();
	ground.shape = drape_shapePlane;
	ground.transform.position.y = -1.0f;
	Make_Collider(rig.world, &ground);
	drapeClothDef def = drapeDefaultClothDef();
	def.transform.position = (drapeVec3){5.0f, -0.995f, 5.0f};
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(4, 4, 0.5f, 0.5f, &grid, NULL), drape_ok);
	def.mesh = &grid;
	drapeClothId other = Make_Cloth(rig.world, &def);
	drapeMesh_Free(&grid);
	Step(&rig, 30);
	drapeClothView view = drapeCloth_GetView(other);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		assert_true(fabsf(view.positions[i].x - 5.0f) < 0.27f && fabsf(view.positions[i].z - 5.0f) < 0.27f);
		assert_true(V3Length(V4Xyz(view.velocities[i])) < 0.05f);
	}
	Destroy(&rig);
}

static void SnapshotsContainTheFrame(void** state)
{
	(void)state;
	RigDef def = rigs[2];
	def.inertia = (drapeInertia){0.3f, 0.6f};
	Rig rig = Create(&def), twin = Create(&def);
	Step(&rig, 12);
	size_t size = Make_Snapshot(rig.world, NULL, 0);
	void* data = malloc(size);
	assert_int_equal(Make_Snapshot(rig.world, data, size), size);
	assert_int_equal(drapeWorld_Load(twin.world, data, size), drape_ok);
	free(data);
	twin.step = rig.step;
	assert_true(drapeCloth_GetFrame(twin.cloth).position.x == Character(&rig, rig.step).position.x);
	Step(&rig, 12);
	Step(&twin, 12);
	assert_true(drapeWorld_GetHash(rig.world) == drapeWorld_GetHash(twin.world));
	Destroy(&rig);
	Destroy(&twin);
}

static double Sum(const Rig* rig)
{
	drapeClothView view = drapeCloth_GetView(rig->cloth);
	double sum = 0.0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum += (double)(view.positions[i].x + 3.0f * view.positions[i].y + 7.0f * view.positions[i].z +
		                11.0f * view.velocities[i].x);
	return sum;
}

static void ACancelledStepIsUndone(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		Rig rig = Create(&rigs[r]);
		Step(&rig, 10);
		double before = Sum(&rig);
		drapeTransform body = drapeCollider_GetTransform(rig.body);
		assert_int_equal(drapeCloth_SetFrame(rig.cloth, Character(&rig, rig.step + 1)), drape_ok);
		drapeWorld_Cancel(rig.world);
		assert_int_equal(drapeWorld_Step(rig.world, frame), drape_errorCancelled);
		drapeTransform after = drapeCollider_GetTransform(rig.body);
		assert_true(rigs[r].scheme != drape_schemeFixed || Sum(&rig) == before);
		assert_memory_equal(&body, &after, sizeof body);
		Step(&rig, 2);
		Destroy(&rig);
	}
}

static void AFrameCanBeForgotten(void** state)
{
	(void)state;
	Rig rig = Create(&rigs[0]);
	Step(&rig, 5);
	assert_true(drapeCloth_GetFrame(rig.cloth).position.x > 0.0f);
	assert_int_equal(drapeCloth_ClearFrame(rig.cloth), drape_ok);
	assert_true(drapeCloth_GetFrame(rig.cloth).position.x == 0.0f);
	// The first one after it carries nothing.
	drapeTransform far = drapeIdentityTransform();
	far.position.x = 100.0f;
	assert_int_equal(drapeCloth_SetFrame(rig.cloth, far), drape_ok);
	assert_int_equal(drapeWorld_Step(rig.world, frame), drape_ok);
	assert_true(drapeCloth_GetView(rig.cloth).positions[40].x < 2.0f);
	Destroy(&rig);
}

static void ExpectRefused(const Rig* rig, drapeResult result, const char* text)
{
	assert_int_equal(result, drape_errorArgument);
	if (!strstr(drapeWorld_GetMessage(rig->world), text))
		fail_msg("\"%s\" has no \"%s\"", drapeWorld_GetMessage(rig->world), text);
}

static void FramesAndSharesOutOfRangeAreRefused(void** state)
{
	(void)state;
	drapeSetAssert(DoNotBreak);
	Rig rig = Create(&rigs[0]);
	drapeTransform zero = {0};
	ExpectRefused(&rig, drapeCloth_SetFrame(rig.cloth, zero), "frame.rotation has the length 0");
	zero.rotation.w = 1.0f;
	ExpectRefused(&rig, drapeCloth_SetFrame(rig.cloth, zero), "frame.scale is 0");
	ExpectRefused(&rig, drapeCloth_SetInertia(rig.cloth, (drapeInertia){-0.5f, 1.0f}), "linear is -0.5");
	ExpectRefused(&rig, drapeCloth_SetInertia(rig.cloth, (drapeInertia){1.0f, NAN}), "angular is nan");
	drapeClothDef def = drapeCloth_GetDef(rig.cloth);
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(2, 2, 1.0f, 1.0f, &grid, NULL), drape_ok);
	def.mesh = &grid;
	def.pattern = NULL;
	def.inertia.linear = 2.0f;
	drapeClothId cloth;
	ExpectRefused(&rig, drapeCreateCloth(rig.world, &def, &cloth), "inertia.linear is 2");
	drapeMesh_Free(&grid);
	Destroy(&rig);
	drapeSetAssert(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(WithoutInertiaTheClothMovesAsInAFrameAtRest),
		cmocka_unit_test(WithFullInertiaTheFrameChangesNoBit),
		cmocka_unit_test(AShareOfTheInertiaIsBetweenNoneAndAll),
		cmocka_unit_test(TheShareMayChangeBetweenSteps),
		cmocka_unit_test(AClothBesideTheCharacterStaysAtRest),
		cmocka_unit_test(SnapshotsContainTheFrame),
		cmocka_unit_test(ACancelledStepIsUndone),
		cmocka_unit_test(AFrameCanBeForgotten),
		cmocka_unit_test(FramesAndSharesOutOfRangeAreRefused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
