// SPDX-License-Identifier: MIT
#pragma once

/// @file render.h
/// Pictures of cloths with OpenGL 3.3, with or without a display. This header belongs to the library `drape_render`,
/// which uses only public headers.
///
/// A picture is plain values: meshes, shapes, a camera and a view. The renderer draws it into the current OpenGL
/// context, either a drapeOffscreen or a window. Thread rule: call functions that take a drapeRenderer on the thread on
/// which its context is current.
///
/// Functions that can fail fill a drapeMessage (may be NULL) with a sentence. They return ::drape_errorArgument for a
/// pointer that is NULL although the function needs it, and for a value out of range.

#include "drape/scene.h"
#include "drape/world.h"

/// --- pictures -------------------------------------------------------------------------------------------------------

/// The quantity that a picture shows.
typedef enum drapeRenderView
{
	drape_viewShaded = 0,
	drape_viewWireframe, ///< edges over the shaded cloth
	drape_viewLevels,    ///< triangles coloured by their level, yellow to red
	drape_viewVertices,  ///< particles as spheres; each level halves their radius
	drape_viewHierarchy, ///< the refinement levels as layers, in material coordinates
	drape_viewCurvature, ///< mean curvature: warm colours for a convex front, cold ones for a concave front
	drape_viewStrain,    ///< green for compression, red for stretch
	drape_viewContacts,  ///< particles that touch a collider
	drape_viewSprings,   ///< edges coloured by length over rest length
	drape_viewVelocity,  ///< speed as colour, with arrows
	drape_viewCount,
} drapeRenderView;

/// Returns the lower-case name, or NULL for an unknown value. Any thread.
DRAPE_API const char* drapeRenderView_GetName(drapeRenderView view);

/// The look of a fabric. A drapeMaterial describes its mechanics.
typedef enum drapeFabricLook
{
	drape_fabricCotton = 0, ///< matt, plain weave
	drape_fabricSilk,       ///< a highlight that runs across the threads
	drape_fabricDenim,      ///< twill, pale threads across dark ones
	drape_fabricWool,       ///< rough, a bright rim of fibres
	drape_fabricCount,
} drapeFabricLook;

/// Returns the lower-case name, or NULL for an unknown value. Any thread.
DRAPE_API const char* drapeFabricLook_GetName(drapeFabricLook fabric);

/// A procedural texture.
typedef enum drapeTexture
{
	drape_texturePlain = 0,
	drape_textureChecker,
	drape_textureStripes, ///< along the warp
	drape_textureTartan,
	drape_textureCount,
} drapeTexture;

/// Returns the lower-case name, or NULL for an unknown value. Any thread.
DRAPE_API const char* drapeTexture_GetName(drapeTexture texture);

/// The look of a cloth. Colours are sRGB, 0 to 1. The texture uses material coordinates: it is fixed to the fabric,
/// like a printed or woven pattern, for any mesh (Simnett 2012, 3.7.2).
typedef struct drapeLook
{
	drapeFabricLook fabric;
	drapeVec3 front, back; ///< colours of the side to which normals point, and of the other side
	drapeTexture texture;
	drapeVec3 second;          ///< second colour of the texture, on both sides
	drapeVec2 texturePosition; ///< m: material coordinates at which a repeat begins
	float textureSize;         ///< m, > 0: width of one repeat
	uint32_t image;            ///< from drapeRenderer_AddImage; replaces colours and texture; 0 for none
} drapeLook;

/// Returns the fabric of the preset nearest to @p material, cotton for NULL, and a colour that differs for each
/// @p index. Any thread.
DRAPE_API drapeLook drapeDefaultLook(const drapeMaterial* material, uint32_t index);

/// Returns the look that a scene gives the cloth. Values that the scene does not give are those of drapeDefaultLook.
/// The image is left out; load it with drapeRenderer_AddImage. Any thread.
DRAPE_API drapeLook drapeLook_FromScene(const drapeSceneCloth* cloth, uint32_t index);

/// A cloth to draw. `mesh` is the view of a cloth or has the caller's own arrays. Positions, normals and triangles are
/// required; other arrays may be NULL. drapePicture_Check names the arrays that a view needs.
typedef struct drapeDrawnCloth
{
	drapeClothView mesh;
	const uint8_t* touching;         ///< [particleCount] not 0 if the particle touches a collider; NULL if unknown
	const drapeContactPoint* points; ///< [pointCount] contacts with cloth, for ::drape_viewContacts; may be NULL
	uint32_t pointCount;
	drapeLook look;
} drapeDrawnCloth;

/// A collider to draw. The renderer draws it slightly smaller, so that coarse cloth on it hides it.
typedef struct drapeDrawnShape
{
	drapeColliderDef def; ///< its shape and measures; the other members are not used
	drapeTransform transform;
	drapeVec3 colour; ///< sRGB
} drapeDrawnShape;

/// Returns the present collider in a neutral colour. Draw a mesh collider as a drapeDrawnMesh instead.
DRAPE_API drapeDrawnShape drapeDrawnShape_FromCollider(drapeColliderId collider);

/// Returns the present collider with the colour and the drawn size of a scene.
DRAPE_API drapeDrawnShape drapeDrawnShape_FromScene(drapeColliderId collider, const drapeSceneCollider* scene);

/// Tells whether the shape is a plane that faces up, which a picture shows as its ground. If so, sets @p height in
/// metres.
DRAPE_API bool drapeDrawnShape_IsFloor(const drapeDrawnShape* shape, float* height);

/// A mesh to draw that is no cloth. The caller owns the arrays.
typedef struct drapeDrawnMesh
{
	const drapeVec3* positions; ///< [vertexCount] m, before `transform`
	const drapeVec3* normals;   ///< [vertexCount] unit; NULL for normals of a smooth surface
	uint32_t vertexCount;
	const uint32_t* triangles; ///< [3 * triangleCount]
	uint32_t triangleCount;
	drapeTransform transform;
	drapeVec3 colour; ///< sRGB
} drapeDrawnMesh;

/// Returns the drawing of a scene's object. The caller owns the arrays of @p mesh.
DRAPE_API drapeDrawnMesh drapeDrawnMesh_FromScene(const drapeMesh* mesh, const drapeSceneObject* object);

/// An axis-aligned box. It is empty if min.x > max.x.
typedef struct drapeBounds
{
	drapeVec3 min, max; ///< m
} drapeBounds;

/// Returns an empty box. Any thread.
DRAPE_API drapeBounds drapeBounds_Empty(void);

/// Returns the smallest box that contains both. Any thread.
DRAPE_API drapeBounds drapeBounds_Union(drapeBounds a, drapeBounds b);

/// A perspective camera.
typedef struct drapeCamera
{
	drapeVec3 eye, target; ///< m; up is +y
	float fieldOfView;     ///< radians, vertical
} drapeCamera;

/// Returns a camera in front of @p bounds, slightly above and to the side, that shows all of them in a picture with
/// this width over height. An empty box gives a camera that looks at the origin.
DRAPE_API drapeCamera drapeCamera_Frame(drapeBounds bounds, float aspect);

/// A picture to draw. The caller owns the arrays.
typedef struct drapePicture
{
	uint32_t width, height; ///< pixels, 1 to DRAPE_MAX_PICTURE
	drapeRenderView view;
	const drapeDrawnCloth* cloths;
	uint32_t clothCount;
	const drapeDrawnShape* shapes;
	uint32_t shapeCount;
	const drapeDrawnMesh* meshes;
	uint32_t meshCount;
	drapeCamera camera;
	drapeBounds bounds; ///< volume of the shadows: objects outside cast none
	bool ground;
	float groundHeight; ///< m
	bool shadows;
	uint32_t samples; ///< per pixel: 2, 4 or 8; 1 smooths edges in a later pass, which is faster
} drapePicture;

#define DRAPE_MAX_PICTURE 8192

/// Returns an empty picture: 1280x720, shaded, with shadows, one sample, no ground. Any thread.
DRAPE_API drapePicture drapeDefaultPicture(void);

/// Returns ::drape_ok if the picture can be drawn; otherwise ::drape_errorArgument, and @p message (may be NULL) names
/// the problem. Any thread.
DRAPE_API drapeResult drapePicture_Check(const drapePicture* picture, drapeMessage* message);

/// Returns the bounds of the picture's content: cloths, meshes and shapes without planes, or the hierarchy. Empty if
/// memory runs out.
DRAPE_API drapeBounds drapePicture_GetBounds(const drapePicture* picture);

/// Returns the part of the content that a picture is about: cloths, colliders and meshes. A thing that is more than six
/// times as large as the cloths counts only near them. The box is in the axes of the automatic camera: x to the
/// right, y up and z towards the viewer. Empty if memory runs out.
DRAPE_API drapeBounds drapePicture_GetSubject(const drapePicture* picture);

/// Like drapeCamera_Frame, for a box of drapePicture_GetSubject, or a union of them. It fits more closely, because the box
/// is aligned with the picture. Any thread.
DRAPE_API drapeCamera drapeCamera_FrameSubject(drapeBounds subject, float aspect);

/// --- contexts -------------------------------------------------------------------------------------------------------

/// An OpenGL context without a display: EGL, surfaceless, on the GPU or with Mesa's software renderer.
typedef struct drapeOffscreen drapeOffscreen;

/// Creates a context and makes it current. On failure @p offscreen is NULL, and @p error (may be NULL) receives a
/// message: ::drape_errorFile without OpenGL, or ::drape_errorMemory.
DRAPE_API drapeResult drapeCreateOffscreen(drapeOffscreen** offscreen, drapeMessage* error);
DRAPE_API void drapeDestroyOffscreen(drapeOffscreen* offscreen); ///< NULL is allowed

/// Returns the name of the driver, such as "llvmpipe (LLVM 15.0.6, 256 bits)". Valid as long as the context.
DRAPE_API const char* drapeOffscreen_GetName(const drapeOffscreen* offscreen);

/// --- renderer -------------------------------------------------------------------------------------------------------

typedef struct drapeRenderer drapeRenderer;

/// Creates a renderer in the current OpenGL 3.3 context. On failure @p renderer is NULL, and @p error (may be NULL)
/// receives a message.
DRAPE_API drapeResult drapeCreateRenderer(drapeRenderer** renderer, drapeMessage* error);
DRAPE_API void drapeDestroyRenderer(drapeRenderer* renderer); ///< may be NULL; call it before its context is destroyed

#define DRAPE_MAX_IMAGES 64

/// Copies an image for drapeLook::image: 3 bytes for each pixel, sRGB, rows from the top, at most DRAPE_MAX_PICTURE in
/// both directions. Sets @p image to its number, counted from 1. Returns ::drape_errorLimit beyond DRAPE_MAX_IMAGES.
/// @p error may be NULL, here and below.
DRAPE_API drapeResult drapeRenderer_AddImage(drapeRenderer* renderer, const uint8_t* pixels, uint32_t width,
                                             uint32_t height, uint32_t* image, drapeMessage* error);

/// Draws a picture. The renderer keeps the result until the next call. @p error may be NULL.
DRAPE_API drapeResult drapeRenderer_Draw(drapeRenderer* renderer, const drapePicture* picture, drapeMessage* error);

/// Copies the last picture into a framebuffer of the current context (0 for its window), with the lower left corner at
/// pixel @p x, @p y, and clips it. The framebuffer must have one sample for each pixel. It stays bound.
DRAPE_API void drapeRenderer_Present(drapeRenderer* renderer, uint32_t framebuffer, int32_t x, int32_t y);

/// Waits for the last picture and reads it: 3 bytes for each pixel, sRGB, rows from the top. @p pixels has 3 * width *
/// height bytes. Returns ::drape_errorArgument if nothing was drawn, or ::drape_errorMemory.
DRAPE_API drapeResult drapeRenderer_Read(drapeRenderer* renderer, uint8_t* pixels, drapeMessage* error);

/// Waits until the last picture is finished, for measurements.
DRAPE_API void drapeRenderer_Finish(drapeRenderer* renderer);

/// --- files ----------------------------------------------------------------------------------------------------------

/// Writes a PNG file of 3 bytes for each pixel, rows from the top. Any thread.
DRAPE_API drapeResult drapePng_Write(const char* path, const uint8_t* pixels, uint32_t width, uint32_t height,
                                     drapeMessage* error);

/// Reads a PNG file of any pixel format as 3 bytes for each pixel. Free it with drapeFree(pixels, 3 * width * height).
/// Any thread.
DRAPE_API drapeResult drapePng_Read(const char* path, uint8_t** pixels, uint32_t* width, uint32_t* height,
                                    drapeMessage* error);

/// A film. The program ffmpeg encodes pictures that are piped to it. The file gets its name when it is complete.
typedef struct drapeFilm drapeFilm;

/// Tells whether the name has an ending of a film: .mp4, .mov or .mkv. Any thread.
DRAPE_API bool drapeFilm_CanWrite(const char* path);

/// Starts ffmpeg. On failure, for example without ffmpeg, @p film is NULL, and @p error (may be NULL) receives a message.
/// The width and the height must be even, as H.264 needs it, and the frame rate above 0. From this call on the process ignores SIGPIPE, so that an error of ffmpeg does
/// not end the process. One thread at a time per film.
DRAPE_API drapeResult drapeCreateFilm(const char* path, uint32_t width, uint32_t height, float frameRate,
                                      drapeFilm** film, drapeMessage* error);

/// Adds a picture of 3 bytes for each pixel, rows from the top. The call waits while ffmpeg is busy.
DRAPE_API drapeResult drapeFilm_Add(drapeFilm* film, const uint8_t* pixels, drapeMessage* error);

/// Waits for ffmpeg and frees the film, which may be NULL. If @p whole is set, the file gets its name; otherwise it is
/// removed.
DRAPE_API drapeResult drapeDestroyFilm(drapeFilm* film, bool whole, drapeMessage* error);
