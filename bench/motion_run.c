// SPDX-License-Identifier: MIT
#include "motion_run.h"

#include "base/array.h"
#include "base/maths.h"
#include "base/timer.h"
#include "contact_files.h"
#include "motion_check.h"
#include "shared/scenes.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
	staticSteps = 30, // the last steps of settling are timed
	frameRate = 60,
};

// --- one run --------------------------------------------------------------------------------------------------------

typedef struct Runner
{
	MotionScene scene;
	MotionCheck check;
	MotionRun* run;
	uint64_t start; // drapeTimer_Now
	double limit;   // s
	int planned;    // steps of the motion to make
	int lastBad;    // the last step of the motion after which something crossed or was stretched
	ARRAY(double) stretches;
} Runner;

static int CompareDoubles(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

// The element that a share of the sorted list does not exceed.
static double Percentile(const double* sorted, uint32_t count, double share)
{
	return sorted[(uint32_t)(share * (count - 1) + 0.5)];
}

// 99th percentile of length over rest length of all edges.
static double Stretch99(Runner* runner)
{
	runner->stretches.count = 0;
	for (uint32_t c = 0; c < runner->scene.clothCount; ++c)
	{
		drapeClothView view = drapeCloth_GetView(runner->scene.cloths[c]);
		uint32_t count = runner->stretches.count + view.edgeCount;
		Bench_Require(ArrayReserve(&runner->stretches, count), "out of memory");
		for (uint32_t e = 0; e < view.edgeCount; ++e)
		{
			Vec3 from = V4Xyz(view.positions[view.edgeFrom[e]]), to = V4Xyz(view.positions[view.edgeTo[e]]);
			ArrayPush(&runner->stretches, (double)V3Length(V3Sub(to, from)) / (double)view.restLengths[e]);
		}
	}
	qsort(runner->stretches.data, runner->stretches.count, sizeof(double), CompareDoubles);
	return Percentile(runner->stretches.data, runner->stretches.count, 0.99);
}

// Makes a step and checks it. False when the run has to end.
static bool MakeStep(Runner* runner, double* ms, MotionFaults* faults)
{
	MotionRun* run = runner->run;
	uint64_t before = drapeTimer_Now();
	drapeResult result = MotionScene_Step(&runner->scene);
	*ms = drapeTimer_Ms(before);
	if (result != drape_ok)
	{
		run->isAborted = true;
		snprintf(run->failure, sizeof run->failure, "%s", drapeWorld_GetWarning(runner->scene.world).text);
		return false;
	}
	*faults = MotionCheck_Run(&runner->check, runner->scene.world);
	run->selfIntersections = MaxU32(run->selfIntersections, faults->selfIntersections);
	run->bodyCrossings = MaxU32(run->bodyCrossings, faults->bodyCrossings);
	run->pinched = MaxU32(run->pinched, faults->pinched);
	run->crossedAtEnd = faults->selfIntersections + faults->bodyCrossings;
	run->isCut = drapeTimer_Ms(runner->start) > 1e3 * runner->limit;
	return true;
}

// Lets the cloth come to rest on the colliders as they stand, and times the last steps. Returns their mean.
static double Settle(Runner* runner)
{
	int steps = runner->scene.settleSteps;
	double sum = 0.0;
	for (int i = 0; i < steps && !runner->run->isCut; ++i)
	{
		MotionFaults faults;
		double ms;
		if (!MakeStep(runner, &ms, &faults))
			return 0.0;
		sum += i >= steps - staticSteps ? ms : 0.0;
	}
	return sum / staticSteps;
}

static void Move(Runner* runner)
{
	MotionRun* run = runner->run;
	for (int i = 0; i < runner->planned && !run->isCut; ++i)
	{
		MotionFaults faults;
		MotionScene_Animate(&runner->scene, i);
		if (!MakeStep(runner, &run->ms[i], &faults))
			return;
		drapeCounters costs = drapeWorld_GetCounters(runner->scene.world);
		double stretch = Stretch99(runner);
		run->steps++;
		run->triangles += ((double)costs.triangles - run->triangles) / run->steps;
		run->retries += costs.retries;
		run->stretch99 = fmax(run->stretch99, stretch);
		if (faults.selfIntersections + faults.bodyCrossings > 0 || !(stretch < 1.1))
			runner->lastBad = i;
	}
}

// Seconds from the release to the end of the last step with a fault; 0 when none followed. Negative without a release.
static double RecoveredAfter(const Runner* runner)
{
	int release = runner->scene.releaseStep;
	const MotionRun* run = runner->run;
	if (release < 0 || runner->planned <= release + 1)
		return -1.0;
	if (run->isAborted || run->steps <= release + 1 || runner->lastBad == run->steps - 1)
		return motionNeverRecovered;
	return fmax((double)(runner->lastBad + 1 - release), 0.0) / frameRate;
}

void MotionRun_Make(MotionRun* run, const MotionSceneDef* def, double share, double limit, const char* folder)
{
	static Runner runner;
	*run = (MotionRun){0};
	runner = (Runner){.run = run, .limit = limit, .lastBad = -1};
	MotionScene_Create(&runner.scene, def);
	runner.planned = (int)(share * runner.scene.steps + 0.5);
	MotionCheck_Init(&runner.check, runner.scene.world, runner.scene.thickness);
	runner.start = drapeTimer_Now();
	double staticMs = Settle(&runner);
	double settled = (double)drapeWorld_GetCounters(runner.scene.world).triangles;
	if (!run->isAborted && !run->isCut)
		Move(&runner);
	if (runner.scene.hasStatic && settled > 0.0 && run->steps > 0)
		run->staticMs = staticMs * run->triangles / settled;
	run->recoveredAfter = RecoveredAfter(&runner);
	run->hash = drapeWorld_GetHash(runner.scene.world);
	if (folder)
	{
		char name[64];
		snprintf(name, sizeof name, "%s-%s", def->name, SharedScene_Scheme(def->scheme));
		ContactFiles_Write(folder, name, runner.scene.cloths, runner.scene.clothCount);
	}
	ArrayFree(&runner.stretches);
	MotionCheck_Destroy(&runner.check);
	MotionScene_Destroy(&runner.scene);
}

// --- rows -----------------------------------------------------------------------------------------------------------

typedef struct Times
{
	double mean, p99, most, busy; // ms; busy is the mean of the busiest second
} Times;

static Times Summarise(const MotionRun* run)
{
	static double sorted[motionMaxSteps];
	Times times = {0};
	int window = run->steps < frameRate ? run->steps : frameRate;
	double sum = 0.0;
	if (run->steps == 0)
		return times;
	for (int i = 0; i < run->steps; ++i)
	{
		times.mean += run->ms[i] / run->steps;
		sum += run->ms[i] - (i >= window ? run->ms[i - window] : 0.0);
		times.busy = i + 1 >= window ? fmax(times.busy, sum / window) : times.busy;
		sorted[i] = run->ms[i];
	}
	qsort(sorted, (size_t)run->steps, sizeof *sorted, CompareDoubles);
	times.p99 = Percentile(sorted, (uint32_t)run->steps, 0.99);
	times.most = sorted[run->steps - 1];
	return times;
}

static json_t* NumberOrNull(bool isNumber, double value)
{
	return isNumber ? json_real(value) : json_null();
}

static json_t* MakeRow(const MotionSceneDef* def, const MotionRun* run)
{
	Times times = Summarise(run);
	json_t* row = json_pack("{s:s, s:s, s:i, s:i, s:i, s:o, s:f, s:f, s:f, s:f, s:o}", "scene", def->name, "scheme",
	                        SharedScene_Scheme(def->scheme), "threads", (int)def->threads, "triangles",
	                        (int)(run->triangles + 0.5), "steps", run->steps, "hash", Bench_Hash(run->hash), "ms_mean",
	                        times.mean, "ms_p99", times.p99, "ms_max", times.most, "ms_busy", times.busy, "ms_static",
	                        NumberOrNull(run->staticMs > 0.0, run->staticMs));
	json_t* more =
		json_pack("{s:i, s:i, s:i, s:i, s:i, s:f, s:b, s:o}", "retries", (int)run->retries, "self_intersections",
	              (int)run->selfIntersections, "body_crossings", (int)run->bodyCrossings, "pinched", (int)run->pinched,
	              "crossed_at_end", (int)run->crossedAtEnd, "stretch_p99", run->stretch99, "aborted",
	              (int)run->isAborted, "recovered_s", NumberOrNull(run->recoveredAfter >= 0.0, run->recoveredAfter));
	json_object_update(row, more);
	json_decref(more);
	if (run->isCut)
		json_object_set_new(row, "cut", json_true());
	if (run->isAborted)
		json_object_set_new(row, "failure", json_string(run->failure));
	return row;
}

// --- a process of its own -------------------------------------------------------------------------------------------

// The run comes back through a pipe as bytes.
static void SendRun(int pipe, const MotionSceneDef* def, double share, double limit, const char* folder)
{
	static MotionRun run;
	MotionRun_Make(&run, def, share, limit, folder);
	const char* data = (const char*)&run;
	for (size_t sent = 0; sent < sizeof run;)
	{
		ssize_t count = write(pipe, data + sent, sizeof run - sent);
		if (count <= 0 && errno != EINTR)
			_exit(1);
		sent += count > 0 ? (size_t)count : 0;
	}
	_exit(0);
}

// False when the process ended or ran out of time before the whole run had come.
static bool ReceiveRun(int pipe, MotionRun* run, double limit)
{
	uint64_t start = drapeTimer_Now();
	size_t got = 0;
	while (got < sizeof *run)
	{
		struct pollfd poller = {.fd = pipe, .events = POLLIN};
		double left = 1e3 * limit - drapeTimer_Ms(start);
		if (left <= 0.0 || (poll(&poller, 1, (int)left + 1) < 0 && errno != EINTR))
			return false;
		ssize_t count = poller.revents ? read(pipe, (char*)run + got, sizeof *run - got) : 0;
		if (poller.revents && count <= 0)
			return false;
		got += (size_t)count;
	}
	return true;
}

static void RunApart(MotionRun* run, const MotionSceneDef* def, double share, double limit, const char* folder)
{
	int ends[2];
	Bench_Require(pipe(ends) == 0, "no pipe for a run");
	fflush(NULL);
	pid_t child = fork();
	Bench_Require(child >= 0, "no process for a run");
	if (child == 0)
	{
		close(ends[0]);
		SendRun(ends[1], def, share, limit, folder);
	}
	close(ends[1]);
	uint64_t start = drapeTimer_Now();
	if (!ReceiveRun(ends[0], run, 5.0 * limit))
	{
		*run = (MotionRun){.isAborted = true, .recoveredAfter = motionNeverRecovered};
		run->isCut = drapeTimer_Ms(start) > 5e3 * limit;
		snprintf(run->failure, sizeof run->failure, "%s",
		         run->isCut ? "a step took five times the limit of a run" : "the process of the run crashed");
		kill(child, SIGKILL);
	}
	close(ends[0]);
	waitpid(child, NULL, 0);
}

json_t* MotionRun_Row(const MotionSceneDef* def, double share, double limit, const char* folder)
{
	static MotionRun run;
	RunApart(&run, def, share, limit, folder);
	return MakeRow(def, &run);
}

json_t* MotionRun_BudgetRow(const MotionSceneDef* def, double share, double limit)
{
	static MotionRun run;
	double asked = 1e3 * (double)def->seconds;
	int within = 0;
	RunApart(&run, def, share, limit, NULL);
	for (int i = 0; i < run.steps; ++i)
		within += run.ms[i] <= 1.1 * asked;
	return json_pack("{s:s, s:f, s:f, s:f}", "scene", def->name, "asked_ms", asked, "share_within",
	                 run.steps > 0 ? (double)within / run.steps : 0.0, "ms_max", Summarise(&run).most);
}
