/* SPDX-License-Identifier: MIT
 * oracle.c: brute force over pairs of triangles, and files for tests.
 */
#include "oracle.h"
#include "bvpack_build.h"
#include "prim/tri_dist.h"
#include "prim/tri_tri_exact.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static const double *placement_of(oracle_soup soup)
{
    return soup.placement != NULL ? soup.placement : identity;
}

uint64_t oracle_pairs(oracle_soup a, oracle_soup b, uint8_t *matrix)
{
    uint64_t hits = 0;
    for (uint64_t i = 0; i < a.count; i++)
        for (uint64_t j = 0; j < b.count; j++) {
            unsigned bits =
                bvpi_tri_tri_exact(a.tri + 9 * i, b.tri + 9 * j, placement_of(a), placement_of(b));
            matrix[i * b.count + j] = (uint8_t)bits;
            hits += bits != 0;
        }
    return hits;
}

/* The largest |coordinate| of each axis. */
static void bound(oracle_soup soup, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (uint64_t k = 0; k < 9 * soup.count; k++)
        out[k % 3] = fmax(out[k % 3], fabs((double)soup.tri[k]));
}

void oracle_distance(oracle_soup a, oracle_soup b, double *lo, double *hi)
{
    bvpi_pose pose;
    double bound_a[3], bound_b[3];
    bound(a, bound_a);
    bound(b, bound_b);
    ck_assert_int_eq(bvpi_pose_init(&pose, a.placement, b.placement, bound_a, bound_b), BVP_OK);
    *lo = *hi = INFINITY;
    for (uint64_t i = 0; i < a.count; i++)
        for (uint64_t j = 0; j < b.count; j++) {
            bvpi_tri_dist d;
            bvpi_tri_dist1(&pose, a.tri + 9 * i, b.tri + 9 * j, &d);
            *lo = fmin(*lo, d.lo);
            *hi = fmin(*hi, d.hi);
        }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void add_parts(bvp_builder *builder, const oracle_soup *parts, uint32_t count,
                      uint32_t *numbers)
{
    for (uint32_t k = 0; k < count; k++) {
        bvp_mesh mesh = {.positions = parts[k].tri,
                         .vertex_count = 3 * parts[k].count,
                         .triangle_count = parts[k].count};
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &numbers[k], NULL), BVP_OK);
    }
}

bool oracle_has_rays;

bvp_file *oracle_open(const oracle_soup *parts, uint32_t count, const uint32_t *node_parts,
                      const double *placements, uint32_t node_count, bool baseline)
{
    char path[] = "oracle-XXXXXX";
    bvp_build_options options = {.thread_count = 1, .rays = oracle_has_rays};
    bvp_error error;
    bvp_open_options how = {.baseline_simd = baseline};
    bvp_builder *builder;
    bvp_file *file;
    uint32_t numbers[64], root, node;
    int fd = mkstemp(path);
    ck_assert(fd >= 0 && count <= 64);
    unlink(path);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    add_parts(builder, parts, count, numbers);
    if (node_count > 0)
        ck_assert_int_eq(bvp_builder_add_node(
                             builder,
                             &(bvp_new_node){.parent = BVP_NONE, .name = "root", .part = BVP_NONE},
                             &root, NULL),
                         BVP_OK);
    for (uint32_t k = 0; k < node_count; k++)
        ck_assert_int_eq(bvp_builder_add_node(builder,
                                              &(bvp_new_node){.parent = root,
                                                              .placement = placements + 12 * k,
                                                              .part = numbers[node_parts[k]]},
                                              &node, NULL),
                         BVP_OK);
    ck_assert_int_eq(bvp_builder_finish_fd(builder, fd, NULL, NULL), BVP_OK);
    bvp_builder_free(builder);
    ck_assert_int_eq(bvp_open_fd(fd, &how, &file, NULL), BVP_OK);
    if (oracle_has_rays)
        ck_assert_msg(bvp_verify_file(file, NULL, NULL, &error) == BVP_OK, "%s: %s", error.rule,
                      error.message);
    close(fd);
    return file;
}
