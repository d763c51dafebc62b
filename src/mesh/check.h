// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "base/checks/message.h"
#include "drape/mesh.h"
#include "mesh/topology.h"

// The examination of a mesh. It keeps its intermediate results, so that the pattern mesh and the repair need not
// compute them again. The mesh must outlive it.

// The reasons why a triangle cannot be part of a cloth.
enum TriangleFault
{
	FAULT_REPEATED_CORNER = 1 << 0,
	FAULT_REPEATED_TRIANGLE = 1 << 1,
	FAULT_ZERO_AREA = 1 << 2,
	FAULT_TOPOLOGY = FAULT_REPEATED_CORNER | FAULT_REPEATED_TRIANGLE, // left out of the topology
};

typedef struct Exam
{
	const drapeMesh* mesh;
	drapeRestDef rest;
	drapeMeshReport* report;
	uint8_t* used;     // [vertexCount] 1 when a triangle names the vertex
	uint8_t* fault;    // [triangleCount] TriangleFault bits; NULL when indices are out of range
	Topology topology; // without the triangles that have FAULT_TOPOLOGY; empty when indices are out of range
	Vec2* material;    // [3 * triangleCount] rest shape; NULL when an earlier stage found the mesh unusable
	uint8_t* seam;     // [edges] likewise
} Exam;

// Returns the results of drapeMesh_Check. The caller destroys the exam after any result.
// Refuses arrays that are NULL with a count above 0, and a rest shape (may be NULL) whose values are out of range.
drapeResult drapeMesh_CheckArguments(const drapeMesh* mesh, const drapeRestDef* rest, drapeMessage* message);
drapeResult drapeMesh_CheckArrays(const drapeMesh* mesh, drapeMessage* message);

// Writes the sentence of a result of drapeExam_Run, and returns the result. `report` may be NULL.
drapeResult drapeMeshReport_Explain(const drapeMeshReport* report, drapeResult result, drapeMessage* message);

drapeResult drapeExam_Run(Exam* exam, const drapeMesh* mesh, const drapeRestDef* rest, drapeMeshReport* report);
void drapeExam_Destroy(Exam* exam);

// Writes for each vertex the lowest used vertex at the same position (equal coordinates, -0 equals 0), [vertexCount].
// An unused vertex gets itself. False when out of memory.
bool drapeMesh_FindCoincident(const drapeMesh* mesh, const uint8_t* used, uint32_t* lowest);

// Counts a problem, and lists it unless the list is full.
void drapeReport_Add(drapeMeshReport* report, drapeMeshProblem problem);

// True when the examination found only notes.
bool drapeReport_IsClean(const drapeMeshReport* report);
