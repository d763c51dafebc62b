// SPDX-License-Identifier: MIT
#include "base/portable/elementary.h"

#include <math.h>
#include <string.h>

// Series about 0 after a reduction of the argument, in the order of the operations as written. The reductions are exact or
// carry their rounding error along as a second number.

static uint64_t BitsOf(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static double FromBits(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

// 2^exponent, for normal results.
static double PowerOfTwo(int exponent)
{
	DRAPE_ASSERT(exponent >= -1022 && exponent <= 1023);
	return FromBits((uint64_t)(1023 + exponent) << 52);
}

// A number in two parts; the second is smaller than the rounding error of the first.
typedef struct Sum
{
	double high, low;
} Sum;

// a + b and its rounding error. Knuth, The Art of Computer Programming, volume 2, 4.2.2.
static Sum ExactSum(double a, double b)
{
	double sum = a + b, part = sum - a;
	return (Sum){sum, (a - (sum - part)) + (b - part)};
}

// a b and its rounding error. Dekker 1971: halves of 26 bits have exact products.
static Sum ExactProduct(double a, double b)
{
	const double split = 0x1p27 + 1.0;
	double aHigh = split * a - (split * a - a), aLow = a - aHigh;
	double bHigh = split * b - (split * b - b), bLow = b - bHigh;
	double product = a * b;
	return (Sum){product, ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow};
}

static const double pi = 0x1.921fb54442d18p+1, piRest = 0x1.1a62633145c07p-53;

// --- sine and cosine ------------------------------------------------------------------------------------------------

// The argument minus the nearest multiple of a quarter turn. The argument is `quarters` plus a multiple of four quarter
// turns plus `angle`.
typedef struct Reduced
{
	int quarters; // 0 to 3
	Sum angle;    // -pi / 4 to pi / 4
} Reduced;

// For |x| < 2^20. The first two parts of pi / 2 have 33 bits, so that their products with a multiple are exact (Cody and
// Waite 1980).
static Reduced ReduceSmall(double x)
{
	const double part[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
	double multiple = floor(x * 0x1.45f306dc9c883p-1 + 0.5);
	Sum angle = ExactSum(x - multiple * part[0], -multiple * part[1]);
	angle = ExactSum(angle.high, angle.low - multiple * part[2]);
	return (Reduced){(int)((int64_t)multiple & 3), angle};
}

// 2 / pi in binary, after 64 zeros.
static const uint32_t twoOverPi[40] = {
	0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
	0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
	0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
	0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
	0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

enum
{
	windowWords = 6, // of 2 / pi: two bits for the quarter, and a fraction that is exact enough after cancellation
};

// Multiplies 192 bits by 53 bits, modulo 2^192. The first word is the highest.
static void MultiplyWindow(uint32_t window[windowWords], uint64_t factor)
{
	uint32_t product[windowWords] = {0};
	for (int half = 0; half < 2; ++half)
	{
		uint64_t digit = half == 0 ? factor & UINT32_MAX : factor >> 32, carry = 0;
		for (int i = windowWords - 1 - half; i >= 0; --i)
		{
			uint64_t sum = digit * window[i + half] + product[i] + carry;
			product[i] = (uint32_t)sum;
			carry = sum >> 32;
		}
	}
	memcpy(window, product, sizeof product);
}

// For finite |x| >= 2^20: x = integer 2^exponent is multiplied by the bits of 2 / pi that matter modulo four (Payne and
// Hanek 1983).
static Reduced ReduceLarge(double x)
{
	uint64_t bits = BitsOf(fabs(x));
	int exponent = (int)(bits >> 52) - 1075;
	uint64_t integer = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
	DRAPE_ASSERT(exponent >= -32 && exponent <= 971);
	uint32_t first = (uint32_t)(exponent - 2 + 64), word = first / 32, shift = first % 32;
	uint32_t window[windowWords];
	for (uint32_t i = 0; i < windowWords; ++i)
	{
		uint64_t both = (uint64_t)twoOverPi[word + i] << 32 | twoOverPi[word + i + 1];
		window[i] = (uint32_t)(both >> (32 - shift));
	}
	MultiplyWindow(window, integer);
	int quarters = (int)(window[0] >> 30);
	window[0] &= 0x3fffffff;
	bool isUpper = window[0] >> 29 != 0; // the nearest multiple is above: the complement, but for one in the last bit
	for (uint32_t i = 0; i < windowWords && isUpper; ++i)
		window[i] = ~window[i] & (i == 0 ? 0x3fffffff : UINT32_MAX);
	double high = 0.0, low = 0.0;
	for (int i = windowWords - 1; i >= 0; --i)
	{
		double term = (double)window[i] * PowerOfTwo(-30 - 32 * i), sum = term + high;
		low += high - (sum - term);
		high = sum;
	}
	Sum angle = ExactProduct(high, 0.5 * pi);
	angle = ExactSum(angle.high, angle.low + (low * (0.5 * pi) + high * (0.5 * piRest)));
	if (isUpper)
	{
		angle = (Sum){-angle.high, -angle.low};
		quarters++;
	}
	if (x < 0.0)
	{
		angle = (Sum){-angle.high, -angle.low};
		quarters = -quarters;
	}
	return (Reduced){quarters & 3, angle};
}

static Reduced Reduce(double x)
{
	if (fabs(x) <= 0.25 * pi)
		return (Reduced){0, {x, 0.0}};
	return fabs(x) < 0x1p20 ? ReduceSmall(x) : ReduceLarge(x);
}

static double SineNearZero(Sum angle)
{
	double x = angle.high, z = x * x;
	double sum = 1.0 / 355687428096000.0; // 17!
	sum = -1.0 / 1307674368000.0 + z * sum;
	sum = 1.0 / 6227020800.0 + z * sum;
	sum = -1.0 / 39916800.0 + z * sum;
	sum = 1.0 / 362880.0 + z * sum;
	sum = -1.0 / 5040.0 + z * sum;
	sum = 1.0 / 120.0 + z * sum;
	sum = -1.0 / 6.0 + z * sum;
	return x + (x * z * sum + angle.low * (1.0 - 0.5 * z));
}

static double CosineNearZero(Sum angle)
{
	double x = angle.high, z = x * x;
	double sum = 1.0 / 20922789888000.0; // 16!
	sum = -1.0 / 87178291200.0 + z * sum;
	sum = 1.0 / 479001600.0 + z * sum;
	sum = -1.0 / 3628800.0 + z * sum;
	sum = 1.0 / 40320.0 + z * sum;
	sum = -1.0 / 720.0 + z * sum;
	sum = 1.0 / 24.0 + z * sum;
	double most = 1.0 - 0.5 * z;
	return most + (((1.0 - most) - 0.5 * z) + (z * z * sum - x * angle.low));
}

// The sine after a number of quarter turns.
static double SineOf(Reduced reduced)
{
	double value = reduced.quarters & 1 ? CosineNearZero(reduced.angle) : SineNearZero(reduced.angle);
	return reduced.quarters & 2 ? -value : value;
}

double drapeMath_Sin(double x)
{
	if (!isfinite(x))
		return (double)NAN;
	return x == 0.0 ? x : SineOf(Reduce(x));
}

double drapeMath_Cos(double x)
{
	if (!isfinite(x))
		return (double)NAN;
	Reduced reduced = Reduce(x);
	reduced.quarters = (reduced.quarters + 1) & 3;
	return SineOf(reduced);
}

// --- arcs -----------------------------------------------------------------------------------------------------------

// The arc tangent of a fraction from 0 to 1. With c the nearest of five points, atan(t) = atan(c) + atan((t - c) / (1 + t c)).
static Sum ArcOfFraction(double numerator, double denominator)
{
	static const Sum arcs[5] = {
		{0.0, 0.0},
		{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
		{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
		{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
		{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
	};
	int nearest = (int)(4.0 * (numerator / denominator) + 0.5);
	double c = 0.25 * nearest;
	double t = (numerator - c * denominator) / (denominator + c * numerator), z = t * t;
	double sum = 1.0 / 17.0;
	sum = -1.0 / 15.0 + z * sum;
	sum = 1.0 / 13.0 + z * sum;
	sum = -1.0 / 11.0 + z * sum;
	sum = 1.0 / 9.0 + z * sum;
	sum = -1.0 / 7.0 + z * sum;
	sum = 1.0 / 5.0 + z * sum;
	sum = -1.0 / 3.0 + z * sum;
	Sum arc = ExactSum(arcs[nearest].high, t);
	return ExactSum(arc.high, arc.low + (t * z * sum + arcs[nearest].low));
}

// The arc of a vector in the first quadrant, both components finite and one above 0.
static Sum ArcInFirstQuadrant(double y, double x)
{
	double larger = x > y ? x : y;
	double scale = larger > 0x1p900 ? 0x1p-200 : larger < 0x1p-900 ? 0x1p200 : 1.0; // neither overflow nor lost bits
	y *= scale;
	x *= scale;
	if (y <= x)
		return ArcOfFraction(y, x);
	Sum arc = ArcOfFraction(x, y);
	Sum rest = ExactSum(0.5 * pi, -arc.high);
	return ExactSum(rest.high, rest.low + (0.5 * piRest - arc.low));
}

double drapeMath_Atan2(double y, double x)
{
	if (isnan(x) || isnan(y))
		return (double)NAN;
	double aside = fabs(y), along = fabs(x);
	if (isinf(aside) || isinf(along))
	{
		aside = isinf(aside) ? 1.0 : 0.0;
		along = isinf(along) ? 1.0 : 0.0;
	}
	Sum arc = {0.0, 0.0};
	if (aside > 0.0)
		arc = ArcInFirstQuadrant(aside, along);
	if (signbit(x))
	{
		Sum rest = ExactSum(pi, -arc.high);
		arc = (Sum){rest.high, rest.low + (piRest - arc.low)};
	}
	return copysign(arc.high + arc.low, y);
}

double drapeMath_Asin(double x)
{
	if (!(fabs(x) <= 1.0))
		return (double)NAN;
	return drapeMath_Atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}

double drapeMath_Acos(double x)
{
	if (!(fabs(x) <= 1.0))
		return (double)NAN;
	return drapeMath_Atan2(sqrt((1.0 - x) * (1.0 + x)), x);
}

// --- exponentials ---------------------------------------------------------------------------------------------------

// ln 2; the first part has 32 bits, so that its products with exponents are exact.
static const double ln2 = 0x1.62e42feep-1, ln2Rest = 0x1.a39ef35793c76p-33;

double drapeMath_Exp(double x)
{
	if (isnan(x))
		return (double)NAN;
	if (x > 710.0)
		return (double)INFINITY;
	if (x < -746.0)
		return 0.0;
	double power = floor(x * 0x1.71547652b82fep+0 + 0.5);
	Sum rest = ExactSum(x - power * ln2, -power * ln2Rest);
	double r = rest.high;            // |r| <= ln(2) / 2
	double sum = 1.0 / 6227020800.0; // 13!
	sum = 1.0 / 479001600.0 + r * sum;
	sum = 1.0 / 39916800.0 + r * sum;
	sum = 1.0 / 3628800.0 + r * sum;
	sum = 1.0 / 362880.0 + r * sum;
	sum = 1.0 / 40320.0 + r * sum;
	sum = 1.0 / 5040.0 + r * sum;
	sum = 1.0 / 720.0 + r * sum;
	sum = 1.0 / 120.0 + r * sum;
	sum = 1.0 / 24.0 + r * sum;
	sum = 1.0 / 6.0 + r * sum;
	sum = 0.5 + r * sum;
	double value = 1.0 + (r + (r * r * sum + rest.low));
	int exponent = (int)power, half = exponent / 2; // one factor alone could overflow
	return value * PowerOfTwo(half) * PowerOfTwo(exponent - half);
}

double drapeMath_Log(double x)
{
	if (isnan(x) || x < 0.0)
		return (double)NAN;
	if (x == 0.0)
		return -(double)INFINITY;
	if (isinf(x))
		return x;
	int exponent = 0;
	if (x < 0x1p-1022)
	{
		x *= 0x1p54;
		exponent = -54;
	}
	uint64_t bits = BitsOf(x);
	exponent += (int)(bits >> 52) - 1023;
	double m = FromBits((bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1023 << 52);
	if (m > 0x1.6a09e667f3bcdp+0) // so that m lies between sqrt(1 / 2) and sqrt(2)
	{
		m *= 0.5;
		exponent++;
	}
	// ln(1 + f) = 2 atanh(s) with s = f / (2 + f); 2 s = f - s f keeps the bits of f.
	double f = m - 1.0, s = f / (2.0 + f), z = s * s;
	double sum = 2.0 / 21.0;
	sum = 2.0 / 19.0 + z * sum;
	sum = 2.0 / 17.0 + z * sum;
	sum = 2.0 / 15.0 + z * sum;
	sum = 2.0 / 13.0 + z * sum;
	sum = 2.0 / 11.0 + z * sum;
	sum = 2.0 / 9.0 + z * sum;
	sum = 2.0 / 7.0 + z * sum;
	sum = 2.0 / 5.0 + z * sum;
	sum = 2.0 / 3.0 + z * sum;
	double small = s * (f - z * sum);
	return exponent * ln2 + (f - (small - exponent * ln2Rest));
}

float drapeMath_PowF(float base, float exponent)
{
	DRAPE_ASSERT(base > 0.0f && isfinite(base));
	return (float)drapeMath_Exp((double)exponent * drapeMath_Log((double)base));
}

// --- lengths and remainders -----------------------------------------------------------------------------------------

double drapeMath_Hypot(double x, double y)
{
	x = fabs(x);
	y = fabs(y);
	if (isinf(x) || isinf(y))
		return (double)INFINITY;
	if (isnan(x) || isnan(y))
		return (double)NAN;
	double larger = x > y ? x : y;
	double scale = larger > 0x1p500    ? 0x1p600
	               : larger < 0x1p-400 ? 0x1p-600
	                                   : 1.0; // squares neither overflow nor vanish
	x /= scale;
	y /= scale;
	return scale * sqrt(x * x + y * y);
}

double drapeMath_Mod(double x, double y)
{
	if (!isfinite(x) || isnan(y) || y == 0.0)
		return (double)NAN;
	double rest = fabs(x), step = fabs(y), multiple = step;
	if (isinf(step))
		return x;
	// Long division. Each difference is exact, because both sides lie within a factor of two.
	while (multiple <= rest - multiple)
		multiple *= 2.0;
	for (; multiple >= step; multiple *= 0.5)
		rest = rest >= multiple ? rest - multiple : rest;
	return copysign(rest, x);
}
