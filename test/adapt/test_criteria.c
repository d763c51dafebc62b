// SPDX-License-Identifier: MIT
#include "sheet.h"

#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- tools ----------------------------------------------------------------------------------------------------------

static void AssertStill(drapeClothId cloth)
{
	drapeAdaptResult result = Sheet_Adapt(cloth);
	assert_int_equal(result.splits, 0);
	assert_int_equal(result.joins, 0);
}

static void SetAdapt(drapeClothId cloth, const drapeAdaptDef* def)
{
	const char* reason = "";
	if (drapeCloth_SetAdapt(cloth, def) != drape_ok)
		fail_msg("%s", reason);
}

// An obstacle: everything within a distance of a point. Counts its calls.
typedef struct Ball
{
	drapeVec3 centre;
	float radius;
	uint32_t calls;
} Ball;

static bool InBall(drapeVec3 point, void* context)
{
	Ball* ball = context;
	ball->calls++;
	Vec3 d = V3Sub(point, ball->centre);
	return V3Dot(d, d) < ball->radius * ball->radius;
}

// A user's criterion: one wish for whole edges, another for split ones. Counts its calls.
typedef struct Wishes
{
	drapeWish whole, split;
	uint32_t calls, splitCalls;
} Wishes;

static drapeWish SameWish(const drapeEdgeInfo* edge, void* context)
{
	Wishes* wishes = context;
	wishes->calls++;
	wishes->splitCalls += edge->isSplit;
	return edge->isSplit ? wishes->split : wishes->whole;
}

// --- validity -------------------------------------------------------------------------------------------------------

typedef void Spoil(drapeAdaptDef* def);

static void BadScheme(drapeAdaptDef* def)
{
	def->scheme = (drapeScheme)7;
}
static void BadMaxLevel(drapeAdaptDef* def)
{
	def->maxLevel = DRAPE_MAX_LEVEL + 1;
}
static void BadTieRule(drapeAdaptDef* def)
{
	def->tieRule = (drapeTieRule)4;
}
static void BadJoinRule(drapeAdaptDef* def)
{
	def->joinRule = (drapeJoinRule)3;
}
static void BadJoinWait(drapeAdaptDef* def)
{
	def->joinWait = 256;
}
static void NegativeAngle(drapeAdaptDef* def)
{
	def->curvature.joinAngle = -0.1f;
}
static void AngleAbovePi(drapeAdaptDef* def)
{
	def->curvature.splitAngle = 3.2f;
}
static void SplitAngleNan(drapeAdaptDef* def)
{
	def->curvature.splitAngle = NAN;
}
static void JoinAngleNan(drapeAdaptDef* def)
{
	def->curvature.joinAngle = NAN;
}
static void AnglesSwapped(drapeAdaptDef* def)
{
	def->curvature.joinAngle = def->curvature.splitAngle + 0.1f;
}
static void ZeroRatio(drapeAdaptDef* def)
{
	def->length.splitRatio = 0.0f;
}
static void SplitRatioNan(drapeAdaptDef* def)
{
	def->length.splitRatio = NAN;
}
static void JoinRatioNan(drapeAdaptDef* def)
{
	def->length.joinRatio = NAN;
}
static void JoinRatioInfinite(drapeAdaptDef* def)
{
	def->length.joinRatio = INFINITY;
}
static void RatiosSwapped(drapeAdaptDef* def)
{
	def->length.joinRatio = def->length.splitRatio - 0.1f;
}
static void FactorNan(drapeAdaptDef* def)
{
	def->length.levelFactor = NAN;
}
static void FactorZero(drapeAdaptDef* def)
{
	def->length.levelFactor = 0.0f;
}
static void FactorAboveOne(drapeAdaptDef* def)
{
	def->length.levelFactor = 1.1f;
}
static void ZeroLimit(drapeAdaptDef* def)
{
	def->meanCurvature.baseLimit = 0.0f;
}
static void LimitNan(drapeAdaptDef* def)
{
	def->meanCurvature.finestLimit = NAN;
}
static void FractionNan(drapeAdaptDef* def)
{
	def->meanCurvature.coarsenFraction = NAN;
}
static void FractionAboveOne(drapeAdaptDef* def)
{
	def->meanCurvature.coarsenFraction = 1.5f;
}
static void CameraNan(drapeAdaptDef* def)
{
	def->visibility.camera.y = NAN;
}
static void CameraInfinite(drapeAdaptDef* def)
{
	def->visibility.camera.z = INFINITY;
}

static void DeviationZero(drapeAdaptDef* def)
{
	def->accuracy.deviation = 0.0f;
}
static void DeviationNan(drapeAdaptDef* def)
{
	def->accuracy.deviation = NAN;
}

static drapeAdaptDef EverythingOn(void)
{
	drapeAdaptDef def = drapeDefaultAdaptDef();
	def.accuracy.enabled = def.curvature.enabled = true;
	def.length.enabled = true;
	def.meanCurvature.enabled = true;
	def.visibility.enabled = true;
	return def;
}

static void EveryRuleOfValidityFires(void** state)
{
	(void)state;
	const struct
	{
		Spoil* spoil;
		const char* mentions;
	} cases[] = {
		{BadScheme, "scheme"},
		{BadMaxLevel, "maxLevel"},
		{BadTieRule, "tie rule"},
		{BadJoinRule, "join rule"},
		{BadJoinWait, "joinWait"},
		{NegativeAngle, "angles"},
		{AngleAbovePi, "angles"},
		{SplitAngleNan, "angles"},
		{JoinAngleNan, "angles"},
		{AnglesSwapped, "joinAngle"},
		{ZeroRatio, "ratios"},
		{SplitRatioNan, "ratios"},
		{JoinRatioNan, "ratios"},
		{JoinRatioInfinite, "ratios"},
		{RatiosSwapped, "joinRatio"},
		{FactorNan, "levelFactor"},
		{FactorZero, "levelFactor"},
		{FactorAboveOne, "levelFactor"},
		{CameraNan, "camera"},
		{CameraInfinite, "camera"},
		{DeviationZero, "deviation"},
		{DeviationNan, "deviation"},
		{ZeroLimit, "limits"},
		{LimitNan, "limits"},
		{FractionNan, "coarsenFraction"},
		{FractionAboveOne, "coarsenFraction"},
	};
	const drapeAdaptDef good = EverythingOn();
	const char* reason = NULL;
	assert_true(drapeCriteria_IsValid(&good, &reason));
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		drapeAdaptDef def = good;
		cases[i].spoil(&def);
		reason = "";
		assert_false(drapeCriteria_IsValid(&def, &reason));
		if (!strstr(reason, cases[i].mentions))
			fail_msg("case %zu says \"%s\"", i, reason);
		assert_false(drapeCriteria_IsValid(&def, NULL));
	}
}

static void ValuesOfDisabledCriteriaDoNotMatter(void** state)
{
	(void)state;
	drapeAdaptDef def = drapeDefaultAdaptDef();
	def.accuracy = (drapeAccuracyCriterion){.deviation = NAN};
	def.curvature = (drapeCurvatureCriterion){.splitAngle = NAN, .joinAngle = NAN};
	def.length = (drapeLengthCriterion){.splitRatio = NAN, .joinRatio = NAN, .levelFactor = NAN};
	def.meanCurvature = (drapeMeanCurvatureCriterion){.baseLimit = NAN, .finestLimit = NAN, .coarsenFraction = NAN};
	def.visibility.camera.x = NAN;
	assert_true(drapeCriteria_IsValid(&def, NULL));
	// And they do not act either.
	Sheet sheet = Sheet_Create(4, 4, &def);
	Sheet_TiltNormals(sheet.cloth, 3.0f);
	AssertStill(sheet.cloth);
	Sheet_Destroy(&sheet);
}

// --- the public description -----------------------------------------------------------------------------------------

static double ValueOf(const drapeAdaptDef* def, const drapeCriterionInfo* info, const drapeParameter* parameter)
{
	const char* value = (const char*)def + info->offset + parameter->offset;
	float number;
	uint32_t whole;
	memcpy(&number, value, sizeof number);
	memcpy(&whole, value, sizeof whole);
	return parameter->kind == drape_parameterUint ? (double)whole : (double)number;
}

static void EveryCriterionIsDescribedWithItsDefaultsInTheirRange(void** state)
{
	(void)state;
	const drapeAdaptDef def = drapeDefaultAdaptDef();
	const drapeCriterionInfo* info;
	uint32_t count = 0;
	for (; (info = drapeCriterion_GetInfo(count)) != NULL; ++count)
	{
		assert_true(info->key && info->label && info->help && info->parameterCount > 0);
		assert_true(info->offset + info->size <= sizeof def && info->enabled < info->size);
		assert_int_equal(*((const bool*)&def + info->offset + info->enabled), info->isInitial);
		for (uint32_t k = 0; k < info->parameterCount; ++k)
		{
			const drapeParameter* parameter = &info->parameters[k];
			assert_true(parameter->key && parameter->label && parameter->help && parameter->step > 0.0);
			assert_true(parameter->offset + sizeof(float) <= info->size);
			if (parameter->kind == drape_parameterVec3)
				continue;
			double value = ValueOf(&def, info, parameter);
			assert_true(value == parameter->initial && value <= parameter->high);
			assert_true(parameter->isAbove ? value > parameter->low : value >= parameter->low);
		}
	}
	assert_int_equal(count, 6);
	assert_null(drapeCriterion_GetInfo(UINT32_MAX));
}

static void DescribedOffsetsAreThoseOfTheMembers(void** state)
{
	(void)state;
	drapeAdaptDef def = drapeDefaultAdaptDef();
	const drapeCriterionInfo* curvature = drapeCriterion_GetInfo(1);
	assert_string_equal(curvature->key, "curvature");
	assert_string_equal(curvature->parameters[1].key, "join");
	def.curvature.joinAngle = 0.0625f;
	assert_true(ValueOf(&def, curvature, &curvature->parameters[1]) == 0.0625);
}

// --- curvature ------------------------------------------------------------------------------------------------------

static void CurvatureSplitsAboveOneAngleAndJoinsBelowTheOther(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(1);
	def.curvature = (drapeCurvatureCriterion){.enabled = true, .splitAngle = 0.3f, .joinAngle = 0.2f};
	Sheet sheet = Sheet_Create(1, 1, &def);
	Sheet_TiltNormals(sheet.cloth, 0.29f);
	AssertStill(sheet.cloth);
	Sheet_TiltNormals(sheet.cloth, 0.31f);
	assert_int_equal(Sheet_Adapt(sheet.cloth).splits, 3); // two along x and the diagonal
	Sheet_TiltNormals(sheet.cloth, 0.31f);
	AssertStill(sheet.cloth);
	Sheet_TiltNormals(sheet.cloth, 0.25f); // between the two
	AssertStill(sheet.cloth);
	Sheet_TiltNormals(sheet.cloth, 0.21f);
	AssertStill(sheet.cloth);
	Sheet_TiltNormals(sheet.cloth, 0.19f);
	assert_int_equal(Sheet_Adapt(sheet.cloth).joins, 3);
	AssertStill(sheet.cloth);
	Sheet_TiltNormals(sheet.cloth, -0.31f); // the sign means nothing
	assert_int_equal(Sheet_Adapt(sheet.cloth).splits, 3);
	Sheet_Destroy(&sheet);
}

static drapeVec3 Bowl(float s, float t, float amount)
{
	float x = s - 0.5f, z = 0.5f - t;
	return (drapeVec3){x, amount * (x * x + z * z), z};
}

// Edges more curved than an angle, and how many of them the mesh would let split.
static uint32_t CountCurved(drapeClothId id, float angle, uint32_t* maySplit)
{
	const Cloth* cloth = drapeCloth_Get(id);
	const ActiveMesh* active = &cloth->active;
	uint32_t count = 0;
	*maySplit = 0;
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		Vec4 a = active->normal[active->edgeFrom[i]], b = active->normal[active->edgeTo[i]];
		if (V3Dot(V4Xyz(a), V4Xyz(b)) >= cosf(angle))
			continue;
		count++;
		*maySplit += drapeEdgeScheme_MaySplit((const EdgeScheme*)cloth->scheme, active->edgeId[i]);
	}
	return count;
}

static void CurvatureRefinesDownToTheAngle(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(8);
	def.curvature = (drapeCurvatureCriterion){.enabled = true, .splitAngle = 0.15f, .joinAngle = 0.05f};
	Sheet sheet = Sheet_Create(4, 4, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Bowl, 1.0f));
	uint32_t maySplit;
	assert_true(CountCurved(sheet.cloth, 0.3f, &maySplit) > 20);
	assert_true(Sheet_Settle(sheet.cloth, 4, 40, Bowl, 1.0f));
	assert_int_equal(CountCurved(sheet.cloth, 0.3f, &maySplit), 0);
	CountCurved(sheet.cloth, 0.15f, &maySplit);
	assert_int_equal(maySplit, 0);
	assert_in_range(Sheet_DeepestLevel(sheet.cloth), 2, 3);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, 1.0f));
	assert_true(Sheet_Settle(sheet.cloth, 4, 40, Sheet_Flat, 1.0f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 0);
	Sheet_Destroy(&sheet);
}

// --- length ---------------------------------------------------------------------------------------------------------

static void LengthSplitsCompressedEdgesAndJoinsRelaxedOnes(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(1);
	def.length = (drapeLengthCriterion){.enabled = true, .splitRatio = 0.9f, .joinRatio = 0.95f, .levelFactor = 1.0f};
	Sheet sheet = Sheet_Create(2, 2, &def);
	const struct
	{
		float scale;
		uint32_t splits, joins;
	} course[] = {{1.0f, 0, 0},  {1.5f, 0, 0},  {0.91f, 0, 0},  {0.89f, 16, 0}, {0.89f, 0, 0},
	              {0.91f, 0, 0}, {0.94f, 0, 0}, {0.96f, 0, 16}, {0.94f, 0, 0}};
	for (size_t i = 0; i < sizeof course / sizeof course[0]; ++i)
	{
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, course[i].scale));
		drapeAdaptResult result = Sheet_Adapt(sheet.cloth);
		assert_int_equal(result.splits, course[i].splits);
		assert_int_equal(result.joins, course[i].joins);
	}
	Sheet_Destroy(&sheet);
}

static void ALevelFactorBelowOneEndsTheRefinementOfCompressedCloth(void** state)
{
	(void)state;
	// Split below 0.98 * 0.9^level: 0.98, 0.882, 0.794, 0.714, 0.643 ...
	const struct
	{
		float scale, factor;
		uint32_t level;
	} cases[] = {{0.99f, 0.9f, 0}, {0.95f, 0.9f, 1}, {0.8f, 0.9f, 2}, {0.7f, 0.9f, 4}, {0.97f, 1.0f, 5}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		drapeAdaptDef def = Sheet_Plain(5);
		def.length = (drapeLengthCriterion){true, 0.98f, 0.99f, cases[i].factor};
		Sheet sheet = Sheet_Create(2, 2, &def);
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, cases[i].scale));
		assert_true(Sheet_Settle(sheet.cloth, 3, 20, Sheet_Flat, cases[i].scale));
		assert_int_equal(Sheet_DeepestLevel(sheet.cloth), cases[i].level);
		assert_int_equal(Sheet_ShallowestLevel(sheet.cloth), cases[i].level);
		Sheet_Destroy(&sheet);
	}
}

static void TheJoinRatioIsScaledByLevelToo(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(5);
	def.length = (drapeLengthCriterion){true, 0.9f, 0.95f, 0.9f};
	Sheet sheet = Sheet_Create(2, 2, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, 0.7f));
	assert_true(Sheet_Settle(sheet.cloth, 3, 20, Sheet_Flat, 0.7f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 3); // 0.9, 0.81, 0.729
	// Edges split at level 2 rejoin above 0.95 * 0.81 = 0.7695, those of level 1 above 0.855.
	assert_true(Sheet_Settle(sheet.cloth, 3, 20, Sheet_Flat, 0.76f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 3);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, 0.84f));
	assert_true(Sheet_Settle(sheet.cloth, 3, 20, Sheet_Flat, 0.84f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 2);
	Sheet_Destroy(&sheet);
}

// --- collision ------------------------------------------------------------------------------------------------------

static void EdgesWhoseMiddleIsInsideSplitAndRejoinWhenTheObstacleGoes(void** state)
{
	(void)state;
	Ball ball = {.centre = {0.125f, 0.0f, 0.125f}, .radius = 0.2f};
	drapeAdaptDef def = Sheet_Plain(3);
	def.collision = (drapeCollisionCriterion){.inside = InBall, .context = &ball, .maxLevel = DRAPE_MAX_LEVEL};
	Sheet sheet = Sheet_Create(4, 4, &def);
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	uint32_t expected = 0;
	for (uint32_t i = 0; i < view.edgeCount; ++i)
	{
		drapeVec4 a = view.positions[view.edgeFrom[i]], b = view.positions[view.edgeTo[i]];
		drapeVec3 middle = {0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
		expected += InBall(middle, &ball);
	}
	assert_true(expected > 0 && expected < view.edgeCount);
	assert_int_equal(Sheet_Adapt(sheet.cloth).splits, expected);
	assert_true(Sheet_Settle(sheet.cloth, 3, 20, NULL, 0.0f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 3);

	// A join is refused while the middle of the rejoined edge would be inside.
	view = drapeCloth_GetView(sheet.cloth);
	uint32_t insideMiddles = 0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 p = view.positions[i];
		insideMiddles += view.particleLevels[i] > 0 && InBall((drapeVec3){p.x, p.y, p.z}, &ball);
	}
	assert_true(insideMiddles > expected);
	AssertStill(sheet.cloth);

	ball.radius = 0.0f;
	assert_true(Sheet_Settle(sheet.cloth, 3, 20, NULL, 0.0f));
	assert_int_equal(drapeCloth_GetView(sheet.cloth).triangleCount, 32);
	Sheet_Destroy(&sheet);
}

static void CollisionHasAMaximumLevelOfItsOwn(void** state)
{
	(void)state;
	Ball ball = {.radius = 0.3f};
	for (uint32_t own = 0; own <= 4; ++own)
	{
		drapeAdaptDef def = Sheet_Plain(4);
		def.collision = (drapeCollisionCriterion){.inside = InBall, .context = &ball, .maxLevel = own};
		Sheet sheet = Sheet_Create(4, 4, &def);
		assert_true(Sheet_Settle(sheet.cloth, 3, 30, NULL, 0.0f));
		assert_int_equal(Sheet_DeepestLevel(sheet.cloth), own);
		// Lowered later, what is deeper goes.
		def.collision.maxLevel = 1;
		SetAdapt(sheet.cloth, &def);
		assert_true(Sheet_Settle(sheet.cloth, 3, 30, NULL, 0.0f));
		assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 1);
		Sheet_Destroy(&sheet);
	}
	// Curvature goes deeper in the same place.
	drapeAdaptDef def = Sheet_Plain(4);
	def.collision = (drapeCollisionCriterion){.inside = InBall, .context = &ball, .maxLevel = 1};
	def.curvature = (drapeCurvatureCriterion){true, 0.01f, 0.001f};
	Sheet sheet = Sheet_Create(4, 4, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 1.0f));
	assert_true(Sheet_Settle(sheet.cloth, 3, 30, Sheet_Cylinder, 1.0f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 4);
	Sheet_Destroy(&sheet);
}

// --- visibility -----------------------------------------------------------------------------------------------------

// Visible: x below the context's value.
static bool LeftOf(drapeVec3 position, drapeVec3 normal, void* context)
{
	(void)normal;
	return position.x < *(const float*)context;
}

static drapeAdaptDef BentAndHalfSeen(uint32_t maxLevel, const float* border)
{
	drapeAdaptDef def = Sheet_Plain(maxLevel);
	def.curvature = (drapeCurvatureCriterion){true, 0.01f, 0.001f};
	def.visibility = (drapeVisibilityCriterion){.enabled = true, .visible = LeftOf, .context = (void*)border};
	return def;
}

static void InvisibleEdgesDoNotSplitAndRejoinAlthoughCurved(void** state)
{
	(void)state;
	float border = -10.0f; // nothing is seen
	drapeAdaptDef def = BentAndHalfSeen(3, &border);
	Sheet sheet = Sheet_Create(4, 4, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 2.0f));
	AssertStill(sheet.cloth);
	border = 10.0f; // all is
	assert_true(Sheet_Settle(sheet.cloth, 3, 30, Sheet_Cylinder, 2.0f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 3);
	border = -10.0f;
	assert_true(Sheet_Settle(sheet.cloth, 3, 30, Sheet_Cylinder, 2.0f));
	assert_int_equal(drapeCloth_GetView(sheet.cloth).triangleCount, 32);
	Sheet_Destroy(&sheet);
}

static void AnEdgeWithOneVisibleEndIsVisible(void** state)
{
	(void)state;
	float border = -0.4f; // the first column of vertices
	drapeAdaptDef def = BentAndHalfSeen(1, &border);
	Sheet sheet = Sheet_Create(4, 4, &def);
	Sheet_TiltNormals(sheet.cloth, 2.0f);
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	uint32_t expected = 0;
	for (uint32_t i = 0; i < view.edgeCount; ++i)
	{
		float a = view.positions[view.edgeFrom[i]].x, b = view.positions[view.edgeTo[i]].x;
		expected += a != b && (a < border || b < border); // edges along the axis of the bend are not curved
	}
	assert_int_equal(expected, 9);
	assert_int_equal(Sheet_Adapt(sheet.cloth).splits, expected);
	Sheet_Destroy(&sheet);
}

// Triangles that can be seen, by level.
static void CountSeen(drapeClothId cloth, float border, uint32_t* levels)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	memset(levels, 0, (DRAPE_MAX_LEVEL + 1) * sizeof *levels);
	for (uint32_t i = 0; i < view.triangleCount; ++i)
	{
		bool isSeen = true;
		for (int k = 0; k < 3; ++k)
			isSeen = isSeen && view.positions[view.triangles[3 * i + k]].x < border;
		levels[view.triangleLevels[i]] += isSeen;
	}
}

static drapeVec3 Saddle(float s, float t, float amount)
{
	return (drapeVec3){s - 0.5f, amount * ((s - 0.5f) * (s - 0.5f) - (t - 0.5f) * (t - 0.5f)) + amount * s * t,
	                   0.5f - t};
}

static void InvisibleNeighboursRefineSoThatTheVisibleReachesFullDepth(void** state)
{
	(void)state;
	const uint32_t depth = 4;
	float border = 0.01f;
	drapeAdaptDef def = BentAndHalfSeen(depth, &border);
	Sheet forced = Sheet_Create(8, 8, &def);
	assert_true(Sheet_SetShape(forced.cloth, Saddle, 2.0f));
	assert_true(Sheet_Settle(forced.cloth, 4, 60, NULL, 0.0f));
	uint32_t levels[DRAPE_MAX_LEVEL + 1];
	CountSeen(forced.cloth, border, levels);
	for (uint32_t i = 0; i < depth; ++i)
		assert_int_equal(levels[i], 0);
	assert_true(levels[depth] > 0);
	// What lies far on the other side stays coarse.
	assert_int_equal(Sheet_ShallowestLevel(forced.cloth), 0);
	Sheet_Destroy(&forced);

	// The same without: the border is reached one level later with each column, as the thesis says of figure 5.8.
	Sheet held = Sheet_Create(8, 8, &def);
	assert_true(Sheet_SetShape(held.cloth, Saddle, 2.0f));
	Cloth* cloth = drapeCloth_Get(held.cloth);
	for (int pass = 0; pass < 60; ++pass)
	{
		AdaptCounts counts;
		assert_true(drapeCriteria_Evaluate(&cloth->criteria, &cloth->adapt, &cloth->active, NULL,
		                                   drapeWorlds_Get(held.world)->tasks));
		AdaptRequest request = drapeCriteria_Request(&cloth->criteria, &cloth->adapt);
		request.mustSplit = NULL;
		assert_int_equal(cloth->scheme->type->adapt(cloth->scheme, &request, &counts), drape_ok);
	}
	CountSeen(held.cloth, border, levels);
	assert_true(levels[1] + levels[2] + levels[3] > 0);
	Sheet_Destroy(&held);
}

static void BackFacesAreInvisible(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(2);
	def.curvature = (drapeCurvatureCriterion){true, 0.01f, 0.001f};
	def.visibility = (drapeVisibilityCriterion){.enabled = true, .camera = {0.0f, -10.0f, 0.0f}};
	Sheet sheet = Sheet_Create(4, 4, &def);
	Sheet_TiltNormals(sheet.cloth, 1.0f);
	AssertStill(sheet.cloth); // seen from below, normals point up
	def.visibility.camera.y = 10.0f;
	SetAdapt(sheet.cloth, &def);
	assert_true(Sheet_Adapt(sheet.cloth).splits > 0);
	def.visibility.camera.y = -10.0f;
	SetAdapt(sheet.cloth, &def);
	assert_true(Sheet_Settle(sheet.cloth, 3, 20, NULL, 0.0f));
	assert_int_equal(drapeCloth_GetView(sheet.cloth).triangleCount, 32);
	Sheet_Destroy(&sheet);
}

// A visible edge that stays whole because it is flat holds up its triangle for good. Invisible edges beside it must
// then be left alone: they would be split for nothing, rejoin, and be split again.
static void SplitsAreForcedOnlyWithEffect(void** state)
{
	(void)state;
	for (uint32_t wait = 0; wait <= 3; ++wait)
	{
		float border = 0.01f;
		drapeAdaptDef def = BentAndHalfSeen(4, &border);
		def.joinWait = wait;
		Sheet sheet = Sheet_Create(8, 8, &def);
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 2.0f)); // edges along the axis are flat
		assert_true(Sheet_Settle(sheet.cloth, 4 * (wait + 2), 200, NULL, 0.0f));
		Sheet_Destroy(&sheet);
	}
}

// --- user -----------------------------------------------------------------------------------------------------------

static void AUserSplitsAndJoins(void** state)
{
	(void)state;
	Wishes wishes = {.whole = drape_wishSplit, .split = drape_wishNone};
	drapeAdaptDef def = Sheet_Plain(2);
	def.user = (drapeUserCriterion){SameWish, &wishes};
	for (int rule = drape_joinAll; rule <= drape_joinAlways; ++rule)
	{
		def.joinRule = (drapeJoinRule)rule;
		wishes.whole = drape_wishSplit;
		wishes.split = drape_wishSplit;
		Sheet sheet = Sheet_Create(3, 3, &def);
		assert_true(Sheet_Settle(sheet.cloth, 3, 20, NULL, 0.0f));
		assert_int_equal(Sheet_ShallowestLevel(sheet.cloth), 2);
		wishes.whole = drape_wishNone;
		wishes.split = drape_wishNone;
		uint32_t before = drapeCloth_GetView(sheet.cloth).triangleCount;
		Sheet_Adapt(sheet.cloth);
		assert_int_equal(drapeCloth_GetView(sheet.cloth).triangleCount < before, rule == drape_joinAlways);
		wishes.split = drape_wishJoin;
		assert_true(Sheet_Settle(sheet.cloth, 3, 20, NULL, 0.0f));
		assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 0);
		Sheet_Destroy(&sheet);
	}
}

typedef struct Told
{
	drapeClothView view;
	drapeClothId cloth;
	uint32_t whole, split;
} Told;

static bool SameXyz(drapeVec3 a, drapeVec4 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

static drapeWish CheckWhatIsTold(const drapeEdgeInfo* info, void* context)
{
	Told* told = context;
	const drapeClothView* view = &told->view;
	bool found = false;
	for (uint32_t i = 0; i < view->edgeCount && !info->isSplit && !found; ++i)
	{
		uint32_t a = view->edgeFrom[i], b = view->edgeTo[i];
		found = SameXyz(info->from, view->positions[a]) && SameXyz(info->to, view->positions[b]) &&
		        SameXyz(info->fromNormal, view->normals[a]) && SameXyz(info->toNormal, view->normals[b]) &&
		        info->restLength == view->restLengths[i] && info->level == view->edgeLevels[i];
	}
	for (uint32_t i = 0; i < view->particleCount && info->isSplit && !found; ++i)
	{
		drapeParticleOrigin origin = drapeCloth_GetOrigin(told->cloth, i);
		if (origin.count == 0 || info->level + 1 != view->particleLevels[i])
			continue;
		uint32_t a = origin.parents[0], b = origin.parents[1];
		drapeVec4 p = view->positions[a], q = view->positions[b];
		float length = hypotf(p.x - q.x, p.z - q.z); // the sheet is flat and at rest
		found = SameXyz(info->from, p) && SameXyz(info->to, q) && SameXyz(info->fromNormal, view->normals[a]) &&
		        SameXyz(info->toNormal, view->normals[b]) && fabsf(info->restLength - length) < 1e-5f;
	}
	assert_true(found);
	told->whole += !info->isSplit;
	told->split += info->isSplit;
	return drape_wishNone;
}

static void AUserIsToldTheRightThings(void** state)
{
	(void)state;
	Told told = {0};
	drapeAdaptDef def = Sheet_Plain(5);
	def.user = (drapeUserCriterion){CheckWhatIsTold, &told};
	Sheet sheet = Sheet_Create(3, 2, &def);
	assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	assert_int_equal(drapeCloth_SplitEdge(sheet.cloth, 7), drape_ok);
	told.cloth = sheet.cloth;
	told.view = drapeCloth_GetView(sheet.cloth);
	def.joinRule = drape_joinAny; // so that split edges are asked about too
	SetAdapt(sheet.cloth, &def);
	Sheet_Adapt(sheet.cloth);
	assert_int_equal(told.whole, told.view.edgeCount);
	assert_int_equal(told.split, told.view.particleCount - 12);
	Sheet_Destroy(&sheet);
}

// --- combination ----------------------------------------------------------------------------------------------------

static void CallbacksAreAskedOnlyAboutWhatIsUndecided(void** state)
{
	(void)state;
	Ball ball = {.radius = 0.0f};
	Wishes wishes = {drape_wishNone, drape_wishNone, 0, 0};
	drapeAdaptDef def = Sheet_Plain(1);
	def.curvature = (drapeCurvatureCriterion){true, 0.3f, 0.2f};
	def.collision = (drapeCollisionCriterion){.inside = InBall, .context = &ball, .maxLevel = DRAPE_MAX_LEVEL};
	def.user = (drapeUserCriterion){SameWish, &wishes};
	Sheet sheet = Sheet_Create(1, 1, &def);
	Sheet_TiltNormals(sheet.cloth, 0.1f);
	AssertStill(sheet.cloth);
	assert_int_equal(ball.calls, 5);
	assert_int_equal(wishes.calls, 5);

	// Three of five edges are curved: the other two are asked about.
	ball.calls = wishes.calls = 0;
	Sheet_TiltNormals(sheet.cloth, 0.4f);
	assert_int_equal(Sheet_Adapt(sheet.cloth).splits, 3);
	assert_int_equal(ball.calls, 2);
	assert_int_equal(wishes.calls, 2);

	// Split edges that curvature keeps are not asked about, under any rule, nor edges at the maximum level.
	for (int rule = drape_joinAll; rule <= drape_joinAlways; ++rule)
	{
		def.joinRule = (drapeJoinRule)rule;
		SetAdapt(sheet.cloth, &def);
		ball.calls = wishes.calls = 0;
		Sheet_TiltNormals(sheet.cloth, 0.4f);
		AssertStill(sheet.cloth);
		assert_int_equal(wishes.splitCalls, 0);
		assert_int_equal(ball.calls, 2); // the two pattern edges along the axis
	}

	// The user is not asked where the obstacle has decided.
	ball.radius = 10.0f;
	ball.calls = wishes.calls = 0;
	assert_int_equal(Sheet_Adapt(sheet.cloth).splits, 2);
	assert_int_equal(wishes.calls, 0);
	Sheet_Destroy(&sheet);
}

static void AJoinIsRefusedWhileAnyCriterionWouldSplit(void** state)
{
	(void)state;
	Ball ball = {.radius = 10.0f};
	Wishes wishes = {drape_wishSplit, drape_wishSplit, 0, 0};
	enum
	{
		flatButInside,
		flatButCompressed,
		relaxedButCurved,
		flatButWanted,
		outsideButCurved,
		joinWishedButCurved,
		joinWishedButInside,
		caseCount
	};
	for (int i = 0; i < caseCount * 3; ++i)
	{
		drapeAdaptDef def = Sheet_Plain(1);
		def.joinRule = (drapeJoinRule)(i / caseCount);
		int which = i % caseCount;
		def.curvature = (drapeCurvatureCriterion){true, 0.3f, 0.2f};
		def.length = (drapeLengthCriterion){true, 0.9f, 0.95f, 1.0f};
		ball.radius = which == flatButInside || which == joinWishedButInside ? 10.0f : 0.0f;
		wishes.whole = which == flatButWanted ? drape_wishSplit : drape_wishNone;
		wishes.split = which == flatButWanted ? drape_wishSplit : drape_wishNone;
		if (which == joinWishedButCurved || which == joinWishedButInside)
			wishes.split = drape_wishJoin;
		if (which == flatButInside || which == outsideButCurved || which == joinWishedButInside)
			def.collision = (drapeCollisionCriterion){.inside = InBall, .context = &ball, .maxLevel = DRAPE_MAX_LEVEL};
		if (wishes.split != drape_wishNone)
			def.user = (drapeUserCriterion){SameWish, &wishes};
		bool curved = which == relaxedButCurved || which == outsideButCurved || which == joinWishedButCurved;
		float scale = which == flatButCompressed ? 0.8f : 1.0f;

		Sheet sheet = Sheet_Create(1, 1, &def);
		assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, scale));
		// A bend about both axes, so that all five pattern edges are curved.
		ActiveMesh* active = &drapeCloth_Get(sheet.cloth)->active;
		for (uint32_t p = 0; p < active->particleCount && curved; ++p)
		{
			Vec3 n = V3Normalize((Vec3){active->position[p].x, 1.0f, active->position[p].z * 0.7f});
			active->normal[p] = (Vec4){n.x, n.y, n.z, 0.0f};
		}
		AssertStill(sheet.cloth);
		Sheet_Destroy(&sheet);
	}
}

// --- rest -----------------------------------------------------------------------------------------------------------

static drapeAdaptDef Combination(unsigned bits, drapeJoinRule rule, Ball* ball, Wishes* wishes)
{
	drapeAdaptDef def = drapeDefaultAdaptDef();
	def.maxLevel = 3;
	def.joinWait = 2;
	def.joinRule = rule;
	def.curvature.enabled = bits & 1;
	def.length.enabled = bits & 2;
	def.length.levelFactor = 0.97f;
	if (bits & 4)
		def.collision = (drapeCollisionCriterion){.inside = InBall, .context = ball, .maxLevel = 2};
	if (bits & 8)
	{
		def.visibility.enabled = true;
		def.visibility.camera = (drapeVec3){3.0f, 1.0f, 0.5f};
	}
	if (bits & 16)
		def.user = (drapeUserCriterion){SameWish, wishes};
	return def;
}

static void AStaticShapeComesToRest(void** state)
{
	(void)state;
	SheetShape* const shapes[] = {Sheet_Cylinder, Sheet_Bumps};
	const float amounts[] = {2.5f, 0.06f};
	for (unsigned bits = 0; bits < 32; ++bits)
	{
		for (int i = 0; i < 6; ++i)
		{
			Ball ball = {.centre = {0.1f, 0.3f, 0.0f}, .radius = 0.25f};
			Wishes wishes = {drape_wishNone, bits & 4 ? drape_wishNone : drape_wishJoin, 0, 0};
			drapeAdaptDef def = Combination(bits, (drapeJoinRule)(i / 2), &ball, &wishes);
			Sheet sheet = Sheet_Create(6, 6, &def);
			assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
			assert_true(Sheet_SetShape(sheet.cloth, shapes[i % 2], amounts[i % 2]));
			if (!Sheet_Settle(sheet.cloth, 10, 120, NULL, 0.0f))
				fail_msg("criteria %u, rule %d, shape %d never rest", bits, i / 2, i % 2);
			Sheet_Destroy(&sheet);
		}
	}
}

static void ACurvedShapeComesToRestWithItsNormalsKeptUpToDate(void** state)
{
	(void)state;
	for (unsigned bits = 1; bits < 8; bits += 2)
	{
		for (int rule = drape_joinAll; rule <= drape_joinAlways; ++rule)
		{
			Ball ball = {.centre = {0.1f, 0.3f, 0.0f}, .radius = 0.25f};
			drapeAdaptDef def = Combination(bits, (drapeJoinRule)rule, &ball, NULL);
			Sheet sheet = Sheet_Create(6, 6, &def);
			assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 2.5f));
			if (!Sheet_Settle(sheet.cloth, 10, 120, Sheet_Cylinder, 2.5f))
				fail_msg("criteria %u, rule %d never rest on a cylinder", bits, rule);
			assert_true(Sheet_SetShape(sheet.cloth, Sheet_Bumps, 0.06f));
			if (!Sheet_Settle(sheet.cloth, 10, 120, Sheet_Bumps, 0.06f))
				fail_msg("criteria %u, rule %d never rest on bumps", bits, rule);
			Sheet_Destroy(&sheet);
		}
	}
}

// Coarsening a silhouette turns its normals, which may bring it back into view: only what clearly faces away rejoins.
static void AnEdgeJustOutOfViewStaysSplit(void** state)
{
	(void)state;
	const float heights[] = {-0.3f, -3.0f};
	const uint32_t levels[] = {2, 0};
	for (int i = 0; i < 2; ++i)
	{
		drapeAdaptDef def = Sheet_Plain(2);
		def.visibility.enabled = true;
		def.visibility.camera = (drapeVec3){10.0f, heights[i], 0.0f};
		Sheet sheet = Sheet_Create(3, 3, &def);
		drapeCloth_Refine(sheet.cloth);
		drapeCloth_Refine(sheet.cloth);
		assert_true(Sheet_Settle(sheet.cloth, 5, 50, NULL, 0.0f));
		assert_int_equal(Sheet_DeepestLevel(sheet.cloth), levels[i]);
		Sheet_Destroy(&sheet);
	}
}

// --- waiting and levels ---------------------------------------------------------------------------------------------

static void AnEdgeDoesNotRejoinBeforeItsWaitIsOver(void** state)
{
	(void)state;
	const uint32_t waits[] = {0, 1, 5, 40, 255};
	for (size_t i = 0; i < sizeof waits / sizeof waits[0]; ++i)
	{
		Wishes wishes = {drape_wishNone, drape_wishJoin, 0, 0};
		drapeAdaptDef def = Sheet_Plain(2);
		def.joinWait = waits[i];
		def.user = (drapeUserCriterion){SameWish, &wishes};
		Sheet sheet = Sheet_Create(1, 1, &def);
		assert_int_equal(drapeCloth_SplitEdge(sheet.cloth, 0), drape_ok);
		for (uint32_t pass = 0; pass < waits[i]; ++pass)
			AssertStill(sheet.cloth);
		assert_int_equal(wishes.splitCalls, 0);
		assert_int_equal(Sheet_Adapt(sheet.cloth).joins, 1);
		Sheet_Destroy(&sheet);
	}
}

static void AttemptsToRejoinAreSpreadOverThePasses(void** state)
{
	(void)state;
	enum
	{
		wait = 4,
	};
	Wishes wishes = {drape_wishNone, drape_wishNone, 0, 0};
	drapeAdaptDef def = Sheet_Plain(1);
	def.joinWait = wait;
	def.joinRule = drape_joinAny;
	def.user = (drapeUserCriterion){SameWish, &wishes};
	Sheet sheet = Sheet_Create(4, 4, &def);
	// One edge of the pattern each pass: each is then asked about every wait + 1 passes, in its own turn.
	for (uint32_t i = 0; i < wait + 1; ++i)
	{
		uint32_t edge = 0;
		while (drapeCloth_SplitEdge(sheet.cloth, edge) != drape_ok)
			edge++;
		Sheet_Adapt(sheet.cloth);
	}
	for (uint32_t pass = 0; pass < 20; ++pass)
	{
		wishes.splitCalls = 0;
		AssertStill(sheet.cloth);
		assert_int_equal(wishes.splitCalls, 1);
	}
	Sheet_Destroy(&sheet);
}

static void LoweringTheMaximumLevelRejoinsWhatIsDeeper(void** state)
{
	(void)state;
	for (int rule = drape_joinAll; rule <= drape_joinAlways; ++rule)
	{
		drapeAdaptDef def = Sheet_Plain(4);
		def.curvature = (drapeCurvatureCriterion){true, 0.001f, 0.0001f};
		def.joinRule = (drapeJoinRule)rule;
		Sheet sheet = Sheet_Create(4, 4, &def);
		assert_true(Sheet_SetShape(sheet.cloth, Bowl, 1.0f));
		assert_true(Sheet_Settle(sheet.cloth, 3, 30, Bowl, 1.0f));
		assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 4);
		for (uint32_t level = 3; level + 1 > 0; --level)
		{
			def.maxLevel = level;
			SetAdapt(sheet.cloth, &def);
			assert_true(Sheet_Settle(sheet.cloth, 3, 30, NULL, 0.0f));
			assert_int_equal(Sheet_DeepestLevel(sheet.cloth), level);
		}
		assert_int_equal(drapeCloth_GetView(sheet.cloth).triangleCount, 32);
		Sheet_Destroy(&sheet);
	}
	// Also without any criterion.
	drapeAdaptDef def = Sheet_Plain(2);
	Sheet sheet = Sheet_Create(2, 2, &def);
	drapeCloth_Refine(sheet.cloth);
	drapeCloth_Refine(sheet.cloth);
	def.maxLevel = 1;
	SetAdapt(sheet.cloth, &def);
	assert_true(Sheet_Settle(sheet.cloth, 3, 30, NULL, 0.0f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 1);
	Sheet_Destroy(&sheet);
}

static void AClothWithoutCriteriaKeepsWhatWasSplitByHand(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(3);
	Sheet sheet = Sheet_Create(3, 3, &def);
	assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	assert_int_equal(drapeCloth_SplitEdge(sheet.cloth, 5), drape_ok);
	for (int i = 0; i < 10; ++i)
		AssertStill(sheet.cloth);
	def.joinRule = drape_joinAlways; // says so
	SetAdapt(sheet.cloth, &def);
	assert_true(Sheet_Settle(sheet.cloth, 3, 20, NULL, 0.0f));
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 0);
	Sheet_Destroy(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryRuleOfValidityFires),
		cmocka_unit_test(ValuesOfDisabledCriteriaDoNotMatter),
		cmocka_unit_test(EveryCriterionIsDescribedWithItsDefaultsInTheirRange),
		cmocka_unit_test(DescribedOffsetsAreThoseOfTheMembers),
		cmocka_unit_test(CurvatureSplitsAboveOneAngleAndJoinsBelowTheOther),
		cmocka_unit_test(CurvatureRefinesDownToTheAngle),
		cmocka_unit_test(LengthSplitsCompressedEdgesAndJoinsRelaxedOnes),
		cmocka_unit_test(ALevelFactorBelowOneEndsTheRefinementOfCompressedCloth),
		cmocka_unit_test(TheJoinRatioIsScaledByLevelToo),
		cmocka_unit_test(EdgesWhoseMiddleIsInsideSplitAndRejoinWhenTheObstacleGoes),
		cmocka_unit_test(CollisionHasAMaximumLevelOfItsOwn),
		cmocka_unit_test(InvisibleEdgesDoNotSplitAndRejoinAlthoughCurved),
		cmocka_unit_test(AnEdgeWithOneVisibleEndIsVisible),
		cmocka_unit_test(InvisibleNeighboursRefineSoThatTheVisibleReachesFullDepth),
		cmocka_unit_test(BackFacesAreInvisible),
		cmocka_unit_test(SplitsAreForcedOnlyWithEffect),
		cmocka_unit_test(AUserSplitsAndJoins),
		cmocka_unit_test(AUserIsToldTheRightThings),
		cmocka_unit_test(CallbacksAreAskedOnlyAboutWhatIsUndecided),
		cmocka_unit_test(AJoinIsRefusedWhileAnyCriterionWouldSplit),
		cmocka_unit_test(AStaticShapeComesToRest),
		cmocka_unit_test(ACurvedShapeComesToRestWithItsNormalsKeptUpToDate),
		cmocka_unit_test(AnEdgeJustOutOfViewStaysSplit),
		cmocka_unit_test(AnEdgeDoesNotRejoinBeforeItsWaitIsOver),
		cmocka_unit_test(AttemptsToRejoinAreSpreadOverThePasses),
		cmocka_unit_test(LoweringTheMaximumLevelRejoinsWhatIsDeeper),
		cmocka_unit_test(AClothWithoutCriteriaKeepsWhatWasSplitByHand),
	};
	return cmocka_run_group_tests_name("criteria", tests, NULL, NULL);
}
