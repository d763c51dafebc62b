// SPDX-License-Identifier: MIT
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names of sequences: one file per frame, with a variable for the number.

// A number has at most this many digits.
#define MAX_DIGITS 9

// A variable within a pattern: characters [at, at + length).
typedef struct FrameVariable
{
	size_t at, length; // a length of 0: the pattern has none
	int digits;        // least number of digits
} FrameVariable;

static bool IsDigit(char c)
{
	return c >= '0' && c <= '9';
}

// "$F" or "$F4".
static FrameVariable MatchDollar(const char* text)
{
	if (text[0] != '$' || text[1] != 'F')
		return (FrameVariable){0};
	bool hasWidth = text[2] >= '1' && text[2] <= '9';
	return (FrameVariable){.length = hasWidth ? 3 : 2, .digits = hasWidth ? text[2] - '0' : 1};
}

// "%d" or "%04d".
static FrameVariable MatchPercent(const char* text)
{
	if (text[0] != '%')
		return (FrameVariable){0};
	size_t length = 1;
	int digits = 1;
	if (text[1] == '0' && text[2] >= '1' && text[2] <= '9')
	{
		digits = text[2] - '0';
		length = 3;
	}
	return text[length] == 'd' ? (FrameVariable){.length = length + 1, .digits = digits} : (FrameVariable){0};
}

// "##" and longer. A single # is a character of the name.
static FrameVariable MatchHashes(const char* text)
{
	size_t length = strspn(text, "#");
	if (length < 2 || length > MAX_DIGITS)
		return (FrameVariable){0};
	return (FrameVariable){.length = length, .digits = (int)length};
}

// The first variable at or behind character `from`. Folders may have % and # in their names, and $F only stands for a
// number.
static FrameVariable FindVariable(const char* pattern, size_t from)
{
	const char* slash = strrchr(pattern, '/');
	size_t name = slash ? (size_t)(slash + 1 - pattern) : 0, length = strlen(pattern);
	for (size_t i = from; i < length; ++i)
	{
		FrameVariable found = MatchDollar(pattern + i);
		if (found.length == 0 && i >= name)
			found = pattern[i] == '%' ? MatchPercent(pattern + i) : MatchHashes(pattern + i);
		if (found.length > 0)
		{
			found.at = i;
			return found;
		}
	}
	return (FrameVariable){.at = length};
}

bool drapeFrameName_IsSequence(const char* pattern)
{
	return pattern && FindVariable(pattern, 0).length > 0;
}

bool drapeFrameName_IsValid(const char* pattern)
{
	if (!pattern)
		return false;
	FrameVariable variable = FindVariable(pattern, 0);
	if (variable.length == 0)
		return strchr(pattern, '$') == NULL;
	const char* rest = pattern + variable.at + variable.length;
	return memchr(pattern, '$', variable.at) == NULL && strchr(rest, '$') == NULL &&
	       FindVariable(pattern, variable.at + variable.length).length == 0;
}

int drapeFrameName_Format(const char* pattern, uint32_t frame, char* path, size_t capacity)
{
	if (path && capacity > 0)
		path[0] = '\0';
	if (!pattern || (!path && capacity > 0))
		return 0;
	FrameVariable variable = FindVariable(pattern, 0);
	if (variable.length == 0)
		return snprintf(path, capacity, "%s", pattern);
	return snprintf(path, capacity, "%.*s%0*u%s", (int)variable.at, pattern, variable.digits, frame,
	                pattern + variable.at + variable.length);
}

// The number in a name; false if the name is not of this form. `before` and `after` surround the number.
static bool ParseName(const char* name, const char* before, size_t beforeLength, const char* after, int digits,
                      uint32_t* frame)
{
	if (strncmp(name, before, beforeLength) != 0)
		return false;
	const char* number = name + beforeLength;
	int count = 0;
	while (IsDigit(number[count]) && count <= MAX_DIGITS)
		++count;
	// More digits than asked only where the number needs them.
	if (count < digits || count > MAX_DIGITS || (count > digits && number[0] == '0') || strcmp(number + count, after))
		return false;
	*frame = (uint32_t)strtoul(number, NULL, 10);
	return true;
}

bool drapeFrameName_Parse(const char* pattern, const char* path, uint32_t* frame)
{
	if (!pattern || !path || !frame)
		return false;
	FrameVariable variable = FindVariable(pattern, 0);
	return variable.length > 0 &&
	       ParseName(path, pattern, variable.at, pattern + variable.at + variable.length, variable.digits, frame);
}

// --- the files of a sequence ---

static void AddFrame(drapeFrameRange* range, uint32_t frame)
{
	range->first = range->count == 0 || frame < range->first ? frame : range->first;
	range->last = range->count == 0 || frame > range->last ? frame : range->last;
	range->count++;
}

// Calls AddFrame for each file of the folder that belongs to the sequence and has a number from `from` on.
static drapeResult ScanFolder(const char* folder, const char* pattern, const FrameVariable* variable, uint32_t from,
                              drapeFrameRange* range)
{
	const char* slash = strrchr(pattern, '/');
	const char* name = slash ? slash + 1 : pattern;
	size_t before = variable->at - (size_t)(name - pattern);
	DIR* directory = opendir(folder);
	if (!directory)
		return errno == ENOMEM ? drape_errorMemory : drape_errorFile;
	const struct dirent* entry;
	uint32_t frame;
	while ((entry = readdir(directory)) != NULL)
	{
		if (ParseName(entry->d_name, name, before, pattern + variable->at + variable->length, variable->digits,
		              &frame) &&
		    frame >= from)
			AddFrame(range, frame);
	}
	closedir(directory);
	return drape_ok;
}

drapeResult drapeFrameName_FindRange(const char* pattern, uint32_t from, drapeFrameRange* range, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "pattern|range", (const void*[]){pattern, range});
	if (range)
		*range = (drapeFrameRange){0};
	if (result != drape_ok)
		return result;
	FrameVariable variable = FindVariable(pattern, 0);
	const char* slash = strrchr(pattern, '/');
	// A number in the name of a folder is not looked for.
	if (variable.length == 0 || (slash && (size_t)(slash - pattern) > variable.at))
		return drapeFileError_Refuse(error, "%.200s: the name of the file has no variable, expected one such as $F4",
		                             pattern);
	size_t length = slash ? (size_t)(slash + 1 - pattern) : 1;
	char* folder = drapeAlloc(length + 1);
	if (!folder)
		return drapeFileError_Set(error, drape_errorMemory, pattern, 0, "out of memory");
	memcpy(folder, slash ? pattern : ".", length);
	folder[length] = 0;
	result = ScanFolder(folder, pattern, &variable, from, range);
	if (result == drape_errorFile)
		drapeFileError_Set(error, result, pattern, 0, "its folder cannot be read");
	else if (result != drape_ok)
		drapeFileError_Set(error, result, pattern, 0, "out of memory");
	drapeFree(folder, length + 1);
	return result;
}
