// SPDX-License-Identifier: MIT
// A cape on a walking figure, without a window, as an engine would use it: an own task system, a budget, filters, contact
// events, a teleport, a ray, and vertices for a renderer. cape.cpp is the same in C++.
//
//     cc cape.c $(pkg-config --cflags --libs drape) -lm -pthread

#include "figure.h"

#include <pthread.h>
#include <stdlib.h>

static const float dt = 1.0f / 60.0f; // s, of a step

enum
{
	workers = 3,
	categoryBody = 1 << 0, // our bits for filters
	categoryCloth = 1 << 1,
	categoryHands = 1 << 2, // the cape does not touch them
};

// --- the task system ------------------------------------------------------------------------------------------------

// Threads that share the ranges of one loop. drape starts one loop at a time, and waits for it.
typedef struct Pool
{
	pthread_t threads[workers - 1];
	pthread_mutex_t mutex;
	pthread_cond_t wake, done;
	drapeTaskFcn* task;
	void* context;
	uint32_t count, next, range, busy, started;
	bool isOver;
} Pool;

// Runs ranges of the loop until none is left. The mutex is locked.
static void RunRanges(Pool* pool, uint32_t worker)
{
	while (pool->next < pool->count)
	{
		uint32_t start = pool->next, end = start + pool->range;
		pool->next = end < pool->count ? end : pool->count;
		pool->busy++;
		pthread_mutex_unlock(&pool->mutex);
		pool->task(start, end < pool->count ? end : pool->count, worker, pool->context);
		pthread_mutex_lock(&pool->mutex);
		pool->busy--;
	}
	if (pool->busy == 0)
		pthread_cond_signal(&pool->done);
}

static void* WorkerMain(void* argument)
{
	Pool* pool = argument;
	pthread_mutex_lock(&pool->mutex);
	uint32_t worker = ++pool->started; // the thread that calls drape is worker 0
	while (!pool->isOver)
	{
		if (pool->next < pool->count)
			RunRanges(pool, worker);
		else
			pthread_cond_wait(&pool->wake, &pool->mutex);
	}
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

// A drapeEnqueueTaskFcn.
static void* Enqueue(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext, void* userContext)
{
	Pool* pool = userContext;
	pthread_mutex_lock(&pool->mutex);
	pool->task = task;
	pool->context = taskContext;
	pool->count = count;
	pool->next = 0;
	pool->range = minRange;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->mutex);
	return pool;
}

// A drapeFinishTaskFcn. The waiting thread works, too.
static void Finish(void* userTask, void* userContext)
{
	Pool* pool = userTask;
	(void)userContext;
	pthread_mutex_lock(&pool->mutex);
	RunRanges(pool, 0);
	while (pool->busy > 0)
		pthread_cond_wait(&pool->done, &pool->mutex);
	pthread_mutex_unlock(&pool->mutex);
}

static void Pool_Start(Pool* pool)
{
	pthread_mutex_init(&pool->mutex, NULL);
	pthread_cond_init(&pool->wake, NULL);
	pthread_cond_init(&pool->done, NULL);
	for (int i = 0; i < workers - 1; ++i)
		pthread_create(&pool->threads[i], NULL, WorkerMain, pool);
}

static void Pool_Stop(Pool* pool)
{
	pthread_mutex_lock(&pool->mutex);
	pool->isOver = true;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->mutex);
	for (int i = 0; i < workers - 1; ++i)
		pthread_join(pool->threads[i], NULL);
	pthread_mutex_destroy(&pool->mutex);
	pthread_cond_destroy(&pool->wake);
	pthread_cond_destroy(&pool->done);
}

// --- the scene ------------------------------------------------------------------------------------------------------

typedef struct Scene
{
	drapeWorldId world;
	drapeColliderId colliders[figureColliders];
	drapeClothId cape;
	drapeVec3 centre; // m, of the circle in which the figure walks
	float walked;     // s
	uint32_t touches; // contacts that began
} Scene;

static void Require(drapeResult result, const Scene* scene)
{
	if (result == drape_ok)
		return;
	fprintf(stderr, "%s\n", drapeWorld_GetMessage(scene->world));
	exit(1);
}

static void CreateScene(Scene* scene, Pool* pool)
{
	drapeMessage message = {0};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = workers;
	worldDef.enqueueTask = Enqueue;
	worldDef.finishTask = Finish;
	worldDef.taskContext = pool;
	worldDef.wind.kind = drape_windGusting;
	worldDef.wind.velocity = (drapeVec3){0.0f, 0.0f, 2.0f};
	if (drapeCreateWorld(&worldDef, &scene->world, &message) != drape_ok)
	{
		fprintf(stderr, "%s\n", message.text);
		exit(1);
	}
	Figure_AddColliders(scene->world, scene->colliders);
	for (int i = 0; i < figureColliders; ++i)
	{
		bool isHand = i == 3 || i == 5;
		drapeFilter filter = {isHand ? categoryHands : categoryBody, UINT64_MAX};
		Require(drapeCollider_SetFilter(scene->colliders[i], filter), scene);
	}
	drapeClothDef def = drapeDefaultClothDef();
	def.contact = drape_contactAll;
	def.filter = (drapeFilter){categoryCloth, categoryBody};
	def.budget.triangles = 800; // the mesh gets coarser before it has more
	def.budget.work = 150.0f;   // million operations of a step, so that every machine gives the same cape
	scene->cape = Figure_AddCape(scene->world, def, scene->colliders[figureTorso]);
	if (!drapeCloth_IsValid(scene->cape))
		exit(1);
}

// Walks for some seconds, and counts the contacts that begin.
static void Walk(Scene* scene, float seconds)
{
	for (float end = scene->walked + seconds; scene->walked < end;)
	{
		scene->walked += dt;
		Figure_Walk(scene->walked, scene->centre, scene->colliders);
		Require(drapeWorld_Step(scene->world, dt), scene);
		scene->touches += drapeWorld_GetContactEvents(scene->world).beginCount;
	}
}

// Moves figure and cape without a way in between. The ground stays.
static void Teleport(Scene* scene, drapeVec3 translation)
{
	drapeTeleportDef def = drapeDefaultTeleportDef();
	def.position = translation;
	def.colliders = scene->colliders;
	def.colliderCount = FIGURE_PARTS;
	Require(drapeWorld_Teleport(scene->world, &def), scene);
	scene->centre.x += translation.x;
	scene->centre.y += translation.y;
	scene->centre.z += translation.z;
}

// Casts a ray from behind the figure to its torso.
static drapeSurfaceHit CastFromBehind(const Scene* scene)
{
	drapeTransform torso = drapeCollider_GetTransform(scene->colliders[figureTorso]);
	drapeVec3 eye = drapeTransform_Point(torso, (drapeVec3){0.0f, 0.0f, -3.0f}), at = torso.position;
	drapeRay ray = {eye, {at.x - eye.x, at.y - eye.y, at.z - eye.z}};
	drapeFilter filter = {UINT64_MAX, categoryCloth};
	drapeSurfaceHit hit;
	Require(drapeWorld_CastRay(scene->world, ray, filter, &hit), scene);
	return hit;
}

// --- vertices -------------------------------------------------------------------------------------------------------

// As a renderer could have them: one vertex per texture corner, with a motion vector.
typedef struct Vertex
{
	drapeVec3 position, previous, normal;
	float tangent[4], texcoord[2];
} Vertex;

// Writes the vertices, and returns the greatest speed of one in the last step, m/s.
static float FindSpeed(const Scene* scene)
{
	drapeVertexSize size;
	Require(drapeCloth_GetVertexSize(scene->cape, drape_verticesPerCorner, &size), scene);
	Vertex* vertices = malloc(size.vertexCount * sizeof *vertices);
	if (!vertices)
		return 0.0f;
	drapeVertexLayout layout = {
		.kind = drape_verticesPerCorner,
		.positions = {&vertices->position, sizeof *vertices},
		.normals = {&vertices->normal, sizeof *vertices},
		.tangents = {&vertices->tangent, sizeof *vertices},
		.texcoords = {&vertices->texcoord, sizeof *vertices},
		.previousPositions = {&vertices->previous, sizeof *vertices},
	};
	Require(drapeCloth_WriteVertices(scene->cape, &layout, size.vertexCount), scene);
	float most = 0.0f;
	for (uint32_t i = 0; i < size.vertexCount; ++i)
	{
		drapeVec3 p = vertices[i].position, q = vertices[i].previous;
		float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
		most = fmaxf(most, sqrtf(x * x + y * y + z * z) / dt);
	}
	free(vertices);
	return most;
}

int main(void)
{
	Pool pool = {.isOver = false};
	Scene scene = {.walked = 0.0f};
	Pool_Start(&pool);
	CreateScene(&scene, &pool);
	FindSpeed(&scene); // from now on the cape keeps its previous positions
	Walk(&scene, 1.0f);
	Teleport(&scene, (drapeVec3){5.0f, 0.0f, -3.0f});
	Walk(&scene, 0.5f);

	drapeSurfaceHit hit = CastFromBehind(&scene);
	printf("%u triangles, %u contacts began, the fastest vertex has %.1f m/s, ",
	       drapeWorld_GetCounters(scene.world).triangles, scene.touches, (double)FindSpeed(&scene));
	printf("%s after %.2f m\n", hit.isHit ? "a ray hits the cape" : "a ray misses the cape", (double)hit.distance);
	drapeDestroyWorld(scene.world);
	Pool_Stop(&pool);
	return hit.isHit ? 0 : 1;
}
