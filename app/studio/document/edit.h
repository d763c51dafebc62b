// SPDX-License-Identifier: MIT
#pragma once

// Changes of a scene in memory: adding, removing, copying and converting items. The strings and arrays of a scene come
// from drapeAlloc. A function that returns false or item_none ran out of memory and has changed nothing.

#include "drape/scene.h"

// --- items ---

typedef enum ItemKind
{
	item_none = 0,
	item_world, // time, gravity, wind
	item_cloth,
	item_collider,
	item_object,
} ItemKind;

typedef struct Item
{
	ItemKind kind;
	uint32_t index;
} Item;

static inline bool Item_Same(Item a, Item b)
{
	return a.kind == b.kind && (a.index == b.index || a.kind == item_none || a.kind == item_world);
}

// False when the scene has no such item.
bool drapeScene_Has(const drapeScene* scene, Item item);

// The name of an item, or its kind: "Sphere". The text is static or belongs to the scene.
const char* drapeScene_ItemName(const drapeScene* scene, Item item);

// NULL for items without a pose.
drapeScenePose* drapeScene_ItemPose(drapeScene* scene, Item item);

// Item number `number` in the order of the tree: cloths, colliders, objects. item_none past the last.
Item drapeScene_ItemAt(const drapeScene* scene, uint32_t number);

// True for a scene with at most a floor.
bool drapeScene_IsBlank(const drapeScene* scene);

// --- text ---

bool drapeScene_SetText(char** text, const char* value);

// Removes "name:3:14: " from a message about text in memory: the user has no such file.
const char* drapeText_WithoutPlace(const char* text, const char* name);

// Makes every path in the scene absolute, and the folder "".
bool drapeScene_MakePathsAbsolute(drapeScene* scene);

// Makes an unused name for a cloth from `wish`, of letters, digits, '-', '_' and '.'.
void drapeScene_FreeName(const drapeScene* scene, const char* wish, char* name, size_t capacity);

// --- items ---

// New cloth: a fabric that hardly stretches, refined by curvature and by collision.
#define SCENE_NEW_CLOTH "\"material\": \"white-dots-on-blk\", \"adapt\": {\"collision\": {}}"

// Appends an item that `json` describes as a scene file does: "{\"shape\": \"plane\"}". item_none when the reader
// refuses it.
Item drapeScene_Add(drapeScene* scene, ItemKind kind, const char* json);
Item drapeScene_AddObject(drapeScene* scene, const char* path);
Item drapeScene_Copy(drapeScene* scene, Item item);
void drapeScene_Remove(drapeScene* scene, Item item);

// --- cloth ---

// Converts an object to a cloth with the same pose and `maxLevel` levels of refinement. Returns the new item.
Item drapeScene_ObjectToCloth(drapeScene* scene, uint32_t object, uint32_t maxLevel);

// Converts a cloth that comes from a file to an object.
Item drapeScene_ClothToObject(drapeScene* scene, uint32_t cloth);

// The number of the preset with these values, or -1.
int drapeMaterial_FindPreset(const drapeMaterial* material);

// Changes the shape. Measures that both shapes have are kept; others get typical values.
void drapeScene_SetShape(drapeSceneCollider* collider, drapeColliderShape shape);

// Changes the model, and the solver to the default of the model.
void drapeScene_SetModel(drapeSceneCloth* cloth, drapeModel model);

// --- pins ---

// Finds the pinned vertices of the pattern. `pinned` has mesh->vertexCount entries: 0 for a free vertex, else 1 + the
// index in cloth->pins.
void drapeScenePins_Resolve(const drapeSceneCloth* cloth, const drapeMesh* mesh, uint32_t* pinned);

// Pins or frees vertices. A pin entry that names corners or a box becomes a list of vertices when one of them is freed.
bool drapeScenePins_Set(drapeSceneCloth* cloth, const drapeMesh* mesh, const uint32_t* vertices, uint32_t count,
                        bool pin);
