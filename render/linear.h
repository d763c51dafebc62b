// SPDX-License-Identifier: MIT
#pragma once

// Vectors and matrices of the renderer. Matrices are column-major, as OpenGL requires.

#include "drape/base.h"

#include <math.h>

typedef struct Mat4
{
	float m[16];
} Mat4;

static inline drapeVec3 Vec3_Make(float x, float y, float z)
{
	return (drapeVec3){x, y, z};
}

static inline drapeVec3 Vec3_From4(drapeVec4 v)
{
	return (drapeVec3){v.x, v.y, v.z};
}

static inline drapeVec3 Vec3_Add(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline drapeVec3 Vec3_Sub(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline drapeVec3 Vec3_Scale(drapeVec3 a, float s)
{
	return (drapeVec3){a.x * s, a.y * s, a.z * s};
}

// a + s b
static inline drapeVec3 Vec3_Along(drapeVec3 a, drapeVec3 b, float s)
{
	return (drapeVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float Vec3_Dot(drapeVec3 a, drapeVec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline drapeVec3 Vec3_Cross(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float Vec3_Length(drapeVec3 a)
{
	return sqrtf(Vec3_Dot(a, a));
}

// Returns a unit vector; zero stays zero.
static inline drapeVec3 Vec3_Normalise(drapeVec3 a)
{
	float length = Vec3_Length(a);
	return length > 0.0f ? Vec3_Scale(a, 1.0f / length) : a;
}

static inline drapeVec3 Vec3_Min(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)};
}

static inline drapeVec3 Vec3_Max(drapeVec3 a, drapeVec3 b)
{
	return (drapeVec3){fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)};
}

static inline Mat4 Mat4_Multiply(const Mat4* a, const Mat4* b)
{
	Mat4 r;
	for (int column = 0; column < 4; ++column)
		for (int row = 0; row < 4; ++row)
		{
			float sum = 0.0f;
			for (int k = 0; k < 4; ++k)
				sum += a->m[4 * k + row] * b->m[4 * column + k];
			r.m[4 * column + row] = sum;
		}
	return r;
}

// Axes of a viewer: right, up, and back towards it.
typedef struct ViewAxes
{
	drapeVec3 right, up, back;
} ViewAxes;

// `back` need not have unit length, and may be vertical.
static inline ViewAxes ViewAxes_From(drapeVec3 back)
{
	ViewAxes axes = {.back = Vec3_Normalise(back)};
	drapeVec3 up = fabsf(axes.back.y) > 0.999f ? Vec3_Make(0.0f, 0.0f, -1.0f) : Vec3_Make(0.0f, 1.0f, 0.0f);
	axes.right = Vec3_Normalise(Vec3_Cross(up, axes.back));
	axes.up = Vec3_Cross(axes.back, axes.right);
	return axes;
}

static inline Mat4 Mat4_View(const ViewAxes* axes, drapeVec3 eye)
{
	drapeVec3 r = axes->right, u = axes->up, b = axes->back;
	return (Mat4){{r.x, u.x, b.x, 0.0f, r.y, u.y, b.y, 0.0f, r.z, u.z, b.z, 0.0f, -Vec3_Dot(r, eye), -Vec3_Dot(u, eye),
	               -Vec3_Dot(b, eye), 1.0f}};
}

static inline Mat4 Mat4_Perspective(float fieldOfView, float aspect, float near, float far)
{
	float f = 1.0f / tanf(0.5f * fieldOfView);
	return (Mat4){{f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1.0f, 0, 0,
	               2.0f * far * near / (near - far), 0}};
}

static inline Mat4 Mat4_Orthographic(drapeVec3 min, drapeVec3 max)
{
	drapeVec3 d = Vec3_Sub(max, min);
	return (Mat4){{2.0f / d.x, 0, 0, 0, 0, 2.0f / d.y, 0, 0, 0, 0, -2.0f / d.z, 0, -(max.x + min.x) / d.x,
	               -(max.y + min.y) / d.y, (max.z + min.z) / d.z, 1.0f}};
}
