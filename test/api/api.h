// SPDX-License-Identifier: MIT
#pragma once

// Rows of test_api. A row makes one call of a public function with one bad argument, in an otherwise good world, and
// names the answer: the result or value, and the beginning of the sentence. test_api.c reads the headers and fails
// for a function, or a parameter of one, that no row names, and for a row that names none.
//
// The rows of a header are in rows/rows_HEADER.c, a function that test_api.c lists. Each row is one of the macros below; the
// variable `api` is the world that it runs in. After each row the state of that world must be as before.

#include "support.h"

#include "drape/drape.h"

typedef struct Api
{
	drapeWorldId world;
	drapeMesh mesh; // a grid of 4 x 4 quads, of all cloths; also that of `body`, whose vertices move
	drapeClothId cloth, second;
	drapeColliderId sphere, body;
	drapeMotionId motion;
	drapePinId pin; // of particle 0
	drapeConstraintId attachment, tether, stitch;
	drapeColumnId column; // "wetness"
	drapeWorldId foreign; // another world with an object of each kind
	drapeClothId foreignCloth;
	drapeColliderId foreignCollider;
	drapeMotionId foreignMotion;
	drapeMessage* message; // calls that take a message pass this one
	drapeMessage own;
} Api;

// Adds the rows of one header.
typedef void ApiRows(Api* api);
#define TABLE(name, function) ApiRows function;
#include "tables.h"
#undef TABLE

// --- rows -----------------------------------------------------------------------------------------------------------

// The call returns drape_errorArgument and leaves a sentence with this beginning in the world. Debug builds assert.
#define REFUSED(function, parameter, sentence, call)                                                                   \
	API_ROW(function, parameter, Api_EndResult(api, (call), drape_errorArgument, sentence, true))

// The call returns another result, with a sentence that begins so. It does not assert.
#define FAILED(function, parameter, result, sentence, call)                                                            \
	API_ROW(function, parameter, Api_EndResult(api, (call), result, sentence, false))

// The same for functions that write the sentence to `api->message`. The call is made once more with NULL.
#define REFUSED_TO(function, parameter, sentence, call)                                                                \
	API_MESSAGE_ROW(function, parameter, drape_errorArgument, sentence, true, call)
#define FAILED_TO(function, parameter, result, sentence, call)                                                         \
	API_MESSAGE_ROW(function, parameter, result, sentence, false, call)

// A function that returns no result: the condition holds, and the world has a sentence that begins so.
#define REFUSED_VALUE(function, parameter, sentence, condition)                                                        \
	API_ROW(function, parameter, Api_EndValue(api, (condition), sentence))

// A function without a world or message: the condition holds, and debug builds assert with a sentence that begins so.
#define ASSERTED(function, parameter, sentence, condition)                                                             \
	API_ROW(function, parameter, Api_EndAsserted(api, (condition), sentence))

// The argument is not refused: the condition holds, nothing asserts and nothing is said.
#define ACCEPTED(function, parameter, condition) API_ROW(function, parameter, Api_EndAccepted(api, (condition)))

// Any argument is good, or none can be recognised as bad; the reason says why. `parameter` is ALL for a whole function.
#define CANNOT_FAIL(function, parameter, reason) API_ROW(function, parameter, Api_EndReason(api, reason))

// A handle that is null, or of an object that was destroyed, whose slot was reused, that never existed, or whose world
// was destroyed. `name` is the parameter, and the name of the handle in the call.
#define BAD_HANDLE(function, Type, name, call) BAD_VALUE(function, Type, name, (call) == drape_errorArgument)
#define BAD_ZERO(function, Type, name, call)                                                                           \
	API_BAD_ROWS(Type, name, 0, function, {                                                                            \
		__typeof__(call) value_ = (call);                                                                              \
		Api_EndBad(api, Api_IsZero(&value_, sizeof value_), kind_, bad_);                                              \
	})
#define BAD_VALUE(function, Type, name, condition)                                                                     \
	API_BAD_ROWS(Type, name, 0, function, { Api_EndBad(api, (condition), kind_, bad_); })

// The same where null is allowed.
#define BAD_DESTROY(function, Type, name)                                                                              \
	do                                                                                                                 \
	{                                                                                                                  \
		API_BAD_ROWS(Type, name, 1, function,                                                                          \
		             { Api_EndBad(api, function(name) == drape_errorArgument, kind_, bad_); });                        \
		API_ROW(function, name, Api_EndAccepted(api, function((Type){0}) == drape_ok));                                \
	} while (0)

// A handle that a call passes beside that of its own object, as the motion of a collider; also of another world.
#define BAD_OTHER(function, parameter, Type, name, foreignId, sentence, call)                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		for (uint32_t bad_ = 1; bad_ <= apiBadCount; ++bad_)                                                           \
		{                                                                                                              \
			Type name = foreignId;                                                                                     \
			if (bad_ < apiBadCount)                                                                                    \
				Api_BadHandle(api, API_KIND(Type), bad_, &name);                                                       \
			API_ROW(function, parameter, Api_EndResult(api, (call), drape_errorArgument, sentence, true));             \
		}                                                                                                              \
	} while (0)

// Every parameter of a definition, below and above its range and not a number: the sentence has its key, the value, the
// range and the unit. `apply` makes the call with a changed copy of `def`, in which the parameters' structure begins at
// `offset`.
typedef drapeResult ApiApply(Api* api, const void* def);
typedef struct ApiTable
{
	const char *function, *parameter;
	const drapeParameter* list;
	uint32_t count;
	const void* def;
	size_t size, offset;
	const char* prefix; // of the keys in sentences
	ApiApply* apply;
} ApiTable;
void Api_RefuseTable(Api* api, const ApiTable* table);

// --- used by the macros ---------------------------------------------------------------------------------------------

enum
{
	apiKindWorld,
	apiKindCloth,
	apiKindCollider,
	apiKindMotion,
	apiKindPin,
	apiKindConstraint,
	apiKindColumn,
	apiKindCount,
	apiBadCount = 5, // the first one is null
};

#define API_KIND(Type)                                                                                                 \
	_Generic((Type){0}, drapeWorldId                                                                                   \
	         : apiKindWorld, drapeClothId                                                                              \
	         : apiKindCloth, drapeColliderId                                                                           \
	         : apiKindCollider, drapeMotionId                                                                          \
	         : apiKindMotion, drapePinId                                                                               \
	         : apiKindPin, drapeConstraintId                                                                           \
	         : apiKindConstraint, drapeColumnId                                                                        \
	         : apiKindColumn)

#define API_ROW(function, parameter, end)                                                                              \
	do                                                                                                                 \
	{                                                                                                                  \
		(void)(function);                                                                                              \
		Api_Begin(api, #function, #parameter, __FILE__, __LINE__);                                                     \
		end;                                                                                                           \
	} while (0)

#define API_MESSAGE_ROW(function, parameter, result, sentence, asserts, call)                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		API_ROW(function, parameter, Api_EndResult(api, (call), result, sentence, asserts));                           \
		api->message = NULL;                                                                                           \
		API_ROW(function, MESSAGE, Api_EndSilent(api, (call), result));                                                \
		api->message = &api->own;                                                                                      \
	} while (0)

#define API_BAD_ROWS(Type, name, first, function, body)                                                                \
	do                                                                                                                 \
	{                                                                                                                  \
		for (uint32_t bad_ = first; bad_ < apiBadCount; ++bad_)                                                        \
		{                                                                                                              \
			const int kind_ = API_KIND(Type);                                                                          \
			Type name;                                                                                                 \
			Api_BadHandle(api, kind_, bad_, &name);                                                                    \
			API_ROW(function, name, body);                                                                             \
		}                                                                                                              \
	} while (0)

void Api_Begin(Api* api, const char* function, const char* parameter, const char* file, int line);
void Api_EndResult(Api* api, drapeResult result, drapeResult expected, const char* sentence, bool asserts);
void Api_EndSilent(Api* api, drapeResult result, drapeResult expected);
void Api_EndValue(Api* api, bool holds, const char* sentence);
void Api_EndAsserted(Api* api, bool holds, const char* sentence);
void Api_EndAccepted(Api* api, bool holds);
void Api_EndReason(Api* api, const char* reason);
void Api_EndBad(Api* api, bool holds, int kind, uint32_t bad);
void Api_BadHandle(Api* api, int kind, uint32_t bad, void* id);
bool Api_IsZero(const void* value, size_t size);

// --- used by test_api.c ---------------------------------------------------------------------------------------------

void Api_Create(Api* api);
void Api_Destroy(Api* api);

// The rows that failed since the last call. Each has been printed.
uint32_t Api_TakeFailures(void);

// True when a row has named this parameter of the function, or ALL of them.
bool Api_HasRow(const char* function, const char* parameter);

// The rows so far: what row `index` names. False past the last.
bool Api_GetRow(uint32_t index, const char** function, const char** parameter);
