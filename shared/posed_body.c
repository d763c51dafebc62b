// SPDX-License-Identifier: MIT
#include "shared/posed_body.h"

#include "base/maths.h"
#include "shared/mannequin.h"

#include <math.h>

void PosedBody_Create(PosedBody* body, float cell)
{
	Mannequin_CreateWith(&body->rest, cell);
}

void PosedBody_Destroy(PosedBody* body)
{
	Mannequin_Free(&body->rest);
}

// --- skin -----------------------------------------------------------------------------------------------------------

// Joints of the left side, m.
static const Vec3 shoulder = {0.185f, 1.42f, 0.0f}, elbowJoint = {0.47f, 1.40f, 0.0f};
static const Vec3 hip = {0.09f, 0.93f, 0.0f}, kneeJoint = {0.10f, 0.50f, 0.0f}, waist = {0.0f, 1.05f, 0.0f};

// 0 at a, 1 at b, with zero slope at both; b may be less than a.
static float Ease(float a, float b, float x)
{
	float t = fminf(fmaxf((x - a) / (b - a), 0.0f), 1.0f);
	return t * t * (3.0f - 2.0f * t);
}

static Vec3 TurnX(Vec3 p, Vec3 centre, float angle)
{
	float c = cosf(angle), s = sinf(angle), y = p.y - centre.y, z = p.z - centre.z;
	return (Vec3){p.x, centre.y + c * y + s * z, centre.z + c * z - s * y};
}

static Vec3 TurnY(Vec3 p, Vec3 centre, float angle)
{
	float c = cosf(angle), s = sinf(angle), x = p.x - centre.x, z = p.z - centre.z;
	return (Vec3){centre.x + c * x + s * z, p.y, centre.z + c * z - s * x};
}

static Vec3 TurnZ(Vec3 p, Vec3 centre, float angle)
{
	float c = cosf(angle), s = sinf(angle), x = p.x - centre.x, y = p.y - centre.y;
	return (Vec3){centre.x + c * x - s * y, centre.y + s * x + c * y, p.z};
}

// `at` is the vertex in the zero pose with x mirrored to the left, `p` the vertex as posed so far, mirrored too.
static Vec3 PoseArm(const BodyPose* pose, int side, Vec3 at, Vec3 p)
{
	float isArm = Ease(0.13f, 0.25f, at.x) * fmaxf(Ease(1.30f, 1.40f, at.y), Ease(0.21f, 0.26f, at.x));
	if (isArm == 0.0f)
		return p;
	p = TurnY(p, elbowJoint, -pose->elbow[side] * Ease(0.40f, 0.54f, at.x));
	p = TurnZ(p, shoulder, -pose->armDown[side] * isArm);
	return TurnX(p, shoulder, pose->armForward[side] * isArm);
}

static Vec3 PoseLeg(const BodyPose* pose, int side, Vec3 at, Vec3 p)
{
	// Between the legs, where they join, the angles of both sides blend.
	float isLeg = Ease(1.02f, 0.80f, at.y), blend = 0.006f + 0.05f * Ease(0.66f, 0.82f, at.y);
	if (isLeg == 0.0f || at.y > 1.3f)
		return p;
	float own = 0.5f + 0.5f * Ease(0.0f, blend, at.x);
	p = TurnX(p, kneeJoint, -pose->knee[side] * Ease(0.58f, 0.42f, at.y));
	p = TurnZ(p, hip, isLeg * (2.0f * own - 1.0f) * pose->spread);
	return TurnX(p, hip, isLeg * (own * pose->thigh[side] + (1.0f - own) * pose->thigh[1 - side]));
}

void PosedBody_Skin(const PosedBody* body, const BodyPose* pose, drapeVec3* positions)
{
	const Vec3 origin = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < body->rest.vertexCount; ++i)
	{
		Vec3 at = body->rest.positions[i], p;
		float height = at.y, mirror = at.x < 0.0f ? -1.0f : 1.0f;
		int side = at.x < 0.0f;
		at.x *= mirror;
		p = PoseLeg(pose, side, at, PoseArm(pose, side, at, at));
		p.x *= mirror;
		p = TurnZ(p, waist, pose->lean * Ease(0.97f, 1.25f, height));
		p = TurnY(p, waist, pose->twist * Ease(0.97f, 1.30f, height));
		positions[i] = V3Add(pose->position, TurnY(p, origin, pose->turn));
	}
}

// --- poses ----------------------------------------------------------------------------------------------------------

static const float fullTurn = 6.2831853f;

BodyPose BodyPose_Walk(float time)
{
	const float stride = 1.1f, speed = 1.1f, start = 0.6f;
	float phase = fullTurn * time / stride, share = Ease(0.0f, start, time);
	BodyPose pose = {0};
	for (int side = 0; side < 2; ++side)
	{
		float swing = sinf(phase + (side == 0 ? 0.0f : 0.5f * fullTurn));
		float lift = cosf(phase + (side == 0 ? 0.0f : 0.5f * fullTurn));
		pose.armDown[side] = 1.15f;
		pose.armForward[side] = -0.45f * share * swing;
		pose.elbow[side] = 0.25f;
		pose.thigh[side] = share * (0.06f + 0.42f * swing);
		pose.knee[side] = share * (0.12f + 0.38f * fmaxf(lift, 0.0f) * lift);
	}
	pose.spread = 0.08f;
	pose.twist = 0.15f * share * sinf(phase);
	pose.lean = 0.03f * share * sinf(phase);
	// The speed rises with `share`; this is its integral.
	float t = fminf(time / start, 1.0f);
	float way = start * (t * t * t - 0.5f * t * t * t * t) + fmaxf(time - start, 0.0f);
	pose.position = (Vec3){0.02f * share * sinf(phase), 0.015f * share * (cosf(2.0f * phase) - 1.0f), speed * way};
	return pose;
}

BodyPose BodyPose_Dance(float time)
{
	float share = Ease(0.0f, 0.5f, time), beat = fullTurn * 1.4f * time;
	BodyPose pose = {0};
	for (int side = 0; side < 2; ++side)
	{
		float own = side == 0 ? 0.0f : 1.3f;
		pose.armDown[side] = share * (0.4f - 0.8f * cosf(beat + own));
		pose.armForward[side] = 0.5f * share * sinf(0.5f * beat + own);
		pose.elbow[side] = share * (0.5f + 0.5f * sinf(beat + 2.0f * own));
		pose.thigh[side] = 0.35f * share * fmaxf(sinf(0.5f * beat + (side == 0 ? 0.0f : 0.5f * fullTurn)), 0.0f);
		pose.knee[side] = 1.6f * pose.thigh[side];
	}
	pose.twist = 0.35f * share * sinf(beat);
	pose.lean = 0.22f * share * sinf(0.5f * beat);
	// A turn one way, and back.
	pose.turn = fullTurn * (Ease(0.9f, 2.0f, time) - Ease(2.5f, 3.6f, time)) + 0.5f * share * sinf(0.7f * beat);
	pose.position = (Vec3){0.10f * share * sinf(0.5f * beat), 0.04f * share * (cosf(beat) - 1.0f),
	                       0.06f * share * sinf(0.25f * beat)};
	return pose;
}

BodyPose BodyPose_Pinch(float time)
{
	float down = 1.8849556f * (Ease(0.3f, 0.8f, time) - Ease(1.3f, 1.8f, time));
	return (BodyPose){.armDown = {down, down}};
}
