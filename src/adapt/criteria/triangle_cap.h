// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/criteria/criterion.h"

// Keeps a cloth at or below drapeAdaptDef::maxTriangles. The scheme enforces the number (AdaptRequest::maxTriangles);
// these functions decide which triangles the cloth gets.
//
// Histograms of the deviation (deviation.h) of the requested splits and of the removable particles show what a
// threshold would do. When not all requested splits fit, the accuracy criterion joins at a larger threshold, the
// smallest one at which splits and joins balance; and the edges that deviate most are split first. The thresholds
// follow from the mesh alone, so that there is no state to save. A split edge deviates by more than the threshold and a
// joined one by less than half of it: nothing is split and joined in turn.

// After the requests of the shape criteria: raises CriteriaPass::joinDeviation when they do not fit.
void drapeTriangleCap_RaiseJoins(CriteriaPass* pass);

// After all requests: withdraws the requested splits with the least deviation until the rest fits.
void drapeTriangleCap_Prune(const CriteriaPass* pass);
