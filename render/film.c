// SPDX-License-Identifier: MIT
#include "render.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct drapeFilm
{
	char *path, *temporary; // `temporary` is its name until it is complete
	uint32_t width, height;
	float frameRate;
	int pipe;      // to ffmpeg, -1 for none
	pid_t process; // process of ffmpeg, 0 for none
};

static const char* Ending(const char* path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
	return dot && (!slash || dot > slash) ? dot : "";
}

bool drapeFilm_CanWrite(const char* path)
{
	const char* ending = path ? Ending(path) : "";
	return strcmp(ending, ".mp4") == 0 || strcmp(ending, ".mov") == 0 || strcmp(ending, ".mkv") == 0;
}

// --- ffmpeg ---

extern char** environ;

static int SpawnFfmpeg(drapeFilm* film, const char* file, int readEnd)
{
	char size[32], rate[32];
	snprintf(size, sizeof size, "%ux%u", film->width, film->height);
	snprintf(rate, sizeof rate, "%g", (double)film->frameRate);
	const char* ending = Ending(film->path);
	const char* format = strcmp(ending, ".mkv") == 0 ? "matroska" : ending + 1;
	const char* arguments[] = {"ffmpeg",     "-y",      "-loglevel", "error", "-f",       "rawvideo", "-pix_fmt",
	                           "rgb24",      "-s",      size,        "-r",    rate,       "-i",       "-",
	                           "-c:v",       "libx264", "-crf",      "18",    "-pix_fmt", "yuv420p",  "-movflags",
	                           "+faststart", "-f",      format,      file,    NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t process = 0;
	int code = posix_spawn_file_actions_init(&actions);
	if (code == 0 && (code = posix_spawnattr_init(&attributes)) != 0)
		posix_spawn_file_actions_destroy(&actions);
	if (code != 0)
		return code;
	posix_spawn_file_actions_adddup2(&actions, readEnd, STDIN_FILENO);
	// Ctrl-C on a terminal signals a whole group of processes. Keep ffmpeg out of it: this program ends the film.
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setpgroup(&attributes, 0);
	code = posix_spawnp(&process, "ffmpeg", &actions, &attributes, (char* const*)arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	film->process = code == 0 ? process : 0;
	return code;
}

static int Start(drapeFilm* film)
{
	int ends[2];
	size_t capacity = strlen(film->temporary) + 8;
	char* file = malloc(capacity);
	if (!file)
		return ENOMEM;
	// Prefix the path, so that ffmpeg does not read it as an option or a protocol.
	snprintf(file, capacity, "file:%s", film->temporary);
	int code = pipe(ends) == 0 ? 0 : errno;
	if (code == 0)
	{
		fcntl(ends[0], F_SETFD, FD_CLOEXEC);
		fcntl(ends[1], F_SETFD, FD_CLOEXEC);
		signal(SIGPIPE, SIG_IGN);
		code = SpawnFfmpeg(film, file, ends[0]);
		close(ends[0]);
		film->pipe = ends[1];
	}
	free(file);
	return code;
}

static bool Finish(drapeFilm* film)
{
	int status = 0;
	if (film->pipe >= 0)
		close(film->pipe);
	film->pipe = -1;
	if (film->process <= 0)
		return false;
	while (waitpid(film->process, &status, 0) < 0 && errno == EINTR)
		;
	film->process = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// --- films ---

static void FreeFilm(drapeFilm* film)
{
	free(film->path);
	free(film->temporary);
	drapeFree(film, sizeof *film);
}

drapeResult drapeCreateFilm(const char* path, uint32_t width, uint32_t height, float frameRate, drapeFilm** created,
                            drapeMessage* error)
{
	drapeResult result = drapeRender_CheckPointers(error, "path|film", (const void*[]){path, created});
	if (created)
		*created = NULL;
	if (result == drape_ok)
		result = drapeRender_CheckSize(width, height, error);
	if (result != drape_ok)
		return result;
	if (width % 2 != 0 || height % 2 != 0)
		return drapeRender_Fail(error, drape_errorArgument, "the film is %u x %u, expected even numbers of pixels",
		                        width, height);
	if (!(frameRate > 0.0f && frameRate <= 1e6f))
		return drapeRender_Fail(error, drape_errorArgument,
		                        "frameRate is %g, expected a number above 0 and up to 1e6 Hz", (double)frameRate);
	if (!drapeFilm_CanWrite(path))
		return drapeRender_Fail(error, drape_errorArgument, "%s: a film ends in .mp4, .mov or .mkv", path);
	drapeFilm* film = drapeAlloc(sizeof *film);
	if (!film)
		return drapeRender_Fail(error, drape_errorMemory, "out of memory");
	size_t capacity = strlen(path) + 32;
	*film = (drapeFilm){.width = width, .height = height, .frameRate = frameRate, .pipe = -1};
	film->path = strdup(path);
	film->temporary = malloc(capacity);
	int code = ENOMEM;
	if (film->path && film->temporary)
	{
		snprintf(film->temporary, capacity, "%s.%ld.tmp", path, (long)getpid());
		code = Start(film);
	}
	if (code == 0)
	{
		*created = film;
		return drape_ok;
	}
	result = drapeRender_Fail(
		error, code == ENOMEM ? drape_errorMemory : drape_errorFile,
		"%s: films need the program ffmpeg, which cannot be started: %s. Install it (Debian: apt install "
		"ffmpeg), or give the name of a folder to get PNG files",
		path, strerror(code));
	Finish(film);
	FreeFilm(film);
	return result;
}

drapeResult drapeFilm_Add(drapeFilm* film, const uint8_t* pixels, drapeMessage* error)
{
	drapeResult result = drapeRender_CheckPointers(error, "film|pixels", (const void*[]){film, pixels});
	if (result != drape_ok)
		return result;
	size_t left = 3 * (size_t)film->width * film->height;
	while (left > 0)
	{
		ssize_t written = write(film->pipe, pixels, left);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return drapeRender_Fail(error, drape_errorFile, "%s: ffmpeg took no more pictures", film->path);
		pixels += written;
		left -= (size_t)written;
	}
	return drape_ok;
}

drapeResult drapeDestroyFilm(drapeFilm* film, bool whole, drapeMessage* error)
{
	if (!film)
		return drape_ok;
	drapeResult result = drape_ok;
	if (!Finish(film))
		result = drapeRender_Fail(error, drape_errorFile, "%s: ffmpeg could not make the film", film->path);
	if (whole && result == drape_ok && rename(film->temporary, film->path) != 0)
		result = drapeRender_Fail(error, drape_errorFile, "%s: %s", film->path, strerror(errno));
	if (!whole || result != drape_ok)
		unlink(film->temporary);
	FreeFilm(film);
	return result;
}
