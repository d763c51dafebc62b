// SPDX-License-Identifier: MIT
#pragma once

// Reading scenes. jansson parses the JSON. Tables define the keys, one table per section of a scene: key, kind, range,
// unit, help and offset of the value. The same tables free a scene and write the JSON Schema and the reference in
// docs/scenes.md.
//
//   scene_places.c     line and column of every value by its path; jansson has them only for syntax errors
//   scene_fields.c     reads a section by its table; messages, "did you mean"
//   scene_tables.c     the tables outside cloths: time, world, wind, motions, colliders, output
//   scene_cloth.c      the tables of a cloth: mesh, material, solver, pins
//   scene_adapt.c      the tables of adaptation, built from the core's description of its criteria
//   scene_look.c       the tables of pictures: look, camera
//   scene_schema.c     tables as JSON Schema and as Markdown
//   scene_write.c      writes a drapeScene as text
//   scene.c            reads files and text into a drapeScene
//   scene_mesh.c       the pattern meshes of cloths
//   scene_doubts.c     questions about units
//   scene_collider.c   colliders, with meshes from files that may change over time
//   scene_constraints.c  attachments, tethers and stitches: tables and creation
//   scene_create.c     makes a world from a drapeScene
//
// A function that returns bool sets the reader's error before it returns false. Only the first error is kept.

#include "io.h"

#include "drape/scene.h"

#include <jansson.h>

// --- scene_places.c ---

// The path from the root of the document to a value: a hash of its keys and indices.
typedef struct ScenePath
{
	const struct ScenePath* parent; // NULL at the root
	uint64_t hash;
} ScenePath;

ScenePath drapeScenePath_Root(void);
ScenePath drapeScenePath_Key(const ScenePath* parent, const char* key);
ScenePath drapeScenePath_Index(const ScenePath* parent, size_t index);

// The position of the key itself, not of its value.
ScenePath drapeScenePath_Name(const ScenePath* parent, const char* key);

typedef struct ScenePlaceEntry
{
	uint64_t path;
	drapeScenePlace place;
} ScenePlaceEntry;

typedef struct ScenePlaces
{
	IO_ARRAY(ScenePlaceEntry) entries; // sorted by path
} ScenePlaces;

// `text` is valid JSON. Returns false if memory runs out.
bool drapeScenePlaces_Build(ScenePlaces* places, const char* text, size_t size);

// Returns the position of the value, or of the innermost enclosing value with a known position.
drapeScenePlace drapeScenePlaces_Find(const ScenePlaces* places, const ScenePath* path);
void drapeScenePlaces_Free(ScenePlaces* places);

uint64_t drapeScene_Hash(uint64_t hash, const void* data, size_t size);
#define SCENE_HASH_SEED 0xcbf29ce484222325u

// --- scene_fields.c ---

typedef struct SceneReader
{
	const char* name; // name of the file in messages
	const json_t* root;
	ScenePlaces places;
	drapeMessage* error; // may be NULL
	drapeResult result;
} SceneReader;

// An object of the document during reading.
typedef struct SceneObject
{
	SceneReader* reader;
	const json_t* json;
	const ScenePath* path;
} SceneObject;

// Radians in a degree, as angles are read.
#define SCENE_DEGREE 0.017453292519943295

typedef enum SceneKind
{
	scene_note,    // text that is not kept
	scene_preset,  // text: SceneSection::preset fills the whole section; stands first in its table
	scene_bool,    // bool
	scene_uint,    // uint32_t
	scene_float,   // float
	scene_angle,   // float, degrees in the file, radians in memory
	scene_vec2,    // drapeVec2
	scene_vec3,    // drapeVec3
	scene_colour,  // drapeSceneColour: text "#rrggbb"
	scene_choice,  // an enum: number of the word in `words`
	scene_flags,   // uint32_t: a list of words, bit i for word i
	scene_text,    // char*
	scene_indices, // uint32_t* and a count
	scene_bits,    // uint64_t: a list of bit numbers, 0 to 63
	scene_curve,   // drapeStressCurve
	scene_section, // a struct
	scene_list,    // an array of structs and a count
} SceneKind;

typedef struct SceneSection SceneSection;

typedef struct SceneField
{
	const char* key;
	SceneKind kind;
	size_t offset;      // offset of the value in the section's struct
	size_t countOffset; // offset of the count
	double low, high;   // scene_uint, scene_float, scene_angle
	bool above;         // low itself is excluded
	bool required;
	bool decides;                // other defaults follow from it: it is always written
	bool path;                   // a scene_text that names a file, relative to the scene's folder
	const char* words;           // "one|two"
	const char* text;            // default of a scene_text
	const SceneSection* section; // for scene_section and scene_list
	const char* unit;            // NULL for none
	const char* help;
	bool isExplicit;      // written whenever its section is: its default depends on other keys
	const char* other;    // key of a field of the same kind that limits this one; NULL for none
	bool otherIsUpper;    // the value is not above that of `other`; else not below
	const char* conflict; // with `other`: the consequence when the limit is broken
	const char* zeroWord; // of a scene_float above 0: this word stands for 0; NULL for none
} SceneField;

struct SceneSection
{
	const char* title; // title of its table in the documentation
	const char* help;
	const SceneField* fields;
	int fieldCount;
	size_t size;         // size of the struct
	size_t placeOffset;  // offset of its drapeScenePlace; 0 for none, because it is never the first field
	const char* oneOf;   // "grid|disc|obj": exactly one of these keys is there
	size_t oneOfOffset;  // offset of the enum that stores the choice
	bool isSwitched;     // the section has a bool that is true when the section is given
	size_t switchOffset; // offset of that bool

	// Sets the defaults of a given section before its keys are read. Other fields keep the value of the enclosing
	// struct, or zero in a list. NULL for none.
	void (*begin)(void* value);

	// Sets the defaults that depend on which keys the object has; the fields are SceneField::isExplicit. NULL for none.
	void (*choosePresent)(const json_t* json, void* value);

	// Sets the defaults that depend on other keys of the object, which are not checked yet. NULL for none.
	void (*choose)(const json_t* json, void* value);

	// Checks values against each other. NULL for no check.
	bool (*check)(const SceneObject* object, void* value);

	// Tells whether the section was given. NULL if its values alone show that.
	bool (*isGiven)(const void* value);

	// Names of presets, which replace all values. NULL for no presets.
	bool (*preset)(const char* name, void* value);
	const char* (*presetName)(uint32_t index);
};

// Sets the defaults of a given section before its keys are read.
void drapeScene_BeginSection(const SceneSection* section, void* value);
bool drapeScene_ReadSection(const SceneObject* object, const SceneSection* section, void* value);
void drapeScene_FreeSection(const SceneSection* section, void* value);

// Sets the error at the value of `key`, at the object itself when it has no such key or `key` is NULL. Returns false.
bool drapeScene_Fail(const SceneObject* object, const char* key, const char* format, ...)
	__attribute__((format(printf, 3, 4)));
bool drapeScene_FailMemory(SceneReader* reader);

// Returns a copy from drapeAlloc, or NULL if memory runs out. Free it with drapeScene_FreeText.
char* drapeScene_CopyText(const char* text, size_t length);
void drapeScene_FreeText(char* text);

// Describes the allowed values of a field: "a number greater than 0 (m)".
void drapeScene_Describe(const SceneField* field, char* text, size_t capacity);

// Word `index` of "one|two", its length in `length`; NULL past the last.
const char* drapeScene_Word(const char* words, uint32_t index, size_t* length);

// Finds the candidate that `word` probably means. Returns false for none; `meant` then stays unchanged.
typedef struct SceneGuess
{
	char meant[40];
	int distance;
} SceneGuess;

SceneGuess drapeSceneGuess_Begin(void);
void drapeSceneGuess_Try(SceneGuess* guess, const char* word, const char* candidate, size_t length);

// --- the tables ---

// The section of the whole document. Use this, not drapeSceneRootSection: the first call completes the tables.
const SceneSection* drapeScene_RootSection(void);

void drapeScene_BuildColliders(void); // a part of that
extern const SceneSection drapeSceneRootSection;
extern SceneSection drapeSceneAdaptSection; // completed by drapeScene_RootSection
extern const SceneSection drapeSceneClothSection;
extern const SceneSection drapeSceneAttachSection;
extern const SceneSection drapeSceneTetherSection;
extern const SceneSection drapeSceneStitchSection;
extern const SceneSection drapeSceneLookSection;
extern const SceneSection drapeSceneFilterSection;

// The fields of a drapeSceneBox, and its check.
enum
{
	drapeSceneBoxFieldCount = 2,
};
extern const SceneField drapeSceneBoxFields[drapeSceneBoxFieldCount];
bool drapeScene_CheckBox(const SceneObject* object, void* value);
extern const SceneSection drapeSceneCameraSection;

// The default look.
drapeSceneLook drapeScene_DefaultLook(void);
drapeSceneCamera drapeScene_DefaultCamera(void);

// True when `motion` is empty or the name of a motion in the document; else the error is set at `key`.
bool drapeScene_CheckMotionName(const SceneObject* object, const char* key, const char* motion);

// The same for a collider's name.
bool drapeScene_CheckColliderName(const SceneObject* object, const char* key, const char* collider);

// True when `end` is 0 or after `start`; else the error is set at "end".
bool drapeScene_CheckTimes(const SceneObject* object, float start, float end);

#define SCENE_TIME_FIELDS(Type, startMember, endMember)                                                                \
	{.key = "start",                                                                                                   \
	 .kind = scene_float,                                                                                              \
	 .offset = offsetof(Type, startMember),                                                                            \
	 .low = 0.0,                                                                                                       \
	 .high = 1e6,                                                                                                      \
	 .unit = "s",                                                                                                      \
	 .help = "it acts from this time on"},                                                                             \
	{                                                                                                                  \
		.key = "end", .kind = scene_float, .offset = offsetof(Type, endMember), .low = 0.0, .high = 1e6, .unit = "s",  \
		.help = "it acts until this time; 0 for never"                                                                 \
	}

#define SCENE_POSE_FIELDS(Type, member)                                                                                \
	{.key = "position",                                                                                                \
	 .kind = scene_vec3,                                                                                               \
	 .offset = offsetof(Type, member.position),                                                                        \
	 .unit = "m",                                                                                                      \
	 .help = "position of its origin"},                                                                                \
		{.key = "axis",                                                                                                \
	     .kind = scene_vec3,                                                                                           \
	     .offset = offsetof(Type, member.axis),                                                                        \
	     .help = "axis of rotation, of any length except 0"},                                                          \
		{.key = "angle",                                                                                               \
	     .kind = scene_angle,                                                                                          \
	     .offset = offsetof(Type, member.angle),                                                                       \
	     .low = -36000.0,                                                                                              \
	     .high = 36000.0,                                                                                              \
	     .unit = "degrees",                                                                                            \
	     .help = "angle of rotation, counter-clockwise seen against the axis"},                                        \
	{                                                                                                                  \
		.key = "scale", .kind = scene_float, .offset = offsetof(Type, member.scale), .low = 0.0, .high = 1e6,          \
		.above = true, .help = "scale, applied before rotation and translation"                                        \
	}

#define SCENE_UP_FIELD(Type)                                                                                           \
	{                                                                                                                  \
		.key = "up", .kind = scene_choice, .offset = offsetof(Type, up), .words = "y|z",                               \
		.help = "axis of the file that points up; with `z` it is turned so that y is up"                               \
	}

drapeScenePose drapeScene_DefaultPose(void);
bool drapeScene_CheckPose(const SceneObject* object, const drapeScenePose* pose);

#define SCENE_SECTION_FIELDS(table) .fields = (table), .fieldCount = (int)(sizeof(table) / sizeof(table)[0])

// --- scene_parameters.c ---

// The row of a parameter. drapeScene_FillFields writes the rows of a definition and returns their number.
SceneField drapeScene_ParameterField(const drapeParameter* parameter);
int drapeScene_FillFields(SceneField* fields, uint32_t capacity, const drapeParameter* parameters, uint32_t count);

// Complete the sections of tables that the library describes.
void drapeScene_BuildWind(void);
void drapeScene_BuildClothDefinitions(void);

// --- scene_write.c ---

// Refuses a text that is NULL with a capacity above 0, and a size that is NULL; sets the size to 0.
drapeResult drapeScene_CheckText(const char* text, size_t capacity, size_t* size, drapeMessage* message);

// drape_errorLimit for a text that does not fit into a capacity above 0.
drapeResult drapeScene_CheckCapacity(size_t size, size_t capacity, drapeMessage* message);

// --- scene_schema.c ---

// Returns the struct of a section before any key is read. `around` points to it in the enclosing struct, and is NULL in
// a list. Returns NULL if memory runs out; free it with drapeFree.
char* drapeScene_CreateDefaults(const SceneSection* section, const char* around);

// --- scene_mesh.c ---

// Creates the transformed mesh of a cloth; free it with drapeObj_Free. On failure `message` receives the reason.
drapeResult drapeSceneMesh_Create(const drapeScene* scene, const drapeSceneCloth* cloth, drapeObj* pattern,
                                  drapeMessage* message);

// A vector of a file, with y up.
drapeVec3 drapeScene_TurnUp(drapeSceneUp up, drapeVec3 v);

// --- scene_collider.c ---

// The state of creating a world from a scene.
typedef struct SceneCreation
{
	const drapeScene* scene;
	drapeSceneWorld* made;
	drapeMessage* error; // may be NULL
} SceneCreation;

// Reports that the world refused an object of the scene, with the world's sentence.
drapeResult drapeScene_FailWorld(const SceneCreation* creation, drapeResult result, drapeScenePlace place,
                                 const char* kind, const char* name);

// Creates collider `index` with a given motion. The lists of sequences and warnings have capacity for one more entry.
drapeResult drapeSceneCollider_Create(const SceneCreation* creation, uint32_t index, drapeMotionId motion);
void drapeSceneSequence_Free(drapeSceneSequence* sequence);

// --- scene_constraints.c ---

// Creates attachments, tethers and stitches of cloth `index` after all cloths exist.
drapeResult drapeScene_CreateConstraints(const SceneCreation* creation, uint32_t index);

// --- scene.c ---

// As drapeFileError_Set, "name:line:column: sentence".
drapeResult drapeFileError_SetPlace(drapeMessage* error, drapeResult result, const char* name, drapeScenePlace place,
                                    const char* format, ...) __attribute__((format(printf, 5, 6)));
