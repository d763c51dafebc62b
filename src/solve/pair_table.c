// SPDX-License-Identifier: MIT
#include "solve/pair_table.h"

#include "base/simd.h"

#include <string.h>

enum
{
	groupGrain = 64, // groups of eight
	rowGrain = 512,
	rowWindow = 1024, // rows; a multiple of eight
};

// Entries of the lanes of rows. If all rows are sorted by their entries, eight of them are padded by no more than the next
// eight have, and the first eight by the most that a row has. A row is in a pair at most twice.
static size_t MostLaneEntries(uint32_t slots, uint32_t count)
{
	return ((size_t)slots + 16) * count;
}

void drapePairTable_Destroy(PairTable* table)
{
	ArrayFree(&table->weights);
	ArrayFree(&table->rows);
	ArrayFree(&table->laws);
	ArrayFree(&table->touched);
	ArrayFree(&table->start);
	ArrayFree(&table->entries);
	ArrayFree(&table->pairRow);
	ArrayFree(&table->pairWeight);
	ArrayFree(&table->pairLaw);
	ArrayFree(&table->rowStart);
	ArrayFree(&table->rowPair);
	ArrayFree(&table->rowWeight);
	ArrayFree(&table->rowDiagonal);
	ArrayFree(&table->rowValue);
	ArrayFree(&table->flow);
	ArrayFree(&table->number);
	ArrayFree(&table->listed);
	ArrayFree(&table->unordered);
	ArrayFree(&table->partials);
}

bool drapePairTable_Reserve(PairTable* table, uint32_t slots, uint32_t count, uint32_t rowCount)
{
	DRAPE_ASSERT(slots == contactSlots || slots == constraintSlots);
	size_t n = (size_t)slots * count, touched = n < rowCount ? n : rowCount;
	size_t pairs = BlockMatrix_PaddedRows(count), rows = BlockMatrix_PaddedRows((uint32_t)touched);
	size_t entries = MostLaneEntries(slots, count);
	table->slots = slots;
	return ArrayReserve(&table->weights, n) && ArrayReserve(&table->rows, n) && ArrayReserve(&table->laws, count) &&
	       ArrayReserve(&table->touched, touched) && ArrayReserve(&table->start, touched + 2) &&
	       ArrayReserve(&table->entries, n) && ArrayReserve(&table->pairRow, slots * pairs) &&
	       ArrayReserve(&table->pairWeight, slots * pairs) && ArrayReserve(&table->pairLaw, 5 * pairs) &&
	       ArrayReserve(&table->rowStart, rows / 8 + 1) && ArrayReserve(&table->rowPair, entries) &&
	       ArrayReserve(&table->rowWeight, entries) && ArrayReserve(&table->rowDiagonal, 6 * rows) &&
	       ArrayReserve(&table->rowValue, rows) && ArrayReserve(&table->flow, pairs) &&
	       ArrayReserve(&table->number, rowCount) && ArrayReserve(&table->unordered, touched) &&
	       ArrayReserve(&table->listed, n) &&
	       ArrayReserve(&table->partials, TaskPool_ChunkCount((uint32_t)(rows / 8), groupGrain) + 1);
}

// --- structure ------------------------------------------------------------------------------------------------------

// Counts the entries of each row: `number` becomes the count.
static void CountEntries(PairTable* table, const uint32_t* first)
{
	uint32_t* counts = table->number.data;
	table->touchedCount = 0;
	for (uint32_t i = 0; i < table->slots * table->count; ++i)
	{
		uint32_t code = table->rows.data[i];
		if (code == DRAPE_NONE)
			continue;
		uint32_t* own = &counts[first[code >> pairRowBits] + (code & pairRowMask)];
		if ((*own)++ == 0)
			table->unordered.data[table->touchedCount++] = code;
	}
}

// Sorts some rows: most entries first, then in the order of their first appearance. `number` becomes the index of a row,
// `start` its number of entries.
static void SortWindow(PairTable* table, const uint32_t* first, uint32_t from, uint32_t to)
{
	enum
	{
		classes = 64 // rows with more entries are not sorted among each other
	};
	uint32_t place[classes + 1] = {0}, sum = from;
	for (uint32_t i = from; i < to; ++i)
	{
		uint32_t code = table->unordered.data[i];
		place[MinU32(table->number.data[first[code >> pairRowBits] + (code & pairRowMask)], classes)]++;
	}
	DRAPE_ASSERT(place[0] == 0);
	for (uint32_t c = classes; c > 0; --c)
	{
		uint32_t own = place[c];
		place[c] = sum;
		sum += own;
	}
	for (uint32_t i = from; i < to; ++i)
	{
		uint32_t code = table->unordered.data[i];
		uint32_t* number = &table->number.data[first[code >> pairRowBits] + (code & pairRowMask)];
		uint32_t at = place[MinU32(*number, classes)]++;
		table->touched.data[at] = code;
		table->start.data[at] = *number;
		*number = at;
	}
}

static size_t LaneEntries(const PairTable* table)
{
	size_t sum = 0;
	for (uint32_t g = 0; g < table->touchedCount; g += 8)
	{
		uint32_t most = 0;
		for (uint32_t r = g; r < MinU32(g + 8, table->touchedCount); ++r)
			most = MaxU32(most, table->start.data[r]);
		sum += 8 * (size_t)most;
	}
	return sum;
}

static void SortRows(PairTable* table, const uint32_t* first, uint32_t rows, uint32_t window)
{
	DRAPE_ASSERT(rows <= table->number.capacity && window > 0);
	memset(table->number.data, 0, rows * sizeof(uint32_t));
	CountEntries(table, first);
	for (uint32_t from = 0; from < table->touchedCount; from += MinU32(window, table->touchedCount - from))
		SortWindow(table, first, from, from + MinU32(window, table->touchedCount - from));
}

// Lists the entries of each row in the order of the pairs.
static void ListEntries(PairTable* table, const uint32_t* first)
{
	uint32_t *start = table->start.data, sum = 0;
	for (uint32_t i = 0; i < table->touchedCount; ++i)
	{
		uint32_t own = start[i];
		start[i] = sum;
		sum += own;
	}
	for (uint32_t i = 0; i < table->slots * table->count; ++i)
	{
		uint32_t code = table->rows.data[i], pair = i / table->slots, k = i % table->slots;
		uint32_t lane = 8 * (table->slots * (pair / 8) + k) + pair % 8;
		uint32_t row = code == DRAPE_NONE ? 0 : table->number.data[first[code >> pairRowBits] + (code & pairRowMask)];
		table->pairRow.data[lane] = 16 * row;
		if (code != DRAPE_NONE)
			table->entries.data[start[row]++] = i;
	}
	for (uint32_t i = table->touchedCount; i > 0; --i)
		start[i] = start[i - 1];
	start[0] = 0;
}

// Fills the lanes of rows, and those of the pairs past the last.
static void FillLanes(PairTable* table)
{
	uint32_t groups = BlockMatrix_PaddedRows(table->touchedCount) / 8, slot = 0;
	const uint32_t* start = table->start.data;
	for (uint32_t g = 0; g < groups; ++g)
	{
		uint32_t most = 0, first = slot;
		for (uint32_t r = 8 * g; r < MinU32(8 * g + 8, table->touchedCount); ++r)
			most = MaxU32(most, start[r + 1] - start[r]);
		table->rowStart.data[g] = first;
		slot += most;
		DRAPE_ASSERT(8 * slot <= table->rowPair.capacity);
		for (uint32_t r = 8 * g; r < 8 * g + 8; ++r)
		{
			uint32_t count = r < table->touchedCount ? start[r + 1] - start[r] : 0;
			for (uint32_t e = 0; e < most; ++e)
			{
				uint32_t entry = e < count ? table->entries.data[start[r] + e] : 0;
				table->rowPair.data[8 * (first + e) + r % 8] = 16 * (entry / table->slots);
			}
		}
	}
	table->rowStart.data[groups] = slot;
	for (uint32_t pair = table->count; pair % 8 != 0; ++pair)
	{
		for (uint32_t k = 0; k < table->slots; ++k)
			table->pairRow.data[8 * (table->slots * (pair / 8) + k) + pair % 8] = 0;
	}
}

// Weights of groups of eight pairs.
static void PairWeightRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	PairTable* table = context;
	uint32_t slots = table->slots;
	for (uint32_t pair = 8 * start; pair < 8 * end; ++pair)
	{
		for (uint32_t k = 0; k < slots; ++k)
		{
			bool isUsed = pair < table->count && table->rows.data[slots * pair + k] != DRAPE_NONE;
			table->pairWeight.data[8 * (slots * (pair / 8) + k) + pair % 8] =
				isUsed ? table->weights.data[slots * pair + k] : 0.0f;
		}
	}
}

// Weights of groups of eight rows.
static void RowWeightRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	PairTable* table = context;
	for (uint32_t r = 8 * start; r < 8 * end; ++r)
	{
		uint32_t first = table->rowStart.data[r / 8], most = table->rowStart.data[r / 8 + 1] - first;
		const uint32_t* entries = &table->entries.data[r < table->touchedCount ? table->start.data[r] : 0];
		uint32_t count = r < table->touchedCount ? table->start.data[r + 1] - table->start.data[r] : 0;
		for (uint32_t e = 0; e < most; ++e)
			table->rowWeight.data[8 * (first + e) + r % 8] = e < count ? table->weights.data[entries[e]] : 0.0f;
	}
}

// Returns whether the pairs have the same rows as when they were last listed.
static bool IsListed(const PairTable* table)
{
	return table->lists > 0 && table->listedCount == table->count &&
	       memcmp(table->listed.data, table->rows.data, (size_t)table->slots * table->count * sizeof(uint32_t)) == 0;
}

static void ListPairs(PairTable* table, const uint32_t* first, uint32_t rows)
{
	// Rows of a group should have about as many entries, and rows with the same pairs should stay close in memory.
	SortRows(table, first, rows, rowWindow);
	if (LaneEntries(table) > MostLaneEntries(table->slots, table->count))
		SortRows(table, first, rows, UINT32_MAX);
	ListEntries(table, first);
	FillLanes(table);
	memcpy(table->listed.data, table->rows.data, (size_t)table->slots * table->count * sizeof(uint32_t));
	table->listedTouched = table->touchedCount;
	table->listedCount = table->count;
	table->lists++;
}

void drapePairTable_FindRows(PairTable* table, const PairSystem* systems, uint32_t systemCount, TaskPool* tasks)
{
	uint32_t first[pairMaxSystems], rows = 0;
	DRAPE_ASSERT(systemCount <= pairMaxSystems);
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		first[i] = rows;
		rows += systems[i].hierarchy->rowCount;
	}
	if (!IsListed(table))
		ListPairs(table, first, rows);
	table->touchedCount = table->listedTouched;
	drapeTaskPool_For(tasks, BlockMatrix_PaddedRows(table->count) / 8, groupGrain, PairWeightRange, table);
	drapeTaskPool_For(tasks, BlockMatrix_PaddedRows(table->touchedCount) / 8, groupGrain, RowWeightRange, table);
}

// --- values ---------------------------------------------------------------------------------------------------------

// The lanes of the laws of groups of eight pairs.
static void LawRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	PairTable* table = context;
	for (uint32_t pair = 8 * start; pair < 8 * end; ++pair)
	{
		TouchLaw law = pair < table->count ? table->laws.data[pair] : (TouchLaw){0};
		float* lane = &table->pairLaw.data[40 * (pair / 8) + pair % 8];
		lane[0] = law.normal.x;
		lane[8] = law.normal.y;
		lane[16] = law.normal.z;
		lane[24] = law.across;
		lane[32] = law.along - law.across;
	}
}

static void FillLaws(PairTable* table, TaskPool* tasks)
{
	drapeTaskPool_For(tasks, BlockMatrix_PaddedRows(table->count) / 8, groupGrain, LawRange, table);
}

DRAPE_INLINE void ApplyRows(PairTable* table, const PairSystem* systems, uint32_t slots)
{
	for (uint32_t r = 0; r < table->touchedCount; ++r)
	{
		const PairSystem* system = &systems[table->touched.data[r] >> pairRowBits];
		uint32_t row = table->touched.data[r] & pairRowMask;
		float* diagonal = &table->rowDiagonal.data[48 * (r / 8) + r % 8];
		Vec3 sum = V4Xyz(system->b[row]);
		for (uint32_t e = table->start.data[r]; e < table->start.data[r + 1]; ++e)
		{
			uint32_t entry = table->entries.data[e];
			float weight = table->weights.data[entry];
			const TouchLaw* law = &table->laws.data[entry / slots];
			sum = V3Add(sum, V3Scale(weight, law->force));
			// The diagonal block: weight^2 (across I + (along - across) n n^T).
			float square = weight * weight;
			BlockMatrix_AddAnchor(system->matrix, row, square * law->across, square * (law->along - law->across),
			                      law->normal);
			BlockMatrix_AddSymmetric(diagonal, square * law->across, square * (law->along - law->across), law->normal);
		}
		system->b[row] = PairTable_Row(sum);
	}
}

void drapePairTable_Apply(PairTable* table, const PairSystem* systems, TaskPool* tasks)
{
	FillLaws(table, tasks);
	if (table->touchedCount > 0)
		memset(table->rowDiagonal.data, 0, 6 * (size_t)BlockMatrix_PaddedRows(table->touchedCount) * sizeof(float));
	if (table->slots == contactSlots)
		ApplyRows(table, systems, contactSlots);
	else
		ApplyRows(table, systems, constraintSlots);
}

typedef struct ApplyTask
{
	PairTable* table;
	const PairSystem* systems;
} ApplyTask;

DRAPE_INLINE void ApplyWholeRow(const ApplyTask* task, uint32_t r, uint32_t slots)
{
	const PairTable* table = task->table;
	const PairSystem* system = &task->systems[table->touched.data[r] >> pairRowBits];
	uint32_t row = table->touched.data[r] & pairRowMask;
	Vec3 sum = V4Xyz(system->b[row]);
	float* surplus = &system->matrix->surplus.data[48 * (row / 8) + row % 8];
	for (uint32_t e = table->start.data[r]; e < table->start.data[r + 1]; ++e)
	{
		uint32_t entry = table->entries.data[e], pair = entry / slots;
		const TouchLaw* law = &table->laws.data[pair];
		float weight = table->weights.data[entry], whole = 0.0f;
		for (uint32_t k = slots * pair; k < slots * (pair + 1); ++k)
			whole += table->rows.data[k] != DRAPE_NONE ? fabsf(table->weights.data[k]) : 0.0f;
		float half = 0.5f * fabsf(weight) * whole;
		sum = V3Add(sum, V3Scale(weight, law->force));
		BlockMatrix_AddSymmetric(surplus, half * law->across, half * (law->along - law->across), law->normal);
	}
	system->b[row] = PairTable_Row(sum);
}

static void ApplyContactsRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	for (uint32_t r = start; r < end; ++r)
		ApplyWholeRow(context, r, contactSlots);
}

static void ApplyConstraintsRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	for (uint32_t r = start; r < end; ++r)
		ApplyWholeRow(context, r, constraintSlots);
}

void drapePairTable_ApplyWhole(PairTable* table, const PairSystem* systems, TaskPool* tasks)
{
	DRAPE_ASSERT(table->slots > 0 || table->touchedCount == 0);
	ApplyTask task = {table, systems};
	FillLaws(table, tasks);
	drapeTaskPool_For(tasks, table->touchedCount, rowGrain,
	                  table->slots == contactSlots ? ApplyContactsRange : ApplyConstraintsRange, &task);
}

void drapePairTable_ClearRows(const PairTable* table, Vec4* const* rows)
{
	for (uint32_t r = 0; r < table->touchedCount; ++r)
		*PairRow(rows, table->touched.data[r]) = (Vec4){0};
}

// --- products -------------------------------------------------------------------------------------------------------

typedef struct ProductTask
{
	PairTable* table;
	Vec4* const* x;
	Vec4* const* y;
	float sign;
	bool replaces; // y is not added to
} ProductTask;

static void CopyRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ProductTask* task = context;
	const PairTable* table = task->table;
	for (uint32_t r = 8 * start; r < 8 * end; ++r)
		table->rowValue.data[r] = r < table->touchedCount ? *PairRow(task->x, table->touched.data[r]) : (Vec4){0};
}

// The forces of eight pairs: K times the weighted sum of x.
DRAPE_INLINE void Flow(const PairTable* table, uint32_t g, uint32_t slots)
{
	const uint32_t* row = &table->pairRow.data[8 * slots * g];
	const float *weight = &table->pairWeight.data[8 * slots * g], *law = &table->pairLaw.data[40 * g];
	V8 sum = V8_Scale(F8_Load(weight), V8_GatherAt(table->rowValue.data, row));
	for (uint32_t k = 1; k < slots; ++k)
		sum = V8_Add(sum, V8_Scale(F8_Load(weight + 8 * k), V8_GatherAt(table->rowValue.data, row + 8 * k)));
	V8 n = {F8_Load(law), F8_Load(law + 8), F8_Load(law + 16)};
	F8 along = F8_Mul(F8_Load(law + 32), V8_Dot(n, sum));
	V8_StoreRows(table->flow.data + 8 * g, V8_Add(V8_Scale(F8_Load(law + 24), sum), V8_Scale(along, n)));
}

static void FlowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const PairTable* table = ((const ProductTask*)context)->table;
	for (uint32_t g = start; g < end; ++g)
	{
		if (table->slots == contactSlots)
			Flow(table, g, contactSlots);
		else
			Flow(table, g, constraintSlots);
	}
}

static void RowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ProductTask* task = context;
	PairTable* table = task->table;
	const F8 zero = F8_Splat(0.0f);
	F8 dot = zero;
	for (uint32_t g = start; g < end; ++g)
	{
		V8 own = V8_LoadRows(table->rowValue.data + 8 * g), sum = {zero, zero, zero};
		Vec4 rows[8];
		for (uint32_t slot = table->rowStart.data[g]; slot < table->rowStart.data[g + 1]; ++slot)
			sum = V8_Add(sum, V8_Scale(F8_Load(&table->rowWeight.data[8 * slot]),
			                           V8_GatherAt(table->flow.data, &table->rowPair.data[8 * slot])));
		if (!table->isWhole)
			sum = V8_Sub(sum, BlockMatrix_SymmetricTimes(&table->rowDiagonal.data[48 * g], own));
		dot = F8_Add(dot, V8_Dot(own, sum));
		V8_StoreRows(rows, V8_Scale(F8_Splat(task->sign), sum));
		for (uint32_t r = 8 * g; r < MinU32(8 * g + 8, table->touchedCount); ++r)
		{
			Vec4 *y = PairRow(task->y, table->touched.data[r]), added = rows[r % 8];
			Vec4 old = task->replaces ? (Vec4){0} : *y;
			*y = (Vec4){old.x + added.x, old.y + added.y, old.z + added.z, 0.0f};
		}
	}
	table->partials.data[start / groupGrain] = (double)F8_SumLanes(dot);
}

static double RunProduct(ProductTask* task, TaskPool* tasks)
{
	PairTable* table = task->table;
	if (table->count == 0 || table->touchedCount == 0)
		return 0.0;
	uint32_t pairs = BlockMatrix_PaddedRows(table->count) / 8;
	uint32_t rows = BlockMatrix_PaddedRows(table->touchedCount) / 8;
	drapeTaskPool_For(tasks, rows, groupGrain, CopyRange, task);
	drapeTaskPool_For(tasks, pairs, groupGrain, FlowRange, task);
	drapeTaskPool_For(tasks, rows, groupGrain, RowRange, task);
	double sum = 0.0;
	for (uint32_t i = 0; i < TaskPool_ChunkCount(rows, groupGrain); ++i)
		sum += table->partials.data[i];
	return (double)task->sign * sum;
}

double drapePairTable_Multiply(PairTable* table, Vec4* const* x, Vec4* const* y, float sign, TaskPool* tasks)
{
	ProductTask task = {table, x, y, sign, false};
	return RunProduct(&task, tasks);
}

void drapePairTable_Write(PairTable* table, Vec4* const* x, Vec4* const* y, TaskPool* tasks)
{
	DRAPE_ASSERT(table->isWhole || table->count == 0);
	ProductTask task = {table, x, y, 1.0f, true};
	RunProduct(&task, tasks);
}
