// SPDX-License-Identifier: MIT
#include "contact/contact_inner.h"

#include "contact/response/collider_sides.h"

// Contacts between cloths and colliders that the contact stage lets go: of pinched cloth, of parts of meshes on the wrong
// side, and of cloth that crosses colliders and has to come out.

// --- pinched particles ----------------------------------------------------------------------------------------------

PinchState* drapeContactStage_PinchOf(const ContactStage* stage, uint32_t vertex)
{
	DRAPE_ASSERT(vertex < stage->broadPhase.bodies.owner.count);
	uint32_t b = stage->broadPhase.bodies.owner.data[vertex];
	const ContactCloth* cloth = ContactStage_ClothOf(stage, b);
	uint32_t start = stage->broadPhase.bodies.bodies.data[b].vertexStart;
	return cloth && cloth->pinch ? &cloth->pinch[vertex - start] : NULL;
}

// Returns whether a gathered vertex of a mesh is on the wrong side of a cloth.
static bool HasPassed(const ContactStage* stage, const ContactCloth* cloth, uint32_t vertex)
{
	uint32_t b = stage->broadPhase.bodies.owner.data[vertex];
	if (!cloth->passed || b >= stage->colliderBodies)
		return false;
	const ContactScenery* scenery = ContactStage_SceneryOf(stage, cloth);
	uint32_t index = drapeContactScenery_IndexOf(scenery, b), shapes = scenery->colliderCount;
	if (index == DRAPE_NONE || index < shapes)
		return false;
	return Passed_HasVertex(cloth->passed, index - shapes,
	                        vertex - stage->broadPhase.bodies.bodies.data[b].vertexStart);
}

// Returns whether a vertex of a gathered mesh element is on the wrong side of the cloth of another element.
static bool ElementHasPassed(const ContactStage* stage, uint32_t clothElement, uint32_t meshElement)
{
	const ContactElement* elements = stage->broadPhase.bodies.elements.data;
	const ContactCloth* cloth = ContactStage_ClothOf(stage, elements[clothElement].body);
	bool isAny = false;
	for (int k = 0; k < 3 && stage->hasPassed; ++k)
		isAny |= HasPassed(stage, cloth, elements[meshElement].vertex[k]);
	return isAny;
}

// The same for a contact of four vertices, some of them of a cloth.
static bool ContactHasPassed(const ContactStage* stage, const uint32_t vertex[4])
{
	const uint16_t* owner = stage->broadPhase.bodies.owner.data;
	const ContactCloth* cloth =
		ContactStage_ClothOf(stage, MaxU32(owner[vertex[0]], owner[vertex[3]])); // cloths come last
	bool isAny = false;
	for (int k = 0; k < 4 && cloth && stage->hasPassed; ++k)
		isAny |= HasPassed(stage, cloth, vertex[k]);
	return isAny;
}

// Returns whether the collider of a body passes through a vertex of a cloth: it yields, or is pinched and has another
// home. The parts of a mesh are not told apart.
static bool IsPassedBy(const ContactStage* stage, uint32_t vertex, const PinchState* pinch, uint32_t body)
{
	const ContactCloth* cloth = ContactStage_ClothOf(stage, stage->broadPhase.bodies.owner.data[vertex]);
	DRAPE_ASSERT(cloth);
	const ContactScenery* scenery = ContactStage_SceneryOf(stage, cloth);
	bool isElsewhere =
		body >= stage->scenery.colliderCount || pinch->collider != drapeContactScenery_IndexOf(scenery, body);
	return PinchState_Yields(pinch) || (pinch->depth < 0.0f && isElsewhere);
}

bool drapeContactStage_PassesThrough(const ContactStage* stage, const uint32_t vertex[4])
{
	const uint16_t* owner = stage->broadPhase.bodies.owner.data;
	uint32_t collider = MinU32(owner[vertex[0]], owner[vertex[3]]); // colliders come first
	if (collider >= stage->colliderBodies)
		return false;
	if (ContactHasPassed(stage, vertex))
		return true;
	for (int k = 0; k < 4; ++k)
	{
		const PinchState* pinch = drapeContactStage_PinchOf(stage, vertex[k]);
		if (!pinch)
			continue;
		if (IsPassedBy(stage, vertex[k], pinch, collider))
			return true;
	}
	return false;
}

bool drapeContactStage_IsInside(const ContactStage* stage, const uint32_t vertex[4])
{
	bool isAny = false;
	for (int k = 0; k < 4; ++k)
	{
		const PinchState* pinch = drapeContactStage_PinchOf(stage, vertex[k]);
		isAny |= pinch && pinch->depth > 0.0f;
	}
	return isAny;
}

// --- parts of meshes on the wrong side ------------------------------------------------------------------------------

typedef struct CrossedContext
{
	const ContactStage* stage;
	const ContactScenery* scenery; // of the cloth
} CrossedContext;

static bool IsCrossed(uint32_t mesh, uint32_t triangle, const void* context)
{
	const CrossedContext* c = context;
	const ContactBody* bodies = c->stage->broadPhase.bodies.bodies.data;
	uint32_t body = ContactScenery_BodyOf(c->scenery, c->scenery->colliderCount + mesh);
	return BitSet_Get(&c->stage->crossedElements, bodies[body].elementStart + triangle);
}

// Marks the elements of meshes that the cloth of a body crosses when the step begins. Returns false when out of memory.
static bool MarkCrossed(ContactStage* stage, uint32_t body)
{
	const ElementPairs* crossed = &stage->proximities.crossed;
	const ContactElement* elements = stage->broadPhase.bodies.elements.data;
	uint32_t count = ContactStage_FirstCloth(stage)->elementStart;
	if (!BitSet_Reserve(&stage->crossedElements, count))
		return false;
	BitSet_ClearAll(&stage->crossedElements, count);
	for (uint32_t i = 0; i < crossed->count; ++i)
	{
		uint32_t low = MinU32(crossed->data[i].a, crossed->data[i].b);
		uint32_t high = MaxU32(crossed->data[i].a, crossed->data[i].b);
		if (low < count && elements[high].body == body)
			BitSet_Set(&stage->crossedElements, low);
	}
	return true;
}

// Finds the parts of meshes that are on the wrong side of cloths in this step. Returns false when out of memory.
static bool BeginPassed(ContactStage* stage)
{
	stage->hasPassed = false;
	for (uint32_t b = stage->colliderBodies; b < stage->broadPhase.members.count; ++b)
	{
		const ContactCloth* cloth = ContactStage_ClothOf(stage, b);
		const ContactScenery* scenery = ContactStage_SceneryOf(stage, cloth);
		const CrossedContext crossed = {stage, scenery};
		PassedVertices* passed = cloth->passed;
		if (!passed)
			continue;
		if (!drapePassed_Begin(passed, scenery->meshes, scenery->meshCount))
			return false;
		if ((passed->isAny || drapePassed_IsImpaled(passed)) &&
		    (!MarkCrossed(stage, b) ||
		     !drapePassed_KeepCrossing(passed, scenery->meshes, scenery->meshCount, IsCrossed, &crossed) ||
		     !drapePassed_ReleaseImpaled(passed, scenery->meshes, scenery->meshCount, IsCrossed, &crossed)))
			return false;
		stage->hasPassed |= passed->isAny;
	}
	return true;
}

// Counts the passes of the vertices that a mesh element owns through a cloth triangle. Returns false when out of memory.
static bool CountPasses(ContactStage* stage, uint32_t clothElement, uint32_t meshElement)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	const ContactElement *face = &bodies->elements.data[clothElement], *element = &bodies->elements.data[meshElement];
	const ContactCloth* cloth = ContactStage_ClothOf(stage, face->body);
	DRAPE_ASSERT(cloth && element->body >= stage->scenery.colliderCount && element->body < stage->colliderBodies);
	const ContactScenery* scenery = ContactStage_SceneryOf(stage, cloth);
	uint32_t index = drapeContactScenery_IndexOf(scenery, element->body);
	DRAPE_ASSERT(index != DRAPE_NONE && index >= scenery->colliderCount); // filtered bodies have no pairs
	Vec3 from[4], to[4];
	for (int k = 0; k < 3; ++k)
	{
		from[k + 1] = V4Xyz(bodies->from.data[face->vertex[k]]);
		to[k + 1] = V4Xyz(bodies->to.data[face->vertex[k]]);
	}
	for (int k = 0; k < 3; ++k)
	{
		uint32_t v = element->vertex[k];
		if (!(element->owns & ownsVertex << k) || !cloth->passed)
			continue;
		from[0] = V4Xyz(bodies->from.data[v]);
		to[0] = V4Xyz(bodies->to.data[v]);
		if (drapePassed_Passes(from, to) && !drapePassed_Add(cloth->passed, index - scenery->colliderCount,
		                                                     v - bodies->bodies.data[element->body].vertexStart))
			return false;
	}
	return true;
}

static bool HasPinched(const ContactCloth* cloth)
{
	for (uint32_t i = 0; cloth->pinch && i < cloth->mesh->particleCount; ++i)
	{
		if (cloth->pinch[i].depth < 0.0f)
			return true;
	}
	return false;
}

// Returns whether a cloth crosses colliders where they count as solid.
static bool HasCrossing(const ContactStage* stage, uint32_t body)
{
	const ContactBody* cloth = &stage->broadPhase.bodies.bodies.data[body];
	return BitSet_Next(&stage->crossing, cloth->vertexStart, cloth->vertexEnd) != DRAPE_NONE;
}

// Counts the passes of the step. Impacts stop all of them but those that they let through.
void drapeContactStage_EndPassed(ContactStage* stage, float dt)
{
	DRAPE_ASSERT(dt > 0.0f && stage->isGathered);
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	const ElementPairs* pairs = &stage->broadPhase.pairs;
	uint32_t firstMesh = stage->scenery.colliderCount;
	bool mayPass = stage->hasPinched || stage->hasPassed || stage->hasCrossing || stage->impactResult.released > 0;
	bool isCounted = true;
	for (uint32_t i = 0; i < pairs->count && mayPass && isCounted; ++i)
	{
		uint32_t low = MinU32(pairs->data[i].a, pairs->data[i].b), high = MaxU32(pairs->data[i].a, pairs->data[i].b);
		uint32_t lowBody = bodies->elements.data[low].body, highBody = bodies->elements.data[high].body;
		if (lowBody >= firstMesh && lowBody < stage->colliderBodies && highBody >= stage->colliderBodies)
			isCounted = CountPasses(stage, high, low);
	}
	for (uint32_t b = stage->colliderBodies; b < stage->broadPhase.members.count; ++b)
	{
		const ContactCloth* cloth = ContactStage_ClothOf(stage, b);
		const ContactScenery* scenery = ContactStage_SceneryOf(stage, cloth);
		if (cloth->passed)
			drapePassed_End(cloth->passed, scenery->meshes, scenery->meshCount,
			                &(PassedStep){HasPinched(cloth), stage->hasCrossing && HasCrossing(stage, b), dt});
	}
}

// --- crossings with mesh colliders ----------------------------------------------------------------------------------

// Cloth leaves mesh colliders at up to this speed, m/s, where they poke through it.
static const float pokeSpeed = 1.0f;

static ColliderSides SidesOf(const ContactStage* stage)
{
	return (ColliderSides){&stage->broadPhase.bodies, stage->scenery.meshes, stage->scenery.colliderCount,
	                       stage->scenery.meshCount};
}

// Marks the corners of a cloth triangle that crosses an element of a mesh, and sets the depths of corners inside.
// Returns whether the collider may pass through the triangle.
static bool MarkCrossing(ContactStage* stage, const ColliderSides* sides, uint32_t clothElement, uint32_t meshElement)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	const ContactElement* element = &bodies->elements.data[clothElement];
	const ContactCloth* cloth = ContactStage_ClothOf(stage, element->body);
	uint32_t start = bodies->bodies.data[element->body].vertexStart;
	bool isPassed = false;
	float reach = 0.0f;
	for (int k = 0; k < 3; ++k)
		reach += V3Length(V3Sub(V4Xyz(bodies->from.data[element->vertex[k]]),
		                        V4Xyz(bodies->from.data[element->vertex[(k + 1) % 3]])));
	for (int k = 0; k < 3; ++k)
	{
		uint32_t v = element->vertex[k];
		BitSet_Set(&stage->crossing, v);
		if (!cloth->pinch || !(bodies->from.data[v].w > 0.0f))
			continue;
		PinchState* pinch = &cloth->pinch[v - start];
		if (pinch->depth == 0.0f)
			pinch->depth = drapeColliderSides_DepthOf(sides, v, meshElement, reach);
		isPassed |= IsPassedBy(stage, v, pinch, bodies->elements.data[meshElement].body);
	}
	return isPassed;
}

// Marks the particles of edges that are so long that colliders pass through them, in a cloth that was pinched lately.
static void MarkYielding(const ContactCloth* cloth, bool wasPinched)
{
	const ActiveMesh* mesh = cloth->mesh;
	float square = cloth->yieldStretch * cloth->yieldStretch;
	DRAPE_ASSERT(cloth->yieldStretch > 1.0f && cloth->pinch && cloth->passed);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		if (PinchState_Yields(&cloth->pinch[i]))
			cloth->pinch[i] = (PinchState){0};
	}
	for (uint32_t e = 0; e < mesh->edgeCount && wasPinched; ++e)
	{
		const uint32_t ends[2] = {mesh->edgeFrom[e], mesh->edgeTo[e]};
		Vec3 d = V3Sub(V4Xyz(mesh->position[ends[1]]), V4Xyz(mesh->position[ends[0]]));
		if (V3Dot(d, d) <= square * mesh->restLength[e] * mesh->restLength[e])
			continue;
		for (int k = 0; k < 2; ++k)
		{
			if (mesh->position[ends[k]].w > 0.0f)
				cloth->pinch[ends[k]] = (PinchState){pinchLeastDepth, pinchYields, 0};
		}
	}
}

// Marks the particles that are inside colliders, and finds out whether any is pinched. Returns false when out of memory.
static bool MarkInside(ContactStage* stage)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	stage->hasCrossing = stage->hasPinched = false;
	if (!BitSet_Reserve(&stage->crossing, bodies->from.count))
		return false;
	BitSet_ClearAll(&stage->crossing, bodies->from.count);
	for (uint32_t b = stage->colliderBodies; b < bodies->bodies.count; ++b)
	{
		const ContactCloth* cloth = ContactStage_ClothOf(stage, b);
		if (cloth->pinch && stage->colliderBodies > 0)
			MarkYielding(cloth, cloth->passed->left > 0.0f);
		for (uint32_t i = 0; cloth->pinch && i < cloth->mesh->particleCount; ++i)
		{
			stage->hasPinched |= cloth->pinch[i].depth < 0.0f || PinchState_Yields(&cloth->pinch[i]);
			if (!(cloth->pinch[i].depth > 0.0f))
				continue;
			BitSet_Set(&stage->crossing, bodies->bodies.data[b].vertexStart + i);
			stage->hasCrossing = true;
		}
	}
	return true;
}

bool drapeContactStage_LeaveColliders(ContactStage* stage, float reach, float dt)
{
	const ElementPairs* crossed = &stage->proximities.crossed;
	const ColliderSides sides = SidesOf(stage);
	const PokeDef poke = {reach, pokeSpeed * dt};
	uint32_t points = stage->proximities.points.count, firstElement = ContactStage_FirstCloth(stage)->elementStart;
	if (!BeginPassed(stage) || !MarkInside(stage))
		return false;
	for (uint32_t i = 0; i < crossed->count; ++i)
	{
		uint32_t low = MinU32(crossed->data[i].a, crossed->data[i].b);
		uint32_t high = MaxU32(crossed->data[i].a, crossed->data[i].b);
		if (low >= firstElement || ElementHasPassed(stage, high, low))
			continue;
		stage->hasCrossing = true;
		bool isPassed = MarkCrossing(stage, &sides, high, low);
		if (!isPassed && !drapeColliderSides_AddPokes(&sides, high, low, &poke, &stage->proximities))
			return false;
	}
	drapeColliderSides_MakeUnique(&stage->proximities, points);
	return true;
}

// Returns whether a contact would hold cloth inside a mesh that it crosses.
static bool HoldsInside(const ContactStage* stage, const uint32_t vertex[4], uint32_t firstCount, Vec3 normal)
{
	bool isCrossing = false;
	for (int k = 0; k < 4 && stage->hasCrossing; ++k)
		isCrossing |= BitSet_Get(&stage->crossing, vertex[k]);
	if (!isCrossing)
		return false;
	const ColliderSides sides = SidesOf(stage);
	return drapeColliderSides_ActsInwards(&sides, &(SidedContact){vertex, firstCount, normal});
}

bool drapeContactStage_IsFreed(const ContactStage* stage, const uint32_t vertex[4], uint32_t firstCount, Vec3 normal)
{
	if (HoldsInside(stage, vertex, firstCount, normal))
		return true;
	if (!stage->recovery.isActive)
		return false;
	uint32_t own[4], first = ContactStage_FirstCloth(stage)->vertexStart;
	for (int k = 0; k < 4; ++k)
		own[k] = vertex[k] >= first ? vertex[k] - first : DRAPE_NONE;
	return drapeRecovery_Frees(&stage->recovery, own, firstCount, normal);
}

bool drapeContactStage_FreesImpact(const ContactFeature* feature, Vec3 normal, const void* context)
{
	return drapeContactStage_PassesThrough(context, feature->vertex) ||
	       drapeContactStage_IsFreed(context, feature->vertex, feature->isFace ? 1 : 2, normal);
}
