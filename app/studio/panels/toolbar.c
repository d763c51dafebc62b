// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdio.h>
#include <string.h>

// A button for a command. The tool tip names its key.
static void CommandButton(Studio* studio, const char* name, Icon icon, bool active)
{
	char tip[96];
	const Command* command = drapeCommands_Find(name);
	snprintf(tip, sizeof tip, "%s  (%s)", command->name, command->keys);
	bool enabled = !command->enabled || command->enabled(studio);
	if (drapeIcon_Button(name, icon, active, enabled, tip))
		drapeCommands_Run(studio, command);
}

static void Menu(Studio* studio, const char* name)
{
	const Command* command = drapeCommands_Find(name);
	if (drapeUi_MenuItem(command->name, command->keys, !command->enabled || command->enabled(studio)))
		drapeCommands_Run(studio, command);
}

static void Divide(void)
{
	drapeUi_SameLine(10);
	UiRect place = drapeUi_Reserve(1, 30);
	drapeUi_Line((UiPoint){place.x, place.y + 4}, (UiPoint){place.x, place.y + 26}, UI_LINE, 1);
	drapeUi_SameLine(10);
}

static void RecentMenu(Studio* studio)
{
	const Files* files = &studio->files;
	if (files->recentCount > 0)
	{
		drapeUi_Separator();
		drapeUi_TextColoured("Recent", UI_MUTED);
	}
	for (uint32_t i = 0; i < files->recentCount; ++i)
	{
		const char* slash = strrchr(files->recent[i], '/');
		drapeUi_PushId((int)i);
		if (drapeUi_MenuItem(slash ? slash + 1 : files->recent[i], NULL, true))
			drapeStudio_OpenFile(studio, files->recent[i]);
		drapeUi_Tip(files->recent[i]);
		drapeUi_PopId();
	}
}

static void FileMenu(Studio* studio)
{
	if (drapeUi_TallButton("File", 56, ui_buttonQuiet))
		drapeUi_OpenPopup("FileMenu");
	if (!drapeUi_BeginPopup("FileMenu"))
		return;
	static const char* const items[] = {"New",     "Open scene", "Add OBJ file", NULL,           "Save",
	                                    "Save as", NULL,         "Record",       "Still picture"};
	for (size_t i = 0; i < sizeof items / sizeof items[0]; ++i)
	{
		if (items[i])
			Menu(studio, items[i]);
		else
			drapeUi_Separator();
	}
	RecentMenu(studio);
	drapeUi_Separator();
	Menu(studio, "Quit");
	drapeUi_EndPopup();
}

static void ViewChoice(Studio* studio)
{
	static const char* const names[drape_viewCount] = {"Shaded",    "Wireframe", "Levels",   "Particles", "Hierarchy",
	                                                   "Curvature", "Strain",    "Contacts", "Springs",   "Velocity"};
	char label[64];
	snprintf(label, sizeof label, "View: %s", names[studio->view]);
	if (drapeUi_TallButton(label, 146, ui_buttonPlain))
		drapeUi_OpenPopup("ViewMenu");
	drapeUi_Tip("What the picture shows  (V)");
	if (!drapeUi_BeginPopup("ViewMenu"))
		return;
	for (int i = 0; i < drape_viewCount; ++i)
		if (drapeUi_Selectable(names[i], studio->view == (drapeRenderView)i, 140, NULL))
			studio->view = (drapeRenderView)i;
	drapeUi_EndPopup();
}

static void Progress(Studio* studio)
{
	uint32_t done, all;
	char text[64];
	if (!drapeRecorder_Progress(studio, &done, &all))
		return;
	Divide();
	UiRect place = drapeUi_Reserve(120, 30);
	UiRect bar = {place.x, place.y + 9, 120, 12};
	drapeUi_FillRect(bar, UI_FRAME, 6);
	bar.width *= (float)done / (float)(all > 0 ? all : 1);
	drapeUi_FillRect(bar, UI_BAD, 6);
	snprintf(text, sizeof text, "%u of %u", done, all);
	drapeUi_SameLine(8);
	place = drapeUi_Reserve(drapeUi_TextSize(text).x, 30);
	drapeUi_TextAt((UiPoint){place.x, place.y + 7}, text, UI_MUTED);
}

static void Title(Studio* studio, float width)
{
	char title[160];
	const char* name = drapeDocument_Title(&studio->document);
	snprintf(title, sizeof title, "%.120s%s", name, drapeDocument_IsUnsaved(&studio->document) ? " •" : "");
	float length = drapeUi_TextSize(title).x;
	drapeUi_SameLineAt(width - length - 14);
	UiRect place = drapeUi_Reserve(length, 30);
	drapeUi_TextAt((UiPoint){place.x, place.y + 7}, title, UI_MUTED);
	drapeUi_Tip(studio->document.path[0] ? studio->document.path : "This scene was not saved yet");
}

void drapeToolbar_Show(Studio* studio, UiRect rect)
{
	drapeUi_BeginPanel("Toolbar", rect, 0x202327ffu);
	FileMenu(studio);
	drapeUi_SameLine(4);
	CommandButton(studio, "Undo", icon_undo, false);
	drapeUi_SameLine(2);
	CommandButton(studio, "Redo", icon_redo, false);
	Divide();
	CommandButton(studio, "Back to the start", icon_reset, false);
	drapeUi_SameLine(2);
	CommandButton(studio, "Play or pause", studio->playing ? icon_pause : icon_play, studio->playing);
	drapeUi_SameLine(2);
	// A frame that takes long can be stopped in the place of the next one.
	bool isSlow = drapeRunner_IsSlow(studio->runner);
	CommandButton(studio, isSlow ? "Stop" : "Single step", isSlow ? icon_stop : icon_step, false);
	drapeUi_SameLine(2);
	CommandButton(studio, "Record", studio->recorder ? icon_stop : icon_record, studio->recorder != NULL);
	Divide();
	CommandButton(studio, "Select", icon_select, studio->tool == tool_select);
	drapeUi_SameLine(2);
	CommandButton(studio, "Move", icon_move, studio->tool == tool_move);
	drapeUi_SameLine(2);
	CommandButton(studio, "Turn", icon_rotate, studio->tool == tool_rotate);
	drapeUi_SameLine(2);
	CommandButton(studio, "Scale", icon_scale, studio->tool == tool_scale);
	drapeUi_SameLine(2);
	CommandButton(studio, "Grab cloth", icon_grab, studio->tool == tool_grab);
	drapeUi_SameLine(2);
	CommandButton(studio, "Pin", icon_pin, studio->tool == tool_pin);
	Divide();
	ViewChoice(studio);
	drapeUi_SameLine(6);
	CommandButton(studio, "Help", icon_help, studio->help);
	Progress(studio);
	Title(studio, rect.width);
	drapeUi_EndPanel();
}

// --- status bar ---

void drapeStatusBar_Show(Studio* studio, UiRect rect)
{
	char text[256];
	const Messages* messages = &studio->messages;
	const Message* last = messages->count > 0 ? &messages->list[messages->count - 1] : NULL;
	static const char* const hints[tool_count] = {
		"Click selects.  Right drag turns, middle drag moves, the wheel zooms.  F1: all keys.",
		"Drag an arrow to move.  Ctrl snaps to 5 cm.",
		"Drag a ring to turn.  Ctrl snaps to 15 degrees.",
		"Drag the square to scale.",
		"Drag cloth with the mouse while it runs.",
		"Click a dot to pin or free it.  Draw a box to pin several; with Shift, to free them.",
	};
	bool recent = last && studio->now - last->time < 6.0;
	drapeUi_BeginPanel("Status", rect, 0x202327ffu);
	UiRect place = {rect.x + 12, rect.y, rect.width - 500, rect.height};
	float line = rect.y + 5;
	drapeUi_ClipDrawing(place);
	drapeUi_TextAt((UiPoint){place.x, line}, recent ? last->text : hints[studio->tool],
	               recent && last->kind == message_error ? UI_BAD
	               : recent                              ? UI_TEXT
	                                                     : UI_MUTED);
	drapeUi_EndClip();
	snprintf(text, sizeof text, "frame %u    %.2f s    %u triangles    %.1f ms    %.0f fps", studio->frame->index,
	         studio->frame->time, drapeFrame_Triangles(studio->frame), (double)studio->frame->stepMs, studio->fps);
	drapeUi_TextAt((UiPoint){rect.x + rect.width - drapeUi_TextSize(text).x - 14, line}, text, UI_MUTED);
	drapeUi_EndPanel();
}
