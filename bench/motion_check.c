// SPDX-License-Identifier: MIT
#include "motion_check.h"

#include "shared/sheets.h"

void MotionCheck_Init(MotionCheck* check, drapeWorldId world, float thickness)
{
	*check = (MotionCheck){0};
	ContactCheck_Init(&check->contact);
	RoomCheck_Init(&check->room, world, 2.0f * thickness);
}

void MotionCheck_Destroy(MotionCheck* check)
{
	ContactCheck_Destroy(&check->contact);
	RoomCheck_Destroy(&check->room);
	ArrayFree(&check->isTight);
}

static bool IsTightAt(MotionCheck* check, Vec3 point)
{
	return RoomCheck_IsTight(&check->room, point, RoomCheck_Depth(&check->room, point));
}

static void CheckParticles(MotionCheck* check, MotionFaults* faults)
{
	uint32_t count = check->contact.position.count;
	Shared_Require(ArrayReserve(&check->isTight, count), "out of memory");
	check->isTight.count = count;
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 point = V4Xyz(check->contact.position.data[i]);
		int depth = RoomCheck_Depth(&check->room, point);
		bool isTight = RoomCheck_IsTight(&check->room, point, depth);
		check->isTight.data[i] = isTight;
		faults->pinched += isTight;
		faults->bodyCrossings += depth > 0 && !isTight;
	}
}

static bool IsExcused(MotionCheck* check, const BodyCrossing* crossing)
{
	const uint32_t* corner = check->contact.triangle.data + 3 * (size_t)crossing->triangle;
	for (int k = 0; k < 3; ++k)
	{
		if (check->isTight.data[corner[k]])
			return true;
	}
	return IsTightAt(check, crossing->point);
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
