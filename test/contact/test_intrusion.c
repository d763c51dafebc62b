// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "support.h"

#include "contact/shapes/intrusion.h"

#include <math.h>

// Triangles that come into shapes, against points of the triangle that are asked one by one.

static drapeColliderDef ShapeOf(int shape)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = (drapeColliderShape)shape;
	def.radius = 0.3f;
	def.topRadius = 0.15f;
	def.halfHeight = 0.4f;
	def.halfExtents = (drapeVec3){0.3f, 0.5f, 0.2f};
	return def;
}

static void RandomTriangle(uint32_t* seed, float size, Vec3 triangle[3])
{
	for (int k = 0; k < 3; ++k)
	{
		float x = TestMesh_RandomFloat(seed), y = TestMesh_RandomFloat(seed), z = TestMesh_RandomFloat(seed);
		triangle[k] = (Vec3){size * (x - 0.5f), size * (y - 0.5f), size * (z - 0.5f)};
	}
}

// Of points all over the triangle, how deep the deepest is; below zero when all are outside.
static float DepthOf(const drapeColliderDef* def, const Vec3 triangle[3])
{
	enum
	{
		steps = 24
	};
	float deepest = -INFINITY;
	for (int i = 0; i <= steps; ++i)
	{
		for (int k = 0; k <= steps - i; ++k)
		{
			float a = (float)i / steps, b = (float)k / steps;
			Vec3 p = V3Add(V3Scale(a, triangle[0]), V3Add(V3Scale(b, triangle[1]), V3Scale(1.0f - a - b, triangle[2])));
			deepest = fmaxf(deepest, -drapeShape_Closest(def, p).distance);
		}
	}
	return deepest;
}

static void AllElementsWithAPointInsideAreFound(void** state)
{
	(void)state;
	uint32_t seed = 11;
	for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
	{
		if (drapeColliderShape_GetInfo((drapeColliderShape)shape)->isMesh)
			continue;
		drapeColliderDef def = ShapeOf(shape);
		uint32_t in = 0, out = 0;
		for (int i = 0; i < (isSlow ? 500 : 5000); ++i)
		{
			Vec3 triangle[3];
			RandomTriangle(&seed, i % 2 ? 1.2f : 3.0f, triangle);
			float depth = DepthOf(&def, triangle);
			bool isIn = drapeIntrusion_Find(&def, triangle, 1e-6f, NULL);
			// Points 24 to an edge leave some of the surface out.
			if (depth > 1e-5f)
				assert_true(isIn);
			if (depth < -0.1f)
				assert_false(isIn);
			in += isIn;
			out += !isIn;
		}
		assert_true(in > 100 && out > 20);
	}
}

static void ItsPointsAreOnTheTriangleAndInTheShape(void** state)
{
	(void)state;
	uint32_t seed = 5;
	for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
	{
		if (drapeColliderShape_GetInfo((drapeColliderShape)shape)->isMesh)
			continue;
		drapeColliderDef def = ShapeOf(shape);
		for (int i = 0; i < 500; ++i)
		{
			Vec3 triangle[3];
			Intrusion intrusion;
			RandomTriangle(&seed, 2.0f, triangle);
			if (!drapeIntrusion_Find(&def, triangle, 1e-6f, &intrusion))
				continue;
			Vec3 normal = V3Normalize(V3Cross(V3Sub(triangle[1], triangle[0]), V3Sub(triangle[2], triangle[0])));
			assert_true(intrusion.count > 0 && intrusion.count <= intrusionMaxPoints);
			for (uint32_t k = 0; k < intrusion.count; ++k)
			{
				assert_true(drapeShape_Closest(&def, intrusion.point[k]).distance < 1e-5f);
				assert_true(fabsf(V3Dot(normal, V3Sub(intrusion.point[k], triangle[0]))) < 1e-5f);
			}
		}
	}
}

static void TouchingIsNotComingIn(void** state)
{
	(void)state;
	for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
	{
		if (drapeColliderShape_GetInfo((drapeColliderShape)shape)->isMesh)
			continue;
		static const float tops[] = {0.3f, 0.7f, 0.4f, 0.5f, 0.0f, NAN, 0.55f};
		drapeColliderDef def = ShapeOf(shape);
		for (int i = -1; i <= 1; ++i)
		{
			float y = tops[shape] + 1e-4f * (float)i;
			const Vec3 flat[3] = {{-1.0f, y, -1.0f}, {1.0f, y, -1.0f}, {0.0f, y, 2.0f}};
			assert_int_equal(drapeIntrusion_Find(&def, flat, 1e-6f, NULL), i < 0);
		}
	}
}

static void TrianglesWithoutAreaAreSegmentsAndPoints(void** state)
{
	(void)state;
	for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
	{
		if (drapeColliderShape_GetInfo((drapeColliderShape)shape)->isMesh)
			continue;
		drapeColliderDef def = ShapeOf(shape);
		const Vec3 within = {0.01f, -0.01f, 0.02f}, beside = {2.0f, 3.0f, 1.0f}, beyond = {-2.0f, -3.0f, -1.0f};
		const Vec3 point[3] = {within, within, within}, away[3] = {beside, beside, beside};
		const Vec3 through[3] = {beside, beyond, beside};
		assert_true(drapeIntrusion_Find(&def, point, 1e-6f, NULL));
		assert_false(drapeIntrusion_Find(&def, away, 1e-6f, NULL));
		assert_true(drapeIntrusion_Find(&def, through, 1e-6f, NULL));
	}
	// A box without thickness has no inside; what goes through it is found all the same.
	drapeColliderDef sheet = ShapeOf(drape_shapeBox);
	sheet.halfExtents.y = 0.0f;
	const Vec3 upright[3] = {{0.0f, -1.0f, 0.0f}, {0.1f, 1.0f, 0.0f}, {-0.1f, 1.0f, 0.0f}};
	assert_true(drapeIntrusion_Find(&sheet, upright, 1e-6f, NULL));
}

// Cones of all slopes, thin and fat, seen from all sides.
static void AnyTaperedCapsuleFindsTrianglesInside(void** state)
{
	(void)state;
	uint32_t seed = 77, in = 0, out = 0;
	for (int i = 0; i < (isSlow ? 500 : 8000); ++i)
	{
		drapeColliderDef def = ShapeOf(drape_shapeTaperedCapsule);
		def.radius = 0.01f + 0.5f * TestMesh_RandomFloat(&seed);
		def.topRadius = i % 3 ? 0.01f + 0.5f * TestMesh_RandomFloat(&seed) : def.radius;
		def.halfHeight = i % 7 ? 0.6f * TestMesh_RandomFloat(&seed) : 0.0f;
		Vec3 triangle[3];
		Intrusion intrusion;
		RandomTriangle(&seed, i % 2 ? 1.2f : 3.0f, triangle);
		float depth = DepthOf(&def, triangle);
		bool isIn = drapeIntrusion_Find(&def, triangle, 1e-6f, &intrusion);
		if (depth > 1e-5f)
			assert_true(isIn);
		if (depth < -0.1f)
			assert_false(isIn);
		in += isIn;
		out += !isIn;
		for (uint32_t k = 0; isIn && k < intrusion.count; ++k)
			assert_true(drapeShape_Closest(&def, intrusion.point[k]).distance < 1e-5f);
	}
	assert_true(in > 100 && out > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AllElementsWithAPointInsideAreFound),
		cmocka_unit_test(AnyTaperedCapsuleFindsTrianglesInside),
		cmocka_unit_test(ItsPointsAreOnTheTriangleAndInTheShape),
		cmocka_unit_test(TouchingIsNotComingIn),
		cmocka_unit_test(TrianglesWithoutAreaAreSegmentsAndPoints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
