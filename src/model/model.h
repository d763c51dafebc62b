// SPDX-License-Identifier: MIT
#pragma once

// model — from the active mesh to forces and energies.
//
//   energy.h     the interface to solvers: one row (EnergyClass) per energy
//   elements.c   the elements that energies put on triangles and edges
//   model.c      the table of energies; a model is the rows that its kind uses
//   material.c   fabrics by name, defaults
//   membrane.c   stretch and shear: finite elements
//   curvature.c  bending: finite elements. curvature_follow.c updates them when the mesh changes, curvature_energy.c
//                has their energy and rest curvature, curvature_friction.c their internal friction
//   fem.c        both as energies
//   fabrics.c    measured fabrics, and how they become materials
//   springs.c    stretch: a spring on every edge (Simnett 2012, 3.6.2); bending springs (4.3.2)
//   bending.c    bending across every edge by the angle between its triangles (3.6.3)
//   wind.c       the air: steady, gusting, turbulent; drag and lift of a triangle
//   air.c        that force on every triangle
//
// Explicit integrators add forces element by element. For them a model keeps its elements in colour graphs
// (mesh/color_graph.h) that follow the active mesh, so that forces are added without races and in an order that does
// not depend on the number of threads. Implicit integrators write forces and blocks by element and gather them by row.

#include "base/tasks.h"
#include "base/checks/message.h"
#include "drape/material.h"
#include "drape/model.h"
#include "drape/wind.h"
#include "mesh/active.h"
#include "mesh/color_graph.h"
#include "model/curvature.h"
#include "model/energy.h"
#include "model/membrane.h"

enum
{
	modelEnergies = 4, // at most
};

typedef struct ModelEnergy
{
	const EnergyClass* type;
	EdgeElements elements; // only with Model::usesElements, and only if the energy describes edges
} ModelEnergy;

struct Model
{
	drapeModel kind;
	drapeMaterial material;
	drapeSpringDef springs;
	ModelEnergy energies[modelEnergies]; // the rows of this kind; stretch before bending
	uint32_t energyCount;
	ColorGraph stretch;   // two particles; rest length, stiffness N/m
	ColorGraph bend;      // as the bending energy describes its elements; empty for finite elements
	ColorGraph triangles; // three particles; rest area: for the air and for normals
	bool usesEdges;       // `stretch` is kept up to date: for springs and their limit on stretch
	bool usesElements;    // the energies' EdgeElements are: for implicit integrators
	float maxStretch;     // length over rest length from which on the cloth is much stiffer, or edges are shortened
	float hardStretch;    // length over rest length that no edge exceeds within a substep (solve/edge_limits.h)
	float springLimit;    // length over rest length from which on stretch springs are stiffer; 0 for no limit
	float limitFactor;    // the factor by which they are stiffer
	Membrane membrane;    // finite elements, as those below
	Curvature curvature;
	ARRAY(Vec4) elementForce; // scratch of explicit integration, without usesElements
	uint32_t revision;        // the mesh's that the graphs describe; 0 for none
};

void drapeModel_Init(Model* model, drapeModel kind, const drapeMaterial* material, const drapeSpringDef* springs);
void drapeModel_Destroy(Model* model);

// Replaces the fabric and the springs, except their kind of bending, and keeps the order in the graphs.
// drapeModel_LimitStretch and drapeModel_ForgetElements have to follow, and the graphs have to be described again.
void drapeModel_SetMaterial(Model* model, const drapeMaterial* material, const drapeSpringDef* springs);

// Makes a model, whose memory nobody has reserved yet, borrow elements and graphs of another one with the same settings,
// which outlives it and does not change: drapeModel_Follow copies them before it changes any. Returns false when out of
// memory.
bool drapeModel_Borrow(Model* model, const Model* lender);

bool drapeModel_IsValid(const drapeMaterial* material, const drapeSpringDef* springs, const char** reason);

// Refuses values that are out of range or contradict each other.
drapeResult drapeModel_Check(drapeModel kind, const drapeMaterial* material, const drapeSpringDef* springs,
                             drapeMessage* message);
drapeResult drapeMaterial_Check(const drapeMaterial* material, const char* prefix, drapeMessage* message);

// Strain limiting as part of the material, which implicit integrators solve with everything else: beyond maxStretch
// times its length the cloth is much stiffer. Finite elements with every integrator, springs only with implicit ones. 0
// for the default: 1.3 times the length at the end of the fabric's stress curves.
void drapeModel_LimitStretch(Model* model, float maxStretch);

// Updates the graphs and the elements after a change of the mesh. False when out of memory; the next call tries again.
bool drapeModel_Follow(Model* model, const ActiveMesh* mesh, TaskPool* tasks);

// Elements belong to no revision of the mesh any more; the next call of drapeModel_Follow describes all of them. The
// graphs stay: their order is part of a simulation's state.
void drapeModel_ForgetElements(Model* model);

// The model's quadratic energy; false when it has none.
bool drapeModel_DescribeQuadratic(const Model* model, QuadraticEnergy* quadratic);

// Its class; NULL when there is none.
const QuadraticClass* drapeModel_Quadratic(const Model* model);

// Rest shapes of the quadratic energy, as QuadraticClass::addRestForces.
bool drapeModel_HasRestForces(const Model* model);
void drapeModel_AddRestForces(const Model* model, const Vec4* position, Vec4* force);

// True when triangles keep the state of internal friction (ActiveMesh::bendSet).
bool drapeModel_HasBendFriction(const Model* model);

// The greatest stiffness of any element, N/m.
float drapeModel_GreatestStiffness(const Model* model);

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

// The graphs' elements as the mesh has them now. The context is a ModelContext.
bool drapeModel_DescribeStretch(const void* context, uint32_t edge, GraphElement* element);
bool drapeModel_DescribeBend(const void* context, uint32_t edge, GraphElement* element);
bool drapeModel_DescribeTriangle(const void* context, uint32_t triangle, GraphElement* element);

typedef struct ModelContext
{
	const Model* model;
	const ActiveMesh* mesh;
} ModelContext;

// Distance of the particles opposite an edge in the rest shape, its triangles unfolded across it (Simnett 2012, 4.3.2).
float drapeModel_OppositeDistance(const ActiveMesh* mesh, uint32_t edge);
