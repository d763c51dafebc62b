// SPDX-License-Identifier: MIT
#include "adapt/criteria.h"

#include "base/rules.h"
#include "base/simd.h"

#include <string.h>

drapeAdaptDef drapeDefaultAdaptDef(void)
{
	const float degree = 0.0174532925f;
	return (drapeAdaptDef){
		.scheme = drape_schemeEdge,
		.maxLevel = 3,
		.joinWait = 10,
		.curvature = {.enabled = true, .splitAngle = 10.0f * degree, .joinAngle = 7.0f * degree},
		.meanCurvature = {.baseLimit = 1.0f, .finestLimit = 20.0f, .coarsenFraction = 0.5f},
		.length = {.splitRatio = 0.98f, .joinRatio = 0.99f, .levelFactor = 1.0f},
		.collision = {.maxLevel = DRAPE_MAX_LEVEL},
	};
}

// One row per rule, so that a test can see that each fires.
bool drapeCriteria_IsValid(const drapeAdaptDef* def, const char** reason)
{
	const drapeCurvatureCriterion* curvature = &def->curvature;
	const drapeMeanCurvatureCriterion* mean = &def->meanCurvature;
	const drapeLengthCriterion* length = &def->length;
	const float pi = 3.14159265f;
	// Comparisons are written so that NaN fails them.
	const Rule rules[] = {
		{(unsigned)def->scheme <= drape_schemeSqrt3, "unknown refinement scheme"},
		{def->maxLevel <= DRAPE_MAX_LEVEL, "maxLevel is above DRAPE_MAX_LEVEL"},
		{(unsigned)def->tieRule <= drape_tieCurvature, "unknown tie rule"},
		{(unsigned)def->joinRule <= drape_joinAlways, "unknown join rule"},
		{def->joinWait <= 255, "joinWait is above 255"},
		{!curvature->enabled || (curvature->joinAngle >= 0.0f && curvature->splitAngle <= pi),
	     "curvature angles are not between 0 and pi"},
		{!curvature->enabled || curvature->joinAngle <= curvature->splitAngle,
	     "curvature would rejoin what it has just split: joinAngle is above splitAngle"},
		{!mean->enabled ||
	         (mean->baseLimit > 0.0f && mean->finestLimit > 0.0f && mean->baseLimit < 1e9f && mean->finestLimit < 1e9f),
	     "limits of the mean curvature are not positive"},
		{!mean->enabled || (mean->coarsenFraction >= 0.0f && mean->coarsenFraction <= 1.0f),
	     "coarsenFraction is not between 0 and 1"},
		{!length->enabled || (length->splitRatio > 0.0f && length->joinRatio < 100.0f),
	     "length ratios are not positive"},
		{!length->enabled || length->splitRatio <= length->joinRatio,
	     "length would rejoin what it has just split: joinRatio is below splitRatio"},
		{!length->enabled || (length->levelFactor > 0.0f && length->levelFactor <= 1.0f),
	     "levelFactor is not between 0 and 1"},
		{!def->visibility.enabled || V3IsFinite(def->visibility.camera), "the camera is not at a finite position"},
	};
	return Rules_Hold(rules, sizeof rules / sizeof rules[0], reason);
}

void drapeCriteria_Destroy(Criteria* criteria)
{
	BitSet_Free(&criteria->split);
	BitSet_Free(&criteria->join);
	BitSet_Free(&criteria->attempt);
	BitSet_Free(&criteria->undecided);
	BitSet_Free(&criteria->visible);
	BitSet_Free(&criteria->invisible);
	BitSet_Free(&criteria->refine);
	drapeMeanCurvature_Destroy(&criteria->meanCurvature);
	drapeObstacles_Destroy(&criteria->obstacles);
	drapeSleep_Destroy(&criteria->sleep);
}

uint32_t drapeCriteria_MaxLevel(const drapeAdaptDef* def)
{
	return def->scheme == drape_schemeSqrt3 ? def->maxLevel & ~1u : def->maxLevel;
}

// --- curvature and length, eight at a time --------------------------------------------------------------------------

enum
{
	levelCount = 16,
	criteriaGrain = 1024, // edges or particles per task; a multiple of 64, so that tasks write different words
};

_Static_assert(DRAPE_MAX_LEVEL < levelCount, "tables have a place for every level");

// The definition, prepared for the loops.
typedef struct Thresholds
{
	const drapeAdaptDef* def;
	ActiveMesh* active;
	Criteria* criteria;
	float cosSplit, cosJoin;
	float splitLength2[levelCount], joinLength2[levelCount]; // squared ratios by level
	float refineMean[levelCount], joinMean[levelCount];      // 1/m, by level
	float mayDeepen[levelCount];                             // 1 below the maximum level, else 0
	uint32_t maxLevel;
	bool mayJoin; // a cloth without criteria keeps what was split by hand
} Thresholds;

// The level whose thresholds count for what might be split. With the square-root-3 scheme an odd triangle is half-way
// between two states: it gets even by splitting its mate. Unless it would be split then too, that is in vain: the mate
// has no reason of its own to stay split, rejoins, and all begins anew.
static uint32_t SplitLevel(const drapeAdaptDef* def, uint32_t level)
{
	return def->scheme == drape_schemeSqrt3 ? level + (level & 1) : level;
}

static Thresholds Prepare(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active)
{
	Thresholds thresholds = {
		.def = def,
		.active = active,
		.criteria = criteria,
		.cosSplit = cosf(def->curvature.splitAngle),
		.cosJoin = cosf(def->curvature.joinAngle),
		.maxLevel = drapeCriteria_MaxLevel(def),
	};
	const drapeMeanCurvatureCriterion* mean = &def->meanCurvature;
	float factor = 1.0f;
	for (uint32_t level = 0; level < levelCount; ++level)
	{
		float split = factor * def->length.splitRatio, join = factor * def->length.joinRatio;
		// l_g = g / g_max (l_gmax - l_base) + l_base   Bender and Deul 2012, section 5
		float depth = thresholds.maxLevel > 0 ? (float)level / (float)thresholds.maxLevel : 0.0f;
		thresholds.splitLength2[level] = split * split;
		thresholds.joinLength2[level] = join * join;
		thresholds.refineMean[level] = mean->baseLimit + fminf(depth, 1.0f) * (mean->finestLimit - mean->baseLimit);
		thresholds.joinMean[level] = mean->coarsenFraction * thresholds.refineMean[level];
		thresholds.mayDeepen[level] = level < thresholds.maxLevel ? 1.0f : 0.0f;
		factor *= def->length.levelFactor;
	}
	for (uint32_t level = 0; level + 1 < levelCount; ++level)
	{
		uint32_t next = SplitLevel(def, level);
		thresholds.splitLength2[level] = thresholds.splitLength2[next];
		thresholds.refineMean[level] = thresholds.refineMean[next];
		thresholds.mayDeepen[level] = thresholds.mayDeepen[next];
	}
	thresholds.mayJoin = def->curvature.enabled || mean->enabled || def->length.enabled || def->collision.inside ||
	                     def->user.wish || def->joinRule == drape_joinAlways;
	return thresholds;
}

// Cosine of the angle between the normals at both ends.
DRAPE_INLINE F8 NormalCosine(const ActiveMesh* active, const uint32_t* from, const uint32_t* to)
{
	F8 ax, ay, az, bx, by, bz;
	F8_GatherRows(active->normal, from, &ax, &ay, &az);
	F8_GatherRows(active->normal, to, &bx, &by, &bz);
	return F8_Add(F8_Add(F8_Mul(ax, bx), F8_Mul(ay, by)), F8_Mul(az, bz));
}

DRAPE_INLINE F8 Length2(const ActiveMesh* active, const uint32_t* from, const uint32_t* to)
{
	F8 ax, ay, az, bx, by, bz;
	F8_GatherRows(active->position, from, &ax, &ay, &az);
	F8_GatherRows(active->position, to, &bx, &by, &bz);
	F8 x = F8_Sub(ax, bx), y = F8_Sub(ay, by), z = F8_Sub(az, bz);
	return F8_Add(F8_Add(F8_Mul(x, x), F8_Mul(y, y)), F8_Mul(z, z));
}

// Bit i of the result: edge i of eight should split.
DRAPE_INLINE uint32_t SplitBits(const Thresholds* t, const uint32_t* from, const uint32_t* to, const float* rest,
                                const uint8_t* level)
{
	F8 zero = F8_Splat(0.0f);
	M8 wanted = F8_Lt(zero, zero);
	if (t->def->length.enabled)
	{
		F8 length = F8_Load(rest);
		F8 limit = F8_Mul(F8_Lookup(t->splitLength2, level), F8_Mul(length, length));
		wanted = F8_Lt(Length2(t->active, from, to), limit);
	}
	if (t->def->curvature.enabled)
		wanted = M8_Or(wanted, F8_Lt(NormalCosine(t->active, from, to), F8_Splat(t->cosSplit)));
	return M8_Bits(M8_And(wanted, F8_Gt(F8_Lookup(t->mayDeepen, level), zero)));
}

// What criteria that go by the shape ask for; zero where they are off.
static SleepLimits LimitsOf(const drapeAdaptDef* def)
{
	SleepLimits limits = {.maxLevel = def->maxLevel, .joinRule = (uint32_t)def->joinRule};
	if (def->curvature.enabled)
	{
		limits.splitAngle = def->curvature.splitAngle;
		limits.joinAngle = def->curvature.joinAngle;
	}
	if (def->length.enabled)
	{
		limits.splitRatio = def->length.splitRatio;
		limits.joinRatio = def->length.joinRatio;
		limits.levelFactor = def->length.levelFactor;
	}
	if (def->meanCurvature.enabled)
	{
		limits.baseLimit = def->meanCurvature.baseLimit;
		limits.finestLimit = def->meanCurvature.finestLimit;
		limits.coarsenFraction = def->meanCurvature.coarsenFraction;
	}
	return limits;
}

static bool IsAsleep(const Thresholds* t, uint32_t particle)
{
	return BitSet_Get(&t->criteria->sleep.bits, particle);
}

static uint32_t MovingBits(const Thresholds* t, const uint32_t* from, const uint32_t* to)
{
	uint32_t bits = 0;
	for (uint32_t i = 0; i < 8; ++i)
		bits |= (uint32_t) !(IsAsleep(t, from[i]) && IsAsleep(t, to[i])) << i;
	return bits;
}

static bool EdgeIsVisible(const Thresholds* t, uint32_t from, uint32_t to)
{
	return BitSet_Get(&t->criteria->visible, from) || BitSet_Get(&t->criteria->visible, to);
}

// Facing away by more than a few degrees. Coarsening turns the normals a little, and a silhouette that rejoined as soon
// as it was invisible would be visible again and split for ever.
static bool IsTurnedAway(const Thresholds* t, uint32_t particle)
{
	const float margin = 0.1f;
	if (t->def->visibility.visible)
		return !BitSet_Get(&t->criteria->visible, particle);
	Vec3 towards = V3Sub(t->def->visibility.camera, V4Xyz(t->active->position[particle]));
	return V3Dot(towards, V4Xyz(t->active->normal[particle])) < -margin * V3Length(towards);
}

static bool EdgeIsHidden(const Thresholds* t, uint32_t from, uint32_t to)
{
	return !EdgeIsVisible(t, from, to) && IsTurnedAway(t, from) && IsTurnedAway(t, to);
}

static uint32_t VisibleBits(const Thresholds* t, const uint32_t* from, const uint32_t* to)
{
	uint32_t bits = 0;
	for (uint32_t i = 0; i < 8; ++i)
		bits |= (uint32_t)EdgeIsVisible(t, from[i], to[i]) << i;
	return bits;
}

static void SplitTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Thresholds* t = context;
	const ActiveMesh* active = t->active;
	uint8_t* split = (uint8_t*)t->criteria->split.words;
	uint8_t* invisible = (uint8_t*)t->criteria->invisible.words;
	bool checksVisibility = t->def->visibility.enabled;
	for (uint32_t i = start; i < end; i += 8)
	{
		const uint32_t *from = &active->edgeFrom[i], *to = &active->edgeTo[i];
		uint32_t tailFrom[8] = {0}, tailTo[8] = {0}, inRange = 0xff;
		if (end - i < 8)
		{
			memcpy(tailFrom, from, (end - i) * sizeof *from);
			memcpy(tailTo, to, (end - i) * sizeof *to);
			from = tailFrom;
			to = tailTo;
			inRange = (1u << (end - i)) - 1;
		}
		uint32_t bits = SplitBits(t, from, to, &active->restLength[i], &active->edgeLevel[i]) & inRange;
		if (checksVisibility)
		{
			uint32_t seen = VisibleBits(t, from, to);
			invisible[i / 8] = (uint8_t)(~seen & inRange);
			bits &= seen;
		}
		if (bits)
			bits &= MovingBits(t, from, to);
		split[i / 8] = (uint8_t)bits;
	}
}

// The ends of pair `pair` of the parents of eight particles, and the rest length between them. A particle without such
// a pair repeats its first one. False when none has it.
DRAPE_INLINE bool GatherPair(const ActiveMesh* active, uint32_t first, uint32_t attempt, uint32_t pair, uint32_t* from,
                             uint32_t* to, float* rest)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < 8; ++i)
	{
		from[i] = to[i] = 0;
		rest[i] = 0.0f;
		if (!(attempt & 1u << i))
			continue;
		const ParticleParents* parents = &active->parents[first + i];
		bool hasPair = pair < ParticleParents_Pairs(parents);
		uint32_t k = hasPair ? pair : 0;
		found |= hasPair;
		from[i] = parents->parent[k];
		to[i] = parents->parent[(k + 1) % 3];
		rest[i] = active->parentLength[k][first + i];
	}
	return found != 0;
}

// What the criteria that look at pairs say about eight particles: which should go as far as curvature or length can
// tell, and which of them one would split again at once.
typedef struct PairVotes
{
	uint32_t curvature, length, refused, hidden;
} PairVotes;

DRAPE_INLINE PairVotes VotePair(const Thresholds* t, const uint32_t* from, const uint32_t* to, const float* rest,
                                const uint8_t* level)
{
	PairVotes votes = {0xff, 0xff, 0, 0xff};
	if (t->def->length.enabled)
	{
		F8 length = F8_Load(rest), length2 = Length2(t->active, from, to), rest2 = F8_Mul(length, length);
		votes.length = M8_Bits(F8_Gt(length2, F8_Mul(F8_Lookup(t->joinLength2, level), rest2)));
		votes.refused |= M8_Bits(F8_Lt(length2, F8_Mul(F8_Lookup(t->splitLength2, level), rest2)));
	}
	if (t->def->curvature.enabled)
	{
		F8 cosine = NormalCosine(t->active, from, to);
		votes.curvature = M8_Bits(F8_Gt(cosine, F8_Splat(t->cosJoin)));
		votes.refused |= M8_Bits(F8_Lt(cosine, F8_Splat(t->cosSplit)));
	}
	for (uint32_t i = 0; i < 8 && t->def->visibility.enabled; ++i)
		votes.hidden &= ~((uint32_t)!EdgeIsHidden(t, from[i], to[i]) << i);
	return votes;
}

static PairVotes VotePairs(const Thresholds* t, uint32_t first, uint32_t attempt, const uint8_t* level)
{
	PairVotes votes = {0xff, 0xff, 0, 0xff};
	uint32_t from[8], to[8];
	float rest[8];
	for (uint32_t pair = 0; pair < 3 && GatherPair(t->active, first, attempt, pair, from, to, rest); ++pair)
	{
		PairVotes vote = VotePair(t, from, to, rest, level);
		votes.curvature &= vote.curvature;
		votes.length &= vote.length;
		votes.refused |= vote.refused;
		votes.hidden &= vote.hidden;
	}
	return votes;
}

// Mean curvature where the particle is and where its ring will be without it, which is at its parents.
static float MeanCurvatureAround(const Thresholds* t, uint32_t particle)
{
	const float* value = t->criteria->meanCurvature.value.data;
	const ParticleParents* parents = &t->active->parents[particle];
	float largest = value[particle];
	for (int k = 0; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
		largest = fmaxf(largest, value[parents->parent[k]]);
	return largest;
}

// Bits of eight particles, of those in `attempt`, that should go as far as curvature and length can tell. `undecided`
// are those where callbacks can still refuse or, under drape_joinAny, ask for it.
static uint32_t JoinBits(const Thresholds* t, uint32_t first, uint32_t attempt, uint32_t* undecided)
{
	const ActiveMesh* active = t->active;
	uint8_t level[8] = {0};
	for (uint32_t i = 0; i < 8; ++i)
	{
		if (attempt & 1u << i)
			level[i] = (uint8_t)(active->level[first + i] - 1);
	}
	const drapeJoinRule rule = t->def->joinRule;
	PairVotes votes = VotePairs(t, first, attempt, level);
	uint32_t mean = 0xff, refused = votes.refused;
	for (uint32_t i = 0; i < 8 && t->def->meanCurvature.enabled; ++i)
	{
		float largest = attempt & 1u << i ? MeanCurvatureAround(t, first + i) : 0.0f;
		mean &= ~((uint32_t)(largest >= t->joinMean[level[i]]) << i);
		refused |= (uint32_t)(largest > t->refineMean[level[i]]) << i;
	}
	uint32_t agreed = votes.curvature & votes.length & mean, asked = 0;
	asked |= t->def->curvature.enabled ? votes.curvature : 0;
	asked |= t->def->length.enabled ? votes.length : 0;
	asked |= t->def->meanCurvature.enabled ? mean : 0;
	uint32_t wanted = rule == drape_joinAll ? agreed : rule == drape_joinAny ? asked : 0xff;
	wanted = t->mayJoin ? wanted & ~refused : 0;
	*undecided = attempt & ~refused & (rule == drape_joinAny ? 0xff : wanted);
	for (uint32_t i = 0; i < 8; ++i)
	{
		uint32_t bit = 1u << i;
		bool tooDeep = level[i] >= t->maxLevel;
		if ((attempt & bit) && (tooDeep || (t->def->visibility.enabled && (votes.hidden & bit))))
		{
			wanted |= bit;
			*undecided &= ~bit;
		}
	}
	return wanted & attempt;
}

static void JoinTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Thresholds* t = context;
	ActiveMesh* active = t->active;
	uint8_t* join = (uint8_t*)t->criteria->join.words;
	uint8_t* attempts = (uint8_t*)t->criteria->attempt.words;
	uint8_t* undecided = (uint8_t*)t->criteria->undecided.words;
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t attempt = 0, open = 0, count = MinU32(8, end - i);
		for (uint32_t k = 0; k < count; ++k)
		{
			if (IsAsleep(t, i + k) && active->level[i + k] <= t->maxLevel)
				continue;
			bool isDue = active->level[i + k] > 0 && active->joinWait[i + k] == 0;
			attempt |= (uint32_t)isDue << k;
			if (isDue)
				active->joinWait[i + k] = drapeSplitJoinHysteresis_Wait(
					&t->criteria->hysteresis, active->originKey[i + k], (uint8_t)t->def->joinWait);
			else if (active->joinWait[i + k] > 0)
				active->joinWait[i + k]--;
		}
		attempts[i / 8] = (uint8_t)attempt;
		join[i / 8] = (uint8_t)(attempt ? JoinBits(t, i, attempt, &open) : 0);
		undecided[i / 8] = (uint8_t)open;
	}
}

static bool TriangleIsVisible(const Thresholds* t, const uint32_t* corner)
{
	return EdgeIsVisible(t, corner[0], corner[1]) || BitSet_Get(&t->criteria->visible, corner[2]);
}

static void RefineTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Thresholds* t = context;
	const float* value = t->criteria->meanCurvature.value.data;
	for (uint32_t i = start; i < end; ++i)
	{
		const uint32_t *corner = t->active->triangle[i], level = t->active->triangleLevel[i];
		float largest = fmaxf(value[corner[0]], fmaxf(value[corner[1]], value[corner[2]]));
		if (IsAsleep(t, corner[0]) && IsAsleep(t, corner[1]) && IsAsleep(t, corner[2]))
			continue;
		if (t->mayDeepen[level] > 0.0f && largest > t->refineMean[level] &&
		    (!t->def->visibility.enabled || TriangleIsVisible(t, corner)))
			BitSet_Set(&t->criteria->refine, i);
	}
}

static void VisibleTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Thresholds* t = context;
	const ActiveMesh* active = t->active;
	Vec3 camera = t->def->visibility.camera;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec3 towards = V3Sub(camera, V4Xyz(active->position[i]));
		if (V3Dot(towards, V4Xyz(active->normal[i])) > 0.0f)
			BitSet_Set(&t->criteria->visible, i);
	}
}

// --- callbacks ------------------------------------------------------------------------------------------------------

static void AskVisible(const Thresholds* t)
{
	const drapeVisibilityCriterion* visibility = &t->def->visibility;
	for (uint32_t i = 0; i < t->active->particleCount; ++i)
	{
		if (visibility->visible(V4Xyz(t->active->position[i]), V4Xyz(t->active->normal[i]), visibility->context))
			BitSet_Set(&t->criteria->visible, i);
	}
}

// The middle of a pair. What is remembered of it is ball `index` of `balls`, which are there if anything is.
static bool IsInside(const Thresholds* t, uint32_t from, uint32_t to, uint32_t level, float restLength, Vec4* balls,
                     uint32_t index)
{
	const drapeCollisionCriterion* collision = &t->def->collision;
	if (!collision->inside || level >= collision->maxLevel)
		return false;
	Vec3 middle = V3Scale(0.5f, V3Add(V4Xyz(t->active->position[from]), V4Xyz(t->active->position[to])));
	if (t->criteria->obstacles.ask)
		return drapeObstacles_Contain(&t->criteria->obstacles, &balls[index], middle, restLength);
	return collision->inside(middle, collision->context);
}

static bool CentreIsInside(const Thresholds* t, const uint32_t* corner, uint32_t level)
{
	const drapeCollisionCriterion* collision = &t->def->collision;
	const Vec4* position = t->active->position;
	if (!collision->inside || level >= collision->maxLevel)
		return false;
	Vec3 sum = V3Add(V3Add(V4Xyz(position[corner[0]]), V4Xyz(position[corner[1]])), V4Xyz(position[corner[2]]));
	return collision->inside(V3Scale(1.0f / 3.0f, sum), collision->context);
}

static drapeWish AskUser(const Thresholds* t, uint32_t from, uint32_t to, float restLength, uint32_t level,
                         bool isSplit)
{
	const drapeUserCriterion* user = &t->def->user;
	if (!user->wish)
		return drape_wishNone;
	drapeEdgeInfo info = {
		.from = V4Xyz(t->active->position[from]),
		.to = V4Xyz(t->active->position[to]),
		.fromNormal = V4Xyz(t->active->normal[from]),
		.toNormal = V4Xyz(t->active->normal[to]),
		.restLength = restLength,
		.level = level,
		.isSplit = isSplit,
	};
	return user->wish(&info, user->context);
}

static void AskAboutSplits(const Thresholds* t)
{
	const ActiveMesh* active = t->active;
	Criteria* criteria = t->criteria;
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		uint32_t from = active->edgeFrom[i], to = active->edgeTo[i], level = SplitLevel(t->def, active->edgeLevel[i]);
		if (level >= t->maxLevel || BitSet_Get(&criteria->split, i))
			continue;
		if (t->def->visibility.enabled && BitSet_Get(&criteria->invisible, i))
			continue;
		if (IsInside(t, from, to, level, active->restLength[i], criteria->obstacles.edges.data, i) ||
		    AskUser(t, from, to, active->restLength[i], level, false) == drape_wishSplit)
			BitSet_Set(&criteria->split, i);
	}
}

// For schemes that split triangles by their centres: those of even generation.
static void AskAboutCentres(const Thresholds* t)
{
	const ActiveMesh* active = t->active;
	for (uint32_t i = 0; i < active->triangleCount; ++i)
	{
		const uint32_t *corner = active->triangle[i], level = active->triangleLevel[i];
		if (level % 2 == 1 || level >= t->maxLevel || BitSet_Get(&t->criteria->refine, i) ||
		    (t->def->visibility.enabled && !TriangleIsVisible(t, corner)))
			continue;
		if (CentreIsInside(t, corner, level))
			BitSet_Set(&t->criteria->refine, i);
	}
}

// The user's wish about a particle: to keep it when that is the wish for one of its pairs, to let it go when it is for
// all.
static drapeWish AskUserAboutPairs(const Thresholds* t, uint32_t particle)
{
	const ActiveMesh* active = t->active;
	const ParticleParents* parents = &active->parents[particle];
	drapeWish common = drape_wishJoin;
	for (uint32_t k = 0; k < ParticleParents_Pairs(parents); ++k)
	{
		drapeWish wish = AskUser(t, parents->parent[k], parents->parent[(k + 1) % 3], active->parentLength[k][particle],
		                         active->level[particle] - 1u, true);
		if (wish == drape_wishSplit)
			return wish;
		if (wish != drape_wishJoin)
			common = wish;
	}
	return common;
}

static bool AnyIsInside(const Thresholds* t, uint32_t particle)
{
	const ParticleParents* parents = &t->active->parents[particle];
	Vec4* balls = t->criteria->obstacles.particles.data;
	uint32_t level = t->active->level[particle] - 1u, pairs = ParticleParents_Pairs(parents);
	for (uint32_t k = 0; k < pairs; ++k)
	{
		if (IsInside(t, parents->parent[k], parents->parent[(k + 1) % 3], level, t->active->parentLength[k][particle],
		             balls, particle))
			return true;
	}
	return pairs == 3 && CentreIsInside(t, parents->parent, level);
}

// Callbacks can refuse what curvature and length agreed to, and under drape_joinAny ask for more.
static bool JoinAfterAsking(const Thresholds* t, uint32_t particle, bool wanted)
{
	if (AnyIsInside(t, particle))
		return false;
	drapeWish wish = AskUserAboutPairs(t, particle);
	if (wish == drape_wishSplit)
		return false;
	bool onlyUser = t->def->user.wish && !t->def->collision.inside && !t->def->curvature.enabled &&
	                !t->def->meanCurvature.enabled && !t->def->length.enabled;
	if (onlyUser && t->def->joinRule != drape_joinAlways)
		return wish == drape_wishJoin;
	return wanted || wish == drape_wishJoin || t->def->collision.inside != NULL;
}

static void AskAboutJoins(const Thresholds* t)
{
	Criteria* criteria = t->criteria;
	uint32_t count = t->active->particleCount;
	for (uint32_t i = BitSet_Next(&criteria->undecided, 0, count); i != DRAPE_NONE;
	     i = BitSet_Next(&criteria->undecided, i + 1, count))
	{
		bool wanted = BitSet_Get(&criteria->join, i);
		if (JoinAfterAsking(t, i, wanted) != wanted)
			BitSet_Flip(&criteria->join, i);
	}
}

// --- the passes -----------------------------------------------------------------------------------------------------

static bool Reserve(Criteria* criteria, const ActiveMesh* active)
{
	return BitSet_Reserve(&criteria->split, active->edgeCount) &&
	       BitSet_Reserve(&criteria->refine, active->triangleCount) &&
	       BitSet_Reserve(&criteria->invisible, active->edgeCount) &&
	       BitSet_Reserve(&criteria->join, active->particleCount) &&
	       BitSet_Reserve(&criteria->attempt, active->particleCount) &&
	       BitSet_Reserve(&criteria->undecided, active->particleCount) &&
	       BitSet_Reserve(&criteria->visible, active->particleCount) &&
	       drapeObstacles_Follow(&criteria->obstacles, active->edgeCount, active->particleCount);
}

bool drapeCriteria_Evaluate(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active,
                            const ColorGraph* triangles, TaskPool* tasks)
{
	DRAPE_ASSERT(drapeCriteria_IsValid(def, NULL));
	if (!Reserve(criteria, active))
		return false;
	// Users and cameras may want something else at any time.
	const SleepLimits limits = LimitsOf(def);
	if (def->user.wish || def->visibility.enabled)
		drapeSleep_Forget(active);
	if (def->meanCurvature.enabled && !drapeMeanCurvature_Compute(&criteria->meanCurvature, active, triangles, tasks))
		return false;
	if (!drapeSleep_Follow(&criteria->sleep, &limits, active, tasks))
		return false;
	const bool asksCentres = def->collision.inside && def->scheme == drape_schemeSqrt3;
	criteria->refines = def->meanCurvature.enabled || asksCentres;
	Thresholds thresholds = Prepare(criteria, def, active);
	BitSet_ClearAll(&criteria->split, active->edgeCount);
	BitSet_ClearAll(&criteria->join, active->particleCount);
	BitSet_ClearAll(&criteria->attempt, active->particleCount);
	BitSet_ClearAll(&criteria->undecided, active->particleCount);
	BitSet_ClearAll(&criteria->refine, active->triangleCount);

	if (def->visibility.enabled)
	{
		BitSet_ClearAll(&criteria->visible, active->particleCount);
		BitSet_ClearAll(&criteria->invisible, active->edgeCount);
		if (def->visibility.visible)
			AskVisible(&thresholds);
		else
			drapeTaskPool_For(tasks, active->particleCount, criteriaGrain, VisibleTask, &thresholds);
	}
	drapeTaskPool_For(tasks, active->edgeCount, criteriaGrain, SplitTask, &thresholds);
	drapeTaskPool_For(tasks, active->particleCount, criteriaGrain, JoinTask, &thresholds);
	if (def->meanCurvature.enabled)
		drapeTaskPool_For(tasks, active->triangleCount, criteriaGrain, RefineTask, &thresholds);
	if (asksCentres)
		AskAboutCentres(&thresholds);
	if (def->collision.inside || def->user.wish)
	{
		AskAboutSplits(&thresholds);
		AskAboutJoins(&thresholds);
	}
	drapeSplitJoinHysteresis_Leave(&criteria->hysteresis, active, &criteria->join);
	return true;
}

// JoinTask backwards: a particle that has a wait was either due, or counted down by one.
void drapeCriteria_Revert(const Criteria* criteria, ActiveMesh* active)
{
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		bool isLeft = BitSet_Get(&criteria->sleep.bits, i) && !BitSet_Get(&criteria->attempt, i);
		if (active->level[i] > 0 && !isLeft)
			active->joinWait[i] = (uint8_t)(BitSet_Get(&criteria->attempt, i) ? 0 : active->joinWait[i] + 1);
	}
}

void drapeCriteria_Follow(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active, bool hasChanged)
{
	criteria->hysteresis.pass++;
	if (hasChanged)
		drapeSplitJoinHysteresis_Born(&criteria->hysteresis, active, (uint8_t)def->joinWait);
}

AdaptRequest drapeCriteria_Request(const Criteria* criteria, const drapeAdaptDef* def)
{
	return (AdaptRequest){
		.split = &criteria->split,
		.mustSplit = def->visibility.enabled ? &criteria->split : NULL,
		.forceable = def->visibility.enabled ? &criteria->invisible : NULL,
		.refine = criteria->refines ? &criteria->refine : NULL,
		.join = &criteria->join,
		.maxLevel = (uint8_t)def->maxLevel,
		.joinWait = (uint8_t)def->joinWait,
		.tieRule = (TieRule)def->tieRule,
	};
}
