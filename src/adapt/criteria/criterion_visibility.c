// SPDX-License-Identifier: MIT
#include "adapt/criteria/criterion.h"
#include "base/checks/rules.h"

// Visibility (Simnett 2012, 5.5.1) is a filter: it keeps other criteria from refining what the camera does not see.

enum
{
	visibilityGrain = 1024, // particles per task; a multiple of 64, so that tasks write different words
};

static bool IsEnabled(const drapeAdaptDef* def)
{
	return def->visibility.enabled;
}

static bool IsValid(const drapeAdaptDef* def, const char** reason)
{
	const Rule rules[] = {{V3IsFinite(def->visibility.camera), "the camera is not at a finite position"}};
	return Rules_Hold(rules, 1, reason);
}

static void MarkFacing(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CriteriaPass* pass = context;
	const ActiveMesh* active = pass->active;
	Vec3 camera = pass->def->visibility.camera;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec3 towards = V3Sub(camera, V4Xyz(active->position[i]));
		if (V3Dot(towards, V4Xyz(active->normal[i])) > 0.0f)
			BitSet_Set(&pass->criteria->visible, i);
	}
}

void drapeVisibility_Mark(const CriteriaPass* pass, TaskPool* tasks)
{
	const drapeVisibilityCriterion* visibility = &pass->def->visibility;
	const ActiveMesh* active = pass->active;
	DRAPE_ASSERT(visibility->enabled);
	BitSet_ClearAll(&pass->criteria->visible, active->particleCount);
	BitSet_ClearAll(&pass->criteria->invisible, active->edgeCount);
	if (!visibility->visible)
	{
		drapeTaskPool_For(tasks, active->particleCount, visibilityGrain, MarkFacing, (void*)pass);
		return;
	}
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		if (visibility->visible(V4Xyz(active->position[i]), V4Xyz(active->normal[i]), visibility->context))
			BitSet_Set(&pass->criteria->visible, i);
	}
}

static bool EdgeIsVisible(const CriteriaPass* pass, uint32_t from, uint32_t to)
{
	DRAPE_ASSERT(from < pass->active->particleCount && to < pass->active->particleCount);
	return BitSet_Get(&pass->criteria->visible, from) || BitSet_Get(&pass->criteria->visible, to);
}

static uint32_t Permits(const CriteriaPass* pass, const uint32_t* from, const uint32_t* to)
{
	uint32_t bits = 0;
	for (uint32_t i = 0; i < 8; ++i)
		bits |= (uint32_t)EdgeIsVisible(pass, from[i], to[i]) << i;
	return bits;
}

static bool PermitsTriangle(const CriteriaPass* pass, const uint32_t corner[3])
{
	return EdgeIsVisible(pass, corner[0], corner[1]) || BitSet_Get(&pass->criteria->visible, corner[2]);
}

// True when the particle faces away by more than a few degrees. Coarsening turns the normals a little: a silhouette
// that was joined as soon as it is invisible would become visible again and be split for ever.
static bool IsTurnedAway(const CriteriaPass* pass, uint32_t particle)
{
	const float margin = 0.1f;
	if (pass->def->visibility.visible)
		return !BitSet_Get(&pass->criteria->visible, particle);
	Vec3 towards = V3Sub(pass->def->visibility.camera, V4Xyz(pass->active->position[particle]));
	return V3Dot(towards, V4Xyz(pass->active->normal[particle])) < -margin * V3Length(towards);
}

static bool EdgeIsHidden(const CriteriaPass* pass, uint32_t from, uint32_t to)
{
	return !EdgeIsVisible(pass, from, to) && IsTurnedAway(pass, from) && IsTurnedAway(pass, to);
}

static uint32_t Expels(const CriteriaPass* pass, const ParticleBlock* particles)
{
	uint32_t hidden = 0xff;
	for (uint32_t pair = 0; pair < particles->pairCount; ++pair)
	{
		for (uint32_t i = 0; i < 8; ++i)
			hidden &= ~((uint32_t)!EdgeIsHidden(pass, particles->from[pair][i], particles->to[pair][i]) << i);
	}
	return hidden;
}

static const drapeParameter parameters[] = {
	{.key = "camera",
     .label = "camera",
     .kind = drape_parameterVec3,
     .offset = offsetof(drapeVisibilityCriterion, camera),
     .unit = "m",
     .step = 0.01,
     .help = "what faces away from it is not refined"},
};

const Criterion drapeVisibilityRow = {
	.info = {.key = "visibility",
             .label = "By visibility",
             .help = "Does not refine what cannot be seen. Off without this section.",
             CRITERION_STRUCT(visibility, drapeVisibilityCriterion, enabled, parameters)},
	.needs = criterionNeedsVisibility,
	.preventsSleep = true,
	.isEnabled = IsEnabled,
	.isValid = IsValid,
	.permits = Permits,
	.permitsTriangle = PermitsTriangle,
	.expels = Expels,
};
