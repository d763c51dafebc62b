// SPDX-License-Identifier: MIT
#include "cli.h"

// In place of studio.c, where the libraries it needs were missing.
CliExit Studio_Run(int argc, char** argv)
{
	(void)argc;
	(void)argv;
	Cli_Error("this program was built without the studio; build it again with libglfw3-dev, libimgui-dev and a C++ "
	          "compiler, beside what pictures need");
	return cli_exitFailed;
}
