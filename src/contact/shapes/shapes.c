// SPDX-License-Identifier: MIT
#include "contact/shapes/shape_class.h"

#include "base/checks/values.h"

#include <stdio.h>

// The table of collider shapes and everything that is the same for all of them.

// --- tables ---------------------------------------------------------------------------------------------------------

#define MEASURE(member, type, title, text)                                                                             \
	.key = #member, .label = title, .unit = "m", .help = text, .kind = type,                                           \
	.offset = offsetof(drapeColliderDef, member), .low = 0.0, .high = 1e6, .isAbove = true, .initial = 1.0,            \
	.step = 0.002

// Zero is a valid length for the library, so that a disc is a flat cylinder. Scenes exclude it.
const Measure drapeMeasures[measureCount] = {
	[measureRadius] = {.parameter = {MEASURE(
						   radius, drape_parameterFloat, "Radius",
						   "radius of a sphere, capsule or cylinder, or of the lower end of a tapered capsule")},
                       .isPositive = true},
	[measureTopRadius] = {.parameter = {MEASURE(topRadius, drape_parameterFloat, "Top radius",
                                                "radius of the upper end of a tapered capsule")},
                          .isPositive = true},
	[measureHalfHeight] = {.parameter = {MEASURE(halfHeight, drape_parameterFloat, "Half height",
                                                 "half height of a cylinder, or of a capsule without its caps")}},
	[measureHalfExtents] = {.parameter = {MEASURE(halfExtents, drape_parameterVec3, "Half size",
                                                  "half sides of a box, all greater than 0")}},
};

// Triangles have their own code (mesh_shape.h); only the description is here.
static const ShapeClass meshClass = {.info = {.key = "mesh", .label = "Mesh", .isBounded = true, .isMesh = true}};

// By drapeColliderShape.
static const ShapeClass* const classes[] = {
	[drape_shapeSphere] = &drapeSphereClass,
	[drape_shapeCapsule] = &drapeCapsuleClass,
	[drape_shapeCylinder] = &drapeCylinderClass,
	[drape_shapeBox] = &drapeBoxClass,
	[drape_shapePlane] = &drapePlaneClass,
	[drape_shapeMesh] = &meshClass,
	[drape_shapeTaperedCapsule] = &drapeTaperedCapsuleClass,
};

enum
{
	classCount = sizeof classes / sizeof classes[0],
};

static const ShapeClass* ClassOf(const drapeColliderDef* def)
{
	DRAPE_ASSERT((unsigned)def->shape < classCount);
	const ShapeClass* class = classes[def->shape];
	DRAPE_ASSERT(!class->info.isMesh);
	return class;
}

const drapeColliderShapeInfo* drapeColliderShape_GetInfo(drapeColliderShape shape)
{
	return (unsigned)shape < classCount ? &classes[shape]->info : NULL;
}

const drapeParameter* drapeColliderShape_GetMeasure(uint32_t index)
{
	return index < measureCount ? &drapeMeasures[index].parameter : NULL;
}

// Functions of shapes have no world: a debug build asserts with the sentence.
static bool HasDef(const drapeColliderDef* def)
{
	return def || drapeRefuse(NULL, "def is NULL") == drape_ok;
}

float* drapeColliderShape_GetMeasureValues(const drapeParameter* measure, drapeColliderDef* def, uint32_t* count)
{
	if (count)
		*count = 0;
	if (!measure || !def || !count)
	{
		drapeRefuse(NULL, "%s is NULL", !measure ? "measure" : !def ? "def" : "count");
		return NULL;
	}
	DRAPE_ASSERT(measure->offset % sizeof(float) == 0);
	*count = measure->kind == drape_parameterVec3 ? 3 : 1;
	DRAPE_ASSERT(measure->offset + *count * sizeof(float) <= sizeof *def);
	return (float*)(void*)((char*)def + measure->offset);
}

// --- closest points -------------------------------------------------------------------------------------------------

Closest drapeShape_Closest(const drapeColliderDef* def, Vec3 local)
{
	Double3 p = {(double)local.x, (double)local.y, (double)local.z};
	ShapeDistance found = ClassOf(def)->distance(def, p);
	Double3 n = found.normal;
	double d = found.distance;
	return (Closest){
		.point = {(float)(p.x - d * n.x), (float)(p.y - d * n.y), (float)(p.z - d * n.z)},
		.normal = {(float)n.x, (float)n.y, (float)n.z},
		.distance = (float)d,
	};
}

float drapeColliderShape_GetDistance(const drapeColliderDef* def, drapeVec3 point, drapeVec3* normal)
{
	const drapeColliderShapeInfo* info = HasDef(def) ? drapeColliderShape_GetInfo(def->shape) : NULL;
	if (!info || info->isMesh)
		return INFINITY;
	Closest closest = drapeShape_Closest(def, point);
	if (normal)
		*normal = closest.normal;
	return closest.distance;
}

bool drapeShape_Contains(const drapeColliderDef* def, Vec3 local)
{
	return ClassOf(def)->contains(def, local);
}

void drapeShape_ClosestWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal)
{
	ClassOf(def)->closestWide(def, local, distance, normal);
}

float drapeShape_BoundingRadius(const drapeColliderDef* def)
{
	return ClassOf(def)->boundingRadius(def);
}

// --- along a direction ----------------------------------------------------------------------------------------------

// The distance to a convex shape is a convex function along the segment. So Newton's method, started at the beginning,
// approaches the entry from the left and never passes it: the tangent lies below the curve. Once the distance no longer
// falls, the segment is past its closest approach. At a graze, where the root is double, each step still divides the
// distance by four.
bool drapeShape_Sweep(const drapeColliderDef* def, float margin, Vec3 from, Vec3 to, float* fraction, Vec3* normal)
{
	DRAPE_ASSERT(margin >= 0.0f && fraction && normal);
	const ShapeClass* class = ClassOf(def);
	Double3 start = {(double)from.x, (double)from.y, (double)from.z};
	Double3 displacement = {(double)to.x - start.x, (double)to.y - start.y, (double)to.z - start.z};
	double tolerance = 1e-12 * (1.0 + sqrt(D3Dot(start, start)) + sqrt(D3Dot(displacement, displacement)));
	// The last normal against the displacement: rounding may put the last step just inside.
	Double3 facing = {0.0, 1.0, 0.0};
	double t = 0.0;
	for (int i = 0; i < 64; ++i)
	{
		Double3 p = {start.x + t * displacement.x, start.y + t * displacement.y, start.z + t * displacement.z};
		ShapeDistance at = class->distance(def, p);
		double gap = at.distance - (double)margin, slope = D3Dot(at.normal, displacement);
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

float drapeShape_Exit(const drapeColliderDef* def, Vec3 local, Vec3 direction, float size)
{
	const ShapeClass* class = ClassOf(def);
	if (class->exit)
		return class->exit(def, local, direction);
	DRAPE_ASSERT(size < INFINITY);
	float in = 0.0f, out = size;
	if (!class->contains(def, local))
		return 0.0f;
	for (int i = 0; i < 24; ++i)
	{
		float middle = 0.5f * (in + out);
		if (class->contains(def, V3Add(local, V3Scale(middle, direction))))
			in = middle;
		else
			out = middle;
	}
	return out;
}

// --- validity -------------------------------------------------------------------------------------------------------

static bool IsSize(float x)
{
	return x >= 0.0f && x <= 1e9f; // so that no square overflows
}

static drapeResult CheckMeasure(drapeColliderDef def, const Measure* measure, drapeMessage* message)
{
	static const char* const axes[] = {".x", ".y", ".z"};
	uint32_t count;
	const float* values = drapeColliderShape_GetMeasureValues(&measure->parameter, &def, &count);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!IsSize(values[i]) || (measure->isPositive && values[i] == 0.0f))
			return drapeRefuse(message, "%s%s is %g, expected a number %s to 1e9 m", measure->parameter.key,
			                   count > 1 ? axes[i] : "", (double)values[i],
			                   measure->isPositive ? "above 0 and up" : "from 0");
	}
	return drape_ok;
}

static bool HasMeasure(const drapeColliderShapeInfo* info, const Measure* measure)
{
	for (uint32_t i = 0; i < info->measureCount; ++i)
	{
		if (info->measures[i] == &measure->parameter)
			return true;
	}
	return false;
}

static drapeResult RefuseShape(unsigned shape, drapeMessage* message)
{
	char words[128] = "";
	for (int i = 0, length = 0; i < classCount && length < (int)sizeof words; ++i)
		length +=
			snprintf(words + length, sizeof words - (size_t)length, "%s%s", i > 0 ? "|" : "", classes[i]->info.key);
	return drapeRefuse(message, "shape is %u, expected one of %s", shape, words);
}

drapeResult drapeShape_Check(const drapeColliderDef* def, drapeMessage* message)
{
	DRAPE_ASSERT(def);
	const drapeColliderShapeInfo* info = drapeColliderShape_GetInfo(def->shape);
	drapeResult result = info ? drape_ok : RefuseShape((unsigned)def->shape, message);
	for (int i = 0; i < measureCount && result == drape_ok; ++i)
	{
		if (HasMeasure(info, &drapeMeasures[i]))
			result = CheckMeasure(*def, &drapeMeasures[i], message);
	}
	return result;
}

bool drapeColliderShape_FitBox(drapeColliderDef* def, drapeVec3 halfExtents)
{
	if (!HasDef(def) || !drapeColliderShape_GetInfo(def->shape) || !classes[def->shape]->fit)
		return false;
	if (!IsSize(halfExtents.x) || !IsSize(halfExtents.y) || !IsSize(halfExtents.z))
		return drapeRefuse(NULL, "halfExtents is (%g, %g, %g), expected numbers from 0 to 1e9 m", (double)halfExtents.x,
		                   (double)halfExtents.y, (double)halfExtents.z) == drape_ok;
	const float least = 1e-3f;
	classes[def->shape]->fit(
		def, (Vec3){MaxNumF(halfExtents.x, least), MaxNumF(halfExtents.y, least), MaxNumF(halfExtents.z, least)});
	return true;
}

// --- colliders during a step ----------------------------------------------------------------------------------------

drapeTransform drapeCollider_At(const Collider* collider, float fraction)
{
	DRAPE_ASSERT(fraction <= 1.0f);
	if (fraction <= 0.0f)
		return collider->from;
	return drapeTransform_Interpolate(collider->from, collider->to, fraction);
}

bool drapeShape_AddVertices(ContactBodies* bodies, const Collider* collider, const Vec3* local, uint32_t count)
{
	uint32_t first = bodies->from.count;
	if (!drapeContactBodies_AddVertices(bodies, count))
		return false;
	DRAPE_ASSERT(bodies->from.count == first + count && bodies->to.count == first + count);
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 from = drapeTransform_Point(collider->from, local[i]), to = drapeTransform_Point(collider->to, local[i]);
		bodies->from.data[first + i] = (Vec4){from.x, from.y, from.z, 0.0f};
		bodies->to.data[first + i] = (Vec4){to.x, to.y, to.z, 0.0f};
	}
	return true;
}

bool drapeShape_AddElement(ContactBodies* bodies, uint32_t a, uint32_t b, uint32_t c, uint32_t owns)
{
	DRAPE_ASSERT(owns < 2 * ownsFace);
	if (!drapeContactBodies_AddElements(bodies, 1))
		return false;
	ContactElement* element = &bodies->elements.data[bodies->elements.count - 1];
	const ContactBody* body = &bodies->bodies.data[element->body];
	DRAPE_ASSERT(body->vertexStart + MaxU32(a, MaxU32(b, c)) < body->vertexEnd);
	element->vertex[0] = body->vertexStart + a;
	element->vertex[1] = body->vertexStart + b;
	element->vertex[2] = body->vertexStart + c;
	element->owns = (uint8_t)owns;
	return true;
}

bool drapeCollider_Join(const Collider* collider, ContactBodies* bodies)
{
	const ShapeClass* class = ClassOf(&collider->def);
	ContactBody body = {.friction = collider->def.friction, .filter = ContactFilter_Make(collider->def.filter)};
	if (class->elementRadius)
		body.radius = class->elementRadius(&collider->def) * MaxNumF(collider->from.scale, collider->to.scale);
	DRAPE_ASSERT(body.radius >= 0.0f);
	if (!drapeContactBodies_Begin(bodies, &body))
		return false;
	return !class->addElements || class->addElements(collider, bodies);
}

void drapeShape_ShrinkToElements(drapeColliderDef* def)
{
	const ShapeClass* class = ClassOf(def);
	if (class->shrinkToElements)
		class->shrinkToElements(def);
}

// --- triangles inside -----------------------------------------------------------------------------------------------

bool drapeIntrusion_Find(const drapeColliderDef* def, const Vec3 triangle[3], float slop, Intrusion* intrusion)
{
	DRAPE_ASSERT(slop >= 0.0f);
	Intrusion unused, *found = intrusion ? intrusion : &unused;
	found->count = 0;
	if (!ClassOf(def)->intrude(def, triangle, (double)slop, found))
		return false;
	DRAPE_ASSERT(found->count > 0 && found->count < intrusionMaxPoints);
	// Ends of chords are on the surface; the points between them are inside.
	Double3 sum = {0.0, 0.0, 0.0};
	for (uint32_t i = 0; i < found->count; ++i)
		sum = D3Add(sum, D3(found->point[i]));
	drapeIntrusion_Add(found, D3Scale(1.0 / found->count, sum));
	return true;
}

// --- surfaces for drawing -------------------------------------------------------------------------------------------

static void AddVertex(SurfaceWriter* writer, Vec3 position, Vec3 normal)
{
	size_t at = writer->vertexCount++ * writer->stride;
	if (writer->positions)
		*(Vec3*)(void*)(writer->positions + at) = position;
	if (writer->normals)
		*(Vec3*)(void*)(writer->normals + at) = normal;
}

static void AddTriangle(SurfaceWriter* writer, uint32_t a, uint32_t b, uint32_t c)
{
	DRAPE_ASSERT(a < writer->vertexCount && b < writer->vertexCount && c < writer->vertexCount);
	uint32_t* corners = writer->triangles ? writer->triangles + 3 * (size_t)writer->triangleCount : NULL;
	writer->triangleCount++;
	if (!corners)
		return;
	corners[0] = a;
	corners[1] = b;
	corners[2] = c;
}

// The first and the last column coincide.
void drapeSurface_AddProfile(SurfaceWriter* writer, const ProfileRow* rows, uint32_t rowCount)
{
	DRAPE_ASSERT(rowCount >= 2);
	const uint32_t across = surfaceSides + 1, first = writer->vertexCount;
	if (!writer->positions)
	{
		writer->vertexCount += rowCount * across;
		writer->triangleCount += 2 * (rowCount - 1) * surfaceSides;
		return;
	}
	for (uint32_t i = 0; i < rowCount * across; ++i)
	{
		const ProfileRow* row = &rows[i / across];
		float angle = 6.28318531f * (float)(i % across) / surfaceSides, s = Math_SinF(angle), c = Math_CosF(angle);
		AddVertex(writer, (Vec3){row->radius * s, row->height, row->radius * c},
		          (Vec3){row->normalOut * s, row->normalUp, row->normalOut * c});
	}
	for (uint32_t i = 0; i < (rowCount - 1) * surfaceSides; ++i)
	{
		uint32_t a = first + i / surfaceSides * across + i % surfaceSides;
		AddTriangle(writer, a, a + 1, a + across);
		AddTriangle(writer, a + 1, a + across + 1, a + across);
	}
}

void drapeSurface_SetCap(ProfileRow* rows, float radius, float height, float fromLatitude, float toLatitude)
{
	DRAPE_ASSERT(fromLatitude <= toLatitude);
	for (int i = 0; i <= surfaceCapRows; ++i)
	{
		float angle = fromLatitude + (toLatitude - fromLatitude) * ((float)i / surfaceCapRows);
		rows[i] = (ProfileRow){radius * Math_CosF(angle), height + radius * Math_SinF(angle), Math_CosF(angle),
		                       Math_SinF(angle)};
	}
}

void drapeSurface_AddBox(SurfaceWriter* writer, Vec3 halfExtents, Vec3 centre)
{
	const float size[3] = {halfExtents.x, halfExtents.y, halfExtents.z};
	for (uint32_t face = 0; face < 6; ++face)
	{
		uint32_t first = writer->vertexCount, axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
		float sign = face % 2 ? 1.0f : -1.0f;
		for (uint32_t i = 0; i < 4; ++i)
		{
			float p[3], n[3] = {0.0f, 0.0f, 0.0f};
			n[axis] = sign;
			p[axis] = sign * size[axis];
			p[u] = (i & 1 ? sign : -sign) * size[u];
			p[v] = (i & 2 ? 1.0f : -1.0f) * size[v];
			AddVertex(writer, V3Add(centre, (Vec3){p[0], p[1], p[2]}), (Vec3){n[0], n[1], n[2]});
		}
		AddTriangle(writer, first, first + 1, first + 2);
		AddTriangle(writer, first + 1, first + 3, first + 2);
	}
}

static void WriteSurface(const drapeColliderDef* def, float inset, SurfaceWriter* writer)
{
	DRAPE_ASSERT(inset >= 0.0f);
	if (drapeColliderShape_GetInfo(def->shape) && classes[def->shape]->surface)
		classes[def->shape]->surface(def, inset, writer);
}

drapeColliderSurfaceSize drapeColliderShape_GetSurfaceSize(const drapeColliderDef* def)
{
	SurfaceWriter writer = {0};
	if (HasDef(def))
		WriteSurface(def, 0.0f, &writer);
	return (drapeColliderSurfaceSize){writer.vertexCount, writer.triangleCount};
}

static drapeResult CheckSurface(float inset, const void* positions, const void* normals, size_t stride,
                                const uint32_t* triangles)
{
	if (!(inset >= 0.0f))
		return drapeRefuse(NULL, "inset is %g, expected a number of at least 0 m", (double)inset);
	if (stride < sizeof(drapeVec3))
		return drapeRefuse(NULL, "stride is %zu bytes, expected at least %zu", stride, sizeof(drapeVec3));
	if (positions && normals && triangles)
		return drape_ok;
	return drapeRefuse(NULL, "%s is NULL", !positions ? "positions" : !normals ? "normals" : "triangles");
}

void drapeColliderShape_WriteSurface(const drapeColliderDef* def, float inset, drapeVec3* positions, drapeVec3* normals,
                                     size_t stride, uint32_t* triangles)
{
	if (!HasDef(def) || CheckSurface(inset, positions, normals, stride, triangles) != drape_ok)
		return;
	SurfaceWriter writer = {
		.positions = (char*)positions, .normals = (char*)normals, .stride = stride, .triangles = triangles};
	WriteSurface(def, inset, &writer);
}
