// SPDX-License-Identifier: MIT
#pragma once

// Task pools of one to four workers, for all tests of a program: give Pools_Start and Pools_Stop to
// cmocka_run_group_tests. Stopping fails when memory is still held.

#include "base/tasks.h"

enum
{
	mostWorkers = 4,
};

extern TaskPool* testPools[mostWorkers + 1]; // by the number of workers

int Pools_Start(void** state);
int Pools_Stop(void** state);
