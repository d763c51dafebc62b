// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Mouse input in the picture. The left button uses the tool, the right one turns the camera, the middle one moves it,
// and the wheel zooms.

static const float clickDistance = 5.0f; // pixels; a longer movement is a drag
static const float vertexDistance = 18.0f;

// --- camera ---

static void MoveCamera(Studio* studio, const UiMouse* mouse)
{
	float height = fmaxf(studio->picture.height, 1.0f);
	bool turn = studio->drag.active && (studio->drag.button == 1 || (studio->drag.button == 0 && mouse->alt));
	bool pan = studio->drag.active && studio->drag.button == 2;
	if (turn && !mouse->shift)
		drapeOrbitCamera_Turn(&studio->camera, 5.0f * mouse->dx / height, 5.0f * mouse->dy / height);
	else if (pan || turn)
		drapeOrbitCamera_Pan(&studio->camera, mouse->dx / height, mouse->dy / height);
	if (!mouse->overPanel && mouse->wheel != 0.0f)
		drapeOrbitCamera_Zoom(&studio->camera, mouse->wheel);
}

// --- grabbing ---

// The position under the mouse at the depth of the grabbed point, m.
static drapeVec3 GrabTarget(const Studio* studio, const UiMouse* mouse)
{
	Ray ray = drapeLens_Ray(&studio->lens, (UiPoint){mouse->x, mouse->y});
	float slope = V3_Dot(ray.direction, studio->lens.back);
	float depth = V3_Dot(V3_Sub(studio->drag.grabPoint, ray.origin), studio->lens.back);
	return Ray_At(ray, slope != 0.0f ? depth / slope : 0.0f);
}

// The index of the cloth in the simulation.
static uint32_t FrameIndex(const Studio* studio, uint32_t cloth)
{
	return (uint32_t)(drapeStudio_FrameCloth(studio, cloth) - studio->frame->cloths);
}

static void BeginGrab(Studio* studio)
{
	if (studio->hover.item.kind != item_cloth)
		return;
	studio->drag.grabbing = true;
	studio->drag.grabPoint = studio->hover.point;
	drapeRunner_Grab(studio->runner, FrameIndex(studio, studio->hover.item.index), studio->hover.point);
	if (!studio->playing)
		drapeMessages_Add(&studio->messages, message_note, "The cloth follows once it runs: Space");
}

// --- pins ---

static uint32_t NearestVertex(const Studio* studio, const FrameCloth* cloth, UiPoint at)
{
	uint32_t nearest = DRAPE_NONE;
	float least = vertexDistance;
	for (uint32_t i = 0; i < cloth->pattern.mesh.vertexCount; ++i)
	{
		UiPoint p;
		if (!drapeLens_Project(&studio->lens, V3_From4(cloth->view.positions[i]), &p))
			continue;
		float distance = hypotf(p.x - at.x, p.y - at.y);
		if (distance < least)
		{
			least = distance;
			nearest = i;
		}
	}
	return nearest;
}

static void SetPins(Studio* studio, uint32_t index, const uint32_t* vertices, uint32_t count, bool pin)
{
	const FrameCloth* cloth = drapeStudio_FrameCloth(studio, index);
	drapeMesh mesh = {.positions = cloth->pattern.mesh.positions, .vertexCount = cloth->pattern.mesh.vertexCount};
	if (drapeScenePins_Set(&studio->document.scene->cloths[index], &mesh, vertices, count, pin))
		drapeStudio_Changed(studio, pin ? "Pin" : "Unpin");
	drapeStudio_Select(studio, (Item){item_cloth, index});
}

static bool IsPinned(const FrameCloth* cloth, uint32_t vertex)
{
	return cloth->view.positions[vertex].w == 0.0f;
}

static void PinClick(Studio* studio, UiPoint at)
{
	uint32_t best = DRAPE_NONE, vertex = DRAPE_NONE;
	for (uint32_t i = 0; i < studio->document.scene->clothCount; ++i)
	{
		const FrameCloth* cloth = drapeStudio_FrameCloth(studio, i);
		uint32_t found = cloth ? NearestVertex(studio, cloth, at) : DRAPE_NONE;
		bool first = best == DRAPE_NONE || Item_Same(studio->hover.item, (Item){item_cloth, i});
		if (found == DRAPE_NONE || !first)
			continue;
		best = i;
		vertex = found;
	}
	if (best == DRAPE_NONE)
	{
		drapeMessages_Add(&studio->messages, message_note, "Click near a dot to pin it, or draw a box around several");
		return;
	}
	SetPins(studio, best, &vertex, 1, !IsPinned(drapeStudio_FrameCloth(studio, best), vertex));
}

static UiRect BoxOf(const Studio* studio, const UiMouse* mouse)
{
	UiPoint a = studio->drag.began;
	return (UiRect){fminf(a.x, mouse->x), fminf(a.y, mouse->y), fabsf(mouse->x - a.x), fabsf(mouse->y - a.y)};
}

static void PinBox(Studio* studio, UiRect box, bool pin)
{
	for (uint32_t i = 0; i < studio->document.scene->clothCount; ++i)
	{
		const FrameCloth* cloth = drapeStudio_FrameCloth(studio, i);
		uint32_t* vertices = cloth ? malloc((cloth->pattern.mesh.vertexCount + 1) * sizeof *vertices) : NULL;
		uint32_t count = 0;
		for (uint32_t k = 0; vertices && k < cloth->pattern.mesh.vertexCount; ++k)
		{
			UiPoint p;
			if (drapeLens_Project(&studio->lens, V3_From4(cloth->view.positions[k]), &p) && p.x >= box.x &&
			    p.y >= box.y && p.x <= box.x + box.width && p.y <= box.y + box.height)
				vertices[count++] = k;
		}
		if (count > 0)
			SetPins(studio, i, vertices, count, pin);
		free(vertices);
	}
}

// --- all tools ---

static void Press(Studio* studio, const UiMouse* mouse)
{
	for (int i = 0; i < 3; ++i)
	{
		if (!mouse->pressed[i] || studio->drag.active)
			continue;
		studio->drag = (Drag){.active = true, .began = {mouse->x, mouse->y}, .button = i};
		if (i == 0 && studio->tool == tool_grab && !mouse->alt)
			BeginGrab(studio);
	}
}

static void Click(Studio* studio, const UiMouse* mouse)
{
	if (studio->tool == tool_pin)
		PinClick(studio, (UiPoint){mouse->x, mouse->y});
	else if (studio->tool != tool_grab)
		drapeStudio_Select(studio, studio->hover.item);
}

static void Release(Studio* studio, const UiMouse* mouse)
{
	Drag drag = studio->drag;
	studio->drag = (Drag){0};
	if (drag.grabbing)
		drapeRunner_Release(studio->runner);
	else if (drag.button == 0 && !drag.moved)
		Click(studio, mouse);
	else if (drag.button == 0 && studio->tool == tool_pin && !mouse->alt)
	{
		studio->drag.began = drag.began;
		PinBox(studio, BoxOf(studio, mouse), !mouse->shift);
	}
}

void drapeTools_Update(Studio* studio)
{
	UiMouse mouse = drapeUi_GetMouse();
	bool free = !mouse.overPanel && !drapeUi_HasModal() && studio->view != drape_viewHierarchy;
	drapeUi_DrawOverPicture(true);
	drapeUi_ClipDrawing(studio->picture);
	bool handles = drapeGizmo_Update(studio, &mouse);
	drapeUi_EndClip();
	drapeUi_DrawOverPicture(false);
	studio->hover = (Pick){0};
	if (free && !studio->drag.active && !handles && mouse.pressed[0])
		studio->hover = drapePick_At(studio, drapeLens_Ray(&studio->lens, (UiPoint){mouse.x, mouse.y}));
	if (free && !studio->gizmo.held)
	{
		UiMouse pressed = mouse;
		pressed.pressed[0] = mouse.pressed[0] && !handles;
		Press(studio, &pressed);
	}
	Drag* drag = &studio->drag;
	if (drag->active)
		drag->moved = drag->moved || hypotf(mouse.x - drag->began.x, mouse.y - drag->began.y) > clickDistance;
	MoveCamera(studio, &mouse);
	if (drag->active && drag->grabbing && mouse.down[0])
		drapeRunner_Pull(studio->runner, GrabTarget(studio, &mouse));
	if (drag->active && !mouse.down[drag->button])
	{
		// The item under the mouse, for a click.
		if (!drag->moved)
			studio->hover = drapePick_At(studio, drapeLens_Ray(&studio->lens, (UiPoint){mouse.x, mouse.y}));
		Release(studio, &mouse);
	}
}

// --- overlay ---

static void DrawVertices(const Studio* studio, const FrameCloth* cloth, bool all)
{
	for (uint32_t i = 0; i < cloth->pattern.mesh.vertexCount; ++i)
	{
		UiPoint p;
		bool pinned = IsPinned(cloth, i);
		if ((!pinned && !all) || !drapeLens_Project(&studio->lens, V3_From4(cloth->view.positions[i]), &p))
			continue;
		drapeUi_FillCircle(p, pinned ? 6.0f : 3.5f, 0x1b1d21e0u);
		drapeUi_FillCircle(p, pinned ? 4.5f : 2.2f, pinned ? 0xffb454ffu : 0xffffffe0u);
	}
}

// The corners of the box around the selected item.
static void DrawSelection(Studio* studio)
{
	drapeBounds b = drapeStudio_Bounds(studio, studio->selection);
	if (b.min.x > b.max.x)
		return;
	for (int corner = 0; corner < 8; ++corner)
	{
		drapeVec3 p =
			V3(corner & 1 ? b.max.x : b.min.x, corner & 2 ? b.max.y : b.min.y, corner & 4 ? b.max.z : b.min.z);
		for (int axis = 0; axis < 3; ++axis)
		{
			float size = axis == 0 ? b.max.x - b.min.x : axis == 1 ? b.max.y - b.min.y : b.max.z - b.min.z;
			float way = 0.12f * size * (corner & (1 << axis) ? -1.0f : 1.0f);
			UiPoint from, to;
			if (drapeLens_Project(&studio->lens, p, &from) &&
			    drapeLens_Project(&studio->lens, V3_Along(p, V3(axis == 0, axis == 1, axis == 2), way), &to))
				drapeUi_Line(from, to, UI_ACCENT, 1.5f);
		}
	}
}

// The legend of a view's colours.
static void DrawLegend(const Studio* studio)
{
	static const char* const legends[drape_viewCount] = {
		[drape_viewWireframe] = "Edges of the triangles in use",
		[drape_viewLevels] = "Levels: yellow 0, orange, red 4, purple beyond",
		[drape_viewVertices] = "Particles: 1 cm at level 0, halved with each level",
		[drape_viewHierarchy] = "Refinement, level above level, in the material's own plane",
		[drape_viewCurvature] = "Curvature: red bulges, blue is hollow; full at 25 1/m",
		[drape_viewStrain] = "Strain: red stretched, green compressed; full at 6 %",
		[drape_viewContacts] = "Red: touches a collider",
		[drape_viewSprings] = "Edges: red longer than at rest, green shorter; full at 5 %",
		[drape_viewVelocity] = "Speed: dark at rest, yellow at 3 m/s; arrows show 40 ms",
	};
	const char* text = legends[studio->view];
	if (!text)
		return;
	UiPoint size = drapeUi_TextSize(text);
	UiRect rect = {studio->picture.x + 12, studio->picture.y + 12, size.x + 20, size.y + 12};
	drapeUi_FillRect(rect, 0x1b1d21c8u, 5);
	drapeUi_TextAt((UiPoint){rect.x + 10, rect.y + 6}, text, UI_TEXT);
}

void drapeTools_DrawOverlay(Studio* studio)
{
	const drapeScene* scene = studio->document.scene;
	drapeUi_DrawOverPicture(true);
	drapeUi_ClipDrawing(studio->picture);
	for (uint32_t i = 0; studio->view != drape_viewHierarchy && i < scene->clothCount; ++i)
	{
		const FrameCloth* cloth = drapeStudio_FrameCloth(studio, i);
		bool selected = Item_Same(studio->selection, (Item){item_cloth, i});
		if (cloth && (selected || studio->tool == tool_pin))
			DrawVertices(studio, cloth, studio->tool == tool_pin && cloth->pattern.mesh.vertexCount < 5000);
	}
	if (studio->view != drape_viewHierarchy)
		DrawSelection(studio);
	const Drag* drag = &studio->drag;
	UiMouse mouse = drapeUi_GetMouse();
	if (drag->active && drag->moved && drag->button == 0 && studio->tool == tool_pin && !mouse.alt)
	{
		drapeUi_FillRect(BoxOf(studio, &mouse), UI_ACCENT_SOFT, 2);
		drapeUi_Rect(BoxOf(studio, &mouse), UI_ACCENT, 2, 1.5f);
	}
	if (drag->grabbing)
	{
		UiPoint from;
		if (drapeLens_Project(&studio->lens, drag->grabPoint, &from))
			drapeUi_Line(from, (UiPoint){mouse.x, mouse.y}, 0xffffff70u, 1.5f);
		drapeUi_FillCircle((UiPoint){mouse.x, mouse.y}, 5.0f, UI_ACCENT);
	}
	DrawLegend(studio);
	drapeUi_EndClip();
	drapeUi_DrawOverPicture(false);
}
