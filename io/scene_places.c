// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <stdlib.h>
#include <string.h>

// One pass over a valid JSON document. It only tracks the ends of strings and the nesting.

typedef struct Scanner
{
	const char *cursor, *end;
	drapeScenePlace place; // position of the cursor
	ScenePlaces* places;
	bool memory; // every allocation succeeded
} Scanner;

// --- paths ---

uint64_t drapeScene_Hash(uint64_t hash, const void* data, size_t size)
{
	// FNV-1a
	const unsigned char* bytes = data;
	for (size_t i = 0; i < size; ++i)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

// A byte that no key holds keeps keys, indices and names apart.
static ScenePath Extend(const ScenePath* parent, char kind, const void* data, size_t size)
{
	const char mark[2] = {0, kind};
	uint64_t hash = drapeScene_Hash(parent->hash, mark, sizeof mark);
	return (ScenePath){.parent = parent, .hash = drapeScene_Hash(hash, data, size)};
}

ScenePath drapeScenePath_Root(void)
{
	return (ScenePath){.hash = SCENE_HASH_SEED};
}

ScenePath drapeScenePath_Key(const ScenePath* parent, const char* key)
{
	return Extend(parent, 'k', key, strlen(key));
}

ScenePath drapeScenePath_Index(const ScenePath* parent, size_t index)
{
	return Extend(parent, 'i', &index, sizeof index);
}

ScenePath drapeScenePath_Name(const ScenePath* parent, const char* key)
{
	return Extend(parent, 'n', key, strlen(key));
}

// --- scanning ---

static void Advance(Scanner* scanner)
{
	unsigned char byte = (unsigned char)*scanner->cursor++;
	if (byte == '\n')
		scanner->place = (drapeScenePlace){scanner->place.line + 1, 1};
	else if ((byte & 0xC0) != 0x80) // columns count characters, not the bytes of one
		scanner->place.column++;
}

static bool At(const Scanner* scanner, const char* bytes)
{
	return scanner->cursor < scanner->end && *scanner->cursor != 0 && strchr(bytes, *scanner->cursor);
}

static void SkipTo(Scanner* scanner, const char* bytes)
{
	while (scanner->cursor < scanner->end && !At(scanner, bytes))
		Advance(scanner);
}

static void SkipBlanks(Scanner* scanner)
{
	while (At(scanner, " \t\r\n"))
		Advance(scanner);
}

// The cursor is on the opening quote. Returns the raw text between the quotes. A key written with escapes has no path;
// messages about it give the position of the enclosing value.
static const char* ScanString(Scanner* scanner, size_t* length)
{
	Advance(scanner);
	const char* first = scanner->cursor;
	for (; scanner->cursor < scanner->end && *scanner->cursor != '"'; Advance(scanner))
		if (*scanner->cursor == '\\' && scanner->cursor + 1 < scanner->end)
			Advance(scanner);
	*length = (size_t)(scanner->cursor - first);
	if (scanner->cursor < scanner->end)
		Advance(scanner);
	return first;
}

static void Note(Scanner* scanner, const ScenePath* path, drapeScenePlace place)
{
	scanner->memory = scanner->memory && IoArray_Reserve(&scanner->places->entries, 1);
	if (scanner->memory)
		IoArray_Push(&scanner->places->entries, ((ScenePlaceEntry){path->hash, place}));
}

static void ScanValue(Scanner* scanner, const ScenePath* path);

static void ScanMember(Scanner* scanner, const ScenePath* path)
{
	size_t length;
	drapeScenePlace place = scanner->place;
	const char* key = ScanString(scanner, &length);
	ScenePath name = Extend(path, 'n', key, length), value = Extend(path, 'k', key, length);
	Note(scanner, &name, place);
	SkipTo(scanner, ":");
	if (scanner->cursor < scanner->end)
		Advance(scanner);
	ScanValue(scanner, &value);
}

// Recursion goes no deeper than jansson's own limit of 2048.
static void ScanValue(Scanner* scanner, const ScenePath* path)
{
	SkipBlanks(scanner);
	Note(scanner, path, scanner->place);
	if (At(scanner, "\""))
	{
		size_t length;
		ScanString(scanner, &length);
		return;
	}
	bool object = At(scanner, "{");
	if (!object && !At(scanner, "["))
	{
		SkipTo(scanner, ",]} \t\r\n");
		return;
	}
	const char* close = object ? "}" : "]";
	Advance(scanner);
	for (size_t index = 0; scanner->memory; ++index)
	{
		SkipBlanks(scanner);
		if (scanner->cursor >= scanner->end || At(scanner, close))
			break;
		ScenePath element = drapeScenePath_Index(path, index);
		if (object)
			ScanMember(scanner, path);
		else
			ScanValue(scanner, &element);
		SkipBlanks(scanner);
		if (At(scanner, ","))
			Advance(scanner);
	}
	if (scanner->cursor < scanner->end)
		Advance(scanner);
}

static int ComparePaths(const void* a, const void* b)
{
	uint64_t left = ((const ScenePlaceEntry*)a)->path, right = ((const ScenePlaceEntry*)b)->path;
	return (left > right) - (left < right);
}

bool drapeScenePlaces_Build(ScenePlaces* places, const char* text, size_t size)
{
	*places = (ScenePlaces){0};
	Scanner scanner = {.cursor = text, .end = text + size, .place = {1, 1}, .places = places, .memory = true};
	ScenePath root = drapeScenePath_Root();
	ScanValue(&scanner, &root);
	if (scanner.memory)
		qsort(places->entries.data, places->entries.count, sizeof(ScenePlaceEntry), ComparePaths);
	return scanner.memory;
}

drapeScenePlace drapeScenePlaces_Find(const ScenePlaces* places, const ScenePath* path)
{
	for (; path && places->entries.count > 0; path = path->parent)
	{
		ScenePlaceEntry wanted = {.path = path->hash};
		const ScenePlaceEntry* found =
			bsearch(&wanted, places->entries.data, places->entries.count, sizeof(ScenePlaceEntry), ComparePaths);
		if (found)
			return found->place;
	}
	return (drapeScenePlace){0};
}

void drapeScenePlaces_Free(ScenePlaces* places)
{
	IoArray_Free(&places->entries);
}
