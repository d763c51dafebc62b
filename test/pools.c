// SPDX-License-Identifier: MIT
#include "pools.h"

#include "drape/base.h"

TaskPool* pools[mostWorkers + 1];

int Pools_Start(void** state)
{
	(void)state;
	for (uint32_t i = 1; i <= mostWorkers; ++i)
	{
		pools[i] = TaskPool_Create(i, NULL, NULL, NULL);
		if (!pools[i])
			return -1;
	}
	return 0;
}

int Pools_Stop(void** state)
{
	(void)state;
	for (uint32_t i = 1; i <= mostWorkers; ++i)
		TaskPool_Destroy(pools[i]);
	return drapeGetMemoryUse().bytes == 0 ? 0 : -1;
}
