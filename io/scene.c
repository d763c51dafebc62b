// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_FILE_SIZE ((size_t)64 << 20)

drapeResult drapeFileError_SetPlace(drapeMessage* error, drapeResult result, const char* name, drapeScenePlace place,
                                    const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	drapeFileError_SetAt(error, result, name, place.line, place.column, format, arguments);
	va_end(arguments);
	return result;
}

// --- text to scene ---

// Makes jansson's message safe to show, because it quotes the file.
static drapeResult FailSyntax(SceneReader* reader, const json_error_t* found)
{
	if (json_error_code(found) == json_error_out_of_memory)
	{
		drapeScene_FailMemory(reader);
		return drape_errorMemory;
	}
	char sentence[JSON_ERROR_TEXT_LENGTH];
	size_t length = 0;
	for (; found->text[length] && length + 1 < sizeof sentence; ++length)
	{
		unsigned char byte = (unsigned char)found->text[length];
		sentence[length] = byte >= 32 && byte < 127 ? (char)byte : '?';
	}
	sentence[length] = 0;
	uint32_t line = found->line > 0 ? (uint32_t)found->line : 1,
			 column = found->column > 0 ? (uint32_t)found->column : 1;
	return drapeFileError_SetPlace(reader->error, drape_errorData, reader->name, (drapeScenePlace){line, column},
	                               "not JSON: %s", sentence);
}

static bool ReadDocument(SceneReader* reader, drapeScene* scene)
{
	ScenePath path = drapeScenePath_Root();
	SceneObject object = {reader, reader->root, &path};
	if (!json_is_object(reader->root))
		return drapeScene_Fail(&object, NULL, "this is not a scene, expected an object { ... }");
	return drapeScene_ReadSection(&object, drapeScene_RootSection(), scene);
}

static bool SetPaths(SceneReader* reader, drapeScene* scene)
{
	const char* slash = strrchr(reader->name, '/');
	scene->path = drapeScene_CopyText(reader->name, strlen(reader->name));
	scene->folder = drapeScene_CopyText(reader->name, slash ? (size_t)(slash - reader->name) + 1 : 0);
	return (scene->path && scene->folder) || drapeScene_FailMemory(reader);
}

static drapeScene* CreateScene(SceneReader* reader, const char* text, size_t size)
{
	drapeScene* scene = drapeAlloc(sizeof *scene);
	if (!scene)
	{
		drapeScene_FailMemory(reader);
		return NULL;
	}
	*scene = (drapeScene){.hash = drapeScene_Hash(SCENE_HASH_SEED, text, size)};
	if (SetPaths(reader, scene) && ReadDocument(reader, scene))
		return scene;
	drapeScene_Free(scene);
	return NULL;
}

drapeResult drapeScene_Parse(const char* text, size_t size, const char* name, drapeScene** scene, drapeMessage* error)
{
	drapeResult refused = drapeFileError_CheckPointers(error, "name|scene", (const void*[]){name, scene});
	if (scene)
		*scene = NULL;
	if (refused == drape_ok && !text && size > 0)
		refused = drapeFileError_Refuse(error, "text is NULL, but size is %zu", size);
	if (refused != drape_ok)
		return refused;
	if (error)
		*error = (drapeMessage){0};
	SceneReader reader = {.name = name, .error = error};
	json_error_t syntax;
	json_t* root = json_loadb(text ? text : "", size, JSON_REJECT_DUPLICATES, &syntax);
	if (!root)
		return FailSyntax(&reader, &syntax);
	reader.root = root;
	if (drapeScenePlaces_Build(&reader.places, text, size))
		*scene = CreateScene(&reader, text, size);
	else
		drapeScene_FailMemory(&reader);
	drapeScenePlaces_Free(&reader.places);
	json_decref(root);
	assert((*scene == NULL) == (reader.result != drape_ok));
	return reader.result;
}

void drapeScene_Free(drapeScene* scene)
{
	if (!scene)
		return;
	drapeScene_FreeSection(drapeScene_RootSection(), scene);
	drapeScene_FreeText(scene->path);
	drapeScene_FreeText(scene->folder);
	drapeFree(scene, sizeof *scene);
}

// --- file to text ---

typedef struct FileText
{
	IO_ARRAY(char) bytes;
} FileText;

static drapeResult ReadAll(FILE* file, const char* path, FileText* text, drapeMessage* error)
{
	for (;;)
	{
		if (text->bytes.count > MAX_FILE_SIZE)
			return drapeFileError_Set(error, drape_errorLimit, path, 0, "larger than 64 MB, expected a scene");
		if (!IoArray_Reserve(&text->bytes, (size_t)1 << 14))
			return drapeFileError_Set(error, drape_errorMemory, path, 0, "out of memory");
		size_t available = text->bytes.capacity - text->bytes.count;
		size_t count = fread(text->bytes.data + text->bytes.count, 1, available, file);
		text->bytes.count += count;
		if (count < available)
			return ferror(file) ? drapeFileError_SetSystem(error, path, "read", errno) : drape_ok;
	}
}

drapeResult drapeScene_Read(const char* path, drapeScene** scene, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "path|scene", (const void*[]){path, scene});
	if (scene)
		*scene = NULL;
	if (result != drape_ok)
		return result;
	if (error)
		*error = (drapeMessage){0};
	FILE* file = fopen(path, "rb");
	if (!file)
		return drapeFileError_SetSystem(error, path, "open", errno);
	FileText text = {0};
	result = ReadAll(file, path, &text, error);
	fclose(file);
	if (result == drape_ok)
		result = drapeScene_Parse(text.bytes.data, text.bytes.count, path, scene, error);
	IoArray_Free(&text.bytes);
	return result;
}
