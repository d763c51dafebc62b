// SPDX-License-Identifier: MIT
// A metre of measured denim: finite elements, moved implicitly, one step per frame.

#include <drape/drape.h>

#include <stdio.h>

int main(void)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = drapeCreateWorld(&worldDef);
	drapeMesh pattern;
	drapeMesh_CreateGrid(8, 8, 1.0f, 1.0f, &pattern);

	drapeClothDef clothDef = drapeDefaultClothDef();
	clothDef.mesh = &pattern;
	clothDef.model = drape_modelFem;
	clothDef.solver = drapeDefaultFemSolverDef(); // drapeDefaultClothDef has the defaults of springs
	drapeMaterial_Preset("11oz-black-denim", &clothDef.material);
	drapeClothId cloth = drapeCreateCloth(world, &clothDef);
	drapeMesh_Free(&pattern);
	if (!drapeCloth_IsValid(cloth))
		return 1;
	drapeCloth_Pin(cloth, 0);
	drapeCloth_Pin(cloth, 8);

	uint32_t solves = 0, iterations = 0;
	for (int frame = 0; frame < 60; ++frame)
	{
		if (drapeWorld_Step(world, 1.0f / 60.0f) != drape_ok)
		{
			fprintf(stderr, "the step failed\n");
			return 1;
		}
		drapeStats costs = drapeWorld_GetCosts(world);
		solves += costs.solves;
		iterations += costs.iterations;
	}
	printf("%u triangles, %u linear solves of %u iterations, longest edge %.3f of its rest length\n",
	       drapeWorld_GetCosts(world).triangles, solves, iterations / solves,
	       (double)drapeWorld_GetStats(world).stretchMax);
	drapeDestroyWorld(world);
	return 0;
}
