// SPDX-License-Identifier: MIT
#include "adapt/criteria/triangle_cap.h"

#include "adapt/criteria/deviation.h"

#include <string.h>

enum
{
	binsPerOctave = 8,
	binCount = 64 * binsPerOctave, // from 2^-40 m to 2^24 m
	lowestExponent = -40,
	trianglesPerSplit = 2, // a particle inside the cloth makes two triangles, one on the boundary makes one
	splitsPerRefine = 2,   // a triangle has three edges, most of which it shares
};

typedef struct DeviationHistogram
{
	uint32_t splits[binCount]; // requested
	uint32_t joins[binCount];  // possible
} DeviationHistogram;

// The bin of a deviation: its exponent and the first three bits of its mantissa.
static uint32_t BinOf(float deviation)
{
	uint32_t bits;
	memcpy(&bits, &deviation, sizeof bits);
	int32_t bin = (int32_t)(bits >> 20) - binsPerOctave * (127 + lowestExponent);
	return !(deviation > 0.0f) || bin < 0 ? 0 : MinU32((uint32_t)bin, binCount - 1);
}

// The least deviation of a bin, m.
static float LeastOf(uint32_t bin)
{
	DRAPE_ASSERT(bin < binCount);
	uint32_t bits = (bin + binsPerOctave * (127 + lowestExponent)) << 20;
	float deviation;
	memcpy(&deviation, &bits, sizeof deviation);
	return deviation;
}

static uint32_t BinOfEdge(const CriteriaPass* pass, uint32_t edge)
{
	const ActiveMesh* active = pass->active;
	return BinOf(Deviation_OfPair(active, &pass->criteria->boundary, active->edgeFrom[edge], active->edgeTo[edge]));
}

static uint32_t BinOfTriangle(const CriteriaPass* pass, uint32_t triangle)
{
	const uint32_t* corner = pass->active->triangle[triangle];
	uint32_t bin = 0;
	for (uint32_t k = 0; k < 3; ++k)
	{
		float deviation = Deviation_OfPair(pass->active, &pass->criteria->boundary, corner[k], corner[(k + 1) % 3]);
		bin = MaxU32(bin, BinOf(deviation));
	}
	return bin;
}

static uint32_t BinOfParticle(const CriteriaPass* pass, uint32_t particle)
{
	const ParticleParents* parents = &pass->active->parents[particle];
	uint32_t bin = BinOf(Deviation_OfParticle(pass->active, particle));
	for (uint32_t k = 0; k < ParticleParents_Pairs(parents); ++k)
	{
		float deviation =
			Deviation_OfPair(pass->active, &pass->criteria->boundary, parents->parent[k], parents->parent[(k + 1) % 3]);
		bin = MaxU32(bin, BinOf(deviation));
	}
	return bin;
}

// The number of splits that fit; negative when the cloth has too many triangles.
static int64_t FreeSplits(const CriteriaPass* pass)
{
	DRAPE_ASSERT(pass->def->maxTriangles > 0);
	return ((int64_t)pass->def->maxTriangles - (int64_t)pass->active->triangleCount) / trianglesPerSplit;
}

static int64_t RequestedSplits(const CriteriaPass* pass)
{
	const Criteria* criteria = pass->criteria;
	uint32_t triangles = criteria->refines ? BitSet_CountSet(&criteria->refine, pass->active->triangleCount) : 0;
	return (int64_t)BitSet_CountSet(&criteria->split, pass->active->edgeCount) + splitsPerRefine * (int64_t)triangles;
}

// Particles beside finer triangles: those must go first. A split of the square-root-3 scheme and the flips after it
// make triangles that are one generation finer than the particle.
static void MarkCovered(const CriteriaPass* pass)
{
	const ActiveMesh* active = pass->active;
	const uint32_t own = pass->def->scheme == drape_schemeSqrt3 ? 1 : 0;
	BitSet* covered = &pass->criteria->covered;
	BitSet_ClearAll(covered, active->particleCount);
	for (uint32_t t = 0; t < active->triangleCount; ++t)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t particle = active->triangle[t][k];
			if (active->level[particle] + own < active->triangleLevel[t])
				BitSet_Set(covered, particle);
		}
	}
}

static void CountSplits(const CriteriaPass* pass, uint32_t* splits)
{
	const Criteria* criteria = pass->criteria;
	const ActiveMesh* active = pass->active;
	for (uint32_t i = BitSet_Next(&criteria->split, 0, active->edgeCount); i != DRAPE_NONE;
	     i = BitSet_Next(&criteria->split, i + 1, active->edgeCount))
		splits[BinOfEdge(pass, i)]++;
	if (!criteria->refines)
		return;
	for (uint32_t i = BitSet_Next(&criteria->refine, 0, active->triangleCount); i != DRAPE_NONE;
	     i = BitSet_Next(&criteria->refine, i + 1, active->triangleCount))
		splits[BinOfTriangle(pass, i)] += splitsPerRefine;
}

static void CountJoins(const CriteriaPass* pass, uint32_t* joins)
{
	const Criteria* criteria = pass->criteria;
	const ActiveMesh* active = pass->active;
	MarkCovered(pass);
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		if (active->level[i] > 0 && !BitSet_Get(&criteria->covered, i) && !BitSet_Get(&criteria->sleep.bits, i))
			joins[BinOfParticle(pass, i)]++;
	}
}

void drapeTriangleCap_RaiseJoins(CriteriaPass* pass)
{
	const int64_t free = FreeSplits(pass);
	if (!pass->def->accuracy.enabled || RequestedSplits(pass) <= free)
		return;
	DeviationHistogram histogram = {0};
	CountSplits(pass, histogram.splits);
	CountJoins(pass, histogram.joins);
	// The threshold goes up from the accuracy's length. `splits` are above it, `joins` are below half of it.
	uint32_t bin = MaxU32(BinOf(pass->def->accuracy.deviation) + 1, binsPerOctave);
	int64_t splits = 0, joins = 0;
	for (uint32_t i = bin; i < binCount; ++i)
		splits += histogram.splits[i];
	for (uint32_t i = 0; i < bin - binsPerOctave; ++i)
		joins += histogram.joins[i];
	while (splits > joins + free && bin + 1 < binCount)
	{
		splits -= histogram.splits[bin];
		joins += histogram.joins[bin - binsPerOctave];
		bin++;
	}
	pass->joinDeviation = MaxNumF(pass->joinDeviation, LeastOf(bin - binsPerOctave));
}

// Keeps the requests above a bin, and those of the bin itself as long as they fit.
typedef struct Quota
{
	uint32_t bin;
	int64_t left; // for requests of the bin itself
} Quota;

static bool Keep(Quota* quota, uint32_t bin, uint32_t splits)
{
	if (bin != quota->bin)
		return bin > quota->bin;
	quota->left -= splits;
	return quota->left >= 0;
}

void drapeTriangleCap_Prune(const CriteriaPass* pass)
{
	Criteria* criteria = pass->criteria;
	const ActiveMesh* active = pass->active;
	if (RequestedSplits(pass) <= FreeSplits(pass))
		return;
	uint32_t splits[binCount] = {0};
	CountSplits(pass, splits);
	Quota quota = {.bin = binCount, .left = FreeSplits(pass)};
	while (quota.bin > 0 && quota.left > 0 && splits[quota.bin - 1] <= quota.left)
		quota.left -= splits[--quota.bin];
	quota.bin -= quota.bin > 0;
	for (uint32_t i = BitSet_Next(&criteria->split, 0, active->edgeCount); i != DRAPE_NONE;
	     i = BitSet_Next(&criteria->split, i + 1, active->edgeCount))
	{
		if (!Keep(&quota, BinOfEdge(pass, i), 1))
			BitSet_Clear(&criteria->split, i);
	}
	if (!criteria->refines)
		return;
	for (uint32_t i = BitSet_Next(&criteria->refine, 0, active->triangleCount); i != DRAPE_NONE;
	     i = BitSet_Next(&criteria->refine, i + 1, active->triangleCount))
	{
		if (!Keep(&quota, BinOfTriangle(pass, i), splitsPerRefine))
			BitSet_Clear(&criteria->refine, i);
	}
	DRAPE_ASSERT(RequestedSplits(pass) <= FreeSplits(pass) || FreeSplits(pass) < 0);
}
