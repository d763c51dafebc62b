// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// `--probe FILE` writes the positions of controls and the state of the studio. Tests read it, so that they can use
// mouse and keyboard as a person does. The studio takes no commands from it.

enum
{
	probeVertices = 400
};

static void PrintText(FILE* file, const char* key, const char* text)
{
	fprintf(file, "\"%s\": \"", key);
	for (; *text; ++text)
	{
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		fputc((unsigned char)*text < 32 ? ' ' : *text, file);
	}
	fputs("\",\n", file);
}

static void PrintCloth(const Studio* studio, FILE* file, const FrameCloth* cloth)
{
	uint32_t pinned = 0;
	for (uint32_t i = 0; i < cloth->pattern.mesh.vertexCount; ++i)
		pinned += cloth->view.positions[i].w == 0.0f;
	fprintf(file, "{\"name\": \"%s\", \"triangles\": %u, \"pinned\": %u, \"vertices\": [", cloth->name,
	        cloth->view.triangleCount, pinned);
	for (uint32_t i = 0; i < cloth->pattern.mesh.vertexCount && i < probeVertices; ++i)
	{
		UiPoint p = {-1, -1};
		drapeVec3 at = V3_From4(cloth->view.positions[i]);
		drapeLens_Project(&studio->lens, at, &p);
		fprintf(file, "%s[%.1f, %.1f, %.6f, %.6f, %.6f]", i ? ", " : "", (double)p.x, (double)p.y, (double)at.x,
		        (double)at.y, (double)at.z);
	}
	fputs("]}", file);
}

static void PrintItems(FILE* file)
{
	fputs("\"items\": {", file);
	for (int i = 0; i < drapeUi_RecordCount(); ++i)
	{
		const UiRecord* r = drapeUi_Record(i);
		fprintf(file, "%s\n  \"", i ? "," : "");
		for (const char* s = r->name; *s; ++s)
			fputc(*s == '"' || *s == '\\' || (unsigned char)*s < 32 ? '?' : *s, file);
		fprintf(file, "\": [%.1f, %.1f, %.1f, %.1f]", (double)r->rect.x, (double)r->rect.y, (double)r->rect.width,
		        (double)r->rect.height);
	}
	fputs("}\n", file);
}

static void PrintState(Studio* studio, FILE* file)
{
	const drapeScene* scene = studio->document.scene;
	const Frame* frame = studio->frame;
	const Messages* messages = &studio->messages;
	uint32_t done = 0, all = 0;
	drapeRecorder_Progress(studio, &done, &all);
	fprintf(file, "\"frame\": %u, \"time\": %.6f, \"serial\": %llu, \"hash\": \"%016llx\",\n", frame->index,
	        frame->time, (unsigned long long)frame->serial, (unsigned long long)frame->hash);
	bool settled = !studio->change && studio->sentRevision == studio->document.revision &&
	               frame->scene == studio->sentScene && !drapeRunner_IsBusy(studio->runner);
	fprintf(file, "\"playing\": %s, \"settled\": %s, \"unsaved\": %s, \"modal\": %s, \"recording\": %s,\n",
	        studio->playing ? "true" : "false", settled ? "true" : "false",
	        drapeDocument_IsUnsaved(&studio->document) ? "true" : "false", drapeUi_HasModal() ? "true" : "false",
	        studio->recorder ? "true" : "false");
	fprintf(file, "\"cloths\": %u, \"colliders\": %u, \"objects\": %u, \"step\": %u, \"steps\": %u,\n",
	        scene->clothCount, scene->colliderCount, scene->objectCount, studio->document.step,
	        studio->document.stepCount);
	fprintf(file,
	        "\"selection\": [%d, %u], \"tool\": %d, \"view\": %d, \"errors\": %u, \"fps\": %.2f, \"drawn\": %llu,\n",
	        (int)studio->selection.kind, studio->selection.index, (int)studio->tool, (int)studio->view,
	        messages->errors, studio->fps, (unsigned long long)studio->drawn);
	fprintf(file, "\"picture\": [%.0f, %.0f, %.0f, %.0f],\n", (double)studio->picture.x, (double)studio->picture.y,
	        (double)studio->picture.width, (double)studio->picture.height);
	PrintText(file, "path", studio->document.path);
	PrintText(file, "message", messages->count > 0 ? messages->list[messages->count - 1].text : "");
}

void drapeProbe_Write(Studio* studio)
{
	char path[document_pathCapacity];
	snprintf(path, sizeof path, "%s.tmp", studio->probe);
	FILE* file = fopen(path, "w");
	if (!file)
		return;
	fputs("{", file);
	PrintState(studio, file);
	UiPoint centre = {-1, -1};
	drapeScenePose* pose = drapeScene_ItemPose(studio->document.scene, studio->selection);
	if (pose)
		drapeLens_Project(&studio->lens, pose->position, &centre);
	fprintf(file, "\"centre\": [%.1f, %.1f],\n\"cloth\": [", (double)centre.x, (double)centre.y);
	for (uint32_t i = 0; i < studio->frame->clothCount; ++i)
	{
		if (i > 0)
			fputs(",\n", file);
		PrintCloth(studio, file, &studio->frame->cloths[i]);
	}
	fputs("],\n", file);
	PrintItems(file);
	fputs("}\n", file);
	if (fclose(file) == 0)
		rename(path, studio->probe);
}
