// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "adapt/sqrt3.h"
#include "mesh/geometry.h"

#include <stdio.h>
#include <string.h>

// Edits per mesh. All meshes together make a million in a plain build; sanitizers and debug checks get fewer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
enum
{
	randomEdits = 2500
};
#else
enum
{
	randomEdits = 90000
};
#endif

// --- a scheme by itself ---------------------------------------------------------------------------------------------

typedef struct Bench
{
	PatternMesh pattern;
	ActiveMesh active;
	Scheme* scheme;
	BitSet split, refine, join;
	AdaptRequest request;
	AdaptCounts counts; // of the last pass
} Bench;

static void Bench_CreateWith(Bench* bench, const drapeMesh* mesh, const drapeRestDef* rest)
{
	static drapeMeshReport report;
	*bench = (Bench){.active.density = 0.25f};
	assert_int_equal(PatternMesh_Create(&bench->pattern, mesh, rest, &report), drape_ok);
	bench->active.hasTexcoords = bench->pattern.texcoords != NULL;
	assert_int_equal(Sqrt3Scheme_Create(&bench->scheme, &bench->pattern, &bench->active), drape_ok);
	bench->request = (AdaptRequest){
		.split = &bench->split, .refine = &bench->refine, .join = &bench->join, .maxLevel = DRAPE_MAX_LEVEL};
}

static void Bench_Create(Bench* bench, const drapeMesh* mesh)
{
	drapeRestDef rest = drapeDefaultRestDef();
	Bench_CreateWith(bench, mesh, &rest);
}

static void Bench_Destroy(Bench* bench)
{
	bench->scheme->type->destroy(bench->scheme);
	ActiveMesh_Destroy(&bench->active);
	PatternMesh_Destroy(&bench->pattern);
	BitSet_Free(&bench->split);
	BitSet_Free(&bench->refine);
	BitSet_Free(&bench->join);
}

static void Bench_Check(const Bench* bench)
{
	const char* wrong = bench->scheme->type->validate(bench->scheme);
	if (wrong)
		fail_msg("%s", wrong);
}

static void ClearWishes(Bench* bench)
{
	assert_true(BitSet_Reserve(&bench->split, bench->active.edgeCount));
	assert_true(BitSet_Reserve(&bench->refine, bench->active.triangleCount));
	assert_true(BitSet_Reserve(&bench->join, bench->active.particleCount));
	BitSet_ClearAll(&bench->split, bench->split.capacity);
	BitSet_ClearAll(&bench->refine, bench->refine.capacity);
	BitSet_ClearAll(&bench->join, bench->join.capacity);
}

static uint32_t Pass(Bench* bench)
{
	assert_int_equal(bench->scheme->type->adapt(bench->scheme, &bench->request, &bench->counts), drape_ok);
	return bench->counts.splits + bench->counts.joins;
}

static uint32_t RefineAll(Bench* bench)
{
	ClearWishes(bench);
	for (uint32_t i = 0; i < bench->active.triangleCount; ++i)
		BitSet_Set(&bench->refine, i);
	return Pass(bench);
}

static uint32_t CoarsenAll(Bench* bench)
{
	ClearWishes(bench);
	for (uint32_t i = 0; i < bench->active.particleCount; ++i)
		BitSet_Set(&bench->join, i);
	return Pass(bench);
}

// Thirds go in pairs, so both are asked.
static void AskToGo(Bench* bench, uint32_t particle)
{
	uint32_t twin = ((const Sqrt3Scheme*)bench->scheme)->births.data[particle].twin;
	BitSet_Set(&bench->join, particle);
	if (twin != DRAPE_NONE)
		BitSet_Set(&bench->join, twin);
}

static uint32_t RandomPass(Bench* bench, Random* random, uint32_t edits, float splitChance)
{
	ClearWishes(bench);
	for (uint32_t i = 0; i < edits; ++i)
	{
		if (Random_Float(random) >= splitChance)
			AskToGo(bench, Random_Below(random, bench->active.particleCount));
		else if (Random_Below(random, 2))
			BitSet_Set(&bench->split, Random_Below(random, bench->active.edgeCount));
		else
			BitSet_Set(&bench->refine, Random_Below(random, bench->active.triangleCount));
	}
	return Pass(bench);
}

// The least angle of any triangle at rest, degrees.
static double LeastAngle(const ActiveMesh* active)
{
	double least = 180.0;
	for (uint32_t t = 0; t < active->triangleCount; ++t)
	{
		const Vec2* corner = active->material[t].corner;
		for (int k = 0; k < 3; ++k)
		{
			Double2 a = D2Between(corner[k], corner[(k + 1) % 3]), b = D2Between(corner[k], corner[(k + 2) % 3]);
			least = fmin(least, atan2(D2Cross(a, b), D2Dot(a, b)) * (180.0 / 3.14159265358979323846));
		}
	}
	return least;
}

static void CoarsenToPattern(Bench* bench, uint64_t patternHash)
{
	for (int i = 0; i < 3 * DRAPE_MAX_LEVEL && bench->active.particleCount > bench->pattern.vertexCount; ++i)
	{
		CoarsenAll(bench);
		Bench_Check(bench);
	}
	assert_int_equal(bench->active.particleCount, bench->pattern.vertexCount);
	assert_int_equal(bench->active.triangleCount, bench->pattern.triangleCount);
	assert_int_equal(bench->active.edgeCount, bench->pattern.edgeCount);
	// Velocities pass through particles that come and go; all else is what it was.
	for (uint32_t i = 0; i < bench->active.particleCount; ++i)
		bench->active.velocity[i] = (Vec4){0.0f, 0.0f, 0.0f, bench->active.velocity[i].w};
	assert_true(ActiveMesh_Hash(&bench->active) == patternHash);
}

// --- uniform refinement ---------------------------------------------------------------------------------------------

static void SixGenerationsMakeTwentySevenOfOne(void** state)
{
	(void)state;
	for (int i = 0; i < rigMeshCount; ++i)
	{
		drapeMesh mesh = Rig_Mesh(i);
		Bench bench;
		Bench_Create(&bench, &mesh);
		bench.request.maxLevel = 6;
		uint64_t hash = ActiveMesh_Hash(&bench.active);
		double before = LeastAngle(&bench.active);
		uint32_t factor = 1;
		for (int step = 0; step < 3; ++step)
		{
			assert_true(RefineAll(&bench) > 0);
			Bench_Check(&bench);
			factor *= 3;
			// Counts between whole splits depend on the boundary, which takes two steps.
			if (step == 0)
				assert_int_equal(bench.active.triangleCount, factor * mesh.triangleCount);
			for (uint32_t t = 0; t < bench.active.triangleCount; ++t)
				assert_int_equal(bench.active.triangleLevel[t], 2 * (step + 1));
		}
		assert_int_equal(bench.active.triangleCount, 27 * mesh.triangleCount);
		assert_int_equal(RefineAll(&bench), 0);
		printf("mesh %d: least angle %.1f at rest, %.1f after six generations\n", i, before, LeastAngle(&bench.active));
		CoarsenToPattern(&bench, hash);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// --- random edits ---------------------------------------------------------------------------------------------------

static void AMillionRandomEditsKeepEveryInvariant(void** state)
{
	(void)state;
	uint64_t total = 0;
	for (int i = 0; i < rigMeshCount; ++i)
	{
		drapeMesh mesh = Rig_Mesh(i);
		Bench bench;
		Bench_Create(&bench, &mesh);
		bench.request.maxLevel = i % 2 ? 8 : 6;
		uint64_t hash = ActiveMesh_Hash(&bench.active);
		Random random = Random_Seed(100 + (uint64_t)i, 1);
		double patternAngle = LeastAngle(&bench.active), least = patternAngle;
		uint32_t done = 0, nextCheck = 0, most = 0;
		while (done < randomEdits)
		{
			// The mesh breathes: it grows for a while, then shrinks. Most passes are small, some are large.
			float splitChance = done / 1500 % 2 ? 0.05f : 0.6f;
			uint32_t edits = Random_Below(&random, 20) ? 1 + Random_Below(&random, 8) : 200;
			done += RandomPass(&bench, &random, edits, splitChance);
			most = MaxU32(most, bench.active.triangleCount);
			if (done >= nextCheck)
			{
				Bench_Check(&bench);
				least = fmin(least, LeastAngle(&bench.active));
				nextCheck = done + 500;
			}
		}
		Bench_Check(&bench);
		total += done;
		printf("mesh %d: least angle %.1f degrees in the pattern, %.1f in all edits; up to %u triangles\n", i,
		       patternAngle, least, most);
		CoarsenToPattern(&bench, hash);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_true(total >= 1000000);
#else
	(void)total;
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(SixGenerationsMakeTwentySevenOfOne),
		cmocka_unit_test(AMillionRandomEditsKeepEveryInvariant),
	};
	return cmocka_run_group_tests_name("sqrt3", tests, NULL, NULL);
}
