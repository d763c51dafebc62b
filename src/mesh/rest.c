// SPDX-License-Identifier: MIT
#include "mesh/rest.h"
#include "mesh/geometry.h"

#include <string.h>

// Rest shape from the 3D shape. Each component is unfolded triangle by triangle from its first one. The flattest edges
// come first, so that the seams of a surface that is not developable end up on creases. Edges wait in one queue for
// each degree of fold. Within a degree the walk is breadth first, which keeps paths short and rounding small, and makes
// the order independent of noise in the angle.
//
//	        c            The third corner goes beside the edge that is already laid out: s along it, h to its left.
//	       /|\           Both are measured in 3D, so triangles keep their size and neighbours their angles, and the warp
//	      / |h\          keeps its direction.
//	     p--+--q
//	      s

#define FOLD_CLASSES 181 // 0 to 180 degrees

// A direction can be projected into a triangle when the projection keeps at least this part of its length. Rounding
// decides the direction of a shorter one.
#define WARP_MIN_PROJECTION 1e-2

// The distance by which rounding to float may move a corner, as part of the triangle's smallest height. It is a quarter
// of the limit for seams, because an edge has two corners on each of two sides.
#define MAX_ROUNDING (0.25 * REST_SEAM_LENGTH)

typedef struct Unfold
{
	const drapeMesh* mesh;
	const Topology* topology;
	Double2* laid;   // [3 * triangleCount] corners in the plane, metres
	uint8_t* isLaid; // [triangleCount]
	uint32_t* next;  // [3 * triangleCount] the queues, linked through corners
	uint32_t head[FOLD_CLASSES], tail[FOLD_CLASSES];
	uint32_t flattest; // all queues below this one are empty
} Unfold;

static Vec3 CornerPosition(const drapeMesh* mesh, uint32_t corner)
{
	return mesh->positions[mesh->triangles[corner]];
}

static Double3 TriangleNormal(const drapeMesh* mesh, uint32_t triangle)
{
	Vec3 origin = CornerPosition(mesh, 3 * triangle);
	return D3Cross(D3Between(origin, CornerPosition(mesh, 3 * triangle + 1)),
	               D3Between(origin, CornerPosition(mesh, 3 * triangle + 2)));
}

// The corner on the other side of the edge, DRAPE_NONE on the boundary.
static uint32_t TwinCorner(const Topology* topology, uint32_t corner)
{
	uint32_t edge = topology->edgeOf[corner];
	if (Topology_EdgeSize(topology, edge) == 1)
		return DRAPE_NONE;
	DRAPE_ASSERT(Topology_EdgeSize(topology, edge) == 2);
	const uint32_t* pair = topology->corners + topology->edgeFirst[edge];
	return pair[0] == corner ? pair[1] : pair[0];
}

static uint32_t FoldClass(const Unfold* unfold, uint32_t corner, uint32_t twin)
{
	Double3 a = TriangleNormal(unfold->mesh, corner / 3), b = TriangleNormal(unfold->mesh, twin / 3);
	double fold = drapeMath_Atan2(D3Length(D3Cross(a, b)), D3Dot(a, b)) * (180.0 / 3.14159265358979323846);
	// Rounded to the nearest degree, so that flat edges share a class in spite of noise.
	return MinU32((uint32_t)(fold + 0.5), FOLD_CLASSES - 1);
}

// Marks a triangle as laid out and enqueues its neighbours.
static void EnqueueNeighbours(Unfold* unfold, uint32_t triangle)
{
	unfold->isLaid[triangle] = 1;
	for (uint32_t corner = 3 * triangle; corner < 3 * triangle + 3; ++corner)
	{
		uint32_t twin = TwinCorner(unfold->topology, corner);
		if (twin == DRAPE_NONE || unfold->isLaid[twin / 3])
			continue;
		uint32_t fold = FoldClass(unfold, corner, twin);
		unfold->next[corner] = DRAPE_NONE;
		if (unfold->head[fold] == DRAPE_NONE)
			unfold->head[fold] = corner;
		else
			unfold->next[unfold->tail[fold]] = corner;
		unfold->tail[fold] = corner;
		unfold->flattest = MinU32(unfold->flattest, fold);
	}
}

// The corner whose edge is the next to unfold across, DRAPE_NONE when the queues are empty.
static uint32_t Dequeue(Unfold* unfold)
{
	for (; unfold->flattest < FOLD_CLASSES; ++unfold->flattest)
	{
		uint32_t corner = unfold->head[unfold->flattest];
		if (corner == DRAPE_NONE)
			continue;
		unfold->head[unfold->flattest] = unfold->next[corner];
		return corner;
	}
	return DRAPE_NONE;
}

// The unit direction of the warp in the plane of a triangle.
static Double3 WarpInTriangle(const drapeMesh* mesh, uint32_t triangle, Vec3 warp)
{
	bool zero = warp.x == 0.0f && warp.y == 0.0f && warp.z == 0.0f;
	const Vec3 choices[3] = {zero ? (Vec3){1.0f, 0.0f, 0.0f} : warp, {0.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f}};
	Double3 normal = TriangleNormal(mesh, triangle);
	for (int i = 0; i < 3; ++i)
	{
		Double3 along = D3(choices[i]);
		double t = D3Dot(along, normal) / D3Dot(normal, normal), whole = D3Length(along);
		along = (Double3){along.x - t * normal.x, along.y - t * normal.y, along.z - t * normal.z};
		double length = D3Length(along);
		if (length > WARP_MIN_PROJECTION * whole)
			return (Double3){along.x / length, along.y / length, along.z / length};
	}
	DRAPE_ASSERT(false); // no triangle is perpendicular to both z and y
	return (Double3){1.0, 0.0, 0.0};
}

static void LayFirst(Unfold* unfold, uint32_t triangle, Vec3 warp)
{
	Double3 u = WarpInTriangle(unfold->mesh, triangle, warp);
	Double3 normal = TriangleNormal(unfold->mesh, triangle);
	double length = D3Length(normal);
	Double3 v = D3Cross((Double3){normal.x / length, normal.y / length, normal.z / length}, u);
	Vec3 origin = CornerPosition(unfold->mesh, 3 * triangle);
	for (uint32_t corner = 3 * triangle; corner < 3 * triangle + 3; ++corner)
	{
		Double3 offset = D3Between(origin, CornerPosition(unfold->mesh, corner));
		unfold->laid[corner] = (Double2){D3Dot(offset, u), D3Dot(offset, v)};
	}
}

// Lays out the triangle on the other side of an edge whose own triangle is laid out.
static void LayAcross(Unfold* unfold, uint32_t corner)
{
	DRAPE_ASSERT(unfold->isLaid[corner / 3]);
	uint32_t p = TwinCorner(unfold->topology, corner), q = NextCorner(p), c = PreviousCorner(p);
	DRAPE_ASSERT(unfold->mesh->triangles[p] == unfold->mesh->triangles[NextCorner(corner)]);
	Double2 atP = unfold->laid[NextCorner(corner)], atQ = unfold->laid[corner];
	Vec3 origin = CornerPosition(unfold->mesh, p);
	Double3 edge = D3Between(origin, CornerPosition(unfold->mesh, q));
	Double3 side = D3Between(origin, CornerPosition(unfold->mesh, c));
	double length = D3Length(edge);
	double s = D3Dot(side, edge) / length, h = D3Length(D3Cross(edge, side)) / length;
	Double2 along = {atQ.x - atP.x, atQ.y - atP.y};
	double laidLength = D2Length(along);
	along = (Double2){along.x / laidLength, along.y / laidLength};
	unfold->laid[p] = atP;
	unfold->laid[q] = atQ;
	unfold->laid[c] = (Double2){atP.x + s * along.x - h * along.y, atP.y + s * along.y + h * along.x};
}

static void UnfoldPiece(Unfold* unfold, uint32_t first, Vec3 warp)
{
	LayFirst(unfold, first, warp);
	EnqueueNeighbours(unfold, first);
	for (uint32_t corner = Dequeue(unfold); corner != DRAPE_NONE; corner = Dequeue(unfold))
	{
		uint32_t beyond = TwinCorner(unfold->topology, corner) / 3;
		if (unfold->isLaid[beyond])
			continue;
		LayAcross(unfold, corner);
		EnqueueNeighbours(unfold, beyond);
	}
}

// Rounds to float. Far from the origin the rounding error can exceed the height of a small triangle. Such a triangle
// moves to the origin, which changes neither its shape nor its warp.
static void StoreTriangle(const Double2 laid[3], Vec2 material[3])
{
	double error = 0.0, longest = 0.0, twiceArea = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		Double2 a = laid[k], b = laid[(k + 1) % 3];
		material[k] = (Vec2){(float)a.x, (float)a.y};
		error = MaxNum(error, D2Length((Double2){(double)material[k].x - a.x, (double)material[k].y - a.y}));
		longest = MaxNum(longest, D2Length((Double2){b.x - a.x, b.y - a.y}));
		twiceArea += D2Cross((Double2){a.x - laid[0].x, a.y - laid[0].y}, (Double2){b.x - laid[0].x, b.y - laid[0].y});
	}
	if (error <= MAX_ROUNDING * twiceArea / longest)
		return;
	for (int k = 0; k < 3; ++k)
		material[k] = (Vec2){(float)(laid[k].x - laid[0].x), (float)(laid[k].y - laid[0].y)};
}

static bool LayFromShape(Vec2* material, const drapeMesh* mesh, const Topology* topology, Vec3 warp)
{
	size_t corners = 3 * (size_t)mesh->triangleCount;
	Unfold unfold = {.mesh = mesh, .topology = topology};
	unfold.laid = NewScratch(Double2, corners);
	unfold.next = NewScratch(uint32_t, corners);
	unfold.isLaid = NewScratch(uint8_t, mesh->triangleCount);
	bool enough = unfold.laid && unfold.next && unfold.isLaid;
	if (enough)
	{
		memset(unfold.head, 0xff, sizeof unfold.head);
		memset(unfold.isLaid, 0, mesh->triangleCount);
		for (uint32_t triangle = 0; triangle < mesh->triangleCount; ++triangle)
		{
			if (!unfold.isLaid[triangle])
				UnfoldPiece(&unfold, triangle, warp);
		}
		for (uint32_t triangle = 0; triangle < mesh->triangleCount; ++triangle)
			StoreTriangle(unfold.laid + 3 * (size_t)triangle, material + 3 * (size_t)triangle);
	}
	FreeScratch(unfold.laid, corners);
	FreeScratch(unfold.next, corners);
	FreeScratch(unfold.isLaid, mesh->triangleCount);
	return enough;
}

// A texture seen from behind mirrors every triangle. Then the sign of v changes for all of them. When only some
// triangles are mirrored they stay so, and the check reports them.
static void LayFromTexcoords(Vec2* material, const drapeMesh* mesh, float metresPerUnit)
{
	bool allMirrored = true;
	for (uint32_t triangle = 0; triangle < mesh->triangleCount; ++triangle)
	{
		for (uint32_t corner = 3 * triangle; corner < 3 * triangle + 3; ++corner)
		{
			Vec2 texcoord = mesh->texcoords[mesh->texcoordTriangles[corner]];
			material[corner] = (Vec2){metresPerUnit * texcoord.x, metresPerUnit * texcoord.y};
		}
		if (!(FlatTwiceArea(material + 3 * (size_t)triangle) < 0.0))
			allMirrored = false;
	}
	for (uint32_t corner = 0; allMirrored && corner < 3 * mesh->triangleCount; ++corner)
		material[corner].y = -material[corner].y;
}

bool drapeRest_Lay(Vec2* material, const drapeMesh* mesh, const Topology* topology, const drapeRestDef* rest)
{
	DRAPE_ASSERT(material && rest && mesh->triangleCount == topology->triangleCount);
	switch (rest->source)
	{
		case drape_restShape:
			return LayFromShape(material, mesh, topology, rest->warp);
		case drape_restTexcoord:
			LayFromTexcoords(material, mesh, rest->metresPerUnit);
			return true;
		case drape_restMaterial:
			memcpy(material, rest->material, 3 * (size_t)mesh->triangleCount * sizeof *material);
			return true;
	}
	DRAPE_ASSERT(false);
	return true;
}

uint32_t drapeRest_FindSeams(uint8_t* seam, const Vec2* material, const Topology* topology)
{
	uint32_t count = 0;
	DRAPE_ASSERT(seam && material);
	for (uint32_t edge = 0; edge < topology->edgeCount; ++edge)
	{
		uint32_t a = topology->corners[topology->edgeFirst[edge]], b = TwinCorner(topology, a);
		seam[edge] = 0;
		if (b == DRAPE_NONE)
			continue;
		Double2 sideA = D2Between(material[a], material[NextCorner(a)]);
		Double2 sideB = D2Between(material[NextCorner(b)], material[b]);
		double lengthA = D2Length(sideA), lengthB = D2Length(sideB);
		double turn = fabs(drapeMath_Atan2(D2Cross(sideA, sideB), D2Dot(sideA, sideB)));
		seam[edge] = fabs(lengthA - lengthB) > REST_SEAM_LENGTH * MaxNum(lengthA, lengthB) || turn > REST_SEAM_ANGLE;
		count += seam[edge];
	}
	return count;
}
