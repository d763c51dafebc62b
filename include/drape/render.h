// SPDX-License-Identifier: MIT
#pragma once

/// @file render.h
/// Pictures of cloths, with OpenGL 3.3 and no display. Library `drape_render`; it reads only what the other headers
/// give.
///
/// A picture is plain values: meshes, shapes, a camera, and what to show. The renderer draws it into whatever OpenGL
/// context is current: one made here, or that of a window. Thread rule: everything that takes a drapeRenderer is called
/// on the thread to which its context is current.

#include "drape/scene.h"
#include "drape/world.h"

/// What went wrong, ready to show. Empty text means no error.
typedef struct drapeRenderError
{
	drapeResult result;
	char text[512];
} drapeRenderError;

/// --- what is drawn --------------------------------------------------------------------------------------------------

typedef enum drapeView
{
	drape_viewShaded = 0,
	drape_viewWireframe, ///< edges over the shaded cloth
	drape_viewLevels,    ///< triangles coloured by their level, yellow to red
	drape_viewVertices,  ///< particles as spheres, halved with each level
	drape_viewHierarchy, ///< level above level, in material coordinates
	drape_viewCurvature, ///< mean curvature: warm where the front bulges, cold where it is hollow
	drape_viewStrain,    ///< green where compressed, red where stretched
	drape_viewContacts,  ///< particles that touch a collider
	drape_viewSprings,   ///< edges coloured by length over rest length
	drape_viewVelocity,  ///< speed in colours, with arrows
	drape_viewCount,
} drapeView;

/// Lower-case name, NULL for an unknown one. Any thread.
DRAPE_API const char* drapeView_Name(drapeView view);

/// Fabrics as they look. How they move is a drapeMaterial.
typedef enum drapeFabric
{
	drape_fabricCotton = 0, ///< matt, plain weave
	drape_fabricSilk,       ///< a highlight that runs across the threads
	drape_fabricDenim,      ///< twill, pale threads across dark ones
	drape_fabricWool,       ///< rough, a bright rim of fibres
	drape_fabricCount,
} drapeFabric;

/// Lower-case name, NULL for an unknown one. Any thread.
DRAPE_API const char* drapeFabric_Name(drapeFabric fabric);

typedef enum drapeTexture
{
	drape_texturePlain = 0,
	drape_textureChecker,
	drape_textureStripes, ///< along the warp
	drape_textureTartan,
	drape_textureCount,
} drapeTexture;

/// Lower-case name, NULL for an unknown one. Any thread.
DRAPE_API const char* drapeTexture_Name(drapeTexture texture);

/// How a cloth looks. Colours are sRGB, 0 to 1. The texture lies in material coordinates: it sits in the cloth as a
/// printed or woven one does, whatever the mesh (Simnett 2012, 3.7.2).
typedef struct drapeLook
{
	drapeFabric fabric;
	drapeVec3 front, back; ///< the side that normals point to, and the other
	drapeTexture texture;
	drapeVec3 second;          ///< the other colour of the texture, on both sides
	drapeVec2 texturePosition; ///< m: where in the material a repeat begins
	float textureSize;         ///< m, > 0: width of one repeat
	uint32_t image;            ///< of drapeRenderer_AddImage, in place of colours and texture; 0 for none
} drapeLook;

/// The fabric of the preset that @p material has most in common with, and a colour that differs for each @p index.
DRAPE_API drapeLook drapeDefaultLook(const drapeMaterial* material, uint32_t index);

/// As a scene describes the cloth; what it leaves open is that of drapeDefaultLook. Without the image, which
/// drapeRenderer_AddImage takes.
DRAPE_API drapeLook drapeLook_FromScene(const drapeSceneCloth* cloth, uint32_t index);

/// A cloth to draw. `mesh` may be that of a live cloth or arrays of one's own, in which everything but positions,
/// normals and triangles may be NULL; drapePicture_Check says what a view needs.
typedef struct drapeDrawnCloth
{
	drapeClothView mesh;
	const uint8_t* touching;         ///< [particleCount] not 0 where a collider is touched; NULL when it is not known
	const drapeContactPoint* points; ///< [pointCount] where it lies on cloth, for ::drape_viewContacts; may be NULL
	uint32_t pointCount;
	drapeLook look;
} drapeDrawnCloth;

/// A collider to draw. Drawn a little smaller than it is, so that coarse cloth on it hides it.
typedef struct drapeDrawnShape
{
	drapeShape shape;
	float radius, halfHeight; ///< m
	drapeVec3 halfExtents;    ///< m
	drapeTransform transform;
	drapeVec3 colour; ///< sRGB
} drapeDrawnShape;

/// As the collider is now, in a neutral colour. Of a mesh nothing is drawn: that is a drapeDrawnMesh.
DRAPE_API drapeDrawnShape drapeDrawnShape_FromCollider(drapeColliderId collider);

/// The same with the colour and the size that a scene gives its picture.
DRAPE_API drapeDrawnShape drapeDrawnShape_FromScene(drapeColliderId collider, const drapeSceneCollider* scene);

/// Whether the shape is a plane that faces up, which a picture shows as its ground; @p height, m, is then set.
DRAPE_API bool drapeDrawnShape_IsFloor(const drapeDrawnShape* shape, float* height);

/// A mesh to draw that is no cloth. Arrays are the caller's.
typedef struct drapeDrawnMesh
{
	const drapeVec3* positions; ///< [vertexCount] m, before `transform`
	const drapeVec3* normals;   ///< [vertexCount] unit; NULL for those of a smooth surface
	uint32_t vertexCount;
	const uint32_t* triangles; ///< [3 * triangleCount]
	uint32_t triangleCount;
	drapeTransform transform;
	drapeVec3 colour; ///< sRGB
} drapeDrawnMesh;

/// An object of a scene, whose mesh is in the caller's arrays.
DRAPE_API drapeDrawnMesh drapeDrawnMesh_FromScene(const drapeMesh* mesh, const drapeSceneObject* object);

/// A box in space. Empty when min.x > max.x.
typedef struct drapeBounds
{
	drapeVec3 min, max; ///< m
} drapeBounds;

DRAPE_API drapeBounds drapeBounds_Empty(void);
DRAPE_API drapeBounds drapeBounds_Union(drapeBounds a, drapeBounds b);

typedef struct drapeCamera
{
	drapeVec3 eye, target; ///< m; up is +y
	float fieldOfView;     ///< radians, vertical
} drapeCamera;

/// A camera from the front, a little from above and the side, that has all of @p bounds in a picture of this width over
/// height. An empty box gives a camera that looks at the origin.
DRAPE_API drapeCamera drapeCamera_Frame(drapeBounds bounds, float aspect);

typedef struct drapePicture
{
	uint32_t width, height; ///< pixels, 1 to DRAPE_MAX_PICTURE
	drapeView view;
	const drapeDrawnCloth* cloths;
	uint32_t clothCount;
	const drapeDrawnShape* shapes;
	uint32_t shapeCount;
	const drapeDrawnMesh* meshes;
	uint32_t meshCount;
	drapeCamera camera;
	drapeBounds bounds; ///< where shadows are cast: what is outside lights and throws none
	bool ground;
	float groundHeight; ///< m
	bool shadows;
	uint32_t samples; ///< per pixel: 2, 4, 8; or 1, and edges are smoothed afterwards, which is faster
} drapePicture;

#define DRAPE_MAX_PICTURE 8192

/// 1280x720, shaded, with shadows, one sample, no ground, nothing in it.
DRAPE_API drapePicture drapeDefaultPicture(void);

/// NULL when the picture can be drawn; else a static sentence that says what is wrong or what its view lacks.
DRAPE_API const char* drapePicture_Check(const drapePicture* picture);

/// What the picture shows: cloths, meshes and shapes without planes, or the hierarchy. Empty when memory is short.
DRAPE_API drapeBounds drapePicture_Bounds(const drapePicture* picture);

/// --- contexts -------------------------------------------------------------------------------------------------------

/// An OpenGL context without a display: EGL, surfaceless, on the GPU or in Mesa's software renderer.
typedef struct drapeOffscreen drapeOffscreen;

/// Makes a context and makes it current. NULL on failure, and @p error (may be NULL) says why.
DRAPE_API drapeOffscreen* drapeCreateOffscreen(drapeRenderError* error);
DRAPE_API void drapeDestroyOffscreen(drapeOffscreen* offscreen); ///< NULL is allowed

/// What draws: "llvmpipe (LLVM 15.0.6, 256 bits)". Lives as long as the context.
DRAPE_API const char* drapeOffscreen_Name(const drapeOffscreen* offscreen);

/// --- renderer -------------------------------------------------------------------------------------------------------

typedef struct drapeRenderer drapeRenderer;

/// Needs a current OpenGL 3.3 context. NULL on failure, and @p error (may be NULL) says why.
DRAPE_API drapeRenderer* drapeCreateRenderer(drapeRenderError* error);
DRAPE_API void drapeDestroyRenderer(drapeRenderer* renderer); ///< NULL is allowed; before its context

#define DRAPE_MAX_IMAGES 64

/// Keeps a copy of an image for looks to name: 3 bytes for each pixel, sRGB, rows from the top, at most
/// DRAPE_MAX_PICTURE each way. Sets @p image to its number, from 1. ::drape_errorLimit beyond DRAPE_MAX_IMAGES.
DRAPE_API drapeResult drapeRenderer_AddImage(drapeRenderer* renderer, const uint8_t* pixels, uint32_t width,
                                             uint32_t height, uint32_t* image);

/// Draws. The result stays in the renderer until the next call.
DRAPE_API drapeResult drapeRenderer_Draw(drapeRenderer* renderer, const drapePicture* picture, drapeRenderError* error);

/// Copies the last picture into a framebuffer of the current context, 0 for its window, with its lower left corner at
/// pixel @p x, @p y of it. What hangs over is cut off. The framebuffer must have one sample for each pixel; it is bound
/// afterwards.
DRAPE_API void drapeRenderer_Present(drapeRenderer* renderer, uint32_t framebuffer, int32_t x, int32_t y);

/// Waits for the last picture and reads it: 3 bytes for each pixel, sRGB, rows from the top. @p pixels has room for
/// 3 * width * height of that picture.
DRAPE_API drapeResult drapeRenderer_Read(drapeRenderer* renderer, uint8_t* pixels);

/// Waits until the last picture is done, for measurements.
DRAPE_API void drapeRenderer_Finish(drapeRenderer* renderer);

/// --- files ----------------------------------------------------------------------------------------------------------

/// Writes a PNG file of 3 bytes for each pixel, rows from the top. Any thread.
DRAPE_API drapeResult drapePng_Write(const char* path, const uint8_t* pixels, uint32_t width, uint32_t height,
                                     drapeRenderError* error);

/// Reads a PNG file as 3 bytes for each pixel, whatever it holds. Free with drapeFree(pixels, 3 * width * height).
DRAPE_API drapeResult drapePng_Read(const char* path, uint8_t** pixels, uint32_t* width, uint32_t* height,
                                    drapeRenderError* error);

/// A film, made by the program ffmpeg from pictures that are piped to it. Its file takes its name when it is whole.
typedef struct drapeFilm drapeFilm;

/// Whether a film can have a name with this ending: .mp4, .mov or .mkv. Any thread.
DRAPE_API bool drapeFilm_CanWrite(const char* path);

/// NULL on failure, and @p error (may be NULL) says why: ffmpeg may be missing. H.264 wants an even width and height.
/// From then on SIGPIPE is ignored by the process, so that a film that ffmpeg gives up is an error and not its end. Any
/// thread, one at a time per film.
DRAPE_API drapeFilm* drapeCreateFilm(const char* path, uint32_t width, uint32_t height, float frameRate,
                                     drapeRenderError* error);

/// Adds a picture of 3 bytes for each pixel, rows from the top. Waits while ffmpeg is busy.
DRAPE_API drapeResult drapeFilm_Add(drapeFilm* film, const uint8_t* pixels, drapeRenderError* error);

/// Waits for ffmpeg. Only a film that is @p whole gets its name; else nothing is left of it. Frees the film; NULL is
/// allowed.
DRAPE_API drapeResult drapeFilm_Close(drapeFilm* film, bool whole, drapeRenderError* error);
