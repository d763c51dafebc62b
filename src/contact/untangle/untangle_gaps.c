// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include "contact/narrow/continuous.h"

enum
{
	maxGapPasses = 40,
	maxIdlePasses = 4, // without a lower number of close pairs
	pairsPerLook = 1024,
};

// Features that are too close are separated one after the other, each in the positions that the last one left
// (Gauss-Seidel, as in position based dynamics, Mueller et al. 2007). Two close triangles are tested with all their
// corners and edges; shared features come up several times and then need no motion.

// The distance after a separation, in gaps: rounding must not leave less than the gap.
static const float separationFactor = 1.5f;

typedef struct Feature
{
	uint32_t vertex[4];
	float weight[4]; // their sum is 0; the weighted sum of positions is the vector from one side to the other
	float square;    // squared distance, m^2
} Feature;

// Moves both sides apart when they are closer than the gap. Returns whether they were.
static bool Separate(Tangle* tangle, const Feature* feature, float gap)
{
	Vec4* position = tangle->position.data;
	float distance = sqrtf(feature->square), mobility = 0.0f;
	if (!(distance < gap) || !(distance > 0.0f))
		return distance < gap;
	Vec3 between = {0.0f, 0.0f, 0.0f}, first = V4Xyz(position[feature->vertex[0]]);
	for (int k = 0; k < 4; ++k)
	{
		Vec3 x = V3Sub(V4Xyz(position[feature->vertex[k]]), first);
		between = V3Add(between, V3Scale(feature->weight[k], x));
		mobility += position[feature->vertex[k]].w * feature->weight[k] * feature->weight[k];
	}
	if (!(mobility > 0.0f))
		return false; // neither side can move
	Vec3 push = V3Scale((separationFactor * gap - distance) / (mobility * distance), between);
	for (int k = 0; k < 4; ++k)
	{
		Vec4* x = &position[feature->vertex[k]];
		float share = x->w * feature->weight[k];
		*x = (Vec4){x->x + share * push.x, x->y + share * push.y, x->z + share * push.z, x->w};
	}
	return true;
}

// Separates a corner of one triangle from another triangle.
static bool SeparateCorner(Tangle* tangle, uint32_t corner, const uint32_t* face, float gap)
{
	const Vec4* x = tangle->position.data;
	Feature feature = {.vertex = {corner, face[0], face[1], face[2]}, .weight = {1.0f}};
	float weight[3];
	feature.square =
		drapeClosest_PointTriangle(V4Xyz(x[corner]), V4Xyz(x[face[0]]), V4Xyz(x[face[1]]), V4Xyz(x[face[2]]), weight);
	for (int k = 0; k < 3; ++k)
		feature.weight[k + 1] = -weight[k];
	return Separate(tangle, &feature, gap);
}

static bool SeparateEdges(Tangle* tangle, uint32_t a, uint32_t b, uint32_t c, uint32_t d, float gap)
{
	const Vec4* x = tangle->position.data;
	float s, t;
	Feature feature = {.vertex = {a, b, c, d}};
	feature.square = drapeClosest_SegmentSegment(V4Xyz(x[a]), V4Xyz(x[b]), V4Xyz(x[c]), V4Xyz(x[d]), &s, &t);
	feature.weight[0] = 1.0f - s;
	feature.weight[1] = s;
	feature.weight[2] = t - 1.0f;
	feature.weight[3] = -t;
	return Separate(tangle, &feature, gap);
}

static bool SeparateTriangles(Tangle* tangle, uint32_t triangle, uint32_t other, float gap)
{
	const uint32_t *a = tangle->corners.data + 3 * (size_t)triangle, *b = tangle->corners.data + 3 * (size_t)other;
	bool isTooClose = false;
	for (int i = 0; i < 3; ++i)
	{
		isTooClose |= SeparateCorner(tangle, a[i], b, gap);
		isTooClose |= SeparateCorner(tangle, b[i], a, gap);
		for (int k = 0; k < 3; ++k)
			isTooClose |= SeparateEdges(tangle, a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3], gap);
	}
	return isTooClose;
}

// Separates the close pairs of two surfaces. Returns the number of pairs that were too close.
static uint32_t SeparatePairs(Untangler* u, uint32_t surface, uint32_t otherSurface)
{
	Tangle* tangle = u->tangle;
	const TangleSurface *one = &tangle->surfaces.data[surface], *other = &tangle->surfaces.data[otherSurface];
	float gap = MaxNumF(one->gap, other->gap);
	uint32_t missing = 0;
	for (uint32_t p = 0; p < tangle->pairs.pairs.count; ++p)
	{
		PrimitivePair pair = tangle->pairs.pairs.data[p];
		if (p % pairsPerLook == 0 && drapeUntangler_MustStop(u))
			break;
		missing += SeparateTriangles(tangle, one->triangleStart + pair.a, other->triangleStart + pair.b, gap);
	}
	return missing;
}

// Runs one pass over all features of cloths that are closer than their gap to each other or to a collider mesh, and
// moves each pair apart by the smallest motion for its masses. *missing receives the number of such pairs. The pass can
// create crossings. Returns false when out of memory.
static bool OpenOnce(Untangler* u, uint32_t* missing)
{
	Tangle* tangle = u->tangle;
	float widest = 0.0f;
	*missing = 0;
	for (uint32_t i = 0; i < tangle->clothCount; ++i)
		widest = MaxNumF(widest, tangle->surfaces.data[i].gap);
	if (!drapeTangle_Fit(tangle, widest, u->tasks))
		return false;
	for (uint32_t i = 0; i < tangle->clothCount; ++i)
	{
		for (uint32_t k = i; k < tangle->surfaces.count; ++k)
		{
			if (!drapeTangle_Pairs(tangle, i, k, u->tasks))
				return false;
			*missing += SeparatePairs(u, i, k);
		}
	}
	return true;
}

bool drapeUntangler_OpenGaps(Untangler* u)
{
	Tangle* tangle = u->tangle;
	uint32_t least = UINT32_MAX, idle = 0;
	for (int i = 0; i < maxGapPasses && idle < maxIdlePasses && !drapeUntangler_MustStop(u); ++i)
	{
		uint32_t missing;
		if (!OpenOnce(u, &missing) || !drapeTangle_Find(tangle, u->tasks))
			return false;
		if (tangle->crossings.count > u->bestCount)
			break;
		drapeUntangler_Keep(u);
		if (missing == 0)
			break;
		idle = missing < least ? 0 : idle + 1;
		least = MinU32(least, missing);
	}
	return true;
}
