// SPDX-License-Identifier: MIT
#include "shared/sheets.h"
#include "shared/make.h"

#include <stdio.h>
#include <stdlib.h>

void Shared_Require(bool condition, const char* what)
{
	if (condition)
		return;
	fprintf(stderr, "drape: %s\n", what);
	exit(1);
}

drapeClothDef SharedFabric_Cotton(drapeScheme scheme, uint32_t levels)
{
	bool isAdaptive = scheme != drape_schemeFixed;
	drapeClothDef def = Make_SpringClothDef();
	def.model = drape_modelFem;
	def.material.density = 0.2f;
	def.material.stretchWarp = def.material.stretchWeft = 2000.0f;
	def.material.shear = 100.0f;
	def.material.bendWarp = def.material.bendWeft = 3e-5f;
	def.material.friction = 0.5f;
	def.material.bendFriction = 50.0f; // 2HB as large as B, in gf cm/cm and gf cm^2/cm, as for many cottons
	def.material.dampingTime = 0.01f;
	def.solver = drapeDefaultSolverDef();
	def.solver.integrator = drape_integratorImplicitEuler;
	def.solver.newtonIterations = 1;
	def.solver.tolerance = 0.01f;
	def.solver.globalDamping = 2.0f;
	def.contact = drape_contactAll;
	def.adapt.scheme = scheme;
	// Two generations of the square-root-3 scheme are about one level of the edge scheme: nine triangles for one, and
	// four.
	def.adapt.maxLevel = scheme == drape_schemeSqrt3 ? 2 * levels : levels;
	def.adapt.curvature.enabled = isAdaptive;
	def.adapt.collision.colliders = isAdaptive;
	return def;
}

drapeMaterial SharedFabric_Stiff(void)
{
	drapeMaterial material = drapeDefaultMaterial();
	material.density = 0.2f;
	material.stretchWarp = material.stretchWeft = 5000.0f;
	material.poisson = 0.3f;
	material.shear = 5000.0f / 2.6f;
	material.bendWarp = material.bendWeft = 3e-5f;
	material.dampingTime = 0.0f;
	material.drag = material.lift = 0.0f;
	return material;
}

drapeClothId SharedSheet_Add(drapeWorldId world, const drapeClothDef* def, uint32_t columns, uint32_t rows, float width,
                             float depth, SharedPlaceFcn* place, const void* context)
{
	drapeMesh mesh;
	if (drapeMesh_CreateGrid(columns, rows, width, depth, &mesh, NULL) != drape_ok)
		return (drapeClothId){0};
	drapeVec3* positions = (drapeVec3*)mesh.positions; // the caller's to write until the mesh is freed
	for (uint32_t i = 0; place && i < mesh.vertexCount; ++i)
		positions[i] = place(positions[i], context);
	drapeClothDef whole = *def;
	whole.mesh = &mesh;
	drapeClothId cloth = Make_Cloth(world, &whole);
	drapeMesh_Free(&mesh);
	return cloth;
}

drapeVec3 SharedPlace_Transform(drapeVec3 flat, const void* context)
{
	return drapeTransform_Point(*(const drapeTransform*)context, flat);
}
