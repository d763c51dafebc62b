// SPDX-License-Identifier: MIT
#pragma once

/// @file parameter.h
/// Descriptions of numbers in definitions, so that scene files, panels and scripts can loop over them.

#include "drape/base.h"

/// The C type of a parameter and how people enter it.
typedef enum drapeParameterKind
{
	drape_parameterFloat = 0, ///< float, in the unit that drapeParameter::unit names
	drape_parameterAngle,     ///< float, radians in memory; scene files and panels show degrees
	drape_parameterUint,      ///< uint32_t
	drape_parameterVec3,      ///< drapeVec3; the range, unless low = high, holds for each component
	drape_parameterChoice,    ///< an enumerator, counted from 0 in the order of `words`
	drape_parameterBool,      ///< bool
	drape_parameterCurve,     ///< drapeStressCurve
} drapeParameterKind;

/// Describes one member of a definition. All texts are static and never freed.
typedef struct drapeParameter
{
	const char* key;   ///< name in scene files
	const char* label; ///< name in panels
	const char* unit;  ///< "m", "1/m"; NULL for a plain number
	const char* help;  ///< one phrase
	drapeParameterKind kind;
	size_t offset;     ///< bytes from the start of the definition that the parameter belongs to
	double low, high;  ///< range, in the unit of the value in memory; both are allowed
	bool isAbove;      ///< the value must be greater than `low`, which itself is refused
	double initial;    ///< default, in the unit of the value in memory; of each component of a vector
	double step;       ///< a small change, for sliders
	const char* other; ///< key of a parameter that limits this one; NULL for none
	bool otherIsUpper; ///< true: the value is not above that of `other`; false: not below
	const char* words; ///< names of a choice, "springs|fem"
} drapeParameter;
