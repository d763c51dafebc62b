// SPDX-License-Identifier: MIT
#include "model/model.h"

#include "base/simd.h"

// A spring on every active edge. With the area law the sheet behaves like a material of Young's modulus E whatever the
// mesh (Van Gelder, Approximate simulation of elastic membranes by triangulated spring meshes, 1998); the length law is
// the thesis's.

static float SpringConstant(const Model* model, const ActiveMesh* mesh, uint32_t edge)
{
	DRAPE_ASSERT(mesh->restLength[edge] > 0.0f);
	float modulus = 0.5f * (model->material.stretchWarp + model->material.stretchWeft), length = mesh->restLength[edge];
	if (model->springs.law == drape_springLength)
	{
		// k_e = k_g / l * (2/3)^level   Simnett 2012, eq. 3.6.5
		return modulus / length * drapeMath_PowF(2.0f / 3.0f, (float)mesh->edgeLevel[edge]);
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
	DRAPE_ASSERT(edge < ((const ModelContext*)context)->mesh->edgeCount);
	const ModelContext* c = context;
	element->particle[0] = c->mesh->edgeFrom[edge];
	element->particle[1] = c->mesh->edgeTo[edge];
	element->param[0] = c->mesh->restLength[edge];
	element->param[1] = SpringConstant(c->model, c->mesh, edge);
	return true;
}

// --- explicit integrators -------------------------------------------------------------------------------------------

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
	DRAPE_ASSERT(graph->arity == 2);
	SpringTask task = {state, force, model->material.dampingTime, model->springs.damping == drape_dampingProjected};
	drapeColorGraph_For(graph, tasks, AddSprings, &task);
}

static void AddStretch(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	AddGraph(model, &model->stretch, state, force, tasks);
}

static void AddBending(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	AddGraph(model, &model->bend, state, force, tasks);
}

// A spring of constant k adds 2 k to the rows of its ends.
static void AddRowSums(const ColorGraph* graph, float* sum)
{
	for (uint32_t c = 0; c < graphColors; ++c)
	{
		const GraphColor* color = &graph->colors[c];
		for (uint32_t i = 0; i < color->count; ++i)
		{
			sum[color->particle[0][i]] += 2.0f * color->param[1][i];
			sum[color->particle[1][i]] += 2.0f * color->param[1][i];
		}
	}
}

static void AddStretchRows(const Model* model, const ActiveMesh* mesh, float* rowSum)
{
	(void)mesh;
	AddRowSums(&model->stretch, rowSum);
}

static void AddBendRows(const Model* model, const ActiveMesh* mesh, float* rowSum)
{
	(void)mesh;
	AddRowSums(&model->bend, rowSum);
}

// --- energy ---------------------------------------------------------------------------------------------------------

static double GraphEnergy(const ColorGraph* graph, const Vec4* position)
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

// Beyond the limit of stretch.
static double LimitEnergy(const Model* model, const ColorGraph* graph, const Vec4* position)
{
	double energy = 0.0;
	for (uint32_t c = 0; c < graphColors; ++c)
	{
		const GraphColor* color = &graph->colors[c];
		for (uint32_t i = 0; i < color->count; ++i)
		{
			float length =
				V3Length(V3Sub(V4Xyz(position[color->particle[1][i]]), V4Xyz(position[color->particle[0][i]])));
			float excess = MaxNumF(length - model->springLimit * color->param[0][i], 0.0f);
			energy += 0.5 * (double)(model->limitFactor * color->param[1][i] * excess * excess);
		}
	}
	return energy;
}

static double StretchEnergy(const Model* model, const Vec4* position)
{
	double energy = GraphEnergy(&model->stretch, position);
	return model->springLimit > 0.0f ? energy + LimitEnergy(model, &model->stretch, position) : energy;
}

static double BendEnergy(const Model* model, const Vec4* position)
{
	return GraphEnergy(&model->bend, position);
}

// --- implicit integrators -------------------------------------------------------------------------------------------

// With the unit vector n along the spring, the off-diagonal block of the stiffness is
//
//   - k n n^T - k max(0, 1 - l / |d|) (I - n n^T)
//
// The second part is what tension resists when the spring turns. A compressed spring has a negative one, which would
// make the matrix indefinite: it is left out. Projected damping acts along n, simple damping in every direction.
// Beyond the limit of stretch a second spring acts, whose rest length is the limit.
typedef struct SpringEval
{
	const Vec4 *position, *velocity;
	F8 tau, material, geometric, aside; // aside: of simple damping, across the spring
	F8 limit, limitFactor;              // Model::springLimit and limitFactor
	bool isDamped, isProjected, isLimited;
} SpringEval;

// The force on the first particle, and the block as transverse I + longitudinal n n^T.
typedef struct Spring8
{
	V8 force, direction;
	F8 transverse, longitudinal;
} Spring8;

DRAPE_INLINE Spring8 EvaluateEight(const SpringEval* eval, const EdgeElements* elements, uint32_t i)
{
	const F8 tiny = F8_Splat(1e-20f), zero = F8_Splat(0.0f), one = F8_Splat(1.0f);
	const uint32_t *a = &elements->particle[0][i], *b = &elements->particle[1][i];
	F8 rest = F8_Load(&elements->param[0][i]), k = F8_Load(&elements->param[1][i]);
	V8 d = V8_Sub(V8_Gather(eval->position, b), V8_Gather(eval->position, a));
	F8 length = F8_Sqrt(F8_Max(V8_Dot(d, d), tiny)), inverse = F8_Div(one, length);
	V8 n = V8_Scale(inverse, d);
	F8 tension = F8_Mul(k, F8_Sub(length, rest)), steeper = zero;
	if (eval->isLimited)
	{
		F8 excess = F8_Max(F8_Sub(length, F8_Mul(eval->limit, rest)), zero), extra = F8_Mul(eval->limitFactor, k);
		steeper = F8_Blend(F8_Gt(excess, zero), extra, zero);
		tension = F8_Add(tension, F8_Mul(extra, excess));
	}
	V8 force = V8_Scale(tension, n);
	if (eval->isDamped)
	{
		V8 u = V8_Sub(V8_Gather(eval->velocity, b), V8_Gather(eval->velocity, a));
		u = eval->isProjected ? V8_Scale(V8_Dot(u, n), n) : u;
		force = V8_Add(force, V8_Scale(F8_Mul(eval->tau, k), u));
	}
	F8 turning = F8_Mul(eval->geometric, F8_Mul(F8_Max(tension, zero), inverse));
	F8 transverse = F8_Add(turning, F8_Mul(eval->aside, k));
	F8 along = F8_Add(F8_Mul(eval->material, k), F8_Mul(eval->geometric, steeper));
	F8 longitudinal = F8_Sub(along, transverse);
	return (Spring8){force, n, F8_Neg(transverse), F8_Neg(longitudinal)};
}

static void StoreBlocks(const Spring8* s, Vec4* block)
{
	const F8 x = s->direction.x, y = s->direction.y, z = s->direction.z, own = s->transverse;
	V8 along = V8_Scale(s->longitudinal, s->direction);
	F8 xy = F8_Mul(along.x, y), xz = F8_Mul(along.x, z), yz = F8_Mul(along.y, z);
	F8_StoreRows(block, 3, F8_Add(own, F8_Mul(along.x, x)), xy, xz);
	F8_StoreRows(block + 1, 3, xy, F8_Add(own, F8_Mul(along.y, y)), yz);
	F8_StoreRows(block + 2, 3, xz, yz, F8_Add(own, F8_Mul(along.z, z)));
}

static void EvaluateSprings(const Model* model, const EdgeElements* elements, const EnergyQuery* query, float limit,
                            uint32_t start, uint32_t end, Vec4* force, Vec4* block)
{
	DRAPE_ASSERT(start % 8 == 0 && start <= end && end <= elements->count);
	DRAPE_ASSERT(query->velocity || query->dampingTime <= 0.0f);
	bool isProjected = model->springs.damping == drape_dampingProjected;
	const SpringEval eval = {
		.position = query->position,
		.velocity = query->velocity,
		.tau = F8_Splat(query->dampingTime),
		.material = F8_Splat(query->materialScale),
		.geometric = F8_Splat(query->geometricScale),
		.aside = F8_Splat(isProjected ? 0.0f : query->materialScale - query->geometricScale),
		.isDamped = query->dampingTime > 0.0f,
		.isProjected = isProjected,
		.limit = F8_Splat(limit),
		.limitFactor = F8_Splat(model->limitFactor),
		.isLimited = limit > 0.0f,
	};
	for (uint32_t i = start; i < end; i += 8)
	{
		Spring8 s = EvaluateEight(&eval, elements, i);
		F8_StoreRows(force + 2 * (size_t)i, 2, s.force.x, s.force.y, s.force.z);
		F8_StoreRows(force + 2 * (size_t)i + 1, 2, F8_Neg(s.force.x), F8_Neg(s.force.y), F8_Neg(s.force.z));
		if (block)
			StoreBlocks(&s, block + 3 * (size_t)i);
	}
}

static void EvaluateStretch(const Model* model, const EdgeElements* elements, const EnergyQuery* query, uint32_t start,
                            uint32_t end, Vec4* force, Vec4* block)
{
	EvaluateSprings(model, elements, query, model->springLimit, start, end, force, block);
}

static void EvaluateBending(const Model* model, const EdgeElements* elements, const EnergyQuery* query, uint32_t start,
                            uint32_t end, Vec4* force, Vec4* block)
{
	EvaluateSprings(model, elements, query, 0.0f, start, end, force, block);
}

static float GreatestStiffness(const Model* model, const EdgeElements* elements)
{
	(void)model;
	return elements->greatest[1];
}

// --- bending springs ------------------------------------------------------------------------------------------------

// A spring between the particles opposite an edge. Its rest length is their distance in the rest shape, unfolded across
// the edge.
static bool DescribeBendSpring(const void* context, uint32_t edge, GraphElement* element)
{
	const ModelContext* c = context;
	const EdgeWings* wings = &c->mesh->wings[edge];
	if (wings->triangle[1] == DRAPE_NONE)
		return false;
	element->particle[0] = wings->opposite[0];
	element->particle[1] = wings->opposite[1];
	element->param[0] = drapeModel_OppositeDistance(c->mesh, edge);
	element->param[1] = c->model->springs.bendSpringRatio * SpringConstant(c->model, c->mesh, edge);
	return wings->opposite[0] != wings->opposite[1];
}

const EnergyClass drapeEnergy_stretchSprings = {
	.name = "stretch springs",
	.elements = elementEdge,
	.describe = drapeModel_DescribeStretch,
	.evaluate = EvaluateStretch,
	.greatestStiffness = GreatestStiffness,
	.addForces = AddStretch,
	.addStiffness = AddStretchRows,
	.energy = StretchEnergy,
};

const EnergyClass drapeEnergy_bendSprings = {
	.name = "bending springs",
	.isBending = true,
	.elements = elementOpposites,
	.describe = DescribeBendSpring,
	.evaluate = EvaluateBending,
	.greatestStiffness = GreatestStiffness,
	.addForces = AddBending,
	.addStiffness = AddBendRows,
	.energy = BendEnergy,
};
