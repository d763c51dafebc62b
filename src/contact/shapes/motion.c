// SPDX-License-Identifier: MIT
#include "contact/shapes/motion.h"

#include "base/alloc.h"

static const char* FindProblem(const drapeMotionDef* def)
{
	if (!def->keys || def->keyCount == 0)
		return "a motion has no keys";
	if (def->keyCount > DRAPE_MAX_ELEMENTS)
		return "a motion has too many keys";
	for (uint32_t i = 0; i < def->keyCount; ++i)
	{
		const drapeKey* key = &def->keys[i];
		if (!isfinite(key->time))
			return "the time of a key is not finite";
		if (i > 0 && !(key[-1].time < key->time))
			return "the times of the keys do not increase";
		const char* problem = drapeTransform_Problem(key->transform);
		if (problem)
			return problem;
	}
	return NULL;
}

bool drapeMotion_IsValid(const drapeMotionDef* def, const char** reason)
{
	const char* problem = FindProblem(def);
	if (problem && reason)
		*reason = problem;
	return !problem;
}

drapeResult drapeMotion_Create(Motion* motion, const drapeMotionDef* def)
{
	DRAPE_ASSERT(drapeMotion_IsValid(def, NULL));
	*motion = (Motion){0};
	drapeKey* keys = drapeMemAllocArray(def->keyCount, sizeof(drapeKey));
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
	drapeMemFree(motion->keys, motion->keyCount * sizeof(drapeKey));
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
	const drapeKey* keys = motion->keys;
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
