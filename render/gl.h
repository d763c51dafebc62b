// SPDX-License-Identifier: MIT
#pragma once

// The side of the renderer that knows OpenGL.

#include "linear.h"
#include "render.h"

#include <epoxy/gl.h>

// --- shaders.c ---

// What all programs read, as std140 lays it out.
typedef struct FrameBlock
{
	Mat4 viewProjection;
	Mat4 shadowMatrix; // world to texture coordinates and depth of the shadow map
	float eye[4];
	float light[4];      // towards it, unit
	float shadow[4];     // in the shadow map: radius of the soft edge, depth bias; m: normal bias
	float ground[4];     // m: centre x and z, radius of its fade, height
	float foot[4];       // m: least x and z of where shadows fall on the ground; size of that in x and z
	float background[4]; // pixels: size of the picture
} FrameBlock;

typedef enum ProgramKind
{
	program_depth = 0, // shadow map
	program_cloth,
	program_clothWire,
	program_clothImage,
	program_clothImageWire,
	program_solid,
	program_solidWire,
	program_ground,
	program_groundLight, // of pictures with one sample: each pixel of the ground then needs one look
	program_background,
	program_lines,
	program_smooth, // antialiasing of pictures with one sample
	program_count,
} ProgramKind;

typedef enum ShadowKind
{
	shadow_none = 0,
	shadow_quick, // with one sample for each pixel
	shadow_fine,
	shadow_count,
} ShadowKind;

typedef struct ShaderSource
{
	const char *vertex, *fragment;
	bool wire;    // shows the edges of triangles
	bool image;   // its colours come from one
	bool shadows; // there is a variant for each ShadowKind
} ShaderSource;

extern const char* const drapeShaderFrame;    // goes before every shader
extern const char* const drapeShaderFragment; // goes before every fragment shader, behind the first
extern const ShaderSource drapeShaderSources[program_count];

// --- program.c ---

typedef struct Program
{
	GLuint name;
	GLint firstVertex;                                   // -1 without wires
	GLint front, back, second, pattern, fabric, fabric2; // of cloth, -1 elsewhere
} Program;

drapeResult drapeProgram_Create(Program* program, ProgramKind kind, ShadowKind shadows, drapeRenderError* error);
void drapeProgram_Destroy(Program* program);

// --- target.c ---

enum
{
	shadowMapSize = 768,
	groundLightSize = 256
};

typedef struct Target
{
	uint32_t width, height, samples;
	GLuint drawn, drawnColour, drawnDepth; // multisampled
	GLuint drawnTexture;                   // in place of drawnColour with one sample
	GLuint resolved, resolvedColour;
	GLuint shadow, shadowDepth;
	GLuint ground, groundLight; // how much light reaches the ground, with one sample
} Target;

drapeResult drapeTarget_Create(Target* target, drapeRenderError* error);
void drapeTarget_Destroy(Target* target);

// Fits the size; does nothing when it fits.
drapeResult drapeTarget_Resize(Target* target, uint32_t width, uint32_t height, uint32_t samples,
                               drapeRenderError* error);
void drapeTarget_Resolve(const Target* target);
