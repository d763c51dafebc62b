// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/criteria/criteria.h"
#include "base/simd.h"

// One row per criterion. criteria.c loops over the rows and never names a criterion; scene files and the studio loop
// over the public description in the row. To add a criterion: write criterion_NAME.c with its row, declare the row
// below, list it in criteria.c, and add its struct to drapeAdaptDef.
//
// The functions of a row are called in this order, for enabled criteria only:
//
//   prepare                        once per pass; fills the criterion's own limits
//   split, permits                 blocks of eight active edges, in parallel
//   join, expels                   eight particles at a time, in parallel, for particles whose wait is over
//   refine, permitsTriangle        ranges of triangles, in parallel
//   askCentre, askSplit, askJoin   callbacks into the program, on the calling thread, for what is still undecided
//   review                         once, on the calling thread
//
// A function that a criterion does not need is NULL. Results are bits, so they do not depend on the number of threads.

enum
{
	criterionLevels = 16,      // tables by level have so many entries
	criterionLimitBytes = 128, // for what `prepare` computes
	maxCriteria = 12,
};

_Static_assert(DRAPE_MAX_LEVEL < criterionLevels, "tables have an entry for every level");

// Shared data that a criterion reads. A pass computes it when an enabled criterion needs it.
enum
{
	criterionNeedsColors = 1 << 0,        // the triangles of the mesh in colours, see mean_curvature.h
	criterionNeedsMeanCurvature = 1 << 1, // Criteria::meanCurvature
	criterionNeedsBoundary = 1 << 2,      // Criteria::boundary
	criterionNeedsVisibility = 1 << 3,    // Criteria::visible, Criteria::invisible
};

typedef struct Criterion Criterion;

// The part of a pass that criteria read.
typedef struct CriteriaPass
{
	const drapeAdaptDef* def;
	ActiveMesh* active;
	Criteria* criteria;
	uint32_t maxLevel;
	float mayDeepen[criterionLevels]; // 1 for levels that may be refined, else 0
	const Criterion* enabled[maxCriteria];
	uint32_t enabledCount;
	bool isFiltered;     // an enabled criterion has `permits`
	bool refinesByShape; // an enabled criterion has `refine`
	float joinDeviation; // m; the accuracy criterion joins below it
	bool hasVoter;       // a criterion votes on joins; without any, a cloth keeps the edges that were split by hand
	bool hasFirmVoter;   // and one of them always has an opinion
	_Alignas(32) unsigned char limits[maxCriteria][criterionLimitBytes]; // [entry of `enabled`]
} CriteriaPass;

// Blocks of eight active edges that follow each other.
typedef struct EdgeBlocks
{
	uint32_t count;            // of blocks
	const uint32_t *from, *to; // [8 * count] particles
	const float* rest;         // [8 * count] rest lengths, m
	const uint8_t* level;      // [8 * count]
} EdgeBlocks;

// Eight particles of which some may be removed. A particle with two parents stands for the edge between them, one with
// three for the three edges of a triangle. These edges are its pairs.
typedef struct ParticleBlock
{
	uint32_t first;     // particle of lane 0
	uint32_t attempt;   // bits of the lanes that are asked about
	uint32_t pairCount; // 1 or 3; a lane with fewer pairs repeats its first one
	uint32_t from[3][8], to[3][8];
	float rest[3][8];
	uint8_t level[8]; // level of the edge or triangle that comes back: one less than the particle's
} ParticleBlock;

// The vote of one criterion about eight particles.
typedef struct JoinVote
{
	uint32_t agrees;  // the criterion lets the particle go
	uint32_t refuses; // the criterion would split the edge again at once
} JoinVote;

struct Criterion
{
	drapeCriterionInfo info; // key NULL when scene files and panels do not know it
	uint32_t needs;          // criterionNeeds...
	bool votes;              // takes part in decisions about joins; filters do not
	bool mayAbstain;         // votes, but may have no opinion
	bool unblocks;           // a requested split also splits the neighbours that block it
	bool preventsSleep;      // may ask for something else at any time

	bool (*isEnabled)(const drapeAdaptDef* def);
	// True when the definition can be used, else *reason is set to a static sentence. Called only when enabled.
	bool (*isValid)(const drapeAdaptDef* def, const char** reason);
	void (*prepare)(const CriteriaPass* pass, void* limits);

	// Sets bit i of bits[k] when edge i of block k should split. Bits of other criteria stay.
	void (*split)(const CriteriaPass* pass, const void* limits, const EdgeBlocks* edges, uint8_t* bits);
	JoinVote (*join)(const CriteriaPass* pass, const void* limits, const ParticleBlock* particles);
	// Sets bits of Criteria::refine for triangles of the range that should be refined as a whole.
	void (*refine)(const CriteriaPass* pass, const void* limits, uint32_t start, uint32_t end);

	// After the votes about joins: withdraws some (Criteria::join). Serial.
	void (*review)(const CriteriaPass* pass);

	// Filters. Bit i of `permits`: edge i may be split. Bit i of `expels`: particle i leaves whatever the others say.
	uint32_t (*permits)(const CriteriaPass* pass, const uint32_t* from, const uint32_t* to);
	bool (*permitsTriangle)(const CriteriaPass* pass, const uint32_t corner[3]);
	uint32_t (*expels)(const CriteriaPass* pass, const ParticleBlock* particles);

	// Callbacks. `level` is the one whose thresholds count (see Criteria_SplitLevel).
	bool (*asksCentres)(const drapeAdaptDef* def);
	bool (*askCentre)(const CriteriaPass* pass, uint32_t triangle);
	bool (*askSplit)(const CriteriaPass* pass, uint32_t edge, uint32_t level);
	drapeWish (*askJoin)(const CriteriaPass* pass, uint32_t particle);
};

#define CRITERION_PI 3.14159265358979323846
#define CRITERION_DEGREE 0.0174532925f // radians

// The members of drapeCriterionInfo that follow from the criterion's struct: its member of drapeAdaptDef, its type, the
// bool that enables it, and the table of its parameters.
#define CRITERION_STRUCT(member, Type, switch_, table)                                                                 \
	.offset = offsetof(drapeAdaptDef, member), .size = sizeof(Type), .enabled = offsetof(Type, switch_),               \
	.parameters = (table), .parameterCount = sizeof(table) / sizeof(table)[0]

extern const Criterion drapeAccuracyRow;
extern const Criterion drapeCurvatureRow;
extern const Criterion drapeMeanCurvatureRow;
extern const Criterion drapeLengthRow;
extern const Criterion drapeCollisionRow;
extern const Criterion drapeVisibilityRow;
extern const Criterion drapeUserRow;

// The level whose thresholds count for an edge or triangle that might be split. A triangle of odd generation of the
// square-root-3 scheme is half-way between two states: it becomes even when its mate is split. Unless it would be split
// then too, that is in vain: the mate has no reason of its own to stay split, is joined, and the cycle repeats.
DRAPE_INLINE uint32_t Criteria_SplitLevel(const drapeAdaptDef* def, uint32_t level)
{
	return def->scheme == drape_schemeSqrt3 ? level + (level & 1) : level;
}

// A table by level in which odd levels of the square-root-3 scheme have the entry of the next even one.
static inline void CriteriaPass_RoundLevels(const CriteriaPass* pass, float table[criterionLevels])
{
	for (uint32_t level = 0; level + 1 < criterionLevels; ++level)
		table[level] = table[Criteria_SplitLevel(pass->def, level)];
}

// Marks the particles that are visible (criterion_visibility.c).
void drapeVisibility_Mark(const CriteriaPass* pass, TaskPool* tasks);
