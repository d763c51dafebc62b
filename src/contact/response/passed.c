// SPDX-License-Identifier: MIT
#include "contact/response/passed.h"

#include "mesh/geometry.h"

// All parts are solid again so long after the cloth was pinched, or a part was buried, last, s.
static const float forgetAfter = 0.25f;

// Cloth that crosses meshes for so long is impaled, s, and has so long to come free.
static const float impaledAfter = 0.2f, impaledTime = 0.4f;

// A vertex is buried when the point so far above it, m, is inside its mesh.
static const float above = 1e-3f;

void drapePassed_Destroy(PassedVertices* passed)
{
	ArrayFree(&passed->list);
	ArrayFree(&passed->start);
	ArrayFree(&passed->group);
	ArrayFree(&passed->next);
	BitSet_Free(&passed->bits);
	*passed = (PassedVertices){0};
}

void drapePassed_ForgetCollider(PassedVertices* passed, uint32_t slot)
{
	uint32_t kept = 0;
	DRAPE_ASSERT(slot != DRAPE_NONE);
	for (uint32_t i = 0; i < passed->list.count; ++i)
	{
		if (passed->list.data[i].slot != slot)
			passed->list.data[kept++] = passed->list.data[i];
	}
	passed->list.count = kept;
}

// --- the step -------------------------------------------------------------------------------------------------------

static uint32_t FindMesh(const MeshCollider* meshes, uint32_t meshCount, uint32_t slot)
{
	for (uint32_t i = 0; i < meshCount; ++i)
	{
		if (meshes[i].slot == slot)
			return i;
	}
	return DRAPE_NONE;
}

static bool ReserveBits(PassedVertices* passed)
{
	if (passed->isAny)
		return true;
	if (!BitSet_Reserve(&passed->bits, passed->bitCount))
		return false;
	BitSet_ClearAll(&passed->bits, passed->bitCount);
	passed->isAny = true;
	return true;
}

bool drapePassed_Begin(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount)
{
	passed->isAny = passed->isBuried = passed->hasNext = false;
	passed->bitCount = 0;
	if (!ArrayReserve(&passed->start, meshCount))
		return false;
	passed->start.count = meshCount;
	for (uint32_t i = 0; i < meshCount; ++i)
	{
		passed->start.data[i] = passed->bitCount;
		passed->bitCount += meshes[i].shape->vertexCount;
	}
	if (passed->list.count == 0)
		return true;
	if (!ReserveBits(passed))
		return false;
	for (uint32_t i = 0; i < passed->list.count; ++i)
	{
		const PassedVertex* vertex = &passed->list.data[i];
		uint32_t mesh = FindMesh(meshes, meshCount, vertex->slot);
		if (mesh != DRAPE_NONE && vertex->vertex < meshes[mesh].shape->vertexCount)
			BitSet_Set(&passed->bits, passed->start.data[mesh] + vertex->vertex);
	}
	return true;
}

bool drapePassed_Add(PassedVertices* passed, uint32_t mesh, uint32_t vertex)
{
	DRAPE_ASSERT(mesh < passed->start.count && passed->start.data[mesh] + vertex < passed->bitCount);
	if (!ReserveBits(passed))
		return false;
	BitSet_Flip(&passed->bits, passed->start.data[mesh] + vertex);
	return true;
}

void drapePassed_End(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount, const PassedStep* step)
{
	DRAPE_ASSERT(step->dt > 0.0f);
	passed->nextLeft = MaxF(passed->left - step->dt, step->isPinched || passed->isBuried ? forgetAfter : 0.0f);
	bool isCounted = passed->crossedFor < 0.0f || (step->isCrossed && !step->isPinched);
	passed->nextCrossedFor = isCounted ? passed->crossedFor + step->dt : 0.0f;
	passed->next.count = 0;
	passed->hasNext = true;
	if (!passed->isAny || passed->nextLeft == 0.0f ||
	    !ArrayReserve(&passed->next, BitSet_CountSet(&passed->bits, passed->bitCount)))
		return;
	for (uint32_t i = 0; i < meshCount; ++i)
	{
		uint32_t start = passed->start.data[i], end = start + meshes[i].shape->vertexCount;
		for (uint32_t bit = BitSet_Next(&passed->bits, start, end); bit != DRAPE_NONE;
		     bit = BitSet_Next(&passed->bits, bit + 1, end))
			ArrayPush(&passed->next, ((PassedVertex){meshes[i].slot, bit - start}));
	}
}

void drapePassed_Commit(PassedVertices* passed)
{
	if (!passed->hasNext)
		return;
	passed->hasNext = false;
	passed->left = passed->nextLeft;
	passed->crossedFor = passed->nextCrossedFor;
	passed->list.count = 0;
	if (!ArrayReserve(&passed->list, passed->next.count))
		return;
	for (uint32_t i = 0; i < passed->next.count; ++i)
		ArrayPush(&passed->list, passed->next.data[i]);
}

// --- connected parts ------------------------------------------------------------------------------------------------

static uint32_t FindGroup(uint32_t* group, uint32_t i)
{
	while (group[i] != i)
	{
		group[i] = group[group[i]];
		i = group[i];
	}
	return i;
}

// Joins the groups of two vertices. Returns the joined group.
static uint32_t JoinGroups(uint32_t* group, uint32_t a, uint32_t b)
{
	uint32_t first = FindGroup(group, a), second = FindGroup(group, b);
	group[MaxU32(first, second)] = MinU32(first, second);
	return MinU32(first, second);
}

// Joins the vertices of a triangle that are on the wrong side. Returns one of them, DRAPE_NONE when there is none.
static uint32_t JoinTriangle(PassedVertices* passed, uint32_t mesh, const MeshShape* shape, uint32_t triangle)
{
	uint32_t* group = passed->group.data;
	uint32_t first = DRAPE_NONE;
	DRAPE_ASSERT(mesh < passed->start.count && triangle < shape->triangleCount);
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t vertex = shape->triangle[3 * (size_t)triangle + k];
		if (!Passed_HasVertex(passed, mesh, vertex))
			continue;
		uint32_t bit = passed->start.data[mesh] + vertex;
		first = JoinGroups(group, bit, first != DRAPE_NONE ? first : bit);
	}
	return first;
}

// Keeps the groups of vertices that are inside another part of their mesh when the step begins.
static void KeepBuried(PassedVertices* passed, uint32_t mesh, const MeshShape* shape, uint32_t* isKept)
{
	uint32_t start = passed->start.data[mesh], end = start + shape->vertexCount;
	DRAPE_ASSERT(end <= passed->bitCount);
	const MeshShape atStart = drapeMeshShape_AtStart(shape);
	for (uint32_t bit = BitSet_Next(&passed->bits, start, end); bit != DRAPE_NONE && shape->closed;
	     bit = BitSet_Next(&passed->bits, bit + 1, end))
	{
		uint32_t own = FindGroup(passed->group.data, bit);
		Vec3 normal, at = V4Xyz(shape->from[bit - start]);
		if ((isKept[own] && passed->isBuried) || !drapeMeshShape_VertexNormal(&atStart, bit - start, &normal) ||
		    !drapeMeshShape_Contains(&atStart, V3Add(at, V3Scale(above, normal))))
			continue;
		isKept[own] = 1;
		passed->isBuried = true;
	}
}

bool drapePassed_KeepCrossing(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount,
                              bool (*crosses)(uint32_t mesh, uint32_t triangle, const void* context),
                              const void* context)
{
	if (!passed->isAny)
		return true;
	// Groups, and then one mark for each.
	if (!ArrayReserve(&passed->group, 2 * (size_t)passed->bitCount))
		return false;
	uint32_t *group = passed->group.data, *isKept = group + passed->bitCount, left = 0;
	for (uint32_t i = 0; i < passed->bitCount; ++i)
	{
		group[i] = i;
		isKept[i] = 0;
	}
	for (uint32_t i = 0; i < meshCount; ++i)
	{
		for (uint32_t t = 0; t < meshes[i].shape->triangleCount; ++t)
		{
			uint32_t own = JoinTriangle(passed, i, meshes[i].shape, t);
			if (own != DRAPE_NONE && crosses(i, t, context))
				isKept[own] = 1;
		}
	}
	// Groups were joined after they were marked.
	for (uint32_t bit = BitSet_Next(&passed->bits, 0, passed->bitCount); bit != DRAPE_NONE;
	     bit = BitSet_Next(&passed->bits, bit + 1, passed->bitCount))
		isKept[FindGroup(group, bit)] |= isKept[bit];
	for (uint32_t i = 0; i < meshCount; ++i)
		KeepBuried(passed, i, meshes[i].shape, isKept);
	for (uint32_t bit = BitSet_Next(&passed->bits, 0, passed->bitCount); bit != DRAPE_NONE;
	     bit = BitSet_Next(&passed->bits, bit + 1, passed->bitCount))
	{
		if (isKept[FindGroup(group, bit)])
			left++;
		else
			BitSet_Clear(&passed->bits, bit);
	}
	passed->isAny = left > 0;
	return true;
}

// --- impaled cloth --------------------------------------------------------------------------------------------------

bool drapePassed_IsImpaled(const PassedVertices* passed)
{
	return passed->crossedFor >= impaledAfter;
}

// Counts the vertices of the parts of a mesh that its triangles without crossings connect. Returns whether any triangle
// crosses the cloth.
static bool CountParts(PassedVertices* passed, uint32_t mesh, const MeshShape* shape,
                       bool (*crosses)(uint32_t mesh, uint32_t triangle, const void* context), const void* context)
{
	uint32_t start = passed->start.data[mesh], *group = passed->group.data, *size = group + passed->bitCount;
	bool isAny = false;
	for (uint32_t i = start; i < start + shape->vertexCount; ++i)
	{
		group[i] = i;
		size[i] = 0;
	}
	for (uint32_t t = 0; t < shape->triangleCount; ++t)
	{
		const uint32_t* vertex = shape->triangle + 3 * (size_t)t;
		bool isCrossed = crosses(mesh, t, context);
		isAny |= isCrossed;
		for (int k = 1; k < 3 && !isCrossed; ++k)
			JoinGroups(group, start + vertex[0], start + vertex[k]);
	}
	for (uint32_t i = start; i < start + shape->vertexCount; ++i)
		size[FindGroup(group, i)]++;
	return isAny;
}

bool drapePassed_ReleaseImpaled(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount,
                                bool (*crosses)(uint32_t mesh, uint32_t triangle, const void* context),
                                const void* context)
{
	if (!drapePassed_IsImpaled(passed))
		return true;
	if (!ArrayReserve(&passed->group, 2 * (size_t)passed->bitCount))
		return false;
	for (uint32_t m = 0; m < meshCount; ++m)
	{
		const MeshShape* shape = meshes[m].shape;
		uint32_t start = passed->start.data[m];
		if (!CountParts(passed, m, shape, crosses, context))
			continue;
		for (uint32_t i = 0; i < shape->vertexCount; ++i)
		{
			bool isSmall = 2 * passed->group.data[passed->bitCount + FindGroup(passed->group.data, start + i)] <
			               shape->vertexCount;
			if (isSmall && !Passed_HasVertex(passed, m, i) && !drapePassed_Add(passed, m, i))
				return false;
		}
	}
	passed->left = MaxF(passed->left, impaledTime);
	passed->crossedFor = -impaledTime;
	return true;
}

// --- passes ---------------------------------------------------------------------------------------------------------

static void At(const Vec3 from[4], const Vec3 to[4], double time, Double3 x[4])
{
	for (int k = 0; k < 4; ++k)
		x[k] = D3Add(D3(from[k]), D3Scale(time, D3Between(from[k], to[k])));
}

// Six times the signed volume of four corners.
static double Volume(Double3 a, Double3 b, Double3 c, Double3 d)
{
	return D3Dot(D3Sub(b, a), D3Cross(D3Sub(c, a), D3Sub(d, a)));
}

// Returns whether corner 0 is on the side of the triangle to which its normal points.
static bool IsAbove(const Vec3 from[4], const Vec3 to[4], double time)
{
	Double3 x[4];
	At(from, to, time, x);
	return Volume(x[1], x[2], x[3], x[0]) >= 0.0;
}

static bool Precedes(Vec3 a, Vec3 b)
{
	return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

// Returns whether corner 0 is within the triangle when it is in its plane: seen along the normal of the triangle. On an
// edge it is within one of the two triangles of the edge. `from` gives each edge the same direction in both.
static bool IsWithin(const Double3 x[4], const Vec3 from[4])
{
	Double3 lifted = D3Add(x[0], D3Cross(D3Sub(x[2], x[1]), D3Sub(x[3], x[1])));
	for (int k = 0; k < 3; ++k)
	{
		int a = 1 + k, b = 1 + (k + 1) % 3;
		bool isForward = Precedes(from[a], from[b]);
		double volume = isForward ? Volume(x[a], x[b], x[0], lifted) : -Volume(x[b], x[a], x[0], lifted);
		if (isForward ? volume < 0.0 : volume <= 0.0)
			return false;
	}
	return true;
}

bool drapePassed_Passes(const Vec3 from[4], const Vec3 to[4])
{
	enum
	{
		halvings = 40,
	};
	double low = 0.0, high = 1.0;
	bool isAbove = IsAbove(from, to, 0.0);
	if (isAbove == IsAbove(from, to, 1.0))
		return false;
	for (int i = 0; i < halvings; ++i)
	{
		double middle = 0.5 * (low + high);
		if (isAbove == IsAbove(from, to, middle))
			low = middle;
		else
			high = middle;
	}
	Double3 x[4];
	At(from, to, high, x);
	return IsWithin(x, from);
}
