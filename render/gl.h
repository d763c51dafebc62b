// SPDX-License-Identifier: MIT
#pragma once

// The part of the renderer that uses OpenGL.

#include "linear.h"
#include "render.h"

#include <epoxy/gl.h>

// --- shaders.c ---

// The uniform block of all programs, in std140 layout.
typedef struct FrameBlock
{
	Mat4 viewProjection;
	Mat4 shadowMatrix; // world to texture coordinates and depth of the shadow map
	float eye[4];
	float light[4];      // direction to the light, unit
	float shadow[4];     // in the shadow map: radius of the soft edge, depth bias; m: normal bias
	float ground[4];     // m: centre x and z, radius of its fade, height
	float foot[4];       // m: lowest x and z of the shadows on the ground; their size in x and z
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
	program_groundLight, // light on the ground, for pictures with one sample: one texture sample per pixel
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
	bool image;   // an image gives its colours
	bool shadows; // it has a variant for each ShadowKind
} ShaderSource;

extern const char* const drapeShaderFrame;    // first part of every shader
extern const char* const drapeShaderFragment; // second part of every fragment shader
extern const ShaderSource drapeShaderSources[program_count];

// --- program.c ---

typedef struct Program
{
	GLuint name;
	GLint firstVertex;                                   // -1 without wires
	GLint front, back, second, pattern, fabric, fabric2; // uniforms of cloth programs; -1 for others
} Program;

drapeResult drapeProgram_Create(Program* program, ProgramKind kind, ShadowKind shadows, drapeMessage* error);
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
	GLuint ground, groundLight; // light on the ground, with one sample
} Target;

drapeResult drapeTarget_Create(Target* target, drapeMessage* error);
void drapeTarget_Destroy(Target* target);

// Changes the size if necessary.
drapeResult drapeTarget_Resize(Target* target, uint32_t width, uint32_t height, uint32_t samples, drapeMessage* error);
void drapeTarget_Resolve(const Target* target);
