// SPDX-License-Identifier: MIT
#include "studio.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* const titles[] = {"Open a scene", "Add an OBJ file", "Save the scene"};
static const char* const endings[] = {".json", ".obj", ".json"};

// --- the folder ---

static bool HasEnding(const char* name, const char* ending)
{
	size_t length = strlen(name), wanted = strlen(ending);
	return length > wanted && strcasecmp(name + length - wanted, ending) == 0;
}

static int CompareEntries(const void* a, const void* b)
{
	const BrowserEntry *left = a, *right = b;
	return left->isFolder != right->isFolder ? right->isFolder - left->isFolder : strcasecmp(left->name, right->name);
}

static bool IsFolder(const char* folder, const char* name)
{
	char path[document_pathCapacity + 300];
	struct stat status;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void ReadFolder(Browser* browser)
{
	free(browser->entries);
	browser->entries = NULL;
	browser->count = 0;
	browser->error[0] = 0;
	DIR* directory = opendir(browser->folder);
	if (!directory)
	{
		snprintf(browser->error, sizeof browser->error, "This folder cannot be read: %s", strerror(errno));
		return;
	}
	for (const struct dirent* entry; (entry = readdir(directory)) != NULL;)
	{
		bool isFolder = entry->d_name[0] != '.' && IsFolder(browser->folder, entry->d_name);
		if (!isFolder && (entry->d_name[0] == '.' || !HasEnding(entry->d_name, endings[browser->purpose])))
			continue;
		BrowserEntry* grown = realloc(browser->entries, (browser->count + 1) * sizeof *grown);
		if (!grown)
			break;
		browser->entries = grown;
		BrowserEntry* made = &grown[browser->count++];
		snprintf(made->name, sizeof made->name, "%s", entry->d_name);
		made->isFolder = isFolder;
	}
	closedir(directory);
	if (browser->count > 0)
		qsort(browser->entries, browser->count, sizeof browser->entries[0], CompareEntries);
}

static void Enter(Browser* browser, const char* name)
{
	char path[document_pathCapacity + 300];
	if (strcmp(name, "..") == 0)
	{
		char* slash = strrchr(browser->folder, '/');
		if (slash)
			slash[slash == browser->folder] = 0;
	}
	else if (name[0] == '/')
		snprintf(browser->folder, sizeof browser->folder, "%s", name);
	else
	{
		snprintf(path, sizeof path, "%s%s%s", browser->folder, browser->folder[1] ? "/" : "", name);
		snprintf(browser->folder, sizeof browser->folder, "%.*s", document_pathCapacity - 1, path);
	}
	ReadFolder(browser);
}

void drapeBrowser_Free(Browser* browser)
{
	free(browser->entries);
	browser->entries = NULL;
}

// --- the dialog ---

void drapeBrowser_Open(Studio* studio, BrowserPurpose purpose)
{
	Browser* browser = &studio->browser;
	browser->purpose = purpose;
	browser->opening = true;
	if (studio->document.path[0] && browser->folder[0] == 0)
	{
		snprintf(browser->folder, sizeof browser->folder, "%s", studio->document.path);
		*strrchr(browser->folder, '/') = 0;
	}
	if (browser->folder[0] == 0 && !getcwd(browser->folder, sizeof browser->folder))
		strcpy(browser->folder, "/");
	snprintf(browser->name, sizeof browser->name, "%s",
	         purpose != browser_saveScene    ? ""
	         : studio->document.path[0] == 0 ? "scene.json"
	                                         : drapeDocument_Title(&studio->document));
	ReadFolder(browser);
}

static void Choose(Studio* studio, const char* path)
{
	drapeUi_ClosePopup();
	switch (studio->browser.purpose)
	{
		case browser_openScene:
			snprintf(studio->pendingPath, sizeof studio->pendingPath, "%.*s", document_pathCapacity - 1, path);
			studio->pending = pending_open;
			drapeStudio_DoPending(studio);
			break;
		case browser_addObject:
			drapeStudio_AddFile(studio, path);
			break;
		case browser_saveScene:
			if (drapeStudio_Save(studio, path) && studio->pending != pending_none)
				drapeStudio_DoPending(studio);
			break;
	}
}

// Opens the folder or chooses the file that the user typed or clicked.
static void Accept(Studio* studio)
{
	Browser* browser = &studio->browser;
	char path[document_pathCapacity + 600];
	if (browser->name[0] == 0)
		return;
	snprintf(path, sizeof path, "%s%s%s", browser->name[0] == '/' ? "" : browser->folder,
	         browser->name[0] == '/' || browser->folder[1] == 0 ? "" : "/", browser->name);
	struct stat status;
	bool exists = stat(path, &status) == 0;
	if (exists && S_ISDIR(status.st_mode))
	{
		Enter(browser, path);
		browser->name[0] = 0;
		return;
	}
	if (browser->purpose == browser_saveScene && !HasEnding(path, ".json"))
		strncat(path, ".json", sizeof path - strlen(path) - 1);
	else if (browser->purpose != browser_saveScene && !exists)
	{
		snprintf(browser->error, sizeof browser->error, "There is no file of this name here");
		return;
	}
	Choose(studio, path);
}

static void ShowPlaces(Studio* studio)
{
	Browser* browser = &studio->browser;
	drapeUi_BeginChild("places", 130, 270, 0);
	drapeUi_TextColoured("Places", UI_MUTED);
	const char* home = getenv("HOME");
	if (home && drapeUi_Selectable("Home", false, 0, NULL))
		Enter(browser, home);
	if (studio->files.exampleCount > 0 && drapeUi_Selectable("Examples", false, 0, NULL))
	{
		char folder[1024];
		snprintf(folder, sizeof folder, "%s", studio->files.examples[0].path);
		*strrchr(folder, '/') = 0;
		Enter(browser, folder);
	}
	if (drapeUi_Selectable("Computer", false, 0, NULL))
		Enter(browser, "/");
	drapeUi_EndChild();
}

static void ShowEntries(Studio* studio)
{
	Browser* browser = &studio->browser;
	drapeUi_BeginChild("entries", 0, 270, UI_DEEP);
	if (browser->folder[1] && drapeUi_Selectable("..  up", false, 0, NULL))
		Enter(browser, "..");
	bool any = false;
	for (uint32_t i = 0; i < browser->count; ++i)
	{
		BrowserEntry entry = browser->entries[i];
		bool twice = false;
		char label[300];
		any = any || !entry.isFolder;
		snprintf(label, sizeof label, "%s%s", entry.name, entry.isFolder ? "/" : "");
		if (!drapeUi_Selectable(label, strcmp(browser->name, entry.name) == 0, 0, &twice))
			continue;
		if (entry.isFolder)
		{
			Enter(browser, entry.name);
			break;
		}
		snprintf(browser->name, sizeof browser->name, "%s", entry.name);
		if (twice && browser->purpose != browser_saveScene)
		{
			Accept(studio);
			break;
		}
	}
	if (!any)
	{
		char text[96];
		snprintf(text, sizeof text, "No file here ends in %s", endings[browser->purpose]);
		drapeUi_TextColoured(text, UI_MUTED);
	}
	drapeUi_EndChild();
}

void drapeBrowser_Show(Studio* studio)
{
	Browser* browser = &studio->browser;
	bool opened = browser->opening;
	if (opened)
		drapeUi_OpenModal("Browser");
	browser->opening = false;
	if (!drapeUi_BeginModal("Browser", 620, 396))
		return;
	drapeUi_Heading(titles[browser->purpose]);
	drapeUi_TextColoured(browser->folder, UI_MUTED);
	ShowPlaces(studio);
	drapeUi_SameLine(10);
	ShowEntries(studio);
	if (drapeUi_InputText("##name", browser->name, sizeof browser->name, 380, opened))
		Accept(studio);
	drapeUi_SameLine(8);
	if (drapeUi_Button(browser->purpose == browser_saveScene ? "Save" : "Open", 90, ui_buttonPrimary))
		Accept(studio);
	drapeUi_SameLine(8);
	if (drapeUi_Button("Cancel", 90, ui_buttonPlain))
	{
		studio->pending = pending_none;
		drapeUi_ClosePopup();
	}
	drapeUi_TextColoured(browser->error, UI_BAD);
	drapeUi_EndModal();
}
