// SPDX-License-Identifier: MIT
#pragma once

// render: pictures with OpenGL, with or without a display.
//
//   look.c         names; default looks; requirements of views
//   linear.h       vectors and matrices
//   camera.c       bounds, and a camera that shows them
//   geometry.c     growable vertices and indices; geometry of cloths
//   shapes.c       spheres, capsules, cylinders, boxes, arrows
//   views.c        converts a picture to geometry: the content and colours of each view
//   hierarchy.c    the refinement hierarchy in layers, computed from the active triangles
//   ---- files above this line do not use OpenGL ----
//   shaders/       shader sources; shaders.c lists the programs, program.c compiles them
//   target.c       framebuffers: multisampled, then resolved; the shadow map
//   renderer.c     draws a frame: upload, shadows, cloth, shapes, ground, background, lines
//   context_egl.c  an OpenGL context without a window
//   png.c, film.c  files
//
//   drapePicture --views--> Geometry (one vertex array, batches) --renderer--> target --> pixels
//
// The geometry is built again for every frame, because adaptation changes the mesh at any time. All geometry uses one
// vertex format and one buffer: copying some ten thousand triangles costs a millisecond, and views need no OpenGL code.
//
// Fragments are costly on a software renderer. The renderer therefore draws the objects that hide most first, and the
// background last and only on empty pixels. The ground samples shadows only inside their bounds. Shaders encode
// colours, because an sRGB target costs more.

#include "drape/render.h"

#include <assert.h>

#define RENDER_ASSERT(condition) assert(condition)

// --- geometry.c ---

typedef struct Vertex
{
	drapeVec3 position, normal;
	drapeVec2 material;
	uint8_t colour[4]; // sRGB; the fourth is its opacity over the fabric
} Vertex;

_Static_assert(sizeof(Vertex) == 36, "the vertex layout of the shaders");

typedef enum BatchKind
{
	batch_cloth = 0, // the fabric of `cloth`
	batch_solid,     // colour, lit
	batch_lines,     // colour, unlit, pairs of vertices
	batch_ground,    // added by the renderer; it shows shadows of batches with castsShadow
} BatchKind;

typedef struct Batch
{
	BatchKind kind;
	uint32_t cloth;
	bool wire; // draws the edges of its triangles, which share no vertices
	bool castsShadow;
	uint32_t firstIndex, indexCount;
} Batch;

enum
{
	geometryMaxBatches = 512
};

typedef struct Geometry
{
	Vertex* vertices;
	uint32_t vertexCount, vertexCapacity;
	uint32_t* indices;
	uint32_t indexCount, indexCapacity;
	uint32_t* scratch; // scratch memory of welding
	uint32_t scratchCapacity;
	Batch batches[geometryMaxBatches];
	uint32_t batchCount;
	bool failed; // an allocation failed or there were too many batches; stays set
} Geometry;

// Removes all geometry and keeps the memory.
void drapeGeometry_Clear(Geometry* geometry);
void drapeGeometry_Free(Geometry* geometry);

// Starts a new batch, which receives all geometry added from now on.
Batch* drapeGeometry_Begin(Geometry* geometry, BatchKind kind);

// Reserves this many more elements. Returns NULL if memory runs out.
Vertex* drapeGeometry_AddVertices(Geometry* geometry, uint32_t count);
uint32_t* drapeGeometry_AddIndices(Geometry* geometry, uint32_t count);
void drapeGeometry_AddLine(Geometry* geometry, drapeVec3 a, drapeVec3 b, const uint8_t colour[4]);

// Adds a cloth with a vertex for each material coordinate of a particle. `colours` [particleCount][4] may be NULL.
void drapeGeometry_AddCloth(Geometry* geometry, const drapeClothView* mesh, const uint8_t (*colours)[4]);

// Adds a cloth with three vertices for each triangle. Colours may be NULL; triangle colours take precedence.
void drapeGeometry_AddCorners(Geometry* geometry, const drapeClothView* mesh, const uint8_t (*colours)[4],
                              const uint8_t (*triangleColours)[4]);

// --- shapes.c ---

void drapeGeometry_AddShape(Geometry* geometry, const drapeDrawnShape* shape);
void drapeGeometry_AddMesh(Geometry* geometry, const drapeDrawnMesh* mesh);

// A small sphere of 32 triangles.
void drapeGeometry_AddBall(Geometry* geometry, drapeVec3 centre, float radius, const uint8_t colour[4]);

// --- hierarchy.c ---

void drapeGeometry_AddHierarchy(Geometry* geometry, const drapeClothView* mesh, drapeVec3 corner);

// --- views.c ---

void drapeGeometry_AddPicture(Geometry* geometry, const drapePicture* picture);

// The colour of a level, sRGB: Simnett 2012, 3.7, with larger steps.
void drapeLevel_Colour(uint32_t level, uint8_t colour[4]);

// --- look.c ---

// Refuses the first pointer of a list that is NULL: `names` has its name, such as "path|pixels".
drapeResult drapeRender_CheckPointers(drapeMessage* error, const char* names, const void* const* pointers);

// Refuses pictures that are empty or larger than DRAPE_MAX_PICTURE.
drapeResult drapeRender_CheckSize(uint32_t width, uint32_t height, drapeMessage* error);

drapeResult drapeRender_Fail(drapeMessage* error, drapeResult result, const char* format, ...)
	__attribute__((format(printf, 3, 4)));
