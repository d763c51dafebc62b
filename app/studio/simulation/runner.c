// SPDX-License-Identifier: MIT
#include "simulation/runner.h"

#include "document/edit.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
	frameCount = 3,
	messageCount = 8
};

typedef enum GrabWish
{
	grab_none = 0,
	grab_begin,
	grab_release,
} GrabWish;

// Everything below `lock` is shared; the rest belongs to the simulation thread.
struct Runner
{
	pthread_t thread;
	RunnerWakeFcn* wake;

	pthread_mutex_t lock;
	pthread_cond_t wished;
	bool quit;
	char* sceneText;
	bool fromStart;
	uint64_t sceneNumber; // number of the last request
	bool playing, lockstep, wantsHash;
	uint32_t steps; // requested single frames
	bool reset;
	GrabWish grab;
	uint32_t grabCloth;
	drapeVec3 grabPoint, grabTarget;
	double due; // time of the next frame, s of the clock
	bool busy;
	drapeWorldId stepping; // the world whose frame is computed; null for none
	double began;          // s of the clock: when that began
	bool isStopped;        // that frame was cancelled
	Frame* ready;
	Frame* shown;
	bool fresh; // `ready` is newer than `shown`
	char messages[messageCount][512];
	uint32_t messageFirst, messageUsed;

	Frame* written;
	Frame frames[frameCount];
	Simulation simulation;
	uint64_t appliedScene, serial;
};

static double Now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// --- the simulation thread ---

static void Say(Runner* runner, const char* text)
{
	pthread_mutex_lock(&runner->lock);
	uint32_t at = (runner->messageFirst + runner->messageUsed) % messageCount;
	snprintf(runner->messages[at], sizeof runner->messages[at], "%s", text);
	if (runner->messageUsed < messageCount)
		runner->messageUsed++;
	else
		runner->messageFirst = (runner->messageFirst + 1) % messageCount;
	pthread_mutex_unlock(&runner->lock);
}

static void Publish(Runner* runner, const FrameStats* stats, float stepMs, bool hash)
{
	Frame* frame = runner->written;
	drapeFrame_Copy(frame, &runner->simulation);
	frame->serial = ++runner->serial;
	frame->scene = runner->appliedScene;
	frame->stats = *stats;
	frame->stepMs = stepMs;
	frame->hash = hash && runner->simulation.scene ? drapeWorld_GetHash(runner->simulation.made.world) : 0;
	pthread_mutex_lock(&runner->lock);
	runner->written = runner->ready;
	runner->ready = frame;
	runner->fresh = true;
	pthread_mutex_unlock(&runner->lock);
	if (runner->wake)
		runner->wake();
}

// The requests of one frame, copied under the lock.
typedef struct Orders
{
	char* sceneText;
	bool fromStart, reset, step, hash;
	uint64_t sceneNumber;
	GrabWish grab;
	uint32_t grabCloth;
	drapeVec3 grabPoint, grabTarget;
} Orders;

static void SayError(Runner* runner, const drapeMessage* error, drapeResult result)
{
	Say(runner, error->text[0] ? drapeText_WithoutPlace(error->text, "scene") : drapeResult_GetText(result));
}

static void ApplyScene(Runner* runner, Orders* orders)
{
	drapeScene* scene;
	drapeMessage error = {0};
	drapeResult result = drapeScene_Parse(orders->sceneText, strlen(orders->sceneText), "scene", &scene, &error);
	if (result == drape_ok)
		result = orders->fromStart ? drapeSimulation_Begin(&runner->simulation, scene, &error)
		                           : drapeSimulation_Apply(&runner->simulation, scene, &error);
	free(orders->sceneText);
	runner->appliedScene = orders->sceneNumber;
	if (result != drape_ok)
		SayError(runner, &error, result);
}

static void Reset(Runner* runner)
{
	Simulation* simulation = &runner->simulation;
	if (!simulation->scene)
		return;
	size_t size;
	drapeScene_Format(simulation->scene, NULL, 0, &size, NULL);
	char* text = malloc(size + 1);
	drapeScene* scene = NULL;
	drapeMessage error = {.text = "out of memory"};
	if (text && size > 0 && drapeScene_Format(simulation->scene, text, size, &size, NULL) == drape_ok)
		drapeScene_Parse(text, size - 1, "scene", &scene, &error);
	free(text);
	if (!scene || drapeSimulation_Begin(simulation, scene, &error) != drape_ok)
		SayError(runner, &error, drape_errorMemory);
}

// Makes the world known that drapeRunner_Stop may cancel.
static void BeginFrame(Runner* runner)
{
	pthread_mutex_lock(&runner->lock);
	runner->stepping = runner->simulation.made.world;
	runner->began = Now();
	runner->isStopped = false;
	pthread_mutex_unlock(&runner->lock);
}

// Returns whether the frame was stopped.
static bool EndFrame(Runner* runner, bool isDone)
{
	pthread_mutex_lock(&runner->lock);
	bool isStopped = runner->isStopped;
	runner->stepping = (drapeWorldId){0};
	runner->playing = runner->playing && isDone;
	pthread_mutex_unlock(&runner->lock);
	return isStopped;
}

static void StepFrame(Runner* runner, bool hash)
{
	drapeMessage error = {0};
	double began = Now();
	FrameStats stats;
	BeginFrame(runner);
	drapeResult result = drapeSimulation_StepFrame(&runner->simulation, &stats, &error);
	bool isStopped = EndFrame(runner, result == drape_ok || result == drape_errorCancelled);
	// A frame may end just before it is stopped. The request then cancels the next one, for which it was not meant.
	if (result == drape_errorCancelled && !isStopped)
	{
		StepFrame(runner, hash);
		return;
	}
	if (result != drape_ok && result != drape_errorCancelled)
		SayError(runner, &error, result);
	Publish(runner, &stats, (float)(1e3 * (Now() - began)), hash);
}

// --- waiting ---

static bool HasOrders(const Runner* runner)
{
	return runner->quit || runner->sceneText || runner->reset || runner->steps > 0 || runner->grab != grab_none;
}

// Frames keep to the clock. A simulation that is slower does not try to catch up.
static bool IsDue(const Runner* runner, double* wait)
{
	*wait = 0.1;
	if (!runner->playing || !runner->simulation.scene)
		return false;
	if (runner->lockstep)
		return !runner->fresh;
	*wait = runner->due - Now();
	return *wait <= 0.0;
}

static void Sleep(Runner* runner, double seconds)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	double at = (double)until.tv_nsec + 1e9 * (seconds > 0.0005 ? seconds : 0.0005);
	until.tv_sec += (time_t)(at / 1e9);
	until.tv_nsec = (long)fmod(at, 1e9);
	pthread_cond_timedwait(&runner->wished, &runner->lock, &until);
}

// Waits for a request or the next frame. False when the thread has to end.
static bool TakeOrders(Runner* runner, Orders* orders)
{
	double wait;
	pthread_mutex_lock(&runner->lock);
	runner->busy = false;
	while (!HasOrders(runner) && !IsDue(runner, &wait))
	{
		if (runner->playing && !runner->lockstep && runner->simulation.scene)
			Sleep(runner, wait);
		else
			pthread_cond_wait(&runner->wished, &runner->lock);
	}
	runner->busy = true;
	*orders =
		(Orders){runner->sceneText,   runner->fromStart, runner->reset,     runner->steps > 0, runner->wantsHash,
	             runner->sceneNumber, runner->grab,      runner->grabCloth, runner->grabPoint, runner->grabTarget};
	runner->sceneText = NULL;
	runner->fromStart = runner->reset = false;
	runner->grab = grab_none;
	bool isTime = IsDue(runner, &wait);
	if (isTime && !runner->lockstep && runner->simulation.scene)
	{
		double frame = 1.0 / (double)runner->simulation.scene->time.frameRate, now = Now();
		runner->due = runner->due + frame > now - frame ? runner->due + frame : now;
	}
	if (orders->step)
		runner->steps--;
	orders->step = orders->step || isTime;
	bool goesOn = !runner->quit;
	pthread_mutex_unlock(&runner->lock);
	return goesOn;
}

static void* Run(void* context)
{
	Runner* runner = context;
	Orders orders;
	while (TakeOrders(runner, &orders))
	{
		bool changed = orders.sceneText || orders.reset;
		if (orders.sceneText)
			ApplyScene(runner, &orders);
		if (orders.reset)
			Reset(runner);
		if (orders.grab == grab_begin)
			drapeSimulation_Grab(&runner->simulation, orders.grabCloth, orders.grabPoint);
		else if (orders.grab == grab_release)
			drapeSimulation_Release(&runner->simulation);
		if (runner->simulation.grab.active)
			drapeSimulation_Pull(&runner->simulation, orders.grabTarget);
		if (orders.step && runner->simulation.scene)
			StepFrame(runner, orders.hash);
		else if (changed)
		{
			FrameStats stats = drapeSimulation_GetStats(&runner->simulation);
			Publish(runner, &stats, 0.0f, orders.hash);
		}
	}
	free(orders.sceneText);
	return NULL;
}

// --- the window's thread ---

Runner* drapeRunner_Create(RunnerWakeFcn* wake)
{
	Runner* runner = calloc(1, sizeof *runner);
	if (!runner)
		return NULL;
	runner->wake = wake;
	runner->written = &runner->frames[0];
	runner->ready = &runner->frames[1];
	runner->shown = &runner->frames[2];
	if (pthread_mutex_init(&runner->lock, NULL) == 0)
	{
		if (pthread_cond_init(&runner->wished, NULL) == 0)
		{
			if (pthread_create(&runner->thread, NULL, Run, runner) == 0)
				return runner;
			pthread_cond_destroy(&runner->wished);
		}
		pthread_mutex_destroy(&runner->lock);
	}
	free(runner);
	return NULL;
}

// A function that changes requests calls these two around the change.
static void Wish(Runner* runner)
{
	pthread_mutex_lock(&runner->lock);
}

static void Wished(Runner* runner)
{
	pthread_cond_signal(&runner->wished);
	pthread_mutex_unlock(&runner->lock);
}

// Cancels the frame under way, if any. Between Wish and Wished.
static void CancelFrame(Runner* runner)
{
	if (DRAPE_IS_NULL(runner->stepping))
		return;
	runner->isStopped = true;
	drapeWorld_Cancel(runner->stepping);
}

void drapeRunner_Destroy(Runner* runner)
{
	if (!runner)
		return;
	Wish(runner);
	runner->quit = true;
	CancelFrame(runner);
	Wished(runner);
	pthread_join(runner->thread, NULL);
	pthread_cond_destroy(&runner->wished);
	pthread_mutex_destroy(&runner->lock);
	drapeSimulation_End(&runner->simulation);
	for (int i = 0; i < frameCount; ++i)
		drapeFrame_Free(&runner->frames[i]);
	free(runner);
}

uint64_t drapeRunner_SetScene(Runner* runner, char* text, bool fromStart)
{
	Wish(runner);
	free(runner->sceneText);
	runner->sceneText = text;
	runner->fromStart = runner->fromStart || fromStart;
	runner->busy = true;
	uint64_t number = ++runner->sceneNumber;
	Wished(runner);
	return number;
}

void drapeRunner_Play(Runner* runner, bool play)
{
	double now = Now();
	Wish(runner);
	if (play && !runner->playing)
		runner->due = now;
	runner->playing = play;
	Wished(runner);
}

void drapeRunner_Step(Runner* runner)
{
	Wish(runner);
	runner->playing = false;
	runner->steps++;
	runner->busy = true;
	Wished(runner);
}

void drapeRunner_Stop(Runner* runner)
{
	Wish(runner);
	runner->playing = false;
	runner->steps = 0;
	CancelFrame(runner);
	Wished(runner);
}

void drapeRunner_Reset(Runner* runner)
{
	Wish(runner);
	CancelFrame(runner);
	runner->playing = false;
	runner->steps = 0;
	runner->reset = true;
	runner->busy = true;
	Wished(runner);
}

void drapeRunner_Grab(Runner* runner, uint32_t cloth, drapeVec3 point)
{
	Wish(runner);
	runner->grab = grab_begin;
	runner->grabCloth = cloth;
	runner->grabPoint = runner->grabTarget = point;
	Wished(runner);
}

void drapeRunner_Pull(Runner* runner, drapeVec3 target)
{
	Wish(runner);
	runner->grabTarget = target;
	Wished(runner);
}

void drapeRunner_Release(Runner* runner)
{
	Wish(runner);
	runner->grab = grab_release;
	Wished(runner);
}

void drapeRunner_SetLockstep(Runner* runner, bool lockstep)
{
	double now = Now();
	Wish(runner);
	runner->lockstep = lockstep;
	runner->due = now;
	Wished(runner);
}

void drapeRunner_WantHash(Runner* runner)
{
	Wish(runner);
	runner->wantsHash = true;
	Wished(runner);
}

const Frame* drapeRunner_Latest(Runner* runner)
{
	Wish(runner);
	if (runner->fresh)
	{
		Frame* frame = runner->shown;
		runner->shown = runner->ready;
		runner->ready = frame;
		runner->fresh = false;
	}
	const Frame* shown = runner->shown;
	Wished(runner);
	return shown;
}

bool drapeRunner_IsPlaying(Runner* runner)
{
	Wish(runner);
	bool playing = runner->playing;
	Wished(runner);
	return playing;
}

bool drapeRunner_IsSlow(Runner* runner)
{
	const double slow = 0.2; // s
	double now = Now();
	Wish(runner);
	bool isSlow = !DRAPE_IS_NULL(runner->stepping) && now - runner->began > slow;
	Wished(runner);
	return isSlow;
}

bool drapeRunner_IsBusy(Runner* runner)
{
	Wish(runner);
	bool busy = runner->busy || HasOrders(runner) || runner->fresh;
	Wished(runner);
	return busy;
}

bool drapeRunner_TakeMessage(Runner* runner, char* text, size_t capacity)
{
	Wish(runner);
	bool found = runner->messageUsed > 0;
	if (found)
	{
		snprintf(text, capacity, "%s", runner->messages[runner->messageFirst]);
		runner->messageFirst = (runner->messageFirst + 1) % messageCount;
		runner->messageUsed--;
	}
	Wished(runner);
	return found;
}
