// SPDX-License-Identifier: MIT
#include "api.h"

void Rows_Material(Api* api)
{
	drapeMaterial material;
	CANNOT_FAIL(drapeDefaultMaterial, ALL, "it returns constants");
	REFUSED_TO(drapeMaterial_GetPreset, name, "name is NULL", drapeMaterial_GetPreset(NULL, &material, api->message));
	FAILED_TO(drapeMaterial_GetPreset, name, drape_errorArgument, "there is no fabric \"chain mail\", expected one of",
	          drapeMaterial_GetPreset("chain mail", &material, api->message));
	REFUSED_TO(drapeMaterial_GetPreset, material, "material is NULL",
	           drapeMaterial_GetPreset("silk", NULL, api->message));
	ACCEPTED(drapeMaterial_GetPresetName, index, drapeMaterial_GetPresetName(UINT32_MAX) == NULL);
	ACCEPTED(drapeMaterial_GetPresetHelp, index, drapeMaterial_GetPresetHelp(UINT32_MAX) == NULL);
	ACCEPTED(drapeMaterial_GetPresetSource, index, drapeMaterial_GetPresetSource(UINT32_MAX) == NULL);
	ASSERTED(drapeMaterial_GetParameters, count, "count is NULL", drapeMaterial_GetParameters(NULL) != NULL);
}
