// SPDX-License-Identifier: MIT
#include "blocks.h"

#include "solve/pair_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	rowCount = 40,
};

static TaskPool* pools[3]; // by the number of workers

// Pairs of random particles, a permutation of rows, and a matrix without anything else.
typedef struct PairRig
{
	Hierarchy hierarchy;
	ActiveMesh mesh;
	BlockMatrix matrix;
	PairForces forces;
	ContactPoint* points;
	uint32_t count;
	Vec4 *moved, *start, *b;
} PairRig;

static const float solvedStep = 1.0f / 90.0f, reach = 1.5f, touching = 3e-3f;

static Vec3 RandomUnit(Random* random)
{
	Vec3 v = {Random_Range(random, -1, 1), Random_Range(random, -1, 1), Random_Range(random, -1, 1) + 1e-3f};
	return V3Scale(1.0f / V3Length(v), v);
}

static ContactPoint RandomPair(Random* random, float friction)
{
	ContactPoint point = {.normal = RandomUnit(random), .friction = friction, .reach = touching};
	float u = Random_Float(random), v = (1.0f - u) * Random_Float(random), s = Random_Float(random);
	const float face[4] = {1.0f, -u, -v, u + v - 1.0f}, edges[4] = {1.0f - s, s, -u, u - 1.0f};
	memcpy(point.weight, Random_Below(random, 2) ? face : edges, sizeof face);
	uint32_t first = Random_Below(random, rowCount);
	for (uint32_t k = 0; k < 4; ++k)
		point.particle[k] = Random_Below(random, 6) == 0 ? DRAPE_NONE : (first + k * 7) % rowCount;
	point.distance = Random_Range(random, 5e-4f, 3.5e-3f);
	point.way = V3Scale(1e-4f, RandomUnit(random));
	point.arm = Random_Below(random, 3) == 0 ? Random_Range(random, 0.01f, 0.3f) : 0.0f;
	return point;
}

static PairSystem SystemOf(PairRig* rig)
{
	return (PairSystem){&rig->hierarchy, &rig->mesh, &rig->matrix, rig->moved, rig->start,
	                    rig->moved,      rig->b,     rig->b,       0.0f,       NULL};
}

static bool Begin(PairRig* rig, PairForces* forces, const ContactPoint* points, uint32_t count)
{
	PairSystem system = SystemOf(rig);
	return drapePairForces_Begin(forces, &(PairInput){points, count, NULL, 0}, &system, 1, pools[1]);
}

static void Assemble(PairRig* rig)
{
	PairSystem system = SystemOf(rig);
	drapePairForces_Assemble(&rig->forces, &system, 1, solvedStep, reach, pools[1]);
}

static void Create(PairRig* rig, uint32_t count, float friction, uint64_t seed)
{
	Random random = Random_Seed(seed, 1);
	*rig = (PairRig){.count = count};
	assert_true(ArrayReserve(&rig->hierarchy.rowOf, rowCount) &&
	            drapeActiveMesh_ReserveParticles(&rig->mesh, rowCount));
	rig->hierarchy.rowCount = rowCount;
	for (uint32_t i = 0; i < rowCount; ++i)
	{
		rig->hierarchy.rowOf.data[i] = (i * 13 + 5) % rowCount;
		drapeActiveMesh_AddParticle(&rig->mesh, V3Scale(0.1f, RandomUnit(&random)), i);
		rig->mesh.position[i].w = Random_Range(&random, 50.0f, 500.0f);
	}
	assert_true(drapeBlockMatrix_Reserve(&rig->matrix, rowCount, 0, 0));
	memset(rig->matrix.anchor.data, 0, 48 * ((rowCount + 7) / 8) * sizeof(float));
	rig->points = malloc(count * sizeof *rig->points);
	assert_non_null(rig->points);
	for (uint32_t i = 0; i < count; ++i)
		rig->points[i] = RandomPair(&random, friction);
	rig->moved = RandomRows(rowCount, &random);
	rig->start = ZeroRows(rowCount);
	rig->b = ZeroRows(rowCount);
	for (uint32_t i = 0; i < rowCount; ++i)
	{
		Vec4* m = &rig->moved[i];
		*m = (Vec4){2e-4f * m->x, 2e-4f * m->y, 2e-4f * m->z, 0.0f};
	}
	assert_true(Begin(rig, &rig->forces, rig->points, count));
}

static void Destroy(PairRig* rig)
{
	drapePairForces_Destroy(&rig->forces);
	drapeBlockMatrix_Destroy(&rig->matrix);
	drapeActiveMesh_Destroy(&rig->mesh);
	ArrayFree(&rig->hierarchy.rowOf);
	free(rig->points);
	free(rig->moved);
	free(rig->start);
	free(rig->b);
}

static uint32_t RowOf(const PairRig* rig, const ContactPoint* point, uint32_t corner)
{
	return point->particle[corner] == DRAPE_NONE ? DRAPE_NONE : rig->hierarchy.rowOf.data[point->particle[corner]];
}

// K = sum over pairs of w_i w_j (across I + (along - across) n n^T), written out.
static Written Dense(const PairRig* rig)
{
	Written dense = Written_Create(rowCount);
	for (uint32_t p = 0; p < rig->forces.contacts.count; ++p)
	{
		const ContactPoint* point = &rig->points[p < rig->count ? p : rig->forces.tilts.data[p - rig->count].point];
		const float* weight = &rig->forces.contacts.weights.data[contactSlots * p];
		const double n[3] = {(double)point->normal.x, (double)point->normal.y, (double)point->normal.z};
		double along = (double)rig->forces.contacts.laws.data[p].along,
			   across = (double)rig->forces.contacts.laws.data[p].across;
		for (uint32_t e = 0; e < 16 * 9; ++e)
		{
			uint32_t i = e / 9 / 4, k = e / 9 % 4, r = e % 9 / 3, c = e % 3;
			uint32_t row = RowOf(rig, point, i), column = RowOf(rig, point, k);
			double value = (r == c ? across : 0.0) + (along - across) * n[r] * n[c];
			if (row != DRAPE_NONE && column != DRAPE_NONE)
				dense.a[(3 * row + r) * dense.size + 3 * column + c] += (double)weight[i] * (double)weight[k] * value;
		}
	}
	return dense;
}

// Adds the product of the anchor terms and x.
static void AddAnchorTimes(const PairRig* rig, const Vec4* x, Vec4* y)
{
	for (uint32_t i = 0; i < rowCount; ++i)
	{
		const float* g = &rig->matrix.anchor.data[48 * (i / 8) + i % 8];
		y[i].x += g[0] * x[i].x + g[8] * x[i].y + g[16] * x[i].z;
		y[i].y += g[8] * x[i].x + g[24] * x[i].y + g[32] * x[i].z;
		y[i].z += g[16] * x[i].x + g[32] * x[i].y + g[40] * x[i].z;
	}
}

static void ProductsAreThoseOfTheMatrixWrittenOut(void** state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; ++seed)
	{
		PairRig rig;
		Create(&rig, 1 + 60 * (uint32_t)seed, seed % 2 ? 0.5f : 0.0f, seed);
		Assemble(&rig);
		Written dense = Dense(&rig);
		Random random = Random_Seed(seed, 2);
		Vec4 *x = RandomRows(rowCount, &random), *y = ZeroRows(rowCount), *again = ZeroRows(rowCount);
		double expected[3 * rowCount + 24], squares = 0.0,
											dot = drapePairForces_Multiply(&rig.forces, &x, &y, 1.0f, pools[1]);
		double added = 0.0, scale = Written_Largest(&dense) + 1e-9;
		for (uint32_t i = 0; i < rowCount; ++i)
			added += (double)(x[i].x * y[i].x + x[i].y * y[i].y + x[i].z * y[i].z);
		assert_true(fabs(dot - added) < 1e-4 * scale * rowCount);
		// Threads change no bit, and the sign is the sign.
		double other = drapePairForces_Multiply(&rig.forces, &x, &again, -1.0f, pools[2]);
		assert_true(other == -dot);
		for (uint32_t i = 0; i < rowCount; ++i)
			assert_true(again[i].x == -y[i].x && again[i].y == -y[i].y && again[i].z == -y[i].z);
		AddAnchorTimes(&rig, x, y);
		Written_Times(&dense, x, expected);
		for (uint32_t i = 0; i < 3 * rowCount; ++i)
		{
			assert_true(fabs((double)Component(y[i / 3], i % 3) - expected[i]) < 1e-5 * scale * 10.0);
			squares += (double)Component(x[i / 3], i % 3) * expected[i];
		}
		assert_true(squares > -1e-6 * scale);
		Written_Destroy(&dense);
		free(x);
		free(y);
		free(again);
		Destroy(&rig);
	}
}

static double WeightedAlong(const PairRig* rig, const ContactPoint* point, const Vec4* rows)
{
	double sum = 0.0;
	for (uint32_t k = 0; k < 4; ++k)
	{
		uint32_t row = RowOf(rig, point, k);
		if (row != DRAPE_NONE)
			sum += (double)point->weight[k] * (double)V3Dot(point->normal, V4Xyz(rows[row]));
	}
	return sum;
}

static bool IsOnSolid(const ContactPoint* point)
{
	bool isOnSolid = false;
	for (int k = 0; k < 4; ++k)
		isOnSolid |= point->particle[k] == DRAPE_NONE;
	return isOnSolid;
}

// Minus the integral of (reach / d - 1)^2 from the reach to d, which goes on as a parabola below a part of the reach.
static double EnergyAt(double distance, double farthest, double part)
{
	double least = part * farthest, d = fmax(distance, least), below = least - fmin(distance, least);
	double energy = farthest * farthest / d - d + 2.0 * farthest * log(d / farthest);
	double push = (farthest / least - 1.0) * (farthest / least - 1.0);
	double stiffness = 2.0 * (farthest / least - 1.0) * farthest / (least * least);
	return distance < farthest ? energy + push * below + 0.5 * stiffness * below * below : 0.0;
}

// Strengths are in weights of 10 m/s^2: what lies on something solid is held more stiffly.
static double Energy(const PairRig* rig, const Vec4* moved)
{
	double energy = 0.0;
	for (uint32_t p = 0; p < rig->count; ++p)
	{
		const ContactPoint* point = &rig->points[p];
		double distance = (double)point->distance + WeightedAlong(rig, point, moved) +
		                  (double)V3Dot(point->normal, point->way) / (double)reach;
		double unit = 10.0 * (double)solvedStep * (double)solvedStep;
		if (rig->forces.compliance.data[p] > 0.0f)
			energy += (IsOnSolid(point) ? 200.0 : 40.0) * unit / (double)rig->forces.compliance.data[p] *
			          EnergyAt(distance, (double)touching, IsOnSolid(point) ? 0.2 : 0.05);
	}
	return energy;
}

static void ForcesAreMinusTheGradientOfAnEnergy(void** state)
{
	(void)state;
	PairRig rig;
	Create(&rig, 80, 0.0f, 77);
	for (uint32_t i = 0; i < rig.count; ++i)
	{
		rig.points[i].way = (Vec3){0, 0, 0};
		rig.points[i].arm = 0.0f;
	}
	assert_true(Begin(&rig, &rig.forces, rig.points, rig.count));
	// Nothing approaches since the start, so nothing is damped.
	memcpy(rig.start, rig.moved, rowCount * sizeof(Vec4));
	Assemble(&rig);
	double largest = 0.0;
	for (uint32_t i = 0; i < 3 * rowCount; ++i)
		largest = fmax(largest, fabs((double)Component(rig.b[i / 3], i % 3)));
	assert_true(largest > 0.0);
	for (uint32_t i = 0; i < 3 * rowCount; ++i)
	{
		float* at = &rig.moved[i / 3].x + i % 3;
		float kept = *at, step = 1e-6f;
		*at = kept + step;
		float high = *at;
		double above = Energy(&rig, rig.moved);
		*at = kept - step;
		double below = Energy(&rig, rig.moved), gradient = (above - below) / ((double)high - (double)*at);
		*at = kept;
		assert_true(fabs((double)Component(rig.b[i / 3], i % 3) + gradient) < 5e-3 * largest);
	}
	Destroy(&rig);
}

// --- tilts ----------------------------------------------------------------------------------------------------------

// A ball that a face or an edge lies on, and what it takes to bring it nearer.
typedef struct Roller
{
	PairRig rig;
	Vec3 middle;
	double radius;
} Roller;

static const uint32_t rollerCorners[3] = {4, 11, 18};

// From the middle of the ball to a triangle, or an edge when it has one corner less.
static double DistanceTo(const double middle[3], double x[3][3], int corners)
{
	double side[2][3], from[3], square = 0.0;
	for (int a = 0; a < 3; ++a)
	{
		from[a] = middle[a] - x[0][a];
		side[0][a] = x[1][a] - x[0][a];
		side[1][a] = corners == 3 ? x[2][a] - x[0][a] : 0.0;
	}
	double m00 = 0.0, m01 = 0.0, m11 = 0.0, r0 = 0.0, r1 = 0.0;
	for (int a = 0; a < 3; ++a)
	{
		m00 += side[0][a] * side[0][a];
		m01 += side[0][a] * side[1][a];
		m11 += side[1][a] * side[1][a];
		r0 += side[0][a] * from[a];
		r1 += side[1][a] * from[a];
	}
	double det = corners == 3 ? m00 * m11 - m01 * m01 : m00, u = r0 / m00, v = 0.0;
	if (corners == 3)
	{
		u = (m11 * r0 - m01 * r1) / det;
		v = (m00 * r1 - m01 * r0) / det;
	}
	for (int a = 0; a < 3; ++a)
	{
		double rest = from[a] - u * side[0][a] - v * side[1][a];
		square += rest * rest;
	}
	return sqrt(square);
}

// Begins with a point between the ball and the corners with these weights, about 1.5 mm above it.
static void Roller_Begin(Roller* roller, const float weight[3], Random* random)
{
	PairRig* rig = &roller->rig;
	Create(rig, 1, 0.0f, Random_Below(random, 1000));
	ContactPoint point = {.particle = {DRAPE_NONE, 4, 11, 18}, .weight = {1.0f}, .reach = touching};
	Vec3 place = {0.0f, 0.0f, 0.0f}, x[3];
	for (int k = 0; k < 3; ++k)
	{
		x[k] = V4Xyz(rig->mesh.position[rollerCorners[k]]);
		point.weight[k + 1] = -weight[k];
		place = V3Add(place, V3Scale(weight[k], x[k]));
	}
	Vec3 along = V3Sub(x[1], x[0]), up = V3Cross(along, V3Sub(x[2], x[0]));
	// On an edge anything across it will do.
	if (weight[2] == 0.0f)
		up = V3Add(up, V3Scale(0.3f, V3Cross(along, up)));
	point.normal = V3Normalize(up);
	point.arm = Random_Range(random, 0.05f, 0.3f);
	point.distance = 1.5e-3f;
	roller->radius = (double)point.arm - (double)point.distance;
	roller->middle = V3Add(place, V3Scale(point.arm, point.normal));
	rig->points[0] = point;
	assert_true(Begin(rig, &rig->forces, rig->points, 1));
	memset(rig->moved, 0, rowCount * sizeof(Vec4));
}

// When the corners go this far along the normal, which leaves the place itself where it is.
static double RollerEnergy(const Roller* roller, const double go[3], int corners)
{
	const PairRig* rig = &roller->rig;
	const ContactPoint* point = &rig->points[0];
	double x[3][3], middle[3] = {(double)roller->middle.x, (double)roller->middle.y, (double)roller->middle.z};
	for (uint32_t k = 0; k < 3; ++k)
	{
		for (uint32_t a = 0; a < 3; ++a)
			x[k][a] = (double)Component(rig->mesh.position[rollerCorners[k]], a) +
			          go[k] * (double)Component((Vec4){point->normal.x, point->normal.y, point->normal.z, 0}, a);
	}
	double unit = 200.0 * 10.0 * (double)solvedStep * (double)solvedStep / (double)rig->forces.compliance.data[0];
	return unit * EnergyAt(DistanceTo(middle, x, corners) - roller->radius, (double)touching, 0.2);
}

static void RollingStiffnessFollowsTheRadius(void** state)
{
	(void)state;
	Random random = Random_Seed(12, 1);
	const float weights[4][3] = {{0.3f, 0.3f, 0.4f}, {0.1f, 0.7f, 0.2f}, {0.5f, 0.5f, 0.0f}, {0.2f, 0.8f, 0.0f}};
	for (int c = 0; c < 40; ++c)
	{
		Roller roller;
		const float* weight = weights[c % 4];
		int corners = weight[2] > 0.0f ? 3 : 2;
		Roller_Begin(&roller, weight, &random);
		Assemble(&roller.rig);
		assert_int_equal(roller.rig.forces.contacts.count, corners);
		double go[3] = {1.0, (double)Random_Range(&random, -1.0f, 1.0f), 0.0}, back[3], still[3] = {0.0, 0.0, 0.0};
		if (corners == 3)
			go[2] = -(go[0] * (double)weight[0] + go[1] * (double)weight[1]) / (double)weight[2];
		else
			go[1] = -go[0] * (double)weight[0] / (double)weight[1];
		Vec4 *x = ZeroRows(rowCount), *y = ZeroRows(rowCount);
		Vec3 n = roller.rig.points[0].normal;
		for (int k = 0; k < 3; ++k)
		{
			float way = (float)go[k];
			x[roller.rig.hierarchy.rowOf.data[rollerCorners[k]]] = (Vec4){way * n.x, way * n.y, way * n.z, 0.0f};
		}
		AddAnchorTimes(&roller.rig, x, y);
		double known = 0.0, step = 1e-5;
		drapePairForces_Multiply(&roller.rig.forces, &x, &y, 1.0f, pools[1]);
		for (uint32_t i = 0; i < rowCount; ++i)
			known += (double)V3Dot(V4Xyz(x[i]), V4Xyz(y[i]));
		for (int k = 0; k < 3; ++k)
		{
			go[k] *= step;
			back[k] = -go[k];
		}
		double turned = RollerEnergy(&roller, go, corners) + RollerEnergy(&roller, back, corners) -
		                2.0 * RollerEnergy(&roller, still, corners);
		assert_true(turned > 0.0);
		assert_true(fabs(known - turned / (step * step)) < 0.02 * known);
		free(x);
		free(y);
		Destroy(&roller.rig);
	}
}

static void FrictionIsBoundedByWhatPresses(void** state)
{
	(void)state;
	PairRig rig;
	Create(&rig, 1, 0.5f, 5);
	ContactPoint point = {.particle = {3, DRAPE_NONE, DRAPE_NONE, DRAPE_NONE},
	                      .weight = {1.0f, -0.2f, -0.3f, -0.5f},
	                      .normal = {0, 1, 0},
	                      .distance = 1e-3f,
	                      .friction = 0.5f,
	                      .reach = touching};
	assert_true(Begin(&rig, &rig.forces, &point, 1));
	uint32_t row = rig.hierarchy.rowOf.data[3];
	memset(rig.moved, 0, rowCount * sizeof(Vec4));
	rig.moved[row] = (Vec4){1e-3f, 0.0f, 0.0f, 0.0f};
	memcpy(rig.start, rig.moved, rowCount * sizeof(Vec4));
	Assemble(&rig);
	assert_true(rig.b[row].y > 0.0f);
	assert_float_equal(rig.b[row].x / rig.b[row].y, -0.5f, 1e-4f);
	assert_float_equal(rig.b[row].z, 0.0f, 0.0f);
	Destroy(&rig);
}

static void MissingMemoryIsSaid(void** state)
{
	(void)state;
	PairRig rig;
	Create(&rig, 30, 0.5f, 9);
	bool isDone = false;
	for (size_t number = 1; !isDone; ++number)
	{
		assert_true(number < 50);
		PairForces forces = {0};
		Test_FailAllocation(number, false);
		bool hasBegun = Begin(&rig, &forces, rig.points, rig.count);
		isDone = Test_AllocationCount() < number;
		assert_int_equal(hasBegun, isDone);
		assert_int_equal(forces.count, isDone ? rig.count : 0);
		drapePairForces_Destroy(&forces);
		Test_FailAllocation(0, false);
	}
	Destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ProductsAreThoseOfTheMatrixWrittenOut),
		cmocka_unit_test(ForcesAreMinusTheGradientOfAnEnergy),
		cmocka_unit_test(RollingStiffnessFollowsTheRadius),
		cmocka_unit_test(FrictionIsBoundedByWhatPresses),
		cmocka_unit_test(MissingMemoryIsSaid),
	};
	for (uint32_t i = 1; i <= 2; ++i)
		pools[i] = drapeTaskPool_Create(i, NULL, NULL, NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	drapeTaskPool_Destroy(pools[1]);
	drapeTaskPool_Destroy(pools[2]);
	return failed;
}
