// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact.h"
#include "contact/narrow/proximity.h"

// Cloth that crosses closed meshes, boxes and other colliders with flat faces leaves them outwards.
//
//            .  v  .              A closed mesh has an inside, so the side on which cloth belongs is known. Contacts do
//         .    / \    .           not know it: they keep cloth on the side where it is, and so hold a crossing for ever.
//   -----.----/---\----.----- T   Cloth may begin a step inside because a pinch opened, because it was created there,
//      .     /     \     .        or because adaptation moved it.
//     .     /  body \     .
//
// For cloth triangles that cross a mesh when a step begins (T above):
//
// - Contacts that act inwards are ignored: contact points and impacts whose normal points against the outward
//   pseudo-normal of the mesh's vertex, edge or face. Contacts that act outwards stay.
// - Each vertex of the mesh that pokes through the triangle (v above), and each edge that passes through it, becomes a
//   contact point, whose distance is negative.
// - Corners of the triangle that are inside get a depth: the solver moves them out (pinch.h).
//
// Triangles of pinched particles leave their home only: there is no outside where two surfaces leave no space.

// Closed and open meshes of a step, as they are gathered: body `firstBody` + i is mesh i.
typedef struct ColliderSides
{
	const ContactBodies* bodies;
	const MeshCollider* meshes;
	uint32_t firstBody, meshCount;
} ColliderSides;

// A contact of four vertices: the first `firstCount` of them, 1 or 2, are one side.
typedef struct SidedContact
{
	const uint32_t* vertex;
	uint32_t firstCount;
	Vec3 normal; // unit, from the last side to the first
} SidedContact;

// Returns whether a contact between a cloth and a collider with an inside acts inwards.
bool drapeColliderSides_ActsInwards(const ColliderSides* sides, const SidedContact* contact);

// Returns the mesh of a gathered element or vertex of this body, NULL for other bodies.
DRAPE_INLINE const MeshCollider* ColliderSides_MeshOf(const ColliderSides* sides, uint32_t body)
{
	bool isMesh = body >= sides->firstBody && body - sides->firstBody < sides->meshCount;
	return isMesh ? &sides->meshes[body - sides->firstBody] : NULL;
}

typedef struct PokeDef
{
	float activationDistance; // m
	float deepest;            // m: no distance is below the negative of it
} PokeDef;

// Adds contact points where vertices and edges of a collider triangle poke through a cloth triangle that it crosses, at
// the start of the step. Elements are gathered ones.
// Returns false when out of memory. Several triangles find the same vertex: drapeColliderSides_MakeUnique.
bool drapeColliderSides_AddPokes(const ColliderSides* sides, uint32_t clothElement, uint32_t colliderElement,
                                 const PokeDef* def, Proximities* proximities);

// Sorts the points from the index `first` on and removes duplicates.
void drapeColliderSides_MakeUnique(Proximities* proximities, uint32_t first);

// Returns the depth, m, of a cloth vertex inside the mesh of an element that its triangle crosses, at the start of the
// step; 0 outside. `reach` limits the search, m.
float drapeColliderSides_DepthOf(const ColliderSides* sides, uint32_t clothVertex, uint32_t meshElement, float reach);
