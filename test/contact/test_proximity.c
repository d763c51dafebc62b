// SPDX-License-Identifier: MIT
#include "pools.h"
#include "support.h"

#include "base/random.h"
#include "contact/narrow/proximity.h"

#include <string.h>

static const float reach = 0.1f;
static const ContactDistances bothReach = {0.1f, 0.1f}, perEdge = {1.5f, 0.5f};

// A grid of `side` x `side` quads of 1 m, each cut in two, whose corners are owned by the first triangle that has them.
static void AddGrid(ContactBodies* bodies, uint32_t side, Vec3 origin, Vec3 (*bend)(Vec3))
{
	const ContactBody cloth = {.gap = 1e-3f, .friction = 0.5f, .isCloth = true, .collidesWithCloth = true};
	assert_true(drapeContactBodies_Begin(bodies, &cloth));
	uint32_t first = bodies->from.count, columns = side + 1, edges = bodies->elements.count;
	assert_true(drapeContactBodies_AddVertices(bodies, columns * columns));
	for (uint32_t i = 0; i < columns * columns; ++i)
	{
		Vec3 p = V3Add(origin, (Vec3){(float)(i % columns), 0.0f, (float)(i / columns)});
		p = bend ? bend(p) : p;
		bodies->from.data[first + i] = (Vec4){p.x, p.y, p.z, 1.0f};
		bodies->to.data[first + i] = (Vec4){p.x, p.y, p.z, 0.0f};
	}
	assert_true(drapeContactBodies_AddElements(bodies, 2 * side * side));
	for (uint32_t i = 0; i < 2 * side * side; ++i)
	{
		uint32_t a = first + i / 2 / side * columns + i / 2 % side, b = a + 1, c = a + columns, d = c + 1;
		const uint32_t corner[2][3] = {{a, c, b}, {c, d, b}};
		ContactElement* element = &bodies->elements.data[edges + i];
		memcpy(element->vertex, corner[i % 2], sizeof corner[0]);
		element->owns = ownsFace;
		for (uint32_t k = 0; k < 3; ++k)
		{
			bool hasVertex = false, hasEdge = false;
			for (uint32_t e = edges; e < edges + i; ++e)
			{
				const uint32_t* other = bodies->elements.data[e].vertex;
				uint32_t shared = 0;
				for (uint32_t l = 0; l < 3; ++l)
				{
					hasVertex |= other[l] == element->vertex[k];
					shared += other[l] == element->vertex[k] || other[l] == element->vertex[(k + 1) % 3];
				}
				hasEdge |= shared == 2;
			}
			element->owns |= (uint8_t)((hasVertex ? 0 : ownsVertex << k) | (hasEdge ? 0 : ownsEdge << k));
		}
	}
}

static void AllPairs(const ContactBodies* bodies, ElementPairs* pairs)
{
	pairs->count = 0;
	for (uint32_t a = 0; a < bodies->elements.count; ++a)
	{
		for (uint32_t b = a + 1; b < bodies->elements.count; ++b)
		{
			assert_true(ArrayReserve(pairs, (size_t)pairs->count + 1));
			ArrayPush(pairs, ((ElementPair){a, b}));
		}
	}
}

static Vec3 PointOf(const ContactBodies* bodies, const Proximity* point, bool isFirst)
{
	Vec3 sum = {0, 0, 0};
	for (int k = 0; k < 4; ++k)
	{
		if ((point->weight[k] > 0.0f) == isFirst)
			sum = V3Add(sum, V3Scale(fabsf(point->weight[k]), V4Xyz(bodies->from.data[point->vertex[k]])));
	}
	return sum;
}

static void CheckPoints(const ContactBodies* bodies, const Proximities* found)
{
	for (uint32_t i = 0; i < found->points.count; ++i)
	{
		const Proximity* point = &found->points.data[i];
		Vec3 between = V3Sub(PointOf(bodies, point, true), PointOf(bodies, point, false));
		assert_true(point->distance > 0.0f && point->distance < reach);
		assert_float_equal(V3Length(between), point->distance, 1e-5f);
		assert_float_equal(V3Dot(between, point->normal), point->distance, 1e-5f);
		assert_float_equal(point->weight[0] + point->weight[1] + point->weight[2] + point->weight[3], 0.0f, 1e-6f);
		assert_float_equal(point->friction, 0.5f, 1e-6f);
	}
}

// Two grids, the second above the first and shifted. How often each place is reported must not depend on how the
// triangles lie.
static void CountPlaces(Vec3 shift, uint32_t workers, uint32_t expectedMost)
{
	ContactBodies bodies = {0};
	ElementPairs pairs = {0};
	Proximities found = {0};
	AddGrid(&bodies, 4, (Vec3){0, 0, 0}, NULL);
	AddGrid(&bodies, 4, shift, NULL);
	AllPairs(&bodies, &pairs);
	assert_true(drapeProximities_Find(&found, &bodies, &pairs, bothReach, perEdge, testPools[workers]));
	assert_true(found.points.count > 0);
	CheckPoints(&bodies, &found);
	uint32_t most = 0;
	for (uint32_t i = 0; i < found.points.count; ++i)
	{
		uint32_t same = 0;
		Vec3 place = PointOf(&bodies, &found.points.data[i], true);
		Vec3 other = PointOf(&bodies, &found.points.data[i], false);
		for (uint32_t k = 0; k < found.points.count; ++k)
		{
			Vec3 first = PointOf(&bodies, &found.points.data[k], true);
			Vec3 second = PointOf(&bodies, &found.points.data[k], false);
			bool isSame = V3Length(V3Sub(first, place)) + V3Length(V3Sub(second, other)) < 1e-4f;
			bool isTurned = V3Length(V3Sub(second, place)) + V3Length(V3Sub(first, other)) < 1e-4f;
			same += isSame || isTurned;
		}
		most = MaxU32(most, same);
	}
	assert_int_equal(most, expectedMost);
	ArrayFree(&pairs);
	drapeProximities_Destroy(&found);
	drapeContactBodies_Destroy(&bodies);
}

static void VertexOverFaceIsReportedOnce(void** state)
{
	(void)state;
	CountPlaces((Vec3){0.2f, 0.05f, 0.3f}, 1, 1);
	CountPlaces((Vec3){0.2f, 0.05f, 0.3f}, 2, 1);
}

static void VertexOverEdgeIsReportedOnce(void** state)
{
	(void)state;
	CountPlaces((Vec3){0.25f, 0.05f, 0.0f}, 1, 1);
	CountPlaces((Vec3){0.0f, 0.05f, 0.25f}, 1, 1);
	CountPlaces((Vec3){0.25f, 0.05f, -0.25f}, 1, 1);
}

static void VertexOverVertexIsReportedOnce(void** state)
{
	(void)state;
	CountPlaces((Vec3){0.0f, 0.05f, 0.0f}, 1, 1);
	CountPlaces((Vec3){1.0f, 0.05f, -2.0f}, 1, 1);
}

static Random noise;

static Vec3 Rough(Vec3 p)
{
	return V3Add(p, (Vec3){Random_Range(&noise, -0.3f, 0.3f), Random_Range(&noise, -0.02f, 0.02f),
	                       Random_Range(&noise, -0.3f, 0.3f)});
}

static float ClosestToGrid(const ContactBodies* bodies, uint32_t body, Vec3 point)
{
	float least = INFINITY, weights[3];
	for (uint32_t e = bodies->bodies.data[body].elementStart; e < bodies->bodies.data[body].elementEnd; ++e)
	{
		const uint32_t* v = bodies->elements.data[e].vertex;
		least = fminf(least,
		              drapeClosest_PointTriangle(point, V4Xyz(bodies->from.data[v[0]]), V4Xyz(bodies->from.data[v[1]]),
		                                         V4Xyz(bodies->from.data[v[2]]), weights));
	}
	return sqrtf(least);
}

// Each vertex near the other sheet is reported with the distance that it has to all of its triangles.
static void NearestDistancesAreThoseOfBruteForce(void** state)
{
	(void)state;
	noise = Random_Seed(5, 5);
	for (int run = 0; run < (isSlow ? 5 : 40); ++run)
	{
		ContactBodies bodies = {0};
		ElementPairs pairs = {0};
		Proximities found = {0};
		AddGrid(&bodies, 4, (Vec3){0, 0, 0}, Rough);
		AddGrid(&bodies, 4, (Vec3){0.3f, 0.05f, 0.1f}, Rough);
		AllPairs(&bodies, &pairs);
		assert_true(drapeProximities_Find(&found, &bodies, &pairs, bothReach, perEdge, testPools[2]));
		CheckPoints(&bodies, &found);
		for (uint32_t v = 0; v < bodies.from.count; ++v)
		{
			float least = INFINITY,
				  wanted = ClosestToGrid(&bodies, 1u - bodies.owner.data[v], V4Xyz(bodies.from.data[v]));
			for (uint32_t i = 0; i < found.points.count; ++i)
			{
				const Proximity* point = &found.points.data[i];
				bool isOther = bodies.owner.data[point->vertex[3]] != bodies.owner.data[v];
				if (point->vertex[0] == v && point->weight[0] == 1.0f && isOther)
					least = fminf(least, point->distance);
			}
			if (wanted < 0.999f * reach)
				assert_float_equal(least, wanted, 1e-5f);
			else
				assert_true(least > 0.998f * reach);
		}
		ArrayFree(&pairs);
		drapeProximities_Destroy(&found);
		drapeContactBodies_Destroy(&bodies);
	}
}

// --- triangles pressed flat -----------------------------------------------------------------------------------------

// A grid that is this much of its width, and what is found of it; `patch` by triangle.
static uint32_t CountSqueezed(float width, uint32_t workers, const uint32_t* patch)
{
	enum
	{
		side = 4,
		count = 2 * side * side
	};
	ContactBodies bodies = {0};
	Proximities found = {0};
	TriangleMaterial shape[count];
	AddGrid(&bodies, side, (Vec3){0, 0, 0}, NULL);
	for (uint32_t t = 0; t < count; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			Vec4 x = bodies.from.data[bodies.elements.data[t].vertex[k]];
			shape[t].corner[k] = (Vec2){x.x, x.z};
		}
	}
	for (uint32_t i = 0; i < bodies.from.count; ++i)
		bodies.from.data[i].x *= width;
	bodies.bodies.data[0].shape = shape;
	assert_true(drapeProximities_AddSqueezed(&found, &bodies, 0, patch, reach, testPools[workers]));
	CheckPoints(&bodies, &found);
	for (uint32_t i = 0; i < found.points.count; ++i)
		assert_float_equal(found.points.data[i].distance, width / sqrtf(1.0f + width * width), 1e-5f);
	uint32_t points = found.points.count;
	drapeProximities_Destroy(&found);
	drapeContactBodies_Destroy(&bodies);
	return points;
}

static void TrianglesPressedFlatAreFound(void** state)
{
	(void)state;
	uint32_t patch[32];
	memset(patch, 0xff, sizeof patch);
	for (uint32_t workers = 1; workers <= 2; ++workers)
	{
		assert_int_equal(CountSqueezed(1.0f, workers, patch), 0);
		assert_int_equal(CountSqueezed(0.2f, workers, patch), 0); // farther than the reach
		assert_int_equal(CountSqueezed(0.09f, workers, patch), 32);
		assert_int_equal(CountSqueezed(1e-4f, workers, patch), 32);
		assert_int_equal(CountSqueezed(0.0f, workers, patch), 0); // without a direction to go
	}
	// Culled regions cannot.
	for (int i = 0; i < 10; ++i)
		patch[3 * i] = 7;
	assert_int_equal(CountSqueezed(0.09f, 1, patch), 22);
}

static void MissingMemoryLeavesNoPoints(void** state)
{
	(void)state;
	bool isDone = false;
	for (size_t number = 1; !isDone; ++number)
	{
		assert_true(number < 200);
		ContactBodies bodies = {0};
		ElementPairs pairs = {0};
		Proximities found = {0};
		AddGrid(&bodies, 4, (Vec3){0, 0, 0}, NULL);
		AddGrid(&bodies, 4, (Vec3){0.2f, 0.05f, 0.3f}, NULL);
		AllPairs(&bodies, &pairs);
		Test_FailAllocation(number, false);
		bool hasFound = drapeProximities_Find(&found, &bodies, &pairs, bothReach, perEdge, testPools[1]);
		isDone = Test_AllocationCount() < number;
		assert_int_equal(hasFound, isDone);
		assert_true(hasFound == (found.points.count > 0));
		drapeProximities_Destroy(&found);
		Test_FailAllocation(0, false);
		ArrayFree(&pairs);
		drapeContactBodies_Destroy(&bodies);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(VertexOverFaceIsReportedOnce),   cmocka_unit_test(VertexOverEdgeIsReportedOnce),
		cmocka_unit_test(VertexOverVertexIsReportedOnce), cmocka_unit_test(NearestDistancesAreThoseOfBruteForce),
		cmocka_unit_test(TrianglesPressedFlatAreFound),   cmocka_unit_test(MissingMemoryLeavesNoPoints),
	};
	return cmocka_run_group_tests(tests, Pools_Start, Pools_Stop);
}
