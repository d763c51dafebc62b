// SPDX-License-Identifier: MIT
#pragma once

// io — files. The core never opens one; this room does, and knows of the core only what include/drape/ says.
//
//   memory.c       growable arrays over drapeAlloc, so that the host's hooks see every byte
//   file_error.c   messages of the form "shirt.obj:17: what is wrong", safe to show whatever the file holds
//   number.c       decimal text to float and back, exact, whatever the process's locale
//   lines.c        a stream cut into logical lines: CRLF, continuation lines, any line length, one buffer
//   triangulate.c  a polygon in space to triangles, by clipping the best ear first
//   obj_read.c     one statement of an OBJ file at a time into the arrays of a drapeObj
//   writer.c       a file under a temporary name, which becomes the real one at the very end
//   obj_write.c    the way back
//   ply.c          meshes with normals for renderers; pc2.c: the points of a mesh that does not change, over time
//   scene*.c       scenes; see scene_reader.h
//
// Rules of the house: what a file holds is never asserted, it is refused with file and line; time is linear in the
// file's size; a failure leaves no memory, no file and no half-filled output behind; nothing depends on the locale.

#include "drape/io.h"

#include <assert.h>
#include <stdarg.h>

// Elements of a mesh are named by 30 bits; see DRAPE_NONE.
#define IO_MAX_ELEMENTS ((1u << 30) - 1)

// --- memory.c ---

// A growable array is three fields: IO_ARRAY(uint32_t) lines;
#define IO_ARRAY(Type)                                                                                                 \
	struct                                                                                                             \
	{                                                                                                                  \
		Type* data;                                                                                                    \
		size_t count, capacity;                                                                                        \
	}

// True when the array has room for `extra` more elements.
#define IoArray_Reserve(array, extra)                                                                                  \
	((extra) <= (array)->capacity - (array)->count ||                                                                  \
	 drapeIoArray_GrowBytes((void**)&(array)->data, &(array)->capacity, (array)->count, (extra),                       \
	                        sizeof(*(array)->data)))

// Only after a successful IoArray_Reserve.
#define IoArray_Push(array, value) ((array)->data[(array)->count++] = (value))

// Gives back what growing left over: capacity becomes count. False when memory is short; the array stays as it was.
#define IoArray_Trim(array)                                                                                            \
	drapeIoArray_TrimBytes((void**)&(array)->data, &(array)->capacity, (array)->count, sizeof(*(array)->data))

#define IoArray_Free(array)                                                                                            \
	do                                                                                                                 \
	{                                                                                                                  \
		drapeFree((array)->data, (array)->capacity * sizeof(*(array)->data));                                          \
		(array)->data = NULL;                                                                                          \
		(array)->count = (array)->capacity = 0;                                                                        \
	} while (0)

// Grows by half, to keep pushes constant in the mean.
bool drapeIoArray_GrowBytes(void** data, size_t* capacity, size_t count, size_t extra, size_t elementSize);
bool drapeIoArray_TrimBytes(void** data, size_t* capacity, size_t count, size_t elementSize);

// --- file_error.c ---

// Fills `error` (may be NULL) with "name:line: sentence", or "name: sentence" when line is 0, and returns `result`.
drapeResult drapeFileError_Set(drapeFileError* error, drapeResult result, const char* name, uint32_t line,
                               const char* format, ...) __attribute__((format(printf, 5, 6)));

// The same with the operating system's words for errno value `code`: "name: cannot open: No such file or directory".
drapeResult drapeFileError_SetSystem(drapeFileError* error, const char* name, const char* action, int code);

// As drapeFileError_Set with "name:line:column: sentence".
drapeResult drapeFileError_SetAt(drapeFileError* error, drapeResult result, const char* name, uint32_t line,
                                 uint32_t column, const char* format, va_list arguments)
	__attribute__((format(printf, 6, 0)));

// A piece of a file as it can be shown in a message: at most 40 characters, control characters as \xNN.
typedef struct Quoted
{
	char text[64];
} Quoted;

Quoted drapeQuote(const char* text, size_t length);

// --- number.c ---

typedef enum NumberResult
{
	number_ok = 0,
	number_malformed, // also "nan" and "inf": no file means them
	number_overflow,  // finite on paper, infinite as a float
} NumberResult;

// Reads all of text[0 .. length): [+-]digits[.digits][e[+-]digits]. Correctly rounded.
NumberResult drapeNumber_Parse(const char* text, size_t length, float* value);

// Enough for any float and a final zero byte.
#define NUMBER_CAPACITY 24

// The shortest of 6 to 9 significant digits that reads back to the same bits. Returns the length. `value` is finite.
size_t drapeNumber_Format(float value, char text[NUMBER_CAPACITY]);

// --- lines.c ---

// Fills at most `capacity` bytes; returns how many, 0 at the end, or -1 with errno set.
typedef ptrdiff_t LineSourceFcn(void* context, char* buffer, size_t capacity);

// A line longer than this is not text that anybody wrote.
#define LINE_MAX_LENGTH ((size_t)1 << 30)

typedef struct LineReader
{
	LineSourceFcn* source;
	void* context;
	char* buffer;
	size_t capacity, start, end; // unread bytes are buffer[start .. end)
	uint32_t nextLine;           // number of the line that begins at `start`
	bool finished;               // the source has given its last byte

	// The current logical line, without line ends; continuations have become blanks. Valid until the next call.
	char* text;
	size_t length;
	uint32_t line; // where it begins, from 1
} LineReader;

typedef enum LineResult
{
	line_ok = 0,
	line_end,
	line_memory,
	line_tooLong,
	line_readError, // errno says why
} LineResult;

LineResult drapeLineReader_Begin(LineReader* reader, LineSourceFcn* source, void* context, size_t chunk);
LineResult drapeLineReader_Next(LineReader* reader);
void drapeLineReader_End(LineReader* reader);

// --- writer.c ---

// A buffered file that remembers its first error. Little endian, whatever the machine.
typedef struct Writer
{
	const char* path; // the caller's
	char* target;     // the file that will be replaced, symbolic links followed
	char* temporary;  // beside it
	uint32_t mode;    // of the file replaced; 0 for a new one
	int descriptor;
	int error; // errno of the first write that failed, or 0
	size_t used;
	char* buffer;
} Writer;

// `path` must outlive the writer. Nothing is left open when it fails.
drapeResult drapeWriter_Open(Writer* writer, const char* path, drapeFileError* error);
void drapeWriter_Put(Writer* writer, const void* data, size_t length);
void drapeWriter_PutText(Writer* writer, const char* text);
void drapeWriter_PutUint32(Writer* writer, uint32_t value);
void drapeWriter_PutFloats(Writer* writer, const float* values, size_t count);

// Gives the file its name, or removes it when anything failed. Frees the writer.
drapeResult drapeWriter_Close(Writer* writer, drapeFileError* error);

// --- triangulate.c ---

// Scratch for polygons of any size, kept from one polygon to the next. Zero-initialise.
typedef struct Triangulator
{
	void* memory;
	size_t size;
	drapeVec3* points; // the caller's polygon goes here, after drapeTriangulator_Reserve
	uint32_t* corners; // [3 * (count - 2)] the result: corners of the polygon, 0 .. count - 1
} Triangulator;

// Makes room for a polygon of `count` corners. False when memory is short.
bool drapeTriangulator_Reserve(Triangulator* triangulator, uint32_t count);

// Cuts points[0 .. count) into count - 2 triangles with the polygon's winding. count is at least 3 and reserved.
void drapeTriangulator_Run(Triangulator* triangulator, uint32_t count);
void drapeTriangulator_Free(Triangulator* triangulator);

// --- obj_read.c ---

// drapeObj_Parse with a smaller limit of vertices and triangles, so that a test can reach it.
drapeResult drapeObj_ParseLimited(const char* text, size_t size, const char* name, uint32_t limit, drapeObj* obj,
                                  drapeFileError* error);
