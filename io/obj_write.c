// SPDX-License-Identifier: MIT
#include "io.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// --- numbers as text ---

static void PutNumbers(Writer* writer, const char* keyword, const float* values, int count)
{
	drapeWriter_PutText(writer, keyword);
	for (int i = 0; i < count; ++i)
	{
		char text[NUMBER_CAPACITY + 1] = " ";
		drapeWriter_Put(writer, text, 1 + drapeNumber_Format(values[i], text + 1));
	}
	drapeWriter_PutText(writer, "\n");
}

static void PutIndex(Writer* writer, uint32_t index)
{
	char digits[12];
	size_t first = sizeof digits;
	uint64_t rest = (uint64_t)index + 1;
	for (; rest > 0; rest /= 10)
		digits[--first] = (char)('0' + rest % 10);
	drapeWriter_Put(writer, digits + first, sizeof digits - first);
}

// --- limits of OBJ ---

static const char* NameOf(const char* name)
{
	return name ? name : "";
}

// An empty name is fine. See RestOfLine in obj_read.c for what reading takes off a name.
static bool IsName(const char* text)
{
	const char* name = NameOf(text);
	size_t length = strlen(name);
	if (length == 0)
		return true;
	const char* blanks = " \t\v\f\r\n";
	return !strchr(name, '\n') && !strchr(blanks, name[0]) && !strchr(blanks, name[length - 1]) &&
	       name[length - 1] != '\\';
}

static drapeResult CheckFinite(const char* path, const float* values, uint32_t count, uint32_t dimension,
                               const char* what, drapeMessage* error)
{
	for (size_t i = 0; i < (size_t)count * dimension; ++i)
		if (!isfinite(values[i]))
			return drapeFileError_Set(error, drape_errorData, path, 0, "%s %zu is not finite", what, i / dimension + 1);
	return drape_ok;
}

// `corners` may be NULL. An optional index is there for all corners of a triangle or for none.
static drapeResult CheckCorners(const char* path, const uint32_t* corners, uint32_t triangleCount, uint32_t count,
                                bool optional, const char* what, drapeMessage* error)
{
	for (size_t i = 0; corners && i < 3 * (size_t)triangleCount; ++i)
	{
		size_t triangle = i / 3;
		if (optional && (corners[i] == DRAPE_NONE) != (corners[3 * triangle] == DRAPE_NONE))
			return drapeFileError_Set(error, drape_errorData, path, 0, "triangle %zu has a %s at some corners only",
			                          triangle + 1, what);
		if (corners[i] >= count && !(optional && corners[i] == DRAPE_NONE))
			return drapeFileError_Set(error, drape_errorData, path, 0, "triangle %zu names %s %" PRIu64 " of %u",
			                          triangle + 1, what, (uint64_t)corners[i] + 1, count);
	}
	return drape_ok;
}

// Arrays that are NULL with a count above 0.
static drapeResult CheckArrays(const drapeObjWriteDef* def, drapeMessage* error)
{
	const drapeMesh* mesh = def->mesh;
	if (!mesh)
		return drapeFileError_Refuse(error, "mesh is NULL");
	const struct
	{
		const void* array;
		uint32_t count;
		const char *name, *countName;
	} rows[] = {
		{mesh->positions, mesh->vertexCount, "mesh.positions", "vertexCount"},
		{mesh->triangles, mesh->triangleCount, "mesh.triangles", "triangleCount"},
		{mesh->texcoords, mesh->texcoordCount, "mesh.texcoords", "texcoordCount"},
		{mesh->normals, mesh->normalCount, "mesh.normals", "normalCount"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
		if (!rows[i].array && rows[i].count > 0)
			return drapeFileError_Refuse(error, "%s is NULL, but %s is %" PRIu32, rows[i].name, rows[i].countName,
			                             rows[i].count);
	return drape_ok;
}

static drapeResult CheckMesh(const char* path, const drapeMesh* mesh, drapeMessage* error)
{
	drapeResult result = CheckFinite(path, (const float*)mesh->positions, mesh->vertexCount, 3, "vertex", error);
	if (result == drape_ok)
		result = CheckFinite(path, (const float*)mesh->texcoords, mesh->texcoordCount, 2, "texture coordinate", error);
	if (result == drape_ok)
		result = CheckFinite(path, (const float*)mesh->normals, mesh->normalCount, 3, "normal", error);
	uint32_t triangles = mesh->triangleCount;
	if (result == drape_ok)
		result = CheckCorners(path, mesh->triangles, triangles, mesh->vertexCount, false, "vertex", error);
	if (result == drape_ok)
		result = CheckCorners(path, mesh->texcoordTriangles, triangles, mesh->texcoordCount, true, "texture coordinate",
		                      error);
	if (result == drape_ok)
		result = CheckCorners(path, mesh->normalTriangles, triangles, mesh->normalCount, true, "normal", error);
	return result;
}

static drapeResult CheckParts(const char* path, const drapeObjWriteDef* def, drapeMessage* error)
{
	uint32_t covered = 0;
	for (uint32_t i = 0; def->parts && i < def->partCount; ++i)
	{
		const drapeObjPart* part = &def->parts[i];
		if (part->firstTriangle != covered || part->triangleCount > def->mesh->triangleCount - covered)
			return drapeFileError_Set(error, drape_errorArgument, path, 0, "part %u does not follow the part before it",
			                          i + 1);
		covered += part->triangleCount;
		if (!IsName(part->object) || !IsName(part->group) || !IsName(part->material))
			return drapeFileError_Set(error, drape_errorData, path, 0, "part %u has a name that OBJ cannot hold",
			                          i + 1);
	}
	if (def->parts && covered != def->mesh->triangleCount)
		return drapeFileError_Set(error, drape_errorArgument, path, 0, "parts cover %u of %u triangles", covered,
		                          def->mesh->triangleCount);
	if (!IsName(def->materialLibrary))
		return drapeFileError_Set(error, drape_errorData, path, 0, "material library has a name that OBJ cannot hold");
	return drape_ok;
}

// --- the text ---

static void PutComment(Writer* writer, const char* comment)
{
	while (*comment)
	{
		size_t length = strcspn(comment, "\n");
		drapeWriter_PutText(writer, "# ");
		drapeWriter_Put(writer, comment, length);
		drapeWriter_PutText(writer, "\n");
		comment += length;
		comment += *comment == '\n';
	}
}

static void PutVertices(Writer* writer, const drapeMesh* mesh)
{
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		PutNumbers(writer, "v", &mesh->positions[i].x, 3);
	for (uint32_t i = 0; i < mesh->texcoordCount; ++i)
		PutNumbers(writer, "vt", &mesh->texcoords[i].x, 2);
	for (uint32_t i = 0; i < mesh->normalCount; ++i)
		PutNumbers(writer, "vn", &mesh->normals[i].x, 3);
}

static void PutTriangles(Writer* writer, const drapeMesh* mesh, uint32_t first, uint32_t count)
{
	for (size_t corner = 3 * (size_t)first; corner < 3 * ((size_t)first + count); ++corner)
	{
		uint32_t texcoord = mesh->texcoordTriangles ? mesh->texcoordTriangles[corner] : DRAPE_NONE;
		uint32_t normal = mesh->normalTriangles ? mesh->normalTriangles[corner] : DRAPE_NONE;
		drapeWriter_PutText(writer, corner % 3 == 0 ? "f " : " ");
		PutIndex(writer, mesh->triangles[corner]);
		if (texcoord != DRAPE_NONE || normal != DRAPE_NONE)
			drapeWriter_PutText(writer, "/");
		if (texcoord != DRAPE_NONE)
			PutIndex(writer, texcoord);
		if (normal != DRAPE_NONE)
		{
			drapeWriter_PutText(writer, "/");
			PutIndex(writer, normal);
		}
		if (corner % 3 == 2)
			drapeWriter_PutText(writer, "\n");
	}
}

// A keyword without a name returns to no name.
static void PutNameIfNew(Writer* writer, const char* keyword, const char* name, const char** current)
{
	if (strcmp(name, *current) == 0)
		return;
	drapeWriter_PutText(writer, keyword);
	drapeWriter_PutText(writer, *name ? " " : "");
	drapeWriter_PutText(writer, name);
	drapeWriter_PutText(writer, "\n");
	*current = name;
}

static void PutObj(Writer* writer, const drapeObjWriteDef* def)
{
	if (def->comment)
		PutComment(writer, def->comment);
	const char *library = "", *object = "", *group = "", *material = "";
	PutNameIfNew(writer, "mtllib", NameOf(def->materialLibrary), &library);
	PutVertices(writer, def->mesh);
	if (!def->parts)
		PutTriangles(writer, def->mesh, 0, def->mesh->triangleCount);
	for (uint32_t i = 0; def->parts && i < def->partCount; ++i)
	{
		const drapeObjPart* part = &def->parts[i];
		PutNameIfNew(writer, "o", NameOf(part->object), &object);
		PutNameIfNew(writer, "g", NameOf(part->group), &group);
		PutNameIfNew(writer, "usemtl", NameOf(part->material), &material);
		PutTriangles(writer, def->mesh, part->firstTriangle, part->triangleCount);
	}
}

// --- the file ---

drapeResult drapeObj_Write(const char* path, const drapeObjWriteDef* def, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "path|def", (const void*[]){path, def});
	if (result == drape_ok)
		result = CheckArrays(def, error);
	if (result != drape_ok)
		return result;
	if (error)
		*error = (drapeMessage){0};
	result = CheckMesh(path, def->mesh, error);
	if (result == drape_ok)
		result = CheckParts(path, def, error);
	Writer writer;
	if (result == drape_ok)
		result = drapeWriter_Open(&writer, path, error);
	if (result != drape_ok)
		return result;
	PutObj(&writer, def);
	return drapeWriter_Close(&writer, error);
}
