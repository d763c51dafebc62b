// SPDX-License-Identifier: MIT
#include "run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// On a terminal, one line is redrawn. Otherwise a line is printed for every tenth of the work.

static double Now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

RunProgress RunProgress_Begin(uint32_t first, uint32_t total)
{
	return (RunProgress){
		.terminal = isatty(STDERR_FILENO) == 1, .first = first, .total = total, .began = Now(), .what = "frames"};
}

static void FormatTime(double seconds, char* text, size_t capacity)
{
	unsigned long whole = (unsigned long)(seconds + 0.5);
	if (whole >= 3600)
		snprintf(text, capacity, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
	else
		snprintf(text, capacity, "%lu:%02lu", whole / 60, whole % 60);
}

void RunProgress_Update(RunProgress* progress, uint32_t done, uint32_t triangles)
{
	uint32_t own = done - progress->first, left = progress->total - done;
	char time[32] = "?";
	if (own > 0)
		FormatTime((Now() - progress->began) / own * left, time, sizeof time);
	if (progress->terminal)
	{
		enum
		{
			width = 30
		};
		char bar[width + 1];
		size_t filled = (size_t)((uint64_t)width * done / progress->total);
		memset(bar, '.', width);
		memset(bar, '#', filled);
		bar[width] = 0;
		fprintf(stderr, "\r[%s] %u/%u %s, %u triangles, %s left \033[K", bar, done, progress->total, progress->what,
		        triangles, time);
		fflush(stderr);
		return;
	}
	uint32_t tenths = (uint32_t)(10 * (uint64_t)done / progress->total);
	if (tenths == progress->tenths)
		return;
	progress->tenths = tenths;
	fprintf(stderr, "%u/%u %s, %u triangles, %s left\n", done, progress->total, progress->what, triangles, time);
}

void RunProgress_End(RunProgress* progress)
{
	if (progress->terminal)
		fputs("\r\033[K", stderr);
	progress->terminal = false;
}
