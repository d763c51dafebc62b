// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700 // realpath

#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A file that is written under a temporary name in the same folder and renamed at the end. A reader sees the old file
// or the complete new one, and a failure leaves no file.

#define WRITER_CAPACITY ((size_t)1 << 16)

// --- the buffer ---

static void Flush(Writer* writer)
{
	size_t done = 0;
	while (done < writer->used && writer->error == 0)
	{
		ssize_t count = write(writer->descriptor, writer->buffer + done, writer->used - done);
		if (count >= 0)
			done += (size_t)count;
		else if (errno != EINTR)
			writer->error = errno;
	}
	writer->used = 0;
}

void drapeWriter_Put(Writer* writer, const void* data, size_t length)
{
	const char* bytes = data;
	while (length > 0)
	{
		if (writer->used == WRITER_CAPACITY)
			Flush(writer);
		size_t available = WRITER_CAPACITY - writer->used;
		size_t count = length < available ? length : available;
		memcpy(writer->buffer + writer->used, bytes, count);
		writer->used += count;
		bytes += count;
		length -= count;
	}
}

void drapeWriter_PutText(Writer* writer, const char* text)
{
	drapeWriter_Put(writer, text, strlen(text));
}

void drapeWriter_PutUint32(Writer* writer, uint32_t value)
{
	const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
	                                (unsigned char)(value >> 24)};
	drapeWriter_Put(writer, bytes, sizeof bytes);
}

void drapeWriter_PutFloats(Writer* writer, const float* values, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		uint32_t bits;
		memcpy(&bits, &values[i], sizeof bits);
		drapeWriter_PutUint32(writer, bits);
	}
}

// --- the file ---

// Returns the file to replace: the target of a symbolic link, or the path itself for a new file. Returns NULL with
// errno if it must not be replaced by a file, or if memory runs out.
static char* ResolveTarget(const char* path, uint32_t* mode)
{
	char* target = realpath(path, NULL);
	if (!target)
		return errno == ENOENT ? strdup(path) : NULL;
	struct stat status;
	int code = stat(target, &status) != 0  ? errno
	           : S_ISDIR(status.st_mode)   ? EISDIR
	           : !S_ISREG(status.st_mode)  ? EINVAL
	           : access(target, W_OK) != 0 ? errno
	                                       : 0;
	if (code != 0)
	{
		free(target);
		errno = code;
		return NULL;
	}
	*mode = status.st_mode & 0777;
	return target;
}

// Opens a new file beside `target`; its name goes into `temporary`, which the caller frees.
static int OpenTemporary(const char* target, char** temporary)
{
	size_t capacity = strlen(target) + 32;
	*temporary = malloc(capacity);
	if (!*temporary)
	{
		errno = ENOMEM;
		return -1;
	}
	for (unsigned attempt = 0; attempt < 1000; ++attempt)
	{
		snprintf(*temporary, capacity, "%s.%ld-%u.tmp", target, (long)getpid(), attempt);
		int descriptor = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (descriptor >= 0 || errno != EEXIST)
			return descriptor;
	}
	return -1;
}

static void FreeWriter(Writer* writer)
{
	free(writer->target);
	free(writer->temporary);
	drapeFree(writer->buffer, WRITER_CAPACITY);
	*writer = (Writer){0};
}

drapeResult drapeWriter_Open(Writer* writer, const char* path, drapeMessage* error)
{
	*writer = (Writer){.path = path, .descriptor = -1, .buffer = drapeAlloc(WRITER_CAPACITY)};
	if (!writer->buffer)
		return drapeFileError_Set(error, drape_errorMemory, path, 0, "out of memory");
	writer->target = ResolveTarget(path, &writer->mode);
	if (writer->target)
		writer->descriptor = OpenTemporary(writer->target, &writer->temporary);
	if (writer->descriptor >= 0)
		return drape_ok;
	drapeResult result = drapeFileError_SetSystem(error, path, "write", errno);
	FreeWriter(writer);
	return result;
}

drapeResult drapeWriter_Close(Writer* writer, drapeMessage* error)
{
	Flush(writer);
	if (writer->error == 0 && writer->mode != 0 && fchmod(writer->descriptor, (mode_t)writer->mode) != 0)
		writer->error = errno;
	if (close(writer->descriptor) != 0 && writer->error == 0)
		writer->error = errno;
	if (writer->error == 0 && rename(writer->temporary, writer->target) != 0)
		writer->error = errno;
	drapeResult result = drape_ok;
	if (writer->error != 0)
	{
		unlink(writer->temporary);
		result = drapeFileError_SetSystem(error, writer->path, "write", writer->error);
	}
	FreeWriter(writer);
	return result;
}

drapeResult drapeFile_Write(const char* path, const void* data, size_t size, drapeMessage* error)
{
	if (!path)
		return drapeFileError_Refuse(error, "path is NULL");
	if (!data && size > 0)
		return drapeFileError_Refuse(error, "data is NULL, but size is %zu", size);
	if (error)
		*error = (drapeMessage){0};
	Writer writer;
	drapeResult result = drapeWriter_Open(&writer, path, error);
	if (result != drape_ok)
		return result;
	drapeWriter_Put(&writer, data, size);
	return drapeWriter_Close(&writer, error);
}
