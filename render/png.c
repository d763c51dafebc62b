// SPDX-License-Identifier: MIT
#include "render.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static drapeResult FailPng(drapeMessage* error, const char* path, const char* text)
{
	return drapeRender_Fail(error, drape_errorFile, "%s: %s", path, text);
}

drapeResult drapePng_Write(const char* path, const uint8_t* pixels, uint32_t width, uint32_t height,
                           drapeMessage* error)
{
	drapeResult result = drapeRender_CheckPointers(error, "path|pixels", (const void*[]){path, pixels});
	if (result == drape_ok)
		result = drapeRender_CheckSize(width, height, error);
	if (result != drape_ok)
		return result;
	// A reader sees the old file or the complete new one.
	char temporary[4200];
	int length = snprintf(temporary, sizeof temporary, "%s.%ld-0.tmp", path, (long)getpid());
	if (length < 0 || (size_t)length >= sizeof temporary)
		return FailPng(error, path, "path is too long");
	FILE* file = fopen(temporary, "wb");
	if (!file)
		return FailPng(error, path, strerror(errno));
	png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB};
	errno = 0;
	bool written = png_image_write_to_stdio(&image, file, 0, pixels, 0, NULL) != 0;
	// The system knows why a write failed, libpng only that it did.
	const char* wrong = written ? NULL : errno != 0 ? strerror(errno) : image.message;
	if (fclose(file) != 0 || (written && rename(temporary, path) != 0))
		wrong = strerror(errno);
	if (!wrong)
		return drape_ok;
	remove(temporary);
	return FailPng(error, path, wrong);
}

drapeResult drapePng_Read(const char* path, uint8_t** pixels, uint32_t* width, uint32_t* height, drapeMessage* error)
{
	const void* const pointers[] = {path, pixels, width, height};
	drapeResult result = drapeRender_CheckPointers(error, "path|pixels|width|height", pointers);
	if (result != drape_ok)
		return result;
	*pixels = NULL;
	*width = *height = 0;
	png_image image = {.version = PNG_IMAGE_VERSION};
	if (!png_image_begin_read_from_file(&image, path))
		return FailPng(error, path, image.message);
	image.format = PNG_FORMAT_RGB;
	size_t size = 3 * (size_t)image.width * image.height;
	uint8_t* memory = image.width <= DRAPE_MAX_PICTURE && image.height <= DRAPE_MAX_PICTURE ? drapeAlloc(size) : NULL;
	if (!memory)
	{
		png_image_free(&image);
		return drapeRender_Fail(error, drape_errorMemory, "%s: out of memory, or too large", path);
	}
	if (!png_image_finish_read(&image, NULL, memory, 0, NULL))
	{
		drapeFree(memory, size);
		return FailPng(error, path, image.message);
	}
	*pixels = memory;
	*width = image.width;
	*height = image.height;
	return drape_ok;
}
