// SPDX-License-Identifier: MIT
#include "studio.h"

#include <string.h>

// --- triangles ---

bool drapeRay_HitsTriangle(Ray ray, drapeVec3 a, drapeVec3 b, drapeVec3 c, float* distance)
{
	drapeVec3 ab = V3_Sub(b, a), ac = V3_Sub(c, a), p = V3_Cross(ray.direction, ac);
	float determinant = V3_Dot(ab, p);
	if (fabsf(determinant) < 1e-14f)
		return false;
	drapeVec3 s = V3_Sub(ray.origin, a), q = V3_Cross(s, ab);
	float u = V3_Dot(s, p) / determinant, v = V3_Dot(ray.direction, q) / determinant;
	float t = V3_Dot(ac, q) / determinant;
	if (u < 0.0f || v < 0.0f || u + v > 1.0f || t <= 0.0f || t >= *distance)
		return false;
	*distance = t;
	return true;
}

// --- shapes ---

// Marches along the ray: each step is the distance from the surface.
bool drapeRay_HitsShape(Ray ray, const drapeDrawnShape* shape, float* distance)
{
	float at = 0.0f;
	for (int i = 0; i < 200 && at < *distance; ++i)
	{
		drapeVec3 p = drapeTransform_InversePoint(shape->transform, Ray_At(ray, at));
		float gap = drapeColliderShape_GetDistance(&shape->def, p, NULL) * shape->transform.scale;
		if (gap < 5e-4f)
		{
			*distance = at;
			return true;
		}
		at += gap;
	}
	return false;
}

// --- the scene ---

static bool HitCloth(Ray ray, const FrameCloth* cloth, float* distance)
{
	bool hit = false;
	const drapeClothView* view = &cloth->view;
	for (uint32_t i = 0; i < view->triangleCount; ++i)
	{
		const uint32_t* t = &view->triangles[3 * (size_t)i];
		hit |= drapeRay_HitsTriangle(ray, V3_From4(view->positions[t[0]]), V3_From4(view->positions[t[1]]),
		                             V3_From4(view->positions[t[2]]), distance);
	}
	return hit;
}

static bool HitTriangles(Ray ray, const drapeVec3* positions, const uint32_t* triangles, uint32_t triangleCount,
                         float* distance)
{
	bool hit = false;
	for (uint32_t i = 0; i < triangleCount; ++i)
	{
		const uint32_t* t = &triangles[3 * (size_t)i];
		hit |= drapeRay_HitsTriangle(ray, positions[t[0]], positions[t[1]], positions[t[2]], distance);
	}
	return hit;
}

static bool HitObject(Ray ray, const drapeMesh* mesh, drapeTransform transform, float* distance)
{
	// In the mesh's own space lengths are divided by the scale.
	drapeVec3 origin = drapeTransform_InversePoint(transform, ray.origin);
	drapeVec3 ahead = drapeTransform_InversePoint(transform, Ray_At(ray, 1.0f));
	Ray local = {origin, V3_Normalise(V3_Sub(ahead, origin))};
	float least = *distance / transform.scale;
	bool hit = HitTriangles(local, mesh->positions, mesh->triangles, mesh->triangleCount, &least);
	*distance = hit ? least * transform.scale : *distance;
	return hit;
}

static bool HitCollider(Ray ray, const FrameShape* shape, float* distance)
{
	if (!drapeColliderShape_GetInfo(shape->shape.def.shape)->isMesh)
		return drapeRay_HitsShape(ray, &shape->shape, distance);
	return HitTriangles(ray, shape->mesh.positions, shape->mesh.triangles, shape->mesh.triangleCount, distance);
}

Pick drapePick_At(Studio* studio, Ray ray)
{
	const drapeScene* scene = studio->document.scene;
	Pick pick = {.distance = 1e6f};
	for (uint32_t i = 0; i < scene->clothCount; ++i)
	{
		const FrameCloth* cloth = drapeStudio_FrameCloth(studio, i);
		if (cloth && HitCloth(ray, cloth, &pick.distance))
			pick.item = (Item){item_cloth, i};
	}
	for (uint32_t i = 0; i < scene->colliderCount && i < studio->frame->shapeCount; ++i)
		if (HitCollider(ray, &studio->frame->shapes[i], &pick.distance))
			pick.item = (Item){item_collider, i};
	for (uint32_t i = 0; i < scene->objectCount; ++i)
	{
		const ObjectMesh* mesh =
			drapeObjects_Get(&studio->objects, &scene->objects[i], drapeStudio_Time(studio), &studio->messages);
		if (mesh &&
		    HitObject(ray, &mesh->obj.mesh, drapeScenePose_GetTransform(scene->objects[i].pose), &pick.distance))
			pick.item = (Item){item_object, i};
	}
	pick.point = Ray_At(ray, pick.distance);
	return pick;
}
