// SPDX-License-Identifier: MIT
#pragma once

// The simulation on a thread of its own, beside drawing.
//
//   window thread                      simulation thread
//   -------------                      -----------------
//   wishes: scene, play, step, grab -> taken between two frames of the simulation
//   drapeRunner_Latest  <- three frames <-  copied after every frame
//
// Three frames are passed around under one lock: one is being written, one is ready, one is being looked at. Nobody
// waits for a copy, and nobody sees half of one. The scene goes over as text.

#include "simulation/frame.h"

typedef struct Runner Runner;

// Called on the simulation thread when there is something new to see.
typedef void RunnerWakeFcn(void);

// NULL when memory or threads are short. `wake` may be NULL.
Runner* drapeRunner_Create(RunnerWakeFcn* wake);
void drapeRunner_Destroy(Runner* runner); // NULL is allowed

// --- wishes; any time, from the window's thread ---

// The scene as it is now. Takes `text` (malloc). With `fromStart` it begins at frame 0, else it goes on with the
// changes. The number that Frame::scene has once this is done, or once it has failed.
uint64_t drapeRunner_SetScene(Runner* runner, char* text, bool fromStart);
void drapeRunner_Play(Runner* runner, bool play);
void drapeRunner_Step(Runner* runner);  // one frame, and then it rests
void drapeRunner_Reset(Runner* runner); // to frame 0; it rests
void drapeRunner_Grab(Runner* runner, uint32_t cloth, drapeVec3 point);
void drapeRunner_Pull(Runner* runner, drapeVec3 target);
void drapeRunner_Release(Runner* runner);

// In lockstep every frame waits until drapeRunner_Latest has given it out, and does not wait for the clock: recording loses
// nothing.
void drapeRunner_SetLockstep(Runner* runner, bool lockstep);

// With every frame a hash of the state, which takes time.
void drapeRunner_WantHash(Runner* runner);

// --- what came of them ---

// The newest frame, valid until the next call.
const Frame* drapeRunner_Latest(Runner* runner);
bool drapeRunner_IsPlaying(Runner* runner);

// True while a wish waits or a frame is at work.
bool drapeRunner_IsBusy(Runner* runner);

// The next message that the simulation has for people: why a scene or a step failed. False for none.
bool drapeRunner_TakeMessage(Runner* runner, char* text, size_t capacity);
