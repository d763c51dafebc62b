// SPDX-License-Identifier: MIT
#include "shared/solids.h"

#include "base/maths.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float turn = 6.2831853f; // radians

// Adds a closed surface of rings with `around` vertices each and a pole before the first and after the last. Rings run
// from pole to pole; `isFlipped` turns the surface inside out.
typedef struct RingSurface
{
	uint32_t around, along; // vertices of a ring, rings
	bool isFlipped;
	Vec3 (*place)(const void* context, float around, float along); // fractions; along 0 and 1 are the poles
	const void* context;
} RingSurface;

static void AddTriangle(Solid* solid, uint32_t a, uint32_t b, uint32_t c, bool isFlipped)
{
	uint32_t* corner = (uint32_t*)solid->mesh.triangles + 3 * (size_t)solid->mesh.triangleCount++;
	corner[0] = a;
	corner[1] = isFlipped ? c : b;
	corner[2] = isFlipped ? b : c;
}

static void AddSurface(Solid* solid, const RingSurface* surface)
{
	uint32_t first = solid->mesh.vertexCount, around = surface->around, along = surface->along;
	uint32_t vertices = first + around * along + 2, triangles = solid->mesh.triangleCount + 2 * around * along;
	drapeVec3* positions = realloc((void*)solid->mesh.positions, vertices * sizeof *positions);
	uint32_t* corners = realloc((void*)solid->mesh.triangles, 3 * (size_t)triangles * sizeof *corners);
	Shared_Require(positions && corners, "out of memory");
	solid->mesh.positions = positions;
	solid->mesh.triangles = corners;
	solid->mesh.vertexCount = vertices;
	uint32_t top = vertices - 2, bottom = vertices - 1;
	positions[top] = surface->place(surface->context, 0.0f, 0.0f);
	positions[bottom] = surface->place(surface->context, 0.0f, 1.0f);
	for (uint32_t i = 0; i < along * around; ++i)
	{
		uint32_t ring = i / around, k = i % around, next = k + 1 < around ? i + 1 : i + 1 - around;
		positions[first + i] =
			surface->place(surface->context, (float)k / (float)around, (float)(ring + 1) / (float)(along + 1));
		if (ring == 0)
			AddTriangle(solid, top, first + next, first + i, surface->isFlipped);
		if (ring + 1 == along)
		{
			AddTriangle(solid, bottom, first + i, first + next, surface->isFlipped);
			continue;
		}
		AddTriangle(solid, first + i, first + next, first + i + around, surface->isFlipped);
		AddTriangle(solid, first + i + around, first + next, first + next + around, surface->isFlipped);
	}
}

static Vec3 LumpyPoint(const void* context, float around, float along)
{
	float radius = *(const float*)context, angle = turn * around, polar = 0.5f * turn * along;
	float out = sinf(polar), lumps = 1.0f + 0.1f * out * out * sinf(3.0f * angle) * cosf(2.0f * polar);
	return (Vec3){radius * lumps * out * cosf(angle), radius * lumps * cosf(polar), radius * lumps * out * sinf(angle)};
}

void Solid_CreateLumpyBall(Solid* solid, float radius, uint32_t around, uint32_t along)
{
	*solid = (Solid){0};
	AddSurface(solid, &(RingSurface){around, along, false, LumpyPoint, &radius});
}

typedef struct DrumWall
{
	float radius, halfLength, paddle; // m
	uint32_t paddles;
} DrumWall;

// A can: a flat end, a wall, a flat end, each a third of the way along.
static Vec3 DrumPoint(const void* context, float around, float along)
{
	const DrumWall* wall = context;
	float angle = turn * around, hump = fmaxf(cosf((float)wall->paddles * angle), 0.0f);
	float end = fminf(fminf(3.0f * along, 3.0f - 3.0f * along), 1.0f);
	float across = fminf(fmaxf(3.0f * along - 1.0f, 0.0f), 1.0f);
	// The paddle is narrow: a high power of a cosine.
	float r = end * (wall->radius - wall->paddle * hump * hump * hump * hump * hump * hump);
	return (Vec3){r * cosf(angle), r * sinf(angle), wall->halfLength * (2.0f * across - 1.0f)};
}

void Solid_CreateDrum(Solid* solid, float radius, float halfLength, float paddle, uint32_t paddles)
{
	const float thick = 0.05f;
	const DrumWall inner = {radius, halfLength, paddle, paddles};
	const DrumWall outer = {radius + thick, halfLength + thick, 0.0f, paddles};
	*solid = (Solid){0};
	// Rings at the corners of the can: along is a multiple of a third.
	AddSurface(solid, &(RingSurface){96, 23, true, DrumPoint, &inner});
	AddSurface(solid, &(RingSurface){48, 5, false, DrumPoint, &outer});
}

void Solid_Free(Solid* solid)
{
	free((void*)solid->mesh.positions);
	free((void*)solid->mesh.triangles);
	*solid = (Solid){0};
}
