// SPDX-License-Identifier: MIT
#include "sweep.h"

typedef long double Real;

typedef struct Point
{
	Real x[3];
} Point;

static Point At(const Sweep* sweep, int corner, Real time)
{
	Vec3 a = sweep->from[corner], b = sweep->to[corner];
	Real from[3] = {(Real)a.x, (Real)a.y, (Real)a.z}, to[3] = {(Real)b.x, (Real)b.y, (Real)b.z};
	Point point;
	for (int i = 0; i < 3; ++i)
		point.x[i] = (1.0L - time) * from[i] + time * to[i];
	return point;
}

static Point Minus(Point a, Point b)
{
	return (Point){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static Point Along(Point a, Real t, Point direction)
{
	return (Point){{a.x[0] + t * direction.x[0], a.x[1] + t * direction.x[1], a.x[2] + t * direction.x[2]}};
}

static Real Dot(Point a, Point b)
{
	return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static Point Cross(Point a, Point b)
{
	return (Point){
		{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static Real Length(Point a)
{
	return sqrtl(Dot(a, a));
}

static Real ToSegment(Point p, Point a, Point b)
{
	Point along = Minus(b, a);
	Real length2 = Dot(along, along), t = Dot(Minus(p, a), along);
	t = length2 > 0.0L ? t / length2 : 0.0L;
	return Length(Minus(p, Along(a, t < 0.0L ? 0.0L : t > 1.0L ? 1.0L : t, along)));
}

// Two lines a + s u and b + t v: where a line meets the plane of v and the common normal.
static Real OnLine(Point a, Point u, Point b, Point v)
{
	Point normal = Cross(u, v), across = Cross(v, normal);
	Real slope = Dot(u, across);
	return slope != 0.0L ? Dot(Minus(b, a), across) / slope : -1.0L;
}

static Real EdgeDistance(const Point x[4])
{
	Real least = fminl(fminl(ToSegment(x[0], x[2], x[3]), ToSegment(x[1], x[2], x[3])),
	                   fminl(ToSegment(x[2], x[0], x[1]), ToSegment(x[3], x[0], x[1])));
	Point u = Minus(x[1], x[0]), v = Minus(x[3], x[2]);
	Real s = OnLine(x[0], u, x[2], v), t = OnLine(x[2], v, x[0], u);
	if (s > 0.0L && s < 1.0L && t > 0.0L && t < 1.0L)
		least = fminl(least, Length(Minus(Along(x[0], s, u), Along(x[2], t, v))));
	return least;
}

static Real TriangleDistance(const Point x[4])
{
	Real least = HUGE_VALL;
	for (int i = 1; i < 4; ++i)
		least = fminl(least, ToSegment(x[0], x[i], x[i % 3 + 1]));
	Point u = Minus(x[2], x[1]), v = Minus(x[3], x[1]), p = Minus(x[0], x[1]);
	Point normal = Cross(u, v);
	Real area2 = Dot(normal, normal);
	if (area2 <= 0.0L)
		return least;
	Real s = Dot(Cross(p, v), normal) / area2, t = Dot(Cross(u, p), normal) / area2;
	if (s > 0.0L && t > 0.0L && s + t < 1.0L)
		least = fminl(least, Length(Minus(p, Along(Along((Point){{0}}, s, u), t, v))));
	return least;
}

Real Sweep_Extent(const Sweep* sweep)
{
	Real extent = 0.0L;
	for (int i = 0; i < 4; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			extent = fmaxl(extent, fabsl(Minus(At(sweep, i, 0.0L), At(sweep, 0, 0.0L)).x[k]));
			extent = fmaxl(extent, fabsl(Minus(At(sweep, i, 1.0L), At(sweep, 0, 1.0L)).x[k]));
		}
	}
	return extent;
}

Real Sweep_Distance(const Sweep* sweep, Real time)
{
	Point x[4];
	for (int i = 0; i < 4; ++i)
		x[i] = At(sweep, i, time);
	return sweep->isEdges ? EdgeDistance(x) : TriangleDistance(x);
}

// The fastest corner of the one seen from any corner of the other.
static Real Speed(const Sweep* sweep)
{
	int first = sweep->isEdges ? 2 : 1;
	Real speed = 0.0L;
	for (int i = 0; i < first; ++i)
	{
		Point a = Minus(At(sweep, i, 1.0L), At(sweep, i, 0.0L));
		for (int j = first; j < 4; ++j)
			speed = fmaxl(speed, Length(Minus(a, Minus(At(sweep, j, 1.0L), At(sweep, j, 0.0L)))));
	}
	return speed;
}

typedef struct Search
{
	const Sweep* sweep;
	Real speed, accuracy;
	SweepLeast* least;
	int budget;
} Search;

static Real Try(Search* search, Real time)
{
	Real distance = Sweep_Distance(search->sweep, time);
	--search->budget;
	if (distance < search->least->distance)
	{
		search->least->distance = distance;
		search->least->time = time;
	}
	return distance;
}

static void Divide(Search* search, Real begin, Real atBegin, Real end, Real atEnd)
{
	Real bound = 0.5L * (atBegin + atEnd - search->speed * (end - begin));
	Real middle = 0.5L * (begin + end);
	bool isPruned = bound >= search->least->distance - search->accuracy;
	if (isPruned || search->budget <= 0 || !(middle > begin && middle < end))
	{
		search->least->bound = isPruned || middle <= begin ? fminl(search->least->bound, bound) : 0.0L;
		return;
	}
	Real atMiddle = Try(search, middle);
	if (atBegin < atEnd)
		Divide(search, begin, atBegin, middle, atMiddle);
	Divide(search, middle, atMiddle, end, atEnd);
	if (atBegin >= atEnd)
		Divide(search, begin, atBegin, middle, atMiddle);
}

SweepLeast Sweep_FindLeast(const Sweep* sweep, Real until, Real accuracy)
{
	SweepLeast least = {.distance = HUGE_VALL, .bound = HUGE_VALL};
	Search search = {sweep, Speed(sweep) * 1.0000001L, accuracy, &least, 2000};
	Real atBegin = Try(&search, 0.0L), atEnd = Try(&search, until);
	Divide(&search, 0.0L, atBegin, until, atEnd);
	least.bound = fmaxl(0.0L, fminl(least.bound, least.distance));
	return least;
}

void Sweep_Weigh(const Sweep* sweep, Real time, const float weights[4], Real sum[3])
{
	for (int k = 0; k < 3; ++k)
		sum[k] = 0.0L;
	for (int i = 0; i < 4; ++i)
	{
		Point corner = Minus(At(sweep, i, time), At(sweep, 0, time));
		for (int k = 0; k < 3; ++k)
			sum[k] += (Real)weights[i] * corner.x[k];
	}
}
