/* SPDX-License-Identifier: MIT
 * step_memory.cc: notes each exception for lack of memory where it is thrown. Nothing here may
 * throw: the compiler would have a declaration of its own of what a throw calls.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "step/step_memory.h"

#include <cstring>
#include <dlfcn.h>
#include <typeinfo>

static bool was_short; /* atomic */

bool step_was_memory_short()
{
    return __atomic_load_n(&was_short, __ATOMIC_RELAXED);
}

typedef void throw_function(void *, std::type_info *, void (*)(void *));

/* What a throw calls, in the libraries too: the program's own comes before theirs. */
extern "C" __attribute__((visibility("default"), noreturn)) void
__cxa_throw(void *thrown, std::type_info *type, void (*destroy)(void *))
{
    throw_function *real;
    if (strstr(type->name(), "bad_alloc") || strstr(type->name(), "Standard_OutOfMemory"))
        __atomic_store_n(&was_short, true, __ATOMIC_RELAXED);
    *reinterpret_cast<void **>(&real) = dlsym(RTLD_NEXT, "__cxa_throw");
    real(thrown, type, destroy);
    __builtin_unreachable();
}
