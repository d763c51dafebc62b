// SPDX-License-Identifier: MIT
#pragma once

// contact — keeps cloth out of colliders, out of itself and out of other cloth.
//
//   contact_stage.h   the contact stage of a step: gathering, proximities, impacts
//   shapes/           collider shapes, one row of a table each; triangle meshes; motions along keys
//   broad/            BVH of k-DOPs, bodies of vertices and elements, self-collision culling
//   narrow/           continuous collision detection, proximities, exact crossings
//   response/         particles against colliders, impacts, kinematic maps
//   untangle/         crossings that exist, and their removal
//
// This header has the response of particles to colliders. The solver calls drapeContact_Resolve after every substep. It
// looks at each particle in the frame of the collider: there the collider does not move, and the particle moved
// linearly from its position before the substep to its position now.
//
//         previous                    A particle that ends closer than the cloth's thickness is pushed out along the
//            o                        normal of the closest point. That point may be on the wrong side when the particle
//             \         thickness     went deep or through. Then the sweep finds the point of entry, and the particle is
//      . . . . \ . . . . . . . . .    put in front of the tangent plane there. All shapes are convex, so that the space
//      _________\________________     in front of a tangent plane is outside.
//      collider  \  |
//                 \ | push            The response is inelastic. Friction follows Coulomb's law, for the velocity and for
//                  \|                 the displacement within the substep alike. So a sticking particle does not move,
//                   o  now            and a sliding one has the same acceleration at any number of substeps.
//
// Guarantees: a particle that starts a substep outside a collider ends it outside, at any speed of either. Finite input
// gives finite output. The result of a particle does not depend on other particles, so that ranges may be cut anywhere.
// Distances are Euclidean and exact for all shapes; touching has a tolerance of a few units in the last place of the
// coordinates, see Slop in collide.c.

#include "base/bitset.h"
#include "base/transform.h"
#include "contact/filter.h"
#include "contact/shapes/mesh_shape.h"
#include "contact/shapes/shape.h"
#include "mesh/active.h"

// --- particles ------------------------------------------------------------------------------------------------------

// A triangle mesh during a step. The vertices of the shape are in world space.
typedef struct MeshCollider
{
	const MeshShape* shape;
	drapeTransform from, to;
	float friction;
	float maxDisplacement; // m: of any point of the mesh within the step
	bool moves, deforms;
	bool overlaps;       // parts of it were moved apart (shapes/mesh_separation.h)
	const uint8_t* owns; // per triangle: as ContactElement's, for the contact stage
	uint32_t slot;       // the same from step to step, and of no other collider
	ContactFilter filter;
} MeshCollider;

// Cached knowledge of the meshes near a particle, so that not every substep searches them. Zero when nothing is known.
//
// Lists are for moving meshes, too. A list has the revision of the mesh positions that it is valid for: the positions at
// the end of a step are those at the start of the next one, and two lists serve both. A list that is no longer valid
// still has the triangles that a search tests first. Clearance, plane and surface point are for meshes at rest.
typedef struct MeshNearCache
{
	Vec3 position;     // m: of the particle when the cache was filled
	float clearance;   // m: no mesh is nearer to that position
	Vec3 normal;       // of the tangent plane of the only mesh near that position; zero when unknown
	float offset;      // m, of the plane along its normal
	Vec3 surfacePoint; // m: some point of a mesh
	bool hasSurfacePoint;
	NearList lists[2]; // nearby triangles of the only mesh, by revision % 2
} MeshNearCache;

// One load fetches both members that most particles need.
_Static_assert(offsetof(MeshNearCache, clearance) == sizeof(Vec3), "the clearance follows the position");

// A lower bound of the distance from a point to all meshes, m.
static inline float MeshNearCache_Clearance(const MeshNearCache* near, Vec3 point)
{
	return MaxF(near->clearance - 1.0001f * V3Length(V3Sub(point, near->position)), 0.0f);
}

typedef struct ContactDef
{
	const Collider* colliders;
	uint32_t colliderCount;
	const MeshCollider* meshes;
	uint32_t meshCount;
	float thickness;                // m, >= 0: particles stay this far from colliders
	float activationDistance;       // m: drapeContact_FindContacts finds contacts up to this distance
	const Vec4* velocity;           // m/s, per particle, for drapeContact_FindContacts; NULL for particles at rest
	float friction;                 // of the cloth, >= 0; multiplied with that of each collider
	float fromFraction, toFraction; // of the step: the substep
	float movedFrom;                // fraction from which drapeContact_FindContacts counts displacements of surfaces
	float dt;                       // s, > 0: length of the substep
	MeshNearCache* near;            // per particle; NULL without a cache
	bool meshesRest;                // no mesh moves within the step
	const struct PassedVertices* passed; // of the cloth (response/passed.h), for drapeContact_FindPinch; may be NULL
	// Factors of thickness and friction by particle; NULL for 1.
	const float *thicknessFactor, *frictionFactor;
	float mostThickness;    // m: of any particle; 0 without factors
	float activationGrowth; // growth of the activation distance per metre of thickness; with factors
} ContactDef;

// The definition for a single particle, which has its own thickness and friction.
DRAPE_INLINE ContactDef ContactDef_Of(const ContactDef* def, uint32_t particle)
{
	ContactDef own = *def;
	if (def->thicknessFactor)
	{
		own.thickness = def->thicknessFactor[particle] * def->thickness;
		own.activationDistance += def->activationGrowth * (own.thickness - def->thickness);
	}
	if (def->frictionFactor)
		own.friction = def->frictionFactor[particle] * def->friction;
	own.thicknessFactor = own.frictionFactor = NULL;
	own.mostThickness = 0.0f;
	return own;
}

DRAPE_INLINE bool ContactDef_HasFactors(const ContactDef* def)
{
	return def->thicknessFactor || def->frictionFactor;
}

// Moves particles [start, end) of the mesh out of the colliders after a substep and changes their velocities.
// `previous` has their positions before the substep; w is ignored. Pinned particles do not change. `contacts`, if not
// NULL, has capacity for `end` bits and receives one per particle, set for those that touch. Whole words are written:
// `start` is then a multiple of 64, and so is `end` unless it is the number of particles. Returns the number of
// particles that touch.
uint32_t drapeContact_Resolve(const ContactDef* def, ActiveMesh* mesh, const Vec4* previous, BitSet* contacts,
                              uint32_t start, uint32_t end);

// Finds the nearest collider of each particle in [start, end) within the activation distance when the substep begins, or
// before it ends, if particle and surface go on as they move now.
// `normal` receives its contact normal, with 1 plus the coefficient of friction in w. `surfaceDisplacement` receives
// how far the surface moves there within the substep, m, with the distance, m, in w. Particles without a contact, and
// pinned ones, get zeros. Positions have inverse masses in w.
void drapeContact_FindContacts(const ContactDef* def, const Vec4* position, Vec4* normal, Vec4* surfaceDisplacement,
                               uint32_t start, uint32_t end);

// Moves a point out of all colliders as they are at toFraction, by the shortest displacement: for particles that are
// created inside. True when it moved the point.
bool drapeContact_PushOut(const ContactDef* def, Vec3* position);

// True when the point is inside one of the colliders, as they are at toFraction.
bool drapeContact_Contains(const ContactDef* def, Vec3 point);

// The same for colliders that do not move. *clearance receives a distance within which the answer is the same, at most
// `searchRadius`, m.
bool drapeContact_ContainsAround(const ContactDef* def, Vec3 point, float searchRadius, float* clearance);

// --- one particle and one mesh --------------------------------------------------------------------------------------

// True when the particle touches the mesh: position and velocity have been changed. Reads and updates the cache.
bool drapeMeshCollider_Resolve(const MeshCollider* collider, const ContactDef* def, Vec3 previous, MeshNearCache* near,
                               Vec4* position, Vec4* velocity);

// As drapeContact_FindContacts for one point. False unless the mesh is nearer than *nearest, m, which is then updated.
// Reads and updates the lists of the cache, which may be NULL.
// `travel` is the displacement, m, of the particle within the substep if nothing stops it.
bool drapeMeshCollider_FindContact(const MeshCollider* collider, const ContactDef* def, Vec3 point, Vec3 travel,
                                   MeshNearCache* near, float* nearest, Vec4* normal, Vec4* surfaceDisplacement);

// The longest relative displacement, m, for which contacts are sought ahead.
static const float contactLookahead = 0.1f;

// Distance, m, up to which a surface may be reached within a substep.
DRAPE_INLINE float ContactDef_Reach(const ContactDef* def, Vec3 relative)
{
	return def->activationDistance + MinF(V3Length(relative), contactLookahead);
}

// True when a contact at a distance, m, is within the activation distance now or at the end of the substep.
DRAPE_INLINE bool ContactDef_IsReached(const ContactDef* def, float distance, Vec3 normal, Vec3 relative)
{
	return distance + MinF(V3Dot(normal, relative), 0.0f) <= def->activationDistance;
}

bool drapeMeshCollider_Contains(const MeshCollider* collider, float fraction, Vec3 point);

// *clearance is INFINITY when the surface is beyond `searchRadius`, m.
bool drapeMeshCollider_ContainsAround(const MeshCollider* collider, Vec3 point, float searchRadius, float* clearance);

// Depth of the point below the surface, m; 0 outside.
float drapeMeshCollider_Depth(const MeshCollider* collider, float fraction, Vec3 point);

// Moves a particle that was created inside a mesh out of it along the cloth normal, forwards or backwards (Simnett
// 2012,
// 4.4.3): towards the side that the mesh faces next to the parents, else by the shorter displacement. False when the
// particle was not inside, or when the distance between its parents does not reach the surface.
bool drapeMeshCollider_LeaveAlong(const MeshCollider* collider, const ContactDef* def, Vec3 normal,
                                  const Vec3 parents[2], Vec3* position);

// True when it moved the point.
bool drapeMeshCollider_PushOut(const MeshCollider* collider, const ContactDef* def, Vec3* position);
