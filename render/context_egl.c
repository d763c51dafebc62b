// SPDX-License-Identifier: MIT
#include "render.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

struct drapeOffscreen
{
	EGLDisplay display;
	EGLContext context;
	const char* name; // name of the driver
};

static const char* EglErrorText(void)
{
	switch (eglGetError())
	{
		case EGL_NOT_INITIALIZED:
			return "EGL is not initialised";
		case EGL_BAD_ALLOC:
			return "out of memory";
		case EGL_BAD_MATCH:
			return "OpenGL 3.3 is not offered";
		default:
			return "no usable device";
	}
}

static EGLDisplay OpenDisplay(void)
{
	// The client's extensions list the platforms that can be opened.
	if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
		return EGL_NO_DISPLAY;
	return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
}

static const char* OpenContext(drapeOffscreen* offscreen)
{
	static const EGLint configAttributes[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
	static const EGLint contextAttributes[] = {
		EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
		EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
	EGLConfig config;
	EGLint count = 0;
	offscreen->display = OpenDisplay();
	if (offscreen->display == EGL_NO_DISPLAY)
		return "EGL offers no surfaceless platform (Debian: libegl1 libgl1-mesa-dri)";
	if (!eglInitialize(offscreen->display, NULL, NULL))
	{
		offscreen->display = EGL_NO_DISPLAY;
		return EglErrorText();
	}
	if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(offscreen->display, configAttributes, &config, 1, &count) ||
	    count == 0)
		return EglErrorText();
	offscreen->context = eglCreateContext(offscreen->display, config, EGL_NO_CONTEXT, contextAttributes);
	if (offscreen->context == EGL_NO_CONTEXT ||
	    !eglMakeCurrent(offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE, offscreen->context))
		return EglErrorText();
	offscreen->name = (const char*)glGetString(GL_RENDERER);
	return NULL;
}

drapeResult drapeCreateOffscreen(drapeOffscreen** created, drapeMessage* error)
{
	if (!created)
		return drapeRender_Fail(error, drape_errorArgument, "offscreen is NULL");
	*created = NULL;
	drapeOffscreen* offscreen = drapeAlloc(sizeof *offscreen);
	if (!offscreen)
		return drapeRender_Fail(error, drape_errorMemory, "out of memory");
	*offscreen = (drapeOffscreen){.display = EGL_NO_DISPLAY, .context = EGL_NO_CONTEXT};
	const char* wrong = OpenContext(offscreen);
	if (!wrong)
	{
		*created = offscreen;
		return drape_ok;
	}
	drapeDestroyOffscreen(offscreen);
	return drapeRender_Fail(error, drape_errorFile, "no OpenGL without a display: %s", wrong);
}

void drapeDestroyOffscreen(drapeOffscreen* offscreen)
{
	if (!offscreen)
		return;
	if (offscreen->display != EGL_NO_DISPLAY)
	{
		eglMakeCurrent(offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
		if (offscreen->context != EGL_NO_CONTEXT)
			eglDestroyContext(offscreen->display, offscreen->context);
		// The display belongs to the process. Other code may use it, so it is not terminated here.
		eglReleaseThread();
	}
	drapeFree(offscreen, sizeof *offscreen);
}

const char* drapeOffscreen_GetName(const drapeOffscreen* offscreen)
{
	return offscreen ? (offscreen->name ? offscreen->name : "?") : NULL;
}
