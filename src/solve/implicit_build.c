// SPDX-License-Identifier: MIT
#include "solve/implicit.h"

#include <string.h>

// From the mesh to the structure of its matrix, whenever the mesh has changed. What comes out is a function of the mesh
// alone, however it came about. Sums over elements, which are most of the work, are kept from before where nothing has
// changed; rows, edges and levels are written anew, in linear time, on all threads where each row can be for itself.

enum
{
	edgeGrain = 512,
};

bool drapeImplicitSolver_Init(ImplicitSolver* solver, const PatternMesh* pattern)
{
	*solver = (ImplicitSolver){0};
	return drapeBaseLevels_Build(&solver->base, pattern);
}

void drapeImplicitSolver_Destroy(ImplicitSolver* solver)
{
	drapeBaseLevels_Destroy(&solver->base);
	drapeHierarchy_Destroy(&solver->hierarchy);
	drapeBendSum_Destroy(&solver->bending);
	drapeMultigrid_Destroy(&solver->multigrid);
	drapePcg_Destroy(&solver->pcg);
	ArrayFree(&solver->edgeSources);
	ArrayFree(&solver->cornerStart);
	ArrayFree(&solver->corners);
	ArrayFree(&solver->elementForce);
	ArrayFree(&solver->elementBlock);
	ArrayFree(&solver->frictionState);
	ArrayFree(&solver->touches);
	ArrayFree(&solver->bendFriction);
	ArrayFree(&solver->touchNormal);
	ArrayFree(&solver->touchDisplacement);
	ArrayFree(&solver->start);
	ArrayFree(&solver->inertia);
	ArrayFree(&solver->moved);
	ArrayFree(&solver->shape);
	ArrayFree(&solver->position);
	ArrayFree(&solver->velocity);
	ArrayFree(&solver->counts);
	ArrayFree(&solver->edgeNumber);
	*solver = (ImplicitSolver){0};
}

// --- edges ----------------------------------------------------------------------------------------------------------

typedef struct Build
{
	ImplicitSolver* solver;
	const ActiveMesh* mesh;
	const uint32_t* rowOf;
	BlockMatrix* matrix; // the finest
	uint32_t rows, groups;
} Build;

// Numbers the mesh's edges in the order of their lower rows.
static void SortEdges(Build* build)
{
	const ActiveMesh* mesh = build->mesh;
	uint32_t *start = build->solver->counts.data, sum = 0;
	memset(start, 0, (size_t)build->rows * sizeof(uint32_t));
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
		start[MinU32(build->rowOf[mesh->edgeFrom[e]], build->rowOf[mesh->edgeTo[e]])]++;
	for (uint32_t r = 0; r < build->rows; ++r)
	{
		uint32_t own = start[r];
		start[r] = sum;
		sum += own;
	}
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		uint32_t from = build->rowOf[mesh->edgeFrom[e]], to = build->rowOf[mesh->edgeTo[e]];
		RowPair ends = from < to ? (RowPair){from, to} : (RowPair){to, from};
		uint32_t at = start[ends.a]++;
		build->solver->edgeNumber.data[e] = at;
		build->matrix->ends.data[at] = ends;
	}
}

// Where a triangle keeps the block of the two corners that are not `opposite`, and whether the other way round. A block
// goes by its first corner.
static uint32_t BlockSource(const Build* build, uint32_t triangle, uint32_t opposite, uint32_t lowerRow)
{
	const uint32_t* corner = build->mesh->triangle[triangle];
	uint32_t first = corner[0] == opposite ? 1 : corner[1] == opposite ? 2 : 0;
	DRAPE_ASSERT(corner[(first + 2) % 3] == opposite);
	return (9 * triangle + 3 * first) << 1 | (build->rowOf[corner[first]] != lowerRow);
}

static void DescribeRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Build* build = context;
	const uint32_t none = 9 * build->mesh->triangleCount << 1;
	for (uint32_t e = start; e < end; ++e)
	{
		const EdgeWings* wings = &build->mesh->wings[e];
		uint32_t number = build->solver->edgeNumber.data[e], lower = build->matrix->ends.data[number].a;
		uint32_t* source = build->solver->edgeSources.data + 2 * number;
		for (int side = 0; side < 2; ++side)
		{
			bool isThere = wings->triangle[side] != DRAPE_NONE;
			source[side] = isThere ? BlockSource(build, wings->triangle[side], wings->opposite[side], lower) : none;
		}
	}
}

static void BuildEdges(Build* build, TaskPool* tasks)
{
	SortEdges(build);
	drapeTaskPool_For(tasks, build->mesh->edgeCount, edgeGrain, DescribeRange, build);
	for (uint32_t i = 0; i < 16; ++i) // read, but not used, by loops that look ahead
		build->solver->edgeSources.data[2 * build->mesh->edgeCount + i] = 9 * build->mesh->triangleCount << 1;
	drapeBlockMatrix_ListEdges(build->matrix);
}

// --- slices of eight rows -------------------------------------------------------------------------------------------

// The corners of triangles at each row, where its forces are added up from.
static bool ListCorners(Build* build)
{
	ImplicitSolver* solver = build->solver;
	const ActiveMesh* mesh = build->mesh;
	uint32_t *used = solver->counts.data, slots = 0;
	memset(used, 0, 8 * (size_t)build->groups * sizeof(uint32_t));
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (uint32_t k = 0; k < 3; ++k)
			used[build->rowOf[mesh->triangle[t][k]]]++;
	}
	for (uint32_t g = 0; g < build->groups; ++g)
	{
		uint32_t most = 0;
		for (uint32_t row = 8 * g; row < 8 * g + 8; ++row)
		{
			most = MaxU32(most, used[row]);
			used[row] = 8 * slots + row % 8; // from here on: where the next one goes
		}
		solver->cornerStart.data[g] = slots;
		slots += most;
	}
	solver->cornerStart.data[build->groups] = slots;
	if (!ArrayReserve(&solver->corners, 8 * (size_t)slots))
		return false;
	for (uint32_t i = 0; i < 8 * slots; ++i)
		solver->corners.data[i] = 3 * mesh->triangleCount; // a row of zeros
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t* next = &used[build->rowOf[mesh->triangle[t][k]]];
			solver->corners.data[*next] = 3 * t + k;
			*next += 8;
		}
	}
	return true;
}

// --- all of it ------------------------------------------------------------------------------------------------------

static bool ReserveRows(ImplicitSolver* solver, const ActiveMesh* mesh, uint32_t groups)
{
	uint32_t rows = 8 * groups, triangles = mesh->triangleCount;
	if (!ArrayReserve(&solver->edgeSources, 2 * (mesh->edgeCount + 8)) ||
	    !ArrayReserve(&solver->cornerStart, groups + 1) || !ArrayReserve(&solver->elementForce, 3 * (triangles + 8)) ||
	    !ArrayReserve(&solver->elementBlock, 9 * (triangles + 8)) || !ArrayReserve(&solver->start, rows) ||
	    !ArrayReserve(&solver->frictionState, rows) || !ArrayReserve(&solver->touches, rows) ||
	    !ArrayReserve(&solver->touchNormal, mesh->particleCount) ||
	    !ArrayReserve(&solver->touchDisplacement, mesh->particleCount) || !ArrayReserve(&solver->inertia, rows) ||
	    !ArrayReserve(&solver->moved, rows) || !ArrayReserve(&solver->shape, rows) ||
	    !ArrayReserve(&solver->position, mesh->particleCount) ||
	    !ArrayReserve(&solver->velocity, mesh->particleCount) || !ArrayReserve(&solver->counts, rows) ||
	    !ArrayReserve(&solver->edgeNumber, mesh->edgeCount))
		return false;
	return true;
}

static bool BuildAll(ImplicitSolver* solver, const ActiveMesh* mesh, const Curvature* curvature, TaskPool* tasks)
{
	if (!drapeBendSum_Follow(&solver->bending, curvature, tasks) ||
	    !drapeHierarchy_Build(&solver->hierarchy, mesh, &solver->base))
		return false;
	const Hierarchy* hierarchy = &solver->hierarchy;
	const RowNames names = {hierarchy->rowOf.data, hierarchy->particleOf.data};
	Build build = {
		.solver = solver,
		.mesh = mesh,
		.rowOf = hierarchy->rowOf.data,
		.matrix = &drapeMultigrid_Finest(&solver->multigrid, hierarchy)->matrix,
		.rows = hierarchy->rowCount,
		.groups = BlockMatrix_PaddedRows(hierarchy->rowCount) / 8,
	};
	uint32_t coarser = hierarchy->levels[hierarchy->levelCount - 1].coarser;
	if (!ReserveRows(solver, mesh, build.groups) ||
	    !drapeBlockMatrix_Reserve(build.matrix, build.rows, coarser, mesh->edgeCount))
		return false;
	BuildEdges(&build, tasks);
	solver->triangleCount = mesh->triangleCount;
	return ListCorners(&build) && drapeBendSum_Fill(&solver->bending, build.matrix, &names, tasks) &&
	       drapeMultigrid_Build(&solver->multigrid, tasks) && drapePcg_Reserve(&solver->pcg, build.rows);
}

bool drapeImplicitSolver_Follow(ImplicitSolver* solver, const ActiveMesh* mesh, const Curvature* curvature,
                                TaskPool* tasks)
{
	if (curvature->hold > 0.0f &&
	    !ArrayReserve(&solver->bendFriction, drapeCurvature_FrictionRoom(curvature, mesh->particleCount)))
		return false;
	if (solver->revision == mesh->revision && solver->revision != 0 && solver->bendChanges == curvature->changes)
		return true;
	DRAPE_ASSERT(curvature->revision == mesh->revision);
	bool done = BuildAll(solver, mesh, curvature, tasks);
	solver->revision = done ? mesh->revision : 0;
	solver->bendChanges = curvature->changes;
	return done;
}
