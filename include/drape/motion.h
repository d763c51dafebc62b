// SPDX-License-Identifier: MIT
#pragma once

/// @file motion.h
/// Motions, colliders and wind: their definitions. world.h has the functions that create them.

#include "drape/mesh.h"
#include "drape/parameter.h"

typedef struct drapeWorld drapeWorld;

/// A rotation as a unit quaternion. (0, 0, 0, 1) is the identity.
typedef struct drapeQuat
{
	float x, y, z, w;
} drapeQuat;

/// A transform: scale, then rotate, then translate.
typedef struct drapeTransform
{
	drapeVec3 position; ///< m
	drapeQuat rotation; ///< unit length
	float scale;        ///< > 0
} drapeTransform;

/// Returns the identity. Any thread.
DRAPE_API drapeTransform drapeIdentityTransform(void);

/// Returns a rotation by @p angle radians about @p axis, which need not have unit length. Any thread.
DRAPE_API drapeQuat drapeQuat_FromAxisAngle(drapeVec3 axis, float angle);

/// Transforms a point. Any thread.
DRAPE_API drapeVec3 drapeTransform_Point(drapeTransform transform, drapeVec3 point);

/// Transforms a point by the inverse of @p transform. Any thread.
DRAPE_API drapeVec3 drapeTransform_InversePoint(drapeTransform transform, drapeVec3 point);

/// A transform at a time. Between two keys, position and scale are linear, or eased in and out if `smooth` is set, and
/// the rotation follows the shorter arc. Before the first key and after the last, the motion stands still.
typedef struct drapeKey
{
	float time; ///< s
	drapeTransform transform;
} drapeKey;

/// Describes a motion.
typedef struct drapeMotionDef
{
	const drapeKey* keys; ///< [keyCount], times strictly increasing; copied
	uint32_t keyCount;    ///< >= 1
	bool smooth;          ///< ease in and out of every key, so that the velocity is continuous
	bool repeat;          ///< start again after the last key, which should equal the first
} drapeMotionDef;

/// A motion of a world. Zero is null: no motion. A motion lives until its world is destroyed.
typedef struct drapeMotionId
{
	drapeWorld* world;
	uint32_t index1;
} drapeMotionId;

/// The shape of a collider, with the measures of drapeColliderDef that it uses. drapeShape_Info describes each one.
typedef enum drapeShape
{
	drape_shapeSphere = 0,     ///< radius
	drape_shapeCapsule,        ///< radius and halfHeight; axis y, halfHeight without the caps
	drape_shapeCylinder,       ///< radius and halfHeight; axis y
	drape_shapeBox,            ///< halfExtents
	drape_shapePlane,          ///< the half-space below y = 0 is solid
	drape_shapeMesh,           ///< mesh
	drape_shapeTaperedCapsule, ///< radius, topRadius and halfHeight; convex hull of two spheres at -+halfHeight on y
} drapeShape;

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
	drapeShape shape;
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
	float end;            ///< s, > start: and from this time on; 0 for never
	uint32_t cookie;      ///< set by drapeDefaultColliderDef; catches a definition that was not initialised
} drapeColliderDef;

/// A unit sphere with friction 1. All measures of all shapes have their standard values. Any thread.
DRAPE_API drapeColliderDef drapeDefaultColliderDef(void);

/// --- descriptions of shapes, for programs that show, read and write colliders ---------------------------------------

#define DRAPE_MAX_MEASURES 4

/// A shape and its measures.
typedef struct drapeShapeInfo
{
	const char* key;       ///< name in scenes, such as "capsule"
	const char* label;     ///< name for people, such as "Capsule"
	bool isBounded;        ///< false for a half-space
	bool isMesh;           ///< made of triangles (drapeColliderDef::mesh), without measures
	uint32_t measureCount; ///< at most DRAPE_MAX_MEASURES
	const drapeParameter* measures[DRAPE_MAX_MEASURES]; ///< members of drapeColliderDef
	float typical[DRAPE_MAX_MEASURES]; ///< value of each measure in a new collider, about as large as a torso or a limb
} drapeShapeInfo;

/// The description of a shape; NULL when no shape has this number. Shapes are numbered from 0 without gaps. Static,
/// never freed. Any thread.
DRAPE_API const drapeShapeInfo* drapeShape_Info(drapeShape shape);

/// Measure @p index of all shapes together, each measure once; NULL past the last. A measure is a float or a vector of
/// ::drapeColliderDef, and scenes use its range. Static, never freed. Any thread.
DRAPE_API const drapeParameter* drapeShape_Measure(uint32_t index);

/// The floats of a measure in a definition, and their number: 1, or 3 for a vector. Any thread.
DRAPE_API float* drapeShape_MeasureValues(const drapeParameter* measure, drapeColliderDef* def, uint32_t* count);

/// Distance in metres from a point to the surface, in the shape's own space; negative inside. The closest surface point
/// is point - distance * normal; @p normal is outward, has unit length, and may be NULL. Reads the shape and its
/// measures, which must be valid. INFINITY for a mesh. Any thread.
DRAPE_API float drapeShape_Distance(const drapeColliderDef* def, drapeVec3 point, drapeVec3* normal);

/// Sets the measures of `def->shape` so that it has the size of a box. False, with no change, for planes and meshes.
/// Any thread.
DRAPE_API bool drapeShape_Fit(drapeColliderDef* def, drapeVec3 halfExtents);

/// Sizes of the arrays of drapeShape_Surface.
typedef struct drapeSurfaceSize
{
	uint32_t vertexCount, triangleCount;
} drapeSurfaceSize;

/// Zeros for a mesh: drapeCollider_View has its triangles. Any thread.
DRAPE_API drapeSurfaceSize drapeShape_SurfaceSize(const drapeColliderDef* def);

/// Writes triangles of a shape's surface for drawing, in the shape's own space, counter-clockwise seen from outside. A
/// slab of 4 m stands for a plane. Any thread.
/// @param inset     >= 0, m: moves the surface inward, by at most 3 percent of a measure
/// @param positions [vertexCount], m, every @p stride bytes
/// @param normals   [vertexCount], unit length, every @p stride bytes
/// @param triangles [3 * triangleCount]
DRAPE_API void drapeShape_Surface(const drapeColliderDef* def, float inset, drapeVec3* positions, drapeVec3* normals,
                                  size_t stride, uint32_t* triangles);

/// A collider of a world. Zero is null.
typedef struct drapeColliderId
{
	drapeWorld* world;
	uint32_t index1;
	uint32_t generation;
} drapeColliderId;

/// The kind of wind.
typedef enum drapeWind
{
	drape_windNone = 0, ///< still air; moving cloth still feels drag
	drape_windSteady,
	drape_windGusting,   ///< the speed swells and falls as a wave that travels with the wind (Simnett 2012, 6.3)
	drape_windTurbulent, ///< the mean wind carries smooth random swirls along
} drapeWind;

/// Describes the wind of a world.
typedef struct drapeWindDef
{
	drapeWind kind;
	drapeVec3 velocity; ///< m/s, mean
	float airDensity;   ///< kg/m^3, >= 0
	float gustPeriod;   ///< s, > 0
	float gustDepth;    ///< 0 to 1: the share of the mean speed that gusts add and take away
	float swirlSpeed;   ///< m/s, >= 0: root mean square of the turbulence
	float swirlSize;    ///< m, > 0: the length over which the turbulence changes
	uint32_t seed;      ///< selects the random numbers of the turbulence
} drapeWindDef;

/// No wind, air at 20 degrees centigrade. Any thread.
DRAPE_API drapeWindDef drapeDefaultWindDef(void);
