// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

void Rows_Transform(Api* api)
{
	CANNOT_FAIL(drapeIdentityTransform, ALL, "it returns constants");
	const drapeVec3 bad[] = {{0.0f, 0.0f, 0.0f}, {NAN, 0.0f, 0.0f}, {INFINITY, 0.0f, 0.0f}};
	for (int i = 0; i < 3; ++i)
		ACCEPTED(drapeQuat_FromAxisAngle, axis, drapeQuat_FromAxisAngle(bad[i], 1.0f).w == 1.0f);
	ACCEPTED(drapeQuat_FromAxisAngle, angle, isnan(drapeQuat_FromAxisAngle((drapeVec3){1.0f, 0.0f, 0.0f}, NAN).w));
	CANNOT_FAIL(drapeTransform_Point, ALL, "it computes; numbers that are not finite give such numbers");
	CANNOT_FAIL(drapeTransform_InversePoint, ALL, "it computes; numbers that are not finite give such numbers");
}
