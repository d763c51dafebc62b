// SPDX-License-Identifier: MIT
#include "base/rigid_fit.h"

#include <string.h>

void drapeRigidFit_Add(RigidFit* fit, Vec3 from, Vec3 to)
{
	DRAPE_ASSERT(V3IsFinite(from) && V3IsFinite(to));
	if (fit->count == 0.0)
	{
		fit->origin[0] = from;
		fit->origin[1] = to;
	}
	const Vec3 a = V3Sub(from, fit->origin[0]), b = V3Sub(to, fit->origin[1]);
	const double x[2][3] = {{(double)a.x, (double)a.y, (double)a.z}, {(double)b.x, (double)b.y, (double)b.z}};
	fit->count += 1.0;
	for (int i = 0; i < 3; ++i)
	{
		for (int side = 0; side < 2; ++side)
		{
			fit->sum[side][i] += x[side][i];
			fit->square[side] += x[side][i] * x[side][i];
		}
		for (int k = 0; k < 3; ++k)
			fit->product[i][k] += x[0][i] * x[1][k];
	}
}

// Moments about the centres.
typedef struct Moments
{
	double centre[2][3];
	double square[2];
	double product[3][3];
} Moments;

static Moments Centre(const RigidFit* fit)
{
	Moments m;
	for (int side = 0; side < 2; ++side)
	{
		m.square[side] = fit->square[side];
		for (int i = 0; i < 3; ++i)
		{
			m.centre[side][i] = fit->sum[side][i] / fit->count;
			m.square[side] -= fit->sum[side][i] * m.centre[side][i];
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
			m.product[i][k] = fit->product[i][k] - fit->sum[0][i] * m.centre[1][k];
	}
	return m;
}

// Makes a[p][q] zero by a rotation of rows and columns p and q, and turns the columns of v alike.
static void JacobiTurn(double a[4][4], double v[4][4], int p, int q)
{
	if (a[p][q] == 0.0)
		return;
	double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
	double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
	double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
	for (int k = 0; k < 4; ++k)
	{
		double x = a[k][p], y = a[k][q];
		a[k][p] = c * x - s * y;
		a[k][q] = s * x + c * y;
	}
	for (int k = 0; k < 4; ++k)
	{
		double x = a[p][k], y = a[q][k], vx = v[k][p], vy = v[k][q];
		a[p][k] = c * x - s * y;
		a[q][k] = s * x + c * y;
		v[k][p] = c * vx - s * vy;
		v[k][q] = s * vx + c * vy;
	}
}

// The eigenvector of the largest eigenvalue of a symmetric matrix.
static Quat LargestEigenvector(double a[4][4])
{
	const int sweeps = 12;
	double v[4][4] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
	int largest = 0;
	for (int sweep = 0; sweep < sweeps; ++sweep)
	{
		for (int p = 0; p < 3; ++p)
		{
			for (int q = p + 1; q < 4; ++q)
				JacobiTurn(a, v, p, q);
		}
	}
	for (int i = 1; i < 4; ++i)
		largest = a[i][i] > a[largest][largest] ? i : largest;
	return drapeQuat_Normalize(
		(Quat){(float)v[1][largest], (float)v[2][largest], (float)v[3][largest], (float)v[0][largest]});
}

static Quat FindRotation(const Moments* m)
{
	// A little of the identity decides where the points do not.
	const double bias = 1e-9;
	double s[3][3];
	memcpy(s, m->product, sizeof s);
	for (int i = 0; i < 3; ++i)
		s[i][i] += bias * sqrt(m->square[0] * m->square[1]);
	double n[4][4] = {
		{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
		{0.0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
		{0.0, 0.0, s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
		{0.0, 0.0, 0.0, s[2][2] - s[0][0] - s[1][1]},
	};
	for (int i = 0; i < 4; ++i)
	{
		for (int k = 0; k < i; ++k)
			n[i][k] = n[k][i];
	}
	const Quat q = LargestEigenvector(n);
	const float least = 1e-5f; // half of an angle; below it rounding errors would turn what only moves
	bool isTurned = q.x * q.x + q.y * q.y + q.z * q.z > least * least;
	return isTurned ? q : (Quat){0.0f, 0.0f, 0.0f, 1.0f};
}

static float Residual(const Moments* m, Quat rotation, double count)
{
	const Mat3 r = Mat3_FromQuat(rotation);
	const Vec3 columns[3] = {r.x, r.y, r.z};
	double match = 0.0;
	for (int i = 0; i < 3; ++i)
		match += m->product[i][0] * (double)columns[i].x + m->product[i][1] * (double)columns[i].y +
		         m->product[i][2] * (double)columns[i].z;
	return (float)sqrt(MaxNum(m->square[0] + m->square[1] - 2.0 * match, 0.0) / count);
}

RigidMotion drapeRigidFit_Solve(const RigidFit* fit, float* residual)
{
	DRAPE_ASSERT(fit->count >= 1.0);
	const Moments m = Centre(fit);
	const Quat rotation = FindRotation(&m);
	Vec3 from = V3Add(fit->origin[0], (Vec3){(float)m.centre[0][0], (float)m.centre[0][1], (float)m.centre[0][2]});
	Vec3 to = V3Add(fit->origin[1], (Vec3){(float)m.centre[1][0], (float)m.centre[1][1], (float)m.centre[1][2]});
	*residual = Residual(&m, rotation, fit->count);
	return (RigidMotion){from, to, rotation};
}
