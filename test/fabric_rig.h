// SPDX-License-Identifier: MIT
#pragma once

// A strip or sheet of finite-element fabric in a world of its own, through the public API, with everything off that a
// textbook leaves out (air, velocity damping, stretch limit): what tests against analytic solutions work on.

#include "support.h"

#include "drape/world.h"

typedef enum FabricMesh
{
	fabricOneDiagonal, // quads cut along the same diagonal
	fabricAlternating, // along alternating ones
	fabricIrregular,   // alternating, inner vertices moved at random by up to 0.3 of a quad
	fabricMeshCount,
} FabricMesh;

extern const char* const fabricMeshNames[fabricMeshCount];

typedef struct FabricDef
{
	FabricMesh mesh;
	uint32_t columns, rows; // quads
	uint32_t border;        // irregular meshes: lines of vertices this many quads from the rim stay straight
	double length, width;   // m; along x from 0, and along -z from 0, in the plane y = 0
	double warpAngle;       // radians from the length to the warp
	uint32_t refinements;   // whole levels, after creation
	drapeMaterial material;
	drapeSolverDef solver;
	drapeAdaptDef adapt;
	drapeVec3 gravity; // m/s^2
} FabricDef;

// 0.2 kg/m^2, 1000 N/m both ways, 400 N/m shear, no Poisson's ratio, 5e-5 N m, no damping; implicit Euler, Newton's
// method to 1e-5; no criterion, no gravity; 1 m x 1 m of 8 x 8 quads, border 1.
FabricDef Fabric_Default(void);

// For Fabric_Settle with long steps: rough solves, since the next step mends them, with the simplest preconditioner.
void Fabric_PrepareToSettle(FabricDef* def);

typedef struct Fabric
{
	drapeWorldId world;
	drapeClothId cloth;
	double warpAngle;
} Fabric;

// Asserts that it succeeds.
Fabric Fabric_Create(const FabricDef* def);
void Fabric_Destroy(Fabric* fabric);

// Where a point of the sheet is at rest: x along the length and y along the width, m.
typedef struct FabricPoint
{
	double x, y;
} FabricPoint;

// By particle of the view as it is now; free it with free().
FabricPoint* Fabric_RestPoints(const Fabric* fabric);

// Which part of the sheet is meant; `bound` is the caller's.
typedef bool FabricPart(FabricPoint rest, double bound);

bool Fabric_Before(FabricPoint rest, double x); // rest.x <= x, with a little room
bool Fabric_After(FabricPoint rest, double x);

// Pins every particle of a part where it is. The number done.
uint32_t Fabric_PinPart(Fabric* fabric, FabricPart* part, double bound);

// Puts every particle where `place` says.
typedef drapeVec3 FabricPlace(FabricPoint rest, const void* context);
void Fabric_SetPositions(Fabric* fabric, FabricPlace* place, const void* context);
void Fabric_SetVelocities(Fabric* fabric, FabricPlace* velocity, const void* context);

// Asserts that it succeeds.
void Fabric_Step(Fabric* fabric, double dt);

// Steps of `dt` until no particle moves farther than `still` in one, m. Asserts that `limit` steps suffice. The number
// done.
uint32_t Fabric_Settle(Fabric* fabric, double dt, double still, uint32_t limit);

// The mean place now of the particles of a part.
typedef struct FabricMean
{
	double x, y, z;
	uint32_t count;
} FabricMean;

FabricMean Fabric_Mean(const Fabric* fabric, FabricPart* part, double bound);

// Sums over particles in double, masses from the view.
typedef struct FabricState
{
	double mass;        // kg
	double momentum[3]; // kg m/s
	double angular[3];  // kg m^2/s, about the origin
	double speedSum;    // kg m/s: sum of m |v|, what rounding of momentum is measured by
	double kinetic;     // J
	double height;      // J: minus the sum of m g . x
	double elastic;     // J
} FabricState;

FabricState Fabric_Measure(const Fabric* fabric, drapeVec3 gravity);
