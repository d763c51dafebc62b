// SPDX-License-Identifier: MIT
#include "adapt/sqrt3.h"

#include "mesh/geometry.h"

// The operations of the scheme. Each keeps triangles, edges, rest data, shares and momentum consistent, and each has an
// exact inverse.

// --- mass and momentum ----------------------------------------------------------------------------------------------

// The shares that an operation moves between particles, in areaUnit. The sum is zero.
typedef struct Transfer
{
	uint32_t count;
	uint32_t particle[6];
	int64_t gain[6];
} Transfer;

static void Give(Transfer* transfer, const uint32_t corner[3], int64_t share)
{
	for (int k = 0; k < 3; ++k)
	{
		uint32_t i = 0;
		while (i < transfer->count && transfer->particle[i] != corner[k])
			i++;
		if (i == transfer->count)
		{
			DRAPE_ASSERT(i < 6);
			transfer->particle[transfer->count] = corner[k];
			transfer->gain[transfer->count++] = 0;
		}
		transfer->gain[i] += share;
	}
}

static void AddVelocity(ActiveMesh* active, uint32_t particle, const double* impulse, double perShare)
{
	if (active->particleFlags[particle] & drape_particlePinned)
		return;
	active->velocity[particle].x += (float)(impulse[0] * perShare);
	active->velocity[particle].y += (float)(impulse[1] * perShare);
	active->velocity[particle].z += (float)(impulse[2] * perShare);
}

// Works like edge_transfer.c: the particles that gain mass receive the momentum that would be lost, the sum of (mass
// before - mass after) velocity, in proportion to their gain. A split loses none, because a new particle has the mean
// velocity of its parents.
static void Spend(ActiveMesh* active, const Transfer* transfer, bool isSplit)
{
	double lost[3] = {0.0, 0.0, 0.0}, gained = 0.0;
	for (uint32_t i = 0; i < transfer->count; ++i)
	{
		double gain = (double)transfer->gain[i];
		Vec4 v = active->velocity[transfer->particle[i]];
		lost[0] -= gain * (double)v.x;
		lost[1] -= gain * (double)v.y;
		lost[2] -= gain * (double)v.z;
		gained += gain > 0.0 ? gain : 0.0;
	}
	for (uint32_t i = 0; i < transfer->count; ++i)
	{
		uint32_t particle = transfer->particle[i];
		active->share[particle] += transfer->gain[i];
		if (active->share[particle] == 0)
			continue; // the pass removes it
		if (!isSplit && transfer->gain[i] > 0)
			AddVelocity(active, particle, lost, (double)transfer->gain[i] / gained / (double)active->share[particle]);
		drapeActiveMesh_UpdateMass(active, particle);
	}
}

// --- elements -------------------------------------------------------------------------------------------------------

void drapeSqrt3_Touch(Sqrt3Scheme* scheme, uint32_t t)
{
	ChangeLog* log = &scheme->base.active->log;
	BitSet_Set(&log->trianglesTouched, t);
	for (int k = 0; k < 3; ++k)
		BitSet_Set(&log->edgesTouched, scheme->triangles.data[t].edge[k] >> 1);
}

// Writes corners and edges, and links the triangle in its edges.
static void WriteTriangle(Sqrt3Scheme* scheme, uint32_t t, const uint32_t corner[3], const uint32_t edge[3])
{
	ActiveMesh* active = scheme->base.active;
	for (uint32_t k = 0; k < 3; ++k)
	{
		EdgeWings* wings = &active->wings[edge[k] >> 1];
		active->triangle[t][k] = corner[k];
		scheme->triangles.data[t].edge[k] = edge[k];
		wings->triangle[edge[k] & 1] = t;
		wings->opposite[edge[k] & 1] = corner[(k + 2) % 3];
	}
	active->bendSet[t] = (Vec4){0};
	drapeSqrt3_Touch(scheme, t);
}

static void WriteRest(Sqrt3Scheme* scheme, uint32_t t, const Sqrt3Rest* rest)
{
	DRAPE_ASSERT(rest->share > 0);
	ActiveMesh* active = scheme->base.active;
	active->material[t] = rest->material;
	if (active->hasTexcoords)
		active->texcoord[t] = rest->texcoord;
	active->area[t] = rest->area;
	scheme->triangles.data[t].share = rest->share;
}

void drapeSqrt3_SetGeneration(Sqrt3Scheme* scheme, uint32_t t, uint32_t generation)
{
	DRAPE_ASSERT(generation <= DRAPE_MAX_LEVEL);
	Sqrt3Triangle* triangle = &scheme->triangles.data[t];
	triangle->word = (triangle->word & ~31u) | generation;
	scheme->base.active->triangleLevel[t] = (uint8_t)generation;
	drapeSqrt3_Touch(scheme, t);
}

static uint32_t NewTriangle(Sqrt3Scheme* scheme, uint32_t patternTriangle)
{
	ActiveMesh* active = scheme->base.active;
	DRAPE_ASSERT(active->triangleCount < active->triangleCapacity &&
	             scheme->triangles.count < scheme->triangles.capacity);
	uint32_t t = active->triangleCount++;
	active->triangleId[t] = t;
	active->patternTriangle[t] = patternTriangle;
	ArrayPush(&scheme->triangles, ((Sqrt3Triangle){.word = 0}));
	return t;
}

static uint32_t NewEdge(Sqrt3Scheme* scheme, uint32_t from, uint32_t to, uint8_t flags)
{
	ActiveMesh* active = scheme->base.active;
	DRAPE_ASSERT(active->edgeCount < active->edgeCapacity);
	uint32_t e = active->edgeCount++;
	active->edgeFrom[e] = from;
	active->edgeTo[e] = to;
	active->wings[e] = (EdgeWings){.triangle = {DRAPE_NONE, DRAPE_NONE}, .opposite = {DRAPE_NONE, DRAPE_NONE}};
	active->edgeId[e] = e;
	active->edgeFlags[e] = flags;
	active->edgeLevel[e] = 0;
	return e;
}

static uint32_t NewParticle(Sqrt3Scheme* scheme, const ParticleParents* parents, uint8_t level)
{
	ActiveMesh* active = scheme->base.active;
	uint32_t name = IndexPool_Take(&scheme->names);
	uint32_t particle = drapeActiveMesh_AddBetween(active, parents, level, name);
	scheme->particleOf.data[name] = particle;
	active->joinWait[particle] = scheme->request->joinWait;
	ArrayPush(&active->log.created, particle);
	ArrayPush(&scheme->births, ((Sqrt3Birth){.triangle = DRAPE_NONE, .twin = DRAPE_NONE}));
	return particle;
}

static void KillTriangle(Sqrt3Scheme* scheme, uint32_t t)
{
	DRAPE_ASSERT(t >= scheme->base.pattern->triangleCount && scheme->base.active->triangleId[t] != DRAPE_NONE);
	scheme->base.active->triangleId[t] = DRAPE_NONE;
	ArrayPush(&scheme->removedTriangles, t);
	BitSet_Set(&scheme->base.active->log.trianglesTouched, t);
}

static void KillEdge(Sqrt3Scheme* scheme, uint32_t e)
{
	DRAPE_ASSERT(scheme->base.active->edgeId[e] != DRAPE_NONE);
	scheme->base.active->edgeId[e] = DRAPE_NONE;
	ArrayPush(&scheme->removedEdges, e);
	BitSet_Set(&scheme->base.active->log.edgesTouched, e);
}

static void KillParticle(Sqrt3Scheme* scheme, uint32_t particle)
{
	ActiveMesh* active = scheme->base.active;
	DRAPE_ASSERT(active->share[particle] == 0);
	IndexPool_Give(&scheme->names, active->vertexId[particle]);
	active->vertexId[particle] = DRAPE_NONE;
	ArrayPush(&active->log.removed, particle);
}

// --- rest data ------------------------------------------------------------------------------------------------------

static float SideLength(const ActiveMesh* active, uint32_t t, const Sqrt3Triangle* triangle, uint32_t edge)
{
	const Vec2* corner = active->material[t].corner;
	int k = triangle->edge[0] >> 1 == edge ? 0 : triangle->edge[1] >> 1 == edge ? 1 : 2;
	Vec2 d = V2Sub(corner[(k + 1) % 3], corner[k]);
	return sqrtf(V2Dot(d, d));
}

// Both sides agree except at a seam, which takes the mean (Simnett 2012, 4.3.1).
float drapeSqrt3_RestLength(const Sqrt3Scheme* scheme, uint32_t edge)
{
	const ActiveMesh* active = scheme->base.active;
	const uint32_t* t = active->wings[edge].triangle;
	float left = SideLength(active, t[0], &scheme->triangles.data[t[0]], edge);
	if (!(active->edgeFlags[edge] & drape_edgeSeam))
		return left;
	return 0.5f * (left + SideLength(active, t[1], &scheme->triangles.data[t[1]], edge));
}

static void UpdateRestLength(Sqrt3Scheme* scheme, uint32_t edge)
{
	scheme->base.active->restLength[edge] = drapeSqrt3_RestLength(scheme, edge);
}

// The corners of the three parts. Points 0 to 2 are the corners of the whole triangle. Point 3 is its centre, or points
// 3 and 4 divide its edge 0 in thirds, beginning near corner 0.
static const uint8_t partCorner[2][3][3] = {
	{{0, 1, 3}, {1, 2, 3}, {2, 0, 3}}, // at the centre
	{{3, 4, 2}, {2, 0, 3}, {1, 2, 4}}, // in thirds
};

static void PartCoordinates(const Vec2* whole, bool thirds, uint32_t part, Vec2* corner)
{
	Vec2 point[5] = {whole[0], whole[1], whole[2]};
	if (thirds)
	{
		point[3] = (Vec2){(2.0f * whole[0].x + whole[1].x) / 3.0f, (2.0f * whole[0].y + whole[1].y) / 3.0f};
		point[4] = (Vec2){(whole[0].x + 2.0f * whole[1].x) / 3.0f, (whole[0].y + 2.0f * whole[1].y) / 3.0f};
	}
	else
		point[3] = (Vec2){(whole[0].x + whole[1].x + whole[2].x) / 3.0f, (whole[0].y + whole[1].y + whole[2].y) / 3.0f};
	for (int k = 0; k < 3; ++k)
		corner[k] = point[partCorner[thirds][part][k]];
}

// The first part takes the remainder of the division by three.
Sqrt3Rest drapeSqrt3_PartRest(const Sqrt3Birth* birth, bool thirds, uint32_t part)
{
	DRAPE_ASSERT(part < 3);
	Sqrt3Rest rest = {.area = birth->area / 3.0f};
	PartCoordinates(birth->material.corner, thirds, part, rest.material.corner);
	PartCoordinates(birth->texcoord.corner, thirds, part, rest.texcoord.corner);
	int64_t third = birth->share / 3;
	rest.share = part == 0 ? birth->share - 2 * third : third;
	return rest;
}

static Sqrt3Rest RestOf(const Sqrt3Scheme* scheme, uint32_t t)
{
	const ActiveMesh* active = scheme->base.active;
	Sqrt3Rest rest = {
		.material = active->material[t], .share = scheme->triangles.data[t].share, .area = active->area[t]};
	if (active->hasTexcoords)
		rest.texcoord = active->texcoord[t];
	return rest;
}

static void Record(Sqrt3Scheme* scheme, uint32_t particle, uint32_t t, uint32_t twin)
{
	Sqrt3Rest rest = RestOf(scheme, t);
	scheme->births.data[particle] = (Sqrt3Birth){
		.material = rest.material,
		.texcoord = rest.texcoord,
		.share = rest.share,
		.triangle = t,
		.twin = twin,
		.area = rest.area,
	};
}

const Sqrt3Birth* drapeSqrt3_FindBirth(const Sqrt3Scheme* scheme, const uint32_t corner[3], bool* thirds,
                                       uint32_t* part)
{
	const ParticleParents* parents = &scheme->base.active->parents[corner[2]];
	const Sqrt3Birth* birth = &scheme->births.data[corner[2]];
	DRAPE_ASSERT(ParticleParents_Count(parents) >= 2);
	*thirds = birth->twin != DRAPE_NONE;
	if (*thirds)
	{
		// The first parent of a third is the nearer one.
		*part = corner[1] == parents->parent[0] ? 1 : 2;
		return *part == 1 ? birth : &scheme->births.data[birth->twin];
	}
	*part = corner[0] == parents->parent[0] ? 0 : corner[0] == parents->parent[1] ? 1 : 2;
	return birth;
}

// --- splitting ------------------------------------------------------------------------------------------------------

static void BeginPart(Sqrt3Scheme* scheme, uint32_t t, const Sqrt3Birth* birth, bool thirds, uint32_t part,
                      uint32_t generation, Transfer* transfer)
{
	Sqrt3Rest rest = drapeSqrt3_PartRest(birth, thirds, part);
	WriteRest(scheme, t, &rest);
	drapeSqrt3_SetGeneration(scheme, t, generation);
	Give(transfer, scheme->base.active->triangle[t], rest.share);
}

void drapeSqrt3_Split(Sqrt3Scheme* scheme, uint32_t t)
{
	ActiveMesh* active = scheme->base.active;
	const float third = 1.0f / 3.0f;
	const Sqrt3Triangle whole = scheme->triangles.data[t];
	const uint32_t generation = whole.word & 31;
	DRAPE_ASSERT(generation % 2 == 0 && !Sqrt3_SplitsInThirds(scheme, t));
	const uint32_t v[3] = {active->triangle[t][0], active->triangle[t][1], active->triangle[t][2]};
	const ParticleParents parents = {{v[0], v[1], v[2]}, {1.0f - 2.0f * third, third, third}};
	uint32_t centre = NewParticle(scheme, &parents, (uint8_t)(generation + 1));
	Record(scheme, centre, t, DRAPE_NONE);
	Transfer transfer = {0};
	Give(&transfer, v, -whole.share);

	uint32_t inner[3], parts[3] = {t, 0, 0};
	for (uint32_t k = 0; k < 3; ++k)
	{
		active->parentLength[k][centre] = active->restLength[whole.edge[k] >> 1];
		inner[k] = NewEdge(scheme, v[k], centre, 0);
		if (k > 0)
			parts[k] = NewTriangle(scheme, active->patternTriangle[t]);
	}
	scheme->triangles.data[t].word |= Sqrt3_MateBit(generation + 1);
	for (uint32_t k = 0; k < 3; ++k)
	{
		const uint32_t next = (k + 1) % 3;
		const uint32_t corner[3] = {v[k], v[next], centre};
		const uint32_t edge[3] = {whole.edge[k], inner[next] << 1, inner[k] << 1 | 1};
		WriteTriangle(scheme, parts[k], corner, edge);
		BeginPart(scheme, parts[k], &scheme->births.data[centre], false, k, generation + 1, &transfer);
	}
	for (uint32_t k = 0; k < 3; ++k)
		UpdateRestLength(scheme, inner[k]);
	Spend(active, &transfer, true);
}

// Splits the triangle on one side of an edge in thirds. `x` is the third near corner 0; `outer` are the edges from
// corner 0 to x and from y to corner 1, with the side of the triangle.
static void SplitSide(Sqrt3Scheme* scheme, uint32_t t, uint32_t x, uint32_t y, const uint32_t outer[2])
{
	ActiveMesh* active = scheme->base.active;
	const Sqrt3Triangle whole = scheme->triangles.data[t];
	const uint32_t generation = whole.word & 31;
	const uint32_t a = active->triangle[t][0], b = active->triangle[t][1], apex = active->triangle[t][2];
	Record(scheme, x, t, y);
	Transfer transfer = {0};
	Give(&transfer, active->triangle[t], -whole.share);

	uint32_t toX = NewEdge(scheme, x, apex, 0), toY = NewEdge(scheme, y, apex, 0);
	const uint32_t parts[3] = {t, NewTriangle(scheme, active->patternTriangle[t]),
	                           NewTriangle(scheme, active->patternTriangle[t])};
	const uint32_t corner[3][3] = {{x, y, apex}, {apex, a, x}, {b, apex, y}};
	const uint32_t edge[3][3] = {
		{whole.edge[0], toY << 1, toX << 1 | 1},
		{whole.edge[2], outer[0], toX << 1},
		{whole.edge[1], toY << 1 | 1, outer[1]},
	};
	scheme->triangles.data[t].word |= Sqrt3_MateBit(generation + 1);
	for (uint32_t part = 0; part < 3; ++part)
	{
		WriteTriangle(scheme, parts[part], corner[part], edge[part]);
		BeginPart(scheme, parts[part], &scheme->births.data[x], true, part, generation + (part == 0 ? 2 : 1),
		          &transfer);
	}
	UpdateRestLength(scheme, toX);
	UpdateRestLength(scheme, toY);
	Spend(active, &transfer, true);
}

void drapeSqrt3_SplitInThirds(Sqrt3Scheme* scheme, uint32_t triangle)
{
	DRAPE_ASSERT(Sqrt3_SplitsInThirds(scheme, triangle));
	ActiveMesh* active = scheme->base.active;
	const float third = 1.0f / 3.0f;
	const uint32_t e = scheme->triangles.data[triangle].edge[0] >> 1, a = active->edgeFrom[e], b = active->edgeTo[e];
	const uint32_t left = active->wings[e].triangle[0], right = active->wings[e].triangle[1];
	const uint8_t flags = active->edgeFlags[e] & (uint8_t)~drape_edgeKept;
	const uint8_t level = (uint8_t)(Sqrt3_Generation(scheme, left) + 1);
	const ParticleParents nearA = {{a, b, DRAPE_NONE}, {1.0f - third, third, 0.0f}};
	const ParticleParents nearB = {{b, a, DRAPE_NONE}, {1.0f - third, third, 0.0f}};
	uint32_t x = NewParticle(scheme, &nearA, level), y = NewParticle(scheme, &nearB, level);
	active->parentLength[0][x] = active->parentLength[0][y] = active->restLength[e];
	scheme->births.data[y].twin = x;

	// The edge becomes the middle third.
	uint32_t first = NewEdge(scheme, a, x, flags), last = NewEdge(scheme, y, b, flags);
	active->edgeFrom[e] = x;
	active->edgeTo[e] = y;
	active->edgeFlags[e] = flags;
	const uint32_t leftOuter[2] = {first << 1, last << 1}, rightOuter[2] = {last << 1 | 1, first << 1 | 1};
	SplitSide(scheme, left, x, y, leftOuter);
	if (right != DRAPE_NONE)
	{
		DRAPE_ASSERT(Sqrt3_SplitsInThirds(scheme, right) || (scheme->triangles.data[right].edge[0] >> 1) == e);
		SplitSide(scheme, right, y, x, rightOuter);
	}
	UpdateRestLength(scheme, first);
	UpdateRestLength(scheme, e);
	UpdateRestLength(scheme, last);
}

// --- flipping -------------------------------------------------------------------------------------------------------

// (a, b, c) and the apex d of the other triangle become (c, d, b). The rest shape of the other triangle may be
// translated: d is shifted so that the midpoints of the common edge agree.
static void FlippedCoordinates(const Vec2* own, const Vec2* other, Vec2* flipped)
{
	Vec2 shift = {0.5f * ((own[0].x + own[1].x) - (other[1].x + other[0].x)),
	              0.5f * ((own[0].y + own[1].y) - (other[1].y + other[0].y))};
	flipped[0] = own[2];
	flipped[1] = (Vec2){other[2].x + shift.x, other[2].y + shift.y};
	flipped[2] = own[1];
}

static void FlippedRest(const Sqrt3Rest* own, const Sqrt3Rest* other, Sqrt3Rest* flipped)
{
	FlippedCoordinates(own->material.corner, other->material.corner, flipped->material.corner);
	FlippedCoordinates(own->texcoord.corner, other->texcoord.corner, flipped->texcoord.corner);
	flipped->area = (float)(0.5 * FlatTwiceArea(flipped->material.corner));
}

bool drapeSqrt3_FlipKeepsShape(const Sqrt3Scheme* scheme, uint32_t edge)
{
	// A flip halves the quadrilateral of a regular mesh. When a triangle would get less than this fraction of it, or be
	// turned over, the edge is kept and split in thirds later. Among 0.05 to 0.42, this value gives the largest minimum
	// angle after random edits (test_sqrt3).
	const double leastPart = 0.35;
	const ActiveMesh* active = scheme->base.active;
	const uint32_t* t = active->wings[edge].triangle;
	double area[2], sum = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		Vec2 flipped[3];
		FlippedCoordinates(active->material[t[side]].corner, active->material[t[1 - side]].corner, flipped);
		area[side] = 0.5 * FlatTwiceArea(flipped);
		sum += (double)active->area[t[side]];
	}
	return area[0] >= leastPart * sum && area[1] >= leastPart * sum;
}

void drapeSqrt3_Flip(Sqrt3Scheme* scheme, uint32_t edge)
{
	ActiveMesh* active = scheme->base.active;
	const uint32_t* wing = active->wings[edge].triangle;
	const uint32_t t[2] = {wing[0], wing[1]};
	const Sqrt3Triangle old[2] = {scheme->triangles.data[t[0]], scheme->triangles.data[t[1]]};
	DRAPE_ASSERT(t[1] != DRAPE_NONE && old[0].edge[0] >> 1 == edge && old[1].edge[0] >> 1 == edge);
	DRAPE_ASSERT(old[0].word % 2 == 1 && (old[0].word & 31) == (old[1].word & 31));
	const Sqrt3Rest rest[2] = {RestOf(scheme, t[0]), RestOf(scheme, t[1])};
	Transfer transfer = {0};
	uint32_t corner[2][3];
	Sqrt3Rest flipped[2];
	for (int side = 0; side < 2; ++side)
	{
		const uint32_t *own = active->triangle[t[side]], *other = active->triangle[t[1 - side]];
		Give(&transfer, own, -old[side].share);
		corner[side][0] = own[2];
		corner[side][1] = other[2];
		corner[side][2] = own[1];
		FlippedRest(&rest[side], &rest[1 - side], &flipped[side]);
	}
	int64_t sum = old[0].share + old[1].share;
	double part = (double)flipped[0].area / ((double)flipped[0].area + (double)flipped[1].area);
	flipped[0].share = (int64_t)(part * (double)sum);
	flipped[1].share = sum - flipped[0].share;
	DRAPE_ASSERT(flipped[0].share > 0 && flipped[1].share > 0);
	active->edgeFrom[edge] = corner[0][0];
	active->edgeTo[edge] = corner[1][0];
	for (int side = 0; side < 2; ++side)
	{
		const uint32_t sides[3] = {old[side].edge[0], old[1 - side].edge[2], old[side].edge[1]};
		WriteTriangle(scheme, t[side], corner[side], sides);
		WriteRest(scheme, t[side], &flipped[side]);
		drapeSqrt3_SetGeneration(scheme, t[side], (old[side].word & 31) + 1);
		Give(&transfer, corner[side], flipped[side].share);
	}
	UpdateRestLength(scheme, edge);
	Spend(active, &transfer, false);
}

void drapeSqrt3_Unflip(Sqrt3Scheme* scheme, uint32_t edge)
{
	ActiveMesh* active = scheme->base.active;
	const uint32_t* wing = active->wings[edge].triangle;
	const uint32_t t[2] = {wing[0], wing[1]};
	const Sqrt3Triangle old[2] = {scheme->triangles.data[t[0]], scheme->triangles.data[t[1]]};
	DRAPE_ASSERT(t[1] != DRAPE_NONE && old[0].word % 2 == 0 && (old[0].word & 31) == (old[1].word & 31));
	Transfer transfer = {0};
	uint32_t corner[2][3];
	for (int side = 0; side < 2; ++side)
	{
		const uint32_t *own = active->triangle[t[side]], *other = active->triangle[t[1 - side]];
		Give(&transfer, own, -old[side].share);
		corner[side][0] = other[2];
		corner[side][1] = own[2];
		corner[side][2] = own[0];
	}
	active->edgeFrom[edge] = corner[0][0];
	active->edgeTo[edge] = corner[1][0];
	for (int side = 0; side < 2; ++side)
	{
		bool thirds;
		uint32_t part;
		const Sqrt3Birth* birth = drapeSqrt3_FindBirth(scheme, corner[side], &thirds, &part);
		Sqrt3Rest rest = drapeSqrt3_PartRest(birth, thirds, part);
		const uint32_t sides[3] = {old[side].edge[0], old[side].edge[2], old[1 - side].edge[1]};
		WriteTriangle(scheme, t[side], corner[side], sides);
		WriteRest(scheme, t[side], &rest);
		drapeSqrt3_SetGeneration(scheme, t[side], (old[side].word & 31) - 1);
		Give(&transfer, corner[side], rest.share);
	}
	UpdateRestLength(scheme, edge);
	Spend(active, &transfer, false);
}

// --- joining --------------------------------------------------------------------------------------------------------

// Writes the whole triangle at the index of its first part.
static void RestoreWhole(Sqrt3Scheme* scheme, uint32_t particle, const uint32_t parts[3], const uint32_t corner[3],
                         const uint32_t edge[3])
{
	ActiveMesh* active = scheme->base.active;
	const Sqrt3Birth* birth = &scheme->births.data[particle];
	const uint32_t generation = active->level[particle] - 1u;
	Transfer transfer = {0};
	for (int part = 0; part < 3; ++part)
		Give(&transfer, active->triangle[parts[part]], -scheme->triangles.data[parts[part]].share);
	const Sqrt3Rest rest = {birth->material, birth->texcoord, birth->share, birth->area};
	WriteTriangle(scheme, parts[0], corner, edge);
	WriteRest(scheme, parts[0], &rest);
	DRAPE_ASSERT(scheme->triangles.data[parts[0]].word & Sqrt3_MateBit(generation + 1));
	scheme->triangles.data[parts[0]].word &= ~Sqrt3_MateBit(generation + 1);
	drapeSqrt3_SetGeneration(scheme, parts[0], generation);
	Give(&transfer, corner, birth->share);
	Spend(active, &transfer, false);
	KillTriangle(scheme, parts[1]);
	KillTriangle(scheme, parts[2]);
}

void drapeSqrt3_Join(Sqrt3Scheme* scheme, uint32_t centre, const uint32_t parts[3])
{
	ActiveMesh* active = scheme->base.active;
	uint32_t edge[3];
	for (uint32_t k = 0; k < 3; ++k)
	{
		const Sqrt3Triangle* part = &scheme->triangles.data[parts[k]];
		DRAPE_ASSERT(active->triangle[parts[k]][2] == centre && (part->word & 31) == active->level[centre]);
		edge[k] = part->edge[0];
		KillEdge(scheme, part->edge[2] >> 1);
	}
	RestoreWhole(scheme, centre, parts, active->parents[centre].parent, edge);
	KillParticle(scheme, centre);
}

void drapeSqrt3_JoinThirds(Sqrt3Scheme* scheme, uint32_t first, const uint32_t parts[2][3])
{
	ActiveMesh* active = scheme->base.active;
	const uint32_t particle[2] = {first, scheme->births.data[first].twin};
	const uint32_t e = scheme->triangles.data[parts[0][0]].edge[0] >> 1;
	KillEdge(scheme, scheme->triangles.data[parts[0][1]].edge[1] >> 1);
	KillEdge(scheme, scheme->triangles.data[parts[0][2]].edge[2] >> 1);
	for (int side = 0; side < 2 && parts[side][0] != DRAPE_NONE; ++side)
	{
		const Sqrt3Triangle* triangles = scheme->triangles.data;
		const uint32_t* part = parts[side];
		const uint32_t* parent = active->parents[particle[side]].parent;
		const uint32_t corner[3] = {parent[0], parent[1], active->triangle[part[0]][2]};
		const uint32_t edge[3] = {triangles[part[0]].edge[0], triangles[part[2]].edge[0], triangles[part[1]].edge[0]};
		KillEdge(scheme, triangles[part[0]].edge[1] >> 1);
		KillEdge(scheme, triangles[part[0]].edge[2] >> 1);
		active->edgeFrom[e] = (edge[0] & 1) ? corner[1] : corner[0];
		active->edgeTo[e] = (edge[0] & 1) ? corner[0] : corner[1];
		RestoreWhole(scheme, particle[side], part, corner, edge);
	}
	if (!(active->edgeFlags[e] & (drape_edgeBoundary | drape_edgeCrease)))
		active->edgeFlags[e] |= drape_edgeKept;
	UpdateRestLength(scheme, e);
	KillParticle(scheme, particle[0]);
	KillParticle(scheme, particle[1]);
}
