// SPDX-License-Identifier: MIT
#include "io.h"

#include <errno.h>
#include <fcntl.h>
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
	assert(path && sample && sample->points && sample->pointCount > 0);
	if (error)
		*error = (drapeMessage){0};
	int flags = O_RDWR | O_CLOEXEC | (sample->index == 0 ? O_CREAT : 0);
	int file = open(path, flags, 0666);
	if (file < 0)
		return drapeFileError_SetSystem(error, path, "write", errno);
	off_t offset = headerSize + (off_t)sample->index * sample->pointCount * pointSize;
	drapeResult result = drape_ok;
	if (sample->index > 0 && !CanContinue(file, sample, offset))
		result =
			drapeFileError_Set(error, drape_errorData, path, 0, "has not the %u samples of %u points that come first",
		                       sample->index, sample->pointCount);
	int code = result == drape_ok ? AppendSample(file, sample, offset) : 0;
	if (close(file) != 0 && code == 0)
		code = errno;
	return code != 0 ? drapeFileError_SetSystem(error, path, "write", code) : result;
}
