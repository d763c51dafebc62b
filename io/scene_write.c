// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700 // realpath

#include "scene_reader.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Writes a scene with the tables of the reader. A key with the default value is left out: each section is compared with
// the reader's initial values.

typedef struct SceneText
{
	IO_ARRAY(char) bytes;
	int depth;
	bool failed;        // an allocation failed; stays set
	const char* folder; // base of the scene's paths
	const char* target; // new base of the paths, absolute with a final slash; NULL to keep them
	bool stays;         // both folders are the same
} SceneText;

// --- text ---

static void Put(SceneText* text, const char* bytes, size_t length)
{
	text->failed = text->failed || !IoArray_Reserve(&text->bytes, length);
	if (text->failed)
		return;
	memcpy(text->bytes.data + text->bytes.count, bytes, length);
	text->bytes.count += length;
}

static void PutText(SceneText* text, const char* string)
{
	Put(text, string, strlen(string));
}

static void PutLine(SceneText* text)
{
	PutText(text, "\n");
	for (int i = 0; i < text->depth; ++i)
		PutText(text, "  ");
}

static void PutString(SceneText* text, const char* string)
{
	// jansson accepts only UTF-8. A scene that was read is valid; an application's own text may fail here.
	json_t* json = json_string(string);
	char* quoted = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
	if (quoted)
		PutText(text, quoted);
	else
		text->failed = true;
	free(quoted);
	json_decref(json);
}

// --- numbers ---

// Writes the shortest decimal that reads back as the same float. The test repeats the arithmetic of the reader, which
// uses a double and, for an angle, degrees.
static void PutNumber(SceneText* text, float value, double unit)
{
	char digits[40];
	double written = (double)value / unit;
	for (int precision = 6; precision <= 17; ++precision)
	{
		snprintf(digits, sizeof digits, "%.*g", precision, written);
		if ((float)(strtod(digits, NULL) * unit) == value)
			break;
	}
	// Replace the locale's decimal point. "-0" would be read as the integer 0.
	for (char* s = digits; *s; ++s)
		*s = *s == ',' ? '.' : *s;
	PutText(text, value == 0.0f && signbit(value) ? "-0.0" : digits);
}

static void PutVector(SceneText* text, const float* components, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		PutText(text, i == 0 ? "[" : ", ");
		PutNumber(text, components[i], 1.0);
	}
	PutText(text, "]");
}

static void PutUint(SceneText* text, uint32_t value)
{
	char digits[16];
	snprintf(digits, sizeof digits, "%u", value);
	PutText(text, digits);
}

// --- values ---

static uint32_t UintAt(const char* value)
{
	uint32_t number;
	memcpy(&number, value, sizeof number);
	return number;
}

static const char* TextAt(const char* value)
{
	const char* text = *(const char* const*)(const void*)value;
	return text ? text : "";
}

static void PutWord(SceneText* text, const char* words, uint32_t index)
{
	size_t length;
	const char* word = drapeScene_Word(words, index, &length);
	assert(word);
	PutText(text, "\"");
	Put(text, word, length);
	PutText(text, "\"");
}

static void PutFlags(SceneText* text, const char* words, uint32_t flags)
{
	size_t length;
	const char* before = "[";
	for (uint32_t i = 0; drapeScene_Word(words, i, &length); ++i)
	{
		if (!(flags & (1u << i)))
			continue;
		PutText(text, before);
		PutWord(text, words, i);
		before = ", ";
	}
	PutText(text, "]");
}

static void PutIndices(SceneText* text, const uint32_t* indices, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		PutText(text, i == 0 ? "[" : ", ");
		PutUint(text, indices[i]);
	}
	PutText(text, "]");
}

static void PutBits(SceneText* text, uint64_t bits)
{
	const char* before = "";
	PutText(text, "[");
	for (uint32_t i = 0; i < 64; ++i)
	{
		if (!(bits >> i & 1))
			continue;
		PutText(text, before);
		PutUint(text, i);
		before = ", ";
	}
	PutText(text, "]");
}

static void PutCurve(SceneText* text, const drapeStressCurve* curve)
{
	PutText(text, "[");
	for (uint32_t i = 0; i < curve->count; ++i)
	{
		const float point[2] = {curve->strain[i], curve->stress[i]};
		PutText(text, i == 0 ? "" : ", ");
		PutVector(text, point, 2);
	}
	PutText(text, "]");
}

static void PutColour(SceneText* text, const drapeSceneColour* colour)
{
	char digits[16];
	const float rgb[3] = {colour->rgb.x, colour->rgb.y, colour->rgb.z};
	unsigned bytes[3];
	for (int i = 0; i < 3; ++i)
		bytes[i] = (unsigned)(fminf(fmaxf(rgb[i], 0.0f), 1.0f) * 255.0f + 0.5f);
	snprintf(digits, sizeof digits, "\"#%02x%02x%02x\"", bytes[0], bytes[1], bytes[2]);
	PutText(text, digits);
}

// --- paths ---

// Returns `folder` and `name` as an absolute path; for a missing file, a best guess. Returns NULL if memory runs out;
// free() it.
static char* AbsolutePath(const char* folder, const char* name)
{
	char here[4096];
	size_t capacity = sizeof here + strlen(folder) + strlen(name) + 2;
	char* joined = malloc(capacity);
	if (!joined)
		return NULL;
	bool isAbsolute = name[0] == '/' || folder[0] == '/';
	if (isAbsolute || !getcwd(here, sizeof here))
		here[0] = 0;
	snprintf(joined, capacity, "%s%s%s%s", here, isAbsolute ? "" : "/", name[0] == '/' ? "" : folder, name);
	char* real = realpath(joined, NULL);
	if (real)
		free(joined);
	return real ? real : joined;
}

// A name with $F4 in it is no file; resolve its folder.
static void PutPath(SceneText* text, const char* name)
{
	if (!text->target || name[0] == 0 || (text->stays && name[0] != '/'))
	{
		PutString(text, name);
		return;
	}
	const char* slash = strrchr(name, '/');
	const char* last = slash ? slash + 1 : name;
	char* part = strndup(name, (size_t)(last - name));
	char* folder = part ? AbsolutePath(text->folder, part[0] ? part : ".") : NULL;
	char* whole = folder ? malloc(strlen(folder) + strlen(last) + 2) : NULL;
	if (whole)
	{
		sprintf(whole, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", last);
		bool inside = strncmp(whole, text->target, strlen(text->target)) == 0;
		PutString(text, inside ? whole + strlen(text->target) : whole);
	}
	else
		text->failed = true;
	free(part);
	free(folder);
	free(whole);
}

// --- defaults that are left out ---

static bool SectionIsDefault(const SceneSection* section, const char* value, const char* defaults);

static bool FieldIsDefault(const SceneField* field, const char* value, const char* defaults)
{
	static const size_t sizes[] = {
		[scene_bool] = sizeof(bool),     [scene_uint] = sizeof(uint32_t),  [scene_float] = sizeof(float),
		[scene_angle] = sizeof(float),   [scene_vec2] = sizeof(drapeVec2), [scene_vec3] = sizeof(drapeVec3),
		[scene_choice] = sizeof(int),    [scene_flags] = sizeof(uint32_t), [scene_curve] = sizeof(drapeStressCurve),
		[scene_bits] = sizeof(uint64_t),
	};
	const char *mine = value + field->offset, *theirs = defaults + field->offset;
	switch (field->kind)
	{
		case scene_note:
		case scene_preset:
			return true;
		case scene_text:
			return strcmp(TextAt(mine), field->text ? field->text : "") == 0;
		case scene_colour:
			return !((const drapeSceneColour*)(const void*)mine)->given;
		case scene_indices:
		case scene_list:
			return UintAt(value + field->countOffset) == 0;
		case scene_section:
			return SectionIsDefault(field->section, mine, theirs);
		default:
			return memcmp(mine, theirs, sizes[field->kind]) == 0;
	}
}

static bool SectionIsDefault(const SceneSection* section, const char* value, const char* defaults)
{
	if (section->isGiven)
		return !section->isGiven(value);
	for (int i = 0; i < section->fieldCount; ++i)
		if (section->fields[i].decides || !FieldIsDefault(&section->fields[i], value, defaults))
			return false;
	return true;
}

// Tells whether another key of the object makes this one irrelevant.
static bool IsOtherKind(const SceneSection* section, const SceneField* field, const char* value, bool* chosen)
{
	size_t length;
	const char* word;
	*chosen = false;
	for (uint32_t i = 0; section->oneOf && (word = drapeScene_Word(section->oneOf, i, &length)) != NULL; ++i)
	{
		if (strlen(field->key) != length || memcmp(field->key, word, length) != 0)
			continue;
		*chosen = UintAt(value + section->oneOfOffset) == i;
		return !*chosen;
	}
	return false;
}

// --- presets ---

// Returns the preset with the most equal values; the file names it and then changes it. Returns NULL if half of the
// values differ.
static const char* NearestPreset(const SceneSection* section, const char* value, char* preset, bool* exact)
{
	const char *best = NULL, *name;
	int most = section->fieldCount / 2;
	for (uint32_t i = 0; (name = section->presetName(i)) != NULL; ++i)
	{
		int same = 0;
		if (!section->preset(name, preset))
			continue;
		for (int k = 0; k < section->fieldCount; ++k)
			same += FieldIsDefault(&section->fields[k], value, preset);
		best = same > most ? name : best;
		most = same > most ? same : most;
	}
	*exact = best && most == section->fieldCount;
	if (best)
		section->preset(best, preset);
	return best;
}

// --- sections ---

static void PutSection(SceneText* text, const SceneSection* section, const char* value, const char* around);

static void PutList(SceneText* text, const SceneField* field, const char* elements, uint32_t count)
{
	PutText(text, "[");
	text->depth++;
	for (uint32_t i = 0; i < count; ++i)
	{
		PutText(text, i == 0 ? "" : ",");
		PutLine(text);
		PutSection(text, field->section, elements + i * field->section->size, NULL);
	}
	text->depth--;
	PutLine(text);
	PutText(text, "]");
}

static void PutValue(SceneText* text, const SceneField* field, const char* value, const char* defaults)
{
	const void* at = value + field->offset;
	switch (field->kind)
	{
		case scene_bool:
			PutText(text, *(const bool*)at ? "true" : "false");
			break;
		case scene_uint:
			PutUint(text, UintAt(at));
			break;
		case scene_float:
		case scene_angle:
			if (field->zeroWord && *(const float*)at == 0.0f)
				PutString(text, field->zeroWord);
			else
				PutNumber(text, *(const float*)at, field->kind == scene_angle ? SCENE_DEGREE : 1.0);
			break;
		case scene_vec2:
		case scene_vec3:
			PutVector(text, at, field->kind == scene_vec2 ? 2 : 3);
			break;
		case scene_colour:
			PutColour(text, at);
			break;
		case scene_choice:
			PutWord(text, field->words, UintAt(at));
			break;
		case scene_flags:
			PutFlags(text, field->words, UintAt(at));
			break;
		case scene_indices:
			PutIndices(text, *(const uint32_t* const*)at, UintAt(value + field->countOffset));
			break;
		case scene_bits:
			PutBits(text, *(const uint64_t*)at);
			break;
		case scene_curve:
			PutCurve(text, at);
			break;
		case scene_section:
			PutSection(text, field->section, at, defaults + field->offset);
			break;
		case scene_list:
			PutList(text, field, *(const char* const*)at, UintAt(value + field->countOffset));
			break;
		default:
			if (field->path)
				PutPath(text, TextAt(at));
			else
				PutString(text, TextAt(at));
			break;
	}
}

static void PutKey(SceneText* text, const char* key, bool* any)
{
	PutText(text, *any ? "," : "");
	PutLine(text);
	PutText(text, "\"");
	PutText(text, key);
	PutText(text, "\": ");
	*any = true;
}

// Writes the keys on which other defaults depend, as SceneSection::choose reads them.
static json_t* DecidingKeys(const SceneSection* section, const char* value)
{
	json_t* json = json_object();
	size_t length;
	for (int i = 0; i < section->fieldCount; ++i)
	{
		const SceneField* field = &section->fields[i];
		const char* at = value + field->offset;
		if (field->kind == scene_section)
			json_object_set_new(json, field->key, DecidingKeys(field->section, at));
		else if (field->decides)
		{
			const char* word = drapeScene_Word(field->words, UintAt(at), &length);
			json_object_set_new(json, field->key, json_stringn(word ? word : "", word ? length : 0));
		}
	}
	return json;
}

static void PutFields(SceneText* text, const SceneSection* section, const char* value, const char* defaults,
                      const char* preset)
{
	bool any = false, chosen;
	PutText(text, "{");
	text->depth++;
	if (preset)
	{
		PutKey(text, "preset", &any);
		PutString(text, preset);
	}
	for (int i = 0; i < section->fieldCount; ++i)
	{
		const SceneField* field = &section->fields[i];
		if (IsOtherKind(section, field, value, &chosen))
			continue;
		if (!chosen && !field->required && !field->decides && !field->isExplicit &&
		    FieldIsDefault(field, value, defaults))
			continue;
		PutKey(text, field->key, &any);
		PutValue(text, field, value, defaults);
	}
	text->depth--;
	if (any)
		PutLine(text);
	PutText(text, "}");
}

static void PutSection(SceneText* text, const SceneSection* section, const char* value, const char* around)
{
	char* defaults = drapeScene_CreateDefaults(section, around);
	const char* preset = NULL;
	bool exact = false;
	if (!defaults)
	{
		text->failed = true;
		return;
	}
	if (section->choose)
	{
		json_t* json = DecidingKeys(section, value);
		section->choose(json, defaults);
		json_decref(json);
	}
	if (section->preset)
		preset = NearestPreset(section, value, defaults, &exact);
	if (section->preset && !preset)
		memcpy(defaults, around, section->size);
	if (exact)
		PutString(text, preset);
	else
		PutFields(text, section, value, defaults, preset);
	drapeFree(defaults, section->size);
}

// --- the whole ---

static bool Format(SceneText* text, const drapeScene* scene)
{
	text->folder = scene->folder ? scene->folder : "";
	PutSection(text, drapeScene_RootSection(), (const char*)scene, NULL);
	Put(text, "\n", 2); // with its zero byte
	return !text->failed;
}

drapeResult drapeScene_CheckText(const char* text, size_t capacity, size_t* size, drapeMessage* message)
{
	if (!size)
		return drapeFileError_Refuse(message, "size is NULL");
	*size = 0;
	return text || capacity == 0 ? drape_ok
	                             : drapeFileError_Refuse(message, "text is NULL, but capacity is %zu", capacity);
}

drapeResult drapeScene_CheckCapacity(size_t size, size_t capacity, drapeMessage* message)
{
	if (capacity == 0 || size <= capacity)
		return drape_ok;
	return drapeFileError_Set(message, drape_errorLimit, "text", 0, "capacity is %zu bytes, expected at least %zu",
	                          capacity, size);
}

drapeResult drapeScene_Format(const drapeScene* scene, char* text, size_t capacity, size_t* size, drapeMessage* message)
{
	drapeResult result = drapeScene_CheckText(text, capacity, size, message);
	if (result == drape_ok && !scene)
		result = drapeFileError_Refuse(message, "scene is NULL");
	if (result != drape_ok)
		return result;
	SceneText made = {0};
	*size = Format(&made, scene) ? made.bytes.count : 0;
	if (*size > 0 && *size <= capacity)
		memcpy(text, made.bytes.data, *size);
	IoArray_Free(&made.bytes);
	if (*size == 0)
		return drapeFileError_Set(message, drape_errorMemory, "scene", 0, "out of memory");
	return drapeScene_CheckCapacity(*size, capacity, message);
}

// Returns the folder of `path`, absolute with a final slash, or NULL if it does not exist or memory runs out; free()
// it.
static char* FolderOf(const char* path)
{
	const char* slash = strrchr(path, '/');
	char* folder = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
	char* real = folder ? realpath(folder, NULL) : NULL;
	char* made = real ? malloc(strlen(real) + 2) : NULL;
	if (made)
		sprintf(made, "%s%s", real, real[1] ? "/" : "");
	free(folder);
	free(real);
	return made;
}

drapeResult drapeScene_Write(const drapeScene* scene, const char* path, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "scene|path", (const void*[]){scene, path});
	if (result != drape_ok)
		return result;
	if (error)
		*error = (drapeMessage){0};
	char *target = FolderOf(path), *source = FolderOf(scene->folder ? scene->folder : "");
	SceneText text = {.target = target, .stays = target && source && strcmp(target, source) == 0};
	result = Format(&text, scene) ? drapeFile_Write(path, text.bytes.data, text.bytes.count - 1, error)
	                              : drapeFileError_Set(error, drape_errorMemory, path, 0, "out of memory");
	IoArray_Free(&text.bytes);
	free(target);
	free(source);
	return result;
}
