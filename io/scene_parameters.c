// SPDX-License-Identifier: MIT
#include "scene_reader.h"

#include <assert.h>
#include <math.h>

// Rows of sections for the parameters that the library describes (drape/parameter.h).

// Degrees of an angle that was written in radians with fewer digits than a double has.
static double Degrees(double radians)
{
	return round(radians / SCENE_DEGREE * 1e6) * 1e-6;
}

SceneField drapeScene_ParameterField(const drapeParameter* parameter)
{
	static const SceneKind kinds[] = {
		[drape_parameterFloat] = scene_float,   [drape_parameterAngle] = scene_angle,
		[drape_parameterUint] = scene_uint,     [drape_parameterVec3] = scene_vec3,
		[drape_parameterChoice] = scene_choice, [drape_parameterBool] = scene_bool,
		[drape_parameterCurve] = scene_curve,
	};
	const bool isAngle = parameter->kind == drape_parameterAngle;
	return (SceneField){
		.key = parameter->key,
		.kind = kinds[parameter->kind],
		.offset = parameter->offset,
		.low = isAngle ? Degrees(parameter->low) : parameter->low,
		.high = isAngle ? Degrees(parameter->high) : parameter->high,
		.above = parameter->isAbove,
		.words = parameter->words,
		.unit = isAngle ? "degrees" : parameter->unit,
		.help = parameter->help,
		.other = parameter->other,
		.otherIsUpper = parameter->otherIsUpper,
	};
}

int drapeScene_FillFields(SceneField* fields, uint32_t capacity, const drapeParameter* parameters, uint32_t count)
{
	assert(count <= capacity);
	for (uint32_t i = 0; i < count && i < capacity; ++i)
		fields[i] = drapeScene_ParameterField(&parameters[i]);
	return (int)(count < capacity ? count : capacity);
}
