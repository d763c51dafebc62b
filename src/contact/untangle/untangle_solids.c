// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include <string.h>

// Resolves a knot of a cloth and a solid: finds the direction along which a patch leaves the solid soonest.

enum
{
	maxCuts = 64,  // of a probe's path through a mesh
	maxExits = 64, // that a patch leaves solids one after the other
	probeGrain = 64,
	probeBatch = 1 << 14, // between two looks at the clock
	trianglesPerLook = 1024,
	firstStride = 16, // of the probes that rule out directions
};

static Solid SolidOfShape(const TangleSolid* shape)
{
	return (Solid){.shape = shape, .size = 2.0f * shape->at.scale * drapeShape_BoundingRadius(&shape->def)};
}

static Solid SolidOfMesh(const MeshShape* mesh)
{
	return (Solid){.mesh = mesh, .size = V3Length(V3Sub(mesh->high, mesh->low))};
}

Solid drapeUntangler_SolidOf(const Tangle* tangle, const TangleCrossing* crossing)
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

void drapeUntangler_FloodSolid(Untangler* u, const Solid* solid)
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

// --- depth in shapes ------------------------------------------------------------------------------------------------

// Returns whether a triangle is beside the sphere around a shape.
static bool IsBesideShape(const Solid* solid, const Vec3 corners[3])
{
	Vec3 centre = solid->shape->at.position;
	float radius = 0.5f * solid->size;
	const Vec3 a = V3Sub(corners[0], centre), b = V3Sub(corners[1], centre), c = V3Sub(corners[2], centre);
	return MinNumF(a.x, MinNumF(b.x, c.x)) > radius || MaxNumF(a.x, MaxNumF(b.x, c.x)) < -radius ||
	       MinNumF(a.y, MinNumF(b.y, c.y)) > radius || MaxNumF(a.y, MaxNumF(b.y, c.y)) < -radius ||
	       MinNumF(a.z, MinNumF(b.z, c.z)) > radius || MaxNumF(a.z, MaxNumF(b.z, c.z)) < -radius;
}

// Returns how far a triangle, moved ahead by `ahead`, still has to move along a direction to leave a shape.
static float TriangleExit(const Untangler* u, const Solid* solid, const uint32_t* corners, Vec3 direction, float ahead)
{
	Vec3 c[3], local[3], shift = V3Scale(ahead, direction);
	for (int k = 0; k < 3; ++k)
		c[k] = V3Add(V4Xyz(u->tangle->position.data[corners[k]]), shift);
	if (IsBesideShape(solid, c))
		return 0.0f;
	float exit = 0.0f;
	Intrusion intrusion;
	for (int k = 0; k < 3; ++k)
		local[k] = Transform_InversePoint(solid->shape->at, c[k]);
	if (!drapeIntrusion_Find(&solid->shape->def, local, 0.0f, &intrusion))
		return 0.0f;
	for (uint32_t i = 0; i < intrusion.count; ++i)
	{
		Vec3 direct = Transform_InverseVector(solid->shape->at, direction);
		exit = MaxNumF(exit, drapeShape_Exit(&solid->shape->def, intrusion.point[i], direct, solid->size));
	}
	return exit;
}

// The same for the whole patch.
static float PatchExit(Untangler* u, const Solid* solid, Vec3 direction, float ahead, float enough)
{
	const Patch* patch = &u->patch[sideSecond - 1];
	float exit = 0.0f;
	for (uint32_t k = 0; k < patch->corners.count && exit < enough; k += 3)
	{
		if (k % (3 * trianglesPerLook) == 0 && drapeUntangler_MustStop(u))
			return enough;
		exit = MaxNumF(exit, TriangleExit(u, solid, patch->corners.data + k, direction, ahead));
	}
	return exit;
}

// --- depth in meshes ------------------------------------------------------------------------------------------------

// The patch is represented by probes: its vertices and the middles of its triangles. A probe that moves along a direction
// is inside a closed mesh in some intervals. The patch is out of the mesh after a distance that no interval contains.

static bool FindProbes(Untangler* u)
{
	const Patch* patch = &u->patch[sideSecond - 1];
	const Vec4* x = u->tangle->position.data;
	u->probes.count = 0;
	if (!ArrayReserve(&u->probes, u->visited.count + patch->corners.count / 3))
		return false;
	for (uint32_t i = 0; i < u->visited.count; ++i)
		ArrayPush(&u->probes, V4Xyz(x[u->visited.data[i]]));
	for (uint32_t k = 0; k < patch->corners.count; k += 3)
	{
		const uint32_t* c = patch->corners.data + k;
		Vec3 sum = V3Add(V4Xyz(x[c[0]]), V3Add(V4Xyz(x[c[1]]), V4Xyz(x[c[2]])));
		ArrayPush(&u->probes, V3Scale(1.0f / 3.0f, sum));
	}
	return true;
}

typedef struct ProbeLoop
{
	const Untangler* u;
	const MeshShape* mesh;
	int8_t* winding; // per probe
	uint32_t first;  // probe
	uint32_t stride; // from probe to probe
	Vec3 direction;
	float enough; // m
} ProbeLoop;

static void WindingTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const ProbeLoop* loop = context;
	(void)worker;
	for (uint32_t i = loop->first + start; i < loop->first + end; ++i)
	{
		int winding = drapeMeshShape_WindingNumber(loop->mesh, loop->u->probes.data[i]);
		loop->winding[i] = (int8_t)(winding < -100 ? -100 : winding > 100 ? 100 : winding);
	}
}

// Finds the winding numbers of all probes in a mesh, batch by batch.
static void FindWinding(Untangler* u, const MeshShape* mesh, int8_t* winding)
{
	for (uint32_t start = 0; start < u->probes.count; start += probeBatch)
	{
		uint32_t count = MinU32(probeBatch, u->probes.count - start);
		memset(winding + start, 0, count);
		ProbeLoop loop = {.u = u, .mesh = mesh, .winding = winding, .first = start};
		if (!drapeUntangler_MustStop(u))
			drapeTaskPool_For(u->tasks, count, probeGrain, WindingTask, &loop);
	}
}

// Returns how far a point has to move along a direction to pass the far side of the bounds of a mesh; negative when the
// bounds are behind it or beside its path.
static float BoundsExit(const MeshShape* mesh, Vec3 p, Vec3 direction)
{
	const float low[3] = {mesh->low.x, mesh->low.y, mesh->low.z}, high[3] = {mesh->high.x, mesh->high.y, mesh->high.z};
	const float from[3] = {p.x, p.y, p.z}, along[3] = {direction.x, direction.y, direction.z};
	float enter = 0.0f, exit = INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		if (along[k] == 0.0f && (from[k] < low[k] || from[k] > high[k]))
			return -1.0f;
		if (along[k] == 0.0f)
			continue;
		float one = (low[k] - from[k]) / along[k], other = (high[k] - from[k]) / along[k];
		enter = MaxNumF(enter, MinNumF(one, other));
		exit = MinNumF(exit, MaxNumF(one, other));
	}
	return enter <= exit ? exit : -1.0f;
}

static void AddInterval(Chunk* chunk, float start, float end)
{
	InsideInterval* interval = Chunk_Add(chunk, sizeof(InsideInterval));
	if (interval)
		*interval = (InsideInterval){start, end};
}

// Adds the intervals in which a probe is inside, up to the distance `enough`. An interval that goes on there is endless.
static void AddIntervals(const ProbeLoop* loop, Vec3 p, int winding, Chunk* chunk)
{
	const MeshShape* mesh = loop->mesh;
	float size = V3Length(V3Sub(mesh->high, mesh->low)), exit = BoundsExit(mesh, p, loop->direction) + 0.01f * size;
	float length = MinNumF(exit, loop->enough);
	if (!(length > 0.0f))
		return;
	Primitives primitives = drapeMeshShape_Primitives(mesh, 0.0f);
	Vec3 far = V3Add(p, V3Scale(length, loop->direction));
	SegmentCut cuts[maxCuts];
	uint32_t count;
	if (!drapeBvh_Cuts(&mesh->tree, &primitives, p, far, cuts, maxCuts, &count))
	{
		PrimitiveHit hit;
		if (winding != 0 && drapeBvh_FirstHit(&mesh->tree, &primitives, p, far, &hit))
			AddInterval(chunk, 0.0f, hit.distance);
		return;
	}
	float start = 0.0f;
	for (uint32_t i = 0; i < count; ++i)
	{
		float at = length * (float)cuts[i].fraction;
		int next = winding - cuts[i].sign;
		if (winding != 0 && next == 0)
			AddInterval(chunk, start, at);
		else if (winding == 0)
			start = at;
		winding = next;
	}
	if (winding != 0 && length < exit)
		AddInterval(chunk, start, INFINITY);
}

static void IntervalTask(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const ProbeLoop* loop = context;
	for (uint32_t k = start; k < end; ++k)
	{
		uint32_t i = k * loop->stride;
		AddIntervals(loop, loop->u->probes.data[i], loop->winding[i], chunk);
	}
}

// Finds the intervals of every `stride`-th probe in all meshes, up to a distance. Returns false when out of memory.
static bool FindIntervals(Untangler* u, Vec3 direction, float enough, uint32_t stride)
{
	u->intervals.count = 0;
	for (uint32_t k = 0; k < u->meshes.count; ++k)
	{
		ProbeLoop loop = {
			.u = u,
			.mesh = u->meshes.data[k],
			.winding = u->winding.data + (size_t)k * u->probes.count,
			.stride = stride,
			.direction = direction,
			.enough = enough,
		};
		uint32_t count = (u->probes.count + stride - 1) / stride;
		if (!drapeChunkList_Fill(&u->intervalChunks, sizeof(InsideInterval), count, probeGrain, IntervalTask, &loop,
		                         u->tasks) ||
		    !ChunkList_Join(&u->intervalChunks, &u->intervals))
			return false;
	}
	return true;
}

// Returns how far a patch that has moved by `ahead` still has to move until no interval contains it.
static float IntervalExit(const Untangler* u, float ahead)
{
	float exit = ahead;
	for (uint32_t i = 0; i < u->intervals.count; ++i)
	{
		InsideInterval interval = u->intervals.data[i];
		if (interval.start <= exit && interval.end > exit)
			exit = interval.end;
	}
	return exit - ahead;
}

// --- depth ----------------------------------------------------------------------------------------------------------

// Finds the closed meshes that matter to the patch, and the winding numbers of its probes in them: once for all
// directions. A widened patch must not enter other solids on its path. Returns false when out of memory.
static bool FindMeshes(Untangler* u, const Solid* solid)
{
	const Tangle* tangle = u->tangle;
	u->meshes.count = u->intervals.count = 0;
	if (!ArrayReserve(&u->meshes, tangle->surfaces.count + 1))
		return false;
	if (solid->mesh)
		ArrayPush(&u->meshes, solid->mesh);
	for (uint32_t k = tangle->clothCount; k < tangle->surfaces.count && u->widen > 1.0f; ++k)
	{
		const MeshShape* mesh = tangle->surfaces.data[k].shape;
		if (mesh->closed && mesh != solid->mesh && ContactFilters_Touch(u->filter, tangle->surfaces.data[k].filter))
			ArrayPush(&u->meshes, mesh);
	}
	if (u->meshes.count == 0)
		return true;
	if (!FindProbes(u) || !ArrayReserve(&u->winding, (size_t)u->meshes.count * u->probes.count))
		return false;
	for (uint32_t k = 0; k < u->meshes.count; ++k)
		FindWinding(u, u->meshes.data[k], u->winding.data + (size_t)k * u->probes.count);
	return true;
}

// Returns how far the patch, moved ahead by `ahead`, still has to move along a direction until it is out.
static float FurtherExit(Untangler* u, const Solid* solid, Vec3 direction, float ahead, float enough)
{
	const Tangle* tangle = u->tangle;
	float further = IntervalExit(u, ahead);
	if (solid->shape && further < enough)
		further = MaxNumF(further, PatchExit(u, solid, direction, ahead, enough));
	for (uint32_t k = 0; k < tangle->solids.count && u->widen > 1.0f && further < enough; ++k)
	{
		Solid other = SolidOfShape(&tangle->solids.data[k]);
		if (other.shape != solid->shape && ContactFilters_Touch(u->filter, tangle->solids.data[k].filter))
			further = MaxNumF(further, PatchExit(u, &other, direction, ahead, enough));
	}
	return further;
}

// Moves the patch ahead until it is out of the solids. Returns INFINITY when that takes at least `enough`.
static float ExitFrom(Untangler* u, const Solid* solid, Vec3 direction, float depth, float enough)
{
	for (int i = 0; i < maxExits && depth < enough; ++i)
	{
		float further = FurtherExit(u, solid, direction, depth, enough - depth);
		if (!(further > 1e-6f * depth))
			return depth;
		depth += 1.0001f * further;
	}
	return INFINITY;
}

// Finds how far the patch has to move along a direction until all of it is out. Parts that are outside may enter on the
// path. The depth is INFINITY when there is none below `enough`. Returns false when out of memory.
static bool SolidDepth(Untangler* u, const Solid* solid, Vec3 direction, float enough, float* depth)
{
	float least = drapeUntangler_KnotDepth(u, direction, enough);
	*depth = INFINITY;
	// A few probes suffice to rule out most directions.
	if (u->meshes.count > 0 && least < enough)
	{
		if (!FindIntervals(u, direction, enough, firstStride))
			return false;
		least += IntervalExit(u, least);
	}
	if (!(least < enough))
		return true;
	if (u->meshes.count > 0 && !FindIntervals(u, direction, enough, 1))
		return false;
	*depth = ExitFrom(u, solid, direction, least, enough);
	return true;
}

// --- the knot -------------------------------------------------------------------------------------------------------

static Directions SolidDirections(const Untangler* u, const Solid* solid)
{
	Vec3 cloth = {0}, outward = {0};
	for (uint32_t i = 0; i < u->knot.count; ++i)
	{
		const TangleCrossing* crossing = &u->tangle->crossings.data[u->knot.data[i]];
		cloth = V3Add(cloth, drapeTangle_AreaVector(u->tangle, crossing->triangle));
		if (solid->mesh)
		{
			outward = V3Add(outward, drapeTangle_AreaVector(u->tangle, crossing->otherTriangle));
			continue;
		}
		Closest closest =
			drapeShape_Closest(&solid->shape->def, Transform_InversePoint(solid->shape->at, u->points.data[i]));
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
	DRAPE_ASSERT(like->surface < u->tangle->clothCount);
	Solid solid = drapeUntangler_SolidOf(u->tangle, like);
	const TangleSurface* cloth = &u->tangle->surfaces.data[like->surface];
	float edge = u->edgeLength.data[like->surface], radius = u->widen * (drapeUntangler_KnotSize(u) + 3.0f * edge);
	bool isDone = true;
	u->filter = cloth->filter;
	memset(u->isSwapped.data, 1, u->knot.count); // the cloth is the side that moves
	drapeUntangler_FloodSolid(u, &solid);
	for (uint32_t i = 0; isDone && i < u->seeds.count; ++i)
		isDone = drapeUntangler_Visit(u, u->seeds.data[i], 0.0f, sideSecond);
	if (!isDone || !drapeUntangler_Spread(u, radius) || !drapeUntangler_MakePatch(u, sideSecond) ||
	    !FindMeshes(u, &solid))
		return false;
	drapeUntangler_Forget(u);
	Directions directions = SolidDirections(u, &solid);
	float least = INFINITY;
	Vec3 direction = {0};
	for (uint32_t i = 0; i < directions.count && !drapeUntangler_MustStop(u); ++i)
	{
		float depth;
		if (!SolidDepth(u, &solid, directions.list[i], least, &depth))
			return false;
		if (!(depth < least))
			continue;
		least = depth;
		direction = directions.list[i];
	}
	float margin = MaxNumF(cloth->thickness, 2.0f * cloth->gap);
	return !(least < INFINITY) ||
	       drapeUntangler_Shift(u, V3Scale(least + margin + u->overshoot * edge, direction), edge);
}
