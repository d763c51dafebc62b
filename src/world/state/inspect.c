// SPDX-License-Identifier: MIT
#include "base/checks/values.h"
#include "world/world.h"

// Contact points and collider meshes, for drawing and debugging.

// Position of the contact point whose weights have this sign. False when it is not on this cloth.
static bool PlaceOn(const Cloth* cloth, const ContactPoint* point, float sign, Vec3* position)
{
	*position = (Vec3){0.0f, 0.0f, 0.0f};
	float sum = 0.0f;
	for (int k = 0; k < 4; ++k)
	{
		float weight = sign * point->weight[k];
		if (weight <= 0.0f)
			continue;
		if (point->particle[k] == DRAPE_NONE || point->system[k] != cloth->system)
			return false;
		*position = V3Add(*position, V3Scale(weight, V4Xyz(cloth->active.position[point->particle[k]])));
		sum += weight;
	}
	return sum > 0.0f;
}

// Contact points name particles of the mesh of the last step.
static bool HasPoints(const drapeWorld* world, const Cloth* cloth)
{
	bool isTogether = false;
	for (uint32_t i = 0; i < world->together.count; ++i)
		isTogether |= world->together.data[i] == cloth;
	return isTogether && cloth->contact == drape_contactAll && cloth->broadPhase.revision == cloth->active.revision;
}

uint32_t drapeCloth_CollectContactPoints(const drapeWorld* world, const Cloth* cloth, drapeContactPoint* points,
                                         uint32_t capacity)
{
	uint32_t count = 0, last = HasPoints(world, cloth) ? world->contact.points.count : 0;
	for (uint32_t i = 0; i < last; ++i)
	{
		const ContactPoint* point = &world->contact.points.data[i];
		drapeContactPoint seen = {.normal = point->normal, .distance = point->distance};
		if (!PlaceOn(cloth, point, 1.0f, &seen.position))
		{
			if (!PlaceOn(cloth, point, -1.0f, &seen.position))
				continue;
			seen.normal = V3Scale(-1.0f, seen.normal);
		}
		if (count < capacity)
			points[count] = seen;
		count++;
	}
	return count;
}

uint32_t drapeCloth_GetContactPoints(drapeClothId id, drapeContactPoint* points, uint32_t capacity)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth || drapeArray_Check("points", points, capacity, &cloth->world->message) != drape_ok)
		return 0;
	return drapeCloth_CollectContactPoints(cloth->world, cloth, points, capacity);
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
