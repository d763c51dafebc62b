// SPDX-License-Identifier: MIT
#include "contact_scene.h"

#include "contact/continuous.h"
#include "contact/crossing.h"
#include "meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ContactScene_Create(ContactScene* scene, const ContactSceneDef* def)
{
	drapeWorldDef world = drapeDefaultWorldDef();
	world.workerCount = def->workers;
	*scene = (ContactScene){.def = *def, .world = drapeCreateWorld(&world)};
	assert_non_null(scene->world.world);
}

void ContactScene_Destroy(ContactScene* scene)
{
	Sheet_Check(scene->world);
	drapeDestroyWorld(scene->world);
	for (uint32_t i = 0; i < scene->meshCount; ++i)
		TestMesh_Free(&scene->meshes[i].mesh);
	*scene = (ContactScene){0};
}

drapeTransform Placed(float x, float y, float z)
{
	drapeTransform t = drapeIdentityTransform();
	t.position = (drapeVec3){x, y, z};
	return t;
}

drapeTransform Turned(float x, float y, float z, drapeVec3 axis, float angle)
{
	drapeTransform t = Placed(x, y, z);
	t.rotation = drapeQuat_FromAxisAngle(axis, angle);
	return t;
}

drapeClothId ContactScene_AddSheet(ContactScene* scene, drapeTransform at)
{
	const ContactSceneDef* own = &scene->def;
	drapeMesh mesh;
	assert_true(scene->clothCount < sceneCloths);
	assert_int_equal(drapeMesh_CreateGrid(own->quads, own->quads, 1.0f, 1.0f, &mesh), drape_ok);
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = &mesh;
	def.contact = drape_contactAll;
	def.model = own->model;
	if (own->model == drape_modelFem)
		def.solver = drapeDefaultFemSolverDef();
	def.adapt.scheme = own->scheme;
	def.adapt.maxLevel = own->scheme == drape_schemeFixed ? 0 : own->scheme == drape_schemeSqrt3 ? 4 : 2;
	def.adapt.joinWait = 3;
	drapeClothId cloth = drapeCreateCloth(scene->world, &def);
	drapeMesh_Free(&mesh);
	assert_true(drapeCloth_IsValid(cloth));
	drapeClothView view = drapeCloth_View(cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] =
			drapeTransform_Point(at, (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z});
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	free(positions);
	scene->cloths[scene->clothCount++] = cloth;
	return cloth;
}

drapeColliderId ContactScene_AddShape(ContactScene* scene, const drapeColliderDef* def)
{
	assert_true(scene->shapeCount < sceneBodies);
	drapeColliderId collider = drapeCreateCollider(scene->world, def);
	assert_true(drapeCollider_IsValid(collider));
	scene->shapes[scene->shapeCount++] = collider;
	return collider;
}

drapeColliderId ContactScene_AddMesh(ContactScene* scene, drapeMesh mesh, drapeTransform at, drapeMotionId motion)
{
	assert_true(scene->meshCount < sceneBodies);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	def.transform = at;
	def.motion = motion;
	def.friction = 1.0f;
	drapeColliderId collider = drapeCreateCollider(scene->world, &def);
	assert_true(drapeCollider_IsValid(collider));
	scene->meshes[scene->meshCount++] = (SceneMesh){collider, mesh};
	return collider;
}

// --- what is wrong --------------------------------------------------------------------------------------------------

// Triangles of everything, by place in space.
typedef struct Soup
{
	Vec3 (*corner)[3];
	uint32_t (*vertex)[3]; // numbers that two triangles of one cloth share at a common corner
	uint32_t count;
} Soup;

static Vec3 Xyz(drapeVec4 a)
{
	return (Vec3){a.x, a.y, a.z};
}

static Soup SoupOf(const ContactScene* scene)
{
	Soup soup = {0};
	uint32_t first = 0;
	for (uint32_t i = 0; i < scene->clothCount; ++i)
		soup.count += drapeCloth_View(scene->cloths[i]).triangleCount;
	soup.corner = malloc(soup.count * sizeof *soup.corner + 1);
	soup.vertex = malloc(soup.count * sizeof *soup.vertex + 1);
	assert_true(soup.corner && soup.vertex);
	soup.count = 0;
	for (uint32_t i = 0; i < scene->clothCount; ++i)
	{
		drapeClothView view = drapeCloth_View(scene->cloths[i]);
		for (uint32_t t = 0; t < view.triangleCount; ++t, ++soup.count)
		{
			for (uint32_t k = 0; k < 3; ++k)
			{
				uint32_t v = view.triangles[3 * t + k];
				soup.vertex[soup.count][k] = first + v;
				soup.corner[soup.count][k] = Xyz(view.positions[v]);
			}
		}
		first += view.particleCount;
	}
	return soup;
}

static bool BoxesMeet(const Vec3 a[3], const Vec3 b[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		const float *p = &a[0].x + axis, *q = &b[0].x + axis;
		if (fmaxf(fmaxf(p[0], p[3]), p[6]) < fminf(fminf(q[0], q[3]), q[6]) ||
		    fmaxf(fmaxf(q[0], q[3]), q[6]) < fminf(fminf(p[0], p[3]), p[6]))
			return false;
	}
	return true;
}

static bool Has(const uint32_t three[3], uint32_t vertex)
{
	return three[0] == vertex || three[1] == vertex || three[2] == vertex;
}

// Edges of one through the other, but for those that end at one of its corners.
static bool EdgesCross(const Soup* soup, uint32_t a, uint32_t b)
{
	for (int k = 0; k < 3; ++k)
	{
		int next = (k + 1) % 3;
		if (!Has(soup->vertex[b], soup->vertex[a][k]) && !Has(soup->vertex[b], soup->vertex[a][next]) &&
		    drapeCrossing_SegmentTriangle(soup->corner[a][k], soup->corner[a][next], soup->corner[b]))
			return true;
	}
	return false;
}

static uint32_t SelfCrossings(const Soup* soup)
{
	uint32_t count = 0;
	for (uint32_t a = 0; a < soup->count; ++a)
	{
		for (uint32_t b = a + 1; b < soup->count; ++b)
			count += BoxesMeet(soup->corner[a], soup->corner[b]) && (EdgesCross(soup, a, b) || EdgesCross(soup, b, a));
	}
	return count;
}

static uint32_t MeshCrossings(const Soup* soup, const SceneMesh* mesh)
{
	drapeTransform at = drapeCollider_GetTransform(mesh->collider);
	uint32_t count = 0;
	for (uint32_t t = 0; t < mesh->mesh.triangleCount; ++t)
	{
		Vec3 corner[3];
		for (uint32_t k = 0; k < 3; ++k)
			corner[k] = drapeTransform_Point(at, mesh->mesh.positions[mesh->mesh.triangles[3 * t + k]]);
		for (uint32_t i = 0; i < soup->count; ++i)
			count += BoxesMeet(soup->corner[i], corner) && drapeCrossing_TriangleTriangle(soup->corner[i], corner);
	}
	return count;
}

// Faces of the cloth that are in a sphere or capsule, or through a box.
static uint32_t ShapeCrossings(const Soup* soup, drapeColliderId collider)
{
	drapeColliderDef def = drapeCollider_GetDef(collider);
	drapeTransform at = drapeCollider_GetTransform(collider);
	uint32_t count = 0;
	for (uint32_t i = 0; i < soup->count; ++i)
	{
		Vec3 c[3];
		float weights[3], limit = 0.999f * def.radius;
		for (uint32_t k = 0; k < 3; ++k)
			c[k] = drapeTransform_InversePoint(at, soup->corner[i][k]);
		const Vec3 low = {0.0f, -def.halfHeight, 0.0f}, high = {0.0f, def.halfHeight, 0.0f};
		if (def.shape == drape_shapeSphere)
			count += drapeClosest_PointTriangle((Vec3){0, 0, 0}, c[0], c[1], c[2], weights) < limit * limit;
		if (def.shape == drape_shapeCapsule)
			count += drapeCrossing_SegmentTriangle(low, high, c) ||
			         drapeClosest_PointTriangle(low, c[0], c[1], c[2], weights) < limit * limit ||
			         drapeClosest_PointTriangle(high, c[0], c[1], c[2], weights) < limit * limit;
		for (int e = 0; e < 12 && def.shape == drape_shapeBox; ++e)
		{
			int axis = e / 4, u = e % 2 ? 1 : -1, v = e % 4 / 2 ? 1 : -1;
			float h[3] = {def.halfExtents.x, def.halfExtents.y, def.halfExtents.z}, p[3], q[3];
			p[axis] = -h[axis];
			q[axis] = h[axis];
			p[(axis + 1) % 3] = q[(axis + 1) % 3] = (float)u * h[(axis + 1) % 3];
			p[(axis + 2) % 3] = q[(axis + 2) % 3] = (float)v * h[(axis + 2) % 3];
			count += drapeCrossing_SegmentTriangle((Vec3){p[0], p[1], p[2]}, (Vec3){q[0], q[1], q[2]}, c);
		}
	}
	return count;
}

static bool IsInShape(drapeColliderId collider, Vec3 point)
{
	drapeColliderDef def = drapeCollider_GetDef(collider);
	Vec3 p = drapeTransform_InversePoint(drapeCollider_GetTransform(collider), point), e = def.halfExtents;
	switch (def.shape)
	{
		case drape_shapeSphere:
			return V3Length(p) < def.radius;
		case drape_shapeCapsule:
			p.y -= fmaxf(-def.halfHeight, fminf(p.y, def.halfHeight));
			return V3Length(p) < def.radius;
		case drape_shapeBox:
			return fabsf(p.x) < e.x && fabsf(p.y) < e.y && fabsf(p.z) < e.z;
		case drape_shapePlane:
			return p.y < 0.0f;
		default:
			return false;
	}
}

SceneFaults ContactScene_Faults(const ContactScene* scene)
{
	SceneFaults faults = {0};
	Soup soup = SoupOf(scene);
	faults.selfCrossings = SelfCrossings(&soup);
	for (uint32_t i = 0; i < scene->meshCount; ++i)
		faults.bodyCrossings += MeshCrossings(&soup, &scene->meshes[i]);
	for (uint32_t i = 0; i < scene->shapeCount; ++i)
		faults.bodyCrossings += ShapeCrossings(&soup, scene->shapes[i]);
	for (uint32_t t = 0; t < 3 * soup.count; ++t)
	{
		Vec3 x = soup.corner[t / 3][t % 3];
		faults.notFinite += !V3IsFinite(x);
		for (uint32_t i = 0; i < scene->shapeCount; ++i)
			faults.inside += IsInShape(scene->shapes[i], x);
	}
	free(soup.corner);
	free(soup.vertex);
	return faults;
}

void ContactScene_Run(ContactScene* scene, uint32_t steps, float dt)
{
	for (uint32_t i = 0; i < steps; ++i)
	{
		drapeResult result = drapeWorld_Step(scene->world, dt);
		if (result != drape_ok)
			fail_msg("step %u: %s", i, drapeWorld_GetFailure(scene->world).text);
		SceneFaults faults = ContactScene_Faults(scene);
		if (faults.selfCrossings + faults.bodyCrossings + faults.inside + faults.notFinite > 0)
			fail_msg(
				"step %u, %s, %u workers: %u self-intersections, %u body crossings, %u corners inside, %u not finite",
				i,
				scene->def.scheme == drape_schemeFixed  ? "fixed"
				: scene->def.scheme == drape_schemeEdge ? "edge"
														: "sqrt3",
				scene->def.workers, faults.selfCrossings, faults.bodyCrossings, faults.inside, faults.notFinite);
	}
}

float ContactScene_Height(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_View(cloth);
	double sum = 0.0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum += (double)view.positions[i].y;
	return (float)(sum / view.particleCount);
}

float ContactScene_Speed(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_View(cloth);
	double sum = 0.0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum += (double)V3Dot(Xyz(view.velocities[i]), Xyz(view.velocities[i]));
	return (float)sqrt(sum / view.particleCount);
}
