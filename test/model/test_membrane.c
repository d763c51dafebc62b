// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "model/membrane.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- triangles that share nothing -----------------------------------------------------------------------------------

enum
{
	// Not a multiple of eight.
	patchTriangles = 29,
	patchParticles = 3 * patchTriangles,
};

typedef struct Patch
{
	ActiveMesh mesh; // only what a membrane reads
	uint32_t triangle[patchTriangles][3];
	TriangleMaterial material[patchTriangles];
	float area[patchTriangles];
	Vec4 position[patchParticles], velocity[patchParticles];
	Vec4 force[patchParticles], block[9 * patchTriangles];
	Membrane membrane;
} Patch;

// Random triangles of about a metre.
static void Patch_Create(Patch* patch, const drapeMaterial* material, Random* random)
{
	memset(patch, 0, sizeof *patch);
	for (uint32_t t = 0; t < patchTriangles; ++t)
	{
		Vec2* c = patch->material[t].corner;
		do
		{
			for (int k = 0; k < 3; ++k)
				c[k] = (Vec2){Random_Range(random, -1.0f, 1.0f), Random_Range(random, -1.0f, 1.0f)};
			patch->area[t] = 0.5f * V2Cross(V2Sub(c[1], c[0]), V2Sub(c[2], c[0]));
		} while (patch->area[t] < 0.3f);
		for (uint32_t k = 0; k < 3; ++k)
			patch->triangle[t][k] = 3 * t + k;
	}
	patch->mesh = (ActiveMesh){.particleCount = patchParticles,
	                           .triangleCount = patchTriangles,
	                           .triangle = patch->triangle,
	                           .material = patch->material,
	                           .area = patch->area,
	                           .revision = 1};
	drapeMembrane_Init(&patch->membrane, material);
	assert_true(drapeMembrane_Follow(&patch->membrane, &patch->mesh));
}

static void Patch_Destroy(Patch* patch)
{
	drapeMembrane_Destroy(&patch->membrane);
}

// Multiples of 2^-16, so that steps of a power of two are exact.
static float Coarse(double x)
{
	return (float)(nearbyint(x * 65536.0) / 65536.0);
}

static void RandomRotation(Random* random, double r[3][3])
{
	double q[4], length = 0.0;
	for (int i = 0; i < 4; ++i)
	{
		q[i] = (double)Random_Range(random, -1.0f, 1.0f);
		length += q[i] * q[i];
	}
	for (int i = 0; i < 4; ++i)
		q[i] /= sqrt(length);
	double w = q[0], x = q[1], y = q[2], z = q[3];
	double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
	                  {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
	                  {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
	memcpy(r, m, sizeof m);
}

// Puts triangle t where R [[a, b], [c, d]] takes its material coordinates, plus an offset.
static void Place(Patch* patch, uint32_t t, double r[3][3], double a, double b, double c, double d, Vec3 offset)
{
	for (int k = 0; k < 3; ++k)
	{
		Vec2 m = patch->material[t].corner[k];
		double u = a * (double)m.x + b * (double)m.y, v = c * (double)m.x + d * (double)m.y;
		patch->position[3 * t + (uint32_t)k] = (Vec4){Coarse(r[0][0] * u + r[0][1] * v + (double)offset.x),
		                                              Coarse(r[1][0] * u + r[1][1] * v + (double)offset.y),
		                                              Coarse(r[2][0] * u + r[2][1] * v + (double)offset.z), 0.0f};
	}
}

// Every triangle stretched along two random directions by factors between `low` and `high`, and turned in space.
static void Deform(Patch* patch, Random* random, float low, float high)
{
	for (uint32_t t = 0; t < patchTriangles; ++t)
	{
		double r[3][3], angle = (double)Random_Range(random, 0.0f, 3.14f), c = cos(angle), s = sin(angle);
		double p = (double)Random_Range(random, low, high), q = (double)Random_Range(random, low, high);
		RandomRotation(random, r);
		Vec3 offset = {Random_Range(random, -1.0f, 1.0f), Random_Range(random, -1.0f, 1.0f),
		               Random_Range(random, -1.0f, 1.0f)};
		double off = c * s * (p - q);
		Place(patch, t, r, c * c * p + s * s * q, off, off, s * s * p + c * c * q, offset);
	}
}

static void RandomVelocities(Patch* patch, Random* random)
{
	for (uint32_t i = 0; i < patchParticles; ++i)
	{
		patch->velocity[i] = (Vec4){Random_Range(random, -1.0f, 1.0f), Random_Range(random, -1.0f, 1.0f),
		                            Random_Range(random, -1.0f, 1.0f), 0.0f};
	}
}

static void Evaluate(Patch* patch, float dampingTime)
{
	EnergyQuery query = {patch->position, patch->velocity, dampingTime, 1.0f, 1.0f};
	drapeMembrane_Evaluate(&patch->membrane, &query, 0, patchTriangles, patch->force, patch->block);
}

// --- materials ------------------------------------------------------------------------------------------------------

static drapeMaterial Material(float warp, float weft, float shear, float poisson)
{
	drapeMaterial material = drapeDefaultMaterial();
	material.stretchWarp = warp;
	material.stretchWeft = weft;
	material.shear = shear;
	material.poisson = poisson;
	material.warpCurve = material.weftCurve = material.shearCurve = (drapeStressCurve){0};
	return material;
}

static drapeMaterial RandomMaterial(Random* random)
{
	return Material(Random_Range(random, 500.0f, 2000.0f), Random_Range(random, 500.0f, 2000.0f),
	                Random_Range(random, 50.0f, 1000.0f), Random_Range(random, 0.0f, 0.45f));
}

static drapeMaterial CurvedMaterial(void)
{
	drapeMaterial material = Material(1000.0f, 700.0f, 100.0f, 0.2f);
	material.warpCurve = (drapeStressCurve){3, {0.05f, 0.1f, 0.4f}, {20.0f, 90.0f, 700.0f}};
	material.weftCurve = (drapeStressCurve){2, {0.1f, 0.2f}, {60.0f, 65.0f}};
	material.shearCurve = (drapeStressCurve){6, {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f}, {2, 5, 9, 14, 20, 100}};
	return material;
}

// --- derivatives ----------------------------------------------------------------------------------------------------

static double* Load(double* three, Vec4 v)
{
	three[0] = (double)v.x, three[1] = (double)v.y, three[2] = (double)v.z;
	return three;
}

static float* Coordinate(Patch* patch, uint32_t particle, int k)
{
	return &patch->position[particle].x + k;
}

static double EnergyAt(Patch* patch, float* x, float dx, float* y, float dy)
{
	float keptX = *x, keptY = *y;
	*x += dx;
	*y += dy;
	double energy = drapeMembrane_Energy(&patch->membrane, patch->position);
	*y = keptY;
	*x = keptX;
	return energy;
}

// Central differences of two widths, so that the error is of fourth order.
static double Slope(Patch* patch, float* x, float h)
{
	double one = (EnergyAt(patch, x, h, x, 0) - EnergyAt(patch, x, -h, x, 0)) / (2.0 * (double)h);
	double two = (EnergyAt(patch, x, 2 * h, x, 0) - EnergyAt(patch, x, -2 * h, x, 0)) / (4.0 * (double)h);
	return (4.0 * one - two) / 3.0;
}

static double Second(Patch* patch, float* x, float* y, float h)
{
	double both = EnergyAt(patch, x, h, y, h) + EnergyAt(patch, x, -h, y, -h);
	double cross = EnergyAt(patch, x, h, y, -h) + EnergyAt(patch, x, -h, y, h);
	return (both - cross) / (4.0 * (double)h * (double)h);
}

static double Curvature(Patch* patch, float* x, float* y, float h)
{
	return (4.0 * Second(patch, x, y, h) - Second(patch, x, y, 2 * h)) / 3.0;
}

static void CheckGradient(Patch* patch, float step, double tolerance)
{
	Evaluate(patch, 0.0f);
	double worst = 0.0, largest = 0.0;
	for (uint32_t i = 0; i < patchParticles; ++i)
	{
		double force[3];
		Load(force, patch->force[i]);
		for (int k = 0; k < 3; ++k)
		{
			worst = fmax(worst, fabs(force[k] + Slope(patch, Coordinate(patch, i, k), step)));
			largest = fmax(largest, fabs(force[k]));
		}
	}
	if (!(worst < tolerance * largest))
		fail_msg("forces differ by %g of %g", worst, largest);
}

static void ForcesAreTheGradientOfTheEnergy(void** state)
{
	(void)state;
	Random random = Random_Seed(1, 1);
	for (int i = 0; i < 10; ++i)
	{
		drapeMaterial material = RandomMaterial(&random);
		Patch patch;
		Patch_Create(&patch, &material, &random);
		Deform(&patch, &random, 0.3f, 2.5f);
		CheckGradient(&patch, 0x1p-9f, 1e-5);
		Patch_Destroy(&patch);
	}
}

static void ForcesOfCurvedLawsAreTheGradientOfTheEnergy(void** state)
{
	(void)state;
	Random random = Random_Seed(2, 1);
	drapeMaterial material = CurvedMaterial();
	for (int i = 0; i < 10; ++i)
	{
		Patch patch;
		Patch_Create(&patch, &material, &random);
		Deform(&patch, &random, 0.5f, 1.6f);
		// A step across a kink is wrong by the step times the change of slope.
		CheckGradient(&patch, 0x1p-12f, 2e-3);
		Patch_Destroy(&patch);
	}
}

static void ForcesBeyondALimitAreTheGradientOfTheEnergy(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 1);
	for (int i = 0; i < 10; ++i)
	{
		drapeMaterial material = RandomMaterial(&random);
		Patch patch;
		Patch_Create(&patch, &material, &random);
		drapeMembrane_LimitStretch(&patch.membrane, 1.05f);
		Deform(&patch, &random, 0.8f, 1.4f);
		double limited = drapeMembrane_Energy(&patch.membrane, patch.position);
		CheckGradient(&patch, 0x1p-12f, 4e-3);
		drapeMembrane_LimitStretch(&patch.membrane, 0.0f);
		assert_true(drapeMembrane_Energy(&patch.membrane, patch.position) < limited);
		Patch_Destroy(&patch);
	}
}

// The nine by nine stiffness of a triangle, put together from its three blocks.
static void Assemble(const Patch* patch, uint32_t t, double m[9][9])
{
	memset(m, 0, 81 * sizeof(double));
	for (uint32_t pair = 0; pair < 3; ++pair)
	{
		uint32_t a = pair, b = (pair + 1) % 3;
		for (uint32_t column = 0; column < 3; ++column)
		{
			double entry[3];
			Load(entry, patch->block[9 * t + 3 * pair + column]);
			for (uint32_t row = 0; row < 3; ++row)
			{
				m[3 * a + row][3 * b + column] = m[3 * b + column][3 * a + row] = entry[row];
				m[3 * a + row][3 * a + column] -= entry[row];
				m[3 * b + column][3 * b + row] -= entry[row];
			}
		}
	}
}

static double LargestEntry(double m[9][9])
{
	double largest = 0.0;
	for (int i = 0; i < 81; ++i)
		largest = fmax(largest, fabs(m[i / 9][i % 9]));
	return largest;
}

static void CheckStiffness(Patch* patch, double tolerance)
{
	Evaluate(patch, 0.0f);
	for (uint32_t t = 0; t < patchTriangles; ++t)
	{
		double m[9][9], worst = 0.0;
		Assemble(patch, t, m);
		for (int i = 0; i < 81; ++i)
		{
			float* x = Coordinate(patch, 3 * t + (uint32_t)(i / 27), i / 9 % 3);
			float* y = Coordinate(patch, 3 * t + (uint32_t)(i % 9 / 3), i % 3);
			worst = fmax(worst, fabs(m[i / 9][i % 9] - Curvature(patch, x, y, 0x1p-8f)));
		}
		if (!(worst < tolerance * LargestEntry(m)))
			fail_msg("triangle %u: stiffness differs by %g of %g", t, worst, LargestEntry(m));
	}
}

static void StiffnessInTensionIsTheSecondDerivative(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 1);
	const drapeMaterial materials[] = {
		Material(1000.0f, 1000.0f, 400.0f, 0.25f), Material(1000.0f, 1000.0f, 500.0f, 0.0f),
		Material(1200.0f, 700.0f, 400.0f, 0.3f), Material(600.0f, 1500.0f, 700.0f, 0.1f)};
	for (int i = 0; i < 4; ++i)
	{
		Patch patch;
		Patch_Create(&patch, &materials[i], &random);
		Deform(&patch, &random, 1.05f, 1.3f);
		CheckStiffness(&patch, 1e-5);
		Patch_Destroy(&patch);
	}
}

// --- semidefinite ---------------------------------------------------------------------------------------------------

// By Jacobi's rotations.
static double LowestEigenvalue(double m[9][9])
{
	for (int sweep = 0; sweep < 12; ++sweep)
	{
		for (int p = 0; p < 9; ++p)
		{
			for (int q = p + 1; q < 9; ++q)
			{
				if (fabs(m[p][q]) < 1e-300)
					continue;
				double theta = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
				double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
				double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
				for (int k = 0; k < 9; ++k)
				{
					double a = m[k][p], b = m[k][q];
					m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
				}
				for (int k = 0; k < 9; ++k)
				{
					double a = m[p][k], b = m[q][k];
					m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
				}
			}
		}
	}
	double lowest = m[0][0];
	for (int i = 1; i < 9; ++i)
		lowest = fmin(lowest, m[i][i]);
	return lowest;
}

static void CheckSemidefinite(const Patch* patch)
{
	for (uint32_t t = 0; t < patchTriangles; ++t)
	{
		double m[9][9];
		Assemble(patch, t, m);
		double largest = LargestEntry(m), lowest = LowestEigenvalue(m);
		if (!(lowest >= -3e-6 * largest))
			fail_msg("triangle %u: eigenvalue %g, largest entry %g", t, lowest, largest);
	}
}

// Any affine map, also those that fold the triangle over or nearly flatten it to a line.
static void DeformAnyhow(Patch* patch, Random* random)
{
	for (uint32_t t = 0; t < patchTriangles; ++t)
	{
		double r[3][3], m[4];
		RandomRotation(random, r);
		for (int k = 0; k < 4; ++k)
			m[k] = (double)Random_Range(random, -1.5f, 1.5f);
		if (t % 4 == 0)
		{
			double thin = (double)Random_Range(random, 0.0f, 0.02f);
			m[2] = m[0] * thin, m[3] = m[1] * -thin;
		}
		Place(patch, t, r, m[0], m[1], m[2], m[3], (Vec3){0.0f, 0.0f, 0.0f});
	}
}

static void StiffnessIsSemidefiniteHoweverDeformed(void** state)
{
	(void)state;
	Random random = Random_Seed(4, 1);
	const float scale[][2] = {{1.0f, 1.0f}, {1.0f, 0.5f}, {1.0f, 0.0f}, {3.0f, 1.0f}};
	for (int i = 0; i < 120; ++i)
	{
		drapeMaterial material = i % 5 == 0   ? CurvedMaterial()
		                         : i % 5 == 1 ? Material(1000.0f, 800.0f, 20.0f, 0.3f)
		                                      : RandomMaterial(&random);
		Patch patch;
		Patch_Create(&patch, &material, &random);
		if (i % 2)
			DeformAnyhow(&patch, &random);
		else
			Deform(&patch, &random, 0.1f, 1.5f);
		EnergyQuery query = {patch.position, NULL, 0.0f, scale[i % 4][0], scale[i % 4][1]};
		drapeMembrane_Evaluate(&patch.membrane, &query, 0, patchTriangles, patch.force, patch.block);
		CheckSemidefinite(&patch);
		Patch_Destroy(&patch);
	}
}

static void FabricWithoutStiffnessInADirectionIsSemidefinite(void** state)
{
	(void)state;
	Random random = Random_Seed(5, 1);
	const drapeMaterial materials[] = {Material(1000.0f, 0.0f, 100.0f, 0.3f), Material(0.0f, 1000.0f, 100.0f, 0.3f),
	                                   Material(0.0f, 0.0f, 100.0f, 0.3f), Material(1000.0f, 800.0f, 0.0f, 0.3f),
	                                   Material(0.0f, 0.0f, 0.0f, 0.0f)};
	for (int i = 0; i < 5; ++i)
	{
		Patch patch;
		Patch_Create(&patch, &materials[i], &random);
		Deform(&patch, &random, 0.7f, 1.5f);
		Evaluate(&patch, 0.0f);
		CheckSemidefinite(&patch);
		Patch_Destroy(&patch);
	}
}

static void ScalesWeighTheTwoPartsOfTheStiffness(void** state)
{
	(void)state;
	Random random = Random_Seed(6, 1);
	drapeMaterial material = RandomMaterial(&random);
	static Vec4 part[3][9 * patchTriangles];
	const float scale[3][2] = {{1.0f, 0.0f}, {0.0f, 1.0f}, {3.0f, 0.5f}};
	Patch patch;
	Patch_Create(&patch, &material, &random);
	Deform(&patch, &random, 0.8f, 1.5f);
	for (int i = 0; i < 3; ++i)
	{
		EnergyQuery query = {patch.position, NULL, 0.0f, scale[i][0], scale[i][1]};
		drapeMembrane_Evaluate(&patch.membrane, &query, 0, patchTriangles, patch.force, part[i]);
	}
	for (int i = 0; i < 4 * 9 * patchTriangles; ++i)
	{
		float a = (&part[0][0].x)[i], b = (&part[1][0].x)[i], both = (&part[2][0].x)[i];
		assert_float_equal(3.0f * a + 0.5f * b, both, 0.02f);
	}
	Patch_Destroy(&patch);
}

// --- invariance -----------------------------------------------------------------------------------------------------

static void RigidMotionMakesNoForce(void** state)
{
	(void)state;
	Random random = Random_Seed(7, 1);
	drapeMaterial material = Material(1000.0f, 700.0f, 300.0f, 0.3f);
	Patch patch;
	Patch_Create(&patch, &material, &random);
	for (int i = 0; i < 20; ++i)
	{
		Deform(&patch, &random, 1.0f, 1.0f);
		Evaluate(&patch, 0.0f);
		for (uint32_t k = 0; k < patchParticles; ++k)
			// Positions are rounded to 2^-16 of a metre.
			assert_true(V3Length(V4Xyz(patch.force[k])) < 4.0f * 0x1p-16f * 1000.0f);
	}
	Patch_Destroy(&patch);
}

static void CheckBalance(const Patch* patch)
{
	for (uint32_t t = 0; t < patchTriangles; ++t)
	{
		double net[3] = {0}, torque[3] = {0}, largest = 0.0, x0[3];
		Load(x0, patch->position[3 * t]);
		for (uint32_t k = 0; k < 3; ++k)
		{
			double f[3], x[3];
			Load(f, patch->force[3 * t + k]);
			Load(x, patch->position[3 * t + k]);
			for (int i = 0; i < 3; ++i)
			{
				int j = (i + 1) % 3, l = (i + 2) % 3;
				net[i] += f[i];
				torque[i] += (x[j] - x0[j]) * f[l] - (x[l] - x0[l]) * f[j];
				largest = fmax(largest, fabs(f[i]));
			}
		}
		for (int i = 0; i < 3; ++i)
		{
			assert_true(fabs(net[i]) <= 1e-6 * largest);
			if (!(fabs(torque[i]) <= 5e-6 * largest))
				fail_msg("torque %g with forces of %g", torque[i], largest);
		}
	}
}

static void ForcesHaveNoNetForceAndNoNetTorque(void** state)
{
	(void)state;
	Random random = Random_Seed(8, 1);
	for (int i = 0; i < 20; ++i)
	{
		drapeMaterial material = i % 3 == 0 ? CurvedMaterial() : RandomMaterial(&random);
		Patch patch;
		Patch_Create(&patch, &material, &random);
		Deform(&patch, &random, 0.3f, 2.0f);
		RandomVelocities(&patch, &random);
		Evaluate(&patch, i % 2 ? 0.1f : 0.0f);
		CheckBalance(&patch);
		Patch_Destroy(&patch);
	}
}

static void DampingTakesEnergyOutButNotFromRigidMotion(void** state)
{
	(void)state;
	Random random = Random_Seed(9, 1);
	drapeMaterial material = RandomMaterial(&random);
	Patch patch;
	Patch_Create(&patch, &material, &random);
	Deform(&patch, &random, 0.6f, 1.5f);
	static Vec4 undamped[patchParticles];
	Evaluate(&patch, 0.0f);
	memcpy(undamped, patch.force, sizeof undamped);

	Vec3 spin = {1.0f, -2.0f, 0.5f}, drift = {3.0f, 1.0f, -2.0f};
	for (uint32_t i = 0; i < patchParticles; ++i)
	{
		Vec3 v = V3Add(drift, V3Cross(spin, V4Xyz(patch.position[i])));
		patch.velocity[i] = (Vec4){v.x, v.y, v.z, 0.0f};
	}
	Evaluate(&patch, 1.0f);
	for (uint32_t i = 0; i < patchParticles; ++i)
		assert_true(V3Length(V3Sub(V4Xyz(patch.force[i]), V4Xyz(undamped[i]))) < 1e-5f * 2000.0f);

	RandomVelocities(&patch, &random);
	Evaluate(&patch, 1.0f);
	for (uint32_t t = 0; t < patchTriangles; ++t)
	{
		float power = 0.0f;
		for (uint32_t i = 3 * t; i < 3 * t + 3; ++i)
			power += V3Dot(V3Sub(V4Xyz(patch.force[i]), V4Xyz(undamped[i])), V4Xyz(patch.velocity[i]));
		assert_true(power < -1.0f);
	}
	Patch_Destroy(&patch);
}

static void DampingIsTheMaterialStiffnessTimesTheVelocity(void** state)
{
	(void)state;
	Random random = Random_Seed(10, 1);
	drapeMaterial material = RandomMaterial(&random);
	Patch patch;
	Patch_Create(&patch, &material, &random);
	Deform(&patch, &random, 0.6f, 1.5f);
	RandomVelocities(&patch, &random);
	static Vec4 undamped[patchParticles];
	EnergyQuery query = {patch.position, patch.velocity, 0.0f, 1.0f, 0.0f};
	drapeMembrane_Evaluate(&patch.membrane, &query, 0, patchTriangles, undamped, patch.block);
	query.dampingTime = 0.5f;
	drapeMembrane_Evaluate(&patch.membrane, &query, 0, patchTriangles, patch.force, NULL);
	for (uint32_t t = 0; t < patchTriangles; ++t)
	{
		double m[9][9];
		Assemble(&patch, t, m);
		for (uint32_t row = 0; row < 9; ++row)
		{
			double expected = 0.0;
			for (uint32_t column = 0; column < 9; ++column)
				expected -= 0.5 * m[row][column] * (double)(&patch.velocity[3 * t + column / 3].x)[column % 3];
			uint32_t i = 3 * t + row / 3;
			double got = (double)(&patch.force[i].x)[row % 3] - (double)(&undamped[i].x)[row % 3];
			assert_true(fabs(got - expected) < 1e-5 * LargestEntry(m));
		}
	}
	Patch_Destroy(&patch);
}

// --- known solutions ------------------------------------------------------------------------------------------------

// A right triangle with legs of 1 m along warp and weft, stretched by factors: its corner forces are stresses.
static void StressOf(const drapeMaterial* material, float warp, float weft, float slide, float stress[3])
{
	uint32_t triangle[1][3] = {{0, 1, 2}};
	TriangleMaterial corners = {{{0.0f, 0.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}}};
	float area = 0.5f;
	ActiveMesh mesh = {.triangleCount = 1, .triangle = triangle, .material = &corners, .area = &area, .revision = 1};
	Vec4 position[3] = {{0.0f, 0.0f, 0.0f, 0.0f}, {warp, slide, 0.0f, 0.0f}, {slide, weft, 0.0f, 0.0f}}, force[3];
	Membrane membrane;
	drapeMembrane_Init(&membrane, material);
	assert_true(drapeMembrane_Follow(&membrane, &mesh));
	EnergyQuery query = {.position = position};
	drapeMembrane_Evaluate(&membrane, &query, 0, 1, force, NULL);
	drapeMembrane_Destroy(&membrane);
	stress[0] = -2.0f * force[1].x;
	stress[1] = -2.0f * force[2].y;
	stress[2] = -(force[1].y + force[2].x);
}

static void UniaxialTensionFollowsThePlaneStressSolution(void** state)
{
	(void)state;
	const float strain = 0.01f, poisson = 0.3f, warp = 1200.0f, weft = 800.0f;
	drapeMaterial material = Material(warp, weft, 300.0f, poisson);
	float stress[3];
	StressOf(&material, 1.0f + strain, 1.0f - poisson * strain, 0.0f, stress);
	assert_float_equal(stress[0], warp * strain, 1e-3f);
	assert_float_equal(stress[1], 0.0f, 1e-3f);
	StressOf(&material, 1.0f - poisson * weft / warp * strain, 1.0f + strain, 0.0f, stress);
	assert_float_equal(stress[0], 0.0f, 1e-3f);
	assert_float_equal(stress[1], weft * strain, 1e-3f);
	StressOf(&material, 1.0f, 1.0f, 0.5f * strain, stress);
	assert_float_equal(stress[2], 300.0f * strain, 1e-3f);
}

static void CurvesGiveTheirPointsAsStress(void** state)
{
	(void)state;
	drapeMaterial material = CurvedMaterial();
	const drapeStressCurve *warp = &material.warpCurve, *weft = &material.weftCurve, *shear = &material.shearCurve;
	float stress[3];
	for (int sign = -1; sign <= 1; sign += 2)
	{
		float s = (float)sign;
		for (uint32_t i = 0; i < warp->count; ++i)
		{
			StressOf(&material, 1.0f + s * warp->strain[i], 1.0f, 0.0f, stress);
			assert_float_equal(stress[0], s * warp->stress[i], 1e-3f * warp->stress[i]);
		}
		for (uint32_t i = 0; i < weft->count; ++i)
		{
			StressOf(&material, 1.0f, 1.0f + s * weft->strain[i], 0.0f, stress);
			assert_float_equal(stress[1], s * weft->stress[i], 1e-3f * weft->stress[i]);
		}
		for (uint32_t i = 0; i < shear->count; ++i)
		{
			StressOf(&material, 1.0f, 1.0f, 0.5f * s * shear->strain[i], stress);
			assert_float_equal(stress[2], s * shear->stress[i], 1e-3f * shear->stress[i]);
		}
	}
	// Half-way, and past the last point.
	StressOf(&material, 1.25f, 1.0f, 0.0f, stress);
	assert_float_equal(stress[0], 0.5f * (90.0f + 700.0f), 0.1f);
	StressOf(&material, 1.0f, 1.4f, 0.0f, stress);
	assert_float_equal(stress[1], 65.0f + 0.2f * 50.0f, 0.1f);
}

// --- robust ---------------------------------------------------------------------------------------------------------

static void CheckFinite(const Patch* patch)
{
	for (uint32_t i = 0; i < patchParticles; ++i)
	{
		assert_true(V3IsFinite(V4Xyz(patch->force[i])));
		assert_true(patch->force[i].w == 0.0f);
	}
	for (uint32_t i = 0; i < 9 * patchTriangles; ++i)
	{
		assert_true(V3IsFinite(V4Xyz(patch->block[i])));
		assert_true(patch->block[i].w == 0.0f);
	}
}

static void CrushedTrianglesGiveFiniteResults(void** state)
{
	(void)state;
	Random random = Random_Seed(11, 1);
	drapeMaterial material = Material(1e9f, 1e9f, 1e9f, 0.49f);
	const float size[] = {0.0f, 1e-30f, 1e-20f, 1e-10f, 1e-6f, 1e-3f, 1.0f, 1e3f, 1e10f, 1e20f, 1e30f, FLT_MAX};
	Patch patch;
	Patch_Create(&patch, &material, &random);
	for (size_t i = 0; i < sizeof size / sizeof size[0]; ++i)
	{
		for (uint32_t k = 0; k < patchParticles; ++k)
		{
			// Points, lines and triangles.
			float x = size[i] * Random_Range(&random, -1.0f, 1.0f), y = size[i] * Random_Range(&random, -1.0f, 1.0f);
			patch.position[k] = (Vec4){x, k / 3 % 2 ? x : y, k / 3 % 4 ? 0.0f : y, 0.0f};
			patch.velocity[k] = (Vec4){y, x, size[i], 0.0f};
		}
		Evaluate(&patch, 1.0f);
		CheckFinite(&patch);
		assert_true(isfinite(drapeMembrane_Energy(&patch.membrane, patch.position)));
	}
	Patch_Destroy(&patch);
}

static void ForcesOfACrushedTriangleAreBounded(void** state)
{
	(void)state;
	Random random = Random_Seed(12, 1);
	drapeMaterial material = Material(1000.0f, 1000.0f, 1000.0f, 0.3f);
	Patch patch;
	Patch_Create(&patch, &material, &random);
	for (int i = 0; i < 200; ++i)
	{
		float thin = powf(10.0f, Random_Range(&random, -12.0f, 0.0f));
		for (uint32_t k = 0; k < patchParticles; ++k)
		{
			float x = i % 2 ? Random_Range(&random, -1.0f, 1.0f) : thin * Random_Range(&random, -1.0f, 1.0f);
			patch.position[k] = (Vec4){x, thin * Random_Range(&random, -1.0f, 1.0f), 0.0f, 0.0f};
		}
		Evaluate(&patch, 0.0f);
		for (uint32_t k = 0; k < patchParticles; ++k)
			assert_true(V3Length(V4Xyz(patch.force[k])) < 2e4f);
		CheckSemidefinite(&patch);
	}
	Patch_Destroy(&patch);
}

// --- parts and following --------------------------------------------------------------------------------------------

static void PartsGiveWhatTheWholeGives(void** state)
{
	(void)state;
	Random random = Random_Seed(13, 1);
	drapeMaterial material = CurvedMaterial();
	Patch patch;
	Patch_Create(&patch, &material, &random);
	Deform(&patch, &random, 0.7f, 1.4f);
	Evaluate(&patch, 0.0f);
	static Vec4 force[patchParticles], block[9 * patchTriangles];
	const uint32_t cuts[] = {0, 8, 16, 21, 24, patchTriangles};
	EnergyQuery query = {patch.position, NULL, 0.0f, 1.0f, 1.0f};
	for (int i = 0; i + 1 < 6; ++i)
	{
		uint32_t start = cuts[i] & ~7u, end = cuts[i + 1];
		memset(force, 0x7f, sizeof force);
		memset(block, 0x7f, sizeof block);
		drapeMembrane_Evaluate(&patch.membrane, &query, start, end, force, block);
		assert_memory_equal(&force[3 * start], &patch.force[3 * start], 3 * (end - start) * sizeof(Vec4));
		assert_memory_equal(&block[9 * start], &patch.block[9 * start], 9 * (end - start) * sizeof(Vec4));
		const uint8_t* before = (const uint8_t*)force;
		for (size_t k = 0; k < sizeof force; ++k)
			assert_true((k >= 3 * start * sizeof(Vec4) && k < 3 * end * sizeof(Vec4)) || before[k] == 0x7f);
		before = (const uint8_t*)block;
		for (size_t k = 0; k < sizeof block; ++k)
			assert_true((k >= 9 * start * sizeof(Vec4) && k < 9 * end * sizeof(Vec4)) || before[k] == 0x7f);
	}
	Patch_Destroy(&patch);
}

static void AssertSame(const Membrane* a, const Membrane* b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->revision, b->revision);
	uint32_t padded = (a->count + 7) & ~7u;
	assert_true(a->capacity >= padded && b->capacity >= padded);
	for (int k = 0; k < 3; ++k)
		assert_memory_equal(a->corner[k], b->corner[k], padded * sizeof(uint32_t));
	for (int k = 0; k < 4; ++k)
		assert_memory_equal(a->gradient[k], b->gradient[k], padded * sizeof(float));
	assert_memory_equal(a->area, b->area, padded * sizeof(float));
}

static void FollowingByPatchesEqualsBuildingAfresh(void** state)
{
	(void)state;
	drapeMaterial material = drapeDefaultMaterial();
	uint32_t patched = 0;
	for (int index = 0; index < rigMeshCount; ++index)
	{
		drapeMesh mesh = Rig_Mesh(index);
		Random random = Random_Seed(14, (uint32_t)index);
		Rig rig;
		Membrane followed;
		Rig_Create(&rig, &mesh);
		rig.active.revision = 1;
		drapeMembrane_Init(&followed, &material);
		assert_true(drapeMembrane_Follow(&followed, &rig.active));
		for (int pass = 0; pass < 40; ++pass)
		{
			Rig_RandomPass(&rig, &random, 1 + Random_Below(&random, 30), pass < 20 ? 0.8f : 0.3f);
			patched += !rig.active.log.rebuilt;
			Membrane fresh;
			drapeMembrane_Init(&fresh, &material);
			assert_true(drapeMembrane_Follow(&followed, &rig.active));
			assert_true(drapeMembrane_Follow(&fresh, &rig.active));
			AssertSame(&followed, &fresh);
			drapeMembrane_Destroy(&fresh);
		}
		drapeMembrane_Destroy(&followed);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
	assert_true(patched > 100);
}

static void FailedAllocationsLeaveAMembraneThatCanTryAgain(void** state)
{
	(void)state;
	drapeMaterial material = drapeDefaultMaterial();
	drapeMesh mesh = Rig_Mesh(1);
	Rig rig;
	Rig_Create(&rig, &mesh);
	rig.active.revision = 1;
	Membrane membrane, fresh;
	drapeMembrane_Init(&membrane, &material);
	for (int round = 0; round < 3; ++round)
	{
		Test_FailAllocation(1, true);
		assert_false(drapeMembrane_Follow(&membrane, &rig.active));
		assert_int_equal(membrane.revision, 0);
		drapeMembrane_Destroy(&membrane);
		Test_FailAllocation(0, false);
		assert_true(drapeMembrane_Follow(&membrane, &rig.active));
		drapeMembrane_Init(&fresh, &material);
		assert_true(drapeMembrane_Follow(&fresh, &rig.active));
		AssertSame(&membrane, &fresh);
		drapeMembrane_Destroy(&fresh);
		drapeMembrane_Destroy(&membrane);
		Rig_RefineAll(&rig);
	}
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ForcesAreTheGradientOfTheEnergy),
		cmocka_unit_test(ForcesOfCurvedLawsAreTheGradientOfTheEnergy),
		cmocka_unit_test(ForcesBeyondALimitAreTheGradientOfTheEnergy),
		cmocka_unit_test(StiffnessInTensionIsTheSecondDerivative),
		cmocka_unit_test(StiffnessIsSemidefiniteHoweverDeformed),
		cmocka_unit_test(FabricWithoutStiffnessInADirectionIsSemidefinite),
		cmocka_unit_test(ScalesWeighTheTwoPartsOfTheStiffness),
		cmocka_unit_test(RigidMotionMakesNoForce),
		cmocka_unit_test(ForcesHaveNoNetForceAndNoNetTorque),
		cmocka_unit_test(DampingTakesEnergyOutButNotFromRigidMotion),
		cmocka_unit_test(DampingIsTheMaterialStiffnessTimesTheVelocity),
		cmocka_unit_test(UniaxialTensionFollowsThePlaneStressSolution),
		cmocka_unit_test(CurvesGiveTheirPointsAsStress),
		cmocka_unit_test(CrushedTrianglesGiveFiniteResults),
		cmocka_unit_test(ForcesOfACrushedTriangleAreBounded),
		cmocka_unit_test(PartsGiveWhatTheWholeGives),
		cmocka_unit_test(FollowingByPatchesEqualsBuildingAfresh),
		cmocka_unit_test(FailedAllocationsLeaveAMembraneThatCanTryAgain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
