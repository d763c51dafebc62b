// SPDX-License-Identifier: MIT
#include "hang.h"
#include "shared/make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// An energy that the library does not have takes part in implicit steps through its row alone: surface tension, which
// is the area of each triangle times a constant.

static const float tension = 500.0f; // N/m

// Forces are the exact gradient. The blocks are those of the Dirichlet energy, which is never below the area.
static void Evaluate(const Model* model, const EdgeElements* elements, const EnergyQuery* query, uint32_t start,
                     uint32_t end, Vec4* force, Vec4* block)
{
	(void)elements;
	const Membrane* mesh = &model->membrane; // for the corners
	for (uint32_t t = start; t < end; ++t)
	{
		Vec3 x[3];
		for (int k = 0; k < 3; ++k)
			x[k] = V4Xyz(query->position[mesh->corner[k][t]]);
		Vec3 normal = V3Cross(V3Sub(x[1], x[0]), V3Sub(x[2], x[0])), unit = V3Normalize(normal);
		for (int k = 0; k < 3; ++k)
		{
			Vec3 side = V3Sub(x[(k + 2) % 3], x[(k + 1) % 3]);
			Vec3 f = V3Scale(-0.5f * tension, V3Cross(unit, side));
			force[3 * t + (uint32_t)k] = (Vec4){f.x, f.y, f.z, 0.0f};
		}
		for (uint32_t p = 0; p < 3 && block; ++p)
		{
			Vec3 apex = x[(p + 2) % 3], a = V3Sub(x[p], apex), b = V3Sub(x[(p + 1) % 3], apex);
			float value = -0.5f * tension * query->geometricScale * V3Dot(a, b) / V3Length(normal);
			Vec4* out = &block[3 * (3 * t + p)];
			out[0] = (Vec4){value, 0.0f, 0.0f, 0.0f};
			out[1] = (Vec4){0.0f, value, 0.0f, 0.0f};
			out[2] = (Vec4){0.0f, 0.0f, value, 0.0f};
		}
	}
}

static double Energy(const Model* model, const Vec4* position)
{
	double sum = 0.0;
	for (uint32_t t = 0; t < model->membrane.count; ++t)
	{
		Vec3 a = V4Xyz(position[model->membrane.corner[0][t]]);
		Vec3 b = V4Xyz(position[model->membrane.corner[1][t]]), c = V4Xyz(position[model->membrane.corner[2][t]]);
		sum += 0.5 * (double)(tension * V3Length(V3Cross(V3Sub(b, a), V3Sub(c, a))));
	}
	return sum;
}

static const EnergyClass surfaceTension = {
	.name = "surface tension", .elements = elementTriangle, .evaluate = Evaluate, .energy = Energy};

// In the plane both directions shrink by e, with Y / (1 - nu) e + tension (1 + e) = 0.
static void SurfaceTensionShrinksASheetAsComputed(void** state)
{
	(void)state;
	for (int index = 0; index < 3; ++index)
	{
		const drapeIntegrator integrators[] = {drape_integratorImplicitEuler, drape_integratorImplicitMidpoint,
		                                       drape_integratorBdf2};
		drapeWorldDef worldDef = drapeDefaultWorldDef();
		worldDef.gravity = (drapeVec3){0.0f, 0.0f, 0.0f};
		worldDef.wind.airDensity = 0.0f;
		drapeWorldId world = Make_World(&worldDef);
		drapeClothDef def = Hang_Def();
		def.solver.integrator = integrators[index];
		def.solver.newtonIterations = 4;
		def.solver.globalDamping = 5.0f;
		def.material.dampingTime = 0.02f;
		drapeClothId cloth = Hang_Add(world, &def, 6, 0);
		Make_Unpinned(cloth);
		Cloth* inner = drapeCloth_Get(cloth);
		Model* model = &inner->simulation.model;
		model->energies[model->energyCount++].type = &surfaceTension;
		inner->simulation.implicit.revision = 0; // built without the new row
		Hang_Run(world, 240);
		drapeClothView view = drapeCloth_GetView(cloth);
		float low = INFINITY, high = -INFINITY, off = 0.0f;
		for (uint32_t i = 0; i < view.particleCount; ++i)
		{
			low = fminf(low, view.positions[i].x);
			high = fmaxf(high, view.positions[i].x);
			off = fmaxf(off, fabsf(view.positions[i].y));
		}
		double modulus = 5000.0 / (1.0 - 0.3), wanted = 1.0 - (double)tension / (modulus + (double)tension);
		double is = (double)(high - low);
		printf("%s: %.5f m wide, computed %.5f m\n", drapeIntegrator_GetName(integrators[index]), is, wanted);
		assert_true(fabs(is - wanted) < 1e-3 && off < 1e-4f);
		assert_true(fabsf(high + low) < 1e-4f); // the centre stays
		drapeDestroyWorld(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(SurfaceTensionShrinksASheetAsComputed),
	};
	return cmocka_run_group_tests_name("own energy", tests, NULL, NULL);
}
