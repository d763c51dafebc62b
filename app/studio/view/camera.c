// SPDX-License-Identifier: MIT
#include "studio.h"

static drapeVec3 BackOf(const OrbitCamera* camera)
{
	float c = cosf(camera->pitch);
	return V3(c * sinf(camera->yaw), sinf(camera->pitch), c * cosf(camera->yaw));
}

drapeCamera drapeOrbitCamera_Get(const OrbitCamera* camera)
{
	return (drapeCamera){.eye = V3_Along(camera->target, BackOf(camera), camera->distance),
	                     .target = camera->target,
	                     .fieldOfView = camera->fieldOfView};
}

drapeCamera drapeOrbitCamera_For(const OrbitCamera* camera, float aspect)
{
	drapeCamera made = drapeOrbitCamera_Get(camera);
	float wider = camera->ofScene ? fmaxf(FILM_ASPECT / aspect, 1.0f) : 1.0f;
	made.fieldOfView = 2.0f * atanf(tanf(0.5f * camera->fieldOfView) * wider);
	return made;
}

void drapeOrbitCamera_Set(OrbitCamera* camera, const drapeCamera* from)
{
	drapeVec3 back = V3_Sub(from->eye, from->target);
	camera->target = from->target;
	camera->distance = fmaxf(V3_Length(back), 0.01f);
	back = V3_Scale(back, 1.0f / camera->distance);
	camera->pitch = asinf(Clamp(back.y, -1.0f, 1.0f));
	camera->yaw = atan2f(back.x, back.z);
	camera->fieldOfView = from->fieldOfView;
}

void drapeOrbitCamera_Turn(OrbitCamera* camera, float dx, float dy)
{
	camera->yaw -= dx;
	camera->pitch = Clamp(camera->pitch + dy, -1.5f, 1.5f);
}

void drapeOrbitCamera_Pan(OrbitCamera* camera, float dx, float dy)
{
	drapeCamera at = drapeOrbitCamera_Get(camera);
	Lens lens = drapeLens_Make(&at, (UiRect){0, 0, 1, 1});
	float size = 2.0f * lens.slope * camera->distance;
	camera->target = V3_Along(camera->target, lens.right, -dx * size);
	camera->target = V3_Along(camera->target, lens.up, dy * size);
}

void drapeOrbitCamera_Zoom(OrbitCamera* camera, float steps)
{
	camera->distance = Clamp(camera->distance * powf(0.88f, steps), 0.02f, 1000.0f);
}

// --- lens ---

Lens drapeLens_Make(const drapeCamera* camera, UiRect rect)
{
	Lens lens = {.eye = camera->eye, .slope = tanf(0.5f * camera->fieldOfView), .rect = rect};
	lens.back = V3_Normalise(V3_Sub(camera->eye, camera->target));
	// The same axes as in the renderer.
	drapeVec3 up = fabsf(lens.back.y) > 0.999f ? V3(0.0f, 0.0f, -1.0f) : V3(0.0f, 1.0f, 0.0f);
	lens.right = V3_Normalise(V3_Cross(up, lens.back));
	lens.up = V3_Cross(lens.back, lens.right);
	return lens;
}

Ray drapeLens_Ray(const Lens* lens, UiPoint at)
{
	float half = 0.5f * lens->rect.height;
	float x = (at.x - lens->rect.x - 0.5f * lens->rect.width) / half, y = (lens->rect.y + half - at.y) / half;
	drapeVec3 direction = V3_Scale(lens->back, -1.0f);
	direction = V3_Along(direction, lens->right, x * lens->slope);
	direction = V3_Along(direction, lens->up, y * lens->slope);
	return (Ray){lens->eye, V3_Normalise(direction)};
}

bool drapeLens_Project(const Lens* lens, drapeVec3 point, UiPoint* at)
{
	drapeVec3 d = V3_Sub(point, lens->eye);
	float depth = -V3_Dot(d, lens->back);
	if (depth < 1e-4f)
		return false;
	float half = 0.5f * lens->rect.height, scale = half / (lens->slope * depth);
	*at = (UiPoint){lens->rect.x + 0.5f * lens->rect.width + scale * V3_Dot(d, lens->right),
	                lens->rect.y + half - scale * V3_Dot(d, lens->up)};
	return true;
}

float drapeLens_PixelSize(const Lens* lens, drapeVec3 point)
{
	float depth = fmaxf(-V3_Dot(V3_Sub(point, lens->eye), lens->back), 1e-4f);
	return 2.0f * lens->slope * depth / lens->rect.height;
}
