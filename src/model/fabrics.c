// SPDX-License-Identifier: MIT
#include "model/fabrics.h"

#include "base/base.h"
#include "base/maths.h"

// Stretching. The rows at zero strain are Hooke's law with C11 = 2 c11, C12 = 2 c12, C22 = 2 c22. A fabric that widens
// when pulled has c12 below zero, which is taken as zero. Each curve uses one of the other rows: 0 degrees for a pull
// along the warp, 90 for the weft, and 45 for shear, the direction in which shear stretches most. Green strain E and
// stress S become elongation and force per width of the undeformed fabric, e = lambda - 1 and lambda S, which are the
// strain and the stress of the corotational membrane.
//
// Bending. The paper's stiffness k belongs to an edge of length l between triangles of areas A1 + A2 = A that are
// folded by theta: the torque is k l^2 theta / (4 A), the energy k l^2 theta^2 / (8 A). On a cylinder of curvature
// kappa, folded along rows of edges h apart, theta = kappa h and the area per edge is A = l h, hence the energy per
// area is k kappa^2 / 8. A sheet of rigidity B has B kappa^2 / 2: B = k / 4. The weft bends about an edge along the
// warp, at 0 degrees, and the warp about an edge along the weft.

// clang-format off
const MeasuredFabric drapeMeasuredFabrics[measuredFabricCount] = {
	{"11oz-black-denim",
	 "jeans, 99% cotton 1% spandex",
	 0.324f,
	 {{205.352f, 10.2341f, 1013.89f, 53.3872f},
	  {232.028f, 40.6463f, 1052.84f, 64.9805f},
	  {224.592f, 40.3846f, 1054.43f, 67.1848f},
	  {225.951f, 62.0957f, 1059.6f, 83.992f},
	  {226.04f, 40.5028f, 1058.28f, 75.1184f},
	  {225.767f, 40.9179f, 1051.56f, 71.8106f}},
	 {{64.196f, 60.286f, 60.943f, 62.434f, 19.825f},
	  {73.385f, 59.672f, 61.081f, 68.243f, 36.033f},
	  {96.952f, 107.848f, 113.061f, 120.570f, 79.781f}}},
	{"camel-ponte-roma",
	 "jacket, 60% polyester 40% rayon",
	 0.284f,
	 {{31.1462f, -12.8027f, 44.0287f, 31.8964f},
	  {78.7078f, 26.7546f, 268.681f, 27.7434f},
	  {67.3684f, 77.7679f, 182.273f, -14.6615f},
	  {113.367f, 54.802f, 175.127f, 44.6573f},
	  {144.295f, 111.405f, 138.422f, -29.8619f},
	  {143.933f, 49.6548f, 191.778f, 39.4911f}},
	 {{36.348f, 49.586f, 45.744f, 47.413f, 20.727f},
	  {33.013f, 29.744f, 35.104f, 34.041f, 14.440f},
	  {37.158f, 34.107f, 33.229f, 34.686f, 10.440f}}},
	{"gray-interlock",
	 "T-shirt, 60% cotton 40% polyester",
	 0.187f,
	 {{16.5938f, -14.696f, 34.4771f, 36.8603f},
	  {46.3648f, 53.6947f, 261.014f, -29.6913f},
	  {49.2851f, 87.5961f, 206.374f, 22.7685f},
	  {123.989f, 105.182f, 365.966f, 44.2176f},
	  {139.686f, 73.5926f, 413.553f, -174.439f},
	  {127.444f, 85.8486f, 405.873f, 32.2384f}},
	 {{23.192f, 32.932f, 34.406f, 39.014f, 23.383f},
	  {24.750f, 18.651f, 16.371f, 25.096f, 8.860f},
	  {14.268f, 7.053f, 14.515f, 24.665f, 19.384f}}},
	{"ivory-rib-knit",
	 "underwear, 95% cotton 5% spandex",
	 0.276f,
	 {{42.871f, -0.234556f, 65.166f, 83.1756f},
	  {52.4225f, 7.21909f, 245.337f, -31.1295f},
	  {29.4821f, -5.14611f, 127.131f, 13.0682f},
	  {91.2095f, 4.94031f, 109.746f, 27.6094f},
	  {48.9734f, -0.967226f, 147.697f, -49.283f},
	  {105.649f, 0.416488f, 254.593f, 3.4725f}},
	 {{46.238f, 63.087f, 83.193f, 97.574f, 80.727f},
	  {30.016f, 30.097f, 30.172f, 30.648f, 24.727f},
	  {32.244f, 37.341f, 38.817f, 39.813f, 30.438f}}},
	{"navy-sparkle-sweat",
	 "sweater, 96% polyester 4% spandex",
	 0.224f,
	 {{12.4863f, -19.8753f, 3.27243f, 17.6163f},
	  {32.1721f, 56.0128f, 283.466f, -2.43844f},
	  {48.5654f, 94.1263f, 180.101f, 4.43908f},
	  {77.0938f, 2.95866f, 91.2512f, 6.1077f},
	  {126.206f, 84.4717f, 305.132f, 38.4951f},
	  {92.3432f, 117.527f, 243.265f, 47.3384f}},
	 {{59.470f, 37.500f, 35.787f, 35.737f, 21.034f},
	  {40.072f, 37.447f, 35.207f, 24.872f, 9.034f},
	  {45.625f, 39.521f, 30.734f, 23.302f, 13.034f}}},
	{"pink-ribbon-brown",
	 "blanket, 100% polyester",
	 0.228f,
	 {{151.504f, 106.028f, 244.831f, 30.2502f},
	  {164.124f, 33.6897f, 268.195f, 30.0746f},
	  {152.585f, 107.251f, 210.615f, -62.7606f},
	  {209.604f, 175.223f, 220.198f, 129.643f},
	  {98.879f, 107.086f, 326.209f, 44.476f},
	  {96.8058f, 54.6269f, 359.793f, 30.3406f}},
	 {{117.070f, 202.683f, 298.616f, 244.589f, 238.438f},
	  {87.510f, 36.397f, 103.628f, 91.630f, 97.176f},
	  {59.774f, 59.261f, 64.200f, 55.017f, 59.222f}}},
	{"royal-target",
	 "trousers, 65% cotton 35% polyester",
	 0.22f,
	 {{2016.55f, 9.17051f, 2034.98f, 104.76f},
	  {2109.52f, 38.6046f, 2173.94f, 19.1292f},
	  {2109.78f, 60.1653f, 2155.51f, 27.8179f},
	  {2110.33f, 30.9874f, 2135.08f, 121.482f},
	  {2109.16f, 72.3933f, 2124.14f, 40.811f},
	  {2109.53f, 63.424f, 2152.74f, 39.8857f}},
	 {{125.410f, 167.285f, 215.413f, 215.091f, 223.861f},
	  {107.998f, 120.583f, 144.142f, 140.607f, 153.048f},
	  {125.410f, 167.285f, 215.413f, 215.091f, 227.861f}}},
	{"tango-red-jet-set",
	 "jacket, 100% polyester",
	 0.113f,
	 {{43.0676f, 54.3733f, 171.425f, 14.3147f},
	  {75.1517f, 82.1952f, 236.164f, -7.23038f},
	  {57.5482f, 89.6378f, 224.554f, 3.93204f},
	  {107.244f, 124.802f, 364.584f, 41.3869f},
	  {178.734f, 178.489f, 371.765f, -30.8981f},
	  {227.029f, -21.8654f, 404.867f, 62.636f}},
	 {{14.294f, 8.949f, 30.011f, 36.081f, 18.363f},
	  {21.952f, 22.446f, 18.409f, 19.598f, 12.072f},
	  {20.346f, 22.697f, 15.698f, 13.467f, 7.557f}}},
	{"white-dots-on-blk",
	 "tablecloth, 100% polyester",
	 0.128f,
	 {{2002.09f, 0.345588f, 2027.49f, 19.189f},
	  {2107.23f, 36.3716f, 2171.73f, 16.9047f},
	  {2107.3f, 57.9362f, 2153.31f, 24.3929f},
	  {2107.73f, 28.3891f, 2132.73f, 101.462f},
	  {2106.94f, 70.1495f, 2121.87f, 38.0545f},
	  {2107.31f, 61.2163f, 2150.48f, 37.6688f}},
	 {{51.714f, 36.507f, 66.361f, 52.729f, 15.222f},
	  {40.659f, 10.402f, 20.848f, 30.993f, 12.727f},
	  {31.283f, 22.910f, 26.350f, 30.638f, 16.727f}}},
	{"white-swim-solid",
	 "swimsuit, 87% nylon 13% spandex",
	 0.204f,
	 {{47.9712f, 6.83452f, 104.615f, 60.7737f},
	  {40.369f, 23.093f, 169.666f, -24.6819f},
	  {40.2916f, 48.1426f, 138.262f, 9.00256f},
	  {51.3935f, -32.9669f, 79.8817f, 35.9732f},
	  {51.5009f, 1.86891f, 63.6939f, -37.5404f},
	  {68.6212f, 40.132f, 124.469f, 36.1996f}},
	 {{60.238f, 56.357f, 69.699f, 55.306f, 34.706f},
	  {58.803f, 63.122f, 61.379f, 47.971f, 19.384f},
	  {51.019f, 50.741f, 50.571f, 50.006f, 24.557f}}},
};
// clang-format on

// The points of a curve, as fractions of the measured stretch: dense at the start, where knits stiffen most.
static const float curveParts[DRAPE_CURVE_POINTS] = {1.0f / 12, 1.0f / 6, 1.0f / 3, 1.0f / 2, 3.0f / 4, 1.0f};

// Principal stretch of all rows except the first, minus 1.
static const float measuredStretch = 1.0f / 6;

// The least slope of a piece of a curve, relative to zero strain. Some fabrics have a coefficient that falls so fast
// that the stress would fall, too.
static const float leastSteepness = 0.1f;

static void AddPoint(drapeStressCurve* curve, float strain, float stress, float leastSlope)
{
	DRAPE_ASSERT(curve->count < DRAPE_CURVE_POINTS && leastSlope > 0.0f);
	uint32_t i = curve->count++;
	float lastStrain = i > 0 ? curve->strain[i - 1] : 0.0f, lastStress = i > 0 ? curve->stress[i - 1] : 0.0f;
	curve->strain[i] = strain;
	curve->stress[i] = MaxNumF(stress, lastStress + leastSlope * (strain - lastStrain));
}

// `unstretched` and `stretched` are c11 or c22 at zero strain and at the measured stretch. A strip held at its width
// has S = 2 c E and 2 E = lambda^2 - 1 = e (2 + e).
static drapeStressCurve StretchCurve(float unstretched, float stretched)
{
	drapeStressCurve curve = {0};
	for (int i = 0; i < DRAPE_CURVE_POINTS; ++i)
	{
		float e = curveParts[i] * measuredStretch;
		float coefficient = unstretched + curveParts[i] * (stretched - unstretched);
		float stress = (1.0f + e) * coefficient * e * (2.0f + e);
		AddPoint(&curve, e, stress, leastSteepness * 2.0f * unstretched);
	}
	return curve;
}

// Shear gamma = 2 E12 alone has the principal stretch 1 + gamma / 2 and the stress S12 = c33 gamma. The contribution of
// c11 and c22 is of third order in gamma and left to the curves of warp and weft.
static drapeStressCurve ShearCurve(float unstretched, float stretched)
{
	drapeStressCurve curve = {0};
	for (int i = 0; i < DRAPE_CURVE_POINTS; ++i)
	{
		float gamma = 2.0f * curveParts[i] * measuredStretch;
		float coefficient = unstretched + curveParts[i] * (stretched - unstretched);
		AddPoint(&curve, gamma, coefficient * gamma, leastSteepness * unstretched);
	}
	return curve;
}

static float Rigidity(const MeasuredFabric* fabric, BendLine line)
{
	DRAPE_ASSERT((unsigned)line < bendLines);
	return 0.25e-6f * fabric->bend[line][0];
}

drapeMaterial drapeMeasuredFabric_Material(const MeasuredFabric* fabric)
{
	const float(*row)[stretchCoefficients] = fabric->stretch;
	const float* zero = row[stretchAtZero];
	float C11 = 2.0f * zero[stretchC11], C22 = 2.0f * zero[stretchC22], C12 = 2.0f * MaxNumF(zero[stretchC12], 0.0f);
	DRAPE_ASSERT(zero[stretchC33] > 0.0f && C12 * C12 < C11 * C22); // the moduli are usable as measured

	drapeMaterial material = drapeDefaultMaterial();
	material.density = fabric->density;
	material.stretchWarp = C11 - C12 * C12 / C22;
	material.stretchWeft = C22 - C12 * C12 / C11;
	material.poisson = C12 / C22;
	material.shear = zero[stretchC33];
	material.warpCurve = StretchCurve(zero[stretchC11], row[stretchAt0][stretchC11]);
	material.weftCurve = StretchCurve(zero[stretchC22], row[stretchAt90][stretchC22]);
	material.shearCurve = ShearCurve(zero[stretchC33], row[stretchAt45][stretchC33]);
	material.bendWarp = Rigidity(fabric, bendAbout90);
	material.bendWeft = Rigidity(fabric, bendAbout0);
	material.bendBias = Rigidity(fabric, bendAbout45);
	return material;
}
