// SPDX-License-Identifier: MIT
#include "contact/untangle/tangle.h"

#include "contact/narrow/crossing.h"

void drapeTangle_Destroy(Tangle* tangle)
{
	for (uint32_t i = 0; i < tangle->surfaces.count; ++i)
		drapeBvh_Destroy(&tangle->surfaces.data[i].tree);
	ArrayFree(&tangle->position);
	ArrayFree(&tangle->corners);
	ArrayFree(&tangle->surfaces);
	ArrayFree(&tangle->solids);
	ArrayFree(&tangle->crossings);
	drapePairList_Free(&tangle->pairs);
	*tangle = (Tangle){0};
}

// --- what there is --------------------------------------------------------------------------------------------------

bool drapeTangle_AddSurface(Tangle* tangle, const TangleSurface* like, const Vec4* position, uint32_t vertexCount,
                            const uint32_t* triangles, uint32_t triangleCount)
{
	uint32_t firstVertex = tangle->position.count, firstCorner = tangle->corners.count;
	DRAPE_ASSERT(like->shape || tangle->clothCount == tangle->surfaces.count);
	if (vertexCount > DRAPE_MAX_ELEMENTS - firstVertex || 3 * triangleCount > DRAPE_MAX_ELEMENTS - firstCorner ||
	    !ArrayReserve(&tangle->surfaces, tangle->surfaces.count + 1) ||
	    !ArrayReserve(&tangle->position, firstVertex + vertexCount) ||
	    !ArrayReserve(&tangle->corners, firstCorner + 3 * triangleCount))
		return false;
	TangleSurface surface = *like;
	surface.vertexStart = firstVertex;
	surface.vertexEnd = firstVertex + vertexCount;
	surface.triangleStart = firstCorner / 3;
	surface.triangleEnd = firstCorner / 3 + triangleCount;
	drapeBvh_Init(&surface.tree, bvhDefaultK, bvhDefaultArity);
	ArrayPush(&tangle->surfaces, surface);
	tangle->clothCount += surface.shape == NULL;
	for (uint32_t i = 0; i < vertexCount; ++i)
		ArrayPush(&tangle->position, position[i]);
	for (uint32_t i = 0; i < 3 * triangleCount; ++i)
		ArrayPush(&tangle->corners, firstVertex + triangles[i]);
	return true;
}

bool drapeTangle_AddSolid(Tangle* tangle, const drapeColliderDef* def, Transform at)
{
	if (!ArrayReserve(&tangle->solids, tangle->solids.count + 1))
		return false;
	ArrayPush(&tangle->solids, ((TangleSolid){*def, at, ContactFilter_Make(def->filter)}));
	return true;
}

// --- triangles ------------------------------------------------------------------------------------------------------

void drapeTangle_Corners(const Tangle* tangle, uint32_t triangle, Vec3 corners[3])
{
	DRAPE_ASSERT(3 * triangle + 2 < tangle->corners.count);
	for (uint32_t k = 0; k < 3; ++k)
		corners[k] = V4Xyz(tangle->position.data[tangle->corners.data[3 * triangle + k]]);
}

bool drapeTangle_Intrusion(const Tangle* tangle, uint32_t triangle, uint32_t solid, Intrusion* intrusion)
{
	const TangleSolid* of = &tangle->solids.data[solid];
	drapeColliderDef def = of->def;
	Vec3 corners[3], local[3];
	drapeTangle_Corners(tangle, triangle, corners);
	float size = V3MaxAbs(of->at.position) + 0.1f;
	for (int k = 0; k < 3; ++k)
	{
		local[k] = Transform_InversePoint(of->at, corners[k]);
		size = MaxNumF(size, V3MaxAbs(corners[k]));
	}
	// Contact keeps edges and faces out of the elements of the shape only.
	drapeShape_ShrinkToElements(&def);
	if (!drapeIntrusion_Find(&def, local, 2e-6f * size / of->at.scale, intrusion))
		return false;
	for (uint32_t i = 0; intrusion && i < intrusion->count; ++i)
		intrusion->point[i] = Transform_Point(of->at, intrusion->point[i]);
	return true;
}

// Returns the point of edge pq in the plane of the triangle.
static Vec3 PointOnEdge(Vec3 p, Vec3 q, const Vec3 triangle[3])
{
	Vec3 normal = V3Cross(V3Sub(triangle[1], triangle[0]), V3Sub(triangle[2], triangle[0]));
	float from = V3Dot(normal, V3Sub(p, triangle[0])), to = V3Dot(normal, V3Sub(q, triangle[0]));
	float share = from == to ? 0.0f : MinNumF(MaxNumF(from / (from - to), 0.0f), 1.0f);
	return V3Add(p, V3Scale(share, V3Sub(q, p)));
}

Vec3 drapeTangle_CommonPoint(const Tangle* tangle, const TangleCrossing* crossing)
{
	Vec3 a[3], b[3];
	drapeTangle_Corners(tangle, crossing->triangle, a);
	if (crossing->other == DRAPE_NONE)
	{
		Intrusion intrusion;
		return drapeTangle_Intrusion(tangle, crossing->triangle, crossing->otherTriangle, &intrusion)
		           ? intrusion.point[intrusion.count - 1]
		           : a[0];
	}
	drapeTangle_Corners(tangle, crossing->otherTriangle, b);
	for (int k = 0; k < 3; ++k)
	{
		if (drapeCrossing_SegmentTriangle(a[k], a[(k + 1) % 3], b))
			return PointOnEdge(a[k], a[(k + 1) % 3], b);
		if (drapeCrossing_SegmentTriangle(b[k], b[(k + 1) % 3], a))
			return PointOnEdge(b[k], b[(k + 1) % 3], a);
	}
	return a[0];
}

// --- crossings ------------------------------------------------------------------------------------------------------

static Primitives PrimitivesOf(const Tangle* tangle, const TangleSurface* surface, float margin)
{
	return (Primitives){
		.from = tangle->position.data,
		.to = tangle->position.data,
		.corners = tangle->corners.data + 3 * (size_t)surface->triangleStart,
		.cornerCount = 3,
		.count = surface->triangleEnd - surface->triangleStart,
		.margin = surface->shape ? 0.0f : margin,
	};
}

bool drapeTangle_Fit(Tangle* tangle, float margin, TaskPool* tasks)
{
	for (uint32_t i = 0; i < tangle->surfaces.count; ++i)
	{
		TangleSurface* surface = &tangle->surfaces.data[i];
		Primitives primitives = PrimitivesOf(tangle, surface, margin);
		bool isNew = surface->tree.primitiveCount != primitives.count;
		if ((isNew || !surface->shape) && !drapeBvh_Update(&surface->tree, &primitives, bvhMorton, isNew, tasks))
			return false;
	}
	return true;
}

// Removes pairs of triangles that stitches join.
static void DropStitched(Tangle* tangle, uint32_t surface, uint32_t other)
{
	const uint32_t* cornersA = tangle->corners.data + 3 * (size_t)tangle->surfaces.data[surface].triangleStart;
	const uint32_t* cornersB = tangle->corners.data + 3 * (size_t)tangle->surfaces.data[other].triangleStart;
	PairList* list = &tangle->pairs;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < list->pairs.count; ++i)
	{
		PrimitivePair pair = list->pairs.data[i];
		if (!drapeStitched_Joins(tangle->stitched, &cornersA[3 * pair.a], 3, &cornersB[3 * pair.b], 3))
			list->pairs.data[kept++] = pair;
	}
	list->pairs.count = kept;
}

bool drapeTangle_Pairs(Tangle* tangle, uint32_t surface, uint32_t other, TaskPool* tasks)
{
	DRAPE_ASSERT(surface < tangle->clothCount && other < tangle->surfaces.count && surface <= other);
	const TangleSurface *first = &tangle->surfaces.data[surface], *last = &tangle->surfaces.data[other];
	const Bvh *one = &first->tree, *second = &last->tree;
	tangle->pairs.pairs.count = 0;
	if (surface != other && !ContactFilters_Touch(first->filter, last->filter))
		return true;
	bool isDone = surface == other ? drapeBvh_SelfPairs(one, NULL, &tangle->pairs, tasks)
	                               : drapeBvh_Pairs(one, second, &tangle->pairs, tasks);
	if (isDone && tangle->stitched && other < tangle->clothCount)
		DropStitched(tangle, surface, other);
	return isDone;
}

// Appends the found pairs of two surfaces that cross.
static bool KeepCrossing(Tangle* tangle, uint32_t surface, uint32_t other)
{
	uint32_t firstA = tangle->surfaces.data[surface].triangleStart;
	uint32_t firstB = tangle->surfaces.data[other].triangleStart;
	for (uint32_t i = 0; i < tangle->pairs.pairs.count; ++i)
	{
		PrimitivePair pair = tangle->pairs.pairs.data[i];
		Vec3 a[3], b[3];
		drapeTangle_Corners(tangle, firstA + pair.a, a);
		drapeTangle_Corners(tangle, firstB + pair.b, b);
		if (!drapeCrossing_TriangleTriangle(a, b))
			continue;
		if (!ArrayGrow(&tangle->crossings))
			return false;
		tangle->crossings.data[tangle->crossings.count - 1] =
			(TangleCrossing){surface, other, firstA + pair.a, firstB + pair.b};
	}
	return true;
}

static bool FindInSolid(Tangle* tangle, uint32_t surface, uint32_t solid)
{
	const TangleSurface* cloth = &tangle->surfaces.data[surface];
	const TangleSolid* of = &tangle->solids.data[solid];
	float radius = of->at.scale * drapeShape_BoundingRadius(&of->def);
	Vec3 centre = of->at.position;
	for (uint32_t t = cloth->triangleStart; t < cloth->triangleEnd; ++t)
	{
		Vec3 c[3];
		drapeTangle_Corners(tangle, t, c);
		// The triangle is beside the bounding sphere.
		bool isApart = MinNumF(c[0].x, MinNumF(c[1].x, c[2].x)) > centre.x + radius ||
		               MaxNumF(c[0].x, MaxNumF(c[1].x, c[2].x)) < centre.x - radius ||
		               MinNumF(c[0].y, MinNumF(c[1].y, c[2].y)) > centre.y + radius ||
		               MaxNumF(c[0].y, MaxNumF(c[1].y, c[2].y)) < centre.y - radius ||
		               MinNumF(c[0].z, MinNumF(c[1].z, c[2].z)) > centre.z + radius ||
		               MaxNumF(c[0].z, MaxNumF(c[1].z, c[2].z)) < centre.z - radius;
		if (isApart || !drapeTangle_Intrusion(tangle, t, solid, NULL))
			continue;
		if (!ArrayGrow(&tangle->crossings))
			return false;
		tangle->crossings.data[tangle->crossings.count - 1] = (TangleCrossing){surface, DRAPE_NONE, t, solid};
	}
	return true;
}

bool drapeTangle_Find(Tangle* tangle, TaskPool* tasks)
{
	tangle->crossings.count = 0;
	if (!drapeTangle_Fit(tangle, 0.0f, tasks))
		return false;
	for (uint32_t i = 0; i < tangle->clothCount; ++i)
	{
		for (uint32_t k = i; k < tangle->surfaces.count; ++k)
		{
			if (!drapeTangle_Pairs(tangle, i, k, tasks) || !KeepCrossing(tangle, i, k))
				return false;
		}
		for (uint32_t s = 0; s < tangle->solids.count; ++s)
		{
			if (!ContactFilters_Touch(tangle->surfaces.data[i].filter, tangle->solids.data[s].filter))
				continue;
			if (!FindInSolid(tangle, i, s))
				return false;
		}
	}
	return true;
}
