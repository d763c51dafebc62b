// SPDX-License-Identifier: MIT
#include "io.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Decimal text and floats. A decimal is digits times a power of ten. Most decimals in mesh files have at most 15 digits
// and a small exponent; then both are exact doubles, one multiplication or division rounds correctly (W. Clinger, "How
// to read floating point numbers accurately", 1990), and the double gives the float unless it lies just between two of
// them. Other decimals go to strtof as "digits e exponent": without a decimal point it means the same in every locale.

#define EXACT_POWERS 23
static const double powersOfTen[EXACT_POWERS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define MAX_EXACT_INTEGER ((uint64_t)1 << 53)

// 112 digits decide the rounding of a float. Further digits matter only if one of them is not zero.
#define MAX_DIGITS 120

typedef struct Decimal
{
	char digits[MAX_DIGITS + 1]; // no leading zeros
	int count;
	bool more; // a nonzero digit was dropped after digits[]
	bool negative;
	int exponent; // power of ten of the last digit in digits[]
} Decimal;

// A double halfway between two floats may be rounded; its decimal may lie on either side.
static bool IsHalfway(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return (bits & 0x1FFFFFFFu) == 0x10000000u;
}

// Computes zero or a normal float. Returns false if only strtof is exact.
static bool FastFloat(uint64_t integer, int exponent, float* value)
{
	if (integer > MAX_EXACT_INTEGER || exponent <= -EXACT_POWERS || exponent >= EXACT_POWERS)
		return false;
	double scaled = exponent < 0 ? (double)integer / powersOfTen[-exponent] : (double)integer * powersOfTen[exponent];
	if (IsHalfway(scaled) || (integer != 0 && (scaled < 2.0 * (double)FLT_MIN || scaled > 0.5 * (double)FLT_MAX)))
		return false;
	*value = (float)scaled;
	return true;
}

static float SlowFloat(const char* digits, int count, int exponent)
{
	char text[MAX_DIGITS + 16];
	snprintf(text, sizeof text, "%.*se%d", count, digits, exponent);
	return strtof(text, NULL);
}

static float DecimalToFloat(const Decimal* decimal)
{
	if (decimal->count <= 15 && !decimal->more)
	{
		uint64_t integer = 0;
		for (int i = 0; i < decimal->count; ++i)
			integer = integer * 10 + (uint64_t)(decimal->digits[i] - '0');
		float value;
		if (FastFloat(integer, decimal->exponent, &value))
			return value;
	}
	// A final digit 1 replaces the dropped digits: it lies on the same side of every boundary.
	char digits[MAX_DIGITS + 1];
	memcpy(digits, decimal->digits, (size_t)decimal->count);
	int count = decimal->count;
	if (decimal->more)
		digits[count++] = '1';
	return SlowFloat(digits, count, decimal->exponent - (decimal->more ? 1 : 0));
}

// Appends one digit that stands before (fraction false) or behind the point.
static void PushDigit(Decimal* decimal, char digit, bool fraction)
{
	if (decimal->count < MAX_DIGITS)
	{
		if (decimal->count > 0 || digit != '0')
			decimal->digits[decimal->count++] = digit;
		decimal->exponent -= fraction ? 1 : 0;
	}
	else
	{
		decimal->more |= digit != '0';
		decimal->exponent += fraction ? 0 : 1;
	}
}

static bool IsDigit(char c)
{
	return c >= '0' && c <= '9';
}

// The exponent behind `e`; beyond this size its value no longer matters.
#define EXPONENT_LIMIT 100000000

static const char* ParseExponent(const char* text, const char* end, int* exponent)
{
	bool negative = text < end && *text == '-';
	if (text < end && (*text == '-' || *text == '+'))
		++text;
	if (text == end || !IsDigit(*text))
		return NULL;
	int value = 0;
	for (; text < end && IsDigit(*text); ++text)
		value = value < EXPONENT_LIMIT ? value * 10 + (*text - '0') : value;
	*exponent = negative ? -value : value;
	return text;
}

static bool ParseDecimal(const char* text, const char* end, Decimal* decimal)
{
	decimal->count = decimal->exponent = 0;
	decimal->more = false;
	decimal->negative = text < end && *text == '-';
	if (text < end && (*text == '-' || *text == '+'))
		++text;
	const char* first = text;
	for (; text < end && IsDigit(*text); ++text)
		PushDigit(decimal, *text, false);
	ptrdiff_t digitCount = text - first;
	if (text < end && *text == '.')
	{
		first = ++text;
		for (; text < end && IsDigit(*text); ++text)
			PushDigit(decimal, *text, true);
		digitCount += text - first;
	}
	if (digitCount == 0)
		return false;
	int exponent = 0;
	if (text < end && (*text == 'e' || *text == 'E'))
		text = ParseExponent(text + 1, end, &exponent);
	decimal->exponent += exponent;
	return text == end;
}

NumberResult drapeNumber_Parse(const char* text, size_t length, float* value)
{
	// Digits are counted with an int.
	Decimal decimal;
	if (length > EXPONENT_LIMIT || !ParseDecimal(text, text + length, &decimal))
		return number_malformed;
	float magnitude = decimal.count > 0 ? DecimalToFloat(&decimal) : 0.0f;
	if (!isfinite(magnitude))
		return number_overflow;
	*value = decimal.negative ? -magnitude : magnitude;
	return number_ok;
}

// 10^exponent, for -60 <= exponent <= 60; within an ulp or two, which nine digits of 53 bits do not see.
static double PowerOfTen(int exponent)
{
	double value = 1.0;
	int rest = abs(exponent);
	assert(rest <= 60);
	for (; rest >= EXACT_POWERS; rest -= EXACT_POWERS - 1)
		value *= powersOfTen[EXACT_POWERS - 1];
	value *= powersOfTen[rest];
	return exponent < 0 ? 1.0 / value : value;
}

// The shortest decimal integer * 10^exponent that reads back as `magnitude`, which is positive.
static uint64_t ShortestDecimal(float magnitude, int* exponent)
{
	int leading = (int)floor(log10((double)magnitude));
	for (int precision = 6;; ++precision)
	{
		int last = leading - precision + 1;
		uint64_t integer = (uint64_t)llround((double)magnitude * PowerOfTen(-last));
		float readBack;
		char digits[24];
		if (!FastFloat(integer, last, &readBack))
		{
			int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)integer);
			readBack = SlowFloat(digits, count, last);
		}
		if (readBack == magnitude)
		{
			for (; integer % 10 == 0; integer /= 10)
				++last;
			*exponent = last;
			return integer;
		}
		assert(precision < 10);
	}
}

// Writes the digits with the decimal point after the first `whole` of them; whole may be 0 or less, or more than count.
static size_t PlacePoint(char* text, const char* digits, int count, int whole)
{
	size_t used = 0;
	if (whole <= 0)
	{
		text[used++] = '0';
		text[used++] = '.';
		for (int i = whole; i < 0; ++i)
			text[used++] = '0';
	}
	for (int i = 0; i < count || i < whole; ++i)
	{
		if (i == whole && i > 0)
			text[used++] = '.';
		text[used++] = i < count ? digits[i] : '0';
	}
	return used;
}

size_t drapeNumber_Format(float value, char text[NUMBER_CAPACITY])
{
	assert(isfinite(value));
	size_t used = 0;
	if (signbit(value))
		text[used++] = '-';
	float magnitude = fabsf(value);
	if (magnitude == 0.0f)
	{
		text[used++] = '0';
		text[used] = 0;
		return used;
	}
	int exponent;
	char digits[24];
	uint64_t integer = ShortestDecimal(magnitude, &exponent);
	int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)integer);
	int whole = count + exponent;
	if (whole > -4 && whole <= 10)
	{
		used += PlacePoint(text + used, digits, count, whole);
		text[used] = 0;
		return used;
	}
	used += PlacePoint(text + used, digits, count, 1);
	return used + (size_t)snprintf(text + used, NUMBER_CAPACITY - used, "e%d", whole - 1);
}
