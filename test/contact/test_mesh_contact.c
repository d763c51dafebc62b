// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "support.h"

#include "base/random.h"
#include "contact/contact.h"

// Single particles against meshes: as against the shapes that the meshes are made after.

#define GRAVITY 9.81f

static TaskPool* tasks;

typedef struct Body
{
	drapeMesh mesh;
	MeshShape shape;
	MeshCollider collider;
} Body;

static const Vec3 boxCorners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t boxTriangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static drapeMesh Box(void)
{
	return TestMesh_FromArrays(boxCorners, 8, boxTriangles, 12);
}

static void Create(Body* body, drapeMesh mesh)
{
	MeshShapeReport report;
	*body = (Body){.mesh = mesh};
	assert_int_equal(drapeMeshShape_Create(&body->shape, mesh.positions, mesh.vertexCount, mesh.triangles,
	                                       mesh.triangleCount, tasks, &report),
	                 drape_ok);
	body->collider = (MeshCollider){
		.shape = &body->shape, .from = drapeIdentityTransform(), .to = drapeIdentityTransform(), .friction = 1.0f};
}

static void Destroy(Body* body)
{
	drapeMeshShape_Destroy(&body->shape);
	TestMesh_Free(&body->mesh);
}

// A step that takes the mesh from one placement to another.
static void Move(Body* body, Transform to)
{
	body->collider.from = body->collider.to;
	body->collider.to = to;
	Vec3 placed[128];
	float reach = 0.0f;
	assert_true(body->mesh.vertexCount <= 128);
	for (uint32_t i = 0; i < body->mesh.vertexCount; ++i)
	{
		placed[i] = drapeTransform_Point(to, body->mesh.positions[i]);
		reach = fmaxf(reach, V3Length(V3Sub(placed[i], V4Xyz(body->shape.to[i]))));
	}
	assert_int_equal(drapeMeshShape_Move(&body->shape, placed, tasks), drape_ok);
	body->collider.moves = true;
	body->collider.maxDisplacement = reach;
}

static const float dt = 1.0f / 240.0f;

static ContactDef Def(float friction)
{
	return (ContactDef){.thickness = 1e-3f, .friction = friction, .fromFraction = 0.0f, .toFraction = 1.0f, .dt = dt};
}

// Falls for a step and meets the mesh; true when it touches.
static bool Step(const Body* body, const ContactDef* def, Vec3 gravity, Vec4* x, Vec4* v)
{
	Vec3 previous = V4Xyz(*x), speed = V3Add(V4Xyz(*v), V3Scale(dt, gravity));
	Vec3 end = V3Add(previous, V3Scale(dt, speed));
	*x = (Vec4){end.x, end.y, end.z, 1.0f};
	*v = (Vec4){speed.x, speed.y, speed.z, 1.0f};
	return drapeMeshCollider_Resolve(&body->collider, def, previous, &(MeshNearCache){0}, x, v);
}

static void ParticleComesToRestOnABox(void** state)
{
	(void)state;
	Body body;
	Create(&body, Box());
	ContactDef def = Def(0.5f);
	Vec4 x = {0.2f, 1.1f, 0.3f, 1.0f}, v = {0.5f, 0, 0, 1.0f};
	for (int i = 0; i < 400; ++i)
	{
		Step(&body, &def, (Vec3){0, -GRAVITY, 0}, &x, &v);
		assert_true(x.y >= 1.0f + 0.99e-3f);
	}
	assert_float_equal(x.y, 1.001f, 1e-5f);
	assert_true(V3Length(V4Xyz(v)) < 1e-6f);
	Destroy(&body);
}

static void ParticleSlidesAsCoulombSays(void** state)
{
	(void)state;
	Body body;
	Create(&body, Box());
	// Gravity is turned in place of the box: slope 0.6, coefficients 0.5 and 0.7.
	float angle = atanf(0.6f);
	Vec3 gravity = {GRAVITY * sinf(angle), -GRAVITY * cosf(angle), 0};
	for (int i = 0; i < 2; ++i)
	{
		ContactDef def = Def(i ? 0.7f : 0.5f);
		Vec4 x = {-0.9f, 1.001f, 0.1f, 1.0f}, v = {0, 0, 0, 1.0f};
		for (int k = 0; k < 120; ++k)
			Step(&body, &def, gravity, &x, &v);
		float expected = i ? 0.0f : 0.5f * (gravity.x + 0.5f * gravity.y) * 0.25f;
		assert_float_equal(x.x + 0.9f, expected, 0.02f * expected + 1e-4f);
	}
	Destroy(&body);
}

static void MovingAndTurningMeshCarriesParticles(void** state)
{
	(void)state;
	Body body;
	Create(&body, Box());
	ContactDef def = Def(1.0f);
	Vec4 x = {0.5f, 1.001f, 0, 1.0f}, v = {0, 0, 0, 1.0f};
	Transform at = drapeIdentityTransform();
	for (int k = 0; k < 240; ++k)
	{
		float t = (float)(k + 1) * dt;
		at.position.x = 0.3f * t * t;
		at.rotation = drapeQuat_FromAxisAngle((drapeVec3){0, 1, 0}, 0.5f * t * t);
		Move(&body, at);
		Step(&body, &def, (Vec3){0, -GRAVITY, 0}, &x, &v);
	}
	Vec3 own = drapeTransform_InversePoint(at, V4Xyz(x));
	assert_float_equal(own.x, 0.5f, 5e-3f);
	assert_float_equal(own.z, 0.0f, 5e-3f);
	assert_float_equal(own.y, 1.001f, 1e-4f);
	Destroy(&body);
}

static void FastParticlesDoNotTunnel(void** state)
{
	(void)state;
	Random random = Random_Seed(4, 4);
	for (int isOpen = 0; isOpen < 2; ++isOpen)
	{
		Body body;
		Create(&body, isOpen ? TestMesh_Grid(3, 3, 2.0f, 2.0f, 0.0f, 1) : Box());
		ContactDef def = Def(0.3f);
		for (int run = 0; run < 300; ++run)
		{
			// Straight at a face, from either side of the sheet.
			float side = isOpen && run % 2 ? -1.0f : 1.0f, speed = Random_Range(&random, 1.0f, 5000.0f);
			Vec3 from = {Random_Range(&random, 0.1f, 0.9f), Random_Range(&random, 0.1f, 0.9f), side * 1.5f};
			Vec4 x = {from.x, from.y, from.z, 1.0f}, v = {0, 0, -side * speed, 1.0f};
			for (int k = 0; k < 5; ++k)
				Step(&body, &def, (Vec3){0, 0, 0}, &x, &v);
			float surface = isOpen ? 0.0f : 1.0f;
			assert_true(side * x.z > surface + 0.4e-3f || side * x.z > 1.5f - 0.03f * speed);
			assert_true(side * x.z > surface);
		}
		Destroy(&body);
	}
}

static void ParticlesInsideArePushedOut(void** state)
{
	(void)state;
	Random random = Random_Seed(6, 6);
	Body body;
	Create(&body, Box());
	ContactDef def = Def(0.0f);
	for (int run = 0; run < 200; ++run)
	{
		Vec3 p = {Random_Range(&random, -0.99f, 0.99f), Random_Range(&random, -0.99f, 0.99f),
		          Random_Range(&random, -0.99f, 0.99f)};
		assert_true(drapeMeshCollider_Contains(&body.collider, 1.0f, p));
		float depth = 1.0f - fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z)));
		Vec3 out = p;
		assert_true(drapeMeshCollider_PushOut(&body.collider, &def, &out));
		assert_false(drapeMeshCollider_Contains(&body.collider, 1.0f, out));
		assert_float_equal(V3Length(V3Sub(out, p)), depth + 1e-3f, 1e-5f);
	}
	assert_false(drapeMeshCollider_Contains(&body.collider, 1.0f, (Vec3){1.01f, 0, 0}));
	Destroy(&body);
}

// Particles tumble about on a box. Every substep is also made by one that remembers nothing: with distances alone both
// agree to the bit, with planes as well to the part of the thickness for which ground counts as flat.
static void StoredAnswersEqualComputedOnes(void** state)
{
	(void)state;
	Body body;
	Create(&body, Box());
	Random random = Random_Seed(7, 3);
	uint32_t touched = 0;
	for (int run = 0; run < 200; ++run)
	{
		MeshNearCache near = {0};
		ContactDef plain = Def(0.5f), remembering = plain;
		remembering.near = &near;
		remembering.meshesRest = true;
		bool hasPlanes = run % 2 == 1;
		Vec4 x = {Random_Range(&random, -1.2f, 1.2f), 1.02f, Random_Range(&random, -1.2f, 1.2f), 1.0f};
		Vec4 v = {Random_Range(&random, -1.0f, 1.0f), 0.0f, Random_Range(&random, -1.0f, 1.0f), 1.0f};
		for (int i = 0; i < 240; ++i)
		{
			Vec3 previous = V4Xyz(x), speed = V3Add(V4Xyz(v), (Vec3){0.0f, -GRAVITY * dt, 0.0f});
			Vec3 end = V3Add(previous, V3Scale(dt, speed));
			x = (Vec4){end.x, end.y, end.z, 1.0f};
			v = (Vec4){speed.x, speed.y, speed.z, 1.0f};
			Vec4 otherX = x, otherV = v;
			bool touches = drapeMeshCollider_Resolve(&body.collider, &remembering, previous, &near, &x, &v);
			drapeMeshCollider_Resolve(&body.collider, &plain, previous, &(MeshNearCache){0}, &otherX, &otherV);
			touched += touches;
			if (hasPlanes)
				assert_true(V3Length(V3Sub(V4Xyz(x), V4Xyz(otherX))) < 0.3f * plain.thickness);
			else
				assert_memory_equal(&x, &otherX, sizeof x);
			if (!hasPlanes)
				near.normal = (Vec3){0.0f, 0.0f, 0.0f};
		}
	}
	assert_true(touched > 1000);
	Destroy(&body);
}

// Particles that are moved by hand, to and fro through the surface, with a memory of where they were.
static void ParticlesPutInsideGetOutAsWithoutClearances(void** state)
{
	(void)state;
	Body body;
	Create(&body, TestMesh_Sphere(5, 1.0f));
	ContactDef plain = Def(0.5f), remembering = plain;
	MeshNearCache near = {0};
	remembering.near = &near;
	remembering.meshesRest = true;
	Random random = Random_Seed(4, 2);
	uint32_t pushed = 0;
	for (int run = 0; run < 200; ++run)
	{
		Vec3 way = {Random_Range(&random, -1.0f, 1.0f), Random_Range(&random, -1.0f, 1.0f), 1.0f};
		way = V3Scale(1.0f / V3Length(way), way);
		near = (MeshNearCache){0};
		for (int i = 0; i < 50; ++i)
		{
			float height = Random_Range(&random, -2.5f, 3.0f) * plain.thickness;
			Vec3 at = V3Scale(0.9995f + height, way); // the mesh is a little smaller than the sphere
			at.x += Random_Range(&random, -1.0f, 1.0f) * plain.thickness;
			// Deeper than the thickness, nothing leads out.
			MeshPoint closest;
			if (!drapeMeshShape_Closest(&body.shape, at, 1.0f, &closest) || closest.distance < -0.9f * plain.thickness)
				continue;
			Vec4 x = {at.x, at.y, at.z, 1.0f}, v = {0, 0, 0, 1.0f}, otherX = x, otherV = v;
			near.normal = (Vec3){0.0f, 0.0f, 0.0f};
			bool touches = drapeMeshCollider_Resolve(&body.collider, &remembering, at, &near, &x, &v);
			MeshNearCache empty = {0};
			bool alsoTouches = drapeMeshCollider_Resolve(&body.collider, &plain, at, &empty, &otherX, &otherV);
			assert_int_equal(alsoTouches, touches);
			// Without a memory another surface is looked for again.
			assert_true(V3Length(V3Sub(V4Xyz(x), V4Xyz(otherX))) < 0.05f * plain.thickness);
			assert_false(drapeMeshShape_Contains(&body.shape, V4Xyz(x)));
			pushed += touches;
		}
	}
	assert_true(pushed > 2000 && pushed < 8000);
	Destroy(&body);
}

// One step of a mesh that turns, and swells and bends as well if it deforms.
static void Deform(Body* body, bool deforms, int step)
{
	Vec3 placed[1024];
	float reach = 0.0f, angle = 0.02f * (float)step;
	Transform to = {.position = {0.01f * (float)step, 0.0f, 0.0f},
	                .rotation = {0.0f, sinf(0.5f * angle), 0.0f, cosf(0.5f * angle)},
	                .scale = 1.0f};
	assert_true(body->mesh.vertexCount <= 1024);
	for (uint32_t i = 0; i < body->mesh.vertexCount; ++i)
	{
		Vec3 p = body->mesh.positions[i];
		if (deforms)
			p = (Vec3){p.x, p.y * (1.0f + 0.1f * sinf((float)step)), p.z + 0.2f * sinf(0.7f * (float)step) * p.y * p.y};
		placed[i] = Transform_Point(to, p);
		reach = fmaxf(reach, V3Length(V3Sub(placed[i], V4Xyz(body->shape.to[i]))));
	}
	assert_int_equal(drapeMeshShape_Move(&body->shape, placed, tasks), drape_ok);
	body->collider.from = body->collider.to;
	body->collider.to = to;
	body->collider.moves = true;
	body->collider.deforms = deforms;
	body->collider.maxDisplacement = reach;
}

// Contacts and responses of one particle with and without lists.
static bool CompareWithLists(const Body* body, const ContactDef* plain, const ContactDef* cached, Vec3 from, Vec3 to)
{
	float nearest[2] = {INFINITY, INFINITY};
	Vec4 normal[2] = {0}, shift[2] = {0}, x[2] = {{to.x, to.y, to.z, 1.0f}}, v[2] = {{0.3f, -0.4f, 0.1f, 1.0f}};
	x[1] = x[0];
	v[1] = v[0];
	MeshNearCache empty = {0};
	Vec3 travel = V3Sub(to, from);
	bool found =
		drapeMeshCollider_FindContact(&body->collider, plain, from, travel, NULL, &nearest[0], &normal[0], &shift[0]);
	assert_int_equal(drapeMeshCollider_FindContact(&body->collider, cached, from, travel, cached->near, &nearest[1],
	                                               &normal[1], &shift[1]),
	                 found);
	assert_true(nearest[0] == nearest[1]);
	assert_memory_equal(&normal[0], &normal[1], sizeof normal[0]);
	assert_memory_equal(&shift[0], &shift[1], sizeof shift[0]);
	bool touches = drapeMeshCollider_Resolve(&body->collider, plain, from, &empty, &x[0], &v[0]);
	assert_int_equal(drapeMeshCollider_Resolve(&body->collider, cached, from, cached->near, &x[1], &v[1]), touches);
	assert_memory_equal(&x[0], &x[1], sizeof x[0]);
	assert_memory_equal(&v[0], &v[1], sizeof v[0]);
	return found || touches;
}

// Particles wander about near a mesh that turns or deforms, in one or three substeps.
static void ListsOfMovingMeshesChangeNoAnswer(void** state)
{
	(void)state;
	enum
	{
		particles = 40,
		steps = 40,
	};
	static MeshNearCache near[particles];
	for (int run = 0; run < 4; ++run)
	{
		Body body;
		Create(&body, TestMesh_Sphere(3, 1.0f));
		Random random = Random_Seed(8, (uint32_t)run);
		uint32_t met = 0, substeps = run / 2 ? 3 : 1;
		memset(near, 0, sizeof near);
		for (int step = 1; step <= steps; ++step)
		{
			Deform(&body, run % 2, step);
			for (uint32_t i = 0; i < particles * substeps; ++i)
			{
				ContactDef plain = Def(0.5f);
				plain.thickness = 0.01f;
				plain.activationDistance = 0.012f;
				plain.meshCount = 1;
				plain.fromFraction = (float)(i / particles) / (float)substeps;
				plain.toFraction = (float)(i / particles + 1) / (float)substeps;
				ContactDef cached = plain;
				cached.near = &near[i % particles];
				// Beside a vertex of the start of the step; the same one in all steps.
				Vec3 vertex = V4Xyz(body.shape.from[7 * (i % particles) % body.shape.vertexCount]);
				Vec3 from = V3Add(vertex, (Vec3){Random_Range(&random, -0.02f, 0.02f), 0.01f, 0.01f});
				Vec3 to = V3Add(from, (Vec3){Random_Range(&random, -0.02f, 0.02f), 0.0f, 0.0f});
				met += CompareWithLists(&body, &plain, &cached, from, to);
			}
		}
		assert_true(met > particles * steps / 8);
		Destroy(&body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ParticleComesToRestOnABox),
		cmocka_unit_test(ParticleSlidesAsCoulombSays),
		cmocka_unit_test(MovingAndTurningMeshCarriesParticles),
		cmocka_unit_test(FastParticlesDoNotTunnel),
		cmocka_unit_test(ParticlesInsideArePushedOut),
		cmocka_unit_test(StoredAnswersEqualComputedOnes),
		cmocka_unit_test(ParticlesPutInsideGetOutAsWithoutClearances),
		cmocka_unit_test(ListsOfMovingMeshesChangeNoAnswer),
	};
	tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	drapeTaskPool_Destroy(tasks);
	return failed;
}
