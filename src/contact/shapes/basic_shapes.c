// SPDX-License-Identifier: MIT
#include "contact/shapes/shape_class.h"

// Sphere, capsule, cylinder, box and plane. Distances are measured from the axis or the centre; the nearest feature is
// found by comparing the distances to the flat sides and the mantle. Each shape has its distance twice: in doubles for
// one point, in floats for eight.

#define HALF_PI 1.57079633f

static double Sign(double x)
{
	return x < 0.0 ? -1.0 : 1.0;
}

static F8 WideSign(F8 x)
{
	return F8_Blend(F8_Lt(x, F8_Splat(0.0f)), F8_Splat(-1.0f), F8_Splat(1.0f));
}

static float RadiusOf(const drapeColliderDef* def)
{
	return def->radius;
}

// --- sphere ---------------------------------------------------------------------------------------------------------

static ShapeDistance SphereDistance(const drapeColliderDef* def, Double3 p)
{
	return ShapeDistance_Sphere((double)def->radius, p, (Double3){0.0, 1.0, 0.0});
}

static bool SphereContains(const drapeColliderDef* def, Vec3 p)
{
	float around2 = p.x * p.x + p.z * p.z;
	return around2 + p.y * p.y < def->radius * def->radius;
}

static void SphereWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal)
{
	V8_SphereDistance(F8_Splat(def->radius), *local, (Vec3){0.0f, 1.0f, 0.0f}, distance, normal);
}

// One vertex with a radius.
static bool AddSphereElements(const Collider* collider, ContactBodies* bodies)
{
	const Vec3 centre = {0.0f, 0.0f, 0.0f};
	return drapeShape_AddVertices(bodies, collider, &centre, 1) && drapeShape_AddElement(bodies, 0, 0, 0, ownsVertex);
}

static bool IntrudeSphere(const drapeColliderDef* def, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	return drapeIntrusion_AddSphere(intrusion, (Vec3){0.0f, 0.0f, 0.0f}, (double)def->radius, triangle, slop);
}

static void AddRoundSurface(float radius, float halfHeight, SurfaceWriter* writer)
{
	DRAPE_ASSERT(radius > 0.0f && halfHeight >= 0.0f);
	ProfileRow rows[2 * surfaceCapRows + 2];
	drapeSurface_SetCap(rows, radius, -halfHeight, -HALF_PI, 0.0f);
	drapeSurface_SetCap(rows + surfaceCapRows + 1, radius, halfHeight, 0.0f, HALF_PI);
	drapeSurface_AddProfile(writer, rows, 2 * surfaceCapRows + 2);
}

static void AddSphereSurface(const drapeColliderDef* def, float inset, SurfaceWriter* writer)
{
	AddRoundSurface(InsetLength(def->radius, inset), 0.0f, writer);
}

static void FitSphere(drapeColliderDef* def, Vec3 halfExtents)
{
	def->radius = MaxNumF(MaxNumF(halfExtents.x, halfExtents.z), halfExtents.y);
}

const ShapeClass drapeSphereClass = {
	.info = {.key = "sphere",
             .label = "Sphere",
             .isBounded = true,
             .measureCount = 1,
             .measures = {&drapeMeasures[measureRadius].parameter},
             .typical = {0.25f}},
	.distance = SphereDistance,
	.contains = SphereContains,
	.closestWide = SphereWide,
	.boundingRadius = RadiusOf,
	.elementRadius = RadiusOf,
	.addElements = AddSphereElements,
	.intrude = IntrudeSphere,
	.surface = AddSphereSurface,
	.fit = FitSphere,
};

// --- capsule --------------------------------------------------------------------------------------------------------

// A sphere about the closest point of the axis.
static ShapeDistance CapsuleDistance(const drapeColliderDef* def, Double3 p)
{
	double halfHeight = (double)def->halfHeight;
	p.y -= MinNum(MaxNum(p.y, -halfHeight), halfHeight);
	return ShapeDistance_Sphere((double)def->radius, p, (Double3){1.0, 0.0, 0.0});
}

static bool CapsuleContains(const drapeColliderDef* def, Vec3 p)
{
	float beyond = MaxNumF(fabsf(p.y) - def->halfHeight, 0.0f), around2 = p.x * p.x + p.z * p.z;
	return around2 + beyond * beyond < def->radius * def->radius;
}

static void CapsuleWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal)
{
	V8 p = *local;
	F8 h = F8_Splat(def->halfHeight);
	p.y = F8_Sub(p.y, F8_Min(F8_Max(p.y, F8_Neg(h)), h));
	V8_SphereDistance(F8_Splat(def->radius), p, (Vec3){1.0f, 0.0f, 0.0f}, distance, normal);
}

static float CapsuleBound(const drapeColliderDef* def)
{
	return def->radius + def->halfHeight;
}

// One edge with a radius.
static bool AddCapsuleElements(const Collider* collider, ContactBodies* bodies)
{
	float halfHeight = collider->def.halfHeight;
	DRAPE_ASSERT(halfHeight >= 0.0f);
	const Vec3 ends[2] = {{0.0f, -halfHeight, 0.0f}, {0.0f, halfHeight, 0.0f}};
	return drapeShape_AddVertices(bodies, collider, ends, 2) &&
	       drapeShape_AddElement(bodies, 0, 1, 1, ownsVertex | ownsVertex << 1 | ownsEdge);
}

static bool IntrudeCapsule(const drapeColliderDef* def, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	DRAPE_ASSERT(def->radius > 0.0f && def->halfHeight >= 0.0f);
	double radius = (double)def->radius, halfHeight = (double)def->halfHeight;
	bool isIn =
		def->halfHeight > 0.0f && drapeIntrusion_AddCylinder(intrusion, radius, halfHeight + slop, triangle, slop);
	for (int end = 0; end < 2; ++end)
	{
		Vec3 centre = {0.0f, end == 0 ? -def->halfHeight : def->halfHeight, 0.0f};
		isIn |= drapeIntrusion_AddSphere(intrusion, centre, radius, triangle, slop);
	}
	return isIn;
}

static void AddCapsuleSurface(const drapeColliderDef* def, float inset, SurfaceWriter* writer)
{
	AddRoundSurface(InsetLength(def->radius, inset), def->halfHeight, writer);
}

static void FitCapsule(drapeColliderDef* def, Vec3 halfExtents)
{
	def->radius = MaxNumF(halfExtents.x, halfExtents.z);
	def->halfHeight = MaxNumF(halfExtents.y - def->radius, 1e-3f);
}

const ShapeClass drapeCapsuleClass = {
	.info = {.key = "capsule",
             .label = "Capsule",
             .isBounded = true,
             .measureCount = 2,
             .measures = {&drapeMeasures[measureRadius].parameter, &drapeMeasures[measureHalfHeight].parameter},
             .typical = {0.12f, 0.3f}},
	.distance = CapsuleDistance,
	.contains = CapsuleContains,
	.closestWide = CapsuleWide,
	.boundingRadius = CapsuleBound,
	.elementRadius = RadiusOf,
	.addElements = AddCapsuleElements,
	.intrude = IntrudeCapsule,
	.surface = AddCapsuleSurface,
	.fit = FitCapsule,
};

// --- cylinder -------------------------------------------------------------------------------------------------------

enum
{
	prismSides = 32,
};

static ShapeDistance CylinderDistance(const drapeColliderDef* def, Double3 p)
{
	double rho = sqrt(p.x * p.x + p.z * p.z), up = Sign(p.y);
	Double3 outward = Double3_UnitOr((Double3){p.x, 0.0, p.z}, (Double3){1.0, 0.0, 0.0});
	double side = rho - (double)def->radius, cap = fabs(p.y) - (double)def->halfHeight;
	if (side > 0.0 && cap > 0.0)
	{
		double rim = sqrt(side * side + cap * cap), a = side / rim, b = cap / rim;
		return (ShapeDistance){rim, {a * outward.x, b * up, a * outward.z}};
	}
	if (side > cap)
		return (ShapeDistance){side, outward};
	return (ShapeDistance){cap, {0.0, up, 0.0}};
}

static bool CylinderContains(const drapeColliderDef* def, Vec3 p)
{
	float around2 = p.x * p.x + p.z * p.z;
	return around2 < def->radius * def->radius && fabsf(p.y) < def->halfHeight;
}

static void CylinderWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal)
{
	V8 p = *local;
	F8 zero = F8_Splat(0.0f), one = F8_Splat(1.0f);
	M8 hasRadial, isOut;
	F8 rho = F8_Sqrt(F8_Add(F8_Mul(p.x, p.x), F8_Mul(p.z, p.z))), inverseRho = F8_InverseLength(rho, &hasRadial);
	F8 side = F8_Sub(rho, F8_Splat(def->radius)), cap = F8_Sub(F8_Abs(p.y), F8_Splat(def->halfHeight));
	F8 sideOut = F8_Max(side, zero), capOut = F8_Max(cap, zero);
	F8 out = F8_Sqrt(F8_Add(F8_Mul(sideOut, sideOut), F8_Mul(capOut, capOut)));
	F8 inverseOut = F8_InverseLength(out, &isOut);

	// The radial and the axial part of the normal.
	M8 isSide = F8_Gt(side, cap);
	F8 radial = F8_Blend(isOut, F8_Mul(sideOut, inverseOut), F8_Blend(isSide, one, zero));
	F8 axial = F8_Blend(isOut, F8_Mul(capOut, inverseOut), F8_Blend(isSide, zero, one));
	*distance = F8_Blend(isOut, out, F8_Max(side, cap));
	normal->x = F8_Mul(radial, F8_Blend(hasRadial, F8_Mul(p.x, inverseRho), one));
	normal->y = F8_Mul(axial, WideSign(p.y));
	normal->z = F8_Mul(radial, F8_Mul(p.z, inverseRho));
}

static float CylinderBound(const drapeColliderDef* def)
{
	return sqrtf(def->radius * def->radius + def->halfHeight * def->halfHeight);
}

// A prism inside the cylinder: edges around both ends, lines along the mantle, and spokes of the ends.
static bool AddPrism(const Collider* collider, ContactBodies* bodies)
{
	float r = collider->def.radius, h = collider->def.halfHeight;
	DRAPE_ASSERT(r > 0.0f && h >= 0.0f);
	for (uint32_t i = 0; i < prismSides; ++i)
	{
		float angle = 6.2831853f * (float)i / prismSides;
		Vec3 ring[2] = {{r * Math_CosF(angle), -h, r * Math_SinF(angle)},
		                {r * Math_CosF(angle), h, r * Math_SinF(angle)}};
		if (!drapeShape_AddVertices(bodies, collider, ring, 2))
			return false;
	}
	const Vec3 middle[2] = {{0.0f, -h, 0.0f}, {0.0f, h, 0.0f}};
	if (!drapeShape_AddVertices(bodies, collider, middle, 2))
		return false;
	const uint32_t bottom = 2 * prismSides, top = bottom + 1;
	for (uint32_t i = 0; i < prismSides; ++i)
	{
		uint32_t low = 2 * i, next = 2 * ((i + 1) % prismSides);
		uint32_t end = ownsFace | ownsVertex | ownsEdge | ownsEdge << 1 | (i == 0 ? ownsVertex << 2 : 0);
		if (!drapeShape_AddElement(bodies, low, next, bottom, end) ||
		    !drapeShape_AddElement(bodies, next + 1, low + 1, top, end) ||
		    !drapeShape_AddElement(bodies, low, low + 1, next + 1, ownsFace | ownsEdge | ownsEdge << 2) ||
		    !drapeShape_AddElement(bodies, low, next + 1, next, ownsFace))
			return false;
	}
	return true;
}

static void ShrinkToPrism(drapeColliderDef* def)
{
	DRAPE_ASSERT(def->shape == drape_shapeCylinder);
	const float inradius = 0.99518473f; // cos(pi / prismSides)
	def->radius *= inradius;
}

static bool IntrudeCylinder(const drapeColliderDef* def, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	return drapeIntrusion_AddCylinder(intrusion, (double)def->radius, (double)def->halfHeight, triangle, slop);
}

static void AddCylinderSurface(const drapeColliderDef* def, float inset, SurfaceWriter* writer)
{
	float r = InsetLength(def->radius, inset), h = def->halfHeight;
	const ProfileRow rows[] = {{0.0f, -h, 0.0f, -1.0f}, {r, -h, 0.0f, -1.0f}, {r, -h, 1.0f, 0.0f},
	                           {r, h, 1.0f, 0.0f},      {r, h, 0.0f, 1.0f},   {0.0f, h, 0.0f, 1.0f}};
	drapeSurface_AddProfile(writer, rows, 6);
}

static void FitCylinder(drapeColliderDef* def, Vec3 halfExtents)
{
	DRAPE_ASSERT(halfExtents.y > 0.0f);
	def->radius = MaxNumF(halfExtents.x, halfExtents.z);
	def->halfHeight = halfExtents.y;
}

const ShapeClass drapeCylinderClass = {
	.info = {.key = "cylinder",
             .label = "Cylinder",
             .isBounded = true,
             .measureCount = 2,
             .measures = {&drapeMeasures[measureRadius].parameter, &drapeMeasures[measureHalfHeight].parameter},
             .typical = {0.3f, 0.35f}},
	.distance = CylinderDistance,
	.contains = CylinderContains,
	.closestWide = CylinderWide,
	.boundingRadius = CylinderBound,
	.addElements = AddPrism,
	.shrinkToElements = ShrinkToPrism,
	.intrude = IntrudeCylinder,
	.surface = AddCylinderSurface,
	.fit = FitCylinder,
};

// --- box ------------------------------------------------------------------------------------------------------------

static ShapeDistance BoxDistance(const drapeColliderDef* def, Double3 p)
{
	Vec3 halfExtents = def->halfExtents;
	Double3 sign = {Sign(p.x), Sign(p.y), Sign(p.z)};
	Double3 q = {fabs(p.x) - (double)halfExtents.x, fabs(p.y) - (double)halfExtents.y,
	             fabs(p.z) - (double)halfExtents.z};
	Double3 out = {MaxNum(q.x, 0.0), MaxNum(q.y, 0.0), MaxNum(q.z, 0.0)};
	double distance = sqrt(D3Dot(out, out));
	if (distance > 0.0)
		return (ShapeDistance){distance,
		                       {sign.x * out.x / distance, sign.y * out.y / distance, sign.z * out.z / distance}};
	if (q.y >= q.x && q.y >= q.z)
		return (ShapeDistance){q.y, {0.0, sign.y, 0.0}};
	if (q.x >= q.z)
		return (ShapeDistance){q.x, {sign.x, 0.0, 0.0}};
	return (ShapeDistance){q.z, {0.0, 0.0, sign.z}};
}

static bool BoxContains(const drapeColliderDef* def, Vec3 p)
{
	return fabsf(p.x) < def->halfExtents.x && fabsf(p.y) < def->halfExtents.y && fabsf(p.z) < def->halfExtents.z;
}

static void BoxWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal)
{
	V8 p = *local;
	F8 zero = F8_Splat(0.0f), one = F8_Splat(1.0f);
	V8 q = V8_Sub((V8){F8_Abs(p.x), F8_Abs(p.y), F8_Abs(p.z)}, V8_Splat(def->halfExtents));
	V8 beyond = {F8_Max(q.x, zero), F8_Max(q.y, zero), F8_Max(q.z, zero)};
	M8 isOut;
	F8 out = F8_Sqrt(V8_Dot(beyond, beyond)), inverseOut = F8_InverseLength(out, &isOut);

	M8 isY = M8_And(F8_Le(q.x, q.y), F8_Le(q.z, q.y));
	M8 isX = M8_AndNot(F8_Le(q.z, q.x), isY);
	V8 face = {F8_Blend(isX, one, zero), F8_Blend(isY, one, zero), F8_Blend(M8_Or(isX, isY), zero, one)};
	V8 n = V8_Blend(isOut, V8_Scale(inverseOut, beyond), face);
	*distance = F8_Blend(isOut, out, F8_Max(q.x, F8_Max(q.y, q.z)));
	*normal = (V8){F8_Mul(n.x, WideSign(p.x)), F8_Mul(n.y, WideSign(p.y)), F8_Mul(n.z, WideSign(p.z))};
}

static float BoxBound(const drapeColliderDef* def)
{
	return V3Length(def->halfExtents);
}

// Two triangles per side. Each vertex and edge belongs to the first triangle that has it.
static bool AddBoxElements(const Collider* collider, ContactBodies* bodies)
{
	static const uint8_t side[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
	                                   {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
	Vec3 e = collider->def.halfExtents, corner[8];
	DRAPE_ASSERT(e.x >= 0.0f && e.y >= 0.0f && e.z >= 0.0f);
	for (int i = 0; i < 8; ++i)
		corner[i] = (Vec3){i & 4 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 1 ? e.z : -e.z};
	if (!drapeShape_AddVertices(bodies, collider, corner, 8))
		return false;
	uint32_t vertices = 0, edges[8] = {0};
	for (int i = 0; i < 12; ++i)
	{
		const uint8_t *quad = side[i / 2], three[3] = {quad[0], quad[1 + i % 2], quad[2 + i % 2]};
		uint32_t owns = ownsFace;
		for (int k = 0; k < 3; ++k)
		{
			uint32_t a = three[k], b = three[(k + 1) % 3], low = MinU32(a, b), high = MaxU32(a, b);
			if (!(vertices & 1u << a))
				owns |= (uint32_t)ownsVertex << k;
			if (!(edges[low] & 1u << high))
				owns |= (uint32_t)ownsEdge << k;
			vertices |= 1u << a;
			edges[low] |= 1u << high;
		}
		if (!drapeShape_AddElement(bodies, three[0], three[1], three[2], owns))
			return false;
	}
	DRAPE_ASSERT(vertices == 0xff);
	return true;
}

static bool IntrudeBox(const drapeColliderDef* def, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	return drapeIntrusion_AddBox(intrusion, def->halfExtents, triangle, slop);
}

static void AddBoxSurface(const drapeColliderDef* def, float inset, SurfaceWriter* writer)
{
	Vec3 e = def->halfExtents;
	drapeSurface_AddBox(writer, (Vec3){InsetLength(e.x, inset), InsetLength(e.y, inset), InsetLength(e.z, inset)},
	                    (Vec3){0.0f, 0.0f, 0.0f});
}

static void FitBox(drapeColliderDef* def, Vec3 halfExtents)
{
	def->halfExtents = halfExtents;
}

const ShapeClass drapeBoxClass = {
	.info = {.key = "box",
             .label = "Box",
             .isBounded = true,
             .measureCount = 1,
             .measures = {&drapeMeasures[measureHalfExtents].parameter},
             .typical = {0.25f}},
	.distance = BoxDistance,
	.contains = BoxContains,
	.closestWide = BoxWide,
	.boundingRadius = BoxBound,
	.addElements = AddBoxElements,
	.intrude = IntrudeBox,
	.surface = AddBoxSurface,
	.fit = FitBox,
};

// --- plane ----------------------------------------------------------------------------------------------------------

static ShapeDistance PlaneDistance(const drapeColliderDef* def, Double3 p)
{
	(void)def;
	return (ShapeDistance){p.y, {0.0, 1.0, 0.0}};
}

static bool PlaneContains(const drapeColliderDef* def, Vec3 p)
{
	(void)def;
	return p.y < 0.0f;
}

static void PlaneWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal)
{
	(void)def;
	*distance = local->y;
	*normal = V8_Splat((Vec3){0.0f, 1.0f, 0.0f});
}

static float PlaneBound(const drapeColliderDef* def)
{
	(void)def;
	return INFINITY;
}

static bool IntrudePlane(const drapeColliderDef* def, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	(void)def;
	int deepest = 0;
	for (int k = 1; k < 3; ++k)
		deepest = triangle[k].y < triangle[deepest].y ? k : deepest;
	if (!((double)triangle[deepest].y < -slop))
		return false;
	drapeIntrusion_Add(intrusion, D3(triangle[deepest]));
	return true;
}

static float PlaneExit(const drapeColliderDef* def, Vec3 local, Vec3 direction)
{
	(void)def;
	return direction.y > 1e-3f * V3Length(direction) ? MaxNumF(-local.y / direction.y, 0.0f) : INFINITY;
}

// A slab stands for the half-space.
static void AddPlaneSurface(const drapeColliderDef* def, float inset, SurfaceWriter* writer)
{
	(void)def;
	drapeSurface_AddBox(writer, (Vec3){2.0f, 0.02f, 2.0f}, (Vec3){0.0f, -0.02f - inset, 0.0f});
}

// A plane has no elements: particles that stay above it keep all edges and faces above it.
const ShapeClass drapePlaneClass = {
	.info = {.key = "plane", .label = "Plane"},
	.distance = PlaneDistance,
	.contains = PlaneContains,
	.closestWide = PlaneWide,
	.boundingRadius = PlaneBound,
	.intrude = IntrudePlane,
	.exit = PlaneExit,
	.surface = AddPlaneSurface,
};
