// SPDX-License-Identifier: MIT
#include "base/checks/parameters.h"
#include "solve/solve.h"

// Time integration: its definition, and the explicit integrators.

// --- definition -----------------------------------------------------------------------------------------------------

drapeSolverDef drapeDefaultExplicitSolverDef(void)
{
	return (drapeSolverDef){.maxSubsteps = 1024,
	                        .globalDamping = 0.5f,
	                        .maxStretch = 1.05f,
	                        .stretchIterations = 2,
	                        .tolerance = 1e-3f,
	                        .maxIterations = 200,
	                        .newtonIterations = 1,
	                        .newtonTolerance = 0.02f};
}

drapeSolverDef drapeDefaultSolverDef(void)
{
	drapeSolverDef def = drapeDefaultExplicitSolverDef();
	def.integrator = drape_integratorBdf2;
	def.globalDamping = 0.0f;
	def.maxStretch = 0.0f;
	def.newtonIterations = 2;
	return def;
}

const char* drapeIntegrator_GetName(drapeIntegrator integrator)
{
	static const char* const names[] = {
		[drape_integratorSymplecticEuler] = "symplectic-euler",
		[drape_integratorExplicitEuler] = "explicit-euler",
		[drape_integratorMidpoint] = "midpoint",
		[drape_integratorVerlet] = "verlet",
		[drape_integratorRungeKutta4] = "runge-kutta-4",
		[drape_integratorImplicitEuler] = "implicit-euler",
		[drape_integratorImplicitMidpoint] = "implicit-midpoint",
		[drape_integratorBdf2] = "bdf2",
	};
	return (unsigned)integrator < sizeof names / sizeof names[0] ? names[integrator] : NULL;
}

bool drapeIntegrator_IsImplicit(drapeIntegrator integrator)
{
	return integrator >= drape_integratorImplicitEuler && integrator <= drape_integratorBdf2;
}

const char* drapePreconditioner_GetName(drapePreconditioner preconditioner)
{
	static const char* const names[] = {
		[drape_preconditionerMultigrid] = "multigrid",
		[drape_preconditionerBpx] = "bpx",
		[drape_preconditionerJacobi] = "jacobi",
	};
	return (unsigned)preconditioner < sizeof names / sizeof names[0] ? names[preconditioner] : NULL;
}

// --- parameters -----------------------------------------------------------------------------------------------------

static const drapeParameter parameters[] = {
	PARAMETER_CHOICE(
		drapeSolverDef, integrator,
		"symplectic-euler|explicit-euler|midpoint|verlet|runge-kutta-4|implicit-euler|implicit-midpoint|bdf2",
		"integrator",
		"time integrator; the last three are implicit and stable at any step. The default is `bdf2` for the model "
		"`fem`, otherwise `symplectic-euler`"),
	PARAMETER_WHOLE(
		drapeSolverDef, substeps, 0, 65536, "substeps",
		"substeps per step; 0 chooses the number from the stiffest element, and 1 for an implicit integrator"),
	PARAMETER_NUMBER(drapeSolverDef, stepRate, 0.0, 1e6, "Hz", "step rate",
                     "substeps per second of simulated time, for any length of step; at least one per step. 0 leaves the "
                     "number to `substeps`"),
	PARAMETER_WHOLE(drapeSolverDef, maxSubsteps, 1, 65536, "max substeps",
                    "largest number of substeps, also for repeated steps"),
	PARAMETER_NUMBER(drapeSolverDef, globalDamping, 0.0, 1000.0, "1/s", "global damping",
                     "decay rate of all velocities"),
	PARAMETER_NUMBER(
		drapeSolverDef, maxStretch, 0.0, 100.0, NULL, "max stretch",
		"largest length over rest length, at least 1; 0 for 1.3 times the length at the end of the stress curves, 100 "
		"for no limit. Explicit springs are shortened, all other "
		"cloth becomes much stiffer beyond it"),
	PARAMETER_WHOLE(drapeSolverDef, stretchIterations, 1, 100, "stretch iterations",
                    "model `springs`: sweeps of the stretch limit per substep"),
	PARAMETER_CHOICE(drapeSolverDef, preconditioner, "multigrid|bpx|jacobi", "preconditioner",
                     "implicit integrators: preconditioner of the conjugate gradients"),
	PARAMETER_NUMBER(drapeSolverDef, tolerance, 1e-6, 0.5, NULL, "tolerance",
                     "implicit integrators: ratio of the residual to the first one at which a linear solve ends"),
	PARAMETER_WHOLE(drapeSolverDef, maxIterations, 1, 10000, "max iterations",
                    "implicit integrators: iterations per linear solve; if they do not suffice, the step is divided"),
	PARAMETER_WHOLE(drapeSolverDef, newtonIterations, 1, 100, "newton iterations",
                    "implicit integrators: largest number of linear solves per substep"),
	PARAMETER_NUMBER(
		drapeSolverDef, newtonTolerance, 0.0, 0.5, NULL, "newton tolerance",
		"implicit integrators: ratio of the residual to that at the start of the substep below which no further "
		"solve is made"),
};

const drapeParameter* drapeSolverDef_GetParameters(uint32_t* count)
{
	return drapeParameters_Give(parameters, sizeof parameters / sizeof parameters[0], count);
}

drapeResult drapeSolver_Check(const drapeSolverDef* def, const char* prefix, drapeMessage* message)
{
	drapeResult result =
		drapeParameters_Check(parameters, sizeof parameters / sizeof parameters[0], def, prefix, message);
	if (result != drape_ok)
		return result;
	if (def->substeps > def->maxSubsteps)
		return drapeRefuse(message, "%ssubsteps is %u, but maxSubsteps is %u, expected no more", prefix, def->substeps,
		                   def->maxSubsteps);
	if (def->substeps > 0 && def->stepRate > 0.0f)
		return drapeRefuse(message, "%sstepRate is %g Hz and substeps is %u, expected one of both to be 0", prefix,
		                   (double)def->stepRate, def->substeps);
	if (def->maxStretch > 0.0f && def->maxStretch < 1.0f)
		return drapeRefuse(message, "%smaxStretch is %g, expected 0 or a ratio of at least 1", prefix,
		                   (double)def->maxStretch);
	return drape_ok;
}

// --- explicit integrators -------------------------------------------------------------------------------------------
//
// Every scheme is a few evaluations and a few updates of the form target = base + factor * derivative.

enum
{
	rowGrain = 2048
};

typedef struct Update
{
	Vec4* target;
	const Vec4 *base, *derivative;
	float factor;
} Update;

static void UpdateRows(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Update* u = context;
	for (uint32_t i = start; i < end; ++i)
	{
		u->target[i].x = u->base[i].x + u->factor * u->derivative[i].x;
		u->target[i].y = u->base[i].y + u->factor * u->derivative[i].y;
		u->target[i].z = u->base[i].z + u->factor * u->derivative[i].z;
	}
}

// Keeps the fourth component of the target.
static void Advance(const Dynamics* d, Vec4* target, const Vec4* base, float factor, const Vec4* derivative)
{
	DRAPE_ASSERT(isfinite(factor));
	Update update = {target, base, derivative, factor};
	drapeTaskPool_For(d->tasks, d->count, rowGrain, UpdateRows, &update);
}

static void Evaluate(const Dynamics* d, const Vec4* x, const Vec4* v, double time, Vec4* a)
{
	d->acceleration(x, v, time, a, d->context);
}

static void ExplicitEuler(Dynamics* d, double time, float h)
{
	Vec4* a = d->scratch;
	Evaluate(d, d->position, d->velocity, time, a);
	Advance(d, d->position, d->position, h, d->velocity);
	Advance(d, d->velocity, d->velocity, h, a);
}

static void SymplecticEuler(Dynamics* d, double time, float h)
{
	Vec4* a = d->scratch;
	Evaluate(d, d->position, d->velocity, time, a);
	Advance(d, d->velocity, d->velocity, h, a);
	Advance(d, d->position, d->position, h, d->velocity);
}

// x_{n+1} = x_n + (x_n - x_{n-1}) + a h^2 (the thesis prints half of that), with the velocity (x_{n+1} - x_n) / h kept
// in place of the previous position. When the step changes, and at the start, where the previous step is 0, a is
// weighted by the mean of both.
static void Verlet(Dynamics* d, double time, float h)
{
	Vec4* a = d->scratch;
	Evaluate(d, d->position, d->velocity, time, a);
	Advance(d, d->velocity, d->velocity, 0.5f * (h + d->previousStep), a);
	Advance(d, d->position, d->position, h, d->velocity);
}

static void Midpoint(Dynamics* d, double time, float h)
{
	Vec4 *a = d->scratch, *x = a + d->count, *v = x + d->count;
	Evaluate(d, d->position, d->velocity, time, a);
	Advance(d, x, d->position, 0.5f * h, d->velocity);
	Advance(d, v, d->velocity, 0.5f * h, a);
	Evaluate(d, x, v, time + 0.5 * (double)h, a);
	Advance(d, d->position, d->position, h, v);
	Advance(d, d->velocity, d->velocity, h, a);
}

// The classical method of fourth order; k4 is evaluated at k3.
static void RungeKutta4(Dynamics* d, double time, float h)
{
	static const float ahead[3] = {0.5f, 0.5f, 1.0f}, weight[4] = {1.0f / 6.0f, 1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 6.0f};
	uint32_t n = d->count;
	Vec4 *a = d->scratch, *x = a + n, *v = x + n, *newX = v + n, *newV = newX + n;
	Evaluate(d, d->position, d->velocity, time, a);
	Advance(d, newX, d->position, weight[0] * h, d->velocity);
	Advance(d, newV, d->velocity, weight[0] * h, a);
	const Vec4* stageV = d->velocity;
	for (int stage = 1; stage < 4; ++stage)
	{
		float step = ahead[stage - 1] * h;
		// x reads the velocity of the last stage before it is overwritten.
		Advance(d, x, d->position, step, stageV);
		Advance(d, v, d->velocity, step, a);
		stageV = v;
		Evaluate(d, x, v, time + (double)step, a);
		Advance(d, newX, newX, weight[stage] * h, v);
		Advance(d, newV, newV, weight[stage] * h, a);
	}
	Advance(d, d->position, newX, 0.0f, a);
	Advance(d, d->velocity, newV, 0.0f, a);
}

typedef struct IntegratorRow
{
	void (*step)(Dynamics* dynamics, double time, float h);
	uint32_t scratchRows;
} IntegratorRow;

static const IntegratorRow integrators[] = {
	[drape_integratorSymplecticEuler] = {SymplecticEuler, 1},
	[drape_integratorExplicitEuler] = {ExplicitEuler, 1},
	[drape_integratorMidpoint] = {Midpoint, 3},
	[drape_integratorVerlet] = {Verlet, 1},
	[drape_integratorRungeKutta4] = {RungeKutta4, 5},
};

void drapeDynamics_Step(Dynamics* dynamics, drapeIntegrator integrator, double time, float dt)
{
	DRAPE_ASSERT((size_t)integrator < sizeof integrators / sizeof integrators[0] && dt > 0.0f);
	DRAPE_ASSERT(dynamics->acceleration && dynamics->scratch);
	integrators[integrator].step(dynamics, time, dt);
	dynamics->previousStep = dt;
}

uint32_t drapeIntegrator_ScratchRows(drapeIntegrator integrator)
{
	DRAPE_ASSERT((size_t)integrator < sizeof integrators / sizeof integrators[0]);
	return integrators[integrator].scratchRows;
}
