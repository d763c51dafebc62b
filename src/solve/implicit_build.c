// SPDX-License-Identifier: MIT
#include "solve/bend_sum.h"
#include "solve/implicit.h"

#include <string.h>

// From the mesh to the structure of its matrix, whenever the mesh has changed. Everything takes linear time, and is a
// function of the mesh alone.

bool ImplicitSolver_Init(ImplicitSolver* solver, const PatternMesh* pattern)
{
	*solver = (ImplicitSolver){0};
	return BaseLevels_Build(&solver->base, pattern);
}

void ImplicitSolver_Destroy(ImplicitSolver* solver)
{
	BaseLevels_Destroy(&solver->base);
	Hierarchy_Destroy(&solver->hierarchy);
	Multigrid_Destroy(&solver->multigrid);
	Pcg_Destroy(&solver->pcg);
	ArrayFree(&solver->edgeSources);
	ArrayFree(&solver->cornerStart);
	ArrayFree(&solver->corners);
	ArrayFree(&solver->elementForce);
	ArrayFree(&solver->elementBlock);
	ArrayFree(&solver->held);
	ArrayFree(&solver->start);
	ArrayFree(&solver->inertia);
	ArrayFree(&solver->moved);
	ArrayFree(&solver->shape);
	ArrayFree(&solver->position);
	ArrayFree(&solver->velocity);
	ArrayFree(&solver->bucketStart);
	ArrayFree(&solver->order);
	ArrayFree(&solver->marks);
	*solver = (ImplicitSolver){0};
}

// --- edges ----------------------------------------------------------------------------------------------------------

typedef struct Build
{
	ImplicitSolver* solver;
	const ActiveMesh* mesh;
	const Curvature* curvature;
	const uint32_t* rowOf;
	MultigridLevel* finest;
	uint32_t rows, groups;
} Build;

static RowPair EdgeRows(const Build* build, uint32_t edge)
{
	uint32_t from = build->rowOf[build->mesh->edgeFrom[edge]], to = build->rowOf[build->mesh->edgeTo[edge]];
	return from < to ? (RowPair){from, to} : (RowPair){to, from};
}

// Where a triangle keeps the block of two of its corners, and whether the other way round.
static uint32_t BlockSource(const Build* build, uint32_t triangle, RowPair ends)
{
	const uint32_t* corner = build->mesh->triangle[triangle];
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t first = build->rowOf[corner[k]], second = build->rowOf[corner[(k + 1) % 3]];
		if (first == ends.a && second == ends.b)
			return (9 * triangle + 3 * k) << 1;
		if (first == ends.b && second == ends.a)
			return (9 * triangle + 3 * k) << 1 | 1;
	}
	DRAPE_ASSERT(false);
	return 9 * build->mesh->triangleCount << 1;
}

// Edges in the order of their lower rows; order.data[n] is the mesh's edge. bucketStart then has where each row's end.
static void SortEdges(Build* build)
{
	uint32_t *start = build->solver->bucketStart.data, *order = build->solver->order.data;
	memset(start, 0, ((size_t)build->rows + 1) * sizeof(uint32_t));
	for (uint32_t e = 0; e < build->mesh->edgeCount; ++e)
		start[EdgeRows(build, e).a + 1]++;
	for (uint32_t r = 0; r < build->rows; ++r)
		start[r + 1] += start[r];
	for (uint32_t e = 0; e < build->mesh->edgeCount; ++e)
		order[start[EdgeRows(build, e).a]++] = e;
}

static void DescribeEdges(Build* build)
{
	const ActiveMesh* mesh = build->mesh;
	BlockMatrix* matrix = &build->finest->matrix;
	const uint32_t none = 9 * mesh->triangleCount << 1;
	for (uint32_t n = 0; n < mesh->edgeCount; ++n)
	{
		uint32_t edge = build->solver->order.data[n];
		const EdgeWings* wings = &mesh->wings[edge];
		RowPair ends = EdgeRows(build, edge);
		for (int side = 0; side < 2; ++side)
		{
			uint32_t triangle = wings->triangle[side];
			bool isThere = triangle != DRAPE_NONE;
			build->solver->edgeSources.data[2 * n + side] = isThere ? BlockSource(build, triangle, ends) : none;
		}
		matrix->ends.data[n] = ends;
	}
	for (uint32_t i = 0; i < 16; ++i)
		build->solver->edgeSources.data[2 * mesh->edgeCount + i] = none;
}

// --- slices of eight rows -------------------------------------------------------------------------------------------

// The corners of triangles at each row, where its forces are added up from.
static bool ListCorners(Build* build)
{
	ImplicitSolver* solver = build->solver;
	const ActiveMesh* mesh = build->mesh;
	uint32_t* used = solver->marks.data;
	memset(used, 0, 8 * (size_t)build->groups * sizeof(uint32_t));
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (uint32_t k = 0; k < 3; ++k)
			used[build->rowOf[mesh->triangle[t][k]]]++;
	}
	uint32_t slots = Slices_Plan(used, build->groups, solver->cornerStart.data);
	if (!ArrayReserve(&solver->corners, 8 * slots))
		return false;
	for (uint32_t i = 0; i < 8 * slots; ++i)
		solver->corners.data[i] = 3 * mesh->triangleCount; // a row of zeros
	memset(used, 0, 8 * (size_t)build->groups * sizeof(uint32_t));
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t row = build->rowOf[mesh->triangle[t][k]];
			solver->corners.data[8 * (solver->cornerStart.data[row / 8] + used[row]++) + row % 8] = 3 * t + k;
		}
	}
	return true;
}

// --- bending --------------------------------------------------------------------------------------------------------

enum
{
	nodeBits = 4,
};

_Static_assert(curvatureNodes <= 1 << nodeBits, "a node of an element has a number of so many bits");

// By row: the elements it is a node of, as element << nodeBits | node. `start` has where each row's begin.
static void ListElements(Build* build, uint32_t* start, uint32_t* list)
{
	const Curvature* curvature = build->curvature;
	DRAPE_ASSERT(curvature->elements.count <= UINT32_MAX >> nodeBits);
	memset(start, 0, ((size_t)build->rows + 1) * sizeof(uint32_t));
	for (int pass = 0; pass < 2; ++pass)
	{
		for (uint32_t t = 0; t < curvature->elements.count; ++t)
		{
			const CurvatureElement* element = &curvature->elements.data[t];
			for (uint32_t k = 0; k < element->count; ++k)
			{
				uint32_t row = build->rowOf[element->node[k]];
				if (pass == 0)
					start[row + 1]++;
				else
					list[start[row]++] = t << nodeBits | k;
			}
		}
		for (uint32_t r = 0; r < build->rows && pass == 0; ++r)
			start[r + 1] += start[r];
	}
}

// One row of an element's Hessian, what is above the diagonal of it.
static void AddElement(const Build* build, BendSum* sum, uint32_t row, uint32_t entry)
{
	const CurvatureElement* element = &build->curvature->elements.data[entry >> nodeBits];
	const BendLaw* law = &build->curvature->law;
	uint32_t node = entry & ((1u << nodeBits) - 1);
	float uu = element->area * law->warp * element->weight[curvatureUu][node];
	float vv = element->area * law->weft * element->weight[curvatureVv][node];
	float uv = element->area * 2.0f * law->twist * element->weight[curvatureUv][node];
	for (uint32_t k = 0; k < element->count; ++k)
	{
		uint32_t other = build->rowOf[element->node[k]];
		if (other > row)
			BendSum_Add(sum, row, other,
			            uu * element->weight[curvatureUu][k] + vv * element->weight[curvatureVv][k] +
			                uv * element->weight[curvatureUv][k]);
	}
}

static bool SumHessians(Build* build, const uint32_t* ends, const uint32_t* list)
{
	BendSum sum;
	BendSum_Begin(&sum, &build->finest->matrix, build->solver->marks.data);
	for (uint32_t row = 0, entry = 0; row < build->rows; ++row)
	{
		if (!BendSum_BeginRow(&sum, row, (ends[row] - entry) * curvatureNodes))
			return false;
		for (; entry < ends[row]; ++entry)
			AddElement(build, &sum, row, list[entry]);
		BendSum_EndRow(&sum);
	}
	return BendSum_Slice(&build->finest->matrix, build->solver->marks.data);
}

static bool BuildBending(Build* build)
{
	ImplicitSolver* solver = build->solver;
	size_t nodes = 0;
	for (uint32_t t = 0; t < build->curvature->elements.count; ++t)
		nodes += build->curvature->elements.data[t].count;
	if (!ArrayReserve(&solver->order, nodes))
		return false;
	ListElements(build, solver->bucketStart.data, solver->order.data);
	return SumHessians(build, solver->bucketStart.data, solver->order.data);
}

// --- all of it ------------------------------------------------------------------------------------------------------

static bool ReserveRows(ImplicitSolver* solver, const ActiveMesh* mesh, uint32_t groups)
{
	uint32_t rows = 8 * groups, triangles = mesh->triangleCount;
	if (!ArrayReserve(&solver->edgeSources, 2 * (mesh->edgeCount + 8)) ||
	    !ArrayReserve(&solver->cornerStart, groups + 1) || !ArrayReserve(&solver->elementForce, 3 * (triangles + 8)) ||
	    !ArrayReserve(&solver->elementBlock, 9 * (triangles + 8)) || !ArrayReserve(&solver->start, rows) ||
	    !ArrayReserve(&solver->held, rows) || !ArrayReserve(&solver->inertia, rows) ||
	    !ArrayReserve(&solver->moved, rows) || !ArrayReserve(&solver->shape, rows) ||
	    !ArrayReserve(&solver->position, mesh->particleCount) ||
	    !ArrayReserve(&solver->velocity, mesh->particleCount) || !ArrayReserve(&solver->bucketStart, rows + 1) ||
	    !ArrayReserve(&solver->order, mesh->edgeCount) || !ArrayReserve(&solver->marks, rows))
		return false;
	memset(solver->shape.data, 0, rows * sizeof(Vec4));
	return true;
}

static bool BuildAll(ImplicitSolver* solver, const ActiveMesh* mesh, const Curvature* curvature)
{
	if (!Hierarchy_Build(&solver->hierarchy, mesh, &solver->base))
		return false;
	Build build = {
		.solver = solver,
		.mesh = mesh,
		.curvature = curvature,
		.rowOf = solver->hierarchy.rowOf.data,
		.finest = Multigrid_Finest(&solver->multigrid, &solver->hierarchy),
		.rows = solver->hierarchy.rowCount,
		.groups = BlockMatrix_PaddedRows(solver->hierarchy.rowCount) / 8,
	};
	uint32_t coarser = solver->hierarchy.levels[solver->hierarchy.levelCount - 1].coarser;
	BlockMatrix* matrix = &build.finest->matrix;
	if (!ReserveRows(solver, mesh, build.groups) || !BlockMatrix_Reserve(matrix, build.rows, coarser, mesh->edgeCount))
		return false;
	memset(matrix->ground.data, 0, 48 * (size_t)build.groups * sizeof(float));
	SortEdges(&build);
	DescribeEdges(&build);
	solver->triangleCount = mesh->triangleCount;
	return ListCorners(&build) && BuildBending(&build) && Multigrid_Build(&solver->multigrid) &&
	       Pcg_Reserve(&solver->pcg, build.rows);
}

bool ImplicitSolver_Follow(ImplicitSolver* solver, const ActiveMesh* mesh, const Curvature* curvature)
{
	if (solver->revision == mesh->revision && solver->revision != 0 && solver->bendChanges == curvature->changes)
		return true;
	DRAPE_ASSERT(curvature->revision == mesh->revision);
	bool done = BuildAll(solver, mesh, curvature);
	solver->revision = done ? mesh->revision : 0;
	solver->bendChanges = curvature->changes;
	return done;
}
