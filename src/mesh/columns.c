// SPDX-License-Identifier: MIT
#include "mesh/columns.h"

#include "base/hash.h"
#include "mesh/active.h"

#include <string.h>

static char* Row(const Column* column, uint32_t particle)
{
	return (char*)column->data + (size_t)particle * column->size;
}

static bool DefIsValid(const ColumnDef* def)
{
	size_t length = def->name ? strlen(def->name) : 0;
	bool isSizeValid =
		def->size >= 1 && def->size <= maxColumnValue && (def->rule != columnMean || def->size % sizeof(float) == 0);
	return length >= 1 && length < columnNameCapacity && isSizeValid &&
	       (def->rule == columnCustom) == (def->inherit != NULL);
}

uint32_t drapeColumns_Add(ActiveMesh* mesh, const ColumnDef* def)
{
	Columns* columns = &mesh->columns;
	DRAPE_ASSERT(DefIsValid(def));
	DRAPE_ASSERT(drapeColumns_Find(columns, def->name) == DRAPE_NONE);
	uint32_t index = drapeColumns_Find(columns, "");
	if (index == DRAPE_NONE)
		index = columns->list.count;
	if (index >= maxColumns || !ArrayReserve(&columns->list, index + 1))
		return DRAPE_NONE;
	Column column = {.size = def->size, .rule = def->rule, .inherit = def->inherit, .flags = def->flags};
	memcpy(column.name, def->name, strlen(def->name) + 1);
	if (mesh->particleCapacity > 0)
	{
		column.data = drapeMemAllocArray(mesh->particleCapacity, def->size);
		if (!column.data)
			return DRAPE_NONE;
		memset(column.data, 0, (size_t)mesh->particleCount * def->size);
	}
	if (index == columns->list.count)
		columns->list.count++;
	else
		drapeMemFree(columns->list.data[index].data, (size_t)mesh->particleCapacity * columns->list.data[index].size);
	columns->list.data[index] = column;
	return index;
}

void drapeColumns_Remove(ActiveMesh* mesh, uint32_t index)
{
	DRAPE_ASSERT(index < mesh->columns.list.count);
	Column* column = &mesh->columns.list.data[index];
	column->rule = columnScratch;
	column->inherit = NULL;
	column->flags = 0;
	column->name[0] = '\0';
}

uint32_t drapeColumns_Find(const Columns* columns, const char* name)
{
	for (uint32_t i = 0; i < columns->list.count; ++i)
	{
		if (strcmp(columns->list.data[i].name, name) == 0)
			return i;
	}
	return DRAPE_NONE;
}

void drapeColumns_Swap(Columns* columns, uint32_t a, uint32_t b)
{
	DRAPE_ASSERT(a < columns->list.count && b < columns->list.count);
	Column *first = &columns->list.data[a], *second = &columns->list.data[b];
	DRAPE_ASSERT(first->size == second->size);
	void* data = first->data;
	first->data = second->data;
	second->data = data;
}

// --- rules -----------------------------------------------------------------------------------------------------------

static uint32_t NearestParent(const ParticleParents* parents)
{
	int nearest = 0;
	for (int k = 1; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
	{
		if (parents->weight[k] > parents->weight[nearest])
			nearest = k;
	}
	return parents->parent[nearest];
}

// As differences from the first parent, so that values which all parents share are inherited to the last bit.
static void WriteMean(const Column* column, const ParticleParents* parents, float* mean)
{
	const float* first = (const float*)Row(column, parents->parent[0]);
	for (uint32_t c = 0; c < column->size / sizeof(float); ++c)
	{
		float sum = first[c];
		for (int k = 1; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
			sum += parents->weight[k] * (((const float*)Row(column, parents->parent[k]))[c] - first[c]);
		mean[c] = sum;
	}
}

static void WriteRule(const Column* column, uint32_t particle, const ParticleParents* parents)
{
	DRAPE_ASSERT(!parents || parents->parent[0] != particle);
	if (parents && column->rule == columnNearestParent)
		memcpy(Row(column, particle), Row(column, NearestParent(parents)), column->size);
	else if (parents && column->rule == columnMean)
		WriteMean(column, parents, (float*)Row(column, particle));
	else if (column->rule != columnScratch)
		memset(Row(column, particle), 0, column->size);
}

void drapeColumns_Create(Columns* columns, uint32_t particle, const ParticleParents* parents)
{
	for (uint32_t i = 0; i < columns->list.count; ++i)
		WriteRule(&columns->list.data[i], particle, parents);
}

void drapeColumns_Move(Columns* columns, uint32_t to, uint32_t from)
{
	DRAPE_ASSERT(to != from);
	for (uint32_t i = 0; i < columns->list.count; ++i)
	{
		const Column* column = &columns->list.data[i];
		if (column->rule != columnScratch)
			memcpy(Row(column, to), Row(column, from), column->size);
	}
}

// The change log lists particles in the order in which they were created: a particle comes after its parents.
void drapeColumns_Complete(ActiveMesh* mesh)
{
	Columns* columns = &mesh->columns;
	if (columns->revision == mesh->revision)
		return;
	columns->revision = mesh->revision;
	for (uint32_t c = 0; c < columns->list.count; ++c)
	{
		const Column* column = &columns->list.data[c];
		for (uint32_t i = 0; i < mesh->log.created.count && column->rule == columnCustom; ++i)
		{
			DRAPE_ASSERT(mesh->log.created.data[i] < mesh->particleCount);
			column->inherit(mesh, mesh->log.created.data[i], column->data);
		}
	}
}

void drapeColumns_InheritAll(ActiveMesh* mesh, uint32_t index)
{
	DRAPE_ASSERT(index < mesh->columns.list.count);
	const Column* column = &mesh->columns.list.data[index];
	for (uint32_t level = 1; level <= DRAPE_MAX_LEVEL; ++level)
	{
		for (uint32_t i = 0; i < mesh->particleCount; ++i)
		{
			if (mesh->level[i] != level)
				continue;
			if (column->rule == columnCustom)
				column->inherit(mesh, i, column->data);
			else
				WriteRule(column, i, &mesh->parents[i]);
		}
	}
}

void drapeColumns_Transfer(const Columns* source, const ParticleParents* from, Columns* target, uint32_t particle)
{
	DRAPE_ASSERT(from->parent[0] != DRAPE_NONE);
	for (uint32_t i = 0; i < target->list.count; ++i)
	{
		const Column* to = &target->list.data[i];
		uint32_t index = to->flags & drape_columnApplication ? drapeColumns_Find(source, to->name) : DRAPE_NONE;
		if (index == DRAPE_NONE || source->list.data[index].size != to->size)
			continue;
		const Column* own = &source->list.data[index];
		if (to->rule == columnMean)
			WriteMean(own, from, (float*)Row(to, particle));
		else
			memcpy(Row(to, particle), Row(own, NearestParent(from)), to->size);
	}
}

void drapeColumns_Loaded(ActiveMesh* mesh)
{
	mesh->columns.revision = mesh->revision;
	for (uint32_t i = 0; i < mesh->columns.list.count; ++i)
	{
		const Column* column = &mesh->columns.list.data[i];
		if (column->rule != columnScratch && !(column->flags & drape_columnSaved) && mesh->particleCount > 0)
			memset(column->data, 0, (size_t)mesh->particleCount * column->size);
	}
}

// --- all columns -----------------------------------------------------------------------------------------------------

void drapeColumns_Free(Columns* columns, uint32_t particleCapacity)
{
	for (uint32_t i = 0; i < columns->list.count; ++i)
		drapeMemFree(columns->list.data[i].data, (size_t)particleCapacity * columns->list.data[i].size);
	ArrayFree(&columns->list);
	columns->revision = 0;
}

size_t drapeColumns_Bytes(const Columns* columns, uint32_t particleCount)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < columns->list.count; ++i)
		bytes += (size_t)particleCount * columns->list.data[i].size;
	return bytes;
}

uint64_t drapeColumns_Hash(uint64_t hash, const Columns* columns, uint32_t particleCount)
{
	for (uint32_t i = 0; i < columns->list.count; ++i)
	{
		const Column* column = &columns->list.data[i];
		if (column->flags & drape_columnHashed)
			hash = drapeHash_Bytes(hash, column->data, (size_t)particleCount * column->size);
	}
	return hash;
}

uint64_t drapeColumns_Identity(const Columns* columns)
{
	uint64_t hash = 0;
	for (uint32_t i = 0; i < columns->list.count; ++i)
	{
		const Column* column = &columns->list.data[i];
		if (!(column->flags & drape_columnSaved))
			continue;
		hash = drapeHash_Bytes(hash, column->name, strlen(column->name) + 1);
		hash = Hash_U64(hash ^ ((uint64_t)column->size << 32 | (uint64_t)column->rule << 8 | column->flags));
	}
	return hash;
}
