// SPDX-License-Identifier: MIT
#include "io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// The reader reads an OBJ file in one pass into the arrays of the mesh. A polygon of n corners reserves the slots of
// its n - 2 triangles and is stored in the first n of them. All positions are known only at the end, because faces may
// name vertices that come later in the file. The reader then triangulates each polygon in its own slots.

#define FILE_CHUNK ((size_t)1 << 20)
#define MEMORY_CHUNK ((size_t)1 << 16)

// The number of bytes before the first vertex that are examined to tell text from binary data.
#define SNIFFED_BYTES 4096

typedef struct FaceCorner
{
	uint32_t vertex, texcoord, normal; // from 0; DRAPE_NONE for none
} FaceCorner;

typedef struct Polygon
{
	uint32_t firstTriangle, cornerCount;
} Polygon;

typedef enum NameKind
{
	name_object,
	name_group,
	name_material,
	name_kindCount,
} NameKind;

typedef struct PartRecord
{
	uint32_t firstTriangle;
	size_t names[name_kindCount]; // offsets, because the names move while they grow
} PartRecord;

typedef struct ObjReader
{
	const char* name;
	drapeMessage* error;
	uint32_t limit; // largest number of vertices and of triangles
	LineReader lines;

	IO_ARRAY(drapeVec3) positions;
	IO_ARRAY(drapeVec2) texcoords;
	IO_ARRAY(drapeVec3) normals;
	IO_ARRAY(uint32_t) vertexLines;
	IO_ARRAY(uint32_t) triangles;
	IO_ARRAY(uint32_t) texcoordTriangles; // empty until a face uses one
	IO_ARRAY(uint32_t) normalTriangles;   // likewise
	IO_ARRAY(uint32_t) triangleLines;
	IO_ARRAY(Polygon) polygons; // faces of more than three corners
	IO_ARRAY(PartRecord) parts;
	IO_ARRAY(FaceCorner) face; // the current face
	IO_ARRAY(char) names;      // zero-terminated, "" first
	IO_ARRAY(char) library;    // arguments of all mtllib lines
	Triangulator triangulator;

	size_t currentNames[name_kindCount];
	bool namesChanged;                                      // since the last face
	uint32_t highestVertex, highestTexcoord, highestNormal; // that a face names, plus 1
	uint32_t ignoredLines;
	drapeObjIgnored ignored[DRAPE_OBJ_LISTED];

	size_t sniffedBytes, sniffedStrange; // before the first vertex
	bool sniffedZero;
} ObjReader;

typedef struct Token
{
	const char* text;
	size_t length;
} Token;

#define FAIL(reader, ...)                                                                                              \
	drapeFileError_Set((reader)->error, drape_errorData, (reader)->name, (reader)->lines.line, __VA_ARGS__)

static drapeResult FailMemory(ObjReader* reader)
{
	return drapeFileError_Set(reader->error, drape_errorMemory, reader->name, reader->lines.line, "out of memory");
}

static bool IsBlank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

// The next word of a statement; a comment ends it.
static bool NextToken(const char** cursor, const char* end, Token* token)
{
	const char* text = *cursor;
	while (text < end && IsBlank(*text))
		++text;
	const char* first = text;
	if (text < end && *text != '#')
		while (text < end && !IsBlank(*text))
			++text;
	*cursor = text;
	*token = (Token){first, (size_t)(text - first)};
	return text > first;
}

// --- v, vt, vn ---

// Reads the numbers of a statement; more than `most` are an error.
static drapeResult ReadNumbers(ObjReader* reader, const char* cursor, const char* end, const char* what, float* values,
                               int most, int* count)
{
	Token token;
	*count = 0;
	while (NextToken(&cursor, end, &token))
	{
		if (*count == most)
			return FAIL(reader, "%s has more than %d values", what, most);
		NumberResult result = drapeNumber_Parse(token.text, token.length, &values[*count]);
		if (result == number_malformed)
			return FAIL(reader, "%s: expected a number, found '%s'", what, drapeQuote(token.text, token.length).text);
		if (result == number_overflow)
			return FAIL(reader, "%s: %s is too large", what, drapeQuote(token.text, token.length).text);
		++*count;
	}
	return drape_ok;
}

static drapeResult ReadVertex(ObjReader* reader, const char* cursor, const char* end)
{
	float values[7];
	int count;
	drapeResult result = ReadNumbers(reader, cursor, end, "vertex", values, 7, &count);
	if (result != drape_ok)
		return result;
	// x y z, then a weight w, colours r g b, or both.
	if (count < 3 || count == 5)
		return FAIL(reader, "vertex has %d value%s, expected x y z", count, count == 1 ? "" : "s");
	if (count == 4 && values[3] != 1.0f)
		return FAIL(reader, "vertex has weight %g; only a weight of 1 has a place in a mesh", (double)values[3]);
	if (reader->positions.count == reader->limit)
		return drapeFileError_Set(reader->error, drape_errorLimit, reader->name, reader->lines.line,
		                          "more than %u vertices, too many for 32-bit indices", reader->limit);
	if (!IoArray_Reserve(&reader->positions, 1) || !IoArray_Reserve(&reader->vertexLines, 1))
		return FailMemory(reader);
	IoArray_Push(&reader->positions, ((drapeVec3){values[0], values[1], values[2]}));
	IoArray_Push(&reader->vertexLines, reader->lines.line);
	return drape_ok;
}

// A corner can name its own texture coordinate and normal, so there can be three for each triangle.
static drapeResult CheckCornerLimit(ObjReader* reader, size_t count, const char* what)
{
	if (count < 3 * (size_t)reader->limit)
		return drape_ok;
	return drapeFileError_Set(reader->error, drape_errorLimit, reader->name, reader->lines.line,
	                          "more than %zu %s, too many for 32-bit indices", count, what);
}

static drapeResult ReadTexcoord(ObjReader* reader, const char* cursor, const char* end)
{
	float values[3] = {0.0f, 0.0f, 0.0f};
	int count;
	drapeResult result = ReadNumbers(reader, cursor, end, "texture coordinate", values, 3, &count);
	if (result == drape_ok && count == 0)
		result = FAIL(reader, "texture coordinate has no value, expected u v");
	if (result == drape_ok)
		result = CheckCornerLimit(reader, reader->texcoords.count, "texture coordinates");
	if (result != drape_ok)
		return result;
	if (!IoArray_Reserve(&reader->texcoords, 1))
		return FailMemory(reader);
	IoArray_Push(&reader->texcoords, ((drapeVec2){values[0], values[1]}));
	return drape_ok;
}

static drapeResult ReadNormal(ObjReader* reader, const char* cursor, const char* end)
{
	float values[3];
	int count;
	drapeResult result = ReadNumbers(reader, cursor, end, "normal", values, 3, &count);
	if (result == drape_ok && count != 3)
		result = FAIL(reader, "normal has %d value%s, expected x y z", count, count == 1 ? "" : "s");
	if (result == drape_ok)
		result = CheckCornerLimit(reader, reader->normals.count, "normals");
	if (result != drape_ok)
		return result;
	if (!IoArray_Reserve(&reader->normals, 1))
		return FailMemory(reader);
	IoArray_Push(&reader->normals, ((drapeVec3){values[0], values[1], values[2]}));
	return drape_ok;
}

// --- f ---

// Reads an index at *cursor and moves behind it. `count` elements of this kind have been read so far.
static drapeResult ReadIndex(ObjReader* reader, const char** cursor, const char* end, const char* what, size_t count,
                             uint32_t* index)
{
	const char* first = *cursor;
	const char* text = first;
	bool negative = text < end && *text == '-';
	if (negative)
		++text;
	const char* digits = text;
	uint64_t value = 0;
	for (; text < end && *text >= '0' && *text <= '9'; ++text)
		value = value <= UINT32_MAX ? value * 10 + (uint64_t)(*text - '0') : value;
	if (text == digits || (text < end && *text != '/'))
		return FAIL(reader, "face: expected the number of a %s, found '%s'", what,
		            drapeQuote(first, (size_t)(end - first)).text);
	*cursor = text;
	if (value == 0)
		return FAIL(reader, "face names %s 0, but counting starts at 1", what);
	if (negative && value > count)
		return FAIL(reader, "face names %s %.*s, but only %zu come before it", what, (int)(text - first), first, count);
	if (value >= UINT32_MAX)
		return FAIL(reader, "face names %s %s, beyond what 32-bit indices can name", what,
		            drapeQuote(first, (size_t)(text - first)).text);
	*index = (uint32_t)(negative ? count - value : value - 1);
	return drape_ok;
}

// v, v/vt, v//vn or v/vt/vn
static drapeResult ReadCorner(ObjReader* reader, Token token, FaceCorner* corner)
{
	*corner = (FaceCorner){DRAPE_NONE, DRAPE_NONE, DRAPE_NONE};
	const char* cursor = token.text;
	const char* end = token.text + token.length;
	drapeResult result = ReadIndex(reader, &cursor, end, "vertex", reader->positions.count, &corner->vertex);
	if (result != drape_ok || cursor == end)
		return result;
	++cursor;
	if (cursor == end || *cursor != '/')
	{
		result = ReadIndex(reader, &cursor, end, "texture coordinate", reader->texcoords.count, &corner->texcoord);
		if (result != drape_ok || cursor == end)
			return result;
	}
	++cursor;
	result = ReadIndex(reader, &cursor, end, "normal", reader->normals.count, &corner->normal);
	if (result == drape_ok && cursor != end)
		result = FAIL(reader, "face: '%s' has more than three parts", drapeQuote(token.text, token.length).text);
	return result;
}

static drapeResult ReadCorners(ObjReader* reader, const char* cursor, const char* end)
{
	reader->face.count = 0;
	Token token;
	while (NextToken(&cursor, end, &token))
	{
		FaceCorner corner;
		drapeResult result = ReadCorner(reader, token, &corner);
		if (result != drape_ok)
			return result;
		if (!IoArray_Reserve(&reader->face, 1))
			return FailMemory(reader);
		IoArray_Push(&reader->face, corner);
		const FaceCorner* first = &reader->face.data[0];
		if ((corner.texcoord == DRAPE_NONE) != (first->texcoord == DRAPE_NONE))
			return FAIL(reader, "face has a texture coordinate at some corners only");
		if ((corner.normal == DRAPE_NONE) != (first->normal == DRAPE_NONE))
			return FAIL(reader, "face has a normal at some corners only");
	}
	if (reader->face.count < 3)
		return FAIL(reader, "face has %zu corner%s, expected at least 3", reader->face.count,
		            reader->face.count == 1 ? "" : "s");
	return drape_ok;
}

// Reserves the corners of the face in an optional array, which starts at the first face that needs it.
#define RESERVE_OPTIONAL(array, used, before, slots)                                                                   \
	((used) || (array)->count > 0 ? IoArray_Reserve((array), (before) - (array)->count + (slots)) : true)

static void PushOptional(uint32_t* data, size_t* count, size_t before, size_t slots)
{
	for (; *count < before + slots; ++*count)
		data[*count] = DRAPE_NONE;
}

static void CountReference(uint32_t* highest, uint32_t index)
{
	if (index != DRAPE_NONE && index >= *highest)
		*highest = index + 1;
}

// Slots behind the polygon's own corners repeat the first one until Triangulate fills them.
static void StoreFace(ObjReader* reader, size_t slots)
{
	size_t before = reader->triangles.count;
	bool texcoords = reader->texcoordTriangles.capacity > 0, normals = reader->normalTriangles.capacity > 0;
	if (texcoords)
		PushOptional(reader->texcoordTriangles.data, &reader->texcoordTriangles.count, before, slots);
	if (normals)
		PushOptional(reader->normalTriangles.data, &reader->normalTriangles.count, before, slots);
	for (size_t i = 0; i < slots; ++i)
	{
		FaceCorner corner = reader->face.data[i < reader->face.count ? i : 0];
		IoArray_Push(&reader->triangles, corner.vertex);
		if (texcoords)
			reader->texcoordTriangles.data[before + i] = corner.texcoord;
		if (normals)
			reader->normalTriangles.data[before + i] = corner.normal;
		CountReference(&reader->highestVertex, corner.vertex);
		CountReference(&reader->highestTexcoord, corner.texcoord);
		CountReference(&reader->highestNormal, corner.normal);
	}
	for (size_t i = 0; i < slots / 3; ++i)
		IoArray_Push(&reader->triangleLines, reader->lines.line);
}

static bool SameNames(const ObjReader* reader, const size_t* a, const size_t* b)
{
	for (int kind = 0; kind < name_kindCount; ++kind)
		if (strcmp(reader->names.data + a[kind], reader->names.data + b[kind]) != 0)
			return false;
	return true;
}

static bool BeginPart(ObjReader* reader)
{
	PartRecord* last = reader->parts.count > 0 ? &reader->parts.data[reader->parts.count - 1] : NULL;
	if (last && (!reader->namesChanged || SameNames(reader, last->names, reader->currentNames)))
		return true;
	if (!IoArray_Reserve(&reader->parts, 1))
		return false;
	PartRecord part = {.firstTriangle = (uint32_t)reader->triangleLines.count};
	memcpy(part.names, reader->currentNames, sizeof part.names);
	IoArray_Push(&reader->parts, part);
	return true;
}

static drapeResult ReadFace(ObjReader* reader, const char* cursor, const char* end)
{
	drapeResult result = ReadCorners(reader, cursor, end);
	if (result != drape_ok)
		return result;
	size_t cornerCount = reader->face.count, before = reader->triangles.count;
	if (cornerCount - 2 > reader->limit - reader->triangleLines.count)
		return drapeFileError_Set(reader->error, drape_errorLimit, reader->name, reader->lines.line,
		                          "more than %u triangles, too many for 32-bit indices", reader->limit);
	size_t slots = 3 * (cornerCount - 2);
	if (!IoArray_Reserve(&reader->triangles, slots) || !IoArray_Reserve(&reader->triangleLines, slots / 3) ||
	    !RESERVE_OPTIONAL(&reader->texcoordTriangles, reader->face.data[0].texcoord != DRAPE_NONE, before, slots) ||
	    !RESERVE_OPTIONAL(&reader->normalTriangles, reader->face.data[0].normal != DRAPE_NONE, before, slots) ||
	    !IoArray_Reserve(&reader->polygons, 1) || !BeginPart(reader))
		return FailMemory(reader);
	reader->namesChanged = false;
	if (cornerCount > 3)
		IoArray_Push(&reader->polygons, ((Polygon){(uint32_t)(before / 3), (uint32_t)cornerCount}));
	StoreFace(reader, slots);
	return drape_ok;
}

// --- o, g, usemtl, mtllib ---

// The rest of a line without blanks around it. A backslash at the end is what continuation lines leave.
static Token RestOfLine(const char* cursor, const char* end)
{
	while (cursor < end && IsBlank(*cursor))
		++cursor;
	while (end > cursor && (IsBlank(end[-1]) || end[-1] == '\\'))
		--end;
	return (Token){cursor, (size_t)(end - cursor)};
}

static drapeResult ReadName(ObjReader* reader, NameKind kind, const char* cursor, const char* end)
{
	Token rest = RestOfLine(cursor, end);
	const char* current = reader->names.data + reader->currentNames[kind];
	if (strlen(current) == rest.length && memcmp(current, rest.text, rest.length) == 0)
		return drape_ok;
	reader->namesChanged = true;
	if (rest.length == 0)
	{
		reader->currentNames[kind] = 0;
		return drape_ok;
	}
	if (!IoArray_Reserve(&reader->names, rest.length + 1))
		return FailMemory(reader);
	reader->currentNames[kind] = reader->names.count;
	memcpy(reader->names.data + reader->names.count, rest.text, rest.length);
	reader->names.count += rest.length;
	IoArray_Push(&reader->names, '\0');
	return drape_ok;
}

static drapeResult ReadObject(ObjReader* reader, const char* cursor, const char* end)
{
	return ReadName(reader, name_object, cursor, end);
}

static drapeResult ReadGroup(ObjReader* reader, const char* cursor, const char* end)
{
	return ReadName(reader, name_group, cursor, end);
}

static drapeResult ReadMaterial(ObjReader* reader, const char* cursor, const char* end)
{
	return ReadName(reader, name_material, cursor, end);
}

// Several mtllib lines mean the same as one line with several names.
static drapeResult ReadLibrary(ObjReader* reader, const char* cursor, const char* end)
{
	Token rest = RestOfLine(cursor, end);
	if (rest.length == 0)
		return drape_ok;
	if (!IoArray_Reserve(&reader->library, rest.length + 1))
		return FailMemory(reader);
	if (reader->library.count > 0)
		IoArray_Push(&reader->library, ' ');
	memcpy(reader->library.data + reader->library.count, rest.text, rest.length);
	reader->library.count += rest.length;
	return drape_ok;
}

// --- statements ---

typedef drapeResult StatementFcn(ObjReader* reader, const char* cursor, const char* end);

static const struct
{
	const char* keyword;
	StatementFcn* read;
} statements[] = {
	{"v", ReadVertex}, {"f", ReadFace},  {"vt", ReadTexcoord},     {"vn", ReadNormal},
	{"o", ReadObject}, {"g", ReadGroup}, {"usemtl", ReadMaterial}, {"mtllib", ReadLibrary},
};

static void Ignore(ObjReader* reader, Token keyword)
{
	if (reader->ignoredLines < DRAPE_OBJ_LISTED)
	{
		drapeObjIgnored* ignored = &reader->ignored[reader->ignoredLines];
		ignored->line = reader->lines.line;
		for (size_t i = 0; i < keyword.length && i + 1 < sizeof ignored->keyword; ++i)
		{
			char byte = keyword.text[i];
			ignored->keyword[i] = byte > 32 && byte < 127 ? byte : '?';
		}
	}
	if (reader->ignoredLines < UINT32_MAX)
		reader->ignoredLines++;
}

static drapeResult ReadStatement(ObjReader* reader, const char* text, const char* end)
{
	Token keyword;
	if (!NextToken(&text, end, &keyword))
		return drape_ok;
	if (memchr(reader->lines.text, 0, reader->lines.length))
		return FAIL(reader, "line holds a zero byte, which text does not have");
	for (size_t i = 0; i < sizeof statements / sizeof statements[0]; ++i)
		if (strlen(statements[i].keyword) == keyword.length &&
		    memcmp(statements[i].keyword, keyword.text, keyword.length) == 0)
			return statements[i].read(reader, text, end);
	Ignore(reader, keyword);
	return drape_ok;
}

// --- telling text from binary data ---

static void Sniff(ObjReader* reader)
{
	for (size_t i = 0; i < reader->lines.length && reader->sniffedBytes < SNIFFED_BYTES; ++i, ++reader->sniffedBytes)
	{
		unsigned char byte = (unsigned char)reader->lines.text[i];
		reader->sniffedZero |= byte == 0;
		reader->sniffedStrange += byte >= 127 || (byte < 32 && !IsBlank((char)byte));
	}
}

static bool LooksBinary(const ObjReader* reader)
{
	return reader->positions.count == 0 &&
	       (reader->sniffedZero || 10 * reader->sniffedStrange > 3 * reader->sniffedBytes);
}

// --- the whole file ---

static drapeResult LineFailure(ObjReader* reader, LineResult result)
{
	if (result == line_readError)
		return drapeFileError_SetSystem(reader->error, reader->name, "read", errno);
	if (result == line_tooLong)
		return FAIL(reader, "line is longer than 1 GiB");
	return FailMemory(reader);
}

static drapeResult ReadLines(ObjReader* reader)
{
	for (;;)
	{
		LineResult next = drapeLineReader_Next(&reader->lines);
		if (next == line_end)
			return drape_ok;
		if (next != line_ok)
			return LineFailure(reader, next);
		if (reader->positions.count == 0)
			Sniff(reader);
		const char* text = reader->lines.text;
		const char* end = text + reader->lines.length;
		if (reader->lines.line == 1 && reader->lines.length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
			text += 3;
		drapeResult result = ReadStatement(reader, text, end);
		if (result != drape_ok)
			return result;
	}
}

static drapeResult CheckNotEmpty(ObjReader* reader)
{
	if (reader->triangles.count > 0)
		return drape_ok;
	if (reader->lines.nextLine == 1)
		return drapeFileError_Set(reader->error, drape_errorData, reader->name, 0, "file is empty");
	if (reader->positions.count == 0)
		return drapeFileError_Set(reader->error, drape_errorData, reader->name, 0,
		                          "no vertices and no faces; is this an OBJ file?");
	return drapeFileError_Set(reader->error, drape_errorData, reader->name, 0, "%zu vertices, but no faces",
	                          reader->positions.count);
}

static drapeResult CheckReferences(ObjReader* reader, const uint32_t* corners, uint32_t highest, size_t count,
                                   const char* what)
{
	if (highest <= count)
		return drape_ok;
	for (size_t i = 0;; ++i)
	{
		assert(i < reader->triangles.count);
		if (corners[i] != DRAPE_NONE && corners[i] >= count)
			return drapeFileError_Set(reader->error, drape_errorData, reader->name, reader->triangleLines.data[i / 3],
			                          "face names %s %u, but there are only %zu", what, corners[i] + 1, count);
	}
}

static void GatherPolygon(ObjReader* reader, Polygon polygon)
{
	size_t first = 3 * (size_t)polygon.firstTriangle;
	for (uint32_t i = 0; i < polygon.cornerCount; ++i)
	{
		FaceCorner* corner = &reader->face.data[i];
		corner->vertex = reader->triangles.data[first + i];
		corner->texcoord = reader->texcoordTriangles.count > 0 ? reader->texcoordTriangles.data[first + i] : DRAPE_NONE;
		corner->normal = reader->normalTriangles.count > 0 ? reader->normalTriangles.data[first + i] : DRAPE_NONE;
		reader->triangulator.points[i] = reader->positions.data[corner->vertex];
	}
}

static drapeResult Triangulate(ObjReader* reader)
{
	for (size_t p = 0; p < reader->polygons.count; ++p)
	{
		Polygon polygon = reader->polygons.data[p];
		if (!drapeTriangulator_Reserve(&reader->triangulator, polygon.cornerCount))
			return FailMemory(reader);
		GatherPolygon(reader, polygon);
		drapeTriangulator_Run(&reader->triangulator, polygon.cornerCount);
		size_t first = 3 * (size_t)polygon.firstTriangle;
		for (size_t i = 0; i < 3 * ((size_t)polygon.cornerCount - 2); ++i)
		{
			const FaceCorner* corner = &reader->face.data[reader->triangulator.corners[i]];
			reader->triangles.data[first + i] = corner->vertex;
			if (reader->texcoordTriangles.count > 0)
				reader->texcoordTriangles.data[first + i] = corner->texcoord;
			if (reader->normalTriangles.count > 0)
				reader->normalTriangles.data[first + i] = corner->normal;
		}
	}
	return drape_ok;
}

static drapeResult CheckAllReferences(ObjReader* reader)
{
	drapeResult result =
		CheckReferences(reader, reader->triangles.data, reader->highestVertex, reader->positions.count, "vertex");
	if (result == drape_ok)
		result = CheckReferences(reader, reader->texcoordTriangles.data, reader->highestTexcoord,
		                         reader->texcoords.count, "texture coordinate");
	if (result == drape_ok)
		result = CheckReferences(reader, reader->normalTriangles.data, reader->highestNormal, reader->normals.count,
		                         "normal");
	return result;
}

// Make all allocations that can fail first, then hand the arrays over.
static drapeResult HandOver(ObjReader* reader, drapeObj* obj)
{
	size_t libraryOffset = 0;
	if (reader->library.count > 0)
	{
		if (!IoArray_Reserve(&reader->names, reader->library.count + 1))
			return FailMemory(reader);
		libraryOffset = reader->names.count;
		memcpy(reader->names.data + reader->names.count, reader->library.data, reader->library.count);
		reader->names.count += reader->library.count;
		IoArray_Push(&reader->names, '\0');
	}
	drapeObjPart* parts = drapeAlloc(reader->parts.count * sizeof(drapeObjPart));
	if (!parts || !IoArray_Trim(&reader->positions) || !IoArray_Trim(&reader->texcoords) ||
	    !IoArray_Trim(&reader->normals) || !IoArray_Trim(&reader->vertexLines) || !IoArray_Trim(&reader->triangles) ||
	    !IoArray_Trim(&reader->texcoordTriangles) || !IoArray_Trim(&reader->normalTriangles) ||
	    !IoArray_Trim(&reader->triangleLines) || !IoArray_Trim(&reader->names))
	{
		drapeFree(parts, reader->parts.count * sizeof(drapeObjPart));
		return FailMemory(reader);
	}

	*obj = (drapeObj){
		.mesh = {.positions = reader->positions.data,
	             .vertexCount = (uint32_t)reader->positions.count,
	             .triangles = reader->triangles.data,
	             .triangleCount = (uint32_t)reader->triangleLines.count,
	             .texcoords = reader->texcoords.data,
	             .texcoordCount = (uint32_t)reader->texcoords.count,
	             .texcoordTriangles = reader->texcoordTriangles.data,
	             .normals = reader->normals.data,
	             .normalCount = (uint32_t)reader->normals.count,
	             .normalTriangles = reader->normalTriangles.data},
		.parts = parts,
		.partCount = (uint32_t)reader->parts.count,
		.materialLibrary = reader->names.data + libraryOffset,
		.vertexLines = reader->vertexLines.data,
		.triangleLines = reader->triangleLines.data,
		.ignoredLines = reader->ignoredLines,
		.polygonCount = (uint32_t)reader->polygons.count,
		.names = reader->names.data,
		.namesSize = reader->names.count,
	};
	memcpy(obj->ignored, reader->ignored, sizeof obj->ignored);
	for (size_t i = 0; i < reader->polygons.count; ++i)
	{
		const Polygon* polygon = &reader->polygons.data[i];
		if (polygon->cornerCount <= obj->largestPolygon)
			continue;
		obj->largestPolygon = polygon->cornerCount;
		obj->largestPolygonLine = obj->triangleLines[polygon->firstTriangle];
	}
	for (size_t i = 0; i < reader->parts.count; ++i)
	{
		const PartRecord* record = &reader->parts.data[i];
		uint32_t end = i + 1 < reader->parts.count ? record[1].firstTriangle : obj->mesh.triangleCount;
		parts[i] = (drapeObjPart){.firstTriangle = record->firstTriangle,
		                          .triangleCount = end - record->firstTriangle,
		                          .object = obj->names + record->names[name_object],
		                          .group = obj->names + record->names[name_group],
		                          .material = obj->names + record->names[name_material]};
	}
	return drape_ok;
}

// The caller owns these arrays now, so the reader must not free them.
static void ForgetMesh(ObjReader* reader)
{
	memset(&reader->positions, 0, sizeof reader->positions);
	memset(&reader->texcoords, 0, sizeof reader->texcoords);
	memset(&reader->normals, 0, sizeof reader->normals);
	memset(&reader->vertexLines, 0, sizeof reader->vertexLines);
	memset(&reader->triangles, 0, sizeof reader->triangles);
	memset(&reader->texcoordTriangles, 0, sizeof reader->texcoordTriangles);
	memset(&reader->normalTriangles, 0, sizeof reader->normalTriangles);
	memset(&reader->triangleLines, 0, sizeof reader->triangleLines);
	memset(&reader->names, 0, sizeof reader->names);
}

static void FreeReader(ObjReader* reader)
{
	IoArray_Free(&reader->positions);
	IoArray_Free(&reader->texcoords);
	IoArray_Free(&reader->normals);
	IoArray_Free(&reader->vertexLines);
	IoArray_Free(&reader->triangles);
	IoArray_Free(&reader->texcoordTriangles);
	IoArray_Free(&reader->normalTriangles);
	IoArray_Free(&reader->triangleLines);
	IoArray_Free(&reader->polygons);
	IoArray_Free(&reader->parts);
	IoArray_Free(&reader->face);
	IoArray_Free(&reader->names);
	IoArray_Free(&reader->library);
	drapeTriangulator_Free(&reader->triangulator);
	drapeLineReader_End(&reader->lines);
}

static drapeResult ReadAll(ObjReader* reader)
{
	if (!IoArray_Reserve(&reader->names, 1))
		return FailMemory(reader);
	IoArray_Push(&reader->names, '\0');
	drapeResult result = ReadLines(reader);
	if (result == drape_ok)
		result = CheckNotEmpty(reader);
	if (result == drape_errorData && LooksBinary(reader))
		return drapeFileError_Set(reader->error, drape_errorData, reader->name, 0, "not an OBJ file (binary data)");
	if (result == drape_ok)
		result = CheckAllReferences(reader);
	if (result == drape_ok)
		result = Triangulate(reader);
	return result;
}

static drapeResult ReadFrom(LineSourceFcn* source, void* context, size_t chunk, const char* name, uint32_t limit,
                            drapeObj* obj, drapeMessage* error)
{
	ObjReader reader = {.name = name, .error = error, .limit = limit};
	drapeResult result = drape_ok;
	LineResult begun = drapeLineReader_Begin(&reader.lines, source, context, chunk);
	if (begun != line_ok)
		result = LineFailure(&reader, begun);
	if (result == drape_ok)
		result = ReadAll(&reader);
	if (result == drape_ok)
		result = HandOver(&reader, obj);
	if (result == drape_ok)
		ForgetMesh(&reader);
	FreeReader(&reader);
	return result;
}

static void Clear(drapeObj* obj, drapeMessage* error)
{
	*obj = (drapeObj){0};
	if (error)
		*error = (drapeMessage){0};
}

static ptrdiff_t FileSource(void* context, char* buffer, size_t capacity)
{
	size_t got = fread(buffer, 1, capacity, context);
	return got == 0 && ferror(context) ? -1 : (ptrdiff_t)got;
}

drapeResult drapeObj_Read(const char* path, drapeObj* obj, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "path|obj", (const void*[]){path, obj});
	if (obj)
		*obj = (drapeObj){0};
	if (result != drape_ok)
		return result;
	Clear(obj, error);
	FILE* file = fopen(path, "rb");
	if (!file)
		return drapeFileError_SetSystem(error, path, "open", errno);
	// The reader has its own buffer.
	setvbuf(file, NULL, _IONBF, 0);
	result = ReadFrom(FileSource, file, FILE_CHUNK, path, IO_MAX_ELEMENTS, obj, error);
	fclose(file);
	return result;
}

static ptrdiff_t MemorySource(void* context, char* buffer, size_t capacity)
{
	Token* rest = context;
	size_t count = rest->length < capacity ? rest->length : capacity;
	if (count > 0)
		memcpy(buffer, rest->text, count);
	rest->text += count;
	rest->length -= count;
	return (ptrdiff_t)count;
}

drapeResult drapeObj_ParseLimited(const char* text, size_t size, const char* name, uint32_t limit, drapeObj* obj,
                                  drapeMessage* error)
{
	assert(limit <= IO_MAX_ELEMENTS);
	Clear(obj, error);
	Token rest = {text, size};
	size_t chunk = size < MEMORY_CHUNK ? size + 1 : MEMORY_CHUNK;
	return ReadFrom(MemorySource, &rest, chunk, name, limit, obj, error);
}

drapeResult drapeObj_Parse(const char* text, size_t size, const char* name, drapeObj* obj, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "name|obj", (const void*[]){name, obj});
	if (obj)
		*obj = (drapeObj){0};
	if (result == drape_ok && !text && size > 0)
		result = drapeFileError_Refuse(error, "text is NULL, but size is %zu", size);
	if (result != drape_ok)
		return result;
	return drapeObj_ParseLimited(text, size, name, IO_MAX_ELEMENTS, obj, error);
}
