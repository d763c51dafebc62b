// SPDX-License-Identifier: MIT
#include "contact/contact.h"
#include "mesh/geometry.h"

// Closest points twice: in doubles for one point, where squares of floats can neither overflow nor vanish, and in
// floats for eight. Both measure a shape from its axis or centre and take the nearest feature by comparing distances to
// its planes and its mantle. Where no direction is closer than another, such as at the centre of a sphere, a fixed one
// is taken.

// --- one point ------------------------------------------------------------------------------------------------------

// Distance and outward normal; the closest point is p - distance * normal.
typedef struct Distance
{
	double distance;
	Double3 normal;
} Distance;

static Double3 UnitOr(Double3 a, Double3 fallback)
{
	double length = sqrt(D3Dot(a, a));
	return length > 0.0 ? (Double3){a.x / length, a.y / length, a.z / length} : fallback;
}

static double Sign(double x)
{
	return x < 0.0 ? -1.0 : 1.0;
}

static Distance SphereDistance(double radius, Double3 p, Double3 fallback)
{
	return (Distance){sqrt(D3Dot(p, p)) - radius, UnitOr(p, fallback)};
}

// A sphere about the closest point of the axis.
static Distance CapsuleDistance(double radius, double halfHeight, Double3 p)
{
	p.y -= fmin(fmax(p.y, -halfHeight), halfHeight);
	return SphereDistance(radius, p, (Double3){1.0, 0.0, 0.0});
}

static Distance CylinderDistance(double radius, double halfHeight, Double3 p)
{
	double rho = sqrt(p.x * p.x + p.z * p.z), up = Sign(p.y);
	Double3 outward = UnitOr((Double3){p.x, 0.0, p.z}, (Double3){1.0, 0.0, 0.0});
	double side = rho - radius, cap = fabs(p.y) - halfHeight;
	if (side > 0.0 && cap > 0.0)
	{
		double rim = sqrt(side * side + cap * cap), a = side / rim, b = cap / rim;
		return (Distance){rim, {a * outward.x, b * up, a * outward.z}};
	}
	if (side > cap)
		return (Distance){side, outward};
	return (Distance){cap, {0.0, up, 0.0}};
}

static Distance BoxDistance(Vec3 halfExtents, Double3 p)
{
	Double3 sign = {Sign(p.x), Sign(p.y), Sign(p.z)};
	Double3 q = {fabs(p.x) - (double)halfExtents.x, fabs(p.y) - (double)halfExtents.y,
	             fabs(p.z) - (double)halfExtents.z};
	Double3 out = {fmax(q.x, 0.0), fmax(q.y, 0.0), fmax(q.z, 0.0)};
	double distance = sqrt(D3Dot(out, out));
	if (distance > 0.0)
		return (Distance){distance, {sign.x * out.x / distance, sign.y * out.y / distance, sign.z * out.z / distance}};
	if (q.y >= q.x && q.y >= q.z)
		return (Distance){q.y, {0.0, sign.y, 0.0}};
	if (q.x >= q.z)
		return (Distance){q.x, {sign.x, 0.0, 0.0}};
	return (Distance){q.z, {0.0, 0.0, sign.z}};
}

static Distance ShapeDistance(const drapeColliderDef* def, Double3 p)
{
	double radius = (double)def->radius, halfHeight = (double)def->halfHeight;
	switch (def->shape)
	{
		case drape_shapeSphere:
			return SphereDistance(radius, p, (Double3){0.0, 1.0, 0.0});
		case drape_shapeCapsule:
			return CapsuleDistance(radius, halfHeight, p);
		case drape_shapeCylinder:
			return CylinderDistance(radius, halfHeight, p);
		case drape_shapeBox:
			return BoxDistance(def->halfExtents, p);
		case drape_shapePlane:
		case drape_shapeMesh: // is not asked here: see mesh_contact.c
			break;
	}
	return (Distance){p.y, {0.0, 1.0, 0.0}};
}

bool drapeShape_Contains(const drapeColliderDef* def, Vec3 p)
{
	float beyond = fmaxf(fabsf(p.y) - def->halfHeight, 0.0f), around2 = p.x * p.x + p.z * p.z;
	switch (def->shape)
	{
		case drape_shapeSphere:
			return around2 + p.y * p.y < def->radius * def->radius;
		case drape_shapeCapsule:
			return around2 + beyond * beyond < def->radius * def->radius;
		case drape_shapeCylinder:
			return around2 < def->radius * def->radius && fabsf(p.y) < def->halfHeight;
		case drape_shapeBox:
			return fabsf(p.x) < def->halfExtents.x && fabsf(p.y) < def->halfExtents.y &&
			       fabsf(p.z) < def->halfExtents.z;
		case drape_shapePlane:
			return p.y < 0.0f;
		case drape_shapeMesh:
			break;
	}
	return false;
}

Closest drapeShape_Closest(const drapeColliderDef* def, Vec3 local)
{
	Double3 p = {(double)local.x, (double)local.y, (double)local.z};
	Distance found = ShapeDistance(def, p);
	Double3 n = found.normal;
	double d = found.distance;
	return (Closest){
		.point = {(float)(p.x - d * n.x), (float)(p.y - d * n.y), (float)(p.z - d * n.z)},
		.normal = {(float)n.x, (float)n.y, (float)n.z},
		.distance = (float)d,
	};
}

// The distance to a convex shape is a convex function of the place along the segment. So Newton's method, started at
// the beginning, comes up to the entry from the left and never passes it: the tangent lies below the curve. Once the
// distance no longer falls, the segment is past its closest approach. At a graze, where the root is double, each step
// still divides the distance by four.
bool drapeShape_Sweep(const drapeColliderDef* def, float margin, Vec3 from, Vec3 to, float* fraction, Vec3* normal)
{
	DRAPE_ASSERT(margin >= 0.0f);
	Double3 start = {(double)from.x, (double)from.y, (double)from.z};
	Double3 way = {(double)to.x - start.x, (double)to.y - start.y, (double)to.z - start.z};
	double tolerance = 1e-12 * (1.0 + sqrt(D3Dot(start, start)) + sqrt(D3Dot(way, way)));
	Double3 facing = {0.0, 1.0, 0.0}; // the last normal against the way: rounding may put the last step just inside
	double t = 0.0;
	for (int i = 0; i < 64; ++i)
	{
		Double3 p = {start.x + t * way.x, start.y + t * way.y, start.z + t * way.z};
		Distance at = ShapeDistance(def, p);
		double gap = at.distance - (double)margin, slope = D3Dot(at.normal, way);
		if (i == 0 && gap < 0.0)
			return false;
		if (!(slope < 0.0) && (gap > 0.0 || i == 0))
			return false;
		facing = slope < 0.0 ? at.normal : facing;
		if (gap <= tolerance)
		{
			*fraction = (float)t;
			*normal = (Vec3){(float)facing.x, (float)facing.y, (float)facing.z};
			return true;
		}
		t -= gap / slope;
		if (!(t <= 1.0))
			return false;
	}
	return false;
}

float drapeShape_BoundingRadius(const drapeColliderDef* def)
{
	switch (def->shape)
	{
		case drape_shapeSphere:
			return def->radius;
		case drape_shapeCapsule:
			return def->radius + def->halfHeight;
		case drape_shapeCylinder:
			return sqrtf(def->radius * def->radius + def->halfHeight * def->halfHeight);
		case drape_shapeBox:
			return V3Length(def->halfExtents);
		case drape_shapePlane:
		case drape_shapeMesh: // is not asked here: see mesh_contact.c
			break;
	}
	return INFINITY;
}

static bool IsSize(float x)
{
	return x >= 0.0f && x <= 1e9f; // so that no square overflows
}

static const char* FindProblem(const drapeColliderDef* def)
{
	if ((unsigned)def->shape > drape_shapeMesh)
		return "a collider has no shape of this number";
	bool hasRadius = def->shape <= drape_shapeCylinder;
	bool hasHeight = def->shape == drape_shapeCapsule || def->shape == drape_shapeCylinder;
	Vec3 extents = def->halfExtents;
	if (hasRadius && !(IsSize(def->radius) && def->radius > 0.0f))
		return "a collider's radius is not above zero";
	if (hasHeight && !IsSize(def->halfHeight))
		return "a collider's height is below zero";
	if (def->shape == drape_shapeBox && !(IsSize(extents.x) && IsSize(extents.y) && IsSize(extents.z)))
		return "a box has an extent below zero";
	if (!(def->friction >= 0.0f && isfinite(def->friction)))
		return "a collider's friction is below zero";
	return drapeTransform_Problem(def->transform);
}

bool drapeShape_IsValid(const drapeColliderDef* def, const char** reason)
{
	const char* problem = FindProblem(def);
	if (problem && reason)
		*reason = problem;
	return !problem;
}

// --- eight points ---------------------------------------------------------------------------------------------------

#define NO_LENGTH 1e-18f // shorter lengths have squares that are not normal floats

static F8 WideSign(F8 x)
{
	return F8_Blend(F8_Lt(x, F8_Splat(0.0f)), F8_Splat(-1.0f), F8_Splat(1.0f));
}

// 1 / length; zero for no length, and then *has is false.
static F8 WideInverse(F8 length, M8* has)
{
	*has = F8_Gt(length, F8_Splat(NO_LENGTH));
	F8 safe = F8_Blend(*has, length, F8_Splat(1.0f));
	return F8_Blend(*has, F8_Div(F8_Splat(1.0f), safe), F8_Splat(0.0f));
}

static void WideSphere(float radius, V8 p, Vec3 fallback, F8* distance, V8* normal)
{
	M8 has;
	F8 length = F8_Sqrt(V8_Dot(p, p)), inverse = WideInverse(length, &has);
	*distance = F8_Sub(length, F8_Splat(radius));
	*normal = V8_Blend(has, V8_Scale(inverse, p), V8_Splat(fallback));
}

static void WideCapsule(float radius, float halfHeight, V8 p, F8* distance, V8* normal)
{
	F8 h = F8_Splat(halfHeight);
	p.y = F8_Sub(p.y, F8_Min(F8_Max(p.y, F8_Neg(h)), h));
	WideSphere(radius, p, (Vec3){1.0f, 0.0f, 0.0f}, distance, normal);
}

static void WideCylinder(float radius, float halfHeight, V8 p, F8* distance, V8* normal)
{
	F8 zero = F8_Splat(0.0f), one = F8_Splat(1.0f);
	M8 hasRadial, isOut;
	F8 rho = F8_Sqrt(F8_Add(F8_Mul(p.x, p.x), F8_Mul(p.z, p.z))), inverseRho = WideInverse(rho, &hasRadial);
	F8 side = F8_Sub(rho, F8_Splat(radius)), cap = F8_Sub(F8_Abs(p.y), F8_Splat(halfHeight));
	F8 sideOut = F8_Max(side, zero), capOut = F8_Max(cap, zero);
	F8 out = F8_Sqrt(F8_Add(F8_Mul(sideOut, sideOut), F8_Mul(capOut, capOut))), inverseOut = WideInverse(out, &isOut);

	// How much of the normal is radial and how much axial.
	M8 isSide = F8_Gt(side, cap);
	F8 radial = F8_Blend(isOut, F8_Mul(sideOut, inverseOut), F8_Blend(isSide, one, zero));
	F8 axial = F8_Blend(isOut, F8_Mul(capOut, inverseOut), F8_Blend(isSide, zero, one));
	*distance = F8_Blend(isOut, out, F8_Max(side, cap));
	normal->x = F8_Mul(radial, F8_Blend(hasRadial, F8_Mul(p.x, inverseRho), one));
	normal->y = F8_Mul(axial, WideSign(p.y));
	normal->z = F8_Mul(radial, F8_Mul(p.z, inverseRho));
}

static void WideBox(Vec3 halfExtents, V8 p, F8* distance, V8* normal)
{
	F8 zero = F8_Splat(0.0f), one = F8_Splat(1.0f);
	V8 q = V8_Sub((V8){F8_Abs(p.x), F8_Abs(p.y), F8_Abs(p.z)}, V8_Splat(halfExtents));
	V8 beyond = {F8_Max(q.x, zero), F8_Max(q.y, zero), F8_Max(q.z, zero)};
	M8 isOut;
	F8 out = F8_Sqrt(V8_Dot(beyond, beyond)), inverseOut = WideInverse(out, &isOut);

	M8 isY = M8_And(F8_Le(q.x, q.y), F8_Le(q.z, q.y));
	M8 isX = M8_AndNot(F8_Le(q.z, q.x), isY);
	V8 face = {F8_Blend(isX, one, zero), F8_Blend(isY, one, zero), F8_Blend(M8_Or(isX, isY), zero, one)};
	V8 n = V8_Blend(isOut, V8_Scale(inverseOut, beyond), face);
	*distance = F8_Blend(isOut, out, F8_Max(q.x, F8_Max(q.y, q.z)));
	*normal = (V8){F8_Mul(n.x, WideSign(p.x)), F8_Mul(n.y, WideSign(p.y)), F8_Mul(n.z, WideSign(p.z))};
}

void drapeShape_ClosestWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal)
{
	switch (def->shape)
	{
		case drape_shapeSphere:
			WideSphere(def->radius, *local, (Vec3){0.0f, 1.0f, 0.0f}, distance, normal);
			return;
		case drape_shapeCapsule:
			WideCapsule(def->radius, def->halfHeight, *local, distance, normal);
			return;
		case drape_shapeCylinder:
			WideCylinder(def->radius, def->halfHeight, *local, distance, normal);
			return;
		case drape_shapeBox:
			WideBox(def->halfExtents, *local, distance, normal);
			return;
		case drape_shapePlane:
		case drape_shapeMesh: // is not asked here: see mesh_contact.c
			break;
	}
	*distance = local->y;
	*normal = V8_Splat((Vec3){0.0f, 1.0f, 0.0f});
}
