// SPDX-License-Identifier: MIT
#include "hang.h"
#include "shared/make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	quads = 4,
	integratorCount = 5,
};

static const drapeIntegrator integrators[integratorCount] = {
	drape_integratorSymplecticEuler,  drape_integratorRungeKutta4, drape_integratorImplicitEuler, drape_integratorBdf2,
	drape_integratorImplicitMidpoint,
};

// A sheet of 0.4 m x 0.4 m at a height.
static drapeClothId AddSheet(drapeWorldId world, drapeIntegrator integrator, drapeScheme scheme, float height)
{
	drapeClothDef def = Hang_Def();
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 0.4f, 0.4f, &mesh, NULL), drape_ok);
	drapeVec3 lifted[(quads + 1) * (quads + 1)];
	memcpy(lifted, mesh.positions, sizeof lifted);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		lifted[i].y += height;
	drapeMesh placed = mesh;
	placed.positions = lifted;
	def.mesh = &placed;
	def.solver.integrator = integrator;
	def.solver.tolerance = 1e-5f;
	def.solver.globalDamping = 1.0f;
	def.adapt.scheme = scheme;
	if (!drapeIntegrator_IsImplicit(integrator))
	{
		def.model = drape_modelSprings;
		def.solver = drapeDefaultExplicitSolverDef();
		def.solver.integrator = integrator;
		def.material = Make_SpringClothDef().material;
		def.material.density = 0.2f;
	}
	drapeClothId cloth = Make_Cloth(world, &def);
	drapeMesh_Free(&mesh);
	assert_true(drapeCloth_IsValid(cloth));
	return cloth;
}

static drapeWorldId MakeWorld(uint32_t workers, drapeVec3 gravity)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	def.workerCount = workers;
	def.gravity = gravity;
	def.wind.airDensity = 0.0f;
	drapeWorldId world = Make_World(&def);
	assert_true(drapeWorld_IsValid(world));
	return world;
}

static const drapeVec3 falls = {0.0f, -9.81f, 0.0f}, floats = {0.0f, 0.0f, 0.0f};

// A sphere of 5 cm.
static drapeColliderId AddBall(drapeWorldId world, drapeVec3 position)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.radius = 0.05f;
	def.transform.position = position;
	drapeColliderId ball = Make_Collider(world, &def);
	assert_true(drapeCollider_IsValid(ball));
	return ball;
}

// A point in the middle of the sheet, not at a vertex.
static drapePatternPoint MiddlePoint(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	return (drapePatternPoint){view.triangleCount / 2, {0.5f, 0.3f, 0.2f}};
}

static drapeVec3 PositionOf(drapeClothId cloth, drapePatternPoint point)
{
	drapeVec3 position;
	assert_int_equal(drapeCloth_Evaluate(cloth, &point, 1, &position, NULL), drape_ok);
	return position;
}

static float DistanceOf(drapeVec3 a, drapeVec3 b)
{
	return V3Length(V3Sub(a, b));
}

static drapeVec3 Momentum(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum = V3Add(sum, V3Scale(view.velocities[i].w, V4Xyz(view.velocities[i])));
	return sum;
}

// --- laws -----------------------------------------------------------------------------------------------------------

static void SoftAttachmentsStretchByLoadOverStiffness(void** state)
{
	(void)state;
	const float stiffness = 60.0f, load = 0.2f * 0.16f * 9.81f;
	for (int i = 0; i < integratorCount; ++i)
	{
		drapeWorldId world = MakeWorld(1, falls);
		drapeClothId cloth = AddSheet(world, integrators[i], drape_schemeEdge, 0.0f);
		drapeAttachDef def = drapeDefaultAttachDef();
		def.point = MiddlePoint(cloth);
		def.collider = AddBall(world, (drapeVec3){0.0f, 2.0f, 0.0f});
		def.stiffness = stiffness;
		def.damping = 2.0f;
		drapeVec3 held = PositionOf(cloth, def.point);
		drapeConstraintId id = Make_Attachment(cloth, &def);
		assert_true(drapeConstraint_IsValid(id));
		Hang_Run(world, 400);
		drapeConstraintState found = drapeConstraint_GetState(id);
		drapeVec3 now = PositionOf(cloth, def.point);
		print_message("%s: stretched by %g m, %g expected; force %g N\n", drapeIntegrator_GetName(integrators[i]),
		              (double)(held.y - now.y), (double)(load / stiffness), (double)found.force.y);
		assert_float_equal(held.y - now.y, load / stiffness, 0.05f * load / stiffness);
		assert_float_equal(found.force.y, load, 0.06f * load);
		assert_float_equal(found.distance, held.y - now.y, 1e-3f);
		assert_true(found.isActive && !found.isBroken);
		drapeDestroyWorld(world);
	}
}

static void HardAttachmentsFollowTheCollider(void** state)
{
	(void)state;
	for (int i = 0; i < integratorCount; ++i)
	{
		drapeWorldId world = MakeWorld(1, falls);
		drapeClothId cloth = AddSheet(world, integrators[i], drape_schemeEdge, 0.0f);
		drapeColliderId ball = AddBall(world, (drapeVec3){0.0f, 0.3f, 0.0f});
		drapeAttachDef def = drapeDefaultAttachDef();
		def.point = MiddlePoint(cloth);
		def.collider = ball;
		drapeConstraintId id = Make_Attachment(cloth, &def);
		drapeVec3 from = PositionOf(cloth, def.point);
		float worst = 0.0f;
		for (int step = 1; step <= 90; ++step)
		{
			drapeTransform to = drapeIdentityTransform();
			float angle = 0.05f * (float)step;
			to.position = (drapeVec3){0.3f * sinf(angle), 0.3f, 0.3f * (1.0f - cosf(angle))};
			drapeCollider_SetTransform(ball, to);
			Hang_Step(world, frame);
			drapeVec3 expected = V3Add(from, V3Sub(to.position, (drapeVec3){0.0f, 0.3f, 0.0f}));
			worst = fmaxf(worst, DistanceOf(PositionOf(cloth, def.point), expected));
			assert_float_equal(drapeConstraint_GetState(id).distance,
			                   DistanceOf(PositionOf(cloth, def.point), expected), 1e-5f);
		}
		print_message("%s: off by %g m at most\n", drapeIntegrator_GetName(integrators[i]), (double)worst);
		assert_true(worst < 5e-4f);
		drapeDestroyWorld(world);
	}
}

static void TethersLimitTheDistanceAndAreFreeBelow(void** state)
{
	(void)state;
	const float length = 0.25f;
	for (int i = 0; i < integratorCount; ++i)
	{
		drapeWorldId world = MakeWorld(1, falls), without = MakeWorld(1, falls);
		drapeClothId cloth = AddSheet(world, integrators[i], drape_schemeEdge, 0.0f);
		AddSheet(without, integrators[i], drape_schemeEdge, 0.0f);
		drapeTetherDef def = drapeDefaultTetherDef();
		def.point = MiddlePoint(cloth);
		def.anchor = PositionOf(cloth, def.point);
		def.length = length;
		drapeConstraintId id = Make_Tether(cloth, &def);
		float longest = 0.0f, force = 0.0f;
		bool wasTaut = false;
		for (int step = 0; step < 300; ++step)
		{
			Hang_Step(world, frame);
			float distance = DistanceOf(PositionOf(cloth, def.point), def.anchor);
			longest = fmaxf(longest, distance);
			wasTaut |= distance > 0.99f * length;
			force += step >= 240 ? drapeConstraint_GetState(id).force.y / 60.0f : 0.0f;
			if (wasTaut)
				continue;
			assert_true(V3Length(drapeConstraint_GetState(id).force) == 0.0f);
			Hang_Step(without, frame);
			assert_true(drapeWorld_GetHash(world) == drapeWorld_GetHash(without) || distance > 0.8f * length);
		}
		float load = 0.2f * 0.16f * 9.81f;
		print_message("%s: %g m at most, force at rest %g N\n", drapeIntegrator_GetName(integrators[i]),
		              (double)longest, (double)force);
		assert_true(wasTaut && longest < length + 5e-3f);
		// The midpoint rule does not damp the stretch that a pull leaves.
		if (integrators[i] != drape_integratorImplicitMidpoint)
			assert_float_equal(force, load, 0.1f * load);
		drapeDestroyWorld(world);
		drapeDestroyWorld(without);
	}
}

static void StitchesCloseAtALimitedSpeedAndForceAndHold(void** state)
{
	(void)state;
	for (int i = 0; i < integratorCount; ++i)
	{
		drapeWorldId world = MakeWorld(1, floats);
		drapeClothId low = AddSheet(world, integrators[i], drape_schemeEdge, 0.0f);
		drapeClothId high = AddSheet(world, integrators[i], drape_schemeEdge, 0.1f);
		drapeStitchDef def = drapeDefaultStitchDef();
		def.point = MiddlePoint(low);
		def.otherCloth = high;
		def.otherPoint = MiddlePoint(high);
		def.speed = 0.1f;
		def.maxForce = 0.05f;
		drapeConstraintId id = Make_Stitch(low, &def);
		float before = 0.1f, fastest = 0.0f, strongest = 0.0f;
		for (int step = 0; step < 240; ++step)
		{
			Hang_Step(world, frame);
			drapeConstraintState found = drapeConstraint_GetState(id);
			float gap = DistanceOf(PositionOf(low, def.point), PositionOf(high, def.otherPoint));
			if (!found.isClosed)
			{
				fastest = fmaxf(fastest, (before - gap) / frame);
				strongest = fmaxf(strongest, V3Length(found.force));
			}
			before = gap;
		}
		drapeConstraintState found = drapeConstraint_GetState(id);
		drapeVec3 sum = V3Add(Momentum(low), Momentum(high));
		print_message("%s: %g m/s, %g N at most; gap %g m, momentum %g\n", drapeIntegrator_GetName(integrators[i]),
		              (double)fastest, (double)strongest, (double)before, (double)V3Length(sum));
		assert_true(found.isClosed && before < 2e-4f);
		assert_true(fastest < 1.02f * def.speed && fastest > 0.5f * def.speed);
		assert_true(strongest < 1.02f * def.maxForce);
		assert_true(V3Length(sum) < 2e-5f);
		drapeDestroyWorld(world);
	}
}

// A cloth with an implicit integrator and one with an explicit integrator.
static void StitchesJoinClothsOfDifferentIntegrators(void** state)
{
	(void)state;
	drapeWorldId world = MakeWorld(2, floats);
	drapeClothId low = AddSheet(world, drape_integratorSymplecticEuler, drape_schemeEdge, 0.0f);
	drapeClothId high = AddSheet(world, drape_integratorBdf2, drape_schemeEdge, 0.05f);
	drapeStitchDef def = drapeDefaultStitchDef();
	def.point = MiddlePoint(low);
	def.otherCloth = high;
	def.otherPoint = MiddlePoint(high);
	drapeConstraintId id = Make_Stitch(low, &def);
	Hang_Run(world, 120);
	assert_true(drapeConstraint_GetState(id).isClosed);
	assert_true(DistanceOf(PositionOf(low, def.point), PositionOf(high, def.otherPoint)) < 5e-4f);
	assert_true(V3Length(V3Add(Momentum(low), Momentum(high))) < 1e-3f);
	drapeDestroyWorld(world);
}

static double KineticEnergy(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	double sum = 0.0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		double speed = (double)V3Length(V4Xyz(view.velocities[i]));
		sum += 0.5 * (double)view.velocities[i].w * speed * speed;
	}
	return sum;
}

// The pattern point of a vertex of a cloth that is not refined.
static drapePatternPoint VertexPoint(drapeClothId cloth, uint32_t vertex)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
	{
		drapePatternPoint point = {i / 3, {i % 3 == 0, i % 3 == 1, i % 3 == 2}};
		if (view.triangles[i] == vertex)
			return point;
	}
	fail_msg("vertex %u is in no triangle", vertex);
	return (drapePatternPoint){0};
}

// Two panels float, one above the other, and a seam joins them. The midpoint rule solves for the middle of the substep and BDF2
// for its end, so one matrix must not hold both sides of the seam.
static void SeamsOfMidpointAndBdf2AddNoMoreEnergyThanTheirWork(void** state)
{
	(void)state;
	drapeWorldId world = MakeWorld(1, floats);
	drapeClothId low = AddSheet(world, drape_integratorImplicitMidpoint, drape_schemeFixed, 0.0f);
	drapeClothId high = AddSheet(world, drape_integratorBdf2, drape_schemeFixed, 0.02f);
	drapeConstraintId seam[quads + 1];
	for (uint32_t i = 0; i <= quads; ++i)
	{
		drapeStitchDef def = drapeDefaultStitchDef();
		def.point = VertexPoint(low, i);
		def.otherCloth = high;
		def.otherPoint = def.point;
		seam[i] = Make_Stitch(low, &def);
		assert_true(drapeConstraint_IsValid(seam[i]));
	}
	double most = 0.0;
	for (int step = 0; step < 120; ++step)
	{
		Hang_Step(world, frame);
		most = fmax(most, KineticEnergy(low) + KineticEnergy(high));
	}
	print_message("kinetic energy: %g J at most\n", most);
	for (uint32_t i = 0; i <= quads; ++i)
		assert_true(drapeConstraint_GetState(seam[i]).isClosed && drapeConstraint_GetState(seam[i]).distance < 5e-4f);
	// The largest work of the stitches: maxForce over the gap.
	assert_true(most < (quads + 1) * 1.0 * 0.02);
	drapeDestroyWorld(world);
}

static void AttachmentsBreakAtTheirDistance(void** state)
{
	(void)state;
	drapeWorldId world = MakeWorld(1, falls);
	drapeClothId cloth = AddSheet(world, drape_integratorBdf2, drape_schemeEdge, 0.0f);
	drapeAttachDef def = drapeDefaultAttachDef();
	def.point = MiddlePoint(cloth);
	def.collider = AddBall(world, (drapeVec3){0.0f, 2.0f, 0.0f});
	def.stiffness = 1.0f;
	def.breakDistance = 0.1f;
	drapeConstraintId id = Make_Attachment(cloth, &def);
	int broken = 0;
	for (int step = 0; step < 120; ++step)
	{
		Hang_Step(world, frame);
		drapeConstraintState found = drapeConstraint_GetState(id);
		broken += found.isBroken;
		assert_int_equal(found.isBroken, found.distance > def.breakDistance);
		assert_true(!found.isBroken || (V3Length(found.force) == 0.0f && !found.isActive));
	}
	assert_true(broken > 30 && broken < 119);
	drapeDestroyWorld(world);
}

// --- time -----------------------------------------------------------------------------------------------------------

static void ConstraintsActFromStartToEnd(void** state)
{
	(void)state;
	drapeWorldId world = MakeWorld(1, falls);
	drapeClothId cloth = AddSheet(world, drape_integratorBdf2, drape_schemeEdge, 0.0f);
	drapeAttachDef def = drapeDefaultAttachDef();
	def.point = MiddlePoint(cloth);
	def.collider = AddBall(world, (drapeVec3){0.0f, 2.0f, 0.0f});
	def.start = 0.2f;
	def.end = 0.5f;
	drapeConstraintId id = Make_Attachment(cloth, &def);
	drapeVec3 caught = {0.0f, 0.0f, 0.0f}, last = caught;
	for (int step = 0; step < 60; ++step)
	{
		if (step == 12)
			caught = PositionOf(cloth, def.point);
		Hang_Step(world, frame);
		drapeVec3 now = PositionOf(cloth, def.point);
		if (step >= 12 && step < 30)
			assert_true(DistanceOf(now, caught) < 2e-3f);
		else
			assert_true(now.y < last.y);
		assert_int_equal(drapeConstraint_GetState(id).isActive, step + 1 >= 12 && step + 1 < 30);
		last = now;
	}
	drapeDestroyWorld(world);
}

static void PinsHoldFromStartToEnd(void** state)
{
	(void)state;
	drapeWorldId world = MakeWorld(1, falls);
	drapeClothId cloth = AddSheet(world, drape_integratorBdf2, drape_schemeEdge, 0.0f);
	drapePinId pin = Make_Pin(cloth, 12);
	assert_int_equal(drapePin_SetTimes(pin, 0.2f, 0.5f), drape_ok);
	ASSERT_REFUSED(assert_int_equal(drapePin_SetTimes(pin, 0.5f, 0.2f), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapePin_SetTimes(pin, NAN, 0.0f), drape_errorArgument));
	drapeVec3 caught = {0.0f, 0.0f, 0.0f}, last = caught;
	for (int step = 0; step < 60; ++step)
	{
		if (step == 12)
			caught = V4Xyz(drapeCloth_GetView(cloth).positions[12]);
		Hang_Step(world, frame);
		drapeVec3 now = V4Xyz(drapeCloth_GetView(cloth).positions[12]);
		if (step >= 12 && step < 30)
			assert_true(DistanceOf(now, caught) < 1e-6f);
		else
			assert_true(now.y < last.y);
		last = now;
	}
	assert_false(drapePin_IsValid(pin));
	ASSERT_REFUSED(assert_int_equal(drapePin_GetParticle(pin), DRAPE_NONE));
	drapeDestroyWorld(world);
}

// Cloth falls through a plane that has not started, rests on it while it exists, and falls on.
static void CollidersActFromStartToEnd(void** state)
{
	(void)state;
	drapeWorldId world = MakeWorld(1, falls);
	drapeClothId cloth = AddSheet(world, drape_integratorImplicitEuler, drape_schemeEdge, 0.0f);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapePlane;
	def.transform.position.y = -0.05f;
	def.start = 0.5f;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &def)));
	Hang_Run(world, 24);
	assert_true(drapeCloth_GetView(cloth).positions[12].y < -0.5f);
	drapeDestroyWorld(world);
	world = MakeWorld(1, falls);
	cloth = AddSheet(world, drape_integratorImplicitEuler, drape_schemeEdge, 0.0f);
	def.transform.position.y = -0.05f;
	def.start = 0.0f;
	def.end = 0.5f;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &def)));
	Hang_Run(world, 29);
	assert_float_equal(drapeCloth_GetView(cloth).positions[12].y, -0.05f, 5e-3f);
	Hang_Run(world, 15);
	assert_true(drapeCloth_GetView(cloth).positions[12].y < -0.1f);
	drapeDestroyWorld(world);
}

// --- contact --------------------------------------------------------------------------------------------------------

// Two sheets with all contact, side by side, sewn along an edge: the seam closes although contact would keep the edges
// apart, and the rest of the sheets stays apart.
static void ContactIgnoresWhatStitchesJoin(void** state)
{
	(void)state;
	drapeWorldId world = MakeWorld(1, floats);
	drapeClothId cloth[2];
	for (int i = 0; i < 2; ++i)
	{
		cloth[i] = AddSheet(world, drape_integratorImplicitEuler, drape_schemeFixed, 0.01f * (float)i);
		drapeCloth_Get(cloth[i])->contact = drape_contactAll;
	}
	drapeConstraintId id[quads + 1];
	drapeClothView view = drapeCloth_GetView(cloth[0]);
	for (uint32_t k = 0; k <= quads; ++k)
	{
		drapeStitchDef def = drapeDefaultStitchDef();
		for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
		{
			if (view.triangles[i] != k)
				continue;
			def.point = (drapePatternPoint){.triangle = i / 3};
			def.point.weights[i % 3] = 1.0f;
		}
		def.otherCloth = cloth[1];
		def.otherPoint = def.point;
		id[k] = Make_Stitch(cloth[0], &def);
		assert_true(drapeConstraint_IsValid(id[k]));
	}
	Hang_Run(world, 90);
	for (uint32_t k = 0; k <= quads; ++k)
	{
		drapeConstraintState found = drapeConstraint_GetState(id[k]);
		assert_true(found.isClosed && found.distance < 1e-4f);
	}
	// The far edges have not passed through each other.
	for (uint32_t k = 0; k <= quads; ++k)
	{
		uint32_t far = quads * (quads + 1) + k;
		assert_true(drapeCloth_GetView(cloth[1]).positions[far].y > drapeCloth_GetView(cloth[0]).positions[far].y);
	}
	drapeDestroyWorld(world);
}

// A pattern point at a vertex.
static drapePatternPoint PointAtVertex(drapeClothId cloth, uint32_t vertex)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	drapePatternPoint point = {0};
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
	{
		if (view.triangles[i] != vertex)
			continue;
		point = (drapePatternPoint){.triangle = i / 3};
		point.weights[i % 3] = 1.0f;
	}
	return point;
}

static uint32_t CountCrossings(drapeWorldId world)
{
	uint32_t count = 0;
	assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &count), drape_ok);
	return count;
}

// Two sheets in the same position touch everywhere. Stitches at all vertices join all triangles that touch: they do not
// count as crossing, and untangling does not move them. The first step has yet to bind the stitches.
static void CrossingsAndUntanglingIgnoreWhatStitchesJoin(void** state)
{
	(void)state;
	const uint32_t vertices = (quads + 1) * (quads + 1);
	drapeWorldId world = MakeWorld(1, floats);
	drapeClothId cloth[2];
	for (int i = 0; i < 2; ++i)
		cloth[i] = AddSheet(world, drape_integratorImplicitEuler, drape_schemeFixed, 0.0f);
	const uint32_t all = CountCrossings(world);
	assert_true(all > 0);
	for (uint32_t k = 0; k < vertices; ++k)
	{
		drapeStitchDef def = drapeDefaultStitchDef();
		def.otherCloth = cloth[1];
		def.point = def.otherPoint = PointAtVertex(cloth[0], k);
		assert_true(drapeConstraint_IsValid(Make_Stitch(cloth[0], &def)));
		if (k == vertices / 2)
			assert_true(CountCrossings(world) > 0 && CountCrossings(world) < all);
	}
	assert_int_equal(CountCrossings(world), 0);
	drapeUntangleDef untangle = drapeDefaultUntangleDef();
	drapeUntangleReport report;
	assert_int_equal(drapeWorld_Untangle(world, &untangle, &report), drape_ok);
	assert_int_equal(report.before, 0);
	assert_int_equal(report.moved, 0);
	drapeDestroyWorld(world);
}

// --- adaptation, snapshots, threads ---------------------------------------------------------------------------------

typedef struct Joined
{
	drapeWorldId world;
	drapeClothId cloth[2];
	drapeColliderId ball;
	drapeConstraintId id[3];
	drapePatternPoint point[2];
	int step;
} Joined;

// Two sheets: one is attached and stitched to the other, which is tethered.
static Joined Joined_Create(uint32_t workers, drapeScheme scheme, drapeIntegrator integrator)
{
	Joined joined = {.world = MakeWorld(workers, falls)};
	for (int i = 0; i < 2; ++i)
	{
		joined.cloth[i] = AddSheet(joined.world, integrator, scheme, -0.05f * (float)i);
		joined.point[i] = MiddlePoint(joined.cloth[i]);
	}
	joined.ball = AddBall(joined.world, (drapeVec3){0.0f, 0.4f, 0.0f});
	drapeAttachDef attach = drapeDefaultAttachDef();
	attach.point = joined.point[0];
	attach.collider = joined.ball;
	joined.id[0] = Make_Attachment(joined.cloth[0], &attach);
	drapeStitchDef stitch = drapeDefaultStitchDef();
	stitch.point = (drapePatternPoint){1, {0.2f, 0.2f, 0.6f}};
	stitch.otherCloth = joined.cloth[1];
	stitch.otherPoint = stitch.point;
	joined.id[1] = Make_Stitch(joined.cloth[0], &stitch);
	drapeTetherDef tether = drapeDefaultTetherDef();
	tether.point = joined.point[1];
	tether.collider = joined.ball;
	tether.anchor = (drapeVec3){0.0f, 0.4f, 0.0f};
	tether.length = 0.5f;
	joined.id[2] = Make_Tether(joined.cloth[1], &tether);
	return joined;
}

// The same edits in the same steps, whatever happened before.
static void Joined_Step(Joined* joined)
{
	int step = joined->step++;
	drapeTransform to = drapeIdentityTransform();
	to.position = (drapeVec3){0.1f * sinf(0.1f * (float)step), 0.4f, 0.0f};
	drapeCollider_SetTransform(joined->ball, to);
	for (int i = 0; i < 2; ++i)
	{
		bool isFixed = drapeCloth_GetAdapt(joined->cloth[i]).scheme == drape_schemeFixed;
		if (!isFixed && step % 20 == 5)
			Hang_SplitSome(joined->cloth[i], 20, (uint64_t)step);
		if (!isFixed && step % 20 == 15)
			assert_int_equal(drapeCloth_Coarsen(joined->cloth[i]), drape_ok);
	}
	Hang_Step(joined->world, frame);
}

static const drapeScheme schemes[3] = {drape_schemeEdge, drape_schemeSqrt3, drape_schemeFixed};

static void ConstraintsSurviveAdaptation(void** state)
{
	(void)state;
	for (int i = 0; i < 6; ++i)
	{
		Joined joined =
			Joined_Create(1, schemes[i % 3], i < 3 ? drape_integratorBdf2 : drape_integratorSymplecticEuler);
		float offset = DistanceOf(PositionOf(joined.cloth[0], joined.point[0]), (drapeVec3){0.0f, 0.4f, 0.0f});
		float worst = 0.0f, longest = 0.0f;
		for (int step = 0; step < 120; ++step)
		{
			Joined_Step(&joined);
			drapeVec3 ball = drapeCollider_GetTransform(joined.ball).position;
			float held = DistanceOf(PositionOf(joined.cloth[0], joined.point[0]), ball);
			float far = DistanceOf(PositionOf(joined.cloth[1], joined.point[1]), ball);
			worst = fmaxf(worst, fabsf(held - offset));
			longest = fmaxf(longest, far);
		}
		print_message("off by %g m, tether of 0.5 m up to %g m, seam %g m\n", (double)worst, (double)longest,
		              (double)drapeConstraint_GetState(joined.id[1]).distance);
		assert_true(worst < 2e-3f && longest < 0.506f);
		assert_true(drapeConstraint_GetState(joined.id[1]).isClosed);
		assert_true(drapeConstraint_GetState(joined.id[1]).distance < 2e-3f);
		Sheet_Check(joined.world);
		drapeDestroyWorld(joined.world);
	}
}

static void SnapshotsKeepConstraintsBitForBit(void** state)
{
	(void)state;
	for (int i = 0; i < 6; ++i)
	{
		drapeIntegrator integrator = i < 3 ? drape_integratorBdf2 : drape_integratorSymplecticEuler;
		Joined first = Joined_Create(1, schemes[i % 3], integrator);
		for (int step = 0; step < 27; ++step)
			Joined_Step(&first);
		size_t size = Make_Snapshot(first.world, NULL, 0);
		void* data = malloc(size);
		assert_non_null(data);
		assert_int_equal(Make_Snapshot(first.world, data, size), size);
		// Other threads, and constraints that the snapshot replaces.
		Joined second = Joined_Create(2, schemes[i % 3], integrator);
		drapeDestroyConstraint(second.id[0]);
		assert_int_equal(drapeWorld_Load(second.world, data, size), drape_ok);
		second.step = first.step;
		for (int step = 0; step < 40; ++step)
		{
			Joined_Step(&first);
			Joined_Step(&second);
			assert_true(drapeWorld_GetHash(first.world) == drapeWorld_GetHash(second.world));
		}
		for (int k = 0; k < 3; ++k)
		{
			drapeConstraintState a = drapeConstraint_GetState(first.id[k]), b = drapeConstraint_GetState(second.id[k]);
			assert_true(a.distance == b.distance && a.force.y == b.force.y && a.isClosed == b.isClosed);
		}
		free(data);
		drapeDestroyWorld(first.world);
		drapeDestroyWorld(second.world);
	}
}

static void ThreadsChangeNoBit(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		drapeIntegrator integrator = i ? drape_integratorBdf2 : drape_integratorSymplecticEuler;
		Joined one = Joined_Create(1, drape_schemeEdge, integrator);
		Joined two = Joined_Create(2, drape_schemeEdge, integrator);
		for (int step = 0; step < 60; ++step)
		{
			Joined_Step(&one);
			Joined_Step(&two);
			assert_true(drapeWorld_GetHash(one.world) == drapeWorld_GetHash(two.world));
		}
		drapeDestroyWorld(one.world);
		drapeDestroyWorld(two.world);
	}
}

// --- mistakes -------------------------------------------------------------------------------------------------------

static void BadArgumentsAreRefused(void** state)
{
	(void)state;
	drapeWorldId world = MakeWorld(1, falls), other = MakeWorld(1, falls);
	drapeClothId cloth = AddSheet(world, drape_integratorBdf2, drape_schemeEdge, 0.0f);
	drapeClothId stranger = AddSheet(other, drape_integratorBdf2, drape_schemeEdge, 0.0f);
	drapeColliderId ball = AddBall(world, (drapeVec3){0.0f, 2.0f, 0.0f});
	for (int i = 0; i < 9; ++i)
	{
		drapeResult result = drape_ok;
		drapeAttachDef def = drapeDefaultAttachDef();
		def.collider = i == 0 ? (drapeColliderId){0} : ball;
		def.point.triangle = i == 1 ? 1000 : 0;
		def.point.weights[0] = i == 2 ? 2.0f : 1.0f;
		def.stiffness = i == 3 ? -1.0f : 0.0f;
		def.damping = i == 4 ? NAN : 0.0f;
		def.start = i == 5 ? 2.0f : 0.0f;
		def.end = i == 5 ? 1.0f : 0.0f;
		def.offset = i == 6 ? INFINITY : 0.0f;
		def.breakDistance = i == 7 ? -1.0f : 0.0f;
		def.cookie = i == 8 ? 0 : def.cookie;
		drapeConstraintId id = {0};
		ASSERT_REFUSED(result = drapeCreateAttachment(cloth, &def, &id));
		assert_false(drapeConstraint_IsValid(id));
		assert_int_equal(result, drape_errorArgument);
	}
	for (int i = 0; i < 4; ++i)
	{
		drapeResult result = drape_ok;
		drapeStitchDef def = drapeDefaultStitchDef();
		def.otherCloth = i == 0 ? stranger : cloth;
		def.otherPoint.triangle = i == 1 ? 0 : 3;
		def.speed = i == 2 ? 0.0f : 1.0f;
		def.maxForce = i == 3 ? 0.0f : 1.0f;
		drapeConstraintId id = {0};
		ASSERT_REFUSED(result = drapeCreateStitch(cloth, &def, &id));
		assert_false(drapeConstraint_IsValid(id));
		assert_int_equal(result, drape_errorArgument);
	}
	drapeTetherDef tether = drapeDefaultTetherDef();
	tether.anchor.x = NAN;
	ASSERT_REFUSED(assert_false(drapeConstraint_IsValid(Make_Tether(cloth, &tether))));
	drapeDestroyWorld(world);
	drapeDestroyWorld(other);
}

static void ConstraintsGoWithTheirClothsAndColliders(void** state)
{
	(void)state;
	Joined joined = Joined_Create(1, drape_schemeEdge, drape_integratorBdf2);
	Joined_Step(&joined);
	drapeDestroyCollider(joined.ball);
	assert_false(drapeConstraint_IsValid(joined.id[0]));
	assert_true(drapeConstraint_IsValid(joined.id[1]));
	assert_false(drapeConstraint_IsValid(joined.id[2]));
	drapeDestroyCloth(joined.cloth[1]);
	assert_false(drapeConstraint_IsValid(joined.id[1]));
	Hang_Run(joined.world, 3);
	drapeDestroyWorld(joined.world);
}

// A failed allocation fails the step and changes nothing.
static void MissingMemoryChangesNothing(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		uint32_t failures = 0;
		for (size_t number = 1;; ++number)
		{
			Test_FailAllocation(0, false);
			Joined joined =
				Joined_Create(1, drape_schemeEdge, i ? drape_integratorBdf2 : drape_integratorSymplecticEuler);
			uint64_t before = drapeWorld_GetHash(joined.world);
			drapeDestroyWorld(joined.world);
			Test_FailAllocation(100000000, false);
			joined = Joined_Create(1, drape_schemeEdge, i ? drape_integratorBdf2 : drape_integratorSymplecticEuler);
			size_t used = Test_AllocationCount();
			drapeDestroyWorld(joined.world);
			Test_FailAllocation(used + number, false);
			joined = Joined_Create(1, drape_schemeEdge, i ? drape_integratorBdf2 : drape_integratorSymplecticEuler);
			drapeResult result = drapeWorld_Step(joined.world, frame);
			bool wasReached = Test_AllocationCount() >= used + number;
			assert_true(result == drape_ok || result == drape_errorMemory);
			if (result != drape_ok)
			{
				failures++;
				assert_true(drapeWorld_GetHash(joined.world) == before);
				assert_int_equal(drapeWorld_Step(joined.world, frame), drape_ok);
			}
			drapeDestroyWorld(joined.world);
			Test_FailAllocation(0, false);
			if (!wasReached)
				break;
			number += isSlow ? 6 : 0;
		}
		print_message("%u failures\n", failures);
		assert_true(failures > 3);
	}
}

static void SettledStepsAllocateNothing(void** state)
{
	(void)state;
	Joined joined = Joined_Create(1, drape_schemeFixed, drape_integratorBdf2);
	for (int i = 0; i < 30; ++i)
		Joined_Step(&joined);
	size_t before = drapeGetMemoryUse().allocations;
	for (int i = 0; i < 30; ++i)
		Joined_Step(&joined);
	assert_int_equal(drapeGetMemoryUse().allocations, before);
	drapeDestroyWorld(joined.world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(SoftAttachmentsStretchByLoadOverStiffness),
		cmocka_unit_test(HardAttachmentsFollowTheCollider),
		cmocka_unit_test(TethersLimitTheDistanceAndAreFreeBelow),
		cmocka_unit_test(StitchesCloseAtALimitedSpeedAndForceAndHold),
		cmocka_unit_test(StitchesJoinClothsOfDifferentIntegrators),
		cmocka_unit_test(SeamsOfMidpointAndBdf2AddNoMoreEnergyThanTheirWork),
		cmocka_unit_test(AttachmentsBreakAtTheirDistance),
		cmocka_unit_test(ConstraintsActFromStartToEnd),
		cmocka_unit_test(PinsHoldFromStartToEnd),
		cmocka_unit_test(CollidersActFromStartToEnd),
		cmocka_unit_test(ContactIgnoresWhatStitchesJoin),
		cmocka_unit_test(CrossingsAndUntanglingIgnoreWhatStitchesJoin),
		cmocka_unit_test(ConstraintsSurviveAdaptation),
		cmocka_unit_test(SnapshotsKeepConstraintsBitForBit),
		cmocka_unit_test(ThreadsChangeNoBit),
		cmocka_unit_test(BadArgumentsAreRefused),
		cmocka_unit_test(ConstraintsGoWithTheirClothsAndColliders),
		cmocka_unit_test(MissingMemoryChangesNothing),
		cmocka_unit_test(SettledStepsAllocateNothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
