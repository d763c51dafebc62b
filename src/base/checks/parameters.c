// SPDX-License-Identifier: MIT
#include "base/checks/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t CountWords(const char* words)
{
	uint32_t count = 1;
	for (const char* c = words; *c; ++c)
		count += *c == '|';
	return count;
}

// Writes the expected values: "a number from 0 to 1 N/m".
static void Describe(const drapeParameter* parameter, char* text, size_t capacity)
{
	const char* unit = parameter->kind == drape_parameterAngle ? "radians" : parameter->unit;
	const char *space = unit ? " " : "", *shown = unit ? unit : "";
	const char* kind = parameter->kind == drape_parameterUint ? "a whole number" : "a number";
	if (parameter->kind == drape_parameterChoice)
		snprintf(text, capacity, "one of %s", parameter->words);
	else if (parameter->kind == drape_parameterVec3 && parameter->low == parameter->high)
		snprintf(text, capacity, "three finite numbers%s%s", unit ? " of " : "", shown);
	else if (parameter->isAbove)
		snprintf(text, capacity, "%s above %g and up to %g%s%s", kind, parameter->low, parameter->high, space, shown);
	else
		snprintf(text, capacity, "%s from %g to %g%s%s", kind, parameter->low, parameter->high, space, shown);
}

// Comparisons are written so that NaN fails them.
static bool IsInRange(const drapeParameter* parameter, double value)
{
	// A range of floats ends at the float next to its decimal number.
	const double rounding = parameter->kind == drape_parameterUint ? 0.0 : 1e-6;
	double low = parameter->low - rounding * fabs(parameter->low);
	double high = parameter->high + rounding * fabs(parameter->high);
	return value <= high && (parameter->isAbove ? value > parameter->low : value >= low);
}

static drapeResult Refuse(const drapeParameter* parameter, double value, const char* prefix, drapeMessage* message)
{
	char expected[192];
	Describe(parameter, expected, sizeof expected);
	return drapeRefuse(message, "%s%s is %g, expected %s", prefix, parameter->key, value, expected);
}

static drapeResult CheckVector(const drapeParameter* parameter, const unsigned char* value, const char* prefix,
                               drapeMessage* message)
{
	drapeVec3 v;
	memcpy(&v, value, sizeof v);
	const double components[3] = {(double)v.x, (double)v.y, (double)v.z};
	for (int k = 0; k < 3; ++k)
	{
		bool isFree = parameter->low == parameter->high;
		if (isFree ? !isfinite(components[k]) : !IsInRange(parameter, components[k]))
			return Refuse(parameter, components[k], prefix, message);
	}
	return drape_ok;
}

static double NumberAt(const drapeParameter* parameter, const unsigned char* value)
{
	float number = 0.0f;
	uint32_t whole = 0;
	if (parameter->kind == drape_parameterUint || parameter->kind == drape_parameterChoice)
	{
		memcpy(&whole, value, sizeof whole);
		return (double)whole;
	}
	memcpy(&number, value, sizeof number);
	return (double)number;
}

static drapeResult Check(const drapeParameter* parameter, const unsigned char* value, const char* prefix,
                         drapeMessage* message)
{
	if (parameter->kind == drape_parameterBool || parameter->kind == drape_parameterCurve)
		return drape_ok;
	if (parameter->kind == drape_parameterVec3)
		return CheckVector(parameter, value, prefix, message);
	double number = NumberAt(parameter, value);
	bool isValid = parameter->kind == drape_parameterChoice ? number < (double)CountWords(parameter->words)
	                                                        : IsInRange(parameter, number);
	return isValid ? drape_ok : Refuse(parameter, number, prefix, message);
}

const drapeParameter* drapeParameters_Give(const drapeParameter* list, uint32_t length, uint32_t* count)
{
	DRAPE_ASSERT(list);
	if (count)
		*count = length;
	else
		drapeRefuse(NULL, "count is NULL");
	return list;
}

// Compares a value with the one that limits it.
static drapeResult CheckOther(const drapeParameter* list, uint32_t count, const drapeParameter* parameter,
                              const unsigned char* definition, const char* prefix, drapeMessage* message)
{
	const drapeParameter* other = list;
	while (other < list + count && strcmp(other->key, parameter->other) != 0)
		other++;
	DRAPE_ASSERT(other < list + count);
	double value = NumberAt(parameter, definition + parameter->offset);
	double limit = NumberAt(other, definition + other->offset);
	if (parameter->otherIsUpper ? value <= limit : value >= limit)
		return drape_ok;
	return drapeRefuse(message, "%s%s is %g, expected at %s %s, which is %g", prefix, parameter->key, value,
	                   parameter->otherIsUpper ? "most" : "least", other->key, limit);
}

drapeResult drapeParameters_Check(const drapeParameter* list, uint32_t count, const void* definition,
                                  const char* prefix, drapeMessage* message)
{
	DRAPE_ASSERT((list || count == 0) && definition && prefix);
	drapeResult result = drape_ok;
	for (uint32_t i = 0; i < count; ++i)
	{
		result = Check(&list[i], (const unsigned char*)definition + list[i].offset, prefix, message);
		if (result != drape_ok)
			return result;
	}
	for (uint32_t i = 0; i < count && result == drape_ok; ++i)
	{
		if (list[i].other)
			result = CheckOther(list, count, &list[i], definition, prefix, message);
	}
	return result;
}
