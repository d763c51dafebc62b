// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "mesh/columns.h"

#include <stdlib.h>
#include <string.h>

static uint32_t Add(ActiveMesh* mesh, const char* name, uint32_t size, ColumnRule rule)
{
	ColumnDef def = {.name = name, .size = size, .rule = rule};
	uint32_t column = drapeColumns_Add(mesh, &def);
	assert_int_not_equal(column, DRAPE_NONE);
	return column;
}

static float* Floats(const ActiveMesh* mesh, uint32_t column)
{
	return Columns_Data(&mesh->columns, column);
}

// --- rules ----------------------------------------------------------------------------------------------------------

// Three pattern vertices.
static ActiveMesh Corners(void)
{
	ActiveMesh mesh = {.areaUnit = 1.0, .density = 1.0f};
	assert_true(drapeActiveMesh_ReserveParticles(&mesh, 8));
	for (uint32_t i = 0; i < 3; ++i)
		drapeActiveMesh_AddParticle(&mesh, (Vec3){(float)i, 0.0f, 0.0f}, i);
	return mesh;
}

static void NewParticlesGetTheValueOfTheRule(void** state)
{
	(void)state;
	ActiveMesh mesh = Corners();
	uint32_t zero = Add(&mesh, "zero", sizeof(float), columnZero);
	uint32_t near = Add(&mesh, "near", sizeof(float), columnNearestParent);
	uint32_t mean = Add(&mesh, "mean", 2 * sizeof(float), columnMean);
	for (uint32_t i = 0; i < 3; ++i)
	{
		assert_true(Floats(&mesh, zero)[i] == 0.0f && Floats(&mesh, mean)[2 * i + 1] == 0.0f);
		Floats(&mesh, zero)[i] = Floats(&mesh, near)[i] = 1.0f + (float)i;
		Floats(&mesh, mean)[2 * i] = (float)(i * i);
		Floats(&mesh, mean)[2 * i + 1] = 0.1f;
	}
	uint32_t middle = drapeActiveMesh_AddMiddle(&mesh, 2, 1, 1, 3);
	ParticleParents parents = {{0, 1, DRAPE_NONE}, {1.0f / 3.0f, 2.0f / 3.0f, 0.0f}};
	uint32_t third = drapeActiveMesh_AddBetween(&mesh, &parents, 1, 4);
	parents = (ParticleParents){{1, 2, 0}, {0.25f, 0.25f, 0.5f}};
	uint32_t inner = drapeActiveMesh_AddBetween(&mesh, &parents, 1, 5);
	uint32_t vertex = drapeActiveMesh_AddParticle(&mesh, (Vec3){0.0f, 1.0f, 0.0f}, 6);
	const uint32_t created[4] = {middle, third, inner, vertex};
	const float nearest[4] = {3.0f, 2.0f, 1.0f, 0.0f}, means[4] = {2.5f, 2.0f / 3.0f, 1.25f, 0.0f};
	for (int i = 0; i < 4; ++i)
	{
		assert_true(Floats(&mesh, zero)[created[i]] == 0.0f);
		assert_true(Floats(&mesh, near)[created[i]] == nearest[i]);
		assert_float_equal(Floats(&mesh, mean)[2 * created[i]], means[i], 1e-6f);
		// A value that all parents share is inherited exactly.
		assert_true(Floats(&mesh, mean)[2 * created[i] + 1] == (i < 3 ? 0.1f : 0.0f));
	}
	drapeActiveMesh_Destroy(&mesh);
}

// One more than the greatest of the parents' values: depends on their being written before.
static void OneMore(const ActiveMesh* mesh, uint32_t particle, void* values)
{
	uint32_t* rows = values;
	rows[particle] = 0;
	for (uint32_t k = 0; k < ParticleParents_Count(&mesh->parents[particle]); ++k)
		rows[particle] = MaxU32(rows[particle], rows[mesh->parents[particle].parent[k]] + 1);
}

static void CustomRulesRunOnceAfterAChangeForParentsFirst(void** state)
{
	(void)state;
	ActiveMesh mesh = Corners();
	ColumnDef def = {.name = "depth", .size = sizeof(uint32_t), .rule = columnCustom, .inherit = OneMore};
	uint32_t column = drapeColumns_Add(&mesh, &def);
	assert_true(ArrayReserve(&mesh.log.created, 3));
	for (uint32_t i = 0; i < 3; ++i)
	{
		uint32_t before = mesh.particleCount - 1;
		ArrayPush(&mesh.log.created,
		          drapeActiveMesh_AddMiddle(&mesh, before, before - 1, (uint8_t)(i + 1), before + 1));
	}
	uint32_t* depth = Columns_Data(&mesh.columns, column);
	assert_true(depth[3] == 0 && depth[5] == 0);
	mesh.revision++;
	drapeColumns_Complete(&mesh);
	assert_true(depth[3] == 1 && depth[4] == 2 && depth[5] == 3);
	depth[4] = 77;
	drapeColumns_Complete(&mesh);
	assert_int_equal(depth[4], 77);
	drapeColumns_InheritAll(&mesh, column);
	assert_true(depth[0] == 0 && depth[3] == 1 && depth[4] == 2 && depth[5] == 3);
	drapeActiveMesh_Destroy(&mesh);
}

static void SwappedColumnsExchangeTheirValuesAndKeepTheirRules(void** state)
{
	(void)state;
	ActiveMesh mesh = Corners();
	uint32_t kept = Add(&mesh, "kept", sizeof(float), columnNearestParent);
	uint32_t scratch = Add(&mesh, "scratch", sizeof(float), columnScratch);
	for (uint32_t i = 0; i < 3; ++i)
	{
		Floats(&mesh, kept)[i] = (float)i;
		Floats(&mesh, scratch)[i] = 10.0f + (float)i;
	}
	drapeColumns_Swap(&mesh.columns, kept, scratch);
	drapeActiveMesh_MoveParticle(&mesh, 0, 2);
	assert_true(Floats(&mesh, kept)[0] == 12.0f && Floats(&mesh, kept)[1] == 11.0f);
	assert_true(Floats(&mesh, scratch)[0] == 0.0f && Floats(&mesh, scratch)[2] == 2.0f);
	assert_int_equal(drapeColumns_Find(&mesh.columns, "kept"), kept);
	assert_int_equal(drapeColumns_Find(&mesh.columns, "scratch"), scratch);
	assert_int_equal(drapeColumns_Find(&mesh.columns, "other"), DRAPE_NONE);
	drapeActiveMesh_Destroy(&mesh);
}

// --- random edits ---------------------------------------------------------------------------------------------------

// Each particle has a tag of its own. The test keeps the tags by the scheme's names, the mesh by particle.
typedef struct Tags
{
	uint32_t tag, label; // columns: zero for new particles; that of the nearest parent
	uint64_t next;
	uint64_t* byName;
	uint32_t capacity;
	uint32_t kept, created;
} Tags;

typedef struct Tag
{
	uint64_t value[3]; // 24 bytes
} Tag;

static Tag MakeTag(uint64_t number)
{
	return (Tag){{number, ~number, 3 * number}};
}

static void SetTag(Tags* tags, const ActiveMesh* mesh, uint32_t particle)
{
	uint32_t name = mesh->vertexId[particle];
	if (name >= tags->capacity)
	{
		tags->capacity = 2 * (name + 1);
		tags->byName = realloc(tags->byName, tags->capacity * sizeof(uint64_t));
	}
	tags->byName[name] = ++tags->next;
	((Tag*)Columns_Data(&mesh->columns, tags->tag))[particle] = MakeTag(tags->next);
}

static Tags Tags_Begin(ActiveMesh* mesh)
{
	Tags tags = {.tag = Add(mesh, "tag", sizeof(Tag), columnZero),
	             .label = Add(mesh, "label", sizeof(uint32_t), columnNearestParent)};
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		SetTag(&tags, mesh, i);
		((uint32_t*)Columns_Data(&mesh->columns, tags.label))[i] = i;
	}
	return tags;
}

static void Tags_Check(Tags* tags, const ActiveMesh* mesh)
{
	const Tag* tag = Columns_Data(&mesh->columns, tags->tag);
	const uint32_t* label = Columns_Data(&mesh->columns, tags->label);
	uint8_t* isNew = calloc(mesh->particleCount, 1);
	for (uint32_t i = 0; i < mesh->log.created.count; ++i)
		isNew[mesh->log.created.data[i]] = 1;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Tag expected = isNew[i] ? (Tag){{0}} : MakeTag(tags->byName[mesh->vertexId[i]]);
		assert_memory_equal(&tag[i], &expected, sizeof expected);
		const uint32_t* parent = mesh->parents[i].parent;
		if (parent[0] == DRAPE_NONE)
			assert_int_equal(label[i], i); // pattern vertices keep their indices
		else
			assert_int_equal(label[i], label[parent[0]]); // of equal weights the first counts
		tags->created += isNew[i];
		tags->kept += !isNew[i];
	}
	for (uint32_t i = 0; i < mesh->log.created.count; ++i)
		SetTag(tags, mesh, mesh->log.created.data[i]);
	free(isNew);
}

static void ValuesStayWithTheirParticlesThroughRandomEdits(void** state)
{
	(void)state;
	uint32_t kept = 0, created = 0, rebuilt = 0;
	for (int m = 0; m < rigMeshCount; ++m)
	{
		drapeMesh mesh = Rig_Mesh(m);
		Rig rig;
		Rig_Create(&rig, &mesh);
		TestMesh_Free(&mesh);
		Tags tags = Tags_Begin(&rig.active);
		Random random = Random_Seed(7, (uint64_t)m);
		for (int pass = 0; pass < (isSlow ? 40 : 200); ++pass)
		{
			uint32_t done = pass % 20 == 9    ? Rig_RefineAll(&rig)
			                : pass % 20 == 19 ? Rig_CoarsenAll(&rig)
			                                  : Rig_RandomPass(&rig, &random, 20, pass % 40 < 20 ? 0.7f : 0.3f);
			if (done == 0)
				continue;
			rebuilt += rig.active.log.rebuilt;
			Tags_Check(&tags, &rig.active);
		}
		Rig_Check(&rig);
		kept += tags.kept;
		created += tags.created;
		free(tags.byName);
		Rig_Destroy(&rig);
	}
	assert_true(kept > 10000 && created > 1000 && rebuilt > 10);
}

// --- memory ---------------------------------------------------------------------------------------------------------

enum
{
	cornersAllocations = 14, // of Corners(): one for each particle array of the mesh
};

static void ColumnsGrowTogetherOrNotAtAll(void** state)
{
	(void)state;
	const size_t setup = cornersAllocations + 3; // the list of columns and two columns
	uint32_t failures = 0;
	for (size_t number = 1; failures == number - 1; ++number)
	{
		Test_FailAllocation(setup + number, false);
		ActiveMesh mesh = Corners();
		uint32_t first = Add(&mesh, "first", sizeof(float), columnZero);
		uint32_t second = Add(&mesh, "second", 3 * sizeof(float), columnMean);
		assert_int_equal(Test_AllocationCount(), setup);
		for (uint32_t i = 0; i < 9; ++i)
			Floats(&mesh, second)[i] = Floats(&mesh, first)[i / 3] = (float)i;
		uint32_t capacity = mesh.particleCapacity;
		const float *firstData = Floats(&mesh, first), *secondData = Floats(&mesh, second);
		bool isGrown = drapeActiveMesh_ReserveParticles(&mesh, capacity + 1);
		assert_true(isGrown || (mesh.particleCapacity == capacity && Floats(&mesh, first) == firstData &&
		                        Floats(&mesh, second) == secondData));
		for (uint32_t i = 0; i < 9; ++i)
			assert_true(Floats(&mesh, second)[i] == (float)i);
		drapeActiveMesh_Destroy(&mesh);
		failures += !isGrown;
	}
	Test_FailAllocation(0, false);
	assert_int_equal(failures, cornersAllocations + 2);
}

static void AddingFailsWithoutATrace(void** state)
{
	(void)state;
	for (size_t number = 1; number <= 2; ++number)
	{
		Test_FailAllocation(cornersAllocations + number, false);
		ActiveMesh mesh = Corners();
		ColumnDef def = {.name = "lost", .size = 8, .rule = columnZero};
		assert_int_equal(drapeColumns_Add(&mesh, &def), DRAPE_NONE);
		assert_int_equal(mesh.columns.list.count, 0);
		assert_int_equal(drapeColumns_Find(&mesh.columns, "lost"), DRAPE_NONE);
		drapeActiveMesh_Destroy(&mesh);
	}
	Test_FailAllocation(0, false);
}

static void AMeshHasALimitedNumberOfColumns(void** state)
{
	(void)state;
	ActiveMesh mesh = Corners();
	char name[8] = "c00";
	for (uint32_t i = 0; i < maxColumns; ++i)
	{
		name[1] = (char)('0' + i / 10);
		name[2] = (char)('0' + i % 10);
		Add(&mesh, name, 1 + i, columnZero);
	}
	ColumnDef def = {.name = "more", .size = 4, .rule = columnZero};
	assert_int_equal(drapeColumns_Add(&mesh, &def), DRAPE_NONE);
	assert_true(drapeActiveMesh_ReserveParticles(&mesh, 2000));
	assert_int_equal(mesh.columns.list.count, maxColumns);
	drapeActiveMesh_Destroy(&mesh);
}

// --- hash and snapshots ---------------------------------------------------------------------------------------------

static void OnlyHashedColumnsChangeTheHashAndOnlySavedOnesTheIdentity(void** state)
{
	(void)state;
	ActiveMesh mesh = Corners();
	const uint64_t hash = drapeActiveMesh_Hash(&mesh);
	const uint32_t saved = drapeActiveMesh_SavedCount(&mesh);
	assert_int_equal(drapeColumns_Identity(&mesh.columns), 0);
	uint32_t plain = Add(&mesh, "plain", sizeof(float), columnZero);
	Floats(&mesh, plain)[1] = 5.0f;
	assert_true(drapeActiveMesh_Hash(&mesh) == hash && drapeColumns_Identity(&mesh.columns) == 0);
	assert_int_equal(drapeActiveMesh_SavedCount(&mesh), saved);

	ColumnDef def = {.name = "kept", .size = 8, .rule = columnMean, .flags = drape_columnSaved | drape_columnHashed};
	uint32_t kept = drapeColumns_Add(&mesh, &def);
	const uint64_t zeros = drapeActiveMesh_Hash(&mesh), identity = drapeColumns_Identity(&mesh.columns);
	Floats(&mesh, kept)[5] = 1.0f;
	assert_true(drapeActiveMesh_Hash(&mesh) != zeros);
	assert_int_equal(drapeActiveMesh_SavedCount(&mesh), saved + 1);
	ActiveArray array = drapeActiveMesh_Saved(&mesh, saved);
	assert_true(array.data == Floats(&mesh, kept) && array.size == 8 && array.kind == activeParticles);
	drapeActiveMesh_Destroy(&mesh);

	// Name, size and rule count.
	const ColumnDef others[3] = {
		{"Kept", 8, columnMean, NULL, def.flags},
		{"kept", 4, columnMean, NULL, def.flags},
		{"kept", 8, columnZero, NULL, def.flags},
	};
	for (int i = 0; i < 3; ++i)
	{
		mesh = Corners();
		drapeColumns_Add(&mesh, &others[i]);
		assert_true(drapeColumns_Identity(&mesh.columns) != identity);
		drapeActiveMesh_Destroy(&mesh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(NewParticlesGetTheValueOfTheRule),
		cmocka_unit_test(CustomRulesRunOnceAfterAChangeForParentsFirst),
		cmocka_unit_test(SwappedColumnsExchangeTheirValuesAndKeepTheirRules),
		cmocka_unit_test(ValuesStayWithTheirParticlesThroughRandomEdits),
		cmocka_unit_test(ColumnsGrowTogetherOrNotAtAll),
		cmocka_unit_test(AddingFailsWithoutATrace),
		cmocka_unit_test(AMeshHasALimitedNumberOfColumns),
		cmocka_unit_test(OnlyHashedColumnsChangeTheHashAndOnlySavedOnesTheIdentity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
