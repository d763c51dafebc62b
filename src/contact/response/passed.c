// SPDX-License-Identifier: MIT
#include "contact/response/passed.h"

// All parts are solid again so long after the cloth was pinched, or a part was buried, last, s.
static const float forgetAfter = 0.25f;

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

void drapePassed_End(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount, bool isPinched, float dt)
{
	DRAPE_ASSERT(dt > 0.0f);
	passed->nextLeft = isPinched || passed->isBuried ? forgetAfter : MaxF(passed->left - dt, 0.0f);
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
		uint32_t own = FindGroup(group, passed->start.data[mesh] + vertex);
		if (first != DRAPE_NONE)
			group[MaxU32(own, first)] = MinU32(own, first);
		first = MinU32(own, first);
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
			JoinTriangle(passed, i, meshes[i].shape, t);
	}
	for (uint32_t i = 0; i < meshCount; ++i)
	{
		for (uint32_t t = 0; t < meshes[i].shape->triangleCount; ++t)
		{
			uint32_t own = JoinTriangle(passed, i, meshes[i].shape, t);
			if (own != DRAPE_NONE && crosses(i, t, context))
				isKept[own] = 1;
		}
		KeepBuried(passed, i, meshes[i].shape, isKept);
	}
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

// --- passes ---------------------------------------------------------------------------------------------------------

typedef struct Corners
{
	double x[4][3];
} Corners;

static Corners At(const Vec3 from[4], const Vec3 to[4], double time)
{
	Corners c;
	for (int k = 0; k < 4; ++k)
	{
		const float a[3] = {from[k].x, from[k].y, from[k].z}, b[3] = {to[k].x, to[k].y, to[k].z};
		for (int axis = 0; axis < 3; ++axis)
			c.x[k][axis] = (double)a[axis] + time * ((double)b[axis] - (double)a[axis]);
	}
	return c;
}

// Six times the signed volume of the corners a, b, c and d.
static double Volume(const Corners* p, int a, int b, int c, int d)
{
	double u[3], v[3], w[3];
	for (int k = 0; k < 3; ++k)
	{
		u[k] = p->x[b][k] - p->x[a][k];
		v[k] = p->x[c][k] - p->x[a][k];
		w[k] = p->x[d][k] - p->x[a][k];
	}
	return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static bool Precedes(Vec3 a, Vec3 b)
{
	return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

// Returns whether corner 0 is within the triangle when it is in its plane: seen along the normal of the triangle. On an
// edge it is within one of the two triangles of the edge. `from` gives each edge the same direction in both.
static bool IsWithin(const Corners* p, const Vec3 from[4])
{
	Corners lifted = *p;
	for (int k = 0; k < 3; ++k)
	{
		int u = (k + 1) % 3, v = (k + 2) % 3;
		lifted.x[0][k] += (p->x[2][u] - p->x[1][u]) * (p->x[3][v] - p->x[1][v]) -
		                  (p->x[2][v] - p->x[1][v]) * (p->x[3][u] - p->x[1][u]);
	}
	for (int k = 0; k < 3; ++k)
	{
		// The edge, the corner, and the lifted corner.
		int a = 1 + k, b = 1 + (k + 1) % 3, opposite = 1 + (k + 2) % 3;
		bool isForward = Precedes(from[a], from[b]);
		Corners side = lifted;
		for (int axis = 0; axis < 3; ++axis)
			side.x[opposite][axis] = p->x[0][axis];
		double volume = isForward ? Volume(&side, a, b, opposite, 0) : -Volume(&side, b, a, opposite, 0);
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
	Corners start = At(from, to, 0.0), end = At(from, to, 1.0);
	bool isAbove = Volume(&start, 1, 2, 3, 0) >= 0.0;
	if (isAbove == (Volume(&end, 1, 2, 3, 0) >= 0.0))
		return false;
	for (int i = 0; i < halvings; ++i)
	{
		double middle = 0.5 * (low + high);
		Corners now = At(from, to, middle);
		if (isAbove == (Volume(&now, 1, 2, 3, 0) >= 0.0))
			low = middle;
		else
			high = middle;
	}
	Corners now = At(from, to, high);
	return IsWithin(&now, from);
}
