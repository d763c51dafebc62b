// SPDX-License-Identifier: MIT
#include "adapt/stillness.h"

#include <string.h>

enum
{
	particleGrain = 4096, // a multiple of 64: tasks write different words
};

static const float stillSpeed = 0.01f; // m/s

void drapeStillness_Destroy(Stillness* stillness)
{
	BitSet_Free(&stillness->bits);
}

void drapeStillness_Forget(ActiveMesh* mesh)
{
	if (mesh->particleCount > 0)
		memset(mesh->stillFor, 0, mesh->particleCount * sizeof *mesh->stillFor);
}

typedef struct FollowTask
{
	Stillness* stillness;
	ActiveMesh* mesh;
} FollowTask;

static void FollowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FollowTask* task = context;
	uint8_t* passes = task->mesh->stillFor;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec3 v = V4Xyz(task->mesh->velocity[i]);
		bool isSlow = V3Dot(v, v) < stillSpeed * stillSpeed;
		passes[i] = (uint8_t)(isSlow ? MinU32(passes[i] + 1u, stillPasses) : 0);
		if (passes[i] == stillPasses)
			BitSet_Set(&task->stillness->bits, i);
	}
}

bool drapeStillness_Follow(Stillness* stillness, const StillLimits* limits, ActiveMesh* mesh, TaskPool* tasks)
{
	FollowTask task = {stillness, mesh};
	if (!BitSet_Reserve(&stillness->bits, mesh->particleCount))
		return false;
	if (memcmp(limits, &stillness->limits, sizeof *limits) != 0)
		drapeStillness_Forget(mesh);
	stillness->limits = *limits;
	BitSet_ClearAll(&stillness->bits, mesh->particleCount);
	drapeTaskPool_For(tasks, mesh->particleCount, particleGrain, FollowRange, &task);
	return true;
}
