// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "base/checks/message.h"
#include "drape/wind.h"

// The velocity of the air, and its force on a triangle.

// Refuses values out of range. The sentence begins with the prefix: "wind.".
drapeResult drapeWind_Check(const drapeWindDef* def, const char* prefix, drapeMessage* message);

// Velocity of the air at a point and time, m/s. The definition must be valid. A function of its arguments alone, the
// same bits in every build that has the same sine.
Vec3 drapeWind_At(const drapeWindDef* def, Vec3 point, double time);

// The flat-plate law that cloth simulators use (Keckeisen et al. 2004, "Modelling Effects of Wind Fields in Cloth
// Animations"): drag along the wind u and lift across it, in the plane of wind and normal,
//
//   F = rho / 2 A |u.n| (drag u + lift (s |u| n - |u.n| / |u| u)),   s the sign of u.n
//
// quadratic in the speed, the same for both sides, and zero for a triangle edge-on to the wind. `relativeVelocity` is
// the air's minus the triangle's, m/s; `areaNormal` the cross product of two edges, whose length is twice the area, so
// A |u.n| is half of its dot product with u. N, on the whole triangle.
DRAPE_INLINE void Wind_TriangleForce(float airDensity, float drag, float lift, Vec3 relativeVelocity, Vec3 areaNormal,
                                     Vec3* force)
{
	float flux = V3Dot(relativeVelocity, areaNormal);
	float twiceArea = V3Length(areaNormal), speed = V3Length(relativeVelocity);
	if (!(twiceArea > 0.0f && speed > 0.0f))
	{
		*force = (Vec3){0.0f, 0.0f, 0.0f};
		return;
	}
	float pressure = 0.25f * airDensity * fabsf(flux); // rho / 2 A |u.n|
	float across = lift * copysignf(speed, flux) / twiceArea;
	float along = drag - lift * fabsf(flux) / (twiceArea * speed);
	*force = V3Scale(pressure, V3Add(V3Scale(along, relativeVelocity), V3Scale(across, areaNormal)));
}
