// SPDX-License-Identifier: MIT
#include "base/maths.h"
#include "base/checks/parameters.h"
#include "drape/material.h"
#include "drape/model.h"
#include "model/fabrics.h"

#include <string.h>

typedef struct Preset
{
	const char* name;
	const char* help;
	const char* source;
	drapeMaterial material;
} Preset;

static const char chosenSource[] =
	"chosen for explicit integration; density and bending after Wang, O'Brien and Ramamoorthi 2011";
static const char curtainSource[] =
	"Bender and Deul, Efficient cloth simulation using an adaptive finite element method, section 7; bending chosen";
static const char measuredSource[] = "measured by Wang, O'Brien and Ramamoorthi 2011";

// Densities and bending are those of comparable fabrics measured by Wang, O'Brien and Ramamoorthi, 2011. Bending has
// the value of their stiffness of edges at low curvature, four times the rigidity (see fabrics.c). The stretch moduli
// are softer than measured ones, as explicit integration needs; drapeSolverDef::maxStretch limits the stretch of these
// cloths.
#define FABRIC(kgPerM2, newtonPerM, newtonM)                                                                           \
	{                                                                                                                  \
		.density = (kgPerM2), .stretchWarp = (newtonPerM), .stretchWeft = (newtonPerM), .shear = 0.4f * (newtonPerM),  \
		.poisson = 0.3f, .bendWarp = (newtonM), .bendWeft = (newtonM), .dampingTime = 0.0005f, .friction = 0.4f,       \
		.thickness = 0.002f, .drag = 1.0f, .lift = 0.3f                                                                \
	}

// Bender and Deul do not give the bending of their curtain; here it is that of light woven fabrics.
static const Preset presets[] = {
	{"cotton", "light plain-woven cotton", chosenSource, FABRIC(0.15f, 60.0f, 3.0e-5f)},
	{"silk", "thin and fluid", chosenSource, FABRIC(0.08f, 40.0f, 1.0e-5f)},
	{"denim", "heavy twill, stiff in bending", chosenSource, FABRIC(0.32f, 120.0f, 7.0e-5f)},
	{"wool", "soft, medium weight", chosenSource, FABRIC(0.25f, 80.0f, 5.0e-5f)},
	{"jersey", "knit, stretches easily", chosenSource, FABRIC(0.19f, 20.0f, 2.0e-5f)},
	{"curtain",
     "light and hard to stretch",
     curtainSource,
     {.density = 0.1f,
      .stretchWarp = 1000.0f,
      .stretchWeft = 1000.0f,
      .shear = 1000.0f,
      .poisson = 0.33f,
      .bendWarp = 1.0e-5f,
      .bendWeft = 1.0e-5f,
      .dampingTime = 0.0005f,
      .friction = 0.4f,
      .thickness = 0.002f,
      .drag = 1.0f,
      .lift = 0.3f}},
};

// The measured fabrics come after these.
enum
{
	presetCount = sizeof presets / sizeof presets[0]
};

static const MeasuredFabric* MeasuredPreset(uint32_t index)
{
	return index >= presetCount && index - presetCount < measuredFabricCount
	           ? &drapeMeasuredFabrics[index - presetCount]
	           : NULL;
}

drapeMaterial drapeDefaultMaterial(void)
{
	return presets[0].material;
}

drapeResult drapeMaterial_GetPreset(const char* name, drapeMaterial* material, drapeMessage* message)
{
	if (!name || !material)
		return drapeRefuse(message, "%s is NULL", name ? "material" : "name");
	const char* candidate;
	for (uint32_t i = 0; (candidate = drapeMaterial_GetPresetName(i)) != NULL; ++i)
	{
		if (strcmp(name, candidate) != 0)
			continue;
		const MeasuredFabric* measured = MeasuredPreset(i);
		*material = measured ? drapeMeasuredFabric_Material(measured) : presets[i].material;
		return drape_ok;
	}
	return drapeFail(message, drape_errorArgument,
	                 "there is no fabric \"%.64s\", expected one of drapeMaterial_GetPresetName", name);
}

const char* drapeMaterial_GetPresetName(uint32_t index)
{
	const MeasuredFabric* measured = MeasuredPreset(index);
	return index < presetCount ? presets[index].name : measured ? measured->name : NULL;
}

const char* drapeMaterial_GetPresetHelp(uint32_t index)
{
	const MeasuredFabric* measured = MeasuredPreset(index);
	return index < presetCount ? presets[index].help : measured ? measured->help : NULL;
}

const char* drapeMaterial_GetPresetSource(uint32_t index)
{
	return index < presetCount ? presets[index].source : MeasuredPreset(index) ? measuredSource : NULL;
}

drapeSpringDef drapeDefaultSpringDef(void)
{
	return (drapeSpringDef){.bendSpringRatio = 0.05f};
}

// --- parameters -----------------------------------------------------------------------------------------------------

#define MATERIAL drapeMaterial

static const drapeParameter materialParameters[] = {
	PARAMETER_NUMBER(MATERIAL, density, 1e-6, 1e6, "kg/m^2", "density", "mass per area"),
	PARAMETER_NUMBER(MATERIAL, stretchWarp, 0.0, 1e8, "N/m", "stretch warp", "modulus of the sheet along the warp"),
	PARAMETER_NUMBER(MATERIAL, stretchWeft, 0.0, 1e8, "N/m", "stretch weft", "modulus of the sheet along the weft"),
	PARAMETER_NUMBER(MATERIAL, shear, 0.0, 1e8, "N/m", "shear", "shear modulus of the sheet"),
	PARAMETER_NUMBER(
		MATERIAL, poisson, 0.0, 0.5, NULL, "poisson",
		"contraction of the weft per elongation of the warp; its square times `stretchWeft` / `stretchWarp` must be "
		"below 1"),
	PARAMETER_NUMBER(MATERIAL, bendWarp, 0.0, 1e8, "N m", "bend warp", "bending rigidity along the warp"),
	PARAMETER_NUMBER(MATERIAL, bendWeft, 0.0, 1e8, "N m", "bend weft", "bending rigidity along the weft"),
	PARAMETER_NUMBER(
		MATERIAL, bendBias, 0.0, 1e8, "N m", "bend bias",
		"bending rigidity at 45 degrees, at least a quarter of `bendWarp` + `bendWeft`; 0 chooses a value between "
		"them. Finite elements only"),
	PARAMETER_NUMBER(MATERIAL, curlWarp, -1e4, 1e4, "1/m", "curl warp",
                     "curvature along the warp without load. Finite elements only"),
	PARAMETER_NUMBER(MATERIAL, curlWeft, -1e4, 1e4, "1/m", "curl weft",
                     "curvature along the weft without load. Finite elements only"),
	PARAMETER_NUMBER(
		MATERIAL, bendFriction, 0.0, 1e4, "1/m", "bend friction",
		"curvature that the fabric keeps after it was bent further and released: half of 2HB / B of laboratories, "
		"20 to 60 for woven fabrics. Finite elements with implicit integrators only"),
	PARAMETER_NUMBER(MATERIAL, dampingTime, 0.0, 100.0, "s", "damping time",
                     "internal damping, as a time that multiplies the stiffness"),
	PARAMETER_NUMBER(
		MATERIAL, friction, 0.0, 1000.0, NULL, "friction",
		"Coulomb coefficient of the fabric against itself, and against colliders, whose own is a factor. Between "
		"two fabrics it is the geometric mean"),
	PARAMETER_NUMBER(MATERIAL, thickness, 0.0, 1.0, "m", "thickness", "distance that the cloth keeps from colliders"),
	PARAMETER_NUMBER(MATERIAL, drag, 0.0, 1000.0, NULL, "drag", "air drag coefficient, about 1 for closed fabric"),
	PARAMETER_NUMBER(MATERIAL, lift, 0.0, 1000.0, NULL, "lift", "air lift coefficient"),
	PARAMETER_CURVE(
		MATERIAL, warpCurve, "warp curve",
		"measured stress over elongation along the warp, of a strip of fixed width, in place of the straight line of "
		"`stretchWarp`; `[]` for that line. Finite elements only"),
	PARAMETER_CURVE(MATERIAL, weftCurve, "weft curve", "as `warpCurve`, along the weft, in place of `stretchWeft`"),
	PARAMETER_CURVE(MATERIAL, shearCurve, "shear curve",
                    "as `warpCurve`, for shear, in place of `shear`; strain is the tangent of the angle"),
};

static const drapeParameter springParameters[] = {
	PARAMETER_CHOICE(drapeSpringDef, law, "area|length", "law",
                     "`area`: the same fabric at any resolution; `length`: Simnett 2012, eq. 3.6.5"),
	PARAMETER_CHOICE(drapeSpringDef, damping, "projected|simple", "damping",
                     "`projected` damps along the spring only; `simple` damps the whole velocity difference"),
	PARAMETER_CHOICE(drapeSpringDef, bending, "elements|springs|none", "bending", "bending model"),
	PARAMETER_NUMBER(drapeSpringDef, bendSpringRatio, 0.0, 1.0, NULL, "bend spring ratio",
                     "for bending by `springs`: their constant over that of the edge's spring"),
};

const drapeParameter* drapeMaterial_GetParameters(uint32_t* count)
{
	return drapeParameters_Give(materialParameters, sizeof materialParameters / sizeof materialParameters[0], count);
}

const drapeParameter* drapeSpringDef_GetParameters(uint32_t* count)
{
	return drapeParameters_Give(springParameters, sizeof springParameters / sizeof springParameters[0], count);
}
