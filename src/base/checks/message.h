// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

#include <stdarg.h>

// Sentences about failures. They name the value and the expected one: "scale is 0, expected a number above 0".

#if defined(__MINGW32__) && !defined(__clang__)
#define DRAPE_PRINTF(text, first) __attribute__((format(gnu_printf, text, first))) // %zu, as its own printf has it
#elif defined(__GNUC__)
#define DRAPE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DRAPE_PRINTF(text, first)
#endif

// Writes the sentence and the result to the message, which may be NULL, and returns the result.
drapeResult drapeFail(drapeMessage* message, drapeResult result, const char* format, ...) DRAPE_PRINTF(3, 4);
drapeResult drapeFailV(drapeMessage* message, drapeResult result, const char* format, va_list arguments);

// Refuses an argument: as drapeFail with drape_errorArgument. A debug build asserts with the sentence.
drapeResult drapeRefuse(drapeMessage* message, const char* format, ...) DRAPE_PRINTF(2, 3);

// Asserts with the sentence of a refused argument, in debug builds.
void drapeRefuse_Assert(const char* sentence);

// The sentence of drape_errorMemory.
drapeResult drapeFail_Memory(drapeMessage* message);
