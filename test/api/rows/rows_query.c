// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

static const drapeVec3 zero = {0.0f, 0.0f, 0.0f}, notFinite = {0.0f, NAN, 0.0f}, tooFar = {0.0f, 2e9f, 0.0f};

static void RefuseRays(Api* api)
{
	const drapeFilter filter = drapeDefaultFilter();
	drapeSurfaceHit hit, hits[2];
	drapeColliderHit colliderHit;
	const struct
	{
		drapeRay ray;
		const char* sentence;
	} rows[] = {
		{{notFinite, {0.0f, 1.0f, 0.0f}}, "ray.origin is (0, nan, 0), expected numbers from -1e9 to 1e9 m"},
		{{tooFar, {0.0f, 1.0f, 0.0f}}, "ray.origin is (0, 2e+09, 0), expected numbers from -1e9 to 1e9 m"},
		{{zero, notFinite}, "ray.translation is (0, nan, 0), expected numbers from -1e9 to 1e9 m"},
		{{zero, zero}, "ray.translation has no length, expected a direction times a length"},
	};
	const drapeRay good = {zero, {0.0f, 1.0f, 0.0f}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		const drapeRay ray = rows[i].ray, rays[2] = {good, ray};
		REFUSED(drapeWorld_CastRay, ray, rows[i].sentence, drapeWorld_CastRay(api->world, ray, filter, &hit));
		REFUSED(drapeWorld_CastRays, rays, rows[i].sentence, drapeWorld_CastRays(api->world, rays, 2, filter, hits));
		REFUSED(drapeCloth_CastRay, ray, rows[i].sentence, drapeCloth_CastRay(api->cloth, ray, &hit));
		REFUSED(drapeCollider_CastRay, ray, rows[i].sentence, drapeCollider_CastRay(api->sphere, ray, &colliderHit));
	}
	BAD_HANDLE(drapeWorld_CastRay, drapeWorldId, world, drapeWorld_CastRay(world, good, filter, &hit));
	BAD_HANDLE(drapeWorld_CastRays, drapeWorldId, world, drapeWorld_CastRays(world, &good, 1, filter, hits));
	BAD_HANDLE(drapeCloth_CastRay, drapeClothId, cloth, drapeCloth_CastRay(cloth, good, &hit));
	BAD_HANDLE(drapeCollider_CastRay, drapeColliderId, collider, drapeCollider_CastRay(collider, good, &colliderHit));
	CANNOT_FAIL(drapeWorld_CastRay, filter, "any bits are good");
	CANNOT_FAIL(drapeWorld_CastRays, filter, "any bits are good");
	REFUSED(drapeWorld_CastRay, hit, "hit is NULL", drapeWorld_CastRay(api->world, good, filter, NULL));
	REFUSED(drapeWorld_CastRays, rays, "rays is NULL", drapeWorld_CastRays(api->world, NULL, 1, filter, hits));
	REFUSED(drapeWorld_CastRays, hits, "hits is NULL", drapeWorld_CastRays(api->world, &good, 1, filter, NULL));
	ACCEPTED(drapeWorld_CastRays, count, drapeWorld_CastRays(api->world, NULL, 0, filter, NULL) == drape_ok);
	REFUSED(drapeCloth_CastRay, hit, "hit is NULL", drapeCloth_CastRay(api->cloth, good, NULL));
	REFUSED(drapeCollider_CastRay, hit, "hit is NULL", drapeCollider_CastRay(api->sphere, good, NULL));
}

static void RefusePoints(Api* api)
{
	const drapeFilter filter = drapeDefaultFilter();
	const drapeVec3 points[2] = {zero, notFinite};
	const float distances[] = {-1.0f, NAN};
	const char* const sentences[] = {"maxDistance is -1, expected a number of at least 0 m",
	                                 "maxDistance is nan, expected a number of at least 0 m"};
	drapeSurfaceHit hit, hits[2];
	BAD_HANDLE(drapeWorld_FindClosestPoint, drapeWorldId, world,
	           drapeWorld_FindClosestPoint(world, zero, 1.0f, filter, &hit));
	BAD_HANDLE(drapeWorld_FindClosestPoints, drapeWorldId, world,
	           drapeWorld_FindClosestPoints(world, points, 1, 1.0f, filter, hits));
	BAD_HANDLE(drapeCloth_FindClosestPoint, drapeClothId, cloth, drapeCloth_FindClosestPoint(cloth, zero, 1.0f, &hit));
	REFUSED(drapeWorld_FindClosestPoint, point, "point is (0, nan, 0), expected numbers from -1e9 to 1e9 m",
	        drapeWorld_FindClosestPoint(api->world, notFinite, 1.0f, filter, &hit));
	REFUSED(drapeWorld_FindClosestPoints, points, "point is (0, nan, 0), expected numbers from -1e9 to 1e9 m",
	        drapeWorld_FindClosestPoints(api->world, points, 2, 1.0f, filter, hits));
	REFUSED(drapeCloth_FindClosestPoint, point, "point is (0, nan, 0), expected numbers from -1e9 to 1e9 m",
	        drapeCloth_FindClosestPoint(api->cloth, notFinite, 1.0f, &hit));
	for (int i = 0; i < 2; ++i)
	{
		REFUSED(drapeWorld_FindClosestPoint, maxDistance, sentences[i],
		        drapeWorld_FindClosestPoint(api->world, zero, distances[i], filter, &hit));
		REFUSED(drapeWorld_FindClosestPoints, maxDistance, sentences[i],
		        drapeWorld_FindClosestPoints(api->world, points, 1, distances[i], filter, hits));
		REFUSED(drapeCloth_FindClosestPoint, maxDistance, sentences[i],
		        drapeCloth_FindClosestPoint(api->cloth, zero, distances[i], &hit));
	}
	CANNOT_FAIL(drapeWorld_FindClosestPoint, filter, "any bits are good");
	CANNOT_FAIL(drapeWorld_FindClosestPoints, filter, "any bits are good");
	REFUSED(drapeWorld_FindClosestPoint, hit, "hit is NULL",
	        drapeWorld_FindClosestPoint(api->world, zero, 1.0f, filter, NULL));
	REFUSED(drapeWorld_FindClosestPoints, points, "points is NULL",
	        drapeWorld_FindClosestPoints(api->world, NULL, 1, 1.0f, filter, hits));
	REFUSED(drapeWorld_FindClosestPoints, hits, "hits is NULL",
	        drapeWorld_FindClosestPoints(api->world, points, 1, 1.0f, filter, NULL));
	ACCEPTED(drapeWorld_FindClosestPoints, count,
	         drapeWorld_FindClosestPoints(api->world, NULL, 0, 1.0f, filter, NULL) == drape_ok);
	REFUSED(drapeCloth_FindClosestPoint, hit, "hit is NULL", drapeCloth_FindClosestPoint(api->cloth, zero, 1.0f, NULL));
}

static void RefuseBoxes(Api* api)
{
	const drapeFilter filter = drapeDefaultFilter();
	const drapeBox good = {zero, {1.0f, 1.0f, 1.0f}};
	const struct
	{
		drapeBox box;
		const char* sentence;
	} rows[] = {
		{{notFinite, zero}, "box.low is (0, nan, 0), expected numbers from -1e9 to 1e9 m"},
		{{zero, tooFar}, "box.high is (0, 2e+09, 0), expected numbers from -1e9 to 1e9 m"},
		{{{0.0f, 1.0f, 0.0f}, zero}, "box.low is (0, 1, 0), expected at most box.high, which is (0, 0, 0)"},
	};
	drapeClothId cloths[1];
	uint32_t particles[1], count;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		REFUSED(drapeWorld_FindClothsInBox, box, rows[i].sentence,
		        drapeWorld_FindClothsInBox(api->world, rows[i].box, filter, cloths, 1, &count));
		REFUSED(drapeCloth_FindParticlesInBox, box, rows[i].sentence,
		        drapeCloth_FindParticlesInBox(api->cloth, rows[i].box, particles, 1, &count));
	}
	BAD_ZERO(drapeCloth_GetBounds, drapeClothId, cloth, drapeCloth_GetBounds(cloth));
	BAD_HANDLE(drapeWorld_FindClothsInBox, drapeWorldId, world,
	           drapeWorld_FindClothsInBox(world, good, filter, cloths, 1, &count));
	CANNOT_FAIL(drapeWorld_FindClothsInBox, filter, "any bits are good");
	REFUSED(drapeWorld_FindClothsInBox, cloths, "cloths is NULL, but capacity is 1",
	        drapeWorld_FindClothsInBox(api->world, good, filter, NULL, 1, &count));
	REFUSED(drapeWorld_FindClothsInBox, count, "count is NULL",
	        drapeWorld_FindClothsInBox(api->world, good, filter, cloths, 1, NULL));
	ACCEPTED(drapeWorld_FindClothsInBox, capacity,
	         drapeWorld_FindClothsInBox(api->world, good, filter, NULL, 0, &count) == drape_ok);
	BAD_HANDLE(drapeCloth_FindParticlesInBox, drapeClothId, cloth,
	           drapeCloth_FindParticlesInBox(cloth, good, particles, 1, &count));
	REFUSED(drapeCloth_FindParticlesInBox, particles, "particles is NULL, but capacity is 1",
	        drapeCloth_FindParticlesInBox(api->cloth, good, NULL, 1, &count));
	REFUSED(drapeCloth_FindParticlesInBox, count, "count is NULL",
	        drapeCloth_FindParticlesInBox(api->cloth, good, particles, 1, NULL));
	ACCEPTED(drapeCloth_FindParticlesInBox, capacity,
	         drapeCloth_FindParticlesInBox(api->cloth, good, NULL, 0, &count) == drape_ok);
}

void Rows_Query(Api* api)
{
	RefuseRays(api);
	RefusePoints(api);
	RefuseBoxes(api);
}
