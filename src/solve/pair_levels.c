// SPDX-License-Identifier: MIT
#include "solve/pair_levels.h"

#include "base/simd.h"

#include <string.h>

enum
{
	pairGrain = 256,
	sumGrain = 4,       // groups of eight rows
	sumAlone = 24,      // up to this many groups, one thread is faster than several
	coarsestSweeps = 4, // over the coarsest levels of several cloths, when they are too large for one matrix
	keptColumns = 48,   // columns of a row that are kept from counting; few rows have more
};

static void DestroyLevel(PairLevel* level)
{
	ArrayFree(&level->number);
	ArrayFree(&level->codes);
	ArrayFree(&level->parents);
	ArrayFree(&level->degree);
	ArrayFree(&level->start);
	ArrayFree(&level->column);
	ArrayFree(&level->block);
	ArrayFree(&level->anchor);
	ArrayFree(&level->z);
}

void drapePairLevels_Destroy(PairLevels* levels)
{
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
		DestroyLevel(&levels->levels[k]);
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		ArrayFree(&levels->rows[t]);
		ArrayFree(&levels->pairRows[t]);
		ArrayFree(&levels->stiffness[t]);
		ArrayFree(&levels->kept[t]);
	}
	ArrayFree(&levels->entryStart);
	ArrayFree(&levels->entries);
	ArrayFree(&levels->marks);
	ArrayFree(&levels->lists);
	ArrayFree(&levels->sums);
	ArrayFree(&levels->columns);
	ArrayFree(&levels->denseB);
	ArrayFree(&levels->denseX);
	drapeDenseFactor_Destroy(&levels->dense);
	*levels = (PairLevels){0};
}

// Tells whether a system has level k. A system without it takes part with its finest rows, and rests.
static bool IsOn(const PairLevels* levels, uint32_t system, uint32_t k)
{
	return levels->multigrid[system]->levelCount > k;
}

// The level with which a system takes part in level k of the cycle.
static MultigridLevel* LevelOf(const PairLevels* levels, uint32_t system, uint32_t k)
{
	Multigrid* multigrid = levels->multigrid[system];
	return &multigrid->levels[MinU32(k, multigrid->levelCount - 1)];
}

static uint32_t RowIndex(const PairLevel* level, uint32_t code)
{
	return level->firstRow[code >> pairRowBits] + (code & pairRowMask);
}

// --- structure ------------------------------------------------------------------------------------------------------

// The parents of a row of level k + 1 on level k, as codes. Returns their number.
static uint32_t ParentsOf(const PairLevels* levels, uint32_t k, uint32_t code, PairLevelRow parents[3])
{
	uint32_t system = code >> pairRowBits, row = code & pairRowMask, count = 0;
	const HierarchyLevel* level = &levels->multigrid[system]->hierarchy->levels[k + 1];
	if (!IsOn(levels, system, k + 1) || row < level->coarser)
	{
		parents[0] = (PairLevelRow){code, 1.0f};
		return 1;
	}
	DRAPE_ASSERT(row < level->rowCount);
	const RowParents* given = &level->parents.data[row - level->coarser];
	for (int p = 0; p < 3; ++p)
	{
		if (given->weight[p] > 0.0f)
			parents[count++] = (PairLevelRow){system << pairRowBits | given->row[p], given->weight[p]};
	}
	return count;
}

typedef struct LevelsTask
{
	PairLevels* levels;
	uint32_t k;     // level
	uint32_t table; // for loops over pairs
} LevelsTask;

// Restricts the weights of a pair to the level below the finest. Rows that it has twice are added up. Returns their
// number, at most three for each slot.
static uint32_t RestrictPair(const LevelsTask* task, uint32_t pair, PairLevelRow* rows)
{
	const PairTable* table = task->levels->tables[task->table];
	uint32_t count = 0;
	for (uint32_t slot = table->slots * pair; slot < table->slots * (pair + 1); ++slot)
	{
		PairLevelRow parents[3];
		uint32_t code = table->rows.data[slot], r;
		uint32_t parentCount = code == DRAPE_NONE ? 0 : ParentsOf(task->levels, task->k, code, parents);
		for (uint32_t p = 0; p < parentCount; ++p)
		{
			for (r = 0; r < count && rows[r].row != parents[p].row; ++r)
				continue;
			if (r == count)
				rows[count++] = (PairLevelRow){parents[p].row, 0.0f};
			rows[r].weight += table->weights.data[slot] * parents[p].weight;
		}
	}
	return count;
}

static void RestrictRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelsTask* task = context;
	PairLevels* levels = task->levels;
	uint32_t stride = 3 * levels->tables[task->table]->slots;
	for (uint32_t pair = start; pair < end; ++pair)
		levels->pairRows[task->table].data[pair] =
			(uint8_t)RestrictPair(task, pair, &levels->rows[task->table].data[stride * pair]);
}

// The same for pairs that are listed already: only the weights are new.
static void WeightRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelsTask* task = context;
	PairLevels* levels = task->levels;
	uint32_t stride = 3 * levels->tables[task->table]->slots;
	for (uint32_t pair = start; pair < end; ++pair)
	{
		PairLevelRow rows[3 * constraintSlots], *listed = &levels->rows[task->table].data[stride * pair];
		uint32_t count = RestrictPair(task, pair, rows);
		DRAPE_ASSERT(count == levels->pairRows[task->table].data[pair]);
		for (uint32_t r = 0; r < count; ++r)
			listed[r].weight = rows[r].weight;
	}
}

// Numbers the rows of a level. Returns their count.
static uint32_t NumberRows(const PairLevels* levels, PairLevel* level, uint32_t k)
{
	uint32_t rows = 0;
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		level->firstRow[levels->systems[i]] = rows;
		rows += LevelOf(levels, levels->systems[i], k)->matrix.rowCount;
	}
	return rows;
}

// Lists the rows that have a number, in ascending order, and renumbers them. False when out of memory.
static bool ListRows(const PairLevels* levels, PairLevel* level, uint32_t k, uint32_t touched)
{
	uint32_t count = 0, padded = BlockMatrix_PaddedRows(touched);
	if (!ArrayReserve(&level->codes, padded) || !ArrayReserve(&level->degree, padded) ||
	    !ArrayReserve(&level->start, padded / 8 + 1) || !ArrayReserve(&level->anchor, 6 * (size_t)padded) ||
	    !ArrayReserve(&level->z, padded) || !ArrayReserve(&level->parents, 3 * (size_t)touched))
		return false;
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		uint32_t system = levels->systems[i], rows = LevelOf(levels, system, k)->matrix.rowCount;
		for (uint32_t row = 0; row < rows; ++row)
		{
			uint32_t* number = &level->number.data[level->firstRow[system] + row];
			if (*number == DRAPE_NONE)
				continue;
			*number = count;
			level->codes.data[count++] = system << pairRowBits | row;
		}
	}
	DRAPE_ASSERT(count == touched && count > 0);
	level->rowCount = count;
	level->groupCount = padded / 8;
	for (uint32_t i = count; i < padded; ++i)
		level->codes.data[i] = level->codes.data[count - 1];
	return true;
}

// Lists the rows of the pairs on the level below the finest, and the pairs of each row.
static bool ListPairRows(PairLevels* levels, uint32_t k)
{
	PairLevel* level = &levels->levels[k];
	uint32_t rows = NumberRows(levels, level, k), touched = 0, total = 0;
	if (!ArrayReserve(&level->number, rows) || !ArrayReserve(&levels->entryStart, rows + 1))
		return false;
	uint32_t* counts = levels->entryStart.data;
	memset(counts, 0, ((size_t)rows + 1) * sizeof *counts);
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		uint32_t stride = 3 * levels->tables[t]->slots;
		for (uint32_t pair = 0; pair < levels->tables[t]->count; ++pair)
		{
			for (uint32_t r = stride * pair; r < stride * pair + levels->pairRows[t].data[pair]; ++r)
				counts[RowIndex(level, levels->rows[t].data[r].row)]++;
		}
	}
	for (uint32_t row = 0; row < rows; ++row)
	{
		uint32_t own = counts[row];
		touched += own > 0;
		level->number.data[row] = own > 0 ? 0 : DRAPE_NONE;
		counts[row] = total;
		total += own;
	}
	counts[rows] = total;
	if (!ArrayReserve(&levels->entries, total) || !ListRows(levels, level, k, touched))
		return false;
	// Filling in the entries turns starts into ends, which are then shifted. Codes become indices.
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		uint32_t stride = 3 * levels->tables[t]->slots;
		for (uint32_t pair = 0; pair < levels->tables[t]->count; ++pair)
		{
			for (uint32_t r = stride * pair; r < stride * pair + levels->pairRows[t].data[pair]; ++r)
			{
				PairLevelRow* own = &levels->rows[t].data[r];
				uint32_t index = RowIndex(level, own->row);
				levels->entries.data[counts[index]++] = r << 1 | t;
				own->row = level->number.data[index];
			}
		}
	}
	memmove(counts + 1, counts, (size_t)rows * sizeof *counts);
	counts[0] = 0;
	return true;
}

// Lists the rows of level k from those of level k + 1.
static bool ListCoarseRows(const PairLevels* levels, PairLevel* level, PairLevel* finer, uint32_t k)
{
	uint32_t rows = NumberRows(levels, level, k), touched = 0;
	if (!ArrayReserve(&level->number, rows))
		return false;
	memset(level->number.data, 0xff, (size_t)rows * sizeof(uint32_t));
	for (uint32_t i = 0; i < finer->rowCount; ++i)
	{
		PairLevelRow* parents = &finer->parents.data[3 * i];
		uint32_t count = ParentsOf(levels, k, finer->codes.data[i], parents);
		for (uint32_t p = 0; p < 3; ++p)
		{
			parents[p] = p < count ? parents[p] : (PairLevelRow){parents[0].row, 0.0f};
			uint32_t* number = &level->number.data[RowIndex(level, parents[p].row)];
			touched += *number == DRAPE_NONE;
			*number = 0;
		}
	}
	if (!ListRows(levels, level, k, touched))
		return false;
	for (uint32_t i = 0; i < 3 * finer->rowCount; ++i)
		finer->parents.data[i].row = level->number.data[RowIndex(level, finer->parents.data[i].row)];
	return true;
}

// Loops over groups of rows that add up many blocks for each row.
static void SumFor(TaskPool* tasks, uint32_t groups, drapeTaskFcn* fcn, void* context)
{
	if (groups > sumAlone)
		drapeTaskPool_For(tasks, groups, sumGrain, fcn, context);
	else
		fcn(0, groups, 0, context);
}

// --- the couplings of a row -----------------------------------------------------------------------------------------

// Sums of blocks by column. The first column is the row itself.
typedef struct RowSum
{
	uint32_t* marks; // by column: its place in `list`, or DRAPE_NONE
	uint32_t* list;
	float* sums; // [8 * count]
	uint32_t count;
	F8 anchor;
} RowSum;

static RowSum BeginSum(const PairLevels* levels, const PairLevel* level, uint32_t worker)
{
	size_t first = (size_t)worker * level->rowCount;
	return (RowSum){
		.marks = levels->marks.data + first, .list = levels->lists.data + first, .sums = levels->sums.data + 8 * first};
}

DRAPE_INLINE void AddBlock(RowSum* sum, uint32_t column, float weight, F8 block, bool hasValues)
{
	uint32_t at = sum->marks[column];
	if (at == DRAPE_NONE)
	{
		at = sum->marks[column] = sum->count;
		sum->list[sum->count++] = column;
		F8_Store(&sum->sums[8 * at], F8_Splat(0.0f));
	}
	if (hasValues)
		F8_Store(&sum->sums[8 * at], F8_Add(F8_Load(&sum->sums[8 * at]), F8_Mul(F8_Splat(weight), block)));
}

// Adds the pairs of a row of the level below the finest: w_i w_j K.
DRAPE_INLINE void AddPairs(const PairLevels* levels, const PairLevel* level, uint32_t row, RowSum* sum, bool hasValues)
{
	uint32_t index = RowIndex(level, level->codes.data[row]);
	for (uint32_t e = levels->entryStart.data[index]; e < levels->entryStart.data[index + 1]; ++e)
	{
		uint32_t t = levels->entries.data[e] & 1, at = levels->entries.data[e] >> 1;
		const PairTable* table = levels->tables[t];
		uint32_t stride = 3 * table->slots, pair = at / stride;
		const PairLevelRow* rows = &levels->rows[t].data[stride * pair];
		float own = levels->rows[t].data[at].weight, whole = 0.0f;
		F8 block = hasValues ? F8_Mul(F8_Splat(own), F8_Load(&levels->stiffness[t].data[8 * pair])) : F8_Splat(0.0f);
		for (uint32_t r = 0; r < levels->pairRows[t].data[pair]; ++r)
		{
			AddBlock(sum, rows[r].row, rows[r].weight, block, hasValues);
			whole += rows[r].weight;
		}
		sum->anchor = F8_Add(sum->anchor, F8_Mul(F8_Splat(whole), block));
	}
}

static F8 LoadLane(const float* blocks, uint32_t lane)
{
	const float* b = blocks + lane;
	const float block[8] = {b[0], b[8], b[16], b[24], b[32], b[40], 0.0f, 0.0f};
	return F8_Load(block);
}

// Adds the share of one finer row: P_iI (G_i z_i + sum_j S_ij (z_j - z_i)), with z = P Z.
DRAPE_INLINE void AddFineRow(const PairLevel* finer, uint32_t row, float weight, RowSum* sum, bool hasValues)
{
	uint32_t g = row / 8, lane = row % 8;
	F8 anchor = hasValues ? LoadLane(&finer->anchor.data[48 * g], lane) : F8_Splat(0.0f), diagonal = anchor;
	for (uint32_t d = 0; d < finer->degree.data[row]; ++d)
	{
		uint32_t slot = finer->start.data[g] + d;
		const PairLevelRow* parents = &finer->parents.data[3 * finer->column.data[8 * slot + lane]];
		F8 block = hasValues ? LoadLane(&finer->block.data[48 * slot], lane) : F8_Splat(0.0f);
		diagonal = F8_Sub(diagonal, block);
		for (int p = 0; p < 3 && parents[p].weight > 0.0f; ++p)
			AddBlock(sum, parents[p].row, weight * parents[p].weight, block, hasValues);
	}
	const PairLevelRow* own = &finer->parents.data[3 * row];
	for (int p = 0; p < 3 && own[p].weight > 0.0f; ++p)
		AddBlock(sum, own[p].row, weight * own[p].weight, diagonal, hasValues);
	sum->anchor = F8_Add(sum->anchor, F8_Mul(F8_Splat(weight), anchor));
}

DRAPE_INLINE void AddFineRows(const PairLevels* levels, uint32_t k, uint32_t row, RowSum* sum, bool hasValues)
{
	const PairLevel* finer = &levels->levels[k + 1];
	uint32_t code = levels->levels[k].codes.data[row], system = code >> pairRowBits, own = code & pairRowMask;
	uint32_t number = finer->number.data[RowIndex(finer, code)];
	if (number != DRAPE_NONE)
		AddFineRow(finer, number, 1.0f, sum, hasValues);
	if (!IsOn(levels, system, k + 1))
		return;
	const HierarchyLevel* rows = &levels->multigrid[system]->hierarchy->levels[k + 1];
	for (uint32_t c = rows->childStart.data[own]; c < rows->childStart.data[own + 1]; ++c)
	{
		RowChild child = rows->children.data[c];
		number = finer->number.data[finer->firstRow[system] + child.row];
		if (number != DRAPE_NONE)
			AddFineRow(finer, number, child.weight, sum, hasValues);
	}
}

// Adds up the blocks of a row of level k, by column.
DRAPE_INLINE void SumRow(const PairLevels* levels, uint32_t k, uint32_t row, RowSum* sum, bool hasValues)
{
	sum->count = 0;
	sum->anchor = F8_Splat(0.0f);
	AddBlock(sum, row, 0.0f, sum->anchor, false);
	if (k + 2 == levels->levelCount)
		AddPairs(levels, &levels->levels[k], row, sum, hasValues);
	else
		AddFineRows(levels, k, row, sum, hasValues);
	for (uint32_t i = 0; i < sum->count; ++i)
		sum->marks[sum->list[i]] = DRAPE_NONE;
}

static void CountRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const LevelsTask* task = context;
	PairLevel* level = &task->levels->levels[task->k];
	RowSum sum = BeginSum(task->levels, level, worker);
	for (uint32_t g = start; g < end; ++g)
	{
		level->start.data[g] = 0;
		for (uint32_t row = 8 * g; row < 8 * g + 8; ++row)
		{
			level->degree.data[row] = 0;
			if (row >= level->rowCount)
				continue;
			SumRow(task->levels, task->k, row, &sum, false);
			uint32_t degree = level->degree.data[row] = sum.count - 1;
			level->start.data[g] = MaxU32(level->start.data[g], degree);
			memcpy(&task->levels->columns.data[keptColumns * row], sum.list + 1,
			       MinU32(degree, keptColumns) * sizeof(uint32_t));
		}
	}
}

// The columns of a level, which the next coarser one is counted with.
static void ColumnRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const LevelsTask* task = context;
	PairLevel* level = &task->levels->levels[task->k];
	RowSum sum = BeginSum(task->levels, level, worker);
	for (uint32_t row = 8 * start; row < 8 * end; ++row)
	{
		uint32_t g = row / 8, lane = row % 8, slots = level->start.data[g + 1] - level->start.data[g];
		const uint32_t* columns = &task->levels->columns.data[keptColumns * row];
		if (level->degree.data[row] > keptColumns)
		{
			SumRow(task->levels, task->k, row, &sum, false);
			columns = sum.list + 1;
		}
		for (uint32_t d = 0; d < slots; ++d)
			level->column.data[8 * (level->start.data[g] + d) + lane] = d < level->degree.data[row] ? columns[d] : row;
	}
}

// Finds the columns of all rows of a level.
static bool BuildColumns(PairLevels* levels, uint32_t k, TaskPool* tasks)
{
	PairLevel* level = &levels->levels[k];
	size_t marks = (size_t)drapeTaskPool_WorkerCount(tasks) * level->rowCount;
	LevelsTask task = {levels, k, 0};
	if (!ArrayReserve(&levels->marks, marks) || !ArrayReserve(&levels->lists, marks) ||
	    !ArrayReserve(&levels->sums, 8 * marks) ||
	    !ArrayReserve(&levels->columns, (size_t)keptColumns * 8 * level->groupCount))
		return false;
	memset(levels->marks.data, 0xff, marks * sizeof(uint32_t));
	SumFor(tasks, level->groupCount, CountRange, &task);
	uint32_t slots = 0;
	for (uint32_t g = 0; g < level->groupCount; ++g)
	{
		uint32_t own = level->start.data[g];
		level->start.data[g] = slots;
		slots += own;
	}
	level->start.data[level->groupCount] = slots;
	if (!ArrayReserve(&level->column, 8 * (size_t)slots) || !ArrayReserve(&level->block, 48 * (size_t)slots))
		return false;
	SumFor(tasks, level->groupCount, ColumnRange, &task);
	return true;
}

// --- build ----------------------------------------------------------------------------------------------------------

// Lists the systems with pairs. False when there are none, or when one of them has no coarse levels.
static bool ListSystems(PairLevels* levels, const PairSystem* systems, uint32_t systemCount)
{
	uint32_t fewest = hierarchyLevels, most = 0;
	levels->systemCount = 0;
	memset(levels->multigrid, 0, sizeof levels->multigrid);
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		for (uint32_t i = 0; i < levels->tables[t]->touchedCount; ++i)
		{
			uint32_t system = levels->tables[t]->touched.data[i] >> pairRowBits;
			if (!systems[system].multigrid)
				return false;
			levels->multigrid[system] = systems[system].multigrid;
		}
	}
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		if (!levels->multigrid[i])
			continue;
		levels->systems[levels->systemCount++] = i;
		most = MaxU32(most, levels->multigrid[i]->levelCount);
		fewest = MinU32(fewest, levels->multigrid[i]->levelCount);
	}
	levels->rests = fewest < most;
	levels->levelCount = most;
	return levels->systemCount > 0;
}

static bool ReserveDense(PairLevels* levels)
{
	uint32_t rows = 0;
	for (uint32_t i = 0; i < levels->systemCount; ++i)
		rows += LevelOf(levels, levels->systems[i], 0)->matrix.rowCount;
	levels->dense.size = 0;
	levels->dense.isUsable = false;
	if (rows > (levels->tables[1]->count > 0 ? jointDenseRows : pairDenseRows))
		return true;
	return drapeDenseFactor_Reserve(&levels->dense, rows) && ArrayReserve(&levels->denseB, rows) &&
	       ArrayReserve(&levels->denseX, rows);
}

// Returns whether the pairs, the systems and their levels are those that are listed.
static bool AreListed(const PairLevels* levels)
{
	bool areListed = levels->listedLevels == levels->levelCount;
	for (uint32_t i = 0; i < pairMaxSystems; ++i)
	{
		const Multigrid* multigrid = levels->multigrid[i];
		areListed &= multigrid == levels->listedGrids[i] && (!multigrid || multigrid->listedBy == levels);
	}
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		const PairTable* table = levels->tables[t];
		areListed &=
			levels->listedCount[t] == table->count && (table->count == 0 || levels->listNumber[t] == table->lists);
	}
	return areListed;
}

static void MarkListed(PairLevels* levels)
{
	levels->listedLevels = levels->levelCount;
	for (uint32_t i = 0; i < pairMaxSystems; ++i)
		levels->listedGrids[i] = levels->multigrid[i];
	for (uint32_t i = 0; i < levels->systemCount; ++i)
		levels->multigrid[levels->systems[i]]->listedBy = levels;
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		levels->listNumber[t] = levels->tables[t]->lists;
		levels->listedCount[t] = levels->tables[t]->count;
	}
}

// Lists everything anew. False when out of memory.
static bool ListLevels(PairLevels* levels, TaskPool* tasks)
{
	uint32_t below = levels->levelCount - 2;
	levels->listedLevels = 0;
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		const PairTable* table = levels->tables[t];
		size_t rows = 3 * (size_t)table->slots * table->count;
		LevelsTask task = {levels, below, t};
		if (rows >= UINT32_MAX / 2 || !ArrayReserve(&levels->rows[t], rows) ||
		    !ArrayReserve(&levels->pairRows[t], table->count) || !ArrayReserve(&levels->kept[t], table->touchedCount) ||
		    !ArrayReserve(&levels->stiffness[t], 8 * (size_t)table->count))
			return false;
		drapeTaskPool_For(tasks, table->count, pairGrain, RestrictRange, &task);
	}
	if (!ListPairRows(levels, below) || !BuildColumns(levels, below, tasks))
		return false;
	for (uint32_t k = below; k-- > 0;)
	{
		if (!ListCoarseRows(levels, &levels->levels[k], &levels->levels[k + 1], k) || !BuildColumns(levels, k, tasks))
			return false;
	}
	MarkListed(levels);
	return true;
}

static bool BuildLevels(PairLevels* levels, TaskPool* tasks)
{
	if (!AreListed(levels))
		return ListLevels(levels, tasks) && ReserveDense(levels);
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		LevelsTask task = {levels, levels->levelCount - 2, t};
		drapeTaskPool_For(tasks, levels->tables[t]->count, pairGrain, WeightRange, &task);
	}
	return ReserveDense(levels);
}

static bool ReserveSystems(const PairLevels* levels)
{
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		if (!drapeMultigrid_ReservePairs(levels->multigrid[levels->systems[i]]))
			return false;
	}
	return true;
}

void drapePairLevels_Build(PairLevels* levels, PairTable* const tables[pairTables], const PairSystem* systems,
                           uint32_t systemCount, TaskPool* tasks)
{
	DRAPE_ASSERT(systemCount <= pairMaxSystems);
	memcpy(levels->tables, tables, sizeof levels->tables);
	levels->levelCount = 0;
	if (levels->isOff || !ListSystems(levels, systems, systemCount) || !ReserveSystems(levels) ||
	    !BuildLevels(levels, tasks))
	{
		levels->levelCount = 0;
		return;
	}
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		multigrid->hasPairs = true;
		multigrid->isJoined = levels->dense.size > 0;
	}
}

// --- values ---------------------------------------------------------------------------------------------------------

static void StiffnessRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelsTask* task = context;
	const TouchLaw* laws = task->levels->tables[task->table]->laws.data;
	for (uint32_t pair = start; pair < end; ++pair)
	{
		const TouchLaw* law = &laws[pair];
		Vec3 n = law->normal, m = V3Scale(law->along - law->across, n);
		const float block[8] = {law->across + m.x * n.x, m.x * n.y, m.x * n.z, law->across + m.y * n.y, m.y * n.z,
		                        law->across + m.z * n.z, 0.0f,      0.0f};
		memcpy(&task->levels->stiffness[task->table].data[8 * pair], block, sizeof block);
	}
}

static void StoreLane(float* blocks, uint32_t lane, const float* block)
{
	for (uint32_t k = 0; k < 6; ++k)
		blocks[8 * k + lane] = block[k];
}

static void ValueRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	static const float zeros[8];
	const LevelsTask* task = context;
	PairLevel* level = &task->levels->levels[task->k];
	RowSum sum = BeginSum(task->levels, level, worker);
	for (uint32_t row = 8 * start; row < 8 * end; ++row)
	{
		uint32_t g = row / 8, lane = row % 8, slots = level->start.data[g + 1] - level->start.data[g];
		float anchor[8] = {0.0f};
		if (row < level->rowCount)
		{
			SumRow(task->levels, task->k, row, &sum, true);
			F8_Store(anchor, sum.anchor);
		}
		StoreLane(&level->anchor.data[48 * g], lane, anchor);
		for (uint32_t d = 0; d < slots; ++d)
			StoreLane(&level->block.data[48 * (level->start.data[g] + d)], lane,
			          d < level->degree.data[row] ? &sum.sums[8 * (d + 1)] : zeros);
	}
}

// T / 2 of the rows of level k: the sums of the finer rows' by their weights.
static void SurplusRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelsTask* task = context;
	const PairLevels* levels = task->levels;
	const PairLevel* level = &levels->levels[task->k];
	for (uint32_t i = 8 * start; i < MinU32(8 * end, level->rowCount); ++i)
	{
		uint32_t system = level->codes.data[i] >> pairRowBits, row = level->codes.data[i] & pairRowMask;
		if (!IsOn(levels, system, task->k + 1))
			continue;
		const HierarchyLevel* rows = &levels->multigrid[system]->hierarchy->levels[task->k + 1];
		const float* fine = levels->multigrid[system]->levels[task->k + 1].matrix.surplus.data;
		F8 sum = LoadLane(&fine[48 * (row / 8)], row % 8);
		for (uint32_t c = rows->childStart.data[row]; c < rows->childStart.data[row + 1]; ++c)
		{
			RowChild child = rows->children.data[c];
			sum = F8_Add(sum, F8_Mul(F8_Splat(child.weight), LoadLane(&fine[48 * (child.row / 8)], child.row % 8)));
		}
		float block[8];
		F8_Store(block, sum);
		StoreLane(&levels->multigrid[system]->levels[task->k].matrix.surplus.data[48 * (row / 8)], row % 8, block);
	}
}

void drapePairLevels_Update(PairLevels* levels, TaskPool* tasks)
{
	DRAPE_ASSERT(levels->levelCount > 1);
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		LevelsTask task = {levels, 0, t};
		drapeTaskPool_For(tasks, levels->tables[t]->count, pairGrain, StiffnessRange, &task);
	}
	for (uint32_t k = levels->levelCount - 1; k-- > 0;)
	{
		LevelsTask task = {levels, k, 0};
		memset(levels->marks.data, 0xff,
		       (size_t)drapeTaskPool_WorkerCount(tasks) * levels->levels[k].rowCount * sizeof(uint32_t));
		SumFor(tasks, levels->levels[k].groupCount, ValueRange, &task);
		Matrix_For(tasks, levels->levels[k].groupCount, SurplusRange, &task);
	}
}

// The first row of a system in the dense matrix.
static uint32_t DenseRow(const PairLevels* levels, uint32_t code)
{
	return RowIndex(&levels->levels[0], code);
}

void drapePairLevels_Factorise(PairLevels* levels)
{
	const PairLevel* level = &levels->levels[0];
	DenseFactor* dense = &levels->dense;
	if (dense->size == 0)
		return;
	drapeDenseFactor_Clear(dense);
	for (uint32_t i = 0; i < levels->systemCount; ++i)
		drapeDenseFactor_AddMatrix(dense, &LevelOf(levels, levels->systems[i], 0)->matrix,
		                           level->firstRow[levels->systems[i]], false);
	for (uint32_t row = 0; row < level->rowCount; ++row)
	{
		uint32_t g = row / 8, lane = row % 8, i = DenseRow(levels, level->codes.data[row]);
		for (uint32_t slot = level->start.data[g]; slot <= level->start.data[g] + level->degree.data[row]; ++slot)
		{
			bool isAnchor = slot == level->start.data[g] + level->degree.data[row];
			const float* s = isAnchor ? &level->anchor.data[48 * g + lane] : &level->block.data[48 * slot + lane];
			const float block[9] = {s[0], s[8], s[16], s[8], s[24], s[32], s[16], s[32], s[40]};
			drapeDenseFactor_AddBlock(dense, i, i, block, isAnchor ? 1.0f : -1.0f);
			if (!isAnchor)
				drapeDenseFactor_AddBlock(
					dense, i, DenseRow(levels, level->codes.data[level->column.data[8 * slot + lane]]), block, 1.0f);
		}
	}
	drapeDenseFactor_Factorise(dense);
}

// --- cycles ---------------------------------------------------------------------------------------------------------

static void GatherRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelsTask* task = context;
	PairLevel* level = &task->levels->levels[task->k];
	for (uint32_t i = 8 * start; i < 8 * end; ++i)
	{
		uint32_t code = level->codes.data[i];
		level->z.data[i] = LevelOf(task->levels, code >> pairRowBits, task->k)->z.data[code & pairRowMask];
	}
}

static void CouplingRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelsTask* task = context;
	const PairLevel* level = &task->levels->levels[task->k];
	for (uint32_t g = start; g < end; ++g)
	{
		Vec4 rows[8];
		V8 own = V8_LoadRows(level->z.data + 8 * g), sum = BlockMatrix_SymmetricTimes(&level->anchor.data[48 * g], own);
		for (uint32_t slot = level->start.data[g]; slot < level->start.data[g + 1]; ++slot)
		{
			V8 d = V8_Sub(V8_Gather(level->z.data, &level->column.data[8 * slot]), own);
			sum = V8_Add(sum, BlockMatrix_SymmetricTimes(&level->block.data[48 * slot], d));
		}
		V8_StoreRows(rows, sum);
		for (uint32_t i = 8 * g; i < MinU32(8 * g + 8, level->rowCount); ++i)
		{
			uint32_t code = level->codes.data[i];
			LevelOf(task->levels, code >> pairRowBits, task->k)->pairProduct.data[code & pairRowMask] = rows[i % 8];
		}
	}
}

// Computes S z of level k into `pairProduct`.
static void MultiplyPairs(PairLevels* levels, uint32_t k, TaskPool* tasks)
{
	if (k + 1 < levels->levelCount)
	{
		LevelsTask task = {levels, k, 0};
		Matrix_For(tasks, levels->levels[k].groupCount, GatherRange, &task);
		Matrix_For(tasks, levels->levels[k].groupCount, CouplingRange, &task);
		return;
	}
	Vec4 *z[pairMaxSystems], *product[pairMaxSystems];
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		z[levels->systems[i]] = LevelOf(levels, levels->systems[i], k)->z.data;
		product[levels->systems[i]] = LevelOf(levels, levels->systems[i], k)->pairProduct.data;
	}
	// A row may have contacts and constraints.
	drapePairTable_ClearRows(levels->tables[1], product);
	drapePairTable_Write(levels->tables[0], z, product, tasks);
	drapePairTable_Multiply(levels->tables[1], z, product, 1.0f, tasks);
}

typedef struct CoarsestTask
{
	const PairLevels* levels;
	bool isFirst;
	TaskPool* tasks;
} CoarsestTask;

static void SweepSystems(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CoarsestTask* task = context;
	for (uint32_t i = start; i < end; ++i)
		drapeMultigrid_SweepCoarsest(task->levels->multigrid[task->levels->systems[i]], task->isFirst, task->tasks);
}

// A sweep over the coarsest level of each system, by its own matrix. Small systems run no loops of their own, so each of
// them is a task.
static void SweepCoarsest(PairLevels* levels, bool isFirst, TaskPool* tasks)
{
	CoarsestTask task = {levels, isFirst, tasks};
	bool areSmall = true;
	if (!isFirst)
		MultiplyPairs(levels, 0, tasks);
	for (uint32_t i = 0; i < levels->systemCount; ++i)
		areSmall &= LevelOf(levels, levels->systems[i], 0)->matrix.groupCount <= matrixAlone;
	if (areSmall)
		drapeTaskPool_For(tasks, levels->systemCount, 1, SweepSystems, &task);
	else
		SweepSystems(0, levels->systemCount, 0, &task);
}

static void SolveCoarsest(PairLevels* levels, TaskPool* tasks)
{
	if (!levels->dense.isUsable)
	{
		for (int i = 0; i < coarsestSweeps; ++i)
			SweepCoarsest(levels, i == 0, tasks);
		return;
	}
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		const MultigridLevel* level = LevelOf(levels, levels->systems[i], 0);
		memcpy(levels->denseB.data + levels->levels[0].firstRow[levels->systems[i]], level->r.data,
		       level->matrix.rowCount * sizeof(Vec4));
	}
	drapeDenseFactor_Solve(&levels->dense, levels->denseB.data, levels->denseX.data);
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		const MultigridLevel* level = LevelOf(levels, levels->systems[i], 0);
		memcpy(level->z.data, levels->denseX.data + levels->levels[0].firstRow[levels->systems[i]],
		       level->matrix.rowCount * sizeof(Vec4));
	}
}

// The finest rows of systems that rest on level k: r -= S z. Their z is zero on the way down.
static void SubtractFromRest(const PairLevels* levels, uint32_t k)
{
	for (uint32_t t = 0; t < pairTables && levels->rests; ++t)
	{
		const PairTable* table = levels->tables[t];
		for (uint32_t i = 0; i < table->touchedCount; ++i)
		{
			uint32_t system = table->touched.data[i] >> pairRowBits, row = table->touched.data[i] & pairRowMask;
			if (IsOn(levels, system, k))
				continue;
			const MultigridLevel* finest = LevelOf(levels, system, k);
			Vec4 *r = &finest->r.data[row], *product = &finest->pairProduct.data[row];
			*r = (Vec4){r->x - product->x, r->y - product->y, r->z - product->z, 0.0f};
			*product = (Vec4){0}; // a row of both tables is subtracted once
		}
	}
}

// Lists the systems that have level k. Returns their number.
static uint32_t GridsOn(const PairLevels* levels, uint32_t k, Multigrid** grids)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		if (IsOn(levels, levels->systems[i], k))
			grids[count++] = levels->multigrid[levels->systems[i]];
	}
	return count;
}

// A sweep over level k. Returns the sum of r . z of the systems on this level.
static double Sweep(PairLevels* levels, uint32_t k, TaskPool* tasks)
{
	Multigrid* grids[pairMaxSystems];
	MultiplyPairs(levels, k, tasks);
	return drapeMultigrid_Smooth(grids, GridsOn(levels, k, grids), k, tasks);
}

// The sweeps beside the first one on level k: by the system with the most levels.
static uint32_t ExtraSweeps(const PairLevels* levels, uint32_t k)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		if (IsOn(levels, levels->systems[i], k))
			most = MaxU32(most, drapeMultigrid_ExtraSweeps(levels->multigrid[levels->systems[i]], k));
	}
	return most;
}

// The way down on level k: residuals go to the next coarser level, which makes its first sweep. The caller has made the
// first sweep on the finest level of a system; it counts only if the system did not rest before, because the residual has
// changed.
static void Descend(PairLevels* levels, uint32_t k, TaskPool* tasks)
{
	Multigrid* grids[pairMaxSystems];
	uint32_t count = GridsOn(levels, k, grids);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (grids[i]->levelCount == k + 1 && k + 1 < levels->levelCount)
			drapeMultigrid_SmoothFromZero(&grids[i], 1, k, tasks);
	}
	for (uint32_t i = 0; i < ExtraSweeps(levels, k); ++i)
		Sweep(levels, k, tasks);
	MultiplyPairs(levels, k, tasks);
	SubtractFromRest(levels, k);
	drapeMultigrid_Descend(grids, count, k, tasks);
}

// Returns the sum of r . z of the systems on this level.
static double Ascend(PairLevels* levels, uint32_t k, TaskPool* tasks)
{
	Multigrid* grids[pairMaxSystems];
	drapeMultigrid_Prolong(grids, GridsOn(levels, k, grids), k, tasks);
	for (uint32_t i = 0; i < ExtraSweeps(levels, k); ++i)
		Sweep(levels, k, tasks);
	return Sweep(levels, k, tasks);
}

// Systems that rest at first change their r. Keeps r of the rows with pairs, and sets z to zero.
static void BeginRest(PairLevels* levels)
{
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		for (uint32_t i = 0; i < levels->tables[t]->touchedCount; ++i)
		{
			uint32_t code = levels->tables[t]->touched.data[i];
			levels->kept[t].data[i] = LevelOf(levels, code >> pairRowBits, hierarchyLevels)->r.data[code & pairRowMask];
		}
	}
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		const MultigridLevel* finest = LevelOf(levels, levels->systems[i], hierarchyLevels);
		if (!IsOn(levels, levels->systems[i], levels->levelCount - 1))
			memset(finest->z.data, 0, finest->matrix.rowCount * sizeof(Vec4));
	}
}

// Restores r. Returns the sum of r . z
static double EndRest(const PairLevels* levels, TaskPool* tasks)
{
	double sum = 0.0;
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		for (uint32_t i = 0; i < levels->tables[t]->touchedCount; ++i)
		{
			uint32_t code = levels->tables[t]->touched.data[i];
			LevelOf(levels, code >> pairRowBits, hierarchyLevels)->r.data[code & pairRowMask] = levels->kept[t].data[i];
		}
	}
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		MultigridLevel* finest = LevelOf(levels, levels->systems[i], hierarchyLevels);
		sum += drapeBlockMatrix_Dot(&finest->matrix, finest->r.data, finest->z.data, tasks);
	}
	return sum;
}

double drapePairLevels_Apply(PairLevels* levels, TaskPool* tasks)
{
	DRAPE_ASSERT(levels->levelCount > 1);
	double sum = 0.0;
	if (levels->rests)
		BeginRest(levels);
	for (uint32_t k = levels->levelCount; k-- > 1;)
		Descend(levels, k, tasks);
	SolveCoarsest(levels, tasks);
	for (uint32_t k = 1; k < levels->levelCount; ++k)
		sum = Ascend(levels, k, tasks);
	return levels->rests ? EndRest(levels, tasks) : sum;
}
