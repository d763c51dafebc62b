// SPDX-License-Identifier: MIT
#include "base/checks/values.h"
#include "base/transform.h"
#include "mesh/geometry.h"
#include "world/world.h"

// Teleport: a rigid motion of cloths and colliders between two steps. Everything that the next step reads as a place or a
// direction moves, so that nothing is swept. The state that snapshots contain is the list of what has to be considered.

enum
{
	teleportCookie = 0x6474656c,
};

drapeTeleportDef drapeDefaultTeleportDef(void)
{
	return (drapeTeleportDef){.rotation = drapeIdentityTransform().rotation, .cookie = teleportCookie};
}

drapeTeleportDef drapeTeleport_FromTo(drapeTransform from, drapeTransform to)
{
	drapeTeleportDef def = drapeDefaultTeleportDef();
	def.rotation = drapeQuat_Normalize(Quat_Multiply(to.rotation, Quat_Conjugate(from.rotation)));
	def.position = V3Sub(to.position, Quat_Rotate(def.rotation, from.position));
	return def;
}

typedef struct Teleport
{
	drapeWorld* world;
	RigidMotion motion;
	bool stops;
	uint8_t *cloths, *colliders; // per slot: it moves
	CachedVertices vertices;     // of the cloths that move
} Teleport;

// --- checks ---------------------------------------------------------------------------------------------------------

static drapeResult CheckDef(drapeWorld* world, const drapeTeleportDef* def)
{
	if (!def || def->cookie != teleportCookie)
		return drapeWorld_Refuse(world,
		                         "the definition of the teleport is not initialised, expected drapeDefaultTeleportDef");
	const drapeTransform motion = {def->position, def->rotation, 1.0f};
	return drapePlacement_Check("teleport", &motion, &world->message);
}

// Marks the listed cloths. Handles of other worlds are refused.
static drapeResult MarkCloths(Teleport* teleport, const drapeTeleportDef* def)
{
	drapeWorld* world = teleport->world;
	for (uint32_t i = 0; !def->cloths && i < world->cloths.count; ++i)
		teleport->cloths[i] = drapeCloth_IsUsed(world->cloths.data[i]);
	for (uint32_t i = 0; def->cloths && i < def->clothCount; ++i)
	{
		const drapeClothId id = def->cloths[i];
		if (id.world != world->id.world || !drapeCloth_IsValid(id))
			return drapeWorld_Refuse(world, "cloths[%u] does not exist in this world", i);
		teleport->cloths[id.index1 - 1] = true;
	}
	return drape_ok;
}

static drapeResult MarkColliders(Teleport* teleport, const drapeTeleportDef* def)
{
	drapeWorld* world = teleport->world;
	for (uint32_t i = 0; !def->colliders && i < world->colliderSlots.count; ++i)
		teleport->colliders[i] = world->colliderSlots.data[i].generation & 1;
	for (uint32_t i = 0; def->colliders && i < def->colliderCount; ++i)
	{
		if (!drapeCollider_IsOf(world, def->colliders[i]))
			return drapeWorld_Refuse(world, "colliders[%u] does not exist in this world", i);
		teleport->colliders[def->colliders[i].index1 - 1] = true;
	}
	return drape_ok;
}

static bool IsMovedCloth(const Teleport* teleport, uint32_t cloth1)
{
	return cloth1 > 0 && teleport->cloths[cloth1 - 1];
}

static drapeResult CheckJoined(const Teleport* teleport)
{
	const WorldConstraints* constraints = &teleport->world->constraints;
	for (uint32_t i = 0; i < constraints->list.count; ++i)
	{
		const StoredConstraint* constraint = &constraints->list.data[i];
		if ((constraint->generation & 1) && constraint->cloth1[1] > 0 &&
		    drapeConstraint_IsOn(teleport->world, constraint) &&
		    IsMovedCloth(teleport, constraint->cloth1[0]) != IsMovedCloth(teleport, constraint->cloth1[1]))
			return drapeWorld_Refuse(teleport->world, "the teleport separates two cloths that a constraint joins, "
			                                          "expected both of them in `cloths` or none");
	}
	return drape_ok;
}

static bool RowsStayUsable(const Vec4* rows, uint32_t count, const RigidMotion* motion)
{
	bool areUsable = true;
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 x = RigidMotion_Point(motion, V4Xyz(rows[i]));
		areUsable &= CoordinateIsUsable(x.x) & CoordinateIsUsable(x.y) & CoordinateIsUsable(x.z);
	}
	return areUsable;
}

static drapeResult CheckRange(const Teleport* teleport)
{
	drapeWorld* world = teleport->world;
	bool areUsable = true;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const ActiveMesh* mesh = &world->cloths.data[i]->active;
		if (teleport->cloths[i])
			areUsable &= RowsStayUsable(mesh->position, mesh->particleCount, &teleport->motion);
	}
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		const ColliderMesh* mesh = world->colliderMeshes.data[i];
		if (teleport->colliders[i] && mesh)
			areUsable &= RowsStayUsable(mesh->shape.to, mesh->shape.vertexCount, &teleport->motion);
		const Vec3 x = world->colliders.data[i].to.position;
		const Vec4 place = {x.x, x.y, x.z, 0.0f};
		if (teleport->colliders[i])
			areUsable &= RowsStayUsable(&place, 1, &teleport->motion);
	}
	return areUsable ? drape_ok : drapeWorld_Refuse(world, "position takes an object beyond 1e9 m");
}

// Memory for the contacts to be turned.
static drapeResult ListVertices(Teleport* teleport)
{
	drapeWorld* world = teleport->world;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		if (teleport->cloths[i] &&
		    !drapeCachedVertices_AddCloth(&teleport->vertices, &cloth->active, Cloth_ContactName(cloth)))
			return drapeWorld_FailMemory(world);
	}
	return drape_ok;
}

// --- cloths ---------------------------------------------------------------------------------------------------------

static void Turn(const Teleport* teleport, Vec3* direction)
{
	*direction = Quat_Rotate(teleport->motion.rotation, *direction);
}

static void MovePoint(const Teleport* teleport, Vec3* point)
{
	*point = RigidMotion_Point(&teleport->motion, *point);
}

static void MoveRows(const Teleport* teleport, Vec4* rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 x = RigidMotion_Point(&teleport->motion, V4Xyz(rows[i]));
		rows[i] = (Vec4){x.x, x.y, x.z, rows[i].w};
	}
}

static void StopCloth(Cloth* cloth)
{
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
		cloth->active.velocity[i] = (Vec4){0.0f, 0.0f, 0.0f, cloth->active.velocity[i].w};
	cloth->simulation.previousStep = 0.0f;
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
		cloth->pins.data[i].velocity = cloth->pins.data[i].way = (Vec3){0.0f, 0.0f, 0.0f};
}

static void MovePin(const Teleport* teleport, Pin* pin)
{
	MovePoint(teleport, &pin->from);
	MovePoint(teleport, &pin->to);
	Turn(teleport, &pin->velocity);
	Turn(teleport, &pin->way);
	Turn(teleport, &pin->force);
	Turn(teleport, &pin->savedForce);
	if (pin->motion1 == 0)
		return;
	const drapeTransform base = pin->hasBase ? pin->base : drapeIdentityTransform();
	const drapeTransform motion = {teleport->motion.to, teleport->motion.rotation, 1.0f};
	pin->base = drapeTransform_Compose(motion, base);
	pin->base.rotation = drapeQuat_Normalize(pin->base.rotation);
	pin->hasBase = true;
}

static void MoveFrame(const Teleport* teleport, drapeTransform* frame)
{
	MovePoint(teleport, &frame->position);
	frame->rotation = drapeQuat_Normalize(Quat_Multiply(teleport->motion.rotation, frame->rotation));
}

static void MoveCloth(const Teleport* teleport, Cloth* cloth)
{
	ActiveMesh* mesh = &cloth->active;
	Cloth_HasMoved(cloth);
	drapeCloth_MoveRigidly(cloth, &teleport->motion);
	// Motion blur must not show the way.
	if (cloth->previousPositions != DRAPE_NONE)
		MoveRows(teleport, Cloth_Rows(cloth, cloth->previousPositions), mesh->particleCount);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Vec3 normal = V4Xyz(mesh->normal[i]);
		Turn(teleport, &normal);
		mesh->normal[i] = (Vec4){normal.x, normal.y, normal.z, mesh->normal[i].w};
	}
	for (uint32_t i = 0; i < cloth->pins.count; ++i)
	{
		if (cloth->pins.data[i].vertexId != DRAPE_NONE)
			MovePin(teleport, &cloth->pins.data[i]);
	}
	drapeCloth_Wake(cloth);
	drapePainted_MoveSkin(cloth, &teleport->motion);
	MoveFrame(teleport, &cloth->frame.from);
	MoveFrame(teleport, &cloth->frame.to);
	if (teleport->stops)
		StopCloth(cloth);
}

// --- points on colliders --------------------------------------------------------------------------------------------

// A point on a collider stays with its cloth if only one of both moves. Colliders have moved already.
static void Rebind(const Teleport* teleport, SurfaceAnchor* anchor, bool clothMoves)
{
	const drapeWorld* world = teleport->world;
	uint32_t slot = anchor->collider1 - 1;
	DRAPE_ASSERT(anchor->collider1 > 0 && slot < world->colliderSlots.count);
	if (clothMoves == (bool)teleport->colliders[slot])
		return;
	Vec3 point = drapeAnchor_At(world, anchor, 1.0f);
	if (clothMoves)
		MovePoint(teleport, &point);
	else
		point = V3Add(teleport->motion.from,
		              Quat_InverseRotate(teleport->motion.rotation, V3Sub(point, teleport->motion.to)));
	*anchor = drapeAnchor_Bind(world, slot, point, anchorStepEnds);
}

static void MoveConstraint(const Teleport* teleport, StoredConstraint* constraint)
{
	bool moves = IsMovedCloth(teleport, constraint->cloth1[0]);
	SurfaceAnchor* anchor = &constraint->now.anchor;
	if (moves)
	{
		Turn(teleport, &constraint->now.force);
		MovePoint(teleport, &constraint->target);
	}
	if (constraint->cloth1[1] > 0 || !constraint->now.isBound)
		return;
	if (anchor->collider1 > 0)
		Rebind(teleport, anchor, moves);
	else if (moves)
		MovePoint(teleport, &anchor->offset);
}

static void MovePoints(const Teleport* teleport)
{
	drapeWorld* world = teleport->world;
	for (uint32_t i = 0; i < world->constraints.list.count; ++i)
	{
		if (world->constraints.list.data[i].generation & 1)
			MoveConstraint(teleport, &world->constraints.list.data[i]);
	}
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		for (uint32_t k = 0; k < cloth->pins.count; ++k)
		{
			Pin* pin = &cloth->pins.data[k];
			if (pin->vertexId != DRAPE_NONE && !pin->isOff && pin->surface.collider1 > 0)
				Rebind(teleport, &pin->surface, teleport->cloths[i]);
		}
	}
}

// --- the teleport ---------------------------------------------------------------------------------------------------

static void Apply(const Teleport* teleport)
{
	drapeWorld* world = teleport->world;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		if (!teleport->colliders[i])
			continue;
		drapeClothSleep_DisturbCollider(world, i);
		drapeScenery_Teleport(world, i, &teleport->motion, teleport->stops);
		drapeClothSleep_DisturbCollider(world, i);
	}
	drapeScenery_Relist(world);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (teleport->cloths[i])
			MoveCloth(teleport, world->cloths.data[i]);
	}
	MovePoints(teleport);
	drapeContactCache_TurnOf(&world->contact.cache, &teleport->vertices, teleport->motion.rotation);
	// These name places of the last step.
	world->contact.points.count = 0;
}

static drapeResult Run(Teleport* teleport, const drapeTeleportDef* def)
{
	drapeResult result = MarkCloths(teleport, def);
	if (result == drape_ok)
		result = MarkColliders(teleport, def);
	if (result == drape_ok)
		result = CheckJoined(teleport);
	if (result == drape_ok)
		result = CheckRange(teleport);
	if (result == drape_ok)
		result = ListVertices(teleport);
	if (result == drape_ok)
		Apply(teleport);
	return result;
}

drapeResult drapeWorld_Teleport(drapeWorldId id, const drapeTeleportDef* def)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	drapeResult result = CheckDef(world, def);
	if (result != drape_ok)
		return result;
	const size_t slots = (size_t)world->cloths.count + world->colliderSlots.count + 1;
	uint8_t* marks = drapeMemAllocZero(slots);
	if (!marks)
		return drapeWorld_FailMemory(world);
	Teleport teleport = {.world = world,
	                     .motion = {.to = def->position, .rotation = drapeQuat_Normalize(def->rotation)},
	                     .stops = def->stops,
	                     .cloths = marks,
	                     .colliders = marks + world->cloths.count};
	result = Run(&teleport, def);
	drapeHashMap_Free(&teleport.vertices.keys);
	drapeMemFree(marks, slots);
	return result;
}
