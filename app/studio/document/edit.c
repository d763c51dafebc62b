// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700 // realpath

#include "document/edit.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- lists ---

// The array of a scene that holds the items of a kind.
typedef struct ItemList
{
	void** elements;
	uint32_t* count;
	size_t size;
	const char* key;
} ItemList;

static ItemList ListOf(drapeScene* scene, ItemKind kind)
{
	switch (kind)
	{
		case item_cloth:
			return (ItemList){(void**)&scene->cloths, &scene->clothCount, sizeof(drapeSceneCloth), "cloths"};
		case item_collider:
			return (ItemList){(void**)&scene->colliders, &scene->colliderCount, sizeof(drapeSceneCollider),
			                  "colliders"};
		default:
			assert(kind == item_object);
			return (ItemList){(void**)&scene->objects, &scene->objectCount, sizeof(drapeSceneObject), "objects"};
	}
}

// Moves an element out of its list and shrinks the list. False, without a change, when out of memory.
static bool TakeOut(ItemList list, uint32_t index, void* element)
{
	char* elements = *list.elements;
	uint32_t left = *list.count - 1;
	char* shrunk = left > 0 ? drapeAlloc(left * list.size) : NULL;
	if (left > 0 && !shrunk)
		return false;
	memcpy(element, elements + index * list.size, list.size);
	if (shrunk)
	{
		memcpy(shrunk, elements, index * list.size);
		memcpy(shrunk + index * list.size, elements + (index + 1) * list.size, (left - index) * list.size);
	}
	drapeFree(elements, *list.count * list.size);
	*list.elements = shrunk;
	*list.count = left;
	return true;
}

static bool PutIn(ItemList list, const void* element)
{
	char *elements = *list.elements, *grown = drapeAlloc((*list.count + 1) * list.size);
	if (!grown)
		return false;
	if (elements)
		memcpy(grown, elements, *list.count * list.size);
	memcpy(grown + *list.count * list.size, element, list.size);
	drapeFree(elements, *list.count * list.size);
	*list.elements = grown;
	++*list.count;
	return true;
}

typedef union AnyItem
{
	drapeSceneCloth cloth;
	drapeSceneCollider collider;
	drapeSceneObject object;
} AnyItem;

// Puts the element into an empty scene, and frees that with drapeScene_Free.
static void FreeElement(ItemKind kind, AnyItem* element)
{
	drapeScene* scene = NULL;
	if (drapeScene_Parse("{}", 2, "", &scene, NULL) != drape_ok)
		return; // out of memory: leaks rather than crashes
	if (!PutIn(ListOf(scene, kind), element))
		assert(!"an element that cannot be freed");
	drapeScene_Free(scene);
}

bool drapeScene_Has(const drapeScene* scene, Item item)
{
	if (item.kind == item_none || item.kind == item_world)
		return item.kind == item_world;
	return item.index < *ListOf((drapeScene*)scene, item.kind).count;
}

Item drapeScene_ItemAt(const drapeScene* scene, uint32_t number)
{
	static const ItemKind order[] = {item_cloth, item_collider, item_object};
	for (int i = 0; i < 3; ++i)
	{
		uint32_t count = *ListOf((drapeScene*)scene, order[i]).count;
		if (number < count)
			return (Item){order[i], number};
		number -= count;
	}
	return (Item){0};
}

bool drapeScene_IsBlank(const drapeScene* scene)
{
	return scene->clothCount == 0 && scene->objectCount == 0 &&
	       (scene->colliderCount == 0 ||
	        (scene->colliderCount == 1 && !drapeColliderShape_GetInfo(scene->colliders[0].def.shape)->isBounded));
}

const char* drapeScene_ItemName(const drapeScene* scene, Item item)
{
	if (!drapeScene_Has(scene, item))
		return "";
	switch (item.kind)
	{
		case item_cloth:
			return scene->cloths[item.index].name;
		case item_collider:
			return scene->colliders[item.index].name[0]
			           ? scene->colliders[item.index].name
			           : drapeColliderShape_GetInfo(scene->colliders[item.index].def.shape)->label;
		case item_object:
			return scene->objects[item.index].name[0] ? scene->objects[item.index].name : "Object";
		default:
			return "World";
	}
}

drapeScenePose* drapeScene_ItemPose(drapeScene* scene, Item item)
{
	if (!drapeScene_Has(scene, item) || item.kind == item_world)
		return NULL;
	return item.kind == item_cloth      ? &scene->cloths[item.index].pose
	       : item.kind == item_collider ? &scene->colliders[item.index].pose
	                                    : &scene->objects[item.index].pose;
}

// --- text ---

bool drapeScene_SetText(char** text, const char* value)
{
	size_t size = strlen(value) + 1;
	char* copy = drapeAlloc(size);
	if (!copy)
		return false;
	memcpy(copy, value, size);
	if (*text)
		drapeFree(*text, strlen(*text) + 1);
	*text = copy;
	return true;
}

const char* drapeText_WithoutPlace(const char* text, const char* name)
{
	size_t length = strlen(name);
	if (strncmp(text, name, length) != 0 || text[length] != ':')
		return text;
	text += length + strspn(text + length, ":0123456789");
	return text + strspn(text, " ");
}

static bool MakeAbsolute(const char* folder, char** path)
{
	char here[2048], joined[8192];
	if ((*path)[0] == 0 || (*path)[0] == '/')
		return true;
	if (folder[0] == '/' || !getcwd(here, sizeof here))
		here[0] = 0;
	snprintf(joined, sizeof joined, "%s%s%s%s", here, here[0] ? "/" : "", folder, *path);
	char* real = realpath(joined, NULL);
	bool done = drapeScene_SetText(path, real ? real : joined);
	free(real);
	return done;
}

bool drapeScene_MakePathsAbsolute(drapeScene* scene)
{
	bool done = true;
	for (uint32_t i = 0; i < scene->clothCount; ++i)
		done = done && MakeAbsolute(scene->folder, &scene->cloths[i].obj) &&
		       MakeAbsolute(scene->folder, &scene->cloths[i].look.image);
	for (uint32_t i = 0; i < scene->objectCount; ++i)
		done = done && MakeAbsolute(scene->folder, &scene->objects[i].obj);
	for (uint32_t i = 0; i < scene->colliderCount; ++i)
		done = done && MakeAbsolute(scene->folder, &scene->colliders[i].obj);
	return done && drapeScene_SetText(&scene->folder, "");
}

static bool IsTaken(const drapeScene* scene, const char* name)
{
	for (uint32_t i = 0; i < scene->clothCount; ++i)
		if (strcmp(scene->cloths[i].name, name) == 0)
			return true;
	return false;
}

void drapeScene_FreeName(const drapeScene* scene, const char* wish, char* name, size_t capacity)
{
	char base[80];
	size_t length = 0;
	for (const char* s = wish; *s && length + 1 < sizeof base; ++s)
		base[length++] = isalnum((unsigned char)*s) || strchr("-_.", *s) ? *s : '-';
	base[length] = 0;
	const char* begin = base + strspn(base, ".-");
	snprintf(name, capacity, "%s", begin[0] ? begin : "cloth");
	for (unsigned number = 2; IsTaken(scene, name); ++number)
		snprintf(name, capacity, "%s-%u", begin[0] ? begin : "cloth", number);
}

// The file name without folder and ending: "shirt" for "/data/shirt.obj".
static void BaseName(const char* path, char* name, size_t capacity)
{
	const char* slash = strrchr(path, '/');
	snprintf(name, capacity, "%s", slash ? slash + 1 : path);
	char* dot = strrchr(name, '.');
	if (dot && dot > name)
		*dot = 0;
}

// --- items ---

Item drapeScene_Add(drapeScene* scene, ItemKind kind, const char* json)
{
	ItemList list = ListOf(scene, kind);
	size_t capacity = strlen(json) + 64;
	char* text = malloc(capacity);
	drapeScene* made = NULL;
	AnyItem element;
	if (!text)
		return (Item){0};
	snprintf(text, capacity, "{\"%s\": [%s]}", list.key, json);
	drapeMessage error;
	drapeScene_Parse(text, strlen(text), "", &made, &error);
	free(text);
	bool taken = made && TakeOut(ListOf(made, kind), 0, &element);
	drapeScene_Free(made);
	if (taken && PutIn(list, &element))
		return (Item){kind, *list.count - 1};
	if (taken)
		FreeElement(kind, &element);
	return (Item){0};
}

Item drapeScene_AddObject(drapeScene* scene, const char* path)
{
	char name[128];
	BaseName(path, name, sizeof name);
	Item item = drapeScene_Add(scene, item_object, "{\"obj\": \"x\"}");
	if (item.kind == item_none)
		return item;
	drapeSceneObject* object = &scene->objects[item.index];
	if (drapeScene_SetText(&object->obj, path) && drapeScene_SetText(&object->name, name))
		return item;
	drapeScene_Remove(scene, item);
	return (Item){0};
}

Item drapeScene_Copy(drapeScene* scene, Item item)
{
	size_t size;
	drapeScene_Format(scene, NULL, 0, &size, NULL);
	char* text = size > 0 ? malloc(size) : NULL;
	drapeScene* copy = NULL;
	AnyItem element;
	if (text && drapeScene_Format(scene, text, size, &size, NULL) == drape_ok)
		drapeScene_Parse(text, size - 1, "", &copy, NULL);
	free(text);
	bool taken = copy && TakeOut(ListOf(copy, item.kind), item.index, &element);
	drapeScene_Free(copy);
	if (!taken)
		return (Item){0};
	if (item.kind == item_cloth)
	{
		char name[128];
		drapeScene_FreeName(scene, element.cloth.name, name, sizeof name);
		drapeScene_SetText(&element.cloth.name, name);
	}
	if (PutIn(ListOf(scene, item.kind), &element))
		return (Item){item.kind, *ListOf(scene, item.kind).count - 1};
	FreeElement(item.kind, &element);
	return (Item){0};
}

void drapeScene_Remove(drapeScene* scene, Item item)
{
	AnyItem element;
	if (drapeScene_Has(scene, item) && item.kind != item_world &&
	    TakeOut(ListOf(scene, item.kind), item.index, &element))
		FreeElement(item.kind, &element);
}

// --- cloth ---

Item drapeScene_ObjectToCloth(drapeScene* scene, uint32_t index, uint32_t maxLevel)
{
	char name[128];
	drapeSceneObject* object = &scene->objects[index];
	drapeScene_FreeName(scene, object->name[0] ? object->name : "cloth", name, sizeof name);
	Item item = drapeScene_Add(scene, item_cloth, "{\"name\": \"x\", \"obj\": \"x\", " SCENE_NEW_CLOTH "}");
	if (item.kind == item_none)
		return item;
	drapeSceneCloth* cloth = &scene->cloths[item.index];
	cloth->pose = object->pose;
	cloth->adapt.maxLevel = maxLevel;
	cloth->look.front = object->colour;
	if (drapeScene_SetText(&cloth->name, name) && drapeScene_SetText(&cloth->obj, object->obj))
	{
		drapeScene_Remove(scene, (Item){item_object, index});
		return item;
	}
	drapeScene_Remove(scene, item);
	return (Item){0};
}

Item drapeScene_ClothToObject(drapeScene* scene, uint32_t index)
{
	drapeSceneCloth* cloth = &scene->cloths[index];
	if (cloth->source != drape_sceneObj)
		return (Item){0};
	Item item = drapeScene_AddObject(scene, cloth->obj);
	if (item.kind == item_none)
		return item;
	scene->objects[item.index].pose = cloth->pose;
	scene->objects[item.index].colour = cloth->look.front;
	drapeScene_SetText(&scene->objects[item.index].name, cloth->name);
	drapeScene_Remove(scene, (Item){item_cloth, index});
	return item;
}

int drapeMaterial_FindPreset(const drapeMaterial* material)
{
	drapeMaterial preset;
	for (uint32_t i = 0; drapeMaterial_GetPresetName(i); ++i)
		if (drapeMaterial_GetPreset(drapeMaterial_GetPresetName(i), &preset, NULL) == drape_ok &&
		    memcmp(&preset, material, sizeof preset) == 0)
			return (int)i;
	return -1;
}

// A measure that the collider has stays; a new one takes the value of the first measure there was, else a typical one.
// Measures of other shapes are 0.
static void ClearMeasures(drapeColliderDef* def)
{
	const drapeParameter* measure;
	uint32_t count;
	for (uint32_t i = 0; (measure = drapeColliderShape_GetMeasure(i)) != NULL; ++i)
	{
		float* values = drapeColliderShape_GetMeasureValues(measure, def, &count);
		for (uint32_t k = 0; k < count; ++k)
			values[k] = 0.0f;
	}
}

void drapeScene_SetShape(drapeSceneCollider* collider, drapeColliderShape shape)
{
	const drapeColliderShapeInfo *before = drapeColliderShape_GetInfo(collider->def.shape),
								 *after = drapeColliderShape_GetInfo(shape);
	drapeColliderDef old = collider->def;
	uint32_t count;
	float size =
		before->measureCount > 0 ? drapeColliderShape_GetMeasureValues(before->measures[0], &old, &count)[0] : 0.0f;
	collider->def.shape = shape;
	ClearMeasures(&collider->def);
	for (uint32_t i = 0; i < after->measureCount; ++i)
	{
		float* values = drapeColliderShape_GetMeasureValues(after->measures[i], &collider->def, &count);
		const float* kept = drapeColliderShape_GetMeasureValues(after->measures[i], &old, &count);
		for (uint32_t k = 0; k < count; ++k)
			values[k] = kept[k] > 0.0f ? kept[k] : size > 0.0f ? size : after->typical[i];
	}
}

void drapeScene_SetModel(drapeSceneCloth* cloth, drapeModel model)
{
	cloth->model = model;
	cloth->solver = model == drape_modelFem ? drapeDefaultSolverDef() : drapeDefaultExplicitSolverDef();
}

// --- pins ---

static bool IsInBox(const drapeSceneBox* box, drapeVec3 p)
{
	return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y && p.z >= box->min.z &&
	       p.z <= box->max.z;
}

static void ResolvePin(const drapeSceneCloth* cloth, const drapeMesh* mesh, uint32_t number, uint32_t* pinned)
{
	const drapeScenePin* pin = &cloth->pins[number];
	uint32_t lastRow = cloth->grid.rows * (cloth->grid.columns + 1);
	const uint32_t corners[4] = {0, cloth->grid.columns, lastRow, lastRow + cloth->grid.columns};
	for (uint32_t i = 0; pin->kind == drape_scenePinVertices && i < pin->vertexCount; ++i)
		if (pin->vertices[i] < mesh->vertexCount)
			pinned[pin->vertices[i]] = number + 1;
	for (uint32_t i = 0; pin->kind == drape_scenePinBox && i < mesh->vertexCount; ++i)
		if (IsInBox(&pin->box, mesh->positions[i]))
			pinned[i] = number + 1;
	for (uint32_t i = 0; pin->kind == drape_scenePinCorners && i < 4; ++i)
		if ((pin->corners & (1u << i)) && corners[i] < mesh->vertexCount)
			pinned[corners[i]] = number + 1;
}

void drapeScenePins_Resolve(const drapeSceneCloth* cloth, const drapeMesh* mesh, uint32_t* pinned)
{
	memset(pinned, 0, mesh->vertexCount * sizeof *pinned);
	for (uint32_t i = 0; i < cloth->pinCount; ++i)
		ResolvePin(cloth, mesh, i, pinned);
}

// Makes `pin` a list of the vertices that have `number` in `pinned`. The list may be empty.
static bool ListVertices(drapeScenePin* pin, const uint32_t* pinned, uint32_t vertexCount, uint32_t number)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < vertexCount; ++i)
		count += pinned[i] == number;
	uint32_t* vertices = count > 0 ? drapeAlloc(count * sizeof *vertices) : NULL;
	if (count > 0 && !vertices)
		return false;
	drapeFree(pin->vertices, pin->vertexCount * sizeof *pin->vertices);
	pin->kind = drape_scenePinVertices;
	pin->vertices = vertices;
	pin->vertexCount = count;
	pin->corners = 0;
	pin->box = (drapeSceneBox){0};
	for (uint32_t i = 0, k = 0; i < vertexCount; ++i)
		if (pinned[i] == number)
			vertices[k++] = i;
	return true;
}

static void FreeText(char* text)
{
	if (text)
		drapeFree(text, strlen(text) + 1);
}

static void RemovePin(drapeSceneCloth* cloth, uint32_t index)
{
	drapeScenePin pin;
	ItemList list = {(void**)&cloth->pins, &cloth->pinCount, sizeof pin, ""};
	if (!TakeOut(list, index, &pin))
		return;
	drapeFree(pin.vertices, pin.vertexCount * sizeof *pin.vertices);
	FreeText(pin.motion);
	FreeText(pin.collider);
}

// Returns whether the pins of an entry stay where they are, at all times.
static bool IsFixed(const drapeScenePin* pin)
{
	return pin->motion[0] == 0 && pin->collider[0] == 0 && pin->start == 0.0f && pin->end == 0.0f &&
	       pin->maxForce == 0.0f;
}

// Returns the index of the entry for fixed pins, appended if there is none; UINT32_MAX when out of memory.
static uint32_t FixedPins(drapeSceneCloth* cloth)
{
	for (uint32_t i = 0; i < cloth->pinCount; ++i)
		if (cloth->pins[i].kind == drape_scenePinVertices && IsFixed(&cloth->pins[i]))
			return i;
	drapeScenePin pin = {.kind = drape_scenePinVertices};
	ItemList list = {(void**)&cloth->pins, &cloth->pinCount, sizeof pin, ""};
	if (drapeScene_SetText(&pin.motion, "") && drapeScene_SetText(&pin.collider, "") && PutIn(list, &pin))
		return cloth->pinCount - 1;
	FreeText(pin.motion);
	FreeText(pin.collider);
	return UINT32_MAX;
}

static bool SetPinned(drapeSceneCloth* cloth, const drapeMesh* mesh, uint32_t* pinned, const uint32_t* vertices,
                      uint32_t count, bool pin)
{
	uint32_t fixed = pin ? FixedPins(cloth) : 0;
	if (fixed == UINT32_MAX)
		return false;
	bool* touched = calloc(cloth->pinCount + 1, sizeof *touched);
	if (!touched)
		return false;
	drapeScenePins_Resolve(cloth, mesh, pinned);
	touched[fixed] = pin;
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t* entry = &pinned[vertices[i]];
		if (pin && *entry == 0)
			*entry = fixed + 1;
		else if (!pin && *entry > 0)
		{
			touched[*entry - 1] = true;
			*entry = 0;
		}
	}
	bool done = true;
	for (uint32_t i = 0; i < cloth->pinCount; ++i)
		if (touched[i])
			done = ListVertices(&cloth->pins[i], pinned, mesh->vertexCount, i + 1) && done;
	for (uint32_t i = cloth->pinCount; i-- > 0;)
		if (touched[i] && cloth->pins[i].vertexCount == 0)
			RemovePin(cloth, i);
	free(touched);
	return done;
}

bool drapeScenePins_Set(drapeSceneCloth* cloth, const drapeMesh* mesh, const uint32_t* vertices, uint32_t count,
                        bool pin)
{
	uint32_t* pinned = malloc((mesh->vertexCount + 1) * sizeof *pinned);
	bool done = pinned && SetPinned(cloth, mesh, pinned, vertices, count, pin);
	free(pinned);
	return done;
}
