// SPDX-License-Identifier: MIT
#include "narrow_places.h"

#include "mesh/geometry.h"
#include "shared/sheets.h"

#include <math.h>

void NarrowPlaces_Init(NarrowPlaces* check, drapeWorldId world, float width)
{
	*check = (NarrowPlaces){.world = drapeWorlds_Get(world), .width = (double)width};
}

void NarrowPlaces_Destroy(NarrowPlaces* check)
{
	GivenMeshes_Destroy(&check->given);
	ArrayFree(&check->near.primitives);
	ArrayFree(&check->hits.primitives);
}

static Vec3 Single(Double3 p)
{
	return (Vec3){(float)p.x, (float)p.y, (float)p.z};
}

static Double3 Along(Double3 from, double t, Double3 direction)
{
	return D3Add(from, D3Scale(t, direction));
}

// --- triangles ------------------------------------------------------------------------------------------------------

typedef struct Face
{
	Double3 corner[3], normal; // m; unit, outward
} Face;

static Face FaceOf(const MeshShape* shape, uint32_t triangle)
{
	Face face;
	for (int k = 0; k < 3; ++k)
		face.corner[k] = D3(V4Xyz(shape->to[shape->triangle[3 * triangle + k]]));
	face.normal = D3Cross(D3Sub(face.corner[1], face.corner[0]), D3Sub(face.corner[2], face.corner[0]));
	double length = D3Length(face.normal);
	face.normal = length > 0.0 ? D3Scale(1.0 / length, face.normal) : (Double3){0.0, 0.0, 0.0};
	return face;
}

static Double3 NearestOnSegment(Double3 p, Double3 a, Double3 b)
{
	Double3 side = D3Sub(b, a);
	double length2 = D3Dot(side, side);
	return Along(a, length2 > 0.0 ? fmin(fmax(D3Dot(D3Sub(p, a), side) / length2, 0.0), 1.0) : 0.0, side);
}

static Double3 NearestOnFace(Double3 p, const Face* face)
{
	bool isAbove = true;
	Double3 best = face->corner[0];
	double least = HUGE_VAL;
	for (int k = 0; k < 3; ++k)
	{
		Double3 a = face->corner[k], b = face->corner[(k + 1) % 3], at = NearestOnSegment(p, a, b);
		isAbove &= D3Dot(D3Cross(D3Sub(b, a), D3Sub(p, a)), face->normal) >= 0.0;
		if (D3Length(D3Sub(p, at)) < least)
		{
			least = D3Length(D3Sub(p, at));
			best = at;
		}
	}
	return isAbove ? Along(p, -D3Dot(D3Sub(p, face->corner[0]), face->normal), face->normal) : best;
}

typedef enum Hit
{
	hit_none = 0,
	hit_cut,
	hit_doubtful, // too close to an edge
} Hit;

// Whether the segment from `from` along `way` cuts the face; *fraction of the segment.
static Hit CutFace(Double3 from, Double3 way, const Face* face, double* fraction)
{
	*fraction = 0.0;
	double across = D3Dot(way, face->normal), height = D3Dot(D3Sub(face->corner[0], from), face->normal);
	if (fabs(across) < 1e-12 * D3Length(way))
		return fabs(height) < 1e-12 ? hit_doubtful : hit_none;
	*fraction = height / across;
	if (*fraction < 0.0 || *fraction > 1.0)
		return hit_none;
	Double3 at = Along(from, *fraction, way);
	Hit hit = hit_cut;
	for (int k = 0; k < 3; ++k)
	{
		Double3 side = D3Sub(face->corner[(k + 1) % 3], face->corner[k]);
		double inside = D3Dot(D3Cross(side, D3Sub(at, face->corner[k])), face->normal), length = D3Length(side);
		if (inside < -1e-9 * length)
			return hit_none;
		if (inside < 1e-9 * length)
			hit = hit_doubtful;
	}
	return hit;
}

// Triangles whose bounds meet those of a segment with a margin.
static void FindFaces(const MeshShape* shape, Double3 from, Double3 to, double margin, PrimitiveList* found)
{
	Kdop bounds = Kdop_Empty();
	Kdop_Add(&bounds, shape->tree.k, Single(from), (float)margin);
	Kdop_Add(&bounds, shape->tree.k, Single(to), (float)margin);
	found->primitives.count = 0;
	Shared_Require(drapeBvh_Query(&shape->tree, &bounds, found), "out of memory");
}

// Sum of the surfaces that a ray leaves minus those that it enters. False when it passes too close to an edge.
static bool CountWinding(NarrowPlaces* check, const MeshShape* shape, Double3 from, Double3 way, int* winding)
{
	*winding = 0;
	FindFaces(shape, from, D3Add(from, way), 1e-6, &check->hits);
	for (uint32_t i = 0; i < check->hits.primitives.count; ++i)
	{
		Face face = FaceOf(shape, check->hits.primitives.data[i]);
		double fraction;
		Hit hit = CutFace(from, way, &face, &fraction);
		if (hit == hit_doubtful)
			return false;
		if (hit == hit_cut)
			*winding += D3Dot(way, face.normal) > 0.0 ? 1 : -1;
	}
	return true;
}

// The winding number of a closed mesh about a point, by a ray to the nearest side of its bounds.
static int MeshDepth(NarrowPlaces* check, const MeshShape* shape, Double3 p)
{
	const double low[3] = {(double)shape->low.x, (double)shape->low.y, (double)shape->low.z};
	const double high[3] = {(double)shape->high.x, (double)shape->high.y, (double)shape->high.z};
	const double at[3] = {p.x, p.y, p.z};
	double best = HUGE_VAL;
	int axis = 0, winding = 0;
	if (!shape->closed)
		return 0;
	for (int k = 0; k < 3; ++k)
	{
		if (at[k] < low[k] || at[k] > high[k])
			return 0;
		if (fabs(best) > fmin(at[k] - low[k], high[k] - at[k]))
		{
			axis = k;
			best = at[k] - low[k] < high[k] - at[k] ? low[k] - at[k] : high[k] - at[k];
		}
	}
	// Other directions follow when a ray meets an edge.
	for (int attempt = 0; attempt < 8; ++attempt)
	{
		double way[3], length = best + copysign(1e-3, best), tilt = length * (2e-4 + 1.7e-3 * attempt);
		way[axis] = length;
		way[(axis + 1) % 3] = tilt;
		way[(axis + 2) % 3] = 0.37 * tilt;
		if (CountWinding(check, shape, p, (Double3){way[0], way[1], way[2]}, &winding))
			break;
	}
	return winding > 0 ? winding : 0;
}

// --- shapes ---------------------------------------------------------------------------------------------------------

static double BoxDistance(const drapeColliderDef* def, Double3 p)
{
	Double3 q = {fabs(p.x) - (double)def->halfExtents.x, fabs(p.y) - (double)def->halfExtents.y,
	             fabs(p.z) - (double)def->halfExtents.z};
	Double3 out = {fmax(q.x, 0.0), fmax(q.y, 0.0), fmax(q.z, 0.0)};
	return D3Length(out) + fmin(fmax(q.x, fmax(q.y, q.z)), 0.0);
}

static double CylinderDistance(const drapeColliderDef* def, Double3 p)
{
	double side = hypot(p.x, p.z) - (double)def->radius, end = fabs(p.y) - (double)def->halfHeight;
	return fmin(fmax(side, end), 0.0) + hypot(fmax(side, 0.0), fmax(end, 0.0));
}

// The hull of two spheres: in the half plane through the axis, a cone between two tangent points.
static double TaperedDistance(const drapeColliderDef* def, Double3 p)
{
	double half = (double)def->halfHeight, low = (double)def->radius, high = (double)def->topRadius;
	double x = hypot(p.x, p.z), y = p.y, lowDistance = hypot(x, y + half) - low,
		   highDistance = hypot(x, y - half) - high;
	if (2.0 * half <= fabs(low - high))
		return fmin(lowDistance, highDistance);
	double sine = (low - high) / (2.0 * half), cosine = sqrt(1.0 - sine * sine);
	// Position along the cone's line, from the tangent point of the lower sphere.
	double along = (y + half) * cosine - x * sine;
	if (along <= 0.0)
		return lowDistance;
	if (along >= 2.0 * half * cosine)
		return highDistance;
	return x * cosine + (y + half) * sine - low;
}

// Signed distance in the shape's own space, m.
static double OwnDistance(const drapeColliderDef* def, Double3 p)
{
	double half = (double)def->halfHeight;
	switch (def->shape)
	{
		case drape_shapeSphere:
			return D3Length(p) - (double)def->radius;
		case drape_shapeCapsule:
			p.y -= fmin(fmax(p.y, -half), half);
			return D3Length(p) - (double)def->radius;
		case drape_shapeCylinder:
			return CylinderDistance(def, p);
		case drape_shapeBox:
			return BoxDistance(def, p);
		case drape_shapePlane:
			return p.y;
		case drape_shapeTaperedCapsule:
			return TaperedDistance(def, p);
		case drape_shapeMesh:
			break;
	}
	return HUGE_VAL;
}

// v + 2 q x (q x v + w v); the inverse rotation for -w.
static Double3 Rotate(drapeQuat rotation, double w, Double3 v)
{
	Double3 axis = {(double)rotation.x, (double)rotation.y, (double)rotation.z};
	return D3Add(v, D3Scale(2.0, D3Cross(axis, D3Add(D3Cross(axis, v), D3Scale(w, v)))));
}

static Double3 ToOwn(const Collider* collider, Double3 p)
{
	drapeTransform to = collider->to;
	return D3Scale(1.0 / (double)to.scale, Rotate(to.rotation, -(double)to.rotation.w, D3Sub(p, D3(to.position))));
}

static double ShapeDistance(const Collider* collider, Double3 p)
{
	return (double)collider->to.scale * OwnDistance(&collider->def, ToOwn(collider, p));
}

// Outward normal: the slope of the distance.
static Double3 ShapeNormal(const Collider* collider, Double3 p)
{
	const double h = 1e-6;
	Double3 slope = {
		ShapeDistance(collider, (Double3){p.x + h, p.y, p.z}) - ShapeDistance(collider, (Double3){p.x - h, p.y, p.z}),
		ShapeDistance(collider, (Double3){p.x, p.y + h, p.z}) - ShapeDistance(collider, (Double3){p.x, p.y - h, p.z}),
		ShapeDistance(collider, (Double3){p.x, p.y, p.z + h}) - ShapeDistance(collider, (Double3){p.x, p.y, p.z - h})};
	double length = D3Length(slope);
	return length > 0.0 ? D3Scale(1.0 / length, slope) : (Double3){0.0, 1.0, 0.0};
}

// --- narrow places --------------------------------------------------------------------------------------------------

static int DepthAt(NarrowPlaces* check, Double3 p)
{
	int depth = 0;
	for (uint32_t i = 0; i < check->world->liveColliders.count; ++i)
		depth += ShapeDistance(&check->world->liveColliders.data[i], p) < 0.0;
	for (uint32_t i = 0; i < check->world->liveMeshes.count; ++i)
		depth += MeshDepth(check, GivenMeshes_At(&check->given, check->world, i), p);
	return depth;
}

int NarrowPlaces_Depth(NarrowPlaces* check, Vec3 point)
{
	return DepthAt(check, D3(point));
}

// The first surface along a segment.
typedef struct FirstHit
{
	double fraction; // of the segment; above 1 for none
	bool isFront;    // it faces the start
} FirstHit;

// Steps by the distance until it is zero: the distance falls by no more than the way. A start inside is no hit.
static void HitShape(const Collider* collider, Double3 from, Double3 way, FirstHit* first)
{
	double length = D3Length(way), at = 0.0, least = 1e-4 * length;
	if (ShapeDistance(collider, from) < 0.0)
		return;
	while (at < first->fraction * length && at <= length)
	{
		double distance = ShapeDistance(collider, Along(from, at / length, way));
		if (distance <= 0.1 * least)
		{
			*first = (FirstHit){at / length, true};
			return;
		}
		at += fmax(distance, least);
	}
}

static FirstHit FindFirst(NarrowPlaces* check, Double3 from, Double3 way)
{
	FirstHit first = {2.0, false};
	for (uint32_t i = 0; i < check->world->liveMeshes.count; ++i)
	{
		const MeshShape* shape = GivenMeshes_At(&check->given, check->world, i);
		FindFaces(shape, from, D3Add(from, way), 1e-6, &check->hits);
		for (uint32_t k = 0; k < check->hits.primitives.count; ++k)
		{
			Face face = FaceOf(shape, check->hits.primitives.data[k]);
			double fraction;
			if (CutFace(from, way, &face, &fraction) != hit_none && fraction < first.fraction)
				first = (FirstHit){fraction, D3Dot(way, face.normal) < 0.0 || !shape->closed};
		}
	}
	for (uint32_t i = 0; i < check->world->liveColliders.count; ++i)
		HitShape(&check->world->liveColliders.data[i], from, way, &first);
	return first;
}

// A surface point near `point`, which is inside `depth` bodies: is it buried, or does another surface face it?
static bool IsNarrow(NarrowPlaces* check, Double3 point, int depth, Double3 surface, Double3 normal)
{
	const double lift = 1e-3 * check->width;
	Double3 above = Along(surface, lift, normal);
	if (depth > 0 && DepthAt(check, above) > 0)
		return true;
	FirstHit facing = FindFirst(check, above, D3Scale(check->width - lift, normal));
	if (facing.fraction > 1.0 || !facing.isFront)
		return false;
	// The point has crossed the surface, or it sees it.
	Double3 toPoint = D3Sub(point, surface);
	if (D3Dot(toPoint, normal) < lift)
		return depth > 0 || D3Length(toPoint) < lift;
	return FindFirst(check, above, D3Sub(point, above)).fraction > 1.0;
}

static bool IsNarrowAtMesh(NarrowPlaces* check, const MeshShape* shape, Double3 p, int depth)
{
	FindFaces(shape, p, p, check->width, &check->near);
	for (uint32_t i = 0; i < check->near.primitives.count; ++i)
	{
		Face face = FaceOf(shape, check->near.primitives.data[i]);
		Double3 at = NearestOnFace(p, &face);
		if (D3Length(D3Sub(p, at)) < check->width && IsNarrow(check, p, depth, at, face.normal))
			return true;
	}
	return false;
}

// For points inside, the faces of a box are tested one by one: beside its rim, the nearest one tells nothing
// about the gap that another one closes.
static bool IsNarrowAtBox(NarrowPlaces* check, const Collider* box, Double3 p, int depth)
{
	Double3 own = ToOwn(box, p);
	double half[3] = {(double)box->def.halfExtents.x, (double)box->def.halfExtents.y, (double)box->def.halfExtents.z};
	for (int face = 0; face < 6; ++face)
	{
		int axis = face / 2;
		double side = face % 2 == 0 ? 1.0 : -1.0, at[3] = {own.x, own.y, own.z}, normal[3] = {0.0, 0.0, 0.0};
		for (int k = 0; k < 3; ++k)
			at[k] = fmin(fmax(at[k], -half[k]), half[k]);
		at[axis] = side * half[axis];
		normal[axis] = side;
		drapeTransform to = box->to;
		Double3 scaled = D3Scale((double)to.scale, (Double3){at[0], at[1], at[2]});
		Double3 surface = D3Add(D3(to.position), Rotate(to.rotation, (double)to.rotation.w, scaled));
		Double3 outward = Rotate(to.rotation, (double)to.rotation.w, (Double3){normal[0], normal[1], normal[2]});
		if (D3Length(D3Sub(p, surface)) < check->width && IsNarrow(check, p, depth, surface, outward))
			return true;
	}
	return false;
}

bool NarrowPlaces_Contain(NarrowPlaces* check, Vec3 point, int depth)
{
	Double3 p = D3(point);
	if (depth > 1)
		return true;
	for (uint32_t i = 0; i < check->world->liveMeshes.count; ++i)
	{
		if (IsNarrowAtMesh(check, GivenMeshes_At(&check->given, check->world, i), p, depth))
			return true;
	}
	for (uint32_t i = 0; i < check->world->liveColliders.count; ++i)
	{
		const Collider* collider = &check->world->liveColliders.data[i];
		double distance = ShapeDistance(collider, p);
		if (fabs(distance) >= check->width)
			continue;
		if (depth > 0 && collider->def.shape == drape_shapeBox && IsNarrowAtBox(check, collider, p, depth))
			return true;
		Double3 normal = ShapeNormal(collider, p);
		if (IsNarrow(check, p, depth, Along(p, -distance, normal), normal))
			return true;
	}
	return false;
}
