// SPDX-License-Identifier: MIT
#include "model/curvature.h"

#include "mesh/geometry.h"

QuadraticEnergy drapeCurvature_Describe(const Curvature* curvature)
{
	const BendLaw* law = &curvature->law;
	return (QuadraticEnergy){
		.elements = curvature->elements.data,
		.count = curvature->elements.count,
		.stiffness = {law->warp, law->weft, 2.0f * law->twist},
		.particleCount = curvature->particleCount,
		.changes = curvature->changes,
		.allChanged = curvature->allChanged,
		.nodesChanged = curvature->nodesChanged,
		.frictionScale = drapeCurvature_FrictionStiffness(curvature),
		.hasRest = curvature->curl[0] != 0.0f || curvature->curl[1] != 0.0f,
	};
}

void drapeCurvature_Hessian(const CurvatureElement* element, const BendLaw* law,
                            float hessian[curvatureNodes][curvatureNodes])
{
	DRAPE_ASSERT(element->count <= curvatureNodes);
	const float scale[3] = {element->area * law->warp, element->area * law->weft, 2.0f * element->area * law->twist};
	for (uint32_t a = 0; a < element->count; ++a)
	{
		for (uint32_t b = 0; b <= a; ++b)
		{
			float sum = 0.0f;
			for (int c = 0; c < 3; ++c)
				sum += scale[c] * element->weight[c][a] * element->weight[c][b];
			hessian[a][b] = hessian[b][a] = sum;
		}
	}
}

typedef struct TriangleNormal
{
	Double3 side[2]; // from corner 0 to 1 and to 2
	Double3 unit;    // zero when there is none
	double length;   // twice the area
} TriangleNormal;

static TriangleNormal NormalOf(const CurvatureElement* element, const Vec4* position)
{
	Vec3 x[3];
	for (int k = 0; k < 3; ++k)
		x[k] = V4Xyz(position[element->node[k]]);
	TriangleNormal normal = {.side = {D3Between(x[0], x[1]), D3Between(x[0], x[2])}};
	Double3 cross = D3Cross(normal.side[0], normal.side[1]);
	normal.length = D3Length(cross);
	if (normal.length > 0.0)
		normal.unit = (Double3){cross.x / normal.length, cross.y / normal.length, cross.z / normal.length};
	return normal;
}

// The sum of weighted positions relative to corner 0, which stays accurate far from the origin.
static Double3 SecondDerivative(const CurvatureElement* element, const Vec4* position, int component)
{
	DRAPE_ASSERT(component >= 0 && component < 3);
	Double3 sum = {0.0, 0.0, 0.0};
	Vec3 origin = V4Xyz(position[element->node[0]]);
	for (uint32_t i = 1; i < element->count; ++i)
	{
		Double3 x = D3Between(origin, V4Xyz(position[element->node[i]]));
		double weight = (double)element->weight[component][i];
		sum = (Double3){sum.x + weight * x.x, sum.y + weight * x.y, sum.z + weight * x.z};
	}
	return sum;
}

static void AddTo(Vec4* force, Double3 value)
{
	force->x += (float)value.x;
	force->y += (float)value.y;
	force->z += (float)value.z;
}

// The energy is -A m.n with m the sum of law * rest * x_c. Its change has two parts, of m and of the normal n = N /
// |N|: dn = (dN - n (n.dN)) / |N|.
static void AddRestForce(const CurvatureElement* element, const double law[3], const Vec4* position, Vec4* force)
{
	TriangleNormal normal = NormalOf(element, position);
	if (normal.length <= 0.0)
		return;
	double area = (double)element->area, moment[3];
	Double3 m = {0.0, 0.0, 0.0};
	for (int c = 0; c < 3; ++c)
	{
		moment[c] = area * law[c] * (double)element->rest[c];
		Double3 x = SecondDerivative(element, position, c);
		m = (Double3){m.x + moment[c] * x.x, m.y + moment[c] * x.y, m.z + moment[c] * x.z};
	}
	Double3 n = normal.unit;
	for (uint32_t i = 0; i < element->count; ++i)
	{
		double weight = 0.0;
		for (int c = 0; c < 3; ++c)
			weight += moment[c] * (double)element->weight[c][i];
		AddTo(&force[element->node[i]], (Double3){weight * n.x, weight * n.y, weight * n.z});
	}
	double along = D3Dot(m, n), scale = 1.0 / normal.length;
	Double3 g = {scale * (m.x - along * n.x), scale * (m.y - along * n.y), scale * (m.z - along * n.z)};
	Double3 one = D3Cross(normal.side[1], g), two = D3Cross(g, normal.side[0]);
	AddTo(&force[element->node[1]], one);
	AddTo(&force[element->node[2]], two);
	AddTo(&force[element->node[0]], (Double3){-one.x - two.x, -one.y - two.y, -one.z - two.z});
}

void drapeCurvature_AddRestForces(const Curvature* curvature, const Vec4* position, Vec4* force)
{
	if (curvature->curl[0] == 0.0f && curvature->curl[1] == 0.0f)
		return;
	const BendLaw* bend = &curvature->law;
	const double law[3] = {(double)bend->warp, (double)bend->weft, 2.0 * (double)bend->twist};
	for (uint32_t t = 0; t < curvature->elements.count; ++t)
		AddRestForce(&curvature->elements.data[t], law, position, force);
}

double drapeCurvature_Energy(const Curvature* curvature, const Vec4* position)
{
	const BendLaw* bend = &curvature->law;
	const double law[3] = {(double)bend->warp, (double)bend->weft, 2.0 * (double)bend->twist};
	double energy = 0.0;
	for (uint32_t t = 0; t < curvature->elements.count; ++t)
	{
		const CurvatureElement* element = &curvature->elements.data[t];
		Double3 n = NormalOf(element, position).unit;
		for (int c = 0; c < 3; ++c)
		{
			Double3 x = SecondDerivative(element, position, c);
			double rest = (double)element->rest[c];
			Double3 bent = {x.x - rest * n.x, x.y - rest * n.y, x.z - rest * n.z};
			energy += 0.5 * (double)element->area * law[c] * D3Dot(bent, bent);
		}
	}
	return energy;
}
