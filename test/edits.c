// SPDX-License-Identifier: MIT
#include "edits.h"

#include "rig.h"

EditSummary Edits_Breathe(const EditedMesh* mesh, Random* random)
{
	double angle = Rig_LeastAngle(mesh->active);
	EditSummary summary = {.patternAngle = angle, .leastAngle = angle};
	uint32_t nextCheck = 0;
	while (summary.done < editsPerMesh)
	{
		// Most passes are small, some are large.
		float splitChance = summary.done / 1500 % 2 ? mesh->shrinkChance : mesh->growChance;
		uint32_t edits = Random_Below(random, 20) ? 1 + Random_Below(random, 8) : 200;
		summary.done += mesh->pass(mesh->rig, random, edits, splitChance);
		summary.mostTriangles = MaxU32(summary.mostTriangles, mesh->active->triangleCount);
		if (summary.done >= nextCheck)
		{
			mesh->check(mesh->rig);
			summary.leastAngle = fmin(summary.leastAngle, Rig_LeastAngle(mesh->active));
			nextCheck = summary.done + 500;
		}
	}
	mesh->check(mesh->rig);
	return summary;
}

// Of all particles; `scale` is the sum of its lengths.
static void Momentum(const ActiveMesh* active, double* sum, double* scale)
{
	sum[0] = sum[1] = sum[2] = *scale = 0.0;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		double mass = (double)active->share[i] * active->areaUnit * (double)active->density;
		Vec4 v = active->velocity[i];
		sum[0] += mass * (double)v.x;
		sum[1] += mass * (double)v.y;
		sum[2] += mass * (double)v.z;
		*scale += mass * sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z));
	}
}

static int64_t SumOfShares(const ActiveMesh* active)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < active->particleCount; ++i)
		sum += active->share[i];
	return sum;
}

void Edits_KeepMassAndMomentum(const EditedMesh* mesh, Random* random, double part)
{
	ActiveMesh* active = mesh->active;
	int64_t shares = SumOfShares(active);
	for (int pass = 0; pass < 200; ++pass)
	{
		double before[3], after[3], scale;
		for (uint32_t p = 0; p < active->particleCount; ++p)
		{
			Vec4* v = &active->velocity[p];
			v->x = Random_Range(random, -1.0f, 1.0f);
			v->y = Random_Range(random, -1.0f, 1.0f);
			v->z = Random_Range(random, -1.0f, 1.0f);
		}
		Momentum(active, before, &scale);
		mesh->pass(mesh->rig, random, 1 + Random_Below(random, 60),
		           pass / 20 % 2 ? mesh->shrinkChance : mesh->growChance);
		Momentum(active, after, &scale);
		for (int k = 0; k < 3; ++k)
			assert_true(fabs(after[k] - before[k]) <= part * scale);
		assert_true(SumOfShares(active) == shares);
	}
}
