// SPDX-License-Identifier: MIT
#include "support.h"

#include "sheet.h"

#include "base/random.h"
#include "contact/contact.h"

static const drapeColliderDef shapes[] = {
	{.shape = drape_shapeSphere, .radius = 0.8f},
	{.shape = drape_shapeCapsule, .radius = 0.4f, .halfHeight = 0.9f},
	{.shape = drape_shapeCylinder, .radius = 0.7f, .halfHeight = 0.5f},
	{.shape = drape_shapeBox, .halfExtents = {0.3f, 0.8f, 0.5f}},
	{.shape = drape_shapePlane},
	{.shape = drape_shapeCylinder, .radius = 1.0f, .halfHeight = 0.0f}, // a disc
	{.shape = drape_shapeBox, .halfExtents = {0.6f, 0.01f, 0.6f}},      // a plate
	{.shape = drape_shapeCapsule, .radius = 0.5f, .halfHeight = 0.0f},  // a sphere
	{.shape = drape_shapeTaperedCapsule, .radius = 0.5f, .topRadius = 0.2f, .halfHeight = 0.6f},
	{.shape = drape_shapeTaperedCapsule, .radius = 0.1f, .topRadius = 0.7f, .halfHeight = 0.5f},
	{.shape = drape_shapeTaperedCapsule, .radius = 0.3f, .topRadius = 0.3f, .halfHeight = 0.7f},  // a capsule
	{.shape = drape_shapeTaperedCapsule, .radius = 0.8f, .topRadius = 0.2f, .halfHeight = 0.25f}, // a sphere
	{.shape = drape_shapeTaperedCapsule, .radius = 0.2f, .topRadius = 0.8f, .halfHeight = 0.3f},  // both touch
	{.shape = drape_shapeTaperedCapsule, .radius = 0.4f, .topRadius = 0.5f, .halfHeight = 0.0f},
};

enum
{
	shapeCount = sizeof shapes / sizeof shapes[0],
};

static Vec3 RandomVec3(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

// --- closest points against samples of the surface ------------------------------------------------------------------

static Vec3 RandomDirection(Random* random)
{
	for (;;)
	{
		Vec3 v = RandomVec3(random, 1.0f);
		float length = V3Length(v);
		if (length > 0.1f && length < 1.0f)
			return V3Scale(1.0f / length, v);
	}
}

// The distance from a union of balls along the axis, which by definition is the shape. The best ball is found by
// search.
static double BallsDistance(const drapeColliderDef* def, const double p[3])
{
	double low = 0.0, high = 1.0, ring = hypot(p[0], p[2]), best[2];
	for (int i = 0; i < 200; ++i)
	{
		const double thirds[2] = {low + (high - low) / 3.0, high - (high - low) / 3.0};
		for (int k = 0; k < 2; ++k)
		{
			double t = thirds[k], centre = (2.0 * t - 1.0) * (double)def->halfHeight;
			best[k] = hypot(ring, p[1] - centre) - ((1.0 - t) * (double)def->radius + t * (double)def->topRadius);
		}
		low = best[0] < best[1] ? low : thirds[0];
		high = best[0] < best[1] ? thirds[1] : high;
	}
	return fmin(best[0], best[1]);
}

static double BallsDistanceAt(const drapeColliderDef* def, Vec3 p)
{
	const double q[3] = {(double)p.x, (double)p.y, (double)p.z};
	return BallsDistance(def, q);
}

// Where a ray from a point of the axis leaves the balls.
static Vec3 TaperedSample(const drapeColliderDef* def, Vec3 direction, float height)
{
	float in = 0.0f, out = 4.0f;
	const Vec3 from = {0.0f, height * def->halfHeight, 0.0f};
	for (int i = 0; i < 30; ++i)
	{
		float middle = 0.5f * (in + out);
		bool isIn = BallsDistanceAt(def, V3Add(from, V3Scale(middle, direction))) < 0.0;
		in = isIn ? middle : in;
		out = isIn ? out : middle;
	}
	return V3Add(from, V3Scale(out, direction));
}

// A point of the surface, made without any notion of distance.
static Vec3 SurfaceSample(const drapeColliderDef* def, Random* random)
{
	Vec3 d = RandomDirection(random), u = RandomVec3(random, 1.0f);
	float ring = sqrtf(d.x * d.x + d.z * d.z) + 1e-9f, r = def->radius, h = def->halfHeight;
	Vec3 e = def->halfExtents;
	switch (def->shape)
	{
		case drape_shapeSphere:
			return V3Scale(r, d);
		case drape_shapeCapsule:
			if (Random_Below(random, 2) && h > 0.0f)
				return (Vec3){r * d.x / ring, h * u.y, r * d.z / ring};
			return (Vec3){r * d.x, r * d.y + (d.y > 0.0f ? h : -h), r * d.z};
		case drape_shapeCylinder:
		{
			float rho = sqrtf(Random_Float(random)) * r;
			if (Random_Below(random, 2))
				return (Vec3){r * d.x / ring, h * u.y, r * d.z / ring};
			return (Vec3){rho * d.x / ring, u.y > 0.0f ? h : -h, rho * d.z / ring};
		}
		case drape_shapeBox:
		{
			Vec3 p = {e.x * u.x, e.y * u.y, e.z * u.z};
			uint32_t axis = Random_Below(random, 3);
			(&p.x)[axis] = Random_Below(random, 2) ? (&e.x)[axis] : -(&e.x)[axis];
			return p;
		}
		case drape_shapeTaperedCapsule:
			return TaperedSample(def, d, u.y);
		case drape_shapeMesh:
		case drape_shapePlane:
			break;
	}
	return (Vec3){2.5f * u.x, 0.0f, 2.5f * u.z};
}

static bool IsInside(const drapeColliderDef* def, Vec3 p)
{
	float ring = p.x * p.x + p.z * p.z, r = def->radius, h = def->halfHeight;
	Vec3 e = def->halfExtents;
	switch (def->shape)
	{
		case drape_shapeSphere:
			return V3Dot(p, p) < r * r;
		case drape_shapeCapsule:
			return (fabsf(p.y) < h && ring < r * r) || ring + (p.y - h) * (p.y - h) < r * r ||
			       ring + (p.y + h) * (p.y + h) < r * r;
		case drape_shapeCylinder:
			return ring < r * r && fabsf(p.y) < h;
		case drape_shapeBox:
			return fabsf(p.x) < e.x && fabsf(p.y) < e.y && fabsf(p.z) < e.z;
		case drape_shapeTaperedCapsule:
			return BallsDistanceAt(def, p) < 0.0;
		case drape_shapeMesh:
		case drape_shapePlane:
			break;
	}
	return p.y < 0.0f;
}

static void DistancesAreThoseToTheClosestOfManySurfacePoints(void** state)
{
	(void)state;
	enum
	{
		samples = 20000
	};
	static Vec3 surface[samples];
	Random random = Random_Seed(70, 0);
	for (int s = 0; s < shapeCount; ++s)
	{
		for (int i = 0; i < samples; ++i)
			surface[i] = SurfaceSample(&shapes[s], &random);
		for (int i = 0; i < 150; ++i)
		{
			Vec3 p = RandomVec3(&random, 1.5f);
			Closest closest = drapeShape_Closest(&shapes[s], p);
			float nearest = INFINITY;
			for (int k = 0; k < samples; ++k)
				nearest = fminf(nearest, V3Length(V3Sub(p, surface[k])));
			// No sample is closer; one is nearly as close, up to the spacing of the samples.
			assert_true(fabsf(closest.distance) <= nearest + 1e-5f);
			assert_true(nearest <= fabsf(closest.distance) + 0.08f);
			assert_int_equal(closest.distance < 0.0f, IsInside(&shapes[s], p));
		}
	}
}

static void ClosestPointsAreOnTheSurfaceAlongTheNormal(void** state)
{
	(void)state;
	Random random = Random_Seed(71, 0);
	for (int s = 0; s < shapeCount; ++s)
	{
		for (int i = 0; i < 5000; ++i)
		{
			Vec3 p = RandomVec3(&random, 1.5f);
			Closest closest = drapeShape_Closest(&shapes[s], p);
			Vec3 back = V3Add(closest.point, V3Scale(closest.distance, closest.normal));
			assert_true(V3Length(V3Sub(back, p)) < 1e-6f);
			assert_float_equal(V3Length(closest.normal), 1.0f, 1e-5f);
			assert_float_equal(drapeShape_Closest(&shapes[s], closest.point).distance, 0.0f, 1e-6f);
			assert_true(V3Length(closest.point) <= 1.00001f * drapeShape_BoundingRadius(&shapes[s]));
		}
	}
}

static void EightPointsAtATimeAgreeWithOne(void** state)
{
	(void)state;
	Random random = Random_Seed(72, 0);
	for (int s = 0; s < shapeCount; ++s)
	{
		for (int i = 0; i < 5000; ++i)
		{
			float x[8], y[8], z[8], distance[8], nx[8], ny[8], nz[8];
			for (int k = 0; k < 8; ++k)
			{
				Vec3 p = RandomVec3(&random, 1.5f);
				uint32_t flat = i % 4 == 0 ? Random_Below(&random, 8) : 0; // on axes and planes of symmetry
				x[k] = flat & 1 ? 0.0f : p.x;
				y[k] = flat & 2 ? 0.0f : p.y;
				z[k] = flat & 4 ? 0.0f : p.z;
			}
			V8 local = {F8_Load(x), F8_Load(y), F8_Load(z)}, normal;
			F8 wide;
			drapeShape_ClosestWide(&shapes[s], &local, &wide, &normal);
			F8_Store(distance, wide);
			F8_Store(nx, normal.x);
			F8_Store(ny, normal.y);
			F8_Store(nz, normal.z);
			for (int k = 0; k < 8; ++k)
			{
				Closest one = drapeShape_Closest(&shapes[s], (Vec3){x[k], y[k], z[k]});
				Vec3 n = {nx[k], ny[k], nz[k]};
				assert_float_equal(distance[k], one.distance, 1e-6f);
				assert_float_equal(V3Length(n), 1.0f, 1e-5f);
				assert_true(V3Dot(n, one.normal) > 0.999f);
			}
		}
	}
}

static void PlacesWithoutADirectionGetOne(void** state)
{
	(void)state;
	static const Vec3 places[] = {{0, 0, 0},           {0, 0.5f, 0},       {0, -0.9f, 0}, {1e-30f, 0, 0},
	                              {0, 1e-42f, 1e-42f}, {0.3f, 0.8f, 0.5f}, {0, 0, -0.0f}, {1e-20f, 0.5f, -1e-20f}};
	drapeColliderDef point = {.shape = drape_shapeBox};
	for (int s = 0; s <= shapeCount; ++s)
	{
		const drapeColliderDef* def = s < shapeCount ? &shapes[s] : &point;
		for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
		{
			Vec3 p = places[i];
			Closest closest = drapeShape_Closest(def, p);
			assert_true(V3IsFinite(closest.point) && isfinite(closest.distance));
			assert_float_equal(V3Length(closest.normal), 1.0f, 1e-5f);
			V8 local = V8_Splat(p), normal;
			F8 distance;
			float n[3][8], d[8];
			drapeShape_ClosestWide(def, &local, &distance, &normal);
			F8_Store(d, distance);
			F8_Store(n[0], normal.x);
			F8_Store(n[1], normal.y);
			F8_Store(n[2], normal.z);
			assert_float_equal(d[0], closest.distance, 1e-6f);
			assert_float_equal(V3Length((Vec3){n[0][0], n[1][0], n[2][0]}), 1.0f, 1e-5f);
		}
	}
	Closest far = drapeShape_Closest(&shapes[0], (Vec3){3e38f, -3e38f, 3e38f});
	assert_true(V3IsFinite(far.point) && V3IsFinite(far.normal));
}

// --- sweeps against small steps -------------------------------------------------------------------------------------

// Distance outside, in doubles, from the shape's definition; a negative number or zero inside.
static double OutsideDistance(const drapeColliderDef* def, const double p[3])
{
	double ring = hypot(p[0], p[2]), r = (double)def->radius, h = (double)def->halfHeight;
	double above = fmax(fabs(p[1]) - h, 0.0);
	switch (def->shape)
	{
		case drape_shapeSphere:
			return hypot(ring, p[1]) - r;
		case drape_shapeCapsule:
			return hypot(ring, above) - r;
		case drape_shapeCylinder:
			return hypot(fmax(ring - r, 0.0), above);
		case drape_shapeBox:
			return hypot(hypot(fmax(fabs(p[0]) - (double)def->halfExtents.x, 0.0),
			                   fmax(fabs(p[1]) - (double)def->halfExtents.y, 0.0)),
			             fmax(fabs(p[2]) - (double)def->halfExtents.z, 0.0));
		case drape_shapeTaperedCapsule:
			return BallsDistance(def, p);
		case drape_shapeMesh:
		case drape_shapePlane:
			break;
	}
	return p[1];
}

static double DistanceAlong(const drapeColliderDef* def, Vec3 from, Vec3 to, double t)
{
	double p[3];
	for (int k = 0; k < 3; ++k)
		p[k] = (double)(&from.x)[k] + t * ((double)(&to.x)[k] - (double)(&from.x)[k]);
	return OutsideDistance(def, p);
}

// The first of many small steps that is inside; 2 when none is.
static double StepInto(const drapeColliderDef* def, double margin, Vec3 from, Vec3 to, int steps)
{
	for (int i = 0; i <= steps; ++i)
	{
		double t = (double)i / steps;
		if (DistanceAlong(def, from, to, t) < margin - 1e-9)
			return t;
	}
	return 2.0;
}

static void CheckSweep(const drapeColliderDef* def, float margin, Vec3 from, Vec3 to)
{
	enum
	{
		steps = 2000
	};
	float fraction = -1.0f;
	Vec3 normal;
	bool hit = drapeShape_Sweep(def, margin, from, to, &fraction, &normal);
	double length = (double)V3Length(V3Sub(to, from)), stepped = StepInto(def, (double)margin, from, to, steps);
	if (stepped == 0.0)
	{
		assert_false(hit);
		return;
	}
	if (stepped <= 1.0)
	{
		assert_true(hit);
		assert_true((double)fraction <= stepped + 1e-6);
		assert_true((double)fraction >= stepped - 1.0 / steps - 1e-6);
	}
	if (hit)
	{
		assert_true(fraction >= 0.0f && fraction <= 1.0f);
		double tolerance = 1e-6 + 2e-7 * length; // of a fraction in a float
		assert_true(fabs(DistanceAlong(def, from, to, (double)fraction) - (double)margin) < tolerance);
		assert_float_equal(V3Length(normal), 1.0f, 1e-5f);
		assert_true(V3Dot(normal, V3Sub(to, from)) <= 1e-4f * (float)length);
	}
}

static void SweepsFindTheEntryThatSmallStepsFind(void** state)
{
	(void)state;
	static const float margins[] = {0.0f, 0.002f, 0.3f};
	Random random = Random_Seed(73, 0);
	for (int s = 0; s < shapeCount; ++s)
	{
		for (int i = 0; i < 600; ++i)
		{
			Vec3 from = RandomVec3(&random, 2.0f), to = RandomVec3(&random, 2.0f);
			if (i % 5 == 0)
				to = V3Scale(-Random_Float(&random), from); // through the middle
			if (shapes[s].shape == drape_shapePlane && from.y < 0.5f)
				from.y = 0.5f;
			CheckSweep(&shapes[s], margins[i % 3], from, to);
		}
	}
}

static void SweepsThatGrazeAgreeWithTheClosestApproach(void** state)
{
	(void)state;
	Random random = Random_Seed(74, 0);
	for (int s = 0; s < shapeCount; ++s)
	{
		for (int i = 0; i < 400; ++i)
		{
			// A line that touches the inflated surface in one point, then lifted or lowered by a little.
			float margin = 0.1f, lift = Random_Range(&random, -1e-3f, 1e-3f);
			Closest at = drapeShape_Closest(&shapes[s], V3Scale(3.0f, RandomDirection(&random)));
			if (at.distance <= 0.0f)
				continue;
			Vec3 along = V3Normalize(V3Cross(at.normal, RandomDirection(&random)));
			Vec3 touch = V3Add(at.point, V3Scale(margin + lift, at.normal)), way = V3Scale(2.0f, along);
			float fraction;
			Vec3 normal;
			bool hit = drapeShape_Sweep(&shapes[s], margin, V3Sub(touch, way), V3Add(touch, way), &fraction, &normal);
			bool startsInside = DistanceAlong(&shapes[s], V3Sub(touch, way), touch, 0.0) < (double)margin;
			if (fabsf(lift) > 1e-6f)
				assert_int_equal(hit, lift < 0.0f && !startsInside);
			if (hit)
				assert_true(fabs(DistanceAlong(&shapes[s], V3Sub(touch, way), V3Add(touch, way), (double)fraction) -
				                 (double)margin) < 1e-6);
		}
	}
}

static void SweepsFromTheSurfaceGoInOrDoNot(void** state)
{
	(void)state;
	drapeColliderDef sphere = {.shape = drape_shapeSphere, .radius = 1.0f};
	drapeColliderDef box = {.shape = drape_shapeBox, .halfExtents = {1, 1, 1}};
	float fraction;
	Vec3 normal;
	const drapeColliderDef* const defs[] = {&sphere, &box, &shapes[4]};
	for (int i = 0; i < 3; ++i)
	{
		Vec3 top = {0, i == 2 ? 0.5f : 1.5f, 0}; // exactly on the surface at margin 0.5
		assert_true(drapeShape_Sweep(defs[i], 0.5f, top, (Vec3){0, -3, 0}, &fraction, &normal));
		assert_true(fraction == 0.0f && normal.y == 1.0f);
		assert_false(drapeShape_Sweep(defs[i], 0.5f, top, (Vec3){0, 3, 0}, &fraction, &normal));
		assert_false(drapeShape_Sweep(defs[i], 0.5f, top, (Vec3){1, top.y, 0}, &fraction, &normal)); // along it
		assert_false(drapeShape_Sweep(defs[i], 0.5f, top, top, &fraction, &normal));
		assert_false(drapeShape_Sweep(defs[i], 0.5f, (Vec3){0, 0.3f, 0}, (Vec3){0, 9, 0}, &fraction, &normal));
		assert_false(drapeShape_Sweep(defs[i], 0.5f, (Vec3){0, 2, 0}, (Vec3){0, 2, 0}, &fraction, &normal));
		assert_true(drapeShape_Sweep(defs[i], 0.5f, (Vec3){0, 4, 0}, top, &fraction, &normal) == (fraction == 1.0f));
	}
}

static void SweepsAtHugeSpeedsFindTheEntry(void** state)
{
	(void)state;
	Random random = Random_Seed(75, 0);
	for (int s = 0; s < shapeCount; ++s)
	{
		for (int i = 0; i < 200; ++i)
		{
			Vec3 aim = V3Scale(0.005f, RandomDirection(&random)), direction = RandomDirection(&random);
			if (shapes[s].shape == drape_shapePlane && direction.y > -0.1f)
				direction.y = -0.1f;
			if (shapes[s].halfHeight == 0.0f && shapes[s].shape == drape_shapeCylinder && fabsf(direction.y) < 0.3f)
				continue; // past the edge of the disc
			float speed = powf(10.0f, Random_Range(&random, 1.0f, 6.0f)), fraction;
			Vec3 from = V3Sub(aim, V3Scale(speed, direction)), to = V3Add(aim, V3Scale(speed, direction)), normal;
			assert_true(drapeShape_Sweep(&shapes[s], 0.02f, from, to, &fraction, &normal));
			assert_true(fabs(DistanceAlong(&shapes[s], from, to, (double)fraction) - 0.02) <
			            1e-6 + 4e-7 * (double)speed);
		}
	}
}

// Otherwise the sentence has these words.
static bool IsValid(const drapeColliderDef* def, const char* words)
{
	drapeMessage message = {0};
	Test_RecordAsserts();
	drapeResult result = drapeShape_Check(def, &message);
	Test_RecordedAsserts();
	assert_true(result == drape_ok || strstr(message.text, words));
	return result == drape_ok;
}

static void UnusableShapesAreRefusedWithAReason(void** state)
{
	(void)state;
	for (int s = 0; s < shapeCount; ++s)
	{
		drapeColliderDef def = shapes[s];
		def.transform = drapeIdentityTransform();
		assert_true(IsValid(&def, ""));
	}
	drapeColliderDef bad[7];
	for (int i = 0; i < 7; ++i)
		bad[i] = (drapeColliderDef){.radius = 1.0f, .halfHeight = 1.0f, .transform = drapeIdentityTransform()};
	bad[0].shape = (drapeColliderShape)77;
	bad[1].radius = 0.0f;
	bad[2].radius = NAN;
	bad[3].shape = drape_shapeCylinder;
	bad[3].halfHeight = -1.0f;
	bad[4].shape = drape_shapeBox;
	bad[4].halfExtents.y = INFINITY;
	bad[5].radius = INFINITY;
	bad[6].shape = drape_shapeTaperedCapsule; // its top radius is zero
	static const char* const sentences[7] = {"shape is 77",      "radius is 0",          "radius is nan",
	                                         "halfHeight is -1", "halfExtents.y is inf", "radius is inf",
	                                         "topRadius is 0,"};
	for (int i = 0; i < 7; ++i)
		assert_false(IsValid(&bad[i], sentences[i]));
}

static void ContainsIsTheSignOfTheDistance(void** state)
{
	(void)state;
	Random random = Random_Seed(41, 2);
	for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
	{
		drapeColliderDef def = {.shape = (drapeColliderShape)shape,
		                        .radius = 0.7f,
		                        .topRadius = 0.4f,
		                        .halfHeight = 0.5f,
		                        .halfExtents = {0.4f, 0.8f, 0.6f}};
		if (drapeColliderShape_GetInfo((drapeColliderShape)shape)->isMesh)
			continue;
		int inside = 0;
		for (int i = 0; i < 4000; ++i)
		{
			Vec3 p = {Random_Range(&random, -1.5f, 1.5f), Random_Range(&random, -1.5f, 1.5f),
			          Random_Range(&random, -1.5f, 1.5f)};
			float distance = drapeShape_Closest(&def, p).distance;
			if (fabsf(distance) > 1e-5f)
				assert_int_equal(drapeShape_Contains(&def, p), distance < 0.0f);
			inside += distance < 0.0f;
		}
		assert_true(inside > 100 && inside < 3900);
	}
}

// --- tapered capsules -----------------------------------------------------------------------------------------------

static drapeColliderDef RandomTapered(Random* random)
{
	drapeColliderDef def = {.shape = drape_shapeTaperedCapsule,
	                        .radius = Random_Range(random, 1e-3f, 1.0f),
	                        .topRadius = Random_Range(random, 1e-3f, 1.0f),
	                        .halfHeight = Random_Range(random, 0.0f, 1.0f)};
	// Spheres that touch from inside, that are the same, that nearly contain each other, and that have no distance.
	switch (Random_Below(random, 8))
	{
		case 0:
			def.halfHeight = 0.5f * fabsf(def.radius - def.topRadius);
			break;
		case 1:
			def.topRadius = def.radius;
			break;
		case 2:
			def.halfHeight = 0.5f * fabsf(def.radius - def.topRadius) * 1.0001f;
			break;
		case 3:
			def.halfHeight = 0.0f;
			break;
		case 4:
			def.topRadius = nextafterf(def.radius, 2.0f);
			break;
		default:
			break;
	}
	return def;
}

static void ATaperedCapsuleIsAUnionOfBalls(void** state)
{
	(void)state;
	Random random = Random_Seed(81, 0);
	for (int i = 0; i < 20000; ++i)
	{
		drapeColliderDef def = RandomTapered(&random);
		Vec3 p = RandomVec3(&random, 2.0f);
		if (i % 5 == 0)
			p = (Vec3){0.0f, p.y, 0.0f};
		Closest closest = drapeShape_Closest(&def, p);
		assert_true(fabs((double)closest.distance - BallsDistanceAt(&def, p)) < 1e-6);
		assert_float_equal(V3Length(closest.normal), 1.0f, 1e-5f);
		assert_true(fabs(BallsDistanceAt(&def, closest.point)) < 1e-6);
		if (fabsf(closest.distance) > 1e-6f)
			assert_int_equal(drapeShape_Contains(&def, p), closest.distance < 0.0f);
		V8 local = V8_Splat(p), normal;
		F8 wide;
		float distances[8], n[3][8];
		drapeShape_ClosestWide(&def, &local, &wide, &normal);
		F8_Store(distances, wide);
		F8_Store(n[0], normal.x);
		F8_Store(n[1], normal.y);
		F8_Store(n[2], normal.z);
		assert_float_equal(distances[7], closest.distance, 2e-6f);
		assert_float_equal(V3Length((Vec3){n[0][7], n[1][7], n[2][7]}), 1.0f, 1e-5f);
		assert_true(V3Length(closest.point) <= 1.00001f * drapeShape_BoundingRadius(&def));
	}
}

static void EqualRadiiAreACapsuleBitForBit(void** state)
{
	(void)state;
	Random random = Random_Seed(82, 0);
	for (int i = 0; i < 5000; ++i)
	{
		drapeColliderDef capsule = {.shape = drape_shapeCapsule,
		                            .radius = Random_Range(&random, 1e-3f, 1.0f),
		                            .halfHeight = Random_Range(&random, 1e-3f, 1.0f)};
		drapeColliderDef tapered = capsule;
		tapered.shape = drape_shapeTaperedCapsule;
		tapered.topRadius = tapered.radius;
		V8 local[2], normal[2];
		F8 distance[2];
		float x[8], y[8], z[8];
		for (int k = 0; k < 8; ++k)
		{
			Vec3 p = RandomVec3(&random, 2.0f);
			x[k] = p.x;
			y[k] = p.y;
			z[k] = p.z;
			Closest a = drapeShape_Closest(&capsule, p), b = drapeShape_Closest(&tapered, p);
			assert_float_equal(a.distance, b.distance, 1e-7f);
			assert_true(V3Length(V3Sub(a.normal, b.normal)) < 1e-6f);
		}
		local[0] = local[1] = (V8){F8_Load(x), F8_Load(y), F8_Load(z)};
		drapeShape_ClosestWide(&capsule, &local[0], &distance[0], &normal[0]);
		drapeShape_ClosestWide(&tapered, &local[1], &distance[1], &normal[1]);
		assert_memory_equal(&distance[0], &distance[1], sizeof(F8));
		assert_memory_equal(&normal[0], &normal[1], sizeof(V8));
		Vec3 from = RandomVec3(&random, 3.0f), to = RandomVec3(&random, 3.0f), normals[2];
		float fractions[2] = {0.0f, 0.0f};
		bool hit = drapeShape_Sweep(&capsule, 0.01f, from, to, &fractions[0], &normals[0]);
		assert_int_equal(hit, drapeShape_Sweep(&tapered, 0.01f, from, to, &fractions[1], &normals[1]));
		if (hit)
			assert_float_equal(fractions[0], fractions[1], 1e-6f);
	}
}

static void SweepsIntoAnyTaperedCapsuleFindTheEntry(void** state)
{
	(void)state;
	Random random = Random_Seed(83, 0);
	for (int i = 0; i < (isSlow ? 100 : 1500); ++i)
	{
		drapeColliderDef def = RandomTapered(&random);
		CheckSweep(&def, i % 2 ? 0.0f : 0.05f, RandomVec3(&random, 2.0f), RandomVec3(&random, 2.0f));
	}
}

// --- elements, surfaces, descriptions -------------------------------------------------------------------------------

// Every vertex and edge has one owner, and the surface of the elements lies between the shape and the shrunk shape.
static void CheckElements(const drapeColliderDef* def)
{
	enum
	{
		most = 2048,
	};
	static uint8_t owned[most], edges[most][most]; // numbers of owners
	ContactBodies bodies = {0};
	Collider collider = {.def = *def, .from = drapeIdentityTransform(), .to = drapeIdentityTransform()};
	collider.from.scale = collider.to.scale = 2.0f;
	assert_true(drapeCollider_Join(&collider, &bodies));
	uint32_t vertices = bodies.from.count;
	assert_true(vertices <= most);
	memset(owned, 0, sizeof owned);
	for (uint32_t i = 0; i < vertices; ++i)
		memset(edges[i], 0, vertices);
	for (uint32_t e = 0; e < bodies.elements.count; ++e)
	{
		const ContactElement* element = &bodies.elements.data[e];
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t a = element->vertex[k], b = element->vertex[(k + 1) % 3];
			assert_true(a < vertices);
			owned[a] = (uint8_t)(owned[a] + (element->owns >> k & 1));
			if (element->owns & ownsEdge << k)
				edges[MaxU32(a, b)][MinU32(a, b)]++;
		}
	}
	for (uint32_t e = 0; e < bodies.elements.count; ++e)
	{
		const uint32_t* v = bodies.elements.data[e].vertex;
		for (uint32_t k = 0; k < 3; ++k)
			assert_true(v[k] == v[(k + 1) % 3] ||
			            edges[MaxU32(v[k], v[(k + 1) % 3])][MinU32(v[k], v[(k + 1) % 3])] == 1);
	}
	drapeColliderDef inner = *def;
	drapeShape_ShrinkToElements(&inner);
	float radius = bodies.bodies.count > 0 ? bodies.bodies.data[0].radius : 0.0f;
	for (uint32_t i = 0; i < vertices; ++i)
		assert_int_equal(owned[i], 1);
	for (uint32_t e = 0; e < bodies.elements.count; ++e)
	{
		const uint32_t* v = bodies.elements.data[e].vertex;
		for (int k = 0; k < 4; ++k)
		{
			Vec3 a = V4Xyz(bodies.from.data[v[k % 3]]), b = V4Xyz(bodies.from.data[v[(k + 1) % 3]]);
			Vec3 c = V4Xyz(bodies.from.data[v[(k + 2) % 3]]);
			Vec3 p = V3Scale(1.0f / 3.0f, V3Add(a, V3Add(b, c)));
			if (k < 3)
				p = V3Scale(0.5f, V3Add(a, b));
			Vec3 local = V3Scale(0.5f, p);
			if (bodies.elements.data[e].owns & ownsFace)
			{
				assert_true(drapeShape_Closest(def, local).distance * 2.0f + radius < 1e-5f);
				assert_true(drapeShape_Closest(&inner, local).distance * 2.0f + radius > -1e-4f);
			}
		}
	}
	drapeContactBodies_Destroy(&bodies);
}

static void ElementsAreClosedAndJustBelowTheSurface(void** state)
{
	(void)state;
	Random random = Random_Seed(84, 0);
	for (int s = 0; s < shapeCount; ++s)
		CheckElements(&shapes[s]);
	for (int i = 0; i < (isSlow ? 5 : 60); ++i)
	{
		drapeColliderDef def = RandomTapered(&random);
		CheckElements(&def);
	}
}

static void SurfacesForDrawingAreOnTheShape(void** state)
{
	(void)state;
	static drapeVec3 positions[8192], normals[8192];
	static uint32_t triangles[3 * 16384];
	for (int s = 0; s < shapeCount; ++s)
	{
		drapeColliderSurfaceSize size = drapeColliderShape_GetSurfaceSize(&shapes[s]);
		assert_true(size.vertexCount > 0 && size.vertexCount <= 8192 && size.triangleCount <= 16384);
		for (int inset = 0; inset < 2; ++inset)
		{
			drapeColliderShape_WriteSurface(&shapes[s], 0.002f * (float)inset, positions, normals, sizeof(drapeVec3),
			                                triangles);
			for (uint32_t i = 0; i < size.vertexCount && drapeColliderShape_GetInfo(shapes[s].shape)->isBounded; ++i)
			{
				float distance = drapeColliderShape_GetDistance(&shapes[s], positions[i], NULL);
				assert_true(distance < 1e-6f && distance > -0.0021f * (float)inset - 1e-6f);
				assert_float_equal(V3Length(normals[i]), 1.0f, 1e-5f);
			}
		}
		double volume = 0.0;
		for (uint32_t t = 0; t < size.triangleCount; ++t)
		{
			const uint32_t* c = &triangles[3 * t];
			assert_true(c[0] < size.vertexCount && c[1] < size.vertexCount && c[2] < size.vertexCount);
			volume += (double)V3Dot(positions[c[0]], V3Cross(positions[c[1]], positions[c[2]]));
		}
		assert_true(volume > -1e-6); // counter-clockwise seen from outside
	}
}

static void DescriptionsNameEveryShapeAndMeasure(void** state)
{
	(void)state;
	const drapeColliderShapeInfo* info;
	drapeColliderDef def = drapeDefaultColliderDef();
	int count = 0;
	for (; (info = drapeColliderShape_GetInfo((drapeColliderShape)count)) != NULL; ++count)
	{
		assert_true(info->key[0] && info->label[0] && info->measureCount <= DRAPE_MAX_MEASURES);
		def.shape = (drapeColliderShape)count;
		assert_true(IsValid(&def, ""));
		for (uint32_t i = 0; i < info->measureCount; ++i)
		{
			bool isListed = false;
			for (uint32_t k = 0; drapeColliderShape_GetMeasure(k); ++k)
				isListed |= drapeColliderShape_GetMeasure(k) == info->measures[i];
			assert_true(isListed);
			uint32_t floats;
			drapeColliderDef bad = def;
			drapeColliderShape_GetMeasureValues(info->measures[i], &bad, &floats)[floats - 1] = -1.0f;
			assert_false(IsValid(&bad, info->measures[i]->key));
		}
		assert_int_equal(drapeColliderShape_FitBox(&def, (drapeVec3){0.2f, 0.5f, 0.1f}),
		                 info->isBounded && !info->isMesh);
		if (info->isBounded && !info->isMesh)
			assert_true(drapeColliderShape_GetDistance(&def, (drapeVec3){0.0f, 0.5f, 0.0f}, NULL) < 1e-3f);
		def = drapeDefaultColliderDef();
	}
	assert_int_equal(count, drape_shapeTaperedCapsule + 1);
	assert_null(drapeColliderShape_GetInfo((drapeColliderShape)-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ContainsIsTheSignOfTheDistance),
		cmocka_unit_test(DistancesAreThoseToTheClosestOfManySurfacePoints),
		cmocka_unit_test(ClosestPointsAreOnTheSurfaceAlongTheNormal),
		cmocka_unit_test(EightPointsAtATimeAgreeWithOne),
		cmocka_unit_test(PlacesWithoutADirectionGetOne),
		cmocka_unit_test(SweepsFindTheEntryThatSmallStepsFind),
		cmocka_unit_test(SweepsThatGrazeAgreeWithTheClosestApproach),
		cmocka_unit_test(SweepsFromTheSurfaceGoInOrDoNot),
		cmocka_unit_test(SweepsAtHugeSpeedsFindTheEntry),
		cmocka_unit_test(UnusableShapesAreRefusedWithAReason),
		cmocka_unit_test(ATaperedCapsuleIsAUnionOfBalls),
		cmocka_unit_test(EqualRadiiAreACapsuleBitForBit),
		cmocka_unit_test(SweepsIntoAnyTaperedCapsuleFindTheEntry),
		cmocka_unit_test(ElementsAreClosedAndJustBelowTheSurface),
		cmocka_unit_test(SurfacesForDrawingAreOnTheShape),
		cmocka_unit_test(DescriptionsNameEveryShapeAndMeasure),
	};
	return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
