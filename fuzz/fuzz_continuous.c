// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "contact/narrow/continuous.h"
#include "contact/narrow/crossing.h"
#include "sweep.h"

#include <string.h>

// The bytes describe two moving triangles. Each vertex of one with the other triangle, and each pair of edges, is
// compared with brute force. Undetected elements must have stayed apart; detected ones must have stayed apart until the
// detection. If no collision is detected and the triangles did not cross before, an exact test must find no crossing
// afterwards.

const char* const fuzzDictionary[] = {
	"\x04\x04\x04\x05\x04\x04\x04\x05\x04", // a triangle of small whole numbers
	"\x04\x04\x05\x05\x04\x05\x04\x05\x05", // the same, higher
	"\x00\x00\x80\x7f",                     // as a float: infinity
	"\x01\x00\x00\x00",                     // the smallest
	"\xcd\xcc\xcc\x3d",
	"\x00\x00\x80\x3f",
	NULL,
};

typedef struct Input
{
	const uint8_t* data;
	size_t size, at;
} Input;

static uint8_t Byte(Input* input)
{
	return input->at < input->size ? input->data[input->at++] : 4;
}

// Whole numbers, so that determinants vanish, or halves with some noise, or any float.
static float Coordinate(Input* input, int mode)
{
	if (mode < 2)
		return (float)(Byte(input) % 9) - 4.0f;
	if (mode == 2)
	{
		float coarse = 0.5f * (float)(Byte(input) % 9);
		return coarse + ldexpf((float)Byte(input), -28);
	}
	uint32_t bits = 0;
	for (int i = 0; i < 4; ++i)
		bits |= (uint32_t)Byte(input) << (8 * i);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static bool IsFinite(const Sweep* sweep)
{
	for (int i = 0; i < 4; ++i)
	{
		if (!V3IsFinite(sweep->from[i]) || !V3IsFinite(sweep->to[i]))
			return false;
	}
	return true;
}

// Returns true if a collision is detected.
static bool Check(const Sweep* sweep, float gap)
{
	Impact impact;
	bool isHit = sweep->isEdges ? drapeContinuous_EdgeEdge(sweep->from, sweep->to, 0.0f, gap, &impact)
	                            : drapeContinuous_VertexTriangle(sweep->from, sweep->to, 0.0f, gap, &impact);
	if (isHit)
	{
		FUZZ_CHECK(impact.time >= 0.0f && impact.time <= 1.0f);
		FUZZ_CHECK(fabsf(V3Length(impact.normal) - 1.0f) < 1e-5f);
		const float* w = impact.weight;
		FUZZ_CHECK(fabsf(w[0] + w[1] + w[2] + w[3]) < 1e-6f);
	}
	if (!IsFinite(sweep))
	{
		FUZZ_CHECK(isHit && impact.time <= 0.0f);
		return true;
	}
	long double extent = Sweep_Extent(sweep), rounding = 0x1p-50L * extent;
	long double floor = fminl((long double)gap, 0.9L * Sweep_Distance(sweep, 0.0L));
	SweepLeast least = Sweep_FindLeast(sweep, isHit ? (long double)impact.time : 1.0L, 1e-6L * extent);
	FUZZ_CHECK(least.distance >= (isHit ? floor - rounding : fmaxl(floor, 2.0L * rounding) - rounding));
	return isHit;
}

typedef struct Triangle
{
	Vec3 from[3], to[3];
} Triangle;

static bool CheckVertices(const Triangle* a, const Triangle* b, float gap)
{
	bool isHit = false;
	for (int i = 0; i < 3; ++i)
	{
		Sweep sweep = {.from = {a->from[i], b->from[0], b->from[1], b->from[2]},
		               .to = {a->to[i], b->to[0], b->to[1], b->to[2]}};
		isHit |= Check(&sweep, gap);
	}
	return isHit;
}

static bool CheckEdges(const Triangle* a, const Triangle* b, float gap)
{
	bool isHit = false;
	for (int i = 0; i < 9; ++i)
	{
		int p = i % 3, q = (p + 1) % 3, r = i / 3, s = (r + 1) % 3;
		Sweep sweep = {.from = {a->from[p], a->from[q], b->from[r], b->from[s]},
		               .to = {a->to[p], a->to[q], b->to[r], b->to[s]},
		               .isEdges = true};
		isHit |= Check(&sweep, gap);
	}
	return isHit;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	Input input = {.data = data, .size = size};
	int mode = Byte(&input) % 4;
	float gap = ldexpf((float)Byte(&input), -8 - (Byte(&input) & 15));
	Triangle triangles[2];
	for (int i = 0; i < 36; ++i)
	{
		Triangle* triangle = &triangles[i / 18];
		Vec3* corner = i % 18 < 9 ? &triangle->from[i % 9 / 3] : &triangle->to[i % 9 / 3];
		*(i % 3 == 0 ? &corner->x : i % 3 == 1 ? &corner->y : &corner->z) = Coordinate(&input, mode);
	}
	const Triangle *a = &triangles[0], *b = &triangles[1];
	bool isHit = CheckVertices(a, b, gap);
	isHit |= CheckVertices(b, a, gap);
	isHit |= CheckEdges(a, b, gap);
	if (!isHit && !drapeCrossing_TriangleTriangle(a->from, b->from))
		FUZZ_CHECK(!drapeCrossing_TriangleTriangle(a->to, b->to));
	return 0;
}
