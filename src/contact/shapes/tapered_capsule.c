// SPDX-License-Identifier: MIT
#include "contact/shapes/shape_class.h"

// A tapered capsule: the convex hull of two spheres on the y axis, as limbs are shaped. The sphere at y = -halfHeight
// has `radius`, the one at y = halfHeight has `topRadius`.
//
//        __
//       /  \        With L = 2 halfHeight the mantle is a cone whose normals have the axial part b = (radius - topRadius) / L
//      /    \       and the radial part a = sqrt(1 - b^2). In the half-plane (rho, y) the mantle is nearest to the points
//     /  |   \      between two lines of direction (a, b): one through each centre. The spheres are nearest to all others.
//    |   +    |     The solid is a union of balls about the points of the axis, so the same holds inside.
//     \______/
//
// When |radius - topRadius| >= L, one sphere contains the other, and the shape is the larger sphere. With equal radii
// b = 0, and all formulas are those of a capsule, bit for bit.

typedef struct Taper
{
	double radius, topRadius, halfHeight; // m
	double radial, axial;                 // a and b
	double length;                        // m: of the mantle, a L
	bool isSphere;                        // the larger sphere contains the other
	double centre, largest;               // m: height and radius of the larger sphere
} Taper;

static Taper TaperOf(const drapeColliderDef* def)
{
	Taper taper = {
		.radius = (double)def->radius, .topRadius = (double)def->topRadius, .halfHeight = (double)def->halfHeight};
	DRAPE_ASSERT(taper.radius > 0.0 && taper.topRadius > 0.0 && taper.halfHeight >= 0.0);
	double difference = taper.radius - taper.topRadius, axis = 2.0 * taper.halfHeight;
	taper.centre = difference < 0.0 ? taper.halfHeight : -taper.halfHeight;
	taper.largest = MaxNum(taper.radius, taper.topRadius);
	taper.isSphere = !(fabs(difference) < axis);
	if (taper.isSphere)
		return taper;
	taper.axial = difference / axis;
	taper.radial = sqrt(1.0 - taper.axial * taper.axial);
	taper.length = taper.radial * axis;
	DRAPE_ASSERT(taper.radial >= 0.0 && taper.radial <= 1.0 && fabs(taper.axial) < 1.0);
	return taper;
}

// --- distances ------------------------------------------------------------------------------------------------------

static ShapeDistance TaperedDistance(const drapeColliderDef* def, Double3 p)
{
	const Double3 sideways = {1.0, 0.0, 0.0};
	Taper taper = TaperOf(def);
	double rho = sqrt(p.x * p.x + p.z * p.z), above = p.y + taper.halfHeight;
	double along = taper.radial * above - taper.axial * rho;
	if (taper.isSphere)
		return ShapeDistance_Sphere(taper.largest, (Double3){p.x, p.y - taper.centre, p.z}, sideways);
	if (along < 0.0)
		return ShapeDistance_Sphere(taper.radius, (Double3){p.x, above, p.z}, sideways);
	if (along > taper.length)
		return ShapeDistance_Sphere(taper.topRadius, (Double3){p.x, p.y - taper.halfHeight, p.z}, sideways);
	Double3 outward = Double3_UnitOr((Double3){p.x, 0.0, p.z}, sideways);
	return (ShapeDistance){
		taper.radial * rho + taper.axial * above - taper.radius,
		{taper.radial * outward.x, taper.axial, taper.radial * outward.z},
	};
}

static bool TaperedContains(const drapeColliderDef* def, Vec3 p)
{
	return TaperedDistance(def, D3(p)).distance < 0.0;
}

static void TaperedWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal)
{
	Taper taper = TaperOf(def);
	const Vec3 sideways = {1.0f, 0.0f, 0.0f};
	V8 p = *local;
	if (taper.isSphere)
	{
		p.y = F8_Sub(p.y, F8_Splat((float)taper.centre));
		V8_SphereDistance(F8_Splat((float)taper.largest), p, sideways, distance, normal);
		return;
	}
	F8 h = F8_Splat(def->halfHeight), a = F8_Splat((float)taper.radial), b = F8_Splat((float)taper.axial);
	F8 above = F8_Add(p.y, h), radius = F8_Splat(def->radius);
	M8 hasRadial;
	F8 rho = F8_Sqrt(F8_Add(F8_Mul(p.x, p.x), F8_Mul(p.z, p.z))), inverseRho = F8_InverseLength(rho, &hasRadial);
	F8 along = F8_Sub(F8_Mul(a, above), F8_Mul(b, rho));
	M8 isLow = F8_Lt(along, F8_Splat(0.0f)), isHigh = F8_Gt(along, F8_Splat((float)taper.length));

	// The nearest of both spheres, then the mantle in the lanes between them.
	V8 fromCentre = {p.x, F8_Blend(isHigh, F8_Sub(p.y, h), above), p.z}, mantle;
	V8_SphereDistance(F8_Blend(isHigh, F8_Splat(def->topRadius), radius), fromCentre, sideways, distance, normal);
	M8 isRound = M8_Or(isLow, isHigh);
	mantle.x = F8_Mul(a, F8_Blend(hasRadial, F8_Mul(p.x, inverseRho), F8_Splat(1.0f)));
	mantle.y = b;
	mantle.z = F8_Mul(a, F8_Mul(p.z, inverseRho));
	*distance = F8_Blend(isRound, *distance, F8_Sub(F8_Add(F8_Mul(a, rho), F8_Mul(b, above)), radius));
	*normal = V8_Blend(isRound, *normal, mantle);
}

static float TaperedBound(const drapeColliderDef* def)
{
	return def->halfHeight + MaxNumF(def->radius, def->topRadius);
}

// --- contact elements -----------------------------------------------------------------------------------------------

// The shape is the sum of a ball with the smaller radius and an inner shape: the convex hull of one end of the axis and
// a sphere, whose radius is the difference of both, about the other end. The ball becomes the radius of the elements.
// The inner shape becomes a fan and rings of triangles inside it; without a difference it is the line of a capsule.

enum
{
	minSides = 8,
	maxSides = 48,
	maxRings = maxSides,
};

// The surface of the elements is at most this part of the larger radius below the surface of the shape.
static const double elementTolerance = 5e-3;

typedef struct InnerShape
{
	double smallest, difference; // m
	uint32_t sides, rings;       // rings of vertices; 0 for a line or a point
	double top, bottom;          // radians: latitudes of the first ring and of the pole, seen from the larger sphere
} InnerShape;

static uint32_t SidesOf(double largest, double difference)
{
	DRAPE_ASSERT(difference > 0.0 && difference <= largest);
	double cosine = 1.0 - 0.5 * elementTolerance * largest / difference;
	double sides = cosine > 0.0 ? ceil(3.14159265358979 / drapeMath_Acos(cosine)) : 0.0;
	return (uint32_t)MinNum(MaxNum(sides, minSides), maxSides);
}

static InnerShape InnerShapeOf(const Taper* taper)
{
	InnerShape inner = {.smallest = MinNum(taper->radius, taper->topRadius)};
	inner.difference = taper->largest - inner.smallest;
	// A difference within the tolerance needs no triangles: the line is close enough.
	if (taper->isSphere || inner.difference <= elementTolerance * taper->largest)
		return inner;
	inner.sides = SidesOf(taper->largest, inner.difference);
	inner.top = drapeMath_Asin(fabs(taper->axial));
	inner.bottom = -1.57079632679490;
	double rings = ceil((inner.top - inner.bottom) * inner.sides / 6.28318530717959);
	inner.rings = (uint32_t)MaxNum(rings, 2.0);
	DRAPE_ASSERT(inner.rings <= maxRings && inner.sides >= minSides);
	return inner;
}

static float TaperedElementRadius(const drapeColliderDef* def)
{
	Taper taper = TaperOf(def);
	return (float)(taper.isSphere ? taper.largest : InnerShapeOf(&taper).smallest);
}

// Vertex 0 is the end of the axis with the smaller radius, the last one the pole of the larger sphere. The rings
// between them are numbered from the mantle to the pole.
static bool AddInnerVertices(const Collider* collider, ContactBodies* bodies, const Taper* taper,
                             const InnerShape* inner)
{
	DRAPE_ASSERT(inner->sides <= maxSides && inner->rings >= 2);
	// Turned about the x axis when the larger sphere is at the top, so that triangles keep their winding.
	const float turn = taper->centre > 0.0 ? -1.0f : 1.0f;
	const Vec3 tip = {0.0f, (float)-taper->centre, 0.0f};
	const Vec3 pole = {0.0f, (float)(taper->centre - (double)turn * inner->difference), 0.0f};
	bool isAdded = drapeShape_AddVertices(bodies, collider, &tip, 1);
	for (uint32_t ring = 0; isAdded && ring < inner->rings; ++ring)
	{
		Vec3 row[maxSides];
		double latitude = inner->top + (inner->bottom - inner->top) * ring / inner->rings;
		float rho = (float)(inner->difference * drapeMath_Cos(latitude)),
			  up = (float)(inner->difference * drapeMath_Sin(latitude));
		for (uint32_t i = 0; i < inner->sides; ++i)
		{
			float angle = 6.2831853f * (float)i / (float)inner->sides;
			row[i] = (Vec3){rho * Math_CosF(angle), (float)taper->centre + turn * up, turn * rho * Math_SinF(angle)};
		}
		isAdded = drapeShape_AddVertices(bodies, collider, row, inner->sides);
	}
	return isAdded && drapeShape_AddVertices(bodies, collider, &pole, 1);
}

static bool AddInnerElements(ContactBodies* bodies, const InnerShape* inner)
{
	const uint32_t sides = inner->sides, pole = 1 + inner->rings * sides;
	for (uint32_t i = 0; i < sides; ++i)
	{
		uint32_t here = 1 + i, next = 1 + (i + 1) % sides, once = i == 0 ? ownsVertex : 0;
		// The mantle: a triangle from the tip to the first ring.
		if (!drapeShape_AddElement(bodies, 0, next, here,
		                           ownsFace | once | ownsVertex << 2 | ownsEdge << 1 | ownsEdge << 2))
			return false;
		for (uint32_t ring = 1; ring < inner->rings; ++ring, here += sides, next += sides)
		{
			if (!drapeShape_AddElement(bodies, here, next, here + sides,
			                           ownsFace | ownsVertex << 2 | ownsEdge << 1 | ownsEdge << 2) ||
			    !drapeShape_AddElement(bodies, next, next + sides, here + sides, ownsFace | ownsEdge << 1))
				return false;
		}
		if (!drapeShape_AddElement(bodies, here, next, pole, ownsFace | once << 2 | ownsEdge << 2))
			return false;
	}
	return true;
}

static bool AddTaperedElements(const Collider* collider, ContactBodies* bodies)
{
	Taper taper = TaperOf(&collider->def);
	InnerShape inner = InnerShapeOf(&taper);
	const Vec3 centre = {0.0f, (float)taper.centre, 0.0f};
	const Vec3 ends[2] = {{0.0f, (float)-taper.halfHeight, 0.0f}, {0.0f, (float)taper.halfHeight, 0.0f}};
	if (taper.isSphere)
		return drapeShape_AddVertices(bodies, collider, &centre, 1) &&
		       drapeShape_AddElement(bodies, 0, 0, 0, ownsVertex);
	if (inner.rings == 0)
		return drapeShape_AddVertices(bodies, collider, ends, 2) &&
		       drapeShape_AddElement(bodies, 0, 1, 1, ownsVertex | ownsVertex << 1 | ownsEdge);
	return AddInnerVertices(collider, bodies, &taper, &inner) && AddInnerElements(bodies, &inner);
}

static void ShrinkTapered(drapeColliderDef* def)
{
	Taper taper = TaperOf(def);
	InnerShape inner = InnerShapeOf(&taper);
	if (taper.isSphere)
		return;
	// Chords along and around the larger sphere.
	double cosine = inner.sides > 0 ? drapeMath_Cos(3.14159265358979 / inner.sides) : 0.0;
	float largest = (float)(inner.smallest + inner.difference * cosine * cosine);
	DRAPE_ASSERT(largest > 0.0f);
	def->radius = MinNumF(def->radius, largest);
	def->topRadius = MinNumF(def->topRadius, largest);
}

// --- triangles inside -----------------------------------------------------------------------------------------------

// The cone of the mantle. The distance of a point from its surface, m, is radial * rho + axial * y - limit.
typedef struct Cone
{
	double radial, axial, limit;
} Cone;

static double ConeDistance(const Cone* cone, Double3 p)
{
	return cone->radial * sqrt(p.x * p.x + p.z * p.z) + cone->axial * p.y - cone->limit;
}

// The point of segment ab with the least distance. With m the parameter from the foot of the axis on, A m^2 + E the
// square of rho, and D the change of the axial part, the least of radial sqrt(A m^2 + E) + D m is at
// m^2 = D^2 E / (A (A radial^2 - D^2)).
static Double3 NearestOnSegment(const Cone* cone, Double3 a, Double3 b)
{
	Double3 along = D3Sub(b, a);
	double square = along.x * along.x + along.z * along.z, toward = a.x * along.x + a.z * along.z;
	double slope = cone->axial * along.y, steep = square * cone->radial * cone->radial - slope * slope;
	if (!(square > 0.0 && steep > 0.0))
		return slope < 0.0 ? b : a;
	double foot = -toward / square, rest = MaxNum(a.x * a.x + a.z * a.z - toward * toward / square, 0.0);
	double offset = fabs(slope) * sqrt(rest / (square * steep));
	double t = MinNum(MaxNum(slope < 0.0 ? foot + offset : foot - offset, 0.0), 1.0);
	return D3Add(a, D3Scale(t, along));
}

// Adds both ends of the part of segment ab that is inside the cone. The distance is convex along the segment, so that
// each side of the nearest point has at most one root, which bisection finds.
static void AddConeChord(Intrusion* intrusion, const Cone* cone, Double3 a, Double3 b)
{
	Double3 inside = NearestOnSegment(cone, a, b);
	if (!(ConeDistance(cone, inside) < 0.0))
		return;
	for (int end = 0; end < 2; ++end)
	{
		Double3 in = inside, out = end == 0 ? a : b;
		for (int i = 0; i < 40 && ConeDistance(cone, out) > 0.0; ++i)
		{
			Double3 middle = D3Scale(0.5, D3Add(in, out));
			bool isIn = ConeDistance(cone, middle) < 0.0;
			in = isIn ? middle : in;
			out = isIn ? out : middle;
			if (i == 39)
				out = in;
		}
		drapeIntrusion_Add(intrusion, out);
	}
}

// The point where the y axis goes through a convex polygon. False when it does not.
static bool CrossAxis(const Polygon* polygon, Double3* point)
{
	int left = 0, right = 0;
	// Seen along the axis, the corners of a polygon around it all turn in the same direction.
	for (int i = 0; i < polygon->count; ++i)
	{
		Double3 a = polygon->corner[i], b = polygon->corner[(i + 1) % polygon->count];
		double area = a.x * b.z - a.z * b.x;
		left += area > 0.0;
		right += area < 0.0;
	}
	if ((left > 0) == (right > 0))
		return false;
	Double3 o = polygon->corner[0], normal = {0.0, 0.0, 0.0};
	for (int i = 2; i < polygon->count; ++i)
		normal = D3Add(normal, D3Cross(D3Sub(polygon->corner[i - 1], o), D3Sub(polygon->corner[i], o)));
	*point = (Double3){0.0, normal.y != 0.0 ? D3Dot(normal, o) / normal.y : o.y, 0.0};
	return normal.y != 0.0;
}

// The distance is convex, so that the nearest point is on the axis or on an edge, or every nearest point has an edge
// point beside it that is as near.
static bool IntrudeMantle(const Taper* taper, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	const Double3 up = {0.0, 1.0, 0.0}, down = {0.0, -1.0, 0.0};
	const Cone cone = {taper->radial, taper->axial, taper->radius - taper->axial * taper->halfHeight};
	Polygon part = drapePolygon_OfTriangle(triangle);
	part = drapePolygon_Cut(&part, up, taper->halfHeight + taper->topRadius * taper->axial);
	part = drapePolygon_Cut(&part, down, taper->halfHeight - taper->radius * taper->axial);
	if (part.count == 0)
		return false;
	DRAPE_ASSERT(part.count <= 5);
	Double3 nearest = part.corner[0], candidate;
	double least = ConeDistance(&cone, nearest);
	for (int i = -1; i < part.count; ++i)
	{
		if (i < 0 && !CrossAxis(&part, &candidate))
			continue;
		if (i >= 0)
			candidate = NearestOnSegment(&cone, part.corner[i], part.corner[(i + 1) % part.count]);
		double distance = ConeDistance(&cone, candidate);
		if (!(distance < least))
			continue;
		least = distance;
		nearest = candidate;
	}
	if (!(least < -slop))
		return false;
	drapeIntrusion_Add(intrusion, nearest);
	for (int i = 0; i < part.count; ++i)
		AddConeChord(intrusion, &cone, part.corner[i], part.corner[(i + 1) % part.count]);
	return true;
}

static bool IntrudeTapered(const drapeColliderDef* def, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	Taper taper = TaperOf(def);
	const Vec3 centre = {0.0f, (float)taper.centre, 0.0f};
	if (taper.isSphere)
		return drapeIntrusion_AddSphere(intrusion, centre, taper.largest, triangle, slop);
	bool isIn = IntrudeMantle(&taper, triangle, slop, intrusion);
	const Vec3 low = {0.0f, -def->halfHeight, 0.0f}, high = {0.0f, def->halfHeight, 0.0f};
	isIn |= drapeIntrusion_AddSphere(intrusion, low, taper.radius, triangle, slop);
	isIn |= drapeIntrusion_AddSphere(intrusion, high, taper.topRadius, triangle, slop);
	return isIn;
}

// --- description ----------------------------------------------------------------------------------------------------

static void AddTaperedSurface(const drapeColliderDef* def, float inset, SurfaceWriter* writer)
{
	const float pole = 1.57079633f;
	ProfileRow rows[2 * surfaceCapRows + 2];
	drapeColliderDef inner = *def;
	inner.radius = InsetLength(def->radius, inset);
	inner.topRadius = InsetLength(def->topRadius, inset);
	Taper taper = TaperOf(&inner);
	float latitude = taper.isSphere ? 0.0f : (float)drapeMath_Asin(taper.axial);
	float low = taper.isSphere ? (float)taper.centre : -def->halfHeight, high = taper.isSphere ? low : def->halfHeight;
	float radius = taper.isSphere ? (float)taper.largest : inner.radius;
	float topRadius = taper.isSphere ? radius : inner.topRadius;
	drapeSurface_SetCap(rows, radius, low, -pole, latitude);
	drapeSurface_SetCap(rows + surfaceCapRows + 1, topRadius, high, latitude, pole);
	drapeSurface_AddProfile(writer, rows, 2 * surfaceCapRows + 2);
}

static void FitTapered(drapeColliderDef* def, Vec3 halfExtents)
{
	def->radius = def->topRadius = MaxNumF(halfExtents.x, halfExtents.z);
	def->halfHeight = MaxNumF(halfExtents.y - def->radius, 1e-3f);
}

const ShapeClass drapeTaperedCapsuleClass = {
	.info = {.key = "taperedCapsule",
             .label = "Tapered capsule",
             .isBounded = true,
             .measureCount = 3,
             .measures = {&drapeMeasures[measureRadius].parameter, &drapeMeasures[measureTopRadius].parameter,
                          &drapeMeasures[measureHalfHeight].parameter},
             .typical = {0.1f, 0.06f, 0.3f}},
	.distance = TaperedDistance,
	.contains = TaperedContains,
	.closestWide = TaperedWide,
	.boundingRadius = TaperedBound,
	.elementRadius = TaperedElementRadius,
	.addElements = AddTaperedElements,
	.shrinkToElements = ShrinkTapered,
	.intrude = IntrudeTapered,
	.surface = AddTaperedSurface,
	.fit = FitTapered,
};
