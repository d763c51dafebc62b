// SPDX-License-Identifier: MIT
#pragma once

/// @file vertices.h
/// Vertices for a renderer: the attributes of a cloth in buffers of the application, such as mapped memory of a graphics
/// card. drapeCloth_GetView shows the library's own arrays instead, without a copy.
///
/// A renderer makes its buffers and writes the indices when drapeCloth_GetRevision has changed, and in other frames only
/// writes the vertices:
///
///     drapeVertexSize size;
///     drapeCloth_GetVertexSize(cloth, drape_verticesPerCorner, &size);
///     if (drapeCloth_GetRevision(cloth) != revision)
///     {
///         revision = drapeCloth_GetRevision(cloth);
///         ... // buffers with space for size.vertexCount vertices and size.indexCount indices
///         drapeCloth_WriteIndices(cloth, drape_verticesPerCorner, indices, sizeof(uint32_t), size.indexCount);
///     }
///     drapeVertexLayout layout = {.kind = drape_verticesPerCorner};
///     layout.positions = (drapeVertexAttribute){&vertices->position, sizeof(Vertex)};
///     layout.normals = (drapeVertexAttribute){&vertices->normal, sizeof(Vertex)};
///     drapeCloth_WriteVertices(cloth, &layout, size.vertexCount);
///
/// Thread rule: as world.h. Large cloths are written by the threads of the world.

#include "drape/base.h"
#include "drape/id.h"

/// The vertices that a cloth has. With both kinds, vertex i is particle i for all i below drapeClothView::particleCount.
typedef enum drapeVertexKind
{
	/// One vertex per particle. On a texture seam it has the texture coordinates of one side.
	drape_verticesPerParticle = 0,
	/// One vertex for each texture coordinate of a particle: two where texture seams run, or where mirrored parts of a
	/// texture meet. Without texture coordinates the material coordinates take their place, and those less than 10^-5 m
	/// apart are one. Vertices of one particle have the same normal, so that the surface is smooth across the seam.
	drape_verticesPerCorner,
} drapeVertexKind;

/// A place for one attribute of all vertices. Neither the address nor the stride needs to be aligned. Bytes between the
/// elements are never written.
typedef struct drapeVertexAttribute
{
	void* data;    ///< the element of the first vertex; NULL if the attribute is not wanted
	size_t stride; ///< bytes from one element to the next, at least the size of an element; 0 for packed elements
} drapeVertexAttribute;

/// The attributes to write. Initialise it with zeros, then set the wanted ones. They may lie in one array of structures
/// or in arrays of their own.
typedef struct drapeVertexLayout
{
	drapeVertexKind kind;
	drapeVertexAttribute positions; ///< 3 floats, m
	drapeVertexAttribute normals;   ///< 3 floats, unit length, or zero as drapeClothView::normals
	/// 4 floats: a vector of unit length that is orthogonal to the normal and points to larger u; then 1, or -1 where the
	/// texture is mirrored. The bitangent, w * cross(normal, tangent), points to larger v. A texture without a direction
	/// gives any vector of unit length.
	drapeVertexAttribute tangents;
	drapeVertexAttribute texcoords; ///< 2 floats: texture coordinates of the mesh; material coordinates (m) without
	/// 3 floats, m: the position when the last step began, for motion vectors. A particle that the step created begins
	/// between its parents. A teleport takes these positions along; drapeCloth_SetPositions and drapeWorld_Load set them to
	/// the present ones. The cloth keeps them from the first time on that they are written, when they are the present ones;
	/// before that they cost nothing.
	drapeVertexAttribute previousPositions;
} drapeVertexLayout;

/// The lengths of a cloth's vertex and index buffers.
typedef struct drapeVertexSize
{
	uint32_t vertexCount;
	uint32_t indexCount; ///< three per triangle
} drapeVertexSize;

/// Returns a number that is raised by each change of topology, the `revision` of drapeClothView; 0 for a handle that is
/// not valid. While it stays the same, counts, indices and texture coordinates of a cloth stay the same.
DRAPE_API uint32_t drapeCloth_GetRevision(drapeClothId cloth);

/// Writes the lengths of buffers for a cloth as it is now to @p size. With ::drape_verticesPerCorner, the first call after
/// a change of topology takes time linear in the number of triangles. Returns ::drape_errorArgument or
/// ::drape_errorMemory; @p size is then zero.
DRAPE_API drapeResult drapeCloth_GetVertexSize(drapeClothId cloth, drapeVertexKind kind, drapeVertexSize* size);

/// Writes the wanted attributes of all vertices. @p capacity is the number of vertices for which there is space. Writes
/// nothing and returns ::drape_errorArgument for a stride that is too small, ::drape_errorLimit if there are more vertices
/// than @p capacity, or ::drape_errorMemory. Positions and normals of ::drape_verticesPerParticle need no memory.
DRAPE_API drapeResult drapeCloth_WriteVertices(drapeClothId cloth, const drapeVertexLayout* layout, uint32_t capacity);

/// Writes the vertices of all triangles, counter-clockwise, to @p indices. @p indexSize is 2 or 4, the bytes of an index, and
/// @p capacity the number of indices for which there is space. Writes nothing and returns
/// ::drape_errorArgument, ::drape_errorMemory, or ::drape_errorLimit: there are more indices than @p capacity, or more than
/// 65,535 vertices and indices of 2 bytes (0xffff is left free for primitive restart).
DRAPE_API drapeResult drapeCloth_WriteIndices(drapeClothId cloth, drapeVertexKind kind, void* indices,
                                              uint32_t indexSize, uint32_t capacity);
