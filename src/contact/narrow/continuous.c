// SPDX-License-Identifier: MIT
#include "contact/narrow/continuous.h"

#include "contact/shapes/triangle.h"

// The algorithm advances time from certificate to certificate. A certificate is a time interval with a direction, which
// may rotate, along which all corners of the first primitive stay ahead of all corners of the second. Then all their
// points do, and the primitives do not touch. When certificates cover the time up to 1, there is no impact. When no
// certificate continues, the current time is the time to stop at. The proof does not depend on the source of
// directions: geometry only proposes them, and a bad proposal fails.
//
//               o  corner ahead                    fixed direction n: the lead of a corner is linear in time. So the
//               |                                  certificate holds until the first pair of corners is down to the
//      n ^    . | . . . . . . . gap . . .          gap: ValidUntil. Close to an impact this is Newton's method.
//        |   ___v_______________________
//            second primitive                      rotating direction (1 - s) n0 + s n1: the lead is quadratic in time,
//                                                  and above the gap when its three Bernstein coefficients are: Holds.
//
// The directions proposed at a time are those in which static primitives can be closest: the normal of the triangle or
// of both edges, and from each edge to each vertex of the other primitive. The distance is the largest separation along
// any of them, so the algorithm need not decide on a region of closest points, and slivers and parallel edges need no
// special case. Fixed directions alone would take tiny steps when close primitives rotate together; with rotating ones
// the error of a step is of second order in the angle.
//
// Rounding. Corners are relative to corner 0, and `size` is the sum of their coordinates' magnitudes at both ends. A
// separation along a unit direction, a linear function through two of them, or a Bernstein coefficient takes less than
// 40 roundings of at most 2^-53 size. Certificates must show 2^-30 size beyond the floor, so their statement is true of
// the exact numbers, and the distance left at an impact is long enough to have a direction. The size is at most 18
// times the largest extent, hence the 2^-24 of the header. Fourth powers of floats neither overflow nor underflow in
// doubles.
//
// Conservative advancement goes back to Mirtich 1996, "Impulse-based Dynamic Simulation of Rigid Body Systems", and for
// cloth to Li et al. 2021, "Codimensional Incremental Potential Contact", who advance by the distance alone; with
// directions, primitives that slide past each other are done in one step.

// Fractions of the size: a bound of the computed errors, and the separation that certificates show beyond the floor.
// Primitives with less than twice the latter left have arrived.
#define ROUNDING 0x1p-47
#define CLOSENESS 0x1p-30

// The floor as a fraction of the initial distance, when that is less than the gap.
#define LEEWAY 0.9

enum
{
	maxSteps = 64,
	maxDirections = 5,
};

typedef enum Kind
{
	vertexTriangle,
	edgeEdge,
} Kind;

// Corners 1 to 3 relative to corner 0.
typedef struct Corners
{
	Double3 at[3];
} Corners;

typedef struct Pair
{
	Corners start, end;
	double size;      // m, sum of the magnitudes of all coordinates
	double demanded;  // m, separation that a certificate must show: the floor and closeness
	double closeness; // m
} Pair;

// The directions proposed at one time.
typedef struct View
{
	double time;
	Corners corners;
	Double3 directions[maxDirections]; // unit length, from the second primitive to the first; or zero
	double separations[maxDirections]; // m, along them, >= 0
	int best;                          // the largest: the distance
} View;

// --- vectors --------------------------------------------------------------------------------------------------------

// a + s b
DRAPE_INLINE Double3 AddScaled(Double3 a, double s, Double3 b)
{
	return (Double3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// One instruction, unlike fmin and fmax. NaN in the first operand gives the second.
DRAPE_INLINE double Lesser(double a, double b)
{
	return a < b ? a : b;
}

DRAPE_INLINE double Greater(double a, double b)
{
	return a > b ? a : b;
}

DRAPE_INLINE Corners CornersBetween(const Corners* a, const Corners* b, double time)
{
	Corners between;
	for (int i = 0; i < 3; ++i)
		between.at[i] = AddScaled(a->at[i], time, D3Sub(b->at[i], a->at[i]));
	return between;
}

// --- closest points -------------------------------------------------------------------------------------------------

static const Double3 origin;

// Returns the parameter, 0 to 1, of the point of a segment closest to p.
DRAPE_INLINE double SegmentParameter(Double3 p, Double3 a, Double3 b)
{
	Double3 along = D3Sub(b, a);
	double length2 = D3Dot(along, along), t = D3Dot(D3Sub(p, a), along);
	return t <= 0.0 || length2 <= 0.0 ? 0.0 : t >= length2 ? 1.0 : t / length2;
}

// Returns the weighted sum of the corners; corner 0 is the origin.
DRAPE_INLINE Double3 Weigh(const Corners* x, const double weights[4])
{
	return AddScaled(AddScaled(D3Scale(weights[1], x->at[0]), weights[2], x->at[1]), weights[3], x->at[2]);
}

// The closest points found so far: their weights, as in an impact, and their squared distance, m^2.
typedef struct Nearest
{
	double weights[4];
	double distance2;
} Nearest;

DRAPE_INLINE void Try(const Corners* x, double w0, double w1, double w2, double w3, Nearest* nearest)
{
	const double weights[4] = {w0, w1, w2, w3};
	Double3 between = Weigh(x, weights);
	double distance2 = D3Dot(between, between);
	if (distance2 < nearest->distance2)
		*nearest = (Nearest){{w0, w1, w2, w3}, distance2};
}

static Nearest NearestVertexTriangle(const Corners* x)
{
	TrianglePoint point = Triangle_Closest(&(SeenTriangle){{x->at[0], x->at[1], x->at[2]}});
	return (Nearest){{1.0, -point.weight[0], -point.weight[1], -point.weight[2]}, point.square};
}

// For nearly parallel lines the solution may be noise, so the function tries and measures all features.
static Nearest NearestEdgeEdge(const Corners* x)
{
	Double3 a = origin, b = x->at[0], c = x->at[1], d = x->at[2];
	Nearest nearest = {{1.0, 0.0, -1.0, 0.0}, HUGE_VAL};
	double t = SegmentParameter(a, c, d);
	Try(x, 1.0, 0.0, t - 1.0, -t, &nearest);
	t = SegmentParameter(b, c, d);
	Try(x, 0.0, 1.0, t - 1.0, -t, &nearest);
	double s = SegmentParameter(c, a, b);
	Try(x, 1.0 - s, s, -1.0, 0.0, &nearest);
	s = SegmentParameter(d, a, b);
	Try(x, 1.0 - s, s, 0.0, -1.0, &nearest);

	Double3 u = b, v = D3Sub(d, c), normal = D3Cross(u, v);
	double area2 = D3Dot(normal, normal);
	s = D3Dot(D3Cross(c, v), normal) / area2;
	t = D3Dot(D3Cross(c, u), normal) / area2;
	if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)
		Try(x, 1.0 - s, s, t - 1.0, -t, &nearest);
	return nearest;
}

DRAPE_INLINE Nearest FindNearest(Kind kind, const Corners* x)
{
	return kind == vertexTriangle ? NearestVertexTriangle(x) : NearestEdgeEdge(x);
}

float drapeClosest_PointTriangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, float weights[3])
{
	Corners x = {{D3Between(p, a), D3Between(p, b), D3Between(p, c)}};
	Nearest nearest = NearestVertexTriangle(&x);
	for (int i = 0; i < 3; ++i)
		weights[i] = fabsf((float)nearest.weights[1 + i]);
	return (float)nearest.distance2;
}

float drapeClosest_SegmentSegment(Vec3 a, Vec3 b, Vec3 c, Vec3 d, float* s, float* t)
{
	Corners x = {{D3Between(a, b), D3Between(a, c), D3Between(a, d)}};
	Nearest nearest = NearestEdgeEdge(&x);
	*s = (float)nearest.weights[1];
	*t = fabsf((float)nearest.weights[3]);
	return (float)nearest.distance2;
}

// --- proposals ------------------------------------------------------------------------------------------------------

DRAPE_INLINE int DirectionCount(Kind kind)
{
	return kind == vertexTriangle ? 4 : 5;
}

// Returns the vector from the closest point of a segment to p. Unless that point is an end, the vector must be
// perpendicular to the segment, however short the segment is.
DRAPE_INLINE Double3 FromSegment(Double3 p, Double3 a, Double3 b)
{
	Double3 along = D3Sub(b, a), fromA = D3Sub(p, a);
	double length2 = D3Dot(along, along), t = D3Dot(fromA, along);
	if (!(t > 0.0))
		return fromA;
	if (t >= length2)
		return D3Sub(p, b);
	Double3 across = AddScaled(fromA, -t / length2, along);
	return AddScaled(across, -D3Dot(across, along) / length2, along);
}

// Returns the normal towards the first primitive.
DRAPE_INLINE Double3 CommonNormal(Kind kind, const Corners* x)
{
	Double3 u = kind == vertexTriangle ? D3Sub(x->at[1], x->at[0]) : x->at[0];
	Double3 v = kind == vertexTriangle ? D3Sub(x->at[2], x->at[0]) : D3Sub(x->at[2], x->at[1]);
	Double3 normal = D3Cross(u, v);
	return D3Dot(normal, x->at[1]) > 0.0 ? D3Scale(-1.0, normal) : normal;
}

// Returns direction number i, of any length.
DRAPE_INLINE Double3 Propose(Kind kind, const Corners* x, int i)
{
	const Double3* at = x->at;
	if (i == 0)
		return CommonNormal(kind, x);
	if (kind == vertexTriangle)
		return FromSegment(origin, at[i - 1], at[i % 3]);
	return i == 1   ? FromSegment(origin, at[1], at[2])
	       : i == 2 ? FromSegment(at[0], at[1], at[2])
	                : D3Scale(-1.0, FromSegment(at[i - 2], origin, at[0]));
}

// --- certificates ---------------------------------------------------------------------------------------------------

// Returns the separation of the primitives, given how far corners 1 to 3 are ahead of corner 0.
DRAPE_INLINE double Separation(Kind kind, double a, double b, double c)
{
	return kind == vertexTriangle ? -Greater(Greater(a, b), c) : Lesser(0.0, a) - Greater(b, c);
}

DRAPE_INLINE double SeparationAlong(Kind kind, Double3 direction, const Corners* x)
{
	return Separation(kind, D3Dot(direction, x->at[0]), D3Dot(direction, x->at[1]), D3Dot(direction, x->at[2]));
}

// Returns the time, at most `time`, up to which a linear function is at least `demanded`.
DRAPE_INLINE double Until(double time, double start, double end, double demanded)
{
	return end >= demanded ? time : Lesser((start - demanded) / (start - end), time);
}

// Returns the time up to which a direction separates as demanded. It does so at some earlier time.
DRAPE_INLINE double ValidUntil(Kind kind, const Pair* pair, Double3 direction)
{
	double start[3], end[3], time = 1.0;
	for (int i = 0; i < 3; ++i)
	{
		start[i] = D3Dot(direction, pair->start.at[i]);
		end[i] = D3Dot(direction, pair->end.at[i]);
	}
	if (Separation(kind, end[0], end[1], end[2]) >= pair->demanded)
		return time;
	for (int i = kind == vertexTriangle ? 0 : 1; i < 3; ++i)
		time = Until(time, -start[i], -end[i], pair->demanded);
	for (int i = 1; kind == edgeEdge && i < 3; ++i)
		time = Until(time, start[0] - start[i], end[0] - end[i], pair->demanded);
	return time;
}

// Returns whether direction number i, rotating from one view to the other, separates as demanded between them. Its
// length is at most 1 in between.
DRAPE_INLINE bool Holds(Kind kind, const Pair* pair, const View* from, const View* to, int i)
{
	if (!(from->separations[i] >= pair->demanded && to->separations[i] >= pair->demanded))
		return false;
	double middle[3];
	for (int k = 0; k < 3; ++k)
		middle[k] = D3Dot(from->directions[i], to->corners.at[k]) + D3Dot(to->directions[i], from->corners.at[k]);
	return 0.5 * Separation(kind, middle[0], middle[1], middle[2]) >= pair->demanded;
}

// --- advancement ----------------------------------------------------------------------------------------------------

// Returns the separation along direction number i, and the direction at unit length; zeros unless it is positive.
DRAPE_INLINE double ProposeUnit(Kind kind, const Corners* x, int i, Double3* direction)
{
	Double3 proposed = Propose(kind, x, i);
	double separation = SeparationAlong(kind, proposed, x);
	double inverse = separation > 0.0 ? 1.0 / D3Length(proposed) : 0.0;
	*direction = D3Scale(inverse, proposed);
	return inverse * separation;
}

DRAPE_INLINE void Look(Kind kind, const Pair* pair, double time, View* view)
{
	DRAPE_ASSERT(DirectionCount(kind) <= maxDirections);
	view->time = time;
	view->corners = CornersBetween(&pair->start, &pair->end, time);
	view->best = 0;
	for (int i = 0; i < DirectionCount(kind); ++i)
	{
		view->separations[i] = ProposeUnit(kind, &view->corners, i, &view->directions[i]);
		view->best = view->separations[i] > view->separations[view->best] ? i : view->best;
	}
}

DRAPE_INLINE double LatestValidTime(Kind kind, const Pair* pair, const View* view)
{
	double time = view->time;
	for (int i = 0; i < DirectionCount(kind) && time < 1.0; ++i)
	{
		if (view->separations[i] >= pair->demanded)
			time = Greater(ValidUntil(kind, pair, view->directions[i]), time);
	}
	return time;
}

DRAPE_INLINE bool AnyHolds(Kind kind, const Pair* pair, const View* from, const View* to)
{
	for (int i = 0; i < DirectionCount(kind); ++i)
	{
		if (Holds(kind, pair, from, to, i))
			return true;
	}
	return false;
}

// Most pairs stay apart along an initial direction.
DRAPE_INLINE bool StaysApart(Kind kind, const Pair* pair)
{
	for (int i = 0; i < DirectionCount(kind); ++i)
	{
		Double3 direction;
		double separation = ProposeUnit(kind, &pair->start, i, &direction);
		if (separation >= pair->demanded && ValidUntil(kind, pair, direction) >= 1.0)
			return true;
	}
	return false;
}

// Returns how fast the distance shrinks, m per step: the relative velocity of the closest points along their line.
DRAPE_INLINE double ClosingSpeed(Kind kind, const Pair* pair, const View* view)
{
	Nearest nearest = FindNearest(kind, &view->corners);
	Double3 velocity = D3Sub(Weigh(&pair->end, nearest.weights), Weigh(&pair->start, nearest.weights));
	return -D3Dot(view->directions[view->best], velocity);
}

// The time span over which to try a rotating direction.
typedef struct Stride
{
	double span; // upper bound: grows after a success, shrinks after a failure
	double rest; // fraction of the distance to leave at the present closing speed: squared after each success
} Stride;

static const Stride firstStride = {1.0, 0.125};

// Advances by a rotating direction when that goes beyond `time`, which is certain.
DRAPE_INLINE bool AdvanceRotating(Kind kind, const Pair* pair, Stride* stride, double time, View* view)
{
	double closing = ClosingSpeed(kind, pair, view);
	double left = view->separations[view->best] - pair->demanded;
	double ahead = Lesser(stride->span, 1.0 - view->time);
	bool isClosing = closing * ahead > left;
	if (isClosing)
		ahead = (1.0 - stride->rest) * left / closing;
	if (ahead <= time - view->time)
	{
		stride->span = Greater(stride->span, 2.0 * (time - view->time));
		return false;
	}
	View there;
	Look(kind, pair, Lesser(view->time + ahead, 1.0), &there);
	bool holds = AnyHolds(kind, pair, view, &there);
	if (holds)
		*view = there;
	stride->span = holds ? 1.5 * ahead : 0.4 * ahead;
	stride->rest = !holds ? firstStride.rest : isClosing ? stride->rest * stride->rest : stride->rest;
	return holds;
}

// Returns true with the view at which to stop, false when there is no impact.
DRAPE_INLINE bool Stops(Kind kind, const Pair* pair, View* view)
{
	Stride stride = firstStride;
	for (int step = 0; step < maxSteps; ++step)
	{
		if (!(view->separations[view->best] > pair->demanded + pair->closeness))
			return true;
		double time = LatestValidTime(kind, pair, view);
		if (time >= 1.0)
			return false;
		if (!AdvanceRotating(kind, pair, &stride, time, view))
			Look(kind, pair, time, view);
		else if (view->time >= 1.0)
			return false;
	}
	return true;
}

// --- impacts --------------------------------------------------------------------------------------------------------

static float RoundDown(double time)
{
	float rounded = (float)time;
	return (double)rounded > time ? Math_TowardsZeroF(rounded) : rounded;
}

// Returns the normal of primitives that touch at the start: perpendicular to both if possible, against their velocity.
static Double3 NormalOfTouch(Kind kind, const Pair* pair, const double weights[4])
{
	Double3 normal = CommonNormal(kind, &pair->start);
	Double3 velocity = D3Sub(Weigh(&pair->end, weights), Weigh(&pair->start, weights));
	double length = D3Length(normal);
	if (!(length > 0.0 && length < HUGE_VAL)) // NaN and infinite lengths too
	{
		normal = velocity;
		length = D3Length(velocity);
	}
	if (!(length > 0.0 && length < HUGE_VAL))
		return (Double3){0.0, 1.0, 0.0};
	return D3Scale(D3Dot(normal, velocity) > 0.0 ? -1.0 / length : 1.0 / length, normal);
}

DRAPE_INLINE void Report(Kind kind, const Pair* pair, const View* view, Impact* impact)
{
	Nearest nearest = FindNearest(kind, &view->corners);
	Double3 normal = view->separations[view->best] > ROUNDING * pair->size ? view->directions[view->best]
	                                                                       : NormalOfTouch(kind, pair, nearest.weights);
	DRAPE_ASSERT(view->time >= 0.0 && view->time <= 1.0);
	impact->time = RoundDown(view->time);
	for (int i = 0; i < 4; ++i)
		impact->weight[i] = (float)nearest.weights[i];
	impact->normal = (Vec3){(float)normal.x, (float)normal.y, (float)normal.z};
}

DRAPE_INLINE double CoordinateSum(const Corners* x)
{
	double sum = 0.0;
	for (int i = 0; i < 3; ++i)
		sum += fabs(x->at[i].x) + fabs(x->at[i].y) + fabs(x->at[i].z);
	return sum;
}

// Returns the floor of the distance: the gap, or a fraction of the initial distance when that is less.
DRAPE_INLINE double FloorOf(double radius, double gap, double distance)
{
	return distance > radius ? radius + Lesser(gap, LEEWAY * (distance - radius)) : LEEWAY * distance;
}

DRAPE_INLINE bool Detect(Kind kind, const Vec3 from[4], const Vec3 to[4], float radius, float gap, Impact* impact)
{
	DRAPE_ASSERT(gap >= 0.0f && radius >= 0.0f);
	Pair pair;
	for (int i = 0; i < 3; ++i)
	{
		pair.start.at[i] = D3Between(from[0], from[i + 1]);
		pair.end.at[i] = D3Between(to[0], to[i + 1]);
	}
	pair.size = CoordinateSum(&pair.start) + CoordinateSum(&pair.end);
	pair.closeness = CLOSENESS * pair.size;
	pair.demanded = (double)radius + (double)gap + pair.closeness;
	bool hasExtent = pair.size > 0.0 && pair.size < HUGE_VAL; // false for NaN
	if (hasExtent && StaysApart(kind, &pair))
		return false;

	View view = {.corners = pair.start};
	if (hasExtent)
	{
		Look(kind, &pair, 0.0, &view);
		pair.demanded = FloorOf((double)radius, (double)gap, view.separations[view.best]) + pair.closeness;
		if (!Stops(kind, &pair, &view))
			return false;
	}
	Report(kind, &pair, &view, impact);
	return true;
}

bool drapeContinuous_VertexTriangle(const Vec3 from[4], const Vec3 to[4], float radius, float gap, Impact* impact)
{
	return Detect(vertexTriangle, from, to, radius, gap, impact);
}

bool drapeContinuous_EdgeEdge(const Vec3 from[4], const Vec3 to[4], float radius, float gap, Impact* impact)
{
	return Detect(edgeEdge, from, to, radius, gap, impact);
}
