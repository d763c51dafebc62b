// SPDX-License-Identifier: MIT
#include "solve/pcg.h"

#include "base/simd.h"

#include <string.h>

enum
{
	// A deadline does not cut these: with fewer, the cloth would go on almost as if no force acted on it.
	leastIterations = 5,
	mostIterations = 30, // a deadline may cut the rest, however large the residual is
	// A solve whose residual is small goes on until its updates are small too (PcgLimits::update), but not beyond these.
	// Where many cloths meet at once, single directions among thousands of contacts would take hundreds, in each Newton
	// iteration, although the next one looks the contacts up again.
	mostUpdateIterations = 60,
};

// A deadline does not cut a solve whose residual is above this share of the first one. Half a solve moves the particles at
// stiff contacts and not yet those around them. Impacts of the cloth that it tears cost more than the iterations.
static const double roughResidual = 0.1;

void drapePcg_Destroy(Pcg* pcg)
{
	ArrayFree(&pcg->pinned);
	ArrayFree(&pcg->b);
	ArrayFree(&pcg->x);
	ArrayFree(&pcg->p);
	ArrayFree(&pcg->q);
	*pcg = (Pcg){0};
}

bool drapePcg_Reserve(Pcg* pcg, uint32_t rowCount)
{
	uint32_t padded = BlockMatrix_PaddedRows(rowCount);
	if (!ArrayReserve(&pcg->pinned, rowCount) || !ArrayReserve(&pcg->b, padded) || !ArrayReserve(&pcg->x, padded) ||
	    !ArrayReserve(&pcg->p, padded) || !ArrayReserve(&pcg->q, padded))
		return false;
	memset(pcg->b.data, 0, padded * sizeof(Vec4));
	memset(pcg->x.data, 0, padded * sizeof(Vec4));
	memset(pcg->p.data, 0, padded * sizeof(Vec4));
	memset(pcg->q.data, 0, padded * sizeof(Vec4));
	return true;
}

void drapePcg_Filter(const Pcg* pcg, Vec4* rows)
{
	for (uint32_t i = 0; i < pcg->pinned.count; ++i)
		rows[pcg->pinned.data[i]] = (Vec4){0};
}

// --- iterations -----------------------------------------------------------------------------------------------------

typedef struct DirectTask
{
	const Vec4* z;
	Vec4* p;
	float beta;
} DirectTask;

// p = z + beta p: two rows at a time, fourth components included.
static void DirectRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const DirectTask* task = context;
	F8 beta = F8_Splat(task->beta);
	for (uint32_t i = 8 * start; i < 8 * end; i += 2)
		F8_Store(&task->p[i].x, F8_Add(F8_Load(&task->z[i].x), F8_Mul(beta, F8_Load(&task->p[i].x))));
}

// The vectors of all systems, for the forces between them.
typedef struct Vectors
{
	Vec4 *x[pairMaxSystems], *r[pairMaxSystems], *p[pairMaxSystems], *q[pairMaxSystems];
} Vectors;

static MultigridLevel* Finest(const PcgSystem* system)
{
	return &system->multigrid->levels[system->multigrid->levelCount - 1];
}

static Vectors ListVectors(const PcgSystem* systems, uint32_t count)
{
	DRAPE_ASSERT(count > 0 && count <= pairMaxSystems);
	Vectors v = {0};
	for (uint32_t i = 0; i < count; ++i)
	{
		v.x[i] = systems[i].pcg->x.data;
		v.r[i] = Finest(&systems[i])->r.data;
		v.p[i] = systems[i].pcg->p.data;
		v.q[i] = systems[i].pcg->q.data;
	}
	return v;
}

// Computes residuals and the first sweep of the preconditioners. Returns |r|^2.
static double Start(const PcgSystem* systems, uint32_t count, PairForces* pairs, const Vectors* v, TaskPool* tasks)
{
	DRAPE_ASSERT(count > 0);
	double whole = 0.0;
	for (uint32_t i = 0; i < count; ++i)
		drapeBlockMatrix_Residual(&Finest(&systems[i])->matrix, false, systems[i].pcg->b.data, NULL, v->x[i], v->r[i],
		                          tasks);
	drapePairForces_Multiply(pairs, v->x, v->r, -1.0f, tasks);
	for (uint32_t i = 0; i < count; ++i)
	{
		BlockMatrix* matrix = &Finest(&systems[i])->matrix;
		drapePcg_Filter(systems[i].pcg, v->r[i]);
		drapeBlockMatrix_RelaxFromZero(matrix, drapeMultigrid_Omega(systems[i].multigrid, systems[i].preconditioner),
		                               v->r[i], Finest(&systems[i])->z.data, tasks);
		whole += drapeBlockMatrix_Dot(matrix, v->r[i], v->r[i], tasks);
	}
	return whole;
}

// Preconditions the residuals, which then give the next search directions. Returns r . z.
static double Precondition(const PcgSystem* systems, uint32_t count, PairForces* pairs, TaskPool* tasks)
{
	double product = 0.0;
	bool hasLevels = pairs && pairs->levels.levelCount > 0;
	if (hasLevels)
		product = drapePairLevels_Apply(&pairs->levels, tasks);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!hasLevels || !PairLevels_Has(&pairs->levels, i))
			product += drapeMultigrid_Apply(systems[i].multigrid, systems[i].preconditioner, tasks);
		drapePcg_Filter(systems[i].pcg, Finest(&systems[i])->z.data);
	}
	return product;
}

// q = A p; returns p . q.
static double Multiply(const PcgSystem* systems, uint32_t count, PairForces* pairs, const Vectors* v, TaskPool* tasks)
{
	MatrixProduct products[pairMaxSystems];
	for (uint32_t i = 0; i < count; ++i)
		products[i] = (MatrixProduct){.matrix = &Finest(&systems[i])->matrix, .x = v->p[i], .y = v->q[i]};
	double curvature = drapeMatrixProducts_Multiply(products, count, tasks);
	curvature += drapePairForces_Multiply(pairs, v->p, v->q, 1.0f, tasks);
	for (uint32_t i = 0; i < count; ++i)
		drapePcg_Filter(systems[i].pcg, v->q[i]);
	return curvature;
}

// Turns the preconditioned residuals into search directions: p = z + beta p.
static void Direct(const PcgSystem* systems, uint32_t count, const Vectors* v, float beta, TaskPool* tasks)
{
	DirectTask directs[pairMaxSystems];
	MatrixLoop loops[pairMaxSystems];
	for (uint32_t i = 0; i < count; ++i)
	{
		const MultigridLevel* finest = Finest(&systems[i]);
		directs[i] = (DirectTask){finest->z.data, v->p[i], beta};
		loops[i] = (MatrixLoop){finest->matrix.groupCount, &directs[i]};
	}
	drapeMatrixLoops_Run(loops, count, DirectRange, tasks);
}

// Goes along the search directions. Returns |r|^2.
static double Advance(const PcgSystem* systems, uint32_t count, const Vectors* v, float alpha, TaskPool* tasks)
{
	MatrixAdvance advances[pairMaxSystems];
	for (uint32_t i = 0; i < count; ++i)
	{
		MultigridLevel* finest = Finest(&systems[i]);
		advances[i] = (MatrixAdvance){.matrix = &finest->matrix,
		                              .alpha = alpha,
		                              .omega = drapeMultigrid_Omega(systems[i].multigrid, systems[i].preconditioner),
		                              .p = v->p[i],
		                              .q = v->q[i],
		                              .x = v->x[i],
		                              .r = v->r[i],
		                              .z = finest->z.data};
	}
	return drapeMatrixAdvances_Run(advances, count, tasks);
}

// True when the last update, x += alpha p, was larger than the limit allows.
static bool UpdateIsLarge(const PcgSystem* systems, uint32_t count, const Vectors* v, double alpha, float limit,
                          TaskPool* tasks)
{
	double sum = 0.0, rows = 0.0;
	for (uint32_t i = 0; i < count && limit < INFINITY; ++i)
	{
		BlockMatrix* matrix = &Finest(&systems[i])->matrix;
		sum += drapeBlockMatrix_Dot(matrix, v->p[i], v->p[i], tasks);
		rows += (double)matrix->rowCount;
	}
	return alpha * alpha * sum > (double)limit * (double)limit * rows;
}

static void CountIteration(const PcgSystem* systems, uint32_t count, const PairForces* pairs, Deadline* deadline)
{
	for (uint32_t i = 0; i < count; ++i)
		Deadline_Count(deadline, workIteration, Finest(&systems[i])->matrix.rowCount);
	Deadline_Count(deadline, workIteration, pairs ? pairs->count : 0);
}

// Tells the deadline about the iterations that were made, and how many a solve that it cut would still have needed if
// the residual had gone on falling at the same rate.
static void AccountFor(const PcgLimits* limits, const PcgResult* result, DeadlineMark start)
{
	const double most = 4.0; // times the iterations that were made
	double made = drapeDeadline_Needed(limits->deadline, start);
	drapeDeadline_SetOptional(limits->deadline, start);
	if (!result->isCut)
		return;
	double needed = drapeMath_Log((double)limits->tolerance) / drapeMath_Log((double)result->residual);
	Deadline_AddMissed(limits->deadline, made * (needed >= 1.0 ? MinNum(needed - 1.0, most) : most));
}

// Returns whether a solve is accurate enough for the deadline to cut it. `share` is that of the residual, squared.
static bool MayCut(uint32_t iterations, double share)
{
	return iterations >= mostIterations || (iterations >= leastIterations && share <= roughResidual * roughResidual);
}

PcgResult drapePcg_SolveTogether(const PcgSystem* systems, uint32_t count, PairForces* pairs, const PcgLimits* limits,
                                 TaskPool* tasks)
{
	DRAPE_ASSERT(count > 0 && count <= pairMaxSystems);
	DRAPE_ASSERT(limits->tolerance > 0.0f && limits->update > 0.0f && limits->maxIterations > 0);
	const Vectors v = ListVectors(systems, count);
	PcgResult result = {0};
	DeadlineMark start = drapeDeadline_Mark(limits->deadline);
	double square = (double)limits->tolerance * (double)limits->tolerance, first = 0.0, previous = 0.0;
	double whole = Start(systems, count, pairs, &v, tasks), now = whole;
	bool hasPairs = pairs && pairs->levels.levelCount > 0, isMoving = false;
	for (;; ++result.iterations)
	{
		result.converged = now <= square * whole && !(hasPairs && now > 0.0) && !isMoving;
		if (result.converged)
			break;
		double product = Precondition(systems, count, pairs, tasks);
		first = result.iterations > 0 ? first : product;
		result.converged = now <= square * whole && product <= square * first && !isMoving;
		if (!(product > 0.0) || result.converged || result.iterations == limits->maxIterations)
			break;
		result.isCut =
			whole > 0.0 && MayCut(result.iterations, now / whole) && drapeDeadline_Stops(limits->deadline, 0.0);
		if (result.isCut || Deadline_IsCancelled(limits->deadline))
			break;
		Direct(systems, count, &v, result.iterations > 0 ? (float)(product / previous) : 0.0f, tasks);
		double curvature = Multiply(systems, count, pairs, &v, tasks);
		CountIteration(systems, count, pairs, limits->deadline);
		if (!(curvature > 0.0))
			break;
		now = Advance(systems, count, &v, (float)(product / curvature), tasks);
		previous = product;
		isMoving = result.iterations < mostUpdateIterations && now <= square * whole &&
		           UpdateIsLarge(systems, count, &v, product / curvature, limits->update, tasks);
	}
	result.residual = whole > 0.0 ? (float)sqrt(now / whole) : 0.0f;
	AccountFor(limits, &result, start);
	return result;
}

PcgResult drapePcg_Solve(Pcg* pcg, Multigrid* multigrid, const PcgDef* def, TaskPool* tasks)
{
	const PcgSystem system = {pcg, multigrid, def->preconditioner};
	const PcgLimits limits = {def->tolerance, INFINITY, def->maxIterations, NULL};
	return drapePcg_SolveTogether(&system, 1, NULL, &limits, tasks);
}
