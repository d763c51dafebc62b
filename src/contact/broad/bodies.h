// SPDX-License-Identifier: MIT
#pragma once

// The gathered contact geometry of one step, as one set of moving vertices: the particles of cloths and the kinematic
// vertices of colliders. Each vertex moves straight from its position at the start of the step to its position at the
// end.
//
// Elements are triangles or simpler: a sphere is one vertex with a radius, a capsule a segment with a radius. One
// element owns a vertex, edge or face that several elements share. Tests of two elements cover the features they own,
// so no pair of features is tested twice (Bender and Deul 2013, section 6).

#include "base/array.h"
#include "base/transform.h"
#include "contact/filter.h"
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
	float radius;   // m: distance of the surface from the elements
	float gap;      // m: distance that impacts leave; the larger of two bodies counts; 0 for colliders
	float friction; // see drapeContactBodies_Friction
	ContactFilter filter;
	// Factors of thickness and friction by vertex of the body; NULL for 1.
	const float *thicknessFactor, *frictionFactor;
	bool isCloth;
	bool collidesWithCloth;        // with itself and with other cloths that do
	const TriangleMaterial* shape; // rest shape of a cloth's elements; NULL when unknown
	const struct MaterialMap* map; // distances within a cloth at rest; NULL when unknown
} ContactBody;

typedef struct ContactBodies
{
	ARRAY(ContactBody) bodies;
	ARRAY(ContactElement) elements;
	ARRAY(Vec4) from;      // m; w is the inverse mass, 0 for kinematic vertices
	ARRAY(Vec4) to;        // m; w is 0
	ARRAY(uint16_t) owner; // per vertex: body
} ContactBodies;

enum
{
	contactMaxBodies = UINT16_MAX,
};

void drapeContactBodies_Destroy(ContactBodies* bodies);
// Keeps the first `count` bodies with their vertices and elements.
void drapeContactBodies_Keep(ContactBodies* bodies, uint32_t count);

// Appends an empty body. Vertices and elements added next belong to it. Returns false when out of memory or when there
// are contactMaxBodies already.
bool drapeContactBodies_Begin(ContactBodies* bodies, const ContactBody* body);

// Append vertices or elements to the last body. `owner` and the elements' `body` are set; the caller fills in the rest.
// Return false when out of memory.
bool drapeContactBodies_AddVertices(ContactBodies* bodies, uint32_t count);
bool drapeContactBodies_AddElements(ContactBodies* bodies, uint32_t count);

// Appends vertices and elements that are still valid from an earlier step at the same indices.
void drapeContactBodies_AddAgain(ContactBodies* bodies, uint32_t vertexCount, uint32_t elementCount);

// Returns whether two bodies collide: not two colliders, not cloths without cloth contact, and only as filters allow. A
// cloth collides with itself.
bool drapeContactBodies_Collide(const ContactBodies* bodies, uint32_t a, uint32_t b);

// Returns the friction coefficient of two points, as weighted sums of four vertices: weights of the first point are
// positive, those of the second one negative. A collider's coefficient is a factor. Two cloths have the geometric mean of
// theirs, so that a fabric has its own coefficient against itself.
float drapeContactBodies_Friction(const ContactBodies* bodies, const uint32_t vertex[4], const float weight[4]);

// Returns the mean factor of thickness of two points; a point of a collider does not count.
float drapeContactBodies_ThicknessFactor(const ContactBodies* bodies, const uint32_t vertex[4], const float weight[4]);

// A vertex and a face, or two edges, of two elements.
typedef struct ContactFeature
{
	uint32_t vertex[4]; // the vertex and the face's vertices, or the ends of both edges
	bool isFace;
	uint8_t owned; // ContactElement::owns of the face's element
} ContactFeature;

enum
{
	contactMaxFeatures = 15, // two triangles have at most this many
};

// Lists the pairs of features that two elements own, without features that share a vertex. Returns their number.
uint32_t drapeContactElement_Features(const ContactElement* a, const ContactElement* b, ContactFeature* features);
