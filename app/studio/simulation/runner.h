// SPDX-License-Identifier: MIT
#pragma once

// Runs the simulation on its own thread, so that drawing goes on.
//
//   window thread                      simulation thread
//   -------------                      -----------------
//   requests: scene, play, step, grab -> taken between two frames of the simulation
//   drapeRunner_Latest  <- three frames <-  copied after every frame
//
// Three frames rotate under one lock: one is written, one is ready, one is shown. Neither thread waits for a copy, and
// no frame is seen half written. The scene is passed as text.

#include "simulation/frame.h"

typedef struct Runner Runner;

// Called on the simulation thread when a new frame is ready.
typedef void RunnerWakeFcn(void);

// NULL when out of memory or threads. `wake` may be NULL.
Runner* drapeRunner_Create(RunnerWakeFcn* wake);
void drapeRunner_Destroy(Runner* runner); // NULL is allowed

// --- requests, from the window's thread ---

// Sets the scene. Takes ownership of `text` (malloc). With `fromStart` the simulation begins at frame 0, otherwise it
// continues with the changes. Returns the number that Frame::scene has once the request was done or has failed.
uint64_t drapeRunner_SetScene(Runner* runner, char* text, bool fromStart);
void drapeRunner_Play(Runner* runner, bool play);
void drapeRunner_Step(Runner* runner);  // one frame, then pauses
void drapeRunner_Reset(Runner* runner); // to frame 0, then pauses

// Pauses, and cancels the frame under way. The state is then that after the last complete step; the next frame goes on
// from there. Returns at once.
void drapeRunner_Stop(Runner* runner);
void drapeRunner_Grab(Runner* runner, uint32_t cloth, drapeVec3 point);
void drapeRunner_Pull(Runner* runner, drapeVec3 target);
void drapeRunner_Release(Runner* runner);

// In lockstep every frame waits until drapeRunner_Latest has returned it, and ignores the clock. Recording loses no
// frame.
void drapeRunner_SetLockstep(Runner* runner, bool lockstep);

// Computes a hash of the state with every frame, which takes time.
void drapeRunner_WantHash(Runner* runner);

// --- results ---

// The newest frame, valid until the next call.
const Frame* drapeRunner_Latest(Runner* runner);
bool drapeRunner_IsPlaying(Runner* runner);

// True while a request waits or a frame is computed.
bool drapeRunner_IsBusy(Runner* runner);

// True while a frame is computed that takes long.
bool drapeRunner_IsSlow(Runner* runner);

// Takes the next message for the user: why a scene or a step failed. False for none.
bool drapeRunner_TakeMessage(Runner* runner, char* text, size_t capacity);
