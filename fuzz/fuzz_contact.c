// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "contact/narrow/crossing.h"
#include "drape/world.h"

#include <math.h>
#include <stdbool.h>

// The bytes describe a small world: one or two sheets, colliders, and their jumps and rotations in every step. Surfaces
// that do not cross at the start must not cross in any frame, all numbers must be finite, and every step must end.
//
// Cloths have a fixed resolution, with springs or finite elements. The colliders are spheres, capsules, tapered
// capsules, boxes and an octahedron of triangles, which also deforms. No particle may be inside an analytic shape. Two
// kinematic objects could close on the cloth between them, so there is only one collider and no pin. A deforming mesh
// may catch cloth, too: the target leaves such worlds when the library reports unresolved impacts, and they must be
// few.

const char* const fuzzDictionary[] = {
	"\x01\x40\x10\x80", // a sphere
	"\x03\x20\x20\x80", // a box
	"\x04\x80\x80\x80", // a mesh
	"\xc0\x20\xa0\x90", // a tapered capsule
	"\xff\xff\x80\x80", // far and fast
	"\x80\x80\x80\x80", NULL,
};

enum
{
	mostCloths = 2,
	mostSteps = 12,
	quads = 3,
	firstOfCollider = 1000,
};

typedef struct Machine
{
	const uint8_t* data;
	size_t size, at;
	drapeWorldId world;
	drapeClothId cloths[mostCloths];
	uint32_t clothCount;
	drapeColliderId collider;
	drapeColliderShape shape;
	drapeVec3 vertices[8]; // vertices of a box or mesh, in its own space
} Machine;

static uint32_t worldCount, caughtCount;

static uint8_t Byte(Machine* machine)
{
	return machine->at < machine->size ? machine->data[machine->at++] : 0;
}

// -1 to 1
static float Signed(Machine* machine)
{
	return ((float)Byte(machine) - 128.0f) / 128.0f;
}

static drapeVec3 Vector(Machine* machine, float size)
{
	float x = size * Signed(machine), y = size * Signed(machine), z = size * Signed(machine);
	return (drapeVec3){x, y, z};
}

static drapeTransform Transform(Machine* machine, float size)
{
	drapeTransform t = drapeIdentityTransform();
	t.position = Vector(machine, size);
	drapeVec3 axis = Vector(machine, 1.0f);
	if (axis.x != 0.0f || axis.y != 0.0f || axis.z != 0.0f)
		t.rotation = drapeQuat_FromAxisAngle(axis, 3.14159265f * Signed(machine));
	return t;
}

static const drapeVec3 octahedron[6] = {{0.2f, 0, 0},     {0, 0.3f, 0},  {0, 0, 0.2f},
                                        {-0.3f, 0, 0.1f}, {0, -0.2f, 0}, {0, 0.1f, -0.3f}};
static const uint32_t octahedronTriangles[24] = {0, 1, 2, 0, 5, 1, 0, 2, 4, 0, 4, 5,
                                                 3, 2, 1, 3, 1, 5, 3, 4, 2, 3, 5, 4};
// Corner i of a box is at the far side along x, y, z for bits 4, 2, 1.
static const uint32_t boxTriangles[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                          2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};

static void AddCollider(Machine* machine)
{
	const drapeMesh mesh = {
		.positions = octahedron, .vertexCount = 6, .triangles = octahedronTriangles, .triangleCount = 8};
	drapeColliderDef def = drapeDefaultColliderDef();
	const drapeColliderShape shapes[4] = {drape_shapeSphere, drape_shapeCapsule, drape_shapeBox, drape_shapeMesh};
	uint8_t shape = Byte(machine);
	def.shape = shape >= 0xc0 ? drape_shapeTaperedCapsule : shapes[shape % 4];
	def.radius = 0.01f + 0.1f * fabsf(Signed(machine));
	def.halfHeight = 0.01f + 0.2f * fabsf(Signed(machine));
	if (def.shape == drape_shapeTaperedCapsule)
		def.topRadius = 0.01f + 0.1f * fabsf(Signed(machine));
	def.halfExtents = (drapeVec3){def.radius, 0.5f * def.halfHeight, 0.1f};
	def.mesh = &mesh;
	def.friction = 1.0f + Signed(machine);
	// Below all of the cloth.
	def.transform.position = (drapeVec3){0.3f * Signed(machine), -0.8f, 0.3f * Signed(machine)};
	drapeCreateCollider(machine->world, &def, &machine->collider);
	machine->shape = def.shape;
	drapeVec3 e = def.halfExtents;
	for (int i = 0; i < 8; ++i)
		machine->vertices[i] = def.shape == drape_shapeBox
		                           ? (drapeVec3){i & 4 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 1 ? e.z : -e.z}
		                           : octahedron[i % 6];
	FUZZ_CHECK(drapeCollider_IsValid(machine->collider));
}

static void AddCloth(Machine* machine, float height)
{
	drapeMesh mesh;
	FUZZ_CHECK(drapeMesh_CreateGrid(quads, quads, 0.8f, 0.8f, &mesh, NULL) == drape_ok);
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = &mesh;
	def.contact = drape_contactAll;
	def.adapt.scheme = drape_schemeFixed;
	if (Byte(machine) & 1)
	{
		def.model = drape_modelFem;
		def.solver = drapeDefaultSolverDef();
	}
	drapeClothId cloth;
	drapeCreateCloth(machine->world, &def, &cloth);
	drapeMesh_Free(&mesh);
	FUZZ_CHECK(drapeCloth_IsValid(cloth));
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3 positions[(quads + 1) * (quads + 1)], velocities[(quads + 1) * (quads + 1)];
	float tilt = 0.1f * Signed(machine);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 p = view.positions[i];
		positions[i] = (drapeVec3){p.x, height + tilt * p.x, p.z};
		velocities[i] = Vector(machine, 30.0f);
	}
	FUZZ_CHECK(drapeCloth_SetPositions(cloth, positions) == drape_ok);
	FUZZ_CHECK(drapeCloth_SetVelocities(cloth, velocities) == drape_ok);
	machine->cloths[machine->clothCount++] = cloth;
}

// --- properties ---

typedef struct Face
{
	drapeVec3 corner[3];
	uint32_t vertex[3];
} Face;

static bool Has(const Face* face, uint32_t vertex)
{
	return face->vertex[0] == vertex || face->vertex[1] == vertex || face->vertex[2] == vertex;
}

// Tests edges of one triangle against the other, except edges that end at one of its corners.
static bool EdgesCross(const Face* a, const Face* b)
{
	for (int k = 0; k < 3; ++k)
	{
		int next = (k + 1) % 3;
		if (!Has(b, a->vertex[k]) && !Has(b, a->vertex[next]) &&
		    drapeCrossing_SegmentTriangle(a->corner[k], a->corner[next], b->corner))
			return true;
	}
	return false;
}

static uint32_t AddClothFaces(const Machine* machine, Face* faces)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < machine->clothCount; ++i)
	{
		drapeClothView view = drapeCloth_GetView(machine->cloths[i]);
		for (uint32_t t = 0; t < view.triangleCount; ++t, ++count)
		{
			for (uint32_t k = 0; k < 3; ++k)
			{
				uint32_t v = view.triangles[3 * t + k];
				drapeVec4 p = view.positions[v];
				FUZZ_CHECK(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
				faces[count].vertex[k] = 100 * i + v;
				faces[count].corner[k] = (drapeVec3){p.x, p.y, p.z};
			}
		}
	}
	return count;
}

static uint32_t AddColliderFaces(const Machine* machine, Face* faces)
{
	drapeTransform at = drapeCollider_GetTransform(machine->collider);
	drapeColliderView mesh = drapeCollider_GetView(machine->collider);
	bool isBox = machine->shape == drape_shapeBox;
	uint32_t count = isBox ? 12 : mesh.triangleCount;
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		uint32_t v = isBox ? boxTriangles[i] : mesh.triangles[i];
		drapeVec4 p = isBox ? (drapeVec4){0} : mesh.positions[v];
		faces[i / 3].vertex[i % 3] = firstOfCollider + v;
		faces[i / 3].corner[i % 3] =
			isBox ? drapeTransform_Point(at, machine->vertices[v]) : (drapeVec3){p.x, p.y, p.z};
	}
	return count;
}

static void CheckParticles(const Machine* machine, const Face* faces, uint32_t count)
{
	drapeColliderDef def = drapeCollider_GetDef(machine->collider);
	drapeTransform at = drapeCollider_GetTransform(machine->collider);
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		drapeVec3 local = drapeTransform_InversePoint(at, faces[i / 3].corner[i % 3]);
		FUZZ_CHECK(drapeColliderShape_GetDistance(&def, local, NULL) > -1e-4f);
	}
}

static bool IsOfCollider(const Face* face)
{
	return face->vertex[0] >= firstOfCollider;
}

static void Check(const Machine* machine)
{
	Face faces[mostCloths * 2 * quads * quads + 12];
	uint32_t count = AddClothFaces(machine, faces);
	CheckParticles(machine, faces, count);
	count += AddColliderFaces(machine, faces + count);
	for (uint32_t a = 0; a < count; ++a)
	{
		for (uint32_t b = 0; b < count; ++b)
			FUZZ_CHECK(a == b || (IsOfCollider(&faces[a]) && IsOfCollider(&faces[b])) ||
			           !EdgesCross(&faces[a], &faces[b]));
	}
}

// Moves one corner or all of them, which may turn the mesh inside out.
static void Deform(Machine* machine, uint8_t way)
{
	for (int i = 0; i < 6; ++i)
	{
		drapeVec3 shift = Vector(machine, way & 2 ? 0.05f : 0.4f);
		machine->vertices[i].x = octahedron[i].x + shift.x;
		machine->vertices[i].y = octahedron[i].y + shift.y;
		machine->vertices[i].z = octahedron[i].z + shift.z;
	}
	FUZZ_CHECK(drapeCollider_SetPositions(machine->collider, machine->vertices, 6) == drape_ok);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	Machine machine = {.data = data, .size = size};
	drapeWorldDef def = drapeDefaultWorldDef();
	FUZZ_CHECK(drapeCreateWorld(&def, &machine.world, NULL) == drape_ok);
	uint32_t cloths = 1 + Byte(&machine) % mostCloths;
	float dt = 1.0f / (float)(30 + 4 * Byte(&machine));
	AddCollider(&machine);
	for (uint32_t i = 0; i < cloths; ++i)
		AddCloth(&machine, 0.15f * (float)i);
	Check(&machine);
	bool deforms = false;
	for (uint32_t step = 0; step < mostSteps; ++step)
	{
		uint8_t way = Byte(&machine);
		if (way & 1)
			drapeCollider_SetTransform(machine.collider, Transform(&machine, way & 2 ? 1.0f : 100.0f));
		if (machine.shape == drape_shapeMesh && (way & 4))
		{
			Deform(&machine, way);
			deforms = true;
		}
		drapeResult result = drapeWorld_Step(machine.world, dt);
		FUZZ_CHECK(result == drape_ok);
		// Only deforming shapes can catch cloth.
		bool isCaught = drapeWorld_GetCounters(machine.world).unresolved > 0;
		FUZZ_CHECK(!isCaught || deforms);
		caughtCount += isCaught;
		if (isCaught)
			break;
		Check(&machine);
	}
	FUZZ_CHECK(caughtCount <= 4 + ++worldCount / 100);
	drapeDestroyWorld(machine.world);
	FUZZ_CHECK(drapeGetMemoryUse().bytes == 0);
	return 0;
}
