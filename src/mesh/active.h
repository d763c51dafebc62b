// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/bitset.h"
#include "base/maths.h"
#include "mesh/columns.h"

// The active mesh: the mesh that is simulated now, as dense arrays. Models, solvers, contact, surfaces and views see
// nothing else; only a scheme (adapt/) knows the hierarchy behind it. A scheme changes the mesh once per adaptation,
// then raises `revision` and leaves a change log. Data per particle follows as columns (columns.h).
//
// The order of elements has no meaning, and changes do not preserve it: the last element takes the index of a removed
// one. Equal edits give equal orders.

// The particles between which a particle was created. Weights add up to one. Pattern vertices have no parents:
// parent[0] is DRAPE_NONE. Parents exist as long as the particle, so they define the coarser levels.
struct ParticleParents
{
	uint32_t parent[3];
	float weight[3];
};

enum
{
	drape_particlePinned = 1 << 0,  // inverse mass 0
	drape_particleFollows = 1 << 1, // pinned between its parents; joins may remove it
	drape_particleHeld = 1 << 2,    // touches a collider: the stretch limit hardly moves it
	drape_particleKept = 1 << 3,    // joins may not remove it, although it is not pinned
};

// True for a particle that joins may not remove.
DRAPE_INLINE bool ParticleFlags_IsKept(uint8_t flags)
{
	return (flags & drape_particleKept) != 0 ||
	       (flags & (drape_particlePinned | drape_particleFollows)) == drape_particlePinned;
}

// The two sides of an edge, left then right.
typedef struct EdgeWings
{
	uint32_t triangle[2]; // DRAPE_NONE on the right of a boundary edge
	uint32_t opposite[2]; // the particle of that triangle which is not on the edge; DRAPE_NONE likewise
} EdgeWings;

enum
{
	drape_edgeBoundary = 1 << 0,
	drape_edgeSeam = 1 << 1,   // the rest shapes of the two sides differ
	drape_edgeCrease = 1 << 2, // a seam, or the texture coordinates of the two sides differ: not to be flipped
	drape_edgeKept = 1 << 3,   // a flip would turn a triangle over at rest; cleared when the scheme undoes the split
};

typedef struct TriangleMaterial
{
	Vec2 corner[3]; // m, u warp, v weft; counter-clockwise
} TriangleMaterial;

typedef struct ParticleMove
{
	uint32_t from, to;
} ParticleMove;

// The effect of the last change on the particles, in this order: particles were removed, new ones were appended, then
// particles from the end filled the holes. Indices of `removed` and `moved.from` are those before the change, `created`
// and `moved.to` those after it. `created` is in the order of creation: parents come before their children.
typedef struct ChangeLog
{
	ARRAY(uint32_t) created;
	ARRAY(uint32_t) removed;
	ARRAY(ParticleMove) moved;
	bool rebuilt;                          // all triangles and edges were rewritten, not patched
	BitSet trianglesTouched, edgesTouched; // old and new indices; valid only when the mesh was patched
	uint32_t oldTriangleCount, oldEdgeCount;
} ChangeLog;

struct ActiveMesh
{
	uint32_t particleCount, particleCapacity;
	Vec4* position; // m; w is the inverse mass, 1/kg
	Vec4* velocity; // m/s; w is the mass, kg, also of pinned particles
	Vec4* normal;   // unit, or zero where there is none; w is 0
	int64_t* share; // rest area times mass factor carried by the particle, in areaUnit: integers, so that sums are exact
	ParticleParents* parents;
	float* parentLength[3]; // m; rest length between parent k and the next; 0 where there is no such pair
	uint32_t* vertexId;     // the scheme's name of the particle
	uint32_t* originKey;    // hash of parents and weights, not 0: equal for particles created between the same parents
	uint8_t* level;         // 0 for pattern vertices
	uint8_t* particleFlags; // drape_particle...
	uint8_t* joinWait;      // adaptation passes until the criteria may ask for a join again
	uint8_t* sleepPasses;   // adaptation passes for which it has hardly moved (adapt/sleep.h)
	Columns columns;        // per-particle data of other modules and of the application

	uint32_t triangleCount, triangleCapacity;
	uint32_t (*triangle)[3]; // particles
	TriangleMaterial* material;
	TriangleMaterial* texcoord; // NULL when the pattern has none
	float* area;                // rest area, m^2
	Vec4* bendSet;        // curvatures uu, vv and uv that bend friction pulls it to, 1/m; w is 0 while they are unknown
	uint32_t* triangleId; // the scheme's name of the triangle
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

	double areaUnit; // m^2 per unit of share; all shares together are 2^60 units
	float density;   // kg/m^2
	bool hasTexcoords;
	bool borrowsTriangles, borrowsEdges; // most of their arrays belong to another mesh; reserving copies them
	uint32_t revision;                   // raised by every change of topology
	uint32_t pinRevision;                // raised whenever a particle is pinned or freed
	ChangeLog log;
};

// Reserves memory for at least `count` elements in all. False when out of memory: then only capacities have changed.
bool drapeActiveMesh_ReserveParticles(ActiveMesh* mesh, uint32_t count);
bool drapeActiveMesh_ReserveTriangles(ActiveMesh* mesh, uint32_t count);
bool drapeActiveMesh_ReserveEdges(ActiveMesh* mesh, uint32_t count);
void drapeActiveMesh_Destroy(ActiveMesh* mesh);

// Makes a mesh without elements, which may have columns, a copy of another one that has not changed since its first
// revision. All columns are zero. Arrays of triangles and edges that only change with the mesh are borrowed: `lender`
// outlives the mesh and does not change. drapeActiveMesh_ReserveTriangles and its like precede every change, and copy
// them. Returns false when out of memory; the mesh is to be destroyed.
bool drapeActiveMesh_Borrow(ActiveMesh* mesh, const ActiveMesh* lender);

// Appends a particle without parents and returns its index. The caller has reserved memory for it.
uint32_t drapeActiveMesh_AddParticle(ActiveMesh* mesh, Vec3 position, uint32_t vertexId);

// Gives a particle without parents another name.
void drapeActiveMesh_RenameParticle(ActiveMesh* mesh, uint32_t particle, uint32_t vertexId);

// Appends the midpoint of two particles: position, velocity, normal and columns come from them.
uint32_t drapeActiveMesh_AddMiddle(ActiveMesh* mesh, uint32_t a, uint32_t b, uint8_t level, uint32_t vertexId);

// Appends a particle between two or three parents, by the weights. A value that all parents share, such as a coordinate
// of a flat sheet, is inherited to the last bit.
uint32_t drapeActiveMesh_AddBetween(ActiveMesh* mesh, const ParticleParents* parents, uint8_t level, uint32_t vertexId);

// The number of parents of a particle, 0, 2 or 3, and of pairs of them, 0, 1 or 3. Pair k is parent k and the next one.
DRAPE_INLINE uint32_t ParticleParents_Count(const ParticleParents* parents)
{
	return parents->parent[0] == DRAPE_NONE ? 0 : parents->parent[2] == DRAPE_NONE ? 2 : 3;
}

DRAPE_INLINE uint32_t ParticleParents_Pairs(const ParticleParents* parents)
{
	return parents->parent[0] == DRAPE_NONE ? 0 : parents->parent[2] == DRAPE_NONE ? 1 : 3;
}

// m^2: the rest area of the cloth, times mass factors. Times the density it is the mass.
DRAPE_INLINE double ActiveMesh_MassArea(const ActiveMesh* mesh)
{
	return mesh->areaUnit * 0x1p60;
}

// Mass and inverse mass from the particle's share of area.
void drapeActiveMesh_UpdateMass(ActiveMesh* mesh, uint32_t particle);
void drapeActiveMesh_UpdateMasses(ActiveMesh* mesh);

// Overwrites element `to` with element `from`, in all arrays.
void drapeActiveMesh_MoveParticle(ActiveMesh* mesh, uint32_t to, uint32_t from);
void drapeActiveMesh_MoveTriangle(ActiveMesh* mesh, uint32_t to, uint32_t from);
void drapeActiveMesh_MoveEdge(ActiveMesh* mesh, uint32_t to, uint32_t from);

typedef enum ActiveKind
{
	activeParticles,
	activeTriangles,
	activeEdges,
} ActiveKind;

// One array of the mesh: a field of ActiveMesh or a column.
typedef struct ActiveArray
{
	void* data;
	size_t size; // bytes of one element
	ActiveKind kind;
} ActiveArray;

// The arrays that snapshots save, one by one, in a fixed order.
uint32_t drapeActiveMesh_SavedCount(const ActiveMesh* mesh);
ActiveArray drapeActiveMesh_Saved(ActiveMesh* mesh, uint32_t index);

// Bytes of all arrays in use.
size_t drapeActiveMesh_Bytes(const ActiveMesh* mesh);

// Checks all invariants that do not need the scheme: the mesh is conforming, manifold and consistently oriented,
// neighbours agree, masses and areas add up to those of the pattern, numbers are finite. Returns NULL when they hold,
// else a static sentence that names the violated one.
const char* drapeActiveMesh_Validate(const ActiveMesh* mesh, double patternArea);

// A hash over everything except the scheme's names, which depend on the other cloths in the same pools.
uint64_t drapeActiveMesh_Hash(const ActiveMesh* mesh);
