/* SPDX-License-Identifier: MIT
 * target.h: what can be fuzzed. All targets are in one program, twice: with libFuzzer, which finds
 * the target by the name it is called by (engine.c), and without (replay.c).
 *
 * A new target: fuzz_x.c, which defines fuzz_x; its declaration here, its place in target.c and in
 * local.mk; tests/fuzz/fuzz_x among FUZZERS of Makefile.am; seeds in run_fuzz.sh; recorded inputs
 * in tests/house/check_fuzz.sh, which `make check` replays.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_target {
    const char *name;
    int (*try_input)(const uint8_t *data, size_t size);
    /* mutations that know the inputs' structure; NULL: any bytes will do */
    size_t (*mutate)(uint8_t *data, size_t size, size_t max_size, unsigned seed);
} fuzz_target;

/* NULL: there is none of that name. */
const fuzz_target *fuzz_target_find(const char *name);

/* Mutations of packed files. */
size_t mutate_packed(uint8_t *data, size_t size, size_t max_size, unsigned seed);

extern const fuzz_target fuzz_build, fuzz_clash, fuzz_clash_inputs, fuzz_open, fuzz_refit,
    fuzz_seekable, fuzz_store, fuzz_stream, fuzz_verbs;
enum { FUZZ_IMPORTS = 11 };
extern const fuzz_target fuzz_imports[FUZZ_IMPORTS];

#endif
