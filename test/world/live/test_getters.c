// SPDX-License-Identifier: MIT
#include "shared/make.h"
#include "support.h"

#include "drape/drape.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whatever can be set can be read.

// --- the public headers ---------------------------------------------------------------------------------------------

static const char folder[] = "include/drape";

// All headers, one after the other. The caller frees the text.
static char* ReadHeaders(void)
{
	char* text = calloc(1, 1);
	size_t size = 0;
	DIR* dir = opendir(folder);
	assert_non_null(dir);
	for (const struct dirent* entry = readdir(dir); entry; entry = readdir(dir))
	{
		char path[300];
		size_t length = strlen(entry->d_name);
		if (length < 2 || strcmp(entry->d_name + length - 2, ".h") != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		FILE* file = fopen(path, "rb");
		assert_non_null(file);
		text = realloc(text, size + (1 << 18));
		assert_non_null(text);
		size += fread(text + size, 1, (1 << 18) - 1, file);
		text[size] = 0;
		fclose(file);
	}
	closedir(dir);
	return text;
}

// True if a declaration of the function is in the headers.
static bool IsDeclared(const char* text, const char* name)
{
	size_t length = strlen(name);
	for (const char* s = strstr(text, name); s; s = strstr(s + 1, name))
	{
		if (s[length] == '(' && s > text && s[-1] == ' ')
			return true;
	}
	return false;
}

// Setters whose value is read by a function with another name, or not at all: input of a step that the application has
// made itself.
static const struct
{
	const char *setter, *getter;
} others[] = {
	{"drapeCloth_SetPositions", "drapeCloth_GetView"},  {"drapeCloth_SetVelocities", "drapeCloth_GetView"},
	{"drapeCloth_SetAsleep", "drapeCloth_IsAsleep"},    {"drapeCollider_SetPositions", "drapeCollider_GetView"},
	{"drapeCloth_SetPinTargets", "drapePin_GetTarget"}, {"drapeCloth_SetSkinTargets", NULL},
};

// False for a setter without a getter.
static bool GetterOf(const char* setter, char* getter, size_t capacity)
{
	for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
	{
		if (strcmp(others[i].setter, setter) == 0)
		{
			snprintf(getter, capacity, "%s", others[i].getter ? others[i].getter : "");
			return others[i].getter != NULL;
		}
	}
	snprintf(getter, capacity, "%s", setter);
	strstr(getter, "_Set")[1] = 'G';
	return true;
}

static void EverySetterHasAGetter(void** state)
{
	(void)state;
	char* text = ReadHeaders();
	uint32_t setters = 0, missing = 0;
	for (const char* s = strstr(text, "_Set"); s; s = strstr(s + 1, "_Set"))
	{
		const char *start = s, *end = s;
		while (start > text && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
			start--;
		while (isalnum((unsigned char)*end) || *end == '_')
			end++;
		if (*end != '(' || start[-1] != ' ')
			continue;
		char setter[128], getter[128];
		assert_true((size_t)(end - start) < sizeof setter);
		snprintf(setter, sizeof setter, "%.*s", (int)(end - start), start);
		setters++;
		if (!GetterOf(setter, getter, sizeof getter) || IsDeclared(text, getter))
			continue;
		print_message("%s has no %s\n", setter, getter);
		missing++;
	}
	free(text);
	assert_true(setters > 30);
	assert_int_equal(missing, 0);
}

// --- values that were set -------------------------------------------------------------------------------------------

static void PinsAndCollidersReturnWhatWasSet(void** state)
{
	(void)state;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeColliderDef colliderDef = drapeDefaultColliderDef();
	drapeColliderId collider = Make_Collider(world, &colliderDef);
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(2, 2, 1.0f, 1.0f, &grid, NULL), drape_ok);
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = &grid;
	drapeClothId cloth = Make_Cloth(world, &def);
	drapeMesh_Free(&grid);
	drapePinId pin = Make_Pin(cloth, 0);
	float start, end;
	assert_int_equal(drapeCollider_SetTimes(collider, 0.5f, 2.0f), drape_ok);
	assert_int_equal(drapeCollider_GetTimes(collider, &start, &end), drape_ok);
	assert_true(start == 0.5f && end == 2.0f);
	assert_int_equal(drapeCollider_GetTimes(collider, NULL, NULL), drape_ok);
	assert_int_equal(drapePin_SetTimes(pin, 0.25f, 3.0f), drape_ok);
	assert_int_equal(drapePin_GetTimes(pin, &start, &end), drape_ok);
	assert_true(start == 0.25f && end == 3.0f);
	assert_int_equal(drapePin_SetMaxForce(pin, 7.0f), drape_ok);
	assert_true(drapePin_GetMaxForce(pin) == 7.0f);
	assert_int_equal(drapePin_SetTarget(pin, (drapeVec3){1.0f, 2.0f, 3.0f}), drape_ok);
	assert_true(drapePin_GetTarget(pin).y == 2.0f);
	// Objects of a cloth are listed.
	drapePinId pins[2];
	drapeColumnId columns[2], column;
	drapeColumnDef columnDef = drapeDefaultColumnDef();
	columnDef.name = "wetness";
	assert_int_equal(drapeCreateColumn(cloth, &columnDef, &column), drape_ok);
	assert_int_equal(drapeCloth_GetPins(cloth, pins, 2), 1);
	assert_int_equal(drapeCloth_GetColumns(cloth, columns, 2), 1);
	assert_true(DRAPE_ID_EQUALS(pins[0], pin) && DRAPE_ID_EQUALS(columns[0], column));
	drapeDestroyWorld(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EverySetterHasAGetter),
		cmocka_unit_test(PinsAndCollidersReturnWhatWasSet),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
