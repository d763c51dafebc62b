// SPDX-License-Identifier: MIT
#pragma once

#include "base/tasks.h"
#include "drape/vertices.h"
#include "mesh/active.h"

// The vertices of a renderer (drape/vertices.h).
//
// Vertex i is particle i with its first texture coordinate. The other texture coordinates of particles follow. The
// vertices per particle are thus the first ones of those per corner, and one map serves both kinds.

// The vertex that each corner of a triangle uses. The map follows the mesh by its revision.
typedef struct VertexMap
{
	uint32_t revision;        // revision of the mesh that it describes; 0 for none
	ARRAY(uint32_t) particle; // [vertices]
	ARRAY(uint32_t) corner;   // [vertices] the first corner that uses it; DRAPE_NONE if no triangle does
	ARRAY(uint32_t) next;     // [vertices] another vertex of the same particle, or DRAPE_NONE
	ARRAY(uint32_t) vertex;   // [corners]

	uint32_t aroundRevision;
	ARRAY(uint32_t) start;  // [particles + 1] in `around`
	ARRAY(uint32_t) around; // [corners] corners by particle, in ascending order
	ARRAY(Vec4) slopes;     // [triangles] scratch of tangents
} VertexMap;

void drapeVertexMap_Destroy(VertexMap* map);

// Bring the map, or its corners around particles, in step with the mesh. False when out of memory.
bool drapeVertexMap_Follow(VertexMap* map, const ActiveMesh* mesh);
bool drapeVertexMap_FollowAround(VertexMap* map, const ActiveMesh* mesh);

// The texture coordinates of all corners; the material coordinates of a mesh without.
DRAPE_INLINE const Vec2* ActiveMesh_Texcoords(const ActiveMesh* mesh)
{
	return mesh->hasTexcoords ? mesh->texcoord[0].corner : mesh->material[0].corner;
}

typedef struct VertexWriter
{
	const ActiveMesh* mesh;
	const VertexMap* map;          // NULL if the layout needs none
	const Vec4* previousPositions; // one per particle; NULL if they are not wanted
	drapeVertexLayout layout;      // without strides of 0
	uint32_t vertexCount;
} VertexWriter;

// Writes the attributes. Has what it needs: tangents, the corners around particles and memory for slopes.
void drapeVertices_Write(const VertexWriter* writer, TaskPool* tasks);
