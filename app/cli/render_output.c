// SPDX-License-Identifier: MIT
#include "render.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

// --- all kinds ---

drapeResult RenderOutput_Open(RenderOutput* output, drapeMessage* error)
{
	char folder[RUN_PATH];
	snprintf(folder, sizeof folder, "%s", output->path);
	char* slash = strrchr(folder, '/');
	output->film = NULL;
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
	if (output->kind != render_outputFilm)
		return drape_ok;
	drapeMessage trouble = {0};
	drapeResult result =
		drapeCreateFilm(output->path, output->width, output->height, output->frameRate, &output->film, &trouble);
	return result == drape_ok ? drape_ok : Run_Fail(error, result, "%s", trouble.text);
}

drapeResult RenderOutput_Add(RenderOutput* output, const uint8_t* pixels, uint32_t frame, drapeMessage* error)
{
	drapeMessage trouble = {0};
	drapeResult result;
	if (output->kind == render_outputFilm)
	{
		result = drapeFilm_Add(output->film, pixels, &trouble);
		return result == drape_ok ? drape_ok : Run_Fail(error, result, "%s", trouble.text);
	}
	char path[RUN_PATH + 32];
	if (output->kind == render_outputStill)
		snprintf(path, sizeof path, "%s", output->path);
	else
		snprintf(path, sizeof path, "%s/frame.%04u.png", output->path, frame);
	result = drapePng_Write(path, pixels, output->width, output->height, &trouble);
	return result == drape_ok ? drape_ok : Run_Fail(error, result, "%s", trouble.text);
}

drapeResult RenderOutput_Close(RenderOutput* output, bool whole, drapeMessage* error)
{
	drapeMessage trouble = {0};
	drapeResult result = drapeDestroyFilm(output->film, whole, &trouble);
	output->film = NULL;
	return result == drape_ok ? drape_ok : Run_Fail(error, result, "%s", trouble.text);
}
