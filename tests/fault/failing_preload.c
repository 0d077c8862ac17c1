/* SPDX-License-Identifier: MIT
 * failing_preload.c: failing_alloc.c as a library that is loaded before a program's own.
 */
#include <stdlib.h>
#include "failing.h"

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv(FAULT_COUNTER);
    fault_counter *counter = path ? fault_map_counter(path) : NULL;
    if (counter)
        failing_allocs = counter;
}
