// SPDX-License-Identifier: MIT
#include "render.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- names ---

// Splits "cloth.0012.obj" into the length of "cloth." and the number.
static bool ParseName(const char* file, size_t* stem, uint32_t* digits, uint32_t* number)
{
	size_t length = strlen(file);
	if (length < 5 || strcmp(file + length - 4, ".obj") != 0)
		return false;
	size_t end = length - 4, begin = end;
	while (begin > 0 && isdigit((unsigned char)file[begin - 1]))
		--begin;
	*stem = begin;
	*digits = (uint32_t)(end - begin);
	*number = (uint32_t)strtoul(file + begin, NULL, 10);
	return end - begin > 0 && end - begin < 9 && begin < sizeof((RenderSequence*)0)->name;
}

static RenderSequence* FindSequence(RenderFiles* files, const char* file, size_t stem)
{
	for (uint32_t i = 0; i < files->sequenceCount; ++i)
		if (strlen(files->sequences[i].name) == stem && memcmp(files->sequences[i].name, file, stem) == 0)
			return &files->sequences[i];
	RenderSequence* grown = realloc(files->sequences, (files->sequenceCount + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	files->sequences = grown;
	RenderSequence* sequence = &grown[files->sequenceCount++];
	*sequence = (RenderSequence){.digits = UINT32_MAX};
	memcpy(sequence->name, file, stem);
	return sequence;
}

static int CompareSequences(const void* a, const void* b)
{
	return strcmp(((const RenderSequence*)a)->name, ((const RenderSequence*)b)->name);
}

drapeResult RenderFiles_Open(RenderFiles* files, const char* folder, drapeMessage* error)
{
	*files = (RenderFiles){.first = UINT32_MAX};
	snprintf(files->folder, sizeof files->folder, "%s", folder);
	DIR* directory = opendir(folder);
	if (!directory)
		return Run_Fail(error, drape_errorFile, "%s: %s", folder, strerror(errno));
	const struct dirent* entry;
	drapeResult result = drape_ok;
	while (result == drape_ok && (entry = readdir(directory)) != NULL)
	{
		size_t stem;
		uint32_t digits, number;
		if (!ParseName(entry->d_name, &stem, &digits, &number))
			continue;
		RenderSequence* sequence = FindSequence(files, entry->d_name, stem);
		result = sequence ? drape_ok : drape_errorMemory;
		if (!sequence)
			break;
		sequence->digits = digits < sequence->digits ? digits : sequence->digits;
		files->first = number < files->first ? number : files->first;
		files->last = number > files->last ? number : files->last;
	}
	closedir(directory);
	if (result == drape_ok && files->sequenceCount == 0)
		return Run_Fail(error, drape_errorData, "%s: no files such as cloth.0001.obj are in this folder", folder);
	qsort(files->sequences, files->sequenceCount, sizeof *files->sequences, CompareSequences);
	return result;
}

// --- meshes ---

static void FreeMesh(RenderSequence* sequence)
{
	free(sequence->positions);
	free(sequence->normals);
	free(sequence->triangles);
	free(sequence->materials);
	sequence->positions = sequence->normals = NULL;
	sequence->triangles = NULL;
	sequence->materials = NULL;
	sequence->vertexCount = sequence->triangleCount = 0;
}

static drapeVec3 TriangleNormal(const drapeMesh* mesh, uint32_t triangle)
{
	const uint32_t* t = &mesh->triangles[3 * (size_t)triangle];
	drapeVec3 a = mesh->positions[t[0]], b = mesh->positions[t[1]], c = mesh->positions[t[2]];
	drapeVec3 u = {b.x - a.x, b.y - a.y, b.z - a.z}, v = {c.x - a.x, c.y - a.y, c.z - a.z};
	return (drapeVec3){u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
}

// The sum over the triangles around a vertex is weighted by area.
static void FillNormals(RenderSequence* sequence, const drapeMesh* mesh)
{
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		drapeVec3 n = TriangleNormal(mesh, i);
		for (int k = 0; k < 3; ++k)
		{
			drapeVec4* sum = &sequence->normals[mesh->triangles[3 * (size_t)i + k]];
			*sum = (drapeVec4){sum->x + n.x, sum->y + n.y, sum->z + n.z, 0.0f};
		}
	}
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
	{
		drapeVec4* n = &sequence->normals[i];
		float length = sqrtf(n->x * n->x + n->y * n->y + n->z * n->z);
		if (length > 0.0f)
			*n = (drapeVec4){n->x / length, n->y / length, n->z / length, 0.0f};
	}
}

// Files hold no material coordinates. Texture coordinates replace them, scaled to the area of the cloth.
static void FillMaterials(RenderSequence* sequence, const drapeMesh* mesh)
{
	double area = 0.0, textureArea = 0.0;
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		drapeVec3 n = TriangleNormal(mesh, i);
		area += sqrt((double)(n.x * n.x + n.y * n.y + n.z * n.z));
		const uint32_t* t = &mesh->texcoordTriangles[3 * (size_t)i];
		if (t[0] == DRAPE_NONE)
			continue;
		drapeVec2 a = mesh->texcoords[t[0]], b = mesh->texcoords[t[1]], c = mesh->texcoords[t[2]];
		textureArea += fabs((double)((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)));
	}
	float scale = textureArea > 0.0 ? (float)sqrt(area / textureArea) : 1.0f;
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		uint32_t texcoord = mesh->texcoordTriangles[i];
		drapeVec2 t = texcoord == DRAPE_NONE ? (drapeVec2){0.0f, 0.0f} : mesh->texcoords[texcoord];
		sequence->materials[i] = (drapeVec2){t.x * scale, t.y * scale};
	}
}

static drapeResult CopyMesh(RenderSequence* sequence, const drapeMesh* mesh)
{
	size_t corners = 3 * (size_t)mesh->triangleCount;
	sequence->positions = malloc(mesh->vertexCount * sizeof *sequence->positions);
	sequence->normals = calloc(mesh->vertexCount, sizeof *sequence->normals);
	sequence->triangles = malloc(corners * sizeof *sequence->triangles);
	sequence->materials = calloc(corners, sizeof *sequence->materials);
	if (!sequence->positions || !sequence->normals || !sequence->triangles || !sequence->materials)
		return drape_errorMemory;
	sequence->vertexCount = mesh->vertexCount;
	sequence->triangleCount = mesh->triangleCount;
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		sequence->positions[i] = (drapeVec4){mesh->positions[i].x, mesh->positions[i].y, mesh->positions[i].z, 1.0f};
	memcpy(sequence->triangles, mesh->triangles, corners * sizeof *sequence->triangles);
	FillNormals(sequence, mesh);
	if (mesh->texcoordTriangles)
		FillMaterials(sequence, mesh);
	return drape_ok;
}

drapeResult RenderFiles_Read(RenderFiles* files, uint32_t frame, drapeMessage* error)
{
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < files->sequenceCount; ++i)
	{
		RenderSequence* sequence = &files->sequences[i];
		char path[RUN_PATH + 512];
		snprintf(path, sizeof path, "%s/%s%0*u.obj", files->folder, sequence->name, (int)sequence->digits, frame);
		FreeMesh(sequence);
		FILE* file = fopen(path, "rb");
		if (!file)
			continue;
		fclose(file);
		drapeObj obj;
		result = drapeObj_Read(path, &obj, error);
		if (result == drape_ok)
			result = CopyMesh(sequence, &obj.mesh);
		drapeObj_Free(&obj);
	}
	return result;
}

void RenderFiles_Close(RenderFiles* files)
{
	for (uint32_t i = 0; i < files->sequenceCount; ++i)
		FreeMesh(&files->sequences[i]);
	free(files->sequences);
	*files = (RenderFiles){0};
}
