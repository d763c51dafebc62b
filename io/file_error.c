// SPDX-License-Identifier: MIT
#include "io.h"

#include <stdio.h>
#include <string.h>

// A long path is shortened at its start, so that its end and the sentence after it fit.
#define SHOWN_NAME 200

drapeResult drapeFileError_SetAt(drapeMessage* error, drapeResult result, const char* name, uint32_t line,
                                 uint32_t column, const char* format, va_list arguments)
{
	assert(result != drape_ok);
	if (!error)
		return result;
	error->result = result;
	error->line = line;

	size_t nameLength = strlen(name);
	const char* cut = nameLength > SHOWN_NAME ? "..." : "";
	const char* shown = nameLength > SHOWN_NAME ? name + nameLength - SHOWN_NAME : name;
	char place[32] = "";
	if (line > 0 && column > 0)
		snprintf(place, sizeof place, ":%u:%u", line, column);
	else if (line > 0)
		snprintf(place, sizeof place, ":%u", line);
	int length = snprintf(error->text, sizeof error->text, "%s%s%s: ", cut, shown, place);
	assert(length > 0 && (size_t)length < sizeof error->text);
	vsnprintf(error->text + length, sizeof error->text - (size_t)length, format, arguments);
	return result;
}

drapeResult drapeFileError_Set(drapeMessage* error, drapeResult result, const char* name, uint32_t line,
                               const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	drapeFileError_SetAt(error, result, name, line, 0, format, arguments);
	va_end(arguments);
	return result;
}

drapeResult drapeFileError_Refuse(drapeMessage* error, const char* format, ...)
{
	va_list arguments;
	if (!error)
		return drape_errorArgument;
	*error = (drapeMessage){.result = drape_errorArgument};
	va_start(arguments, format);
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
	return drape_errorArgument;
}

drapeResult drapeFileError_CheckPointers(drapeMessage* error, const char* names, const void* const* pointers)
{
	for (; *names; ++pointers)
	{
		int length = (int)strcspn(names, "|");
		if (!*pointers)
			return drapeFileError_Refuse(error, "%.*s is NULL", length, names);
		names += length + (names[length] == '|');
	}
	return drape_ok;
}

drapeResult drapeFileError_SetSystem(drapeMessage* error, const char* name, const char* action, int code)
{
	char reason[128];
	if (strerror_r(code, reason, sizeof reason) != 0)
		snprintf(reason, sizeof reason, "system error %d", code);
	return drapeFileError_Set(error, drape_errorFile, name, 0, "cannot %s: %s", action, reason);
}

Quoted drapeQuote(const char* text, size_t length)
{
	enum
	{
		shownLength = 40
	};
	Quoted quoted;
	size_t used = 0;
	size_t i = 0;
	for (; i < length && used + 4 <= shownLength; ++i)
	{
		unsigned char byte = (unsigned char)text[i];
		if (byte >= 32 && byte < 127)
			quoted.text[used++] = (char)byte;
		else
			used += (size_t)snprintf(quoted.text + used, sizeof quoted.text - used, "\\x%02X", byte);
	}
	snprintf(quoted.text + used, sizeof quoted.text - used, "%s", i < length ? "..." : "");
	return quoted;
}
