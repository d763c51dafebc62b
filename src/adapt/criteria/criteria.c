// SPDX-License-Identifier: MIT
#include "adapt/criteria/criterion.h"
#include "adapt/criteria/deviation.h"
#include "adapt/criteria/triangle_cap.h"
#include "base/hash.h"
#include "base/checks/parameters.h"
#include "base/checks/rules.h"
#include "base/checks/values.h"

#include <stdio.h>
#include <string.h>

// Filters and shape criteria come first, callbacks last, so that callbacks are asked as rarely as possible.
static const Criterion* const table[] = {
	&drapeAccuracyRow,  &drapeCurvatureRow,  &drapeMeanCurvatureRow, &drapeLengthRow,
	&drapeCollisionRow, &drapeVisibilityRow, &drapeUserRow,
};

enum
{
	tableCount = sizeof table / sizeof table[0],
	criteriaGrain = 1024, // edges or particles per task; a multiple of 64, so that tasks write different words
};

_Static_assert(sizeof table / sizeof table[0] <= maxCriteria, "a pass has an entry for every criterion");

// --- definitions ----------------------------------------------------------------------------------------------------

const drapeCriterionInfo* drapeCriterion_GetInfo(uint32_t index)
{
	for (uint32_t i = 0; i < tableCount; ++i)
	{
		if (table[i]->info.key && index-- == 0)
			return &table[i]->info;
	}
	return NULL;
}

static void SetInitial(unsigned char* criterion, const drapeParameter* parameter)
{
	float number = (float)parameter->initial;
	uint32_t whole = (uint32_t)parameter->initial;
	if (parameter->kind == drape_parameterFloat || parameter->kind == drape_parameterAngle)
		memcpy(criterion + parameter->offset, &number, sizeof number);
	else if (parameter->kind == drape_parameterUint)
		memcpy(criterion + parameter->offset, &whole, sizeof whole);
}

drapeAdaptDef drapeDefaultAdaptDef(void)
{
	drapeAdaptDef def = {
		.scheme = drape_schemeEdge,
		.maxLevel = 6,
		.maxTriangles = 10000,
		.joinWait = 10,
	};
	for (uint32_t i = 0; i < tableCount; ++i)
	{
		const drapeCriterionInfo* info = &table[i]->info;
		unsigned char* criterion = (unsigned char*)&def + info->offset;
		if (info->key)
			memcpy(criterion + info->enabled, &info->isInitial, sizeof info->isInitial);
		for (uint32_t k = 0; k < info->parameterCount; ++k)
			SetInitial(criterion, &info->parameters[k]);
	}
	return def;
}

bool drapeCriteria_IsValid(const drapeAdaptDef* def, const char** reason)
{
	DRAPE_ASSERT(def);
	const Rule rules[] = {
		{(unsigned)def->scheme <= drape_schemeSqrt3, "unknown refinement scheme"},
		{def->maxLevel <= DRAPE_MAX_LEVEL, "maxLevel is above DRAPE_MAX_LEVEL"},
		{(unsigned)def->tieRule <= drape_tieCurvature, "unknown tie rule"},
		{(unsigned)def->joinRule <= drape_joinAlways, "unknown join rule"},
		{def->joinWait <= 255, "joinWait is above 255"},
	};
	if (!Rules_Hold(rules, sizeof rules / sizeof rules[0], reason))
		return false;
	for (uint32_t i = 0; i < tableCount; ++i)
	{
		if (table[i]->isValid && table[i]->isEnabled(def) && !table[i]->isValid(def, reason))
			return false;
	}
	return true;
}

// The parameters of the criteria that are enabled.
static drapeResult CheckParameters(const drapeAdaptDef* def, const char* prefix, drapeMessage* message)
{
	drapeResult result = drape_ok;
	for (uint32_t i = 0; i < tableCount && result == drape_ok; ++i)
	{
		const drapeCriterionInfo* info = &table[i]->info;
		char name[96];
		// The world sets the callback of criteria that need its data.
		const bool* isAsked = (const bool*)((const char*)def + info->offset + info->enabled);
		if (!info->key || !(*isAsked || table[i]->isEnabled(def)))
			continue;
		snprintf(name, sizeof name, "%s%s.", prefix, info->key);
		result = drapeParameters_Check(info->parameters, info->parameterCount, (const char*)def + info->offset, name,
		                               message);
	}
	return result;
}

// The members that all criteria share.
static drapeResult CheckCommon(const drapeAdaptDef* def, const char* prefix, drapeMessage* message)
{
	const unsigned scheme = (unsigned)def->scheme, tieRule = (unsigned)def->tieRule, joinRule = (unsigned)def->joinRule;
	drapeResult result = drapeChoice_Check(prefix, "scheme", scheme, "edge|fixed|sqrt3", message);
	if (result == drape_ok)
		result = drapeChoice_Check(prefix, "tieRule", tieRule, "default|length|rest-length|curvature", message);
	if (result == drape_ok)
		result = drapeChoice_Check(prefix, "joinRule", joinRule, "all|any|always", message);
	if (result != drape_ok)
		return result;
	if (def->maxLevel > DRAPE_MAX_LEVEL)
		return drapeRefuse(message, "%smaxLevel is %u, expected at most %d", prefix, def->maxLevel, DRAPE_MAX_LEVEL);
	if (def->joinWait > 255)
		return drapeRefuse(message, "%sjoinWait is %u, expected at most 255", prefix, def->joinWait);
	return drape_ok;
}

drapeResult drapeCriteria_Check(const drapeAdaptDef* def, const char* prefix, drapeMessage* message)
{
	const char* reason = NULL;
	drapeResult result = CheckCommon(def, prefix, message);
	if (result == drape_ok)
		result = CheckParameters(def, prefix, message);
	if (result == drape_ok && !drapeCriteria_IsValid(def, &reason))
		return drapeRefuse(message, "%s%s", prefix, reason);
	return result;
}

uint32_t drapeCriteria_MaxLevel(const drapeAdaptDef* def)
{
	return def->scheme == drape_schemeSqrt3 ? def->maxLevel & ~1u : def->maxLevel;
}

static uint32_t NeedsOf(const drapeAdaptDef* def)
{
	uint32_t needs = 0;
	for (uint32_t i = 0; i < tableCount; ++i)
		needs |= table[i]->isEnabled(def) ? table[i]->needs : 0;
	return needs;
}

bool drapeCriteria_NeedColors(const drapeAdaptDef* def)
{
	return (NeedsOf(def) & criterionNeedsColors) != 0;
}

// A hash of everything that the criteria that read the shape ask for: sleeping cloth wakes when it changes.
static uint64_t LimitsOf(const drapeAdaptDef* def)
{
	const uint32_t common[3] = {def->maxLevel, (uint32_t)def->joinRule, def->maxTriangles};
	uint64_t hash = drapeHash_Bytes(0, common, sizeof common);
	for (uint32_t i = 0; i < tableCount; ++i)
	{
		const drapeCriterionInfo* info = &table[i]->info;
		if (!info->readsShape || !table[i]->isEnabled(def))
			continue;
		hash = drapeHash_Bytes(hash, &i, sizeof i);
		for (uint32_t k = 0; k < info->parameterCount; ++k)
		{
			DRAPE_ASSERT(info->parameters[k].kind != drape_parameterVec3);
			hash = drapeHash_Bytes(hash, (const char*)def + info->offset + info->parameters[k].offset, sizeof(float));
		}
	}
	return hash;
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
	BitSet_Free(&criteria->boundary);
	BitSet_Free(&criteria->covered);
	drapeMeanCurvature_Destroy(&criteria->meanCurvature);
	drapeObstacles_Destroy(&criteria->obstacles);
	drapeSleep_Destroy(&criteria->sleep);
}

// --- a pass ---------------------------------------------------------------------------------------------------------

static CriteriaPass Prepare(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active)
{
	CriteriaPass pass = {
		.def = def,
		.active = active,
		.criteria = criteria,
		.maxLevel = drapeCriteria_MaxLevel(def),
		.joinDeviation = 0.5f * def->accuracy.deviation,
	};
	for (uint32_t level = 0; level < criterionLevels; ++level)
		pass.mayDeepen[level] = level < pass.maxLevel ? 1.0f : 0.0f;
	CriteriaPass_RoundLevels(&pass, pass.mayDeepen);
	for (uint32_t i = 0; i < tableCount; ++i)
	{
		if (!table[i]->isEnabled(def))
			continue;
		pass.isFiltered |= table[i]->permits != NULL;
		pass.refinesByShape |= table[i]->refine != NULL;
		pass.hasVoter |= table[i]->votes;
		pass.hasFirmVoter |= table[i]->votes && !table[i]->mayAbstain;
		if (table[i]->prepare)
			table[i]->prepare(&pass, pass.limits[pass.enabledCount]);
		pass.enabled[pass.enabledCount++] = table[i];
	}
	return pass;
}

static bool IsAsleep(const CriteriaPass* pass, uint32_t particle)
{
	return BitSet_Get(&pass->criteria->sleep.bits, particle);
}

static uint32_t AwakeBits(const CriteriaPass* pass, const uint32_t* from, const uint32_t* to)
{
	uint32_t bits = 0;
	for (uint32_t i = 0; i < 8; ++i)
		bits |= (uint32_t) !(IsAsleep(pass, from[i]) && IsAsleep(pass, to[i])) << i;
	return bits;
}

// --- splits, eight edges at a time ----------------------------------------------------------------------------------

static void SplitBlocks(const CriteriaPass* pass, const EdgeBlocks* edges, uint8_t* bits)
{
	for (uint32_t k = 0; k < pass->enabledCount; ++k)
	{
		if (pass->enabled[k]->split)
			pass->enabled[k]->split(pass, pass->limits[k], edges, bits);
	}
}

// Bit i: all filters permit a split of edge i.
static uint32_t PermittedBits(const CriteriaPass* pass, const uint32_t* from, const uint32_t* to)
{
	uint32_t bits = 0xff;
	for (uint32_t k = 0; k < pass->enabledCount; ++k)
		bits &= pass->enabled[k]->permits ? pass->enabled[k]->permits(pass, from, to) : 0xff;
	return bits;
}

// Withdraws the requests of eight edges that are too deep, not permitted or asleep, and records edges without permission.
static uint32_t FilterBits(const CriteriaPass* pass, const uint32_t* from, const uint32_t* to, uint32_t first,
                           uint32_t bits)
{
	const uint8_t* level = &pass->active->edgeLevel[first];
	if (bits)
		bits &= M8_Bits(F8_Gt(F8_Lookup(pass->mayDeepen, level), F8_Splat(0.0f)));
	if (pass->isFiltered)
	{
		uint32_t permitted = PermittedBits(pass, from, to);
		uint32_t inRange = (1u << MinU32(8, pass->active->edgeCount - first)) - 1;
		((uint8_t*)pass->criteria->invisible.words)[first / 8] = (uint8_t)(~permitted & inRange);
		bits &= permitted;
	}
	return bits ? bits & AwakeBits(pass, from, to) : 0;
}

// The last edges of the mesh, fewer than eight.
static void SplitTail(const CriteriaPass* pass, uint32_t start, uint32_t count, uint8_t* bits)
{
	const ActiveMesh* active = pass->active;
	uint32_t from[8] = {0}, to[8] = {0};
	DRAPE_ASSERT(count > 0 && count < 8 && start + count == active->edgeCount);
	memcpy(from, &active->edgeFrom[start], count * sizeof *from);
	memcpy(to, &active->edgeTo[start], count * sizeof *to);
	EdgeBlocks edges = {1, from, to, &active->restLength[start], &active->edgeLevel[start]};
	SplitBlocks(pass, &edges, bits);
	*bits &= (uint8_t)((1u << count) - 1);
	*bits = (uint8_t)FilterBits(pass, from, to, start, *bits);
}

static void SplitTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	DRAPE_ASSERT(start % 8 == 0);
	const CriteriaPass* pass = context;
	const ActiveMesh* active = pass->active;
	uint8_t* bits = (uint8_t*)pass->criteria->split.words + start / 8;
	EdgeBlocks edges = {
		.count = (end - start) / 8,
		.from = &active->edgeFrom[start],
		.to = &active->edgeTo[start],
		.rest = &active->restLength[start],
		.level = &active->edgeLevel[start],
	};
	SplitBlocks(pass, &edges, bits);
	for (uint32_t k = 0; k < edges.count; ++k)
	{
		if (bits[k] || pass->isFiltered)
			bits[k] = (uint8_t)FilterBits(pass, &edges.from[8 * k], &edges.to[8 * k], start + 8 * k, bits[k]);
	}
	uint32_t tail = (end - start) % 8;
	if (tail > 0)
		SplitTail(pass, end - tail, tail, &bits[edges.count]);
}

static bool TriangleIsPermitted(const CriteriaPass* pass, const uint32_t corner[3])
{
	for (uint32_t k = 0; k < pass->enabledCount; ++k)
	{
		if (pass->enabled[k]->permitsTriangle && !pass->enabled[k]->permitsTriangle(pass, corner))
			return false;
	}
	return true;
}

static void RefineTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	DRAPE_ASSERT(start % 64 == 0);
	(void)worker;
	const CriteriaPass* pass = context;
	BitSet* refine = &pass->criteria->refine;
	for (uint32_t k = 0; k < pass->enabledCount; ++k)
	{
		if (pass->enabled[k]->refine)
			pass->enabled[k]->refine(pass, pass->limits[k], start, end);
	}
	for (uint32_t i = BitSet_Next(refine, start, end); i != DRAPE_NONE; i = BitSet_Next(refine, i + 1, end))
	{
		const uint32_t* corner = pass->active->triangle[i];
		bool isAsleep = IsAsleep(pass, corner[0]) && IsAsleep(pass, corner[1]) && IsAsleep(pass, corner[2]);
		if (isAsleep || pass->mayDeepen[pass->active->triangleLevel[i]] == 0.0f || !TriangleIsPermitted(pass, corner))
			BitSet_Clear(refine, i);
	}
}

// --- joins, eight particles at a time -------------------------------------------------------------------------------

static void GatherPairs(const ActiveMesh* active, uint32_t first, uint32_t attempt, ParticleBlock* block)
{
	block->first = first;
	block->attempt = attempt;
	block->pairCount = 1;
	for (uint32_t i = 0; i < 8; ++i)
	{
		uint32_t pairs = attempt & 1u << i ? ParticleParents_Pairs(&active->parents[first + i]) : 0;
		DRAPE_ASSERT(!(attempt & 1u << i) || pairs > 0);
		block->level[i] = pairs > 0 ? (uint8_t)(active->level[first + i] - 1) : 0;
		block->pairCount = MaxU32(block->pairCount, pairs);
	}
	for (uint32_t pair = 0; pair < block->pairCount; ++pair)
	{
		for (uint32_t i = 0; i < 8; ++i)
		{
			block->from[pair][i] = block->to[pair][i] = 0;
			block->rest[pair][i] = 0.0f;
			if (!(attempt & 1u << i))
				continue;
			const ParticleParents* parents = &active->parents[first + i];
			uint32_t k = pair < ParticleParents_Pairs(parents) ? pair : 0;
			block->from[pair][i] = parents->parent[k];
			block->to[pair][i] = parents->parent[(k + 1) % 3];
			block->rest[pair][i] = active->parentLength[k][first + i];
		}
	}
}

// Bits of the particles, among those in `attempt`, that should leave as far as criteria without callbacks can tell.
// `undecided` are those that callbacks can still keep or, under drape_joinAny, release.
static uint32_t JoinBits(const CriteriaPass* pass, uint32_t first, uint32_t attempt, uint32_t* undecided)
{
	const drapeJoinRule rule = pass->def->joinRule;
	uint32_t agreed = 0xff, asked = 0, refused = 0, expelled = 0;
	ParticleBlock block;
	GatherPairs(pass->active, first, attempt, &block);
	for (uint32_t k = 0; k < pass->enabledCount; ++k)
	{
		const Criterion* row = pass->enabled[k];
		if (row->join)
		{
			JoinVote vote = row->join(pass, pass->limits[k], &block);
			agreed &= vote.agrees;
			asked |= vote.agrees;
			refused |= vote.refuses;
		}
		if (row->expels)
			expelled |= row->expels(pass, &block);
	}
	uint32_t wanted = rule == drape_joinAll ? agreed : rule == drape_joinAny ? asked : 0xff;
	wanted = pass->hasVoter || rule == drape_joinAlways ? wanted & ~refused : 0;
	*undecided = attempt & ~refused & (rule == drape_joinAny ? 0xff : wanted);
	for (uint32_t i = 0; i < 8; ++i)
		expelled |= (uint32_t)(block.level[i] >= pass->maxLevel) << i;
	expelled &= attempt;
	*undecided &= ~expelled;
	return (wanted | expelled) & attempt;
}

// Bits of the particles whose wait is over; the waits of the others are counted down.
static uint32_t CountWaits(const CriteriaPass* pass, uint32_t first, uint32_t count)
{
	ActiveMesh* active = pass->active;
	uint32_t attempt = 0;
	for (uint32_t k = 0, i = first; k < count; ++k, ++i)
	{
		if (IsAsleep(pass, i) && active->level[i] <= pass->maxLevel)
			continue;
		bool isDue = active->level[i] > 0 && active->joinWait[i] == 0;
		attempt |= (uint32_t)isDue << k;
		if (isDue)
			active->joinWait[i] = drapeSplitJoinHysteresis_Wait(&pass->criteria->hysteresis, active->originKey[i],
			                                                    (uint8_t)pass->def->joinWait);
		else if (active->joinWait[i] > 0)
			active->joinWait[i]--;
	}
	return attempt;
}

static void JoinTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	DRAPE_ASSERT(start % 64 == 0);
	(void)worker;
	const CriteriaPass* pass = context;
	uint8_t* join = (uint8_t*)pass->criteria->join.words;
	uint8_t* attempts = (uint8_t*)pass->criteria->attempt.words;
	uint8_t* undecided = (uint8_t*)pass->criteria->undecided.words;
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t open = 0, attempt = CountWaits(pass, i, MinU32(8, end - i));
		attempts[i / 8] = (uint8_t)attempt;
		join[i / 8] = (uint8_t)(attempt ? JoinBits(pass, i, attempt, &open) : 0);
		undecided[i / 8] = (uint8_t)open;
	}
}

// --- callbacks ------------------------------------------------------------------------------------------------------

static bool AnyAsksSplit(const CriteriaPass* pass, uint32_t edge, uint32_t level)
{
	for (uint32_t k = 0; k < pass->enabledCount; ++k)
	{
		if (pass->enabled[k]->askSplit && pass->enabled[k]->askSplit(pass, edge, level))
			return true;
	}
	return false;
}

static void AskAboutSplits(const CriteriaPass* pass)
{
	const ActiveMesh* active = pass->active;
	Criteria* criteria = pass->criteria;
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		uint32_t level = Criteria_SplitLevel(pass->def, active->edgeLevel[i]);
		if (level >= pass->maxLevel || BitSet_Get(&criteria->split, i))
			continue;
		if (pass->isFiltered && BitSet_Get(&criteria->invisible, i))
			continue;
		if (AnyAsksSplit(pass, i, level))
			BitSet_Set(&criteria->split, i);
	}
}

// For schemes that split triangles at their centres: asks about the triangles of even generation.
static void AskAboutCentres(const CriteriaPass* pass, const Criterion* row)
{
	DRAPE_ASSERT(row->askCentre && pass->def->scheme == drape_schemeSqrt3);
	const ActiveMesh* active = pass->active;
	for (uint32_t i = 0; i < active->triangleCount; ++i)
	{
		uint32_t level = active->triangleLevel[i];
		if (level % 2 == 1 || level >= pass->maxLevel || BitSet_Get(&pass->criteria->refine, i) ||
		    !TriangleIsPermitted(pass, active->triangle[i]))
			continue;
		if (row->askCentre(pass, i))
			BitSet_Set(&pass->criteria->refine, i);
	}
}

// Callbacks can keep a particle that the other criteria let go, and under drape_joinAny release more.
static bool JoinAfterAsking(const CriteriaPass* pass, uint32_t particle, bool isWanted)
{
	bool isAskedFor = false;
	for (uint32_t k = 0; k < pass->enabledCount; ++k)
	{
		if (!pass->enabled[k]->askJoin)
			continue;
		drapeWish wish = pass->enabled[k]->askJoin(pass, particle);
		if (wish == drape_wishSplit)
			return false;
		isAskedFor |= wish == drape_wishJoin;
	}
	if (!pass->hasFirmVoter && pass->def->joinRule != drape_joinAlways)
		return isAskedFor;
	return isWanted || isAskedFor;
}

static void AskAboutJoins(const CriteriaPass* pass)
{
	Criteria* criteria = pass->criteria;
	uint32_t count = pass->active->particleCount;
	for (uint32_t i = BitSet_Next(&criteria->undecided, 0, count); i != DRAPE_NONE;
	     i = BitSet_Next(&criteria->undecided, i + 1, count))
	{
		bool isWanted = BitSet_Get(&criteria->join, i);
		if (JoinAfterAsking(pass, i, isWanted) != isWanted)
			BitSet_Flip(&criteria->join, i);
	}
}

static void AskCallbacks(const CriteriaPass* pass)
{
	bool asks = false;
	for (uint32_t k = 0; k < pass->enabledCount; ++k)
	{
		const Criterion* row = pass->enabled[k];
		if (row->askCentre && row->asksCentres(pass->def))
		{
			AskAboutCentres(pass, row);
			pass->criteria->refines = true;
		}
		asks |= row->askSplit || row->askJoin;
	}
	if (!asks)
		return;
	AskAboutSplits(pass);
	AskAboutJoins(pass);
}

// --- the interface --------------------------------------------------------------------------------------------------

static bool Reserve(Criteria* criteria, ActiveMesh* active)
{
	return BitSet_Reserve(&criteria->split, active->edgeCount) &&
	       BitSet_Reserve(&criteria->refine, active->triangleCount) &&
	       BitSet_Reserve(&criteria->invisible, active->edgeCount) &&
	       BitSet_Reserve(&criteria->join, active->particleCount) &&
	       BitSet_Reserve(&criteria->attempt, active->particleCount) &&
	       BitSet_Reserve(&criteria->undecided, active->particleCount) &&
	       BitSet_Reserve(&criteria->visible, active->particleCount) &&
	       BitSet_Reserve(&criteria->boundary, active->particleCount) &&
	       BitSet_Reserve(&criteria->covered, active->particleCount) &&
	       drapeObstacles_Follow(&criteria->obstacles, active);
}

static void ClearRequests(Criteria* criteria, const ActiveMesh* active)
{
	BitSet_ClearAll(&criteria->split, active->edgeCount);
	BitSet_ClearAll(&criteria->join, active->particleCount);
	BitSet_ClearAll(&criteria->attempt, active->particleCount);
	BitSet_ClearAll(&criteria->undecided, active->particleCount);
	BitSet_ClearAll(&criteria->refine, active->triangleCount);
}

// Everything that can fail: memory, and the data that the enabled criteria share.
static bool Gather(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active, const ColorGraph* triangles,
                   TaskPool* tasks)
{
	if (!Reserve(criteria, active))
		return false;
	for (uint32_t i = 0; i < tableCount; ++i)
	{
		if (table[i]->preventsSleep && table[i]->isEnabled(def))
			drapeSleep_Forget(active);
	}
	if ((NeedsOf(def) & criterionNeedsMeanCurvature) &&
	    !drapeMeanCurvature_Compute(&criteria->meanCurvature, active, triangles, tasks))
		return false;
	return drapeSleep_Follow(&criteria->sleep, LimitsOf(def), active, tasks);
}

bool drapeCriteria_Evaluate(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active,
                            const ColorGraph* triangles, TaskPool* tasks)
{
	DRAPE_ASSERT(drapeCriteria_IsValid(def, NULL));
	if (!Gather(criteria, def, active, triangles, tasks))
		return false;
	CriteriaPass pass = Prepare(criteria, def, active);
	ClearRequests(criteria, active);
	criteria->refines = pass.refinesByShape;
	criteria->unblocks = false;
	for (uint32_t k = 0; k < pass.enabledCount; ++k)
		criteria->unblocks |= pass.enabled[k]->unblocks;

	const bool isCapped = def->maxTriangles > 0;
	if (NeedsOf(def) & criterionNeedsVisibility)
		drapeVisibility_Mark(&pass, tasks);
	if ((NeedsOf(def) & criterionNeedsBoundary) || isCapped)
		MarkBoundary(&criteria->boundary, active);
	drapeTaskPool_For(tasks, active->edgeCount, criteriaGrain, SplitTask, &pass);
	if (pass.refinesByShape)
		drapeTaskPool_For(tasks, active->triangleCount, criteriaGrain, RefineTask, &pass);
	if (isCapped)
		drapeTriangleCap_RaiseJoins(&pass);
	drapeTaskPool_For(tasks, active->particleCount, criteriaGrain, JoinTask, &pass);
	AskCallbacks(&pass);
	for (uint32_t k = 0; k < pass.enabledCount; ++k)
	{
		if (pass.enabled[k]->review)
			pass.enabled[k]->review(&pass);
	}
	if (isCapped)
		drapeTriangleCap_Prune(&pass);
	drapeSplitJoinHysteresis_Leave(&criteria->hysteresis, active, &criteria->join);
	return true;
}

// The inverse of CountWaits: a particle that has a wait was either due, or counted down by one.
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
		drapeSplitJoinHysteresis_SetWaits(&criteria->hysteresis, active, (uint8_t)def->joinWait);
}

AdaptRequest drapeCriteria_Request(const Criteria* criteria, const drapeAdaptDef* def)
{
	DRAPE_ASSERT(def->maxLevel <= DRAPE_MAX_LEVEL && def->joinWait <= UINT8_MAX);
	return (AdaptRequest){
		.split = &criteria->split,
		.mustSplit = def->visibility.enabled || criteria->unblocks ? &criteria->split : NULL,
		.forceable = criteria->unblocks ? NULL : &criteria->invisible,
		.refine = criteria->refines ? &criteria->refine : NULL,
		.join = &criteria->join,
		.maxTriangles = def->maxTriangles,
		.maxLevel = (uint8_t)def->maxLevel,
		.joinWait = (uint8_t)def->joinWait,
		.tieRule = (TieRule)def->tieRule,
	};
}
