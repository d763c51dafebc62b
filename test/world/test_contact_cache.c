// SPDX-License-Identifier: MIT
#include "contact_scene.h"

#include "world/contact_input.h"
#include "world/world.h"

// Two sheets of 2 x 2 quads in a world, one above the other, and two boxes: too far from each other to touch. Points
// between them are made by hand, step by step, and so are their friction states.
//
//   6 - 7 - 8      vertices of a sheet, seen from above, at distances of 0.5 m
//   | / | / |
//   3 - 4 - 5
//   | / | / |
//   0 - 1 - 2

typedef struct Rig
{
	ContactScene scene;
	drapeWorld* world;
	drapeClothId lower, upper;
	ContactCache contactCache; // the test's own
} Rig;

enum
{
	mostPoints = 8,
};

// Whatever has a number in the broadPhase is numbered anew.
static void Rig_Gather(Rig* rig)
{
	drapeScenery_Animate(rig->world, 0.0f);
	assert_true(drapeWorld_PrepareContact(rig->world, 0.01f));
}

static void Rig_Create(Rig* rig, drapeScheme scheme)
{
	const ContactSceneDef def = {.workers = 1, .scheme = scheme, .model = drape_modelFem, .quads = 2};
	drapeColliderDef box = drapeDefaultColliderDef();
	box.shape = drape_shapeBox;
	box.halfExtents = (drapeVec3){0.5f, 0.1f, 0.5f};
	*rig = (Rig){0};
	ContactScene_Create(&rig->scene, &def);
	for (int i = 0; i < 2; ++i)
	{
		box.transform = Placed(0.0f, -1.0f - (float)i, 0.0f);
		ContactScene_AddShape(&rig->scene, &box);
	}
	rig->world = drapeWorlds_Get(rig->scene.world);
	rig->lower = ContactScene_AddSheet(&rig->scene, Placed(0.0f, 0.0f, 0.0f));
	rig->upper = ContactScene_AddSheet(&rig->scene, Placed(0.0f, 0.5f, 0.0f));
	Rig_Gather(rig);
}

static void Rig_Destroy(Rig* rig)
{
	drapeContactCache_Free(&rig->contactCache);
	ContactScene_Destroy(&rig->scene);
}

// --- points ---------------------------------------------------------------------------------------------------------

// The number in the broadPhase of a particle.
static uint32_t VertexOf(const Rig* rig, drapeClothId cloth, uint32_t particle)
{
	const BroadPhase* broadPhase = &rig->world->contact.broadPhase;
	for (uint32_t b = 0; b < broadPhase->members.count; ++b)
	{
		if (broadPhase->members.data[b].mesh == &drapeCloth_Get(cloth)->active)
			return broadPhase->bodies.bodies.data[b].vertexStart + particle;
	}
	fail_msg("the cloth is not in the broadPhase");
	return DRAPE_NONE;
}

// A point that is in touch at these shares of its corners, where they are.
static Proximity PointOf(const Rig* rig, const uint32_t vertex[4], const float weight[4])
{
	Proximity point = {.activationDistance = 1.0f, .friction = 0.5f};
	Vec3 between = {0.0f, 0.0f, 0.0f};
	for (int k = 0; k < 4; ++k)
	{
		point.vertex[k] = vertex[k];
		point.weight[k] = weight[k];
		between = V3Add(between, V3Scale(weight[k], V4Xyz(rig->world->contact.broadPhase.bodies.from.data[vertex[k]])));
	}
	point.distance = V3Length(between);
	point.normal = V3Scale(1.0f / point.distance, between);
	return point;
}

// A particle of the upper sheet over a face of the lower one.
static Proximity OnFace(const Rig* rig, uint32_t particle, const uint32_t face[3], const float share[3])
{
	const uint32_t vertex[4] = {VertexOf(rig, rig->upper, particle), VertexOf(rig, rig->lower, face[0]),
	                            VertexOf(rig, rig->lower, face[1]), VertexOf(rig, rig->lower, face[2])};
	const float weight[4] = {1.0f, -share[0], -share[1], -share[2]};
	return PointOf(rig, vertex, weight);
}

// Two edges, each met at this share of its second end.
static Proximity OnEdge(const Rig* rig, drapeClothId first, const uint32_t own[2], float s, drapeClothId second,
                        const uint32_t other[2], float t)
{
	const uint32_t vertex[4] = {VertexOf(rig, first, own[0]), VertexOf(rig, first, own[1]),
	                            VertexOf(rig, second, other[0]), VertexOf(rig, second, other[1])};
	const float weight[4] = {1.0f - s, s, t - 1.0f, -t};
	return PointOf(rig, vertex, weight);
}

// --- steps ----------------------------------------------------------------------------------------------------------

static Vec4 Recall(Rig* rig, Proximity point)
{
	uint32_t index = rig->contactCache.now.count++;
	return drapeContactCache_Recall(&rig->contactCache, &rig->world->contact.broadPhase, index, &point);
}

static void Begin(Rig* rig)
{
	assert_true(drapeContactCache_Begin(&rig->contactCache, mostPoints));
}

// A step with these points, after which friction has done that.
static void StoreFriction(Rig* rig, const Proximity* points, Vec4* done, uint32_t count)
{
	Begin(rig);
	for (uint32_t i = 0; i < count; ++i)
		Recall(rig, points[i]);
	drapeContactCache_Remember(&rig->contactCache, done, count);
}

static void AssertFriction(Vec4 seen, Vec4 expected)
{
	assert_true(seen.x == expected.x && seen.y == expected.y && seen.z == expected.z && seen.w == expected.w);
}

static Vec4 Opposite(Vec4 frictionState)
{
	return (Vec4){-frictionState.x, -frictionState.y, -frictionState.z, frictionState.w};
}

static const Vec4 nowhere = {0.0f, 0.0f, 0.0f, 0.0f};
static const Vec4 frictionStates[3] = {{1.0f, -2.0f, 3.0f, 4.0f}, {-0.5f, 0.25f, 8.0f, 1.0f}, {7.0f, 6.0f, 5.0f, 2.0f}};
static const uint32_t face[3] = {4, 0, 1};
static const float shares[3] = {0.5f, 0.25f, 0.25f};

// --- known again ----------------------------------------------------------------------------------------------------

// Of the points of a step the second is between the same nearest vertices as the first: to know that is not enough.

static void AFaceIsKnownWithItsCornersInAnyOrder(void** state)
{
	(void)state;
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	const uint32_t beside[3] = {4, 3, 0};
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	for (int k = 0; k < 6; ++k)
	{
		const int* order = orders[k];
		Vec4 frictionState[2] = {frictionStates[0], frictionStates[1]};
		const Proximity points[2] = {OnFace(&rig, 4, face, shares), OnFace(&rig, 4, beside, shares)};
		StoreFriction(&rig, points, frictionState, 2);
		Begin(&rig);
		const uint32_t again[3] = {face[order[0]], face[order[1]], face[order[2]]};
		const float shareAgain[3] = {shares[order[0]], shares[order[1]], shares[order[2]]};
		AssertFriction(Recall(&rig, OnFace(&rig, 4, again, shareAgain)), frictionState[0]);
	}
	Rig_Destroy(&rig);
}

// What the first does to the second is the opposite of what the second does to the first.
static void EdgesMatchInAnyOrderAndTheirFrictionIsReversed(void** state)
{
	(void)state;
	const uint32_t own[2][2] = {{3, 4}, {4, 3}}, other[2][2] = {{1, 4}, {4, 1}}, ownBeside[2] = {3, 0},
				   otherBeside[2] = {1, 0};
	const float s[2] = {0.25f, 0.75f}, t[2] = {0.375f, 0.625f};
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	for (int k = 0; k < 8; ++k)
	{
		int i = k & 1, j = k >> 1 & 1;
		Vec4 frictionState[2] = {frictionStates[0], frictionStates[1]};
		const Proximity points[2] = {
			OnEdge(&rig, rig.lower, own[0], s[0], rig.upper, other[0], t[0]),
			OnEdge(&rig, rig.lower, ownBeside, s[0], rig.upper, otherBeside, t[0]),
		};
		StoreFriction(&rig, points, frictionState, 2);
		Begin(&rig);
		if (k < 4)
			AssertFriction(Recall(&rig, OnEdge(&rig, rig.lower, own[i], s[i], rig.upper, other[j], t[j])),
			               frictionState[0]);
		else
			AssertFriction(Recall(&rig, OnEdge(&rig, rig.upper, other[j], t[j], rig.lower, own[i], s[i])),
			               Opposite(frictionState[0]));
	}
	Rig_Destroy(&rig);
}

static void PointsOnCollidersAreKnown(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	Vec4 frictionState[2] = {frictionStates[0], frictionStates[1]};
	Proximity points[2];
	for (int i = 0; i < 2; ++i)
	{
		// The same corner of both boxes.
		const ContactBody* box = &rig.world->contact.broadPhase.bodies.bodies.data[i];
		assert_false(box->isCloth);
		const uint32_t vertex[4] = {box->vertexStart, VertexOf(&rig, rig.lower, 4), VertexOf(&rig, rig.lower, 0),
		                            VertexOf(&rig, rig.lower, 1)};
		const float weight[4] = {1.0f, -0.5f, -0.25f, -0.25f};
		points[i] = PointOf(&rig, vertex, weight);
	}
	StoreFriction(&rig, points, frictionState, 2);
	Begin(&rig);
	AssertFriction(Recall(&rig, points[1]), frictionState[1]);
	AssertFriction(Recall(&rig, points[0]), frictionState[0]);
	Rig_Destroy(&rig);
}

// Points may come in another order in every step.
static void EveryPointHasItsOwnMemory(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	const uint32_t faces[3][3] = {{4, 0, 1}, {4, 3, 0}, {8, 4, 5}};
	Proximity points[3];
	Vec4 frictionState[3] = {frictionStates[0], frictionStates[1], frictionStates[2]};
	// All nearest to the same vertex: what lies on what goes before that.
	const float mostOfFour[3][3] = {{0.5f, 0.25f, 0.25f}, {0.5f, 0.25f, 0.25f}, {0.25f, 0.5f, 0.25f}};
	for (int i = 0; i < 3; ++i)
		points[i] = OnFace(&rig, 4, faces[i], mostOfFour[i]);
	for (int step = 0; step < 3; ++step)
	{
		StoreFriction(&rig, points, frictionState, 3);
		Begin(&rig);
		for (int i = 2; i >= 0; --i)
			AssertFriction(Recall(&rig, points[i]), frictionState[i]);
	}
	Rig_Destroy(&rig);
}

// --- while the mesh changes -----------------------------------------------------------------------------------------

static uint32_t EdgeBetween(drapeClothId id, uint32_t a, uint32_t b)
{
	const ActiveMesh* mesh = &drapeCloth_Get(id)->active;
	for (uint32_t i = 0; i < mesh->edgeCount; ++i)
	{
		if ((mesh->edgeFrom[i] == a && mesh->edgeTo[i] == b) || (mesh->edgeFrom[i] == b && mesh->edgeTo[i] == a))
			return i;
	}
	fail_msg("there is no such edge");
	return DRAPE_NONE;
}

// Splits an edge; returns its middle.
static uint32_t Split(drapeClothId id, uint32_t a, uint32_t b)
{
	assert_int_equal(drapeCloth_SplitEdge(id, EdgeBetween(id, a, b)), drape_ok);
	return drapeCloth_Get(id)->active.particleCount - 1;
}

static void PointsAreKnownByPlacesAfterTheMeshChanged(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	uint32_t gone = Split(rig.upper, 0, 3), kept = Split(rig.upper, 5, 8);
	assert_true(gone != kept);
	Rig_Gather(&rig);
	Proximity points[2] = {OnFace(&rig, gone, face, shares), OnFace(&rig, kept, face, shares)};
	Vec4 frictionState[2] = {frictionStates[0], frictionStates[1]};
	StoreFriction(&rig, points, frictionState, 2);
	// The last particle takes the number of the one that goes, and all of the upper sheet get others in the broadPhase.
	assert_int_equal(drapeCloth_JoinParticle(rig.upper, gone), drape_ok);
	Split(rig.lower, 5, 8);
	Split(rig.lower, 0, 3);
	Rig_Gather(&rig);
	assert_int_equal(drapeCloth_Get(rig.upper)->active.particleCount, kept);
	Proximity again = OnFace(&rig, gone, face, shares);
	assert_true(again.vertex[0] != points[0].vertex[0] && again.vertex[0] != points[1].vertex[0]);
	Begin(&rig);
	AssertFriction(Recall(&rig, again), frictionState[1]);
	Rig_Destroy(&rig);
}

static void AParticleThatIsCreatedAgainIsKnown(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	uint32_t middle = Split(rig.upper, 0, 3);
	Rig_Gather(&rig);
	Proximity point = OnFace(&rig, middle, face, shares);
	Vec4 frictionState = frictionStates[2];
	StoreFriction(&rig, &point, &frictionState, 1);
	assert_int_equal(drapeCloth_JoinParticle(rig.upper, middle), drape_ok);
	Split(rig.upper, 5, 8);
	middle = Split(rig.upper, 0, 3);
	Rig_Gather(&rig);
	Begin(&rig);
	AssertFriction(Recall(&rig, OnFace(&rig, middle, face, shares)), frictionState);
	AssertFriction(Recall(&rig, OnFace(&rig, middle - 1, face, shares)), nowhere);
	Rig_Destroy(&rig);
}

// --- sliding --------------------------------------------------------------------------------------------------------

static void APointThatSlidToTheNextFaceGoesOn(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	const uint32_t next[3] = {0, 4, 3}, edge[2] = {4, 5}, far[2] = {7, 4};
	const float nextShares[3] = {0.25f, 0.625f, 0.125f}, farShares[3] = {0.625f, 0.25f, 0.125f};
	const uint32_t own[2] = {4, 8};
	Proximity point = OnFace(&rig, 4, face, shares);
	Vec4 frictionState = frictionStates[0];
	StoreFriction(&rig, &point, &frictionState, 1);
	Begin(&rig);
	// On another face, and on an edge, still nearest to vertex 4; the latter also seen from the other side.
	AssertFriction(Recall(&rig, OnFace(&rig, 4, next, nextShares)), frictionState);
	AssertFriction(Recall(&rig, OnEdge(&rig, rig.upper, own, 0.25f, rig.lower, edge, 0.375f)), frictionState);
	AssertFriction(Recall(&rig, OnEdge(&rig, rig.lower, edge, 0.375f, rig.upper, own, 0.25f)), Opposite(frictionState));
	// Nearest to others, of the lower sheet and of the upper one.
	AssertFriction(Recall(&rig, OnFace(&rig, 4, next, farShares)), nowhere);
	AssertFriction(Recall(&rig, OnEdge(&rig, rig.upper, own, 0.25f, rig.lower, far, 0.375f)), nowhere);
	AssertFriction(Recall(&rig, OnEdge(&rig, rig.upper, own, 0.75f, rig.lower, edge, 0.375f)), nowhere);
	Rig_Destroy(&rig);
}

// --- not known ------------------------------------------------------------------------------------------------------

static void AnUnknownPointHasSlippedNowhere(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	const uint32_t corner[3] = {8, 7, 4};
	Proximity point = OnFace(&rig, 5, face, shares);
	Vec4 frictionState = frictionStates[0];
	Begin(&rig);
	AssertFriction(Recall(&rig, point), nowhere);
	StoreFriction(&rig, &point, &frictionState, 1);
	Begin(&rig);
	AssertFriction(Recall(&rig, OnFace(&rig, 4, face, shares)), nowhere);
	AssertFriction(Recall(&rig, OnFace(&rig, 5, corner, shares)), nowhere);
	// It is apart for a step in which others touch: the cache drops its friction state.
	Proximity other = OnFace(&rig, 4, face, shares);
	Vec4 otherFriction = frictionStates[1];
	StoreFriction(&rig, &other, &otherFriction, 1);
	Begin(&rig);
	AssertFriction(Recall(&rig, point), nowhere);
	Rig_Destroy(&rig);
}

static void SheetsThatAreAlikeAreToldApart(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeFixed);
	assert_int_equal(drapeCloth_Get(rig.lower)->active.originKey[5], drapeCloth_Get(rig.upper)->active.originKey[5]);
	Rig exchanged = rig;
	exchanged.lower = rig.upper;
	exchanged.upper = rig.lower;
	Proximity point = OnFace(&rig, 5, face, shares);
	Vec4 frictionState = frictionStates[0];
	StoreFriction(&rig, &point, &frictionState, 1);
	Begin(&rig);
	AssertFriction(Recall(&rig, OnFace(&exchanged, 5, face, shares)), nowhere);
	Rig_Destroy(&rig);
}

static void AClothThatTakesTheSlotOfAnotherIsUnknown(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	Proximity point = OnFace(&rig, 4, face, shares);
	Vec4 frictionState = frictionStates[0];
	StoreFriction(&rig, &point, &frictionState, 1);
	uint32_t slot = drapeCloth_Get(rig.upper)->slot;
	drapeDestroyCloth(rig.upper);
	rig.upper = ContactScene_AddSheet(&rig.scene, Placed(0.0f, 0.5f, 0.0f));
	assert_int_equal(drapeCloth_Get(rig.upper)->slot, slot);
	Rig_Gather(&rig);
	Begin(&rig);
	AssertFriction(Recall(&rig, OnFace(&rig, 4, face, shares)), nowhere);
	Rig_Destroy(&rig);
}

// --- memory ---------------------------------------------------------------------------------------------------------

// Each allocation of two steps fails in turn. Where a step cannot begin, what was known is still known when it can.
static void MissingMemoryLeavesWhatIsKnown(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	Proximity point = OnFace(&rig, 4, face, shares);
	bool isDone = false;
	for (size_t number = 1; !isDone; ++number)
	{
		assert_true(number < 20);
		Test_FailAllocation(number, false);
		Vec4 frictionState = frictionStates[0];
		bool hasBegun = drapeContactCache_Begin(&rig.contactCache, mostPoints);
		if (!hasBegun)
			Begin(&rig);
		assert_int_equal(rig.contactCache.now.count, 0);
		AssertFriction(Recall(&rig, point), nowhere);
		drapeContactCache_Remember(&rig.contactCache, &frictionState, 1);
		if (!drapeContactCache_Begin(&rig.contactCache, mostPoints))
		{
			assert_true(hasBegun);
			assert_int_equal(rig.contactCache.now.count, 1);
			Begin(&rig);
		}
		AssertFriction(Recall(&rig, point), frictionState);
		isDone = Test_AllocationCount() < number;
		drapeContactCache_Free(&rig.contactCache);
		assert_null(rig.contactCache.now.data);
		assert_null(rig.contactCache.last.data);
		assert_int_equal(rig.contactCache.lastOf.capacity, 0);
		Test_FailAllocation(0, false);
	}
	Rig_Destroy(&rig);
}

// --- turning back ---------------------------------------------------------------------------------------------------

// What a step makes of a point on the face at these shares. Surfaces are 1 cm nearer than the points in them.
static Proximity Settle(Rig* rig, const float share[3])
{
	Proximity point = OnFace(rig, 4, face, share);
	point.distance -= 0.01f;
	Begin(rig);
	uint32_t index = rig->contactCache.now.count++;
	drapeContactCache_Recall(&rig->contactCache, &rig->world->contact.broadPhase, index, &point);
	return point;
}

static void AssertAt(const Rig* rig, Proximity seen, const float share[3])
{
	Proximity expected = OnFace(rig, 4, face, share);
	for (int k = 0; k < 4; ++k)
		assert_float_equal(seen.weight[k], expected.weight[k], 1e-6f);
	assert_true(V3Length(V3Sub(seen.normal, expected.normal)) < 1e-5f);
	assert_float_equal(seen.distance, expected.distance - 0.01f, 1e-5f);
}

static void APointThatTurnsBackGoesHalfTheWay(void** state)
{
	(void)state;
	const float here[3] = {0.5f, 0.25f, 0.25f}, there[3] = {0.375f, 0.375f, 0.25f}, half[3] = {0.4375f, 0.3125f, 0.25f};
	const float beyond[3] = {0.625f, 0.125f, 0.25f}, across[3] = {0.625f, 0.0f, 0.375f};
	Rig rig;
	Rig_Create(&rig, drape_schemeEdge);
	AssertAt(&rig, Settle(&rig, here), here);
	AssertAt(&rig, Settle(&rig, there), there);
	AssertAt(&rig, Settle(&rig, here), half);
	// On in the same direction, and to the side of it.
	AssertAt(&rig, Settle(&rig, beyond), beyond);
	AssertAt(&rig, Settle(&rig, across), across);
	Rig_Destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AFaceIsKnownWithItsCornersInAnyOrder),
		cmocka_unit_test(EdgesMatchInAnyOrderAndTheirFrictionIsReversed),
		cmocka_unit_test(PointsOnCollidersAreKnown),
		cmocka_unit_test(EveryPointHasItsOwnMemory),
		cmocka_unit_test(PointsAreKnownByPlacesAfterTheMeshChanged),
		cmocka_unit_test(AParticleThatIsCreatedAgainIsKnown),
		cmocka_unit_test(APointThatSlidToTheNextFaceGoesOn),
		cmocka_unit_test(AnUnknownPointHasSlippedNowhere),
		cmocka_unit_test(SheetsThatAreAlikeAreToldApart),
		cmocka_unit_test(AClothThatTakesTheSlotOfAnotherIsUnknown),
		cmocka_unit_test(MissingMemoryLeavesWhatIsKnown),
		cmocka_unit_test(APointThatTurnsBackGoesHalfTheWay),
	};
	return cmocka_run_group_tests_name("contact_cache", tests, NULL, NULL);
}
