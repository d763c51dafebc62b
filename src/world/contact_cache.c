// SPDX-License-Identifier: MIT
#include "world/world.h"

#include <string.h>

// Points are found anew in every step, and friction has to know them again: by what lies on what. Particles are told
// apart by their places (ActiveMesh::place), which stay the same when the mesh changes elsewhere. As things slide, the
// closest points go from one face to the next: a point that is not known goes on from one between the same nearest
// vertices, and one that is still not known has slipped nowhere yet.

static uint64_t KeyOfVertex(const drapeWorld* world, uint32_t v)
{
	const ContactBodies* bodies = &world->broadPhase.bodies;
	uint32_t b = bodies->owner.data[v], own = v - bodies->bodies.data[b].vertexStart;
	const Cloth* cloth = world->broadPhase.members.data[b].owner;
	if (!cloth)
		return Hash_U64((uint64_t)(b + 1) << 32 | own);
	return Hash_U64(Hash_U64((uint64_t)cloth->generation << 32 | cloth->slot) + cloth->active.originKey[own]);
}

// Corners of a part may come in any order, and the parts in either.
static CachedContact Identify(const drapeWorld* world, const Proximity* point)
{
	CachedContact own = {0};
	uint64_t part[2] = {0, 0}, nearest[2] = {0, 0};
	float most[2] = {-1.0f, -1.0f};
	// A vertex and a face, or two edges, which are met between their ends.
	int second = point->weight[1] > 0.0f ? 2 : 1;
	for (int k = 0; k < 4; ++k)
	{
		float weight = point->weight[k];
		int side = k >= second;
		uint64_t key = KeyOfVertex(world, point->vertex[k]);
		part[side] += key;
		own.corner[k] = (uint32_t)key;
		own.weight[k] = weight;
		if (fabsf(weight) > most[side])
		{
			most[side] = fabsf(weight);
			nearest[side] = key;
		}
	}
	int first = part[0] > part[1], nearFirst = nearest[0] > nearest[1];
	own.key = Hash_U64(part[first]) + part[!first];
	own.nearKey = ~Hash_U64(nearest[nearFirst]) + nearest[!nearFirst];
	own.isTurned = (uint32_t)first;
	own.nearIsTurned = (uint32_t)nearFirst;
	return own;
}

void drapeContactCache_Free(ContactCache* contactCache)
{
	ArrayFree(&contactCache->now);
	ArrayFree(&contactCache->last);
	drapeHashMap_Free(&contactCache->lastOf);
}

bool drapeContactCache_Begin(ContactCache* contactCache, uint32_t most)
{
	if (!ArrayReserve(&contactCache->last, most) ||
	    !drapeHashMap_Reserve(&contactCache->lastOf, 2 * contactCache->now.count))
		return false;
	ContactCache old = *contactCache;
	contactCache->now = old.last;
	contactCache->last = old.now;
	contactCache->now.count = 0;
	drapeHashMap_Clear(&contactCache->lastOf);
	for (uint32_t i = 0; i < contactCache->last.count; ++i)
	{
		HashMap_Put(&contactCache->lastOf, contactCache->last.data[i].nearKey, i);
		HashMap_Put(&contactCache->lastOf, contactCache->last.data[i].key, i);
	}
	return true;
}

static Vec4 Turned(Vec4 frictionState, bool isTurned)
{
	return isTurned ? (Vec4){-frictionState.x, -frictionState.y, -frictionState.z, frictionState.w} : frictionState;
}

// The way from the second place to the first.
static Vec3 Between(const drapeWorld* world, const uint32_t vertex[4], const float weight[4])
{
	const Vec4* from = world->broadPhase.bodies.from.data;
	Vec3 sum = {0.0f, 0.0f, 0.0f}, origin = V4Xyz(from[vertex[0]]);
	for (int k = 1; k < 4; ++k)
		sum = V3Add(sum, V3Scale(weight[k], V3Sub(V4Xyz(from[vertex[k]]), origin)));
	return sum;
}

// Whether the point goes back to where it came from. Notes how it has changed.
static bool TurnsBack(const CachedContact* last, CachedContact* own)
{
	float along = 0.0f;
	if (memcmp(last->corner, own->corner, sizeof own->corner) != 0)
		return false;
	for (int k = 0; k < 4; ++k)
	{
		own->change[k] = own->weight[k] - last->weight[k];
		along += own->change[k] * last->change[k];
	}
	return along < 0.0f;
}

// A face that lies flat on something round tilts by little, and its closest point goes far; pressed hard there, it
// tilts back too far in the next step, and so on for ever. So a point that turns back goes only half the way.
static void Calm(const drapeWorld* world, const CachedContact* last, CachedContact* own, Proximity* point)
{
	if (!TurnsBack(last, own))
		return;
	CachedContact half = *own;
	for (int k = 0; k < 4; ++k)
	{
		half.change[k] = 0.5f * own->change[k];
		half.weight[k] = last->weight[k] + half.change[k];
	}
	Vec3 between = Between(world, point->vertex, half.weight);
	float radius = V3Length(Between(world, point->vertex, own->weight)) - point->distance, length = V3Length(between);
	if (!(V3Dot(between, point->normal) > 0.5f * length))
		return;
	*own = half;
	memcpy(point->weight, half.weight, sizeof half.weight);
	point->normal = V3Scale(1.0f / length, between);
	point->distance = length - radius;
}

Vec4 drapeContactCache_Recall(ContactCache* contactCache, const drapeWorld* world, Proximity* point)
{
	CachedContact own = Identify(world, point);
	uint32_t known = HashMap_Get(&contactCache->lastOf, own.key),
			 near = HashMap_Get(&contactCache->lastOf, own.nearKey);
	const CachedContact* last = contactCache->last.data;
	if (known != DRAPE_NONE)
	{
		own.frictionState = Turned(last[known].frictionState, last[known].isTurned != own.isTurned);
		Calm(world, &last[known], &own, point);
	}
	else if (near != DRAPE_NONE)
		own.frictionState = Turned(last[near].frictionState, last[near].nearIsTurned != own.nearIsTurned);
	ArrayPush(&contactCache->now, own);
	return own.frictionState;
}

void drapeContactCache_Remember(ContactCache* contactCache, const PairForces* forces)
{
	DRAPE_ASSERT(forces->count <= contactCache->now.count);
	for (uint32_t i = 0; i < forces->count; ++i)
		contactCache->now.data[i].frictionState = forces->frictionState.data[i];
}
