// SPDX-License-Identifier: MIT
#include "fabric_rig.h"

#include "meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* const fabricMeshNames[fabricMeshCount] = {"one diagonal", "alternating", "irregular"};

FabricDef Fabric_Default(void)
{
	FabricDef def = {.columns = 8, .rows = 8, .border = 1, .length = 1.0, .width = 1.0};
	def.material = drapeDefaultMaterial();
	def.material.density = 0.2f;
	def.material.stretchWarp = def.material.stretchWeft = 1000.0f;
	def.material.shear = 400.0f;
	def.material.poisson = 0.0f;
	def.material.bendWarp = def.material.bendWeft = 5e-5f;
	def.material.dampingTime = 0.0f;
	def.material.drag = def.material.lift = 0.0f;
	def.solver = drapeDefaultSolverDef();
	def.solver.integrator = drape_integratorImplicitEuler;
	def.solver.globalDamping = 0.0f;
	def.solver.maxStretch = 0.0f;
	def.solver.tolerance = 1e-4f;
	def.solver.maxIterations = 2000;
	def.solver.newtonIterations = 20;
	def.solver.newtonTolerance = 1e-5f;
	def.adapt = drapeDefaultAdaptDef();
	def.adapt.curvature.enabled = false;
	def.adapt.maxLevel = 6;
	return def;
}

void Fabric_PrepareToSettle(FabricDef* def)
{
	def->solver.preconditioner = drape_preconditionerJacobi;
	def->solver.tolerance = 1e-2f;
	def->solver.newtonIterations = 4;
}

// --- meshes ---------------------------------------------------------------------------------------------------------

static void AlignDiagonals(drapeMesh* mesh, uint32_t columns, uint32_t rows)
{
	uint32_t* out = TestMesh_Triangles(mesh);
	for (uint32_t i = 0; i < columns * rows; ++i, out += 6)
	{
		uint32_t a = i / columns * (columns + 1) + i % columns;
		memcpy(out, (uint32_t[]){a, a + 1, a + columns + 2, a, a + columns + 2, a + columns + 1}, 24);
	}
}

// In the plane z = 0. The straight lines of irregular meshes are where clamps and patches end.
static drapeMesh MakeMesh(const FabricDef* def)
{
	float jitter = def->mesh == fabricIrregular ? 0.3f : 0.0f;
	float length = (float)def->length, width = (float)def->width;
	drapeMesh mesh = TestMesh_Grid(def->columns, def->rows, length, width, jitter, 77);
	drapeVec3* positions = TestMesh_Positions(&mesh);
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		uint32_t i = v % (def->columns + 1), j = v / (def->columns + 1);
		if (i == def->border || i == def->columns - def->border)
			positions[v].x = (float)i * length / (float)def->columns;
		if (j == def->border || j == def->rows - def->border)
			positions[v].y = (float)j * width / (float)def->rows;
	}
	if (def->mesh == fabricOneDiagonal)
		AlignDiagonals(&mesh, def->columns, def->rows);
	return mesh;
}

Fabric Fabric_Create(const FabricDef* def)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.gravity = def->gravity;
	Fabric fabric = {.world = drapeCreateWorld(&worldDef), .warpAngle = def->warpAngle};
	drapeMesh mesh = MakeMesh(def);
	drapeVec2* material = malloc(3 * mesh.triangleCount * sizeof *material);
	assert_non_null(material);
	double c = cos(def->warpAngle), s = sin(def->warpAngle);
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
	{
		double x = (double)mesh.positions[mesh.triangles[i]].x, y = (double)mesh.positions[mesh.triangles[i]].y;
		material[i] = (drapeVec2){(float)(c * x + s * y), (float)(c * y - s * x)};
	}
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		TestMesh_Positions(&mesh)[i] = (drapeVec3){mesh.positions[i].x, 0.0f, -mesh.positions[i].y};
	drapeResult result = drape_ok;
	drapeClothDef clothDef = drapeDefaultClothDef();
	clothDef.mesh = &mesh;
	clothDef.rest.source = drape_restMaterial;
	clothDef.rest.material = material;
	clothDef.model = drape_modelFem;
	clothDef.material = def->material;
	clothDef.solver = def->solver;
	clothDef.adapt = def->adapt;
	clothDef.pinMiddles = true;
	clothDef.result = &result;
	fabric.cloth = drapeCreateCloth(fabric.world, &clothDef);
	assert_int_equal(result, drape_ok);
	free(material);
	TestMesh_Free(&mesh);
	for (uint32_t i = 0; i < def->refinements; ++i)
		assert_int_equal(drapeCloth_Refine(fabric.cloth), drape_ok);
	return fabric;
}

void Fabric_Destroy(Fabric* fabric)
{
	drapeDestroyWorld(fabric->world);
	*fabric = (Fabric){0};
}

// --- particles ------------------------------------------------------------------------------------------------------

FabricPoint* Fabric_RestPoints(const Fabric* fabric)
{
	drapeClothView view = drapeCloth_View(fabric->cloth);
	FabricPoint* points = malloc(view.particleCount * sizeof *points);
	assert_non_null(points);
	double c = cos(fabric->warpAngle), s = sin(fabric->warpAngle);
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
	{
		double u = (double)view.materials[i].x, v = (double)view.materials[i].y;
		points[view.triangles[i]] = (FabricPoint){c * u - s * v, s * u + c * v};
	}
	return points;
}

bool Fabric_Before(FabricPoint rest, double x)
{
	return rest.x <= x + 1e-5;
}

bool Fabric_After(FabricPoint rest, double x)
{
	return rest.x >= x - 1e-5;
}

uint32_t Fabric_PinPart(Fabric* fabric, FabricPart* part, double bound)
{
	FabricPoint* rest = Fabric_RestPoints(fabric);
	uint32_t count = drapeCloth_View(fabric->cloth).particleCount, pins = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!part(rest[i], bound))
			continue;
		assert_int_not_equal(drapeCloth_Pin(fabric->cloth, i).index1, 0);
		pins++;
	}
	free(rest);
	return pins;
}

static drapeVec3* Evaluate(const Fabric* fabric, FabricPlace* place, const void* context)
{
	uint32_t count = drapeCloth_View(fabric->cloth).particleCount;
	FabricPoint* rest = Fabric_RestPoints(fabric);
	drapeVec3* values = malloc(count * sizeof *values);
	assert_non_null(values);
	for (uint32_t i = 0; i < count; ++i)
		values[i] = place(rest[i], context);
	free(rest);
	return values;
}

void Fabric_SetPositions(Fabric* fabric, FabricPlace* place, const void* context)
{
	drapeVec3* values = Evaluate(fabric, place, context);
	assert_int_equal(drapeCloth_SetPositions(fabric->cloth, values), drape_ok);
	free(values);
}

void Fabric_SetVelocities(Fabric* fabric, FabricPlace* velocity, const void* context)
{
	drapeVec3* values = Evaluate(fabric, velocity, context);
	assert_int_equal(drapeCloth_SetVelocities(fabric->cloth, values), drape_ok);
	free(values);
}

// --- motion ---------------------------------------------------------------------------------------------------------

void Fabric_Step(Fabric* fabric, double dt)
{
	drapeResult result = drapeWorld_Step(fabric->world, (float)dt);
	if (result != drape_ok)
		print_error("%s\n", drapeWorld_GetFailure(fabric->world).text);
	assert_int_equal(result, drape_ok);
}

// An implicit step goes as far as the velocity it ends with.
static double LargestSpeed(const Fabric* fabric)
{
	drapeClothView view = drapeCloth_View(fabric->cloth);
	double largest = 0.0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 v = view.velocities[i];
		largest = fmax(largest, (double)(v.x * v.x + v.y * v.y + v.z * v.z));
	}
	return sqrt(largest);
}

uint32_t Fabric_Settle(Fabric* fabric, double dt, double still, uint32_t limit)
{
	for (uint32_t i = 1; i <= limit; ++i)
	{
		uint32_t revision = drapeCloth_View(fabric->cloth).revision;
		Fabric_Step(fabric, dt);
		if (dt * LargestSpeed(fabric) < still && drapeCloth_View(fabric->cloth).revision == revision)
			return i;
	}
	print_error("still moving by %g m in a step\n", dt * LargestSpeed(fabric));
	fail();
	return limit;
}

// --- measurements ---------------------------------------------------------------------------------------------------

FabricMean Fabric_Mean(const Fabric* fabric, FabricPart* part, double bound)
{
	drapeClothView view = drapeCloth_View(fabric->cloth);
	FabricPoint* rest = Fabric_RestPoints(fabric);
	FabricMean mean = {0};
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		if (!part(rest[i], bound))
			continue;
		mean.x += (double)view.positions[i].x;
		mean.y += (double)view.positions[i].y;
		mean.z += (double)view.positions[i].z;
		mean.count++;
	}
	free(rest);
	assert_true(mean.count > 0);
	double share = 1.0 / mean.count;
	return (FabricMean){share * mean.x, share * mean.y, share * mean.z, mean.count};
}

FabricState Fabric_Measure(const Fabric* fabric, drapeVec3 gravity)
{
	drapeClothView view = drapeCloth_View(fabric->cloth);
	FabricState state = {0};
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		const double x[3] = {(double)view.positions[i].x, (double)view.positions[i].y, (double)view.positions[i].z};
		const double v[3] = {(double)view.velocities[i].x, (double)view.velocities[i].y, (double)view.velocities[i].z};
		const double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
		double mass = (double)view.velocities[i].w, square = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			int l = (k + 1) % 3, m = (k + 2) % 3;
			state.momentum[k] += mass * v[k];
			state.angular[k] += mass * (x[l] * v[m] - x[m] * v[l]);
			state.height -= mass * g[k] * x[k];
			square += v[k] * v[k];
		}
		state.mass += mass;
		state.kinetic += 0.5 * mass * square;
		state.speedSum += mass * sqrt(square);
	}
	drapeStats stats = drapeCloth_GetStats(fabric->cloth);
	state.elastic = (double)stats.stretchEnergy + (double)stats.bendEnergy;
	return state;
}
