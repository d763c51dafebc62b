// SPDX-License-Identifier: MIT
#include "world/world.h"

#include "base/hash.h"

#include <string.h>

// The whole state of a world as bytes. One walk over everything that changes serves to measure, save, reserve and load,
// so that these cannot disagree about the format:
//
//   header   magic, format, payload size, payload hash, identity of the world (counts and patterns), identity of the
//            columns
//   payload  times; colliders; contact cache, the age of knots and the pairs that touch; the pools of the hierarchy;
//            each cloth with its active mesh and columns, values of its vertices, masses, pins, budget, passed vertices
//            of meshes and the order in the colour graphs, which decides the order of sums and so
//            the last bits
//
// Loading checks the header and the payload hash, then reserves all memory, then copies: it succeeds or changes
// nothing. The bytes depend on the machine and on the version of the library.

enum
{
	snapshotMagic = 0x70617264, // "drap"
	snapshotFormat = 18,
};

typedef enum WalkMode
{
	walkMeasure,
	walkSave,
	walkReserve,
	walkLoad,
} WalkMode;

typedef struct Walk
{
	WalkMode mode;
	uint8_t* data;
	size_t size, offset;
	uint32_t particles; // particles of the stored cloth that is walked
	bool failed;        // out of memory, or the data ends early
} Walk;

typedef struct Header
{
	uint32_t magic, format;
	uint64_t payloadSize, payloadHash, identity, columns;
} Header;

static void Bytes(Walk* walk, void* value, size_t size)
{
	DRAPE_ASSERT(value || size == 0 || walk->mode == walkMeasure || walk->mode == walkReserve);
	DRAPE_ASSERT(walk->mode == walkMeasure || walk->failed || walk->offset <= walk->size);
	if (walk->failed)
		return;
	if (walk->mode != walkMeasure && size > walk->size - walk->offset)
	{
		walk->failed = true;
		return;
	}
	if (walk->mode == walkSave && size > 0)
		memcpy(walk->data + walk->offset, value, size);
	if (walk->mode == walkLoad && size > 0)
		memcpy(value, walk->data + walk->offset, size);
	walk->offset += size;
}

#define VALUE(walk, lvalue) Bytes((walk), &(lvalue), sizeof(lvalue))

// A count, which precedes the array. Reserving leaves *count as it is. Returns the stored count.
static uint32_t Count(Walk* walk, uint32_t* count)
{
	uint32_t stored = *count;
	if (walk->mode == walkReserve)
	{
		if (walk->size - walk->offset < sizeof stored)
			walk->failed = true;
		else
			memcpy(&stored, walk->data + walk->offset, sizeof stored);
		walk->offset += sizeof stored;
		return walk->failed ? 0 : stored;
	}
	VALUE(walk, *count);
	return walk->failed ? 0 : *count;
}

#define ARRAY_BYTES(walk, array, n)                                                                                    \
	do                                                                                                                 \
	{                                                                                                                  \
		if ((walk)->mode == walkReserve && !ArrayReserve((array), (n)))                                                \
			(walk)->failed = true;                                                                                     \
		Bytes((walk), (array)->data, (size_t)(n) * sizeof(*(array)->data));                                            \
	} while (0)

#define COUNTED_ARRAY(walk, array)                                                                                     \
	do                                                                                                                 \
	{                                                                                                                  \
		uint32_t countedItems = Count((walk), &(array)->count);                                                        \
		ARRAY_BYTES((walk), (array), countedItems);                                                                    \
	} while (0)

static void WalkIndexPool(Walk* walk, IndexPool* pool, uint32_t* next)
{
	*next = Count(walk, &pool->next);
	if (walk->mode == walkReserve && !ArrayReserve(&pool->free, *next))
		walk->failed = true;
	COUNTED_ARRAY(walk, &pool->free);
	Count(walk, &pool->used);
}

static void WalkPools(Walk* walk, EdgePools* pools)
{
	uint32_t families, vertices;
	uint32_t edges = Count(walk, &pools->edges.count);
	ARRAY_BYTES(walk, &pools->edges, edges);
	// The capacity of the free lists covers all elements that can be freed.
	if (walk->mode == walkReserve && (!ArrayReserve(&pools->freePairs, pools->edges.capacity / 2) ||
	                                  !ArrayReserve(&pools->freeTriples, pools->edges.capacity / 3 + 1)))
		walk->failed = true;
	COUNTED_ARRAY(walk, &pools->freePairs);
	COUNTED_ARRAY(walk, &pools->freeTriples);
	Count(walk, &pools->edgesUsed);
	WalkIndexPool(walk, &pools->familyPool, &families);
	ARRAY_BYTES(walk, &pools->families, families);
	ARRAY_BYTES(walk, &pools->triangles, 4 * (size_t)families);
	ARRAY_BYTES(walk, &pools->patternCorners, 4 * (size_t)families);
	ARRAY_BYTES(walk, &pools->triangleActive, 4 * (size_t)families);
	WalkIndexPool(walk, &pools->vertexPool, &vertices);
	ARRAY_BYTES(walk, &pools->vertices, vertices);
}

static void WalkSqrt3(Walk* walk, Sqrt3Scheme* scheme)
{
	uint32_t names;
	COUNTED_ARRAY(walk, &scheme->triangles);
	COUNTED_ARRAY(walk, &scheme->births);
	WalkIndexPool(walk, &scheme->names, &names);
	ARRAY_BYTES(walk, &scheme->particleOf, names);
	VALUE(walk, scheme->waiting);
}

static void WalkActive(Walk* walk, ActiveMesh* active)
{
	uint32_t particles = Count(walk, &active->particleCount), triangles = Count(walk, &active->triangleCount),
			 edges = Count(walk, &active->edgeCount);
	walk->particles = particles;
	if (walk->mode == walkReserve &&
	    (!drapeActiveMesh_ReserveParticles(active, particles) || !drapeActiveMesh_ReserveTriangles(active, triangles) ||
	     !drapeActiveMesh_ReserveEdges(active, edges)))
		walk->failed = true;
	for (uint32_t i = 0; i < drapeActiveMesh_SavedCount(active); ++i)
	{
		ActiveArray array = drapeActiveMesh_Saved(active, i);
		uint32_t count = array.kind == activeParticles ? particles : array.kind == activeTriangles ? triangles : edges;
		Bytes(walk, array.data, count * array.size);
	}
	// The loaded mesh differs from every earlier one: data that follows the revision must be rebuilt.
	if (walk->mode == walkLoad)
	{
		active->revision++;
		drapeColumns_Loaded(active);
	}
}

_Static_assert(sizeof(ClothBody) ==
                   sizeof(drapeModel) + sizeof(drapeMaterial) + sizeof(drapeSpringDef) + sizeof(drapeSolverDef),
               "snapshots hold no padding");

// Settings that may change while the cloth lives.
static void WalkSettings(Walk* walk, Cloth* cloth)
{
	ClothBody body = drapeCloth_Body(cloth);
	VALUE(walk, body);
	VALUE(walk, cloth->contact);
	VALUE(walk, cloth->gravityScale);
	VALUE(walk, cloth->inertia);
	VALUE(walk, cloth->frame);
	VALUE(walk, cloth->sleep);
	if (walk->mode == walkLoad)
		drapeCloth_LoadBody(cloth, &body);
}

// The values of vertices that the cloth has, with those of finer particles. Reserving adds columns; loading takes them
// into use, and removes those that the snapshot does not have.
static void WalkPainted(Walk* walk, Cloth* cloth)
{
	uint32_t present = drapePainted_Present(cloth), stored = Count(walk, &present);
	if (walk->mode == walkReserve && !drapePainted_Reserve(cloth, stored))
		walk->failed = true;
	if (walk->mode == walkLoad && !walk->failed)
		drapePainted_Use(cloth, stored);
	for (uint32_t i = 0; i < paintedColumns && !walk->failed; ++i)
	{
		if (stored & 1u << i)
			Bytes(walk, (void*)(uintptr_t)Cloth_Painted(cloth, i), (size_t)walk->particles * drapePainted_Size(i));
	}
	VALUE(walk, cloth->active.areaUnit);
	if (cloth->adapt.scheme == drape_schemeEdge)
		Bytes(walk, ((EdgeScheme*)cloth->scheme)->twelfths, cloth->pattern->triangleCount * sizeof(int64_t));
}

static void WalkCloth(Walk* walk, Cloth* cloth)
{
	VALUE(walk, cloth->filter);
	WalkSettings(walk, cloth);
	WalkActive(walk, &cloth->active);
	WalkPainted(walk, cloth);
	if (cloth->adapt.scheme == drape_schemeSqrt3)
		WalkSqrt3(walk, (Sqrt3Scheme*)cloth->scheme);
	VALUE(walk, cloth->budget);
	VALUE(walk, cloth->criteria.hysteresis);
	VALUE(walk, cloth->criteria.sleep.limits);
	COUNTED_ARRAY(walk, &cloth->pins);
	VALUE(walk, cloth->simulation.previousStep);
	VALUE(walk, cloth->simulation.memory);
	VALUE(walk, cloth->simulation.passed.left);
	VALUE(walk, cloth->simulation.passed.crossedFor);
	COUNTED_ARRAY(walk, &cloth->simulation.passed.list);
}

// The order of elements in a colour graph: for each colour their number and names. Loading fills an emptied graph.
static void WalkGraph(Walk* walk, ColorGraph* graph, const Cloth* cloth, GraphDescribeFcn* describe)
{
	ModelContext context = {&cloth->simulation.model, &cloth->active};
	if (walk->mode == walkLoad)
		drapeColorGraph_Clear(graph);
	for (uint32_t c = 0; c < graphColors && !walk->failed; ++c)
	{
		uint32_t count = graph->colors[c].count;
		VALUE(walk, count);
		if (walk->mode == walkReserve)
		{
			memcpy(&count, walk->data + walk->offset - sizeof count, sizeof count);
			if (count > (walk->size - walk->offset) / sizeof(uint32_t) ||
			    !drapeColorGraph_ReserveColor(graph, c, count))
				walk->failed = true;
		}
		for (uint32_t i = 0; i < count && !walk->failed; ++i)
		{
			uint32_t item = walk->mode == walkSave ? graph->colors[c].item[i] : 0;
			VALUE(walk, item);
			if (walk->mode == walkLoad &&
			    !drapeColorGraph_Restore(graph, c, item, cloth->active.particleCount, describe, &context))
				walk->failed = true;
		}
	}
}

static void WalkGraphs(Walk* walk, Cloth* cloth)
{
	Model* model = &cloth->simulation.model;
	if (walk->mode == walkReserve &&
	    !drapeColorGraph_ReserveItems(&model->stretch, cloth->active.edgeCapacity, cloth->active.particleCapacity))
		walk->failed = true;
	if (walk->mode == walkReserve &&
	    !drapeColorGraph_ReserveItems(&model->bend, cloth->active.edgeCapacity, cloth->active.particleCapacity))
		walk->failed = true;
	if (walk->mode == walkReserve && !drapeColorGraph_ReserveItems(&model->triangles, cloth->active.triangleCapacity,
	                                                               cloth->active.particleCapacity))
		walk->failed = true;
	WalkGraph(walk, &model->stretch, cloth, drapeModel_DescribeStretch);
	WalkGraph(walk, &model->bend, cloth, drapeModel_DescribeBend);
	WalkGraph(walk, &model->triangles, cloth, drapeModel_DescribeTriangle);
	if (walk->mode == walkLoad)
		model->revision = cloth->active.revision;
}

// Includes the definition: the slot may have been reused since the snapshot was made.
static void WalkCollider(Walk* walk, drapeWorld* world, uint32_t slot)
{
	Collider* collider = &world->colliders.data[slot];
	drapeColliderDef* def = &collider->def;
	VALUE(walk, world->colliderSlots.data[slot]);
	VALUE(walk, def->shape);
	const drapeParameter* measure;
	for (uint32_t i = 0; (measure = drapeColliderShape_GetMeasure(i)) != NULL; ++i)
	{
		uint32_t count;
		float* values = drapeColliderShape_GetMeasureValues(measure, def, &count);
		Bytes(walk, values, count * sizeof(float));
	}
	VALUE(walk, def->transform);
	VALUE(walk, def->motion.index1);
	VALUE(walk, def->friction);
	VALUE(walk, def->start);
	VALUE(walk, def->end);
	VALUE(walk, def->filter);
	VALUE(walk, collider->from);
	VALUE(walk, collider->to);
	ColliderMesh* mesh = world->colliderMeshes.data[slot];
	if (mesh)
	{
		// The present positions of its vertices, and their targets.
		for (uint32_t i = 0; i < mesh->vertexCount && walk->mode == walkSave; ++i)
			mesh->placed[i] = V4Xyz(mesh->shape.to[i]);
		Bytes(walk, mesh->placed, mesh->vertexCount * sizeof(Vec3));
		Bytes(walk, mesh->own, mesh->vertexCount * sizeof(Vec3));
		Bytes(walk, mesh->given, mesh->vertexCount * sizeof(Vec4));
		VALUE(walk, mesh->isChanged);
		VALUE(walk, mesh->deforms);
		VALUE(walk, mesh->overlaps);
	}
	// The handle belongs to the world that wrote it; null stays null.
	if (walk->mode == walkLoad)
		def->motion = drapeMotion_Id(world, def->motion.index1);
}

static void WalkWorld(Walk* walk, drapeWorld* world)
{
	VALUE(walk, world->time);
	VALUE(walk, world->nextAdaptation);
	VALUE(walk, world->gravity);
	VALUE(walk, world->wind);
	VALUE(walk, world->camera);
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
		WalkCollider(walk, world, i);
	COUNTED_ARRAY(walk, &world->contact.cache.now);
	VALUE(walk, world->contact.recovery.age);
	COUNTED_ARRAY(walk, &world->touches.pairs);
	VALUE(walk, world->budget);
	uint32_t constraints = Count(walk, &world->constraints.list.count);
	if (walk->mode == walkReserve && !drapeConstraints_ReserveLoaded(&world->constraints, constraints))
		walk->failed = true;
	ARRAY_BYTES(walk, &world->constraints.list, constraints);
	uint32_t pins = Count(walk, &world->pins.list.count);
	if (walk->mode == walkReserve && !drapeHandles_Reserve(&world->pins, pins))
		walk->failed = true;
	ARRAY_BYTES(walk, &world->pins.list, pins);
	WalkPools(walk, &world->edgePools);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (!drapeCloth_IsUsed(world->cloths.data[i]))
			continue;
		WalkCloth(walk, world->cloths.data[i]);
		WalkGraphs(walk, world->cloths.data[i]);
	}
}

// The scheme's names of the pattern's elements: their indices in the pools that the cloths share.
static uint64_t HashNames(uint64_t hash, const Cloth* cloth)
{
	if (cloth->adapt.scheme != drape_schemeEdge)
		return hash;
	const EdgeScheme* scheme = (const EdgeScheme*)cloth->scheme;
	hash = drapeHash_Bytes(hash, scheme->vertices, cloth->pattern->vertexCount * sizeof(uint32_t));
	hash = drapeHash_Bytes(hash, scheme->edges, cloth->pattern->edgeCount * sizeof(uint32_t));
	return drapeHash_Bytes(hash, scheme->triangles, cloth->pattern->triangleCount * sizeof(uint32_t));
}

// Identifies the objects of the world and everything that decides which arrays there are. Loading refuses snapshots of
// worlds with another identity.
static uint64_t Identity(const drapeWorld* world)
{
	uint64_t hash = Hash_U64(world->cloths.count ^ (uint64_t)world->colliderSlots.count << 32 ^
	                         (uint64_t)world->motions.count << 48);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		hash = Hash_U64(hash ^ (drapeCloth_IsUsed(cloth) ? cloth->generation : 0));
		if (!drapeCloth_IsUsed(cloth))
			continue;
		const PatternMesh* pattern = cloth->pattern;
		hash = drapeHash_Bytes(hash, pattern->triangles, 3 * (size_t)pattern->triangleCount * sizeof(uint32_t));
		hash = drapeHash_Bytes(hash, pattern->material, 3 * (size_t)pattern->triangleCount * sizeof(Vec2));
		hash = Hash_U64(hash ^ (uint64_t)cloth->adapt.scheme ^ (uint64_t)cloth->simulation.model.springs.bending << 8 ^
		                (uint64_t)cloth->active.hasTexcoords << 16 ^ (uint64_t)cloth->simulation.model.kind << 24 ^
		                (uint64_t)cloth->simulation.model.usesEdges << 32);
		hash = HashNames(hash, cloth);
	}
	for (uint32_t i = 0; i < world->colliderMeshes.count; ++i)
	{
		const ColliderMesh* mesh = world->colliderMeshes.data[i];
		hash = Hash_U64(hash ^ (mesh ? mesh->vertexCount : 0) ^ (uint64_t)(mesh ? mesh->shape.triangleCount : 0) << 32);
	}
	return hash;
}

// The saved columns of all cloths.
static uint64_t ColumnsIdentity(const drapeWorld* world)
{
	uint64_t hash = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			hash = Hash_U64(hash + i + 1) ^ drapeColumns_Identity(&world->cloths.data[i]->active.columns);
	}
	return hash;
}

static bool FollowAll(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]) && !drapeCloth_Follow(world, world->cloths.data[i]))
			return false;
	}
	return true;
}

drapeResult drapeWorld_Save(drapeWorldId id, void* data, size_t capacity, size_t* size)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (size)
		*size = 0;
	if (!world)
		return drape_errorArgument;
	if (!size || (!data && capacity > 0))
		return drapeWorld_Refuse(world, "%s is NULL", size ? "data" : "size");
	if (!FollowAll(world))
		return drapeWorld_FailMemory(world);
	drapeConstraints_MarkLocated(world);
	Walk measure = {.mode = walkMeasure};
	WalkWorld(&measure, world);
	*size = sizeof(Header) + measure.offset;
	if (capacity == 0)
		return drape_ok;
	if (capacity < *size)
		return drapeWorld_Fail(world, drape_errorLimit, "capacity is %zu bytes, but the snapshot has %zu", capacity,
		                       *size);
	uint8_t* payload = (uint8_t*)data + sizeof(Header);
	Walk save = {.mode = walkSave, .data = payload, .size = measure.offset};
	WalkWorld(&save, world);
	DRAPE_ASSERT(!save.failed && save.offset == measure.offset);
	Header header = {snapshotMagic,   snapshotFormat,
	                 measure.offset,  drapeHash_Bytes(0, payload, measure.offset),
	                 Identity(world), ColumnsIdentity(world)};
	memcpy(data, &header, sizeof header);
	return drape_ok;
}

static const char* CheckHeader(const drapeWorld* world, const void* data, size_t size)
{
	Header header;
	if (size < sizeof header)
		return "the snapshot is cut off";
	memcpy(&header, data, sizeof header);
	if (header.magic != snapshotMagic)
		return "this is not a snapshot";
	if (header.format != snapshotFormat)
		return "the snapshot is of another version";
	if (header.payloadSize != size - sizeof header)
		return "the snapshot is cut off";
	if (header.identity != Identity(world))
		return "the snapshot belongs to another world";
	if (header.columns != ColumnsIdentity(world))
		return "the snapshot was made with other columns than the cloths of this world have";
	if (header.payloadHash != drapeHash_Bytes(0, (const uint8_t*)data + sizeof header, size - sizeof header))
		return "the snapshot is damaged";
	return NULL;
}

drapeResult drapeWorld_Load(drapeWorldId id, const void* data, size_t size)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	if (!data && size > 0)
		return drapeWorld_Refuse(world, "data is NULL, but size is %zu bytes", size);
	const char* wrong = CheckHeader(world, data, size);
	if (wrong)
		return drapeWorld_Fail(world, drape_errorData, "%s", wrong);
	uint8_t* payload = (uint8_t*)(uintptr_t)data + sizeof(Header);
	Walk reserve = {.mode = walkReserve, .data = payload, .size = size - sizeof(Header)};
	WalkWorld(&reserve, world);
	if (reserve.failed || !drapeScenery_ReserveAllSeen(world))
		return drapeWorld_FailMemory(world);
	Walk load = {.mode = walkLoad, .data = payload, .size = size - sizeof(Header)};
	WalkWorld(&load, world);
	DRAPE_ASSERT(!load.failed && load.offset == load.size);
	drapeHandles_Loaded(&world->pins);
	drapeScenery_Replace(world);
	drapeTouches_Begin(&world->touches);
	world->contact.points.count = 0; // of the state before
	drapeConstraints_Replace(world);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth))
			continue;
		// These follow the mesh by its revision, and another mesh may have had the same one.
		cloth->broadPhase.revision = 0;
		cloth->query.isBuilt = false;
		cloth->simulation.nearMeshes = world->meshesRevision - 1;
		cloth->simulation.stretchLimit.revision = 0;
		cloth->simulation.stableRevision = 0;
		cloth->simulation.implicit.revision = 0;
		cloth->vertices.revision = cloth->vertices.aroundRevision = 0;
		drapeModel_ForgetElements(&cloth->simulation.model);
		drapeCloth_RememberPositions(cloth);
		// The change log describes a change of the mesh before loading.
		ChangeLog* log = &cloth->active.log;
		log->created.count = log->removed.count = log->moved.count = 0;
	}
	return drape_ok;
}
