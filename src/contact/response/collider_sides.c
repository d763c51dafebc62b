// SPDX-License-Identifier: MIT
#include "contact/response/collider_sides.h"

#include "base/portable/sort.h"
#include "contact/narrow/continuous.h"

#include <string.h>

// Contacts act inwards when the cosine between their normal and the outward one is below this: for a vertex and a face,
// and for two edges. Edges that pass through a face touch its edges sideways.
static const float leastFaceAlong = 0.0f, leastEdgeAlong = 0.3f;

// A vertex is beyond a cloth triangle when the cosine between its outward normal and the way to it is above this.
static const float beyond = 0.5f;

static Vec3 AtStart(const ColliderSides* sides, uint32_t vertex)
{
	return V4Xyz(sides->bodies->from.data[vertex]);
}

static Vec3 ElementNormal(const ContactBodies* bodies, const ContactElement* element)
{
	const Vec4* at = bodies->from.data;
	Vec3 a = V4Xyz(at[element->vertex[0]]);
	Vec3 cross = V3Cross(V3Sub(V4Xyz(at[element->vertex[1]]), a), V3Sub(V4Xyz(at[element->vertex[2]]), a));
	float length = V3Length(cross);
	return length > 0.0f ? V3Scale(1.0f / length, cross) : (Vec3){0.0f, 0.0f, 0.0f};
}

static bool HasVertex(const ContactElement* element, uint32_t vertex)
{
	return element->vertex[0] == vertex || element->vertex[1] == vertex || element->vertex[2] == vertex;
}

// The elements of a box or another shape with flat faces are the triangles of a convex body: the outward normal of a
// feature is the mean of those of its triangles.
static bool OutwardOfShape(const ColliderSides* sides, const ContactBody* body, const uint32_t* vertex, uint32_t count,
                           Vec3* outward)
{
	const ContactBodies* bodies = sides->bodies;
	Vec3 centre = {0.0f, 0.0f, 0.0f}, sum = centre;
	for (uint32_t v = body->vertexStart; v < body->vertexEnd; ++v)
		centre = V3Add(centre, V3Scale(1.0f / (float)(body->vertexEnd - body->vertexStart), AtStart(sides, v)));
	for (uint32_t e = body->elementStart; e < body->elementEnd; ++e)
	{
		const ContactElement* element = &bodies->elements.data[e];
		bool hasAll = true;
		for (uint32_t k = 0; k < count; ++k)
			hasAll &= HasVertex(element, vertex[k]);
		Vec3 normal = ElementNormal(bodies, element);
		if (!hasAll)
			continue;
		float side = V3Dot(normal, V3Sub(AtStart(sides, element->vertex[0]), centre));
		sum = V3Add(sum, V3Scale(side < 0.0f ? -1.0f : 1.0f, normal));
	}
	float length = V3Length(sum);
	*outward = V3Scale(length > 0.0f ? 1.0f / length : 0.0f, sum);
	return length > 0.0f;
}

// The outward normal of the collider's side of a contact: one, two or three vertices. Returns false if it has none.
static bool OutwardOf(const ColliderSides* sides, const uint32_t* vertex, uint32_t count, Vec3* outward)
{
	uint32_t index = sides->bodies->owner.data[vertex[0]];
	const ContactBody* body = &sides->bodies->bodies.data[index];
	const MeshCollider* mesh = ColliderSides_MeshOf(sides, index);
	DRAPE_ASSERT(count >= 1 && count <= 3);
	if (!mesh)
		return !body->isCloth && body->radius == 0.0f && OutwardOfShape(sides, body, vertex, count, outward);
	MeshShape shape = drapeMeshShape_AtStart(mesh->shape);
	if (count == 1)
		return drapeMeshShape_VertexNormal(&shape, vertex[0] - body->vertexStart, outward);
	if (count == 2)
		return drapeMeshShape_EdgeNormal(&shape, vertex[0] - body->vertexStart, vertex[1] - body->vertexStart, outward);
	*outward = ElementNormal(sides->bodies, &(ContactElement){.vertex = {vertex[0], vertex[1], vertex[2]}});
	return shape.closed;
}

bool drapeColliderSides_ActsInwards(const ColliderSides* sides, const SidedContact* contact)
{
	DRAPE_ASSERT(contact->firstCount == 1 || contact->firstCount == 2);
	const ContactBodies* bodies = sides->bodies;
	bool isFirst = !bodies->bodies.data[bodies->owner.data[contact->vertex[0]]].isCloth;
	bool isLast = !bodies->bodies.data[bodies->owner.data[contact->vertex[3]]].isCloth;
	Vec3 outward;
	if (isFirst == isLast)
		return false;
	bool isKnown = isFirst ? OutwardOf(sides, contact->vertex, contact->firstCount, &outward)
	                       : OutwardOf(sides, contact->vertex + contact->firstCount, 4 - contact->firstCount, &outward);
	if (!isKnown)
		return false;
	float along = isFirst ? -V3Dot(contact->normal, outward) : V3Dot(contact->normal, outward);
	return along < (contact->firstCount == 1 ? leastFaceAlong : leastEdgeAlong);
}

static int CompareVertices(const void* a, const void* b)
{
	return memcmp(((const Proximity*)a)->vertex, ((const Proximity*)b)->vertex, sizeof(((const Proximity*)a)->vertex));
}

void drapeColliderSides_MakeUnique(Proximities* proximities, uint32_t first)
{
	DRAPE_ASSERT(first <= proximities->points.count);
	Proximity* points = proximities->points.data;
	uint32_t kept = first;
	if (proximities->points.count - first > 1)
		drapeSort(points + first, proximities->points.count - first, sizeof *points, CompareVertices);
	for (uint32_t i = first; i < proximities->points.count; ++i)
	{
		if (i == first || CompareVertices(&points[i], &points[kept - 1]) != 0)
			points[kept++] = points[i];
	}
	proximities->points.count = kept;
}

// A cloth triangle and a collider triangle that cross, and where their contact points go.
typedef struct PokeSearch
{
	const ColliderSides* sides;
	const ContactElement *face, *element;
	Vec3 corner[3]; // of the cloth triangle
	float reach;    // m, its circumference: no vertex that is farther away pokes through it
	const PokeDef* def;
	Proximities* proximities;
} PokeSearch;

// Adds a contact point of a collider vertex and the point of the cloth triangle with these weights.
static bool AddPoke(const PokeSearch* search, uint32_t vertex, const float weights[3], Vec3 outward, float along)
{
	const ContactBodies* bodies = search->sides->bodies;
	const uint32_t* face = search->face->vertex;
	Proximity point = {
		.vertex = {vertex, face[0], face[1], face[2]},
		.weight = {1.0f, -weights[0], -weights[1], -weights[2]},
		.normal = V3Scale(-1.0f, outward),
		.distance = MaxF(along, -search->def->deepest),
		.activationDistance = search->def->activationDistance,
	};
	point.friction = drapeContactBodies_Friction(bodies, point.vertex, point.weight);
	if (!ArrayReserve(&search->proximities->points, search->proximities->points.count + (size_t)1))
		return false;
	ArrayPush(&search->proximities->points, point);
	return true;
}

// A vertex of the collider that is beyond the cloth triangle.
static bool AddVertexPoke(const PokeSearch* search, uint32_t k)
{
	float weights[3];
	uint32_t vertex = search->element->vertex[k];
	Vec3 outward, at = AtStart(search->sides, vertex);
	const Vec3* x = search->corner;
	drapeClosest_PointTriangle(at, x[0], x[1], x[2], weights);
	if (!OutwardOf(search->sides, &vertex, 1, &outward))
		return true;
	Vec3 nearest = V3Add(V3Add(V3Scale(weights[0], x[0]), V3Scale(weights[1], x[1])), V3Scale(weights[2], x[2]));
	// A vertex of a large triangle may be far beside the cloth triangle, or at the other end of a box that the cloth
	// crosses here: it would pull the cloth all the way along the box.
	float along = V3Dot(outward, V3Sub(nearest, at)), length = V3Length(V3Sub(nearest, at));
	bool isBeyond = along < -beyond * length && length < search->reach;
	return !isBeyond || AddPoke(search, vertex, weights, outward, along);
}

// Returns whether a segment passes through a triangle, with the weights of its corners there.
static bool Pierces(Vec3 from, Vec3 to, const Vec3 x[3], float weights[3])
{
	Vec3 d = V3Sub(to, from), a = V3Sub(x[1], x[0]), b = V3Sub(x[2], x[0]), p = V3Cross(d, b);
	float volume = V3Dot(a, p);
	if (volume == 0.0f)
		return false;
	Vec3 s = V3Sub(from, x[0]), q = V3Cross(s, a);
	weights[1] = V3Dot(s, p) / volume;
	weights[2] = V3Dot(d, q) / volume;
	weights[0] = 1.0f - weights[1] - weights[2];
	float at = V3Dot(b, q) / volume;
	return weights[0] >= 0.0f && weights[1] >= 0.0f && weights[2] >= 0.0f && at >= 0.0f && at <= 1.0f;
}

// An edge of the collider that passes through the cloth triangle. Its depth is unknown and taken as twice the activation
// distance.
static bool AddEdgePoke(const PokeSearch* search, uint32_t k)
{
	const uint32_t edge[2] = {search->element->vertex[k], search->element->vertex[(k + 1) % 3]};
	Vec3 from = AtStart(search->sides, edge[0]), to = AtStart(search->sides, edge[1]), outward;
	float weights[3];
	if (!Pierces(from, to, search->corner, weights) || !OutwardOf(search->sides, edge, 2, &outward))
		return true;
	return AddPoke(search, edge[0], weights, outward, -2.0f * search->def->activationDistance);
}

bool drapeColliderSides_AddPokes(const ColliderSides* sides, uint32_t clothElement, uint32_t colliderElement,
                                 const PokeDef* def, Proximities* proximities)
{
	const ContactBodies* bodies = sides->bodies;
	PokeSearch search = {.sides = sides,
	                     .face = &bodies->elements.data[clothElement],
	                     .element = &bodies->elements.data[colliderElement],
	                     .def = def,
	                     .proximities = proximities};
	DRAPE_ASSERT(bodies->bodies.data[search.face->body].isCloth);
	DRAPE_ASSERT(def->activationDistance >= 0.0f && def->deepest >= 0.0f);
	for (uint32_t k = 0; k < 3; ++k)
		search.corner[k] = AtStart(sides, search.face->vertex[k]);
	for (uint32_t k = 0; k < 3; ++k)
		search.reach += V3Length(V3Sub(search.corner[k], search.corner[(k + 1) % 3]));
	for (uint32_t k = 0; k < 3; ++k)
	{
		bool ownsEdgeOf = (search.element->owns & ownsEdge << k) != 0;
		if (!AddVertexPoke(&search, k) || (ownsEdgeOf && !AddEdgePoke(&search, k)))
			return false;
	}
	return true;
}

float drapeColliderSides_DepthOf(const ColliderSides* sides, uint32_t clothVertex, uint32_t meshElement, float reach)
{
	const MeshCollider* mesh = ColliderSides_MeshOf(sides, sides->bodies->elements.data[meshElement].body);
	MeshPoint closest;
	if (!mesh || !mesh->shape->closed)
		return 0.0f;
	MeshShape shape = drapeMeshShape_AtStart(mesh->shape);
	if (!drapeMeshShape_Closest(&shape, AtStart(sides, clothVertex), reach, &closest))
		return 0.0f;
	return MaxF(-closest.distance, 0.0f);
}
