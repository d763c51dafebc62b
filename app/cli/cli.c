// SPDX-License-Identifier: MIT
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/time.h>

void Cli_Error(const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	// On a terminal, earlier output must appear before the message.
	fflush(stdout);
	fputs("drape: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

CliExit Cli_ExitFor(drapeResult result)
{
	switch (result)
	{
		case drape_ok:
			return cli_exitDone;
		case drape_errorData:
		case drape_errorFile:
		case drape_errorLimit:
			return cli_exitInput;
		default:
			return cli_exitFailed;
	}
}

CliExit Cli_CloseOutput(CliExit code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	Cli_Error("cannot write to standard output: %s", strerror(errno));
	return code == cli_exitDone ? cli_exitFailed : code;
}

// --- suggestions ---

#define SUGGEST_LENGTH 32

static int Min3(int a, int b, int c)
{
	int least = a < b ? a : b;
	return least < c ? least : c;
}

// Returns the Levenshtein distance of two short words.
static int EditDistance(const char* a, const char* b)
{
	int row[SUGGEST_LENGTH + 1];
	int lengthA = (int)strlen(a), lengthB = (int)strlen(b);
	if (lengthA > SUGGEST_LENGTH || lengthB > SUGGEST_LENGTH)
		return SUGGEST_LENGTH;
	for (int j = 0; j <= lengthB; ++j)
		row[j] = j;
	for (int i = 1; i <= lengthA; ++i)
	{
		int diagonal = row[0];
		row[0] = i;
		for (int j = 1; j <= lengthB; ++j)
		{
			int above = row[j];
			row[j] = Min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[lengthB];
}

const char* Cli_Suggest(const char* word, CliCandidateFcn* next, const void* context)
{
	const char* best = NULL;
	// At most two wrong letters, and fewer than half of the word.
	int bestDistance = 3;
	const char* candidate;
	for (int i = 0; (candidate = next(context, i)) != NULL; ++i)
	{
		int distance = EditDistance(word, candidate);
		if (distance < bestDistance && 2 * distance < (int)strlen(candidate))
		{
			best = candidate;
			bestDistance = distance;
		}
	}
	return best;
}

// --- options ---

static const char* OptionName(const void* context, int index)
{
	const CliUsage* usage = context;
	if (index < usage->optionCount)
		return usage->options[index].name;
	return index == usage->optionCount ? "--help" : NULL;
}

enum
{
	helpColumn = 27,
};

static void PrintUsage(const CliUsage* usage)
{
	printf("usage: %s\n\n%s\n\noptions:\n", usage->synopsis, usage->summary);
	for (int i = 0; i <= usage->optionCount; ++i)
	{
		bool last = i == usage->optionCount;
		const char* argument = !last && usage->options[i].argument ? usage->options[i].argument : "";
		int width = printf("  %s %s", OptionName(usage, i), argument);
		// The help of a wide option begins on the next line.
		if (width > helpColumn - 1)
			width = printf("\n") - 1;
		printf("%*s%s\n", helpColumn - width, "", last ? "show this" : usage->options[i].help);
	}
}

// The number of `word` in "one|two|three", or -1.
static int FindChoice(const char* choices, const char* word)
{
	size_t length = strlen(word);
	for (int i = 0;; ++i)
	{
		size_t choiceLength = strcspn(choices, "|");
		if (choiceLength == length && memcmp(choices, word, length) == 0)
			return i;
		if (choices[choiceLength] == 0)
			return -1;
		choices += choiceLength + 1;
	}
}

static bool StoreValue(const CliOption* option, const char* text)
{
	switch (option->kind)
	{
		case cli_optionFlag:
			*(bool*)option->value = true;
			return true;
		case cli_optionText:
			*(const char**)option->value = text;
			return text[0] != 0;
		case cli_optionPositive:
		{
			// The program never calls setlocale, so strtof reads a decimal point.
			char* end;
			float value = strtof(text, &end);
			*(float*)option->value = value;
			return end != text && *end == 0 && isfinite(value) && value > 0.0f;
		}
		case cli_optionWhole:
		{
			char* end;
			unsigned long long value = strtoull(text, &end, 10);
			*(uint32_t*)option->value = (uint32_t)value;
			return text[0] >= '0' && text[0] <= '9' && *end == 0 && value <= UINT32_MAX;
		}
		case cli_optionChoice:
			*(int*)option->value = FindChoice(option->argument, text);
			return *(int*)option->value >= 0;
		case cli_optionList:
		{
			CliList* list = option->value;
			if (list->count == cli_listCapacity)
				return false;
			list->items[list->count++] = text;
			return text[0] != 0;
		}
	}
	return false;
}

static const CliOption* FindOption(const CliUsage* usage, const char* text, size_t length)
{
	for (int i = 0; i < usage->optionCount; ++i)
		if (strlen(usage->options[i].name) == length && memcmp(usage->options[i].name, text, length) == 0)
			return &usage->options[i];
	return NULL;
}

static CliParse UnknownOption(const CliUsage* usage, const char* text)
{
	const char* meant = Cli_Suggest(text, OptionName, usage);
	if (meant)
		Cli_Error("unknown option %s; did you mean %s?", text, meant);
	else
		Cli_Error("unknown option %s\nusage: %s", text, usage->synopsis);
	return cli_parseUsage;
}

// Handles argv[*index], and its value if that is the next argument.
static CliParse ParseOption(const CliUsage* usage, int argc, char** argv, int* index)
{
	const char* text = argv[*index];
	if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)
	{
		PrintUsage(usage);
		return cli_parseHelp;
	}
	size_t length = strcspn(text, "=");
	const CliOption* option = FindOption(usage, text, length);
	if (!option || (option->kind == cli_optionFlag && text[length] == '='))
		return UnknownOption(usage, text);
	const char* value = text[length] == '=' ? text + length + 1 : NULL;
	if (!value && option->kind != cli_optionFlag)
	{
		if (*index + 1 >= argc)
		{
			Cli_Error("%s needs a value: %s %s", option->name, option->name, option->argument);
			return cli_parseUsage;
		}
		value = argv[++*index];
	}
	if (StoreValue(option, value))
		return cli_parseRun;
	Cli_Error("%s cannot be '%s'; expected %s", option->name, value,
	          option->kind == cli_optionPositive ? "a number greater than 0"
	          : option->kind == cli_optionWhole  ? "a whole number"
	                                             : option->argument);
	return cli_parseUsage;
}

CliParse Cli_Parse(const CliUsage* usage, int argc, char** argv)
{
	int operands = 0;
	bool options = true;
	for (int i = 1; i < argc; ++i)
	{
		if (options && strcmp(argv[i], "--") == 0)
			options = false;
		else if (options && argv[i][0] == '-' && argv[i][1] != 0)
		{
			CliParse result = ParseOption(usage, argc, argv, &i);
			if (result != cli_parseRun)
				return result;
		}
		else if (operands < usage->operandCount)
			usage->operands[operands++] = argv[i];
		else
		{
			Cli_Error("'%s' is one argument too many\nusage: %s", argv[i], usage->synopsis);
			return cli_parseUsage;
		}
	}
	if (operands >= usage->operandCount - usage->optionalCount)
		return cli_parseRun;
	Cli_Error("an argument is missing\nusage: %s", usage->synopsis);
	return cli_parseUsage;
}

// --- JSON ---

json_t* Cli_JsonText(const char* text)
{
	json_t* string = json_string(text);
	if (string)
		return string;
	size_t size = strlen(text) + 1;
	char* ascii = malloc(size);
	if (!ascii)
		return NULL;
	for (size_t i = 0; i < size; ++i)
		ascii[i] = (unsigned char)text[i] < 128 ? text[i] : '?';
	string = json_string(ascii);
	free(ascii);
	return string;
}

json_t* Cli_JsonNumber(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t* Cli_JsonIndex(uint32_t index, uint32_t base)
{
	return index == DRAPE_NONE ? json_null() : json_integer((json_int_t)index + base);
}

bool Cli_PrintJson(json_t* object)
{
	// Nine digits give every float back.
	bool printed = object && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
	json_decref(object);
	if (!printed)
		Cli_Error("cannot print JSON: out of memory, or standard output is closed");
	else
		putchar('\n');
	return printed;
}

// --- folders ---

int Cli_MakeFolders(const char* path)
{
	char part[4096];
	if (strlen(path) >= sizeof part)
		return ENAMETOOLONG;
	for (size_t i = 1; i <= strlen(path); ++i)
	{
		if (path[i] != '/' && path[i] != 0)
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return errno;
	}
	return 0;
}

bool Cli_BesideProgram(const char* name, char* path, size_t capacity)
{
	ssize_t length = readlink("/proc/self/exe", path, capacity - 1);
	path[length > 0 ? length : 0] = 0;
	char* slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= capacity)
	{
		path[0] = 0;
		return false;
	}
	strcpy(slash + 1, name);
	return true;
}

// --- long work ---

static volatile sig_atomic_t stopAsked;

// The world whose step a signal cancels when it takes too long; null for none.
static drapeWorldId cancelledWorld;

// Steps that end within this time after a signal, in microseconds, are completed.
enum
{
	stopPatience = 50000,
};

static void CancelStep(int number)
{
	(void)number;
	if (!DRAPE_IS_NULL(cancelledWorld))
		drapeWorld_Cancel(cancelledWorld);
}

static void AskToStop(int number)
{
	(void)number;
	const struct itimerval soon = {.it_value = {.tv_usec = stopPatience}};
	stopAsked = 1;
	setitimer(ITIMER_REAL, &soon, NULL);
}

void Cli_CancelOnSignal(drapeWorldId world)
{
	cancelledWorld = world;
}

void Cli_CatchSignals(void)
{
	struct sigaction action = {.sa_handler = AskToStop, .sa_flags = (int)SA_RESETHAND};
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	struct sigaction alarm = {.sa_handler = CancelStep};
	sigemptyset(&alarm.sa_mask);
	sigaction(SIGALRM, &alarm, NULL);
}

bool Cli_StopAsked(void)
{
	return stopAsked != 0;
}

double Cli_Seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
