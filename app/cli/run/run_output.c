// SPDX-License-Identifier: MIT
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- names ---

typedef struct Name
{
	char text[RUN_PATH];
	size_t length;
	bool fits;
} Name;

static void AddText(Name* name, const char* text, size_t length)
{
	name->fits = name->fits && length < sizeof name->text - name->length;
	if (!name->fits)
		return;
	memcpy(name->text + name->length, text, length);
	name->length += length;
	name->text[name->length] = 0;
}

// The frame of a name that keeps its variable.
static const uint32_t anyFrame = DRAPE_NONE;

// Writes the number of a frame, or neither number nor separator if one file holds all frames.
static void AddFrame(Name* name, const uint32_t* frame, int digits)
{
	char number[32];
	if (frame == &anyFrame)
		AddText(name, number, (size_t)snprintf(number, sizeof number, "$F%d", digits));
	else if (frame)
		AddText(name, number, (size_t)snprintf(number, sizeof number, "%0*u", digits, *frame));
	else if (name->length > 0 && strchr("._-", name->text[name->length - 1]))
		name->text[--name->length] = 0;
}

static void AddFileName(Name* name, const RunOutput* output, uint32_t cloth, const uint32_t* frame, const char* ending)
{
	for (const char* s = output->settings->output.name; *s;)
	{
		if (strncmp(s, "$CLOTH", 6) == 0)
		{
			const char* text = output->scene->cloths[cloth].name;
			AddText(name, text, strlen(text));
			s += 6;
		}
		else if (strncmp(s, "$F", 2) == 0)
		{
			bool digit = s[2] >= '1' && s[2] <= '9';
			AddFrame(name, frame, digit ? s[2] - '0' : 1);
			s += digit ? 3 : 2;
		}
		else
			AddText(name, s++, 1);
	}
	AddText(name, ending, strlen(ending));
}

// `frame` is NULL for a file that holds all of them.
static drapeResult MakeName(Name* name, const RunOutput* output, uint32_t cloth, const uint32_t* frame,
                            const char* ending, drapeMessage* error)
{
	*name = (Name){.fits = true};
	AddText(name, output->settings->folder, strlen(output->settings->folder));
	AddText(name, "/", 1);
	AddFileName(name, output, cloth, frame, ending);
	return name->fits ? drape_ok : Run_Fail(error, drape_errorLimit, "%s: path is too long", output->settings->folder);
}

bool RunOutput_Pattern(const RunOutput* output, uint32_t cloth, uint32_t format, char name[RUN_PATH])
{
	bool isCache = format == drape_sceneFormatPc2;
	Name made = {.fits = true};
	AddFileName(&made, output, cloth, isCache ? NULL : &anyFrame,
	            isCache                          ? ".pc2"
	            : format == drape_sceneFormatPly ? ".ply"
	                                             : ".obj");
	memcpy(name, made.text, sizeof made.text);
	return made.fits;
}

// --- formats ---

static drapeResult WriteObj(const drapeClothMesh* mesh, const drapeObj* pattern, const char* path, drapeMessage* error)
{
	return drapeClothMesh_WriteObj(mesh, pattern->materialLibrary, "drape run", path, error);
}

// Makes a vertex for each texture coordinate of a vertex.
static drapeResult WritePly(const drapeClothMesh* mesh, const char* path, drapeMessage* error)
{
	drapePlyWriteDef def = {
		.positions = mesh->positions,
		.normals = mesh->normals,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.comment = "drape run",
	};
	if (!mesh->weldTriangles)
		return drapePly_Write(path, &def, error);
	drapeVec3* positions = malloc(mesh->weldCount * sizeof *positions);
	drapeVec3* normals = malloc(mesh->weldCount * sizeof *normals);
	drapeResult result = drape_errorMemory;
	if (positions && normals)
	{
		for (uint32_t i = 0; i < mesh->weldCount; ++i)
		{
			positions[i] = mesh->positions[mesh->weldVertices[i]];
			normals[i] = mesh->normals[mesh->weldVertices[i]];
		}
		def.positions = positions;
		def.normals = normals;
		def.texcoords = mesh->weldTexcoords;
		def.vertexCount = mesh->weldCount;
		def.triangles = mesh->weldTriangles;
		result = drapePly_Write(path, &def, error);
	}
	free(positions);
	free(normals);
	return result;
}

// The first sample also writes the mesh of the points.
static drapeResult WritePc2(const RunOutput* output, const drapeClothMesh* mesh, uint32_t cloth, uint32_t index,
                            drapeMessage* error)
{
	Name name;
	drapeResult result = drape_ok;
	if (index == 0)
	{
		result = MakeName(&name, output, cloth, NULL, ".obj", error);
		if (result == drape_ok)
			result = WriteObj(mesh, &output->made->patterns[cloth], name.text, error);
	}
	if (result == drape_ok)
		result = MakeName(&name, output, cloth, NULL, ".pc2", error);
	drapePc2Sample sample = {
		.index = index,
		.firstFrame = (float)output->settings->output.firstFrame,
		.points = mesh->positions,
		.pointCount = mesh->vertexCount,
	};
	return result == drape_ok ? drapePc2_Append(name.text, &sample, error) : result;
}

static drapeResult WriteMesh(const RunOutput* output, const drapeClothMesh* mesh, uint32_t cloth, uint32_t index,
                             drapeMessage* error)
{
	uint32_t formats = output->settings->output.formats, frame = output->settings->output.firstFrame + index;
	drapeResult result = drape_ok;
	Name name;
	if (formats & drape_sceneFormatObj)
	{
		result = MakeName(&name, output, cloth, &frame, ".obj", error);
		if (result == drape_ok)
			result = WriteObj(mesh, &output->made->patterns[cloth], name.text, error);
	}
	if (result == drape_ok && (formats & drape_sceneFormatPly))
	{
		result = MakeName(&name, output, cloth, &frame, ".ply", error);
		if (result == drape_ok)
			result = WritePly(mesh, name.text, error);
	}
	if (result == drape_ok && (formats & drape_sceneFormatPc2))
		result = WritePc2(output, mesh, cloth, index, error);
	return result;
}

// --- frames ---

drapeResult RunOutput_Create(RunOutput* output, drapeMessage* error)
{
	if (output->settings->output.topology != drape_sceneFixed)
		return drape_ok;
	uint32_t count = output->made->clothCount;
	output->fixed = calloc(count, sizeof *output->fixed);
	drapeResult result = output->fixed ? drape_ok : drape_errorMemory;
	for (uint32_t i = 0; result == drape_ok && i < count; ++i)
		result = RunFixed_Create(&output->fixed[i], &output->made->patterns[i], output->settings->output.level);
	if (result == drape_errorLimit)
		return Run_Fail(error, result, "%s: the pattern cannot be refined %u times, it gets too large",
		                output->settings->scenePath, output->settings->output.level);
	return result;
}

drapeResult RunOutput_WriteFrame(RunOutput* output, uint32_t index, drapeMessage* error)
{
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < output->made->clothCount; ++i)
	{
		drapeClothId cloth = output->made->cloths[i];
		drapeClothMesh mesh = {0};
		if (output->fixed)
			result = RunFixed_Carry(&output->fixed[i], cloth);
		else
		{
			drapeClothView view = drapeCloth_GetView(cloth);
			result = drapeClothMesh_Create(&mesh, &view, &output->made->patterns[i], NULL);
		}
		if (result == drape_ok)
			result = WriteMesh(output, output->fixed ? &output->fixed[i].mesh : &mesh, i, index, error);
		drapeClothMesh_Free(&mesh);
	}
	return result;
}

void RunOutput_Free(RunOutput* output)
{
	for (uint32_t i = 0; output->fixed && i < output->made->clothCount; ++i)
		RunFixed_Free(&output->fixed[i]);
	free(output->fixed);
	output->fixed = NULL;
}
