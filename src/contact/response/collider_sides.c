// SPDX-License-Identifier: MIT
#include "contact/response/collider_sides.h"

#include "contact/narrow/continuous.h"

#include <stdlib.h>
#include <string.h>

// Contacts act inwards when the cosine between their normal and the outward one is below this: for a vertex and a face,
// and for two edges. Edges that pass through a face touch its edges sideways.
static const float leastFaceAlong = 0.0f, leastEdgeAlong = 0.3f;

static Vec3 AtStart(const ColliderSides* sides, uint32_t vertex)
{
	return V4Xyz(sides->bodies->from.data[vertex]);
}

// The outward normal of the mesh's side of a contact: one, two or three vertices.
static bool OutwardOf(const ColliderSides* sides, const MeshCollider* mesh, const uint32_t* vertex, uint32_t count,
                      Vec3* outward)
{
	uint32_t start = sides->bodies->bodies.data[sides->bodies->owner.data[vertex[0]]].vertexStart;
	if (count == 1)
		return drapeMeshShape_VertexNormal(mesh->shape, vertex[0] - start, outward);
	if (count == 2)
		return drapeMeshShape_EdgeNormal(mesh->shape, vertex[0] - start, vertex[1] - start, outward);
	DRAPE_ASSERT(count == 3);
	const Vec4* to = sides->bodies->to.data;
	Vec3 a = V4Xyz(to[vertex[0]]);
	Vec3 cross = V3Cross(V3Sub(V4Xyz(to[vertex[1]]), a), V3Sub(V4Xyz(to[vertex[2]]), a));
	float length = V3Length(cross);
	*outward = V3Scale(length > 0.0f ? 1.0f / length : 0.0f, cross);
	return mesh->shape->closed && length > 0.0f;
}

bool drapeColliderSides_ActsInwards(const ColliderSides* sides, const SidedContact* contact)
{
	DRAPE_ASSERT(contact->firstCount == 1 || contact->firstCount == 2);
	const uint16_t* owner = sides->bodies->owner.data;
	const MeshCollider* first = ColliderSides_MeshOf(sides, owner[contact->vertex[0]]);
	const MeshCollider* last = ColliderSides_MeshOf(sides, owner[contact->vertex[3]]);
	Vec3 outward;
	if (!first == !last)
		return false;
	bool isKnown =
		first ? OutwardOf(sides, first, contact->vertex, contact->firstCount, &outward)
			  : OutwardOf(sides, last, contact->vertex + contact->firstCount, 4 - contact->firstCount, &outward);
	float along = V3Dot(contact->normal, outward);
	return isKnown && (first ? -along : along) < (contact->firstCount == 1 ? leastFaceAlong : leastEdgeAlong);
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
		qsort(points + first, proximities->points.count - first, sizeof *points, CompareVertices);
	for (uint32_t i = first; i < proximities->points.count; ++i)
	{
		if (i == first || CompareVertices(&points[i], &points[kept - 1]) != 0)
			points[kept++] = points[i];
	}
	proximities->points.count = kept;
}

bool drapeColliderSides_AddPokes(const ColliderSides* sides, uint32_t clothElement, uint32_t meshElement,
                                 float distance, float deepest, Proximities* proximities)
{
	const ContactBodies* bodies = sides->bodies;
	const ContactElement *face = &bodies->elements.data[clothElement], *element = &bodies->elements.data[meshElement];
	const ContactBody *cloth = &bodies->bodies.data[face->body], *body = &bodies->bodies.data[element->body];
	const MeshCollider* mesh = ColliderSides_MeshOf(sides, element->body);
	DRAPE_ASSERT(cloth->isCloth && distance >= 0.0f && deepest >= 0.0f);
	if (!mesh || !mesh->shape->closed)
		return true;
	MeshShape shape = drapeMeshShape_AtStart(mesh->shape);
	for (uint32_t k = 0; k < 3; ++k)
	{
		float weights[3];
		Vec3 outward, at = AtStart(sides, element->vertex[k]), x[3];
		for (uint32_t i = 0; i < 3; ++i)
			x[i] = AtStart(sides, face->vertex[i]);
		drapeClosest_PointTriangle(at, x[0], x[1], x[2], weights);
		if (!drapeMeshShape_VertexNormal(&shape, element->vertex[k] - body->vertexStart, &outward))
			continue;
		Vec3 nearest = V3Add(V3Add(V3Scale(weights[0], x[0]), V3Scale(weights[1], x[1])), V3Scale(weights[2], x[2]));
		float along = V3Dot(outward, V3Sub(nearest, at));
		Proximity point = {
			.vertex = {element->vertex[k], face->vertex[0], face->vertex[1], face->vertex[2]},
			.weight = {1.0f, -weights[0], -weights[1], -weights[2]},
			.normal = V3Scale(-1.0f, outward),
			.distance = MaxF(along, -deepest),
			.activationDistance = distance,
			.friction = ContactBody_Friction(cloth, body),
		};
		if (!(along < 0.0f))
			continue;
		if (!ArrayReserve(&proximities->points, proximities->points.count + (size_t)1))
			return false;
		ArrayPush(&proximities->points, point);
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
