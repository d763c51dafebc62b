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
	*pcg = (Pcg){0};
}

bool Pcg_Reserve(Pcg* pcg, uint32_t rowCount)
{
	uint32_t padded = BlockMatrix_PaddedRows(rowCount);
	if (!ArrayReserve(&pcg->constraints, rowCount) || !ArrayReserve(&pcg->b, padded) ||
	    !ArrayReserve(&pcg->x, padded) || !ArrayReserve(&pcg->p, padded) || !ArrayReserve(&pcg->q, padded))
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

// --- iterations -----------------------------------------------------------------------------------------------------

typedef struct DirectTask
{
	const Vec4* z;
	Vec4* p;
	float beta;
} DirectTask;

// p = z + beta p: two rows at a time, fourth components along with the others.
static void DirectRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const DirectTask* task = context;
	F8 beta = F8_Splat(task->beta);
	for (uint32_t i = 8 * start; i < 8 * end; i += 2)
		F8_Store(&task->p[i].x, F8_Add(F8_Load(&task->z[i].x), F8_Mul(beta, F8_Load(&task->p[i].x))));
}

PcgResult Pcg_Solve(Pcg* pcg, Multigrid* multigrid, const PcgDef* def, TaskPool* tasks)
{
	MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
	BlockMatrix* matrix = &finest->matrix;
	Vec4 *b = pcg->b.data, *x = pcg->x.data, *p = pcg->p.data, *q = pcg->q.data, *r = finest->r.data;
	float omega = Multigrid_Omega(def->preconditioner);
	PcgResult result = {0};
	BlockMatrix_Residual(matrix, false, b, x, r, tasks);
	PairForces_Multiply(def->pairs, x, r, -1.0f, tasks);
	Pcg_Filter(pcg, r);
	BlockMatrix_RelaxFromZero(matrix, omega, r, finest->z.data, tasks);
	double whole = BlockMatrix_Dot(matrix, r, r, tasks), now = whole, previous = 0.0;
	double goal = whole * (double)def->tolerance * (double)def->tolerance;
	while (now > goal && result.iterations < def->maxIterations)
	{
		double product = Multigrid_Apply(multigrid, def->preconditioner, tasks);
		if (!(product > 0.0))
			break;
		Pcg_Filter(pcg, finest->z.data);
		DirectTask direct = {finest->z.data, p, result.iterations > 0 ? (float)(product / previous) : 0.0f};
		Matrix_For(tasks, matrix->groupCount, DirectRange, &direct);
		double curvature = BlockMatrix_Multiply(matrix, p, q, tasks);
		curvature += PairForces_Multiply(def->pairs, p, q, 1.0f, tasks);
		if (!(curvature > 0.0))
			break;
		Pcg_Filter(pcg, q);
		now = BlockMatrix_Advance(matrix, (float)(product / curvature), p, q, x, r, omega, finest->z.data, tasks);
		previous = product;
		result.iterations++;
	}
	result.residual = whole > 0.0 ? (float)sqrt(now / whole) : 0.0f;
	result.converged = now <= goal;
	return result;
}
