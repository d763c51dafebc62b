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

static drapeVec3 Corner(drapeBounds bounds, int i)
{
	return Vec3_Make(i & 1 ? bounds.max.x : bounds.min.x, i & 2 ? bounds.max.y : bounds.min.y,
	                 i & 4 ? bounds.max.z : bounds.min.z);
}

// Returns the distance of the eye from `target` at which the picture shows all corners.
static float Distance(drapeBounds bounds, drapeVec3 target, const ViewAxes* axes, float slopeX, float slopeY)
{
	float distance = 0.0f;
	for (int i = 0; i < 8; ++i)
	{
		drapeVec3 p = Vec3_Sub(Corner(bounds, i), target);
		float depth = Vec3_Dot(p, axes->back);
		distance = fmaxf(distance, depth + fabsf(Vec3_Dot(p, axes->right)) / slopeX);
		distance = fmaxf(distance, depth + fabsf(Vec3_Dot(p, axes->up)) / slopeY);
	}
	return distance;
}

// Moves the target so that the margins at both sides of the picture are equal.
static drapeVec3 Centre(drapeBounds bounds, drapeVec3 target, const ViewAxes* axes, float distance)
{
	float minX = INFINITY, maxX = -INFINITY, minY = INFINITY, maxY = -INFINITY;
	for (int i = 0; i < 8; ++i)
	{
		drapeVec3 p = Vec3_Sub(Corner(bounds, i), target);
		float depth = distance - Vec3_Dot(p, axes->back);
		float x = Vec3_Dot(p, axes->right) / depth, y = Vec3_Dot(p, axes->up) / depth;
		minX = fminf(minX, x);
		maxX = fmaxf(maxX, x);
		minY = fminf(minY, y);
		maxY = fmaxf(maxY, y);
	}
	target = Vec3_Along(target, axes->right, 0.5f * (minX + maxX) * distance);
	return Vec3_Along(target, axes->up, 0.5f * (minY + maxY) * distance);
}

drapeCamera drapeCamera_Frame(drapeBounds bounds, float aspect)
{
	drapeCamera camera = {.eye = {1.0f, 1.0f, 3.0f}, .target = {0.0f, 0.0f, 0.0f}, .fieldOfView = 0.5f};
	if (!(bounds.min.x <= bounds.max.x))
		return camera;
	const float margin = 0.86f; // used share of the picture
	float slopeY = tanf(0.5f * camera.fieldOfView) * margin, slopeX = slopeY * aspect;
	ViewAxes axes = ViewAxes_From(Vec3_Make(0.42f, 0.36f, 0.84f));
	camera.target = Vec3_Scale(Vec3_Add(bounds.min, bounds.max), 0.5f);
	float distance = 0.0f;
	for (int i = 0; i < 4; ++i)
	{
		distance = fmaxf(Distance(bounds, camera.target, &axes, slopeX, slopeY), 0.05f);
		camera.target = Centre(bounds, camera.target, &axes, distance);
	}
	distance = fmaxf(Distance(bounds, camera.target, &axes, slopeX, slopeY), 0.05f);
	camera.eye = Vec3_Along(camera.target, axes.back, distance);
	return camera;
}
