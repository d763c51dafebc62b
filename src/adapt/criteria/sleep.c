// SPDX-License-Identifier: MIT
#include "adapt/criteria/sleep.h"

#include <string.h>

enum
{
	particleGrain = 4096, // a multiple of 64: tasks write different words
};

static const float sleepSpeed = 0.01f; // m/s

void drapeSleep_Destroy(Sleep* sleep)
{
	BitSet_Free(&sleep->bits);
}

void drapeSleep_Forget(ActiveMesh* mesh)
{
	if (mesh->particleCount > 0)
		memset(mesh->sleepPasses, 0, mesh->particleCount * sizeof *mesh->sleepPasses);
}

typedef struct FollowTask
{
	Sleep* sleep;
	ActiveMesh* mesh;
} FollowTask;

static void FollowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FollowTask* task = context;
	uint8_t* passes = task->mesh->sleepPasses;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec3 v = V4Xyz(task->mesh->velocity[i]);
		bool isSlow = V3Dot(v, v) < sleepSpeed * sleepSpeed;
		passes[i] = (uint8_t)(isSlow ? MinU32(passes[i] + 1u, sleepAfterPasses) : 0);
		if (passes[i] == sleepAfterPasses)
			BitSet_Set(&task->sleep->bits, i);
	}
}

bool drapeSleep_Follow(Sleep* sleep, uint64_t limits, ActiveMesh* mesh, TaskPool* tasks)
{
	FollowTask task = {sleep, mesh};
	if (!BitSet_Reserve(&sleep->bits, mesh->particleCount))
		return false;
	if (limits != sleep->limits)
		drapeSleep_Forget(mesh);
	sleep->limits = limits;
	BitSet_ClearAll(&sleep->bits, mesh->particleCount);
	drapeTaskPool_For(tasks, mesh->particleCount, particleGrain, FollowRange, &task);
	return true;
}
