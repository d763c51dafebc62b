// SPDX-License-Identifier: MIT
#pragma once

/// @file motion.h
/// What moves by itself: motions, colliders that follow them, and wind.

#include "drape/mesh.h"

typedef struct drapeWorld drapeWorld;

/// A rotation. (0, 0, 0, 1) is none.
typedef struct drapeQuat
{
	float x, y, z, w;
} drapeQuat;

/// Scale, then rotate, then translate.
typedef struct drapeTransform
{
	drapeVec3 position; ///< m
	drapeQuat rotation; ///< unit length
	float scale;        ///< > 0
} drapeTransform;

DRAPE_API drapeTransform drapeIdentityTransform(void);

/// A rotation by @p angle radians about @p axis, which need not have unit length.
DRAPE_API drapeQuat drapeQuat_FromAxisAngle(drapeVec3 axis, float angle);
DRAPE_API drapeVec3 drapeTransform_Point(drapeTransform transform, drapeVec3 point);
DRAPE_API drapeVec3 drapeTransform_InversePoint(drapeTransform transform, drapeVec3 point);

/// Where something is at a time. Between keys, position and scale are linear, or eased in and out when `smooth`, and
/// rotation follows the shorter arc; before the first key and after the last it stands still.
typedef struct drapeKey
{
	float time; ///< s
	drapeTransform transform;
} drapeKey;

typedef struct drapeMotionDef
{
	const drapeKey* keys; ///< [keyCount], times strictly increasing; copied
	uint32_t keyCount;    ///< >= 1
	bool smooth;          ///< ease in and out of every key, so that velocity is continuous
	bool repeat;          ///< begin again after the last key, which should equal the first
} drapeMotionDef;

/// A motion of a world. Zero is null: no motion. Lives until the world is destroyed.
typedef struct drapeMotionId
{
	drapeWorld* world;
	uint32_t index1;
} drapeMotionId;

typedef enum drapeShape
{
	drape_shapeSphere = 0, ///< radius
	drape_shapeCapsule,    ///< radius and halfHeight; axis y, halfHeight without the caps
	drape_shapeCylinder,   ///< radius and halfHeight; axis y
	drape_shapeBox,        ///< halfExtents
	drape_shapePlane,      ///< the half-space below y = 0 is solid
	drape_shapeMesh,       ///< mesh
} drapeShape;

/// What was found in the triangles of a mesh collider.
typedef struct drapeColliderReport
{
	uint32_t triangles;        ///< given
	uint32_t dropped;          ///< without area, or with a repeated corner; they are left out
	uint32_t firstDropped;     ///< DRAPE_NONE for none
	uint32_t boundaryEdges;    ///< with one triangle
	uint32_t nonManifoldEdges; ///< with more than two
	uint32_t flippedEdges;     ///< whose two triangles wind against each other
	bool isClosed;             ///< it has an inside; else it is a sheet with two sides
	bool isTurned;             ///< it was inside out, and has been turned over
	const char* problem;       ///< a static sentence when the mesh was refused, else NULL
} drapeColliderReport;

typedef struct drapeColliderDef
{
	drapeShape shape;
	float radius;          ///< m
	float halfHeight;      ///< m
	drapeVec3 halfExtents; ///< m
	/// Positions and triangles are copied. Any triangles will do: closed or open, in contact with themselves, tens of
	/// thousands of them. Counter-clockwise is outside.
	const drapeMesh* mesh;
	drapeColliderReport* report; ///< out, may be NULL: what was found in the mesh
	drapeTransform transform;
	drapeMotionId motion; ///< applied after the transform; null for none
	float friction;       ///< multiplied with the cloth's, >= 0
	uint32_t cookie;      ///< set by drapeDefaultColliderDef
} drapeColliderDef;

/// A unit sphere with friction 1.
DRAPE_API drapeColliderDef drapeDefaultColliderDef(void);

/// A collider of a world. Zero is null.
typedef struct drapeColliderId
{
	drapeWorld* world;
	uint32_t index1;
	uint32_t generation;
} drapeColliderId;

typedef enum drapeWind
{
	drape_windNone = 0, ///< still air: moving cloth still feels drag
	drape_windSteady,
	drape_windGusting,   ///< the speed swells and falls as a wave that travels with the wind (Simnett 2012, 6.3)
	drape_windTurbulent, ///< smooth random swirls on top of the mean, carried along by it
} drapeWind;

typedef struct drapeWindDef
{
	drapeWind kind;
	drapeVec3 velocity; ///< m/s, mean
	float airDensity;   ///< kg/m^3, >= 0
	float gustPeriod;   ///< s, > 0: of a gust
	float gustDepth;    ///< 0 to 1: how much of the mean the gusts take away and add
	float swirlSpeed;   ///< m/s, >= 0: root mean square of the turbulence
	float swirlSize;    ///< m, > 0: length over which it changes
	uint32_t seed;
} drapeWindDef;

/// No wind, air at 20 degrees centigrade.
DRAPE_API drapeWindDef drapeDefaultWindDef(void);
