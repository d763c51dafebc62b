// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The largest coordinate of a mesh; other vectors are smaller.
#define LARGEST_COORDINATE 1e9f

// --- text ---

char* drapeScene_CopyText(const char* text, size_t length)
{
	char* copy = drapeAlloc(length + 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

void drapeScene_FreeText(char* text)
{
	if (text)
		drapeFree(text, strlen(text) + 1);
}

const char* drapeScene_Word(const char* words, uint32_t index, size_t* length)
{
	for (; words; words = strchr(words, '|'), words = words ? words + 1 : NULL)
	{
		*length = strcspn(words, "|");
		if (index-- == 0)
			return words;
	}
	return NULL;
}

// --- did you mean ---

#define GUESS_LENGTH 32

static int Least(int a, int b, int c)
{
	int least = a < b ? a : b;
	return least < c ? least : c;
}

// Counts letters to insert, drop, change or swap with their neighbour. Words of very different length give a large
// number.
static int EditDistance(const char* a, size_t lengthA, const char* b, size_t lengthB)
{
	int rows[3][GUESS_LENGTH + 1];
	if (lengthA > GUESS_LENGTH || lengthB > GUESS_LENGTH)
		return GUESS_LENGTH;
	for (size_t j = 0; j <= lengthB; ++j)
		rows[0][j] = (int)j;
	for (size_t i = 1; i <= lengthA; ++i)
	{
		int *row = rows[i % 3], *above = rows[(i + 2) % 3], *twoAbove = rows[(i + 1) % 3];
		row[0] = (int)i;
		for (size_t j = 1; j <= lengthB; ++j)
		{
			row[j] = Least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && twoAbove[j - 2] + 1 < row[j])
				row[j] = twoAbove[j - 2] + 1;
		}
	}
	return rows[lengthA % 3][lengthB];
}

SceneGuess drapeSceneGuess_Begin(void)
{
	return (SceneGuess){.distance = 3};
}

// At most two slips, and fewer than half of them.
void drapeSceneGuess_Try(SceneGuess* guess, const char* word, const char* candidate, size_t length)
{
	int distance = EditDistance(word, strlen(word), candidate, length);
	if (distance >= guess->distance || 2 * distance >= (int)length)
		return;
	guess->distance = distance;
	snprintf(guess->meant, sizeof guess->meant, "%.*s", (int)length, candidate);
}

static void GuessWord(SceneGuess* guess, const char* word, const char* words)
{
	size_t length;
	const char* candidate;
	for (uint32_t i = 0; (candidate = drapeScene_Word(words, i, &length)) != NULL; ++i)
		drapeSceneGuess_Try(guess, word, candidate, length);
}

// --- errors ---

static bool FailAt(SceneReader* reader, const ScenePath* path, const char* format, ...)
	__attribute__((format(printf, 3, 4)));

static bool FailAt(SceneReader* reader, const ScenePath* path, const char* format, ...)
{
	drapeScenePlace place = drapeScenePlaces_Find(&reader->places, path);
	va_list arguments;
	va_start(arguments, format);
	reader->result =
		drapeFileError_SetAt(reader->error, drape_errorData, reader->name, place.line, place.column, format, arguments);
	va_end(arguments);
	return false;
}

bool drapeScene_Fail(const SceneObject* object, const char* key, const char* format, ...)
{
	ScenePath path = *object->path;
	if (key && json_object_get(object->json, key))
		path = drapeScenePath_Key(object->path, key);
	drapeScenePlace place = drapeScenePlaces_Find(&object->reader->places, &path);
	va_list arguments;
	va_start(arguments, format);
	object->reader->result = drapeFileError_SetAt(object->reader->error, drape_errorData, object->reader->name,
	                                              place.line, place.column, format, arguments);
	va_end(arguments);
	return false;
}

bool drapeScene_FailMemory(SceneReader* reader)
{
	reader->result = drapeFileError_Set(reader->error, drape_errorMemory, reader->name, 0, "out of memory");
	return false;
}

static void DescribeRange(const SceneField* field, const char* what, char* text, size_t capacity)
{
	bool bounded = isfinite(field->high) && field->high < (double)UINT32_MAX;
	if (!isfinite(field->low))
		snprintf(text, capacity, "%s", what);
	else if (field->low == field->high)
		snprintf(text, capacity, "%.9g", field->low);
	else if (field->above && bounded)
		snprintf(text, capacity, "%s above %.9g and up to %.9g", what, field->low, field->high);
	else if (field->above)
		snprintf(text, capacity, "%s greater than %.9g", what, field->low);
	else if (bounded)
		snprintf(text, capacity, "%s from %.9g to %.9g", what, field->low, field->high);
	else
		snprintf(text, capacity, "%s, at least %.9g", what, field->low);
}

static void DescribeWords(const char* before, const char* words, char* text, size_t capacity)
{
	size_t used = (size_t)snprintf(text, capacity, "%s", before), length;
	const char* word;
	for (uint32_t i = 0; used < capacity && (word = drapeScene_Word(words, i, &length)) != NULL; ++i)
		used += (size_t)snprintf(text + used, capacity - used, "%s\"%.*s\"", i == 0 ? " " : ", ", (int)length, word);
}

void drapeScene_Describe(const SceneField* field, char* text, size_t capacity)
{
	static const char* const plain[] = {
		[scene_note] = "a text",
		[scene_preset] = "the name of a preset",
		[scene_bool] = "true or false",
		[scene_vec3] = "three numbers [x, y, z]",
		[scene_vec2] = "two numbers [u, v]",
		[scene_colour] = "a colour \"#rrggbb\"",
		[scene_text] = "a text",
		[scene_indices] = "a list of whole numbers from 0 on",
		[scene_bits] = "a list of whole numbers from 0 to 63",
		[scene_section] = "an object",
		[scene_list] = "a list of objects",
	};
	if (field->kind == scene_float || field->kind == scene_angle)
		DescribeRange(field, "a number", text, capacity);
	else if (field->kind == scene_uint)
		DescribeRange(field, "a whole number", text, capacity);
	else if (field->kind == scene_choice)
		DescribeWords("one of", field->words, text, capacity);
	else if (field->kind == scene_flags)
		DescribeWords("a list of", field->words, text, capacity);
	else if (field->kind == scene_curve)
		snprintf(text, capacity, "a list of up to %d pairs [strain, stress in N/m], both rising", DRAPE_CURVE_POINTS);
	else if (field->kind == scene_section && field->section->preset)
		snprintf(text, capacity, "the name of a preset, or an object");
	else
		snprintf(text, capacity, "%s", plain[field->kind]);
	size_t used = strlen(text);
	if (field->unit)
		used += (size_t)snprintf(text + used, capacity - used, " (%s)", field->unit);
	if (field->zeroWord && used < capacity)
		snprintf(text + used, capacity - used, " or \"%s\"", field->zeroWord);
}

static void DescribeFound(const json_t* json, char* text, size_t capacity)
{
	switch (json_typeof(json))
	{
		case JSON_OBJECT:
			snprintf(text, capacity, "an object");
			break;
		case JSON_ARRAY:
			snprintf(text, capacity, "a list of %zu", json_array_size(json));
			break;
		case JSON_STRING:
			snprintf(text, capacity, "\"%s\"", drapeQuote(json_string_value(json), json_string_length(json)).text);
			break;
		case JSON_INTEGER:
			snprintf(text, capacity, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
			break;
		case JSON_REAL:
			snprintf(text, capacity, "%.9g", json_real_value(json));
			break;
		default:
			snprintf(text, capacity, "%s", json_is_true(json) ? "true" : json_is_false(json) ? "false" : "null");
	}
}

static bool FailExpected(SceneReader* reader, const ScenePath* path, const SceneField* field, const json_t* json)
{
	char expected[256], found[80];
	drapeScene_Describe(field, expected, sizeof expected);
	DescribeFound(json, found, sizeof found);
	return FailAt(reader, path, "%s is %s, expected %s", field->key, found, expected);
}

// --- one value ---

typedef struct FieldRead
{
	SceneReader* reader;
	const SceneField* field;
	const json_t* json;
	const ScenePath* path;
	void* value; // address of the result
	uint32_t* count;
} FieldRead;

static bool Refuse(const FieldRead* read)
{
	return FailExpected(read->reader, read->path, read->field, read->json);
}

static bool IsInRange(const SceneField* field, double value)
{
	return value <= field->high && (field->above ? value > field->low : value >= field->low);
}

static bool ReadNumber(const FieldRead* read, double unit)
{
	double value = json_number_value(read->json);
	float stored = (float)(value * unit);
	const char *word = read->field->zeroWord, *given = json_string_value(read->json);
	if (word && given && strcmp(word, given) == 0)
	{
		*(float*)read->value = 0.0f;
		return true;
	}
	// A value that rounds to zero as a float is not greater than zero.
	if (!json_is_number(read->json) || !isfinite(stored) || !IsInRange(read->field, value) ||
	    (read->field->above && read->field->low == 0.0 && stored == 0.0f))
		return Refuse(read);
	*(float*)read->value = stored;
	return true;
}

static bool ReadUint(const FieldRead* read)
{
	json_int_t value = json_integer_value(read->json);
	if (!json_is_integer(read->json) || value < 0 || value > (json_int_t)UINT32_MAX ||
	    !IsInRange(read->field, (double)value))
		return Refuse(read);
	*(uint32_t*)read->value = (uint32_t)value;
	return true;
}

// Reads one value of point `i` into values[i]. It must exceed the previous one, also as a float.
static bool ReadCurveValue(const FieldRead* read, size_t i, const char* name, double value, double most, float* values)
{
	float last = i > 0 ? values[i - 1] : 0.0f;
	values[i] = (float)value;
	if (values[i] > last && value <= most)
		return true;
	ScenePath path = drapeScenePath_Index(read->path, i);
	return FailAt(read->reader, &path, "%s has %s %.9g at point %zu, expected a number above %.9g and up to %.9g",
	              read->field->key, name, value, i + 1, (double)last, most);
}

static bool ReadCurvePoint(const FieldRead* read, size_t i, drapeStressCurve* curve)
{
	const json_t* point = json_array_get(read->json, i);
	const json_t *strain = json_array_get(point, 0), *stress = json_array_get(point, 1);
	if (json_array_size(point) != 2 || !json_is_number(strain) || !json_is_number(stress))
	{
		char found[80];
		DescribeFound(point, found, sizeof found);
		ScenePath path = drapeScenePath_Index(read->path, i);
		return FailAt(read->reader, &path, "%s has %s for point %zu, expected two numbers [strain, stress]",
		              read->field->key, found, i + 1);
	}
	++curve->count;
	return ReadCurveValue(read, i, "strain", json_number_value(strain), 10.0, curve->strain) &&
	       ReadCurveValue(read, i, "stress", json_number_value(stress), 1e8, curve->stress);
}

static bool ReadCurve(const FieldRead* read)
{
	size_t count = json_array_size(read->json);
	if (!json_is_array(read->json) || count > DRAPE_CURVE_POINTS)
		return Refuse(read);
	drapeStressCurve* curve = read->value;
	*curve = (drapeStressCurve){0};
	for (size_t i = 0; i < count; ++i)
		if (!ReadCurvePoint(read, i, curve))
			return false;
	return true;
}

static bool ReadVector(const FieldRead* read, size_t count)
{
	static const char names[2][3] = {{'u', 'v'}, {'x', 'y', 'z'}};
	if (json_array_size(read->json) != count)
		return Refuse(read);
	float* components = read->value;
	for (size_t i = 0; i < count; ++i)
	{
		const json_t* element = json_array_get(read->json, i);
		components[i] = (float)json_number_value(element);
		if (json_is_number(element) && fabsf(components[i]) <= LARGEST_COORDINATE)
			continue;
		char found[80];
		DescribeFound(element, found, sizeof found);
		ScenePath path = drapeScenePath_Index(read->path, i);
		return FailAt(read->reader, &path, "%s has %s for %c, expected a number up to %g", read->field->key, found,
		              names[count - 2][i], (double)LARGEST_COORDINATE);
	}
	return true;
}

static bool ReadColour(const FieldRead* read)
{
	const char* text = json_string_value(read->json);
	if (!text || strlen(text) != 7 || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
		return Refuse(read);
	unsigned long bytes = strtoul(text + 1, NULL, 16);
	drapeSceneColour colour = {.given = true};
	colour.rgb =
		(drapeVec3){(float)(bytes >> 16) / 255.0f, (float)(bytes >> 8 & 255) / 255.0f, (float)(bytes & 255) / 255.0f};
	memcpy(read->value, &colour, sizeof colour);
	return true;
}

// Returns the number of the word, or -1 after setting the error.
static int64_t FindWord(const FieldRead* read, const json_t* json, const ScenePath* path)
{
	if (!json_is_string(json))
	{
		FailExpected(read->reader, path, read->field, json);
		return -1;
	}
	const char *text = json_string_value(json), *word;
	size_t length;
	for (uint32_t i = 0; (word = drapeScene_Word(read->field->words, i, &length)) != NULL; ++i)
		if (strlen(text) == length && memcmp(text, word, length) == 0)
			return i;
	SceneGuess guess = drapeSceneGuess_Begin();
	GuessWord(&guess, text, read->field->words);
	if (guess.meant[0])
		FailAt(read->reader, path, "%s is \"%s\"; did you mean \"%s\"?", read->field->key,
		       drapeQuote(text, strlen(text)).text, guess.meant);
	else
		FailExpected(read->reader, path, read->field, json);
	return -1;
}

static bool ReadChoice(const FieldRead* read)
{
	int64_t word = FindWord(read, read->json, read->path);
	if (word < 0)
		return false;
	// An enum has the size of an int.
	uint32_t stored = (uint32_t)word;
	memcpy(read->value, &stored, sizeof stored);
	return true;
}

static bool ReadFlags(const FieldRead* read)
{
	if (json_array_size(read->json) == 0)
		return Refuse(read);
	uint32_t flags = 0;
	for (size_t i = 0; i < json_array_size(read->json); ++i)
	{
		ScenePath path = drapeScenePath_Index(read->path, i);
		int64_t word = FindWord(read, json_array_get(read->json, i), &path);
		if (word < 0)
			return false;
		flags |= 1u << word;
	}
	*(uint32_t*)read->value = flags;
	return true;
}

static bool ReadText(const FieldRead* read)
{
	if (!json_is_string(read->json))
		return Refuse(read);
	if (read->field->kind == scene_note)
		return true;
	char* copy = drapeScene_CopyText(json_string_value(read->json), strlen(json_string_value(read->json)));
	*(char**)read->value = copy;
	return copy || drapeScene_FailMemory(read->reader);
}

static bool ReadIndices(const FieldRead* read)
{
	size_t count = json_array_size(read->json);
	if (count == 0 || count > IO_MAX_ELEMENTS)
		return Refuse(read);
	uint32_t* indices = drapeAlloc(count * sizeof *indices);
	if (!indices)
		return drapeScene_FailMemory(read->reader);
	*(uint32_t**)read->value = indices;
	*read->count = (uint32_t)count;
	for (size_t i = 0; i < count; ++i)
	{
		const json_t* element = json_array_get(read->json, i);
		json_int_t index = json_integer_value(element);
		ScenePath path = drapeScenePath_Index(read->path, i);
		if (!json_is_integer(element) || index < 0 || index > IO_MAX_ELEMENTS)
			return FailExpected(read->reader, &path, read->field, element);
		indices[i] = (uint32_t)index;
	}
	return true;
}

static bool ReadBits(const FieldRead* read)
{
	uint64_t bits = 0;
	if (!json_is_array(read->json))
		return Refuse(read);
	for (size_t i = 0; i < json_array_size(read->json); ++i)
	{
		const json_t* element = json_array_get(read->json, i);
		json_int_t bit = json_integer_value(element);
		ScenePath path = drapeScenePath_Index(read->path, i);
		if (!json_is_integer(element) || bit < 0 || bit > 63)
			return FailExpected(read->reader, &path, read->field, element);
		bits |= (uint64_t)1 << bit;
	}
	memcpy(read->value, &bits, sizeof bits);
	return true;
}

// --- presets ---

static bool ReadPreset(SceneReader* reader, const ScenePath* path, const SceneSection* section, const json_t* json,
                       void* value)
{
	const char *name = json_string_value(json), *candidate;
	if (name && section->preset(name, value))
		return true;
	char found[80], list[320] = "";
	SceneGuess guess = drapeSceneGuess_Begin();
	size_t used = 0;
	for (uint32_t i = 0; (candidate = section->presetName(i)) != NULL; ++i)
	{
		drapeSceneGuess_Try(&guess, name ? name : "", candidate, strlen(candidate));
		if (used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", candidate);
	}
	DescribeFound(json, found, sizeof found);
	if (guess.meant[0])
		return FailAt(reader, path, "preset is %s; did you mean \"%s\"?", found, guess.meant);
	return FailAt(reader, path, "preset is %s, expected one of %s", found, list);
}

// --- sections ---

static bool ReadList(const FieldRead* read)
{
	const SceneSection* section = read->field->section;
	size_t count = json_array_size(read->json);
	if (!json_is_array(read->json) || (count == 0 && read->field->required))
		return Refuse(read);
	if (count == 0)
		return true;
	if (count > IO_MAX_ELEMENTS / section->size)
		return FailAt(read->reader, read->path, "%s has too many entries", read->field->key);
	char* elements = drapeAlloc(count * section->size);
	if (!elements)
		return drapeScene_FailMemory(read->reader);
	memset(elements, 0, count * section->size);
	*(void**)read->value = elements;
	*read->count = (uint32_t)count;
	for (size_t i = 0; i < count; ++i)
	{
		ScenePath path = drapeScenePath_Index(read->path, i);
		SceneObject object = {read->reader, json_array_get(read->json, i), &path};
		if (!json_is_object(object.json))
			return FailExpected(read->reader, &path, read->field, object.json);
		if (!drapeScene_ReadSection(&object, section, elements + i * section->size))
			return false;
	}
	return true;
}

static bool ReadNested(const FieldRead* read)
{
	const SceneSection* section = read->field->section;
	if (section->preset && json_is_string(read->json))
		return ReadPreset(read->reader, read->path, section, read->json, read->value);
	if (!json_is_object(read->json))
		return Refuse(read);
	SceneObject object = {read->reader, read->json, read->path};
	return drapeScene_ReadSection(&object, section, read->value);
}

static bool ReadField(const FieldRead* read)
{
	switch (read->field->kind)
	{
		case scene_bool:
			*(bool*)read->value = json_is_true(read->json);
			return json_is_boolean(read->json) || Refuse(read);
		case scene_uint:
			return ReadUint(read);
		case scene_float:
			return ReadNumber(read, 1.0);
		case scene_angle:
			return ReadNumber(read, SCENE_DEGREE);
		case scene_vec3:
			return ReadVector(read, 3);
		case scene_vec2:
			return ReadVector(read, 2);
		case scene_colour:
			return ReadColour(read);
		case scene_choice:
			return ReadChoice(read);
		case scene_flags:
			return ReadFlags(read);
		case scene_indices:
			return ReadIndices(read);
		case scene_bits:
			return ReadBits(read);
		case scene_curve:
			return ReadCurve(read);
		case scene_section:
			return ReadNested(read);
		case scene_list:
			return ReadList(read);
		default:
			return ReadText(read);
	}
}

static bool IsKnown(const SceneSection* section, const char* key)
{
	for (int i = 0; i < section->fieldCount; ++i)
		if (strcmp(section->fields[i].key, key) == 0)
			return true;
	return false;
}

static bool CheckKeys(const SceneObject* object, const SceneSection* section)
{
	const char* key;
	json_t* value;
	json_object_foreach((json_t*)object->json, key, value)
	{
		if (IsKnown(section, key))
			continue;
		SceneGuess guess = drapeSceneGuess_Begin();
		for (int i = 0; i < section->fieldCount; ++i)
			drapeSceneGuess_Try(&guess, key, section->fields[i].key, strlen(section->fields[i].key));
		ScenePath path = drapeScenePath_Name(object->path, key);
		Quoted shown = drapeQuote(key, strlen(key));
		if (guess.meant[0])
			return FailAt(object->reader, &path, "unknown key \"%s\"; did you mean \"%s\"?", shown.text, guess.meant);
		char list[300] = "";
		size_t used = 0;
		for (int i = 0; i < section->fieldCount && used < sizeof list; ++i)
			used +=
				(size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", section->fields[i].key);
		return FailAt(object->reader, &path, "unknown key \"%s\", expected one of %s", shown.text, list);
	}
	return true;
}

static bool CheckOneOf(const SceneObject* object, const SceneSection* section, void* value)
{
	uint32_t found = 0, which = 0;
	size_t length;
	const char* word;
	char list[128];
	for (uint32_t i = 0; section->oneOf && (word = drapeScene_Word(section->oneOf, i, &length)) != NULL; ++i)
	{
		char key[32];
		snprintf(key, sizeof key, "%.*s", (int)length, word);
		if (!json_object_get(object->json, key))
			continue;
		which = i;
		++found;
	}
	if (!section->oneOf)
		return true;
	DescribeWords("exactly one of", section->oneOf, list, sizeof list);
	if (found != 1)
		return drapeScene_Fail(object, NULL, "has %s of its kinds, expected %s", found == 0 ? "none" : "several", list);
	memcpy((char*)value + section->oneOfOffset, &which, sizeof which);
	return true;
}

static bool ReadPresent(const SceneObject* object, const SceneSection* section, const SceneField* field, json_t* json,
                        char* value)
{
	ScenePath path = drapeScenePath_Key(object->path, field->key);
	if (field->kind == scene_preset)
		return ReadPreset(object->reader, &path, section, json, value);
	FieldRead read = {object->reader, field, json, &path, value + field->offset, NULL};
	if (field->kind == scene_list || field->kind == scene_indices)
		read.count = (uint32_t*)(void*)(value + field->countOffset);
	return ReadField(&read);
}

// Texts are never NULL, even in missing sections.
static bool SetDefaultText(SceneReader* reader, const SceneField* field, char* value)
{
	if (field->kind == scene_text)
	{
		char* copy = drapeScene_CopyText(field->text ? field->text : "", field->text ? strlen(field->text) : 0);
		*(char**)(void*)(value + field->offset) = copy;
		return copy || drapeScene_FailMemory(reader);
	}
	for (int i = 0; field->kind == scene_section && i < field->section->fieldCount; ++i)
		if (!SetDefaultText(reader, &field->section->fields[i], value + field->offset))
			return false;
	return true;
}

static bool ReadAbsent(const SceneObject* object, const SceneField* field, char* value)
{
	if (!field->required)
		return SetDefaultText(object->reader, field, value);
	char expected[256];
	drapeScene_Describe(field, expected, sizeof expected);
	return drapeScene_Fail(object, NULL, "%s is missing, expected %s", field->key, expected);
}

void drapeScene_BeginSection(const SceneSection* section, void* value)
{
	if (section->begin)
		section->begin(value);
	if (section->isSwitched)
		*(bool*)(void*)((char*)value + section->switchOffset) = true;
}

// Numbers that limit each other, as the thresholds of a criterion do.
static bool CheckOther(const SceneObject* object, const SceneSection* section, const SceneField* field,
                       const char* value)
{
	const SceneField* other = section->fields;
	while (strcmp(other->key, field->other) != 0)
		++other;
	float own, limit;
	memcpy(&own, value + field->offset, sizeof own);
	memcpy(&limit, value + other->offset, sizeof limit);
	if (field->otherIsUpper ? own <= limit : own >= limit)
		return true;
	const bool isAngle = field->kind == scene_angle;
	const double scale = isAngle ? 1.0 / SCENE_DEGREE : 1.0;
	return drapeScene_Fail(object, field->key, "%s: %s is %.6g%s, expected %s %s, which is %.6g", field->conflict,
	                       field->key, scale * (double)own, isAngle ? " degrees" : "",
	                       field->otherIsUpper ? "at most" : "at least", other->key, scale * (double)limit);
}

bool drapeScene_ReadSection(const SceneObject* object, const SceneSection* section, void* value)
{
	drapeScene_BeginSection(section, value);
	if (section->placeOffset > 0)
	{
		drapeScenePlace place = drapeScenePlaces_Find(&object->reader->places, object->path);
		memcpy((char*)value + section->placeOffset, &place, sizeof place);
	}
	if (!CheckKeys(object, section) || !CheckOneOf(object, section, value))
		return false;
	if (section->choose)
		section->choose(object->json, value);
	if (section->choosePresent)
		section->choosePresent(object->json, value);
	for (int i = 0; i < section->fieldCount; ++i)
	{
		const SceneField* field = &section->fields[i];
		json_t* json = json_object_get(object->json, field->key);
		if (!(json ? ReadPresent(object, section, field, json, value) : ReadAbsent(object, field, value)))
			return false;
	}
	for (int i = 0; i < section->fieldCount; ++i)
		if (section->fields[i].other && !CheckOther(object, section, &section->fields[i], value))
			return false;
	return !section->check || section->check(object, value);
}

// --- freeing ---

static void FreeList(const SceneField* field, char* elements, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		drapeScene_FreeSection(field->section, elements + i * field->section->size);
	drapeFree(elements, count * field->section->size);
}

void drapeScene_FreeSection(const SceneSection* section, void* value)
{
	for (int i = 0; i < section->fieldCount; ++i)
	{
		const SceneField* field = &section->fields[i];
		void* place = (char*)value + field->offset;
		const uint32_t* count = (const uint32_t*)(const void*)((const char*)value + field->countOffset);
		if (field->kind == scene_text)
			drapeScene_FreeText(*(char**)place);
		else if (field->kind == scene_indices)
			drapeFree(*(uint32_t**)place, *count * sizeof(uint32_t));
		else if (field->kind == scene_list)
			FreeList(field, *(char**)place, *count);
		else if (field->kind == scene_section)
			drapeScene_FreeSection(field->section, place);
	}
}
