// SPDX-License-Identifier: MIT
#include "base/checks/values.h"

#include <math.h>

drapeResult drapeVector_Check(const char* name, drapeVec3 value, const char* unit, drapeMessage* message)
{
	DRAPE_ASSERT(name);
	if (V3IsFinite(value))
		return drape_ok;
	return drapeRefuse(message, "%s is (%g, %g, %g), expected three finite numbers%s%s", name, (double)value.x,
	                   (double)value.y, (double)value.z, unit ? " of " : "", unit ? unit : "");
}

drapeResult drapeNumber_Check(const char* name, double value, const char* unit, drapeMessage* message)
{
	DRAPE_ASSERT(name && unit);
	return isfinite(value) ? drape_ok
	                       : drapeRefuse(message, "%s is %g, expected a finite number of %s", name, value, unit);
}

drapeResult drapePlacement_Check(const char* name, const drapeTransform* value, drapeMessage* message)
{
	DRAPE_ASSERT(name && value);
	if (!V3IsFinite(value->position))
		return drapeRefuse(message, "%s.position is (%g, %g, %g), expected three finite numbers of m", name,
		                   (double)value->position.x, (double)value->position.y, (double)value->position.z);
	if (!drapeQuat_IsUnit(value->rotation))
		return drapeRefuse(message, "%s.rotation has the length %g, expected 1", name,
		                   (double)drapeQuat_Length(value->rotation));
	if (!(value->scale > 0.0f && value->scale <= 1e9f))
		return drapeRefuse(message, "%s.scale is %g, expected a number above 0 and up to 1e9", name,
		                   (double)value->scale);
	return drape_ok;
}

drapeResult drapeTimes_Check(float start, float end, drapeMessage* message)
{
	drapeResult result = drapeNumber_Check("start", (double)start, "s", message);
	if (result != drape_ok || end == 0.0f || (isfinite(end) && end > 0.0f && end > start))
		return result;
	return drapeRefuse(message, "end is %g, expected 0 or a time after start, which is %g", (double)end, (double)start);
}

drapeResult drapeArray_Check(const char* name, const void* array, uint32_t capacity, drapeMessage* message)
{
	DRAPE_ASSERT(name);
	return array || capacity == 0 ? drape_ok : drapeRefuse(message, "%s is NULL, but capacity is %u", name, capacity);
}

drapeResult drapeChoice_Check(const char* prefix, const char* name, unsigned value, const char* words,
                              drapeMessage* message)
{
	uint32_t count = 1;
	DRAPE_ASSERT(prefix && name && words);
	for (const char* c = words; *c; ++c)
		count += *c == '|';
	return value < count ? drape_ok
	                     : drapeRefuse(message, "%s%s is %u, expected one of %s", prefix, name, value, words);
}

drapeResult drapeCoordinate_Refuse(const char* name, drapeVec3 value, const char* unit, drapeMessage* message)
{
	DRAPE_ASSERT(name && unit);
	return drapeRefuse(message, "%s is (%g, %g, %g), expected numbers from -1e9 to 1e9 %s", name, (double)value.x,
	                   (double)value.y, (double)value.z, unit);
}

drapeResult drapeCoordinates_Refuse(const char* name, uint32_t index, drapeVec3 value, const char* unit,
                                    drapeMessage* message)
{
	return drapeRefuse(message, "%s[%u] is (%g, %g, %g), expected numbers from -1e9 to 1e9 %s", name, index,
	                   (double)value.x, (double)value.y, (double)value.z, unit);
}
