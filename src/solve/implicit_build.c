// SPDX-License-Identifier: MIT
#include "solve/implicit.h"

#include <string.h>

// Builds the structure of the matrix from the mesh, whenever the mesh has changed. The result is a function of the mesh
// and the model alone, whatever changes led to it. Sums over quadratic elements, which are most of the work, are kept
// where the mesh has not changed; rows, pairs and levels are written again, in linear time, on all threads.

enum
{
	edgeGrain = 512,
	releaseAfter = 16, // unchanged steps
};

bool drapeImplicitSolver_Init(ImplicitSolver* solver, const PatternMesh* pattern)
{
	*solver = (ImplicitSolver){0};
	return drapeBaseLevels_Build(&solver->base, pattern);
}

static void ReleaseLists(ImplicitSolver* solver)
{
	ArrayFree(&solver->counts);
	ArrayFree(&solver->edgeNumber);
	ArrayFree(&solver->farPairs);
	ArrayFree(&solver->sortedFarPairs);
	ArrayFree(&solver->pairOf);
}

// Releases what only serves the next build. Many meshes never change again once they are built.
static void ReleaseScratch(ImplicitSolver* solver)
{
	drapeQuadraticSum_Release(&solver->quadraticSum);
	drapeHierarchy_ReleaseScratch(&solver->hierarchy);
	drapeMultigrid_ReleaseScratch(&solver->multigrid);
	ReleaseLists(solver);
}

void drapeImplicitSolver_InitOn(ImplicitSolver* solver, const BaseLevels* base)
{
	*solver = (ImplicitSolver){.base = *base};
	drapeBaseLevels_Borrow(&solver->base);
}

void drapeImplicitSolver_Destroy(ImplicitSolver* solver)
{
	drapeImplicitSolver_ReleaseValues(solver);
	drapeBaseLevels_Destroy(&solver->base);
	drapeHierarchy_Destroy(&solver->hierarchy);
	drapeQuadraticSum_Destroy(&solver->quadraticSum);
	drapeMultigrid_Destroy(&solver->multigrid);
	ArrayFree(&solver->sourceStart);
	ArrayFree(&solver->sources);
	ArrayFree(&solver->forceStart);
	ArrayFree(&solver->forceRows);
	*solver = (ImplicitSolver){0};
}

// --- memory of elements ---------------------------------------------------------------------------------------------

// Reserves memory for the forces and blocks of elements in the slices of the matrix, which have not been built yet.
static bool ReserveElements(const ImplicitSolver* solver, BlockMatrix* matrix)
{
	size_t forces = solver->zeroForce + 1, blocks = solver->zeroBlock + 3;
	return ArrayReserve(&matrix->ring, 4 * (forces + blocks));
}

// The slices have been built and stay where they are.
static void PlaceElements(ImplicitSolver* solver, BlockMatrix* matrix)
{
	DRAPE_ASSERT(matrix->ring.capacity >= 4 * ((size_t)solver->zeroForce + 1 + solver->zeroBlock + 3));
	solver->elementBlock = (Vec4*)matrix->ring.data;
	solver->elementForce = solver->elementBlock + solver->zeroBlock + 3;
}

// --- lending --------------------------------------------------------------------------------------------------------

void drapeImplicitSolver_ReleaseValues(ImplicitSolver* solver)
{
	drapeQuadraticSum_ReleaseScratch(&solver->quadraticSum);
	drapeHierarchy_ReleaseScratch(&solver->hierarchy);
	drapeMultigrid_ReleaseScratch(&solver->multigrid);
	drapeMultigrid_ReleaseValues(&solver->multigrid);
	drapePcg_Destroy(&solver->pcg);
	ReleaseLists(solver);
	ArrayFree(&solver->frictionState);
	ArrayFree(&solver->touches);
	ArrayFree(&solver->internalFriction);
	ArrayFree(&solver->touchNormal);
	ArrayFree(&solver->touchDisplacement);
	ArrayFree(&solver->start);
	ArrayFree(&solver->inertia);
	ArrayFree(&solver->moved);
	ArrayFree(&solver->position);
	ArrayFree(&solver->velocity);
	solver->elementForce = solver->elementBlock = NULL;
}

static bool ReserveVectors(ImplicitSolver* solver, uint32_t particles, uint32_t rows)
{
	return ArrayReserve(&solver->start, rows) && ArrayReserve(&solver->inertia, rows) &&
	       ArrayReserve(&solver->moved, rows) && ArrayReserve(&solver->position, particles) &&
	       ArrayReserve(&solver->velocity, particles);
}

bool drapeImplicitSolver_Borrow(ImplicitSolver* solver, const ImplicitSolver* lender, uint32_t particleCount)
{
	*solver = (ImplicitSolver){
		.base = lender->base,
		.hierarchy = lender->hierarchy,
		.quadraticSum = lender->quadraticSum,
		.multigrid = lender->multigrid,
		.revision = lender->revision,
		.quadraticChanges = lender->quadraticChanges,
		.zeroForce = lender->zeroForce,
		.zeroBlock = lender->zeroBlock,
	};
	memcpy(solver->elements, lender->elements, sizeof solver->elements);
	drapeBaseLevels_Borrow(&solver->base);
	drapeHierarchy_Borrow(&solver->hierarchy);
	drapeQuadraticSum_Borrow(&solver->quadraticSum);
	drapeMultigrid_Borrow(&solver->multigrid, &solver->hierarchy);
	if (solver->revision == 0)
		return true;
	solver->sourceStart.data = lender->sourceStart.data;
	solver->sources.data = lender->sources.data;
	solver->forceStart.data = lender->forceStart.data;
	solver->forceRows.data = lender->forceRows.data;
	BlockMatrix* finest = &solver->multigrid.levels[solver->multigrid.levelCount - 1].matrix;
	if (!ReserveElements(solver, finest) || !drapeMultigrid_ReserveValues(&solver->multigrid) ||
	    !drapePcg_Reserve(&solver->pcg, finest->rowCount) ||
	    !ReserveVectors(solver, particleCount, 8 * finest->groupCount))
		return false;
	PlaceElements(solver, finest);
	return true;
}

typedef struct Build
{
	ImplicitSolver* solver;
	const ActiveMesh* mesh;
	const Model* model;
	const uint32_t* rowOf;
	BlockMatrix* matrix; // the finest
	uint32_t rows, groups;
} Build;

static const ElementShape* ShapeOf(const Build* build, uint32_t energy)
{
	return drapeElement_Shape(build->model->energies[energy].type->elements);
}

// --- elements -------------------------------------------------------------------------------------------------------

// The range of each energy in the arrays of element forces and blocks. A row of zeros comes last in both.
static void PlanElements(Build* build)
{
	DRAPE_ASSERT(build->model->energyCount <= modelEnergies);
	ImplicitSolver* solver = build->solver;
	uint32_t forces = 0, blocks = 0;
	for (uint32_t i = 0; i < build->model->energyCount; ++i)
	{
		const ElementShape* shape = ShapeOf(build, i);
		uint32_t count = drapeElement_Count(build->model->energies[i].type->elements, build->mesh);
		uint32_t padded = (count + 7) & ~7u;
		solver->elements[i] = (ElementSpan){count, forces, blocks};
		forces += shape->particles * padded;
		blocks += 3 * shape->pairs * padded;
	}
	solver->zeroForce = forces;
	solver->zeroBlock = blocks;
}

static RowPair PairOf(uint32_t a, uint32_t b)
{
	DRAPE_ASSERT(a != b);
	return a < b ? (RowPair){a, b} : (RowPair){b, a};
}

// --- pairs of rows --------------------------------------------------------------------------------------------------

// Numbers the mesh's edges, and after each row's edges its far pairs, in the order of their lower rows.
static void SortPairs(Build* build)
{
	const ActiveMesh* mesh = build->mesh;
	const ImplicitSolver* solver = build->solver;
	uint32_t *start = solver->counts.data, sum = 0;
	memset(start, 0, (size_t)build->rows * sizeof(uint32_t));
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
		start[MinU32(build->rowOf[mesh->edgeFrom[e]], build->rowOf[mesh->edgeTo[e]])]++;
	for (uint32_t i = 0; i < solver->farPairs.count; ++i)
		start[solver->farPairs.data[i].a]++;
	for (uint32_t r = 0; r < build->rows; ++r)
	{
		uint32_t own = start[r];
		start[r] = sum;
		sum += own;
	}
	DRAPE_ASSERT(sum == build->matrix->edgeCount);
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		RowPair ends = PairOf(build->rowOf[mesh->edgeFrom[e]], build->rowOf[mesh->edgeTo[e]]);
		uint32_t at = start[ends.a]++;
		solver->edgeNumber.data[e] = at;
		build->matrix->ends.data[at] = ends;
	}
	for (uint32_t i = 0; i < solver->farPairs.count; ++i)
		build->matrix->ends.data[start[solver->farPairs.data[i].a]++] = solver->farPairs.data[i];
}

// DRAPE_NONE when the rows have no pair.
static uint32_t FindPair(const BlockMatrix* matrix, RowPair rows)
{
	DRAPE_ASSERT(rows.a < rows.b && rows.b < matrix->rowCount);
	for (uint32_t e = matrix->upperStart.data[rows.a]; e < matrix->upperStart.data[rows.a + 1]; ++e)
	{
		if (matrix->ends.data[e].b == rows.b)
			return e;
	}
	return DRAPE_NONE;
}

// Pairs of elements that no edge of the mesh joins. The edges must be listed. Some pairs are found more than once.
static bool CollectFarPairs(Build* build)
{
	ImplicitSolver* solver = build->solver;
	const ActiveMesh* mesh = build->mesh;
	solver->farPairs.count = 0;
	for (uint32_t i = 0; i < build->model->energyCount; ++i)
	{
		ElementKind kind = build->model->energies[i].type->elements;
		const ElementShape* shape = drapeElement_Shape(kind);
		if (!shape->hasFarPair)
			continue;
		if (!ArrayReserve(&solver->farPairs, solver->farPairs.count + mesh->edgeCount))
			return false;
		const uint8_t* far = shape->pair[shape->pairs - 1];
		for (uint32_t e = 0; e < mesh->edgeCount; ++e)
		{
			uint32_t particle[elementParticles];
			if (!drapeElement_Particles(kind, mesh, e, particle))
				continue;
			RowPair rows = PairOf(build->rowOf[particle[far[0]]], build->rowOf[particle[far[1]]]);
			if (FindPair(build->matrix, rows) == DRAPE_NONE)
				ArrayPush(&solver->farPairs, rows);
		}
	}
	return true;
}

// Sorts the far pairs by their lower rows and keeps each once.
static bool SortFarPairs(Build* build)
{
	ImplicitSolver* solver = build->solver;
	uint32_t *start = solver->counts.data, sum = 0, count = solver->farPairs.count, kept = 0;
	if (!ArrayReserve(&solver->sortedFarPairs, count))
		return false;
	memset(start, 0, (size_t)build->rows * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; ++i)
		start[solver->farPairs.data[i].a]++;
	for (uint32_t r = 0; r < build->rows; ++r)
	{
		uint32_t own = start[r];
		start[r] = sum;
		sum += own;
	}
	for (uint32_t i = 0; i < count; ++i)
		solver->sortedFarPairs.data[start[solver->farPairs.data[i].a]++] = solver->farPairs.data[i];
	for (uint32_t i = 0; i < count; ++i)
	{
		RowPair rows = solver->sortedFarPairs.data[i];
		bool isNew = true;
		for (uint32_t k = kept; k-- > 0 && solver->farPairs.data[k].a == rows.a && isNew;)
			isNew = solver->farPairs.data[k].b != rows.b;
		if (isNew)
			solver->farPairs.data[kept++] = rows;
	}
	solver->farPairs.count = kept;
	return true;
}

static bool HasFarPairs(const Build* build)
{
	bool hasFar = false;
	for (uint32_t i = 0; i < build->model->energyCount; ++i)
		hasFar |= ShapeOf(build, i)->hasFarPair;
	return hasFar;
}

static bool BuildPairs(Build* build, uint32_t coarser)
{
	DRAPE_ASSERT(coarser <= build->rows);
	ImplicitSolver* solver = build->solver;
	BlockMatrix* matrix = build->matrix;
	uint32_t edges = build->mesh->edgeCount;
	solver->farPairs.count = 0;
	if (!drapeBlockMatrix_Reserve(matrix, build->rows, coarser, edges))
		return false;
	SortPairs(build);
	if (HasFarPairs(build))
	{
		drapeBlockMatrix_ListEdges(matrix);
		if (!CollectFarPairs(build) || !SortFarPairs(build) ||
		    !drapeBlockMatrix_Reserve(matrix, build->rows, coarser, edges + solver->farPairs.count))
			return false;
		SortPairs(build);
	}
	drapeBlockMatrix_ListEdges(matrix);
	return true;
}

// --- the blocks of each pair ----------------------------------------------------------------------------------------

// The first row of a triangle's block of the two corners that are not `opposite`, and whether it is transposed. A block
// has the rows of its first corner.
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
	const uint32_t none = build->solver->zeroBlock << 1;
	for (uint32_t e = start; e < end; ++e)
	{
		const EdgeWings* wings = &build->mesh->wings[e];
		uint32_t number = build->solver->edgeNumber.data[e], lower = build->matrix->ends.data[number].a;
		uint32_t* source = build->solver->sources.data + 2 * number;
		build->solver->sourceStart.data[e] = 2 * e;
		for (int side = 0; side < 2; ++side)
		{
			bool isThere = wings->triangle[side] != DRAPE_NONE;
			source[side] = isThere ? BlockSource(build, wings->triangle[side], wings->opposite[side], lower) : none;
		}
	}
}

// All blocks are of triangles: an edge has those of the two triangles beside it. This is what ListSources finds,
// faster.
static bool ListTriangleSources(Build* build, TaskPool* tasks)
{
	uint32_t edges = build->mesh->edgeCount;
	if (!ArrayReserve(&build->solver->sources, 2 * (edges + 8)))
		return false;
	drapeTaskPool_For(tasks, edges, edgeGrain, DescribeRange, build);
	build->solver->sourceStart.data[edges] = 2 * edges;
	return true;
}

typedef struct PairTask
{
	const Build* build;
	uint32_t energy;
	uint32_t* pairOf; // [pairs of an element * elements]
} PairTask;

// The number of each pair of an element, doubled, and whether its block is transposed; DRAPE_NONE without an element.
static void FindPairsRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const PairTask* task = context;
	const Build* build = task->build;
	const ElementShape* shape = ShapeOf(build, task->energy);
	ElementKind kind = build->model->energies[task->energy].type->elements;
	for (uint32_t e = start; e < end; ++e)
	{
		uint32_t particle[elementParticles];
		bool isThere = drapeElement_Particles(kind, build->mesh, e, particle);
		for (uint32_t p = 0; p < shape->pairs; ++p)
		{
			uint32_t* out = &task->pairOf[shape->pairs * e + p];
			*out = DRAPE_NONE;
			if (!isThere)
				continue;
			uint32_t a = build->rowOf[particle[shape->pair[p][0]]], b = build->rowOf[particle[shape->pair[p][1]]];
			uint32_t number = FindPair(build->matrix, PairOf(a, b));
			DRAPE_ASSERT(number != DRAPE_NONE);
			*out = number << 1 | (a > b);
		}
	}
}

// Writes the sources of one energy behind those that the pairs have already. `next` is by pair.
static void WriteSources(const Build* build, uint32_t energy, const uint32_t* pairOf, uint32_t* next)
{
	const ElementShape* shape = ShapeOf(build, energy);
	const ElementSpan* span = &build->solver->elements[energy];
	for (uint32_t i = 0; i < shape->pairs * span->count; ++i)
	{
		if (pairOf[i] != DRAPE_NONE)
			build->solver->sources.data[next[pairOf[i] >> 1]++] = (span->blockStart + 3 * i) << 1 | (pairOf[i] & 1);
	}
}

// Counts in start[1...] become starts; each pair has at least two sources, if need be the block of zeros.
static uint32_t CountsToStarts(uint32_t* start, uint32_t pairs)
{
	uint32_t sum = 0;
	for (uint32_t p = 0; p <= pairs; ++p)
	{
		uint32_t own = p < pairs ? MaxU32(2, start[p]) : 0;
		start[p] = sum;
		sum += own;
	}
	return sum;
}

static bool ListSources(Build* build, TaskPool* tasks)
{
	ImplicitSolver* solver = build->solver;
	uint32_t pairs = build->matrix->edgeCount, elements = 0, *start = solver->sourceStart.data;
	for (uint32_t i = 0; i < build->model->energyCount; ++i)
		elements += ShapeOf(build, i)->pairs * solver->elements[i].count;
	if (!ArrayReserve(&solver->pairOf, elements + pairs))
		return false;
	uint32_t *pairOf = solver->pairOf.data, *next = solver->pairOf.data + elements;
	memset(start, 0, ((size_t)pairs + 1) * sizeof *start);
	for (uint32_t i = 0; i < build->model->energyCount; ++i)
	{
		PairTask task = {build, i, pairOf};
		drapeTaskPool_For(tasks, solver->elements[i].count, edgeGrain, FindPairsRange, &task);
		pairOf += ShapeOf(build, i)->pairs * solver->elements[i].count;
	}
	for (uint32_t i = 0; i < elements; ++i)
		start[solver->pairOf.data[i] == DRAPE_NONE ? pairs : solver->pairOf.data[i] >> 1]++;
	uint32_t total = CountsToStarts(start, pairs);
	if (!ArrayReserve(&solver->sources, total + 16))
		return false;
	for (uint32_t i = 0; i < total; ++i)
		solver->sources.data[i] = solver->zeroBlock << 1;
	memcpy(next, start, pairs * sizeof *next);
	pairOf = solver->pairOf.data;
	for (uint32_t i = 0; i < build->model->energyCount; ++i)
	{
		WriteSources(build, i, pairOf, next);
		pairOf += ShapeOf(build, i)->pairs * solver->elements[i].count;
	}
	return true;
}

// True when triangles are the only elements, and of one energy.
static bool HasTrianglesOnly(const Build* build)
{
	uint32_t triangles = 0, others = 0;
	for (uint32_t i = 0; i < build->model->energyCount; ++i)
	{
		ElementKind kind = build->model->energies[i].type->elements;
		triangles += kind == elementTriangle;
		others += kind != elementTriangle && kind != elementNone;
	}
	return triangles == 1 && others == 0;
}

static bool BuildSources(Build* build, TaskPool* tasks)
{
	ImplicitSolver* solver = build->solver;
	uint32_t pairs = build->matrix->edgeCount;
	if (!ArrayReserve(&solver->sourceStart, (size_t)pairs + 1))
		return false;
	bool done = HasTrianglesOnly(build) ? ListTriangleSources(build, tasks) : ListSources(build, tasks);
	if (!done)
		return false;
	uint32_t total = solver->sourceStart.data[pairs];
	for (uint32_t i = 0; i < 16; ++i) // read, but not used, by loops that look ahead
		solver->sources.data[total + i] = solver->zeroBlock << 1;
	return true;
}

// --- the forces of each row -----------------------------------------------------------------------------------------

typedef void ParticleFcn(const Build* build, uint32_t row, uint32_t source);

static void CountForce(const Build* build, uint32_t row, uint32_t source)
{
	(void)source;
	build->solver->counts.data[row]++;
}

static void PutForce(const Build* build, uint32_t row, uint32_t source)
{
	uint32_t* next = &build->solver->counts.data[row];
	build->solver->forceRows.data[*next] = source;
	*next += 8;
}

// Calls back for each particle of each element, with its row and the row of its force.
DRAPE_INLINE void ForElementParticles(const Build* build, ParticleFcn* fcn)
{
	for (uint32_t i = 0; i < build->model->energyCount; ++i)
	{
		ElementKind kind = build->model->energies[i].type->elements;
		const ElementSpan* span = &build->solver->elements[i];
		uint32_t count = drapeElement_Shape(kind)->particles;
		for (uint32_t e = 0; e < span->count; ++e)
		{
			uint32_t particle[elementParticles];
			if (!drapeElement_Particles(kind, build->mesh, e, particle))
				continue;
			for (uint32_t k = 0; k < count; ++k)
				fcn(build, build->rowOf[particle[k]], span->forceStart + count * e + k);
		}
	}
}

// Lists the element forces of each row, in slots of eight rows.
static bool ListForces(Build* build)
{
	DRAPE_ASSERT(8 * build->groups >= build->rows);
	ImplicitSolver* solver = build->solver;
	uint32_t *used = solver->counts.data, slots = 0;
	memset(used, 0, 8 * (size_t)build->groups * sizeof(uint32_t));
	ForElementParticles(build, CountForce);
	for (uint32_t g = 0; g < build->groups; ++g)
	{
		uint32_t most = 0;
		for (uint32_t row = 8 * g; row < 8 * g + 8; ++row)
		{
			most = MaxU32(most, used[row]);
			used[row] = 8 * slots + row % 8; // from here on: the index of the row's next entry
		}
		solver->forceStart.data[g] = slots;
		slots += most;
	}
	solver->forceStart.data[build->groups] = slots;
	if (!ArrayReserve(&solver->forceRows, 8 * (size_t)slots))
		return false;
	for (uint32_t i = 0; i < 8 * slots; ++i)
		solver->forceRows.data[i] = solver->zeroForce;
	ForElementParticles(build, PutForce);
	return true;
}

// --- all of it ------------------------------------------------------------------------------------------------------

static bool ReserveRows(ImplicitSolver* solver, const ActiveMesh* mesh, uint32_t groups)
{
	uint32_t rows = 8 * groups;
	return ArrayReserve(&solver->forceStart, groups + 1) && ReserveVectors(solver, mesh->particleCount, rows) &&
	       ArrayReserve(&solver->counts, rows) && ArrayReserve(&solver->edgeNumber, mesh->edgeCount);
}

// A matrix without a quadratic energy.
static bool ClearQuadratic(BlockMatrix* matrix)
{
	memset(matrix->edgeQuadratic.data, 0, matrix->edgeCount * sizeof(float));
	memset(matrix->edgeLump.data, 0, matrix->edgeCount * sizeof(float));
	return drapeBlockMatrix_ClearWide(matrix);
}

static bool BuildAll(ImplicitSolver* solver, const ActiveMesh* mesh, const Model* model, TaskPool* tasks)
{
	QuadraticEnergy quadratic;
	bool hasQuadratic = drapeModel_DescribeQuadratic(model, &quadratic);
	if ((hasQuadratic && !drapeQuadraticSum_Follow(&solver->quadraticSum, &quadratic, tasks)) ||
	    !drapeHierarchy_Build(&solver->hierarchy, mesh, &solver->base))
		return false;
	const Hierarchy* hierarchy = &solver->hierarchy;
	const RowNames names = {hierarchy->rowOf.data, hierarchy->particleOf.data};
	Build build = {
		.solver = solver,
		.mesh = mesh,
		.model = model,
		.rowOf = hierarchy->rowOf.data,
		.matrix = &drapeMultigrid_Finest(&solver->multigrid, hierarchy)->matrix,
		.rows = hierarchy->rowCount,
		.groups = BlockMatrix_PaddedRows(hierarchy->rowCount) / 8,
	};
	uint32_t coarser = hierarchy->levels[hierarchy->levelCount - 1].coarser;
	PlanElements(&build);
	if (!ReserveElements(solver, build.matrix) || !ReserveRows(solver, mesh, build.groups) ||
	    !BuildPairs(&build, coarser) || !BuildSources(&build, tasks) || !ListForces(&build))
		return false;
	bool isFilled = hasQuadratic ? drapeQuadraticSum_Fill(&solver->quadraticSum, build.matrix, &names, tasks)
	                             : ClearQuadratic(build.matrix);
	solver->multigrid.elementParticles = 0;
	for (uint32_t i = 0; i < model->energyCount; ++i)
		solver->multigrid.elementParticles = MaxU32(solver->multigrid.elementParticles, ShapeOf(&build, i)->particles);
	if (!isFilled || !drapeMultigrid_Build(&solver->multigrid, tasks) || !drapePcg_Reserve(&solver->pcg, build.rows))
		return false;
	PlaceElements(solver, build.matrix);
	return true;
}

void drapeImplicitSolver_Forget(ImplicitSolver* solver)
{
	solver->revision = 0;
	solver->quadraticChanges = solver->quadraticSum.changes = 0;
}

bool drapeImplicitSolver_Follow(ImplicitSolver* solver, const ActiveMesh* mesh, const Model* model, TaskPool* tasks)
{
	DRAPE_ASSERT(mesh->revision != 0);
	QuadraticEnergy quadratic;
	drapeModel_DescribeQuadratic(model, &quadratic);
	if (quadratic.frictionScale > 0.0f)
	{
		size_t rows = drapeModel_Quadratic(model)->frictionRows(model, mesh->particleCount);
		if (!ArrayReserve(&solver->internalFriction, rows))
			return false;
	}
	if (solver->revision == mesh->revision && solver->quadraticChanges == quadratic.changes)
	{
		solver->unchangedCalls += solver->unchangedCalls < releaseAfter;
		if (solver->unchangedCalls == releaseAfter && !solver->quadraticSum.isPatched)
			ReleaseScratch(solver);
		return true;
	}
	solver->unchangedCalls = 0;
	DRAPE_ASSERT(quadratic.changes == 0 || quadratic.particleCount == mesh->particleCount);
	bool done = BuildAll(solver, mesh, model, tasks);
	solver->revision = done ? mesh->revision : 0;
	solver->quadraticChanges = quadratic.changes;
	return done;
}
