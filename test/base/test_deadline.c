// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/deadline.h"

#include <math.h>

// Budgets of work only: a test cannot know how fast the machine is.

static void WithoutABudgetNothingIsUsedOrCut(void** state)
{
	(void)state;
	Deadline deadline = {0};
	drapeDeadline_Begin(&deadline, 0.0, 0.0);
	Deadline_Count(&deadline, workPair, 1000000);
	assert_int_equal(deadline.operations, 1000000u * workPair);
	assert_true(drapeDeadline_Used(&deadline) == 0.0);
	assert_true(drapeDeadline_Fits(&deadline, 1e9));
	assert_false(drapeDeadline_Stops(&deadline, 1e9));
	drapeDeadline_SetOptional(&deadline, drapeDeadline_Mark(&deadline));
	assert_true(deadline.optional == 0.0 && deadline.missed == 0.0 && deadline.cuts == 0);
}

static void NoDeadlineStopsNothing(void** state)
{
	(void)state;
	Deadline_Count(NULL, workPair, 1);
	assert_false(drapeDeadline_Stops(NULL, 1e9));
	assert_true(drapeDeadline_Fits(NULL, 1e9));
	assert_false(Deadline_IsCancelled(NULL));
	assert_true(drapeDeadline_Used(NULL) == 0.0);
	assert_true(drapeDeadline_Needed(NULL, drapeDeadline_Mark(NULL)) == 0.0);
	drapeDeadline_SetOptional(NULL, (DeadlineMark){0});
}

static void WorkUsesTheBudgetUpAndOptionalWorkIsCutAtItsEnd(void** state)
{
	(void)state;
	Deadline deadline = {0};
	drapeDeadline_Begin(&deadline, 0.0, 100.0 * workPair);
	Deadline_Count(&deadline, workPair, 50);
	assert_true(fabs(drapeDeadline_Used(&deadline) - 0.5) < 1e-12);
	assert_false(drapeDeadline_Stops(&deadline, 0.4));
	assert_true(drapeDeadline_Stops(&deadline, 0.6));
	assert_int_equal(deadline.cuts, 1);
	deadline.end = 0.4;
	assert_true(drapeDeadline_Stops(&deadline, 0.0));
	Deadline_Count(&deadline, workPair, 100);
	assert_true(fabs(drapeDeadline_Used(&deadline) - 1.5) < 1e-12);
	// The next step begins with nothing used.
	drapeDeadline_Begin(&deadline, 0.0, 100.0 * workPair);
	assert_true(drapeDeadline_Used(&deadline) == 0.0 && deadline.cuts == 0 && deadline.end == 1.0);
	// After a step nothing is cut, and the counts can be read.
	Deadline_Count(&deadline, workPair, 200);
	drapeDeadline_End(&deadline);
	assert_false(drapeDeadline_Stops(&deadline, 0.0));
	assert_int_equal(deadline.operations, 200 * workPair);
}

static void OptionalWorkWithinOptionalWorkCountsOnce(void** state)
{
	(void)state;
	Deadline deadline = {0};
	drapeDeadline_Begin(&deadline, 0.0, 100.0 * workPair);
	DeadlineMark start = drapeDeadline_Mark(&deadline);
	Deadline_Count(&deadline, workPair, 10);
	DeadlineMark outer = drapeDeadline_Mark(&deadline);
	Deadline_Count(&deadline, workPair, 10);
	DeadlineMark inner = drapeDeadline_Mark(&deadline);
	Deadline_Count(&deadline, workPair, 10);
	drapeDeadline_SetOptional(&deadline, inner);
	assert_true(fabs(drapeDeadline_Needed(&deadline, start) - 0.2) < 1e-12);
	drapeDeadline_SetOptional(&deadline, outer);
	assert_true(fabs(deadline.optional - 0.2) < 1e-12);
	assert_true(fabs(drapeDeadline_Needed(&deadline, start) - 0.1) < 1e-12);
}

static void ACancelledDeadlineStopsWorkWithoutABudget(void** state)
{
	(void)state;
	Deadline deadline = {0};
	drapeDeadline_Begin(&deadline, 0.0, 0.0);
	CancelFlag_Set(&deadline.cancel);
	assert_true(drapeDeadline_Stops(&deadline, 0.0));
	assert_int_equal(deadline.cuts, 0); // nothing was given up for a budget
	// A request that comes before the step is for this step.
	drapeDeadline_Begin(&deadline, 0.0, 0.0);
	assert_true(Deadline_IsCancelled(&deadline));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(WithoutABudgetNothingIsUsedOrCut),
		cmocka_unit_test(NoDeadlineStopsNothing),
		cmocka_unit_test(WorkUsesTheBudgetUpAndOptionalWorkIsCutAtItsEnd),
		cmocka_unit_test(OptionalWorkWithinOptionalWorkCountsOnce),
		cmocka_unit_test(ACancelledDeadlineStopsWorkWithoutABudget),
	};
	return cmocka_run_group_tests_name("deadline", tests, NULL, NULL);
}
