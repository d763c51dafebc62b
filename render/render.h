// SPDX-License-Identifier: MIT
#pragma once

// render — pictures without a display.
//
//   look.c         names; default looks; what a view needs
//   linear.h       vectors and matrices
//   camera.c       bounds, and a camera that has them in its picture
//   geometry.c     growable vertices and indices; cloths as they are
//   shapes.c       spheres, capsules, cylinders, boxes, arrows
//   views.c        a picture as geometry: what each view shows, in which colour
//   hierarchy.c    the refinement hierarchy, level above level, worked out from the triangles in use
//   ---- above this line nothing knows of OpenGL ----
//   shaders/       what runs on the side of OpenGL; shaders.c lists the programs, program.c compiles them
//   target.c       what is drawn into: multisampled, then resolved; the shadow map
//   renderer.c     a frame: geometry up, shadows, cloth, shapes, ground, background, lines
//   context_egl.c  a context of one's own, where there is no window
//   png.c, film.c  files
//
//   drapePicture --views--> Geometry (one vertex array, batches) --renderer--> target --> pixels
//
// A picture is made anew every frame, since adaptation changes the mesh at any time. Everything goes through one vertex
// format and one buffer: at some ten thousand triangles copying costs a millisecond, and views need no code of their
// own on the side of OpenGL.
//
// What is costly on a software renderer is fragments. So whatever hides most is drawn first, the background last and
// only where nothing is; the ground looks shadows up only where one can fall; colours are encoded in the shader, since
// an sRGB target costs more.

#include "drape/render.h"

#include <assert.h>

#define RENDER_ASSERT(condition) assert(condition)

// --- geometry.c ---

typedef struct Vertex
{
	drapeVec3 position, normal;
	drapeVec2 material;
	uint8_t colour[4]; // sRGB; the fourth says how much of it covers the fabric
} Vertex;

_Static_assert(sizeof(Vertex) == 36, "the layout that the shaders are told");

typedef enum BatchKind
{
	batch_cloth = 0, // the fabric of `cloth`
	batch_solid,     // colour, lit
	batch_lines,     // colour, unlit, pairs of vertices
	batch_ground,    // added by the renderer, with shadows on it where castsShadow
} BatchKind;

typedef struct Batch
{
	BatchKind kind;
	uint32_t cloth;
	bool wire; // draws the edges of its triangles, whose corners are not shared
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
	uint32_t* scratch; // of welding
	uint32_t scratchCapacity;
	Batch batches[geometryMaxBatches];
	uint32_t batchCount;
	bool failed; // memory was short or there were too many batches; sticky
} Geometry;

// Forgets what is in it and keeps the memory.
void drapeGeometry_Clear(Geometry* geometry);
void drapeGeometry_Free(Geometry* geometry);

// Whatever is added from now on belongs to the new batch.
Batch* drapeGeometry_Begin(Geometry* geometry, BatchKind kind);

// Reserves this many more elements. Returns NULL if memory runs out.
Vertex* drapeGeometry_AddVertices(Geometry* geometry, uint32_t count);
uint32_t* drapeGeometry_AddIndices(Geometry* geometry, uint32_t count);
void drapeGeometry_AddLine(Geometry* geometry, drapeVec3 a, drapeVec3 b, const uint8_t colour[4]);

// A cloth with a vertex for each material coordinate that a particle has. `colours` [particleCount][4] may be NULL.
void drapeGeometry_AddCloth(Geometry* geometry, const drapeClothView* mesh, const uint8_t (*colours)[4]);

// A cloth with three vertices for each triangle. Colours may be NULL; those of triangles win.
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

drapeResult drapeRender_Fail(drapeRenderError* error, drapeResult result, const char* format, ...)
	__attribute__((format(printf, 3, 4)));
