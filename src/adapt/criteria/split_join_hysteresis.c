// SPDX-License-Identifier: MIT
#include "adapt/criteria/split_join_hysteresis.h"

enum
{
	waitFactor = 4, // each repeated split multiplies the wait
	soonWaits = 2,  // "soon" is within this many waits
};

static const float slowSpeed = 0.1f; // m/s

static bool IsSlow(const ActiveMesh* mesh, uint32_t particle)
{
	Vec3 v = V4Xyz(mesh->velocity[particle]);
	return V3Dot(v, v) < slowSpeed * slowSpeed;
}

static const HysteresisSlot* Find(const SplitJoinHysteresis* hysteresis, uint32_t key)
{
	DRAPE_ASSERT(key != 0);
	const HysteresisSlot* slot = &hysteresis->slots[key % hysteresisSlots];
	return slot->key == key ? slot : NULL;
}

static bool IsSoon(const SplitJoinHysteresis* hysteresis, const HysteresisSlot* known, uint16_t pass)
{
	DRAPE_ASSERT(known->wait <= UINT8_MAX);
	return (uint16_t)(hysteresis->pass - pass) <= soonWaits * known->wait;
}

uint8_t drapeSplitJoinHysteresis_Wait(const SplitJoinHysteresis* hysteresis, uint32_t key, uint8_t wait)
{
	const HysteresisSlot* known = Find(hysteresis, key);
	return known && known->wait > wait ? (uint8_t)known->wait : wait;
}

void drapeSplitJoinHysteresis_Leave(SplitJoinHysteresis* hysteresis, const ActiveMesh* mesh, const BitSet* leaving)
{
	uint32_t count = mesh->particleCount;
	for (uint32_t i = BitSet_Next(leaving, 0, count); i != DRAPE_NONE; i = BitSet_Next(leaving, i + 1, count))
	{
		DRAPE_ASSERT(mesh->originKey[i] != 0);
		HysteresisSlot* slot = &hysteresis->slots[mesh->originKey[i] % hysteresisSlots];
		if (slot->key == mesh->originKey[i])
			slot->leaves = (uint16_t)hysteresis->pass;
	}
}

// The time that the particle existed does not matter: a join may be blocked for several passes, and the split may still
// follow at once.
static uint8_t WaitOfCreated(const SplitJoinHysteresis* hysteresis, const ActiveMesh* mesh, uint32_t particle,
                             uint8_t wait)
{
	const HysteresisSlot* known = Find(hysteresis, mesh->originKey[particle]);
	if (!known || !IsSoon(hysteresis, known, known->leaves))
		return wait;
	if (wait > 0 && IsSlow(mesh, particle))
		return UINT8_MAX;
	uint32_t before = IsSoon(hysteresis, known, known->created) ? known->wait : wait;
	return (uint8_t)MinU32(waitFactor * before, UINT8_MAX);
}

void drapeSplitJoinHysteresis_SetWaits(SplitJoinHysteresis* hysteresis, ActiveMesh* mesh, uint8_t wait)
{
	uint16_t now = (uint16_t)hysteresis->pass;
	for (uint32_t i = 0; i < mesh->log.created.count; ++i)
	{
		uint32_t particle = mesh->log.created.data[i];
		DRAPE_ASSERT(particle < mesh->particleCount);
		uint32_t key = mesh->originKey[particle];
		uint8_t own = WaitOfCreated(hysteresis, mesh, particle, wait);
		hysteresis->slots[key % hysteresisSlots] = (HysteresisSlot){key, now, now, own};
		mesh->joinWait[particle] = own;
	}
}
