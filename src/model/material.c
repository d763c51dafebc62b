// SPDX-License-Identifier: MIT
#include "base/maths.h"
#include "drape/material.h"

#include <string.h>

typedef struct Preset
{
	const char* name;
	const char* help;
	drapeMaterial material;
} Preset;

// Densities and bending rigidities are those of comparable fabrics measured by Wang, O'Brien and Ramamoorthi, 2011
// (their bending stiffness at low curvature). The stretch moduli are softer than measured ones, as explicit integration
// needs: what keeps these cloths from stretching is drapeSolverDef::maxStretch.
#define FABRIC(kgPerM2, newtonPerM, newtonM)                                                                           \
	{                                                                                                                  \
		.density = (kgPerM2), .stretchWarp = (newtonPerM), .stretchWeft = (newtonPerM), .shear = 0.4f * (newtonPerM),  \
		.poisson = 0.3f, .bendWarp = (newtonM), .bendWeft = (newtonM), .dampingTime = 0.0005f, .friction = 0.4f,       \
		.thickness = 0.002f, .drag = 1.0f, .lift = 0.3f                                                                \
	}

static const Preset presets[] = {
	{"cotton", "light plain-woven cotton", FABRIC(0.15f, 60.0f, 3.0e-5f)},
	{"silk", "thin and fluid", FABRIC(0.08f, 40.0f, 1.0e-5f)},
	{"denim", "heavy twill, stiff in bending", FABRIC(0.32f, 120.0f, 7.0e-5f)},
	{"wool", "soft, medium weight", FABRIC(0.25f, 80.0f, 5.0e-5f)},
	{"jersey", "knit, stretches easily", FABRIC(0.19f, 20.0f, 2.0e-5f)},
};

enum
{
	presetCount = sizeof presets / sizeof presets[0]
};

drapeMaterial drapeDefaultMaterial(void)
{
	return presets[0].material;
}

bool drapeMaterial_Preset(const char* name, drapeMaterial* material)
{
	for (int i = 0; i < presetCount; ++i)
	{
		if (strcmp(name, presets[i].name) == 0)
		{
			*material = presets[i].material;
			return true;
		}
	}
	return false;
}

const char* drapeMaterial_PresetName(uint32_t index)
{
	return index < presetCount ? presets[index].name : NULL;
}

const char* drapeMaterial_PresetHelp(uint32_t index)
{
	return index < presetCount ? presets[index].help : NULL;
}

drapeSpringDef drapeDefaultSpringDef(void)
{
	return (drapeSpringDef){.bendSpringRatio = 0.05f};
}

drapeSolverDef drapeDefaultSolverDef(void)
{
	return (drapeSolverDef){.maxSubsteps = 1024, .globalDamping = 0.5f, .maxStretch = 1.05f, .stretchIterations = 2};
}

const char* drapeIntegrator_Name(drapeIntegrator integrator)
{
	static const char* const names[] = {
		[drape_integratorSymplecticEuler] = "symplectic-euler",
		[drape_integratorExplicitEuler] = "explicit-euler",
		[drape_integratorMidpoint] = "midpoint",
		[drape_integratorVerlet] = "verlet",
		[drape_integratorRungeKutta4] = "runge-kutta-4",
	};
	return (unsigned)integrator < sizeof names / sizeof names[0] ? names[integrator] : NULL;
}
