// SPDX-License-Identifier: MIT
#include "model/model.h"

#include "base/simd.h"

// Bending across an edge AB with the opposite particles L and R.
//
// The thesis pushes the four particles along the triangles' normals (3.6.3), which exerts a net torque when the
// triangles' heights differ. Here the force is the exact gradient of an energy in the angle theta between the
// triangles,
//
//   grad_L = -n_L / h_L
//   grad_R = -n_R / h_R
//   grad_A = (1 - t_L) n_L / h_L + (1 - t_R) n_R / h_R
//   grad_B = t_L n_L / h_L + t_R n_R / h_R
//
// with heights h and foot points t along AB: neither a net force nor a net torque. The energy is
// 4 k (1 - cos(theta / 2)), so the moment 2 k sin(theta / 2) is k theta for small angles and rises smoothly up to 180
// degrees, as the thesis's does. With k = B l^2 / (A_L + A_R) a regular mesh bent to a cylinder has the bending energy
// of a plate of rigidity B.

// The gradients grow without bound as a triangle collapses. Below this fraction of the rest area the moment fades with
// the area, which keeps forces bounded and balanced.
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

static bool Describe(const void* context, uint32_t edge, GraphElement* element)
{
	const ModelContext* c = context;
	const ActiveMesh* mesh = c->mesh;
	const EdgeWings* wings = &mesh->wings[edge];
	if (wings->triangle[1] == DRAPE_NONE)
		return false;
	float rigidity = 0.5f * (c->model->material.bendWarp + c->model->material.bendWeft),
		  length = mesh->restLength[edge];
	float areaLeft = mesh->area[wings->triangle[0]], areaRight = mesh->area[wings->triangle[1]];
	DRAPE_ASSERT(areaLeft > 0.0f && areaRight > 0.0f);
	element->particle[0] = mesh->edgeFrom[edge];
	element->particle[1] = mesh->edgeTo[edge];
	element->particle[2] = wings->opposite[0];
	element->particle[3] = wings->opposite[1];
	element->param[0] = rigidity * length * length / (areaLeft + areaRight);
	// Below this square of twice the area a triangle counts as crushed.
	float smallest = 2.0f * MinNumF(areaLeft, areaRight) * crushed;
	element->param[1] = smallest * smallest;
	return wings->opposite[0] != wings->opposite[1];
}

// --- eight elements -------------------------------------------------------------------------------------------------

// The gradient of the angle by the positions of A and B; minus that of L and R.
typedef struct Hinge8
{
	V8 a, b, l, r;
	F8 cosine, halfSine; // cos(theta); sin(theta / 2)
	F8 fade;             // 1, and less for crushed triangles
} Hinge8;

DRAPE_INLINE Hinge8 HingeAt(const Vec4* x, const uint32_t* const index[4], F8 crushedSquare)
{
	const F8 tiny = F8_Splat(1e-20f), one = F8_Splat(1.0f), zero = F8_Splat(0.0f), minusOne = F8_Splat(-1.0f);
	V8 a = V8_Gather(x, index[0]);
	V8 e = V8_Sub(V8_Gather(x, index[1]), a), l = V8_Sub(V8_Gather(x, index[2]), a),
	   r = V8_Sub(V8_Gather(x, index[3]), a);
	// Normals of twice the area. e x l points up on the left; r x e on the right.
	V8 nl = V8_Cross(e, l), nr = V8_Cross(r, e);
	F8 ee = F8_Max(V8_Dot(e, e), tiny), ll = F8_Max(V8_Dot(nl, nl), tiny), rr = F8_Max(V8_Dot(nr, nr), tiny);
	F8 norm = F8_Sqrt(F8_Mul(ll, rr)), length = F8_Sqrt(ee);
	F8 cosine = F8_Max(F8_Min(F8_Div(V8_Dot(nl, nr), norm), one), minusOne);
	F8 sine = F8_Div(V8_Dot(V8_Cross(nl, nr), e), F8_Mul(norm, length));
	// sin(theta / 2): sin / sqrt(2 (1 + cos)) where that is safe, else sqrt((1 - cos) / 2) with the sign of the sine.
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
	F8 fade = F8_Min(F8_Div(F8_Min(ll, rr), crushedSquare), one);
	return (Hinge8){ga, gb, gl, gr, cosine, half, fade};
}

// Minus dE/dtheta without the factor k, with damping.
DRAPE_INLINE F8 MomentOf(const Hinge8* hinge, const Vec4* v, const uint32_t* const index[4], float dampingTime)
{
	F8 moment = F8_Mul(F8_Splat(2.0f), hinge->halfSine);
	if (dampingTime > 0.0f)
	{
		F8 rate = F8_Sub(F8_Add(V8_Dot(hinge->a, V8_Gather(v, index[0])), V8_Dot(hinge->b, V8_Gather(v, index[1]))),
		                 F8_Add(V8_Dot(hinge->l, V8_Gather(v, index[2])), V8_Dot(hinge->r, V8_Gather(v, index[3]))));
		moment = F8_Add(moment, F8_Mul(F8_Splat(dampingTime), rate));
	}
	return F8_Mul(moment, hinge->fade);
}

// --- explicit integrators -------------------------------------------------------------------------------------------

typedef struct BendTask
{
	const ModelState* state;
	Vec4* force;
	float dampingTime;
} BendTask;

static void AddElements(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const BendTask* task = context;
	uint32_t pad[4][8];
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t count = MinU32(8, end - i);
		const uint32_t* index[4];
		for (int k = 0; k < 4; ++k)
			index[k] = Lanes(&color->particle[k][i], count, pad[k]);
		Hinge8 hinge = HingeAt(task->state->position, index, F8_Load(&color->param[1][i]));
		F8 moment = MomentOf(&hinge, task->state->velocity, index, task->dampingTime);
		moment = F8_Mul(moment, F8_Load(&color->param[0][i]));
		F8 against = F8_Mul(F8_Splat(-1.0f), moment);
		V8_ScatterAdd(task->force, index[0], count, V8_Scale(against, hinge.a));
		V8_ScatterAdd(task->force, index[1], count, V8_Scale(against, hinge.b));
		V8_ScatterAdd(task->force, index[2], count, V8_Scale(moment, hinge.l));
		V8_ScatterAdd(task->force, index[3], count, V8_Scale(moment, hinge.r));
	}
}

static void AddForces(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks)
{
	DRAPE_ASSERT(model->bend.arity == 4);
	BendTask task = {state, force, model->material.dampingTime};
	drapeColorGraph_For(&model->bend, tasks, AddElements, &task);
}

// An element of stiffness k pulls the opposite particles with k / h^2 and the ends of the edge with twice that at most.
static void AddStiffness(const Model* model, const ActiveMesh* mesh, float* rowSum)
{
	for (uint32_t c = 0; c < graphColors; ++c)
	{
		const GraphColor* color = &model->bend.colors[c];
		for (uint32_t i = 0; i < color->count; ++i)
		{
			uint32_t edge = color->item[i];
			const uint32_t* triangle = mesh->wings[edge].triangle;
			float height = 2.0f * MinNumF(mesh->area[triangle[0]], mesh->area[triangle[1]]) / mesh->restLength[edge];
			float row = 4.0f * color->param[0][i] / (height * height);
			rowSum[color->particle[0][i]] += 2.0f * row;
			rowSum[color->particle[1][i]] += 2.0f * row;
			rowSum[color->particle[2][i]] += row;
			rowSum[color->particle[3][i]] += row;
		}
	}
}

// --- implicit integrators -------------------------------------------------------------------------------------------

// The Hessian is E'' g g^T + E' times the second derivative of the angle, with g the gradient of the angle by all four
// positions. The second part is indefinite and vanishes in flat cloth; it is left out (Gauss-Newton). The first part
// has E'' = k cos(theta / 2), which is never negative.
static void StoreBlocks(const V8 gradient[4], F8 stiffness, Vec4* block)
{
	const ElementShape* shape = drapeElement_Shape(elementHinge);
	for (uint32_t p = 0; p < elementPairs; ++p)
	{
		V8 a = V8_Scale(stiffness, gradient[shape->pair[p][0]]), b = gradient[shape->pair[p][1]];
		const uint32_t stride = 3 * elementPairs;
		F8_StoreRows(block + 3 * p, stride, F8_Mul(a.x, b.x), F8_Mul(a.y, b.x), F8_Mul(a.z, b.x));
		F8_StoreRows(block + 3 * p + 1, stride, F8_Mul(a.x, b.y), F8_Mul(a.y, b.y), F8_Mul(a.z, b.y));
		F8_StoreRows(block + 3 * p + 2, stride, F8_Mul(a.x, b.z), F8_Mul(a.y, b.z), F8_Mul(a.z, b.z));
	}
}

static void Evaluate(const Model* model, const EdgeElements* elements, const EnergyQuery* query, uint32_t start,
                     uint32_t end, Vec4* force, Vec4* block)
{
	(void)model;
	DRAPE_ASSERT(start % 8 == 0 && start <= end && end <= elements->count);
	DRAPE_ASSERT(query->velocity || query->dampingTime <= 0.0f);
	const F8 tiny = F8_Splat(1e-30f), half = F8_Splat(0.5f), one = F8_Splat(1.0f), minusOne = F8_Splat(-1.0f);
	const F8 elastic = F8_Splat(query->geometricScale);
	const F8 damping = F8_Splat(query->materialScale - query->geometricScale);
	for (uint32_t i = start; i < end; i += 8)
	{
		const uint32_t* const index[4] = {&elements->particle[0][i], &elements->particle[1][i],
		                                  &elements->particle[2][i], &elements->particle[3][i]};
		F8 k = F8_Load(&elements->param[0][i]);
		Hinge8 hinge = HingeAt(query->position, index, F8_Max(F8_Load(&elements->param[1][i]), tiny));
		F8 moment = F8_Mul(k, MomentOf(&hinge, query->velocity, index, query->dampingTime));
		const V8 gradient[4] = {hinge.a, hinge.b, V8_Scale(minusOne, hinge.l), V8_Scale(minusOne, hinge.r)};
		F8 against = F8_Neg(moment);
		for (uint32_t p = 0; p < 4; ++p)
		{
			V8 f = V8_Scale(against, gradient[p]);
			F8_StoreRows(force + 4 * (size_t)i + p, 4, f.x, f.y, f.z);
		}
		if (!block)
			continue;
		F8 halfCosine = F8_Sqrt(F8_Mul(half, F8_Add(one, hinge.cosine)));
		F8 stiffness = F8_Mul(F8_Mul(k, hinge.fade), F8_Add(F8_Mul(elastic, halfCosine), damping));
		StoreBlocks(gradient, stiffness, block + 3 * elementPairs * (size_t)i);
	}
}

// --- energy ---------------------------------------------------------------------------------------------------------

static double Energy(const Model* model, const Vec4* x)
{
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

const EnergyClass drapeEnergy_bendElements = {
	.name = "bending elements",
	.isBending = true,
	.elements = elementHinge,
	.describe = Describe,
	.evaluate = Evaluate,
	.addForces = AddForces,
	.addStiffness = AddStiffness,
	.energy = Energy,
};
