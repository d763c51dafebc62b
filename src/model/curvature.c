// SPDX-License-Identifier: MIT
#include "model/curvature.h"

#include "base/simd.h"
#include "mesh/geometry.h"

#include <float.h>
#include <string.h>

// A vertex at q in the plane of a triangle with corners p_i has barycentric coordinates l_i there. Its distance from
// the plane through the corners is r = x_q - sum l_i x_i. On a quadratic surface with second derivatives H
//
//   r = 1/2 D : H,  D = q q^T - sum l_i p_i p_i^T
//
// so that three vertices give three equations for x_uu, x_vv and x_uv. Each is divided by |D|, and H is written in the
// coordinates (uu, vv, sqrt(2) uv), in which lengths are Frobenius norms. The singular values of the matrix then
// measure how well the vertices determine the curvatures, independent of the size and the rotation of the triangle.

// Smaller singular values are raised to this one. Six points near a common conic have small ones, and an exact fit
// would act as a stiff spring that cloth does not have.
static const double smallestSingular = 0.2;

// The factor by which another set of vertices must determine the curvatures better (see Information) to be preferred.
// An equation at an angle of 8 degrees to the plane of the others gains as much.
static const double worthwhile = 1.5;

BendLaw drapeBendLaw_Of(const drapeMaterial* material)
{
	// The rigidity at 45 degrees is (B1 + B2 + 2 X) / 4.
	float twist = material->bendBias > 0.0f
	                  ? 2.0f * material->bendBias - 0.5f * (material->bendWarp + material->bendWeft)
	                  : sqrtf(material->bendWarp * material->bendWeft);
	return (BendLaw){material->bendWarp, material->bendWeft, twist};
}

// --- neighbours laid flat -------------------------------------------------------------------------------------------

// A triangle laid into the plane of another one, beside an edge of it.
typedef struct Flap
{
	uint32_t triangle, corner; // `corner` is the one that is not on the edge
	uint32_t node;             // its particle; DRAPE_NONE for no flap
	Double2 from, at, to;      // the edge's start, the corner, and the edge's end
} Flap;

// Lays down the neighbour of `triangle` across its side, whose ends are at `from` and `to`; false when there is none.
// The third vertex keeps its height over the edge and its relative position along it. Without a seam these are the
// neighbour's own coordinates.
static bool LayFlap(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, uint32_t side, Double2 from,
                    Double2 to, Flap* flap)
{
	const EdgeWings* wings = &mesh->wings[curvature->sideEdge.data[3 * triangle + side]];
	DRAPE_ASSERT(wings->triangle[0] == triangle || wings->triangle[1] == triangle);
	int other = wings->triangle[0] == triangle;
	uint32_t t = wings->triangle[other], node = wings->opposite[other];
	if (t == DRAPE_NONE)
		return false;
	uint32_t k = Curvature_CornerOf(mesh, t, node), start = (k + 2) % 3, end = (k + 1) % 3;
	DRAPE_ASSERT(mesh->triangle[t][start] == mesh->triangle[triangle][side]);
	const Vec2* corner = mesh->material[t].corner;
	Double2 own = D2Between(corner[start], corner[end]), third = D2Between(corner[start], corner[k]);
	Double2 edge = {to.x - from.x, to.y - from.y};
	double ownSquared = D2Dot(own, own);
	double along = D2Dot(own, third) / ownSquared;
	double aside = D2Cross(third, own) / sqrt(ownSquared * D2Dot(edge, edge));
	DRAPE_ASSERT(aside > 0.0);
	Double2 at = {from.x + along * edge.x + aside * edge.y, from.y + along * edge.y - aside * edge.x};
	*flap = (Flap){.triangle = t, .corner = k, .node = node, .from = from, .at = at, .to = to};
	return true;
}

// --- the fit --------------------------------------------------------------------------------------------------------

typedef struct Equation
{
	double row[3];    // D as uu, vv, sqrt(2) uv; m^2
	double squared;   // |D|^2
	double lambda[3]; // barycentric coordinates of the vertex
} Equation;

typedef struct Fit
{
	Double2 corner[3]; // m, from corner 0
	double perArea;    // 1/m^2; one over twice the area
	Flap flaps[3];     // per side
	uint32_t node[3];  // DRAPE_NONE for a missing one, whose equation is 0 = 0
	Equation equation[3];
	double trust; // see InvertExactly
	bool isRigid;
} Fit;

static double Dot3(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void Cross3(const double a[3], const double b[3], double result[3])
{
	result[0] = a[1] * b[2] - a[2] * b[1];
	result[1] = a[2] * b[0] - a[0] * b[2];
	result[2] = a[0] * b[1] - a[1] * b[0];
}

static Equation EquationOf(const Fit* fit, Double2 q)
{
	DRAPE_ASSERT(isfinite(fit->perArea) && fit->perArea > 0.0);
	Double2 a = fit->corner[1], b = fit->corner[2];
	double l1 = fit->perArea * D2Cross(q, b), l2 = fit->perArea * D2Cross(a, q);
	Equation equation = {
		.row = {q.x * q.x - l1 * a.x * a.x - l2 * b.x * b.x, q.y * q.y - l1 * a.y * a.y - l2 * b.y * b.y,
	            sqrt(2.0) * (q.x * q.y - l1 * a.x * a.y - l2 * b.x * b.y)},
		.lambda = {1.0 - l1 - l2, l1, l2},
	};
	equation.squared = Dot3(equation.row, equation.row);
	return equation;
}

// The vertex q of a rigid triangle is not on the surface, but on its tangent plane in the middle m of the common edge.
// With v = q - m and the edge e, that plane is below the surface by 1/2 v v^T : H at q, and above it by 1/8 e e^T : H
// at m, because it contains the middle of the chord. So
//
//   r = 1/2 (D - v v^T + 1/4 e e^T) : H
static Equation ClampEquation(const Fit* fit, const Flap* flap)
{
	DRAPE_ASSERT(flap->node != DRAPE_NONE);
	Equation equation = EquationOf(fit, flap->at);
	Double2 from = flap->from, to = flap->to, e = {0.5 * (to.x - from.x), 0.5 * (to.y - from.y)};
	Double2 v = {flap->at.x - from.x - e.x, flap->at.y - from.y - e.y};
	equation.row[0] += e.x * e.x - v.x * v.x;
	equation.row[1] += e.y * e.y - v.y * v.y;
	equation.row[2] += sqrt(2.0) * (e.x * e.y - v.x * v.y);
	equation.squared = Dot3(equation.row, equation.row);
	return equation;
}

static void Gather(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, Fit* fit)
{
	const Vec2* corner = mesh->material[triangle].corner;
	fit->isRigid = BitSet_Get(&curvature->isRigid, triangle);
	fit->corner[0] = (Double2){0.0, 0.0};
	fit->corner[1] = D2Between(corner[0], corner[1]);
	fit->corner[2] = D2Between(corner[0], corner[2]);
	fit->perArea = 1.0 / D2Cross(fit->corner[1], fit->corner[2]);
	for (uint32_t k = 0; k < 3; ++k)
	{
		Flap* flap = &fit->flaps[k];
		fit->node[k] = flap->node = DRAPE_NONE;
		fit->equation[k] = (Equation){.squared = 1.0};
		if (!LayFlap(curvature, mesh, triangle, k, fit->corner[k], fit->corner[(k + 1) % 3], flap))
			continue;
		bool isSame = BitSet_Get(&curvature->isRigid, flap->triangle) == fit->isRigid;
		if (isSame || !fit->isRigid)
		{
			fit->node[k] = flap->node;
			fit->equation[k] = isSame ? EquationOf(fit, flap->at) : ClampEquation(fit, flap);
		}
	}
}

// --- replacement vertices -------------------------------------------------------------------------------------------

// Vertices across the far sides of the neighbours, and one triangle further. They may replace a vertex across an own
// side that is missing or adds no information: at transitions between levels of refinement, all six are often on two
// crossing lines. A fold along that side still counts, because the slopes on both sides of it differ. The search does
// not cross the edge of a clamp.

enum
{
	mostCandidates = 6 + 12,
};

typedef struct Candidates
{
	uint32_t count;
	Flap flap[mostCandidates];
	Equation equation[mostCandidates];
} Candidates;

static bool IsKnown(const Fit* fit, const uint32_t corners[3], uint32_t node)
{
	for (int k = 0; k < 3; ++k)
	{
		if (fit->node[k] == node || corners[k] == node)
			return true;
	}
	return false;
}

// The flaps beside the far sides of each of these.
static void AddBeyond(const Curvature* curvature, const ActiveMesh* mesh, const Fit* fit, const Flap* flaps,
                      uint32_t count, Candidates* candidates)
{
	for (uint32_t i = 0; i < 2 * count; ++i)
	{
		const Flap* flap = &flaps[i / 2];
		if (flap->node == DRAPE_NONE || BitSet_Get(&curvature->isRigid, flap->triangle) != fit->isRigid)
			continue;
		// It runs from the start of the edge to its own corner, and from there to the end of the edge.
		bool second = i % 2;
		uint32_t side = second ? flap->corner : (flap->corner + 2) % 3;
		Double2 from = second ? flap->at : flap->from, to = second ? flap->to : flap->at;
		DRAPE_ASSERT(candidates->count < mostCandidates);
		Flap* beyond = &candidates->flap[candidates->count];
		if (!LayFlap(curvature, mesh, flap->triangle, side, from, to, beyond) ||
		    BitSet_Get(&curvature->isRigid, beyond->triangle) != fit->isRigid)
			continue;
		candidates->equation[candidates->count++] = EquationOf(fit, beyond->at);
	}
}

// The information in three equations: det(A^T A + s^2 I), with A their unit rows and s the smallest singular value that
// counts.
static double Information(const Equation* a, const Equation* b, const Equation* c)
{
	const Equation* const equation[3] = {a, b, c};
	double m[3][3] = {{0.0}};
	for (int i = 0; i < 3; ++i)
	{
		m[i][i] += smallestSingular * smallestSingular;
		for (int k = 0; k < 3; ++k)
		{
			double scaled = equation[k]->row[i] / equation[k]->squared;
			for (int j = 0; j < 3; ++j)
				m[i][j] += scaled * equation[k]->row[j];
		}
	}
	double minor[3];
	Cross3(m[1], m[2], minor);
	return Dot3(m[0], minor);
}

// Drops an equation that occurs twice: a vertex of valence three is opposite two sides at once.
static void DropRepeated(Fit* fit)
{
	for (uint32_t k = 1; k < 3; ++k)
	{
		for (uint32_t i = 0; i < k; ++i)
		{
			const Equation *a = &fit->equation[i], *b = &fit->equation[k];
			double overlap = Dot3(a->row, b->row);
			if (fit->node[k] == DRAPE_NONE || fit->node[k] != fit->node[i] ||
			    overlap * overlap < 0.99 * a->squared * b->squared)
				continue;
			fit->node[k] = DRAPE_NONE;
			fit->equation[k] = (Equation){.squared = 1.0};
		}
	}
}

// Replaces the best equation by the best candidate, as long as that is worthwhile.
static void ReplaceVertices(Fit* fit, const uint32_t corners[3], const Candidates* candidates)
{
	Equation* equation = fit->equation;
	for (int round = 0; round < 3; ++round)
	{
		double best = worthwhile * Information(&equation[0], &equation[1], &equation[2]);
		uint32_t slot = DRAPE_NONE, chosen = DRAPE_NONE;
		for (uint32_t i = 0; i < 3 * candidates->count; ++i)
		{
			uint32_t k = i % 3, c = i / 3;
			if (IsKnown(fit, corners, candidates->flap[c].node))
				continue;
			double information = Information(&candidates->equation[c], &equation[(k + 1) % 3], &equation[(k + 2) % 3]);
			if (information > best)
			{
				best = information;
				slot = k;
				chosen = c;
			}
		}
		if (slot == DRAPE_NONE)
			return;
		fit->node[slot] = candidates->flap[chosen].node;
		equation[slot] = candidates->equation[chosen];
	}
}

// --- the inverse ----------------------------------------------------------------------------------------------------

// The columns of the exact inverse of the equations. False when a singular value might be too small: the Frobenius norm
// of the inverse of the unit rows bounds it. The trust is one over the square of that norm.
static bool InvertExactly(Fit* fit, double column[3][3])
{
	const Equation* equation = fit->equation;
	double size = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		Cross3(equation[(k + 1) % 3].row, equation[(k + 2) % 3].row, column[k]);
		size += equation[k].squared * Dot3(column[k], column[k]);
	}
	double determinant = Dot3(equation[0].row, column[0]);
	fit->trust = size > 0.0 ? determinant * determinant / size : 0.0;
	if (!(fit->trust > smallestSingular * smallestSingular))
		return false;
	double scale = 1.0 / determinant;
	for (int k = 0; k < 3; ++k)
	{
		for (int c = 0; c < 3; ++c)
			column[k][c] *= scale;
	}
	return true;
}

// Rotates the axes p and q so that the symmetric matrix is diagonal there (Jacobi's method).
static void Rotate(double matrix[3][3], double vectors[3][3], int p, int q)
{
	if (fabs(matrix[p][q]) < 1e-300)
		return;
	double theta = 0.5 * (matrix[q][q] - matrix[p][p]) / matrix[p][q];
	double tangent = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
	double cosine = 1.0 / sqrt(tangent * tangent + 1.0), sine = tangent * cosine;
	for (int i = 0; i < 3; ++i)
	{
		double a = matrix[i][p], b = matrix[i][q];
		matrix[i][p] = cosine * a - sine * b;
		matrix[i][q] = sine * a + cosine * b;
	}
	for (int i = 0; i < 3; ++i)
	{
		double a = matrix[p][i], b = matrix[q][i];
		matrix[p][i] = cosine * a - sine * b;
		matrix[q][i] = sine * a + cosine * b;
		a = vectors[i][p], b = vectors[i][q];
		vectors[i][p] = cosine * a - sine * b;
		vectors[i][q] = sine * a + cosine * b;
	}
}

// With A the unit rows, V s^2 V^T = A^T A: the columns of V max(s^2, smallest^2)^-1 V^T A^T. This inverts singular
// values that are large enough, is zero for a missing equation, and is continuous in between.
static void InvertCarefully(const Fit* fit, double column[3][3])
{
	double matrix[3][3] = {{0.0}}, vectors[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	for (int k = 0; k < 3; ++k)
	{
		const Equation* equation = &fit->equation[k];
		for (int c = 0; c < 9; ++c)
			matrix[c / 3][c % 3] += equation->row[c / 3] * equation->row[c % 3] / equation->squared;
	}
	for (int sweep = 0; sweep < 5; ++sweep)
	{
		Rotate(matrix, vectors, 0, 1);
		Rotate(matrix, vectors, 1, 2);
		Rotate(matrix, vectors, 2, 0);
	}
	for (int k = 0; k < 3; ++k)
	{
		column[k][0] = column[k][1] = column[k][2] = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			const double axis[3] = {vectors[0][i], vectors[1][i], vectors[2][i]};
			double eigenvalue = MaxNum(matrix[i][i], smallestSingular * smallestSingular);
			double scale = Dot3(axis, fit->equation[k].row) / (eigenvalue * fit->equation[k].squared);
			for (int c = 0; c < 3; ++c)
				column[k][c] += scale * axis[c];
		}
	}
}

// --- fits -----------------------------------------------------------------------------------------------------------

// `row` has the weights of the vertices around. Corner 0 gets the rounding error of the others, so that the sum of the
// float weights is as small as possible.
static void SetWeights(const Fit* fit, const double row[3], float weight[curvatureFitNodes])
{
	double corner[3] = {0.0}, sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		for (int i = 1; i < 3; ++i)
			corner[i] -= row[k] * fit->equation[k].lambda[i];
		weight[3 + k] = (float)row[k];
	}
	weight[1] = (float)corner[1];
	weight[2] = (float)corner[2];
	for (uint32_t i = 1; i < curvatureFitNodes; ++i)
		sum += (double)weight[i];
	weight[0] = (float)-sum;
}

// The quadratic is sum l_i x_i + 1/2 (p p^T - sum l_i p_i p_i^T) : H, with l_i the barycentric coordinates of p.
static void SetSlope(const Fit* fit, uint32_t side, CurvatureFit* stored)
{
	DRAPE_ASSERT(side < 3);
	const Double2 *p = fit->corner, a = p[1], b = p[2];
	Double2 from = p[side], to = p[(side + 1) % 3];
	Double2 middle = {0.5 * (from.x + to.x), 0.5 * (from.y + to.y)}, edge = {to.x - from.x, to.y - from.y};
	double scale = 1.0 / sqrt(D2Dot(edge, edge));
	Double2 n = {scale * edge.y, -scale * edge.x};
	double l1 = fit->perArea * D2Cross(n, b), l2 = fit->perArea * D2Cross(a, n);
	const float corner[curvatureFitNodes] = {(float)(-l1 - l2), (float)l1, (float)l2};
	float uu = (float)(middle.x * n.x - 0.5 * (l1 * a.x * a.x + l2 * b.x * b.x));
	float vv = (float)(middle.y * n.y - 0.5 * (l1 * a.y * a.y + l2 * b.y * b.y));
	float uv = (float)(middle.x * n.y + middle.y * n.x - l1 * a.x * a.y - l2 * b.x * b.y);
	for (uint32_t i = 0; i < curvatureFitNodes; ++i)
		stored->slope[side][i] = corner[i] + uu * stored->weight[curvatureUu][i] + vv * stored->weight[curvatureVv][i] +
		                         uv * stored->weight[curvatureUv][i];
}

static void SetFit(const ActiveMesh* mesh, uint32_t triangle, const Fit* fit, double column[3][3], CurvatureFit* stored)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		stored->node[k] = mesh->triangle[triangle][k];
		stored->node[3 + k] = fit->node[k] != DRAPE_NONE ? fit->node[k] : mesh->triangle[triangle][0];
	}
	// Twice, for r = 1/2 D : H.
	const double scale[3] = {2.0, 2.0, sqrt(2.0)};
	for (int c = 0; c < 3; ++c)
	{
		const double row[3] = {scale[c] * column[0][c], scale[c] * column[1][c], scale[c] * column[2][c]};
		SetWeights(fit, row, stored->weight[c]);
	}
	for (uint32_t k = 0; k < 3; ++k)
		SetSlope(fit, k, stored);
	// No other fit influences the slope at the edge of a clamp.
	stored->trust = fit->isRigid ? FLT_MAX : (float)fit->trust;
}

bool drapeCurvature_FitNear(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, CurvatureFit* stored)
{
	DRAPE_ASSERT(triangle < mesh->triangleCount);
	Fit fit;
	double column[3][3];
	Gather(curvature, mesh, triangle, &fit);
	if (!InvertExactly(&fit, column))
		return false;
	SetFit(mesh, triangle, &fit, column, stored);
	return true;
}

void drapeCurvature_FitFar(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, CurvatureFit* stored)
{
	DRAPE_ASSERT(triangle < mesh->triangleCount);
	Fit fit;
	double column[3][3];
	Candidates candidates;
	candidates.count = 0;
	Gather(curvature, mesh, triangle, &fit);
	DropRepeated(&fit);
	AddBeyond(curvature, mesh, &fit, fit.flaps, 3, &candidates);
	ReplaceVertices(&fit, mesh->triangle[triangle], &candidates);
	bool isExact = InvertExactly(&fit, column);
	if (!isExact)
	{
		AddBeyond(curvature, mesh, &fit, candidates.flap, candidates.count, &candidates);
		ReplaceVertices(&fit, mesh->triangle[triangle], &candidates);
		isExact = InvertExactly(&fit, column);
	}
	if (!isExact)
		InvertCarefully(&fit, column);
	SetFit(mesh, triangle, &fit, column, stored);
}

// --- elements -------------------------------------------------------------------------------------------------------

// With s_e the slope along the outer normal n in the middle of edge e, the mean second derivatives over a triangle are
//
//   H~ = H + 1/A sum l_e (s_e - own slope) n n^T
//
// with H and the own slope of the fit. s_e is the mean of both fits, weighted by their trust: a fit that does not
// determine all curvatures gets them from its neighbours. At a free edge it is the own slope, at a clamp the clamp's.
// Fits that are exact for a quadratic agree about its slopes, so that omitting an edge does not change exactness.

enum
{
	mostNodes = 18,   // the fit's six, and four more of each neighbour
	paddedNodes = 24, // in whole vectors
};

typedef struct Sum
{
	uint32_t count;
	uint32_t node[mostNodes];
	float weight[3][paddedNodes]; // zero beyond `count`
} Sum;

// A jump is omitted if all its weights are below this, over the length of the edge. On regular grids they are rounding
// errors.
static const float leastJump = 1e-3f;

// Nodes whose weights are below this fraction of the largest are dropped.
static const float leastWeight = 1e-6f;

static float LargestOf(const float value[paddedNodes])
{
	F8 largest = F8_Abs(F8_Load(value));
	for (uint32_t i = 8; i < paddedNodes; i += 8)
		largest = F8_Max(largest, F8_Abs(F8_Load(value + i)));
	return F8_MaxLanes(largest);
}

static void ClearNodes(float value[paddedNodes])
{
	for (uint32_t i = 0; i < paddedNodes; i += 8)
		F8_Store(value + i, F8_Splat(0.0f));
}

// Adds the node when it is new.
static uint32_t SlotOf(Sum* sum, uint32_t node, uint32_t guess)
{
	DRAPE_ASSERT(sum->count <= mostNodes && guess < paddedNodes);
	if (sum->node[guess] == node)
		return guess;
	for (uint32_t i = 0; i < sum->count; ++i)
	{
		if (sum->node[i] == node)
			return i;
	}
	DRAPE_ASSERT(sum->count < mostNodes);
	sum->node[sum->count] = node;
	return sum->count++;
}

static void StartSum(Sum* sum, const CurvatureFit* fit, uint32_t slot[curvatureFitNodes])
{
	for (int c = 0; c < 3; ++c)
		ClearNodes(sum->weight[c]);
	memcpy(sum->node, fit->node, 3 * sizeof(uint32_t));
	sum->count = 3;
	for (uint32_t i = 0; i < curvatureFitNodes; ++i)
	{
		slot[i] = i < 3 ? i : SlotOf(sum, fit->node[i], 0);
		for (int c = 0; c < 3; ++c)
			sum->weight[c][slot[i]] += fit->weight[c][i];
	}
}

// One side of a triangle with the fits of both triangles.
typedef struct Border
{
	const CurvatureFit *own, *other;
	uint32_t side, otherSide;
	Vec2 edge;    // m, in the triangle's own plane
	float length; // m
} Border;

static bool FindBorder(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, uint32_t side,
                       Border* border)
{
	const EdgeWings* wings = &mesh->wings[curvature->sideEdge.data[3 * triangle + side]];
	int other = wings->triangle[0] == triangle;
	uint32_t neighbour = wings->triangle[other];
	if (neighbour == DRAPE_NONE)
		return false;
	const Vec2* corner = mesh->material[triangle].corner;
	Vec2 edge = V2Sub(corner[(side + 1) % 3], corner[side]);
	*border = (Border){
		.own = &curvature->fits.data[triangle],
		.other = &curvature->fits.data[neighbour],
		.side = side,
		.otherSide = (Curvature_CornerOf(mesh, neighbour, wings->opposite[other]) + 1) % 3,
		.edge = edge,
		.length = sqrtf(V2Dot(edge, edge)),
	};
	return true;
}

// The slope of the neighbour's fit minus the own one, per slot. Returns its largest weight, or zero, with the sum
// unchanged, if that is too small. 1/m
static float FindJump(Sum* sum, const uint32_t slot[curvatureFitNodes], const Border* border, float jump[paddedNodes])
{
	const float *own = border->own->slope[border->side], *other = border->other->slope[border->otherSide];
	uint32_t count = sum->count, end = (border->side + 1) % 3, beyond = (border->side + 2) % 3, k = border->otherSide;
	// The expected slots of the neighbour's corners and vertices, from side k on.
	const uint32_t guess[curvatureFitNodes] = {end, border->side, slot[3 + border->side], beyond, 0, 0};
	ClearNodes(jump);
	for (uint32_t i = 0; i < curvatureFitNodes; ++i)
		jump[slot[i]] -= own[i];
	for (uint32_t i = 0; i < curvatureFitNodes; ++i)
	{
		uint32_t node = i < 3 ? (k + i) % 3 : 3 + (k + i) % 3;
		jump[SlotOf(sum, border->other->node[node], guess[i])] -= other[node];
	}
	float size = LargestOf(jump);
	if (size * border->length > leastJump)
		return size;
	sum->count = count;
	return 0.0f;
}

// Adds l / A (s_e - own slope) n n^T.
static void AddJump(Sum* sum, const float jump[paddedNodes], const Border* border, float area)
{
	DRAPE_ASSERT(area > 0.0f && border->length > 0.0f);
	DRAPE_ASSERT(border->own->trust < FLT_MAX);
	float trust = border->own->trust + border->other->trust; // rounds to FLT_MAX beside a clamp
	float part = trust > 0.0f ? border->other->trust / trust : 0.5f;
	float factor = part / (area * border->length);
	Vec2 edge = border->edge;
	const float scale[3] = {factor * edge.y * edge.y, factor * edge.x * edge.x, -factor * edge.x * edge.y};
	for (int c = 0; c < 3; ++c)
	{
		for (uint32_t i = 0; i < paddedNodes; ++i)
			sum->weight[c][i] += scale[c] * jump[i];
	}
}

// Adds the fit and the jumps at all sides except those in `leftOut`. Returns the side with the smallest jump;
// DRAPE_NONE if there is none.
static uint32_t AddUp(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, uint32_t leftOut, Sum* sum)
{
	uint32_t slot[curvatureFitNodes], smallest = DRAPE_NONE;
	float least = INFINITY;
	StartSum(sum, &curvature->fits.data[triangle], slot);
	for (uint32_t k = 0; k < 3; ++k)
	{
		Border border;
		float jump[paddedNodes];
		if (leftOut >> k & 1 || !FindBorder(curvature, mesh, triangle, k, &border))
			continue;
		float size = FindJump(sum, slot, &border, jump);
		if (size == 0.0f)
			continue;
		AddJump(sum, jump, &border, mesh->area[triangle]);
		smallest = size < least ? k : smallest;
		least = size < least ? size : least;
	}
	return smallest;
}

// Drops nodes with tiny weights, which are as small as rounding errors.
static void Prune(Sum* sum)
{
	float size[paddedNodes];
	for (uint32_t i = 0; i < paddedNodes; i += 8)
	{
		F8 uu = F8_Abs(F8_Load(sum->weight[curvatureUu] + i)), vv = F8_Abs(F8_Load(sum->weight[curvatureVv] + i));
		F8_Store(size + i, F8_Max(F8_Max(uu, vv), F8_Abs(F8_Load(sum->weight[curvatureUv] + i))));
	}
	float largest = LargestOf(size);
	uint32_t kept = 3;
	for (uint32_t i = 3; i < sum->count; ++i)
	{
		if (size[i] <= leastWeight * largest)
			continue;
		sum->node[kept] = sum->node[i];
		for (int c = 0; c < 3; ++c)
			sum->weight[c][kept] = sum->weight[c][i];
		kept++;
	}
	sum->count = kept;
}

// Rest curvature is the material's. A value per pattern triangle would be set here.
static void SetRest(const Curvature* curvature, CurvatureElement* element)
{
	element->rest[curvatureUu] = curvature->curl[0];
	element->rest[curvatureVv] = curvature->curl[1];
	element->rest[curvatureUv] = 0.0f;
}

// Corner 0 gets minus the sum of the others, so that the sum of all is as small as possible.
static void SetElement(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, const Sum* sum,
                       CurvatureElement* element)
{
	double rest[3] = {0.0};
	memset(element->weight, 0, sizeof element->weight);
	element->count = sum->count;
	for (uint32_t i = 0; i < curvatureNodes; ++i)
		element->node[i] = i < sum->count ? sum->node[i] : sum->node[0];
	for (uint32_t i = 1; i < sum->count; ++i)
	{
		for (int c = 0; c < 3; ++c)
		{
			element->weight[c][i] = sum->weight[c][i];
			rest[c] -= (double)sum->weight[c][i];
		}
	}
	for (int c = 0; c < 3; ++c)
		element->weight[c][0] = (float)rest[c];
	SetRest(curvature, element);
	element->area = mesh->area[triangle];
}

static void SetRigid(const ActiveMesh* mesh, uint32_t triangle, CurvatureElement* element)
{
	const uint32_t* corner = mesh->triangle[triangle];
	*element = (CurvatureElement){0};
	for (uint32_t i = 0; i < curvatureNodes; ++i)
		element->node[i] = corner[i < 3 ? i : 0];
}

// Combines the fits of the triangle and its neighbours. If an element has too many nodes, the smallest jumps are
// omitted.
void drapeCurvature_Combine(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle,
                            CurvatureElement* element)
{
	DRAPE_ASSERT(triangle < mesh->triangleCount && triangle < curvature->fits.count);
	Sum sum;
	if (BitSet_Get(&curvature->isRigid, triangle))
	{
		SetRigid(mesh, triangle, element);
		return;
	}
	uint32_t smallest = AddUp(curvature, mesh, triangle, 0, &sum);
	Prune(&sum);
	for (uint32_t leftOut = 0; sum.count > curvatureNodes;)
	{
		DRAPE_ASSERT(smallest != DRAPE_NONE);
		leftOut |= 1u << smallest;
		smallest = AddUp(curvature, mesh, triangle, leftOut, &sum);
		Prune(&sum);
	}
	SetElement(curvature, mesh, triangle, &sum, element);
}
