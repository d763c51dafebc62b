// SPDX-License-Identifier: MIT
#include "cli.h"

#include "drape/drape.h"

#include <stdio.h>
#include <string.h>

// drape presets: the fabrics that a scene may name.

static json_t* CurveJson(const drapeStressCurve* curve)
{
	json_t* points = json_array();
	for (uint32_t i = 0; i < curve->count; ++i)
		json_array_append_new(points, json_pack("[o, o]", Cli_JsonNumber((double)curve->strain[i]),
		                                        Cli_JsonNumber((double)curve->stress[i])));
	return points;
}

// Uses the keys of a scene's material.
static json_t* MaterialJson(uint32_t index)
{
	drapeMaterial m = {0};
	drapeMaterial_GetPreset(drapeMaterial_GetPresetName(index), &m, NULL);
	const struct
	{
		const char* key;
		float value;
	} rows[] = {
		{"density", m.density},   {"stretchWarp", m.stretchWarp},   {"stretchWeft", m.stretchWeft},
		{"shear", m.shear},       {"poisson", m.poisson},           {"bendWarp", m.bendWarp},
		{"bendWeft", m.bendWeft}, {"bendBias", m.bendBias},         {"curlWarp", m.curlWarp},
		{"curlWeft", m.curlWeft}, {"bendFriction", m.bendFriction}, {"dampingTime", m.dampingTime},
		{"friction", m.friction}, {"thickness", m.thickness},       {"drag", m.drag},
		{"lift", m.lift},
	};
	json_t* material = json_object();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
		json_object_set_new(material, rows[i].key, Cli_JsonNumber((double)rows[i].value));
	json_object_set_new(material, "warpCurve", CurveJson(&m.warpCurve));
	json_object_set_new(material, "weftCurve", CurveJson(&m.weftCurve));
	json_object_set_new(material, "shearCurve", CurveJson(&m.shearCurve));
	return json_pack("{s:s, s:s, s:s, s:o}", "name", drapeMaterial_GetPresetName(index), "help",
	                 drapeMaterial_GetPresetHelp(index), "source", drapeMaterial_GetPresetSource(index), "material",
	                 material);
}

static bool PrintPresetsJson(void)
{
	json_t* materials = json_array();
	for (uint32_t i = 0; drapeMaterial_GetPresetName(i); ++i)
		json_array_append_new(materials, MaterialJson(i));
	return Cli_PrintJson(json_pack("{s:o}", "materials", materials));
}

static void PrintPreset(uint32_t index)
{
	drapeMaterial m = {0};
	drapeMaterial_GetPreset(drapeMaterial_GetPresetName(index), &m, NULL);
	bool curves = m.warpCurve.count + m.weftCurve.count + m.shearCurve.count > 0;
	printf("%-18s %7.3g %8.4g %8.4g %7.4g %8.3f %7.3g %7.3g ", drapeMaterial_GetPresetName(index), (double)m.density,
	       (double)m.stretchWarp, (double)m.stretchWeft, (double)m.shear, (double)m.poisson, 1e6 * (double)m.bendWarp,
	       1e6 * (double)m.bendWeft);
	if (m.bendBias > 0.0f)
		printf("%7.3g", 1e6 * (double)m.bendBias);
	else
		printf("%7s", "-");
	printf("  %-6s  %s\n", curves ? "yes" : "-", drapeMaterial_GetPresetHelp(index));
}

// Groups presets of the same source.
static void PrintPresets(void)
{
	const char* layout = "%-18s %7s %8s %8s %7s %8s %7s %7s %7s%s\n";
	printf(layout, "material", "density", "stretch", "", "shear", "poisson", "bend", "", "", "  curves  description");
	printf(layout, "", "", "warp", "weft", "", "", "warp", "weft", "bias", "");
	printf(layout, "", "kg/m^2", "N/m", "N/m", "N/m", "", "uN m", "uN m", "uN m", "");
	const char *source, *last = "";
	for (uint32_t i = 0; (source = drapeMaterial_GetPresetSource(i)) != NULL; last = source, ++i)
	{
		if (strcmp(source, last) != 0)
			printf("\n%s\n", source);
		PrintPreset(i);
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
