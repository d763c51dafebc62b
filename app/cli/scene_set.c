// SPDX-License-Identifier: MIT
#include "scene_set.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --set KEY=VALUE: a scene with some of its values replaced. The values go into the JSON document, which the scene
// reader then checks as it checks every file.

enum
{
	keyCapacity = 128,
};

typedef struct Setting
{
	const char* text;  // as given
	const char* rest;  // keys that were not visited yet
	const char* value; // behind the first '='
	drapeMessage* error;
} Setting;

static drapeResult Fail(const Setting* setting, const char* key, const char* sentence)
{
	setting->error->result = drape_errorArgument;
	setting->error->line = 0;
	snprintf(setting->error->text, sizeof setting->error->text, "--set %.120s: %.100s%s%.230s", setting->text, key,
	         key[0] ? " " : "", sentence);
	return drape_errorArgument;
}

// The next part of the path: a key up to '.', '[' or '='.
static bool NextKey(Setting* setting, char key[keyCapacity])
{
	size_t length = strcspn(setting->rest, ".[=");
	if (length == 0 || length >= keyCapacity)
		return false;
	memcpy(key, setting->rest, length);
	key[length] = 0;
	setting->rest += length;
	return true;
}

// An entry of a list, by its number from 0 or by its name: "[0]", "[sheet]".
static drapeResult FindEntry(Setting* setting, const char* key, json_t* list, json_t** entry, size_t* index)
{
	char text[keyCapacity], sentence[keyCapacity + 80];
	size_t length = strcspn(setting->rest + 1, "]");
	if (setting->rest[length + 1] != ']' || length == 0 || length >= sizeof text)
		return Fail(setting, key, "has a bracket without an entry, expected a number or a name such as [0]");
	memcpy(text, setting->rest + 1, length);
	text[length] = 0;
	setting->rest += length + 2;
	char* end;
	*index = strtoul(text, &end, 10);
	if (*end != 0 || !isdigit((unsigned char)text[0]))
	{
		for (*index = 0; *index < json_array_size(list); ++*index)
		{
			const char* name = json_string_value(json_object_get(json_array_get(list, *index), "name"));
			if (name && strcmp(name, text) == 0)
				break;
		}
	}
	*entry = json_array_get(list, *index);
	if (*entry)
		return drape_ok;
	snprintf(sentence, sizeof sentence, "has no entry [%s], expected 0 to %zu or a name", text,
	         json_array_size(list) > 0 ? json_array_size(list) - 1 : 0);
	return Fail(setting, key, json_array_size(list) > 0 ? sentence : "is no list with entries in this scene");
}

// A text that is no JSON is a word: preset=denim.
static json_t* ParseValue(const char* text)
{
	json_t* value = json_loads(text, JSON_DECODE_ANY, NULL);
	return value ? value : json_string(text);
}

// The object below `key`. One that is missing is created; the name of a preset becomes an object with that preset.
static json_t* Descend(json_t* object, const char* key)
{
	json_t* next = json_object_get(object, key);
	if (json_is_object(next) || json_is_array(next))
		return next;
	json_t* made = json_object();
	if (json_is_string(next))
		json_object_set(made, "preset", next);
	json_object_set_new(object, key, made);
	return made;
}

static drapeResult Apply(Setting* setting, json_t* root)
{
	json_t* object = root;
	char key[keyCapacity];
	for (;;)
	{
		if (!NextKey(setting, key))
			return Fail(setting, "", "there is a key missing, expected KEY=VALUE such as wind.velocity=[8,0,0]");
		if (!json_is_object(object))
			return Fail(setting, key, "stands below a list, expected one of its entries such as [0]");
		if (*setting->rest == '=')
			return json_object_set_new(object, key, ParseValue(setting->value)) == 0 ? drape_ok : drape_errorMemory;
		json_t* next = Descend(object, key);
		size_t index = 0;
		if (*setting->rest == '[')
		{
			json_t* list = next;
			drapeResult result = FindEntry(setting, key, list, &next, &index);
			if (result != drape_ok)
				return result;
			if (*setting->rest == '=')
				return json_array_set_new(list, index, ParseValue(setting->value)) == 0 ? drape_ok : drape_errorMemory;
		}
		if (*setting->rest != '.')
			return Fail(setting, key, "ends the path without a value, expected KEY=VALUE");
		setting->rest++;
		object = next;
	}
}

// The sentence behind "name:line:column: ". The place is that of a text that nobody wrote.
static const char* Sentence(const char* text, const char* path)
{
	size_t length = strlen(path);
	if (strncmp(text, path, length) != 0 || text[length] != ':')
		return text;
	const char* at = text + length + strspn(text + length, ":0123456789");
	return *at == ' ' ? at + 1 : at;
}

// Reads the changed document. The hash of the scene is that of its text, so that --resume notices other values.
static drapeResult Reread(json_t* root, const char* path, const CliList* settings, drapeScene** scene,
                          drapeMessage* error)
{
	char* text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	if (!text)
		return drape_errorMemory;
	drapeMessage found = {0};
	drapeResult result = drapeScene_Parse(text, strlen(text), path, scene, &found);
	free(text);
	if (result == drape_ok)
		return result;
	error->result = result;
	error->line = 0;
	snprintf(error->text, sizeof error->text, "--set %.200s%s: %.280s", settings->items[0],
	         settings->count > 1 ? " and the others" : "", Sentence(found.text, path));
	return result;
}

// The mesh of somebody who has no scene yet.
static drapeResult FailMesh(const char* path, drapeMessage* error)
{
	error->result = drape_errorData;
	error->line = 0;
	snprintf(
		error->text, sizeof error->text,
		"%.120s is a mesh, expected a scene: 'drape studio %.120s' makes one of it in a window; by hand, begin with "
		"{\"cloths\": [{\"name\": \"cloth\", \"obj\": \"%.120s\"}]}",
		path, path, path);
	return drape_errorData;
}

drapeResult SceneSet_Read(const char* path, const CliList* settings, drapeScene** scene, drapeMessage* error)
{
	size_t length = strlen(path);
	*scene = NULL;
	if (length > 4 && strcmp(path + length - 4, ".obj") == 0)
		return FailMesh(path, error);
	// The file itself comes first, so that its own mistakes are reported with their lines.
	drapeResult result = drapeScene_Read(path, scene, error);
	if (result != drape_ok || settings->count == 0)
		return result;
	drapeScene_Free(*scene);
	*scene = NULL;
	json_t* root = json_load_file(path, 0, NULL);
	result = root ? drape_ok : drape_errorMemory;
	for (int i = 0; result == drape_ok && i < settings->count; ++i)
	{
		const char* text = settings->items[i];
		const char* equals = strchr(text, '=');
		Setting setting = {.text = text, .rest = text, .value = equals ? equals + 1 : text, .error = error};
		result = equals ? Apply(&setting, root) : Fail(&setting, "", "there is no '=', expected KEY=VALUE");
	}
	if (result == drape_ok)
		result = Reread(root, path, settings, scene, error);
	json_decref(root);
	return result;
}
