// SPDX-License-Identifier: MIT
#include "gl.h"

static drapeResult CheckFramebuffer(drapeMessage* error, const char* what)
{
	GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
	if (status == GL_FRAMEBUFFER_COMPLETE)
		return drape_ok;
	return drapeRender_Fail(error, drape_errorMemory, "OpenGL gives no %s (status 0x%x)", what, status);
}

// Sets the bound texture to linear filtering without mipmaps.
static void StorePlain(GLenum format, uint32_t width, uint32_t height)
{
	glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, (GLsizei)width, (GLsizei)height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

drapeResult drapeTarget_Create(Target* target, drapeMessage* error)
{
	*target = (Target){0};
	glGenFramebuffers(1, &target->drawn);
	glGenFramebuffers(1, &target->resolved);
	glGenFramebuffers(1, &target->shadow);
	glGenFramebuffers(1, &target->ground);
	glGenRenderbuffers(1, &target->drawnColour);
	glGenRenderbuffers(1, &target->drawnDepth);
	glGenRenderbuffers(1, &target->resolvedColour);
	glGenTextures(1, &target->shadowDepth);
	glGenTextures(1, &target->drawnTexture);
	glGenTextures(1, &target->groundLight);

	glBindTexture(GL_TEXTURE_2D, target->shadowDepth);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT16, shadowMapSize, shadowMapSize, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
	             NULL);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	// Points outside the map are lit, because its rim stays empty. A border would cost more.
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
	glBindFramebuffer(GL_FRAMEBUFFER, target->shadow);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target->shadowDepth, 0);
	glDrawBuffer(GL_NONE);
	glReadBuffer(GL_NONE);
	drapeResult result = CheckFramebuffer(error, "shadow map");
	if (result != drape_ok)
		return result;

	glBindTexture(GL_TEXTURE_2D, target->groundLight);
	StorePlain(GL_R8, groundLightSize, groundLightSize);
	glBindFramebuffer(GL_FRAMEBUFFER, target->ground);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->groundLight, 0);
	return CheckFramebuffer(error, "light on the ground");
}

void drapeTarget_Destroy(Target* target)
{
	const GLuint framebuffers[4] = {target->drawn, target->resolved, target->shadow, target->ground};
	const GLuint renderbuffers[3] = {target->drawnColour, target->drawnDepth, target->resolvedColour};
	glDeleteFramebuffers(4, framebuffers);
	glDeleteRenderbuffers(3, renderbuffers);
	const GLuint textures[3] = {target->shadowDepth, target->drawnTexture, target->groundLight};
	glDeleteTextures(3, textures);
	*target = (Target){0};
}

static void Store(GLuint renderbuffer, GLenum attachment, GLsizei samples, GLenum format, const Target* target)
{
	glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, (GLsizei)target->width, (GLsizei)target->height);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, renderbuffer);
}

static void StoreTexture(const Target* target)
{
	glBindTexture(GL_TEXTURE_2D, target->drawnTexture);
	StorePlain(GL_RGBA8, target->width, target->height);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->drawnTexture, 0);
}

drapeResult drapeTarget_Resize(Target* target, uint32_t width, uint32_t height, uint32_t samples, drapeMessage* error)
{
	if (target->width == width && target->height == height && target->samples == samples)
		return drape_ok;
	target->width = width;
	target->height = height;
	target->samples = samples;
	GLint most = 0;
	glGetIntegerv(GL_MAX_SAMPLES, &most);
	GLsizei count = samples == 1 ? 0 : (GLsizei)samples < most ? (GLsizei)samples : most;
	glBindFramebuffer(GL_FRAMEBUFFER, target->drawn);
	if (samples == 1)
		StoreTexture(target);
	else
		Store(target->drawnColour, GL_COLOR_ATTACHMENT0, count, GL_RGBA8, target);
	Store(target->drawnDepth, GL_DEPTH_ATTACHMENT, count, GL_DEPTH_COMPONENT24, target);
	drapeResult result = CheckFramebuffer(error, "target of this size");
	if (result == drape_ok)
	{
		glBindFramebuffer(GL_FRAMEBUFFER, target->resolved);
		Store(target->resolvedColour, GL_COLOR_ATTACHMENT0, 0, GL_RGBA8, target);
		result = CheckFramebuffer(error, "target of this size");
	}
	if (result != drape_ok)
		target->width = 0;
	return result;
}

void drapeTarget_Resolve(const Target* target)
{
	GLint width = (GLint)target->width, height = (GLint)target->height;
	glBindFramebuffer(GL_READ_FRAMEBUFFER, target->drawn);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target->resolved);
	glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}
