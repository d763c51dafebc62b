// SPDX-License-Identifier: MIT
#include "world/step_budget.h"

#include "world/world.h"

enum
{
	mostPostponed = 120, // steps by which an adaptation pass is late at most
	barrenSteps = 30,    // steps after a pass that removed no triangles, before another one is forced to
};

// Shares of the budget that are kept free after the last solve, and after the last round of impacts.
static const double tailReserve = 0.05, endReserve = 0.06;

// Share of the budget that the changes of an adaptation pass may use at least. Every pass with changes costs an update of
// model and solver, so that few passes with many changes end sooner.
static const double leastPass = 0.6;

// Peaks decay by these shares of the difference, in each step and in each pass.
static const float stepDecay = 0.1f, passDecay = 0.5f;

// Sums of the budgets of all cloths: ms, and operations. 0 when a cloth has none.
typedef struct Sums
{
	double milliseconds, operations;
} Sums;

static Sums SumBudgets(const drapeWorld* world)
{
	Sums sums = {0};
	bool hasTime = true, hasWork = true;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth))
			continue;
		const drapeBudgetDef* def = &cloth->budget.def;
		hasTime &= def->seconds > 0.0f;
		hasWork &= def->work > 0.0f;
		sums.milliseconds += 1e3 * (double)def->seconds;
		sums.operations += 1e6 * (double)def->work;
	}
	return (Sums){hasTime ? sums.milliseconds : 0.0, hasWork ? sums.operations : 0.0};
}

// The share that a cloth has in the budget of the step.
static double ShareOf(const Sums* sums, const Cloth* cloth)
{
	const drapeBudgetDef* def = &cloth->budget.def;
	double time = sums->milliseconds > 0.0 ? 1e3 * (double)def->seconds / sums->milliseconds : 0.0;
	double work = sums->operations > 0.0 ? 1e6 * (double)def->work / sums->operations : 0.0;
	return sums->milliseconds > 0.0 && sums->operations > 0.0 ? MinNum(time, work) : MaxNum(time, work);
}

void drapeStepBudget_Begin(drapeWorld* world)
{
	Sums sums = SumBudgets(world);
	drapeDeadline_Begin(&world->deadline, sums.milliseconds, sums.operations);
	world->budget.barren -= world->budget.barren > 0;
	world->use = (StepUse){.unplanned = 1.0};
}

// Returns whether a cloth has many more triangles than it may have, and passes remove some. The next one then makes steps
// cheaper.
static bool IsTooFine(const drapeWorld* world)
{
	const float excess = 1.05f;
	if (world->budget.barren > 0)
		return false;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		if (drapeCloth_IsUsed(cloth) && cloth->adapt.scheme != drape_schemeFixed && cloth->budget.target > 0.0f &&
		    (float)cloth->active.triangleCount > excess * cloth->budget.target &&
		    cloth->active.triangleCount > cloth->pattern->triangleCount)
			return true;
	}
	return false;
}

bool drapeStepBudget_MayAdapt(drapeWorld* world)
{
	StepBudget* budget = &world->budget;
	DRAPE_ASSERT(budget->pass >= 0.0f && budget->needed >= 0.0f);
	double expected = (double)budget->pass + (double)budget->needed;
	if (budget->postponed < mostPostponed && !IsTooFine(world) && drapeDeadline_Stops(&world->deadline, expected))
	{
		budget->postponed++;
		return false;
	}
	budget->postponed = 0;
	if (Deadline_HasBudget(&world->deadline))
		world->deadline.end = drapeDeadline_Used(&world->deadline) + MaxNum(1.0 - expected, leastPass);
	return true;
}

void drapeStepBudget_AddPass(drapeWorld* world, DeadlineMark since)
{
	world->use.pass += drapeDeadline_Needed(&world->deadline, since);
}

void drapeStepBudget_BeginSolve(drapeWorld* world, Cloth* const* cloths, uint32_t count)
{
	if (!Deadline_HasBudget(&world->deadline))
		return;
	Sums sums = SumBudgets(world);
	double own = 0.0, used = drapeDeadline_Used(&world->deadline);
	for (uint32_t i = 0; i < count; ++i)
		own += ShareOf(&sums, cloths[i]);
	double part = own < world->use.unplanned ? own / world->use.unplanned : 1.0;
	double left = MaxNum(1.0 - (double)world->budget.tail - tailReserve - used, 0.0);
	world->deadline.end = used + part * left;
	world->use.unplanned = MaxNum(world->use.unplanned - own, 0.0);
}

void drapeStepBudget_EndSolve(drapeWorld* world)
{
	world->use.solved = drapeDeadline_Mark(&world->deadline);
}

void drapeStepBudget_BeginImpacts(drapeWorld* world)
{
	if (Deadline_HasBudget(&world->deadline))
		world->deadline.end = 1.0 - endReserve;
}

// A peak that decays.
static void Learn(float* peak, double measured, float decay)
{
	float value = (float)measured;
	DRAPE_ASSERT(value >= 0.0f && decay > 0.0f && decay <= 1.0f);
	*peak = value > *peak ? value : *peak + decay * (value - *peak);
}

// Each cloth bears its own time, and its part by triangles of the time and work that the stages spend on all together.
static void ChargeCloths(drapeWorld* world)
{
	const Deadline* deadline = &world->deadline;
	Sums sums = SumBudgets(world);
	double triangles = 0.0, common = world->animateMs + world->contactMs + world->publishMs;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
		triangles +=
			drapeCloth_IsUsed(world->cloths.data[i]) ? (double)world->cloths.data[i]->active.triangleCount : 0.0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth))
			continue;
		const ClothCosts* costs = &cloth->costs;
		double part = (double)cloth->active.triangleCount / triangles;
		double own = costs->simulateMs - costs->followMs + costs->surfaceMs;
		double milliseconds = own + part * (common + deadline->missed * sums.milliseconds);
		double more = (deadline->missed - world->use.pass) * sums.operations;
		double work = part * MaxNum((double)deadline->operations + more, 0.0);
		cloth->budget.pass = world->budget.pass;
		drapeBudget_AddCost(&cloth->budget, (float)milliseconds, (float)(1e-6 * work), cloth->active.triangleCount);
		drapeBudget_Update(&cloth->budget);
	}
}

// Returns whether adaptation changed a mesh, and notes a pass that could not make meshes coarser.
static bool HasAdapted(drapeWorld* world)
{
	uint32_t splits = 0, joins = 0, blocked = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		splits += world->cloths.data[i]->costs.splits;
		joins += world->cloths.data[i]->costs.joins;
		blocked += world->cloths.data[i]->costs.joinsBlocked;
	}
	if (blocked > 0 && joins <= splits)
		world->budget.barren = barrenSteps;
	return splits + joins > 0;
}

void drapeStepBudget_End(drapeWorld* world)
{
	Deadline* deadline = &world->deadline;
	StepBudget* budget = &world->budget;
	ChargeCloths(world);
	if (!Deadline_HasBudget(deadline))
		return;
	double used = drapeDeadline_Used(deadline), needed = drapeDeadline_Needed(deadline, (DeadlineMark){0});
	world->use.overrun = (float)MaxNum(used - 1.0, 0.0);
	Learn(&budget->tail, drapeDeadline_Needed(deadline, world->use.solved), stepDecay);
	Learn(&budget->needed, MaxNum(needed - world->use.pass, 0.0), stepDecay);
	if (HasAdapted(world))
		Learn(&budget->pass, world->use.pass, passDecay);
}
