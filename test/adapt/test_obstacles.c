// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "support.h"

#include "adapt/criteria/obstacles.h"
#include "base/random.h"
#include "contact/contact.h"

// What is remembered of obstacles: two meshes that go into each other, a sphere and a plane below.

static TaskPool* tasks;

typedef struct Scene
{
	MeshShape shapes[2];
	MeshCollider meshes[2];
	Collider colliders[2];
	ContactDef def;
	uint32_t asks, measures;
} Scene;

static void Create(Scene* scene)
{
	*scene = (Scene){0};
	for (uint32_t i = 0; i < 2; ++i)
	{
		drapeMesh mesh = TestMesh_Sphere(3, 1.0f - 0.2f * (float)i);
		MeshShapeReport report;
		Vec3* moved = TestMesh_Positions(&mesh);
		for (uint32_t k = 0; k < mesh.vertexCount; ++k)
			moved[k].x += 0.9f * (float)i;
		assert_int_equal(drapeMeshShape_Create(&scene->shapes[i], mesh.positions, mesh.vertexCount, mesh.triangles,
		                                       mesh.triangleCount, tasks, &report),
		                 drape_ok);
		assert_true(report.closed);
		TestMesh_Free(&mesh);
		scene->meshes[i] = (MeshCollider){
			.shape = &scene->shapes[i], .from = drapeIdentityTransform(), .to = drapeIdentityTransform()};
		scene->colliders[i].def = drapeDefaultColliderDef();
		scene->colliders[i].def.shape = i == 0 ? drape_shapeSphere : drape_shapePlane;
		scene->colliders[i].def.radius = 0.5f;
		scene->colliders[i].from = drapeIdentityTransform();
		scene->colliders[i].from.position = i == 0 ? (Vec3){-1.5f, 0.0f, 0.0f} : (Vec3){0.0f, -1.1f, 0.0f};
		scene->colliders[i].from.scale = i == 0 ? 1.5f : 1.0f;
		scene->colliders[i].to = scene->colliders[i].from;
	}
	scene->def =
		(ContactDef){.colliders = scene->colliders, .colliderCount = 2, .meshes = scene->meshes, .meshCount = 2};
}

static void Destroy(Scene* scene)
{
	for (uint32_t i = 0; i < 2; ++i)
		drapeMeshShape_Destroy(&scene->shapes[i]);
}

static Vec3 RandomPoint(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

static void AllAroundAPointHasItsAnswer(void** state)
{
	(void)state;
	Scene scene;
	Create(&scene);
	Random random = Random_Seed(11, 0);
	uint32_t inside = 0, known = 0;
	for (int i = 0; i < 2000; ++i)
	{
		Vec3 point = RandomPoint(&random, 2.0f);
		const float reach = i % 2 ? 0.1f : 3.0f;
		float clearance;
		bool isInside = drapeContact_ContainsAround(&scene.def, point, reach, &clearance);
		assert_int_equal(drapeContact_Contains(&scene.def, point), isInside);
		assert_true(clearance >= 0.0f && clearance <= reach);
		inside += isInside;
		known += clearance > 0.05f;
		for (int k = 0; k < 20; ++k)
		{
			Vec3 way = RandomPoint(&random, 1.0f);
			Vec3 other = V3Add(point, V3Scale(0.999f * clearance / V3Length(way), way));
			assert_int_equal(drapeContact_Contains(&scene.def, other), isInside);
		}
	}
	assert_true(inside > 500 && inside < 1500 && known > 1000);
	Destroy(&scene);
}

static bool Ask(Vec3 point, float reach, float* clearance, void* context)
{
	Scene* scene = context;
	scene->asks++;
	scene->measures += clearance != NULL;
	return clearance ? drapeContact_ContainsAround(&scene->def, point, reach, clearance)
	                 : drapeContact_Contains(&scene->def, point);
}

enum
{
	walkers = 64,
	passes = 200,
};

// Points that wander about at random, so far in each pass. Returns how often obstacles were asked.
static uint32_t Wander(Scene* scene, float way, uint64_t seed)
{
	Obstacles obstacles = {.ask = Ask, .context = scene, .revision = 1};
	ActiveMesh mesh = {.edgeCount = walkers};
	Random random = Random_Seed(seed, 0);
	Vec3 point[walkers];
	for (int i = 0; i < walkers; ++i)
		point[i] = RandomPoint(&random, 1.5f);
	scene->asks = scene->measures = 0;
	for (int pass = 0; pass < passes; ++pass)
	{
		assert_true(drapeObstacles_Follow(&obstacles, &mesh));
		for (int i = 0; i < walkers; ++i)
		{
			// As when adaptation gives the number of an edge to another one.
			int k = Random_Below(&random, 100) == 0 ? (int)Random_Below(&random, walkers) : i;
			bool expected = drapeContact_Contains(&scene->def, point[k]);
			assert_int_equal(drapeObstacles_Contain(&obstacles, &obstacles.edges.data[i], point[k], 0.1f), expected);
			point[i] = V3Add(point[i], RandomPoint(&random, way));
		}
	}
	drapeObstacles_Destroy(&obstacles);
	drapeActiveMesh_Destroy(&mesh);
	return scene->asks;
}

static void ARememberedAnswerIsTheOneThatIsTrue(void** state)
{
	(void)state;
	Scene scene;
	Create(&scene);
	assert_true(Wander(&scene, 0.002f, 1) < walkers * passes / 5);
	assert_true(Wander(&scene, 0.01f, 2) < walkers * passes / 2);
	// What goes far does not have its surroundings measured as well.
	Wander(&scene, 0.5f, 3);
	assert_true(scene.measures < walkers * passes / 50);
	Destroy(&scene);
}

static void OtherObstaclesAreAskedAnew(void** state)
{
	(void)state;
	Scene scene;
	Create(&scene);
	Obstacles obstacles = {.ask = Ask, .context = &scene, .revision = 1};
	ActiveMesh mesh = {.edgeCount = 1};
	const Vec3 point = {-1.5f, 0.0f, 0.0f};
	for (int i = 0; i < 4; ++i)
	{
		assert_true(drapeObstacles_Follow(&obstacles, &mesh));
		assert_true(drapeObstacles_Contain(&obstacles, &obstacles.edges.data[0], point, 0.1f));
	}
	assert_int_equal(scene.asks, 2);
	scene.def.colliderCount = 0;
	obstacles.revision++;
	assert_true(drapeObstacles_Follow(&obstacles, &mesh));
	assert_false(drapeObstacles_Contain(&obstacles, &obstacles.edges.data[0], point, 0.1f));
	assert_int_equal(scene.asks, 3);
	drapeObstacles_Destroy(&obstacles);
	drapeActiveMesh_Destroy(&mesh);
	Destroy(&scene);
}

// The balls of particles are a column, so they follow adaptation.
static void ABallStaysWithItsParticle(void** state)
{
	(void)state;
	Obstacles obstacles = {.ask = Ask, .revision = 1};
	ActiveMesh mesh = {0};
	assert_true(drapeActiveMesh_ReserveParticles(&mesh, 4));
	for (uint32_t i = 0; i < 3; ++i)
		drapeActiveMesh_AddParticle(&mesh, (Vec3){(float)i, 0.0f, 0.0f}, i);
	assert_true(drapeObstacles_Follow(&obstacles, &mesh));
	for (uint32_t i = 0; i < 3; ++i)
	{
		assert_true(obstacles.particles[i].w == 0.0f);
		obstacles.particles[i].w = 1.0f + (float)i;
	}
	uint32_t middle = drapeActiveMesh_AddMiddle(&mesh, 0, 1, 1, 3);
	drapeActiveMesh_MoveParticle(&mesh, 1, 2);
	assert_true(drapeObstacles_Follow(&obstacles, &mesh));
	assert_true(obstacles.particles[0].w == 1.0f && obstacles.particles[1].w == 3.0f);
	assert_true(obstacles.particles[middle].w == 0.0f);
	obstacles.revision++;
	assert_true(drapeObstacles_Follow(&obstacles, &mesh));
	assert_true(obstacles.particles[0].w == 0.0f && obstacles.particles[1].w == 0.0f);
	drapeObstacles_Destroy(&obstacles);
	drapeActiveMesh_Destroy(&mesh);
}

static void WithoutMemoryNothingIsRemembered(void** state)
{
	(void)state;
	for (size_t i = 1; i <= 2; ++i)
	{
		Obstacles obstacles = {.ask = Ask, .revision = 1};
		ActiveMesh mesh = {.edgeCount = 10};
		Test_FailAllocation(i, false);
		assert_false(drapeObstacles_Follow(&obstacles, &mesh));
		assert_true(drapeObstacles_Follow(&obstacles, &mesh));
		assert_int_equal(obstacles.edges.count, 10);
		drapeObstacles_Destroy(&obstacles);
		drapeActiveMesh_Destroy(&mesh);
		Test_FailAllocation(0, false);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AllAroundAPointHasItsAnswer),      cmocka_unit_test(ARememberedAnswerIsTheOneThatIsTrue),
		cmocka_unit_test(OtherObstaclesAreAskedAnew),       cmocka_unit_test(ABallStaysWithItsParticle),
		cmocka_unit_test(WithoutMemoryNothingIsRemembered),
	};
	tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	drapeTaskPool_Destroy(tasks);
	return failed;
}
