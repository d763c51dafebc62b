// SPDX-License-Identifier: MIT
#include "hang.h"
#include "meshes.h"
#include "shared/make.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Vertices for a renderer.

static const drapeScheme schemes[3] = {drape_schemeEdge, drape_schemeSqrt3, drape_schemeFixed};
static const drapeVertexKind kinds[2] = {drape_verticesPerParticle, drape_verticesPerCorner};

enum
{
	attributeCount = 5
};
static const size_t attributeSize[attributeCount] = {12, 12, 16, 8, 12};

static drapeVertexAttribute* AttributeOf(drapeVertexLayout* layout, int index)
{
	drapeVertexAttribute* const all[] = {&layout->positions, &layout->normals, &layout->tangents, &layout->texcoords,
	                                     &layout->previousPositions};
	return all[index];
}

// --- cloths with seams ----------------------------------------------------------------------------------------------

// A grid of 1 m x 0.75 m. The texture coordinate u is x left of 0.5. Right of it u runs back from 5, so that the texture
// has a seam and is mirrored. Right of 0.75 it runs forward again, without a seam, if `isFolded`.
static drapeMesh SeamMesh(bool isFolded)
{
	drapeMesh mesh = TestMesh_Grid(8, 6, 1.0f, 0.75f, 0.2f, 7);
	uint32_t corners = 3 * mesh.triangleCount;
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		if (i % 9 == 4 || i % 9 == 6)
			TestMesh_Positions(&mesh)[i].x = 0.125f * (float)(i % 9);
	}
	drapeVec2* texcoords = malloc(corners * sizeof *texcoords);
	uint32_t* indices = malloc(corners * sizeof *indices);
	for (uint32_t c = 0; c < corners; ++c)
	{
		const uint32_t* t = &mesh.triangles[c / 3 * 3];
		float x = mesh.positions[mesh.triangles[c]].x, y = mesh.positions[mesh.triangles[c]].y;
		float middle = (mesh.positions[t[0]].x + mesh.positions[t[1]].x + mesh.positions[t[2]].x) / 3.0f;
		float u = middle < 0.5f ? x : isFolded && middle > 0.75f ? 3.5f + x : 5.0f - x;
		texcoords[c] = (drapeVec2){u, y};
		indices[c] = c;
	}
	mesh.texcoords = texcoords;
	mesh.texcoordTriangles = indices;
	mesh.texcoordCount = corners;
	return mesh;
}

static drapeClothId AddMesh(drapeWorldId world, const drapeMesh* mesh, drapeScheme scheme)
{
	drapeClothDef def = Make_SpringClothDef();
	def.adapt = Sheet_Plain(scheme == drape_schemeSqrt3 ? 5 : 3);
	def.adapt.scheme = scheme;
	def.mesh = mesh;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	return cloth;
}

static Sheet SeamedSheet(drapeScheme scheme, bool isFolded)
{
	drapeMesh mesh = SeamMesh(isFolded);
	Sheet sheet = {.world = Sheet_World(1)};
	sheet.cloth = AddMesh(sheet.world, &mesh, scheme);
	TestMesh_Free(&mesh);
	return sheet;
}

// A change of the mesh at random. Blocked ones are fine.
static void Edit(drapeClothId cloth, Random* random)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	uint32_t pick = Random_U32(random), kind = Random_U32(random) % 40;
	if (kind == 0)
		assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	else if (kind <= 2)
		assert_int_equal(drapeCloth_Coarsen(cloth), drape_ok);
	else if (kind % 2)
		drapeCloth_SplitEdge(cloth, pick % view.edgeCount);
	else
		drapeCloth_JoinParticle(cloth, pick % view.particleCount);
}

// All attributes and indices in arrays of their own.
typedef struct Written
{
	drapeVertexSize size;
	drapeVec3 *positions, *normals, *previous;
	drapeVec4* tangents;
	drapeVec2* texcoords;
	uint32_t* indices;
} Written;

static Written Write(drapeClothId cloth, drapeVertexKind kind)
{
	Written out;
	assert_int_equal(drapeCloth_GetVertexSize(cloth, kind, &out.size), drape_ok);
	const uint32_t count = out.size.vertexCount;
	out.positions = malloc(count * sizeof *out.positions);
	out.normals = malloc(count * sizeof *out.normals);
	out.previous = malloc(count * sizeof *out.previous);
	out.tangents = malloc(count * sizeof *out.tangents);
	out.texcoords = malloc(count * sizeof *out.texcoords);
	out.indices = malloc(out.size.indexCount * sizeof *out.indices);
	drapeVertexLayout layout = {.kind = kind,
	                            .positions = {out.positions, 0},
	                            .normals = {out.normals, 0},
	                            .tangents = {out.tangents, 0},
	                            .texcoords = {out.texcoords, 0},
	                            .previousPositions = {out.previous, 0}};
	assert_int_equal(drapeCloth_WriteVertices(cloth, &layout, count), drape_ok);
	assert_int_equal(drapeCloth_WriteIndices(cloth, kind, out.indices, 4, out.size.indexCount), drape_ok);
	return out;
}

static void Written_Free(Written* out)
{
	free(out->positions);
	free(out->normals);
	free(out->previous);
	free(out->tangents);
	free(out->texcoords);
	free(out->indices);
	*out = (Written){0};
}

static drapeVec3 Xyz(drapeVec4 a)
{
	return (drapeVec3){a.x, a.y, a.z};
}

static bool Same(drapeVec3 a, drapeVec3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

// --- bytes ----------------------------------------------------------------------------------------------------------

// A buffer whose last byte is that of the last element, full of a mark.
typedef struct Buffer
{
	uint8_t* bytes;
	size_t size, first, stride;
} Buffer;

enum
{
	mark = 0xa5
};

static Buffer Buffer_Create(size_t first, size_t stride, size_t element, uint32_t count)
{
	Buffer buffer = {.first = first, .stride = stride > 0 ? stride : element};
	buffer.size = first + buffer.stride * (count - 1) + element;
	buffer.bytes = malloc(buffer.size);
	memset(buffer.bytes, mark, buffer.size);
	return buffer;
}

// Elements equal those of a packed array, and all other bytes still have the mark.
static void Buffer_Check(const Buffer* buffer, const void* expected, size_t element, uint32_t count)
{
	uint8_t* wanted = malloc(buffer->size);
	memset(wanted, mark, buffer->size);
	for (uint32_t i = 0; i < count; ++i)
		memcpy(wanted + buffer->first + i * buffer->stride, (const uint8_t*)expected + i * element, element);
	assert_memory_equal(buffer->bytes, wanted, buffer->size);
	free(wanted);
}

static void CheckBytes(drapeClothId cloth, drapeVertexKind kind, const Written* packed, size_t first, size_t extra)
{
	const void* expected[] = {packed->positions, packed->normals, packed->tangents, packed->texcoords,
	                          packed->previous};
	const uint32_t count = packed->size.vertexCount;
	drapeVertexLayout layout = {.kind = kind};
	Buffer buffers[attributeCount];
	for (int k = 0; k < attributeCount; ++k)
	{
		size_t stride = extra == SIZE_MAX ? 0 : attributeSize[k] + extra;
		buffers[k] = Buffer_Create(first, stride, attributeSize[k], count);
		*AttributeOf(&layout, k) = (drapeVertexAttribute){buffers[k].bytes + first, stride};
	}
	assert_int_equal(drapeCloth_WriteVertices(cloth, &layout, count), drape_ok);
	for (int k = 0; k < attributeCount; ++k)
	{
		Buffer_Check(&buffers[k], expected[k], attributeSize[k], count);
		free(buffers[k].bytes);
	}
}

static void NoByteBesideAnElementIsWrittenForAnyStrideAndOffset(void** state)
{
	(void)state;
	static const size_t extras[] = {SIZE_MAX, 0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 20, 36, 52, 115};
	Sheet sheet = SeamedSheet(drape_schemeEdge, true);
	Random random = Random_Seed(5, 1);
	for (int i = 0; i < 5; ++i)
		Edit(sheet.cloth, &random);
	for (int k = 0; k < 2; ++k)
	{
		Written packed = Write(sheet.cloth, kinds[k]);
		for (size_t first = 0; first < 17; first += first < 4 ? 1 : 3)
		{
			for (size_t e = 0; e < sizeof extras / sizeof extras[0]; ++e)
				CheckBytes(sheet.cloth, kinds[k], &packed, first, extras[e]);
		}
		Written_Free(&packed);
	}
	Sheet_Destroy(&sheet);
}

static void AnArrayOfStructuresKeepsItsOtherMembers(void** state)
{
	(void)state;
	typedef struct Vertex
	{
		float position[3];
		uint32_t colour;
		float normal[3], texcoord[2];
		uint8_t bones[4];
	} Vertex;
	Sheet sheet = SeamedSheet(drape_schemeEdge, false);
	Written packed = Write(sheet.cloth, drape_verticesPerCorner);
	Vertex* vertices = malloc(packed.size.vertexCount * sizeof *vertices);
	memset(vertices, mark, packed.size.vertexCount * sizeof *vertices);
	drapeVertexLayout layout = {.kind = drape_verticesPerCorner};
	layout.positions = (drapeVertexAttribute){&vertices->position, sizeof *vertices};
	layout.normals = (drapeVertexAttribute){&vertices->normal, sizeof *vertices};
	layout.texcoords = (drapeVertexAttribute){&vertices->texcoord, sizeof *vertices};
	assert_int_equal(drapeCloth_WriteVertices(sheet.cloth, &layout, packed.size.vertexCount), drape_ok);
	for (uint32_t i = 0; i < packed.size.vertexCount; ++i)
	{
		assert_memory_equal(vertices[i].position, &packed.positions[i], 12);
		assert_memory_equal(vertices[i].normal, &packed.normals[i], 12);
		assert_memory_equal(vertices[i].texcoord, &packed.texcoords[i], 8);
		assert_int_equal(vertices[i].colour, 0xa5a5a5a5u);
		assert_int_equal(vertices[i].bones[3], mark);
	}
	free(vertices);
	Written_Free(&packed);
	Sheet_Destroy(&sheet);
}

// --- topology -------------------------------------------------------------------------------------------------------

static bool IsMirrored(const drapeVec2* t)
{
	float ux = t[1].x - t[0].x, uy = t[1].y - t[0].y, vx = t[2].x - t[0].x, vy = t[2].y - t[0].y;
	return ux * vy - uy * vx < 0.0f;
}

// The identity of a vertex.
typedef struct VertexKey
{
	uint32_t particle;
	float u, v;
	uint32_t isMirrored;
} VertexKey;

static int CompareKeys(const void* a, const void* b)
{
	return memcmp(a, b, sizeof(VertexKey));
}

// Every corner has a vertex with its particle, texture coordinate and orientation. No two vertices have the same.
static void CheckTopology(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	Written out = Write(cloth, drape_verticesPerCorner);
	const uint32_t count = out.size.vertexCount;
	VertexKey* keys = calloc(count, sizeof *keys);
	bool* isUsed = calloc(count, 1);
	assert_int_equal(out.size.indexCount, 3 * view.triangleCount);
	for (uint32_t c = 0; c < out.size.indexCount; ++c)
	{
		uint32_t vertex = out.indices[c], particle = view.triangles[c];
		VertexKey key = {particle, view.texcoords[c].x, view.texcoords[c].y, IsMirrored(&view.texcoords[c / 3 * 3])};
		assert_true(vertex < count && (vertex >= view.particleCount || vertex == particle));
		assert_true(Same(out.positions[vertex], Xyz(view.positions[particle])));
		assert_true(Same(out.normals[vertex], Xyz(view.normals[particle])));
		assert_memory_equal(&out.texcoords[vertex], &view.texcoords[c], sizeof(drapeVec2));
		assert_true(!isUsed[vertex] || memcmp(&keys[vertex], &key, sizeof key) == 0);
		isUsed[vertex] = true;
		keys[vertex] = key;
	}
	qsort(keys, count, sizeof *keys, CompareKeys);
	for (uint32_t i = 0; i < count; ++i)
	{
		assert_true(isUsed[i]);
		assert_true(i == 0 || memcmp(&keys[i - 1], &keys[i], sizeof *keys) != 0);
	}
	free(isUsed);
	free(keys);
	Written_Free(&out);
}

// Particles that are not on the seam have one vertex.
static uint32_t CheckSeam(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	Written out = Write(cloth, drape_verticesPerCorner);
	for (uint32_t i = view.particleCount; i < out.size.vertexCount; ++i)
		assert_true(fabsf(out.positions[i].x - 0.5f) < 1e-6f);
	uint32_t second = out.size.vertexCount - view.particleCount;
	Written_Free(&out);
	return second;
}

static void EachTextureCornerHasOneVertexInAllSchemesAfterRandomEdits(void** state)
{
	(void)state;
	for (int s = 0; s < 3; ++s)
	{
		for (int folded = 0; folded < 2; ++folded)
		{
			Sheet sheet = SeamedSheet(schemes[s], folded == 1);
			Random random = Random_Seed(11, (uint64_t)(2 * s + folded));
			uint32_t most = 0;
			for (int edit = 0; edit < (isSlow ? 40 : 150); ++edit)
			{
				Edit(sheet.cloth, &random);
				CheckTopology(sheet.cloth);
				uint32_t second = folded ? 0 : CheckSeam(sheet.cloth);
				most = second > most ? second : most;
				assert_true(folded || second >= 7);
			}
			assert_true(folded || schemes[s] == drape_schemeFixed || most > 7);
			Sheet_Destroy(&sheet);
		}
	}
}

static void AMeshWithoutTextureHasTwoVerticesOnlyAtItsSeams(void** state)
{
	(void)state;
	for (int s = 0; s < 3; ++s)
	{
		drapeWorldId world = Sheet_World(1);
		drapeMesh flat = TestMesh_Grid(7, 5, 1.3f, 0.9f, 0.3f, 3), sphere = TestMesh_Sphere(2, 0.3f);
		drapeClothId sheet = AddMesh(world, &flat, schemes[s]), ball = AddMesh(world, &sphere, schemes[s]);
		drapeVertexSize size;
		assert_int_equal(drapeCloth_Refine(sheet), drape_ok);
		assert_int_equal(drapeCloth_GetVertexSize(sheet, drape_verticesPerCorner, &size), drape_ok);
		assert_int_equal(size.vertexCount, drapeCloth_GetView(sheet).particleCount);
		assert_int_equal(drapeCloth_GetVertexSize(ball, drape_verticesPerCorner, &size), drape_ok);
		assert_true(size.vertexCount > drapeCloth_GetView(ball).particleCount);
		Written out = Write(ball, drape_verticesPerCorner);
		drapeClothView view = drapeCloth_GetView(ball);
		for (uint32_t c = 0; c < out.size.indexCount; ++c)
		{
			drapeVec2 t = out.texcoords[out.indices[c]];
			assert_true(fabsf(t.x - view.materials[c].x) + fabsf(t.y - view.materials[c].y) <= 1e-5f);
		}
		Written_Free(&out);
		TestMesh_Free(&flat);
		TestMesh_Free(&sphere);
		drapeDestroyWorld(world);
	}
}

static void ShortIndicesEqualLongOnesAndHaveTheirLimit(void** state)
{
	(void)state;
	Sheet sheet = SeamedSheet(drape_schemeEdge, false);
	for (int k = 0; k < 2; ++k)
	{
		Written out = Write(sheet.cloth, kinds[k]);
		uint8_t* bytes = malloc(2 * (size_t)out.size.indexCount + 1);
		assert_int_equal(drapeCloth_WriteIndices(sheet.cloth, kinds[k], bytes + 1, 2, out.size.indexCount), drape_ok);
		for (uint32_t i = 0; i < out.size.indexCount; ++i)
		{
			uint16_t index;
			memcpy(&index, bytes + 1 + 2 * i, 2);
			assert_int_equal(index, out.indices[i]);
		}
		free(bytes);
		Written_Free(&out);
	}
	drapeAdaptDef adapt = Sheet_Plain(0);
	drapeClothId large = Sheet_Add(sheet.world, 255, 255, &adapt);
	drapeVertexSize size;
	assert_int_equal(drapeCloth_GetVertexSize(large, drape_verticesPerParticle, &size), drape_ok);
	assert_int_equal(size.vertexCount, 65536);
	uint32_t* indices = malloc(size.indexCount * sizeof *indices);
	indices[0] = 77;
	assert_int_equal(drapeCloth_WriteIndices(large, drape_verticesPerParticle, indices, 2, size.indexCount),
	                 drape_errorLimit);
	assert_string_equal(drapeWorld_GetMessage(sheet.world),
	                    "indexSize is 2 bytes, which is enough for 65535 vertices, but the cloth has 65536");
	assert_int_equal(indices[0], 77);
	assert_int_equal(drapeCloth_WriteIndices(large, drape_verticesPerParticle, indices, 4, size.indexCount), drape_ok);
	free(indices);
	Sheet_Destroy(&sheet);
}

// --- tangents -------------------------------------------------------------------------------------------------------

static float Dot(drapeVec3 a, drapeVec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static drapeVec3 Cross(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static void CheckUnit(const Written* out)
{
	for (uint32_t i = 0; i < out->size.vertexCount; ++i)
	{
		drapeVec3 tangent = Xyz(out->tangents[i]);
		assert_true(fabsf(Dot(tangent, tangent) - 1.0f) < 2e-6f);
		assert_true(fabsf(Dot(tangent, out->normals[i])) < 1e-6f);
		assert_true(fabsf(out->tangents[i].w) == 1.0f);
	}
}

static void TangentsOfACylinderAreTheAnalyticOnes(void** state)
{
	(void)state;
	const float angle = 2.5f;
	for (int s = 0; s < 3; ++s)
	{
		drapeAdaptDef adapt = Sheet_Plain(3);
		adapt.scheme = schemes[s];
		Sheet sheet = Sheet_Create(40, 30, &adapt);
		Random random = Random_Seed(2, (uint64_t)s);
		for (int edit = 0; edit < 60; ++edit)
			drapeCloth_SplitEdge(sheet.cloth, Random_U32(&random) % drapeCloth_GetView(sheet.cloth).edgeCount);
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, angle));
		for (int k = 0; k < 2; ++k)
		{
			Written out = Write(sheet.cloth, kinds[k]);
			CheckUnit(&out);
			for (uint32_t i = 0; i < out.size.vertexCount; ++i)
			{
				float turn = angle * (out.texcoords[i].x - 0.5f);
				drapeVec3 tangent = Xyz(out.tangents[i]), bitangent = Cross(out.normals[i], tangent);
				assert_true(Dot(tangent, (drapeVec3){cosf(turn), -sinf(turn), 0.0f}) > 0.999f);
				assert_true(out.tangents[i].w * bitangent.z < -0.999f);
			}
			Written_Free(&out);
		}
		Sheet_Destroy(&sheet);
	}
}

static void MirroredTexturesHaveATangentOfTheOtherHandOnEachSide(void** state)
{
	(void)state;
	for (int s = 0; s < 3; ++s)
	{
		Sheet sheet = SeamedSheet(schemes[s], true);
		assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
		Written out = Write(sheet.cloth, drape_verticesPerCorner);
		CheckUnit(&out);
		uint32_t mirrored = 0;
		for (uint32_t i = 0; i < out.size.vertexCount; ++i)
		{
			// Flips of the square-root-3 scheme cross the fold, where the texture of a triangle is no longer that of its
			// pattern.
			if (schemes[s] == drape_schemeSqrt3 && fabsf(out.positions[i].x - 0.75f) < 0.15f)
				continue;
			bool isRight = out.texcoords[i].x > 2.0f, isBack = isRight && out.tangents[i].w < 0.0f;
			assert_true(isRight || out.tangents[i].w > 0.0f);
			assert_true(!isRight || isBack == (out.tangents[i].x < 0.0f));
			assert_true(fabsf(out.tangents[i].x) > 0.9999f);
			mirrored += isBack;
		}
		assert_true(mirrored >= 7);
		Written_Free(&out);
		Sheet_Destroy(&sheet);
	}
}

static void TexturesWithoutADirectionGetAUnitTangent(void** state)
{
	(void)state;
	for (int kind = 0; kind < 3; ++kind)
	{
		drapeMesh mesh = TestMesh_Grid(5, 4, 1.0f, 1.0f, 0.2f, 1);
		TestMesh_AddTexcoords(&mesh, 1.0f);
		for (uint32_t i = 0; i < mesh.texcoordCount; ++i)
		{
			drapeVec2* t = &TestMesh_Texcoords(&mesh)[i];
			*t = kind == 0 ? (drapeVec2){0.25f, 0.5f} : kind == 1 ? (drapeVec2){t->x, 0.0f} : (drapeVec2){t->y, t->y};
		}
		Sheet sheet = {.world = Sheet_World(1)};
		sheet.cloth = AddMesh(sheet.world, &mesh, drape_schemeEdge);
		TestMesh_Free(&mesh);
		Written out = Write(sheet.cloth, drape_verticesPerCorner);
		CheckUnit(&out);
		Written_Free(&out);
		// All particles in one place: no normal.
		drapeVec3* positions = calloc(drapeCloth_GetView(sheet.cloth).particleCount, sizeof *positions);
		assert_int_equal(drapeCloth_SetPositions(sheet.cloth, positions), drape_ok);
		free(positions);
		out = Write(sheet.cloth, drape_verticesPerCorner);
		CheckUnit(&out);
		Written_Free(&out);
		drapeDestroyWorld(sheet.world);
	}
}

// --- previous positions ---------------------------------------------------------------------------------------------

// Positions at the end of the last step, which follow the particles by the change log.
typedef struct Past
{
	drapeVec3* positions;
	uint32_t count, revision;
} Past;

static drapeVec3 MeanOf(drapeClothId cloth, const Past* past, uint32_t particle)
{
	drapeParticleOrigin origin = drapeCloth_GetOrigin(cloth, particle);
	drapeVec3 mean = {0};
	assert_true(origin.count >= 2);
	for (uint32_t k = 0; k < origin.count; ++k)
	{
		drapeVec3 p = past->positions[origin.parents[k]];
		float w = origin.weights[k];
		mean = (drapeVec3){mean.x + w * p.x, mean.y + w * p.y, mean.z + w * p.z};
	}
	return mean;
}

// Follows the last change of the mesh. Marks the particles that it created.
static void Past_Follow(Past* past, drapeClothId cloth, bool* isNew)
{
	drapeClothChanges changes = drapeCloth_GetChanges(cloth);
	uint32_t count = drapeCloth_GetView(cloth).particleCount;
	memset(isNew, 0, count);
	if (past->revision == changes.revision)
		return;
	uint32_t most = past->count + changes.createdCount;
	drapeVec3* old = past->positions;
	past->positions = calloc(most, sizeof *past->positions);
	memcpy(past->positions, old, past->count * sizeof *old);
	for (uint32_t i = 0; i < changes.movedCount; ++i)
	{
		if (changes.moved[i].from < past->count)
			past->positions[changes.moved[i].to] = old[changes.moved[i].from];
	}
	for (uint32_t i = 0; i < changes.createdCount; ++i)
		isNew[changes.created[i]] = true;
	for (uint32_t i = 0; i < changes.createdCount; ++i)
		past->positions[changes.created[i]] = MeanOf(cloth, past, changes.created[i]);
	free(old);
	past->count = count;
	past->revision = changes.revision;
}

static void Past_Take(Past* past, drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	free(past->positions);
	past->positions = malloc(view.particleCount * sizeof *past->positions);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		past->positions[i] = Xyz(view.positions[i]);
	past->count = view.particleCount;
	past->revision = view.revision;
}

// A sheet that falls over a sphere and is refined where it bends.
static Sheet FallingSheet(drapeScheme scheme, drapeSolverDef solver)
{
	Sheet sheet = {.world = Sheet_World(2)};
	drapeClothDef def = drapeDefaultClothDef();
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(6, 6, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	def.mesh = &mesh;
	def.solver = solver;
	// Explicit integrators need thousands of substeps for the default fabric.
	if (!drapeIntegrator_IsImplicit(solver.integrator))
		assert_int_equal(drapeMaterial_GetPreset("cotton", &def.material, NULL), drape_ok);
	def.adapt.scheme = scheme;
	def.adapt.maxLevel = scheme == drape_schemeSqrt3 ? 4 : 2;
	sheet.cloth = Make_Cloth(sheet.world, &def);
	drapeMesh_Free(&mesh);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.25f;
	ball.transform.position = (drapeVec3){0.05f, -0.3f, 0.02f};
	assert_true(drapeCollider_IsValid(Make_Collider(sheet.world, &ball)));
	return sheet;
}

static void PreviousPositionsAreThoseOfTheLastFrame(void** state)
{
	(void)state;
	const drapeSolverDef solvers[] = {drapeDefaultSolverDef(), drapeDefaultExplicitSolverDef()};
	const float steps[] = {1.0f / 60.0f, 1.0f / 30.0f};
	for (int s = 0; s < 6; ++s)
	{
		Sheet sheet = FallingSheet(schemes[s / 2], solvers[s % 2]);
		Past past = {0};
		Written out = Write(sheet.cloth, drape_verticesPerParticle);
		uint32_t created = 0, kept = 0;
		for (uint32_t i = 0; i < out.size.vertexCount; ++i)
			assert_true(Same(out.previous[i], out.positions[i]));
		Written_Free(&out);
		for (int step = 0; step < (isSlow ? 15 : 50); ++step)
		{
			Past_Take(&past, sheet.cloth);
			assert_int_equal(drapeWorld_Step(sheet.world, steps[step % 2]), drape_ok);
			bool* isNew = malloc(drapeCloth_GetView(sheet.cloth).particleCount);
			Past_Follow(&past, sheet.cloth, isNew);
			out = Write(sheet.cloth, kinds[step % 2]);
			for (uint32_t i = 0; i < drapeCloth_GetView(sheet.cloth).particleCount; ++i)
			{
				drapeVec3 p = out.previous[i], q = past.positions[i];
				assert_true(isNew[i] || Same(p, q));
				assert_true(fabsf(p.x - q.x) + fabsf(p.y - q.y) + fabsf(p.z - q.z) < 1e-6f);
				created += isNew[i];
				kept += !isNew[i];
			}
			free(isNew);
			Written_Free(&out);
		}
		assert_true(kept > 500 && (created > 10 || schemes[s / 2] == drape_schemeFixed || isSlow));
		free(past.positions);
		Sheet_Destroy(&sheet);
	}
}

static void ClothThatIsPutElsewhereHasNoPreviousPositions(void** state)
{
	(void)state;
	Sheet sheet = FallingSheet(drape_schemeEdge, drapeDefaultSolverDef());
	Written out = Write(sheet.cloth, drape_verticesPerParticle);
	Written_Free(&out);
	assert_int_equal(drapeWorld_Step(sheet.world, frame), drape_ok);
	uint8_t data[200000];
	size_t size = Make_Snapshot(sheet.world, data, sizeof data);
	assert_true(size > 0);
	assert_int_equal(drapeWorld_Step(sheet.world, frame), drape_ok);
	for (int way = 0; way < 2; ++way)
	{
		if (way == 0)
			assert_int_equal(drapeWorld_Load(sheet.world, data, size), drape_ok);
		else
			assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, 3.0f));
		out = Write(sheet.cloth, drape_verticesPerCorner);
		for (uint32_t i = 0; i < out.size.vertexCount; ++i)
			assert_true(Same(out.previous[i], out.positions[i]));
		Written_Free(&out);
	}
	Sheet_Destroy(&sheet);
}

static void WritingChangesNoBitOfTheWorld(void** state)
{
	(void)state;
	Sheet plain = FallingSheet(drape_schemeEdge, drapeDefaultSolverDef());
	Sheet written = FallingSheet(drape_schemeEdge, drapeDefaultSolverDef());
	for (int step = 0; step < 20; ++step)
	{
		Hang_Step(plain.world, frame);
		Hang_Step(written.world, frame);
		Written out = Write(written.cloth, drape_verticesPerCorner);
		Written_Free(&out);
		assert_true(drapeWorld_GetHash(plain.world) == drapeWorld_GetHash(written.world));
	}
	uint8_t* data = malloc(1 << 20);
	size_t size = Make_Snapshot(written.world, data, 1 << 20);
	assert_true(size > 0);
	assert_int_equal(drapeWorld_Load(plain.world, data, size), drape_ok);
	free(data);
	Sheet_Destroy(&plain);
	Sheet_Destroy(&written);
}

// --- frames, threads, failures --------------------------------------------------------------------------------------

static void AFrameOfTheSameRevisionAllocatesNothing(void** state)
{
	(void)state;
	Sheet sheet = SeamedSheet(drape_schemeFixed, true);
	Written out = Write(sheet.cloth, drape_verticesPerCorner);
	Written_Free(&out);
	uint32_t revision = drapeCloth_GetRevision(sheet.cloth);
	assert_int_equal(revision, drapeCloth_GetView(sheet.cloth).revision);
	Hang_Run(sheet.world, 5);
	for (int step = 0; step < 5; ++step)
	{
		Hang_Step(sheet.world, frame);
		size_t before = drapeGetMemoryUse().allocations;
		out = Write(sheet.cloth, drape_verticesPerCorner);
		assert_int_equal(drapeGetMemoryUse().allocations, before);
		assert_int_equal(drapeCloth_GetRevision(sheet.cloth), revision);
		Written_Free(&out);
	}
	Sheet_Destroy(&sheet);
	ASSERT_REFUSED(assert_int_equal(drapeCloth_GetRevision((drapeClothId){0}), 0));
}

static void AnyNumberOfThreadsWritesTheSameBytes(void** state)
{
	(void)state;
	Written first = {0};
	for (uint32_t workers = 1; workers <= 4; ++workers)
	{
		drapeWorldId world = Sheet_World(workers);
		drapeAdaptDef adapt = Sheet_Plain(0);
		drapeClothId cloth = Sheet_Add(world, 190, 180, &adapt);
		assert_true(Sheet_SetShape(cloth, Sheet_Bumps, 0.1f));
		Written out = Write(cloth, drape_verticesPerCorner);
		assert_true(out.size.vertexCount > 2 * 16384);
		if (workers == 1)
			first = out;
		else
		{
			assert_memory_equal(out.positions, first.positions, 12 * (size_t)out.size.vertexCount);
			assert_memory_equal(out.normals, first.normals, 12 * (size_t)out.size.vertexCount);
			assert_memory_equal(out.previous, first.previous, 12 * (size_t)out.size.vertexCount);
			assert_memory_equal(out.tangents, first.tangents, 16 * (size_t)out.size.vertexCount);
			assert_memory_equal(out.texcoords, first.texcoords, 8 * (size_t)out.size.vertexCount);
			Written_Free(&out);
		}
		drapeDestroyWorld(world);
	}
	Written_Free(&first);
}

static void MemoryThatRunsOutWritesNothing(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	for (size_t allowed = 0, done = 0; !done; ++allowed)
	{
		Sheet sheet = SeamedSheet(drape_schemeEdge, true);
		uint8_t bytes[attributeCount][16 * 200];
		drapeVertexLayout layout = {.kind = drape_verticesPerCorner};
		for (int k = 0; k < attributeCount; ++k)
			AttributeOf(&layout, k)->data = bytes[k];
		memset(bytes, mark, sizeof bytes);
		Test_AllowAllocations(allowed);
		drapeResult result = drapeCloth_WriteVertices(sheet.cloth, &layout, 200);
		Test_AllowAllocations(SIZE_MAX);
		done = result == drape_ok;
		assert_true(done || result == drape_errorMemory);
		assert_true(done == (bytes[0][0] != mark || bytes[1][0] != mark || bytes[2][0] != mark));
		assert_int_equal(drapeCloth_WriteVertices(sheet.cloth, &layout, 200), drape_ok);
		CheckTopology(sheet.cloth);
		Sheet_Destroy(&sheet);
		assert_true(allowed < 100);
	}
	Test_EndLimitedMemory();
}

#define ASSERT_SENTENCE(call, expected, sentence)                                                                      \
	do                                                                                                                 \
	{                                                                                                                  \
		ASSERT_REFUSED(assert_int_equal(call, expected));                                                              \
		assert_string_equal(drapeWorld_GetMessage(sheet.world), sentence);                                             \
	} while (0)

static void RefusedArgumentsLeaveASentence(void** state)
{
	(void)state;
	Sheet sheet = SeamedSheet(drape_schemeEdge, true);
	const drapeVertexKind particles = drape_verticesPerParticle, none = (drapeVertexKind)2;
	const drapeResult argument = drape_errorArgument;
	drapeVertexSize size = {1, 1};
	float values[4] = {1.0f, 1.0f, 1.0f, 1.0f};
	uint32_t indices[3] = {5, 5, 5};
	drapeVertexLayout narrow = {.normals = {values, 8}}, wrong = {.kind = none};
	ASSERT_SENTENCE(drapeCloth_GetVertexSize(sheet.cloth, none, &size), argument,
	                "kind is 2, expected a drapeVertexKind");
	assert_int_equal(size.vertexCount + size.indexCount, 0);
	ASSERT_SENTENCE(drapeCloth_GetVertexSize(sheet.cloth, particles, NULL), argument, "size is NULL");
	ASSERT_SENTENCE(drapeCloth_WriteVertices(sheet.cloth, NULL, 100), argument, "layout is NULL");
	ASSERT_SENTENCE(drapeCloth_WriteVertices(sheet.cloth, &wrong, 100), argument,
	                "kind is 2, expected a drapeVertexKind");
	ASSERT_SENTENCE(drapeCloth_WriteVertices(sheet.cloth, &narrow, 100), argument,
	                "normals.stride is 8 bytes, expected 0 or at least 12");
	ASSERT_SENTENCE(drapeCloth_WriteIndices(sheet.cloth, particles, NULL, 4, 3), argument, "indices is NULL");
	ASSERT_SENTENCE(drapeCloth_WriteIndices(sheet.cloth, particles, indices, 3, 3), argument,
	                "indexSize is 3 bytes, expected 2 or 4");
	ASSERT_SENTENCE(drapeCloth_WriteIndices(sheet.cloth, none, indices, 4, 3), argument,
	                "kind is 2, expected a drapeVertexKind");
	ASSERT_REFUSED(assert_int_equal(drapeCloth_WriteVertices((drapeClothId){0}, &narrow, 0), argument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_WriteIndices((drapeClothId){0}, particles, indices, 4, 3), argument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_GetVertexSize((drapeClothId){0}, particles, &size), argument));
	Sheet_Destroy(&sheet);
}

static void ABufferThatIsTooShortIsNotWritten(void** state)
{
	(void)state;
	Sheet sheet = SeamedSheet(drape_schemeEdge, false);
	float values[4] = {1.0f, 1.0f, 1.0f, 1.0f};
	uint32_t indices[3] = {5, 5, 5};
	drapeVertexLayout layout = {.positions = {values, 0}};
	assert_int_equal(drapeCloth_WriteVertices(sheet.cloth, &layout, 62), drape_errorLimit);
	assert_string_equal(drapeWorld_GetMessage(sheet.world), "capacity is 62 vertices, but the cloth has 63");
	assert_int_equal(drapeCloth_WriteIndices(sheet.cloth, drape_verticesPerCorner, indices, 4, 3), drape_errorLimit);
	assert_string_equal(drapeWorld_GetMessage(sheet.world), "capacity is 3 indices, but the cloth has 288");
	assert_true(values[0] == 1.0f && indices[0] == 5);
	Sheet_Destroy(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(NoByteBesideAnElementIsWrittenForAnyStrideAndOffset),
		cmocka_unit_test(AnArrayOfStructuresKeepsItsOtherMembers),
		cmocka_unit_test(EachTextureCornerHasOneVertexInAllSchemesAfterRandomEdits),
		cmocka_unit_test(AMeshWithoutTextureHasTwoVerticesOnlyAtItsSeams),
		cmocka_unit_test(ShortIndicesEqualLongOnesAndHaveTheirLimit),
		cmocka_unit_test(TangentsOfACylinderAreTheAnalyticOnes),
		cmocka_unit_test(MirroredTexturesHaveATangentOfTheOtherHandOnEachSide),
		cmocka_unit_test(TexturesWithoutADirectionGetAUnitTangent),
		cmocka_unit_test(PreviousPositionsAreThoseOfTheLastFrame),
		cmocka_unit_test(ClothThatIsPutElsewhereHasNoPreviousPositions),
		cmocka_unit_test(WritingChangesNoBitOfTheWorld),
		cmocka_unit_test(AFrameOfTheSameRevisionAllocatesNothing),
		cmocka_unit_test(AnyNumberOfThreadsWritesTheSameBytes),
		cmocka_unit_test(MemoryThatRunsOutWritesNothing),
		cmocka_unit_test(RefusedArgumentsLeaveASentence),
		cmocka_unit_test(ABufferThatIsTooShortIsNotWritten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
