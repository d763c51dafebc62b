// SPDX-License-Identifier: MIT
#pragma once

/// @file io.h
/// Files. This is library `drape_io`; the core does no file I/O.

#include "drape/mesh.h"

/// What went wrong with a file, ready to show: "shirt.obj:17: face names vertex 9, but there are only 8".
/// Empty text means no error.
typedef struct drapeFileError
{
	drapeResult result;
	uint32_t line; ///< 1-based; 0 when the error has no line
	char text[512];
} drapeFileError;

/// A run of faces under the same `o`, `g` and `usemtl` lines.
typedef struct drapeObjPart
{
	uint32_t firstTriangle, triangleCount;
	const char* object; ///< "" when the file names none; writing takes NULL too; likewise below
	const char* group;
	const char* material;
} drapeObjPart;

/// An OBJ file in memory. Everything belongs to the object and lives until drapeObj_Free.
/// drapeMesh::texcoordTriangles is NULL when no face uses a texture coordinate, even if the file lists some; likewise
/// for normals. A face either has texture coordinates at all corners or at none.
typedef struct drapeObj
{
	drapeMesh mesh; ///< polygons are triangulated; corners keep their texture coordinate and normal
	drapeObjPart* parts;
	uint32_t partCount;
	const char* materialLibrary; ///< argument of `mtllib`, or ""
	uint32_t* vertexLines;       ///< [vertexCount] line of each vertex, for messages
	uint32_t* triangleLines;     ///< [triangleCount] line of the face a triangle comes from
	uint32_t ignoredLines; ///< statements that mean nothing here (curves, points, smoothing groups, unknown words)
	char* names;           ///< where the strings above are kept
	size_t namesSize;      ///< bytes at names
} drapeObj;

/// Reads @p path. Handles v, vt, vn, f, g, o, usemtl, mtllib; negative indices; polygons of any size, concave ones too;
/// CRLF; lines continued with a backslash; a missing final newline. Values behind x y z (a weight of 1, colours) and
/// behind u v are accepted and dropped. Time and memory are linear in the file's size. On failure returns a result
/// other than ::drape_ok, fills @p error (if not NULL) and leaves @p obj cleared: ::drape_errorFile when the file
/// cannot be read, ::drape_errorData when it is not usable OBJ or has no face, ::drape_errorLimit beyond 2^30 - 1
/// vertices or triangles, ::drape_errorMemory. Any thread.
DRAPE_API drapeResult drapeObj_Read(const char* path, drapeObj* obj, drapeFileError* error);

/// The same from memory. @p name stands for the file in messages.
DRAPE_API drapeResult drapeObj_Parse(const char* text, size_t size, const char* name, drapeObj* obj,
                                     drapeFileError* error);

/// What drapeObj_Write writes.
typedef struct drapeObjWriteDef
{
	const drapeMesh* mesh;
	const drapeObjPart* parts; ///< in order, covering every triangle; NULL for one unnamed part
	uint32_t partCount;
	const char* materialLibrary; ///< NULL or "" for none
	const char* comment;         ///< first lines of the file, each put behind "# "; NULL for none
} drapeObjWriteDef;

/// Writes @p path through a temporary file beside it, which is renamed at the end: a reader sees the old file or the
/// whole new one, and a failure leaves nothing behind. Numbers are written so that reading gives the same bits. A mesh
/// that OBJ cannot hold is refused with ::drape_errorData: coordinates that are not finite, corners out of range, a
/// triangle with a texture coordinate or normal at some corners only, a name with a line break, with blanks around it
/// or with a backslash at its end. Any thread.
DRAPE_API drapeResult drapeObj_Write(const char* path, const drapeObjWriteDef* def, drapeFileError* error);

/// Frees what drapeObj_Read or drapeObj_Parse gave, and clears it.
DRAPE_API void drapeObj_Free(drapeObj* obj);

/// What drapePly_Write writes. A vertex has one texture coordinate: split it where a seam gives it two.
typedef struct drapePlyWriteDef
{
	const drapeVec3* positions; ///< [vertexCount], metres
	const drapeVec3* normals;   ///< [vertexCount], NULL for none
	const drapeVec2* texcoords; ///< [vertexCount], NULL for none
	uint32_t vertexCount;
	const uint32_t* triangles; ///< [3 * triangleCount]
	uint32_t triangleCount;
	const char* comment; ///< one line, NULL for none
} drapePlyWriteDef;

/// Writes a binary PLY file, little endian: x y z, nx ny nz, s t as floats. As drapeObj_Write, through a temporary
/// file. Any thread.
DRAPE_API drapeResult drapePly_Write(const char* path, const drapePlyWriteDef* def, drapeFileError* error);

/// Which sample of a point cache drapePc2_Append writes.
typedef struct drapePc2Sample
{
	uint32_t index;          ///< 0 begins a new file
	float firstFrame;        ///< frame number of sample 0; samples are one frame apart
	const drapeVec3* points; ///< [pointCount], metres
	uint32_t pointCount;     ///< the same for all samples of a file
} drapePc2Sample;

/// Adds a sample to a PC2 point cache. Samples after it are cut off, so that a run that was interrupted can go on from
/// any sample; the file can be read after every call. ::drape_errorData when the file has not as many samples before
/// this one, or another number of points. Any thread.
DRAPE_API drapeResult drapePc2_Append(const char* path, const drapePc2Sample* sample, drapeFileError* error);

/// Writes @p size bytes to @p path through a temporary file, as drapeObj_Write does. Any thread.
DRAPE_API drapeResult drapeFile_Write(const char* path, const void* data, size_t size, drapeFileError* error);
