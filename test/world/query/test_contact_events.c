// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "sheet.h"

#include "base/maths.h"
#include "base/transform.h"
#include "drape/drape.h"
#include "shared/make.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float frame = 1.0f / 60.0f;

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

// --- scenes ---------------------------------------------------------------------------------------------------------

static drapeColliderId AddSphere(drapeWorldId world, float radius, float x, float y)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.radius = radius;
	def.transform.position = (drapeVec3){x, y, 0.0f};
	return Make_Collider(world, &def);
}

static drapeColliderId AddMesh(drapeWorldId world, float radius, float y)
{
	drapeMesh mesh = TestMesh_Sphere(3, radius);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	def.transform.position.y = y;
	drapeColliderId collider = Make_Collider(world, &def);
	TestMesh_Free(&mesh);
	return collider;
}

static drapeClothDef FabricOf(drapeScheme scheme, drapeContactMode contact, bool isExplicit)
{
	drapeClothDef def = SharedFabric_Cotton(scheme, 1);
	if (isExplicit)
	{
		def = Make_SpringClothDef();
		def.adapt.scheme = scheme;
		def.solver.globalDamping = 2.0f;
	}
	def.contact = contact;
	return def;
}

static drapeClothId AddSheet(drapeWorldId world, const drapeClothDef* def, float size, float y)
{
	drapeTransform at = drapeIdentityTransform();
	at.position.y = y;
	return SharedSheet_Add(world, def, 8, 8, size, size, SharedPlace_Transform, &at);
}

// Events of a run, added up.
typedef struct Seen
{
	uint32_t begins, ends;
	drapeContactBegin first; // the first begin
	drapeContactPair last;   // the last end
} Seen;

static void Step(drapeWorldId world, float dt, Seen* seen)
{
	assert_int_equal(drapeWorld_Step(world, dt), drape_ok);
	drapeContactEvents events = drapeWorld_GetContactEvents(world);
	if (seen->begins == 0 && events.beginCount > 0)
		seen->first = events.begins[0];
	if (events.endCount > 0)
		seen->last = events.ends[events.endCount - 1];
	seen->begins += events.beginCount;
	seen->ends += events.endCount;
}

static Seen Run(drapeWorldId world, uint32_t steps, float dt)
{
	Seen seen = {0};
	for (uint32_t i = 0; i < steps; ++i)
		Step(world, dt, &seen);
	return seen;
}

// --- rest -----------------------------------------------------------------------------------------------------------

// A sheet falls on a sphere, a mesh or a mesh that turns. One contact begins, and none ends.
static void AContactWithAColliderBeginsOnceAndDoesNotFlicker(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < 27; ++i)
	{
		uint32_t kind = i / 3 % 3, law = i / 9;
		if (isSlow && i % 4 != 0)
			continue;
		drapeWorldId world = Sheet_World(1);
		drapeColliderId body = kind == 0 ? AddSphere(world, 0.3f, 0.0f, -0.31f) : AddMesh(world, 0.3f, -0.31f);
		drapeClothDef def = FabricOf(schemes[i % 3], law == 1 ? drape_contactAll : drape_contactParticles, law == 2);
		drapeClothId cloth = AddSheet(world, &def, 0.5f, 0.0f);
		Seen seen = {0};
		const float dt = i % 2 == 0 ? frame : 0.5f * frame;
		for (uint32_t k = 0; k < (isSlow ? 30 : 90); ++k)
		{
			if (kind == 2)
			{
				drapeTransform at = drapeCollider_GetTransform(body);
				at.rotation = drapeQuat_FromAxisAngle((drapeVec3){0.0f, 1.0f, 0.0f}, 0.01f * (float)k);
				assert_int_equal(drapeCollider_SetTransform(body, at), drape_ok);
			}
			Step(world, dt, &seen);
		}
		assert_int_equal(seen.begins, 1);
		assert_int_equal(seen.ends, 0);
		assert_true(DRAPE_ID_EQUALS(seen.first.cloth, cloth) && DRAPE_ID_EQUALS(seen.first.collider, body));
		assert_true(DRAPE_IS_NULL(seen.first.otherCloth));
		assert_true(seen.first.count > 0 && seen.first.normal.y > 0.8f && fabsf(seen.first.position.x) < 0.3f);
		drapeContactPair pair;
		assert_int_equal(drapeWorld_GetTouchingPairs(world, &pair, 1), 1);
		assert_true(DRAPE_ID_EQUALS(pair.collider, body));
		drapeDestroyWorld(world);
	}
}

// A sheet lies on a board, another one falls on it.
static void ContactsOfTwoClothsBeginOnceAndDoNotFlicker(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < 3; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		drapeColliderDef board = drapeDefaultColliderDef();
		board.shape = drape_shapeBox;
		board.halfExtents = (drapeVec3){0.4f, 0.05f, 0.4f};
		board.transform.position.y = -0.06f;
		drapeColliderId body = Make_Collider(world, &board);
		drapeClothDef def = FabricOf(schemes[i], drape_contactAll, false);
		drapeClothId lower = AddSheet(world, &def, 0.5f, 0.0f), upper = AddSheet(world, &def, 0.4f, 0.03f);
		Seen onBoard = {0}, onCloth = {0};
		for (uint32_t k = 0; k < (isSlow ? 40 : 150); ++k)
		{
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
			// Corners of the upper one may touch the board.
			drapeContactEvents events = drapeWorld_GetContactEvents(world);
			for (uint32_t e = 0; e < events.endCount; ++e)
				assert_true(DRAPE_ID_EQUALS(events.ends[e].cloth, upper));
			for (uint32_t e = 0; e < events.beginCount; ++e)
			{
				if (DRAPE_ID_EQUALS(events.begins[e].cloth, upper))
					continue;
				bool isOfCloths = DRAPE_IS_NULL(events.begins[e].collider);
				Seen* seen = isOfCloths ? &onCloth : &onBoard;
				seen->begins++;
				seen->first = events.begins[e];
			}
		}
		assert_int_equal(onCloth.begins, 1);
		assert_int_equal(onBoard.begins, 1);
		assert_true(DRAPE_ID_EQUALS(onCloth.first.cloth, lower) && DRAPE_ID_EQUALS(onCloth.first.otherCloth, upper));
		assert_true(DRAPE_ID_EQUALS(onBoard.first.cloth, lower) && DRAPE_ID_EQUALS(onBoard.first.collider, body));
		// The normal points towards the lower one.
		assert_true(onCloth.first.normal.y < -0.8f && onCloth.first.approachSpeed > 0.3f);
		drapeDestroyWorld(world);
	}
}

// --- begin and end --------------------------------------------------------------------------------------------------

static void TheApproachSpeedIsThatOfTheFall(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		AddSphere(world, 0.3f, 0.0f, -0.8f);
		drapeClothDef def = FabricOf(drape_schemeFixed, i & 1 ? drape_contactAll : drape_contactParticles, i & 2);
		def.material.drag = def.material.lift = 0.0f;
		def.solver.globalDamping = 0.0f;
		def.material.dampingTime = 0.0f;
		AddSheet(world, &def, 0.3f, 0.0f);
		Seen seen = {0};
		while (seen.begins == 0)
			Step(world, 0.25f * frame, &seen);
		// Half a metre.
		assert_true(fabsf(seen.first.approachSpeed - sqrtf(2.0f * 9.81f * 0.5f)) < 0.2f);
		assert_true(fabsf(seen.first.position.y + 0.5f) < 0.02f);
		drapeDestroyWorld(world);
	}
}

static void AContactEndsWhenTheColliderLeaves(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		drapeColliderId body = i & 1 ? AddMesh(world, 0.3f, -0.31f) : AddSphere(world, 0.3f, 0.0f, -0.31f);
		drapeClothDef def = FabricOf(drape_schemeFixed, i & 2 ? drape_contactAll : drape_contactParticles, false);
		drapeClothId cloth = AddSheet(world, &def, 0.5f, 0.0f);
		assert_int_equal(Run(world, 30, frame).begins, 1);
		// It sinks faster than the cloth falls.
		Seen seen = {0};
		for (uint32_t k = 0; k < 12; ++k)
		{
			drapeTransform at = drapeCollider_GetTransform(body);
			at.position.y -= 0.1f;
			assert_int_equal(drapeCollider_SetTransform(body, at), drape_ok);
			Step(world, frame, &seen);
		}
		assert_int_equal(seen.ends, 1);
		assert_int_equal(seen.begins, 0);
		assert_true(DRAPE_ID_EQUALS(seen.last.cloth, cloth) && DRAPE_ID_EQUALS(seen.last.collider, body));
		assert_int_equal(drapeWorld_GetTouchingPairs(world, NULL, 0), 0);
		drapeDestroyWorld(world);
	}
}

// The ways in which a pair is parted at once.
typedef enum Parting
{
	destroyCollider,
	destroyCloth,
	changeFilter,
	endTimes,
	replaceCollider,
	partingCount,
} Parting;

static void PartingAPairEndsItsContactWithTheHandlesAsTheyWere(void** state)
{
	(void)state;
	for (int parting = 0; parting < partingCount; ++parting)
	{
		drapeWorldId world = Sheet_World(1);
		drapeColliderId body = AddSphere(world, 0.3f, 0.0f, -0.31f);
		drapeClothDef def = FabricOf(drape_schemeFixed, drape_contactAll, false);
		drapeClothId cloth = AddSheet(world, &def, 0.5f, 0.0f);
		assert_int_equal(Run(world, 30, frame).begins, 1);
		drapeColliderId next = {0};
		if (parting == destroyCollider || parting == replaceCollider)
			assert_int_equal(drapeDestroyCollider(body), drape_ok);
		if (parting == replaceCollider)
			next = AddSphere(world, 0.3f, 0.0f, -0.31f);
		if (parting == destroyCloth)
			assert_int_equal(drapeDestroyCloth(cloth), drape_ok);
		if (parting == changeFilter)
			assert_int_equal(drapeCloth_SetFilter(cloth, (drapeFilter){2, 2}), drape_ok);
		if (parting == endTimes)
			assert_int_equal(drapeCollider_SetTimes(body, 0.0f, 0.01f), drape_ok);
		Seen seen = {0};
		Step(world, frame, &seen);
		assert_int_equal(seen.ends, 1);
		assert_int_equal(seen.begins, parting == replaceCollider);
		assert_true(DRAPE_ID_EQUALS(seen.last.cloth, cloth) && DRAPE_ID_EQUALS(seen.last.collider, body));
		assert_int_equal(drapeCollider_IsValid(seen.last.collider),
		                 parting != destroyCollider && parting != replaceCollider);
		assert_true(parting != replaceCollider || DRAPE_ID_EQUALS(seen.first.collider, next));
		Step(world, frame, &seen);
		assert_int_equal(seen.ends, 1);
		drapeDestroyWorld(world);
	}
}

// Small obstacles between the particles of a coarse cloth touch its faces.
static void FacesBetweenParticlesHaveContacts(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothDef def = FabricOf(drape_schemeFixed, drape_contactAll, false);
	drapeTransform at = drapeIdentityTransform();
	drapeColliderId body = AddSphere(world, 0.05f, 0.05f, -0.1f);
	drapeClothId cloth = SharedSheet_Add(world, &def, 2, 2, 0.6f, 0.6f, SharedPlace_Transform, &at);
	drapeCollider_SetTransform(body, (drapeTransform){{0.05f, -0.1f, 0.12f}, {0.0f, 0.0f, 0.0f, 1.0f}, 1.0f});
	const uint32_t corners[] = {0, 1, 2, 3, 5, 6, 7, 8};
	for (uint32_t i = 0; i < 8; ++i)
		Make_Pin(cloth, corners[i]);
	Seen seen = {0};
	for (uint32_t i = 0; i < 60; ++i)
	{
		drapeTransform up = drapeCollider_GetTransform(body);
		up.position.y = MinF(up.position.y + 0.002f, -0.045f);
		assert_int_equal(drapeCollider_SetTransform(body, up), drape_ok);
		Step(world, frame, &seen);
	}
	assert_int_equal(seen.begins, 1);
	assert_int_equal(seen.ends, 0);
	drapeContactPoint list[64];
	uint32_t count = drapeCloth_GetContacts(cloth, list, 64);
	bool hasFace = false;
	for (uint32_t i = 0; i < count && i < 64; ++i)
		hasFace |= DRAPE_ID_EQUALS(list[i].collider, body) && list[i].particles[2] != DRAPE_NONE;
	assert_true(hasFace);
	drapeDestroyWorld(world);
}

// --- the same for any number of threads, and after resuming ---------------------------------------------------------

static drapeWorldId BusyWorld(uint32_t workers, drapeColliderId* moving)
{
	drapeWorldId world = Sheet_World(workers);
	*moving = AddSphere(world, 0.15f, 0.0f, -0.35f);
	AddMesh(world, 0.2f, -0.4f);
	AddSphere(world, 0.1f, 0.2f, -0.25f);
	drapeClothDef def = FabricOf(drape_schemeEdge, drape_contactAll, false);
	AddSheet(world, &def, 0.6f, 0.05f);
	AddSheet(world, &def, 0.5f, 0.0f);
	def = FabricOf(drape_schemeSqrt3, drape_contactParticles, false);
	AddSheet(world, &def, 0.5f, 0.1f);
	return world;
}

// A step of the busy world, whose sphere swings. Writes the events as text.
static size_t BusyStep(drapeWorldId world, drapeColliderId moving, char* text, size_t capacity)
{
	drapeTransform at = drapeCollider_GetTransform(moving);
	float phase = (float)(6.0 * drapeWorld_GetTime(world));
	at.position = (drapeVec3){0.25f * (phase - 6.2831853f * floorf(phase / 6.2831853f)) / 6.2831853f, -0.3f, 0.0f};
	assert_int_equal(drapeCollider_SetTransform(moving, at), drape_ok);
	assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	drapeContactEvents events = drapeWorld_GetContactEvents(world);
	size_t used = 0;
	for (uint32_t i = 0; i < events.beginCount; ++i)
	{
		const drapeContactBegin* e = &events.begins[i];
		used += (size_t)snprintf(text + used, capacity - used, "+%u %u %u %u %a %a %a\n", e->cloth.index1,
		                         e->collider.index1, e->otherCloth.index1, e->count, (double)e->position.x,
		                         (double)e->normal.y, (double)e->approachSpeed);
	}
	for (uint32_t i = 0; i < events.endCount; ++i)
	{
		const drapeContactPair* e = &events.ends[i];
		used += (size_t)snprintf(text + used, capacity - used, "-%u %u %u\n", e->cloth.index1, e->collider.index1,
		                         e->otherCloth.index1);
	}
	assert_true(used < capacity);
	return used;
}

enum
{
	busySteps = 50,
};

static void EventsAreTheSameForAnyNumberOfThreads(void** state)
{
	(void)state;
	static char first[1 << 16], other[1 << 16];
	for (uint32_t workers = 1; workers <= 4; ++workers)
	{
		drapeColliderId moving;
		drapeWorldId world = BusyWorld(workers, &moving);
		char* text = workers == 1 ? first : other;
		size_t used = 0;
		for (uint32_t i = 0; i < (isSlow ? busySteps / 2 : busySteps); ++i)
			used += BusyStep(world, moving, text + used, sizeof first - used);
		text[used] = 0;
		assert_true(used > 0 && strcmp(text, first) == 0);
		drapeDestroyWorld(world);
	}
}

static void AResumedWorldHasTheSameEvents(void** state)
{
	(void)state;
	static char data[1 << 23], original[1 << 16], resumed[1 << 16];
	for (uint32_t before = 5; before < 40; before += 11)
	{
		drapeColliderId moving, again;
		drapeWorldId world = BusyWorld(1, &moving), second = BusyWorld(2, &again);
		for (uint32_t i = 0; i < before; ++i)
			BusyStep(world, moving, original, sizeof original);
		drapeContactPair pairs[16], loaded[16];
		uint32_t count = drapeWorld_GetTouchingPairs(world, pairs, 16);
		size_t size = Make_Snapshot(world, data, sizeof data);
		assert_true(size > 0);
		assert_int_equal(drapeWorld_Load(second, data, size), drape_ok);
		assert_int_equal(drapeWorld_GetContactEvents(second).beginCount, 0);
		assert_int_equal(drapeWorld_GetTouchingPairs(second, loaded, 16), count);
		for (uint32_t i = 0; i < count; ++i)
			assert_int_equal(loaded[i].collider.index1, pairs[i].collider.index1);
		for (uint32_t i = 0; i < 20; ++i)
		{
			size_t length = BusyStep(world, moving, original, sizeof original);
			assert_int_equal(BusyStep(second, again, resumed, sizeof resumed), length);
			assert_memory_equal(original, resumed, length);
		}
		drapeDestroyWorld(world);
		drapeDestroyWorld(second);
	}
}

// Events come in ascending order of their objects, and each pair is there once.
static void PairsAreInAscendingOrder(void** state)
{
	(void)state;
	drapeColliderId moving;
	drapeWorldId world = BusyWorld(1, &moving);
	char text[4096];
	for (uint32_t i = 0; i < 30; ++i)
	{
		BusyStep(world, moving, text, sizeof text);
		drapeContactPair pairs[32];
		uint32_t count = drapeWorld_GetTouchingPairs(world, pairs, 32);
		for (uint32_t k = 1; k < count; ++k)
		{
			const uint32_t a[3] = {pairs[k - 1].cloth.index1, pairs[k - 1].collider.index1,
			                       pairs[k - 1].otherCloth.index1};
			const uint32_t b[3] = {pairs[k].cloth.index1, pairs[k].collider.index1, pairs[k].otherCloth.index1};
			bool isBelow = a[0] < b[0] || (a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && a[2] < b[2])));
			assert_true(isBelow);
		}
	}
	drapeDestroyWorld(world);
}

// --- memory and failure ---------------------------------------------------------------------------------------------

static void StepsThatFailHaveNoEventsAndLoseNone(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	for (uint32_t run = 0; run < 2; ++run)
	{
		drapeWorldId world = Sheet_World(1);
		AddSphere(world, 0.3f, 0.0f, -0.302f);
		drapeClothDef def = FabricOf(drape_schemeFixed, run == 0 ? drape_contactParticles : drape_contactAll, false);
		AddSheet(world, &def, 0.5f, 0.0f);
		Seen seen = {0};
		uint32_t failures = 0;
		for (uint32_t i = 0; i < 12; ++i)
		{
			for (size_t allowed = 0;; ++allowed)
			{
				double time = drapeWorld_GetTime(world);
				uint32_t pairs = drapeWorld_GetTouchingPairs(world, NULL, 0);
				Test_AllowAllocations(allowed);
				drapeResult result = drapeWorld_Step(world, frame);
				Test_AllowAllocations(SIZE_MAX);
				drapeContactEvents events = drapeWorld_GetContactEvents(world);
				seen.begins += events.beginCount;
				if (result == drape_ok)
					break;
				failures++;
				assert_int_equal(result, drape_errorMemory);
				assert_true(drapeWorld_GetTime(world) == time && events.beginCount + events.endCount == 0);
				assert_int_equal(drapeWorld_GetTouchingPairs(world, NULL, 0), pairs);
			}
		}
		assert_true(failures > 5);
		assert_int_equal(seen.begins, 1);
		drapeDestroyWorld(world);
	}
	Test_EndLimitedMemory();
}

static void ClothAtRestAllocatesNothingForItsEvents(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	AddSphere(world, 0.3f, 0.0f, -0.302f);
	AddMesh(world, 0.2f, -0.4f);
	drapeClothDef def = FabricOf(drape_schemeFixed, drape_contactParticles, false);
	AddSheet(world, &def, 0.5f, 0.0f);
	Run(world, 60, frame);
	size_t before = drapeGetMemoryUse().allocations;
	Run(world, 20, frame);
	assert_int_equal(drapeGetMemoryUse().allocations, before);
	drapeDestroyWorld(world);
}

// --- lists of contacts ----------------------------------------------------------------------------------------------

static void ContactsNameBothSides(void** state)
{
	(void)state;
	for (uint32_t run = 0; run < 2; ++run)
	{
		drapeWorldId world = Sheet_World(1);
		drapeColliderDef board = drapeDefaultColliderDef();
		board.shape = drape_shapeBox;
		board.halfExtents = (drapeVec3){0.4f, 0.05f, 0.4f};
		board.transform.position.y = -0.06f;
		drapeColliderId body = Make_Collider(world, &board);
		drapeClothDef def = FabricOf(schemes[run], drape_contactAll, false);
		drapeClothId lower = AddSheet(world, &def, 0.5f, 0.0f), upper = AddSheet(world, &def, 0.4f, 0.02f);
		Run(world, 80, frame);
		static drapeContactPoint list[8192];
		uint32_t count = drapeCloth_GetContacts(lower, list, 8192), touching = 0, onBoard = 0, onCloth = 0;
		assert_true(count > 0 && count <= 8192);
		drapeClothView view = drapeCloth_GetView(lower), above = drapeCloth_GetView(upper);
		for (uint32_t i = 0; i < view.particleCount; ++i)
			touching += drapeCloth_IsTouching(lower, i);
		float load = 0.0f;
		for (uint32_t i = 0; i < count; ++i)
		{
			const drapeContactPoint* c = &list[i];
			Vec3 sum = {0.0f, 0.0f, 0.0f};
			float weights = 0.0f;
			for (int k = 0; k < 3 && c->particles[k] != DRAPE_NONE; ++k)
			{
				assert_true(c->particles[k] < view.particleCount);
				weights += c->weights[k];
				sum = V3Add(sum, V3Scale(c->weights[k], V4Xyz(view.positions[c->particles[k]])));
			}
			assert_true(fabsf(weights - 1.0f) < 1e-4f && V3Length(V3Sub(sum, c->position)) < 1e-4f);
			assert_true(fabsf(V3Length(c->normal) - 1.0f) < 1e-3f && c->load >= 0.0f);
			if (DRAPE_ID_EQUALS(c->collider, body))
			{
				onBoard++;
				load += c->load;
				assert_true(DRAPE_IS_NULL(c->otherCloth) && c->otherParticles[0] == DRAPE_NONE);
				assert_true(c->distance > 0.0f && c->distance < 0.01f);
			}
			else if (DRAPE_ID_EQUALS(c->otherCloth, upper))
			{
				onCloth++;
				for (int k = 0; k < 3 && c->otherParticles[k] != DRAPE_NONE; ++k)
					assert_true(c->otherParticles[k] < above.particleCount);
				assert_true(c->normal.y < 0.0f && c->otherParticles[0] != DRAPE_NONE);
			}
		}
		assert_true(touching > 0 && onBoard >= touching && onCloth > 0);
		// The board carries both cloths.
		float weight = 9.81f * 0.2f * (0.5f * 0.5f + 0.4f * 0.4f);
		assert_true(fabsf(load - weight) < 0.25f * weight);
		// The first ones are the same if fewer are asked for.
		drapeContactPoint few[3];
		assert_int_equal(drapeCloth_GetContacts(lower, few, 3), count);
		assert_memory_equal(few, list, sizeof few);
		drapeDestroyCollider(body);
		count = drapeCloth_GetContacts(lower, list, 8192);
		for (uint32_t i = 0; i < count; ++i)
			assert_true(DRAPE_IS_NULL(list[i].collider));
		drapeDestroyCloth(upper);
		assert_int_equal(drapeCloth_GetContacts(lower, list, 8192), 0);
		drapeDestroyWorld(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AContactWithAColliderBeginsOnceAndDoesNotFlicker),
		cmocka_unit_test(ContactsOfTwoClothsBeginOnceAndDoNotFlicker),
		cmocka_unit_test(TheApproachSpeedIsThatOfTheFall),
		cmocka_unit_test(AContactEndsWhenTheColliderLeaves),
		cmocka_unit_test(PartingAPairEndsItsContactWithTheHandlesAsTheyWere),
		cmocka_unit_test(FacesBetweenParticlesHaveContacts),
		cmocka_unit_test(EventsAreTheSameForAnyNumberOfThreads),
		cmocka_unit_test(AResumedWorldHasTheSameEvents),
		cmocka_unit_test(PairsAreInAscendingOrder),
		cmocka_unit_test(StepsThatFailHaveNoEventsAndLoseNone),
		cmocka_unit_test(ClothAtRestAllocatesNothingForItsEvents),
		cmocka_unit_test(ContactsNameBothSides),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
