// SPDX-License-Identifier: MIT
#include "support.h"

#include "../io/io.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA "test/data/"

// --- helpers ---

static uint32_t randomState = 1;

// A linear congruential generator: the same meshes on every machine.
static uint32_t Random(uint32_t below)
{
	randomState = randomState * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)randomState * below >> 32);
}

static float RandomFloat(void)
{
	float value;
	do
	{
		uint32_t bits = Random(0x10000) << 16 | Random(0x10000);
		memcpy(&value, &bits, sizeof value);
	} while (!isfinite(value));
	return value;
}

static drapeObj Parse(const char* text)
{
	drapeObj obj;
	drapeMessage error;
	drapeResult result = drapeObj_Parse(text, strlen(text), "test.obj", &obj, &error);
	if (result != drape_ok)
		fail_msg("unexpected: %s", error.text);
	assert_string_equal(error.text, "");
	return obj;
}

// Parses text that must be refused, and expects the message, all of it.
static void ExpectRefusal(const char* text, drapeResult expected, const char* message)
{
	drapeObj obj;
	drapeMessage error;
	drapeResult result = drapeObj_Parse(text, strlen(text), "t", &obj, &error);
	assert_string_equal(error.text, message);
	assert_int_equal(result, expected);
	assert_int_equal(error.result, expected);
	assert_null(obj.mesh.positions);
	assert_null(obj.parts);
}

static void ExpectSameArray(const void* a, const void* b, size_t size)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a && size > 0)
		assert_memory_equal(a, b, size);
}

static void ExpectSameMesh(const drapeMesh* a, const drapeMesh* b)
{
	assert_int_equal(a->vertexCount, b->vertexCount);
	assert_int_equal(a->triangleCount, b->triangleCount);
	assert_int_equal(a->texcoordCount, b->texcoordCount);
	assert_int_equal(a->normalCount, b->normalCount);
	size_t corners = 3 * (size_t)a->triangleCount * sizeof(uint32_t);
	ExpectSameArray(a->positions, b->positions, a->vertexCount * sizeof(drapeVec3));
	ExpectSameArray(a->triangles, b->triangles, corners);
	ExpectSameArray(a->texcoords, b->texcoords, a->texcoordCount * sizeof(drapeVec2));
	ExpectSameArray(a->texcoordTriangles, b->texcoordTriangles, corners);
	ExpectSameArray(a->normals, b->normals, a->normalCount * sizeof(drapeVec3));
	ExpectSameArray(a->normalTriangles, b->normalTriangles, corners);
}

static void ExpectSameParts(const drapeObjPart* a, uint32_t countA, const drapeObjPart* b, uint32_t countB)
{
	assert_int_equal(countA, countB);
	for (uint32_t i = 0; i < countA; ++i)
	{
		assert_int_equal(a[i].firstTriangle, b[i].firstTriangle);
		assert_int_equal(a[i].triangleCount, b[i].triangleCount);
		assert_string_equal(a[i].object, b[i].object);
		assert_string_equal(a[i].group, b[i].group);
		assert_string_equal(a[i].material, b[i].material);
	}
}

// A directory of this test's own, under the build.
static const char* Scratch(void)
{
	static char path[512];
	const char* build = getenv("DRAPE_BUILD");
	snprintf(path, sizeof path, "%s/test_obj.%ld", build ? build : "/tmp", (long)getpid());
	mkdir(path, 0777);
	return path;
}

static const char* ScratchFile(const char* name)
{
	static char path[4][640];
	static unsigned turn;
	char* slot = path[turn++ % 4];
	snprintf(slot, sizeof path[0], "%s/%s", Scratch(), name);
	return slot;
}

static int CountScratchFiles(void)
{
	DIR* directory = opendir(Scratch());
	assert_non_null(directory);
	int count = 0;
	struct dirent* entry;
	while ((entry = readdir(directory)) != NULL)
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

static int RemoveScratch(void** state)
{
	(void)state;
	return rmdir(Scratch());
}

static char* Slurp(const char* path, size_t* size)
{
	FILE* file = fopen(path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	char* data = malloc(*size + 1);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, *size, file), *size);
	data[*size] = 0;
	fclose(file);
	return data;
}

static double TriangleArea(const drapeMesh* mesh, uint32_t triangle, const double normal[3])
{
	const uint32_t* corner = &mesh->triangles[3 * triangle];
	drapeVec3 a = mesh->positions[corner[0]], b = mesh->positions[corner[1]], c = mesh->positions[corner[2]];
	double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y, uz = (double)b.z - (double)a.z;
	double vx = (double)c.x - (double)a.x, vy = (double)c.y - (double)a.y, vz = (double)c.z - (double)a.z;
	return 0.5 * (normal[0] * (uy * vz - uz * vy) + normal[1] * (uz * vx - ux * vz) + normal[2] * (ux * vy - uy * vx));
}

// --- reading ---

static void EveryStatementIsRead(void** state)
{
	(void)state;
	drapeObj obj = Parse("# a comment\n"
	                     "mtllib  cloth.mtl \n"
	                     "o My Shirt\n"
	                     "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nv 0 1e0 -0.5 # trailing words\n"
	                     "vt 0.25\nvt 1 0\nvt 1 1 0\n"
	                     "vn 0 0 1\n"
	                     "g left sleeve\nusemtl red cotton\n"
	                     "f 1/1/1 2/2/1 3/3/1\n"
	                     "s 1\n"
	                     "usemtl blue\n"
	                     "f 1 3 4\n"
	                     "l 1 2\nunheard of\n");
	assert_int_equal(obj.mesh.vertexCount, 4);
	assert_int_equal(obj.mesh.triangleCount, 2);
	assert_true(obj.mesh.positions[3].y == 1.0f && obj.mesh.positions[3].z == -0.5f);
	assert_int_equal(obj.mesh.texcoordCount, 3);
	assert_true(obj.mesh.texcoords[0].x == 0.25f && obj.mesh.texcoords[0].y == 0.0f);
	assert_int_equal(obj.mesh.texcoordTriangles[2], 2);
	assert_int_equal(obj.mesh.texcoordTriangles[3], DRAPE_NONE);
	assert_int_equal(obj.mesh.normalTriangles[1], 0);
	assert_int_equal(obj.mesh.normalTriangles[5], DRAPE_NONE);
	assert_string_equal(obj.materialLibrary, "cloth.mtl");
	assert_int_equal(obj.partCount, 2);
	assert_string_equal(obj.parts[0].object, "My Shirt");
	assert_string_equal(obj.parts[0].group, "left sleeve");
	assert_string_equal(obj.parts[0].material, "red cotton");
	assert_string_equal(obj.parts[1].material, "blue");
	assert_int_equal(obj.parts[1].firstTriangle, 1);
	assert_int_equal(obj.ignoredLines, 3);
	assert_int_equal(obj.vertexLines[3], 7);
	assert_int_equal(obj.triangleLines[1], 17);
	drapeObj_Free(&obj);
	assert_null(obj.mesh.positions);
}

static void NegativeIndicesCountBackFromTheFace(void** state)
{
	(void)state;
	drapeObj obj = Parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -4 -3 -1\n");
	const uint32_t expected[] = {0, 1, 2, 0, 1, 3};
	assert_memory_equal(obj.mesh.triangles, expected, sizeof expected);
	drapeObj_Free(&obj);
}

static void FacesMayNameLaterVertices(void** state)
{
	(void)state;
	drapeObj obj = Parse("f 1 2 3 4\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n");
	assert_int_equal(obj.mesh.triangleCount, 2);
	assert_int_equal(obj.triangleLines[1], 1);
	drapeObj_Free(&obj);
}

static void LineEndsContinuationsAndMarksDoNotMatter(void** state)
{
	(void)state;
	drapeObj plain = Parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
	const char* const variants[] = {
		"v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
		"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
		"\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
		"v 0 \\\n0 0\nv 1 0 0\nv 0\\\r\n1 0\r\nf 1 2\\\n\\\n 3\\",
		"\n\n  v 0 0 0\n\tv 1 0 0   \n\nv 0 1 0\n\n f  1\t2 3  \n\n",
		"# saved in C:\\cloth\\\nv 0 0 0\nv 1 0 0\n  # again \\\r\nv 0 1 0\nf 1 2 3\n",
	};
	for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i)
	{
		drapeObj obj = Parse(variants[i]);
		ExpectSameMesh(&obj.mesh, &plain.mesh);
		drapeObj_Free(&obj);
	}
	drapeObj_Free(&plain);
}

static void PartsAreRunsOfTheSameNames(void** state)
{
	(void)state;
	drapeObj obj = Parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng a\ng\nf 1 2 3\ng b\no x\nf 1 2 3\ng c\ng b\nf 1 2 3\n"
	                     "usemtl m\nf 1 2 3\nmtllib a.mtl\nmtllib b.mtl\n");
	assert_int_equal(obj.partCount, 3);
	assert_int_equal(obj.parts[0].triangleCount, 2);
	assert_string_equal(obj.parts[0].group, "");
	assert_int_equal(obj.parts[1].triangleCount, 2);
	assert_string_equal(obj.parts[1].group, "b");
	assert_string_equal(obj.parts[2].object, "x");
	assert_string_equal(obj.materialLibrary, "a.mtl b.mtl");
	drapeObj_Free(&obj);
}

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void BadTextIsRefusedWithFileAndLine(void** state)
{
	(void)state;
	const struct
	{
		const char *text, *message;
	} cases[] = {
		{"", "t: file is empty"},
		{"\n# nothing\n", "t: no vertices and no faces; is this an OBJ file?"},
		{TRIANGLE, "t: 3 vertices, but no faces"},
		{TRIANGLE "f 1 2 4\nv", "t:5: vertex has 0 values, expected x y z"},
		{TRIANGLE "f 1 2 3\nf 1 2 4\n", "t:5: face names vertex 4, but there are only 3"},
		{TRIANGLE "f 1/1 2/1 3/1\n", "t:4: face names texture coordinate 1, but there are only 0"},
		{TRIANGLE "f 1//2 2//1 3//1\nvn 0 0 1\n", "t:4: face names normal 2, but there are only 1"},
		{TRIANGLE "f 1 2 -4\n", "t:4: face names vertex -4, but only 3 come before it"},
		{TRIANGLE "f 0 1 2\n", "t:4: face names vertex 0, but counting starts at 1"},
		{TRIANGLE "f -0 1 2\n", "t:4: face names vertex 0, but counting starts at 1"},
		{TRIANGLE "f 1 2 4294967295\n", "t:4: face names vertex 4294967295, beyond what 32-bit indices can name"},
		{TRIANGLE "f 1 2 99999999999999999999999999\n",
	     "t:4: face names vertex 99999999999999999999999999, beyond what 32-bit indices can name"},
		{TRIANGLE "f 1 2\n", "t:4: face has 2 corners, expected at least 3"},
		{TRIANGLE "f 1\n", "t:4: face has 1 corner, expected at least 3"},
		{TRIANGLE "f\n", "t:4: face has 0 corners, expected at least 3"},
		{TRIANGLE "f 1 2 3x\n", "t:4: face: expected the number of a vertex, found '3x'"},
		{TRIANGLE "f 1/ 2/ 3/\n", "t:4: face: expected the number of a texture coordinate, found ''"},
		{TRIANGLE "f 1// 2// 3//\n", "t:4: face: expected the number of a normal, found ''"},
		{TRIANGLE "vt 0 0\nvn 0 0 1\nf 1/1/1/1 2 3\n", "t:6: face: '1/1/1/1' has more than three parts"},
		{TRIANGLE "vt 0 0\nf 1/1 2 3\n", "t:5: face has a texture coordinate at some corners only"},
		{TRIANGLE "vn 0 0 1\nf 1 2//1 3\n", "t:5: face has a normal at some corners only"},
		{"v 1 2 nan\n", "t:1: vertex: expected a number, found 'nan'"},
		{"v 1 2 inf\n", "t:1: vertex: expected a number, found 'inf'"},
		{"v 1 2 1.0abc\n", "t:1: vertex: expected a number, found '1.0abc'"},
		{"v 1 2 0x10\n", "t:1: vertex: expected a number, found '0x10'"},
		{"v 1 2 1,5\n", "t:1: vertex: expected a number, found '1,5'"},
		{"v 1 2 .\n", "t:1: vertex: expected a number, found '.'"},
		{"v 1 2 1e\n", "t:1: vertex: expected a number, found '1e'"},
		{"v 1 2 \x01\xFF\n", "t:1: vertex: expected a number, found '\\x01\\xFF'"},
		{"v 1 2 1e39\n", "t:1: vertex: 1e39 is too large"},
		{"v 1 2\n", "t:1: vertex has 2 values, expected x y z"},
		{"v 1 2 3 4 5\n", "t:1: vertex has 5 values, expected x y z"},
		{"v 1 2 3 4 5 6 7 8\n", "t:1: vertex has more than 7 values"},
		{"v 1 2 3 0.5\n", "t:1: vertex has weight 0.5; only a weight of 1 has a place in a mesh"},
		{"vt\n", "t:1: texture coordinate has no value, expected u v"},
		{"vt 1 2 3 4\n", "t:1: texture coordinate has more than 3 values"},
		{"vn 1 2\n", "t:1: normal has 2 values, expected x y z"},
		{"v 1 \\\n 2 \\\n x\n", "t:1: vertex: expected a number, found 'x'"},
		{"v 1 2 123456789012345678901234567890123456789012345678901234567890x\n",
	     "t:1: vertex: expected a number, found '1234567890123456789012345678901234567...'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
		ExpectRefusal(cases[i].text, drape_errorData, cases[i].message);
}

static void BinaryDataIsCalledByItsName(void** state)
{
	(void)state;
	drapeObj obj;
	drapeMessage error;
	const char zeros[] = "\x7F"
						 "ELF\0\0\0v 1\n";
	assert_int_equal(drapeObj_Parse(zeros, sizeof zeros - 1, "t", &obj, &error), drape_errorData);
	assert_string_equal(error.text, "t: not an OBJ file (binary data)");
	const char strange[] = "\x89PNG\x1A\x9C\xD2\xFF\x12\x9A\n\xBE\xEF\xF0\x0D\n";
	assert_int_equal(drapeObj_Parse(strange, sizeof strange - 1, "t", &obj, &error), drape_errorData);
	assert_string_equal(error.text, "t: not an OBJ file (binary data)");
	const char late[] = TRIANGLE "g a\0b\nf 1 2 3\n";
	assert_int_equal(drapeObj_Parse(late, sizeof late - 1, "t", &obj, &error), drape_errorData);
	assert_string_equal(error.text, "t:4: line holds a zero byte, which text does not have");
}

static void TooManyElementsAreALimitNotACrash(void** state)
{
	(void)state;
	drapeObj obj;
	drapeMessage error;
	const char vertices[] = TRIANGLE "v 1 1 1\nf 1 2 3\n";
	assert_int_equal(drapeObj_ParseLimited(vertices, strlen(vertices), "t", 3, &obj, &error), drape_errorLimit);
	assert_string_equal(error.text, "t:4: more than 3 vertices, too many for 32-bit indices");
	const char triangles[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 1 2 3 4\nf 1 2 3\n";
	assert_int_equal(drapeObj_ParseLimited(triangles, strlen(triangles), "t", 4, &obj, &error), drape_errorLimit);
	assert_string_equal(error.text, "t:7: more than 4 triangles, too many for 32-bit indices");
	const char texcoords[] = "vt 0\nvt 0\nvt 0\nvt 0\n";
	assert_int_equal(drapeObj_ParseLimited(texcoords, strlen(texcoords), "t", 1, &obj, &error), drape_errorLimit);
}

static void UnreadableFilesSayWhy(void** state)
{
	(void)state;
	drapeObj obj;
	drapeMessage error;
	assert_int_equal(drapeObj_Read("test/data/absent.obj", &obj, &error), drape_errorFile);
	assert_string_equal(error.text, "test/data/absent.obj: cannot open: No such file or directory");
	assert_int_equal(drapeObj_Read("test/data", &obj, &error), drape_errorFile);
	assert_string_equal(error.text, "test/data: cannot read: Is a directory");
	assert_int_equal(drapeObj_Read("test/data/absent.obj", &obj, NULL), drape_errorFile);
}

static void LongNamesKeepTheSentence(void** state)
{
	(void)state;
	char name[2000];
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = 0;
	drapeObj obj;
	drapeMessage error;
	assert_int_equal(drapeObj_Parse("", 0, name, &obj, &error), drape_errorData);
	assert_non_null(strstr(error.text, "nnn: file is empty"));
}

// --- numbers ---

static float ParseNumber(const char* text)
{
	float value = NAN;
	assert_int_equal(drapeNumber_Parse(text, strlen(text), &value), number_ok);
	return value;
}

static void NumbersAreCorrectlyRounded(void** state)
{
	(void)state;
	const char* const texts[] = {
		"0",
		"-0",
		"1",
		"+1",
		".5",
		"5.",
		"-1.5e3",
		"1E-3",
		"0.1",
		"123456789",
		"3.4028235e38",
		"3.4028234e38",
		"1.1754943508222875e-38",
		"1.4e-45",
		"7.1e-46",
		"1e-60",
		"0e999999999999",
		"0.000000000000000000000000000001",
		// halfway between two floats, and a little to either side
		"16777217",
		"16777217.0000000000000000000000001",
		"16777216.99999999999999999999999999",
		"1.00000005960464477539",
		"1.000000059604644775390625",
		"1.0000000596046447753906250000000000000000000000001",
		"12345678901234567890123456789",
		"0.00000000000000000000000000000000000012345678901234567890",
	};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
	{
		float expected = strtof(texts[i], NULL), value = ParseNumber(texts[i]);
		assert_memory_equal(&value, &expected, sizeof value);
	}
	char text[64];
	for (int i = 0; i < 200000; ++i)
	{
		snprintf(text, sizeof text, "%s%u.%ue%d", Random(2) ? "-" : "", Random(1000), Random(1u << 31),
		         (int)Random(40) - 20);
		float expected = strtof(text, NULL), value = ParseNumber(text);
		if (memcmp(&value, &expected, sizeof value) != 0)
			fail_msg("%s gave %.9g, not %.9g", text, (double)value, (double)expected);
	}
}

static void NumbersOfAnyLengthAreRead(void** state)
{
	(void)state;
	char text[2000];
	memset(text, '0', sizeof text);
	text[1] = '.';
	memcpy(text + 1990, "5e1989", 7);
	assert_true(ParseNumber(text) == 5.0f);
	memset(text, '1', 1500);
	memcpy(text + 1500, "e-1499", 7);
	assert_true(ParseNumber(text) == 1.11111116f);
}

static void WrittenNumbersReadBackToTheSameBits(void** state)
{
	(void)state;
	const float values[] = {0.0f,    -0.0f,    1.0f,          0.1f,        FLT_MAX, -FLT_MAX,
	                        FLT_MIN, 1.4e-45f, FLT_EPSILON,   16777216.0f, 1e10f,   9999999999.0f,
	                        1e-4f,   1e-5f,    0.3333333433f, 123456.7f};
	for (int i = 0; i < 300000; ++i)
	{
		float value = i < (int)(sizeof values / sizeof values[0]) ? values[i] : RandomFloat();
		char text[NUMBER_CAPACITY];
		size_t length = drapeNumber_Format(value, text);
		assert_int_equal(length, strlen(text));
		float readBack = ParseNumber(text), standard = strtof(text, NULL);
		if (memcmp(&readBack, &value, sizeof value) != 0 || memcmp(&standard, &value, sizeof value) != 0)
			fail_msg("%s is not %.9g", text, (double)value);
	}
	char text[NUMBER_CAPACITY];
	const struct
	{
		float value;
		const char* text;
	} shortest[] = {{0.1f, "0.1"},   {1.0f, "1"},       {-0.0f, "-0"},   {-2.5f, "-2.5"},
	                {100.0f, "100"}, {0.001f, "0.001"}, {1e20f, "1e20"}, {1.5e-7f, "1.5e-7"}};
	for (size_t i = 0; i < sizeof shortest / sizeof shortest[0]; ++i)
	{
		drapeNumber_Format(shortest[i].value, text);
		assert_string_equal(text, shortest[i].text);
	}
}

static void ADecimalCommaInTheLocaleChangesNothing(void** state)
{
	(void)state;
	const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
	bool found = false;
	for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; ++i)
		found = setlocale(LC_ALL, names[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0;
	if (!found)
	{
		setlocale(LC_ALL, "C");
		print_message("skipped: no locale with a decimal comma is installed\n");
		skip();
	}
	float fast = ParseNumber("1.5"), slow = ParseNumber("16777217.0000000000000000000000001"),
		  tiny = ParseNumber("1.4e-45");
	char text[NUMBER_CAPACITY];
	drapeNumber_Format(0.1f, text);
	setlocale(LC_ALL, "C");
	assert_true(fast == 1.5f && slow == 16777218.0f && tiny > 0.0f);
	assert_string_equal(text, "0.1");
}

// --- polygons ---

// Signed area by the shoelace formula, of a polygon in the plane z = 0.
static double ShoelaceArea(const drapeVec3* points, uint32_t count)
{
	double area = 0.0;
	for (uint32_t i = 0, j = count - 1; i < count; j = i++)
		area += (double)points[j].x * (double)points[i].y - (double)points[i].x * (double)points[j].y;
	return 0.5 * area;
}

// Triangulates and expects every triangle to have area of the polygon's sign and the areas to add up.
static void ExpectTriangulates(const drapeVec3* points, uint32_t count, bool expectNoEmpty)
{
	Triangulator triangulator = {0};
	assert_true(drapeTriangulator_Reserve(&triangulator, count));
	memcpy(triangulator.points, points, count * sizeof(drapeVec3));
	drapeTriangulator_Run(&triangulator, count);
	const double normal[3] = {0.0, 0.0, 1.0};
	drapeMesh mesh = {
		.positions = points, .vertexCount = count, .triangles = triangulator.corners, .triangleCount = count - 2};
	double expected = ShoelaceArea(points, count), total = 0.0, absolute = 0.0;
	for (uint32_t i = 0; i < count - 2; ++i)
	{
		double area = TriangleArea(&mesh, i, normal);
		if (expectNoEmpty)
			assert_true(area * expected > 0.0);
		total += area;
		absolute += fabs(area);
	}
	assert_true(fabs(total - expected) <= 1e-6 * fabs(expected));
	assert_true(fabs(absolute - fabs(expected)) <= 1e-6 * fabs(expected));
	drapeTriangulator_Free(&triangulator);
}

static void ConcavePolygonKeepsItsArea(void** state)
{
	(void)state;
	const drapeVec3 arrow[] = {{0, 0, 0}, {2, -1, 0}, {0.5f, 0, 0}, {2, 1, 0}};
	ExpectTriangulates(arrow, 4, true);
	const drapeVec3 spiral[] = {{0, 0, 0}, {5, 0, 0}, {5, 5, 0}, {1, 5, 0}, {1, 2, 0}, {3, 2, 0},
	                            {3, 3, 0}, {2, 3, 0}, {2, 4, 0}, {4, 4, 0}, {4, 1, 0}, {0, 1, 0}};
	ExpectTriangulates(spiral, 12, true);
	drapeVec3 clockwise[12];
	for (int i = 0; i < 12; ++i)
		clockwise[i] = spiral[11 - i];
	ExpectTriangulates(clockwise, 12, true);
}

static void ConcaveQuadIsCutInsideFromEveryStart(void** state)
{
	(void)state;
	const drapeVec3 arrow[] = {{0, 0, 0}, {2, -1, 0}, {0.5f, 0, 0}, {2, 1, 0}};
	for (int start = 0; start < 4; ++start)
	{
		drapeVec3 turned[4];
		for (int i = 0; i < 4; ++i)
			turned[i] = arrow[(start + i) % 4];
		ExpectTriangulates(turned, 4, true);
	}
}

static void PointsAlongAStraightSideGiveNoEmptyTriangle(void** state)
{
	(void)state;
	// A square with k - 1 points along each side; also where floats cannot hold the points exactly, and far away.
	for (int k = 2; k <= 9; ++k)
		for (int far = 0; far < 2; ++far)
		{
			drapeVec3 points[36];
			for (int i = 0; i < 4 * k; ++i)
			{
				float t = 0.7f * (float)(i % k) / (float)k, x[4] = {t, 0.7f, 0.7f - t, 0.0f},
					  y[4] = {0.0f, t, 0.7f, 0.7f - t};
				points[i] = (drapeVec3){x[i / k] + (far ? 100.0f : 0.0f), y[i / k], 0.0f};
			}
			ExpectTriangulates(points, (uint32_t)(4 * k), true);
		}
}

// A simple polygon around the origin: radii vary, angles increase.
static void MakeStar(drapeVec3* points, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		double angle = 6.283185307179586 * (double)i / (double)count,
			   radius = 0.1 + 0.9 * (double)Random(1000) / 1000.0;
		points[i] = (drapeVec3){(float)(radius * cos(angle)), (float)(radius * sin(angle)), 0.0f};
	}
}

static void RandomStarsKeepTheirArea(void** state)
{
	(void)state;
	drapeVec3 points[60];
	for (int i = 0; i < 3000; ++i)
	{
		uint32_t count = 5 + Random(56);
		MakeStar(points, count);
		ExpectTriangulates(points, count, true);
	}
}

static void LargePolygonsKeepTheirArea(void** state)
{
	(void)state;
	enum
	{
		count = 10000
	};
	drapeVec3* points = malloc(count * sizeof(drapeVec3));
	assert_non_null(points);
	MakeStar(points, count);
	ExpectTriangulates(points, count, false);
	// A comb: every second corner is reflex, and every ear is long.
	for (int i = 0; i < count; ++i)
		points[i] = i == 0           ? (drapeVec3){0, -1, 0}
		            : i == count - 1 ? (drapeVec3){(float)count, -1, 0}
		                             : (drapeVec3){(float)(count - i), i % 2 ? 0.0f : 1000.0f, 0};
	points[0] = (drapeVec3){(float)count, -1, 0};
	points[count - 1] = (drapeVec3){0, -1, 0};
	ExpectTriangulates(points, count, false);
	free(points);
}

static void PolygonsWithAHoleByABridgeKeepTheirArea(void** state)
{
	(void)state;
	// The bridge from the outer square to the hole is walked twice.
	const drapeVec3 points[] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
	                            {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}};
	ExpectTriangulates(points, 10, false);
}

static void HostilePolygonsStillGiveTheirTriangles(void** state)
{
	(void)state;
	Triangulator triangulator = {0};
	for (int round = 0; round < 4000; ++round)
	{
		uint32_t count = 3 + Random(30);
		assert_true(drapeTriangulator_Reserve(&triangulator, count));
		for (uint32_t i = 0; i < count; ++i)
			triangulator.points[i] = round % 4 == 0   ? (drapeVec3){0, 0, 0}
			                         : round % 4 == 1 ? (drapeVec3){(float)Random(3), (float)Random(3), 0}
			                         : round % 4 == 2 ? (drapeVec3){RandomFloat(), RandomFloat(), RandomFloat()}
			                                          : (drapeVec3){(float)Random(9), 1.0f, 0};
		drapeTriangulator_Run(&triangulator, count);
		// Each triangle takes one corner off the polygon: three different corners, every corner used.
		bool used[33] = {false};
		for (uint32_t i = 0; i < count - 2; ++i)
		{
			const uint32_t* t = &triangulator.corners[3 * i];
			assert_true(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
			for (int k = 0; k < 3; ++k)
			{
				assert_true(t[k] < count);
				used[t[k]] = true;
			}
		}
		for (uint32_t i = 0; i < count; ++i)
			assert_true(used[i]);
	}
	drapeTriangulator_Free(&triangulator);
}

static void PolygonsInSpaceKeepCornersWindingAndTexture(void** state)
{
	(void)state;
	// An L in a slanted plane; texture coordinate i and normal i belong to vertex i.
	drapeObj obj = Parse("v 0 0 0\nv 2 0 2\nv 2 1 2\nv 1 1 1\nv 1 2 1\nv 0 2 0\n"
	                     "vt 0 0\nvt 2 0\nvt 2 1\nvt 1 1\nvt 1 2\nvt 0 2\n"
	                     "vn 0 0 1\nvn 0 0 2\nvn 0 0 3\nvn 0 0 4\nvn 0 0 5\nvn 0 0 6\n"
	                     "f 1/1/1 2/2/2 3/3/3 4/4/4 5/5/5 6/6/6\n");
	assert_int_equal(obj.mesh.triangleCount, 4);
	const double normal[3] = {-sqrt(0.5), 0.0, sqrt(0.5)};
	double total = 0.0;
	for (uint32_t i = 0; i < 4; ++i)
	{
		assert_true(TriangleArea(&obj.mesh, i, normal) > 0.0);
		total += TriangleArea(&obj.mesh, i, normal);
	}
	assert_true(fabs(total - 3.0 * sqrt(2.0)) < 1e-9);
	assert_memory_equal(obj.mesh.triangles, obj.mesh.texcoordTriangles, 12 * sizeof(uint32_t));
	assert_memory_equal(obj.mesh.triangles, obj.mesh.normalTriangles, 12 * sizeof(uint32_t));
	drapeObj_Free(&obj);
}

// --- writing ---

typedef struct RandomObj
{
	drapeVec3 positions[40], normals[20];
	drapeVec2 texcoords[30];
	uint32_t triangles[180], texcoordTriangles[180], normalTriangles[180];
	drapeObjPart parts[60];
	drapeObjWriteDef def;
	drapeMesh mesh;
} RandomObj;

static void FillCorners(uint32_t* corners, uint32_t triangleCount, uint32_t elementCount)
{
	for (uint32_t i = 0; i < triangleCount; ++i)
	{
		// At least one, because an array in which none is used reads back as none.
		bool none = i > 0 && Random(3) == 0;
		for (int k = 0; k < 3; ++k)
			corners[3 * i + k] = none ? DRAPE_NONE : Random(elementCount);
	}
}

static void MakeRandomParts(RandomObj* random)
{
	static const char* const names[] = {"", "a", "left sleeve", "#x", "b\\c", "\xC3\xA4rmel"};
	uint32_t covered = 0, count = 0;
	while (covered < random->mesh.triangleCount)
	{
		uint32_t length = 1 + Random(random->mesh.triangleCount - covered);
		drapeObjPart part = {covered, length, names[Random(6)], names[Random(6)], names[Random(6)]};
		covered += length;
		drapeObjPart* last = count > 0 ? &random->parts[count - 1] : NULL;
		if (last && !strcmp(last->object, part.object) && !strcmp(last->group, part.group) &&
		    !strcmp(last->material, part.material))
			last->triangleCount += length;
		else
			random->parts[count++] = part;
	}
	random->def.parts = random->parts;
	random->def.partCount = count;
}

static void MakeRandomObj(RandomObj* random)
{
	for (int i = 0; i < 40; ++i)
		random->positions[i] = (drapeVec3){RandomFloat(), RandomFloat(), RandomFloat()};
	for (int i = 0; i < 30; ++i)
		random->texcoords[i] = (drapeVec2){RandomFloat(), RandomFloat()};
	for (int i = 0; i < 20; ++i)
		random->normals[i] = (drapeVec3){RandomFloat(), RandomFloat(), RandomFloat()};
	drapeMesh mesh = {.positions = random->positions,
	                  .vertexCount = 1 + Random(40),
	                  .triangles = random->triangles,
	                  .triangleCount = 1 + Random(60)};
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
		random->triangles[i] = Random(mesh.vertexCount);
	if (Random(2))
	{
		mesh.texcoords = random->texcoords;
		mesh.texcoordCount = 1 + Random(30);
		mesh.texcoordTriangles = random->texcoordTriangles;
		FillCorners(random->texcoordTriangles, mesh.triangleCount, mesh.texcoordCount);
	}
	if (Random(2))
	{
		mesh.normals = random->normals;
		mesh.normalCount = 1 + Random(20);
		mesh.normalTriangles = random->normalTriangles;
		FillCorners(random->normalTriangles, mesh.triangleCount, mesh.normalCount);
	}
	random->mesh = mesh;
	random->def = (drapeObjWriteDef){
		.mesh = &random->mesh, .comment = "made\nby a test", .materialLibrary = Random(2) ? "my lib.mtl" : NULL};
	if (Random(2))
		MakeRandomParts(random);
}

static void WritingThenReadingGivesTheSameMesh(void** state)
{
	(void)state;
	static RandomObj random;
	const char* path = ScratchFile("round.obj");
	for (int i = 0; i < 500; ++i)
	{
		MakeRandomObj(&random);
		drapeMessage error;
		if (drapeObj_Write(path, &random.def, &error) != drape_ok)
			fail_msg("%s", error.text);
		drapeObj obj;
		if (drapeObj_Read(path, &obj, &error) != drape_ok)
			fail_msg("%s", error.text);
		ExpectSameMesh(&obj.mesh, &random.mesh);
		const drapeObjPart whole = {0, random.mesh.triangleCount, "", "", ""};
		ExpectSameParts(obj.parts, obj.partCount, random.def.parts ? random.def.parts : &whole,
		                random.def.parts ? random.def.partCount : 1);
		assert_string_equal(obj.materialLibrary, random.def.materialLibrary ? random.def.materialLibrary : "");
		drapeObj_Free(&obj);
	}
	assert_int_equal(CountScratchFiles(), 1);
	unlink(path);
}

static const drapeVec3 onePositions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const uint32_t oneTriangle[] = {0, 1, 2};
static const drapeMesh oneMesh = {
	.positions = onePositions, .vertexCount = 3, .triangles = oneTriangle, .triangleCount = 1};

static void ExpectNotWritten(const drapeObjWriteDef* def, const char* sentence)
{
	const char* path = ScratchFile("refused.obj");
	drapeMessage error;
	assert_int_equal(drapeObj_Write(path, def, &error), drape_errorData);
	if (!strstr(error.text, sentence))
		fail_msg("'%s' does not say '%s'", error.text, sentence);
	assert_int_equal(CountScratchFiles(), 0);
}

static void MeshesThatObjCannotHoldAreNotWritten(void** state)
{
	(void)state;
	const drapeVec3 notFinite[] = {{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}};
	const uint32_t outOfRange[] = {0, 1, 3}, some[] = {0, DRAPE_NONE, 0};
	const drapeVec2 texcoord = {0, 0};
	drapeMesh mesh = oneMesh;
	drapeObjWriteDef def = {.mesh = &mesh};
	mesh.positions = notFinite;
	ExpectNotWritten(&def, "vertex 2 is not finite");
	mesh = oneMesh;
	mesh.triangles = outOfRange;
	ExpectNotWritten(&def, "triangle 1 names vertex 4 of 3");
	mesh = oneMesh;
	mesh.texcoords = &texcoord;
	mesh.texcoordCount = 1;
	mesh.texcoordTriangles = some;
	ExpectNotWritten(&def, "triangle 1 has a texture coordinate at some corners only");
	mesh = oneMesh;
	const char* const badNames[] = {"two\nlines", " blank", "blank ", "slash\\"};
	for (int i = 0; i < 4; ++i)
	{
		drapeObjPart part = {0, 1, "", badNames[i], NULL};
		def.parts = &part;
		def.partCount = 1;
		ExpectNotWritten(&def, "part 1 has a name that OBJ cannot hold");
	}
	def.parts = NULL;
	def.materialLibrary = "a\nb";
	ExpectNotWritten(&def, "material library");
}

// A full disk is played by a limit on the size of files.
static void AFailedWriteLeavesTheOldFileAndNothingElse(void** state)
{
	(void)state;
	const char* path = ScratchFile("kept.obj");
	drapeObjWriteDef def = {.mesh = &oneMesh};
	drapeMessage error;
	assert_int_equal(drapeObj_Write(path, &def, &error), drape_ok);
	size_t sizeBefore, sizeAfter;
	char* before = Slurp(path, &sizeBefore);

	enum
	{
		count = 30000
	};
	drapeVec3* positions = calloc(count, sizeof(drapeVec3));
	assert_non_null(positions);
	drapeMesh large = oneMesh;
	large.positions = positions;
	large.vertexCount = count;
	def.mesh = &large;
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit old, small;
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 100000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	drapeResult result = drapeObj_Write(path, &def, &error);
	setrlimit(RLIMIT_FSIZE, &old);

	assert_int_equal(result, drape_errorFile);
	assert_non_null(strstr(error.text, "cannot write: File too large"));
	char* after = Slurp(path, &sizeAfter);
	assert_int_equal(sizeBefore, sizeAfter);
	assert_memory_equal(before, after, sizeBefore);
	assert_int_equal(CountScratchFiles(), 1);
	unlink(path);
	free(before);
	free(after);
	free(positions);
}

static void OnlyRegularFilesAreReplaced(void** state)
{
	(void)state;
	drapeObjWriteDef def = {.mesh = &oneMesh};
	drapeMessage error;
	assert_int_equal(drapeObj_Write(Scratch(), &def, &error), drape_errorFile);
	assert_non_null(strstr(error.text, "cannot write: Is a directory"));
	assert_int_equal(drapeObj_Write("/dev/full", &def, &error), drape_errorFile);
	struct stat status;
	assert_int_equal(stat("/dev/full", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	assert_int_equal(drapeObj_Write(ScratchFile("absent/x.obj"), &def, &error), drape_errorFile);
	assert_non_null(strstr(error.text, "cannot write: No such file or directory"));
}

static void WritingKeepsLinksAndPermissions(void** state)
{
	(void)state;
	drapeObjWriteDef def = {.mesh = &oneMesh};
	const char *path = ScratchFile("real.obj"), *link = ScratchFile("link.obj");
	assert_int_equal(drapeObj_Write(path, &def, NULL), drape_ok);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(symlink("real.obj", link), 0);
	assert_int_equal(drapeObj_Write(link, &def, NULL), drape_ok);
	struct stat status;
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	unlink(link);
	unlink(path);
}

// --- large, hostile and memory ---

// Larger than any buffer, with lines across every boundary: reading in big pieces, small pieces, or a line at once.
static void LargeFilesReadTheSameFromDiskAndMemory(void** state)
{
	(void)state;
	enum
	{
		count = 60000
	};
	size_t capacity = (size_t)count * 80, used = 0;
	char* text = malloc(capacity);
	assert_non_null(text);
	for (int i = 0; i < count; ++i)
		used += (size_t)snprintf(text + used, capacity - used, "v %d.5 %u 0.%u%s\n", i, Random(1000), Random(100000),
		                         Random(9) ? "" : " # a comment of some length");
	// One polygon with all vertices, on one line of several hundred kilobytes, continued now and then.
	text[used++] = 'f';
	for (int i = 0; i < count; ++i)
		used += (size_t)snprintf(text + used, capacity - used, i % 1000 == 999 ? " %d \\\n" : " %d", i + 1);
	const char* path = ScratchFile("large.obj");
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, used, file), used);
	fclose(file);

	drapeObj fromDisk, fromMemory;
	drapeMessage error;
	if (drapeObj_Read(path, &fromDisk, &error) != drape_ok)
		fail_msg("%s", error.text);
	assert_int_equal(drapeObj_Parse(text, used, "memory", &fromMemory, &error), drape_ok);
	assert_int_equal(fromDisk.mesh.vertexCount, count);
	assert_int_equal(fromDisk.mesh.triangleCount, count - 2);
	assert_true(fromDisk.mesh.positions[count - 1].x == (float)count - 0.5f);
	ExpectSameMesh(&fromDisk.mesh, &fromMemory.mesh);
	drapeObj_Free(&fromDisk);
	drapeObj_Free(&fromMemory);
	unlink(path);
	free(text);
}

// What parses must name only what exists.
static void ExpectConsistent(const drapeObj* obj)
{
	const drapeMesh* mesh = &obj->mesh;
	assert_true(mesh->triangleCount > 0 && obj->partCount > 0);
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		assert_true(mesh->triangles[i] < mesh->vertexCount);
		if (mesh->texcoordTriangles && mesh->texcoordTriangles[i] != DRAPE_NONE)
			assert_true(mesh->texcoordTriangles[i] < mesh->texcoordCount);
		if (mesh->normalTriangles && mesh->normalTriangles[i] != DRAPE_NONE)
			assert_true(mesh->normalTriangles[i] < mesh->normalCount);
	}
}

static void ExpectParsesOrExplains(const char* text, size_t size)
{
	drapeObj obj;
	drapeMessage error;
	if (drapeObj_Parse(text, size, "t", &obj, &error) == drape_ok)
		ExpectConsistent(&obj);
	else
		assert_true(strlen(error.text) > 5 && obj.mesh.positions == NULL);
	drapeObj_Free(&obj);
}

// Calls `visit` for each file of test/data.
static void ForEachFile(void (*visit)(const char* path))
{
	DIR* directory = opendir(DATA);
	assert_non_null(directory);
	struct dirent* entry;
	int count = 0;
	while ((entry = readdir(directory)) != NULL)
	{
		size_t length = strlen(entry->d_name);
		if (length < 4 || strcmp(entry->d_name + length - 4, ".obj") != 0)
			continue;
		char path[512];
		snprintf(path, sizeof path, DATA "%s", entry->d_name);
		visit(path);
		++count;
	}
	closedir(directory);
	assert_true(count >= 5);
}

static void TruncateEverywhere(const char* path)
{
	size_t size;
	char* text = Slurp(path, &size);
	for (size_t length = 0; size < 4096 && length <= size; ++length)
		ExpectParsesOrExplains(text, length);
	free(text);
}

static void PatchEverywhere(const char* path)
{
	static const char patches[] = {0, '\n', ' ', '-', '9', '/', '\\', '#', 'f', (char)0xFF};
	size_t size;
	char* text = Slurp(path, &size);
	for (size_t i = 0; size < 4096 && i < size; ++i)
	{
		char old = text[i];
		for (size_t k = 0; k < sizeof patches; ++k)
		{
			text[i] = patches[k];
			ExpectParsesOrExplains(text, size);
		}
		text[i] = old;
	}
	free(text);
}

static void TruncatedFilesParseOrExplain(void** state)
{
	(void)state;
	ForEachFile(TruncateEverywhere);
}

static void PatchedFilesParseOrExplain(void** state)
{
	(void)state;
	ForEachFile(PatchEverywhere);
}

// Reading and writing a file with each allocation failing in turn.
static void FailEverywhere(const char* path)
{
	size_t size;
	char* text = Slurp(path, &size);
	const char* out = ScratchFile("memory.obj");
	for (size_t number = 1;; ++number)
	{
		Test_FailAllocation(number, number % 2 == 0);
		drapeObj obj;
		drapeMessage error;
		drapeResult result = drapeObj_Parse(text, size, "t", &obj, &error);
		if (result == drape_ok)
		{
			drapeObjWriteDef def = {.mesh = &obj.mesh, .parts = obj.parts, .partCount = obj.partCount};
			result = drapeObj_Write(out, &def, &error);
		}
		drapeObj_Free(&obj);
		bool reached = Test_AllocationCount() >= number;
		Test_FailAllocation(0, false);
		if (result == drape_ok)
			unlink(out);
		assert_int_equal(CountScratchFiles(), 0);
		if (!reached)
			break;
		if (result != drape_errorData)
			assert_int_equal(result, drape_errorMemory);
	}
	free(text);
}

static void EveryFailedAllocationIsReportedAndLeaksNothing(void** state)
{
	(void)state;
	size_t bytes = drapeGetMemoryUse().bytes;
	ForEachFile(FailEverywhere);
	assert_int_equal(drapeGetMemoryUse().bytes, bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryStatementIsRead),
		cmocka_unit_test(NegativeIndicesCountBackFromTheFace),
		cmocka_unit_test(FacesMayNameLaterVertices),
		cmocka_unit_test(LineEndsContinuationsAndMarksDoNotMatter),
		cmocka_unit_test(PartsAreRunsOfTheSameNames),
		cmocka_unit_test(BadTextIsRefusedWithFileAndLine),
		cmocka_unit_test(BinaryDataIsCalledByItsName),
		cmocka_unit_test(TooManyElementsAreALimitNotACrash),
		cmocka_unit_test(UnreadableFilesSayWhy),
		cmocka_unit_test(LongNamesKeepTheSentence),
		cmocka_unit_test(NumbersAreCorrectlyRounded),
		cmocka_unit_test(NumbersOfAnyLengthAreRead),
		cmocka_unit_test(WrittenNumbersReadBackToTheSameBits),
		cmocka_unit_test(ADecimalCommaInTheLocaleChangesNothing),
		cmocka_unit_test(ConcavePolygonKeepsItsArea),
		cmocka_unit_test(ConcaveQuadIsCutInsideFromEveryStart),
		cmocka_unit_test(PointsAlongAStraightSideGiveNoEmptyTriangle),
		cmocka_unit_test(RandomStarsKeepTheirArea),
		cmocka_unit_test(LargePolygonsKeepTheirArea),
		cmocka_unit_test(PolygonsWithAHoleByABridgeKeepTheirArea),
		cmocka_unit_test(HostilePolygonsStillGiveTheirTriangles),
		cmocka_unit_test(PolygonsInSpaceKeepCornersWindingAndTexture),
		cmocka_unit_test(WritingThenReadingGivesTheSameMesh),
		cmocka_unit_test(MeshesThatObjCannotHoldAreNotWritten),
		cmocka_unit_test(AFailedWriteLeavesTheOldFileAndNothingElse),
		cmocka_unit_test(OnlyRegularFilesAreReplaced),
		cmocka_unit_test(WritingKeepsLinksAndPermissions),
		cmocka_unit_test(LargeFilesReadTheSameFromDiskAndMemory),
		cmocka_unit_test(TruncatedFilesParseOrExplain),
		cmocka_unit_test(PatchedFilesParseOrExplain),
		cmocka_unit_test(EveryFailedAllocationIsReportedAndLeaksNothing),
	};
	return cmocka_run_group_tests_name("obj", tests, NULL, RemoveScratch);
}
