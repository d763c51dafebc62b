// SPDX-License-Identifier: MIT
#include "contact/broad/order.h"

#include <string.h>

enum
{
	keyGrain = 1024, // primitives per chunk
	radixBits = 11,
	radixPasses = 3, // the upper 32 bits
	radixSize = 1 << radixBits,
	splitRanges = 64, // processed in parallel
};

// --- curves ---------------------------------------------------------------------------------------------------------

typedef struct CentreBox
{
	Vec3 low, high;
} CentreBox;

// Written out, because fminf is a call. NaN coordinates are ignored.
DRAPE_INLINE void CentreBox_Add(CentreBox* box, Vec4 c)
{
	box->low.x = c.x < box->low.x ? c.x : box->low.x;
	box->low.y = c.y < box->low.y ? c.y : box->low.y;
	box->low.z = c.z < box->low.z ? c.z : box->low.z;
	box->high.x = c.x > box->high.x ? c.x : box->high.x;
	box->high.y = c.y > box->high.y ? c.y : box->high.y;
	box->high.z = c.z > box->high.z ? c.z : box->high.z;
}

static CentreBox BoxOf(const Vec4* centres, uint32_t count)
{
	CentreBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	for (uint32_t i = 0; i < count; ++i)
	{
		CentreBox_Add(&box, centres[i]);
	}
	return box;
}

// Returns the step along a side of the cube; NaN gives 0.
static uint32_t Quantise(float x, float low, float stepsPerMetre, float last)
{
	float steps = (x - low) * stepsPerMetre;
	return steps > 0.0f ? (uint32_t)(steps < last ? steps : last) : 0;
}

static float StepsPerMetre(float size, float last)
{
	return size > 0.0f ? last / size : 0.0f;
}

// Ten bits, each followed by two zeros.
static uint32_t SpreadByTwo(uint32_t x)
{
	x = (x | x << 16) & 0x030000ff;
	x = (x | x << 8) & 0x0300f00f;
	x = (x | x << 4) & 0x030c30c3;
	return (x | x << 2) & 0x09249249;
}

// Twelve bits, each followed by a zero.
static uint32_t SpreadByOne(uint32_t x)
{
	x = (x | x << 8) & 0x00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f;
	x = (x | x << 2) & 0x33333333;
	return (x | x << 1) & 0x55555555;
}

typedef struct KeyLoop
{
	uint64_t* keys;
	const Vec4* centres;
	Vec3 low;
	float steps;
} KeyLoop;

static void MortonTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const KeyLoop* loop = taskContext;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec4 c = loop->centres[i];
		uint32_t x = Quantise(c.x, loop->low.x, loop->steps, 1023.0f);
		uint32_t y = Quantise(c.y, loop->low.y, loop->steps, 1023.0f);
		uint32_t z = Quantise(c.z, loop->low.z, loop->steps, 1023.0f);
		loop->keys[i] = (uint64_t)(SpreadByTwo(x) | SpreadByTwo(y) << 1 | SpreadByTwo(z) << 2) << 32 | i;
	}
}

void drapeOrder_MortonKeys(uint64_t* keys, const Vec4* centres, uint32_t count, TaskPool* tasks)
{
	CentreBox box = BoxOf(centres, count);
	Vec3 size = V3Sub(box.high, box.low);
	KeyLoop loop = {keys, centres, box.low, StepsPerMetre(MaxNumF(size.x, MaxNumF(size.y, size.z)), 1023.0f)};
	drapeTaskPool_For(tasks, count, keyGrain, MortonTask, &loop);
}

void drapeOrder_ChartKeys(uint64_t* keys, const Vec4* centres, uint32_t count)
{
	CentreBox box = BoxOf(centres, count);
	Vec3 size = V3Sub(box.high, box.low);
	float steps = StepsPerMetre(MaxNumF(size.x, size.y), 4095.0f);
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec4 c = centres[i];
		uint32_t u = Quantise(c.x, box.low.x, steps, 4095.0f);
		uint32_t v = Quantise(c.y, box.low.y, steps, 4095.0f);
		DRAPE_ASSERT(c.z >= 0.0f && c.z < (float)orderMaxCharts);
		keys[i] = (uint64_t)((uint32_t)c.z << 24 | SpreadByOne(u) | SpreadByOne(v) << 1) << 32 | i;
	}
}

// Radix sort, from the lowest digit. Primitives with equal sort values stay in ascending order.
void drapeOrder_Sort(uint64_t* keys, uint64_t* spare, uint32_t count)
{
	uint32_t starts[radixPasses][radixSize] = {0};
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t pass = 0; pass < radixPasses; ++pass)
			starts[pass][keys[i] >> (32 + pass * radixBits) & (radixSize - 1)]++;
	}
	uint64_t *source = keys, *target = spare;
	for (uint32_t pass = 0; pass < radixPasses; ++pass)
	{
		uint32_t sum = 0, shift = 32 + pass * radixBits;
		for (uint32_t digit = 0; digit < radixSize; ++digit)
		{
			uint32_t size = starts[pass][digit];
			starts[pass][digit] = sum;
			sum += size;
		}
		for (uint32_t i = 0; i < count; ++i)
			target[starts[pass][source[i] >> shift & (radixSize - 1)]++] = source[i];
		uint64_t* swap = source;
		source = target;
		target = swap;
	}
	if (source != keys)
		memcpy(keys, source, count * sizeof(uint64_t));
}

// --- halves ---------------------------------------------------------------------------------------------------------

uint32_t drapeOrder_SortableBits(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static uint64_t MiddleOf(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;
	return c < low ? low : c > high ? high : c;
}

// Partitions the keys so that all before `middle` are smaller than all after it. All keys differ. Pivots are
// pseudo-random, so that no input is bad for long.
static void Select(uint64_t* keys, uint32_t count, uint32_t middle)
{
	DRAPE_ASSERT(count > 0 && middle < count);
	uint32_t low = 0, high = count - 1, dice = 12345;
	while (low < high)
	{
		uint32_t span = high - low + 1;
		uint64_t picks[3];
		for (int i = 0; i < 3; ++i)
		{
			dice = dice * 1664525u + 1013904223u;
			picks[i] = keys[low + (uint32_t)((uint64_t)dice * span >> 32)];
		}
		uint64_t pivot = MiddleOf(picks[0], picks[1], picks[2]);
		uint32_t i = low, j = high;
		while (i <= j)
		{
			while (keys[i] < pivot)
				i++;
			while (keys[j] > pivot)
				j--;
			if (i <= j)
			{
				uint64_t swap = keys[i];
				keys[i++] = keys[j];
				keys[j] = swap;
				if (j-- == 0)
					break;
			}
		}
		if (middle < i && (j == UINT32_MAX || middle > j))
			return;
		if (middle >= i)
			low = i;
		else
			high = j;
	}
}

typedef struct SplitRange
{
	uint32_t first, count;
	uint32_t unit; // primitives of the largest node that fits
} SplitRange;

typedef struct SplitLoop
{
	uint64_t* keys;
	const Vec4* centres;
	uint32_t shift;
	SplitRange* ranges; // [2 * splitRanges]
} SplitLoop;

static float Along(Vec4 c, uint32_t axis)
{
	return axis == 0 ? c.x : axis == 1 ? c.y : c.z;
}

// Splits the range in two. The second part is empty when the range is small enough.
static void SplitInTwo(const SplitLoop* loop, SplitRange range, SplitRange* left, SplitRange* right)
{
	*left = range;
	*right = (SplitRange){0};
	if (range.count <= 1u << loop->shift)
		return;
	uint64_t* keys = loop->keys + range.first;
	CentreBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	for (uint32_t i = 0; i < range.count; ++i)
	{
		CentreBox_Add(&box, loop->centres[(uint32_t)keys[i]]);
	}
	Vec3 size = V3Sub(box.high, box.low);
	uint32_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
	for (uint32_t i = 0; i < range.count; ++i)
	{
		uint32_t primitive = (uint32_t)keys[i];
		keys[i] = (uint64_t)drapeOrder_SortableBits(Along(loop->centres[primitive], axis)) << 32 | primitive;
	}
	while (range.unit >= range.count)
		range.unit >>= loop->shift;
	uint32_t nodes = TaskPool_ChunkCount(range.count, range.unit);
	uint32_t middle = range.unit * (nodes - nodes / 2);
	Select(keys, range.count, middle);
	*left = (SplitRange){range.first, middle, range.unit};
	*right = (SplitRange){range.first + middle, range.count - middle, range.unit};
}

static void SplitDown(const SplitLoop* loop, SplitRange range)
{
	for (;;)
	{
		SplitRange left, right;
		SplitInTwo(loop, range, &left, &right);
		if (right.count == 0)
			return;
		SplitDown(loop, left);
		range = right;
	}
}

static void SplitOnceTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const SplitLoop* loop = taskContext;
	SplitRange* ranges = loop->ranges;
	for (uint32_t i = start; i < end; ++i)
		SplitInTwo(loop, ranges[i], &ranges[i], &ranges[i + splitRanges]);
}

static void SplitDownTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const SplitLoop* loop = taskContext;
	for (uint32_t i = start; i < end; ++i)
		SplitDown(loop, loop->ranges[i]);
}

void drapeOrder_Split(uint64_t* keys, const Vec4* centres, uint32_t count, uint32_t shift, TaskPool* tasks)
{
	DRAPE_ASSERT(shift >= 1 && shift <= 3 && count <= DRAPE_MAX_ELEMENTS);
	SplitRange ranges[2 * splitRanges] = {{0, count, 1}};
	SplitLoop loop = {keys, centres, shift, ranges};
	while (ranges[0].unit < count && ranges[0].unit <= DRAPE_MAX_ELEMENTS >> shift)
		ranges[0].unit <<= shift;
	uint32_t rangeCount = 1;
	while (2 * rangeCount <= splitRanges)
	{
		uint32_t grown = rangeCount;
		drapeTaskPool_For(tasks, rangeCount, 1, SplitOnceTask, &loop);
		for (uint32_t i = 0; i < rangeCount; ++i)
		{
			if (ranges[i + splitRanges].count > 0)
				ranges[grown++] = ranges[i + splitRanges];
		}
		if (grown == rangeCount)
			break;
		rangeCount = grown;
	}
	drapeTaskPool_For(tasks, rangeCount, 1, SplitDownTask, &loop);
}
