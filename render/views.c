// SPDX-License-Identifier: MIT
#include "linear.h"
#include "render.h"

#include <string.h>

typedef uint8_t Colour[4];

// --- colours ---

static float Clamp01(float x)
{
	return fminf(fmaxf(x, 0.0f), 1.0f);
}

static void Blend(const Colour a, const Colour b, float t, Colour out)
{
	for (int i = 0; i < 4; ++i)
		out[i] = (uint8_t)((float)a[i] + t * ((float)b[i] - (float)a[i]) + 0.5f);
}

// -1 gives `below`, 0 a pale grey, 1 `above`.
static void Diverge(float x, const Colour below, const Colour above, Colour out)
{
	static const Colour middle = {226, 224, 220, 255};
	Blend(middle, x < 0.0f ? below : above, Clamp01(fabsf(x)), out);
}

void drapeLevel_Colour(uint32_t level, uint8_t colour[4])
{
	static const Colour colours[] = {{255, 226, 84, 255}, {252, 184, 60, 255}, {242, 140, 48, 255}, {224, 96, 48, 255},
	                                 {194, 58, 56, 255},  {150, 36, 70, 255},  {100, 26, 80, 255},  {58, 18, 76, 255}};
	uint32_t last = sizeof colours / sizeof colours[0] - 1;
	memcpy(colour, colours[level < last ? level : last], 4);
}

static const Colour red = {206, 46, 44, 255}, blue = {38, 92, 178, 255}, green = {30, 152, 72, 255};

// --- coloured quantities ---

typedef void TriangleColourFcn(const drapeDrawnCloth* cloth, uint32_t triangle, Colour colour);

static void LevelOfTriangle(const drapeDrawnCloth* cloth, uint32_t triangle, Colour colour)
{
	drapeLevel_Colour(cloth->mesh.triangleLevels[triangle], colour);
}

// Computes the columns of the map from the material to space. Returns false for a triangle without area.
static bool Deformation(const drapeClothView* mesh, uint32_t triangle, drapeVec3* u, drapeVec3* v)
{
	const uint32_t* t = &mesh->triangles[3 * (size_t)triangle];
	const drapeVec2* m = &mesh->materials[3 * (size_t)triangle];
	drapeVec3 p = Vec3_From4(mesh->positions[t[0]]);
	drapeVec3 e1 = Vec3_Sub(Vec3_From4(mesh->positions[t[1]]), p), e2 = Vec3_Sub(Vec3_From4(mesh->positions[t[2]]), p);
	float a = m[1].x - m[0].x, b = m[1].y - m[0].y, c = m[2].x - m[0].x, d = m[2].y - m[0].y;
	float determinant = a * d - b * c;
	if (fabsf(determinant) < 1e-20f)
		return false;
	*u = Vec3_Scale(Vec3_Sub(Vec3_Scale(e1, d), Vec3_Scale(e2, b)), 1.0f / determinant);
	*v = Vec3_Scale(Vec3_Sub(Vec3_Scale(e2, a), Vec3_Scale(e1, c)), 1.0f / determinant);
	return true;
}

// Returns the principal stretch that is further from 1.
static void StrainOfTriangle(const drapeDrawnCloth* cloth, uint32_t triangle, Colour colour)
{
	const float full = 0.06f; // strain of the full colour
	drapeVec3 u, v;
	float strain = 0.0f;
	if (Deformation(&cloth->mesh, triangle, &u, &v))
	{
		float uu = Vec3_Dot(u, u), vv = Vec3_Dot(v, v), uv = Vec3_Dot(u, v);
		float mean = 0.5f * (uu + vv), radius = sqrtf(0.25f * (uu - vv) * (uu - vv) + uv * uv);
		float most = sqrtf(mean + radius) - 1.0f, least = sqrtf(fmaxf(mean - radius, 0.0f)) - 1.0f;
		strain = -least > most ? least : most;
	}
	Diverge(strain / full, green, red, colour);
}

static void CurvatureOfParticles(const drapeClothView* mesh, Colour* colours, float* sums, uint32_t* counts)
{
	const float full = 25.0f; // 1/m of the full colour
	memset(sums, 0, mesh->particleCount * sizeof *sums);
	memset(counts, 0, mesh->particleCount * sizeof *counts);
	for (size_t corner = 0; corner < 3 * (size_t)mesh->triangleCount; ++corner)
	{
		uint32_t a = mesh->triangles[corner], b = mesh->triangles[corner % 3 == 2 ? corner - 2 : corner + 1];
		drapeVec3 d = Vec3_Sub(Vec3_From4(mesh->positions[b]), Vec3_From4(mesh->positions[a]));
		drapeVec3 n = Vec3_Sub(Vec3_From4(mesh->normals[b]), Vec3_From4(mesh->normals[a]));
		// Normal curvature along the edge, from the change of the normal.
		float curvature = Vec3_Dot(n, d) / fmaxf(Vec3_Dot(d, d), 1e-12f);
		sums[a] += curvature;
		sums[b] += curvature;
		counts[a]++;
		counts[b]++;
	}
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		Diverge(counts[i] ? sums[i] / (float)counts[i] / full : 0.0f, blue, red, colours[i]);
}

static void ContactsOfParticles(const drapeDrawnCloth* cloth, Colour* colours)
{
	static const Colour free = {226, 224, 220, 220};
	for (uint32_t i = 0; i < cloth->mesh.particleCount; ++i)
		memcpy(colours[i], cloth->touching[i] ? red : free, 4);
}

static void SpeedOfParticles(const drapeClothView* mesh, Colour* colours)
{
	static const Colour rest = {40, 52, 96, 255}, fast = {250, 214, 92, 255}, middle = {70, 150, 150, 255};
	const float full = 3.0f; // m/s of the full colour
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		float t = Clamp01(Vec3_Length(Vec3_From4(mesh->velocities[i])) / full);
		Blend(t < 0.5f ? rest : middle, t < 0.5f ? middle : fast, t < 0.5f ? 2.0f * t : 2.0f * t - 1.0f, colours[i]);
	}
}

// --- added geometry ---

static void AddVertexBalls(Geometry* geometry, const drapeClothView* mesh)
{
	static const Colour dark = {46, 52, 64, 255};
	const float radius = 0.01f; // m at level 0, halved with each level: Simnett 2012, 3.7
	drapeGeometry_Begin(geometry, batch_solid)->castsShadow = false;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		drapeGeometry_AddBall(geometry, Vec3_From4(mesh->positions[i]), ldexpf(radius, -(int)mesh->particleLevels[i]),
		                      dark);
}

static void AddContactBalls(Geometry* geometry, const drapeDrawnCloth* cloth)
{
	drapeGeometry_Begin(geometry, batch_solid)->castsShadow = false;
	for (uint32_t i = 0; i < cloth->mesh.particleCount; ++i)
		if (cloth->touching[i])
			drapeGeometry_AddBall(geometry, Vec3_From4(cloth->mesh.positions[i]), 0.0025f, red);
}

// Draws contacts of cloth with cloth: a ball at the position, and a line along the normal.
static void AddContactPoints(Geometry* geometry, const drapeDrawnCloth* cloth)
{
	const float radius = 0.0015f, length = 0.015f; // m
	if (!cloth->points || cloth->pointCount == 0)
		return;
	drapeGeometry_Begin(geometry, batch_solid)->castsShadow = false;
	for (uint32_t i = 0; i < cloth->pointCount; ++i)
		drapeGeometry_AddBall(geometry, cloth->points[i].position, radius, blue);
	drapeGeometry_Begin(geometry, batch_lines);
	for (uint32_t i = 0; i < cloth->pointCount; ++i)
		drapeGeometry_AddLine(geometry, cloth->points[i].position,
		                      Vec3_Along(cloth->points[i].position, cloth->points[i].normal, length), blue);
}

static void AddSprings(Geometry* geometry, const drapeClothView* mesh)
{
	const float full = 0.05f; // relative to the rest length
	drapeGeometry_Begin(geometry, batch_lines);
	for (uint32_t i = 0; i < mesh->edgeCount; ++i)
	{
		drapeVec3 a = Vec3_From4(mesh->positions[mesh->edgeFrom[i]]), b = Vec3_From4(mesh->positions[mesh->edgeTo[i]]);
		float ratio = Vec3_Length(Vec3_Sub(b, a)) / fmaxf(mesh->restLengths[i], 1e-9f);
		static const Colour slack = {80, 84, 92, 255};
		Colour colour;
		Blend(slack, ratio < 1.0f ? green : red, Clamp01(fabsf(ratio - 1.0f) / full), colour);
		drapeGeometry_AddLine(geometry, a, b, colour);
	}
}

static void AddVelocities(Geometry* geometry, const drapeClothView* mesh)
{
	static const Colour dark = {30, 30, 34, 255};
	const float seconds = 0.04f; // s: an arrow shows the displacement in this time
	drapeGeometry_Begin(geometry, batch_lines);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		drapeVec3 from = Vec3_From4(mesh->positions[i]);
		drapeGeometry_AddLine(geometry, from, Vec3_Along(from, Vec3_From4(mesh->velocities[i]), seconds), dark);
	}
}

// --- cloths ---

// Colours of triangles or of particles, with scratch arrays.
typedef struct ClothColours
{
	Colour* colours;
	float* sums;
	uint32_t* counts;
	uint32_t count;
} ClothColours;

static bool ClothColours_Create(ClothColours* c, uint32_t count)
{
	*c = (ClothColours){.count = count};
	c->colours = drapeAlloc(count * sizeof *c->colours);
	c->sums = drapeAlloc(count * sizeof *c->sums);
	c->counts = drapeAlloc(count * sizeof *c->counts);
	return c->colours && c->sums && c->counts;
}

static void ClothColours_Free(ClothColours* c)
{
	drapeFree(c->colours, c->count * sizeof *c->colours);
	drapeFree(c->sums, c->count * sizeof *c->sums);
	drapeFree(c->counts, c->count * sizeof *c->counts);
}

static void AddByTriangle(Geometry* geometry, const drapeDrawnCloth* cloth, TriangleColourFcn* colourOf)
{
	ClothColours c;
	if (ClothColours_Create(&c, cloth->mesh.triangleCount))
	{
		for (uint32_t i = 0; i < c.count; ++i)
			colourOf(cloth, i, c.colours[i]);
		drapeGeometry_AddCorners(geometry, &cloth->mesh, NULL, (const Colour*)c.colours);
	}
	else
		geometry->failed = true;
	ClothColours_Free(&c);
}

static void AddByParticle(Geometry* geometry, const drapeDrawnCloth* cloth, drapeRenderView view)
{
	ClothColours c;
	if (ClothColours_Create(&c, cloth->mesh.particleCount))
	{
		if (view == drape_viewCurvature)
			CurvatureOfParticles(&cloth->mesh, c.colours, c.sums, c.counts);
		else if (view == drape_viewContacts)
			ContactsOfParticles(cloth, c.colours);
		else
			SpeedOfParticles(&cloth->mesh, c.colours);
		drapeGeometry_AddCorners(geometry, &cloth->mesh, (const Colour*)c.colours, NULL);
	}
	else
		geometry->failed = true;
	ClothColours_Free(&c);
}

static void AddCloth(Geometry* geometry, const drapePicture* picture, uint32_t index)
{
	const drapeDrawnCloth* cloth = &picture->cloths[index];
	drapeRenderView view = picture->view;
	if (cloth->mesh.triangleCount == 0)
		return;
	Batch* batch = drapeGeometry_Begin(geometry, batch_cloth);
	batch->cloth = index;
	batch->wire = view != drape_viewShaded && view != drape_viewSprings;
	switch (view)
	{
		case drape_viewLevels:
		case drape_viewVertices:
			if (cloth->mesh.triangleLevels)
				AddByTriangle(geometry, cloth, LevelOfTriangle);
			else
				drapeGeometry_AddCorners(geometry, &cloth->mesh, NULL, NULL);
			break;
		case drape_viewStrain:
			AddByTriangle(geometry, cloth, StrainOfTriangle);
			break;
		case drape_viewCurvature:
		case drape_viewContacts:
		case drape_viewVelocity:
			AddByParticle(geometry, cloth, view);
			break;
		case drape_viewWireframe:
			drapeGeometry_AddCorners(geometry, &cloth->mesh, NULL, NULL);
			break;
		default:
			drapeGeometry_AddCloth(geometry, &cloth->mesh, NULL);
			break;
	}
	if (view == drape_viewVertices)
		AddVertexBalls(geometry, &cloth->mesh);
	else if (view == drape_viewContacts)
	{
		AddContactBalls(geometry, cloth);
		AddContactPoints(geometry, cloth);
	}
	else if (view == drape_viewSprings)
		AddSprings(geometry, &cloth->mesh);
	else if (view == drape_viewVelocity)
		AddVelocities(geometry, &cloth->mesh);
}

// --- the picture ---

// Cloths are drawn side by side, each in its own material coordinates.
static void AddHierarchies(Geometry* geometry, const drapePicture* picture)
{
	drapeVec3 corner = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < picture->clothCount; ++i)
	{
		uint32_t first = geometry->vertexCount;
		drapeGeometry_AddHierarchy(geometry, &picture->cloths[i].mesh, corner);
		float right = corner.x;
		for (uint32_t k = first; !geometry->failed && k < geometry->vertexCount; ++k)
			right = fmaxf(right, geometry->vertices[k].position.x);
		corner.x = right + 0.2f;
	}
}

void drapeGeometry_AddPicture(Geometry* geometry, const drapePicture* picture)
{
	if (picture->view == drape_viewHierarchy)
	{
		AddHierarchies(geometry, picture);
		return;
	}
	for (uint32_t i = 0; i < picture->clothCount; ++i)
		AddCloth(geometry, picture, i);
	for (uint32_t i = 0; i < picture->shapeCount; ++i)
	{
		drapeGeometry_Begin(geometry, batch_solid);
		drapeGeometry_AddShape(geometry, &picture->shapes[i]);
	}
	for (uint32_t i = 0; i < picture->meshCount; ++i)
	{
		drapeGeometry_Begin(geometry, batch_solid);
		drapeGeometry_AddMesh(geometry, &picture->meshes[i]);
	}
}
