// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// Particles against colliders, eight particles at a time. Most eights are far from all colliders and cost a comparison
// with the bounds of each. The rest go through Respond, which is straight arithmetic for all shapes except in the few
// lanes that need a sweep.

enum
{
	maxFrames = 32, // colliders per round
};

#define FARTHEST 1e15f // m and m/s: particles beyond are ignored, so that no square overflows

// --- colliders during a substep -------------------------------------------------------------------------------------

// A placement with its rotation as a matrix.
typedef struct Pose
{
	Vec3 origin;
	Mat3 axes;
	float scale, inverseScale;
} Pose;

typedef struct Frame
{
	const drapeColliderDef* shape;
	Pose from, to; // at the beginning and the end of the substep
	bool moves;
	Vec3 shift;     // of the origin, m
	Vec3 low, high; // m: bounds of the collider during the substep, with the thickness
	float friction; // of cloth and collider
} Frame;

typedef struct FrameSet
{
	Frame frames[maxFrames];
	uint32_t count;
	float thickness;
	float inverseDt;
} FrameSet;

static Pose Pose_Make(Transform t)
{
	DRAPE_ASSERT(t.scale > 0.0f);
	return (Pose){t.position, Mat3_FromQuat(t.rotation), t.scale, 1.0f / t.scale};
}

static Vec3 Pose_ToLocal(const Pose* pose, Vec3 point)
{
	return V3Scale(pose->inverseScale, Mat3_TransposeMultiply(&pose->axes, V3Sub(point, pose->origin)));
}

// The origin moves linearly, so that the box around both bounding spheres contains all between them.
static void Frame_SetBounds(Frame* frame, float thickness)
{
	Vec3 a = frame->from.origin, b = frame->to.origin;
	float radius = drapeShape_BoundingRadius(frame->shape) * MaxNumF(frame->from.scale, frame->to.scale) + thickness;
	radius += 1e-5f * (radius + V3MaxAbs(a) + V3MaxAbs(b) + 1.0f); // rounding
	frame->low = (Vec3){MinNumF(a.x, b.x) - radius, MinNumF(a.y, b.y) - radius, MinNumF(a.z, b.z) - radius};
	frame->high = (Vec3){MaxNumF(a.x, b.x) + radius, MaxNumF(a.y, b.y) + radius, MaxNumF(a.z, b.z) + radius};
}

// Up to maxFrames colliders from `first` on. The set is on the stack: a substep allocates nothing.
static void FrameSet_Fill(FrameSet* set, const ContactDef* def, uint32_t first)
{
	DRAPE_ASSERT(first < def->colliderCount && def->fromFraction <= def->toFraction);
	set->count = MinU32(def->colliderCount - first, maxFrames);
	set->thickness = def->thickness;
	set->inverseDt = def->dt > 0.0f ? 1.0f / def->dt : 0.0f;
	for (uint32_t i = 0; i < set->count; ++i)
	{
		const Collider* collider = &def->colliders[first + i];
		Frame* frame = &set->frames[i];
		Transform from = drapeCollider_At(collider, def->fromFraction),
				  to = drapeCollider_At(collider, def->toFraction);
		frame->shape = &collider->def;
		frame->from = Pose_Make(from);
		frame->to = Pose_Make(to);
		frame->moves = !drapeTransform_Equal(from, to);
		frame->shift = V3Sub(to.position, from.position);
		frame->friction = def->friction * collider->def.friction;
		Frame_SetBounds(frame, MaxF(def->thickness, def->mostThickness));
	}
}

bool drapeContact_Contains(const ContactDef* def, Vec3 point)
{
	float fraction = def->toFraction;
	for (uint32_t i = 0; i < def->colliderCount; ++i)
	{
		const Collider* collider = &def->colliders[i];
		float nearest = MaxNumF(collider->from.scale, collider->to.scale) * drapeShape_BoundingRadius(&collider->def);
		Vec3 a = collider->from.position, b = collider->to.position;
		Vec3 origin = V3Add(V3Scale(1.0f - fraction, a), V3Scale(fraction, b));
		float radius = 1.0001f * nearest + 1e-6f * V3MaxAbs(origin);
		Vec3 towards = V3Sub(point, origin);
		if (V3Dot(towards, towards) > radius * radius)
			continue;
		Vec3 local = Transform_InversePoint(drapeCollider_At(collider, fraction), point);
		if (drapeShape_Contains(&collider->def, local))
			return true;
	}
	for (uint32_t i = 0; i < def->meshCount; ++i)
	{
		if (drapeMeshCollider_Contains(&def->meshes[i], fraction, point))
			return true;
	}
	return false;
}

// Bound of the rounding error of a position in the collider's frame, m: a few units in the last place of the numbers
// between world and shape. With it a resting particle touches, no matter how its position was rounded.
static float Slop(Vec3 position, Vec3 local, float scale)
{
	return 1e-6f * (0.1f + V3MaxAbs(position) + scale * V3MaxAbs(local));
}

DRAPE_INLINE F8 WideSlop(V8 position, V8 local, float scale)
{
	F8 size = F8_Add(V8_MaxAbs(position), F8_Mul(F8_Splat(scale), V8_MaxAbs(local)));
	return F8_Mul(F8_Splat(1e-6f), F8_Add(F8_Splat(0.1f), size));
}

bool drapeContact_ContainsAround(const ContactDef* def, Vec3 point, float searchRadius, float* clearance)
{
	DRAPE_ASSERT(searchRadius >= 0.0f && clearance);
	const ContactDef shapes = {
		.colliders = def->colliders, .colliderCount = def->colliderCount, .toFraction = def->toFraction};
	bool isInside = drapeContact_Contains(&shapes, point);
	*clearance = 0.999f * searchRadius;
	for (uint32_t i = 0; i < def->colliderCount; ++i)
	{
		const Collider* collider = &def->colliders[i];
		Transform placement = drapeCollider_At(collider, def->toFraction);
		Vec3 local = Transform_InversePoint(placement, point);
		float distance = 0.999f * placement.scale * fabsf(drapeShape_Closest(&collider->def, local).distance);
		*clearance = MinF(*clearance, MaxF(distance - 2.0f * Slop(point, local, placement.scale), 0.0f));
	}
	for (uint32_t i = 0; i < def->meshCount; ++i)
	{
		float own;
		isInside |= drapeMeshCollider_ContainsAround(&def->meshes[i], point, searchRadius, &own);
		*clearance = MinF(*clearance, own);
	}
	return isInside;
}

// --- out of all, one point ------------------------------------------------------------------------------------------

// Points x with dot(normal, x) >= offset are outside.
typedef struct HalfSpace
{
	Vec3 normal;
	float offset;
} HalfSpace;

// Finds the collider that the point is deepest in, as the half-space in front of its closest point. False when the
// point is in no collider.
static bool FindDeepest(const FrameSet* set, float thickness, Vec3 point, HalfSpace* outside)
{
	float deepest = 0.0f;
	for (uint32_t i = 0; i < set->count; ++i)
	{
		const Frame* frame = &set->frames[i];
		if (point.x < frame->low.x || point.y < frame->low.y || point.z < frame->low.z || point.x > frame->high.x ||
		    point.y > frame->high.y || point.z > frame->high.z)
			continue;
		Vec3 local = Pose_ToLocal(&frame->to, point);
		Closest closest = drapeShape_Closest(frame->shape, local);
		float depth = thickness - frame->to.scale * closest.distance;
		if (depth > Slop(point, local, frame->to.scale) && depth > deepest)
		{
			deepest = depth;
			outside->normal = Mat3_Multiply(&frame->to.axes, closest.normal);
			outside->offset = V3Dot(outside->normal, point) + depth;
		}
	}
	return deepest > 0.0f;
}

// Moves x towards the closest point of the line in which the boundaries of two half-spaces intersect. Boundaries that
// face each other intersect far away, where a curved shape has long turned off. So the displacement is at most a few
// times the depths.
static Vec3 TowardsBoth(HalfSpace a, HalfSpace b, Vec3 x)
{
	DRAPE_ASSERT(V3IsFinite(x));
	float cosine = V3Dot(a.normal, b.normal), determinant = 1.0f - cosine * cosine;
	if (determinant < 1e-9f)
		return x;
	float needA = a.offset - V3Dot(a.normal, x), needB = b.offset - V3Dot(b.normal, x);
	float alongA = (needA - cosine * needB) / determinant, alongB = (needB - cosine * needA) / determinant;
	Vec3 move = V3Add(V3Scale(alongA, a.normal), V3Scale(alongB, b.normal));
	float length = V3Length(move), farthest = 4.0f * (fabsf(needA) + fabsf(needB));
	return V3Add(x, length > farthest ? V3Scale(farthest / length, move) : move);
}

// Shapes are convex, so that the space in front of the plane of a closest point is outside the whole shape. One
// collider needs one push. Between two, such as floor and wall, or a ball on the floor, the second push may lead back
// into the first; then the point moves to the intersection of both planes, which is outside both. False when no
// position is found, between two colliders that face each other.
static bool LeaveAll(const FrameSet* set, float thickness, Vec3* position)
{
	HalfSpace last = {{0.0f, 0.0f, 0.0f}, 0.0f}, next = last;
	DRAPE_ASSERT(set->count <= maxFrames);
	for (int i = 0; i < 16; ++i)
	{
		if (!FindDeepest(set, thickness, *position, &next))
			return true;
		Vec3 x = V3Add(*position, V3Scale(next.offset - V3Dot(next.normal, *position), next.normal));
		if (i > 0 && V3Dot(last.normal, x) < last.offset)
			x = TowardsBoth(last, next, *position);
		*position = x;
		last = next;
	}
	return false;
}

bool drapeContact_PushOut(const ContactDef* def, Vec3* position)
{
	if (!(V3MaxAbs(*position) < FARTHEST))
		return false;
	ContactDef now = *def;
	now.fromFraction = now.toFraction;
	Vec3 before = *position;
	FrameSet set;
	int rounds = def->colliderCount > maxFrames || (def->meshCount > 0 && def->colliderCount > 0) ? 2 : 1;
	for (int round = 0; round < rounds; ++round)
	{
		for (uint32_t first = 0; first < def->colliderCount; first += maxFrames)
		{
			FrameSet_Fill(&set, &now, first);
			LeaveAll(&set, def->thickness, position);
		}
		for (uint32_t i = 0; i < def->meshCount; ++i)
			drapeMeshCollider_PushOut(&def->meshes[i], &now, position);
	}
	return before.x != position->x || before.y != position->y || before.z != position->z;
}

// --- eight particles ------------------------------------------------------------------------------------------------

typedef struct Block
{
	V8 position, previous, velocity;
	F8 thickness; // m
	F8 friction;  // factor
	M8 isFree;    // not pinned, not beyond FARTHEST
} Block;

// Eight vectors in memory, for access to single lanes.
static void Store3(float lanes[3][8], V8 a)
{
	F8_Store(lanes[0], a.x);
	F8_Store(lanes[1], a.y);
	F8_Store(lanes[2], a.z);
}

static V8 Load3(float lanes[3][8])
{
	return (V8){F8_Load(lanes[0]), F8_Load(lanes[1]), F8_Load(lanes[2])};
}

static Vec3 Lane3(float lanes[3][8], int i)
{
	return (Vec3){lanes[0][i], lanes[1][i], lanes[2][i]};
}

static void SetLane3(float lanes[3][8], int i, Vec3 a)
{
	lanes[0][i] = a.x;
	lanes[1][i] = a.y;
	lanes[2][i] = a.z;
}

DRAPE_INLINE V8 WideToLocal(const Pose* pose, V8 point)
{
	V8 d = V8_Sub(point, V8_Splat(pose->origin));
	V8 along = {V8_Dot(V8_Splat(pose->axes.x), d), V8_Dot(V8_Splat(pose->axes.y), d),
	            V8_Dot(V8_Splat(pose->axes.z), d)};
	return V8_Scale(F8_Splat(pose->inverseScale), along);
}

DRAPE_INLINE V8 WideTurn(const Mat3* m, V8 v)
{
	V8 sum = V8_Scale(v.x, V8_Splat(m->x));
	sum = V8_AddScaled(sum, v.y, V8_Splat(m->y));
	return V8_AddScaled(sum, v.z, V8_Splat(m->z));
}

// Displacement of the collider's own points during the substep.
DRAPE_INLINE V8 WideCarried(const Frame* frame, V8 local)
{
	if (!frame->moves)
		return V8_Splat((Vec3){0.0f, 0.0f, 0.0f});
	V8 to = V8_Scale(F8_Splat(frame->to.scale), WideTurn(&frame->to.axes, local));
	V8 from = V8_Scale(F8_Splat(frame->from.scale), WideTurn(&frame->from.axes, local));
	return V8_Add(V8_Sub(to, from), V8_Splat(frame->shift));
}

// Lanes whose segment intersects the frame's bounds.
DRAPE_INLINE M8 WideNear(const Frame* frame, const Block* block)
{
	const V8 *p = &block->position, *q = &block->previous;
	M8 x =
		M8_And(F8_Le(F8_Min(p->x, q->x), F8_Splat(frame->high.x)), F8_Le(F8_Splat(frame->low.x), F8_Max(p->x, q->x)));
	M8 y =
		M8_And(F8_Le(F8_Min(p->y, q->y), F8_Splat(frame->high.y)), F8_Le(F8_Splat(frame->low.y), F8_Max(p->y, q->y)));
	M8 z =
		M8_And(F8_Le(F8_Min(p->z, q->z), F8_Splat(frame->high.z)), F8_Le(F8_Splat(frame->low.z), F8_Max(p->z, q->z)));
	return M8_And(block->isFree, M8_And(x, M8_And(y, z)));
}

// Contacts of eight particles with a collider.
typedef struct Touch
{
	V8 local;  // positions now, in the shape's space
	V8 travel; // m, in the world: displacements relative to the collider, whose motion is taken off
	V8 normal; // unit, in the world
	F8 depth;  // m: displacement along the normal that leaves the collider; may be a little below zero
	F8 slop;
	M8 touching;
} Touch;

// In the shape's space: the plane through which a particle entered, and its depth behind it now. False when the
// particle was inside before, or never entered.
static bool FindEntry(const drapeColliderDef* shape, float margin, float slop, Vec3 before, Vec3 now, Vec3* normal,
                      float* depth)
{
	DRAPE_ASSERT(margin >= 0.0f && slop >= 0.0f);
	Vec3 displacement = V3Sub(now, before);
	Closest start = drapeShape_Closest(shape, before);
	if (start.distance < margin - slop)
		return false;
	float fraction = 0.0f;
	if (start.distance < margin + slop && V3Dot(start.normal, displacement) < 0.0f)
		*normal = start.normal;
	else if (!drapeShape_Sweep(shape, margin, before, now, &fraction, normal))
		return false;
	*depth = (fraction - 1.0f) * V3Dot(*normal, displacement);
	return true;
}

// Sweeps the lanes in `bits`. If the entry and the closest point agree on the side, the closest point stays: its normal
// is that at the position of the particle.
static void SweepLanes(const Frame* frame, const Block* block, uint32_t bits, Touch* touch)
{
	float before[3][8], now[3][8], normal[3][8], depth[8], slop[8], thickness[8];
	Store3(before, WideToLocal(&frame->from, block->previous));
	Store3(now, touch->local);
	Store3(normal, touch->normal);
	F8_Store(depth, F8_Blend(touch->touching, touch->depth, F8_Splat(-INFINITY)));
	F8_Store(slop, touch->slop);
	F8_Store(thickness, block->thickness);
	float inverse = frame->to.inverseScale;
	for (; bits != 0; bits &= bits - 1)
	{
		int i = __builtin_ctz(bits);
		Vec3 entry;
		float behind;
		if (!FindEntry(frame->shape, thickness[i] * inverse, slop[i] * inverse, Lane3(before, i), Lane3(now, i), &entry,
		               &behind))
			continue;
		entry = Mat3_Multiply(&frame->to.axes, entry);
		bool sameSide = V3Dot(entry, Lane3(normal, i)) > 0.5f;
		if (sameSide && depth[i] > -INFINITY)
			continue;
		SetLane3(normal, i, entry);
		depth[i] = frame->to.scale * behind;
	}
	touch->normal = Load3(normal);
	touch->depth = F8_Load(depth);
	touch->touching = F8_Gt(touch->depth, F8_Splat(-INFINITY));
}

static Touch FindTouch(const Frame* frame, const Block* block, M8 near)
{
	Touch touch;
	V8 localNormal;
	F8 distance;
	touch.local = WideToLocal(&frame->to, block->position);
	drapeShape_ClosestWide(frame->shape, &touch.local, &distance, &localNormal);
	distance = F8_Mul(F8_Splat(frame->to.scale), distance);
	touch.normal = WideTurn(&frame->to.axes, localNormal);
	touch.travel = V8_Sub(block->position, block->previous);
	if (frame->moves)
		touch.travel = V8_Sub(touch.travel, WideCarried(frame, WideToLocal(&frame->from, block->previous)));
	touch.slop = WideSlop(block->position, touch.local, frame->to.scale);
	touch.depth = F8_Sub(block->thickness, distance);
	touch.touching = M8_And(near, F8_Lt(distance, F8_Add(block->thickness, touch.slop)));

	// Was the particle in front of this plane before, at least by half the thickness? Then it came from this side, and
	// the shape was never between, because the distance is convex along the segment.
	F8 front = F8_Sub(distance, V8_Dot(touch.normal, touch.travel));
	F8 limit = F8_Sub(F8_Mul(F8_Splat(0.5f), block->thickness), touch.slop);
	uint32_t unsure = M8_Bits(M8_And(near, F8_Lt(front, limit)));
	if (unsure != 0)
		SweepLanes(frame, block, unsure, &touch);
	return touch;
}

// Inelastic, with Coulomb friction: removes the approach, and as much of the sliding as friction can, at most all of
// it. Removes the same share of the displacement since the particle touched; otherwise a sticking particle would creep
// by the square of the substep in each substep.
static void ApplyResponse(const FrameSet* set, const Frame* frame, const Touch* touch, Block* block)
{
	F8 zero = F8_Splat(0.0f), one = F8_Splat(1.0f), tiny = F8_Splat(1e-30f);
	V8 normal = touch->normal;
	F8 push = F8_Max(touch->depth, zero);

	V8 surface = touch->local;
	if (frame->moves)
		surface = WideToLocal(&frame->to, V8_AddScaled(block->position, push, normal));
	V8 surfaceVelocity = V8_Scale(F8_Splat(set->inverseDt), WideCarried(frame, surface));
	V8 relative = V8_Sub(block->velocity, surfaceVelocity);
	F8 outward = V8_Dot(relative, normal);
	F8 removed = F8_Max(F8_Neg(outward), zero);
	V8 sliding = V8_AddScaled(relative, F8_Neg(outward), normal);
	F8 speed = F8_Max(F8_Sqrt(V8_Dot(sliding, sliding)), tiny);
	F8 friction = F8_Mul(F8_Splat(frame->friction), block->friction);
	F8 share = F8_Min(F8_Div(F8_Mul(friction, removed), speed), one);

	F8 inward = F8_Neg(V8_Dot(touch->travel, normal));
	V8 slid = V8_AddScaled(touch->travel, inward, normal);
	F8 sinceTouch = F8_Min(F8_Div(F8_Add(push, touch->slop), F8_Max(inward, tiny)), one);
	F8 back = F8_Neg(F8_Mul(share, sinceTouch));

	V8 position = V8_AddScaled(V8_AddScaled(block->position, push, normal), back, slid);
	V8 velocity = V8_AddScaled(V8_AddScaled(block->velocity, removed, normal), F8_Neg(share), sliding);
	block->position = V8_Blend(touch->touching, position, block->position);
	block->velocity = V8_Blend(touch->touching, velocity, block->velocity);
}

// Returns the lanes that touch the collider; *pushed are the lanes that it moved.
static uint32_t Respond(const FrameSet* set, const Frame* frame, M8 lanes, Block* block, uint32_t* pushed)
{
	*pushed = 0;
	M8 near = M8_And(lanes, WideNear(frame, block));
	if (M8_Bits(near) == 0)
		return 0;
	Touch touch = FindTouch(frame, block, near);
	uint32_t touching = M8_Bits(touch.touching);
	if (touching == 0)
		return 0;
	ApplyResponse(set, frame, &touch, block);
	*pushed = touching & M8_Bits(F8_Gt(touch.depth, touch.slop));
	return touching;
}

static M8 LaneMask(uint32_t bits)
{
	float lanes[8];
	for (int i = 0; i < 8; ++i)
		lanes[i] = (float)(bits >> i & 1);
	return F8_Gt(F8_Load(lanes), F8_Splat(0.0f));
}

// A particle without a position outside all colliders returns to its position before the substep, as if stuck in a
// crevice.
static void LeaveAllLanes(const FrameSet* set, uint32_t bits, Block* block)
{
	float now[3][8], before[3][8], thickness[8];
	Store3(now, block->position);
	Store3(before, block->previous);
	F8_Store(thickness, block->thickness);
	for (; bits != 0; bits &= bits - 1)
	{
		int i = __builtin_ctz(bits);
		Vec3 position = Lane3(now, i);
		if (!LeaveAll(set, thickness[i], &position))
		{
			position = Lane3(before, i);
			LeaveAll(set, thickness[i], &position);
		}
		SetLane3(now, i, position);
	}
	block->position = Load3(now);
}

// Each collider in turn. Then, for each particle, the colliders before one that pushed it, because the push may lead
// into them. If one of these pushes again, a search for a position outside all.
static uint32_t RespondToAll(const FrameSet* set, Block* block)
{
	DRAPE_ASSERT(set->count <= maxFrames);
	uint32_t pushed[maxFrames], touching = 0, later = 0, again = 0;
	for (uint32_t i = 0; i < set->count; ++i)
		touching |= Respond(set, &set->frames[i], block->isFree, block, &pushed[i]);
	for (uint32_t i = set->count; i-- > 1;)
	{
		later |= pushed[i];
		if (later == 0)
			continue;
		uint32_t back;
		touching |= Respond(set, &set->frames[i - 1], LaneMask(later), block, &back);
		again |= back;
	}
	if (again != 0)
		LeaveAllLanes(set, again, block);
	return touching;
}

static bool IsNearAny(const FrameSet* set, const Block* block)
{
	for (uint32_t i = 0; i < set->count; ++i)
	{
		if (M8_Bits(WideNear(&set->frames[i], block)) != 0)
			return true;
	}
	return false;
}

static void StoreLanes(const Block* block, uint32_t bits, Vec4* position, Vec4* velocity)
{
	float x[3][8], v[3][8];
	Store3(x, block->position);
	Store3(v, block->velocity);
	for (; bits != 0; bits &= bits - 1)
	{
		int i = __builtin_ctz(bits);
		position[i] = (Vec4){x[0][i], x[1][i], x[2][i], position[i].w};
		velocity[i] = (Vec4){v[0][i], v[1][i], v[2][i], velocity[i].w};
	}
}

// Factors of eight particles; NULL for 1.
typedef struct Factors
{
	const float *thickness, *friction;
} Factors;

// Eight rows of each array; pinned particles have position.w = 0. Returns the lanes that touch.
static uint32_t ResolveRows(const FrameSet* set, Vec4* position, Vec4* velocity, const Vec4* previous, Factors factors)
{
	Block block = {.thickness = F8_Splat(set->thickness), .friction = F8_Splat(1.0f)};
	if (factors.thickness)
		block.thickness = F8_Mul(block.thickness, F8_Load(factors.thickness));
	if (factors.friction)
		block.friction = F8_Load(factors.friction);
	F8 inverseMass, unused, farthest = F8_Splat(FARTHEST);
	F8_LoadRows(position, &block.position.x, &block.position.y, &block.position.z, &inverseMass);
	F8_LoadRows(previous, &block.previous.x, &block.previous.y, &block.previous.z, &unused);
	block.isFree = F8_Gt(inverseMass, F8_Splat(0.0f));
	if (!IsNearAny(set, &block))
		return 0;
	F8_LoadRows(velocity, &block.velocity.x, &block.velocity.y, &block.velocity.z, &unused);
	F8 size = F8_Max(V8_MaxAbs(block.position), V8_MaxAbs(block.previous));
	block.isFree = M8_And(block.isFree, F8_Lt(F8_Max(size, V8_MaxAbs(block.velocity)), farthest));
	uint32_t touching = RespondToAll(set, &block);
	if (touching != 0)
		StoreLanes(&block, touching, position, velocity);
	return touching;
}

// The last rows, padded with rows that count as pinned.
static uint32_t ResolveTail(const FrameSet* set, Vec4* position, Vec4* velocity, const Vec4* previous, Factors factors,
                            uint32_t count)
{
	DRAPE_ASSERT(count > 0 && count < 8);
	Vec4 rows[3][8] = {0};
	float own[2][8] = {0};
	if (factors.thickness)
		factors.thickness = memcpy(own[0], factors.thickness, count * sizeof(float));
	if (factors.friction)
		factors.friction = memcpy(own[1], factors.friction, count * sizeof(float));
	memcpy(rows[0], position, count * sizeof(Vec4));
	memcpy(rows[1], velocity, count * sizeof(Vec4));
	memcpy(rows[2], previous, count * sizeof(Vec4));
	uint32_t touching = ResolveRows(set, rows[0], rows[1], rows[2], factors);
	memcpy(position, rows[0], count * sizeof(Vec4));
	memcpy(velocity, rows[1], count * sizeof(Vec4));
	return touching;
}

// Bit i of `words` is set when the particle at start + i touches.
static void ResolveRange(const ContactDef* def, const FrameSet* set, ActiveMesh* mesh, const Vec4* previous,
                         uint64_t* words, uint32_t start, uint32_t count)
{
	for (uint32_t i = 0; i < count; i += 8)
	{
		Vec4 *position = &mesh->position[start + i], *velocity = &mesh->velocity[start + i];
		const Vec4* before = &previous[start + i];
		const Factors factors = {
			.thickness = def->thicknessFactor ? &def->thicknessFactor[start + i] : NULL,
			.friction = def->frictionFactor ? &def->frictionFactor[start + i] : NULL,
		};
		uint32_t touching = count - i >= 8 ? ResolveRows(set, position, velocity, before, factors)
		                                   : ResolveTail(set, position, velocity, before, factors, count - i);
		words[i / 64] |= (uint64_t)touching << (i % 64);
	}
}

// One particle and all meshes.
static bool ResolveParticle(const ContactDef* def, Vec3 previous, MeshNearCache* near, Vec4* position, Vec4* velocity)
{
	if (near && def->meshCount == 1)
		return drapeMeshCollider_Resolve(&def->meshes[0], def, previous, near, position, velocity);
	float least = INFINITY;
	bool touches = false;
	for (uint32_t k = 0; k < def->meshCount; ++k)
	{
		MeshNearCache own = {0};
		touches |= drapeMeshCollider_Resolve(&def->meshes[k], def, previous, &own, position, velocity);
		least = MinNumF(least, own.clearance);
	}
	// A push by one mesh may lead nearer to others.
	if (near)
		*near = (MeshNearCache){.position = V4Xyz(*position), .clearance = touches ? 0.0f : least};
	return touches;
}

// Lanes of eight particles that stay farther from all meshes than the thickness, by their cached clearance
// (MeshNearCache_Clearance).
DRAPE_INLINE M8 StaysClear(const ContactDef* def, const MeshNearCache* near, const Block* block)
{
	enum
	{
		row = sizeof(MeshNearCache),
	};
	static const uint32_t offset[8] = {0, row, 2 * row, 3 * row, 4 * row, 5 * row, 6 * row, 7 * row};
	const F8 more = F8_Splat(1.0001f);
	V8 cached;
	F8 clearance;
	F8_GatherAt(near, offset, &cached.x, &cached.y, &cached.z, &clearance);
	V8 away = V8_Sub(block->previous, cached), moved = V8_Sub(block->position, block->previous);
	F8 left = F8_Sub(clearance, F8_Mul(more, F8_Sqrt(V8_Dot(away, away))));
	F8 need = F8_Add(F8_Splat(MaxF(def->thickness, def->mostThickness)), F8_Mul(more, F8_Sqrt(V8_Dot(moved, moved))));
	return F8_Gt(F8_Max(left, F8_Splat(0.0f)), need);
}

// Lanes of eight particles that need a test of their own.
static uint32_t FindNearMeshes(const ContactDef* def, const Vec4* position, const Vec4* previous,
                               const MeshNearCache* near)
{
	Block block;
	F8 inverseMass, unused, farthest = F8_Splat(FARTHEST);
	F8_LoadRows(position, &block.position.x, &block.position.y, &block.position.z, &inverseMass);
	F8_LoadRows(previous, &block.previous.x, &block.previous.y, &block.previous.z, &unused);
	M8 isFree = F8_Gt(inverseMass, F8_Splat(0.0f));
	isFree = M8_And(isFree, F8_Lt(V8_MaxAbs(block.position), farthest));
	isFree = M8_And(isFree, F8_Lt(V8_MaxAbs(block.previous), farthest));
	return M8_Bits(near && def->meshesRest ? M8_AndNot(isFree, StaysClear(def, near, &block)) : isFree);
}

// The last rows, padded with rows that count as pinned.
static uint32_t FindNearTail(const ContactDef* def, const Vec4* position, const Vec4* previous,
                             const MeshNearCache* near, uint32_t count)
{
	DRAPE_ASSERT(count > 0 && count < 8);
	Vec4 rows[2][8] = {0};
	MeshNearCache caches[8] = {0};
	memcpy(rows[0], position, count * sizeof(Vec4));
	memcpy(rows[1], previous, count * sizeof(Vec4));
	if (near)
		memcpy(caches, near, count * sizeof(MeshNearCache));
	return FindNearMeshes(def, rows[0], rows[1], near ? caches : NULL);
}

// As ResolveRange, for meshes.
static void ResolveMeshes(const ContactDef* def, ActiveMesh* mesh, const Vec4* previous, uint64_t* words,
                          uint32_t start, uint32_t count)
{
	for (uint32_t i = 0; i < count && def->meshCount > 0; i += 8)
	{
		Vec4 *position = &mesh->position[start + i], *velocity = &mesh->velocity[start + i];
		const Vec4* before = &previous[start + i];
		MeshNearCache* near = def->near ? &def->near[start + i] : NULL;
		uint32_t lanes = count - i >= 8 ? FindNearMeshes(def, position, before, near)
		                                : FindNearTail(def, position, before, near, count - i);
		for (; lanes != 0; lanes &= lanes - 1)
		{
			uint32_t k = (uint32_t)__builtin_ctz(lanes);
			const ContactDef* used = def;
			ContactDef own;
			if (ContactDef_HasFactors(def))
			{
				own = ContactDef_Of(def, start + i + k);
				used = &own;
			}
			if (ResolveParticle(used, V4Xyz(before[k]), near ? near + k : NULL, &position[k], &velocity[k]))
				words[i / 64] |= (uint64_t)1 << (i + k) % 64;
		}
	}
}

uint32_t drapeContact_Resolve(const ContactDef* def, ActiveMesh* mesh, const Vec4* previous, BitSet* contacts,
                              uint32_t start, uint32_t end)
{
	DRAPE_ASSERT(start <= end && end <= mesh->particleCount);
	DRAPE_ASSERT(!contacts || (start % 64 == 0 && (end % 64 == 0 || end == mesh->particleCount)));
	DRAPE_ASSERT(def->thickness >= 0.0f && def->friction >= 0.0f);
	enum
	{
		rangeWords = 64,
	};
	uint32_t touching = 0;
	for (uint32_t from = start; from < end; from += 64 * rangeWords)
	{
		uint64_t words[rangeWords] = {0};
		uint32_t count = MinU32(end - from, 64 * rangeWords), wordCount = BitSet_WordCount(count);
		uint32_t rounds = def->colliderCount > maxFrames || (def->meshCount > 0 && def->colliderCount > 0) ? 2 : 1;
		for (uint32_t round = 0; round < rounds; ++round)
		{
			for (uint32_t first = 0; first < def->colliderCount; first += maxFrames)
			{
				FrameSet set;
				FrameSet_Fill(&set, def, first);
				ResolveRange(def, &set, mesh, previous, words, from, count);
			}
			ResolveMeshes(def, mesh, previous, words, from, count);
		}
		for (uint32_t i = 0; i < wordCount; ++i)
			touching += (uint32_t)__builtin_popcountll(words[i]);
		if (contacts)
			memcpy(&contacts->words[from / 64], words, wordCount * sizeof(uint64_t));
	}
	return touching;
}
