// SPDX-License-Identifier: MIT
#include "solve/joint_levels.h"

#include <string.h>

void drapeJointLevels_Destroy(JointLevels* levels)
{
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
	{
		ArrayFree(&levels->levels[k].start);
		ArrayFree(&levels->levels[k].rows);
	}
	ArrayFree(&levels->extra);
	ArrayFree(&levels->kept);
	ArrayFree(&levels->denseB);
	ArrayFree(&levels->denseX);
	drapeDenseFactor_Destroy(&levels->dense);
	*levels = (JointLevels){0};
}

// Tells whether the system of a row has level k. A system without it takes part with its finest rows, and rests.
static bool IsOn(const JointLevels* levels, uint32_t code, uint32_t k)
{
	return levels->multigrid[code >> pairRowBits]->levelCount > k;
}

// --- restriction ----------------------------------------------------------------------------------------------------

// Adds a weight to a row of the constraint whose rows begin at `first`. There is space for it.
static void AddRow(JointLevel* level, uint32_t first, uint32_t code, float weight)
{
	for (uint32_t i = first; i < level->rows.count; ++i)
	{
		if (level->rows.data[i].code == code)
		{
			level->rows.data[i].weight += weight;
			return;
		}
	}
	DRAPE_ASSERT(level->rows.count < level->rows.capacity);
	ArrayPush(&level->rows, ((JointRow){code, weight}));
}

// Adds P^T w of one row of the next finer level.
static void RestrictRow(const JointLevels* levels, uint32_t k, uint32_t first, JointRow fine, JointLevel* coarse)
{
	uint32_t system = fine.code >> pairRowBits, row = fine.code & pairRowMask, bits = system << pairRowBits;
	const HierarchyLevel* level = &levels->multigrid[system]->hierarchy->levels[k + 1];
	DRAPE_ASSERT(row < level->rowCount);
	if (row < level->coarser)
	{
		AddRow(coarse, first, bits | row, fine.weight);
		return;
	}
	const RowParents* parents = &level->parents.data[row - level->coarser];
	for (int p = 0; p < 3; ++p)
	{
		if (parents->weight[p] > 0.0f)
			AddRow(coarse, first, bits | parents->row[p], fine.weight * parents->weight[p]);
	}
}

// The rows of all constraints on level k: restricted from the next finer level, or for cloths that have no finer level
// the rows of the constraint itself. Rows that a cloth has twice are added up on coarser levels only, because the matrix
// has them twice.
static bool BuildLevel(JointLevels* levels, const PairTable* joints, uint32_t k)
{
	JointLevel* level = &levels->levels[k];
	const JointLevel* finer = k + 1 < levels->levelCount ? &levels->levels[k + 1] : NULL;
	uint32_t slots = joints->slots;
	size_t most = (size_t)slots * joints->count + (finer ? 3 * (size_t)finer->rows.count : 0);
	if (!ArrayReserve(&level->start, joints->count + 1) || !ArrayReserve(&level->rows, most))
		return false;
	level->rows.count = 0;
	for (uint32_t i = 0; i < joints->count; ++i)
	{
		uint32_t first = level->rows.count;
		level->start.data[i] = first;
		for (uint32_t r = finer ? finer->start.data[i] : 0; finer && r < finer->start.data[i + 1]; ++r)
		{
			if (IsOn(levels, finer->rows.data[r].code, k + 1))
				RestrictRow(levels, k, first, finer->rows.data[r], level);
		}
		for (uint32_t slot = slots * i; slot < slots * (i + 1); ++slot)
		{
			uint32_t code = joints->rows.data[slot];
			if (code != DRAPE_NONE && !IsOn(levels, code, k + 1))
				ArrayPush(&level->rows, ((JointRow){code, joints->weights.data[slot]}));
		}
	}
	level->start.data[joints->count] = level->rows.count;
	return true;
}

// Lists the systems with constraints. False when one of them has no coarse levels.
static bool ListSystems(JointLevels* levels, const PairTable* joints, const PairSystem* systems, uint32_t systemCount)
{
	levels->systemCount = levels->levelCount = 0;
	memset(levels->multigrid, 0, sizeof levels->multigrid);
	for (uint32_t i = 0; i < joints->touchedCount; ++i)
	{
		uint32_t system = joints->touched.data[i] >> pairRowBits;
		if (!systems[system].multigrid)
			return false;
		levels->multigrid[system] = systems[system].multigrid;
	}
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		if (!levels->multigrid[i])
			continue;
		levels->systems[levels->systemCount++] = i;
		levels->levelCount = MaxU32(levels->levelCount, levels->multigrid[i]->levelCount);
	}
	return levels->systemCount > 0;
}

static bool ReserveRows(JointLevels* levels, const PairTable* joints)
{
	uint32_t rows = 0, coarsest = 0;
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		const Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		levels->firstRow[levels->systems[i]] = rows;
		rows += multigrid->hierarchy->rowCount;
		coarsest += multigrid->levels[0].matrix.rowCount;
	}
	return coarsest <= jointDenseRows && ArrayReserve(&levels->extra, 6 * (size_t)rows) &&
	       ArrayReserve(&levels->kept, joints->touchedCount) && drapeDenseFactor_Reserve(&levels->dense, coarsest) &&
	       ArrayReserve(&levels->denseB, coarsest) && ArrayReserve(&levels->denseX, coarsest);
}

void drapeJointLevels_Build(JointLevels* levels, const PairTable* joints, const PairSystem* systems,
                            uint32_t systemCount)
{
	DRAPE_ASSERT(systemCount <= pairMaxSystems);
	levels->levelCount = 0;
	if (joints->count == 0 || levels->isOff)
		return;
	bool isBuilt = ListSystems(levels, joints, systems, systemCount) && ReserveRows(levels, joints);
	for (uint32_t k = levels->levelCount; k-- > 0 && isBuilt;)
		isBuilt = BuildLevel(levels, joints, k);
	if (!isBuilt)
		levels->levelCount = 0;
}

// --- values ---------------------------------------------------------------------------------------------------------

// The level on which a row takes part in level k of the cycle.
static MultigridLevel* LevelOf(const JointLevels* levels, uint32_t code, uint32_t k)
{
	Multigrid* multigrid = levels->multigrid[code >> pairRowBits];
	return &multigrid->levels[MinU32(k, multigrid->levelCount - 1)];
}

static float* ExtraOf(const JointLevels* levels, uint32_t code)
{
	return &levels->extra.data[6 * (size_t)(levels->firstRow[code >> pairRowBits] + (code & pairRowMask))];
}

// Adds a scaled stiffness to a symmetric block, xx xy xz yy yz zz.
static void AddStiffness(float* block, float scale, const TouchLaw* law)
{
	float own = scale * law->across, extra = scale * (law->along - law->across);
	Vec3 n = law->normal;
	block[0] += own + extra * n.x * n.x;
	block[1] += extra * n.x * n.y;
	block[2] += extra * n.x * n.z;
	block[3] += own + extra * n.y * n.y;
	block[4] += extra * n.y * n.z;
	block[5] += own + extra * n.z * n.z;
}

static void AddAnchors(const JointLevels* levels, const PairTable* joints, uint32_t k)
{
	const JointLevel* level = &levels->levels[k];
	for (uint32_t i = 0; i < joints->count; ++i)
	{
		const TouchLaw* law = &joints->laws.data[i];
		float sum = 0.0f;
		for (uint32_t r = level->start.data[i]; r < level->start.data[i + 1]; ++r)
			sum += fabsf(level->rows.data[r].weight);
		for (uint32_t r = level->start.data[i]; r < level->start.data[i + 1]; ++r)
		{
			JointRow row = level->rows.data[r];
			float square = row.weight * row.weight;
			if (!IsOn(levels, row.code, k))
				continue;
			BlockMatrix_AddAnchor(&LevelOf(levels, row.code, k)->matrix, row.code & pairRowMask, square * law->across,
			                      square * (law->along - law->across), law->normal);
			AddStiffness(ExtraOf(levels, row.code), fmaxf(0.5f * fabsf(row.weight) * sum - square, 0.0f), law);
		}
	}
}

static void UpdateLevel(const JointLevels* levels, const PairTable* joints, uint32_t k)
{
	const JointLevel* level = &levels->levels[k];
	for (uint32_t r = 0; r < level->rows.count; ++r)
		memset(ExtraOf(levels, level->rows.data[r].code), 0, 6 * sizeof(float));
	AddAnchors(levels, joints, k);
	for (uint32_t r = 0; r < level->rows.count; ++r)
	{
		uint32_t code = level->rows.data[r].code;
		if (!IsOn(levels, code, k))
			continue;
		drapeBlockMatrix_InvertRow(&LevelOf(levels, code, k)->matrix, code & pairRowMask, ExtraOf(levels, code));
	}
}

// The first row of a system in the dense matrix.
static uint32_t DenseRow(const JointLevels* levels, uint32_t system)
{
	uint32_t rows = 0;
	for (uint32_t i = 0; levels->systems[i] != system; ++i)
		rows += levels->multigrid[levels->systems[i]]->levels[0].matrix.rowCount;
	return rows;
}

static void UpdateDense(JointLevels* levels, const PairTable* joints)
{
	const JointLevel* level = &levels->levels[0];
	DenseFactor* dense = &levels->dense;
	drapeDenseFactor_Clear(dense);
	for (uint32_t i = 0; i < levels->systemCount; ++i)
		drapeDenseFactor_AddMatrix(dense, &levels->multigrid[levels->systems[i]]->levels[0].matrix,
		                           DenseRow(levels, levels->systems[i]));
	for (uint32_t i = 0; i < joints->count; ++i)
	{
		for (uint32_t a = level->start.data[i]; a < level->start.data[i + 1]; ++a)
		{
			for (uint32_t b = level->start.data[i]; b < level->start.data[i + 1]; ++b)
			{
				JointRow one = level->rows.data[a], two = level->rows.data[b];
				float s[6] = {0.0f};
				if (a == b)
					continue;
				AddStiffness(s, one.weight * two.weight, &joints->laws.data[i]);
				const float block[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
				drapeDenseFactor_AddBlock(dense, DenseRow(levels, one.code >> pairRowBits) + (one.code & pairRowMask),
				                          DenseRow(levels, two.code >> pairRowBits) + (two.code & pairRowMask), block,
				                          1.0f);
			}
		}
	}
	drapeDenseFactor_Factorise(dense);
}

void drapeJointLevels_Update(JointLevels* levels, const PairTable* joints)
{
	DRAPE_ASSERT(levels->levelCount > 0);
	for (uint32_t k = 0; k < levels->levelCount; ++k)
		UpdateLevel(levels, joints, k);
	UpdateDense(levels, joints);
	// The cloths are solved one by one if the factorisation failed.
	for (uint32_t i = 0; i < levels->systemCount && !levels->dense.isUsable; ++i)
	{
		Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		if (multigrid->dense.size > 0)
			drapeDenseFactor_Update(&multigrid->dense, &multigrid->levels[0].matrix);
	}
}

// --- cycles ---------------------------------------------------------------------------------------------------------

DRAPE_INLINE Vec3 Times(const TouchLaw* law, Vec3 a)
{
	return V3Add(V3Scale(law->across, a), V3Scale((law->along - law->across) * V3Dot(law->normal, a), law->normal));
}

// K times the weighted sum of z over the rows of a constraint.
static Vec3 FlowOf(const JointLevels* levels, uint32_t k, const TouchLaw* law, uint32_t first, uint32_t end)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t r = first; r < end; ++r)
	{
		JointRow row = levels->levels[k].rows.data[r];
		sum = V3Add(sum, V3Scale(row.weight, V4Xyz(LevelOf(levels, row.code, k)->z.data[row.code & pairRowMask])));
	}
	return Times(law, sum);
}

// The product of a row's off-diagonal blocks with z.
static Vec3 ProductOf(const TouchLaw* law, Vec3 flow, float weight, Vec4 z)
{
	return V3Scale(weight, V3Sub(flow, V3Scale(weight, Times(law, V4Xyz(z)))));
}

// t -= (off-diagonal blocks) z. For systems that rest, z is zero and the residual is r.
static void SubtractProducts(const JointLevels* levels, const PairTable* joints, uint32_t k)
{
	const JointLevel* level = &levels->levels[k];
	for (uint32_t i = 0; i < joints->count; ++i)
	{
		const TouchLaw* law = &joints->laws.data[i];
		uint32_t first = level->start.data[i], end = level->start.data[i + 1];
		Vec3 flow = FlowOf(levels, k, law, first, end);
		for (uint32_t r = first; r < end; ++r)
		{
			JointRow row = level->rows.data[r];
			const MultigridLevel* own = LevelOf(levels, row.code, k);
			uint32_t at = row.code & pairRowMask;
			Vec3 product = ProductOf(law, flow, row.weight, own->z.data[at]);
			Vec4* residual = IsOn(levels, row.code, k) ? &own->t.data[at] : &own->r.data[at];
			*residual = PairTable_Row(V3Sub(V4Xyz(*residual), product));
		}
	}
}

static Vec3 InverseTimes(const BlockMatrix* matrix, uint32_t row, Vec3 a)
{
	const float* s = &matrix->inverse.data[48 * (row / 8) + row % 8];
	return (Vec3){s[0] * a.x + s[8] * a.y + s[16] * a.z, s[8] * a.x + s[24] * a.y + s[32] * a.z,
	              s[16] * a.x + s[32] * a.y + s[40] * a.z};
}

// The sweep t = z + omega D^-1 (r - S z) was made without the off-diagonal blocks. Adds their share, which is linear.
static void CorrectSweep(const JointLevels* levels, const PairTable* joints, uint32_t k)
{
	const JointLevel* level = &levels->levels[k];
	for (uint32_t i = 0; i < joints->count; ++i)
	{
		const TouchLaw* law = &joints->laws.data[i];
		uint32_t first = level->start.data[i], end = level->start.data[i + 1];
		Vec3 flow = FlowOf(levels, k, law, first, end);
		for (uint32_t r = first; r < end; ++r)
		{
			JointRow row = level->rows.data[r];
			const MultigridLevel* own = LevelOf(levels, row.code, k);
			uint32_t at = row.code & pairRowMask;
			if (!IsOn(levels, row.code, k))
				continue;
			const Multigrid* multigrid = levels->multigrid[row.code >> pairRowBits];
			float omega = drapeMultigrid_Omega(multigrid, drape_preconditionerMultigrid);
			Vec3 product = ProductOf(law, flow, row.weight, own->z.data[at]);
			Vec3 step = V3Scale(-omega, InverseTimes(&own->matrix, at, product));
			own->t.data[at] = PairTable_Row(V3Add(V4Xyz(own->t.data[at]), step));
		}
	}
}

static void SolveCoarsest(JointLevels* levels, TaskPool* tasks)
{
	bool isJoint = levels->dense.isUsable;
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		if (isJoint)
			memcpy(levels->denseB.data + DenseRow(levels, levels->systems[i]), multigrid->levels[0].r.data,
			       multigrid->levels[0].matrix.rowCount * sizeof(Vec4));
		else
			drapeMultigrid_SolveCoarsest(multigrid, tasks);
	}
	if (!isJoint)
		return;
	drapeDenseFactor_Solve(&levels->dense, levels->denseB.data, levels->denseX.data);
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		const MultigridLevel* level = &levels->multigrid[levels->systems[i]]->levels[0];
		memcpy(level->z.data, levels->denseX.data + DenseRow(levels, levels->systems[i]),
		       level->matrix.rowCount * sizeof(Vec4));
	}
}

// The way down on level k: residuals go to the next coarser level. The caller has made the first sweep on the finest
// level of a system; it counts only if the system did not rest before, because the residual has changed.
static void Descend(const JointLevels* levels, const PairTable* joints, uint32_t k, TaskPool* tasks)
{
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		if (k >= multigrid->levelCount)
			continue;
		if (k + 1 < levels->levelCount)
			drapeMultigrid_SmoothFromZero(multigrid, k, tasks);
		drapeMultigrid_Residual(multigrid, k, tasks);
	}
	SubtractProducts(levels, joints, k);
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		if (k < multigrid->levelCount)
			drapeMultigrid_Restrict(multigrid, k, tasks);
	}
}

static void Ascend(const JointLevels* levels, const PairTable* joints, uint32_t k, TaskPool* tasks)
{
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		if (k < multigrid->levelCount)
			drapeMultigrid_Ascend(multigrid, k, tasks);
	}
	CorrectSweep(levels, joints, k);
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		if (k < multigrid->levelCount)
			drapeMultigrid_EndSweep(multigrid, k);
	}
}

// Systems that rest at first change their r. Keeps r of the rows with constraints, and sets z to zero.
static void BeginRest(JointLevels* levels, const PairTable* joints)
{
	for (uint32_t i = 0; i < joints->touchedCount; ++i)
	{
		uint32_t code = joints->touched.data[i];
		levels->kept.data[i] = LevelOf(levels, code, hierarchyLevels)->r.data[code & pairRowMask];
	}
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		const Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		const MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
		if (multigrid->levelCount < levels->levelCount)
			memset(finest->z.data, 0, finest->matrix.rowCount * sizeof(Vec4));
	}
}

// Restores r. Returns the sum of r . z
static double EndRest(const JointLevels* levels, const PairTable* joints, TaskPool* tasks)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < joints->touchedCount; ++i)
	{
		uint32_t code = joints->touched.data[i];
		LevelOf(levels, code, hierarchyLevels)->r.data[code & pairRowMask] = levels->kept.data[i];
	}
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		Multigrid* multigrid = levels->multigrid[levels->systems[i]];
		MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
		sum += drapeBlockMatrix_Dot(&finest->matrix, finest->r.data, finest->z.data, tasks);
	}
	return sum;
}

double drapeJointLevels_Apply(JointLevels* levels, const PairTable* joints, TaskPool* tasks)
{
	DRAPE_ASSERT(levels->levelCount > 1);
	BeginRest(levels, joints);
	for (uint32_t k = levels->levelCount; k-- > 1;)
		Descend(levels, joints, k, tasks);
	SolveCoarsest(levels, tasks);
	for (uint32_t k = 1; k < levels->levelCount; ++k)
		Ascend(levels, joints, k, tasks);
	return EndRest(levels, joints, tasks);
}
