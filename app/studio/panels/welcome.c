// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdio.h>
#include <string.h>

// The welcome page, shown over an empty picture: how to begin.

// The first examples of the list.
static const char* const favourites[] = {"flag", "fem_tablecloth", "two_corners", "several", "handle", "fem_hang"};

static const FilesExample* FindExample(const Files* files, const char* name)
{
	for (uint32_t i = 0; i < files->exampleCount; ++i)
		if (strcmp(files->examples[i].name, name) == 0)
			return &files->examples[i];
	return NULL;
}

static void ShowExamples(Studio* studio, float width)
{
	int shown = 0;
	drapeUi_TextColoured("Examples", UI_MUTED);
	for (size_t i = 0; i < sizeof favourites / sizeof favourites[0]; ++i)
	{
		const FilesExample* example = FindExample(&studio->files, favourites[i]);
		if (!example)
			continue;
		if (shown++ % 3 != 0)
			drapeUi_SameLine(8);
		if (drapeUi_Button(example->name, (width - 16) / 3, ui_buttonPlain))
			drapeStudio_OpenFile(studio, example->path);
	}
	if (shown == 0)
		drapeUi_TextColoured("None were found beside the program.", UI_FAINT);
}

static void ShowRecent(Studio* studio, float width)
{
	const Files* files = &studio->files;
	if (files->recentCount == 0)
		return;
	drapeUi_Gap(4);
	drapeUi_TextColoured("Recent", UI_MUTED);
	for (uint32_t i = 0; i < files->recentCount && i < 3; ++i)
	{
		const char* slash = strrchr(files->recent[i], '/');
		drapeUi_PushId((int)i);
		if (drapeUi_Selectable(slash ? slash + 1 : files->recent[i], false, width, NULL))
			drapeStudio_OpenFile(studio, files->recent[i]);
		drapeUi_Tip(files->recent[i]);
		drapeUi_PopId();
	}
}

void drapeWelcome_Show(Studio* studio)
{
	if (!drapeScene_IsBlank(studio->document.scene))
		return;
	const float width = 470, recent = studio->files.recentCount > 0
	                                      ? 34.0f + 26.0f * fminf((float)studio->files.recentCount, 3.0f)
	                                      : 0.0f;
	const float height = 226 + recent;
	UiRect rect = {studio->picture.x + 0.5f * (studio->picture.width - width),
	               studio->picture.y + 0.5f * (studio->picture.height - height), width, height};
	drapeUi_BeginPanel("Welcome", rect, 0x25282df5u);
	drapeUi_Gap(4);
	drapeUi_Heading("Begin with something to simulate");
	drapeUi_TextWrapped("Drop an OBJ file or a scene onto this window, or choose:", UI_MUTED);
	drapeUi_Gap(2);
	float inside = width - 24, third = (inside - 16) / 3;
	if (drapeUi_Button("Add an OBJ file", third, ui_buttonPrimary))
		drapeBrowser_Open(studio, browser_addObject);
	drapeUi_SameLine(8);
	if (drapeUi_Button("Open a scene", third, ui_buttonPlain))
		drapeBrowser_Open(studio, browser_openScene);
	drapeUi_SameLine(8);
	if (drapeUi_Button("Add a sheet...", third, ui_buttonPlain))
		studio->wantAdd = true;
	drapeUi_Gap(4);
	ShowExamples(studio, inside);
	ShowRecent(studio, inside);
	drapeUi_Gap(6);
	drapeUi_TextColoured("F1 shows every key.", UI_MUTED);
	drapeUi_EndPanel();
}
