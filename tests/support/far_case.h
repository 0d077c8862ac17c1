/* SPDX-License-Identifier: MIT
 * far_case.h: files with thousands of instances in a heap and a few far from these, at one scale
 * and at several.
 */
#ifndef FAR_CASE_H
#define FAR_CASE_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

#include "build_case.h"

enum { SIDE = 14, NEAR = SIDE * SIDE * SIDE, FAR_MOST = 40, TRIANGLES = 12 };
#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 12 }; /* each takes ten times as long */
#else
enum { ROUNDS = 60 };
#endif
#define SPACING 1.0

/* Where the others are, and how many hierarchies that makes. */
typedef struct far_case {
    const char *name;
    uint32_t count, trees;
    double x[FAR_MOST];
} far_case;

static const far_case far_cases[] = {
    {"1e7", 1, 2, {1e7}},
    {"1e15", 1, 2, {1e15}},
    {"1e30", 1, 2, {1e30}},
    {"either side", 2, 2, {-1e7, 1e7}},
    {"five scales", 5, 6, {1e6, 1e9, -3e14, 1e22, 1e30}},
    {"a group each", 6, 3, {1e8, 1e8 + 3, 1e8 + 6, 1e20, 1e20, 1e20}}};
enum { FAR_CASES = sizeof far_cases / sizeof *far_cases };

static inline void far_add_part(bvp_builder *builder, uint64_t *state)
{
    uint32_t part;
    float *soup = case_soup(state, TRIANGLES, 1, .9);
    const bvp_mesh mesh = case_mesh(soup, TRIANGLES);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    free(soup);
}

static inline void far_add_node(bvp_builder *builder, uint32_t part, double x, double y, double z)
{
    const double m[12] = {.6, -.8, 0, x, .8, .6, 0, y, 0, 0, 1, z};
    ck_assert_int_eq(
        bvp_builder_add_node(
            builder, &(bvp_new_node){.parent = BVP_NONE, .placement = m, .part = part}, NULL, NULL),
        BVP_OK);
}

/* `near` instances in a heap; two of three parts, the third one is for asking. */
static inline case_file far_file(uint64_t seed, uint32_t near, const far_case *far, bool deformable)
{
    const bvp_hierarchy_spec aabb = {.kind = BVP_KIND_AABB};
    const bvp_build_options options = {
        .hierarchies = &aabb, .hierarchy_count = deformable, .deformable = deformable};
    bvp_builder *builder;
    uint64_t state = seed;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int i = 0; i < 3; i++)
        far_add_part(builder, &state);
    for (uint32_t i = 0; i < near; i++) {
        const double x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        far_add_node(builder, i & 1, SPACING * x + .2 * case_uniform(&state),
                     SPACING * y + .2 * case_uniform(&state),
                     SPACING * z + .2 * case_uniform(&state));
    }
    for (uint32_t i = 0; far && i < far->count; i++)
        far_add_node(builder, i & 1, far->x[i], far->x[i] / 3, -far->x[i] / 7);
    return case_finish(builder);
}

static inline bvp_body far_whole(const case_file *file)
{
    return (bvp_body){.file = file->file, .part = BVP_ASSEMBLY};
}

#endif
