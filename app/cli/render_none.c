// SPDX-License-Identifier: MIT
#include "cli.h"

// Replaces render.c in builds without the libraries that it needs.
CliExit Render_Run(int argc, char** argv)
{
	(void)argc;
	(void)argv;
	Cli_Error("this program was built without pictures; build it again with libepoxy-dev, libegl-dev and libpng-dev");
	return cli_exitFailed;
}
