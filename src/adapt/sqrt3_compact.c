// SPDX-License-Identifier: MIT
#include "adapt/sqrt3.h"

// The end of a pass: removes dead elements from the arrays, fills the holes from the end, and updates the indices of
// moved elements. Pattern elements come first and are never removed, so their indices do not change.

static void CompactTriangles(Sqrt3Scheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	uint32_t last = active->triangleCount, moved = 0;
	active->triangleCount -= scheme->removedTriangles.count;
	scheme->triangles.count = active->triangleCount;
	for (uint32_t i = 0; i < scheme->removedTriangles.count; ++i)
	{
		uint32_t hole = scheme->removedTriangles.data[i];
		DRAPE_ASSERT(hole >= scheme->base.pattern->triangleCount);
		if (hole >= active->triangleCount)
			continue;
		do
			last--;
		while (active->triangleId[last] == DRAPE_NONE);
		drapeActiveMesh_MoveTriangle(active, hole, last);
		active->triangleId[hole] = hole;
		scheme->triangles.data[hole] = scheme->triangles.data[last];
		for (int k = 0; k < 3; ++k)
		{
			uint32_t side = scheme->triangles.data[hole].edge[k];
			active->wings[side >> 1].triangle[side & 1] = hole;
		}
		BitSet_Set(&active->log.trianglesTouched, last);
		drapeSqrt3_Touch(scheme, hole);
		scheme->rename.data[last] = hole;
		moved++;
	}
	scheme->removedTriangles.count = 0;
	for (uint32_t i = 0; moved > 0 && i < active->particleCount; ++i)
	{
		uint32_t* triangle = &scheme->births.data[i].triangle;
		if (*triangle >= active->triangleCount && *triangle != DRAPE_NONE)
			*triangle = scheme->rename.data[*triangle];
	}
}

static void CompactEdges(Sqrt3Scheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	uint32_t last = active->edgeCount;
	active->edgeCount -= scheme->removedEdges.count;
	for (uint32_t i = 0; i < scheme->removedEdges.count; ++i)
	{
		uint32_t hole = scheme->removedEdges.data[i];
		if (hole >= active->edgeCount)
			continue;
		do
			last--;
		while (active->edgeId[last] == DRAPE_NONE);
		drapeActiveMesh_MoveEdge(active, hole, last);
		active->edgeId[hole] = hole;
		for (uint32_t side = 0; side < 2; ++side)
		{
			uint32_t t = active->wings[hole].triangle[side];
			for (int k = 0; t != DRAPE_NONE && k < 3; ++k)
			{
				uint32_t* edge = &scheme->triangles.data[t].edge[k];
				if (*edge == (last << 1 | side))
					*edge = hole << 1 | side;
			}
		}
		BitSet_Set(&active->log.edgesTouched, hole);
		BitSet_Set(&active->log.edgesTouched, last);
	}
	scheme->removedEdges.count = 0;
}

static void CompactParticles(Sqrt3Scheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	ChangeLog* log = &active->log;
	uint32_t oldCount = active->particleCount - log->created.count, last = active->particleCount;
	active->particleCount -= log->removed.count;
	for (uint32_t i = 0; i < log->removed.count; ++i)
	{
		uint32_t hole = log->removed.data[i];
		DRAPE_ASSERT(hole < oldCount);
		if (hole >= active->particleCount)
			continue;
		do
			last--;
		while (active->vertexId[last] == DRAPE_NONE);
		drapeActiveMesh_MoveParticle(active, hole, last);
		scheme->births.data[hole] = scheme->births.data[last];
		scheme->particleOf.data[active->vertexId[hole]] = hole;
		scheme->rename.data[last] = hole;
		if (last >= oldCount)
			log->created.data[last - oldCount] = hole;
		else
			ArrayPush(&log->moved, ((ParticleMove){.from = last, .to = hole}));
	}
	scheme->births.count = active->particleCount;
}

// Indices from `particleCount` on belong to moved particles. Returns true when the index was one of them.
static bool Rename(const Sqrt3Scheme* scheme, uint32_t* particle)
{
	if (DRAPE_LIKELY(*particle < scheme->base.active->particleCount || *particle == DRAPE_NONE))
		return false;
	*particle = scheme->rename.data[*particle];
	return true;
}

static void RenameParticles(Sqrt3Scheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		Rename(scheme, &scheme->births.data[i].twin);
		for (int k = 0; k < 3; ++k)
			Rename(scheme, &active->parents[i].parent[k]);
	}
	for (uint32_t i = 0; i < active->triangleCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			if (Rename(scheme, &active->triangle[i][k]))
				BitSet_Set(&active->log.trianglesTouched, i);
		}
	}
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		uint32_t* opposite = active->wings[i].opposite;
		uint32_t* const named[4] = {&active->edgeFrom[i], &active->edgeTo[i], &opposite[0], &opposite[1]};
		for (int k = 0; k < 4; ++k)
		{
			if (Rename(scheme, named[k]))
				BitSet_Set(&active->log.edgesTouched, i);
		}
	}
}

// An edge has the lower generation of its two sides.
static void UpdateEdgeLevels(Sqrt3Scheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	const BitSet* touched = &active->log.edgesTouched;
	for (uint32_t e = BitSet_Next(touched, 0, active->edgeCount); e != DRAPE_NONE;
	     e = BitSet_Next(touched, e + 1, active->edgeCount))
	{
		const uint32_t* t = active->wings[e].triangle;
		uint8_t level = active->triangleLevel[t[0]];
		if (t[1] != DRAPE_NONE && active->triangleLevel[t[1]] < level)
			level = active->triangleLevel[t[1]];
		active->edgeLevel[e] = level;
	}
}

void drapeSqrt3_Compact(Sqrt3Scheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	bool hasRemoved = active->log.removed.count > 0;
	CompactParticles(scheme);
	if (hasRemoved)
		RenameParticles(scheme);
	CompactTriangles(scheme);
	CompactEdges(scheme);
	UpdateEdgeLevels(scheme);
}
