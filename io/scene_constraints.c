// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <string.h>

// The tables of attachments, tethers and stitches of a cloth, and their creation.

// --- names ---

// True when `name` is empty or the name of an object in the list `list` of the document; else the error is set at
// `key`.
static bool CheckName(const SceneObject* object, const char* key, const char* list, const char* what, const char* name)
{
	const json_t* items = json_object_get(object->reader->root, list);
	SceneGuess guess = drapeSceneGuess_Begin();
	for (size_t i = 0; i < json_array_size(items); ++i)
	{
		const char* other = json_string_value(json_object_get(json_array_get(items, i), "name"));
		if (other && strcmp(other, name) == 0)
			return true;
		if (other)
			drapeSceneGuess_Try(&guess, name, other, strlen(other));
	}
	if (name[0] == 0)
		return true;
	Quoted shown = drapeQuote(name, strlen(name));
	if (guess.meant[0])
		return drapeScene_Fail(object, key, "there is no %s \"%s\"; did you mean \"%s\"?", what, shown.text,
		                       guess.meant);
	return drapeScene_Fail(object, key, "there is no %s \"%s\", expected the name of one under \"%s\"", what,
	                       shown.text, list);
}

bool drapeScene_CheckColliderName(const SceneObject* object, const char* key, const char* collider)
{
	return CheckName(object, key, "colliders", "collider", collider);
}

bool drapeScene_CheckTimes(const SceneObject* object, float start, float end)
{
	if (end == 0.0f || end > start)
		return true;
	return drapeScene_Fail(object, "end", "end is %g, expected a time after start, %g, or 0 for never", (double)end,
	                       (double)start);
}

// --- selections ---

#define SELECTION_FIELDS(Type, boxes)                                                                                  \
	{.key = "vertices",                                                                                                \
	 .kind = scene_indices,                                                                                            \
	 .offset = offsetof(Type, select.vertices),                                                                        \
	 .countOffset = offsetof(Type, select.vertexCount),                                                                \
	 .help = "vertices of the mesh, counted from 0"},                                                                  \
		{.key = "box",                                                                                                 \
	     .kind = scene_section,                                                                                        \
	     .offset = offsetof(Type, select.box),                                                                         \
	     .section = (boxes),                                                                                           \
	     .help = "all vertices in a box"},                                                                             \
	{                                                                                                                  \
		.key = "group", .kind = scene_text, .offset = offsetof(Type, select.group), .text = "",                        \
		.help = "all vertices of a group or object of the OBJ file"                                                    \
	}

#define LAW_FIELDS(Type, hard)                                                                                         \
	{.key = "stiffness",                                                                                               \
	 .kind = scene_float,                                                                                              \
	 .offset = offsetof(Type, stiffness),                                                                              \
	 .high = 1e9,                                                                                                      \
	 .unit = "N/m",                                                                                                    \
	 .help = "stiffness of each point; 0 for " hard},                                                                  \
	{                                                                                                                  \
		.key = "damping", .kind = scene_float, .offset = offsetof(Type, damping), .high = 1e9, .unit = "N s/m",        \
		.help = "damping of each point, with a stiffness"                                                              \
	}

#define BREAK_FIELD(Type)                                                                                              \
	{                                                                                                                  \
		.key = "breakDistance", .kind = scene_float, .offset = offsetof(Type, breakDistance), .high = 1e6,             \
		.unit = "m", .help = "it breaks when the distance exceeds this; 0 for never"                                   \
	}

#define ATTACH drapeSceneAttach
#define TETHER drapeSceneTether
#define STITCH drapeSceneStitch

static const SceneSection attachBoxSection = {
	.title = "cloths[].attach[].box",
	.help = "A box that selects vertices by their start positions.",
	.fields = drapeSceneBoxFields,
	.fieldCount = drapeSceneBoxFieldCount,
	.size = sizeof(drapeSceneBox),
	.check = drapeScene_CheckBox,
};

static const SceneField attachFields[] = {
	SELECTION_FIELDS(ATTACH, &attachBoxSection),
	{.key = "within",
     .kind = scene_float,
     .offset = offsetof(ATTACH, select.within),
     .high = 1e6,
     .unit = "m",
     .help = "all vertices that start within this distance of the collider's surface, or inside it"},
	{.key = "collider",
     .kind = scene_text,
     .offset = offsetof(ATTACH, collider),
     .required = true,
     .help = "name of the collider that holds them; it may move and deform"},
	{.key = "keepsOffset",
     .kind = scene_bool,
     .offset = offsetof(ATTACH, keepsOffset),
     .help = "vertices keep their offset from the collider; false: they are drawn to `offset` above it"},
	{.key = "offset",
     .kind = scene_float,
     .offset = offsetof(ATTACH, offset),
     .low = -1e6,
     .high = 1e6,
     .unit = "m",
     .help = "distance from the collider's surface, with `keepsOffset` false"},
	LAW_FIELDS(ATTACH, "a hard attachment"),
	BREAK_FIELD(ATTACH),
	SCENE_TIME_FIELDS(ATTACH, start, end),
};

static void BeginAttach(void* value)
{
	((ATTACH*)value)->keepsOffset = true;
}

static bool CheckAttach(const SceneObject* object, void* value)
{
	const ATTACH* attach = value;
	if (attach->collider[0] == 0)
		return drapeScene_Fail(object, "collider", "collider is empty, expected the name of one under \"colliders\"");
	return drapeScene_CheckColliderName(object, "collider", attach->collider) &&
	       drapeScene_CheckTimes(object, attach->start, attach->end);
}

const SceneSection drapeSceneAttachSection = {
	.title = "cloths[].attach[]",
	.help =
		"Vertices that a collider carries along. Exactly one of `vertices`, `box`, `group` and `within` selects them.",
	SCENE_SECTION_FIELDS(attachFields),
	.size = sizeof(ATTACH),
	.placeOffset = offsetof(ATTACH, place),
	.oneOf = "vertices|box|group|within",
	.oneOfOffset = offsetof(ATTACH, select.kind),
	.begin = BeginAttach,
	.check = CheckAttach,
};

static const SceneSection tetherBoxSection = {
	.title = "cloths[].tether[].box",
	.help = "A box that selects vertices by their start positions.",
	.fields = drapeSceneBoxFields,
	.fieldCount = drapeSceneBoxFieldCount,
	.size = sizeof(drapeSceneBox),
	.check = drapeScene_CheckBox,
};

static const SceneField tetherFields[] = {
	SELECTION_FIELDS(TETHER, &tetherBoxSection),
	{.key = "anchor",
     .kind = scene_vec3,
     .offset = offsetof(TETHER, anchor),
     .unit = "m",
     .help = "the other end of the tethers at the start"},
	{.key = "collider",
     .kind = scene_text,
     .offset = offsetof(TETHER, collider),
     .text = "",
     .help = "name of the collider that carries the anchor; without one it is fixed"},
	{.key = "length",
     .kind = scene_float,
     .offset = offsetof(TETHER, length),
     .high = 1e6,
     .unit = "m",
     .help = "the distance that is not exceeded; 0 for the distance at the start"},
	LAW_FIELDS(TETHER, "a hard limit"),
	BREAK_FIELD(TETHER),
	SCENE_TIME_FIELDS(TETHER, start, end),
};

static bool CheckTether(const SceneObject* object, void* value)
{
	const TETHER* tether = value;
	return drapeScene_CheckColliderName(object, "collider", tether->collider) &&
	       drapeScene_CheckTimes(object, tether->start, tether->end);
}

const SceneSection drapeSceneTetherSection = {
	.title = "cloths[].tether[]",
	.help =
		"Limits of the distance between vertices and an anchor. Exactly one of `vertices`, `box` and `group` selects "
		"the vertices.",
	SCENE_SECTION_FIELDS(tetherFields),
	.size = sizeof(TETHER),
	.placeOffset = offsetof(TETHER, place),
	.oneOf = "vertices|box|group",
	.oneOfOffset = offsetof(TETHER, select.kind),
	.check = CheckTether,
};

static const SceneField stitchFields[] = {
	{.key = "vertices",
     .kind = scene_indices,
     .offset = offsetof(STITCH, vertices),
     .countOffset = offsetof(STITCH, vertexCount),
     .required = true,
     .help = "vertices of this cloth, counted from 0"},
	{.key = "cloth",
     .kind = scene_text,
     .offset = offsetof(STITCH, cloth),
     .text = "",
     .help = "name of the other cloth; without one it is this cloth"},
	{.key = "toVertices",
     .kind = scene_indices,
     .offset = offsetof(STITCH, toVertices),
     .countOffset = offsetof(STITCH, toVertexCount),
     .required = true,
     .help = "vertices of the other cloth, one for each of `vertices` and in their order"},
	{.key = "speed",
     .kind = scene_float,
     .offset = offsetof(STITCH, speed),
     .high = 1000.0,
     .above = true,
     .unit = "m/s",
     .help = "gaps close no faster than this"},
	{.key = "maxForce",
     .kind = scene_float,
     .offset = offsetof(STITCH, maxForce),
     .high = 1e6,
     .above = true,
     .unit = "N",
     .help = "pull of each stitch while its gap is open"},
	LAW_FIELDS(STITCH, "stitches that do not give once they are closed"),
	SCENE_TIME_FIELDS(STITCH, start, end),
};

static void BeginStitch(void* value)
{
	drapeStitchDef def = drapeDefaultStitchDef();
	((STITCH*)value)->speed = def.speed;
	((STITCH*)value)->maxForce = def.maxForce;
}

static bool CheckStitch(const SceneObject* object, void* value)
{
	const STITCH* stitch = value;
	if (stitch->vertexCount != stitch->toVertexCount)
		return drapeScene_Fail(object, "toVertices",
		                       "there are %u vertices and %u toVertices, expected as many of both", stitch->vertexCount,
		                       stitch->toVertexCount);
	return CheckName(object, "cloth", "cloths", "cloth", stitch->cloth) &&
	       drapeScene_CheckTimes(object, stitch->start, stitch->end);
}

const SceneSection drapeSceneStitchSection = {
	.title = "cloths[].stitch[]",
	.help = "Pairs of vertices that are drawn together and then held: a seam. Contact ignores triangles that it joins.",
	SCENE_SECTION_FIELDS(stitchFields),
	.size = sizeof(STITCH),
	.placeOffset = offsetof(STITCH, place),
	.begin = BeginStitch,
	.check = CheckStitch,
};

// --- creation ---

typedef SceneCreation Creation;

static drapeResult Fail(const Creation* creation, drapeResult result, drapeScenePlace place, const char* sentence)
{
	if (result == drape_errorMemory)
		return drapeFileError_Set(creation->error, result, creation->scene->path, 0, "out of memory");
	return drapeFileError_SetPlace(creation->error, result, creation->scene->path, place, "%s", sentence);
}

drapeColliderId drapeScene_FindCollider(const drapeScene* scene, const drapeSceneWorld* made, const char* name)
{
	uint32_t count = scene && made && name && name[0] ? scene->colliderCount : 0;
	for (uint32_t i = 0; i < count && i < made->colliderCount; ++i)
	{
		if (strcmp(scene->colliders[i].name, name) == 0)
			return made->colliders[i];
	}
	return (drapeColliderId){0};
}

// A pattern point at a vertex. False when no triangle has it.
static bool FindPoint(const drapeMesh* mesh, uint32_t vertex, drapePatternPoint* point)
{
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
	{
		if (mesh->triangles[i] != vertex)
			continue;
		*point = (drapePatternPoint){.triangle = i / 3};
		point->weights[i % 3] = 1.0f;
		return true;
	}
	return false;
}

static bool IsInPart(const drapeObjPart* part, const char* name)
{
	return strcmp(part->group ? part->group : "", name) == 0 || strcmp(part->object ? part->object : "", name) == 0;
}

static bool IsInBox(const drapeSceneBox* box, drapeVec3 p)
{
	return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y && p.z >= box->min.z &&
	       p.z <= box->max.z;
}

// Marks the vertices of parts with this name.
static void MarkGroup(const drapeObj* pattern, const char* name, uint8_t* marks)
{
	for (uint32_t p = 0; p < pattern->partCount; ++p)
	{
		const drapeObjPart* part = &pattern->parts[p];
		const uint32_t* corners = pattern->mesh.triangles + 3 * (size_t)part->firstTriangle;
		for (uint32_t i = 0; IsInPart(part, name) && i < 3 * part->triangleCount; ++i)
			marks[corners[i]] = 1;
	}
}

// Marks the selected vertices. False when one does not exist.
static bool MarkSelected(const drapeSceneSelection* select, const drapeObj* pattern, drapeColliderId collider,
                         uint8_t* marks)
{
	const drapeMesh* mesh = &pattern->mesh;
	memset(marks, 0, mesh->vertexCount);
	if (select->kind == drape_sceneSelectGroup)
		MarkGroup(pattern, select->group, marks);
	for (uint32_t i = 0; select->kind == drape_sceneSelectVertices && i < select->vertexCount; ++i)
	{
		if (select->vertices[i] >= mesh->vertexCount)
			return false;
		marks[select->vertices[i]] = 1;
	}
	for (uint32_t v = 0; select->kind == drape_sceneSelectBox && v < mesh->vertexCount; ++v)
		marks[v] = IsInBox(&select->box, mesh->positions[v]);
	for (uint32_t v = 0; select->kind == drape_sceneSelectWithin && v < mesh->vertexCount; ++v)
		marks[v] = drapeCollider_GetDistance(collider, mesh->positions[v]) <= select->within;
	return true;
}

// Creates the constraint of one vertex.
typedef drapeResult ConstrainFcn(const Creation* creation, drapeClothId cloth, drapePatternPoint point,
                                 const void* entry);

// Goes through the corners of triangles: the first one at a marked vertex is its pattern point.
static drapeResult ConstrainMarked(const Creation* creation, uint32_t index, uint8_t* marks, ConstrainFcn* fcn,
                                   const void* entry, uint32_t* count)
{
	const drapeMesh* mesh = &creation->made->patterns[index].mesh;
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < 3 * mesh->triangleCount; ++i)
	{
		uint8_t* mark = &marks[mesh->triangles[i]];
		if (!*mark)
			continue;
		drapePatternPoint point = {.triangle = i / 3};
		point.weights[i % 3] = 1.0f;
		*mark = 0;
		++*count;
		result = fcn(creation, creation->made->cloths[index], point, entry);
	}
	return result;
}

static drapeResult ForSelected(const Creation* creation, uint32_t index, const drapeSceneSelection* select,
                               drapeColliderId collider, drapeScenePlace place, ConstrainFcn* fcn, const void* entry)
{
	const drapeObj* pattern = &creation->made->patterns[index];
	uint32_t count = 0;
	uint8_t* marks = drapeAlloc(pattern->mesh.vertexCount);
	if (!marks)
		return Fail(creation, drape_errorMemory, place, "");
	bool exists = MarkSelected(select, pattern, collider, marks);
	drapeResult result = exists ? ConstrainMarked(creation, index, marks, fcn, entry, &count) : drape_errorData;
	drapeFree(marks, pattern->mesh.vertexCount);
	if (!exists)
		return Fail(creation, result, place, "a vertex does not exist in this mesh");
	if (result != drape_ok)
		return Fail(creation, result, place,
		            result == drape_errorMemory ? "out of memory" : drapeWorld_GetMessage(creation->made->world));
	return count > 0 ? drape_ok
	                 : Fail(creation, drape_errorData, place, "no vertex is selected, expected at least one");
}

static drapeResult AttachVertex(const Creation* creation, drapeClothId cloth, drapePatternPoint point,
                                const void* entry)
{
	const ATTACH* attach = entry;
	drapeAttachDef def = drapeDefaultAttachDef();
	def.point = point;
	def.collider = drapeScene_FindCollider(creation->scene, creation->made, attach->collider);
	def.keepsOffset = attach->keepsOffset;
	def.offset = attach->offset;
	def.stiffness = attach->stiffness;
	def.damping = attach->damping;
	def.breakDistance = attach->breakDistance;
	def.start = attach->start;
	def.end = attach->end;
	return drapeCreateAttachment(cloth, &def, NULL);
}

static drapeResult TetherVertex(const Creation* creation, drapeClothId cloth, drapePatternPoint point,
                                const void* entry)
{
	const TETHER* tether = entry;
	drapeTetherDef def = drapeDefaultTetherDef();
	def.point = point;
	def.collider = drapeScene_FindCollider(creation->scene, creation->made, tether->collider);
	def.anchor = tether->anchor;
	def.length = tether->length;
	def.stiffness = tether->stiffness;
	def.damping = tether->damping;
	def.breakDistance = tether->breakDistance;
	def.start = tether->start;
	def.end = tether->end;
	return drapeCreateTether(cloth, &def, NULL);
}

static uint32_t FindCloth(const drapeScene* scene, const char* name, uint32_t own)
{
	for (uint32_t i = 0; name[0] && i < scene->clothCount; ++i)
	{
		if (strcmp(scene->cloths[i].name, name) == 0)
			return i;
	}
	return own;
}

static drapeResult CreateStitches(const Creation* creation, uint32_t index, const STITCH* stitch)
{
	uint32_t other = FindCloth(creation->scene, stitch->cloth, index);
	const drapeMesh *own = &creation->made->patterns[index].mesh, *to = &creation->made->patterns[other].mesh;
	for (uint32_t i = 0; i < stitch->vertexCount; ++i)
	{
		drapeStitchDef def = drapeDefaultStitchDef();
		def.otherCloth = creation->made->cloths[other];
		def.speed = stitch->speed;
		def.maxForce = stitch->maxForce;
		def.stiffness = stitch->stiffness;
		def.damping = stitch->damping;
		def.start = stitch->start;
		def.end = stitch->end;
		bool isSame = other == index && stitch->vertices[i] == stitch->toVertices[i];
		if (isSame || !FindPoint(own, stitch->vertices[i], &def.point) ||
		    !FindPoint(to, stitch->toVertices[i], &def.otherPoint))
			return Fail(creation, drape_errorData, stitch->place,
			            isSame ? "a vertex is stitched to itself" : "a vertex does not exist in this mesh");
		drapeResult result = drapeCreateStitch(creation->made->cloths[index], &def, NULL);
		if (result != drape_ok)
			return Fail(creation, result, stitch->place,
			            result == drape_errorMemory ? "out of memory" : drapeWorld_GetMessage(creation->made->world));
	}
	return drape_ok;
}

drapeResult drapeScene_CreateConstraints(const SceneCreation* creation, uint32_t index)
{
	const drapeSceneCloth* cloth = &creation->scene->cloths[index];
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < cloth->attachCount; ++i)
	{
		const ATTACH* attach = &cloth->attach[i];
		drapeColliderId collider = drapeScene_FindCollider(creation->scene, creation->made, attach->collider);
		result = ForSelected(creation, index, &attach->select, collider, attach->place, AttachVertex, attach);
	}
	for (uint32_t i = 0; result == drape_ok && i < cloth->tetherCount; ++i)
	{
		const TETHER* tether = &cloth->tether[i];
		result =
			ForSelected(creation, index, &tether->select, (drapeColliderId){0}, tether->place, TetherVertex, tether);
	}
	for (uint32_t i = 0; result == drape_ok && i < cloth->stitchCount; ++i)
		result = CreateStitches(creation, index, &cloth->stitch[i]);
	return result;
}
