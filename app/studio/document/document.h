// SPDX-License-Identifier: MIT
#pragma once

// The scene that the user edits: its values, its file and its history. Independent of windows and simulation.
//
// A step of history is the whole scene as text. A scene has a few kilobytes, all changes take the same path, and undo
// restores exactly what a file would hold. Panels change `scene` in place, also many times while a slider moves;
// drapeDocument_Commit makes one step of history of it. The reader of scenes checks every step. If it refuses one, the
// scene returns to the last step, and the error gives the reason.

#include "drape/scene.h"

enum
{
	document_pathCapacity = 4096,
	document_labelCapacity = 64,
	document_historyCapacity = 256
};

typedef struct DocumentStep
{
	char* text;                         // the scene after the change, from malloc
	char label[document_labelCapacity]; // names the change: "Move sphere"
} DocumentStep;

typedef struct Document
{
	drapeScene* scene;                // never NULL after drapeDocument_New; its paths are absolute
	char path[document_pathCapacity]; // "" before the first save
	DocumentStep steps[document_historyCapacity];
	uint32_t stepCount, step; // `scene` is steps[step] with later changes
	int64_t savedStep;        // the step on disk; -1 when history no longer has it
	uint64_t revision;        // raised by every change of the scene
	uint64_t autosaved;       // revision of the last autosave
} Document;

// Creates a scene with a floor only, without history. False when out of memory.
bool drapeDocument_New(Document* document);
void drapeDocument_Free(Document* document);

// Replaces the document by the scene of a file. A failure changes nothing.
drapeResult drapeDocument_Open(Document* document, const char* path, drapeMessage* error);

// Opens an autosave. The document gets `path`, which may be "", and counts as unsaved.
drapeResult drapeDocument_Recover(Document* document, const char* autosave, const char* path, drapeMessage* error);

// Saves the document and takes over the path. drapeScene_Write adjusts the paths in the scene.
drapeResult drapeDocument_Save(Document* document, const char* path, drapeMessage* error);

// Writes a copy. Path and state of the document do not change.
drapeResult drapeDocument_SaveCopy(Document* document, const char* path, drapeMessage* error);
bool drapeDocument_IsUnsaved(const Document* document);

// The name of the file, "table.json", or "Untitled".
const char* drapeDocument_Title(const Document* document);

// --- changes ---

// To be called after a change of the scene in place that goes on.
void drapeDocument_Touch(Document* document);

// Makes one step of history of the changes in place. True also without changes. On failure the scene returns to the
// last step.
bool drapeDocument_Commit(Document* document, const char* label, drapeMessage* error);

// The scene as text, from malloc. NULL when out of memory.
char* drapeDocument_Text(const Document* document);

bool drapeDocument_CanUndo(const Document* document);
bool drapeDocument_CanRedo(const Document* document);

// Return the label of the step that was undone or redone, NULL for none.
const char* drapeDocument_Undo(Document* document);
const char* drapeDocument_Redo(Document* document);
