// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

#include <string.h>

// Elementary functions whose results are the same bits on every platform. C libraries differ in the last bits of theirs.
// These use only what IEEE 754 rounds correctly (+ - * /, square root) and rounding to integers. Errors are at most three
// units in the last place in double precision, and half a unit plus 1e-7 in single precision, because the single-precision
// functions round double results. Signed zeros, infinities and NaN follow Annex F of C17. Any thread.
//
// Files of src/ call these and not the C library: test_platform_calls has the list of functions that are allowed.

double drapeMath_Sin(double x);
double drapeMath_Cos(double x);
double drapeMath_Asin(double x); // NaN unless -1 <= x <= 1
double drapeMath_Acos(double x); // NaN unless -1 <= x <= 1
double drapeMath_Atan2(double y, double x);
double drapeMath_Exp(double x);
double drapeMath_Log(double x);
double drapeMath_Hypot(double x, double y);

// The remainder of x / y with the sign of x. Exact. Slow for quotients above 2^50 or so.
double drapeMath_Mod(double x, double y);

// base^exponent for a finite base > 0.
float drapeMath_PowF(float base, float exponent);

DRAPE_INLINE float Math_SinF(float x)
{
	return (float)drapeMath_Sin((double)x);
}

DRAPE_INLINE float Math_CosF(float x)
{
	return (float)drapeMath_Cos((double)x);
}

DRAPE_INLINE float Math_AcosF(float x)
{
	return (float)drapeMath_Acos((double)x);
}

DRAPE_INLINE float Math_ExpF(float x)
{
	return (float)drapeMath_Exp((double)x);
}

DRAPE_INLINE float Math_HypotF(float x, float y)
{
	return (float)drapeMath_Hypot((double)x, (double)y);
}

// The next number towards zero, for finite x other than 0.
DRAPE_INLINE float Math_TowardsZeroF(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	bits--;
	memcpy(&x, &bits, sizeof x);
	return x;
}
