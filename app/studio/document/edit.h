// SPDX-License-Identifier: MIT
#pragma once

// Changes of a scene in memory: what is added, removed, copied, renamed, turned into something else. A scene owns its
// strings and arrays through drapeAlloc; these functions keep it so. False means that memory was short, and that
// nothing has changed.

#include "drape/scene.h"

// --- what can be chosen ---

typedef enum ItemKind
{
	item_none = 0,
	item_world, // time, gravity, wind: what all share
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

// False when it was removed meanwhile.
bool drapeScene_Has(const drapeScene* scene, Item item);

// Its name, or what it is: "sphere". Static, or the scene's.
const char* drapeScene_ItemName(const drapeScene* scene, Item item);

// NULL for what has no place.
drapeScenePose* drapeScene_ItemPose(drapeScene* scene, Item item);

// Items in the order of the tree: cloths, colliders, objects, from 0 on. item_none past the last.
Item drapeScene_ItemAt(const drapeScene* scene, uint32_t number);

// Nothing in it but a floor.
bool drapeScene_IsBlank(const drapeScene* scene);

// --- text ---

bool drapeScene_SetText(char** text, const char* value);

// What a message about text in memory says, behind "name:3:14: ", which nobody can look up.
const char* drapeText_WithoutPlace(const char* text, const char* name);

// Every path in the scene, from the folder of its file on: "" for the folder, absolute paths.
bool drapeScene_MakePathsAbsolute(drapeScene* scene);

// A name for a cloth made of `wish`: letters, digits, '-', '_' and '.', not taken.
void drapeScene_FreeName(const drapeScene* scene, const char* wish, char* name, size_t capacity);

// --- items ---

// What new cloth is like: a fabric that hardly stretches, refined where it bends and where it touches something.
#define SCENE_NEW_CLOTH "\"material\": \"white-dots-on-blk\", \"adapt\": {\"collision\": {}}"

// A new one at the end of its list, which `json` describes as a scene file would: "{\"shape\": \"plane\"}". item_none
// when it cannot be made.
Item drapeScene_Add(drapeScene* scene, ItemKind kind, const char* json);
Item drapeScene_AddObject(drapeScene* scene, const char* path);
Item drapeScene_Copy(drapeScene* scene, Item item);
void drapeScene_Remove(drapeScene* scene, Item item);

// --- cloth ---

// An object becomes a cloth where it is, with `maxLevel` levels of refinement. Its item, or item_none.
Item drapeScene_ObjectToCloth(drapeScene* scene, uint32_t object, uint32_t maxLevel);

// And back; only of a cloth that is made from a file.
Item drapeScene_ClothToObject(drapeScene* scene, uint32_t cloth);

// The number of the preset that a material is, or -1.
int drapeMaterial_FindPreset(const drapeMaterial* material);

// Another shape: the measures that it has are kept, those that it lacks are chosen.
void drapeScene_SetShape(drapeSceneCollider* collider, drapeShape shape);

// Another model, with the solver that goes with it.
void drapeScene_SetModel(drapeSceneCloth* cloth, drapeModel model);

// --- pins ---

// Which vertices of the pattern are pinned; `pinned` has mesh->vertexCount entries: 0 for none, else 1 + the number of
// the entry of cloth->pins.
void drapeScenePins_Resolve(const drapeSceneCloth* cloth, const drapeMesh* mesh, uint32_t* pinned);

// Pins or frees vertices. Pins that are described by corners or boxes become lists of vertices when one of theirs is
// freed.
bool drapeScenePins_Set(drapeSceneCloth* cloth, const drapeMesh* mesh, const uint32_t* vertices, uint32_t count,
                        bool pin);
