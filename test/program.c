// SPDX-License-Identifier: MIT
#include "program.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

ProgramRun programRun;

extern char** environ;

const char* Program_Scratch(const char* name)
{
	static char path[16][640];
	static unsigned turn;
	char* slot = path[turn++ % 16];
	const char* build = getenv("DRAPE_BUILD");
	snprintf(slot, sizeof path[0], "%s/test.%ld.%s", build ? build : "/tmp", (long)getpid(), name);
	return slot;
}

pid_t Program_Start(const char* const* arguments)
{
	const char* program = getenv("DRAPE_PROGRAM");
	if (!program)
		fail_msg("DRAPE_PROGRAM is not set; run the tests with ctest");
	char* all[32] = {(char*)"drape"};
	for (int i = 0; arguments[i]; ++i)
	{
		assert_true(i < 30);
		all[i + 1] = (char*)arguments[i];
	}
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	int flags = O_WRONLY | O_CREAT | O_TRUNC;
	posix_spawn_file_actions_addopen(&actions, 1, Program_Scratch("out"), flags, 0600);
	posix_spawn_file_actions_addopen(&actions, 2, Program_Scratch("err"), flags, 0600);
	pid_t process;
	assert_int_equal(posix_spawn(&process, program, &actions, NULL, all, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	return process;
}

static void Slurp(const char* path, char* text, size_t capacity)
{
	FILE* file = fopen(path, "rb");
	text[0] = 0;
	if (!file)
		return;
	text[fread(text, 1, capacity - 1, file)] = 0;
	fclose(file);
	unlink(path);
}

void Program_Wait(pid_t process)
{
	int status;
	assert_int_equal(waitpid(process, &status, 0), process);
	programRun.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	Slurp(Program_Scratch("out"), programRun.out, sizeof programRun.out);
	Slurp(Program_Scratch("err"), programRun.err, sizeof programRun.err);
}

void Program_ExpectHas(const char* text, const char* part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not have '%s'", text, part);
}

char* Program_ReadFile(const char* path, size_t* size)
{
	FILE* file = fopen(path, "rb");
	if (!file)
		fail_msg("%s is missing", path);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	char* text = malloc(*size + 1);
	assert_int_equal(fread(text, 1, *size, file), *size);
	text[*size] = 0;
	fclose(file);
	return text;
}

void Program_WriteFile(const char* path, const char* text)
{
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static int CompareNames(const void* a, const void* b)
{
	return strcmp(((const ProgramName*)a)->text, ((const ProgramName*)b)->text);
}

int Program_List(const char* path, ProgramName* names, int capacity)
{
	int count = 0;
	DIR* folder = opendir(path);
	for (const struct dirent* entry; folder && (entry = readdir(folder)) != NULL;)
	{
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		assert_true(count < capacity && strlen(entry->d_name) < sizeof names->text);
		strcpy(names[count++].text, entry->d_name);
	}
	if (folder)
		closedir(folder);
	qsort(names, (size_t)count, sizeof *names, CompareNames);
	return count;
}

void Program_RemoveFolder(const char* path)
{
	static ProgramName names[4096];
	int count = Program_List(path, names, 4096);
	for (int i = 0; i < count; ++i)
	{
		char file[1024];
		if (snprintf(file, sizeof file, "%s/%s", path, names[i].text) < (int)sizeof file)
			unlink(file);
	}
	rmdir(path);
}
