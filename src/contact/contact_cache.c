// SPDX-License-Identifier: MIT
#include "contact/contact_cache.h"

#include <string.h>

static uint64_t KeyOfParticle(const ActiveMesh* mesh, uint64_t name, uint32_t particle)
{
	DRAPE_ASSERT(particle < mesh->particleCount);
	return Hash_U64(Hash_U64(name) + mesh->originKey[particle]);
}

static uint64_t KeyOfVertex(const BroadPhase* broadPhase, uint32_t v)
{
	const ContactBodies* bodies = &broadPhase->bodies;
	DRAPE_ASSERT(v < bodies->owner.count);
	uint32_t b = bodies->owner.data[v], own = v - bodies->bodies.data[b].vertexStart;
	const BroadPhaseMember* member = &broadPhase->members.data[b];
	if (!member->cloth)
		return Hash_U64((uint64_t)(b + 1) << 32 | own);
	return KeyOfParticle(member->mesh, member->name, own);
}

// The key depends neither on the order of a feature's vertices nor on which feature comes first.
static CachedContact Identify(const BroadPhase* broadPhase, const Proximity* point)
{
	CachedContact own = {0};
	uint64_t part[2] = {0, 0}, nearest[2] = {0, 0};
	float most[2] = {-1.0f, -1.0f};
	// The features are a vertex and a face, or two edges that touch between their ends.
	int second = point->weight[1] > 0.0f ? 2 : 1;
	for (int k = 0; k < 4; ++k)
	{
		float weight = point->weight[k];
		int side = k >= second;
		uint64_t key = KeyOfVertex(broadPhase, point->vertex[k]);
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

void drapeContactCache_Free(ContactCache* cache)
{
	ArrayFree(&cache->now);
	ArrayFree(&cache->last);
	drapeHashMap_Free(&cache->lastOf);
}

// Returns whether the contacts of this step have the keys of those of the last one, in the same order.
static bool HasSameKeys(const ContactCache* cache)
{
	bool areSame = cache->now.count == cache->last.count;
	for (uint32_t i = 0; i < cache->now.count && areSame; ++i)
	{
		const CachedContact *now = &cache->now.data[i], *last = &cache->last.data[i];
		areSame = now->key == last->key && now->nearKey == last->nearKey;
	}
	return areSame;
}

bool drapeContactCache_Begin(ContactCache* cache, uint32_t most)
{
	if (!ArrayReserve(&cache->last, most) || !drapeHashMap_Reserve(&cache->lastOf, 2 * cache->now.count))
		return false;
	bool isMapped = HasSameKeys(cache);
	ContactCache old = *cache;
	cache->now = old.last;
	cache->last = old.now;
	cache->now.count = 0;
	if (isMapped)
		return true;
	drapeHashMap_Clear(&cache->lastOf);
	for (uint32_t i = 0; i < cache->last.count; ++i)
	{
		HashMap_Put(&cache->lastOf, cache->last.data[i].nearKey, i);
		HashMap_Put(&cache->lastOf, cache->last.data[i].key, i);
	}
	return true;
}

static Vec4 Turned(Vec4 frictionState, bool isTurned)
{
	return isTurned ? (Vec4){-frictionState.x, -frictionState.y, -frictionState.z, frictionState.w} : frictionState;
}

// The vector from the second point to the first.
static Vec3 Between(const BroadPhase* broadPhase, const uint32_t vertex[4], const float weight[4])
{
	const Vec4* from = broadPhase->bodies.from.data;
	Vec3 sum = {0.0f, 0.0f, 0.0f}, origin = V4Xyz(from[vertex[0]]);
	for (int k = 1; k < 4; ++k)
		sum = V3Add(sum, V3Scale(weight[k], V3Sub(V4Xyz(from[vertex[k]]), origin)));
	return sum;
}

// True when the contact's weights go back to where they came from. Stores how they have changed.
static bool TurnsBack(const CachedContact* last, CachedContact* own)
{
	DRAPE_ASSERT(last->key == own->key);
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

// A face that lies flat on a round surface tilts by little, and its closest point moves far. Pressed there, it tilts
// back too far in the next step, without end. So a contact whose weights turn back goes only half the way.
static void DampOscillation(const BroadPhase* broadPhase, const CachedContact* last, CachedContact* own,
                            Proximity* point)
{
	if (!TurnsBack(last, own))
		return;
	CachedContact half = *own;
	for (int k = 0; k < 4; ++k)
	{
		half.change[k] = 0.5f * own->change[k];
		half.weight[k] = last->weight[k] + half.change[k];
	}
	Vec3 between = Between(broadPhase, point->vertex, half.weight);
	float radius = V3Length(Between(broadPhase, point->vertex, own->weight)) - point->distance,
		  length = V3Length(between);
	if (!(V3Dot(between, point->normal) > 0.5f * length))
		return;
	*own = half;
	memcpy(point->weight, half.weight, sizeof half.weight);
	point->normal = V3Scale(1.0f / length, between);
	point->distance = length - radius;
}

Vec4 drapeContactCache_Recall(ContactCache* cache, const BroadPhase* broadPhase, uint32_t index, Proximity* point)
{
	DRAPE_ASSERT(cache->now.count <= cache->now.capacity);
	CachedContact own = Identify(broadPhase, point);
	uint32_t known = HashMap_Get(&cache->lastOf, own.key), near = HashMap_Get(&cache->lastOf, own.nearKey);
	const CachedContact* last = cache->last.data;
	if (known != DRAPE_NONE)
	{
		own.frictionState = Turned(last[known].frictionState, last[known].isTurned != own.isTurned);
		DampOscillation(broadPhase, &last[known], &own, point);
	}
	else if (near != DRAPE_NONE)
		own.frictionState = Turned(last[near].frictionState, last[near].nearIsTurned != own.nearIsTurned);
	DRAPE_ASSERT(index < cache->now.count);
	cache->now.data[index] = own;
	return own.frictionState;
}

void drapeContactCache_Remember(ContactCache* cache, const Vec4* frictionState, uint32_t count)
{
	DRAPE_ASSERT(count <= cache->now.count);
	DRAPE_ASSERT(frictionState || count == 0);
	for (uint32_t i = 0; i < count; ++i)
		cache->now.data[i].frictionState = frictionState[i];
}

static void TurnContact(CachedContact* contact, Quat rotation)
{
	Vec4* state = &contact->frictionState;
	Vec3 slip = Quat_Rotate(rotation, V4Xyz(*state));
	*state = (Vec4){slip.x, slip.y, slip.z, state->w};
}

void drapeContactCache_Turn(ContactCache* cache, Quat rotation)
{
	for (uint32_t i = 0; i < cache->now.count; ++i)
		TurnContact(&cache->now.data[i], rotation);
}

bool drapeCachedVertices_AddCloth(CachedVertices* vertices, const ActiveMesh* mesh, uint64_t name)
{
	if (!drapeHashMap_Reserve(&vertices->keys, vertices->keys.count + mesh->particleCount))
		return false;
	// Contacts store half of a key.
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		HashMap_Put(&vertices->keys, (uint32_t)KeyOfParticle(mesh, name, i), 0);
	return true;
}

void drapeContactCache_TurnOf(ContactCache* cache, const CachedVertices* vertices, Quat rotation)
{
	for (uint32_t i = 0; i < cache->now.count; ++i)
	{
		bool isOf = false;
		for (int k = 0; k < 4; ++k)
			isOf |= HashMap_Get(&vertices->keys, cache->now.data[i].corner[k]) != DRAPE_NONE;
		if (isOf)
			TurnContact(&cache->now.data[i], rotation);
	}
}

void drapeContactCache_Forget(ContactCache* cache)
{
	cache->now.count = 0;
}
