// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the tables of the reader as JSON Schema, draft 07, for completion in editors, and as Markdown for
// docs/scenes.md. The tables hold no defaults: defaults are the initial values of the sections.

// --- defaults ---

char* drapeScene_CreateDefaults(const SceneSection* section, const char* around)
{
	char* value = drapeAlloc(section->size);
	if (!value)
		return NULL;
	memset(value, 0, section->size);
	if (around)
		memcpy(value, around, section->size);
	drapeScene_BeginSection(section, value);
	return value;
}

static double DefaultNumber(const SceneField* field, const char* value)
{
	float number;
	memcpy(&number, value + field->offset, sizeof number);
	// Degrees in floats are not exact: round them to five digits.
	return field->kind == scene_angle ? round((double)number * 5729577.9513082321) / 1e5 : (double)number;
}

static uint32_t DefaultUint(const SceneField* field, const char* value)
{
	uint32_t number;
	memcpy(&number, value + field->offset, sizeof number);
	return number;
}

static json_t* DefaultWords(const SceneField* field, uint32_t flags)
{
	json_t* list = json_array();
	const char* word;
	size_t length;
	for (uint32_t i = 0; (word = drapeScene_Word(field->words, i, &length)) != NULL; ++i)
		if (flags & (1u << i))
			json_array_append_new(list, json_stringn(word, length));
	return list;
}

static json_t* DefaultVector(const SceneField* field, const char* value, size_t count)
{
	json_t* list = json_array();
	for (size_t i = 0; i < count; ++i)
	{
		float component;
		memcpy(&component, value + field->offset + i * sizeof component, sizeof component);
		json_array_append_new(list, json_real((double)component));
	}
	return list;
}

// All bits are the default that the help describes.
static json_t* DefaultBits(const SceneField* field, const char* value)
{
	uint64_t bits;
	memcpy(&bits, value + field->offset, sizeof bits);
	json_t* list = bits == UINT64_MAX ? NULL : json_array();
	for (int i = 0; list && i < 64; ++i)
		if (bits >> i & 1)
			json_array_append_new(list, json_integer(i));
	return list;
}

// Returns NULL if the key has no default: it is required, or a missing key means that the value is absent.
static json_t* DefaultJson(const SceneField* field, const char* value)
{
	size_t length;
	const char* word;
	if (field->required)
		return NULL;
	switch (field->kind)
	{
		case scene_bool:
			return json_boolean(value[field->offset] != 0);
		case scene_uint:
			return json_integer(DefaultUint(field, value));
		case scene_float:
		case scene_angle:
			return json_real(DefaultNumber(field, value));
		case scene_vec2:
			return DefaultVector(field, value, 2);
		case scene_vec3:
			return DefaultVector(field, value, 3);
		case scene_choice:
			word = drapeScene_Word(field->words, DefaultUint(field, value), &length);
			return word ? json_stringn(word, length) : NULL;
		case scene_bits:
			return DefaultBits(field, value);
		case scene_flags:
			return DefaultUint(field, value) ? DefaultWords(field, DefaultUint(field, value)) : NULL;
		case scene_text:
			return field->text && field->text[0] ? json_string(field->text) : NULL;
		default:
			return NULL;
	}
}

// --- JSON Schema ---

static json_t* SectionSchema(const SceneSection* section, const char* around);

static json_t* BoundJson(const SceneField* field, double bound)
{
	return field->kind == scene_uint ? json_integer((json_int_t)bound) : json_real(bound);
}

static void SetRange(json_t* schema, const SceneField* field)
{
	if (isfinite(field->low))
		json_object_set_new(schema, field->above ? "exclusiveMinimum" : "minimum", BoundJson(field, field->low));
	if (isfinite(field->high) && field->high < (double)UINT32_MAX)
		json_object_set_new(schema, "maximum", BoundJson(field, field->high));
}

static json_t* WordsSchema(const char* words)
{
	return json_pack("{s:o}", "enum", DefaultWords(&(SceneField){.words = words}, UINT32_MAX));
}

static json_t* PresetSchema(const SceneSection* section)
{
	json_t* names = json_array();
	for (uint32_t i = 0; section->presetName(i); ++i)
		json_array_append_new(names, json_string(section->presetName(i)));
	return json_pack("{s:o}", "enum", names);
}

static json_t* NestedSchema(const SceneField* field, const char* value)
{
	json_t* nested = SectionSchema(field->section, value + field->offset);
	if (!field->section->preset)
		return nested;
	return json_pack("{s:[o, o]}", "anyOf", PresetSchema(field->section), nested);
}

static json_t* CurveSchema(void)
{
	json_t* pair = json_pack("{s:s, s:i, s:i, s:{s:s, s:i}}", "type", "array", "minItems", 2, "maxItems", 2, "items",
	                         "type", "number", "exclusiveMinimum", 0);
	return json_pack("{s:s, s:i, s:o}", "type", "array", "maxItems", DRAPE_CURVE_POINTS, "items", pair);
}

static json_t* VectorSchema(int count)
{
	return json_pack("{s:s, s:{s:s}, s:i, s:i}", "type", "array", "items", "type", "number", "minItems", count,
	                 "maxItems", count);
}

static json_t* TypeSchema(const SceneSection* section, const SceneField* field, const char* value)
{
	switch (field->kind)
	{
		case scene_bool:
			return json_pack("{s:s}", "type", "boolean");
		case scene_uint:
			return json_pack("{s:s}", "type", "integer");
		case scene_float:
		case scene_angle:
			if (field->zeroWord)
				return json_pack("{s:[{s:[s]}, {s:s}]}", "anyOf", "enum", field->zeroWord, "type", "number");
			return json_pack("{s:s}", "type", "number");
		case scene_vec2:
		case scene_vec3:
			return VectorSchema(field->kind == scene_vec2 ? 2 : 3);
		case scene_colour:
			return json_pack("{s:s, s:s}", "type", "string", "pattern", "^#[0-9a-fA-F]{6}$");
		case scene_choice:
			return WordsSchema(field->words);
		case scene_flags:
			return json_pack("{s:s, s:i, s:o}", "type", "array", "minItems", 1, "items", WordsSchema(field->words));
		case scene_preset:
			return PresetSchema(section);
		case scene_indices:
			return json_pack("{s:s, s:i, s:{s:s, s:i}}", "type", "array", "minItems", 1, "items", "type", "integer",
			                 "minimum", 0);
		case scene_bits:
			return json_pack("{s:s, s:{s:s, s:i, s:i}}", "type", "array", "items", "type", "integer", "minimum", 0,
			                 "maximum", 63);
		case scene_curve:
			return CurveSchema();
		case scene_section:
			return NestedSchema(field, value);
		case scene_list:
			return json_pack("{s:s, s:i, s:o}", "type", "array", "minItems", field->required ? 1 : 0, "items",
			                 SectionSchema(field->section, NULL));
		default:
			return json_pack("{s:s}", "type", "string");
	}
}

static json_t* FieldSchema(const SceneSection* section, const SceneField* field, const char* value)
{
	char help[400];
	json_t* schema = TypeSchema(section, field, value);
	if (field->kind == scene_uint || field->kind == scene_float || field->kind == scene_angle)
		SetRange(schema, field);
	const char* sentence = field->help ? field->help : field->section ? field->section->help : "";
	snprintf(help, sizeof help, "%s%s%s%s", sentence, field->unit ? " (" : "", field->unit ? field->unit : "",
	         field->unit ? ")" : "");
	json_object_set_new(schema, "description", json_string(help));
	json_t* defaultValue = DefaultJson(field, value);
	if (defaultValue)
		json_object_set_new(schema, "default", defaultValue);
	return schema;
}

static json_t* RequiredKeys(const SceneSection* section)
{
	json_t* keys = json_array();
	for (int i = 0; i < section->fieldCount; ++i)
		if (section->fields[i].required)
			json_array_append_new(keys, json_string(section->fields[i].key));
	return keys;
}

static json_t* OneOfSchema(const char* words)
{
	json_t* list = json_array();
	const char* word;
	size_t length;
	for (uint32_t i = 0; (word = drapeScene_Word(words, i, &length)) != NULL; ++i)
		json_array_append_new(list, json_pack("{s:[o]}", "required", json_stringn(word, length)));
	return list;
}

static json_t* SectionSchema(const SceneSection* section, const char* around)
{
	char* value = drapeScene_CreateDefaults(section, around);
	if (!value)
		return NULL;
	json_t *schema = json_object(), *properties = json_object();
	json_object_set_new(schema, "type", json_string("object"));
	json_object_set_new(schema, "description", json_string(section->help));
	for (int i = 0; i < section->fieldCount; ++i)
		json_object_set_new(properties, section->fields[i].key, FieldSchema(section, &section->fields[i], value));
	json_object_set_new(schema, "properties", properties);
	json_object_set_new(schema, "required", RequiredKeys(section));
	json_object_set_new(schema, "additionalProperties", json_false());
	if (section->oneOf)
		json_object_set_new(schema, "oneOf", OneOfSchema(section->oneOf));
	drapeFree(value, section->size);
	return schema;
}

drapeResult drapeScene_GetSchema(char* text, size_t capacity, size_t* size, drapeMessage* message)
{
	drapeResult result = drapeScene_CheckText(text, capacity, size, message);
	if (result != drape_ok)
		return result;
	json_t* schema =
		json_pack("{s:s, s:s}", "$schema", "http://json-schema.org/draft-07/schema#", "title", "drape scene");
	json_t* root = SectionSchema(drapeScene_RootSection(), NULL);
	bool complete = schema && root && json_object_update_missing(schema, root) == 0;
	char* dump = complete ? json_dumps(schema, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
	json_decref(root);
	json_decref(schema);
	if (!dump)
		return drapeFileError_Set(message, drape_errorMemory, "schema", 0, "out of memory");
	*size = strlen(dump) + 2;
	if (*size <= capacity)
		snprintf(text, capacity, "%s\n", dump);
	free(dump);
	return drapeScene_CheckCapacity(*size, capacity, message);
}

// --- Markdown ---

// A text buffer. `size` counts all characters, also those beyond the capacity, which are not written.
typedef struct Page
{
	char* text;
	size_t capacity, size;
	bool memory;
} Page;

static void Print(Page* page, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void Print(Page* page, const char* format, ...)
{
	bool fits = page->size < page->capacity;
	va_list arguments;
	va_start(arguments, format);
	int length =
		vsnprintf(fits ? page->text + page->size : NULL, fits ? page->capacity - page->size : 0, format, arguments);
	va_end(arguments);
	page->size += (size_t)(length > 0 ? length : 0);
}

static void PrintDefault(Page* page, const SceneField* field, const char* value)
{
	json_t* json = DefaultJson(field, value);
	char* dump = json ? json_dumps(json, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : NULL;
	if (field->required)
		Print(page, "*required*");
	else if (dump)
		Print(page, "`%s`", dump);
	free(dump);
	json_decref(json);
}

static void PrintRow(Page* page, const SceneField* field, const char* value)
{
	char description[256];
	drapeScene_Describe(field, description, sizeof description);
	Print(page, "| `%s` | %s | ", field->key, description);
	PrintDefault(page, field, value);
	Print(page, " | %s |\n", field->help ? field->help : field->section ? field->section->help : "");
}

// Prints a paragraph, wrapped as the rest of the documents.
static void PrintWrapped(Page* page, const char* text)
{
	enum
	{
		maxColumns = 100
	};
	size_t column = 0;
	while (*text)
	{
		size_t length = strcspn(text, " ");
		bool fits = column + 1 + length <= maxColumns;
		Print(page, "%s%.*s", column == 0 ? "" : fits ? " " : "\n", (int)length, text);
		column = column > 0 && fits ? column + 1 + length : length;
		text += length + (text[length] == ' ');
	}
}

static void PrintSection(Page* page, const SceneSection* section, const char* around)
{
	char* value = drapeScene_CreateDefaults(section, around);
	page->memory = page->memory && value;
	if (!value)
		return;
	Print(page, "### `%s`\n\n", section->title);
	PrintWrapped(page, section->help);
	Print(page, "\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
	for (int i = 0; i < section->fieldCount; ++i)
		PrintRow(page, &section->fields[i], value);
	Print(page, "\n");
	for (int i = 0; i < section->fieldCount; ++i)
	{
		const SceneField* field = &section->fields[i];
		if (field->section)
			PrintSection(page, field->section, field->kind == scene_section ? value + field->offset : NULL);
	}
	drapeFree(value, section->size);
}

drapeResult drapeScene_GetReference(char* text, size_t capacity, size_t* size, drapeMessage* message)
{
	drapeResult result = drapeScene_CheckText(text, capacity, size, message);
	if (result != drape_ok)
		return result;
	Page page = {.text = text, .capacity = capacity, .memory = true};
	PrintSection(&page, drapeScene_RootSection(), NULL);
	*size = page.memory ? page.size + 1 : 0;
	if (!page.memory)
		return drapeFileError_Set(message, drape_errorMemory, "reference", 0, "out of memory");
	return drapeScene_CheckCapacity(*size, capacity, message);
}
