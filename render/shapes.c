// SPDX-License-Identifier: MIT
#include "linear.h"
#include "render.h"

#include <string.h>

enum
{
	aroundCount = 64,
	capRows = 16
};

// A surface of revolution about y is a profile of rows from the bottom to the top.
typedef struct Row
{
	float radius, height;      // m
	float normalOut, normalUp; // unit
} Row;

// Scale is uniform, so rotation alone turns normals.
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

static void AddRows(Geometry* geometry, const Row* rows, uint32_t rowCount, const drapeTransform* transform,
                    const uint8_t colour[4])
{
	const uint32_t across = aroundCount + 1;
	uint32_t base = geometry->vertexCount;
	Vertex* vertices = drapeGeometry_AddVertices(geometry, rowCount * across);
	uint32_t* indices = drapeGeometry_AddIndices(geometry, 6 * (rowCount - 1) * aroundCount);
	if (!vertices || !indices)
		return;
	for (uint32_t i = 0; i < rowCount * across; ++i)
	{
		const Row* row = &rows[i / across];
		float angle = 6.28318531f * (float)(i % across) / aroundCount, s = sinf(angle), c = cosf(angle);
		vertices[i] = PlaceVertex(transform, Vec3_Make(row->radius * s, row->height, row->radius * c),
		                          Vec3_Make(row->normalOut * s, row->normalUp, row->normalOut * c), colour);
	}
	for (uint32_t i = 0; i < (rowCount - 1) * aroundCount; ++i)
	{
		uint32_t a = base + i / aroundCount * across + i % aroundCount;
		const uint32_t quad[6] = {a, a + 1, a + across, a + 1, a + across + 1, a + across};
		memcpy(&indices[6 * i], quad, sizeof quad);
	}
}

// Half a sphere, from the bottom pole to the equator or from there to the top.
static void CapRows(Row* rows, float radius, float height, bool top)
{
	for (int i = 0; i <= capRows; ++i)
	{
		float angle = 1.57079633f * ((float)i / capRows - (top ? 0.0f : 1.0f));
		rows[i] = (Row){radius * cosf(angle), height + radius * sinf(angle), cosf(angle), sinf(angle)};
	}
}

static void AddCapsule(Geometry* geometry, const drapeDrawnShape* shape, float radius, const uint8_t colour[4])
{
	Row rows[2 * capRows + 2];
	float half = shape->shape == drape_shapeCapsule ? shape->halfHeight : 0.0f;
	CapRows(rows, radius, -half, false);
	CapRows(rows + capRows + 1, radius, half, true);
	AddRows(geometry, rows, 2 * capRows + 2, &shape->transform, colour);
}

static void AddCylinder(Geometry* geometry, const drapeDrawnShape* shape, float radius, const uint8_t colour[4])
{
	float h = shape->halfHeight;
	const Row rows[] = {{0.0f, -h, 0.0f, -1.0f}, {radius, -h, 0.0f, -1.0f}, {radius, -h, 1.0f, 0.0f},
	                    {radius, h, 1.0f, 0.0f}, {radius, h, 0.0f, 1.0f},   {0.0f, h, 0.0f, 1.0f}};
	AddRows(geometry, rows, 6, &shape->transform, colour);
}

static void AddBox(Geometry* geometry, const drapeTransform* transform, drapeVec3 half, drapeVec3 centre,
                   const uint8_t colour[4])
{
	uint32_t base = geometry->vertexCount;
	Vertex* vertices = drapeGeometry_AddVertices(geometry, 24);
	uint32_t* indices = drapeGeometry_AddIndices(geometry, 36);
	if (!vertices || !indices)
		return;
	const float size[3] = {half.x, half.y, half.z};
	for (uint32_t face = 0; face < 6; ++face)
	{
		uint32_t axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
		float sign = face % 2 ? 1.0f : -1.0f;
		for (uint32_t i = 0; i < 4; ++i)
		{
			float p[3], n[3] = {0.0f, 0.0f, 0.0f};
			n[axis] = sign;
			p[axis] = sign * size[axis];
			p[u] = (i & 1 ? sign : -sign) * size[u];
			p[v] = (i & 2 ? 1.0f : -1.0f) * size[v];
			vertices[4 * face + i] = PlaceVertex(transform, Vec3_Add(centre, Vec3_Make(p[0], p[1], p[2])),
			                                     Vec3_Make(n[0], n[1], n[2]), colour);
		}
		const uint32_t quad[6] = {0, 1, 2, 1, 3, 2};
		for (uint32_t i = 0; i < 6; ++i)
			indices[6 * face + i] = base + 4 * face + quad[i];
	}
}

void drapeGeometry_AddShape(Geometry* geometry, const drapeDrawnShape* shape)
{
	// Chords of coarse cloth cut into what it lies on by less than this.
	const float shrink = 0.0025f;
	uint8_t colour[4];
	EncodeColour(shape->colour, colour);
	float radius = shape->radius - fminf(shrink, 0.03f * shape->radius);
	drapeVec3 half = shape->halfExtents;
	half = Vec3_Sub(
		half, Vec3_Make(fminf(shrink, 0.03f * half.x), fminf(shrink, 0.03f * half.y), fminf(shrink, 0.03f * half.z)));
	switch (shape->shape)
	{
		case drape_shapeSphere:
		case drape_shapeCapsule:
			AddCapsule(geometry, shape, radius, colour);
			break;
		case drape_shapeCylinder:
			AddCylinder(geometry, shape, radius, colour);
			break;
		case drape_shapeBox:
			AddBox(geometry, &shape->transform, half, (drapeVec3){0}, colour);
			break;
		case drape_shapePlane:
			// A slab stands for the half-space.
			AddBox(geometry, &shape->transform, Vec3_Make(2.0f, 0.02f, 2.0f), Vec3_Make(0.0f, -0.02f - shrink, 0.0f),
			       colour);
			break;
		case drape_shapeMesh:
			break; // drapeGeometry_AddMesh
	}
}

// Each vertex gets the mean of the normals around it; large triangles count for more.
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
