// SPDX-License-Identifier: MIT
#if defined(__linux__)
#define _DEFAULT_SOURCE // mmap
#endif

#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/platform/platform.h"
#include "world/pattern/cooked.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// --- worlds with cloths of one shape --------------------------------------------------------------------------------

typedef struct Kind
{
	drapeScheme scheme;
	drapeModel model;
	drapeIntegrator integrator;
	drapeContactMode contact;
	uint32_t workers;
} Kind;

enum
{
	cloths = 2,
	steps = 60,
	kinds = 24,
};

// All schemes and models, both kinds of integrators, one and two threads. Every other one has contact "all".
static Kind KindOf(uint32_t i)
{
	static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	static const drapeIntegrator integrators[2][2] = {{drape_integratorSymplecticEuler, drape_integratorImplicitEuler},
	                                                  {drape_integratorVerlet, drape_integratorBdf2}};
	drapeModel model = i / 3 % 2 == 0 ? drape_modelFem : drape_modelSprings;
	return (Kind){.scheme = schemes[i % 3],
	              .model = model,
	              .integrator = integrators[model == drape_modelFem][i / 6 % 2],
	              .contact = i % 2 == 0 ? drape_contactAll : drape_contactParticles,
	              .workers = 1 + i / 12};
}

static drapeClothDef DefOf(Kind kind)
{
	bool isImplicit = drapeIntegrator_IsImplicit(kind.integrator);
	drapeClothDef def = isImplicit ? drapeDefaultClothDef() : Make_SpringClothDef();
	def.model = kind.model;
	if (!isImplicit) // few substeps
	{
		def.material.stretchWarp = def.material.stretchWeft = 20.0f;
		def.material.shear = 5.0f;
		def.material.bendWarp = def.material.bendWeft = kind.model == drape_modelFem ? 0.0f : 1e-6f;
	}
	def.solver.integrator = kind.integrator;
	def.contact = kind.contact;
	def.adapt.scheme = kind.scheme;
	def.adapt.maxLevel = isImplicit ? 2 : 1;
	def.adapt.joinWait = 2;
	return def;
}

static drapeMesh CapeMesh(void)
{
	drapeMesh mesh = TestMesh_Grid(4, 5, 0.6f, 0.8f, 0.2f, 7);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	return mesh;
}

static drapePattern* CapePattern(void)
{
	drapeMesh mesh = CapeMesh();
	drapePatternDef def = drapeDefaultPatternDef();
	drapePattern* pattern;
	def.mesh = &mesh;
	assert_int_equal(drapeCreatePattern(&def, &pattern, NULL), drape_ok);
	TestMesh_Free(&mesh);
	return pattern;
}

static void AddSphere(drapeWorldId world)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.radius = 0.15f;
	def.transform.position = (drapeVec3){0.3f, 0.1f, -0.12f};
	assert_true(drapeCollider_IsValid(Make_Collider(world, &def)));
}

static drapeClothId AddCape(drapeWorldId world, drapeClothDef def, const drapePattern* pattern)
{
	drapeMesh mesh = CapeMesh();
	def.pattern = pattern;
	def.mesh = pattern ? NULL : &mesh;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	Make_Pin(cloth, 0);
	Make_Pin(cloth, 4);
	TestMesh_Free(&mesh);
	return cloth;
}

// Two capes of different fabrics, made from one pattern or, without it, from the mesh. The second one hangs in front of
// the first one.
static drapeWorldId CapeWorld(Kind kind, const drapePattern* pattern)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = kind.workers;
	drapeWorldId world = Make_World(&worldDef);
	drapeClothDef def = DefOf(kind);
	AddSphere(world);
	AddCape(world, def, pattern);
	def.material.density *= 1.5f;
	def.material.bendWarp *= 2.0f;
	AddCape(world, def, pattern);
	return world;
}

static void Run(drapeWorldId world, int count)
{
	for (int i = 0; i < count; ++i)
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
	assert_int_equal(drapeWorld_Validate(world), drape_ok);
}

// --- equality -------------------------------------------------------------------------------------------------------

static void ClothOfAPatternIsBitForBitThatOfItsMesh(void** state)
{
	(void)state;
	drapePattern* pattern = CapePattern();
	uint32_t adapted = 0;
	for (uint32_t i = 0; i < kinds; i += isSlow ? 7 : 1)
	{
		// The world that cooks is gone: the other one shares.
		drapeDestroyWorld(CapeWorld(KindOf(i), pattern));
		drapeWorldId own = CapeWorld(KindOf(i), NULL), shared = CapeWorld(KindOf(i), pattern);
		for (int step = 0; step < steps; step += 10)
		{
			assert_int_equal(drapeWorld_GetHash(shared), drapeWorld_GetHash(own));
			Run(own, 10);
			Run(shared, 10);
		}
		assert_int_equal(drapeWorld_GetHash(shared), drapeWorld_GetHash(own));
		drapeClothId cloth;
		assert_int_equal(drapeWorld_GetCloths(shared, &cloth, 1), cloths);
		adapted += drapeCloth_GetView(cloth).revision > 1;
		drapeDestroyWorld(own);
		drapeDestroyWorld(shared);
	}
	assert_true(adapted > 0);
	drapeDestroyPattern(pattern);
}

// The cooked cloths have lent their arrays to cloths that refined. New cloths of them begin like the first ones.
static void AdaptationOfOneClothChangesNoOther(void** state)
{
	(void)state;
	drapePattern* pattern = CapePattern();
	for (uint32_t i = 0; i < kinds; i += isSlow ? 7 : 1)
	{
		drapeWorldId fresh = CapeWorld(KindOf(i), pattern), edited = CapeWorld(KindOf(i), pattern);
		uint64_t hash = drapeWorld_GetHash(fresh);
		drapeClothId capes[cloths];
		drapeWorld_GetCloths(edited, capes, cloths);
		for (int k = 0; k < 3; ++k)
		{
			assert_int_equal(drapeCloth_Refine(capes[0]), drape_ok);
			Run(edited, 2);
			assert_int_equal(drapeCloth_Coarsen(capes[0]), drape_ok);
			assert_int_equal(drapeCloth_Refine(capes[1]), drape_ok);
			Run(edited, 2);
		}
		assert_int_equal(drapeWorld_GetHash(fresh), hash);
		drapeWorldId late = CapeWorld(KindOf(i), pattern);
		assert_int_equal(drapeWorld_GetHash(late), hash);
		Run(fresh, 20);
		Run(late, 20);
		assert_int_equal(drapeWorld_GetHash(late), drapeWorld_GetHash(fresh));
		drapeDestroyWorld(fresh);
		drapeDestroyWorld(edited);
		drapeDestroyWorld(late);
	}
	drapeDestroyPattern(pattern);
}

static void SnapshotsOfBothKindsAreInterchangeable(void** state)
{
	(void)state;
	drapePattern* pattern = CapePattern();
	for (uint32_t i = 0; i < kinds / 2; i += isSlow ? 7 : 1)
	{
		for (int way = 0; way < 2; ++way)
		{
			drapeWorldId from = CapeWorld(KindOf(i), way == 0 ? pattern : NULL);
			drapeWorldId to = CapeWorld(KindOf(i), way == 0 ? NULL : pattern);
			Run(from, 25);
			size_t size = Make_Snapshot(from, NULL, 0);
			void* data = malloc(size);
			assert_int_equal(Make_Snapshot(from, data, size), size);
			assert_int_equal(drapeWorld_Load(to, data, size), drape_ok);
			assert_int_equal(drapeWorld_GetHash(to), drapeWorld_GetHash(from));
			Run(from, 15);
			Run(to, 15);
			assert_int_equal(drapeWorld_GetHash(to), drapeWorld_GetHash(from));
			free(data);
			drapeDestroyWorld(from);
			drapeDestroyWorld(to);
		}
	}
	drapeDestroyPattern(pattern);
}

// Pins on all corners of a triangle make it rigid, which changes the elements of curvature around it.
static void RigidTrianglesOfOneClothAreNotThoseOfAnother(void** state)
{
	(void)state;
	drapePattern* pattern = CapePattern();
	const drapeClothDef def = DefOf((Kind){drape_schemeEdge, drape_modelFem, drape_integratorBdf2, 0, 1});
	drapeWorldId worlds[2];
	for (int k = 0; k < 2; ++k)
	{
		drapeClothId capes[cloths];
		worlds[k] = Sheet_World(1);
		for (int c = 0; c < cloths; ++c)
			capes[c] = AddCape(worlds[k], def, k == 0 ? pattern : NULL);
		Make_Pin(capes[0], 1);
		Make_Pin(capes[0], 5);
		Run(worlds[k], 30);
	}
	assert_int_equal(drapeWorld_GetHash(worlds[0]), drapeWorld_GetHash(worlds[1]));
	drapeDestroyWorld(worlds[0]);
	drapeDestroyWorld(worlds[1]);
	drapeDestroyPattern(pattern);
}

static void MorePossibleFabricsThanAPatternKeepsAreRightAllTheSame(void** state)
{
	(void)state;
	drapePattern* pattern = CapePattern();
	for (uint32_t i = 0; i < 12; ++i)
	{
		drapeClothDef def = DefOf((Kind){drape_schemeEdge, drape_modelFem, drape_integratorBdf2, 0, 1});
		def.material.density *= 1.0f + 0.1f * (float)i;
		drapeWorldId shared = Sheet_World(1), own = Sheet_World(1);
		AddCape(shared, def, pattern);
		AddCape(own, def, NULL);
		Run(shared, 8);
		Run(own, 8);
		assert_int_equal(drapeWorld_GetHash(shared), drapeWorld_GetHash(own));
		drapeDestroyWorld(shared);
		drapeDestroyWorld(own);
	}
	drapeDestroyPattern(pattern);
}

// Changes of a living cloth: fabric, painted masses, model, contact.
static void ChangeSettings(drapeClothId cape)
{
	float factors[64];
	drapeMaterial material = drapeCloth_GetMaterial(cape);
	uint32_t vertices = drapePattern_GetVertexCount(drapeCloth_GetPattern(cape));
	assert_true(vertices <= sizeof factors / sizeof factors[0]);
	for (uint32_t i = 0; i < vertices; ++i)
		factors[i] = 1.0f + 0.05f * (float)i;
	material.stretchWarp *= 1.5f;
	material.density *= 1.2f;
	assert_int_equal(drapeCloth_SetMaterial(cape, &material), drape_ok);
	assert_int_equal(drapeCloth_SetVertexValues(cape, drape_vertexMass, factors, vertices), drape_ok);
	assert_int_equal(drapeCloth_SetContact(cape, drape_contactAll), drape_ok);
}

static void SettingsOfABorrowingClothChangeItAlone(void** state)
{
	(void)state;
	drapePattern* pattern = CapePattern();
	for (uint32_t i = 0; i < kinds / 2; i += isSlow ? 7 : 1)
	{
		drapeWorldId worlds[2] = {CapeWorld(KindOf(i), NULL), CapeWorld(KindOf(i), pattern)};
		for (int k = 0; k < 2; ++k)
		{
			drapeClothId capes[cloths];
			drapeWorld_GetCloths(worlds[k], capes, cloths);
			ChangeSettings(capes[0]);
			Run(worlds[k], 6);
			ChangeSettings(capes[1]);
			assert_int_equal(drapeCloth_SetVertexValues(capes[0], drape_vertexMass, NULL, 0), drape_ok);
			Run(worlds[k], 6);
		}
		assert_int_equal(drapeWorld_GetHash(worlds[0]), drapeWorld_GetHash(worlds[1]));
		drapeDestroyWorld(worlds[0]);
		drapeDestroyWorld(worlds[1]);
	}
	drapeDestroyPattern(pattern);
}

static void PaintedValuesAreThoseOfTheCloth(void** state)
{
	(void)state;
	float mass[64], thickness[64];
	drapePattern* pattern = CapePattern();
	for (uint32_t i = 0; i < drapePattern_GetVertexCount(pattern); ++i)
	{
		mass[i] = 1.0f + 0.1f * (float)(i % 5);
		thickness[i] = 0.5f + 0.1f * (float)(i % 3);
	}
	for (uint32_t i = 6; i < kinds / 2; ++i)
	{
		drapeWorldId worlds[2];
		for (int k = 0; k < 2; ++k)
		{
			drapeClothDef def = DefOf(KindOf(i));
			worlds[k] = Sheet_World(1);
			AddSphere(worlds[k]);
			AddCape(worlds[k], def, k == 0 ? NULL : pattern);
			def.vertexValues[drape_vertexMass] = mass;
			def.vertexValues[drape_vertexThickness] = thickness;
			AddCape(worlds[k], def, k == 0 ? NULL : pattern);
			Run(worlds[k], 12);
		}
		assert_int_equal(drapeWorld_GetHash(worlds[0]), drapeWorld_GetHash(worlds[1]));
		drapeDestroyWorld(worlds[0]);
		drapeDestroyWorld(worlds[1]);
	}
	drapeDestroyPattern(pattern);
}

// --- the lender -----------------------------------------------------------------------------------------------------

#if defined(__linux__)

enum
{
	mostBlocks = 4096
};

// Each block has pages of its own, so that it can be made read only.
static struct
{
	void* memory[mostBlocks];
	size_t size[mostBlocks];
	uint32_t count;
} blocks;

static size_t PageBytes(size_t size)
{
	return (size + 4095) & ~(size_t)4095;
}

static void* AllocPages(size_t size, size_t alignment, void* context)
{
	(void)alignment;
	(void)context;
	void* memory = mmap(NULL, PageBytes(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	assert_true(blocks.count < mostBlocks);
	blocks.memory[blocks.count] = memory;
	blocks.size[blocks.count++] = size;
	return memory;
}

static void FreePages(void* memory, size_t size, void* context)
{
	(void)context;
	uint32_t i = 0;
	while (blocks.memory[i] != memory)
		i++;
	assert_int_equal(blocks.size[i], size);
	blocks.memory[i] = blocks.memory[--blocks.count];
	blocks.size[i] = blocks.size[blocks.count];
	munmap(memory, PageBytes(size));
}

static void Protect(const void* except, int rights)
{
	for (uint32_t i = 0; i < blocks.count; ++i)
	{
		if (blocks.memory[i] != except)
			assert_int_equal(mprotect(blocks.memory[i], PageBytes(blocks.size[i]), rights), 0);
	}
}

// A snapshot of a world with two capes goes into a fresh one.
static void LoadIntoAnother(drapeWorldId world, drapeClothDef def, const drapePattern* pattern)
{
	drapeWorldId fresh = Sheet_World(1);
	AddSphere(fresh);
	AddCape(fresh, def, pattern);
	AddCape(fresh, def, pattern);
	size_t size = Make_Snapshot(world, NULL, 0);
	void* data = malloc(size);
	assert_int_equal(Make_Snapshot(world, data, size), size);
	assert_int_equal(drapeWorld_Load(fresh, data, size), drape_ok);
	assert_int_equal(drapeWorld_GetHash(fresh), drapeWorld_GetHash(world));
	free(data);
	drapeDestroyWorld(fresh);
}

// A write into anything that a cooked cloth lends would end this program.
static void ALenderIsNeverWritten(void** state)
{
	(void)state;
	for (uint32_t i = 3; i < kinds / 2; i += isSlow ? 2 : 1)
	{
		drapeClothDef def = DefOf(KindOf(i));
		const CookedCloth* cooked;
		drapeSetAllocator(AllocPages, FreePages, NULL);
		drapePattern* pattern = CapePattern();
		drapeWorldId other = Sheet_World(1);
		def.pattern = pattern;
		assert_int_equal(drapePattern_Cook(pattern, &def, drapeWorlds_Get(other)->tasks, &cooked), drape_ok);
		drapeDestroyWorld(other);
		Protect(pattern, PROT_READ);
		drapeWorldId world = Sheet_World(1);
		AddSphere(world);
		drapeClothId cape = AddCape(world, def, pattern);
		AddCape(world, def, pattern);
		Make_Pin(cape, 1);
		Make_Pin(cape, 5);
		Run(world, 10);
		assert_int_equal(drapeCloth_Refine(cape), drape_ok);
		Run(world, 5);
		assert_int_equal(drapeCloth_Coarsen(cape), drape_ok);
		Run(world, 5);
		LoadIntoAnother(world, def, pattern);
		ChangeSettings(AddCape(world, def, pattern));
		Run(world, 2);
		drapeDestroyWorld(world);
		Protect(pattern, PROT_READ | PROT_WRITE);
		drapeDestroyPattern(pattern);
		assert_int_equal(blocks.count, 0);
		drapeSetAllocator(NULL, NULL, NULL);
	}
}

#else

static void ALenderIsNeverWritten(void** state)
{
	(void)state;
	skip();
}

#endif

// --- lifetime -------------------------------------------------------------------------------------------------------

static void APatternLivesAsLongAsItsCloths(void** state)
{
	(void)state;
	size_t before = drapeGetMemoryUse().bytes;
	drapePattern* pattern = CapePattern();
	drapeWorldId world = CapeWorld(KindOf(7), pattern);
	assert_int_equal(drapeDestroyPattern(pattern), drape_ok);
	Run(world, 20);
	drapeClothId capes[cloths];
	drapeWorld_GetCloths(world, capes, cloths);
	assert_ptr_equal(drapeCloth_GetPattern(capes[0]), drapeCloth_GetPattern(capes[1]));
	drapeDestroyCloth(capes[0]);
	Run(world, 20);
	drapeDestroyWorld(world);
	assert_int_equal(drapeGetMemoryUse().bytes, before);
}

static void ClothsMayGoBeforeTheirPattern(void** state)
{
	(void)state;
	size_t before = drapeGetMemoryUse().bytes;
	drapePattern* pattern = CapePattern();
	for (int i = 0; i < 3; ++i)
	{
		drapeWorldId world = CapeWorld(KindOf(8), pattern);
		Run(world, 5);
		drapeDestroyWorld(world);
	}
	assert_int_equal(drapeDestroyPattern(pattern), drape_ok);
	assert_int_equal(drapeDestroyPattern(NULL), drape_ok);
	assert_int_equal(drapeGetMemoryUse().bytes, before);
}

// The definition of a cloth that was made from a mesh makes a second one.
static void TheDefinitionOfAClothMakesAnotherOne(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1), twins = Sheet_World(1);
	drapeClothDef def = DefOf(KindOf(7));
	drapeClothId first = AddCape(world, def, NULL);
	for (int i = 0; i < cloths; ++i)
		AddCape(twins, drapeCloth_GetDef(first), drapeCloth_GetPattern(first));
	AddCape(world, def, NULL);
	drapeDestroyCloth(first);
	first = AddCape(world, def, NULL);
	Run(world, 20);
	Run(twins, 20);
	assert_int_equal(drapeWorld_GetHash(world), drapeWorld_GetHash(twins));
	drapeDestroyWorld(world);
	drapeDestroyWorld(twins);
}

typedef struct ThreadTask
{
	drapePattern* pattern;
	uint64_t hash;
} ThreadTask;

static void RunOnThread(void* context)
{
	ThreadTask* task = context;
	for (uint32_t i = 6; i < 12; i += isSlow ? 2 : 1)
	{
		Kind kind = KindOf(i);
		kind.workers = 1;
		drapeWorldId world = CapeWorld(kind, task->pattern);
		for (int step = 0; step < 15; ++step)
			drapeWorld_Step(world, 1.0f / 60.0f);
		task->hash = 31 * task->hash + drapeWorld_GetHash(world);
		drapeDestroyWorld(world);
	}
	drapePattern_GetMemory(task->pattern);
}

static void TwoThreadsMayUseAPatternAtOnce(void** state)
{
	(void)state;
	drapePattern* pattern = CapePattern();
	ThreadTask tasks[2] = {{.pattern = pattern}, {.pattern = pattern}}, alone = {.pattern = pattern};
	Thread threads[2];
	for (int i = 0; i < 2; ++i)
		assert_true(drapeThread_Start(&threads[i], RunOnThread, &tasks[i]));
	for (int i = 0; i < 2; ++i)
		drapeThread_Join(&threads[i]);
	RunOnThread(&alone);
	assert_int_equal(tasks[0].hash, alone.hash);
	assert_int_equal(tasks[1].hash, alone.hash);
	drapeDestroyPattern(pattern);
}

// --- memory ---------------------------------------------------------------------------------------------------------

static size_t BytesOfCape(drapeWorldId world, drapeClothDef def, const drapePattern* pattern)
{
	size_t before = drapeGetMemoryUse().bytes;
	AddCape(world, def, pattern);
	return drapeGetMemoryUse().bytes - before;
}

static void TheSecondClothTakesNoMemoryForThePattern(void** state)
{
	(void)state;
	drapePattern* pattern = CapePattern();
	size_t mesh = drapePattern_GetMemory(pattern);
	drapeWorldId world = Sheet_World(1);
	const drapeClothDef def =
		DefOf((Kind){drape_schemeFixed, drape_modelFem, drape_integratorBdf2, drape_contactAll, 1});
	BytesOfCape(world, def, NULL); // slots of the world
	size_t own = BytesOfCape(world, def, NULL), first = BytesOfCape(world, def, pattern);
	size_t cooked = drapePattern_GetMemory(pattern) - mesh, next = BytesOfCape(world, def, pattern);
	assert_true(cooked > 0 && mesh > 0);
	assert_int_equal(first, next + cooked);
	assert_true(own - next > mesh);
	assert_int_equal(drapePattern_GetMemory(pattern), mesh + cooked);
	drapeDestroyWorld(world);
	drapeDestroyPattern(pattern);
}

// One step of creation or of a cloth's life; returns false if memory was short.
static bool LiveOnLittleMemory(Kind kind, uint32_t* reached)
{
	drapeMesh mesh = CapeMesh();
	drapePatternDef patternDef = drapeDefaultPatternDef();
	drapePattern* pattern = NULL;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeClothDef def = DefOf(kind);
	drapeMessage message = {0};
	patternDef.mesh = &mesh;
	bool done = drapeWorld_IsValid(world) && drapeCreatePattern(&patternDef, &pattern, &message) == drape_ok;
	*reached += done;
	assert_true(done || !drapeWorld_IsValid(world) || message.result == drape_errorMemory);
	drapeClothId capes[cloths];
	def.pattern = pattern;
	for (int i = 0; done && i < cloths; ++i)
	{
		drapeResult result = drapeCreateCloth(world, &def, &capes[i]);
		assert_true(result == drape_ok || result == drape_errorMemory);
		done = result == drape_ok;
		*reached += done;
	}
	if (done)
	{
		done = drapeCloth_Refine(capes[1]) == drape_ok && drapeWorld_Step(world, 1.0f / 60.0f) == drape_ok;
		assert_int_equal(drapeWorld_Validate(world), drape_ok);
		*reached += done;
	}
	drapeDestroyPattern(pattern);
	if (drapeWorld_IsValid(world))
		drapeDestroyWorld(world);
	TestMesh_Free(&mesh);
	return done;
}

static void EachFailedAllocationIsReportedAndLeavesNothingBehind(void** state)
{
	(void)state;
	const Kind some[] = {
		{drape_schemeEdge, drape_modelFem, drape_integratorBdf2, drape_contactAll, 1},
		{drape_schemeSqrt3, drape_modelSprings, drape_integratorImplicitEuler, drape_contactParticles, 1},
		{drape_schemeFixed, drape_modelFem, drape_integratorSymplecticEuler, drape_contactParticles, 1},
	};
	for (size_t i = 0; i < sizeof some / sizeof some[0]; ++i)
	{
		bool done = false;
		uint32_t reached = 0, failures = 0;
		for (size_t number = 1; !done; number += isSlow ? 7 : 1)
		{
			reached = 0;
			Test_FailAllocation(number, true);
			done = LiveOnLittleMemory(some[i], &reached);
			Test_FailAllocation(0, false);
			failures += !done;
		}
		assert_int_equal(reached, 2 + cloths);
		assert_true(failures > (isSlow ? 7 : 50));
	}
}

// A cloth that cannot copy what it has borrowed is as it was.
static void AFailedRefinementLeavesABorrowingClothUnchanged(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	for (uint32_t i = 6; i < 12; ++i)
	{
		drapePattern* pattern = CapePattern();
		drapeWorldId world = CapeWorld(KindOf(i), pattern);
		drapeClothId cape;
		drapeWorld_GetCloths(world, &cape, 1);
		uint64_t hash = drapeWorld_GetHash(world);
		for (size_t count = 0;; ++count)
		{
			Test_AllowAllocations(count);
			drapeResult result = drapeCloth_Refine(cape);
			Test_AllowAllocations(SIZE_MAX);
			if (result == drape_ok)
				break;
			assert_int_equal(result, drape_errorMemory);
			assert_int_equal(drapeWorld_GetHash(world), hash);
		}
		Run(world, 3);
		drapeDestroyWorld(world);
		drapeDestroyPattern(pattern);
	}
	Test_EndLimitedMemory();
}

// --- arguments ------------------------------------------------------------------------------------------------------

static void WrongArgumentsAreRefusedWithASentence(void** state)
{
	(void)state;
	drapeMessage message = {0};
	drapeMesh mesh = CapeMesh();
	drapePattern* pattern = CapePattern();
	drapePatternDef def = {0};
	drapePattern* none = pattern;
	ASSERT_REFUSED(assert_int_equal(drapeCreatePattern(&def, &none, &message), drape_errorArgument));
	assert_null(none);
	assert_non_null(strstr(message.text, "drapeDefaultPatternDef"));
	def = drapeDefaultPatternDef();
	ASSERT_REFUSED(assert_int_equal(drapeCreatePattern(&def, &none, &message), drape_errorArgument));
	assert_non_null(strstr(message.text, "mesh is NULL"));
	def.mesh = &mesh;
	ASSERT_REFUSED(assert_int_equal(drapeCreatePattern(&def, NULL, &message), drape_errorArgument));
	TestMesh_FlipTriangle(&mesh, 5);
	drapeMeshReport report;
	def.report = &report;
	assert_int_equal(drapeCreatePattern(&def, &none, &message), drape_errorData);
	assert_null(none);
	assert_true(report.problemCount > 0 && message.text[0] != 0);

	drapeWorldId world = Sheet_World(1);
	drapeClothDef clothDef = drapeDefaultClothDef();
	drapeClothId cloth;
	ASSERT_REFUSED(assert_int_equal(drapeCreateCloth(world, &clothDef, &cloth), drape_errorArgument));
	assert_non_null(strstr(drapeWorld_GetMessage(world), "mesh and pattern are NULL"));
	clothDef.mesh = &mesh;
	clothDef.pattern = pattern;
	ASSERT_REFUSED(assert_int_equal(drapeCreateCloth(world, &clothDef, &cloth), drape_errorArgument));
	assert_non_null(strstr(drapeWorld_GetMessage(world), "both given"));
	ASSERT_REFUSED(assert_null(drapeCloth_GetPattern((drapeClothId){0})));
	ASSERT_REFUSED(assert_int_equal(drapePattern_GetVertexCount(NULL), 0));
	drapeDestroyWorld(world);
	drapeDestroyPattern(pattern);
	TestMesh_Free(&mesh);
}

static void GettersDescribeTheMesh(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 2, 0.6f, 0.8f, 0.0f, 1);
	drapePatternDef def = drapeDefaultPatternDef();
	drapePattern* pattern;
	def.mesh = &mesh;
	def.rest.warp = (drapeVec3){0.0f, 1.0f, 0.0f};
	assert_int_equal(drapeCreatePattern(&def, &pattern, NULL), drape_ok);
	assert_int_equal(drapePattern_GetVertexCount(pattern), 12);
	assert_int_equal(drapePattern_GetTriangleCount(pattern), 12);
	assert_float_equal(drapePattern_GetArea(pattern), 0.48, 1e-6);
	drapeVec3 lower, upper;
	assert_int_equal(drapePattern_GetBounds(pattern, &lower, &upper), drape_ok);
	assert_int_equal(drapePattern_GetBounds(pattern, NULL, NULL), drape_ok);
	assert_float_equal(lower.x, 0.0, 1e-6);
	assert_float_equal(upper.x, 0.6, 1e-6);
	assert_float_equal(upper.y, 0.8, 1e-6);
	assert_float_equal(upper.z, 0.0, 1e-6);
	assert_true(drapePattern_GetMemory(pattern) > 12 * sizeof(drapeVec3));
	drapePatternDef got = drapePattern_GetDef(pattern);
	assert_null(got.mesh);
	assert_float_equal(got.rest.warp.y, 1.0, 0.0);
	drapeDestroyPattern(pattern);
	TestMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ClothOfAPatternIsBitForBitThatOfItsMesh),
		cmocka_unit_test(AdaptationOfOneClothChangesNoOther),
		cmocka_unit_test(SnapshotsOfBothKindsAreInterchangeable),
		cmocka_unit_test(RigidTrianglesOfOneClothAreNotThoseOfAnother),
		cmocka_unit_test(MorePossibleFabricsThanAPatternKeepsAreRightAllTheSame),
		cmocka_unit_test(SettingsOfABorrowingClothChangeItAlone),
		cmocka_unit_test(PaintedValuesAreThoseOfTheCloth),
		cmocka_unit_test(ALenderIsNeverWritten),
		cmocka_unit_test(APatternLivesAsLongAsItsCloths),
		cmocka_unit_test(ClothsMayGoBeforeTheirPattern),
		cmocka_unit_test(TheDefinitionOfAClothMakesAnotherOne),
		cmocka_unit_test(TwoThreadsMayUseAPatternAtOnce),
		cmocka_unit_test(TheSecondClothTakesNoMemoryForThePattern),
		cmocka_unit_test(EachFailedAllocationIsReportedAndLeavesNothingBehind),
		cmocka_unit_test(AFailedRefinementLeavesABorrowingClothUnchanged),
		cmocka_unit_test(WrongArgumentsAreRefusedWithASentence),
		cmocka_unit_test(GettersDescribeTheMesh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
