// SPDX-License-Identifier: MIT
#include "contact/response/kinematic_maps.h"

// Kinematic vertices of one body: a list or a range.
typedef struct KinematicSet
{
	const ContactBodies* bodies;
	const uint32_t* list; // NULL for all from `first` on
	uint32_t first, count;
} KinematicSet;

// A triangle that is flatter than this is lost in rounding; its map is the rotation of its longest side.
static const double leastHeight = 1e-3;

// Groups of pins that get a map. Pins of further groups follow none.
enum
{
	mostGroups = 64,
};

static const KinematicMap still;

void drapeKinematicMaps_Destroy(KinematicMaps* kinematicMaps)
{
	ArrayFree(&kinematicMaps->maps);
	ArrayFree(&kinematicMaps->of);
	ArrayFree(&kinematicMaps->group);
	ArrayFree(&kinematicMaps->list);
}

// --- maps -----------------------------------------------------------------------------------------------------------

DRAPE_INLINE double Squared(Double3 a)
{
	return D3Dot(a, a);
}

static Double3 DisplacementOf(const KinematicMap* map, Double3 point)
{
	Double3 p = D3Sub(point, map->from), displacement = D3Sub(map->to, map->from);
	displacement = D3Add(displacement, D3Scale(p.x, map->x));
	displacement = D3Add(displacement, D3Scale(p.y, map->y));
	return D3Add(displacement, D3Scale(p.z, map->z));
}

// Sets the map that takes three vectors to three others: the columns of E' E^-1 - I.
static void SetLinear(KinematicMap* map, const Double3 from[3], const Double3 to[3])
{
	Double3 rows[3] = {D3Cross(from[1], from[2]), D3Cross(from[2], from[0]), D3Cross(from[0], from[1])};
	DRAPE_ASSERT(D3Dot(from[0], rows[0]) != 0.0);
	double inverse = 1.0 / D3Dot(from[0], rows[0]);
	map->x = (Double3){-1.0, 0.0, 0.0};
	map->y = (Double3){0.0, -1.0, 0.0};
	map->z = (Double3){0.0, 0.0, -1.0};
	for (int i = 0; i < 3; ++i)
	{
		map->x = D3Add(map->x, D3Scale(inverse * rows[i].x, to[i]));
		map->y = D3Add(map->y, D3Scale(inverse * rows[i].y, to[i]));
		map->z = D3Add(map->z, D3Scale(inverse * rows[i].z, to[i]));
	}
}

// Returns any vector perpendicular to a.
static Double3 Across(Double3 a)
{
	double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
	Double3 least = x <= y && x <= z ? (Double3){1.0, 0.0, 0.0}
	                : y <= z         ? (Double3){0.0, 1.0, 0.0}
	                                 : (Double3){0.0, 0.0, 1.0};
	return D3Cross(a, least);
}

// Sets the smallest rotation from one vector to another, about an axis perpendicular to both, with a uniform scale.
static void SetRotation(KinematicMap* map, Double3 from, Double3 to)
{
	Double3 axis = D3Cross(from, to);
	if (!(Squared(axis) > 1e-24 * Squared(from) * Squared(to)))
		axis = Across(from);
	// Perpendicular to the axis, with the lengths of the vectors that they belong to.
	double length = D3Length(from), longer = D3Length(to) / length;
	axis = D3Scale(length / D3Length(axis), axis);
	Double3 beside[2] = {D3Scale(1.0 / length, D3Cross(axis, from)), D3Scale(1.0 / length, D3Cross(axis, to))};
	SetLinear(map, (const Double3[3]){from, axis, beside[0]}, (const Double3[3]){to, D3Scale(longer, axis), beside[1]});
}

// Sets the map of a triangle and its normal. The length of the normal is the triangle's width, or stays.
static bool SetTriangle(KinematicMap* map, const Double3 from[2], const Double3 to[2], bool keepsHeight)
{
	Double3 normal[2] = {D3Cross(from[0], from[1]), D3Cross(to[0], to[1])};
	double area[2] = {D3Length(normal[0]), D3Length(normal[1])};
	double sides[2] = {D3Length(from[0]) * D3Length(from[1]), D3Length(to[0]) * D3Length(to[1])};
	if (!(area[0] > leastHeight * sides[0]) || !(area[1] > leastHeight * sides[1]))
		return false;
	double wide[2] = {sqrt(area[0]), sqrt(area[keepsHeight ? 0 : 1])};
	normal[0] = D3Scale(wide[0] / area[0], normal[0]);
	normal[1] = D3Scale(wide[1] / area[1], normal[1]);
	SetLinear(map, (const Double3[3]){from[0], from[1], normal[0]}, (const Double3[3]){to[0], to[1], normal[1]});
	return true;
}

// Returns the map of up to three vertices. The first two are the farthest apart.
static KinematicMap MapOf(const ContactBodies* bodies, const uint32_t* vertices, uint32_t count, bool keepsHeight)
{
	DRAPE_ASSERT(count >= 1 && count <= 3);
	Double3 from[3] = {{0}}, to[3] = {{0}};
	for (uint32_t i = 0; i < count; ++i)
	{
		from[i] = D3(V4Xyz(bodies->from.data[vertices[i]]));
		to[i] = D3(V4Xyz(bodies->to.data[vertices[i]]));
	}
	KinematicMap map = {.from = from[0], .to = to[0]};
	Double3 side[2][2] = {{{0}}};
	for (uint32_t i = 1; i < count; ++i)
	{
		side[0][i - 1] = D3Sub(from[i], from[0]);
		side[1][i - 1] = D3Sub(to[i], to[0]);
	}
	if (count == 3 && SetTriangle(&map, side[0], side[1], keepsHeight))
		return map;
	if (count > 1 && Squared(side[0][0]) > 0.0 && Squared(side[1][0]) > 0.0)
		SetRotation(&map, side[0][0], side[1][0]);
	return map;
}

// --- fitting --------------------------------------------------------------------------------------------------------

static uint32_t VertexOf(const KinematicSet* set, uint32_t i)
{
	return set->list ? set->list[i] : set->first + i;
}

// Returns whether a map moves all vertices of the set to their ends, up to rounding.
static bool MapsAll(const KinematicMap* map, const KinematicSet* set)
{
	for (uint32_t i = 0; i < set->count; ++i)
	{
		uint32_t v = VertexOf(set, i);
		Double3 from = D3(V4Xyz(set->bodies->from.data[v])), to = D3(V4Xyz(set->bodies->to.data[v]));
		Double3 error = D3Sub(D3Sub(to, from), DisplacementOf(map, from));
		double size = MaxNum(Squared(from), Squared(to));
		if (!(Squared(error) <= 0x1p-42 * size))
			return false;
	}
	return true;
}

// Fits a map to the first vertex, the vertex farthest from it, and the vertex farthest from the line through both.
static KinematicMap FitMap(const KinematicSet* set)
{
	DRAPE_ASSERT(set->count > 0);
	uint32_t vertices[3] = {VertexOf(set, 0), VertexOf(set, 0), VertexOf(set, 0)};
	double farthest[2] = {0.0, 0.0};
	Double3 origin = D3(V4Xyz(set->bodies->from.data[vertices[0]])), line = {0.0, 0.0, 0.0};
	for (int corner = 1; corner < 3; ++corner)
	{
		for (uint32_t i = 1; i < set->count; ++i)
		{
			uint32_t v = VertexOf(set, i);
			Double3 p = D3Sub(D3(V4Xyz(set->bodies->from.data[v])), origin);
			double distance = corner == 1 ? Squared(p) : Squared(D3Cross(line, p));
			if (distance > farthest[corner - 1])
			{
				farthest[corner - 1] = distance;
				vertices[corner] = v;
			}
		}
		line = D3Sub(D3(V4Xyz(set->bodies->from.data[vertices[1]])), origin);
	}
	bool isLine = !(farthest[1] > leastHeight * leastHeight * farthest[0] * farthest[0]);
	return MapOf(set->bodies, vertices, !(farthest[0] > 0.0) ? 1 : isLine ? 2 : 3, false);
}

static bool AddMap(KinematicMaps* kinematicMaps, const KinematicMap* map)
{
	if (!ArrayReserve(&kinematicMaps->maps, kinematicMaps->maps.count + 1))
		return false;
	ArrayPush(&kinematicMaps->maps, *map);
	return true;
}

// Finds the map of a set. Sets with the same motion share a map. Returns false when out of memory.
static bool FindMap(KinematicMaps* kinematicMaps, const KinematicSet* set)
{
	uint32_t map = 0;
	if (set->count == 0)
		return true;
	while (map < kinematicMaps->maps.count && !MapsAll(&kinematicMaps->maps.data[map], set))
		map++;
	if (map == kinematicMaps->maps.count)
	{
		KinematicMap own = FitMap(set);
		if (!MapsAll(&own, set))
			return true;
		if (!AddMap(kinematicMaps, &own))
			return false;
	}
	for (uint32_t i = 0; i < set->count; ++i)
		kinematicMaps->of.data[VertexOf(set, i)] = map;
	return true;
}

// --- pins -----------------------------------------------------------------------------------------------------------

static bool IsKinematic(const ContactBodies* bodies, uint32_t vertex)
{
	return bodies->from.data[vertex].w == 0.0f;
}

static bool Moves(const ContactBodies* bodies, uint32_t vertex)
{
	Vec4 from = bodies->from.data[vertex], to = bodies->to.data[vertex];
	return from.x != to.x || from.y != to.y || from.z != to.z;
}

// Pins of one triangle belong to one group. A group is named by its first vertex.
static void GroupPins(KinematicMaps* kinematicMaps, const ContactBodies* bodies, const ContactBody* body)
{
	uint32_t* group = kinematicMaps->group.data;
	bool isDone = false;
	for (uint32_t v = body->vertexStart; v < body->vertexEnd; ++v)
		group[v] = IsKinematic(bodies, v) ? v : DRAPE_NONE;
	while (!isDone)
	{
		isDone = true;
		for (uint32_t e = body->elementStart; e < body->elementEnd; ++e)
		{
			const uint32_t* v = bodies->elements.data[e].vertex;
			uint32_t least = MinU32(MinU32(group[v[0]], group[v[1]]), group[v[2]]);
			for (int k = 0; k < 3; ++k)
			{
				if (group[v[k]] == DRAPE_NONE || group[v[k]] == least)
					continue;
				group[v[k]] = least;
				isDone = false;
			}
		}
	}
}

static bool FindPinMaps(KinematicMaps* kinematicMaps, const ContactBodies* bodies, const ContactBody* body)
{
	GroupPins(kinematicMaps, bodies, body);
	uint32_t groups = 0;
	for (uint32_t first = body->vertexStart; first < body->vertexEnd; ++first)
	{
		if (kinematicMaps->group.data[first] != first || groups++ >= mostGroups)
			continue;
		kinematicMaps->list.count = 0;
		for (uint32_t v = first; v < body->vertexEnd; ++v)
		{
			if (kinematicMaps->group.data[v] == first)
				ArrayPush(&kinematicMaps->list, v);
		}
		if (!FindMap(kinematicMaps, &(KinematicSet){bodies, kinematicMaps->list.data, 0, kinematicMaps->list.count}))
			return false;
	}
	// Pins that follow no map but do not move follow the identity.
	for (uint32_t v = body->vertexStart; v < body->vertexEnd; ++v)
	{
		if (IsKinematic(bodies, v) && kinematicMaps->of.data[v] == DRAPE_NONE && !Moves(bodies, v))
			kinematicMaps->of.data[v] = kinematicMapStill;
	}
	return true;
}

// --- interface ------------------------------------------------------------------------------------------------------

bool drapeKinematicMaps_Find(KinematicMaps* kinematicMaps, const ContactBodies* bodies)
{
	uint32_t count = bodies->from.count;
	kinematicMaps->maps.count = 0;
	if (!ArrayReserve(&kinematicMaps->of, count) || !ArrayReserve(&kinematicMaps->group, count) ||
	    !ArrayReserve(&kinematicMaps->list, count) || !AddMap(kinematicMaps, &still))
		return false;
	for (uint32_t v = 0; v < count; ++v)
		kinematicMaps->of.data[v] = DRAPE_NONE;
	for (uint32_t b = 0; b < bodies->bodies.count; ++b)
	{
		const ContactBody* body = &bodies->bodies.data[b];
		const KinematicSet all = {bodies, NULL, body->vertexStart, body->vertexEnd - body->vertexStart};
		if (body->isCloth ? !FindPinMaps(kinematicMaps, bodies, body) : !FindMap(kinematicMaps, &all))
			return false;
	}
	return true;
}

uint32_t drapeKinematicMaps_Add(KinematicMaps* kinematicMaps, const ContactBodies* bodies, const uint32_t* vertices,
                                uint32_t count)
{
	DRAPE_ASSERT(count > 0 && count <= 3);
	KinematicMap map = MapOf(bodies, vertices, count, true);
	return AddMap(kinematicMaps, &map) ? kinematicMaps->maps.count - 1 : DRAPE_NONE;
}

Vec3 drapeKinematicMaps_Apply(const KinematicMaps* kinematicMaps, uint32_t map, Vec3 point, float fraction)
{
	DRAPE_ASSERT(map < kinematicMaps->maps.count);
	DRAPE_ASSERT(fraction >= 0.0f && fraction <= 1.0f);
	Double3 p = D3(point);
	p = D3Add(p, D3Scale((double)fraction, DisplacementOf(&kinematicMaps->maps.data[map], p)));
	return (Vec3){(float)p.x, (float)p.y, (float)p.z};
}
