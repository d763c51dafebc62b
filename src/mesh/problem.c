// SPDX-License-Identifier: MIT
#include "base/checks/message.h"
#include "mesh/check.h"

#include <string.h>

// In a sentence {t} stands for triangle, {T} for otherTriangle, {v} for vertex and {V} for otherVertex. Text in [] is
// omitted when the element in it is DRAPE_NONE.
typedef struct ProblemKind
{
	drapeSeverity severity;
	uint32_t repair;
	const char* sentence;
} ProblemKind;

static const ProblemKind problemKinds[] = {
	[drape_problemEmpty] = {drape_severityFatal, 0, "the mesh has no triangle"},
	[drape_problemTooLarge] = {drape_severityFatal, 0, "the mesh has more than 2^30 - 1 vertices, triangles or edges"},
	// The intended vertex is unknown.
	[drape_problemIndexRange] = {drape_severityFatal, 0, "triangle {t} names a vertex that does not exist[: {v}]"},
	[drape_problemNotFinite] =
		{drape_severityFatal, 0,
         "vertex {v} has a coordinate[ in triangle {t}] that is not a number, infinite or beyond 1e9"},
	// Removing a triangle without area does not change the surface. A triangle that has area in 3D but none at rest
	// stays: its removal would leave a hole.
	[drape_problemRepeatedCorner] = {drape_severityRepairable, drape_repairDegenerate,
                                     "triangle {t} uses vertex {v} twice"},
	[drape_problemZeroArea] = {drape_severityRepairable, drape_repairDegenerate, "triangle {t} has no area"},
	[drape_problemRepeatedTriangle] = {drape_severityRepairable, drape_repairDegenerate,
                                       "triangle {t} has the same vertices as triangle {T}"},
	// The author decides which of the surfaces to cut off.
	[drape_problemNonManifoldEdge] = {drape_severityFatal, 0,
                                      "the edge between vertices {v} and {V} has more than two triangles, among them "
                                      "{t} and {T}"},
	[drape_problemFlippedNeighbour] = {drape_severityRepairable, drape_repairOrientation,
                                       "triangles {t} and {T} wind in opposite directions along the edge between "
                                       "vertices {v} and {V}"},
	// The surface has no front and back. The author decides where to cut it open.
	[drape_problemNotOrientable] = {drape_severityFatal, 0,
                                    "the surface has only one side, like a Moebius strip: no winding suits triangles "
                                    "{t} and {T} along the edge between vertices {v} and {V}"},
	[drape_problemBowTie] = {drape_severityRepairable, drape_repairBowTies,
                             "triangles {t} and {T} touch only in vertex {v}"},
	// Its particle would have no mass.
	[drape_problemUnusedVertex] = {drape_severityRepairable, drape_repairVertices, "no triangle uses vertex {v}"},
	// Two panels may touch, and a cloth may be cut open on purpose, so merging is optional.
	[drape_problemDuplicateVertex] = {drape_severityNote, drape_repairVertices,
                                      "vertices {v} and {V} are at the same position"},
	// A missing or mirrored rest shape cannot be repaired without guessing.
	[drape_problemMissingTexcoord] = {drape_severityFatal, 0,
                                      "triangle {t} has no texture coordinate at vertex {v}, and the rest shape is to "
                                      "come from texture coordinates"},
	[drape_problemTexcoordRange] = {drape_severityFatal, 0,
                                    "triangle {t} names a texture coordinate or normal that does not exist at vertex "
                                    "{v}"},
	[drape_problemFlippedRest] = {drape_severityFatal, 0, "the rest shape of triangle {t} is mirrored"},
};

_Static_assert(sizeof problemKinds / sizeof problemKinds[0] == drape_problemKindCount, "one row for each kind");

static bool IsKind(drapeProblemKind kind)
{
	return (unsigned)kind < drape_problemKindCount;
}

static bool HasKind(drapeProblemKind kind)
{
	return IsKind(kind) || drapeRefuse(NULL, "kind is %u, expected a drapeProblemKind", (unsigned)kind) == drape_ok;
}

drapeSeverity drapeProblem_GetSeverity(drapeProblemKind kind)
{
	return HasKind(kind) ? problemKinds[kind].severity : drape_severityFatal;
}

uint32_t drapeProblem_GetRepair(drapeProblemKind kind)
{
	return HasKind(kind) ? problemKinds[kind].repair : 0;
}

// A buffer that keeps counting when it is full, like snprintf.
typedef struct Text
{
	char* data;
	size_t capacity, length;
} Text;

static void PutChar(Text* text, char character)
{
	if (text->length + 1 < text->capacity)
		text->data[text->length] = character;
	text->length++;
}

static void PutNumber(Text* text, uint64_t number)
{
	char digits[20];
	int count = 0;
	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	while (count > 0)
		PutChar(text, digits[--count]);
}

static uint32_t Element(const drapeMeshProblem* problem, char letter)
{
	switch (letter)
	{
		case 't':
			return problem->triangle;
		case 'T':
			return problem->otherTriangle;
		case 'v':
			return problem->vertex;
		default:
			DRAPE_ASSERT(letter == 'V');
			return problem->otherVertex;
	}
}

int drapeProblem_Format(const drapeMeshProblem* problem, uint32_t base, char* text, size_t capacity)
{
	if (!problem || (!text && capacity > 0))
	{
		drapeRefuse(NULL, problem ? "text is NULL, but capacity is %zu" : "problem is NULL", capacity);
		return 0;
	}
	Text out = {text, capacity, 0};
	const char* next = IsKind(problem->kind) ? problemKinds[problem->kind].sentence : "unknown problem";
	for (; *next; ++next)
	{
		if (*next == '[' && Element(problem, strchr(next, '{')[1]) == DRAPE_NONE)
		{
			next = strchr(next, ']');
		}
		else if (*next == '{')
		{
			uint32_t element = Element(problem, next[1]);
			if (element == DRAPE_NONE)
				PutChar(&out, '?');
			else
				PutNumber(&out, (uint64_t)base + element);
			next += 2;
		}
		else if (*next != '[' && *next != ']')
		{
			PutChar(&out, *next);
		}
	}
	if (capacity > 0)
		text[out.length < capacity ? out.length : capacity - 1] = '\0';
	return (int)out.length;
}

void drapeReport_Add(drapeMeshReport* report, drapeMeshProblem problem)
{
	DRAPE_ASSERT(report && IsKind(problem.kind));
	report->problemTotals[problem.kind]++;
	if (report->problemCount < DRAPE_REPORT_PROBLEMS)
		report->problems[report->problemCount++] = problem;
}

bool drapeReport_IsClean(const drapeMeshReport* report)
{
	for (int kind = 0; kind < drape_problemKindCount; ++kind)
	{
		if (report->problemTotals[kind] > 0 && problemKinds[kind].severity > drape_severityNote)
			return false;
	}
	return true;
}
