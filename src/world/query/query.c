// SPDX-License-Identifier: MIT
#include "world/query/query.h"

#include "base/checks/values.h"
#include "mesh/geometry.h"
#include "world/world.h"

enum
{
	rayGrain = 64,
	pointGrain = 32,
	queryK = 6,
	queryArity = 8,
};

static const float farthest = 1e9f; // m, of coordinates

// --- trees ----------------------------------------------------------------------------------------------------------

void drapeQueryTree_Destroy(QueryTree* tree)
{
	drapeBvh_Destroy(&tree->bvh);
	*tree = (QueryTree){0};
}

static Primitives PrimitivesOf(const Cloth* cloth)
{
	return (Primitives){
		.from = cloth->active.position,
		.to = cloth->active.position,
		.corners = &cloth->active.triangle[0][0],
		.cornerCount = 3,
		.count = cloth->active.triangleCount,
	};
}

#ifdef DRAPE_VALIDATE
// Every function that moves particles raises Cloth::moves: the leaves hold the triangles.
static void Validate(const Cloth* cloth)
{
	const Bvh* bvh = &cloth->query.bvh;
	for (uint32_t slot = 0; slot < bvh->primitiveCount; ++slot)
	{
		const float* rows = Bvh_Bounds(bvh, 0, slot / 8) + slot % 8;
		const uint32_t* corner = cloth->active.triangle[bvh->order.data[slot]];
		for (int k = 0; k < 3; ++k)
		{
			Vec4 x = cloth->active.position[corner[k]];
			bool isIn = rows[0] <= x.x && x.x <= rows[8] && rows[16] <= x.y && x.y <= rows[24] && rows[32] <= x.z &&
			            x.z <= rows[40];
			if (!isIn && drapeInternalAssert("the tree for queries holds the cloth", __FILE__, __LINE__))
				DRAPE_BREAK();
		}
	}
}
#else
static void Validate(const Cloth* cloth)
{
	(void)cloth;
}
#endif

bool drapeQueryTree_Follow(Cloth* cloth)
{
	QueryTree* tree = &cloth->query;
	bool isNew = !tree->isBuilt || tree->revision != cloth->active.revision;
	if (!isNew && tree->moves == cloth->moves)
	{
		Validate(cloth);
		return true;
	}
	if (tree->bvh.k == 0)
		drapeBvh_Init(&tree->bvh, queryK, queryArity);
	const Primitives primitives = PrimitivesOf(cloth);
	tree->isBuilt = drapeBvh_Update(&tree->bvh, &primitives, bvhMorton, isNew, cloth->world->tasks);
	tree->revision = cloth->active.revision;
	tree->moves = cloth->moves;
	return tree->isBuilt;
}

// --- arguments ------------------------------------------------------------------------------------------------------

static bool IsUsable(Vec3 x)
{
	return V3MaxAbs(x) <= farthest && V3IsFinite(x);
}

static drapeResult CheckRay(drapeWorld* world, const drapeRay* ray)
{
	if (!IsUsable(ray->origin))
		return drapeCoordinate_Refuse("ray.origin", ray->origin, "m", &world->message);
	if (!IsUsable(ray->translation))
		return drapeCoordinate_Refuse("ray.translation", ray->translation, "m", &world->message);
	if (!(V3MaxAbs(ray->translation) > 0.0f))
		return drapeWorld_Refuse(world, "ray.translation has no length, expected a direction times a length");
	return drape_ok;
}

static drapeResult CheckPoint(drapeWorld* world, Vec3 point, float maxDistance)
{
	if (!IsUsable(point))
		return drapeCoordinate_Refuse("point", point, "m", &world->message);
	if (!(maxDistance >= 0.0f))
		return drapeWorld_Refuse(world, "maxDistance is %g, expected a number of at least 0 m", (double)maxDistance);
	return drape_ok;
}

static drapeResult CheckBox(drapeWorld* world, const drapeBox* box)
{
	if (!IsUsable(box->low))
		return drapeCoordinate_Refuse("box.low", box->low, "m", &world->message);
	if (!IsUsable(box->high))
		return drapeCoordinate_Refuse("box.high", box->high, "m", &world->message);
	if (!(box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z))
		return drapeWorld_Refuse(world, "box.low is (%g, %g, %g), expected at most box.high, which is (%g, %g, %g)",
		                         (double)box->low.x, (double)box->low.y, (double)box->low.z, (double)box->high.x,
		                         (double)box->high.y, (double)box->high.z);
	return drape_ok;
}

// --- hits -----------------------------------------------------------------------------------------------------------

// The place of a hit, and the triangle's normal on the side of `seen`, a vector from the triangle.
static drapeSurfaceHit MakeHit(const Cloth* cloth, uint32_t triangle, const double weight[3], Double3 seen)
{
	const ActiveMesh* mesh = &cloth->active;
	DRAPE_ASSERT(triangle < mesh->triangleCount);
	drapeSurfaceHit hit = {.isHit = true, .cloth = drapeCloth_Id(cloth->world, cloth->slot), .triangle = triangle};
	Double3 corner[3], point = {0.0, 0.0, 0.0};
	for (int k = 0; k < 3; ++k)
	{
		corner[k] = D3(V4Xyz(mesh->position[mesh->triangle[triangle][k]]));
		point = D3Add(point, D3Scale(weight[k], corner[k]));
		hit.weights[k] = (float)weight[k];
	}
	Double3 normal = D3Cross(D3Sub(corner[1], corner[0]), D3Sub(corner[2], corner[0]));
	double length = sqrt(D3Dot(normal, normal)), side = D3Dot(normal, seen);
	hit.isFront = side >= 0.0;
	double scale = length > 0.0 ? (hit.isFront ? 1.0 : -1.0) / length : 0.0;
	hit.normal = (Vec3){(float)(scale * normal.x), (float)(scale * normal.y), (float)(scale * normal.z)};
	hit.point = (Vec3){(float)point.x, (float)point.y, (float)point.z};
	hit.pattern = drapeCloth_PatternPointAt(cloth, triangle, hit.weights);
	return hit;
}

// A hit before the work for its owner: the cloth is NULL for none.
typedef struct FoundRay
{
	const Cloth* cloth;
	RayHit hit;
} FoundRay;

static void CastAt(const Cloth* cloth, const drapeRay* ray, FoundRay* found)
{
	const Primitives primitives = PrimitivesOf(cloth);
	RayHit hit = {.primitive = DRAPE_NONE, .fraction = found->hit.fraction};
	DRAPE_ASSERT(cloth->query.isBuilt);
	// The first cloth wins a tie.
	if (drapeBvh_CastRay(&cloth->query.bvh, &primitives, ray->origin, D3(ray->translation), &hit) &&
	    (!found->cloth || hit.fraction < found->hit.fraction))
		*found = (FoundRay){cloth, hit};
}

static drapeSurfaceHit FinishRay(const FoundRay* found, const drapeRay* ray)
{
	if (!found->cloth)
		return (drapeSurfaceHit){0};
	Double3 way = D3(ray->translation);
	drapeSurfaceHit hit = MakeHit(found->cloth, found->hit.primitive, found->hit.weight, D3Scale(-1.0, way));
	hit.fraction = (float)found->hit.fraction;
	hit.distance = (float)(found->hit.fraction * sqrt(D3Dot(way, way)));
	return hit;
}

typedef struct FoundPoint
{
	const Cloth* cloth;
	NearestPrimitive nearest;
	float reach; // m
} FoundPoint;

static void FindAt(const Cloth* cloth, Vec3 point, FoundPoint* found)
{
	const Primitives primitives = PrimitivesOf(cloth);
	NearestPrimitive nearest;
	DRAPE_ASSERT(cloth->query.isBuilt);
	if (!drapeBvh_NearestPrimitive(&cloth->query.bvh, &primitives, point, found->reach, &nearest) ||
	    (found->cloth && !(nearest.near.square < found->nearest.near.square)))
		return;
	*found = (FoundPoint){cloth, nearest, MinNumF(found->reach, (float)sqrt(nearest.near.square) * 1.000001f)};
}

static drapeSurfaceHit FinishPoint(const FoundPoint* found)
{
	if (!found->cloth)
		return (drapeSurfaceHit){0};
	const TrianglePoint* near = &found->nearest.near;
	drapeSurfaceHit hit = MakeHit(found->cloth, found->nearest.primitive, near->weight, D3Scale(-1.0, near->toPoint));
	hit.distance = (float)sqrt(near->square);
	return hit;
}

// --- the world ------------------------------------------------------------------------------------------------------

static bool IsAsked(const Cloth* cloth, drapeFilter filter)
{
	return drapeCloth_IsUsed(cloth) && Filters_Touch(cloth->filter, filter);
}

static bool FollowAsked(drapeWorld* world, drapeFilter filter)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (IsAsked(world->cloths.data[i], filter) && !drapeQueryTree_Follow(world->cloths.data[i]))
			return false;
	}
	return true;
}

typedef struct RayTask
{
	const drapeWorld* world;
	const drapeRay* rays;
	drapeFilter filter;
	drapeSurfaceHit* hits;
} RayTask;

static void CastRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const RayTask* task = context;
	for (uint32_t i = start; i < end; ++i)
	{
		FoundRay found = {.hit.fraction = 1.0};
		for (uint32_t k = 0; k < task->world->cloths.count; ++k)
		{
			if (IsAsked(task->world->cloths.data[k], task->filter))
				CastAt(task->world->cloths.data[k], &task->rays[i], &found);
		}
		task->hits[i] = FinishRay(&found, &task->rays[i]);
	}
}

drapeResult drapeWorld_CastRays(drapeWorldId id, const drapeRay* rays, uint32_t count, drapeFilter filter,
                                drapeSurfaceHit* hits)
{
	drapeWorld* world = drapeWorlds_Get(id);
	for (uint32_t i = 0; i < count && hits; ++i)
		hits[i] = (drapeSurfaceHit){0};
	if (!world)
		return drape_errorArgument;
	if (count > 0 && (!rays || !hits))
		return drapeWorld_Refuse(world, "%s is NULL", rays ? "hits" : "rays");
	for (uint32_t i = 0; i < count; ++i)
	{
		if (CheckRay(world, &rays[i]) != drape_ok)
			return drape_errorArgument;
	}
	if (!FollowAsked(world, filter))
		return drapeWorld_FailMemory(world);
	RayTask task = {world, rays, filter, hits};
	drapeTaskPool_For(world->tasks, count, rayGrain, CastRange, &task);
	return drape_ok;
}

drapeResult drapeWorld_CastRay(drapeWorldId id, drapeRay ray, drapeFilter filter, drapeSurfaceHit* hit)
{
	drapeWorld* world = hit ? NULL : drapeWorlds_FindId(id);
	return world ? drapeWorld_Refuse(world, "hit is NULL") : drapeWorld_CastRays(id, &ray, 1, filter, hit);
}

typedef struct PointTask
{
	const drapeWorld* world;
	const Vec3* points;
	float maxDistance;
	drapeFilter filter;
	drapeSurfaceHit* hits;
} PointTask;

static void FindRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const PointTask* task = context;
	for (uint32_t i = start; i < end; ++i)
	{
		FoundPoint found = {.reach = task->maxDistance};
		for (uint32_t k = 0; k < task->world->cloths.count; ++k)
		{
			if (IsAsked(task->world->cloths.data[k], task->filter))
				FindAt(task->world->cloths.data[k], task->points[i], &found);
		}
		task->hits[i] = FinishPoint(&found);
	}
}

drapeResult drapeWorld_FindClosestPoints(drapeWorldId id, const drapeVec3* points, uint32_t count, float maxDistance,
                                         drapeFilter filter, drapeSurfaceHit* hits)
{
	drapeWorld* world = drapeWorlds_Get(id);
	for (uint32_t i = 0; i < count && hits; ++i)
		hits[i] = (drapeSurfaceHit){0};
	if (!world)
		return drape_errorArgument;
	if (count > 0 && (!points || !hits))
		return drapeWorld_Refuse(world, "%s is NULL", points ? "hits" : "points");
	for (uint32_t i = 0; i < count; ++i)
	{
		if (CheckPoint(world, points[i], maxDistance) != drape_ok)
			return drape_errorArgument;
	}
	if (!FollowAsked(world, filter))
		return drapeWorld_FailMemory(world);
	PointTask task = {world, points, maxDistance, filter, hits};
	drapeTaskPool_For(world->tasks, count, pointGrain, FindRange, &task);
	return drape_ok;
}

drapeResult drapeWorld_FindClosestPoint(drapeWorldId id, drapeVec3 point, float maxDistance, drapeFilter filter,
                                        drapeSurfaceHit* hit)
{
	drapeWorld* world = hit ? NULL : drapeWorlds_FindId(id);
	return world ? drapeWorld_Refuse(world, "hit is NULL")
	             : drapeWorld_FindClosestPoints(id, &point, 1, maxDistance, filter, hit);
}

// --- one cloth ------------------------------------------------------------------------------------------------------

drapeResult drapeCloth_CastRay(drapeClothId id, drapeRay ray, drapeSurfaceHit* hit)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (hit)
		*hit = (drapeSurfaceHit){0};
	if (!cloth)
		return drape_errorArgument;
	if (!hit)
		return drapeWorld_Refuse(cloth->world, "hit is NULL");
	if (CheckRay(cloth->world, &ray) != drape_ok)
		return drape_errorArgument;
	if (!drapeQueryTree_Follow(cloth))
		return drapeWorld_FailMemory(cloth->world);
	FoundRay found = {.hit.fraction = 1.0};
	CastAt(cloth, &ray, &found);
	*hit = FinishRay(&found, &ray);
	return drape_ok;
}

drapeResult drapeCloth_FindClosestPoint(drapeClothId id, drapeVec3 point, float maxDistance, drapeSurfaceHit* hit)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (hit)
		*hit = (drapeSurfaceHit){0};
	if (!cloth)
		return drape_errorArgument;
	if (!hit)
		return drapeWorld_Refuse(cloth->world, "hit is NULL");
	if (CheckPoint(cloth->world, point, maxDistance) != drape_ok)
		return drape_errorArgument;
	if (!drapeQueryTree_Follow(cloth))
		return drapeWorld_FailMemory(cloth->world);
	FoundPoint found = {.reach = maxDistance};
	FindAt(cloth, point, &found);
	*hit = FinishPoint(&found);
	return drape_ok;
}

// --- bounds and boxes -----------------------------------------------------------------------------------------------

drapeBox drapeCloth_GetBounds(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return (drapeBox){0};
	const ActiveMesh* mesh = &cloth->active;
	DRAPE_ASSERT(mesh->particleCount > 0);
	drapeBox box = {V4Xyz(mesh->position[0]), V4Xyz(mesh->position[0])};
	for (uint32_t i = 1; i < mesh->particleCount; ++i)
	{
		box.low = V3Min(box.low, V4Xyz(mesh->position[i]));
		box.high = V3Max(box.high, V4Xyz(mesh->position[i]));
	}
	return box;
}

static bool BoxHolds(const drapeBox* box, Vec3 x)
{
	return box->low.x <= x.x && x.x <= box->high.x && box->low.y <= x.y && x.y <= box->high.y && box->low.z <= x.z &&
	       x.z <= box->high.z;
}

drapeResult drapeCloth_FindParticlesInBox(drapeClothId id, drapeBox box, uint32_t* particles, uint32_t capacity,
                                          uint32_t* count)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (count)
		*count = 0;
	if (!cloth)
		return drape_errorArgument;
	if (!count)
		return drapeWorld_Refuse(cloth->world, "count is NULL");
	if (drapeArray_Check("particles", particles, capacity, &cloth->world->message) != drape_ok ||
	    CheckBox(cloth->world, &box) != drape_ok)
		return drape_errorArgument;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		if (!BoxHolds(&box, V4Xyz(cloth->active.position[i])))
			continue;
		if (*count < capacity)
			particles[*count] = i;
		++*count;
	}
	return drape_ok;
}

// Returns whether a direction separates a triangle, relative to the middle of a box, from the box.
static bool Separates(const Double3 corner[3], Double3 half, Double3 axis)
{
	double reach = half.x * fabs(axis.x) + half.y * fabs(axis.y) + half.z * fabs(axis.z);
	double a = D3Dot(axis, corner[0]), b = D3Dot(axis, corner[1]), c = D3Dot(axis, corner[2]);
	return MinNum(a, MinNum(b, c)) > reach || MaxNum(a, MaxNum(b, c)) < -reach;
}

// Separating axes of a triangle and a box: the faces of the box, that of the triangle, and the products of their edges.
static bool TriangleMeets(const Vec3 at[3], const drapeBox* box)
{
	static const Double3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	Double3 half = D3Scale(0.5, D3Between(box->low, box->high)), middle = D3Add(D3(box->low), half), corner[3];
	for (int k = 0; k < 3; ++k)
		corner[k] = D3Sub(D3(at[k]), middle);
	bool isApart = Separates(corner, half, D3Cross(D3Sub(corner[1], corner[0]), D3Sub(corner[2], corner[0])));
	for (int a = 0; a < 3; ++a)
	{
		isApart |= Separates(corner, half, axes[a]);
		for (int k = 0; k < 3; ++k)
			isApart |= Separates(corner, half, D3Cross(axes[a], D3Sub(corner[(k + 1) % 3], corner[k])));
	}
	return !isApart;
}

// Sets *meets. False when out of memory.
static bool ClothMeets(Cloth* cloth, const drapeBox* box, PrimitiveList* near, bool* meets)
{
	Kdop dop = Kdop_Empty();
	Kdop_Add(&dop, queryK, box->low, 0.0f);
	Kdop_Add(&dop, queryK, box->high, 0.0f);
	near->primitives.count = 0;
	*meets = false;
	if (!drapeQueryTree_Follow(cloth) || !drapeBvh_Query(&cloth->query.bvh, &dop, near))
		return false;
	for (uint32_t i = 0; i < near->primitives.count && !*meets; ++i)
	{
		const uint32_t* corner = cloth->active.triangle[near->primitives.data[i]];
		const Vec4* x = cloth->active.position;
		const Vec3 at[3] = {V4Xyz(x[corner[0]]), V4Xyz(x[corner[1]]), V4Xyz(x[corner[2]])};
		*meets = TriangleMeets(at, box);
	}
	return true;
}

drapeResult drapeWorld_FindClothsInBox(drapeWorldId id, drapeBox box, drapeFilter filter, drapeClothId* cloths,
                                       uint32_t capacity, uint32_t* count)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (count)
		*count = 0;
	if (!world)
		return drape_errorArgument;
	if (!count)
		return drapeWorld_Refuse(world, "count is NULL");
	if (drapeArray_Check("cloths", cloths, capacity, &world->message) != drape_ok || CheckBox(world, &box) != drape_ok)
		return drape_errorArgument;
	PrimitiveList near = {0};
	bool isDone = true, meets = false;
	uint32_t found = 0;
	for (uint32_t i = 0; i < world->cloths.count && isDone; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!IsAsked(cloth, filter))
			continue;
		isDone = ClothMeets(cloth, &box, &near, &meets);
		if (isDone && meets && found++ < capacity)
			cloths[found - 1] = drapeCloth_Id(world, i);
	}
	ArrayFree(&near.primitives);
	*count = isDone ? found : 0;
	return isDone ? drape_ok : drapeWorld_FailMemory(world);
}

// --- colliders ------------------------------------------------------------------------------------------------------

static bool CastAtMesh(const MeshShape* shape, const drapeRay* ray, drapeColliderHit* hit)
{
	MeshPoint point;
	Vec3 end = V3Add(ray->origin, ray->translation);
	if (!drapeMeshShape_Sweep(shape, 0.0f, ray->origin, end, &hit->fraction, &point))
		return false;
	hit->triangle = point.triangle;
	hit->normal = point.normal;
	return true;
}

static bool CastAtShape(const Collider* collider, const drapeRay* ray, drapeColliderHit* hit)
{
	Vec3 from = drapeTransform_InversePoint(collider->to, ray->origin);
	Vec3 to = drapeTransform_InversePoint(collider->to, V3Add(ray->origin, ray->translation)), normal;
	if (!drapeShape_Sweep(&collider->def, 0.0f, from, to, &hit->fraction, &normal))
		return false;
	hit->triangle = DRAPE_NONE;
	hit->normal = Quat_Rotate(collider->to.rotation, normal);
	return true;
}

drapeResult drapeCollider_CastRay(drapeColliderId id, drapeRay ray, drapeColliderHit* hit)
{
	const Collider* collider = drapeCollider_Get(id);
	if (hit)
		*hit = (drapeColliderHit){0};
	if (!collider)
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	if (!hit)
		return drapeWorld_Refuse(world, "hit is NULL");
	if (CheckRay(world, &ray) != drape_ok)
		return drape_errorArgument;
	const ColliderMesh* mesh = world->colliderMeshes.data[id.index1 - 1];
	drapeColliderHit found = {.isHit = true};
	if (!(mesh ? CastAtMesh(&mesh->shape, &ray, &found) : CastAtShape(collider, &ray, &found)))
		return drape_ok;
	found.point = V3Add(ray.origin, V3Scale(found.fraction, ray.translation));
	found.distance = found.fraction * V3Length(ray.translation);
	*hit = found;
	return drape_ok;
}
