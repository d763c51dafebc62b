// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700 // realpath

#include "document/document.h"

#include "document/edit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Stands for the file name in messages about text in memory.
static const char memoryName[] = "scene";

// --- text ---

static char* FormatScene(const drapeScene* scene)
{
	size_t size;
	drapeScene_Format(scene, NULL, 0, &size, NULL);
	char* text = size > 0 ? malloc(size) : NULL;
	if (text && drapeScene_Format(scene, text, size, &size, NULL) != drape_ok)
	{
		free(text);
		text = NULL;
	}
	return text;
}

char* drapeDocument_Text(const Document* document)
{
	return FormatScene(document->scene);
}

static drapeScene* ParseScene(const char* text, drapeMessage* error)
{
	drapeScene* scene = NULL;
	drapeScene_Parse(text, strlen(text), memoryName, &scene, error);
	if (error)
	{
		const char* words = drapeText_WithoutPlace(error->text, memoryName);
		memmove(error->text, words, strlen(words) + 1);
	}
	return scene;
}

// --- history ---

static void DropSteps(Document* document, uint32_t from)
{
	for (uint32_t i = from; i < document->stepCount; ++i)
		free(document->steps[i].text);
	document->stepCount = from < document->stepCount ? from : document->stepCount;
	if (document->savedStep >= (int64_t)document->stepCount)
		document->savedStep = -1;
}

static void DropOldestStep(Document* document)
{
	free(document->steps[0].text);
	memmove(&document->steps[0], &document->steps[1], (document->stepCount - 1) * sizeof document->steps[0]);
	document->stepCount--;
	document->step--;
	document->savedStep -= document->savedStep >= 0;
}

// Takes ownership of `text`.
static void PushStep(Document* document, char* text, const char* label)
{
	DropSteps(document, document->stepCount > 0 ? document->step + 1 : 0);
	if (document->stepCount == document_historyCapacity)
		DropOldestStep(document);
	DocumentStep* step = &document->steps[document->stepCount];
	step->text = text;
	snprintf(step->label, sizeof step->label, "%s", label);
	document->step = document->stepCount++;
}

static bool ShowStep(Document* document, uint32_t step)
{
	drapeScene* scene = ParseScene(document->steps[step].text, NULL);
	if (!scene)
		return false;
	drapeScene_Free(document->scene);
	document->scene = scene;
	document->step = step;
	document->revision++;
	return true;
}

bool drapeDocument_CanUndo(const Document* document)
{
	return document->step > 0;
}

bool drapeDocument_CanRedo(const Document* document)
{
	return document->step + 1 < document->stepCount;
}

const char* drapeDocument_Undo(Document* document)
{
	uint32_t step = document->step;
	return drapeDocument_CanUndo(document) && ShowStep(document, step - 1) ? document->steps[step].label : NULL;
}

const char* drapeDocument_Redo(Document* document)
{
	uint32_t step = document->step + 1;
	return drapeDocument_CanRedo(document) && ShowStep(document, step) ? document->steps[step].label : NULL;
}

void drapeDocument_Touch(Document* document)
{
	document->revision++;
}

static bool RefuseChange(Document* document, drapeMessage* error, const char* text)
{
	if (error && text)
		*error = (drapeMessage){.result = drape_errorMemory, .text = "out of memory"};
	ShowStep(document, document->step);
	return false;
}

bool drapeDocument_Commit(Document* document, const char* label, drapeMessage* error)
{
	assert(document->stepCount > 0);
	char* text = FormatScene(document->scene);
	if (!text)
		return RefuseChange(document, error, "memory");
	if (strcmp(text, document->steps[document->step].text) == 0)
	{
		free(text);
		return true;
	}
	drapeScene* scene = ParseScene(text, error);
	if (!scene)
	{
		free(text);
		return RefuseChange(document, error, NULL);
	}
	drapeScene_Free(document->scene);
	document->scene = scene;
	document->revision++;
	PushStep(document, text, label);
	return true;
}

// --- files ---

// Takes ownership of `scene` and starts a new history with it.
static bool Begin(Document* document, drapeScene* scene, const char* path, bool isSaved)
{
	char* text = FormatScene(scene);
	if (!text)
	{
		drapeScene_Free(scene);
		return false;
	}
	drapeScene_Free(document->scene);
	document->scene = scene;
	DropSteps(document, 0);
	document->step = 0;
	document->savedStep = -1;
	PushStep(document, text, "");
	document->savedStep = isSaved ? 0 : -1;
	document->revision++;
	document->autosaved = document->revision;
	char* real = path[0] ? realpath(path, NULL) : NULL;
	snprintf(document->path, sizeof document->path, "%s", real ? real : path);
	free(real);
	return true;
}

bool drapeDocument_New(Document* document)
{
	// Two steps per frame are enough for finite elements and leave time for drawing. The floor is the ground of
	// pictures.
	drapeScene* scene = ParseScene("{\"time\": {\"frames\": 150, \"stepRate\": 60}, \"colliders\": "
	                               "[{\"name\": \"Floor\", \"shape\": \"plane\"}]}",
	                               NULL);
	return scene && Begin(document, scene, "", true);
}

void drapeDocument_Free(Document* document)
{
	drapeScene_Free(document->scene);
	DropSteps(document, 0);
	document->scene = NULL;
}

static drapeResult Load(Document* document, const char* file, const char* path, bool isSaved, drapeMessage* error)
{
	drapeScene* scene;
	drapeResult result = drapeScene_Read(file, &scene, error);
	if (result != drape_ok)
		return result;
	if (drapeScene_MakePathsAbsolute(scene) && Begin(document, scene, path, isSaved))
		return drape_ok;
	if (error)
		*error = (drapeMessage){.result = drape_errorMemory, .text = "out of memory"};
	return drape_errorMemory;
}

drapeResult drapeDocument_Open(Document* document, const char* path, drapeMessage* error)
{
	return Load(document, path, path, true, error);
}

drapeResult drapeDocument_Recover(Document* document, const char* autosave, const char* path, drapeMessage* error)
{
	return Load(document, autosave, path, false, error);
}

drapeResult drapeDocument_SaveCopy(Document* document, const char* path, drapeMessage* error)
{
	return drapeScene_Write(document->scene, path, error);
}

drapeResult drapeDocument_Save(Document* document, const char* path, drapeMessage* error)
{
	drapeResult result = drapeDocument_SaveCopy(document, path, error);
	if (result != drape_ok)
		return result;
	char* real = realpath(path, NULL);
	if (real || path != document->path)
		snprintf(document->path, sizeof document->path, "%s", real ? real : path);
	free(real);
	document->savedStep = document->step;
	return drape_ok;
}

bool drapeDocument_IsUnsaved(const Document* document)
{
	return document->savedStep != (int64_t)document->step;
}

const char* drapeDocument_Title(const Document* document)
{
	const char* slash = strrchr(document->path, '/');
	return document->path[0] == 0 ? "Untitled" : slash ? slash + 1 : document->path;
}
