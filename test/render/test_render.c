// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "drape/render.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Pictures are compared with those in test/render/pictures. DRAPE_WRITE_PICTURES=1 writes them anew: look at them
// before they are committed. Without an OpenGL context, what needs one is skipped.

enum
{
	width = 192,
	height = 128
};

static drapeOffscreen* offscreen;
static drapeRenderer* renderer;

static int OpenRenderer(void** state)
{
	(void)state;
	drapeMessage error = {0};
	drapeCreateOffscreen(&offscreen, &error);
	if (!offscreen)
	{
		print_message("pictures are skipped: %s\n", error.text);
		return 0;
	}
	drapeCreateRenderer(&renderer, &error);
	if (!renderer)
		print_error("%s\n", error.text);
	return renderer ? 0 : -1;
}

static int CloseRenderer(void** state)
{
	(void)state;
	drapeDestroyRenderer(renderer);
	drapeDestroyOffscreen(offscreen);
	return 0;
}

// --- a scene ---

// A sheet over a ball, refined where it bends, with velocities and contacts made up.
typedef struct Stage
{
	drapeWorldId world;
	drapeClothId cloth;
	drapeDrawnCloth drawn;
	drapeDrawnShape ball;
	drapePicture picture;
	uint8_t* touching;
} Stage;

static void DropSheet(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3* positions = calloc(view.particleCount, sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		float x = view.positions[i].x, z = view.positions[i].z, r = sqrtf(x * x + z * z);
		positions[i] = (drapeVec3){x, 0.2f + 0.32f * expf(-r * r / 0.06f) + 0.03f * sinf(14.0f * atan2f(z, x)) * r, z};
	}
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	free(positions);
}

// Outwards, the faster the further out.
static void Swing(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3* velocities = calloc(view.particleCount, sizeof *velocities);
	assert_non_null(velocities);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		velocities[i] = (drapeVec3){4.0f * view.positions[i].x, 1.0f, 0.0f};
	assert_int_equal(drapeCloth_SetVelocities(cloth, velocities), drape_ok);
	free(velocities);
}

static Stage CreateStage(void)
{
	Stage stage = {0};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	stage.world = Make_World(&worldDef);
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(6, 6, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt = Sheet_CurvatureDef();
	stage.cloth = Make_Cloth(stage.world, &def);
	assert_true(drapeCloth_IsValid(stage.cloth));
	drapeMesh_Free(&mesh);
	for (int i = 0; i < 6; ++i)
	{
		DropSheet(stage.cloth);
		assert_int_equal(drapeCloth_Adapt(stage.cloth, NULL), drape_ok);
	}
	DropSheet(stage.cloth);
	Swing(stage.cloth);
	drapeMaterial material = drapeDefaultMaterial();
	stage.drawn = (drapeDrawnCloth){.mesh = drapeCloth_GetView(stage.cloth), .look = drapeDefaultLook(&material, 0)};
	stage.touching = calloc(stage.drawn.mesh.particleCount, 1);
	assert_non_null(stage.touching);
	for (uint32_t i = 0; i < stage.drawn.mesh.particleCount; ++i)
		stage.touching[i] = stage.drawn.mesh.positions[i].y > 0.4f;
	stage.drawn.touching = stage.touching;
	stage.ball = (drapeDrawnShape){.def = {.shape = drape_shapeSphere, .radius = 0.18f},
	                               .transform = {.position = {0.0f, 0.3f, 0.0f}, .rotation = {0, 0, 0, 1}, .scale = 1},
	                               .colour = {0.6f, 0.6f, 0.6f}};
	return stage;
}

// `stage` must not move afterwards.
static void SetPicture(Stage* stage, drapeRenderView view)
{
	drapePicture* picture = &stage->picture;
	*picture = drapeDefaultPicture();
	picture->width = width;
	picture->height = height;
	picture->samples = 4;
	picture->view = view;
	picture->cloths = &stage->drawn;
	picture->clothCount = 1;
	picture->shapes = &stage->ball;
	picture->shapeCount = 1;
	picture->ground = true;
	picture->bounds = drapePicture_GetBounds(picture);
	picture->camera = drapeCamera_Frame(picture->bounds, (float)width / height);
}

static void DestroyStage(Stage* stage)
{
	drapeDestroyWorld(stage->world);
	free(stage->touching);
}

static void Draw(const Stage* stage, uint8_t* pixels)
{
	drapeMessage error = {0};
	if (drapeRenderer_Draw(renderer, &stage->picture, &error) != drape_ok)
		fail_msg("%s", error.text);
	assert_int_equal(drapeRenderer_Read(renderer, pixels, NULL), drape_ok);
}

// --- comparing ---

typedef struct Lab
{
	double l, a, b;
} Lab;

static double Linear(double encoded)
{
	return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static double LabCurve(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116.0;
}

// CIE L*a*b* under D65, of a mean of linear light.
static Lab LabOf(const double rgb[3])
{
	double x = LabCurve((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505);
	double y = LabCurve(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
	double z = LabCurve((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089);
	return (Lab){116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)};
}

enum
{
	block = 4 // pixels: what an eye takes together
};

static Lab BlockColour(const uint8_t* pixels, int x, int y)
{
	double sum[3] = {0.0, 0.0, 0.0};
	for (int j = 0; j < block; ++j)
		for (int i = 0; i < block; ++i)
			for (int c = 0; c < 3; ++c)
				sum[c] += Linear(pixels[3 * ((y + j) * width + x + i) + c] / 255.0) / (block * block);
	return LabOf(sum);
}

typedef struct Difference
{
	double mean, worst; // of the colour of blocks; 2.3 is just noticeable
} Difference;

static Difference Compare(const uint8_t* a, const uint8_t* b)
{
	Difference difference = {0};
	int count = 0;
	for (int y = 0; y + block <= height; y += block)
		for (int x = 0; x + block <= width; x += block)
		{
			Lab p = BlockColour(a, x, y), q = BlockColour(b, x, y);
			double e = sqrt((p.l - q.l) * (p.l - q.l) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
			difference.mean += e;
			difference.worst = e > difference.worst ? e : difference.worst;
			count++;
		}
	difference.mean /= count;
	return difference;
}

static bool LooksLike(Difference d)
{
	return d.mean < 1.0 && d.worst < 12.0;
}

static void ExpectPicture(const char* name, const uint8_t* pixels)
{
	char path[256];
	uint8_t* stored;
	uint32_t storedWidth, storedHeight;
	drapeMessage error = {0};
	snprintf(path, sizeof path, "test/render/pictures/%s.png", name);
	if (getenv("DRAPE_WRITE_PICTURES"))
		assert_int_equal(drapePng_Write(path, pixels, width, height, &error), drape_ok);
	if (drapePng_Read(path, &stored, &storedWidth, &storedHeight, &error) != drape_ok)
		fail_msg("%s", error.text);
	assert_int_equal(storedWidth, width);
	assert_int_equal(storedHeight, height);
	Difference d = Compare(pixels, stored);
	drapeFree(stored, 3 * (size_t)width * height);
	if (!LooksLike(d))
		fail_msg("%s looks different: mean %.2f, worst %.2f", name, d.mean, d.worst);
}

// --- tests of pictures ---

static uint8_t pixels[3 * width * height], others[3 * width * height];

static void EveryViewLooksAsStored(void** state)
{
	(void)state;
	if (!renderer)
		skip();
	Stage stage = CreateStage();
	for (int view = 0; view < drape_viewCount; ++view)
	{
		SetPicture(&stage, (drapeRenderView)view);
		Draw(&stage, pixels);
		ExpectPicture(drapeRenderView_GetName((drapeRenderView)view), pixels);
	}
	DestroyStage(&stage);
}

static void EveryFabricLooksAsStored(void** state)
{
	(void)state;
	if (!renderer)
		skip();
	Stage stage = CreateStage();
	for (int i = 0; i < drape_fabricCount; ++i)
	{
		char name[64];
		stage.drawn.look.fabric = (drapeFabricLook)i;
		stage.drawn.look.texture = (drapeTexture)i;
		SetPicture(&stage, drape_viewShaded);
		Draw(&stage, pixels);
		snprintf(name, sizeof name, "%s_%s", drapeFabricLook_GetName((drapeFabricLook)i),
		         drapeTexture_GetName((drapeTexture)i));
		ExpectPicture(name, pixels);
	}
	DestroyStage(&stage);
}

// What a broken shader, a lost light or a wrong side does is seen by the measure.
static void BrokenInvariantsAreDetected(void** state)
{
	(void)state;
	if (!renderer)
		skip();
	Stage stage = CreateStage();
	SetPicture(&stage, drape_viewShaded);
	Draw(&stage, pixels);
	stage.picture.shadows = false;
	Draw(&stage, others);
	assert_false(LooksLike(Compare(pixels, others)));
	SetPicture(&stage, drape_viewShaded);
	stage.drawn.look.front = stage.drawn.look.back;
	Draw(&stage, others);
	assert_false(LooksLike(Compare(pixels, others)));
	SetPicture(&stage, drape_viewShaded);
	stage.picture.camera.eye.x += 0.3f;
	Draw(&stage, others);
	assert_false(LooksLike(Compare(pixels, others)));
	DestroyStage(&stage);
}

static void SmoothedPictureLooksLikeMultisampled(void** state)
{
	(void)state;
	if (!renderer)
		skip();
	Stage stage = CreateStage();
	SetPicture(&stage, drape_viewShaded);
	Draw(&stage, pixels);
	stage.picture.samples = 1;
	Draw(&stage, others);
	assert_true(Compare(pixels, others).mean < 1.5);
	DestroyStage(&stage);
}

static void TextureMovesWithItsPosition(void** state)
{
	(void)state;
	if (!renderer)
		skip();
	Stage stage = CreateStage();
	stage.drawn.look.texture = drape_textureChecker;
	SetPicture(&stage, drape_viewShaded);
	Draw(&stage, pixels);
	stage.drawn.look.texturePosition = (drapeVec2){stage.drawn.look.textureSize, 0.0f};
	Draw(&stage, others);
	assert_true(LooksLike(Compare(pixels, others)));
	stage.drawn.look.texturePosition.x *= 0.5f;
	Draw(&stage, others);
	assert_false(LooksLike(Compare(pixels, others)));
	DestroyStage(&stage);
}

static void SameSceneGivesSameBytes(void** state)
{
	(void)state;
	if (!renderer)
		skip();
	Stage stage = CreateStage();
	SetPicture(&stage, drape_viewVelocity);
	Draw(&stage, pixels);
	SetPicture(&stage, drape_viewHierarchy);
	Draw(&stage, others);
	SetPicture(&stage, drape_viewVelocity);
	Draw(&stage, others);
	assert_memory_equal(pixels, others, sizeof pixels);
	DestroyStage(&stage);
}

// A window's framebuffer is one of its own here: the picture lies where it was put, and is cut off at the rim.
static void APictureIsPresentedWhereItIsWanted(void** state)
{
	(void)state;
	if (!renderer)
		skip();
	enum
	{
		w = width + 40,
		h = height + 30
	};
	static uint8_t rows[4 * w * h];
	GLuint framebuffer, colour;
	Stage stage = CreateStage();
	SetPicture(&stage, drape_viewShaded);
	Draw(&stage, pixels);
	glGenFramebuffers(1, &framebuffer);
	glGenRenderbuffers(1, &colour);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, colour);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, w, h);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
	glClearColor(1.0f, 0.0f, 1.0f, 1.0f);
	glClear(GL_COLOR_BUFFER_BIT);
	// As a user interface leaves it.
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, 3, 3);
	drapeRenderer_Present(renderer, framebuffer, 25, 10);
	glReadPixels(0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, rows);
	for (int y = 0; y < h; ++y)
		for (int x = 0; x < w; ++x)
		{
			static const uint8_t outside[3] = {255, 0, 255};
			bool inside = x >= 25 && x < 25 + width && y >= 10 && y < 10 + height;
			const uint8_t* expected =
				inside ? &pixels[3 * ((size_t)(height - 1 - (y - 10)) * width + (size_t)(x - 25))] : outside;
			assert_memory_equal(&rows[4 * ((size_t)y * w + (size_t)x)], expected, 3);
		}
	drapeRenderer_Present(renderer, framebuffer, w - 10, -20);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteRenderbuffers(1, &colour);
	DestroyStage(&stage);
}

static void AMeshIsDrawnWhereItsTransformPutsIt(void** state)
{
	(void)state;
	if (!renderer)
		skip();
	static const drapeVec3 corners[3] = {{-1.0f, -1.0f, 0.0f}, {1.0f, -1.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
	static const drapeVec3 normals[3] = {{0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 1.0f}};
	static const uint32_t triangle[3] = {0, 1, 2};
	drapeDrawnMesh mesh = {.positions = corners,
	                       .normals = normals,
	                       .vertexCount = 3,
	                       .triangles = triangle,
	                       .triangleCount = 1,
	                       .transform = drapeIdentityTransform(),
	                       .colour = {1.0f, 0.0f, 0.0f}};
	drapePicture picture = drapeDefaultPicture();
	picture.width = width;
	picture.height = height;
	picture.meshes = &mesh;
	picture.meshCount = 1;
	picture.camera = (drapeCamera){.eye = {0.0f, 0.0f, 6.0f}, .fieldOfView = 0.7f};
	mesh.transform.scale = 0.5f;
	mesh.transform.position = (drapeVec3){2.0f, 0.0f, 0.0f};
	drapeBounds bounds = drapePicture_GetBounds(&picture);
	assert_true(fabsf(bounds.min.x - 1.5f) < 1e-6f && fabsf(bounds.max.y - 0.5f) < 1e-6f);
	mesh.transform.position.x = 0.0f;
	assert_int_equal(drapeRenderer_Draw(renderer, &picture, NULL), drape_ok);
	assert_int_equal(drapeRenderer_Read(renderer, pixels, NULL), drape_ok);
	const uint8_t* middle = &pixels[3 * (height / 2 * width + width / 2)];
	assert_true(middle[0] > 100 && middle[1] < 90 && middle[2] < 90);
	// Its own normals are those of the triangle.
	mesh.normals = NULL;
	assert_int_equal(drapeRenderer_Draw(renderer, &picture, NULL), drape_ok);
	assert_int_equal(drapeRenderer_Read(renderer, others, NULL), drape_ok);
	assert_memory_equal(pixels, others, sizeof pixels);
	mesh.triangles = NULL;
	assert_int_equal(drapePicture_Check(&picture, NULL), drape_errorArgument);
}

// --- tests without OpenGL ---

static void CameraHasAllOfTheBoundsInThePicture(void** state)
{
	(void)state;
	static const drapeBounds boxes[] = {{{-1, 0, -1}, {1, 2, 1}},
	                                    {{3, 5, 7}, {3.1f, 5, 7}},
	                                    {{-10, 0, -0.1f}, {10, 0.1f, 0.1f}},
	                                    {{0, 0, 0}, {0, 9, 0}}};
	for (int i = 0; i < 8; ++i)
	{
		float aspect = i % 2 ? 16.0f / 9.0f : 0.5f;
		drapeBounds box = boxes[i / 2];
		drapeCamera camera = drapeCamera_Frame(box, aspect);
		drapeVec3 e = camera.eye, t = camera.target;
		float back[3] = {e.x - t.x, e.y - t.y, e.z - t.z};
		float length = sqrtf(back[0] * back[0] + back[1] * back[1] + back[2] * back[2]);
		float flat = sqrtf(back[0] * back[0] + back[2] * back[2]);
		float right[3] = {back[2] / flat, 0.0f, -back[0] / flat};
		for (int corner = 0; corner < 8; ++corner)
		{
			float p[3] = {(corner & 1 ? box.max.x : box.min.x) - e.x, (corner & 2 ? box.max.y : box.min.y) - e.y,
			              (corner & 4 ? box.max.z : box.min.z) - e.z};
			float depth = -(p[0] * back[0] + p[1] * back[1] + p[2] * back[2]) / length;
			float x = p[0] * right[0] + p[2] * right[2];
			float up2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - depth * depth - x * x;
			float slope = tanf(0.5f * camera.fieldOfView);
			assert_true(depth > 0.0f);
			assert_true(fabsf(x) <= depth * slope * aspect);
			assert_true(sqrtf(fmaxf(up2, 0.0f)) <= depth * slope);
		}
	}
}

static void ViewsSayWhatTheyLack(void** state)
{
	(void)state;
	Stage stage = CreateStage();
	SetPicture(&stage, drape_viewShaded);
	for (int view = 0; view < drape_viewCount; ++view)
	{
		stage.picture.view = (drapeRenderView)view;
		assert_int_equal(drapePicture_Check(&stage.picture, NULL), drape_ok);
	}
	// As a file gives it.
	drapeClothView bare = {.particleCount = stage.drawn.mesh.particleCount,
	                       .positions = stage.drawn.mesh.positions,
	                       .normals = stage.drawn.mesh.normals,
	                       .triangleCount = stage.drawn.mesh.triangleCount,
	                       .triangles = stage.drawn.mesh.triangles};
	stage.drawn.mesh = bare;
	stage.drawn.touching = NULL;
	for (int view = 0; view < drape_viewCount; ++view)
	{
		bool possible = view == drape_viewShaded || view == drape_viewWireframe || view == drape_viewCurvature;
		stage.picture.view = (drapeRenderView)view;
		assert_true((drapePicture_Check(&stage.picture, NULL) == drape_ok) == possible);
	}
	DestroyStage(&stage);
}

static void BadPicturesAreRefused(void** state)
{
	(void)state;
	drapePicture picture = drapeDefaultPicture();
	assert_int_equal(drapePicture_Check(&picture, NULL), drape_ok);
	picture.width = 0;
	assert_int_equal(drapePicture_Check(&picture, NULL), drape_errorArgument);
	picture.width = DRAPE_MAX_PICTURE + 1;
	assert_int_equal(drapePicture_Check(&picture, NULL), drape_errorArgument);
	picture = drapeDefaultPicture();
	picture.samples = 3;
	assert_int_equal(drapePicture_Check(&picture, NULL), drape_errorArgument);
	picture = drapeDefaultPicture();
	picture.view = drape_viewCount;
	assert_int_equal(drapePicture_Check(&picture, NULL), drape_errorArgument);
}

static void BoundsFailCleanlyWhenMemoryIsShort(void** state)
{
	(void)state;
	Stage stage = CreateStage();
	for (int view = 0; view < drape_viewCount; ++view)
	{
		SetPicture(&stage, (drapeRenderView)view);
		size_t before = drapeGetMemoryUse().allocations;
		drapeBounds whole = drapePicture_GetBounds(&stage.picture);
		size_t count = drapeGetMemoryUse().allocations - before;
		assert_true(whole.min.x < whole.max.x);
		for (size_t i = 1; i <= count; ++i)
		{
			// Memory that the world holds stays with the allocator it came from: only new memory is refused.
			Test_FailAllocation(i, true);
			drapeBounds bounds = drapePicture_GetBounds(&stage.picture);
			assert_true(bounds.min.x > bounds.max.x);
			Test_FailAllocation(0, false);
		}
	}
	DestroyStage(&stage);
}

static void MaterialsFindTheirFabric(void** state)
{
	(void)state;
	for (int i = 0; i < drape_fabricCount; ++i)
	{
		drapeMaterial material;
		assert_int_equal(drapeMaterial_GetPreset(drapeFabricLook_GetName((drapeFabricLook)i), &material, NULL),
		                 drape_ok);
		material.density *= 1.1f;
		assert_int_equal(drapeDefaultLook(&material, 3).fabric, i);
	}
}

static void MeasuredFabricsHaveTheirOwnColour(void** state)
{
	(void)state;
	drapeMaterial gray, red;
	assert_int_equal(drapeMaterial_GetPreset("gray-interlock", &gray, NULL), drape_ok);
	assert_int_equal(drapeMaterial_GetPreset("tango-red-jet-set", &red, NULL), drape_ok);
	for (uint32_t index = 0; index < 5; ++index)
	{
		drapeVec3 a = drapeDefaultLook(&gray, index).front, b = drapeDefaultLook(&red, index).front;
		assert_true(fabsf(a.x - a.y) < 0.05f && fabsf(a.y - a.z) < 0.05f);
		assert_true(b.x > 2.0f * b.y && b.x > 2.0f * b.z);
	}
}

static void PngFilesReadBackAsWritten(void** state)
{
	(void)state;
	char path[512];
	const char* build = getenv("DRAPE_BUILD");
	snprintf(path, sizeof path, "%s/test_render.png", build ? build : "/tmp");
	for (size_t i = 0; i < sizeof pixels; ++i)
		pixels[i] = (uint8_t)(i * 37 % 251);
	drapeMessage error = {0};
	uint8_t* read;
	uint32_t w, h;
	assert_int_equal(drapePng_Write(path, pixels, width, height, &error), drape_ok);
	assert_int_equal(drapePng_Read(path, &read, &w, &h, &error), drape_ok);
	assert_int_equal(w, width);
	assert_int_equal(h, height);
	assert_memory_equal(read, pixels, sizeof pixels);
	drapeFree(read, sizeof pixels);
	remove(path);
	assert_int_equal(drapePng_Read(path, &read, &w, &h, &error), drape_errorFile);
	assert_int_equal(drapePng_Write("/nowhere/x.png", pixels, width, height, &error), drape_errorFile);
	assert_non_null(strstr(error.text, "/nowhere/x.png"));
}

// Every bounded shape covers a part of the picture; a tapered capsule of equal radii covers the same as a capsule.
static void EveryShapeIsDrawn(void** state)
{
	(void)state;
	static uint8_t none[3 * width * height], shown[3 * width * height], capsule[3 * width * height];
	Stage stage = CreateStage();
	SetPicture(&stage, drape_viewShaded);
	stage.picture.clothCount = stage.picture.shapeCount = 0;
	Draw(&stage, none);
	stage.picture.shapeCount = 1;
	const drapeColliderShapeInfo* info;
	for (int shape = 0; (info = drapeColliderShape_GetInfo((drapeColliderShape)shape)) != NULL; ++shape)
	{
		if (!info->isBounded || info->isMesh)
			continue;
		stage.ball.def = (drapeColliderDef){.shape = (drapeColliderShape)shape,
		                                    .radius = 0.1f,
		                                    .topRadius = 0.1f,
		                                    .halfHeight = 0.15f,
		                                    .halfExtents = {0.1f, 0.1f, 0.1f}};
		Draw(&stage, shown);
		uint32_t covered = 0;
		for (uint32_t i = 0; i < width * height; ++i)
			covered += memcmp(&none[3 * i], &shown[3 * i], 3) != 0;
		assert_true(covered > 200);
		if (shape == drape_shapeCapsule)
			memcpy(capsule, shown, sizeof shown);
		if (shape == drape_shapeTaperedCapsule)
			assert_memory_equal(capsule, shown, sizeof shown);
	}
	DestroyStage(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryShapeIsDrawn),
		cmocka_unit_test(EveryViewLooksAsStored),
		cmocka_unit_test(EveryFabricLooksAsStored),
		cmocka_unit_test(BrokenInvariantsAreDetected),
		cmocka_unit_test(SmoothedPictureLooksLikeMultisampled),
		cmocka_unit_test(TextureMovesWithItsPosition),
		cmocka_unit_test(SameSceneGivesSameBytes),
		cmocka_unit_test(APictureIsPresentedWhereItIsWanted),
		cmocka_unit_test(AMeshIsDrawnWhereItsTransformPutsIt),
		cmocka_unit_test(CameraHasAllOfTheBoundsInThePicture),
		cmocka_unit_test(ViewsSayWhatTheyLack),
		cmocka_unit_test(BadPicturesAreRefused),
		cmocka_unit_test(BoundsFailCleanlyWhenMemoryIsShort),
		cmocka_unit_test(MaterialsFindTheirFabric),
		cmocka_unit_test(MeasuredFabricsHaveTheirOwnColour),
		cmocka_unit_test(PngFilesReadBackAsWritten),
	};
	return cmocka_run_group_tests(tests, OpenRenderer, CloseRenderer);
}
