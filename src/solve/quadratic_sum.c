// SPDX-License-Identifier: MIT
#include "solve/quadratic_sum.h"

#include "base/simd.h"

#include <string.h>

enum
{
	nodeBits = 4,
	batchSize = 512, // particles per batch
	batchGrain = 16,
	scanGrain = 512, // elements
	edgeGrain = 1024,
};

_Static_assert(quadraticNodes <= 1 << nodeBits, "a node of an element has a number of so many bits");
_Static_assert(quadraticNodes >= 8 && quadraticNodes <= 16, "nodes are weighted by two vectors that overlap");

void drapeQuadraticSum_ReleaseScratch(QuadraticSum* sum)
{
	ArrayFree(&sum->dirty);
	ArrayFree(&sum->slotOf);
	ArrayFree(&sum->elements);
	ArrayFree(&sum->elementCount);
	ArrayFree(&sum->entryStart);
	ArrayFree(&sum->entries);
	ArrayFree(&sum->marks);
	ArrayFree(&sum->batchLists);
	ArrayFree(&sum->batchPartners);
}

void drapeQuadraticSum_Destroy(QuadraticSum* sum)
{
	drapeQuadraticSum_ReleaseScratch(sum);
	ArrayFree(&sum->lists);
	ArrayFree(&sum->partners);
	*sum = (QuadraticSum){0};
}

void drapeQuadraticSum_Borrow(QuadraticSum* sum)
{
	DRAPE_ASSERT(!sum->isPatched);
	ArrayBorrow(&sum->lists);
	ArrayBorrow(&sum->partners);
	ArrayForget(&sum->dirty);
	ArrayForget(&sum->slotOf);
	ArrayForget(&sum->elements);
	ArrayForget(&sum->elementCount);
	ArrayForget(&sum->entryStart);
	ArrayForget(&sum->entries);
	ArrayForget(&sum->marks);
	ArrayForget(&sum->batchLists);
	ArrayForget(&sum->batchPartners);
}

void drapeQuadraticSum_Release(QuadraticSum* sum)
{
	if (!sum->isPatched)
		drapeQuadraticSum_Destroy(sum);
}

// --- dirty particles ------------------------------------------------------------------------------------------------

static void ListDirty(QuadraticSum* sum, const QuadraticEnergy* energy, bool isAll)
{
	uint32_t count = energy->particleCount;
	memset(sum->slotOf.data, 0xff, count * sizeof(uint32_t));
	sum->dirty.count = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!isAll && !BitSet_Get(&energy->nodesChanged, i))
			continue;
		sum->slotOf.data[i] = sum->dirty.count;
		ArrayPush(&sum->dirty, i);
	}
}

typedef struct ScanTask
{
	QuadraticSum* sum;
	const QuadraticEnergy* energy;
} ScanTask;

// Finds elements that have dirty nodes. Each task writes them from its own start on.
static void ScanRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ScanTask* task = context;
	uint32_t* found = task->sum->elements.data + start;
	for (uint32_t t = start; t < end; ++t)
	{
		const QuadraticElement* element = &task->energy->elements[t];
		bool isDirty = false;
		for (uint32_t k = 0; k < element->count; ++k)
			isDirty |= task->sum->slotOf.data[element->node[k]] != DRAPE_NONE;
		*found = t;
		found += isDirty;
	}
	task->sum->elementCount.data[start / scanGrain] = (uint32_t)(found - (task->sum->elements.data + start));
}

static void ListElements(QuadraticSum* sum, const QuadraticEnergy* energy, TaskPool* tasks)
{
	ScanTask task = {sum, energy};
	uint32_t count = energy->count;
	drapeTaskPool_For(tasks, count, scanGrain, ScanRange, &task);
	sum->elements.count = 0;
	for (uint32_t chunk = 0; chunk < TaskPool_ChunkCount(count, scanGrain); ++chunk)
	{
		for (uint32_t i = 0; i < sum->elementCount.data[chunk]; ++i)
			ArrayPush(&sum->elements, sum->elements.data[chunk * scanGrain + i]);
	}
}

// Lists the elements of each dirty particle, in order. entryStart has one more entry, the end of the last list.
static bool ListEntries(QuadraticSum* sum, const QuadraticEnergy* energy)
{
	uint32_t *start = sum->entryStart.data, slots = sum->dirty.count, total = 0;
	DRAPE_ASSERT(energy->count <= UINT32_MAX >> nodeBits);
	memset(start, 0, ((size_t)slots + 1) * sizeof *start);
	for (uint32_t i = 0; i < sum->elements.count; ++i)
	{
		const QuadraticElement* element = &energy->elements[sum->elements.data[i]];
		for (uint32_t k = 0; k < element->count; ++k)
		{
			uint32_t slot = sum->slotOf.data[element->node[k]];
			if (slot != DRAPE_NONE)
				start[slot]++;
		}
	}
	// Counts become ends. The entries are then filled in from the back, which turns ends into starts.
	for (uint32_t i = 0; i < slots; ++i)
		start[i] = total += start[i];
	start[slots] = total;
	if (!ArrayReserve(&sum->entries, total))
		return false;
	for (uint32_t i = sum->elements.count; i-- > 0;)
	{
		uint32_t t = sum->elements.data[i];
		const QuadraticElement* element = &energy->elements[t];
		for (uint32_t k = 0; k < element->count; ++k)
		{
			uint32_t slot = sum->slotOf.data[element->node[k]];
			if (slot != DRAPE_NONE)
				sum->entries.data[--start[slot]] = t << nodeBits | k;
		}
	}
	return true;
}

// --- one particle ---------------------------------------------------------------------------------------------------

typedef struct ListTask
{
	QuadraticSum* sum;
	const QuadraticEnergy* energy;
	uint32_t first; // slot of the batch's first particle
} ListTask;

// The most partners of so many particles with so many entries, each particle counted as a partner of its own.
static uint32_t MostPartners(uint32_t entries, uint32_t particles)
{
	return (quadraticNodes - 1) * entries + particles;
}

// A list that is being built; `marks` has the index of each particle in it.
typedef struct ListBuilder
{
	QuadraticPartner* partners;
	uint32_t count;
	uint32_t* marks;
} ListBuilder;

DRAPE_INLINE QuadraticPartner* PartnerOf(ListBuilder* builder, uint32_t particle)
{
	uint32_t mark = builder->marks[particle];
	if (mark == DRAPE_NONE)
	{
		mark = builder->marks[particle] = builder->count++;
		builder->partners[mark] = (QuadraticPartner){particle, 0.0f};
	}
	return &builder->partners[mark];
}

// The row of an element's Hessian that belongs to a node. The weights are multiplied first, so that both nodes of a
// pair get the same number.
static void RowOfHessian(const QuadraticElement* element, const float stiffness[quadraticForms], uint32_t node,
                         float row[quadraticNodes])
{
	DRAPE_ASSERT(node < element->count);
	const uint32_t second = quadraticNodes - 8;
	F8 low = F8_Splat(0.0f), high = low;
	for (int c = 0; c < quadraticForms; ++c)
	{
		const float* weight = element->weight[c];
		F8 own = F8_Splat(weight[node]), scale = F8_Splat(element->area * stiffness[c]);
		low = F8_Add(low, F8_Mul(scale, F8_Mul(own, F8_Load(weight))));
		high = F8_Add(high, F8_Mul(scale, F8_Mul(own, F8_Load(weight + second))));
	}
	F8_Store(row, low);
	F8_Store(row + second, high);
}

// The particle itself comes first in its list and is removed at the end. Testing every node for it would take longer.
static QuadraticList SumUp(const ListTask* task, uint32_t slot, QuadraticPartner* partners, uint32_t* marks)
{
	const QuadraticSum* sum = task->sum;
	const QuadraticElement* elements = task->energy->elements;
	const uint32_t* begin = sum->entries.data + sum->entryStart.data[slot];
	const uint32_t* end = sum->entries.data + sum->entryStart.data[slot + 1];
	ListBuilder builder = {partners, 0, marks};
	uint32_t nodeMask = (1u << nodeBits) - 1;
	PartnerOf(&builder, sum->dirty.data[slot]);
	for (const uint32_t* entry = begin; entry < end; ++entry)
	{
		uint32_t corner = *entry & nodeMask;
		const uint32_t* node = elements[*entry >> nodeBits].node;
		for (uint32_t k = 1; corner < 3 && k < 3; ++k)
			PartnerOf(&builder, node[(corner + k) % 3]);
	}
	QuadraticList list = {.ringCount = builder.count - 1};
	for (const uint32_t* entry = begin; entry < end; ++entry)
	{
		const QuadraticElement* element = &elements[*entry >> nodeBits];
		float row[quadraticNodes];
		RowOfHessian(element, task->energy->stiffness, *entry & nodeMask, row);
		for (uint32_t k = 0; k < element->count; ++k)
			PartnerOf(&builder, element->node[k])->value += row[k];
	}
	for (uint32_t i = 0; i < builder.count; ++i)
		marks[partners[i].particle] = DRAPE_NONE;
	for (uint32_t i = 1; i < builder.count; ++i)
		list.diagonal -= partners[i].value;
	list.count = builder.count - 1;
	return list;
}

// The elements of a particle are scattered in memory.
static void PrefetchElements(const ListTask* task, uint32_t slot)
{
	const QuadraticSum* sum = task->sum;
	for (uint32_t i = sum->entryStart.data[slot]; i < sum->entryStart.data[slot + 1]; ++i)
	{
		const char* element = (const char*)&task->energy->elements[sum->entries.data[i] >> nodeBits];
		for (size_t k = 0; k < sizeof(QuadraticElement); k += 64)
			DRAPE_PREFETCH(element + k);
	}
}

// The lists of a task are stored one after the other, from an offset that leaves space for the largest possible lists.
static void SumRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const ListTask* task = context;
	QuadraticSum* sum = task->sum;
	const uint32_t* entryStart = sum->entryStart.data + task->first;
	uint32_t* marks = sum->marks.data + (size_t)worker * task->energy->particleCount;
	uint32_t at = MostPartners(entryStart[start] - entryStart[0], start);
	for (uint32_t i = start; i < end; ++i)
	{
		PrefetchElements(task, task->first + MinU32(i + 1, end - 1));
		QuadraticList list = SumUp(task, task->first + i, sum->batchPartners.data + at, marks);
		list.start = at + 1;
		at += list.count + 1;
		sum->batchLists.data[i] = list;
	}
}

// --- following ------------------------------------------------------------------------------------------------------

// Stores a list over the old one if it fits, else at the end.
static bool Store(QuadraticSum* sum, uint32_t particle, QuadraticList list)
{
	DRAPE_ASSERT(particle < sum->lists.count && list.ringCount <= list.count);
	QuadraticList* stored = &sum->lists.data[particle];
	const QuadraticPartner* from = sum->batchPartners.data + list.start;
	list.start = stored->start;
	if (list.count > stored->count)
	{
		list.start = sum->partners.count;
		if (!ArrayReserve(&sum->partners, list.start + list.count))
			return false;
		sum->partners.count += list.count;
	}
	sum->partnersInUse += list.count - stored->count;
	*stored = list;
	if (list.count > 0)
		memcpy(sum->partners.data + list.start, from, list.count * sizeof *from);
	return true;
}

static bool SumBatches(QuadraticSum* sum, const QuadraticEnergy* energy, TaskPool* tasks)
{
	for (uint32_t first = 0; first < sum->dirty.count; first += batchSize)
	{
		uint32_t count = MinU32(batchSize, sum->dirty.count - first);
		uint32_t entries = sum->entryStart.data[first + count] - sum->entryStart.data[first];
		ListTask task = {sum, energy, first};
		if (!ArrayReserve(&sum->batchPartners, MostPartners(entries, count)))
			return false;
		drapeTaskPool_For(tasks, count, batchGrain, SumRange, &task);
		for (uint32_t i = 0; i < count; ++i)
		{
			if (!Store(sum, sum->dirty.data[first + i], sum->batchLists.data[i]))
				return false;
		}
	}
	return true;
}

static bool Reserve(QuadraticSum* sum, const QuadraticEnergy* energy, uint32_t workers)
{
	uint32_t particles = energy->particleCount, elements = energy->count;
	return ArrayReserve(&sum->elements, elements) &&
	       ArrayReserve(&sum->elementCount, TaskPool_ChunkCount(elements, scanGrain)) &&
	       ArrayReserve(&sum->lists, particles) && ArrayReserve(&sum->partners, sum->partners.count) &&
	       ArrayReserve(&sum->dirty, particles) && ArrayReserve(&sum->slotOf, particles) &&
	       ArrayReserve(&sum->entryStart, (size_t)particles + 1) &&
	       ArrayReserve(&sum->marks, (size_t)workers * particles) &&
	       ArrayReserve(&sum->batchLists, MinU32(particles, batchSize));
}

bool drapeQuadraticSum_Follow(QuadraticSum* sum, const QuadraticEnergy* energy, TaskPool* tasks)
{
	DRAPE_ASSERT(energy->changes != 0 && (energy->count == 0 || energy->elements));
	if (sum->changes == energy->changes && sum->changes != 0)
		return true;
	bool canPatch = sum->changes != 0 && sum->changes + 1 == energy->changes && !energy->allChanged;
	uint32_t particles = energy->particleCount, workers = drapeTaskPool_WorkerCount(tasks);
	sum->changes = 0;
	if (!Reserve(sum, energy, workers))
		return false;
	sum->isPatched = canPatch;
	if (!canPatch)
	{
		sum->lists.count = sum->partners.count = sum->partnersInUse = 0;
		sum->isUnsorted = true;
	}
	for (uint32_t i = particles; i < sum->lists.count; ++i)
		sum->partnersInUse -= sum->lists.data[i].count;
	for (uint32_t i = sum->lists.count; i < particles; ++i)
		sum->lists.data[i] = (QuadraticList){0};
	sum->lists.count = particles;
	memset(sum->marks.data, 0xff, (size_t)workers * particles * sizeof(uint32_t));
	ListDirty(sum, energy, !canPatch);
	ListElements(sum, energy, tasks);
	if (!ListEntries(sum, energy) || !SumBatches(sum, energy, tasks))
		return false;
	// Lists of a whole mesh are long, and changes that follow concern a small part of it.
	if (!canPatch)
	{
		ArrayFree(&sum->entries);
		ArrayFree(&sum->elements);
		ArrayFree(&sum->batchPartners);
	}
	sum->changes = energy->changes;
	return true;
}

// --- into a matrix --------------------------------------------------------------------------------------------------

// A quadratic energy such as curvature resists the roughest shapes most, and so does a Laplacian whose diagonal is this
// many times as large. A greater factor would make the smoother unstable for rows with few neighbours.
static const float lumped = 1.6f;

typedef struct FillTask
{
	const QuadraticSum* sum;
	BlockMatrix* matrix;
	const RowNames* names;
} FillTask;

static const QuadraticList* ListOf(const FillTask* task, uint32_t row)
{
	DRAPE_ASSERT(row < task->matrix->rowCount);
	return &task->sum->lists.data[task->names->particleOf[row]];
}

// Fills the edges whose lower end is this row. Edges of rigid triangles are in no list. `marks` has the index of each
// particle of the list.
static void FillEdges(const FillTask* task, uint32_t row, const QuadraticList* list, uint32_t* marks)
{
	DRAPE_ASSERT(list->ringCount <= list->count);
	BlockMatrix* matrix = task->matrix;
	const QuadraticPartner* ring = task->sum->partners.data + list->start;
	for (uint32_t i = 0; i < list->ringCount; ++i)
		marks[ring[i].particle] = i;
	for (uint32_t e = matrix->upperStart.data[row]; e < matrix->upperStart.data[row + 1]; ++e)
	{
		uint32_t other = task->names->particleOf[matrix->ends.data[e].b], slot = marks[other];
		bool isThere = slot < list->ringCount && ring[slot].particle == other;
		matrix->edgeQuadratic.data[e] = isThere ? ring[slot].value : 0.0f;
	}
}

static void FillWide(const FillTask* task, uint32_t row, const QuadraticList* list)
{
	BlockMatrix* matrix = task->matrix;
	uint32_t at = 8 * matrix->wideStart.data[row / 8] + row % 8, end = 8 * matrix->wideStart.data[row / 8 + 1];
	const QuadraticPartner* partner = task->sum->partners.data + list->start;
	for (uint32_t i = list->ringCount; i < list->count; ++i, at += 8)
	{
		matrix->wideOffset.data[at] = 16 * task->names->rowOf[partner[i].particle];
		matrix->wide.data[at] = partner[i].value;
	}
	for (; at < end; at += 8)
	{
		matrix->wideOffset.data[at] = 16 * row;
		matrix->wide.data[at] = 0.0f;
	}
}

static void FillRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const FillTask* task = context;
	BlockMatrix* matrix = task->matrix;
	uint32_t* marks = task->sum->marks.data + (size_t)worker * matrix->rowCount;
	const QuadraticList none = {0};
	for (uint32_t row = 8 * start; row < 8 * end; ++row)
	{
		if (row >= matrix->rowCount)
		{
			FillWide(task, row, &none);
			continue;
		}
		const QuadraticList* list = ListOf(task, row);
		FillEdges(task, row, list, marks);
		FillWide(task, row, list);
	}
}

static float ShareOf(const FillTask* task, uint32_t row)
{
	DRAPE_ASSERT(BlockMatrix_Degree(task->matrix, row) > 0);
	return ListOf(task, row)->diagonal / (float)BlockMatrix_Degree(task->matrix, row);
}

static void LumpRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FillTask* task = context;
	BlockMatrix* matrix = task->matrix;
	for (uint32_t e = start; e < end; ++e)
	{
		RowPair ends = matrix->ends.data[e];
		float a = ShareOf(task, ends.a), b = ShareOf(task, ends.b);
		matrix->edgeLump.data[e] = -lumped * (a < b ? a : b);
	}
}

static bool PlanWide(const FillTask* task)
{
	BlockMatrix* matrix = task->matrix;
	uint32_t slots = 0;
	if (!ArrayReserve(&matrix->wideStart, matrix->groupCount + 1))
		return false;
	for (uint32_t g = 0; g < matrix->groupCount; ++g)
	{
		uint32_t most = 0;
		for (uint32_t row = 8 * g; row < MinU32(8 * g + 8, matrix->rowCount); ++row)
			most = MaxU32(most, ListOf(task, row)->count - ListOf(task, row)->ringCount);
		matrix->wideStart.data[g] = slots;
		slots += most;
	}
	matrix->wideStart.data[matrix->groupCount] = slots;
	return ArrayReserve(&matrix->wideOffset, 8 * (size_t)slots) && ArrayReserve(&matrix->wide, 8 * (size_t)slots);
}

// Closes the gaps when they take more memory than the lists, and sorts the lists by rows, the order in which they are
// read. Changes nothing when out of memory.
static void Compact(QuadraticSum* sum, const uint32_t* particleOf)
{
	if (sum->partners.count <= 2 * sum->partnersInUse && !sum->isUnsorted)
		return;
	ARRAY(QuadraticPartner) spare = {0};
	if (!ArrayReserve(&spare, sum->partnersInUse))
		return;
	uint32_t at = 0;
	for (uint32_t row = 0; row < sum->lists.count; ++row)
	{
		QuadraticList* list = &sum->lists.data[particleOf[row]];
		if (list->count > 0)
			memcpy(spare.data + at, sum->partners.data + list->start, list->count * sizeof(QuadraticPartner));
		list->start = at;
		at += list->count;
	}
	DRAPE_ASSERT(at == sum->partnersInUse);
	QuadraticPartner* packed = spare.data;
	uint32_t capacity = spare.capacity;
	ArrayFree(&sum->partners);
	sum->partners.data = packed;
	sum->partners.capacity = capacity;
	sum->partners.count = at;
	sum->isUnsorted = false;
}

bool drapeQuadraticSum_Fill(QuadraticSum* sum, BlockMatrix* matrix, const RowNames* names, TaskPool* tasks)
{
	FillTask task = {sum, matrix, names};
	size_t marks = (size_t)drapeTaskPool_WorkerCount(tasks) * matrix->rowCount;
	DRAPE_ASSERT(sum->lists.count == matrix->rowCount);
	Compact(sum, names->particleOf);
	if (!ArrayReserve(&sum->marks, marks) || !PlanWide(&task))
		return false;
	memset(sum->marks.data, 0xff, marks * sizeof(uint32_t));
	Matrix_For(tasks, matrix->groupCount, FillRange, &task);
	drapeTaskPool_For(tasks, matrix->edgeCount, edgeGrain, LumpRange, &task);
	return true;
}
