// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>

static void RefuseDefinitions(Api* api)
{
	drapePatternDef def = {0};
	drapePattern* pattern;
	drapeMesh mesh = api->mesh;
	REFUSED_TO(drapeCreatePattern, def,
	           "the definition of the pattern is not initialised, expected drapeDefaultPatternDef",
	           drapeCreatePattern(NULL, &pattern, api->message));
	REFUSED_TO(drapeCreatePattern, def,
	           "the definition of the pattern is not initialised, expected drapeDefaultPatternDef",
	           drapeCreatePattern(&def, &pattern, api->message));
	def = drapeDefaultPatternDef();
	REFUSED_TO(drapeCreatePattern, def, "mesh is NULL, expected the pattern mesh",
	           drapeCreatePattern(&def, &pattern, api->message));
	def.mesh = &mesh;
	REFUSED_TO(drapeCreatePattern, pattern, "there is nowhere to write the pattern to",
	           drapeCreatePattern(&def, NULL, api->message));
	mesh.positions = NULL;
	REFUSED_TO(drapeCreatePattern, def, "mesh: positions is NULL, but vertexCount is 25",
	           drapeCreatePattern(&def, &pattern, api->message));
	mesh = api->mesh;
	def.rest.source = (drapeRest)99;
	REFUSED_TO(drapeCreatePattern, def, "rest.source is 99, expected one of shape|texcoord|material",
	           drapeCreatePattern(&def, &pattern, api->message));
	def.rest = drapeDefaultRestDef();
	def.rest.warp.y = NAN;
	REFUSED_TO(drapeCreatePattern, def, "rest.warp is (1, nan, 0), expected three finite numbers",
	           drapeCreatePattern(&def, &pattern, api->message));
	def.rest = drapeDefaultRestDef();
	mesh.triangleCount = 0;
	FAILED_TO(drapeCreatePattern, def, drape_errorData, "mesh: the mesh has no triangle",
	          drapeCreatePattern(&def, &pattern, api->message));
}

void Rows_Pattern(Api* api)
{
	drapeVec3 lower, upper;
	CANNOT_FAIL(drapeDefaultPatternDef, ALL, "it returns constants");
	RefuseDefinitions(api);
	BAD_ZERO(drapeCloth_GetPattern, drapeClothId, cloth, drapeCloth_GetPattern(cloth));
	ACCEPTED(drapeDestroyPattern, pattern, drapeDestroyPattern(NULL) == drape_ok);
	ASSERTED(drapePattern_GetDef, pattern, "the pattern is NULL",
	         drapePattern_GetDef(NULL).cookie == drapeDefaultPatternDef().cookie);
	ASSERTED(drapePattern_GetVertexCount, pattern, "the pattern is NULL", drapePattern_GetVertexCount(NULL) == 0);
	ASSERTED(drapePattern_GetTriangleCount, pattern, "the pattern is NULL", drapePattern_GetTriangleCount(NULL) == 0);
	ASSERTED(drapePattern_GetArea, pattern, "the pattern is NULL", drapePattern_GetArea(NULL) == 0.0);
	ASSERTED(drapePattern_GetBounds, pattern, "the pattern is NULL",
	         drapePattern_GetBounds(NULL, &lower, &upper) == drape_errorArgument);
	CANNOT_FAIL(drapePattern_GetBounds, lower, "it may be NULL");
	CANNOT_FAIL(drapePattern_GetBounds, upper, "it may be NULL");
	ASSERTED(drapePattern_GetMemory, pattern, "the pattern is NULL", drapePattern_GetMemory(NULL) == 0);
}
