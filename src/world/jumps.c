// SPDX-License-Identifier: MIT
#include "world/jumps.h"

#include "world/history.h"
#include "world/world.h"

#include <string.h>

// A point that moves by more than this share of the cloth's size within a step may jump.
static const float jumpShare = 0.3f;

// A motion of a group may leave this share of the way to single points.
static const float unlikeShare = 0.25f;

// Particles nearer to a collider than this share of the cloth's size, m, depend on it.
static const float reachShare = 0.03f;

void drapeJumps_Destroy(Jumps* jumps)
{
	ArrayFree(&jumps->cloths);
	ArrayFree(&jumps->colliders);
	ArrayFree(&jumps->points);
	ArrayFree(&jumps->saved);
	ArrayFree(&jumps->pinFrom);
	ArrayFree(&jumps->vertices);
	drapeHashMap_Free(&jumps->turned.keys);
}

// --- groups ---------------------------------------------------------------------------------------------------------

// Cloths come first, colliders after them.
static uint32_t* GroupOf(Jumps* jumps, uint32_t node)
{
	DRAPE_ASSERT(node < jumps->cloths.count + jumps->colliders.count);
	return node < jumps->cloths.count ? &jumps->cloths.data[node].group
	                                  : &jumps->colliders.data[node - jumps->cloths.count].group;
}

static uint32_t Root(Jumps* jumps, uint32_t node)
{
	while (*GroupOf(jumps, node) != node)
		node = *GroupOf(jumps, node);
	return node;
}

// The root of a group is the lowest of its nodes, and so a cloth.
static void Unite(Jumps* jumps, uint32_t a, uint32_t b)
{
	uint32_t rootA = Root(jumps, a), rootB = Root(jumps, b);
	*GroupOf(jumps, MaxU32(rootA, rootB)) = MinU32(rootA, rootB);
}

// --- points that jump -----------------------------------------------------------------------------------------------

// The way of a point of a collider, or of a pin, within the step.
static JumpPoint MakePoint(const Cloth* cloth, Vec3 from, Vec3 to, Vec3 velocity, float dt)
{
	return (JumpPoint){.cloth = cloth->slot,
	                   .collider = DRAPE_NONE,
	                   .from = from,
	                   .to = to,
	                   .unexpected = V3Sub(V3Sub(to, from), V3Scale(dt, velocity))};
}

static bool IsJump(const JumpPoint* point, float least)
{
	return V3Length(V3Sub(point->to, point->from)) > least && V3Length(point->unexpected) > least;
}

// The diagonal of the cloth's bounds, m.
static float SizeOf(const Cloth* cloth)
{
	const ActiveMesh* mesh = &cloth->active;
	Vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Vec3 x = V4Xyz(mesh->position[i]);
		low = (Vec3){MinF(low.x, x.x), MinF(low.y, x.y), MinF(low.z, x.z)};
		high = (Vec3){MaxF(high.x, x.x), MaxF(high.y, x.y), MaxF(high.z, x.z)};
	}
	return V3Length(V3Sub(high, low));
}

// An upper bound of the way of a collider's points beside the cloth, m.
static float ColliderWay(const drapeWorld* world, uint32_t slot, float size)
{
	if (world->colliderMeshes.data[slot])
		return world->colliderMeshes.data[slot]->maxDisplacement;
	const Collider* collider = &world->colliders.data[slot];
	float radius = MinNumF(drapeShape_BoundingRadius(&collider->def) * collider->to.scale, size);
	float cosine = MinNumF(fabsf(Quat_Dot(collider->from.rotation, collider->to.rotation)), 1.0f);
	float turned = 2.0f * radius * sqrtf(1.0f - cosine * cosine);
	return V3Length(V3Sub(collider->to.position, collider->from.position)) + turned +
	       radius * fabsf(collider->to.scale / collider->from.scale - 1.0f);
}

static bool IsUsedCollider(const drapeWorld* world, uint32_t slot)
{
	return world->colliderSlots.data[slot].generation & 1;
}

// --- what a cloth depends on ----------------------------------------------------------------------------------------

// Adds a point that holds the cloth.
static void AddHeld(Jumps* jumps, JumpCloth* jump, const JumpPoint* point)
{
	bool isJump = IsJump(point, jump->least);
	jump->goes |= isJump;
	jump->stays |= !isJump;
	if (isJump)
		ArrayPush(&jumps->points, *point);
}

// A pin with a force limit, such as a mouse, takes nothing along as a whole.
static bool IsHolding(const Pin* pin)
{
	return pin->vertexId != DRAPE_NONE && !pin->isOff && drapePin_MaxForce(pin) == 0.0f;
}

static void AddPins(Jumps* jumps, const Cloth* cloth, JumpCloth* jump, float dt)
{
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		const Pin* pin = &cloth->pins.data[i];
		if (!IsHolding(pin))
			continue;
		JumpPoint point = MakePoint(cloth, pin->from, pin->to, pin->velocity, dt);
		jump->hasJumpingPin |= IsJump(&point, jump->least);
		AddHeld(jumps, jump, &point);
	}
}

static void AddAttachments(drapeWorld* world, const Cloth* cloth, JumpCloth* jump, float dt)
{
	for (uint32_t i = 0; i < world->constraints.list.count; ++i)
	{
		const StoredConstraint* constraint = &world->constraints.list.data[i];
		if (!drapeConstraint_IsOn(world, constraint) || constraint->kind != drape_constraintAttachment ||
		    constraint->cloth1[0] != cloth->slot + 1 || !constraint->now.isBound)
			continue;
		const SurfaceAnchor* anchor = &constraint->now.anchor;
		DRAPE_ASSERT(anchor->collider1 > 0);
		JumpPoint point = MakePoint(cloth, drapeAnchor_At(world, anchor, 0.0f), drapeAnchor_At(world, anchor, 1.0f),
		                            world->colliderSlots.data[anchor->collider1 - 1].velocity, dt);
		point.collider = anchor->collider1 - 1;
		AddHeld(&world->jumps, jump, &point);
	}
}

// The point of a collider at a particle, if the collider is nearer than *nearest when the step begins.
static bool FindNear(const drapeWorld* world, uint32_t slot, Vec3 particle, float* nearest, Vec3* from, Vec3* to)
{
	const Collider* collider = &world->colliders.data[slot];
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	if (!mesh)
	{
		Vec3 local = drapeTransform_InversePoint(collider->from, particle);
		float distance = collider->from.scale * drapeShape_Closest(&collider->def, local).distance;
		if (!(distance < *nearest))
			return false;
		*nearest = distance;
		*from = particle;
		*to = drapeTransform_Point(collider->to, local);
		return true;
	}
	MeshPoint closest;
	const MeshShape start = drapeMeshShape_AtStart(&mesh->shape);
	if (!(*nearest > 0.0f) || !drapeMeshShape_Closest(&start, particle, *nearest, &closest))
		return false;
	*nearest = MinNumF(*nearest, closest.distance);
	*from = closest.point;
	*to = V3Add(closest.point, drapeMeshShape_Displacement(&mesh->shape, closest.triangle, closest.weight));
	return true;
}

static bool MayTouch(const drapeWorld* world, const Cloth* cloth, uint32_t slot)
{
	return Filters_Touch(cloth->filter, world->colliders.data[slot].def.filter);
}

// Adds the points of colliders near the particles of a cloth. A held cloth goes by its pins, whatever it touches.
static void AddTouched(drapeWorld* world, const Cloth* cloth, JumpCloth* jump, float dt)
{
	Jumps* jumps = &world->jumps;
	const float reach = 2.0f * Cloth_MostThickness(cloth) + reachShare / jumpShare * jump->least;
	uint32_t first = jumps->points.count, staying = 0;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		float nearest = reach;
		uint32_t found = DRAPE_NONE;
		Vec3 particle = V4Xyz(cloth->active.position[i]), from = particle, to = particle;
		for (uint32_t slot = 0; slot < world->colliderSlots.count; ++slot)
		{
			if (world->colliderSlots.data[slot].isLive && MayTouch(world, cloth, slot) &&
			    FindNear(world, slot, particle, &nearest, &from, &to))
				found = slot;
		}
		if (found == DRAPE_NONE)
			continue;
		JumpPoint point = MakePoint(cloth, from, to, world->colliderSlots.data[found].velocity, dt);
		point.collider = found;
		if (IsJump(&point, jump->least))
			ArrayPush(&jumps->points, point);
		else
			staying++;
	}
	uint32_t going = jumps->points.count - first;
	if (!jump->goes)
	{
		jump->goes = going > staying;
		jump->stays = staying > 0 && !jump->goes;
	}
}

static bool MayJump(const drapeWorld* world, const Cloth* cloth, float size)
{
	for (uint32_t slot = 0; slot < world->colliderSlots.count; ++slot)
	{
		if (IsUsedCollider(world, slot) && ColliderWay(world, slot, size) > jumpShare * size)
			return true;
	}
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		if (cloth->pins.data[i].vertexId != DRAPE_NONE && V3Length(cloth->pins.data[i].way) > jumpShare * size)
			return true;
	}
	return false;
}

// --- search ---------------------------------------------------------------------------------------------------------

static bool Begin(drapeWorld* world)
{
	Jumps* jumps = &world->jumps;
	uint32_t cloths = world->cloths.count, colliders = world->colliderSlots.count;
	if (!ArrayReserve(&jumps->cloths, cloths) || !ArrayReserve(&jumps->colliders, colliders))
		return false;
	jumps->cloths.count = cloths;
	jumps->colliders.count = colliders;
	jumps->points.count = jumps->saved.count = jumps->pinFrom.count = jumps->vertices.count = 0;
	for (uint32_t i = 0; i < cloths; ++i)
		jumps->cloths.data[i] = (JumpCloth){.group = i};
	for (uint32_t i = 0; i < colliders; ++i)
		jumps->colliders.data[i] = (JumpCollider){.group = cloths + i};
	return true;
}

// Cloths that constraints join go together.
static void UniteLinked(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->constraints.list.count; ++i)
	{
		const StoredConstraint* constraint = &world->constraints.list.data[i];
		if (constraint->cloth1[1] > 0 && drapeConstraint_IsOn(world, constraint))
			Unite(&world->jumps, constraint->cloth1[0] - 1, constraint->cloth1[1] - 1);
	}
}

// Finds the points that the cloth depends on and that jump. False when out of memory.
static bool SearchCloth(drapeWorld* world, const Cloth* cloth, float dt)
{
	Jumps* jumps = &world->jumps;
	JumpCloth* jump = &jumps->cloths.data[cloth->slot];
	uint32_t first = jumps->points.count;
	float size = SizeOf(cloth);
	jump->least = jumpShare * size;
	if (!MayJump(world, cloth, size))
		return true;
	if (!ArrayReserve(&jumps->points,
	                  first + cloth->pins.count + world->constraints.list.count + cloth->active.particleCount))
		return false;
	AddPins(jumps, cloth, jump, dt);
	AddAttachments(world, cloth, jump, dt);
	if (!jump->stays)
		AddTouched(world, cloth, jump, dt);
	if (!jump->goes || jump->stays)
		jumps->points.count = first;
	for (uint32_t i = first; i < jumps->points.count; ++i)
	{
		if (jumps->points.data[i].collider != DRAPE_NONE)
			Unite(jumps, cloth->slot, jumps->cloths.count + jumps->points.data[i].collider);
	}
	return true;
}

// --- motions --------------------------------------------------------------------------------------------------------

// Finds the motion of the group with this root. False when it stays.
static bool FindMotion(drapeWorld* world, uint32_t root, RigidMotion* motion)
{
	Jumps* jumps = &world->jumps;
	bool stays = false;
	for (uint32_t i = root; i < jumps->cloths.count; ++i)
		stays |= Root(jumps, i) == root && jumps->cloths.data[i].stays;
	RigidFit fit = {0};
	double ways = 0.0;
	for (uint32_t i = 0; i < jumps->points.count && !stays; ++i)
	{
		const JumpPoint* point = &jumps->points.data[i];
		if (Root(jumps, point->cloth) != root)
			continue;
		Vec3 way = V3Sub(point->to, point->from);
		drapeRigidFit_Add(&fit, point->from, point->to);
		ways += (double)V3Dot(way, way);
	}
	if (stays || fit.count == 0.0)
		return false;
	float residual;
	*motion = drapeRigidFit_Solve(&fit, &residual);
	return residual <= unlikeShare * (float)sqrt(ways / fit.count);
}

// Sums over points of a collider: their ways, and the distances that a motion leaves.
typedef struct Likeness
{
	double ways, left; // m^2
} Likeness;

static void Compare(Likeness* sum, const RigidMotion* motion, Vec3 from, Vec3 to)
{
	Vec3 way = V3Sub(to, from), left = V3Sub(to, RigidMotion_Point(motion, from));
	sum->ways += (double)V3Dot(way, way);
	sum->left += (double)V3Dot(left, left);
}

// The sums over the vertices of a mesh, or four points of another shape. Planes have no size.
static Likeness CompareCollider(const drapeWorld* world, uint32_t slot, const RigidMotion* motion)
{
	const Collider* collider = &world->colliders.data[slot];
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	float radius = mesh ? 0.0f : drapeShape_BoundingRadius(&collider->def);
	Likeness sum = {0.0, 0.0};
	if (!(radius < INFINITY))
		return sum;
	for (uint32_t i = 0; mesh && i < mesh->shape.vertexCount; ++i)
		Compare(&sum, motion, V4Xyz(mesh->shape.from[i]), V4Xyz(mesh->shape.to[i]));
	for (int i = 0; !mesh && i < 4; ++i)
	{
		Vec3 local = {i == 1 ? radius : 0.0f, i == 2 ? radius : 0.0f, i == 3 ? radius : 0.0f};
		Compare(&sum, motion, drapeTransform_Point(collider->from, local), drapeTransform_Point(collider->to, local));
	}
	return sum;
}

// True when a collider as a whole makes the motion, and most of it moves further than `least`, m.
static bool MovesAlike(const drapeWorld* world, uint32_t slot, const RigidMotion* motion, float least)
{
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	const Likeness sum = CompareCollider(world, slot, motion);
	double count = mesh ? (double)mesh->shape.vertexCount : 4.0;
	return sum.ways > count * (double)least * (double)least &&
	       sum.left <= (double)unlikeShare * (double)unlikeShare * sum.ways;
}

// True when the colliders that the cloths of a group touch make the motion as a whole. A body that turns inside out does
// not, although the part under a cloth may. Planes have no size.
static bool CollidersMoveAlike(drapeWorld* world, uint32_t root, const RigidMotion* motion)
{
	Jumps* jumps = &world->jumps;
	for (uint32_t slot = 0; slot < jumps->colliders.count; ++slot)
	{
		bool hasSize =
			world->colliderMeshes.data[slot] || drapeShape_BoundingRadius(&world->colliders.data[slot].def) < INFINITY;
		if (Root(jumps, jumps->cloths.count + slot) == root && hasSize && !MovesAlike(world, slot, motion, 0.0f))
			return false;
	}
	return true;
}

// --- carrying -------------------------------------------------------------------------------------------------------

// The rows of a cloth that a motion changes: positions first, then directions. Returns their number.
static uint32_t RowsOf(const Cloth* cloth, Vec4* rows[carriedRows])
{
	const ClothSimulation* simulation = &cloth->simulation;
	uint32_t count = 0;
	rows[count++] = cloth->active.position;
	rows[count++] = cloth->active.velocity;
	const uint32_t columns[] = {simulation->historyPosition, simulation->historyVelocity, simulation->frictionState};
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i)
	{
		if (columns[i] != DRAPE_NONE)
			rows[count++] = Cloth_Rows(cloth, columns[i]);
	}
	return count;
}

static bool IsPosition(uint32_t row)
{
	return row == 0 || row == 2;
}

static void MoveRow(Vec4* row, uint32_t count, const RigidMotion* motion, bool isPosition)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 old = V4Xyz(row[i]);
		Vec3 x = isPosition ? RigidMotion_Point(motion, old) : Quat_Rotate(motion->rotation, old);
		row[i] = (Vec4){x.x, x.y, x.z, row[i].w};
	}
}

void drapeCloth_MoveRigidly(Cloth* cloth, const RigidMotion* motion)
{
	Vec4* rows[carriedRows];
	uint32_t count = RowsOf(cloth, rows);
	for (uint32_t k = 0; k < count; ++k)
		MoveRow(rows[k], cloth->active.particleCount, motion, IsPosition(k));
}

// `isHeld`: pins that hold the cloth go along in any case.
static void CarryCloth(Jumps* jumps, Cloth* cloth, const RigidMotion* motion, bool isHeld)
{
	JumpCloth* jump = &jumps->cloths.data[cloth->slot];
	Vec4* rows[carriedRows];
	uint32_t count = RowsOf(cloth, rows), particles = cloth->active.particleCount;
	jump->isCarried = true;
	jump->savedRows = jumps->saved.count;
	jump->savedPins = jumps->pinFrom.count;
	for (uint32_t k = 0; k < count; ++k)
	{
		memcpy(jumps->saved.data + jumps->saved.count, rows[k], particles * sizeof(Vec4));
		jumps->saved.count += particles;
	}
	drapeCloth_MoveRigidly(cloth, motion);
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		Pin* pin = &cloth->pins.data[i];
		ArrayPush(&jumps->pinFrom, pin->from);
		Vec3 carried = RigidMotion_Point(motion, pin->from);
		bool isNearer = V3Length(V3Sub(pin->to, carried)) < V3Length(pin->way);
		if (pin->vertexId != DRAPE_NONE && !pin->isOff && ((isHeld && IsHolding(pin)) || isNearer))
			pin->from = carried;
	}
}

static void CarryCollider(drapeWorld* world, uint32_t slot, const RigidMotion* motion)
{
	Jumps* jumps = &world->jumps;
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	JumpCollider* jump = &jumps->colliders.data[slot];
	jump->isCarried = true;
	jump->from = world->colliders.data[slot].from;
	jump->savedVertices = jumps->vertices.count;
	for (uint32_t i = 0; mesh && i < mesh->shape.vertexCount; ++i)
		ArrayPush(&jumps->vertices, V4Xyz(mesh->shape.from[i]));
	drapeScenery_Carry(world, slot, motion);
}

static bool ReserveSaved(drapeWorld* world)
{
	uint32_t rows = 0, pins = 0, vertices = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		rows += drapeCloth_IsUsed(cloth) ? carriedRows * cloth->active.particleCount : 0;
		pins += drapeCloth_IsUsed(cloth) ? cloth->pins.count : 0;
	}
	for (uint32_t i = 0; i < world->colliderMeshes.count; ++i)
		vertices += world->colliderMeshes.data[i] ? world->colliderMeshes.data[i]->vertexCount : 0;
	return ArrayReserve(&world->jumps.saved, rows) && ArrayReserve(&world->jumps.pinFrom, pins) &&
	       ArrayReserve(&world->jumps.vertices, vertices);
}

// Carries the cloths of a group, the colliders that they touch, and the others that make the same motion.
static void CarryGroup(drapeWorld* world, uint32_t root, const RigidMotion* motion)
{
	Jumps* jumps = &world->jumps;
	for (uint32_t i = root; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (Root(jumps, i) != root || !drapeCloth_IsUsed(cloth) || jumps->cloths.data[i].isCarried)
			continue;
		CarryCloth(jumps, cloth, motion, true);
		cloth->costs.isCarried = true;
	}
	for (uint32_t slot = 0; slot < world->colliderSlots.count; ++slot)
	{
		if (!IsUsedCollider(world, slot) || jumps->colliders.data[slot].isCarried)
			continue;
		if (Root(jumps, jumps->cloths.count + slot) == root ||
		    MovesAlike(world, slot, motion, jumps->cloths.data[root].least))
			CarryCollider(world, slot, motion);
	}
	drapeContactCache_Turn(&world->contact.cache, motion->rotation);
	jumps->hasCarried = true;
}

// --- frames ---------------------------------------------------------------------------------------------------------

static bool HasMovingFrame(const Cloth* cloth)
{
	return drapeCloth_IsUsed(cloth) && cloth->frame.isSet &&
	       (cloth->inertia.linear < 1.0f || cloth->inertia.angular < 1.0f) &&
	       !drapeTransform_Equal(cloth->frame.from, cloth->frame.to);
}

// The motion of a frame within the step, with shares of its translation and rotation.
static RigidMotion FrameMotion(const ClothFrame* frame, float linear, float angular)
{
	const Quat none = drapeIdentityTransform().rotation;
	Vec3 way = V3Sub(frame->to.position, frame->from.position);
	Quat turn = drapeQuat_Normalize(Quat_Multiply(frame->to.rotation, Quat_Conjugate(frame->from.rotation)));
	DRAPE_ASSERT(linear >= 0.0f && linear <= 1.0f && angular >= 0.0f && angular <= 1.0f);
	return (RigidMotion){.from = frame->from.position,
	                     .to = V3Add(frame->from.position, V3Scale(linear, way)),
	                     .rotation = drapeQuat_Slerp(none, turn, angular)};
}

// True if the whole motion of a frame brings a collider nearer to where its step ends.
static bool FollowsFrame(const drapeWorld* world, uint32_t slot, const RigidMotion* motion)
{
	const Likeness sum = CompareCollider(world, slot, motion);
	return sum.left < sum.ways;
}

// Carries the cloth, and the colliders that follow its frame.
static bool CarryFrame(drapeWorld* world, Cloth* cloth)
{
	Jumps* jumps = &world->jumps;
	const RigidMotion whole = FrameMotion(&cloth->frame, 1.0f, 1.0f);
	const RigidMotion motion = FrameMotion(&cloth->frame, 1.0f - cloth->inertia.linear, 1.0f - cloth->inertia.angular);
	drapeHashMap_Clear(&jumps->turned.keys);
	if (cloth->contact == drape_contactAll && motion.rotation.w < 1.0f)
	{
		if (!drapeCachedVertices_AddCloth(&jumps->turned, &cloth->active, Cloth_ContactName(cloth)))
			return false;
		drapeContactCache_TurnOf(&world->contact.cache, &jumps->turned, motion.rotation);
	}
	CarryCloth(jumps, cloth, &motion, false);
	for (uint32_t slot = 0; slot < world->colliderSlots.count; ++slot)
	{
		if (!IsUsedCollider(world, slot) || jumps->colliders.data[slot].isCarried || !FollowsFrame(world, slot, &whole))
			continue;
		CarryCollider(world, slot, &motion);
		drapeScenery_Settle(world, slot);
	}
	jumps->hasCarried = true;
	return true;
}

// Carries all cloths whose frames move. False when out of memory.
static bool CarryFrames(drapeWorld* world)
{
	bool isReserved = false;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!HasMovingFrame(cloth))
			continue;
		if (!isReserved && !ReserveSaved(world))
			return false;
		isReserved = true;
		if (!CarryFrame(world, cloth))
			return false;
	}
	if (isReserved)
		drapeScenery_FindMoving(world);
	return true;
}

// Carries all groups that jump. False when out of memory.
static bool CarryAll(drapeWorld* world, float dt)
{
	Jumps* jumps = &world->jumps;
	DRAPE_ASSERT(dt > 0.0f);
	jumps->hasCarried = false;
	if (!Begin(world) || !CarryFrames(world))
		return false;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (Cloth_IsAwake(world->cloths.data[i]) && !jumps->cloths.data[i].isCarried &&
		    !SearchCloth(world, world->cloths.data[i], dt))
			return false;
	}
	if (jumps->points.count > 0)
		UniteLinked(world);
	if (jumps->points.count > 0 && !ReserveSaved(world))
		return false;
	for (uint32_t i = 0; jumps->points.count > 0 && i < world->cloths.count; ++i)
	{
		RigidMotion motion;
		if (Root(jumps, i) == i && FindMotion(world, i, &motion) && CollidersMoveAlike(world, i, &motion))
			CarryGroup(world, i, &motion);
	}
	if (jumps->hasCarried)
		drapeScenery_Relist(world);
	return true;
}

// --- pins that jump away --------------------------------------------------------------------------------------------

// The pins of a cloth that stays are made loose if they jump.
static void LoosenPins(Cloth* cloth, const JumpCloth* jump, float dt)
{
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		Pin* pin = &cloth->pins.data[i];
		JumpPoint point = MakePoint(cloth, pin->from, pin->to, pin->velocity, dt);
		if (IsHolding(pin) && IsJump(&point, jump->least))
			drapePin_Loosen(cloth, pin);
	}
}

bool drapeJumps_Carry(drapeWorld* world, float dt)
{
	if (!CarryAll(world, dt))
		return false;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const JumpCloth* jump = &world->jumps.cloths.data[i];
		if (jump->hasJumpingPin && !jump->isCarried)
			LoosenPins(world->cloths.data[i], jump, dt);
	}
	return true;
}

// --- undo -----------------------------------------------------------------------------------------------------------

static void PutBackCloth(const Jumps* jumps, Cloth* cloth)
{
	const JumpCloth* jump = &jumps->cloths.data[cloth->slot];
	Vec4* rows[carriedRows];
	uint32_t count = RowsOf(cloth, rows), particles = cloth->active.particleCount;
	for (uint32_t k = 0; k < count; ++k)
		memcpy(rows[k], jumps->saved.data + jump->savedRows + k * particles, particles * sizeof(Vec4));
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
		cloth->pins.data[i].from = jumps->pinFrom.data[jump->savedPins + i];
}

void drapeJumps_Undo(drapeWorld* world)
{
	Jumps* jumps = &world->jumps;
	if (!jumps->hasCarried)
		return;
	jumps->hasCarried = false;
	for (uint32_t i = 0; i < jumps->cloths.count; ++i)
	{
		if (jumps->cloths.data[i].isCarried)
			PutBackCloth(jumps, world->cloths.data[i]);
	}
	for (uint32_t slot = 0; slot < jumps->colliders.count; ++slot)
	{
		const JumpCollider* jump = &jumps->colliders.data[slot];
		if (jump->isCarried)
			drapeScenery_PutBack(world, slot, jump->from, jumps->vertices.data + jump->savedVertices);
	}
}
