// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdlib.h>
#include <string.h>

enum
{
	pictureCapacity = 128 // items of a picture
};

// Arrays of the last picture.
static drapeDrawnCloth cloths[pictureCapacity];
static drapeDrawnShape shapes[pictureCapacity];
static drapeDrawnMesh meshes[objects_capacity];

// Images that the renderer holds, by path.
static struct
{
	char path[1024];
	uint32_t number;
} images[DRAPE_MAX_IMAGES];
static uint32_t imageCount;

// The number of an image in the renderer. 0 for none, or when it cannot be read; the user gets one message.
static uint32_t ImageOf(Studio* studio, const char* path)
{
	if (path[0] == 0)
		return 0;
	for (uint32_t i = 0; i < imageCount; ++i)
		if (strcmp(images[i].path, path) == 0)
			return images[i].number;
	if (imageCount == DRAPE_MAX_IMAGES || strlen(path) >= sizeof images[0].path)
		return 0;
	uint8_t* pixels;
	uint32_t width, height, number = 0;
	drapeMessage error = {0};
	if (drapePng_Read(path, &pixels, &width, &height, &error) == drape_ok)
	{
		drapeRenderer_AddImage(studio->renderer, pixels, width, height, &number, NULL);
		drapeFree(pixels, 3 * (size_t)width * height);
	}
	else
		drapeMessages_Add(&studio->messages, message_error, "%s", error.text);
	strcpy(images[imageCount].path, path);
	images[imageCount++].number = number;
	return number;
}

static void AddCloths(Studio* studio, const Frame* frame, drapePicture* picture)
{
	const drapeScene* scene = studio->document.scene;
	for (uint32_t i = 0; i < scene->clothCount && picture->clothCount < pictureCapacity; ++i)
		for (uint32_t k = 0; k < frame->clothCount; ++k)
		{
			const FrameCloth* cloth = &frame->cloths[k];
			if (strcmp(cloth->name, scene->cloths[i].name) != 0 || cloth->view.triangleCount == 0)
				continue;
			drapeDrawnCloth drawn = {.mesh = cloth->view, .touching = cloth->touching};
			drawn.look = drapeLook_FromScene(&scene->cloths[i], i);
			drawn.look.image = ImageOf(studio, scene->cloths[i].look.image);
			cloths[picture->clothCount++] = drawn;
			break;
		}
	picture->cloths = cloths;
}

static drapeVec3 ColliderColour(const Studio* studio, const Frame* frame, uint32_t index)
{
	drapeVec3 colour = frame->shapes[index].shape.colour;
	bool isSelected = Item_Same(studio->selection, (Item){item_collider, index});
	return isSelected ? V3_Add(V3_Scale(colour, 0.7f), V3(0.26f, 0.15f, 0.1f)) : colour;
}

// The surface is in world space. A scene may draw it larger or smaller, about the origin of the collider.
static drapeTransform DrawnAt(const FrameShape* shape)
{
	drapeTransform transform = drapeIdentityTransform();
	transform.scale = shape->shape.transform.scale / shape->transform.scale;
	transform.position = V3_Scale(shape->transform.position, 1.0f - transform.scale);
	return transform;
}

static void AddShapes(const Studio* studio, const Frame* frame, drapePicture* picture)
{
	uint32_t capacity = pictureCapacity - picture->clothCount;
	for (uint32_t i = 0; i < frame->shapeCount && picture->shapeCount < capacity; ++i)
	{
		drapeDrawnShape shape = frame->shapes[i].shape;
		shape.colour = ColliderColour(studio, frame, i);
		if (!picture->ground && drapeDrawnShape_IsFloor(&shape, &picture->groundHeight))
			picture->ground = true;
		else if (!drapeColliderShape_GetInfo(shape.def.shape)->isMesh)
			shapes[picture->shapeCount++] = shape;
	}
	picture->shapes = shapes;
}

// Adds the surfaces of mesh colliders as the simulation has them, then objects.
static void AddMeshes(Studio* studio, const Frame* frame, drapePicture* picture)
{
	const drapeScene* scene = studio->document.scene;
	uint32_t capacity = pictureCapacity - picture->clothCount - picture->shapeCount;
	capacity = capacity < objects_capacity ? capacity : objects_capacity;
	for (uint32_t i = 0; i < frame->shapeCount && picture->meshCount < capacity; ++i)
	{
		const FrameMesh* mesh = &frame->shapes[i].mesh;
		if (mesh->triangleCount == 0)
			continue;
		meshes[picture->meshCount++] = (drapeDrawnMesh){.positions = mesh->positions,
		                                                .vertexCount = mesh->vertexCount,
		                                                .triangles = mesh->triangles,
		                                                .triangleCount = mesh->triangleCount,
		                                                .transform = DrawnAt(&frame->shapes[i]),
		                                                .colour = ColliderColour(studio, frame, i)};
	}
	for (uint32_t i = 0; i < scene->objectCount && picture->meshCount < capacity; ++i)
	{
		const drapeSceneObject* object = &scene->objects[i];
		const ObjectMesh* mesh = drapeObjects_Get(&studio->objects, object, frame->time, &studio->messages);
		if (!mesh)
			continue;
		meshes[picture->meshCount++] = drapeDrawnMesh_FromScene(&mesh->obj.mesh, object);
	}
	picture->meshes = meshes;
}

drapePicture drapePicture_Make(Studio* studio, const Frame* frame, uint32_t width, uint32_t height)
{
	drapePicture picture = drapeDefaultPicture();
	picture.width = width;
	picture.height = height;
	picture.view = studio->view;
	AddCloths(studio, frame, &picture);
	AddShapes(studio, frame, &picture);
	AddMeshes(studio, frame, &picture);
	picture.bounds = drapePicture_GetBounds(&picture);
	if (picture.bounds.min.x > picture.bounds.max.x)
		picture.bounds = (drapeBounds){V3(-1.0f, 0.0f, -1.0f), V3(1.0f, 1.0f, 1.0f)};
	// Without a floor the ground lies below all items.
	if (!picture.ground)
		picture.groundHeight = fminf(picture.bounds.min.y, 0.0f);
	picture.ground = true;
	picture.bounds.min.y = fmaxf(picture.bounds.min.y, picture.groundHeight - 0.05f);
	picture.camera = drapeOrbitCamera_For(&studio->camera, (float)width / (float)height);
	// The view of the hierarchy has its own coordinates.
	if (picture.view == drape_viewHierarchy)
		picture.camera = drapeCamera_Frame(picture.bounds, (float)width / (float)height);
	return picture;
}

// --- drawing ---

static uint64_t Mix(uint64_t key, const void* data, size_t size)
{
	const unsigned char* bytes = data;
	for (size_t i = 0; i < size; ++i)
		key = (key ^ bytes[i]) * 0x100000001b3u;
	return key;
}

// A hash of everything that the picture shows.
static uint64_t KeyOf(const Studio* studio, uint32_t width, uint32_t height)
{
	uint64_t key = 0xcbf29ce484222325u;
	const uint64_t numbers[] = {
		studio->frame->serial, studio->document.revision, width, height, studio->view, studio->selection.kind,
		studio->objects.count, studio->selection.index};
	const float values[] = {studio->camera.target.x,   studio->camera.target.y, studio->camera.target.z,
	                        studio->camera.distance,   studio->camera.yaw,      studio->camera.pitch,
	                        studio->camera.fieldOfView};
	return Mix(Mix(key, numbers, sizeof numbers), values, sizeof values);
}

void drapePicture_Draw(Studio* studio)
{
	const UiRect* rect = &studio->picture;
	uint32_t width = (uint32_t)fmaxf(rect->width * studio->scale, 1.0f);
	uint32_t height = (uint32_t)fmaxf(rect->height * studio->scale, 1.0f);
	uint64_t key = KeyOf(studio, width, height);
	if (key != studio->drawnKey)
	{
		drapeMessage error = {0};
		drapePicture picture = drapePicture_Make(studio, studio->frame, width, height);
		if (drapeRenderer_Draw(studio->renderer, &picture, &error) != drape_ok)
			drapeMessages_Add(&studio->messages, message_error, "The picture cannot be drawn: %s", error.text);
		studio->drawnKey = key;
	}
	// OpenGL counts rows from the bottom.
	float bottom = (float)studio->height - rect->y - rect->height;
	drapeRenderer_Present(studio->renderer, 0, (int32_t)(rect->x * studio->scale), (int32_t)(bottom * studio->scale));
}

void drapePicture_Free(void)
{
	imageCount = 0;
}
