// SPDX-License-Identifier: MIT
#pragma once

/// @file collider.h
/// Colliders: obstacles of a world. Shapes, half-spaces, and meshes that may deform.
///
/// Thread rule: as world.h.

#include "drape/filter.h"
#include "drape/id.h"
#include "drape/mesh.h"
#include "drape/parameter.h"
#include "drape/transform.h"

/// The shape of a collider, with the measures of drapeColliderDef that it uses. drapeColliderShape_GetInfo describes each one.
typedef enum drapeColliderShape
{
	drape_shapeSphere = 0,     ///< radius
	drape_shapeCapsule,        ///< radius and halfHeight; axis y, halfHeight without the caps
	drape_shapeCylinder,       ///< radius and halfHeight; axis y
	drape_shapeBox,            ///< halfExtents
	drape_shapePlane,          ///< the half-space below y = 0 is solid
	drape_shapeMesh,           ///< mesh
	drape_shapeTaperedCapsule, ///< radius, topRadius and halfHeight; convex hull of two spheres at -+halfHeight on y
} drapeColliderShape;

/// The properties of a mesh collider's triangles.
typedef struct drapeColliderReport
{
	uint32_t triangles;        ///< in the mesh given
	uint32_t dropped;          ///< triangles left out because they have no area or a repeated corner
	uint32_t firstDropped;     ///< index of the first of these; DRAPE_NONE for none
	uint32_t boundaryEdges;    ///< edges with one triangle
	uint32_t nonManifoldEdges; ///< edges with more than two triangles
	uint32_t flippedEdges;     ///< edges whose two triangles have opposite windings
	bool isClosed;             ///< the mesh has an inside; false for a sheet with two sides
	bool isTurned;             ///< the mesh was inside out, and all its triangles were flipped
	const char* problem;       ///< a static sentence if the mesh was refused, else NULL
} drapeColliderReport;

/// Describes a collider. Get one from drapeDefaultColliderDef, then change it.
typedef struct drapeColliderDef
{
	drapeColliderShape shape;
	float radius;          ///< m, > 0; of a tapered capsule, at its lower end
	float topRadius;       ///< m, > 0; of a tapered capsule, at its upper end
	float halfHeight;      ///< m, >= 0
	drapeVec3 halfExtents; ///< m, >= 0
	/// Positions and triangles are copied. The mesh may be closed or open, may intersect itself, and may have tens of
	/// thousands of triangles. Triangles are counter-clockwise seen from outside.
	const drapeMesh* mesh;
	drapeColliderReport* report; ///< out, may be NULL: the properties of the mesh
	drapeTransform transform;
	drapeMotionId motion; ///< applied after the transform; null for none
	float friction;       ///< >= 0, multiplied with the cloth's
	float start;          ///< s: cloth passes through it before this time of the world
	float end;            ///< s, > start and > 0: and from this time on; 0 for never
	drapeFilter filter;   ///< the cloths that it touches
	void* userData;
	uint32_t cookie; ///< set by drapeDefaultColliderDef; catches a definition that was not initialised
} drapeColliderDef;

/// A unit sphere with friction 1 and the default filter. All measures of all shapes have their standard values. Any thread.
DRAPE_API drapeColliderDef drapeDefaultColliderDef(void);

/// Creates a collider and writes its handle to @p collider. It lives until drapeDestroyCollider or drapeDestroyWorld.
/// Returns ::drape_errorArgument for a value out of range, ::drape_errorData for a mesh that cannot be used,
/// ::drape_errorLimit or ::drape_errorMemory; @p collider is then null and the world unchanged.
DRAPE_API drapeResult drapeCreateCollider(drapeWorldId world, const drapeColliderDef* def, drapeColliderId* collider);

/// Destroys a collider. Pins that follow it stay where they are; constraints that name it are destroyed. The handle may
/// be null.
DRAPE_API drapeResult drapeDestroyCollider(drapeColliderId collider);

/// Tells whether the handle names a collider that exists. Never asserts (id.h).
DRAPE_API bool drapeCollider_IsValid(drapeColliderId collider);

/// Returns the world of a collider; null for a handle that is not valid.
DRAPE_API drapeWorldId drapeCollider_GetWorld(drapeColliderId collider);

/// Sets the transform before the motion, if the collider follows one. The next step moves the collider there from its
/// present transform. Returns ::drape_errorArgument for a scale that is not above 0 and at most 10^9, a rotation whose
/// length is not 1 with a tolerance of 0.001, or numbers that are not finite.
DRAPE_API drapeResult drapeCollider_SetTransform(drapeColliderId collider, drapeTransform transform);

/// Returns the present transform, its motion included. The identity for a handle that is not valid.
DRAPE_API drapeTransform drapeCollider_GetTransform(drapeColliderId collider);

/// Lets the collider follow a motion of the same world from the next step on; a null motion lets it stay where its own
/// transform puts it.
DRAPE_API drapeResult drapeCollider_SetMotion(drapeColliderId collider, drapeMotionId motion);
DRAPE_API drapeMotionId drapeCollider_GetMotion(drapeColliderId collider);

/// Sets the friction, 0 to 10^9, a factor of the cloth's.
DRAPE_API drapeResult drapeCollider_SetFriction(drapeColliderId collider, float friction);
DRAPE_API float drapeCollider_GetFriction(drapeColliderId collider);

/// Sets the times in seconds of the world from which and until which cloth touches the collider; an @p end of 0 is
/// never.
DRAPE_API drapeResult drapeCollider_SetTimes(drapeColliderId collider, float start, float end);

/// Sets the filter, from the next step on. ::drape_errorMemory changes nothing.
DRAPE_API drapeResult drapeCollider_SetFilter(drapeColliderId collider, drapeFilter filter);
DRAPE_API drapeFilter drapeCollider_GetFilter(drapeColliderId collider);

/// Writes these times; both pointers may be NULL. Zeros for a handle that is not valid, with ::drape_errorArgument.
DRAPE_API drapeResult drapeCollider_GetTimes(drapeColliderId collider, float* start, float* end);

/// Sets the vertices (m) that a mesh collider has at the end of the next step, in its own space. @p count is that of
/// its mesh. The vertices move there at constant velocity and carry touching cloth along by friction. Returns
/// ::drape_errorArgument if the collider is no mesh or the count differs, and ::drape_errorData, without a change, if a
/// position is not finite or beyond 10^9 m. Where parts of a closed mesh overlap that were apart in the mesh that the
/// collider was created with, contact sees them moved apart (docs/contact.md).
DRAPE_API drapeResult drapeCollider_SetPositions(drapeColliderId collider, const drapeVec3* positions, uint32_t count);

/// Returns the definition with the present values. Pointers to meshes and reports are NULL. The defaults for a handle
/// that is not valid.
DRAPE_API drapeColliderDef drapeCollider_GetDef(drapeColliderId collider);

/// Returns the distance in metres of a point from the collider's surface, as it was after the last step. It is negative
/// inside, except for a mesh that is not closed. 0 for a handle that is not valid, or a point that is not finite.
DRAPE_API float drapeCollider_GetDistance(drapeColliderId collider, drapeVec3 point);

/// Sets and returns the pointer of the application, which the library does not read. NULL for a handle that is not valid.
DRAPE_API drapeResult drapeCollider_SetUserData(drapeColliderId collider, void* userData);
DRAPE_API void* drapeCollider_GetUserData(drapeColliderId collider);

/// The present triangles of a mesh collider in world space, as the application gave them, without those that have no
/// area, in the library's own arrays. A view is valid until the next call that steps the world or destroys the collider.
/// Zeros for other shapes.
typedef struct drapeColliderView
{
	uint32_t vertexCount;
	const drapeVec4* positions; ///< m; w is 0
	uint32_t triangleCount;
	const uint32_t* triangles; ///< [3 * triangleCount] counter-clockwise seen from outside
} drapeColliderView;

/// Returns a view of a mesh collider. Copies nothing.
DRAPE_API drapeColliderView drapeCollider_GetView(drapeColliderId collider);

/// --- descriptions of shapes, for programs that show, read and write colliders ---------------------------------------
///
/// These functions have no world. A pointer that is NULL although it is needed makes debug builds assert; other builds
/// return NULL, INFINITY, false or zeros, and write nothing.

#define DRAPE_MAX_MEASURES 4

/// A shape and its measures.
typedef struct drapeColliderShapeInfo
{
	const char* key;       ///< name in scenes, such as "capsule"
	const char* label;     ///< name for people, such as "Capsule"
	bool isBounded;        ///< false for a half-space
	bool isMesh;           ///< made of triangles (drapeColliderDef::mesh), without measures
	uint32_t measureCount; ///< at most DRAPE_MAX_MEASURES
	const drapeParameter* measures[DRAPE_MAX_MEASURES]; ///< members of drapeColliderDef
	float typical[DRAPE_MAX_MEASURES]; ///< value of each measure in a new collider, about as large as a torso or a limb
} drapeColliderShapeInfo;

/// Returns the description of a shape; NULL when no shape has this number. Shapes are numbered from 0 without gaps. Static,
/// never freed. Any thread.
DRAPE_API const drapeColliderShapeInfo* drapeColliderShape_GetInfo(drapeColliderShape shape);

/// Returns measure @p index of all shapes together, each measure once; NULL past the last. A measure is a float or a vector of
/// ::drapeColliderDef, and scenes use its range. Static, never freed. Any thread.
DRAPE_API const drapeParameter* drapeColliderShape_GetMeasure(uint32_t index);

/// Returns the floats of a measure in a definition, and their number: 1, or 3 for a vector. Any thread.
DRAPE_API float* drapeColliderShape_GetMeasureValues(const drapeParameter* measure, drapeColliderDef* def,
                                                     uint32_t* count);

/// Returns the distance in metres from a point to the surface, in the shape's own space; negative inside. The closest surface point
/// is point - distance * normal; @p normal is outward, has unit length, and may be NULL. Reads the shape and its
/// measures, which must be valid. INFINITY for a mesh. Any thread.
DRAPE_API float drapeColliderShape_GetDistance(const drapeColliderDef* def, drapeVec3 point, drapeVec3* normal);

/// Sets the measures of `def->shape` so that it has the size of a box, m, 0 to 10^9 each. False, with no change, for
/// planes and meshes. Any thread.
DRAPE_API bool drapeColliderShape_FitBox(drapeColliderDef* def, drapeVec3 halfExtents);

/// Sizes of the arrays of drapeColliderShape_WriteSurface.
typedef struct drapeColliderSurfaceSize
{
	uint32_t vertexCount, triangleCount;
} drapeColliderSurfaceSize;

/// Returns the sizes of a shape's surface; zeros for a mesh: drapeCollider_GetView has its triangles. Any thread.
DRAPE_API drapeColliderSurfaceSize drapeColliderShape_GetSurfaceSize(const drapeColliderDef* def);

/// Writes triangles of a shape's surface for drawing, in the shape's own space, counter-clockwise seen from outside. A
/// slab of 4 m stands for a plane. Any thread.
/// @param def       the shape and its measures
/// @param inset     >= 0, m: moves the surface inward, by at most 3 percent of a measure
/// @param positions [vertexCount], m, every @p stride bytes
/// @param normals   [vertexCount], unit length, every @p stride bytes
/// @param stride    bytes from one vertex to the next in both arrays
/// @param triangles [3 * triangleCount]
DRAPE_API void drapeColliderShape_WriteSurface(const drapeColliderDef* def, float inset, drapeVec3* positions,
                                               drapeVec3* normals, size_t stride, uint32_t* triangles);
