// SPDX-License-Identifier: MIT
#pragma once

// The simulation on a thread of its own, beside drawing.
//
//   window thread                      simulation thread
//   -------------                      -----------------
//   wishes: scene, play, step, grab -> taken between two frames of the simulation
//   Runner_Latest  <- three frames <-  copied after every frame
//
// Three frames are passed around under one lock: one is being written, one is ready, one is being looked at. Nobody
// waits for a copy, and nobody sees half of one. The scene goes over as text.

#include "frame.h"

typedef struct Runner Runner;

// Called on the simulation thread when there is something new to see.
typedef void RunnerWakeFcn(void);

// NULL when memory or threads are short. `wake` may be NULL.
Runner* Runner_Create(RunnerWakeFcn* wake);
void Runner_Destroy(Runner* runner); // NULL is allowed

// --- wishes; any time, from the window's thread ---

// The scene as it is now. Takes `text` (malloc). With `fromStart` it begins at frame 0, else it goes on with the
// changes. The number that Frame::scene has once this is done, or once it has failed.
uint64_t Runner_SetScene(Runner* runner, char* text, bool fromStart);
void Runner_Play(Runner* runner, bool play);
void Runner_Step(Runner* runner);  // one frame, and then it rests
void Runner_Reset(Runner* runner); // to frame 0; it rests
void Runner_Grab(Runner* runner, uint32_t cloth, drapeVec3 point);
void Runner_Pull(Runner* runner, drapeVec3 target);
void Runner_Release(Runner* runner);

// In lockstep every frame waits until Runner_Latest has given it out, and does not wait for the clock: recording loses
// nothing.
void Runner_SetLockstep(Runner* runner, bool lockstep);

// With every frame a hash of the state, which takes time.
void Runner_WantHash(Runner* runner);

// --- what came of them ---

// The newest frame, valid until the next call.
const Frame* Runner_Latest(Runner* runner);
bool Runner_IsPlaying(Runner* runner);

// True while a wish waits or a frame is at work.
bool Runner_IsBusy(Runner* runner);

// The next message that the simulation has for people: why a scene or a step failed. False for none.
bool Runner_TakeMessage(Runner* runner, char* text, size_t capacity);
