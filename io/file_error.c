// SPDX-License-Identifier: MIT
#include "io.h"

#include <stdio.h>
#include <string.h>

// Of a long path the end tells most; the sentence behind it must fit too.
#define SHOWN_NAME 200

drapeResult FileError_Set(drapeFileError* error, drapeResult result, const char* name, uint32_t line,
                          const char* format, ...)
{
	assert(result != drape_ok);
	if (!error)
		return result;
	error->result = result;
	error->line = line;

	size_t nameLength = strlen(name);
	const char* cut = nameLength > SHOWN_NAME ? "..." : "";
	const char* shown = nameLength > SHOWN_NAME ? name + nameLength - SHOWN_NAME : name;
	int length = line > 0 ? snprintf(error->text, sizeof error->text, "%s%s:%u: ", cut, shown, line)
	                      : snprintf(error->text, sizeof error->text, "%s%s: ", cut, shown);
	assert(length > 0 && (size_t)length < sizeof error->text);

	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->text + length, sizeof error->text - (size_t)length, format, arguments);
	va_end(arguments);
	return result;
}

drapeResult FileError_SetSystem(drapeFileError* error, const char* name, const char* action, int code)
{
	char reason[128];
	if (strerror_r(code, reason, sizeof reason) != 0)
		snprintf(reason, sizeof reason, "system error %d", code);
	return FileError_Set(error, drape_errorFile, name, 0, "cannot %s: %s", action, reason);
}

Quoted Quote(const char* text, size_t length)
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
