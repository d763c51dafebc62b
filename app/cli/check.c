// SPDX-License-Identifier: MIT
#include "cli.h"

#include "drape/scene.h"

#include <stdio.h>
#include <string.h>

// drape check: properties and problems of a mesh, and with --repair the repaired mesh.

typedef struct CheckOptions
{
	const char* path;
	bool json;
	int rest; // 0 shape, 1 uv
	float metresPerUnit;
	const char* repairPath;
	float untangleSeconds; // 0: the scene's
} CheckOptions;

// The result of --repair.
typedef struct RepairOutcome
{
	bool asked, written;
	drapeMeshReport before, after;
	uint32_t vertices, triangles; // counts of the repaired mesh
	drapeMessage error;           // set if the file was not written
} RepairOutcome;

typedef struct Check
{
	const CheckOptions* options;
	drapeObj obj;
	drapeRestDef rest;
	drapeMeshReport report;
	drapeMessage doubts[2]; // about units
	uint32_t doubtCount;
	drapeResult result;
	RepairOutcome repair;
} Check;

// Names for programs; the sentences for people come from drapeProblem_Format.
static const struct
{
	const char* slug;
	const char* plural; // plural of the problem, for counts
} problemNames[drape_problemKindCount] = {
	[drape_problemEmpty] = {"empty", "meshes without a triangle"},
	[drape_problemTooLarge] = {"too-large", "meshes too large"},
	[drape_problemIndexRange] = {"index-range", "corners that name no vertex"},
	[drape_problemNotFinite] = {"not-finite", "coordinates that are not finite"},
	[drape_problemRepeatedCorner] = {"repeated-corner", "triangles that use a vertex twice"},
	[drape_problemZeroArea] = {"zero-area", "triangles without area"},
	[drape_problemRepeatedTriangle] = {"repeated-triangle", "triangles given twice"},
	[drape_problemNonManifoldEdge] = {"non-manifold-edge", "edges with more than two triangles"},
	[drape_problemFlippedNeighbour] = {"flipped-neighbour", "neighbours wound the other way"},
	[drape_problemNotOrientable] = {"not-orientable", "pieces that cannot be oriented"},
	[drape_problemBowTie] = {"bow-tie", "vertices where triangles touch only in a point"},
	[drape_problemUnusedVertex] = {"unused-vertex", "vertices that no triangle uses"},
	[drape_problemDuplicateVertex] = {"duplicate-vertex", "vertices at the place of another"},
	[drape_problemMissingTexcoord] = {"missing-texcoord", "corners without texture coordinate"},
	[drape_problemTexcoordRange] = {"texcoord-range", "corners that name no texture coordinate or normal"},
	[drape_problemFlippedRest] = {"flipped-rest", "triangles with a mirrored rest shape"},
};

static const char* SeverityName(drapeSeverity severity)
{
	return severity == drape_severityNote ? "note" : severity == drape_severityRepairable ? "repairable" : "fatal";
}

// Returns the line of the file that has the problem; 0 for none.
static uint32_t ProblemLine(const Check* check, const drapeMeshProblem* problem)
{
	if (problem->triangle < check->obj.mesh.triangleCount)
		return check->obj.triangleLines[problem->triangle];
	if (problem->vertex < check->obj.mesh.vertexCount)
		return check->obj.vertexLines[problem->vertex];
	return 0;
}

// --- repair ---

static bool SamePart(const drapeObjPart* a, const drapeObjPart* b)
{
	return strcmp(a->object, b->object) == 0 && strcmp(a->group, b->group) == 0 &&
	       strcmp(a->material, b->material) == 0;
}

// The part of the original mesh that holds a triangle.
static const drapeObjPart* FindPart(const drapeObj* obj, uint32_t triangle)
{
	uint32_t low = 0, high = obj->partCount;
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;
		if (obj->parts[middle].firstTriangle <= triangle)
			low = middle;
		else
			high = middle;
	}
	return &obj->parts[low];
}

// Builds the parts of the repaired mesh: consecutive triangles whose originals had the same names. `parts` has capacity
// for one part per triangle.
static uint32_t GatherParts(const drapeObj* obj, const uint32_t* source, uint32_t triangleCount, drapeObjPart* parts)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < triangleCount; ++i)
	{
		const drapeObjPart* part = FindPart(obj, source[i]);
		if (count == 0 || !SamePart(part, &parts[count - 1]))
		{
			parts[count] = *part;
			parts[count].firstTriangle = i;
			parts[count].triangleCount = 0;
			++count;
		}
		parts[count - 1].triangleCount++;
	}
	return count;
}

static drapeResult WriteMended(Check* check, const drapeMesh* mended, const uint32_t* source)
{
	size_t size = (size_t)mended->triangleCount * sizeof(drapeObjPart);
	drapeObjPart* parts = drapeAlloc(size);
	if (!parts)
		return drape_errorMemory;
	drapeObjWriteDef def = {
		.mesh = mended,
		.parts = parts,
		.partCount = GatherParts(&check->obj, source, mended->triangleCount, parts),
		.materialLibrary = check->obj.materialLibrary,
	};
	drapeResult result = drapeObj_Write(check->options->repairPath, &def, &check->repair.error);
	drapeFree(parts, size);
	return result;
}

// Repairs the mesh, checks it again, and writes it only if a cloth can be made from it.
static drapeResult MendAndWrite(Check* check, uint32_t* source)
{
	RepairOutcome* repair = &check->repair;
	drapeMesh mended;
	drapeResult result = drapeMesh_Repair(&check->obj.mesh, drape_repairAll, &mended, source, &repair->before, NULL);
	if (result != drape_ok)
		return result;
	repair->vertices = mended.vertexCount;
	repair->triangles = mended.triangleCount;
	result = drapeMesh_Check(&mended, &check->rest, &repair->after, NULL);
	if (result == drape_ok)
		result = WriteMended(check, &mended, source);
	repair->written = result == drape_ok;
	drapeMesh_Free(&mended);
	return result;
}

static drapeResult Repair(Check* check)
{
	check->repair.asked = true;
	size_t size = (size_t)check->obj.mesh.triangleCount * sizeof(uint32_t);
	uint32_t* source = drapeAlloc(size);
	drapeResult result = source ? MendAndWrite(check, source) : drape_errorMemory;
	drapeFree(source, size);
	drapeMessage* error = &check->repair.error;
	if (result != drape_ok && error->text[0] == 0)
	{
		error->result = result;
		snprintf(error->text, sizeof error->text, "%s: not written, %s", check->options->repairPath,
		         result == drape_errorData ? "because repairs cannot make this mesh usable"
		                                   : drapeResult_GetText(result));
	}
	return result;
}

// --- for people ---

static void PrintRow(const char* label, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void PrintRow(const char* label, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	printf("  %-18s ", label);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
}

static void PrintTextureRows(const drapeMeshReport* report)
{
	if (report->texcoordIslands == 0)
	{
		PrintRow("texture islands", "none");
		return;
	}
	PrintRow("texture islands", "%u", report->texcoordIslands);
	PrintRow("metres per unit", "%.4g to %.4g, median %.4g", (double)report->texcoordRatioMin,
	         (double)report->texcoordRatioMax, (double)report->texcoordRatioMedian);
}

static uint32_t ListedCount(const drapeObj* obj)
{
	return obj->ignoredLines < DRAPE_OBJ_LISTED ? obj->ignoredLines : DRAPE_OBJ_LISTED;
}

// "3: line 7 (s), 12 (l), 90 (curv)".
static void PrintIgnored(const drapeObj* obj)
{
	char list[600] = "";
	size_t used = 0;
	uint32_t listed = ListedCount(obj);
	for (uint32_t i = 0; i < listed && used < sizeof list; ++i)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%u (%s)", i > 0 ? ", " : "", obj->ignored[i].line,
		                         obj->ignored[i].keyword);
	if (listed > 0)
		PrintRow("lines not used", "%u: line %s%s", obj->ignoredLines, list, obj->ignoredLines > listed ? ", ..." : "");
}

static json_t* IgnoredJson(const drapeObj* obj)
{
	json_t* list = json_array();
	for (uint32_t i = 0; i < ListedCount(obj); ++i)
		json_array_append_new(
			list, json_pack("{s:i, s:s}", "line", (int)obj->ignored[i].line, "keyword", obj->ignored[i].keyword));
	return list;
}

static void PrintTable(const Check* check)
{
	const drapeMeshReport* report = &check->report;
	const drapeVec3 *lower = &report->lower, *upper = &report->upper;
	const double degrees = 57.295779513082320877;
	printf("%s\n", check->options->path);
	PrintRow("vertices", "%u", report->vertices);
	PrintRow("triangles", "%u", report->triangles);
	PrintRow("parts", "%u", check->obj.partCount);
	// A mesh without edges has no further properties.
	if (report->edges > 0)
	{
		PrintRow("edges", "%u", report->edges);
		PrintRow("boundary loops", "%u", report->boundaryLoops);
		PrintRow("components", "%u", report->components);
		PrintRow("Euler number", "%d", report->euler);
		PrintRow("bounding box", "%.4g %.4g %.4g to %.4g %.4g %.4g m", (double)lower->x, (double)lower->y,
		         (double)lower->z, (double)upper->x, (double)upper->y, (double)upper->z);
		PrintRow("area", "%.4g m^2", (double)report->area);
		PrintRow("edge length", "%.4g to %.4g m", (double)report->shortestEdge, (double)report->longestEdge);
		if (report->worstTriangle < check->obj.mesh.triangleCount)
			PrintRow("worst angle", "%.2f degrees, triangle %u, line %u", degrees * (double)report->worstAngle,
			         report->worstTriangle + 1, check->obj.triangleLines[report->worstTriangle]);
		PrintRow("seams", "%u", report->seams);
		PrintTextureRows(report);
	}
	if (check->obj.polygonCount > 0)
		PrintRow("polygons cut", "%u into triangles; the largest has %u corners, line %u", check->obj.polygonCount,
		         check->obj.largestPolygon, check->obj.largestPolygonLine);
	PrintIgnored(&check->obj);
}

static void PrintProblem(const Check* check, const drapeMeshProblem* problem)
{
	char sentence[256];
	drapeProblem_Format(problem, 1, sentence, sizeof sentence);
	uint32_t line = ProblemLine(check, problem);
	if (line > 0)
		printf("%s:%u: %s", check->options->path, line, sentence);
	else
		printf("%s: %s", check->options->path, sentence);
	bool mendable = drapeProblem_GetRepair(problem->kind) != 0;
	bool note = drapeProblem_GetSeverity(problem->kind) == drape_severityNote;
	puts(mendable ? note ? " (harmless; --repair repairs it)" : " (--repair repairs it)" : note ? " (harmless)" : "");
}

static void PrintProblems(const Check* check)
{
	const drapeMeshReport* report = &check->report;
	uint32_t listed[drape_problemKindCount] = {0};
	if (report->problemCount + check->doubtCount > 0)
		putchar('\n');
	for (uint32_t i = 0; i < check->doubtCount; ++i)
		printf("%s: %s\n", check->options->path, check->doubts[i].text);
	for (uint32_t i = 0; i < report->problemCount; ++i)
	{
		PrintProblem(check, &report->problems[i]);
		listed[report->problems[i].kind]++;
	}
	for (int kind = 0; kind < drape_problemKindCount; ++kind)
		if (report->problemTotals[kind] > listed[kind])
			printf("%s: %u more not listed: %s\n", check->options->path, report->problemTotals[kind] - listed[kind],
			       problemNames[kind].plural);
}

static void PrintRepair(const Check* check)
{
	const RepairOutcome* repair = &check->repair;
	if (!repair->written)
	{
		Cli_Error("%s", repair->error.text);
		return;
	}
	printf("\n%s: %u vertices, %u triangles\n", check->options->repairPath, repair->vertices, repair->triangles);
	bool mended = false;
	for (int kind = 0; kind < drape_problemKindCount; ++kind)
	{
		uint32_t before = repair->before.problemTotals[kind], after = repair->after.problemTotals[kind];
		if (before <= after)
			continue;
		PrintRow("repaired", "%s: %u", problemNames[kind].plural, before - after);
		mended = true;
	}
	if (!mended)
		PrintRow("repaired", "nothing to repair");
}

// Tells whether repairs alone make the mesh usable.
static bool CanMend(const drapeMeshReport* report)
{
	for (int kind = 0; kind < drape_problemKindCount; ++kind)
		if (report->problemTotals[kind] > 0 && drapeProblem_GetSeverity((drapeProblemKind)kind) == drape_severityFatal)
			return false;
	return true;
}

static void PrintVerdict(const Check* check)
{
	if (check->result == drape_ok)
		puts("\nThis mesh can be cloth.");
	else if (check->repair.asked)
		puts("\nThe mesh in this file cannot be cloth.");
	else if (CanMend(&check->report))
		puts("\nThis mesh cannot be cloth; --repair OUT.obj repairs it.");
	else
		puts("\nThis mesh cannot be cloth, and has no safe repair.");
}

// --- for programs ---

static json_t* Vec3Json(drapeVec3 v)
{
	return json_pack("[o, o, o]", Cli_JsonNumber((double)v.x), Cli_JsonNumber((double)v.y),
	                 Cli_JsonNumber((double)v.z));
}

static json_t* ProblemJson(const Check* check, const drapeMeshProblem* problem)
{
	char sentence[256];
	drapeProblem_Format(problem, 1, sentence, sizeof sentence);
	uint32_t line = ProblemLine(check, problem);
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", problemNames[problem->kind].slug,
	                 "severity", SeverityName(drapeProblem_GetSeverity(problem->kind)), "repairMends",
	                 drapeProblem_GetRepair(problem->kind) != 0, "line", line > 0 ? json_integer(line) : json_null(),
	                 "triangle", Cli_JsonIndex(problem->triangle, 1), "otherTriangle",
	                 Cli_JsonIndex(problem->otherTriangle, 1), "vertex", Cli_JsonIndex(problem->vertex, 1),
	                 "otherVertex", Cli_JsonIndex(problem->otherVertex, 1), "text", Cli_JsonText(sentence));
}

static json_t* ProblemsJson(const Check* check)
{
	json_t* list = json_array();
	for (uint32_t i = 0; i < check->report.problemCount; ++i)
		json_array_append_new(list, ProblemJson(check, &check->report.problems[i]));
	return list;
}

static json_t* TotalsJson(const drapeMeshReport* report)
{
	json_t* totals = json_object();
	for (int kind = 0; kind < drape_problemKindCount; ++kind)
		if (report->problemTotals[kind] > 0)
			json_object_set_new(totals, problemNames[kind].slug, json_integer(report->problemTotals[kind]));
	return totals;
}

static json_t* MeshJson(const Check* check)
{
	const drapeMeshReport* report = &check->report;
	json_t* mesh = json_object();
	json_object_set_new(mesh, "vertices", json_integer(report->vertices));
	json_object_set_new(mesh, "triangles", json_integer(report->triangles));
	json_object_set_new(mesh, "edges", json_integer(report->edges));
	json_object_set_new(mesh, "parts", json_integer(check->obj.partCount));
	json_object_set_new(mesh, "boundaryLoops", json_integer(report->boundaryLoops));
	json_object_set_new(mesh, "components", json_integer(report->components));
	json_object_set_new(mesh, "euler", json_integer(report->euler));
	json_object_set_new(mesh, "lower", Vec3Json(report->lower));
	json_object_set_new(mesh, "upper", Vec3Json(report->upper));
	json_object_set_new(mesh, "area", Cli_JsonNumber((double)report->area));
	json_object_set_new(mesh, "shortestEdge", Cli_JsonNumber((double)report->shortestEdge));
	json_object_set_new(mesh, "longestEdge", Cli_JsonNumber((double)report->longestEdge));
	json_object_set_new(mesh, "worstAngle", Cli_JsonNumber((double)report->worstAngle));
	json_object_set_new(mesh, "worstTriangle", Cli_JsonIndex(report->worstTriangle, 1));
	json_object_set_new(mesh, "seams", json_integer(report->seams));
	json_object_set_new(mesh, "textureIslands", json_integer(report->texcoordIslands));
	json_object_set_new(mesh, "metresPerTextureUnit",
	                    json_pack("{s:o, s:o, s:o}", "min", Cli_JsonNumber((double)report->texcoordRatioMin), "median",
	                              Cli_JsonNumber((double)report->texcoordRatioMedian), "max",
	                              Cli_JsonNumber((double)report->texcoordRatioMax)));
	json_object_set_new(mesh, "unusedLines", json_integer(check->obj.ignoredLines));
	json_object_set_new(mesh, "unusedLinesListed", IgnoredJson(&check->obj));
	json_object_set_new(mesh, "polygonsCut", json_integer(check->obj.polygonCount));
	return mesh;
}

static json_t* RepairJson(const Check* check)
{
	const RepairOutcome* repair = &check->repair;
	if (!repair->written)
		return json_pack("{s:b, s:o}", "written", 0, "error", Cli_JsonText(repair->error.text));
	return json_pack("{s:b, s:o, s:i, s:i, s:o}", "written", 1, "file", Cli_JsonText(check->options->repairPath),
	                 "vertices", (int)repair->vertices, "triangles", (int)repair->triangles, "remaining",
	                 TotalsJson(&repair->after));
}

static bool PrintJson(const Check* check)
{
	json_t* object = json_object();
	json_object_set_new(object, "file", Cli_JsonText(check->options->path));
	json_object_set_new(object, "usable", json_boolean(check->result == drape_ok));
	json_object_set_new(object, "mesh", MeshJson(check));
	json_object_set_new(object, "problems", ProblemsJson(check));
	json_object_set_new(object, "problemTotals", TotalsJson(&check->report));
	json_t* doubts = json_array();
	for (uint32_t i = 0; i < check->doubtCount; ++i)
		json_array_append_new(doubts, Cli_JsonText(check->doubts[i].text));
	json_object_set_new(object, "doubts", doubts);
	if (check->repair.asked)
		json_object_set_new(object, "repair", RepairJson(check));
	return Cli_PrintJson(object);
}

// --- the command ---

static CliExit FailToRead(const CheckOptions* options, const drapeMessage* error)
{
	Cli_Error("%s", error->text);
	if (options->json)
	{
		json_t* line = error->line > 0 ? json_integer(error->line) : json_null();
		Cli_PrintJson(json_pack("{s:o, s:b, s:{s:o, s:o}}", "file", Cli_JsonText(options->path), "usable", 0, "error",
		                        "line", line, "text", Cli_JsonText(error->text)));
	}
	return Cli_ExitFor(error->result);
}

static CliExit CheckMesh(Check* check)
{
	check->result = drapeMesh_Check(&check->obj.mesh, &check->rest, &check->report, NULL);
	if (check->result != drape_ok && check->result != drape_errorData)
	{
		Cli_Error("%s: %s", check->options->path, drapeResult_GetText(check->result));
		return Cli_ExitFor(check->result);
	}
	check->doubtCount = drapeMesh_FindDoubts(&check->report, &check->rest, check->doubts, 2);
	drapeResult final = check->options->repairPath ? Repair(check) : check->result;
	bool printed = true;
	if (check->options->json)
	{
		printed = PrintJson(check);
		if (check->repair.asked && !check->repair.written)
			Cli_Error("%s", check->repair.error.text);
	}
	else
	{
		PrintTable(check);
		PrintProblems(check);
		PrintVerdict(check);
		if (check->repair.asked)
			PrintRepair(check);
	}
	// A file that cannot be written is a failure of the work, not of the input.
	if (final == drape_errorFile)
		return cli_exitFailed;
	return printed ? Cli_ExitFor(final) : cli_exitFailed;
}

static bool IsScene(const char* path)
{
	size_t length = strlen(path);
	return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

CliExit Check_Run(int argc, char** argv)
{
	CheckOptions options = {.metresPerUnit = 1.0f};
	const CliOption table[] = {
		{"--json", cli_optionFlag, NULL, "print one JSON object", &options.json},
		{"--rest", cli_optionChoice, "shape|uv", "source of the undeformed shape; default shape", &options.rest},
		{"--metres-per-unit", cli_optionPositive, "X", "length of one texture unit, for --rest uv; default 1",
	     &options.metresPerUnit},
		{"--repair", cli_optionText, "OUT.obj", "write a repaired copy", &options.repairPath},
		{"--untangle-seconds", cli_optionPositive, "X", "longest time to untangle a scene; default the scene's",
	     &options.untangleSeconds},
	};
	const CliUsage usage = {
		.synopsis = "drape check FILE [options]",
		.summary =
			"Prints the properties and problems of a mesh in an OBJ file. For a scene (.json), prints problems of its\n"
			"colliders and the crossings of its start.",
		.options = table,
		.optionCount = (int)(sizeof table / sizeof table[0]),
		.operands = &options.path,
		.operandCount = 1,
	};
	CliParse parsed = Cli_Parse(&usage, argc, argv);
	if (parsed != cli_parseRun)
		return parsed == cli_parseHelp ? cli_exitDone : cli_exitUsage;

	if (IsScene(options.path))
	{
		if (!options.repairPath)
			return CheckScene_Run(options.path, options.json, options.untangleSeconds);
		Cli_Error("--repair repairs OBJ files; %s is a scene", options.path);
		return cli_exitUsage;
	}
	Check check = {.options = &options, .rest = drapeDefaultRestDef()};
	check.rest.source = options.rest == 1 ? drape_restTexcoord : drape_restShape;
	check.rest.metresPerUnit = options.metresPerUnit;
	drapeMessage error;
	if (drapeObj_Read(options.path, &check.obj, &error) != drape_ok)
		return FailToRead(&options, &error);
	CliExit code = CheckMesh(&check);
	drapeObj_Free(&check.obj);
	return code;
}
