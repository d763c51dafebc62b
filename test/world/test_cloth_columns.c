// SPDX-License-Identifier: MIT
#include "hang.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/random.h"
#include "world/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Columns through the public API. test_columns has those of the mesh by itself.

static const drapeScheme schemes[3] = {drape_schemeEdge, drape_schemeSqrt3, drape_schemeFixed};

static drapeColumnDef Def(const char* name, uint32_t components, drapeColumnInherit inherit)
{
	drapeColumnDef def = drapeDefaultColumnDef();
	def.name = name;
	def.componentCount = components;
	def.inherit = inherit;
	return def;
}

static drapeColumnId Create(drapeClothId cloth, const drapeColumnDef* def)
{
	drapeColumnId column;
	assert_int_equal(drapeCreateColumn(cloth, def, &column), drape_ok);
	assert_true(column.index1 > 0);
	return column;
}

static Sheet SheetOf(drapeScheme scheme, uint32_t maxLevel)
{
	drapeAdaptDef adapt = Sheet_Plain(maxLevel);
	adapt.scheme = scheme;
	return Sheet_Create(4, 3, &adapt);
}

// A change of the mesh at random. Blocked ones are fine.
static void Edit(drapeClothId cloth, Random* random)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	uint32_t pick = Random_U32(random), kind = Random_U32(random) % 40;
	if (kind == 0)
		assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	else if (kind <= 2)
		assert_int_equal(drapeCloth_Coarsen(cloth), drape_ok);
	else if (kind % 2)
		drapeCloth_SplitEdge(cloth, pick % view.edgeCount);
	else
		drapeCloth_JoinParticle(cloth, pick % view.particleCount);
}

// --- following particles --------------------------------------------------------------------------------------------

typedef struct Tags
{
	uint32_t capacity;
	float* byName; // [capacity] the particle's tag by the scheme's name
	float next;
	uint32_t kept, created;
} Tags;

static void GiveTag(Tags* tags, const ActiveMesh* mesh, float* values, uint32_t particle)
{
	uint32_t name = mesh->vertexId[particle];
	if (name >= tags->capacity)
	{
		tags->capacity = 2 * name + 64;
		tags->byName = realloc(tags->byName, tags->capacity * sizeof(float));
	}
	tags->byName[name] = tags->next++;
	for (int k = 0; k < 3; ++k)
		values[3 * particle + k] = tags->byName[name] + 0.25f * (float)k;
}

// New particles have the rule's value, and then get a tag; the others have theirs.
static void CheckTags(Tags* tags, const ActiveMesh* mesh, float* values, bool hasChanged)
{
	uint8_t* isNew = calloc(mesh->particleCount, 1);
	for (uint32_t i = 0; i < mesh->log.created.count && hasChanged; ++i)
		isNew[mesh->log.created.data[i]] = 1;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			float expected = isNew[i] ? 0.0f : tags->byName[mesh->vertexId[i]] + 0.25f * (float)k;
			assert_true(values[3 * i + k] == expected);
		}
		tags->created += isNew[i];
		tags->kept += !isNew[i];
	}
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		if (isNew[i])
			GiveTag(tags, mesh, values, i);
	}
	free(isNew);
}

static void ValuesStayWithTheirParticlesInAllSchemes(void** state)
{
	(void)state;
	for (int s = 0; s < 3; ++s)
	{
		Sheet sheet = SheetOf(schemes[s], schemes[s] == drape_schemeSqrt3 ? 6 : 3);
		const ActiveMesh* mesh = &drapeCloth_Get(sheet.cloth)->active;
		drapeColumnDef def = Def("tag", 3, drape_inheritZero);
		drapeColumnId column = Create(sheet.cloth, &def);
		Tags tags = {.next = 1.0f};
		Random random = Random_Seed(3, (uint64_t)s);
		for (uint32_t i = 0; i < mesh->particleCount; ++i)
			GiveTag(&tags, mesh, drapeColumn_GetValues(column), i);
		for (int edit = 0; edit < (isSlow ? 150 : 1500); ++edit)
		{
			uint32_t revision = mesh->revision;
			Edit(sheet.cloth, &random);
			CheckTags(&tags, mesh, drapeColumn_GetValues(column), mesh->revision != revision);
		}
		assert_true(tags.kept > 1000 && (tags.created > 100 || schemes[s] == drape_schemeFixed));
		free(tags.byName);
		Sheet_Destroy(&sheet);
	}
}

// Material coordinates of the particles, from the corners of the triangles.
static void Materials(drapeClothId cloth, drapeVec2* material)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	for (uint32_t c = 0; c < 3 * view.triangleCount; ++c)
		material[view.triangles[c]] = view.materials[c];
}

static float Linear(drapeVec2 m, uint32_t component)
{
	return 0.3f + (float)(component + 1) * m.x - 2.0f * m.y;
}

static void TheMeanRuleKeepsALinearFunctionOfTheMaterial(void** state)
{
	(void)state;
	for (int s = 0; s < 3; ++s)
	{
		Sheet sheet = SheetOf(schemes[s], schemes[s] == drape_schemeSqrt3 ? 6 : 3);
		uint32_t vertexCount = drapeCloth_GetView(sheet.cloth).particleCount;
		drapeVec2* material = malloc(20000 * sizeof *material);
		float* initial = malloc(vertexCount * 2 * sizeof(float));
		Materials(sheet.cloth, material);
		for (uint32_t i = 0; i < 2 * vertexCount; ++i)
			initial[i] = Linear(material[i / 2], i % 2);
		// One column from the beginning, one that is created on a refined mesh.
		drapeColumnDef def = Def("early", 2, drape_inheritMean);
		def.vertexValues = initial;
		drapeColumnId early = Create(sheet.cloth, &def);
		Random random = Random_Seed(4, (uint64_t)s);
		for (int edit = 0; edit < 100; ++edit)
			Edit(sheet.cloth, &random);
		def.name = "late";
		drapeColumnId late = Create(sheet.cloth, &def);
		float worst = 0.0f;
		for (int edit = 0; edit < (isSlow ? 100 : 600); ++edit)
		{
			Edit(sheet.cloth, &random);
			uint32_t count = drapeCloth_GetView(sheet.cloth).particleCount;
			assert_true(count < 20000);
			Materials(sheet.cloth, material);
			const float *a = drapeColumn_GetValues(early), *b = drapeColumn_GetValues(late);
			for (uint32_t i = 0; i < 2 * count; ++i)
			{
				float expected = Linear(material[i / 2], i % 2);
				worst = fmaxf(worst, fmaxf(fabsf(a[i] - expected), fabsf(b[i] - expected)));
			}
		}
		assert_true(worst < 3e-6f);
		free(initial);
		free(material);
		Sheet_Destroy(&sheet);
	}
}

static void LabelsAreThoseOfTheNearestParent(void** state)
{
	(void)state;
	for (int s = 0; s < 2; ++s)
	{
		Sheet sheet = SheetOf(schemes[s], 4);
		drapeColumnDef def = Def("label", 1, drape_inheritNearestParent);
		drapeColumnId column = Create(sheet.cloth, &def);
		uint32_t vertexCount = drapeCloth_GetView(sheet.cloth).particleCount;
		for (uint32_t i = 0; i < vertexCount; ++i)
			drapeColumn_GetValues(column)[i] = (float)i;
		for (int i = 0; i < 3; ++i)
			assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
		const float* label = drapeColumn_GetValues(column);
		uint32_t count = drapeCloth_GetView(sheet.cloth).particleCount;
		assert_true(count > 2 * vertexCount);
		for (uint32_t i = 0; i < count; ++i)
		{
			drapeParticleOrigin origin = drapeCloth_GetOrigin(sheet.cloth, i);
			uint32_t nearest = 0;
			for (uint32_t k = 1; k < origin.count; ++k)
				nearest = origin.weights[k] > origin.weights[nearest] ? k : nearest;
			assert_true(label[i] == (origin.count ? label[origin.parents[nearest]] : (float)i));
		}
		Sheet_Destroy(&sheet);
	}
}

static void AConstantHoldsForAllParticlesThatThereAre(void** state)
{
	(void)state;
	Sheet sheet = SheetOf(drape_schemeEdge, 3);
	assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	const float constant[2] = {0.7f, -3.0f};
	drapeColumnDef def = Def("constant", 2, drape_inheritZero);
	def.constant = constant;
	drapeColumnId column = Create(sheet.cloth, &def);
	uint32_t before = drapeCloth_GetView(sheet.cloth).particleCount;
	assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	uint32_t count = drapeCloth_GetView(sheet.cloth).particleCount;
	assert_true(count > before);
	for (uint32_t i = 0; i < 2 * count; ++i)
		assert_true(drapeColumn_GetValues(column)[i] == (i < 2 * before ? constant[i % 2] : 0.0f));
	Sheet_Destroy(&sheet);
}

// Friction state has the same mechanism.
static void FrictionStateStaysWithItsParticle(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothDef clothDef = Hang_Def();
	clothDef.solver.integrator = drape_integratorImplicitEuler;
	drapeClothId id = Hang_Add(world, &clothDef, 3, 1);
	Cloth* cloth = drapeCloth_Get(id);
	Random random = Random_Seed(5, 1);
	uint32_t created = 0;
	for (int edit = 0; edit < 200; ++edit)
	{
		Vec4* friction = Cloth_Rows(cloth, cloth->simulation.frictionState);
		for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
			friction[i] = (Vec4){(float)cloth->active.vertexId[i], 1.0f, 2.0f, 3.0f};
		uint32_t revision = cloth->active.revision;
		Edit(id, &random);
		friction = Cloth_Rows(cloth, cloth->simulation.frictionState);
		const ChangeLog* log = &cloth->active.log;
		uint32_t fresh = revision == cloth->active.revision ? 0 : log->created.count, zeros = 0;
		for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
		{
			bool isZero = friction[i].y == 0.0f && friction[i].z == 0.0f && friction[i].w == 0.0f;
			assert_true(isZero || friction[i].x == (float)cloth->active.vertexId[i]);
			zeros += isZero;
		}
		assert_int_equal(zeros, fresh);
		created += fresh;
	}
	assert_true(created > 50);
	drapeDestroyWorld(world);
}

// --- worlds that run ------------------------------------------------------------------------------------------------

typedef struct Run
{
	drapeWorldId world;
	drapeClothId cloth;
	drapeColumnId column;
} Run;

typedef enum RunColumn
{
	noColumn,
	meanColumn,
	zeroColumn,
	twoColumns,
} RunColumn;

// A sheet with BDF2 that falls over a ball and adapts.
static Run Run_Create(uint32_t workers, RunColumn which)
{
	Run run = {.world = Sheet_World(workers)};
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.2f;
	ball.transform.position = (drapeVec3){0.05f, -0.26f, 0.03f};
	Make_Collider(run.world, &ball);
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(5, 5, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.model = drape_modelFem;
	def.solver.integrator = drape_integratorBdf2;
	def.adapt.maxLevel = 2;
	def.adapt.joinWait = 2;
	run.cloth = Make_Cloth(run.world, &def);
	assert_true(drapeCloth_IsValid(run.cloth));
	drapeMesh_Free(&mesh);
	drapeColumnDef column = Def("heat", 2, which == zeroColumn ? drape_inheritZero : drape_inheritMean);
	const float constant[2] = {1.0f, 2.0f};
	column.constant = constant;
	if (which == noColumn)
		return run;
	run.column = Create(run.cloth, &column);
	column.name = "more";
	if (which == twoColumns)
		Create(run.cloth, &column);
	return run;
}

// The application heats the cloth where it is low.
static void Run_Steps(Run* run, int steps)
{
	for (int step = 0; step < steps; ++step)
	{
		drapeClothView view = drapeCloth_GetView(run->cloth);
		float* heat = run->column.index1 ? drapeColumn_GetValues(run->column) : NULL;
		for (uint32_t i = 0; i < view.particleCount && heat; ++i)
			heat[2 * i] += 0.01f * view.positions[i].y * (float)(i % 7);
		assert_int_equal(drapeWorld_Step(run->world, 1.0f / 60.0f), drape_ok);
	}
}

static bool RunsAreEqual(const Run* a, const Run* b)
{
	drapeClothView views[2] = {drapeCloth_GetView(a->cloth), drapeCloth_GetView(b->cloth)};
	return drapeWorld_GetHash(a->world) == drapeWorld_GetHash(b->world) &&
	       views[0].particleCount == views[1].particleCount &&
	       memcmp(drapeColumn_GetValues(a->column), drapeColumn_GetValues(b->column),
	              views[0].particleCount * 2 * sizeof(float)) == 0;
}

static void ColumnsAreTheSameForAnyNumberOfThreads(void** state)
{
	(void)state;
	Run one = Run_Create(1, meanColumn), two = Run_Create(2, meanColumn);
	uint32_t before = drapeCloth_GetView(one.cloth).particleCount;
	Run_Steps(&one, 30);
	Run_Steps(&two, 30);
	assert_true(RunsAreEqual(&one, &two));
	assert_true(drapeCloth_GetView(one.cloth).particleCount > before);
	// The hash covers the column.
	uint64_t hash = drapeWorld_GetHash(one.world);
	drapeColumn_GetValues(one.column)[5] += 1.0f;
	assert_true(drapeWorld_GetHash(one.world) != hash);
	drapeDestroyWorld(one.world);
	drapeDestroyWorld(two.world);
}

static void AColumnDoesNotChangeTheMotion(void** state)
{
	(void)state;
	Run with = Run_Create(1, meanColumn), without = Run_Create(1, noColumn);
	Run_Steps(&with, 25);
	Run_Steps(&without, 25);
	drapeClothView a = drapeCloth_GetView(with.cloth), b = drapeCloth_GetView(without.cloth);
	assert_int_equal(a.particleCount, b.particleCount);
	assert_memory_equal(a.positions, b.positions, a.particleCount * sizeof(drapeVec4));
	assert_memory_equal(a.velocities, b.velocities, a.particleCount * sizeof(drapeVec4));
	drapeDestroyWorld(with.world);
	drapeDestroyWorld(without.world);
}

static void SnapshotsBringColumnsBackBitForBit(void** state)
{
	(void)state;
	Run first = Run_Create(1, meanColumn);
	Run_Steps(&first, 12);
	size_t size = Make_Snapshot(first.world, NULL, 0);
	void* data = malloc(size);
	assert_int_equal(Make_Snapshot(first.world, data, size), size);
	Run_Steps(&first, 12);

	Run second = Run_Create(2, meanColumn);
	Run_Steps(&second, 3);
	assert_int_equal(drapeWorld_Load(second.world, data, size), drape_ok);
	Run_Steps(&second, 12);
	assert_true(RunsAreEqual(&first, &second));
	drapeDestroyWorld(first.world);
	drapeDestroyWorld(second.world);

	const RunColumn others[3] = {noColumn, zeroColumn, twoColumns};
	for (int i = 0; i < 3; ++i)
	{
		Run other = Run_Create(1, others[i]);
		uint64_t hash = drapeWorld_GetHash(other.world);
		assert_int_equal(drapeWorld_Load(other.world, data, size), drape_errorData);
		assert_non_null(strstr(drapeWorld_GetMessage(other.world), "columns"));
		assert_true(drapeWorld_GetHash(other.world) == hash);
		drapeDestroyWorld(other.world);
	}
	free(data);
}

// A refined sheet hands its columns over to sheets of other schemes; a linear function stays one.
static void AStateTransferTakesColumnsAlong(void** state)
{
	(void)state;
	Sheet source = SheetOf(drape_schemeEdge, 3);
	drapeVec2 material[2000];
	drapeColumnDef mean = Def("mean", 1, drape_inheritMean), label = Def("label", 1, drape_inheritNearestParent);
	drapeColumnId from[2] = {Create(source.cloth, &mean), Create(source.cloth, &label)};
	Random random = Random_Seed(9, 1);
	assert_int_equal(drapeCloth_Refine(source.cloth), drape_ok);
	for (int edit = 0; edit < 40; ++edit)
		drapeCloth_SplitEdge(source.cloth, Random_U32(&random) % drapeCloth_GetView(source.cloth).edgeCount);
	uint32_t count = drapeCloth_GetView(source.cloth).particleCount;
	assert_true(count > 30 && count < 2000);
	Materials(source.cloth, material);
	for (uint32_t i = 0; i < count; ++i)
	{
		drapeColumn_GetValues(from[0])[i] = Linear(material[i], 0);
		drapeColumn_GetValues(from[1])[i] = (float)(i % 5);
	}
	for (int s = 0; s < 3; ++s)
	{
		Sheet sheet = SheetOf(schemes[s], 3);
		drapeColumnDef other = Def("other", 1, drape_inheritMean), wider = Def("label", 2, drape_inheritZero);
		const float five = 5.0f;
		other.constant = &five;
		drapeColumnId to = Create(sheet.cloth, &mean), kept = Create(sheet.cloth, &other);
		drapeColumnId own = Create(sheet.cloth, s == 2 ? &wider : &label);
		assert_int_equal(drapeCloth_TransferState(source.cloth, sheet.cloth), drape_ok);
		count = drapeCloth_GetView(sheet.cloth).particleCount;
		assert_true(count < 2000);
		Materials(sheet.cloth, material);
		for (uint32_t i = 0; i < count; ++i)
		{
			assert_float_equal(drapeColumn_GetValues(to)[i], Linear(material[i], 0), 1e-5f);
			assert_true(drapeColumn_GetValues(kept)[i] == five);
			float value = drapeColumn_GetValues(own)[i];
			assert_true(s == 2 ? value == 0.0f : value == floorf(value) && value >= 0.0f && value < 5.0f);
		}
		Sheet_Destroy(&sheet);
	}
	Sheet_Destroy(&source);
}

// --- errors ---------------------------------------------------------------------------------------------------------

static void AssertRefused(drapeClothId cloth, const drapeColumnDef* def, drapeResult result, const char* words)
{
	drapeColumnId column = {.index1 = 77};
	drapeWorldId world = drapeCloth_GetWorld(cloth);
	if (result == drape_errorArgument)
		ASSERT_REFUSED(assert_int_equal(drapeCreateColumn(cloth, def, &column), result));
	else
		assert_int_equal(drapeCreateColumn(cloth, def, &column), result);
	assert_int_equal(column.index1, 0);
	const char* reason = drapeWorld_GetMessage(world);
	if (!strstr(reason, words))
		fail_msg("\"%s\" does not say \"%s\"", reason, words);
}

static void BadDefinitionsAreRefusedWithAReason(void** state)
{
	(void)state;
	Sheet sheet = SheetOf(drape_schemeEdge, 2);
	const char tooLong[] = "0123456789012345678901234567890123456789012345678901234567890123";
	const drapeColumnDef good = Def("good", 1, drape_inheritMean);
	drapeColumnDef bad = {.name = "zeroed", .componentCount = 1};
	AssertRefused(sheet.cloth, &bad, drape_errorArgument, "not initialised");
	AssertRefused(sheet.cloth, NULL, drape_errorArgument, "not initialised");
	const char* const names[4] = {NULL, "", "drape.mine", tooLong};
	for (int i = 0; i < 4; ++i)
	{
		bad = good;
		bad.name = names[i];
		AssertRefused(sheet.cloth, &bad, drape_errorArgument, "name");
	}
	bad = good;
	bad.componentCount = 0;
	AssertRefused(sheet.cloth, &bad, drape_errorArgument, "componentCount");
	bad.componentCount = DRAPE_MAX_COLUMN_COMPONENTS + 1;
	AssertRefused(sheet.cloth, &bad, drape_errorArgument, "componentCount");
	bad = good;
	bad.inherit = (drapeColumnInherit)3;
	AssertRefused(sheet.cloth, &bad, drape_errorArgument, "inherit");
	ASSERT_REFUSED(assert_int_equal(drapeCreateColumn(sheet.cloth, &good, NULL), drape_errorArgument));

	drapeColumnId column = Create(sheet.cloth, &good);
	AssertRefused(sheet.cloth, &good, drape_errorArgument, "already");
	assert_int_equal(drapeCloth_FindColumn(sheet.cloth, "good").index1, column.index1);
	assert_int_equal(drapeCloth_FindColumn(sheet.cloth, "other").index1, 0);
	assert_int_equal(drapeCloth_FindColumn(sheet.cloth, "drape.previous").index1, 0);
	drapeColumnId next = column, older = column;
	next.index1++;
	older.generation = (uint16_t)(older.generation - 2);
	ASSERT_REFUSED(assert_null(drapeColumn_GetValues((drapeColumnId){0})));
	ASSERT_REFUSED(assert_null(drapeColumn_GetValues(next)));
	ASSERT_REFUSED(assert_null(drapeColumn_GetValues(older)));
	char name[4] = "c0";
	for (int i = 1; i < 16; ++i)
	{
		name[1] = (char)('a' + i);
		bad = Def(name, 1, drape_inheritZero);
		Create(sheet.cloth, &bad);
	}
	bad = Def("one too many", 1, drape_inheritZero);
	AssertRefused(sheet.cloth, &bad, drape_errorLimit, "16");
	Sheet_Destroy(&sheet);
}

// The values, the hash and the number of particles after `edit` failed for want of memory are those before.
static void AnyAllocationMayFailAndNothingChanges(void** state)
{
	(void)state;
	uint32_t failures = 0;
	bool isDone = false;
	for (size_t number = 1; !isDone; ++number)
	{
		Test_FailAllocation(1000000, false);
		Sheet sheet = SheetOf(drape_schemeEdge, 4);
		drapeColumnDef def = Def("kept", 2, drape_inheritMean);
		drapeColumnId column = Create(sheet.cloth, &def);
		for (int i = 0; i < 2; ++i)
			assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
		uint32_t count = drapeCloth_GetView(sheet.cloth).particleCount;
		for (uint32_t i = 0; i < 2 * count; ++i)
			drapeColumn_GetValues(column)[i] = (float)i;
		size_t setup = Test_AllocationCount();
		uint64_t hash = drapeWorld_GetHash(sheet.world);
		Sheet_Destroy(&sheet);

		Test_FailAllocation(setup + number, false);
		sheet = SheetOf(drape_schemeEdge, 4);
		column = Create(sheet.cloth, &def);
		for (int i = 0; i < 2; ++i)
			assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
		for (uint32_t i = 0; i < 2 * count; ++i)
			drapeColumn_GetValues(column)[i] = (float)i;
		def.name = "new";
		drapeColumnId added;
		drapeResult created = drapeCreateColumn(sheet.cloth, &def, &added);
		bool isSame = created == drape_ok || drapeWorld_GetHash(sheet.world) == hash;
		drapeResult refined = created == drape_ok ? drapeCloth_Refine(sheet.cloth) : created;
		assert_true(isSame && (refined == drape_ok || refined == drape_errorMemory));
		if (refined == drape_errorMemory)
		{
			assert_int_equal(drapeCloth_GetView(sheet.cloth).particleCount, count);
			for (uint32_t i = 0; i < 2 * count; ++i)
				assert_true(drapeColumn_GetValues(column)[i] == (float)i);
			failures++;
		}
		isDone = refined == drape_ok;
		def.name = "kept";
		Sheet_Destroy(&sheet);
	}
	Test_FailAllocation(0, false);
	assert_true(failures > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ValuesStayWithTheirParticlesInAllSchemes),
		cmocka_unit_test(TheMeanRuleKeepsALinearFunctionOfTheMaterial),
		cmocka_unit_test(LabelsAreThoseOfTheNearestParent),
		cmocka_unit_test(AConstantHoldsForAllParticlesThatThereAre),
		cmocka_unit_test(FrictionStateStaysWithItsParticle),
		cmocka_unit_test(ColumnsAreTheSameForAnyNumberOfThreads),
		cmocka_unit_test(AColumnDoesNotChangeTheMotion),
		cmocka_unit_test(SnapshotsBringColumnsBackBitForBit),
		cmocka_unit_test(AStateTransferTakesColumnsAlong),
		cmocka_unit_test(BadDefinitionsAreRefusedWithAReason),
		cmocka_unit_test(AnyAllocationMayFailAndNothingChanges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
