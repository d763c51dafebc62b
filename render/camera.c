// SPDX-License-Identifier: MIT
#include "linear.h"
#include "render.h"

drapeBounds drapeBounds_Empty(void)
{
	return (drapeBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

drapeBounds drapeBounds_Union(drapeBounds a, drapeBounds b)
{
	return (drapeBounds){Vec3_Min(a.min, b.min), Vec3_Max(a.max, b.max)};
}

drapeBounds drapePicture_GetBounds(const drapePicture* picture)
{
	// A plane is unbounded: the bounds of other objects show it.
	drapeBounds bounds = drapeBounds_Empty();
	if (!picture)
		return bounds;
	Geometry geometry = {0};
	drapePicture shown = *picture;
	shown.view = picture->view == drape_viewHierarchy ? drape_viewHierarchy : drape_viewShaded;
	drapeGeometry_AddPicture(&geometry, &shown);
	for (uint32_t i = 0; !geometry.failed && i < geometry.vertexCount; ++i)
	{
		drapeVec3 p = geometry.vertices[i].position;
		bounds = drapeBounds_Union(bounds, (drapeBounds){p, p});
	}
	drapeGeometry_Free(&geometry);
	return bounds;
}

// --- framing --------------------------------------------------------------------------------------------------------

enum
{
	cornerCount = 8,
};

static drapeVec3 Corner(drapeBounds bounds, int i)
{
	return Vec3_Make(i & 1 ? bounds.max.x : bounds.min.x, i & 2 ? bounds.max.y : bounds.min.y,
	                 i & 4 ? bounds.max.z : bounds.min.z);
}

// The automatic camera looks from slightly above and from the side.
static ViewAxes AutomaticAxes(void)
{
	return ViewAxes_From(Vec3_Make(0.42f, 0.36f, 0.84f));
}

static drapeVec3 ToView(const ViewAxes* axes, drapeVec3 p)
{
	return Vec3_Make(Vec3_Dot(p, axes->right), Vec3_Dot(p, axes->up), Vec3_Dot(p, axes->back));
}

static drapeVec3 FromView(const ViewAxes* axes, drapeVec3 p)
{
	return Vec3_Along(Vec3_Along(Vec3_Scale(axes->right, p.x), axes->up, p.y), axes->back, p.z);
}

// Returns the distance of the eye from `target` at which the picture shows all points. Points and target are in the axes of
// the view, as below.
static float Distance(const drapeVec3* points, drapeVec3 target, float slopeX, float slopeY)
{
	float distance = 0.0f;
	for (int i = 0; i < cornerCount; ++i)
	{
		drapeVec3 p = Vec3_Sub(points[i], target);
		distance = fmaxf(distance, p.z + fabsf(p.x) / slopeX);
		distance = fmaxf(distance, p.z + fabsf(p.y) / slopeY);
	}
	return fmaxf(distance, 0.05f);
}

// Moves the target so that the margins at both sides of the picture are equal.
static drapeVec3 Centre(const drapeVec3* points, drapeVec3 target, float distance)
{
	float minX = INFINITY, maxX = -INFINITY, minY = INFINITY, maxY = -INFINITY;
	for (int i = 0; i < cornerCount; ++i)
	{
		drapeVec3 p = Vec3_Sub(points[i], target);
		float x = p.x / (distance - p.z), y = p.y / (distance - p.z);
		minX = fminf(minX, x);
		maxX = fmaxf(maxX, x);
		minY = fminf(minY, y);
		maxY = fmaxf(maxY, y);
	}
	return Vec3_Make(target.x + 0.5f * (minX + maxX) * distance, target.y + 0.5f * (minY + maxY) * distance, target.z);
}

static drapeCamera FramePoints(const drapeVec3* points, const ViewAxes* axes, float aspect)
{
	const float margin = 0.86f; // used share of the picture
	drapeCamera camera = {.fieldOfView = 0.5f};
	float slopeY = tanf(0.5f * camera.fieldOfView) * margin, slopeX = slopeY * aspect;
	drapeVec3 target = Vec3_Scale(Vec3_Add(points[0], points[cornerCount - 1]), 0.5f);
	for (int i = 0; i < 4; ++i)
		target = Centre(points, target, Distance(points, target, slopeX, slopeY));
	camera.target = FromView(axes, target);
	camera.eye = Vec3_Along(camera.target, axes->back, Distance(points, target, slopeX, slopeY));
	return camera;
}

static bool IsEmpty(drapeBounds bounds)
{
	return !(bounds.min.x <= bounds.max.x);
}

static drapeCamera CameraAtOrigin(void)
{
	return (drapeCamera){.eye = {1.0f, 1.0f, 3.0f}, .target = {0.0f, 0.0f, 0.0f}, .fieldOfView = 0.5f};
}

drapeCamera drapeCamera_Frame(drapeBounds bounds, float aspect)
{
	if (IsEmpty(bounds))
		return CameraAtOrigin();
	ViewAxes axes = AutomaticAxes();
	drapeVec3 points[cornerCount];
	for (int i = 0; i < cornerCount; ++i)
		points[i] = ToView(&axes, Corner(bounds, i));
	return FramePoints(points, &axes, aspect);
}

drapeCamera drapeCamera_FrameSubject(drapeBounds subject, float aspect)
{
	if (IsEmpty(subject))
		return CameraAtOrigin();
	ViewAxes axes = AutomaticAxes();
	drapeVec3 points[cornerCount];
	for (int i = 0; i < cornerCount; ++i)
		points[i] = Corner(subject, i);
	return FramePoints(points, &axes, aspect);
}

// --- the subject ----------------------------------------------------------------------------------------------------

// Bounds in the axes of the automatic camera; empty if memory runs out.
static drapeBounds ViewBounds(const drapePicture* picture)
{
	drapeBounds bounds = drapeBounds_Empty();
	ViewAxes axes = AutomaticAxes();
	Geometry geometry = {0};
	drapeGeometry_AddPicture(&geometry, picture);
	for (uint32_t i = 0; !geometry.failed && i < geometry.vertexCount; ++i)
	{
		drapeVec3 p = ToView(&axes, geometry.vertices[i].position);
		bounds = drapeBounds_Union(bounds, (drapeBounds){p, p});
	}
	drapeGeometry_Free(&geometry);
	return bounds;
}

static float Extent(drapeBounds bounds)
{
	drapeVec3 size = Vec3_Sub(bounds.max, bounds.min);
	return fmaxf(size.x, fmaxf(size.y, size.z));
}

// The subject with another thing. A thing that is much larger than the cloth, such as a wall, counts only near the cloth.
static drapeBounds Join(drapeBounds subject, drapeBounds cloth, drapeBounds thing)
{
	const float large = 6.0f, reach = 0.6f; // shares of the cloth's extent
	if (IsEmpty(thing) || Extent(thing) <= large * Extent(cloth))
		return drapeBounds_Union(subject, thing);
	float most = reach * Extent(cloth);
	drapeVec3 margin = Vec3_Make(most, most, most);
	thing.min = Vec3_Max(thing.min, Vec3_Sub(cloth.min, margin));
	thing.max = Vec3_Min(thing.max, Vec3_Add(cloth.max, margin));
	bool isNear = thing.min.x <= thing.max.x && thing.min.y <= thing.max.y && thing.min.z <= thing.max.z;
	return isNear ? drapeBounds_Union(subject, thing) : subject;
}

drapeBounds drapePicture_GetSubject(const drapePicture* picture)
{
	if (!picture)
		return drapeBounds_Empty();
	drapePicture shown = *picture;
	if (picture->view == drape_viewHierarchy)
		return ViewBounds(&shown);
	shown.view = drape_viewShaded;
	if (picture->clothCount == 0)
		return ViewBounds(&shown);
	shown.shapeCount = shown.meshCount = 0;
	drapeBounds cloth = ViewBounds(&shown), subject = cloth;
	if (IsEmpty(cloth))
		return cloth;
	shown.clothCount = 0;
	for (uint32_t i = 0; i < picture->shapeCount; ++i)
	{
		shown.shapes = &picture->shapes[i];
		shown.shapeCount = 1;
		subject = Join(subject, cloth, ViewBounds(&shown));
	}
	shown.shapeCount = 0;
	for (uint32_t i = 0; i < picture->meshCount; ++i)
	{
		shown.meshes = &picture->meshes[i];
		shown.meshCount = 1;
		subject = Join(subject, cloth, ViewBounds(&shown));
	}
	return subject;
}
