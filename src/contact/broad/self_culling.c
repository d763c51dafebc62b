// SPDX-License-Identifier: MIT
#include "contact/broad/bvh_inner.h"

// The calm regions of calm.h, on the blocks of a tree.

enum
{
	markNodes = 16, // of a chunk
	patchNodes = 8, // likewise
};

// --- blocks of primitives ------------------------------------------------------------------------------------------------

DRAPE_INLINE float Least(float a, float b, float c)
{
	float least = a < b ? a : b;
	return c < least ? c : least;
}

static void PlaceLane(Bvh* bvh, const Vec4* corner, uint32_t block, uint32_t lane)
{
	float* rows = bvh->calm.place.data + (size_t)block * cullingChartRows * 8 + lane;
	float* inverse = bvh->calm.inverse.data + (size_t)block * 32 + lane;
	rows[0] = Least(corner[0].x, corner[1].x, corner[2].x);
	rows[8] = -Least(-corner[0].x, -corner[1].x, -corner[2].x);
	rows[16] = Least(corner[0].y, corner[1].y, corner[2].y);
	rows[24] = -Least(-corner[0].y, -corner[1].y, -corner[2].y);
	rows[32] = rows[40] = corner[0].z;
	rows[48] = rows[56] = corner[0].w;
	Vec2 e1 = {corner[1].x - corner[0].x, corner[1].y - corner[0].y};
	Vec2 e2 = {corner[2].x - corner[0].x, corner[2].y - corner[0].y};
	float determinant = V2Cross(e1, e2), scale = 1.0f / determinant;
	// Without a deformation nothing is calm.
	bool good = determinant > 0.0f && isfinite(scale);
	inverse[0] = good ? e2.y * scale : 0.0f;
	inverse[8] = good ? -e2.x * scale : 0.0f;
	inverse[16] = good ? -e1.y * scale : 0.0f;
	inverse[24] = good ? e1.x * scale : 0.0f;
}

void drapeSelfCulling_Place(Bvh* bvh, const Charts* charts, uint32_t start, uint32_t end)
{
	for (uint32_t block = start; block < end; ++block)
	{
		for (uint32_t lane = 0; lane < MinU32(8, bvh->primitiveCount - 8 * block); ++lane)
			PlaceLane(bvh, charts->place.data + 3 * (size_t)bvh->order.data[8 * block + lane], block, lane);
	}
}

// F of eight triangles, added to the intervals.
static void AddStrain(const Vec4* positions, const uint32_t* corners, const float* inverse, F8* low, F8* high)
{
	V8 origin = V8_Gather(positions, corners);
	V8 e1 = V8_Sub(V8_Gather(positions, corners + 8), origin);
	V8 e2 = V8_Sub(V8_Gather(positions, corners + 16), origin);
	V8 u = V8_Add(V8_Scale(F8_Load(inverse), e1), V8_Scale(F8_Load(inverse + 16), e2));
	V8 v = V8_Add(V8_Scale(F8_Load(inverse + 8), e1), V8_Scale(F8_Load(inverse + 24), e2));
	const F8 part[6] = {u.x, u.y, u.z, v.x, v.y, v.z};
	for (int i = 0; i < 6; ++i)
	{
		low[i] = F8_Min(low[i], part[i]);
		high[i] = F8_Max(high[i], part[i]);
	}
}

void drapeSelfCulling_Strain(Bvh* bvh, const Primitives* primitives, uint32_t block)
{
	const uint32_t* corners = bvh->corners.data + (size_t)block * 24;
	const float* inverse = bvh->calm.inverse.data + (size_t)block * 32;
	float* rows = bvh->calm.strain.data + (size_t)block * cullingStrainRows * 8;
	uint32_t used = MinU32(8, bvh->primitiveCount - 8 * block);
	F8 low[6], high[6];
	for (int i = 0; i < 6; ++i)
	{
		low[i] = F8_Splat(INFINITY);
		high[i] = F8_Splat(-INFINITY);
	}
	AddStrain(primitives->to, corners, inverse, low, high);
	if (primitives->from != primitives->to)
		AddStrain(primitives->from, corners, inverse, low, high);
	for (int i = 0; i < 6; ++i)
	{
		F8_Store(rows + 16 * i, low[i]);
		F8_Store(rows + 16 * i + 8, high[i]);
	}
	for (uint32_t lane = used; lane < 8; ++lane)
	{
		for (uint32_t i = 0; i < 6; ++i)
		{
			rows[16 * i + lane] = INFINITY;
			rows[16 * i + 8 + lane] = -INFINITY;
		}
	}
}

// --- regions --------------------------------------------------------------------------------------------------------

// A rectangle of one chart, and the B that its triangles are held against.
typedef struct Region
{
	float low[3], high[3]; // u, v, chart
	float b[6];            // column by column
	float least;           // the smallest eigenvalue that is calm
} Region;

static void Region_SetB(Region* region, const float* b)
{
	double uu = 0.0, vv = 0.0, uv = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		region->b[i] = b[i];
		region->b[i + 3] = b[i + 3];
		uu += (double)b[i] * (double)b[i];
		vv += (double)b[i + 3] * (double)b[i + 3];
		uv += (double)b[i] * (double)b[i + 3];
	}
	double largest = 0.5 * (uu + vv) + sqrt(0.25 * (uu - vv) * (uu - vv) + uv * uv);
	region->least = CULLING_RATIO * (float)sqrt(largest);
}

// Lanes whose every F has, with B, eigenvalues of at least `least`. Products are intervals; of the matrix
// [uu uv; uv vv] the diagonal is taken as small and the rest as large as it can be.
static M8 HoldsAgainst(const Region* region, const float* rows)
{
	const F8 half = F8_Splat(0.5f);
	F8 uu = F8_Splat(0.0f), vv = uu, uv = uu, spread = uu;
	for (int i = 0; i < 3; ++i)
	{
		const float *u = rows + 16 * i, *v = rows + 16 * (i + 3);
		F8 uMiddle = F8_Mul(half, F8_Add(F8_Load(u), F8_Load(u + 8)));
		F8 vMiddle = F8_Mul(half, F8_Add(F8_Load(v), F8_Load(v + 8)));
		F8 uHalf = F8_Mul(half, F8_Sub(F8_Load(u + 8), F8_Load(u)));
		F8 vHalf = F8_Mul(half, F8_Sub(F8_Load(v + 8), F8_Load(v)));
		F8 bu = F8_Splat(region->b[i]), bv = F8_Splat(region->b[i + 3]);
		F8 absU = F8_Abs(bu), absV = F8_Abs(bv);
		uu = F8_Add(uu, F8_Sub(F8_Mul(bu, uMiddle), F8_Mul(absU, uHalf)));
		vv = F8_Add(vv, F8_Sub(F8_Mul(bv, vMiddle), F8_Mul(absV, vHalf)));
		uv = F8_Add(uv, F8_Add(F8_Mul(bu, vMiddle), F8_Mul(bv, uMiddle)));
		spread = F8_Add(spread, F8_Add(F8_Mul(absU, vHalf), F8_Mul(absV, uHalf)));
	}
	F8 off = F8_Mul(half, F8_Add(F8_Abs(uv), spread));
	F8 mean = F8_Mul(half, F8_Add(uu, vv)), difference = F8_Mul(half, F8_Sub(uu, vv));
	F8 root = F8_Sqrt(F8_Add(F8_Mul(difference, difference), F8_Mul(off, off)));
	return F8_Le(F8_Splat(region->least), F8_Sub(mean, root));
}

// Lanes that reach into the region and do not hold. NaN does not hold.
static uint32_t Disturbs(const Bvh* bvh, const Region* region, uint32_t level, uint32_t block)
{
	size_t index = bvh->firstBlock[level] + block;
	const float* place = bvh->calm.place.data + index * cullingChartRows * 8;
	uint32_t lanes = Bvh_Overlaps(place, 3, region->low, region->high);
	if (lanes == 0)
		return 0;
	M8 whole = F8_Le(F8_Load(place + 56), F8_Splat(0.0f));
	M8 holds = HoldsAgainst(region, bvh->calm.strain.data + index * cullingStrainRows * 8);
	return lanes & ~M8_Bits(M8_And(whole, holds));
}

static bool Region_IsCulled(const Bvh* bvh, const Region* region)
{
	BvhNode stack[bvhStack];
	uint32_t depth = 0;
	stack[depth++] = Bvh_Root(bvh);
	while (depth > 0)
	{
		uint32_t block;
		BvhNode node = stack[--depth];
		uint32_t lanes = Bvh_Children(bvh, node, &block);
		lanes &= Disturbs(bvh, region, node.level - 1, block);
		if (lanes != 0 && node.level == 1)
			return false;
		while (lanes != 0)
			stack[depth++] = (BvhNode){node.level - 1, 8 * block + TakeBit(&lanes)};
	}
	return true;
}

static bool IsNodeCulled(const Bvh* bvh, uint32_t level, uint32_t node)
{
	uint32_t lane = node % 8;
	size_t block = bvh->firstBlock[level] + node / 8;
	const float* place = bvh->calm.place.data + block * cullingChartRows * 8 + lane;
	const float* strain = bvh->calm.strain.data + block * cullingStrainRows * 8;
	Region region;
	float b[6];
	for (uint32_t i = 0; i < 3; ++i)
	{
		region.low[i] = place[16 * i];
		region.high[i] = place[16 * i + 8];
	}
	for (uint32_t i = 0; i < 6; ++i)
		b[i] = 0.5f * (strain[16 * i + lane] + strain[16 * i + 8 + lane]);
	if (!(place[56] <= 0.0f) || region.low[2] != region.high[2])
		return false;
	Region_SetB(&region, b);
	// B near zero would call everything calm. Parts of the node may hold where its intervals as a whole do not.
	return region.least > 0x1p-20f && Region_IsCulled(bvh, &region);
}

typedef struct MarkLoop
{
	Bvh* bvh;
	uint32_t level;
} MarkLoop;

static void MarkTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const MarkLoop* loop = taskContext;
	const Bvh* bvh = loop->bvh;
	uint32_t level = loop->level;
	uint8_t* isCulled = bvh->calm.isCulled.data + 8 * (size_t)bvh->firstBlock[level];
	for (uint32_t node = start; node < end; ++node)
	{
		bool above = level + 1 < bvh->levelCount && SelfCulling_Is(bvh, level + 1, node >> bvh->shift);
		isCulled[node] = above || IsNodeCulled(bvh, level, node);
	}
}

void drapeSelfCulling_Mark(Bvh* bvh, TaskPool* tasks)
{
	// The root is asked in any case, so that self pairs need not know about small trees.
	uint32_t last = MinU32(SelfCulling_FirstLevel(bvh), bvh->levelCount - 1);
	for (uint32_t level = bvh->levelCount; level-- > last;)
	{
		MarkLoop loop = {bvh, level};
		drapeTaskPool_For(tasks, bvh->nodeCount[level], markNodes, MarkTask, &loop);
	}
}

// --- patches --------------------------------------------------------------------------------------------------------

typedef struct PatchLoop
{
	const Bvh* bvh;
	uint32_t level; // of the nodes that are asked
	uint32_t* patch;
} PatchLoop;

static void PatchTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const PatchLoop* loop = taskContext;
	const Bvh* bvh = loop->bvh;
	for (uint32_t node = start; node < end; ++node)
	{
		// Whatever is below a calm node is calm: the uppermost one is the patch.
		uint32_t level = loop->level, top = node, span = bvh->shift * level, patch = DRAPE_NONE;
		for (; level < bvh->levelCount && SelfCulling_Is(bvh, level, top); ++level, top >>= bvh->shift)
			patch = 8 * bvh->firstBlock[level] + top;
		uint32_t last = MinU32(bvh->primitiveCount, (node + 1) << span);
		for (uint32_t place = node << span; place < last; ++place)
			loop->patch[bvh->order.data[place]] = patch;
	}
}

void drapeBvh_FindCulledPatches(const Bvh* bvh, uint32_t* patch, TaskPool* tasks)
{
	DRAPE_ASSERT(bvh->hasCharts || bvh->primitiveCount == 0);
	if (bvh->primitiveCount == 0)
		return;
	PatchLoop loop = {bvh, MinU32(SelfCulling_FirstLevel(bvh), bvh->levelCount - 1), patch};
	drapeTaskPool_For(tasks, bvh->nodeCount[loop.level], patchNodes, PatchTask, &loop);
}
