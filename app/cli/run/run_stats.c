// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The CSV file is the record. Its numbers read back as the same bits, and a resumed run reads the earlier frames from
// it.

typedef enum ColumnKind
{
	column_uint,
	column_float,
	column_double,
} ColumnKind;

// The way in which the values of a frame's steps are combined.
typedef enum ColumnSum
{
	column_last,
	column_total,
	column_most,
} ColumnSum;

typedef struct Column
{
	const char* name;
	ColumnKind kind;
	ColumnSum sum;
	size_t offset; // offset in RunFrame
} Column;

#define COUNTER(name, kind, sum)                                                                                       \
	{                                                                                                                  \
#name, kind, sum, offsetof(RunFrame, counters.name)                                                            \
	}

#define MEASURE(name)                                                                                                  \
	{                                                                                                                  \
#name, column_float, column_last, offsetof(RunFrame, measures.name)                                            \
	}

#define SECONDS(name)                                                                                                  \
	{                                                                                                                  \
#name "Seconds", column_float, column_total, offsetof(RunFrame, profile.name)                                  \
	}

static const Column columns[] = {
	{"frame", column_uint, column_last, offsetof(RunFrame, frame)},
	{"time", column_double, column_last, offsetof(RunFrame, time)},
	COUNTER(particles, column_uint, column_last),
	COUNTER(triangles, column_uint, column_last),
	COUNTER(edges, column_uint, column_last),
	COUNTER(substeps, column_uint, column_most),
	COUNTER(retries, column_uint, column_total),
	COUNTER(contacts, column_uint, column_last),
	COUNTER(contactPoints, column_uint, column_last),
	COUNTER(impacts, column_uint, column_total),
	COUNTER(frozenVertices, column_uint, column_total),
	COUNTER(unresolved, column_uint, column_total),
	COUNTER(crossings, column_uint, column_most),
	COUNTER(splits, column_uint, column_total),
	COUNTER(joins, column_uint, column_total),
	COUNTER(solves, column_uint, column_total),
	COUNTER(iterations, column_uint, column_total),
	COUNTER(work, column_float, column_total),
	COUNTER(overrun, column_float, column_most),
	COUNTER(cuts, column_uint, column_total),
	MEASURE(stretchMedian),
	MEASURE(stretch99),
	MEASURE(stretchMax),
	MEASURE(deepest),
	MEASURE(kineticEnergy),
	MEASURE(stretchEnergy),
	MEASURE(bendEnergy),
	MEASURE(gravityEnergy),
	SECONDS(animate),
	SECONDS(adapt),
	SECONDS(simulate),
	SECONDS(collide),
	SECONDS(contact),
	SECONDS(surface),
	SECONDS(publish),
};

#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

static void* At(RunFrame* frame, const Column* column)
{
	return (char*)frame + column->offset;
}

static double Value(const RunFrame* frame, const Column* column)
{
	const void* place = (const char*)frame + column->offset;
	if (column->kind == column_uint)
		return *(const uint32_t*)place;
	return column->kind == column_float ? (double)*(const float*)place : *(const double*)place;
}

static void Store(RunFrame* frame, const Column* column, double value)
{
	if (column->kind == column_uint)
		*(uint32_t*)At(frame, column) = (uint32_t)value;
	else if (column->kind == column_float)
		*(float*)At(frame, column) = (float)value;
	else
		*(double*)At(frame, column) = value;
}

void RunFrame_Add(RunFrame* frame, drapeWorldId world, bool isLast)
{
	RunFrame next = {.frame = frame->frame,
	                 .time = frame->time,
	                 .counters = drapeWorld_GetCounters(world),
	                 .profile = drapeWorld_GetProfile(world)};
	if (isLast)
		next.measures = drapeWorld_GetMeasures(world);
	for (size_t i = 0; i < COLUMN_COUNT; ++i)
	{
		double before = Value(frame, &columns[i]), now = Value(&next, &columns[i]);
		if (columns[i].sum == column_total)
			now += before;
		else if (columns[i].sum == column_most && before > now)
			now = before;
		Store(frame, &columns[i], now);
	}
}

// --- the CSV file ---

#define LINE_CAPACITY 1024

static void FormatHeader(char line[LINE_CAPACITY])
{
	size_t length = 0;
	for (size_t i = 0; i < COLUMN_COUNT; ++i)
		length += (size_t)snprintf(line + length, LINE_CAPACITY - length, "%s%s", i > 0 ? "," : "", columns[i].name);
	snprintf(line + length, LINE_CAPACITY - length, "\n");
}

static void FormatRow(const RunFrame* frame, char line[LINE_CAPACITY])
{
	size_t length = 0;
	for (size_t i = 0; i < COLUMN_COUNT; ++i)
		length += (size_t)snprintf(line + length, LINE_CAPACITY - length, "%s%.*g", i > 0 ? "," : "",
		                           columns[i].kind == column_double  ? 17
		                           : columns[i].kind == column_float ? 9
		                                                             : 10,
		                           Value(frame, &columns[i]));
	snprintf(line + length, LINE_CAPACITY - length, "\n");
}

static bool ParseRow(const char* line, RunFrame* frame)
{
	*frame = (RunFrame){0};
	for (size_t i = 0; i < COLUMN_COUNT; ++i)
	{
		char* end;
		Store(frame, &columns[i], strtod(line, &end));
		if (end == line || *end != (i + 1 < COLUMN_COUNT ? ',' : '\n'))
			return false;
		line = end + 1;
	}
	return true;
}

static drapeResult Keep(RunStats* stats, const RunFrame* frame)
{
	if (stats->count == stats->capacity)
	{
		uint32_t capacity = stats->capacity + stats->capacity / 2 + 64;
		RunFrame* frames = realloc(stats->frames, capacity * sizeof *frames);
		if (!frames)
			return drape_errorMemory;
		stats->frames = frames;
		stats->capacity = capacity;
	}
	stats->frames[stats->count++] = *frame;
	return drape_ok;
}

static drapeResult WriteLine(RunStats* stats, const char* line, drapeMessage* error)
{
	errno = 0;
	if (fputs(line, stats->file) >= 0 && fflush(stats->file) == 0)
		return drape_ok;
	return Run_Fail(error, drape_errorFile, "%s: cannot write: %s", stats->path, strerror(errno));
}

// Tells whether a file is empty, missing or the statistics of an earlier run, perhaps of an older version.
static bool IsOurs(const char* path)
{
	static const char start[] = "frame,time,";
	char found[sizeof start] = "";
	FILE* file = fopen(path, "r");
	if (!file)
		return true;
	size_t length = fread(found, 1, sizeof start - 1, file);
	fclose(file);
	return length == 0 || strcmp(found, start) == 0;
}

drapeResult RunStats_Create(RunStats* stats, const char* path, drapeMessage* error)
{
	char line[LINE_CAPACITY];
	*stats = (RunStats){.path = path};
	if (!IsOurs(path))
		return Run_Fail(error, drape_errorData, "%s exists and has no statistics of drape run; it is not overwritten",
		                path);
	stats->file = fopen(path, "w");
	if (!stats->file)
		return Run_Fail(error, drape_errorFile, "%s: cannot write: %s", path, strerror(errno));
	FormatHeader(line);
	return WriteLine(stats, line, error);
}

drapeResult RunStats_Continue(RunStats* stats, const char* path, uint32_t count, drapeMessage* error)
{
	char header[LINE_CAPACITY], line[LINE_CAPACITY];
	*stats = (RunStats){.path = path, .file = fopen(path, "r+")};
	if (!stats->file)
		return Run_Fail(error, drape_errorFile, "%s: cannot continue: %s", path, strerror(errno));
	FormatHeader(header);
	bool fits = fgets(line, sizeof line, stats->file) && strcmp(line, header) == 0;
	drapeResult result = drape_ok;
	while (fits && result == drape_ok && stats->count < count)
	{
		RunFrame frame;
		fits = fgets(line, sizeof line, stats->file) && ParseRow(line, &frame);
		result = fits ? Keep(stats, &frame) : drape_ok;
	}
	if (!fits)
		return Run_Fail(error, drape_errorData, "%s: cannot continue, it does not have the %u finished frames", path,
		                count);
	if (result != drape_ok)
		return result;
	off_t end = ftello(stats->file);
	if (end < 0 || fseeko(stats->file, end, SEEK_SET) != 0 || ftruncate(fileno(stats->file), end) != 0)
		return Run_Fail(error, drape_errorFile, "%s: cannot write: %s", path, strerror(errno));
	return drape_ok;
}

drapeResult RunStats_Append(RunStats* stats, const RunFrame* frame, drapeMessage* error)
{
	char line[LINE_CAPACITY];
	FormatRow(frame, line);
	drapeResult result = WriteLine(stats, line, error);
	return result == drape_ok ? Keep(stats, frame) : result;
}

void RunStats_Close(RunStats* stats)
{
	if (stats->file)
		fclose(stats->file);
	free(stats->frames);
	*stats = (RunStats){0};
}

// --- the JSON file ---

static json_t* FrameJson(const RunFrame* frame)
{
	json_t* object = json_object();
	for (size_t i = 0; i < COLUMN_COUNT; ++i)
	{
		double value = Value(frame, &columns[i]);
		json_object_set_new(object, columns[i].name,
		                    columns[i].kind == column_uint ? json_integer((json_int_t)value) : Cli_JsonNumber(value));
	}
	return object;
}

drapeResult RunStats_WriteJson(const RunStats* stats, const char* path, const drapeScene* scene, json_t* manifest,
                               drapeMessage* error)
{
	json_t* frames = json_array();
	for (uint32_t i = 0; i < stats->count; ++i)
		json_array_append_new(frames, FrameJson(&stats->frames[i]));
	json_t* object = json_pack("{s:o, s:o, s:o, s:o}", "scene", Cli_JsonText(scene->path), "name",
	                           Cli_JsonText(scene->name), "run", manifest, "frames", frames);
	return Run_WriteJson(path, object, error);
}
