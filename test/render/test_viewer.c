// SPDX-License-Identifier: MIT
#include "window.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

// examples/viewer.c on an X server of its own.

// Long enough for a machine that is busy with other things.
static const int patience = 600; // tenths of a second

static void Pause(void)
{
	nanosleep(&(struct timespec){0, 100000000}, NULL);
}

static pid_t Start(void)
{
	const char* const arguments[] = {getenv("DRAPE_VIEWER"), NULL};
	pid_t viewer = 0;
	assert_non_null(arguments[0]);
	assert_int_equal(posix_spawn(&viewer, arguments[0], NULL, NULL, (char* const*)arguments, environ), 0);
	return viewer;
}

// Pixels of the cape, which is the only red thing.
static int CountRed(const Picture* picture)
{
	int count = 0;
	for (int i = 0; i < picture->width * picture->height; ++i)
	{
		const uint8_t* p = &picture->pixels[3 * i];
		count += p[0] > 60 && p[0] > 3 * p[1] && p[0] > 3 * p[2];
	}
	return count;
}

static void TheViewerShowsACapeThatMoves(void** state)
{
	(void)state;
	if (!Window_Has())
		skip();
	pid_t viewer = Start();
	Picture first = Window_Picture();
	int waited = 0, red = 0, different = 0;
	for (; waited < patience && (red = CountRed(&first)) < 4000; ++waited)
	{
		free(first.pixels);
		Pause();
		first = Window_Picture();
	}
	for (; waited < patience && different < 20000; ++waited)
	{
		Pause();
		Picture second = Window_Picture();
		different = Picture_Difference(&first, &second, 0, 0, 1280, 720);
		assert_true(CountRed(&second) > 1000);
		free(second.pixels);
	}
	const char* folder = getenv("DRAPE_KEEP_PICTURES");
	for (int i = 0; folder && i < 6; ++i)
	{
		char path[600];
		snprintf(path, sizeof path, "%s/viewer%d.png", folder, i);
		Window_SavePicture(path);
		for (int k = 0; k < 15; ++k)
			Pause();
	}
	free(first.pixels);
	int status = 0;
	assert_int_equal(waitpid(viewer, &status, WNOHANG), 0);
	kill(viewer, SIGTERM);
	waitpid(viewer, &status, 0);
	assert_true(red >= 4000);
	assert_true(different >= 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheViewerShowsACapeThatMoves),
	};
	return cmocka_run_group_tests(tests, Window_OpenServer, Window_CloseServer);
}
