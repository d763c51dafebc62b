// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "pools.h"
#include "rig.h"

#include "base/random.h"
#include "contact/contact_inner.h"

#include <math.h>

// The contact stage by itself: two sheets of 1 m x 1 m, described to it without a world.

enum
{
	sheetCount = 2,
};

static const float thickness = 0.01f, dt = 0.01f;

typedef struct Sheets
{
	Rig rigs[sheetCount];
	drapeMesh meshes[sheetCount];
	BroadPhaseCloth broadPhase[sheetCount];
	ContactStage stage;
} Sheets;

static void PlaceSheet(ActiveMesh* mesh, float height, float velocity)
{
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		mesh->position[i].z = height;
		mesh->velocity[i] = (Vec4){0.0f, 0.0f, velocity, mesh->velocity[i].w};
	}
}

static void Sheets_Create(Sheets* sheets, float height)
{
	*sheets = (Sheets){0};
	for (uint32_t i = 0; i < sheetCount; ++i)
	{
		Rig* rig = &sheets->rigs[i];
		sheets->meshes[i] = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.0f, i);
		Rig_Create(rig, &sheets->meshes[i]);
		rig->active.revision = 1;
		rig->active.density = 0.1f;
		drapeActiveMesh_UpdateMasses(&rig->active);
		drapeBroadPhaseCloth_Init(&sheets->broadPhase[i]);
		PlaceSheet(&rig->active, i == 0 ? 0.0f : height, 0.0f);
	}
}

static void Sheets_Destroy(Sheets* sheets)
{
	drapeContactStage_Destroy(&sheets->stage);
	for (uint32_t i = 0; i < sheetCount; ++i)
	{
		drapeBroadPhaseCloth_Destroy(&sheets->broadPhase[i]);
		Rig_Destroy(&sheets->rigs[i]);
		TestMesh_Free(&sheets->meshes[i]);
	}
}

static void Sheets_Describe(Sheets* sheets, const ContactScenery* scenery)
{
	drapeContactStage_Begin(&sheets->stage, scenery, testPools[2]);
	for (uint32_t i = 0; i < sheetCount; ++i)
	{
		const ContactCloth cloth = {
			.broadPhase = &sheets->broadPhase[i],
			.pattern = &sheets->rigs[i].pattern,
			.mesh = &sheets->rigs[i].active,
			.name = i + 1,
			.slot = 10 * i,
			.thickness = thickness,
			.friction = 0.3f,
			.system = (uint8_t)i,
			.hasAllContact = true,
		};
		assert_true(drapeContactStage_AddCloth(&sheets->stage, &cloth));
	}
}

static float Lowest(const ActiveMesh* mesh)
{
	float low = INFINITY;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		low = fminf(low, mesh->position[i].z);
	return low;
}

static float Highest(const ActiveMesh* mesh)
{
	float high = -INFINITY;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		high = fmaxf(high, mesh->position[i].z);
	return high;
}

static void CloseSheetsHaveContactPoints(void** state)
{
	(void)state;
	Sheets sheets;
	const ContactScenery nothing = {0};
	Sheets_Create(&sheets, 0.5f * thickness);
	Sheets_Describe(&sheets, &nothing);
	assert_true(drapeContactStage_Prepare(&sheets.stage, dt));
	assert_true(sheets.stage.points.count > 0);
	for (uint32_t i = 0; i < sheets.stage.points.count; ++i)
	{
		const ContactPoint* point = &sheets.stage.points.data[i];
		float sum = 0.0f;
		for (int k = 0; k < 4; ++k)
		{
			sum += point->weight[k];
			assert_true(point->system[k] < sheetCount);
			assert_true(point->particle[k] < sheets.rigs[point->system[k]].active.particleCount);
		}
		assert_float_equal(sum, 0.0f, 1e-5f);
		assert_float_equal(point->distance, 0.5f * thickness, 1e-5f);
		assert_float_equal(fabsf(point->normal.z), 1.0f, 1e-5f);
	}
	Sheets_Destroy(&sheets);
}

static void DistantSheetsHaveNone(void** state)
{
	(void)state;
	Sheets sheets;
	const ContactScenery nothing = {0};
	Sheets_Create(&sheets, 0.5f);
	Sheets_Describe(&sheets, &nothing);
	assert_true(drapeContactStage_Prepare(&sheets.stage, dt));
	assert_int_equal(sheets.stage.points.count, 0);
	Sheets_Destroy(&sheets);
}

static void AnImpactIsStoppedWithoutGatheringAgain(void** state)
{
	(void)state;
	Sheets sheets;
	const ContactScenery nothing = {0};
	Sheets_Create(&sheets, 0.1f);
	ActiveMesh *lower = &sheets.rigs[0].active, *upper = &sheets.rigs[1].active;
	Sheets_Describe(&sheets, &nothing);
	assert_true(drapeContactStage_Prepare(&sheets.stage, dt));
	uint32_t gathers = sheets.stage.gathers;
	PlaceSheet(upper, -0.2f, -30.0f);
	assert_true(drapeContactStage_Resolve(&sheets.stage, dt));
	assert_int_equal(sheets.stage.gathers, gathers);
	assert_true(sheets.stage.impactResult.impacts > 0 && sheets.stage.impactResult.unresolved == 0);
	assert_true(Lowest(upper) > Highest(lower));
	for (uint32_t i = 0; i < upper->particleCount; ++i)
	{
		bool wasMoved = ContactStage_WasMoved(&sheets.stage, 1, i);
		assert_true(wasMoved && upper->velocity[i].z > -30.0f);
	}
	Sheets_Destroy(&sheets);
}

static void ClothsWithoutAllContactAreOnlySeenByCrossingQueries(void** state)
{
	(void)state;
	Sheets sheets;
	const ContactScenery nothing = {0};
	Sheets_Create(&sheets, 0.5f * thickness);
	// The upper sheet stands upright through the lower one.
	ActiveMesh* upper = &sheets.rigs[1].active;
	for (uint32_t i = 0; i < upper->particleCount; ++i)
		upper->position[i] = (Vec4){0.013f, upper->position[i].y, upper->position[i].x, upper->position[i].w};
	Sheets_Describe(&sheets, &nothing);
	sheets.stage.cloths.data[1].hasAllContact = false;
	assert_true(drapeContactStage_Prepare(&sheets.stage, dt));
	assert_int_equal(sheets.stage.broadPhase.members.count, 1);
	Tangle tangle = {0};
	assert_true(drapeContactStage_GatherTangle(&sheets.stage, &tangle) && drapeTangle_Find(&tangle, testPools[1]));
	assert_int_equal(tangle.clothCount, 2);
	assert_true(tangle.crossings.count > 0);
	drapeTangle_Destroy(&tangle);
	Sheets_Destroy(&sheets);
}

static SurfaceSweep SweepTo(const ActiveMesh* mesh, float height)
{
	const uint32_t* corner = mesh->triangle[0];
	SurfaceSweep sweep = {.particle = {corner[0], corner[1], corner[2], DRAPE_NONE}};
	Vec3 centre = {0.0f, 0.0f, height};
	for (int k = 0; k < 3; ++k)
	{
		sweep.corner[k] = V4Xyz(mesh->position[corner[k]]);
		centre = V3Add(centre, V3Scale(1.0f / 3.0f, sweep.corner[k]));
	}
	sweep.corner[3] = centre;
	return sweep;
}

static void ASweepIsFreeUntilItReachesSomething(void** state)
{
	(void)state;
	Sheets sheets;
	Collider ball = {
		.def = drapeDefaultColliderDef(), .from = drapeIdentityTransform(), .to = drapeIdentityTransform()};
	ball.def.shape = drape_shapeSphere;
	ball.def.radius = 0.1f;
	ball.from.position.z = ball.to.position.z = -0.2f;
	Sheets_Create(&sheets, 0.2f);
	const ActiveMesh* lower = &sheets.rigs[0].active;
	const SurfaceSweep near = SweepTo(lower, 0.15f), far = SweepTo(lower, 0.25f), down = SweepTo(lower, -0.25f);
	ball.from.position.x = ball.to.position.x = down.corner[3].x;
	ball.from.position.y = ball.to.position.y = down.corner[3].y;
	const ContactScenery nothing = {0}, withBall = {.colliders = &ball, .colliderCount = 1, .revision = 1};
	Sheets_Describe(&sheets, &nothing);
	assert_true(drapeContactStage_Look(&sheets.stage));
	assert_true(drapeContactStage_IsFree(&sheets.stage, 0, &near));
	assert_false(drapeContactStage_IsFree(&sheets.stage, 0, &far));
	assert_true(drapeContactStage_IsFree(&sheets.stage, 0, &down));
	Sheets_Describe(&sheets, &withBall);
	assert_true(drapeContactStage_Look(&sheets.stage));
	assert_true(drapeContactStage_IsFree(&sheets.stage, 0, &near));
	assert_false(drapeContactStage_IsFree(&sheets.stage, 0, &down));
	Sheets_Destroy(&sheets);
}

static void Stitch(Sheets* sheets, uint32_t lower, uint32_t upper)
{
	assert_true(drapeContactStage_AddStitch(&sheets->stage, (StitchedParticles){{0, 10}, {lower, upper}}));
}

// A sweep through the upper sheet is free when a stitch joins a corner of it to each triangle that it passes through.
static void ASweepIgnoresTrianglesThatStitchesJoin(void** state)
{
	(void)state;
	Sheets sheets;
	const ContactScenery nothing = {0};
	Sheets_Create(&sheets, 0.2f);
	const ActiveMesh* lower = &sheets.rigs[0].active;
	const uint32_t count = sheets.rigs[1].active.particleCount;
	const SurfaceSweep far = SweepTo(lower, 0.25f);
	uint32_t another = 0;
	while (another == far.particle[0] || another == far.particle[1] || another == far.particle[2])
		another++;
	Sheets_Describe(&sheets, &nothing);
	for (uint32_t i = 0; i < count; ++i)
		Stitch(&sheets, another, i);
	assert_true(drapeContactStage_Look(&sheets.stage));
	assert_false(drapeContactStage_IsFree(&sheets.stage, 0, &far));
	drapeContactStage_ForgetStitches(&sheets.stage);
	for (uint32_t i = 0; i < count; ++i)
		Stitch(&sheets, far.particle[1], i);
	assert_true(drapeContactStage_Look(&sheets.stage));
	assert_true(drapeContactStage_IsFree(&sheets.stage, 0, &far));
	Sheets_Destroy(&sheets);
}

// After a change of one mesh, Look fits one tree; a new description fits all.
static void SweepsAreJudgedAsByANewDescription(void** state)
{
	(void)state;
	Sheets sheets;
	Random random = Random_Seed(3, 0);
	const ContactScenery nothing = {0};
	uint32_t refused = 0, asked = 0;
	Sheets_Create(&sheets, 0.2f);
	Sheets_Describe(&sheets, &nothing);
	assert_true(drapeContactStage_Look(&sheets.stage));
	for (uint32_t round = 0; round < 20; ++round)
	{
		Rig_RandomPass(&sheets.rigs[round % 2], &random, 8, 0.7f);
		SurfaceSweep sweeps[16];
		bool isFree[16];
		assert_true(drapeContactStage_Look(&sheets.stage));
		for (uint32_t i = 0; i < 16; ++i)
		{
			sweeps[i] = SweepTo(&sheets.rigs[0].active, 0.4f * Random_Float(&random));
			isFree[i] = drapeContactStage_IsFree(&sheets.stage, 0, &sweeps[i]);
			refused += !isFree[i];
			asked++;
		}
		Sheets_Describe(&sheets, &nothing);
		assert_true(drapeContactStage_Look(&sheets.stage));
		for (uint32_t i = 0; i < 16; ++i)
			assert_true(drapeContactStage_IsFree(&sheets.stage, 0, &sweeps[i]) == isFree[i]);
	}
	assert_true(refused > 0 && refused < asked);
	Sheets_Destroy(&sheets);
}

static void ClothsAreFoundByTheirSlots(void** state)
{
	(void)state;
	Sheets sheets;
	const ContactScenery nothing = {0};
	Sheets_Create(&sheets, 0.2f);
	Sheets_Describe(&sheets, &nothing);
	assert_int_equal(drapeContactStage_FindCloth(&sheets.stage, 0), 0);
	assert_int_equal(drapeContactStage_FindCloth(&sheets.stage, 10), 1);
	assert_int_equal(drapeContactStage_FindCloth(&sheets.stage, 1), DRAPE_NONE);
	Sheets_Destroy(&sheets);
}

static void Shake(Sheets* sheets, float size, Random* random)
{
	for (uint32_t i = 0; i < sheetCount; ++i)
	{
		ActiveMesh* mesh = &sheets->rigs[i].active;
		for (uint32_t k = 0; k < mesh->particleCount; ++k)
		{
			Vec4* x = &mesh->position[k];
			*x = (Vec4){x->x + Random_Range(random, -size, size), x->y + Random_Range(random, -size, size),
			            x->z + Random_Range(random, -size, size), x->w};
		}
	}
}

// Sheets above each other, one of them folded over, move by random displacements from tiny to large.
static void QuietStepsHaveNoImpacts(void** state)
{
	(void)state;
	Random random = Random_Seed(90, 1);
	const ContactScenery nothing = {0};
	uint32_t quiet = 0, impacts = 0;
	for (int run = 0; run < 300; ++run)
	{
		Sheets sheets;
		Sheets_Create(&sheets, Random_Range(&random, 0.05f, 1.5f) * thickness);
		ActiveMesh* upper = &sheets.rigs[1].active;
		float lift = Random_Range(&random, 0.2f, 3.0f) * thickness;
		for (uint32_t i = 0; i < upper->particleCount && run % 2; ++i)
		{
			if (upper->position[i].x > 0.5f)
				upper->position[i].z += lift + 0.2f * (upper->position[i].x - 0.5f);
			upper->position[i].x = fminf(upper->position[i].x, 1.0f - upper->position[i].x);
		}
		Shake(&sheets, Random_Range(&random, 0.0f, 0.2f) * thickness, &random);
		Sheets_Describe(&sheets, &nothing);
		assert_true(drapeContactStage_Prepare(&sheets.stage, dt));
		Shake(&sheets, thickness * powf(10.0f, Random_Range(&random, -5.0f, 0.0f)), &random);
		BroadPhase* broadPhase = &sheets.stage.broadPhase;
		drapeBroadPhase_MoveCloths(broadPhase);
		bool isQuiet = drapeContactStage_IsQuiet(&sheets.stage);
		const ImpactDef def = {.bodies = &broadPhase->bodies,
		                       .collect = drapeBroadPhase_Collect,
		                       .context = broadPhase,
		                       .pairs = &broadPhase->pairs,
		                       .margin = broadPhase->margin,
		                       .tasks = testPools[2]};
		ImpactResult result = drapeImpactSolver_Resolve(&sheets.stage.impacts, &def);
		assert_true(!isQuiet || result.impacts == 0);
		quiet += isQuiet;
		impacts += result.impacts > 0;
		Sheets_Destroy(&sheets);
	}
	assert_true(quiet > 30 && impacts > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(CloseSheetsHaveContactPoints),
		cmocka_unit_test(DistantSheetsHaveNone),
		cmocka_unit_test(AnImpactIsStoppedWithoutGatheringAgain),
		cmocka_unit_test(ClothsWithoutAllContactAreOnlySeenByCrossingQueries),
		cmocka_unit_test(ASweepIsFreeUntilItReachesSomething),
		cmocka_unit_test(ASweepIgnoresTrianglesThatStitchesJoin),
		cmocka_unit_test(SweepsAreJudgedAsByANewDescription),
		cmocka_unit_test(ClothsAreFoundByTheirSlots),
		cmocka_unit_test(QuietStepsHaveNoImpacts),
	};
	return cmocka_run_group_tests(tests, Pools_Start, Pools_Stop);
}
