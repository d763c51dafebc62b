// SPDX-License-Identifier: MIT
#include "cli.h"

#include "drape/scene.h"

#include <stdio.h>
#include <stdlib.h>

// drape schema: the keys of a scene, for editors and for docs/.

CliExit Schema_Run(int argc, char** argv)
{
	bool markdown = false;
	const CliOption options[] = {
		{"--markdown", cli_optionFlag, NULL, "print the tables of docs/scenes.md instead", &markdown}};
	const CliUsage usage = {.synopsis = "drape schema [--markdown]",
	                        .summary = "Prints the JSON Schema of scenes, for completion in editors.",
	                        .options = options,
	                        .optionCount = 1};
	CliParse parse = Cli_Parse(&usage, argc, argv);
	if (parse != cli_parseRun)
		return parse == cli_parseHelp ? cli_exitDone : cli_exitUsage;
	size_t size;
	if (markdown)
		drapeScene_GetReference(NULL, 0, &size, NULL);
	else
		drapeScene_GetSchema(NULL, 0, &size, NULL);
	char* text = size > 0 ? malloc(size) : NULL;
	if (!text)
	{
		Cli_Error("out of memory");
		return cli_exitFailed;
	}
	if (markdown)
		drapeScene_GetReference(text, size, &size, NULL);
	else
		drapeScene_GetSchema(text, size, &size, NULL);
	fputs(text, stdout);
	free(text);
	return cli_exitDone;
}
