// SPDX-License-Identifier: MIT
#pragma once

/// @file scene.h
/// Scenes: JSON files that describe a whole world and what to make of it. Part of library `drape_io`.
///
/// A drapeScene is plain values: a program may fill or change one and create worlds from it. Reading checks each value
/// by itself and against the others in the file; creating opens meshes and finds what only they can show, such as a pin
/// beyond the last vertex. docs/scenes.md lists every key.

#include "drape/io.h"
#include "drape/world.h"

/// Where in the file something is described, from 1; zeros for what did not come from a file.
typedef struct drapeScenePlace
{
	uint32_t line, column;
} drapeScenePlace;

/// Scale, then rotate about an axis through the origin, then move.
typedef struct drapeScenePose
{
	drapeVec3 position; ///< m
	drapeVec3 axis;     ///< any length but 0
	float angle;        ///< radians
	float scale;        ///< > 0
} drapeScenePose;

DRAPE_API drapeTransform drapeScenePose_Transform(drapeScenePose pose);

typedef struct drapeSceneKey
{
	float time; ///< s, later than the key before
	drapeScenePose pose;
	drapeScenePlace place;
} drapeSceneKey;

typedef struct drapeSceneMotion
{
	char* name;
	drapeSceneKey* keys;
	uint32_t keyCount; ///< >= 1
	bool smooth, repeat;
	drapeScenePlace place;
} drapeSceneMotion;

/// sRGB, 0 to 1.
typedef struct drapeSceneColour
{
	drapeVec3 rgb;
	bool given;
} drapeSceneColour;

typedef struct drapeSceneCollider
{
	char* name;
	drapeShape shape;
	float radius, halfHeight; ///< m
	drapeVec3 halfExtents;    ///< m
	char* obj; ///< of a mesh: path, relative to the scene's folder; with $F or $F4 in it, a file for each frame
	uint32_t firstFrame; ///< of such files: number of the one at the start
	uint32_t frames;     ///< of such files: how many; 0 for as many as there are without a gap
	float frameRate;     ///< Hz, of such files
	bool repeat;         ///< of such files: after the last comes the first again; else the last one stays
	drapeScenePose pose;
	float friction;
	char* motion; ///< name of a motion, "" for none
	drapeSceneColour colour;
	float drawnScale; ///< > 0: size of its picture
	drapeScenePlace place;
} drapeSceneCollider;

/// A mesh that is shown and that cloth passes through.
typedef struct drapeSceneObject
{
	char* name;
	char* obj;           ///< path, relative to the scene's folder; with $F or $F4 in it, a file for each frame
	uint32_t firstFrame; ///< of such files: number of the one that is shown at the start
	float frameRate;     ///< Hz, of such files
	drapeScenePose pose;
	drapeSceneColour colour;
	drapeScenePlace place;
} drapeSceneObject;

/// Vertices in a box of space, where they are at the start.
typedef struct drapeSceneBox
{
	drapeVec3 min, max; ///< m
} drapeSceneBox;

typedef enum drapeScenePinKind
{
	drape_scenePinVertices = 0,
	drape_scenePinBox,
	drape_scenePinCorners,
} drapeScenePinKind;

/// Corners of a grid as its texture shows them: left is u = 0, bottom is v = 0. Sums of them name several.
typedef enum drapeSceneCorner
{
	drape_sceneBottomLeft = 1 << 0,
	drape_sceneBottomRight = 1 << 1,
	drape_sceneTopLeft = 1 << 2,
	drape_sceneTopRight = 1 << 3,
} drapeSceneCorner;

/// Vertices that are held, or led by a motion.
typedef struct drapeScenePin
{
	drapeScenePinKind kind;
	uint32_t* vertices; ///< for drape_scenePinVertices: vertices of the pattern, from 0
	uint32_t vertexCount;
	drapeSceneBox box;
	uint32_t corners; ///< sum of drapeSceneCorner
	char* motion;     ///< name of a motion, "" for none: held in place
	drapeScenePlace place;
} drapeScenePin;

typedef enum drapeSceneSource
{
	drape_sceneGrid = 0,
	drape_sceneDisc,
	drape_sceneObj,
} drapeSceneSource;

/// A flat sheet, as drapeMesh_CreateGrid makes it.
typedef struct drapeSceneGridDef
{
	uint32_t columns, rows; ///< quads
	float width, depth;     ///< m, along x and z
} drapeSceneGridDef;

/// A flat disc in the plane y = 0, centred on the origin, normals up: vertex 0 in the middle, then ring by ring, each
/// ring counter-clockwise seen from above, beginning on the x axis.
typedef struct drapeSceneDiscDef
{
	float radius; ///< m
	uint32_t rings, segments;
} drapeSceneDiscDef;

typedef enum drapeSceneFabric
{
	drape_sceneFabricOfMaterial = 0, ///< as the material's preset looks
	drape_sceneFabricCotton,
	drape_sceneFabricSilk,
	drape_sceneFabricDenim,
	drape_sceneFabricWool,
} drapeSceneFabric;

typedef enum drapeSceneTexture
{
	drape_scenePlain = 0,
	drape_sceneChecker,
	drape_sceneStripes,
	drape_sceneTartan,
} drapeSceneTexture;

/// How a cloth is drawn. It changes nothing about how it moves.
typedef struct drapeSceneLook
{
	drapeSceneFabric fabric;
	drapeSceneColour front, back, second; ///< `second` is the other colour of a texture
	drapeSceneTexture texture;
	char* image;               ///< path of a PNG file, relative to the scene's folder; "" for none
	float textureSize;         ///< m, > 0: width of one repeat
	drapeVec2 texturePosition; ///< m: where in the material a repeat begins
	drapeScenePlace place;
} drapeSceneLook;

typedef struct drapeSceneCloth
{
	char* name;
	drapeSceneSource source;
	drapeSceneGridDef grid;
	drapeSceneDiscDef disc;
	char* obj;           ///< path, relative to the scene's folder
	drapeScenePose pose; ///< of the mesh at the start; its scale changes the rest shape too
	drapeRestDef rest;   ///< drape_restShape or drape_restTexcoord
	drapeMaterial material;
	drapeModel model;
	drapeSpringDef springs;
	drapeSolverDef solver;
	drapeAdaptDef adapt;
	drapeBudgetDef budget;
	drapeContact contact;
	bool pinMiddles;
	drapeScenePin* pins;
	uint32_t pinCount;
	drapeSceneLook look;
	drapeScenePlace place;
} drapeSceneCloth;

typedef struct drapeSceneTime
{
	uint32_t frames; ///< the first one is the start
	float frameRate; ///< Hz
	float stepRate;  ///< Hz, a whole number of times the frame rate
} drapeSceneTime;

typedef struct drapeSceneWorldDef
{
	drapeVec3 gravity; ///< m/s^2
	float adaptRate;   ///< Hz
	uint32_t threads;
	drapeVec3 camera; ///< m
	bool untangle;    ///< what crosses at the start is taken apart before the first step
} drapeSceneWorldDef;

/// From where a scene is drawn.
typedef struct drapeSceneCamera
{
	drapeVec3 position, target; ///< m; up is +y
	float fieldOfView;          ///< radians, vertical
	bool given;                 ///< false: it is placed so that all is in the picture
} drapeSceneCamera;

typedef enum drapeSceneFormat
{
	drape_sceneFormatObj = 1 << 0,
	drape_sceneFormatPly = 1 << 1,
	drape_sceneFormatPc2 = 1 << 2,
} drapeSceneFormat;

typedef enum drapeSceneTopology
{
	drape_sceneAdaptive = 0, ///< the mesh in use, which changes
	drape_sceneFixed,        ///< the pattern, refined `level` times, carried along
} drapeSceneTopology;

typedef struct drapeSceneOutput
{
	char* name;       ///< $CLOTH stands for the cloth's name, $F4 for the frame's number with four digits
	uint32_t formats; ///< sum of drapeSceneFormat
	drapeSceneTopology topology;
	uint32_t level;
	uint32_t firstFrame;    ///< number of the first frame
	uint32_t snapshotEvery; ///< frames
} drapeSceneOutput;

/// Strings and arrays belong to the scene and come from drapeAlloc.
typedef struct drapeScene
{
	char* path;    ///< for messages
	char* folder;  ///< relative paths begin here; "" for the working directory
	uint64_t hash; ///< of the file's bytes
	uint32_t version;
	char* name;
	char* about;
	drapeSceneTime time;
	drapeSceneWorldDef world;
	drapeWindDef wind;
	drapeSceneMotion* motions;
	uint32_t motionCount;
	drapeSceneCollider* colliders;
	uint32_t colliderCount;
	drapeSceneObject* objects;
	uint32_t objectCount;
	drapeSceneCloth* cloths;
	uint32_t clothCount; ///< may be 0: a scene that somebody works on
	drapeSceneCamera camera;
	drapeSceneOutput output;
} drapeScene;

/// Reads a scene. On failure returns a result other than ::drape_ok, fills @p error (may be NULL) with
/// "file:line:column: what is wrong, and what was expected", and sets @p scene to NULL: ::drape_errorFile when the file
/// cannot be read, ::drape_errorData when it is not a usable scene, ::drape_errorLimit beyond 64 MB,
/// ::drape_errorMemory. Any thread.
DRAPE_API drapeResult drapeScene_Read(const char* path, drapeScene** scene, drapeFileError* error);

/// The same from memory. @p name stands for the file in messages; relative paths begin at its folder.
DRAPE_API drapeResult drapeScene_Parse(const char* text, size_t size, const char* name, drapeScene** scene,
                                       drapeFileError* error);

/// NULL is allowed.
DRAPE_API void drapeScene_Free(drapeScene* scene);

/// The scene as JSON. Reading it gives the same values, bit for bit, and so the same run; what a reader would choose by
/// itself is left out. Returns the size with the final zero byte, 0 when memory is short; writes only when @p capacity
/// is large enough. Any thread.
DRAPE_API size_t drapeScene_Format(const drapeScene* scene, char* text, size_t capacity);

/// Writes drapeScene_Format to @p path, as drapeFile_Write does. When that lies in another folder than the scene did,
/// the paths in it are changed, so that they name the same files: relative to the new folder for what lies in it,
/// absolute for the rest. Any thread.
DRAPE_API drapeResult drapeScene_Write(const drapeScene* scene, const char* path, drapeFileError* error);

/// The vertices of a mesh collider over time, in its own space: between two frames they go straight and evenly.
typedef struct drapeSceneSequence
{
	drapeColliderId collider;
	uint32_t frameCount, vertexCount;
	drapeVec3* frames;  ///< [frameCount][vertexCount] m
	drapeVec3* between; ///< [vertexCount] scratch
	float frameRate;    ///< Hz
	bool repeat;        ///< after the last frame comes the first again
} drapeSceneSequence;

/// A world made from a scene, with everything in the order of the file. Free it with drapeSceneWorld_Destroy.
typedef struct drapeSceneWorld
{
	drapeWorldId world;
	drapeMotionId* motions;
	uint32_t motionCount;
	drapeColliderId* colliders;
	uint32_t colliderCount;
	drapeClothId* cloths;
	drapeObj* patterns; ///< [clothCount] the meshes the cloths were made from, placed, with the names of their parts
	uint32_t clothCount;
	drapeSceneSequence* sequences; ///< of mesh colliders that deform
	uint32_t sequenceCount;
	uint32_t meshCapacity;    ///< of `sequences` and `warnings`
	drapeFileError* warnings; ///< what is doubtful about meshes of colliders, one each, with its place in the scene
	uint32_t warningCount;
	uint64_t meshHash;             ///< over everything that was read for colliders
	drapeUntangleReport untangled; ///< what became of crossings at the start; zeros when the scene does not ask
} drapeSceneWorld;

/// What a cloth or a collider of a scene is made of: for programs that make them one by one. The mesh is the caller's,
/// as is the motion, and the mesh of a collider that is one.
DRAPE_API drapeClothDef drapeSceneCloth_Def(const drapeSceneCloth* cloth, const drapeMesh* mesh);
DRAPE_API drapeColliderDef drapeSceneCollider_Def(const drapeSceneCollider* collider, drapeMotionId motion);

/// Creates everything. @p threads replaces the scene's number when it is not 0. On failure @p world is cleared and @p
/// error (may be NULL) says where in the scene the trouble is.
DRAPE_API drapeResult drapeScene_CreateWorld(const drapeScene* scene, uint32_t threads, drapeSceneWorld* world,
                                             drapeFileError* error);

/// Meshes of colliders that deform go to where they are @p dt seconds later, then the world is stepped: what
/// drapeWorld_Step is to a world made by hand. It depends on nothing but the world's time, so that a world that was
/// loaded from a snapshot goes on as it would have.
DRAPE_API drapeResult drapeSceneWorld_Step(drapeSceneWorld* world, float dt);

/// Destroys the world and frees the arrays. A cleared one is allowed.
DRAPE_API void drapeSceneWorld_Destroy(drapeSceneWorld* world);

/// The file that an object is at @p time, s: of a file for each frame the last one there is, when there are no more.
/// Relative paths begin at @p folder. Returns the length snprintf would. Any thread.
DRAPE_API int drapeSceneObject_Path(const drapeSceneObject* object, const char* folder, double time, char* path,
                                    size_t capacity);

/// The JSON Schema of scenes, and the tables of docs/scenes.md: both come from the tables that the reader reads by.
/// Return the size with the final zero byte, 0 when memory is short; write only when @p capacity is large enough.
DRAPE_API size_t drapeScene_Schema(char* text, size_t capacity);
DRAPE_API size_t drapeScene_Reference(char* text, size_t capacity);
