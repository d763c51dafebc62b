// SPDX-License-Identifier: MIT
#include "motion_check.h"

#include "shared/sheets.h"

void MotionCheck_Init(MotionCheck* check, drapeWorldId world, float thickness)
{
	*check = (MotionCheck){0};
	ContactCheck_Init(&check->contact);
	NarrowPlaces_Init(&check->narrow, world, 2.0f * thickness);
}

void MotionCheck_Destroy(MotionCheck* check)
{
	ContactCheck_Destroy(&check->contact);
	NarrowPlaces_Destroy(&check->narrow);
	ArrayFree(&check->isNarrow);
}

// A crossing is on the surface of a body: cloth begins to be inside there.
static bool IsNarrowAt(MotionCheck* check, Vec3 crossing)
{
	int depth = NarrowPlaces_Depth(&check->narrow, crossing);
	return NarrowPlaces_Contain(&check->narrow, crossing, depth > 1 ? depth : 1);
}

static void CheckParticles(MotionCheck* check, MotionFaults* faults)
{
	uint32_t count = check->contact.position.count;
	Shared_Require(ArrayReserve(&check->isNarrow, count), "out of memory");
	check->isNarrow.count = count;
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 point = V4Xyz(check->contact.position.data[i]);
		int depth = NarrowPlaces_Depth(&check->narrow, point);
		bool isNarrow = NarrowPlaces_Contain(&check->narrow, point, depth);
		check->isNarrow.data[i] = isNarrow;
		faults->pinched += isNarrow;
		faults->bodyCrossings += depth > 0 && !isNarrow;
	}
}

static bool IsExcused(MotionCheck* check, const BodyCrossing* crossing)
{
	const uint32_t* corner = check->contact.triangle.data + 3 * (size_t)crossing->triangle;
	for (int k = 0; k < 3; ++k)
	{
		if (check->isNarrow.data[corner[k]])
			return true;
	}
	return IsNarrowAt(check, crossing->point);
}

MotionFaults MotionCheck_Run(MotionCheck* check, drapeWorldId world)
{
	MotionFaults faults = {0};
	faults.selfIntersections = ContactCheck_Crossings(&check->contact, world).selfIntersections;
	CheckParticles(check, &faults);
	for (uint32_t i = 0; i < check->contact.bodyCrossings.count; ++i)
		faults.bodyCrossings += !IsExcused(check, &check->contact.bodyCrossings.data[i]);
	return faults;
}
