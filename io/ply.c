// SPDX-License-Identifier: MIT
#include "io.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool AllFinite(const float* values, size_t count)
{
	for (size_t i = 0; values && i < count; ++i)
		if (!isfinite(values[i]))
			return false;
	return true;
}

static drapeResult CheckDef(const char* path, const drapePlyWriteDef* def, drapeMessage* error)
{
	size_t count = def->vertexCount;
	if (!AllFinite((const float*)def->positions, 3 * count) || !AllFinite((const float*)def->normals, 3 * count) ||
	    !AllFinite((const float*)def->texcoords, 2 * count))
		return drapeFileError_Set(error, drape_errorData, path, 0, "a vertex is not finite");
	for (size_t i = 0; i < 3 * (size_t)def->triangleCount; ++i)
		if (def->triangles[i] >= def->vertexCount)
			return drapeFileError_Set(error, drape_errorData, path, 0,
			                          "triangle %zu names vertex %" PRIu32 " of %" PRIu32, i / 3 + 1, def->triangles[i],
			                          def->vertexCount);
	if (def->comment && strchr(def->comment, '\n'))
		return drapeFileError_Set(error, drape_errorArgument, path, 0, "the comment has more than one line");
	return drape_ok;
}

static void PutHeader(Writer* writer, const drapePlyWriteDef* def)
{
	char line[64];
	drapeWriter_PutText(writer, "ply\nformat binary_little_endian 1.0\n");
	if (def->comment)
	{
		drapeWriter_PutText(writer, "comment ");
		drapeWriter_PutText(writer, def->comment);
		drapeWriter_PutText(writer, "\n");
	}
	snprintf(line, sizeof line, "element vertex %" PRIu32 "\n", def->vertexCount);
	drapeWriter_PutText(writer, line);
	drapeWriter_PutText(writer, "property float x\nproperty float y\nproperty float z\n");
	if (def->normals)
		drapeWriter_PutText(writer, "property float nx\nproperty float ny\nproperty float nz\n");
	if (def->texcoords)
		drapeWriter_PutText(writer, "property float s\nproperty float t\n");
	snprintf(line, sizeof line, "element face %" PRIu32 "\n", def->triangleCount);
	drapeWriter_PutText(writer, line);
	drapeWriter_PutText(writer, "property list uchar int vertex_indices\nend_header\n");
}

static void PutBody(Writer* writer, const drapePlyWriteDef* def)
{
	for (uint32_t i = 0; i < def->vertexCount; ++i)
	{
		drapeWriter_PutFloats(writer, &def->positions[i].x, 3);
		if (def->normals)
			drapeWriter_PutFloats(writer, &def->normals[i].x, 3);
		if (def->texcoords)
			drapeWriter_PutFloats(writer, &def->texcoords[i].x, 2);
	}
	for (size_t i = 0; i < def->triangleCount; ++i)
	{
		const unsigned char corners = 3;
		drapeWriter_Put(writer, &corners, 1);
		for (int k = 0; k < 3; ++k)
			drapeWriter_PutUint32(writer, def->triangles[3 * i + k]);
	}
}

drapeResult drapePly_Write(const char* path, const drapePlyWriteDef* def, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "path|def", (const void*[]){path, def});
	if (result == drape_ok && !def->positions && def->vertexCount > 0)
		result = drapeFileError_Refuse(error, "positions is NULL, but vertexCount is %" PRIu32, def->vertexCount);
	if (result == drape_ok && !def->triangles && def->triangleCount > 0)
		result = drapeFileError_Refuse(error, "triangles is NULL, but triangleCount is %" PRIu32, def->triangleCount);
	if (result != drape_ok)
		return result;
	if (error)
		*error = (drapeMessage){0};
	result = CheckDef(path, def, error);
	Writer writer;
	if (result == drape_ok)
		result = drapeWriter_Open(&writer, path, error);
	if (result != drape_ok)
		return result;
	PutHeader(&writer, def);
	PutBody(&writer, def);
	return drapeWriter_Close(&writer, error);
}
