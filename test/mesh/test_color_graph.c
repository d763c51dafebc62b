// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "mesh/color_graph.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

// --- elements drawn at random ---------------------------------------------------------------------------------------

enum
{
	poolItems = 900,
	poolParticles = 300,
};

// What a graph shall contain; items that do not exist are not described.
typedef struct Pool
{
	GraphElement element[poolItems];
	bool exists[poolItems];
} Pool;

static bool Describe(const void* context, uint32_t item, GraphElement* element)
{
	const Pool* pool = context;
	*element = pool->element[item];
	return pool->exists[item];
}

static GraphElement RandomElement(Random* random, uint32_t arity, uint32_t particleCount)
{
	GraphElement element = {.param = {Random_Float(random), Random_Float(random)}};
	for (uint32_t k = 0; k < arity;)
	{
		element.particle[k] = Random_Below(random, particleCount);
		bool isNew = true;
		for (uint32_t j = 0; j < k; ++j)
			isNew = isNew && element.particle[j] != element.particle[k];
		k += isNew;
	}
	return element;
}

static void AssertIs(const ColorGraph* graph, uint32_t particleCount, uint32_t itemCount, GraphDescribeFcn* describe,
                     const void* context)
{
	const char* wrong = drapeColorGraph_Validate(graph, particleCount);
	if (wrong)
		fail_msg("%s", wrong);
	uint32_t held = 0, described = 0;
	for (uint32_t c = 0; c < graphColors; ++c)
	{
		const GraphColor* color = &graph->colors[c];
		assert_true(color->count == 0 || c == graphOverflow || c < graph->colorCount);
		held += color->count;
		for (uint32_t i = 0; i < color->count; ++i)
		{
			GraphElement wanted;
			assert_true(color->item[i] < itemCount && describe(context, color->item[i], &wanted));
			for (uint32_t k = 0; k < graph->arity; ++k)
				assert_int_equal(color->particle[k][i], wanted.particle[k]);
			assert_memory_equal(&color->param[0][i], &wanted.param[0], sizeof(float));
			assert_memory_equal(&color->param[1][i], &wanted.param[1], sizeof(float));
		}
	}
	for (uint32_t i = 0; i < itemCount; ++i)
	{
		GraphElement unused;
		described += describe(context, i, &unused);
	}
	assert_int_equal(held, described); // no item twice, since each knows its one place
}

static void RandomUpdatesKeepExactlyTheElementsDescribed(void** state)
{
	(void)state;
	Random random = Random_Seed(5, 1);
	static Pool pool;
	for (uint32_t arity = 2; arity <= 4; ++arity)
	{
		ColorGraph graph;
		BitSet touched = {0};
		drapeColorGraph_Init(&graph, arity);
		uint32_t particles = 5, items = 3;
		memset(&pool, 0, sizeof pool);
		for (int round = 0; round < 300; ++round)
		{
			uint32_t oldItems = items;
			items = Random_Below(&random, poolItems);
			particles = round % 3 ? particles : 5 + Random_Below(&random, poolParticles - 5);
			assert_true(BitSet_Reserve(&touched, poolItems));
			BitSet_ClearAll(&touched, poolItems);
			for (uint32_t i = 0; i < MaxU32(items, oldItems); ++i)
			{
				bool leaves = i >= items || (round % 3 == 0);
				if (!leaves && i < oldItems && Random_Below(&random, 4))
					continue;
				BitSet_Set(&touched, i);
				pool.element[i] = RandomElement(&random, arity, particles);
				pool.exists[i] = i < items && Random_Below(&random, 5) > 0;
			}
			assert_true(drapeColorGraph_Update(&graph, &touched, oldItems, items, particles, Describe, &pool));
			AssertIs(&graph, particles, items, Describe, &pool);
			if (round % 50 == 49)
			{
				assert_true(drapeColorGraph_Build(&graph, items, particles, Describe, &pool));
				AssertIs(&graph, particles, items, Describe, &pool);
			}
		}
		BitSet_Free(&touched);
		drapeColorGraph_Destroy(&graph);
	}
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

// --- the loop -------------------------------------------------------------------------------------------------------

static void CountVisits(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	uint8_t* visits = context;
	for (uint32_t i = start; i < end; ++i)
		visits[color->item[i]]++;
}

static bool DescribePath(const void* context, uint32_t item, GraphElement* element)
{
	(void)context;
	*element = (GraphElement){.particle = {item, item + 1}, .param = {(float)item, 1.0f}};
	return item % 7 != 3;
}

static void TheLoopVisitsEachElementOnceForAnyNumberOfThreads(void** state)
{
	(void)state;
	enum
	{
		count = 20000
	};
	ColorGraph graph;
	drapeColorGraph_Init(&graph, 2);
	assert_true(drapeColorGraph_Build(&graph, count, count + 1, DescribePath, NULL));
	assert_int_equal(graph.colorCount, 2);
	AssertIs(&graph, count + 1, count, DescribePath, NULL);
	uint8_t* visits = malloc(count);
	for (uint32_t workers = 1; workers <= 4; ++workers)
	{
		TaskPool* tasks = drapeTaskPool_Create(workers, NULL, NULL, NULL);
		memset(visits, 0, count);
		drapeColorGraph_For(&graph, tasks, CountVisits, visits);
		for (uint32_t i = 0; i < count; ++i)
			assert_int_equal(visits[i], i % 7 != 3);
		drapeTaskPool_Destroy(tasks);
	}
	free(visits);
	drapeColorGraph_Destroy(&graph);
}

// A star: every element touches particle 0.
static bool DescribeStar(const void* context, uint32_t item, GraphElement* element)
{
	(void)context;
	*element = (GraphElement){.particle = {0, item + 1}, .param = {1.0f, (float)item}};
	return true;
}

static void AParticleOfValenceTwoHundredOverflowsAndIsStillRight(void** state)
{
	(void)state;
	enum
	{
		valence = 200
	};
	ColorGraph graph;
	drapeColorGraph_Init(&graph, 2);
	assert_true(drapeColorGraph_Build(&graph, valence, valence + 1, DescribeStar, NULL));
	assert_int_equal(graph.colors[graphOverflow].count, valence - graphOverflow);
	AssertIs(&graph, valence + 1, valence, DescribeStar, NULL);
	TaskPool* tasks = drapeTaskPool_Create(3, NULL, NULL, NULL);
	uint8_t visits[valence] = {0};
	drapeColorGraph_For(&graph, tasks, CountVisits, visits);
	for (int i = 0; i < valence; ++i)
		assert_int_equal(visits[i], 1);
	// Every other one goes and comes back.
	BitSet touched = {0};
	assert_true(BitSet_Reserve(&touched, valence));
	BitSet_ClearAll(&touched, valence);
	for (uint32_t i = 0; i < valence; i += 2)
		BitSet_Set(&touched, i);
	for (int round = 0; round < 20; ++round)
	{
		assert_true(drapeColorGraph_Update(&graph, &touched, valence, valence, valence + 1, DescribeStar, NULL));
		AssertIs(&graph, valence + 1, valence, DescribeStar, NULL);
	}
	// Down to a few: the overflow empties.
	for (uint32_t i = 0; i < valence; ++i)
		BitSet_Set(&touched, i);
	assert_true(drapeColorGraph_Update(&graph, &touched, valence, 5, valence + 1, DescribeStar, NULL));
	assert_int_equal(graph.colorCount, 5);
	AssertIs(&graph, valence + 1, 5, DescribeStar, NULL);
	BitSet_Free(&touched);
	drapeTaskPool_Destroy(tasks);
	drapeColorGraph_Destroy(&graph);
}

// The forces of a fan of 200 triangles, some of whose springs are in the overflow.
static void ForcesOfAnOverflowingFanBalance(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Fan(200, true);
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	Rig rig;
	Rig_Create(&rig, &mesh);
	drapeMaterial material = drapeDefaultMaterial();
	drapeSpringDef springs = drapeDefaultSpringDef();
	Model model;
	drapeModel_Init(&model, drape_modelSprings, &material, &springs);
	rig.active.revision = 1;
	assert_true(drapeModel_Follow(&model, &rig.active, tasks));
	assert_true(model.stretch.colors[graphOverflow].count > 100);
	assert_true(model.triangles.colors[graphOverflow].count > 100);
	Random random = Random_Seed(9, 9);
	uint32_t count = rig.active.particleCount;
	for (uint32_t i = 0; i < count; ++i)
		rig.active.position[i].z += 0.1f * Random_Float(&random);
	Vec4* force = calloc(count, sizeof *force);
	ModelState moment = {rig.active.position, rig.active.velocity, 0.0};
	drapeModel_AddStretch(&model, &moment, force, tasks);
	// The centre alone, spring by spring.
	Vec3 wanted = {0.0f, 0.0f, 0.0f};
	double sumZ = 0.0, sumAbs = 0.0;
	for (uint32_t e = 0; e < rig.active.edgeCount; ++e)
	{
		GraphElement spring;
		ModelContext context = {&model, &rig.active};
		drapeModel_DescribeStretch(&context, e, &spring);
		if (spring.particle[0] != 0 && spring.particle[1] != 0)
			continue;
		uint32_t other = spring.particle[0] == 0 ? spring.particle[1] : spring.particle[0];
		Vec3 d = V3Sub(V4Xyz(rig.active.position[other]), V4Xyz(rig.active.position[0]));
		float length = V3Length(d);
		wanted = V3Add(wanted, V3Scale(spring.param[1] * (length - spring.param[0]) / length, d));
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		sumZ += (double)force[i].z;
		sumAbs += fabs((double)force[i].z);
	}
	assert_true(fabs(sumZ) < 1e-5 * sumAbs);
	assert_true(fabsf(force[0].z - wanted.z) < 1e-4f * fabsf(wanted.z));
	free(force);
	drapeTaskPool_Destroy(tasks);
	drapeModel_Destroy(&model);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

// --- memory ---------------------------------------------------------------------------------------------------------

static void ShortMemoryLeavesAnEmptyGraphThatCanBeBuiltAgain(void** state)
{
	(void)state;
	static Pool pool;
	Random random = Random_Seed(2, 2);
	for (uint32_t i = 0; i < poolItems; ++i)
	{
		pool.element[i] = RandomElement(&random, 3, poolParticles);
		pool.exists[i] = true;
	}
	uint32_t refused = 0;
	for (size_t number = 1; number < 60; ++number)
	{
		Test_FailAllocation(number, false);
		ColorGraph graph;
		drapeColorGraph_Init(&graph, 3);
		BitSet touched = {0};
		bool built = drapeColorGraph_Build(&graph, 40, poolParticles, Describe, &pool);
		bool ready = BitSet_Reserve(&touched, poolItems) || BitSet_Reserve(&touched, poolItems);
		assert_true(ready);
		BitSet_ClearAll(&touched, poolItems);
		for (uint32_t i = 30; i < poolItems; ++i)
			BitSet_Set(&touched, i);
		bool updated = built && drapeColorGraph_Update(&graph, &touched, 40, poolItems, poolParticles, Describe, &pool);
		if (!updated)
		{
			refused++;
			for (uint32_t c = 0; c < graphColors; ++c)
				assert_int_equal(graph.colors[c].count, 0);
			assert_null(drapeColorGraph_Validate(&graph, poolParticles));
			assert_true(drapeColorGraph_Build(&graph, poolItems, poolParticles, Describe, &pool));
		}
		AssertIs(&graph, poolParticles, poolItems, Describe, &pool);
		BitSet_Free(&touched);
		drapeColorGraph_Destroy(&graph);
	}
	Test_FailAllocation(0, false);
	assert_true(refused > 10);
}

// --- a mesh that adapts ---------------------------------------------------------------------------------------------

static void AssertFollows(const Model* model, const ActiveMesh* active)
{
	ModelContext context = {model, active};
	AssertIs(&model->stretch, active->particleCount, active->edgeCount, drapeModel_DescribeStretch, &context);
	AssertIs(&model->bend, active->particleCount, active->edgeCount, drapeModel_DescribeBend, &context);
	AssertIs(&model->triangles, active->particleCount, active->triangleCount, drapeModel_DescribeTriangle, &context);
}

static void GraphsThatFollowAnAdaptingMeshAreThoseBuiltFromNothing(void** state)
{
	(void)state;
	const drapeBending kinds[] = {drape_bendElements, drape_bendSprings, drape_bendNone};
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	uint32_t patched = 0;
	for (int index = 0; index < rigMeshCount; ++index)
	{
		drapeMesh mesh = Rig_Mesh(index);
		Rig rig;
		Rig_Create(&rig, &mesh);
		rig.scheme->maxLevel = 4;
		rig.active.revision = 1;
		drapeMaterial material = drapeDefaultMaterial();
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.bending = kinds[index % 3];
		springs.law = index % 2 ? drape_springLength : drape_springArea;
		Model model;
		drapeModel_Init(&model, drape_modelSprings, &material, &springs);
		Random random = Random_Seed(77, (uint64_t)index);
		assert_true(drapeModel_Follow(&model, &rig.active, tasks));
		for (int pass = 0; pass < 60; ++pass)
		{
			uint32_t edits = 1 + Random_Below(&random, pass % 10 == 0 ? 200 : 6);
			uint32_t revision = rig.active.revision;
			Rig_RandomPass(&rig, &random, edits, rig.active.triangleCount < 1500 ? 0.6f : 0.3f);
			patched += rig.active.revision == revision + 1 && !rig.active.log.rebuilt;
			if (pass % 7 == 3)
				continue; // two changes at once: the log of the last does not tell all
			assert_true(drapeModel_Follow(&model, &rig.active, tasks));
			AssertFollows(&model, &rig.active);
		}
		drapeModel_Destroy(&model);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
	drapeTaskPool_Destroy(tasks);
	assert_true(patched > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(RandomUpdatesKeepExactlyTheElementsDescribed),
		cmocka_unit_test(TheLoopVisitsEachElementOnceForAnyNumberOfThreads),
		cmocka_unit_test(AParticleOfValenceTwoHundredOverflowsAndIsStillRight),
		cmocka_unit_test(ForcesOfAnOverflowingFanBalance),
		cmocka_unit_test(ShortMemoryLeavesAnEmptyGraphThatCanBeBuiltAgain),
		cmocka_unit_test(GraphsThatFollowAnAdaptingMeshAreThoseBuiltFromNothing),
	};
	return cmocka_run_group_tests_name("color_graph", tests, NULL, NULL);
}
