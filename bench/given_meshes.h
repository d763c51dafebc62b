// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "contact/shapes/mesh_shape.h"
#include "world/world.h"

// The mesh colliders of a world as the application gave them, for independent checks. Contact sees meshes whose parts
// were moved apart where they overlap (contact/shapes/mesh_separation.h).
typedef struct GivenMeshes
{
	ARRAY(MeshShape) shapes; // per collider slot; zeroed ones for other shapes
	double time;             // s, of the world that they show
	uint32_t revision, meshesRevision;
	bool isMade;
} GivenMeshes;

void GivenMeshes_Destroy(GivenMeshes* given);

// Returns the mesh with this index in drapeWorld::liveMeshes. Ends the program when memory runs out.
const MeshShape* GivenMeshes_At(GivenMeshes* given, const drapeWorld* world, uint32_t live);
