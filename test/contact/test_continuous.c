// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "contact/narrow/continuous.h"
#include "contact/narrow/crossing.h"
#include "sweep.h"

static bool Detect(const Sweep* sweep, float gap, Impact* impact)
{
	return sweep->isEdges ? drapeContinuous_EdgeEdge(sweep->from, sweep->to, 0.0f, gap, impact)
	                      : drapeContinuous_VertexTriangle(sweep->from, sweep->to, 0.0f, gap, impact);
}

// A triangle or edge of about a metre in the plane y = 0 that stands still, and above it a vertex or an edge across,
// which goes from `from` to `to`.
static Sweep Above(bool isEdges, Vec3 from, Vec3 to)
{
	Sweep sweep = {.isEdges = isEdges};
	const Vec3 triangle[3] = {{-1, 0, -1}, {0, 0, 1}, {1, 0, -1}}, edges[3] = {{0, 0, 0.5f}, {-1, 0, 0}, {1, 0, 0}};
	for (int i = 1; i < 4; ++i)
		sweep.from[i] = sweep.to[i] = isEdges ? edges[i - 1] : triangle[i - 1];
	sweep.from[0] = from;
	sweep.to[0] = to;
	if (isEdges)
	{
		sweep.from[0] = V3Sub(from, (Vec3){0, 0, 0.5f});
		sweep.to[0] = V3Sub(to, (Vec3){0, 0, 0.5f});
		sweep.from[1] = V3Add(from, (Vec3){0, 0, 0.5f});
		sweep.to[1] = V3Add(to, (Vec3){0, 0, 0.5f});
	}
	return sweep;
}

static void Move(Sweep* sweep, float scale, Vec3 offset)
{
	for (int i = 0; i < 4; ++i)
	{
		sweep->from[i] = V3Add(V3Scale(scale, sweep->from[i]), offset);
		sweep->to[i] = V3Add(V3Scale(scale, sweep->to[i]), offset);
	}
}

// --- what must hold of any answer -----------------------------------------------------------------------------------

typedef struct Tally
{
	int hits, misses, falseHits, earlyHits;
} Tally;

static long double FloorOf(const Sweep* sweep, float gap)
{
	return fminl((long double)gap, 0.9L * Sweep_Distance(sweep, 0.0L));
}

static void CheckImpact(const Sweep* sweep, const Impact* impact)
{
	assert_true(impact->time >= 0.0f && impact->time <= 1.0f);
	assert_float_equal(V3Length(impact->normal), 1.0f, 1e-5f);
	const float* w = impact->weight;
	assert_float_equal(w[0] + w[1] + w[2] + w[3], 0.0f, 1e-6f);
	assert_float_equal(fabsf(w[0]) + fabsf(w[1]) + fabsf(w[2]) + fabsf(w[3]), 2.0f, 1e-6f);
	long double between[3], extent = Sweep_Extent(sweep), time = (long double)impact->time;
	Sweep_Weigh(sweep, time, w, between);
	long double length = sqrtl(between[0] * between[0] + between[1] * between[1] + between[2] * between[2]);
	long double distance = Sweep_Distance(sweep, time);
	assert_true(fabsl(length - distance) <= 1e-6L * extent); // weights are floats
	long double along = between[0] * (long double)impact->normal.x + between[1] * (long double)impact->normal.y +
	                    between[2] * (long double)impact->normal.z;
	assert_true(impact->time <= 0.0f || fabsl(along - distance) <= 1e-5L * distance + 1e-6L * extent);
}

// Compares an answer with brute force.
static void Judge(const Sweep* sweep, float gap, Tally* tally)
{
	Impact impact;
	long double extent = Sweep_Extent(sweep), floor = FloorOf(sweep, gap), rounding = 0x1p-50L * extent;
	bool isHit = Detect(sweep, gap, &impact);
	long double until = isHit ? (long double)impact.time : 1.0L;
	SweepLeast least = Sweep_FindLeast(sweep, until, 1e-9L * extent);
	if (isHit)
		CheckImpact(sweep, &impact);
	// Where there is no gap, the least distance of what is certified is above rounding all the time.
	tally->misses += isHit ? least.distance < floor - rounding : least.distance < fmaxl(floor - rounding, rounding);
	tally->hits += isHit;
	if (!isHit)
		return;
	tally->falseHits += Sweep_FindLeast(sweep, 1.0L, 1e-9L * extent).bound > floor + 0x1p-24L * extent;
	tally->earlyHits += Sweep_Distance(sweep, until) > floor + 0x1p-22L * extent;
}

static Vec3 AnyVector(Random* random, float size)
{
	float x = Random_Range(random, -size, size), y = Random_Range(random, -size, size);
	return (Vec3){x, y, Random_Range(random, -size, size)};
}

static int TrialCount(int count)
{
	return isSlow ? count / 20 : count;
}

// Kinds of motion; each fills in the sweep and returns the gap.
typedef float (*Maker)(Random* random, Sweep* sweep);

static void CompareWithBruteForce(const char* name, Maker make, int count)
{
	Random random = Random_Seed(7, 1);
	Tally tally = {0};
	for (int i = 0; i < count; ++i)
	{
		Sweep sweep = {.isEdges = i % 2};
		float gap = make(&random, &sweep);
		Judge(&sweep, gap, &tally);
	}
	print_message("%-28s %d pairs: %d hits, %d missed, %d false, %d early\n", name, count, tally.hits, tally.misses,
	              tally.falseHits, tally.earlyHits);
	assert_int_equal(tally.misses, 0);
	assert_true(tally.falseHits <= count / 500 && tally.earlyHits <= count / 500);
}

// --- answers known beforehand ---------------------------------------------------------------------------------------

static void PassingThroughIsFoundAtItsTime(void** state)
{
	(void)state;
	for (int isEdges = 0; isEdges < 2; ++isEdges)
	{
		Sweep sweep = Above(isEdges, (Vec3){0, 0.25f, 0}, (Vec3){0, -0.75f, 0});
		Impact impact;
		assert_true(Detect(&sweep, 0.0f, &impact));
		assert_float_equal(impact.time, 0.25f, 1e-6f);
		assert_true(impact.time <= 0.25f);
		assert_float_equal(impact.normal.y, 1.0f, 1e-6f);
		assert_true(Detect(&sweep, 0.125f, &impact));
		assert_float_equal(impact.time, 0.125f, 1e-6f);
		assert_true(impact.time <= 0.125f);
		CheckImpact(&sweep, &impact);
	}
}

static void TheNormalIsOnTheSideOfTheFirst(void** state)
{
	(void)state;
	for (int isEdges = 0; isEdges < 2; ++isEdges)
	{
		Sweep sweep = Above(isEdges, (Vec3){0, -0.5f, 0}, (Vec3){0, 0.5f, 0});
		Impact impact;
		assert_true(Detect(&sweep, 0.0f, &impact));
		assert_float_equal(impact.normal.y, -1.0f, 1e-6f);
	}
}

static void ParticlesDoNotTunnelAtAnySpeed(void** state)
{
	(void)state;
	const float speeds[] = {5, 50, 500, 5e4f, 5e8f};
	for (int i = 0; i < 10; ++i)
	{
		// A millimetre in size, a sixtieth of a second, and past it by the last bit or so on the way.
		float way = speeds[i / 2] / 60.0f;
		Sweep sweep = Above(i % 2, (Vec3){0, 0, 0}, (Vec3){0, 0, 0});
		Move(&sweep, 1e-3f, (Vec3){0, 0, 0});
		for (int k = 0; k < (i % 2 ? 2 : 1); ++k)
		{
			sweep.from[k] = V3Add(sweep.from[k], (Vec3){0, 0.3f * way, 0});
			sweep.to[k] = V3Add(sweep.to[k], (Vec3){0, -0.7f * way, 0});
		}
		Impact impact;
		assert_true(Detect(&sweep, 0.0f, &impact));
		assert_float_equal(impact.time, 0.3f, 1e-6f);
	}
}

static void SlidingPastAtAnyDistanceIsNoHit(void** state)
{
	(void)state;
	for (int isEdges = 0; isEdges < 2; ++isEdges)
	{
		for (float height = 1.0f; height > 2e-6f; height *= 0.1f)
		{
			Sweep sweep = Above(isEdges, (Vec3){-100, height, 0}, (Vec3){200, height, 0});
			Impact impact;
			assert_true(height < 0x1p-24f * 300.0f || !Detect(&sweep, 0.0f, &impact));
			assert_true(Detect(&sweep, height, &impact));
			assert_true(height < 0x1p-24f * 600.0f || !Detect(&sweep, 0.5f * height, &impact));
		}
	}
}

// Two layers that go round together come no closer, and must not be stopped.
static void TurningTogetherIsNoHit(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 1);
	int stopped = 0, count = TrialCount(20000);
	for (int i = 0; i < count; ++i)
	{
		Sweep sweep = {.isEdges = i % 2};
		float height = Random_Range(&random, 1e-4f, 2e-3f), angle = Random_Range(&random, -0.5f, 0.5f);
		for (int k = 0; k < 4; ++k)
		{
			Vec3 p = AnyVector(&random, 0.01f);
			p.y = k < (sweep.isEdges ? 2 : 1) ? height : 0.0f;
			sweep.from[k] = p;
			sweep.to[k] = (Vec3){cosf(angle) * p.x - sinf(angle) * p.y, sinf(angle) * p.x + cosf(angle) * p.y, p.z};
		}
		Impact impact;
		stopped += Detect(&sweep, 0.9f * 0.87f * height, &impact); // on the straight way they shrink by cos(a / 2)
	}
	print_message("turning together: %d of %d are stopped\n", stopped, count);
	assert_true(stopped <= count / 500);
}

static void StandingStillIsAHitOnlyWhenTouching(void** state)
{
	(void)state;
	for (int isEdges = 0; isEdges < 2; ++isEdges)
	{
		Impact impact;
		Sweep apart = Above(isEdges, (Vec3){0, 1e-3f, 0}, (Vec3){0, 1e-3f, 0});
		assert_false(Detect(&apart, 0.0f, &impact));
		assert_false(Detect(&apart, 0.9e-3f, &impact));
		assert_false(Detect(&apart, 1.0f, &impact));
		Sweep touching = Above(isEdges, (Vec3){0, 0, 0}, (Vec3){0, 0, 0});
		assert_true(Detect(&touching, 0.0f, &impact));
		assert_float_equal(impact.time, 0.0f, 0);
		CheckImpact(&touching, &impact);
		Sweep point = {.isEdges = isEdges}; // all corners are one
		assert_true(Detect(&point, 0.0f, &impact));
		assert_float_equal(impact.time, 0.0f, 0);
		CheckImpact(&point, &impact);
	}
}

static void TouchingAtFirstHasANormalAgainstTheMotion(void** state)
{
	(void)state;
	for (int i = 0; i < 4; ++i)
	{
		float way = i / 2 ? 1.0f : -1.0f;
		Sweep sweep = Above(i % 2, (Vec3){0, 0, 0}, (Vec3){0, way, 0});
		Impact impact;
		assert_true(Detect(&sweep, 0.1f, &impact));
		assert_float_equal(impact.time, 0.0f, 0);
		assert_float_equal(impact.normal.y, -way, 1e-6f);
	}
}

static void ElementsCloserThanTheGapMaySeparateButNotApproach(void** state)
{
	(void)state;
	for (int isEdges = 0; isEdges < 2; ++isEdges)
	{
		Impact impact;
		Sweep leaves = Above(isEdges, (Vec3){0, 0.1f, 0}, (Vec3){0, 0.3f, 0});
		assert_false(Detect(&leaves, 0.2f, &impact));
		Sweep slides = Above(isEdges, (Vec3){0, 0.1f, 0}, (Vec3){0.5f, 0.1f, 0});
		assert_false(Detect(&slides, 0.2f, &impact));
		Sweep comes = Above(isEdges, (Vec3){0, 0.1f, 0}, (Vec3){0, -0.1f, 0});
		assert_true(Detect(&comes, 0.2f, &impact));
		assert_float_equal(impact.time, 0.05f, 1e-6f);
		CheckImpact(&comes, &impact);
	}
}

// Head-on along one line, and side by side.
static void ParallelEdgesMeet(void** state)
{
	(void)state;
	Sweep collinear = {.isEdges = true,
	                   .from = {{-3, 0, 0}, {-2, 0, 0}, {2, 0, 0}, {3, 0, 0}},
	                   .to = {{-1, 0, 0}, {0, 0, 0}, {-2, 0, 0}, {-1, 0, 0}}};
	Impact impact;
	assert_true(Detect(&collinear, 0.0f, &impact));
	assert_float_equal(impact.time, 4.0f / 6.0f, 1e-6f);
	assert_float_equal(impact.normal.x, -1.0f, 1e-6f);
	CheckImpact(&collinear, &impact);

	Sweep parallel = {.isEdges = true,
	                  .from = {{0, 1, 0}, {1, 1, 0}, {0.5f, 0, 0}, {2, 0, 0}},
	                  .to = {{0, -1, 0}, {1, -1, 0}, {0.5f, 0, 0}, {2, 0, 0}}};
	assert_true(Detect(&parallel, 0.0f, &impact));
	assert_float_equal(impact.time, 0.5f, 1e-6f);
	assert_float_equal(impact.normal.y, 1.0f, 1e-6f);
	CheckImpact(&parallel, &impact);

	parallel.from[2].x = parallel.to[2].x = 1.25f; // beside each other
	assert_false(Detect(&parallel, 0.0f, &impact));
	assert_false(Detect(&parallel, 0.24f, &impact));
	assert_true(Detect(&parallel, 0.26f, &impact));
}

static void MotionWithinThePlaneMeetsTheRim(void** state)
{
	(void)state;
	Sweep sweep = Above(false, (Vec3){0, 0, -3}, (Vec3){0, 0, 1});
	Impact impact;
	assert_true(Detect(&sweep, 0.0f, &impact));
	assert_float_equal(impact.time, 0.5f, 1e-6f);
	assert_float_equal(impact.normal.z, -1.0f, 1e-6f);
	assert_true(Detect(&sweep, 0.5f, &impact));
	assert_float_equal(impact.time, 0.375f, 1e-6f);
	CheckImpact(&sweep, &impact);
}

static void TrianglesWithoutAreaAreSegmentsAndPoints(void** state)
{
	(void)state;
	for (int kind = 0; kind < 3; ++kind)
	{
		Sweep sweep = {.from = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}},
		               .to = {{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}},
		               .isEdges = kind == 2};
		for (int i = 1; kind > 0 && i < 4; ++i)
			sweep.from[i] = sweep.to[i] = (Vec3){0, 0, 0};
		if (kind == 2) // two edges without length
		{
			sweep.from[1] = sweep.from[0];
			sweep.to[1] = sweep.to[0];
		}
		Impact impact;
		assert_true(Detect(&sweep, 0.0f, &impact));
		assert_float_equal(impact.time, 0.5f, 1e-6f);
		assert_float_equal(impact.normal.y, 1.0f, 1e-6f);
		CheckImpact(&sweep, &impact);
		for (int i = kind == 2 ? 2 : 1; i < 4; ++i)
			sweep.from[i].z = sweep.to[i].z = 1e-3f;
		assert_false(Detect(&sweep, 0.0f, &impact));
	}
}

static void SizeAndPlaceDoNotMatter(void** state)
{
	(void)state;
	const float sizes[] = {1e-6f, 1e-3f, 1.0f, 1e3f, 1e6f, 1e-18f, 1e18f};
	for (int i = 0; i < 14; ++i)
	{
		float size = sizes[i / 2];
		Sweep sweep = Above(i % 2, (Vec3){0, 1, 0}, (Vec3){0, -1, 0});
		Move(&sweep, size, (Vec3){3 * size, -7 * size, 5 * size});
		Impact impact;
		assert_true(Detect(&sweep, 0.0f, &impact));
		assert_float_equal(impact.time, 0.5f, 1e-6f);
		assert_true(Detect(&sweep, 0.25f * size, &impact));
		assert_float_equal(impact.time, 0.375f, 1e-6f);
		Sweep beside = Above(i % 2, (Vec3){2.001f, 1, 0}, (Vec3){2.001f, -1, 0});
		Move(&beside, size, (Vec3){3 * size, -7 * size, 5 * size});
		assert_false(Detect(&beside, 0.25f * size, &impact));
	}
}

static void NonFiniteValuesStopAtOnce(void** state)
{
	(void)state;
	const float bad[] = {NAN, INFINITY, -INFINITY};
	for (int i = 0; i < 3 * 2 * 8; ++i)
	{
		Sweep sweep = Above(i % 2, (Vec3){0, 1, 0}, (Vec3){0, 2, 0});
		int corner = i / 2 % 8;
		*(corner < 4 ? &sweep.from[corner].y : &sweep.to[corner - 4].y) = bad[i / 16];
		Impact impact;
		assert_true(Detect(&sweep, 0.0f, &impact));
		assert_float_equal(impact.time, 0.0f, 0);
		assert_true(fabsf(V3Length(impact.normal) - 1.0f) <= 1e-5f); // assert_float_equal of cmocka accepts NaN
		for (int k = 0; k < 4; ++k)
			assert_true(isfinite(impact.weight[k]));
	}
}

// --- touches made exactly -------------------------------------------------------------------------------------------

// A multiple of 1/64, so that sums and halves of a few are exact in floats.
static float Lattice(Random* random, int size)
{
	return (float)((int)Random_Below(random, 2 * (uint32_t)size + 1) - size) / 64.0f;
}

static Vec3 LatticeVector(Random* random, int size)
{
	float x = Lattice(random, size), y = Lattice(random, size);
	return (Vec3){x, y, Lattice(random, size)};
}

static Vec3 Mix(Vec3 a, float t, Vec3 b)
{
	return V3Add(V3Scale(1.0f - t, a), V3Scale(t, b));
}

// Gives the corner a motion that is at `place` at `time`.
static void SendThrough(Sweep* sweep, int corner, float time, Vec3 place, Vec3 way)
{
	sweep->from[corner] = V3Sub(place, V3Scale(time, way));
	sweep->to[corner] = V3Add(place, V3Scale(1.0f - time, way));
}

// The primitives have a point in common at `time`, exactly; before and after they may have others.
static void MakeTouch(Random* random, float time, Sweep* sweep)
{
	int size = 1 << Random_Below(random, 8);
	Vec3 at[4];
	for (int i = 0; i < 4; ++i)
	{
		at[i] = LatticeVector(random, size);
		SendThrough(sweep, i, time, at[i], Random_Below(random, 3) ? LatticeVector(random, size) : (Vec3){0, 0, 0});
	}
	float u = (float)Random_Below(random, 9) / 8.0f, v = (float)Random_Below(random, 9) / 8.0f;
	Vec3 way = Random_Below(random, 3) ? LatticeVector(random, size) : V3Sub(sweep->to[2], sweep->from[2]);
	if (!sweep->isEdges)
	{
		SendThrough(sweep, 0, time, Mix(Mix(at[1], u, at[2]), v, at[3]), way);
		return;
	}
	// The far end of the first edge is s times as long as the way from its near end to a point of the second.
	Vec3 meeting = Mix(at[2], u, at[3]);
	float s = (float)(1u << Random_Below(random, 3));
	SendThrough(sweep, 1, time, Mix(at[0], s, meeting), way);
}

static void ExactTouchesAreNeverMissed(void** state)
{
	(void)state;
	Random random = Random_Seed(11, 1);
	const float times[] = {0.0f, 0.125f, 0.25f, 0.5f, 0.75f, 1.0f};
	int missed = 0, late = 0, count = TrialCount(600000);
	for (int i = 0; i < count; ++i)
	{
		float time = times[i / 2 % 6], scale = ldexpf(1.0f, (int)Random_Below(&random, 60) - 30);
		Sweep sweep = {.isEdges = i % 2};
		MakeTouch(&random, time, &sweep);
		Move(&sweep, scale, (Vec3){0, 0, 0});
		Impact impact = {.time = 2.0f};
		missed += !Detect(&sweep, 0.0f, &impact);
		late += impact.time > time;
		if (i % 16 == 0 && impact.time <= 1.0f)
			CheckImpact(&sweep, &impact);
	}
	assert_int_equal(missed, 0);
	assert_int_equal(late, 0);
}

// --- against exact crossings ----------------------------------------------------------------------------------------

typedef struct Triangle
{
	Vec3 from[3], to[3];
} Triangle;

static bool AnyVertexHits(const Triangle* a, const Triangle* b, float gap)
{
	Impact impact;
	for (int i = 0; i < 3; ++i)
	{
		Sweep sweep = {.from = {a->from[i], b->from[0], b->from[1], b->from[2]},
		               .to = {a->to[i], b->to[0], b->to[1], b->to[2]}};
		if (Detect(&sweep, gap, &impact))
			return true;
	}
	return false;
}

static bool AnyEdgeHits(const Triangle* a, const Triangle* b, float gap)
{
	Impact impact;
	for (int i = 0; i < 9; ++i)
	{
		int p = i % 3, q = (p + 1) % 3, r = i / 3, s = (r + 1) % 3;
		Sweep sweep = {.from = {a->from[p], a->from[q], b->from[r], b->from[s]},
		               .to = {a->to[p], a->to[q], b->to[r], b->to[s]},
		               .isEdges = true};
		if (Detect(&sweep, gap, &impact))
			return true;
	}
	return false;
}

// Triangles that do not cross when they start and do when they end have met on the way, exactly.
static void UndetectedTrianglesDoNotCrossAtTheEnd(void** state)
{
	(void)state;
	Random random = Random_Seed(13, 1);
	int crossing = 0, apart = 0, missed = 0, count = TrialCount(200000);
	for (int i = 0; i < count; ++i)
	{
		Triangle triangles[2];
		for (int k = 0; k < 6; ++k)
		{
			Triangle* triangle = &triangles[k / 3];
			Vec3 from = i % 2 ? LatticeVector(&random, 3) : AnyVector(&random, 1.0f);
			triangle->from[k % 3] = from;
			triangle->to[k % 3] = i % 2 ? LatticeVector(&random, 3) : V3Add(from, AnyVector(&random, 0.5f));
		}
		const Triangle *a = &triangles[0], *b = &triangles[1];
		if (drapeCrossing_TriangleTriangle(a->from, b->from))
			continue;
		bool isHit = AnyVertexHits(a, b, 0.0f) || AnyVertexHits(b, a, 0.0f) || AnyEdgeHits(a, b, 0.0f);
		bool crosses = drapeCrossing_TriangleTriangle(a->to, b->to);
		crossing += crosses;
		apart += !isHit;
		missed += crosses && !isHit;
	}
	assert_true(crossing > count / 20 && apart > count / 20);
	assert_int_equal(missed, 0);
}

// --- against brute force --------------------------------------------------------------------------------------------

static float Anyhow(Random* random, Sweep* sweep)
{
	for (int i = 0; i < 4; ++i)
	{
		sweep->from[i] = AnyVector(random, 1.0f);
		sweep->to[i] = AnyVector(random, 1.0f);
	}
	return Random_Below(random, 2) ? 0.0f : Random_Range(random, 0.0f, 0.1f);
}

static float Slowly(Random* random, Sweep* sweep)
{
	for (int i = 0; i < 4; ++i)
	{
		sweep->from[i] = AnyVector(random, 1.0f);
		sweep->to[i] = V3Add(sweep->from[i], AnyVector(random, 0.2f));
	}
	return Random_Range(random, 0.0f, 0.01f);
}

// Centimetres in size, metres on the way.
static float Fast(Random* random, Sweep* sweep)
{
	Vec3 way = AnyVector(random, 4.0f);
	for (int i = 0; i < 4; ++i)
	{
		bool isFirst = i < (sweep->isEdges ? 2 : 1);
		Vec3 middle = AnyVector(random, 0.01f), drift = AnyVector(random, 0.005f);
		sweep->from[i] = isFirst ? V3Sub(middle, way) : middle;
		sweep->to[i] = V3Add(isFirst ? V3Add(middle, way) : middle, drift);
	}
	return 1e-4f;
}

// Two layers of cloth that may hit.
static float Layers(Random* random, Sweep* sweep)
{
	float height = Random_Range(random, 1e-3f, 2e-3f), fall = Random_Range(random, 0.0f, 4e-3f);
	for (int i = 0; i < 4; ++i)
	{
		bool isFirst = i < (sweep->isEdges ? 2 : 1);
		Vec3 p = AnyVector(random, 0.01f);
		p.y = 0.03f * p.y + (isFirst ? height : 0.0f);
		sweep->from[i] = p;
		sweep->to[i] = V3Add(p, AnyVector(random, 3e-4f));
		sweep->to[i].y -= isFirst ? fall : 0.0f;
	}
	return 1e-4f;
}

// Corners coincide, edges are parallel, motion stays within planes.
static float OnALattice(Random* random, Sweep* sweep)
{
	for (int i = 0; i < 4; ++i)
	{
		sweep->from[i] = LatticeVector(random, 1);
		sweep->to[i] = LatticeVector(random, 1);
	}
	return 0.0f;
}

// Slivers: nearly on one line, or in one plane.
static float Flat(Random* random, Sweep* sweep)
{
	float flatness = ldexpf(1.0f, -(int)Random_Below(random, 30)),
		  thinness = ldexpf(1.0f, -(int)Random_Below(random, 30));
	for (int i = 0; i < 8; ++i)
	{
		Vec3 p = AnyVector(random, 1.0f);
		p.y *= flatness;
		p.z *= thinness;
		*(i < 4 ? &sweep->from[i] : &sweep->to[i - 4]) = p;
	}
	return 0.0f;
}

// Passing so that the least distance is about the gap.
static float Grazing(Random* random, Sweep* sweep)
{
	float scale = Anyhow(random, sweep);
	SweepLeast least = Sweep_FindLeast(sweep, 1.0L, 1e-6L);
	float gap = (float)least.distance * (1.0f + (scale - 0.05f) * ldexpf(1.0f, -(int)Random_Below(random, 24)));
	return gap > 0.0f ? gap : 0.0f;
}

static void BruteForceFindsNothingMissed(void** state)
{
	(void)state;
	CompareWithBruteForce("anyhow", Anyhow, TrialCount(2000));
	CompareWithBruteForce("slowly", Slowly, TrialCount(2000));
	CompareWithBruteForce("fast", Fast, TrialCount(2000));
	CompareWithBruteForce("layers", Layers, TrialCount(2000));
	CompareWithBruteForce("on a lattice", OnALattice, TrialCount(2000));
	CompareWithBruteForce("flat", Flat, TrialCount(2000));
	CompareWithBruteForce("grazing", Grazing, TrialCount(2000));
}

// --- closest points -------------------------------------------------------------------------------------------------

static void ClosestPointsAreTheClosest(void** state)
{
	(void)state;
	Random random = Random_Seed(5, 1);
	const Maker makers[] = {Anyhow, OnALattice, Flat};
	for (int i = 0; i < TrialCount(60000); ++i)
	{
		Sweep sweep = {.isEdges = i % 2};
		makers[i % 3](&random, &sweep);
		const Vec3* x = sweep.from;
		float w[4] = {1.0f}, weights[3], s = 0.0f, t = 0.0f, distance2;
		if (sweep.isEdges)
		{
			distance2 = drapeClosest_SegmentSegment(x[0], x[1], x[2], x[3], &s, &t);
			assert_true(s >= 0.0f && s <= 1.0f && t >= 0.0f && t <= 1.0f);
			w[0] = 1.0f - s, w[1] = s, w[2] = t - 1.0f, w[3] = -t;
		}
		else
		{
			distance2 = drapeClosest_PointTriangle(x[0], x[1], x[2], x[3], weights);
			assert_true(weights[0] >= 0.0f && weights[1] >= 0.0f && weights[2] >= 0.0f);
			assert_float_equal(weights[0] + weights[1] + weights[2], 1.0f, 1e-6f);
			w[1] = -weights[0], w[2] = -weights[1], w[3] = -weights[2];
		}
		long double expected = Sweep_Distance(&sweep, 0.0L), between[3];
		assert_true(fabsl(sqrtl((long double)distance2) - expected) <= 1e-7L * expected + 1e-12L);
		Sweep_Weigh(&sweep, 0.0L, w, between);
		long double found = sqrtl(between[0] * between[0] + between[1] * between[1] + between[2] * between[2]);
		assert_true(found <= expected + 4e-7L);
	}
}

// A triangle that falls on a ball stops at its surface, not at a part of the distance to its centre.
static void ThickVertexIsMetAtItsSurface(void** state)
{
	(void)state;
	const Vec3 from[4] = {{0, 0, 0}, {-1, 0.31f, -1}, {1, 0.31f, -1}, {0, 0.31f, 1}};
	const Vec3 to[4] = {{0, 0, 0}, {-1, 0.1f, -1}, {1, 0.1f, -1}, {0, 0.1f, 1}};
	Impact impact;
	assert_true(drapeContinuous_VertexTriangle(from, to, 0.3f, 0.001f, &impact));
	float height = 0.31f + impact.time * (0.1f - 0.31f);
	assert_true(height >= 0.301f && height < 0.3011f);
	const Vec3 near[4] = {{0, 0, 0}, {-1, 0.302f, -1}, {1, 0.302f, -1}, {0, 0.302f, 1}};
	assert_false(drapeContinuous_VertexTriangle(from, near, 0.3f, 0.001f, &impact));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ThickVertexIsMetAtItsSurface),
		cmocka_unit_test(PassingThroughIsFoundAtItsTime),
		cmocka_unit_test(TheNormalIsOnTheSideOfTheFirst),
		cmocka_unit_test(ParticlesDoNotTunnelAtAnySpeed),
		cmocka_unit_test(SlidingPastAtAnyDistanceIsNoHit),
		cmocka_unit_test(TurningTogetherIsNoHit),
		cmocka_unit_test(StandingStillIsAHitOnlyWhenTouching),
		cmocka_unit_test(TouchingAtFirstHasANormalAgainstTheMotion),
		cmocka_unit_test(ElementsCloserThanTheGapMaySeparateButNotApproach),
		cmocka_unit_test(ParallelEdgesMeet),
		cmocka_unit_test(MotionWithinThePlaneMeetsTheRim),
		cmocka_unit_test(TrianglesWithoutAreaAreSegmentsAndPoints),
		cmocka_unit_test(SizeAndPlaceDoNotMatter),
		cmocka_unit_test(NonFiniteValuesStopAtOnce),
		cmocka_unit_test(ExactTouchesAreNeverMissed),
		cmocka_unit_test(UndetectedTrianglesDoNotCrossAtTheEnd),
		cmocka_unit_test(BruteForceFindsNothingMissed),
		cmocka_unit_test(ClosestPointsAreTheClosest),
	};
	return cmocka_run_group_tests_name("continuous", tests, NULL, NULL);
}
