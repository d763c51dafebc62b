// SPDX-License-Identifier: MIT
#include "mesh/color_graph.h"

#include <string.h>

enum
{
	graphNone = 0xff,
};

void drapeColorGraph_Init(ColorGraph* graph, uint32_t arity)
{
	DRAPE_ASSERT(arity >= 2 && arity <= 4);
	*graph = (ColorGraph){.arity = arity};
}

// Eight floats more than needed: loops load eight parameters at once, also those of the last elements.
static size_t ColorBytes(const ColorGraph* graph, uint32_t capacity)
{
	size_t row = (graph->arity + 1) * sizeof(uint32_t) + 2 * sizeof(float);
	return capacity > 0 ? capacity * row + 8 * sizeof(float) : 0;
}

// Points the arrays of a colour into one block.
static void SetArrays(const ColorGraph* graph, GraphColor* color, void* block, uint32_t capacity)
{
	uint32_t* array = block;
	for (uint32_t k = 0; k < graph->arity; ++k, array += capacity)
		color->particle[k] = array;
	color->item = array;
	color->param[0] = (float*)(array + capacity);
	color->param[1] = color->param[0] + capacity;
	color->capacity = capacity;
}

static void CopyColor(const ColorGraph* graph, GraphColor* color, const GraphColor* from)
{
	for (uint32_t k = 0; k < graph->arity; ++k)
		memcpy(color->particle[k], from->particle[k], from->count * sizeof(uint32_t));
	memcpy(color->item, from->item, from->count * sizeof(uint32_t));
	memcpy(color->param[0], from->param[0], from->count * sizeof(float));
	memcpy(color->param[1], from->param[1], from->count * sizeof(float));
}

static bool GrowColor(const ColorGraph* graph, GraphColor* color, uint32_t needed)
{
	uint32_t capacity = MaxU32(MaxU32(64, needed), color->capacity + color->capacity / 2);
	capacity = (capacity + 15) & ~15u;
	void* block = drapeMemAllocZero(ColorBytes(graph, capacity));
	if (!block)
		return false;
	GraphColor old = *color;
	SetArrays(graph, color, block, capacity);
	if (old.capacity > 0)
		CopyColor(graph, color, &old);
	drapeMemFree(old.particle[0], ColorBytes(graph, old.capacity));
	return true;
}

// --- borrowed graphs ------------------------------------------------------------------------------------------------

void drapeColorGraph_Borrow(ColorGraph* graph)
{
	graph->isBorrowed = true;
	ArrayBorrow(&graph->taken);
	ArrayBorrow(&graph->itemColor);
	ArrayBorrow(&graph->itemSlot);
}

// Drops the elements of the lender.
static void Detach(ColorGraph* graph)
{
	if (!graph->isBorrowed)
		return;
	ArrayFree(&graph->taken);
	ArrayFree(&graph->itemColor);
	ArrayFree(&graph->itemSlot);
	*graph = (ColorGraph){.arity = graph->arity, .version = graph->version};
}

static void FreeColors(ColorGraph* graph)
{
	for (uint32_t c = 0; c < graphColors; ++c)
		drapeMemFree(graph->colors[c].particle[0], ColorBytes(graph, graph->colors[c].capacity));
}

// Copies the elements of the lender. False when out of memory: the graph still borrows them.
static bool Own(ColorGraph* graph)
{
	ColorGraph own = {.arity = graph->arity};
	if (!graph->isBorrowed)
		return true;
	if (!ArrayReserve(&graph->taken, graph->taken.count) || !ArrayReserve(&graph->itemColor, graph->itemColor.count) ||
	    !ArrayReserve(&graph->itemSlot, graph->itemSlot.count))
		return false;
	for (uint32_t c = 0; c < graphColors; ++c)
	{
		const GraphColor* from = &graph->colors[c];
		if (from->count == 0)
			continue;
		if (!GrowColor(&own, &own.colors[c], from->count))
		{
			FreeColors(&own);
			return false;
		}
		CopyColor(&own, &own.colors[c], from);
		own.colors[c].count = from->count;
	}
	memcpy(graph->colors, own.colors, sizeof own.colors);
	graph->isBorrowed = false;
	return true;
}

void drapeColorGraph_Destroy(ColorGraph* graph)
{
	Detach(graph);
	FreeColors(graph);
	ArrayFree(&graph->taken);
	ArrayFree(&graph->itemColor);
	ArrayFree(&graph->itemSlot);
	*graph = (ColorGraph){.arity = graph->arity};
}

void drapeColorGraph_Clear(ColorGraph* graph)
{
	Detach(graph);
	for (uint32_t c = 0; c < graphColors; ++c)
		graph->colors[c].count = 0;
	graph->colorCount = 0;
	graph->version++;
	if (graph->taken.count > 0)
		memset(graph->taken.data, 0, graph->taken.count * sizeof(uint64_t));
	if (graph->itemColor.count > 0)
		memset(graph->itemColor.data, graphNone, graph->itemColor.count);
}

bool drapeColorGraph_ReserveItems(ColorGraph* graph, uint32_t itemCount, uint32_t particleCount)
{
	if (!Own(graph) || !ArrayReserve(&graph->taken, particleCount) || !ArrayReserve(&graph->itemColor, itemCount) ||
	    !ArrayReserve(&graph->itemSlot, itemCount))
		return false;
	if (graph->taken.count < particleCount)
	{
		memset(graph->taken.data + graph->taken.count, 0, (particleCount - graph->taken.count) * sizeof(uint64_t));
		graph->taken.count = particleCount;
	}
	if (graph->itemColor.count < itemCount)
	{
		memset(graph->itemColor.data + graph->itemColor.count, graphNone, itemCount - graph->itemColor.count);
		graph->itemColor.count = graph->itemSlot.count = itemCount;
	}
	return true;
}

bool drapeColorGraph_ReserveColor(ColorGraph* graph, uint32_t color, uint32_t count)
{
	DRAPE_ASSERT(color < graphColors);
	return Own(graph) && (count <= graph->colors[color].capacity || GrowColor(graph, &graph->colors[color], count));
}

static bool AddTo(ColorGraph* graph, uint32_t c, uint32_t item, const GraphElement* element)
{
	DRAPE_ASSERT(c < graphColors && item < graph->itemColor.count && graph->itemColor.data[item] == graphNone);
	GraphColor* color = &graph->colors[c];
	if (color->count == color->capacity && !GrowColor(graph, color, color->count + 1))
		return false;
	uint32_t slot = color->count++;
	graph->version++;
	for (uint32_t k = 0; k < graph->arity; ++k)
	{
		DRAPE_ASSERT(element->particle[k] < graph->taken.count);
		DRAPE_ASSERT(c == graphOverflow || !(graph->taken.data[element->particle[k]] >> c & 1));
		color->particle[k][slot] = element->particle[k];
		if (c != graphOverflow)
			graph->taken.data[element->particle[k]] |= (uint64_t)1 << c;
	}
	color->param[0][slot] = element->param[0];
	color->param[1][slot] = element->param[1];
	color->item[slot] = item;
	graph->itemColor.data[item] = (uint8_t)c;
	graph->itemSlot.data[item] = slot;
	if (c != graphOverflow)
		graph->colorCount = MaxU32(graph->colorCount, c + 1);
	return true;
}

static bool Add(ColorGraph* graph, uint32_t item, const GraphElement* element)
{
	uint64_t taken = (uint64_t)1 << graphOverflow;
	for (uint32_t k = 0; k < graph->arity; ++k)
		taken |= graph->taken.data[element->particle[k]];
	uint32_t color = ~taken == 0 ? graphOverflow : (uint32_t)__builtin_ctzll(~taken);
	return AddTo(graph, color, item, element);
}

static void Remove(ColorGraph* graph, uint32_t item)
{
	uint32_t c = graph->itemColor.data[item];
	if (c == graphNone)
		return;
	GraphColor* color = &graph->colors[c];
	DRAPE_ASSERT(color->count > 0 && color->item[graph->itemSlot.data[item]] == item);
	uint32_t slot = graph->itemSlot.data[item], last = --color->count;
	for (uint32_t k = 0; k < graph->arity; ++k)
	{
		if (c != graphOverflow)
			graph->taken.data[color->particle[k][slot]] &= ~((uint64_t)1 << c);
		color->particle[k][slot] = color->particle[k][last];
	}
	color->param[0][slot] = color->param[0][last];
	color->param[1][slot] = color->param[1][last];
	color->item[slot] = color->item[last];
	graph->itemSlot.data[color->item[slot]] = slot;
	graph->itemColor.data[item] = graphNone;
	graph->version++;
}

// Updates the parameters of an element. False when it is not in the graph with its present particles.
static bool Refresh(ColorGraph* graph, uint32_t item, GraphDescribeFcn* describe, const void* context)
{
	GraphElement element;
	uint32_t c = graph->itemColor.data[item];
	if (c == graphNone || !describe(context, item, &element))
		return false;
	GraphColor* color = &graph->colors[c];
	uint32_t slot = graph->itemSlot.data[item];
	for (uint32_t k = 0; k < graph->arity; ++k)
	{
		if (color->particle[k][slot] != element.particle[k])
			return false;
	}
	color->param[0][slot] = element.param[0];
	color->param[1][slot] = element.param[1];
	return true;
}

bool drapeColorGraph_Build(ColorGraph* graph, uint32_t itemCount, uint32_t particleCount, GraphDescribeFcn* describe,
                           const void* context)
{
	drapeColorGraph_Clear(graph);
	if (!drapeColorGraph_ReserveItems(graph, itemCount, particleCount))
		return false;
	for (uint32_t item = 0; item < itemCount; ++item)
	{
		GraphElement element;
		if (describe(context, item, &element) && !Add(graph, item, &element))
		{
			drapeColorGraph_Clear(graph);
			return false;
		}
	}
	return true;
}

bool drapeColorGraph_Update(ColorGraph* graph, const BitSet* touched, uint32_t oldCount, uint32_t newCount,
                            uint32_t particleCount, GraphDescribeFcn* describe, const void* context)
{
	if (!drapeColorGraph_ReserveItems(graph, MaxU32(oldCount, newCount), particleCount))
	{
		drapeColorGraph_Clear(graph);
		return false;
	}
	// All removals come first, because they use the old particles of the elements. Elements that keep their particles
	// keep their slot.
	for (uint32_t i = BitSet_Next(touched, 0, oldCount); i != DRAPE_NONE; i = BitSet_Next(touched, i + 1, oldCount))
	{
		if (i >= newCount || !Refresh(graph, i, describe, context))
			Remove(graph, i);
	}
	for (uint32_t i = BitSet_Next(touched, 0, newCount); i != DRAPE_NONE; i = BitSet_Next(touched, i + 1, newCount))
	{
		GraphElement element;
		if (graph->itemColor.data[i] == graphNone && describe(context, i, &element) && !Add(graph, i, &element))
		{
			drapeColorGraph_Clear(graph);
			return false;
		}
	}
	while (graph->colorCount > 0 && graph->colors[graph->colorCount - 1].count == 0)
		graph->colorCount--;
	return true;
}

bool drapeColorGraph_Restore(ColorGraph* graph, uint32_t color, uint32_t item, uint32_t particleCount,
                             GraphDescribeFcn* describe, const void* context)
{
	GraphElement element;
	return drapeColorGraph_ReserveItems(graph, item + 1, particleCount) && describe(context, item, &element) &&
	       AddTo(graph, color, item, &element);
}

// --- loops ----------------------------------------------------------------------------------------------------------

typedef struct RangeTask
{
	const GraphColor* color;
	GraphRangeFcn* fcn;
	void* context;
} RangeTask;

static void RunRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const RangeTask* task = context;
	task->fcn(task->color, start, end, task->context);
}

void drapeColorGraph_For(const ColorGraph* graph, TaskPool* tasks, GraphRangeFcn* fcn, void* context)
{
	for (uint32_t c = 0; c < graph->colorCount; ++c)
	{
		RangeTask task = {&graph->colors[c], fcn, context};
		if (task.color->count > 0)
			drapeTaskPool_For(tasks, task.color->count, graphGrain, RunRange, &task);
	}
	const GraphColor* overflow = &graph->colors[graphOverflow];
	for (uint32_t i = 0; i < overflow->count; ++i)
		fcn(overflow, i, i + 1, context);
}

const char* drapeColorGraph_Validate(const ColorGraph* graph, uint32_t particleCount)
{
	for (uint32_t c = 0; c < graphOverflow; ++c)
	{
		const GraphColor* color = &graph->colors[c];
		uint32_t holders = 0;
		for (uint32_t p = 0; p < MinU32(particleCount, graph->taken.count); ++p)
			holders += (uint32_t)(graph->taken.data[p] >> c & 1);
		if (holders != color->count * graph->arity)
			return "two elements of one colour share a particle";
		for (uint32_t i = 0; i < color->count; ++i)
		{
			if (graph->itemColor.data[color->item[i]] != c || graph->itemSlot.data[color->item[i]] != i)
				return "an element does not know its colour";
		}
	}
	return NULL;
}
