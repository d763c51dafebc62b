// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// The sections of a cloth. Values go straight into the structs of cloth.h, adapt.h and material.h.

// A row for a float in a range; the other kinds are rarer and written out.
#define NUMBER(Type, keyText, member, lowest, highest, unitText, helpText)                                             \
	{                                                                                                                  \
		.key = (keyText), .kind = scene_float, .offset = offsetof(Type, member), .low = (lowest), .high = (highest),   \
		.unit = (unitText), .help = (helpText)                                                                         \
	}

#define POSITIVE(Type, keyText, member, unitText, helpText)                                                            \
	{                                                                                                                  \
		.key = (keyText), .kind = scene_float, .offset = offsetof(Type, member), .low = 0.0, .high = 1e6,              \
		.above = true, .unit = (unitText), .help = (helpText)                                                          \
	}

#define WHOLE(Type, keyText, member, lowest, highest, helpText)                                                        \
	{                                                                                                                  \
		.key = (keyText), .kind = scene_uint, .offset = offsetof(Type, member), .low = (lowest), .high = (highest),    \
		.help = (helpText)                                                                                             \
	}

#define CHOICE(Type, keyText, member, wordList, helpText)                                                              \
	{                                                                                                                  \
		.key = (keyText), .kind = scene_choice, .offset = offsetof(Type, member), .words = (wordList),                 \
		.help = (helpText)                                                                                             \
	}

#define SWITCH(Type, keyText, member, helpText)                                                                        \
	{                                                                                                                  \
		.key = (keyText), .kind = scene_bool, .offset = offsetof(Type, member), .help = (helpText)                     \
	}

#define VECTOR(Type, keyText, member, unitText, helpText)                                                              \
	{                                                                                                                  \
		.key = (keyText), .kind = scene_vec3, .offset = offsetof(Type, member), .unit = (unitText), .help = (helpText) \
	}

#define SECTION(Type, keyText, member, table)                                                                          \
	{                                                                                                                  \
		.key = (keyText), .kind = scene_section, .offset = offsetof(Type, member), .section = (table)                  \
	}

// --- meshes ---

#define GRID drapeSceneGridDef

static const SceneField gridFields[] = {
	WHOLE(GRID, "columns", columns, 1, 10000, "quads along x"),
	WHOLE(GRID, "rows", rows, 1, 10000, "quads along z"),
	POSITIVE(GRID, "width", width, "m", "size along x"),
	POSITIVE(GRID, "depth", depth, "m", "size along z"),
};

static const SceneSection gridSection = {
	.title = "cloths[].grid",
	.help = "A flat sheet in the plane y = 0, centred on the origin. Vertex (i, j) has number j * (columns + 1) + i; j "
			"counts from the bottom, z = depth / 2, to the top.",
	SCENE_SECTION_FIELDS(gridFields),
	.size = sizeof(GRID),
};

#define DISC drapeSceneDiscDef

static const SceneField discFields[] = {
	POSITIVE(DISC, "radius", radius, "m", "radius of the rim"),
	WHOLE(DISC, "rings", rings, 1, 4096, "rings of triangles around the centre"),
	WHOLE(DISC, "segments", segments, 3, 16384, "segments of each ring"),
};

static const SceneSection discSection = {
	.title = "cloths[].disc",
	.help = "A flat disc in the plane y = 0, centred on the origin. Vertex 0 is its centre; the others follow ring by "
			"ring.",
	SCENE_SECTION_FIELDS(discFields),
	.size = sizeof(DISC),
};

// --- rest shape ---

static const SceneField restFields[] = {
	CHOICE(drapeRestDef, "source", source, "shape|uv",
           "`shape` lays the triangles of the mesh flat; `uv` takes its texture coordinates"),
	{.key = "metresPerUnit",
     .kind = scene_float,
     .offset = offsetof(drapeRestDef, metresPerUnit),
     .low = 0.0,
     .high = 1e6,
     .above = true,
     .zeroWord = "auto",
     .unit = "m",
     .help = "for `uv`: length of one texture unit; `auto` is the median over the edges of the mesh"},
	VECTOR(drapeRestDef, "warp", warp, NULL, "for `shape`: the direction of the warp; zero means x"),
};

static const SceneSection restSection = {
	.title = "cloths[].rest",
	.help = "The source of the undeformed shape.",
	SCENE_SECTION_FIELDS(restFields),
	.size = sizeof(drapeRestDef),
};

// --- material ---

#define MATERIAL drapeMaterial

// The library's tables have the values, their ranges and their help.
enum
{
	maxFields = 24,
};

static SceneField materialFields[maxFields] = {
	{.key = "preset", .kind = scene_preset, .help = "a fabric of `drape presets`; the other keys change it"}};

static bool CheckMaterial(const SceneObject* object, void* value)
{
	const MATERIAL* m = value;
	if (m->stretchWarp > 0.0f && m->stretchWeft > 0.0f && m->poisson * m->poisson * m->stretchWeft >= m->stretchWarp)
		return drapeScene_Fail(object, "poisson",
		                       "poisson is %.9g, expected less than %.9g, as stretchWeft is %.9g times stretchWarp",
		                       (double)m->poisson, sqrt((double)m->stretchWarp / (double)m->stretchWeft),
		                       (double)m->stretchWeft / (double)m->stretchWarp);
	float least = 0.25f * (m->bendWarp + m->bendWeft);
	if (m->bendBias != 0.0f && m->bendBias < least)
		return drapeScene_Fail(object, "bendBias",
		                       "bendBias is %.9g, expected 0 or at least %.9g, a quarter of bendWarp + bendWeft",
		                       (double)m->bendBias, (double)least);
	return true;
}

static bool FindPreset(const char* name, void* value)
{
	return drapeMaterial_GetPreset(name, value, NULL) == drape_ok;
}

static SceneSection materialSection = {
	.title = "cloths[].material",
	.help = "The fabric: the name of a preset, or an object.",
	.fields = materialFields,
	.fieldCount = 1,
	.size = sizeof(MATERIAL),
	.check = CheckMaterial,
	.preset = FindPreset,
	.presetName = drapeMaterial_GetPresetName,
};

// --- springs, solver ---

static SceneField springFields[maxFields];

static SceneSection springSection = {
	.title = "cloths[].springs",
	.help = "For the model `springs`.",
	.fields = springFields,
	.size = sizeof(drapeSpringDef),
};

static SceneField solverFields[maxFields];

static bool CheckSolver(const SceneObject* object, void* value)
{
	const drapeSolverDef* solver = value;
	if (solver->substeps > solver->maxSubsteps)
		return drapeScene_Fail(object, "substeps", "substeps is %u, but maxSubsteps is %u, expected no more",
		                       solver->substeps, solver->maxSubsteps);
	if (solver->substeps > 0 && solver->stepRate > 0.0f)
		return drapeScene_Fail(object, "stepRate", "stepRate is %.9g and substeps is %u, expected one of both to be 0",
		                       (double)solver->stepRate, solver->substeps);
	if (solver->maxStretch > 0.0f && solver->maxStretch < 1.0f)
		return drapeScene_Fail(object, "maxStretch", "maxStretch is %.9g, expected 0 or a ratio of at least 1",
		                       (double)solver->maxStretch);
	return true;
}

static SceneSection solverSection = {
	.title = "cloths[].solver",
	.help = "Time integration. The defaults are those of the model `springs`; those of `fem` are under \"Models and "
			"solvers\" in docs/scenes.md.",
	.fields = solverFields,
	.size = sizeof(drapeSolverDef),
	.check = CheckSolver,
};

// --- budget ---

#define BUDGET drapeBudgetDef

static SceneField budgetFields[maxFields];

static bool CheckBudget(const SceneObject* object, void* value)
{
	const BUDGET* budget = value;
	if (budget->farDistance == 0.0f || budget->farDistance > budget->nearDistance)
		return true;
	return drapeScene_Fail(object, "farDistance", "farDistance is %.9g, expected more than nearDistance, which is %.9g",
	                       (double)budget->farDistance, (double)budget->nearDistance);
}

static SceneSection budgetSection = {
	.title = "cloths[].budget",
	.help = "Cost limits. The budget moves the curvature thresholds to reach the number of triangles that fits. When a "
			"step "
			"would take longer than the budgets of all cloths together, it gives up quality (docs/architecture.md).",
	.fields = budgetFields,
	.size = sizeof(BUDGET),
	.check = CheckBudget,
};

// --- pins ---

const SceneField drapeSceneBoxFields[drapeSceneBoxFieldCount] = {
	{.key = "min",
     .kind = scene_vec3,
     .offset = offsetof(drapeSceneBox, min),
     .required = true,
     .unit = "m",
     .help = "lowest corner"},
	{.key = "max",
     .kind = scene_vec3,
     .offset = offsetof(drapeSceneBox, max),
     .required = true,
     .unit = "m",
     .help = "highest corner"},
};

bool drapeScene_CheckBox(const SceneObject* object, void* value)
{
	const drapeSceneBox* box = value;
	if (box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z)
		return true;
	return drapeScene_Fail(object, "max", "the box is empty, expected max to be at least min in x, y and z");
}

static const SceneSection boxSection = {
	.title = "cloths[].pins[].box",
	.help = "A box that selects vertices by their start positions.",
	SCENE_SECTION_FIELDS(drapeSceneBoxFields),
	.size = sizeof(drapeSceneBox),
	.check = drapeScene_CheckBox,
};

static const SceneField pinFields[] = {
	{.key = "vertices",
     .kind = scene_indices,
     .offset = offsetof(drapeScenePin, vertices),
     .countOffset = offsetof(drapeScenePin, vertexCount),
     .help = "vertices of the mesh, counted from 0"},
	{.key = "box",
     .kind = scene_section,
     .offset = offsetof(drapeScenePin, box),
     .section = &boxSection,
     .help = "all vertices in a box"},
	{.key = "corners",
     .kind = scene_flags,
     .offset = offsetof(drapeScenePin, corners),
     .words = "bottom-left|bottom-right|top-left|top-right",
     .help = "corners of a grid; z is lowest at the top"},
	{.key = "motion",
     .kind = scene_text,
     .offset = offsetof(drapeScenePin, motion),
     .help = "name of their motion, which starts from their present position; without one they are fixed"},
	{.key = "collider",
     .kind = scene_text,
     .offset = offsetof(drapeScenePin, collider),
     .text = "",
     .help = "name of a collider that they follow with their present offset; it may deform"},
	NUMBER(drapeScenePin, "maxForce", maxForce, 0.0, 1e9, "N",
           "largest force of each pin; a pin that needs more slips. 0 for no limit"),
	SCENE_TIME_FIELDS(drapeScenePin, start, end),
};

// A motion starts from the present position of its pins, so its first key must be the identity.
static bool CheckLedFromRest(const SceneObject* object, const drapeScenePin* pin)
{
	const json_t* motions = json_object_get(object->reader->root, "motions");
	for (size_t i = 0; i < json_array_size(motions); ++i)
	{
		const json_t* motion = json_array_get(motions, i);
		const json_t* first = json_array_get(json_object_get(motion, "keys"), 0);
		const char* name = json_string_value(json_object_get(motion, "name"));
		if (!name || strcmp(name, pin->motion) != 0)
			continue;
		const json_t* position = json_object_get(first, "position");
		bool moved = json_number_value(json_object_get(first, "angle")) != 0.0;
		for (size_t k = 0; k < json_array_size(position); ++k)
			moved = moved || json_number_value(json_array_get(position, k)) != 0.0;
		if (moved)
			return drapeScene_Fail(object, "motion",
			                       "pins jump to the first key of motion \"%s\", expected one at [0, 0, 0] and angle 0",
			                       drapeQuote(name, strlen(name)).text);
	}
	return true;
}

static bool CheckPin(const SceneObject* object, void* value)
{
	const drapeScenePin* pin = value;
	if (pin->motion[0] && pin->collider[0])
		return drapeScene_Fail(object, "collider", "pins follow a motion or a collider, expected one of both");
	return drapeScene_CheckMotionName(object, "motion", pin->motion) && CheckLedFromRest(object, pin) &&
	       drapeScene_CheckColliderName(object, "collider", pin->collider) &&
	       drapeScene_CheckTimes(object, pin->start, pin->end);
}

static const SceneSection pinSection = {
	.title = "cloths[].pins[]",
	.help = "Pinned vertices. Exactly one of `vertices`, `box` and `corners` selects them.",
	SCENE_SECTION_FIELDS(pinFields),
	.size = sizeof(drapeScenePin),
	.placeOffset = offsetof(drapeScenePin, place),
	.oneOf = "vertices|box|corners",
	.oneOfOffset = offsetof(drapeScenePin, kind),
	.check = CheckPin,
};

// --- inertia ---

static const SceneField inertiaFields[] = {
	NUMBER(drapeSceneInertia, "linear", linear, 0.0, 1.0, NULL, "share of the translation that the cloth feels"),
	NUMBER(drapeSceneInertia, "angular", angular, 0.0, 1.0, NULL, "share of the rotation that it feels"),
	{.key = "motion",
     .kind = scene_text,
     .offset = offsetof(drapeSceneInertia, motion),
     .text = "",
     .help = "name of the motion that is the frame of the cloth"},
};

static bool CheckInertia(const SceneObject* object, void* value)
{
	const drapeSceneInertia* inertia = value;
	return inertia->motion[0] == 0 || drapeScene_CheckMotionName(object, "motion", inertia->motion);
}

static const SceneSection inertiaSection = {
	.title = "cloths[].inertia",
	.help =
		"How much the cloth feels the motion of a frame, such as a character that wears it. The rest carries it along.",
	SCENE_SECTION_FIELDS(inertiaFields),
	.size = sizeof(drapeSceneInertia),
	.check = CheckInertia,
};

// --- sleep ---

static const SceneField sleepFields[] = {
	NUMBER(drapeSleepDef, "speed", speed, 0.0, 1000.0, "m/s",
           "all particles must be slower, e.g. 0.01; 0: the cloth never falls asleep"),
	NUMBER(drapeSleepDef, "time", time, 0.0, 1e6, "s", "for so long without a break"),
};

static const SceneSection sleepSection = {
	.title = "cloths[].sleep",
	.help = "When the cloth falls asleep. Sleeping cloth costs nothing until something near it moves.",
	SCENE_SECTION_FIELDS(sleepFields),
	.size = sizeof(drapeSleepDef),
};

// --- the cloth ---

#define CLOTH drapeSceneCloth

static const SceneField clothFields[] = {
	{.key = "name",
     .kind = scene_text,
     .offset = offsetof(CLOTH, name),
     .required = true,
     .help = "name of the cloth and its files: letters, digits, `-`, `_` and `.`"},
	SECTION(CLOTH, "grid", grid, &gridSection),
	SECTION(CLOTH, "disc", disc, &discSection),
	{.key = "obj",
     .kind = scene_text,
     .offset = offsetof(CLOTH, obj),
     .path = true,
     .help = "path of an OBJ file, relative to the scene"},
	SCENE_UP_FIELD(CLOTH),
	SCENE_POSE_FIELDS(CLOTH, pose),
	SECTION(CLOTH, "rest", rest, &restSection),
	SECTION(CLOTH, "material", material, &materialSection),
	{.key = "model",
     .kind = scene_choice,
     .offset = offsetof(CLOTH, model),
     .words = "springs|fem",
     .decides = true,
     .help = "force model: `springs` along edges, or `fem`, finite elements with the fabric's measured properties at "
             "any resolution"},
	SECTION(CLOTH, "springs", springs, &springSection),
	SECTION(CLOTH, "solver", solver, &solverSection),
	SECTION(CLOTH, "adapt", adapt, &drapeSceneAdaptSection),
	SECTION(CLOTH, "budget", budget, &budgetSection),
	CHOICE(CLOTH, "contact", contact, "particles|all",
           "`particles` keeps particles outside colliders; `all` keeps vertices, edges and faces outside colliders, "
           "the cloth itself and other cloths with `all` (docs/contact.md)"),
	SECTION(CLOTH, "filter", filter, &drapeSceneFilterSection),
	NUMBER(CLOTH, "gravityScale", gravityScale, -1000.0, 1000.0, NULL,
           "factor of the world's gravity; 0 for none, negative to rise"),
	SECTION(CLOTH, "inertia", inertia, &inertiaSection),
	SECTION(CLOTH, "sleep", sleep, &sleepSection),
	{.key = "pins",
     .kind = scene_list,
     .offset = offsetof(CLOTH, pins),
     .countOffset = offsetof(CLOTH, pinCount),
     .section = &pinSection},
	{.key = "attach",
     .kind = scene_list,
     .offset = offsetof(CLOTH, attach),
     .countOffset = offsetof(CLOTH, attachCount),
     .section = &drapeSceneAttachSection},
	{.key = "tether",
     .kind = scene_list,
     .offset = offsetof(CLOTH, tether),
     .countOffset = offsetof(CLOTH, tetherCount),
     .section = &drapeSceneTetherSection},
	{.key = "stitch",
     .kind = scene_list,
     .offset = offsetof(CLOTH, stitch),
     .countOffset = offsetof(CLOTH, stitchCount),
     .section = &drapeSceneStitchSection},
	SWITCH(CLOTH, "pinMiddles", pinMiddles, "pins particles that adaptation creates between two pins"),
	SECTION(CLOTH, "look", look, &drapeSceneLookSection),
};

static void BeginCloth(void* value)
{
	CLOTH* cloth = value;
	drapeClothDef def = drapeDefaultClothDef();
	cloth->grid = (drapeSceneGridDef){.columns = 4, .rows = 4, .width = 1.0f, .depth = 1.0f};
	cloth->disc = (drapeSceneDiscDef){.radius = 0.5f, .rings = 3, .segments = 12};
	cloth->pose = drapeScene_DefaultPose();
	cloth->rest = def.rest;
	cloth->rest.metresPerUnit = 1.0f;
	cloth->material = drapeDefaultMaterial();
	cloth->model = def.model;
	cloth->springs = def.springs;
	cloth->solver = def.solver;
	cloth->adapt = def.adapt;
	cloth->budget = def.budget;
	cloth->contact = def.contact;
	cloth->filter = def.filter;
	cloth->gravityScale = def.gravityScale;
	cloth->inertia.linear = def.inertia.linear;
	cloth->inertia.angular = def.inertia.angular;
	cloth->sleep = def.sleep;
	cloth->pinMiddles = def.pinMiddles;
	cloth->look = drapeScene_DefaultLook();
}

// The integrator that the object names; -1 for none, or an unknown one.
static int NamedIntegrator(const json_t* json)
{
	const char* name = json_string_value(json_object_get(json_object_get(json, "solver"), "integrator"));
	for (int i = 0; name && drapeIntegrator_GetName((drapeIntegrator)i); ++i)
		if (strcmp(drapeIntegrator_GetName((drapeIntegrator)i), name) == 0)
			return i;
	return -1;
}

// The defaults of `solver` are those of implicit integrators when the scene names one, or when it names none and the
// cloth consists of finite elements.
static void ChooseSolver(const json_t* json, void* value)
{
	CLOTH* cloth = value;
	const char* model = json_string_value(json_object_get(json, "model"));
	bool isFem = model ? strcmp(model, "fem") == 0 : cloth->model == drape_modelFem;
	int integrator = NamedIntegrator(json);
	bool isImplicit = integrator >= 0 ? drapeIntegrator_IsImplicit((drapeIntegrator)integrator) : isFem;
	cloth->solver = isImplicit ? drapeDefaultSolverDef() : drapeDefaultExplicitSolverDef();
}

static bool IsFileName(const char* name)
{
	for (const char* s = name; *s; ++s)
		if (!isalnum((unsigned char)*s) && !strchr("-_.", *s))
			return false;
	return name[0] != 0 && name[0] != '.' && strlen(name) <= 100;
}

static bool CheckCloth(const SceneObject* object, void* value)
{
	const CLOTH* cloth = value;
	if (!IsFileName(cloth->name))
		return drapeScene_Fail(object, "name", "name is \"%s\", expected letters, digits, '-', '_' and '.'",
		                       drapeQuote(cloth->name, strlen(cloth->name)).text);
	if (cloth->source == drape_sceneObj && cloth->obj[0] == 0)
		return drapeScene_Fail(object, "obj", "obj is empty, expected the path of an OBJ file");
	for (uint32_t i = 0; i < cloth->pinCount; ++i)
	{
		ScenePath pins = drapeScenePath_Key(object->path, "pins"), path = drapeScenePath_Index(&pins, i);
		SceneObject pin = {object->reader, json_array_get(json_object_get(object->json, "pins"), i), &path};
		if (cloth->pins[i].kind == drape_scenePinCorners && cloth->source != drape_sceneGrid)
			return drapeScene_Fail(&pin, "corners", "only a grid has corners, expected \"vertices\" or \"box\"");
	}
	return drapeScene_CheckPose(object, &cloth->pose);
}

const SceneSection drapeSceneClothSection = {
	.title = "cloths[]",
	.help = "The cloths. Exactly one of `grid`, `disc` and `obj` gives the mesh.",
	SCENE_SECTION_FIELDS(clothFields),
	.size = sizeof(CLOTH),
	.placeOffset = offsetof(CLOTH, place),
	.oneOf = "grid|disc|obj",
	.oneOfOffset = offsetof(CLOTH, source),
	.begin = BeginCloth,
	.choose = ChooseSolver,
	.check = CheckCloth,
};

void drapeScene_BuildClothDefinitions(void)
{
	uint32_t count;
	const drapeParameter* parameters = drapeMaterial_GetParameters(&count);
	materialSection.fieldCount = 1 + drapeScene_FillFields(materialFields + 1, maxFields - 1, parameters, count);
	parameters = drapeSpringDef_GetParameters(&count);
	springSection.fieldCount = drapeScene_FillFields(springFields, maxFields, parameters, count);
	parameters = drapeSolverDef_GetParameters(&count);
	solverSection.fieldCount = drapeScene_FillFields(solverFields, maxFields, parameters, count);
	solverFields[0].decides = true; // the integrator chooses the defaults of the others
	parameters = drapeBudgetDef_GetParameters(&count);
	budgetSection.fieldCount = drapeScene_FillFields(budgetFields, maxFields, parameters, count);
}
