// SPDX-License-Identifier: MIT
#include "base/deadline.h"

#include "base/maths.h"
#include "base/timer.h"

void drapeDeadline_Begin(Deadline* deadline, double milliseconds, double operations)
{
	DRAPE_ASSERT(milliseconds >= 0.0 && operations >= 0.0);
	deadline->begin = drapeTimer_Now();
	deadline->perNanosecond = milliseconds > 0.0 ? 1e-6 / milliseconds : 0.0;
	deadline->perOperation = operations > 0.0 ? 1.0 / operations : 0.0;
	deadline->operations = 0;
	deadline->end = Deadline_HasBudget(deadline) ? 1.0 : (double)INFINITY;
	deadline->optional = deadline->missed = 0.0;
	deadline->cuts = 0;
}

void drapeDeadline_End(Deadline* deadline)
{
	deadline->perNanosecond = deadline->perOperation = 0.0;
}

double drapeDeadline_Used(const Deadline* deadline)
{
	if (!Deadline_HasBudget(deadline))
		return 0.0;
	double work = deadline->perOperation * (double)deadline->operations;
	if (!(deadline->perNanosecond > 0.0))
		return work;
	return MaxNum(work, deadline->perNanosecond * (double)(drapeTimer_Now() - deadline->begin));
}

bool drapeDeadline_Fits(const Deadline* deadline, double share)
{
	DRAPE_ASSERT(share >= 0.0);
	return !Deadline_HasBudget(deadline) || drapeDeadline_Used(deadline) + share < deadline->end;
}

bool drapeDeadline_Stops(Deadline* deadline, double share)
{
	if (Deadline_IsCancelled(deadline))
		return true;
	if (drapeDeadline_Fits(deadline, share))
		return false;
	deadline->cuts++;
	return true;
}

DeadlineMark drapeDeadline_Mark(const Deadline* deadline)
{
	if (!Deadline_HasBudget(deadline))
		return (DeadlineMark){0};
	return (DeadlineMark){drapeDeadline_Used(deadline), deadline->optional};
}

void drapeDeadline_SetOptional(Deadline* deadline, DeadlineMark since)
{
	if (!Deadline_HasBudget(deadline))
		return;
	double now = drapeDeadline_Used(deadline);
	DRAPE_ASSERT(now >= since.used);
	deadline->optional = since.optional + now - since.used;
}

double drapeDeadline_Needed(const Deadline* deadline, DeadlineMark since)
{
	DeadlineMark now = drapeDeadline_Mark(deadline);
	DRAPE_ASSERT(now.used >= since.used && now.optional >= since.optional);
	return MaxNum(now.used - since.used - (now.optional - since.optional), 0.0);
}
