// SPDX-License-Identifier: MIT
#include "contact/bodies.h"

void ContactBodies_Destroy(ContactBodies* bodies)
{
	ArrayFree(&bodies->bodies);
	ArrayFree(&bodies->elements);
	ArrayFree(&bodies->from);
	ArrayFree(&bodies->to);
	ArrayFree(&bodies->owner);
}

void ContactBodies_Keep(ContactBodies* bodies, uint32_t count)
{
	DRAPE_ASSERT(count <= bodies->bodies.count);
	const ContactBody* last = count > 0 ? &bodies->bodies.data[count - 1] : NULL;
	bodies->bodies.count = count;
	bodies->elements.count = last ? last->elementEnd : 0;
	bodies->from.count = bodies->to.count = bodies->owner.count = last ? last->vertexEnd : 0;
}

bool ContactBodies_Begin(ContactBodies* bodies, const ContactBody* body)
{
	if (bodies->bodies.count >= contactMaxBodies || !ArrayReserve(&bodies->bodies, bodies->bodies.count + 1))
		return false;
	ContactBody added = *body;
	added.vertexStart = added.vertexEnd = bodies->from.count;
	added.elementStart = added.elementEnd = bodies->elements.count;
	ArrayPush(&bodies->bodies, added);
	return true;
}

bool ContactBodies_AddVertices(ContactBodies* bodies, uint32_t count)
{
	DRAPE_ASSERT(bodies->bodies.count > 0);
	size_t needed = (size_t)bodies->from.count + count;
	if (!ArrayReserve(&bodies->from, needed) || !ArrayReserve(&bodies->to, needed) ||
	    !ArrayReserve(&bodies->owner, needed))
		return false;
	uint32_t body = bodies->bodies.count - 1;
	for (uint32_t i = 0; i < count; ++i)
		bodies->owner.data[bodies->owner.count + i] = (uint16_t)body;
	bodies->from.count = bodies->to.count = bodies->owner.count = (uint32_t)needed;
	bodies->bodies.data[body].vertexEnd = (uint32_t)needed;
	return true;
}

bool ContactBodies_AddElements(ContactBodies* bodies, uint32_t count)
{
	DRAPE_ASSERT(bodies->bodies.count > 0);
	size_t needed = (size_t)bodies->elements.count + count;
	if (!ArrayReserve(&bodies->elements, needed))
		return false;
	uint32_t body = bodies->bodies.count - 1;
	for (uint32_t i = 0; i < count; ++i)
		bodies->elements.data[bodies->elements.count + i] = (ContactElement){.body = (uint16_t)body};
	bodies->elements.count = (uint32_t)needed;
	bodies->bodies.data[body].elementEnd = (uint32_t)needed;
	return true;
}

bool ContactBodies_MayMeet(const ContactBodies* bodies, uint32_t a, uint32_t b)
{
	const ContactBody *first = &bodies->bodies.data[a], *second = &bodies->bodies.data[b];
	if (first->isCloth && second->isCloth)
		return first->meetsItself && second->meetsItself;
	return first->isCloth || second->isCloth;
}

static bool Has(const uint32_t* list, uint32_t count, uint32_t vertex)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		if (list[i] == vertex)
			return true;
	}
	return false;
}

static uint32_t AddFaces(const ContactElement* a, const ContactElement* b, ContactFeature* features)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < 3 && (b->owns & ownsFace); ++k)
	{
		if ((a->owns & ownsVertex << k) && !Has(b->vertex, 3, a->vertex[k]))
			features[count++] = (ContactFeature){
				.vertex = {a->vertex[k], b->vertex[0], b->vertex[1], b->vertex[2]}, .isFace = true, .owned = b->owns};
	}
	return count;
}

uint32_t ContactElement_Features(const ContactElement* a, const ContactElement* b, ContactFeature* features)
{
	uint32_t count = AddFaces(a, b, features);
	count += AddFaces(b, a, features + count);
	for (uint32_t i = 0; i < 3; ++i)
	{
		const uint32_t from = a->vertex[i], to = a->vertex[(i + 1) % 3];
		for (uint32_t k = 0; k < 3 && (a->owns & ownsEdge << i); ++k)
		{
			const uint32_t edge[2] = {b->vertex[k], b->vertex[(k + 1) % 3]};
			if ((b->owns & ownsEdge << k) && !Has(edge, 2, from) && !Has(edge, 2, to))
				features[count++] = (ContactFeature){.vertex = {from, to, edge[0], edge[1]}};
		}
	}
	return count;
}

// How far an element reaches along a direction, seen from an origin.
static void Extent(const ContactElement* element, const Vec4* rows, Vec3 origin, Vec3 direction, float* low,
                   float* high)
{
	for (int k = 0; k < 3; ++k)
	{
		float along = V3Dot(V3Sub(V4Xyz(rows[element->vertex[k]]), origin), direction);
		*low = along < *low ? along : *low;
		*high = along > *high ? along : *high;
	}
}

static bool FaceParts(const ContactElement* face, const ContactElement* other, const Vec4* from, const Vec4* to,
                      float reach)
{
	Vec3 origin = V4Xyz(from[face->vertex[0]]), u = V3Sub(V4Xyz(from[face->vertex[1]]), origin);
	Vec3 n = V3Cross(u, V3Sub(V4Xyz(from[face->vertex[2]]), origin));
	float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
	Extent(face, from, origin, n, &low[0], &high[0]);
	Extent(other, from, origin, n, &low[1], &high[1]);
	if (to != from)
	{
		Extent(face, to, origin, n, &low[0], &high[0]);
		Extent(other, to, origin, n, &low[1], &high[1]);
	}
	// A little more than what rounding may have taken.
	float size = fmaxf(fmaxf(high[0], -low[0]), fmaxf(high[1], -low[1]));
	float least = reach * V3Length(n) + 1e-5f * size;
	return low[1] - high[0] > least || low[0] - high[1] > least;
}

bool ContactElement_AreApart(const ContactElement* a, const ContactElement* b, const Vec4* from, const Vec4* to,
                             float reach)
{
	return ((a->owns & ownsFace) && FaceParts(a, b, from, to, reach)) ||
	       ((b->owns & ownsFace) && FaceParts(b, a, from, to, reach));
}
