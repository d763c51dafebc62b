// SPDX-License-Identifier: MIT
#include "solve/base_levels.h"

#include <string.h>

// Each round thins out one graph. Its nodes are the vertices that are left, its edges say which of them the equations
// of that level would couple. A round decides which nodes are kept, finds parents for the others, and makes the graph
// of those kept, until few are left.
//
// Boundaries go first, each a closed chain of nodes: sharp corners are kept, every second node between them, and those
// that go are interpolated along the chain, so that a free edge or a row of pins on it stays what it is. The interior
// follows as a maximal independent set that grows from there as an advancing front: next is the node that closes up
// best with what has been decided. On a regular grid both together keep every second node of every second row.

enum
{
	enoughNodes = 40,  // a direct solver takes it from here
	shortestChain = 6, // a smaller hole is no boundary at this scale
	queueBuckets = 64,
	straightFit = 4,   // what a neighbour straight beyond counts; others count 1
	candidateMax = 12, // kept nodes that a triple is chosen from
	widestDetour = 64, // neighbours of a node through which others are still looked for
};

static const float cornerCosine = 0.75f;  // of the turn of a chain; sharper ones are corners
static const float straightCosine = 0.8f; // of the turn by which a way still goes straight on
static const float strongCoupling = 0.1f; // of the strongest of a node; weaker ones are no edges
static const float flatness = 1e-3f;      // of a pair's length: so near to the segment the pair is enough
static const float leastWeight = 1e-3f;   // smaller ones are not worth a parent
static const float detourCost = 1.1f;     // what a distance counts more when the nodes are not neighbours

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

// Open nodes by how well they fit the front, in the order in which they came to their bucket.
typedef struct Queue
{
	uint32_t first[queueBuckets], last[queueBuckets];
	ARRAY(uint32_t) after, before; // by node
	ARRAY(uint32_t) fit;           // by node: how well it goes with what has been decided
} Queue;

typedef struct Thinning
{
	uint32_t count;                 // nodes
	ARRAY(uint32_t) vertex;         // by node: of the pattern
	ARRAY(Vec3) position;           // by node, m
	ARRAY(Vec3) normal;             // by node, of any length
	ARRAY(uint32_t) next, previous; // by node: along the boundary; DRAPE_NONE elsewhere
	ARRAY(Coupling) couplings;      // the edges of the graph, each once
	ARRAY(uint32_t) linkStart;      // [count + 1]
	ARRAY(Link) links;              // the same edges by node
	ARRAY(uint8_t) state;           // by node
	ARRAY(BaseParents) parents;     // by node: nodes; of those gone
	Queue queue;
	ARRAY(uint32_t) number;     // by node: which of the kept ones it is
	ARRAY(uint32_t) childStart; // by kept one: the nodes it is a parent of, and itself
	ARRAY(Child) children;
	ARRAY(float) strength;   // by kept one: 0, but for those touched
	ARRAY(float) strongest;  // by kept one: of its couplings
	ARRAY(uint32_t) touched; // nodes or kept ones met so far
	ARRAY(uint32_t) seen;    // by node: the stamp of the last search that met it
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

// Later rounds have fewer nodes, so that only couplings and links may have to grow.
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
	// Counts to ends; filled from the back, the ends become starts.
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

// Cosine of the angle by which the chain turns at a node.
static float TurnCosine(const Thinning* thin, uint32_t node)
{
	Vec3 here = thin->position.data[node];
	Vec3 in = V3Normalize(V3Sub(here, thin->position.data[thin->previous.data[node]]));
	Vec3 out = V3Normalize(V3Sub(thin->position.data[thin->next.data[node]], here));
	return V3Dot(in, out);
}

// False when the chain was so short that it is now forgotten.
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

// Keeps the corners that are sharper than the nodes beside them, and at least one node; returns one that is kept.
static uint32_t KeepCorners(Thinning* thin, uint32_t first)
{
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

// Keeps every second node up to the next one kept, which is returned. Two go in a row where their number is even.
static uint32_t ThinGap(Thinning* thin, uint32_t from)
{
	uint32_t length = 1, to = thin->next.data[from];
	for (; thin->state.data[to] != nodeKept; to = thin->next.data[to])
		length++;
	DRAPE_ASSERT(length >= 2);
	uint32_t node = thin->next.data[from];
	for (uint32_t k = 1; k < length; ++k, node = thin->next.data[node])
		thin->state.data[node] = k % 2 == 0 && k + 2 <= length ? nodeKept : nodeGone;
	return to;
}

// Interpolates by length what is gone up to the next one kept, which is returned.
static uint32_t SpanGap(Thinning* thin, uint32_t from)
{
	uint32_t to = from;
	float length = 0.0f;
	do
	{
		uint32_t next = thin->next.data[to];
		length += V3Length(V3Sub(thin->position.data[next], thin->position.data[to]));
		to = next;
	} while (thin->state.data[to] != nodeKept);
	DRAPE_ASSERT(to != from);
	float reached = 0.0f;
	for (uint32_t node = from;;)
	{
		uint32_t next = thin->next.data[node];
		if (next == to)
			return to;
		reached += V3Length(V3Sub(thin->position.data[next], thin->position.data[node]));
		float weight = length > 0.0f ? reached / length : 0.5f;
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

// A new front begins only where no other gets to. On a front, a node that many depend on is worth more, and one that
// many depend on who have gone already still more.   Ruge and Stueben 1987, the first pass of their coarsening
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

// Straight on from a kept node beyond one that is gone is the best place for the next: the one between is then in the
// middle of a pair.
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

// True when each neighbour of a kept node has two others besides it, so that nobody depends on it.
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

// Where a node of few neighbours sits among nodes of many, as in quads with alternating diagonals, an independent set
// is twice as dense as it need be.
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

// Decides about every node; returns how many are kept.
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

// A kept node near the one that is interpolated, which is the origin.
typedef struct Candidate
{
	uint32_t node;
	Vec2 place; // in the tangent plane
	Vec3 away;
	float cost; // squared distance, and a little for a detour
} Candidate;

typedef struct Candidates
{
	uint32_t count;
	Candidate near[candidateMax]; // by cost
} Candidates;

static void AddCandidate(Candidates* candidates, const Thinning* thin, uint32_t of, uint32_t node, float costScale)
{
	Candidate candidate = {.node = node, .away = V3Sub(thin->position.data[node], thin->position.data[of])};
	candidate.cost = costScale * V3Dot(candidate.away, candidate.away);
	uint32_t place = candidates->count;
	if (place == candidateMax && candidates->near[place - 1].cost <= candidate.cost)
		return;
	place -= place == candidateMax;
	for (; place > 0 && candidates->near[place - 1].cost > candidate.cost; --place)
		candidates->near[place] = candidates->near[place - 1];
	candidates->near[place] = candidate;
	candidates->count = MinU32(candidates->count + 1, candidateMax);
}

// Of very many kept neighbours some all around are enough. False when there are not that many.
static bool SampleNeighbours(Candidates* candidates, const Thinning* thin, uint32_t node)
{
	uint32_t kept = 0, place = 0;
	for (const Link* link = FirstLink(thin, node); link < EndLink(thin, node); ++link)
		kept += thin->state.data[link->node] == nodeKept;
	if (kept <= candidateMax)
		return false;
	uint32_t step = (kept + candidateMax - 1) / candidateMax;
	for (const Link* link = FirstLink(thin, node); link < EndLink(thin, node); ++link)
	{
		if (thin->state.data[link->node] == nodeKept && place++ % step == 0)
			AddCandidate(candidates, thin, node, link->node, 1.0f);
	}
	return true;
}

// The nearest kept nodes up to so many links away.
static void FindCandidates(Candidates* candidates, Thinning* thin, uint32_t node, uint32_t reach)
{
	candidates->count = 0;
	if (SampleNeighbours(candidates, thin, node))
		return;
	uint32_t stamp = ++thin->stamp, done = 0;
	thin->touched.count = 0;
	ArrayPush(&thin->touched, node);
	thin->seen.data[node] = stamp;
	for (uint32_t ring = 1; ring <= reach; ++ring)
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
		candidates->near[i].place = (Vec2){V3Dot(u, candidates->near[i].away), V3Dot(v, candidates->near[i].away)};
}

// The best so far. The cost is the weighted mean of squared distances, which bounds the error of interpolating anything
// smooth; among all triples around the node it is least for the triangle that Delaunay would draw.
typedef struct Choice
{
	BaseParents parents;
	float cost;
} Choice;

// Pairs whose segment the node lies on, but for a little.
static void TryPair(Choice* best, const Candidate* a, const Candidate* b)
{
	Vec2 ab = V2Sub(b->place, a->place);
	float length2 = V2Dot(ab, ab), along = -V2Dot(a->place, ab);
	if (!(fabsf(V2Cross(a->place, b->place)) <= flatness * length2) || !(along > 0.0f && along < length2))
		return;
	float weight = along / length2, cost = (1.0f - weight) * a->cost + weight * b->cost;
	if (cost < best->cost)
		*best = (Choice){{{a->node, b->node, DRAPE_NONE}, {1.0f - weight, weight, 0.0f}}, cost};
}

static void TryTriple(Choice* best, const Candidate* a, const Candidate* b, const Candidate* c)
{
	float areaA = V2Cross(b->place, c->place), areaB = V2Cross(c->place, a->place), areaC = V2Cross(a->place, b->place);
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

// The nearest point of a segment, for a node that nothing surrounds. Being off counts most.
static void TryNearest(Choice* best, const Candidate* a, const Candidate* b)
{
	Vec3 ab = V3Sub(b->away, a->away);
	float length2 = V3Dot(ab, ab);
	float weight = length2 > 0.0f ? fminf(fmaxf(-V3Dot(a->away, ab) / length2, 0.0f), 1.0f) : 0.0f;
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
	Candidates candidates;
	Choice best = {.cost = INFINITY};
	for (uint32_t reach = 2; reach <= 3; ++reach)
	{
		FindCandidates(&candidates, thin, node, reach);
		Flatten(&candidates, thin->normal.data[node]);
		if (ChooseAround(&best, &candidates))
			return best.parents;
	}
	ChooseNearest(&best, &candidates);
	return best.parents;
}

// Without those that hardly count.
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

// How a node depends on those kept: on itself, or on its parents.
static BaseParents Dependence(const Thinning* thin, uint32_t node)
{
	if (thin->state.data[node] == nodeKept)
		return (BaseParents){{node, DRAPE_NONE, DRAPE_NONE}, {1.0f, 0.0f, 0.0f}};
	return thin->parents.data[node];
}

static void ListChildren(Thinning* thin, uint32_t keptCount)
{
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

// Adds up how strongly a kept node is coupled to those with a higher number: a Galerkin product without its diagonal.
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

// False when memory is short.
static bool CoupleKept(Thinning* thin, uint32_t keptCount)
{
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
			thin->strongest.data[i] = fmaxf(thin->strongest.data[i], strength);
			thin->strongest.data[other] = fmaxf(thin->strongest.data[other], strength);
			ArrayPush(&thin->couplings, ((Coupling){{i, other}, strength}));
		}
	}
	return true;
}

// Weak couplings would make neighbours of nodes that are far apart, and the next round too coarse.
static void DropWeakCouplings(Thinning* thin)
{
	uint32_t strong = 0;
	for (uint32_t e = 0; e < thin->couplings.count; ++e)
	{
		Coupling coupling = thin->couplings.data[e];
		float a = thin->strongest.data[coupling.node[0]], b = thin->strongest.data[coupling.node[1]];
		if (coupling.strength >= strongCoupling * fminf(a, b))
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

// Chains skip what is gone; normals become means over what a node now stands for.
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

// The kept nodes close ranks.
static void Compact(Thinning* thin, uint32_t keptCount)
{
	for (uint32_t i = 0; i < thin->count; ++i)
	{
		uint32_t place = thin->number.data[i];
		if (place == DRAPE_NONE)
			continue;
		uint32_t next = thin->queue.after.data[i], previous = thin->queue.before.data[i];
		thin->vertex.data[place] = thin->vertex.data[i];
		thin->position.data[place] = thin->position.data[i];
		thin->normal.data[place] = thin->normal.data[i];
		thin->next.data[place] = next == DRAPE_NONE ? DRAPE_NONE : thin->number.data[next];
		thin->previous.data[place] = previous == DRAPE_NONE ? DRAPE_NONE : thin->number.data[previous];
	}
	thin->count = keptCount;
}

// --- levels ---------------------------------------------------------------------------------------------------------

// Notes who goes in this round, and what becomes of it.
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

// As many rounds as are worth it. False when memory is short.
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

// Rounds count from the finest level on, levels from the coarsest.
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
