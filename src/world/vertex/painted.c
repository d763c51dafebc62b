// SPDX-License-Identifier: MIT
#include "world/vertex/painted.h"

#include "base/checks/values.h"
#include "base/checks/parameters.h"
#include "base/hash.h"
#include "mesh/check.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

typedef struct PaintedKind
{
	drapeParameter parameter;
	const char* column; // name of the column
	uint32_t size;      // bytes of a value
	bool isLimit;       // a distance that may be infinite
} PaintedKind;

#define FACTOR(name, low, high, label, help)                                                                           \
	{                                                                                                                  \
		{name, label, NULL, help, drape_parameterFloat, 0, low, high, false, 1.0, 0.1, NULL, false, NULL},             \
			"drape.vertex." name, sizeof(float), false                                                                 \
	}

#define LIMIT(name, label, help)                                                                                       \
	{                                                                                                                  \
		{name, label, "m", help, drape_parameterFloat, 0, 0.0, (double)INFINITY, false, 0.0, 0.01, NULL, false, NULL}, \
			"drape.vertex." name, sizeof(float), true                                                                  \
	}

static const PaintedKind kinds[] = {
	[drape_vertexMass] = FACTOR("mass", 0.001, 1000.0, "mass", "factor of the density"),
	[drape_vertexThickness] = FACTOR("thickness", 0.0, 100.0, "thickness", "factor of the thickness"),
	[drape_vertexFriction] = FACTOR("friction", 0.0, 100.0, "friction", "factor of the friction"),
	[drape_vertexMaxDistance] = LIMIT("maxDistance", "maximum distance", "largest distance from the skinned position"),
	[drape_vertexBackstopDistance] =
		LIMIT("backstopDistance", "back stop distance", "of the back stop behind the skinned position"),
	[drape_vertexBackstopRadius] = LIMIT("backstopRadius", "back stop radius", "of the sphere; 0 for none"),
	[paintedSkin] = {.column = "drape.skin", .size = sizeof(SkinTarget)},
	[paintedSkinLoad] = {.column = "drape.skinLoad", .size = sizeof(SkinLoad)},
};

_Static_assert(sizeof kinds / sizeof kinds[0] == paintedColumns, "one row for each column");

const drapeParameter* drapeVertexValue_GetParameter(drapeVertexValue kind)
{
	return (unsigned)kind < drape_vertexValueCount ? &kinds[kind].parameter : NULL;
}

// --- columns --------------------------------------------------------------------------------------------------------

void drapePainted_Init(Cloth* cloth)
{
	for (uint32_t i = 0; i < paintedColumns; ++i)
		cloth->painted[i] = DRAPE_NONE;
}

uint32_t drapePainted_Present(const Cloth* cloth)
{
	uint32_t present = 0;
	for (uint32_t i = 0; i < paintedColumns; ++i)
		present |= (uint32_t)(cloth->painted[i] != DRAPE_NONE) << i;
	return present;
}

uint32_t drapePainted_Size(uint32_t kind)
{
	DRAPE_ASSERT(kind < paintedColumns);
	return kinds[kind].size;
}

// Finds a column, or adds it with zeros. DRAPE_NONE when out of memory.
static uint32_t FindOrAdd(Cloth* cloth, uint32_t kind)
{
	const ColumnDef def = {.name = kinds[kind].column, .size = kinds[kind].size, .rule = columnMean};
	uint32_t column = drapeColumns_Find(&cloth->active.columns, def.name);
	return column == DRAPE_NONE ? drapeColumns_Add(&cloth->active, &def) : column;
}

bool drapePainted_Reserve(Cloth* cloth, uint32_t present)
{
	bool isReserved = true;
	for (uint32_t i = 0; i < paintedColumns && isReserved; ++i)
		isReserved = !(present & 1u << i) || FindOrAdd(cloth, i) != DRAPE_NONE;
	return isReserved;
}

static void Remove(Cloth* cloth, uint32_t kind)
{
	uint32_t column = drapeColumns_Find(&cloth->active.columns, kinds[kind].column);
	if (column != DRAPE_NONE)
		drapeColumns_Remove(&cloth->active, column);
	cloth->painted[kind] = DRAPE_NONE;
}

void drapePainted_Use(Cloth* cloth, uint32_t present)
{
	for (uint32_t i = 0; i < paintedColumns; ++i)
	{
		if (present & 1u << i)
			cloth->painted[i] = drapeColumns_Find(&cloth->active.columns, kinds[i].column);
		else
			Remove(cloth, i);
		DRAPE_ASSERT((cloth->painted[i] != DRAPE_NONE) == (present >> i & 1));
	}
}

uint64_t drapePainted_Hash(const Cloth* cloth)
{
	uint64_t hash = 0;
	for (uint32_t i = 0; i < paintedColumns; ++i)
	{
		if (cloth->painted[i] != DRAPE_NONE)
			hash = drapeHash_Bytes(hash + i + 1, Columns_Data(&cloth->active.columns, cloth->painted[i]),
			                       (size_t)cloth->active.particleCount * kinds[i].size);
	}
	return hash;
}

// --- values ---------------------------------------------------------------------------------------------------------

static drapeResult CheckCount(const Cloth* cloth, uint32_t count)
{
	if (count == cloth->pattern->vertexCount)
		return drape_ok;
	return drapeWorld_Refuse(cloth->world, "count is %u, but the pattern has %u vertices", count,
	                         cloth->pattern->vertexCount);
}

drapeResult drapePainted_Check(uint32_t kind, const float* values, uint32_t count, drapeMessage* message)
{
	DRAPE_ASSERT(kind < drape_vertexValueCount);
	drapeResult result = drape_ok;
	for (uint32_t i = 0; i < count && result == drape_ok; ++i)
	{
		char prefix[32];
		// Most values are valid: the sentence is written for others.
		if ((double)values[i] >= kinds[kind].parameter.low && (double)values[i] <= kinds[kind].parameter.high)
			continue;
		snprintf(prefix, sizeof prefix, "vertex %u: ", i);
		result = drapeParameters_Check(&kinds[kind].parameter, 1, &values[i], prefix, message);
	}
	return result;
}

// Distributes mass by the factors of the vertices, NULL for none. False when out of memory: nothing has changed.
static bool Weigh(Cloth* cloth, const float* values)
{
	const PatternMesh* pattern = cloth->pattern;
	size_t size = pattern->triangleCount * sizeof(double);
	double* factors = values ? drapeMemAlloc(size) : NULL;
	if (values && !factors)
		return false;
	for (uint32_t t = 0; t < pattern->triangleCount && values; ++t)
	{
		const uint32_t* vertex = &pattern->triangles[3 * (size_t)t];
		factors[t] = ((double)values[vertex[0]] + (double)values[vertex[1]] + (double)values[vertex[2]]) / 3.0;
	}
	bool isWeighed = cloth->scheme->type->weigh(cloth->scheme, factors);
	drapeMemFree(factors, values ? size : 0);
	// The stable step depends on masses.
	cloth->simulation.stableRevision = 0;
	return isWeighed;
}

// False when out of memory: nothing has changed.
static bool SetValues(Cloth* cloth, uint32_t kind, const float* values)
{
	uint32_t column = values ? FindOrAdd(cloth, kind) : DRAPE_NONE;
	bool isChanged = kind == drape_vertexMass && (values || cloth->painted[kind] != DRAPE_NONE);
	if ((values && column == DRAPE_NONE) || (isChanged && !Weigh(cloth, values)))
		return false;
	if (!values)
	{
		Remove(cloth, kind);
		return true;
	}
	float* stored = Columns_Data(&cloth->active.columns, column);
	for (uint32_t i = 0; i < cloth->pattern->vertexCount; ++i)
		stored[i] = kinds[kind].isLimit ? MinNumF(values[i], paintedFree) : values[i];
	drapeColumns_InheritAll(&cloth->active, column);
	cloth->painted[kind] = column;
	return true;
}

bool drapePainted_SetAll(Cloth* cloth, const float* const values[drape_vertexValueCount])
{
	bool isSet = true;
	for (uint32_t i = 0; i < drape_vertexValueCount && isSet; ++i)
		isSet = !values[i] || SetValues(cloth, i, values[i]);
	return isSet;
}

drapeResult drapeCloth_SetVertexValues(drapeClothId id, drapeVertexValue kind, const float* values, uint32_t count)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if ((unsigned)kind >= drape_vertexValueCount)
		return drapeWorld_Refuse(cloth->world, "kind is %u, expected a drapeVertexValue", (unsigned)kind);
	if (values && (CheckCount(cloth, count) != drape_ok ||
	               drapePainted_Check((uint32_t)kind, values, count, &cloth->world->message) != drape_ok))
		return drape_errorArgument;
	drapeCloth_Wake(cloth);
	return SetValues(cloth, (uint32_t)kind, values) ? drape_ok : drapeWorld_FailMemory(cloth->world);
}

uint32_t drapeCloth_GetVertexValues(drapeClothId id, drapeVertexValue kind, float* values, uint32_t capacity)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return 0;
	if ((unsigned)kind >= drape_vertexValueCount)
	{
		drapeWorld_Refuse(cloth->world, "kind is %u, expected a drapeVertexValue", (unsigned)kind);
		return 0;
	}
	const float* stored = Cloth_Painted(cloth, (uint32_t)kind);
	if (drapeArray_Check("values", values, capacity, &cloth->world->message) != drape_ok || !stored)
		return 0;
	for (uint32_t i = 0; i < MinU32(capacity, cloth->pattern->vertexCount); ++i)
		values[i] = kinds[kind].isLimit && stored[i] >= paintedFree ? INFINITY : stored[i];
	return cloth->pattern->vertexCount;
}

float drapePainted_MostThickness(const Cloth* cloth)
{
	const float* values = Cloth_Painted(cloth, drape_vertexThickness);
	float most = values ? 0.0f : 1.0f;
	for (uint32_t i = 0; values && i < cloth->pattern->vertexCount; ++i)
		most = MaxF(most, values[i]);
	return most;
}

void drapePainted_DescribeContact(const Cloth* cloth, ContactDef* contact)
{
	contact->thicknessFactor = Cloth_Painted(cloth, drape_vertexThickness);
	contact->frictionFactor = Cloth_Painted(cloth, drape_vertexFriction);
	if (!contact->thicknessFactor)
		return;
	contact->mostThickness = Cloth_MostThickness(cloth);
	contact->activationGrowth =
		drapeImplicit_ContactActivationDistance(1.0f) - drapeImplicit_ContactActivationDistance(0.0f);
}

// --- skinned positions ----------------------------------------------------------------------------------------------

static drapeResult CheckVectors(const Cloth* cloth, const drapeVec3* vectors, uint32_t count, const char* name)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!CoordinateIsUsable(vectors[i].x) || !CoordinateIsUsable(vectors[i].y) || !CoordinateIsUsable(vectors[i].z))
			return drapeCoordinates_Refuse(name, i, vectors[i], "m", &cloth->world->message);
	}
	return drape_ok;
}

void drapePainted_MoveSkin(Cloth* cloth, const RigidMotion* motion)
{
	uint32_t column = cloth->painted[paintedSkin];
	SkinTarget* targets = column == DRAPE_NONE ? NULL : Columns_Data(&cloth->active.columns, column);
	for (uint32_t i = 0; targets && i < cloth->active.particleCount; ++i)
	{
		SkinTarget* target = &targets[i];
		target->from = RigidMotion_Point(motion, target->from);
		target->to = RigidMotion_Point(motion, target->to);
		target->fromNormal = Quat_Rotate(motion->rotation, target->fromNormal);
		target->normal = Quat_Rotate(motion->rotation, target->normal);
	}
}

// True if skinned positions differ from those of the last step.
static bool MoveTargets(const Cloth* cloth, const drapeVec3* positions)
{
	uint32_t column = cloth->painted[paintedSkin];
	bool move = column == DRAPE_NONE;
	const SkinTarget* targets = move ? NULL : Columns_Data(&cloth->active.columns, column);
	for (uint32_t i = 0; i < cloth->pattern->vertexCount && !move; ++i)
		move =
			positions[i].x != targets[i].to.x || positions[i].y != targets[i].to.y || positions[i].z != targets[i].to.z;
	return move;
}

// Finds the columns, or adds them. False when out of memory: nothing has changed for the cloth.
static bool ReserveSkin(Cloth* cloth)
{
	return drapePainted_Reserve(cloth, 1u << paintedSkin | 1u << paintedSkinLoad);
}

// After ReserveSkin.
static void UseSkin(Cloth* cloth)
{
	bool isFirst = cloth->painted[paintedSkin] == DRAPE_NONE;
	drapePainted_Use(cloth, drapePainted_Present(cloth) | 1u << paintedSkin | 1u << paintedSkinLoad);
	if (isFirst)
		memset(Columns_Data(&cloth->active.columns, cloth->painted[paintedSkinLoad]), 0,
		       cloth->active.particleCount * sizeof(SkinLoad));
}

static void SetTargets(Cloth* cloth, const drapeVec3* positions, const drapeVec3* normals)
{
	bool isFirst = cloth->painted[paintedSkin] == DRAPE_NONE;
	UseSkin(cloth);
	SkinTarget* targets = Columns_Data(&cloth->active.columns, cloth->painted[paintedSkin]);
	for (uint32_t i = 0; i < cloth->pattern->vertexCount; ++i)
	{
		SkinTarget* target = &targets[i];
		target->to = positions[i];
		target->normal = normals ? V3Normalize(normals[i]) : (Vec3){0.0f, 0.0f, 0.0f};
		if (!isFirst)
			continue;
		target->from = target->to;
		target->fromNormal = target->normal;
	}
	drapeColumns_InheritAll(&cloth->active, cloth->painted[paintedSkin]);
}

drapeResult drapeCloth_SetSkinTargets(drapeClothId id, const drapeVec3* positions, const drapeVec3* normals,
                                      uint32_t count)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (!positions)
	{
		Remove(cloth, paintedSkin);
		Remove(cloth, paintedSkinLoad);
		drapeCloth_Wake(cloth);
		return drape_ok;
	}
	if (CheckCount(cloth, count) != drape_ok || CheckVectors(cloth, positions, count, "positions") != drape_ok ||
	    (normals && CheckVectors(cloth, normals, count, "normals") != drape_ok))
		return drape_errorArgument;
	if (!ReserveSkin(cloth))
		return drapeWorld_FailMemory(cloth->world);
	if (MoveTargets(cloth, positions))
		drapeCloth_Wake(cloth);
	SetTargets(cloth, positions, normals);
	return drape_ok;
}

// --- transfer -------------------------------------------------------------------------------------------------------

static bool TransferSkin(const Cloth* from, Cloth* to)
{
	if (from->painted[paintedSkin] == DRAPE_NONE)
		return true;
	if (!ReserveSkin(to))
		return false;
	UseSkin(to);
	for (uint32_t i = paintedSkin; i <= paintedSkinLoad; ++i)
	{
		memcpy(Columns_Data(&to->active.columns, to->painted[i]), Columns_Data(&from->active.columns, from->painted[i]),
		       from->pattern->vertexCount * kinds[i].size);
		drapeColumns_InheritAll(&to->active, to->painted[i]);
	}
	return true;
}

bool drapePainted_Transfer(const Cloth* from, Cloth* to)
{
	DRAPE_ASSERT(from->pattern->vertexCount == to->pattern->vertexCount);
	bool isDone = TransferSkin(from, to);
	for (uint32_t i = 0; i < drape_vertexValueCount && isDone; ++i)
	{
		const float* values = Cloth_Painted(to, i) ? NULL : Cloth_Painted(from, i);
		isDone = !values || SetValues(to, i, values);
	}
	return isDone;
}
