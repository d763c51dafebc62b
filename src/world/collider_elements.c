// SPDX-License-Identifier: MIT
#include "world/scenery.h"

// Shapes as bodies of the broadPhase (contact/broad/bodies.h): a sphere is a thick vertex, a capsule a thick edge, a box twelve
// triangles, a cylinder a prism within it.

enum
{
	prismSides = 32,
};

// A vertex of the collider's own space, on its way.
static void AddVertex(ContactBodies* bodies, const Collider* collider, Vec3 local)
{
	Vec3 from = drapeTransform_Point(collider->from, local), to = drapeTransform_Point(collider->to, local);
	uint32_t i = bodies->from.count - 1;
	bodies->from.data[i] = (Vec4){from.x, from.y, from.z, 0.0f};
	bodies->to.data[i] = (Vec4){to.x, to.y, to.z, 0.0f};
}

static bool AddVertices(ContactBodies* bodies, const Collider* collider, const Vec3* local, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!drapeContactBodies_AddVertices(bodies, 1))
			return false;
		AddVertex(bodies, collider, local[i]);
	}
	return true;
}

static bool AddElement(ContactBodies* bodies, uint32_t a, uint32_t b, uint32_t c, uint8_t owns)
{
	if (!drapeContactBodies_AddElements(bodies, 1))
		return false;
	ContactElement* element = &bodies->elements.data[bodies->elements.count - 1];
	uint32_t first = bodies->bodies.data[element->body].vertexStart;
	element->vertex[0] = first + a;
	element->vertex[1] = first + b;
	element->vertex[2] = first + c;
	element->owns = owns;
	return true;
}

static bool AddBox(ContactBodies* bodies, const Collider* collider)
{
	// Two triangles a side; a side's diagonal and the edges to its higher neighbours are its own.
	static const uint8_t side[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
	                                   {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
	Vec3 e = collider->def.halfExtents, corner[8];
	for (int i = 0; i < 8; ++i)
		corner[i] = (Vec3){i & 4 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 1 ? e.z : -e.z};
	if (!AddVertices(bodies, collider, corner, 8))
		return false;
	uint32_t vertices = 0, edges[8] = {0};
	for (int s = 0; s < 6; ++s)
	{
		for (int half = 0; half < 2; ++half)
		{
			const uint8_t three[3] = {side[s][0], side[s][1 + half], side[s][2 + half]};
			uint8_t owns = ownsFace;
			for (int k = 0; k < 3; ++k)
			{
				uint32_t a = three[k], b = three[(k + 1) % 3], low = MinU32(a, b), high = MaxU32(a, b);
				if (!(vertices & 1u << a))
					owns |= (uint8_t)(ownsVertex << k);
				if (!(edges[low] & 1u << high))
					owns |= (uint8_t)(ownsEdge << k);
				vertices |= 1u << a;
				edges[low] |= 1u << high;
			}
			if (!AddElement(bodies, three[0], three[1], three[2], owns))
				return false;
		}
	}
	return true;
}

// A cylinder as a prism within it: edges round its ends, lines along its side and spokes of its ends.
static bool AddPrism(ContactBodies* bodies, const Collider* collider)
{
	float r = collider->def.radius, h = collider->def.halfHeight;
	for (uint32_t i = 0; i < prismSides; ++i)
	{
		float angle = 6.2831853f * (float)i / prismSides;
		Vec3 ring[2] = {{r * cosf(angle), -h, r * sinf(angle)}, {r * cosf(angle), h, r * sinf(angle)}};
		if (!AddVertices(bodies, collider, ring, 2))
			return false;
	}
	const Vec3 middle[2] = {{0.0f, -h, 0.0f}, {0.0f, h, 0.0f}};
	if (!AddVertices(bodies, collider, middle, 2))
		return false;
	const uint32_t bottom = 2 * prismSides, top = bottom + 1;
	for (uint32_t i = 0; i < prismSides; ++i)
	{
		uint32_t low = 2 * i, next = 2 * ((i + 1) % prismSides);
		uint8_t middles = i == 0 ? ownsVertex << 2 : 0;
		if (!AddElement(bodies, low, next, bottom,
		                (uint8_t)(ownsFace | ownsVertex | ownsEdge | ownsEdge << 1 | middles)) ||
		    !AddElement(bodies, next + 1, low + 1, top,
		                (uint8_t)(ownsFace | ownsVertex | ownsEdge | ownsEdge << 1 | middles)) ||
		    !AddElement(bodies, low, low + 1, next + 1, (uint8_t)(ownsFace | ownsEdge | ownsEdge << 2)) ||
		    !AddElement(bodies, low, next + 1, next, ownsFace))
			return false;
	}
	return true;
}

// Planes have no edges or corners: particles that stay above them keep all the rest above.
bool drapeCollider_Join(const Collider* collider, ContactBodies* bodies)
{
	const drapeColliderDef* def = &collider->def;
	ContactBody body = {.friction = def->friction};
	float scale = fmaxf(collider->from.scale, collider->to.scale);
	if (def->shape == drape_shapeSphere || def->shape == drape_shapeCapsule)
		body.radius = def->radius * scale;
	if (!drapeContactBodies_Begin(bodies, &body))
		return false;
	const Vec3 ends[2] = {{0.0f, -def->halfHeight, 0.0f}, {0.0f, def->halfHeight, 0.0f}}, centre = {0.0f, 0.0f, 0.0f};
	switch (def->shape)
	{
		case drape_shapeSphere:
			return AddVertices(bodies, collider, &centre, 1) && AddElement(bodies, 0, 0, 0, ownsVertex);
		case drape_shapeCapsule:
			return AddVertices(bodies, collider, ends, 2) &&
			       AddElement(bodies, 0, 1, 1, (uint8_t)(ownsVertex | ownsVertex << 1 | ownsEdge));
		case drape_shapeBox:
			return AddBox(bodies, collider);
		case drape_shapeCylinder:
			return AddPrism(bodies, collider);
		case drape_shapePlane:
		case drape_shapeMesh:
			break;
	}
	return true;
}
