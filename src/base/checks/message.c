// SPDX-License-Identifier: MIT
#include "base/checks/message.h"

#include <stdio.h>

drapeResult drapeFailV(drapeMessage* message, drapeResult result, const char* format, va_list arguments)
{
	DRAPE_ASSERT(result != drape_ok && format);
	if (message)
	{
		message->result = result;
		message->line = 0;
		vsnprintf(message->text, sizeof message->text, format, arguments);
	}
	return result;
}

drapeResult drapeFail(drapeMessage* message, drapeResult result, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	drapeFailV(message, result, format, arguments);
	va_end(arguments);
	return result;
}

void drapeRefuse_Assert(const char* sentence)
{
#ifndef NDEBUG
	if (drapeInternalAssert(sentence, "a refused argument", 0))
		DRAPE_BREAK();
#else
	(void)sentence;
#endif
}

drapeResult drapeRefuse(drapeMessage* message, const char* format, ...)
{
	drapeMessage own, *used = message ? message : &own;
	va_list arguments;
	va_start(arguments, format);
	drapeFailV(used, drape_errorArgument, format, arguments);
	va_end(arguments);
	drapeRefuse_Assert(used->text);
	return drape_errorArgument;
}

drapeResult drapeFail_Memory(drapeMessage* message)
{
	return drapeFail(message, drape_errorMemory, "out of memory");
}
