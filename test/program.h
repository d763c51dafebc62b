// SPDX-License-Identifier: MIT
#pragma once

// Running the program in a test: its output, its exit code, and folders to write to.

#include "support.h"

#include <sys/types.h>

typedef struct ProgramRun
{
	int code; // exit code, or -1 when a signal ended it
	char out[65536], err[65536];
} ProgramRun;

// Of the last Program_Wait.
extern ProgramRun programRun;

// Begins `drape` with arguments up to NULL, without the first.
pid_t Program_Start(const char* const* arguments);

// Waits and fills programRun.
void Program_Wait(pid_t process);

#define PROGRAM_RUN(...) Program_Wait(Program_Start((const char* const[]){__VA_ARGS__, NULL}))

// Fails the test when `text` does not have `part`.
void Program_ExpectHas(const char* text, const char* part);

// A path in the build folder for this process alone. Sixteen are kept.
const char* Program_Scratch(const char* name);

// All of a file, with a zero byte behind it. Free it. Fails the test when there is none.
char* Program_ReadFile(const char* path, size_t* size);
void Program_WriteFile(const char* path, const char* text);

// Removes a folder and the files in it. It need not exist.
void Program_RemoveFolder(const char* path);

// Names of the files in a folder, sorted. At most `capacity`.
typedef struct ProgramName
{
	char text[128];
} ProgramName;

int Program_List(const char* path, ProgramName* names, int capacity);
