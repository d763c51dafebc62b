// SPDX-License-Identifier: MIT
#include "mesh/measure.h"
#include "mesh/geometry.h"

#include <string.h>

bool drapeMeasure_Topology(const Topology* topology, drapeMeshReport* report)
{
	DRAPE_ASSERT(topology && report && topology->cornerCount % 3 == 0);
	uint32_t vertices, boundaryVertices;
	if (!drapeTopology_CountPieces(topology, false, &report->components, &vertices) ||
	    !drapeTopology_CountPieces(topology, true, &report->boundaryLoops, &boundaryVertices))
		return false;
	report->edges = topology->edgeCount;
	report->euler = (int32_t)((int64_t)vertices - topology->edgeCount + topology->cornerCount / 3);
	return true;
}

static float Smallest(float a, float b)
{
	return a < b ? a : b;
}

static float Largest(float a, float b)
{
	return a > b ? a : b;
}

static void GrowBox(drapeMeshReport* report, Vec3 point)
{
	report->lower = (Vec3){Smallest(report->lower.x, point.x), Smallest(report->lower.y, point.y),
	                       Smallest(report->lower.z, point.z)};
	report->upper =
		(Vec3){Largest(report->upper.x, point.x), Largest(report->upper.y, point.y), Largest(report->upper.z, point.z)};
}

void drapeMeasure_Shape(const drapeMesh* mesh, const Topology* topology, drapeMeshReport* report)
{
	DRAPE_ASSERT(mesh->triangleCount == topology->triangleCount && mesh->vertexCount == topology->vertexCount);
	double area = 0.0, shortest = (double)INFINITY, longest = 0.0, worst = (double)INFINITY;
	report->lower = (Vec3){INFINITY, INFINITY, INFINITY};
	report->upper = (Vec3){-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t corner = 0; corner < 3 * mesh->triangleCount; ++corner)
	{
		if (topology->edgeOf[corner] == DRAPE_NONE)
			continue;
		Vec3 here = mesh->positions[mesh->triangles[corner]];
		Double3 ahead = D3Between(here, mesh->positions[mesh->triangles[NextCorner(corner)]]);
		Double3 behind = D3Between(here, mesh->positions[mesh->triangles[PreviousCorner(corner)]]);
		double length = D3Length(ahead), twiceArea = D3Length(D3Cross(ahead, behind));
		double angle = drapeMath_Atan2(twiceArea, D3Dot(ahead, behind));
		GrowBox(report, here);
		shortest = MinNum(shortest, length);
		longest = MaxNum(longest, length);
		if (corner % 3 == 0)
			area += 0.5 * twiceArea;
		if (angle < worst)
		{
			worst = angle;
			report->worstTriangle = corner / 3;
		}
	}
	if (topology->cornerCount == 0)
	{
		report->lower = report->upper = (Vec3){0.0f, 0.0f, 0.0f};
		return;
	}
	report->area = (float)area;
	report->shortestEdge = (float)shortest;
	report->longestEdge = (float)longest;
	report->worstAngle = (float)worst;
}

static bool HasTexcoords(const drapeMesh* mesh, uint32_t triangle)
{
	const uint32_t* corners = mesh->texcoordTriangles + 3 * (size_t)triangle;
	return corners[0] != DRAPE_NONE && corners[1] != DRAPE_NONE && corners[2] != DRAPE_NONE;
}

static bool SameTexcoord(const drapeMesh* mesh, uint32_t a, uint32_t b)
{
	Vec2 atA = mesh->texcoords[mesh->texcoordTriangles[a]], atB = mesh->texcoords[mesh->texcoordTriangles[b]];
	return atA.x == atB.x && atA.y == atB.y;
}

// True when the texture is continuous across the edge that starts at corners a and b of two triangles.
static bool TextureIsContinuous(const drapeMesh* mesh, uint32_t a, uint32_t b)
{
	if (!HasTexcoords(mesh, a / 3) || !HasTexcoords(mesh, b / 3))
		return false;
	if (mesh->triangles[a] == mesh->triangles[b])
		return SameTexcoord(mesh, a, b) && SameTexcoord(mesh, NextCorner(a), NextCorner(b));
	return SameTexcoord(mesh, a, NextCorner(b)) && SameTexcoord(mesh, NextCorner(a), b);
}

static bool CountIslands(const drapeMesh* mesh, const Topology* topology, uint32_t* islands)
{
	uint32_t* parent = NewScratch(uint32_t, mesh->triangleCount);
	if (!parent)
		return false;
	drapeSets_Clear(parent, mesh->triangleCount);
	*islands = 0;
	for (uint32_t triangle = 0; triangle < mesh->triangleCount; ++triangle)
		*islands += topology->edgeOf[3 * triangle] != DRAPE_NONE && HasTexcoords(mesh, triangle);
	for (uint32_t edge = 0; edge < topology->edgeCount; ++edge)
	{
		for (uint32_t i = topology->edgeFirst[edge] + 1; i < topology->edgeFirst[edge + 1]; ++i)
		{
			uint32_t a = topology->corners[i - 1], b = topology->corners[i];
			if (TextureIsContinuous(mesh, a, b) && drapeSets_Join(parent, a / 3, b / 3))
				--*islands;
		}
	}
	FreeScratch(parent, mesh->triangleCount);
	return true;
}

static uint32_t FloatBits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float FloatOfBits(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

// The value of a given rank, in linear time and without sorting. The bits of non-negative floats sort like the floats,
// so each round finds eight more bits of the result by counting.
static uint32_t BitsOfRank(const uint32_t* values, size_t count, size_t rank)
{
	DRAPE_ASSERT(rank < count);
	uint32_t found = 0, known = 0;
	for (int shift = 24; shift >= 0; shift -= 8)
	{
		size_t histogram[256] = {0};
		for (size_t i = 0; i < count; ++i)
		{
			if ((values[i] & known) == found)
				histogram[values[i] >> shift & 255]++;
		}
		uint32_t digit = 0;
		while (rank >= histogram[digit])
			rank -= histogram[digit++];
		DRAPE_ASSERT(digit < 256);
		found |= digit << shift;
		known |= 255u << shift;
	}
	return found;
}

// Metres per texture unit along each edge of each triangle, as float bits. Skips edges without length in the texture.
static size_t CollectRatios(const drapeMesh* mesh, const Topology* topology, uint32_t* ratios)
{
	size_t count = 0;
	for (uint32_t corner = 0; corner < 3 * mesh->triangleCount; ++corner)
	{
		if (topology->edgeOf[corner] == DRAPE_NONE || !HasTexcoords(mesh, corner / 3))
			continue;
		uint32_t next = NextCorner(corner);
		double metres =
			D3Length(D3Between(mesh->positions[mesh->triangles[corner]], mesh->positions[mesh->triangles[next]]));
		double units = D2Length(D2Between(mesh->texcoords[mesh->texcoordTriangles[corner]],
		                                  mesh->texcoords[mesh->texcoordTriangles[next]]));
		double ratio = units > 0.0 ? metres / units : (double)INFINITY;
		if (ratio <= (double)MESH_MAX_COORDINATE)
			ratios[count++] = FloatBits((float)ratio);
	}
	return count;
}

bool drapeMeasure_Texture(const drapeMesh* mesh, const Topology* topology, drapeMeshReport* report)
{
	if (!mesh->texcoordTriangles)
		return true;
	if (!CountIslands(mesh, topology, &report->texcoordIslands))
		return false;
	uint32_t* ratios = NewScratch(uint32_t, 3 * (size_t)mesh->triangleCount);
	if (!ratios)
		return false;
	size_t count = CollectRatios(mesh, topology, ratios);
	if (count > 0)
	{
		report->texcoordRatioMin = FloatOfBits(BitsOfRank(ratios, count, 0));
		report->texcoordRatioMedian = FloatOfBits(BitsOfRank(ratios, count, count / 2));
		report->texcoordRatioMax = FloatOfBits(BitsOfRank(ratios, count, count - 1));
	}
	FreeScratch(ratios, 3 * (size_t)mesh->triangleCount);
	return true;
}
