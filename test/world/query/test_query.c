// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "sheet.h"

#include "base/maths.h"
#include "drape/drape.h"
#include "contact/shapes/triangle.h"
#include "mesh/geometry.h"
#include "shared/make.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- brute force ----------------------------------------------------------------------------------------------------

// A triangle of a cloth with its corners, in doubles.
typedef struct Corners
{
	Double3 at[3];
} Corners;

static Corners CornersOf(const drapeClothView* view, uint32_t triangle)
{
	Corners corners;
	for (int k = 0; k < 3; ++k)
		corners.at[k] = D3(V4Xyz(view->positions[view->triangles[3 * triangle + k]]));
	return corners;
}

// The fraction at which a ray hits a triangle, by Moeller and Trumbore; INFINITY for a miss. *edge is the least weight:
// near zero, rounding decides about the hit.
static double HitFraction(const Corners* c, drapeRay ray, double* edge)
{
	Double3 direction = D3(ray.translation), ab = D3Sub(c->at[1], c->at[0]), ac = D3Sub(c->at[2], c->at[0]);
	Double3 p = D3Cross(direction, ac), s = D3Sub(D3(ray.origin), c->at[0]), q = D3Cross(s, ab);
	double determinant = D3Dot(ab, p);
	*edge = -HUGE_VAL;
	if (determinant == 0.0)
		return HUGE_VAL;
	double u = D3Dot(s, p) / determinant, v = D3Dot(direction, q) / determinant, t = D3Dot(ac, q) / determinant;
	*edge = fmin(fmin(u, v), 1.0 - u - v);
	return *edge >= 0.0 && t >= 0.0 && t <= 1.0 ? t : HUGE_VAL;
}

// The first hit of all cloths; *isUnsure when a triangle is passed so close to its edge that rounding decides.
static double FirstHit(const drapeClothId* cloths, uint32_t count, drapeRay ray, bool* isUnsure)
{
	double first = HUGE_VAL;
	*isUnsure = false;
	for (uint32_t c = 0; c < count; ++c)
	{
		drapeClothView view = drapeCloth_GetView(cloths[c]);
		for (uint32_t t = 0; t < view.triangleCount; ++t)
		{
			Corners corners = CornersOf(&view, t);
			double edge, at = HitFraction(&corners, ray, &edge);
			first = fmin(first, at);
			*isUnsure |= fabs(edge) < 1e-9;
		}
	}
	return first;
}

static double NearestDistance(const drapeClothId* cloths, uint32_t count, drapeVec3 point)
{
	double nearest = HUGE_VAL;
	for (uint32_t c = 0; c < count; ++c)
	{
		drapeClothView view = drapeCloth_GetView(cloths[c]);
		for (uint32_t t = 0; t < view.triangleCount; ++t)
		{
			Corners k = CornersOf(&view, t);
			Vec3 at[3];
			for (int i = 0; i < 3; ++i)
				at[i] = (Vec3){(float)k.at[i].x, (float)k.at[i].y, (float)k.at[i].z};
			SeenTriangle seen = {{D3Between(point, at[0]), D3Between(point, at[1]), D3Between(point, at[2])}};
			nearest = fmin(nearest, sqrt(Triangle_Closest(&seen).square));
		}
	}
	return nearest;
}

// --- scenes ---------------------------------------------------------------------------------------------------------

static float RandomSigned(uint32_t* seed)
{
	return 2.0f * TestMesh_RandomFloat(seed) - 1.0f;
}

static drapeVec3 RandomPoint(uint32_t* seed, float size)
{
	return (drapeVec3){size * RandomSigned(seed), size * RandomSigned(seed), size * RandomSigned(seed)};
}

static drapeClothDef PlainDef(const drapeMesh* mesh, drapeScheme scheme)
{
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = mesh;
	def.adapt = Sheet_Plain(3);
	def.adapt.scheme = scheme;
	return def;
}

// A crumpled cloth that is refined here and there.
static drapeClothId AddCrumpled(drapeWorldId world, drapeMesh mesh, drapeScheme scheme, uint32_t* seed)
{
	drapeClothDef def = PlainDef(&mesh, scheme);
	drapeClothId cloth = Make_Cloth(world, &def);
	TestMesh_Free(&mesh);
	for (uint32_t i = 0; i < 30 && scheme != drape_schemeFixed; ++i)
		drapeCloth_SplitEdge(cloth, TestMesh_Random(seed) % drapeCloth_GetView(cloth).edgeCount);
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] = V3Add(V4Xyz(view.positions[i]), RandomPoint(seed, 0.1f));
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	free(positions);
	return cloth;
}

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

// The hit's members agree with each other and with the cloth.
static void CheckHit(const drapeSurfaceHit* hit, drapeVec3 from)
{
	drapeClothView view = drapeCloth_GetView(hit->cloth);
	assert_true(hit->isHit && hit->triangle < view.triangleCount);
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	float weights = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		assert_true(hit->weights[k] >= 0.0f);
		weights += hit->weights[k];
		sum = V3Add(sum, V3Scale(hit->weights[k], V4Xyz(view.positions[view.triangles[3 * hit->triangle + k]])));
	}
	assert_true(fabsf(weights - 1.0f) < 1e-5f);
	assert_true(V3Length(V3Sub(sum, hit->point)) < 1e-5f * (1.0f + V3MaxAbs(hit->point)));
	assert_true(fabsf(V3Length(hit->normal) - 1.0f) < 1e-4f);
	assert_true(V3Dot(hit->normal, V3Sub(from, hit->point)) >= -1e-4f * hit->distance - 1e-6f);
	Corners corners = CornersOf(&view, hit->triangle);
	Double3 normal = D3Cross(D3Sub(corners.at[1], corners.at[0]), D3Sub(corners.at[2], corners.at[0]));
	assert_true((D3Dot(normal, D3(hit->normal)) > 0.0) == hit->isFront);
	// The pattern point leads back to the point.
	drapeVec3 back;
	assert_int_equal(drapeCloth_Evaluate(hit->cloth, &hit->pattern, 1, &back, NULL), drape_ok);
	assert_true(V3Length(V3Sub(back, hit->point)) < 2e-3f);
}

// --- rays -----------------------------------------------------------------------------------------------------------

static void RaysHitWhatEveryTriangleTestedAloneSays(void** state)
{
	(void)state;
	uint32_t seed = 5, hits = 0;
	for (uint32_t run = 0; run < (isSlow ? 6 : 18); ++run)
	{
		drapeWorldId world = Sheet_World(1 + run % 3);
		drapeScheme scheme = schemes[run % 3];
		const drapeClothId cloths[2] = {
			AddCrumpled(world, TestMesh_Grid(7, 5, 1.0f, 1.0f, 0.3f, run + 1), scheme, &seed),
			AddCrumpled(world, TestMesh_Sphere(2, 0.4f), scheme, &seed),
		};
		for (uint32_t i = 0; i < 200; ++i)
		{
			drapeVec3 from = RandomPoint(&seed, 1.5f);
			drapeRay ray = {from, V3Sub(RandomPoint(&seed, 0.6f), from)};
			ray.translation = V3Scale(2.0f * TestMesh_RandomFloat(&seed), ray.translation);
			bool isUnsure;
			double expected = FirstHit(cloths, 2, ray, &isUnsure);
			drapeSurfaceHit hit, alone[2];
			assert_int_equal(drapeWorld_CastRay(world, ray, drapeDefaultFilter(), &hit), drape_ok);
			for (int c = 0; c < 2; ++c)
				assert_int_equal(drapeCloth_CastRay(cloths[c], ray, &alone[c]), drape_ok);
			if (isUnsure)
				continue;
			assert_int_equal(hit.isHit, expected < HUGE_VAL);
			assert_int_equal(hit.isHit, alone[0].isHit || alone[1].isHit);
			if (!hit.isHit)
				continue;
			hits++;
			assert_true(fabs((double)hit.fraction - expected) < 1e-6);
			assert_true(fabsf(hit.distance - hit.fraction * V3Length(ray.translation)) < 1e-4f);
			CheckHit(&hit, ray.origin);
			const drapeSurfaceHit* first = DRAPE_ID_EQUALS(hit.cloth, cloths[0]) ? &alone[0] : &alone[1];
			assert_memory_equal(&hit.point, &first->point, sizeof hit.point);
		}
		drapeDestroyWorld(world);
	}
	assert_true(hits > 100);
}

static drapeSurfaceHit Cast(drapeWorldId world, drapeVec3 from, drapeVec3 translation)
{
	drapeSurfaceHit hit;
	assert_int_equal(drapeWorld_CastRay(world, (drapeRay){from, translation}, drapeDefaultFilter(), &hit), drape_ok);
	return hit;
}

static void BothSidesOfATriangleAreHit(void** state)
{
	(void)state;
	Sheet sheet = Sheet_Create(4, 4, NULL);
	drapeSurfaceHit above = Cast(sheet.world, (drapeVec3){0.1f, 1.0f, 0.07f}, (drapeVec3){0.0f, -2.0f, 0.0f});
	drapeSurfaceHit below = Cast(sheet.world, (drapeVec3){0.1f, -1.0f, 0.07f}, (drapeVec3){0.0f, 2.0f, 0.0f});
	assert_true(above.isHit && below.isHit && above.isFront != below.isFront);
	assert_int_equal(above.triangle, below.triangle);
	assert_true(above.normal.y == 1.0f && below.normal.y == -1.0f);
	assert_true(above.fraction == 0.5f && above.distance == 1.0f);
	// A ray ends where its translation ends.
	assert_false(Cast(sheet.world, (drapeVec3){0.1f, 1.0f, 0.07f}, (drapeVec3){0.0f, -0.99f, 0.0f}).isHit);
	Sheet_Destroy(&sheet);
}

// Rays at all vertices and along edges of the mesh from above, through their common points.
static void NoRaySlipsThroughAVertexOrAnEdge(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Sheet_Plain(3);
	Sheet sheet = Sheet_Create(5, 3, &adapt);
	drapeCloth_SplitEdge(sheet.cloth, 3);
	drapeCloth_SplitEdge(sheet.cloth, 8);
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	const drapeVec3 slants[] = {{0.0f, -2.0f, 0.0f}, {0.3f, -2.0f, 0.1f}, {-0.7f, -2.0f, 0.4f}};
	for (uint32_t e = 0; e < view.edgeCount; ++e)
	{
		Vec3 a = V4Xyz(view.positions[view.edgeFrom[e]]), b = V4Xyz(view.positions[view.edgeTo[e]]);
		for (int i = 0; i < 15; ++i)
		{
			Vec3 at = V3Add(a, V3Scale((float)(i / 3) * 0.25f, V3Sub(b, a)));
			bool isInside = fabsf(at.x) < 0.499f && fabsf(at.z) < 0.499f;
			Vec3 half = V3Scale(0.5f, slants[i % 3]);
			if (isInside)
				assert_true(Cast(sheet.world, V3Sub(at, half), slants[i % 3]).isHit);
		}
	}
	// In the plane of the sheet, along an edge: a miss, and no crash.
	assert_false(Cast(sheet.world, (drapeVec3){-2.0f, 0.0f, 0.0f}, (drapeVec3){4.0f, 0.0f, 0.0f}).isHit);
	Sheet_Destroy(&sheet);
}

static void RaysFromFarAwayHitTheNearerLayer(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothDef def = SharedFabric_Cotton(drape_schemeFixed, 0);
	drapeClothId layers[2];
	for (int i = 0; i < 2; ++i)
	{
		drapeTransform at = drapeIdentityTransform();
		at.position.y = i == 0 ? 0.0f : 0.002f;
		layers[i] = SharedSheet_Add(world, &def, 8, 8, 1.0f, 1.0f, SharedPlace_Transform, &at);
	}
	drapeSurfaceHit above = Cast(world, (drapeVec3){0.1f, 1e6f, 0.2f}, (drapeVec3){0.0f, -2e6f, 0.0f});
	drapeSurfaceHit below = Cast(world, (drapeVec3){0.1f, -1e6f, 0.2f}, (drapeVec3){0.0f, 2e6f, 0.0f});
	assert_true(above.isHit && DRAPE_ID_EQUALS(above.cloth, layers[1]));
	assert_true(below.isHit && DRAPE_ID_EQUALS(below.cloth, layers[0]));
	assert_true(above.point.y == 0.002f && below.point.y == 0.0f && fabsf(above.point.x - 0.1f) < 1e-6f);
	// A slanted one from far away, which passes the origin.
	drapeSurfaceHit slanted = Cast(world, (drapeVec3){-1e6f, 1e6f, 0.0f}, (drapeVec3){2e6f, -2e6f, 0.0f});
	assert_true(slanted.isHit && fabsf(slanted.point.x) < 0.2f);
	assert_false(Cast(world, (drapeVec3){1e6f, 1e6f, 0.0f}, (drapeVec3){0.0f, -2e6f, 0.0f}).isHit);
	drapeDestroyWorld(world);
}

static void RaysWithoutLengthAndNumbersThatAreNotFiniteAreRefused(void** state)
{
	(void)state;
	Sheet sheet = Sheet_Create(2, 2, NULL);
	const drapeVec3 down = {0.0f, -1.0f, 0.0f}, zero = {0};
	const drapeRay bad[] = {
		{zero, zero}, {{NAN, 0.0f, 0.0f}, down}, {zero, {0.0f, INFINITY, 0.0f}}, {{0.0f, 2e9f, 0.0f}, down}};
	drapeSurfaceHit hits[2];
	for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
	{
		const drapeRay rays[2] = {{{0.1f, 0.5f, 0.1f}, down}, bad[i]};
		ASSERT_REFUSED(assert_int_equal(drapeWorld_CastRays(sheet.world, rays, 2, drapeDefaultFilter(), hits),
		                                drape_errorArgument));
		assert_false(hits[0].isHit);
		assert_non_null(strstr(drapeWorld_GetMessage(sheet.world), "ray."));
		ASSERT_REFUSED(assert_int_equal(drapeCloth_CastRay(sheet.cloth, bad[i], hits), drape_errorArgument));
	}
	const drapeVec3 nowhere = {NAN, 0.0f, 0.0f};
	ASSERT_REFUSED(
		assert_int_equal(drapeCloth_FindClosestPoint(sheet.cloth, nowhere, 1.0f, hits), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_FindClosestPoint(sheet.cloth, zero, -1.0f, hits), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_FindClosestPoint(sheet.cloth, zero, NAN, hits), drape_errorArgument));
	uint32_t count;
	const drapeBox turned = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 1.0f}};
	ASSERT_REFUSED(assert_int_equal(
		drapeWorld_FindClothsInBox(sheet.world, turned, drapeDefaultFilter(), NULL, 0, &count), drape_errorArgument));
	Sheet_Destroy(&sheet);
}

static void ManyRaysAtOnceAreTheSameAsOneByOneForAnyNumberOfThreads(void** state)
{
	(void)state;
	enum
	{
		count = 1000
	};
	static drapeRay rays[count];
	static drapeVec3 points[count];
	static drapeSurfaceHit first[count], other[count], near[count], otherNear[count];
	for (uint32_t workers = 1; workers <= 4; ++workers)
	{
		uint32_t seed = 11;
		drapeWorldId world = Sheet_World(workers);
		AddCrumpled(world, TestMesh_Torus(20, 12, 0.5f, 0.2f), drape_schemeEdge, &seed);
		AddCrumpled(world, TestMesh_Grid(9, 9, 1.0f, 1.0f, 0.2f, 3), drape_schemeSqrt3, &seed);
		for (int i = 0; i < count; ++i)
		{
			rays[i] = (drapeRay){RandomPoint(&seed, 1.0f), RandomPoint(&seed, 2.0f)};
			points[i] = RandomPoint(&seed, 1.0f);
		}
		drapeSurfaceHit* hits = workers == 1 ? first : other;
		drapeSurfaceHit* nearHits = workers == 1 ? near : otherNear;
		assert_int_equal(drapeWorld_CastRays(world, rays, count, drapeDefaultFilter(), hits), drape_ok);
		assert_int_equal(drapeWorld_FindClosestPoints(world, points, count, 1.0f, drapeDefaultFilter(), nearHits),
		                 drape_ok);
		for (int i = 0; i < count; ++i)
		{
			drapeSurfaceHit alone = Cast(world, rays[i].origin, rays[i].translation);
			assert_true(alone.isHit == hits[i].isHit && alone.triangle == hits[i].triangle &&
			            alone.fraction == hits[i].fraction);
			assert_true(hits[i].triangle == first[i].triangle && hits[i].distance == first[i].distance);
			assert_true(nearHits[i].triangle == near[i].triangle && nearHits[i].distance == near[i].distance);
		}
		drapeDestroyWorld(world);
	}
}

// --- closest points -------------------------------------------------------------------------------------------------

static void ClosestPointsAreThoseOfAllTrianglesTestedAlone(void** state)
{
	(void)state;
	uint32_t seed = 77;
	for (uint32_t run = 0; run < 6; ++run)
	{
		drapeWorldId world = Sheet_World(1);
		const drapeClothId cloths[2] = {
			AddCrumpled(world, TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.3f, run), schemes[run % 3], &seed),
			AddCrumpled(world, TestMesh_Sphere(2, 0.3f), schemes[run % 3], &seed),
		};
		for (uint32_t i = 0; i < 150; ++i)
		{
			float size = i % 10 == 0 ? 1e3f : 1.0f;
			drapeVec3 point = RandomPoint(&seed, size);
			float limit = i % 3 == 0 ? 0.1f : i % 3 == 1 ? INFINITY : 1.0f;
			drapeSurfaceHit hit;
			double expected = NearestDistance(cloths, 2, point);
			assert_int_equal(drapeWorld_FindClosestPoint(world, point, limit, drapeDefaultFilter(), &hit), drape_ok);
			if (fabs(expected - (double)limit) < 1e-6)
				continue;
			assert_int_equal(hit.isHit, expected <= (double)limit);
			if (!hit.isHit)
				continue;
			assert_true(fabs((double)hit.distance - expected) < 1e-6 * (double)size);
			assert_true(hit.fraction == 0.0f);
			CheckHit(&hit, point);
		}
		drapeDestroyWorld(world);
	}
}

// --- the tree follows the cloth -------------------------------------------------------------------------------------

// A ray from above finds a sheet wherever it is put or falls, and whatever becomes of its mesh.
static void QueriesSeeTheClothAsItIsNow(void** state)
{
	(void)state;
	for (int s = 0; s < 3; ++s)
	{
		drapeWorldId world = Sheet_World(1);
		drapeMesh mesh = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.0f, 1);
		drapeClothDef def = PlainDef(&mesh, schemes[s]);
		def.adapt.curvature.enabled = schemes[s] != drape_schemeFixed;
		drapeClothId cloth = Make_Cloth(world, &def);
		TestMesh_Free(&mesh);
		for (uint32_t i = 0; i < 30; ++i)
		{
			if (i % 10 == 5 && schemes[s] != drape_schemeFixed)
				assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
			drapeVec3 point = V4Xyz(drapeCloth_GetView(cloth).positions[i]);
			drapeSurfaceHit hit;
			assert_int_equal(drapeCloth_FindClosestPoint(cloth, point, 0.1f, &hit), drape_ok);
			assert_true(hit.isHit && hit.distance < 1e-6f);
			drapeBox box = drapeCloth_GetBounds(cloth);
			drapeVec3 above = {0.5f * (box.low.x + box.high.x) + 0.013f, box.high.y, box.low.z - 1.0f};
			bool isUnsure;
			drapeRay ray = {above, {0.0f, 0.001f, 3.0f}};
			double expected = FirstHit(&cloth, 1, ray, &isUnsure);
			assert_int_equal(drapeCloth_CastRay(cloth, ray, &hit), drape_ok);
			assert_true(isUnsure || hit.isHit == (expected < HUGE_VAL));
		}
		drapeDestroyWorld(world);
	}
}

static void LoadedSnapshotsAreSeen(void** state)
{
	(void)state;
	Sheet sheet = Sheet_Create(4, 4, NULL);
	static char data[1 << 20];
	size_t size = Make_Snapshot(sheet.world, data, sizeof data);
	assert_true(size > 0);
	drapeVec3 down = {0.0f, -10.0f, 0.0f}, from = {0.1f, 5.0f, 0.07f};
	assert_true(Cast(sheet.world, from, down).point.y == 0.0f);
	for (int i = 0; i < 20; ++i)
		assert_int_equal(drapeWorld_Step(sheet.world, 0.02f), drape_ok);
	assert_true(Cast(sheet.world, from, down).point.y < -0.3f);
	assert_int_equal(drapeWorld_Load(sheet.world, data, size), drape_ok);
	assert_true(Cast(sheet.world, from, down).point.y == 0.0f);
	Sheet_Destroy(&sheet);
}

static void QueriesAfterTheFirstAllocateNothing(void** state)
{
	(void)state;
	Sheet sheet = Sheet_Create(8, 8, NULL);
	drapeVec3 down = {0.0f, -10.0f, 0.0f}, from = {0.1f, 5.0f, 0.07f};
	assert_int_equal(drapeWorld_Step(sheet.world, 0.01f), drape_ok);
	Cast(sheet.world, from, down);
	size_t before = drapeGetMemoryUse().allocations;
	for (int i = 0; i < 10; ++i)
	{
		assert_int_equal(drapeWorld_Step(sheet.world, 0.01f), drape_ok);
		assert_true(Cast(sheet.world, from, down).isHit);
	}
	assert_int_equal(drapeGetMemoryUse().allocations, before);
	Sheet_Destroy(&sheet);
}

static void QueriesThatRunOutOfMemoryFailAndRecover(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	Sheet sheet = Sheet_Create(8, 8, NULL);
	drapeSurfaceHit hit;
	const drapeRay ray = {{0.1f, 5.0f, 0.07f}, {0.0f, -10.0f, 0.0f}};
	uint32_t failures = 0;
	for (size_t allowed = 0; failures < 100; ++allowed)
	{
		Test_AllowAllocations(allowed);
		drapeResult result = drapeWorld_CastRay(sheet.world, ray, drapeDefaultFilter(), &hit);
		Test_AllowAllocations(SIZE_MAX);
		if (result == drape_ok)
			break;
		assert_int_equal(result, drape_errorMemory);
		assert_false(hit.isHit);
		failures++;
	}
	assert_true(hit.isHit && failures > 2);
	Sheet_Destroy(&sheet);
	Test_EndLimitedMemory();
}

// --- filters, bounds, boxes -----------------------------------------------------------------------------------------

static void QueriesLeaveOutClothsThatTheirFilterDoesNotTouch(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothId upper = Sheet_Add(world, 4, 4, NULL), lower = Sheet_Add(world, 4, 4, NULL);
	assert_true(Sheet_SetShape(lower, Sheet_Bumps, 0.0f));
	drapeVec3 positions[25];
	drapeClothView view = drapeCloth_GetView(upper);
	for (uint32_t i = 0; i < 25; ++i)
		positions[i] = V3Add(V4Xyz(view.positions[i]), (Vec3){0.0f, 1.0f, 0.0f});
	assert_int_equal(drapeCloth_SetPositions(upper, positions), drape_ok);
	assert_int_equal(drapeCloth_SetFilter(upper, (drapeFilter){4, UINT64_MAX}), drape_ok);
	const drapeRay ray = {{0.1f, 5.0f, 0.07f}, {0.0f, -10.0f, 0.0f}};
	drapeSurfaceHit hit;
	assert_int_equal(drapeWorld_CastRay(world, ray, (drapeFilter){1, 1}, &hit), drape_ok);
	assert_true(DRAPE_ID_EQUALS(hit.cloth, lower));
	assert_int_equal(drapeWorld_CastRay(world, ray, (drapeFilter){1, 5}, &hit), drape_ok);
	assert_true(DRAPE_ID_EQUALS(hit.cloth, upper));
	assert_int_equal(drapeWorld_FindClosestPoint(world, ray.origin, INFINITY, (drapeFilter){1, 1}, &hit), drape_ok);
	assert_true(DRAPE_ID_EQUALS(hit.cloth, lower));
	assert_int_equal(drapeWorld_CastRay(world, ray, (drapeFilter){1, 2}, &hit), drape_ok);
	assert_false(hit.isHit);
	drapeDestroyWorld(world);
}

static void BoundsAndBoxesAreThoseOfTheParticles(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothId cloth = Sheet_Add(world, 4, 4, NULL);
	drapeBox box = drapeCloth_GetBounds(cloth);
	assert_true(box.low.x == -0.5f && box.high.x == 0.5f && box.low.y == 0.0f && box.high.y == 0.0f);
	uint32_t count, particles[25];
	drapeClothId cloths[1];
	const drapeFilter any = drapeDefaultFilter();
	const drapeBox quarter = {{0.0f, -0.1f, 0.0f}, {1.0f, 0.1f, 1.0f}};
	assert_int_equal(drapeCloth_FindParticlesInBox(cloth, quarter, particles, 25, &count), drape_ok);
	assert_int_equal(count, 9);
	assert_int_equal(drapeWorld_FindClothsInBox(world, quarter, any, cloths, 1, &count), drape_ok);
	assert_true(count == 1 && DRAPE_ID_EQUALS(cloths[0], cloth));
	// Within a triangle: no particle, but the cloth.
	const drapeBox small = {{0.05f, -0.01f, 0.1f}, {0.06f, 0.01f, 0.11f}};
	assert_int_equal(drapeCloth_FindParticlesInBox(cloth, small, NULL, 0, &count), drape_ok);
	assert_int_equal(count, 0);
	assert_int_equal(drapeWorld_FindClothsInBox(world, small, any, NULL, 0, &count), drape_ok);
	assert_int_equal(count, 1);
	const drapeBox above = {{-1.0f, 0.01f, -1.0f}, {1.0f, 1.0f, 1.0f}};
	assert_int_equal(drapeWorld_FindClothsInBox(world, above, any, NULL, 0, &count), drape_ok);
	assert_int_equal(count, 0);
	// A sheet on edge: its bounds overlap the box, but no triangle does.
	assert_true(Sheet_SetShape(cloth, Sheet_Flat, 1.0f));
	drapeVec3 tilted[25];
	drapeClothView view = drapeCloth_GetView(cloth);
	for (uint32_t i = 0; i < 25; ++i)
		tilted[i] = (drapeVec3){view.positions[i].x, view.positions[i].x, view.positions[i].z};
	assert_int_equal(drapeCloth_SetPositions(cloth, tilted), drape_ok);
	const drapeBox corner = {{0.3f, -0.4f, -0.1f}, {0.4f, -0.3f, 0.1f}};
	assert_int_equal(drapeWorld_FindClothsInBox(world, corner, any, NULL, 0, &count), drape_ok);
	assert_int_equal(count, 0);
	drapeDestroyWorld(world);
}

// --- colliders ------------------------------------------------------------------------------------------------------

static drapeColliderHit CastAt(drapeColliderId collider, drapeVec3 from, drapeVec3 translation)
{
	drapeColliderHit hit;
	assert_int_equal(drapeCollider_CastRay(collider, (drapeRay){from, translation}, &hit), drape_ok);
	return hit;
}

static void CollidersAreHitWhereTheirSurfaceIs(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.radius = 0.5f;
	def.transform.position = (drapeVec3){1.0f, 2.0f, 3.0f};
	def.transform.scale = 2.0f;
	drapeColliderId sphere = Make_Collider(world, &def);
	drapeMesh mesh = TestMesh_Sphere(4, 0.5f);
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	drapeColliderId body = Make_Collider(world, &def);
	TestMesh_Free(&mesh);
	const drapeColliderId both[2] = {sphere, body};
	for (int i = 0; i < 2; ++i)
	{
		drapeColliderHit hit = CastAt(both[i], (drapeVec3){1.0f, 12.0f, 3.0f}, (drapeVec3){0.0f, -20.0f, 0.0f});
		assert_true(hit.isHit && fabsf(hit.point.y - 3.0f) < 1e-5f && fabsf(hit.distance - 9.0f) < 1e-4f);
		assert_true(fabsf(hit.normal.y - 1.0f) < 0.02f && fabsf(hit.fraction - 0.45f) < 1e-5f);
		assert_true((hit.triangle == DRAPE_NONE) == (i == 0));
		assert_false(CastAt(both[i], (drapeVec3){2.5f, 12.0f, 3.0f}, (drapeVec3){0.0f, -20.0f, 0.0f}).isHit);
		// From inside, and too short.
		assert_false(CastAt(both[i], (drapeVec3){1.0f, 2.1f, 3.0f}, (drapeVec3){0.0f, -20.0f, 0.0f}).isHit);
		assert_false(CastAt(both[i], (drapeVec3){1.0f, 12.0f, 3.0f}, (drapeVec3){0.0f, -8.0f, 0.0f}).isHit);
		uint32_t seed = 4;
		for (int k = 0; k < 100; ++k)
		{
			drapeVec3 from = V3Add((Vec3){1.0f, 2.0f, 3.0f}, V3Scale(3.0f, V3Normalize(RandomPoint(&seed, 1.0f))));
			drapeVec3 to = V3Add((Vec3){1.0f, 2.0f, 3.0f}, RandomPoint(&seed, 0.3f));
			hit = CastAt(both[i], from, V3Sub(to, from));
			assert_true(hit.isHit && fabsf(drapeCollider_GetDistance(both[i], hit.point)) < 1e-4f);
		}
	}
	drapeDestroyWorld(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(RaysHitWhatEveryTriangleTestedAloneSays),
		cmocka_unit_test(BothSidesOfATriangleAreHit),
		cmocka_unit_test(NoRaySlipsThroughAVertexOrAnEdge),
		cmocka_unit_test(RaysFromFarAwayHitTheNearerLayer),
		cmocka_unit_test(RaysWithoutLengthAndNumbersThatAreNotFiniteAreRefused),
		cmocka_unit_test(ManyRaysAtOnceAreTheSameAsOneByOneForAnyNumberOfThreads),
		cmocka_unit_test(ClosestPointsAreThoseOfAllTrianglesTestedAlone),
		cmocka_unit_test(QueriesSeeTheClothAsItIsNow),
		cmocka_unit_test(LoadedSnapshotsAreSeen),
		cmocka_unit_test(QueriesAfterTheFirstAllocateNothing),
		cmocka_unit_test(QueriesThatRunOutOfMemoryFailAndRecover),
		cmocka_unit_test(QueriesLeaveOutClothsThatTheirFilterDoesNotTouch),
		cmocka_unit_test(BoundsAndBoxesAreThoseOfTheParticles),
		cmocka_unit_test(CollidersAreHitWhereTheirSurfaceIs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
