// SPDX-License-Identifier: MIT
#include "contact/contact_inner.h"
#include "contact/narrow/sweeps.h"

// Sweeps of adaptation. Flipping an edge or removing a particle moves the surface at once, so that CCD does not see it.
// The contact stage refuses changes whose sweep touches anything.

// Vertices are the particles of all cloths with all contact, one cloth after another. False when out of memory.
static bool FindStitched(ContactStage* stage)
{
	uint32_t vertices = 0;
	if (stage->stitched.list.count == 0)
		return true;
	if (!drapeContactStage_BeginStitched(stage))
		return false;
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
	{
		const ContactCloth* cloth = &stage->cloths.data[i];
		if (!cloth->hasAllContact)
			continue;
		drapeStitched_SetRange(&stage->stitched, cloth->slot, vertices, cloth->mesh->particleCount);
		vertices += cloth->mesh->particleCount;
	}
	return drapeStitched_Build(&stage->stitched, vertices);
}

bool drapeContactStage_Look(ContactStage* stage)
{
	stage->swept.count = 0;
	DRAPE_ASSERT(!stage->isGathered);
	if (!stage->hasLooked && !drapeContactStage_GatherColliders(stage))
		return false;
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
	{
		const ContactCloth* cloth = &stage->cloths.data[i];
		bool isChanged = !stage->hasLooked || cloth->broadPhase->revision != cloth->mesh->revision;
		if (!cloth->hasAllContact || !isChanged)
			continue;
		float margin = drapeContactStage_NearMargin(stage, cloth);
		if (!drapeBroadPhaseCloth_Follow(cloth->broadPhase, cloth->pattern, cloth->mesh, stage->tasks) ||
		    !drapeBroadPhaseCloth_Fit(cloth->broadPhase, cloth->mesh, margin, stage->tasks))
			return false;
	}
	stage->hasLooked = true;
	return FindStitched(stage);
}

// The corners of a sweep and the cloth whose triangles are tested.
typedef struct StitchedSweep
{
	const StitchedVertices* stitched;
	uint32_t vertex[4];
	uint32_t slot;
} StitchedSweep;

static bool IsJoined(const uint32_t three[3], const void* context)
{
	const StitchedSweep* sweep = context;
	uint32_t vertex[3];
	for (int k = 0; k < 3; ++k)
		vertex[k] = drapeStitched_VertexOf(sweep->stitched, sweep->slot, three[k]);
	return drapeStitched_Joins(sweep->stitched, sweep->vertex, 4, vertex, 3);
}

// The sweep of a cloth as it is tested against triangles of `other`. `joined` is memory for the result.
static Sweep SweepAgainst(const ContactStage* stage, uint32_t cloth, uint32_t other, const SurfaceSweep* sweep,
                          StitchedSweep* joined)
{
	Sweep asked = {
		.corner = sweep->corner, .particle = other == cloth ? sweep->particle : NULL, .isWhole = sweep->isWhole};
	if (stage->stitched.list.count == 0)
		return asked;
	*joined = (StitchedSweep){.stitched = &stage->stitched, .slot = stage->cloths.data[other].slot};
	for (int k = 0; k < 4; ++k)
		joined->vertex[k] =
			drapeStitched_VertexOf(&stage->stitched, stage->cloths.data[cloth].slot, sweep->particle[k]);
	asked.ignores = IsJoined;
	asked.context = joined;
	return asked;
}

// A cloth collides with itself.
static bool Collide(const ContactStage* stage, uint32_t cloth, uint32_t other)
{
	const ContactCloth* list = stage->cloths.data;
	return cloth == other || ContactFilters_Touch(list[cloth].filter, list[other].filter);
}

// True when the sweep touches a triangle that earlier changes since Look have left.
static bool TouchesSwept(const ContactStage* stage, uint32_t cloth, const SurfaceSweep* sweep)
{
	DRAPE_ASSERT(sweep->isWhole);
	Kdop own = Kdop_Empty();
	for (int k = 0; k < 4; ++k)
		Kdop_Add(&own, 6, sweep->corner[k], 0.0f);
	for (uint32_t i = 0; i < stage->swept.count; ++i)
	{
		const SweptTriangle* other = &stage->swept.data[i];
		StitchedSweep joined;
		const Sweep asked = SweepAgainst(stage, cloth, other->cloth, sweep, &joined);
		if (Collide(stage, cloth, other->cloth) && Kdop_Overlap(&own, &other->bounds, 6) &&
		    drapeSweep_HitsTriangle(&asked, other->corner, other->particle))
			return true;
	}
	return false;
}

// Adds the two triangles after a flip, or the one that is left when a particle goes. False when out of memory.
static bool AddSwept(ContactStage* stage, uint32_t cloth, const SurfaceSweep* sweep)
{
	DRAPE_ASSERT(sweep->isWhole);
	static const uint8_t flipped[2][3] = {{0, 2, 3}, {1, 3, 2}}, left[1][3] = {{0, 1, 2}};
	uint32_t count = sweep->isFlip ? 2 : 1;
	if (!ArrayReserve(&stage->swept, stage->swept.count + count))
		return false;
	for (uint32_t i = 0; i < count; ++i)
	{
		const uint8_t* three = sweep->isFlip ? flipped[i] : left[i];
		SweptTriangle triangle = {.cloth = cloth, .bounds = Kdop_Empty()};
		for (int k = 0; k < 3; ++k)
		{
			triangle.corner[k] = sweep->corner[three[k]];
			triangle.particle[k] = sweep->particle[three[k]];
			Kdop_Add(&triangle.bounds, 6, triangle.corner[k], 0.0f);
		}
		ArrayPush(&stage->swept, triangle);
	}
	return true;
}

static bool TouchesCloths(ContactStage* stage, uint32_t cloth, const SurfaceSweep* sweep)
{
	for (uint32_t i = 0; i < stage->cloths.count; ++i)
	{
		const ContactCloth* other = &stage->cloths.data[i];
		const BroadPhaseCloth* broadPhase = other->broadPhase;
		StitchedSweep joined;
		const Sweep asked = SweepAgainst(stage, cloth, i, sweep, &joined);
		if (other->hasAllContact && broadPhase->isFitted && Collide(stage, cloth, i) &&
		    drapeSweep_HitsTree(&asked, &broadPhase->tree.bvh, broadPhase->corners.data, other->mesh->position,
		                        &stage->broadPhase.near))
			return true;
	}
	return false;
}

static bool TouchesColliders(ContactStage* stage, const ContactCloth* cloth, const SurfaceSweep* sweep)
{
	const ContactScenery* scenery = ContactStage_SceneryOf(stage, cloth);
	const Sweep asked = {.corner = sweep->corner, .isWhole = sweep->isWhole, .filter = cloth->filter};
	for (uint32_t i = 0; i < scenery->meshCount; ++i)
	{
		const MeshShape* shape = scenery->meshes[i].shape;
		if (drapeSweep_HitsTree(&asked, &shape->tree, shape->triangle, shape->from, &stage->broadPhase.near))
			return true;
	}
	return drapeSweep_HitsBodies(&asked, &stage->broadPhase, stage->colliderBodies);
}

bool drapeContactStage_IsFree(ContactStage* stage, uint32_t cloth, const SurfaceSweep* sweep)
{
	DRAPE_ASSERT(stage->hasLooked);
	DRAPE_ASSERT(cloth < stage->cloths.count && stage->cloths.data[cloth].hasAllContact);
	if (TouchesCloths(stage, cloth, sweep) || TouchesColliders(stage, &stage->cloths.data[cloth], sweep))
		return false;
	return !sweep->isWhole || (!TouchesSwept(stage, cloth, sweep) && AddSwept(stage, cloth, sweep));
}
