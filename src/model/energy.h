// SPDX-License-Identifier: MIT
#pragma once

// The interface between models and solvers.
//
// An energy is one row of a table (EnergyClass). A model is the set of energies that its kind uses; solvers loop over
// them and know none by name. An energy comes in one of two forms:
//
//   elements    Each element couples two, three or four particles. `evaluate` writes, element by element, the forces
//               (minus the gradient) and the blocks of the stiffness matrix. Membranes, springs and bending across
//               edges are of this form. The elements' blocks must add up to a positive semidefinite matrix.
//   quadratic   The Hessian is constant while the mesh does not change. The energy lists its elements as weighted sums
//               of positions, and the solver adds up their Hessian once per mesh. Curvature is of this form.
//
// Explicit integrators use `addForces` and `addStiffness` of the same row. To add an energy, write one file with an
// EnergyClass, and add it to the table of model.c with the models that use it.

#include "base/bitset.h"
#include "base/tasks.h"
#include "mesh/active.h"
#include "mesh/color_graph.h"

typedef struct Model Model;

// Positions and velocities, which need not be those of the mesh: integrators also evaluate forces elsewhere.
typedef struct ModelState
{
	const Vec4* position; // m; w unused
	const Vec4* velocity; // m/s; w unused
	double time;          // s
} ModelState;

// --- elements -------------------------------------------------------------------------------------------------------

// The particles of an element. Elements are numbered as the triangles or edges of the mesh that they belong to.
typedef enum ElementKind
{
	elementNone,      // the energy has no elements
	elementTriangle,  // triangle: its three corners
	elementEdge,      // edge: its two ends
	elementOpposites, // edge: the two particles opposite it; only where it has two triangles
	elementHinge,     // edge: its two ends and the two particles opposite it; only where it has two triangles
	elementKinds,
} ElementKind;

enum
{
	elementParticles = 4, // at most
	elementPairs = 6,     // at most
};

typedef struct ElementShape
{
	uint32_t particles, pairs;
	uint8_t pair[elementPairs][2]; // the order in which `evaluate` writes blocks; their rows are the first particle's
	bool isOfEdges;                // else of triangles
	bool hasFarPair;               // no edge of the mesh need join the particles of the last pair
} ElementShape;

const ElementShape* drapeElement_Shape(ElementKind kind);
uint32_t drapeElement_Count(ElementKind kind, const ActiveMesh* mesh);

// False for an edge that carries no such element. `particle` then has the ends of the edge, as often as needed.
bool drapeElement_Particles(ElementKind kind, const ActiveMesh* mesh, uint32_t element,
                            uint32_t particle[elementParticles]);

// Elements on edges, by edge, for energies that describe theirs with a GraphDescribeFcn. Edges without an element have
// parameters of 0.
typedef struct EdgeElements
{
	uint32_t count, capacity;             // edges, those of the mesh; the capacity is a multiple of 8
	uint32_t* particle[elementParticles]; // [capacity] each; past the last edge they repeat it
	float* param[2];                      // [capacity] each; 0 past the last edge
	float greatest[2];                    // the greatest value of each parameter
	uint32_t revision;                    // the mesh's; 0 for none
} EdgeElements;

void drapeEdgeElements_Destroy(EdgeElements* elements);

// Turns a copy of the struct into one that borrows the elements of the original: drapeEdgeElements_Follow copies them
// before it changes any.
void drapeEdgeElements_Borrow(EdgeElements* elements);

// Describes the edges of the mesh: only touched ones when the change log allows it. False when out of memory; the next
// call describes all of them.
bool drapeEdgeElements_Follow(EdgeElements* elements, ElementKind kind, const ActiveMesh* mesh,
                              GraphDescribeFcn* describe, const void* context);

typedef struct EnergyQuery
{
	const Vec4* position; // m
	const Vec4* velocity; // m/s; NULL when dampingTime is 0
	float dampingTime;    // s: forces get - dampingTime times the material part of the stiffness times the velocity
	float materialScale;  // the blocks get this times the material part (the change of strain) of the stiffness
	float geometricScale; // and this times the rest (what stress resists: turning, and moving out of the plane)
} EnergyQuery;

// --- quadratic energies ---------------------------------------------------------------------------------------------

enum
{
	quadraticNodes = 14,
	quadraticForms = 3,
};

// The energy of an element is area / 2 times the sum of stiffness[c] |sum_k weight[c][k] x_k|^2 over the forms c.
typedef struct QuadraticElement
{
	uint32_t count;                               // nodes; 0 for an element without energy
	uint32_t node[quadraticNodes];                // particles, all different; the triangle's corners come first. The
												  // first one is repeated beyond `count`.
	float weight[quadraticForms][quadraticNodes]; // each adds up to zero; zero beyond `count`
	float rest[quadraticForms];                   // values of the forms at rest, along the normal
	float area;                                   // m^2
} QuadraticElement;

typedef struct QuadraticEnergy
{
	const QuadraticElement* elements;
	uint32_t count;
	float stiffness[quadraticForms];
	uint32_t particleCount;
	uint32_t changes;    // raised whenever elements change; not 0
	bool allChanged;     // the last change was of everything;
	BitSet nodesChanged; // else of elements that have or had no nodes but these particles. Not owned.
	float frictionScale; // internal friction makes the energy stiffer by this factor until it slips; 0 for none
	bool hasRest;        // some forms are not zero at rest
} QuadraticEnergy;

typedef struct InternalFrictionQuery
{
	const Vec4* position; // m, by particle
	uint32_t particleCount;
	// A step begins: sliders that have slipped too far are dragged along, and the cloth is expected to move by
	// `displacement`. Otherwise it is expected to stay.
	bool begins;
	const Vec4* displacement; // m, by row
	const uint32_t* rowOf;
	Vec4* set; // ActiveMesh::bendSet
} InternalFrictionQuery;

typedef struct QuadraticClass
{
	QuadraticEnergy (*describe)(const Model* model);

	// Adds the forces of forms that are not zero at rest, N, per particle. They follow the present normals, so that
	// implicit integrators treat them as forces from outside.
	void (*addRestForces)(const Model* model, const Vec4* position, Vec4* force);

	// Internal friction: forces per particle, N, at the end of the expected displacement. `force` has `frictionRows`
	// rows. Called only when frictionScale is not 0.
	void (*findFriction)(const Model* model, const InternalFrictionQuery* query, Vec4* force, TaskPool* tasks);
	size_t (*frictionRows)(const Model* model, uint32_t particleCount);
} QuadraticClass;

// --- a row ----------------------------------------------------------------------------------------------------------

typedef struct EnergyClass
{
	const char* name;
	bool isBending; // it counts as bending energy in the statistics; at most one such energy per model
	ElementKind elements;

	// For energies on edges: the element of an edge, its two parameters, and false when there is none. The context is a
	// ModelContext. The model keeps these elements in a colour graph for explicit integrators, and in EdgeElements for
	// implicit ones. NULL for an energy that keeps elements of its own.
	GraphDescribeFcn* describe;

	// Follows the mesh, for an energy that keeps elements of its own. False when out of memory; the next call tries
	// again. NULL when there is nothing to do.
	bool (*follow)(Model* model, const ActiveMesh* mesh, TaskPool* tasks);

	// Implicit integrators: forces and stiffness of the elements [start, end), `start` a multiple of 8.
	//   force[particles * e + a]                N, on particle a of element e
	//   block[3 * (pairs * e + p) + column]     N/m, off-diagonal block d2W/dx_a dx_b of pair p; NULL for none wanted
	// Diagonal blocks follow, since rows add up to zero. Fourth components are 0. Both arrays extend up to
	// `end` rounded up to a multiple of 8; elements past `end` may be overwritten.
	void (*evaluate)(const Model* model, const EdgeElements* elements, const EnergyQuery* query, uint32_t start,
	                 uint32_t end, Vec4* force, Vec4* block);

	// The greatest stiffness of an element, N/m: the scale of penalties for pins.
	float (*greatestStiffness)(const Model* model, const EdgeElements* elements);

	const QuadraticClass* quadratic; // NULL for an energy of elements

	// Explicit integrators: adds to `force`, N.
	void (*addForces)(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks);

	// Adds bounds of the absolute row sums of the stiffness matrix, N/m, by particle.
	void (*addStiffness)(const Model* model, const ActiveMesh* mesh, float* rowSum);

	// J
	double (*energy)(const Model* model, const Vec4* position);
} EnergyClass;
