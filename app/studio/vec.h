// SPDX-License-Identifier: MIT
#pragma once

// Vectors, rotations and rays of the studio.

#include "drape/collider.h"

#include <math.h>

static inline drapeVec3 V3(float x, float y, float z)
{
	return (drapeVec3){x, y, z};
}

static inline drapeVec3 V3_From4(drapeVec4 v)
{
	return (drapeVec3){v.x, v.y, v.z};
}

static inline drapeVec3 V3_Add(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline drapeVec3 V3_Sub(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline drapeVec3 V3_Scale(drapeVec3 a, float s)
{
	return (drapeVec3){a.x * s, a.y * s, a.z * s};
}

// a + s b
static inline drapeVec3 V3_Along(drapeVec3 a, drapeVec3 b, float s)
{
	return (drapeVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float V3_Dot(drapeVec3 a, drapeVec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline drapeVec3 V3_Cross(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float V3_Length(drapeVec3 a)
{
	return sqrtf(V3_Dot(a, a));
}

static inline float V3_Distance(drapeVec3 a, drapeVec3 b)
{
	return V3_Length(V3_Sub(a, b));
}

// Zero stays zero.
static inline drapeVec3 V3_Normalise(drapeVec3 a)
{
	float length = V3_Length(a);
	return length > 0.0f ? V3_Scale(a, 1.0f / length) : a;
}

static inline float Clamp(float x, float low, float high)
{
	return fminf(fmaxf(x, low), high);
}

// The rotation b followed by a.
static inline drapeQuat Quat_Multiply(drapeQuat a, drapeQuat b)
{
	return (drapeQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
	                   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// The angle is in radians, 0 to pi. The identity gives the axis +y.
static inline void Quat_ToAxisAngle(drapeQuat q, drapeVec3* axis, float* angle)
{
	float s = q.w < 0.0f ? -1.0f : 1.0f;
	drapeVec3 v = V3(s * q.x, s * q.y, s * q.z);
	float length = V3_Length(v);
	*angle = 2.0f * atan2f(length, s * q.w);
	*axis = length > 1e-6f ? V3_Scale(v, 1.0f / length) : V3(0.0f, 1.0f, 0.0f);
	*angle = length > 1e-6f ? *angle : 0.0f;
}

typedef struct Ray
{
	drapeVec3 origin, direction; // m; unit
} Ray;

static inline drapeVec3 Ray_At(Ray ray, float distance)
{
	return V3_Along(ray.origin, ray.direction, distance);
}
