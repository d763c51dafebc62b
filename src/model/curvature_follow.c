// SPDX-License-Identifier: MIT
#include "model/curvature.h"

#include <string.h>

// Updates the fits and elements after a change of the mesh: all of them on all threads, or only those near the change.
// Both give the same result.

enum
{
	buildGrain = 256, // triangles per task; a multiple of 64: tasks write different words of bit sets
	batchSize = 1024, // triangles patched at a time
	batchGrain = 32,
	releaseAfter = 16, // unchanged steps
};

void drapeCurvature_SetMaterial(Curvature* curvature, const drapeMaterial* material)
{
	DRAPE_ASSERT(material->bendFriction >= 0.0f);
	curvature->law = drapeBendLaw_Of(material);
	curvature->curl[0] = material->curlWarp;
	curvature->curl[1] = material->curlWeft;
	curvature->hold = material->bendFriction;
}

void drapeCurvature_Init(Curvature* curvature, const drapeMaterial* material)
{
	*curvature = (Curvature){0};
	drapeCurvature_SetMaterial(curvature, material);
}

void drapeCurvature_ReleaseScratch(Curvature* curvature)
{
	ArrayFree(&curvature->changed);
	ArrayFree(&curvature->batchFits);
	ArrayFree(&curvature->batchElements);
	ArrayFree(&curvature->batchIsFar);
	BitSet_Free(&curvature->isChanged);
	BitSet_Free(&curvature->fitChanged);
	BitSet_Free(&curvature->nodesChanged);
}

void drapeCurvature_Destroy(Curvature* curvature)
{
	ArrayFree(&curvature->fits);
	ArrayFree(&curvature->elements);
	ArrayFree(&curvature->sideEdge);
	drapeCurvature_ReleaseScratch(curvature);
	BitSet_Free(&curvature->isRigid);
	BitSet_Free(&curvature->reachesFar);
	curvature->revision = 0;
}

bool drapeCurvature_Borrow(Curvature* curvature)
{
	const BitSet isRigid = curvature->isRigid, reachesFar = curvature->reachesFar;
	ArrayBorrow(&curvature->fits);
	ArrayBorrow(&curvature->elements);
	ArrayBorrow(&curvature->sideEdge);
	ArrayForget(&curvature->changed);
	ArrayForget(&curvature->batchFits);
	ArrayForget(&curvature->batchElements);
	ArrayForget(&curvature->batchIsFar);
	curvature->isChanged = curvature->fitChanged = curvature->nodesChanged = (BitSet){0};
	curvature->isRigid = curvature->reachesFar = (BitSet){0};
	if (BitSet_Copy(&curvature->isRigid, &isRigid) && BitSet_Copy(&curvature->reachesFar, &reachesFar))
		return true;
	drapeCurvature_Destroy(curvature);
	return false;
}

// --- triangle by triangle -------------------------------------------------------------------------------------------

static void LinkEdge(Curvature* curvature, const ActiveMesh* mesh, uint32_t edge)
{
	DRAPE_ASSERT(edge < mesh->edgeCount && mesh->wings[edge].triangle[0] != DRAPE_NONE);
	const EdgeWings* wings = &mesh->wings[edge];
	for (int side = 0; side < 2; ++side)
	{
		uint32_t triangle = wings->triangle[side];
		if (triangle == DRAPE_NONE)
			continue;
		uint32_t start = (Curvature_CornerOf(mesh, triangle, wings->opposite[side]) + 1) % 3;
		curvature->sideEdge.data[3 * triangle + start] = edge;
	}
}

static bool IsPinned(const ActiveMesh* mesh, uint32_t triangle)
{
	const uint32_t* corner = mesh->triangle[triangle];
	const uint8_t* flags = mesh->particleFlags;
	return (flags[corner[0]] & flags[corner[1]] & flags[corner[2]] & drape_particlePinned) != 0;
}

// True if the state has changed.
static bool UpdateRigid(Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle)
{
	bool isRigid = IsPinned(mesh, triangle);
	if (isRigid == BitSet_Get(&curvature->isRigid, triangle))
		return false;
	if (isRigid)
		BitSet_Set(&curvature->isRigid, triangle);
	else
		BitSet_Clear(&curvature->isRigid, triangle);
	return true;
}

static void SetFar(Curvature* curvature, uint32_t triangle, bool isFar)
{
	if (isFar)
		BitSet_Set(&curvature->reachesFar, triangle);
	else
		BitSet_Clear(&curvature->reachesFar, triangle);
}

typedef struct CurvatureTask
{
	Curvature* curvature;
	const ActiveMesh* mesh;
	const uint32_t* batch; // triangles
} CurvatureTask;

// --- all of it ------------------------------------------------------------------------------------------------------

// Each side of a triangle has one edge, so that edges write different entries.
static void LinkRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CurvatureTask* task = context;
	for (uint32_t e = start; e < end; ++e)
		LinkEdge(task->curvature, task->mesh, e);
}

static void RigidRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CurvatureTask* task = context;
	for (uint32_t t = start; t < end; ++t)
		UpdateRigid(task->curvature, task->mesh, t);
}

static void FitRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CurvatureTask* task = context;
	Curvature* curvature = task->curvature;
	for (uint32_t t = start; t < end; ++t)
	{
		CurvatureFit* fit = &curvature->fits.data[t];
		bool isFar = !drapeCurvature_FitNear(curvature, task->mesh, t, fit);
		if (isFar)
			drapeCurvature_FitFar(curvature, task->mesh, t, fit);
		SetFar(curvature, t, isFar);
	}
}

static void CombineRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CurvatureTask* task = context;
	for (uint32_t t = start; t < end; ++t)
		drapeCurvature_Combine(task->curvature, task->mesh, t, &task->curvature->elements.data[t]);
}

static void Build(Curvature* curvature, const ActiveMesh* mesh, TaskPool* tasks)
{
	CurvatureTask task = {.curvature = curvature, .mesh = mesh};
	drapeTaskPool_For(tasks, mesh->edgeCount, buildGrain, LinkRange, &task);
	drapeTaskPool_For(tasks, mesh->triangleCount, buildGrain, RigidRange, &task);
	drapeTaskPool_For(tasks, mesh->triangleCount, buildGrain, FitRange, &task);
	drapeTaskPool_For(tasks, mesh->triangleCount, buildGrain, CombineRange, &task);
	curvature->allChanged = true;
}

// --- changes --------------------------------------------------------------------------------------------------------

static bool IsTouched(const ChangeLog* log, uint32_t triangle)
{
	return triangle != DRAPE_NONE && BitSet_Get(&log->trianglesTouched, triangle);
}

static void MarkChanged(Curvature* curvature, uint32_t triangle)
{
	DRAPE_ASSERT(triangle == DRAPE_NONE || triangle < curvature->elements.capacity);
	if (triangle == DRAPE_NONE || BitSet_Get(&curvature->isChanged, triangle))
		return;
	BitSet_Set(&curvature->isChanged, triangle);
	ArrayPush(&curvature->changed, triangle);
}

static void MarkNeighbours(Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		const uint32_t* wing = mesh->wings[curvature->sideEdge.data[3 * triangle + k]].triangle;
		MarkChanged(curvature, wing[wing[0] == triangle]);
	}
}

// Visits all edges, because a triangle that only got another index does not touch its edges.
static void MarkTouched(Curvature* curvature, const ActiveMesh* mesh)
{
	const ChangeLog* log = &mesh->log;
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		const uint32_t* triangle = mesh->wings[e].triangle;
		if (!BitSet_Get(&log->edgesTouched, e) && !IsTouched(log, triangle[0]) && !IsTouched(log, triangle[1]))
			continue;
		LinkEdge(curvature, mesh, e);
		MarkChanged(curvature, triangle[0]);
		MarkChanged(curvature, triangle[1]);
	}
}

// Marks triangles that became rigid or ceased to be so, by pins or because they are new, and their neighbours.
static void MarkRigid(Curvature* curvature, const ActiveMesh* mesh, bool byPins)
{
	uint32_t count = byPins ? mesh->triangleCount : curvature->changed.count;
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t t = byPins ? i : curvature->changed.data[i];
		if (!UpdateRigid(curvature, mesh, t))
			continue;
		MarkChanged(curvature, t);
		MarkNeighbours(curvature, mesh, t);
	}
}

// Marks the nodes of an element, before and after its change. Sums over the elements of these particles are outdated.
static void MarkNodes(Curvature* curvature, const CurvatureElement* element)
{
	for (uint32_t i = 0; i < element->count; ++i)
		BitSet_Set(&curvature->nodesChanged, element->node[i]);
}

// --- patching -------------------------------------------------------------------------------------------------------

// A batch is computed in parallel, then compared and stored triangle by triangle, so that unchanged results do not
// spread further. Fits and elements do not depend on others of their batch.
typedef void StoreFcn(Curvature* curvature, uint32_t triangle, uint32_t position);

static void RunBatches(CurvatureTask* task, uint32_t count, drapeTaskFcn* compute, StoreFcn* store, TaskPool* tasks)
{
	const uint32_t* changed = task->curvature->changed.data;
	for (uint32_t start = 0; start < count; start += batchSize)
	{
		uint32_t size = MinU32(batchSize, count - start);
		task->batch = changed + start;
		drapeTaskPool_For(tasks, size, batchGrain, compute, task);
		for (uint32_t i = 0; i < size; ++i)
			store(task->curvature, task->batch[i], i);
	}
}

static void NearBatch(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CurvatureTask* task = context;
	Curvature* curvature = task->curvature;
	for (uint32_t i = start; i < end; ++i)
		curvature->batchIsFar.data[i] =
			!drapeCurvature_FitNear(curvature, task->mesh, task->batch[i], &curvature->batchFits.data[i]);
}

static void StoreFit(Curvature* curvature, uint32_t triangle, const CurvatureFit* fit)
{
	CurvatureFit* stored = &curvature->fits.data[triangle];
	if (memcmp(stored, fit, sizeof *fit) == 0)
		return;
	*stored = *fit;
	BitSet_Set(&curvature->fitChanged, triangle);
}

static void StoreNear(Curvature* curvature, uint32_t triangle, uint32_t position)
{
	DRAPE_ASSERT(position < batchSize);
	bool isFar = curvature->batchIsFar.data[position];
	SetFar(curvature, triangle, isFar);
	if (!isFar)
		StoreFit(curvature, triangle, &curvature->batchFits.data[position]);
}

static void FarBatch(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CurvatureTask* task = context;
	Curvature* curvature = task->curvature;
	for (uint32_t i = start; i < end; ++i)
	{
		if (BitSet_Get(&curvature->reachesFar, task->batch[i]))
			drapeCurvature_FitFar(curvature, task->mesh, task->batch[i], &curvature->batchFits.data[i]);
	}
}

static void StoreFar(Curvature* curvature, uint32_t triangle, uint32_t position)
{
	if (BitSet_Get(&curvature->reachesFar, triangle))
		StoreFit(curvature, triangle, &curvature->batchFits.data[position]);
}

// The fits of an element are scattered in memory.
static void PrefetchFits(const CurvatureTask* task, uint32_t triangle)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		const uint32_t* wing = task->mesh->wings[task->curvature->sideEdge.data[3 * triangle + k]].triangle;
		uint32_t neighbour = wing[wing[0] == triangle];
		const char* fit = (const char*)&task->curvature->fits.data[neighbour != DRAPE_NONE ? neighbour : triangle];
		for (size_t i = 0; i < sizeof(CurvatureFit); i += 64)
			DRAPE_PREFETCH(fit + i);
	}
}

static void CombineBatch(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CurvatureTask* task = context;
	for (uint32_t i = start; i < end; ++i)
	{
		PrefetchFits(task, task->batch[MinU32(i + 2, end - 1)]);
		drapeCurvature_Combine(task->curvature, task->mesh, task->batch[i], &task->curvature->batchElements.data[i]);
	}
}

static void StoreElement(Curvature* curvature, uint32_t triangle, uint32_t position)
{
	DRAPE_ASSERT(position < batchSize);
	CurvatureElement* stored = &curvature->elements.data[triangle];
	const CurvatureElement* element = &curvature->batchElements.data[position];
	bool isNew = triangle >= curvature->oldCount;
	if (!isNew && memcmp(stored, element, sizeof *element) == 0)
		return;
	if (!isNew)
		MarkNodes(curvature, stored);
	*stored = *element;
	MarkNodes(curvature, stored);
	curvature->anyChanged = true;
}

// Marks the neighbours of all marked triangles.
static void MarkRing(Curvature* curvature, const ActiveMesh* mesh)
{
	uint32_t count = curvature->changed.count;
	for (uint32_t i = 0; i < count; ++i)
		MarkNeighbours(curvature, mesh, curvature->changed.data[i]);
}

// Keeps the first `near` triangles and those with changed fits, and adds the neighbours of the latter.
static void MarkElements(Curvature* curvature, const ActiveMesh* mesh, uint32_t near)
{
	uint32_t marked = curvature->changed.count, kept = near;
	for (uint32_t i = near; i < marked; ++i)
	{
		uint32_t triangle = curvature->changed.data[i];
		if (BitSet_Get(&curvature->fitChanged, triangle))
			curvature->changed.data[kept++] = triangle;
		else
			BitSet_Clear(&curvature->isChanged, triangle);
	}
	curvature->changed.count = kept;
	for (uint32_t i = 0; i < kept; ++i)
	{
		if (BitSet_Get(&curvature->fitChanged, curvature->changed.data[i]))
			MarkNeighbours(curvature, mesh, curvature->changed.data[i]);
	}
}

// Lists the marked triangles in ascending order.
static void SortChanged(Curvature* curvature, uint32_t triangleCount)
{
	const BitSet* marked = &curvature->isChanged;
	curvature->changed.count = 0;
	for (uint32_t t = BitSet_Next(marked, 0, triangleCount); t != DRAPE_NONE;
	     t = BitSet_Next(marked, t + 1, triangleCount))
		ArrayPush(&curvature->changed, t);
}

// Fits depend on the neighbours; far-reaching ones also on up to two triangles beyond. Elements depend on the fits of
// the triangle and its neighbours.
static void Patch(Curvature* curvature, const ActiveMesh* mesh, TaskPool* tasks)
{
	CurvatureTask task = {.curvature = curvature, .mesh = mesh};
	uint32_t near = curvature->changed.count;
	SortChanged(curvature, mesh->triangleCount);
	DRAPE_ASSERT(curvature->changed.count == near);
	RunBatches(&task, near, NearBatch, StoreNear, tasks);
	MarkRing(curvature, mesh);
	MarkRing(curvature, mesh);
	RunBatches(&task, curvature->changed.count, FarBatch, StoreFar, tasks);
	MarkElements(curvature, mesh, near);
	SortChanged(curvature, mesh->triangleCount);
	RunBatches(&task, curvature->changed.count, CombineBatch, StoreElement, tasks);
	for (uint32_t i = 0; i < curvature->changed.count; ++i)
	{
		BitSet_Clear(&curvature->isChanged, curvature->changed.data[i]);
		BitSet_Clear(&curvature->fitChanged, curvature->changed.data[i]);
	}
	curvature->changed.count = 0;
}

// --- following the mesh ---------------------------------------------------------------------------------------------

static bool Reserve(Curvature* curvature, const ActiveMesh* mesh)
{
	uint32_t triangles = mesh->triangleCount, batch = MinU32(triangles, batchSize);
	return ArrayReserve(&curvature->fits, triangles) && ArrayReserve(&curvature->elements, triangles) &&
	       ArrayReserve(&curvature->sideEdge, 3 * (size_t)triangles) && ArrayReserve(&curvature->changed, triangles) &&
	       ArrayReserve(&curvature->batchFits, batch) && ArrayReserve(&curvature->batchElements, batch) &&
	       ArrayReserve(&curvature->batchIsFar, batch) && BitSet_Reserve(&curvature->isChanged, triangles) &&
	       BitSet_Reserve(&curvature->fitChanged, triangles) && BitSet_Reserve(&curvature->isRigid, triangles) &&
	       BitSet_Reserve(&curvature->reachesFar, triangles) &&
	       BitSet_Reserve(&curvature->nodesChanged, MaxU32(mesh->particleCount, curvature->particleCount));
}

// Marks the nodes of removed elements, by their old indices.
static void MarkGone(Curvature* curvature, const ActiveMesh* mesh)
{
	for (uint32_t t = mesh->triangleCount; t < curvature->oldCount; ++t)
		MarkNodes(curvature, &curvature->elements.data[t]);
	curvature->anyChanged |= mesh->triangleCount != curvature->oldCount;
}

static void RenameNodes(Curvature* curvature, const ActiveMesh* mesh)
{
	for (uint32_t i = 0; i < mesh->log.moved.count; ++i)
	{
		ParticleMove move = mesh->log.moved.data[i];
		if (BitSet_Get(&curvature->nodesChanged, move.from))
			BitSet_Set(&curvature->nodesChanged, move.to);
	}
}

// Computes everything again. Elements that stay the same are still recognised.
static void RestoreFits(Curvature* curvature, const ActiveMesh* mesh, TaskPool* tasks)
{
	CurvatureTask task = {.curvature = curvature, .mesh = mesh};
	DRAPE_ASSERT(curvature->fits.capacity >= curvature->fits.count);
	drapeTaskPool_For(tasks, mesh->edgeCount, buildGrain, LinkRange, &task);
	memset(curvature->fits.data, 0, curvature->fits.count * sizeof(CurvatureFit));
	for (uint32_t t = 0; t < curvature->fits.count; ++t)
		MarkChanged(curvature, t);
}

static void FollowLog(Curvature* curvature, const ActiveMesh* mesh, bool hasChanged, TaskPool* tasks)
{
	bool byPins = curvature->pinRevision != mesh->pinRevision;
	BitSet_ClearAll(&curvature->nodesChanged, MaxU32(mesh->particleCount, curvature->particleCount));
	curvature->anyChanged = false;
	if (!curvature->isPatched && curvature->unchangedCalls >= releaseAfter)
		RestoreFits(curvature, mesh, tasks);
	curvature->isPatched = true;
	if (hasChanged)
	{
		DRAPE_ASSERT(curvature->oldCount == mesh->log.oldTriangleCount);
		MarkGone(curvature, mesh);
		MarkTouched(curvature, mesh);
	}
	MarkRigid(curvature, mesh, byPins);
	Patch(curvature, mesh, tasks);
	if (hasChanged)
		RenameNodes(curvature, mesh);
	curvature->changes += curvature->anyChanged;
	curvature->allChanged = false;
}

// Many meshes never change again once they are built, and fits only serve to follow changes.
static void ReleaseFits(Curvature* curvature)
{
	DRAPE_ASSERT(curvature->revision != 0);
	if (curvature->isPatched || curvature->unchangedCalls == releaseAfter || ++curvature->unchangedCalls < releaseAfter)
		return;
	ArrayFree(&curvature->fits);
	ArrayFree(&curvature->sideEdge);
	ArrayFree(&curvature->batchFits);
	ArrayFree(&curvature->batchElements);
}

// Most pins make no triangle rigid.
static bool PinsChangeNothing(const Curvature* curvature, const ActiveMesh* mesh)
{
	DRAPE_ASSERT(curvature->elements.count == mesh->triangleCount);
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		if (IsPinned(mesh, t) != BitSet_Get(&curvature->isRigid, t))
			return false;
	}
	return true;
}

bool drapeCurvature_Follow(Curvature* curvature, const ActiveMesh* mesh, TaskPool* tasks)
{
	bool isSame = curvature->revision != 0 && curvature->revision == mesh->revision;
	if (isSame && (curvature->pinRevision == mesh->pinRevision || PinsChangeNothing(curvature, mesh)))
	{
		curvature->pinRevision = mesh->pinRevision;
		ReleaseFits(curvature);
		return true;
	}
	bool canPatch = curvature->revision != 0 && curvature->revision + 1 == mesh->revision && !mesh->log.rebuilt;
	curvature->oldCount = curvature->elements.count;
	curvature->revision = 0;
	if (!Reserve(curvature, mesh))
	{
		curvature->elements.count = 0;
		return false;
	}
	curvature->fits.count = curvature->elements.count = mesh->triangleCount;
	curvature->sideEdge.count = 3 * mesh->triangleCount;
	if (isSame || canPatch)
	{
		FollowLog(curvature, mesh, !isSame, tasks);
	}
	else
	{
		Build(curvature, mesh, tasks);
		curvature->isPatched = false;
		curvature->unchangedCalls = 0;
		curvature->changes++;
	}
	curvature->particleCount = mesh->particleCount;
	curvature->revision = mesh->revision;
	curvature->pinRevision = mesh->pinRevision;
	return true;
}
