// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "pools.h"
#include "rig.h"

#include "contact/broad/broad_phase.h"

#include <string.h>

// A broad phase that is gathered again and again, while meshes change, cloths come and go and colliders are put before
// them.

enum
{
	clothCount = 3,
	mostParticles = 4096,
};

typedef struct Stage
{
	Rig rigs[clothCount];
	drapeMesh meshes[clothCount];
	BroadPhaseCloth cloths[clothCount];
	BroadPhase broadPhase;
} Stage;

static void AddCloth(Stage* stage, uint32_t i, uint32_t seed)
{
	stage->meshes[i] = TestMesh_Grid(5, 4, 1.0f, 1.0f, 0.2f, seed);
	Rig_Create(&stage->rigs[i], &stage->meshes[i]);
	stage->rigs[i].active.revision = 1;
	drapeBroadPhaseCloth_Init(&stage->cloths[i]);
}

static void RemoveCloth(Stage* stage, uint32_t i)
{
	drapeBroadPhaseCloth_Destroy(&stage->cloths[i]);
	Rig_Destroy(&stage->rigs[i]);
	TestMesh_Free(&stage->meshes[i]);
}

static void Displace(ActiveMesh* mesh, float distance)
{
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		mesh->position[i].y += distance * (float)(i % 3);
}

// Spheres, then the cloths of which there is a bit. Those move by `distance` unless it is 0.
static void Gather(Stage* stage, uint32_t colliders, uint32_t cloths, float distance, Vec4 (*from)[mostParticles])
{
	BroadPhase* broadPhase = &stage->broadPhase;
	const ContactBody ball = {.radius = 0.1f}, sheet = {.gap = 1e-3f, .isCloth = true, .collidesWithCloth = true};
	broadPhase->isStill = true;
	broadPhase->tasks = testPools[2];
	drapeBroadPhase_Keep(
		broadPhase, MinU32(colliders, broadPhase->members.count > 0 && !broadPhase->members.data[0].cloth ? 1 : 0));
	while (broadPhase->members.count < colliders)
	{
		assert_true(drapeContactBodies_Begin(&broadPhase->bodies, &ball) &&
		            drapeContactBodies_AddVertices(&broadPhase->bodies, 1) &&
		            drapeContactBodies_AddElements(&broadPhase->bodies, 1));
		uint32_t v = broadPhase->bodies.from.count - 1;
		broadPhase->bodies.from.data[v] = broadPhase->bodies.to.data[v] = (Vec4){0};
		broadPhase->bodies.elements.data[broadPhase->bodies.elements.count - 1] =
			(ContactElement){.vertex = {v, v, v}, .body = (uint16_t)broadPhase->members.count, .owns = ownsVertex};
		assert_true(drapeBroadPhase_AddCollider(broadPhase, NULL, NULL));
	}
	for (uint32_t i = 0; i < clothCount; ++i)
	{
		BroadPhaseMember member = {.cloth = &stage->cloths[i], .mesh = &stage->rigs[i].active};
		assert_true(drapeBroadPhaseCloth_Follow(&stage->cloths[i], &stage->rigs[i].pattern, member.mesh, testPools[1]));
		assert_true(member.mesh->particleCount <= mostParticles);
		memcpy(from[i], member.mesh->position, member.mesh->particleCount * sizeof(Vec4));
		if (cloths >> i & 1)
			assert_true(drapeBroadPhase_AddCloth(broadPhase, member, &sheet));
		Displace(&stage->rigs[i].active, distance);
	}
	if (distance != 0.0f)
		drapeBroadPhase_MoveCloths(broadPhase);
}

static void CheckCloth(const Stage* stage, uint32_t b, const Vec4* from)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	const ContactBody* body = &bodies->bodies.data[b];
	const BroadPhaseMember* member = &stage->broadPhase.members.data[b];
	const ActiveMesh* mesh = member->mesh;
	assert_int_equal(body->vertexEnd - body->vertexStart, mesh->particleCount);
	assert_int_equal(body->elementEnd - body->elementStart, mesh->triangleCount);
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		const ContactElement* element = &bodies->elements.data[body->elementStart + t];
		for (int k = 0; k < 3; ++k)
			assert_int_equal(element->vertex[k], body->vertexStart + mesh->triangle[t][k]);
		assert_int_equal(element->body, b);
		assert_int_equal(element->owns, member->cloth->owns.data[t]);
	}
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Vec4 x = mesh->position[i], start = from[i];
		Vec4 begin = bodies->from.data[body->vertexStart + i], end = bodies->to.data[body->vertexStart + i];
		assert_int_equal(bodies->owner.data[body->vertexStart + i], b);
		assert_true(begin.x == start.x && begin.y == start.y && begin.z == start.z && begin.w == x.w);
		assert_true(end.x == x.x && end.y == x.y && end.z == x.z && end.w == 0.0f);
	}
}

static void ElementsAreThoseOfTheMeshes(void** state)
{
	(void)state;
	static Stage stage;
	static Vec4 from[clothCount][mostParticles];
	Random random = Random_Seed(7, 0);
	for (uint32_t i = 0; i < clothCount; ++i)
		AddCloth(&stage, i, i);
	for (uint32_t round = 0; round < 400; ++round)
	{
		uint32_t changed = Random_Below(&random, clothCount);
		if (round % 5 == 0)
			Rig_RandomPass(&stage.rigs[changed], &random, 10, 0.5f);
		if (round % 11 == 0)
		{
			// Another cloth in its place, whose mesh has the same revision.
			RemoveCloth(&stage, changed);
			AddCloth(&stage, changed, round);
		}
		uint32_t cloths = Random_Below(&random, 4) ? 7 : Random_Below(&random, 8);
		Gather(&stage, Random_Below(&random, 4) ? 1 : Random_Below(&random, 4), cloths, round % 2 ? 0.0f : 0.01f, from);
		for (uint32_t b = 0; b < stage.broadPhase.members.count; ++b)
		{
			if (stage.broadPhase.members.data[b].cloth)
				CheckCloth(&stage, b, from[stage.broadPhase.members.data[b].cloth - stage.cloths]);
		}
	}
	for (uint32_t i = 0; i < clothCount; ++i)
		RemoveCloth(&stage, i);
	drapeBroadPhase_Destroy(&stage.broadPhase);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ElementsAreThoseOfTheMeshes),
	};
	return cmocka_run_group_tests(tests, Pools_Start, Pools_Stop);
}
