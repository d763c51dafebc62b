// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <stdio.h>

enum
{
	vertexCount = 25,
};

// Every kind of value, below and above its range and not a number.
static void RefuseValues(Api* api)
{
	for (int kind = 0; kind < drape_vertexValueCount; ++kind)
	{
		const drapeParameter* parameter = drapeVertexValue_GetParameter((drapeVertexValue)kind);
		const float bad[] = {NAN, -1.0f, (float)parameter->high + 1.0f};
		// Limits of any size are good.
		int count = kind >= drape_vertexMaxDistance ? 2 : 3;
		for (int i = 0; i < count; ++i)
		{
			float values[vertexCount];
			char sentence[96];
			for (int k = 0; k < vertexCount; ++k)
				values[k] = 1.0f;
			values[7] = bad[i];
			snprintf(sentence, sizeof sentence, "vertex 7: %s is %g, expected ", parameter->key, (double)bad[i]);
			REFUSED(drapeCloth_SetVertexValues, values, sentence,
			        drapeCloth_SetVertexValues(api->cloth, (drapeVertexValue)kind, values, vertexCount));
		}
	}
}

static void RefuseTargets(Api* api)
{
	drapeVec3 positions[vertexCount] = {{0}}, normals[vertexCount] = {{0}};
	REFUSED(drapeCloth_SetSkinTargets, count, "count is 24, but the pattern has 25 vertices",
	        drapeCloth_SetSkinTargets(api->cloth, positions, normals, vertexCount - 1));
	normals[7].y = NAN;
	REFUSED(drapeCloth_SetSkinTargets, normals, "normals[7] is (0, nan, 0), expected numbers from -1e9 to 1e9",
	        drapeCloth_SetSkinTargets(api->cloth, positions, normals, vertexCount));
	positions[7].y = 2e9f;
	REFUSED(drapeCloth_SetSkinTargets, positions, "positions[7] is (0, 2e+09, 0), expected numbers from -1e9 to 1e9 m",
	        drapeCloth_SetSkinTargets(api->cloth, positions, NULL, vertexCount));
}

void Rows_Vertex(Api* api)
{
	float values[vertexCount] = {0};
	drapeVec3 positions[vertexCount] = {{0}};
	const drapeVertexValue wrong = (drapeVertexValue)99;
	ACCEPTED(drapeVertexValue_GetParameter, kind, drapeVertexValue_GetParameter(wrong) == NULL);
	BAD_HANDLE(drapeCloth_SetVertexValues, drapeClothId, cloth,
	           drapeCloth_SetVertexValues(cloth, drape_vertexMass, values, vertexCount));
	REFUSED(drapeCloth_SetVertexValues, kind, "kind is 99, expected a drapeVertexValue",
	        drapeCloth_SetVertexValues(api->cloth, wrong, values, vertexCount));
	REFUSED(drapeCloth_SetVertexValues, count, "count is 24, but the pattern has 25 vertices",
	        drapeCloth_SetVertexValues(api->cloth, drape_vertexMass, values, vertexCount - 1));
	RefuseValues(api);
	BAD_ZERO(drapeCloth_GetVertexValues, drapeClothId, cloth,
	         drapeCloth_GetVertexValues(cloth, drape_vertexMass, values, vertexCount));
	REFUSED_VALUE(drapeCloth_GetVertexValues, kind, "kind is 99, expected a drapeVertexValue",
	              drapeCloth_GetVertexValues(api->cloth, wrong, values, vertexCount) == 0);
	REFUSED_VALUE(drapeCloth_GetVertexValues, values, "values is NULL, but capacity is 1",
	              drapeCloth_GetVertexValues(api->cloth, drape_vertexMass, NULL, 1) == 0);
	ACCEPTED(drapeCloth_GetVertexValues, capacity,
	         drapeCloth_GetVertexValues(api->cloth, drape_vertexMass, NULL, 0) == 0);
	BAD_HANDLE(drapeCloth_SetSkinTargets, drapeClothId, cloth,
	           drapeCloth_SetSkinTargets(cloth, positions, NULL, vertexCount));
	RefuseTargets(api);
}
