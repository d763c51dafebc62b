// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Only the machine that wrote a snapshot can use it, because numbers have their format in memory. A checksum over all
// later bytes detects damaged files.

typedef struct Header
{
	char magic[8];
	uint64_t checksum; // checksum of all following bytes
	uint64_t sceneHash, optionsHash;
	uint64_t dataSize;
	uint32_t index; // index of the last finished frame
	uint32_t version;
} Header;

_Static_assert(sizeof(Header) == 48, "no padding, so that every byte is written");

static const char magic[8] = "DRAPESNP";

enum
{
	snapshotVersion = 1,
	checksumStart = 16, // offset after magic and checksum
};

// --- hashes ---

static const uint64_t hashSeed = 0xcbf29ce484222325u;

// FNV-1a
static uint64_t Hash(uint64_t hash, const void* data, size_t size)
{
	const unsigned char* bytes = data;
	for (size_t i = 0; i < size; ++i)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

static uint64_t HashMesh(uint64_t hash, const drapeMesh* mesh)
{
	hash = Hash(hash, mesh->positions, mesh->vertexCount * sizeof(drapeVec3));
	hash = Hash(hash, mesh->triangles, 3 * (size_t)mesh->triangleCount * sizeof(uint32_t));
	hash = Hash(hash, mesh->texcoords, mesh->texcoordCount * sizeof(drapeVec2));
	if (mesh->texcoordTriangles)
		hash = Hash(hash, mesh->texcoordTriangles, 3 * (size_t)mesh->triangleCount * sizeof(uint32_t));
	return hash;
}

void RunSnapshot_Begin(RunSnapshot* snapshot, const RunSettings* settings, const drapeScene* scene,
                       const drapeSceneWorld* made)
{
	*snapshot = (RunSnapshot){.sceneHash = scene->hash, .optionsHash = hashSeed};
	snprintf(snapshot->path, sizeof snapshot->path, "%.*s/run.snapshot", RUN_PATH - 32, settings->folder);
	for (uint32_t i = 0; i < made->clothCount; ++i)
		snapshot->sceneHash = HashMesh(snapshot->sceneHash, &made->patterns[i].mesh);
	snapshot->sceneHash = Hash(snapshot->sceneHash, &made->meshHash, made->meshHash ? sizeof made->meshHash : 0);
	const drapeSceneOutput* output = &settings->output;
	const uint32_t numbers[] = {output->formats, (uint32_t)output->topology, output->level, output->firstFrame};
	snapshot->optionsHash = Hash(snapshot->optionsHash, numbers, sizeof numbers);
	snapshot->optionsHash = Hash(snapshot->optionsHash, output->name, strlen(output->name));
}

void RunSnapshot_Free(RunSnapshot* snapshot)
{
	free(snapshot->buffer);
	*snapshot = (RunSnapshot){0};
}

static drapeResult Reserve(RunSnapshot* snapshot, size_t size)
{
	if (size <= snapshot->capacity)
		return drape_ok;
	unsigned char* buffer = realloc(snapshot->buffer, size + size / 4);
	if (!buffer)
		return drape_errorMemory;
	snapshot->buffer = buffer;
	snapshot->capacity = size + size / 4;
	return drape_ok;
}

// --- writing ---

drapeResult RunSnapshot_Write(RunSnapshot* snapshot, drapeWorldId world, uint32_t index, drapeMessage* error)
{
	drapeResult result = Reserve(snapshot, sizeof(Header));
	if (result != drape_ok)
		return result;
	size_t size;
	result = drapeWorld_Save(world, NULL, 0, &size);
	if (result == drape_ok)
		result = Reserve(snapshot, sizeof(Header) + size);
	if (result == drape_ok)
		result = drapeWorld_Save(world, snapshot->buffer + sizeof(Header), snapshot->capacity - sizeof(Header), &size);
	if (result != drape_ok)
		return result;
	Header header = {
		.sceneHash = snapshot->sceneHash,
		.optionsHash = snapshot->optionsHash,
		.dataSize = size,
		.index = index,
		.version = snapshotVersion,
	};
	memcpy(header.magic, magic, sizeof magic);
	memcpy(snapshot->buffer, &header, sizeof header);
	header.checksum = Hash(hashSeed, snapshot->buffer + checksumStart, sizeof header - checksumStart + size);
	memcpy(snapshot->buffer, &header, sizeof header);
	return drapeFile_Write(snapshot->path, snapshot->buffer, sizeof header + size, error);
}

// --- reading ---

static drapeResult ReadFile(RunSnapshot* snapshot, FILE* file, size_t* size, drapeMessage* error)
{
	*size = 0;
	for (;;)
	{
		if (Reserve(snapshot, *size + 65536) != drape_ok)
			return drape_errorMemory;
		size_t available = snapshot->capacity - *size, count = fread(snapshot->buffer + *size, 1, available, file);
		*size += count;
		if (count == available)
			continue;
		return ferror(file) ? Run_Fail(error, drape_errorFile, "%s: cannot read: %s", snapshot->path, strerror(errno))
		                    : drape_ok;
	}
}

static drapeResult CheckSnapshot(const RunSnapshot* snapshot, size_t size, Header* header, drapeMessage* error)
{
	const char* path = snapshot->path;
	*header = (Header){0};
	if (size >= sizeof *header)
		memcpy(header, snapshot->buffer, sizeof *header);
	if (memcmp(header->magic, magic, sizeof magic) != 0 || header->dataSize != size - sizeof *header ||
	    header->checksum != Hash(hashSeed, snapshot->buffer + checksumStart, size - checksumStart))
		return Run_Fail(error, drape_errorData, "%s: this snapshot is damaged; run without --resume", path);
	if (header->version != snapshotVersion)
		return Run_Fail(error, drape_errorData, "%s: this snapshot is of another version of drape", path);
	if (header->sceneHash != snapshot->sceneHash)
		return Run_Fail(error, drape_errorData, "%s: the scene has changed since; run without --resume", path);
	if (header->optionsHash != snapshot->optionsHash)
		return Run_Fail(error, drape_errorData,
		                "%s: the options have changed since; give the same, or run without "
		                "--resume",
		                path);
	return drape_ok;
}

drapeResult RunSnapshot_Read(RunSnapshot* snapshot, drapeWorldId world, bool* found, uint32_t* index,
                             drapeMessage* error)
{
	FILE* file = fopen(snapshot->path, "rb");
	*found = file != NULL;
	if (!file && errno == ENOENT)
		return drape_ok;
	if (!file)
		return Run_Fail(error, drape_errorFile, "%s: cannot open: %s", snapshot->path, strerror(errno));
	size_t size;
	Header header;
	drapeResult result = ReadFile(snapshot, file, &size, error);
	fclose(file);
	if (result == drape_ok)
		result = CheckSnapshot(snapshot, size, &header, error);
	if (result != drape_ok)
		return result;
	result = drapeWorld_Load(world, snapshot->buffer + sizeof header, (size_t)header.dataSize);
	*index = header.index;
	return result == drape_errorData ? Run_Fail(error, result, "%s: %s", snapshot->path, drapeWorld_GetMessage(world))
	                                 : result;
}
