// SPDX-License-Identifier: MIT
#include "support.h"

#include "drape/material.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- what was published ---

// Wang, O'Brien, Ramamoorthi 2011. The rows that materials are made from.
typedef struct Published
{
	const char* name;
	double density;
	double zero[4];      // c11, c12, c22, c33 at zero strain
	double stretched[3]; // at a stretch of 7/6: c11 at 0 degrees, c22 at 90, c33 at 45
	double edge[3];      // 1e-6 N m: edges at 0, 45 and 90 degrees to the warp, hardly bent
} Published;

// clang-format off
static const Published published[] = {
	{"11oz-black-denim", 0.324, {205.352, 10.2341, 1013.89, 53.3872},
	 {232.028, 1051.56, 83.992}, {64.196, 73.385, 96.952}},
	{"camel-ponte-roma", 0.284, {31.1462, -12.8027, 44.0287, 31.8964},
	 {78.7078, 191.778, 44.6573}, {36.348, 33.013, 37.158}},
	{"gray-interlock", 0.187, {16.5938, -14.696, 34.4771, 36.8603},
	 {46.3648, 405.873, 44.2176}, {23.192, 24.750, 14.268}},
	{"ivory-rib-knit", 0.276, {42.871, -0.234556, 65.166, 83.1756},
	 {52.4225, 254.593, 27.6094}, {46.238, 30.016, 32.244}},
	{"navy-sparkle-sweat", 0.224, {12.4863, -19.8753, 3.27243, 17.6163},
	 {32.1721, 243.265, 6.1077}, {59.470, 40.072, 45.625}},
	{"pink-ribbon-brown", 0.228, {151.504, 106.028, 244.831, 30.2502},
	 {164.124, 359.793, 129.643}, {117.070, 87.510, 59.774}},
	{"royal-target", 0.22, {2016.55, 9.17051, 2034.98, 104.76},
	 {2109.52, 2152.74, 121.482}, {125.410, 107.998, 125.410}},
	{"tango-red-jet-set", 0.113, {43.0676, 54.3733, 171.425, 14.3147},
	 {75.1517, 404.867, 41.3869}, {14.294, 21.952, 20.346}},
	{"white-dots-on-blk", 0.128, {2002.09, 0.345588, 2027.49, 19.189},
	 {2107.23, 2150.48, 101.462}, {51.714, 40.659, 31.283}},
	{"white-swim-solid", 0.204, {47.9712, 6.83452, 104.615, 60.7737},
	 {40.369, 124.469, 35.9732}, {60.238, 58.803, 51.019}},
};
// clang-format on

enum
{
	publishedCount = sizeof published / sizeof published[0]
};

static drapeMaterial Find(const char* name)
{
	drapeMaterial material;
	if (drapeMaterial_GetPreset(name, &material, NULL) != drape_ok)
		fail_msg("there is no %s", name);
	return material;
}

static void ExpectNear(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-5 * fabs(expected)))
		fail_msg("%g is not %g", value, expected);
}

// Hooke's law of a material: stress of a strip that is held at its width over its strain, and what the other direction
// adds.
typedef struct Hooke
{
	double c11, c12, c22;
} Hooke;

static Hooke HookeOf(const drapeMaterial* m)
{
	double nu12 = (double)m->poisson, nu21 = nu12 * (double)m->stretchWeft / (double)m->stretchWarp;
	double c22 = (double)m->stretchWeft / (1.0 - nu12 * nu21);
	return (Hooke){(double)m->stretchWarp / (1.0 - nu12 * nu21), nu12 * c22, c22};
}

// --- measured fabrics ---

static void TheTenFabricsAreThereWithTheirDensities(void** state)
{
	(void)state;
	for (int i = 0; i < publishedCount; ++i)
		ExpectNear((double)Find(published[i].name).density, published[i].density);
}

static void ModuliAreThoseOfZeroStrain(void** state)
{
	(void)state;
	for (int i = 0; i < publishedCount; ++i)
	{
		const double* c = published[i].zero;
		drapeMaterial m = Find(published[i].name);
		Hooke hooke = HookeOf(&m);
		ExpectNear(hooke.c11, 2.0 * c[0]);
		ExpectNear(hooke.c12, 2.0 * fmax(c[1], 0.0));
		ExpectNear(hooke.c22, 2.0 * c[2]);
		ExpectNear((double)m.shear, c[3]);
	}
}

static double Between(double unstretched, double stretched, double stretch)
{
	return unstretched + (stretched - unstretched) * (stretch - 1.0) * 6.0;
}

// A strip is pulled and held at its width. Energy density half S E with S = 2 c E; force per width is lambda S.
static void ExpectPull(const drapeStressCurve* curve, double unstretched, double stretched)
{
	assert_int_equal(curve->count, DRAPE_CURVE_POINTS);
	ExpectNear((double)curve->strain[curve->count - 1], 1.0 / 6.0);
	for (uint32_t i = 0; i < curve->count; ++i)
	{
		double lambda = 1.0 + (double)curve->strain[i];
		double greenStrain = 0.5 * (lambda * lambda - 1.0);
		double piolaStress = 2.0 * Between(unstretched, stretched, lambda) * greenStrain;
		ExpectNear((double)curve->stress[i], lambda * piolaStress);
	}
}

static void CurvesOfWarpAndWeftPassThroughWhatWasMeasured(void** state)
{
	(void)state;
	for (int i = 0; i < publishedCount; ++i)
	{
		const Published* p = &published[i];
		drapeMaterial m = Find(p->name);
		ExpectPull(&m.warpCurve, p->zero[0], p->stretched[0]);
		ExpectPull(&m.weftCurve, p->zero[2], p->stretched[1]);
	}
}

// Of two knits the coefficient falls to about a third: their stress would fall, and is held up where it does.
static void CurvesOfShearPassThroughWhatWasMeasuredAsFarAsItRises(void** state)
{
	(void)state;
	for (int i = 0; i < publishedCount; ++i)
	{
		const Published* p = &published[i];
		drapeMaterial m = Find(p->name);
		const drapeStressCurve* curve = &m.shearCurve;
		uint32_t lifted = 0;
		assert_int_equal(curve->count, DRAPE_CURVE_POINTS);
		ExpectNear((double)curve->strain[curve->count - 1], 1.0 / 3.0);
		for (uint32_t k = 0; k < curve->count; ++k)
		{
			double gamma = (double)curve->strain[k];
			double measured = gamma * Between(p->zero[3], p->stretched[2], 1.0 + 0.5 * gamma);
			bool isLifted = (double)curve->stress[k] > 1.00001 * measured;
			if (!isLifted)
				ExpectNear((double)curve->stress[k], measured);
			assert_true(!isLifted || (double)curve->stress[k] < 1.3 * measured);
			lifted += isLifted;
		}
		bool falls = strcmp(p->name, "ivory-rib-knit") == 0 || strcmp(p->name, "navy-sparkle-sweat") == 0;
		assert_int_equal(lifted > 0, falls);
	}
}

static double LeastSlope(const drapeStressCurve* curve)
{
	double least = (double)INFINITY, strain = 0.0, stress = 0.0;
	for (uint32_t i = 0; i < curve->count; ++i)
	{
		least = fmin(least, ((double)curve->stress[i] - stress) / ((double)curve->strain[i] - strain));
		strain = (double)curve->strain[i];
		stress = (double)curve->stress[i];
	}
	return least;
}

static void StiffnessIsPositiveDefiniteAtEveryStrain(void** state)
{
	(void)state;
	for (uint32_t i = 0; drapeMaterial_GetPresetName(i); ++i)
	{
		drapeMaterial m = Find(drapeMaterial_GetPresetName(i));
		Hooke hooke = HookeOf(&m);
		assert_true(hooke.c11 > 0.0 && hooke.c12 * hooke.c12 < 0.8 * hooke.c11 * hooke.c22 && m.shear > 0.0f);
		if (m.warpCurve.count == 0)
			continue;
		double warp = LeastSlope(&m.warpCurve), weft = LeastSlope(&m.weftCurve), shear = LeastSlope(&m.shearCurve);
		print_message("%-18s least slopes %8.4g %8.4g %7.3g N/m, c12 %.4g\n", drapeMaterial_GetPresetName(i), warp,
		              weft, shear, hooke.c12);
		assert_true(warp > 0.0 && shear > 0.0 && hooke.c12 * hooke.c12 < 0.8 * warp * weft);
	}
}

// A sheet is rolled up, folded along rows of edges. What the paper's edges hold is what the rigidity says.
static double RolledRigidity(double edgeStiffness)
{
	const double length = 0.03, width = 0.01, curvature = 2.0;
	double area = length * width, angle = curvature * width;
	double torquePerAngle = edgeStiffness * length * length / (4.0 * area);
	double energyPerArea = 0.5 * torquePerAngle * angle * angle / area;
	return 2.0 * energyPerArea / (curvature * curvature);
}

static void AnEdgeAlongTheWarpBendsTheWeft(void** state)
{
	(void)state;
	for (int i = 0; i < publishedCount; ++i)
	{
		const double* edge = published[i].edge;
		drapeMaterial m = Find(published[i].name);
		ExpectNear((double)m.bendWeft, RolledRigidity(1e-6 * edge[0]));
		ExpectNear((double)m.bendBias, RolledRigidity(1e-6 * edge[1]));
		ExpectNear((double)m.bendWarp, RolledRigidity(1e-6 * edge[2]));
	}
}

// --- the library ---

static void EveryPresetIsValidAndSaysWhereItComesFrom(void** state)
{
	(void)state;
	drapeSpringDef springs = drapeDefaultSpringDef();
	uint32_t count = 0;
	for (const char* name; (name = drapeMaterial_GetPresetName(count)) != NULL; ++count)
	{
		drapeMaterial m = Find(name);
		const char* reason = NULL;
		if (!drapeModel_IsValid(&m, &springs, &reason))
			fail_msg("%s: %s", name, reason);
		assert_true(drapeMaterial_GetPresetHelp(count)[0] && drapeMaterial_GetPresetSource(count)[0]);
		for (uint32_t i = 0; i < count; ++i)
			assert_string_not_equal(name, drapeMaterial_GetPresetName(i));
	}
	assert_int_equal(count, 6 + publishedCount);
	assert_null(drapeMaterial_GetPresetHelp(count));
	assert_null(drapeMaterial_GetPresetSource(count));
	assert_null(drapeMaterial_GetPresetSource(UINT32_MAX));
	assert_null(drapeMaterial_GetPresetName(UINT32_MAX));
}

static void AnUnknownNameLeavesTheMaterialAlone(void** state)
{
	(void)state;
	drapeMaterial material = drapeDefaultMaterial(), before = material;
	assert_int_equal(drapeMaterial_GetPreset("tweed", &material, NULL), drape_errorArgument);
	assert_int_equal(drapeMaterial_GetPreset("", &material, NULL), drape_errorArgument);
	assert_memory_equal(&material, &before, sizeof material);
}

static void SoftPresetsKeepTheirValues(void** state)
{
	(void)state;
	const struct
	{
		const char* name;
		float density, stretch, bend;
	} soft[] = {{"cotton", 0.15f, 60.0f, 3e-5f},
	            {"silk", 0.08f, 40.0f, 1e-5f},
	            {"denim", 0.32f, 120.0f, 7e-5f},
	            {"wool", 0.25f, 80.0f, 5e-5f},
	            {"jersey", 0.19f, 20.0f, 2e-5f}};
	for (uint32_t i = 0; i < sizeof soft / sizeof soft[0]; ++i)
	{
		drapeMaterial m = Find(soft[i].name);
		drapeMaterial expected = {.density = soft[i].density,
		                          .stretchWarp = soft[i].stretch,
		                          .stretchWeft = soft[i].stretch,
		                          .shear = 0.4f * soft[i].stretch,
		                          .poisson = 0.3f,
		                          .bendWarp = soft[i].bend,
		                          .bendWeft = soft[i].bend,
		                          .dampingTime = 0.0005f,
		                          .friction = 0.4f,
		                          .thickness = 0.002f,
		                          .drag = 1.0f,
		                          .lift = 0.3f};
		assert_string_equal(drapeMaterial_GetPresetName(i), soft[i].name);
		assert_memory_equal(&m, &expected, sizeof m);
	}
}

static void TheCurtainIsThatOfBenderAndDeul(void** state)
{
	(void)state;
	drapeMaterial m = Find("curtain");
	assert_true(m.density == 0.1f && m.poisson == 0.33f);
	assert_true(m.stretchWarp == 1000.0f && m.stretchWeft == 1000.0f && m.shear == 1000.0f);
	assert_true(m.bendWarp > 0.0f && m.warpCurve.count == 0);
}

// --- validity ---

static void ExpectInvalid(const drapeMaterial* material, const char* expected)
{
	drapeSpringDef springs = drapeDefaultSpringDef();
	const char* reason = NULL;
	assert_false(drapeModel_IsValid(material, &springs, &reason));
	assert_string_equal(reason, expected);
}

static void ExpectValid(const drapeMaterial* material)
{
	drapeSpringDef springs = drapeDefaultSpringDef();
	const char* reason = NULL;
	if (!drapeModel_IsValid(material, &springs, &reason))
		fail_msg("%s", reason);
}

static void PoissonsRatioFitsTheModuli(void** state)
{
	(void)state;
	drapeMaterial m = drapeDefaultMaterial();
	m.poisson = 0.5f;
	m.stretchWarp = 100.0f;
	m.stretchWeft = 399.0f;
	ExpectValid(&m);
	m.stretchWeft = 400.0f;
	ExpectInvalid(&m, "Poisson's ratio squared times stretchWeft / stretchWarp must be below 1");
	m.stretchWarp = 0.0f; // nothing along the warp, nothing to couple
	ExpectValid(&m);
}

static void TheBiasIsNotSofterThanAQuarterOfTheSum(void** state)
{
	(void)state;
	const char* sentence = "bendBias must be 0, or at least a quarter of bendWarp + bendWeft";
	drapeMaterial m = drapeDefaultMaterial();
	m.bendWarp = 3.0f;
	m.bendWeft = 1.0f;
	const float good[] = {0.0f, 1.0f, 5.0f}, bad[] = {0.99f, 1e-30f, -1.0f, NAN, INFINITY};
	for (int i = 0; i < 3; ++i)
	{
		m.bendBias = good[i];
		ExpectValid(&m);
	}
	for (int i = 0; i < 5; ++i)
	{
		m.bendBias = bad[i];
		ExpectInvalid(&m, sentence);
	}
}

static void CurlIsOfEitherSignAndFinite(void** state)
{
	(void)state;
	const float bad[] = {1.1e4f, -1.1e4f, NAN, INFINITY};
	for (int which = 0; which < 2; ++which)
	{
		drapeMaterial m = drapeDefaultMaterial();
		float* curl = which == 0 ? &m.curlWarp : &m.curlWeft;
		*curl = -1e4f;
		ExpectValid(&m);
		*curl = 1e4f;
		ExpectValid(&m);
		for (int i = 0; i < 4; ++i)
		{
			*curl = bad[i];
			ExpectInvalid(&m, "curl must be between -1e4 and 1e4 per metre");
		}
	}
}

static void CurvesRise(void** state)
{
	(void)state;
	const char* strains = "the strains of a stress curve must be above 0, rise, and end at 10 or below";
	const char* stresses = "the stresses of a stress curve must be above 0 and rise";
	const struct
	{
		float strain[2], stress[2];
		const char* sentence; // NULL for a good one
	} cases[] = {
		{{0.1f, 10.0f}, {1.0f, 2.0f}, NULL},       {{0.1f, 0.1f}, {1.0f, 2.0f}, strains},
		{{0.0f, 0.1f}, {1.0f, 2.0f}, strains},     {{-0.1f, 0.1f}, {1.0f, 2.0f}, strains},
		{{0.1f, 10.1f}, {1.0f, 2.0f}, strains},    {{NAN, 0.1f}, {1.0f, 2.0f}, strains},
		{{0.1f, INFINITY}, {1.0f, 2.0f}, strains}, {{0.1f, 0.2f}, {1.0f, 1.0f}, stresses},
		{{0.1f, 0.2f}, {0.0f, 1.0f}, stresses},    {{0.1f, 0.2f}, {-1.0f, 1.0f}, stresses},
		{{0.1f, 0.2f}, {1.0f, NAN}, stresses},     {{0.1f, 0.2f}, {1.0f, INFINITY}, stresses},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		for (int which = 0; which < 3; ++which)
		{
			drapeMaterial m = drapeDefaultMaterial();
			drapeStressCurve* curve = which == 0 ? &m.warpCurve : which == 1 ? &m.weftCurve : &m.shearCurve;
			curve->count = 2;
			memcpy(curve->strain, cases[i].strain, sizeof cases[i].strain);
			memcpy(curve->stress, cases[i].stress, sizeof cases[i].stress);
			if (cases[i].sentence)
				ExpectInvalid(&m, cases[i].sentence);
			else
				ExpectValid(&m);
		}
	}
}

static void CurvesHaveAtMostSixPoints(void** state)
{
	(void)state;
	drapeMaterial m = Find("royal-target");
	assert_int_equal(m.weftCurve.count, DRAPE_CURVE_POINTS);
	ExpectValid(&m);
	m.weftCurve.count = DRAPE_CURVE_POINTS + 1;
	ExpectInvalid(&m, "a stress curve must have at most DRAPE_CURVE_POINTS points");
	m.weftCurve.count = UINT32_MAX;
	ExpectInvalid(&m, "a stress curve must have at most DRAPE_CURVE_POINTS points");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheTenFabricsAreThereWithTheirDensities),
		cmocka_unit_test(ModuliAreThoseOfZeroStrain),
		cmocka_unit_test(CurvesOfWarpAndWeftPassThroughWhatWasMeasured),
		cmocka_unit_test(CurvesOfShearPassThroughWhatWasMeasuredAsFarAsItRises),
		cmocka_unit_test(StiffnessIsPositiveDefiniteAtEveryStrain),
		cmocka_unit_test(AnEdgeAlongTheWarpBendsTheWeft),
		cmocka_unit_test(EveryPresetIsValidAndSaysWhereItComesFrom),
		cmocka_unit_test(AnUnknownNameLeavesTheMaterialAlone),
		cmocka_unit_test(SoftPresetsKeepTheirValues),
		cmocka_unit_test(TheCurtainIsThatOfBenderAndDeul),
		cmocka_unit_test(PoissonsRatioFitsTheModuli),
		cmocka_unit_test(TheBiasIsNotSofterThanAQuarterOfTheSum),
		cmocka_unit_test(CurlIsOfEitherSignAndFinite),
		cmocka_unit_test(CurvesRise),
		cmocka_unit_test(CurvesHaveAtMostSixPoints),
	};
	return cmocka_run_group_tests_name("fabrics", tests, NULL, NULL);
}
