// SPDX-License-Identifier: MIT
#include "world/cloth.h"

#include <string.h>

// The application's own columns. mesh/columns.h stores them and keeps them with their particles.

enum
{
	columnCookie = 0x64636f6c,
	maxOwnColumns = 16, // maxColumns leaves at least as many for the library
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

// NULL when the column can be created, else why not.
static const char* FindFault(const Cloth* cloth, const drapeColumnDef* def, drapeResult* result)
{
	*result = drape_errorArgument;
	if (!cloth)
		return "there is no such cloth";
	if (!def || def->cookie != columnCookie)
		return "the definition of the column is not initialised: start from drapeDefaultColumnDef";
	if (!NameIsValid(def->name))
		return "the name of the column is missing, longer than 63 bytes, or begins with \"drape.\"";
	if (def->componentCount < 1 || def->componentCount > DRAPE_MAX_COLUMN_COMPONENTS)
		return "componentCount of the column is not between 1 and 16";
	if ((unsigned)def->inherit > drape_inheritZero)
		return "the column has no such rule for new particles";
	if (drapeColumns_Find(&cloth->active.columns, def->name) != DRAPE_NONE)
		return "the cloth has a column of this name already";
	*result = drape_errorLimit;
	return CountOwn(&cloth->active.columns) >= maxOwnColumns ? "the cloth has 16 columns already" : NULL;
}

// The first particles are the vertices of the pattern, in its order.
static void SetInitial(Cloth* cloth, uint32_t index, const drapeColumnDef* def)
{
	float* values = Columns_Data(&cloth->active.columns, index);
	const size_t size = def->componentCount * sizeof(float);
	DRAPE_ASSERT(cloth->active.particleCount >= cloth->pattern.vertexCount);
	if (def->vertexValues)
	{
		memcpy(values, def->vertexValues, cloth->pattern.vertexCount * size);
		drapeColumns_InheritAll(&cloth->active, index);
		return;
	}
	for (uint32_t i = 0; i < cloth->active.particleCount && def->constant; ++i)
		memcpy(values + (size_t)i * def->componentCount, def->constant, size);
}

drapeResult drapeCloth_CreateColumn(drapeClothId id, const drapeColumnDef* def, drapeColumnId* column,
                                    const char** reason)
{
	Cloth* cloth = drapeCloth_Get(id);
	drapeResult result;
	const char* fault = column ? FindFault(cloth, def, &result) : "there is nowhere to write the handle to";
	if (column)
		*column = (drapeColumnId){0};
	else
		result = drape_errorArgument;
	uint32_t index = DRAPE_NONE;
	if (!fault)
	{
		ColumnDef own = {
			.name = def->name,
			.size = def->componentCount * (uint32_t)sizeof(float),
			.rule = ruleOf[def->inherit],
			.flags = drape_columnSaved | drape_columnHashed | drape_columnApplication,
		};
		index = drapeColumns_Add(&cloth->active, &own);
		fault = index == DRAPE_NONE ? "out of memory" : NULL;
		result = index == DRAPE_NONE ? drape_errorMemory : drape_ok;
	}
	if (reason)
		*reason = fault;
	if (fault)
		return result;
	SetInitial(cloth, index, def);
	*column = (drapeColumnId){index + 1};
	return drape_ok;
}

static bool IsOwn(const Columns* columns, uint32_t index)
{
	return index < columns->list.count && (columns->list.data[index].flags & drape_columnApplication);
}

drapeColumnId drapeCloth_FindColumn(drapeClothId id, const char* name)
{
	const Cloth* cloth = drapeCloth_Get(id);
	uint32_t index = cloth && name ? drapeColumns_Find(&cloth->active.columns, name) : DRAPE_NONE;
	return index != DRAPE_NONE && IsOwn(&cloth->active.columns, index) ? (drapeColumnId){index + 1}
	                                                                   : (drapeColumnId){0};
}

float* drapeCloth_GetColumn(drapeClothId id, drapeColumnId column)
{
	const Cloth* cloth = drapeCloth_Get(id);
	bool isValid = cloth && column.index1 > 0 && IsOwn(&cloth->active.columns, column.index1 - 1);
	return isValid ? Columns_Data(&cloth->active.columns, column.index1 - 1) : NULL;
}
