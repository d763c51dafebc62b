// SPDX-License-Identifier: MIT
#pragma once

// In a library with the core compiled for several instruction sets: the name of the one that runs, "avx2" or "sse2".
const char* drapeDispatch_Name(void);
