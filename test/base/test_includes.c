// SPDX-License-Identifier: MIT
#include "source_tree.h"

#include <stdio.h>
#include <string.h>

// The modules of src/ and the modules that each may include. The table has exactly the edges that are used. A module
// may include itself and the public headers. io/, render/ and each folder of app/ may include the public headers and
// themselves. bench/, fuzz/ and test/ may include any header.
static const struct
{
	const char* module;
	const char* includes[8]; // ends at the first NULL
} plan[] = {
	{"base", {NULL}},
	{"mesh", {"base"}},
	{"adapt", {"base", "mesh"}},
	{"model", {"base", "mesh"}},
	{"contact", {"base", "mesh"}},
	{"surface", {"base", "mesh"}},
	{"solve", {"base", "mesh", "model", "contact"}},
	{"world", {"base", "mesh", "adapt", "model", "contact", "surface", "solve"}},
};

enum
{
	moduleCount = sizeof plan / sizeof plan[0]
};

static int FindModule(const char* name, size_t length)
{
	for (int i = 0; i < moduleCount; ++i)
	{
		if (strlen(plan[i].module) == length && strncmp(plan[i].module, name, length) == 0)
			return i;
	}
	return -1;
}

// Returns the module of a path such as "base/alloc.h", or -1.
static int LeadingModule(const char* path)
{
	const char* slash = strchr(path, '/');
	return slash ? FindModule(path, (size_t)(slash - path)) : -1;
}

// Returns the problem of an #include in a file of src/, or NULL.
static const char* CheckCore(const char* path, const char* include)
{
	int from = LeadingModule(path + strlen("src/"));
	int to = LeadingModule(include);
	if (from < 0)
		return "is in no module of the table";
	if (to < 0)
		return "must be written as \"module/file.h\" or \"drape/file.h\"";
	if (to == from)
		return NULL;
	for (int i = 0; plan[from].includes[i]; ++i)
	{
		if (strcmp(plan[from].includes[i], plan[to].module) == 0)
			return NULL;
	}
	return "is an edge that is not in the table";
}

// Returns the problem of an #include in a file of io/, render/ or app/, or NULL. An own header is in the file's folder,
// or in the top folder of its library or program: io/ or app/cli/.
static const char* CheckOutside(const Tree* tree, const char* path, const char* include)
{
	size_t folder = (size_t)(strrchr(path, '/') + 1 - path);
	const char* top = strchr(path, '/') + 1;
	if (StartsWith(path, "app/") && strchr(top, '/'))
		top = strchr(top, '/') + 1;
	if (Tree_Has(tree, path, folder, include) || Tree_Has(tree, path, (size_t)(top - path), include))
		return NULL;
	return "is neither a public header nor in the same folder";
}

static const char* CheckInclude(const Tree* tree, const char* path, const char* include, bool quoted)
{
	if (strstr(include, ".."))
		return "climbs out of its folder";
	bool core = StartsWith(path, "src/");
	if (!quoted)
		return LeadingModule(include) >= 0 ? "uses angle brackets for a header of the core" : NULL;
	if (StartsWith(include, "drape/"))
		return NULL;
	if (core)
		return CheckCore(path, include);
	if (StartsWith(path, "include/"))
		return "is not a public header";
	return CheckOutside(tree, path, include);
}

// Finds the next #include of the text. Returns the rest of the text, or NULL at the end.
static const char* NextInclude(const char* text, char include[256], bool* quoted)
{
	while (*text)
	{
		const char* line = text;
		size_t length = strcspn(line, "\n");
		text = line + length + (line[length] == '\n');
		line += strspn(line, " \t");
		if (*line != '#')
			continue;
		line += 1 + strspn(line + 1, " \t");
		if (!StartsWith(line, "include"))
			continue;
		line += strlen("include");
		line += strspn(line, " \t");
		size_t name = *line == '"' || *line == '<' ? strcspn(line + 1, "\">\n") : 0;
		if (name == 0 || name >= 256)
			continue;
		*quoted = *line == '"';
		memcpy(include, line + 1, name);
		include[name] = 0;
		return text;
	}
	return NULL;
}

typedef struct Findings
{
	int includes, bad;
	char last[800]; // the last problem
} Findings;

static Findings CheckTree(const Tree* tree, bool print)
{
	Findings findings = {0};
	for (size_t i = 0; i < tree->count; ++i)
	{
		char include[256];
		bool quoted;
		const char* path = tree->files[i].path;
		for (const char* at = tree->files[i].text; (at = NextInclude(at, include, &quoted));)
		{
			findings.includes++;
			const char* wrong = CheckInclude(tree, path, include, quoted);
			if (!wrong)
				continue;
			findings.bad++;
			snprintf(findings.last, sizeof findings.last, "%.255s: %.255s %.255s", path, include, wrong);
			if (print)
				print_error("%s\n", findings.last);
		}
	}
	return findings;
}

static void EveryIncludeIsInTheTable(void** state)
{
	(void)state;
	Tree tree = Tree_OfProject();
	Findings findings = CheckTree(&tree, true);
	print_message("%d includes in %zu files\n", findings.includes, tree.count);
	Tree_Free(&tree);
	assert_true(findings.includes > 0);
	assert_int_equal(findings.bad, 0);
}

// Marks used[from][to] for each #include of a module's header by another module.
static void FindUsedEdges(const Tree* tree, bool used[moduleCount][moduleCount])
{
	for (size_t i = 0; i < tree->count; ++i)
	{
		char include[256];
		bool quoted;
		const char* path = tree->files[i].path;
		int from = StartsWith(path, "src/") ? LeadingModule(path + strlen("src/")) : -1;
		for (const char* at = tree->files[i].text; from >= 0 && (at = NextInclude(at, include, &quoted));)
		{
			int to = quoted ? LeadingModule(include) : -1;
			if (to >= 0)
				used[from][to] = true;
		}
	}
}

static void EveryEdgeOfTheTableIsUsed(void** state)
{
	(void)state;
	bool used[moduleCount][moduleCount] = {{false}};
	int unused = 0;
	Tree tree = Tree_OfProject();
	FindUsedEdges(&tree, used);
	Tree_Free(&tree);
	for (int module = 0; module < moduleCount; ++module)
	{
		for (int i = 0; plan[module].includes[i]; ++i)
		{
			const char* name = plan[module].includes[i];
			if (used[module][FindModule(name, strlen(name))])
				continue;
			unused++;
			print_error("no file of src/%s includes src/%s\n", plan[module].module, name);
		}
	}
	assert_int_equal(unused, 0);
}

// Checks a small project with one file changed per case. Returns its problem, or "".
static const char* CheckFakeTree(const char* path, const char* text)
{
	static Findings findings;
	SourceFile files[] = {
		{"src/base/base.h", "#include \"drape/base.h\"\n#include <assert.h>\n"},
		{"src/mesh/topology.h", "#pragma once\n#include \"base/base.h\"\n"},
		{"src/solve/pcg.h", "#include \"model/fem.h\"\n#include \"contact/broad/bvh.h\""},
		{"src/world/step.c", "#include \"solve/pcg.h\"\n#include \"surface/normals.h\"\n"},
		{"include/drape/mesh.h", "#include \"drape/base.h\"\n"},
		{"io/obj.c", "#include \"drape/io.h\"\n#include \"text.h\"\n"},
		{"io/text.h", ""},
		{"app/cli/main.c", "#include \"drape/world.h\"\n#include \"options.h\"\n#include \"parts/bar.h\"\n"},
		{"app/cli/options.h", ""},
		{"app/cli/parts/bar.h", "#include \"options.h\"\n#include \"colour.h\"\n"},
		{"app/cli/parts/colour.h", ""},
		{"app/studio/window.h", ""},
		{"", ""}, // the case
	};
	size_t count = sizeof files / sizeof files[0];
	char changed[512];
	snprintf(changed, sizeof changed, "%s", text);
	snprintf(files[count - 1].path, sizeof files[count - 1].path, "%s", path);
	files[count - 1].text = changed;
	findings = CheckTree(&(Tree){files, count}, false);
	assert_true(findings.bad <= 1);
	return findings.last;
}

static void ProjectThatFollowsTheTablePasses(void** state)
{
	(void)state;
	static const char* const good[][2] = {
		{"", ""},
		{"src/adapt/edge.c", "#include \"mesh/topology.h\"\n#include \"base/base.h\"\n#include \"adapt/scheme.h\"\n"},
		{"src/contact/seams.c", "#include \"mesh/topology.h\"\n"},
		{"src/contact/broad/bvh.c",
	     "// #include \"solve/pcg.h\"\nconst char* text = \"#include\";\n#include <math.h>\n"},
		{"app/cli/run.c", "#include <drape/world.h>\n#include <jansson.h>\n"},
		{"src/base/x.c", "#include NAME\n#includ \"solve/pcg.h\"\n#define include\n"},
	};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i)
		assert_string_equal(CheckFakeTree(good[i][0], good[i][1]), "");
}

static void BadIncludesAreCaught(void** state)
{
	(void)state;
	static const char* const bad[][3] = {
		{"src/base/x.c", "#include \"mesh/topology.h\"\n", "not in the table"},
		{"src/mesh/x.c", "#include \"base/base.h\"\n#include \"solve/pcg.h\"", "not in the table"},
		{"src/model/x.c", "#include \"contact/broad/bvh.h\"\n", "not in the table"},
		{"src/adapt/x.c", "  #  include\t\"model/fem.h\"\n", "not in the table"},
		{"src/surface/x.c", "#include \"world/step.h\"\n", "not in the table"},
		{"src/solve/x.c", "#include \"surface/normals.h\"\r\n", "not in the table"},
		{"src/base/x.c", "#include \"base.h\"\n", "must be written as"},
		{"src/mesh/x.c", "#include \"src/base/base.h\"\n", "must be written as"},
		{"src/mesh/x.c", "#include \"../base/base.h\"\n", "climbs out"},
		{"src/mesh/x.c", "#include <solve/pcg.h>\n", "angle brackets"},
		{"src/attic/x.c", "#include \"base/base.h\"\n", "no module of the table"},
		{"src/x.c", "#include \"base/base.h\"\n", "no module of the table"},
		{"include/drape/x.h", "#include \"base/base.h\"\n", "not a public header"},
		{"include/drape/x.h", "#include \"mesh.h\"\n", "not a public header"},
		{"io/x.c", "#include \"base/alloc.h\"\n", "neither a public header"},
		{"io/x.c", "#include <base/alloc.h>\n", "angle brackets"},
		{"app/cli/x.c", "#include \"mesh/topology.h\"\n", "neither a public header"},
		{"app/cli/x.c", "#include \"window.h\"\n", "neither a public header"},
		{"app/cli/x.c", "#include \"text.h\"\n", "neither a public header"},
		{"app/cli/x.c", "#include \"../studio/window.h\"\n", "climbs out"},
		{"app/studio/x.cpp", "#include \"parts/bar.h\"\n", "neither a public header"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
	{
		const char* finding = CheckFakeTree(bad[i][0], bad[i][1]);
		if (!strstr(finding, bad[i][2]) || !StartsWith(finding, bad[i][0]))
			fail_msg("case %zu, %s: expected \"%s\", found \"%s\"", i, bad[i][0], bad[i][2], finding);
	}
}

static void TableHasNoCycle(void** state)
{
	(void)state;
	for (int module = 0; module < moduleCount; ++module)
	{
		for (int i = 0; plan[module].includes[i]; ++i)
		{
			const char* name = plan[module].includes[i];
			int other = FindModule(name, strlen(name));
			assert_in_range(other, 0, module - 1); // a row includes only modules of earlier rows
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryIncludeIsInTheTable),
		cmocka_unit_test(EveryEdgeOfTheTableIsUsed),
		cmocka_unit_test(ProjectThatFollowsTheTablePasses),
		cmocka_unit_test(BadIncludesAreCaught),
		cmocka_unit_test(TableHasNoCycle),
	};
	return cmocka_run_group_tests_name("includes", tests, NULL, NULL);
}
