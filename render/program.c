// SPDX-License-Identifier: MIT
#include "gl.h"

// Concatenates the parts.
static GLuint Compile(GLenum kind, const char* const* parts, GLsizei count, drapeMessage* error)
{
	GLuint shader = glCreateShader(kind);
	glShaderSource(shader, count, parts, NULL);
	glCompileShader(shader);
	GLint compiled = GL_FALSE;
	glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
	if (compiled)
		return shader;
	char log[400] = "";
	glGetShaderInfoLog(shader, sizeof log, NULL, log);
	drapeRender_Fail(error, drape_errorData, "a shader does not compile: %s", log);
	glDeleteShader(shader);
	return 0;
}

static drapeResult Link(Program* program, GLuint vertex, GLuint fragment, drapeMessage* error)
{
	program->name = glCreateProgram();
	glAttachShader(program->name, vertex);
	glAttachShader(program->name, fragment);
	glLinkProgram(program->name);
	glDetachShader(program->name, vertex);
	glDetachShader(program->name, fragment);
	GLint linked = GL_FALSE;
	glGetProgramiv(program->name, GL_LINK_STATUS, &linked);
	if (linked)
		return drape_ok;
	char log[400] = "";
	glGetProgramInfoLog(program->name, sizeof log, NULL, log);
	return drapeRender_Fail(error, drape_errorData, "a shader does not link: %s", log);
}

static void FindUniforms(Program* program)
{
	GLuint name = program->name;
	GLuint block = glGetUniformBlockIndex(name, "Frame");
	if (block != GL_INVALID_INDEX)
		glUniformBlockBinding(name, block, 0);
	program->firstVertex = glGetUniformLocation(name, "firstVertex");
	program->front = glGetUniformLocation(name, "front");
	program->back = glGetUniformLocation(name, "back");
	program->second = glGetUniformLocation(name, "second");
	program->pattern = glGetUniformLocation(name, "pattern");
	program->fabric = glGetUniformLocation(name, "fabric");
	program->fabric2 = glGetUniformLocation(name, "fabric2");
	glUseProgram(name);
	glUniform1i(glGetUniformLocation(name, "shadowMap"), 0);
	glUniform1i(glGetUniformLocation(name, "picture"), 0);
	glUniform1i(glGetUniformLocation(name, "groundLight"), 1);
	glUniform1i(glGetUniformLocation(name, "image"), 2);
}

drapeResult drapeProgram_Create(Program* program, ProgramKind kind, ShadowKind shadows, drapeMessage* error)
{
	*program = (Program){0};
	const ShaderSource* source = &drapeShaderSources[kind];
	const char* wire = source->wire ? "#define WIRE 1\n" : "";
	static const char* const defines[shadow_count] = {"", "#define SHADOWS 1\n", "#define SHADOWS 2\n"};
	const char* shadow = defines[shadows];
	const char* image = source->image ? "#define IMAGE 1\n" : "";
	const char* const vertexParts[] = {"#version 330 core\n", wire, shadow, drapeShaderFrame, source->vertex};
	const char* const fragmentParts[] = {
		"#version 330 core\n", wire, shadow, image, drapeShaderFrame, drapeShaderFragment, source->fragment};
	GLuint vertex = Compile(GL_VERTEX_SHADER, vertexParts, 5, error);
	GLuint fragment = vertex ? Compile(GL_FRAGMENT_SHADER, fragmentParts, 7, error) : 0;
	drapeResult result = fragment ? Link(program, vertex, fragment, error) : drape_errorData;
	if (result == drape_ok)
		FindUniforms(program);
	glDeleteShader(vertex);
	glDeleteShader(fragment);
	return result;
}

void drapeProgram_Destroy(Program* program)
{
	glDeleteProgram(program->name);
	*program = (Program){0};
}
