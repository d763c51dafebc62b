// SPDX-License-Identifier: MIT
#include "model/model.h"

// Finite elements as energies: the membrane, and bending by curvature.

// --- membrane -------------------------------------------------------------------------------------------------------

static bool FollowMembrane(Model* model, const ActiveMesh* mesh, TaskPool* tasks)
{
	(void)tasks;
	return drapeMembrane_Follow(&model->membrane, mesh) &&
	       (model->usesElements || ArrayReserve(&model->elementForce, 3 * (mesh->triangleCount + 8)));
}

static void EvaluateMembrane(const Model* model, const EdgeElements* elements, const EnergyQuery* query, uint32_t start,
                             uint32_t end, Vec4* force, Vec4* block)
{
	(void)elements;
	drapeMembrane_Evaluate(&model->membrane, query, start, end, force, block);
}

static float GreatestMembraneStiffness(const Model* model, const EdgeElements* elements)
{
	(void)elements;
	return drapeMembrane_SteepestSlope(&model->membrane, false);
}

// Triangles first write their forces each for itself, then the colours add them.
typedef struct FemTask
{
	const Model* model;
	EnergyQuery query;
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

static void AddStretch(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	DRAPE_ASSERT(model->membrane.revision != 0 && model->elementForce.capacity >= 3 * model->membrane.count);
	FemTask task = {
		.model = model,
		.query = {.position = state->position, .velocity = state->velocity, .dampingTime = model->material.dampingTime},
		.force = force,
	};
	drapeTaskPool_For(tasks, model->membrane.count, triangleGrain, EvaluateRange, &task);
	drapeColorGraph_For(&model->triangles, tasks, AddForces, &task);
}

// Rows of the stiffness: |K_ab| is at most area C |g_a| |g_b|.
static void AddMembraneRows(const Model* model, const ActiveMesh* mesh, float* rowSum)
{
	(void)mesh;
	const Membrane* membrane = &model->membrane;
	float steepest = drapeMembrane_SteepestSlope(membrane, true) + fabsf(membrane->c12);
	for (uint32_t t = 0; t < membrane->count; ++t)
	{
		const float g[4] = {membrane->gradient[0][t], membrane->gradient[1][t], membrane->gradient[2][t],
		                    membrane->gradient[3][t]};
		float length[3] = {Math_HypotF(g[0] + g[2], g[1] + g[3]), Math_HypotF(g[0], g[1]), Math_HypotF(g[2], g[3])};
		float sum = length[0] + length[1] + length[2];
		for (int k = 0; k < 3; ++k)
			rowSum[membrane->corner[k][t]] += membrane->area[t] * steepest * length[k] * sum;
	}
}

static double MembraneEnergy(const Model* model, const Vec4* position)
{
	return drapeMembrane_Energy(&model->membrane, position);
}

const EnergyClass drapeEnergy_membrane = {
	.name = "membrane",
	.elements = elementTriangle,
	.follow = FollowMembrane,
	.evaluate = EvaluateMembrane,
	.greatestStiffness = GreatestMembraneStiffness,
	.addForces = AddStretch,
	.addStiffness = AddMembraneRows,
	.energy = MembraneEnergy,
};

// --- curvature ------------------------------------------------------------------------------------------------------

static bool FollowCurvature(Model* model, const ActiveMesh* mesh, TaskPool* tasks)
{
	return drapeCurvature_Follow(&model->curvature, mesh, tasks);
}

static QuadraticEnergy DescribeCurvature(const Model* model)
{
	DRAPE_ASSERT(model->kind == drape_modelFem);
	return drapeCurvature_Describe(&model->curvature);
}

static void FindFriction(const Model* model, const InternalFrictionQuery* query, Vec4* force, TaskPool* tasks)
{
	drapeCurvature_FindFriction(&model->curvature, query, force, tasks);
}

static size_t FrictionRows(const Model* model, uint32_t particleCount)
{
	return drapeCurvature_FrictionRows(&model->curvature, particleCount);
}

// Elements overlap, so forces are added one element after the other.
static void AddBending(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	(void)tasks;
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

static void AddCurvatureRows(const Model* model, const ActiveMesh* mesh, float* rowSum)
{
	(void)mesh;
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

static double CurvatureEnergy(const Model* model, const Vec4* position)
{
	return drapeCurvature_Energy(&model->curvature, position);
}

static void AddRestForces(const Model* model, const Vec4* position, Vec4* force)
{
	drapeCurvature_AddRestForces(&model->curvature, position, force);
}

static const QuadraticClass quadratic = {
	.describe = DescribeCurvature,
	.addRestForces = AddRestForces,
	.findFriction = FindFriction,
	.frictionRows = FrictionRows,
};

const EnergyClass drapeEnergy_curvature = {
	.name = "curvature",
	.isBending = true,
	.follow = FollowCurvature,
	.quadratic = &quadratic,
	.addForces = AddBending,
	.addStiffness = AddCurvatureRows,
	.energy = CurvatureEnergy,
};
