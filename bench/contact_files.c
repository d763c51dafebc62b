// SPDX-License-Identifier: MIT
#include "contact_files.h"

#include "bench.h"
#include "drape/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void ContactFiles_WriteMesh(const char* folder, const char* name, const drapeMesh* mesh)
{
	char path[4096];
	drapeMessage error;
	Bench_Require(mkdir(folder, 0777) == 0 || errno == EEXIST, "the folder cannot be made");
	snprintf(path, sizeof path, "%s/%s.obj", folder, name);
	Bench_Require(drapeObj_Write(path, &(drapeObjWriteDef){.mesh = mesh}, &error) == drape_ok, error.text);
}

static void WriteCloth(const char* folder, const char* name, drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	Bench_Require(positions, "out of memory");
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] = (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z};
	const drapeMesh mesh = {.positions = positions,
	                        .vertexCount = view.particleCount,
	                        .triangles = view.triangles,
	                        .triangleCount = view.triangleCount};
	ContactFiles_WriteMesh(folder, name, &mesh);
	free(positions);
}

void ContactFiles_Write(const char* folder, const char* name, const drapeClothId* cloths, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		char numbered[256];
		snprintf(numbered, sizeof numbered, "%s-%u", name, i);
		WriteCloth(folder, numbered, cloths[i]);
	}
}
