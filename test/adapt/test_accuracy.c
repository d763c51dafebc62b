// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "adapt/criteria/deviation.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

// --- analytic surfaces ----------------------------------------------------------------------------------------------

// A surface of about 1 m, made larger by `scale`: the point at (s, t), and the distance of a point from the surface.
typedef float SurfaceDistance(drapeVec3 point, float scale);

static drapeVec3 Cylinder(float s, float t, float scale)
{
	float turn = 2.0f * (s - 0.5f);
	return (drapeVec3){scale * 0.5f * sinf(turn), scale * 0.5f * cosf(turn), scale * (0.5f - t)};
}

static float CylinderDistance(drapeVec3 p, float scale)
{
	return fabsf(hypotf(p.x, p.y) - 0.5f * scale);
}

static drapeVec3 Ball(float s, float t, float scale)
{
	float x = 1.4f * (s - 0.5f), z = 1.4f * (0.5f - t), factor = 0.6f * scale / sqrtf(x * x + z * z + 1.0f);
	return (drapeVec3){factor * x, factor, factor * z};
}

static float BallDistance(drapeVec3 p, float scale)
{
	return fabsf(sqrtf(p.x * p.x + p.y * p.y + p.z * p.z) - 0.6f * scale);
}

// Half angle 30 degrees, from 0.3 m to 1.3 m of its side.
static drapeVec3 Cone(float s, float t, float scale)
{
	float turn = 2.5f * (s - 0.5f), side = scale * (0.3f + t), radius = 0.5f * side;
	return (drapeVec3){radius * sinf(turn), radius * cosf(turn), -0.8660254f * side};
}

static float ConeDistance(drapeVec3 p, float scale)
{
	(void)scale;
	return fabsf(0.8660254f * hypotf(p.x, p.y) + 0.5f * p.z);
}

static const float waveNumber = 12.5663706f; // two waves

static drapeVec3 Waves(float s, float t, float scale)
{
	return (drapeVec3){scale * (s - 0.5f), scale * 0.04f * sinf(waveNumber * (s - 0.5f)), scale * (0.5f - t)};
}

static float WavesDistance(drapeVec3 p, float scale)
{
	float x = waveNumber * p.x / scale, slope = 0.04f * waveNumber * cosf(x);
	return fabsf(p.y - scale * 0.04f * sinf(x)) / sqrtf(1.0f + slope * slope);
}

typedef struct Surface
{
	const char* name;
	SheetShape* shape;
	SurfaceDistance* distance;
} Surface;

static const Surface surfaces[] = {
	{"cylinder", Cylinder, CylinderDistance},
	{"ball", Ball, BallDistance},
	{"cone", Cone, ConeDistance},
	{"waves", Waves, WavesDistance},
};

enum
{
	surfaceCount = sizeof surfaces / sizeof surfaces[0],
	passLimit = 60,
};

// --- tools ----------------------------------------------------------------------------------------------------------

static const drapeScheme schemes[2] = {drape_schemeEdge, drape_schemeSqrt3};

static drapeAdaptDef AccuracyDef(drapeScheme scheme, float deviation)
{
	drapeAdaptDef def = Sheet_Plain(scheme == drape_schemeSqrt3 ? 12 : 8);
	def.scheme = scheme;
	def.joinWait = 1;
	def.accuracy = (drapeAccuracyCriterion){.enabled = true, .deviation = deviation};
	return def;
}

// A number between -1 and 1 that depends on the two others.
static float Noise(uint32_t a, uint32_t b)
{
	uint32_t x = a * 0x9e3779b9u + b * 0x85ebca6bu;
	x = (x ^ x >> 15) * 0x2c1b3c6du;
	return (float)(x >> 8 & 0xffff) / 32768.0f - 1.0f;
}

// A sheet whose inner vertices are moved by up to `jitter` of a quad.
static Sheet CreateSheet(uint32_t size, float jitter, const drapeAdaptDef* adapt)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(size, size, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		drapeVec3* p = &((drapeVec3*)mesh.positions)[i];
		bool isInner = fabsf(p->x) < 0.499f && fabsf(p->z) < 0.499f;
		p->x += isInner ? jitter * Noise(i, 1) / (float)size : 0.0f;
		p->z += isInner ? jitter * Noise(i, 2) / (float)size : 0.0f;
	}
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
	{
		drapeVec3 p = mesh.positions[mesh.triangles[i]];
		((drapeVec2*)mesh.texcoords)[mesh.texcoordTriangles[i]] = (drapeVec2){p.x + 0.5f, 0.5f - p.z};
	}
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeClothDef def = Make_SpringClothDef();
	Sheet sheet = {.world = Make_World(&worldDef)};
	def.mesh = &mesh;
	def.adapt = *adapt;
	sheet.cloth = Make_Cloth(sheet.world, &def);
	assert_true(drapeCloth_IsValid(sheet.cloth));
	drapeMesh_Free(&mesh);
	return sheet;
}

// The largest distance between the mesh and the surface, m.
static float TrueDeviation(drapeClothId cloth, const Surface* surface, float scale)
{
	const int samples = 6;
	drapeClothView view = drapeCloth_GetView(cloth);
	float largest = 0.0f;
	for (uint32_t t = 0; t < view.triangleCount; ++t)
	{
		drapeVec4 c[3];
		for (int k = 0; k < 3; ++k)
			c[k] = view.positions[view.triangles[3 * t + k]];
		for (int i = 0; i <= samples; ++i)
		{
			for (int j = 0; i + j <= samples; ++j)
			{
				float a = (float)i / (float)samples, b = (float)j / (float)samples, d = 1.0f - a - b;
				drapeVec3 p = {a * c[0].x + b * c[1].x + d * c[2].x, a * c[0].y + b * c[1].y + d * c[2].y,
				               a * c[0].z + b * c[1].z + d * c[2].z};
				largest = fmaxf(largest, surface->distance(p, scale));
			}
		}
	}
	return largest;
}

static void SettleOn(Sheet sheet, const Surface* surface, float scale)
{
	assert_true(Sheet_SetShape(sheet.cloth, surface->shape, scale));
	if (!Sheet_Settle(sheet.cloth, 4, passLimit, surface->shape, scale))
		fail_msg("%s: still changing after %d passes", surface->name, passLimit);
}

static uint32_t TriangleCount(Sheet sheet)
{
	return drapeCloth_GetView(sheet.cloth).triangleCount;
}

// --- tests ----------------------------------------------------------------------------------------------------------

static void TheMeshIsAsCloseToTheSurfaceAsAskedFor(void** state)
{
	(void)state;
	const struct
	{
		float scale, deviation, jitter;
		uint32_t size;
	} cases[] = {
		{1.0f, 0.002f, 0.0f, 8},   {1.0f, 0.002f, 0.25f, 8}, {1.0f, 0.002f, 0.25f, 12}, {1.0f, 0.0005f, 0.25f, 9},
		{0.1f, 0.0005f, 0.25f, 8}, {10.0f, 0.02f, 0.25f, 8}, {10.0f, 0.02f, 0.0f, 16},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		for (int k = 0; k < 2 * surfaceCount; ++k)
		{
			const Surface* surface = &surfaces[k / 2];
			drapeAdaptDef def = AccuracyDef(schemes[k % 2], cases[i].deviation);
			Sheet sheet = CreateSheet(cases[i].size, cases[i].jitter, &def);
			SettleOn(sheet, surface, cases[i].scale);
			float ratio = TrueDeviation(sheet.cloth, surface, cases[i].scale) / cases[i].deviation;
			if (!(ratio < 4.0f / 3.0f))
				fail_msg("%s, case %zu: the true deviation is %.2f of the length", surface->name, i, (double)ratio);
			Sheet_Destroy(&sheet);
		}
	}
}

static void TheSameSurfaceAtAnotherScaleHasTheSameMesh(void** state)
{
	(void)state;
	for (int k = 0; k < 2 * surfaceCount; ++k)
	{
		uint32_t count[2];
		for (int i = 0; i < 2; ++i)
		{
			const float scale = i == 0 ? 1.0f : 8.0f;
			drapeAdaptDef def = AccuracyDef(schemes[k % 2], 0.002f * scale);
			Sheet sheet = CreateSheet(8, 0.25f, &def);
			SettleOn(sheet, &surfaces[k / 2], scale);
			count[i] = TriangleCount(sheet);
			Sheet_Destroy(&sheet);
		}
		assert_true(count[0] > 128);
		assert_in_range(10 * count[1], 9 * count[0], 11 * count[0]);
	}
}

static void ACoarserPatternRefinesToAboutAsManyTriangles(void** state)
{
	(void)state;
	for (int k = 0; k < 2 * surfaceCount; ++k)
	{
		uint32_t least = UINT32_MAX, most = 0;
		for (uint32_t size = 8; size <= 16; size += 4)
		{
			drapeAdaptDef def = AccuracyDef(schemes[k % 2], 0.0005f);
			Sheet sheet = CreateSheet(size, 0.25f, &def);
			SettleOn(sheet, &surfaces[k / 2], 1.0f);
			least = MinU32(least, TriangleCount(sheet));
			most = MaxU32(most, TriangleCount(sheet));
			Sheet_Destroy(&sheet);
		}
		if (most > 2 * least)
			fail_msg("%s: from %u to %u triangles", surfaces[k / 2].name, least, most);
	}
}

static void TheNumberOfTrianglesGrowsLikeOneOverTheLength(void** state)
{
	(void)state;
	for (int k = 0; k < 2 * surfaceCount; ++k)
	{
		uint32_t count[2];
		for (int i = 0; i < 2; ++i)
		{
			drapeAdaptDef def = AccuracyDef(schemes[k % 2], i == 0 ? 0.001f : 0.0000625f);
			Sheet sheet = CreateSheet(8, 0.25f, &def);
			SettleOn(sheet, &surfaces[k / 2], 1.0f);
			count[i] = TriangleCount(sheet);
			Sheet_Destroy(&sheet);
		}
		double growth = (double)count[1] / (double)count[0];
		if (!(growth > 16.0 / 1.6 && growth < 16.0 * 1.6))
			fail_msg("%s: %u triangles, then %u", surfaces[k / 2].name, count[0], count[1]);
	}
}

static void FlatClothIsNeverSplit(void** state)
{
	(void)state;
	for (int k = 0; k < 2; ++k)
	{
		drapeAdaptDef def = AccuracyDef(schemes[k], 1e-5f);
		Sheet sheet = CreateSheet(8, 0.3f, &def);
		assert_int_equal(Sheet_Adapt(sheet.cloth).splits, 0);
		Sheet_Destroy(&sheet);
	}
}

static void TheEstimateOfAnArcIsFourThirdsOfItsSagitta(void** state)
{
	(void)state;
	// Radius 0.5 m and 16 edges over 2 rad. The last edges end at the boundary.
	drapeAdaptDef def = AccuracyDef(drape_schemeEdge, 1.0f);
	Sheet sheet = CreateSheet(16, 0.0f, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Cylinder, 1.0f));
	const ActiveMesh* active = &drapeCloth_Get(sheet.cloth)->active;
	BitSet boundary = {0};
	assert_true(BitSet_Reserve(&boundary, active->particleCount));
	MarkBoundary(&boundary, active);
	const float expected = 4.0f / 3.0f * 0.5f * (1.0f - cosf(1.0f / 16.0f));
	uint32_t around = 0, along = 0;
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		uint32_t from = active->edgeFrom[i], to = active->edgeTo[i];
		float deviation = Deviation_OfPair(active, &boundary, from, to);
		if (fabsf(active->position[to].z - active->position[from].z) < 1e-6f)
		{
			// Normals at the boundary see one side only.
			bool isInner = !BitSet_Get(&boundary, from) && !BitSet_Get(&boundary, to);
			if (!(deviation > (isInner ? 0.98f : 0.65f) * expected && deviation < (isInner ? 1.02f : 1.35f) * expected))
				fail_msg("%g m instead of %g m", (double)deviation, (double)expected);
			around++;
		}
		else if (fabsf(active->position[to].x - active->position[from].x) < 1e-6f)
		{
			assert_true(deviation < 1e-6f);
			along++;
		}
	}
	assert_true(around == 16 * 17 && along == 16 * 17);
	BitSet_Free(&boundary);
	Sheet_Destroy(&sheet);
}

static void EightPairsAtATimeHaveTheDeviationOfEach(void** state)
{
	(void)state;
	drapeAdaptDef def = AccuracyDef(drape_schemeEdge, 1.0f);
	Sheet sheet = CreateSheet(8, 0.25f, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Waves, 1.0f));
	const ActiveMesh* active = &drapeCloth_Get(sheet.cloth)->active;
	BitSet boundary = {0};
	assert_true(BitSet_Reserve(&boundary, active->particleCount));
	MarkBoundary(&boundary, active);
	for (uint32_t i = 0; i + 8 <= active->edgeCount; i += 8)
	{
		float lanes[8];
		F8_Store(lanes, Deviation_OfEight(active, &boundary, &active->edgeFrom[i], &active->edgeTo[i]));
		for (uint32_t k = 0; k < 8; ++k)
		{
			float one = Deviation_OfPair(active, &boundary, active->edgeFrom[i + k], active->edgeTo[i + k]);
			assert_memory_equal(&one, &lanes[k], sizeof one);
		}
	}
	BitSet_Free(&boundary);
	Sheet_Destroy(&sheet);
}

static void JoinsWaitUntilTheDeviationAfterwardsIsBelowHalf(void** state)
{
	(void)state;
	for (int k = 0; k < 2; ++k)
	{
		// Eight edges of 0.125 m and curvature 2 1/m: 4/3 * 2 * 0.125^2 / 8 = 5.2 mm.
		drapeAdaptDef def = AccuracyDef(schemes[k], 0.004f);
		Sheet sheet = CreateSheet(8, 0.0f, &def);
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 2.0f));
		assert_true(Sheet_Settle(sheet.cloth, 4, passLimit, Sheet_Cylinder, 2.0f));
		assert_true(TriangleCount(sheet) > 128);
		// Curvature 1.2 1/m: the coarse mesh deviates by 3.1 mm, less than the length and more than half of it.
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 1.2f));
		assert_true(Sheet_Settle(sheet.cloth, 4, passLimit, Sheet_Cylinder, 1.2f));
		assert_true(TriangleCount(sheet) > 128);
		// Curvature 0.3 1/m: less than half also for diagonals.
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 0.3f));
		assert_true(Sheet_Settle(sheet.cloth, 4, passLimit, Sheet_Cylinder, 0.3f));
		assert_int_equal(TriangleCount(sheet), 128);
		Sheet_Destroy(&sheet);
	}
}

static void AnUnsplitSheetBetweenHalfAndTheLengthIsLeftAlone(void** state)
{
	(void)state;
	for (int k = 0; k < 2; ++k)
	{
		drapeAdaptDef def = AccuracyDef(schemes[k], 0.004f);
		Sheet sheet = CreateSheet(8, 0.0f, &def);
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 1.1f));
		for (int pass = 0; pass < 4; ++pass)
		{
			drapeAdaptResult result = Sheet_Adapt(sheet.cloth);
			assert_true(result.splits == 0 && result.joins == 0);
		}
		Sheet_Destroy(&sheet);
	}
}

// --- the cap on triangles -------------------------------------------------------------------------------------------

static void TheCapHoldsAfterEveryPass(void** state)
{
	(void)state;
	for (int k = 0; k < 2 * surfaceCount; ++k)
	{
		const Surface* surface = &surfaces[k / 2];
		for (uint32_t cap = 131; cap < 2000; cap = 3 * cap + 1)
		{
			drapeAdaptDef def = AccuracyDef(schemes[k % 2], 0.0002f);
			def.maxTriangles = cap;
			Sheet sheet = CreateSheet(8, 0.25f, &def);
			assert_true(Sheet_SetShape(sheet.cloth, surface->shape, 1.0f));
			for (int pass = 0; pass < 40; ++pass)
			{
				Sheet_Adapt(sheet.cloth);
				assert_in_range(TriangleCount(sheet), 128, cap);
				assert_true(Sheet_SetShape(sheet.cloth, surface->shape, 1.0f));
			}
			if (10 * TriangleCount(sheet) < 9 * cap)
				fail_msg("%s, scheme %d: %u of %u triangles", surface->name, k % 2, TriangleCount(sheet), cap);
			Sheet_Destroy(&sheet);
		}
	}
}

static void ACappedClothComesToRest(void** state)
{
	(void)state;
	for (int k = 0; k < 2 * surfaceCount; ++k)
	{
		const Surface* surface = &surfaces[k / 2];
		drapeAdaptDef def = AccuracyDef(schemes[k % 2], 0.0002f);
		def.maxTriangles = 700;
		def.joinWait = 2;
		Sheet sheet = CreateSheet(8, 0.25f, &def);
		assert_true(Sheet_SetShape(sheet.cloth, surface->shape, 1.0f));
		uint32_t late = 0;
		for (int pass = 0; pass < 200; ++pass)
		{
			drapeAdaptResult result = Sheet_Adapt(sheet.cloth);
			late += pass < 150 ? 0 : result.splits + result.joins;
			assert_true(Sheet_SetShape(sheet.cloth, surface->shape, 1.0f));
		}
		if (late > 10)
			fail_msg("%s, scheme %d: %u changes in the last 50 passes", surface->name, k % 2, late);
		Sheet_Destroy(&sheet);
	}
}

static void TheMostDeviatingEdgesAreSplitFirst(void** state)
{
	(void)state;
	const Surface* waves = &surfaces[3];
	for (int k = 0; k < 2; ++k)
	{
		drapeAdaptDef def = AccuracyDef(schemes[k], 0.0002f);
		def.maxTriangles = 600;
		Sheet sheet = CreateSheet(8, 0.0f, &def);
		assert_true(Sheet_SetShape(sheet.cloth, Waves, 1.0f));
		float before = TrueDeviation(sheet.cloth, waves, 1.0f);
		for (int pass = 0; pass < 40; ++pass)
		{
			Sheet_Adapt(sheet.cloth);
			assert_true(Sheet_SetShape(sheet.cloth, Waves, 1.0f));
		}
		float after = TrueDeviation(sheet.cloth, waves, 1.0f);
		if (!(after < 0.6f * before))
			fail_msg("scheme %d: %.4f m, then %.4f m", k, (double)before, (double)after);
		Sheet_Destroy(&sheet);
	}
}

static void ALowerCapCoarsensTheCloth(void** state)
{
	(void)state;
	for (int k = 0; k < 2; ++k)
	{
		drapeAdaptDef def = AccuracyDef(schemes[k], 0.0005f);
		Sheet sheet = CreateSheet(8, 0.0f, &def);
		SettleOn(sheet, &surfaces[3], 1.0f);
		assert_true(TriangleCount(sheet) > 1000);
		def.maxTriangles = 600;
		assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &def), drape_ok);
		for (int pass = 0; pass < 40; ++pass)
		{
			Sheet_Adapt(sheet.cloth);
			assert_true(Sheet_SetShape(sheet.cloth, Waves, 1.0f));
		}
		assert_in_range(TriangleCount(sheet), 300, 600);
		Sheet_Destroy(&sheet);
	}
}

static void EditsByHandAreNotCapped(void** state)
{
	(void)state;
	for (int k = 0; k < 2; ++k)
	{
		drapeAdaptDef def = AccuracyDef(schemes[k], 0.002f);
		def.maxTriangles = 128;
		Sheet sheet = CreateSheet(8, 0.0f, &def);
		assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
		assert_true(TriangleCount(sheet) > 128);
		assert_true(Sheet_Settle(sheet.cloth, 4, passLimit, NULL, 0.0f));
		assert_int_equal(TriangleCount(sheet), 128);
		Sheet_Destroy(&sheet);
	}
}

static void TheCapHoldsForOtherCriteriaToo(void** state)
{
	(void)state;
	for (int k = 0; k < 4; ++k)
	{
		drapeAdaptDef def = AccuracyDef(schemes[k % 2], 1.0f);
		def.accuracy.enabled = false;
		def.curvature = (drapeCurvatureCriterion){.enabled = k < 2, .splitAngle = 0.02f, .joinAngle = 0.01f};
		def.meanCurvature = (drapeMeanCurvatureCriterion){k >= 2, 0.1f, 0.1f, 0.5f};
		def.maxTriangles = 333;
		Sheet sheet = CreateSheet(8, 0.25f, &def);
		assert_true(Sheet_SetShape(sheet.cloth, Ball, 1.0f));
		for (int pass = 0; pass < 20; ++pass)
		{
			Sheet_Adapt(sheet.cloth);
			assert_in_range(TriangleCount(sheet), 128, 333);
			assert_true(Sheet_SetShape(sheet.cloth, Ball, 1.0f));
		}
		assert_true(TriangleCount(sheet) > 280);
		Sheet_Destroy(&sheet);
	}
}

// --- together with others -------------------------------------------------------------------------------------------

static drapeWish SplitOnTheRight(const drapeEdgeInfo* edge, void* context)
{
	(void)context;
	return edge->from.x > 0.1f && edge->to.x > 0.1f && edge->level < 2 ? drape_wishSplit : drape_wishNone;
}

static void AProgramsOwnCriterionAddsToTheAccuracy(void** state)
{
	(void)state;
	for (int k = 0; k < 2; ++k)
	{
		drapeAdaptDef def = AccuracyDef(schemes[k], 0.002f);
		def.user.wish = SplitOnTheRight;
		Sheet sheet = CreateSheet(8, 0.0f, &def);
		assert_true(Sheet_Settle(sheet.cloth, 4, passLimit, NULL, 0.0f)); // flat: the accuracy asks for nothing
		drapeClothView view = drapeCloth_GetView(sheet.cloth);
		uint32_t left = 0, right = 0;
		for (uint32_t t = 0; t < view.triangleCount; ++t)
		{
			float x = view.positions[view.triangles[3 * t]].x;
			left += x < -0.1f && view.triangleLevels[t] > 0;
			right += x > 0.2f && view.triangleLevels[t] >= 2;
		}
		assert_int_equal(left, 0);
		assert_true(right > (k == 0 ? 400u : 60u));
		Sheet_Destroy(&sheet);
	}
}

static void ABudgetReplacesTheAccuracy(void** state)
{
	(void)state;
	drapeAdaptDef def = AccuracyDef(drape_schemeEdge, 1e-6f);
	Sheet sheet = CreateSheet(8, 0.0f, &def);
	drapeBudgetDef budget = {.triangles = 300};
	assert_int_equal(drapeCloth_SetBudget(sheet.cloth, &budget), drape_ok);
	assert_true(Sheet_SetShape(sheet.cloth, Ball, 1.0f));
	for (int pass = 0; pass < 20; ++pass)
	{
		Sheet_Adapt(sheet.cloth);
		assert_true(Sheet_SetShape(sheet.cloth, Ball, 1.0f));
	}
	assert_in_range(TriangleCount(sheet), 200, 450);
	Sheet_Destroy(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheMeshIsAsCloseToTheSurfaceAsAskedFor),
		cmocka_unit_test(TheSameSurfaceAtAnotherScaleHasTheSameMesh),
		cmocka_unit_test(ACoarserPatternRefinesToAboutAsManyTriangles),
		cmocka_unit_test(TheNumberOfTrianglesGrowsLikeOneOverTheLength),
		cmocka_unit_test(FlatClothIsNeverSplit),
		cmocka_unit_test(TheEstimateOfAnArcIsFourThirdsOfItsSagitta),
		cmocka_unit_test(EightPairsAtATimeHaveTheDeviationOfEach),
		cmocka_unit_test(JoinsWaitUntilTheDeviationAfterwardsIsBelowHalf),
		cmocka_unit_test(AnUnsplitSheetBetweenHalfAndTheLengthIsLeftAlone),
		cmocka_unit_test(TheCapHoldsAfterEveryPass),
		cmocka_unit_test(ACappedClothComesToRest),
		cmocka_unit_test(TheMostDeviatingEdgesAreSplitFirst),
		cmocka_unit_test(ALowerCapCoarsensTheCloth),
		cmocka_unit_test(EditsByHandAreNotCapped),
		cmocka_unit_test(TheCapHoldsForOtherCriteriaToo),
		cmocka_unit_test(AProgramsOwnCriterionAddsToTheAccuracy),
		cmocka_unit_test(ABudgetReplacesTheAccuracy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
