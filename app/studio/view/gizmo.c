// SPDX-License-Identifier: MIT
#include "studio.h"

// Handles of the selected item, drawn over the picture: 1, 2 and 3 for the axes of the world, 4 for free movement.

enum
{
	ringPoints = 49,
	freeHandle = 4
};

static const float reach = 92.0f; // length of an axis, pixels
static const UiColour axisColours[3] = {0xe5645cffu, 0x76c47bffu, 0x5f9ceaffu};
static const float snapLength = 0.05f, snapAngle = 0.26179939f; // m, radians; with the Control key

static drapeVec3 Axis(int i)
{
	return V3(i == 0, i == 1, i == 2);
}

static float SegmentDistance(UiPoint p, UiPoint a, UiPoint b)
{
	float dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
	float t = length > 0.0f ? Clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0f, 1.0f) : 0.0f;
	return hypotf(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// --- mouse position on a handle ---

// The coordinate along the axis through `centre` of the point nearest to the ray, m.
static float AlongAxis(Ray ray, drapeVec3 centre, drapeVec3 axis)
{
	drapeVec3 w = V3_Sub(ray.origin, centre);
	float b = V3_Dot(ray.direction, axis), d = V3_Dot(ray.direction, w), e = V3_Dot(axis, w);
	float denominator = 1.0f - b * b;
	return denominator > 1e-4f ? (e - b * d) / denominator : 0.0f;
}

// The angle about the axis of the point where the ray meets the plane of the ring, radians.
static float AboutAxis(const Lens* lens, Ray ray, drapeVec3 centre, int i)
{
	drapeVec3 axis = Axis(i), u = Axis((i + 1) % 3), v = Axis((i + 2) % 3);
	float slope = V3_Dot(ray.direction, axis);
	if (fabsf(slope) < 0.05f)
	{
		// The ring is seen from the side: use the horizontal position.
		drapeVec3 side = V3_Cross(axis, lens->back);
		return V3_Dot(V3_Sub(Ray_At(ray, V3_Distance(lens->eye, centre)), centre), side) /
		       (reach * drapeLens_PixelSize(lens, centre));
	}
	drapeVec3 hit = V3_Sub(Ray_At(ray, V3_Dot(V3_Sub(centre, ray.origin), axis) / slope), centre);
	return atan2f(V3_Dot(hit, v), V3_Dot(hit, u));
}

static drapeVec3 OnViewPlane(const Lens* lens, Ray ray, drapeVec3 centre)
{
	float slope = V3_Dot(ray.direction, lens->back);
	return Ray_At(ray, V3_Dot(V3_Sub(centre, ray.origin), lens->back) / (slope != 0.0f ? slope : -1.0f));
}

// --- drawing and picking ---

typedef struct Handles
{
	const Lens* lens;
	drapeVec3 centre;
	UiPoint at;   // the centre in the window
	float length; // m, of an axis
	UiPoint mouse;
	int nearest; // handle under the mouse
	float least; // pixels
	int lit;     // handle to draw bright
} Handles;

static void Consider(Handles* handles, int handle, float distance)
{
	if (distance < handles->least)
	{
		handles->least = distance;
		handles->nearest = handle;
	}
}

static UiColour ColourOf(const Handles* handles, int handle)
{
	UiColour colour = handle == freeHandle ? 0xf2f3f5ffu : axisColours[handle - 1];
	return handles->lit == handle ? 0xffd27affu : colour;
}

static void ShowArrow(Handles* handles, int i, bool cube)
{
	UiPoint end;
	if (!drapeLens_Project(handles->lens, V3_Along(handles->centre, Axis(i), handles->length), &end))
		return;
	UiColour colour = ColourOf(handles, i + 1);
	float dx = end.x - handles->at.x, dy = end.y - handles->at.y, length = hypotf(dx, dy);
	drapeUi_Line(handles->at, end, colour, 3.0f);
	if (cube)
		drapeUi_FillRect((UiRect){end.x - 5, end.y - 5, 10, 10}, colour, 2);
	else if (length > 8.0f)
	{
		dx /= length;
		dy /= length;
		const UiPoint tip[3] = {{end.x + 9 * dx, end.y + 9 * dy},
		                        {end.x - 5 * dx - 6 * dy, end.y - 5 * dy + 6 * dx},
		                        {end.x - 5 * dx + 6 * dy, end.y - 5 * dy - 6 * dx}};
		drapeUi_FillPolygon(tip, 3, colour);
	}
	Consider(handles, i + 1, SegmentDistance(handles->mouse, handles->at, end));
}

static void ShowRing(Handles* handles, int i)
{
	UiPoint points[ringPoints];
	drapeVec3 u = Axis((i + 1) % 3), v = Axis((i + 2) % 3);
	for (int k = 0; k < ringPoints; ++k)
	{
		float angle = 6.28318531f * (float)k / (ringPoints - 1);
		drapeVec3 p = V3_Along(handles->centre, u, handles->length * cosf(angle));
		if (!drapeLens_Project(handles->lens, V3_Along(p, v, handles->length * sinf(angle)), &points[k]))
			return;
	}
	drapeUi_Polyline(points, ringPoints, ColourOf(handles, i + 1), 2.5f);
	for (int k = 0; k + 1 < ringPoints; ++k)
		Consider(handles, i + 1, SegmentDistance(handles->mouse, points[k], points[k + 1]));
}

static void ShowHandles(Handles* handles, Tool tool)
{
	for (int i = 0; i < 3; ++i)
	{
		if (tool == tool_rotate)
			ShowRing(handles, i);
		else if (tool == tool_move)
			ShowArrow(handles, i, false);
	}
	float distance = hypotf(handles->mouse.x - handles->at.x, handles->mouse.y - handles->at.y);
	if (tool == tool_scale)
	{
		UiPoint corner = {handles->at.x + 0.6f * reach, handles->at.y - 0.6f * reach};
		UiColour colour = ColourOf(handles, freeHandle);
		drapeUi_Line(handles->at, corner, colour, 3.0f);
		drapeUi_FillRect((UiRect){corner.x - 7, corner.y - 7, 14, 14}, colour, 2);
		Consider(handles, freeHandle, SegmentDistance(handles->mouse, handles->at, corner));
	}
	else if (tool == tool_move)
	{
		drapeUi_FillCircle(handles->at, 6, ColourOf(handles, freeHandle));
		Consider(handles, freeHandle, distance - 4.0f);
	}
}

// --- dragging ---

static float ValueOf(const Studio* studio, const Handles* handles, Ray ray, int handle)
{
	if (studio->tool == tool_move)
		return handle == freeHandle ? 0.0f : AlongAxis(ray, handles->centre, Axis(handle - 1));
	if (studio->tool == tool_rotate)
		return AboutAxis(handles->lens, ray, handles->centre, handle - 1);
	return hypotf(handles->mouse.x - handles->at.x, handles->mouse.y - handles->at.y);
}

static float Snap(float value, float step, bool snap)
{
	return snap ? step * roundf(value / step) : value;
}

static void MovePose(Studio* studio, const Handles* handles, Ray ray, drapeScenePose* pose, bool snap)
{
	const Gizmo* gizmo = &studio->gizmo;
	if (gizmo->handle == freeHandle)
	{
		drapeVec3 at = OnViewPlane(handles->lens, ray, gizmo->began.position);
		pose->position = V3_Add(gizmo->began.position, V3_Sub(at, gizmo->grabPoint));
		return;
	}
	drapeVec3 axis = Axis(gizmo->handle - 1);
	float way = AlongAxis(ray, gizmo->began.position, axis) - gizmo->grabValue;
	pose->position = V3_Along(gizmo->began.position, axis, Snap(way, snapLength, snap));
}

static void TurnPose(Studio* studio, const Handles* handles, Ray ray, drapeScenePose* pose, bool snap)
{
	const Gizmo* gizmo = &studio->gizmo;
	float angle = AboutAxis(handles->lens, ray, gizmo->began.position, gizmo->handle - 1) - gizmo->grabValue;
	drapeQuat turn = drapeQuat_FromAxisAngle(Axis(gizmo->handle - 1), Snap(angle, snapAngle, snap));
	drapeQuat before = drapeQuat_FromAxisAngle(gizmo->began.axis, gizmo->began.angle);
	Quat_ToAxisAngle(Quat_Multiply(turn, before), &pose->axis, &pose->angle);
}

static void DragHandle(Studio* studio, const Handles* handles, const UiMouse* mouse, drapeScenePose* pose)
{
	Ray ray = drapeLens_Ray(&studio->lens, handles->mouse);
	static const char* const labels[tool_count] = {
		[tool_move] = "Move", [tool_rotate] = "Turn", [tool_scale] = "Scale"};
	if (studio->tool == tool_move)
		MovePose(studio, handles, ray, pose, mouse->control);
	else if (studio->tool == tool_rotate)
		TurnPose(studio, handles, ray, pose, mouse->control);
	else
	{
		float ratio = ValueOf(studio, handles, ray, freeHandle) / fmaxf(studio->gizmo.grabValue, 4.0f);
		pose->scale = Clamp(studio->gizmo.began.scale * Snap(ratio, 0.1f, mouse->control), 1e-4f, 1e4f);
	}
	drapeStudio_Changed(studio, labels[studio->tool]);
	studio->restart = studio->restart || studio->selection.kind == item_cloth;
}

bool drapeGizmo_Update(Studio* studio, const UiMouse* mouse)
{
	Gizmo* gizmo = &studio->gizmo;
	drapeScenePose* pose = drapeScene_ItemPose(studio->document.scene, studio->selection);
	bool has = pose && studio->tool >= tool_move && studio->tool <= tool_scale && studio->view != drape_viewHierarchy;
	Handles handles = {.lens = &studio->lens, .mouse = {mouse->x, mouse->y}, .least = 9.0f, .lit = gizmo->handle};
	if (!has || !drapeLens_Project(&studio->lens, pose->position, &handles.at))
	{
		*gizmo = (Gizmo){0};
		return false;
	}
	handles.centre = pose->position;
	handles.length = reach * drapeLens_PixelSize(&studio->lens, pose->position);
	ShowHandles(&handles, studio->tool);
	if (!gizmo->held)
		gizmo->handle = mouse->overPanel ? 0 : handles.nearest;
	if (gizmo->handle > 0 && !gizmo->held && mouse->pressed[0] && !mouse->overPanel)
	{
		Ray ray = drapeLens_Ray(&studio->lens, handles.mouse);
		gizmo->held = true;
		gizmo->began = *pose;
		gizmo->grabValue = ValueOf(studio, &handles, ray, gizmo->handle);
		gizmo->grabPoint = OnViewPlane(&studio->lens, ray, pose->position);
	}
	if (gizmo->held && mouse->down[0])
		DragHandle(studio, &handles, mouse, pose);
	if (gizmo->held && !mouse->down[0])
		gizmo->held = false;
	return gizmo->handle > 0;
}
