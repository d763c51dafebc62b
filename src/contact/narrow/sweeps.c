// SPDX-License-Identifier: MIT
#include "contact/narrow/sweeps.h"

#include "contact/narrow/crossing.h"

// The faces of a tetrahedron, each with the opposite corner.
static const uint8_t face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};

// Returns whether a point is inside or on a tetrahedron.
static bool Holds(const Vec3 corner[4], Vec3 point)
{
	for (int i = 0; i < 4; ++i)
	{
		Vec3 a = corner[face[i][0]], b = corner[face[i][1]], c = corner[face[i][2]];
		if (drapeOrient3(a, b, c, point) * drapeOrient3(a, b, c, corner[face[i][3]]) < 0)
			return false;
	}
	return true;
}

static bool TetrahedronHits(const Vec3 corner[4], const Vec3 triangle[3])
{
	for (int i = 0; i < 4; ++i)
	{
		const Vec3 side[3] = {corner[face[i][0]], corner[face[i][1]], corner[face[i][2]]};
		if (drapeCrossing_TriangleTriangle(side, triangle))
			return true;
	}
	return Holds(corner, triangle[0]);
}

static bool Has(const uint32_t* particle, uint32_t count, uint32_t one)
{
	for (uint32_t i = 0; i < count && particle; ++i)
	{
		if (particle[i] == one)
			return true;
	}
	return false;
}

// The same for a triangle that shares corners with the tetrahedron: they may touch in these corners only.
static bool Enters(const Vec3 corner[4], const uint32_t particle[4], const Vec3 triangle[3], const uint32_t three[3])
{
	static const uint8_t edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
	for (int i = 0; i < 3; ++i)
	{
		uint32_t a = three[i], b = three[(i + 1) % 3];
		if (!Has(particle, 4, a) && Holds(corner, triangle[i]))
			return true;
		for (int k = 0; k < 4; ++k)
		{
			const uint32_t side[3] = {particle[face[k][0]], particle[face[k][1]], particle[face[k][2]]};
			const Vec3 at[3] = {corner[face[k][0]], corner[face[k][1]], corner[face[k][2]]};
			if (!Has(side, 3, a) && !Has(side, 3, b) &&
			    drapeCrossing_SegmentTriangle(triangle[i], triangle[(i + 1) % 3], at))
				return true;
		}
	}
	for (int k = 0; k < 6; ++k)
	{
		uint32_t a = edge[k][0], b = edge[k][1];
		if (!Has(three, 3, particle[a]) && !Has(three, 3, particle[b]) &&
		    drapeCrossing_SegmentTriangle(corner[a], corner[b], triangle))
			return true;
	}
	return false;
}

bool drapeSweep_HitsTriangle(const Sweep* sweep, const Vec3 triangle[3], const uint32_t* three)
{
	uint32_t shared = 0;
	if (sweep->ignores && sweep->ignores(three, sweep->context))
		return false;
	for (uint32_t i = 0; i < 3 && sweep->particle; ++i)
		shared += Has(sweep->particle, 4, three[i]);
	if (shared == 0)
		return TetrahedronHits(sweep->corner, triangle);
	// The triangles of the change share three corners. Triangles beside a partial sweep may belong to the change, too.
	return shared < 3 && sweep->isWhole && Enters(sweep->corner, sweep->particle, triangle, three);
}

bool drapeSweep_HitsTree(const Sweep* sweep, const Bvh* tree, const uint32_t* corners, const Vec4* position,
                         PrimitiveList* near)
{
	Kdop dop = Kdop_Empty();
	for (int k = 0; k < 4; ++k)
		Kdop_Add(&dop, bvhDefaultK, sweep->corner[k], 0.0f);
	near->primitives.count = 0;
	// Out of memory: the answer is unknown, and the change must not happen.
	if (!drapeBvh_Query(tree, &dop, near))
		return true;
	for (uint32_t i = 0; i < near->primitives.count; ++i)
	{
		const uint32_t* three = &corners[3 * near->primitives.data[i]];
		const Vec3 triangle[3] = {V4Xyz(position[three[0]]), V4Xyz(position[three[1]]), V4Xyz(position[three[2]])};
		if (drapeSweep_HitsTriangle(sweep, triangle, three))
			return true;
	}
	return false;
}

// Returns the distance of a segment or point from a triangle.
static float LineDistance(const Vec3 line[2], const Vec3 triangle[3])
{
	float weights[3], s, t,
		square = drapeClosest_PointTriangle(line[0], triangle[0], triangle[1], triangle[2], weights);
	square = MinNumF(square, drapeClosest_PointTriangle(line[1], triangle[0], triangle[1], triangle[2], weights));
	for (int k = 0; k < 3; ++k)
		square =
			MinNumF(square, drapeClosest_SegmentSegment(line[0], line[1], triangle[k], triangle[(k + 1) % 3], &s, &t));
	return drapeCrossing_SegmentTriangle(line[0], line[1], triangle) ? 0.0f : sqrtf(square);
}

// Returns whether boxes around an element and a tetrahedron are farther apart than the radius. The slack covers rounding.
static bool BoxesAreApart(const Vec3 x[3], const Vec3 corner[4], float radius)
{
	Vec3 low = corner[0], high = corner[0], first = x[0], last = x[0];
	for (int k = 1; k < 4; ++k)
	{
		low = V3Min(low, corner[k]);
		high = V3Max(high, corner[k]);
	}
	for (int k = 1; k < 3; ++k)
	{
		first = V3Min(first, x[k]);
		last = V3Max(last, x[k]);
	}
	float margin = 1.0001f * radius + 1e-6f * (V3MaxAbs(low) + V3MaxAbs(high));
	return first.x > high.x + margin || first.y > high.y + margin || first.z > high.z + margin ||
	       last.x < low.x - margin || last.y < low.y - margin || last.z < low.z - margin;
}

static bool ElementHits(const ContactElement* element, float radius, const Vec4* position, const Vec3 corner[4])
{
	Vec3 x[3];
	for (int k = 0; k < 3; ++k)
		x[k] = V4Xyz(position[element->vertex[k]]);
	if (BoxesAreApart(x, corner, radius))
		return false;
	if (element->owns & ownsFace)
		return TetrahedronHits(corner, x);
	for (int i = 0; i < 4; ++i)
	{
		const Vec3 side[3] = {corner[face[i][0]], corner[face[i][1]], corner[face[i][2]]};
		if (LineDistance(x, side) <= radius)
			return true;
	}
	return Holds(corner, x[0]);
}

bool drapeSweep_HitsBodies(const Sweep* sweep, const BroadPhase* broadPhase, uint32_t bodyCount)
{
	const ContactBodies* bodies = &broadPhase->bodies;
	DRAPE_ASSERT(broadPhase->members.count == bodies->bodies.count);
	for (uint32_t b = 0; b < MinU32(bodyCount, bodies->bodies.count); ++b)
	{
		const ContactBody* body = &bodies->bodies.data[b];
		if (!ContactFilters_Touch(sweep->filter, body->filter))
			continue;
		for (uint32_t e = body->elementStart; e < body->elementEnd && !broadPhase->members.data[b].tree; ++e)
		{
			if (ElementHits(&bodies->elements.data[e], body->radius, bodies->from.data, sweep->corner))
				return true;
		}
	}
	return false;
}
