// SPDX-License-Identifier: MIT
#pragma once

// bench — what drape costs, beside the figures of the sources.
//
// Each benchmark fills a JSON object and, when asked, prints it as a table for people. Times are the minimum and the
// median of several runs on warm memory; a state hash is printed with them, so that a speed-up that changes results is
// seen. Benchmarks include the core's inner rooms, to time one stage by itself.

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// What the command line asks for; benchmarks do not look at what they have no use for.
typedef struct BenchOptions
{
	const char* only;   // scenes whose names begin so; NULL for all
	const char* folder; // where to leave the last state of every scene; NULL for nowhere
	bool isQuick;       // fewer scenes and steps
	float seconds;      // simulated; 0 for all
	uint32_t runs;      // 0 for the benchmark's own number
	uint32_t threads;   // likewise
} BenchOptions;

typedef struct Benchmark
{
	const char* name;
	const char* help;
	bool takesOptions; // else they are refused
	json_t* (*run)(const BenchOptions* options);
	void (*print)(const json_t* result); // a table on standard output
} Benchmark;

extern const Benchmark benchAdapt;
extern const Benchmark benchBroad;
extern const Benchmark benchBender;
extern const Benchmark benchContact;
extern const Benchmark benchRender; // where the program has pictures
extern const Benchmark benchRest;
extern const Benchmark benchSolve;
extern const Benchmark benchThesis;

// Minimum and median of timings, which are sorted in place.
typedef struct BenchTimes
{
	double minimum, median;
} BenchTimes;

BenchTimes Bench_Summarise(double* times, int count);

// Time that the processor has spent on this program, all threads together.
double Bench_ProcessorMs(void);

enum
{
	benchMaxRuns = 5,
	benchMaxSteps = 900,
};

// Times of runs that do the same work bit for bit, ms by step.
typedef struct BenchRuns
{
	double ms[benchMaxRuns][benchMaxSteps];
	int steps, runs;
} BenchRuns;

// Blocks of ten steps are compared over the runs: the minimum is the sum of each block's minimum.
typedef struct BenchSteps
{
	double minimum, median; // mean over the steps, ms
	double worst;           // ms, of the step whose own minimum is the largest
	double first;           // ms, likewise: builds what the solver needs for the mesh, and is not part of the others
} BenchSteps;

BenchSteps Bench_SummariseRuns(const BenchRuns* times);

json_t* Bench_Hash(uint64_t hash);                          // as hexadecimal text
double Bench_Number(const json_t* object, const char* key); // 0 when there is none
const char* Bench_Text(const json_t* object, const char* key);

// Ends the program with a message when the condition does not hold.
void Bench_Require(bool condition, const char* what);
