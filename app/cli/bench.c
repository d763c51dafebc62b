// SPDX-License-Identifier: MIT
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The benchmarks are a program of their own, because they include headers of the core and this program uses the public
// API only. The command looks for the program in its own folder first, in a build and in an installation, then in the
// search path.
CliExit Bench_Run(int argc, char** argv)
{
	(void)argc;
	static char name[] = "drape-bench";
	char path[4096];
	argv[0] = name;
	fflush(stdout);
	if (Cli_BesideProgram(name, path, sizeof path))
		execv(path, argv);
	if (path[0] == 0 || errno == ENOENT)
		execvp(name, argv);
	Cli_Error("cannot start %s: %s", path[0] ? path : name, strerror(errno));
	return cli_exitFailed;
}
