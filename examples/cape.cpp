// SPDX-License-Identifier: MIT
// A cape on a walking figure, without a window, as an engine in C++17 would use it: handles that destroy their objects, a
// task system of std::thread, a budget, filters, contact events, a teleport, a ray, and vertices for a renderer. cape.c is
// the same in C.
//
//     c++ -std=c++17 cape.cpp $(pkg-config --cflags --libs drape) -pthread

#include "figure.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace
{

constexpr float dt = 1.0f / 60.0f;                                                        // s, of a step
constexpr uint64_t categoryBody = 1 << 0, categoryCloth = 1 << 1, categoryHands = 1 << 2; // our bits for filters

// --- handles --------------------------------------------------------------------------------------------------------

// Owns an object of the library.
template <typename Id, drapeResult (*Destroy)(Id)> class Owned
{
  public:
	Owned() = default;
	explicit Owned(Id id) : id_(id)
	{
	}
	Owned(Owned&& other) noexcept : id_(std::exchange(other.id_, Id{}))
	{
	}
	Owned& operator=(Owned&& other) noexcept
	{
		std::swap(id_, other.id_);
		return *this;
	}
	~Owned()
	{
		Destroy(id_);
	}
	operator Id() const
	{
		return id_;
	}

  private:
	Id id_{}; // the library ignores a null handle
};

using World = Owned<drapeWorldId, drapeDestroyWorld>;
using Cloth = Owned<drapeClothId, drapeDestroyCloth>;

void Require(drapeResult result, drapeWorldId world)
{
	if (result != drape_ok)
		throw std::runtime_error(drapeWorld_GetMessage(world));
}

// --- the task system ------------------------------------------------------------------------------------------------

// Threads that share the ranges of one loop. drape starts one loop at a time, and waits for it.
class Pool
{
  public:
	explicit Pool(uint32_t workers)
	{
		for (uint32_t worker = 1; worker < workers; ++worker) // the thread that calls drape is worker 0
			threads_.emplace_back([this, worker] { Work(worker); });
	}

	~Pool()
	{
		{
			std::lock_guard lock(mutex_);
			isOver_ = true;
		}
		wake_.notify_all();
		for (std::thread& thread : threads_)
			thread.join();
	}

	void Connect(drapeWorldDef& def)
	{
		def.workerCount = static_cast<uint32_t>(threads_.size()) + 1;
		def.taskContext = this;
		def.enqueueTask = [](drapeTaskFcn* task, uint32_t count, uint32_t range, void* context, void* pool)
		{
			static_cast<Pool*>(pool)->Start({task, context, count, range});
			return pool;
		};
		def.finishTask = [](void* pool, void*) { static_cast<Pool*>(pool)->Finish(); };
	}

  private:
	struct Loop
	{
		drapeTaskFcn* task = nullptr;
		void* context = nullptr;
		uint32_t count = 0, range = 1, next = 0;
	};

	void Start(const Loop& loop)
	{
		{
			std::lock_guard lock(mutex_);
			loop_ = loop;
		}
		wake_.notify_all();
	}

	// The waiting thread works, too.
	void Finish()
	{
		std::unique_lock lock(mutex_);
		RunRanges(lock, 0);
		done_.wait(lock, [this] { return busy_ == 0; });
	}

	void Work(uint32_t worker)
	{
		std::unique_lock lock(mutex_);
		while (!isOver_)
		{
			RunRanges(lock, worker);
			wake_.wait(lock, [this] { return isOver_ || loop_.next < loop_.count; });
		}
	}

	// Runs ranges of the loop until none is left.
	void RunRanges(std::unique_lock<std::mutex>& lock, uint32_t worker)
	{
		while (loop_.next < loop_.count)
		{
			uint32_t start = loop_.next, end = std::min(loop_.count, start + loop_.range);
			loop_.next = end;
			busy_++;
			lock.unlock();
			loop_.task(start, end, worker, loop_.context);
			lock.lock();
			busy_--;
		}
		if (busy_ == 0)
			done_.notify_one();
	}

	std::vector<std::thread> threads_;
	std::mutex mutex_;
	std::condition_variable wake_, done_;
	Loop loop_;
	uint32_t busy_ = 0; // ranges under way
	bool isOver_ = false;
};

// --- the scene ------------------------------------------------------------------------------------------------------

// As a renderer could have them: one vertex per texture corner, with a motion vector.
struct Vertex
{
	drapeVec3 position, previous, normal;
	float tangent[4], texcoord[2];
};

class Scene
{
  public:
	explicit Scene(Pool& pool)
	{
		drapeMessage message = {};
		drapeWorldDef worldDef = drapeDefaultWorldDef();
		pool.Connect(worldDef);
		worldDef.wind.kind = drape_windGusting;
		worldDef.wind.velocity = {0.0f, 0.0f, 2.0f};
		drapeWorldId world;
		if (drapeCreateWorld(&worldDef, &world, &message) != drape_ok)
			throw std::runtime_error(message.text);
		world_ = World(world);

		Figure_AddColliders(world, colliders_.data());
		for (int i = 0; i < figureColliders; ++i)
		{
			bool isHand = i == 3 || i == 5; // the cape does not touch them
			Require(drapeCollider_SetFilter(colliders_[i], {isHand ? categoryHands : categoryBody, UINT64_MAX}), world);
		}
		drapeClothDef def = drapeDefaultClothDef();
		def.contact = drape_contactAll;
		def.filter = {categoryCloth, categoryBody};
		def.budget.triangles = 800; // the mesh gets coarser before it has more
		def.budget.work = 150.0f;   // million operations of a step, so that every machine gives the same cape
		cape_ = Cloth(Figure_AddCape(world, def, colliders_[figureTorso]));
		if (!drapeCloth_IsValid(cape_))
			throw std::runtime_error(drapeWorld_GetMessage(world));
	}

	// Walks for some seconds, and counts the contacts that begin.
	void Walk(float seconds)
	{
		for (float end = walked_ + seconds; walked_ < end;)
		{
			walked_ += dt;
			Figure_Walk(walked_, centre_, colliders_.data());
			Require(drapeWorld_Step(world_, dt), world_);
			touches_ += drapeWorld_GetContactEvents(world_).beginCount;
		}
	}

	// Moves figure and cape without a way in between. The ground stays.
	void Teleport(drapeVec3 translation)
	{
		drapeTeleportDef def = drapeDefaultTeleportDef();
		def.position = translation;
		def.colliders = colliders_.data();
		def.colliderCount = FIGURE_PARTS;
		Require(drapeWorld_Teleport(world_, &def), world_);
		centre_ = {centre_.x + translation.x, centre_.y + translation.y, centre_.z + translation.z};
	}

	// Casts a ray from behind the figure to its torso.
	drapeSurfaceHit CastFromBehind() const
	{
		drapeTransform torso = drapeCollider_GetTransform(colliders_[figureTorso]);
		drapeVec3 eye = drapeTransform_Point(torso, {0.0f, 0.0f, -3.0f}), at = torso.position;
		drapeSurfaceHit hit;
		Require(drapeWorld_CastRay(world_, {eye, {at.x - eye.x, at.y - eye.y, at.z - eye.z}},
		                           {UINT64_MAX, categoryCloth}, &hit),
		        world_);
		return hit;
	}

	// Writes the vertices; a renderer would write them to mapped memory.
	std::vector<Vertex> WriteVertices() const
	{
		drapeVertexSize size;
		Require(drapeCloth_GetVertexSize(cape_, drape_verticesPerCorner, &size), world_);
		std::vector<Vertex> vertices(size.vertexCount);
		drapeVertexLayout layout = {};
		layout.kind = drape_verticesPerCorner;
		layout.positions = {&vertices[0].position, sizeof(Vertex)};
		layout.normals = {&vertices[0].normal, sizeof(Vertex)};
		layout.tangents = {&vertices[0].tangent, sizeof(Vertex)};
		layout.texcoords = {&vertices[0].texcoord, sizeof(Vertex)};
		layout.previousPositions = {&vertices[0].previous, sizeof(Vertex)};
		Require(drapeCloth_WriteVertices(cape_, &layout, size.vertexCount), world_);
		return vertices;
	}

	uint32_t CountTriangles() const
	{
		return drapeWorld_GetCounters(world_).triangles;
	}
	uint32_t CountTouches() const
	{
		return touches_;
	}

  private:
	World world_; // destroyed last
	Cloth cape_;
	std::array<drapeColliderId, figureColliders> colliders_;
	drapeVec3 centre_ = {0.0f, 0.0f, 0.0f}; // m, of the circle in which the figure walks
	float walked_ = 0.0f;                   // s
	uint32_t touches_ = 0;                  // contacts that began
};

// The greatest speed of a vertex in the last step, m/s.
float FindSpeed(const std::vector<Vertex>& vertices)
{
	float most = 0.0f;
	for (const Vertex& vertex : vertices)
	{
		drapeVec3 p = vertex.position, q = vertex.previous;
		most = std::max(most, std::hypot(p.x - q.x, p.y - q.y, p.z - q.z) / dt);
	}
	return most;
}

} // namespace

int main()
{
	try
	{
		Pool pool(3);
		Scene scene(pool);
		scene.WriteVertices(); // from now on the cape keeps its previous positions
		scene.Walk(1.0f);
		scene.Teleport({5.0f, 0.0f, -3.0f});
		scene.Walk(0.5f);

		drapeSurfaceHit hit = scene.CastFromBehind();
		std::printf("%u triangles, %u contacts began, the fastest vertex has %.1f m/s, ", scene.CountTriangles(),
		            scene.CountTouches(), static_cast<double>(FindSpeed(scene.WriteVertices())));
		std::printf("%s after %.2f m\n", hit.isHit ? "a ray hits the cape" : "a ray misses the cape",
		            static_cast<double>(hit.distance));
		return hit.isHit ? 0 : 1;
	}
	catch (const std::exception& error)
	{
		std::fprintf(stderr, "%s\n", error.what());
		return 1;
	}
}
