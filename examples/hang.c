// SPDX-License-Identifier: MIT
// A sheet hangs from two of its corners. One second of motion, then the mesh of that moment goes into a file.

#include <drape/drape.h>
#include <drape/io.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef(); // gravity, still air, one thread
	drapeWorldId world;
	drapeMessage message = {0};
	if (drapeCreateWorld(&worldDef, &world, &message) != drape_ok)
	{
		fprintf(stderr, "%s\n", message.text);
		return 1;
	}

	drapeMesh pattern; // 8 by 8 quads, one metre square; or your own arrays, or drapeObj_Read
	drapeMesh_CreateGrid(8, 8, 1.0f, 1.0f, &pattern, NULL);

	drapeClothDef clothDef = drapeDefaultClothDef();
	clothDef.mesh = &pattern; // copied
	clothDef.adapt.maxLevel = 3;
	drapeClothId cloth;
	drapeResult result = drapeCreateCloth(world, &clothDef, &cloth);
	drapeMesh_Free(&pattern);
	if (result != drape_ok)
	{
		fprintf(stderr, "%s\n", drapeWorld_GetMessage(world));
		return 1;
	}
	drapeCreatePin(cloth, 0, NULL); // vertices of the pattern are particles of the same number
	drapeCreatePin(cloth, 8, NULL);

	for (int frame = 0; frame < 60; ++frame)
	{
		if (drapeWorld_Step(world, 1.0f / 60.0f) != drape_ok)
		{
			fprintf(stderr, "%s\n", drapeWorld_GetMessage(world));
			return 1;
		}
	}

	drapeClothView view = drapeCloth_GetView(cloth); // valid until the next step
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	drapeVertexLayout layout = {.positions = {positions, 0}};
	drapeCloth_WriteVertices(cloth, &layout, view.particleCount);
	drapeMesh mesh = {.positions = positions,
	                  .vertexCount = view.particleCount,
	                  .triangles = view.triangles,
	                  .triangleCount = view.triangleCount};
	drapeObjWriteDef file = {.mesh = &mesh};
	result = drapeObj_Write("hang.obj", &file, &message);
	if (result == drape_ok)
		printf("hang.obj: %u triangles after %.1f s\n", view.triangleCount, drapeWorld_GetTime(world));
	else
		fprintf(stderr, "%s\n", message.text);

	free(positions);
	drapeDestroyWorld(world);
	return result == drape_ok ? 0 : 1;
}
