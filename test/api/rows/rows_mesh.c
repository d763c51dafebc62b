// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <string.h>

// Problems of meshes are tested in test_mesh_check; here are the arguments.

static void RefuseChecks(Api* api)
{
	static drapeMeshReport report;
	drapeMesh mesh = api->mesh;
	drapeRestDef rest = drapeDefaultRestDef();
	REFUSED_TO(drapeMesh_Check, mesh, "mesh is NULL", drapeMesh_Check(NULL, NULL, &report, api->message));
	REFUSED_TO(drapeMesh_Check, report, "report is NULL", drapeMesh_Check(&mesh, NULL, NULL, api->message));
#define CHECK(sentence, ...)                                                                                           \
	do                                                                                                                 \
	{                                                                                                                  \
		mesh = api->mesh;                                                                                              \
		mesh.__VA_ARGS__;                                                                                              \
		REFUSED_TO(drapeMesh_Check, mesh, sentence, drapeMesh_Check(&mesh, NULL, &report, api->message));              \
	} while (0)
	CHECK("mesh: positions is NULL, but vertexCount is 25", positions = NULL);
	CHECK("mesh: triangles is NULL, but triangleCount is 32", triangles = NULL);
	CHECK("mesh: texcoords is NULL, but texcoordCount is 25", texcoords = NULL);
	CHECK("mesh: normals is NULL, but normalCount is 1", normalCount = 1);
#undef CHECK
	mesh = api->mesh;
#define CHECK(sentence, ...)                                                                                           \
	do                                                                                                                 \
	{                                                                                                                  \
		rest = drapeDefaultRestDef();                                                                                  \
		rest.__VA_ARGS__;                                                                                              \
		REFUSED_TO(drapeMesh_Check, rest, sentence, drapeMesh_Check(&mesh, &rest, &report, api->message));             \
	} while (0)
	CHECK("rest.source is 99, expected one of shape|texcoord|material", source = (drapeRest)99);
	CHECK("rest.warp is (1, nan, 0), expected three finite numbers", warp.y = NAN);
	CHECK("rest.metresPerUnit is -1, expected a number above 0 m", source = drape_restTexcoord,
	      rest.metresPerUnit = -1.0f);
	CHECK("rest.material is NULL, expected the material coordinates", source = drape_restMaterial);
#undef CHECK
	mesh.triangleCount = 0;
	FAILED_TO(drapeMesh_Check, mesh, drape_errorData, "mesh: the mesh has no triangle",
	          drapeMesh_Check(&mesh, NULL, &report, api->message));
}

static void RefuseRepairs(Api* api)
{
	static drapeMeshReport report;
	drapeMesh mesh = api->mesh, repaired;
	REFUSED_TO(drapeMesh_Repair, mesh, "mesh is NULL",
	           drapeMesh_Repair(NULL, 0, &repaired, NULL, &report, api->message));
	REFUSED_TO(drapeMesh_Repair, repaired, "repaired is NULL",
	           drapeMesh_Repair(&mesh, 0, NULL, NULL, &report, api->message));
	REFUSED_TO(drapeMesh_Repair, report, "report is NULL",
	           drapeMesh_Repair(&mesh, 0, &repaired, NULL, NULL, api->message));
	REFUSED_TO(drapeMesh_Repair, repairs, "repairs is 16, expected a sum of drapeRepair values",
	           drapeMesh_Repair(&mesh, 16, &repaired, NULL, &report, api->message));
	CANNOT_FAIL(drapeMesh_Repair, triangleSource, "it may be NULL");
	mesh.positions = NULL;
	REFUSED_TO(drapeMesh_Repair, mesh, "mesh: positions is NULL, but vertexCount is 25",
	           drapeMesh_Repair(&mesh, 0, &repaired, NULL, &report, api->message));
	mesh = api->mesh;
	mesh.triangleCount = 0;
	FAILED_TO(drapeMesh_Repair, mesh, drape_errorData, "mesh: the mesh has no triangle",
	          drapeMesh_Repair(&mesh, 0, &repaired, NULL, &report, api->message));
}

static void RefuseGrids(Api* api)
{
	drapeMesh mesh;
	REFUSED_TO(drapeMesh_CreateGrid, columns, "columns is 0, expected at least 1",
	           drapeMesh_CreateGrid(0, 1, 1.0f, 1.0f, &mesh, api->message));
	REFUSED_TO(drapeMesh_CreateGrid, rows, "rows is 0, expected at least 1",
	           drapeMesh_CreateGrid(1, 0, 1.0f, 1.0f, &mesh, api->message));
	FAILED_TO(drapeMesh_CreateGrid, rows, drape_errorLimit, "99999 by 99999 quads are too many, expected at most",
	          drapeMesh_CreateGrid(99999, 99999, 1.0f, 1.0f, &mesh, api->message));
	REFUSED_TO(drapeMesh_CreateGrid, mesh, "there is nowhere to write the mesh to",
	           drapeMesh_CreateGrid(1, 1, 1.0f, 1.0f, NULL, api->message));
	const float sizes[] = {0.0f, -1.0f, NAN, INFINITY};
	const char* const shown[] = {"0", "-1", "nan", "inf"};
	for (int i = 0; i < 4; ++i)
	{
		char sentence[64] = "width is ";
		strcat(strcat(sentence, shown[i]), ", expected a number above 0 m");
		REFUSED_TO(drapeMesh_CreateGrid, width, sentence,
		           drapeMesh_CreateGrid(1, 1, sizes[i], 1.0f, &mesh, api->message));
		memcpy(sentence, "depth", 5);
		REFUSED_TO(drapeMesh_CreateGrid, depth, sentence,
		           drapeMesh_CreateGrid(1, 1, 1.0f, sizes[i], &mesh, api->message));
	}
}

static void RefuseProblems(Api* api)
{
	const drapeMeshProblem good = {.kind = drape_problemEmpty}, bad = {.kind = (drapeProblemKind)99};
	char text[64] = "before";
	ASSERTED(drapeProblem_GetSeverity, kind, "kind is 99, expected a drapeProblemKind",
	         drapeProblem_GetSeverity((drapeProblemKind)99) == drape_severityFatal);
	ASSERTED(drapeProblem_GetRepair, kind, "kind is 99, expected a drapeProblemKind",
	         drapeProblem_GetRepair((drapeProblemKind)99) == 0);
	ASSERTED(drapeProblem_Format, problem, "problem is NULL", drapeProblem_Format(NULL, 0, text, sizeof text) == 0);
	ACCEPTED(drapeProblem_Format, problem,
	         drapeProblem_Format(&bad, 0, text, sizeof text) > 0 && strcmp(text, "unknown problem") == 0);
	ASSERTED(drapeProblem_Format, text, "text is NULL, but capacity is 1", drapeProblem_Format(&good, 0, NULL, 1) == 0);
	ACCEPTED(drapeProblem_Format, capacity, drapeProblem_Format(&good, 0, NULL, 0) > 0);
	CANNOT_FAIL(drapeProblem_Format, base, "any number can be added");
}

void Rows_Mesh(Api* api)
{
	CANNOT_FAIL(drapeDefaultRestDef, ALL, "it returns constants");
	ACCEPTED(drapeMesh_Free, mesh, (drapeMesh_Free(NULL), true));
	RefuseChecks(api);
	RefuseRepairs(api);
	RefuseGrids(api);
	RefuseProblems(api);
}
