// SPDX-License-Identifier: MIT
#include "contact/narrow/continuous.h"
#include "contact/untangle/untangle.h"

// Features that are too near are taken one after the other, each seeing what the last has moved: Gauss and Seidel, as
// in position based dynamics (Mueller et al. 2007). Two triangles near each other are looked at by all their corners
// and edges; what several triangles share comes up several times, and has nothing left to do then.

// Beyond the gap, over it: rounding must not leave less than it.
static const float beyond = 1.5f;

typedef struct Feature
{
	uint32_t vertex[4];
	float weight[4]; // their sum is 0; the sum of weights times positions goes from one side to the other
	float square;    // of its length, m^2
} Feature;

// Moves both sides apart when they are nearer than the gap. True when they were.
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
		return false; // nobody can
	Vec3 push = V3Scale((beyond * gap - distance) / (mobility * distance), between);
	for (int k = 0; k < 4; ++k)
	{
		Vec4* x = &position[feature->vertex[k]];
		float share = x->w * feature->weight[k];
		*x = (Vec4){x->x + share * push.x, x->y + share * push.y, x->z + share * push.z, x->w};
	}
	return true;
}

// A corner of one triangle and all of another.
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
	bool isMissing = false;
	for (int i = 0; i < 3; ++i)
	{
		isMissing |= SeparateCorner(tangle, a[i], b, gap);
		isMissing |= SeparateCorner(tangle, b[i], a, gap);
		for (int k = 0; k < 3; ++k)
			isMissing |= SeparateEdges(tangle, a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3], gap);
	}
	return isMissing;
}

bool drapeTangle_OpenGaps(Tangle* tangle, TaskPool* tasks, uint32_t* missing)
{
	float widest = 0.0f;
	*missing = 0;
	for (uint32_t i = 0; i < tangle->clothCount; ++i)
		widest = fmaxf(widest, tangle->surfaces.data[i].gap);
	if (!drapeTangle_Fit(tangle, widest, tasks))
		return false;
	for (uint32_t i = 0; i < tangle->clothCount; ++i)
	{
		for (uint32_t k = i; k < tangle->surfaces.count; ++k)
		{
			const TangleSurface *one = &tangle->surfaces.data[i], *other = &tangle->surfaces.data[k];
			if (!drapeTangle_Pairs(tangle, i, k, tasks))
				return false;
			for (uint32_t p = 0; p < tangle->pairs.pairs.count; ++p)
			{
				PrimitivePair pair = tangle->pairs.pairs.data[p];
				*missing += SeparateTriangles(tangle, one->triangleStart + pair.a, other->triangleStart + pair.b,
				                              fmaxf(one->gap, other->gap));
			}
		}
	}
	return true;
}
