// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "contact/narrow/crossing.h"

#include <math.h>

static Vec3 AnyVector(Random* random, float size)
{
	float x = Random_Range(random, -size, size), y = Random_Range(random, -size, size);
	return (Vec3){x, y, Random_Range(random, -size, size)};
}

// Whole numbers from -size to size.
static Vec3 Lattice(Random* random, int size)
{
	float x[3];
	for (int i = 0; i < 3; ++i)
		x[i] = (float)((int)Random_Below(random, 2 * (uint32_t)size + 1) - size);
	return (Vec3){x[0], x[1], x[2]};
}

static int TrialCount(int count)
{
	return isSlow ? count / 20 : count;
}

// --- whole numbers --------------------------------------------------------------------------------------------------

typedef struct Int3
{
	int64_t x[3];
} Int3;

static Int3 ToInt(Vec3 a)
{
	return (Int3){{(int64_t)a.x, (int64_t)a.y, (int64_t)a.z}};
}

static Int3 Minus(Int3 a, Int3 b)
{
	return (Int3){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static Int3 Cross(Int3 a, Int3 b)
{
	return (Int3){
		{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static int64_t Dot(Int3 a, Int3 b)
{
	return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static int IntOrient(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
	Int3 o = ToInt(a);
	int64_t volume = Dot(Cross(Minus(ToInt(b), o), Minus(ToInt(c), o)), Minus(ToInt(d), o));
	return (volume > 0) - (volume < 0);
}

// The reference: convex sets have no point in common when the images of their corners along some axis leave a gap.
static bool IsSeparating(Int3 axis, const Int3* a, int countA, const Int3* b, int countB)
{
	int64_t lowA = INT64_MAX, highA = INT64_MIN, lowB = INT64_MAX, highB = INT64_MIN;
	for (int i = 0; i < countA; ++i)
	{
		int64_t at = Dot(axis, a[i]);
		lowA = at < lowA ? at : lowA;
		highA = at > highA ? at : highA;
	}
	for (int i = 0; i < countB; ++i)
	{
		int64_t at = Dot(axis, b[i]);
		lowB = at < lowB ? at : lowB;
		highB = at > highB ? at : highB;
	}
	return highA < lowB || highB < lowA;
}

static bool IntMeet(const Int3* a, int countA, const Int3* b, int countB)
{
	// Edges, ways between corners, their products and the products of those: more than enough axes for points, segments
	// and triangles in any position.
	Int3 directions[32];
	int count = 0;
	for (int i = 0; i < countA; ++i)
		directions[count++] = Minus(a[(i + 1) % countA], a[i]);
	for (int i = 0; i < countB; ++i)
		directions[count++] = Minus(b[(i + 1) % countB], b[i]);
	for (int i = 0; i < countA; ++i)
	{
		for (int j = 0; j < countB; ++j)
			directions[count++] = Minus(b[j], a[i]);
	}
	for (int i = 0; i < count; ++i)
	{
		if (IsSeparating(directions[i], a, countA, b, countB))
			return false;
		for (int j = 0; j < i; ++j)
		{
			Int3 axis = Cross(directions[i], directions[j]);
			if (IsSeparating(axis, a, countA, b, countB))
				return false;
			for (int k = 0; k < count; ++k)
			{
				if (IsSeparating(Cross(axis, directions[k]), a, countA, b, countB))
					return false;
			}
		}
	}
	return true;
}

static bool TrianglesMeet(const Vec3 a[3], const Vec3 b[3])
{
	const Int3 first[3] = {ToInt(a[0]), ToInt(a[1]), ToInt(a[2])}, second[3] = {ToInt(b[0]), ToInt(b[1]), ToInt(b[2])};
	return IntMeet(first, 3, second, 3);
}

// --- signs ----------------------------------------------------------------------------------------------------------

static void TheSignIsThatOfTheVolume(void** state)
{
	(void)state;
	Vec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
	assert_int_equal(drapeOrient3(o, x, y, z), 1);
	assert_int_equal(drapeOrient3(o, y, x, z), -1);
	assert_int_equal(drapeOrient3(o, x, y, (Vec3){7, -5, 0}), 0);
	assert_int_equal(drapeOrient3(o, x, y, (Vec3){7, -5, 1e-45f}), 1);
	assert_int_equal(drapeOrient3(o, x, y, (Vec3){3e38f, -3e38f, -1e-45f}), -1);
}

static void SignsOnLatticesAreThoseOfIntegers(void** state)
{
	(void)state;
	Random random = Random_Seed(1, 1);
	int zeros = 0;
	for (int i = 0; i < TrialCount(400000); ++i)
	{
		int size = 1 << Random_Below(&random, 20); // products fit into 64 bits
		Vec3 a = Lattice(&random, size), b = Lattice(&random, size), c = Lattice(&random, size);
		Vec3 d = Lattice(&random, size);
		int expected = IntOrient(a, b, c, d);
		zeros += expected == 0;
		assert_int_equal(drapeOrient3(a, b, c, d), expected);
	}
	assert_true(zeros > 0);
}

static float AnyScale(Random* random)
{
	return ldexpf(1.0f, (int)Random_Below(random, 80) - 40);
}

// A whole number with up to 22 bits, of either sign.
static float AnyInteger(Random* random)
{
	return (float)((int)Random_Below(random, 1u << 23) - (1 << 22));
}

// Points of the plane z = x + y, each with a scale of its own, and their neighbours: neither differences of such
// coordinates nor products of three fit into doubles, so the volume computed in them is noise.
static void OneUnitInTheLastPlaceOffThePlaneIsSeen(void** state)
{
	(void)state;
	Random random = Random_Seed(2, 1);
	int clear = 0, count = TrialCount(100000);
	for (int i = 0; i < count; ++i)
	{
		Vec3 x[4];
		for (int j = 0; j < 4; ++j)
		{
			float u = AnyInteger(&random), v = AnyInteger(&random);
			x[j] = V3Scale(AnyScale(&random), (Vec3){u, v, u + v});
		}
		assert_int_equal(drapeOrient3(x[0], x[1], x[2], x[3]), 0);
		double left = ((double)x[1].x - (double)x[0].x) * ((double)x[2].y - (double)x[0].y);
		double right = ((double)x[1].y - (double)x[0].y) * ((double)x[2].x - (double)x[0].x);
		if (fabs(left - right) <= 1e-12 * (fabs(left) + fabs(right)))
			continue;
		++clear;
		int expected = left > right ? 1 : -1;
		Vec3 above = x[3];
		above.z = nextafterf(above.z, INFINITY);
		assert_int_equal(drapeOrient3(x[0], x[1], x[2], above), expected);
		assert_int_equal(drapeOrient3(x[1], x[0], x[2], above), -expected);
		assert_int_equal(drapeOrient3(above, x[0], x[1], x[2]), -expected);
	}
	assert_true(clear > count / 2);
}

// A segment along the line y = 3 x, and a triangle to the left of it with a corner on it, in all projections.
static void OneUnitInTheLastPlaceOffTheLineIsSeen(void** state)
{
	(void)state;
	Random random = Random_Seed(6, 1);
	for (int i = 0; i < TrialCount(100000); ++i)
	{
		float ends[2], scale = AnyScale(&random);
		for (int k = 0; k < 2; ++k)
			ends[k] = (float)(1 + Random_Below(&random, 1u << 18)) * AnyScale(&random);
		float at = fminf(ends[0], ends[1]) * 0x1p-3f * (float)((int)Random_Below(&random, 17) - 8);
		for (int side = -1; side <= 1; ++side)
		{
			float y = side == 0 ? 3.0f * at : nextafterf(3.0f * at, side > 0 ? INFINITY : -INFINITY);
			Vec3 points[5] = {
				{ends[0], 3.0f * ends[0], 0}, {-ends[1], -3.0f * ends[1], 0}, {at, y, 0},
				{-4 * scale, scale, 0},       {scale, 4 * scale, 0},
			};
			for (int k = 0; k < 5 && i % 3 > 0; ++k)
			{
				Vec3 p = points[k];
				points[k] = i % 3 == 1 ? (Vec3){p.z, p.x, p.y} : (Vec3){p.y, p.z, p.x};
			}
			// A corner as far out as the end of the segment may be moved past it.
			bool isWithin = fabsf(at) < fminf(ends[0], ends[1]);
			if (isWithin || side >= 0)
				assert_int_equal(drapeCrossing_SegmentTriangle(points[0], points[1], &points[2]), side <= 0);
		}
	}
}

static void SwappingCornersSwapsTheSign(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 1);
	for (int i = 0; i < TrialCount(100000); ++i)
	{
		Vec3 a = AnyVector(&random, 1.0f), b = AnyVector(&random, 1.0f), c = AnyVector(&random, 1.0f);
		// Nearly in the plane, with noise below the last place, and of any scale.
		float s = Random_Float(&random), t = Random_Float(&random);
		Vec3 d = V3Add(a, V3Add(V3Scale(s, V3Sub(b, a)), V3Scale(t, V3Sub(c, a))));
		int sign = drapeOrient3(a, b, c, d);
		assert_int_equal(drapeOrient3(b, a, c, d), -sign);
		assert_int_equal(drapeOrient3(b, c, d, a), -sign);
		assert_int_equal(drapeOrient3(d, c, b, a), sign);
		assert_int_equal(drapeOrient3(c, d, a, b), sign);
	}
}

// --- crossings ------------------------------------------------------------------------------------------------------

static const Vec3 flat[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};

static void SegmentsMeetATriangleWhereverTheyTouchIt(void** state)
{
	(void)state;
	const struct
	{
		Vec3 p, q;
		bool meets;
	} cases[] = {
		{{1, 1, 1}, {1, 1, -1}, true},      // through the inside
		{{1, 1, 1}, {1, 1, 0}, true},       // ends inside
		{{1, 1, 1}, {1, 1, 0.5f}, false},   // ends above
		{{2, 2, 1}, {2, 2, -1}, true},      // through an edge
		{{0, 0, 1}, {0, 0, -1}, true},      // through a corner
		{{-1, 0, 1}, {-1, 0, -1}, false},   // beside a corner, on the line of an edge
		{{3, 3, 1}, {3, 3, -1}, false},     // beside an edge
		{{1, 1, 0}, {2, 1, 0}, true},       // in the plane, inside
		{{-1, 1, 0}, {5, 1, 0}, true},      // in the plane, across
		{{-1, -1, 0}, {5, -1, 0}, false},   // in the plane, beside
		{{5, 0, 0}, {6, 0, 0}, false},      // on the line of an edge, beside
		{{4, 0, 0}, {6, 0, 0}, true},       // on the line of an edge, at its end
		{{-2, 0, 0}, {6, 0, 0}, true},      // along an edge
		{{1, 1, 0}, {1, 1, 0}, true},       // a point inside
		{{5, 5, 0}, {5, 5, 0}, false},      // a point in the plane
		{{1, 1, 1e-45f}, {1, 1, 1}, false}, // as close as can be
		{{1, 1, -1e-45f}, {1, 1, 1}, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		assert_int_equal(drapeCrossing_SegmentTriangle(cases[i].p, cases[i].q, flat), cases[i].meets);
		assert_int_equal(drapeCrossing_SegmentTriangle(cases[i].q, cases[i].p, flat), cases[i].meets);
	}
}

static void TrianglesCrossWhereverTheyTouch(void** state)
{
	(void)state;
	const struct
	{
		Vec3 corners[3];
		bool meets;
	} cases[] = {
		{{{1, 1, 1}, {1, 1, -1}, {2, 1, -1}}, true},     // through each other
		{{{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}, true},       // a corner touches
		{{{1, 1, 1}, {2, 1, 1}, {1, 2, 1}}, false},      // parallel
		{{{1, 1, 0}, {1.5f, 1, 0}, {1, 1.5f, 0}}, true}, // inside, in the plane
		{{{-9, -9, 0}, {20, -9, 0}, {-9, 20, 0}}, true}, // around, in the plane
		{{{4, 4, 0}, {5, 4, 0}, {4, 5, 0}}, false},      // beside, in the plane
		{{{2, 2, 0}, {5, 4, 0}, {4, 5, 0}}, true},       // touches an edge, in the plane
		{{{0, 0, 0}, {0, 0, 1}, {-1, -1, 0}}, true},     // corner on corner
		{{{5, 5, -9}, {5, 5, 9}, {9, 5, 0}}, false},     // through the plane, beside
		{{{1, 1, 1}, {1, 1, 0}, {1, 1, -1}}, true},      // a segment through
		{{{1, 1, 1}, {1, 1, 2}, {1, 1, 3}}, false},      // a segment above
		{{{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, true},       // a point inside
		{{{3, 3, 0}, {3, 3, 0}, {3, 3, 0}}, false},      // a point beside
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		assert_int_equal(drapeCrossing_TriangleTriangle(flat, cases[i].corners), cases[i].meets);
		assert_int_equal(drapeCrossing_TriangleTriangle(cases[i].corners, flat), cases[i].meets);
	}
	const Vec3 segment[3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, across[3] = {{1, 2, 3}, {3, 2, 1}, {3, 2, 1}};
	const Vec3 skew[3] = {{1, 2, 4}, {3, 2, 2}, {3, 2, 2}};
	assert_true(drapeCrossing_TriangleTriangle(segment, across));
	assert_false(drapeCrossing_TriangleTriangle(segment, skew));
}

// Small lattices: most triangles touch, lie in one plane or have no area.
static void CrossingsOnLatticesAreThoseOfIntegers(void** state)
{
	(void)state;
	Random random = Random_Seed(4, 1);
	int crossings = 0, count = TrialCount(40000);
	for (int i = 0; i < count; ++i)
	{
		int size = 1 + (int)Random_Below(&random, 4);
		Vec3 a[3], b[3];
		for (int k = 0; k < 3; ++k)
		{
			a[k] = Lattice(&random, size);
			b[k] = Lattice(&random, size);
			if (i % 4 == 0) // all in one plane
			{
				a[k].z = a[k].x - a[k].y;
				b[k].z = b[k].x - b[k].y;
			}
		}
		bool expected = TrianglesMeet(a, b);
		crossings += expected;
		assert_int_equal(drapeCrossing_TriangleTriangle(a, b), expected);
		assert_int_equal(drapeCrossing_TriangleTriangle(b, a), expected);
		const Int3 segment[2] = {ToInt(a[0]), ToInt(a[1])}, triangle[3] = {ToInt(b[0]), ToInt(b[1]), ToInt(b[2])};
		assert_int_equal(drapeCrossing_SegmentTriangle(a[0], a[1], b), IntMeet(segment, 2, triangle, 3));
	}
	assert_true(crossings > count / 10 && crossings < count * 9 / 10);
}

// Any order of corners and triangles, and a mirror, give the same answer.
static void TheOrderOfCornersIsOfNoMatter(void** state)
{
	(void)state;
	Random random = Random_Seed(5, 1);
	for (int i = 0; i < TrialCount(100000); ++i)
	{
		Vec3 a[3], b[3];
		for (int k = 0; k < 3; ++k)
		{
			a[k] = AnyVector(&random, 1.0f);
			b[k] = AnyVector(&random, 1.0f);
		}
		if (i % 2) // a corner of one nearly in the plane of the other
			b[0] = V3Scale(1.0f / 3.0f, V3Add(a[0], V3Add(a[1], a[2])));
		bool meets = drapeCrossing_TriangleTriangle(a, b);
		const Vec3 turned[3] = {a[1], a[2], a[0]}, flipped[3] = {b[1], b[0], b[2]};
		assert_int_equal(drapeCrossing_TriangleTriangle(turned, flipped), meets);
		assert_int_equal(drapeCrossing_TriangleTriangle(flipped, turned), meets);
		for (int k = 0; k < 3; ++k)
		{
			a[k].x = -a[k].x;
			b[k].x = -b[k].x;
		}
		assert_int_equal(drapeCrossing_TriangleTriangle(a, b), meets);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheSignIsThatOfTheVolume),
		cmocka_unit_test(SignsOnLatticesAreThoseOfIntegers),
		cmocka_unit_test(OneUnitInTheLastPlaceOffThePlaneIsSeen),
		cmocka_unit_test(OneUnitInTheLastPlaceOffTheLineIsSeen),
		cmocka_unit_test(SwappingCornersSwapsTheSign),
		cmocka_unit_test(SegmentsMeetATriangleWhereverTheyTouchIt),
		cmocka_unit_test(TrianglesCrossWhereverTheyTouch),
		cmocka_unit_test(CrossingsOnLatticesAreThoseOfIntegers),
		cmocka_unit_test(TheOrderOfCornersIsOfNoMatter),
	};
	return cmocka_run_group_tests_name("crossing", tests, NULL, NULL);
}
