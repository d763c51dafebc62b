// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "contact/contact.h"

#define GRAVITY 9.81f

enum
{
	maxParticles = 1024,
};

// Particles without triangles.
typedef struct Cloud
{
	ActiveMesh mesh;
	Vec4 previous[maxParticles];
} Cloud;

static Cloud* Cloud_Create(uint32_t count)
{
	Cloud* cloud = drapeMemAllocZero(sizeof(Cloud));
	assert_non_null(cloud);
	assert_true(count <= maxParticles && drapeActiveMesh_ReserveParticles(&cloud->mesh, count));
	for (uint32_t i = 0; i < count; ++i)
	{
		drapeActiveMesh_AddParticle(&cloud->mesh, (Vec3){0, 0, 0}, i);
		cloud->mesh.position[i].w = 4.0f;
		cloud->mesh.velocity[i].w = 0.25f;
	}
	return cloud;
}

static void Cloud_Destroy(Cloud* cloud)
{
	drapeActiveMesh_Destroy(&cloud->mesh);
	drapeMemFree(cloud, sizeof(Cloud));
}

static Vec4 With(Vec3 a, float w)
{
	return (Vec4){a.x, a.y, a.z, w};
}

static void Cloud_Place(Cloud* cloud, uint32_t i, Vec3 position, Vec3 velocity)
{
	cloud->mesh.position[i] = cloud->previous[i] = With(position, cloud->mesh.position[i].w);
	cloud->mesh.velocity[i] = With(velocity, cloud->mesh.velocity[i].w);
}

static Collider Still(drapeColliderDef def, Transform transform)
{
	def.transform = transform;
	return (Collider){.def = def, .from = transform, .to = transform};
}

static Transform At(float x, float y, float z)
{
	Transform t = drapeIdentityTransform();
	t.position = (Vec3){x, y, z};
	return t;
}

static drapeColliderDef Sphere(float radius)
{
	return (drapeColliderDef){.shape = drape_shapeSphere, .radius = radius, .friction = 1.0f};
}

static drapeColliderDef Box(float x, float y, float z)
{
	return (drapeColliderDef){.shape = drape_shapeBox, .halfExtents = {x, y, z}, .friction = 1.0f};
}

static const drapeColliderDef plane = {.shape = drape_shapePlane, .friction = 1.0f};

// Falls freely for one substep, then meets the colliders.
static uint32_t Cloud_Substep(Cloud* cloud, ContactDef* def, Vec3 gravity)
{
	for (uint32_t i = 0; i < cloud->mesh.particleCount; ++i)
	{
		Vec4 *x = &cloud->mesh.position[i], *v = &cloud->mesh.velocity[i];
		cloud->previous[i] = *x;
		Vec3 velocity = V3Add(V4Xyz(*v), V3Scale(def->dt, gravity));
		*v = With(velocity, v->w);
		*x = With(V3Add(V4Xyz(*x), V3Scale(def->dt, velocity)), x->w);
	}
	return drapeContact_Resolve(def, &cloud->mesh, cloud->previous, NULL, 0, cloud->mesh.particleCount);
}

// A step of 1/60 s in `substeps` parts.
static void Cloud_Step(Cloud* cloud, ContactDef* def, Vec3 gravity, uint32_t substeps)
{
	def->dt = 1.0f / 60.0f / (float)substeps;
	for (uint32_t i = 0; i < substeps; ++i)
	{
		def->fromFraction = (float)i / (float)substeps;
		def->toFraction = (float)(i + 1) / (float)substeps;
		Cloud_Substep(cloud, def, gravity);
	}
}

static float DistanceTo(const Collider* collider, Vec3 point)
{
	return collider->to.scale *
	       drapeShape_Closest(&collider->def, Transform_InversePoint(collider->to, point)).distance;
}

static Vec3 RandomVec3(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

static Transform RandomTransform(Random* random, float size)
{
	Transform t = At(0, 0, 0);
	t.position = RandomVec3(random, size);
	t.rotation = drapeQuat_FromAxisAngle(RandomVec3(random, 1.0f), Random_Range(random, -3.0f, 3.0f));
	t.scale = Random_Range(random, 0.5f, 2.0f);
	return t;
}

static drapeColliderDef RandomShape(Random* random)
{
	return (drapeColliderDef){
		.shape = (drapeColliderShape)Random_Below(random, 5),
		.radius = Random_Range(random, 0.05f, 0.6f),
		.halfHeight = Random_Range(random, 0.0f, 0.6f),
		.halfExtents = {Random_Range(random, 0.0f, 0.6f), Random_Range(random, 0.01f, 0.6f),
	                    Random_Range(random, 0.05f, 0.6f)},
		.friction = Random_Range(random, 0.0f, 2.0f),
	};
}

// --- response -------------------------------------------------------------------------------------------------------

static void FallIsStoppedAtTheThicknessWithoutABounce(void** state)
{
	(void)state;
	Cloud* cloud = Cloud_Create(3);
	Cloud_Place(cloud, 0, (Vec3){0.3f, 1.0f, 0}, (Vec3){0, 0, 0});
	Cloud_Place(cloud, 1, (Vec3){0, 0.5f, 0}, (Vec3){0, -100.0f, 0});
	Cloud_Place(cloud, 2, (Vec3){0, 0.5f, 0}, (Vec3){0, 0, 0});
	cloud->mesh.position[2].w = 0.0f; // pinned
	Collider floor = Still(plane, At(0, 0, 0));
	ContactDef def = {.colliders = &floor, .colliderCount = 1, .thickness = 0.01f, .friction = 0.5f};
	for (int i = 0; i < 120; ++i)
		Cloud_Step(cloud, &def, (Vec3){0, -GRAVITY, 0}, 4);
	for (int i = 0; i < 2; ++i)
	{
		assert_float_equal(cloud->mesh.position[i].y, 0.01f, 1e-6f);
		assert_float_equal(V3Length(V4Xyz(cloud->mesh.velocity[i])), 0.0f, 1e-6f);
		assert_true(cloud->mesh.position[i].w == 4.0f && cloud->mesh.velocity[i].w == 0.25f);
	}
	assert_true(cloud->mesh.position[2].y < -1.0f); // what holds a pinned particle is not contact's business
	Cloud_Destroy(cloud);
}

// On an incline of angle a, a block stays when tan a < mu and else slides with g (sin a - mu cos a).
static void CheckIncline(drapeColliderDef shape, float angle, float mu, uint32_t substeps)
{
	Transform tilt = At(2.0f, 1.0f, -1.0f);
	tilt.rotation = drapeQuat_FromAxisAngle((Vec3){0, 0, 1}, -angle); // down towards +x
	Collider incline = Still(shape, tilt);
	incline.def.friction = 2.0f;
	float top = 0.002f + (shape.shape == drape_shapeBox ? shape.halfExtents.y : 0.0f);
	Cloud* cloud = Cloud_Create(1);
	Vec3 start = Transform_Point(tilt, (Vec3){0, top, 0});
	Cloud_Place(cloud, 0, start, (Vec3){0, 0, 0});
	ContactDef def = {.colliders = &incline, .colliderCount = 1, .thickness = 0.002f, .friction = 0.5f * mu};
	uint32_t steps = 60;
	for (uint32_t i = 0; i < steps; ++i)
		Cloud_Step(cloud, &def, (Vec3){0, -GRAVITY, 0}, substeps);
	Vec3 local = Transform_InversePoint(tilt, V4Xyz(cloud->mesh.position[0]));
	float acceleration = fmaxf(GRAVITY * (sinf(angle) - mu * cosf(angle)), 0.0f);
	float time = (float)steps / 60.0f, count = (float)(steps * substeps);
	float way = 0.5f * acceleration * time * time * (1.0f + 1.0f / count); // as symplectic Euler sums it
	assert_float_equal(local.x, way, 1e-5f + 0.01f * way);
	assert_float_equal(V3Length(V4Xyz(cloud->mesh.velocity[0])), acceleration * time, 1e-5f + 0.01f * acceleration);
	assert_float_equal(local.y, top, 1e-5f);
	Cloud_Destroy(cloud);
}

static void FrictionOnAnInclineIsCoulombsAtAnyNumberOfSubsteps(void** state)
{
	(void)state;
	static const float cases[][2] = {{0.4f, 0.5f},  {0.4f, 0.3f}, {0.4f, 0.42f},
	                                 {0.4f, 0.43f}, {0.9f, 0.2f}, {0.2f, 0.0f}};
	static const uint32_t substeps[] = {1, 4, 16, 256};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		for (int k = 0; k < 4; ++k)
		{
			CheckIncline(plane, cases[i][0], cases[i][1], substeps[k]);
			CheckIncline(Box(20, 0.5f, 20), cases[i][0], cases[i][1], substeps[k]);
		}
	}
}

// Turns about y for `seconds`, and returns how far the particle at radius 0.5 went from where the platform takes it.
static float RidePlatform(float speed, float friction, uint32_t substeps, float* radius)
{
	drapeColliderDef disc = {.shape = drape_shapeCylinder, .radius = 5.0f, .halfHeight = 0.1f, .friction = 1.0f};
	Collider platform = Still(disc, At(0, 0, 0));
	ContactDef def = {.colliders = &platform, .colliderCount = 1, .thickness = 0.002f, .friction = friction};
	Cloud* cloud = Cloud_Create(1);
	Cloud_Place(cloud, 0, (Vec3){0.5f, 0.102f, 0}, (Vec3){0, 0, -0.5f * speed});
	float angle = 0.0f;
	for (int i = 0; i < 120; ++i)
	{
		platform.from.rotation = drapeQuat_FromAxisAngle((Vec3){0, 1, 0}, angle);
		angle += speed / 60.0f;
		platform.to.rotation = drapeQuat_FromAxisAngle((Vec3){0, 1, 0}, angle);
		Cloud_Step(cloud, &def, (Vec3){0, -GRAVITY, 0}, substeps);
	}
	Vec3 at = V4Xyz(cloud->mesh.position[0]);
	*radius = sqrtf(at.x * at.x + at.z * at.z);
	float away = V3Length(V3Sub(at, Transform_Point(platform.to, (Vec3){0.5f, 0.102f, 0})));
	Cloud_Destroy(cloud);
	return away;
}

static void RotatingPlatformCarriesWhatFrictionHolds(void** state)
{
	(void)state;
	static const uint32_t substeps[] = {1, 4, 16};
	for (int k = 0; k < 3; ++k)
	{
		float radius;
		assert_true(RidePlatform(1.0f, 0.5f, substeps[k], &radius) < 1e-3f); // w^2 r = 0.5 < mu g
		assert_true(RidePlatform(3.0f, 0.5f, substeps[k], &radius) < 1e-3f); // 4.5 < 4.9
		assert_float_equal(radius, 0.5f, 1e-3f);
		RidePlatform(4.0f, 0.5f, substeps[k], &radius); // 8 > 4.9: it flies off
		assert_true(radius > 1.0f);
		RidePlatform(1.0f, 0.0f, substeps[k], &radius);
		assert_float_equal(radius, sqrtf(0.25f + 1.0f), 0.01f); // straight on
	}
}

static void LiftTakesAParticleAlongAndLetsItGo(void** state)
{
	(void)state;
	Collider lift = Still(Box(1, 0.1f, 1), At(0, 0, 0));
	lift.to.position.y = 0.05f; // 3 m/s
	ContactDef def = {.colliders = &lift, .colliderCount = 1, .thickness = 0.002f, .friction = 0.5f};
	Cloud* cloud = Cloud_Create(1);
	Cloud_Place(cloud, 0, (Vec3){0, 0.102f, 0}, (Vec3){0, 0, 0});
	Cloud_Step(cloud, &def, (Vec3){0, -GRAVITY, 0}, 4);
	assert_float_equal(cloud->mesh.position[0].y, 0.152f, 1e-6f);
	assert_float_equal(cloud->mesh.velocity[0].y, 3.0f, 1e-3f);
	lift.from = lift.to;
	lift.to.position.y = -1.0f;
	Cloud_Step(cloud, &def, (Vec3){0, -GRAVITY, 0}, 4);
	assert_float_equal(cloud->mesh.velocity[0].y, 3.0f - GRAVITY / 60.0f, 1e-3f);
	assert_true(cloud->mesh.position[0].y > 0.18f);
	Cloud_Destroy(cloud);
}

// --- nothing goes through -------------------------------------------------------------------------------------------

static void SphereAtAThousandMetresPerSecondPassesNoParticle(void** state)
{
	(void)state;
	Random random = Random_Seed(80, 0);
	Cloud* cloud = Cloud_Create(500);
	Collider ball = Still(Sphere(0.3f), At(-8.0f, 0, 0));
	ball.to.position.x = 8.0f + 2.0f / 3.0f; // in 1/60 s
	ContactDef def = {.colliders = &ball, .colliderCount = 1, .thickness = 0.002f, .friction = 0.4f};
	static const uint32_t substeps[] = {1, 3, 16};
	for (int k = 0; k < 3; ++k)
	{
		for (uint32_t i = 0; i < 500; ++i)
		{
			float angle = Random_Range(&random, 0.0f, 6.3f), offset = i == 0 ? 0.0f : Random_Range(&random, 0.0f, 0.3f);
			Cloud_Place(cloud, i, (Vec3){0, offset * cosf(angle), offset * sinf(angle)}, (Vec3){0, 0, 0});
		}
		Cloud_Step(cloud, &def, (Vec3){0, 0, 0}, substeps[k]);
		assert_float_equal(cloud->mesh.position[0].x, 8.667f + 0.302f, 0.01f); // hit in the middle: stays in front
		for (uint32_t i = 0; i < 500; ++i)
		{
			Vec3 at = V4Xyz(cloud->mesh.position[i]);
			assert_true(DistanceTo(&ball, at) > 0.00199f);
			assert_true(cloud->mesh.velocity[i].x > 0.0f && at.x > 0.0f); // struck, each of them
		}
	}
	Cloud_Destroy(cloud);
}

static void FastParticlesDoNotPassThinThings(void** state)
{
	(void)state;
	Random random = Random_Seed(81, 0);
	static const float heights[] = {0.0f, 0.001f, 0.02f, 0.3f}, thicknesses[] = {0.0f, 0.002f};
	for (int k = 1; k < 8; ++k) // without height and thickness there would be no side to be on
	{
		Transform tilt = At(0.3f, 0.1f, 0);
		tilt.rotation = drapeQuat_FromAxisAngle(RandomVec3(&random, 1.0f), 0.5f);
		drapeColliderDef disc = {
			.shape = drape_shapeCylinder, .radius = 3.0f, .halfHeight = heights[k % 4], .friction = 1.0f};
		Collider plates[2] = {Still(Box(2, heights[k % 4], 2), tilt), Still(disc, tilt)};
		Cloud* cloud = Cloud_Create(200);
		for (int p = 0; p < 2; ++p)
		{
			float margin = thicknesses[k / 4];
			ContactDef def = {.colliders = &plates[p], .colliderCount = 1, .thickness = margin, .friction = 0.1f};
			for (uint32_t i = 0; i < 200; ++i)
			{
				Vec3 above = RandomVec3(&random, 0.9f), way = {0, -powf(10.0f, Random_Range(&random, -2.0f, 4.0f)), 0};
				above.y = heights[k % 4] + margin + (i % 4 == 0 ? 0.0f : Random_Float(&random));
				Cloud_Place(cloud, i, Transform_Point(tilt, above), Transform_Vector(tilt, way));
			}
			for (int step = 0; step < 20; ++step)
				Cloud_Step(cloud, &def, (Vec3){0, 0, 0}, 1 + step % 3);
			for (uint32_t i = 0; i < 200; ++i)
			{
				Vec3 local = Transform_InversePoint(tilt, V4Xyz(cloud->mesh.position[i]));
				assert_true(local.y >= heights[k % 4] + margin - 2e-6f);
			}
		}
		Cloud_Destroy(cloud);
	}
}

static void ParticlesThatStartOutsideEndOutsideForAnyMotion(void** state)
{
	(void)state;
	Random random = Random_Seed(82, 0);
	Cloud* cloud = Cloud_Create(64);
	uint32_t touches = 0;
	for (int round = 0; round < 1000; ++round)
	{
		Collider collider = Still(RandomShape(&random), RandomTransform(&random, 1.0f));
		collider.to = RandomTransform(&random, 3.0f);
		float thickness = round % 3 ? 0.01f : 0.0f;
		ContactDef def = {.colliders = &collider, .colliderCount = 1, .thickness = thickness, .friction = 0.5f};
		def.toFraction = 1.0f;
		def.dt = 0.01f;
		for (uint32_t i = 0; i < 64; ++i)
		{
			Vec3 local;
			do
				local = RandomVec3(&random, 2.0f);
			while (drapeShape_Closest(&collider.def, local).distance * collider.from.scale < thickness);
			Cloud_Place(cloud, i, Transform_Point(collider.from, local), RandomVec3(&random, 300.0f));
		}
		touches += Cloud_Substep(cloud, &def, (Vec3){0, 0, 0});
		for (uint32_t i = 0; i < 64; ++i)
			assert_true(DistanceTo(&collider, V4Xyz(cloud->mesh.position[i])) > thickness - 2e-5f);
	}
	assert_true(touches > 2000);
	Cloud_Destroy(cloud);
}

// --- several colliders ----------------------------------------------------------------------------------------------

static void CornerOfFloorAndBoxHoldsAParticle(void** state)
{
	(void)state;
	Collider corner[2] = {Still(plane, At(0, 0, 0)), Still(Box(1, 1, 1), At(1, 0.5f, 0))};
	for (int order = 0; order < 2; ++order)
	{
		Collider colliders[2] = {corner[order], corner[1 - order]};
		ContactDef def = {.colliders = colliders, .colliderCount = 2, .thickness = 0.005f, .friction = 0.3f};
		Cloud* cloud = Cloud_Create(1);
		Cloud_Place(cloud, 0, (Vec3){-0.5f, 0.4f, 0}, (Vec3){10, -5, 0});
		for (int i = 0; i < 60; ++i)
		{
			Cloud_Step(cloud, &def, (Vec3){20, -GRAVITY, 0}, 2);
			assert_true(DistanceTo(&corner[0], V4Xyz(cloud->mesh.position[0])) > 0.0049f);
			assert_true(DistanceTo(&corner[1], V4Xyz(cloud->mesh.position[0])) > 0.0049f);
		}
		assert_float_equal(cloud->mesh.position[0].x, -0.005f, 1e-5f);
		assert_float_equal(cloud->mesh.position[0].y, 0.005f, 1e-5f);
		assert_float_equal(V3Length(V4Xyz(cloud->mesh.velocity[0])), 0.0f, 1e-4f);
		Cloud_Destroy(cloud);
	}
}

static void WedgeUnderABallLetsNothingInside(void** state)
{
	(void)state;
	Random random = Random_Seed(83, 0);
	Collider pair[2] = {Still(plane, At(0, 0, 0)), Still(Sphere(0.5f), At(0, 0.5f, 0))};
	for (int order = 0; order < 2; ++order)
	{
		Collider colliders[2] = {pair[order], pair[1 - order]};
		ContactDef def = {.colliders = colliders, .colliderCount = 2, .thickness = 0.01f, .friction = 0.3f};
		Cloud* cloud = Cloud_Create(300);
		for (uint32_t i = 0; i < 300; ++i)
		{
			float angle = Random_Range(&random, 0.0f, 6.3f), speed = -Random_Range(&random, 1.0f, 50.0f);
			Vec3 out = {cosf(angle), 0, sinf(angle)};
			Cloud_Place(cloud, i, (Vec3){0.8f * out.x, 0.05f, 0.8f * out.z}, V3Scale(speed, out)); // into the wedge
		}
		for (int i = 0; i < 30; ++i)
		{
			Cloud_Step(cloud, &def, (Vec3){0, -GRAVITY, 0}, 2);
			for (uint32_t k = 0; k < 300; ++k)
			{
				assert_true(DistanceTo(&pair[0], V4Xyz(cloud->mesh.position[k])) > 0.0099f);
				assert_true(DistanceTo(&pair[1], V4Xyz(cloud->mesh.position[k])) > 0.0099f);
			}
		}
		Cloud_Destroy(cloud);
	}
}

static void PushOutTakesTheShortestWay(void** state)
{
	(void)state;
	Random random = Random_Seed(84, 0);
	int pushed = 0;
	for (int i = 0; i < 5000; ++i)
	{
		Collider collider = Still(RandomShape(&random), RandomTransform(&random, 1.0f));
		ContactDef def = {.colliders = &collider, .colliderCount = 1, .thickness = 0.01f, .toFraction = 1.0f};
		Vec3 before = RandomVec3(&random, 1.5f), after = before;
		float depth = 0.01f - DistanceTo(&collider, before);
		bool moved = drapeContact_PushOut(&def, &after);
		pushed += moved;
		if (fabsf(depth) > 1e-5f)
			assert_int_equal(moved, depth > 0.0f);
		if (!moved)
			assert_memory_equal(&before, &after, sizeof before);
		if (moved)
			assert_float_equal(V3Length(V3Sub(after, before)), depth, 2e-5f);
		assert_true(DistanceTo(&collider, after) > 0.01f - 1e-5f);
	}
	assert_true(pushed > 500);
}

static void PushOutOfACornerLeavesBoth(void** state)
{
	(void)state;
	Random random = Random_Seed(85, 0);
	Collider colliders[3] = {Still(plane, At(0, 0, 0)), Still(Box(1, 1, 1), At(1, 0.5f, 0)),
	                         Still(Sphere(0.3f), At(-1, 0.3f, 0))};
	ContactDef def = {.colliders = colliders, .colliderCount = 3, .thickness = 0.01f, .toFraction = 1.0f};
	for (int i = 0; i < 2000; ++i)
	{
		Vec3 p = {Random_Range(&random, -0.1f, 0.2f), Random_Range(&random, -0.3f, 0.1f), 0};
		if (i % 2)
			p = (Vec3){Random_Range(&random, -1.3f, -0.7f), Random_Range(&random, -0.05f, 0.2f), 0.1f};
		drapeContact_PushOut(&def, &p);
		for (int k = 0; k < 3; ++k)
			assert_true(DistanceTo(&colliders[k], p) > 0.01f - 1e-5f);
	}
}

// --- the rest -------------------------------------------------------------------------------------------------------

static void DegenerateInputStaysFinite(void** state)
{
	(void)state;
	static const float numbers[] = {0.0f, -0.0f, 1e-40f, 1e-20f, 0.5f, -1.0f, 1e10f, 1e14f, 1e25f, -3e38f};
	static const float thicknesses[] = {0.0f, 1e-3f, 10.0f};
	Random random = Random_Seed(86, 0);
	Cloud* cloud = Cloud_Create(64);
	for (int round = 0; round < 3000; ++round)
	{
		Collider colliders[2];
		for (int k = 0; k < 2; ++k)
		{
			colliders[k] = Still(RandomShape(&random), At(0, 0, 0));
			if (round % 4 == 0)
				colliders[k].def.halfExtents = (Vec3){0, 0, 0};
			if (round % 3 == 0)
				colliders[k].to = RandomTransform(&random, 1.0f);
		}
		ContactDef def = {.colliders = colliders,
		                  .colliderCount = 2,
		                  .thickness = thicknesses[Random_Below(&random, 3)],
		                  .friction = round % 2 ? 1e10f : 0.0f,
		                  .toFraction = 1.0f,
		                  .dt = round % 5 ? 0.01f : 1e-12f};
		for (uint32_t i = 0; i < 64; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				(&cloud->mesh.position[i].x)[k] = numbers[Random_Below(&random, 10)];
				(&cloud->previous[i].x)[k] = numbers[Random_Below(&random, 10)];
				(&cloud->mesh.velocity[i].x)[k] = numbers[Random_Below(&random, 10)];
			}
			if (i % 4 == 0)
				cloud->previous[i] = cloud->mesh.position[i];
		}
		drapeContact_Resolve(&def, &cloud->mesh, cloud->previous, NULL, 0, 64);
		for (uint32_t i = 0; i < 64; ++i)
		{
			assert_true(V3IsFinite(V4Xyz(cloud->mesh.position[i])));
			assert_true(V3IsFinite(V4Xyz(cloud->mesh.velocity[i])));
			Vec3 p = {numbers[i % 10], numbers[i / 10], numbers[round % 10]};
			drapeContact_PushOut(&def, &p);
			assert_true(V3IsFinite(p));
		}
	}
	Cloud_Destroy(cloud);
}

static void FillRandomScene(Cloud* cloud, Collider* colliders, uint32_t count)
{
	Random random = Random_Seed(87, 0);
	for (uint32_t k = 0; k < count; ++k)
	{
		colliders[k] = Still(RandomShape(&random), RandomTransform(&random, 2.0f));
		if (colliders[k].def.shape == drape_shapePlane)
			colliders[k].def.shape = drape_shapeBox;
		colliders[k].to.position = V3Add(colliders[k].to.position, RandomVec3(&random, 0.1f));
	}
	for (uint32_t i = 0; i < cloud->mesh.particleCount; ++i)
	{
		Cloud_Place(cloud, i, RandomVec3(&random, 2.0f), RandomVec3(&random, 5.0f));
		cloud->mesh.position[i].w = i % 7 ? 4.0f : 0.0f;
		Vec3 previous = V3Sub(V4Xyz(cloud->mesh.position[i]), V3Scale(0.01f, V4Xyz(cloud->mesh.velocity[i])));
		cloud->previous[i] = With(previous, 0.0f);
	}
}

static void AnyChunksGiveTheSameBits(void** state)
{
	(void)state;
	static const uint32_t colliderCounts[] = {12, 40};
	static const uint32_t grains[] = {64, 128, 448};
	uint32_t particles = 999;
	for (int c = 0; c < 2; ++c)
	{
		Collider colliders[40];
		ContactDef def = {.colliders = colliders,
		                  .colliderCount = colliderCounts[c],
		                  .thickness = 0.02f,
		                  .friction = 0.5f,
		                  .toFraction = 0.5f,
		                  .dt = 0.01f};
		Cloud *whole = Cloud_Create(particles), *cut = Cloud_Create(particles);
		BitSet wholeBits = {0}, cutBits = {0};
		assert_true(BitSet_Reserve(&wholeBits, particles) && BitSet_Reserve(&cutBits, particles));
		memset(wholeBits.words, 0xff, wholeBits.capacity / 8); // old contacts are forgotten
		FillRandomScene(whole, colliders, colliderCounts[c]);
		uint32_t touching = drapeContact_Resolve(&def, &whole->mesh, whole->previous, &wholeBits, 0, particles);
		assert_in_range(touching, 20, particles - 20);
		assert_int_equal(BitSet_CountSet(&wholeBits, particles), touching);
		for (int g = 0; g < 3; ++g)
		{
			uint32_t sum = 0;
			FillRandomScene(cut, colliders, colliderCounts[c]);
			for (uint32_t start = 0; start < particles; start += grains[g])
				sum += drapeContact_Resolve(&def, &cut->mesh, cut->previous, &cutBits, start,
				                            MinU32(start + grains[g], particles));
			assert_int_equal(sum, touching);
			assert_memory_equal(cut->mesh.position, whole->mesh.position, particles * sizeof(Vec4));
			assert_memory_equal(cut->mesh.velocity, whole->mesh.velocity, particles * sizeof(Vec4));
			assert_memory_equal(cutBits.words, wholeBits.words, 8 * BitSet_WordCount(particles));
		}
		// Any start will do when no bits are asked for.
		FillRandomScene(cut, colliders, colliderCounts[c]);
		drapeContact_Resolve(&def, &cut->mesh, cut->previous, NULL, 0, 13);
		drapeContact_Resolve(&def, &cut->mesh, cut->previous, NULL, 13, particles);
		assert_memory_equal(cut->mesh.position, whole->mesh.position, particles * sizeof(Vec4));
		BitSet_Free(&wholeBits);
		BitSet_Free(&cutBits);
		Cloud_Destroy(whole);
		Cloud_Destroy(cut);
	}
}

static void FarAndPinnedParticlesKeepTheirBits(void** state)
{
	(void)state;
	Cloud *cloud = Cloud_Create(800), *before = Cloud_Create(800);
	Collider colliders[5];
	ContactDef def = {.colliders = colliders, .colliderCount = 5, .thickness = 0.02f, .toFraction = 1.0f, .dt = 0.01f};
	BitSet bits = {0};
	assert_true(BitSet_Reserve(&bits, 800));
	FillRandomScene(cloud, colliders, 5);
	FillRandomScene(before, colliders, 5);
	drapeContact_Resolve(&def, &cloud->mesh, cloud->previous, &bits, 0, 800);
	for (uint32_t i = 0; i < 800; ++i)
	{
		if (BitSet_Get(&bits, i))
		{
			assert_true(cloud->mesh.position[i].w != 0.0f);
			continue;
		}
		assert_memory_equal(&cloud->mesh.position[i], &before->mesh.position[i], sizeof(Vec4));
		assert_memory_equal(&cloud->mesh.velocity[i], &before->mesh.velocity[i], sizeof(Vec4));
	}
	BitSet_Free(&bits);
	Cloud_Destroy(cloud);
	Cloud_Destroy(before);
}

static void ContainsIsInsideAtThatFraction(void** state)
{
	(void)state;
	Random random = Random_Seed(88, 0);
	int inside = 0;
	for (int i = 0; i < 5000; ++i)
	{
		Collider colliders[2];
		for (int k = 0; k < 2; ++k)
		{
			colliders[k] = Still(RandomShape(&random), RandomTransform(&random, 1.0f));
			colliders[k].to = RandomTransform(&random, 1.0f);
		}
		Vec3 p = RandomVec3(&random, 1.5f);
		float fraction = Random_Float(&random), nearest = INFINITY;
		for (int k = 0; k < 2; ++k)
		{
			Vec3 local = Transform_InversePoint(drapeCollider_At(&colliders[k], fraction), p);
			nearest = fminf(nearest, drapeShape_Closest(&colliders[k].def, local).distance);
		}
		const ContactDef def = {.colliders = colliders, .colliderCount = 2, .toFraction = fraction};
		assert_int_equal(drapeContact_Contains(&def, p), nearest < 0.0f);
		inside += nearest < 0.0f;
	}
	assert_true(inside > 500);
	assert_false(drapeContact_Contains(&(ContactDef){0}, (Vec3){0, 0, 0}));
}

static void NoCollidersTouchNothing(void** state)
{
	(void)state;
	Cloud* cloud = Cloud_Create(9);
	ContactDef def = {.dt = 0.01f};
	BitSet bits = {0};
	assert_true(BitSet_Reserve(&bits, 9));
	bits.words[0] = 5;
	assert_int_equal(drapeContact_Resolve(&def, &cloud->mesh, cloud->previous, &bits, 0, 9), 0);
	assert_true(bits.words[0] == 0);
	BitSet_Free(&bits);
	Cloud_Destroy(cloud);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(FallIsStoppedAtTheThicknessWithoutABounce),
		cmocka_unit_test(FrictionOnAnInclineIsCoulombsAtAnyNumberOfSubsteps),
		cmocka_unit_test(RotatingPlatformCarriesWhatFrictionHolds),
		cmocka_unit_test(LiftTakesAParticleAlongAndLetsItGo),
		cmocka_unit_test(SphereAtAThousandMetresPerSecondPassesNoParticle),
		cmocka_unit_test(FastParticlesDoNotPassThinThings),
		cmocka_unit_test(ParticlesThatStartOutsideEndOutsideForAnyMotion),
		cmocka_unit_test(CornerOfFloorAndBoxHoldsAParticle),
		cmocka_unit_test(WedgeUnderABallLetsNothingInside),
		cmocka_unit_test(PushOutTakesTheShortestWay),
		cmocka_unit_test(PushOutOfACornerLeavesBoth),
		cmocka_unit_test(DegenerateInputStaysFinite),
		cmocka_unit_test(AnyChunksGiveTheSameBits),
		cmocka_unit_test(FarAndPinnedParticlesKeepTheirBits),
		cmocka_unit_test(ContainsIsInsideAtThatFraction),
		cmocka_unit_test(NoCollidersTouchNothing),
	};
	return cmocka_run_group_tests_name("collide", tests, NULL, NULL);
}
