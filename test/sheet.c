// SPDX-License-Identifier: MIT
#include "sheet.h"

#include "world/world.h"

#include <math.h>
#include <stdlib.h>

drapeVec3 Sheet_Flat(float s, float t, float scale)
{
	return (drapeVec3){scale * (s - 0.5f), 0.0f, scale * (0.5f - t)};
}

drapeVec3 Sheet_Cylinder(float s, float t, float angle)
{
	float turn = angle * (s - 0.5f), radius = 1.0f / angle;
	return (drapeVec3){radius * sinf(turn), radius * cosf(turn), 0.5f - t};
}

drapeVec3 Sheet_Bumps(float s, float t, float height)
{
	const float waves = 9.42477796f;
	return (drapeVec3){s - 0.5f, height * sinf(waves * s) * sinf(waves * t), 0.5f - t};
}

drapeClothId Sheet_Add(drapeWorldId world, uint32_t columns, uint32_t rows, const drapeAdaptDef* adapt)
{
	drapeMesh mesh;
	if (drapeMesh_CreateGrid(columns, rows, 1.0f, 1.0f, &mesh) != drape_ok)
		return (drapeClothId){0};
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = &mesh;
	if (adapt)
		def.adapt = *adapt;
	drapeClothId cloth = drapeCreateCloth(world, &def);
	drapeMesh_Free(&mesh);
	return cloth;
}

Sheet Sheet_Create(uint32_t columns, uint32_t rows, const drapeAdaptDef* adapt)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	Sheet sheet = {.world = drapeCreateWorld(&def)};
	assert_non_null(sheet.world.world);
	sheet.cloth = Sheet_Add(sheet.world, columns, rows, adapt);
	assert_true(drapeCloth_IsValid(sheet.cloth));
	return sheet;
}

void Sheet_Destroy(Sheet* sheet)
{
	Sheet_Check(sheet->world);
	drapeDestroyWorld(sheet->world);
	*sheet = (Sheet){0};
}

bool Sheet_SetShape(drapeClothId cloth, SheetShape* shape, float amount)
{
	drapeClothView view = drapeCloth_View(cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
		positions[view.triangles[i]] = shape(view.texcoords[i].x, view.texcoords[i].y, amount);
	drapeResult result = drapeCloth_SetPositions(cloth, positions);
	free(positions);
	return result == drape_ok;
}

void Sheet_TiltNormals(drapeClothId cloth, float angle)
{
	ActiveMesh* active = &drapeCloth_Get(cloth)->active;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		float turn = angle * active->position[i].x;
		active->normal[i] = (Vec4){sinf(turn), cosf(turn), 0.0f, 0.0f};
	}
}

void Sheet_Check(drapeWorldId world)
{
	char text[200];
	if (!drapeWorld_Validate(world, text, sizeof text))
		fail_msg("%s", text);
}

drapeAdaptResult Sheet_Adapt(drapeClothId cloth)
{
	drapeAdaptResult result;
	assert_int_equal(drapeCloth_Adapt(cloth, &result), drape_ok);
	return result;
}

bool Sheet_Settle(drapeClothId cloth, uint32_t quiet, uint32_t limit, SheetShape* shape, float amount)
{
	uint32_t still = 0;
	for (uint32_t pass = 0; pass < limit && still < quiet; ++pass)
	{
		drapeAdaptResult result = Sheet_Adapt(cloth);
		still = result.splits + result.joins > 0 ? 0 : still + 1;
		if (shape)
			assert_true(Sheet_SetShape(cloth, shape, amount));
	}
	return still == quiet;
}

uint32_t Sheet_DeepestLevel(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_View(cloth);
	uint32_t level = 0;
	for (uint32_t i = 0; i < view.triangleCount; ++i)
		level = view.triangleLevels[i] > level ? view.triangleLevels[i] : level;
	return level;
}

uint32_t Sheet_ShallowestLevel(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_View(cloth);
	uint32_t level = DRAPE_MAX_LEVEL;
	for (uint32_t i = 0; i < view.triangleCount; ++i)
		level = view.triangleLevels[i] < level ? view.triangleLevels[i] : level;
	return level;
}

drapeAdaptDef Sheet_Plain(uint32_t maxLevel)
{
	drapeAdaptDef def = drapeDefaultAdaptDef();
	def.curvature.enabled = false;
	def.maxLevel = maxLevel;
	def.joinWait = 0;
	return def;
}

static uint32_t failedAsserts;

static bool CountAssert(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	failedAsserts++;
	return false;
}

void Test_RecordAsserts(void)
{
	failedAsserts = 0;
	drapeSetAssert(CountAssert);
}

uint32_t Test_RecordedAsserts(void)
{
	drapeSetAssert(NULL);
	return failedAsserts;
}

drapeWorldId Sheet_World(uint32_t workers)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	def.workerCount = workers;
	drapeWorldId world = drapeCreateWorld(&def);
	assert_non_null(world.world);
	return world;
}

drapeClothDef Sheet_CalmDef(void)
{
	drapeClothDef def = drapeDefaultClothDef();
	def.model = drape_modelFem;
	def.solver = drapeDefaultFemSolverDef();
	def.solver.integrator = drape_integratorImplicitEuler;
	def.solver.newtonIterations = 1;
	def.solver.globalDamping = 1.0f;
	def.material.dampingTime = 0.01f;
	def.adapt.scheme = drape_schemeFixed;
	def.contact = drape_contactAll;
	return def;
}
