// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "solve/edge_limits.h"

#include <stdlib.h>
#include <string.h>

// Limits on how much single edges change within a substep.

typedef struct Limited
{
	Rig rig;
	EdgeLimits limits;
	Vec4* before;
	BitSet supported;
	TaskPool* tasks;
} Limited;

static const float dt = 1.0f / 60.0f;

static void Limited_Create(Limited* limited)
{
	*limited = (Limited){.tasks = drapeTaskPool_Create(2, NULL, NULL, NULL)};
	drapeMesh mesh = TestMesh_Grid(40, 40, 1.0f, 1.0f, 0.0f, 1);
	Rig_Create(&limited->rig, &mesh);
	TestMesh_Free(&mesh);
	const ActiveMesh* active = &limited->rig.active;
	limited->before = malloc(active->particleCount * sizeof(Vec4));
	assert_true(limited->before && BitSet_Reserve(&limited->supported, active->particleCount));
	memcpy(limited->before, active->position, active->particleCount * sizeof(Vec4));
}

static void Limited_Destroy(Limited* limited)
{
	free(limited->before);
	BitSet_Free(&limited->supported);
	drapeEdgeLimits_Destroy(&limited->limits);
	drapeTaskPool_Destroy(limited->tasks);
	Rig_Destroy(&limited->rig);
}

static EdgeLimitsDef Describe(const Limited* limited)
{
	return (EdgeLimitsDef){.previous = limited->before,
	                       .supported = &limited->supported,
	                       .maxStretch = 1.5f,
	                       .dt = dt,
	                       .tasks = limited->tasks};
}

// Moves one particle and gives it the velocity of that displacement.
static void Pull(Limited* limited, uint32_t particle, Vec3 by)
{
	Vec4 *x = &limited->rig.active.position[particle], *v = &limited->rig.active.velocity[particle];
	*x = (Vec4){x->x + by.x, x->y + by.y, x->z + by.z, x->w};
	*v = (Vec4){v->x + by.x / dt, v->y + by.y / dt, v->z + by.z / dt, v->w};
}

static float LongestRatio(const ActiveMesh* active)
{
	float longest = 0.0f;
	for (uint32_t e = 0; e < active->edgeCount; ++e)
	{
		Vec3 d = V3Sub(V4Xyz(active->position[active->edgeTo[e]]), V4Xyz(active->position[active->edgeFrom[e]]));
		longest = fmaxf(longest, V3Length(d) / active->restLength[e]);
	}
	return longest;
}

static Vec3 Momentum(const ActiveMesh* active)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < active->particleCount; ++i)
		sum = V3Add(sum, V3Scale(active->velocity[i].w, V4Xyz(active->velocity[i])));
	return sum;
}

static double KineticEnergy(const ActiveMesh* active)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < active->particleCount; ++i)
		sum += (double)(active->velocity[i].w * V3Dot(V4Xyz(active->velocity[i]), V4Xyz(active->velocity[i])));
	return 0.5 * sum;
}

static void ASingleParticleThatIsPulledOutIsDrawnBack(void** state)
{
	(void)state;
	Limited limited;
	Limited_Create(&limited);
	ActiveMesh* active = &limited.rig.active;
	Pull(&limited, 20 * 41 + 20, (Vec3){0.02f, 0.0f, 0.06f});
	Vec3 momentum = Momentum(active);
	double energy = KineticEnergy(active);
	assert_true(LongestRatio(active) > 2.0f);
	const EdgeLimitsDef def = Describe(&limited);
	assert_true(drapeEdgeLimits_Apply(&limited.limits, active, &def) > 0);
	assert_true(limited.limits.hasMoved && LongestRatio(active) < 1.3f);
	// It keeps the momentum and adds no energy.
	assert_true(V3Length(V3Sub(Momentum(active), momentum)) < 1e-4f * V3Length(momentum));
	assert_true(KineticEnergy(active) < energy);
	Limited_Destroy(&limited);
}

static void EdgesWithinTheirLimitsAreLeftAlone(void** state)
{
	(void)state;
	Limited limited;
	Limited_Create(&limited);
	Pull(&limited, 20 * 41 + 20, (Vec3){0.0f, 0.001f, 0.002f});
	size_t bytes = limited.rig.active.particleCount * sizeof(Vec4);
	Vec4* now = malloc(bytes);
	assert_non_null(now);
	memcpy(now, limited.rig.active.position, bytes);
	const EdgeLimitsDef def = Describe(&limited);
	assert_int_equal(drapeEdgeLimits_Apply(&limited.limits, &limited.rig.active, &def), 0);
	assert_false(limited.limits.hasMoved);
	assert_memory_equal(now, limited.rig.active.position, bytes);
	free(now);
	Limited_Destroy(&limited);
}

static void PinnedAndAttachedParticlesDoNotMove(void** state)
{
	(void)state;
	Limited limited;
	Limited_Create(&limited);
	ActiveMesh* active = &limited.rig.active;
	uint32_t pulled = 20 * 41 + 20, pinned = pulled + 1;
	BitSet attached = {0};
	assert_true(BitSet_Reserve(&attached, active->particleCount));
	BitSet_Set(&attached, pulled);
	active->particleFlags[pinned] |= drape_particlePinned;
	drapeActiveMesh_UpdateMass(active, pinned);
	Pull(&limited, pulled, (Vec3){0.0f, 0.0f, 0.06f});
	Vec4 there[2] = {active->position[pulled], active->position[pinned]};
	EdgeLimitsDef def = Describe(&limited);
	def.attached = &attached;
	drapeEdgeLimits_Apply(&limited.limits, active, &def);
	assert_memory_equal(&there[0], &active->position[pulled], sizeof there[0]);
	assert_memory_equal(&there[1], &active->position[pinned], sizeof there[1]);
	BitSet_Free(&attached);
	Limited_Destroy(&limited);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ASingleParticleThatIsPulledOutIsDrawnBack),
		cmocka_unit_test(EdgesWithinTheirLimitsAreLeftAlone),
		cmocka_unit_test(PinnedAndAttachedParticlesDoNotMove),
	};
	return cmocka_run_group_tests_name("edge limits", tests, NULL, NULL);
}
