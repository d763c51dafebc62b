// SPDX-License-Identifier: MIT
#pragma once

/// @file wind.h
/// The wind of a world. world.h has the functions that set it.

#include "drape/parameter.h"

/// The kind of wind.
typedef enum drapeWind
{
	drape_windNone = 0, ///< still air; moving cloth still feels drag
	drape_windSteady,
	drape_windGusting,   ///< the speed swells and falls as a wave that travels with the wind (Simnett 2012, 6.3)
	drape_windTurbulent, ///< the mean wind carries smooth random swirls along
} drapeWind;

/// Describes the wind of a world.
typedef struct drapeWindDef
{
	drapeWind kind;
	drapeVec3 velocity; ///< m/s, mean
	float airDensity;   ///< kg/m^3, >= 0
	float gustPeriod;   ///< s, > 0
	float gustDepth;    ///< 0 to 1: the share of the mean speed that gusts add and take away
	float swirlSpeed;   ///< m/s, >= 0: root mean square of the turbulence
	float swirlSize;    ///< m, > 0: the length over which the turbulence changes
	uint32_t seed;      ///< selects the random numbers of the turbulence
} drapeWindDef;

/// No wind, air at 20 degrees centigrade. Any thread.
DRAPE_API drapeWindDef drapeDefaultWindDef(void);

/// Returns the parameters of drapeWindDef and sets @p count. Static, never freed. Any thread.
DRAPE_API const drapeParameter* drapeWindDef_GetParameters(uint32_t* count);
