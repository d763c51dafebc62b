// SPDX-License-Identifier: MIT
#include "source_tree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool StartsWith(const char* text, const char* start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

bool Tree_Has(const Tree* tree, const char* folder, size_t folderLength, const char* name)
{
	for (size_t i = 0; i < tree->count; ++i)
	{
		const char* path = tree->files[i].path;
		if (strncmp(path, folder, folderLength) == 0 && strcmp(path + folderLength, name) == 0)
			return true;
	}
	return false;
}

static bool IsSource(const char* name)
{
	static const char* const endings[] = {".c", ".h", ".cpp", ".hpp", ".cc", ".inc", ".inl"};
	const char* dot = strrchr(name, '.');
	for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; ++i)
	{
		if (strcmp(dot, endings[i]) == 0)
			return true;
	}
	return false;
}

static char* ReadText(const char* path, size_t size)
{
	FILE* file = fopen(path, "rb");
	assert_non_null(file);
	char* text = calloc(size + 1, 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, size, file), size);
	fclose(file);
	return text;
}

static void Tree_AddFolder(Tree* tree, const char* folder)
{
	DIR* directory = opendir(folder);
	if (!directory)
		return;
	for (struct dirent* entry; (entry = readdir(directory));)
	{
		SourceFile file;
		struct stat status;
		if (entry->d_name[0] == '.')
			continue;
		int length = snprintf(file.path, sizeof file.path, "%s/%s", folder, entry->d_name);
		assert_in_range(length, 1, sizeof file.path - 1);
		assert_int_equal(stat(file.path, &status), 0);
		if (S_ISDIR(status.st_mode))
			Tree_AddFolder(tree, file.path);
		if (!S_ISREG(status.st_mode) || !IsSource(file.path))
			continue;
		file.text = ReadText(file.path, (size_t)status.st_size);
		tree->files = realloc(tree->files, (tree->count + 1) * sizeof(SourceFile));
		assert_non_null(tree->files);
		tree->files[tree->count++] = file;
	}
	closedir(directory);
}

Tree Tree_OfProject(void)
{
	Tree tree = {0};
	static const char* const folders[] = {"src", "io", "render", "app", "include"};
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i)
		Tree_AddFolder(&tree, folders[i]);
	assert_true(Tree_Has(&tree, "src/", 4, "base/base.h")); // run from the root of the project
	return tree;
}

void Tree_Free(Tree* tree)
{
	for (size_t i = 0; i < tree->count; ++i)
		free(tree->files[i].text);
	free(tree->files);
}
