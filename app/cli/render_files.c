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

// Files that an earlier run left in the folder are no frames of this one.
static bool IsOfRun(const RenderFiles* files, const char* name)
{
	return !files->hasManifest || RunManifest_Has(&files->manifest, name);
}

static void AddRange(RenderFiles* files, uint32_t first, uint32_t last)
{
	files->first = first < files->first ? first : files->first;
	files->last = last > files->last ? last : files->last;
}

static drapeResult AddFile(RenderFiles* files, const char* name, drapeMessage* error)
{
	size_t stem;
	uint32_t digits, number;
	(void)error;
	if (!ParseName(name, &stem, &digits, &number) || !IsOfRun(files, name))
		return drape_ok;
	RenderSequence* sequence = FindSequence(files, name, stem);
	if (!sequence)
		return drape_errorMemory;
	sequence->digits = digits < sequence->digits ? digits : sequence->digits;
	AddRange(files, number, number);
	return drape_ok;
}

// A point cache NAME.pc2 has its mesh in NAME.obj.
static drapeResult AddCache(RenderFiles* files, const char* name, drapeMessage* error)
{
	size_t length = strlen(name), stem = length - 4;
	if (length < 5 || stem >= sizeof files->sequences->name || strcmp(name + stem, ".pc2") != 0 ||
	    !IsOfRun(files, name))
		return drape_ok;
	RenderSequence* sequence = FindSequence(files, name, stem);
	if (!sequence)
		return drape_errorMemory;
	char path[RUN_PATH + 512];
	sequence->isCache = true;
	snprintf(path, sizeof path, "%s/%s", files->folder, name);
	drapeResult result = drapePc2_GetInfo(path, &sequence->cache, error);
	snprintf(path, sizeof path, "%s/%s.obj", files->folder, sequence->name);
	if (result == drape_ok)
		result = drapeObj_Read(path, &sequence->cached, error);
	if (result != drape_ok)
		return result;
	if (sequence->cached.mesh.vertexCount != sequence->cache.pointCount)
		return Run_Fail(error, drape_errorData, "%s has %u vertices, but the point cache has %u points", path,
		                sequence->cached.mesh.vertexCount, sequence->cache.pointCount);
	uint32_t first = (uint32_t)fmaxf(sequence->cache.firstFrame, 0.0f);
	uint32_t samples = sequence->cache.sampleCount;
	if (samples > 0)
		AddRange(files, first, first + (uint32_t)((float)(samples - 1) * sequence->cache.frameStep));
	return drape_ok;
}

typedef drapeResult AddFcn(RenderFiles* files, const char* name, drapeMessage* error);

static drapeResult FindFiles(RenderFiles* files, AddFcn* add, drapeMessage* error)
{
	DIR* directory = opendir(files->folder);
	if (!directory)
		return Run_Fail(error, drape_errorFile, "%s: %s", files->folder, strerror(errno));
	const struct dirent* entry;
	drapeResult result = drape_ok;
	while (result == drape_ok && (entry = readdir(directory)) != NULL)
		result = add(files, entry->d_name, error);
	closedir(directory);
	return result;
}

drapeResult RenderFiles_Open(RenderFiles* files, const char* folder, drapeMessage* error)
{
	*files = (RenderFiles){.first = UINT32_MAX};
	snprintf(files->folder, sizeof files->folder, "%s", folder);
	files->hasManifest = RunManifest_Read(&files->manifest, folder);
	drapeResult result = FindFiles(files, AddFile, error);
	if (result == drape_ok && files->sequenceCount == 0)
		result = FindFiles(files, AddCache, error);
	if (result == drape_ok && files->first > files->last)
		return Run_Fail(error, drape_errorData,
		                "%s: no files such as cloth.0001.obj, and no point cache, are in this folder", folder);
	if (result == drape_ok)
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

static drapeResult ReadFile(const RenderFiles* files, RenderSequence* sequence, uint32_t frame, drapeMessage* error)
{
	char name[512], path[RUN_PATH + 600];
	snprintf(name, sizeof name, "%s%0*u.obj", sequence->name, (int)sequence->digits, frame);
	snprintf(path, sizeof path, "%s/%s", files->folder, name);
	FILE* file = IsOfRun(files, name) ? fopen(path, "rb") : NULL;
	if (!file)
		return drape_ok;
	fclose(file);
	drapeObj obj;
	drapeResult result = drapeObj_Read(path, &obj, error);
	if (result == drape_ok)
		result = CopyMesh(sequence, &obj.mesh);
	drapeObj_Free(&obj);
	return result;
}

// The last sample that is not later than the frame.
static drapeResult ReadSample(const RenderFiles* files, RenderSequence* sequence, uint32_t frame, drapeMessage* error)
{
	const drapePc2Info* cache = &sequence->cache;
	float sample = floorf(((float)frame - cache->firstFrame) / cache->frameStep + 1e-3f);
	if (sample < 0.0f || sample >= (float)cache->sampleCount)
		return drape_ok;
	char path[RUN_PATH + 512];
	snprintf(path, sizeof path, "%s/%s.pc2", files->folder, sequence->name);
	drapeVec3* points = malloc(cache->pointCount * sizeof *points);
	drapeMesh mesh = sequence->cached.mesh;
	mesh.positions = points;
	drapeResult result =
		points ? drapePc2_Read(path, (uint32_t)sample, points, cache->pointCount, error) : drape_errorMemory;
	if (result == drape_ok)
		result = CopyMesh(sequence, &mesh);
	free(points);
	return result;
}

drapeResult RenderFiles_Read(RenderFiles* files, uint32_t frame, drapeMessage* error)
{
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < files->sequenceCount; ++i)
	{
		RenderSequence* sequence = &files->sequences[i];
		FreeMesh(sequence);
		result =
			sequence->isCache ? ReadSample(files, sequence, frame, error) : ReadFile(files, sequence, frame, error);
	}
	return result;
}

void RenderFiles_Close(RenderFiles* files)
{
	for (uint32_t i = 0; i < files->sequenceCount; ++i)
	{
		FreeMesh(&files->sequences[i]);
		drapeObj_Free(&files->sequences[i].cached);
	}
	free(files->sequences);
	RunManifest_Free(&files->manifest);
	*files = (RenderFiles){0};
}
