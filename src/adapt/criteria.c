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
		.length = {.splitRatio = 0.98f, .joinRatio = 0.99f, .levelFactor = 1.0f},
		.collision = {.maxLevel = DRAPE_MAX_LEVEL},
	};
}

// One row per rule, so that a test can see that each fires.
bool Criteria_IsValid(const drapeAdaptDef* def, const char** reason)
{
	const drapeCurvatureCriterion* curvature = &def->curvature;
	const drapeLengthCriterion* length = &def->length;
	const float pi = 3.14159265f;
	// Comparisons are written so that NaN fails them.
	const Rule rules[] = {
		{def->scheme == drape_schemeEdge || def->scheme == drape_schemeFixed, "unknown refinement scheme"},
		{def->maxLevel <= DRAPE_MAX_LEVEL, "maxLevel is above DRAPE_MAX_LEVEL"},
		{(unsigned)def->tieRule <= drape_tieCurvature, "unknown tie rule"},
		{(unsigned)def->joinRule <= drape_joinAlways, "unknown join rule"},
		{def->joinWait <= 255, "joinWait is above 255"},
		{!curvature->enabled || (curvature->joinAngle >= 0.0f && curvature->splitAngle <= pi),
	     "curvature angles are not between 0 and pi"},
		{!curvature->enabled || curvature->joinAngle <= curvature->splitAngle,
	     "curvature would rejoin what it has just split: joinAngle is above splitAngle"},
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

void Criteria_Destroy(Criteria* criteria)
{
	BitSet_Free(&criteria->split);
	BitSet_Free(&criteria->join);
	BitSet_Free(&criteria->attempt);
	BitSet_Free(&criteria->undecided);
	BitSet_Free(&criteria->visible);
	BitSet_Free(&criteria->invisible);
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
	float mayDeepen[levelCount];                             // 1 below the maximum level, else 0
	bool mayJoin;                                            // a cloth without criteria keeps what was split by hand
} Thresholds;

static Thresholds Prepare(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active)
{
	Thresholds thresholds = {
		.def = def,
		.active = active,
		.criteria = criteria,
		.cosSplit = cosf(def->curvature.splitAngle),
		.cosJoin = cosf(def->curvature.joinAngle),
	};
	float factor = 1.0f;
	for (uint32_t level = 0; level < levelCount; ++level)
	{
		float split = factor * def->length.splitRatio, join = factor * def->length.joinRatio;
		thresholds.splitLength2[level] = split * split;
		thresholds.joinLength2[level] = join * join;
		thresholds.mayDeepen[level] = level < def->maxLevel ? 1.0f : 0.0f;
		factor *= def->length.levelFactor;
	}
	thresholds.mayJoin = def->curvature.enabled || def->length.enabled || def->collision.inside || def->user.wish ||
	                     def->joinRule == drape_joinAlways;
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
		split[i / 8] = (uint8_t)bits;
	}
}

// Bits of eight particles, of those in `attempt`, whose edge should rejoin as far as curvature and length can tell.
// `undecided` are those where callbacks can still refuse or, under drape_joinAny, ask for it.
DRAPE_INLINE uint32_t JoinBits(const Thresholds* t, uint32_t first, uint32_t attempt, uint32_t* undecided)
{
	const ActiveMesh* active = t->active;
	uint32_t from[8] = {0}, to[8] = {0};
	uint8_t level[8] = {0};
	for (uint32_t i = 0; i < 8; ++i)
	{
		if (attempt & 1u << i)
		{
			from[i] = active->parents[first + i].parent[0];
			to[i] = active->parents[first + i].parent[1];
			level[i] = (uint8_t)(active->level[first + i] - 1);
		}
	}
	const drapeJoinRule rule = t->def->joinRule;
	uint32_t asked = 0, agreed = 0xff, refused = 0;
	if (t->def->length.enabled)
	{
		F8 rest = F8_Load(&active->parentLength[0][first]), length2 = Length2(active, from, to),
		   rest2 = F8_Mul(rest, rest);
		uint32_t join = M8_Bits(F8_Gt(length2, F8_Mul(F8_Lookup(t->joinLength2, level), rest2)));
		refused |= M8_Bits(F8_Lt(length2, F8_Mul(F8_Lookup(t->splitLength2, level), rest2)));
		asked |= join;
		agreed &= join;
	}
	if (t->def->curvature.enabled)
	{
		F8 cosine = NormalCosine(active, from, to);
		uint32_t join = M8_Bits(F8_Gt(cosine, F8_Splat(t->cosJoin)));
		refused |= M8_Bits(F8_Lt(cosine, F8_Splat(t->cosSplit)));
		asked |= join;
		agreed &= join;
	}
	uint32_t wanted = rule == drape_joinAll ? agreed : rule == drape_joinAny ? asked : 0xff;
	wanted = t->mayJoin ? wanted & ~refused : 0;
	*undecided = attempt & ~refused & (rule == drape_joinAny ? 0xff : wanted);
	for (uint32_t i = 0; i < 8; ++i)
	{
		uint32_t bit = 1u << i;
		bool tooDeep = level[i] >= t->def->maxLevel;
		if ((attempt & bit) && (tooDeep || (t->def->visibility.enabled && EdgeIsHidden(t, from[i], to[i]))))
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
			bool isDue = active->level[i + k] > 0 && active->joinWait[i + k] == 0;
			attempt |= (uint32_t)isDue << k;
			if (isDue)
				active->joinWait[i + k] = (uint8_t)t->def->joinWait;
			else if (active->joinWait[i + k] > 0)
				active->joinWait[i + k]--;
		}
		attempts[i / 8] = (uint8_t)attempt;
		join[i / 8] = (uint8_t)(attempt ? JoinBits(t, i, attempt, &open) : 0);
		undecided[i / 8] = (uint8_t)open;
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

static bool IsInside(const Thresholds* t, uint32_t from, uint32_t to, uint32_t level)
{
	const drapeCollisionCriterion* collision = &t->def->collision;
	if (!collision->inside || level >= collision->maxLevel)
		return false;
	Vec3 sum = V3Add(V4Xyz(t->active->position[from]), V4Xyz(t->active->position[to]));
	return collision->inside(V3Scale(0.5f, sum), collision->context);
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
		uint32_t from = active->edgeFrom[i], to = active->edgeTo[i], level = active->edgeLevel[i];
		if (level >= t->def->maxLevel || BitSet_Get(&criteria->split, i))
			continue;
		if (t->def->visibility.enabled && BitSet_Get(&criteria->invisible, i))
			continue;
		if (IsInside(t, from, to, level) ||
		    AskUser(t, from, to, active->restLength[i], level, false) == drape_wishSplit)
			BitSet_Set(&criteria->split, i);
	}
}

// Callbacks can refuse what curvature and length agreed to, and under drape_joinAny ask for more.
static bool JoinAfterAsking(const Thresholds* t, uint32_t particle, bool wanted)
{
	const ActiveMesh* active = t->active;
	uint32_t from = active->parents[particle].parent[0], to = active->parents[particle].parent[1];
	uint32_t level = active->level[particle] - 1u;
	if (IsInside(t, from, to, level))
		return false;
	drapeWish wish = AskUser(t, from, to, active->parentLength[0][particle], level, true);
	if (wish == drape_wishSplit)
		return false;
	bool onlyUser =
		t->def->user.wish && !t->def->collision.inside && !t->def->curvature.enabled && !t->def->length.enabled;
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
	       BitSet_Reserve(&criteria->invisible, active->edgeCount) &&
	       BitSet_Reserve(&criteria->join, active->particleCount) &&
	       BitSet_Reserve(&criteria->attempt, active->particleCount) &&
	       BitSet_Reserve(&criteria->undecided, active->particleCount) &&
	       BitSet_Reserve(&criteria->visible, active->particleCount);
}

bool Criteria_Evaluate(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active, TaskPool* tasks)
{
	DRAPE_ASSERT(Criteria_IsValid(def, NULL));
	if (!Reserve(criteria, active))
		return false;
	Thresholds thresholds = Prepare(criteria, def, active);
	BitSet_ClearAll(&criteria->split, active->edgeCount);
	BitSet_ClearAll(&criteria->join, active->particleCount);
	BitSet_ClearAll(&criteria->attempt, active->particleCount);
	BitSet_ClearAll(&criteria->undecided, active->particleCount);

	if (def->visibility.enabled)
	{
		BitSet_ClearAll(&criteria->visible, active->particleCount);
		BitSet_ClearAll(&criteria->invisible, active->edgeCount);
		if (def->visibility.visible)
			AskVisible(&thresholds);
		else
			TaskPool_For(tasks, active->particleCount, criteriaGrain, VisibleTask, &thresholds);
	}
	TaskPool_For(tasks, active->edgeCount, criteriaGrain, SplitTask, &thresholds);
	TaskPool_For(tasks, active->particleCount, criteriaGrain, JoinTask, &thresholds);
	if (def->collision.inside || def->user.wish)
	{
		AskAboutSplits(&thresholds);
		AskAboutJoins(&thresholds);
	}
	return true;
}

// JoinTask backwards: a particle that has a wait was either due, or counted down by one.
void Criteria_Revert(const Criteria* criteria, ActiveMesh* active)
{
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		if (active->level[i] > 0)
			active->joinWait[i] = (uint8_t)(BitSet_Get(&criteria->attempt, i) ? 0 : active->joinWait[i] + 1);
	}
}

AdaptRequest Criteria_Request(const Criteria* criteria, const drapeAdaptDef* def)
{
	return (AdaptRequest){
		.split = &criteria->split,
		.insist = def->visibility.enabled ? &criteria->split : NULL,
		.forceable = def->visibility.enabled ? &criteria->invisible : NULL,
		.join = &criteria->join,
		.maxLevel = (uint8_t)def->maxLevel,
		.joinWait = (uint8_t)def->joinWait,
		.tieRule = (TieRule)def->tieRule,
	};
}
