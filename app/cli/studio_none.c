// SPDX-License-Identifier: MIT
#include "cli.h"

// Replaces studio.c in builds without the libraries that it needs.
CliExit Studio_Run(int argc, char** argv)
{
	(void)argc;
	(void)argv;
	Cli_Error("this program was built without the studio; build it again with libglfw3-dev, libimgui-dev and a C++ "
	          "compiler, and the libraries of pictures");
	return cli_exitFailed;
}
