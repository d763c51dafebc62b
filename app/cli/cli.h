// SPDX-License-Identifier: MIT
#pragma once

// cli: the `drape` program. Each command has one file; this header has the shared parts. A table describes the options
// of a command and is also its help. Results go to standard output, other text to standard error. With --json, standard
// output gets exactly one JSON object, even if the command fails.

#include "drape/io.h"
#include "drape/world.h"

#include <jansson.h>

typedef enum CliExit
{
	cli_exitDone = 0,
	cli_exitFailed = 1, // the work failed
	cli_exitUsage = 2,  // bad usage
	cli_exitInput = 3,  // bad input
} CliExit;

typedef struct CliCommand
{
	const char* name;
	const char* help; // one line
	CliExit (*run)(int argc, char** argv);
} CliCommand;

// --- options ---

typedef enum CliOptionKind
{
	cli_optionFlag,     // value is a bool*
	cli_optionText,     // const char**
	cli_optionPositive, // float*, finite and greater than 0
	cli_optionWhole,    // uint32_t*, a whole number from 0 on
	cli_optionChoice,   // int*, the number of the word in `argument`, "shape|uv"
	cli_optionList,     // CliList*, texts; the option may be repeated
} CliOptionKind;

enum
{
	cli_listCapacity = 64,
};

typedef struct CliList
{
	const char* items[cli_listCapacity];
	int count;
} CliList;

typedef struct CliOption
{
	const char* name; // with its dashes
	CliOptionKind kind;
	const char* argument; // as help shows it; NULL for a flag
	const char* help;
	void* value; // unchanged if the option is missing
} CliOption;

typedef struct CliUsage
{
	const char* synopsis; // "drape check FILE [options]"
	const char* summary;
	const CliOption* options;
	int optionCount;
	const char** operands; // [operandCount] receives the arguments that are not options
	int operandCount;      // number of operands
	int optionalCount;     // number of operands at the end that are optional; they stay unchanged if missing
} CliUsage;

typedef enum CliParse
{
	cli_parseRun,   // continue
	cli_parseHelp,  // --help was given and answered
	cli_parseUsage, // a message was printed
} CliParse;

// argv[0] is the command's name. `--option VALUE`, `--option=VALUE`; `--` ends options.
CliParse Cli_Parse(const CliUsage* usage, int argc, char** argv);

// --- messages ---

// "drape: message" and a newline on standard error.
void Cli_Error(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Returns the candidate that `word` probably means, or NULL. `next` returns candidates until NULL.
typedef const char* CliCandidateFcn(const void* context, int index);
const char* Cli_Suggest(const char* word, CliCandidateFcn* next, const void* context);

// Bad data, files and sizes are bad input; every other error is failed work.
CliExit Cli_ExitFor(drapeResult result);

// Flushes standard output; the last call of the program. Returns `code`, or an error with a message if output was lost.
CliExit Cli_CloseOutput(CliExit code);

// --- JSON ---

// Text of a file or a path, which may not be UTF-8: bytes that are not become '?'.
json_t* Cli_JsonText(const char* text);

// Returns null for a value that is not finite.
json_t* Cli_JsonNumber(double value);

// DRAPE_NONE becomes null.
json_t* Cli_JsonIndex(uint32_t index, uint32_t base);

// Prints the object and drops the reference. Prints a message and returns false if memory or the output fails.
bool Cli_PrintJson(json_t* object);

// --- folders ---

// As `mkdir -p`. Returns 0 or an errno value.
int Cli_MakeFolders(const char* path);

// Returns the path of a file relative to the folder of the running program, such as "drape-bench". Returns false and ""
// in `path` if the system does not give the folder or the path is too long.
bool Cli_BesideProgram(const char* name, char* path, size_t capacity);

// --- commands ---

CliExit Check_Run(int argc, char** argv);
// drape check, of a scene. The limit for untangling, s, replaces the scene's unless it is 0.
CliExit CheckScene_Run(const char* path, bool json, float untangleSeconds);
CliExit Presets_Run(int argc, char** argv);
CliExit Render_Run(int argc, char** argv);
CliExit Run_Run(int argc, char** argv);
CliExit Schema_Run(int argc, char** argv);
CliExit Studio_Run(int argc, char** argv);
CliExit Bench_Run(int argc, char** argv); // starts the program drape-bench

// In app/studio: runs until its window is closed, and returns an exit code. Both arguments may be NULL.
int drapeStudio_Open(const char* path, const char* probe);

// --- long work ---

// The first Ctrl-C ends the work after the present frame, the second ends it at once.
void Cli_CatchSignals(void);
bool Cli_StopAsked(void);

// Signals that ask to stop also cancel a step of this world that takes long; a null world ends that. The world must
// exist until then.
void Cli_CancelOnSignal(drapeWorldId world);

// Returns the seconds of a monotonic clock.
double Cli_Seconds(void);
