// SPDX-License-Identifier: MIT
#include "world/world.h"

// Points are found anew in every step, and friction has to know them again: by what lies on what. Particles are told
// apart by their places (ActiveMesh::place), which stay the same when the mesh changes elsewhere. A point that is not
// known again has slipped nowhere yet.

typedef struct PointKey
{
	uint64_t value;
	bool isTurned; // the part with the larger key is the first
} PointKey;

static uint64_t KeyOfVertex(const drapeWorld* world, uint32_t v)
{
	const ContactBodies* bodies = &world->crowd.bodies;
	uint32_t b = bodies->owner.data[v], own = v - bodies->bodies.data[b].vertexStart;
	const Cloth* cloth = world->crowd.members.data[b].owner;
	return Hash_U64((uint64_t)(b + 1) << 32 | (cloth ? cloth->active.place[own] : own));
}

// Corners of a part may come in any order, and the parts in either.
static PointKey KeyOf(const drapeWorld* world, const Proximity* point)
{
	uint64_t part[2] = {0, 0};
	for (int k = 0; k < 4; ++k)
		part[point->weight[k] < 0.0f || (point->weight[k] == 0.0f && k > 1)] += KeyOfVertex(world, point->vertex[k]);
	bool isTurned = part[0] > part[1];
	return (PointKey){Hash_U64(part[isTurned]) + part[!isTurned], isTurned};
}

void PointMemories_Free(PointMemories* memories)
{
	ArrayFree(&memories->now);
	ArrayFree(&memories->last);
	HashMap_Free(&memories->lastOf);
}

bool PointMemories_Begin(PointMemories* memories, uint32_t most)
{
	if (!ArrayReserve(&memories->last, most) || !HashMap_Reserve(&memories->lastOf, memories->now.count))
		return false;
	PointMemories old = *memories;
	memories->now = old.last;
	memories->last = old.now;
	memories->now.count = 0;
	HashMap_Clear(&memories->lastOf);
	for (uint32_t i = 0; i < memories->last.count; ++i)
		HashMap_Put(&memories->lastOf, memories->last.data[i].key, i);
	return true;
}

Vec4 PointMemories_Recall(PointMemories* memories, const drapeWorld* world, const Proximity* point)
{
	PointKey key = KeyOf(world, point);
	PointMemory own = {.key = key.value, .isTurned = key.isTurned};
	uint32_t known = HashMap_Get(&memories->lastOf, key.value);
	if (known != DRAPE_NONE)
	{
		const PointMemory* last = &memories->last.data[known];
		float sign = last->isTurned == key.isTurned ? 1.0f : -1.0f;
		own.rub = (Vec4){sign * last->rub.x, sign * last->rub.y, sign * last->rub.z, last->rub.w};
	}
	ArrayPush(&memories->now, own);
	return own.rub;
}

void PointMemories_Remember(PointMemories* memories, const PairForces* forces)
{
	DRAPE_ASSERT(forces->count <= memories->now.count);
	for (uint32_t i = 0; i < forces->count; ++i)
		memories->now.data[i].rub = forces->rub.data[i];
}
