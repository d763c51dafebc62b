// SPDX-License-Identifier: MIT
#include "solve/pair_table.h"

#include <string.h>

enum
{
	pairGrain = 512,
	rowGrain = 512,
};

void drapePairTable_Destroy(PairTable* table)
{
	ArrayFree(&table->weights);
	ArrayFree(&table->rows);
	ArrayFree(&table->laws);
	ArrayFree(&table->flow);
	ArrayFree(&table->touched);
	ArrayFree(&table->start);
	ArrayFree(&table->entries);
	ArrayFree(&table->firstOf);
	ArrayFree(&table->partials);
}

bool drapePairTable_Reserve(PairTable* table, uint32_t slots, uint32_t count, uint32_t rowCount)
{
	DRAPE_ASSERT(slots == contactSlots || slots == constraintSlots);
	size_t n = (size_t)slots * count;
	table->slots = slots;
	return ArrayReserve(&table->weights, n) && ArrayReserve(&table->rows, n) && ArrayReserve(&table->laws, count) &&
	       ArrayReserve(&table->flow, count) && ArrayReserve(&table->touched, n) &&
	       ArrayReserve(&table->start, n + 2) && ArrayReserve(&table->entries, n) &&
	       ArrayReserve(&table->firstOf, rowCount) &&
	       ArrayReserve(&table->partials, TaskPool_ChunkCount((uint32_t)n, rowGrain) + 1);
}

// Rows are listed in the order of their first appearance, the entries of a row in the order of the pairs. `first` is
// the first row of each system in a common numbering.
static void ListRows(PairTable* table, const uint32_t* first)
{
	uint32_t *number = table->firstOf.data, *start = table->start.data, slotCount = table->slots * table->count;
	table->touchedCount = 0;
	for (uint32_t i = 0; i < slotCount; ++i)
	{
		uint32_t code = table->rows.data[i];
		if (code == DRAPE_NONE)
			continue;
		uint32_t* own = &number[first[code >> pairRowBits] + (code & pairRowMask)];
		if (*own == DRAPE_NONE)
		{
			*own = table->touchedCount;
			start[table->touchedCount] = 0;
			table->touched.data[table->touchedCount++] = code;
		}
		start[*own]++;
	}
	uint32_t sum = 0;
	for (uint32_t i = 0; i < table->touchedCount; ++i)
	{
		uint32_t own = start[i];
		start[i] = sum;
		sum += own;
	}
	for (uint32_t i = 0; i < slotCount; ++i)
	{
		uint32_t code = table->rows.data[i];
		if (code != DRAPE_NONE)
			table->entries.data[start[number[first[code >> pairRowBits] + (code & pairRowMask)]]++] = i;
	}
	for (uint32_t i = table->touchedCount; i > 0; --i)
		start[i] = start[i - 1];
	start[0] = 0;
}

void drapePairTable_FindRows(PairTable* table, const PairSystem* systems, uint32_t systemCount)
{
	uint32_t first[pairMaxSystems], rows = 0;
	DRAPE_ASSERT(systemCount <= pairMaxSystems);
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		first[i] = rows;
		rows += systems[i].hierarchy->rowCount;
	}
	DRAPE_ASSERT(rows <= table->firstOf.capacity);
	memset(table->firstOf.data, 0xff, rows * sizeof(uint32_t));
	ListRows(table, first);
}

DRAPE_INLINE void ApplyRows(PairTable* table, const PairSystem* systems, uint32_t slots)
{
	for (uint32_t r = 0; r < table->touchedCount; ++r)
	{
		const PairSystem* system = &systems[table->touched.data[r] >> pairRowBits];
		uint32_t row = table->touched.data[r] & pairRowMask;
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
		}
		system->b[row] = PairTable_Row(sum);
	}
}

void drapePairTable_Apply(PairTable* table, const PairSystem* systems)
{
	if (table->slots == contactSlots)
		ApplyRows(table, systems, contactSlots);
	else
		ApplyRows(table, systems, constraintSlots);
}

void drapePairTable_ApplyForces(PairTable* table, const PairSystem* systems)
{
	DRAPE_ASSERT(table->slots > 0 || table->touchedCount == 0);
	for (uint32_t r = 0; r < table->touchedCount; ++r)
	{
		Vec4* b = &systems[table->touched.data[r] >> pairRowBits].b[table->touched.data[r] & pairRowMask];
		Vec3 sum = V4Xyz(*b);
		for (uint32_t e = table->start.data[r]; e < table->start.data[r + 1]; ++e)
		{
			uint32_t entry = table->entries.data[e];
			sum = V3Add(sum, V3Scale(table->weights.data[entry], table->laws.data[entry / table->slots].force));
		}
		*b = PairTable_Row(sum);
	}
}

// --- products -------------------------------------------------------------------------------------------------------

typedef struct ProductTask
{
	PairTable* table;
	Vec4* const* x;
	Vec4* const* y;
	float sign;
} ProductTask;

DRAPE_INLINE Vec3 Times(const TouchLaw* law, Vec3 a)
{
	return V3Add(V3Scale(law->across, a), V3Scale((law->along - law->across) * V3Dot(law->normal, a), law->normal));
}

DRAPE_INLINE void Flow(const ProductTask* task, uint32_t start, uint32_t end, uint32_t slots)
{
	PairTable* table = task->table;
	for (uint32_t i = start; i < end; ++i)
		table->flow.data[i] = PairTable_Row(Times(&table->laws.data[i], PairTable_Weighted(table, slots, i, task->x)));
}

DRAPE_INLINE void Rows(const ProductTask* task, uint32_t start, uint32_t end, uint32_t slots)
{
	PairTable* table = task->table;
	double dot = 0.0;
	for (uint32_t r = start; r < end; ++r)
	{
		uint32_t code = table->touched.data[r];
		Vec3 own = V4Xyz(*PairRow(task->x, code)), sum = {0.0f, 0.0f, 0.0f};
		for (uint32_t e = table->start.data[r]; e < table->start.data[r + 1]; ++e)
		{
			uint32_t entry = table->entries.data[e], pair = entry / slots;
			float weight = table->weights.data[entry];
			Vec3 diagonal = V3Scale(weight, Times(&table->laws.data[pair], own));
			sum = V3Add(sum, V3Scale(weight, V3Sub(V4Xyz(table->flow.data[pair]), diagonal)));
		}
		Vec4* y = PairRow(task->y, code);
		*y = (Vec4){y->x + task->sign * sum.x, y->y + task->sign * sum.y, y->z + task->sign * sum.z, 0.0f};
		dot += (double)V3Dot(own, sum);
	}
	table->partials.data[start / rowGrain] = dot;
}

static void ContactFlowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Flow(context, start, end, contactSlots);
}

static void ContactRowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Rows(context, start, end, contactSlots);
}

static void ConstraintFlowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Flow(context, start, end, constraintSlots);
}

static void ConstraintRowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Rows(context, start, end, constraintSlots);
}

double drapePairTable_Multiply(PairTable* table, Vec4* const* x, Vec4* const* y, float sign, TaskPool* tasks)
{
	if (table->count == 0)
		return 0.0;
	bool isContact = table->slots == contactSlots;
	ProductTask task = {table, x, y, sign};
	drapeTaskPool_For(tasks, table->count, pairGrain, isContact ? ContactFlowRange : ConstraintFlowRange, &task);
	drapeTaskPool_For(tasks, table->touchedCount, rowGrain, isContact ? ContactRowRange : ConstraintRowRange, &task);
	double sum = 0.0;
	for (uint32_t i = 0; i < TaskPool_ChunkCount(table->touchedCount, rowGrain); ++i)
		sum += table->partials.data[i];
	return (double)sign * sum;
}
