// SPDX-License-Identifier: MIT
#pragma once

#include "contact/shapes/intrusion.h"
#include "contact/shapes/shape.h"
#include "mesh/geometry.h"

// One row per collider shape. A new shape is an enumerator of drapeColliderShape, a row, and a line in the table of shapes.c;
// scenes, pictures and the studio read the public description in the row. The shape must be convex: sweeps follow from
// its distance function, because along a segment that function is convex.

// --- measures -------------------------------------------------------------------------------------------------------

// Rows of drapeMeasures.
enum
{
	measureRadius,
	measureTopRadius,
	measureHalfHeight,
	measureHalfExtents,
	measureCount,
};

typedef struct Measure
{
	drapeParameter parameter;
	bool isPositive; // zero is invalid
} Measure;

extern const Measure drapeMeasures[measureCount];

// --- rows -----------------------------------------------------------------------------------------------------------

// Signed distance and outward unit normal at a point p. The closest surface point is p - distance * normal.
typedef struct ShapeDistance
{
	double distance; // m
	Double3 normal;
} ShapeDistance;

// Receives the triangles of a surface. Without arrays it counts them.
typedef struct SurfaceWriter
{
	char *positions, *normals; // Vec3 every `stride` bytes; NULL to count
	size_t stride;
	uint32_t* triangles;
	uint32_t vertexCount, triangleCount;
} SurfaceWriter;

typedef struct ShapeClass
{
	drapeColliderShapeInfo info;

	// In doubles, where squares of floats can neither overflow nor vanish. Exact and finite everywhere: where no
	// direction is closer than another, such as at the centre of a sphere, the row takes a fixed one.
	ShapeDistance (*distance)(const drapeColliderDef* def, Double3 p);
	bool (*contains)(const drapeColliderDef* def, Vec3 p);
	void (*closestWide)(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal);
	float (*boundingRadius)(const drapeColliderDef* def);

	// Contact elements (contact/broad/bodies.h). elementRadius is the distance of the surface from the elements, m;
	// NULL for 0. addElements appends the vertices and elements; NULL for none. shrinkToElements: see
	// drapeShape_ShrinkToElements; NULL when the elements with their radius are exact.
	float (*elementRadius)(const drapeColliderDef* def);
	bool (*addElements)(const Collider* collider, ContactBodies* bodies);
	void (*shrinkToElements)(drapeColliderDef* def);

	// Points of the triangle that are in the shape, deeper than `slop`, m. False for none.
	bool (*intrude)(const drapeColliderDef* def, const Vec3 triangle[3], double slop, Intrusion* intrusion);

	// As drapeShape_Exit, for unbounded shapes. NULL: bisection within the bounds.
	float (*exit)(const drapeColliderDef* def, Vec3 local, Vec3 direction);

	// Triangles for drawing, moved inward by `inset`, m, but by no more than 3 percent of a measure.
	void (*surface)(const drapeColliderDef* def, float inset, SurfaceWriter* writer);

	// Sets the measures so that the shape has the size of a box, m. NULL for unbounded shapes.
	void (*fit)(drapeColliderDef* def, Vec3 halfExtents);
} ShapeClass;

// basic_shapes.c, tapered_capsule.c
extern const ShapeClass drapeSphereClass, drapeCapsuleClass, drapeCylinderClass, drapeBoxClass, drapePlaneClass,
	drapeTaperedCapsuleClass;

// --- parts that several shapes share --------------------------------------------------------------------------------

DRAPE_INLINE Double3 Double3_UnitOr(Double3 a, Double3 fallback)
{
	double length = sqrt(D3Dot(a, a));
	return length > 0.0 ? (Double3){a.x / length, a.y / length, a.z / length} : fallback;
}

// A sphere about the origin.
DRAPE_INLINE ShapeDistance ShapeDistance_Sphere(double radius, Double3 p, Double3 fallback)
{
	return (ShapeDistance){sqrt(D3Dot(p, p)) - radius, Double3_UnitOr(p, fallback)};
}

// 1 / length. Zero for lengths whose squares are not normal floats; *has is then false.
DRAPE_INLINE F8 F8_InverseLength(F8 length, M8* has)
{
	*has = F8_Gt(length, F8_Splat(1e-18f));
	F8 safe = F8_Blend(*has, length, F8_Splat(1.0f));
	return F8_Blend(*has, F8_Div(F8_Splat(1.0f), safe), F8_Splat(0.0f));
}

DRAPE_INLINE void V8_SphereDistance(F8 radius, V8 p, Vec3 fallback, F8* distance, V8* normal)
{
	M8 has;
	F8 length = F8_Sqrt(V8_Dot(p, p)), inverse = F8_InverseLength(length, &has);
	*distance = F8_Sub(length, radius);
	*normal = V8_Blend(has, V8_Scale(inverse, p), V8_Splat(fallback));
}

// A length for pictures: moved inward by `inset`, but by no more than 3 percent.
DRAPE_INLINE float InsetLength(float length, float inset)
{
	return length - MinNumF(inset, 0.03f * length);
}

// --- shapes.c: elements ---

// Appends vertices of the collider's own space with their motion during the step. False when out of memory.
bool drapeShape_AddVertices(ContactBodies* bodies, const Collider* collider, const Vec3* local, uint32_t count);

// Appends an element of the last body, whose vertices count from 0. False when out of memory.
bool drapeShape_AddElement(ContactBodies* bodies, uint32_t a, uint32_t b, uint32_t c, uint32_t owns);

// --- shapes.c: surfaces ---

// A surface of revolution about y is a profile of rows from the bottom to the top.
typedef struct ProfileRow
{
	float radius, height;      // m
	float normalOut, normalUp; // unit
} ProfileRow;

enum
{
	surfaceSides = 64, // around the axis
	surfaceCapRows = 16,
};

void drapeSurface_AddProfile(SurfaceWriter* writer, const ProfileRow* rows, uint32_t rowCount);

// The rows of a part of a sphere, from one latitude to another, radians: surfaceCapRows + 1 of them.
void drapeSurface_SetCap(ProfileRow* rows, float radius, float height, float fromLatitude, float toLatitude);

void drapeSurface_AddBox(SurfaceWriter* writer, Vec3 halfExtents, Vec3 centre);
