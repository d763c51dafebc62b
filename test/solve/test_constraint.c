// SPDX-License-Identifier: MIT
#include "blocks.h"

#include "solve/pair_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	rowCount = 24,
	systemCount = 2,
};

static TaskPool* pools[3]; // by the number of workers

static const float solvedStep = 1.0f / 90.0f, reach = 1.5f, hardKg = 3.0f;

// Two cloths of random particles without a model, and random constraints between them.
typedef struct JointRig
{
	Hierarchy hierarchy[systemCount];
	ActiveMesh mesh[systemCount];
	BlockMatrix matrix[systemCount];
	Vec4 *moved[systemCount], *start[systemCount], *b[systemCount];
	PairForces forces;
	Constraint* constraints;
	uint32_t count;
} JointRig;

static Vec3 RandomVector(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

static Constraint RandomConstraint(Random* random, drapeConstraintKind kind)
{
	Constraint c = {.kind = kind,
	                .stiffness = Random_Below(random, 2) ? INFINITY : Random_Range(random, 10.0f, 1000.0f),
	                .damping = Random_Range(random, 0.0f, 2.0f),
	                .length = 0.05f,
	                .speed = Random_Below(random, 2) ? 0.1f : 0.0f,
	                .maxForce = 2.0f,
	                .load = Random_Below(random, 2) ? 1.0f : 0.0f};
	float u = Random_Float(random), v = (1.0f - u) * Random_Float(random);
	const float weights[6] = {u, v, 1.0f - u - v, -v, -u, u + v - 1.0f};
	bool isKinematic = Random_Below(random, 2);
	for (uint32_t k = 0; k < constraintSlots; ++k)
	{
		bool isUsed = k < (isKinematic ? 3u : 6u);
		c.particle[k] = isUsed ? (Random_Below(random, 4) + 5 * k) % rowCount : DRAPE_NONE;
		c.system[k] = k < 3 ? 0 : 1;
		c.weight[k] = isUsed ? weights[k] : 0.0f;
	}
	c.gap = V3Add(RandomVector(random, 0.03f), (Vec3){0.05f, 0.0f, 0.0f});
	c.way = isKinematic ? RandomVector(random, 1e-3f) : (Vec3){0.0f, 0.0f, 0.0f};
	c.velocity = V3Scale(1.0f / (reach * solvedStep), c.way);
	return c;
}

static void Describe(JointRig* rig, PairSystem* systems)
{
	for (uint32_t i = 0; i < systemCount; ++i)
		systems[i] = (PairSystem){&rig->hierarchy[i], &rig->mesh[i], &rig->matrix[i], rig->moved[i], rig->start[i],
		                          rig->moved[i],      rig->b[i],     rig->b[i],       hardKg,        NULL};
}

static void Assemble(JointRig* rig)
{
	PairSystem systems[systemCount];
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		memset(rig->matrix[i].anchor.data, 0, 48 * ((rowCount + 7) / 8) * sizeof(float));
		memset(rig->b[i], 0, rowCount * sizeof(Vec4));
	}
	Describe(rig, systems);
	drapePairForces_Assemble(&rig->forces, systems, systemCount, solvedStep, reach, pools[1]);
}

static bool Begin(JointRig* rig)
{
	PairSystem systems[systemCount];
	Describe(rig, systems);
	return drapePairForces_Begin(&rig->forces, &(PairInput){NULL, 0, rig->constraints, rig->count}, systems,
	                             systemCount, pools[1]);
}

static void Create(JointRig* rig, uint32_t count, int kind, uint64_t seed)
{
	Random random = Random_Seed(seed, 1);
	*rig = (JointRig){.count = count};
	for (uint32_t s = 0; s < systemCount; ++s)
	{
		assert_true(ArrayReserve(&rig->hierarchy[s].rowOf, rowCount) &&
		            drapeActiveMesh_ReserveParticles(&rig->mesh[s], rowCount) &&
		            drapeBlockMatrix_Reserve(&rig->matrix[s], rowCount, 0, 0));
		rig->hierarchy[s].rowCount = rowCount;
		for (uint32_t i = 0; i < rowCount; ++i)
		{
			rig->hierarchy[s].rowOf.data[i] = (i * 7 + 5) % rowCount;
			drapeActiveMesh_AddParticle(&rig->mesh[s], RandomVector(&random, 0.1f), i);
			rig->mesh[s].position[i].w = Random_Range(&random, 50.0f, 500.0f);
			rig->mesh[s].velocity[i] = (Vec4){0.0f, 0.0f, 0.0f, 1.0f / rig->mesh[s].position[i].w};
		}
		rig->moved[s] = RandomRows(rowCount, &random);
		rig->start[s] = ZeroRows(rowCount);
		rig->b[s] = ZeroRows(rowCount);
		for (uint32_t i = 0; i < rowCount; ++i)
		{
			Vec4* m = &rig->moved[s][i];
			*m = (Vec4){1e-3f * m->x, 1e-3f * m->y, 1e-3f * m->z, 0.0f};
		}
	}
	rig->constraints = malloc(count * sizeof *rig->constraints);
	assert_non_null(rig->constraints);
	for (uint32_t i = 0; i < count; ++i)
		rig->constraints[i] = RandomConstraint(&random, kind < 0 ? (drapeConstraintKind)(i % drape_constraintKindCount)
		                                                         : (drapeConstraintKind)kind);
	assert_true(Begin(rig));
}

static void Destroy(JointRig* rig)
{
	drapePairForces_Destroy(&rig->forces);
	free(rig->constraints);
	for (uint32_t s = 0; s < systemCount; ++s)
	{
		drapeBlockMatrix_Destroy(&rig->matrix[s]);
		drapeActiveMesh_Destroy(&rig->mesh[s]);
		ArrayFree(&rig->hierarchy[s].rowOf);
		free(rig->moved[s]);
		free(rig->start[s]);
		free(rig->b[s]);
	}
}

static void AddAnchorTimes(const BlockMatrix* matrix, const Vec4* x, Vec4* y)
{
	for (uint32_t i = 0; i < rowCount; ++i)
	{
		const float* g = &matrix->anchor.data[48 * (i / 8) + i % 8];
		y[i].x += g[0] * x[i].x + g[8] * x[i].y + g[16] * x[i].z;
		y[i].y += g[8] * x[i].x + g[24] * x[i].y + g[32] * x[i].z;
		y[i].z += g[16] * x[i].x + g[32] * x[i].y + g[40] * x[i].z;
	}
}

// K x, with the law of each constraint written out.
static void WrittenOut(const JointRig* rig, Vec4* const* x, double* expected)
{
	memset(expected, 0, 3 * systemCount * rowCount * sizeof *expected);
	for (uint32_t p = 0; p < rig->count; ++p)
	{
		const Constraint* c = &rig->constraints[p];
		const TouchLaw* law = &rig->forces.joints.laws.data[p];
		const double n[3] = {(double)law->normal.x, (double)law->normal.y, (double)law->normal.z};
		double gap[3] = {0.0, 0.0, 0.0}, along = 0.0;
		for (uint32_t k = 0; k < constraintSlots; ++k)
		{
			if (c->particle[k] == DRAPE_NONE)
				continue;
			Vec4 row = x[c->system[k]][rig->hierarchy[c->system[k]].rowOf.data[c->particle[k]]];
			for (uint32_t a = 0; a < 3; ++a)
				gap[a] += (double)c->weight[k] * (double)Component(row, a);
		}
		for (uint32_t a = 0; a < 3; ++a)
			along += n[a] * gap[a];
		for (uint32_t k = 0; k < constraintSlots; ++k)
		{
			if (c->particle[k] == DRAPE_NONE)
				continue;
			uint32_t row = rowCount * c->system[k] + rig->hierarchy[c->system[k]].rowOf.data[c->particle[k]];
			for (uint32_t a = 0; a < 3; ++a)
				expected[3 * row + a] +=
					(double)c->weight[k] *
					((double)law->across * gap[a] + ((double)law->along - (double)law->across) * along * n[a]);
		}
	}
}

static void ProductsAreThoseOfTheMatrixWrittenOut(void** state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 12; ++seed)
	{
		JointRig rig;
		Create(&rig, 1 + 100 * (uint32_t)seed, -1, seed);
		Assemble(&rig);
		Random random = Random_Seed(seed, 2);
		Vec4 *x[systemCount], *y[systemCount], *again[systemCount];
		for (uint32_t s = 0; s < systemCount; ++s)
		{
			x[s] = RandomRows(rowCount, &random);
			y[s] = ZeroRows(rowCount);
			again[s] = ZeroRows(rowCount);
		}
		double dot = drapePairForces_Multiply(&rig.forces, x, y, 1.0f, pools[1]), added = 0.0, largest = 1e-6;
		double other = drapePairForces_Multiply(&rig.forces, x, again, -1.0f, pools[2]);
		double expected[3 * systemCount * rowCount];
		assert_true(other == -dot);
		for (uint32_t i = 0; i < systemCount * rowCount; ++i)
		{
			Vec4 a = x[i / rowCount][i % rowCount], b = y[i / rowCount][i % rowCount];
			Vec4 c = again[i / rowCount][i % rowCount];
			assert_true(c.x == -b.x && c.y == -b.y && c.z == -b.z);
			added += (double)V3Dot(V4Xyz(a), V4Xyz(b));
		}
		WrittenOut(&rig, x, expected);
		for (uint32_t i = 0; i < 3 * systemCount * rowCount; ++i)
			largest = fmax(largest, fabs(expected[i]));
		assert_true(fabs(dot - added) < 1e-4 * largest * rowCount);
		for (uint32_t s = 0; s < systemCount; ++s)
			AddAnchorTimes(&rig.matrix[s], x[s], y[s]);
		for (uint32_t i = 0; i < 3 * systemCount * rowCount; ++i)
			assert_true(fabs((double)Component(y[i / 3 / rowCount][i / 3 % rowCount], i % 3) - expected[i]) <
			            1e-4 * largest);
		for (uint32_t s = 0; s < systemCount; ++s)
		{
			free(x[s]);
			free(y[s]);
			free(again[s]);
		}
		Destroy(&rig);
	}
}

// --- laws -----------------------------------------------------------------------------------------------------------

static ConstraintState StateAt(Vec3 gap)
{
	return (ConstraintState){.gap = gap, .expected = gap, .s = solvedStep, .hardStiffness = hardKg};
}

// s^2 times the energy of a law without damping.
static double Energy(const Constraint* c, Vec3 gap)
{
	double s = (double)solvedStep, length = (double)V3Length(gap);
	double stiffness = c->stiffness < INFINITY ? s * s * (double)c->stiffness : (double)hardKg;
	if (c->kind == drape_constraintStitch && c->speed > 0.0f)
		return s * s * (double)c->maxForce * length;
	if (c->kind == drape_constraintTether)
		length = fmax(length - (double)c->length, 0.0);
	return 0.5 * stiffness * length * length;
}

static float* ComponentOf(Vec3* v, int a)
{
	return a == 0 ? &v->x : a == 1 ? &v->y : &v->z;
}

static void ForcesAreMinusTheGradientOfAnEnergy(void** state)
{
	(void)state;
	Random random = Random_Seed(31, 1);
	for (int i = 0; i < 300; ++i)
	{
		Constraint c = RandomConstraint(&random, (drapeConstraintKind)(i % drape_constraintKindCount));
		Vec3 gap = V3Add(c.gap, (Vec3){0.1f, 0.0f, 0.0f});
		ConstraintState at = StateAt(gap);
		TouchLaw law = drapeConstraint_Evaluate(&c, &at);
		double size = (double)V3Length(law.force) + 1e-9;
		for (int a = 0; a < 3; ++a)
		{
			const float step = 1e-4f;
			Vec3 high = gap, low = gap;
			*ComponentOf(&high, a) += step;
			*ComponentOf(&low, a) -= step;
			double way = (double)*ComponentOf(&high, a) - (double)*ComponentOf(&low, a);
			assert_true(fabs((double)*ComponentOf(&law.force, a) + (Energy(&c, high) - Energy(&c, low)) / way) <
			            2e-3 * size);
		}
	}
}

// The stiffness is the derivative of the force by the gap and, s times, by its velocity.
static void StiffnessIsTheDerivativeOfTheForce(void** state)
{
	(void)state;
	Random random = Random_Seed(32, 1);
	for (int i = 0; i < 300; ++i)
	{
		Constraint c = RandomConstraint(&random, (drapeConstraintKind)(i % drape_constraintKindCount));
		Vec3 gap = V3Add(c.gap, (Vec3){0.1f, 0.0f, 0.0f});
		ConstraintState at = StateAt(gap);
		TouchLaw law = drapeConstraint_Evaluate(&c, &at);
		double size = (double)fmaxf(law.along, law.across);
		for (int a = 0; a < 3; ++a)
		{
			const float step = 1e-4f;
			Vec3 unit = {0.0f, 0.0f, 0.0f}, way;
			*ComponentOf(&unit, a) = 1.0f;
			way = V3Scale(step, unit);
			ConstraintState high = StateAt(V3Add(gap, way)), low = StateAt(V3Sub(gap, way));
			high.change = way;
			low.change = V3Scale(-1.0f, way);
			high.velocity = V3Scale(1.0f / solvedStep, way);
			low.velocity = V3Scale(-1.0f / solvedStep, way);
			Vec3 change = V3Scale(0.5f / step, V3Sub(drapeConstraint_Evaluate(&c, &high).force,
			                                         drapeConstraint_Evaluate(&c, &low).force));
			Vec3 known = V3Add(V3Scale(-law.across, unit),
			                   V3Scale((law.across - law.along) * V3Dot(law.normal, unit), law.normal));
			assert_true((double)V3Length(V3Sub(change, known)) < 5e-3 * size);
		}
		assert_true(law.along >= 0.0f && law.across >= 0.0f);
	}
}

static void SlackTethersHaveNoForce(void** state)
{
	(void)state;
	Constraint c = {.kind = drape_constraintTether, .stiffness = INFINITY, .length = 0.2f};
	ConstraintState at = StateAt((Vec3){0.0f, 0.199f, 0.0f});
	TouchLaw law = drapeConstraint_Evaluate(&c, &at);
	assert_true(V3Length(law.force) == 0.0f && law.along == 0.0f && law.across == 0.0f);
	// It is about to be exceeded: the tether stops it at its length.
	at.expected = (Vec3){0.0f, 0.21f, 0.0f};
	law = drapeConstraint_Evaluate(&c, &at);
	assert_true(law.along > 0.0f);
	assert_true(V3Dot(drapeConstraint_Force(&law, (Vec3){0.0f, 0.01f, 0.0f}, solvedStep), law.normal) < 0.0f);
	at.isReleased = true;
	law = drapeConstraint_Evaluate(&c, &at);
	assert_true(law.along == 0.0f);
}

// A motor: full force at rest, none at its speed, and never more while the gap opens.
static void StitchesPullLessTheFasterTheyClose(void** state)
{
	(void)state;
	Constraint c = {.kind = drape_constraintStitch, .stiffness = INFINITY, .speed = 0.2f, .maxForce = 3.0f};
	const float closing[4] = {0.0f, 0.1f, 0.2f, -0.1f}, force[4] = {3.0f, 1.5f, 0.0f, 3.0f};
	for (int i = 0; i < 4; ++i)
	{
		ConstraintState at = StateAt((Vec3){0.0f, 0.0f, 0.1f});
		at.velocity = at.predictedVelocity = (Vec3){0.0f, 0.0f, -closing[i]};
		TouchLaw law = drapeConstraint_Evaluate(&c, &at);
		Vec3 f = drapeConstraint_Force(&law, (Vec3){0.0f, 0.0f, 0.0f}, solvedStep);
		assert_float_equal(f.z, -force[i], 1e-4f);
	}
}

// --- projection -----------------------------------------------------------------------------------------------------

static Vec3 GapOf(const JointRig* rig, const Constraint* c)
{
	Vec3 gap = {0.0f, 0.0f, 0.0f};
	for (uint32_t k = 0; k < constraintSlots; ++k)
	{
		if (c->particle[k] != DRAPE_NONE)
			gap = V3Add(gap, V3Scale(c->weight[k], V4Xyz(rig->mesh[c->system[k]].position[c->particle[k]])));
	}
	return gap;
}

static Vec3 MomentumOf(const JointRig* rig)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < systemCount * rowCount; ++i)
	{
		Vec4 v = rig->mesh[i / rowCount].velocity[i % rowCount];
		sum = V3Add(sum, V3Scale(v.w, V4Xyz(v)));
	}
	return sum;
}

static void ProjectionClosesHardGapsAndKeepsMomentum(void** state)
{
	(void)state;
	const float dt = 1e-3f;
	JointRig rig;
	Create(&rig, 40, drape_constraintAttachment, 9);
	Random random = Random_Seed(4, 4);
	for (uint32_t i = 0; i < systemCount * rowCount; ++i)
	{
		Vec4* v = &rig.mesh[i / rowCount].velocity[i % rowCount];
		Vec3 own = RandomVector(&random, 1.0f);
		*v = (Vec4){own.x, own.y, own.z, v->w};
	}
	for (uint32_t i = 0; i < rig.count; ++i)
	{
		Constraint* c = &rig.constraints[i];
		ActiveMesh* meshes[systemCount] = {&rig.mesh[0], &rig.mesh[1]};
		Vec3 gap = GapOf(&rig, c), before = MomentumOf(&rig);
		c->stiffness = INFINITY;
		Vec3 force = drapeConstraint_Project(c, meshes, gap, dt);
		assert_true(V3Length(GapOf(&rig, c)) < 1e-5f * V3Length(gap) + 1e-7f);
		assert_true(V3Length(drapeConstraint_GapVelocity(c, meshes)) < 1e-5f);
		Vec3 gained = V3Sub(MomentumOf(&rig), before), given = V3Scale(dt, force);
		bool isKinematic = c->particle[3] == DRAPE_NONE;
		if (!isKinematic)
			given = (Vec3){0.0f, 0.0f, 0.0f};
		assert_true(V3Length(V3Sub(gained, given)) < 1e-4f * dt * V3Length(force) + 1e-7f);
	}
	Destroy(&rig);
}

static void MissingMemoryIsReported(void** state)
{
	(void)state;
	JointRig rig;
	Create(&rig, 30, -1, 3);
	drapePairForces_Destroy(&rig.forces);
	rig.forces = (PairForces){0};
	for (size_t i = 1;; ++i)
	{
		Test_FailAllocation(i, false);
		bool isDone = Begin(&rig);
		bool wasShort = Test_AllocationCount() >= i;
		assert_true(isDone != wasShort);
		assert_int_equal(rig.forces.constraintCount, isDone ? rig.count : 0);
		drapePairForces_Destroy(&rig.forces);
		rig.forces = (PairForces){0};
		Test_FailAllocation(0, false);
		if (isDone)
			break;
	}
	Destroy(&rig);
}

static int Setup(void** state)
{
	(void)state;
	for (uint32_t i = 1; i < 3; ++i)
		pools[i] = drapeTaskPool_Create(i, NULL, NULL, NULL);
	return pools[1] && pools[2] ? 0 : 1;
}

static int TearDown(void** state)
{
	(void)state;
	for (uint32_t i = 1; i < 3; ++i)
		drapeTaskPool_Destroy(pools[i]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ProductsAreThoseOfTheMatrixWrittenOut),
		cmocka_unit_test(ForcesAreMinusTheGradientOfAnEnergy),
		cmocka_unit_test(StiffnessIsTheDerivativeOfTheForce),
		cmocka_unit_test(SlackTethersHaveNoForce),
		cmocka_unit_test(StitchesPullLessTheFasterTheyClose),
		cmocka_unit_test(ProjectionClosesHardGapsAndKeepsMomentum),
		cmocka_unit_test(MissingMemoryIsReported),
	};
	return cmocka_run_group_tests(tests, Setup, TearDown);
}
