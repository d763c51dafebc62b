// SPDX-License-Identifier: MIT
#include "mesh/check.h"

#include <string.h>

// The repairs run in an order in which none undoes an earlier one:
//
//	degenerate   remove triangles without area
//	merge        merge vertices at the same position, where the surface stays manifold
//	orientation  flip the smaller part of each patch
//	bow-ties     give each fan a vertex of its own
//	unused       remove vertices without triangles
//
// The removal of a triangle can divide a fan or leave a vertex without triangles. The repair fixes these vertices,
// which are `touched`, even when the caller asked for the removal only. So no repair leaves a new problem.

// Merging is tentative: the repair merges, checks the surface, and undoes the merge where it broke the surface. Undoing
// can break the surface at the next vertex of a seam, and so on. After this many rounds the repair undoes all merges,
// which bounds the time.
#define MERGE_ROUNDS 8

typedef struct Repair
{
	const drapeMesh* mesh;
	uint32_t repairs;
	uint32_t triangleCount, vertexCount, vertexCapacity;
	uint32_t* triangles;    // [3 * triangleCount] vertex of each corner
	uint32_t* cornerSource; // [3 * triangleCount] corner of the input, for its texture coordinates and normals
	uint32_t* vertexSource; // [vertexCount] vertex of the input, for its position
	uint8_t* touched; // [vertexCount] 1 when the repair may have left the vertex without triangles or with several fans
} Repair;

static void Repair_Destroy(Repair* repair)
{
	size_t corners = 3 * (size_t)repair->mesh->triangleCount;
	FreeScratch(repair->triangles, corners);
	FreeScratch(repair->cornerSource, corners);
	FreeScratch(repair->vertexSource, repair->vertexCapacity);
	FreeScratch(repair->touched, repair->vertexCapacity);
}

static bool Repair_Create(Repair* repair, const drapeMesh* mesh, uint32_t repairs)
{
	size_t corners = 3 * (size_t)mesh->triangleCount;
	// Splitting a bow-tie adds a vertex for each further fan, and a fan has at least one corner.
	DRAPE_ASSERT(mesh->vertexCount <= DRAPE_MAX_ELEMENTS && corners < UINT32_MAX - DRAPE_MAX_ELEMENTS);
	*repair = (Repair){.mesh = mesh, .repairs = repairs};
	repair->triangleCount = mesh->triangleCount;
	repair->vertexCount = mesh->vertexCount;
	repair->vertexCapacity = mesh->vertexCount + (uint32_t)corners;
	repair->triangles = NewScratch(uint32_t, corners);
	repair->cornerSource = NewScratch(uint32_t, corners);
	repair->vertexSource = NewScratch(uint32_t, repair->vertexCapacity);
	repair->touched = NewScratch(uint8_t, repair->vertexCapacity);
	if (!repair->triangles || !repair->cornerSource || !repair->vertexSource || !repair->touched)
		return false;
	memcpy(repair->triangles, mesh->triangles, corners * sizeof *repair->triangles);
	for (uint32_t corner = 0; corner < corners; ++corner)
		repair->cornerSource[corner] = corner;
	for (uint32_t vertex = 0; vertex < mesh->vertexCount; ++vertex)
		repair->vertexSource[vertex] = vertex;
	memset(repair->touched, 0, repair->vertexCapacity);
	return true;
}

static void DropDegenerate(Repair* repair, const uint8_t* fault)
{
	DRAPE_ASSERT(fault && repair->triangleCount == repair->mesh->triangleCount);
	uint32_t kept = 0;
	for (uint32_t triangle = 0; triangle < repair->triangleCount; ++triangle)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t vertex = repair->triangles[3 * triangle + k];
			repair->triangles[3 * kept + k] = vertex;
			repair->cornerSource[3 * kept + k] = 3 * triangle + k;
			if (fault[triangle] & ~FAULT_REPEATED_TRIANGLE)
				repair->touched[vertex] = 1;
		}
		kept += fault[triangle] == 0;
	}
	repair->triangleCount = kept;
}

static bool CornerRepeats(const uint32_t* vertex)
{
	return vertex[0] == vertex[1] || vertex[1] == vertex[2] || vertex[2] == vertex[0];
}

// Topology of the working triangles that have three different vertices. `leftOut` is [triangleCount], filled here.
static bool WorkingTopology(const Repair* repair, const uint32_t* triangles, uint8_t* leftOut, Topology* topology)
{
	for (uint32_t triangle = 0; triangle < repair->triangleCount; ++triangle)
		leftOut[triangle] = CornerRepeats(triangles + 3 * (size_t)triangle);
	return drapeTopology_Create(topology, triangles, repair->triangleCount, repair->vertexCount, leftOut);
}

// --- merge ---

typedef struct Merge
{
	uint32_t* lowest;    // [vertexCount] lowest vertex at the same position
	uint8_t* apart;      // [vertexCount] for lowest vertices: 1 when the vertices at this position must stay apart
	uint8_t* spoiled;    // [vertexCount] 1 where the last attempt broke the surface
	uint32_t* triangles; // [3 * triangleCount] in the last attempt
	uint32_t* scratch;   // [3 * triangleCount]
	uint8_t* leftOut;    // [triangleCount]
} Merge;

static void SpoilTriangle(Merge* merge, uint32_t triangle)
{
	for (uint32_t k = 0; k < 3; ++k)
		merge->spoiled[merge->triangles[3 * triangle + k]] = 1;
}

static void SpoilEdge(Merge* merge, const Topology* topology, uint32_t edge)
{
	uint32_t corner = topology->corners[topology->edgeFirst[edge]];
	merge->spoiled[merge->triangles[corner]] = 1;
	merge->spoiled[merge->triangles[NextCorner(corner)]] = 1;
}

static void SpoilBowTies(Merge* merge, const Topology* topology)
{
	uint32_t* fan = merge->scratch;
	drapeTopology_FindFans(topology, fan);
	// The loop finds a vertex once for each of its fans; 2 means one fan so far.
	for (uint32_t corner = 0; corner < 3 * topology->triangleCount; ++corner)
	{
		uint8_t* spoiled = merge->spoiled + merge->triangles[corner];
		if (fan[corner] == corner && topology->edgeOf[corner] != DRAPE_NONE && *spoiled != 1)
			*spoiled = *spoiled == 2 ? 1 : 2;
	}
}

// Marks the vertices where the attempt is not an orientable manifold. Without the orientation repair, neighbours must
// already have consistent windings.
static bool FindSpoiled(const Repair* repair, Merge* merge, const Topology* topology)
{
	Orientation orientation;
	if (!drapeOrientation_Create(&orientation, topology))
		return false;
	bool mayFlip = (repair->repairs & drape_repairOrientation) != 0;
	for (uint32_t triangle = 0; triangle < repair->triangleCount; ++triangle)
	{
		uint32_t patch = orientation.patchOf[triangle];
		if (merge->leftOut[triangle] || orientation.conflict[patch] != DRAPE_NONE)
			SpoilTriangle(merge, triangle);
	}
	drapeOrientation_Destroy(&orientation);
	if (!drapeTopology_FindRepeated(topology, merge->scratch))
		return false;
	for (uint32_t triangle = 0; triangle < repair->triangleCount; ++triangle)
	{
		if (merge->scratch[triangle] != DRAPE_NONE)
			SpoilTriangle(merge, triangle);
	}
	for (uint32_t edge = 0; edge < topology->edgeCount; ++edge)
	{
		if (Topology_EdgeSize(topology, edge) > 2 || (!mayFlip && drapeTopology_EdgeIsFlipped(topology, edge)))
			SpoilEdge(merge, topology, edge);
	}
	SpoilBowTies(merge, topology);
	return true;
}

// Applies the merges that are not undone, and marks the vertices where they broke the surface.
static bool TryMerge(const Repair* repair, Merge* merge)
{
	for (uint32_t corner = 0; corner < 3 * repair->triangleCount; ++corner)
	{
		uint32_t vertex = repair->triangles[corner], lowest = merge->lowest[vertex];
		merge->triangles[corner] = merge->apart[lowest] ? vertex : lowest;
	}
	memset(merge->spoiled, 0, repair->vertexCount);
	Topology topology;
	if (!WorkingTopology(repair, merge->triangles, merge->leftOut, &topology))
		return false;
	bool enough = FindSpoiled(repair, merge, &topology);
	drapeTopology_Destroy(&topology);
	return enough;
}

// Undoes the merges that broke the surface, or all of them. False when there was no merge to undo.
static bool UndoMerges(const Repair* repair, Merge* merge, bool all)
{
	bool any = false;
	for (uint32_t vertex = 0; vertex < repair->vertexCount; ++vertex)
	{
		uint32_t lowest = merge->lowest[vertex];
		if (lowest == vertex || merge->apart[lowest] || !(all || merge->spoiled[lowest] == 1))
			continue;
		merge->apart[lowest] = 1;
		any = true;
	}
	return any;
}

static bool MergeRounds(Repair* repair, Merge* merge)
{
	for (int round = 0;; ++round)
	{
		if (!TryMerge(repair, merge))
			return false;
		if (!UndoMerges(repair, merge, false))
			break;
		if (round == MERGE_ROUNDS)
			UndoMerges(repair, merge, true);
	}
	memcpy(repair->triangles, merge->triangles, 3 * (size_t)repair->triangleCount * sizeof *repair->triangles);
	for (uint32_t vertex = 0; vertex < repair->vertexCount; ++vertex)
	{
		uint32_t lowest = merge->lowest[vertex];
		if (lowest == vertex || merge->apart[lowest])
			continue;
		repair->touched[lowest] |= repair->touched[vertex];
		repair->touched[vertex] = 1;
	}
	return true;
}

static bool MergeVertices(Repair* repair, const uint8_t* used)
{
	uint32_t vertices = repair->vertexCount, triangles = repair->triangleCount;
	size_t corners = 3 * (size_t)triangles;
	Merge merge;
	merge.lowest = NewScratch(uint32_t, vertices);
	merge.apart = NewScratch(uint8_t, vertices);
	merge.spoiled = NewScratch(uint8_t, vertices);
	merge.triangles = NewScratch(uint32_t, corners);
	merge.scratch = NewScratch(uint32_t, corners);
	merge.leftOut = NewScratch(uint8_t, triangles);
	bool enough = merge.lowest && merge.apart && merge.spoiled && merge.triangles && merge.scratch && merge.leftOut;
	if (enough)
	{
		memset(merge.apart, 0, vertices);
		enough = drapeMesh_FindCoincident(repair->mesh, used, merge.lowest) && MergeRounds(repair, &merge);
	}
	FreeScratch(merge.lowest, vertices);
	FreeScratch(merge.apart, vertices);
	FreeScratch(merge.spoiled, vertices);
	FreeScratch(merge.triangles, corners);
	FreeScratch(merge.scratch, corners);
	FreeScratch(merge.leftOut, triangles);
	return enough;
}

// --- orientation ---

static void FlipTriangle(Repair* repair, uint32_t triangle)
{
	uint32_t* vertex = repair->triangles + 3 * (size_t)triangle;
	uint32_t* source = repair->cornerSource + 3 * (size_t)triangle;
	uint32_t swappedVertex = vertex[1], swappedSource = source[1];
	vertex[1] = vertex[2];
	source[1] = source[2];
	vertex[2] = swappedVertex;
	source[2] = swappedSource;
}

// In each patch the majority keeps its winding; with equal parts, the part of the first triangle.
static bool Orient(Repair* repair, const Topology* topology)
{
	Orientation orientation;
	uint32_t count = repair->triangleCount;
	int64_t* majority = NewScratch(int64_t, count); // [patch] triangles wound like the first, minus the others
	bool enough = majority && drapeOrientation_Create(&orientation, topology);
	if (enough)
	{
		memset(majority, 0, count * sizeof *majority);
		for (uint32_t triangle = 0; triangle < count; ++triangle)
		{
			if (orientation.patchOf[triangle] != DRAPE_NONE)
				majority[orientation.patchOf[triangle]] += orientation.reversed[triangle] ? -1 : 1;
		}
		for (uint32_t triangle = 0; triangle < count; ++triangle)
		{
			uint32_t patch = orientation.patchOf[triangle];
			if (patch == DRAPE_NONE || orientation.conflict[patch] != DRAPE_NONE)
				continue;
			if ((orientation.reversed[triangle] == 1) == (majority[patch] >= 0))
				FlipTriangle(repair, triangle);
		}
		drapeOrientation_Destroy(&orientation);
	}
	FreeScratch(majority, count);
	return enough;
}

// --- bow-ties ---

// The fan with the lowest corner keeps the vertex; each other fan gets a copy.
static bool SplitBowTies(Repair* repair, const Topology* topology)
{
	uint32_t corners = 3 * repair->triangleCount, vertices = repair->vertexCount;
	uint32_t* fan = NewScratch(uint32_t, corners);
	uint32_t* fanVertex = NewScratch(uint32_t, corners); // [corner] for the lowest corner of a fan: its vertex
	uint8_t* taken = NewScratch(uint8_t, vertices);
	bool enough = fan && fanVertex && taken;
	if (enough)
	{
		drapeTopology_FindFans(topology, fan);
		memset(taken, 0, vertices);
	}
	for (uint32_t corner = 0; enough && corner < corners; ++corner)
	{
		uint32_t vertex = repair->triangles[corner];
		bool mayMend = (repair->repairs & drape_repairBowTies) || repair->touched[vertex];
		if (topology->edgeOf[corner] == DRAPE_NONE)
			continue;
		if (fan[corner] == corner)
		{
			fanVertex[corner] = vertex;
			if (mayMend && taken[vertex])
			{
				DRAPE_ASSERT(repair->vertexCount < repair->vertexCapacity);
				fanVertex[corner] = repair->vertexCount;
				repair->vertexSource[repair->vertexCount++] = repair->vertexSource[vertex];
			}
			taken[vertex] = 1;
		}
		repair->triangles[corner] = fanVertex[fan[corner]];
	}
	FreeScratch(fan, corners);
	FreeScratch(fanVertex, corners);
	FreeScratch(taken, vertices);
	return enough;
}

// --- the whole ---

static bool RunOnTopology(Repair* repair, bool (*pass)(Repair*, const Topology*))
{
	uint8_t* leftOut = NewScratch(uint8_t, repair->triangleCount);
	Topology topology;
	bool enough = leftOut && WorkingTopology(repair, repair->triangles, leftOut, &topology);
	if (enough)
	{
		enough = pass(repair, &topology);
		drapeTopology_Destroy(&topology);
	}
	FreeScratch(leftOut, repair->triangleCount);
	return enough;
}

static bool Mend(Repair* repair, const Exam* exam)
{
	if (repair->repairs & drape_repairDegenerate)
		DropDegenerate(repair, exam->fault);
	if ((repair->repairs & drape_repairVertices) && !MergeVertices(repair, exam->used))
		return false;
	if ((repair->repairs & drape_repairOrientation) && !RunOnTopology(repair, Orient))
		return false;
	return RunOnTopology(repair, SplitBowTies);
}

// Numbers the vertices that stay, in their order, and returns their count. `number` is [vertexCount].
static uint32_t NumberVertices(const Repair* repair, uint32_t* number)
{
	memset(number, 0, repair->vertexCount * sizeof *number);
	for (uint32_t corner = 0; corner < 3 * repair->triangleCount; ++corner)
		number[repair->triangles[corner]] = 1;
	uint32_t count = 0;
	for (uint32_t vertex = 0; vertex < repair->vertexCount; ++vertex)
	{
		bool mayDrop = (repair->repairs & drape_repairVertices) || repair->touched[vertex];
		number[vertex] = number[vertex] || !mayDrop ? count++ : DRAPE_NONE;
	}
	return count;
}

static void* CopyBytes(const void* source, size_t size)
{
	void* copy = drapeMemAlloc(size);
	if (copy)
		memcpy(copy, source, size);
	return copy;
}

static uint32_t* CopyAttribute(const Repair* repair, const uint32_t* corners)
{
	size_t count = 3 * (size_t)repair->triangleCount;
	uint32_t* copy = drapeMemAllocArray(count, sizeof *copy);
	for (size_t corner = 0; copy && corner < count; ++corner)
		copy[corner] = corners[repair->cornerSource[corner]];
	return copy;
}

static bool WriteAttributes(const Repair* repair, drapeMesh* out)
{
	const drapeMesh* mesh = repair->mesh;
	out->texcoordCount = mesh->texcoordCount;
	out->normalCount = mesh->normalCount;
	out->texcoords = CopyBytes(mesh->texcoords, mesh->texcoordCount * sizeof *mesh->texcoords);
	out->normals = CopyBytes(mesh->normals, mesh->normalCount * sizeof *mesh->normals);
	out->texcoordTriangles = mesh->texcoordTriangles ? CopyAttribute(repair, mesh->texcoordTriangles) : NULL;
	out->normalTriangles = mesh->normalTriangles ? CopyAttribute(repair, mesh->normalTriangles) : NULL;
	return (out->texcoords || out->texcoordCount == 0) && (out->normals || out->normalCount == 0) &&
	       (out->texcoordTriangles || !mesh->texcoordTriangles) && (out->normalTriangles || !mesh->normalTriangles);
}

// Writes the repaired mesh, which has at least one triangle.
static bool WriteMesh(const Repair* repair, drapeMesh* out)
{
	DRAPE_ASSERT(repair->triangleCount > 0);
	uint32_t* number = NewScratch(uint32_t, repair->vertexCount);
	if (!number)
		return false;
	out->vertexCount = NumberVertices(repair, number);
	out->triangleCount = repair->triangleCount;
	Vec3* positions = drapeMemAllocArray(out->vertexCount, sizeof *positions);
	uint32_t* triangles = drapeMemAllocArray(3 * (size_t)out->triangleCount, sizeof *triangles);
	out->positions = positions;
	out->triangles = triangles;
	bool enough = positions && triangles && WriteAttributes(repair, out);
	for (uint32_t vertex = 0; enough && vertex < repair->vertexCount; ++vertex)
	{
		if (number[vertex] != DRAPE_NONE)
			positions[number[vertex]] = repair->mesh->positions[repair->vertexSource[vertex]];
	}
	for (uint32_t corner = 0; enough && corner < 3 * repair->triangleCount; ++corner)
	{
		DRAPE_ASSERT(number[repair->triangles[corner]] != DRAPE_NONE);
		triangles[corner] = number[repair->triangles[corner]];
	}
	FreeScratch(number, repair->vertexCount);
	return enough;
}

// Problems that the caller did not want to repair may remain, fatal ones may not.
static drapeResult Judge(const drapeMesh* mesh)
{
	drapeMeshReport report;
	drapeResult result = drapeMesh_Check(mesh, NULL, &report, NULL);
	if (result != drape_errorData)
		return result;
	for (int kind = 0; kind < drape_problemKindCount; ++kind)
	{
		if (report.problemTotals[kind] > 0 && drapeProblem_GetSeverity((drapeProblemKind)kind) == drape_severityFatal)
			return drape_errorData;
	}
	return drape_ok;
}

static drapeResult RepairExamined(const Exam* exam, uint32_t repairs, drapeMesh* repaired, uint32_t* triangleSource)
{
	Repair repair;
	drapeResult result = drape_errorMemory;
	if (Repair_Create(&repair, exam->mesh, repairs) && Mend(&repair, exam))
	{
		if (repair.triangleCount == 0)
			result = drape_errorData;
		else if (WriteMesh(&repair, repaired))
			result = Judge(repaired);
		for (uint32_t i = 0; result == drape_ok && triangleSource && i < repair.triangleCount; ++i)
			triangleSource[i] = repair.cornerSource[3 * i] / 3;
	}
	if (result != drape_ok)
		drapeMesh_Free(repaired);
	Repair_Destroy(&repair);
	return result;
}

drapeResult drapeMesh_Repair(const drapeMesh* mesh, uint32_t repairs, drapeMesh* repaired, uint32_t* triangleSource,
                             drapeMeshReport* report, drapeMessage* message)
{
	if (!mesh || !repaired || !report)
		return drapeRefuse(message, "%s is NULL", !mesh ? "mesh" : !repaired ? "repaired" : "report");
	if ((repairs & ~(uint32_t)drape_repairAll) != 0)
		return drapeRefuse(message, "repairs is %u, expected a sum of drapeRepair values", repairs);
	*repaired = (drapeMesh){0};
	drapeResult result = drapeMesh_CheckArguments(mesh, NULL, message);
	if (result != drape_ok)
		return result;
	Exam exam;
	result = drapeExam_Run(&exam, mesh, NULL, report);
	if (result == drape_ok || result == drape_errorData)
	{
		const uint32_t* totals = report->problemTotals;
		bool mendable = totals[drape_problemEmpty] == 0 && totals[drape_problemTooLarge] == 0 &&
		                totals[drape_problemIndexRange] == 0 && totals[drape_problemTexcoordRange] == 0 &&
		                totals[drape_problemNotFinite] == 0;
		result = mendable ? RepairExamined(&exam, repairs, repaired, triangleSource) : drape_errorData;
	}
	drapeExam_Destroy(&exam);
	return drapeMeshReport_Explain(report, result, message);
}

void drapeMesh_Free(drapeMesh* mesh)
{
	if (!mesh)
		return;
	size_t corners = 3 * (size_t)mesh->triangleCount;
	drapeMemFree((void*)mesh->positions, mesh->vertexCount * sizeof *mesh->positions);
	drapeMemFree((void*)mesh->triangles, corners * sizeof *mesh->triangles);
	drapeMemFree((void*)mesh->texcoords, mesh->texcoordCount * sizeof *mesh->texcoords);
	drapeMemFree((void*)mesh->texcoordTriangles, corners * sizeof *mesh->texcoordTriangles);
	drapeMemFree((void*)mesh->normals, mesh->normalCount * sizeof *mesh->normals);
	drapeMemFree((void*)mesh->normalTriangles, corners * sizeof *mesh->normalTriangles);
	*mesh = (drapeMesh){0};
}
