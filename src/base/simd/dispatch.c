// SPDX-License-Identifier: MIT
#include "base/simd/dispatch.h"

// On x86-64 the whole core is compiled twice, with AVX2 and with the SSE2 that every processor has. The names of the copies
// end in _avx2 and _sse2 (cmake/names.cmake). This file defines the public functions: each jumps to one copy through a
// pointer, so that no argument is touched. The pointers are set before main, and all of them to the same copy, because each
// copy has its own hooks and other globals. One function table per module was rejected: V8 and the wide types have another
// size in each copy, so that modules must not be mixed, and the calls between modules would be indirect.
//
// The environment variable DRAPE_SIMD=sse2 chooses that copy on any processor.

// public_names.h has DRAPE_PUBLIC(name) for each public function.

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef void Function(void); // of any type: nothing here calls it

#ifdef _WIN32
#define HIDDEN_POINTER __attribute__((used)) // without an export no other module sees it
#else
#define HIDDEN_POINTER __attribute__((visibility("hidden"), used))
#endif

#define DRAPE_PUBLIC(name)                                                                                             \
	Function name##_avx2, name##_sse2;                                                                                 \
	extern Function* drapeDispatch_##name;                                                                             \
	HIDDEN_POINTER Function* drapeDispatch_##name = name##_sse2;
#include "base/public_names.h"
#undef DRAPE_PUBLIC

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define SYMBOL(name) TEXT(__USER_LABEL_PREFIX__) #name

#if defined(__ELF__)
#ifdef DRAPE_SHARED
#define VISIBILITY(name) ""
#else
#define VISIBILITY(name) ".hidden " SYMBOL(name) "\n"
#endif
#define BEGIN(name) ".pushsection .text\n.type " SYMBOL(name) ", @function\n" VISIBILITY(name)
#define END(name) ".size " SYMBOL(name) ", . - " SYMBOL(name) "\n.popsection\n"
#elif defined(_WIN32)
// The assembler for COFF has no .pushsection. Compilers name the section of what follows.
#ifdef DRAPE_SHARED
#define BEGIN(name) ".section .drectve, \"yn\"\n.ascii \" -export:" #name "\"\n.text\n"
#else
#define BEGIN(name) ".text\n"
#endif
#define END(name) ""
#else
#ifdef DRAPE_SHARED
#define BEGIN(name) ".text\n"
#else
#define BEGIN(name) ".text\n.private_extern " SYMBOL(name) "\n"
#endif
#define END(name) ""
#endif

// endbr64 is the landing pad of indirect calls where the system checks them, and does nothing elsewhere.
#define DRAPE_PUBLIC(name)                                                                                             \
	__asm__(BEGIN(name) ".globl " SYMBOL(name) "\n.balign 16\n" SYMBOL(                                                \
		name) ":\n"                                                                                                    \
	          "endbr64\njmp *" SYMBOL(drapeDispatch_##name) "(%rip)\n" END(name));
#include "base/public_names.h"
#undef DRAPE_PUBLIC

static bool useAvx2;

// Before the constructors of a program, which may call the library.
__attribute__((constructor(101))) static void Choose(void)
{
	static const struct
	{
		Function **pointer, *avx2;
	} functions[] = {
#define DRAPE_PUBLIC(name) {&drapeDispatch_##name, name##_avx2},
#include "base/public_names.h"
#undef DRAPE_PUBLIC
	};
	const char* wanted = getenv("DRAPE_SIMD");
	__builtin_cpu_init();
	useAvx2 = __builtin_cpu_supports("avx2") && !(wanted && strcmp(wanted, "sse2") == 0);
	for (size_t i = 0; useAvx2 && i < sizeof functions / sizeof functions[0]; ++i)
		*functions[i].pointer = functions[i].avx2;
}

const char* drapeDispatch_Name(void)
{
	return useAvx2 ? "avx2" : "sse2";
}
