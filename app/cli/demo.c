// SPDX-License-Identifier: MIT
#include "cli.h"

#include "drape/drape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A bump travels under a flat sheet. The sheet refines where it bends and coarsens behind it; each frame is an OBJ
// file.

enum
{
	frameCount = 24,
	passesPerFrame = 4,
};

static drapeVec3 OnTheBump(drapeVec4 p, float time)
{
	float x = p.x - (1.6f * time - 0.8f), z = p.z - 0.15f * sinf(6.0f * time);
	return (drapeVec3){p.x, 0.18f * expf(-(x * x + z * z) / (0.12f * 0.12f)), p.z};
}

static drapeResult Deform(drapeClothId cloth, float time)
{
	drapeClothView view = drapeCloth_View(cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	if (!positions)
		return drape_errorMemory;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] = OnTheBump(view.positions[i], time);
	drapeResult result = drapeCloth_SetPositions(cloth, positions);
	free(positions);
	return result;
}

static drapeResult WriteFrame(drapeClothId cloth, const char* path, drapeFileError* error)
{
	drapeClothView view = drapeCloth_View(cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	uint32_t* corners = malloc(3 * view.triangleCount * sizeof *corners);
	drapeResult result = drape_errorMemory;
	if (positions && corners)
	{
		for (uint32_t i = 0; i < view.particleCount; ++i)
			positions[i] = (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z};
		for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
			corners[i] = i;
		drapeMesh mesh = {
			.positions = positions,
			.vertexCount = view.particleCount,
			.triangles = view.triangles,
			.triangleCount = view.triangleCount,
			.texcoords = view.texcoords,
			.texcoordCount = 3 * view.triangleCount,
			.texcoordTriangles = corners,
		};
		drapeObjWriteDef def = {.mesh = &mesh, .comment = "drape demo"};
		result = drapeObj_Write(path, &def, error);
	}
	free(positions);
	free(corners);
	return result;
}

static drapeResult RunFrames(drapeClothId cloth, const char* folder, drapeFileError* error)
{
	for (int frame = 0; frame < frameCount; ++frame)
	{
		char path[4096];
		for (int pass = 0; pass < passesPerFrame; ++pass)
		{
			drapeResult result = Deform(cloth, (float)frame / (float)(frameCount - 1));
			if (result == drape_ok)
				result = drapeCloth_Adapt(cloth, NULL);
			if (result != drape_ok)
				return result;
		}
		if (snprintf(path, sizeof path, "%s/sheet.%04d.obj", folder, frame + 1) >= (int)sizeof path)
			return drape_errorLimit;
		drapeResult result = WriteFrame(cloth, path, error);
		if (result != drape_ok)
			return result;
		printf("%s: %u triangles\n", path, drapeCloth_View(cloth).triangleCount);
	}
	return drape_ok;
}

CliExit Demo_Run(int argc, char** argv)
{
	const char* folder = "out/demo";
	const CliOption options[] = {{"-o", cli_optionText, "DIR", "where the files go (out/demo)", &folder}};
	const CliUsage usage = {
		.synopsis = "drape demo [-o DIR]",
		.summary = "A sheet refines over a travelling bump and coarsens behind it; each frame is an OBJ file.",
		.options = options,
		.optionCount = 1};
	CliParse parse = Cli_Parse(&usage, argc, argv);
	if (parse != cli_parseRun)
		return parse == cli_parseHelp ? cli_exitDone : cli_exitUsage;
	int code = Cli_MakeFolders(folder);
	if (code != 0)
	{
		Cli_Error("%s: %s", folder, strerror(code));
		return cli_exitFailed;
	}

	drapeMesh mesh;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = drapeCreateWorld(&worldDef);
	drapeResult result = drapeMesh_CreateGrid(8, 8, 1.0f, 1.0f, &mesh);
	drapeFileError error = {0};
	if (world.world && result == drape_ok)
	{
		drapeClothDef def = drapeDefaultClothDef();
		def.mesh = &mesh;
		def.result = &result;
		def.adapt.maxLevel = 4;
		def.adapt.joinWait = 2;
		drapeClothId cloth = drapeCreateCloth(world, &def);
		if (result == drape_ok)
			result = RunFrames(cloth, folder, &error);
	}
	drapeMesh_Free(&mesh);
	drapeDestroyWorld(world);
	if (result != drape_ok)
		Cli_Error("%s", error.text[0] ? error.text : drapeResult_String(result));
	return result == drape_ok ? cli_exitDone : cli_exitFailed;
}
