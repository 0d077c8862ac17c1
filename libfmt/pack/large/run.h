/* SPDX-License-Identifier: MIT
 * run.h: some thousand triangles that follow one another, with vertices of their own, as they lie
 * in a temporary file: a third of what their corners would take.
 */
#ifndef BVPI_PACK_LARGE_RUN_H
#define BVPI_PACK_LARGE_RUN_H

#include "base/growing_array.h"
#include "pack/large/scratch.h"

enum { BVPI_RUN_TRIANGLES = 1 << 15 };

/* Equal vertices, bit for bit, have one number, in the order of first use. */
typedef struct bvpi_run {
    uint32_t triangle_count, vertex_count;
    uint32_t vertex_size; /* bytes: 12 or 24 */
    uint8_t *positions;   /* owned */
    uint32_t *indices;    /* owned; 3 a triangle */
    uint32_t *ids;        /* owned; numbers in the source, which ascend */
} bvpi_run;

/* Makes a run of `count` triangles, 1 .. BVPI_RUN_TRIANGLES: nine coordinates each, dense. ids: of
 * each. False: out of memory. The caller frees *out in either case. */
bool bvpi_run_make(const void *corners, uint32_t vertex_size, const uint32_t *ids, uint32_t count,
                   bvpi_run *out);
void bvpi_run_free(bvpi_run *run);

/* Runs in a file, in their order. */
typedef struct bvpi_run_place {
    uint64_t offset;
    uint32_t size, triangle_count, vertex_count, vertex_size;
} bvpi_run_place;

/* The bytes of a run, to be freed; NULL: out of memory. */
uint8_t *bvpi_run_encode(const bvpi_run *run, bvpi_run_place *place);
/* Reads a run that bvpi_run_encode made. The caller frees *out in either case. */
bvp_status bvpi_run_read(const bvpi_scratch *file, const bvpi_run_place *place, bvpi_run *out,
                         bvp_error *error);

/* Several at once, on several threads. */
enum { BVPI_RUN_GROUP = 32 };

typedef struct bvpi_run_file {
    bvpi_scratch scratch;
    bvpi_run_place *places; /* owned */
    uint64_t count, capacity;
} bvpi_run_file;

void bvpi_run_file_close(bvpi_run_file *file);
/* Finds the places of the runs in a file that another process wrote. */
bvp_status bvpi_run_file_scan(bvpi_run_file *file, bvp_error *error);
/* Appends the bytes of a run. */
bvp_status bvpi_run_append(bvpi_run_file *file, const uint8_t *bytes, bvpi_run_place *place,
                           bvp_error *error);
/* Runs begin .. begin + count - 1, count <= BVPI_RUN_GROUP, into out[]; all are to be freed, also
 * after a failure. */
bvp_status bvpi_runs_read(const bvpi_run_file *file, uint64_t begin, uint32_t count,
                          uint32_t thread_count, bvpi_run *out, bvp_error *error);
#endif
