// SPDX-License-Identifier: MIT
#include "source_tree.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// The core calls the C library and the operating system only where every platform gives the same result, or in the files
// that hide the difference.

// Functions of math.h whose results differ between C libraries, or that are not one operation of IEEE 754. `f` and `l` may
// follow each name. Square roots, rounding to integers, signs and classification are allowed.
static const char* const inexact[] = {
	"acos",  "acosh",   "asin",   "asinh", "atan",      "atan2",     "atanh",      "cbrt",   "cos",       "cosh",
	"erf",   "erfc",    "exp",    "exp2",  "expm1",     "fdim",      "fma",        "fmax",   "fmin",      "fmod",
	"frexp", "hypot",   "ilogb",  "ldexp", "lgamma",    "llrint",    "log",        "log10",  "log1p",     "log2",
	"logb",  "lrint",   "modf",   "nan",   "nearbyint", "nextafter", "nexttoward", "pow",    "remainder", "remquo",
	"rint",  "scalbln", "scalbn", "sin",   "sinh",      "tan",       "tanh",       "tgamma",
};

// Calls whose results depend on the platform: the order of equal items, random numbers, the environment.
static const char* const others[] = {"qsort", "rand", "getenv", "strtod", "strtof", "atof", "setlocale"};

// Headers of operating systems, and what C17 leaves to them. Only the files of `platformFiles` include them.
static const char* const platformHeaders[] = {"pthread.h", "sched.h",     "windows.h",   "time.h",      "unistd.h",
                                              "threads.h", "signal.h",    "process.h",   "sys/",        "malloc.h",
                                              "fenv.h",    "cpuid.h",     "intrin.h",    "immintrin.h", "arm_neon.h",
                                              "wasm_simd", "emmintrin.h", "xmmintrin.h", "locale.h"};
static const char* const platformFiles[] = {"src/base/platform/posix.c", "src/base/platform/windows.c",
                                            "src/base/simd/"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// dispatch.c is no part of the copies of the core.
static bool IsCore(const char* path)
{
	return StartsWith(path, "src/") && strcmp(path, "src/base/simd/dispatch.c") != 0;
}

static bool IsName(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool IsInexact(const char* name, size_t length)
{
	for (size_t i = 0; i < COUNT(inexact); ++i)
	{
		size_t plain = strlen(inexact[i]);
		if (strncmp(name, inexact[i], plain) == 0 &&
		    (length == plain || (length == plain + 1 && (name[plain] == 'f' || name[plain] == 'l'))))
			return true;
	}
	for (size_t i = 0; i < COUNT(others); ++i)
	{
		if (strlen(others[i]) == length && strncmp(name, others[i], length) == 0)
			return true;
	}
	return false;
}

// Skips a comment or a literal at `text`. Returns `text` if there is none.
static const char* SkipQuiet(const char* text)
{
	if (StartsWith(text, "//"))
		return text + strcspn(text, "\n");
	if (StartsWith(text, "/*"))
	{
		const char* end = strstr(text + 2, "*/");
		return end ? end + 2 : text + strlen(text);
	}
	if (*text != '"' && *text != '\'')
		return text;
	const char* at = text + 1;
	while (*at && *at != *text && *at != '\n')
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

// Returns the first call of a forbidden function in a text, or NULL. A member (`pose.sin`) is no call of the library.
static const char* FindForbiddenCall(const char* text, size_t* length)
{
	const char* start = text;
	while (*text)
	{
		const char* next = SkipQuiet(text);
		if (next != text)
		{
			text = next;
			continue;
		}
		if (!IsName(*text))
		{
			text++;
			continue;
		}
		for (next = text; IsName(*next);)
			next++;
		const char* after = next + strspn(next, " \t\n");
		bool isMember = text > start && (text[-1] == '.' || (text[-1] == '>' && text[-2] == '-'));
		if (*after == '(' && !isMember && IsInexact(text, (size_t)(next - text)))
		{
			*length = (size_t)(next - text);
			return text;
		}
		text = next;
	}
	return NULL;
}

static void TheCoreCallsNoFunctionWhoseResultDependsOnTheLibrary(void** state)
{
	(void)state;
	Tree tree = Tree_OfProject();
	int bad = 0;
	for (size_t i = 0; i < tree.count; ++i)
	{
		size_t length;
		if (!IsCore(tree.files[i].path))
			continue;
		for (const char* at = tree.files[i].text; (at = FindForbiddenCall(at, &length)); at += length)
		{
			print_error("%s calls %.*s: use base/portable/elementary.h, base/maths.h or base/portable/sort.h\n",
			            tree.files[i].path, (int)length, at);
			bad++;
		}
	}
	Tree_Free(&tree);
	assert_int_equal(bad, 0);
}

static bool IsListed(const char* const* list, size_t count, const char* text)
{
	for (size_t i = 0; i < count; ++i)
	{
		if (StartsWith(text, list[i]))
			return true;
	}
	return false;
}

static void OnlyThePlatformFilesIncludeHeadersOfThePlatform(void** state)
{
	(void)state;
	Tree tree = Tree_OfProject();
	int bad = 0;
	for (size_t i = 0; i < tree.count; ++i)
	{
		const char* path = tree.files[i].path;
		if (!StartsWith(path, "src/") || IsListed(platformFiles, COUNT(platformFiles), path))
			continue;
		for (const char* at = tree.files[i].text; (at = strstr(at, "include <")); ++at)
		{
			const char* name = at + strlen("include <");
			bool isAtomic = StartsWith(name, "stdatomic.h") && !StartsWith(path, "src/base/");
			if (!isAtomic && !IsListed(platformHeaders, COUNT(platformHeaders), name))
				continue;
			print_error("%s includes <%.*s>\n", path, (int)strcspn(name, ">\n"), name);
			bad++;
		}
	}
	Tree_Free(&tree);
	assert_int_equal(bad, 0);
}

static void ForbiddenCallsAreFound(void** state)
{
	(void)state;
	static const struct
	{
		const char *text, *call;
	} cases[] = {
		{"float f(float x) { return sinf(x); }", "sinf"},
		{"y = 2 * cos (x);", "cos"},
		{"y = pow\n(x, 2);", "pow"},
		{"qsort(items, 3, 4, Compare);", "qsort"},
		{"y = drapeMath_Sin(x) + Math_CosF(x) + usin(x);", NULL},
		{"// sin(x)\ny = \"cos(x)\"; /* exp(x) */", NULL},
		{"y = '\"'; z = atan2(a, b);", "atan2"},
		{"y = pose.sin(x) + pose->cos(x) + sqrtf(floor(x));", NULL},
		{"y = fmaxf(a, b);", "fmaxf"},
	};
	for (size_t i = 0; i < COUNT(cases); ++i)
	{
		size_t length = 0;
		const char* found = FindForbiddenCall(cases[i].text, &length);
		if (!cases[i].call)
			assert_null(found);
		else
		{
			assert_non_null(found);
			assert_int_equal(length, strlen(cases[i].call));
			assert_memory_equal(found, cases[i].call, length);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheCoreCallsNoFunctionWhoseResultDependsOnTheLibrary),
		cmocka_unit_test(OnlyThePlatformFilesIncludeHeadersOfThePlatform),
		cmocka_unit_test(ForbiddenCallsAreFound),
	};
	return cmocka_run_group_tests_name("platform calls", tests, NULL, NULL);
}
