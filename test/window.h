// SPDX-License-Identifier: MIT
#pragma once

// The studio in a real window of a real X server, used with mouse and keyboard: an Xvfb of its own for each test
// program, and events through the XTest extension. What is where, and what came of it, is read from `--probe`.

#include "program.h"

#include <jansson.h>

typedef struct Picture
{
	int width, height;
	uint8_t* pixels; // 3 bytes each, rows from the top; free()
} Picture;

// For cmocka's group setup and teardown. Without an X server, tests are skipped: Window_Has says.
int Window_OpenServer(void** state);
int Window_CloseServer(void** state);
bool Window_Has(void);

// For the teardown of each test: nothing is left of a studio that a failed one has begun.
int Window_EndTest(void** state);

// Begins `drape studio` with arguments up to NULL and waits for its window.
void Studio_Start(const char* const* arguments);
#define STUDIO_START(...) Studio_Start((const char* const[]){__VA_ARGS__, NULL})

// Asks the window to close, as its frame's cross does.
void Studio_CloseWindow(void);

// The exit code; ends it by force when it does not end by itself.
int Studio_Wait(void);

// As a crash does.
void Studio_Kill(void);

// --- what the studio says; the last answer is kept until the next call ---

const json_t* Probe(void);
double Probe_Number(const char* key);
bool Probe_Is(const char* key);
const char* Probe_Text(const char* key);
bool Probe_HasItem(const char* name);

// Number `k` of vertex `vertex` of cloth `cloth`: 0 and 1 are pixels of the window, 2 to 4 are metres.
double Probe_Vertex(size_t cloth, size_t vertex, size_t k);

typedef bool ProbeFcn(double value);

// Waits until the probe says so; fails the test after a minute.
void Expect_Number(const char* key, double value);
void Expect_AtLeast(const char* key, double value);
void Expect_True(const char* key);
void Expect_False(const char* key);
void Expect_Item(const char* name);
void Expect_Settled(void); // nothing is under way

// --- mouse and keyboard ---

void Mouse_Move(double x, double y);
void Mouse_Button(int button, bool down);
void Mouse_Click(double x, double y);
void Mouse_Drag(double fromX, double fromY, double toX, double toY);
void Click(const char* item); // waits for it

// "ctrl+s", "space", "Home".
void Key(const char* keys);
void Type(const char* text);

// Types a value into a row that is dragged otherwise.
void Enter(const char* item, const char* value);

// Drops a file onto the window, by the protocol that file managers use.
void Drop_File(const char* path);

// --- pictures ---

Picture Window_Picture(void);
void Window_SavePicture(const char* path);

// How many pixels of a rectangle differ by more than a little.
int Picture_Difference(const Picture* a, const Picture* b, int x, int y, int width, int height);
