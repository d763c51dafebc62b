// SPDX-License-Identifier: MIT
#include "solve/base_levels.h"

#include <string.h>

// Each round thins out one graph. Its nodes are the remaining vertices, its edges the couplings in the equations of
// that level. A round decides which nodes are kept, finds parents for the others, and builds the graph of the kept
// ones, until few remain.
//
// Boundaries come first, each a closed chain of nodes. A round keeps sharp corners and every second node between them.
// Removed nodes are interpolated along the chain, so that a free edge or a row of pins keeps its shape. The interior
// follows as a maximal independent set that grows from the boundary as an advancing front: the next node is the one
// that fits the decided ones best. On a regular grid both together keep every second node of every second row.

enum
{
	enoughNodes = 40,  // up to this many, a direct solver takes over
	shortestChain = 6, // the boundary of a smaller hole is ignored
	queueBuckets = 64,
	straightFit = 4,   // fit of a neighbour straight beyond; others have 1
	candidateMax = 12, // kept nodes from which a triple is chosen
	widestDetour = 64, // the search goes on through nodes with up to this many neighbours
};

static const float cornerCosine = 0.75f;  // a chain has a corner if the cosine of its turn is smaller
static const float straightCosine = 0.8f; // a path is straight if the cosine of its turn is greater
static const float strongCoupling = 0.1f; // couplings below this fraction of a node's strongest one are dropped
static const float flatness = 1e-3f;      // a pair suffices within this distance of its segment, over its length
static const float leastWeight = 1e-3f;   // parents with smaller weights are dropped
static const float detourCost = 1.1f;     // factor of the distance between nodes that are not neighbours

enum
{
	nodeOpen = 0, // not decided yet
	nodeKept,
	nodeGone,
};

typedef struct Coupling
{
	uint32_t node[2];
	float strength;
} Coupling;

typedef struct Link
{
	uint32_t node;
	float strength;
} Link;

typedef struct Child
{
	uint32_t node;
	float weight;
} Child;

// Open nodes in buckets by their fit to the front, in order of arrival within a bucket.
typedef struct Queue
{
	uint32_t first[queueBuckets], last[queueBuckets];
	ARRAY(uint32_t) after, before; // per node
	ARRAY(uint32_t) fit;           // per node: how well it fits the decided ones
} Queue;

typedef struct Thinning
{
	uint32_t count;                 // nodes
	ARRAY(uint32_t) vertex;         // per node: index in the pattern
	ARRAY(Vec3) position;           // per node, m
	ARRAY(Vec3) normal;             // per node, of any length
	ARRAY(uint32_t) next, previous; // per node: along the boundary; DRAPE_NONE elsewhere
	ARRAY(Coupling) couplings;      // the edges of the graph, each once
	ARRAY(uint32_t) linkStart;      // [count + 1]
	ARRAY(Link) links;              // the same edges, sorted by node
	ARRAY(uint8_t) state;           // per node
	ARRAY(BaseParents) parents;     // per removed node: nodes
	Queue queue;
	ARRAY(uint32_t) number;     // per node: its number among the kept ones
	ARRAY(uint32_t) childStart; // per kept node: its children and itself
	ARRAY(Child) children;
	ARRAY(float) strength;   // per kept node: 0 unless touched
	ARRAY(float) strongest;  // per kept node: strongest coupling
	ARRAY(uint32_t) touched; // nodes or kept nodes visited so far
	ARRAY(uint32_t) seen;    // per node: the stamp of the last search that visited it
	uint32_t stamp;
} Thinning;

static void FreeThinning(Thinning* thin)
{
	ArrayFree(&thin->vertex);
	ArrayFree(&thin->position);
	ArrayFree(&thin->normal);
	ArrayFree(&thin->next);
	ArrayFree(&thin->previous);
	ArrayFree(&thin->couplings);
	ArrayFree(&thin->linkStart);
	ArrayFree(&thin->links);
	ArrayFree(&thin->state);
	ArrayFree(&thin->parents);
	ArrayFree(&thin->queue.after);
	ArrayFree(&thin->queue.before);
	ArrayFree(&thin->queue.fit);
	ArrayFree(&thin->number);
	ArrayFree(&thin->childStart);
	ArrayFree(&thin->children);
	ArrayFree(&thin->strength);
	ArrayFree(&thin->strongest);
	ArrayFree(&thin->touched);
	ArrayFree(&thin->seen);
}

// Later rounds have fewer nodes, so that only couplings and links may grow.
static bool ReserveThinning(Thinning* thin, uint32_t count, uint32_t couplingCount)
{
	return ArrayReserve(&thin->vertex, count) && ArrayReserve(&thin->position, count) &&
	       ArrayReserve(&thin->normal, count) && ArrayReserve(&thin->next, count) &&
	       ArrayReserve(&thin->previous, count) && ArrayReserve(&thin->couplings, couplingCount) &&
	       ArrayReserve(&thin->linkStart, count + 1) && ArrayReserve(&thin->state, count) &&
	       ArrayReserve(&thin->parents, count) && ArrayReserve(&thin->queue.after, count) &&
	       ArrayReserve(&thin->queue.before, count) && ArrayReserve(&thin->queue.fit, count) &&
	       ArrayReserve(&thin->number, count) && ArrayReserve(&thin->childStart, count + 1) &&
	       ArrayReserve(&thin->children, 3 * (size_t)count) && ArrayReserve(&thin->strength, count) &&
	       ArrayReserve(&thin->strongest, count) && ArrayReserve(&thin->touched, count) &&
	       ArrayReserve(&thin->seen, count);
}

// --- the graph ------------------------------------------------------------------------------------------------------

static void AddNormals(Thinning* thin, const PatternMesh* pattern)
{
	memset(thin->normal.data, 0, pattern->vertexCount * sizeof *thin->normal.data);
	for (uint32_t triangle = 0; triangle < pattern->triangleCount; ++triangle)
	{
		const uint32_t* corner = pattern->triangles + 3 * (size_t)triangle;
		Vec3 a = pattern->positions[corner[0]];
		Vec3 ab = V3Sub(pattern->positions[corner[1]], a), ac = V3Sub(pattern->positions[corner[2]], a);
		Vec3 normal = V3Cross(ab, ac); // twice the area long
		for (int k = 0; k < 3; ++k)
			thin->normal.data[corner[k]] = V3Add(thin->normal.data[corner[k]], normal);
	}
}

static void TakePattern(Thinning* thin, const PatternMesh* pattern)
{
	thin->count = pattern->vertexCount;
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		thin->vertex.data[i] = i;
		thin->position.data[i] = pattern->positions[i];
		thin->next.data[i] = thin->previous.data[i] = DRAPE_NONE;
	}
	for (uint32_t e = 0; e < pattern->edgeCount; ++e)
	{
		const PatternEdge* edge = &pattern->edges[e];
		ArrayPush(&thin->couplings, ((Coupling){{edge->vertex[0], edge->vertex[1]}, 1.0f}));
		if (edge->half[1] != DRAPE_NONE)
			continue;
		thin->next.data[edge->vertex[0]] = edge->vertex[1];
		thin->previous.data[edge->vertex[1]] = edge->vertex[0];
	}
	AddNormals(thin, pattern);
}

static bool LinkNodes(Thinning* thin)
{
	if (!ArrayReserve(&thin->links, 2 * (size_t)thin->couplings.count))
		return false;
	uint32_t* start = thin->linkStart.data;
	memset(start, 0, ((size_t)thin->count + 1) * sizeof *start);
	for (uint32_t e = 0; e < thin->couplings.count; ++e)
	{
		start[thin->couplings.data[e].node[0]]++;
		start[thin->couplings.data[e].node[1]]++;
	}
	// Counts become ends. The links are then filled in from the back, which turns ends into starts.
	uint32_t sum = 0;
	for (uint32_t i = 0; i < thin->count; ++i)
		start[i] = sum += start[i];
	start[thin->count] = sum;
	for (uint32_t e = thin->couplings.count; e-- > 0;)
	{
		const Coupling* coupling = &thin->couplings.data[e];
		for (int k = 0; k < 2; ++k)
			thin->links.data[--start[coupling->node[k]]] = (Link){coupling->node[1 - k], coupling->strength};
	}
	return true;
}

DRAPE_INLINE const Link* FirstLink(const Thinning* thin, uint32_t node)
{
	return thin->links.data + thin->linkStart.data[node];
}

DRAPE_INLINE const Link* EndLink(const Thinning* thin, uint32_t node)
{
	return thin->links.data + thin->linkStart.data[node + 1];
}

DRAPE_INLINE uint32_t Valence(const Thinning* thin, uint32_t node)
{
	return thin->linkStart.data[node + 1] - thin->linkStart.data[node];
}

// --- boundaries -----------------------------------------------------------------------------------------------------

// The cosine of the chain's turn at a node.
static float TurnCosine(const Thinning* thin, uint32_t node)
{
	DRAPE_ASSERT(thin->next.data[node] != DRAPE_NONE && thin->previous.data[node] != DRAPE_NONE);
	Vec3 here = thin->position.data[node];
	Vec3 in = V3Normalize(V3Sub(here, thin->position.data[thin->previous.data[node]]));
	Vec3 out = V3Normalize(V3Sub(thin->position.data[thin->next.data[node]], here));
	return V3Dot(in, out);
}

// Dissolves a chain that is too short; false in that case.
static bool ChainCounts(Thinning* thin, uint32_t first)
{
	uint32_t length = 0;
	for (uint32_t node = first; length < shortestChain && (length == 0 || node != first); ++length)
		node = thin->next.data[node];
	if (length >= shortestChain)
		return true;
	for (uint32_t node = first; node != DRAPE_NONE;)
	{
		uint32_t next = thin->next.data[node];
		thin->next.data[node] = thin->previous.data[node] = DRAPE_NONE;
		node = next;
	}
	return false;
}

// Keeps corners that are sharper than both neighbours, and at least one node. Returns a kept one.
static uint32_t KeepCorners(Thinning* thin, uint32_t first)
{
	DRAPE_ASSERT(first < thin->count && thin->next.data[first] != DRAPE_NONE);
	uint32_t kept = DRAPE_NONE, node = first;
	float before = TurnCosine(thin, thin->previous.data[first]), here = TurnCosine(thin, first);
	do
	{
		float after = TurnCosine(thin, thin->next.data[node]);
		if (here < cornerCosine && here < before && here <= after)
		{
			thin->state.data[node] = nodeKept;
			kept = node;
		}
		before = here;
		here = after;
		node = thin->next.data[node];
	} while (node != first);
	if (kept == DRAPE_NONE)
		thin->state.data[kept = first] = nodeKept;
	return kept;
}

// Keeps every second node up to the next kept one, which is returned. If their number is even, two neighbours are
// removed.
static uint32_t ThinGap(Thinning* thin, uint32_t from)
{
	DRAPE_ASSERT(thin->state.data[from] == nodeKept);
	uint32_t length = 1, to = thin->next.data[from];
	for (; thin->state.data[to] != nodeKept; to = thin->next.data[to])
		length++;
	DRAPE_ASSERT(length >= 2);
	uint32_t node = thin->next.data[from];
	for (uint32_t k = 1; k < length; ++k, node = thin->next.data[node])
		thin->state.data[node] = k % 2 == 0 && k + 2 <= length ? nodeKept : nodeGone;
	return to;
}

// Interpolates the removed nodes by length up to the next kept one, which is returned.
static uint32_t SpanGap(Thinning* thin, uint32_t from)
{
	DRAPE_ASSERT(thin->state.data[from] == nodeKept);
	uint32_t to = from;
	float length = 0.0f;
	do
	{
		uint32_t next = thin->next.data[to];
		length += V3Length(V3Sub(thin->position.data[next], thin->position.data[to]));
		to = next;
	} while (thin->state.data[to] != nodeKept);
	DRAPE_ASSERT(to != from);
	float passed = 0.0f;
	for (uint32_t node = from;;)
	{
		uint32_t next = thin->next.data[node];
		if (next == to)
			return to;
		passed += V3Length(V3Sub(thin->position.data[next], thin->position.data[node]));
		float weight = length > 0.0f ? passed / length : 0.5f;
		thin->parents.data[next] = (BaseParents){{from, to, DRAPE_NONE}, {1.0f - weight, weight, 0.0f}};
		node = next;
	}
}

static void ThinBoundaries(Thinning* thin)
{
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		if (thin->next.data[i] == DRAPE_NONE || thin->state.data[i] != nodeOpen || !ChainCounts(thin, i))
			continue;
		uint32_t first = KeepCorners(thin, i), node = first;
		do
			node = ThinGap(thin, node);
		while (node != first);
		do
			node = SpanGap(thin, node);
		while (node != first);
	}
}

// --- the interior ---------------------------------------------------------------------------------------------------

static void Enqueue(Queue* queue, uint32_t bucket, uint32_t node)
{
	DRAPE_ASSERT(bucket < queueBuckets);
	queue->before.data[node] = queue->last[bucket];
	queue->after.data[node] = DRAPE_NONE;
	if (queue->last[bucket] != DRAPE_NONE)
		queue->after.data[queue->last[bucket]] = node;
	else
		queue->first[bucket] = node;
	queue->last[bucket] = node;
}

static void Dequeue(Queue* queue, uint32_t bucket, uint32_t node)
{
	DRAPE_ASSERT(bucket < queueBuckets);
	uint32_t before = queue->before.data[node], after = queue->after.data[node];
	if (before != DRAPE_NONE)
		queue->after.data[before] = after;
	else
		queue->first[bucket] = after;
	if (after != DRAPE_NONE)
		queue->before.data[after] = before;
	else
		queue->last[bucket] = before;
}

// The bucket of an open node. A new front begins only when all others have ended. On a front, a node has priority by
// the number of its neighbours, and more so by those that are removed (Ruge and Stueben 1987, first pass of
// coarsening).
static uint32_t Bucket(const Thinning* thin, uint32_t node)
{
	uint32_t fit = thin->queue.fit.data[node];
	return fit == 0 ? 0 : MinU32(Valence(thin, node) + fit, queueBuckets - 1);
}

static void Raise(Thinning* thin, uint32_t node, uint32_t by)
{
	Dequeue(&thin->queue, Bucket(thin, node), node);
	thin->queue.fit.data[node] += by;
	Enqueue(&thin->queue, Bucket(thin, node), node);
}

// Raises the fit of nodes straight beyond a removed neighbour of a kept node: the removed one then lies between a pair.
static void RaiseBeyond(Thinning* thin, uint32_t kept, uint32_t gone)
{
	Vec3 middle = thin->position.data[gone];
	Vec3 in = V3Normalize(V3Sub(middle, thin->position.data[kept]));
	for (const Link* link = FirstLink(thin, gone); link < EndLink(thin, gone); ++link)
	{
		if (thin->state.data[link->node] != nodeOpen)
			continue;
		Vec3 out = V3Normalize(V3Sub(thin->position.data[link->node], middle));
		Raise(thin, link->node, V3Dot(in, out) > straightCosine ? straightFit : 1);
	}
}

static void RemoveNeighbours(Thinning* thin, uint32_t kept)
{
	DRAPE_ASSERT(thin->state.data[kept] == nodeKept);
	for (const Link* link = FirstLink(thin, kept); link < EndLink(thin, kept); ++link)
	{
		if (thin->state.data[link->node] != nodeOpen)
			continue;
		Dequeue(&thin->queue, Bucket(thin, link->node), link->node);
		thin->state.data[link->node] = nodeGone;
		thin->parents.data[link->node].parent[0] = DRAPE_NONE; // yet to be found
		RaiseBeyond(thin, kept, link->node);
	}
}

static void BeginFront(Thinning* thin)
{
	Queue* queue = &thin->queue;
	memset(queue->first, 0xff, sizeof queue->first);
	memset(queue->last, 0xff, sizeof queue->last);
	memset(queue->fit.data, 0, thin->count * sizeof *queue->fit.data);
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		if (thin->state.data[i] == nodeOpen)
			Enqueue(queue, 0, i);
	}
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		if (thin->state.data[i] == nodeKept)
			RemoveNeighbours(thin, i);
	}
}

static void ThinInterior(Thinning* thin)
{
	BeginFront(thin);
	Queue* queue = &thin->queue;
	for (;;)
	{
		uint32_t bucket = queueBuckets - 1;
		while (bucket > 0 && queue->first[bucket] == DRAPE_NONE)
			bucket--;
		uint32_t node = queue->first[bucket];
		if (node == DRAPE_NONE)
			return;
		Dequeue(queue, bucket, node);
		thin->state.data[node] = nodeKept;
		RemoveNeighbours(thin, node);
	}
}

// True when each neighbour of a kept node has two other kept neighbours.
static bool IsSpare(const Thinning* thin, uint32_t node)
{
	if (thin->next.data[node] != DRAPE_NONE || Valence(thin, node) < 3)
		return false;
	for (const Link* link = FirstLink(thin, node); link < EndLink(thin, node); ++link)
	{
		if (Valence(thin, link->node) > widestDetour)
			return false;
		uint32_t kept = 0;
		for (const Link* other = FirstLink(thin, link->node); other < EndLink(thin, link->node); ++other)
			kept += thin->state.data[other->node] == nodeKept;
		if (kept < 3)
			return false;
	}
	return true;
}

// Removes kept nodes that no other needs. On meshes that mix nodes of few and many neighbours, such as quads with
// alternating diagonals, an independent set is twice as dense as necessary.
static void RemoveSpares(Thinning* thin)
{
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		if (thin->state.data[i] != nodeKept || !IsSpare(thin, i))
			continue;
		thin->state.data[i] = nodeGone;
		thin->parents.data[i].parent[0] = DRAPE_NONE;
	}
}

// Decides about every node; returns the number of kept ones.
static uint32_t ChooseKept(Thinning* thin)
{
	memset(thin->state.data, nodeOpen, thin->count);
	ThinBoundaries(thin);
	ThinInterior(thin);
	RemoveSpares(thin);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < thin->count; ++i)
		thin->number.data[i] = thin->state.data[i] == nodeKept ? kept++ : DRAPE_NONE;
	return kept;
}

// --- parents --------------------------------------------------------------------------------------------------------

// A kept node near the interpolated one, which is the origin.
typedef struct Candidate
{
	uint32_t node;
	Vec2 plane; // position in the tangent plane
	Vec3 away;
	float cost; // squared distance, and a little for a detour
} Candidate;

typedef struct Candidates
{
	uint32_t count;
	Candidate near[candidateMax]; // sorted by cost
} Candidates;

static void AddCandidate(Candidates* candidates, const Thinning* thin, uint32_t of, uint32_t node, float costScale)
{
	Candidate candidate = {.node = node, .away = V3Sub(thin->position.data[node], thin->position.data[of])};
	candidate.cost = costScale * V3Dot(candidate.away, candidate.away);
	uint32_t slot = candidates->count;
	if (slot == candidateMax && candidates->near[slot - 1].cost <= candidate.cost)
		return;
	slot -= slot == candidateMax;
	for (; slot > 0 && candidates->near[slot - 1].cost > candidate.cost; --slot)
		candidates->near[slot] = candidates->near[slot - 1];
	candidates->near[slot] = candidate;
	candidates->count = MinU32(candidates->count + 1, candidateMax);
}

// Takes a sample all around of very many kept neighbours. False when there are not that many.
static bool SampleNeighbours(Candidates* candidates, const Thinning* thin, uint32_t node)
{
	uint32_t kept = 0, order = 0;
	for (const Link* link = FirstLink(thin, node); link < EndLink(thin, node); ++link)
		kept += thin->state.data[link->node] == nodeKept;
	if (kept <= candidateMax)
		return false;
	uint32_t step = (kept + candidateMax - 1) / candidateMax;
	for (const Link* link = FirstLink(thin, node); link < EndLink(thin, node); ++link)
	{
		if (thin->state.data[link->node] == nodeKept && order++ % step == 0)
			AddCandidate(candidates, thin, node, link->node, 1.0f);
	}
	return true;
}

// Finds the nearest kept nodes up to `depth` links away.
static void FindCandidates(Candidates* candidates, Thinning* thin, uint32_t node, uint32_t depth)
{
	DRAPE_ASSERT(node < thin->count && depth > 0);
	candidates->count = 0;
	if (SampleNeighbours(candidates, thin, node))
		return;
	uint32_t stamp = ++thin->stamp, done = 0;
	thin->touched.count = 0;
	ArrayPush(&thin->touched, node);
	thin->seen.data[node] = stamp;
	for (uint32_t ring = 1; ring <= depth; ++ring)
	{
		for (uint32_t end = thin->touched.count; done < end; ++done)
		{
			uint32_t via = thin->touched.data[done];
			if (ring > 1 && Valence(thin, via) > widestDetour)
				continue;
			for (const Link* link = FirstLink(thin, via); link < EndLink(thin, via); ++link)
			{
				if (thin->seen.data[link->node] == stamp)
					continue;
				thin->seen.data[link->node] = stamp;
				ArrayPush(&thin->touched, link->node);
				if (thin->state.data[link->node] == nodeKept)
					AddCandidate(candidates, thin, node, link->node, ring == 1 ? 1.0f : detourCost);
			}
		}
	}
}

static void Flatten(Candidates* candidates, Vec3 normal)
{
	normal = V3Normalize(normal);
	Vec3 axis = fabsf(normal.x) < 0.6f ? (Vec3){1.0f, 0.0f, 0.0f} : (Vec3){0.0f, 1.0f, 0.0f};
	Vec3 u = V3Normalize(V3Cross(axis, normal)), v = V3Cross(normal, u);
	for (uint32_t i = 0; i < candidates->count; ++i)
		candidates->near[i].plane = (Vec2){V3Dot(u, candidates->near[i].away), V3Dot(v, candidates->near[i].away)};
}

// The best choice so far. The cost is the weighted mean of squared distances, which bounds the interpolation error of
// smooth functions. Among all triples around the node it is least for the Delaunay triangle.
typedef struct Choice
{
	BaseParents parents;
	float cost;
} Choice;

// Tries a pair whose segment passes close to the node.
static void TryPair(Choice* best, const Candidate* a, const Candidate* b)
{
	Vec2 ab = V2Sub(b->plane, a->plane);
	float length2 = V2Dot(ab, ab), along = -V2Dot(a->plane, ab);
	if (!(fabsf(V2Cross(a->plane, b->plane)) <= flatness * length2) || !(along > 0.0f && along < length2))
		return;
	float weight = along / length2, cost = (1.0f - weight) * a->cost + weight * b->cost;
	if (cost < best->cost)
		*best = (Choice){{{a->node, b->node, DRAPE_NONE}, {1.0f - weight, weight, 0.0f}}, cost};
}

static void TryTriple(Choice* best, const Candidate* a, const Candidate* b, const Candidate* c)
{
	float areaA = V2Cross(b->plane, c->plane), areaB = V2Cross(c->plane, a->plane), areaC = V2Cross(a->plane, b->plane);
	float area = areaA + areaB + areaC;
	if (!(fabsf(area) > 1e-4f * (a->cost + b->cost + c->cost)))
		return;
	float weight[3] = {areaA / area, areaB / area, areaC / area};
	if (weight[0] < 0.0f || weight[1] < 0.0f || weight[2] < 0.0f)
		return;
	float cost = weight[0] * a->cost + weight[1] * b->cost + weight[2] * c->cost;
	if (cost < best->cost)
		*best = (Choice){{{a->node, b->node, c->node}, {weight[0], weight[1], weight[2]}}, cost};
}

// Tries the nearest point of a segment, for a node that no triple surrounds. The distance from the segment counts most.
static void TryNearest(Choice* best, const Candidate* a, const Candidate* b)
{
	Vec3 ab = V3Sub(b->away, a->away);
	float length2 = V3Dot(ab, ab);
	float weight = length2 > 0.0f ? MinNumF(MaxNumF(-V3Dot(a->away, ab) / length2, 0.0f), 1.0f) : 0.0f;
	Vec3 off = V3Add(a->away, V3Scale(weight, ab));
	float cost = V3Dot(off, off) + 0.1f * ((1.0f - weight) * a->cost + weight * b->cost);
	if (cost < best->cost)
		*best = (Choice){{{a->node, b->node, DRAPE_NONE}, {1.0f - weight, weight, 0.0f}}, cost};
}

// False when no pair or triple has the node between them.
static bool ChooseAround(Choice* best, const Candidates* candidates)
{
	const Candidate* near = candidates->near;
	for (uint32_t a = 0; a < candidates->count; ++a)
	{
		for (uint32_t b = a + 1; b < candidates->count; ++b)
		{
			TryPair(best, near + a, near + b);
			for (uint32_t c = b + 1; c < candidates->count; ++c)
				TryTriple(best, near + a, near + b, near + c);
		}
	}
	return best->cost < INFINITY;
}

static void ChooseNearest(Choice* best, const Candidates* candidates)
{
	DRAPE_ASSERT(candidates->count > 0);
	const Candidate* near = candidates->near;
	best->parents = (BaseParents){{near->node, DRAPE_NONE, DRAPE_NONE}, {1.0f, 0.0f, 0.0f}};
	for (uint32_t a = 0; a < candidates->count; ++a)
	{
		for (uint32_t b = a + 1; b < candidates->count; ++b)
			TryNearest(best, near + a, near + b);
	}
}

static BaseParents ChooseParents(Thinning* thin, uint32_t node)
{
	DRAPE_ASSERT(node < thin->count && thin->state.data[node] != nodeKept);
	Candidates candidates;
	Choice best = {.cost = INFINITY};
	for (uint32_t depth = 2; depth <= 3; ++depth)
	{
		FindCandidates(&candidates, thin, node, depth);
		Flatten(&candidates, thin->normal.data[node]);
		if (ChooseAround(&best, &candidates))
			return best.parents;
	}
	ChooseNearest(&best, &candidates);
	return best.parents;
}

// Drops parents with very small weights.
static BaseParents Tidy(const BaseParents* chosen)
{
	BaseParents tidy = {{DRAPE_NONE, DRAPE_NONE, DRAPE_NONE}, {0.0f, 0.0f, 0.0f}};
	float sum = 0.0f;
	uint32_t count = 0;
	for (int k = 0; k < 3; ++k)
	{
		if (chosen->parent[k] == DRAPE_NONE || chosen->weight[k] < leastWeight)
			continue;
		tidy.parent[count] = chosen->parent[k];
		tidy.weight[count++] = chosen->weight[k];
		sum += chosen->weight[k];
	}
	DRAPE_ASSERT(count > 0);
	for (uint32_t k = 0; k < count; ++k)
		tidy.weight[k] /= sum;
	return tidy;
}

static void FindParents(Thinning* thin)
{
	memset(thin->seen.data, 0, thin->count * sizeof *thin->seen.data);
	thin->stamp = 0;
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		if (thin->state.data[i] != nodeGone)
			continue;
		if (thin->parents.data[i].parent[0] == DRAPE_NONE)
			thin->parents.data[i] = ChooseParents(thin, i);
		thin->parents.data[i] = Tidy(&thin->parents.data[i]);
	}
}

// --- the next graph -------------------------------------------------------------------------------------------------

// A node's dependence on kept ones: on itself, or on its parents.
static BaseParents Dependence(const Thinning* thin, uint32_t node)
{
	if (thin->state.data[node] == nodeKept)
		return (BaseParents){{node, DRAPE_NONE, DRAPE_NONE}, {1.0f, 0.0f, 0.0f}};
	return thin->parents.data[node];
}

static void ListChildren(Thinning* thin, uint32_t keptCount)
{
	DRAPE_ASSERT(keptCount <= thin->count);
	uint32_t* start = thin->childStart.data;
	memset(start, 0, ((size_t)keptCount + 1) * sizeof *start);
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		BaseParents on = Dependence(thin, i);
		for (int k = 0; k < 3 && on.parent[k] != DRAPE_NONE; ++k)
			start[thin->number.data[on.parent[k]]]++;
	}
	uint32_t sum = 0;
	for (uint32_t i = 0; i < keptCount; ++i)
		start[i] = sum += start[i];
	start[keptCount] = sum;
	for (uint32_t i = thin->count; i-- > 0;)
	{
		BaseParents on = Dependence(thin, i);
		for (int k = 0; k < 3 && on.parent[k] != DRAPE_NONE; ++k)
			thin->children.data[--start[thin->number.data[on.parent[k]]]] = (Child){i, on.weight[k]};
	}
}

// Sums the couplings of a kept node with those of higher numbers: a Galerkin product without its diagonal.
static void SumStrength(Thinning* thin, uint32_t kept)
{
	thin->touched.count = 0;
	for (uint32_t c = thin->childStart.data[kept]; c < thin->childStart.data[kept + 1]; ++c)
	{
		Child child = thin->children.data[c];
		for (const Link* link = FirstLink(thin, child.node); link < EndLink(thin, child.node); ++link)
		{
			BaseParents on = Dependence(thin, link->node);
			for (int k = 0; k < 3 && on.parent[k] != DRAPE_NONE; ++k)
			{
				uint32_t other = thin->number.data[on.parent[k]];
				if (other <= kept)
					continue;
				if (thin->strength.data[other] == 0.0f)
					ArrayPush(&thin->touched, other);
				thin->strength.data[other] += child.weight * link->strength * on.weight[k];
			}
		}
	}
}

// False when out of memory.
static bool CoupleKept(Thinning* thin, uint32_t keptCount)
{
	DRAPE_ASSERT(keptCount <= thin->count);
	ListChildren(thin, keptCount);
	thin->couplings.count = 0;
	memset(thin->strength.data, 0, keptCount * sizeof *thin->strength.data);
	memset(thin->strongest.data, 0, keptCount * sizeof *thin->strongest.data);
	for (uint32_t i = 0; i < keptCount; ++i)
	{
		SumStrength(thin, i);
		if (!ArrayReserve(&thin->couplings, (size_t)thin->couplings.count + thin->touched.count))
			return false;
		for (uint32_t t = 0; t < thin->touched.count; ++t)
		{
			uint32_t other = thin->touched.data[t];
			float strength = thin->strength.data[other];
			thin->strength.data[other] = 0.0f;
			thin->strongest.data[i] = MaxNumF(thin->strongest.data[i], strength);
			thin->strongest.data[other] = MaxNumF(thin->strongest.data[other], strength);
			ArrayPush(&thin->couplings, ((Coupling){{i, other}, strength}));
		}
	}
	return true;
}

// Drops weak couplings, which would make neighbours of distant nodes and the next round too coarse.
static void DropWeakCouplings(Thinning* thin)
{
	uint32_t strong = 0;
	for (uint32_t e = 0; e < thin->couplings.count; ++e)
	{
		Coupling coupling = thin->couplings.data[e];
		float a = thin->strongest.data[coupling.node[0]], b = thin->strongest.data[coupling.node[1]];
		if (coupling.strength >= strongCoupling * MinNumF(a, b))
			thin->couplings.data[strong++] = coupling;
	}
	thin->couplings.count = strong;
}

static uint32_t NextKept(const Thinning* thin, uint32_t node, const uint32_t* along)
{
	if (along[node] == DRAPE_NONE)
		return DRAPE_NONE;
	do
		node = along[node];
	while (thin->state.data[node] != nodeKept);
	return node;
}

// Removes nodes from chains, and averages normals over the removed nodes.
static void PassOn(Thinning* thin)
{
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		if (thin->state.data[i] == nodeKept)
		{
			thin->queue.after.data[i] = NextKept(thin, i, thin->next.data);
			thin->queue.before.data[i] = NextKept(thin, i, thin->previous.data);
			continue;
		}
		const BaseParents* on = &thin->parents.data[i];
		for (int k = 0; k < 3 && on->parent[k] != DRAPE_NONE; ++k)
		{
			Vec3* normal = &thin->normal.data[on->parent[k]];
			*normal = V3Add(*normal, V3Scale(on->weight[k], thin->normal.data[i]));
		}
	}
}

// Moves the kept nodes to the front of all arrays.
static void Compact(Thinning* thin, uint32_t keptCount)
{
	DRAPE_ASSERT(keptCount <= thin->count);
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		uint32_t slot = thin->number.data[i];
		if (slot == DRAPE_NONE)
			continue;
		uint32_t next = thin->queue.after.data[i], previous = thin->queue.before.data[i];
		thin->vertex.data[slot] = thin->vertex.data[i];
		thin->position.data[slot] = thin->position.data[i];
		thin->normal.data[slot] = thin->normal.data[i];
		thin->next.data[slot] = next == DRAPE_NONE ? DRAPE_NONE : thin->number.data[next];
		thin->previous.data[slot] = previous == DRAPE_NONE ? DRAPE_NONE : thin->number.data[previous];
	}
	thin->count = keptCount;
}

// --- levels ---------------------------------------------------------------------------------------------------------

// Records the nodes that a round removes, and their parents.
static void Record(BaseLevels* base, const Thinning* thin, uint32_t round)
{
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		if (thin->state.data[i] != nodeGone)
			continue;
		BaseParents parents = thin->parents.data[i];
		for (int k = 0; k < 3 && parents.parent[k] != DRAPE_NONE; ++k)
			parents.parent[k] = thin->vertex.data[parents.parent[k]];
		base->parents.data[thin->vertex.data[i]] = parents;
		base->level.data[thin->vertex.data[i]] = (uint8_t)round;
	}
}

// Runs rounds as long as they remove enough nodes. False when out of memory.
static bool RunRounds(BaseLevels* base, Thinning* thin)
{
	for (base->levelCount = 1; thin->count > enoughNodes && base->levelCount < baseMaxLevels; ++base->levelCount)
	{
		if (!LinkNodes(thin))
			return false;
		uint32_t kept = ChooseKept(thin);
		if (10 * (uint64_t)kept > 7 * (uint64_t)thin->count)
			return true;
		FindParents(thin);
		Record(base, thin, base->levelCount - 1);
		if (!CoupleKept(thin, kept))
			return false;
		DropWeakCouplings(thin);
		PassOn(thin);
		Compact(thin, kept);
	}
	return true;
}

static bool PrepareLevels(BaseLevels* base, uint32_t count)
{
	if (!ArrayReserve(&base->level, count) || !ArrayReserve(&base->parents, count))
		return false;
	base->level.count = base->parents.count = count;
	memset(base->level.data, 0xff, count);
	for (uint32_t i = 0; i < count; ++i)
		base->parents.data[i] = (BaseParents){{DRAPE_NONE, DRAPE_NONE, DRAPE_NONE}, {0.0f, 0.0f, 0.0f}};
	return true;
}

// Rounds are numbered from the finest level, levels from the coarsest.
static void NumberLevels(BaseLevels* base)
{
	for (uint32_t i = 0; i < base->level.count; ++i)
	{
		uint32_t round = base->level.data[i];
		base->level.data[i] = (uint8_t)(round < base->levelCount ? base->levelCount - 1 - round : 0);
	}
}

bool drapeBaseLevels_Build(BaseLevels* base, const PatternMesh* pattern)
{
	DRAPE_ASSERT(base && pattern);
	*base = (BaseLevels){.levelCount = 1};
	if (pattern->vertexCount <= enoughNodes)
		return true;
	Thinning thin = {0};
	bool done =
		PrepareLevels(base, pattern->vertexCount) && ReserveThinning(&thin, pattern->vertexCount, pattern->edgeCount);
	if (done)
	{
		TakePattern(&thin, pattern);
		done = RunRounds(base, &thin);
	}
	FreeThinning(&thin);
	if (done && base->levelCount > 1)
	{
		NumberLevels(base);
		return true;
	}
	drapeBaseLevels_Destroy(base);
	base->levelCount = done;
	return done;
}

void drapeBaseLevels_Destroy(BaseLevels* base)
{
	ArrayFree(&base->level);
	ArrayFree(&base->parents);
	*base = (BaseLevels){0};
}

void drapeBaseLevels_Borrow(BaseLevels* base)
{
	ArrayBorrow(&base->level);
	ArrayBorrow(&base->parents);
}
