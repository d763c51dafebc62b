// SPDX-License-Identifier: MIT
#pragma once

#include "drape/mesh.h"

// The mannequin (shared/mannequin.h) with joints: one closed mesh whose vertices are a function of a pose. Vertices
// around a joint turn by a share of its angle, so that limbs bend smoothly.

// Angles in radians; all zero is the mannequin as it is made, with its arms stretched out to the sides. It looks along
// +z. Index 0 is the left side (+x), 1 the right one.
typedef struct BodyPose
{
	float armDown[2];    // arms lowered; 1.57 is vertical, more leads into the trunk
	float armForward[2]; // the lowered arms swung forward
	float elbow[2];      // forearms bent forward
	float thigh[2];      // legs swung forward
	float knee[2];       // shins bent backward
	float spread;        // both legs turned outward
	float twist, lean;   // of the chest: about the vertical, and to the left
	float turn;          // of the whole body about the vertical
	drapeVec3 position;  // m, of the whole body
} BodyPose;

typedef struct PosedBody
{
	drapeMesh rest; // in the zero pose
} PosedBody;

// `cell` is that of Mannequin_CreateWith.
void PosedBody_Create(PosedBody* body, float cell);
void PosedBody_Destroy(PosedBody* body);

// Writes the vertices of a pose, m, [body->rest.vertexCount].
void PosedBody_Skin(const PosedBody* body, const BodyPose* pose, drapeVec3* positions);

// Poses over time, s. They stand still at time 0 and start smoothly.

// Walks along z at 1.1 m/s, arms lowered and swinging. The strides take 1.1 s.
BodyPose BodyPose_Walk(float time);

// Dances on the spot: whole turns within 1.1 s, hips and chest sway, arms flap from above the shoulders
// to 70 degrees below, where they touch the trunk at the armpits. Hands reach 10 m/s.
BodyPose BodyPose_Dance(float time);

// Lowers both arms by 108 degrees, which puts them inside the trunk, from 0.3 to 0.8 s; raises them from 1.3 to 1.8 s.
BodyPose BodyPose_Pinch(float time);

// From this time on, the body of BodyPose_Pinch has no more narrow places than at the start, for thicknesses up to
// 2 mm, s.
static const float pinchOpenTime = 1.6f;
