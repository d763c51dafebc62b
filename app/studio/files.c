// SPDX-License-Identifier: MIT
#include "studio.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- the folder of the studio ---

static bool MakeFolders(char* path)
{
	for (char* s = path + 1; *s; ++s)
	{
		if (*s != '/')
			continue;
		*s = 0;
		mkdir(path, 0700);
		*s = '/';
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static void FindFolder(Files* files)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && state[0] == '/')
		snprintf(files->folder, sizeof files->folder, "%s/drape", state);
	else if (home && home[0] == '/')
		snprintf(files->folder, sizeof files->folder, "%s/.local/state/drape", home);
	if (files->folder[0] && !MakeFolders(files->folder))
		files->folder[0] = 0;
}

// --- recent files ---

static void ReadRecent(Files* files)
{
	char path[1100], line[document_pathCapacity];
	snprintf(path, sizeof path, "%s/recent", files->folder);
	FILE* file = files->folder[0] ? fopen(path, "r") : NULL;
	while (file && files->recentCount < files_recentCapacity && fgets(line, sizeof line, file))
	{
		line[strcspn(line, "\n")] = 0;
		if (line[0] == '/' && access(line, R_OK) == 0)
			strcpy(files->recent[files->recentCount++], line);
	}
	if (file)
		fclose(file);
}

static void WriteRecent(const Files* files)
{
	char path[1100], text[files_recentCapacity * 1024] = "";
	size_t used = 0;
	snprintf(path, sizeof path, "%s/recent", files->folder);
	for (uint32_t i = 0; i < files->recentCount && used < sizeof text; ++i)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", files->recent[i]);
	if (files->folder[0] && used < sizeof text)
		drapeFile_Write(path, text, used, NULL);
}

void drapeFiles_AddRecent(Files* files, const char* path)
{
	uint32_t at = 0;
	while (at < files->recentCount && strcmp(files->recent[at], path) != 0)
		++at;
	if (at == files->recentCount && files->recentCount < files_recentCapacity)
		files->recentCount++;
	at = at < files_recentCapacity ? at : files_recentCapacity - 1;
	memmove(files->recent[1], files->recent[0], at * sizeof files->recent[0]);
	snprintf(files->recent[0], sizeof files->recent[0], "%s", path);
	WriteRecent(files);
}

// --- examples ---

static int CompareExamples(const void* a, const void* b)
{
	return strcmp(((const FilesExample*)a)->name, ((const FilesExample*)b)->name);
}

static bool ReadExamples(Files* files, const char* folder)
{
	DIR* directory = folder ? opendir(folder) : NULL;
	for (const struct dirent* entry; directory && (entry = readdir(directory)) != NULL;)
	{
		size_t length = strlen(entry->d_name);
		if (length < 6 || length > 60 || strcmp(entry->d_name + length - 5, ".json") != 0 ||
		    files->exampleCount == files_exampleCapacity)
			continue;
		FilesExample* example = &files->examples[files->exampleCount++];
		snprintf(example->path, sizeof example->path, "%s/%s", folder, entry->d_name);
		snprintf(example->name, sizeof example->name, "%.*s", (int)(length - 5), entry->d_name);
	}
	if (directory)
		closedir(directory);
	qsort(files->examples, files->exampleCount, sizeof files->examples[0], CompareExamples);
	return files->exampleCount > 0;
}

// Finds the scenes beside the installed program, or those of the sources.
static void FindExamples(Files* files)
{
	char folder[1024] = "";
	ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 32);
	folder[length > 0 ? length : 0] = 0;
	char* slash = strrchr(folder, '/');
	if (slash)
		strcpy(slash, "/../share/drape/scenes");
	if (!ReadExamples(files, getenv("DRAPE_SCENES")) && !ReadExamples(files, folder))
		ReadExamples(files, DRAPE_SCENE_FOLDER);
}

// --- autosave ---

// The autosave is autosave.PID.json. The file autosave.PID.path holds the path of its scene.
static void PathFile(const char* autosave, char* path, size_t capacity)
{
	snprintf(path, capacity, "%.*s.path", (int)(strlen(autosave) - 5), autosave);
}

static void FindRecovered(Files* files)
{
	DIR* directory = files->folder[0] ? opendir(files->folder) : NULL;
	for (const struct dirent* entry; directory && (entry = readdir(directory)) != NULL;)
	{
		long process = 0;
		int end = 0;
		if (sscanf(entry->d_name, "autosave.%ld.json%n", &process, &end) != 1 || end == 0 || entry->d_name[end] != 0)
			continue;
		// A studio that still runs owns its autosave.
		if (process <= 0 || kill((pid_t)process, 0) == 0 || errno == EPERM)
			continue;
		snprintf(files->recovered, sizeof files->recovered, "%s/%.64s", files->folder, entry->d_name);
		break;
	}
	if (directory)
		closedir(directory);
	if (files->recovered[0] == 0)
		return;
	char path[1200];
	PathFile(files->recovered, path, sizeof path);
	FILE* file = fopen(path, "r");
	if (file && fgets(files->recoveredPath, sizeof files->recoveredPath, file))
		files->recoveredPath[strcspn(files->recoveredPath, "\n")] = 0;
	if (file)
		fclose(file);
}

static void Drop(const char* autosave)
{
	char path[1200];
	if (autosave[0] == 0)
		return;
	unlink(autosave);
	PathFile(autosave, path, sizeof path);
	unlink(path);
}

void drapeFiles_DropAutosave(const Files* files)
{
	Drop(files->autosave);
}

void drapeFiles_DropRecovered(Files* files)
{
	Drop(files->recovered);
	files->recovered[0] = 0;
}

void drapeFiles_Autosave(Files* files, Document* document, Messages* messages)
{
	char path[1200];
	drapeMessage error;
	if (files->autosave[0] == 0 || document->autosaved == document->revision)
		return;
	document->autosaved = document->revision;
	if (!drapeDocument_IsUnsaved(document))
	{
		drapeFiles_DropAutosave(files);
		return;
	}
	PathFile(files->autosave, path, sizeof path);
	if (drapeDocument_SaveCopy(document, files->autosave, &error) != drape_ok ||
	    drapeFile_Write(path, document->path, strlen(document->path), &error) != drape_ok)
		drapeMessages_Add(messages, message_error, "Autosave failed: %s", error.text);
}

void drapeFiles_Open(Files* files)
{
	FindFolder(files);
	if (files->folder[0])
		snprintf(files->autosave, sizeof files->autosave, "%s/autosave.%ld.json", files->folder, (long)getpid());
	ReadRecent(files);
	FindExamples(files);
	FindRecovered(files);
}
