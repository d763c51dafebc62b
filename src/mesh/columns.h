// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"

// A column is an array with one value per particle of an active mesh, which follows the particles through adaptation.
// The mesh does this for all its columns alike, in three places:
//
//   memory      drapeActiveMesh_ReserveParticles grows all columns together before a pass, or none of them
//   movement    drapeActiveMesh_MoveParticle moves the values of a particle that gets another index
//   creation    a new particle gets the value that the column's rule says, when it is created; rules that need the
//               finished mesh run in drapeColumns_Complete, once after each change
//
// The typed arrays of ActiveMesh are columns too (the table in active.c): positions, join waits, sleep, and whatever
// else the inner loops read. The registry below holds the columns that other modules and applications add at run time:
// history and friction state (world/history.c), and the application's own (drapeCreateColumn).
//
// To add a column, its owner calls drapeColumns_Add once for each mesh and keeps the index that it returns. It is freed
// with the mesh; snapshots and the state hash include it when its flags say so.

typedef struct ActiveMesh ActiveMesh;
typedef struct ParticleParents ParticleParents;

// The value that a newly created particle gets. A particle without parents gets zero.
typedef enum ColumnRule
{
	columnZero,          // all bytes 0
	columnNearestParent, // that of the parent with the greatest weight, the first of equals
	columnMean,          // the weighted mean of the parents' values, which are floats
	columnCustom,        // ColumnDef::inherit
	columnScratch,       // any: the values do not outlive a change of the mesh
} ColumnRule;

// Writes values[particle], where `values` is the column. Runs in drapeColumns_Complete, for parents before their
// children. Until then the value is zero.
typedef void ColumnInheritFcn(const ActiveMesh* mesh, uint32_t particle, void* values);

enum
{
	drape_columnSaved = 1 << 0,       // part of snapshots
	drape_columnHashed = 1 << 1,      // part of the state hash
	drape_columnApplication = 1 << 2, // made by the application
};

enum
{
	columnNameCapacity = 64, // characters with the closing zero
	maxColumns = 40,         // in one mesh
	maxColumnValue = 1024,   // bytes of one value
};

typedef struct ColumnDef
{
	const char* name; // unique in the mesh, 1 to columnNameCapacity - 1 characters; copied
	uint32_t size;    // bytes of one value, 1 to maxColumnValue; a multiple of sizeof(float) with columnMean
	ColumnRule rule;
	ColumnInheritFcn* inherit; // with columnCustom
	uint8_t flags;             // drape_column...
} ColumnDef;

typedef struct Column
{
	void* data; // [ActiveMesh::particleCapacity]
	uint32_t size;
	ColumnRule rule;
	ColumnInheritFcn* inherit;
	uint8_t flags;
	char name[columnNameCapacity];
} Column;

typedef struct Columns
{
	ARRAY(Column) list;
	uint32_t revision; // the custom rules have run for the new particles of this revision
} Columns;

// Adds a column, zero for all particles that there are, and returns its index. DRAPE_NONE, with nothing changed, when
// out of memory or when the mesh has maxColumns already.
uint32_t drapeColumns_Add(ActiveMesh* mesh, const ColumnDef* def);

// Removes a column. Its slot, with its memory, waits for another column: indices of columns never change.
void drapeColumns_Remove(ActiveMesh* mesh, uint32_t column);

// The index of the column with this name, DRAPE_NONE when there is none.
uint32_t drapeColumns_Find(const Columns* columns, const char* name);

// The values of a column, by particle. Valid until the mesh is changed or reserved, and until drapeColumns_Swap.
DRAPE_INLINE void* Columns_Data(const Columns* columns, uint32_t column)
{
	DRAPE_ASSERT(column < columns->list.count);
	return columns->list.data[column].data;
}

// Exchanges the values of two columns of equal size.
void drapeColumns_Swap(Columns* columns, uint32_t a, uint32_t b);

// After a change of the mesh, when the positions and velocities of the new particles are final: runs the custom rules.
// Has no effect when there was no change since the last call.
void drapeColumns_Complete(ActiveMesh* mesh);

// Gives every particle with parents the value of the column's rule, coarse levels first.
void drapeColumns_InheritAll(ActiveMesh* mesh, uint32_t column);

// Gives a particle of one mesh the values of a weighted point of another mesh, `from`, in all columns of the
// application that both meshes have under the same name and size. A column with the mean rule gets the mean, any other
// one the value of the particle with the greatest weight.
void drapeColumns_Transfer(const Columns* source, const ParticleParents* from, Columns* target, uint32_t particle);

// A hash of the names, sizes and rules of the saved columns: equal for meshes that can exchange snapshots. 0 without.
uint64_t drapeColumns_Identity(const Columns* columns);

// After a snapshot was loaded: columns that it does not contain are zero.
void drapeColumns_Loaded(ActiveMesh* mesh);

// --- for active.c ----------------------------------------------------------------------------------------------------

// Values of a new particle. `parents` is NULL for a pattern vertex.
void drapeColumns_Create(Columns* columns, uint32_t particle, const ParticleParents* parents);
void drapeColumns_Move(Columns* columns, uint32_t to, uint32_t from);
void drapeColumns_Free(Columns* columns, uint32_t particleCapacity);
size_t drapeColumns_Bytes(const Columns* columns, uint32_t particleCount);
uint64_t drapeColumns_Hash(uint64_t hash, const Columns* columns, uint32_t particleCount);
