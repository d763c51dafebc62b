// SPDX-License-Identifier: MIT
#pragma once

// contact — what may not happen: cloth inside things.
//
//   motion.h    paths through keys, for colliders and pins
//   shapes/     analytic shapes, one row of a table each: closest points, sweeps, elements, intrusion, pictures
//   collide.c   particles against colliders: out of them, inelastic response, friction
//   contactNormal.c   what lies on colliders, for solvers that keep it there
//   mesh_shape.h, mesh_contact.c   the same for triangle meshes
//   bvh.h, grid.h, calm.h          which things may meet: trees of k-DOPs, a hashed grid, and where cloth is calm
//   continuous.h, crossing.h       moving vertices, edges and faces: when they meet; whether triangles cross, exactly
//   bodies.h, broad_phase.h, narrow.h    everything that can touch during a step, and which of it may
//   proximity.h, impacts.h         what lies on what; and nothing passes through anything
//   kinematicMaps.h  the maps by which things that are told to move take along what they hold
//   sweeps.h    what the surface sweeps over when adaptation changes it
//   tangle.h, intrusion.h          what crosses: triangles of each other, and triangles that come into shapes
//   untangle.h                     how to take it apart
//
// A collider is a shape with a placement at the beginning and at the end of a step; in between it goes evenly
// (drapeCollider_At). The solver calls drapeContact_Resolve after every substep. It looks at each particle from the collider,
// which stands still in its own frame: there the particle went straight from where it was before the substep to where
// it is now.
//
//         previous                    A particle that ends closer than the cloth's thickness is pushed out along the
//            o                        normal of the closest point. When that point may be on the wrong side, because
//             \         thickness     the particle went deep or all the way through, the sweep finds where it came in,
//      . . . . \ . . . . . . . . .    and it is put back in front of the tangent plane there. All shapes are convex: in
//      _________\________________     front of a tangent plane is outside.
//      collider  \  |
//                 \ | push            Response is inelastic. Friction is Coulomb's, for velocity and for the way made
//                  \|                 within the substep alike; so what sticks stays where it is, and what slides has
//                   o  now            the same acceleration at any number of substeps.
//
// What holds: a particle that starts a substep outside a collider ends it outside, however fast either moves; numbers
// that go in finite come out finite; each particle's result depends on nothing but itself, so ranges may be cut in any
// way. Distances are Euclidean and exact for all shapes; "touching" has a tolerance of a few units in the last place of
// the coordinates, see Slop in collide.c.

#include "base/bitset.h"
#include "base/transform.h"
#include "contact/shapes/mesh_shape.h"
#include "contact/shapes/shape.h"
#include "base/simd.h"
#include "mesh/active.h"

// --- particles ------------------------------------------------------------------------------------------------------

// A triangle mesh during a step. The shape is placed in the world, its vertices `from` and `to`.
typedef struct MeshCollider
{
	const MeshShape* shape;
	drapeTransform from, to;
	float friction;
	float reach; // m: at least the way of any of its points during the step
	bool moves, deforms;
	const uint8_t* owns; // per triangle: as ContactElement's, for the contact stage
} MeshCollider;

// What is remembered of the meshes around a particle while they stand still, so that they need not be searched in every
// substep. Zero when nothing is known.
typedef struct NearGround
{
	Vec3 place;      // m, where the particle was
	float clearance; // m: at least so far are all meshes from there
	Vec3 normal;     // of the plane that the only mesh there is next to the place; zero when it is not known
	float offset;    // m, of the plane along its normal
	Vec3 ground;     // m: a point of a mesh
	bool hasGround;
	NearList list; // of the triangles of the only mesh there is
} NearGround;

// One load fetches what most particles need.
_Static_assert(offsetof(NearGround, clearance) == sizeof(Vec3), "the clearance follows the place");

// At least so far are all meshes from a point, m.
static inline float NearGround_Clearance(const NearGround* near, Vec3 point)
{
	return MaxF(near->clearance - 1.0001f * V3Length(V3Sub(point, near->place)), 0.0f);
}

typedef struct ContactDef
{
	const Collider* colliders;
	uint32_t colliderCount;
	const MeshCollider* meshes;
	uint32_t meshCount;
	float thickness;                // m, >= 0: particles stay this far from colliders
	float activationDistance;       // m: those that are no farther lie on them, for drapeContact_FindContacts
	float friction;                 // the cloth's, >= 0; each collider's own is multiplied with it
	float fromFraction, toFraction; // of the step: where the substep begins and ends
	float dt;                       // s, > 0: length of the substep
	NearGround* near;               // per particle; NULL when nothing is remembered, or for meshes that move
} ContactDef;

// Takes particles [start, end) of the mesh out of the colliders after a substep and changes their velocities.
// `previous` is where they were before the substep; w is not looked at. Pinned particles are left alone. `contacts`, if
// not NULL, has room for `end` bits and receives one per particle, set for those that touch; `start` is then a multiple
// of 64, and so is `end` or it is the last particle's, because whole words are written. Returns how many touch.
uint32_t drapeContact_Resolve(const ContactDef* def, ActiveMesh* mesh, const Vec4* previous, BitSet* contacts,
                              uint32_t start, uint32_t end);

// For particles [start, end) that lie on a collider when the substep begins: its normal, with 1 plus the coefficient of
// friction in w, and in `surfaceDisplacement` the way, m, that the collider's surface makes there during the substep, with the
// distance from it, m, in w. Others get zeros.
// Positions have inverse masses in w; pinned particles get zeros.
void drapeContact_FindContacts(const ContactDef* def, const Vec4* position, Vec4* normal, Vec4* surfaceDisplacement,
                               uint32_t start, uint32_t end);

// Moves a point out of all colliders as they are at toFraction, along the shortest way: for vertices born inside. True
// when it had to be moved.
bool drapeContact_PushOut(const ContactDef* def, Vec3* position);

// Whether the point is inside one of the colliders, which are where they are at toFraction.
bool drapeContact_Contains(const ContactDef* def, Vec3 point);

// The same for colliders that stand still, and how far around the point, m, that is the answer at least; up to `reach`.
bool drapeContact_ContainsAround(const ContactDef* def, Vec3 point, float reach, float* clearance);

// --- one particle and one mesh --------------------------------------------------------------------------------------

// True when it touches: position and velocity have been changed. `near` is what is known, and then what was found.
bool drapeMeshCollider_Resolve(const MeshCollider* collider, const ContactDef* def, Vec3 previous, NearGround* near,
                               Vec4* position, Vec4* velocity);

// As drapeContact_FindContacts for one point, when it lies on the mesh and nearer than `nearest`, which is then its distance.
bool drapeMeshCollider_FindContact(const MeshCollider* collider, const ContactDef* def, Vec3 point, float* nearest,
                                   Vec4* normal, Vec4* surfaceDisplacement);

bool drapeMeshCollider_Contains(const MeshCollider* collider, float fraction, Vec3 point);

// The clearance is INFINITY when the boundary of its inside is beyond `reach`.
bool drapeMeshCollider_ContainsAround(const MeshCollider* collider, Vec3 point, float reach, float* clearance);

// How deep in it the point is, m; 0 outside.
float drapeMeshCollider_Depth(const MeshCollider* collider, float fraction, Vec3 point);

// Moves a vertex that was born inside a mesh out of it along the normal of the cloth, one way or the other (Simnett
// 2012, 4.4.3): the way that the mesh faces next to its parents, else the shorter one. False when it was not inside, or
// found no way out within the distance of its parents.
bool drapeMeshCollider_LeaveAlong(const MeshCollider* collider, const ContactDef* def, Vec3 normal,
                                  const Vec3 parents[2], Vec3* position);

// True when the point had to be moved.
bool drapeMeshCollider_PushOut(const MeshCollider* collider, const ContactDef* def, Vec3* position);
