// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/bitset.h"
#include "base/maths.h"

// The active mesh: the triangles in use, as dense arrays. It is all that models, solvers, contact, surfaces and views
// ever see; only a scheme (adapt/) knows the hierarchy behind it. A scheme changes it once per adaptation, then raises
// `revision` and leaves a change log, so that whoever keeps data per particle can follow.
//
// Order means nothing and is not kept: a removed element is replaced by the last one. The same edits give the same
// order.

// From which particles a particle was interpolated when it was born. Weights add up to one. Pattern vertices have none:
// parent[0] is DRAPE_NONE. Parents live as long as the particle, so coarser levels can be built by following them.
typedef struct ParticleParents
{
	uint32_t parent[3];
	float weight[3];
} ParticleParents;

enum
{
	drape_particlePinned = 1 << 0,  // inverse mass 0
	drape_particleFollows = 1 << 1, // pinned between its parents, and removed like any other
	drape_particleHeld = 1 << 2,    // lies on a collider, for the stretch limit
};

// What lies on both sides of an edge, left then right.
typedef struct EdgeWings
{
	uint32_t triangle[2]; // DRAPE_NONE on the right of a boundary edge
	uint32_t opposite[2]; // the particle of that triangle which is not on the edge; DRAPE_NONE likewise
} EdgeWings;

enum
{
	drape_edgeBoundary = 1 << 0,
	drape_edgeSeam = 1 << 1,   // the rest shapes of the two sides differ
	drape_edgeCrease = 1 << 2, // as a seam, or their texture coordinates differ: for schemes that flip edges
	drape_edgeKept = 1 << 3,   // flipping it would turn a triangle over at rest; goes when the scheme takes it back
};

typedef struct TriangleMaterial
{
	Vec2 corner[3]; // m, u warp, v weft; counter-clockwise
} TriangleMaterial;

typedef struct ParticleMove
{
	uint32_t from, to;
} ParticleMove;

// What the last change did to the particles, in this order: some died, new ones were put at the end, then the holes
// were filled from the end. Indices of `died` and `moved.from` are those before, `born` and `moved.to` those after.
typedef struct ChangeLog
{
	ARRAY(uint32_t) born;
	ARRAY(uint32_t) died;
	ARRAY(ParticleMove) moved;
	bool rebuilt;                          // triangles and edges were written anew, not patched: all are touched
	BitSet trianglesTouched, edgesTouched; // over the old and the new ones; set only when patched
	uint32_t oldTriangleCount, oldEdgeCount;
} ChangeLog;

typedef struct ActiveMesh
{
	uint32_t particleCount, particleCapacity;
	Vec4* position; // m; w is the inverse mass, 1/kg
	Vec4* velocity; // m/s; w is the mass, kg, also of pinned particles
	Vec4* normal;   // unit, or zero where there is none; w is 0
	int64_t* share; // rest area carried by the particle, in areaUnit: integers, so that sums are exact
	ParticleParents* parents;
	float* parentLength[3]; // m; rest length between parent k and the next; 0 where there is no such pair
	uint32_t* vertexId;     // the scheme's name of the particle
	uint32_t* place; // a hash, not 0, of where it lies: the same whenever a particle is born between the same others
	uint8_t* level;  // 0 for pattern vertices
	uint8_t* particleFlags; // drape_particle...
	uint8_t* joinWait;      // adaptation passes until it may be asked again whether to go
	uint8_t* sleepPasses;   // adaptation passes for which it has hardly moved (adapt/sleep.h)

	uint32_t triangleCount, triangleCapacity;
	uint32_t (*triangle)[3]; // particles
	TriangleMaterial* material;
	TriangleMaterial* texcoord; // NULL when the pattern has none
	float* area;                // rest area, m^2
	Vec4* bendSet; // curvatures uu, vv and uv that internal friction holds it to, 1/m; w is 0 while that is not known
	uint32_t* triangleId;      // the scheme's name of the triangle
	uint32_t* patternTriangle; // the pattern triangle it is part of
	uint8_t* triangleLevel;

	uint32_t edgeCount, edgeCapacity;
	uint32_t* edgeFrom; // particle
	uint32_t* edgeTo;   // particle
	EdgeWings* wings;
	float* restLength; // m; the mean of both sides at a seam
	uint32_t* edgeId;  // the scheme's name of the edge
	uint8_t* edgeLevel;
	uint8_t* edgeFlags; // drape_edge...

	double areaUnit; // m^2 per unit of share
	float density;   // kg/m^2
	bool hasTexcoords;
	uint32_t revision;    // raised by every change of topology
	uint32_t pinRevision; // raised whenever a particle is pinned or freed
	ChangeLog log;
} ActiveMesh;

// Room for at least so many elements in all. On false nothing has changed but capacities.
bool drapeActiveMesh_ReserveParticles(ActiveMesh* mesh, uint32_t count);
bool drapeActiveMesh_ReserveTriangles(ActiveMesh* mesh, uint32_t count);
bool drapeActiveMesh_ReserveEdges(ActiveMesh* mesh, uint32_t count);
void drapeActiveMesh_Destroy(ActiveMesh* mesh);

// Appends a particle without parents; room must have been reserved. Returns its index.
uint32_t drapeActiveMesh_AddParticle(ActiveMesh* mesh, Vec3 position, uint32_t vertexId);

// Appends the particle in the middle between two others: position, velocity and normal come from them.
uint32_t drapeActiveMesh_AddMiddle(ActiveMesh* mesh, uint32_t a, uint32_t b, uint8_t level, uint32_t vertexId);

// The same between two or three others, by the weights. What all of them share, such as a coordinate of a flat sheet,
// the particle has to the last bit.
uint32_t drapeActiveMesh_AddBetween(ActiveMesh* mesh, const ParticleParents* parents, uint8_t level, uint32_t vertexId);

// How many parents a particle has: 0, 2 or 3. And how many pairs of them: 0, 1 or 3; pair k is parent k and the next.
DRAPE_INLINE uint32_t ParticleParents_Count(const ParticleParents* parents)
{
	return parents->parent[0] == DRAPE_NONE ? 0 : parents->parent[2] == DRAPE_NONE ? 2 : 3;
}

DRAPE_INLINE uint32_t ParticleParents_Pairs(const ParticleParents* parents)
{
	return parents->parent[0] == DRAPE_NONE ? 0 : parents->parent[2] == DRAPE_NONE ? 1 : 3;
}

// Mass and inverse mass from the particle's share of area.
void drapeActiveMesh_UpdateMass(ActiveMesh* mesh, uint32_t particle);
void drapeActiveMesh_UpdateMasses(ActiveMesh* mesh);

// Overwrite `to` with `from`.
void drapeActiveMesh_MoveParticle(ActiveMesh* mesh, uint32_t to, uint32_t from);
void drapeActiveMesh_MoveTriangle(ActiveMesh* mesh, uint32_t to, uint32_t from);
void drapeActiveMesh_MoveEdge(ActiveMesh* mesh, uint32_t to, uint32_t from);

// The arrays one by one, for whoever has to copy them all.
typedef enum ActiveKind
{
	activeParticles,
	activeTriangles,
	activeEdges,
} ActiveKind;

typedef struct ActiveColumn
{
	void* data;
	size_t size; // of an element
	ActiveKind kind;
} ActiveColumn;

uint32_t drapeActiveMesh_ColumnCount(const ActiveMesh* mesh);
ActiveColumn drapeActiveMesh_Column(ActiveMesh* mesh, uint32_t index);

// Bytes of all arrays in use.
size_t drapeActiveMesh_Bytes(const ActiveMesh* mesh);

// Checks everything that can be checked without the scheme: conforming, manifold, wound alike, neighbours agree, masses
// and areas add up to the pattern's, numbers are finite. Returns NULL when all is well, else a static sentence saying
// what is not.
const char* drapeActiveMesh_Validate(const ActiveMesh* mesh, double patternArea);

// A hash over everything but the scheme's names, which depend on what else was made in the same pools.
uint64_t drapeActiveMesh_Hash(const ActiveMesh* mesh);
