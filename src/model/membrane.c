// SPDX-License-Identifier: MIT
#include "model/membrane.h"

#include <string.h>

// Eight triangles at a time, one per lane. Symmetric 2 x 2 matrices are in the material plane: 1 is warp, 2 is weft. J
// is the quarter turn [[0, -1], [1, 0]].

// Beyond this factor of stretch, and this rate of stretch in 1/s, forces no longer grow, so that they stay finite for
// all positions.
static const float stretchLimit = 100.0f, rateLimit = 1e9f;
// Below this fraction of its area a triangle has no reliable normal, and below this sum of stretches no reliable
// rotation. The rotation then shrinks to zero, so that forces pass through zero instead of jumping when the triangle
// inverts.
static const float flatArea = 1e-3f, flatStretch = 1e-2f;

// --- the law --------------------------------------------------------------------------------------------------------

static StressLaw StraightLaw(float modulus)
{
	return (StressLaw){.count = 1, .slope = {modulus}};
}

static StressLaw LawOf(const drapeStressCurve* curve, float modulus)
{
	DRAPE_ASSERT(curve->count <= DRAPE_CURVE_POINTS);
	if (curve->count == 0)
		return StraightLaw(modulus);
	StressLaw law = {.count = curve->count};
	for (uint32_t i = 0; i < curve->count; ++i)
	{
		law.slope[i] = (curve->stress[i] - law.stress[i]) / (curve->strain[i] - law.strain[i]);
		law.strain[i + 1] = curve->strain[i];
		law.stress[i + 1] = curve->stress[i];
	}
	return law;
}

// Beyond the limit the cloth is stiffer by this factor, and at least as stiff as a woven fabric, N/m.
static const float limitFactor = 20.0f, limitLeast = 4000.0f;

float drapeMembrane_LimitSlope(float slope)
{
	DRAPE_ASSERT(slope >= 0.0f);
	return MaxNumF(limitFactor * slope, limitLeast);
}

static void Limit(StressLaw* law, float strain, float least)
{
	law->limit = strain;
	law->limitSlope = MaxNumF(limitFactor * law->slope[0], least);
}

void drapeMembrane_LimitStretch(Membrane* membrane, float maxStretch)
{
	DRAPE_ASSERT(maxStretch == 0.0f || maxStretch >= 1.0f);
	membrane->warp.limitSlope = membrane->weft.limitSlope = membrane->shear.limitSlope = 0.0f;
	if (maxStretch <= 0.0f)
		return;
	// Pulled along the bias by e, the angle between warp and weft changes by 2 e.
	float strain = MaxNumF(maxStretch - 1.0f, 0.0f);
	Limit(&membrane->warp, strain, limitLeast);
	Limit(&membrane->weft, strain, limitLeast);
	Limit(&membrane->shear, 2.0f * strain, 0.4f * limitLeast);
}

float drapeMembrane_SteepestSlope(const Membrane* membrane, bool hasLimit)
{
	const StressLaw* const laws[] = {&membrane->warp, &membrane->weft, &membrane->shear};
	float most = 0.0f;
	for (int i = 0; i < 3; ++i)
	{
		for (uint32_t k = 0; k < laws[i]->count; ++k)
			most = MaxNumF(most, laws[i]->slope[k] + (hasLimit ? laws[i]->limitSlope : 0.0f));
	}
	return most;
}

void drapeMembrane_SetMaterial(Membrane* membrane, const drapeMaterial* material)
{
	float warp = material->stretchWarp, weft = material->stretchWeft, poisson = material->poisson;
	// Without stiffness in one direction, the directions are not coupled.
	bool coupled = warp > 0.0f && weft > 0.0f;
	float share = coupled ? 1.0f - poisson * poisson * weft / warp : 1.0f;
	DRAPE_ASSERT(share > 0.0f);
	membrane->warp = LawOf(&material->warpCurve, warp / share);
	membrane->weft = LawOf(&material->weftCurve, weft / share);
	membrane->shear = LawOf(&material->shearCurve, material->shear);
	membrane->c12 = coupled ? poisson * weft / share : 0.0f;
}

void drapeMembrane_Init(Membrane* membrane, const drapeMaterial* material)
{
	*membrane = (Membrane){0};
	drapeMembrane_SetMaterial(membrane, material);
}

// --- following the mesh ---------------------------------------------------------------------------------------------

enum
{
	columnCount = 8,
};
_Static_assert(sizeof(float) == sizeof(uint32_t), "all columns have elements of one size");

// All columns share one allocation, in the order of the struct.
static void SetColumns(Membrane* membrane, void* block, uint32_t capacity)
{
	uint32_t* corner = block;
	float* number = block;
	for (uint32_t i = 0; i < 3; ++i)
		membrane->corner[i] = block ? corner + (size_t)i * capacity : NULL;
	for (uint32_t i = 0; i < 4; ++i)
		membrane->gradient[i] = block ? number + (size_t)(3 + i) * capacity : NULL;
	membrane->area = block ? number + (size_t)7 * capacity : NULL;
	membrane->capacity = capacity;
}

static size_t BlockBytes(uint32_t capacity)
{
	return (size_t)columnCount * capacity * sizeof(float);
}

void drapeMembrane_Borrow(Membrane* membrane)
{
	membrane->capacity = 0;
}

void drapeMembrane_Destroy(Membrane* membrane)
{
	if (membrane->capacity > 0)
		drapeMemFree(membrane->corner[0], BlockBytes(membrane->capacity));
	SetColumns(membrane, NULL, 0);
	membrane->count = membrane->revision = 0;
}

// Keeps the existing triangles. False when out of memory, and nothing has changed.
static bool Reserve(Membrane* membrane, uint32_t count)
{
	uint32_t oldCapacity = membrane->capacity;
	if (count <= oldCapacity)
		return true;
	if (count > DRAPE_MAX_ELEMENTS)
		return false;
	uint32_t capacity = (MaxU32(MaxU32(count, membrane->count), oldCapacity + oldCapacity / 2) + 7) & ~7u;
	float* block = drapeMemAlloc(BlockBytes(capacity));
	if (!block)
		return false;
	float* old = (float*)membrane->corner[0];
	size_t stride = old ? (size_t)(membrane->corner[1] - membrane->corner[0]) : 0; // the lender's, if borrowed
	for (size_t i = 0; old && i < columnCount; ++i)
		memcpy(block + i * capacity, old + i * stride, membrane->count * sizeof(float));
	if (oldCapacity > 0)
		drapeMemFree(old, BlockBytes(oldCapacity));
	SetColumns(membrane, block, capacity);
	return true;
}

static void Describe(Membrane* membrane, const ActiveMesh* mesh, uint32_t triangle)
{
	const Vec2* material = mesh->material[triangle].corner;
	Vec2 a = V2Sub(material[1], material[0]), b = V2Sub(material[2], material[0]);
	double determinant = (double)a.x * (double)b.y - (double)a.y * (double)b.x;
	DRAPE_ASSERT(determinant > 0.0);
	for (int k = 0; k < 3; ++k)
		membrane->corner[k][triangle] = mesh->triangle[triangle][k];
	membrane->gradient[0][triangle] = (float)((double)b.y / determinant);
	membrane->gradient[1][triangle] = (float)(-(double)b.x / determinant);
	membrane->gradient[2][triangle] = (float)(-(double)a.y / determinant);
	membrane->gradient[3][triangle] = (float)((double)a.x / determinant);
	membrane->area[triangle] = mesh->area[triangle];
}

static void Pad(Membrane* membrane)
{
	DRAPE_ASSERT(membrane->count <= membrane->capacity);
	for (uint32_t i = membrane->count; i % 8 != 0; ++i)
	{
		for (int k = 0; k < 3; ++k)
			membrane->corner[k][i] = membrane->corner[k][i - 1];
		for (int k = 0; k < 4; ++k)
			membrane->gradient[k][i] = membrane->gradient[k][i - 1];
		membrane->area[i] = 0.0f;
	}
}

bool drapeMembrane_Follow(Membrane* membrane, const ActiveMesh* mesh)
{
	DRAPE_ASSERT(mesh->revision != 0);
	if (membrane->revision == mesh->revision)
		return true;
	const ChangeLog* log = &mesh->log;
	bool canPatch = membrane->revision != 0 && membrane->revision + 1 == mesh->revision && !log->rebuilt;
	DRAPE_ASSERT(!canPatch || membrane->count == log->oldTriangleCount);
	membrane->revision = 0;
	if (!Reserve(membrane, mesh->triangleCount))
		return false;
	uint32_t count = membrane->count = mesh->triangleCount;
	if (canPatch)
	{
		const BitSet* touched = &log->trianglesTouched;
		for (uint32_t i = BitSet_Next(touched, 0, count); i != DRAPE_NONE; i = BitSet_Next(touched, i + 1, count))
			Describe(membrane, mesh, i);
	}
	else
	{
		for (uint32_t i = 0; i < count; ++i)
			Describe(membrane, mesh, i);
	}
	Pad(membrane);
	membrane->revision = mesh->revision;
	return true;
}

// --- eight triangles and their deformation --------------------------------------------------------------------------

typedef struct Triangles8
{
	const uint32_t* corner[3];
	F8 u1, v1, u2, v2; // 1/m; gradients of corners 1 and 2. That of corner 0 is minus their sum.
	F8 area;           // m^2
} Triangles8;

// Vectors in space for the two directions of the material plane.
typedef struct Pair8
{
	V8 warp, weft;
} Pair8;

typedef struct Symmetric8
{
	F8 a11, a22, a12;
} Symmetric8;

typedef struct Deformation8
{
	Pair8 rotation;
	Symmetric8 strain;    // U - I
	F8 u11, u22, u12;     // U
	F8 perTrace, perArea; // 1 / tr U, 1 / det U
} Deformation8;

static inline Triangles8 LoadTriangles(const Membrane* membrane, uint32_t first)
{
	return (Triangles8){
		.corner = {&membrane->corner[0][first], &membrane->corner[1][first], &membrane->corner[2][first]},
		.u1 = F8_Load(&membrane->gradient[0][first]),
		.v1 = F8_Load(&membrane->gradient[1][first]),
		.u2 = F8_Load(&membrane->gradient[2][first]),
		.v2 = F8_Load(&membrane->gradient[3][first]),
		.area = F8_Load(&membrane->area[first]),
	};
}

// Clamps to the limit. NaN from an earlier overflow becomes the limit as well.
static inline F8 Within(F8 a, F8 limit)
{
	return F8_Max(F8_Min(a, limit), F8_Neg(limit));
}

// The derivative along a material direction, whose components at corners 1 and 2 are a and b.
static inline V8 Derivative(F8 a, V8 edge1, F8 b, V8 edge2, F8 limit)
{
	V8 sum = V8_Add(V8_Scale(a, edge1), V8_Scale(b, edge2));
	return (V8){Within(sum.x, limit), Within(sum.y, limit), Within(sum.z, limit)};
}

static inline Pair8 Gradient(const Triangles8* t, const Vec4* rows, float limit)
{
	V8 x0 = V8_Gather(rows, t->corner[0]);
	V8 edge1 = V8_Sub(V8_Gather(rows, t->corner[1]), x0), edge2 = V8_Sub(V8_Gather(rows, t->corner[2]), x0);
	F8 limit8 = F8_Splat(limit);
	return (Pair8){Derivative(t->u1, edge1, t->u2, edge2, limit8), Derivative(t->v1, edge1, t->v2, edge2, limit8)};
}

// With C = F^T F, s = det U = sqrt(det C) and t = tr U = sqrt(tr C + 2 s), U = (C + s I) / t and R = (F + cof F) / t.
// The strain is computed from C - I, so that near rest it has no more rounding error than C itself:
// s - 1 = (det C - 1) / (s + 1), t - 2 = (t^2 - 4) / (t + 2), and U - I = (C - I + (s - 1) I - (t - 2) I) / t.
static inline Deformation8 Deform(Pair8 f)
{
	const F8 one = F8_Splat(1.0f), two = F8_Splat(2.0f);
	F8 c11 = V8_Dot(f.warp, f.warp), c22 = V8_Dot(f.weft, f.weft), c12 = V8_Dot(f.warp, f.weft);
	V8 across = V8_Cross(f.warp, f.weft);
	F8 s = F8_Sqrt(V8_Dot(across, across));
	F8 t = F8_Max(F8_Sqrt(F8_Add(F8_Add(c11, c22), F8_Add(s, s))), F8_Splat(flatStretch));

	F8 d11 = F8_Sub(c11, one), d22 = F8_Sub(c22, one), trace = F8_Add(d11, d22);
	F8 determinant = F8_Sub(F8_Mul(d11, d22), F8_Mul(c12, c12));
	// One division for 1 / max(s, ...) and 1 / (s + 1), one for 1 / t and 1 / (t + 2).
	Deformation8 d;
	F8 area = F8_Max(s, F8_Splat(flatArea)), s1 = F8_Add(s, one), t2 = F8_Add(t, two);
	F8 perS = F8_Div(one, F8_Mul(area, s1)), perT = F8_Div(one, F8_Mul(t, t2));
	d.perArea = F8_Mul(perS, s1);
	d.perTrace = F8_Mul(perT, t2);
	F8 more = F8_Mul(F8_Add(trace, determinant), F8_Mul(perS, area));
	F8 shift = F8_Sub(more, F8_Mul(F8_Add(trace, F8_Add(more, more)), F8_Mul(perT, t)));
	d.strain.a11 = F8_Mul(F8_Add(d11, shift), d.perTrace);
	d.strain.a22 = F8_Mul(F8_Add(d22, shift), d.perTrace);
	d.strain.a12 = d.u12 = F8_Mul(c12, d.perTrace);
	d.u11 = F8_Add(d.strain.a11, one);
	d.u22 = F8_Add(d.strain.a22, one);
	V8 normal = V8_Scale(d.perArea, across);
	d.rotation.warp = V8_Scale(d.perTrace, V8_Add(f.warp, V8_Cross(f.weft, normal)));
	d.rotation.weft = V8_Scale(d.perTrace, V8_Add(f.weft, V8_Cross(normal, f.warp)));
	return d;
}

// --- stress ---------------------------------------------------------------------------------------------------------

// The derivative of stress by strain, N/m (c33 by twice the shear strain), and its inverse, m/N.
typedef struct Tangent8
{
	F8 c11, c22, c12, c33;
	F8 k11, k22, k12, k33;
} Tangent8;

static inline Tangent8 TangentOf(F8 c11, F8 c22, F8 c12, F8 c33)
{
	// Replaces zero stiffness in divisions; N/m.
	const F8 one = F8_Splat(1.0f), tiny = F8_Splat(1e-6f), tiny2 = F8_Splat(1e-12f);
	F8 a = F8_Max(c11, tiny), b = F8_Max(c22, tiny);
	F8 scale = F8_Div(one, F8_Max(F8_Sub(F8_Mul(a, b), F8_Mul(c12, c12)), tiny2));
	return (Tangent8){
		.c11 = c11,
		.c22 = c22,
		.c12 = c12,
		.c33 = c33,
		.k11 = F8_Mul(scale, b),
		.k22 = F8_Mul(scale, a),
		.k12 = F8_Neg(F8_Mul(scale, c12)),
		.k33 = F8_Div(one, F8_Max(c33, tiny)),
	};
}

static bool IsStraight(const Membrane* membrane)
{
	return membrane->warp.count == 1 && membrane->weft.count == 1 && membrane->shear.count == 1 &&
	       membrane->warp.limitSlope == 0.0f;
}

static Tangent8 FirstTangent(const Membrane* membrane)
{
	return TangentOf(F8_Splat(membrane->warp.slope[0]), F8_Splat(membrane->weft.slope[0]), F8_Splat(membrane->c12),
	                 F8_Splat(membrane->shear.slope[0]));
}

static inline F8 StressAt(const StressLaw* law, F8 strain, F8* slope)
{
	F8 size = F8_Abs(strain), stress = F8_Mul(F8_Splat(law->slope[0]), size);
	*slope = F8_Splat(law->slope[0]);
	for (uint32_t i = 1; i < law->count; ++i)
	{
		F8 from = F8_Splat(law->strain[i]), piece = F8_Splat(law->slope[i]);
		M8 past = F8_Gt(size, from);
		stress = F8_Blend(past, F8_Add(F8_Splat(law->stress[i]), F8_Mul(piece, F8_Sub(size, from))), stress);
		*slope = F8_Blend(past, piece, *slope);
	}
	return F8_Blend(F8_Lt(strain, F8_Splat(0.0f)), F8_Neg(stress), stress);
}

// The stress that a limit adds at `strain`; adds to the slope, too.
static inline F8 LimitAt(const StressLaw* law, F8 strain, F8* slope)
{
	F8 beyond = F8_Sub(strain, F8_Splat(law->limit)), stiff = F8_Splat(law->limitSlope), zero = F8_Splat(0.0f);
	*slope = F8_Add(*slope, F8_Blend(F8_Gt(beyond, zero), stiff, zero));
	return F8_Mul(stiff, F8_Max(beyond, zero));
}

static inline void AddLimits(const Membrane* membrane, const Symmetric8* e, Symmetric8* stress, F8* c11, F8* c22,
                             F8* c33)
{
	F8 shear = F8_Add(e->a12, e->a12), isBack = F8_Neg(shear);
	stress->a11 = F8_Add(stress->a11, LimitAt(&membrane->warp, e->a11, c11));
	stress->a22 = F8_Add(stress->a22, LimitAt(&membrane->weft, e->a22, c22));
	stress->a12 = F8_Add(stress->a12, LimitAt(&membrane->shear, shear, c33));
	stress->a12 = F8_Sub(stress->a12, LimitAt(&membrane->shear, isBack, c33));
}

static Symmetric8 CurvedStress(const Membrane* membrane, const Symmetric8* e, Tangent8* tangent)
{
	F8 c12 = F8_Splat(membrane->c12), c11, c22, c33;
	Symmetric8 stress = {
		.a11 = F8_Add(StressAt(&membrane->warp, e->a11, &c11), F8_Mul(c12, e->a22)),
		.a22 = F8_Add(StressAt(&membrane->weft, e->a22, &c22), F8_Mul(c12, e->a11)),
		.a12 = StressAt(&membrane->shear, F8_Add(e->a12, e->a12), &c33),
	};
	if (membrane->warp.limitSlope > 0.0f)
		AddLimits(membrane, e, &stress, &c11, &c22, &c33);
	// On a very flat piece of a curve the coupling could exceed the stiffness, and the energy would have no minimum.
	c12 = F8_Min(c12, F8_Mul(F8_Splat(0.99f), F8_Sqrt(F8_Mul(c11, c22))));
	*tangent = TangentOf(c11, c22, c12, c33);
	return stress;
}

// Ct : e; the stress itself when all laws are straight.
static inline Symmetric8 Hooke(const Tangent8* c, const Symmetric8* e)
{
	return (Symmetric8){
		.a11 = F8_Add(F8_Mul(c->c11, e->a11), F8_Mul(c->c12, e->a22)),
		.a22 = F8_Add(F8_Mul(c->c12, e->a11), F8_Mul(c->c22, e->a22)),
		.a12 = F8_Mul(c->c33, F8_Add(e->a12, e->a12)),
	};
}

// The change of strain dU for a change of F by `df`: with G = R^T dF and the turn w = (G21 - G12) / tr U,
// dU = G - w J U.
static inline Symmetric8 StrainRate(const Deformation8* d, Pair8 df)
{
	const V8 r1 = d->rotation.warp, r2 = d->rotation.weft;
	F8 g12 = V8_Dot(r1, df.weft), g21 = V8_Dot(r2, df.warp);
	F8 turn = F8_Mul(F8_Sub(g21, g12), d->perTrace), shear = F8_Mul(turn, d->u12);
	F8 twice = F8_Add(F8_Add(g12, g21), F8_Mul(turn, F8_Sub(d->u22, d->u11)));
	return (Symmetric8){
		.a11 = F8_Add(V8_Dot(r1, df.warp), shear),
		.a22 = F8_Sub(V8_Dot(r2, df.weft), shear),
		.a12 = F8_Mul(F8_Splat(0.5f), twice),
	};
}

// The stress on F that does the same work as sigma on U: P = R (sigma + k J), with k tr U = - sigma : (J U), because
// the turn keeps U symmetric.
static inline F8 SpinStress(const Deformation8* d, const Symmetric8* stress)
{
	F8 a = F8_Mul(F8_Sub(d->u22, d->u11), stress->a12), b = F8_Mul(d->u12, F8_Sub(stress->a11, stress->a22));
	return F8_Mul(F8_Add(a, b), d->perTrace);
}

// Force on corner a is -A P g_a.
static inline void StoreForces(const Triangles8* t, const Deformation8* d, const Symmetric8* stress, Vec4* force)
{
	const V8 r1 = d->rotation.warp, r2 = d->rotation.weft;
	F8 spin = SpinStress(d, stress), t21 = F8_Add(stress->a12, spin), t12 = F8_Sub(stress->a12, spin);
	F8 minusArea = F8_Neg(t->area);
	V8 p1 = V8_Scale(minusArea, V8_Add(V8_Scale(stress->a11, r1), V8_Scale(t21, r2)));
	V8 p2 = V8_Scale(minusArea, V8_Add(V8_Scale(t12, r1), V8_Scale(stress->a22, r2)));
	V8 f1 = V8_Add(V8_Scale(t->u1, p1), V8_Scale(t->v1, p2)), f2 = V8_Add(V8_Scale(t->u2, p1), V8_Scale(t->v2, p2));
	F8_StoreRows(force, 3, F8_Neg(F8_Add(f1.x, f2.x)), F8_Neg(F8_Add(f1.y, f2.y)), F8_Neg(F8_Add(f1.z, f2.z)));
	F8_StoreRows(force + 1, 3, f1.x, f1.y, f1.z);
	F8_StoreRows(force + 2, 3, f2.x, f2.y, f2.z);
}

// --- stiffness ------------------------------------------------------------------------------------------------------

// The second variation of the energy, for a change of F whose part in the plane strains by dU and turns by w, and whose
// part out of the plane is a:
//
//   dU : Ct : dU  +  turn w^2 + 2 w bend . (dU11, dU22, 2 dU12)  +  a^T lift a
//
// The first is the material part, the rest the geometric one: turn = sigma : U, lift = S = U^-1 (sigma + k J),
// bend . dU = sigma : (J U) tr dU / tr U - sigma : (J dU). N/m
typedef struct Geometric8
{
	F8 turn, bend1, bend2, bend3;
	Symmetric8 lift;
} Geometric8;

// The matrix with its negative eigenvalue set to zero.
static inline Symmetric8 PositivePart(Symmetric8 m)
{
	const F8 zero = F8_Splat(0.0f), half = F8_Splat(0.5f);
	F8 mean = F8_Mul(half, F8_Add(m.a11, m.a22)), apart = F8_Mul(half, F8_Sub(m.a11, m.a22));
	F8 radius = F8_Sqrt(F8_Add(F8_Mul(apart, apart), F8_Mul(m.a12, m.a12)));
	F8 high = F8_Max(F8_Add(mean, radius), zero), low = F8_Max(F8_Sub(mean, radius), zero);
	F8 middle = F8_Mul(half, F8_Add(high, low));
	F8 scale = F8_Div(F8_Mul(half, F8_Sub(high, low)), F8_Max(radius, F8_Splat(1e-20f)));
	return (Symmetric8){
		.a11 = F8_Add(middle, F8_Mul(scale, apart)),
		.a22 = F8_Sub(middle, F8_Mul(scale, apart)),
		.a12 = F8_Mul(scale, m.a12),
	};
}

static inline Symmetric8 Lift(const Deformation8* d, const Symmetric8* stress, F8 spin)
{
	F8 t21 = F8_Add(stress->a12, spin), t12 = F8_Sub(stress->a12, spin);
	F8 a11 = F8_Sub(F8_Mul(d->u22, stress->a11), F8_Mul(d->u12, t21));
	F8 a22 = F8_Sub(F8_Mul(d->u11, stress->a22), F8_Mul(d->u12, t12));
	F8 a12 = F8_Sub(F8_Mul(d->u22, t12), F8_Mul(d->u12, stress->a22));
	return PositivePart((Symmetric8){F8_Mul(d->perArea, a11), F8_Mul(d->perArea, a22), F8_Mul(d->perArea, a12)});
}

// The largest factor of `bend`, at most 1, for which material and geometric part together are semidefinite: its square
// times bend^T Ct^-1 bend must not exceed `turn`.
static inline F8 BendShare(const Geometric8* g, const Tangent8* c)
{
	F8 a = F8_Add(F8_Mul(c->k11, g->bend1), F8_Mul(c->k12, g->bend2));
	F8 b = F8_Add(F8_Mul(c->k12, g->bend1), F8_Mul(c->k22, g->bend2));
	F8 need = F8_Add(F8_Add(F8_Mul(a, g->bend1), F8_Mul(b, g->bend2)), F8_Mul(c->k33, F8_Mul(g->bend3, g->bend3)));
	F8 square = F8_Div(F8_Mul(F8_Splat(0.998f), g->turn), F8_Max(need, F8_Splat(1e-20f)));
	return F8_Min(F8_Sqrt(square), F8_Splat(1.0f));
}

// The semidefinite geometric part, times `scale`.
static inline Geometric8 GeometricPart(const Deformation8* d, const Symmetric8* stress, const Tangent8* tangent,
                                       F8 scale)
{
	F8 spin = SpinStress(d, stress), shear = F8_Mul(stress->a12, d->u12);
	F8 normal = F8_Add(F8_Mul(stress->a11, d->u11), F8_Mul(stress->a22, d->u22));
	Symmetric8 lift = Lift(d, stress, spin);
	Geometric8 g = {
		.turn = F8_Max(F8_Add(normal, F8_Add(shear, shear)), F8_Splat(0.0f)),
		.bend1 = F8_Neg(F8_Add(spin, stress->a12)),
		.bend2 = F8_Sub(stress->a12, spin),
		.bend3 = F8_Mul(F8_Splat(0.5f), F8_Sub(stress->a11, stress->a22)),
		.lift = {F8_Mul(scale, lift.a11), F8_Mul(scale, lift.a22), F8_Mul(scale, lift.a12)},
	};
	F8 share = F8_Mul(scale, BendShare(&g, tangent));
	g.turn = F8_Mul(scale, g.turn);
	g.bend1 = F8_Mul(share, g.bend1);
	g.bend2 = F8_Mul(share, g.bend2);
	g.bend3 = F8_Mul(share, g.bend3);
	return g;
}

// The same as a form in the components of R^T dF. A corner with gradient g that moves by (x, y, z) along the rotated
// warp, weft and the normal changes it by (x, y, z) g^T, so that a block of corners a and b has the entries
// g_a^T xx g_b and so on. N
typedef struct Hessian8
{
	Symmetric8 xx, yy, zz;
	F8 xyUu, xyUv, xyVu, xyVv;
} Hessian8;

// Inserts dU11 = G11 + w u12, dU22 = G22 - w u12, 2 dU12 = G12 + G21 + w (u22 - u11).
static inline Hessian8 HessianOf(const Deformation8* d, const Tangent8* c, const Geometric8* g, F8 scale)
{
	F8 c11 = F8_Mul(scale, c->c11), c22 = F8_Mul(scale, c->c22), c12 = F8_Mul(scale, c->c12);
	F8 c33 = F8_Mul(scale, c->c33), apart = F8_Sub(d->u22, d->u11);
	// Coefficients of w with G11, G22 and G12 + G21, then of w^2; w (tr U) = G21 - G12.
	F8 h1 = F8_Add(F8_Mul(F8_Sub(c11, c12), d->u12), g->bend1);
	F8 h2 = F8_Add(F8_Mul(F8_Sub(c12, c22), d->u12), g->bend2);
	F8 h3 = F8_Add(F8_Mul(c33, apart), g->bend3);
	F8 ww = F8_Mul(d->u12, F8_Sub(F8_Add(h1, g->bend1), F8_Add(h2, g->bend2)));
	ww = F8_Add(F8_Add(ww, F8_Mul(apart, F8_Add(h3, g->bend3))), g->turn);
	h1 = F8_Mul(h1, d->perTrace);
	h2 = F8_Mul(h2, d->perTrace);
	h3 = F8_Mul(F8_Add(h3, h3), d->perTrace);
	ww = F8_Mul(ww, F8_Mul(d->perTrace, d->perTrace));
	F8 sum = F8_Add(c33, ww);
	return (Hessian8){
		.xx = {c11, F8_Sub(sum, h3), F8_Neg(h1)},
		.yy = {F8_Add(sum, h3), c22, h2},
		.zz = g->lift,
		.xyUu = h1,
		.xyUv = c12,
		.xyVu = F8_Sub(c33, ww),
		.xyVv = F8_Neg(h2),
	};
}

// A block in the rotated frame, without z, which is on the diagonal of the other two as well: there, n n^T = I - R R^T.
typedef struct Block8
{
	F8 xx, xy, yx, yy, zz;
} Block8;

static inline F8 Contract(const Symmetric8* m, F8 u1, F8 v1, F8 u2, F8 v2)
{
	F8 x = F8_Add(F8_Mul(m->a11, u2), F8_Mul(m->a12, v2)), y = F8_Add(F8_Mul(m->a12, u2), F8_Mul(m->a22, v2));
	return F8_Add(F8_Mul(u1, x), F8_Mul(v1, y));
}

static inline F8 ContractXy(const Hessian8* h, F8 u1, F8 v1, F8 u2, F8 v2)
{
	F8 x = F8_Add(F8_Mul(h->xyUu, u2), F8_Mul(h->xyUv, v2)), y = F8_Add(F8_Mul(h->xyVu, u2), F8_Mul(h->xyVv, v2));
	return F8_Add(F8_Mul(u1, x), F8_Mul(v1, y));
}

static inline Block8 BlockOf(const Hessian8* h, F8 u1, F8 v1, F8 u2, F8 v2)
{
	F8 zz = Contract(&h->zz, u1, v1, u2, v2);
	return (Block8){
		.xx = F8_Sub(Contract(&h->xx, u1, v1, u2, v2), zz),
		.xy = ContractXy(h, u1, v1, u2, v2),
		.yx = ContractXy(h, u2, v2, u1, v1),
		.yy = F8_Sub(Contract(&h->yy, u1, v1, u2, v2), zz),
		.zz = zz,
	};
}

// Columns of a block in space.
typedef struct Columns8
{
	V8 x, y, z;
} Columns8;

static inline Columns8 InSpace(const Pair8* r, const Block8* m)
{
	const V8 r1 = r->warp, r2 = r->weft;
	V8 k1 = V8_Add(V8_Scale(m->xx, r1), V8_Scale(m->yx, r2)), k2 = V8_Add(V8_Scale(m->xy, r1), V8_Scale(m->yy, r2));
	Columns8 k = {
		V8_Add(V8_Scale(r1.x, k1), V8_Scale(r2.x, k2)),
		V8_Add(V8_Scale(r1.y, k1), V8_Scale(r2.y, k2)),
		V8_Add(V8_Scale(r1.z, k1), V8_Scale(r2.z, k2)),
	};
	k.x.x = F8_Add(k.x.x, m->zz);
	k.y.y = F8_Add(k.y.y, m->zz);
	k.z.z = F8_Add(k.z.z, m->zz);
	return k;
}

static inline void StoreBlock(const Columns8* k, Vec4* block)
{
	F8_StoreRows(block, 9, k->x.x, k->x.y, k->x.z);
	F8_StoreRows(block + 1, 9, k->y.x, k->y.y, k->y.z);
	F8_StoreRows(block + 2, 9, k->z.x, k->z.y, k->z.z);
}

// Minus the sum of the block of a corner with itself, and of `other` transposed: since rows and columns add up to zero,
// the block of that corner and corner 0.
static inline void StoreRest(const Pair8* r, const Hessian8* h, F8 u, F8 v, const Columns8* other, Vec4* block)
{
	F8 nu = F8_Neg(u), nv = F8_Neg(v);
	Block8 m = BlockOf(h, nu, nv, u, v);
	m.yx = m.xy;
	Columns8 k = InSpace(r, &m);
	F8 yx = F8_Sub(k.x.y, other->y.x), xy = F8_Sub(k.x.y, other->x.y);
	F8 zx = F8_Sub(k.x.z, other->z.x), xz = F8_Sub(k.x.z, other->x.z);
	F8 zy = F8_Sub(k.y.z, other->z.y), yz = F8_Sub(k.y.z, other->y.z);
	F8_StoreRows(block, 9, F8_Sub(k.x.x, other->x.x), yx, zx);
	F8_StoreRows(block + 1, 9, xy, F8_Sub(k.y.y, other->y.y), zy);
	F8_StoreRows(block + 2, 9, xz, yz, F8_Sub(k.z.z, other->z.z));
}

static inline void StoreBlocks(const Triangles8* t, const Deformation8* d, const Hessian8* h, Vec4* block)
{
	Block8 m = BlockOf(h, t->u1, t->v1, t->u2, t->v2);
	Columns8 k = InSpace(&d->rotation, &m);
	StoreBlock(&k, block + 3);
	StoreRest(&d->rotation, h, t->u1, t->v1, &k, block);
	StoreRest(&d->rotation, h, t->u2, t->v2, &k, block + 6);
}

// --- evaluation -----------------------------------------------------------------------------------------------------

typedef struct MembraneTask
{
	const Membrane* membrane;
	const EnergyQuery* query;
	Tangent8 straight; // at zero strain; without curves, at every strain
	bool isStraight;
} MembraneTask;

static void EvaluateEight(const MembraneTask* task, uint32_t first, Vec4* force, Vec4* block)
{
	const EnergyQuery* query = task->query;
	Triangles8 t = LoadTriangles(task->membrane, first);
	Deformation8 d = Deform(Gradient(&t, query->position, stretchLimit));
	Tangent8 curved;
	const Tangent8* tangent = task->isStraight ? &task->straight : &curved;
	Symmetric8 stress = task->isStraight ? Hooke(tangent, &d.strain) : CurvedStress(task->membrane, &d.strain, &curved);
	if (block)
	{
		F8 material = F8_Mul(F8_Splat(query->materialScale), t.area);
		Geometric8 g = GeometricPart(&d, &stress, tangent, F8_Mul(F8_Splat(query->geometricScale), t.area));
		Hessian8 hessian = HessianOf(&d, tangent, &g, material);
		StoreBlocks(&t, &d, &hessian, block);
	}
	if (query->dampingTime > 0.0f)
	{
		Symmetric8 rate = StrainRate(&d, Gradient(&t, query->velocity, rateLimit)), drag = Hooke(tangent, &rate);
		F8 tau = F8_Splat(query->dampingTime);
		stress.a11 = F8_Add(stress.a11, F8_Mul(tau, drag.a11));
		stress.a22 = F8_Add(stress.a22, F8_Mul(tau, drag.a22));
		stress.a12 = F8_Add(stress.a12, F8_Mul(tau, drag.a12));
	}
	StoreForces(&t, &d, &stress, force);
}

void drapeMembrane_Evaluate(const Membrane* membrane, const EnergyQuery* query, uint32_t start, uint32_t end,
                            Vec4* force, Vec4* block)
{
	DRAPE_ASSERT(start % 8 == 0 && start <= end && end <= membrane->count);
	DRAPE_ASSERT(query->velocity || query->dampingTime <= 0.0f);
	MembraneTask task = {membrane, query, FirstTangent(membrane), IsStraight(membrane)};
	uint32_t i = start;
	for (; i + 8 <= end; i += 8)
		EvaluateEight(&task, i, force + 3 * (size_t)i, block ? block + 9 * (size_t)i : NULL);
	if (i == end)
		return;
	Vec4 lastForce[3 * 8], lastBlock[9 * 8];
	EvaluateEight(&task, i, lastForce, block ? lastBlock : NULL);
	memcpy(force + 3 * (size_t)i, lastForce, 3 * (end - i) * sizeof(Vec4));
	if (block)
		memcpy(block + 9 * (size_t)i, lastBlock, 9 * (end - i) * sizeof(Vec4));
}

// --- energy ---------------------------------------------------------------------------------------------------------

// The integral of the stress curve.
static double LawEnergy(const StressLaw* law, double strain)
{
	double size = fabs(strain), energy = 0.0;
	for (uint32_t i = 0; i < law->count; ++i)
	{
		double from = (double)law->strain[i];
		double to = i + 1 < law->count ? MinNum(size, (double)law->strain[i + 1]) : size;
		if (to <= from)
			break;
		energy += (to - from) * ((double)law->stress[i] + 0.5 * (double)law->slope[i] * (to - from));
	}
	return energy;
}

static double LimitEnergy(const StressLaw* law, double strain)
{
	double beyond = strain - (double)law->limit;
	return beyond > 0.0 ? 0.5 * (double)law->limitSlope * beyond * beyond : 0.0;
}

static double DensityOf(const Membrane* membrane, const double f[3][2])
{
	double c11 = 0.0, c22 = 0.0, c12 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		c11 += f[k][0] * f[k][0];
		c22 += f[k][1] * f[k][1];
		c12 += f[k][0] * f[k][1];
	}
	double s = sqrt(MaxNum(c11 * c22 - c12 * c12, 0.0)), t = MaxNum(sqrt(c11 + c22 + 2.0 * s), (double)flatStretch);
	double e11 = (c11 + s) / t - 1.0, e22 = (c22 + s) / t - 1.0, e12 = c12 / t;
	double limits = LimitEnergy(&membrane->warp, e11) + LimitEnergy(&membrane->weft, e22) +
	                LimitEnergy(&membrane->shear, 2.0 * fabs(e12));
	return LawEnergy(&membrane->warp, e11) + LawEnergy(&membrane->weft, e22) + (double)membrane->c12 * e11 * e22 +
	       LawEnergy(&membrane->shear, 2.0 * e12) + limits;
}

double drapeMembrane_Energy(const Membrane* membrane, const Vec4* position)
{
	DRAPE_ASSERT(position && membrane->revision != 0);
	double energy = 0.0;
	for (uint32_t i = 0; i < membrane->count; ++i)
	{
		const float *x0 = &position[membrane->corner[0][i]].x, *x1 = &position[membrane->corner[1][i]].x,
					*x2 = &position[membrane->corner[2][i]].x;
		double f[3][2];
		for (int k = 0; k < 3; ++k)
		{
			double edge1 = (double)x1[k] - (double)x0[k], edge2 = (double)x2[k] - (double)x0[k];
			for (int j = 0; j < 2; ++j)
				f[k][j] = edge1 * (double)membrane->gradient[j][i] + edge2 * (double)membrane->gradient[2 + j][i];
		}
		energy += (double)membrane->area[i] * DensityOf(membrane, f);
	}
	return energy;
}
