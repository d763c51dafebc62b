// SPDX-License-Identifier: MIT
#include "rig.h"

#include "mesh/geometry.h"
#include "meshes.h"
#include "solve/implicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a solver builds for a mesh is a function of that mesh: one that has followed it through changes has, bit for
// bit, what one has that never saw another.

typedef struct Follower
{
	Model model;
	ImplicitSolver solver;
	TaskPool* tasks;
} Follower;

static drapeMaterial Material(void)
{
	drapeMaterial material = drapeDefaultMaterial();
	material.bendWarp = 2e-4f;
	material.bendWeft = 1e-4f;
	material.bendBias = 3e-4f;
	return material;
}

typedef struct Kind
{
	drapeModel model;
	drapeBending bending;
} Kind;

static const Kind fem = {drape_modelFem, drape_bendElements};

static const Kind kinds[] = {
	{drape_modelFem, drape_bendElements},
	{drape_modelSprings, drape_bendElements},
	{drape_modelSprings, drape_bendSprings},
	{drape_modelSprings, drape_bendNone},
};

enum
{
	kindCount = sizeof kinds / sizeof kinds[0],
};

static void Follower_Create(Follower* follower, const Rig* rig, uint32_t workers, Kind kind)
{
	drapeMaterial material = Material();
	follower->tasks = drapeTaskPool_Create(workers, NULL, NULL, NULL);
	drapeSpringDef springs = drapeDefaultSpringDef();
	springs.bending = kind.bending;
	drapeModel_Init(&follower->model, kind.model, &material, &springs);
	follower->model.usesElements = true;
	assert_true(drapeImplicitSolver_Init(&follower->solver, &rig->pattern));
}

static void Follower_Destroy(Follower* follower)
{
	drapeImplicitSolver_Destroy(&follower->solver);
	drapeModel_Destroy(&follower->model);
	drapeTaskPool_Destroy(follower->tasks);
}

static bool Follow(Follower* follower, const ActiveMesh* mesh)
{
	return drapeModel_Follow(&follower->model, mesh, follower->tasks) &&
	       drapeImplicitSolver_Follow(&follower->solver, mesh, &follower->model, follower->tasks);
}

// --- the same bits --------------------------------------------------------------------------------------------------

#define ASSERT_SAME(a, b, count)                                                                                       \
	do                                                                                                                 \
	{                                                                                                                  \
		if ((count) > 0)                                                                                               \
			assert_memory_equal((a).data, (b).data, (count) * sizeof *(a).data);                                       \
	} while (0)

static void AssertSameSum(const QuadraticSum* a, const QuadraticSum* b)
{
	assert_int_equal(a->lists.count, b->lists.count);
	assert_int_equal(a->partnersInUse, b->partnersInUse);
	for (uint32_t i = 0; i < a->lists.count; ++i)
	{
		const QuadraticList *one = &a->lists.data[i], *other = &b->lists.data[i];
		assert_int_equal(one->count, other->count);
		assert_int_equal(one->ringCount, other->ringCount);
		assert_true(one->diagonal == other->diagonal);
		if (one->count > 0)
			assert_memory_equal(a->partners.data + one->start, b->partners.data + other->start,
			                    one->count * sizeof(QuadraticPartner));
	}
}

static void AssertSameHierarchy(const Hierarchy* a, const Hierarchy* b)
{
	assert_int_equal(a->levelCount, b->levelCount);
	assert_int_equal(a->rowCount, b->rowCount);
	ASSERT_SAME(a->rowOf, b->rowOf, a->rowCount);
	ASSERT_SAME(a->particleOf, b->particleOf, BlockMatrix_PaddedRows(a->rowCount));
	for (uint32_t k = 1; k < a->levelCount; ++k)
	{
		const HierarchyLevel *one = &a->levels[k], *other = &b->levels[k];
		assert_true(one->rowCount == other->rowCount && one->coarser == other->coarser);
		ASSERT_SAME(one->parents, other->parents, one->rowCount - one->coarser);
		ASSERT_SAME(one->childStart, other->childStart, one->coarser + 1);
		ASSERT_SAME(one->children, other->children, one->childStart.data[one->coarser]);
	}
}

static void AssertSameMatrix(const BlockMatrix* a, const BlockMatrix* b)
{
	assert_true(a->rowCount == b->rowCount && a->edgeCount == b->edgeCount && a->coarser == b->coarser);
	uint32_t groups = a->groupCount, edges = a->edgeCount, rows = a->rowCount;
	ASSERT_SAME(a->ends, b->ends, edges);
	ASSERT_SAME(a->upperStart, b->upperStart, rows + 1);
	ASSERT_SAME(a->lowerStart, b->lowerStart, rows + 1);
	ASSERT_SAME(a->lowers, b->lowers, edges);
	ASSERT_SAME(a->edgeQuadratic, b->edgeQuadratic, edges);
	ASSERT_SAME(a->edgeLump, b->edgeLump, edges);
	ASSERT_SAME(a->ringStart, b->ringStart, groups + 1);
	ASSERT_SAME(a->wideStart, b->wideStart, groups + 1);
	uint32_t slots = 8 * a->ringStart.data[groups], wide = 8 * a->wideStart.data[groups];
	ASSERT_SAME(a->ringOffset, b->ringOffset, slots);
	ASSERT_SAME(a->ringSource, b->ringSource, slots);
	ASSERT_SAME(a->ringQuadratic, b->ringQuadratic, slots);
	ASSERT_SAME(a->ringRest, b->ringRest, slots);
	ASSERT_SAME(a->wideOffset, b->wideOffset, wide);
	ASSERT_SAME(a->wide, b->wide, wide);
}

static void AssertSameElements(const Model* a, const Model* b, const ActiveMesh* mesh)
{
	for (uint32_t i = 0; i < a->energyCount; ++i)
	{
		const EdgeElements *one = &a->energies[i].elements, *other = &b->energies[i].elements;
		assert_true(one->count == other->count && (one->count == 0 || one->count == mesh->edgeCount));
		assert_memory_equal(one->greatest, other->greatest, sizeof one->greatest);
		for (int k = 0; k < elementParticles && one->count > 0; ++k)
			assert_memory_equal(one->particle[k], other->particle[k], one->count * sizeof(uint32_t));
		for (int k = 0; k < 2 && one->count > 0; ++k)
			assert_memory_equal(one->param[k], other->param[k], one->count * sizeof(float));
	}
}

static void AssertSame(const Follower* a, const Follower* b, const ActiveMesh* mesh)
{
	AssertSameElements(&a->model, &b->model, mesh);
	const ImplicitSolver *one = &a->solver, *other = &b->solver;
	AssertSameSum(&one->quadraticSum, &other->quadraticSum);
	AssertSameHierarchy(&one->hierarchy, &other->hierarchy);
	uint32_t pairs = one->multigrid.levels[one->multigrid.levelCount - 1].matrix.edgeCount;
	assert_true(pairs >= mesh->edgeCount);
	ASSERT_SAME(one->sourceStart, other->sourceStart, pairs + 1);
	ASSERT_SAME(one->sources, other->sources, one->sourceStart.data[pairs]);
	uint32_t groups = BlockMatrix_PaddedRows(mesh->particleCount) / 8;
	ASSERT_SAME(one->forceStart, other->forceStart, groups + 1);
	ASSERT_SAME(one->forceRows, other->forceRows, 8 * one->forceStart.data[groups]);
	for (uint32_t k = 0; k < one->multigrid.levelCount; ++k)
	{
		const MultigridLevel *level = &one->multigrid.levels[k], *same = &other->multigrid.levels[k];
		AssertSameMatrix(&level->matrix, &same->matrix);
		if (k + 1 == one->multigrid.levelCount)
			continue;
		ASSERT_SAME(level->termStart, same->termStart, level->matrix.edgeCount + 1);
		ASSERT_SAME(level->terms, same->terms, level->termStart.data[level->matrix.edgeCount]);
	}
}

static void AssertFresh(const Follower* follower, const Rig* rig)
{
	Follower fresh;
	Follower_Create(&fresh, rig, 1, (Kind){follower->model.kind, follower->model.springs.bending});
	assert_true(Follow(&fresh, &rig->active));
	AssertSame(follower, &fresh, &rig->active);
	Follower_Destroy(&fresh);
}

// --- edits ----------------------------------------------------------------------------------------------------------

static void FollowedThroughEditsIsBuiltAfresh(void** state)
{
	(void)state;
	uint32_t patched = 0, far = 0;
	for (int index = 0; index < rigMeshCount * kindCount; ++index)
	{
		drapeMesh mesh = Rig_Mesh(index % rigMeshCount);
		Rig rig;
		Follower follower;
		Rig_Create(&rig, &mesh);
		rig.active.revision = 1;
		Follower_Create(&follower, &rig, 1 + (uint32_t)index % 3, kinds[index / rigMeshCount]);
		Random random = Random_Seed(31, (uint64_t)index);
		// Half of them rest at first, and release what only serves to follow changes.
		for (int call = 0; call < 20 * (index % 2); ++call)
			assert_true(Follow(&follower, &rig.active));
		for (int pass = 0; pass < (isSlow ? 15 : 40); ++pass)
		{
			uint32_t edits = 1 + Random_Below(&random, pass % 4 == 0 ? 60 : 8);
			Rig_RandomPass(&rig, &random, edits, rig.active.triangleCount < 1500 ? 0.7f : 0.3f);
			if (pass % 9 == 5)
				continue; // two changes at once: the log of the last does not tell all
			uint32_t dirty = follower.solver.quadraticSum.lists.count;
			assert_true(Follow(&follower, &rig.active));
			patched += follower.solver.quadraticSum.dirty.count < dirty;
			far += follower.solver.farPairs.count > 0;
			AssertFresh(&follower, &rig);
		}
		Follower_Destroy(&follower);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
	assert_true(patched > 50 && far > 50);
}

static void PinsThatMakeTrianglesRigidAreFollowed(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(2);
	Rig rig;
	Follower follower;
	Rig_Create(&rig, &mesh);
	rig.active.revision = 1;
	Rig_RefineAll(&rig);
	Follower_Create(&follower, &rig, 2, fem);
	Random random = Random_Seed(32, 1);
	uint32_t rigid = 0;
	for (int pass = 0; pass < 40; ++pass)
	{
		const uint32_t* corner = rig.active.triangle[Random_Below(&random, rig.active.triangleCount)];
		bool isPinned = Random_Below(&random, 3) > 0;
		for (int k = 0; k < 3; ++k)
		{
			uint8_t* flags = &rig.active.particleFlags[corner[k]];
			*flags = (uint8_t)(isPinned ? *flags | drape_particlePinned : *flags & ~drape_particlePinned);
		}
		rig.active.pinRevision++;
		if (pass % 3 == 0)
			Rig_RandomPass(&rig, &random, 6, 0.6f);
		assert_true(Follow(&follower, &rig.active));
		AssertFresh(&follower, &rig);
		rigid += BitSet_CountSet(&follower.model.curvature.isRigid, rig.active.triangleCount);
	}
	assert_true(rigid > 40);
	Follower_Destroy(&follower);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

// --- flips ----------------------------------------------------------------------------------------------------------

// The two triangles at an edge, by corners: the edge's start and end, the particles on its left and right.
typedef struct Quad
{
	uint32_t particle[4];
	Vec2 material[4];
} Quad;

static uint32_t CornerOf(const ActiveMesh* mesh, uint32_t triangle, uint32_t particle)
{
	const uint32_t* corner = mesh->triangle[triangle];
	return corner[0] == particle ? 0 : corner[1] == particle ? 1 : 2;
}

static float Cross(const Quad* quad, int a, int b, int c)
{
	Vec2 u = V2Sub(quad->material[b], quad->material[a]), v = V2Sub(quad->material[c], quad->material[a]);
	return u.x * v.y - u.y * v.x;
}

// False at boundaries and seams, and where the flipped triangles would be slivers or turned over.
static bool FindQuad(const ActiveMesh* mesh, uint32_t edge, Quad* quad)
{
	const EdgeWings* wings = &mesh->wings[edge];
	if (wings->triangle[1] == DRAPE_NONE || mesh->edgeFlags[edge] != 0 || wings->opposite[0] == wings->opposite[1])
		return false;
	uint32_t left = wings->triangle[0], right = wings->triangle[1];
	uint32_t k = CornerOf(mesh, left, wings->opposite[0]), j = CornerOf(mesh, right, wings->opposite[1]);
	*quad = (Quad){
		.particle = {mesh->edgeFrom[edge], mesh->edgeTo[edge], wings->opposite[0], wings->opposite[1]},
		.material = {mesh->material[left].corner[(k + 1) % 3], mesh->material[left].corner[(k + 2) % 3],
	                 mesh->material[left].corner[k], mesh->material[right].corner[j]},
	};
	float least = 0.2f * (mesh->area[left] + mesh->area[right]);
	return Cross(quad, 0, 3, 2) > least && Cross(quad, 1, 2, 3) > least;
}

static void WriteTriangle(ActiveMesh* mesh, uint32_t triangle, const Quad* quad, int a, int b, int c)
{
	const int corner[3] = {a, b, c};
	for (int k = 0; k < 3; ++k)
	{
		mesh->triangle[triangle][k] = quad->particle[corner[k]];
		mesh->material[triangle].corner[k] = quad->material[corner[k]];
	}
	mesh->area[triangle] = 0.5f * Cross(quad, a, b, c);
	BitSet_Set(&mesh->log.trianglesTouched, triangle);
}

// The edge between two particles of the quad has `to` where it had `from`, and another particle opposite.
static void Relink(ActiveMesh* mesh, uint32_t a, uint32_t b, uint32_t from, uint32_t to, uint32_t opposite)
{
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		bool isIt =
			(mesh->edgeFrom[e] == a && mesh->edgeTo[e] == b) || (mesh->edgeFrom[e] == b && mesh->edgeTo[e] == a);
		for (int side = 0; isIt && side < 2; ++side)
		{
			if (mesh->wings[e].triangle[side] != from)
				continue;
			mesh->wings[e].triangle[side] = to;
			mesh->wings[e].opposite[side] = opposite;
			BitSet_Set(&mesh->log.edgesTouched, e);
			return;
		}
	}
	fail_msg("no such edge");
}

// In place, as a scheme that flips would do it, but behind the back of this one.
static bool Flip(ActiveMesh* mesh, uint32_t edge)
{
	Quad quad;
	if (!FindQuad(mesh, edge, &quad))
		return false;
	const uint32_t *p = quad.particle, left = mesh->wings[edge].triangle[0], right = mesh->wings[edge].triangle[1];
	Relink(mesh, p[0], p[3], right, left, p[2]);
	Relink(mesh, p[3], p[1], right, right, p[2]);
	Relink(mesh, p[1], p[2], left, right, p[3]);
	Relink(mesh, p[2], p[0], left, left, p[3]);
	WriteTriangle(mesh, left, &quad, 0, 3, 2);
	WriteTriangle(mesh, right, &quad, 1, 2, 3);
	mesh->edgeFrom[edge] = p[3];
	mesh->edgeTo[edge] = p[2];
	mesh->wings[edge] = (EdgeWings){.triangle = {left, right}, .opposite = {p[0], p[1]}};
	Vec2 along = V2Sub(quad.material[2], quad.material[3]);
	mesh->restLength[edge] = sqrtf(V2Dot(along, along));
	BitSet_Set(&mesh->log.edgesTouched, edge);
	return true;
}

static void FlipSomeEdges(Kind kind)
{
	drapeMesh mesh = Rig_Mesh(2);
	Rig rig;
	Follower follower;
	Rig_Create(&rig, &mesh);
	rig.active.revision = 1;
	Random random = Random_Seed(33, 1);
	for (int pass = 0; pass < 6; ++pass)
		Rig_RandomPass(&rig, &random, 80, 0.9f);
	Follower_Create(&follower, &rig, 2, kind);
	assert_true(Follow(&follower, &rig.active));
	ActiveMesh* active = &rig.active;
	uint32_t flips = 0;
	for (int pass = 0; pass < 30; ++pass)
	{
		active->log.created.count = active->log.removed.count = active->log.moved.count = 0;
		active->log.rebuilt = false;
		active->log.oldTriangleCount = active->triangleCount;
		active->log.oldEdgeCount = active->edgeCount;
		BitSet_ClearAll(&active->log.trianglesTouched, active->triangleCapacity);
		BitSet_ClearAll(&active->log.edgesTouched, active->edgeCapacity);
		for (int i = 0; i < 5; ++i)
			flips += Flip(active, Random_Below(&random, active->edgeCount));
		active->revision++;
		assert_true(Follow(&follower, active));
		AssertFresh(&follower, &rig);
	}
	assert_true(flips > 50);
	Follower_Destroy(&follower);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

static void TrianglesThatChangeTheirCornersAreFollowed(void** state)
{
	(void)state;
	for (int i = 0; i < kindCount; ++i)
		FlipSomeEdges(kinds[i]);
}

// --- the quadratic sum -----------------------------------------------------------------------------------------------

// Every pair's number against the sum of the elements' Hessians in double precision.
static void TheQuadraticSumIsTheSumOfTheElementsHessians(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(2);
	Rig rig;
	Follower follower;
	Rig_Create(&rig, &mesh);
	rig.active.revision = 1;
	Random random = Random_Seed(34, 1);
	Rig_RandomPass(&rig, &random, 60, 1.0f);
	Follower_Create(&follower, &rig, 2, fem);
	assert_true(Follow(&follower, &rig.active));
	uint32_t n = rig.active.particleCount;
	double *wanted = calloc((size_t)n * n, sizeof *wanted), largest = 0.0;
	for (uint32_t t = 0; t < rig.active.triangleCount; ++t)
	{
		const CurvatureElement* element = &follower.model.curvature.elements.data[t];
		float hessian[curvatureNodes][curvatureNodes];
		drapeCurvature_Hessian(element, &follower.model.curvature.law, hessian);
		for (uint32_t k = 0; k < element->count * element->count; ++k)
		{
			uint32_t a = k / element->count, b = k % element->count;
			wanted[element->node[a] * n + element->node[b]] += (double)hessian[a][b];
		}
	}
	for (uint32_t i = 0; i < n * n; ++i)
		largest = fmax(largest, fabs(wanted[i]));
	const QuadraticSum* sum = &follower.solver.quadraticSum;
	for (uint32_t i = 0; i < n; ++i)
	{
		const QuadraticList* list = &sum->lists.data[i];
		assert_true(fabs((double)list->diagonal - wanted[i * n + i]) < 1e-5 * largest);
		wanted[i * n + i] = 0.0;
		for (uint32_t k = list->start; k < list->start + list->count; ++k)
			wanted[i * n + sum->partners.data[k].particle] -= (double)sum->partners.data[k].value;
	}
	for (uint32_t i = 0; i < n * n; ++i)
		assert_true(fabs(wanted[i]) < 1e-6 * largest);
	free(wanted);
	Follower_Destroy(&follower);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

// --- memory ---------------------------------------------------------------------------------------------------------

// Everything is made at first; later, in a mesh that has grown, patched.
static void GetReady(Rig* rig, Follower* follower, const drapeMesh* mesh, Kind kind, bool isLater)
{
	Random random = Random_Seed(35, 1);
	Rig_Create(rig, mesh);
	rig->active.revision = 1;
	Follower_Create(follower, rig, 2, kind);
	if (!isLater)
		return;
	assert_true(Follow(follower, &rig->active));
	Rig_RandomPass(rig, &random, 12, 1.0f);
	assert_true(Follow(follower, &rig->active));
	Rig_RandomPass(rig, &random, 30, 1.0f);
}

static void AnyAllocationMayFailOnTheWay(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(2);
	for (int round = 0; round < 4; ++round)
	{
		int stage = round % 2;
		Kind kind = kinds[round / 2];
		size_t before = 0, number = 0, failures = 0;
		for (bool isReached = true; isReached; ++number)
		{
			Rig rig;
			Follower follower;
			Test_FailAllocation(number > 0 ? before + number : SIZE_MAX, false); // the first round only counts
			GetReady(&rig, &follower, &mesh, kind, stage == 1);
			before = number == 0 ? Test_AllocationCount() : before;
			failures += !Follow(&follower, &rig.active);
			isReached = number == 0 || Test_AllocationCount() >= before + number;
			if (isReached)
			{
				assert_true(Follow(&follower, &rig.active));
				AssertFresh(&follower, &rig);
			}
			Follower_Destroy(&follower);
			Rig_Destroy(&rig);
			Test_FailAllocation(0, false);
		}
		print_message("stage %d: %zu allocations, %zu failures seen\n", stage, number - 2, failures);
		assert_true(failures > (stage == 0 ? 60 : 5));
	}
	TestMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(FollowedThroughEditsIsBuiltAfresh),
		cmocka_unit_test(PinsThatMakeTrianglesRigidAreFollowed),
		cmocka_unit_test(TrianglesThatChangeTheirCornersAreFollowed),
		cmocka_unit_test(TheQuadraticSumIsTheSumOfTheElementsHessians),
		cmocka_unit_test(AnyAllocationMayFailOnTheWay),
	};
	return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
