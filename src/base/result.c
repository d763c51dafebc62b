// SPDX-License-Identifier: MIT
#include "base/base.h"

const char* drapeResult_GetText(drapeResult result)
{
	static const char* const strings[] = {
		[drape_ok] = "done",
		[drape_errorArgument] = "invalid argument",
		[drape_errorMemory] = "out of memory",
		[drape_errorData] = "unusable data",
		[drape_errorFile] = "file could not be read or written",
		[drape_errorLimit] = "too large",
		[drape_errorCancelled] = "cancelled",
		[drape_errorBlocked] = "blocked by the neighbourhood",
	};
	return (unsigned)result < sizeof strings / sizeof strings[0] ? strings[result] : "unknown result";
}

drapeVersion drapeGetVersion(void)
{
	return (drapeVersion){DRAPE_VERSION_MAJOR, DRAPE_VERSION_MINOR, DRAPE_VERSION_PATCH};
}
