// SPDX-License-Identifier: MIT
#include "cli.h"

CliExit Studio_Run(int argc, char** argv)
{
	const char *path = NULL, *probe = NULL;
	const CliOption table[] = {
		{"--probe", cli_optionText, "FILE", "write the positions of widgets, for tests", &probe},
	};
	const CliUsage usage = {
		.synopsis = "drape studio [SCENE|OBJ]",
		.summary = "Opens the interactive tool with a scene, with a mesh, or empty. docs/studio.md is its manual.",
		.options = table,
		.optionCount = 1,
		.operands = &path,
		.operandCount = 1,
		.optionalCount = 1,
	};
	CliParse parsed = Cli_Parse(&usage, argc, argv);
	if (parsed != cli_parseRun)
		return parsed == cli_parseHelp ? cli_exitDone : cli_exitUsage;
	return (CliExit)drapeStudio_Open(path, probe);
}
