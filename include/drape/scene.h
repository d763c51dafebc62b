// SPDX-License-Identifier: MIT
#pragma once

/// @file scene.h
/// Scenes: JSON files that describe a world and the output of a run. This header belongs to the library `drape_io`.
///
/// A drapeScene is plain values: an application may fill or change one and create worlds from it. Reading checks each
/// value and compares it with other values of the file. Creating a world opens meshes and reports errors that depend on
/// them, such as a pin beyond the last vertex. docs/scenes.md lists every key.
///
/// Functions that can fail fill a drapeMessage (may be NULL) with a sentence. They return ::drape_errorArgument for a
/// pointer that is NULL although the function needs it, and for an index beyond the scene's cloths.

#include "drape/io.h"
#include "drape/world.h"

/// The position of a value in the file, counted from 1; zeros for a value that did not come from a file.
typedef struct drapeScenePlace
{
	uint32_t line, column;
} drapeScenePlace;

/// The axis of a file that points up. Meshes with z up are turned by 90 degrees about x, so that y is up.
typedef enum drapeSceneUp
{
	drape_sceneUpY = 0,
	drape_sceneUpZ,
} drapeSceneUp;

/// A transform: scale, then rotate about an axis through the origin, then translate.
typedef struct drapeScenePose
{
	drapeVec3 position; ///< m
	drapeVec3 axis;     ///< any length except 0
	float angle;        ///< radians
	float scale;        ///< > 0
} drapeScenePose;

/// Converts a pose. Any thread.
DRAPE_API drapeTransform drapeScenePose_GetTransform(drapeScenePose pose);

/// A key of a motion.
typedef struct drapeSceneKey
{
	float time; ///< s, later than the previous key
	drapeScenePose pose;
	drapeScenePlace place;
} drapeSceneKey;

/// A motion.
typedef struct drapeSceneMotion
{
	char* name;
	drapeSceneKey* keys;
	uint32_t keyCount; ///< >= 1
	bool smooth, repeat;
	drapeSceneUp up; ///< upward axis of the positions and axes of the keys
	drapeScenePlace place;
} drapeSceneMotion;

/// A colour: sRGB, 0 to 1.
typedef struct drapeSceneColour
{
	drapeVec3 rgb;
	bool given;
} drapeSceneColour;

/// A collider.
typedef struct drapeSceneCollider
{
	char* name;
	/// The shape, its measures, friction and filter; measures of other shapes are 0. The other members are not used: see
	/// drapeSceneCollider_GetDef.
	drapeColliderDef def;
	/// Mesh colliders: path, relative to the scene's folder. A variable in it (drapeFrameName_IsSequence) names one file
	/// per frame.
	char* obj;
	uint32_t firstFrame; ///< with $F: number of the first file
	uint32_t frames;     ///< with $F: their number; 0 for all there are, which must have no gap
	float frameRate;     ///< Hz, with $F
	bool repeat;         ///< with $F: the first follows the last; otherwise the last one stays
	drapeSceneUp up;     ///< upward axis of the OBJ files
	drapeScenePose pose;
	char* motion; ///< name of a motion, "" for none
	drapeSceneColour colour;
	float drawnScale; ///< > 0: scale of its drawing
	drapeScenePlace place;
} drapeSceneCollider;

/// A mesh that is drawn and does not collide.
typedef struct drapeSceneObject
{
	char* name;
	/// Path, relative to the scene's folder. A variable in it (drapeFrameName_IsSequence) names one file per frame.
	char* obj;
	uint32_t firstFrame; ///< with $F: number of the first file
	float frameRate;     ///< Hz, with $F
	drapeSceneUp up;     ///< upward axis of the OBJ files
	drapeScenePose pose;
	drapeSceneColour colour;
	drapeScenePlace place;
} drapeSceneObject;

/// Turns a mesh of a file so that y is up. The arrays of @p obj, which may be NULL, change in place. Any thread.
DRAPE_API void drapeSceneUp_Apply(drapeSceneUp up, drapeObj* obj);

/// A box that selects the vertices inside it at the start.
typedef struct drapeSceneBox
{
	drapeVec3 min, max; ///< m
} drapeSceneBox;

/// The way in which a pin selects vertices.
typedef enum drapeScenePinKind
{
	drape_scenePinVertices = 0,
	drape_scenePinBox,
	drape_scenePinCorners,
} drapeScenePinKind;

/// Corners of a grid in texture coordinates: left is u = 0, bottom is v = 0. A sum names several corners.
typedef enum drapeSceneCorner
{
	drape_sceneBottomLeft = 1 << 0,
	drape_sceneBottomRight = 1 << 1,
	drape_sceneTopLeft = 1 << 2,
	drape_sceneTopRight = 1 << 3,
} drapeSceneCorner;

/// Pinned vertices: fixed, or moved by a motion.
typedef struct drapeScenePin
{
	drapeScenePinKind kind;
	uint32_t* vertices; ///< for drape_scenePinVertices: vertices of the pattern, counted from 0
	uint32_t vertexCount;
	drapeSceneBox box;
	uint32_t corners; ///< sum of drapeSceneCorner
	char* motion;     ///< name of a motion; "" for fixed pins
	char* collider;   ///< name of a collider that the pins follow; "" for none
	float maxForce;   ///< N, of each pin (drapePin_SetMaxForce); 0 for no limit
	float start, end; ///< s, of the world's time; an end of 0 is never
	drapeScenePlace place;
} drapeScenePin;

/// How a scene selects vertices of a cloth.
typedef enum drapeSceneSelectionKind
{
	drape_sceneSelectVertices = 0,
	drape_sceneSelectBox,
	drape_sceneSelectGroup,
	drape_sceneSelectWithin,
} drapeSceneSelectionKind;

/// Selected vertices of a cloth's pattern.
typedef struct drapeSceneSelection
{
	drapeSceneSelectionKind kind;
	uint32_t* vertices; ///< for drape_sceneSelectVertices: counted from 0
	uint32_t vertexCount;
	drapeSceneBox box;
	char* group;  ///< for drape_sceneSelectGroup: name of a group or object of the OBJ file
	float within; ///< m, for drape_sceneSelectWithin: greatest distance from the collider's surface
} drapeSceneSelection;

/// Attachments of vertices to a collider, see drapeAttachDef.
typedef struct drapeSceneAttach
{
	drapeSceneSelection select;
	char* collider; ///< its name
	bool keepsOffset;
	float offset;             ///< m
	float stiffness, damping; ///< N/m, N s/m
	float breakDistance;      ///< m
	float start, end;         ///< s
	drapeScenePlace place;
} drapeSceneAttach;

/// Tethers of vertices to an anchor, see drapeTetherDef.
typedef struct drapeSceneTether
{
	drapeSceneSelection select;
	drapeVec3 anchor;         ///< m
	char* collider;           ///< name of the collider that carries the anchor; "" for none
	float length;             ///< m; 0 for the distance at the start
	float stiffness, damping; ///< N/m, N s/m
	float breakDistance;      ///< m
	float start, end;         ///< s
	drapeScenePlace place;
} drapeSceneTether;

/// Stitches between vertices of two cloths, see drapeStitchDef.
typedef struct drapeSceneStitch
{
	uint32_t* vertices; ///< of this cloth
	uint32_t vertexCount;
	char* cloth;          ///< name of the other cloth; "" for the same one
	uint32_t* toVertices; ///< of the other cloth, in the order of `vertices`
	uint32_t toVertexCount;
	float speed;              ///< m/s
	float maxForce;           ///< N
	float stiffness, damping; ///< N/m, N s/m
	float start, end;         ///< s
	drapeScenePlace place;
} drapeSceneStitch;

/// The source of a cloth's pattern.
typedef enum drapeSceneSource
{
	drape_sceneGrid = 0,
	drape_sceneDisc,
	drape_sceneObj,
} drapeSceneSource;

/// A flat sheet, made by drapeMesh_CreateGrid.
typedef struct drapeSceneGridDef
{
	uint32_t columns, rows; ///< quads
	float width, depth;     ///< m, along x and z
} drapeSceneGridDef;

/// A flat disc in the plane y = 0, centred on the origin, with normals up. Vertex 0 is the centre. The rings follow
/// from the inside out; each ring is counter-clockwise seen from above and begins on the x axis.
typedef struct drapeSceneDiscDef
{
	float radius; ///< m
	uint32_t rings, segments;
} drapeSceneDiscDef;

/// The look of a fabric.
typedef enum drapeSceneFabric
{
	drape_sceneFabricOfMaterial = 0, ///< the look of the material's preset
	drape_sceneFabricCotton,
	drape_sceneFabricSilk,
	drape_sceneFabricDenim,
	drape_sceneFabricWool,
} drapeSceneFabric;

/// A procedural texture.
typedef enum drapeSceneTexture
{
	drape_scenePlain = 0,
	drape_sceneChecker,
	drape_sceneStripes,
	drape_sceneTartan,
} drapeSceneTexture;

/// The look of a cloth. It does not affect the simulation.
typedef struct drapeSceneLook
{
	drapeSceneFabric fabric;
	drapeSceneColour front, back, second; ///< `second` is the second colour of a texture
	drapeSceneTexture texture;
	char* image;               ///< path of a PNG file, relative to the scene's folder; "" for none
	float textureSize;         ///< m, > 0: width of one repeat
	drapeVec2 texturePosition; ///< m: material coordinates at which a repeat begins
	drapeScenePlace place;
} drapeSceneLook;

/// The share of the motion of its frame that a cloth feels, see drapeInertia.
typedef struct drapeSceneInertia
{
	float linear, angular; ///< 0 to 1
	char* motion;          ///< name of the motion that is its frame; "" for none
} drapeSceneInertia;

/// A cloth.
typedef struct drapeSceneCloth
{
	char* name;
	drapeSceneSource source;
	drapeSceneGridDef grid;
	drapeSceneDiscDef disc;
	char* obj;           ///< path, relative to the scene's folder
	drapeSceneUp up;     ///< upward axis of the OBJ file
	drapeScenePose pose; ///< transform of the mesh at the start; its scale also scales the rest shape
	/// drape_restShape or drape_restTexcoord; a metresPerUnit of 0 is "auto": the median scale of the mesh
	drapeRestDef rest;
	drapeMaterial material;
	drapeModel model;
	drapeSpringDef springs;
	drapeSolverDef solver;
	drapeAdaptDef adapt;
	drapeBudgetDef budget;
	drapeContactMode contact;
	drapeFilter filter;
	float gravityScale; ///< factor of the world's gravity
	drapeSceneInertia inertia;
	drapeSleepDef sleep;
	bool pinMiddles;
	drapeScenePin* pins;
	uint32_t pinCount;
	drapeSceneAttach* attach;
	uint32_t attachCount;
	drapeSceneTether* tether;
	uint32_t tetherCount;
	drapeSceneStitch* stitch;
	uint32_t stitchCount;
	drapeSceneLook look;
	drapeScenePlace place;
} drapeSceneCloth;

/// The length and the rates of a run.
typedef struct drapeSceneTime
{
	uint32_t frames; ///< the first one is the start
	float frameRate; ///< Hz
	float stepRate;  ///< Hz, an integer multiple of the frame rate
} drapeSceneTime;

/// The world of a scene.
typedef struct drapeSceneWorldDef
{
	drapeVec3 gravity; ///< m/s^2
	float adaptRate;   ///< Hz
	uint32_t threads;
	drapeVec3 camera; ///< m
	bool untangle;    ///< removes crossings of the start state before the first step
	/// s, 0 to 10^6: the longest time to take for that; 0 for no limit
	float untangleSeconds;
} drapeSceneWorldDef;

/// The camera of a scene.
typedef struct drapeSceneCamera
{
	drapeVec3 position, target; ///< m; up is +y
	float fieldOfView;          ///< radians, vertical
	bool given;                 ///< false: the renderer places the camera so that it shows everything
} drapeSceneCamera;

/// File formats of a run's output.
typedef enum drapeSceneFormat
{
	drape_sceneFormatObj = 1 << 0,
	drape_sceneFormatPly = 1 << 1,
	drape_sceneFormatPc2 = 1 << 2,
} drapeSceneFormat;

/// The mesh that a run writes.
typedef enum drapeSceneTopology
{
	drape_sceneAdaptive = 0, ///< the active mesh, which changes
	drape_sceneFixed,        ///< the pattern, refined `level` times, evaluated on the cloth
} drapeSceneTopology;

/// The output of a run.
typedef struct drapeSceneOutput
{
	char* name;       ///< $CLOTH stands for the cloth's name, $F4 for the frame's number with four digits
	uint32_t formats; ///< sum of drapeSceneFormat
	drapeSceneTopology topology;
	uint32_t level;
	uint32_t firstFrame;    ///< number of the first frame
	uint32_t snapshotEvery; ///< frames
} drapeSceneOutput;

/// A scene. It owns its strings and arrays, which drapeAlloc allocates.
typedef struct drapeScene
{
	char* path;    ///< for messages
	char* folder;  ///< base of relative paths; "" for the working directory
	uint64_t hash; ///< hash of the file's bytes
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
	uint32_t clothCount; ///< may be 0, for an unfinished scene
	drapeSceneCamera camera;
	drapeSceneOutput output;
} drapeScene;

/// Reads a scene; free it with drapeScene_Free. On failure the function sets @p scene to NULL and fills @p error (may
/// be NULL) with "file:line:column: the problem, and the expected value". Errors: ::drape_errorFile if the file cannot
/// be read, ::drape_errorData if it is not a usable scene, ::drape_errorLimit beyond 64 MB, ::drape_errorMemory. Any
/// thread.
DRAPE_API drapeResult drapeScene_Read(const char* path, drapeScene** scene, drapeMessage* error);

/// Reads a scene from memory. Messages use @p name as the name of the file; its folder is the base of relative paths.
/// Any thread.
DRAPE_API drapeResult drapeScene_Parse(const char* text, size_t size, const char* name, drapeScene** scene,
                                       drapeMessage* error);

/// Frees a scene, which may be NULL. Any thread.
DRAPE_API void drapeScene_Free(drapeScene* scene);

/// Formats the scene as JSON, without default values. Reading the text gives the same values bit for bit, and therefore
/// the same run. @p size receives the size with the final zero byte. Writes only if @p capacity is large enough; a
/// capacity of 0 asks for the size, a smaller one than needed gives ::drape_errorLimit. ::drape_errorMemory sets the
/// size to 0. @p message may be NULL. Any thread.
DRAPE_API drapeResult drapeScene_Format(const drapeScene* scene, char* text, size_t capacity, size_t* size,
                                        drapeMessage* message);

/// Writes drapeScene_Format to @p path, as drapeFile_Write does. If @p path is in another folder than the scene was,
/// the function changes the paths so that they name the same files: paths inside the new folder become relative to it,
/// others become absolute. Any thread.
DRAPE_API drapeResult drapeScene_Write(const drapeScene* scene, const char* path, drapeMessage* error);

/// The vertices of a mesh collider over time, in its own space. Between two frames they move linearly.
typedef struct drapeSceneSequence
{
	drapeColliderId collider;
	uint32_t frameCount, vertexCount;
	drapeVec3* frames;  ///< [frameCount][vertexCount] m
	drapeVec3* between; ///< [vertexCount] scratch
	float frameRate;    ///< Hz
	bool repeat;        ///< the first frame follows the last
} drapeSceneSequence;

/// A world made from a scene, in the order of the file. Free it with drapeSceneWorld_Destroy.
typedef struct drapeSceneWorld
{
	drapeWorldId world;
	drapeMotionId* motions;
	uint32_t motionCount;
	drapeColliderId* colliders;
	uint32_t colliderCount;
	drapeClothId* cloths;
	drapeMotionId* frames; ///< [clothCount] the motion that is the frame of a cloth; null for none
	drapeObj* patterns;    ///< [clothCount] the transformed meshes of the cloths, with the names of their parts
	uint32_t clothCount;
	drapeSceneSequence* sequences; ///< deforming mesh colliders
	uint32_t sequenceCount;
	uint32_t meshCapacity;  ///< capacity of `sequences` and `warnings`
	drapeMessage* warnings; ///< doubtful properties of collider meshes, one each, with its position in the scene
	uint32_t warningCount;
	uint64_t meshHash;             ///< hash of all files that were read for colliders
	drapeUntangleReport untangled; ///< result of untangling the start; zeros if the scene does not ask for it
} drapeSceneWorld;

/// Return the definition of a cloth or a collider of a scene, for applications that create them one by one. The caller
/// provides the mesh and the motion, and sets the mesh of a mesh collider. NULL gives the default definition. Any thread.
DRAPE_API drapeClothDef drapeSceneCloth_GetDef(const drapeSceneCloth* cloth, const drapeMesh* mesh);
DRAPE_API drapeColliderDef drapeSceneCollider_GetDef(const drapeSceneCollider* collider, drapeMotionId motion);

/// Makes the mesh of cloth number @p index: reads its OBJ file, or builds its grid or disc, and places it by its pose.
/// On success free @p pattern with drapeObj_Free. On failure @p pattern is cleared, and @p error (may be NULL) gets the
/// same message as from drapeScene_CreateWorld. Any thread.
DRAPE_API drapeResult drapeScene_CreatePattern(const drapeScene* scene, uint32_t index, drapeObj* pattern,
                                               drapeMessage* error);

/// Checks the pins of cloth number @p index against its pattern: ::drape_errorData when a pin names a vertex that does
/// not exist or a box without vertices. Any thread.
DRAPE_API drapeResult drapeScene_CheckPins(const drapeScene* scene, uint32_t index, const drapeObj* pattern,
                                           drapeMessage* error);

/// Returns the collider of a scene's world with this name, null for "", for none and if a pointer is NULL.
DRAPE_API drapeColliderId drapeScene_FindCollider(const drapeScene* scene, const drapeSceneWorld* world,
                                                  const char* name);

/// Creates cloth number @p index in @p world, without its pins, from its pattern. On failure @p cloth is null, and @p
/// error (may be NULL) gets the same message as from drapeScene_CreateWorld.
DRAPE_API drapeResult drapeScene_CreateCloth(const drapeScene* scene, uint32_t index, const drapeObj* pattern,
                                             drapeWorldId world, drapeClothId* cloth, drapeMessage* error);

/// Creates the world of a scene. @p threads replaces the scene's number unless it is 0. On failure the function clears
/// @p world and fills @p error (may be NULL) with the position in the scene and a message.
DRAPE_API drapeResult drapeScene_CreateWorld(const drapeScene* scene, uint32_t threads, drapeSceneWorld* world,
                                             drapeMessage* error);

/// Options of drapeScene_CreateWorldWith. Zeros are the defaults.
typedef struct drapeSceneWorldOptions
{
	uint32_t threads;                           ///< replaces the scene's number unless it is 0
	const float* untangleSeconds;               ///< replaces the scene's number unless it is NULL
	drapeUntangleProgressFcn* untangleProgress; ///< called while the start is untangled; may be NULL
	void* untangleContext;                      ///< passed to it
} drapeSceneWorldOptions;

/// Like drapeScene_CreateWorld, with options. If the progress function stops the untangling, the world is created with
/// the crossings that are left, and drapeSceneWorld::untangled says so.
DRAPE_API drapeResult drapeScene_CreateWorldWith(const drapeScene* scene, const drapeSceneWorldOptions* options,
                                                 drapeSceneWorld* world, drapeMessage* error);

/// Writes a message for each size in a scene's world that is probably in another unit than metres, and for texture
/// coordinates that are no good rest shape. Returns the number of messages; at most @p capacity are written. 0 if a
/// pointer is NULL; @p list may be, if the capacity is 0. Time is linear in the size of the meshes.
DRAPE_API uint32_t drapeScene_FindDoubts(const drapeScene* scene, const drapeSceneWorld* world, drapeMessage* list,
                                         uint32_t capacity);

/// The same for one mesh with its report of drapeMesh_Check, without a place: at most two messages. Any thread.
DRAPE_API uint32_t drapeMesh_FindDoubts(const drapeMeshReport* report, const drapeRestDef* rest, drapeMessage* list,
                                        uint32_t capacity);

/// Sets the vertices that deforming mesh colliders have @p dt seconds later, and the frames of cloths, then calls
/// drapeWorld_Step. The vertices depend only on the world's time, so that a world loaded from a snapshot continues as the original would. Errors are
/// those of drapeWorld_Step; the sentence is in the world.
DRAPE_API drapeResult drapeSceneWorld_Step(drapeSceneWorld* world, float dt);

/// Destroys the world and frees the arrays. A cleared structure and NULL are allowed.
DRAPE_API void drapeSceneWorld_Destroy(drapeSceneWorld* world);

/// Writes the path of an object's file at @p time in seconds. After the last frame, the last existing file is used. @p
/// folder is the base of relative paths. Returns the length as snprintf does. Any thread.
DRAPE_API int drapeSceneObject_GetPath(const drapeSceneObject* object, const char* folder, double time, char* path,
                                       size_t capacity);

/// Write the JSON Schema of scenes, and the tables of docs/scenes.md. Both are generated from the tables of the reader.
/// The rules of sizes are those of drapeScene_Format. Any thread.
DRAPE_API drapeResult drapeScene_GetSchema(char* text, size_t capacity, size_t* size, drapeMessage* message);
DRAPE_API drapeResult drapeScene_GetReference(char* text, size_t capacity, size_t* size, drapeMessage* message);
