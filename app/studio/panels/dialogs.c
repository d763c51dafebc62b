// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- unsaved changes ---

static void ShowClose(Studio* studio)
{
	char text[256];
	if (studio->askClose)
		drapeUi_OpenModal("Unsaved");
	studio->askClose = false;
	if (!drapeUi_BeginModal("Unsaved", 440, 142))
		return;
	drapeUi_Heading("Save your changes?");
	snprintf(text, sizeof text, "\"%.100s\" has changes that were not saved. Without saving they are lost.",
	         drapeDocument_Title(&studio->document));
	drapeUi_TextWrapped(text, UI_MUTED);
	drapeUi_Gap(6);
	if (drapeUi_Button("Save", 120, ui_buttonPrimary))
	{
		drapeUi_ClosePopup();
		if (drapeStudio_Save(studio, NULL) && studio->document.path[0])
			drapeStudio_DoPending(studio);
	}
	drapeUi_SameLine(8);
	if (drapeUi_Button("Don't save", 120, ui_buttonPlain))
	{
		drapeUi_ClosePopup();
		drapeStudio_DoPending(studio);
	}
	drapeUi_SameLine(8);
	if (drapeUi_Button("Cancel", 120, ui_buttonPlain))
	{
		studio->pending = pending_none;
		drapeUi_ClosePopup();
	}
	drapeUi_EndModal();
}

// --- recovery ---

static void ShowRecover(Studio* studio)
{
	char text[256];
	if (studio->askRecover)
		drapeUi_OpenModal("Recover");
	studio->askRecover = false;
	if (!drapeUi_BeginModal("Recover", 440, 142))
		return;
	const char* slash = strrchr(studio->files.recoveredPath, '/');
	drapeUi_Heading("Go on where you stopped?");
	snprintf(text, sizeof text, "The studio ended without saving %.100s. A copy of your work was kept.",
	         studio->files.recoveredPath[0] ? (slash ? slash + 1 : studio->files.recoveredPath) : "an untitled scene");
	drapeUi_TextWrapped(text, UI_MUTED);
	drapeUi_Gap(6);
	if (drapeUi_Button("Recover", 120, ui_buttonPrimary))
	{
		drapeUi_ClosePopup();
		studio->pending = pending_recover;
		drapeStudio_DoPending(studio);
	}
	drapeUi_SameLine(8);
	if (drapeUi_Button("Discard", 120, ui_buttonPlain))
	{
		drapeFiles_DropRecovered(&studio->files);
		drapeUi_ClosePopup();
	}
	drapeUi_EndModal();
}

// --- recording ---

static const char* const recordKinds[record_kindCount] = {"Film (mp4)", "Pictures (png)", "Meshes (obj)"};

// A path in the folder of the scene, or in the working folder.
static void SuggestPath(Studio* studio)
{
	char folder[document_pathCapacity] = ".", name[128];
	if (studio->document.path[0])
	{
		snprintf(folder, sizeof folder, "%s", studio->document.path);
		*strrchr(folder, '/') = 0;
	}
	else if (!getcwd(folder, sizeof folder))
		strcpy(folder, ".");
	snprintf(name, sizeof name, "%.100s", drapeDocument_Title(&studio->document));
	char* dot = strrchr(name, '.');
	if (dot)
		*dot = 0;
	static const char* const ends[record_kindCount] = {".mp4", "-frames", "-obj"};
	int fits =
		snprintf(studio->record.path, sizeof studio->record.path, "%s/%s%s", folder, name, ends[studio->record.kind]);
	if (fits >= (int)sizeof studio->record.path)
		studio->record.path[0] = 0;
}

static void BeginRecordDialogue(Studio* studio)
{
	RecordDef* record = &studio->record;
	record->frames = studio->document.scene->time.frames;
	record->fromStart = true;
	if (record->width == 0)
	{
		record->width = 1280;
		record->height = 720;
	}
	SuggestPath(studio);
	drapeUi_OpenModal("Record");
}

static void ShowSizes(RecordDef* record)
{
	static const char* const names[] = {"640 x 360", "1280 x 720", "1920 x 1080"};
	static const uint32_t sizes[][2] = {{640, 360}, {1280, 720}, {1920, 1080}};
	int chosen = record->width == 640 ? 0 : record->width == 1280 ? 1 : 2;
	if (drapeUi_RowChoice("Size", &chosen, names, 3, "Of the pictures, in pixels"))
	{
		record->width = sizes[chosen][0];
		record->height = sizes[chosen][1];
	}
}

static void ShowRecord(Studio* studio)
{
	RecordDef* record = &studio->record;
	char text[160];
	if (studio->askRecord)
		BeginRecordDialogue(studio);
	studio->askRecord = false;
	if (!drapeUi_BeginModal("Record", 520, 268))
		return;
	int kind = (int)record->kind;
	drapeUi_Heading("Record what happens");
	drapeUi_Gap(2);
	if (drapeUi_RowChoice("As", &kind, recordKinds, record_kindCount,
	                      "A film, a folder of pictures, or a mesh for each cloth and frame"))
	{
		record->kind = (RecordKind)kind;
		SuggestPath(studio);
	}
	drapeUi_RowText(record->kind == record_film ? "File" : "Folder", record->path, sizeof record->path, record->path);
	drapeUi_RowUint("Frames", &record->frames, 1, 100000, "%u", "How many");
	if (record->kind != record_objs)
		ShowSizes(record);
	drapeUi_RowBool("From the start", &record->fromStart, "Else from where the simulation is now");
	snprintf(text, sizeof text, "%.1f seconds of film at %.0f frames a second, seen as the picture shows it now.",
	         (double)record->frames / (double)studio->document.scene->time.frameRate,
	         (double)studio->document.scene->time.frameRate);
	drapeUi_TextWrapped(
		record->kind == record_objs ? "A file CLOTH.0001.obj and so on for each cloth and frame." : text, UI_MUTED);
	drapeUi_Gap(4);
	if (drapeUi_Button("Start recording", 150, ui_buttonPrimary))
	{
		drapeUi_ClosePopup();
		drapeRecorder_Start(studio);
	}
	drapeUi_SameLine(8);
	if (drapeUi_Button("Cancel", 100, ui_buttonPlain))
		drapeUi_ClosePopup();
	drapeUi_EndModal();
}

void drapeDialogs_Show(Studio* studio)
{
	ShowClose(studio);
	ShowRecover(studio);
	ShowRecord(studio);
	drapeBrowser_Show(studio);
}
