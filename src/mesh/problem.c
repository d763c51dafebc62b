// SPDX-License-Identifier: MIT
#include "mesh/check.h"

#include <string.h>

// A sentence names {t} triangle, {T} otherTriangle, {v} vertex, {V} otherVertex. What stands in [] is left out when an
// element named in it does not apply.
typedef struct ProblemKind
{
	drapeSeverity severity;
	uint32_t repair;
	const char* sentence;
} ProblemKind;

static const ProblemKind problemKinds[] = {
	[drape_problemEmpty] = {drape_severityFatal, 0, "the mesh has no triangle"},
	[drape_problemTooLarge] = {drape_severityFatal, 0, "the mesh has more than 2^30 - 1 vertices, triangles or edges"},
	// Which vertex was meant is anybody's guess.
	[drape_problemIndexRange] = {drape_severityFatal, 0, "triangle {t} names a vertex that does not exist[: {v}]"},
	[drape_problemNotFinite] =
		{drape_severityFatal, 0,
         "vertex {v} has a coordinate[ in triangle {t}] that is not a number, infinite or beyond 1e9"},
	// A triangle without a surface can go without changing the surface. One that has area in 3D but none in the rest
	// shape asked for stays: dropping it would cut a hole.
	[drape_problemRepeatedCorner] = {drape_severityRepairable, drape_repairDegenerate,
                                     "triangle {t} uses vertex {v} twice"},
	[drape_problemZeroArea] = {drape_severityRepairable, drape_repairDegenerate, "triangle {t} has no area"},
	[drape_problemRepeatedTriangle] = {drape_severityRepairable, drape_repairDegenerate,
                                       "triangle {t} has the same vertices as triangle {T}"},
	// Which of the sheets to cut off is the author's decision.
	[drape_problemNonManifoldEdge] = {drape_severityFatal, 0,
                                      "the edge between vertices {v} and {V} has more than two triangles, among them "
                                      "{t} and {T}"},
	[drape_problemFlippedNeighbour] = {drape_severityRepairable, drape_repairOrientation,
                                       "triangles {t} and {T} wind in opposite directions along the edge between "
                                       "vertices {v} and {V}"},
	// Front and back of the cloth cannot be told apart; where to cut it open is the author's decision.
	[drape_problemNotOrientable] = {drape_severityFatal, 0,
                                    "the surface has only one side, like a Moebius strip: no winding suits triangles "
                                    "{t} and {T} along the edge between vertices {v} and {V}"},
	[drape_problemBowTie] = {drape_severityRepairable, drape_repairBowTies,
                             "triangles {t} and {T} touch only in vertex {v}"},
	// A particle without triangles would have no mass.
	[drape_problemUnusedVertex] = {drape_severityRepairable, drape_repairVertices, "no triangle uses vertex {v}"},
	// Two panels may touch, and a cloth may be cut open on purpose; merging is offered, never needed.
	[drape_problemDuplicateVertex] = {drape_severityNote, drape_repairVertices,
                                      "vertices {v} and {V} are at the same place"},
	// A rest shape cannot be made up for a corner, nor turned over for a triangle, without guessing.
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

drapeSeverity drapeProblem_Severity(drapeProblemKind kind)
{
	DRAPE_ASSERT(IsKind(kind));
	return IsKind(kind) ? problemKinds[kind].severity : drape_severityFatal;
}

uint32_t drapeProblem_Repair(drapeProblemKind kind)
{
	DRAPE_ASSERT(IsKind(kind));
	return IsKind(kind) ? problemKinds[kind].repair : 0;
}

// Text that keeps counting when it no longer fits, as snprintf does.
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
	DRAPE_ASSERT(problem && (text || capacity == 0));
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
	DRAPE_ASSERT(IsKind(problem.kind));
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
