// SPDX-License-Identifier: MIT
#pragma once

// Everything that can touch, during one step, as one set of moving vertices: the particles of cloths, and the vertices
// of colliders, which go where they are told. Each goes straight from where it is when the step begins to where it is
// to be when it ends.
//
// Elements are triangles, or less: a sphere is one vertex with a radius, a capsule a line with a radius. A vertex, an
// edge or a face that several elements share is owned by one of them, so that two elements are tested for what they
// own and no pair of features is tested twice (Bender and Deul 2013, section 6).

#include "base/array.h"
#include "base/transform.h"
#include "mesh/active.h"

enum
{
	ownsVertex = 1 << 0, // << k: corner k
	ownsEdge = 1 << 3,   // << k: from corner k to the next
	ownsFace = 1 << 6,
};

typedef struct ContactElement
{
	uint32_t vertex[3]; // a sphere names its vertex three times, a capsule its second twice
	uint16_t body;
	uint8_t owns;
	uint8_t unused;
} ContactElement;

_Static_assert(sizeof(ContactElement) == 16, "four to a cache line");

typedef struct ContactBody
{
	uint32_t vertexStart, vertexEnd;
	uint32_t elementStart, elementEnd;
	float radius;   // m: its surface is this far from its elements
	float gap;      // m: what is to be left between it and others, the larger of both; 0 for colliders
	float friction; // see ContactBody_Friction
	bool isCloth;
	bool meetsItself;              // and other cloths that do
	const TriangleMaterial* shape; // of a cloth's elements at rest; NULL when that is not known
} ContactBody;

// The coefficient between two. That of a collider is a factor; two cloths have the geometric mean of theirs, so that a
// fabric has its own against itself.
DRAPE_INLINE float ContactBody_Friction(const ContactBody* a, const ContactBody* b)
{
	float product = a->friction * b->friction;
	return a->isCloth && b->isCloth ? sqrtf(product) : product;
}

typedef struct ContactBodies
{
	ARRAY(ContactBody) bodies;
	ARRAY(ContactElement) elements;
	ARRAY(Vec4) from;      // m; w is the inverse mass, 0 for what cannot be pushed
	ARRAY(Vec4) to;        // m; w is 0
	ARRAY(uint16_t) owner; // by vertex: body
} ContactBodies;

enum
{
	contactMaxBodies = UINT16_MAX,
};

void drapeContactBodies_Destroy(ContactBodies* bodies);
// Keeps the first `count` bodies and what is theirs.
void drapeContactBodies_Keep(ContactBodies* bodies, uint32_t count);

// Appends a body without vertices and elements, to which those added next belong. False when memory is short or there
// are contactMaxBodies already.
bool drapeContactBodies_Begin(ContactBodies* bodies, const ContactBody* body);

// Room for so many more of the last body, to be filled by the caller: `owner` is set, `from`, `to` and the elements'
// own fields are not. False when memory is short.
bool drapeContactBodies_AddVertices(ContactBodies* bodies, uint32_t count);
bool drapeContactBodies_AddElements(ContactBodies* bodies, uint32_t count);

// Both, for a body that had them at these places before: elements and `owner` are as they were.
void drapeContactBodies_AddAgain(ContactBodies* bodies, uint32_t vertexCount, uint32_t elementCount);

// Whether the features of two elements are to be kept apart: not two of colliders, nor two of a cloth that passes
// through itself.
bool drapeContactBodies_MayMeet(const ContactBodies* bodies, uint32_t a, uint32_t b);

// A vertex and a face, or two edges, of two elements.
typedef struct ContactFeature
{
	uint32_t vertex[4]; // the vertex and the face's corners, or the ends of one edge and those of the other
	bool isFace;
	uint8_t owned; // of the face's element, for a face: its `owns`
} ContactFeature;

enum
{
	contactMaxFeatures = 15, // of two triangles
};

// What two elements own of each other to be tested, without features that share a vertex. Returns how many.
uint32_t drapeContactElement_Features(const ContactElement* a, const ContactElement* b, ContactFeature* features);
