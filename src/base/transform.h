// SPDX-License-Identifier: MIT
#pragma once

#include "base/checks/message.h"
#include "base/maths.h"
#include "drape/transform.h"

// Rotations and transforms. A transform scales, then rotates, then translates. Rotations are unit quaternions.
// Functions that build a rotation normalise it; functions that use one assume unit length.

typedef drapeQuat Quat;
typedef drapeTransform Transform;

// A matrix. The columns are the images of the axes.
typedef struct Mat3
{
	Vec3 x, y, z;
} Mat3;

// Returns the rotation by b, then by a.
DRAPE_INLINE Quat Quat_Multiply(Quat a, Quat b)
{
	return (Quat){
		.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
		.y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
		.z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
		.w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
	};
}

DRAPE_INLINE Quat Quat_Conjugate(Quat q)
{
	return (Quat){-q.x, -q.y, -q.z, q.w};
}

DRAPE_INLINE float Quat_Dot(Quat a, Quat b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// Returns a unit quaternion. A quaternion too short to have a direction gives the identity.
Quat drapeQuat_Normalize(Quat q);

// v + 2 w (q x v) + 2 q x (q x v)
DRAPE_INLINE Vec3 Quat_Rotate(Quat q, Vec3 v)
{
	Vec3 axis = {q.x, q.y, q.z};
	Vec3 twice = V3Scale(2.0f, V3Cross(axis, v));
	return V3Add(V3Add(v, V3Scale(q.w, twice)), V3Cross(axis, twice));
}

DRAPE_INLINE Vec3 Quat_InverseRotate(Quat q, Vec3 v)
{
	return Quat_Rotate(Quat_Conjugate(q), v);
}

DRAPE_INLINE Mat3 Mat3_FromQuat(Quat q)
{
	return (Mat3){
		Quat_Rotate(q, (Vec3){1.0f, 0.0f, 0.0f}),
		Quat_Rotate(q, (Vec3){0.0f, 1.0f, 0.0f}),
		Quat_Rotate(q, (Vec3){0.0f, 0.0f, 1.0f}),
	};
}

DRAPE_INLINE Vec3 Mat3_Multiply(const Mat3* m, Vec3 v)
{
	return V3Add(V3Add(V3Scale(v.x, m->x), V3Scale(v.y, m->y)), V3Scale(v.z, m->z));
}

// Multiplies by the transpose, the inverse of a rotation.
DRAPE_INLINE Vec3 Mat3_TransposeMultiply(const Mat3* m, Vec3 v)
{
	return (Vec3){V3Dot(m->x, v), V3Dot(m->y, v), V3Dot(m->z, v)};
}

// Interpolates from a (t = 0) to b (t = 1) along the shorter arc at constant angular velocity. Equal rotations give
// that rotation bit for bit.
Quat drapeQuat_Slerp(Quat a, Quat b, float t);

// Transforms a direction or a difference: without translation.
DRAPE_INLINE Vec3 Transform_Vector(Transform t, Vec3 v)
{
	return Quat_Rotate(t.rotation, V3Scale(t.scale, v));
}

DRAPE_INLINE Vec3 Transform_InverseVector(Transform t, Vec3 v)
{
	return V3Scale(1.0f / t.scale, Quat_InverseRotate(t.rotation, v));
}

DRAPE_INLINE Vec3 Transform_Point(Transform t, Vec3 p)
{
	return V3Add(t.position, Transform_Vector(t, p));
}

DRAPE_INLINE Vec3 Transform_InversePoint(Transform t, Vec3 p)
{
	return Transform_InverseVector(t, V3Sub(p, t.position));
}

Transform drapeTransform_Inverse(Transform t);

// Returns the transform by inner, then by outer.
Transform drapeTransform_Compose(Transform outer, Transform inner);

// Interpolates position and scale linearly and rotation by drapeQuat_Slerp. t = 0 gives a. Equal transforms give that
// transform bit for bit, so that callers can detect a collider at rest.
Transform drapeTransform_Interpolate(Transform a, Transform b, float t);

bool drapeTransform_Equal(Transform a, Transform b);

float drapeQuat_Length(Quat q);

// Unit length within 1e-3. False if a number is not finite.
bool drapeQuat_IsUnit(Quat q);
