// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "contact/narrow/continuous.h"
#include "contact/narrow/narrow.h"

#include <string.h>

// Triangles, thick lines and thick points anywhere, with short and long displacements: elements that the test separates
// must be apart, as seen by looking at every feature at many moments.

enum
{
	clothTriangles = 20,
	moments = 33,
};

static const float gap = 1e-3f, radius = 0.05f;

static Vec3 RandomVector(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

// Three vertices about a random place, that go `way` far.
static void AddElement(ContactBodies* bodies, Random* random, float way, uint8_t owns)
{
	assert_true(drapeContactBodies_AddVertices(bodies, 3) && drapeContactBodies_AddElements(bodies, 1));
	ContactElement* element = &bodies->elements.data[bodies->elements.count - 1];
	Vec3 place = RandomVector(random, 0.3f), shift = RandomVector(random, way);
	element->owns = owns;
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t v = bodies->from.count - 3 + k;
		Vec3 from = V3Add(place, RandomVector(random, 0.1f));
		Vec3 to = V3Add(V3Add(from, shift), RandomVector(random, 0.2f * way));
		element->vertex[k] = v;
		bodies->from.data[v] = (Vec4){from.x, from.y, from.z, 1.0f};
		bodies->to.data[v] = (Vec4){to.x, to.y, to.z, 0.0f};
	}
}

// A cloth of loose triangles, some of which share a corner, then a line and a point of a collider, thick ones.
static void MakeBodies(ContactBodies* bodies, Random* random, float way)
{
	const ContactBody cloth = {.gap = gap, .isCloth = true, .collidesWithCloth = true}, collider = {.radius = radius};
	const uint8_t all = 127, line = ownsVertex | ownsVertex << 1 | ownsEdge, point = ownsVertex;
	assert_true(drapeContactBodies_Begin(bodies, &cloth));
	for (uint32_t i = 0; i < clothTriangles; ++i)
	{
		AddElement(bodies, random, way, all);
		if (i % 4 == 3)
			bodies->elements.data[i].vertex[i / 4 % 3] = bodies->elements.data[i - 1].vertex[0];
	}
	assert_true(drapeContactBodies_Begin(bodies, &collider));
	AddElement(bodies, random, way, line);
	AddElement(bodies, random, way, point);
	ContactElement* elements = &bodies->elements.data[clothTriangles];
	elements[0].vertex[2] = elements[0].vertex[1];
	elements[1].vertex[1] = elements[1].vertex[2] = elements[1].vertex[0];
}

static void MakePairs(const ContactBodies* bodies, ElementPairs* pairs)
{
	uint32_t count = bodies->elements.count;
	assert_true(ArrayReserve(pairs, count * count));
	for (uint32_t a = 0; a < clothTriangles; ++a)
	{
		for (uint32_t b = a + 1; b < count; ++b)
			ArrayPush(pairs, ((ElementPair){a, b}));
	}
}

static float LeastDistance(const Narrow* narrow, const ContactFeature* feature)
{
	float least = INFINITY;
	for (uint32_t m = 0; m < moments; ++m)
	{
		Vec3 x[4];
		float weights[3], s, t, time = (float)m / (float)(moments - 1);
		for (uint32_t k = 0; k < 4; ++k)
			x[k] = V3Add(V3Scale(1.0f - time, V4Xyz(narrow->from[feature->vertex[k]])),
			             V3Scale(time, V4Xyz(narrow->to[feature->vertex[k]])));
		least = fminf(least, feature->isFace ? drapeClosest_PointTriangle(x[0], x[1], x[2], x[3], weights)
		                                     : drapeClosest_SegmentSegment(x[0], x[1], x[2], x[3], &s, &t));
	}
	return sqrtf(least);
}

// What was found, to be compared with all features in the order of the pairs.
typedef struct Found
{
	const Narrow* narrow;
	uint32_t pair, feature; // that all before were dealt with
	uint32_t met, missed;   // of features that are, and are not, within reach
} Found;

static bool IsSame(const ContactFeature* a, const ContactFeature* b)
{
	return a->isFace == b->isFace && a->owned == b->owned && memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0;
}

// Passes over what was left out, up to a feature that was found, or to the end.
static void PassOver(Found* found, const ContactFeature* until, uint32_t pair)
{
	const Narrow* narrow = found->narrow;
	const ContactElement* elements = narrow->bodies->elements.data;
	for (; found->pair < narrow->pairs->count; ++found->pair, found->feature = 0)
	{
		ElementPair at = narrow->pairs->data[found->pair];
		ContactFeature features[contactMaxFeatures];
		uint32_t count = drapeContactElement_Features(&elements[at.a], &elements[at.b], features);
		float reach = at.b < clothTriangles ? narrow->distances.cloth : narrow->distances.collider + radius;
		for (; found->feature < count; ++found->feature)
		{
			const ContactFeature* feature = &features[found->feature];
			if (until && found->pair == pair && IsSame(feature, until))
			{
				found->feature++;
				return;
			}
			assert_true(LeastDistance(narrow, feature) > fmaxf(reach, gap));
			found->missed++;
		}
	}
	assert_null(until);
}

static void Take(void* context, const ContactFeature* feature, uint32_t pair)
{
	Found* found = context;
	PassOver(found, feature, pair);
	found->met++;
}

static void AllWithinTheSearchRadiusAreFound(void** state)
{
	(void)state;
	const float ways[] = {0.0f, 0.01f, 0.1f, 1.0f};
	Random random = Random_Seed(3, 0);
	uint32_t met[4] = {0};
	for (uint32_t round = 0; round < (isSlow ? 8 : 80); ++round)
	{
		ContactBodies bodies = {0};
		ElementPairs pairs = {0};
		MakeBodies(&bodies, &random, ways[round % 4]);
		MakePairs(&bodies, &pairs);
		const Narrow narrow = {
			.bodies = &bodies,
			.pairs = &pairs,
			.from = bodies.from.data,
			.to = round % 4 == 0 ? bodies.from.data : bodies.to.data,
			.distances = {round % 3 == 0 ? 0.02f : 0.0f, round % 3 == 1 ? 0.02f : 0.0f},
		};
		Found found = {.narrow = &narrow};
		drapeNarrow_Find(&narrow, 0, pairs.count, Take, &found);
		PassOver(&found, NULL, 0);
		// And what is far away is not.
		assert_true(found.missed > found.met);
		met[round % 4] += found.met;
		ArrayFree(&pairs);
		drapeContactBodies_Destroy(&bodies);
	}
	// With every length of displacements, some are within reach.
	for (uint32_t i = 0; i < 4; ++i)
		assert_true(met[i] > 0);
}

static void Count(void* context, const ContactFeature* feature, uint32_t pair)
{
	uint32_t* counts = context;
	(void)feature;
	counts[pair]++;
}

static void OnlyPairsThatChangedAreLookedAt(void** state)
{
	(void)state;
	Random random = Random_Seed(4, 0);
	ContactBodies bodies = {0};
	ElementPairs pairs = {0};
	uint8_t changed[clothTriangles + 2] = {0};
	uint32_t all[clothTriangles * clothTriangles * 2] = {0}, some[clothTriangles * clothTriangles * 2] = {0};
	MakeBodies(&bodies, &random, 0.3f);
	MakePairs(&bodies, &pairs);
	assert_true(pairs.count < sizeof all / sizeof all[0]);
	changed[5] = 1;
	Narrow narrow = {.bodies = &bodies, .pairs = &pairs, .from = bodies.from.data, .to = bodies.to.data};
	// In pieces that are no multiples of eight.
	for (uint32_t start = 0; start < pairs.count; start += 13)
		drapeNarrow_Find(&narrow, start, MinU32(start + 13, pairs.count), Count, all);
	narrow.changed = changed;
	drapeNarrow_Find(&narrow, 0, pairs.count, Count, some);
	for (uint32_t i = 0; i < pairs.count; ++i)
	{
		bool hasChanged = pairs.data[i].a == 5 || pairs.data[i].b == 5;
		assert_int_equal(some[i], hasChanged ? all[i] : 0);
	}
	ArrayFree(&pairs);
	drapeContactBodies_Destroy(&bodies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AllWithinTheSearchRadiusAreFound),
		cmocka_unit_test(OnlyPairsThatChangedAreLookedAt),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
