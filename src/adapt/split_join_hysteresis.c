// SPDX-License-Identifier: MIT
#include "adapt/split_join_hysteresis.h"

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

static const HysteresisSlot* Find(const SplitJoinHysteresis* hysteresis, uint32_t place)
{
	const HysteresisSlot* slot = &hysteresis->slots[place % hysteresisSlots];
	return slot->place == place ? slot : NULL;
}

static bool IsSoon(const SplitJoinHysteresis* hysteresis, const HysteresisSlot* known, uint16_t pass)
{
	return (uint16_t)(hysteresis->pass - pass) <= soonWaits * known->wait;
}

uint8_t drapeSplitJoinHysteresis_Wait(const SplitJoinHysteresis* hysteresis, uint32_t place, uint8_t wait)
{
	const HysteresisSlot* known = Find(hysteresis, place);
	return known && known->wait > wait ? (uint8_t)known->wait : wait;
}

void drapeSplitJoinHysteresis_Leave(SplitJoinHysteresis* hysteresis, const ActiveMesh* mesh, const BitSet* leaving)
{
	uint32_t count = mesh->particleCount;
	for (uint32_t i = BitSet_Next(leaving, 0, count); i != DRAPE_NONE; i = BitSet_Next(leaving, i + 1, count))
	{
		HysteresisSlot* slot = &hysteresis->slots[mesh->place[i] % hysteresisSlots];
		if (slot->place == mesh->place[i])
			slot->leaves = (uint16_t)hysteresis->pass;
	}
}

// What is born where it was born before has gone in between. How long it was there does not tell whether it is
// hysteresis: it may take several attempts until it is let go, and is split again at once.
static uint8_t WaitOfBorn(const SplitJoinHysteresis* hysteresis, const ActiveMesh* mesh, uint32_t particle,
                          uint8_t wait)
{
	uint32_t place = mesh->place[particle];
	const HysteresisSlot* known = Find(hysteresis, place);
	if (!known || !IsSoon(hysteresis, known, known->leaves))
		return wait;
	if (wait > 0 && IsSlow(mesh, particle))
		return UINT8_MAX;
	uint32_t before = IsSoon(hysteresis, known, known->born) ? known->wait : wait;
	return (uint8_t)MinU32(patience * before, UINT8_MAX);
}

void drapeSplitJoinHysteresis_Born(SplitJoinHysteresis* hysteresis, ActiveMesh* mesh, uint8_t wait)
{
	uint16_t now = (uint16_t)hysteresis->pass;
	for (uint32_t i = 0; i < mesh->log.born.count; ++i)
	{
		uint32_t particle = mesh->log.born.data[i], place = mesh->place[particle];
		uint8_t own = WaitOfBorn(hysteresis, mesh, particle, wait);
		hysteresis->slots[place % hysteresisSlots] = (HysteresisSlot){place, now, now, own};
		mesh->joinWait[particle] = own;
	}
}
