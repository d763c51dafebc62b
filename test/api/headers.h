// SPDX-License-Identifier: MIT
#pragma once

// The functions that the public headers declare, with their parameters.

#include "support.h"

enum
{
	headerMaxParameters = 12,
	headerMaxName = 80,
};

typedef struct HeaderParameter
{
	char name[headerMaxName];
	const char* rowName; // its name in rows; MESSAGE for a drapeMessage to write to
} HeaderParameter;

typedef struct HeaderFunction
{
	char header[headerMaxName];
	char name[headerMaxName];
	HeaderParameter parameters[headerMaxParameters];
	uint32_t parameterCount;
} HeaderFunction;

typedef struct Headers
{
	HeaderFunction* functions;
	size_t functionCount;
	size_t markCount; // DRAPE_API in the text
} Headers;

// Reads include/drape/*.h. Run from the root of the project.
Headers Headers_Read(void);
void Headers_Free(Headers* headers);

// True if a header declares the function with this parameter; ALL and MESSAGE are parameters of every function that has
// them.
bool Headers_Has(const Headers* headers, const char* function, const char* parameter);

// Headers of libraries that a build may leave out.
bool Headers_IsOptional(const char* header);
