// SPDX-License-Identifier: MIT
#include "model/model.h"

#include "base/simd.h"
#include "model/springs.h"

// Bending across an edge AB with the opposite particles L and R, two ways.
//
// Bending elements: the thesis pushes the four particles along the triangles' normals (3.6.3), which turns the pair as
// a whole when the triangles' heights differ. Here the force is the exact gradient of an energy in the angle theta
// between the triangles,
//
//   grad_L = -n_L / h_L    grad_R = -n_R / h_R    grad_A = (1 - t_L) n_L / h_L + (1 - t_R) n_R / h_R    grad_B = t_L
//   n_L / h_L + t_R n_R / h_R
//
// with heights h and foot points t along AB: neither a net force nor a net torque. The energy is 4 k (1 - cos(theta /
// 2)), so the moment 2 k sin(theta / 2) is k theta for small angles and rises smoothly up to 180 degrees, as the
// thesis's does. With k = B l^2 / (A_L + A_R) a regular mesh bent to a cylinder has the bending energy of a plate of
// rigidity B.
//
// Bending springs: a spring from L to R whose rest length is their distance in the rest shape, unfolded across the
// edge.

// The gradients grow without bound as a triangle collapses. Below this part of the rest area the moment fades with the
// area, which keeps forces bounded and balanced.
static const float crushed = 0.3f;

float drapeModel_OppositeDistance(const ActiveMesh* mesh, uint32_t edge)
{
	// In the frame of each triangle the edge lies along x, its middle at the origin; the left triangle is above, the
	// right one below.
	float x[2], y[2];
	for (int side = 0; side < 2; ++side)
	{
		uint32_t t = mesh->wings[edge].triangle[side];
		const uint32_t* corner = mesh->triangle[t];
		uint32_t from = side == 0 ? mesh->edgeFrom[edge] : mesh->edgeTo[edge];
		int k = corner[0] == from ? 0 : corner[1] == from ? 1 : 2;
		const Vec2* uv = mesh->material[t].corner;
		Vec2 a = uv[k], b = uv[(k + 1) % 3], c = uv[(k + 2) % 3], ab = V2Sub(b, a);
		Vec2 middle = {0.5f * (a.x + b.x), 0.5f * (a.y + b.y)}, m = V2Sub(c, middle);
		float length = sqrtf(V2Dot(ab, ab));
		x[side] = V2Dot(m, ab) / length;
		y[side] = V2Cross(ab, m) / length;
	}
	// The right triangle sees the edge reversed: turned by half a circle.
	float dx = x[0] + x[1], dy = y[0] + y[1];
	return sqrtf(dx * dx + dy * dy);
}

bool drapeModel_DescribeBend(const void* context, uint32_t edge, GraphElement* element)
{
	const ModelContext* c = context;
	const ActiveMesh* mesh = c->mesh;
	const EdgeWings* wings = &mesh->wings[edge];
	if (c->model->springs.bending == drape_bendNone || wings->triangle[1] == DRAPE_NONE)
		return false;
	if (c->model->springs.bending == drape_bendSprings)
	{
		GraphElement own;
		drapeModel_DescribeStretch(context, edge, &own);
		element->particle[0] = wings->opposite[0];
		element->particle[1] = wings->opposite[1];
		element->param[0] = drapeModel_OppositeDistance(mesh, edge);
		element->param[1] = c->model->springs.bendSpringRatio * own.param[1];
		return wings->opposite[0] != wings->opposite[1];
	}
	float rigidity = 0.5f * (c->model->material.bendWarp + c->model->material.bendWeft),
		  length = mesh->restLength[edge];
	float areaLeft = mesh->area[wings->triangle[0]], areaRight = mesh->area[wings->triangle[1]];
	element->particle[0] = mesh->edgeFrom[edge];
	element->particle[1] = mesh->edgeTo[edge];
	element->particle[2] = wings->opposite[0];
	element->particle[3] = wings->opposite[1];
	element->param[0] = rigidity * length * length / (areaLeft + areaRight);
	// A triangle this flat, as twice its area squared, is crushed: it does not bend as the model means it.
	float smallest = 2.0f * fminf(areaLeft, areaRight) * crushed;
	element->param[1] = smallest * smallest;
	return wings->opposite[0] != wings->opposite[1];
}

typedef struct BendTask
{
	const ModelState* state;
	Vec4* force;
	float dampingTime;
} BendTask;

static void AddElements(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const BendTask* task = context;
	const Vec4 *x = task->state->position, *v = task->state->velocity;
	const F8 tiny = F8_Splat(1e-20f), one = F8_Splat(1.0f), zero = F8_Splat(0.0f), minusOne = F8_Splat(-1.0f);
	uint32_t pad[4][8];
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t count = MinU32(8, end - i);
		const uint32_t* index[4];
		for (int k = 0; k < 4; ++k)
			index[k] = Lanes(&color->particle[k][i], count, pad[k]);
		V8 a = V8_Gather(x, index[0]);
		V8 e = V8_Sub(V8_Gather(x, index[1]), a), l = V8_Sub(V8_Gather(x, index[2]), a),
		   r = V8_Sub(V8_Gather(x, index[3]), a);
		// Normals of twice the area. e x l points up on the left; r x e on the right.
		V8 nl = V8_Cross(e, l), nr = V8_Cross(r, e);
		F8 ee = F8_Max(V8_Dot(e, e), tiny), ll = F8_Max(V8_Dot(nl, nl), tiny), rr = F8_Max(V8_Dot(nr, nr), tiny);
		F8 norm = F8_Sqrt(F8_Mul(ll, rr)), length = F8_Sqrt(ee);
		F8 cosine = F8_Max(F8_Min(F8_Div(V8_Dot(nl, nr), norm), one), minusOne);
		F8 sine = F8_Div(V8_Dot(V8_Cross(nl, nr), e), F8_Mul(norm, length));
		// sin(theta / 2): sin / sqrt(2 (1 + cos)) where that is safe, else sqrt((1 - cos) / 2) with the sign of the
		// sine.
		F8 half = F8_Div(sine, F8_Sqrt(F8_Max(F8_Mul(F8_Splat(2.0f), F8_Add(one, cosine)), tiny)));
		M8 isSafe = F8_Gt(cosine, zero);
		if (DRAPE_UNLIKELY(M8_Bits(isSafe) != 0xff))
		{
			F8 steep = F8_Sqrt(F8_Mul(F8_Splat(0.5f), F8_Sub(one, cosine)));
			steep = F8_Blend(F8_Lt(sine, zero), F8_Mul(minusOne, steep), steep);
			half = F8_Blend(isSafe, half, steep);
		}
		// n / h = N |e| / |N|^2, with N twice the area.
		V8 gl = V8_Scale(F8_Div(length, ll), nl), gr = V8_Scale(F8_Div(length, rr), nr);
		F8 tl = F8_Div(V8_Dot(l, e), ee), tr = F8_Div(V8_Dot(r, e), ee);
		V8 gb = V8_Add(V8_Scale(tl, gl), V8_Scale(tr, gr)), ga = V8_Sub(V8_Add(gl, gr), gb);
		F8 moment = F8_Mul(F8_Splat(2.0f), half);
		if (task->dampingTime > 0.0f)
		{
			// How fast the angle changes.
			F8 rate = F8_Sub(F8_Add(V8_Dot(ga, V8_Gather(v, index[0])), V8_Dot(gb, V8_Gather(v, index[1]))),
			                 F8_Add(V8_Dot(gl, V8_Gather(v, index[2])), V8_Dot(gr, V8_Gather(v, index[3]))));
			moment = F8_Add(moment, F8_Mul(F8_Splat(task->dampingTime), rate));
		}
		F8 fade = F8_Min(F8_Div(F8_Min(ll, rr), F8_Load(&color->param[1][i])), one);
		moment = F8_Mul(F8_Mul(moment, fade), F8_Load(&color->param[0][i]));
		F8 against = F8_Mul(minusOne, moment);
		V8_ScatterAdd(task->force, index[0], count, V8_Scale(against, ga));
		V8_ScatterAdd(task->force, index[1], count, V8_Scale(against, gb));
		V8_ScatterAdd(task->force, index[2], count, V8_Scale(moment, gl));
		V8_ScatterAdd(task->force, index[3], count, V8_Scale(moment, gr));
	}
}

void drapeModel_AddBending(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	if (model->kind == drape_modelFem)
	{
		drapeFem_AddBending(model, state, force);
		return;
	}
	if (model->springs.bending == drape_bendSprings)
		drapeModel_AddBendSprings(model, state, force, tasks);
	if (model->springs.bending != drape_bendElements)
		return;
	BendTask task = {state, force, model->material.dampingTime};
	drapeColorGraph_For(&model->bend, tasks, AddElements, &task);
}

double drapeModel_BendEnergy(const Model* model, const Vec4* x)
{
	if (model->kind == drape_modelFem)
		return drapeCurvature_Energy(&model->curvature, x);
	if (model->springs.bending == drape_bendSprings)
		return drapeModel_SpringEnergy(&model->bend, x);
	double energy = 0.0;
	for (uint32_t c = 0; c < graphColors; ++c)
	{
		const GraphColor* color = &model->bend.colors[c];
		for (uint32_t i = 0; i < color->count; ++i)
		{
			Vec3 a = V4Xyz(x[color->particle[0][i]]), e = V3Sub(V4Xyz(x[color->particle[1][i]]), a);
			Vec3 nl = V3Normalize(V3Cross(e, V3Sub(V4Xyz(x[color->particle[2][i]]), a)));
			Vec3 nr = V3Normalize(V3Cross(V3Sub(V4Xyz(x[color->particle[3][i]]), a), e));
			// 4 k (1 - cos(theta / 2)) = 8 k sin^2(theta / 4); for unit vectors |n_L - n_R| = 2 sin(theta / 2)
			double halfSine = 0.5 * (double)V3Length(V3Sub(nl, nr)), halfCosine = 0.5 * (double)V3Length(V3Add(nl, nr));
			double oneMinus = halfSine * halfSine / (1.0 + halfCosine);
			energy += 4.0 * (double)color->param[0][i] * oneMinus;
		}
	}
	return energy;
}
