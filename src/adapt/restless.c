// SPDX-License-Identifier: MIT
#include "adapt/restless.h"

enum
{
	patience = 4,  // times as long
	soonWaits = 2, // waits within which a place is split again soon
};

static const float slowSpeed = 0.1f, stillSpeed = 0.01f; // m/s

static bool IsSlower(const ActiveMesh* mesh, uint32_t particle, float speed)
{
	Vec3 v = V4Xyz(mesh->velocity[particle]);
	return V3Dot(v, v) < speed * speed;
}

static const RestlessPlace* Find(const Restless* restless, uint32_t place)
{
	const RestlessPlace* slot = &restless->slots[place % restlessSlots];
	return slot->place == place ? slot : NULL;
}

uint8_t Restless_Wait(const Restless* restless, uint32_t place, uint8_t wait)
{
	const RestlessPlace* known = Find(restless, place);
	return known && known->wait > wait ? known->wait : wait;
}

bool Restless_LiesStill(const Restless* restless, const ActiveMesh* mesh, uint32_t particle)
{
	const RestlessPlace* known = Find(restless, mesh->place[particle]);
	return known && known->wait == UINT8_MAX && IsSlower(mesh, particle, stillSpeed);
}

// What is born where it was born before has gone in between.
static uint8_t WaitOfBorn(const Restless* restless, const ActiveMesh* mesh, uint32_t particle, uint8_t wait)
{
	uint32_t place = mesh->place[particle];
	const RestlessPlace* known = Find(restless, place);
	uint32_t age = known ? (uint16_t)(restless->pass - known->pass) : 0;
	if (!known || age > soonWaits * (uint32_t)known->wait)
		return wait;
	if (wait > 0 && IsSlower(mesh, particle, slowSpeed))
		return UINT8_MAX;
	return (uint8_t)MinU32(patience * (uint32_t)known->wait, UINT8_MAX);
}

void Restless_Born(Restless* restless, ActiveMesh* mesh, uint8_t wait)
{
	for (uint32_t i = 0; i < mesh->log.born.count; ++i)
	{
		uint32_t particle = mesh->log.born.data[i], place = mesh->place[particle];
		uint8_t own = WaitOfBorn(restless, mesh, particle, wait);
		restless->slots[place % restlessSlots] = (RestlessPlace){place, (uint16_t)restless->pass, own, 0};
		mesh->joinWait[particle] = own;
	}
}
