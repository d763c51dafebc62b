// SPDX-License-Identifier: MIT
#include "model/springs.h"

#include "base/simd.h"

// A spring on every active edge. With the area law the sheet behaves like a material of Young's modulus E whatever the
// mesh (Van Gelder, Approximate simulation of elastic membranes by triangulated spring meshes, 1998); the length law is
// the thesis's.

static float SpringConstant(const Model* model, const ActiveMesh* mesh, uint32_t edge)
{
	float modulus = 0.5f * (model->material.stretchWarp + model->material.stretchWeft), length = mesh->restLength[edge];
	if (model->springs.law == drape_springLength)
	{
		// k_e = k_g / l * (2/3)^level   Simnett 2012, eq. 3.6.5
		return modulus / length * powf(2.0f / 3.0f, (float)mesh->edgeLevel[edge]);
	}
	float area = 0.0f;
	for (int side = 0; side < 2; ++side)
	{
		uint32_t triangle = mesh->wings[edge].triangle[side];
		area += triangle == DRAPE_NONE ? 0.0f : mesh->area[triangle];
	}
	return modulus * area / (length * length);
}

bool drapeModel_DescribeStretch(const void* context, uint32_t edge, GraphElement* element)
{
	const ModelContext* c = context;
	element->particle[0] = c->mesh->edgeFrom[edge];
	element->particle[1] = c->mesh->edgeTo[edge];
	element->param[0] = c->mesh->restLength[edge];
	element->param[1] = SpringConstant(c->model, c->mesh, edge);
	return true;
}

typedef struct SpringTask
{
	const ModelState* state;
	Vec4* force;
	float dampingTime;
	bool projected;
} SpringTask;

// f = k (|d| - l) d / |d|, and damping k tau times the velocity difference, or its part along d
// (tutorial, eq. 3 and 4).
static void AddSprings(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const SpringTask* task = context;
	const F8 tau = F8_Splat(task->dampingTime), tiny = F8_Splat(1e-20f);
	uint32_t padA[8], padB[8];
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t count = MinU32(8, end - i);
		const uint32_t *a = Lanes(&color->particle[0][i], count, padA), *b = Lanes(&color->particle[1][i], count, padB);
		F8 rest = F8_Load(&color->param[0][i]), stiffness = F8_Load(&color->param[1][i]);
		V8 d = V8_Sub(V8_Gather(task->state->position, b), V8_Gather(task->state->position, a));
		F8 length2 = F8_Max(V8_Dot(d, d), tiny), length = F8_Sqrt(length2);
		F8 scale = F8_Div(F8_Mul(stiffness, F8_Sub(length, rest)), length), damping = F8_Mul(tau, stiffness);
		V8 f = V8_Scale(scale, d);
		if (task->dampingTime > 0.0f)
		{
			V8 u = V8_Sub(V8_Gather(task->state->velocity, b), V8_Gather(task->state->velocity, a));
			if (task->projected)
				f = V8_Scale(F8_Add(scale, F8_Div(F8_Mul(damping, V8_Dot(u, d)), length2)), d);
			else
				f = V8_Add(f, V8_Scale(damping, u));
		}
		V8_ScatterAdd(task->force, a, count, f);
		V8_ScatterAdd(task->force, b, count, V8_Scale(F8_Splat(-1.0f), f));
	}
}

static void AddGraph(const Model* model, const ColorGraph* graph, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	SpringTask task = {state, force, model->material.dampingTime, model->springs.damping == drape_dampingProjected};
	drapeColorGraph_For(graph, tasks, AddSprings, &task);
}

void drapeModel_AddStretch(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	if (model->kind == drape_modelFem)
		drapeFem_AddStretch(model, state, force, tasks);
	else
		AddGraph(model, &model->stretch, state, force, tasks);
}

void drapeModel_AddBendSprings(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	AddGraph(model, &model->bend, state, force, tasks);
}

double drapeModel_SpringEnergy(const ColorGraph* graph, const Vec4* position)
{
	double energy = 0.0;
	for (uint32_t c = 0; c < graphColors; ++c)
	{
		const GraphColor* color = &graph->colors[c];
		for (uint32_t i = 0; i < color->count; ++i)
		{
			float length =
				V3Length(V3Sub(V4Xyz(position[color->particle[1][i]]), V4Xyz(position[color->particle[0][i]])));
			float excess = length - color->param[0][i];
			energy += 0.5 * (double)(color->param[1][i] * excess * excess);
		}
	}
	return energy;
}

double drapeModel_StretchEnergy(const Model* model, const Vec4* position)
{
	return model->kind == drape_modelFem ? drapeMembrane_Energy(&model->membrane, position)
	                                     : drapeModel_SpringEnergy(&model->stretch, position);
}
