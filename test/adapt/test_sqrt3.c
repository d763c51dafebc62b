// SPDX-License-Identifier: MIT
#include "edits.h"
#include "meshes.h"
#include "rig.h"

#include "adapt/sqrt3.h"

#include <stdio.h>
#include <string.h>

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
	assert_int_equal(drapePatternMesh_Create(&bench->pattern, mesh, rest, &report), drape_ok);
	bench->active.hasTexcoords = bench->pattern.texcoords != NULL;
	assert_int_equal(drapeSqrt3Scheme_Create(&bench->scheme, &bench->pattern, &bench->active), drape_ok);
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
	drapeActiveMesh_Destroy(&bench->active);
	drapePatternMesh_Destroy(&bench->pattern);
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
	assert_true(drapeActiveMesh_Hash(&bench->active) == patternHash);
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
		uint64_t hash = drapeActiveMesh_Hash(&bench.active);
		double before = Rig_LeastAngle(&bench.active);
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
		printf("mesh %d: least angle %.1f at rest, %.1f after six generations\n", i, before,
		       Rig_LeastAngle(&bench.active));
		CoarsenToPattern(&bench, hash);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// --- random edits ---------------------------------------------------------------------------------------------------

static uint32_t PassOf(void* bench, Random* random, uint32_t edits, float splitChance)
{
	return RandomPass(bench, random, edits, splitChance);
}

static void CheckOf(const void* bench)
{
	Bench_Check(bench);
}

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
		uint64_t hash = drapeActiveMesh_Hash(&bench.active);
		Random random = Random_Seed(100 + (uint64_t)i, 1);
		EditSummary summary =
			Edits_Breathe(&(EditedMesh){&bench, &bench.active, PassOf, CheckOf, 0.6f, 0.05f}, &random);
		total += summary.done;
		printf("mesh %d: least angle %.1f degrees in the pattern, %.1f in all edits; up to %u triangles\n", i,
		       summary.patternAngle, summary.leastAngle, summary.mostTriangles);
		assert_true(summary.leastAngle > 0.33 * summary.patternAngle);
		CoarsenToPattern(&bench, hash);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
	assert_true(total >= editsInAll);
}

// --- shape ----------------------------------------------------------------------------------------------------------

static bool IsMultiple(double value, double of)
{
	double steps = value / of;
	return fabs(steps - round(steps)) < 1e-4;
}

static void FourGenerationsCutTheBoundaryInThirds(void** state)
{
	(void)state;
	for (uint32_t columns = 1; columns < 4; ++columns)
	{
		drapeMesh mesh = TestMesh_Grid(columns, 2, (float)columns, 2.0f, 0.3f, 3);
		Bench bench;
		Bench_Create(&bench, &mesh);
		uint32_t sides = 2 * (columns + 2), onBoundary = 0;
		bench.request.maxLevel = 4;
		RefineAll(&bench);
		for (uint32_t e = 0; e < bench.active.edgeCount; ++e)
			onBoundary += (bench.active.edgeFlags[e] & drape_edgeBoundary) != 0;
		assert_int_equal(onBoundary, sides); // the first step leaves the boundary alone
		RefineAll(&bench);
		onBoundary = 0;
		for (uint32_t e = 0; e < bench.active.edgeCount; ++e)
		{
			if (!(bench.active.edgeFlags[e] & drape_edgeBoundary))
				continue;
			Vec4 from = bench.active.position[bench.active.edgeFrom[e]];
			assert_true(IsMultiple((double)from.x, 1.0 / 3.0) && IsMultiple((double)from.y, 1.0 / 3.0));
			assert_true(fabsf(bench.active.restLength[e] - 1.0f / 3.0f) < 1e-5f);
			onBoundary++;
		}
		assert_int_equal(onBoundary, 3 * sides);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// Nothing is smoothed: what is flat and at rest stays so, to the last bit across the plane.
static void FlatClothAtRestStaysAtRest(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(5, 4, 1.3f, 1.0f, 0.3f, 9);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		TestMesh_Positions(&mesh)[i].z = 0.1f;
	Bench bench;
	Bench_Create(&bench, &mesh);
	bench.request.maxLevel = 8;
	Random random = Random_Seed(4, 4);
	for (int pass = 0; pass < 60; ++pass)
	{
		RandomPass(&bench, &random, 40, pass / 10 % 2 ? 0.1f : 0.7f);
		const ActiveMesh* active = &bench.active;
		for (uint32_t i = 0; i < active->particleCount; ++i)
			assert_true(active->position[i].z == 0.1f);
		for (uint32_t e = 0; e < active->edgeCount; ++e)
		{
			Vec3 d = V3Sub(V4Xyz(active->position[active->edgeFrom[e]]), V4Xyz(active->position[active->edgeTo[e]]));
			assert_true(fabsf(V3Length(d) - active->restLength[e]) < 1e-6f);
		}
	}
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

// --- edges that must not be flipped ---------------------------------------------------------------------------------

// A sheet whose right half, beyond x = 1, has texture coordinates of its own: shifted, or twice as high.
static drapeMesh TwoPieces(float shift, float height)
{
	drapeMesh mesh = TestMesh_Grid(4, 3, 2.0f, 1.0f, 0.0f, 5);
	uint32_t corners = 3 * mesh.triangleCount;
	drapeVec2* texcoords = malloc(corners * sizeof *texcoords);
	uint32_t* names = malloc(corners * sizeof *names);
	for (uint32_t t = 0; t < mesh.triangleCount; ++t)
	{
		const uint32_t* corner = mesh.triangles + 3 * t;
		float middle = 0.0f;
		for (int k = 0; k < 3; ++k)
			middle += mesh.positions[corner[k]].x / 3.0f;
		for (uint32_t k = 0; k < 3; ++k)
		{
			drapeVec3 p = mesh.positions[corner[k]];
			bool isRight = middle > 1.0f;
			names[3 * t + k] = 3 * t + k;
			texcoords[3 * t + k] = (drapeVec2){p.x + (isRight ? shift : 0.0f), p.y * (isRight ? height : 1.0f)};
		}
	}
	mesh.texcoords = texcoords;
	mesh.texcoordCount = corners;
	mesh.texcoordTriangles = names;
	return mesh;
}

static void AssertNothingCrosses(const ActiveMesh* active, float x)
{
	for (uint32_t e = 0; e < active->edgeCount; ++e)
	{
		float a = active->position[active->edgeFrom[e]].x - x, b = active->position[active->edgeTo[e]].x - x;
		assert_true(a * b > -1e-9f);
	}
}

static void SeamsAndCreasesAreNeverFlipped(void** state)
{
	(void)state;
	for (int kind = 0; kind < 2; ++kind)
	{
		drapeMesh mesh = kind == 0 ? TwoPieces(7.0f, 1.0f) : TwoPieces(0.0f, 2.0f);
		drapeRestDef rest = drapeDefaultRestDef();
		if (kind == 1)
			rest = (drapeRestDef){.source = drape_restTexcoord, .metresPerUnit = 1.0f};
		Bench bench;
		Bench_CreateWith(&bench, &mesh, &rest);
		uint64_t hash = drapeActiveMesh_Hash(&bench.active);
		uint32_t creases = 0, seams = 0;
		for (uint32_t e = 0; e < bench.active.edgeCount; ++e)
		{
			creases += (bench.active.edgeFlags[e] & drape_edgeCrease) != 0;
			seams += (bench.active.edgeFlags[e] & drape_edgeSeam) != 0;
		}
		assert_int_equal(creases, 3);
		assert_int_equal(seams, kind == 0 ? 0 : 3);
		bench.request.maxLevel = 8;
		Random random = Random_Seed(6, (uint64_t)kind);
		for (int pass = 0; pass < 300; ++pass)
		{
			RandomPass(&bench, &random, 20, pass / 30 % 2 ? 0.05f : 0.6f);
			AssertNothingCrosses(&bench.active, 1.0f);
			if (pass % 10 == 0)
				Bench_Check(&bench);
		}
		CoarsenToPattern(&bench, hash);
		bench.request.maxLevel = 6;
		for (int step = 0; step < 3; ++step)
			RefineAll(&bench);
		Bench_Check(&bench);
		AssertNothingCrosses(&bench.active, 1.0f);
		assert_int_equal(bench.active.triangleCount, 27 * mesh.triangleCount);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// --- mass and momentum ----------------------------------------------------------------------------------------------

static void MassAreaAndMomentumOutliveRandomEdits(void** state)
{
	(void)state;
	for (int i = 0; i < rigMeshCount; ++i)
	{
		drapeMesh mesh = Rig_Mesh(i);
		Bench bench;
		Bench_Create(&bench, &mesh);
		bench.request.maxLevel = 6;
		Random random = Random_Seed(17, (uint64_t)i);
		Edits_KeepMassAndMomentum(&(EditedMesh){&bench, &bench.active, PassOf, CheckOf, 0.6f, 0.1f}, &random, 4e-6);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// --- who follows ----------------------------------------------------------------------------------------------------

// Somebody who keeps a number per particle, and follows the log, still has the right number for each.
static void TheChangeLogCarriesDataAlong(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(2);
	Bench bench;
	Bench_Create(&bench, &mesh);
	bench.request.maxLevel = 8;
	Random random = Random_Seed(9, 9);
	uint32_t* kept = malloc(100000 * sizeof *kept);
	for (uint32_t i = 0; i < bench.active.particleCount; ++i)
		kept[i] = bench.active.vertexId[i];
	uint32_t count = bench.active.particleCount, moves = 0;
	for (int pass = 0; pass < 500; ++pass)
	{
		uint32_t revision = bench.active.revision;
		RandomPass(&bench, &random, 1 + Random_Below(&random, 40), pass / 25 % 2 ? 0.05f : 0.6f);
		if (bench.active.revision == revision)
			continue;
		const ChangeLog* log = &bench.active.log;
		assert_int_equal(bench.active.particleCount, count + log->created.count - log->removed.count);
		for (uint32_t i = 0; i < log->moved.count; ++i)
			kept[log->moved.data[i].to] = kept[log->moved.data[i].from];
		for (uint32_t i = 0; i < log->created.count; ++i)
			kept[log->created.data[i]] = bench.active.vertexId[log->created.data[i]];
		moves += log->moved.count;
		count = bench.active.particleCount;
		assert_true(count < 100000);
		assert_memory_equal(kept, bench.active.vertexId, count * sizeof *kept);
		for (uint32_t i = 0; i < count; ++i)
			assert_int_equal(bench.scheme->type->particleOf(bench.scheme, bench.active.vertexId[i]), i);
	}
	assert_true(moves > 100);
	free(kept);
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

static void* CopyOf(const void* data, size_t size)
{
	void* copy = malloc(size);
	assert_non_null(copy);
	return memcpy(copy, data, size);
}

// What the log does not name is as it was.
static void UntouchedElementsAreUnchanged(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(3);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	Bench bench;
	Bench_Create(&bench, &mesh);
	bench.request.maxLevel = 6;
	Random random = Random_Seed(21, 3);
	ActiveMesh* active = &bench.active;
	uint32_t untouched = 0;
	for (int pass = 0; pass < 200; ++pass)
	{
		uint32_t triangles = active->triangleCount, edges = active->edgeCount, revision = active->revision;
		uint32_t(*corner)[3] = CopyOf(active->triangle, triangles * sizeof *corner);
		TriangleMaterial* material = CopyOf(active->material, triangles * sizeof *material);
		TriangleMaterial* texcoord = CopyOf(active->texcoord, triangles * sizeof *texcoord);
		uint8_t* level = CopyOf(active->triangleLevel, triangles);
		uint32_t* from = CopyOf(active->edgeFrom, edges * sizeof *from);
		uint32_t* to = CopyOf(active->edgeTo, edges * sizeof *to);
		EdgeWings* wings = CopyOf(active->wings, edges * sizeof *wings);
		float* rest = CopyOf(active->restLength, edges * sizeof *rest);
		RandomPass(&bench, &random, 1 + Random_Below(&random, 20), pass / 20 % 2 ? 0.05f : 0.6f);
		bool changed = active->revision != revision;
		for (uint32_t t = 0; t < MinU32(triangles, active->triangleCount); ++t)
		{
			if (changed && BitSet_Get(&active->log.trianglesTouched, t))
				continue;
			untouched++;
			assert_memory_equal(active->triangle[t], corner[t], sizeof *corner);
			assert_memory_equal(&active->material[t], &material[t], sizeof *material);
			assert_memory_equal(&active->texcoord[t], &texcoord[t], sizeof *texcoord);
			assert_int_equal(active->triangleLevel[t], level[t]);
		}
		for (uint32_t e = 0; e < MinU32(edges, active->edgeCount); ++e)
		{
			if (changed && BitSet_Get(&active->log.edgesTouched, e))
				continue;
			assert_true(active->edgeFrom[e] == from[e] && active->edgeTo[e] == to[e] &&
			            active->restLength[e] == rest[e]);
			assert_memory_equal(&active->wings[e], &wings[e], sizeof *wings);
		}
		free(corner);
		free(material);
		free(texcoord);
		free(level);
		free(from);
		free(to);
		free(wings);
		free(rest);
	}
	assert_true(untouched > 10000);
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

// --- rules ----------------------------------------------------------------------------------------------------------

static void APinnedParticleStays(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(1);
	Bench bench;
	Bench_Create(&bench, &mesh);
	bench.request.maxLevel = 4;
	RefineAll(&bench);
	uint32_t name = bench.active.vertexId[mesh.vertexCount + 5];
	uint32_t particle = mesh.vertexCount + 5;
	bench.active.particleFlags[particle] |= drape_particlePinned;
	drapeActiveMesh_UpdateMass(&bench.active, particle);
	for (int pass = 0; pass < 6; ++pass)
	{
		CoarsenAll(&bench);
		Bench_Check(&bench);
	}
	assert_int_equal(bench.active.particleCount, mesh.vertexCount + 1);
	particle = bench.scheme->type->particleOf(bench.scheme, name);
	assert_true(bench.active.particleFlags[particle] & drape_particlePinned);
	bench.active.particleFlags[particle] = 0;
	CoarsenAll(&bench);
	assert_int_equal(bench.active.particleCount, mesh.vertexCount);
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

static void APassCoarsensAPlaceByOneLevelOnly(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(1);
	Bench bench;
	Bench_Create(&bench, &mesh);
	bench.request.maxLevel = 8;
	for (int step = 0; step < 4; ++step)
		RefineAll(&bench);
	for (uint32_t level = 8; level > 0; level -= 2)
	{
		CoarsenAll(&bench);
		Bench_Check(&bench);
		for (uint32_t t = 0; t < bench.active.triangleCount; ++t)
			assert_int_equal(bench.active.triangleLevel[t], level - 2);
	}
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

// One triangle alone can be taken as deep as the scheme goes, and drags along only what it must.
static void TheDeepestGenerationIsReached(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(2);
	Bench bench;
	Bench_Create(&bench, &mesh);
	uint64_t hash = drapeActiveMesh_Hash(&bench.active);
	for (int pass = 0; pass < 3 * DRAPE_MAX_LEVEL; ++pass)
	{
		ClearWishes(&bench);
		BitSet_Set(&bench.refine, 20);
		Pass(&bench);
		Bench_Check(&bench);
	}
	uint32_t deepest = 0;
	for (uint32_t t = 0; t < bench.active.triangleCount; ++t)
		deepest = MaxU32(deepest, bench.active.triangleLevel[t]);
	assert_int_equal(deepest, DRAPE_MAX_LEVEL);
	assert_true(bench.active.triangleCount < 10 * mesh.triangleCount);
	CoarsenToPattern(&bench, hash);
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

static void AnOddMaximumIsAsGoodAsTheEvenOneBelow(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(1);
	for (uint8_t most = 0; most < 6; ++most)
	{
		Bench bench;
		Bench_Create(&bench, &mesh);
		bench.request.maxLevel = most;
		for (int pass = 0; pass < 6; ++pass)
			RefineAll(&bench);
		for (uint32_t t = 0; t < bench.active.triangleCount; ++t)
			assert_int_equal(bench.active.triangleLevel[t], most & ~1);
		Bench_Destroy(&bench);
	}
	TestMesh_Free(&mesh);
}

// --- what is in the way ---------------------------------------------------------------------------------------------

typedef struct Obstacle
{
	bool refusesFlips, refusesJoins;
	float from; // m: refuses what reaches beyond this x
	uint32_t flips, joins;
} Obstacle;

static bool IsFree(const SurfaceSweep* sweep, void* context)
{
	Obstacle* obstacle = context;
	float x = 0.0f;
	for (int k = 0; k < 4; ++k)
		x = fmaxf(x, sweep->corner[k].x);
	obstacle->flips += sweep->isFlip;
	obstacle->joins += !sweep->isFlip;
	return x < obstacle->from || !(sweep->isFlip ? obstacle->refusesFlips : obstacle->refusesJoins);
}

static void RefusedFlipsWaitAndAreTriedAgain(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.1f, 2);
	Bench bench;
	Bench_Create(&bench, &mesh);
	uint64_t hash = drapeActiveMesh_Hash(&bench.active);
	Obstacle obstacle = {.refusesFlips = true, .from = 0.5f};
	bench.request.maxLevel = 4;
	bench.request.isFree = IsFree;
	bench.request.isFreeContext = &obstacle;
	for (int pass = 0; pass < 5; ++pass)
	{
		RefineAll(&bench);
		Bench_Check(&bench);
	}
	uint32_t stuck = 0, done = 0;
	for (uint32_t t = 0; t < bench.active.triangleCount; ++t)
	{
		stuck += bench.active.triangleLevel[t] == 1;
		done += bench.active.triangleLevel[t] == 4;
	}
	assert_true(stuck > 20 && done > 20 && bench.counts.splitsBlocked > 0);
	obstacle.refusesFlips = false;
	for (int pass = 0; pass < 5; ++pass)
	{
		RefineAll(&bench);
		Bench_Check(&bench);
	}
	assert_int_equal(bench.active.triangleCount, 9 * mesh.triangleCount);

	// The way back asks too: nothing goes while flips cannot be undone, and nothing while joins are refused.
	obstacle = (Obstacle){.refusesFlips = true, .from = 0.0f};
	while (CoarsenAll(&bench) > 0)
		Bench_Check(&bench);
	assert_true(bench.active.triangleCount > 3 * mesh.triangleCount);
	obstacle = (Obstacle){.refusesJoins = true, .from = 0.0f};
	assert_int_equal(CoarsenAll(&bench), 0);
	assert_true(bench.counts.joinsBlocked > 0 && obstacle.joins > 0);
	bench.request.isFree = NULL;
	CoarsenToPattern(&bench, hash);
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

static void RandomRefusalsLeaveAWholeMesh(void** state)
{
	(void)state;
	for (int i = 0; i < rigMeshCount; ++i)
	{
		drapeMesh mesh = Rig_Mesh(i);
		Bench bench;
		Bench_Create(&bench, &mesh);
		uint64_t hash = drapeActiveMesh_Hash(&bench.active);
		Random random = Random_Seed(3, (uint64_t)i);
		Obstacle obstacle = {0};
		bench.request.maxLevel = 8;
		bench.request.isFree = IsFree;
		bench.request.isFreeContext = &obstacle;
		for (int pass = 0; pass < 150; ++pass)
		{
			obstacle.refusesFlips = Random_Below(&random, 2);
			obstacle.refusesJoins = Random_Below(&random, 2);
			obstacle.from = Random_Range(&random, -1.0f, 1.0f);
			RandomPass(&bench, &random, 1 + Random_Below(&random, 30), pass / 15 % 2 ? 0.1f : 0.6f);
			Bench_Check(&bench);
		}
		bench.request.isFree = NULL;
		CoarsenToPattern(&bench, hash);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// --- the proof itself -----------------------------------------------------------------------------------------------

static void EveryBrokenNumberIsFound(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(1);
	Bench bench;
	Bench_Create(&bench, &mesh);
	bench.request.maxLevel = 4;
	RefineAll(&bench);
	ClearWishes(&bench);
	for (uint32_t t = 0; t < bench.active.triangleCount; t += 9)
		BitSet_Set(&bench.refine, t);
	Pass(&bench);
	Bench_Check(&bench);
	Sqrt3Scheme* scheme = (Sqrt3Scheme*)bench.scheme;
	uint32_t odd = 0, centre = mesh.vertexCount, third = mesh.vertexCount, inner = 0;
	while (bench.active.triangleLevel[odd] % 2 == 0)
		odd++;
	while (scheme->births.data[third].twin == DRAPE_NONE)
		third++;
	while (bench.active.edgeFlags[inner] != 0)
		inner++;
	uint8_t* const broken[] = {
		(uint8_t*)&scheme->triangles.data[odd].word,
		(uint8_t*)&scheme->triangles.data[odd].word + 1,
		(uint8_t*)&scheme->triangles.data[odd].edge[0],
		(uint8_t*)&scheme->triangles.data[3].edge[2],
		(uint8_t*)&scheme->triangles.data[5].share,
		(uint8_t*)&scheme->births.data[centre].triangle,
		(uint8_t*)&scheme->births.data[centre].twin,
		(uint8_t*)&scheme->births.data[third].twin,
		(uint8_t*)&bench.active.material[odd].corner[2],
		(uint8_t*)&bench.active.area[odd],
		(uint8_t*)&scheme->particleOf.data[2],
		(uint8_t*)&bench.active.vertexId[4],
		&bench.active.triangleLevel[odd],
		&bench.active.edgeLevel[2],
		(uint8_t*)&bench.active.share[1],
		&bench.active.level[centre],
		(uint8_t*)&scheme->names.used,
	};
	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; ++i)
	{
		*broken[i] ^= 1;
		if (!bench.scheme->type->validate(bench.scheme))
			fail_msg("broken number %zu is not found", i);
		*broken[i] ^= 1;
		Bench_Check(&bench);
	}
	bench.active.edgeFlags[inner] = drape_edgeKept;
	assert_non_null(bench.scheme->type->validate(bench.scheme));
	bench.active.edgeFlags[inner] = 0;
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

// --- memory ---------------------------------------------------------------------------------------------------------

static void AnyAllocationMayFailAndNothingIsChanged(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.2f, 1);
	drapeRestDef rest = drapeDefaultRestDef();
	static drapeMeshReport report;
	uint32_t noticed = 0;
	for (size_t number = 1; number < 120; ++number)
	{
		Bench bench = {.active.density = 0.25f};
		assert_int_equal(drapePatternMesh_Create(&bench.pattern, &mesh, &rest, &report), drape_ok);
		bench.request = (AdaptRequest){
			.split = &bench.split, .refine = &bench.refine, .join = &bench.join, .maxLevel = DRAPE_MAX_LEVEL};
		drapeActiveMesh_Destroy(&bench.active);
		bench.active.density = 0.25f;
		Test_FailAllocation(number, false);
		drapeResult result = drapeSqrt3Scheme_Create(&bench.scheme, &bench.pattern, &bench.active);
		Random random = Random_Seed(5, 1);
		for (int pass = 0; result == drape_ok && pass < 12; ++pass)
		{
			if (!BitSet_Reserve(&bench.split, bench.active.edgeCount) ||
			    !BitSet_Reserve(&bench.refine, bench.active.triangleCount) ||
			    !BitSet_Reserve(&bench.join, bench.active.particleCount))
				continue;
			ClearWishes(&bench);
			for (uint32_t t = 0; t < bench.active.triangleCount; ++t)
			{
				if (Random_Below(&random, 3) == 0)
					BitSet_Set(&bench.refine, t);
			}
			for (uint32_t i = 0; i < bench.active.particleCount; ++i)
			{
				if (pass > 6)
					BitSet_Set(&bench.join, i);
			}
			uint64_t before = drapeActiveMesh_Hash(&bench.active);
			uint32_t revision = bench.active.revision;
			if (bench.scheme->type->adapt(bench.scheme, &bench.request, &bench.counts) == drape_errorMemory)
			{
				noticed++;
				assert_true(drapeActiveMesh_Hash(&bench.active) == before && bench.active.revision == revision);
			}
			Bench_Check(&bench);
		}
		noticed += result != drape_ok;
		assert_true((result == drape_ok) == (bench.scheme != NULL));
		if (bench.scheme)
			bench.scheme->type->destroy(bench.scheme);
		drapeActiveMesh_Destroy(&bench.active);
		BitSet_Free(&bench.split);
		BitSet_Free(&bench.refine);
		BitSet_Free(&bench.join);
		Test_FailAllocation(0, false);
		drapePatternMesh_Destroy(&bench.pattern);
	}
	assert_true(noticed > 50);
	TestMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(SixGenerationsMakeTwentySevenOfOne),
		cmocka_unit_test(FourGenerationsCutTheBoundaryInThirds),
		cmocka_unit_test(FlatClothAtRestStaysAtRest),
		cmocka_unit_test(AMillionRandomEditsKeepEveryInvariant),
		cmocka_unit_test(SeamsAndCreasesAreNeverFlipped),
		cmocka_unit_test(MassAreaAndMomentumOutliveRandomEdits),
		cmocka_unit_test(TheChangeLogCarriesDataAlong),
		cmocka_unit_test(UntouchedElementsAreUnchanged),
		cmocka_unit_test(APinnedParticleStays),
		cmocka_unit_test(APassCoarsensAPlaceByOneLevelOnly),
		cmocka_unit_test(TheDeepestGenerationIsReached),
		cmocka_unit_test(AnOddMaximumIsAsGoodAsTheEvenOneBelow),
		cmocka_unit_test(RefusedFlipsWaitAndAreTriedAgain),
		cmocka_unit_test(RandomRefusalsLeaveAWholeMesh),
		cmocka_unit_test(EveryBrokenNumberIsFound),
		cmocka_unit_test(AnyAllocationMayFailAndNothingIsChanged),
	};
	return cmocka_run_group_tests_name("sqrt3", tests, NULL, NULL);
}
