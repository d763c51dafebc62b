// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The interface between energies and implicit solvers, for springs and bending elements: forces and blocks by element.
// test_membrane has the same for the membrane.

extern const EnergyClass drapeEnergy_membrane, drapeEnergy_curvature, drapeEnergy_stretchSprings,
	drapeEnergy_bendSprings, drapeEnergy_bendElements;

typedef struct Bench
{
	Rig rig;
	Model model;
	TaskPool* tasks;
	Vec4 *force, *block; // by element, of the energy evaluated last
} Bench;

typedef struct Variant
{
	drapeSpringLaw law;
	drapeDamping damping;
	drapeBending bending;
} Variant;

static const Variant variants[] = {
	{drape_springArea, drape_dampingProjected, drape_bendElements},
	{drape_springArea, drape_dampingSimple, drape_bendElements},
	{drape_springArea, drape_dampingProjected, drape_bendSprings},
	{drape_springLength, drape_dampingSimple, drape_bendSprings},
};

enum
{
	variantCount = sizeof variants / sizeof variants[0],
};

static const float dampingTime = 0.02f;

static void Bench_Create(Bench* bench, const Variant* variant, int mesh)
{
	drapeMesh pattern = Rig_Mesh(mesh);
	drapeMaterial material = drapeDefaultMaterial();
	drapeSpringDef springs = drapeDefaultSpringDef();
	material.dampingTime = dampingTime;
	springs.law = variant->law;
	springs.damping = variant->damping;
	springs.bending = variant->bending;
	*bench = (Bench){.tasks = drapeTaskPool_Create(1, NULL, NULL, NULL)};
	Rig_Create(&bench->rig, &pattern);
	bench->rig.active.revision = 1;
	drapeModel_Init(&bench->model, drape_modelSprings, &material, &springs);
	bench->model.usesElements = true;
	assert_true(drapeModel_Follow(&bench->model, &bench->rig.active, bench->tasks));
	size_t capacity = bench->rig.active.edgeCount + 8;
	bench->force = calloc(elementParticles * capacity, sizeof(Vec4));
	bench->block = calloc(3 * elementPairs * capacity, sizeof(Vec4));
	assert_true(bench->force && bench->block);
	TestMesh_Free(&pattern);
}

static void Bench_Destroy(Bench* bench)
{
	free(bench->force);
	free(bench->block);
	drapeModel_Destroy(&bench->model);
	Rig_Destroy(&bench->rig);
	drapeTaskPool_Destroy(bench->tasks);
}

static void Shake(Bench* bench, Random* random, float scale, float size)
{
	ActiveMesh* active = &bench->rig.active;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		Vec4 *x = &active->position[i], *v = &active->velocity[i];
		x->x = scale * x->x + Random_Range(random, -size, size);
		x->y = scale * x->y + Random_Range(random, -size, size);
		x->z = scale * x->z + Random_Range(random, -size, size);
		v->x = Random_Range(random, -1.0f, 1.0f);
		v->y = Random_Range(random, -1.0f, 1.0f);
		v->z = Random_Range(random, -1.0f, 1.0f);
	}
}

static EnergyQuery Query(const Bench* bench, float tau, float material, float geometric)
{
	return (EnergyQuery){bench->rig.active.position, bench->rig.active.velocity, tau, material, geometric};
}

static void Evaluate(Bench* bench, uint32_t energy, EnergyQuery query)
{
	const ModelEnergy* own = &bench->model.energies[energy];
	own->type->evaluate(&bench->model, &own->elements, &query, 0, own->elements.count, bench->force, bench->block);
}

// --- forces ---------------------------------------------------------------------------------------------------------

static void ElementForcesAddUpToThoseOfExplicitIntegrators(void** state)
{
	(void)state;
	Random random = Random_Seed(61, 1);
	for (int index = 0; index < variantCount * 6; ++index)
	{
		Bench bench;
		Bench_Create(&bench, &variants[index % variantCount], index / variantCount);
		Shake(&bench, &random, 1.0f, 0.05f);
		const ActiveMesh* active = &bench.rig.active;
		const ModelState moment = {active->position, active->velocity, 0.0};
		assert_int_equal(bench.model.energyCount, 2);
		for (uint32_t i = 0; i < bench.model.energyCount; ++i)
		{
			const EnergyClass* type = bench.model.energies[i].type;
			uint32_t particles = drapeElement_Shape(type->elements)->particles;
			Vec4* sum = calloc(active->particleCount, sizeof *sum);
			float largest = 0.0f;
			type->addForces(&bench.model, &moment, sum, bench.tasks);
			for (uint32_t p = 0; p < active->particleCount; ++p)
				largest = fmaxf(largest, V3Length(V4Xyz(sum[p])));
			Evaluate(&bench, i, Query(&bench, dampingTime, 1.0f, 1.0f));
			for (uint32_t e = 0; e < drapeElement_Count(type->elements, active); ++e)
			{
				uint32_t particle[elementParticles];
				if (!drapeElement_Particles(type->elements, active, e, particle))
					continue;
				for (uint32_t k = 0; k < particles; ++k)
				{
					Vec4 f = bench.force[particles * e + k], *out = &sum[particle[k]];
					assert_true(f.w == 0.0f);
					*out = (Vec4){out->x - f.x, out->y - f.y, out->z - f.z, 0.0f};
				}
			}
			for (uint32_t p = 0; p < active->particleCount; ++p)
				assert_true(V3Length(V4Xyz(sum[p])) <= 2e-5f * largest);
			free(sum);
		}
		Bench_Destroy(&bench);
	}
}

// --- blocks ---------------------------------------------------------------------------------------------------------

static float Component(Vec4 v, int k)
{
	return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

// The block of a pair by central differences of the force on its first particle: minus its change with the second one's
// position or velocity.
static void NumericBlock(Bench* bench, uint32_t energy, EnergyQuery query, uint32_t row, float* moved, float step,
                         float block[3])
{
	float kept = *moved;
	*moved = kept + step;
	Evaluate(bench, energy, query);
	Vec4 above = bench->force[row];
	*moved = kept - step;
	Evaluate(bench, energy, query);
	Vec4 below = bench->force[row];
	*moved = kept;
	for (int k = 0; k < 3; ++k)
		block[k] = -(Component(above, k) - Component(below, k)) / (2.0f * step);
}

// The largest difference of an element's blocks from numeric ones, over the largest entry.
static float BlockError(Bench* bench, uint32_t energy, uint32_t element, EnergyQuery query, bool byVelocity, float step)
{
	ActiveMesh* active = &bench->rig.active;
	ElementKind kind = bench->model.energies[energy].type->elements;
	const ElementShape* shape = drapeElement_Shape(kind);
	uint32_t particle[elementParticles];
	if (!drapeElement_Particles(kind, active, element, particle))
		return 0.0f;
	float largest = 0.0f, error = 0.0f;
	for (uint32_t p = 0; p < shape->pairs; ++p)
	{
		uint32_t a = shape->pair[p][0], b = shape->pair[p][1];
		for (int column = 0; column < 3; ++column)
		{
			Evaluate(bench, energy, query);
			Vec4 exact = bench->block[3 * (shape->pairs * element + p) + (uint32_t)column];
			Vec4* rows = byVelocity ? active->velocity : active->position;
			float numeric[3];
			NumericBlock(bench, energy, query, shape->particles * element + a, &rows[particle[b]].x + column, step,
			             numeric);
			for (int k = 0; k < 3; ++k)
			{
				largest = fmaxf(largest, fabsf(Component(exact, k)));
				error = fmaxf(error, fabsf(Component(exact, k) - numeric[k]));
			}
		}
	}
	return error / largest;
}

static void BlocksOfStretchedSpringsAreTheDerivativesOfTheirForces(void** state)
{
	(void)state;
	Random random = Random_Seed(62, 1);
	for (int index = 0; index < 2; ++index)
	{
		Bench bench;
		Bench_Create(&bench, &variants[2 + index], index);
		Shake(&bench, &random, 1.5f, 0.02f);
		if (index == 1)
			drapeModel_LimitStretch(&bench.model, 1.2f);
		for (uint32_t energy = 0; energy < 2; ++energy)
		{
			for (uint32_t e = 0; e < bench.rig.active.edgeCount; e += 3)
				assert_true(BlockError(&bench, energy, e, Query(&bench, 0.0f, 1.0f, 1.0f), false, 1e-3f) < 5e-3f);
		}
		Bench_Destroy(&bench);
	}
}

static void BlocksOfFlatBendingElementsAreTheDerivativesOfTheirForces(void** state)
{
	(void)state;
	Random random = Random_Seed(63, 1);
	Bench bench;
	Bench_Create(&bench, &variants[0], 0);
	for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
	{
		Vec4* x = &bench.rig.active.position[i];
		x->x += Random_Range(&random, -0.02f, 0.02f);
	}
	for (uint32_t e = 0; e < bench.rig.active.edgeCount; ++e)
		assert_true(BlockError(&bench, 1, e, Query(&bench, 0.0f, 1.0f, 1.0f), false, 1e-3f) < 5e-3f);
	Bench_Destroy(&bench);
}

// materialScale - geometricScale is the damping time times s: what is left without the stiffness is the derivative by
// the velocity.
static void BlocksOfDampingAreTheDerivativesByTheVelocity(void** state)
{
	(void)state;
	Random random = Random_Seed(64, 1);
	for (int index = 0; index < variantCount; ++index)
	{
		Bench bench;
		Bench_Create(&bench, &variants[index], index);
		Shake(&bench, &random, 1.0f, 0.03f);
		for (uint32_t energy = 0; energy < 2; ++energy)
		{
			EnergyQuery query = Query(&bench, dampingTime, dampingTime, 0.0f);
			for (uint32_t e = 0; e < bench.rig.active.edgeCount; e += 2)
				assert_true(BlockError(&bench, energy, e, query, true, 0.1f) < 2e-3f);
		}
		Bench_Destroy(&bench);
	}
}

// x^T A x of an element, its diagonal blocks minus the sums of the others.
static double Quadratic(const Bench* bench, const ElementShape* shape, uint32_t element, const Vec4* x, double* size)
{
	double sum = 0.0;
	for (uint32_t p = 0; p < shape->pairs; ++p)
	{
		const Vec4* block = &bench->block[3 * (shape->pairs * element + p)];
		Vec4 a = x[shape->pair[p][0]], b = x[shape->pair[p][1]];
		for (int k = 0; k < 9; ++k)
		{
			int row = k / 3, column = k % 3;
			double own = (double)Component(block[column], row), ar = (double)Component(a, row);
			double ac = (double)Component(a, column), br = (double)Component(b, row), bc = (double)Component(b, column);
			// 2 x_a^T A_ab x_b - x_a^T A_ab x_a - x_b^T A_ab x_b
			sum += own * (2.0 * ar * bc - ar * ac - br * bc);
			*size += fabs(own * (2.0 * ar * bc)) + fabs(own * ar * ac) + fabs(own * br * bc);
		}
	}
	return sum;
}

static void NoStateMakesTheStiffnessOfAnElementIndefinite(void** state)
{
	(void)state;
	Random random = Random_Seed(65, 1);
	uint32_t tried = 0;
	for (int index = 0; index < variantCount * 4; ++index)
	{
		Bench bench;
		Bench_Create(&bench, &variants[index % variantCount], index % 5);
		// From crushed to a point up to torn apart, and folded at random.
		Shake(&bench, &random, 0.4f * (float)(index / variantCount), index % 3 == 0 ? 0.3f : 0.03f);
		for (uint32_t energy = 0; energy < 2; ++energy)
		{
			ElementKind kind = bench.model.energies[energy].type->elements;
			Evaluate(&bench, energy, Query(&bench, dampingTime, 1.1f, 1.0f));
			for (uint32_t e = 0; e < 4 * bench.rig.active.edgeCount; ++e)
			{
				uint32_t particle[elementParticles];
				if (!drapeElement_Particles(kind, &bench.rig.active, e / 4, particle))
					continue;
				Vec4 x[elementParticles];
				for (int k = 0; k < elementParticles; ++k)
					x[k] = (Vec4){Random_Range(&random, -1.0f, 1.0f), Random_Range(&random, -1.0f, 1.0f),
					              Random_Range(&random, -1.0f, 1.0f), 0.0f};
				double size = 0.0, product = Quadratic(&bench, drapeElement_Shape(kind), e / 4, x, &size);
				if (!(isfinite(product) && product >= -1e-5 * size))
					fail_msg("variant %d, energy %u: %g of %g", index, energy, product, size);
				++tried;
			}
		}
		Bench_Destroy(&bench);
	}
	assert_true(tried > 1000);
}

// Along the spring the stiffness stays; across it there is none.
static void ACompressedSpringKeepsItsStiffnessAlongItself(void** state)
{
	(void)state;
	Bench bench;
	Bench_Create(&bench, &variants[0], 0);
	Random random = Random_Seed(66, 1);
	Shake(&bench, &random, 0.7f, 0.0f);
	Evaluate(&bench, 0, Query(&bench, 0.0f, 2.0f, 3.0f));
	const EdgeElements* springs = &bench.model.energies[0].elements;
	for (uint32_t e = 0; e < springs->count; ++e)
	{
		Vec3 d = V3Sub(V4Xyz(bench.rig.active.position[springs->particle[1][e]]),
		               V4Xyz(bench.rig.active.position[springs->particle[0][e]]));
		assert_true(V3Length(d) < springs->param[0][e]);
		Vec3 n = V3Normalize(d), across = V3Normalize(V3Cross(n, (Vec3){0.3f, 0.5f, 0.8f}));
		const Vec4* block = &bench.block[3 * e];
		Vec3 along = {0}, beside = {0};
		for (int column = 0; column < 3; ++column)
		{
			float nc = column == 0 ? n.x : column == 1 ? n.y : n.z;
			float ac = column == 0 ? across.x : column == 1 ? across.y : across.z;
			along = V3Add(along, V3Scale(nc, V4Xyz(block[column])));
			beside = V3Add(beside, V3Scale(ac, V4Xyz(block[column])));
		}
		float stiffness = springs->param[1][e];
		assert_true(V3Length(V3Add(along, V3Scale(2.0f * stiffness, n))) < 1e-5f * stiffness);
		assert_true(V3Length(beside) < 1e-5f * stiffness);
	}
	Bench_Destroy(&bench);
}

// --- rows of the table ----------------------------------------------------------------------------------------------

static void EveryModelHasItsEnergies(void** state)
{
	(void)state;
	static const struct
	{
		drapeModel model;
		drapeBending bending;
		const EnergyClass* energies[2];
	} rows[] = {
		{drape_modelSprings, drape_bendElements, {&drapeEnergy_stretchSprings, &drapeEnergy_bendElements}},
		{drape_modelSprings, drape_bendSprings, {&drapeEnergy_stretchSprings, &drapeEnergy_bendSprings}},
		{drape_modelSprings, drape_bendNone, {&drapeEnergy_stretchSprings, NULL}},
		{drape_modelFem, drape_bendElements, {&drapeEnergy_membrane, &drapeEnergy_curvature}},
		{drape_modelFem, drape_bendNone, {&drapeEnergy_membrane, &drapeEnergy_curvature}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		Model model;
		drapeMaterial material = drapeDefaultMaterial();
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.bending = rows[i].bending;
		drapeModel_Init(&model, rows[i].model, &material, &springs);
		assert_int_equal(model.energyCount, rows[i].energies[1] ? 2 : 1);
		for (uint32_t k = 0; k < model.energyCount; ++k)
			assert_ptr_equal(model.energies[k].type, rows[i].energies[k]);
		assert_true((drapeModel_Quadratic(&model) != NULL) == (rows[i].model == drape_modelFem));
		drapeModel_Destroy(&model);
	}
}

static void GreatestStiffnessIsThatOfTheStiffestSpring(void** state)
{
	(void)state;
	Bench bench;
	Bench_Create(&bench, &variants[2], 2);
	float greatest = 0.0f;
	for (uint32_t e = 0; e < bench.rig.active.edgeCount; ++e)
		greatest = fmaxf(greatest, bench.model.energies[0].elements.param[1][e]);
	assert_true(greatest > 0.0f && drapeModel_GreatestStiffness(&bench.model) == greatest);
	Bench_Destroy(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ElementForcesAddUpToThoseOfExplicitIntegrators),
		cmocka_unit_test(BlocksOfStretchedSpringsAreTheDerivativesOfTheirForces),
		cmocka_unit_test(BlocksOfFlatBendingElementsAreTheDerivativesOfTheirForces),
		cmocka_unit_test(BlocksOfDampingAreTheDerivativesByTheVelocity),
		cmocka_unit_test(NoStateMakesTheStiffnessOfAnElementIndefinite),
		cmocka_unit_test(ACompressedSpringKeepsItsStiffnessAlongItself),
		cmocka_unit_test(EveryModelHasItsEnergies),
		cmocka_unit_test(GreatestStiffnessIsThatOfTheStiffestSpring),
	};
	return cmocka_run_group_tests_name("energies", tests, NULL, NULL);
}
