// SPDX-License-Identifier: MIT
#include "studio.h"

// Icons are drawn as lines and need no font. Coordinates count from the centre, in halves of the size.

#define FULL_TURN 6.2832f // radians

typedef struct Pen
{
	UiPoint centre;
	float size; // half the size, pixels
	UiColour colour;
	float width;
} Pen;

static UiPoint At(const Pen* pen, float x, float y)
{
	return (UiPoint){pen->centre.x + x * pen->size, pen->centre.y + y * pen->size};
}

static void Stroke(const Pen* pen, float x0, float y0, float x1, float y1)
{
	drapeUi_Line(At(pen, x0, y0), At(pen, x1, y1), pen->colour, pen->width);
}

static void Fill3(const Pen* pen, float x0, float y0, float x1, float y1, float x2, float y2)
{
	const UiPoint points[3] = {At(pen, x0, y0), At(pen, x1, y1), At(pen, x2, y2)};
	drapeUi_FillPolygon(points, 3, pen->colour);
}

// A rectangle of which `at` has the upper left corner, width and height.
static UiRect RectAt(const Pen* pen, const float at[4])
{
	UiPoint p = At(pen, at[0], at[1]);
	return (UiRect){p.x, p.y, at[2] * pen->size, at[3] * pen->size};
}

// An arc between two angles, radians, clockwise from the right.
static void Arc(const Pen* pen, float radius, float from, float to)
{
	UiPoint points[25];
	for (int i = 0; i < 25; ++i)
	{
		float angle = from + (to - from) * (float)i / 24.0f;
		points[i] = At(pen, radius * cosf(angle), radius * sinf(angle));
	}
	drapeUi_Polyline(points, 25, pen->colour, pen->width);
}

static void Cross(const Pen* pen)
{
	Stroke(pen, -0.8f, 0, 0.8f, 0);
	Stroke(pen, 0, -0.8f, 0, 0.8f);
	for (int i = 0; i < 4; ++i)
	{
		float x = i == 0 ? 1.0f : i == 1 ? -1.0f : 0.0f, y = i == 2 ? 1.0f : i == 3 ? -1.0f : 0.0f;
		Fill3(pen, x, y, 0.6f * x - 0.3f * y, 0.6f * y + 0.3f * x, 0.6f * x + 0.3f * y, 0.6f * y - 0.3f * x);
	}
}

static void Cloth(const Pen* pen)
{
	for (int i = 0; i < 3; ++i)
	{
		UiPoint wave[13];
		for (int k = 0; k < 13; ++k)
		{
			float x = -0.9f + 0.15f * (float)k;
			wave[k] = At(pen, x, -0.65f + 0.65f * (float)i + 0.22f * sinf(3.6f * x));
		}
		drapeUi_Polyline(wave, 13, pen->colour, pen->width);
	}
}

static void Cube(const Pen* pen)
{
	const float p[7][2] = {{0, -0.95f},    {0.85f, -0.45f},  {0.85f, 0.5f}, {0, 0.98f},
	                       {-0.85f, 0.5f}, {-0.85f, -0.45f}, {0, 0}};
	for (int i = 0; i < 6; ++i)
		Stroke(pen, p[i][0], p[i][1], p[(i + 1) % 6][0], p[(i + 1) % 6][1]);
	for (int i = 1; i < 6; i += 2)
		Stroke(pen, 0, 0, p[i][0], p[i][1]);
}

static void Hand(const Pen* pen)
{
	Arc(pen, 0.5f, 0.0f, FULL_TURN);
	drapeUi_FillCircle(At(pen, 0, 0), 0.2f * pen->size, pen->colour);
	for (int i = 0; i < 4; ++i)
	{
		float angle = 0.7854f + 1.5708f * (float)i, x = cosf(angle), y = sinf(angle);
		Stroke(pen, 0.7f * x, 0.7f * y, 1.05f * x, 1.05f * y);
	}
}

static void Turn(const Pen* pen, bool mirrored)
{
	float s = mirrored ? -1.0f : 1.0f;
	UiPoint points[20];
	for (int i = 0; i < 20; ++i)
	{
		float angle = -2.9f + 3.3f * (float)i / 19.0f;
		points[i] = At(pen, s * (0.05f + 0.75f * cosf(angle)), 0.2f + 0.7f * sinf(angle));
	}
	drapeUi_Polyline(points, 20, pen->colour, pen->width);
	Fill3(pen, s * -1.05f, 0.45f, s * -1.0f, -0.4f, s * -0.3f, 0.1f);
}

static void TurnLeft(const Pen* pen)
{
	Turn(pen, false);
}

static void TurnRight(const Pen* pen)
{
	Turn(pen, true);
}

typedef enum MarkKind
{
	mark_none = 0, // ends a list
	mark_line,     // x, y of both ends
	mark_triangle, // x, y of the corners
	mark_bar,      // x, y of the upper left corner, width, height
	mark_frame,    // likewise, not filled
	mark_arc,      // radius, angle from, angle to
	mark_disc,     // x, y of the centre, radius
} MarkKind;

typedef struct Mark
{
	MarkKind kind;
	float at[6];
} Mark;

enum
{
	iconMarks = 4, // at most, with the one that ends the list
};

// An icon is a list of marks, or a function for one that needs a loop.
static const struct
{
	Mark marks[iconMarks];
	void (*draw)(const Pen* pen);
} icons[] = {
	[icon_play] = {.marks = {{mark_triangle, {-0.6f, -0.85f, 0.9f, 0, -0.6f, 0.85f}}}},
	[icon_pause] = {.marks = {{mark_bar, {-0.65f, -0.8f, 0.45f, 1.6f}}, {mark_bar, {0.2f, -0.8f, 0.45f, 1.6f}}}},
	[icon_step] = {.marks = {{mark_triangle, {-0.75f, -0.8f, 0.4f, 0, -0.75f, 0.8f}},
                             {mark_bar, {0.5f, -0.8f, 0.3f, 1.6f}}}},
	[icon_reset] = {.marks = {{mark_bar, {-0.85f, -0.8f, 0.3f, 1.6f}},
                              {mark_triangle, {0.8f, -0.8f, -0.4f, 0, 0.8f, 0.8f}}}},
	[icon_undo] = {.draw = TurnLeft},
	[icon_redo] = {.draw = TurnRight},
	[icon_select] = {.marks = {{mark_triangle, {-0.5f, -0.95f, -0.5f, 0.65f, 0.65f, 0.2f}},
                               {mark_line, {0, 0.2f, 0.4f, 0.95f}}}},
	[icon_move] = {.draw = Cross},
	[icon_rotate] = {.marks = {{mark_arc, {0.75f, 0.4f, 5.3f}},
                               {mark_triangle, {0.95f, -0.85f, 0.75f, 0.05f, 0.05f, -0.6f}}}},
	[icon_scale] = {.marks = {{mark_line, {-0.8f, 0.8f, 0.6f, -0.6f}},
                              {mark_triangle, {0.95f, -0.95f, 0.95f, -0.1f, 0.1f, -0.95f}},
                              {mark_bar, {-0.95f, 0.35f, 0.6f, 0.6f}}}},
	[icon_grab] = {.draw = Hand},
	[icon_pin] = {.marks = {{mark_disc, {0, -0.4f, 0.5f}}, {mark_line, {0, 0, 0, 1.0f}}}},
	[icon_record] = {.marks = {{mark_disc, {0, 0, 0.8f}}}},
	[icon_stop] = {.marks = {{mark_bar, {-0.7f, -0.7f, 1.4f, 1.4f}}}},
	[icon_cloth] = {.draw = Cloth},
	[icon_collider] = {.marks = {{mark_arc, {0.85f, 0, FULL_TURN}}, {mark_arc, {0.85f, 0.5f, 2.64f}}}},
	[icon_object] = {.draw = Cube},
	[icon_world] = {.marks = {{mark_arc, {0.85f, 0, FULL_TURN}},
                              {mark_line, {-0.85f, 0, 0.85f, 0}},
                              {mark_line, {0, -0.85f, 0, 0.85f}}}},
	[icon_plus] = {.marks = {{mark_line, {-0.8f, 0, 0.8f, 0}}, {mark_line, {0, -0.8f, 0, 0.8f}}}},
	[icon_help] = {.marks = {{mark_arc, {0.4f, -3.1f, 1.2f}},
                             {mark_line, {0.1f, 0.35f, 0.1f, 0.55f}},
                             {mark_disc, {0.1f, 0.9f, 0.16f}}}},
	[icon_camera] = {.marks = {{mark_frame, {-0.95f, -0.55f, 1.9f, 1.3f}}, {mark_arc, {0.4f, 0, FULL_TURN}}}},
};

static void DrawMark(const Pen* pen, const Mark* mark)
{
	const float* at = mark->at;
	switch (mark->kind)
	{
		case mark_none:
			break;
		case mark_line:
			Stroke(pen, at[0], at[1], at[2], at[3]);
			break;
		case mark_triangle:
			Fill3(pen, at[0], at[1], at[2], at[3], at[4], at[5]);
			break;
		case mark_bar:
			drapeUi_FillRect(RectAt(pen, at), pen->colour, 1);
			break;
		case mark_frame:
			drapeUi_Rect(RectAt(pen, at), pen->colour, 2, pen->width);
			break;
		case mark_arc:
			Arc(pen, at[0], at[1], at[2]);
			break;
		case mark_disc:
			drapeUi_FillCircle(At(pen, at[0], at[1]), at[2] * pen->size, pen->colour);
			break;
	}
}

void drapeIcon_Draw(Icon icon, UiPoint centre, float size, UiColour colour)
{
	Pen pen = {centre, 0.5f * size, colour, fmaxf(size / 9.0f, 1.4f)};
	if (icons[icon].draw)
		icons[icon].draw(&pen);
	for (const Mark* mark = icons[icon].marks; mark->kind != mark_none; ++mark)
		DrawMark(&pen, mark);
}

bool drapeIcon_Button(const char* name, Icon icon, bool active, bool enabled, const char* tip)
{
	const float size = 30.0f;
	drapeUi_BeginDisabled(!enabled);
	UiItem item = drapeUi_Hotspot(name, size, size);
	drapeUi_EndDisabled();
	UiColour back = active ? UI_ACCENT_SOFT : item.held ? 0x474d57ffu : item.hovered ? 0x3a3f47ffu : 0;
	UiColour front = !enabled ? UI_FAINT : active ? 0xffb896ffu : UI_TEXT;
	if (icon == icon_record && enabled)
		front = UI_BAD;
	if (back)
		drapeUi_FillRect(item.rect, back, 5);
	drapeIcon_Draw(icon, (UiPoint){item.rect.x + 0.5f * size, item.rect.y + 0.5f * size}, 15.0f, front);
	drapeUi_Tip(tip);
	return item.clicked;
}
