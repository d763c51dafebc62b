// SPDX-License-Identifier: MIT
#pragma once

// The source files of the project, for tests that read them.

#include "support.h"

typedef struct SourceFile
{
	char path[256]; // from the root of the project, e.g. src/base/alloc.c
	char* text;
} SourceFile;

typedef struct Tree
{
	SourceFile* files;
	size_t count;
} Tree;

// The files of src/, io/, render/, app/ and include/. Run from the root of the project.
Tree Tree_OfProject(void);
void Tree_Free(Tree* tree);

// Whether the tree has the file `name` in the folder that the first letters of `folder` name, with a slash at the end.
bool Tree_Has(const Tree* tree, const char* folder, size_t folderLength, const char* name);

bool StartsWith(const char* text, const char* start);
