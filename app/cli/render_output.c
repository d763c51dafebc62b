// SPDX-License-Identifier: MIT
#include "render.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* Ending(const char* path)
{
	const char* slash = strrchr(path, '/');
	const char* dot = strrchr(slash ? slash : path, '.');
	return dot ? dot : "";
}

bool RenderOutput_Kind(const char* path, RenderOutputKind* kind)
{
	static const struct
	{
		const char* ending;
		int kind; // -1: cannot be written
	} endings[] = {{".png", render_outputStill},
	               {".mp4", render_outputFilm},
	               {".mov", render_outputFilm},
	               {".mkv", render_outputFilm},
	               {".avi", -1},
	               {".gif", -1},
	               {".webm", -1},
	               {".jpg", -1},
	               {".jpeg", -1}};
	*kind = render_outputFolder;
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
		if (strcmp(Ending(path), endings[i].ending) == 0)
		{
			*kind = (RenderOutputKind)endings[i].kind;
			return endings[i].kind >= 0;
		}
	return true;
}

// --- films ---

extern char** environ;

static int SpawnFfmpeg(RenderOutput* output, int readEnd)
{
	char size[32], rate[32], file[RUN_PATH + 64];
	snprintf(size, sizeof size, "%ux%u", output->width, output->height);
	snprintf(rate, sizeof rate, "%g", (double)output->frameRate);
	// A path that looks like an option or a protocol stays a path.
	snprintf(file, sizeof file, "file:%s", output->temporary);
	const char* ending = Ending(output->path);
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
	// Ctrl-C on a terminal goes to a whole group of processes; this program decides what becomes of the film.
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setpgroup(&attributes, 0);
	code = posix_spawnp(&process, "ffmpeg", &actions, &attributes, (char* const*)arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	output->process = process;
	return code;
}

static drapeResult OpenFilm(RenderOutput* output, drapeFileError* error)
{
	int ends[2];
	snprintf(output->temporary, sizeof output->temporary, "%s.%ld.tmp", output->path, (long)getpid());
	if (pipe(ends) != 0)
		return Run_Fail(error, drape_errorFile, "%s: %s", output->path, strerror(errno));
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	// A film that ffmpeg gives up shall be reported, not end this program.
	signal(SIGPIPE, SIG_IGN);
	int code = SpawnFfmpeg(output, ends[0]);
	close(ends[0]);
	output->pipe = ends[1];
	if (code == 0)
		return drape_ok;
	close(ends[1]);
	output->pipe = -1;
	output->process = 0;
	return Run_Fail(error, drape_errorFile,
	                "%s: films need the program ffmpeg, which cannot be started: %s. Install it (Debian: apt install "
	                "ffmpeg), or give the name of a folder to get PNG files",
	                output->path, strerror(code));
}

static drapeResult AddToFilm(RenderOutput* output, const uint8_t* pixels, drapeFileError* error)
{
	size_t left = 3 * (size_t)output->width * output->height;
	while (left > 0)
	{
		ssize_t written = write(output->pipe, pixels, left);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return Run_Fail(error, drape_errorFile, "%s: ffmpeg took no more pictures", output->path);
		pixels += written;
		left -= (size_t)written;
	}
	return drape_ok;
}

static drapeResult CloseFilm(RenderOutput* output, drapeFileError* error)
{
	int status = 0;
	if (output->pipe >= 0)
		close(output->pipe);
	output->pipe = -1;
	if (output->process <= 0)
		return drape_ok;
	while (waitpid((pid_t)output->process, &status, 0) < 0 && errno == EINTR)
		;
	output->process = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return drape_ok;
	return Run_Fail(error, drape_errorFile, "%s: ffmpeg could not make the film", output->path);
}

// --- all kinds ---

drapeResult RenderOutput_Open(RenderOutput* output, drapeFileError* error)
{
	char folder[RUN_PATH];
	snprintf(folder, sizeof folder, "%s", output->path);
	char* slash = strrchr(folder, '/');
	output->pipe = -1;
	if (output->kind != render_outputFolder)
	{
		if (!slash || slash == folder)
			folder[0] = 0;
		else
			*slash = 0;
	}
	int code = folder[0] ? Cli_MakeFolders(folder) : 0;
	if (code != 0)
		return Run_Fail(error, drape_errorFile, "%s: %s", folder, strerror(code));
	return output->kind == render_outputFilm ? OpenFilm(output, error) : drape_ok;
}

drapeResult RenderOutput_Add(RenderOutput* output, const uint8_t* pixels, uint32_t frame, drapeFileError* error)
{
	if (output->kind == render_outputFilm)
		return AddToFilm(output, pixels, error);
	char path[RUN_PATH + 32];
	if (output->kind == render_outputStill)
		snprintf(path, sizeof path, "%s", output->path);
	else
		snprintf(path, sizeof path, "%s/frame.%04u.png", output->path, frame);
	drapeRenderError trouble;
	drapeResult result = drapePng_Write(path, pixels, output->width, output->height, &trouble);
	return result == drape_ok ? drape_ok : Run_Fail(error, result, "%s", trouble.text);
}

drapeResult RenderOutput_Close(RenderOutput* output, bool whole, drapeFileError* error)
{
	if (output->kind != render_outputFilm)
		return drape_ok;
	bool begun = output->process > 0;
	drapeResult result = CloseFilm(output, error);
	if (begun && whole && result == drape_ok && rename(output->temporary, output->path) != 0)
		result = Run_Fail(error, drape_errorFile, "%s: %s", output->path, strerror(errno));
	if (begun && (!whole || result != drape_ok))
		unlink(output->temporary);
	return result;
}
