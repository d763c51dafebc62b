// SPDX-License-Identifier: MIT
#include "render.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

drapeResult drapeRender_Fail(drapeMessage* error, drapeResult result, const char* format, ...)
{
	if (!error)
		return result;
	va_list arguments;
	va_start(arguments, format);
	*error = (drapeMessage){.result = result};
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
	return result;
}

drapeResult drapeRender_CheckPointers(drapeMessage* error, const char* names, const void* const* pointers)
{
	for (; *names; ++pointers)
	{
		int length = (int)strcspn(names, "|");
		if (!*pointers)
			return drapeRender_Fail(error, drape_errorArgument, "%.*s is NULL", length, names);
		names += length + (names[length] == '|');
	}
	return drape_ok;
}

drapeResult drapeRender_CheckSize(uint32_t width, uint32_t height, drapeMessage* error)
{
	if (width > 0 && height > 0 && width <= DRAPE_MAX_PICTURE && height <= DRAPE_MAX_PICTURE)
		return drape_ok;
	return drapeRender_Fail(error, drape_errorArgument, "the picture is %u x %u, expected 1 to %d pixels each way",
	                        width, height, DRAPE_MAX_PICTURE);
}

// --- names ---

const char* drapeRenderView_GetName(drapeRenderView view)
{
	static const char* const names[drape_viewCount] = {"shaded",    "wireframe", "levels",   "vertices", "hierarchy",
	                                                   "curvature", "strain",    "contacts", "springs",  "velocity"};
	return (unsigned)view < drape_viewCount ? names[view] : NULL;
}

const char* drapeFabricLook_GetName(drapeFabricLook fabric)
{
	static const char* const names[drape_fabricCount] = {"cotton", "silk", "denim", "wool"};
	return (unsigned)fabric < drape_fabricCount ? names[fabric] : NULL;
}

const char* drapeTexture_GetName(drapeTexture texture)
{
	static const char* const names[drape_textureCount] = {"plain", "checker", "stripes", "tartan"};
	return (unsigned)texture < drape_textureCount ? names[texture] : NULL;
}

// --- looks ---

// Front, back and second colour, sRGB.
static const drapeVec3 palette[][3] = {
	{{0.76f, 0.33f, 0.25f}, {0.90f, 0.78f, 0.66f}, {0.94f, 0.86f, 0.74f}}, // terracotta, sand
	{{0.20f, 0.42f, 0.50f}, {0.63f, 0.74f, 0.75f}, {0.90f, 0.90f, 0.84f}}, // teal
	{{0.85f, 0.64f, 0.26f}, {0.93f, 0.85f, 0.66f}, {0.42f, 0.25f, 0.16f}}, // ochre
	{{0.38f, 0.33f, 0.52f}, {0.72f, 0.69f, 0.80f}, {0.89f, 0.84f, 0.88f}}, // violet
};

static const drapeVec3 denimColours[3] = {{0.22f, 0.30f, 0.45f}, {0.62f, 0.68f, 0.75f}, {0.85f, 0.80f, 0.68f}};

enum
{
	paletteCount = sizeof palette / sizeof palette[0]
};

// The look of a preset. The colours of measured fabrics follow their names.
typedef struct FabricColours
{
	const char* preset;
	drapeFabricLook fabric;
	drapeVec3 colours[3]; // front, back and second colour, sRGB
} FabricColours;

static const FabricColours fabricColours[] = {
	{"11oz-black-denim", drape_fabricDenim, {{0.13f, 0.14f, 0.17f}, {0.42f, 0.44f, 0.48f}, {0.75f, 0.72f, 0.66f}}},
	{"camel-ponte-roma", drape_fabricWool, {{0.72f, 0.55f, 0.36f}, {0.78f, 0.63f, 0.45f}, {0.36f, 0.26f, 0.18f}}},
	{"gray-interlock", drape_fabricCotton, {{0.52f, 0.53f, 0.55f}, {0.58f, 0.59f, 0.61f}, {0.24f, 0.26f, 0.30f}}},
	{"ivory-rib-knit", drape_fabricWool, {{0.88f, 0.84f, 0.74f}, {0.86f, 0.82f, 0.73f}, {0.55f, 0.48f, 0.38f}}},
	{"navy-sparkle-sweat", drape_fabricWool, {{0.14f, 0.19f, 0.34f}, {0.26f, 0.31f, 0.45f}, {0.72f, 0.76f, 0.84f}}},
	{"pink-ribbon-brown", drape_fabricWool, {{0.46f, 0.32f, 0.26f}, {0.55f, 0.41f, 0.34f}, {0.86f, 0.58f, 0.62f}}},
	{"royal-target", drape_fabricCotton, {{0.16f, 0.27f, 0.58f}, {0.30f, 0.40f, 0.66f}, {0.88f, 0.88f, 0.86f}}},
	{"tango-red-jet-set", drape_fabricSilk, {{0.74f, 0.17f, 0.13f}, {0.66f, 0.22f, 0.18f}, {0.92f, 0.82f, 0.70f}}},
	{"white-dots-on-blk", drape_fabricSilk, {{0.12f, 0.12f, 0.13f}, {0.22f, 0.22f, 0.23f}, {0.93f, 0.93f, 0.91f}}},
	{"white-swim-solid", drape_fabricSilk, {{0.92f, 0.92f, 0.92f}, {0.88f, 0.88f, 0.89f}, {0.36f, 0.52f, 0.66f}}},
};

static int Agreement(const drapeMaterial* a, const drapeMaterial* b)
{
	return (a->density == b->density) + (a->stretchWarp == b->stretchWarp) + (a->stretchWeft == b->stretchWeft) +
	       (a->shear == b->shear) + (a->bendWarp == b->bendWarp) + (a->bendWeft == b->bendWeft) +
	       (a->friction == b->friction) + (a->thickness == b->thickness);
}

static drapeFabricLook FabricOf(const drapeMaterial* material)
{
	drapeFabricLook best = drape_fabricCotton;
	int most = 0;
	for (int i = 0; i < drape_fabricCount; ++i)
	{
		drapeMaterial preset;
		if (drapeMaterial_GetPreset(drapeFabricLook_GetName((drapeFabricLook)i), &preset, NULL) != drape_ok)
			continue;
		int agreement = Agreement(material, &preset);
		if (agreement > most)
		{
			most = agreement;
			best = (drapeFabricLook)i;
		}
	}
	return best;
}

// The colours of a preset that the material has in every value that is compared; NULL for other materials.
static const FabricColours* FindColours(const drapeMaterial* material)
{
	const int compared = 8;
	for (size_t i = 0; i < sizeof fabricColours / sizeof fabricColours[0]; ++i)
	{
		drapeMaterial preset;
		if (drapeMaterial_GetPreset(fabricColours[i].preset, &preset, NULL) == drape_ok &&
		    Agreement(material, &preset) == compared)
			return &fabricColours[i];
	}
	return NULL;
}

drapeLook drapeDefaultLook(const drapeMaterial* material, uint32_t index)
{
	const FabricColours* own = material ? FindColours(material) : NULL;
	if (own)
		return (drapeLook){.fabric = own->fabric,
		                   .front = own->colours[0],
		                   .back = own->colours[1],
		                   .texture = drape_texturePlain,
		                   .second = own->colours[2],
		                   .textureSize = 0.2f};
	drapeFabricLook fabric = material ? FabricOf(material) : drape_fabricCotton;
	const drapeVec3* colours = fabric == drape_fabricDenim ? denimColours : palette[index % paletteCount];
	return (drapeLook){.fabric = fabric,
	                   .front = colours[0],
	                   .back = colours[1],
	                   .texture = drape_texturePlain,
	                   .second = colours[2],
	                   .textureSize = 0.2f};
}

drapeLook drapeLook_FromScene(const drapeSceneCloth* cloth, uint32_t index)
{
	if (!cloth)
		return drapeDefaultLook(NULL, index);
	const drapeSceneLook* given = &cloth->look;
	drapeLook look = drapeDefaultLook(&cloth->material, index);
	if (given->fabric != drape_sceneFabricOfMaterial)
		look.fabric = (drapeFabricLook)(given->fabric - drape_sceneFabricCotton);
	look.front = given->front.given ? given->front.rgb : look.front;
	look.back = given->back.given ? given->back.rgb : look.back;
	look.second = given->second.given ? given->second.rgb : look.second;
	look.texture = (drapeTexture)given->texture;
	look.textureSize = given->textureSize;
	look.texturePosition = given->texturePosition;
	return look;
}

drapeDrawnMesh drapeDrawnMesh_FromScene(const drapeMesh* mesh, const drapeSceneObject* object)
{
	if (!mesh || !object)
		return (drapeDrawnMesh){.transform = drapeIdentityTransform()};
	return (drapeDrawnMesh){.positions = mesh->positions,
	                        .vertexCount = mesh->vertexCount,
	                        .triangles = mesh->triangles,
	                        .triangleCount = mesh->triangleCount,
	                        .transform = {object->pose.position,
	                                      drapeQuat_FromAxisAngle(object->pose.axis, object->pose.angle),
	                                      object->pose.scale},
	                        .colour = object->colour.given ? object->colour.rgb : (drapeVec3){0.66f, 0.67f, 0.69f}};
}

// --- shapes ---

drapeDrawnShape drapeDrawnShape_FromScene(drapeColliderId collider, const drapeSceneCollider* scene)
{
	drapeDrawnShape shape = drapeDrawnShape_FromCollider(collider);
	if (!scene)
		return shape;
	shape.colour = scene->colour.given ? scene->colour.rgb : shape.colour;
	shape.transform.scale *= scene->drawnScale;
	return shape;
}

bool drapeDrawnShape_IsFloor(const drapeDrawnShape* shape, float* height)
{
	if (!shape || !height)
		return false;
	drapeQuat q = shape->transform.rotation;
	bool facesUp = 1.0f - 2.0f * (q.x * q.x + q.z * q.z) > 0.9999f;
	const drapeColliderShapeInfo* info = drapeColliderShape_GetInfo(shape->def.shape);
	if (!info || info->isBounded || !facesUp)
		return false;
	*height = shape->transform.position.y;
	return true;
}

drapeDrawnShape drapeDrawnShape_FromCollider(drapeColliderId collider)
{
	return (drapeDrawnShape){.def = drapeCollider_GetDef(collider),
	                         .transform = drapeCollider_GetTransform(collider),
	                         .colour = {0.62f, 0.63f, 0.65f}};
}

// --- pictures ---

drapePicture drapeDefaultPicture(void)
{
	return (drapePicture){.width = 1280,
	                      .height = 720,
	                      .camera = drapeCamera_Frame(drapeBounds_Empty(), 16.0f / 9.0f),
	                      .bounds = drapeBounds_Empty(),
	                      .shadows = true,
	                      .samples = 1};
}

static const char* CheckCloth(const drapeDrawnCloth* cloth, drapeRenderView view)
{
	const drapeClothView* mesh = &cloth->mesh;
	if (mesh->triangleCount > 0 && (!mesh->positions || !mesh->normals || !mesh->triangles))
		return "a cloth has no positions, normals or triangles";
	if (!(cloth->look.textureSize > 0.0f))
		return "the size of a texture must be greater than 0";
	if ((unsigned)cloth->look.fabric >= drape_fabricCount || (unsigned)cloth->look.texture >= drape_textureCount)
		return "there is no such fabric or texture";
	bool levels = view == drape_viewLevels || view == drape_viewHierarchy;
	if ((levels && !mesh->triangleLevels) ||
	    ((view == drape_viewVertices || view == drape_viewHierarchy) && !mesh->particleLevels))
		return "this view needs the levels of the mesh, which only a scene gives, not its files";
	if (view == drape_viewHierarchy && (!mesh->materials || !mesh->patternTriangles))
		return "this view needs the pattern of the mesh, which only a scene gives, not its files";
	if ((view == drape_viewSprings && (!mesh->restLengths || !mesh->edgeFrom)) ||
	    (view == drape_viewStrain && (!mesh->materials || !mesh->restLengths)))
		return "this view needs the rest shape, which only a scene gives, not its files";
	if (view == drape_viewContacts && !cloth->touching)
		return "this view needs contacts, which only a scene gives, not its files";
	if (view == drape_viewVelocity && !mesh->velocities)
		return "this view needs velocities, which only a scene gives, not its files";
	return NULL;
}

static const char* FindProblem(const drapePicture* picture)
{
	if (picture->clothCount + picture->shapeCount + picture->meshCount > geometryMaxBatches / 4)
		return "a picture holds at most 128 cloths, shapes and meshes";
	for (uint32_t i = 0; i < picture->meshCount; ++i)
	{
		const drapeDrawnMesh* mesh = &picture->meshes[i];
		if (mesh->triangleCount > 0 && (!mesh->positions || !mesh->triangles))
			return "a mesh has no positions or triangles";
	}
	for (uint32_t i = 0; i < picture->clothCount; ++i)
	{
		const char* wrong = CheckCloth(&picture->cloths[i], picture->view);
		if (wrong)
			return wrong;
	}
	return NULL;
}

// Arrays that are NULL with a count above 0.
static drapeResult CheckArrays(const drapePicture* picture, drapeMessage* message)
{
	const struct
	{
		const void* array;
		uint32_t count;
		const char *name, *countName;
	} rows[] = {
		{picture->cloths, picture->clothCount, "cloths", "clothCount"},
		{picture->shapes, picture->shapeCount, "shapes", "shapeCount"},
		{picture->meshes, picture->meshCount, "meshes", "meshCount"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
		if (!rows[i].array && rows[i].count > 0)
			return drapeRender_Fail(message, drape_errorArgument, "%s is NULL, but %s is %u", rows[i].name,
			                        rows[i].countName, rows[i].count);
	return drape_ok;
}

// Values of the picture itself.
static drapeResult CheckValues(const drapePicture* picture, drapeMessage* message)
{
	const uint32_t samples = picture->samples;
	const float fieldOfView = picture->camera.fieldOfView;
	drapeResult result = drapeRender_CheckSize(picture->width, picture->height, message);
	if (result != drape_ok)
		return result;
	if ((unsigned)picture->view >= drape_viewCount)
		return drapeRender_Fail(message, drape_errorArgument, "view is %u, expected a drapeRenderView",
		                        (unsigned)picture->view);
	if (samples != 1 && samples != 2 && samples != 4 && samples != 8)
		return drapeRender_Fail(message, drape_errorArgument, "samples is %u, expected 1, 2, 4 or 8", samples);
	if (!(fieldOfView > 0.0f && fieldOfView < 3.14159265f))
		return drapeRender_Fail(message, drape_errorArgument,
		                        "camera.fieldOfView is %g, expected a number above 0 and below pi",
		                        (double)fieldOfView);
	return CheckArrays(picture, message);
}

drapeResult drapePicture_Check(const drapePicture* picture, drapeMessage* message)
{
	if (!picture)
		return drapeRender_Fail(message, drape_errorArgument, "the picture is NULL");
	drapeResult result = CheckValues(picture, message);
	const char* problem = result == drape_ok ? FindProblem(picture) : NULL;
	return problem ? drapeRender_Fail(message, drape_errorArgument, "%s", problem) : result;
}
