// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <string.h>

// The look of a scene. `drape render` uses it unless options replace it. It does not affect a run.

// --- cloths ---

#define LOOK drapeSceneLook

static const SceneField lookFields[] = {
	{.key = "fabric",
     .kind = scene_choice,
     .offset = offsetof(LOOK, fabric),
     .words = "material|cotton|silk|denim|wool",
     .help = "how it reflects light; `material` uses the preset nearest to its material"},
	{.key = "front",
     .kind = scene_colour,
     .offset = offsetof(LOOK, front),
     .help = "colour of the side to which normals point"},
	{.key = "back", .kind = scene_colour, .offset = offsetof(LOOK, back), .help = "colour of the other side"},
	{.key = "texture",
     .kind = scene_choice,
     .offset = offsetof(LOOK, texture),
     .words = "plain|checker|stripes|tartan",
     .help = "woven in, with `second`"},
	{.key = "second", .kind = scene_colour, .offset = offsetof(LOOK, second), .help = "second colour of `texture`"},
	{.key = "image",
     .kind = scene_text,
     .offset = offsetof(LOOK, image),
     .path = true,
     .help = "path of a PNG file, relative to the scene: printed on both sides, in place of colours and texture"},
	{.key = "textureSize",
     .kind = scene_float,
     .offset = offsetof(LOOK, textureSize),
     .high = 1e6,
     .above = true,
     .unit = "m",
     .help = "width of one repeat of the texture or image, in the material"},
	{.key = "texturePosition",
     .kind = scene_vec2,
     .offset = offsetof(LOOK, texturePosition),
     .unit = "m",
     .help = "material coordinates of the lower left corner of a repeat"},
};

drapeSceneLook drapeScene_DefaultLook(void)
{
	return (LOOK){.textureSize = 0.2f};
}

static bool CheckLook(const SceneObject* object, void* value)
{
	const LOOK* look = value;
	if (look->image[0] && look->texture != drape_scenePlain)
		return drapeScene_Fail(object, "texture", "both texture and image are given, expected one of them");
	if (json_object_get(object->json, "image") && look->image[0] == 0)
		return drapeScene_Fail(object, "image", "image is empty, expected the path of a PNG file");
	return true;
}

const SceneSection drapeSceneLookSection = {
	.title = "cloths[].look",
	.help = "The look of the cloth. Missing values follow from its material.",
	SCENE_SECTION_FIELDS(lookFields),
	.size = sizeof(LOOK),
	.placeOffset = offsetof(LOOK, place),
	.check = CheckLook,
};

// --- camera ---

#define CAMERA drapeSceneCamera

static const SceneField cameraFields[] = {
	{.key = "position",
     .kind = scene_vec3,
     .offset = offsetof(CAMERA, position),
     .required = true,
     .unit = "m",
     .help = "position of the camera"},
	{.key = "target",
     .kind = scene_vec3,
     .offset = offsetof(CAMERA, target),
     .required = true,
     .unit = "m",
     .help = "point at the centre of the picture; not straight below or above the camera"},
	{.key = "fieldOfView",
     .kind = scene_angle,
     .offset = offsetof(CAMERA, fieldOfView),
     .low = 1.0,
     .high = 120.0,
     .unit = "degrees",
     .help = "angle from the lower to the upper edge of the picture"},
};

drapeSceneCamera drapeScene_DefaultCamera(void)
{
	return (CAMERA){.fieldOfView = 0.52359878f};
}

static bool CheckCamera(const SceneObject* object, void* value)
{
	CAMERA* camera = value;
	float x = camera->target.x - camera->position.x, z = camera->target.z - camera->position.z;
	if (!(x * x + z * z > 1e-8f))
		return drapeScene_Fail(object, "target", "the camera looks straight up or down, expected a target beside it");
	camera->given = true;
	return true;
}

static bool CameraIsGiven(const void* value)
{
	return ((const CAMERA*)value)->given;
}

const SceneSection drapeSceneCameraSection = {
	.title = "camera",
	.help = "The camera of the pictures. Without this section the picture shows everything.",
	SCENE_SECTION_FIELDS(cameraFields),
	.size = sizeof(CAMERA),
	.check = CheckCamera,
	.isGiven = CameraIsGiven,
};
