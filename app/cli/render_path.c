// SPDX-License-Identifier: MIT
#include "render.h"

#include <math.h>

// The camera of a film. All bounds are in the axes of the view.

// Subjects that move farther than this, in their own sizes, are followed.
static const float stillRange = 1.8f;

// s: the camera follows the mean place within about this time.
static const float smoothTime = 0.5f;

static bool IsEmpty(const drapeBounds* bounds)
{
	return !(bounds->min.x <= bounds->max.x);
}

static drapeVec3 Size(const drapeBounds* bounds)
{
	return (drapeVec3){bounds->max.x - bounds->min.x, bounds->max.y - bounds->min.y, bounds->max.z - bounds->min.z};
}

// The largest subject of all frames in each direction, and their union. False without any.
static bool Measure(const drapeBounds* subjects, uint32_t count, drapeVec3* largest, drapeBounds* all)
{
	*largest = (drapeVec3){0.0f, 0.0f, 0.0f};
	*all = drapeBounds_Empty();
	for (uint32_t i = 0; i < count; ++i)
	{
		if (IsEmpty(&subjects[i]))
			continue;
		drapeVec3 size = Size(&subjects[i]);
		*largest = (drapeVec3){fmaxf(largest->x, size.x), fmaxf(largest->y, size.y), fmaxf(largest->z, size.z)};
		*all = drapeBounds_Union(*all, subjects[i]);
	}
	return !IsEmpty(all);
}

// The weighted mean of the middles of the frames around this one. A bell of weights has no jolts.
static drapeVec3 SmoothMiddle(const drapeBounds* subjects, uint32_t count, uint32_t frame, float frameRate)
{
	float deviation = fmaxf(smoothTime * frameRate, 1.0f);
	double sum[3] = {0.0, 0.0, 0.0}, weights = 0.0;
	// As many frames before as after, so that the camera does not lead at the start nor lag at the end.
	uint32_t reach = (uint32_t)(3.0f * deviation);
	reach = reach > frame ? frame : reach;
	reach = reach > count - 1 - frame ? count - 1 - frame : reach;
	uint32_t first = frame - reach, last = frame + reach;
	for (uint32_t i = first; i <= last; ++i)
	{
		if (IsEmpty(&subjects[i]))
			continue;
		double x = ((double)i - (double)frame) / (double)deviation, weight = exp(-0.5 * x * x);
		sum[0] += weight * 0.5 * ((double)subjects[i].min.x + (double)subjects[i].max.x);
		sum[1] += weight * 0.5 * ((double)subjects[i].min.y + (double)subjects[i].max.y);
		sum[2] += weight * 0.5 * ((double)subjects[i].min.z + (double)subjects[i].max.z);
		weights += weight;
	}
	double scale = weights > 0.0 ? 1.0 / weights : 0.0;
	return (drapeVec3){(float)(scale * sum[0]), (float)(scale * sum[1]), (float)(scale * sum[2])};
}

void RenderPath_Make(drapeCamera* path, const drapeBounds* subjects, uint32_t count, float frameRate, float aspect)
{
	drapeVec3 largest;
	drapeBounds all;
	bool isShown = Measure(subjects, count, &largest, &all);
	drapeVec3 range = Size(&all);
	float size = fmaxf(largest.x, fmaxf(largest.y, largest.z));
	bool isStill = !isShown || fmaxf(range.x, fmaxf(range.y, range.z)) <= stillRange * size;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (isStill)
		{
			path[i] = drapeCamera_FrameSubject(all, aspect);
			continue;
		}
		drapeVec3 m = SmoothMiddle(subjects, count, i, frameRate),
				  h = {0.5f * largest.x, 0.5f * largest.y, 0.5f * largest.z};
		path[i] = drapeCamera_FrameSubject(
			(drapeBounds){{m.x - h.x, m.y - h.y, m.z - h.z}, {m.x + h.x, m.y + h.y, m.z + h.z}}, aspect);
	}
}
