// SPDX-License-Identifier: MIT
#pragma once

// cli — the `drape` program. One file per command; what they share is here. A command says what it takes in a table of
// options, which is also its help. Results go to standard output, everything else to standard error; with --json,
// standard output gets one JSON object and nothing else, also when the command fails.

#include "drape/io.h"

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
} CliOptionKind;

typedef struct CliOption
{
	const char* name; // with its dashes
	CliOptionKind kind;
	const char* argument; // as help shows it; NULL for a flag
	const char* help;
	void* value; // untouched when the option is not given
} CliOption;

typedef struct CliUsage
{
	const char* synopsis; // "drape check FILE [options]"
	const char* summary;
	const CliOption* options;
	int optionCount;
	const char** operands; // [operandCount] receives what is not an option
	int operandCount;      // so many are taken
	int optionalCount;     // so many of them, the last ones, may be left out and stay untouched
} CliUsage;

typedef enum CliParse
{
	cli_parseRun,   // go on
	cli_parseHelp,  // --help was given and answered
	cli_parseUsage, // a message was printed
} CliParse;

// argv[0] is the command's name. `--option VALUE`, `--option=VALUE`; `--` ends options.
CliParse Cli_Parse(const CliUsage* usage, int argc, char** argv);

// --- messages ---

// "drape: message" and a newline on standard error.
void Cli_Error(const char* format, ...) __attribute__((format(printf, 1, 2)));

// The candidate that `word` probably means, or NULL. `next` gives candidates until NULL.
typedef const char* CliCandidateFcn(const void* context, int index);
const char* Cli_Suggest(const char* word, CliCandidateFcn* next, const void* context);

// Bad data, files and sizes are bad input; every other error is failed work.
CliExit Cli_ExitFor(drapeResult result);

// The last call of a program: flushes standard output. Returns `code`, or an error, with a message, when output was lost.
CliExit Cli_CloseOutput(CliExit code);

// --- JSON ---

// Text of a file or a path, which may not be UTF-8: bytes that are not become '?'.
json_t* Cli_JsonText(const char* text);

// null when the value is not finite.
json_t* Cli_JsonNumber(double value);

// DRAPE_NONE becomes null.
json_t* Cli_JsonIndex(uint32_t index, uint32_t base);

// Prints the object and drops the reference. False, with a message, when memory or the output fails.
bool Cli_PrintJson(json_t* object);

// --- folders ---

// As `mkdir -p`. Returns 0 or an errno value.
int Cli_MakeFolders(const char* path);

// The path of a file that is given from the folder of the running program on: "drape-bench". False, and "" in `path`, when the
// system does not tell where the program is, or when the path is too long.
bool Cli_BesideProgram(const char* name, char* path, size_t capacity);

// --- commands ---

CliExit Check_Run(int argc, char** argv);
CliExit CheckScene_Run(const char* path, bool json); // drape check, of a scene
CliExit Presets_Run(int argc, char** argv);
CliExit Render_Run(int argc, char** argv);
CliExit Run_Run(int argc, char** argv);
CliExit Schema_Run(int argc, char** argv);
CliExit Studio_Run(int argc, char** argv);
CliExit Bench_Run(int argc, char** argv); // starts drape-bench, the program beside this one

// In app/studio: works until its window is closed, and returns an exit code. Both arguments may be NULL.
int drapeStudio_Open(const char* path, const char* probe);

// --- long work ---

// The first Ctrl-C asks to end the work behind the frame at hand, the second ends it at once.
void Cli_CatchSignals(void);
bool Cli_StopAsked(void);

// Of a clock that only goes forward.
double Cli_Seconds(void);
