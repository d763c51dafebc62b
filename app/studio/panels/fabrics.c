// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdio.h>
#include <string.h>

// Lists the presets with their properties. A click gives the preset to the selected cloth, or to the only one.

static uint32_t Chosen(const Studio* studio)
{
	const drapeScene* scene = studio->document.scene;
	if (studio->selection.kind == item_cloth && studio->selection.index < scene->clothCount)
		return studio->selection.index;
	return scene->clothCount == 1 ? 0 : DRAPE_NONE;
}

static void ShowFabric(Studio* studio, uint32_t index, uint32_t cloth)
{
	const char* name = drapeMaterial_GetPresetName(index);
	drapeMaterial preset;
	drapeMaterial_GetPreset(name, &preset, NULL);
	drapeMaterial* material = cloth == DRAPE_NONE ? NULL : &studio->document.scene->cloths[cloth].material;
	bool isThis = material && memcmp(material, &preset, sizeof preset) == 0;
	float width = drapeUi_AvailableWidth();
	UiItem row = drapeUi_Hotspot(name, width, 46);
	char numbers[96];
	snprintf(numbers, sizeof numbers, "%.0f g/m²   bend %.2g N m", 1000.0 * (double)preset.density,
	         (double)preset.bendWarp);
	drapeUi_FillRect(row.rect, isThis ? UI_ACCENT_SOFT : row.hovered ? 0x383d45ffu : 0x2c3036ffu, 5);
	drapeUi_TextAt((UiPoint){row.rect.x + 10, row.rect.y + 5}, name, isThis ? 0xffffffffu : UI_TEXT);
	drapeUi_TextAt((UiPoint){row.rect.x + 10, row.rect.y + 24}, numbers, UI_MUTED);
	char tip[400];
	snprintf(tip, sizeof tip, "%s\n\n%s", drapeMaterial_GetPresetHelp(index), drapeMaterial_GetPresetSource(index));
	drapeUi_Tip(tip);
	if (row.clicked && material)
	{
		*material = preset;
		drapeStudio_Changed(studio, "Fabric");
	}
}

void drapeFabrics_Show(Studio* studio)
{
	uint32_t cloth = Chosen(studio);
	char text[240];
	if (cloth == DRAPE_NONE)
		snprintf(text, sizeof text, "Select a cloth, then click a fabric for it.");
	else
	{
		const drapeSceneCloth* chosen = &studio->document.scene->cloths[cloth];
		int preset = drapeMaterial_FindPreset(&chosen->material);
		snprintf(text, sizeof text, "\"%s\" is of %s. A click gives it another fabric, also while it runs.",
		         chosen->name, preset >= 0 ? drapeMaterial_GetPresetName((uint32_t)preset) : "a fabric of its own");
	}
	drapeUi_TextWrapped(text, UI_MUTED);
	drapeUi_Gap(2);
	for (uint32_t i = 0; drapeMaterial_GetPresetName(i); ++i)
		ShowFabric(studio, i, cloth);
}
