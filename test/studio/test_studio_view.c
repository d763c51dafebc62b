// SPDX-License-Identifier: MIT
#include "support.h"

#include "studio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What the studio knows of cameras, rays and files, without a window.

static Lens MakeLens(void)
{
	drapeCamera camera = {.eye = {1.0f, 2.0f, 4.0f}, .target = {0.1f, 0.4f, 0.0f}, .fieldOfView = 0.6f};
	return drapeLens_Make(&camera, (UiRect){240, 46, 724, 648});
}

static void ARayGoesThroughWhatItsPixelShows(void** state)
{
	(void)state;
	Lens lens = MakeLens();
	for (int i = 0; i < 50; ++i)
	{
		drapeVec3 point = {0.3f * sinf((float)i), 0.3f + 0.2f * cosf(2.0f * (float)i), 0.4f * sinf(3.0f * (float)i)};
		UiPoint at;
		assert_true(drapeLens_Project(&lens, point, &at));
		Ray ray = drapeLens_Ray(&lens, at);
		float distance = V3_Dot(V3_Sub(point, ray.origin), ray.direction);
		assert_true(V3_Distance(Ray_At(ray, distance), point) < 1e-4f);
	}
	UiPoint at;
	assert_false(drapeLens_Project(&lens, V3_Along(lens.eye, lens.back, 1.0f), &at));
	// The middle of the picture is the target.
	assert_true(drapeLens_Project(&lens, V3(0.1f, 0.4f, 0.0f), &at));
	assert_true(fabsf(at.x - 602.0f) < 0.01f && fabsf(at.y - 370.0f) < 0.01f);
}

static void PixelsHaveTheSizeThatProjectionSays(void** state)
{
	(void)state;
	Lens lens = MakeLens();
	drapeVec3 point = {0.1f, 0.4f, 0.0f};
	UiPoint a, b;
	drapeLens_Project(&lens, point, &a);
	drapeLens_Project(&lens, V3_Along(point, lens.right, 10.0f * drapeLens_PixelSize(&lens, point)), &b);
	assert_true(fabsf(b.x - a.x - 10.0f) < 1e-2f && fabsf(b.y - a.y) < 1e-2f);
}

static void ACameraComesBackFromItsOrbit(void** state)
{
	(void)state;
	drapeCamera camera = {.eye = {1.0f, 2.0f, -4.0f}, .target = {0.1f, 0.4f, 0.3f}, .fieldOfView = 0.6f};
	OrbitCamera orbit = {0};
	drapeOrbitCamera_Set(&orbit, &camera);
	drapeCamera back = drapeOrbitCamera_Get(&orbit);
	assert_true(V3_Distance(back.eye, camera.eye) < 1e-5f && V3_Distance(back.target, camera.target) < 1e-6f);
	drapeOrbitCamera_Turn(&orbit, 0.3f, 100.0f);
	back = drapeOrbitCamera_Get(&orbit);
	assert_true(back.eye.y > 2.0f &&
	            fabsf(V3_Distance(back.eye, back.target) - V3_Distance(camera.eye, camera.target)) < 1e-4f);
	// A film made for 16 to 9 is all in a narrower picture.
	orbit.ofScene = true;
	float wide = tanf(0.5f * drapeOrbitCamera_For(&orbit, FILM_ASPECT).fieldOfView) * FILM_ASPECT;
	float narrow = tanf(0.5f * drapeOrbitCamera_For(&orbit, 1.0f).fieldOfView);
	assert_true(fabsf(wide - narrow) < 1e-5f);
}

static float HitDistance(drapeDrawnShape shape, Ray ray)
{
	float distance = 100.0f;
	return drapeRay_HitsShape(ray, &shape, &distance) ? distance : -1.0f;
}

static void RaysMeetShapesWhereTheyAre(void** state)
{
	(void)state;
	Ray down = {V3(0.0f, 5.0f, 0.0f), V3(0.0f, -1.0f, 0.0f)}, aside = {V3(3.0f, 5.0f, 0.0f), V3(0.0f, -1.0f, 0.0f)};
	drapeDrawnShape shape = {.def = {.shape = drape_shapeSphere, .radius = 0.5f},
	                         .transform = drapeIdentityTransform()};
	assert_true(fabsf(HitDistance(shape, down) - 4.5f) < 2e-3f && HitDistance(shape, aside) < 0.0f);
	shape.transform.scale = 2.0f;
	shape.transform.position.y = 1.0f;
	assert_true(fabsf(HitDistance(shape, down) - 3.0f) < 2e-3f);
	shape = (drapeDrawnShape){.def = {.shape = drape_shapeCapsule, .radius = 0.2f, .halfHeight = 0.6f},
	                          .transform = drapeIdentityTransform()};
	assert_true(fabsf(HitDistance(shape, down) - 4.2f) < 2e-3f);
	shape.def.shape = drape_shapeCylinder;
	assert_true(fabsf(HitDistance(shape, down) - 4.4f) < 2e-3f);
	shape = (drapeDrawnShape){.def = {.shape = drape_shapeBox, .halfExtents = {1.0f, 0.1f, 1.0f}},
	                          .transform = drapeIdentityTransform()};
	shape.transform.rotation = drapeQuat_FromAxisAngle(V3(0.0f, 0.0f, 1.0f), 1.57079633f);
	assert_true(fabsf(HitDistance(shape, down) - 4.0f) < 2e-3f);
	shape = (drapeDrawnShape){.def = {.shape = drape_shapePlane}, .transform = drapeIdentityTransform()};
	assert_true(fabsf(HitDistance(shape, aside) - 5.0f) < 2e-3f);
}

static void RaysMeetTrianglesFromBothSides(void** state)
{
	(void)state;
	drapeVec3 a = {0.0f, 0.0f, 0.0f}, b = {1.0f, 0.0f, 0.0f}, c = {0.0f, 0.0f, -1.0f};
	for (int side = -1; side <= 1; side += 2)
	{
		Ray ray = {V3(0.2f, 2.0f * (float)side, -0.2f), V3(0.0f, (float)-side, 0.0f)};
		float distance = 10.0f;
		assert_true(drapeRay_HitsTriangle(ray, a, b, c, &distance) && fabsf(distance - 2.0f) < 1e-5f);
		// What is nearer stays.
		distance = 1.0f;
		assert_false(drapeRay_HitsTriangle(ray, a, b, c, &distance));
		ray.origin.x = 0.9f;
		distance = 10.0f;
		assert_false(drapeRay_HitsTriangle(ray, a, b, c, &distance));
	}
}

static void RotationsComposeToAxisAndAngle(void** state)
{
	(void)state;
	drapeQuat a = drapeQuat_FromAxisAngle(V3(0.0f, 1.0f, 0.0f), 0.7f),
			  b = drapeQuat_FromAxisAngle(V3(1.0f, 0.0f, 0.0f), -1.1f);
	drapeVec3 axis;
	float angle;
	Quat_ToAxisAngle(Quat_Multiply(a, b), &axis, &angle);
	drapeTransform both = drapeIdentityTransform(), first = both, second = both;
	both.rotation = drapeQuat_FromAxisAngle(axis, angle);
	first.rotation = b;
	second.rotation = a;
	drapeVec3 p = {0.3f, -0.2f, 0.9f};
	assert_true(V3_Distance(drapeTransform_Point(both, p),
	                        drapeTransform_Point(second, drapeTransform_Point(first, p))) < 1e-5f);
	Quat_ToAxisAngle((drapeQuat){0.0f, 0.0f, 0.0f, 1.0f}, &axis, &angle);
	assert_true(angle == 0.0f && axis.y == 1.0f);
}

static void NumberedFilesAreASequence(void** state)
{
	(void)state;
	char folder[] = "/tmp/drape.sequence.XXXXXX", path[64], pattern[256];
	uint32_t first = 0;
	assert_non_null(mkdtemp(folder));
	for (int i = 7; i < 12; ++i)
	{
		snprintf(path, sizeof path, "%s/a.%03d.obj", folder, i);
		FILE* file = fopen(path, "w");
		assert_non_null(file);
		fprintf(file, "v 0 0 0\nv 1 0 0\nv 0 %d 0\nf 1 2 3\n", i);
		fclose(file);
	}
	snprintf(path, sizeof path, "%s/a.009.obj", folder);
	assert_int_equal(drapeObjects_FindSequence(path, pattern, sizeof pattern, &first), 5);
	assert_int_equal(first, 7);
	assert_non_null(strstr(pattern, "/a.$F3.obj"));
	assert_int_equal(drapeObjects_FindSequence("/tmp/none.obj", path, sizeof path, &first), 0);

	// Files follow the time, and the last one stays.
	static Objects objects;
	Messages messages = {0};
	drapeSceneObject object = {.obj = pattern, .firstFrame = 7, .frameRate = 10.0f, .pose = {.scale = 1.0f}};
	static const float times[] = {0.0f, 0.25f, 5.0f}, heights[] = {7.0f, 9.0f, 11.0f};
	for (int i = 0; i < 3; ++i)
	{
		const ObjectMesh* mesh = drapeObjects_Get(&objects, &object, (double)times[i], &messages);
		assert_non_null(mesh);
		assert_true(mesh->bounds.max.y == heights[i]);
	}
	drapeObjects_Sweep(&objects);
	drapeObjects_Sweep(&objects);
	assert_int_equal(objects.count, 0);
	object.obj = "/tmp/none.obj";
	assert_null(drapeObjects_Get(&objects, &object, 0.0, &messages));
	assert_null(drapeObjects_Get(&objects, &object, 0.0, &messages));
	assert_int_equal(messages.errors, 1);
	drapeObjects_Free(&objects);
	for (int i = 7; i < 12; ++i)
	{
		snprintf(path, sizeof path, "%s/a.%03d.obj", folder, i);
		unlink(path);
	}
	rmdir(folder);
}

static void MessagesAreSaidOnceAndTheNewestAreKept(void** state)
{
	(void)state;
	Messages messages = {0};
	for (int i = 0; i < 5; ++i)
		drapeMessages_Add(&messages, message_error, "the same");
	assert_int_equal(messages.count, 1);
	for (int i = 0; i < 2 * message_capacity; ++i)
		drapeMessages_Add(&messages, message_note, "number %d", i);
	assert_int_equal(messages.count, message_capacity);
	assert_string_equal(messages.list[message_capacity - 1].text, "number 63");
	assert_true(messages.shown);
	drapeMessages_Clear(&messages);
	assert_false(messages.shown);
}

static void NoTwoCommandsShareAKey(void** state)
{
	(void)state;
	for (int i = 0; drapeCommands_At(i); ++i)
		for (int k = 0; k < i; ++k)
		{
			const Command *a = drapeCommands_At(i), *b = drapeCommands_At(k);
			assert_false(a->key == b->key && a->modifiers == b->modifiers);
			assert_string_not_equal(a->name, b->name);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ARayGoesThroughWhatItsPixelShows), cmocka_unit_test(PixelsHaveTheSizeThatProjectionSays),
		cmocka_unit_test(ACameraComesBackFromItsOrbit),     cmocka_unit_test(RaysMeetShapesWhereTheyAre),
		cmocka_unit_test(RaysMeetTrianglesFromBothSides),   cmocka_unit_test(RotationsComposeToAxisAndAngle),
		cmocka_unit_test(NumberedFilesAreASequence),        cmocka_unit_test(MessagesAreSaidOnceAndTheNewestAreKept),
		cmocka_unit_test(NoTwoCommandsShareAKey),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
