// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <string.h>

#include "drape/render.h"

// Functions of drape_render have no world: the sentence is in the message. They do not assert.
#define RENDER_REFUSED(function, parameter, sentence, call)                                                            \
	FAILED_TO(function, parameter, drape_errorArgument, sentence, call)

static const char missing[] = "no such folder/file.png";

static void AcceptNames(Api* api)
{
	ACCEPTED(drapeRenderView_GetName, view, drapeRenderView_GetName((drapeRenderView)99) == NULL);
	ACCEPTED(drapeFabricLook_GetName, fabric, drapeFabricLook_GetName((drapeFabricLook)99) == NULL);
	ACCEPTED(drapeTexture_GetName, texture, drapeTexture_GetName((drapeTexture)99) == NULL);
}

static void AcceptDrawings(Api* api)
{
	const drapeSceneCloth cloth = {.look.textureSize = 0.2f};
	const drapeSceneCollider given = {.drawnScale = 1.0f};
	const drapeSceneObject object = {.pose.scale = 1.0f, .pose.axis.y = 1.0f};
	const drapeDrawnShape shape = drapeDrawnShape_FromCollider(api->sphere);
	float height = 1.0f;
	ACCEPTED(drapeDefaultLook, material, drapeDefaultLook(NULL, 0).fabric == drape_fabricCotton);
	ACCEPTED(drapeDefaultLook, index, drapeDefaultLook(NULL, UINT32_MAX).textureSize > 0.0f);
	ACCEPTED(drapeLook_FromScene, cloth, drapeLook_FromScene(NULL, 0).textureSize > 0.0f);
	ACCEPTED(drapeLook_FromScene, index, drapeLook_FromScene(&cloth, UINT32_MAX).textureSize > 0.0f);
	BAD_VALUE(drapeDrawnShape_FromCollider, drapeColliderId, collider,
	          drapeDrawnShape_FromCollider(collider).def.cookie == drapeDefaultColliderDef().cookie);
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapeColliderId id;
		Api_BadHandle(api, apiKindCollider, bad, &id);
		API_ROW(drapeDrawnShape_FromScene, collider,
		        Api_EndBad(api, drapeDrawnShape_FromScene(id, &given).transform.scale == 1.0f, apiKindCollider, bad));
	}
	ACCEPTED(drapeDrawnShape_FromScene, scene,
	         drapeDrawnShape_FromScene(api->sphere, NULL).transform.position.y == -3.0f);
	ACCEPTED(drapeDrawnShape_IsFloor, shape, !drapeDrawnShape_IsFloor(NULL, &height) && height == 1.0f);
	ACCEPTED(drapeDrawnShape_IsFloor, height, !drapeDrawnShape_IsFloor(&shape, NULL));
	ACCEPTED(drapeDrawnMesh_FromScene, mesh, drapeDrawnMesh_FromScene(NULL, &object).triangleCount == 0);
	ACCEPTED(drapeDrawnMesh_FromScene, object, drapeDrawnMesh_FromScene(&api->mesh, NULL).triangleCount == 0);
	CANNOT_FAIL(drapeBounds_Empty, ALL, "it returns constants");
	CANNOT_FAIL(drapeBounds_Union, ALL, "any box is good: it is empty if its lower end is not below the upper one");
	ACCEPTED(drapeCamera_Frame, bounds, drapeCamera_Frame(drapeBounds_Empty(), 1.0f).fieldOfView > 0.0f);
	CANNOT_FAIL(drapeCamera_Frame, aspect, "drapePicture_Check refuses a camera that cannot be used");
	ACCEPTED(drapeCamera_FrameSubject, subject, drapeCamera_FrameSubject(drapeBounds_Empty(), 1.0f).fieldOfView > 0.0f);
	CANNOT_FAIL(drapeCamera_FrameSubject, aspect, "drapePicture_Check refuses a camera that cannot be used");
	ACCEPTED(drapePicture_GetSubject, picture, isinf(drapePicture_GetSubject(NULL).min.x));
	CANNOT_FAIL(drapeDefaultPicture, ALL, "it returns constants");
}

// --- pictures -------------------------------------------------------------------------------------------------------

static void RefusePicture(Api* api, const drapePicture* picture, const char* sentence)
{
	RENDER_REFUSED(drapePicture_Check, picture, sentence, drapePicture_Check(picture, api->message));
}

static void RefusePictures(Api* api)
{
	const drapePicture good = drapeDefaultPicture();
	drapePicture picture = good;
	RefusePicture(api, NULL, "the picture is NULL");
#define CHECK(sentence, ...)                                                                                           \
	do                                                                                                                 \
	{                                                                                                                  \
		picture = good;                                                                                                \
		picture.__VA_ARGS__;                                                                                           \
		RefusePicture(api, &picture, sentence);                                                                        \
	} while (0)
	CHECK("the picture is 0 x 720, expected 1 to 8192 pixels each way", width = 0);
	CHECK("the picture is 1280 x 8193, expected 1 to 8192 pixels each way", height = DRAPE_MAX_PICTURE + 1);
	CHECK("view is 99, expected a drapeRenderView", view = (drapeRenderView)99);
	CHECK("samples is 3, expected 1, 2, 4 or 8", samples = 3);
	CHECK("cloths is NULL, but clothCount is 1", clothCount = 1);
	CHECK("shapes is NULL, but shapeCount is 1", shapeCount = 1);
	CHECK("meshes is NULL, but meshCount is 1", meshCount = 1);
	CHECK("camera.fieldOfView is 0, expected a number above 0 and below pi", camera.fieldOfView = 0.0f);
	CHECK("camera.fieldOfView is nan, expected a number above 0 and below pi", camera.fieldOfView = NAN);
#undef CHECK
	ACCEPTED(drapePicture_GetBounds, picture, isinf(drapePicture_GetBounds(NULL).min.x));
}

static void RefuseDrawnCloths(Api* api)
{
	const drapeDrawnCloth good = {.mesh = drapeCloth_GetView(api->cloth), .look = drapeDefaultLook(NULL, 0)};
	drapeDrawnCloth cloth = good;
	drapePicture picture = drapeDefaultPicture();
	picture.cloths = &cloth;
	picture.clothCount = 1;
#define CHECK(sentence, ...)                                                                                           \
	do                                                                                                                 \
	{                                                                                                                  \
		cloth = good;                                                                                                  \
		cloth.__VA_ARGS__;                                                                                             \
		RefusePicture(api, &picture, sentence);                                                                        \
	} while (0)
	CHECK("a cloth has no positions, normals or triangles", mesh.positions = NULL);
	CHECK("the size of a texture must be greater than 0", look.textureSize = NAN);
	CHECK("there is no such fabric or texture", look.fabric = (drapeFabricLook)99);
	CHECK("there is no such fabric or texture", look.texture = (drapeTexture)99);
	picture.view = drape_viewLevels;
	CHECK("this view needs the levels of the mesh", mesh.triangleLevels = NULL);
	picture.view = drape_viewContacts;
	CHECK("this view needs contacts", touching = NULL);
	picture.view = drape_viewVelocity;
	CHECK("this view needs velocities", mesh.velocities = NULL);
#undef CHECK
}

// --- with a context -------------------------------------------------------------------------------------------------

static void RefuseWithoutRenderer(Api* api)
{
	const drapePicture picture = drapeDefaultPicture();
	uint8_t pixels[3] = {0};
	uint32_t image = 1;
	RENDER_REFUSED(drapeCreateOffscreen, offscreen, "offscreen is NULL", drapeCreateOffscreen(NULL, api->message));
	ACCEPTED(drapeDestroyOffscreen, offscreen, (drapeDestroyOffscreen(NULL), true));
	ACCEPTED(drapeOffscreen_GetName, offscreen, drapeOffscreen_GetName(NULL) == NULL);
	RENDER_REFUSED(drapeCreateRenderer, renderer, "renderer is NULL", drapeCreateRenderer(NULL, api->message));
	ACCEPTED(drapeDestroyRenderer, renderer, (drapeDestroyRenderer(NULL), true));
	RENDER_REFUSED(drapeRenderer_AddImage, renderer, "renderer is NULL",
	               drapeRenderer_AddImage(NULL, pixels, 1, 1, &image, api->message));
	RENDER_REFUSED(drapeRenderer_Draw, renderer, "renderer is NULL", drapeRenderer_Draw(NULL, &picture, api->message));
	RENDER_REFUSED(drapeRenderer_Read, renderer, "renderer is NULL", drapeRenderer_Read(NULL, pixels, api->message));
	ACCEPTED(drapeRenderer_Present, renderer, (drapeRenderer_Present(NULL, 0, 0, 0), true));
	CANNOT_FAIL(drapeRenderer_Present, framebuffer, "OpenGL refuses it");
	CANNOT_FAIL(drapeRenderer_Present, x, "the picture is clipped");
	CANNOT_FAIL(drapeRenderer_Present, y, "the picture is clipped");
	CANNOT_FAIL(drapeRenderer_Finish, renderer, "it waits for the current context");
}

static void RefuseWithRenderer(Api* api, drapeRenderer* renderer)
{
	uint8_t pixels[3] = {0};
	uint32_t image = 1;
	RENDER_REFUSED(drapeRenderer_AddImage, pixels, "pixels is NULL",
	               drapeRenderer_AddImage(renderer, NULL, 1, 1, &image, api->message));
	RENDER_REFUSED(drapeRenderer_AddImage, width, "the picture is 0 x 1, expected 1 to 8192 pixels each way",
	               drapeRenderer_AddImage(renderer, pixels, 0, 1, &image, api->message));
	RENDER_REFUSED(drapeRenderer_AddImage, height, "the picture is 1 x 8193, expected 1 to 8192 pixels each way",
	               drapeRenderer_AddImage(renderer, pixels, 1, DRAPE_MAX_PICTURE + 1, &image, api->message));
	RENDER_REFUSED(drapeRenderer_AddImage, image, "image is NULL",
	               drapeRenderer_AddImage(renderer, pixels, 1, 1, NULL, api->message));
	for (uint32_t i = 0; i < DRAPE_MAX_IMAGES; ++i)
		assert_int_equal(drapeRenderer_AddImage(renderer, pixels, 1, 1, &image, NULL), drape_ok);
	FAILED_TO(drapeRenderer_AddImage, renderer, drape_errorLimit, "there are 64 images already, expected fewer",
	          drapeRenderer_AddImage(renderer, pixels, 1, 1, &image, api->message));
	RENDER_REFUSED(drapeRenderer_Draw, picture, "the picture is NULL",
	               drapeRenderer_Draw(renderer, NULL, api->message));
	drapeDrawnCloth cloth = {.mesh = drapeCloth_GetView(api->cloth), .look = drapeDefaultLook(NULL, 0)};
	drapePicture picture = drapeDefaultPicture();
	cloth.look.image = DRAPE_MAX_IMAGES + 1;
	picture.cloths = &cloth;
	picture.clothCount = 1;
	RENDER_REFUSED(drapeRenderer_Draw, picture, "a cloth names image 65, but only 64 were added",
	               drapeRenderer_Draw(renderer, &picture, api->message));
	RENDER_REFUSED(drapeRenderer_Read, pixels, "pixels is NULL", drapeRenderer_Read(renderer, NULL, api->message));
	RENDER_REFUSED(drapeRenderer_Read, renderer, "there is no picture to read, expected drapeRenderer_Draw",
	               drapeRenderer_Read(renderer, pixels, api->message));
}

static void RefuseInContext(Api* api)
{
	drapeOffscreen* offscreen;
	drapeRenderer* renderer;
	drapeMessage message = {0};
	if (drapeCreateOffscreen(&offscreen, &message) != drape_ok || drapeCreateRenderer(&renderer, &message) != drape_ok)
		fail_msg("%s", message.text);
	RefuseWithRenderer(api, renderer);
	drapeDestroyRenderer(renderer);
	drapeDestroyOffscreen(offscreen);
}

// --- files ----------------------------------------------------------------------------------------------------------

static void RefusePng(Api* api)
{
	uint8_t pixels[3] = {0}, *read;
	uint32_t width, height;
	RENDER_REFUSED(drapePng_Write, path, "path is NULL", drapePng_Write(NULL, pixels, 1, 1, api->message));
	RENDER_REFUSED(drapePng_Write, pixels, "pixels is NULL", drapePng_Write(missing, NULL, 1, 1, api->message));
	RENDER_REFUSED(drapePng_Write, width, "the picture is 0 x 1, expected 1 to 8192 pixels each way",
	               drapePng_Write(missing, pixels, 0, 1, api->message));
	RENDER_REFUSED(drapePng_Write, height, "the picture is 1 x 0, expected 1 to 8192 pixels each way",
	               drapePng_Write(missing, pixels, 1, 0, api->message));
	FAILED_TO(drapePng_Write, path, drape_errorFile,
	          "no such folder/file.png: ", drapePng_Write(missing, pixels, 1, 1, api->message));
	RENDER_REFUSED(drapePng_Read, path, "path is NULL", drapePng_Read(NULL, &read, &width, &height, api->message));
	RENDER_REFUSED(drapePng_Read, pixels, "pixels is NULL",
	               drapePng_Read(missing, NULL, &width, &height, api->message));
	RENDER_REFUSED(drapePng_Read, width, "width is NULL", drapePng_Read(missing, &read, NULL, &height, api->message));
	RENDER_REFUSED(drapePng_Read, height, "height is NULL", drapePng_Read(missing, &read, &width, NULL, api->message));
	FAILED_TO(drapePng_Read, path, drape_errorFile,
	          "no such folder/file.png: ", drapePng_Read(missing, &read, &width, &height, api->message));
}

static void RefuseFilms(Api* api)
{
	uint8_t pixels[3] = {0};
	drapeFilm* film;
	ACCEPTED(drapeFilm_CanWrite, path, !drapeFilm_CanWrite(NULL) && !drapeFilm_CanWrite("film.avi"));
	RENDER_REFUSED(drapeCreateFilm, path, "path is NULL", drapeCreateFilm(NULL, 2, 2, 30.0f, &film, api->message));
	RENDER_REFUSED(drapeCreateFilm, path, "film.avi: a film ends in .mp4, .mov or .mkv",
	               drapeCreateFilm("film.avi", 2, 2, 30.0f, &film, api->message));
	RENDER_REFUSED(drapeCreateFilm, width, "the film is 3 x 2, expected even numbers of pixels",
	               drapeCreateFilm("film.mp4", 3, 2, 30.0f, &film, api->message));
	RENDER_REFUSED(drapeCreateFilm, height, "the picture is 2 x 0, expected 1 to 8192 pixels each way",
	               drapeCreateFilm("film.mp4", 2, 0, 30.0f, &film, api->message));
	RENDER_REFUSED(drapeCreateFilm, frameRate, "frameRate is 0, expected a number above 0",
	               drapeCreateFilm("film.mp4", 2, 2, 0.0f, &film, api->message));
	RENDER_REFUSED(drapeCreateFilm, frameRate, "frameRate is nan, expected a number above 0",
	               drapeCreateFilm("film.mp4", 2, 2, NAN, &film, api->message));
	RENDER_REFUSED(drapeCreateFilm, film, "film is NULL", drapeCreateFilm("film.mp4", 2, 2, 30.0f, NULL, api->message));
	RENDER_REFUSED(drapeFilm_Add, film, "film is NULL", drapeFilm_Add(NULL, pixels, api->message));
	CANNOT_FAIL(drapeFilm_Add, pixels, "a film is needed to refuse them: test_render_cli");
	ACCEPTED(drapeDestroyFilm, film, drapeDestroyFilm(NULL, true, NULL) == drape_ok);
	CANNOT_FAIL(drapeDestroyFilm, whole, "both values are good");
	CANNOT_FAIL(drapeDestroyFilm, MESSAGE, "it may be NULL, as in the row of the film");
}

void Rows_Render(Api* api)
{
	AcceptNames(api);
	AcceptDrawings(api);
	RefusePictures(api);
	RefuseDrawnCloths(api);
	RefuseWithoutRenderer(api);
	RefuseInContext(api);
	RefusePng(api);
	RefuseFilms(api);
}
