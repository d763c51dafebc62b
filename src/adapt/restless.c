// SPDX-License-Identifier: MIT
#include "adapt/restless.h"

enum
{
	patience = 4,  // times as long
	soonWaits = 2, // waits within which something is soon
};

static const float slowSpeed = 0.1f; // m/s

static bool IsSlow(const ActiveMesh* mesh, uint32_t particle)
{
	Vec3 v = V4Xyz(mesh->velocity[particle]);
	return V3Dot(v, v) < slowSpeed * slowSpeed;
}

static const RestlessPlace* Find(const Restless* restless, uint32_t place)
{
	const RestlessPlace* slot = &restless->slots[place % restlessSlots];
	return slot->place == place ? slot : NULL;
}

static bool IsSoon(const Restless* restless, const RestlessPlace* known, uint16_t pass)
{
	return (uint16_t)(restless->pass - pass) <= soonWaits * known->wait;
}

uint8_t drapeRestless_Wait(const Restless* restless, uint32_t place, uint8_t wait)
{
	const RestlessPlace* known = Find(restless, place);
	return known && known->wait > wait ? (uint8_t)known->wait : wait;
}

void drapeRestless_Leave(Restless* restless, const ActiveMesh* mesh, const BitSet* leaving)
{
	uint32_t count = mesh->particleCount;
	for (uint32_t i = BitSet_Next(leaving, 0, count); i != DRAPE_NONE; i = BitSet_Next(leaving, i + 1, count))
	{
		RestlessPlace* slot = &restless->slots[mesh->place[i] % restlessSlots];
		if (slot->place == mesh->place[i])
			slot->leaves = (uint16_t)restless->pass;
	}
}

// What is born where it was born before has gone in between. How long it was there does not tell whether it is
// restless: it may take several attempts until it is let go, and is split again at once.
static uint8_t WaitOfBorn(const Restless* restless, const ActiveMesh* mesh, uint32_t particle, uint8_t wait)
{
	uint32_t place = mesh->place[particle];
	const RestlessPlace* known = Find(restless, place);
	if (!known || !IsSoon(restless, known, known->leaves))
		return wait;
	if (wait > 0 && IsSlow(mesh, particle))
		return UINT8_MAX;
	uint32_t before = IsSoon(restless, known, known->born) ? known->wait : wait;
	return (uint8_t)MinU32(patience * before, UINT8_MAX);
}

void drapeRestless_Born(Restless* restless, ActiveMesh* mesh, uint8_t wait)
{
	uint16_t now = (uint16_t)restless->pass;
	for (uint32_t i = 0; i < mesh->log.born.count; ++i)
	{
		uint32_t particle = mesh->log.born.data[i], place = mesh->place[particle];
		uint8_t own = WaitOfBorn(restless, mesh, particle, wait);
		restless->slots[place % restlessSlots] = (RestlessPlace){place, now, now, own};
		mesh->joinWait[particle] = own;
	}
}
