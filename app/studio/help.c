// SPDX-License-Identifier: MIT
#include "studio.h"

#include <string.h>

static void ShowGroup(const char* group)
{
	Ui_Heading(group);
	for (int i = 0; Commands_At(i); ++i)
	{
		const Command* command = Commands_At(i);
		if (strcmp(command->group, group) != 0)
			continue;
		UiRect row = Ui_Reserve(Ui_AvailableWidth(), 12);
		float width = Ui_TextSize(command->keys).x;
		Ui_TextAt((UiPoint){row.x, row.y}, command->name, UI_MUTED);
		Ui_TextAt((UiPoint){row.x + row.width - width, row.y}, command->keys, UI_TEXT);
	}
	Ui_Gap(4);
}

static void ShowMouse(void)
{
	static const char* const rows[][2] = {
		{"Left click", "select, pin"},        {"Left drag", "handles, grab cloth, box"},
		{"Right drag", "turn the picture"},   {"Middle drag", "move the picture"},
		{"Wheel", "nearer, farther"},         {"Ctrl while dragging", "snap"},
		{"Ctrl+click on a value", "type it"}, {"Drop a file", "open or add it"},
	};
	Ui_Heading("Mouse");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		UiRect row = Ui_Reserve(Ui_AvailableWidth(), 12);
		float width = Ui_TextSize(rows[i][1]).x;
		Ui_TextAt((UiPoint){row.x, row.y}, rows[i][0], UI_MUTED);
		Ui_TextAt((UiPoint){row.x + row.width - width, row.y}, rows[i][1], UI_TEXT);
	}
}

void Help_Show(Studio* studio)
{
	if (!studio->help)
		return;
	float width = fminf(720, studio->picture.width - 16), height = fminf(572, studio->picture.height - 16);
	UiRect rect = {studio->picture.x + 0.5f * (studio->picture.width - width),
	               studio->picture.y + 0.5f * (studio->picture.height - height), width, height};
	float column = 0.5f * (width - 24 - 32);
	Ui_BeginPanel("Help", rect, 0x25282df7u);
	Ui_Heading("Keys and mouse");
	Ui_SameLineAt(width - 82);
	if (Ui_Button("Close", 70, ui_buttonPlain))
		studio->help = false;
	Ui_Separator();
	Ui_BeginChild("left", column, 0, 0);
	ShowGroup("File");
	ShowGroup("Time");
	ShowGroup("Tools");
	Ui_EndChild();
	Ui_SameLine(32);
	Ui_BeginChild("right", column, 0, 0);
	ShowGroup("Change");
	ShowGroup("View");
	ShowMouse();
	Ui_EndChild();
	Ui_EndPanel();
}
