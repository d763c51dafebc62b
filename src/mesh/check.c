// SPDX-License-Identifier: MIT
#include "mesh/check.h"

#include "base/checks/values.h"
#include "mesh/geometry.h"
#include "mesh/measure.h"
#include "mesh/rest.h"

#include <string.h>

drapeRestDef drapeDefaultRestDef(void)
{
	return (drapeRestDef){.source = drape_restShape, .metresPerUnit = 1.0f, .warp = {1.0f, 0.0f, 0.0f}};
}

static drapeMeshProblem TriangleProblem(drapeProblemKind kind, uint32_t triangle, uint32_t vertex)
{
	return (drapeMeshProblem){kind, triangle, DRAPE_NONE, vertex, DRAPE_NONE};
}

static drapeMeshProblem EdgeProblem(drapeProblemKind kind, const Topology* topology, uint32_t edge, uint32_t other)
{
	uint32_t corner = topology->corners[topology->edgeFirst[edge]];
	return (drapeMeshProblem){kind, corner / 3, other / 3, topology->triangles[corner],
	                          topology->triangles[NextCorner(corner)]};
}

static drapeResult CheckRestDef(const drapeRestDef* rest, drapeMessage* message)
{
	switch (rest->source)
	{
		case drape_restShape:
			return drapeVector_Check("rest.warp", rest->warp, NULL, message);
		case drape_restTexcoord:
			if (isfinite(rest->metresPerUnit) && rest->metresPerUnit > 0.0f)
				return drape_ok;
			return drapeRefuse(message, "rest.metresPerUnit is %g, expected a number above 0 m",
			                   (double)rest->metresPerUnit);
		case drape_restMaterial:
			return rest->material ? drape_ok
			                      : drapeRefuse(message, "rest.material is NULL, expected the material coordinates");
		default:
			return drapeChoice_Check("rest.", "source", (unsigned)rest->source, "shape|texcoord|material", message);
	}
}

drapeResult drapeMesh_CheckArrays(const drapeMesh* mesh, drapeMessage* message)
{
	const struct
	{
		const void* array;
		uint32_t count;
		const char *name, *countName;
	} rows[] = {
		{mesh->positions, mesh->vertexCount, "positions", "vertexCount"},
		{mesh->triangles, mesh->triangleCount, "triangles", "triangleCount"},
		{mesh->texcoords, mesh->texcoordCount, "texcoords", "texcoordCount"},
		{mesh->normals, mesh->normalCount, "normals", "normalCount"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		if (!rows[i].array && rows[i].count > 0)
			return drapeRefuse(message, "mesh: %s is NULL, but %s is %u", rows[i].name, rows[i].countName,
			                   rows[i].count);
	}
	return drape_ok;
}

drapeResult drapeMesh_CheckArguments(const drapeMesh* mesh, const drapeRestDef* rest, drapeMessage* message)
{
	if (!mesh)
		return drapeRefuse(message, "mesh is NULL");
	drapeResult result = drapeMesh_CheckArrays(mesh, message);
	return result == drape_ok && rest ? CheckRestDef(rest, message) : result;
}

static void AddToWhole(drapeMeshReport* report, drapeProblemKind kind)
{
	drapeReport_Add(report, (drapeMeshProblem){kind, DRAPE_NONE, DRAPE_NONE, DRAPE_NONE, DRAPE_NONE});
}

static bool SizesArePossible(drapeMeshReport* report, const drapeMesh* mesh)
{
	if (mesh->triangleCount == 0)
		AddToWhole(report, drape_problemEmpty);
	if (mesh->vertexCount > DRAPE_MAX_ELEMENTS || mesh->triangleCount > DRAPE_MAX_ELEMENTS)
		AddToWhole(report, drape_problemTooLarge);
	return drapeReport_IsClean(report);
}

static bool AttributeIsMissing(const uint32_t* corners, uint32_t count, uint32_t corner)
{
	return corners && corners[corner] != DRAPE_NONE && corners[corner] >= count;
}

// Reports at most one problem of a kind for each triangle. False when a vertex is out of range: the later stages cannot
// examine such a mesh.
static bool IndicesAreInRange(drapeMeshReport* report, const drapeMesh* mesh)
{
	for (uint32_t triangle = 0; triangle < mesh->triangleCount; ++triangle)
	{
		uint32_t badVertex = DRAPE_NONE, badAttribute = DRAPE_NONE;
		for (uint32_t corner = 3 * triangle + 3; corner-- > 3 * triangle;)
		{
			if (mesh->triangles[corner] >= mesh->vertexCount)
				badVertex = corner;
			if (AttributeIsMissing(mesh->texcoordTriangles, mesh->texcoordCount, corner) ||
			    AttributeIsMissing(mesh->normalTriangles, mesh->normalCount, corner))
				badAttribute = corner;
		}
		if (badVertex != DRAPE_NONE)
			drapeReport_Add(report, TriangleProblem(drape_problemIndexRange, triangle, mesh->triangles[badVertex]));
		if (badAttribute != DRAPE_NONE)
			drapeReport_Add(report,
			                TriangleProblem(drape_problemTexcoordRange, triangle, mesh->triangles[badAttribute]));
	}
	return report->problemTotals[drape_problemIndexRange] == 0;
}

static void CheckTexcoords(Exam* exam)
{
	const drapeMesh* mesh = exam->mesh;
	bool needed = exam->rest.source == drape_restTexcoord;
	for (uint32_t triangle = 0; triangle < mesh->triangleCount; ++triangle)
	{
		uint32_t missing = DRAPE_NONE, notFinite = DRAPE_NONE;
		for (uint32_t corner = 3 * triangle + 3; corner-- > 3 * triangle;)
		{
			uint32_t texcoord = mesh->texcoordTriangles ? mesh->texcoordTriangles[corner] : DRAPE_NONE;
			if (texcoord == DRAPE_NONE)
				missing = corner;
			else if (!CoordinateIsUsable(mesh->texcoords[texcoord].x) ||
			         !CoordinateIsUsable(mesh->texcoords[texcoord].y))
				notFinite = corner;
		}
		if (needed && missing != DRAPE_NONE)
			drapeReport_Add(exam->report,
			                TriangleProblem(drape_problemMissingTexcoord, triangle, mesh->triangles[missing]));
		if (notFinite != DRAPE_NONE)
			drapeReport_Add(exam->report,
			                TriangleProblem(drape_problemNotFinite, triangle, mesh->triangles[notFinite]));
	}
}

// The coordinates of unused vertices are not checked: unused vertices must be removed anyway.
static bool CheckVertices(Exam* exam)
{
	const drapeMesh* mesh = exam->mesh;
	exam->used = NewScratch(uint8_t, mesh->vertexCount);
	if (!exam->used)
		return false;
	memset(exam->used, 0, mesh->vertexCount);
	for (uint32_t corner = 0; corner < 3 * mesh->triangleCount; ++corner)
		exam->used[mesh->triangles[corner]] = 1;
	for (uint32_t vertex = 0; vertex < mesh->vertexCount; ++vertex)
	{
		Vec3 position = mesh->positions[vertex];
		bool usable =
			CoordinateIsUsable(position.x) && CoordinateIsUsable(position.y) && CoordinateIsUsable(position.z);
		if (!exam->used[vertex])
			drapeReport_Add(exam->report, TriangleProblem(drape_problemUnusedVertex, DRAPE_NONE, vertex));
		else if (!usable)
			drapeReport_Add(exam->report, TriangleProblem(drape_problemNotFinite, DRAPE_NONE, vertex));
	}
	return true;
}

static void FindRepeatedCorners(Exam* exam)
{
	for (uint32_t triangle = 0; triangle < exam->mesh->triangleCount; ++triangle)
	{
		const uint32_t* vertex = exam->mesh->triangles + 3 * (size_t)triangle;
		exam->fault[triangle] = 0;
		if (vertex[0] != vertex[1] && vertex[1] != vertex[2] && vertex[2] != vertex[0])
			continue;
		uint32_t twice = vertex[0] == vertex[1] || vertex[0] == vertex[2] ? vertex[0] : vertex[1];
		exam->fault[triangle] = FAULT_REPEATED_CORNER;
		drapeReport_Add(exam->report, TriangleProblem(drape_problemRepeatedCorner, triangle, twice));
	}
}

static bool FindRepeatedTriangles(Exam* exam)
{
	uint32_t count = exam->mesh->triangleCount;
	uint32_t* original = NewScratch(uint32_t, count);
	bool enough = original && drapeTopology_FindRepeated(&exam->topology, original);
	for (uint32_t triangle = 0; enough && triangle < count; ++triangle)
	{
		if (original[triangle] == DRAPE_NONE)
			continue;
		exam->fault[triangle] |= FAULT_REPEATED_TRIANGLE;
		drapeMeshProblem problem = {drape_problemRepeatedTriangle, triangle, original[triangle], DRAPE_NONE,
		                            DRAPE_NONE};
		drapeReport_Add(exam->report, problem);
	}
	FreeScratch(original, count);
	return enough;
}

static bool BuildTopology(Exam* exam)
{
	const drapeMesh* mesh = exam->mesh;
	return drapeTopology_Create(&exam->topology, mesh->triangles, mesh->triangleCount, mesh->vertexCount, exam->fault);
}

// Builds the topology of the valid triangles, without repeated ones: a repeated triangle would make all of its edges
// non-manifold.
static bool CheckTriangles(Exam* exam)
{
	exam->fault = NewScratch(uint8_t, exam->mesh->triangleCount);
	if (!exam->fault)
		return false;
	FindRepeatedCorners(exam);
	if (!BuildTopology(exam) || !FindRepeatedTriangles(exam))
		return false;
	if (exam->report->problemTotals[drape_problemRepeatedTriangle] == 0)
		return true;
	drapeTopology_Destroy(&exam->topology);
	return BuildTopology(exam);
}

static bool CheckEdges(Exam* exam)
{
	const Topology* topology = &exam->topology;
	Orientation orientation;
	if (!drapeOrientation_Create(&orientation, topology))
		return false;
	for (uint32_t edge = 0; edge < topology->edgeCount; ++edge)
	{
		const uint32_t* corners = topology->corners + topology->edgeFirst[edge];
		uint32_t patch = orientation.patchOf[corners[0] / 3];
		if (Topology_EdgeSize(topology, edge) > 2)
			drapeReport_Add(exam->report, EdgeProblem(drape_problemNonManifoldEdge, topology, edge, corners[2]));
		else if (orientation.conflict[patch] == DRAPE_NONE && drapeTopology_EdgeIsFlipped(topology, edge))
			drapeReport_Add(exam->report, EdgeProblem(drape_problemFlippedNeighbour, topology, edge, corners[1]));
	}
	for (uint32_t patch = 0; patch < orientation.patchCount; ++patch)
	{
		uint32_t edge = orientation.conflict[patch];
		if (edge == DRAPE_NONE)
			continue;
		uint32_t other = topology->corners[topology->edgeFirst[edge] + 1];
		drapeReport_Add(exam->report, EdgeProblem(drape_problemNotOrientable, topology, edge, other));
	}
	drapeOrientation_Destroy(&orientation);
	return true;
}

// Reports a vertex once, at its second fan.
static bool CheckFans(Exam* exam)
{
	const Topology* topology = &exam->topology;
	uint32_t corners = 3 * topology->triangleCount;
	uint32_t* fan = NewScratch(uint32_t, corners);
	uint32_t* firstFan = NewScratch(uint32_t, topology->vertexCount);
	uint8_t* reported = NewScratch(uint8_t, topology->vertexCount);
	bool enough = fan && firstFan && reported;
	if (enough)
	{
		drapeTopology_FindFans(topology, fan);
		memset(firstFan, 0xff, topology->vertexCount * sizeof *firstFan);
		memset(reported, 0, topology->vertexCount);
	}
	for (uint32_t corner = 0; enough && corner < corners; ++corner)
	{
		uint32_t vertex = topology->triangles[corner];
		if (fan[corner] != corner || topology->edgeOf[corner] == DRAPE_NONE || reported[vertex])
			continue;
		if (firstFan[vertex] == DRAPE_NONE)
		{
			firstFan[vertex] = corner;
			continue;
		}
		drapeMeshProblem problem = {drape_problemBowTie, firstFan[vertex] / 3, corner / 3, vertex, DRAPE_NONE};
		drapeReport_Add(exam->report, problem);
		reported[vertex] = 1;
	}
	FreeScratch(fan, corners);
	FreeScratch(firstFan, topology->vertexCount);
	FreeScratch(reported, topology->vertexCount);
	return enough;
}

static bool TriangleIsFlat(const drapeMesh* mesh, uint32_t triangle)
{
	const uint32_t* vertex = mesh->triangles + 3 * (size_t)triangle;
	Vec3 a = mesh->positions[vertex[0]], b = mesh->positions[vertex[1]], c = mesh->positions[vertex[2]];
	Double3 ab = D3Between(a, b), ac = D3Between(a, c), bc = D3Between(b, c);
	double longestSquared = MaxNum(D3Dot(ab, ab), MaxNum(D3Dot(ac, ac), D3Dot(bc, bc)));
	return AreaIsZero(D3Length(D3Cross(ab, ac)), longestSquared);
}

static void CheckAreas(Exam* exam)
{
	for (uint32_t triangle = 0; triangle < exam->mesh->triangleCount; ++triangle)
	{
		if ((exam->fault[triangle] & FAULT_TOPOLOGY) || !TriangleIsFlat(exam->mesh, triangle))
			continue;
		exam->fault[triangle] |= FAULT_ZERO_AREA;
		drapeReport_Add(exam->report, TriangleProblem(drape_problemZeroArea, triangle, DRAPE_NONE));
	}
}

static bool CheckDuplicates(Exam* exam)
{
	const drapeMesh* mesh = exam->mesh;
	uint32_t* lowest = NewScratch(uint32_t, mesh->vertexCount);
	bool enough = lowest && drapeMesh_FindCoincident(mesh, exam->used, lowest);
	for (uint32_t vertex = 0; enough && vertex < mesh->vertexCount; ++vertex)
	{
		if (lowest[vertex] == vertex)
			continue;
		drapeMeshProblem problem = {drape_problemDuplicateVertex, DRAPE_NONE, DRAPE_NONE, vertex, lowest[vertex]};
		drapeReport_Add(exam->report, problem);
	}
	FreeScratch(lowest, mesh->vertexCount);
	return enough;
}

// Checks that need coordinates. A mesh with coordinates that are not finite skips them.
static bool CheckShape(Exam* exam)
{
	if (exam->report->problemTotals[drape_problemNotFinite] > 0)
		return true;
	CheckAreas(exam);
	drapeMeasure_Shape(exam->mesh, &exam->topology, exam->report);
	if (exam->report->problemTotals[drape_problemTexcoordRange] == 0 &&
	    !drapeMeasure_Texture(exam->mesh, &exam->topology, exam->report))
		return false;
	return CheckDuplicates(exam);
}

static void CheckMaterial(Exam* exam)
{
	for (uint32_t triangle = 0; triangle < exam->mesh->triangleCount; ++triangle)
	{
		const Vec2* corners = exam->material + 3 * (size_t)triangle;
		uint32_t unusable = DRAPE_NONE;
		for (uint32_t k = 0; k < 3; ++k)
		{
			if (!CoordinateIsUsable(corners[k].x) || !CoordinateIsUsable(corners[k].y))
				unusable = exam->mesh->triangles[3 * triangle + k];
		}
		if (unusable != DRAPE_NONE)
			drapeReport_Add(exam->report, TriangleProblem(drape_problemNotFinite, triangle, unusable));
		else if (FlatAreaIsZero(corners))
			drapeReport_Add(exam->report, TriangleProblem(drape_problemZeroArea, triangle, DRAPE_NONE));
		else if (FlatTwiceArea(corners) < 0.0)
			drapeReport_Add(exam->report, TriangleProblem(drape_problemFlippedRest, triangle, DRAPE_NONE));
	}
}

// Unused vertices do not prevent the rest shape, so that the report of a mesh that has only them is complete.
static bool CanBeLaidOut(const drapeMeshReport* report)
{
	drapeMeshReport others = *report;
	others.problemTotals[drape_problemUnusedVertex] = 0;
	return drapeReport_IsClean(&others);
}

static bool CheckRest(Exam* exam)
{
	if (!CanBeLaidOut(exam->report))
		return true;
	exam->material = NewScratch(Vec2, 3 * (size_t)exam->mesh->triangleCount);
	exam->seam = NewScratch(uint8_t, exam->topology.edgeCount);
	if (!exam->material || !exam->seam || !drapeRest_Lay(exam->material, exam->mesh, &exam->topology, &exam->rest))
		return false;
	CheckMaterial(exam);
	if (CanBeLaidOut(exam->report))
		exam->report->seams = drapeRest_FindSeams(exam->seam, exam->material, &exam->topology);
	return true;
}

static bool EdgesAreFew(Exam* exam)
{
	if (exam->topology.edgeCount <= DRAPE_MAX_ELEMENTS)
		return true;
	AddToWhole(exam->report, drape_problemTooLarge);
	return false;
}

drapeResult drapeExam_Run(Exam* exam, const drapeMesh* mesh, const drapeRestDef* rest, drapeMeshReport* report)
{
	*exam = (Exam){.mesh = mesh, .rest = rest ? *rest : drapeDefaultRestDef(), .report = report};
	if (!report || drapeMesh_CheckArguments(mesh, rest, NULL) != drape_ok)
		return drape_errorArgument;
	*report = (drapeMeshReport){.worstTriangle = DRAPE_NONE};
	report->vertices = mesh->vertexCount;
	report->triangles = mesh->triangleCount;
	if (!SizesArePossible(report, mesh) || !IndicesAreInRange(report, mesh))
		return drape_errorData;
	if (report->problemTotals[drape_problemTexcoordRange] == 0)
		CheckTexcoords(exam);
	if (!CheckVertices(exam) || !CheckTriangles(exam))
		return drape_errorMemory;
	if (!EdgesAreFew(exam))
		return drape_errorData;
	if (!CheckEdges(exam) || !CheckFans(exam) || !drapeMeasure_Topology(&exam->topology, report) || !CheckShape(exam) ||
	    !CheckRest(exam))
		return drape_errorMemory;
	return drapeReport_IsClean(report) ? drape_ok : drape_errorData;
}

void drapeExam_Destroy(Exam* exam)
{
	if (exam->mesh)
	{
		FreeScratch(exam->used, exam->mesh->vertexCount);
		FreeScratch(exam->fault, exam->mesh->triangleCount);
		FreeScratch(exam->material, 3 * (size_t)exam->mesh->triangleCount);
		FreeScratch(exam->seam, exam->topology.edgeCount);
	}
	drapeTopology_Destroy(&exam->topology);
	*exam = (Exam){0};
}

drapeResult drapeMeshReport_Explain(const drapeMeshReport* report, drapeResult result, drapeMessage* message)
{
	char problem[256];
	if (result == drape_ok)
		return drape_ok;
	if (result == drape_errorMemory)
		return drapeFail_Memory(message);
	for (uint32_t i = 0; report && result == drape_errorData && i < report->problemCount; ++i)
	{
		if (drapeProblem_GetSeverity(report->problems[i].kind) == drape_severityNote)
			continue;
		drapeProblem_Format(&report->problems[i], 0, problem, sizeof problem);
		return drapeFail(message, result, "mesh: %s", problem);
	}
	return drapeFail(message, result, "mesh: %s", drapeResult_GetText(result));
}

drapeResult drapeMesh_Check(const drapeMesh* mesh, const drapeRestDef* rest, drapeMeshReport* report,
                            drapeMessage* message)
{
	drapeResult result = drapeMesh_CheckArguments(mesh, rest, message);
	if (result != drape_ok)
		return result;
	if (!report)
		return drapeRefuse(message, "report is NULL");
	Exam exam;
	result = drapeExam_Run(&exam, mesh, rest, report);
	drapeExam_Destroy(&exam);
	return drapeMeshReport_Explain(report, result, message);
}
