// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "drape/mesh.h"
#include "mesh/topology.h"

// The examination of a mesh, with what it found out on the way, so that making a pattern or a repair need not find it
// again. The mesh given must outlive it.

// Why a triangle cannot be part of a cloth.
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
	Topology topology; // of the triangles without FAULT_TOPOLOGY; without arrays when indices are out of range
	Vec2* material;    // [3 * triangleCount] rest shape; NULL when an earlier stage found the mesh unusable
	uint8_t* seam;     // [edges] likewise
} Exam;

// Results as drapeMesh_Check. The exam must be destroyed whatever the result.
drapeResult drapeExam_Run(Exam* exam, const drapeMesh* mesh, const drapeRestDef* rest, drapeMeshReport* report);
void drapeExam_Destroy(Exam* exam);

// For each vertex the lowest used vertex at the same place (bit for bit, -0 being 0), [vertexCount]; unused vertices
// stand for themselves. False when memory is short.
bool drapeMesh_FindCoincident(const drapeMesh* mesh, const uint8_t* used, uint32_t* lowest);

// Counts a problem, and lists it while there is room.
void drapeReport_Add(drapeMeshReport* report, drapeMeshProblem problem);

// True when nothing worse than a note was found.
bool drapeReport_IsClean(const drapeMeshReport* report);
