/* SPDX-License-Identifier: MIT
 * target.c: the fuzz targets by their names.
 */
#include "target.h"

#include <string.h>

static const fuzz_target *const targets[] = {
    &fuzz_build,    &fuzz_clash, &fuzz_clash_inputs, &fuzz_open,  &fuzz_refit,
    &fuzz_seekable, &fuzz_store, &fuzz_stream,       &fuzz_verbs,
};

const fuzz_target *fuzz_target_find(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i]->name, name) == 0)
            return targets[i];
    for (int i = 0; i < FUZZ_IMPORTS; i++)
        if (strcmp(fuzz_imports[i].name, name) == 0)
            return &fuzz_imports[i];
    return NULL;
}
