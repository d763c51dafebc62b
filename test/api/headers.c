// SPDX-License-Identifier: MIT
#include "headers.h"

#include "../base/source_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "DRAPE_API";

static bool IsName(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Replaces comments and preprocessor lines by blanks.
static void Blank(char* text)
{
	bool isLineStart = true;
	for (char* c = text; *c;)
	{
		size_t length = strncmp(c, "//", 2) == 0 || (*c == '#' && isLineStart) ? strcspn(c, "\n") : 0;
		while (length > 0 && c[length] == '\n' && c[length - 1] == '\\')
			length += 1 + strcspn(c + length + 1, "\n");
		if (length > 0)
			memset(c, ' ', length);
		isLineStart = *c == '\n' || (isLineStart && isspace((unsigned char)*c));
		c += length > 0 ? length : 1;
	}
}

// Copies the name that ends before `end`, blanks between them left out.
static void CopyNameBefore(const char* begin, const char* end, char name[headerMaxName])
{
	while (end > begin && !IsName(end[-1]))
		end--;
	const char* first = end;
	while (first > begin && IsName(first[-1]))
		first--;
	assert_in_range(end - first, 1, headerMaxName - 1);
	memcpy(name, first, (size_t)(end - first));
	name[end - first] = '\0';
}

static void AddParameter(HeaderFunction* function, const char* begin, const char* end)
{
	static const char message[] = "drapeMessage*";
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	assert_true(function->parameterCount < headerMaxParameters);
	HeaderParameter* parameter = &function->parameters[function->parameterCount++];
	// An array has its name before the bracket.
	const char* bracket = memchr(begin, '[', (size_t)(end - begin));
	CopyNameBefore(begin, bracket ? bracket : end, parameter->name);
	bool isMessage = (size_t)(end - begin) > sizeof message && memcmp(begin, message, sizeof message - 1) == 0;
	bool isList = strcmp(parameter->name, "message") != 0 && strcmp(parameter->name, "error") != 0;
	parameter->rowName = isMessage && !isList ? "MESSAGE" : NULL;
}

// `text` begins after the mark. Returns false if no function follows.
static bool ReadFunction(const char* text, HeaderFunction* function)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL, *end = strchr(text, ';');
	if (!open || !close || !end || end < close)
		return false;
	CopyNameBefore(text, open, function->name);
	for (const char* begin = open + 1; begin < close;)
	{
		size_t length = strcspn(begin, ",)");
		char first[headerMaxName];
		CopyNameBefore(begin, begin + length, first);
		if (strcmp(first, "void") != 0)
			AddParameter(function, begin, begin + length);
		begin += length + 1;
	}
	return true;
}

static void ReadHeader(Headers* headers, const char* path, char* text)
{
	Blank(text);
	for (const char* at = text; (at = strstr(at, mark)) != NULL; at += sizeof mark - 1)
	{
		HeaderFunction function = {0};
		headers->markCount++;
		if (!ReadFunction(at + sizeof mark - 1, &function))
			continue;
		assert_true(strlen(path) < sizeof function.header);
		strcpy(function.header, path);
		headers->functions = realloc(headers->functions, (headers->functionCount + 1) * sizeof *headers->functions);
		assert_non_null(headers->functions);
		headers->functions[headers->functionCount++] = function;
	}
}

Headers Headers_Read(void)
{
	Headers headers = {0};
	Tree tree = Tree_OfProject();
	for (size_t i = 0; i < tree.count; ++i)
	{
		if (StartsWith(tree.files[i].path, "include/drape/"))
			ReadHeader(&headers, tree.files[i].path, tree.files[i].text);
	}
	Tree_Free(&tree);
	for (size_t i = 0; i < headers.functionCount; ++i)
	{
		for (uint32_t k = 0; k < headers.functions[i].parameterCount; ++k)
		{
			HeaderParameter* parameter = &headers.functions[i].parameters[k];
			parameter->rowName = parameter->rowName ? parameter->rowName : parameter->name;
		}
	}
	return headers;
}

void Headers_Free(Headers* headers)
{
	free(headers->functions);
	*headers = (Headers){0};
}

static bool HasParameter(const HeaderFunction* function, const char* parameter)
{
	if (strcmp(parameter, "ALL") == 0)
		return true;
	for (uint32_t i = 0; i < function->parameterCount; ++i)
	{
		if (strcmp(function->parameters[i].rowName, parameter) == 0)
			return true;
	}
	return false;
}

bool Headers_Has(const Headers* headers, const char* function, const char* parameter)
{
	for (size_t i = 0; i < headers->functionCount; ++i)
	{
		if (strcmp(headers->functions[i].name, function) == 0)
			return HasParameter(&headers->functions[i], parameter);
	}
	return false;
}

bool Headers_IsOptional(const char* header)
{
	static const char* const optional[] = {"include/drape/scene.h", "include/drape/render.h"};
	for (size_t i = 0; i < sizeof optional / sizeof optional[0]; ++i)
	{
		if (strcmp(header, optional[i]) == 0)
			return true;
	}
	return false;
}
