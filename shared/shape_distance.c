// SPDX-License-Identifier: MIT
#include "shared/shape_distance.h"

#include "base/maths.h"

#include <stdlib.h>

enum
{
	leafFacets = 4,
};

typedef struct Facet
{
	Vec3 corners[3];
	Vec3 centre;
	float area;
} Facet;

// A node of the tree: a box around facets. The first child of an inner node follows it in the array.
typedef struct FacetNode
{
	Vec3 lower, upper;
	uint32_t first, count;
	uint32_t second; // its other child; 0 for a leaf
} FacetNode;

typedef struct FacetTree
{
	Facet* facets; // in the order of the leaves
	FacetNode* nodes;
	uint32_t facetCount, nodeCount;
} FacetTree;

// --- the tree -------------------------------------------------------------------------------------------------------

static void FillFacets(Facet* facets, drapeClothView view)
{
	for (uint32_t t = 0; t < view.triangleCount; ++t)
	{
		Facet* f = &facets[t];
		for (int k = 0; k < 3; ++k)
			f->corners[k] = V4Xyz(view.positions[view.triangles[3 * t + k]]);
		const Vec3 *a = &f->corners[0], *b = &f->corners[1], *c = &f->corners[2];
		f->centre = V3Scale(1.0f / 3.0f, V3Add(*a, V3Add(*b, *c)));
		f->area = 0.5f * V3Length(V3Cross(V3Sub(*b, *a), V3Sub(*c, *a)));
	}
}

static Vec3 Lower(Vec3 a, Vec3 b)
{
	return (Vec3){fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)};
}

static Vec3 Upper(Vec3 a, Vec3 b)
{
	return (Vec3){fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)};
}

static float Component(Vec3 v, int axis)
{
	return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static int LongestAxis(Vec3 size)
{
	if (size.x >= size.y && size.x >= size.z)
		return 0;
	return size.y >= size.z ? 1 : 2;
}

// Moves facets with centres below the middle of all centres to the front. Returns their number.
static uint32_t Divide(Facet* facets, uint32_t count)
{
	Vec3 lower = facets[0].centre, upper = facets[0].centre;
	for (uint32_t i = 1; i < count; ++i)
	{
		lower = Lower(lower, facets[i].centre);
		upper = Upper(upper, facets[i].centre);
	}
	int axis = LongestAxis(V3Sub(upper, lower));
	float middle = 0.5f * (Component(lower, axis) + Component(upper, axis));
	uint32_t below = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (Component(facets[i].centre, axis) >= middle)
			continue;
		Facet swapped = facets[i];
		facets[i] = facets[below];
		facets[below++] = swapped;
	}
	// All centres coincide: split anywhere.
	return below > 0 && below < count ? below : count / 2;
}

static uint32_t BuildNode(FacetTree* tree, uint32_t first, uint32_t count)
{
	uint32_t index = tree->nodeCount++;
	FacetNode* node = &tree->nodes[index];
	*node = (FacetNode){tree->facets[first].centre, tree->facets[first].centre, first, count, 0};
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		Vec3 corner = tree->facets[first + i / 3].corners[i % 3];
		node->lower = Lower(node->lower, corner);
		node->upper = Upper(node->upper, corner);
	}
	if (count <= leafFacets)
		return index;
	uint32_t below = Divide(&tree->facets[first], count);
	BuildNode(tree, first, below);
	node->second = BuildNode(tree, first + below, count - below);
	return index;
}

static bool CreateTree(FacetTree* tree, drapeClothView view)
{
	*tree = (FacetTree){
		.facets = malloc(view.triangleCount * sizeof(Facet)),
		.nodes = malloc(2 * (size_t)view.triangleCount * sizeof(FacetNode)),
		.facetCount = view.triangleCount,
	};
	if (!tree->facets || !tree->nodes)
		return false;
	FillFacets(tree->facets, view);
	BuildNode(tree, 0, tree->facetCount);
	return true;
}

static void DestroyTree(FacetTree* tree)
{
	free(tree->facets);
	free(tree->nodes);
}

// --- distances ------------------------------------------------------------------------------------------------------

static float SegmentDistance(Vec3 p, Vec3 a, Vec3 b)
{
	Vec3 along = V3Sub(b, a), from = V3Sub(p, a);
	float square = V3Dot(along, along);
	float t = square > 0.0f ? fminf(fmaxf(V3Dot(from, along) / square, 0.0f), 1.0f) : 0.0f;
	return V3Length(V3Sub(from, V3Scale(t, along)));
}

static float FacetDistance(Vec3 p, const Facet* f)
{
	Vec3 a = f->corners[0], b = f->corners[1], c = f->corners[2];
	Vec3 normal = V3Cross(V3Sub(b, a), V3Sub(c, a));
	bool isAbove = V3Dot(V3Cross(normal, V3Sub(b, a)), V3Sub(p, a)) >= 0.0f &&
	               V3Dot(V3Cross(normal, V3Sub(c, b)), V3Sub(p, b)) >= 0.0f &&
	               V3Dot(V3Cross(normal, V3Sub(a, c)), V3Sub(p, c)) >= 0.0f;
	if (isAbove && V3Length(normal) > 0.0f)
		return fabsf(V3Dot(normal, V3Sub(p, a))) / V3Length(normal);
	return fminf(SegmentDistance(p, a, b), fminf(SegmentDistance(p, b, c), SegmentDistance(p, c, a)));
}

static float BoxDistance(Vec3 p, const FacetNode* node)
{
	Vec3 outside = Upper(V3Sub(node->lower, p), V3Sub(p, node->upper));
	return V3Length(Upper(outside, (Vec3){0.0f, 0.0f, 0.0f}));
}

// The nearest facet found so far.
typedef struct Nearest
{
	float distance; // m
	uint32_t facet;
} Nearest;

static void SearchNode(const FacetTree* tree, uint32_t index, Vec3 p, Nearest* nearest)
{
	const FacetNode* node = &tree->nodes[index];
	if (node->second)
	{
		float one = BoxDistance(p, &tree->nodes[index + 1]), other = BoxDistance(p, &tree->nodes[node->second]);
		uint32_t nearer = one <= other ? index + 1 : node->second, farther = one <= other ? node->second : index + 1;
		if (fminf(one, other) < nearest->distance)
			SearchNode(tree, nearer, p, nearest);
		if (fmaxf(one, other) < nearest->distance)
			SearchNode(tree, farther, p, nearest);
		return;
	}
	for (uint32_t i = node->first; i < node->first + node->count; ++i)
	{
		float distance = FacetDistance(p, &tree->facets[i]);
		if (distance < nearest->distance)
			*nearest = (Nearest){distance, i};
	}
}

// Mean distance of the points of one surface from the other.
static double MeanDistance(const FacetTree* from, const FacetTree* to)
{
	double sum = 0.0, area = 0.0;
	Nearest nearest = {0};
	for (uint32_t i = 0; i < from->facetCount; ++i)
	{
		const Facet* f = &from->facets[i];
		for (int k = 0; k < 3; ++k)
		{
			Vec3 middle = V3Scale(0.5f, V3Add(f->corners[k], f->corners[(k + 1) % 3]));
			// The facet nearest to the last point is a good first guess and keeps the search short.
			nearest.distance = FacetDistance(middle, &to->facets[nearest.facet]);
			SearchNode(to, 0, middle, &nearest);
			sum += (double)(f->area * nearest.distance) / 3.0;
		}
		area += (double)f->area;
	}
	return sum / area;
}

double ShapeDistance(drapeClothView a, drapeClothView b)
{
	FacetTree treeA, treeB;
	bool created = CreateTree(&treeA, a);
	created = CreateTree(&treeB, b) && created;
	double distance = created ? 0.5 * (MeanDistance(&treeA, &treeB) + MeanDistance(&treeB, &treeA)) : (double)NAN;
	DestroyTree(&treeA);
	DestroyTree(&treeB);
	return distance;
}
