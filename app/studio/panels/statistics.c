// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdio.h>
#include <string.h>

static const char* const stageNames[statistics_stages] = {"animate", "adapt", "simulate", "contact", "surface"};
static const UiColour stageColours[statistics_stages] = {0x9aa0abffu, 0xe0b44cffu, 0xe2815bffu, 0x6fa8dcffu,
                                                         0x7fbf8affu};

// --- samples ---

static void Shift(float* values, float value)
{
	memmove(values, values + 1, (statistics_capacity - 1) * sizeof *values);
	values[statistics_capacity - 1] = value;
}

void drapeStatistics_Add(Statistics* statistics, const Frame* frame)
{
	if (frame->serial == statistics->serial)
		return;
	statistics->serial = frame->serial;
	if (frame->index == 0)
		statistics->count = 0;
	const drapeProfile* p = &frame->stats.profile;
	const float ms[statistics_stages] = {1e3f * p->animate, 1e3f * p->adapt, 1e3f * p->simulate, 1e3f * p->contact,
	                                     1e3f * p->surface};
	Shift(statistics->triangles, (float)drapeFrame_Triangles(frame));
	for (int i = 0; i < statistics_stages; ++i)
		Shift(statistics->stages[i], ms[i]);
	statistics->count += statistics->count < statistics_capacity;
}

// --- plots ---

static float Largest(const float* values, uint32_t count)
{
	float largest = 0.0f;
	for (uint32_t i = statistics_capacity - count; i < statistics_capacity; ++i)
		largest = fmaxf(largest, values[i]);
	return largest;
}

// Rounds up to 1, 2 or 5 times a power of ten.
static float RoundUp(float value)
{
	float power = powf(10.0f, floorf(log10f(fmaxf(value, 1e-3f))));
	float digit = value / power;
	return power * (digit <= 1.0f ? 1.0f : digit <= 2.0f ? 2.0f : digit <= 5.0f ? 5.0f : 10.0f);
}

static UiRect BeginPlot(const char* title, const char* most, float height)
{
	UiRect head = drapeUi_Reserve(drapeUi_AvailableWidth(), 15);
	drapeUi_TextAt((UiPoint){head.x, head.y}, title, UI_MUTED);
	drapeUi_TextAt((UiPoint){head.x + head.width - drapeUi_TextSize(most).x, head.y}, most, UI_FAINT);
	UiRect rect = drapeUi_Reserve(drapeUi_AvailableWidth(), height);
	drapeUi_FillRect(rect, UI_DEEP, 4);
	for (int i = 1; i < 4; ++i)
	{
		float y = rect.y + 0.25f * (float)i * rect.height;
		drapeUi_Line((UiPoint){rect.x, y}, (UiPoint){rect.x + rect.width, y}, 0x2c3036ffu, 1);
	}
	return rect;
}

static void PlotLine(UiRect rect, const float* values, uint32_t count, float most, UiColour colour)
{
	UiPoint points[statistics_capacity];
	for (uint32_t i = 0; i < count; ++i)
	{
		float value = values[statistics_capacity - count + i];
		points[i] = (UiPoint){rect.x + rect.width * (float)i / (float)(statistics_capacity - 1),
		                      rect.y + rect.height - 2.0f - (rect.height - 4.0f) * fminf(value / most, 1.0f)};
	}
	if (count > 1)
		drapeUi_Polyline(points, (int)count, colour, 1.5f);
}

static void PlotTriangles(const Statistics* s, float height)
{
	char most[48];
	float top = RoundUp(fmaxf(Largest(s->triangles, s->count), 10.0f));
	snprintf(most, sizeof most, "of %.0f", (double)top);
	UiRect rect = BeginPlot("Triangles", most, height);
	PlotLine(rect, s->triangles, s->count, top, UI_ACCENT);
}

static void PlotStages(const Statistics* s, float height)
{
	char most[48];
	float top = 0.1f;
	for (int i = 0; i < statistics_stages; ++i)
		top = fmaxf(top, Largest(s->stages[i], s->count));
	top = RoundUp(top);
	snprintf(most, sizeof most, top >= 1.0f ? "of %.0f ms a frame" : "of %.2f ms a frame", (double)top);
	UiRect rect = BeginPlot("Stages", most, height);
	for (int i = 0; i < statistics_stages; ++i)
		PlotLine(rect, s->stages[i], s->count, top, stageColours[i]);
}

static void ShowLegend(const Statistics* s)
{
	for (int i = 0; i < statistics_stages; ++i)
	{
		char text[48];
		UiRect row = drapeUi_Reserve(drapeUi_AvailableWidth(), 13);
		snprintf(text, sizeof text, "%.2f ms", s->count ? (double)s->stages[i][statistics_capacity - 1] : 0.0);
		drapeUi_FillRect((UiRect){row.x, row.y + 5, 10, 6}, stageColours[i], 2);
		drapeUi_TextAt((UiPoint){row.x + 18, row.y}, stageNames[i], UI_MUTED);
		drapeUi_TextAt((UiPoint){row.x + row.width - drapeUi_TextSize(text).x, row.y}, text, UI_TEXT);
	}
}

void drapeStatistics_Show(Studio* studio, UiRect rect)
{
	const Statistics* s = &studio->statistics;
	char text[96];
	drapeUi_BeginPanel("Statistics", rect, 0x212429ffu);
	drapeUi_Heading("Statistics");
	if (studio->document.scene->clothCount == 0)
		drapeUi_TextWrapped("Numbers and plots appear here once there is cloth that runs.", UI_MUTED);
	else
	{
		PlotTriangles(s, 42);
		PlotStages(s, 56);
		ShowLegend(s);
		const FrameStats* stats = &studio->frame->stats;
		snprintf(text, sizeof text, "contacts %u   longest %.3f", stats->counters.contacts,
		         (double)stats->measures.stretchMax);
		drapeUi_TextColoured(text, UI_MUTED);
		drapeUi_Tip("Particles that touch a collider, and the longest edge over its length at rest");
	}
	drapeUi_EndPanel();
}
