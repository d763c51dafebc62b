// SPDX-License-Identifier: MIT
#include "cli.h"

#include "drape/drape.h"

#include <stdio.h>

// drape presets: the fabrics that a scene may name.

static json_t* MaterialJson(uint32_t index)
{
	drapeMaterial m = {0};
	drapeMaterial_Preset(drapeMaterial_PresetName(index), &m);
	const struct
	{
		const char* key;
		float value;
	} rows[] = {
		{"density", m.density},
		{"stretchWarp", m.stretchWarp},
		{"stretchWeft", m.stretchWeft},
		{"shear", m.shear},
		{"poisson", m.poisson},
		{"bendWarp", m.bendWarp},
		{"bendWeft", m.bendWeft},
		{"dampingTime", m.dampingTime},
		{"friction", m.friction},
		{"thickness", m.thickness},
		{"drag", m.drag},
		{"lift", m.lift},
	};
	json_t* material = json_object();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
		json_object_set_new(material, rows[i].key, Cli_JsonNumber((double)rows[i].value));
	return json_pack("{s:s, s:s, s:o}", "name", drapeMaterial_PresetName(index), "help",
	                 drapeMaterial_PresetHelp(index), "material", material);
}

static bool PrintPresetsJson(void)
{
	json_t* materials = json_array();
	for (uint32_t i = 0; drapeMaterial_PresetName(i); ++i)
		json_array_append_new(materials, MaterialJson(i));
	return Cli_PrintJson(json_pack("{s:o}", "materials", materials));
}

static void PrintPresets(void)
{
	printf("%-10s %9s %10s %10s   %s\n", "", "kg/m^2", "N/m", "N m", "");
	printf("%-10s %9s %10s %10s   %s\n", "material", "density", "stretch", "bend", "what it is");
	for (uint32_t i = 0; drapeMaterial_PresetName(i); ++i)
	{
		drapeMaterial m = {0};
		drapeMaterial_Preset(drapeMaterial_PresetName(i), &m);
		printf("%-10s %9.3g %10.4g %10.3g   %s\n", drapeMaterial_PresetName(i), (double)m.density,
		       (double)m.stretchWarp, (double)m.bendWarp, drapeMaterial_PresetHelp(i));
	}
}

CliExit Presets_Run(int argc, char** argv)
{
	bool json = false;
	const CliOption options[] = {{"--json", cli_optionFlag, NULL, "print one JSON object, with all values", &json}};
	const CliUsage usage = {.synopsis = "drape presets [--json]",
	                        .summary = "The fabrics that a scene may name as its material.",
	                        .options = options,
	                        .optionCount = 1};
	CliParse parse = Cli_Parse(&usage, argc, argv);
	if (parse != cli_parseRun)
		return parse == cli_parseHelp ? cli_exitDone : cli_exitUsage;
	if (json)
		return PrintPresetsJson() ? cli_exitDone : cli_exitFailed;
	PrintPresets();
	return cli_exitDone;
}
