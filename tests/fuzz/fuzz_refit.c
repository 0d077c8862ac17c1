/* SPDX-License-Identifier: MIT
 * fuzz_refit.c: any bytes as a deformable file: its first parts moved, asked, saved and opened
 * again. The hashes are put right, so that the fuzzer gets past them.
 */
#include "bvpack_build.h"
#include "exercise.h"
#include "format/map.h"
#include "repair.h"
#include "target.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 3, VERTICES = 1 << 16 };

static void require(int condition)
{
    if (!condition)
        abort();
}

/* The handle may write to the caller's own bytes: unlike a mapping's, the address sanitizer knows
 * where they end. */
static bvp_file *open_writable(uint8_t *bytes, size_t size)
{
    const bvp_open_options options = {.store = getenv("BVPACK_STORE")};
    bvp_file *file;
    if (bvp_open_memory(bytes, size, &options, &file, NULL) != BVP_OK)
        return NULL;
    file->overlay = bytes;
    return file;
}

/* step 0: bent; 1: made large; 2: flat, with either zero. */
static void move(float *positions, uint64_t count, int step)
{
    for (uint64_t i = 0; i < count; i++) {
        float *p = positions + 3 * i;
        p[0] = p[0] * (step == 1 ? 1e6f : 1.25f) + 0.5f * sinf(p[2]);
        p[1] -= 3;
        if (step == 2)
            p[2] = i % 2 ? 0.0f : -0.0f;
    }
}

static bvp_status refit(bvp_file *file, uint32_t part, int step)
{
    uint64_t count = 0, got = 0;
    bvp_status status = bvp_get_vertices(file, part, 0, UINT64_MAX, NULL, &count);
    if (status != BVP_OK || count > VERTICES)
        return BVP_ERR_LIMIT;
    float *positions = malloc(12 * (size_t)count + 1);
    require(positions != NULL);
    status = bvp_get_vertices(file, part, 0, count, positions, &got);
    require(status == BVP_OK && got == count);
    move(positions, count, step);
    status = bvp_refit(file, part, positions, count, NULL);
    free(positions);
    return status;
}

/* What a hostile file is saved as may be refused, or as hostile. */
static void save_and_open(const bvp_file *file)
{
    FILE *out = tmpfile();
    void *bytes = NULL;
    require(out != NULL);
    if (bvp_save_fd(file, NULL, fileno(out), NULL) == BVP_OK) {
        const size_t size = (size_t)lseek(fileno(out), 0, SEEK_END);
        bvp_file *again;
        require(posix_memalign(&bytes, 64, size) == 0);
        require(pread(fileno(out), bytes, size, 0) == (ssize_t)size);
        if (bvp_open_memory(bytes, size, NULL, &again, NULL) == BVP_OK)
            exercise(again);
        bvp_close(again);
    }
    free(bytes);
    fclose(out);
}

static int try_input(const uint8_t *data, size_t size)
{
    void *bytes = copy_aligned(data, size);
    if (!bytes)
        return 0;
    repair_file(bytes, size);
    bvp_file *file = open_writable(bytes, size);
    if (file) {
        for (int step = 0; step < 3; step++)
            for (uint32_t part = 0; part < PARTS && part < file->header.part_count; part++)
                refit(file, part, step);
        exercise(file);
        save_and_open(file);
        bvp_close(file);
    }
    free(bytes);
    return 0;
}

const fuzz_target fuzz_refit = {"refit", try_input, NULL};
