// SPDX-License-Identifier: MIT
#include "model/model.h"

#include "base/simd.h"
#include "model/wind.h"

typedef struct AirTask
{
	const Model* model;
	const drapeWindDef* wind;
	const ModelState* state;
	Vec4* force;
	bool isUniform; // the wind is the same everywhere
	bool addsDrag;
	Vec3 uniform;
} AirTask;

// The wind at eight centres.
DRAPE_INLINE V8 WindAt(const AirTask* task, V8 centre)
{
	if (task->isUniform)
		return (V8){F8_Splat(task->uniform.x), F8_Splat(task->uniform.y), F8_Splat(task->uniform.z)};
	float x[8], y[8], z[8];
	F8_Store(x, centre.x);
	F8_Store(y, centre.y);
	F8_Store(z, centre.z);
	for (int i = 0; i < 8; ++i)
	{
		Vec3 wind = drapeWind_At(task->wind, (Vec3){x[i], y[i], z[i]}, task->state->time);
		x[i] = wind.x;
		y[i] = wind.y;
		z[i] = wind.z;
	}
	return (V8){F8_Load(x), F8_Load(y), F8_Load(z)};
}

// |dF/du| is at most rho A / 2 (|u.n| + |u|) times the coefficient; a third of it for each corner.
static void AddDrag(const AirTask* task, const uint32_t* const corner[3], uint32_t count, F8 rate)
{
	const drapeMaterial* material = &task->model->material;
	float lanes[8];
	F8_Store(lanes, F8_Mul(F8_Splat(MaxNumF(material->drag, material->lift)), rate));
	for (int k = 0; k < 3; ++k)
	{
		for (uint32_t i = 0; i < count; ++i)
			task->force[corner[k][i]].w += lanes[i];
	}
}

// Each corner gets a third of the force on the triangle (Wind_TriangleForce, eight at a time); the wind is taken at its
// centre.
static void AddAir(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	const AirTask* task = context;
	const Vec4 *x = task->state->position, *v = task->state->velocity;
	const drapeMaterial* material = &task->model->material;
	// A third for each corner; N is twice the area, so that 1/2 rho A is rho |N| / 4.
	const F8 third = F8_Splat(1.0f / 3.0f), density = F8_Splat(task->wind->airDensity / 12.0f), tiny = F8_Splat(1e-20f),
			 zero = F8_Splat(0.0f);
	const F8 drag = F8_Splat(material->drag), lift = F8_Splat(material->lift);
	uint32_t pad[3][8];
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t count = MinU32(8, end - i);
		const uint32_t* corner[3];
		for (int k = 0; k < 3; ++k)
			corner[k] = Lanes(&color->particle[k][i], count, pad[k]);
		V8 a = V8_Gather(x, corner[0]), b = V8_Gather(x, corner[1]), c = V8_Gather(x, corner[2]);
		V8 velocity = V8_Add(V8_Gather(v, corner[0]), V8_Add(V8_Gather(v, corner[1]), V8_Gather(v, corner[2])));
		V8 u = V8_Sub(WindAt(task, V8_Scale(third, V8_Add(a, V8_Add(b, c)))), V8_Scale(third, velocity));
		V8 n = V8_Cross(V8_Sub(b, a), V8_Sub(c, a));
		// F = 1/2 rho A |u.n| (drag u + lift (|u| s n - (|u.n| / |u|) u)), n a unit vector, s the sign of u.n
		F8 nLength = F8_Sqrt(F8_Max(V8_Dot(n, n), tiny)), uLength = F8_Sqrt(F8_Max(V8_Dot(u, u), tiny));
		F8 un = F8_Div(V8_Dot(u, n), nLength), along = F8_Abs(un);
		F8 sign = F8_Blend(F8_Lt(un, zero), F8_Splat(-1.0f), F8_Splat(1.0f));
		F8 strength = F8_Mul(density, F8_Mul(nLength, along));
		F8 ofU = F8_Mul(strength, F8_Sub(drag, F8_Div(F8_Mul(lift, along), uLength)));
		F8 ofN = F8_Mul(strength, F8_Div(F8_Mul(F8_Mul(lift, uLength), sign), nLength));
		V8 force = V8_Add(V8_Scale(ofU, u), V8_Scale(ofN, n));
		for (int k = 0; k < 3; ++k)
			V8_ScatterAdd(task->force, corner[k], count, force);
		if (task->addsDrag)
			AddDrag(task, corner, count, F8_Mul(F8_Mul(density, nLength), F8_Add(along, uLength)));
	}
}

static void AddAirForces(const Model* model, const drapeWindDef* wind, const ModelState* state, Vec4* force,
                         TaskPool* tasks, bool addsDrag)
{
	DRAPE_ASSERT(state->position && state->velocity);
	DRAPE_ASSERT(drapeWind_Check(wind, "", NULL) == drape_ok);
	if (wind->airDensity <= 0.0f || (model->material.drag <= 0.0f && model->material.lift <= 0.0f))
		return;
	AirTask task = {.model = model, .wind = wind, .state = state, .force = force, .addsDrag = addsDrag};
	task.isUniform = wind->kind == drape_windNone || wind->kind == drape_windSteady;
	task.uniform = drapeWind_At(wind, (Vec3){0.0f, 0.0f, 0.0f}, state->time);
	drapeColorGraph_For(&model->triangles, tasks, AddAir, &task);
}

void drapeModel_AddAir(const Model* model, const drapeWindDef* wind, const ModelState* state, Vec4* force,
                       TaskPool* tasks)
{
	AddAirForces(model, wind, state, force, tasks, false);
}

void drapeModel_AddAirAndDrag(const Model* model, const drapeWindDef* wind, const ModelState* state, Vec4* force,
                              TaskPool* tasks)
{
	AddAirForces(model, wind, state, force, tasks, true);
}
