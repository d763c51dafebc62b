// SPDX-License-Identifier: MIT
#include "world/query/touches.h"

#include "base/checks/values.h"
#include "base/portable/sort.h"
#include "world/world.h"

#include <string.h>

// s: contact points may be missing for so long before a touch ends.
static const float touchGrace = 0.05f;

// A particle leaves a collider at this many times the distance at which it touches it.
static const float leavingShare = 2.0f;

void drapeTouches_Destroy(Touches* touches)
{
	ArrayFree(&touches->pairs);
	ArrayFree(&touches->next);
	ArrayFree(&touches->begins);
	ArrayFree(&touches->ends);
	ArrayFree(&touches->particles);
}

void drapeTouches_Begin(Touches* touches)
{
	touches->begins.count = touches->ends.count = 0;
	touches->hasEvents = false;
}

void drapeTouches_Commit(Touches* touches)
{
	uint32_t count = touches->next.count;
	DRAPE_ASSERT(touches->pairs.capacity >= count);
	if (count > 0)
		memcpy(touches->pairs.data, touches->next.data, count * sizeof(TouchPair));
	touches->pairs.count = count;
	touches->hasEvents = true;
}

float drapeTouches_Reach(const Cloth* cloth, uint32_t particle)
{
	const float* factors = Cloth_Painted(cloth, drape_vertexThickness);
	DRAPE_ASSERT(particle < cloth->active.particleCount);
	float thickness = cloth->simulation.model.material.thickness;
	return drapeImplicit_ContactActivationDistance(factors ? factors[particle] * thickness : thickness);
}

float drapeTouches_LeavingDistance(const Cloth* cloth, uint32_t particle)
{
	return leavingShare * drapeTouches_Reach(cloth, particle);
}

// --- one particle and one collider ----------------------------------------------------------------------------------

// Returns whether the point is nearer than touched->distance, which is then updated with the rest.
static bool TouchesShape(const Collider* collider, Vec3 point, TouchedCollider* touched)
{
	Vec3 away = V3Sub(point, collider->to.position);
	float radius = 1.0001f * drapeShape_BoundingRadius(&collider->def) * collider->to.scale + touched->distance;
	if (!(V3Dot(away, away) <= 1.0001f * radius * radius))
		return false;
	Vec3 local = drapeTransform_InversePoint(collider->to, point);
	Closest closest = drapeShape_Closest(&collider->def, local);
	float distance = closest.distance * collider->to.scale;
	if (!(distance <= touched->distance))
		return false;
	*touched = (TouchedCollider){
		.slot = collider->slot,
		.distance = distance,
		.normal = Quat_Rotate(collider->to.rotation, closest.normal),
		.way = V3Sub(drapeTransform_Point(collider->to, local), drapeTransform_Point(collider->from, local)),
	};
	return true;
}

static bool TouchesMesh(const MeshCollider* mesh, Vec3 point, TouchedCollider* touched)
{
	const MeshShape* shape = mesh->shape;
	MeshPoint closest;
	float reach = touched->distance;
	if (point.x < shape->low.x - reach || point.y < shape->low.y - reach || point.z < shape->low.z - reach ||
	    point.x > shape->high.x + reach || point.y > shape->high.y + reach || point.z > shape->high.z + reach ||
	    !drapeMeshShape_Closest(shape, point, MaxF(reach, 0.0f), &closest) || !(closest.distance <= reach))
		return false;
	*touched = (TouchedCollider){
		.slot = mesh->slot,
		.distance = closest.distance,
		.normal = closest.normal,
		.way = drapeMeshShape_Displacement(shape, closest.triangle, closest.weight),
	};
	return true;
}

TouchedCollider drapeTouches_Nearest(const Cloth* cloth, Vec3 point, float reach)
{
	const ContactDef seen = drapeScenery_Contact(cloth);
	TouchedCollider touched = {.slot = DRAPE_NONE, .distance = reach};
	for (uint32_t i = 0; i < seen.colliderCount; ++i)
		TouchesShape(&seen.colliders[i], point, &touched);
	for (uint32_t i = 0; i < seen.meshCount; ++i)
		TouchesMesh(&seen.meshes[i], point, &touched);
	return touched;
}

// A collider of a cloth's list: one of both.
typedef struct SeenCollider
{
	const Collider* shape;
	const MeshCollider* mesh;
} SeenCollider;

static bool IsWithin(const SeenCollider* collider, Vec3 point, float reach, TouchedCollider* touched)
{
	*touched = (TouchedCollider){.slot = DRAPE_NONE, .distance = reach};
	return collider->shape ? TouchesShape(collider->shape, point, touched)
	                       : TouchesMesh(collider->mesh, point, touched);
}

// --- pairs ----------------------------------------------------------------------------------------------------------

static int CompareKeys(const TouchKey* a, const TouchKey* b)
{
	const uint32_t one[6] = {a->cloth1, a->clothGeneration, a->collider1, a->colliderGeneration,
	                         a->other1, a->otherGeneration};
	const uint32_t two[6] = {b->cloth1, b->clothGeneration, b->collider1, b->colliderGeneration,
	                         b->other1, b->otherGeneration};
	for (int i = 0; i < 6; ++i)
	{
		if (one[i] != two[i])
			return one[i] < two[i] ? -1 : 1;
	}
	return 0;
}

static int ComparePairs(const void* a, const void* b)
{
	return CompareKeys(&((const TouchPair*)a)->key, &((const TouchPair*)b)->key);
}

static const TouchPair* FindPair(const Touches* touches, const TouchKey* key)
{
	uint32_t low = 0, high = touches->pairs.count;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (CompareKeys(&touches->pairs.data[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	bool isFound = low < touches->pairs.count && CompareKeys(&touches->pairs.data[low].key, key) == 0;
	return isFound ? &touches->pairs.data[low] : NULL;
}

static TouchKey KeyOfCollider(const drapeWorld* world, const Cloth* cloth, uint32_t slot)
{
	return (TouchKey){.cloth1 = cloth->slot + 1,
	                  .clothGeneration = cloth->generation,
	                  .collider1 = slot + 1,
	                  .colliderGeneration = world->colliderSlots.data[slot].generation};
}

static TouchKey KeyOfCloths(const drapeWorld* world, uint32_t a1, uint32_t b1)
{
	uint32_t low = MinU32(a1, b1), high = MaxU32(a1, b1);
	return (TouchKey){.cloth1 = low,
	                  .clothGeneration = world->cloths.data[low - 1]->generation,
	                  .other1 = high,
	                  .otherGeneration = world->cloths.data[high - 1]->generation};
}

static bool AddNext(Touches* touches, TouchPair pair)
{
	if (!ArrayReserve(&touches->next, touches->next.count + (size_t)1))
		return false;
	ArrayPush(&touches->next, pair);
	return true;
}

// --- particles on colliders -----------------------------------------------------------------------------------------

// Lists the particles that touched colliders in the step. False when out of memory.
static bool ListTouching(Touches* touches, const Cloth* cloth)
{
	uint32_t count = MinU32(cloth->active.particleCount, cloth->simulation.contacts.capacity);
	const BitSet* contacts = &cloth->simulation.contacts;
	touches->particles.count = 0;
	if (drapeScenery_IsEmpty(cloth))
		return true;
	for (uint32_t i = BitSet_Next(contacts, 0, count); i != DRAPE_NONE; i = BitSet_Next(contacts, i + 1, count))
	{
		if (!ArrayReserve(&touches->particles, touches->particles.count + (size_t)1))
			return false;
		ArrayPush(&touches->particles, i);
	}
	return true;
}

static bool IsStaying(const Cloth* cloth, const SeenCollider* collider, uint32_t particle)
{
	TouchedCollider touched;
	return IsWithin(collider, V4Xyz(cloth->active.position[particle]), drapeTouches_LeavingDistance(cloth, particle),
	                &touched);
}

// Returns a particle that has not left the collider, the old witness if possible; DRAPE_NONE for none.
static uint32_t FindStaying(const Touches* touches, const Cloth* cloth, const SeenCollider* collider, uint32_t witness)
{
	if (witness < cloth->active.particleCount && IsStaying(cloth, collider, witness))
		return witness;
	for (uint32_t i = 0; i < touches->particles.count; ++i)
	{
		if (IsStaying(cloth, collider, touches->particles.data[i]))
			return touches->particles.data[i];
	}
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		if (IsStaying(cloth, collider, i))
			return i;
	}
	return DRAPE_NONE;
}

static uint32_t FindTouching(const Touches* touches, const Cloth* cloth, const SeenCollider* collider)
{
	for (uint32_t i = 0; i < touches->particles.count; ++i)
	{
		uint32_t particle = touches->particles.data[i];
		TouchedCollider touched;
		if (IsWithin(collider, V4Xyz(cloth->active.position[particle]), drapeTouches_Reach(cloth, particle), &touched))
			return particle;
	}
	return DRAPE_NONE;
}

// Adds the pair of a cloth and a collider if they touch. False when out of memory.
static bool FindOnCollider(drapeWorld* world, const Cloth* cloth, const SeenCollider* collider, float dt)
{
	Touches* touches = &world->touches;
	TouchKey key = KeyOfCollider(world, cloth, collider->shape ? collider->shape->slot : collider->mesh->slot);
	const TouchPair* old = FindPair(touches, &key);
	uint32_t witness =
		old ? FindStaying(touches, cloth, collider, old->witness) : FindTouching(touches, cloth, collider);
	if (witness == DRAPE_NONE && !(old && old->age + dt <= touchGrace))
		return true;
	return AddNext(touches, (TouchPair){key, witness, old ? MinF(old->age + dt, touchGrace + 1.0f) : INFINITY});
}

// The pair of a cloth that did not take part in the step stays as it is.
static bool KeepOnCollider(drapeWorld* world, const Cloth* cloth, uint32_t slot)
{
	TouchKey key = KeyOfCollider(world, cloth, slot);
	const TouchPair* old = FindPair(&world->touches, &key);
	return !old || AddNext(&world->touches, *old);
}

static bool HasMoved(const Cloth* cloth)
{
	return cloth->costs.substeps > 0;
}

static bool FindOnColliders(drapeWorld* world, const Cloth* cloth, float dt)
{
	const ContactDef seen = drapeScenery_Contact(cloth);
	bool isDone = true;
	for (uint32_t i = 0; i < seen.colliderCount && isDone && !HasMoved(cloth); ++i)
		isDone = KeepOnCollider(world, cloth, seen.colliders[i].slot);
	for (uint32_t i = 0; i < seen.meshCount && isDone && !HasMoved(cloth); ++i)
		isDone = KeepOnCollider(world, cloth, seen.meshes[i].slot);
	if (!HasMoved(cloth))
		return isDone;
	isDone = ListTouching(&world->touches, cloth);
	for (uint32_t i = 0; i < seen.colliderCount && isDone; ++i)
		isDone = FindOnCollider(world, cloth, &(SeenCollider){.shape = &seen.colliders[i]}, dt);
	for (uint32_t i = 0; i < seen.meshCount && isDone; ++i)
		isDone = FindOnCollider(world, cloth, &(SeenCollider){.mesh = &seen.meshes[i]}, dt);
	return isDone;
}

// --- contact points -------------------------------------------------------------------------------------------------

// The pair of a contact point. False for a contact of a cloth with itself, and for a point that does not push.
static bool KeyOfPoint(const drapeWorld* world, const ContactPoint* point, TouchKey* key)
{
	const ContactSide *a = &point->side[0], *b = &point->side[1];
	if (point->distance > point->reach || (a->cloth1 == b->cloth1 && a->collider1 == b->collider1))
		return false;
	if (a->cloth1 > 0 && b->cloth1 > 0)
		*key = KeyOfCloths(world, a->cloth1, b->cloth1);
	else
		*key = KeyOfCollider(world, world->cloths.data[MaxU32(a->cloth1, b->cloth1) - 1],
		                     MaxU32(a->collider1, b->collider1) - 1);
	return true;
}

// Points of one pair of bodies follow each other, so that few pairs are added twice.
static bool FindAtPoints(drapeWorld* world)
{
	const ContactSide* last = NULL;
	for (uint32_t i = 0; i < world->contact.points.count; ++i)
	{
		const ContactPoint* point = &world->contact.points.data[i];
		TouchKey key;
		if ((last && memcmp(last, point->side, sizeof point->side) == 0) || !KeyOfPoint(world, point, &key))
			continue;
		last = point->side;
		if (!AddNext(&world->touches, (TouchPair){.key = key, .witness = DRAPE_NONE}))
			return false;
	}
	return true;
}

static bool IsCloth(const drapeWorld* world, uint32_t slot1, uint32_t generation)
{
	const Cloth* cloth = slot1 <= world->cloths.count ? world->cloths.data[slot1 - 1] : NULL;
	return drapeCloth_IsUsed(cloth) && cloth->generation == generation;
}

// Keeps pairs of cloths for a moment that had contact points lately.
static bool KeepCloths(drapeWorld* world, float dt)
{
	Touches* touches = &world->touches;
	for (uint32_t i = 0; i < touches->pairs.count; ++i)
	{
		TouchPair pair = touches->pairs.data[i];
		const TouchKey* key = &pair.key;
		if (key->other1 == 0 || !IsCloth(world, key->cloth1, key->clothGeneration) ||
		    !IsCloth(world, key->other1, key->otherGeneration))
			continue;
		const Cloth *first = world->cloths.data[key->cloth1 - 1], *second = world->cloths.data[key->other1 - 1];
		if (HasMoved(first) || HasMoved(second))
			pair.age += dt;
		if (pair.age > touchGrace || !Filters_Touch(first->filter, second->filter))
			continue;
		if (!AddNext(touches, pair))
			return false;
	}
	return true;
}

// Sorts the pairs and joins those that were found in several ways.
static void SortNext(Touches* touches)
{
	TouchPair* next = touches->next.data;
	uint32_t kept = 0;
	if (touches->next.count > 1)
		drapeSort(next, touches->next.count, sizeof(TouchPair), ComparePairs);
	for (uint32_t i = 0; i < touches->next.count; ++i)
	{
		if (kept == 0 || CompareKeys(&next[kept - 1].key, &next[i].key) != 0)
		{
			next[kept++] = next[i];
			continue;
		}
		next[kept - 1].witness = MinU32(next[kept - 1].witness, next[i].witness);
		next[kept - 1].age = MinF(next[kept - 1].age, next[i].age);
	}
	touches->next.count = kept;
}

// --- events ---------------------------------------------------------------------------------------------------------

static drapeClothId ClothOf(const drapeWorld* world, uint32_t slot1, uint32_t generation)
{
	return slot1 == 0 ? (drapeClothId){0} : (drapeClothId){slot1, world->id.world, (uint16_t)generation};
}

static drapeColliderId ColliderOf(const drapeWorld* world, uint32_t slot1, uint32_t generation)
{
	return slot1 == 0 ? (drapeColliderId){0} : (drapeColliderId){slot1, world->id.world, (uint16_t)generation};
}

// Counts a contact. The nearest one gives the place.
static void Count(drapeContactBegin* event, float distance, float* nearest, Vec3 position, Vec3 normal, float approach)
{
	event->count++;
	event->approachSpeed = MaxF(event->approachSpeed, approach);
	if (!(distance < *nearest))
		return;
	*nearest = distance;
	event->position = position;
	event->normal = normal;
}

// The velocity of a particle when the step began, m/s.
static Vec3 VelocityBefore(const Cloth* cloth, uint32_t particle)
{
	bool isSaved = particle < cloth->simulation.savedVelocity.capacity;
	return V4Xyz(isSaved ? cloth->simulation.savedVelocity.data[particle] : cloth->active.velocity[particle]);
}

static void CountParticles(drapeWorld* world, const Cloth* cloth, uint32_t slot, float dt, drapeContactBegin* event,
                           float* nearest)
{
	const Collider* shape = world->colliderMeshes.data[slot] ? NULL : &world->colliders.data[slot];
	const MeshCollider* mesh = NULL;
	for (uint32_t i = 0; i < world->liveMeshes.count && !shape; ++i)
		mesh = world->liveMeshes.data[i].slot == slot ? &world->liveMeshes.data[i] : mesh;
	const SeenCollider collider = {shape, mesh};
	const uint32_t count = MinU32(cloth->active.particleCount, cloth->simulation.contacts.capacity);
	const BitSet* contacts = &cloth->simulation.contacts;
	for (uint32_t i = BitSet_Next(contacts, 0, count); i != DRAPE_NONE && (shape || mesh);
	     i = BitSet_Next(contacts, i + 1, count))
	{
		TouchedCollider touched;
		Vec3 x = V4Xyz(cloth->active.position[i]);
		if (!IsWithin(&collider, x, drapeTouches_Reach(cloth, i), &touched))
			continue;
		Vec3 relative = V3Sub(VelocityBefore(cloth, i), V3Scale(1.0f / dt, touched.way));
		Count(event, touched.distance, nearest, x, touched.normal, -V3Dot(relative, touched.normal));
	}
}

// The velocity of the first side relative to the second when the step began, m/s.
static Vec3 VelocityAt(const drapeWorld* world, const ContactPoint* point, float dt)
{
	Vec3 sum = V3Scale(1.0f / dt, point->way);
	for (int k = 0; k < 4; ++k)
	{
		if (point->particle[k] == DRAPE_NONE)
			continue;
		const Cloth* cloth = world->together.data[point->system[k]];
		sum = V3Add(sum, V3Scale(point->weight[k], VelocityBefore(cloth, point->particle[k])));
	}
	return sum;
}

static void CountPoints(const drapeWorld* world, const TouchKey* key, float dt, drapeContactBegin* event,
                        float* nearest)
{
	for (uint32_t i = 0; i < world->contact.points.count; ++i)
	{
		const ContactPoint* point = &world->contact.points.data[i];
		TouchKey own;
		if (!KeyOfPoint(world, point, &own) || CompareKeys(&own, key) != 0)
			continue;
		// The event's normal points towards its first cloth.
		Vec3 normal = point->side[0].cloth1 == key->cloth1 ? point->normal : V3Scale(-1.0f, point->normal);
		Count(event, point->distance, nearest, point->position, normal,
		      -V3Dot(point->normal, VelocityAt(world, point, dt)));
	}
}

static bool AddBegin(drapeWorld* world, const TouchKey* key, float dt)
{
	Touches* touches = &world->touches;
	if (!ArrayReserve(&touches->begins, touches->begins.count + (size_t)1))
		return false;
	drapeContactBegin event = {
		.cloth = ClothOf(world, key->cloth1, key->clothGeneration),
		.collider = ColliderOf(world, key->collider1, key->colliderGeneration),
		.otherCloth = ClothOf(world, key->other1, key->otherGeneration),
	};
	float nearest = INFINITY;
	if (key->collider1 > 0)
		CountParticles(world, world->cloths.data[key->cloth1 - 1], key->collider1 - 1, dt, &event, &nearest);
	CountPoints(world, key, dt, &event, &nearest);
	ArrayPush(&touches->begins, event);
	return true;
}

static bool AddEnd(drapeWorld* world, const TouchKey* key)
{
	Touches* touches = &world->touches;
	if (!ArrayReserve(&touches->ends, touches->ends.count + (size_t)1))
		return false;
	ArrayPush(&touches->ends, ((drapeContactPair){
								  .cloth = ClothOf(world, key->cloth1, key->clothGeneration),
								  .collider = ColliderOf(world, key->collider1, key->colliderGeneration),
								  .otherCloth = ClothOf(world, key->other1, key->otherGeneration),
							  }));
	return true;
}

// Compares the pairs of this step with those of the last one; both are sorted.
static bool AddEvents(drapeWorld* world, float dt)
{
	const Touches* touches = &world->touches;
	uint32_t before = 0, now = 0;
	bool isDone = true;
	while (isDone && (before < touches->pairs.count || now < touches->next.count))
	{
		int order = before == touches->pairs.count ? 1
		            : now == touches->next.count
		                ? -1
		                : CompareKeys(&touches->pairs.data[before].key, &touches->next.data[now].key);
		if (order < 0)
			isDone = AddEnd(world, &touches->pairs.data[before].key);
		else if (order > 0)
			isDone = AddBegin(world, &touches->next.data[now].key, dt);
		before += order <= 0;
		now += order >= 0;
	}
	return isDone;
}

bool drapeTouches_Find(drapeWorld* world, float dt)
{
	Touches* touches = &world->touches;
	DRAPE_ASSERT(dt > 0.0f && touches->begins.count == 0 && touches->ends.count == 0);
	bool isDone = true;
	touches->next.count = 0;
	for (uint32_t i = 0; i < world->cloths.count && isDone; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			isDone = FindOnColliders(world, world->cloths.data[i], dt);
	}
	isDone = isDone && FindAtPoints(world) && KeepCloths(world, dt);
	SortNext(touches);
	isDone = isDone && ArrayReserve(&touches->pairs, touches->next.count) && AddEvents(world, dt);
	if (!isDone)
		touches->begins.count = touches->ends.count = 0;
	return isDone;
}

// --- public ---------------------------------------------------------------------------------------------------------

drapeContactEvents drapeWorld_GetContactEvents(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	if (!world || !world->touches.hasEvents)
		return (drapeContactEvents){0};
	return (drapeContactEvents){
		.begins = world->touches.begins.data,
		.beginCount = world->touches.begins.count,
		.ends = world->touches.ends.data,
		.endCount = world->touches.ends.count,
	};
}

uint32_t drapeWorld_GetTouchingPairs(drapeWorldId id, drapeContactPair* pairs, uint32_t capacity)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world || drapeArray_Check("pairs", pairs, capacity, &world->message) != drape_ok)
		return 0;
	const Touches* touches = &world->touches;
	for (uint32_t i = 0; i < touches->pairs.count && i < capacity; ++i)
	{
		const TouchKey* key = &touches->pairs.data[i].key;
		pairs[i] = (drapeContactPair){
			.cloth = ClothOf(world, key->cloth1, key->clothGeneration),
			.collider = ColliderOf(world, key->collider1, key->colliderGeneration),
			.otherCloth = ClothOf(world, key->other1, key->otherGeneration),
		};
	}
	return touches->pairs.count;
}
