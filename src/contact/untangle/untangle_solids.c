// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include <string.h>

// A patch of cloth and a solid, which has an inside to get out of.

// A solid is a shape, or a closed mesh.
typedef struct Solid
{
	const TangleSolid* shape;
	const MeshShape* mesh;
	float size; // m: no way in it is longer; INFINITY for a plane
} Solid;

static Solid SolidOfShape(const TangleSolid* shape)
{
	return (Solid){.shape = shape, .size = 2.0f * shape->at.scale * drapeShape_BoundingRadius(&shape->def)};
}

static Solid SolidOfMesh(const MeshShape* mesh)
{
	return (Solid){.mesh = mesh, .size = V3Length(V3Sub(mesh->high, mesh->low))};
}

static Solid SolidOf(const Tangle* tangle, const TangleCrossing* crossing)
{
	if (crossing->other == DRAPE_NONE)
		return SolidOfShape(&tangle->solids.data[crossing->otherTriangle]);
	return SolidOfMesh(tangle->surfaces.data[crossing->other].shape);
}

static bool Solid_Contains(const Solid* solid, Vec3 p)
{
	if (solid->mesh)
		return drapeMeshShape_Contains(solid->mesh, p);
	return drapeShape_Contains(&solid->shape->def, Transform_InversePoint(solid->shape->at, p));
}

// Distance from a point in the solid to its surface, along a direction.
static float Solid_Exit(const Solid* solid, Vec3 p, Vec3 way)
{
	if (!solid->mesh)
		return drapeShape_Exit(&solid->shape->def, Transform_InversePoint(solid->shape->at, p),
		                       Transform_InverseVector(solid->shape->at, way), solid->size);
	PrimitiveHit hit;
	Primitives primitives = drapeMeshShape_Primitives(solid->mesh, 0.0f);
	Vec3 far = V3Add(p, V3Scale(solid->size, way));
	return drapeBvh_FirstHit(&solid->mesh->tree, &primitives, p, far, &hit) ? hit.distance : 0.0f;
}

// The seeds are what crosses and what hangs together with it inside.
static void FloodSolid(Untangler* u, const Solid* solid)
{
	const Tangle* tangle = u->tangle;
	u->seeds.count = 0;
	for (uint32_t i = 0; i < u->knot.count; ++i)
		drapeUntangler_AddSeeds(u, tangle->crossings.data[u->knot.data[i]].triangle);
	for (uint32_t i = 0; i < u->seeds.count; ++i)
	{
		uint32_t v = u->seeds.data[i];
		if (!Solid_Contains(solid, V4Xyz(tangle->position.data[v])))
			continue;
		for (uint32_t r = u->ringStart.data[v]; r < u->ringStart.data[v + 1]; ++r)
			drapeUntangler_AddSeeds(u, u->ring.data[r]);
	}
	for (uint32_t i = 0; i < u->seeds.count; ++i)
		BitSet_Clear(&u->core, u->seeds.data[i]);
}

// How far a triangle, `ahead` of where it is, still has to go along a direction until it is out.
static float TriangleExit(const Untangler* u, const Solid* solid, const uint32_t* corners, Vec3 way, float ahead)
{
	Vec3 c[3], shift = V3Scale(ahead, way);
	for (int k = 0; k < 3; ++k)
		c[k] = V3Add(V4Xyz(u->tangle->position.data[corners[k]]), shift);
	float exit = 0.0f;
	if (solid->mesh)
	{
		Vec3 middle = V3Scale(1.0f / 3.0f, V3Add(c[0], V3Add(c[1], c[2])));
		for (int k = 0; k < 4; ++k)
		{
			Vec3 p = k < 3 ? c[k] : middle;
			if (drapeMeshShape_Contains(solid->mesh, p))
				exit = fmaxf(exit, Solid_Exit(solid, p, way));
		}
		return exit;
	}
	Vec3 local[3];
	Intrusion intrusion;
	for (int k = 0; k < 3; ++k)
		local[k] = Transform_InversePoint(solid->shape->at, c[k]);
	if (!drapeIntrusion_Find(&solid->shape->def, local, 0.0f, &intrusion))
		return 0.0f;
	for (uint32_t i = 0; i < intrusion.count; ++i)
		exit = fmaxf(exit, Solid_Exit(solid, Transform_Point(solid->shape->at, intrusion.point[i]), way));
	return exit;
}

// The same for all of the patch.
static float PatchExit(const Untangler* u, const Solid* solid, Vec3 way, float ahead, float enough)
{
	const Patch* patch = &u->patch[sideSecond - 1];
	float exit = 0.0f;
	for (uint32_t k = 0; k < patch->corners.count && exit < enough; k += 3)
		exit = fmaxf(exit, TriangleExit(u, solid, patch->corners.data + k, way, ahead));
	return exit;
}

// How far the patch has to go along a direction until all of it is out: what is out may get in on the way. Taken wider,
// it is not to get into other solids either.
static float SolidDepth(const Untangler* u, const Solid* solid, Vec3 way, float enough)
{
	const Tangle* tangle = u->tangle;
	float depth = drapeUntangler_KnotDepth(u, way, enough);
	for (int i = 0; i < 16 && depth < enough; ++i)
	{
		float further = PatchExit(u, solid, way, depth, enough - depth);
		for (uint32_t k = 0; k < tangle->solids.count && u->widen > 1.0f; ++k)
		{
			Solid other = SolidOfShape(&tangle->solids.data[k]);
			further = fmaxf(further, PatchExit(u, &other, way, depth, enough - depth));
		}
		for (uint32_t k = tangle->clothCount; k < tangle->surfaces.count && u->widen > 1.0f; ++k)
		{
			Solid other = SolidOfMesh(tangle->surfaces.data[k].shape);
			if (other.mesh->closed)
				further = fmaxf(further, PatchExit(u, &other, way, depth, enough - depth));
		}
		if (!(further > 1e-6f * depth))
			return depth;
		depth += 1.0001f * further;
	}
	return enough;
}

static Directions SolidDirections(const Untangler* u, const Solid* solid)
{
	Vec3 cloth = {0}, outward = {0};
	for (uint32_t i = 0; i < u->knot.count; ++i)
	{
		const TangleCrossing* crossing = &u->tangle->crossings.data[u->knot.data[i]];
		cloth = V3Add(cloth, drapeTangle_Area(u->tangle, crossing->triangle));
		if (solid->mesh)
		{
			outward = V3Add(outward, drapeTangle_Area(u->tangle, crossing->otherTriangle));
			continue;
		}
		Closest closest =
			drapeShape_Closest(&solid->shape->def, Transform_InversePoint(solid->shape->at, u->places.data[i]));
		outward = V3Add(outward, Transform_Vector(solid->shape->at, closest.normal));
	}
	Directions directions = {.count = 0};
	drapeDirections_AddBoth(&directions, outward);
	drapeDirections_AddBoth(&directions, cloth);
	if (solid->shape)
		drapeDirections_AddBoth(&directions, Transform_Vector(solid->shape->at, (Vec3){0.0f, 1.0f, 0.0f}));
	drapeDirections_AddCube(&directions);
	return directions;
}

bool drapeUntangler_ResolveSolid(Untangler* u, const TangleCrossing* like)
{
	Solid solid = SolidOf(u->tangle, like);
	const TangleSurface* cloth = &u->tangle->surfaces.data[like->surface];
	float edge = u->edgeLength.data[like->surface],
		  reach = u->widen * (V3Length(drapeUntangler_KnotSize(u)) + 3.0f * edge);
	bool isDone = true;
	memset(u->isSwapped.data, 1, u->knot.count); // the cloth is what goes
	FloodSolid(u, &solid);
	for (uint32_t i = 0; isDone && i < u->seeds.count; ++i)
		isDone = drapeUntangler_Reach(u, u->seeds.data[i], 0.0f, sideSecond);
	if (!isDone || !drapeUntangler_Spread(u, reach) || !drapeUntangler_MakePatch(u, sideSecond))
		return false;
	drapeUntangler_Forget(u);
	Directions directions = SolidDirections(u, &solid);
	float least = INFINITY;
	Vec3 way = {0};
	for (uint32_t i = 0; i < directions.count; ++i)
	{
		float depth = SolidDepth(u, &solid, directions.list[i], least);
		if (!(depth < least))
			continue;
		least = depth;
		way = directions.list[i];
	}
	float margin = fmaxf(cloth->thickness, 2.0f * cloth->gap);
	return !(least < INFINITY) || drapeUntangler_Shift(u, V3Scale(least + margin + u->overshoot * edge, way), edge);
}
