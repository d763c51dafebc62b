// SPDX-License-Identifier: MIT
#include "shared/edge_rig.h"

#include "shared/sheets.h"

#include <stdlib.h>

void EdgeRig_Create(EdgeRig* rig, const drapeMesh* mesh, float density, bool hasTexcoords)
{
	drapeRestDef rest = drapeDefaultRestDef();
	drapeMeshReport* report = calloc(1, sizeof *report);
	Scheme* scheme = NULL;
	*rig = (EdgeRig){.active.density = density};
	Shared_Require(report && drapeEdgePools_Create(&rig->pools), "out of memory");
	Shared_Require(drapePatternMesh_Create(&rig->pattern, mesh, &rest, report) == drape_ok, "the pattern was refused");
	rig->active.hasTexcoords = hasTexcoords && rig->pattern.texcoords != NULL;
	Shared_Require(drapeEdgeScheme_Create(&scheme, &rig->pools, &rig->pattern, &rig->active) == drape_ok,
	               "out of memory");
	rig->scheme = (EdgeScheme*)scheme;
	rig->scheme->maxLevel = DRAPE_MAX_LEVEL;
	free(report);
}

void EdgeRig_Destroy(EdgeRig* rig)
{
	if (rig->scheme)
		rig->scheme->base.type->destroy(&rig->scheme->base);
	drapeActiveMesh_Destroy(&rig->active);
	drapePatternMesh_Destroy(&rig->pattern);
	drapeEdgePools_Destroy(&rig->pools);
}
