// SPDX-License-Identifier: MIT
#include "studio.h"

// Icons are drawn as lines and need no font. Coordinates count from the centre, in halves of the size.

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

static void Bar(const Pen* pen, float x, float y, float width, float height)
{
	UiPoint p = At(pen, x, y);
	drapeUi_FillRect((UiRect){p.x, p.y, width * pen->size, height * pen->size}, pen->colour, 1);
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
	Arc(pen, 0.5f, 0.0f, 6.2832f);
	drapeUi_FillCircle(At(pen, 0, 0), 0.2f * pen->size, pen->colour);
	for (int i = 0; i < 4; ++i)
	{
		float angle = 0.7854f + 1.5708f * (float)i, x = cosf(angle), y = sinf(angle);
		Stroke(pen, 0.7f * x, 0.7f * y, 1.05f * x, 1.05f * y);
	}
}

static void Pin(const Pen* pen)
{
	drapeUi_FillCircle(At(pen, 0, -0.4f), 0.5f * pen->size, pen->colour);
	Stroke(pen, 0, 0, 0, 1.0f);
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

void drapeIcon_Draw(Icon icon, UiPoint centre, float size, UiColour colour)
{
	Pen pen = {centre, 0.5f * size, colour, fmaxf(size / 9.0f, 1.4f)};
	switch (icon)
	{
		case icon_play:
			Fill3(&pen, -0.6f, -0.85f, 0.9f, 0, -0.6f, 0.85f);
			break;
		case icon_pause:
			Bar(&pen, -0.65f, -0.8f, 0.45f, 1.6f);
			Bar(&pen, 0.2f, -0.8f, 0.45f, 1.6f);
			break;
		case icon_step:
			Fill3(&pen, -0.75f, -0.8f, 0.4f, 0, -0.75f, 0.8f);
			Bar(&pen, 0.5f, -0.8f, 0.3f, 1.6f);
			break;
		case icon_reset:
			Bar(&pen, -0.85f, -0.8f, 0.3f, 1.6f);
			Fill3(&pen, 0.8f, -0.8f, -0.4f, 0, 0.8f, 0.8f);
			break;
		case icon_undo:
		case icon_redo:
			Turn(&pen, icon == icon_redo);
			break;
		case icon_select:
			Fill3(&pen, -0.5f, -0.95f, -0.5f, 0.65f, 0.65f, 0.2f);
			Stroke(&pen, 0, 0.2f, 0.4f, 0.95f);
			break;
		case icon_move:
			Cross(&pen);
			break;
		case icon_rotate:
			Arc(&pen, 0.75f, 0.4f, 5.3f);
			Fill3(&pen, 0.95f, -0.85f, 0.75f, 0.05f, 0.05f, -0.6f);
			break;
		case icon_scale:
			Stroke(&pen, -0.8f, 0.8f, 0.6f, -0.6f);
			Fill3(&pen, 0.95f, -0.95f, 0.95f, -0.1f, 0.1f, -0.95f);
			Bar(&pen, -0.95f, 0.35f, 0.6f, 0.6f);
			break;
		case icon_grab:
			Hand(&pen);
			break;
		case icon_pin:
			Pin(&pen);
			break;
		case icon_record:
			drapeUi_FillCircle(centre, 0.8f * pen.size, colour);
			break;
		case icon_stop:
			Bar(&pen, -0.7f, -0.7f, 1.4f, 1.4f);
			break;
		case icon_cloth:
			Cloth(&pen);
			break;
		case icon_collider:
			Arc(&pen, 0.85f, 0.0f, 6.2832f);
			Arc(&pen, 0.85f, 0.5f, 2.64f);
			break;
		case icon_object:
			Cube(&pen);
			break;
		case icon_world:
			Arc(&pen, 0.85f, 0.0f, 6.2832f);
			Stroke(&pen, -0.85f, 0, 0.85f, 0);
			Stroke(&pen, 0, -0.85f, 0, 0.85f);
			break;
		case icon_plus:
			Stroke(&pen, -0.8f, 0, 0.8f, 0);
			Stroke(&pen, 0, -0.8f, 0, 0.8f);
			break;
		case icon_help:
			Arc(&pen, 0.4f, -3.1f, 1.2f);
			Stroke(&pen, 0.1f, 0.35f, 0.1f, 0.55f);
			drapeUi_FillCircle(At(&pen, 0.1f, 0.9f), 0.16f * pen.size, colour);
			break;
		case icon_camera:
			drapeUi_Rect(
				(UiRect){centre.x - 0.95f * pen.size, centre.y - 0.55f * pen.size, 1.9f * pen.size, 1.3f * pen.size},
				colour, 2, pen.width);
			Arc(&pen, 0.4f, 0.0f, 6.2832f);
			break;
	}
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
