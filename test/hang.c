// SPDX-License-Identifier: MIT
#include "hang.h"

#include "base/random.h"

drapeClothDef Hang_Def(void)
{
	drapeClothDef def = drapeDefaultClothDef();
	def.model = drape_modelFem;
	def.material.density = 0.2f;
	def.material.stretchWarp = def.material.stretchWeft = 5000.0f;
	def.material.poisson = 0.3f;
	def.material.shear = 2000.0f;
	def.material.bendWarp = def.material.bendWeft = 3e-5f;
	def.material.bendBias = 0.0f;
	def.material.dampingTime = 0.0f;
	def.solver.integrator = drape_integratorImplicitEuler;
	def.solver.maxIterations = 2000;
	def.solver.globalDamping = 0.0f;
	def.solver.maxStretch = 0.0f;
	def.adapt = Sheet_Plain(8);
	return def;
}

drapeClothId Hang_Add(drapeWorldId world, const drapeClothDef* def, uint32_t quads, uint32_t refinements)
{
	drapeMesh mesh = {0};
	drapeClothDef whole = *def;
	drapeResult result = drape_ok;
	whole.result = &result;
	if (!def->mesh)
	{
		assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh), drape_ok);
		whole.mesh = &mesh;
	}
	drapeClothId cloth = drapeCreateCloth(world, &whole);
	if (!def->mesh)
		drapeMesh_Free(&mesh);
	assert_int_equal(result, drape_ok);
	for (uint32_t i = 0; i < refinements; ++i)
		assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	drapeCloth_Pin(cloth, 0);
	drapeCloth_Pin(cloth, quads);
	return cloth;
}

void Hang_Step(drapeWorldId world, float dt)
{
	drapeResult result = drapeWorld_Step(world, dt);
	if (result != drape_ok)
		fail_msg("%s: %s", drapeResult_String(result), drapeWorld_GetFailure(world).text);
}

void Hang_Run(drapeWorldId world, int steps)
{
	for (int i = 0; i < steps; ++i)
		Hang_Step(world, frame);
}

void Hang_Check(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_View(cloth);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		assert_true(V3IsFinite(V4Xyz(view.positions[i])) && V3IsFinite(V4Xyz(view.velocities[i])));
		assert_true(V3IsFinite(V4Xyz(view.normals[i])));
	}
	Sheet_Check((drapeWorldId){cloth.world});
}

void Hang_SplitSome(drapeClothId cloth, uint32_t edits, uint64_t seed)
{
	Random random = Random_Seed(seed, 77);
	for (uint32_t i = 0; i < edits; ++i)
	{
		drapeResult result = drapeCloth_SplitEdge(cloth, Random_Below(&random, drapeCloth_View(cloth).edgeCount));
		assert_true(result == drape_ok || result == drape_errorBlocked);
	}
}

ImplicitSolver* Hang_Solver(drapeClothId cloth)
{
	return &drapeCloth_Get(cloth)->simulation.implicit;
}

uint32_t Hang_Iterations(drapeWorldId world, drapeClothId cloth, int steps)
{
	uint32_t sum = 0;
	for (int i = 0; i < steps; ++i)
	{
		Hang_Step(world, frame);
		sum += drapeCloth_Get(cloth)->costs.iterations;
	}
	return sum;
}
