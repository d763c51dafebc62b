// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A fuzzer that needs only a compiler: it changes seed files at random and runs the target on the result. Input number
// i depends only on the seed and i, so --seed S --only I repeats a crash in any build.
//
//   fuzz_NAME [--seed N] [--iterations N] [--only N] FILE|DIRECTORY...

#define MAX_SEEDS 256
#define MAX_INPUT ((size_t)1 << 16)

typedef struct Seed
{
	uint8_t* data;
	size_t size;
} Seed;

static struct
{
	Seed seeds[MAX_SEEDS];
	size_t seedCount;
	uint8_t input[MAX_INPUT];
	size_t size;
	uint64_t random;
	unsigned long seed, iteration; // for the message of a failure
} driver;

// --- random numbers: splitmix64 ---

static uint64_t Next(void)
{
	uint64_t z = driver.random += 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static size_t Below(size_t limit)
{
	return limit > 0 ? (size_t)(Next() % limit) : 0;
}

// --- changes ---

static void Insert(size_t at, const void* data, size_t size)
{
	if (size > MAX_INPUT - driver.size)
		return;
	memmove(driver.input + at + size, driver.input + at, driver.size - at);
	memcpy(driver.input + at, data, size);
	driver.size += size;
}

static void Remove(size_t at, size_t size)
{
	memmove(driver.input + at, driver.input + at + size, driver.size - at - size);
	driver.size -= size;
}

static void ChangeByte(void)
{
	if (driver.size > 0)
		driver.input[Below(driver.size)] = (uint8_t)Next();
}

static void FlipBit(void)
{
	if (driver.size > 0)
		driver.input[Below(driver.size)] ^= (uint8_t)(1u << Below(8));
}

static void RemoveRange(void)
{
	size_t at = Below(driver.size);
	Remove(at, Below(driver.size - at < 64 ? driver.size - at + 1 : 64));
}

static void RepeatRange(void)
{
	uint8_t copy[64];
	size_t at = Below(driver.size);
	size_t size = Below(driver.size - at < sizeof copy ? driver.size - at + 1 : sizeof copy);
	memcpy(copy, driver.input + at, size);
	for (size_t times = 1 + Below(8); times > 0; --times)
		Insert(at, copy, size);
}

static void InsertWord(void)
{
	size_t count = 0;
	while (fuzzDictionary[count])
		++count;
	if (count == 0)
		return;
	const char* word = fuzzDictionary[Below(count)];
	Insert(Below(driver.size + 1), word, strlen(word));
}

static void InsertFromSeed(void)
{
	const Seed* seed = &driver.seeds[Below(driver.seedCount)];
	size_t at = Below(seed->size);
	Insert(Below(driver.size + 1), seed->data + at, Below(seed->size - at + 1));
}

static void Truncate(void)
{
	driver.size = Below(driver.size + 1);
}

static void Mutate(void)
{
	static void (*const changes[])(void) = {
		ChangeByte, FlipBit, RemoveRange, RepeatRange, InsertWord, InsertWord, InsertFromSeed, Truncate,
	};
	const Seed* seed = &driver.seeds[Below(driver.seedCount)];
	driver.size = seed->size;
	memcpy(driver.input, seed->data, seed->size);
	for (size_t count = 1 + Below(6); count > 0; --count)
		changes[Below(sizeof changes / sizeof changes[0])]();
}

// --- seeds ---

static void AddFile(const char* path)
{
	FILE* file = fopen(path, "rb");
	if (!file || driver.seedCount == MAX_SEEDS)
	{
		fprintf(stderr, "cannot take %s\n", path);
		exit(2);
	}
	Seed* seed = &driver.seeds[driver.seedCount++];
	// A copy of the exact size, so that a sanitizer detects a read beyond the end.
	static uint8_t buffer[MAX_INPUT / 2];
	seed->size = fread(buffer, 1, sizeof buffer, file);
	seed->data = malloc(seed->size + 1);
	if (!seed->data)
		exit(2);
	memcpy(seed->data, buffer, seed->size);
	fclose(file);
}

static int CompareNames(const void* a, const void* b)
{
	return strcmp(*(char* const*)a, *(char* const*)b);
}

// Sorts seeds by name, because input number i must not depend on the file system.
static void AddDirectory(const char* path, DIR* directory)
{
	char* names[MAX_SEEDS];
	size_t count = 0;
	struct dirent* entry;
	while ((entry = readdir(directory)) != NULL && count < MAX_SEEDS)
	{
		size_t capacity = strlen(path) + strlen(entry->d_name) + 2;
		char* name = entry->d_name[0] == '.' ? NULL : malloc(capacity);
		if (!name)
			continue;
		snprintf(name, capacity, "%s/%s", path, entry->d_name);
		names[count++] = name;
	}
	qsort(names, count, sizeof names[0], CompareNames);
	for (size_t i = 0; i < count; ++i)
	{
		AddFile(names[i]);
		free(names[i]);
	}
}

static void AddPath(const char* path)
{
	DIR* directory = opendir(path);
	if (!directory)
	{
		AddFile(path);
		return;
	}
	AddDirectory(path, directory);
	closedir(directory);
}

// --- running ---

// Sanitizers end the process by abort, so that OnCrash is called.
const char* __asan_default_options(void);
const char* __asan_default_options(void)
{
	return "abort_on_error=1:handle_abort=0";
}
const char* __ubsan_default_options(void);
const char* __ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

static void OnCrash(int signalNumber)
{
	char text[160];
	int length =
		snprintf(text, sizeof text, "\ncrash; repeat it with --seed %lu --only %lu\n", driver.seed, driver.iteration);
	if (write(STDERR_FILENO, text, (size_t)length) < 0)
		_exit(2);
	signal(signalNumber, SIG_DFL);
	raise(signalNumber);
}

static void RunInput(unsigned long iteration)
{
	driver.iteration = iteration;
	driver.random = driver.seed * 0x2545F4914F6CDD1Du + iteration;
	Mutate();
	uint8_t* exact = malloc(driver.size > 0 ? driver.size : 1);
	if (!exact)
		exit(2);
	memcpy(exact, driver.input, driver.size);
	LLVMFuzzerTestOneInput(exact, driver.size);
	free(exact);
}

static void RunSeeds(void)
{
	for (size_t i = 0; i < driver.seedCount; ++i)
		LLVMFuzzerTestOneInput(driver.seeds[i].data, driver.seeds[i].size);
}

int main(int argc, char** argv)
{
	unsigned long iterations = 10000, only = 0;
	bool hasOnly = false;
	driver.seed = 1;
	for (int i = 1; i < argc; ++i)
	{
		bool hasValue = i + 1 < argc;
		if (strcmp(argv[i], "--seed") == 0 && hasValue)
			driver.seed = strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--iterations") == 0 && hasValue)
			iterations = strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--only") == 0 && hasValue)
		{
			only = strtoul(argv[++i], NULL, 10);
			hasOnly = true;
		}
		else
			AddPath(argv[i]);
	}
	if (driver.seedCount == 0)
	{
		fprintf(stderr, "usage: %s [--seed N] [--iterations N] [--only N] FILE|DIRECTORY...\n", argv[0]);
		return 2;
	}
	const int crashes[] = {SIGABRT, SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP};
	for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; ++i)
		signal(crashes[i], OnCrash);
	if (hasOnly)
		RunInput(only);
	else
	{
		RunSeeds();
		for (unsigned long i = 0; i < iterations; ++i)
			RunInput(i);
	}
	for (size_t i = 0; i < driver.seedCount; ++i)
		free(driver.seeds[i].data);
	printf("%lu inputs from %zu seeds, seed %lu: nothing broke\n", hasOnly ? 1 : iterations, driver.seedCount,
	       driver.seed);
	return 0;
}
