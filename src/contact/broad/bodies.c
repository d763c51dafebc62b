// SPDX-License-Identifier: MIT
#include "contact/broad/bodies.h"

void drapeContactBodies_Destroy(ContactBodies* bodies)
{
	ArrayFree(&bodies->bodies);
	ArrayFree(&bodies->elements);
	ArrayFree(&bodies->from);
	ArrayFree(&bodies->to);
	ArrayFree(&bodies->owner);
}

void drapeContactBodies_Keep(ContactBodies* bodies, uint32_t count)
{
	DRAPE_ASSERT(count <= bodies->bodies.count);
	const ContactBody* last = count > 0 ? &bodies->bodies.data[count - 1] : NULL;
	bodies->bodies.count = count;
	bodies->elements.count = last ? last->elementEnd : 0;
	bodies->from.count = bodies->to.count = bodies->owner.count = last ? last->vertexEnd : 0;
}

bool drapeContactBodies_Begin(ContactBodies* bodies, const ContactBody* body)
{
	if (bodies->bodies.count >= contactMaxBodies || !ArrayReserve(&bodies->bodies, bodies->bodies.count + 1))
		return false;
	ContactBody added = *body;
	added.vertexStart = added.vertexEnd = bodies->from.count;
	added.elementStart = added.elementEnd = bodies->elements.count;
	ArrayPush(&bodies->bodies, added);
	return true;
}

bool drapeContactBodies_AddVertices(ContactBodies* bodies, uint32_t count)
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

bool drapeContactBodies_AddElements(ContactBodies* bodies, uint32_t count)
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

void drapeContactBodies_AddAgain(ContactBodies* bodies, uint32_t vertexCount, uint32_t elementCount)
{
	DRAPE_ASSERT(bodies->bodies.count > 0);
	ContactBody* body = &bodies->bodies.data[bodies->bodies.count - 1];
	body->vertexEnd = bodies->from.count + vertexCount;
	body->elementEnd = bodies->elements.count + elementCount;
	DRAPE_ASSERT(body->vertexEnd <= bodies->owner.capacity && body->elementEnd <= bodies->elements.capacity);
	bodies->from.count = bodies->to.count = bodies->owner.count = body->vertexEnd;
	bodies->elements.count = body->elementEnd;
}

bool drapeContactBodies_Collide(const ContactBodies* bodies, uint32_t a, uint32_t b)
{
	const ContactBody *first = &bodies->bodies.data[a], *second = &bodies->bodies.data[b];
	if (a != b && !ContactFilters_Touch(first->filter, second->filter))
		return false;
	if (first->isCloth && second->isCloth)
		return first->collidesWithCloth && second->collidesWithCloth;
	return first->isCloth || second->isCloth;
}

// Returns bit 3 i + k when corner i of the first is corner k of the second.
static uint32_t SharedCorners(const ContactElement* a, const ContactElement* b)
{
	uint32_t shared = 0;
	for (uint32_t i = 0; i < 3 && a->body == b->body; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
			shared |= (uint32_t)(a->vertex[i] == b->vertex[k]) << (3 * i + k);
	}
	return shared;
}

// Lists corners of one element with the face of another. `shared` has the bits of the first in steps of `step`.
static uint32_t AddFaces(const ContactElement* a, const ContactElement* b, uint32_t shared, uint32_t step,
                         ContactFeature* features)
{
	const uint32_t any = step == 3 ? 7 : 1 | 1 << 3 | 1 << 6;
	uint32_t count = 0;
	for (uint32_t k = 0; k < 3 && (b->owns & ownsFace); ++k)
	{
		if ((a->owns & ownsVertex << k) && !(shared >> step * k & any))
			features[count++] = (ContactFeature){
				.vertex = {a->vertex[k], b->vertex[0], b->vertex[1], b->vertex[2]}, .isFace = true, .owned = b->owns};
	}
	return count;
}

uint32_t drapeContactElement_Features(const ContactElement* a, const ContactElement* b, ContactFeature* features)
{
	static const uint32_t next[3] = {1, 2, 0}, ends[3] = {1 | 2, 2 | 4, 4 | 1};
	uint32_t shared = SharedCorners(a, b), count = AddFaces(a, b, shared, 3, features);
	count += AddFaces(b, a, shared, 1, features + count);
	for (uint32_t i = 0; i < 3; ++i)
	{
		uint32_t sharedEnds = shared >> 3 * i | shared >> 3 * next[i];
		for (uint32_t k = 0; k < 3 && (a->owns & ownsEdge << i); ++k)
		{
			if ((b->owns & ownsEdge << k) && !(sharedEnds & ends[k]))
				features[count++] =
					(ContactFeature){.vertex = {a->vertex[i], a->vertex[next[i]], b->vertex[k], b->vertex[next[k]]}};
		}
	}
	return count;
}

// --- factors of vertices --------------------------------------------------------------------------------------------

typedef enum FactorKind
{
	factorThickness,
	factorFriction,
} FactorKind;

static const float* FactorsOf(const ContactBody* body, FactorKind kind)
{
	return kind == factorThickness ? body->thicknessFactor : body->frictionFactor;
}

// The factor of one of two points, which has the positive or the negative weights.
static float FactorAt(const ContactBodies* bodies, FactorKind kind, const uint32_t vertex[4], const float weight[4],
                      float sign)
{
	float sum = 0.0f, all = 0.0f;
	for (int k = 0; k < 4; ++k)
	{
		const ContactBody* body = &bodies->bodies.data[bodies->owner.data[vertex[k]]];
		const float* factors = FactorsOf(body, kind);
		float share = MaxF(sign * weight[k], 0.0f);
		DRAPE_ASSERT(vertex[k] >= body->vertexStart && vertex[k] < body->vertexEnd);
		sum += factors ? share * factors[vertex[k] - body->vertexStart] : share;
		all += share;
	}
	return all > 0.0f ? sum / all : 1.0f;
}

float drapeContactBodies_Friction(const ContactBodies* bodies, const uint32_t vertex[4], const float weight[4])
{
	const ContactBody* a = &bodies->bodies.data[bodies->owner.data[vertex[0]]];
	const ContactBody* b = &bodies->bodies.data[bodies->owner.data[vertex[3]]];
	float product = a->friction * b->friction;
	if (a->frictionFactor || b->frictionFactor)
		product *= FactorAt(bodies, factorFriction, vertex, weight, 1.0f) *
		           FactorAt(bodies, factorFriction, vertex, weight, -1.0f);
	return a->isCloth && b->isCloth ? sqrtf(product) : product;
}

float drapeContactBodies_ThicknessFactor(const ContactBodies* bodies, const uint32_t vertex[4], const float weight[4])
{
	const ContactBody* a = &bodies->bodies.data[bodies->owner.data[vertex[0]]];
	const ContactBody* b = &bodies->bodies.data[bodies->owner.data[vertex[3]]];
	if (!a->thicknessFactor && !b->thicknessFactor)
		return 1.0f;
	// A vertex of a collider has the factor 1 and is left out.
	float first = FactorAt(bodies, factorThickness, vertex, weight, 1.0f);
	float second = FactorAt(bodies, factorThickness, vertex, weight, -1.0f);
	return !b->isCloth ? first : !a->isCloth ? second : 0.5f * (first + second);
}
