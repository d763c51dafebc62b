// SPDX-License-Identifier: MIT
#include "base/checks/values.h"
#include "world/world.h"

#include <string.h>

// The application's own columns. mesh/columns.h stores them and keeps them with their particles.

enum
{
	columnCookie = 0x64636f6c,
	maxOwnColumns = 16, // maxColumns leaves more for the library
};

_Static_assert(2 * maxOwnColumns <= maxColumns, "the library's columns need space too");
_Static_assert(DRAPE_MAX_COLUMN_COMPONENTS * sizeof(float) <= maxColumnValue, "a value fits");

static const char reservedPrefix[] = "drape.";

static const ColumnRule ruleOf[] = {
	[drape_inheritMean] = columnMean,
	[drape_inheritNearestParent] = columnNearestParent,
	[drape_inheritZero] = columnZero,
};

drapeColumnDef drapeDefaultColumnDef(void)
{
	return (drapeColumnDef){.componentCount = 1, .inherit = drape_inheritMean, .cookie = columnCookie};
}

// --- handles --------------------------------------------------------------------------------------------------------

typedef struct ColumnRef
{
	Cloth* cloth;
	uint32_t index;
} ColumnRef;

static drapeColumnId IdOf(const drapeWorld* world, uint32_t handle)
{
	return (drapeColumnId){handle + 1, world->id.world, (uint16_t)world->columns.list.data[handle].generation};
}

static const Handle* FindHandle(drapeColumnId id)
{
	const drapeWorld* world = drapeWorlds_Find(id.world);
	return world ? drapeHandles_Find(&world->columns, id.index1, id.generation) : NULL;
}

bool drapeColumn_IsValid(drapeColumnId id)
{
	return FindHandle(id) != NULL;
}

// A column and its cloth; NULL, with a sentence, for a handle that is not valid.
static ColumnRef Get(drapeColumnId id)
{
	const Handle* handle = FindHandle(id);
	if (handle)
		return (ColumnRef){drapeWorlds_Find(id.world)->cloths.data[handle->cloth], handle->index};
	drapeHandle_Refuse(id.world, "column");
	return (ColumnRef){NULL, DRAPE_NONE};
}

// --- creation -------------------------------------------------------------------------------------------------------

static uint32_t CountOwn(const Columns* columns)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < columns->list.count; ++i)
		count += (columns->list.data[i].flags & drape_columnApplication) != 0;
	return count;
}

static bool NameIsValid(const char* name)
{
	return name && name[0] != '\0' && memchr(name, '\0', columnNameCapacity) != NULL &&
	       strncmp(name, reservedPrefix, sizeof reservedPrefix - 1) != 0;
}

static drapeResult Check(const Cloth* cloth, const drapeColumnDef* def)
{
	drapeWorld* world = cloth->world;
	if (!def || def->cookie != columnCookie)
		return drapeWorld_Refuse(world,
		                         "the definition of the column is not initialised, expected drapeDefaultColumnDef");
	if (!NameIsValid(def->name))
		return drapeWorld_Refuse(world, "name is %s%.64s%s, expected 1 to 63 bytes that do not begin with \"drape.\"",
		                         def->name ? "\"" : "", def->name ? def->name : "NULL", def->name ? "\"" : "");
	if (def->componentCount < 1 || def->componentCount > DRAPE_MAX_COLUMN_COMPONENTS)
		return drapeWorld_Refuse(world, "componentCount is %u, expected 1 to %d", def->componentCount,
		                         DRAPE_MAX_COLUMN_COMPONENTS);
	drapeResult result =
		drapeChoice_Check("", "inherit", (unsigned)def->inherit, "mean|nearestParent|zero", &world->message);
	if (result != drape_ok)
		return result;
	if (drapeColumns_Find(&cloth->active.columns, def->name) != DRAPE_NONE)
		return drapeWorld_Refuse(world, "the cloth has a column \"%s\" already", def->name);
	if (CountOwn(&cloth->active.columns) >= maxOwnColumns)
		return drapeWorld_Fail(world, drape_errorLimit, "the cloth has %d columns already, expected fewer",
		                       maxOwnColumns);
	return drape_ok;
}

// The first particles are the vertices of the pattern, in its order.
static void SetInitial(Cloth* cloth, uint32_t index, const drapeColumnDef* def)
{
	float* values = Columns_Data(&cloth->active.columns, index);
	const size_t size = def->componentCount * sizeof(float);
	DRAPE_ASSERT(cloth->active.particleCount >= cloth->pattern->vertexCount);
	if (def->vertexValues)
	{
		memcpy(values, def->vertexValues, cloth->pattern->vertexCount * size);
		drapeColumns_InheritAll(&cloth->active, index);
		return;
	}
	for (uint32_t i = 0; i < cloth->active.particleCount && def->constant; ++i)
		memcpy(values + (size_t)i * def->componentCount, def->constant, size);
}

// Index of the new column; DRAPE_NONE when out of memory.
static uint32_t Add(Cloth* cloth, const drapeColumnDef* def)
{
	ColumnDef own = {
		.name = def->name,
		.size = def->componentCount * (uint32_t)sizeof(float),
		.rule = ruleOf[def->inherit],
		.flags = drape_columnSaved | drape_columnHashed | drape_columnApplication,
	};
	HandleTable* handles = &cloth->world->columns;
	if (!drapeHandles_Reserve(handles, handles->list.count + 1))
		return DRAPE_NONE;
	return drapeColumns_Add(&cloth->active, &own);
}

drapeResult drapeCreateColumn(drapeClothId clothId, const drapeColumnDef* def, drapeColumnId* id)
{
	Cloth* cloth = drapeCloth_Get(clothId);
	if (id)
		*id = (drapeColumnId){0};
	if (!cloth)
		return drape_errorArgument;
	drapeWorld* world = cloth->world;
	if (!id)
		return drapeWorld_Refuse(world, "there is nowhere to write the handle of the column to");
	drapeResult result = Check(cloth, def);
	if (result != drape_ok)
		return result;
	uint32_t index = Add(cloth, def);
	if (index == DRAPE_NONE)
		return drapeWorld_FailMemory(world);
	SetInitial(cloth, index, def);
	uint32_t handle = drapeHandles_Take(&world->columns, cloth->slot, index);
	world->columns.userData.data[handle] = def->userData;
	*id = IdOf(world, handle);
	return drape_ok;
}

drapeResult drapeDestroyColumn(drapeColumnId id)
{
	if (DRAPE_IS_NULL(id))
		return drape_ok;
	ColumnRef ref = Get(id);
	if (!ref.cloth)
		return drape_errorArgument;
	drapeColumns_Remove(&ref.cloth->active, ref.index);
	drapeHandles_Release(&ref.cloth->world->columns, id.index1 - 1);
	return drape_ok;
}

drapeColumnId drapeCloth_FindColumn(drapeClothId id, const char* name)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (cloth && !name)
		drapeWorld_Refuse(cloth->world, "name is NULL");
	uint32_t index = cloth && name ? drapeColumns_Find(&cloth->active.columns, name) : DRAPE_NONE;
	for (uint32_t i = 0; index != DRAPE_NONE && i < cloth->world->columns.list.count; ++i)
	{
		const Handle* handle = &cloth->world->columns.list.data[i];
		if ((handle->generation & 1) && handle->cloth == cloth->slot && handle->index == index)
			return IdOf(cloth->world, i);
	}
	return (drapeColumnId){0};
}

uint32_t drapeCloth_GetColumns(drapeClothId id, drapeColumnId* columns, uint32_t capacity)
{
	const Cloth* cloth = drapeCloth_Get(id);
	uint32_t count = 0;
	if (!cloth || drapeArray_Check("columns", columns, capacity, &cloth->world->message) != drape_ok)
		return 0;
	for (uint32_t i = 0; i < cloth->world->columns.list.count; ++i)
	{
		const Handle* handle = &cloth->world->columns.list.data[i];
		if ((handle->generation & 1) && handle->cloth == cloth->slot && count++ < capacity)
			columns[count - 1] = IdOf(cloth->world, i);
	}
	return count;
}

// --- queries --------------------------------------------------------------------------------------------------------

drapeClothId drapeColumn_GetCloth(drapeColumnId id)
{
	ColumnRef ref = Get(id);
	return ref.cloth ? drapeCloth_Id(ref.cloth->world, ref.cloth->slot) : (drapeClothId){0};
}

uint32_t drapeColumn_GetComponentCount(drapeColumnId id)
{
	ColumnRef ref = Get(id);
	return ref.cloth ? ref.cloth->active.columns.list.data[ref.index].size / (uint32_t)sizeof(float) : 0;
}

const char* drapeColumn_GetName(drapeColumnId id)
{
	ColumnRef ref = Get(id);
	return ref.cloth ? ref.cloth->active.columns.list.data[ref.index].name : NULL;
}

float* drapeColumn_GetValues(drapeColumnId id)
{
	ColumnRef ref = Get(id);
	return ref.cloth ? Columns_Data(&ref.cloth->active.columns, ref.index) : NULL;
}

drapeResult drapeColumn_SetUserData(drapeColumnId id, void* userData)
{
	ColumnRef ref = Get(id);
	if (!ref.cloth)
		return drape_errorArgument;
	ref.cloth->world->columns.userData.data[id.index1 - 1] = userData;
	return drape_ok;
}

void* drapeColumn_GetUserData(drapeColumnId id)
{
	ColumnRef ref = Get(id);
	return ref.cloth ? ref.cloth->world->columns.userData.data[id.index1 - 1] : NULL;
}
