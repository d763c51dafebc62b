// SPDX-License-Identifier: MIT
#include "program.h"

#include "drape/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// PLY and PC2 files, byte by byte.

static const drapeVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};

static drapeResult Append(const char* path, uint32_t index, float shift, drapeMessage* error)
{
	drapeVec3 moved[4];
	for (int i = 0; i < 4; ++i)
		moved[i] = (drapeVec3){points[i].x + shift, points[i].y, points[i].z};
	drapePc2Sample sample = {.index = index, .firstFrame = 1.0f, .points = moved, .pointCount = 4};
	return drapePc2_Append(path, &sample, error);
}

static uint32_t SampleCount(const char* path, size_t* size)
{
	char* bytes = Program_ReadFile(path, size);
	uint32_t count;
	memcpy(&count, bytes + 28, sizeof count);
	free(bytes);
	return count;
}

static void APointCacheGrowsSampleBySample(void** state)
{
	(void)state;
	const char* path = Program_Scratch("a.pc2");
	size_t size;
	for (uint32_t i = 0; i < 3; ++i)
	{
		assert_int_equal(Append(path, i, (float)i, NULL), drape_ok);
		assert_int_equal(SampleCount(path, &size), i + 1);
		assert_int_equal(size, 32 + (i + 1) * 48);
	}
	char* bytes = Program_ReadFile(path, &size);
	float x;
	memcpy(&x, bytes + 32 + 2 * 48 + 12, sizeof x);
	assert_true(x == 3.0f);
	free(bytes);
	unlink(path);
}

static void ASampleWrittenAgainCutsOffWhatFollows(void** state)
{
	(void)state;
	const char* path = Program_Scratch("b.pc2");
	size_t size;
	for (uint32_t i = 0; i < 5; ++i)
		assert_int_equal(Append(path, i, 0.0f, NULL), drape_ok);
	assert_int_equal(Append(path, 2, 7.0f, NULL), drape_ok);
	assert_int_equal(SampleCount(path, &size), 3);
	assert_int_equal(size, 32 + 3 * 48);
	assert_int_equal(Append(path, 0, 7.0f, NULL), drape_ok);
	assert_int_equal(SampleCount(path, &size), 1);
	unlink(path);
}

static void ASampleNeedsThoseBeforeIt(void** state)
{
	(void)state;
	const char* path = Program_Scratch("c.pc2");
	drapeMessage error;
	assert_int_equal(Append(path, 1, 0.0f, &error), drape_errorFile);
	assert_int_equal(Append(path, 0, 0.0f, &error), drape_ok);
	assert_int_equal(Append(path, 2, 0.0f, &error), drape_errorData);
	Program_ExpectHas(error.text, "has not the 2 samples of 4 points that come first");
	drapePc2Sample fewer = {.index = 1, .firstFrame = 1.0f, .points = points, .pointCount = 3};
	assert_int_equal(drapePc2_Append(path, &fewer, &error), drape_errorData);
	unlink(path);
}

static void APlyFileHasItsHeaderAndItsBytes(void** state)
{
	(void)state;
	const char* path = Program_Scratch("a.ply");
	const drapeVec3 up[4] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
	const drapeVec2 texcoords[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
	drapePlyWriteDef def = {.positions = points,
	                        .normals = up,
	                        .texcoords = texcoords,
	                        .vertexCount = 4,
	                        .triangles = corners,
	                        .triangleCount = 2,
	                        .comment = "square"};
	assert_int_equal(drapePly_Write(path, &def, NULL), drape_ok);
	size_t size;
	char* bytes = Program_ReadFile(path, &size);
	Program_ExpectHas(bytes, "ply\nformat binary_little_endian 1.0\ncomment square\nelement vertex 4\n");
	Program_ExpectHas(bytes, "property float nx\n");
	Program_ExpectHas(bytes, "property float s\nproperty float t\nelement face 2\n");
	const char* body = strstr(bytes, "end_header\n") + 11;
	assert_int_equal((size_t)(bytes + size - body), 4 * 32 + 2 * 13);
	assert_memory_equal(body + 32, &points[1], sizeof points[1]);
	assert_memory_equal(body + 32 + 24, &texcoords[1], sizeof texcoords[1]);
	assert_int_equal(body[4 * 32], 3);
	assert_memory_equal(body + 4 * 32 + 1, corners, 12);
	free(bytes);
	unlink(path);
}

static void APlyFileIsRefusedWhatItCannotHold(void** state)
{
	(void)state;
	const char* path = Program_Scratch("b.ply");
	drapeMessage error;
	drapePlyWriteDef def = {.positions = points, .vertexCount = 3, .triangles = corners, .triangleCount = 2};
	assert_int_equal(drapePly_Write(path, &def, &error), drape_errorData);
	Program_ExpectHas(error.text, "triangle 2 names vertex 3 of 3");
	const drapeVec3 bad[4] = {{0, 0, 0}, {NAN, 0, 0}};
	def = (drapePlyWriteDef){.positions = bad, .vertexCount = 4, .triangles = corners, .triangleCount = 2};
	assert_int_equal(drapePly_Write(path, &def, &error), drape_errorData);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(APointCacheGrowsSampleBySample),    cmocka_unit_test(ASampleWrittenAgainCutsOffWhatFollows),
		cmocka_unit_test(ASampleNeedsThoseBeforeIt),         cmocka_unit_test(APlyFileHasItsHeaderAndItsBytes),
		cmocka_unit_test(APlyFileIsRefusedWhatItCannotHold),
	};
	return cmocka_run_group_tests_name("caches", tests, NULL, NULL);
}
