// SPDX-License-Identifier: MIT
#include "base/maths.h"
#include "drape/material.h"
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

bool drapeMaterial_Preset(const char* name, drapeMaterial* material)
{
	DRAPE_ASSERT(name && material);
	const char* candidate;
	for (uint32_t i = 0; (candidate = drapeMaterial_PresetName(i)) != NULL; ++i)
	{
		if (strcmp(name, candidate) != 0)
			continue;
		const MeasuredFabric* measured = MeasuredPreset(i);
		*material = measured ? drapeMeasuredFabric_Material(measured) : presets[i].material;
		return true;
	}
	return false;
}

const char* drapeMaterial_PresetName(uint32_t index)
{
	const MeasuredFabric* measured = MeasuredPreset(index);
	return index < presetCount ? presets[index].name : measured ? measured->name : NULL;
}

const char* drapeMaterial_PresetHelp(uint32_t index)
{
	const MeasuredFabric* measured = MeasuredPreset(index);
	return index < presetCount ? presets[index].help : measured ? measured->help : NULL;
}

const char* drapeMaterial_PresetSource(uint32_t index)
{
	return index < presetCount ? presets[index].source : MeasuredPreset(index) ? measuredSource : NULL;
}

drapeSpringDef drapeDefaultSpringDef(void)
{
	return (drapeSpringDef){.bendSpringRatio = 0.05f};
}

drapeSolverDef drapeDefaultSolverDef(void)
{
	return (drapeSolverDef){.maxSubsteps = 1024,
	                        .globalDamping = 0.5f,
	                        .maxStretch = 1.05f,
	                        .stretchIterations = 2,
	                        .tolerance = 1e-3f,
	                        .maxIterations = 200,
	                        .newtonIterations = 1,
	                        .newtonTolerance = 0.02f};
}

drapeSolverDef drapeDefaultFemSolverDef(void)
{
	drapeSolverDef def = drapeDefaultSolverDef();
	def.integrator = drape_integratorBdf2;
	def.globalDamping = 0.0f;
	def.maxStretch = 0.0f;
	def.newtonIterations = 2;
	return def;
}

const char* drapeIntegrator_Name(drapeIntegrator integrator)
{
	static const char* const names[] = {
		[drape_integratorSymplecticEuler] = "symplectic-euler",
		[drape_integratorExplicitEuler] = "explicit-euler",
		[drape_integratorMidpoint] = "midpoint",
		[drape_integratorVerlet] = "verlet",
		[drape_integratorRungeKutta4] = "runge-kutta-4",
		[drape_integratorImplicitEuler] = "implicit-euler",
		[drape_integratorImplicitMidpoint] = "implicit-midpoint",
		[drape_integratorBdf2] = "bdf2",
	};
	return (unsigned)integrator < sizeof names / sizeof names[0] ? names[integrator] : NULL;
}

bool drapeIntegrator_IsImplicit(drapeIntegrator integrator)
{
	return integrator >= drape_integratorImplicitEuler && integrator <= drape_integratorBdf2;
}

const char* drapePreconditioner_Name(drapePreconditioner preconditioner)
{
	static const char* const names[] = {
		[drape_preconditionerMultigrid] = "multigrid",
		[drape_preconditionerBpx] = "bpx",
		[drape_preconditionerJacobi] = "jacobi",
	};
	return (unsigned)preconditioner < sizeof names / sizeof names[0] ? names[preconditioner] : NULL;
}
