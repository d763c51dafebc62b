// SPDX-License-Identifier: MIT
#include "contact/broad/primitives.h"

bool drapePairList_Fill(PairList* list, uint32_t count, uint32_t grain, ChunkFcn* fcn, const void* context,
                        TaskPool* tasks)
{
	list->pairs.count = 0;
	list->tests = 0;
	if (!drapeChunkList_Fill(&list->chunks, sizeof(PrimitivePair), count, grain, fcn, context, tasks))
		return false;
	list->tests = drapeChunkList_Tests(&list->chunks);
	return ChunkList_Join(&list->chunks, &list->pairs);
}

void drapePairList_Free(PairList* list)
{
	drapeChunkList_Free(&list->chunks);
	ArrayFree(&list->pairs);
	list->tests = 0;
}
