// SPDX-License-Identifier: MIT
#include "gl.h"

// The build generates it from the files in render/shaders.
#include <shader_text.h>

const char* const drapeShaderFrame = shader_frame_glsl;
const char* const drapeShaderFragment = shader_fragment_glsl;

const ShaderSource drapeShaderSources[program_count] = {
	[program_depth] = {shader_depth_vert, shader_depth_frag},
	[program_cloth] = {shader_surface_vert, shader_cloth_frag, .shadows = true},
	[program_clothWire] = {shader_surface_vert, shader_cloth_frag, .wire = true, .shadows = true},
	[program_clothImage] = {shader_surface_vert, shader_cloth_frag, .image = true, .shadows = true},
	[program_clothImageWire] = {shader_surface_vert, shader_cloth_frag, .wire = true, .image = true, .shadows = true},
	[program_solid] = {shader_surface_vert, shader_solid_frag, .shadows = true},
	[program_solidWire] = {shader_surface_vert, shader_solid_frag, .wire = true, .shadows = true},
	[program_ground] = {shader_ground_vert, shader_ground_frag, .shadows = true},
	[program_groundLight] = {shader_ground_light_vert, shader_ground_light_frag, .shadows = true},
	[program_background] = {shader_background_vert, shader_background_frag},
	[program_lines] = {shader_lines_vert, shader_lines_frag},
	[program_smooth] = {shader_background_vert, shader_smooth_frag},
};
