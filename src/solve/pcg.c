// SPDX-License-Identifier: MIT
#include "solve/pcg.h"

#include "base/simd_vec.h"

#include <string.h>

void Pcg_Destroy(Pcg* pcg)
{
	ArrayFree(&pcg->constraints);
	ArrayFree(&pcg->b);
	ArrayFree(&pcg->x);
	ArrayFree(&pcg->p);
	ArrayFree(&pcg->q);
	ArrayFree(&pcg->partials);
	*pcg = (Pcg){0};
}

bool Pcg_Reserve(Pcg* pcg, uint32_t rowCount)
{
	uint32_t padded = BlockMatrix_PaddedRows(rowCount);
	if (!ArrayReserve(&pcg->constraints, rowCount) || !ArrayReserve(&pcg->b, padded) ||
	    !ArrayReserve(&pcg->x, padded) || !ArrayReserve(&pcg->p, padded) || !ArrayReserve(&pcg->q, padded) ||
	    !ArrayReserve(&pcg->partials, TaskPool_ChunkCount(padded / 8, matrixGrain)))
		return false;
	memset(pcg->b.data, 0, padded * sizeof(Vec4));
	memset(pcg->x.data, 0, padded * sizeof(Vec4));
	memset(pcg->p.data, 0, padded * sizeof(Vec4));
	memset(pcg->q.data, 0, padded * sizeof(Vec4));
	return true;
}

void Pcg_Filter(const Pcg* pcg, Vec4* rows)
{
	for (uint32_t i = 0; i < pcg->constraints.count; ++i)
	{
		const RowConstraint* c = &pcg->constraints.data[i];
		Vec4* row = &rows[c->row];
		float along = V3Dot(c->normal, V4Xyz(*row));
		*row = c->isPinned ? (Vec4){0}
		                   : (Vec4){row->x - along * c->normal.x, row->y - along * c->normal.y,
		                            row->z - along * c->normal.z, 0.0f};
	}
}

// --- vectors --------------------------------------------------------------------------------------------------------

typedef struct VectorTask
{
	const Vec4 *a, *b;
	Vec4 *x, *y;
	float factor;
	double* partials;
} VectorTask;

DRAPE_INLINE F8 RowsDot(const Vec4* a, const Vec4* b)
{
	F8 sum = F8_Splat(0.0f);
	for (int k = 0; k < 4; ++k)
		sum = F8_Add(sum, F8_Mul(F8_Load(&a[2 * k].x), F8_Load(&b[2 * k].x)));
	return sum;
}

static void DotRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const VectorTask* task = context;
	F8 sum = F8_Splat(0.0f);
	for (uint32_t g = start; g < end; ++g)
		sum = F8_Add(sum, RowsDot(task->a + 8 * g, task->b + 8 * g));
	task->partials[start / matrixGrain] = (double)F8_SumLanes(sum);
}

// y = y + factor a: two rows at a time, fourth components along with the others.
DRAPE_INLINE void AddScaled(Vec4* y, F8 factor, const Vec4* a)
{
	for (int k = 0; k < 8; k += 2)
		F8_Store(&y[k].x, F8_Add(F8_Load(&y[k].x), F8_Mul(factor, F8_Load(&a[k].x))));
}

// x += factor a, y -= factor b, |y|^2
static void AdvanceRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const VectorTask* task = context;
	F8 sum = F8_Splat(0.0f), plus = F8_Splat(task->factor), minus = F8_Splat(-task->factor);
	for (uint32_t g = start; g < end; ++g)
	{
		AddScaled(task->x + 8 * g, plus, task->a + 8 * g);
		AddScaled(task->y + 8 * g, minus, task->b + 8 * g);
		sum = F8_Add(sum, RowsDot(task->y + 8 * g, task->y + 8 * g));
	}
	task->partials[start / matrixGrain] = (double)F8_SumLanes(sum);
}

// y = a + factor y
static void DirectRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const VectorTask* task = context;
	F8 factor = F8_Splat(task->factor);
	for (uint32_t i = 8 * start; i < 8 * end; i += 2)
		F8_Store(&task->y[i].x, F8_Add(F8_Load(&task->a[i].x), F8_Mul(factor, F8_Load(&task->y[i].x))));
}

static double RunSum(Pcg* pcg, VectorTask* task, uint32_t groups, TaskPool* tasks, drapeTaskFcn* fcn)
{
	task->partials = pcg->partials.data;
	TaskPool_For(tasks, groups, matrixGrain, fcn, task);
	double sum = 0.0;
	for (uint32_t i = 0; i < TaskPool_ChunkCount(groups, matrixGrain); ++i)
		sum += pcg->partials.data[i];
	return sum;
}

double Pcg_Square(Pcg* pcg, const Vec4* rows, uint32_t groups, TaskPool* tasks)
{
	VectorTask task = {.a = rows, .b = rows};
	return RunSum(pcg, &task, groups, tasks, DotRange);
}

// --- iterations -----------------------------------------------------------------------------------------------------

PcgResult Pcg_Solve(Pcg* pcg, Multigrid* multigrid, const PcgDef* def, TaskPool* tasks)
{
	MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
	uint32_t groups = finest->matrix.groupCount;
	PcgResult result = {0};
	Pcg_Filter(pcg, pcg->b.data);
	double whole = Pcg_Square(pcg, pcg->b.data, groups, tasks);
	BlockMatrix_Residual(&finest->matrix, false, pcg->b.data, pcg->x.data, finest->r.data, tasks);
	Pcg_Filter(pcg, finest->r.data);
	double now = Pcg_Square(pcg, finest->r.data, groups, tasks), previous = 0.0;
	// Moved pins pull with forces that the right-hand side does not show.
	whole = fmax(whole, pcg->hasMovedPins ? now : 0.0);
	double goal = whole * (double)def->tolerance * (double)def->tolerance;
	while (now > goal && result.iterations < def->maxIterations)
	{
		Multigrid_Apply(multigrid, def->preconditioner, tasks);
		Pcg_Filter(pcg, finest->z.data);
		VectorTask dot = {.a = finest->r.data, .b = finest->z.data};
		double product = RunSum(pcg, &dot, groups, tasks, DotRange);
		if (!(product > 0.0))
			break;
		VectorTask direct = {.a = finest->z.data, .y = pcg->p.data};
		direct.factor = result.iterations > 0 ? (float)(product / previous) : 0.0f;
		TaskPool_For(tasks, groups, matrixGrain, DirectRange, &direct);
		double curvature = BlockMatrix_Multiply(&finest->matrix, pcg->p.data, pcg->q.data, tasks);
		if (!(curvature > 0.0))
			break;
		Pcg_Filter(pcg, pcg->q.data);
		VectorTask advance = {.a = pcg->p.data, .b = pcg->q.data, .x = pcg->x.data, .y = finest->r.data};
		advance.factor = (float)(product / curvature);
		now = RunSum(pcg, &advance, groups, tasks, AdvanceRange);
		previous = product;
		result.iterations++;
	}
	result.residual = whole > 0.0 ? (float)sqrt(now / whole) : 0.0f;
	result.converged = now <= goal;
	return result;
}
