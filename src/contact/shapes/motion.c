// SPDX-License-Identifier: MIT
#include "contact/shapes/motion.h"

#include "base/alloc.h"
#include "base/checks/values.h"

#include <stdio.h>

enum
{
	motionCookie = 0x646d6f74,
};

drapeMotionDef drapeDefaultMotionDef(void)
{
	return (drapeMotionDef){.cookie = motionCookie};
}

drapeResult drapeMotionDef_Check(const drapeMotionDef* def, drapeMessage* message)
{
	if (!def || def->cookie != motionCookie)
		return drapeRefuse(message, "the definition of the motion is not initialised, expected drapeDefaultMotionDef");
	if (def->keyCount == 0)
		return drapeRefuse(message, "the motion has no keys, expected at least one");
	if (!def->keys)
		return drapeRefuse(message, "keys is NULL, but keyCount is %u", def->keyCount);
	if (def->keyCount > DRAPE_MAX_ELEMENTS)
		return drapeRefuse(message, "the motion has %u keys, expected at most %u", def->keyCount, DRAPE_MAX_ELEMENTS);
	for (uint32_t i = 0; i < def->keyCount; ++i)
	{
		const drapeMotionKey* key = &def->keys[i];
		char name[48];
		if (!isfinite(key->time))
			return drapeRefuse(message, "keys[%u].time is %g, expected a finite number of s", i, (double)key->time);
		if (i > 0 && !(key[-1].time < key->time))
			return drapeRefuse(message, "keys[%u].time is %g, expected a time after %g", i, (double)key->time,
			                   (double)key[-1].time);
		snprintf(name, sizeof name, "keys[%u].transform", i);
		drapeResult result = drapePlacement_Check(name, &key->transform, message);
		if (result != drape_ok)
			return result;
	}
	return drape_ok;
}

drapeResult drapeMotion_Create(Motion* motion, const drapeMotionDef* def)
{
	DRAPE_ASSERT(def->keys && def->keyCount > 0);
	*motion = (Motion){0};
	drapeMotionKey* keys = drapeMemAllocArray(def->keyCount, sizeof(drapeMotionKey));
	if (!keys)
		return drape_errorMemory;
	for (uint32_t i = 0; i < def->keyCount; ++i)
	{
		keys[i] = def->keys[i];
		keys[i].transform.rotation = drapeQuat_Normalize(keys[i].transform.rotation);
	}
	*motion = (Motion){.keys = keys, .keyCount = def->keyCount, .smooth = def->smooth, .repeat = def->repeat};
	return drape_ok;
}

void drapeMotion_Destroy(Motion* motion)
{
	drapeMemFree(motion->keys, motion->keyCount * sizeof(drapeMotionKey));
	*motion = (Motion){0};
}

// The last key at or before `time`. The first key is not after it.
static uint32_t FindKey(const Motion* motion, double time)
{
	DRAPE_ASSERT((double)motion->keys[0].time <= time);
	uint32_t low = 0, high = motion->keyCount;
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;
		if ((double)motion->keys[middle].time <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

drapeTransform drapeMotion_Evaluate(const Motion* motion, double time)
{
	if (!motion)
		return drapeIdentityTransform();
	DRAPE_ASSERT(motion->keyCount > 0);
	const drapeMotionKey* keys = motion->keys;
	uint32_t lastKey = motion->keyCount - 1;
	double first = (double)keys[0].time, last = (double)keys[lastKey].time;
	if (motion->repeat && lastKey > 0 && time > last)
		time = first + drapeMath_Mod(time - first, last - first);
	if (!(time > first))
		return keys[0].transform;
	if (time >= last)
		return keys[lastKey].transform;

	uint32_t i = FindKey(motion, time);
	double begin = (double)keys[i].time, end = (double)keys[i + 1].time;
	double t = (time - begin) / (end - begin);
	if (motion->smooth)
		t = t * t * (3.0 - 2.0 * t);
	return drapeTransform_Interpolate(keys[i].transform, keys[i + 1].transform, (float)t);
}
