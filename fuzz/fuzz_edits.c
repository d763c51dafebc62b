// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "drape/world.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// The bytes select calls of the public API on a few cloths of one world: edits, adaptation passes, new criteria, new
// positions, creation and destruction of cloths. Every invariant must hold after each call. At the end every cloth is
// coarsened and must equal its pattern.

enum
{
	clothCount = 3,
	maxTriangles = 4000, // per cloth, so that an input stays quick
	callsPerCheck = 4,
};

// Each call is a byte, and its arguments are the bytes after it.
const char* const fuzzDictionary[] = {
	"\x03\x01",         // refine
	"\x04\x01",         // coarsen
	"\x05\x01\x20\x01", // split
	"\x06\x01\x10\x02", // join
	"\x07\x01\x07\x07", // adapt
	"\x08\x01\xff\x41", // new criteria
	"\x09\x01\x30",     // new positions
	"\x03\x03\x03\x03", "\x07\x07\x07\x07", NULL,
};

typedef struct Pattern
{
	uint32_t particles, triangles, edges;
	double area; // sum of the rest areas from material coordinates, m^2
	double mass; // kg
} Pattern;

typedef struct Machine
{
	const uint8_t* data;
	size_t size, at;
	drapeWorldId world;
	drapeClothId cloths[clothCount];
	Pattern patterns[clothCount];
	uint8_t wish; // answer of the user criterion
	float radius; // radius of the obstacle
} Machine;

static uint8_t Byte(Machine* machine)
{
	return machine->at < machine->size ? machine->data[machine->at++] : 0;
}

static uint32_t Index(Machine* machine, uint32_t count)
{
	uint32_t value = Byte(machine);
	return (value << 8 | Byte(machine)) % count;
}

// --- cloths ---

static Pattern Measure(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	Pattern pattern = {view.particleCount, view.triangleCount, view.edgeCount, 0.0, 0.0};
	for (uint32_t i = 0; i < view.triangleCount; ++i)
	{
		const drapeVec2* uv = view.materials + 3 * (size_t)i;
		double ax = (double)uv[1].x - (double)uv[0].x, ay = (double)uv[1].y - (double)uv[0].y;
		double bx = (double)uv[2].x - (double)uv[0].x, by = (double)uv[2].y - (double)uv[0].y;
		pattern.area += 0.5 * (ax * by - ay * bx);
	}
	for (uint32_t i = 0; i < view.particleCount; ++i)
		pattern.mass += (double)view.velocities[i].w;
	return pattern;
}

static bool Near(double a, double b)
{
	return fabs(a - b) <= 1e-5 * fabs(b);
}

static void Create(Machine* machine, uint32_t place)
{
	drapeMesh mesh;
	uint8_t shape = Byte(machine);
	FUZZ_CHECK(drapeMesh_CreateGrid(1 + shape % 4, 1 + shape / 4 % 4, 1.0f, 0.5f + (float)(shape / 16), &mesh, NULL) ==
	           drape_ok);
	drapeMesh plain = mesh;
	if (shape & 1)
	{
		plain.texcoords = NULL;
		plain.texcoordCount = 0;
		plain.texcoordTriangles = NULL;
	}
	drapeClothDef def = drapeDefaultClothDef();
	def.model = drape_modelSprings;
	def.solver = drapeDefaultExplicitSolverDef();
	def.mesh = &plain;
	def.adapt.scheme = shape >= 240 ? drape_schemeFixed : shape % 3 == 0 ? drape_schemeSqrt3 : drape_schemeEdge;
	FUZZ_CHECK(drapeCreateCloth(machine->world, &def, &machine->cloths[place]) == drape_ok);
	drapeMesh_Free(&mesh);
	FUZZ_CHECK(drapeCloth_IsValid(machine->cloths[place]));
	machine->patterns[place] = Measure(machine->cloths[place]);
}

static void CheckIsPattern(drapeClothId cloth, const Pattern* pattern)
{
	for (int i = 0; i < 2 * DRAPE_MAX_LEVEL; ++i)
		FUZZ_CHECK(drapeCloth_Coarsen(cloth) == drape_ok);
	Pattern now = Measure(cloth);
	FUZZ_CHECK(now.particles == pattern->particles && now.triangles == pattern->triangles &&
	           now.edges == pattern->edges);
	FUZZ_CHECK(Near(now.area, pattern->area));
	FUZZ_CHECK(Near(now.mass, pattern->mass));
	drapeClothView view = drapeCloth_GetView(cloth);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		FUZZ_CHECK(view.particleLevels[i] == 0);
}

// --- criteria ---

static bool IsInside(drapeVec3 point, void* context)
{
	const Machine* machine = context;
	return point.x * point.x + point.y * point.y + point.z * point.z < machine->radius * machine->radius;
}

static bool IsVisible(drapeVec3 position, drapeVec3 normal, void* context)
{
	const Machine* machine = context;
	return position.x + normal.x < (float)machine->wish / 128.0f - 1.0f;
}

static drapeWish Wish(const drapeEdgeInfo* edge, void* context)
{
	const Machine* machine = context;
	return (drapeWish)((machine->wish >> (2 * (edge->level % 3) + edge->isSplit)) % 3);
}

static void ChangeCriteria(Machine* machine, drapeClothId cloth)
{
	drapeAdaptDef def = drapeCloth_GetAdapt(cloth);
	uint8_t which = Byte(machine), levels = Byte(machine), angles = Byte(machine);
	def.maxLevel = levels % 16; // some are refused
	def.joinWait = levels / 16;
	def.tieRule = (drapeTieRule)(which >> 6);
	def.joinRule = (drapeJoinRule)(angles % 4); // one is refused
	def.curvature = (drapeCurvatureCriterion){which & 1, 0.01f * (float)angles, 0.008f * (float)angles};
	def.meanCurvature = (drapeMeanCurvatureCriterion){angles % 3 == 0, 0.1f * (float)which, 0.2f * (float)levels, 0.5f};
	def.length = (drapeLengthCriterion){(which & 2) != 0, 0.9f, 0.95f, 0.5f + (float)(angles % 64) / 100.0f};
	def.collision =
		(drapeCollisionCriterion){.inside = which & 4 ? IsInside : NULL, .context = machine, .maxLevel = levels % 5};
	def.visibility = (drapeVisibilityCriterion){.enabled = which & 8, .camera = {0.3f, (float)angles - 128.0f, 0.1f}};
	if (which & 16)
		def.visibility.visible = IsVisible;
	def.visibility.context = machine;
	def.user = (drapeUserCriterion){which & 32 ? Wish : NULL, machine};
	machine->wish = angles;
	machine->radius = (float)angles / 200.0f;
	drapeAdaptDef before = drapeCloth_GetAdapt(cloth);
	if (drapeCloth_SetAdapt(cloth, &def) != drape_ok)
		FUZZ_CHECK(drapeCloth_GetAdapt(cloth).maxLevel == before.maxLevel);
}

// --- positions ---

// Floats made from few bytes; now and then one that must be refused.
static float Coordinate(Machine* machine, uint32_t i)
{
	uint8_t byte = machine->size > 0 ? machine->data[(machine->at + i) % machine->size] : 0;
	if (byte == 0xfe)
		return NAN;
	if (byte == 0xfd)
		return 1e30f;
	return ((float)byte - 128.0f) * (byte % 3 == 0 ? 0.01f : 1e-4f);
}

static void Move(Machine* machine, drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3* values = malloc(view.particleCount * sizeof *values);
	FUZZ_CHECK(values != NULL);
	bool moves = Byte(machine) & 1;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		values[i] = (drapeVec3){view.positions[i].x, Coordinate(machine, i), view.positions[i].z};
	uint64_t before = drapeWorld_GetHash(machine->world);
	drapeResult result = moves ? drapeCloth_SetPositions(cloth, values) : drapeCloth_SetVelocities(cloth, values);
	FUZZ_CHECK(result == drape_ok || drapeWorld_GetHash(machine->world) == before);
	free(values);
}

// --- calls ---

static void Call(Machine* machine)
{
	uint8_t what = Byte(machine);
	uint32_t place = Byte(machine) % clothCount;
	drapeClothId cloth = machine->cloths[place];
	if (!drapeCloth_IsValid(cloth))
	{
		Create(machine, place);
		return;
	}
	drapeClothView view = drapeCloth_GetView(cloth);
	bool isSmall = view.triangleCount <= maxTriangles / 4;
	switch (what % 10)
	{
		case 0:
			if (Byte(machine) % 4 == 0)
				drapeDestroyCloth(cloth);
			break;
		case 1:
		case 2:
		case 3:
			if (isSmall)
				FUZZ_CHECK(drapeCloth_Refine(cloth) == drape_ok);
			break;
		case 4:
			FUZZ_CHECK(drapeCloth_Coarsen(cloth) == drape_ok);
			break;
		case 5:
			drapeCloth_SplitEdge(cloth, Index(machine, view.edgeCount));
			break;
		case 6:
			drapeCloth_JoinParticle(cloth, Index(machine, view.particleCount));
			break;
		case 7:
			if (isSmall)
				FUZZ_CHECK(drapeCloth_Adapt(cloth, NULL) == drape_ok);
			break;
		case 8:
			ChangeCriteria(machine, cloth);
			break;
		default:
			Move(machine, cloth);
			break;
	}
}

static void Check(const Machine* machine)
{
	bool isValid = drapeWorld_Validate(machine->world) == drape_ok;
	if (!isValid)
		fprintf(stderr, "%s\n", drapeWorld_GetMessage(machine->world));
	FUZZ_CHECK(isValid);
}

// Inputs have bad arguments, which debug builds assert and refuse like others. Any other assertion is a broken property.
static bool BreakUnlessRefused(const char* condition, const char* file, int line)
{
	if (strcmp(file, "a refused argument") == 0)
		return false;
	fprintf(stderr, "%s:%d: %s\n", file, line, condition);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	drapeSetAssert(BreakUnlessRefused);
	Machine machine = {.data = data, .size = size < 400 ? size : 400};
	drapeWorldDef def = drapeDefaultWorldDef();
	FUZZ_CHECK(drapeCreateWorld(&def, &machine.world, NULL) == drape_ok);
	size_t empty = drapeWorld_GetMemory(machine.world).hierarchyBytes;
	for (uint32_t calls = 1; machine.at < machine.size; ++calls)
	{
		Call(&machine);
		if (calls % callsPerCheck == 0)
			Check(&machine);
	}
	Check(&machine);
	for (uint32_t i = 0; i < clothCount; ++i)
	{
		if (!drapeCloth_IsValid(machine.cloths[i]))
			continue;
		CheckIsPattern(machine.cloths[i], &machine.patterns[i]);
		Check(&machine);
		drapeDestroyCloth(machine.cloths[i]);
	}
	FUZZ_CHECK(drapeWorld_GetMemory(machine.world).hierarchyBytes == empty);
	drapeDestroyWorld(machine.world);
	FUZZ_CHECK(drapeGetMemoryUse().bytes == 0);
	return 0;
}
