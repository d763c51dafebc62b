// SPDX-License-Identifier: MIT
#include "render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct RenderOptions
{
	const char *source, *output, *scene;
	CliList set;
	const char *size, *camera, *frames, *colour, *texturePosition, *image;
	int view, fabric, texture; // -1: not given
	uint32_t frame, threads, samples;
	float textureSize; // 0: not given
	bool noShadows, json;
} RenderOptions;

typedef struct RenderJob
{
	const RenderOptions* options;
	RenderSource source;
	RenderRecord record;
	RenderObjects objects;
	drapeDrawnMesh* meshes; // meshes of the picture: colliders, then objects
	RenderOutput output;
	drapeOffscreen* offscreen;
	drapeRenderer* renderer;
	drapePicture picture;
	uint8_t* pixels;
	uint32_t first, last; // indices of frames
	uint32_t done;
	drapeBounds* subjects;   // [last - first + 1] the content that the automatic camera shows
	drapeCamera* path;       // [last - first + 1] the automatic camera
	bool hasCamera, stopped; // an option gave the camera; a signal ended the work
	drapeVec3 front, back;   // from --colour
	bool hasColour, hasBack;
	drapeVec2 texturePosition;
	double began, seconds; // s; `seconds` counts only drawing
	CliExit exit;
	drapeMessage error;
	char outputPath[RUN_PATH];
} RenderJob;

// --- options ---

// Reads "1,2,3" into `values`: exactly `count` numbers.
static bool ParseFloats(const char* text, float* values, int count)
{
	for (int i = 0; i < count; ++i)
	{
		char* end;
		values[i] = strtof(text, &end);
		if (end == text || !isfinite(values[i]) || *end != (i == count - 1 ? 0 : ','))
			return false;
		text = end + 1;
	}
	return true;
}

static bool ParseSize(const char* text, uint32_t* width, uint32_t* height)
{
	unsigned w, h;
	int length = 0;
	if (sscanf(text, "%5ux%5u%n", &w, &h, &length) != 2 || text[length] != 0)
		return false;
	*width = w;
	*height = h;
	return w >= 16 && h >= 16 && w <= DRAPE_MAX_PICTURE && h <= DRAPE_MAX_PICTURE;
}

// "#c8553d" or "#c8553d,#e0c8a0": front and back.
static bool ParseColour(const char* text, drapeVec3* front, drapeVec3* back, bool* hasBack)
{
	unsigned c[6];
	int length = 0;
	*hasBack = sscanf(text, "#%2x%2x%2x,#%2x%2x%2x%n", &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &length) == 6;
	if (!*hasBack && sscanf(text, "#%2x%2x%2x%n", &c[0], &c[1], &c[2], &length) != 3)
		return false;
	*front = (drapeVec3){(float)c[0] / 255.0f, (float)c[1] / 255.0f, (float)c[2] / 255.0f};
	if (*hasBack)
		*back = (drapeVec3){(float)c[3] / 255.0f, (float)c[4] / 255.0f, (float)c[5] / 255.0f};
	return length > 0 && text[length] == 0;
}

static CliExit ParseOptions(RenderJob* job)
{
	const RenderOptions* o = job->options;
	float camera[6], position[2] = {0.0f, 0.0f};
	bool still = job->output.kind == render_outputStill;
	if (o->size && !ParseSize(o->size, &job->picture.width, &job->picture.height))
		Cli_Error("--size cannot be '%s'; expected WIDTHxHEIGHT, each 16 to %d", o->size, DRAPE_MAX_PICTURE);
	else if (job->output.kind == render_outputFilm && (job->picture.width % 2 || job->picture.height % 2))
		Cli_Error("--size cannot be '%s'; a film needs even numbers", o->size);
	else if (o->camera && !ParseFloats(o->camera, camera, 6))
		Cli_Error("--camera cannot be '%s'; expected six numbers: its position and its target", o->camera);
	else if (o->colour && !ParseColour(o->colour, &job->front, &job->back, &job->hasBack))
		Cli_Error("--colour cannot be '%s'; expected #rrggbb, or two of them with a comma", o->colour);
	else if (o->texturePosition && !ParseFloats(o->texturePosition, position, 2))
		Cli_Error("--texture-position cannot be '%s'; expected two numbers in metres", o->texturePosition);
	else if (o->threads > DRAPE_MAX_WORKERS)
		Cli_Error("--threads cannot be %u; expected 1 to %d", o->threads, DRAPE_MAX_WORKERS);
	else if (o->samples != 1 && o->samples != 2 && o->samples != 4 && o->samples != 8)
		Cli_Error("--samples cannot be %u; expected 1, 2, 4 or 8", o->samples);
	else if (o->frame != UINT32_MAX && !still)
		Cli_Error("--frame needs a .png file; --frames selects several");
	else if (o->frames && still)
		Cli_Error("--frames needs a film or a folder; --frame selects one");
	else
	{
		job->hasCamera = o->camera != NULL;
		job->hasColour = o->colour != NULL;
		job->texturePosition = (drapeVec2){position[0], position[1]};
		if (o->camera)
		{
			job->picture.camera.eye = (drapeVec3){camera[0], camera[1], camera[2]};
			job->picture.camera.target = (drapeVec3){camera[3], camera[4], camera[5]};
		}
		return cli_exitDone;
	}
	return cli_exitUsage;
}

// Options use the frame numbers of files.
static CliExit ChooseFrames(RenderJob* job)
{
	const RenderOptions* o = job->options;
	uint32_t low = job->source.firstFrame, high = low + job->source.frameCount - 1;
	uint32_t first = low, last = high;
	if (job->output.kind == render_outputStill)
		first = last = o->frame != UINT32_MAX ? o->frame : high;
	unsigned a, b;
	int length = 0;
	if (o->frames)
	{
		if (sscanf(o->frames, "%9u-%9u%n", &a, &b, &length) == 2 && o->frames[length] == 0 && a <= b)
			first = a, last = b;
		else
		{
			Cli_Error("--frames cannot be '%s'; expected two numbers such as %u-%u", o->frames, low, high);
			return cli_exitUsage;
		}
	}
	if (first < low || last > high)
	{
		Cli_Error("%s has the frames %u to %u", o->source, low, high);
		return cli_exitUsage;
	}
	job->first = first - low;
	job->last = last - low;
	return cli_exitDone;
}

// Options take precedence over the scene.
static void SetLooks(RenderJob* job)
{
	const RenderOptions* o = job->options;
	const drapeSceneCamera* camera = job->source.scene ? &job->source.scene->camera : NULL;
	if (camera && camera->given && !job->hasCamera && job->picture.view != drape_viewHierarchy)
	{
		job->picture.camera = (drapeCamera){camera->position, camera->target, camera->fieldOfView};
		job->hasCamera = true;
	}
	for (uint32_t i = 0; i < job->source.clothCount; ++i)
	{
		drapeLook* look = &job->source.cloths[i].look;
		if (o->fabric >= 0)
			look->fabric = (drapeFabricLook)o->fabric;
		if (o->texture >= 0)
			look->texture = (drapeTexture)o->texture;
		if (o->textureSize > 0.0f)
			look->textureSize = o->textureSize;
		if (job->hasColour)
			look->front = job->front;
		if (job->hasBack)
			look->back = job->back;
		if (o->texturePosition)
			look->texturePosition = job->texturePosition;
	}
}

static drapeResult AddImage(RenderJob* job, const char* path, uint32_t* image)
{
	uint8_t* pixels;
	uint32_t width, height;
	drapeMessage trouble = {0};
	drapeResult result = drapePng_Read(path, &pixels, &width, &height, &trouble);
	if (result != drape_ok)
	{
		job->exit = Cli_ExitFor(result);
		return Run_Fail(&job->error, result, "%s", trouble.text);
	}
	result = drapeRenderer_AddImage(job->renderer, pixels, width, height, image, &trouble);
	drapeFree(pixels, 3 * (size_t)width * height);
	return result == drape_ok ? drape_ok : Run_Fail(&job->error, result, "%s: cannot be drawn", path);
}

static drapeResult AddSceneImage(RenderJob* job, uint32_t cloth)
{
	const drapeSceneCloth* of = RenderSource_Cloth(&job->source, cloth);
	if (!of || of->look.image[0] == 0)
		return drape_ok;
	const drapeScene* scene = job->source.scene;
	char path[RUN_PATH];
	snprintf(path, sizeof path, "%s%s", of->look.image[0] == '/' ? "" : scene->folder, of->look.image);
	drapeResult result = AddImage(job, path, &job->source.cloths[cloth].look.image);
	if (result == drape_ok)
		return drape_ok;
	drapeMessage cause = job->error;
	job->error.line = of->look.place.line;
	return Run_Fail(&job->error, result, "%s:%u:%u: image of cloth \"%s\": %.400s", scene->path, of->look.place.line,
	                of->look.place.column, of->name, cause.text);
}

static drapeResult AddImages(RenderJob* job)
{
	const RenderOptions* o = job->options;
	drapeResult result = drape_ok;
	uint32_t image = 0;
	if (o->image)
		result = AddImage(job, o->image, &image);
	for (uint32_t i = 0; result == drape_ok && i < job->source.clothCount; ++i)
	{
		if (image > 0)
			job->source.cloths[i].look.image = image;
		else if (o->texture < 0 && !o->colour)
			result = AddSceneImage(job, i);
	}
	return result;
}

// --- frames ---

static void ShowSource(RenderJob* job)
{
	job->picture.cloths = job->source.cloths;
	job->picture.clothCount = job->source.clothCount;
	job->picture.shapes = job->source.shapes;
	job->picture.shapeCount = job->source.shapeCount;
}

static drapeResult ShowObjects(RenderJob* job, uint32_t index)
{
	double time = (double)index / (double)job->source.frameRate;
	drapeResult result = RenderObjects_Show(&job->objects, job->source.scene, time, &job->error);
	if (result != drape_ok)
		return result;
	uint32_t colliders = job->source.meshCount, objects = job->objects.count;
	drapeDrawnMesh* meshes = realloc(job->meshes, (colliders + objects + 1) * sizeof *meshes);
	if (!meshes)
		return drape_errorMemory;
	if (colliders > 0)
		memcpy(meshes, job->source.meshes, colliders * sizeof *meshes);
	if (objects > 0)
		memcpy(meshes + colliders, job->objects.meshes, objects * sizeof *meshes);
	job->picture.meshes = job->meshes = meshes;
	job->picture.meshCount = colliders + objects;
	return drape_ok;
}

// The camera does not follow cloth that falls out of the scene: the limit is three times the start size.
static drapeBounds Limit(drapeBounds bounds, drapeBounds start)
{
	const float reach = 1.5f;
	drapeVec3 size = {start.max.x - start.min.x, start.max.y - start.min.y, start.max.z - start.min.z};
	float most = reach * fmaxf(size.x, fmaxf(size.y, size.z));
	bounds.min = (drapeVec3){fmaxf(bounds.min.x, start.min.x - most), fmaxf(bounds.min.y, start.min.y - most),
	                         fmaxf(bounds.min.z, start.min.z - most)};
	bounds.max = (drapeVec3){fminf(bounds.max.x, start.max.x + most), fminf(bounds.max.y, start.max.y + most),
	                         fminf(bounds.max.z, start.max.z + most)};
	return bounds;
}

// Visits all frames before it draws any, because the camera knows them all and the ground lies below all frames. It
// keeps the frames of a scene in memory, so that the scene runs once. Files are read again.
static drapeResult VisitFrames(RenderJob* job, drapeBounds* bounds)
{
	drapeBounds start = drapeBounds_Empty();
	drapeResult result = drape_ok;
	uint32_t total = job->last - job->first + 1;
	bool record = !job->source.isFolder && total > 1;
	RunProgress progress = RunProgress_Begin(0, total);
	progress.what = "frames run";
	if (record)
		RenderRecord_Begin(&job->record, total);
	for (uint32_t i = job->first; result == drape_ok && !Cli_StopAsked() && i <= job->last; ++i)
	{
		result = RenderSource_Go(&job->source, i, &job->error);
		if (result == drape_ok)
			result = ShowObjects(job, i);
		if (result != drape_ok)
			break;
		ShowSource(job);
		if (record)
		{
			RenderRecord_Add(&job->record, &job->picture);
			RunProgress_Update(&progress, i - job->first + 1, RenderSource_Triangles(&job->source));
		}
		drapeBounds now = drapePicture_GetBounds(&job->picture);
		if (i == job->first)
			start = now;
		*bounds = drapeBounds_Union(*bounds, Limit(now, start));
		if (!job->hasCamera)
			job->subjects[i - job->first] = drapePicture_GetSubject(&job->picture);
	}
	RunProgress_End(&progress);
	return result;
}

static drapeResult FrameScene(RenderJob* job)
{
	drapePicture* picture = &job->picture;
	uint32_t total = job->last - job->first + 1;
	drapeBounds bounds = drapeBounds_Empty();
	job->subjects = malloc(total * sizeof *job->subjects);
	job->path = malloc(total * sizeof *job->path);
	if (!job->subjects || !job->path)
		return drape_errorMemory;
	for (uint32_t i = 0; i < total; ++i)
		job->subjects[i] = drapeBounds_Empty();
	drapeResult result = VisitFrames(job, &bounds);
	picture->bounds = bounds;
	picture->ground = true;
	picture->groundHeight = job->source.hasFloor ? job->source.floorHeight : bounds.min.y - 0.002f;
	if (!job->hasCamera)
		RenderPath_Make(job->path, job->subjects, total, job->source.frameRate,
		                (float)picture->width / (float)picture->height);
	return result;
}

static drapeResult DrawFrame(RenderJob* job, uint32_t index)
{
	drapeResult result = ShowObjects(job, index);
	if (result != drape_ok)
		return result;
	if (!RenderRecord_Show(&job->record, index - job->first, &job->picture))
	{
		result = RenderSource_Go(&job->source, index, &job->error);
		if (result != drape_ok)
			return result;
		ShowSource(job);
	}
	if (!job->hasCamera)
		job->picture.camera = job->path[index - job->first];
	drapeMessage trouble = {0};
	double began = Cli_Seconds();
	result = drapeRenderer_Draw(job->renderer, &job->picture, &trouble);
	if (result == drape_ok)
		result = drapeRenderer_Read(job->renderer, job->pixels, &trouble);
	job->seconds += Cli_Seconds() - began;
	if (result != drape_ok)
		return Run_Fail(&job->error, result, "%s: %s", job->options->source,
		                trouble.text[0] ? trouble.text : drapeResult_GetText(result));
	result = RenderOutput_Add(&job->output, job->pixels, job->source.firstFrame + index, &job->error);
	job->done += result == drape_ok;
	return result;
}

static uint32_t ShownTriangles(const drapePicture* picture)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < picture->clothCount; ++i)
		count += picture->cloths[i].mesh.triangleCount;
	return count;
}

static drapeResult DrawFrames(RenderJob* job)
{
	uint32_t total = job->last - job->first + 1;
	drapeResult result = drape_ok;
	RunProgress progress = RunProgress_Begin(0, total);
	progress.what = "frames drawn";
	for (uint32_t i = job->first; result == drape_ok && !Cli_StopAsked() && i <= job->last; ++i)
	{
		result = DrawFrame(job, i);
		if (total > 1)
			RunProgress_Update(&progress, i - job->first + 1, ShownTriangles(&job->picture));
	}
	RunProgress_End(&progress);
	job->stopped = result == drape_ok && job->done < total;
	return result;
}

// --- beginning and end ---

static drapeResult OpenRenderer(RenderJob* job)
{
	drapeMessage trouble = {0};
	if (drapeCreateOffscreen(&job->offscreen, &trouble) == drape_ok)
		drapeCreateRenderer(&job->renderer, &trouble);
	job->pixels = malloc(3 * (size_t)job->picture.width * job->picture.height);
	if (!job->renderer)
		return Run_Fail(&job->error, drape_errorFile, "%s", trouble.text);
	return job->pixels ? drape_ok : drape_errorMemory;
}

// Refuses a view without the data that it needs, before it writes anything.
static drapeResult CheckView(RenderJob* job)
{
	drapeResult result = RenderSource_Go(&job->source, job->first, &job->error);
	if (result != drape_ok)
		return result;
	ShowSource(job);
	drapeMessage wrong = {0};
	if (drapePicture_Check(&job->picture, &wrong) == drape_ok)
		return drape_ok;
	job->exit = cli_exitInput;
	return Run_Fail(&job->error, drape_errorData, "%s: %s", job->options->source, wrong.text);
}

static drapeResult Render(RenderJob* job)
{
	SetLooks(job);
	drapeResult result = CheckView(job);
	if (result == drape_ok)
		result = OpenRenderer(job);
	if (result == drape_ok)
		result = AddImages(job);
	// Start ffmpeg first, so that a missing ffmpeg is reported before a long run.
	if (result == drape_ok)
		result = RenderOutput_Open(&job->output, &job->error);
	if (result != drape_ok)
		return result;
	Cli_CatchSignals();
	result = FrameScene(job);
	if (result == drape_ok)
		result = DrawFrames(job);
	drapeMessage ignored;
	drapeResult closed = RenderOutput_Close(&job->output, result == drape_ok && !job->stopped,
	                                        result == drape_ok ? &job->error : &ignored);
	return result == drape_ok ? closed : result;
}

static json_t* RenderJson(const RenderJob* job, drapeResult result)
{
	json_t* object = json_object();
	json_object_set_new(object, "source", Cli_JsonText(job->options->source));
	json_object_set_new(object, "done", json_boolean(result == drape_ok && !job->stopped));
	json_object_set_new(object, "output", Cli_JsonText(job->outputPath));
	json_object_set_new(object, "view", json_string(drapeRenderView_GetName(job->picture.view)));
	json_object_set_new(object, "width", json_integer(job->picture.width));
	json_object_set_new(object, "height", json_integer(job->picture.height));
	json_object_set_new(object, "frames", json_integer(job->done));
	json_object_set_new(object, "steps", json_integer(job->source.steps));
	json_object_set_new(object, "seconds", Cli_JsonNumber(Cli_Seconds() - job->began));
	json_object_set_new(object, "drawingSeconds", Cli_JsonNumber(job->seconds));
	if (job->offscreen)
		json_object_set_new(object, "renderer", Cli_JsonText(drapeOffscreen_GetName(job->offscreen)));
	if (result != drape_ok)
		json_object_set_new(object, "error",
		                    json_pack("{s:o, s:o}", "line",
		                              job->error.line > 0 ? json_integer(job->error.line) : json_null(), "text",
		                              Cli_JsonText(job->error.text)));
	return object;
}

// Reports the result after a signal ended the work.
static void SayStopped(const RenderJob* job)
{
	if (job->output.kind == render_outputFolder && job->done > 0)
		Cli_Error("stopped behind frame %u; %s has %u whole pictures of %u",
		          job->source.firstFrame + job->first + job->done - 1, job->outputPath, job->done,
		          job->last - job->first + 1);
	else
		Cli_Error("stopped; %s was not written", job->outputPath);
}

static CliExit Finish(RenderJob* job, drapeResult result)
{
	if (result != drape_ok)
	{
		if (job->error.text[0] == 0)
			Run_Fail(&job->error, result, "%s: %s", job->options->source, drapeResult_GetText(result));
		Cli_Error("%s", job->error.text);
	}
	else if (job->stopped)
		SayStopped(job);
	bool printed = true;
	if (job->options->json)
		printed = Cli_PrintJson(RenderJson(job, result));
	else if (result == drape_ok && !job->stopped)
		printf("%s: %u picture%s of %ux%u, %.1f s\n", job->outputPath, job->done, job->done == 1 ? "" : "s",
		       job->picture.width, job->picture.height, Cli_Seconds() - job->began);
	if (!printed || job->stopped)
		return cli_exitFailed;
	return result == drape_ok ? cli_exitDone : job->exit != cli_exitDone ? job->exit : cli_exitFailed;
}

static CliExit RunJob(RenderJob* job)
{
	const RenderOptions* o = job->options;
	drapeResult result = RenderSource_Open(&job->source, o->source, o->scene, &o->set, o->threads, &job->error);
	if (result == drape_ok)
		result = ShowObjects(job, 0);
	if (result != drape_ok)
	{
		job->exit = result == drape_errorArgument ? cli_exitUsage : Cli_ExitFor(result);
		return Finish(job, result);
	}
	CliExit usage = ChooseFrames(job);
	if (usage != cli_exitDone)
		return usage;
	job->output.path = job->outputPath;
	job->output.width = job->picture.width;
	job->output.height = job->picture.height;
	job->output.frameRate = job->source.frameRate;
	return Finish(job, Render(job));
}

static void FreeJob(RenderJob* job)
{
	drapeDestroyRenderer(job->renderer);
	drapeDestroyOffscreen(job->offscreen);
	free(job->pixels);
	RenderRecord_Free(&job->record);
	RenderObjects_Free(&job->objects);
	free(job->meshes);
	free(job->subjects);
	free(job->path);
	RenderSource_Close(&job->source);
	free(job);
}

static void DefaultPath(const char* source, char* path, size_t capacity)
{
	char name[256];
	size_t length = strlen(source);
	while (length > 1 && source[length - 1] == '/')
		--length;
	size_t begin = length;
	while (begin > 0 && source[begin - 1] != '/')
		--begin;
	snprintf(name, sizeof name, "%.*s", (int)(length - begin), source + begin);
	char* dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = 0;
	snprintf(path, capacity, "out/%s.png", name);
}

static CliExit StartJob(const RenderOptions* options)
{
	RenderJob* job = calloc(1, sizeof *job);
	if (!job)
	{
		Cli_Error("out of memory");
		return cli_exitFailed;
	}
	job->options = options;
	job->began = Cli_Seconds();
	job->picture = drapeDefaultPicture();
	job->picture.view = (drapeRenderView)options->view;
	job->picture.shadows = !options->noShadows;
	job->picture.samples = options->samples;
	if (options->output)
		snprintf(job->outputPath, sizeof job->outputPath, "%s", options->output);
	else
		DefaultPath(options->source, job->outputPath, sizeof job->outputPath);
	CliExit code = cli_exitUsage;
	if (options->output && strlen(options->output) > RUN_PATH / 2)
		Cli_Error("-o is longer than a path can be");
	else if (!RenderOutput_Kind(job->outputPath, &job->output.kind))
		Cli_Error("'%s' cannot be written; a picture ends with .png, a film with .mp4, .mov or .mkv", job->outputPath);
	else
		code = ParseOptions(job);
	if (code == cli_exitDone)
		code = RunJob(job);
	FreeJob(job);
	return code;
}

CliExit Render_Run(int argc, char** argv)
{
	RenderOptions options = {.view = drape_viewShaded, .fabric = -1, .texture = -1, .frame = UINT32_MAX, .samples = 4};
	const CliOption table[] = {
		{"-o", cli_optionText, "PATH", "film.mp4, still.png, or a folder for PNG files; default out/NAME.png",
	     &options.output},
		{"--size", cli_optionText, "WxH", "in pixels; default 1280x720", &options.size},
		{"--view", cli_optionChoice,
	     "shaded|wireframe|levels|vertices|hierarchy|curvature|strain|contacts|springs|velocity", "quantity to show",
	     &options.view},
		{"--camera", cli_optionText, "X,Y,Z,X,Y,Z", "position and target; default the scene's, or a view of everything",
	     &options.camera},
		{"--frames", cli_optionText, "A-B", "for films and folders: from frame A to B", &options.frames},
		{"--frame", cli_optionWhole, "N", "frame of a still; default the last", &options.frame},
		{"--fabric", cli_optionChoice, "cotton|silk|denim|wool",
	     "look of the fabric; default that of the scene or the material", &options.fabric},
		{"--colour", cli_optionText, "#RRGGBB", "of the front; a second one, behind a comma, is that of the back",
	     &options.colour},
		{"--texture", cli_optionChoice, "plain|checker|stripes|tartan", "woven into the cloth", &options.texture},
		{"--image", cli_optionText, "FILE.png", "printed on the cloth, in place of colours and texture",
	     &options.image},
		{"--texture-size", cli_optionPositive, "M", "width of one repeat, in metres", &options.textureSize},
		{"--texture-position", cli_optionText, "U,V", "material coordinates at which a repeat begins, in metres",
	     &options.texturePosition},
		{"--samples", cli_optionWhole, "N", "per pixel: 2, 4 or 8; 1 smooths edges instead, which is faster; default 4",
	     &options.samples},
		{"--no-shadows", cli_optionFlag, NULL, "faster", &options.noShadows},
		{"--scene", cli_optionText, "SCENE", "for a folder: the scene with its colliders", &options.scene},
		{"--set", cli_optionList, "KEY=VALUE", SCENE_SET_HELP, &options.set},
		{"--threads", cli_optionWhole, "N", "threads of the simulation", &options.threads},
		{"--json", cli_optionFlag, NULL, "print one JSON object", &options.json},
	};
	const CliUsage usage = {
		.synopsis = "drape render SCENE|DIR [options]",
		.summary = "Runs and draws a scene, or draws the OBJ files of `drape run` in a folder.\n"
				   "Needs no display. docs/rendering.md explains the views.",
		.options = table,
		.optionCount = (int)(sizeof table / sizeof table[0]),
		.operands = &options.source,
		.operandCount = 1,
	};
	CliParse parsed = Cli_Parse(&usage, argc, argv);
	if (parsed != cli_parseRun)
		return parsed == cli_parseHelp ? cli_exitDone : cli_exitUsage;
	return StartJob(&options);
}
