// SPDX-License-Identifier: MIT
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const CliCommand commands[] = {
	{"run", "run a scene and write meshes and statistics", Run_Run},
	{"render", "draw a scene: pictures and films, without a display", Render_Run},
	{"studio", "the interactive tool: make, change, run and record scenes", Studio_Run},
	{"check", "print the properties and problems of a mesh or scene", Check_Run},
	{"bench", "run benchmarks", Bench_Run},
	{"presets", "list the fabrics there are", Presets_Run},
	{"schema", "print the JSON Schema of scenes, or their reference", Schema_Run},
};

#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static const char* const thingsToTry[] = {
	"drape studio scenes/flag.json              a flag in gusts, in a window: play it, pull at it, change it",
	"drape run scenes/flag.json                 the same as meshes, statistics and a report in out/; drape render for "
	"a film",
	"drape --help                               all commands",
};

static void PrintWelcome(void)
{
	printf("drape %d.%d.%d: real-time cloth on adaptive meshes\n\nTry:\n", DRAPE_VERSION_MAJOR, DRAPE_VERSION_MINOR,
	       DRAPE_VERSION_PATCH);
	for (size_t i = 0; i < sizeof thingsToTry / sizeof thingsToTry[0]; ++i)
		printf("  %s\n", thingsToTry[i]);
}

static void PrintHelp(void)
{
	puts("usage: drape COMMAND [options]\n\ncommands:");
	for (int i = 0; i < COMMAND_COUNT; ++i)
		printf("  %-10s %s\n", commands[i].name, commands[i].help);
	puts("\nother:\n  --help     show this; after a command, show its options\n  --version  show the version\n\n"
	     "exit codes: 0 done, 1 the work failed, 2 bad usage, 3 bad input");
}

static const char* CommandName(const void* context, int index)
{
	(void)context;
	return index < COMMAND_COUNT ? commands[index].name : NULL;
}

static const CliCommand* FindCommand(const char* name)
{
	for (int i = 0; i < COMMAND_COUNT; ++i)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static CliExit UnknownCommand(const char* name)
{
	const char* meant = Cli_Suggest(name, CommandName, NULL);
	const char* what = name[0] == '-' ? "option" : "command";
	if (meant)
		Cli_Error("unknown %s '%s'; did you mean '%s'?", what, name, meant);
	else
		Cli_Error("unknown %s '%s'; 'drape --help' lists all", what, name);
	return cli_exitUsage;
}

static CliExit Run(int argc, char** argv)
{
	if (argc < 2)
	{
		PrintWelcome();
		return cli_exitDone;
	}
	const char* name = argv[1];
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (strcmp(name, "help") == 0 && argc == 2))
	{
		PrintHelp();
		return cli_exitDone;
	}
	if (strcmp(name, "--version") == 0)
	{
		drapeVersion version = drapeGetVersion();
		printf("drape %d.%d.%d\n", version.major, version.minor, version.patch);
		return cli_exitDone;
	}
	const CliCommand* command = FindCommand(name);
	return command ? command->run(argc - 1, argv + 1) : UnknownCommand(name);
}

int main(int argc, char** argv)
{
	CliExit code = Run(argc, argv);
	return Cli_CloseOutput(code);
}
