// SPDX-License-Identifier: MIT
#include "model/wind.h"

#include "base/hash.h"
#include "base/checks/parameters.h"

#define TAU 6.283185307179586

drapeWindDef drapeDefaultWindDef(void)
{
	return (drapeWindDef){
		.airDensity = 1.204f,
		.gustPeriod = 3.0f,
		.gustDepth = 0.5f,
		.swirlSpeed = 1.0f,
		.swirlSize = 0.5f,
	};
}

#define WIND drapeWindDef

static const drapeParameter parameters[] = {
	PARAMETER_CHOICE(WIND, kind, "none|steady|gusting|turbulent", "kind",
                     "`none` is still air, in which moving cloth feels drag; `gusting` swells and falls; `turbulent` "
                     "swirls"),
	PARAMETER_VECTOR(WIND, velocity, "m/s", "velocity", "mean velocity of the air"),
	PARAMETER_NUMBER(WIND, airDensity, 0.0, 10000.0, "kg/m^3", "air density", "0 for a vacuum"),
	PARAMETER_POSITIVE(WIND, gustPeriod, 1e6, "s", "gust period", "time from one gust to the next"),
	PARAMETER_NUMBER(WIND, gustDepth, 0.0, 1.0, NULL, "gust depth",
                     "share of the mean speed that gusts add and take away"),
	PARAMETER_NUMBER(WIND, swirlSpeed, 0.0, 1000.0, "m/s", "swirl speed", "root mean square speed of the turbulence"),
	PARAMETER_POSITIVE(WIND, swirlSize, 1e6, "m", "swirl size", "length over which the turbulence changes"),
	PARAMETER_WHOLE(WIND, seed, 0, UINT32_MAX, "seed", "selects other gusts and swirls"),
};

const drapeParameter* drapeWindDef_GetParameters(uint32_t* count)
{
	return drapeParameters_Give(parameters, sizeof parameters / sizeof parameters[0], count);
}

drapeResult drapeWind_Check(const drapeWindDef* def, const char* prefix, drapeMessage* message)
{
	return drapeParameters_Check(parameters, sizeof parameters / sizeof parameters[0], def, prefix, message);
}

// A sine in time, delayed by the travel time of the wind (Simnett 2012, 6.3: attenuated with time and distance by a
// sine that has a cycle duration and a velocity).
static Vec3 Gust(const drapeWindDef* def, Vec3 point, double time)
{
	double speed = (double)V3Length(def->velocity);
	if (!(speed > 0.0))
		return def->velocity;
	double along = (double)V3Dot(point, def->velocity) / speed;
	double phase = (time - along / speed) / (double)def->gustPeriod;
	if (!isfinite(phase))
		return def->velocity;
	float wave = (float)drapeMath_Sin(TAU * (phase - floor(phase)));
	return V3Scale(1.0f + def->gustDepth * wave, def->velocity);
}

// --- turbulence -----------------------------------------------------------------------------------------------------
//
// A grid that drifts with the wind has a random spin w at each point. Near its point r = 0, a spin is the vector
// potential w x r / 2, whose curl is w. Each potential is faded out towards the neighbours by a weight f; their sum is
//
//   A = sum f(r) (w x r) / 2        u = curl A = sum f w + grad f x (w x r) / 2
//
// The swirls have no divergence, and u has a continuous first derivative if f has two: f is the quintic of Perlin 2002,
// one per axis. The spins change into new ones in the time of one turn of a swirl.

// Root mean square of u in cells of size one, for spins whose three numbers are even in -1 to 1: the integral over a
// cell of a third of the squares of the matrices that take the eight spins to u.
#define SWIRL_RMS 0.6048

typedef struct Lattice
{
	int64_t cell[3];
	double at[3]; // position in the cell, 0 to 1
	double fade[3], slope[3];
} Lattice;

static uint64_t LatticeKey(int64_t x, int64_t y, int64_t z)
{
	return (uint64_t)x * 0x9e3779b97f4a7c15u + (uint64_t)y * 0xc2b2ae3d27d4eb4fu + (uint64_t)z * 0x165667b19e3779f9u;
}

// Three numbers in -1 to 1 from 21 bits each.
static void Spin(uint64_t key, double weight, double spin[3])
{
	uint64_t bits = Hash_U64(key);
	for (int k = 0; k < 3; ++k, bits >>= 21)
		spin[k] += weight * ((double)(bits & 0x1fffff) * 0x1p-20 - 1.0);
}

static void AddCorner(const Lattice* lattice, int corner, const double spin[3], double u[3])
{
	double r[3], f[3], g[3];
	for (int k = 0; k < 3; ++k)
	{
		int side = corner >> k & 1;
		r[k] = lattice->at[k] - side;
		f[k] = side ? lattice->fade[k] : 1.0 - lattice->fade[k];
		g[k] = side ? lattice->slope[k] : -lattice->slope[k];
	}
	double weight = f[0] * f[1] * f[2];
	double gradient[3] = {g[0] * f[1] * f[2], f[0] * g[1] * f[2], f[0] * f[1] * g[2]};
	// grad f x (w x r) = w (grad f . r) - r (grad f . w)
	double alongPlace = gradient[0] * r[0] + gradient[1] * r[1] + gradient[2] * r[2];
	double alongSpin = gradient[0] * spin[0] + gradient[1] * spin[1] + gradient[2] * spin[2];
	for (int k = 0; k < 3; ++k)
		u[k] += (weight + 0.5 * alongPlace) * spin[k] - 0.5 * alongSpin * r[k];
}

static double Fade(double t)
{
	return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

static bool Lattice_Find(Lattice* lattice, const double at[3])
{
	for (int k = 0; k < 3; ++k)
	{
		if (!(fabs(at[k]) < 0x1p52)) // beyond, a double has no fraction
			return false;
		double t = at[k] - floor(at[k]);
		lattice->cell[k] = (int64_t)floor(at[k]);
		lattice->at[k] = t;
		lattice->fade[k] = Fade(t);
		lattice->slope[k] = 30.0 * t * t * (t - 1.0) * (t - 1.0);
	}
	return true;
}

static Vec3 Swirl(const drapeWindDef* def, Vec3 point, double time)
{
	double size = (double)def->swirlSize, speed = (double)def->swirlSpeed;
	const Vec3 mean = def->velocity;
	const double at[3] = {((double)point.x - (double)mean.x * time) / size,
	                      ((double)point.y - (double)mean.y * time) / size,
	                      ((double)point.z - (double)mean.z * time) / size};
	double turns = time * speed / size, turn = floor(turns);
	Lattice lattice;
	if (!(fabs(turns) < 0x1p52) || !Lattice_Find(&lattice, at))
		return (Vec3){0.0f, 0.0f, 0.0f};

	// The squares of the two weights add up to one, so that the strength of the swirls is constant.
	double next = Fade(turns - turn), last = 1.0 - next, length = sqrt(next * next + last * last);
	uint64_t lastKey = Hash_U64((uint64_t)(int64_t)turn ^ (uint64_t)def->seed << 32 ^ 0x5851f42d4c957f2du);
	uint64_t nextKey = Hash_U64((uint64_t)((int64_t)turn + 1) ^ (uint64_t)def->seed << 32 ^ 0x5851f42d4c957f2du);
	double u[3] = {0.0, 0.0, 0.0};
	for (int corner = 0; corner < 8; ++corner)
	{
		uint64_t key = LatticeKey(lattice.cell[0] + (corner & 1), lattice.cell[1] + (corner >> 1 & 1),
		                          lattice.cell[2] + (corner >> 2 & 1));
		double spin[3] = {0.0, 0.0, 0.0};
		Spin(lastKey + key, last / length, spin);
		Spin(nextKey + key, next / length, spin);
		AddCorner(&lattice, corner, spin, u);
	}
	double scale = speed / SWIRL_RMS;
	return (Vec3){(float)(scale * u[0]), (float)(scale * u[1]), (float)(scale * u[2])};
}

Vec3 drapeWind_At(const drapeWindDef* def, Vec3 point, double time)
{
	DRAPE_ASSERT(drapeWind_Check(def, "", NULL) == drape_ok);
	switch (def->kind)
	{
		case drape_windNone:
			break;
		case drape_windSteady:
			return def->velocity;
		case drape_windGusting:
			return Gust(def, point, time);
		case drape_windTurbulent:
			return V3Add(def->velocity, Swirl(def, point, time));
	}
	return (Vec3){0.0f, 0.0f, 0.0f};
}
