// SPDX-License-Identifier: MIT
#include "world/pattern/pattern.h"

#include "base/checks/message.h"
#include "mesh/check.h"
#include "world/pattern/cooked.h"

enum
{
	patternCookie = 0x64706174,
	// A program that gives every cloth another material must not fill the memory with cooked cloths.
	mostCooked = 8,
};

drapePatternDef drapeDefaultPatternDef(void)
{
	return (drapePatternDef){.rest = drapeDefaultRestDef(), .cookie = patternCookie};
}

// --- creation -------------------------------------------------------------------------------------------------------

static void FindBounds(drapePattern* pattern)
{
	DRAPE_ASSERT(pattern->mesh.vertexCount > 0);
	Vec3 lower = pattern->mesh.positions[0], upper = lower;
	for (uint32_t i = 1; i < pattern->mesh.vertexCount; ++i)
	{
		Vec3 p = pattern->mesh.positions[i];
		lower = (Vec3){MinNumF(lower.x, p.x), MinNumF(lower.y, p.y), MinNumF(lower.z, p.z)};
		upper = (Vec3){MaxNumF(upper.x, p.x), MaxNumF(upper.y, p.y), MaxNumF(upper.z, p.z)};
	}
	pattern->lower = lower;
	pattern->upper = upper;
}

// Frees a pattern whose lock is not initialised, or not any more.
static void Free(drapePattern* pattern)
{
	drapeBaseLevels_Destroy(&pattern->base);
	drapePatternMesh_Destroy(&pattern->mesh);
	drapeMemFree(pattern, sizeof *pattern);
}

static void Destroy(drapePattern* pattern)
{
	for (uint32_t i = 0; i < pattern->cooked.count; ++i)
		drapeCooked_Destroy(pattern->cooked.data[i]);
	ArrayFree(&pattern->cooked);
	drapeMutex_Destroy(&pattern->lock);
	Free(pattern);
}

static drapeResult Create(const drapePatternDef* def, drapeMeshReport* report, drapePattern** result)
{
	int64_t before = drapeMemOfThread();
	drapePattern* pattern = drapeMemAllocZero(sizeof *pattern);
	if (!pattern)
		return drape_errorMemory;
	drapeResult code = drapePatternMesh_Create(&pattern->mesh, def->mesh, &def->rest, report);
	if (code == drape_ok &&
	    (!drapeBaseLevels_Build(&pattern->base, &pattern->mesh) || !drapeMutex_Init(&pattern->lock)))
		code = drape_errorMemory;
	if (code != drape_ok)
	{
		Free(pattern);
		return code;
	}
	pattern->rest = def->rest;
	pattern->rest.material = NULL;
	UseCount_Init(&pattern->users);
	FindBounds(pattern);
	pattern->bytes = drapeMemOfThread() - before;
	*result = pattern;
	return drape_ok;
}

drapeResult drapeCreatePattern(const drapePatternDef* def, drapePattern** pattern, drapeMessage* message)
{
	if (pattern)
		*pattern = NULL;
	if (!pattern)
		return drapeRefuse(message, "there is nowhere to write the pattern to");
	if (!def || def->cookie != patternCookie)
		return drapeRefuse(message,
		                   "the definition of the pattern is not initialised, expected drapeDefaultPatternDef");
	if (!def->mesh)
		return drapeRefuse(message, "mesh is NULL, expected the pattern mesh");
	drapeResult result = drapeMesh_CheckArguments(def->mesh, &def->rest, message);
	if (result != drape_ok)
		return result;
	drapeMeshReport ownReport, *report = def->report ? def->report : &ownReport;
	return drapeMeshReport_Explain(report, Create(def, report, pattern), message);
}

drapeResult drapeDestroyPattern(drapePattern* pattern)
{
	drapePattern_Leave(pattern);
	return drape_ok;
}

// --- users ----------------------------------------------------------------------------------------------------------

drapePattern* drapePattern_Use(const drapePattern* pattern)
{
	drapePattern* used = (drapePattern*)(uintptr_t)pattern;
	UseCount_Add(&used->users);
	return used;
}

void drapePattern_Leave(drapePattern* pattern)
{
	if (pattern && UseCount_Remove(&pattern->users))
		Destroy(pattern);
}

// --- cooking --------------------------------------------------------------------------------------------------------

static const CookedCloth* Find(const drapePattern* pattern, const drapeClothDef* def)
{
	for (uint32_t i = 0; i < pattern->cooked.count; ++i)
	{
		if (drapeCooked_Fits(pattern->cooked.data[i], def))
			return pattern->cooked.data[i];
	}
	return NULL;
}

static const CookedCloth* Add(drapePattern* pattern, const drapeClothDef* def, TaskPool* tasks)
{
	int64_t before = drapeMemOfThread();
	CookedCloth* cooked = NULL;
	if (ArrayReserve(&pattern->cooked, pattern->cooked.count + 1))
		cooked = drapeCooked_Create(pattern, def, tasks);
	if (cooked)
		ArrayPush(&pattern->cooked, cooked);
	pattern->bytes += drapeMemOfThread() - before;
	return cooked;
}

drapeResult drapePattern_Cook(const drapePattern* shared, const drapeClothDef* def, TaskPool* tasks,
                              const CookedCloth** cooked)
{
	drapePattern* pattern = (drapePattern*)(uintptr_t)shared;
	drapeMutex_Lock(&pattern->lock);
	*cooked = Find(pattern, def);
	bool mayAdd = !*cooked && pattern->cooked.count < mostCooked;
	if (mayAdd)
		*cooked = Add(pattern, def, tasks);
	drapeMutex_Unlock(&pattern->lock);
	return mayAdd && !*cooked ? drape_errorMemory : drape_ok;
}

// --- getters --------------------------------------------------------------------------------------------------------

static bool IsThere(const drapePattern* pattern)
{
	if (!pattern)
		drapeRefuse(NULL, "the pattern is NULL");
	return pattern != NULL;
}

drapePatternDef drapePattern_GetDef(const drapePattern* pattern)
{
	drapePatternDef def = drapeDefaultPatternDef();
	if (IsThere(pattern))
		def.rest = pattern->rest;
	return def;
}

uint32_t drapePattern_GetVertexCount(const drapePattern* pattern)
{
	return IsThere(pattern) ? pattern->mesh.vertexCount : 0;
}

uint32_t drapePattern_GetTriangleCount(const drapePattern* pattern)
{
	return IsThere(pattern) ? pattern->mesh.triangleCount : 0;
}

double drapePattern_GetArea(const drapePattern* pattern)
{
	return IsThere(pattern) ? pattern->mesh.area : 0.0;
}

drapeResult drapePattern_GetBounds(const drapePattern* pattern, drapeVec3* lower, drapeVec3* upper)
{
	if (!IsThere(pattern))
		return drape_errorArgument;
	if (lower)
		*lower = pattern->lower;
	if (upper)
		*upper = pattern->upper;
	return drape_ok;
}

size_t drapePattern_GetMemory(const drapePattern* shared)
{
	if (!IsThere(shared))
		return 0;
	drapePattern* pattern = (drapePattern*)(uintptr_t)shared;
	drapeMutex_Lock(&pattern->lock);
	size_t bytes = (size_t)pattern->bytes;
	drapeMutex_Unlock(&pattern->lock);
	return bytes;
}
