// SPDX-License-Identifier: MIT
#include "base/checks/values.h"
#include "world/world.h"

// Contact points and collider meshes, for drawing and debugging.

// Collects the particles of one side of a contact point: those whose weights have this sign. Returns their number.
static uint32_t TakeSide(const ContactPoint* point, float sign, uint32_t particles[3], float weights[3])
{
	uint32_t count = 0;
	float sum = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		particles[k] = DRAPE_NONE;
		weights[k] = 0.0f;
	}
	for (int k = 0; k < 4; ++k)
	{
		float weight = sign * point->weight[k];
		if (weight <= 0.0f || point->particle[k] == DRAPE_NONE || count == 3)
			continue;
		particles[count] = point->particle[k];
		weights[count++] = weight;
		sum += weight;
	}
	for (uint32_t k = 0; k < count; ++k)
		weights[k] /= sum;
	return count;
}

// Contact points name particles of the mesh of the last step.
static bool HasPoints(const drapeWorld* world, const Cloth* cloth)
{
	bool isTogether = false;
	for (uint32_t i = 0; i < world->together.count; ++i)
		isTogether |= world->together.data[i] == cloth;
	return isTogether && cloth->contact == drape_contactAll && cloth->broadPhase.revision == cloth->active.revision;
}

// The contact as the cloth of one of its sides sees it. False if its particles are unknown.
static bool SeeFrom(const Cloth* cloth, const ContactPoint* point, uint32_t side, drapeContactPoint* seen)
{
	const drapeWorld* world = cloth->world;
	const float sign = side == 0 ? 1.0f : -1.0f;
	const ContactSide* other = &point->side[1 - side];
	*seen = (drapeContactPoint){.normal = V3Scale(sign, point->normal), .distance = point->distance};
	if (point->side[side].cloth1 != cloth->slot + 1 || TakeSide(point, sign, seen->particles, seen->weights) == 0)
		return false;
	TakeSide(point, -sign, seen->otherParticles, seen->otherWeights);
	for (int k = 0; k < 3 && seen->particles[k] != DRAPE_NONE; ++k)
		seen->position =
			V3Add(seen->position, V3Scale(seen->weights[k], V4Xyz(cloth->active.position[seen->particles[k]])));
	if (other->cloth1 > 0)
		seen->otherCloth = drapeCloth_Id(world, other->cloth1 - 1);
	else
		seen->collider = drapeCollider_Id(world, other->collider1 - 1);
	seen->load = point->frictionState.w;
	seen->slip = V3Scale(sign, V4Xyz(point->frictionState));
	return true;
}

uint32_t drapeCloth_CollectContactPoints(const drapeWorld* world, const Cloth* cloth, drapeContactPoint* points,
                                         uint32_t capacity)
{
	uint32_t count = 0, last = HasPoints(world, cloth) ? world->contact.points.count : 0;
	for (uint32_t i = 0; i < last; ++i)
	{
		const ContactPoint* point = &world->contact.points.data[i];
		drapeContactPoint seen;
		if (!SeeFrom(cloth, point, 0, &seen) && !SeeFrom(cloth, point, 1, &seen))
			continue;
		if (count < capacity)
			points[count] = seen;
		count++;
	}
	return count;
}

// The contact of a particle with the nearest collider. False if it has left it.
static bool SeeParticle(const Cloth* cloth, uint32_t particle, drapeContactPoint* seen)
{
	const ClothSimulation* simulation = &cloth->simulation;
	Vec3 position = V4Xyz(cloth->active.position[particle]);
	TouchedCollider touched = drapeTouches_Nearest(cloth, position, drapeTouches_LeavingDistance(cloth, particle));
	if (touched.slot == DRAPE_NONE)
		return false;
	const uint32_t none = DRAPE_NONE;
	*seen = (drapeContactPoint){
		.collider = drapeCollider_Id(cloth->world, touched.slot),
		.particles = {particle, none, none},
		.weights = {1.0f, 0.0f, 0.0f},
		.otherParticles = {none, none, none},
		.position = position,
		.normal = touched.normal,
		.distance = touched.distance,
	};
	if (simulation->frictionState == none)
		return true;
	Vec4 state = Cloth_Rows(cloth, simulation->frictionState)[particle];
	seen->load = state.w;
	seen->slip = V4Xyz(state);
	return true;
}

static uint32_t CollectParticles(const Cloth* cloth, drapeContactPoint* list, uint32_t capacity)
{
	const BitSet* contacts = &cloth->simulation.contacts;
	uint32_t found = 0, count = MinU32(cloth->active.particleCount, contacts->capacity);
	for (uint32_t i = BitSet_Next(contacts, 0, count); i != DRAPE_NONE; i = BitSet_Next(contacts, i + 1, count))
	{
		drapeContactPoint seen;
		if (SeeParticle(cloth, i, &seen) && found++ < capacity)
			list[found - 1] = seen;
	}
	return found;
}

uint32_t drapeCloth_GetContacts(drapeClothId id, drapeContactPoint* list, uint32_t capacity)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || drapeArray_Check("list", list, capacity, &cloth->world->message) != drape_ok)
		return 0;
	uint32_t particles = CollectParticles(cloth, list, capacity), written = MinU32(particles, capacity);
	return particles +
	       drapeCloth_CollectContactPoints(cloth->world, cloth, list ? list + written : NULL, capacity - written);
}

drapeColliderView drapeCollider_GetView(drapeColliderId id)
{
	const ColliderMesh* mesh =
		drapeCollider_Get(id) ? drapeWorlds_Find(id.world)->colliderMeshes.data[id.index1 - 1] : NULL;
	if (!mesh)
		return (drapeColliderView){0};
	return (drapeColliderView){
		.vertexCount = mesh->shape.vertexCount,
		.positions = mesh->given,
		.triangleCount = mesh->shape.triangleCount,
		.triangles = mesh->shape.triangle,
	};
}
