// SPDX-License-Identifier: MIT
#pragma once

// Measured fabrics, and their conversion to a drapeMaterial.
//
// H. Wang, J. F. O'Brien, R. Ramamoorthi: Data-driven elastic models for cloth: modeling and measurement, 2011.

#include "drape/material.h"

// The coefficients of stretching were measured at zero strain, and at a principal stretch of 1 + 1/6 at several angles
// to the warp. They are linear in between.
typedef enum StretchPlace
{
	stretchAtZero,
	stretchAt0,
	stretchAt22, // 22.5
	stretchAt45,
	stretchAt67, // 67.5
	stretchAt90,
	stretchRows,
} StretchPlace;

// With Green strain E and second Piola-Kirchhoff stress S:
// S11 = 2 (c11 E11 + c12 E22), S22 = 2 (c12 E11 + c22 E22), S12 = 2 c33 E12.
typedef enum StretchCoefficient
{
	stretchC11,
	stretchC12,
	stretchC22,
	stretchC33,
	stretchCoefficients,
} StretchCoefficient;

// Degrees from the warp to the line that the fabric is bent about.
typedef enum BendLine
{
	bendAbout0,
	bendAbout45,
	bendAbout90,
	bendLines,
} BendLine;

enum
{
	bendCurvatures = 5,
	measuredFabricCount = 10,
};

typedef struct MeasuredFabric
{
	const char* name;
	const char* help;
	float density;                                   // kg/m^2
	float stretch[stretchRows][stretchCoefficients]; // N/m, as published: fits, some of them below zero
	float bend[bendLines][bendCurvatures];           // 1e-6 N m: stiffness of an edge at curvatures 10 per metre apart
} MeasuredFabric;

extern const MeasuredFabric drapeMeasuredFabrics[measuredFabricCount];

// Values that were not measured, such as friction, are those of drapeDefaultMaterial.
drapeMaterial drapeMeasuredFabric_Material(const MeasuredFabric* fabric);
