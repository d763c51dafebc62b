// SPDX-License-Identifier: MIT
#include "run_manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// run.json says how the files of a folder were made: enough to make them again, and to tell them from older files.

#define MANIFEST_NAME "run.json"

// The commit that the program was built from; cmake/commit.cmake writes the file that defines it.
extern const char runCommit[];

static void ManifestPath(const char* folder, char path[RUN_PATH])
{
	snprintf(path, RUN_PATH, "%.*s/" MANIFEST_NAME, RUN_PATH - 32, folder);
}

// --- writing ---

// The name of the processor, as Linux tells it; that of its kind elsewhere.
static void ProcessorName(char* text, size_t capacity, const struct utsname* system)
{
	snprintf(text, capacity, "%s", system->machine);
	FILE* file = fopen("/proc/cpuinfo", "r");
	char line[256];
	while (file && fgets(line, sizeof line, file))
	{
		if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':'))
			continue;
		line[strcspn(line, "\n")] = 0;
		const char* name = strchr(line, ':') + 1;
		snprintf(text, capacity, "%s", name + strspn(name, " "));
		break;
	}
	if (file)
		fclose(file);
}

static json_t* MachineJson(void)
{
	struct utsname system = {0};
	char processor[256];
	uname(&system);
	ProcessorName(processor, sizeof processor, &system);
	return json_pack("{s:o, s:o, s:i}", "system", Cli_JsonText(system.sysname), "processor", Cli_JsonText(processor),
	                 "cores", (int)sysconf(_SC_NPROCESSORS_ONLN));
}

static json_t* HashJson(uint64_t hash)
{
	return json_sprintf("%016llx", (unsigned long long)hash);
}

// Files of the run, with $F4 for the number of a frame.
static json_t* OutputsJson(const RunOutput* output)
{
	json_t* list = json_array();
	char name[RUN_PATH];
	for (uint32_t i = 0; i < output->made->clothCount; ++i)
		for (uint32_t format = 1; format <= drape_sceneFormatPc2; format <<= 1)
			if ((output->settings->output.formats & format) && RunOutput_Pattern(output, i, format, name))
				json_array_append_new(list, Cli_JsonText(name));
	return list;
}

// The scene with all values that the command line changed.
static json_t* SceneJson(const drapeScene* scene)
{
	size_t size = 0;
	if (drapeScene_Format(scene, NULL, 0, &size, NULL) != drape_ok)
		return json_null();
	char* text = malloc(size);
	json_t* json = NULL;
	if (text && drapeScene_Format(scene, text, size, &size, NULL) == drape_ok)
		json = json_loads(text, 0, NULL);
	free(text);
	return json ? json : json_null();
}

json_t* RunManifest_Json(const RunOutput* output, const RunSnapshot* snapshot)
{
	const RunSettings* settings = output->settings;
	uint32_t threads = settings->threads > 0 ? settings->threads : output->scene->world.threads;
	json_t* object = json_object();
	drapeVersion version = drapeGetVersion();
	json_object_set_new(object, "program", json_sprintf("drape %d.%d.%d", version.major, version.minor, version.patch));
	json_object_set_new(object, "commit", json_string(runCommit));
	json_object_set_new(object, "machine", MachineJson());
	json_object_set_new(object, "threads", json_integer(threads));
	json_object_set_new(object, "scene", Cli_JsonText(settings->scenePath));
	json_object_set_new(object, "inputs", HashJson(snapshot->sceneHash));
	json_object_set_new(object, "statistics", Cli_JsonText(settings->statsPath));
	json_object_set_new(object, "firstFrame", json_integer(settings->output.firstFrame));
	json_object_set_new(object, "frames", json_integer(settings->frames));
	json_object_set_new(object, "outputs", OutputsJson(output));
	json_object_set_new(object, "settings", SceneJson(output->scene));
	return object;
}

drapeResult RunManifest_Write(const RunOutput* output, const RunSnapshot* snapshot, drapeMessage* error)
{
	char path[RUN_PATH];
	ManifestPath(output->settings->folder, path);
	return Run_WriteJson(path, RunManifest_Json(output, snapshot), error);
}

// --- reading ---

// The number of complete lines behind the header; `fallback` without a file.
static uint32_t CountFrames(const char* path, uint32_t fallback)
{
	FILE* file = path ? fopen(path, "r") : NULL;
	if (!file)
		return fallback;
	uint32_t lines = 0;
	for (int c; (c = fgetc(file)) != EOF;)
		lines += c == '\n';
	fclose(file);
	return lines > 0 ? lines - 1 : 0;
}

bool RunManifest_Read(RunManifest* manifest, const char* folder)
{
	char path[RUN_PATH];
	ManifestPath(folder, path);
	*manifest = (RunManifest){.json = json_load_file(path, 0, NULL)};
	manifest->outputs = json_object_get(manifest->json, "outputs");
	if (!json_is_array(manifest->outputs))
	{
		RunManifest_Free(manifest);
		return false;
	}
	manifest->scene = json_string_value(json_object_get(manifest->json, "scene"));
	manifest->firstFrame = (uint32_t)json_integer_value(json_object_get(manifest->json, "firstFrame"));
	// The folder may have been moved with its statistics in it.
	char inside[RUN_PATH];
	snprintf(inside, sizeof inside, "%.*s/stats.csv", RUN_PATH - 32, folder);
	const char* stats = json_string_value(json_object_get(manifest->json, "statistics"));
	uint32_t asked = (uint32_t)json_integer_value(json_object_get(manifest->json, "frames"));
	manifest->frames = CountFrames(stats && access(stats, R_OK) == 0 ? stats : inside, asked);
	return true;
}

bool RunManifest_Has(const RunManifest* manifest, const char* name)
{
	size_t i;
	const json_t* output;
	json_array_foreach(manifest->outputs, i, output)
	{
		const char* pattern = json_string_value(output);
		uint32_t frame;
		if (!pattern)
			continue;
		if (drapeFrameName_IsSequence(pattern)
		        ? drapeFrameName_Parse(pattern, name, &frame) && frame - manifest->firstFrame < manifest->frames
		        : strcmp(pattern, name) == 0)
			return true;
	}
	return false;
}

void RunManifest_Free(RunManifest* manifest)
{
	json_decref(manifest->json);
	*manifest = (RunManifest){0};
}
