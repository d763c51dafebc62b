// SPDX-License-Identifier: MIT
#pragma once

// A scene that somebody works on: its values, its file, and everything it was before. Knows nothing of windows or of
// simulation.
//
// History is whole scenes, as text: a scene is some kilobytes, every change goes the same way, and what undo gives back
// is exactly what a file would have held. Panels change `scene` in place, as often as they like while a slider moves,
// and drapeDocument_Commit makes one step of history of it. A change that the reader of scenes refuses never gets there: the
// scene goes back to what it was, and the message says why.

#include "drape/scene.h"

enum
{
	document_pathCapacity = 4096,
	document_labelCapacity = 64,
	document_historyCapacity = 256
};

typedef struct DocumentStep
{
	char* text;                         // the scene after the change; malloc
	char label[document_labelCapacity]; // what the change did: "Move sphere"
} DocumentStep;

typedef struct Document
{
	drapeScene* scene;                // never NULL after drapeDocument_New; paths in it are absolute
	char path[document_pathCapacity]; // "" before it was saved
	DocumentStep steps[document_historyCapacity];
	uint32_t stepCount, step; // scene is steps[step], and what was changed since
	int64_t savedStep;        // -1 when what was saved is no longer in history
	uint64_t revision;        // raised whenever the scene may have changed
	uint64_t autosaved;       // revision that was autosaved last
} Document;

// A scene of nothing but a floor, without history. False when memory is short.
bool drapeDocument_New(Document* document);
void drapeDocument_Free(Document* document);

// Replaces the document by what a file holds. On failure it stays as it was.
drapeResult drapeDocument_Open(Document* document, const char* path, drapeFileError* error);

// As drapeDocument_Open, of work that was never saved under its own name: it has `path`, which may be "", and is unsaved.
drapeResult drapeDocument_Recover(Document* document, const char* autosave, const char* path, drapeFileError* error);

// Saves, and takes the name. The paths inside follow it (drapeScene_Write).
drapeResult drapeDocument_Save(Document* document, const char* path, drapeFileError* error);

// Writes a copy, and leaves name and state alone.
drapeResult drapeDocument_SaveCopy(Document* document, const char* path, drapeFileError* error);
bool drapeDocument_IsUnsaved(const Document* document);

// "table.json", or "Untitled".
const char* drapeDocument_Title(const Document* document);

// --- changes ---

// Says that the scene was changed in place, without ending the change.
void drapeDocument_Touch(Document* document);

// Makes a step of history of what was changed in place. True also when nothing was. On failure the scene is what it was
// before the change.
bool drapeDocument_Commit(Document* document, const char* label, drapeFileError* error);

// The scene as text, for whoever needs a copy: malloc, NULL when memory is short.
char* drapeDocument_Text(const Document* document);

bool drapeDocument_CanUndo(const Document* document);
bool drapeDocument_CanRedo(const Document* document);

// The label of what was undone or redone; NULL when there was nothing.
const char* drapeDocument_Undo(Document* document);
const char* drapeDocument_Redo(Document* document);
