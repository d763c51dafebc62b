// SPDX-License-Identifier: MIT
#include "model/model.h"

// Finite elements as other models are used: forces added to particles, for explicit integrators.

typedef struct FemTask
{
	const Model* model;
	MembraneQuery query;
	Vec4* force;
} FemTask;

enum
{
	triangleGrain = 512,
};

static void EvaluateRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FemTask* task = context;
	drapeMembrane_Evaluate(&task->model->membrane, &task->query, start, end, task->model->elementForce.data, NULL);
}

static void AddForces(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const FemTask* task = context;
	for (uint32_t i = start; i < end; ++i)
	{
		const Vec4* element = &task->model->elementForce.data[3 * color->item[i]];
		for (int k = 0; k < 3; ++k)
		{
			Vec4* force = &task->force[color->particle[k][i]];
			force->x += element[k].x;
			force->y += element[k].y;
			force->z += element[k].z;
		}
	}
}

void drapeFem_AddStretch(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	FemTask task = {
		.model = model,
		.query = {.position = state->position, .velocity = state->velocity, .dampingTime = model->material.dampingTime},
		.force = force,
	};
	drapeTaskPool_For(tasks, model->membrane.count, triangleGrain, EvaluateRange, &task);
	drapeColorGraph_For(&model->triangles, tasks, AddForces, &task);
}

// Elements overlap, so one after the other.
void drapeFem_AddBending(const Model* model, const ModelState* state, Vec4* force)
{
	const BendLaw* law = &model->curvature.law;
	float tau = model->material.dampingTime;
	for (uint32_t t = 0; t < model->curvature.elements.count; ++t)
	{
		const CurvatureElement* element = &model->curvature.elements.data[t];
		const float moduli[3] = {law->warp, law->weft, 2.0f * law->twist};
		for (int c = 0; c < 3; ++c)
		{
			Vec3 moment = {0.0f, 0.0f, 0.0f};
			for (uint32_t k = 0; k < element->count; ++k)
			{
				Vec3 x = V4Xyz(state->position[element->node[k]]), v = V4Xyz(state->velocity[element->node[k]]);
				moment = V3Add(moment, V3Scale(element->weight[c][k], V3Add(x, V3Scale(tau, v))));
			}
			moment = V3Scale(-element->area * moduli[c], moment);
			for (uint32_t k = 0; k < element->count; ++k)
			{
				Vec4* f = &force[element->node[k]];
				f->x += element->weight[c][k] * moment.x;
				f->y += element->weight[c][k] * moment.y;
				f->z += element->weight[c][k] * moment.z;
			}
		}
	}
	drapeCurvature_AddRestForces(&model->curvature, state->position, force);
}

// Rows of the stiffness: |K_ab| is at most area C |g_a| |g_b|.
void drapeFem_AddStiffness(const Model* model, float* rowSum)
{
	const Membrane* membrane = &model->membrane;
	float steepest = drapeMembrane_SteepestSlope(membrane) + fabsf(membrane->c12);
	for (uint32_t t = 0; t < membrane->count; ++t)
	{
		const float g[4] = {membrane->gradient[0][t], membrane->gradient[1][t], membrane->gradient[2][t],
		                    membrane->gradient[3][t]};
		float length[3] = {hypotf(g[0] + g[2], g[1] + g[3]), hypotf(g[0], g[1]), hypotf(g[2], g[3])};
		float sum = length[0] + length[1] + length[2];
		for (int k = 0; k < 3; ++k)
			rowSum[membrane->corner[k][t]] += membrane->area[t] * steepest * length[k] * sum;
	}
	for (uint32_t t = 0; t < model->curvature.elements.count; ++t)
	{
		const CurvatureElement* element = &model->curvature.elements.data[t];
		float hessian[curvatureNodes][curvatureNodes];
		drapeCurvature_Hessian(element, &model->curvature.law, hessian);
		for (uint32_t a = 0; a < element->count; ++a)
		{
			for (uint32_t b = 0; b < element->count; ++b)
				rowSum[element->node[a]] += fabsf(hessian[a][b]);
		}
	}
}
