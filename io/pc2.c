// SPDX-License-Identifier: MIT
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A PC2 file: "POINTCACHE2\0", version, points per sample, first frame, frames per sample, samples; then the samples,
// x y z floats, all little endian. The number of samples is written last, so that it never counts a missing sample.

enum
{
	headerSize = 32,
	pointSize = 12,
	pointsPerChunk = 1024,
};

static const char magic[12] = "POINTCACHE2";

static void StoreUint32(unsigned char* bytes, uint32_t value)
{
	for (int i = 0; i < 4; ++i)
		bytes[i] = (unsigned char)(value >> 8 * i);
}

static void StoreFloat(unsigned char* bytes, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	StoreUint32(bytes, bits);
}

static void FillHeader(unsigned char header[headerSize], const drapePc2Sample* sample, uint32_t sampleCount)
{
	memcpy(header, magic, sizeof magic);
	StoreUint32(header + 12, 1);
	StoreUint32(header + 16, sample->pointCount);
	StoreFloat(header + 20, sample->firstFrame);
	StoreFloat(header + 24, 1.0f);
	StoreUint32(header + 28, sampleCount);
}

static bool WriteAt(int file, const unsigned char* data, size_t size, off_t offset)
{
	while (size > 0)
	{
		ssize_t count = pwrite(file, data, size, offset);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return false;
		data += count;
		size -= (size_t)count;
		offset += count;
	}
	return true;
}

static bool WritePoints(int file, const drapePc2Sample* sample, off_t offset)
{
	unsigned char chunk[pointsPerChunk * pointSize];
	for (uint32_t first = 0; first < sample->pointCount; first += pointsPerChunk)
	{
		uint32_t left = sample->pointCount - first, count = left < pointsPerChunk ? left : pointsPerChunk;
		for (uint32_t i = 0; i < count; ++i)
		{
			const drapeVec3* point = &sample->points[first + i];
			StoreFloat(chunk + i * pointSize, point->x);
			StoreFloat(chunk + i * pointSize + 4, point->y);
			StoreFloat(chunk + i * pointSize + 8, point->z);
		}
		if (!WriteAt(file, chunk, (size_t)count * pointSize, offset + (off_t)first * pointSize))
			return false;
	}
	return true;
}

// Tells whether the file is a cache of this many points that has every earlier sample.
static bool CanContinue(int file, const drapePc2Sample* sample, off_t offset)
{
	unsigned char expected[headerSize], found[headerSize];
	struct stat status;
	FillHeader(expected, sample, 0);
	return pread(file, found, headerSize, 0) == headerSize && memcmp(expected, found, headerSize - 4) == 0 &&
	       fstat(file, &status) == 0 && status.st_size >= offset;
}

// Returns 0 or an errno value.
static int AppendSample(int file, const drapePc2Sample* sample, off_t offset)
{
	unsigned char header[headerSize];
	FillHeader(header, sample, sample->index);
	// Lower the count, cut off later samples, write the new sample, then raise the count.
	if (!WriteAt(file, header, headerSize, 0) || ftruncate(file, offset) != 0 || !WritePoints(file, sample, offset))
		return errno;
	FillHeader(header, sample, sample->index + 1);
	return WriteAt(file, header, headerSize, 0) ? 0 : errno;
}

drapeResult drapePc2_Append(const char* path, const drapePc2Sample* sample, drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "path|sample", (const void*[]){path, sample});
	if (result == drape_ok && !sample->points)
		result = drapeFileError_Refuse(error, "points is NULL");
	if (result == drape_ok && sample->pointCount == 0)
		result = drapeFileError_Refuse(error, "pointCount is 0, expected at least 1");
	if (result == drape_ok && !isfinite(sample->firstFrame))
		result = drapeFileError_Refuse(error, "firstFrame is %g, expected a finite number", (double)sample->firstFrame);
	if (result != drape_ok)
		return result;
	if (error)
		*error = (drapeMessage){0};
	int flags = O_RDWR | O_CLOEXEC | (sample->index == 0 ? O_CREAT : 0);
	int file = open(path, flags, 0666);
	if (file < 0)
		return drapeFileError_SetSystem(error, path, "write", errno);
	off_t offset = headerSize + (off_t)sample->index * sample->pointCount * pointSize;
	if (sample->index > 0 && !CanContinue(file, sample, offset))
		result =
			drapeFileError_Set(error, drape_errorData, path, 0, "has not the %u samples of %u points that come first",
		                       sample->index, sample->pointCount);
	int code = result == drape_ok ? AppendSample(file, sample, offset) : 0;
	if (close(file) != 0 && code == 0)
		code = errno;
	return code != 0 ? drapeFileError_SetSystem(error, path, "write", code) : result;
}

// --- reading ---

static uint32_t LoadUint32(const unsigned char* bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static float LoadFloat(const unsigned char* bytes)
{
	uint32_t bits = LoadUint32(bytes);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static bool ReadAt(int file, unsigned char* data, size_t size, off_t offset)
{
	while (size > 0)
	{
		ssize_t count = pread(file, data, size, offset);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		data += count;
		size -= (size_t)count;
		offset += count;
	}
	return true;
}

static drapeResult ReadHeader(int file, const char* path, drapePc2Info* info, drapeMessage* error)
{
	unsigned char header[headerSize];
	struct stat status;
	if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < headerSize ||
	    !ReadAt(file, header, headerSize, 0) || memcmp(header, magic, sizeof magic) != 0)
		return drapeFileError_Set(error, drape_errorData, path, 0, "this is no PC2 point cache");
	drapePc2Info found = {.sampleCount = LoadUint32(header + 28),
	                      .pointCount = LoadUint32(header + 16),
	                      .firstFrame = LoadFloat(header + 20),
	                      .frameStep = LoadFloat(header + 24)};
	uint64_t available = (uint64_t)(status.st_size - headerSize) / pointSize;
	if (found.pointCount == 0 || found.pointCount > IO_MAX_ELEMENTS || !isfinite(found.firstFrame) ||
	    !(found.frameStep > 0.0f && isfinite(found.frameStep)) || found.sampleCount > available / found.pointCount)
		return drapeFileError_Set(error, drape_errorData, path, 0,
		                          "the header has %u samples of %u points, and the file is not as long",
		                          found.sampleCount, found.pointCount);
	*info = found;
	return drape_ok;
}

static int OpenCache(const char* path, drapePc2Info* info, drapeResult* result, drapeMessage* error)
{
	*result = drapeFileError_CheckPointers(error, "path|info", (const void*[]){path, info});
	if (info)
		*info = (drapePc2Info){0};
	if (*result != drape_ok)
		return -1;
	if (error)
		*error = (drapeMessage){0};
	int file = open(path, O_RDONLY | O_CLOEXEC);
	*result = file < 0 ? drapeFileError_SetSystem(error, path, "open", errno) : ReadHeader(file, path, info, error);
	return file;
}

drapeResult drapePc2_GetInfo(const char* path, drapePc2Info* info, drapeMessage* error)
{
	drapeResult result;
	int file = OpenCache(path, info, &result, error);
	if (file >= 0)
		close(file);
	return result;
}

static drapeResult ReadPoints(int file, const char* path, off_t offset, drapeVec3* points, uint32_t pointCount,
                              drapeMessage* error)
{
	unsigned char chunk[pointsPerChunk * pointSize];
	for (uint32_t first = 0; first < pointCount; first += pointsPerChunk)
	{
		uint32_t left = pointCount - first, count = left < pointsPerChunk ? left : pointsPerChunk;
		errno = 0;
		if (!ReadAt(file, chunk, (size_t)count * pointSize, offset + (off_t)first * pointSize))
			return drapeFileError_SetSystem(error, path, "read", errno != 0 ? errno : EIO);
		for (uint32_t i = 0; i < count; ++i)
		{
			const unsigned char* at = chunk + i * pointSize;
			points[first + i] = (drapeVec3){LoadFloat(at), LoadFloat(at + 4), LoadFloat(at + 8)};
			if (!isfinite(points[first + i].x) || !isfinite(points[first + i].y) || !isfinite(points[first + i].z))
				return drapeFileError_Set(error, drape_errorData, path, 0, "point %u is not finite", first + i);
		}
	}
	return drape_ok;
}

drapeResult drapePc2_Read(const char* path, uint32_t index, drapeVec3* points, uint32_t pointCount, drapeMessage* error)
{
	if (!points && pointCount > 0)
		return drapeFileError_Refuse(error, "points is NULL, but pointCount is %u", pointCount);
	drapePc2Info info;
	drapeResult result;
	int file = OpenCache(path, &info, &result, error);
	if (result == drape_ok && (index >= info.sampleCount || pointCount != info.pointCount))
		result = drapeFileError_Set(error, drape_errorArgument, path, 0,
		                            "sample %u of %u points was asked for, but there are %u of %u", index, pointCount,
		                            info.sampleCount, info.pointCount);
	off_t offset = headerSize + (off_t)index * info.pointCount * pointSize;
	if (result == drape_ok)
		result = ReadPoints(file, path, offset, points, pointCount, error);
	if (file >= 0)
		close(file);
	return result;
}
