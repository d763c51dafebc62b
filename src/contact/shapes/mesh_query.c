// SPDX-License-Identifier: MIT
#include "contact/broad/bvh_inner.h"
#include "contact/shapes/mesh_shape.h"

// Queries of a mesh shape: closest points, inside tests, swept spheres.

// The triangles at the end of the step.
static BvhView ViewEnd(const MeshShape* shape)
{
	return (BvhView){
		.bvh = &shape->tree,
		.corners = shape->triangle,
		.positions = shape->to,
		.rows = shape->boxes[shape->toRevision % 2].rows.data,
		.stride = 6 * 8,
	};
}

// --- normals --------------------------------------------------------------------------------------------------------

static Double3 Unit(Double3 a)
{
	double length = sqrt(D3Dot(a, a));
	return length > 0.0 ? D3Scale(1.0 / length, a) : (Double3){0.0, 0.0, 0.0};
}

static SeenTriangle Corners(const MeshShape* shape, uint32_t triangle)
{
	const uint32_t* corners = shape->triangle + 3 * (size_t)triangle;
	return Triangle_SeenFrom(shape->to, corners, V4Xyz(shape->to[corners[0]]));
}

// Returns zero for a triangle that lost its area by deformation.
static Double3 FaceNormal(const MeshShape* shape, uint32_t triangle)
{
	SeenTriangle t = Corners(shape, triangle);
	return Unit(D3Cross(t.corner[1], t.corner[2]));
}

// Computes the pseudo-normal of a vertex: face normals weighted by their angles. Returns false when the mesh is not
// manifold there.
static bool VertexNormal(const MeshShape* shape, uint32_t vertex, Double3* normal)
{
	DRAPE_ASSERT(vertex < shape->vertexCount);
	uint32_t twin = shape->twin[vertex];
	bool clean = true;
	*normal = (Double3){0.0, 0.0, 0.0};
	for (uint32_t i = shape->fanStart[twin]; i < shape->fanStart[twin + 1]; ++i)
	{
		uint32_t triangle = shape->fan[i] >> 2, k = shape->fan[i] & 3;
		SeenTriangle t = Corners(shape, triangle);
		Double3 a = D3Sub(t.corner[(k + 1) % 3], t.corner[k]), b = D3Sub(t.corner[(k + 2) % 3], t.corner[k]);
		Double3 cross = D3Cross(a, b);
		double angle = drapeMath_Atan2(sqrt(D3Dot(cross, cross)), D3Dot(a, b));
		*normal = D3Add(*normal, D3Scale(angle, Unit(cross)));
		const uint32_t* across = shape->neighbour + 3 * (size_t)triangle;
		clean = clean && across[k] != meshManyNeighbours && across[(k + 2) % 3] != meshManyNeighbours;
	}
	return clean;
}

static bool ToUnit(Double3 a, Vec3* unit)
{
	double square = D3Dot(a, a);
	if (!(square > 0.0))
		return false;
	double scale = 1.0 / sqrt(square);
	*unit = (Vec3){(float)(scale * a.x), (float)(scale * a.y), (float)(scale * a.z)};
	return true;
}

bool drapeMeshShape_VertexNormal(const MeshShape* shape, uint32_t vertex, Vec3* normal)
{
	Double3 sum;
	return shape->closed && VertexNormal(shape, vertex, &sum) && ToUnit(sum, normal);
}

bool drapeMeshShape_EdgeNormal(const MeshShape* shape, uint32_t a, uint32_t b, Vec3* normal)
{
	DRAPE_ASSERT(a < shape->vertexCount && b < shape->vertexCount);
	uint32_t first = shape->twin[a], second = shape->twin[b], triangles = 0;
	Double3 sum = {0.0, 0.0, 0.0};
	for (uint32_t i = shape->fanStart[first]; i < shape->fanStart[first + 1]; ++i)
	{
		uint32_t triangle = shape->fan[i] >> 2, k = shape->fan[i] & 3;
		const uint32_t* corner = shape->triangle + 3 * (size_t)triangle;
		if (shape->twin[corner[(k + 1) % 3]] != second && shape->twin[corner[(k + 2) % 3]] != second)
			continue;
		sum = D3Add(sum, FaceNormal(shape, triangle));
		triangles++;
	}
	return shape->closed && triangles == 2 && ToUnit(sum, normal);
}

// Computes the pseudo-normal of a feature of a triangle, not of unit length. Returns false when the mesh is not
// manifold there.
static bool PseudoNormal(const MeshShape* shape, uint32_t triangle, TriangleFeature feature, Double3* normal)
{
	DRAPE_ASSERT(triangle < shape->triangleCount);
	if (feature >= triangle_corner0 && feature <= triangle_corner2)
		return VertexNormal(shape, shape->triangle[3 * triangle + (feature - triangle_corner0)], normal);
	*normal = FaceNormal(shape, triangle);
	if (feature == triangle_face)
		return true;
	uint32_t across = shape->neighbour[3 * triangle + feature];
	if (across < shape->triangleCount)
		*normal = D3Add(*normal, FaceNormal(shape, across));
	return across != meshManyNeighbours;
}

// --- inside ---------------------------------------------------------------------------------------------------------

int drapeMeshShape_WindingNumber(const MeshShape* shape, Vec3 point)
{
	// Directions that meshes are unlikely to be aligned with. The test tries all of them before it trusts rounding.
	static const Vec3 directions[] = {
		{0.8147f, 0.1270f, 0.5659f},   {-0.3785f, 0.9057f, 0.1911f}, {0.1576f, -0.4218f, -0.8929f},
		{-0.7922f, -0.5531f, 0.2572f}, {0.4854f, 0.2413f, -0.8403f},
	};
	if (!shape->closed || !(point.x >= shape->low.x && point.x <= shape->high.x && point.y >= shape->low.y &&
	                        point.y <= shape->high.y && point.z >= shape->low.z && point.z <= shape->high.z))
		return 0;
	BvhView view = ViewEnd(shape);
	Vec3 size = V3Sub(shape->high, shape->low), middle = V3Scale(0.5f, V3Add(shape->low, shape->high));
	float beyond = 4.0f * (size.x + size.y + size.z);
	// The outside is nearest along the thinnest side of the mesh, away from its middle.
	size_t count = sizeof directions / sizeof directions[0];
	size_t first = size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2;
	for (size_t i = 0; i < count; ++i)
	{
		int winding;
		Vec3 direction = directions[(first + i) % count];
		float length = V3Dot(direction, V3Sub(point, middle)) < 0.0f ? -beyond : beyond;
		if (drapeBvhView_Winding(&view, point, V3Add(point, V3Scale(length, direction)), &winding))
			return winding;
	}
	return 0; // on the surface in every direction
}

bool drapeMeshShape_Contains(const MeshShape* shape, Vec3 point)
{
	return drapeMeshShape_WindingNumber(shape, point) != 0;
}

// --- closest points -------------------------------------------------------------------------------------------------

static Vec3 ToFloat(Double3 a)
{
	return (Vec3){(float)a.x, (float)a.y, (float)a.z};
}

// Describes a point of a triangle for a query from `from`. `sign` is -1 inside.
static MeshPoint MakePoint(uint32_t triangle, Vec3 from, const TrianglePoint* near, double sign, Double3 pseudo)
{
	MeshPoint point = {.triangle = triangle};
	double distance = sqrt(near->square);
	// Close to the surface the direction to it is rounding noise.
	double size = fabs((double)from.x) + fabs((double)from.y) + fabs((double)from.z);
	Double3 normal = distance > 1e-7 * size ? D3Scale(-sign / distance, near->toPoint) : Unit(pseudo);
	point.normal = ToFloat(normal);
	point.distance = (float)(sign * distance);
	point.point = (Vec3){(float)((double)from.x + near->toPoint.x), (float)((double)from.y + near->toPoint.y),
	                     (float)((double)from.z + near->toPoint.z)};
	for (int k = 0; k < 3; ++k)
		point.weight[k] = (float)near->weight[k];
	return point;
}

// Describes the nearest point with its side.
static MeshPoint DescribeNearest(const MeshShape* shape, Vec3 point, const NearestPrimitive* nearest)
{
	Double3 pseudo;
	double sign = 1.0;
	bool clean = PseudoNormal(shape, nearest->primitive, nearest->near.feature, &pseudo);
	if (shape->closed && (shape->tangled || !clean))
		sign = drapeMeshShape_Contains(shape, point) ? -1.0 : 1.0;
	else if (shape->closed)
		sign = D3Dot(nearest->near.toPoint, pseudo) > 0.0 ? -1.0 : 1.0;
	return MakePoint(nearest->primitive, point, &nearest->near, sign, pseudo);
}

bool drapeMeshShape_Closest(const MeshShape* shape, Vec3 point, float searchRadius, MeshPoint* closest)
{
	DRAPE_ASSERT(searchRadius >= 0.0f);
	NearestPrimitive nearest;
	BvhView view = ViewEnd(shape);
	if (!drapeBvhView_NearestPrimitive(&view, point, searchRadius, DRAPE_NONE, &nearest))
		return false;
	*closest = DescribeNearest(shape, point, &nearest);
	return true;
}

bool drapeMeshShape_ClosestAround(const MeshShape* shape, const NearQuery* query, NearList* list, MeshPoint* closest,
                                  float* clearance)
{
	NearestPrimitive nearest;
	NearQuery current = *query;
	BvhView view = ViewEnd(shape);
	current.revision = shape->toRevision;
	if (!drapeBvhView_NearestAround(&view, &current, list, &nearest, clearance))
		return false;
	*closest = DescribeNearest(shape, query->point, &nearest);
	return true;
}

// Triangles at a fraction of the step.
static BvhView ViewAt(const MeshShape* shape, float fraction)
{
	BvhView view = ViewEnd(shape);
	if (!shape->moves || fraction >= 1.0f)
		return view;
	if (fraction > 0.0f)
	{
		view.nextPositions = view.positions;
		view.nextRows = view.rows;
		view.share = fraction;
	}
	view.positions = shape->from;
	view.rows = shape->boxes[shape->fromRevision % 2].rows.data;
	return view;
}

Vec3 drapeMeshShape_DisplacementNear(const MeshShape* shape, float fraction, const NearQuery* query, NearList* list)
{
	DRAPE_ASSERT(query->neededRadius >= 0.0f && query->searchRadius >= query->neededRadius && fraction <= 1.0f);
	if (!shape->moves)
		return (Vec3){0.0f, 0.0f, 0.0f};
	NearestPrimitive nearest;
	BvhView view = ViewAt(shape, fraction);
	NearQuery current = *query;
	float clearance;
	current.revision = fraction >= 1.0f ? shape->toRevision : shape->fromRevision;
	uint32_t first = list && list->count > 0 ? list->primitive[0] : DRAPE_NONE;
	bool isFound = list && !view.nextPositions
	                   ? drapeBvhView_NearestAround(&view, &current, list, &nearest, &clearance)
	                   : drapeBvhView_NearestPrimitive(&view, query->point, query->neededRadius, first, &nearest);
	double square = (double)query->neededRadius * (double)query->neededRadius;
	if (!isFound || nearest.near.square > square)
		return (Vec3){0.0f, 0.0f, 0.0f};
	const float weight[3] = {(float)nearest.near.weight[0], (float)nearest.near.weight[1],
	                         (float)nearest.near.weight[2]};
	return drapeMeshShape_Displacement(shape, nearest.primitive, weight);
}

// --- sweeps ---------------------------------------------------------------------------------------------------------

static const double never = HUGE_VAL;

// Returns when a moving point gets within a radius of a line or point: the first root of a t^2 + 2 b t + c = 0 with
// c > 0, that is, from outside. Returns `never` when it does not, or when it starts within the radius: beyond the ends
// of an edge it can only enter through the spheres around them.
static double Enter(double a, double b, double c)
{
	double discriminant = b * b - a * c;
	if (!(a > 0.0) || !(b < 0.0) || !(c > 0.0) || !(discriminant >= 0.0))
		return never;
	return c / (-b + sqrt(discriminant));
}

static double EnterSphere(Double3 centre, Double3 displacement, double radius)
{
	return Enter(D3Dot(displacement, displacement), -D3Dot(centre, displacement),
	             D3Dot(centre, centre) - radius * radius);
}

// Enters the side of the cylinder around an edge, between its ends.
static double EnterCylinder(Double3 a, Double3 b, Double3 displacement, double radius)
{
	Double3 along = D3Sub(b, a);
	double square = D3Dot(along, along);
	if (!(square > 0.0))
		return never;
	double stepAlong = D3Dot(displacement, along) / square, startAlong = -D3Dot(a, along) / square;
	Double3 across = D3Sub(displacement, D3Scale(stepAlong, along));
	Double3 start = D3Sub(D3Scale(-1.0, a), D3Scale(startAlong, along));
	double t = Enter(D3Dot(across, across), D3Dot(start, across), D3Dot(start, start) - radius * radius);
	double at = startAlong + t * stepAlong;
	return at >= 0.0 && at <= 1.0 ? t : never;
}

// The plane of a face relative to a moving point.
typedef struct FacePlane
{
	Double3 normal; // unit, towards the start of the point
	double height;  // m, >= 0, of the point at its start
	double rise;    // m, over the whole displacement
} FacePlane;

static FacePlane SeePlane(const SeenTriangle* seen, Double3 displacement)
{
	const Double3* c = seen->corner;
	Double3 normal = Unit(D3Cross(D3Sub(c[1], c[0]), D3Sub(c[2], c[0])));
	double height = -D3Dot(c[0], normal), rise = D3Dot(displacement, normal);
	if (height < 0.0)
		return (FacePlane){D3Scale(-1.0, normal), -height, -rise};
	return (FacePlane){normal, height, rise};
}

// Enters the face, moved outward by the radius.
static double EnterFace(const SeenTriangle* seen, const FacePlane* plane, Double3 displacement, double radius)
{
	const Double3* c = seen->corner;
	double t = (plane->height - radius) / -plane->rise;
	if (!(plane->height >= radius) || !(plane->rise < 0.0))
		return never;
	Double3 at = D3Sub(D3Scale(t, displacement), D3Scale(radius, plane->normal));
	bool allLeft = true, allRight = true; // the normal may be reversed
	for (int k = 0; k < 3; ++k)
	{
		Double3 edge = D3Sub(c[(k + 1) % 3], c[k]);
		double side = D3Dot(D3Cross(edge, D3Sub(at, c[k])), plane->normal);
		allLeft = allLeft && side >= 0.0;
		allRight = allRight && side <= 0.0;
	}
	return allLeft || allRight ? t : never;
}

// Returns when the sphere first touches the triangle; `never` when it does not.
static double EnterTriangle(const SeenTriangle* seen, Double3 displacement, double radius)
{
	const double nearly = radius * (1.0 + 1e-6);
	FacePlane plane = SeePlane(seen, displacement);
	if (plane.height > nearly && plane.height + plane.rise > nearly)
		return never;
	TrianglePoint near = Triangle_Closest(seen);
	if (near.square <= nearly * nearly)
		return D3Dot(near.toPoint, displacement) > 0.0 ? 0.0 : never;
	double first = EnterFace(seen, &plane, displacement, radius);
	for (int k = 0; k < 3; ++k)
	{
		first = MinNum(first, EnterSphere(seen->corner[k], displacement, radius));
		first = MinNum(first, EnterCylinder(seen->corner[k], seen->corner[(k + 1) % 3], displacement, radius));
	}
	return first <= 1.0 ? first : never;
}

typedef struct SweepHit
{
	float fraction;
	uint32_t triangle;
	TrianglePoint near; // relative to the centre of the sphere at that time
	Double3 pseudo;
} SweepHit;

// The lowest triangle wins a tie, so that the order of the tests does not matter.
static bool IsEarlier(float fraction, uint32_t triangle, const SweepHit* hit)
{
	return fraction < hit->fraction || (fraction == hit->fraction && fraction <= 1.0f && triangle < hit->triangle);
}

// A point has no radius, so its displacement tells the side that it comes from.
static void TryPoint(const MeshShape* shape, uint32_t triangle, const SeenTriangle* seen, Double3 displacement,
                     SweepHit* hit)
{
	double fraction;
	TrianglePoint near = {.feature = triangle_face};
	if (!Triangle_Cut(seen, displacement, &fraction, near.weight) || !IsEarlier((float)fraction, triangle, hit))
		return;
	Double3 normal = FaceNormal(shape, triangle);
	bool fromBack = D3Dot(normal, displacement) > 0.0;
	if (shape->closed && fromBack)
		return;
	*hit = (SweepHit){(float)fraction, triangle, near, fromBack ? D3Scale(-1.0, normal) : normal};
}

static void TrySphere(const MeshShape* shape, uint32_t triangle, const SeenTriangle* seen, Double3 displacement,
                      double radius, SweepHit* hit)
{
	double fraction = EnterTriangle(seen, displacement, radius);
	if (!IsEarlier((float)fraction, triangle, hit))
		return;
	SeenTriangle then = *seen;
	for (int k = 0; k < 3; ++k)
		then.corner[k] = D3Sub(seen->corner[k], D3Scale(fraction, displacement));
	TrianglePoint near = Triangle_Closest(&then);
	Double3 pseudo;
	PseudoNormal(shape, triangle, near.feature, &pseudo);
	if (shape->closed && D3Dot(near.toPoint, pseudo) > 0.0)
		return;
	*hit = (SweepHit){(float)fraction, triangle, near, pseudo};
}

static void TryTriangle(const MeshShape* shape, uint32_t triangle, Vec3 from, Double3 displacement, float margin,
                        SweepHit* hit)
{
	SeenTriangle seen = Triangle_SeenFrom(shape->to, shape->triangle + 3 * (size_t)triangle, from);
	if (margin > 0.0f)
		TrySphere(shape, triangle, &seen, displacement, (double)margin, hit);
	else
		TryPoint(shape, triangle, &seen, displacement, hit);
}

static void SweepTree(const MeshShape* shape, float margin, Vec3 from, Vec3 to, Double3 displacement, SweepHit* best)
{
	SegmentWalk walk = drapeSegmentWalk_Begin(&shape->tree, from, to, margin);
	BvhView view = ViewEnd(shape);
	uint32_t block, lanes;
	while ((lanes = drapeSegmentWalk_Next(&walk, &view, best->fraction, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t lane = TakeBit(&lanes);
			if (walk.enters[lane] <= best->fraction)
				TryTriangle(shape, shape->tree.order.data[8 * block + lane], from, displacement, margin, best);
		}
	}
}

bool drapeMeshShape_SweepAround(const MeshShape* shape, float margin, Vec3 from, Vec3 to, const NearList* list,
                                float* fraction, MeshPoint* hit)
{
	DRAPE_ASSERT(margin >= 0.0f);
	Double3 displacement = D3Between(from, to);
	SweepHit best = {.fraction = INFINITY, .triangle = DRAPE_NONE};
	uint32_t lanes = 0;
	if (!list || list->revision != shape->toRevision || !drapeNearList_Along(list, shape->to, from, to, margin, &lanes))
		SweepTree(shape, margin, from, to, displacement, &best);
	while (lanes != 0)
		TryTriangle(shape, list->primitive[TakeBit(&lanes)], from, displacement, margin, &best);
	if (!(best.fraction <= 1.0f))
		return false;
	double t = (double)best.fraction;
	Vec3 centre = {(float)((double)from.x + t * displacement.x), (float)((double)from.y + t * displacement.y),
	               (float)((double)from.z + t * displacement.z)};
	*fraction = best.fraction;
	*hit = MakePoint(best.triangle, centre, &best.near, 1.0, best.pseudo);
	return true;
}

bool drapeMeshShape_Sweep(const MeshShape* shape, float margin, Vec3 from, Vec3 to, float* fraction, MeshPoint* hit)
{
	return drapeMeshShape_SweepAround(shape, margin, from, to, NULL, fraction, hit);
}
