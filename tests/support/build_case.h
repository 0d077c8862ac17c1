/* SPDX-License-Identifier: MIT
 * build_case.h: meshes to build, files in memory, and what must be true of them.
 */
#ifndef BUILD_CASE_H
#define BUILD_CASE_H

#include "bvpack.h"
#include "bvpack_build.h"

#include <stdbool.h>

/* Seeded by BVP_SEED, or by a number that is printed. */
uint64_t case_seed(void);
uint64_t case_random(uint64_t *state);
double case_uniform(uint64_t *state); /* 0 .. 1 */

/* `count` triangles, 9 floats each, to be freed. */
float *case_soup(uint64_t *state, uint32_t count, double size, double triangle_size);
bvp_mesh case_mesh(const float *soup, uint32_t count);
/* Random triangles, a hundred corners to a unit along x. positions: room for 9 * count. */
bvp_mesh case_random_soup(uint64_t *state, float *positions, uint32_t count);

/* A file in memory, opened. */
typedef struct case_file {
    void *bytes;
    size_t size;
    bvp_file *file;
    bvp_build_report report;
} case_file;

/* Finishes and frees the builder, opens the file, has it verified. Ends the test on failure. */
case_file case_finish(bvp_builder *builder);
/* One part, default tree. options may be NULL. */
case_file case_build(const bvp_mesh *mesh, const bvp_build_options *options);
void case_close(case_file *file);

/* Does part 0 hold exactly these triangles, bit for bit, corner by corner, under their numbers?
 * ids: NULL: 0, 1, 2 ... */
void case_check_triangles(const case_file *file, const float *soup, const uint32_t *ids,
                          uint32_t count);

#endif
