// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "drape/io.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

// Any bytes either parse into a mesh with valid indices, or are refused with a message. Some of the parsed meshes are
// written and read again, and must be equal.

const char* const fuzzDictionary[] = {
	"v 1 2 3\n",
	"vt 0.5 0.5\n",
	"vn 0 0 1\n",
	"f 1 2 3\n",
	"f -1 -2 -3\n",
	"f 1/1/1 2/2/2 3/3/3\n",
	"f 1//1 2//1 3//1\n",
	"f 1 2 3 4 5 6\n",
	"o a b\n",
	"g\n",
	"g x \\\n",
	"usemtl m\n",
	"mtllib l.mtl\n",
	"\\\n",
	"\\\r\n",
	"\r\n",
	"#",
	"1e38",
	"1e-46",
	"-0",
	"1e99999",
	"nan",
	"4294967295",
	"99999999999999999999",
	"0.1234567890123456789",
	"\xEF\xBB\xBF",
	"//",
	"/",
	"-",
	".",
	"e",
	" ",
	"\t",
	NULL,
};

static void CheckCorners(const uint32_t* corners, const drapeMesh* mesh, uint32_t count, bool optional)
{
	for (size_t i = 0; corners && i < 3 * (size_t)mesh->triangleCount; ++i)
		FUZZ_CHECK(corners[i] < count || (optional && corners[i] == DRAPE_NONE));
}

static void CheckObj(const drapeObj* obj)
{
	const drapeMesh* mesh = &obj->mesh;
	FUZZ_CHECK(mesh->triangleCount > 0 && mesh->triangles && mesh->positions);
	CheckCorners(mesh->triangles, mesh, mesh->vertexCount, false);
	CheckCorners(mesh->texcoordTriangles, mesh, mesh->texcoordCount, true);
	CheckCorners(mesh->normalTriangles, mesh, mesh->normalCount, true);
	uint32_t covered = 0;
	for (uint32_t i = 0; i < obj->partCount; ++i)
	{
		FUZZ_CHECK(obj->parts[i].firstTriangle == covered && obj->parts[i].triangleCount > 0);
		covered += obj->parts[i].triangleCount;
	}
	FUZZ_CHECK(covered == mesh->triangleCount);
}

static void CheckSame(const void* a, const void* b, size_t size)
{
	FUZZ_CHECK((a == NULL) == (b == NULL));
	FUZZ_CHECK(!a || memcmp(a, b, size) == 0);
}

static void CheckSameObj(const drapeObj* a, const drapeObj* b)
{
	const drapeMesh *m = &a->mesh, *n = &b->mesh;
	FUZZ_CHECK(m->vertexCount == n->vertexCount && m->triangleCount == n->triangleCount);
	FUZZ_CHECK(m->texcoordCount == n->texcoordCount && m->normalCount == n->normalCount);
	size_t corners = 3 * (size_t)m->triangleCount * sizeof(uint32_t);
	CheckSame(m->positions, n->positions, m->vertexCount * sizeof(drapeVec3));
	CheckSame(m->texcoords, n->texcoords, m->texcoordCount * sizeof(drapeVec2));
	CheckSame(m->normals, n->normals, m->normalCount * sizeof(drapeVec3));
	CheckSame(m->triangles, n->triangles, corners);
	CheckSame(m->texcoordTriangles, n->texcoordTriangles, corners);
	CheckSame(m->normalTriangles, n->normalTriangles, corners);
	FUZZ_CHECK(a->partCount == b->partCount);
	for (uint32_t i = 0; i < a->partCount; ++i)
	{
		FUZZ_CHECK(a->parts[i].triangleCount == b->parts[i].triangleCount);
		FUZZ_CHECK(strcmp(a->parts[i].object, b->parts[i].object) == 0);
		FUZZ_CHECK(strcmp(a->parts[i].group, b->parts[i].group) == 0);
		FUZZ_CHECK(strcmp(a->parts[i].material, b->parts[i].material) == 0);
	}
	FUZZ_CHECK(strcmp(a->materialLibrary, b->materialLibrary) == 0);
}

static void CheckRoundTrip(const drapeObj* obj)
{
	char path[64];
	snprintf(path, sizeof path, "/tmp/drape_fuzz_obj.%ld.obj", (long)getpid());
	drapeObjWriteDef def = {
		.mesh = &obj->mesh, .parts = obj->parts, .partCount = obj->partCount, .materialLibrary = obj->materialLibrary};
	drapeObj again;
	FUZZ_CHECK(drapeObj_Write(path, &def, NULL) == drape_ok);
	FUZZ_CHECK(drapeObj_Read(path, &again, NULL) == drape_ok);
	unlink(path);
	CheckSameObj(obj, &again);
	drapeObj_Free(&again);
}

// A hash of the input, so that a single input always behaves the same.
static bool IsChosenForRoundTrip(const uint8_t* data, size_t size)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < size; ++i)
		sum = sum * 31 + data[i];
	return sum % 16 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	drapeObj obj;
	drapeMessage error;
	drapeResult result = drapeObj_Parse((const char*)data, size, "input", &obj, &error);
	FUZZ_CHECK((result == drape_ok) == (error.text[0] == 0));
	if (result == drape_ok)
	{
		CheckObj(&obj);
		if (IsChosenForRoundTrip(data, size))
			CheckRoundTrip(&obj);
	}
	drapeObj_Free(&obj);
	FUZZ_CHECK(drapeGetMemoryUse().bytes == 0);
	return 0;
}
