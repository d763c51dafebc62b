// SPDX-License-Identifier: MIT
#include "contact_files.h"

#include "bench.h"
#include "drape/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void WriteCloth(const char* path, drapeClothId cloth)
{
	drapeClothView view = drapeCloth_View(cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	Bench_Require(positions, "out of memory");
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] = (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z};
	const drapeMesh mesh = {.positions = positions,
	                        .vertexCount = view.particleCount,
	                        .triangles = view.triangles,
	                        .triangleCount = view.triangleCount};
	drapeFileError error;
	drapeResult result = drapeObj_Write(path, &(drapeObjWriteDef){.mesh = &mesh}, &error);
	Bench_Require(result == drape_ok, error.text);
	free(positions);
}

void ContactFiles_Write(const char* folder, const char* name, const drapeClothId* cloths, uint32_t count)
{
	Bench_Require(mkdir(folder, 0777) == 0 || errno == EEXIST, "the folder cannot be made");
	for (uint32_t i = 0; i < count; ++i)
	{
		char path[4096];
		snprintf(path, sizeof path, "%s/%s-%u.obj", folder, name, i);
		WriteCloth(path, cloths[i]);
	}
}
