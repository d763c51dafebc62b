// SPDX-License-Identifier: MIT
#include "io.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Polygons to triangles by ear clipping (G. H. Meisters, "Polygons have ears", 1975), with three additions:
//
// - The next ear is the best-shaped one, from a heap. Corners that are no ears are in the heap too, behind all ears, so
//   a polygon that crosses itself still ends in count - 2 triangles and needs no second method.
// - Only corners that are reflex or flat can lie in an ear. They are kept in a grid of about as many cells, and an ear
//   asks the cells it touches. Small ears touch a few; needles across the polygon touch a row or column of them, so
//   time grows with n log n for the former and with n sqrt(n) for the latter.
// - A corner on the cut itself forbids the ear. That is what keeps polygons with points along a straight side free of
//   triangles without area, as long as there is a triangulation without.
//
// Cutting an ear off leaves a part of the polygon, so no corner but the two neighbours can become an ear by it: only
// they are looked at again. All of it happens in the plane of the polygon's Newell normal, in doubles.

typedef struct Point
{
	double x, y;
} Point;

typedef enum CornerState
{
	corner_convex = 0,
	corner_flat, // its angle is below the precision of floats
	corner_reflex,
	corner_clipped,
} CornerState;

typedef struct Corner
{
	Point point;
	uint32_t previous, next;
	uint32_t revision; // heap entries of older revisions are void
	uint32_t nextInCell;
	CornerState state;
} Corner;

typedef struct HeapEntry
{
	float key; // larger keys are cut first
	uint32_t corner, revision;
} HeapEntry;

typedef struct Polygon
{
	Corner* corners;
	uint32_t count;
	double flatHeight; // m; a height below this is lost in the rounding of the coordinates

	HeapEntry* heap; // [3 * count]
	uint32_t heapCount;

	uint32_t* cells; // [side * side] first blocking corner of each cell
	uint32_t side;
	Point lower;
	double cellsPerX, cellsPerY;
	uint32_t blockerCount;

	uint32_t* output;
} Polygon;

// --- memory ---

static size_t GridSide(uint32_t count)
{
	size_t side = (size_t)sqrt((double)count);
	return side > 0 ? side : 1;
}

static size_t Rounded(size_t size)
{
	return (size + 15) & ~(size_t)15;
}

// One block: points, result, corners, heap, cells.
static size_t ScratchSize(uint32_t count)
{
	size_t n = count, side = GridSide(count);
	return Rounded(n * sizeof(drapeVec3)) + Rounded(3 * n * sizeof(uint32_t)) + Rounded(n * sizeof(Corner)) +
	       Rounded(3 * n * sizeof(HeapEntry)) + Rounded(side * side * sizeof(uint32_t));
}

static void* Carve(char** cursor, size_t size)
{
	void* piece = *cursor;
	*cursor += Rounded(size);
	return piece;
}

bool drapeTriangulator_Reserve(Triangulator* triangulator, uint32_t count)
{
	assert(count >= 3);
	size_t needed = ScratchSize(count);
	if (needed > triangulator->size)
	{
		drapeTriangulator_Free(triangulator);
		size_t size = needed < SIZE_MAX / 2 ? needed + needed / 2 : needed;
		triangulator->memory = drapeAlloc(size);
		if (!triangulator->memory)
			return false;
		triangulator->size = size;
	}
	char* cursor = triangulator->memory;
	triangulator->points = Carve(&cursor, count * sizeof(drapeVec3));
	triangulator->corners = Carve(&cursor, 3 * (size_t)count * sizeof(uint32_t));
	return true;
}

void drapeTriangulator_Free(Triangulator* triangulator)
{
	drapeFree(triangulator->memory, triangulator->size);
	*triangulator = (Triangulator){0};
}

static Polygon BeginPolygon(const Triangulator* triangulator, uint32_t count)
{
	char* cursor = triangulator->memory;
	Polygon polygon = {.count = count};
	Carve(&cursor, count * sizeof(drapeVec3));
	polygon.output = Carve(&cursor, 3 * (size_t)count * sizeof(uint32_t));
	polygon.corners = Carve(&cursor, count * sizeof(Corner));
	polygon.heap = Carve(&cursor, 3 * (size_t)count * sizeof(HeapEntry));
	polygon.cells = (uint32_t*)(void*)cursor;
	return polygon;
}

// --- the plane ---

// Newell's normal, unit length; relative to the first corner, so that a polygon far from the origin loses nothing.
static void NewellNormal(const drapeVec3* points, uint32_t count, double normal[3])
{
	double x = 0.0, y = 0.0, z = 0.0;
	double ox = (double)points[0].x, oy = (double)points[0].y, oz = (double)points[0].z;
	for (uint32_t i = 0, j = count - 1; i < count; j = i++)
	{
		double ax = (double)points[j].x - ox, ay = (double)points[j].y - oy, az = (double)points[j].z - oz;
		double bx = (double)points[i].x - ox, by = (double)points[i].y - oy, bz = (double)points[i].z - oz;
		x += (ay - by) * (az + bz);
		y += (az - bz) * (ax + bx);
		z += (ax - bx) * (ay + by);
	}
	double length = sqrt(x * x + y * y + z * z);
	normal[0] = length > 0.0 ? x / length : 0.0;
	normal[1] = length > 0.0 ? y / length : 0.0;
	normal[2] = length > 0.0 ? z / length : 1.0;
}

// Two unit vectors u, v with u x v = normal.
static void PlaneAxes(const double normal[3], double u[3], double v[3])
{
	double ax = fabs(normal[0]), ay = fabs(normal[1]), az = fabs(normal[2]);
	double helper[3] = {0.0, 0.0, 0.0};
	helper[ax <= ay && ax <= az ? 0 : ay <= az ? 1 : 2] = 1.0;
	u[0] = helper[1] * normal[2] - helper[2] * normal[1];
	u[1] = helper[2] * normal[0] - helper[0] * normal[2];
	u[2] = helper[0] * normal[1] - helper[1] * normal[0];
	double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
	for (int k = 0; k < 3; ++k)
		u[k] /= length;
	v[0] = normal[1] * u[2] - normal[2] * u[1];
	v[1] = normal[2] * u[0] - normal[0] * u[2];
	v[2] = normal[0] * u[1] - normal[1] * u[0];
}

static void Project(Polygon* polygon, const drapeVec3* points)
{
	double normal[3], u[3], v[3], largest = 0.0;
	NewellNormal(points, polygon->count, normal);
	PlaneAxes(normal, u, v);
	for (uint32_t i = 0; i < polygon->count; ++i)
	{
		double x = (double)points[i].x, y = (double)points[i].y, z = (double)points[i].z;
		largest = fmax(largest, fmax(fabs(x), fmax(fabs(y), fabs(z))));
		double ox = x - (double)points[0].x, oy = y - (double)points[0].y, oz = z - (double)points[0].z;
		polygon->corners[i] = (Corner){
			.point = {u[0] * ox + u[1] * oy + u[2] * oz, v[0] * ox + v[1] * oy + v[2] * oz},
			.previous = i > 0 ? i - 1 : polygon->count - 1,
			.next = i + 1 < polygon->count ? i + 1 : 0,
			.nextInCell = DRAPE_NONE,
		};
	}
	polygon->flatHeight = 2.0 * (double)FLT_EPSILON * largest;
}

// --- triangles in the plane ---

// Twice the signed area.
static double Cross(Point a, Point b, Point c)
{
	return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double DistanceSquared(Point a, Point b)
{
	return (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
}

// 1 for an equilateral triangle, 0 for one without area, negative for one that winds the wrong way.
static double Shape(Point a, Point b, Point c)
{
	double sides = DistanceSquared(a, b) + DistanceSquared(b, c) + DistanceSquared(c, a);
	return sides > 0.0 ? 2.0 * sqrt(3.0) * Cross(a, b, c) / sides : 0.0;
}

static bool SamePoint(Point a, Point b)
{
	return a.x == b.x && a.y == b.y;
}

// Tells whether the point is on the left of a -> b, or on it within the precision of floats.
static bool NotRightOf(Point a, Point b, Point p, double tolerance)
{
	double side = Cross(a, b, p);
	return side >= 0.0 || side * side <= tolerance * tolerance * DistanceSquared(a, b);
}

static CornerState Classify(Point a, Point b, Point c, double flatHeight)
{
	double turn = Cross(a, b, c);
	double longest = fmax(DistanceSquared(a, b), fmax(DistanceSquared(b, c), DistanceSquared(c, a)));
	if (turn * turn <= flatHeight * flatHeight * longest)
		return corner_flat;
	return turn > 0.0 ? corner_convex : corner_reflex;
}

// --- the grid of corners that can block an ear ---

static uint32_t CellIndex(double offset, double cellsPerUnit, uint32_t side)
{
	double cell = offset * cellsPerUnit;
	return cell <= 0.0 ? 0 : cell >= (double)side ? side - 1 : (uint32_t)cell;
}

static void BuildGrid(Polygon* polygon)
{
	Point lower = polygon->corners[0].point, upper = lower;
	uint32_t blockers = 0;
	for (uint32_t i = 0; i < polygon->count; ++i)
	{
		Point p = polygon->corners[i].point;
		lower = (Point){fmin(lower.x, p.x), fmin(lower.y, p.y)};
		upper = (Point){fmax(upper.x, p.x), fmax(upper.y, p.y)};
		blockers += polygon->corners[i].state != corner_convex;
	}
	uint32_t side = (uint32_t)GridSide(blockers);
	polygon->blockerCount = blockers;
	polygon->side = side;
	polygon->lower = lower;
	polygon->cellsPerX = upper.x > lower.x ? (double)side / (upper.x - lower.x) : 0.0;
	polygon->cellsPerY = upper.y > lower.y ? (double)side / (upper.y - lower.y) : 0.0;
	memset(polygon->cells, 0xFF, (size_t)side * side * sizeof(uint32_t));
	for (uint32_t i = 0; i < polygon->count; ++i)
	{
		Corner* corner = &polygon->corners[i];
		if (corner->state == corner_convex)
			continue;
		uint32_t x = CellIndex(corner->point.x - lower.x, polygon->cellsPerX, side);
		uint32_t y = CellIndex(corner->point.y - lower.y, polygon->cellsPerY, side);
		corner->nextInCell = polygon->cells[y * side + x];
		polygon->cells[y * side + x] = i;
	}
}

// Tells whether a blocking corner of this cell lies in the closed triangle. Removes corners that no longer block.
static bool CellBlocks(Polygon* polygon, uint32_t* link, const Point ear[3])
{
	double tolerance = polygon->flatHeight;
	while (*link != DRAPE_NONE)
	{
		Corner* corner = &polygon->corners[*link];
		if (corner->state == corner_convex || corner->state == corner_clipped)
		{
			*link = corner->nextInCell;
			continue;
		}
		Point p = corner->point;
		if (!SamePoint(p, ear[0]) && !SamePoint(p, ear[1]) && !SamePoint(p, ear[2]) &&
		    NotRightOf(ear[0], ear[1], p, tolerance) && NotRightOf(ear[1], ear[2], p, tolerance) &&
		    NotRightOf(ear[2], ear[0], p, tolerance))
			return true;
		link = &corner->nextInCell;
	}
	return false;
}

// Computes the range in x of the triangle between the heights low and high. Returns false if it has none.
static bool SpanInRow(const Point ear[3], double low, double high, double span[2])
{
	span[0] = DBL_MAX;
	span[1] = -DBL_MAX;
	for (int i = 0; i < 3; ++i)
	{
		Point p = ear[i], q = ear[i == 2 ? 0 : i + 1];
		if (p.y > q.y)
		{
			Point swapped = p;
			p = q;
			q = swapped;
		}
		if (q.y < low || p.y > high)
			continue;
		double slope = q.y > p.y ? (q.x - p.x) / (q.y - p.y) : 0.0;
		double first = p.y < low ? p.x + slope * (low - p.y) : p.x;
		double last = q.y > high ? q.x - slope * (q.y - high) : q.x;
		span[0] = fmin(span[0], fmin(first, last));
		span[1] = fmax(span[1], fmax(first, last));
	}
	return span[0] <= span[1];
}

// Asks only the cells the triangle touches, row by row: ears are often needles that lie across the whole grid.
static bool IsBlocked(Polygon* polygon, const Point ear[3])
{
	if (polygon->blockerCount == 0)
		return false;
	double margin = 2.0 * polygon->flatHeight;
	double lowY = fmin(ear[0].y, fmin(ear[1].y, ear[2].y)) - margin;
	double highY = fmax(ear[0].y, fmax(ear[1].y, ear[2].y)) + margin;
	double rowHeight = polygon->cellsPerY > 0.0 ? 1.0 / polygon->cellsPerY : 0.0;
	uint32_t lastRow = CellIndex(highY - polygon->lower.y, polygon->cellsPerY, polygon->side);
	for (uint32_t y = CellIndex(lowY - polygon->lower.y, polygon->cellsPerY, polygon->side); y <= lastRow; ++y)
	{
		double rowLow = polygon->lower.y + rowHeight * y, span[2];
		// A hundredth of a row covers the rounding of its bounds.
		double slack = 0.01 * rowHeight + margin;
		if (!SpanInRow(ear, rowLow - slack, rowLow + rowHeight + slack, span))
			continue;
		uint32_t last = CellIndex(span[1] + margin - polygon->lower.x, polygon->cellsPerX, polygon->side);
		for (uint32_t x = CellIndex(span[0] - margin - polygon->lower.x, polygon->cellsPerX, polygon->side); x <= last;
		     ++x)
			if (CellBlocks(polygon, &polygon->cells[y * polygon->side + x], ear))
				return true;
	}
	return false;
}

// --- the heap ---

static void HeapPush(Polygon* polygon, HeapEntry entry)
{
	assert(polygon->heapCount < 3 * polygon->count);
	uint32_t i = polygon->heapCount++;
	for (; i > 0 && polygon->heap[(i - 1) / 2].key < entry.key; i = (i - 1) / 2)
		polygon->heap[i] = polygon->heap[(i - 1) / 2];
	polygon->heap[i] = entry;
}

static HeapEntry HeapPop(Polygon* polygon)
{
	assert(polygon->heapCount > 0);
	HeapEntry top = polygon->heap[0];
	HeapEntry moved = polygon->heap[--polygon->heapCount];
	uint32_t i = 0;
	for (uint32_t child = 1; child < polygon->heapCount; child = 2 * i + 1)
	{
		if (child + 1 < polygon->heapCount && polygon->heap[child + 1].key > polygon->heap[child].key)
			++child;
		if (polygon->heap[child].key <= moved.key)
			break;
		polygon->heap[i] = polygon->heap[child];
		i = child;
	}
	polygon->heap[i] = moved;
	return top;
}

// --- clipping ---

// Ears first, the best-shaped before the others; then flat corners, whose triangle has no area but hides nothing; then
// corners that would cover another corner; last reflex ones. Only the first kind occurs in a simple polygon.
static float CornerKey(Polygon* polygon, uint32_t index)
{
	const Corner* corner = &polygon->corners[index];
	Point ear[3] = {polygon->corners[corner->previous].point, corner->point, polygon->corners[corner->next].point};
	float shape = (float)Shape(ear[0], ear[1], ear[2]);
	if (corner->state == corner_reflex)
		return shape;
	if (corner->state == corner_flat)
		return 3.0f;
	return IsBlocked(polygon, ear) ? 1.0f + shape : 4.0f + shape;
}

static CornerState ClassifyCorner(const Polygon* polygon, uint32_t index)
{
	const Corner* corner = &polygon->corners[index];
	return Classify(polygon->corners[corner->previous].point, corner->point, polygon->corners[corner->next].point,
	                polygon->flatHeight);
}

static void Requeue(Polygon* polygon, uint32_t index)
{
	Corner* corner = &polygon->corners[index];
	CornerState state = ClassifyCorner(polygon, index);
	// A corner that was convex can turn reflex only where the polygon crosses itself. It is in no cell then, and
	// blocks nothing, which such a polygon has no use for anyway.
	corner->state = state;
	corner->revision++;
	HeapPush(polygon, (HeapEntry){CornerKey(polygon, index), index, corner->revision});
}

static void Emit(Polygon* polygon, uint32_t a, uint32_t b, uint32_t c)
{
	*polygon->output++ = a;
	*polygon->output++ = b;
	*polygon->output++ = c;
}

// Cuts corner a, b, c, d by the diagonal whose worse triangle is the better one. A concave or partly flat four-corner
// polygon comes out right by itself: its wrong diagonal has a triangle of negative or no area.
static void CutFour(Polygon* polygon, uint32_t a)
{
	uint32_t b = polygon->corners[a].next, c = polygon->corners[b].next, d = polygon->corners[c].next;
	assert(polygon->corners[d].next == a);
	Point pa = polygon->corners[a].point, pb = polygon->corners[b].point;
	Point pc = polygon->corners[c].point, pd = polygon->corners[d].point;
	double throughA = fmin(Shape(pa, pb, pc), Shape(pa, pc, pd));
	double throughB = fmin(Shape(pb, pc, pd), Shape(pb, pd, pa));
	// A square within rounding is cut through its first corner, so that a grid of squares comes out regular.
	if (throughB > throughA + 1e-5)
	{
		Emit(polygon, b, c, d);
		Emit(polygon, b, d, a);
	}
	else
	{
		Emit(polygon, a, b, c);
		Emit(polygon, a, c, d);
	}
}

// Cuts the best corner off and returns a neighbour.
static uint32_t ClipBest(Polygon* polygon)
{
	HeapEntry best;
	do
		best = HeapPop(polygon);
	while (polygon->corners[best.corner].revision != best.revision);
	Corner* corner = &polygon->corners[best.corner];
	uint32_t previous = corner->previous, next = corner->next;
	Emit(polygon, previous, best.corner, next);
	corner->state = corner_clipped;
	corner->revision++;
	polygon->corners[previous].next = next;
	polygon->corners[next].previous = previous;
	Requeue(polygon, previous);
	Requeue(polygon, next);
	return previous;
}

void drapeTriangulator_Run(Triangulator* triangulator, uint32_t count)
{
	assert(count >= 3 && ScratchSize(count) <= triangulator->size);
	Polygon polygon = BeginPolygon(triangulator, count);
	Project(&polygon, triangulator->points);
	uint32_t first = 0;
	if (count == 3)
	{
		Emit(&polygon, 0, 1, 2);
		return;
	}
	if (count > 4)
	{
		for (uint32_t i = 0; i < count; ++i)
			polygon.corners[i].state = ClassifyCorner(&polygon, i);
		BuildGrid(&polygon);
		for (uint32_t i = 0; i < count; ++i)
			HeapPush(&polygon, (HeapEntry){CornerKey(&polygon, i), i, 0});
		for (uint32_t left = count; left > 4; --left)
			first = ClipBest(&polygon);
	}
	CutFour(&polygon, first);
	assert(polygon.output == triangulator->corners + 3 * ((size_t)count - 2));
}
