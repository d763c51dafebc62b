// SPDX-License-Identifier: MIT
#pragma once

// What a fuzz target is: two symbols. libFuzzer calls the first; driver.c does the same where libFuzzer is missing.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Any input must leave the process alive; a broken property ends it with FUZZ_CHECK.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Pieces of text that mean something to the target, up to NULL.
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
