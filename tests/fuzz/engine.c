/* SPDX-License-Identifier: MIT
 * engine.c: a fuzz target for libFuzzer: the program's name is fuzz_ and the target's.
 */
#include "mutate.h"
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static const fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    const char *name = strrchr((*argv)[0], '/');
    name = name ? name + 1 : (*argv)[0];
    target = strncmp(name, "fuzz_", 5) == 0 ? fuzz_target_find(name + 5) : NULL;
    if (!target) {
        fprintf(stderr, "%s: no fuzz target has that name\n", name);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return target->try_input(data, size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return target->mutate ? target->mutate(data, size, max_size, seed)
                          : LLVMFuzzerMutate(data, size, max_size);
}
