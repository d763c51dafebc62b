// SPDX-License-Identifier: MIT
#pragma once

// A fuzz target consists of two symbols. libFuzzer calls the first; driver.c does so in builds without libFuzzer.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// No input may end the process; a broken property ends it with FUZZ_CHECK.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Text fragments with a meaning for the target, ended by NULL.
extern const char* const fuzzDictionary[];

// In every build type, unlike assert.
#define FUZZ_CHECK(condition)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition))                                                                                              \
		{                                                                                                              \
			fprintf(stderr, "%s:%d: broken property: %s\n", __FILE__, __LINE__, #condition);                           \
			abort();                                                                                                   \
		}                                                                                                              \
	} while (0)
