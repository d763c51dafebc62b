// SPDX-License-Identifier: MIT
#pragma once

/// @file motion.h
/// Motions, colliders and wind: their definitions. world.h has the functions that create them.

#include "drape/mesh.h"

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

/// The shape of a collider, with the measures of drapeColliderDef that it uses.
typedef enum drapeShape
{
	drape_shapeSphere = 0, ///< radius
	drape_shapeCapsule,    ///< radius and halfHeight; axis y, halfHeight without the caps
	drape_shapeCylinder,   ///< radius and halfHeight; axis y
	drape_shapeBox,        ///< halfExtents
	drape_shapePlane,      ///< the half-space below y = 0 is solid
	drape_shapeMesh,       ///< mesh
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
	float radius;          ///< m, > 0
	float halfHeight;      ///< m, > 0
	drapeVec3 halfExtents; ///< m, > 0
	/// Positions and triangles are copied. The mesh may be closed or open, may intersect itself, and may have tens of
	/// thousands of triangles. Triangles are counter-clockwise seen from outside.
	const drapeMesh* mesh;
	drapeColliderReport* report; ///< out, may be NULL: the properties of the mesh
	drapeTransform transform;
	drapeMotionId motion; ///< applied after the transform; null for none
	float friction;       ///< >= 0, multiplied with the cloth's
	uint32_t cookie;      ///< set by drapeDefaultColliderDef; catches a definition that was not initialised
} drapeColliderDef;

/// A unit sphere with friction 1. Any thread.
DRAPE_API drapeColliderDef drapeDefaultColliderDef(void);

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
	uint32_t seed;      ///< of the turbulence
} drapeWindDef;

/// No wind, air at 20 degrees centigrade. Any thread.
DRAPE_API drapeWindDef drapeDefaultWindDef(void);
