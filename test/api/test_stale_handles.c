// SPDX-License-Identifier: MIT
#include "sheet.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

// Handles of destroyed objects and worlds, from several threads that each have worlds of their own. A handle that is
// stale is refused for ever, also when its slot is used again, and looking at it touches no world of another thread.

enum
{
	threadCount = 4,
	roundCount = 24,
	sharedCount = 64, // handles of worlds that are gone, for all threads
	objectsPerRound = 3,
};

// One handle of each kind.
typedef struct Handles
{
	drapeWorldId world;
	drapeClothId cloth;
	drapeColliderId collider;
	drapeMotionId motion;
	drapePinId pin;
	drapeConstraintId constraint;
	drapeColumnId column;
} Handles;

// Worlds that other threads have destroyed. A slot is written before its flag is set, and never again.
static struct
{
	Handles list[sharedCount];
	atomic_bool isSet[sharedCount];
	atomic_uint next;
} gone;

static atomic_uint failures;

static bool Expect(bool holds)
{
	if (!holds)
		atomic_fetch_add(&failures, 1);
	return holds;
}

static bool Continue(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	return false;
}

// --- objects --------------------------------------------------------------------------------------------------------

typedef struct Worker
{
	pthread_t thread;
	drapeMesh mesh;
} Worker;

static drapeClothId AddCloth(drapeWorldId world, const drapeMesh* mesh)
{
	drapeClothDef def = drapeDefaultClothDef();
	drapeClothId cloth;
	def.mesh = mesh;
	Expect(drapeCreateCloth(world, &def, &cloth) == drape_ok);
	return cloth;
}

static drapeColliderId AddCollider(drapeWorldId world)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	drapeColliderId collider;
	def.transform.position.y = -4.0f;
	Expect(drapeCreateCollider(world, &def, &collider) == drape_ok);
	return collider;
}

static drapeMotionId AddMotion(drapeWorldId world)
{
	const drapeMotionKey key = {0.0f, drapeIdentityTransform()};
	drapeMotionDef def = drapeDefaultMotionDef();
	drapeMotionId motion;
	def.keys = &key;
	def.keyCount = 1;
	Expect(drapeCreateMotion(world, &def, &motion) == drape_ok);
	return motion;
}

// All but the world and its cloth.
static Handles AddObjects(drapeWorldId world, drapeClothId cloth)
{
	Handles made = {.world = world, .cloth = cloth, .collider = AddCollider(world), .motion = AddMotion(world)};
	drapeTetherDef tether = drapeDefaultTetherDef();
	drapeColumnDef column = drapeDefaultColumnDef();
	column.name = "wetness";
	Expect(drapeCreatePin(cloth, 1, &made.pin) == drape_ok);
	Expect(drapeCreateTether(cloth, &tether, &made.constraint) == drape_ok);
	Expect(drapeCreateColumn(cloth, &column, &made.column) == drape_ok);
	return made;
}

static void DestroyObjects(const Handles* handles)
{
	Expect(drapeDestroyCollider(handles->collider) == drape_ok);
	Expect(drapeDestroyMotion(handles->motion) == drape_ok);
	Expect(drapeDestroyPin(handles->pin) == drape_ok);
	Expect(drapeDestroyConstraint(handles->constraint) == drape_ok);
	Expect(drapeDestroyColumn(handles->column) == drape_ok);
}

// --- answers --------------------------------------------------------------------------------------------------------

static void ExpectNoObjects(const Handles* stale)
{
	const drapeVec3 zero = {0.0f, 0.0f, 0.0f};
	Expect(!drapeCollider_IsValid(stale->collider) && !drapeMotion_IsValid(stale->motion));
	Expect(!drapePin_IsValid(stale->pin) && !drapeConstraint_IsValid(stale->constraint));
	Expect(!drapeColumn_IsValid(stale->column));
	Expect(drapeCollider_SetTransform(stale->collider, drapeIdentityTransform()) == drape_errorArgument);
	Expect(drapeCollider_GetDistance(stale->collider, zero) == 0.0f);
	Expect(drapeCollider_GetView(stale->collider).vertexCount == 0);
	Expect(drapeDestroyCollider(stale->collider) == drape_errorArgument);
	Expect(drapeMotion_GetDef(stale->motion).keyCount == 0);
	Expect(drapeDestroyMotion(stale->motion) == drape_errorArgument);
	Expect(drapePin_SetTarget(stale->pin, zero) == drape_errorArgument);
	Expect(drapePin_GetParticle(stale->pin) == DRAPE_NONE);
	Expect(DRAPE_IS_NULL(drapePin_GetCloth(stale->pin)));
	Expect(drapeDestroyPin(stale->pin) == drape_errorArgument);
	Expect(!drapeConstraint_GetState(stale->constraint).isActive);
	Expect(drapeDestroyConstraint(stale->constraint) == drape_errorArgument);
	Expect(drapeColumn_GetValues(stale->column) == NULL && drapeColumn_GetName(stale->column) == NULL);
	Expect(drapeDestroyColumn(stale->column) == drape_errorArgument);
}

static void ExpectNoCloth(const Handles* stale)
{
	Expect(!drapeCloth_IsValid(stale->cloth));
	Expect(drapeCloth_GetView(stale->cloth).particleCount == 0);
	Expect(drapeCloth_Refine(stale->cloth) == drape_errorArgument);
	Expect(DRAPE_IS_NULL(drapeCloth_GetWorld(stale->cloth)));
	Expect(drapeCloth_GetPins(stale->cloth, NULL, 0) == 0);
	Expect(drapeCloth_GetCounters(stale->cloth).particles == 0);
	Expect(drapeDestroyCloth(stale->cloth) == drape_errorArgument);
}

static void ExpectNoWorld(const Handles* stale)
{
	Expect(!drapeWorld_IsValid(stale->world));
	Expect(drapeWorld_Step(stale->world, 0.01f) == drape_errorArgument);
	Expect(drapeWorld_GetHash(stale->world) == 0 && drapeWorld_GetTime(stale->world) == 0.0);
	Expect(drapeWorld_GetCloths(stale->world, NULL, 0) == 0);
	Expect(strstr(drapeWorld_GetMessage(stale->world), "the world does not exist") != NULL);
	drapeWorld_Cancel(stale->world);
	Expect(drapeDestroyWorld(stale->world) == drape_errorArgument);
}

static void ExpectNothing(const Handles* stale)
{
	ExpectNoObjects(stale);
	ExpectNoCloth(stale);
	ExpectNoWorld(stale);
}

// A null handle names no world: the sentence about it must not go to the world of another thread.
static void ExpectNullIsRefused(void)
{
	const drapeVec3 zero = {0.0f, 0.0f, 0.0f};
	Expect(drapePin_SetTarget((drapePinId){0}, zero) == drape_errorArgument);
	Expect(drapeColumn_GetValues((drapeColumnId){0}) == NULL);
	Expect(drapeCloth_GetView((drapeClothId){0}).particleCount == 0);
	Expect(drapeCollider_GetDistance((drapeColliderId){0}, zero) == 0.0f);
	Expect(drapeMotion_GetDef((drapeMotionId){0}).keyCount == 0);
	Expect(!drapeConstraint_GetState((drapeConstraintId){0}).isActive);
	Expect(drapeWorld_Step((drapeWorldId){0}, 0.01f) == drape_errorArgument);
	Expect(drapeDestroyWorld((drapeWorldId){0}) == drape_ok && drapeDestroyPin((drapePinId){0}) == drape_ok);
}

// --- threads --------------------------------------------------------------------------------------------------------

static void Share(const Handles* handles)
{
	uint32_t slot = atomic_fetch_add(&gone.next, 1) % sharedCount;
	if (atomic_load(&gone.isSet[slot]))
		return;
	// Two threads may get the same slot only after all of them have been used.
	gone.list[slot] = *handles;
	atomic_store(&gone.isSet[slot], true);
}

static void ExpectSharedAreGone(void)
{
	for (uint32_t i = 0; i < sharedCount; ++i)
	{
		if (atomic_load(&gone.isSet[i]))
			ExpectNothing(&gone.list[i]);
	}
}

// Objects are destroyed and created again in the same slots of one world.
static void ReuseSlots(drapeWorldId world, const drapeMesh* mesh)
{
	Handles stale[objectsPerRound];
	drapeClothId cloth = AddCloth(world, mesh);
	for (uint32_t i = 0; i < objectsPerRound; ++i)
	{
		Handles now = AddObjects(world, cloth);
		for (uint32_t k = 0; k < i; ++k)
		{
			Expect(now.pin.index1 == stale[k].pin.index1 && now.pin.generation != stale[k].pin.generation);
			ExpectNoObjects(&stale[k]);
			Expect(strstr(drapeWorld_GetMessage(world), "does not exist") != NULL);
		}
		Expect(drapeCollider_IsValid(now.collider) && drapePin_IsValid(now.pin) && drapeColumn_IsValid(now.column));
		Expect(drapeMotion_IsValid(now.motion) && drapeConstraint_IsValid(now.constraint));
		DestroyObjects(&now);
		stale[i] = now;
	}
	// The objects of a cloth go with it; another cloth takes its slot.
	Handles last = AddObjects(world, cloth);
	Expect(drapeDestroyCloth(cloth) == drape_ok);
	drapeClothId next = AddCloth(world, mesh);
	Expect(next.index1 == cloth.index1 && next.generation != cloth.generation);
	Expect(!drapePin_IsValid(last.pin) && !drapeConstraint_IsValid(last.constraint));
	Expect(!drapeColumn_IsValid(last.column) && drapeCollider_IsValid(last.collider));
	ExpectNoCloth(&last);
	Expect(drapeDestroyCloth(next) == drape_ok);
}

static void* Run(void* context)
{
	const Worker* worker = context;
	Handles stale = {0};
	for (uint32_t round = 0; round < roundCount; ++round)
	{
		drapeWorldDef def = drapeDefaultWorldDef();
		drapeWorldId world;
		def.workerCount = round % 2 + 1;
		if (!Expect(drapeCreateWorld(&def, &world, NULL) == drape_ok))
			break;
		ReuseSlots(world, &worker->mesh);
		Handles now = AddObjects(world, AddCloth(world, &worker->mesh));
		Expect(drapeWorld_Step(world, 1.0f / 60.0f) == drape_ok);
		if (round > 0)
			ExpectNothing(&stale);
		ExpectNullIsRefused();
		ExpectSharedAreGone();
		Expect(drapeWorld_IsValid(world) && drapeCloth_IsValid(now.cloth) && drapePin_IsValid(now.pin));
		Expect(drapeWorld_Step(world, 1.0f / 60.0f) == drape_ok);
		Expect(drapeDestroyWorld(world) == drape_ok);
		ExpectNothing(&now);
		Share(&now);
		stale = now;
	}
	return NULL;
}

static void StaleHandlesAreRefusedOnEveryThread(void** state)
{
	(void)state;
	Worker workers[threadCount];
	drapeSetAssert(Continue); // debug builds assert for each of them
	for (uint32_t i = 0; i < threadCount; ++i)
	{
		assert_int_equal(drapeMesh_CreateGrid(2, 2, 1.0f, 1.0f, &workers[i].mesh, NULL), drape_ok);
		assert_int_equal(pthread_create(&workers[i].thread, NULL, Run, &workers[i]), 0);
	}
	for (uint32_t i = 0; i < threadCount; ++i)
	{
		pthread_join(workers[i].thread, NULL);
		drapeMesh_Free(&workers[i].mesh);
	}
	drapeSetAssert(NULL);
	assert_int_equal(atomic_load(&failures), 0);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

// --- one thread -----------------------------------------------------------------------------------------------------

// Worlds that are created again and again: a handle of the first one is refused for longer than any program keeps one.
static void AHandleOfAWorldStaysStaleWhileItsSlotIsReused(void** state)
{
	(void)state;
	drapeWorldDef def = drapeDefaultWorldDef();
	drapeWorldId first, world;
	drapeSetAssert(Continue);
	assert_int_equal(drapeCreateWorld(&def, &first, NULL), drape_ok);
	drapeColliderId collider = AddCollider(first);
	assert_int_equal(drapeDestroyWorld(first), drape_ok);
	uint32_t reused = 0;
	for (uint32_t i = 0; i < 8 * DRAPE_MAX_WORLDS; ++i)
	{
		assert_int_equal(drapeCreateWorld(&def, &world, NULL), drape_ok);
		drapeColliderId now = AddCollider(world);
		reused += world.index1 == first.index1;
		assert_int_equal(now.index1, collider.index1);
		assert_false(drapeWorld_IsValid(first));
		assert_false(drapeCollider_IsValid(collider));
		assert_string_equal(drapeWorld_GetMessage(world), "");
		assert_int_equal(drapeDestroyWorld(world), drape_ok);
	}
	drapeSetAssert(NULL);
	assert_int_equal(reused, 8);
}

// Handles of another world of the same thread are no stale handles, but neither are they this world's.
static void AHandleOfAnotherWorldLeavesItsSentenceThere(void** state)
{
	(void)state;
	Sheet one = Sheet_Create(2, 2, NULL), two = Sheet_Create(2, 2, NULL);
	drapePinId pin;
	assert_int_equal(drapeCreatePin(one.cloth, 0, &pin), drape_ok);
	assert_int_equal(drapeDestroyPin(pin), drape_ok);
	ASSERT_REFUSED(assert_true(drapePin_GetParticle(pin) == DRAPE_NONE));
	assert_string_equal(drapeWorld_GetMessage(one.world),
	                    "the pin does not exist: it was destroyed, or its handle is null");
	assert_string_equal(drapeWorld_GetMessage(two.world), "");
	Sheet_Destroy(&one);
	Sheet_Destroy(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(StaleHandlesAreRefusedOnEveryThread),
		cmocka_unit_test(AHandleOfAWorldStaysStaleWhileItsSlotIsReused),
		cmocka_unit_test(AHandleOfAnotherWorldLeavesItsSentenceThere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
