// SPDX-License-Identifier: MIT
#pragma once

// The benchmarks: the program drape-bench, which `drape bench` starts.
//
// Each benchmark fills a JSON object and can print it as a table, beside the figures of published work. Times are the
// minimum and the median of several runs on warm memory. A state hash comes with them, so that a speed-up that changes
// results is noticed. Benchmarks include headers of the core, to time one stage alone.

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// Options of the command line. A benchmark ignores those that it does not use.
typedef struct BenchOptions
{
	const char* only;   // run only this scene; NULL for all
	const char* folder; // write the last state of every scene into this folder; NULL for none
	bool isQuick;       // fewer scenes or steps
	float seconds;      // simulated time of each scene, s; 0 for all of it
	uint32_t runs;      // repetitions; 0 for the benchmark's own number
	uint32_t threads;   // worker threads; 0 for the benchmark's own number
	const char* scheme; // only this scheme of refinement; NULL for all
} BenchOptions;

typedef struct Benchmark
{
	const char* name;
	const char* help;
	bool takesOptions; // a benchmark that takes none refuses them
	json_t* (*run)(const BenchOptions* options);
	void (*print)(const json_t* result); // a table on standard output
} Benchmark;

extern const Benchmark benchAdapt;
extern const Benchmark benchApi;
extern const Benchmark benchBroad;
extern const Benchmark benchBender;
extern const Benchmark benchContact;
extern const Benchmark benchMotion;
extern const Benchmark benchRender; // only where drape_render was built
extern const Benchmark benchRest;
extern const Benchmark benchScenes;
extern const Benchmark benchSolve;
extern const Benchmark benchThesis;

// Minimum and median of a list of times.
typedef struct BenchTimes
{
	double minimum, median;
} BenchTimes;

// Sorts `times` in place.
BenchTimes Bench_Summarise(double* times, int count);

// Processor time of this process so far, summed over its threads, ms.
double Bench_ProcessorMs(void);

enum
{
	benchMaxRuns = 5,
	benchMaxSteps = 900,
};

// Times of runs that do bit-identical work.
typedef struct BenchRuns
{
	double ms[benchMaxRuns][benchMaxSteps]; // per run and step
	int steps, runs;
} BenchRuns;

// Summary of BenchRuns. Blocks of ten steps are compared over the runs: `minimum` sums the minimum of each block.
typedef struct BenchSteps
{
	double minimum, median; // ms per step, mean over all steps but the first
	double worst;           // ms, the largest of the steps' minima over the runs
	double first; // ms, the first step: it builds the solver's structures for the mesh; not part of the others
} BenchSteps;

BenchSteps Bench_SummariseRuns(const BenchRuns* times);

// The folder of the shipped scenes: the environment variable DRAPE_SCENES, the installed scenes beside the program, or
// the folder of the sources. Valid until the next call.
const char* Bench_SceneFolder(void);

json_t* Bench_Hash(uint64_t hash);                          // as hexadecimal text
double Bench_Number(const json_t* object, const char* key); // 0 when there is none
const char* Bench_Text(const json_t* object, const char* key);

// Ends the program with a message when the condition does not hold.
void Bench_Require(bool condition, const char* what);
