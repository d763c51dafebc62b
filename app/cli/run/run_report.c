// SPDX-License-Identifier: MIT
#include "run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes one self-contained HTML page: no script, and no external font or picture.

enum
{
	plotWidth = 720,
	plotHeight = 240,
	marginLeft = 64,
	marginRight = 16,
	marginTop = 12,
	marginBottom = 40,
	mostPoints = 800, // points of a line; with more frames, a point shows the largest value of several
};

typedef struct Series
{
	const char* name;
	double (*value)(const RunFrame* frame);
} Series;

typedef struct Plot
{
	const char *title, *unit, *about;
	const Series* series;
	int seriesCount;
	bool fromZero;                           // the axis begins at 0
	double (*onlyIf)(const RunFrame* frame); // the line is left out if this is zero in all frames; NULL: never
} Plot;

// --- plots ---

#define VALUE(Name, expression)                                                                                        \
	static double Name(const RunFrame* s)                                                                              \
	{                                                                                                                  \
		return (double)(expression);                                                                                   \
	}

VALUE(Triangles, s->counters.triangles)
VALUE(AnimateMs, 1e3f * s->profile.animate)
VALUE(AdaptMs, 1e3f * s->profile.adapt)
VALUE(SimulateMs, 1e3f * s->profile.simulate)
VALUE(ContactMs, 1e3f * s->profile.contact)
VALUE(PublishMs, 1e3f * s->profile.publish)
VALUE(SurfaceMs, 1e3f * s->profile.surface)
VALUE(Contacts, s->counters.contacts)
VALUE(ContactPoints, s->counters.contactPoints)
VALUE(Impacts, s->counters.impacts)
VALUE(FrozenVertices, s->counters.frozenVertices)
VALUE(Kinetic, s->measures.kineticEnergy)
VALUE(Stretching, s->measures.stretchEnergy)
VALUE(Bending, s->measures.bendEnergy)
VALUE(Gravity, s->measures.gravityEnergy)
VALUE(Median, s->measures.stretchMedian)
VALUE(Most99, s->measures.stretch99)
VALUE(Most, s->measures.stretchMax)
VALUE(Solves, s->counters.solves)
VALUE(TouchesAtAll, s->counters.contacts + s->counters.contactPoints + s->counters.impacts)
VALUE(Iterations, s->counters.iterations)

static const Series triangleSeries[] = {{"triangles", Triangles}};
static const Series costSeries[] = {{"simulate", SimulateMs}, {"contact", ContactMs}, {"adapt", AdaptMs},
                                    {"surface", SurfaceMs},   {"animate", AnimateMs}, {"publish", PublishMs}};
static const Series energySeries[] = {
	{"kinetic", Kinetic}, {"stretching", Stretching}, {"bending", Bending}, {"gravity", Gravity}};
static const Series stretchSeries[] = {{"median", Median}, {"99 in 100 are below", Most99}, {"largest", Most}};
static const Series contactSeries[] = {{"particles on colliders", Contacts},
                                       {"places on cloth", ContactPoints},
                                       {"impacts", Impacts},
                                       {"frozen vertices", FrozenVertices}};
static const Series solverSeries[] = {{"iterations", Iterations}, {"linear solves", Solves}};

#define SERIES(table) .series = (table), .seriesCount = (int)(sizeof(table) / sizeof(table)[0])

static const Plot plots[] = {
	{.title = "Triangles", .unit = "triangles", .about = "of all cloths", SERIES(triangleSeries), .fromZero = true},
	{.title = "Cost of a frame",
     .unit = "ms",
     .about = "wall clock per stage, summed over the steps of the frame",
     SERIES(costSeries),
     .fromZero = true},
	{.title = "Energy", .unit = "J", .about = "gravity relative to the origin", SERIES(energySeries)},
	{.title = "Stretch", .unit = "length / rest", .about = "of the edges in use", SERIES(stretchSeries)},
	{.title = "Solver",
     .unit = "per frame",
     .about = "linear solves, and iterations of conjugate gradients in them, summed over the steps of the frame",
     SERIES(solverSeries),
     .fromZero = true,
     .onlyIf = Solves},
	{.title = "Contact",
     .unit = "per frame",
     .about = "contacts at the end of the frame; impacts that were stopped and vertices that were held, "
              "summed over its steps",
     SERIES(contactSeries),
     .fromZero = true,
     .onlyIf = TouchesAtAll},
};

// --- axes ---

typedef struct Axis
{
	double low, high, step;
	double pixelLow, pixelHigh;
} Axis;

// 1, 2 or 5 times a power of ten, at least `width` / `count`.
static double NiceStep(double width, int count)
{
	double rough = width / count, power = pow(10.0, floor(log10(rough)));
	double times = rough / power;
	return power * (times <= 1.0 ? 1.0 : times <= 2.0 ? 2.0 : times <= 5.0 ? 5.0 : 10.0);
}

static Axis MakeAxis(double low, double high, int ticks, double pixelLow, double pixelHigh)
{
	// A flat line needs a margin.
	if (!(high - low > 1e-9 * fmax(fabs(low), fabs(high))))
	{
		double margin = fmax(1e-3, 0.1 * fabs(high));
		low -= low == 0.0 ? 0.0 : margin;
		high += margin;
	}
	double step = NiceStep(high - low, ticks);
	return (Axis){step * floor(low / step), step * ceil(high / step), step, pixelLow, pixelHigh};
}

static double ToPixel(const Axis* axis, double value)
{
	return axis->pixelLow + (value - axis->low) / (axis->high - axis->low) * (axis->pixelHigh - axis->pixelLow);
}

static Axis ValueAxis(const Plot* plot, const RunStats* stats)
{
	double low = plot->fromZero ? 0.0 : DBL_MAX, high = plot->fromZero ? 0.0 : -DBL_MAX;
	for (uint32_t i = 0; i < stats->count; ++i)
	{
		for (int k = 0; k < plot->seriesCount; ++k)
		{
			double value = plot->series[k].value(&stats->frames[i]);
			low = fmin(low, value);
			high = fmax(high, value);
		}
	}
	return MakeAxis(low, high, 5, plotHeight - marginBottom, marginTop);
}

static void PrintGrid(FILE* page, const Axis* time, const Axis* values, const char* unit)
{
	for (double v = values->low; v <= values->high + 0.5 * values->step; v += values->step)
	{
		double y = ToPixel(values, v);
		fprintf(page, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", marginLeft,
		        plotWidth - marginRight, y, y);
		fprintf(page, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", marginLeft - 6,
		        y + 4.0, fabs(v) < 1e-9 * values->step ? 0.0 : v);
	}
	for (double t = time->low; t <= time->high + 0.001 * time->step; t += time->step)
		fprintf(page, "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n", ToPixel(time, t),
		        plotHeight - marginBottom + 16, t);
	fprintf(page, "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"end\">time, s</text>\n",
	        plotWidth - marginRight, plotHeight - 6);
	fprintf(page, "<text class=\"tick\" transform=\"translate(12 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
	        (marginTop + plotHeight - marginBottom) / 2, unit);
}

// --- lines ---

static void PrintLine(FILE* page, const Series* series, int color, const RunStats* stats, const Axis* time,
                      const Axis* values)
{
	uint32_t stride = (stats->count + mostPoints - 1) / mostPoints;
	fprintf(page, "<polyline class=\"s%d\" points=\"", color);
	for (uint32_t first = 0; first < stats->count; first += stride)
	{
		double most = -DBL_MAX;
		for (uint32_t i = first; i < stats->count && i < first + stride; ++i)
			most = fmax(most, series->value(&stats->frames[i]));
		fprintf(page, "%.1f,%.1f ", ToPixel(time, stats->frames[first].time), ToPixel(values, most));
	}
	fputs("\"/>\n", page);
}

static void PrintPlot(FILE* page, const Plot* plot, const RunStats* stats)
{
	Axis values = ValueAxis(plot, stats);
	Axis time = MakeAxis(0.0, stats->frames[stats->count - 1].time, 8, marginLeft, plotWidth - marginRight);
	fprintf(page, "<section><h2>%s</h2><p>%s</p>\n", plot->title, plot->about);
	fprintf(page, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s over time\">\n", plotWidth, plotHeight,
	        plot->title);
	PrintGrid(page, &time, &values, plot->unit);
	for (int i = 0; i < plot->seriesCount; ++i)
		PrintLine(page, &plot->series[i], i, stats, &time, &values);
	fputs("</svg>\n", page);
	if (plot->seriesCount > 1)
	{
		fputs("<p class=\"legend\">", page);
		for (int i = 0; i < plot->seriesCount; ++i)
			fprintf(page, "<span><i class=\"b%d\"></i>%s</span> ", i, plot->series[i].name);
		fputs("</p>\n", page);
	}
	fputs("</section>\n", page);
}

// --- the page ---

static void PrintEscaped(FILE* page, const char* text)
{
	for (; *text; ++text)
	{
		if (*text == '&')
			fputs("&amp;", page);
		else if (*text == '<')
			fputs("&lt;", page);
		else
			fputc(*text, page);
	}
}

static const char style[] =
	":root{color-scheme:light dark;--ink:#1c1f23;--soft:#5b6470;--line:#d9dde2;--paper:#fff;"
	"--s0:#2563a8;--s1:#c2410c;--s2:#15803d;--s3:#7c3aed;--s4:#8a6d00;--s5:#0e7490}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a0a8b3;--line:#353b43;--paper:#16181c;"
	"--s0:#6ea8fe;--s1:#ff9b6a;--s2:#6fcf8e;--s3:#b79cff;--s4:#e5c667;--s5:#5ed0e0}}\n"
	"body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:760px;margin:2em auto;"
	"padding:0 1em}\n"
	"h1{font-size:1.5em;margin-bottom:.2em}h2{font-size:1.1em;margin:1.6em 0 0}p{margin:.2em 0;color:var(--soft)}\n"
	"svg{width:100%;height:auto}.grid{stroke:var(--line)}.tick{fill:var(--soft);font-size:11px}\n"
	"polyline{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
	".s0{stroke:var(--s0)}.s1{stroke:var(--s1)}.s2{stroke:var(--s2)}.s3{stroke:var(--s3)}.s4{stroke:var(--s4)}.s5{"
	"stroke:var(--s5)}\n"
	".b0{background:var(--s0)}.b1{background:var(--s1)}.b2{background:var(--s2)}.b3{background:var(--s3)}"
	".b4{background:var(--s4)}.b5{background:var(--s5)}\n"
	".legend span{margin-right:1.2em;white-space:nowrap}.legend i{display:inline-block;width:14px;height:3px;"
	"margin-right:.4em;vertical-align:middle}\n"
	"table{border-collapse:collapse;margin-top:1em}td{padding:.15em 1.5em .15em 0}td+td{text-align:right;"
	"font-variant-numeric:tabular-nums}\n";

static void PrintTable(FILE* page, const RunStats* stats)
{
	double cost = 0.0, worst = 0.0, solves = 0.0, iterations = 0.0;
	uint32_t most = 0;
	for (uint32_t i = 0; i < stats->count; ++i)
	{
		const RunFrame* s = &stats->frames[i];
		double frame = AnimateMs(s) + AdaptMs(s) + SimulateMs(s) + ContactMs(s) + SurfaceMs(s) + PublishMs(s);
		cost += frame;
		worst = fmax(worst, frame);
		solves += Solves(s);
		iterations += Iterations(s);
		most = s->counters.triangles > most ? s->counters.triangles : most;
	}
	const RunFrame* last = &stats->frames[stats->count - 1];
	fprintf(page, "<table><tr><td>frames</td><td>%u</td></tr>\n", stats->count);
	fprintf(page, "<tr><td>simulated time</td><td>%.3g s</td></tr>\n", last->time);
	fprintf(page, "<tr><td>triangles, at the end</td><td>%u</td></tr>\n", last->counters.triangles);
	fprintf(page, "<tr><td>triangles, at most</td><td>%u</td></tr>\n", most);
	fprintf(page, "<tr><td>cost of a frame, mean</td><td>%.3g ms</td></tr>\n", cost / stats->count);
	fprintf(page, "<tr><td>cost of a frame, worst</td><td>%.3g ms</td></tr>\n", worst);
	if (solves > 0.0)
		fprintf(page, "<tr><td>iterations of a linear solve, mean</td><td>%.3g</td></tr>\n", iterations / solves);
	fputs("</table>\n", page);
}

static bool IsShown(const Plot* plot, const RunStats* stats)
{
	for (uint32_t i = 0; plot->onlyIf && i < stats->count; ++i)
		if (plot->onlyIf(&stats->frames[i]) > 0.0)
			return true;
	return !plot->onlyIf;
}

static void PrintPage(FILE* page, const RunStats* stats, const drapeScene* scene)
{
	const char* title = scene->name[0] ? scene->name : scene->path;
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
	      page);
	PrintEscaped(page, title);
	fprintf(page, "</title>\n<style>\n%s</style></head><body>\n<h1>", style);
	PrintEscaped(page, title);
	fputs("</h1>\n<p>", page);
	PrintEscaped(page, scene->about);
	fputs("</p>\n", page);
	if (stats->count > 0)
	{
		PrintTable(page, stats);
		for (size_t i = 0; i < sizeof plots / sizeof plots[0]; ++i)
			if (IsShown(&plots[i], stats))
				PrintPlot(page, &plots[i], stats);
	}
	fprintf(page, "<p>drape %d.%d.%d</p>\n</body></html>\n", DRAPE_VERSION_MAJOR, DRAPE_VERSION_MINOR,
	        DRAPE_VERSION_PATCH);
}

drapeResult RunReport_Write(const char* path, const RunStats* stats, const drapeScene* scene, drapeMessage* error)
{
	char* text = NULL;
	size_t size = 0;
	FILE* page = open_memstream(&text, &size);
	if (!page)
		return drape_errorMemory;
	PrintPage(page, stats, scene);
	bool memory = fclose(page) == 0;
	drapeResult result = memory ? drapeFile_Write(path, text, size, error) : drape_errorMemory;
	free(text);
	return result;
}
