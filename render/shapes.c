// SPDX-License-Identifier: MIT
#include "linear.h"
#include "render.h"

#include <string.h>

// Scale is uniform, so only the rotation changes normals.
static drapeVec3 TurnNormal(const drapeTransform* transform, drapeVec3 normal)
{
	drapeTransform turn = {.rotation = transform->rotation, .scale = 1.0f};
	return drapeTransform_Point(turn, normal);
}

static void EncodeColour(drapeVec3 colour, uint8_t bytes[4])
{
	bytes[0] = (uint8_t)(255.0f * fminf(fmaxf(colour.x, 0.0f), 1.0f) + 0.5f);
	bytes[1] = (uint8_t)(255.0f * fminf(fmaxf(colour.y, 0.0f), 1.0f) + 0.5f);
	bytes[2] = (uint8_t)(255.0f * fminf(fmaxf(colour.z, 0.0f), 1.0f) + 0.5f);
	bytes[3] = 255;
}

static Vertex PlaceVertex(const drapeTransform* transform, drapeVec3 position, drapeVec3 normal,
                          const uint8_t colour[4])
{
	Vertex vertex = {.position = drapeTransform_Point(*transform, position), .normal = TurnNormal(transform, normal)};
	memcpy(vertex.colour, colour, 4);
	return vertex;
}

void drapeGeometry_AddShape(Geometry* geometry, const drapeDrawnShape* shape)
{
	// m: the largest depth of coarse cloth's edges below the surface.
	const float inset = 0.0025f;
	drapeColliderSurfaceSize size = drapeColliderShape_GetSurfaceSize(&shape->def);
	if (size.vertexCount == 0)
		return;
	uint32_t base = geometry->vertexCount;
	Vertex* vertices = drapeGeometry_AddVertices(geometry, size.vertexCount);
	uint32_t* indices = drapeGeometry_AddIndices(geometry, 3 * size.triangleCount);
	if (!vertices || !indices)
		return;
	uint8_t colour[4];
	EncodeColour(shape->colour, colour);
	drapeColliderShape_WriteSurface(&shape->def, inset, &vertices->position, &vertices->normal, sizeof(Vertex),
	                                indices);
	for (uint32_t i = 0; i < size.vertexCount; ++i)
		vertices[i] = PlaceVertex(&shape->transform, vertices[i].position, vertices[i].normal, colour);
	for (uint32_t i = 0; i < 3 * size.triangleCount; ++i)
		indices[i] += base;
}

// Each vertex gets the mean of the normals around it, weighted by area.
static void SmoothNormals(Vertex* vertices, uint32_t vertexCount, const uint32_t* triangles, uint32_t triangleCount)
{
	for (uint32_t i = 0; i < vertexCount; ++i)
		vertices[i].normal = Vec3_Make(0.0f, 0.0f, 0.0f);
	for (size_t i = 0; i < triangleCount; ++i)
	{
		Vertex* corners[3];
		for (size_t k = 0; k < 3; ++k)
			corners[k] = &vertices[triangles[3 * i + k]];
		drapeVec3 a = corners[0]->position;
		drapeVec3 n = Vec3_Cross(Vec3_Sub(corners[1]->position, a), Vec3_Sub(corners[2]->position, a));
		for (int k = 0; k < 3; ++k)
			corners[k]->normal = Vec3_Add(corners[k]->normal, n);
	}
	for (uint32_t i = 0; i < vertexCount; ++i)
		vertices[i].normal = Vec3_Normalise(vertices[i].normal);
}

void drapeGeometry_AddMesh(Geometry* geometry, const drapeDrawnMesh* mesh)
{
	uint8_t colour[4];
	uint32_t base = geometry->vertexCount;
	Vertex* vertices = drapeGeometry_AddVertices(geometry, mesh->vertexCount);
	uint32_t* indices = drapeGeometry_AddIndices(geometry, 3 * mesh->triangleCount);
	if (!vertices || !indices)
		return;
	EncodeColour(mesh->colour, colour);
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
	{
		drapeVec3 normal = mesh->normals ? mesh->normals[i] : (drapeVec3){0.0f, 0.0f, 0.0f};
		vertices[i] = PlaceVertex(&mesh->transform, mesh->positions[i], normal, colour);
	}
	if (!mesh->normals)
		SmoothNormals(vertices, mesh->vertexCount, mesh->triangles, mesh->triangleCount);
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
		indices[i] = base + mesh->triangles[i];
}

// --- balls ---

// An octahedron with its edges halved: 18 points, 32 triangles.
void drapeGeometry_AddBall(Geometry* geometry, drapeVec3 centre, float radius, const uint8_t colour[4])
{
	static const int8_t points[18][3] = {{1, 0, 0},  {-1, 0, 0},  {0, 1, 0},  {0, -1, 0},  {0, 0, 1},  {0, 0, -1},
	                                     {1, 1, 0},  {1, -1, 0},  {-1, 1, 0}, {-1, -1, 0}, {0, 1, 1},  {0, 1, -1},
	                                     {0, -1, 1}, {0, -1, -1}, {1, 0, 1},  {1, 0, -1},  {-1, 0, 1}, {-1, 0, -1}};
	// Each octant: its corners on x, y, z and the middles xy, yz, zx.
	static const uint8_t octants[8][6] = {{0, 2, 4, 6, 10, 14}, {2, 1, 4, 8, 16, 10}, {1, 3, 4, 9, 12, 16},
	                                      {3, 0, 4, 7, 14, 12}, {2, 0, 5, 6, 15, 11}, {1, 2, 5, 8, 11, 17},
	                                      {3, 1, 5, 9, 17, 13}, {0, 3, 5, 7, 13, 15}};
	static const uint8_t cut[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
	uint32_t base = geometry->vertexCount;
	Vertex* vertices = drapeGeometry_AddVertices(geometry, 18);
	uint32_t* indices = drapeGeometry_AddIndices(geometry, 96);
	if (!vertices || !indices)
		return;
	for (int i = 0; i < 18; ++i)
	{
		drapeVec3 n = Vec3_Normalise(Vec3_Make(points[i][0], points[i][1], points[i][2]));
		vertices[i] = (Vertex){.position = Vec3_Along(centre, n, radius), .normal = n};
		memcpy(vertices[i].colour, colour, 4);
	}
	for (int i = 0; i < 96; ++i)
		indices[i] = base + octants[i / 12][cut[i % 12]];
}
