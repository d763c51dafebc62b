// SPDX-License-Identifier: MIT
#include "studio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Recording draws or writes every frame of the simulation once; the runner runs in lockstep meanwhile. The size of
// pictures does not depend on that of the window.

struct Recorder
{
	RecordDef def;
	drapeFilm* film;
	uint8_t* pixels;
	uint64_t serial; // serial of the last recorded frame
	uint32_t done;
	bool waiting; // for frame 0
};

static bool MakeFolder(Studio* studio, const char* path)
{
	char part[document_pathCapacity];
	snprintf(part, sizeof part, "%s", path);
	for (char* s = part + 1; *s; ++s)
	{
		if (*s != '/')
			continue;
		*s = 0;
		mkdir(part, 0777);
		*s = '/';
	}
	if (mkdir(part, 0777) == 0 || errno == EEXIST)
		return true;
	drapeMessages_Add(&studio->messages, message_error, "%s: cannot be made: %s", path, strerror(errno));
	return false;
}

// --- meshes ---

static drapeResult WriteCloth(const FrameCloth* cloth, const char* path, drapeMessage* error)
{
	drapeClothMesh mesh;
	drapeResult result = drapeClothMesh_Create(&mesh, &cloth->view, &cloth->pattern, error);
	if (result == drape_ok)
		result = drapeClothMesh_WriteObj(&mesh, cloth->pattern.materialLibrary, NULL, path, error);
	drapeClothMesh_Free(&mesh);
	return result;
}

static drapeResult WriteMeshes(Studio* studio, const Recorder* recorder, drapeMessage* error)
{
	drapeResult result = drape_ok;
	uint32_t number = studio->document.scene->output.firstFrame + recorder->done;
	for (uint32_t i = 0; result == drape_ok && i < studio->frame->clothCount; ++i)
	{
		char path[document_pathCapacity + 160];
		drapeMessage trouble = {0};
		snprintf(path, sizeof path, "%s/%s.%04u.obj", recorder->def.path, studio->frame->cloths[i].name, number);
		result = WriteCloth(&studio->frame->cloths[i], path, &trouble);
		if (result != drape_ok)
			snprintf(error->text, sizeof error->text, "%s", trouble.text);
	}
	return result;
}

// --- pictures ---

static drapeResult DrawPicture(Studio* studio, Recorder* recorder, drapeMessage* error)
{
	drapePicture picture = drapePicture_Make(studio, studio->frame, recorder->def.width, recorder->def.height);
	picture.samples = 4;
	drapeResult result = drapeRenderer_Draw(studio->renderer, &picture, error);
	studio->drawnKey = 0; // the renderer holds this picture now
	return result == drape_ok ? drapeRenderer_Read(studio->renderer, recorder->pixels, error) : result;
}

static drapeResult TakeFrame(Studio* studio, Recorder* recorder, drapeMessage* error)
{
	if (recorder->def.kind == record_objs)
		return WriteMeshes(studio, recorder, error);
	drapeResult result = DrawPicture(studio, recorder, error);
	if (result != drape_ok)
		return result;
	if (recorder->def.kind == record_film)
		return drapeFilm_Add(recorder->film, recorder->pixels, error);
	char path[document_pathCapacity + 32];
	snprintf(path, sizeof path, "%s/frame.%04u.png", recorder->def.path,
	         studio->document.scene->output.firstFrame + recorder->done);
	return drapePng_Write(path, recorder->pixels, recorder->def.width, recorder->def.height, error);
}

// --- start and end ---

static bool Prepare(Studio* studio, Recorder* recorder, drapeMessage* error)
{
	const RecordDef* def = &recorder->def;
	if (def->kind != record_film && !MakeFolder(studio, def->path))
		return false;
	if (def->kind == record_objs)
		return true;
	recorder->pixels = malloc(3 * (size_t)def->width * def->height);
	if (!recorder->pixels || def->kind == record_pictures)
		return recorder->pixels != NULL;
	return drapeCreateFilm(def->path, def->width, def->height, studio->document.scene->time.frameRate, &recorder->film,
	                       error) == drape_ok;
}

void drapeRecorder_Start(Studio* studio)
{
	drapeMessage error = {0};
	Recorder* recorder = calloc(1, sizeof *recorder);
	if (!recorder || studio->recorder)
	{
		free(recorder);
		return;
	}
	recorder->def = studio->record;
	recorder->waiting = recorder->def.fromStart;
	studio->recorder = recorder;
	if (!Prepare(studio, recorder, &error))
	{
		if (error.text[0])
			drapeMessages_Add(&studio->messages, message_error, "%s", error.text);
		drapeRecorder_Stop(studio, false);
		return;
	}
	drapeRunner_SetLockstep(studio->runner, true);
	if (recorder->waiting)
		drapeRunner_Reset(studio->runner);
	else
		drapeRunner_Play(studio->runner, true);
	recorder->serial = recorder->waiting ? studio->frame->serial : 0;
}

void drapeRecorder_Stop(Studio* studio, bool whole)
{
	Recorder* recorder = studio->recorder;
	drapeMessage error = {0};
	if (!recorder)
		return;
	bool good = whole && recorder->done > 0;
	if (drapeDestroyFilm(recorder->film, good, &error) != drape_ok && good)
	{
		drapeMessages_Add(&studio->messages, message_error, "%s", error.text);
		good = false;
	}
	if (good)
		drapeMessages_Add(&studio->messages, message_note, "Recorded %u frames: %s", recorder->done,
		                  recorder->def.path);
	free(recorder->pixels);
	free(recorder);
	studio->recorder = NULL;
	drapeRunner_Play(studio->runner, false);
	drapeRunner_SetLockstep(studio->runner, false);
}

void drapeRecorder_Update(Studio* studio)
{
	Recorder* recorder = studio->recorder;
	drapeMessage error = {0};
	if (!recorder || studio->frame->serial == recorder->serial)
		return;
	if (recorder->waiting && studio->frame->index != 0)
		return;
	recorder->serial = studio->frame->serial;
	if (TakeFrame(studio, recorder, &error) != drape_ok)
	{
		drapeMessages_Add(&studio->messages, message_error, "Recording ended: %s", error.text);
		drapeRecorder_Stop(studio, false);
		return;
	}
	recorder->done++;
	if (recorder->waiting)
		drapeRunner_Play(studio->runner, true);
	recorder->waiting = false;
	if (recorder->done == recorder->def.frames)
		drapeRecorder_Stop(studio, true);
	else if (!drapeRunner_IsPlaying(studio->runner))
		drapeRecorder_Stop(studio, true); // a step failed; the user has a message
}

bool drapeRecorder_Progress(const Studio* studio, uint32_t* done, uint32_t* all)
{
	if (!studio->recorder)
		return false;
	*done = studio->recorder->done;
	*all = studio->recorder->def.frames;
	return true;
}

// --- stills ---

// A free path NAME-0001.png in the folder of the scene, or in the working folder.
void drapeRecorder_Still(Studio* studio)
{
	char base[document_pathCapacity], path[document_pathCapacity + 32];
	drapeMessage error = {0};
	snprintf(base, sizeof base, "%s", studio->document.path[0] ? studio->document.path : "untitled.json");
	char *dot = strrchr(base, '.'), *slash = strrchr(base, '/');
	if (dot && (!slash || dot > slash))
		*dot = 0;
	for (unsigned number = 1; number < 10000; ++number)
	{
		snprintf(path, sizeof path, "%s-%04u.png", base, number);
		if (access(path, F_OK) != 0)
			break;
	}
	uint32_t width = 1280, height = 720;
	uint8_t* pixels = malloc(3 * (size_t)width * height);
	drapePicture picture = drapePicture_Make(studio, studio->frame, width, height);
	picture.samples = 4;
	drapeResult result = pixels ? drapeRenderer_Draw(studio->renderer, &picture, &error) : drape_errorMemory;
	if (result == drape_ok)
		result = drapeRenderer_Read(studio->renderer, pixels, &error);
	if (result == drape_ok)
		result = drapePng_Write(path, pixels, width, height, &error);
	free(pixels);
	studio->drawnKey = 0; // the renderer holds this picture now
	drapeMessages_Add(&studio->messages, result == drape_ok ? message_note : message_error, "%s%s",
	                  result == drape_ok ? "Picture: " : "", result == drape_ok ? path : error.text);
}
