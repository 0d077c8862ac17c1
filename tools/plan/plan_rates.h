/* SPDX-License-Identifier: MIT
 * plan_rates.h: what work costs by what can be seen without reading meshes: sizes and headers.
 * Spec: farm.md, chapter "Costs"
 */
#ifndef PLAN_RATES_H
#define PLAN_RATES_H

#include <stdint.h>

/* Seconds of one thread, measured on plants of 2 and 10 M triangles (farm.md); a machine of another
 * speed changes all of them alike, and with it no share. */
#define PLAN_PACK_SECONDS     0.31e-6 /* a triangle */
#define PLAN_LINE_SECONDS     4.7e-6  /* a line of the export, in every task that reads it */
#define PLAN_MERGE_SECONDS    0.7e-9  /* a byte of a share's parts: hashed and copied */
#define PLAN_INSTANCE_SECONDS 8e-6    /* an instance, in the output's tree and tables */
#define PLAN_CLASH_SECONDS    75e-6   /* an instance, with least distances to its neighbours */
#define PLAN_SETUP_SECONDS    0.42e-6 /* an instance of the whole file, in every share of a run */
#define PLAN_REPORT_SECONDS   31e-6   /* an instance: its pairs gathered from shares and written */
#define PLAN_START_SECONDS    0.05    /* a task: its process, and the hashes of what it opens */

/* Bytes. */
#define PLAN_PACKED_SIZE 9          /* a triangle of a packed part */
#define PLAN_MESH_MEMORY 50         /* a triangle while it is packed */
#define PLAN_LINE_MEMORY 600        /* a line of the export */
#define PLAN_BASE_MEMORY (16 << 20) /* a process */

typedef struct plan_rate {
    const char *format;      /* a word of --format */
    double triangle_size;    /* bytes a triangle, where no header says how many there are */
    double seconds_megabyte; /* to read a million bytes */
} plan_rate;

extern const plan_rate plan_rates[]; /* the last one, format NULL, is of all others */

/* Of a word of --format, or of the ending of a file's name; never NULL. */
const plan_rate *plan_rate_of(const char *format, const char *path);

/* How many triangles the header of a binary STL or a PLY file says there are, or 0: none does, or
 * it says more than a file of that size can hold. */
uint64_t plan_count_triangles(const char *path, uint64_t size);

#endif
