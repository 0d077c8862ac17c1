/* SPDX-License-Identifier: MIT
 * replay.c: a fuzz target without the fuzzer: each file as it is, then BVP_MUTATIONS seeded
 * mutations of it. For every compiler and for `make check`.
 * Usage: replay TARGET FILE...
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

static const fuzz_target *target;
static uint64_t state;

/* splitmix64 */
static uint64_t next_random(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end;
    if (in && fseek(in, 0, SEEK_END) == 0 && (end = ftell(in)) >= 0) {
        rewind(in);
        bytes = malloc((size_t)end + 1);
        *size = bytes ? fread(bytes, 1, (size_t)end, in) : 0;
    }
    if (in)
        fclose(in);
    return bytes;
}

/* A few bytes flipped, set to an extreme or copied from elsewhere; sometimes the end is cut. */
static size_t mutate(uint8_t *bytes, size_t size)
{
    static const uint8_t extremes[] = {0x00, 0xff, 0x7f, 0x80, '-', '9', '\n', ' '};
    for (uint64_t left = 1 + next_random() % 6; left > 0 && size > 0; left--) {
        /* half of them near the start, where headers are */
        size_t at = next_random() % (next_random() & 1 ? size : size < 512 ? size : 512);
        switch (next_random() % 3) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << next_random() % 8);
            break;
        case 1:
            bytes[at] = extremes[next_random() % sizeof extremes];
            break;
        default:
            bytes[at] = bytes[next_random() % size];
        }
    }
    return next_random() % 8 == 0 ? next_random() % (size + 1) : size;
}

static void run_mutations(const uint8_t *bytes, size_t size, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *copy = malloc(size + 1);
        if (!copy)
            return;
        memcpy(copy, bytes, size);
        size_t left = target->mutate ? target->mutate(copy, size, size, (unsigned)next_random())
                                     : mutate(copy, size);
        /* exactly as long as it says, for the address sanitizer */
        uint8_t *exact = realloc(copy, left ? left : 1);
        target->try_input(exact ? exact : copy, left);
        free(exact ? exact : copy);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = number_from("BVP_SEED", 1), mutations = number_from("BVP_MUTATIONS", 0);
    printf("BVP_SEED=%" PRIu64 " BVP_MUTATIONS=%" PRIu64 "\n", seed, mutations);
    target = argc > 1 ? fuzz_target_find(argv[1]) : NULL;
    if (!target) {
        fprintf(stderr, "replay: %s is no target\n", argc > 1 ? argv[1] : "nothing");
        return 1;
    }
    for (int i = 2; i < argc; i++) {
        size_t size = 0;
        uint8_t *bytes = read_file(argv[i], &size);
        if (!bytes) {
            fprintf(stderr, "replay: cannot read %s\n", argv[i]);
            return 1;
        }
        printf("%s\n", argv[i]);
        fflush(stdout);
        state = seed + (uint64_t)i - 1;
        target->try_input(bytes, size);
        run_mutations(bytes, size, mutations);
        free(bytes);
    }
    return 0;
}
