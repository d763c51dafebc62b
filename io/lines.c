// SPDX-License-Identifier: MIT
#include "io.h"

#include <string.h>

// The buffer holds the current line and the bytes read beyond it. A line that does not fit doubles the buffer. Bytes
// are searched for a line end only once. A file is therefore read in linear time for any length of lines.

LineResult drapeLineReader_Begin(LineReader* reader, LineSourceFcn* source, void* context, size_t chunk)
{
	assert(chunk > 0);
	*reader = (LineReader){.source = source, .context = context, .nextLine = 1, .capacity = chunk};
	reader->buffer = drapeAlloc(chunk);
	if (!reader->buffer)
	{
		reader->capacity = 0;
		return line_memory;
	}
	return line_ok;
}

void drapeLineReader_End(LineReader* reader)
{
	drapeFree(reader->buffer, reader->capacity);
	*reader = (LineReader){0};
}

static LineResult GrowBuffer(LineReader* reader)
{
	size_t held = reader->end - reader->start;
	if (reader->start > 0)
	{
		memmove(reader->buffer, reader->buffer + reader->start, held);
		reader->start = 0;
		reader->end = held;
	}
	// Keep half of the buffer free: moving a long line for each small read would take quadratic time.
	if (held <= reader->capacity / 2)
		return line_ok;
	if (held > LINE_MAX_LENGTH)
		return line_tooLong;
	char* moved = drapeAlloc(reader->capacity * 2);
	if (!moved)
		return line_memory;
	memcpy(moved, reader->buffer, held);
	drapeFree(reader->buffer, reader->capacity);
	reader->buffer = moved;
	reader->capacity *= 2;
	return line_ok;
}

static LineResult Fill(LineReader* reader)
{
	LineResult result = GrowBuffer(reader);
	if (result != line_ok)
		return result;
	ptrdiff_t got = reader->source(reader->context, reader->buffer + reader->end, reader->capacity - reader->end);
	if (got < 0)
		return line_readError;
	reader->finished = got == 0;
	reader->end += (size_t)got;
	return line_ok;
}

// Finds the end of a physical line that begins `offset` bytes behind start; its length without the line feed.
static LineResult FindLineEnd(LineReader* reader, size_t offset, size_t* length)
{
	size_t searched = offset;
	for (;;)
	{
		size_t held = reader->end - reader->start;
		char* feed = held > searched ? memchr(reader->buffer + reader->start + searched, '\n', held - searched) : NULL;
		if (feed)
		{
			*length = (size_t)(feed - reader->buffer) - reader->start;
			return line_ok;
		}
		searched = held;
		if (reader->finished)
		{
			*length = held;
			return line_ok;
		}
		LineResult result = Fill(reader);
		if (result != line_ok)
			return result;
	}
}

// Turns a backslash at the end of a physical line, and what remains of the line end, into blanks.
static bool TakeContinuation(char* text, size_t begin, size_t end)
{
	size_t last = end;
	if (last > begin && text[last - 1] == '\r')
		--last;
	if (last == begin || text[last - 1] != '\\')
		return false;
	memset(text + last - 1, ' ', end - last + 1);
	return true;
}

LineResult drapeLineReader_Next(LineReader* reader)
{
	reader->line = reader->nextLine;
	size_t offset = 0, length = 0;
	bool isComment = false;
	for (;;)
	{
		LineResult result = FindLineEnd(reader, offset, &length);
		if (result != line_ok)
			return result;
		size_t held = reader->end - reader->start;
		if (held == 0)
			return line_end;

		char* text = reader->buffer + reader->start;
		bool hasFeed = length < held;
		if (reader->nextLine < UINT32_MAX)
			reader->nextLine++;
		// A comment ends with its line: "# saved as C:\cloth\" must not swallow the vertex below it.
		if (offset == 0)
		{
			size_t blanks = 0;
			while (blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
				++blanks;
			isComment = blanks < length && text[blanks] == '#';
		}
		if (!isComment && TakeContinuation(text, offset, length) && hasFeed)
		{
			text[length] = ' ';
			offset = length + 1;
			continue;
		}
		reader->text = text;
		reader->length = length > 0 && text[length - 1] == '\r' ? length - 1 : length;
		reader->start += length + (hasFeed ? 1 : 0);
		return line_ok;
	}
}
