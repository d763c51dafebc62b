// SPDX-License-Identifier: MIT
// A sheet hangs from two of its corners. One second of motion, then the mesh of that moment goes into a file.

#include <drape/drape.h>
#include <drape/io.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef(); // gravity, still air, one thread
	drapeWorldId world = drapeCreateWorld(&worldDef);

	drapeMesh pattern; // 8 by 8 quads, one metre square; or your own arrays, or drapeObj_Read
	drapeMesh_CreateGrid(8, 8, 1.0f, 1.0f, &pattern);

	drapeClothDef clothDef = drapeDefaultClothDef();
	clothDef.mesh = &pattern; // copied
	clothDef.adapt.maxLevel = 3;
	drapeMaterial_Preset("cotton", &clothDef.material);
	drapeClothId cloth = drapeCreateCloth(world, &clothDef);
	drapeMesh_Free(&pattern);
	if (!drapeCloth_IsValid(cloth))
		return 1;
	drapeCloth_Pin(cloth, 0); // vertices of the pattern are particles of the same number
	drapeCloth_Pin(cloth, 8);

	for (int frame = 0; frame < 60; ++frame)
	{
		if (drapeWorld_Step(world, 1.0f / 60.0f) != drape_ok)
		{
			fprintf(stderr, "the step failed\n");
			return 1;
		}
	}

	drapeClothView view = drapeCloth_View(cloth); // valid until the next step
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] = (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z};
	drapeMesh mesh = {.positions = positions,
	                  .vertexCount = view.particleCount,
	                  .triangles = view.triangles,
	                  .triangleCount = view.triangleCount};
	drapeObjWriteDef file = {.mesh = &mesh};
	drapeFileError error;
	drapeResult result = drapeObj_Write("hang.obj", &file, &error);
	if (result == drape_ok)
		printf("hang.obj: %u triangles after %.1f s\n", view.triangleCount, drapeWorld_GetTime(world));
	else
		fprintf(stderr, "%s\n", error.text);

	free(positions);
	drapeDestroyWorld(world);
	return result == drape_ok ? 0 : 1;
}
