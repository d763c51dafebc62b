// SPDX-License-Identifier: MIT
#pragma once

// model — from the active mesh to forces and energies.
//
//   material.c   fabrics by name, defaults
//   membrane.c   stretch and shear: finite elements
//   curvature.c  bending: finite elements; curvature_follow.c keeps them in step with the mesh, curvature_energy.c is
//                what they are for, curvature_friction.c what keeps them bent
//   fem.c        both for explicit integrators, energies, stability
//   fabrics.c    measured fabrics, and how they become materials
//   springs.c    stretch: a spring on every edge (Simnett 2012, 3.6.2)
//   bending.c    bending across every edge: turning forces, or springs between the opposite particles (3.6.3, 4.3.2)
//   wind.c       the air: steady, gusting, turbulent; drag and lift of a triangle
//   air.c        that force on every triangle
//
// A model keeps its elements in colour graphs (mesh/color_graph.h) that follow the active mesh, so that forces are
// added without races and in an order that does not depend on the number of threads.

#include "base/tasks.h"
#include "drape/material.h"
#include "drape/motion.h"
#include "mesh/active.h"
#include "mesh/color_graph.h"
#include "model/curvature.h"
#include "model/membrane.h"

typedef struct Model
{
	drapeModel kind;
	drapeMaterial material;
	drapeSpringDef springs;
	ColorGraph stretch;   // two particles; rest length, stiffness N/m
	ColorGraph bend;      // bending elements: from, to, left, right; stiffness N m. Bending springs: left, right; rest
						  // length, stiffness
	ColorGraph triangles; // three particles; rest area: for the air and for normals
	bool usesEdges;       // `stretch` is kept up to date: for springs and their limit on stretch
	Membrane membrane;    // finite elements, as those below
	Curvature curvature;
	ARRAY(Vec4) elementForce; // scratch of explicit integration
	uint32_t revision;        // of the mesh that the graphs describe; 0 for none
} Model;

void drapeModel_Init(Model* model, drapeModel kind, const drapeMaterial* material, const drapeSpringDef* springs);
void drapeModel_Destroy(Model* model);
bool drapeModel_IsValid(const drapeMaterial* material, const drapeSpringDef* springs, const char** reason);

// Brings the graphs in step with the mesh. False when memory is short; the next call tries again.
bool drapeModel_Follow(Model* model, const ActiveMesh* mesh, TaskPool* tasks);

// Positions and velocities of a moment, which need not be those of the mesh: integrators ask for forces elsewhere, too.
typedef struct ModelState
{
	const Vec4* position; // m; w unused
	const Vec4* velocity; // m/s; w unused
	double time;          // s
} ModelState;

// Adds to `force`, N.
void drapeModel_AddStretch(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks);
void drapeModel_AddBending(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks);
void drapeModel_AddAir(const Model* model, const drapeWindDef* wind, const ModelState* state, Vec4* force,
                       TaskPool* tasks);

// The same, and into the fourth components how fast the force falls with the particle's velocity, N s/m: a bound, for
// implicit integrators.
void drapeModel_AddAirAndDrag(const Model* model, const drapeWindDef* wind, const ModelState* state, Vec4* force,
                              TaskPool* tasks);

// J
double drapeModel_StretchEnergy(const Model* model, const Vec4* position);
double drapeModel_BendEnergy(const Model* model, const Vec4* position);

// The longest step, s, at which explicit integration of stretch and bending stays stable (Gershgorin's bound on the
// highest frequency, with damping).
float drapeModel_StableStep(const Model* model, const ActiveMesh* mesh, float* scratch);

// For the graphs' owners: elements as the mesh has them now.
bool drapeModel_DescribeStretch(const void* context, uint32_t edge, GraphElement* element);
bool drapeModel_DescribeBend(const void* context, uint32_t edge, GraphElement* element);
bool drapeModel_DescribeTriangle(const void* context, uint32_t triangle, GraphElement* element);

typedef struct ModelContext
{
	const Model* model;
	const ActiveMesh* mesh;
} ModelContext;

// fem.c: what the functions above do for finite elements. Forces are added without the tangent.
void drapeFem_AddStretch(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks);
void drapeFem_AddBending(const Model* model, const ModelState* state, Vec4* force);
void drapeFem_AddStiffness(const Model* model, float* rowSum);

// Distance of the particles opposite an edge in the rest shape, its triangles unfolded across it (Simnett 2012, 4.3.2).
float drapeModel_OppositeDistance(const ActiveMesh* mesh, uint32_t edge);
