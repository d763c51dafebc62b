// SPDX-License-Identifier: MIT
#pragma once

// io: files. The core does no file I/O. This library uses only the public headers of the core.
//
//   memory.c       growable arrays over drapeAlloc, so that the host's hooks see every byte
//   file_error.c   messages of the form "shirt.obj:17: what is wrong", safe to show for any content of the file
//   number.c       decimal text to float and back, exact in any locale
//   lines.c        divides a stream into logical lines: CRLF, continuation lines, any line length, one buffer
//   triangulate.c  divides a polygon in space into triangles, clipping the best ear first
//   obj_read.c     reads an OBJ file, statement by statement, into the arrays of a drapeObj
//   writer.c       writes a file under a temporary name and renames it at the end
//   obj_write.c    writes an OBJ file
//   ply.c          writes meshes with normals for renderers
//   pc2.c          writes the points of a mesh with fixed topology over time
//   frame_name.c   names of sequences, one file per frame
//   scene*.c       scenes; see scene_reader.h
//
// Rules: bad content of a file never asserts; the reader refuses it with file and line. Time is linear in the size of
// the file. A failure leaves no memory, no file and no partial output. Results do not depend on the locale.

#include "drape/io.h"

#include <assert.h>
#include <stdarg.h>

// An index of a mesh element has 30 bits; see DRAPE_NONE.
#define IO_MAX_ELEMENTS ((1u << 30) - 1)

// --- memory.c ---

// A growable array is three fields: IO_ARRAY(uint32_t) lines;
#define IO_ARRAY(Type)                                                                                                 \
	struct                                                                                                             \
	{                                                                                                                  \
		Type* data;                                                                                                    \
		size_t count, capacity;                                                                                        \
	}

// Ensures capacity for `extra` more elements. False if memory runs out.
#define IoArray_Reserve(array, extra)                                                                                  \
	((extra) <= (array)->capacity - (array)->count ||                                                                  \
	 drapeIoArray_GrowBytes((void**)&(array)->data, &(array)->capacity, (array)->count, (extra),                       \
	                        sizeof(*(array)->data)))

// Call it only after a successful IoArray_Reserve.
#define IoArray_Push(array, value) ((array)->data[(array)->count++] = (value))

// Frees unused capacity: capacity becomes count. False if memory runs out; the array is then unchanged.
#define IoArray_Trim(array)                                                                                            \
	drapeIoArray_TrimBytes((void**)&(array)->data, &(array)->capacity, (array)->count, sizeof(*(array)->data))

#define IoArray_Free(array)                                                                                            \
	do                                                                                                                 \
	{                                                                                                                  \
		drapeFree((array)->data, (array)->capacity * sizeof(*(array)->data));                                          \
		(array)->data = NULL;                                                                                          \
		(array)->count = (array)->capacity = 0;                                                                        \
	} while (0)

// Grows by half, so that a push takes constant time on average.
bool drapeIoArray_GrowBytes(void** data, size_t* capacity, size_t count, size_t extra, size_t elementSize);
bool drapeIoArray_TrimBytes(void** data, size_t* capacity, size_t count, size_t elementSize);

// --- file_error.c ---

// Fills `error` (may be NULL) with "name:line: sentence", or "name: sentence" when line is 0, and returns `result`.
drapeResult drapeFileError_Set(drapeMessage* error, drapeResult result, const char* name, uint32_t line,
                               const char* format, ...) __attribute__((format(printf, 5, 6)));

// Refuses an argument: fills `error` (may be NULL) with the sentence and returns drape_errorArgument.
drapeResult drapeFileError_Refuse(drapeMessage* error, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Refuses the first pointer of a list that is NULL: `names` has its name, such as "path|obj".
drapeResult drapeFileError_CheckPointers(drapeMessage* error, const char* names, const void* const* pointers);

// As drapeFileError_Set, with the operating system's text for errno value `code`: "name: cannot open: No such file or
// directory".
drapeResult drapeFileError_SetSystem(drapeMessage* error, const char* name, const char* action, int code);

// As drapeFileError_Set with "name:line:column: sentence".
drapeResult drapeFileError_SetAt(drapeMessage* error, drapeResult result, const char* name, uint32_t line,
                                 uint32_t column, const char* format, va_list arguments)
	__attribute__((format(printf, 6, 0)));

// A part of a file that is safe to show in a message: at most 40 characters, control characters as \xNN.
typedef struct Quoted
{
	char text[64];
} Quoted;

Quoted drapeQuote(const char* text, size_t length);

// --- number.c ---

typedef enum NumberResult
{
	number_ok = 0,
	number_malformed, // also "nan" and "inf"
	number_overflow,  // finite as a decimal, infinite as a float
} NumberResult;

// Reads all of text[0 .. length): [+-]digits[.digits][e[+-]digits]. Correctly rounded.
NumberResult drapeNumber_Parse(const char* text, size_t length, float* value);

// Enough for any float and a final zero byte.
#define NUMBER_CAPACITY 24

// The shortest of 6 to 9 significant digits that reads back to the same bits. Returns the length. `value` is finite.
size_t drapeNumber_Format(float value, char text[NUMBER_CAPACITY]);

// --- lines.c ---

// Reads at most `capacity` bytes. Returns their number, 0 at the end, or -1 with errno set.
typedef ptrdiff_t LineSourceFcn(void* context, char* buffer, size_t capacity);

// A longer line is an error: it is not text.
#define LINE_MAX_LENGTH ((size_t)1 << 30)

typedef struct LineReader
{
	LineSourceFcn* source;
	void* context;
	char* buffer;
	size_t capacity, start, end; // unread bytes are buffer[start .. end)
	uint32_t nextLine;           // number of the line that begins at `start`
	bool finished;               // the source is at its end

	// The current logical line, without line ends; continuations have become blanks. Valid until the next call.
	char* text;
	size_t length;
	uint32_t line; // number of its first line, counted from 1
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

// A buffered file that keeps its first error. Little endian on every machine.
typedef struct Writer
{
	const char* path; // the caller's
	char* target;     // the file that will be replaced, symbolic links followed
	char* temporary;  // in the same folder
	uint32_t mode;    // mode of the replaced file; 0 for a new one
	int descriptor;
	int error; // errno of the first write that failed, or 0
	size_t used;
	char* buffer;
} Writer;

// `path` must outlive the writer. A failure leaves no open file.
drapeResult drapeWriter_Open(Writer* writer, const char* path, drapeMessage* error);
void drapeWriter_Put(Writer* writer, const void* data, size_t length);
void drapeWriter_PutText(Writer* writer, const char* text);
void drapeWriter_PutUint32(Writer* writer, uint32_t value);
void drapeWriter_PutFloats(Writer* writer, const float* values, size_t count);

// Renames the file, or removes it if a write failed. Frees the writer.
drapeResult drapeWriter_Close(Writer* writer, drapeMessage* error);

// --- triangulate.c ---

// Scratch memory for polygons of any size, reused for each polygon. Zero-initialise it.
typedef struct Triangulator
{
	void* memory;
	size_t size;
	drapeVec3* points; // the caller's polygon goes here, after drapeTriangulator_Reserve
	uint32_t* corners; // [3 * (count - 2)] the result: corners of the polygon, 0 .. count - 1
} Triangulator;

// Reserves memory for a polygon of `count` corners. Returns false if memory runs out.
bool drapeTriangulator_Reserve(Triangulator* triangulator, uint32_t count);

// Divides points[0 .. count) into count - 2 triangles with the polygon's winding. count is at least 3 and reserved.
void drapeTriangulator_Run(Triangulator* triangulator, uint32_t count);
void drapeTriangulator_Free(Triangulator* triangulator);

// --- obj_read.c ---

// drapeObj_Parse with a smaller limit of vertices and triangles, so that a test can reach it.
drapeResult drapeObj_ParseLimited(const char* text, size_t size, const char* name, uint32_t limit, drapeObj* obj,
                                  drapeMessage* error);
