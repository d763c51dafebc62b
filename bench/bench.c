// SPDX-License-Identifier: MIT
#include "bench.h"

#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const Benchmark* const benchmarks[] = {
	&benchAdapt,   &benchThesis, &benchSolve, &benchBroad,  &benchBender,
	&benchContact, &benchMotion, &benchRest,  &benchScenes, &benchApi,
#ifdef DRAPE_HAS_RENDER
	&benchRender,
#endif
};

enum
{
	benchmarkCount = sizeof benchmarks / sizeof benchmarks[0]
};

static int CompareDoubles(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

BenchTimes Bench_Summarise(double* times, int count)
{
	qsort(times, (size_t)count, sizeof *times, CompareDoubles);
	return (BenchTimes){times[0], times[count / 2]};
}

double Bench_ProcessorMs(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

enum
{
	blockSteps = 10
};

BenchSteps Bench_SummariseRuns(const BenchRuns* times)
{
	BenchSteps result = {0};
	double runs[benchMaxRuns];
	for (int from = 1; from < times->steps; from += blockSteps)
	{
		int to = from + blockSteps < times->steps ? from + blockSteps : times->steps;
		for (int run = 0; run < times->runs; ++run)
		{
			runs[run] = 0.0;
			for (int i = from; i < to; ++i)
				runs[run] += times->ms[run][i] / (times->steps - 1);
		}
		BenchTimes block = Bench_Summarise(runs, times->runs);
		result.minimum += block.minimum;
		result.median += block.median;
	}
	for (int i = 0; i < times->steps; ++i)
	{
		for (int run = 0; run < times->runs; ++run)
			runs[run] = times->ms[run][i];
		double least = Bench_Summarise(runs, times->runs).minimum;
		result.first = i == 0 ? least : result.first;
		result.worst = i == 0 ? 0.0 : fmax(result.worst, least);
	}
	return result;
}

json_t* Bench_Hash(uint64_t hash)
{
	return json_sprintf("%016llx", (unsigned long long)hash);
}

double Bench_Number(const json_t* object, const char* key)
{
	return json_number_value(json_object_get(object, key));
}

const char* Bench_Text(const json_t* object, const char* key)
{
	return json_string_value(json_object_get(object, key));
}

void Bench_Require(bool condition, const char* what)
{
	if (condition)
		return;
	Cli_Error("bench: %s", what);
	exit(cli_exitFailed);
}

const char* Bench_SceneFolder(void)
{
	static char folder[1024];
	const char* given = getenv("DRAPE_SCENES");
	if (given)
		return given;
	bool isInstalled = Cli_BesideProgram("../share/drape/scenes", folder, sizeof folder) && access(folder, R_OK) == 0;
	return isInstalled ? folder : DRAPE_SCENE_FOLDER;
}

static const char* BenchmarkName(const void* context, int index)
{
	(void)context;
	return index < benchmarkCount ? benchmarks[index]->name : NULL;
}

static CliExit UnknownBenchmark(const char* name)
{
	const char* meant = Cli_Suggest(name, BenchmarkName, NULL);
	if (meant)
		Cli_Error("no benchmark is called '%s'; did you mean '%s'?", name, meant);
	else
		Cli_Error("no benchmark is called '%s'", name);
	return cli_exitUsage;
}

static CliExit RunOne(const Benchmark* benchmark, const BenchOptions* options, bool asJson)
{
	json_t* result = benchmark->run(options);
	if (asJson)
		return Cli_PrintJson(result) ? cli_exitDone : cli_exitFailed;
	benchmark->print(result);
	json_decref(result);
	return cli_exitDone;
}

static CliExit Run(int argc, char** argv)
{
	const char* name = NULL;
	bool asJson = false;
	BenchOptions asked = {0};
	const CliOption options[] = {
		{"--json", cli_optionFlag, NULL, "one JSON object on standard output", &asJson},
		{"--only", cli_optionText, "SCENE",
	     "bender, contact, motion, rest: only this scene; scenes: names with this start; solve: 32, 64, 128 or large",
	     &asked.only},
		{"--scene", cli_optionText, "SCENE", "the same as --only", &asked.only},
		{"--scheme", cli_optionText, "NAME", "motion: only fixed, edge or sqrt3", &asked.scheme},
		{"--seconds", cli_optionPositive, "S", "bender: so much of each scene", &asked.seconds},
		{"--runs", cli_optionWhole, "N", "bender, scenes: repeat, and take the least times; rest: runs of a scene",
	     &asked.runs},
		{"--threads", cli_optionWhole, "N", "bender, motion, rest: instead of one, of two", &asked.threads},
		{"--quick", cli_optionFlag, NULL, "contact, motion: fewer scenes and steps; scenes: fewer steps",
	     &asked.isQuick},
		{"--write", cli_optionText, "DIR", "contact: leaves the end of every scene there as OBJ", &asked.folder},
	};
	const CliUsage usage = {
		.synopsis = "drape bench [NAME] [options]",
		.summary = "Measures; without a name, everything. Benchmarks: adapt, thesis, solve, broad, bender, contact, "
				   "motion, rest, scenes, api, render.",
		.options = options,
		.optionCount = sizeof options / sizeof options[0],
		.operands = &name,
		.operandCount = 1,
		.optionalCount = 1,
	};
	CliParse parse = Cli_Parse(&usage, argc, argv);
	if (parse != cli_parseRun)
		return parse == cli_parseHelp ? cli_exitDone : cli_exitUsage;
	if (asJson && !name)
	{
		Cli_Error("--json needs the name of one benchmark");
		return cli_exitUsage;
	}
	bool isOptional = asked.only || asked.folder || asked.isQuick || asked.seconds > 0.0f || asked.runs > 0 ||
	                  asked.threads > 0 || asked.scheme;
	bool found = false;
	CliExit exitCode = cli_exitDone;
	for (int i = 0; i < benchmarkCount && exitCode == cli_exitDone; ++i)
	{
		if (name && strcmp(name, benchmarks[i]->name) != 0)
			continue;
		found = true;
		if (isOptional && !benchmarks[i]->takesOptions)
		{
			Cli_Error("these options are for 'drape bench bender', 'contact', 'motion', 'rest', 'scenes' and 'solve'");
			return cli_exitUsage;
		}
		exitCode = RunOne(benchmarks[i], &asked, asJson);
	}
	return found ? exitCode : UnknownBenchmark(name);
}

int main(int argc, char** argv)
{
	CliExit code = Run(argc, argv);
	return Cli_CloseOutput(code);
}
