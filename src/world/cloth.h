// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/criteria/budget.h"
#include "adapt/criteria/criteria.h"
#include "adapt/edge.h"
#include "adapt/sqrt3.h"
#include "contact/broad/broad_phase.h"
#include "drape/pattern.h"
#include "surface/vertices.h"
#include "world/live/cloth_sleep.h"
#include "world/handles.h"
#include "world/vertex/painted.h"
#include "world/pins.h"
#include "world/query/query.h"
#include "world/scenery.h"
#include "world/simulation.h"

// A cloth: a pattern mesh, a scheme over it and the active mesh that is simulated.

// The settings that decide the forces on a cloth and their integration.
typedef struct ClothBody
{
	drapeModel model;
	drapeMaterial material;
	drapeSpringDef springs;
	drapeSolverDef solver;
} ClothBody;

// The frame of a cloth: snapshots store these bytes.
typedef struct ClothFrame
{
	drapeTransform from, to; // when the step begins and ends
	uint32_t isSet;
} ClothFrame;

typedef struct Cloth
{
	drapeWorld* world;
	uint32_t slot;
	uint32_t generation;  // raised when the slot is taken and freed; odd while in use
	drapePattern* shared; // the pattern that it uses; NULL for a cooked cloth (cooked.h)
	const PatternMesh* pattern;
	const BaseLevels* base; // of the pattern
	ActiveMesh active;
	Scheme* scheme;
	drapeAdaptDef adapt;
	Criteria criteria;
	Budget budget;
	drapeContactMode contact;
	drapeFilter filter;
	SeenScenery seen; // colliders, by the filter
	float gravityScale;
	drapeInertia inertia;
	ClothFrame frame;
	ClothSleep sleep;
	drapeTransform transform; // when the cloth was created
	void* userData;
	BroadPhaseCloth broadPhase; // kept from step to step for contact
	uint8_t system;             // its number among the cloths that are solved together; UINT8_MAX for none
	bool isTogether;            // it is simulated with other cloths in this step
	bool isLinked;              // a constraint joins it to another cloth in this step
	bool pinMiddles;
	ARRAY(Pin) pins;
	uint32_t painted[paintedColumns]; // columns of the active mesh (painted.h); DRAPE_NONE for those that are not used
	QueryTree query;
	uint64_t moves; // raised whenever particles have moved: Cloth_HasMoved
	ClothSimulation simulation;
	ClothCosts costs;
	VertexMap vertices;
	uint32_t previousPositions; // a column: positions when the last step began; DRAPE_NONE until they are asked for
} Cloth;

// The values of a column of the active mesh.
DRAPE_INLINE Vec4* Cloth_Rows(const Cloth* cloth, uint32_t column)
{
	DRAPE_ASSERT(column < cloth->active.columns.list.count);
	DRAPE_ASSERT(cloth->active.columns.list.data[column].size == sizeof(Vec4));
	return Columns_Data(&cloth->active.columns, column);
}

// Values of painted column `kind` by particle; NULL when it is not used.
DRAPE_INLINE const float* Cloth_Painted(const Cloth* cloth, uint32_t kind)
{
	DRAPE_ASSERT(kind < paintedColumns);
	uint32_t column = cloth->painted[kind];
	return column == DRAPE_NONE ? NULL : Columns_Data(&cloth->active.columns, column);
}

// The largest thickness of any particle, m.
DRAPE_INLINE float Cloth_MostThickness(const Cloth* cloth)
{
	return drapePainted_MostThickness(cloth) * cloth->simulation.model.material.thickness;
}

// The mass of a cloth, kg.
DRAPE_INLINE double Cloth_Mass(const Cloth* cloth)
{
	return ActiveMesh_MassArea(&cloth->active) * (double)cloth->simulation.model.material.density;
}

// States of particles that are pinched or inside colliders; NULL for explicit integrators.
DRAPE_INLINE PinchState* Cloth_Pinches(const Cloth* cloth)
{
	uint32_t column = cloth->simulation.pinch;
	return column == DRAPE_NONE ? NULL : Columns_Data(&cloth->active.columns, column);
}

// The name of the cloth in the contact stage, the same from step to step.
DRAPE_INLINE uint64_t Cloth_ContactName(const Cloth* cloth)
{
	return (uint64_t)cloth->generation << 32 | cloth->slot;
}

// NULL, with a sentence, for a handle that is null or stale.
Cloth* drapeCloth_Get(drapeClothId cloth);
drapeClothId drapeCloth_Id(const drapeWorld* world, uint32_t slot);
void drapeCloth_Destroy(Cloth* cloth);

// Initialises a model for these settings. It describes no mesh yet.
void drapeClothBody_InitModel(const ClothBody* body, Model* model);
drapeResult drapeClothBody_Check(const ClothBody* body, const char* prefix, drapeMessage* message);

// Brings the model in step with settings that were loaded from a snapshot.
void drapeCloth_LoadBody(Cloth* cloth, const ClothBody* body);
ClothBody drapeCloth_Body(const Cloth* cloth);
bool drapeCloth_IsUsed(const Cloth* cloth);

// True for a cloth that takes part in steps.
DRAPE_INLINE bool Cloth_IsAwake(const Cloth* cloth)
{
	return drapeCloth_IsUsed(cloth) && !cloth->sleep.isAsleep;
}

// NULL when the cloth is consistent, else a sentence that says what is wrong.
const char* drapeCloth_Validate(const Cloth* cloth);

// The parts of creation. Init sets everything that a definition says; the cloth is zero but for its pattern and base.
// Build makes scheme, active mesh, model and solver. Both are false, or not drape_ok, when out of memory. Free leaves an
// empty slot of the same generation, and the pattern.
bool drapeCloth_Init(Cloth* cloth, const drapeClothDef* def);
drapeResult drapeCloth_Build(Cloth* cloth, const drapeClothDef* def, EdgePools* pools, TaskPool* tasks);
void drapeCloth_Free(Cloth* cloth);

// One pass of criteria and scheme. Moves new particles out of colliders.
drapeResult drapeCloth_RunAdaptation(drapeWorld* world, Cloth* cloth, AdaptCounts* counts);

// The colliders that the cloth touches have changed by a filter.
void drapeCloth_ForgetColliders(Cloth* cloth);

// Brings model and solver in step with the mesh. False when out of memory.
bool drapeCloth_Follow(drapeWorld* world, Cloth* cloth);
bool drapeCloth_FollowMesh(Cloth* cloth, TaskPool* tasks); // the same for a cloth of no world

// Positions have changed: queries fit their tree again. drapeCloth_UpdateNormals calls it.
DRAPE_INLINE void Cloth_HasMoved(Cloth* cloth)
{
	cloth->moves++;
}

void drapeCloth_UpdateNormals(drapeWorld* world, Cloth* cloth);

// Makes the present positions those before the last step, for cloths that keep them: at the start of a step, and when
// the application has put the cloth elsewhere.
void drapeCloth_RememberPositions(Cloth* cloth);

// The second kind of drapeCloth_GetContacts: contact points of the solver.
uint32_t drapeCloth_CollectContactPoints(const drapeWorld* world, const Cloth* cloth, drapeContactPoint* points,
                                         uint32_t capacity);

// A pattern point on the active mesh: three particles and their weights.
typedef struct PatternLocation
{
	uint32_t particle[3];
	float weight[3];
} PatternLocation;

// The pattern point of a point of an active triangle.
drapePatternPoint drapeCloth_PatternPointAt(const Cloth* cloth, uint32_t triangle, const float weights[3]);

drapeResult drapePatternPoint_Check(const Cloth* cloth, const char* name, const drapePatternPoint* point);

// Locates valid pattern points on the active mesh as it is now. False when out of memory.
bool drapeCloth_Locate(const Cloth* cloth, const drapePatternPoint* points, uint32_t count, PatternLocation* locations);
