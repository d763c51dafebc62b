// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdio.h>

// --- rows ---

static void ShowRow(Studio* studio, Item item, Icon icon, const char* note)
{
	const drapeScene* scene = studio->document.scene;
	bool selected = Item_Same(studio->selection, item);
	float width = drapeUi_AvailableWidth();
	char id[96];
	snprintf(id, sizeof id, "%s", drapeScene_ItemName(scene, item));
	drapeUi_PushId((int)(item.kind * 10000 + item.index));
	UiItem row = drapeUi_Hotspot(id[0] ? id : "item", width, 24);
	drapeUi_PopId();
	if (selected || row.hovered)
		drapeUi_FillRect(row.rect, selected ? UI_ACCENT_SOFT : 0x32363dffu, 4);
	drapeIcon_Draw(icon, (UiPoint){row.rect.x + 15, row.rect.y + 12}, 13, selected ? 0xffb896ffu : UI_MUTED);
	UiRect text = {row.rect.x + 32, row.rect.y, width - 38, 24};
	float noteWidth = drapeUi_TextSize(note).x;
	drapeUi_TextAt((UiPoint){row.rect.x + width - noteWidth - 8, row.rect.y + 4}, note, selected ? UI_TEXT : UI_MUTED);
	text.width -= noteWidth + 6;
	drapeUi_ClipDrawing(text);
	drapeUi_TextAt((UiPoint){text.x, row.rect.y + 4}, id, selected ? 0xffffffffu : UI_TEXT);
	drapeUi_EndClip();
	if (row.clicked)
		drapeStudio_Select(studio, item);
	if (row.doubleClicked)
		drapeCommands_Run(studio, drapeCommands_Find("Look at the selection"));
}

static const char* ClothNote(const Studio* studio, uint32_t index, char* text, size_t capacity)
{
	const FrameCloth* cloth = drapeStudio_FrameCloth(studio, index);
	snprintf(text, capacity, "%u", cloth ? cloth->view.triangleCount : 0);
	return cloth ? text : "";
}

static void ShowGroup(const char* title)
{
	drapeUi_Gap(2);
	drapeUi_TextColoured(title, UI_MUTED);
}

static void ShowItems(Studio* studio)
{
	const drapeScene* scene = studio->document.scene;
	char note[32];
	ShowRow(studio, (Item){item_world, 0}, icon_world, "");
	if (scene->clothCount > 0)
		ShowGroup("Cloths");
	for (uint32_t i = 0; i < scene->clothCount; ++i)
		ShowRow(studio, (Item){item_cloth, i}, icon_cloth, ClothNote(studio, i, note, sizeof note));
	if (scene->colliderCount > 0)
		ShowGroup("Colliders");
	for (uint32_t i = 0; i < scene->colliderCount; ++i)
		ShowRow(studio, (Item){item_collider, i}, icon_collider, "");
	if (scene->objectCount > 0)
		ShowGroup("Objects");
	for (uint32_t i = 0; i < scene->objectCount; ++i)
		ShowRow(studio, (Item){item_object, i}, icon_object, "");
	if (drapeScene_IsBlank(scene))
	{
		drapeUi_Gap(6);
		drapeUi_TextWrapped("Nothing here yet. Add a sheet, a ball, or an OBJ file.", UI_MUTED);
	}
}

// --- adding ---

typedef struct AddEntry
{
	const char* label;
	ItemKind kind;
	const char* json;
} AddEntry;

static const AddEntry clothEntries[] = {
	{"Square sheet", item_cloth,
     "{\"name\": \"x\", \"grid\": {\"columns\": 8, \"rows\": 8, \"width\": 1, \"depth\": 1}, \"position\": [0, 1, "
     "0], " SCENE_NEW_CLOTH "}"},
	{"Round sheet", item_cloth,
     "{\"name\": \"x\", \"disc\": {\"radius\": 0.6, \"rings\": 4, \"segments\": 24}, \"position\": [0, 1, "
     "0], " SCENE_NEW_CLOTH "}"},
};

static void AddEntries(Studio* studio, const AddEntry* entries, size_t count)
{
	drapeScene* scene = studio->document.scene;
	for (size_t i = 0; i < count; ++i)
	{
		char name[64];
		if (!drapeUi_MenuItem(entries[i].label, NULL, true))
			continue;
		Item item = drapeScene_Add(scene, entries[i].kind, entries[i].json);
		if (item.kind == item_cloth)
		{
			scene->cloths[item.index].name[0] = 'X'; // a name that no other cloth has
			drapeScene_FreeName(scene, "sheet", name, sizeof name);
			drapeScene_SetText(&scene->cloths[item.index].name, name);
		}
		drapeStudio_Select(studio, item);
		drapeStudio_Changed(studio, entries[i].label);
	}
}

// The extent of the shape along the y axis from its origin, m; `sign` is -1 for below.
static float Extent(const drapeColliderDef* def, float sign)
{
	float low = 0.0f, high = 100.0f;
	for (int i = 0; i < 30; ++i)
	{
		float middle = 0.5f * (low + high);
		if (drapeColliderShape_GetDistance(def, V3(0.0f, sign * middle, 0.0f), NULL) < 0.0f)
			low = middle;
		else
			high = middle;
	}
	return high;
}

// The height of a new collider, m: above the floor, and below a new sheet.
static float HeightOf(const drapeColliderDef* def)
{
	return fmaxf(Extent(def, -1.0f) + 0.01f, 0.75f - Extent(def, 1.0f));
}

// One entry per shape, with its typical measures.
static void AddColliderEntries(Studio* studio)
{
	const drapeColliderShapeInfo* info;
	drapeScene* scene = studio->document.scene;
	for (int i = 0; (info = drapeColliderShape_GetInfo((drapeColliderShape)i)) != NULL; ++i)
	{
		const char* label = info->isBounded ? info->label : "Floor";
		if (info->isMesh || !drapeUi_MenuItem(label, NULL, true))
			continue;
		Item item = drapeScene_Add(scene, item_collider, "{\"shape\": \"plane\"}");
		if (item.kind == item_none)
			return;
		drapeSceneCollider* collider = &scene->colliders[item.index];
		drapeScene_SetShape(collider, (drapeColliderShape)i);
		if (info->isBounded)
			collider->pose.position.y = HeightOf(&collider->def);
		else
			drapeScene_SetText(&collider->name, label);
		drapeStudio_Select(studio, item);
		drapeStudio_Changed(studio, label);
	}
}

// Shows the contents of the popup "Add".
static void ShowAddMenu(Studio* studio)
{
	drapeUi_TextColoured("Cloth", UI_MUTED);
	AddEntries(studio, clothEntries, sizeof clothEntries / sizeof clothEntries[0]);
	drapeUi_Separator();
	drapeUi_TextColoured("Collider", UI_MUTED);
	AddColliderEntries(studio);
	drapeUi_Separator();
	if (drapeUi_MenuItem("OBJ file...", "Ctrl+I", true))
		drapeBrowser_Open(studio, browser_addObject);
}

void drapeTree_Show(Studio* studio, UiRect rect)
{
	drapeUi_BeginPanel("Scene", rect, UI_PANEL);
	drapeUi_Heading("Scene");
	drapeUi_SameLineAt(rect.width - 74);
	if (drapeUi_Button("Add", 62, ui_buttonPlain) || studio->wantAdd)
		drapeUi_OpenPopup("Add");
	studio->wantAdd = false;
	drapeUi_Tip("A cloth, a collider, or an OBJ file  (A)");
	if (drapeUi_BeginPopup("Add"))
	{
		ShowAddMenu(studio);
		drapeUi_EndPopup();
	}
	drapeUi_BeginChild("items", 0, 0, 0);
	ShowItems(studio);
	drapeUi_EndChild();
	drapeUi_EndPanel();
}
