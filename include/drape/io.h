// SPDX-License-Identifier: MIT
#pragma once

/// @file io.h
/// Mesh files. This header belongs to the library `drape_io`; the core does no file I/O.
///
/// Every function may be called on any thread. Functions that can fail fill a drapeMessage (may be NULL) with a
/// sentence. They return ::drape_errorArgument, and write nothing, for a pointer that is NULL although the function
/// needs it.

#include "drape/cloth.h"

/// Consecutive faces with the same `o`, `g` and `usemtl` lines.
typedef struct drapeObjPart
{
	uint32_t firstTriangle, triangleCount;
	const char* object; ///< "" if the file has none; drapeObj_Write also accepts NULL; likewise below
	const char* group;
	const char* material;
} drapeObjPart;

/// The largest number of ignored statements that a drapeObj lists.
#define DRAPE_OBJ_LISTED 16

/// A statement of an OBJ file that was ignored.
typedef struct drapeObjIgnored
{
	uint32_t line;
	char keyword[12]; ///< its first word, printable, cut to this length
} drapeObjIgnored;

/// An OBJ file in memory. The object owns all arrays until drapeObj_Free. drapeMesh::texcoordTriangles is NULL if no
/// face uses a texture coordinate, even if the file lists some; likewise for normals. A face has texture coordinates at
/// all corners or at none.
typedef struct drapeObj
{
	drapeMesh mesh; ///< polygons are triangulated; corners keep their texture coordinate and normal
	drapeObjPart* parts;
	uint32_t partCount;
	const char* materialLibrary; ///< argument of `mtllib`, or ""
	uint32_t* vertexLines;       ///< [vertexCount] line of each vertex, for messages
	uint32_t* triangleLines;     ///< [triangleCount] line of the face a triangle comes from
	uint32_t ignoredLines;       ///< statements that were ignored (curves, points, smoothing groups, unknown words)
	drapeObjIgnored ignored[DRAPE_OBJ_LISTED]; ///< the first of them
	uint32_t polygonCount;                     ///< faces of more than three corners, which were cut into triangles
	uint32_t largestPolygon;                   ///< corners of the largest of them; 0 for none
	uint32_t largestPolygonLine;               ///< its line
	char* names;                               ///< storage of the strings above
	size_t namesSize;                          ///< bytes at names
} drapeObj;

/// Reads @p path. The reader handles v, vt, vn, f, g, o, usemtl and mtllib; negative indices; polygons of any size,
/// concave ones included; CRLF; lines continued with a backslash; and a missing final newline. It accepts and drops
/// values after x y z (a weight of 1, colours) and after u v. Time and memory are linear in the size of the file. On
/// failure the function clears @p obj, fills @p error (may be NULL) and returns ::drape_errorFile if the file cannot be
/// read, ::drape_errorData if it is not usable OBJ or has no face, ::drape_errorLimit beyond 2^30 - 1 vertices or
/// triangles, or ::drape_errorMemory. Free the object with drapeObj_Free.
DRAPE_API drapeResult drapeObj_Read(const char* path, drapeObj* obj, drapeMessage* error);

/// Reads an OBJ file from memory, as drapeObj_Read does. Messages use @p name as the name of the file.
DRAPE_API drapeResult drapeObj_Parse(const char* text, size_t size, const char* name, drapeObj* obj,
                                     drapeMessage* error);

/// The input of drapeObj_Write.
typedef struct drapeObjWriteDef
{
	const drapeMesh* mesh;
	const drapeObjPart* parts; ///< in order, covering all triangles; NULL for one unnamed part
	uint32_t partCount;
	const char* materialLibrary; ///< NULL or "" for none
	const char* comment;         ///< first lines of the file, each written after "# "; NULL for none
} drapeObjWriteDef;

/// Writes @p path through a temporary file in the same folder, which is renamed at the end. A reader sees the old file
/// or the complete new one, and a failure leaves no file. Reading the file gives the same bits. The function returns
/// ::drape_errorData for a mesh that OBJ cannot store: coordinates that are not finite, corners out of range, a
/// triangle with a texture coordinate or normal at some corners only, or a name with a line break, leading or trailing
/// blanks, or a final backslash. Other errors are ::drape_errorFile and ::drape_errorMemory. @p error may be NULL.
DRAPE_API drapeResult drapeObj_Write(const char* path, const drapeObjWriteDef* def, drapeMessage* error);

/// Frees an object of drapeObj_Read or drapeObj_Parse, and clears it. It may be NULL.
DRAPE_API void drapeObj_Free(drapeObj* obj);

/// The active mesh of a cloth as files store it. Zero-initialise; free with drapeClothMesh_Free. Arrays come from
/// drapeAlloc.
typedef struct drapeClothMesh
{
	uint32_t vertexCount, triangleCount;
	drapeVec3* positions;       ///< [vertexCount] m
	drapeVec3* normals;         ///< [vertexCount] unit
	uint32_t* triangles;        ///< [3 * triangleCount]
	drapeVec2* cornerTexcoords; ///< [3 * triangleCount]; NULL for none
	drapeObjPart* parts;        ///< [partCount] in order; NULL for one unnamed part. Names are the pattern's
	uint32_t partCount;

	/// A vertex on a seam has several texture coordinates. There is one entry for each of them; NULL without texture
	/// coordinates.
	uint32_t weldCount;
	uint32_t*
		weldVertices; ///< [weldCount] the vertex; the array has a capacity of 3 * triangleCount entries, as the next
	drapeVec2* weldTexcoords; ///< [weldCount]
	uint32_t* weldTriangles;  ///< [3 * triangleCount] entries
} drapeClothMesh;

/// Copies a view. Triangles are sorted by the parts of @p pattern, the mesh that the cloth was made from, so that every
/// triangle keeps its object, group and material. Strings stay the pattern's. ::drape_errorMemory leaves @p mesh
/// cleared, and so does ::drape_errorArgument for a pointer that is NULL; @p error (may be NULL) receives a sentence.
DRAPE_API drapeResult drapeClothMesh_Create(drapeClothMesh* mesh, const drapeClothView* view, const drapeObj* pattern,
                                            drapeMessage* error);

/// Fills the weld arrays from the texture coordinates of the corners. Errors are those of drapeClothMesh_Create.
DRAPE_API drapeResult drapeClothMesh_Weld(drapeClothMesh* mesh, drapeMessage* error);

/// Writes the mesh with its parts, as drapeObj_Write. @p materialLibrary and @p comment may be NULL.
DRAPE_API drapeResult drapeClothMesh_WriteObj(const drapeClothMesh* mesh, const char* materialLibrary,
                                              const char* comment, const char* path, drapeMessage* error);

/// Frees the arrays and clears the mesh, which may be NULL.
DRAPE_API void drapeClothMesh_Free(drapeClothMesh* mesh);

/// The input of drapePly_Write. A vertex has one texture coordinate: duplicate vertices on texture seams.
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

/// Writes a binary PLY file, little endian, through a temporary file as drapeObj_Write does: x y z, nx ny nz, s t as
/// floats. Errors are those of drapeObj_Write.
DRAPE_API drapeResult drapePly_Write(const char* path, const drapePlyWriteDef* def, drapeMessage* error);

/// A sample of a point cache: the input of drapePc2_Append.
typedef struct drapePc2Sample
{
	uint32_t index;          ///< 0 begins a new file
	float firstFrame;        ///< frame number of sample 0; samples are one frame apart
	const drapeVec3* points; ///< [pointCount], metres
	uint32_t pointCount;     ///< the same for all samples of a file
} drapePc2Sample;

/// Adds a sample to a PC2 point cache. The function cuts off later samples, so that an interrupted run can continue
/// from any sample. The file is readable after every call. Returns ::drape_errorData if the file has fewer samples
/// before this one, or another number of points.
DRAPE_API drapeResult drapePc2_Append(const char* path, const drapePc2Sample* sample, drapeMessage* error);

/// The contents of a PC2 point cache.
typedef struct drapePc2Info
{
	uint32_t sampleCount; ///< whole samples
	uint32_t pointCount;  ///< points of each sample
	float firstFrame;     ///< frame number of sample 0
	float frameStep;      ///< frames between two samples, > 0
} drapePc2Info;

/// Reads the header of a PC2 point cache. Returns ::drape_errorFile if the file cannot be read, or ::drape_errorData if it
/// is no PC2 file or is shorter than its header says; @p info is then cleared. @p error may be NULL.
DRAPE_API drapeResult drapePc2_GetInfo(const char* path, drapePc2Info* info, drapeMessage* error);

/// Reads sample @p index into @p points, [pointCount] metres. Returns ::drape_errorArgument for a sample that the file does
/// not have or another number of points; other errors are those of drapePc2_GetInfo.
DRAPE_API drapeResult drapePc2_Read(const char* path, uint32_t index, drapeVec3* points, uint32_t pointCount,
                                    drapeMessage* error);

/// Writes @p size bytes to @p path through a temporary file, as drapeObj_Write does.
DRAPE_API drapeResult drapeFile_Write(const char* path, const void* data, size_t size, drapeMessage* error);

/// --- one file per frame -----------------------------------------------------------------------------------------------

/// Tells whether a path has a variable that stands for the number of a frame: `$F` or `$F4` with that many digits, `%d`
/// or `%04d`, or `####` with as many digits as signs, at least two. `%` and `#` count in the file name only, not in
/// folders.
DRAPE_API bool drapeFrameName_IsSequence(const char* pattern);

/// Tells whether a path has at most one variable, and no `$` that stands for nothing.
DRAPE_API bool drapeFrameName_IsValid(const char* pattern);

/// Writes the path with the variable replaced by a number, or the path as it is if it has none. Returns the length as
/// snprintf does.
DRAPE_API int drapeFrameName_Format(const char* pattern, uint32_t frame, char* path, size_t capacity);

/// Finds the number of a frame: the inverse of drapeFrameName_Format. Returns false if @p path is not a name that the pattern
/// gives for any number up to 999,999,999; @p frame is then unchanged.
DRAPE_API bool drapeFrameName_Parse(const char* pattern, const char* path, uint32_t* frame);

/// The files of a sequence that exist. A file is missing if `count` is less than last - first + 1.
typedef struct drapeFrameRange
{
	uint32_t first, last; ///< least and greatest number; 0 without files
	uint32_t count;       ///< number of files
} drapeFrameRange;

/// Looks for the files of a sequence with numbers from @p from on. Time is linear in the number of files in the folder.
/// Returns ::drape_errorArgument for a path whose file name has no variable, ::drape_errorFile if the folder cannot be
/// read, or ::drape_errorMemory; the range is then empty, and @p error (may be NULL) receives a sentence.
DRAPE_API drapeResult drapeFrameName_FindRange(const char* pattern, uint32_t from, drapeFrameRange* range,
                                               drapeMessage* error);
