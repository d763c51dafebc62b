// SPDX-License-Identifier: MIT
#include "base/transform.h"
#include "contact/contact_inner.h"

// A proof that a step has no impacts, so that cloth at rest needs neither a second broad phase nor CCD. With M the
// largest displacement of a vertex within the step, and h the smallest height of a triangle:
//
// - Features that the search for contact points tested were at least its clearance apart. All others were farther apart
//   than the search goes. Both come nearer by at most 2 M.
// - In a culled region (self_culling.h) F changes by at most 3 M / h in each triangle, as the gradients of its
//   barycentric coordinates are at most 1 / h. A change of less than CULLING_RATIO leaves the condition true with the
//   rest of the ratio. Features without a common corner are at least h apart in the material: the sum of the hat
//   functions around one of them has a gradient of at most 1 / h, is one on it and zero on the other. So they do not
//   meet. They may be nearer than the gap, which counts for cloth that is far apart in the material.
// - Features that the search left out because they are farther apart than CULLING_RATIO times their distance in the
//   material come nearer by at most 2 M, less than a third of that.
// - Triangles around an open corner face a common direction by a cosine of at least 0.3 (nearSlope). Their normals turn
//   by about 4 M / h at most.

enum
{
	quietGrain = 2048,
};

// Bound on M / h: F changes by at most 0.1, normals by 0.14.
static const float quietShare = 1.0f / 30.0f;

typedef struct QuietTask
{
	const ContactBodies* bodies;
	const ContactBody* body;
	float most;   // m: displacements that the clearance allows
	float* quiet; // per chunk: 1 when the proof holds
} QuietTask;

// Squared height of a triangle over its longest edge, from its edges.
static float HeightSquare(Vec3 a, Vec3 b)
{
	Vec3 normal = V3Cross(a, b), c = V3Sub(b, a);
	float longest = MaxF(V3Dot(a, a), MaxF(V3Dot(b, b), V3Dot(c, c)));
	return longest > 0.0f ? V3Dot(normal, normal) / longest : 0.0f;
}

static bool TriangleIsQuiet(const QuietTask* task, uint32_t t)
{
	const ContactBody* body = task->body;
	const uint32_t* vertex = task->bodies->elements.data[body->elementStart + t].vertex;
	Vec3 from[3];
	float square = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		from[k] = V4Xyz(task->bodies->from.data[vertex[k]]);
		Vec3 moved = V3Sub(V4Xyz(task->bodies->to.data[vertex[k]]), from[k]);
		square = MaxF(square, V3Dot(moved, moved));
	}
	const Vec2* corner = body->shape[t].corner;
	Vec2 u = V2Sub(corner[1], corner[0]), v = V2Sub(corner[2], corner[0]);
	float rest = HeightSquare((Vec3){u.x, u.y, 0.0f}, (Vec3){v.x, v.y, 0.0f});
	float height = MinF(rest, HeightSquare(V3Sub(from[1], from[0]), V3Sub(from[2], from[0])));
	return square <= task->most * task->most && square <= quietShare * quietShare * height;
}

static void QuietRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const QuietTask* task = context;
	bool isQuiet = true;
	for (uint32_t t = start; t < end && isQuiet; ++t)
		isQuiet = TriangleIsQuiet(task, t);
	task->quiet[start / quietGrain] = isQuiet ? 1.0f : 0.0f;
}

static bool BodyIsQuiet(ContactStage* stage, QuietTask* task)
{
	uint32_t count = task->body->elementEnd - task->body->elementStart, chunks = TaskPool_ChunkCount(count, quietGrain);
	if (!ArrayReserve(&stage->quiet, chunks))
		return false;
	task->quiet = stage->quiet.data;
	drapeTaskPool_For(stage->tasks, count, quietGrain, QuietRange, task);
	for (uint32_t i = 0; i < chunks; ++i)
	{
		if (!(stage->quiet.data[i] > 0.0f))
			return false;
	}
	return true;
}

static bool SceneryMoves(const ContactScenery* scenery)
{
	bool moves = false;
	for (uint32_t i = 0; i < scenery->colliderCount; ++i)
		moves |= !drapeTransform_Equal(scenery->colliders[i].from, scenery->colliders[i].to);
	for (uint32_t i = 0; i < scenery->meshCount; ++i)
		moves |= scenery->meshes[i].moves;
	return moves;
}

bool drapeContactStage_IsQuiet(ContactStage* stage)
{
	const ContactBodies* bodies = &stage->broadPhase.bodies;
	float gap = 0.0f;
	if (SceneryMoves(&stage->scenery))
		return false;
	for (uint32_t b = 0; b < bodies->bodies.count; ++b)
		gap = MaxF(gap, bodies->bodies.data[b].gap);
	// Impacts keep up to 1.1 gaps.
	float most = 0.49f * (0.99f * stage->proximities.clearance - 1.2f * gap);
	if (!(most > 0.0f))
		return false;
	QuietTask task = {.bodies = bodies, .most = most};
	for (uint32_t b = stage->colliderBodies; b < bodies->bodies.count; ++b)
	{
		task.body = &bodies->bodies.data[b];
		if (!task.body->shape || !BodyIsQuiet(stage, &task))
			return false;
	}
	return true;
}
