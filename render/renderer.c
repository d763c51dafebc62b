// SPDX-License-Identifier: MIT
#include "gl.h"

#include <string.h>

typedef struct PixelBox
{
	GLint x, y, width, height;
} PixelBox;

struct drapeRenderer
{
	Program programs[program_count][shadow_count]; // programs without variants use only shadow_none
	Target target;
	GLuint vertexArray, vertexBuffer, indexBuffer, frameBuffer;
	GLuint images[DRAPE_MAX_IMAGES];
	uint32_t imageCount;
	Geometry geometry;
	FrameBlock frame;
};

// --- beginning and end ---

static void CreateBuffers(drapeRenderer* renderer)
{
	glGenVertexArrays(1, &renderer->vertexArray);
	glGenBuffers(1, &renderer->vertexBuffer);
	glGenBuffers(1, &renderer->indexBuffer);
	glGenBuffers(1, &renderer->frameBuffer);
	glBindVertexArray(renderer->vertexArray);
	glBindBuffer(GL_ARRAY_BUFFER, renderer->vertexBuffer);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, renderer->indexBuffer);
	static const struct
	{
		GLint size;
		GLenum type;
		size_t offset;
	} attributes[4] = {{3, GL_FLOAT, offsetof(Vertex, position)},
	                   {3, GL_FLOAT, offsetof(Vertex, normal)},
	                   {2, GL_FLOAT, offsetof(Vertex, material)},
	                   {4, GL_UNSIGNED_BYTE, offsetof(Vertex, colour)}};
	for (GLuint i = 0; i < 4; ++i)
	{
		glEnableVertexAttribArray(i);
		glVertexAttribPointer(i, attributes[i].size, attributes[i].type, attributes[i].type != GL_FLOAT, sizeof(Vertex),
		                      (const void*)attributes[i].offset);
	}
}

static drapeResult CreatePrograms(drapeRenderer* renderer, drapeMessage* error)
{
	drapeResult result = drape_ok;
	for (int kind = 0; kind < program_count; ++kind)
		for (int shadows = 0; result == drape_ok && shadows < (drapeShaderSources[kind].shadows ? shadow_count : 1);
		     ++shadows)
			result =
				drapeProgram_Create(&renderer->programs[kind][shadows], (ProgramKind)kind, (ShadowKind)shadows, error);
	return result;
}

drapeResult drapeCreateRenderer(drapeRenderer** created, drapeMessage* error)
{
	if (!created)
		return drapeRender_Fail(error, drape_errorArgument, "renderer is NULL");
	*created = NULL;
	if (epoxy_gl_version() < 33)
		return drapeRender_Fail(error, drape_errorLimit, "OpenGL 3.3 is needed; this is %d.%d", epoxy_gl_version() / 10,
		                        epoxy_gl_version() % 10);
	drapeRenderer* renderer = drapeAlloc(sizeof *renderer);
	if (!renderer)
		return drapeRender_Fail(error, drape_errorMemory, "out of memory");
	memset(renderer, 0, sizeof *renderer);
	CreateBuffers(renderer);
	drapeResult result = drapeTarget_Create(&renderer->target, error);
	if (result == drape_ok)
		result = CreatePrograms(renderer, error);
	if (result != drape_ok)
	{
		drapeDestroyRenderer(renderer);
		return result;
	}
	*created = renderer;
	return drape_ok;
}

void drapeDestroyRenderer(drapeRenderer* renderer)
{
	if (!renderer)
		return;
	for (int kind = 0; kind < program_count; ++kind)
		for (int shadows = 0; shadows < shadow_count; ++shadows)
			drapeProgram_Destroy(&renderer->programs[kind][shadows]);
	drapeTarget_Destroy(&renderer->target);
	const GLuint buffers[3] = {renderer->vertexBuffer, renderer->indexBuffer, renderer->frameBuffer};
	glDeleteBuffers(3, buffers);
	glDeleteTextures((GLsizei)renderer->imageCount, renderer->images);
	glDeleteVertexArrays(1, &renderer->vertexArray);
	drapeGeometry_Free(&renderer->geometry);
	drapeFree(renderer, sizeof *renderer);
}

drapeResult drapeRenderer_AddImage(drapeRenderer* renderer, const uint8_t* pixels, uint32_t width, uint32_t height,
                                   uint32_t* image, drapeMessage* error)
{
	const void* const pointers[] = {renderer, pixels, image};
	drapeResult result = drapeRender_CheckPointers(error, "renderer|pixels|image", pointers);
	if (image)
		*image = 0;
	if (result == drape_ok)
		result = drapeRender_CheckSize(width, height, error);
	if (result != drape_ok)
		return result;
	if (renderer->imageCount == DRAPE_MAX_IMAGES)
		return drapeRender_Fail(error, drape_errorLimit, "there are %d images already, expected fewer",
		                        DRAPE_MAX_IMAGES);
	GLuint* name = &renderer->images[renderer->imageCount];
	glGenTextures(1, name);
	glActiveTexture(GL_TEXTURE2);
	glBindTexture(GL_TEXTURE_2D, *name);
	glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, (GLsizei)width, (GLsizei)height, 0, GL_RGB, GL_UNSIGNED_BYTE, pixels);
	glGenerateMipmap(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
	glActiveTexture(GL_TEXTURE0);
	if (glGetError() != GL_NO_ERROR)
	{
		glDeleteTextures(1, name);
		return drapeRender_Fail(error, drape_errorMemory, "out of memory");
	}
	*image = ++renderer->imageCount;
	return drape_ok;
}

// --- light and camera ---

typedef struct Stage
{
	drapeVec3 light; // direction to the light, unit
	drapeVec3 centre;
	float radius; // m, radius of the content
	bool shadows;
	drapeVec3 footMin, footMax; // bounds of the shadows on the ground
} Stage;

// The light comes from the upper left of the camera, so that all pictures have the same light.
static drapeVec3 LightDirection(const drapeCamera* camera)
{
	ViewAxes axes = ViewAxes_From(Vec3_Sub(camera->eye, camera->target));
	drapeVec3 level = Vec3_Normalise(Vec3_Make(axes.back.x, 0.0f, axes.back.z));
	drapeVec3 light = Vec3_Make(0.0f, 1.0f, 0.0f);
	light = Vec3_Along(light, axes.right, -0.62f);
	return Vec3_Normalise(Vec3_Along(light, level, 0.48f));
}

static drapeVec3 BoundsCorner(const drapeBounds* b, int i)
{
	return Vec3_Make(i & 1 ? b->max.x : b->min.x, i & 2 ? b->max.y : b->min.y, i & 4 ? b->max.z : b->min.z);
}

static Stage MakeStage(const drapePicture* picture)
{
	Stage stage = {.light = LightDirection(&picture->camera), .centre = picture->camera.target};
	const drapeBounds* bounds = &picture->bounds;
	bool known = bounds->min.x <= bounds->max.x;
	stage.shadows = picture->shadows && known;
	stage.radius = 0.5f * Vec3_Length(Vec3_Sub(picture->camera.eye, picture->camera.target));
	if (!known)
		return stage;
	stage.centre = Vec3_Scale(Vec3_Add(bounds->min, bounds->max), 0.5f);
	stage.radius = fmaxf(0.5f * Vec3_Length(Vec3_Sub(bounds->max, bounds->min)), 0.01f);
	drapeBounds foot = drapeBounds_Empty();
	for (int i = 0; i < 8; ++i)
	{
		drapeVec3 p = BoundsCorner(bounds, i);
		drapeVec3 q = Vec3_Along(p, stage.light, -(p.y - picture->groundHeight) / stage.light.y);
		foot = drapeBounds_Union(foot, (drapeBounds){q, q});
	}
	float margin = 0.1f * stage.radius;
	stage.footMin = Vec3_Sub(foot.min, Vec3_Make(margin, 0.0f, margin));
	stage.footMax = Vec3_Add(foot.max, Vec3_Make(margin, 0.0f, margin));
	return stage;
}

// The volume of the light is as wide as the content and extends to the ground.
static void SetShadow(FrameBlock* frame, const drapePicture* picture, const Stage* stage)
{
	ViewAxes axes = ViewAxes_From(stage->light);
	drapeBounds box = drapeBounds_Empty();
	for (int i = 0; i < 8; ++i)
	{
		drapeVec3 p = Vec3_Sub(BoundsCorner(&picture->bounds, i), stage->centre);
		p = Vec3_Make(Vec3_Dot(p, axes.right), Vec3_Dot(p, axes.up), Vec3_Dot(p, axes.back));
		box = drapeBounds_Union(box, (drapeBounds){p, p});
	}
	float depth = fmaxf(stage->centre.y - picture->groundHeight, 0.0f) / stage->light.y + 3.0f * stage->radius;
	float margin = 0.06f * stage->radius;
	box.min = Vec3_Sub(box.min, Vec3_Make(margin, margin, depth));
	box.max = Vec3_Add(box.max, Vec3_Make(margin, margin, 0.2f * stage->radius));
	Mat4 view = Mat4_View(&axes, stage->centre), projection = Mat4_Orthographic(box.min, box.max);
	frame->shadowMatrix = Mat4_Multiply(&projection, &view);
	drapeVec3 size = Vec3_Sub(box.max, box.min);
	float texel = fmaxf(size.x, size.y) / shadowMapSize;
	frame->shadow[0] = 1.7f / shadowMapSize;
	frame->shadow[1] = 1.2f * texel / size.z;
	frame->shadow[2] = 2.0f * texel;
	drapeVec3 foot = Vec3_Sub(stage->footMax, stage->footMin);
	memcpy(frame->foot, (const float[4]){stage->footMin.x, stage->footMin.z, foot.x, foot.z}, sizeof frame->foot);
}

static void SetCamera(FrameBlock* frame, const drapePicture* picture, const Stage* stage, float groundRadius)
{
	const drapeCamera* camera = &picture->camera;
	ViewAxes axes = ViewAxes_From(Vec3_Sub(camera->eye, camera->target));
	float distance = Vec3_Length(Vec3_Sub(camera->eye, stage->centre));
	float far = distance + 1.5f * groundRadius, near = fmaxf(0.25f * (distance - stage->radius), 0.002f * far);
	Mat4 view = Mat4_View(&axes, camera->eye);
	Mat4 projection = Mat4_Perspective(camera->fieldOfView, (float)picture->width / (float)picture->height, near, far);
	frame->viewProjection = Mat4_Multiply(&projection, &view);
	memcpy(frame->eye, &camera->eye, sizeof camera->eye);
	memcpy(frame->light, &stage->light, sizeof stage->light);
	frame->background[0] = (float)picture->width;
	frame->background[1] = (float)picture->height;
}

// --- ground ---

static void AddQuad(Geometry* geometry, float x0, float z0, float x1, float z1, float height)
{
	uint32_t base = geometry->vertexCount;
	Vertex* vertices = drapeGeometry_AddVertices(geometry, 4);
	uint32_t* indices = drapeGeometry_AddIndices(geometry, 6);
	if (!vertices || !indices)
		return;
	for (uint32_t i = 0; i < 4; ++i)
		vertices[i] = (Vertex){.position = {i & 1 ? x1 : x0, height, i & 2 ? z1 : z0}, .normal = {0.0f, 1.0f, 0.0f}};
	static const uint32_t quad[6] = {0, 2, 1, 1, 2, 3};
	for (uint32_t i = 0; i < 6; ++i)
		indices[i] = base + quad[i];
}

// Draws the part with shadows, and a frame of four quads around it.
static void AddGround(Geometry* geometry, const drapePicture* picture, const Stage* stage, float radius)
{
	// Slightly below the cloth, because colliders are drawn smaller.
	float y = picture->groundHeight - 0.0015f;
	float x0 = stage->centre.x - radius, x1 = stage->centre.x + radius;
	float z0 = stage->centre.z - radius, z1 = stage->centre.z + radius;
	Batch* batch = drapeGeometry_Begin(geometry, batch_ground);
	if (!stage->shadows)
	{
		AddQuad(geometry, x0, z0, x1, z1, y);
		return;
	}
	batch->castsShadow = true;
	float a0 = fmaxf(stage->footMin.x, x0), a1 = fminf(stage->footMax.x, x1);
	float b0 = fmaxf(stage->footMin.z, z0), b1 = fminf(stage->footMax.z, z1);
	AddQuad(geometry, a0, b0, a1, b1, y);
	drapeGeometry_Begin(geometry, batch_ground);
	AddQuad(geometry, x0, z0, x1, b0, y);
	AddQuad(geometry, x0, b1, x1, z1, y);
	AddQuad(geometry, x0, b0, a0, b1, y);
	AddQuad(geometry, a1, b0, x1, b1, y);
}

// --- drawing ---

// Wrap, sheen, sharpness of the sheen, highlight; threads per metre, their depth, twill, unevenness of the yarn.
static const float fabrics[drape_fabricCount][8] = {
	[drape_fabricCotton] = {0.25f, 0.35f, 3.0f, 0.03f, 400.0f, 0.20f, 0.0f, 0.12f},
	[drape_fabricSilk] = {0.05f, 0.22f, 5.0f, 1.10f, 900.0f, 0.05f, 0.0f, 0.02f},
	[drape_fabricDenim] = {0.20f, 0.28f, 3.0f, 0.04f, 260.0f, 0.30f, 1.0f, 0.22f},
	[drape_fabricWool] = {0.45f, 0.85f, 2.2f, 0.00f, 170.0f, 0.34f, 0.0f, 0.34f},
};

static void SetLook(const drapeRenderer* renderer, const Program* program, const drapeLook* look)
{
	const float* f = fabrics[look->fabric];
	if (look->image > 0)
	{
		glActiveTexture(GL_TEXTURE2);
		glBindTexture(GL_TEXTURE_2D, renderer->images[look->image - 1]);
		glActiveTexture(GL_TEXTURE0);
	}
	glUniform3f(program->front, look->front.x, look->front.y, look->front.z);
	glUniform3f(program->back, look->back.x, look->back.y, look->back.z);
	glUniform3f(program->second, look->second.x, look->second.y, look->second.z);
	glUniform4f(program->pattern, (float)look->texture, 1.0f / look->textureSize, look->texturePosition.x,
	            look->texturePosition.y);
	glUniform4fv(program->fabric, 1, f);
	glUniform4fv(program->fabric2, 1, f + 4);
}

static void DrawBatch(const Batch* batch)
{
	if (batch->indexCount > 0)
		glDrawElements(batch->kind == batch_lines ? GL_LINES : GL_TRIANGLES, (GLsizei)batch->indexCount,
		               GL_UNSIGNED_INT, (const void*)(batch->firstIndex * sizeof(uint32_t)));
}

static void DrawShadows(drapeRenderer* renderer)
{
	glBindFramebuffer(GL_FRAMEBUFFER, renderer->target.shadow);
	glViewport(0, 0, shadowMapSize, shadowMapSize);
	glClear(GL_DEPTH_BUFFER_BIT);
	glEnable(GL_SCISSOR_TEST);
	glScissor(1, 1, shadowMapSize - 2, shadowMapSize - 2);
	glUseProgram(renderer->programs[program_depth][0].name);
	glEnable(GL_POLYGON_OFFSET_FILL);
	glPolygonOffset(1.5f, 2.0f);
	for (uint32_t i = 0; i < renderer->geometry.batchCount; ++i)
	{
		const Batch* batch = &renderer->geometry.batches[i];
		if (batch->castsShadow && batch->kind != batch_ground)
			DrawBatch(batch);
	}
	glDisable(GL_POLYGON_OFFSET_FILL);
	glDisable(GL_SCISSOR_TEST);
}

// Computes the light on the flat ground in a texture: the number of shadow-map samples depends on its texels, not on
// the pixels of the picture.
static void DrawGroundLight(drapeRenderer* renderer)
{
	glBindFramebuffer(GL_FRAMEBUFFER, renderer->target.ground);
	glViewport(0, 0, groundLightSize, groundLightSize);
	glDisable(GL_DEPTH_TEST);
	glUseProgram(renderer->programs[program_groundLight][shadow_quick].name);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glEnable(GL_DEPTH_TEST);
	glActiveTexture(GL_TEXTURE1);
	glBindTexture(GL_TEXTURE_2D, renderer->target.groundLight);
	glActiveTexture(GL_TEXTURE0);
}

static ProgramKind ProgramOf(const Batch* batch, const drapePicture* picture)
{
	switch (batch->kind)
	{
		case batch_cloth:
			if (picture->cloths[batch->cloth].look.image > 0)
				return batch->wire ? program_clothImageWire : program_clothImage;
			return batch->wire ? program_clothWire : program_cloth;
		case batch_solid:
			return batch->wire ? program_solidWire : program_solid;
		case batch_ground:
			return program_ground;
		default:
			return program_lines;
	}
}

static void DrawBatches(drapeRenderer* renderer, const drapePicture* picture, bool shadows)
{
	const Geometry* geometry = &renderer->geometry;
	for (uint32_t i = 0; i < geometry->batchCount; ++i)
	{
		const Batch* batch = &geometry->batches[i];
		ProgramKind kind = ProgramOf(batch, picture);
		// Only a part of the ground has shadows.
		bool shadowed = shadows && drapeShaderSources[kind].shadows && (kind != program_ground || batch->castsShadow);
		ShadowKind variant = !shadowed ? shadow_none : picture->samples > 1 ? shadow_fine : shadow_quick;
		const Program* program = &renderer->programs[kind][variant];
		glUseProgram(program->name);
		if (batch->kind == batch_cloth)
			SetLook(renderer, program, &picture->cloths[batch->cloth].look);
		if (batch->wire && batch->indexCount > 0)
			glUniform1i(program->firstVertex, (GLint)geometry->indices[batch->firstIndex]);
		DrawBatch(batch);
	}
}

// Returns the pixels that the first `vertexCount` vertices cover, plus one on each side; all pixels if a vertex is not
// in front of the camera.
static PixelBox FindPixels(const drapeRenderer* renderer, const drapePicture* picture, uint32_t vertexCount)
{
	const float* m = renderer->frame.viewProjection.m;
	float w = (float)picture->width, h = (float)picture->height;
	float x0 = w, y0 = h, x1 = 0.0f, y1 = 0.0f;
	for (uint32_t i = 0; i < vertexCount; ++i)
	{
		drapeVec3 p = renderer->geometry.vertices[i].position;
		float depth = m[3] * p.x + m[7] * p.y + m[11] * p.z + m[15];
		if (!(depth > 1e-6f))
			return (PixelBox){0, 0, (GLint)picture->width, (GLint)picture->height};
		float x = (0.5f + 0.5f * (m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12]) / depth) * w;
		float y = (0.5f + 0.5f * (m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13]) / depth) * h;
		x0 = fminf(x0, x);
		x1 = fmaxf(x1, x);
		y0 = fminf(y0, y);
		y1 = fmaxf(y1, y);
	}
	x0 = fmaxf(floorf(x0) - 1.0f, 0.0f);
	y0 = fmaxf(floorf(y0) - 1.0f, 0.0f);
	x1 = fminf(ceilf(x1) + 1.0f, w);
	y1 = fminf(ceilf(y1) + 1.0f, h);
	return (PixelBox){(GLint)x0, (GLint)y0, (GLint)fmaxf(x1 - x0, 0.0f), (GLint)fmaxf(y1 - y0, 0.0f)};
}

// Ground and background have no edges to smooth.
static void Smooth(drapeRenderer* renderer, const PixelBox* box)
{
	drapeTarget_Resolve(&renderer->target);
	glBindFramebuffer(GL_FRAMEBUFFER, renderer->target.resolved);
	glDisable(GL_DEPTH_TEST);
	glEnable(GL_SCISSOR_TEST);
	glScissor(box->x, box->y, box->width, box->height);
	glBindTexture(GL_TEXTURE_2D, renderer->target.drawnTexture);
	glUseProgram(renderer->programs[program_smooth][0].name);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glDisable(GL_SCISSOR_TEST);
}

static void DrawFrame(drapeRenderer* renderer, const drapePicture* picture, bool shadows, uint32_t edgedVertices)
{
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_LEQUAL);
	glDepthMask(GL_TRUE);
	glDisable(GL_CULL_FACE);
	glDisable(GL_BLEND);
	glDisable(GL_SCISSOR_TEST);
	glDisable(GL_FRAMEBUFFER_SRGB);
	if (shadows)
		DrawShadows(renderer);
	glActiveTexture(GL_TEXTURE0);
	glBindTexture(GL_TEXTURE_2D, renderer->target.shadowDepth);
	if (shadows && picture->ground && picture->samples == 1)
		DrawGroundLight(renderer);
	glBindFramebuffer(GL_FRAMEBUFFER, renderer->target.drawn);
	glViewport(0, 0, (GLsizei)picture->width, (GLsizei)picture->height);
	glClear(GL_DEPTH_BUFFER_BIT);
	DrawBatches(renderer, picture, shadows);
	glUseProgram(renderer->programs[program_background][0].name);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	if (picture->samples == 1)
	{
		PixelBox box = FindPixels(renderer, picture, edgedVertices);
		Smooth(renderer, &box);
	}
	else
		drapeTarget_Resolve(&renderer->target);
}

static void Upload(drapeRenderer* renderer)
{
	const Geometry* geometry = &renderer->geometry;
	glBindVertexArray(renderer->vertexArray);
	glBindBuffer(GL_ARRAY_BUFFER, renderer->vertexBuffer);
	glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(geometry->vertexCount * sizeof(Vertex)), geometry->vertices,
	             GL_STREAM_DRAW);
	glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(geometry->indexCount * sizeof(uint32_t)), geometry->indices,
	             GL_STREAM_DRAW);
	glBindBuffer(GL_UNIFORM_BUFFER, renderer->frameBuffer);
	glBufferData(GL_UNIFORM_BUFFER, sizeof renderer->frame, &renderer->frame, GL_STREAM_DRAW);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0, renderer->frameBuffer);
}

drapeResult drapeRenderer_Draw(drapeRenderer* renderer, const drapePicture* picture, drapeMessage* error)
{
	drapeResult result = renderer ? drapePicture_Check(picture, error)
	                              : drapeRender_Fail(error, drape_errorArgument, "renderer is NULL");
	if (result != drape_ok)
		return result;
	for (uint32_t i = 0; i < picture->clothCount; ++i)
		if (picture->cloths[i].look.image > renderer->imageCount)
			return drapeRender_Fail(error, drape_errorArgument, "a cloth names image %u, but only %u were added",
			                        picture->cloths[i].look.image, renderer->imageCount);
	result = drapeTarget_Resize(&renderer->target, picture->width, picture->height, picture->samples, error);
	if (result != drape_ok)
		return result;
	Stage stage = MakeStage(picture);
	float groundRadius = 7.0f * stage.radius;
	drapeGeometry_Clear(&renderer->geometry);
	drapeGeometry_AddPicture(&renderer->geometry, picture);
	uint32_t edgedVertices = renderer->geometry.vertexCount;
	if (picture->ground && picture->view != drape_viewHierarchy)
		AddGround(&renderer->geometry, picture, &stage, groundRadius);
	if (renderer->geometry.failed)
		return drapeRender_Fail(error, drape_errorMemory, "out of memory");
	renderer->frame = (FrameBlock){.ground = {stage.centre.x, stage.centre.z, groundRadius, picture->groundHeight}};
	SetCamera(&renderer->frame, picture, &stage, groundRadius);
	if (stage.shadows)
		SetShadow(&renderer->frame, picture, &stage);
	Upload(renderer);
	DrawFrame(renderer, picture, stage.shadows, edgedVertices);
	GLenum trouble = glGetError();
	return trouble == GL_NO_ERROR ? drape_ok
	                              : drapeRender_Fail(error, drape_errorMemory, "OpenGL reports error 0x%x", trouble);
}

// --- results ---

void drapeRenderer_Present(drapeRenderer* renderer, uint32_t framebuffer, int32_t x, int32_t y)
{
	if (!renderer)
		return;
	GLint width = (GLint)renderer->target.width, height = (GLint)renderer->target.height;
	glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->target.resolved);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
	glDisable(GL_SCISSOR_TEST);
	glBlitFramebuffer(0, 0, width, height, x, y, x + width, y + height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

drapeResult drapeRenderer_Read(drapeRenderer* renderer, uint8_t* pixels, drapeMessage* error)
{
	drapeResult result = drapeRender_CheckPointers(error, "renderer|pixels", (const void*[]){renderer, pixels});
	if (result != drape_ok)
		return result;
	uint32_t width = renderer->target.width, height = renderer->target.height;
	if (width == 0)
		return drapeRender_Fail(error, drape_errorArgument, "there is no picture to read, expected drapeRenderer_Draw");
	size_t size = 4 * (size_t)width * height;
	uint8_t* rows = drapeAlloc(size);
	if (!rows)
		return drapeRender_Fail(error, drape_errorMemory, "out of memory");
	glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->target.resolved);
	glPixelStorei(GL_PACK_ALIGNMENT, 4);
	glReadPixels(0, 0, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_UNSIGNED_BYTE, rows);
	// OpenGL counts rows from the bottom.
	for (uint32_t y = 0; y < height; ++y)
	{
		const uint8_t* from = rows + 4 * (size_t)width * (height - 1 - y);
		uint8_t* to = pixels + 3 * (size_t)width * y;
		for (uint32_t x = 0; x < width; ++x)
			memcpy(to + 3 * (size_t)x, from + 4 * (size_t)x, 3);
	}
	drapeFree(rows, size);
	GLenum trouble = glGetError();
	return trouble == GL_NO_ERROR ? drape_ok
	                              : drapeRender_Fail(error, drape_errorMemory, "OpenGL reports error 0x%x", trouble);
}

void drapeRenderer_Finish(drapeRenderer* renderer)
{
	(void)renderer;
	glFinish();
}
