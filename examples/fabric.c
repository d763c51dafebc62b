// SPDX-License-Identifier: MIT
// A metre of measured denim: finite elements, moved implicitly, one step per frame.

#include <drape/drape.h>

#include <stdio.h>

int main(void)
{
	drapeMessage message = {0};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world;
	if (drapeCreateWorld(&worldDef, &world, &message) != drape_ok)
	{
		fprintf(stderr, "%s\n", message.text);
		return 1;
	}
	drapeMesh pattern;
	drapeMesh_CreateGrid(8, 8, 1.0f, 1.0f, &pattern, NULL);

	drapeClothDef clothDef = drapeDefaultClothDef();
	clothDef.mesh = &pattern;
	drapeMaterial_GetPreset("11oz-black-denim", &clothDef.material, NULL);
	drapeClothId cloth;
	drapeResult result = drapeCreateCloth(world, &clothDef, &cloth);
	drapeMesh_Free(&pattern);
	if (result != drape_ok)
	{
		fprintf(stderr, "%s\n", drapeWorld_GetMessage(world));
		return 1;
	}
	drapeCreatePin(cloth, 0, NULL);
	drapeCreatePin(cloth, 8, NULL);

	uint32_t solves = 0, iterations = 0;
	for (int frame = 0; frame < 60; ++frame)
	{
		if (drapeWorld_Step(world, 1.0f / 60.0f) != drape_ok)
		{
			fprintf(stderr, "%s\n", drapeWorld_GetMessage(world));
			return 1;
		}
		drapeCounters counters = drapeWorld_GetCounters(world);
		solves += counters.solves;
		iterations += counters.iterations;
	}
	printf("%u triangles, %u linear solves of %u iterations, longest edge %.3f of its rest length\n",
	       drapeWorld_GetCounters(world).triangles, solves, iterations / solves,
	       (double)drapeWorld_GetMeasures(world).stretchMax);
	drapeDestroyWorld(world);
	return 0;
}
