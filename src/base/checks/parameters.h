// SPDX-License-Identifier: MIT
#pragma once

#include "base/checks/message.h"
#include "drape/parameter.h"

// Tables of parameters check definitions: one table for the core, scene files and panels.

// A row for a float in a range, which includes both ends.
#define PARAMETER_NUMBER(Type, member, lowest, highest, unitText, labelText, helpText)                                 \
	{                                                                                                                  \
		.key = #member, .label = (labelText), .unit = (unitText), .help = (helpText), .kind = drape_parameterFloat,    \
		.offset = offsetof(Type, member), .low = (lowest), .high = (highest)                                           \
	}

// A float above 0.
#define PARAMETER_POSITIVE(Type, member, highest, unitText, labelText, helpText)                                       \
	{                                                                                                                  \
		.key = #member, .label = (labelText), .unit = (unitText), .help = (helpText), .kind = drape_parameterFloat,    \
		.offset = offsetof(Type, member), .low = 0.0, .high = (highest), .isAbove = true                               \
	}

#define PARAMETER_WHOLE(Type, member, lowest, highest, labelText, helpText)                                            \
	{                                                                                                                  \
		.key = #member, .label = (labelText), .help = (helpText), .kind = drape_parameterUint,                         \
		.offset = offsetof(Type, member), .low = (lowest), .high = (highest)                                           \
	}

#define PARAMETER_CHOICE(Type, member, wordList, labelText, helpText)                                                  \
	{                                                                                                                  \
		.key = #member, .label = (labelText), .help = (helpText), .kind = drape_parameterChoice,                       \
		.offset = offsetof(Type, member), .words = (wordList)                                                          \
	}

// Any finite vector.
#define PARAMETER_VECTOR(Type, member, unitText, labelText, helpText)                                                  \
	{                                                                                                                  \
		.key = #member, .label = (labelText), .unit = (unitText), .help = (helpText), .kind = drape_parameterVec3,     \
		.offset = offsetof(Type, member)                                                                               \
	}

#define PARAMETER_CURVE(Type, member, labelText, helpText)                                                             \
	{                                                                                                                  \
		.key = #member, .label = (labelText), .help = (helpText), .kind = drape_parameterCurve,                        \
		.offset = offsetof(Type, member)                                                                               \
	}

// Returns the list of a public function that also gives its length.
const drapeParameter* drapeParameters_Give(const drapeParameter* list, uint32_t length, uint32_t* count);

// Returns drape_ok if every value of a definition is in its range. Otherwise refuses the first other one, with a
// sentence: "<prefix><key> is -1, expected a number from 0 to 1 N/m". Curves are not checked here. When all ranges are
// kept, values that another one limits (drapeParameter::other) are compared with it.
drapeResult drapeParameters_Check(const drapeParameter* list, uint32_t count, const void* definition,
                                  const char* prefix, drapeMessage* message);
