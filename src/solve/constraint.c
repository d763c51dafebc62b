// SPDX-License-Identifier: MIT
#include "solve/constraint.h"

typedef TouchLaw LawFcn(const Constraint* constraint, const ConstraintState* state);

// s^2 times the stiffness, and s times the damping coefficient: both in kg.
typedef struct Rigidity
{
	float stiffness, damping;
} Rigidity;

static bool IsHard(const Constraint* constraint)
{
	return !(constraint->stiffness < INFINITY);
}

static Rigidity RigidityOf(const Constraint* constraint, const ConstraintState* state)
{
	float s = state->s;
	return IsHard(constraint) ? (Rigidity){state->hardStiffness, 0.0f}
	                          : (Rigidity){s * s * constraint->stiffness, s * constraint->damping};
}

// force = -k gap - c velocity, in all directions alike. A hard constraint resists a change of the gap as well, so that
// an open gap closes within a few hundredths of a second and not at once.
static TouchLaw HoldLaw(const Constraint* constraint, const ConstraintState* state)
{
	Rigidity rigidity = RigidityOf(constraint, state);
	Vec3 resisted = V3Scale(rigidity.damping * state->s, state->velocity);
	if (IsHard(constraint))
	{
		rigidity.damping = barrierDamping / state->s * rigidity.stiffness;
		resisted = V3Scale(rigidity.damping, state->change);
	}
	TouchLaw law = {.along = rigidity.stiffness + rigidity.damping};
	law.across = law.along;
	law.force = V3Sub(V3Scale(-rigidity.stiffness, state->gap), resisted);
	return law;
}

// A force of size `tension` along the gap, whose direction turns with the gap: that is a stiffness across it.
static void Pull(TouchLaw* law, Vec3 gap, float distance, float tension)
{
	law->normal = V3Scale(1.0f / distance, gap);
	law->force = V3Scale(-tension, law->normal);
	law->across = MaxNumF(tension, 0.0f) / distance;
}

// A taut tether is a spring between the limit and the present length, and a damper. It counts as taut if it was, or if
// the gap is about to exceed the limit. The caller releases it when that proves wrong.
static TouchLaw TetherLaw(const Constraint* constraint, const ConstraintState* state)
{
	TouchLaw law = {0};
	float distance = V3Length(state->gap);
	bool isTaut = constraint->load > 0.0f || state->isEngaged || V3Length(state->expected) > constraint->length;
	if (!isTaut || state->isReleased || !(distance > FLT_MIN))
		return law;
	Rigidity rigidity = RigidityOf(constraint, state);
	Pull(&law, state->gap, distance, rigidity.stiffness * (distance - constraint->length));
	// The direction of a limit turns by more than the present tension tells.
	if (constraint->isLimit)
		law.across =
			MaxNumF(law.across, state->s * state->s * constraint->load / MaxNumF(distance, constraint->length));
	float opening = V3Dot(law.normal, state->velocity);
	law.along = rigidity.stiffness + rigidity.damping;
	law.force = V3Sub(law.force, V3Scale(rigidity.damping * state->s * opening, law.normal));
	return law;
}

// A back stop that touches is a spring from the present length to the limit.
static TouchLaw BackstopLaw(const Constraint* constraint, const ConstraintState* state)
{
	TouchLaw law = {0};
	float distance = V3Length(state->gap);
	bool touches = constraint->load > 0.0f || state->isEngaged || V3Length(state->expected) < constraint->length;
	if (!touches || state->isReleased || !(distance > FLT_MIN))
		return law;
	float stiffness = RigidityOf(constraint, state).stiffness;
	Pull(&law, state->gap, distance, stiffness * (distance - constraint->length));
	law.along = stiffness;
	return law;
}

// A motor: maxForce at rest, nothing at `speed`, a brake beyond. While the gap opens, the force stays at its limit.
static TouchLaw StitchLaw(const Constraint* constraint, const ConstraintState* state)
{
	if (!(constraint->speed > 0.0f))
		return HoldLaw(constraint, state);
	TouchLaw law = {0};
	float s = state->s, distance = V3Length(state->gap);
	if (!(distance > FLT_MIN))
		return law;
	Vec3 normal = V3Scale(1.0f / distance, state->gap);
	bool isOpening = V3Dot(normal, state->predictedVelocity) > 0.0f;
	float resistance = isOpening ? 0.0f : constraint->maxForce / constraint->speed;
	float opening = V3Dot(normal, state->velocity);
	Pull(&law, state->gap, distance, s * s * (constraint->maxForce + resistance * opening));
	law.along = s * resistance;
	return law;
}

// A pin that slips pulls with a constant force. The cloth alone resists, so the force is exact whatever the solution is.
static TouchLaw PinLaw(const Constraint* constraint, const ConstraintState* state)
{
	if (!state->isReleased)
		return HoldLaw(constraint, state);
	DRAPE_ASSERT(V3Length(state->pull) <= 1.0001f * constraint->maxForce);
	return (TouchLaw){.force = V3Scale(state->s * state->s, state->pull)};
}

static const struct
{
	LawFcn* evaluate;
	ConstraintTraits traits;
} laws[] = {
	[drape_constraintAttachment] = {HoldLaw, {.isLinear = true}},
	[drape_constraintTether] = {TetherLaw, {.hasLength = true, .isOneSided = true}},
	[drape_constraintStitch] = {StitchLaw, {.closes = true, .isLinear = true, .joinsElements = true}},
	[constraintPin] = {PinLaw, {.isLimited = true}},
	[constraintBackstop] = {BackstopLaw, {.hasLength = true, .isOneSided = true, .pushes = true}},
};

_Static_assert(sizeof laws / sizeof laws[0] == constraintKinds, "one row for each kind");

TouchLaw drapeConstraint_Evaluate(const Constraint* constraint, const ConstraintState* state)
{
	DRAPE_ASSERT((int)constraint->kind < constraintKinds && state->s > 0.0f);
	DRAPE_ASSERT(constraint->stiffness >= 0.0f && constraint->damping >= 0.0f);
	return laws[constraint->kind].evaluate(constraint, state);
}

const ConstraintTraits* drapeConstraint_TraitsOf(drapeConstraintKind kind)
{
	DRAPE_ASSERT((int)kind < constraintKinds && laws[kind].evaluate);
	const ConstraintTraits* traits = &laws[kind].traits;
	DRAPE_ASSERT(!traits->isOneSided || traits->hasLength);
	DRAPE_ASSERT(!traits->pushes || traits->isOneSided);
	DRAPE_ASSERT(!traits->isLinear || !traits->hasLength);
	return traits;
}

bool drapeConstraint_IsHard(const Constraint* constraint)
{
	const ConstraintTraits* traits = drapeConstraint_TraitsOf(constraint->kind);
	bool isClosing = traits->closes && constraint->speed > 0.0f;
	return IsHard(constraint) && !isClosing && !traits->isLimited;
}

Vec3 drapeConstraint_Force(const TouchLaw* law, Vec3 x, float s)
{
	DRAPE_ASSERT(s > 0.0f);
	Vec3 along = V3Scale(V3Dot(law->normal, x), law->normal);
	Vec3 back = V3Add(V3Scale(law->across, x), V3Scale(law->along - law->across, along));
	return V3Scale(1.0f / (s * s), V3Sub(law->force, back));
}

// --- projection -----------------------------------------------------------------------------------------------------

// Inverse of the mass that a force on the gap moves, 1/kg.
static float Compliance(const Constraint* constraint, ActiveMesh* const* meshes)
{
	float sum = 0.0f;
	for (uint32_t k = 0; k < constraintSlots; ++k)
	{
		uint32_t particle = constraint->particle[k];
		if (particle == DRAPE_NONE)
			continue;
		DRAPE_ASSERT(particle < meshes[constraint->system[k]]->particleCount);
		sum += constraint->weight[k] * constraint->weight[k] * meshes[constraint->system[k]]->position[particle].w;
	}
	return sum;
}

// (m + K)^-1 f, with K = across I + (along - across) n n^T.
static Vec3 Correction(const TouchLaw* law, float mass)
{
	Vec3 along = V3Scale(V3Dot(law->force, law->normal), law->normal);
	Vec3 across = V3Sub(law->force, along);
	return V3Add(V3Scale(1.0f / (mass + law->along), along), V3Scale(1.0f / (mass + law->across), across));
}

void drapeConstraint_Shift(const Constraint* constraint, ActiveMesh* const* meshes, Vec3 change, Vec3 velocityChange)
{
	float compliance = Compliance(constraint, meshes);
	if (!(compliance > 0.0f))
		return;
	for (uint32_t k = 0; k < constraintSlots; ++k)
	{
		if (constraint->particle[k] == DRAPE_NONE)
			continue;
		ActiveMesh* mesh = meshes[constraint->system[k]];
		Vec4 *x = &mesh->position[constraint->particle[k]], *v = &mesh->velocity[constraint->particle[k]];
		float share = constraint->weight[k] * x->w / compliance;
		*x = (Vec4){x->x + share * change.x, x->y + share * change.y, x->z + share * change.z, x->w};
		*v = (Vec4){v->x + share * velocityChange.x, v->y + share * velocityChange.y, v->z + share * velocityChange.z,
		            v->w};
	}
}

Vec3 drapeConstraint_GapVelocity(const Constraint* constraint, ActiveMesh* const* meshes)
{
	Vec3 sum = constraint->velocity;
	for (uint32_t k = 0; k < constraintSlots; ++k)
	{
		if (constraint->particle[k] == DRAPE_NONE)
			continue;
		Vec4 v = meshes[constraint->system[k]]->velocity[constraint->particle[k]];
		sum = V3Add(sum, V3Scale(constraint->weight[k], V4Xyz(v)));
	}
	return sum;
}

// Satisfies the constraint at once. Only the velocity of the gap in this substep becomes an impulse: changes of the gap
// by adaptation or the stretch limit must not add velocity. A one-sided law does not stop motion that shortens the gap.
static Vec3 ProjectHard(const Constraint* constraint, ActiveMesh* const* meshes, Vec3 gap, float compliance, float dt)
{
	Vec3 change = V3Scale(-1.0f, gap);
	Vec3 velocityChange = V3Scale(-1.0f, drapeConstraint_GapVelocity(constraint, meshes));
	const ConstraintTraits* traits = drapeConstraint_TraitsOf(constraint->kind);
	if (traits->hasLength)
	{
		float distance = V3Length(gap);
		if (!(distance > FLT_MIN) || (traits->isOneSided && !(distance > constraint->length)))
			return (Vec3){0.0f, 0.0f, 0.0f};
		Vec3 normal = V3Scale(1.0f / distance, gap);
		float along = V3Dot(velocityChange, normal);
		change = V3Scale(constraint->length - distance, normal);
		velocityChange = V3Scale(traits->isOneSided ? MinNumF(along, 0.0f) : along, normal);
	}
	drapeConstraint_Shift(constraint, meshes, change, velocityChange);
	return V3Scale(1.0f / (compliance * dt), velocityChange);
}

static Vec3 ClampLength(Vec3 a, float most)
{
	float length = V3Length(a);
	return length > most ? V3Scale(most / length, a) : a;
}

// As ProjectHard, as far as the force allows. Beyond that the force is constant and points to the place of the pin.
static Vec3 ProjectLimited(const Constraint* constraint, ActiveMesh* const* meshes, Vec3 gap, float compliance,
                           float dt)
{
	float most = constraint->maxForce * compliance * dt; // m/s
	Vec3 change = V3Scale(-1.0f, gap), velocityChange;
	if (V3Length(gap) > most * dt)
	{
		change = ClampLength(change, most * dt);
		velocityChange = V3Scale(1.0f / dt, change);
	}
	else
		velocityChange = ClampLength(V3Scale(-1.0f, drapeConstraint_GapVelocity(constraint, meshes)), most);
	drapeConstraint_Shift(constraint, meshes, change, velocityChange);
	return V3Scale(1.0f / (compliance * dt), velocityChange);
}

Vec3 drapeConstraint_Project(const Constraint* constraint, ActiveMesh* const* meshes, Vec3 gap, float dt)
{
	DRAPE_ASSERT(dt > 0.0f && !drapeConstraint_TraitsOf(constraint->kind)->pushes);
	float compliance = Compliance(constraint, meshes), rate = 1.0f / dt;
	if (!(compliance > 0.0f))
		return (Vec3){0.0f, 0.0f, 0.0f};
	if (drapeConstraint_IsHard(constraint))
		return ProjectHard(constraint, meshes, gap, compliance, dt);
	if (drapeConstraint_TraitsOf(constraint->kind)->isLimited)
		return ProjectLimited(constraint, meshes, gap, compliance, dt);
	Vec3 velocity = V3Scale(rate, V3Sub(gap, constraint->gap));
	ConstraintState state = {.gap = gap,
	                         .change = V3Sub(gap, constraint->gap),
	                         .expected = gap,
	                         .velocity = velocity,
	                         .predictedVelocity = velocity,
	                         .s = dt};
	// Positions are known here: a one-sided constraint is taut when the gap is too long.
	state.isReleased = drapeConstraint_TraitsOf(constraint->kind)->isOneSided && !(V3Length(gap) > constraint->length);
	TouchLaw law = drapeConstraint_Evaluate(constraint, &state);
	Vec3 change = Correction(&law, 1.0f / compliance);
	drapeConstraint_Shift(constraint, meshes, change, V3Scale(rate, change));
	return V3Scale(rate * rate / compliance, change);
}
