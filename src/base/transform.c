// SPDX-License-Identifier: MIT
#include "base/transform.h"

#define QUAT_TOLERANCE 1e-3f // tolerance of the length of a rotation that the application gives

static const Quat noRotation = {0.0f, 0.0f, 0.0f, 1.0f};

Quat drapeQuat_Normalize(Quat q)
{
	float length = sqrtf(Quat_Dot(q, q));
	if (!(length > 1e-18f && length < 1e18f)) // other lengths have squares that are not normal floats
		return noRotation;
	float inverse = 1.0f / length;
	return (Quat){inverse * q.x, inverse * q.y, inverse * q.z, inverse * q.w};
}

static bool Quat_Equal(Quat a, Quat b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// Shoemake 1985, "Animating rotation with quaternion curves". For nearly equal rotations the arc and its chord differ
// by less than the precision of a float, and the sine in the denominator would be nearly zero: use the chord.
Quat drapeQuat_Slerp(Quat a, Quat b, float t)
{
	DRAPE_ASSERT(0.0f <= t && t <= 1.0f);
	if (t == 0.0f || Quat_Equal(a, b))
		return a;
	float cosine = Quat_Dot(a, b);
	float sign = cosine < 0.0f ? -1.0f : 1.0f;
	cosine = fabsf(cosine);
	float wa = 1.0f - t, wb = t;
	if (cosine < 0.9999f)
	{
		float angle = Math_AcosF(cosine), inverseSine = 1.0f / Math_SinF(angle);
		wa = Math_SinF(wa * angle) * inverseSine;
		wb = Math_SinF(wb * angle) * inverseSine;
	}
	wb *= sign;
	return drapeQuat_Normalize((Quat){
		wa * a.x + wb * b.x,
		wa * a.y + wb * b.y,
		wa * a.z + wb * b.z,
		wa * a.w + wb * b.w,
	});
}

Transform drapeTransform_Inverse(Transform t)
{
	DRAPE_ASSERT(t.scale > 0.0f);
	Transform inverse = {.rotation = Quat_Conjugate(t.rotation), .scale = 1.0f / t.scale};
	inverse.position = V3Scale(-1.0f, Transform_InverseVector(t, t.position));
	return inverse;
}

Transform drapeTransform_Compose(Transform outer, Transform inner)
{
	return (Transform){
		.position = Transform_Point(outer, inner.position),
		.rotation = drapeQuat_Normalize(Quat_Multiply(outer.rotation, inner.rotation)),
		.scale = outer.scale * inner.scale,
	};
}

bool drapeTransform_Equal(Transform a, Transform b)
{
	return a.position.x == b.position.x && a.position.y == b.position.y && a.position.z == b.position.z &&
	       Quat_Equal(a.rotation, b.rotation) && a.scale == b.scale;
}

// Not a + t (b - a): the difference of two finite numbers may be infinite.
static float Mix(float a, float b, float t)
{
	return (1.0f - t) * a + t * b;
}

Transform drapeTransform_Interpolate(Transform a, Transform b, float t)
{
	if (t == 0.0f || drapeTransform_Equal(a, b))
		return a;
	return (Transform){
		.position = {Mix(a.position.x, b.position.x, t), Mix(a.position.y, b.position.y, t),
	                 Mix(a.position.z, b.position.z, t)},
		.rotation = drapeQuat_Slerp(a.rotation, b.rotation, t),
		.scale = Mix(a.scale, b.scale, t),
	};
}

float drapeQuat_Length(Quat q)
{
	return sqrtf(Quat_Dot(q, q));
}

bool drapeQuat_IsUnit(Quat q)
{
	return fabsf(drapeQuat_Length(q) - 1.0f) <= QUAT_TOLERANCE; // false for NaN
}

drapeTransform drapeIdentityTransform(void)
{
	return (Transform){.rotation = noRotation, .scale = 1.0f};
}

drapeQuat drapeQuat_FromAxisAngle(drapeVec3 axis, float angle)
{
	Quat direction = drapeQuat_Normalize((Quat){axis.x, axis.y, axis.z, 0.0f});
	if (direction.w != 0.0f)
		return noRotation; // no axis
	float sine = Math_SinF(0.5f * angle);
	return (Quat){sine * direction.x, sine * direction.y, sine * direction.z, Math_CosF(0.5f * angle)};
}

drapeVec3 drapeTransform_Point(drapeTransform transform, drapeVec3 point)
{
	return Transform_Point(transform, point);
}

drapeVec3 drapeTransform_InversePoint(drapeTransform transform, drapeVec3 point)
{
	return Transform_InversePoint(transform, point);
}
