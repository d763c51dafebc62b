// SPDX-License-Identifier: MIT
#include "api.h"
#include "headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every public function, and every parameter of it: a bad argument is refused with its sentence, and changes nothing.

// The tables, by header: rows/rows_NAME.c. Headers of libraries that this build leaves out have no rows.
static const struct
{
	const char* header;
	ApiRows* addRows;
} tables[] = {
#define TABLE(name, function) {"include/drape/" name ".h", function},
#include "tables.h"
#undef TABLE
};

enum
{
	tableCount = sizeof tables / sizeof tables[0],
};

static bool HasTable(const char* header)
{
	for (size_t i = 0; i < tableCount; ++i)
	{
		if (strcmp(tables[i].header, header) == 0)
			return true;
	}
	return false;
}

static void EveryBadArgumentIsRefusedWithItsSentence(void** state)
{
	Api* api = *state;
	uint32_t failures = 0;
	for (size_t i = 0; i < tableCount; ++i)
	{
		tables[i].addRows(api);
		uint32_t failed = Api_TakeFailures();
		if (failed > 0)
			print_error("%s: %u rows failed\n", tables[i].header, failed);
		failures += failed;
	}
	assert_int_equal(failures, 0);
}

static void EveryParameterOfEveryPublicFunctionHasARow(void** state)
{
	(void)state;
	Headers headers = Headers_Read();
	uint32_t missing = 0;
	assert_true(headers.functionCount > 150);
	for (size_t i = 0; i < headers.functionCount; ++i)
	{
		const HeaderFunction* function = &headers.functions[i];
		if (!HasTable(function->header) && Headers_IsOptional(function->header))
			continue;
		if (function->parameterCount == 0 && !Api_HasRow(function->name, "ALL"))
		{
			missing++;
			print_error("%s: %s has no row\n", function->header, function->name);
		}
		for (uint32_t k = 0; k < function->parameterCount; ++k)
		{
			if (Api_HasRow(function->name, function->parameters[k].rowName))
				continue;
			missing++;
			print_error("%s: %s has no row for %s\n", function->header, function->name, function->parameters[k].name);
		}
	}
	Headers_Free(&headers);
	assert_int_equal(missing, 0);
}

static void EveryRowNamesAPublicFunction(void** state)
{
	(void)state;
	Headers headers = Headers_Read();
	uint32_t unknown = 0;
	const char *function, *parameter;
	for (uint32_t i = 0; Api_GetRow(i, &function, &parameter); ++i)
	{
		if (Headers_Has(&headers, function, parameter))
			continue;
		unknown++;
		print_error("a row names %s, %s, which is in no header\n", function, parameter);
	}
	Headers_Free(&headers);
	assert_int_equal(unknown, 0);
}

// The reader of headers does not overlook functions: the text has as many DRAPE_API as it found.
static void TheReaderFindsEveryFunction(void** state)
{
	(void)state;
	Headers headers = Headers_Read();
	assert_int_equal(headers.functionCount, headers.markCount);
	assert_true(Headers_Has(&headers, "drapeCreateWorld", "message") ||
	            Headers_Has(&headers, "drapeCreateWorld", "MESSAGE"));
	assert_true(Headers_Has(&headers, "drapeCreateWorld", "def"));
	assert_true(Headers_Has(&headers, "drapeMesh_CreateGrid", "depth"));
	assert_true(Headers_Has(&headers, "drapeGetVersion", "ALL"));
	assert_false(Headers_Has(&headers, "drapeCreateWorld", "nothing"));
	assert_false(Headers_Has(&headers, "drapeCreateNothing", "ALL"));
	Headers_Free(&headers);
}

static int Begin(void** state)
{
	static Api api;
	Api_Create(&api);
	*state = &api;
	return 0;
}

static int End(void** state)
{
	Api_Destroy(*state);
	return 0;
}

int main(void)
{
	// The rows run first: the other tests look at what they named.
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryBadArgumentIsRefusedWithItsSentence),
		cmocka_unit_test(EveryParameterOfEveryPublicFunctionHasARow),
		cmocka_unit_test(EveryRowNamesAPublicFunction),
		cmocka_unit_test(TheReaderFindsEveryFunction),
	};
	return cmocka_run_group_tests(tests, Begin, End);
}
