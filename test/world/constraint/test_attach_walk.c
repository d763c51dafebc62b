// SPDX-License-Identifier: MIT
#include "hang.h"
#include "shared/make.h"
#include "meshes.h"
#include "walker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A skirt on a body that walks: its waistband stays where it was put on the skin.

enum
{
	around = 32,
	along = 8,
};

static const float fromSkin = 0.006f;

// A point of the skin in doubles: a triangle, weights, and an offset in the triangle's frame.
typedef struct SkinPoint
{
	uint32_t triangle;
	double weight[3], offset[3];
} SkinPoint;

typedef struct Frame
{
	double point[3], axis[3][3];
} Frame;

static double Dot(const double* a, const double* b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void Normalize(double* a)
{
	double length = sqrt(Dot(a, a));
	for (int i = 0; i < 3; ++i)
		a[i] /= length;
}

static void Cross(const double* a, const double* b, double* c)
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}

static Frame FrameAt(const drapeMesh* mesh, const drapeVec3* positions, const SkinPoint* point)
{
	Frame axes = {0};
	double corner[3][3], side[3];
	for (int k = 0; k < 3; ++k)
	{
		drapeVec3 p = positions[mesh->triangles[3 * point->triangle + k]];
		const double own[3] = {(double)p.x, (double)p.y, (double)p.z};
		memcpy(corner[k], own, sizeof own);
		for (int a = 0; a < 3; ++a)
			axes.point[a] += point->weight[k] * own[a];
	}
	for (int a = 0; a < 3; ++a)
	{
		axes.axis[0][a] = corner[1][a] - corner[0][a];
		side[a] = corner[2][a] - corner[0][a];
	}
	Cross(axes.axis[0], side, axes.axis[2]);
	Normalize(axes.axis[0]);
	Normalize(axes.axis[2]);
	Cross(axes.axis[2], axes.axis[0], axes.axis[1]);
	return axes;
}

// The triangle whose plane is nearest among those that the point is above. Beside an edge another triangle may be
// nearer; then the two frames turn against each other by the bending of the skin, a fraction of a millimetre.
static SkinPoint PutOn(const drapeMesh* mesh, const drapeVec3* positions, drapeVec3 at)
{
	SkinPoint best = {.triangle = DRAPE_NONE};
	double nearest = 1e9;
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		SkinPoint point = {.triangle = t, .weight = {1.0, 0.0, 0.0}};
		Frame axes = FrameAt(mesh, positions, &point);
		double from[3] = {(double)at.x - axes.point[0], (double)at.y - axes.point[1], (double)at.z - axes.point[2]};
		double x = Dot(from, axes.axis[0]), y = Dot(from, axes.axis[1]), height = Dot(from, axes.axis[2]);
		drapeVec3 a = positions[mesh->triangles[3 * t]], b = positions[mesh->triangles[3 * t + 1]];
		drapeVec3 c = positions[mesh->triangles[3 * t + 2]];
		const double toB[3] = {(double)(b.x - a.x), (double)(b.y - a.y), (double)(b.z - a.z)};
		const double toC[3] = {(double)(c.x - a.x), (double)(c.y - a.y), (double)(c.z - a.z)};
		double bx = Dot(toB, axes.axis[0]), cx = Dot(toC, axes.axis[0]), cy = Dot(toC, axes.axis[1]);
		double w2 = y / cy, w1 = (x - cx * w2) / bx;
		if (w1 < -0.05 || w2 < -0.05 || w1 + w2 > 1.05 || fabs(height) > nearest || height < 0.0)
			continue;
		nearest = height;
		best = (SkinPoint){t, {1.0 - w1 - w2, w1, w2}, {0.0, 0.0, height}};
	}
	assert_true(best.triangle != DRAPE_NONE);
	return best;
}

static drapeVec3 SkinAt(const drapeMesh* mesh, const drapeVec3* positions, const SkinPoint* point)
{
	Frame axes = FrameAt(mesh, positions, point);
	double sum[3];
	for (int a = 0; a < 3; ++a)
		sum[a] = axes.point[a] + point->offset[0] * axes.axis[0][a] + point->offset[1] * axes.axis[1][a] +
		         point->offset[2] * axes.axis[2][a];
	return (drapeVec3){(float)sum[0], (float)sum[1], (float)sum[2]};
}

typedef struct Walk
{
	drapeWorldId world;
	drapeColliderId body;
	drapeClothId skirt;
	drapeMesh mesh;
	SkinPoint skin[around];
	drapePatternPoint band[around];
	drapeConstraintId attachments[around];
} Walk;

// A pattern point at a vertex.
static drapePatternPoint PointAt(const drapeMesh* mesh, uint32_t vertex)
{
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
	{
		if (mesh->triangles[i] != vertex)
			continue;
		drapePatternPoint point = {i / 3, {0.0f, 0.0f, 0.0f}};
		point.weights[i % 3] = 1.0f;
		return point;
	}
	fail();
	return (drapePatternPoint){0};
}

static Walk Walk_Create(drapeScheme scheme, bool isPinned)
{
	Walk walk = {.mesh = Walker_Mesh()};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	walk.world = Make_World(&worldDef);
	drapeColliderDef body = drapeDefaultColliderDef();
	body.shape = drape_shapeMesh;
	body.mesh = &walk.mesh;
	walk.body = Make_Collider(walk.world, &body);
	assert_true(drapeCollider_IsValid(walk.body));
	drapeMesh skirt = Walker_Skirt(around, along, fromSkin);
	drapeClothDef def = Hang_Def();
	def.mesh = &skirt;
	def.solver = drapeDefaultSolverDef();
	def.adapt = drapeDefaultAdaptDef();
	def.adapt.scheme = scheme;
	def.adapt.maxLevel = 1;
	walk.skirt = Make_Cloth(walk.world, &def);
	assert_true(drapeCloth_IsValid(walk.skirt));
	for (uint32_t i = 0; i < around; ++i)
	{
		walk.band[i] = PointAt(&skirt, i);
		walk.skin[i] = PutOn(&walk.mesh, walk.mesh.positions, skirt.positions[i]);
		if (isPinned)
		{
			drapePin_SetCollider(Make_Pin(walk.skirt, i), walk.body);
			continue;
		}
		drapeAttachDef attach = drapeDefaultAttachDef();
		attach.point = walk.band[i];
		attach.collider = walk.body;
		walk.attachments[i] = Make_Attachment(walk.skirt, &attach);
		assert_true(drapeConstraint_IsValid(walk.attachments[i]));
	}
	TestMesh_Free(&skirt);
	return walk;
}

static float Walk_Step(Walk* walk, int step)
{
	drapeVec3 positions[walkerVertices], band[around];
	Walker_Positions(frame * (float)(step + 1), positions);
	assert_int_equal(drapeCollider_SetPositions(walk->body, positions, walkerVertices), drape_ok);
	Hang_Step(walk->world, frame);
	assert_int_equal(drapeCloth_Evaluate(walk->skirt, walk->band, around, band, NULL), drape_ok);
	float worst = 0.0f;
	for (uint32_t i = 0; i < around; ++i)
	{
		worst = fmaxf(worst, V3Length(V3Sub(band[i], SkinAt(&walk->mesh, positions, &walk->skin[i]))));
		if (walk->attachments[i].index1 > 0)
			assert_true(drapeConstraint_GetState(walk->attachments[i]).distance < 2e-4f);
	}
	return worst;
}

static void AWaistbandStaysOnTheSkinWithinAMillimetre(void** state)
{
	(void)state;
	const drapeScheme schemes[3] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < (isSlow ? 1 : 3); ++i)
	{
		Walk walk = Walk_Create(schemes[i], false);
		float worst = 0.0f;
		for (int step = 0; step < (isSlow ? 40 : 150); ++step)
			worst = fmaxf(worst, Walk_Step(&walk, step));
		print_message("off by %g m at most, %u triangles\n", (double)worst,
		              drapeCloth_GetView(walk.skirt).triangleCount);
		assert_true(worst < 1e-3f);
		Hang_Check(walk.skirt);
		drapeDestroyWorld(walk.world);
	}
}

static void PinsFollowABodyThatDeforms(void** state)
{
	(void)state;
	Walk walk = Walk_Create(drape_schemeFixed, true);
	float worst = 0.0f;
	for (int step = 0; step < 60; ++step)
		worst = fmaxf(worst, Walk_Step(&walk, step));
	print_message("off by %g m at most\n", (double)worst);
	assert_true(worst < 1e-3f);
	drapeDestroyWorld(walk.world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AWaistbandStaysOnTheSkinWithinAMillimetre),
		cmocka_unit_test(PinsFollowABodyThatDeforms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
