// SPDX-License-Identifier: MIT
#pragma once

// Stands in for cmocka where no package of it exists: the macros that the tests of the core use, and no others. The first
// failure of a program ends it, so that no jump out of a test is needed. Values are compared as in cmocka: integers as
// uintmax_t, floating-point numbers with a tolerance or up to rounding. NaN equals nothing here; in cmocka it equals all.

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int StandinFixture(void** state);

struct CMUnitTest
{
	const char* name;
	void (*run)(void** state);
	StandinFixture *setup, *teardown;
};

static bool standinIsSkipped;

#if defined(__GNUC__) && !defined(__clang__)
#define STANDIN_PRINTF(text, first) __attribute__((format(gnu_printf, text, first), unused))
#elif defined(__GNUC__)
#define STANDIN_PRINTF(text, first) __attribute__((format(printf, text, first), unused))
#else
#define STANDIN_PRINTF(text, first)
#endif

STANDIN_PRINTF(3, 4) static void Standin_Fail(const char* file, int line, const char* format, ...)
{
	va_list values;
	va_start(values, format);
	fprintf(stderr, "%s:%d: error: ", file, line);
	vfprintf(stderr, format, values);
	fputc('\n', stderr);
	va_end(values);
	fflush(NULL);
	exit(1);
}

STANDIN_PRINTF(1, 2) static void print_message(const char* format, ...)
{
	va_list values;
	va_start(values, format);
	vprintf(format, values);
	va_end(values);
}

STANDIN_PRINTF(1, 2) static void print_error(const char* format, ...)
{
	va_list values;
	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
}

#define STANDIN_CHECK(condition, ...) ((condition) ? (void)0 : Standin_Fail(__FILE__, __LINE__, __VA_ARGS__))

static inline void Standin_CompareInts(uintmax_t a, uintmax_t b, bool equal, const char* text, const char* file,
                                       int line)
{
	if ((a == b) != equal)
		Standin_Fail(file, line, "%s: %#" PRIxMAX " and %#" PRIxMAX, text, a, b);
}

static inline void Standin_CompareFloats(double a, double b, double tolerance, const char* text, const char* file,
                                         int line)
{
	double difference = a > b ? a - b : b - a, larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
	if (!(difference <= tolerance) && !(difference <= larger * (double)FLT_EPSILON) && !(a == b))
		Standin_Fail(file, line, "%s: %.17g and %.17g, tolerance %g", text, a, b, tolerance);
}

static inline void Standin_CompareStrings(const char* a, const char* b, bool equal, const char* file, int line)
{
	if ((strcmp(a, b) == 0) != equal)
		Standin_Fail(file, line, "\"%s\" and \"%s\"", a, b);
}

#define fail_msg(...) Standin_Fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail() Standin_Fail(__FILE__, __LINE__, "failed")
#define skip()                                                                                                         \
	do                                                                                                                 \
	{                                                                                                                  \
		standinIsSkipped = true;                                                                                       \
		return;                                                                                                        \
	} while (0)

#define assert_true(c) STANDIN_CHECK((uintmax_t)(c), "%s", #c)
#define assert_false(c) STANDIN_CHECK(!(uintmax_t)(c), "not %s", #c)
#define assert_null(p) STANDIN_CHECK((const void*)(p) == NULL, "%s is no null pointer", #p)
#define assert_non_null(p) STANDIN_CHECK((const void*)(p) != NULL, "%s is a null pointer", #p)
#define assert_ptr_equal(a, b) STANDIN_CHECK((const void*)(a) == (const void*)(b), "%s is not %s", #a, #b)
#define assert_int_equal(a, b)                                                                                         \
	Standin_CompareInts((uintmax_t)(a), (uintmax_t)(b), true, #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b)                                                                                     \
	Standin_CompareInts((uintmax_t)(a), (uintmax_t)(b), false, #a " != " #b, __FILE__, __LINE__)
#define assert_in_range(value, least, most)                                                                            \
	STANDIN_CHECK((uintmax_t)(value) >= (uintmax_t)(least) && (uintmax_t)(value) <= (uintmax_t)(most),                 \
	              "%s is %" PRIuMAX, #value, (uintmax_t)(value))
#define assert_float_equal(a, b, tolerance)                                                                            \
	Standin_CompareFloats((double)(a), (double)(b), (double)(tolerance), #a " == " #b, __FILE__, __LINE__)
#define assert_string_equal(a, b) Standin_CompareStrings(a, b, true, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) Standin_CompareStrings(a, b, false, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) STANDIN_CHECK(memcmp(a, b, size) == 0, "%s differs from %s", #a, #b)
#define assert_memory_not_equal(a, b, size) STANDIN_CHECK(memcmp(a, b, size) != 0, "%s is as %s", #a, #b)

#define cmocka_unit_test(f)                                                                                            \
	{                                                                                                                  \
#f, f, NULL, NULL                                                                                              \
	}
#define cmocka_unit_test_setup_teardown(f, before, after)                                                              \
	{                                                                                                                  \
#f, f, before, after                                                                                           \
	}
#define cmocka_unit_test_teardown(f, after)                                                                            \
	{                                                                                                                  \
#f, f, NULL, after                                                                                             \
	}

static inline int Standin_Run(const char* group, const struct CMUnitTest* tests, size_t count, StandinFixture* before,
                              StandinFixture* after)
{
	void* groupState = NULL;
	if (before && before(&groupState) != 0)
		Standin_Fail(group, 0, "the group's setup failed");
	for (size_t i = 0; i < count; ++i)
	{
		void* state = groupState;
		printf("[ RUN      ] %s\n", tests[i].name);
		fflush(stdout);
		standinIsSkipped = false;
		if (tests[i].setup && tests[i].setup(&state) != 0)
			Standin_Fail(tests[i].name, 0, "the setup failed");
		tests[i].run(&state);
		if (tests[i].teardown && tests[i].teardown(&state) != 0)
			Standin_Fail(tests[i].name, 0, "the teardown failed");
		printf("[  %s ] %s\n", standinIsSkipped ? "SKIPPED" : "     OK", tests[i].name);
	}
	if (after && after(&groupState) != 0)
		Standin_Fail(group, 0, "the group's teardown failed");
	printf("[  PASSED  ] %s: %zu tests\n", group, count);
	fflush(stdout);
	return 0;
}

#define cmocka_run_group_tests_name(group, tests, before, after)                                                       \
	Standin_Run(group, tests, sizeof(tests) / sizeof((tests)[0]), before, after)
#define cmocka_run_group_tests(tests, before, after)                                                                   \
	Standin_Run(#tests, tests, sizeof(tests) / sizeof((tests)[0]), before, after)
