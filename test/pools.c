// SPDX-License-Identifier: MIT
#include "pools.h"

#include "drape/base.h"

TaskPool* testPools[mostWorkers + 1];

int Pools_Start(void** state)
{
	(void)state;
	for (uint32_t i = 1; i <= mostWorkers; ++i)
	{
		testPools[i] = drapeTaskPool_Create(i, NULL, NULL, NULL);
		if (!testPools[i])
			return -1;
	}
	return 0;
}

int Pools_Stop(void** state)
{
	(void)state;
	for (uint32_t i = 1; i <= mostWorkers; ++i)
		drapeTaskPool_Destroy(testPools[i]);
	return drapeGetMemoryUse().bytes == 0 ? 0 : -1;
}
