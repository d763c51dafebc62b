// SPDX-License-Identifier: MIT
#include "studio.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Properties of the selected item, with units and tool tips. Every row changes document.scene in place.

static const float degrees = 57.29577951f;

#define COUNT(names) ((int)(sizeof(names) / sizeof(names)[0]))

// A row for an enum.
#define CHOICE(label, place, names, tip)                                                                               \
	do                                                                                                                 \
	{                                                                                                                  \
		int chosen = (int)(place);                                                                                     \
		if (drapeUi_RowChoice(label, &chosen, names, COUNT(names), tip))                                               \
		{                                                                                                              \
			(place) = chosen;                                                                                          \
			drapeStudio_Changed(studio, label);                                                                        \
		}                                                                                                              \
	} while (0)

#define CHANGED(label, row)                                                                                            \
	do                                                                                                                 \
	{                                                                                                                  \
		if (row)                                                                                                       \
			drapeStudio_Changed(studio, label);                                                                        \
	} while (0)

static bool RowAngle(const char* label, float* angle, float low, float high, const char* tip)
{
	float shown = *angle * degrees;
	bool changed = drapeUi_RowFloat(label, &shown, 0.25f, low, high, "%.1f °", tip);
	if (changed)
		*angle = shown / degrees;
	return changed;
}

// --- name and pose ---

static void ShowName(Studio* studio, char** name, bool isFileName)
{
	char text[128], fitting[128];
	snprintf(text, sizeof text, "%s", *name);
	if (!drapeUi_RowText("Name", text, sizeof text,
	                     isFileName ? "Names its files: letters, digits, - _ and ." : "For people"))
		return;
	if (strcmp(text, *name) == 0)
		return;
	if (isFileName)
	{
		drapeScene_FreeName(studio->document.scene, text, fitting, sizeof fitting);
		snprintf(text, sizeof text, "%s", fitting);
	}
	drapeScene_SetText(name, text);
	drapeStudio_Changed(studio, "Rename");
}

static void ShowPose(Studio* studio, drapeScenePose* pose, bool restarts)
{
	if (!drapeUi_Section("Place", true))
		return;
	bool changed =
		drapeUi_RowVec3("Position (m)", &pose->position.x, 0.005f, "%.3f", "Where its origin is: x, y up, z");
	changed |= drapeUi_RowVec3("Axis", &pose->axis.x, 0.01f, "%.2f", "The axis it is turned about");
	changed |= RowAngle("Angle", &pose->angle, -360.0f, 360.0f, "Counter-clockwise, seen against the axis");
	changed |= drapeUi_RowFloat("Scale", &pose->scale, 0.005f, 1e-4f, 1e4f, "%.3f", "Size, before turning and moving");
	if (!changed)
		return;
	// The reader of scenes refuses an axis of zero length.
	if (V3_Length(pose->axis) < 1e-5f)
		pose->axis = V3(0.0f, 1.0f, 0.0f);
	studio->restart = studio->restart || restarts;
	drapeStudio_Changed(studio, "Place");
}

static void ShowColour(Studio* studio, const char* label, drapeSceneColour* colour, drapeVec3 shown, const char* tip)
{
	float rgb[3] = {shown.x, shown.y, shown.z};
	if (!drapeUi_RowColour(label, rgb, tip))
		return;
	*colour = (drapeSceneColour){{rgb[0], rgb[1], rgb[2]}, true};
	drapeStudio_Changed(studio, label);
}

// --- cloth ---

static void ShowPreset(Studio* studio, drapeSceneCloth* cloth)
{
	const char* names[40] = {0};
	int count = 0, preset = drapeMaterial_FindPreset(&cloth->material);
	for (; count < 39 && drapeMaterial_GetPresetName((uint32_t)count); ++count)
		names[count] = drapeMaterial_GetPresetName((uint32_t)count);
	names[count] = "(changed)";
	int chosen = preset < 0 ? count : preset;
	if (!drapeUi_RowChoice("Preset", &chosen, names, preset < 0 ? count + 1 : count,
	                       "A preset; the tab Fabrics describes them"))
		return;
	if (chosen < count && drapeMaterial_GetPreset(names[chosen], &cloth->material, NULL) == drape_ok)
		drapeStudio_Changed(studio, "Fabric");
}

static void ShowMaterial(Studio* studio, drapeSceneCloth* cloth)
{
	drapeMaterial* m = &cloth->material;
	ShowPreset(studio, cloth);
	CHANGED("Density", drapeUi_RowFloat("Density", &m->density, 0.001f, 1e-3f, 10.0f, "%.3f kg/m²", "Mass per area"));
	CHANGED("Stretch warp",
	        drapeUi_RowLog("Stretch warp", &m->stretchWarp, 0.0f, 1e5f, "%.4g N/m",
	                       "How hard it is to stretch along the warp. A fabric with measured curves has them "
	                       "instead, with finite elements"));
	CHANGED("Stretch weft",
	        drapeUi_RowLog("Stretch weft", &m->stretchWeft, 0.0f, 1e5f, "%.4g N/m", "The same along the weft"));
	CHANGED("Shear", drapeUi_RowLog("Shear", &m->shear, 0.0f, 1e5f, "%.4g N/m", "How hard it is to shear"));
	CHANGED("Bend warp", drapeUi_RowLog("Bend warp", &m->bendWarp, 0.0f, 0.1f, "%.3g N m", "How hard it is to bend"));
	CHANGED("Bend weft", drapeUi_RowLog("Bend weft", &m->bendWeft, 0.0f, 0.1f, "%.3g N m", "The same along the weft"));
	CHANGED("Bend friction",
	        drapeUi_RowFloat("Bend friction", &m->bendFriction, 0.1f, 0.0f, 200.0f, "%.1f 1/m",
	                         "How much curvature it keeps when it was bent further and is let go. Finite elements with "
	                         "implicit integrators only"));
	CHANGED("Damping", drapeUi_RowFloat("Damping", &m->dampingTime, 1e-4f, 0.0f, 1.0f, "%.4f s",
	                                    "Inner friction: this time times the stiffness"));
	CHANGED("Friction", drapeUi_RowFloat("Friction", &m->friction, 0.005f, 0.0f, 10.0f, "%.2f", "Against colliders"));
	CHANGED("Thickness",
	        drapeUi_RowFloat("Thickness", &m->thickness, 1e-4f, 0.0f, 0.1f, "%.4f m", "The cloth stays this far away"));
	CHANGED("Air drag",
	        drapeUi_RowFloat("Air drag", &m->drag, 0.01f, 0.0f, 10.0f, "%.2f", "About 1 for closed fabric"));
	CHANGED("Air lift", drapeUi_RowFloat("Air lift", &m->lift, 0.01f, 0.0f, 10.0f, "%.2f", "Across the wind"));
}

static void ShowModel(Studio* studio, drapeSceneCloth* cloth)
{
	static const char* const models[] = {"Springs", "Finite elements"};
	int model = (int)cloth->model;
	if (drapeUi_RowChoice(
			"Model", &model, models, 2,
			"Finite elements have the fabric's measured properties at any resolution; springs are simpler"))
	{
		drapeScene_SetModel(cloth, (drapeModel)model);
		drapeStudio_Changed(studio, "Model");
	}
	const char* names[16];
	int count = 0;
	while (count < 16 && drapeIntegrator_GetName((drapeIntegrator)count))
	{
		names[count] = drapeIntegrator_GetName((drapeIntegrator)count);
		++count;
	}
	int integrator = (int)cloth->solver.integrator;
	if (drapeUi_RowChoice("Integrator", &integrator, names, count, "How a step is made"))
	{
		bool wasImplicit = drapeIntegrator_IsImplicit(cloth->solver.integrator);
		bool isImplicit = drapeIntegrator_IsImplicit((drapeIntegrator)integrator);
		if (wasImplicit != isImplicit)
			cloth->solver = isImplicit ? drapeDefaultSolverDef() : drapeDefaultExplicitSolverDef();
		cloth->solver.integrator = (drapeIntegrator)integrator;
		drapeStudio_Changed(studio, "Integrator");
	}
	CHANGED("Substeps", drapeUi_RowUint("Substeps", &cloth->solver.substeps, 0, 256, "%u", "Per step; 0 chooses them"));
	CHANGED("Air damping", drapeUi_RowFloat("Slow down", &cloth->solver.globalDamping, 0.01f, 0.0f, 100.0f, "%.2f 1/s",
	                                        "All motion decays by this"));
	float stretch = cloth->solver.maxStretch;
	if (drapeUi_RowFloat("Longest", &stretch, 0.002f, 0.0f, 2.0f, stretch > 0.0f ? "%.3f of rest" : "no limit",
	                     "The longest that cloth may get, over its length at rest; 0 for no limit"))
	{
		// Values between 0 and 1 are not allowed: skip them in both directions.
		cloth->solver.maxStretch = stretch >= 1.0f ? stretch : stretch > cloth->solver.maxStretch ? 1.0f : 0.0f;
		drapeStudio_Changed(studio, "Longest");
	}
}

// One row per parameter of the core's description. `owner` is the struct that the parameter's offset counts from.
static bool RowParameter(const drapeParameter* parameter, const char* label, char* owner)
{
	char format[32];
	void* value = owner + parameter->offset;
	float low = (float)parameter->low, high = (float)parameter->high, step = (float)parameter->step;
	int digits = (int)fmax(0.0, ceil(-log10(parameter->step)));
	snprintf(format, sizeof format, "%%.%df%s%s", digits, parameter->unit ? " " : "",
	         parameter->unit ? parameter->unit : "");
	switch (parameter->kind)
	{
		case drape_parameterAngle:
			return RowAngle(label, value, low * degrees, high * degrees, parameter->help);
		case drape_parameterUint:
			return drapeUi_RowUint(label, value, (uint32_t)low, (uint32_t)high, "%u", parameter->help);
		case drape_parameterVec3:
			return drapeUi_RowVec3(label, value, step, format, parameter->help);
		default:
			return drapeUi_RowFloat(label, value, step, parameter->isAbove ? fmaxf(low, 0.01f * step) : low, high,
			                        format, parameter->help);
	}
}

static void ShowCriterion(Studio* studio, drapeAdaptDef* adapt, const drapeCriterionInfo* info)
{
	char* criterion = (char*)adapt + info->offset;
	bool* isEnabled = (bool*)(void*)(criterion + info->enabled);
	CHANGED(info->label, drapeUi_RowBool(info->label, isEnabled, info->help));
	for (uint32_t k = 0; *isEnabled && k < info->parameterCount; ++k)
	{
		char label[48];
		snprintf(label, sizeof label, "  %s", info->parameters[k].label);
		CHANGED(info->parameters[k].label, RowParameter(&info->parameters[k], label, criterion));
	}
}

static void ShowCriteria(Studio* studio, drapeSceneCloth* cloth)
{
	static const char* const contacts[] = {"Particles", "Everything"};
	CHOICE("Contact", cloth->contact, contacts,
	       "What is kept out of colliders: particles only, or faces and edges too, which also keeps the cloth out of "
	       "itself and of other cloths");
	static const char* const schemes[] = {"Edge-based", "Fixed", "Square root of 3"};
	drapeAdaptDef* a = &cloth->adapt;
	CHOICE("Scheme", a->scheme, schemes, "How triangles refine; fixed never does");
	CHANGED("Levels",
	        drapeUi_RowUint("Levels", &a->maxLevel, 0, 8, "%u",
	                        "Deepest refinement: each level makes four of one, two of the square-root-3 scheme three"));
	CHANGED("At most",
	        drapeUi_RowUint("At most", &a->maxTriangles, 0, 1000000, a->maxTriangles ? "%u triangles" : "no cap",
	                        "Edges with the largest deviation are split first; 0 for no cap"));
	const drapeCriterionInfo* info;
	for (uint32_t i = 0; (info = drapeCriterion_GetInfo(i)) != NULL; ++i)
		ShowCriterion(studio, a, info);
	CHANGED("Budget", drapeUi_RowUint("Budget", &cloth->budget.triangles, 0, 100000,
	                                  cloth->budget.triangles ? "%u triangles" : "none",
	                                  "Wanted number of triangles: the angles are moved until it is met; 0 for none"));
}

static void ShowLook(Studio* studio, drapeSceneCloth* cloth, uint32_t index)
{
	static const char* const fabrics[] = {"As its fabric", "Cotton", "Silk", "Denim", "Wool"};
	static const char* const textures[] = {"Plain", "Checker", "Stripes", "Tartan"};
	drapeLook look = drapeLook_FromScene(cloth, index);
	CHOICE("Surface", cloth->look.fabric, fabrics, "How it takes light; it changes nothing about how it moves");
	ShowColour(studio, "Front", &cloth->look.front, look.front, "The side that normals point to");
	ShowColour(studio, "Back", &cloth->look.back, look.back, "The other side");
	CHOICE("Pattern", cloth->look.texture, textures, "Woven in");
	if (cloth->look.texture != drape_scenePlain)
	{
		ShowColour(studio, "Second", &cloth->look.second, look.second, "The other colour of the pattern");
		CHANGED("Repeat", drapeUi_RowFloat("Repeat", &cloth->look.textureSize, 0.002f, 0.005f, 10.0f, "%.3f m",
		                                   "Width of one repeat"));
	}
}

static void ShowPins(Studio* studio, drapeSceneCloth* cloth, uint32_t index)
{
	const FrameCloth* frame = drapeStudio_FrameCloth(studio, index);
	uint32_t pinned = 0;
	char text[64];
	for (uint32_t i = 0; frame && i < frame->pattern.mesh.vertexCount; ++i)
		pinned += frame->view.positions[i].w == 0.0f;
	snprintf(text, sizeof text, "%u vertices", pinned);
	drapeUi_RowLabel("Pinned", text, "The tool Pin (P) pins and frees vertices by click and by box");
	CHANGED("Pin between", drapeUi_RowBool("Also between", &cloth->pinMiddles,
	                                       "The middle of an edge between two pins is pinned too"));
	if (cloth->pinCount > 0 && drapeUi_Button("Free all", drapeUi_AvailableWidth(), ui_buttonPlain))
	{
		drapeMesh mesh = {.positions = frame ? frame->pattern.mesh.positions : NULL,
		                  .vertexCount = frame ? frame->pattern.mesh.vertexCount : 0};
		for (uint32_t i = 0; i < mesh.vertexCount; ++i)
			drapeScenePins_Set(cloth, &mesh, &i, 1, false);
		drapeStudio_Changed(studio, "Free all");
	}
}

static void ShowMesh(Studio* studio, drapeSceneCloth* cloth)
{
	bool changed = false;
	if (cloth->source == drape_sceneGrid)
	{
		changed |= drapeUi_RowFloat("Width", &cloth->grid.width, 0.005f, 0.01f, 100.0f, "%.3f m", "Along x");
		changed |= drapeUi_RowFloat("Depth", &cloth->grid.depth, 0.005f, 0.01f, 100.0f, "%.3f m", "Along z");
		changed |= drapeUi_RowUint("Columns", &cloth->grid.columns, 1, 128, "%u", "Quads along x, before refinement");
		changed |= drapeUi_RowUint("Rows", &cloth->grid.rows, 1, 128, "%u", "Quads along z, before refinement");
	}
	else if (cloth->source == drape_sceneDisc)
	{
		changed |= drapeUi_RowFloat("Radius", &cloth->disc.radius, 0.005f, 0.01f, 100.0f, "%.3f m", "Of its rim");
		changed |= drapeUi_RowUint("Rings", &cloth->disc.rings, 1, 128, "%u", "Of triangles around the middle");
		changed |= drapeUi_RowUint("Segments", &cloth->disc.segments, 3, 256, "%u", "Pieces of each ring");
	}
	else
	{
		const char* slash = strrchr(cloth->obj, '/');
		drapeUi_RowLabel("File", slash ? slash + 1 : cloth->obj, cloth->obj);
	}
	if (!changed)
		return;
	studio->restart = true;
	drapeStudio_Changed(studio, "Mesh");
}

static void ShowCloth(Studio* studio, uint32_t index)
{
	drapeSceneCloth* cloth = &studio->document.scene->cloths[index];
	ShowName(studio, &cloth->name, true);
	if (drapeUi_Section("Fabric", true))
		ShowMaterial(studio, cloth);
	if (drapeUi_Section("Motion", true))
		ShowModel(studio, cloth);
	if (drapeUi_Section("Refinement", false))
		ShowCriteria(studio, cloth);
	if (drapeUi_Section("Pins", true))
		ShowPins(studio, cloth, index);
	if (drapeUi_Section("Look", false))
		ShowLook(studio, cloth, index);
	if (drapeUi_Section("Mesh", false))
		ShowMesh(studio, cloth);
	ShowPose(studio, &cloth->pose, true);
	drapeUi_Gap(4);
	if (cloth->source == drape_sceneObj &&
	    drapeUi_Button("Back to a static object", drapeUi_AvailableWidth(), ui_buttonPlain))
	{
		drapeStudio_Select(studio, drapeScene_ClothToObject(studio->document.scene, index));
		drapeStudio_Changed(studio, "Back to an object");
	}
}

// --- colliders ---

enum
{
	maxShapes = 16,
};

// The analytic shapes, by drapeColliderShape. Returns their number.
static int ListShapes(const char* labels[maxShapes], drapeColliderShape shapes[maxShapes])
{
	const drapeColliderShapeInfo* info;
	int count = 0;
	for (int i = 0; count < maxShapes && (info = drapeColliderShape_GetInfo((drapeColliderShape)i)) != NULL; ++i)
	{
		if (info->isMesh)
			continue;
		labels[count] = info->label;
		shapes[count++] = (drapeColliderShape)i;
	}
	return count;
}

static void ShowShape(Studio* studio, drapeSceneCollider* collider)
{
	const char *labels[maxShapes], *slash = strrchr(collider->obj, '/');
	drapeColliderShape shapes[maxShapes];
	int count = ListShapes(labels, shapes), chosen = 0;
	while (chosen < count && shapes[chosen] != collider->def.shape)
		++chosen;
	if (chosen == count)
		drapeUi_RowLabel("File", slash ? slash + 1 : collider->obj, collider->obj);
	else if (drapeUi_RowChoice("Shape", &chosen, labels, count, "The obstacle of the cloth"))
	{
		drapeScene_SetShape(collider, shapes[chosen]);
		drapeStudio_Changed(studio, "Shape");
	}
	const drapeColliderShapeInfo* info = drapeColliderShape_GetInfo(collider->def.shape);
	for (uint32_t i = 0; i < info->measureCount; ++i)
	{
		const drapeParameter* measure = info->measures[i];
		CHANGED(measure->label, RowParameter(measure, measure->label, (char*)&collider->def));
	}
}

static void ShowCollider(Studio* studio, uint32_t index)
{
	drapeSceneCollider* collider = &studio->document.scene->colliders[index];
	ShowName(studio, &collider->name, false);
	if (drapeUi_Section("Shape", true))
	{
		ShowShape(studio, collider);
		CHANGED("Friction", drapeUi_RowFloat("Friction", &collider->def.friction, 0.01f, 0.0f, 10.0f, "%.2f",
		                                     "Multiplied with the cloth's"));
		ShowColour(studio, "Colour", &collider->colour,
		           collider->colour.given ? collider->colour.rgb : V3(0.62f, 0.63f, 0.65f), "Of its picture");
		if (collider->motion[0])
			drapeUi_RowLabel("Follows", collider->motion, "A motion of the scene file");
	}
	ShowPose(studio, &collider->pose, false);
}

// --- objects ---

// A collider of the size of the object's bounds.
static void FitCollider(Studio* studio, const drapeSceneObject* object, const ObjectMesh* mesh,
                        drapeColliderShape shape)
{
	drapeTransform transform = drapeScenePose_GetTransform(object->pose);
	drapeVec3 centre = V3_Scale(V3_Add(mesh->bounds.min, mesh->bounds.max), 0.5f);
	drapeVec3 half = V3_Scale(V3_Sub(mesh->bounds.max, mesh->bounds.min), 0.5f);
	Item item = drapeScene_Add(studio->document.scene, item_collider, "{\"shape\": \"sphere\", \"radius\": 0.25}");
	if (item.kind == item_none)
		return;
	drapeSceneCollider* collider = &studio->document.scene->colliders[item.index];
	drapeScene_SetShape(collider, shape);
	collider->pose = object->pose;
	collider->pose.position = drapeTransform_Point(transform, centre);
	drapeColliderShape_FitBox(&collider->def, half);
	drapeStudio_Select(studio, item);
	drapeStudio_Changed(studio, "Fit a collider");
}

// One button per bounded shape, three in a row.
static void ShowFits(Studio* studio, const drapeSceneObject* object, const ObjectMesh* mesh)
{
	const char* labels[maxShapes];
	drapeColliderShape shapes[maxShapes];
	float width = (drapeUi_AvailableWidth() - 16.0f) / 3.0f;
	int count = ListShapes(labels, shapes), shown = 0;
	for (int i = 0; i < count; ++i)
	{
		if (!drapeColliderShape_GetInfo(shapes[i])->isBounded)
			continue;
		if (shown++ % 3 > 0)
			drapeUi_SameLine(8);
		if (!drapeUi_Button(labels[i], width, ui_buttonPlain))
			continue;
		FitCollider(studio, object, mesh, shapes[i]);
		return;
	}
}

// Converts the object to a mesh collider with the same files.
static void MakeSolid(Studio* studio, uint32_t index)
{
	drapeScene* scene = studio->document.scene;
	Item item = drapeScene_Add(scene, item_collider, "{\"shape\": \"sphere\", \"radius\": 0.25}");
	if (item.kind == item_none)
		return;
	const drapeSceneObject* object = &scene->objects[index];
	drapeSceneCollider* collider = &scene->colliders[item.index];
	drapeScene_SetShape(collider, drape_shapeMesh);
	drapeScene_SetText(&collider->obj, object->obj);
	drapeScene_SetText(&collider->name, object->name);
	collider->firstFrame = object->firstFrame;
	collider->frameRate = object->frameRate;
	collider->pose = object->pose;
	collider->colour = object->colour;
	drapeScene_Remove(scene, (Item){item_object, index});
	drapeStudio_Select(studio, item);
	drapeStudio_Changed(studio, "Make it solid");
}

static void ShowSequence(Studio* studio, drapeSceneObject* object)
{
	char pattern[document_pathCapacity], label[64];
	uint32_t first = 0;
	if (drapeFrameName_IsSequence(object->obj))
	{
		CHANGED("First file",
		        drapeUi_RowUint("First file", &object->firstFrame, 0, 100000, "%u", "Shown at the start"));
		CHANGED("Rate",
		        drapeUi_RowFloat("Rate", &object->frameRate, 0.1f, 0.1f, 1000.0f, "%.1f per s", "Files per second"));
		return;
	}
	uint32_t count = drapeObjects_FindSequence(object->obj, pattern, sizeof pattern, &first);
	if (count == 0)
		return;
	snprintf(label, sizeof label, "Use all %u files as a sequence", count);
	if (!drapeUi_Button(label, drapeUi_AvailableWidth(), ui_buttonPlain))
		return;
	drapeScene_SetText(&object->obj, pattern);
	object->firstFrame = first;
	drapeStudio_Changed(studio, "Use as a sequence");
}

static void ShowObject(Studio* studio, uint32_t index)
{
	drapeSceneObject* object = &studio->document.scene->objects[index];
	const ObjectMesh* mesh = drapeObjects_Get(&studio->objects, object, drapeStudio_Time(studio), &studio->messages);
	char text[64];
	ShowName(studio, &object->name, false);
	drapeUi_Gap(2);
	if (drapeUi_Button("Turn into cloth", drapeUi_AvailableWidth(), ui_buttonPrimary))
	{
		drapeCommands_Run(studio, drapeCommands_Find("Turn into cloth"));
		return;
	}
	drapeUi_Tip("The mesh becomes cloth where it is  (C)");
	if (drapeUi_Section("Mesh", true))
	{
		const char* slash = strrchr(object->obj, '/');
		drapeUi_RowLabel("File", slash ? slash + 1 : object->obj, object->obj);
		snprintf(text, sizeof text, "%u", mesh ? mesh->obj.mesh.triangleCount : 0);
		drapeUi_RowLabel("Triangles", mesh ? text : "cannot be read", NULL);
		ShowSequence(studio, object);
		ShowColour(studio, "Colour", &object->colour,
		           object->colour.given ? object->colour.rgb : V3(0.66f, 0.67f, 0.69f), "Of its picture");
	}
	if (drapeUi_Section("Collision", true))
	{
		drapeUi_TextWrapped("Cloth passes through this object. Make it solid, or fit a simple shape, which is faster.",
		                    UI_MUTED);
		if (drapeUi_Button("Make it solid", drapeUi_AvailableWidth(), ui_buttonPlain))
		{
			MakeSolid(studio, index);
			return;
		}
		drapeUi_Tip("Cloth collides with the mesh itself; a sequence of files moves it");
		drapeUi_Gap(2);
		if (mesh)
			ShowFits(studio, object, mesh);
	}
	ShowPose(studio, &object->pose, false);
}

// --- the world ---

static void ShowTime(Studio* studio, drapeScene* scene)
{
	CHANGED("Frames",
	        drapeUi_RowUint("Frames", &scene->time.frames, 1, 100000, "%u", "That are written by a recording"));
	float rate = scene->time.frameRate;
	uint32_t steps = (uint32_t)lroundf(scene->time.stepRate / scene->time.frameRate);
	bool changed = drapeUi_RowFloat("Frame rate", &rate, 0.2f, 1.0f, 240.0f, "%.0f Hz", "Frames per second");
	changed |= drapeUi_RowUint("Steps a frame", &steps, 1, 100, "%u", "More steps are finer and slower");
	if (changed)
	{
		scene->time.frameRate = roundf(rate);
		scene->time.stepRate = roundf(rate) * (float)steps;
		drapeStudio_Changed(studio, "Time");
	}
}

static void ShowWind(Studio* studio, drapeScene* scene)
{
	static const char* const winds[] = {"Still air", "Steady", "Gusting", "Turbulent"};
	drapeWindDef* wind = &scene->wind;
	CHOICE("Kind", wind->kind, winds, "Gusts swell and fall; turbulence swirls");
	if (wind->kind != drape_windNone)
		CHANGED("Velocity", drapeUi_RowVec3("Velocity (m/s)", &wind->velocity.x, 0.02f, "%.2f", "Mean of the air"));
	if (wind->kind == drape_windGusting)
	{
		CHANGED("Period",
		        drapeUi_RowFloat("Period", &wind->gustPeriod, 0.02f, 0.1f, 100.0f, "%.2f s", "From gust to gust"));
		CHANGED("Depth", drapeUi_RowFloat("Depth", &wind->gustDepth, 0.005f, 0.0f, 1.0f, "%.2f", "Of the gusts"));
	}
	if (wind->kind == drape_windTurbulent)
	{
		CHANGED("Swirl",
		        drapeUi_RowFloat("Swirl", &wind->swirlSpeed, 0.02f, 0.0f, 50.0f, "%.2f m/s", "Speed of the swirls"));
		CHANGED("Size", drapeUi_RowFloat("Size", &wind->swirlSize, 0.01f, 0.02f, 50.0f, "%.2f m", "Of the swirls"));
	}
	CHANGED("Air",
	        drapeUi_RowFloat("Air density", &wind->airDensity, 0.01f, 0.0f, 10.0f, "%.3f kg/m³", "0 for a vacuum"));
}

static void ShowWorld(Studio* studio)
{
	drapeScene* scene = studio->document.scene;
	if (drapeUi_Section("Time", true))
		ShowTime(studio, scene);
	if (drapeUi_Section("World", true))
	{
		CHANGED("Gravity",
		        drapeUi_RowVec3("Gravity (m/s²)", &scene->world.gravity.x, 0.02f, "%.2f", "Pulls at everything"));
		CHANGED("Adaptation", drapeUi_RowFloat("Adaptation", &scene->world.adaptRate, 0.2f, 1.0f, 1000.0f, "%.0f Hz",
		                                       "How often triangles are split and joined"));
		CHANGED("Threads", drapeUi_RowUint("Threads", &scene->world.threads, 1, 16, "%u",
		                                   "The result is the same for any number"));
		CHANGED("Untangle", drapeUi_RowBool("Untangle", &scene->world.untangle,
		                                    "Takes apart what crosses at the start, before the first frame"));
		if (scene->world.untangle)
			CHANGED("Untangle seconds", drapeUi_RowFloat("Untangle within", &scene->world.untangleSeconds, 0.1f, 0.0f,
			                                             1000.0f, "%.1f s", "Longest time for it; 0 for no limit"));
	}
	if (drapeUi_Section("Wind", true))
		ShowWind(studio, scene);
}

// --- the panel ---

static void ShowSelected(Studio* studio)
{
	Item item = studio->selection;
	switch (item.kind)
	{
		case item_cloth:
			ShowCloth(studio, item.index);
			break;
		case item_collider:
			ShowCollider(studio, item.index);
			break;
		case item_object:
			ShowObject(studio, item.index);
			break;
		case item_world:
			ShowWorld(studio);
			break;
		default:
			drapeUi_Gap(6);
			drapeUi_TextWrapped(
				"Select something in the picture or in the list on the left to see and change what it is.", UI_MUTED);
			break;
	}
}

void drapeProperties_Show(Studio* studio, UiRect rect)
{
	drapeUi_BeginPanel("Properties", rect, UI_PANEL);
	if (drapeUi_BeginTabs("tabs"))
	{
		if (drapeUi_BeginTab("Properties", studio->showProperties))
		{
			drapeUi_BeginChild("rows", 0, 0, 0);
			drapeUi_Heading(studio->selection.kind == item_none
			                    ? "Nothing selected"
			                    : drapeScene_ItemName(studio->document.scene, studio->selection));
			drapeUi_PushId((int)(studio->selection.kind * 100000 + studio->selection.index));
			ShowSelected(studio);
			drapeUi_PopId();
			drapeUi_EndChild();
			drapeUi_EndTab();
		}
		if (drapeUi_BeginTab("Fabrics", false))
		{
			drapeUi_BeginChild("fabrics", 0, 0, 0);
			drapeFabrics_Show(studio);
			drapeUi_EndChild();
			drapeUi_EndTab();
		}
		drapeUi_EndTabs();
	}
	studio->showProperties = false;
	drapeUi_EndPanel();
}
