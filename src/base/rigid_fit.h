// SPDX-License-Identifier: MIT
#pragma once

#include "base/transform.h"

// The rigid motion that takes points as near as possible to other points, by least squares. The rotation is the
// eigenvector of a 4x4 matrix (B. K. P. Horn, "Closed-form solution of absolute orientation using unit quaternions",
// 1987). Points that do not determine the rotation, such as a single one or points on a line, are turned as little as
// possible.

// A rotation about a point that moves. Coordinates far from the origin lose no precision.
typedef struct RigidMotion
{
	Vec3 from, to; // m: the point before and after
	Quat rotation;
} RigidMotion;

DRAPE_INLINE Vec3 RigidMotion_Point(const RigidMotion* motion, Vec3 x)
{
	return V3Add(motion->to, Quat_Rotate(motion->rotation, V3Sub(x, motion->from)));
}

// Sums over pairs of points. Zero is empty.
typedef struct RigidFit
{
	Vec3 origin[2];       // m: the first pair; the sums are relative to it
	double count;         // pairs
	double sum[2][3];     // m
	double square[2];     // m^2
	double product[3][3]; // m^2: first point times second
} RigidFit;

// Adds a pair of points, m: the fit is to take `from` to `to`.
void drapeRigidFit_Add(RigidFit* fit, Vec3 from, Vec3 to);

// The fit over at least one pair. *residual receives the root mean square of the distances that remain, m.
RigidMotion drapeRigidFit_Solve(const RigidFit* fit, float* residual);
