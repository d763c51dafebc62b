// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the row in progress --------------------------------------------------------------------------------------------

typedef struct Row
{
	const char *function, *parameter, *file;
	int line;
} Row;

static struct
{
	Row* list;
	uint32_t count, capacity, failures;
	uint64_t hash;            // of the world before the row
	uint32_t asserts;         // in the row
	char firstAssert[600];    // its sentence
	bool hasOtherAssert;      // one that is no refused argument
	drapeWorldId goneWorld;   // destroyed, and its slot is empty
	drapeWorldId reusedWorld; // destroyed, and its slot is used by another world
	drapeWorldId usedWorld;
	struct
	{
		uint32_t index1;
		uint16_t world, generation;
	} bad[apiKindCount][apiBadCount];
} rows;

_Static_assert(sizeof rows.bad[0][0] == sizeof(drapePinId), "handles of all kinds look alike");

static bool RecordAssert(const char* condition, const char* file, int line)
{
	(void)line;
	if (rows.asserts++ == 0)
		snprintf(rows.firstAssert, sizeof rows.firstAssert, "%s", condition);
	rows.hasOtherAssert |= strcmp(file, "a refused argument") != 0;
	return false;
}

static void Fail(const char* problem, const char* detail)
{
	const Row* row = &rows.list[rows.count - 1];
	rows.failures++;
	print_error("%s:%d: %s, %s: %s%s%s\n", row->file, row->line, row->function, row->parameter, problem,
	            detail ? ": " : "", detail ? detail : "");
}

// A sentence that no row expects, so that an old one is not taken for a new one.
static const float markRate = -12345.0f;
static const char markSentence[] = "adaptRate is -12345";

void Api_Begin(Api* api, const char* function, const char* parameter, const char* file, int line)
{
	if (rows.count == rows.capacity)
	{
		rows.capacity = 2 * rows.capacity + 64;
		rows.list = realloc(rows.list, rows.capacity * sizeof(Row));
		assert_non_null(rows.list);
	}
	rows.list[rows.count++] = (Row){function, parameter, file, line};
	drapeSetAssert(RecordAssert);
	drapeWorld_SetAdaptRate(api->world, markRate);
	api->own = (drapeMessage){0};
	rows.hash = drapeWorld_GetHash(api->world);
	rows.asserts = 0;
	rows.firstAssert[0] = '\0';
	rows.hasOtherAssert = false;
}

static bool BeginsWith(const char* text, const char* start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

// The message of another library may say where the sentence of the assertion comes from.
static void CheckAsserts(const Api* api, const char* sentence, bool asserts)
{
	if (rows.hasOtherAssert)
		Fail("an assertion failed that is no refused argument", rows.firstAssert);
#ifdef NDEBUG
	(void)api;
	(void)sentence;
	(void)asserts;
	if (rows.asserts > 0)
		Fail("a release build asserts", rows.firstAssert);
#else
	if (asserts && rows.asserts == 0)
		Fail("a debug build does not assert", NULL);
	else if (!asserts && rows.asserts > 0)
		Fail("it asserts", rows.firstAssert);
	else if (asserts && !BeginsWith(rows.firstAssert, sentence) && !strstr(api->own.text, rows.firstAssert))
		Fail("the assertion has another sentence", rows.firstAssert);
#endif
}

static void CheckState(const Api* api)
{
	if (drapeWorld_GetHash(api->world) != rows.hash)
		Fail("the state of the world has changed", NULL);
}

static const char* SentenceOf(const Api* api)
{
	return api->own.text[0] ? api->own.text : drapeWorld_GetMessage(api->world);
}

static void CheckSentence(const Api* api, const char* sentence)
{
	const char* found = SentenceOf(api);
	if (BeginsWith(found, markSentence))
		Fail("there is no sentence", NULL);
	else if (!BeginsWith(found, sentence))
		Fail("the sentence is another one", found);
}

void Api_EndResult(Api* api, drapeResult result, drapeResult expected, const char* sentence, bool asserts)
{
	CheckState(api);
	if (result != expected)
		Fail("the result is another one", drapeResult_GetText(result));
	else
		CheckSentence(api, sentence);
	if (api->own.text[0] && api->own.result != expected)
		Fail("the message has another result", drapeResult_GetText(api->own.result));
	CheckAsserts(api, sentence, asserts);
}

void Api_EndSilent(Api* api, drapeResult result, drapeResult expected)
{
	CheckState(api);
	if (result != expected)
		Fail("without a message the result is another one", drapeResult_GetText(result));
	if (rows.hasOtherAssert)
		Fail("without a message an assertion fails", rows.firstAssert);
}

void Api_EndValue(Api* api, bool holds, const char* sentence)
{
	CheckState(api);
	if (!holds)
		Fail("the value is another one", NULL);
	CheckSentence(api, sentence);
	CheckAsserts(api, sentence, true);
}

void Api_EndAsserted(Api* api, bool holds, const char* sentence)
{
	CheckState(api);
	if (!holds)
		Fail("the value is another one", NULL);
	CheckAsserts(api, sentence, true);
}

void Api_EndAccepted(Api* api, bool holds)
{
	CheckState(api);
	if (!holds)
		Fail("it was refused", SentenceOf(api));
	if (!BeginsWith(SentenceOf(api), markSentence))
		Fail("there is a sentence", SentenceOf(api));
	CheckAsserts(api, "", false);
}

void Api_EndReason(Api* api, const char* reason)
{
	(void)api;
	if (!reason || !reason[0])
		Fail("there is no reason", NULL);
}

bool Api_IsZero(const void* value, size_t size)
{
	const unsigned char* bytes = value;
	for (size_t i = 0; i < size; ++i)
	{
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

uint32_t Api_TakeFailures(void)
{
	uint32_t failures = rows.failures;
	rows.failures = 0;
	return failures;
}

bool Api_HasRow(const char* function, const char* parameter)
{
	for (uint32_t i = 0; i < rows.count; ++i)
	{
		if (strcmp(rows.list[i].function, function) == 0 &&
		    (strcmp(rows.list[i].parameter, parameter) == 0 || strcmp(rows.list[i].parameter, "ALL") == 0))
			return true;
	}
	return false;
}

bool Api_GetRow(uint32_t index, const char** function, const char** parameter)
{
	if (index >= rows.count)
		return false;
	*function = rows.list[index].function;
	*parameter = rows.list[index].parameter;
	return true;
}

// --- bad handles ----------------------------------------------------------------------------------------------------

enum
{
	badNull,
	badDestroyed, // its slot is empty
	badReused,    // another object has its slot
	badNever,     // no object ever had its slot
	badWorldGone, // for a world: another world has its slot
};

static const char* const kindNames[apiKindCount] = {"world", "cloth",      "collider", "motion",
                                                    "pin",   "constraint", "column"};

void Api_BadHandle(Api* api, int kind, uint32_t bad, void* id)
{
	(void)api;
	assert_true(kind < apiKindCount && bad < apiBadCount);
	memcpy(id, &rows.bad[kind][bad], sizeof rows.bad[0][0]);
}

void Api_EndBad(Api* api, bool holds, int kind, uint32_t bad)
{
	char sentence[128];
	snprintf(sentence, sizeof sentence, "the %s does not exist: it was destroyed, or its handle is null",
	         kindNames[kind]);
	CheckState(api);
	if (!holds)
		Fail("a bad handle has another answer", drapeWorld_GetMessage(api->world));
	// A handle of this world leaves its sentence there. A null handle, and one of a world that is gone, name no world.
	bool isOfWorld = kind != apiKindWorld && bad != badNull && bad != badWorldGone;
	if (isOfWorld)
		CheckSentence(api, sentence);
	else if (!BeginsWith(drapeWorld_GetMessage(api->world), markSentence))
		Fail("a world got a sentence about a handle that is not its own", drapeWorld_GetMessage(api->world));
	CheckAsserts(api, sentence, true);
}

static void Keep(int kind, uint32_t bad, const void* id)
{
	memcpy(&rows.bad[kind][bad], id, sizeof rows.bad[0][0]);
}

// --- good objects ---------------------------------------------------------------------------------------------------

static drapeClothId AddCloth(Api* api, drapeWorldId world)
{
	drapeClothDef def = drapeDefaultClothDef();
	drapeClothId cloth;
	def.mesh = &api->mesh;
	assert_int_equal(drapeCreateCloth(world, &def, &cloth), drape_ok);
	return cloth;
}

static drapeColliderId AddCollider(drapeWorldId world, const drapeMesh* mesh)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	drapeColliderId collider;
	def.shape = mesh ? drape_shapeMesh : drape_shapeSphere;
	def.mesh = mesh;
	def.transform.position.y = -3.0f;
	assert_int_equal(drapeCreateCollider(world, &def, &collider), drape_ok);
	return collider;
}

static drapeMotionId AddMotion(drapeWorldId world)
{
	const drapeMotionKey key = {0.0f, drapeIdentityTransform()};
	drapeMotionDef def = drapeDefaultMotionDef();
	drapeMotionId motion;
	def.keys = &key;
	def.keyCount = 1;
	assert_int_equal(drapeCreateMotion(world, &def, &motion), drape_ok);
	return motion;
}

static drapePinId AddPin(drapeClothId cloth, uint32_t particle)
{
	drapePinId pin;
	assert_int_equal(drapeCreatePin(cloth, particle, &pin), drape_ok);
	return pin;
}

static drapeColumnId AddColumn(drapeClothId cloth, const char* name)
{
	drapeColumnDef def = drapeDefaultColumnDef();
	drapeColumnId column;
	def.name = name;
	assert_int_equal(drapeCreateColumn(cloth, &def, &column), drape_ok);
	return column;
}

static drapeConstraintId AddTether(drapeClothId cloth)
{
	drapeTetherDef def = drapeDefaultTetherDef();
	drapeConstraintId constraint;
	assert_int_equal(drapeCreateTether(cloth, &def, &constraint), drape_ok);
	return constraint;
}

// Keeps a handle whose object is destroyed, and then another one whose slot a new object takes.
#define KEEP_STALE(kind, Type, create, destroy)                                                                        \
	do                                                                                                                 \
	{                                                                                                                  \
		Type reused = create;                                                                                          \
		Keep(kind, badReused, &reused);                                                                                \
		assert_int_equal(destroy(reused), drape_ok);                                                                   \
		Type user = create;                                                                                            \
		assert_int_equal(user.index1, reused.index1);                                                                  \
		Type gone = create;                                                                                            \
		Keep(kind, badDestroyed, &gone);                                                                               \
		assert_int_equal(destroy(gone), drape_ok);                                                                     \
		Type never = {UINT32_MAX, user.world, 1};                                                                      \
		Keep(kind, badNever, &never);                                                                                  \
	} while (0)

static void KeepStaleObjects(Api* api)
{
	uint32_t particle = 10;
	char name[32];
	KEEP_STALE(apiKindCloth, drapeClothId, AddCloth(api, api->world), drapeDestroyCloth);
	KEEP_STALE(apiKindCollider, drapeColliderId, AddCollider(api->world, NULL), drapeDestroyCollider);
	KEEP_STALE(apiKindMotion, drapeMotionId, AddMotion(api->world), drapeDestroyMotion);
	KEEP_STALE(apiKindPin, drapePinId, AddPin(api->cloth, particle++), drapeDestroyPin);
	KEEP_STALE(apiKindConstraint, drapeConstraintId, AddTether(api->cloth), drapeDestroyConstraint);
	KEEP_STALE(apiKindColumn, drapeColumnId,
	           AddColumn(api->cloth, (snprintf(name, sizeof name, "stale %u", particle++), name)), drapeDestroyColumn);
}

static drapeWorldId AddWorld(void)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	drapeWorldId world;
	assert_int_equal(drapeCreateWorld(&def, &world, NULL), drape_ok);
	return world;
}

static void KeepObjectsOfGoneWorld(Api* api)
{
	drapeWorldId world = AddWorld();
	drapeClothId cloth = AddCloth(api, world);
	drapeColliderId collider = AddCollider(world, NULL);
	drapeMotionId motion = AddMotion(world);
	drapePinId pin = AddPin(cloth, 0);
	drapeConstraintId constraint = AddTether(cloth);
	drapeColumnId column = AddColumn(cloth, "gone");
	Keep(apiKindWorld, badDestroyed, &world);
	Keep(apiKindCloth, badWorldGone, &cloth);
	Keep(apiKindCollider, badWorldGone, &collider);
	Keep(apiKindMotion, badWorldGone, &motion);
	Keep(apiKindPin, badWorldGone, &pin);
	Keep(apiKindConstraint, badWorldGone, &constraint);
	Keep(apiKindColumn, badWorldGone, &column);
	assert_int_equal(drapeDestroyWorld(world), drape_ok);
}

static void KeepStaleWorlds(void)
{
	const drapeWorldId never = {UINT32_MAX, 0, 0};
	Keep(apiKindWorld, badNever, &never);
	rows.reusedWorld = AddWorld();
	Keep(apiKindWorld, badReused, &rows.reusedWorld);
	Keep(apiKindWorld, badWorldGone, &rows.reusedWorld);
	assert_int_equal(drapeDestroyWorld(rows.reusedWorld), drape_ok);
	// Slots are taken in turn.
	for (uint32_t i = 0; i < 2 * DRAPE_MAX_WORLDS; ++i)
	{
		rows.usedWorld = AddWorld();
		if (rows.usedWorld.index1 == rows.reusedWorld.index1)
			return;
		assert_int_equal(drapeDestroyWorld(rows.usedWorld), drape_ok);
	}
	fail_msg("no world took the slot of the one that was destroyed");
}

static void AddConstraints(Api* api)
{
	drapeAttachDef attach = drapeDefaultAttachDef();
	attach.collider = api->sphere;
	assert_int_equal(drapeCreateAttachment(api->cloth, &attach, &api->attachment), drape_ok);
	api->tether = AddTether(api->cloth);
	drapeStitchDef stitch = drapeDefaultStitchDef();
	stitch.otherCloth = api->second;
	assert_int_equal(drapeCreateStitch(api->cloth, &stitch, &api->stitch), drape_ok);
}

void Api_Create(Api* api)
{
	*api = (Api){.message = &api->own};
	assert_int_equal(drapeMesh_CreateGrid(4, 4, 1.0f, 1.0f, &api->mesh, NULL), drape_ok);
	KeepStaleWorlds();
	api->world = AddWorld();
	api->cloth = AddCloth(api, api->world);
	api->second = AddCloth(api, api->world);
	api->sphere = AddCollider(api->world, NULL);
	api->body = AddCollider(api->world, &api->mesh);
	api->motion = AddMotion(api->world);
	api->pin = AddPin(api->cloth, 0);
	api->column = AddColumn(api->cloth, "wetness");
	AddConstraints(api);
	KeepStaleObjects(api);
	api->foreign = AddWorld();
	api->foreignCloth = AddCloth(api, api->foreign);
	api->foreignCollider = AddCollider(api->foreign, NULL);
	api->foreignMotion = AddMotion(api->foreign);
	KeepObjectsOfGoneWorld(api);
	assert_int_equal(drapeWorld_Step(api->world, 0.01f), drape_ok);
}

void Api_Destroy(Api* api)
{
	drapeSetAssert(NULL);
	assert_int_equal(drapeWorld_Validate(api->world), drape_ok);
	assert_int_equal(drapeWorld_Step(api->world, 0.01f), drape_ok);
	drapeDestroyWorld(api->world);
	drapeDestroyWorld(api->foreign);
	drapeDestroyWorld(rows.usedWorld);
	drapeMesh_Free(&api->mesh);
}

// --- tables of parameters -------------------------------------------------------------------------------------------

enum
{
	largestDef = 4096
};

// Writes a value to a parameter of a copy of the definition, and makes the call.
static void TryValue(Api* api, const ApiTable* table, const drapeParameter* parameter, double value)
{
	_Alignas(16) unsigned char copy[largestDef];
	char sentence[256];
	assert_true(table->size <= sizeof copy);
	memcpy(copy, table->def, table->size);
	unsigned char* at = copy + table->offset + parameter->offset;
	const float number = (float)value;
	const uint32_t whole = (uint32_t)value;
	bool isWhole = parameter->kind == drape_parameterUint || parameter->kind == drape_parameterChoice;
	memcpy(at, isWhole ? (const void*)&whole : (const void*)&number, 4);
	Api_Begin(api, table->function, table->parameter, table->prefix[0] ? table->prefix : table->function, 0);
	snprintf(sentence, sizeof sentence, "%s%s is %g, expected ", table->prefix, parameter->key,
	         isWhole ? (double)whole : (double)number);
	Api_EndResult(api, table->apply(api, copy), drape_errorArgument, sentence, true);
	const char* found = SentenceOf(api);
	if (parameter->kind == drape_parameterChoice)
	{
		if (!strstr(found, parameter->words))
			Fail("the sentence does not name the choices", found);
		return;
	}
	if (parameter->kind != drape_parameterAngle && parameter->unit && !strstr(found, parameter->unit))
		Fail("the sentence does not name the unit", found);
	snprintf(sentence, sizeof sentence, "%g", parameter->high);
	if (parameter->low < parameter->high && !strstr(found, sentence))
		Fail("the sentence does not name the end of the range", found);
}

static void TryFloat(Api* api, const ApiTable* table, const drapeParameter* parameter)
{
	bool isFree = parameter->low == parameter->high;
	TryValue(api, table, parameter, (double)NAN);
	TryValue(api, table, parameter, (double)INFINITY);
	TryValue(api, table, parameter, -(double)INFINITY);
	if (isFree)
		return;
	TryValue(api, table, parameter, parameter->low - 0.01 * fabs(parameter->low) - 1e-3);
	TryValue(api, table, parameter, parameter->high + 0.01 * fabs(parameter->high) + 1e-3);
	if (parameter->isAbove)
		TryValue(api, table, parameter, parameter->low);
}

static uint32_t CountWords(const char* words)
{
	uint32_t count = 1;
	for (; *words; ++words)
		count += *words == '|';
	return count;
}

static void TryWhole(Api* api, const ApiTable* table, const drapeParameter* parameter)
{
	bool isChoice = parameter->kind == drape_parameterChoice;
	double high = isChoice ? CountWords(parameter->words) - 1 : parameter->high;
	if (high < UINT32_MAX)
		TryValue(api, table, parameter, high + 1.0);
	if (high < UINT32_MAX)
		TryValue(api, table, parameter, UINT32_MAX);
	if (!isChoice && parameter->low > 0.0)
		TryValue(api, table, parameter, parameter->low - 1.0);
}

void Api_RefuseTable(Api* api, const ApiTable* table)
{
	assert_true(table->count > 0);
	for (uint32_t i = 0; i < table->count; ++i)
	{
		const drapeParameter* parameter = &table->list[i];
		switch (parameter->kind)
		{
			case drape_parameterFloat:
			case drape_parameterAngle:
			case drape_parameterVec3: // its first component
				TryFloat(api, table, parameter);
				break;
			case drape_parameterUint:
			case drape_parameterChoice:
				TryWhole(api, table, parameter);
				break;
			default:
				break; // both values of a bool are good; curves have rows of their own
		}
	}
}
