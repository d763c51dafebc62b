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

#define CURVE(Type, keyText, member, helpText)                                                                         \
	{                                                                                                                  \
		.key = (keyText), .kind = scene_curve, .offset = offsetof(Type, member), .help = (helpText)                    \
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
	POSITIVE(drapeRestDef, "metresPerUnit", metresPerUnit, "m", "for `uv`: length of one texture unit"),
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

static const SceneField materialFields[] = {
	{.key = "preset", .kind = scene_preset, .help = "a fabric of `drape presets`; the other keys change it"},
	NUMBER(MATERIAL, "density", density, 1e-6, 1e6, "kg/m^2", "mass per area"),
	NUMBER(MATERIAL, "stretchWarp", stretchWarp, 0.0, 1e8, "N/m", "modulus of the sheet along the warp"),
	NUMBER(MATERIAL, "stretchWeft", stretchWeft, 0.0, 1e8, "N/m", "modulus of the sheet along the weft"),
	NUMBER(MATERIAL, "shear", shear, 0.0, 1e8, "N/m", "shear modulus of the sheet"),
	NUMBER(MATERIAL, "poisson", poisson, 0.0, 0.5, NULL,
           "contraction of the weft per elongation of the warp; its square times `stretchWeft` / `stretchWarp` must be "
           "below 1"),
	NUMBER(MATERIAL, "bendWarp", bendWarp, 0.0, 1e8, "N m", "bending rigidity along the warp"),
	NUMBER(MATERIAL, "bendWeft", bendWeft, 0.0, 1e8, "N m", "bending rigidity along the weft"),
	NUMBER(MATERIAL, "bendBias", bendBias, 0.0, 1e8, "N m",
           "bending rigidity at 45 degrees, at least a quarter of `bendWarp` + `bendWeft`; 0 chooses a value between "
           "them. Finite elements only"),
	NUMBER(MATERIAL, "curlWarp", curlWarp, -1e4, 1e4, "1/m",
           "curvature along the warp without load. Finite elements only"),
	NUMBER(MATERIAL, "curlWeft", curlWeft, -1e4, 1e4, "1/m",
           "curvature along the weft without load. Finite elements only"),
	NUMBER(MATERIAL, "bendFriction", bendFriction, 0.0, 1e4, "1/m",
           "curvature that the fabric keeps after it was bent further and released: half of 2HB / B of laboratories, "
           "20 to 60 for woven fabrics. Finite elements with implicit integrators only"),
	NUMBER(MATERIAL, "dampingTime", dampingTime, 0.0, 100.0, "s",
           "internal damping, as a time that multiplies the stiffness"),
	NUMBER(MATERIAL, "friction", friction, 0.0, 1000.0, NULL,
           "Coulomb coefficient of the fabric against itself, and against colliders, whose own is a factor. Between "
           "two fabrics it is the geometric mean"),
	NUMBER(MATERIAL, "thickness", thickness, 0.0, 1.0, "m", "distance that the cloth keeps from colliders"),
	NUMBER(MATERIAL, "drag", drag, 0.0, 1000.0, NULL, "air drag coefficient, about 1 for closed fabric"),
	NUMBER(MATERIAL, "lift", lift, 0.0, 1000.0, NULL, "air lift coefficient"),
	CURVE(MATERIAL, "warpCurve", warpCurve,
          "measured stress over elongation along the warp, of a strip of fixed width, in place of the straight line of "
          "`stretchWarp`; `[]` for that line. Finite elements only"),
	CURVE(MATERIAL, "weftCurve", weftCurve, "as `warpCurve`, along the weft, in place of `stretchWeft`"),
	CURVE(MATERIAL, "shearCurve", shearCurve,
          "as `warpCurve`, for shear, in place of `shear`; strain is the tangent of the angle"),
};

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
	return drapeMaterial_Preset(name, value);
}

static const SceneSection materialSection = {
	.title = "cloths[].material",
	.help = "The fabric: the name of a preset, or an object.",
	SCENE_SECTION_FIELDS(materialFields),
	.size = sizeof(MATERIAL),
	.check = CheckMaterial,
	.preset = FindPreset,
	.presetName = drapeMaterial_PresetName,
};

// --- springs, solver ---

static const SceneField springFields[] = {
	CHOICE(drapeSpringDef, "law", law, "area|length",
           "`area`: the same fabric at any resolution; `length`: Simnett 2012, eq. 3.6.5"),
	CHOICE(drapeSpringDef, "damping", damping, "projected|simple",
           "`projected` damps along the spring only; `simple` damps the whole velocity difference"),
	CHOICE(drapeSpringDef, "bending", bending, "elements|springs|none", "bending model"),
	NUMBER(drapeSpringDef, "bendSpringRatio", bendSpringRatio, 0.0, 1.0, NULL,
           "for bending by `springs`: their constant over that of the edge's spring"),
};

static const SceneSection springSection = {
	.title = "cloths[].springs",
	.help = "For the model `springs`.",
	SCENE_SECTION_FIELDS(springFields),
	.size = sizeof(drapeSpringDef),
};

static const SceneField solverFields[] = {
	{.key = "integrator",
     .kind = scene_choice,
     .offset = offsetof(drapeSolverDef, integrator),
     .words = "symplectic-euler|explicit-euler|midpoint|verlet|runge-kutta-4|implicit-euler|implicit-midpoint|bdf2",
     .decides = true,
     .help = "time integrator; the last three are implicit and stable at any step. The default is `bdf2` for the model "
             "`fem`, otherwise `symplectic-euler`"},
	WHOLE(drapeSolverDef, "substeps", substeps, 0, 65536,
          "substeps per step; 0 chooses the number from the stiffest element, and 1 for an implicit integrator"),
	WHOLE(drapeSolverDef, "maxSubsteps", maxSubsteps, 1, 65536, "largest number of substeps, also for repeated steps"),
	NUMBER(drapeSolverDef, "globalDamping", globalDamping, 0.0, 1000.0, "1/s", "decay rate of all velocities"),
	NUMBER(
		drapeSolverDef, "maxStretch", maxStretch, 0.0, 100.0, NULL,
		"largest length over rest length, at least 1; 0 for 1.3 times the length at the end of the stress curves, 100 "
		"for no limit. Explicit springs are shortened, all other "
		"cloth becomes much stiffer beyond it"),
	WHOLE(drapeSolverDef, "stretchIterations", stretchIterations, 1, 100,
          "model `springs`: sweeps of the stretch limit per substep"),
	CHOICE(drapeSolverDef, "preconditioner", preconditioner, "multigrid|bpx|jacobi",
           "implicit integrators: preconditioner of the conjugate gradients"),
	NUMBER(drapeSolverDef, "tolerance", tolerance, 1e-6, 0.5, NULL,
           "implicit integrators: ratio of the residual to the first one at which a linear solve ends"),
	WHOLE(drapeSolverDef, "maxIterations", maxIterations, 1, 10000,
          "implicit integrators: iterations per linear solve; if they do not suffice, the step is divided"),
	WHOLE(drapeSolverDef, "newtonIterations", newtonIterations, 1, 100,
          "implicit integrators: largest number of linear solves per substep"),
	NUMBER(drapeSolverDef, "newtonTolerance", newtonTolerance, 0.0, 0.5, NULL,
           "implicit integrators: ratio of the residual to that at the start of the substep below which no further "
           "solve is made"),
};

static bool CheckSolver(const SceneObject* object, void* value)
{
	const drapeSolverDef* solver = value;
	if (solver->substeps > solver->maxSubsteps)
		return drapeScene_Fail(object, "substeps", "substeps is %u, but maxSubsteps is %u, expected no more",
		                       solver->substeps, solver->maxSubsteps);
	if (solver->maxStretch > 0.0f && solver->maxStretch < 1.0f)
		return drapeScene_Fail(object, "maxStretch", "maxStretch is %.9g, expected 0 or a ratio of at least 1",
		                       (double)solver->maxStretch);
	return true;
}

static const SceneSection solverSection = {
	.title = "cloths[].solver",
	.help = "Time integration. The defaults are those of the model `springs`; those of `fem` are under \"Models and "
			"solvers\" in docs/scenes.md.",
	SCENE_SECTION_FIELDS(solverFields),
	.size = sizeof(drapeSolverDef),
	.check = CheckSolver,
};

// --- budget ---

#define BUDGET drapeBudgetDef

static const SceneField budgetFields[] = {
	WHOLE(BUDGET, "triangles", triangles, 0, IO_MAX_ELEMENTS, "target number of triangles; 0 for no such budget"),
	NUMBER(BUDGET, "milliseconds", milliseconds, 0.0, 1e5, "ms",
           "limit of the time of a step; 0 for no such budget. The result then depends on the machine"),
	NUMBER(BUDGET, "work", work, 0.0, 1e6, NULL,
           "limit of the work of a step, in millions of operations; 0 for no such budget. The result is the same on "
           "every machine"),
	NUMBER(BUDGET, "nearDistance", nearDistance, 0.0, 1e6, "m", "the full budget applies up to this distance"),
	NUMBER(BUDGET, "farDistance", farDistance, 0.0, 1e6, "m",
           "`farShare` applies from this distance on; 0 ignores the distance"),
	NUMBER(BUDGET, "farShare", farShare, 0.0, 1.0, NULL, "share of the budget beyond `farDistance`"),
};

static bool CheckBudget(const SceneObject* object, void* value)
{
	const BUDGET* budget = value;
	if (budget->farDistance == 0.0f || budget->farDistance > budget->nearDistance)
		return true;
	return drapeScene_Fail(object, "farDistance", "farDistance is %.9g, expected more than nearDistance, which is %.9g",
	                       (double)budget->farDistance, (double)budget->nearDistance);
}

static const SceneSection budgetSection = {
	.title = "cloths[].budget",
	.help = "Cost limits. The budget moves the curvature thresholds to reach the number of triangles that fits. When a "
            "step "
			"would take longer than the budgets of all cloths together, it gives up quality (docs/architecture.md).",
	SCENE_SECTION_FIELDS(budgetFields),
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
	cloth->material = def.material;
	cloth->model = drape_modelFem; // better than springs in quality and cost: docs/solvers.md
	cloth->springs = def.springs;
	cloth->solver = def.solver;
	cloth->adapt = def.adapt;
	cloth->budget = def.budget;
	cloth->contact = def.contact;
	cloth->pinMiddles = def.pinMiddles;
	cloth->look = drapeScene_DefaultLook();
}

// The integrator that the object names; -1 for none, or an unknown one.
static int NamedIntegrator(const json_t* json)
{
	const char* name = json_string_value(json_object_get(json_object_get(json, "solver"), "integrator"));
	for (int i = 0; name && drapeIntegrator_Name((drapeIntegrator)i); ++i)
		if (strcmp(drapeIntegrator_Name((drapeIntegrator)i), name) == 0)
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
	cloth->solver = isImplicit ? drapeDefaultFemSolverDef() : drapeDefaultSolverDef();
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
