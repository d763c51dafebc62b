// SPDX-License-Identifier: MIT
#include "studio.h"

#include <string.h>

static void ShowGroup(const char* group)
{
	drapeUi_Heading(group);
	for (int i = 0; drapeCommands_At(i); ++i)
	{
		const Command* command = drapeCommands_At(i);
		if (strcmp(command->group, group) != 0)
			continue;
		UiRect row = drapeUi_Reserve(drapeUi_AvailableWidth(), 12);
		float width = drapeUi_TextSize(command->keys).x;
		drapeUi_TextAt((UiPoint){row.x, row.y}, command->name, UI_MUTED);
		drapeUi_TextAt((UiPoint){row.x + row.width - width, row.y}, command->keys, UI_TEXT);
	}
	drapeUi_Gap(4);
}

static void ShowMouse(void)
{
	static const char* const rows[][2] = {
		{"Left click", "select, pin"},        {"Left drag", "handles, grab cloth, box"},
		{"Right drag", "turn the picture"},   {"Middle drag", "move the picture"},
		{"Wheel", "nearer, farther"},         {"Ctrl while dragging", "snap"},
		{"Ctrl+click on a value", "type it"}, {"Drop a file", "open or add it"},
	};
	drapeUi_Heading("Mouse");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		UiRect row = drapeUi_Reserve(drapeUi_AvailableWidth(), 12);
		float width = drapeUi_TextSize(rows[i][1]).x;
		drapeUi_TextAt((UiPoint){row.x, row.y}, rows[i][0], UI_MUTED);
		drapeUi_TextAt((UiPoint){row.x + row.width - width, row.y}, rows[i][1], UI_TEXT);
	}
}

void drapeHelp_Show(Studio* studio)
{
	if (!studio->help)
		return;
	float width = fminf(720, studio->picture.width - 16), height = fminf(572, studio->picture.height - 16);
	UiRect rect = {studio->picture.x + 0.5f * (studio->picture.width - width),
	               studio->picture.y + 0.5f * (studio->picture.height - height), width, height};
	float column = 0.5f * (width - 24 - 32);
	drapeUi_BeginPanel("Help", rect, 0x25282df7u);
	drapeUi_Heading("Keys and mouse");
	drapeUi_SameLineAt(width - 82);
	if (drapeUi_Button("Close", 70, ui_buttonPlain))
		studio->help = false;
	drapeUi_Separator();
	drapeUi_BeginChild("left", column, 0, 0);
	ShowGroup("File");
	ShowGroup("Time");
	ShowGroup("Tools");
	drapeUi_EndChild();
	drapeUi_SameLine(32);
	drapeUi_BeginChild("right", column, 0, 0);
	ShowGroup("Change");
	ShowGroup("View");
	ShowMouse();
	drapeUi_EndChild();
	drapeUi_EndPanel();
}
