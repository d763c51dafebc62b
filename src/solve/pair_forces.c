// SPDX-License-Identifier: MIT
#include "solve/pair_forces.h"

#include <string.h>

enum
{
	pairGrain = 512,
	rowGrain = 512,
};

// In weights of what is pushed.
static const float pairStrength = 40.0f;

// The same for points on what is not solved for. Needles and corners surfaceDisplacement a whole sheet on a few particles, which
// weighs a thousand times as much as those.
static const float solidStrength = 200.0f;

// Things that are told to move may be far inside before the solve begins; cloths are not, and may be wrung.
static const float pairLeast = 0.05f, solidLeast = 0.2f;

void drapePairForces_Destroy(PairForces* forces)
{
	ArrayFree(&forces->points);
	ArrayFree(&forces->tilts);
	ArrayFree(&forces->weights);
	ArrayFree(&forces->rows);
	ArrayFree(&forces->laws);
	ArrayFree(&forces->frictionState);
	ArrayFree(&forces->compliance);
	ArrayFree(&forces->flow);
	ArrayFree(&forces->touched);
	ArrayFree(&forces->start);
	ArrayFree(&forces->entries);
	ArrayFree(&forces->firstOf);
	ArrayFree(&forces->partials);
}

static bool Reserve(PairForces* forces, uint32_t count, uint32_t tiltCount, uint32_t rowCount)
{
	size_t n = (size_t)count + tiltCount;
	return ArrayReserve(&forces->points, count) && ArrayReserve(&forces->frictionState, count) &&
	       ArrayReserve(&forces->compliance, count) && ArrayReserve(&forces->tilts, tiltCount) &&
	       ArrayReserve(&forces->weights, n) && ArrayReserve(&forces->rows, 4 * n) && ArrayReserve(&forces->laws, n) &&
	       ArrayReserve(&forces->flow, n) && ArrayReserve(&forces->touched, 4 * n) &&
	       ArrayReserve(&forces->start, 4 * n + 2) && ArrayReserve(&forces->entries, 4 * n) &&
	       ArrayReserve(&forces->firstOf, rowCount) &&
	       ArrayReserve(&forces->partials, TaskPool_ChunkCount((uint32_t)(4 * n), rowGrain) + 1);
}

// Which pairs a row has: rows in the order in which they first appear, entries in the order of the pairs. `first` is
// where the rows of a system begin among all.
static void FindRows(PairForces* forces, const uint32_t* first)
{
	uint32_t *number = forces->firstOf.data, *start = forces->start.data;
	forces->touchedCount = 0;
	for (uint32_t i = 0; i < 4 * forces->pairCount; ++i)
	{
		uint32_t place = forces->rows.data[i];
		if (place == DRAPE_NONE)
			continue;
		uint32_t* own = &number[first[place >> pairRowBits] + (place & pairRowMask)];
		if (*own == DRAPE_NONE)
		{
			*own = forces->touchedCount;
			start[forces->touchedCount] = 0;
			forces->touched.data[forces->touchedCount++] = place;
		}
		start[*own]++;
	}
	uint32_t sum = 0;
	for (uint32_t i = 0; i < forces->touchedCount; ++i)
	{
		uint32_t own = start[i];
		start[i] = sum;
		sum += own;
	}
	for (uint32_t i = 0; i < 4 * forces->pairCount; ++i)
	{
		uint32_t place = forces->rows.data[i];
		if (place != DRAPE_NONE)
			forces->entries.data[start[number[first[place >> pairRowBits] + (place & pairRowMask)]]++] = i;
	}
	for (uint32_t i = forces->touchedCount; i > 0; --i)
		start[i] = start[i - 1];
	start[0] = 0;
}

// Places of a point's particles, and what a push on it moves.
static void Settle(PairForces* forces, uint32_t i, const PairSystem* systems)
{
	const ContactPoint* point = &forces->points.data[i];
	float compliance = 0.0f;
	memcpy(forces->weights.data[i].corner, point->weight, sizeof point->weight);
	for (uint32_t k = 0; k < 4; ++k)
	{
		uint32_t particle = point->particle[k];
		forces->rows.data[4 * i + k] = DRAPE_NONE;
		if (particle == DRAPE_NONE)
			continue;
		const PairSystem* system = &systems[point->system[k]];
		forces->rows.data[4 * i + k] =
			(uint32_t)point->system[k] << pairRowBits | system->hierarchy->rowOf.data[particle];
		compliance += point->weight[k] * point->weight[k] * system->mesh->position[particle].w;
	}
	forces->compliance.data[i] = compliance;
}

// --- tilts ----------------------------------------------------------------------------------------------------------

// What is rounder than so many times the size of what lies on it is flat, and the solve need not know by how much.
static const float roundest = 100.0f;

static uint32_t MostTilts(const ContactPoint* points, uint32_t count)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < count; ++i)
		most += points[i].arm > 0.0f ? 2 : 0;
	return most;
}

static void AddTilt(PairForces* forces, uint32_t i, const float weight[4])
{
	uint32_t pair = forces->pairCount++;
	float steepest = 0.0f;
	for (int k = 0; k < 4; ++k)
		steepest = fmaxf(steepest, fabsf(weight[k]));
	forces->tilts.data[pair - forces->count] =
		(PairTilt){i, fminf(forces->points.data[i].arm, roundest / fmaxf(steepest, FLT_MIN))};
	memcpy(forces->weights.data[pair].corner, weight, sizeof forces->weights.data[pair].corner);
	memcpy(&forces->rows.data[4 * pair], &forces->rows.data[4 * i], 4 * sizeof(uint32_t));
}

// Of a face, by the derivatives of what varies evenly over it.
static void AddTiltsOfFace(PairForces* forces, uint32_t i, const uint32_t corner[3], const Vec3 x[3])
{
	Vec3 cross = V3Cross(V3Sub(x[1], x[0]), V3Sub(x[2], x[0])), sideways[2];
	float square = V3Dot(cross, cross);
	if (!(square > 0.0f))
		return;
	sideways[0] = V3Normalize(V3Sub(x[1], x[0]));
	sideways[1] = V3Scale(1.0f / sqrtf(square), V3Cross(cross, sideways[0]));
	for (int a = 0; a < 2; ++a)
	{
		float weight[4] = {0.0f, 0.0f, 0.0f, 0.0f};
		for (int k = 0; k < 3; ++k)
		{
			Vec3 opposite = V3Sub(x[(k + 2) % 3], x[(k + 1) % 3]);
			weight[corner[k]] = V3Dot(sideways[a], V3Cross(cross, opposite)) / square;
		}
		AddTilt(forces, i, weight);
	}
}

static void AddTiltOfEdge(PairForces* forces, uint32_t i, const uint32_t corner[2], const Vec3 x[2])
{
	float length = V3Length(V3Sub(x[1], x[0])), weight[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	if (!(length > 0.0f))
		return;
	weight[corner[0]] = -1.0f / length;
	weight[corner[1]] = 1.0f / length;
	AddTilt(forces, i, weight);
}

// The particles that surfaceDisplacement the point: a face, an edge, or one, which cannot tilt.
static void AddTilts(PairForces* forces, uint32_t i, const PairSystem* systems)
{
	const ContactPoint* point = &forces->points.data[i];
	uint32_t corner[4], count = 0;
	Vec3 x[4];
	for (uint32_t k = 0; k < 4 && point->arm > 0.0f; ++k)
	{
		if (point->particle[k] == DRAPE_NONE || point->weight[k] == 0.0f)
			continue;
		x[count] = V4Xyz(systems[point->system[k]].mesh->position[point->particle[k]]);
		corner[count++] = k;
	}
	if (count == 3)
		AddTiltsOfFace(forces, i, corner, x);
	if (count == 2)
		AddTiltOfEdge(forces, i, corner, x);
}

bool drapePairForces_Begin(PairForces* forces, const ContactPoint* points, uint32_t count, const PairSystem* systems,
                           uint32_t systemCount)
{
	uint32_t first[pairMaxSystems], rows = 0;
	DRAPE_ASSERT(systemCount <= pairMaxSystems);
	forces->count = forces->pairCount = forces->touchedCount = 0;
	if (count == 0)
		return true;
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		first[i] = rows;
		rows += systems[i].hierarchy->rowCount;
	}
	if (!Reserve(forces, count, MostTilts(points, count), rows))
		return false;
	forces->count = forces->pairCount = count;
	memcpy(forces->points.data, points, count * sizeof *points);
	for (uint32_t i = 0; i < count; ++i)
		Settle(forces, i, systems);
	for (uint32_t i = 0; i < count; ++i)
		AddTilts(forces, i, systems);
	memset(forces->firstOf.data, 0xff, rows * sizeof(uint32_t));
	FindRows(forces, first);
	return true;
}

// The weighted sum of rows.
DRAPE_INLINE Vec3 Weighted(const PairForces* forces, uint32_t pair, Vec4* const* rows)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t k = 0; k < 4; ++k)
	{
		uint32_t place = forces->rows.data[4 * pair + k];
		if (place != DRAPE_NONE)
			sum = V3Add(sum, V3Scale(forces->weights.data[pair].corner[k], V4Xyz(*PairRow(rows, place))));
	}
	return sum;
}

DRAPE_INLINE Vec4 Row(Vec3 a)
{
	return (Vec4){a.x, a.y, a.z, 0.0f};
}

static bool IsOnSolid(const ContactPoint* point)
{
	bool isOnSolid = false;
	for (int k = 0; k < 4; ++k)
		isOnSolid |= point->particle[k] == DRAPE_NONE;
	return isOnSolid;
}

// The force of one pair, s^2 times, and its stiffness.
static void Evaluate(PairForces* forces, uint32_t i, float s, float reach, Vec3 moved, Vec3 onward, Vec3 start)
{
	const ContactPoint* point = &forces->points.data[i];
	forces->laws.data[i] = touchNone;
	if (!(forces->compliance.data[i] > 0.0f))
		return;
	Vec3 way = V3Scale(1.0f / reach, point->way);
	Touch touch = {
		.normal = point->normal,
		.friction = point->friction,
		.mass = 1.0f / forces->compliance.data[i],
		.way = V3Add(moved, way),
		.expected = V3Add(onward, way),
		.start = start,
	};
	Touch_Recall(&touch, point->frictionState, s);
	touch.distance = point->distance + V3Dot(touch.normal, touch.way);
	bool isOnSolid = IsOnSolid(point);
	float usual = (isOnSolid ? solidStrength : pairStrength) * barrierWeighing * s * s * touch.mass, stiffness;
	const Barrier barrier = {
		.reach = point->reach,
		.strength = Barrier_Strength(usual, touch.load),
		.least = isOnSolid ? solidLeast : pairLeast,
	};
	// Points come and go, and one that is about to go must not hold as hard as it did.
	touch.load = fminf(touch.load, Barrier_Push(&barrier, touch.distance, &stiffness));
	forces->laws.data[i] = Touch_Law(&touch, &barrier, s);
}

// It is upright when the step begins, and the push stays what it is.
static void EvaluateTilt(PairForces* forces, uint32_t i, Vec3 moved)
{
	PairTilt tilt = forces->tilts.data[i - forces->count];
	const TouchLaw* point = &forces->laws.data[tilt.point];
	TouchLaw* law = &forces->laws.data[i];
	*law = touchNone;
	law->normal = forces->points.data[tilt.point].normal;
	law->along = tilt.arm * fmaxf(V3Dot(law->normal, point->force), 0.0f);
	law->force = V3Scale(-law->along * V3Dot(law->normal, moved), law->normal);
}

void drapePairForces_Assemble(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s, float reach)
{
	Vec4 *moved[pairMaxSystems], *start[pairMaxSystems], *onward[pairMaxSystems];
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		moved[i] = systems[i].moved;
		start[i] = systems[i].start;
		onward[i] = systems[i].onward;
	}
	for (uint32_t i = 0; i < forces->count; ++i)
		Evaluate(forces, i, s, reach, Weighted(forces, i, moved), Weighted(forces, i, onward),
		         Weighted(forces, i, start));
	for (uint32_t i = forces->count; i < forces->pairCount; ++i)
		EvaluateTilt(forces, i, Weighted(forces, i, moved));
	for (uint32_t r = 0; r < forces->touchedCount; ++r)
	{
		const PairSystem* system = &systems[forces->touched.data[r] >> pairRowBits];
		uint32_t row = forces->touched.data[r] & pairRowMask;
		Vec3 sum = V4Xyz(system->b[row]);
		for (uint32_t e = forces->start.data[r]; e < forces->start.data[r + 1]; ++e)
		{
			uint32_t entry = forces->entries.data[e], pair = entry >> 2;
			float weight = forces->weights.data[pair].corner[entry & 3];
			const TouchLaw* law = &forces->laws.data[pair];
			sum = V3Add(sum, V3Scale(weight, law->force));
			// The diagonal part: weight^2 (across I + (along - across) n n^T).
			float square = weight * weight;
			BlockMatrix_AddGround(system->matrix, row, square * law->across, square * (law->along - law->across),
			                      law->normal);
		}
		system->b[row] = Row(sum);
	}
}

void drapePairForces_Finish(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s)
{
	Vec4* x[pairMaxSystems];
	for (uint32_t i = 0; i < systemCount; ++i)
		x[i] = systems[i].x;
	for (uint32_t i = 0; i < forces->count; ++i)
		forces->frictionState.data[i] = TouchLaw_FrictionState(&forces->laws.data[i], Weighted(forces, i, x), s);
}

// --- products -------------------------------------------------------------------------------------------------------

typedef struct ProductTask
{
	PairForces* forces;
	Vec4* const* x;
	Vec4* const* y;
	float sign;
} ProductTask;

DRAPE_INLINE Vec3 Times(const PairForces* forces, uint32_t pair, Vec3 a)
{
	const TouchLaw* law = &forces->laws.data[pair];
	return V3Add(V3Scale(law->across, a), V3Scale((law->along - law->across) * V3Dot(law->normal, a), law->normal));
}

static void FlowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ProductTask* task = context;
	for (uint32_t i = start; i < end; ++i)
		task->forces->flow.data[i] = Row(Times(task->forces, i, Weighted(task->forces, i, task->x)));
}

static void RowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ProductTask* task = context;
	PairForces* forces = task->forces;
	double dot = 0.0;
	for (uint32_t r = start; r < end; ++r)
	{
		uint32_t place = forces->touched.data[r];
		Vec3 own = V4Xyz(*PairRow(task->x, place)), sum = {0.0f, 0.0f, 0.0f};
		for (uint32_t e = forces->start.data[r]; e < forces->start.data[r + 1]; ++e)
		{
			uint32_t entry = forces->entries.data[e], pair = entry >> 2;
			float weight = forces->weights.data[pair].corner[entry & 3];
			Vec3 diagonal = V3Scale(weight, Times(forces, pair, own));
			sum = V3Add(sum, V3Scale(weight, V3Sub(V4Xyz(forces->flow.data[pair]), diagonal)));
		}
		Vec4* y = PairRow(task->y, place);
		*y = (Vec4){y->x + task->sign * sum.x, y->y + task->sign * sum.y, y->z + task->sign * sum.z, 0.0f};
		dot += (double)V3Dot(own, sum);
	}
	forces->partials.data[start / rowGrain] = dot;
}

double drapePairForces_Multiply(PairForces* forces, Vec4* const* x, Vec4* const* y, float sign, TaskPool* tasks)
{
	if (!forces || forces->count == 0)
		return 0.0;
	ProductTask task = {forces, x, y, sign};
	drapeTaskPool_For(tasks, forces->pairCount, pairGrain, FlowRange, &task);
	drapeTaskPool_For(tasks, forces->touchedCount, rowGrain, RowRange, &task);
	double sum = 0.0;
	for (uint32_t i = 0; i < TaskPool_ChunkCount(forces->touchedCount, rowGrain); ++i)
		sum += forces->partials.data[i];
	return (double)sign * sum;
}
