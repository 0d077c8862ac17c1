/* SPDX-License-Identifier: MIT
 * range_scene.h: random parts and instances at all sizes that coordinates may have, packed with
 * every kind of hierarchy; of two bodies made of them, which triangles meet by exact arithmetic.
 */
#ifndef RANGE_SCENE_H
#define RANGE_SCENE_H

#include "binary_cases.h"
#include "bvpack.h"
#include "range_cases.h"
#include "range_oracle.h"

enum {
    PARTS = 8,
    ROUTES = 1 + WAYS,
    INSTANCES = 3,
    MOST = INSTANCES * RANGE_TRIANGLES /* triangles of a body */
};

/* A file of several parts and instances of some, asked in several ways. */
typedef struct batch {
    range_mesh mesh[PARTS];
    uint32_t part[PARTS];
    const range_mesh *placed[INSTANCES];
    double placement[INSTANCES][12];
    int world;
    bytes file;
    bvp_file *by[ROUTES];
} batch;

/* A body: a part, or several instances. */
typedef struct side {
    bvp_body body;
    double m[12]; /* the body's placement */
    uint32_t instance_count;
    const range_mesh *mesh[INSTANCES];
    double placement[INSTANCES][12], size[INSTANCES][3]; /* largest |coordinates| in the part */
    uint64_t first[INSTANCES + 1];                       /* triangle of each instance */
    range_tri tri[MOST];
} side;

/* Two bodies, or one against itself, and what is true of them. */
typedef struct scene {
    side a, b;
    int is_self, world;
    uint8_t meet[MOST][MOST];
    uint64_t asked, meeting; /* pairs of triangles */
    const char *how;         /* by which route it is asked */
} scene;

/* ---- batches --------------------------------------------------------------------------------- */

/* Instances near one another: the first two as any pair, the third as the second, elsewhere. */
static inline void batch_assemble(batch *batch, bvp_builder *builder)
{
    const int i = case_int(PARTS), j = case_int(PARTS), part[INSTANCES] = {i, j, j};
    double m[INSTANCES][12];
    do /* a file's world ends at 2^250 */
        range_place_pair(&batch->mesh[i], &batch->mesh[j], m[0], m[1], &batch->world);
    while (batch->world > 235);
    memcpy(m[2], m[1], sizeof m[2]);
    range_bring(&batch->mesh[i], m[0], &batch->mesh[j], m[2]);
    for (int k = 0; k < INSTANCES; k++) {
        uint32_t node;
        bvp_error error = {0};
        const bvp_status status = bvp_builder_add_node(
            builder,
            &(bvp_new_node){.parent = BVP_NONE, .placement = m[k], .part = batch->part[part[k]]},
            &node, &error);
        ck_assert_msg(status == BVP_OK, "%s", error.message);
    }
}

/* The instances as the file numbers them. */
static inline void batch_read(batch *batch)
{
    for (uint32_t i = 0; i < INSTANCES; i++) {
        bvp_instance_info info;
        int part = 0;
        ck_assert_int_eq(bvp_get_instance(batch->by[0], i, &info), BVP_OK);
        while (batch->part[part] != info.part)
            part++;
        batch->placed[i] = &batch->mesh[part];
        memcpy(batch->placement[i], info.placement, sizeof info.placement);
    }
}

static inline void batch_init(batch *batch)
{
    bvp_hierarchy_spec specs[KINDS];
    const uint32_t leaf_size = 1 + (uint32_t)case_int(8);
    for (int k = 0; k < KINDS; k++)
        specs[k] = (bvp_hierarchy_spec){.kind = kinds[k], .leaf_size = leaf_size};
    const bvp_build_options options = {.thread_count = 1,
                                       .leaf_size = leaf_size,
                                       .hierarchies = specs,
                                       .hierarchy_count = KINDS,
                                       .deformable = 0};
    bvp_builder *builder;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int k = 0; k < PARTS; k++) {
        range_mesh *mesh = &batch->mesh[k];
        range_make(mesh);
        const bvp_mesh soup = {
            .positions = mesh->tri, .vertex_count = 3 * mesh->count, .triangle_count = mesh->count};
        bvp_error error = {0};
        bvp_status status = bvp_builder_add_part(builder, &soup, &batch->part[k], &error);
        ck_assert_msg(status == BVP_OK, "%s", error.message);
    }
    batch_assemble(batch, builder);
    batch->file = finish(builder);
    const int baseline = case_int(2);
    batch->by[0] = open_by(&batch->file, BVP_KIND_WIDE, BVP_TEST_DEFAULT, baseline);
    for (int k = 0; k < WAYS; k++)
        batch->by[1 + k] = open_by(&batch->file, ways[k].kind, ways[k].test, baseline);
    batch_read(batch);
}

static inline void batch_free(batch *batch)
{
    for (int k = 0; k < ROUTES; k++)
        bvp_close(batch->by[k]);
    free(batch->file.data);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static inline void side_add(side *s, const range_mesh *mesh, const double m[12])
{
    const uint32_t i = s->instance_count++;
    s->mesh[i] = mesh;
    memcpy(s->placement[i], m, sizeof s->placement[i]);
    memset(s->size[i], 0, sizeof s->size[i]);
    for (uint64_t k = 0; k < 9 * mesh->count; k++)
        s->size[i][k % 3] = fmax(s->size[i][k % 3], fabs((double)mesh->tri[k]));
    for (uint64_t k = 0; k < mesh->count; k++)
        range_place(&s->tri[s->first[i] + k], mesh->tri + 9 * k, s->placement[i]);
    s->first[i + 1] = s->first[i] + mesh->count;
}

static inline void side_of_part(side *s, const batch *batch, int part, const double m[12])
{
    s->instance_count = 0;
    s->first[0] = 0;
    memcpy(s->m, m, sizeof s->m);
    side_add(s, &batch->mesh[part], m);
    s->body = (bvp_body){.part = batch->part[part], .placement = s->m};
}

/* The instances as they are, or 2^scale times as large, which is exact. */
static inline void side_of_assembly(side *s, const batch *batch, int scale)
{
    s->instance_count = 0;
    s->first[0] = 0;
    for (int i = 0; i < INSTANCES; i++) /* a product beyond the range is refused */
        for (int k = 0; k < 12; k++)
            if (!(fabs(ldexp(batch->placement[i][k], scale)) <= 0x1p200))
                scale = 0;
    case_identity(s->m);
    case_scale(s->m, ldexp(1, scale));
    for (int i = 0; i < INSTANCES; i++) {
        double m[12];
        for (int k = 0; k < 12; k++)
            m[k] = ldexp(batch->placement[i][k], scale);
        side_add(s, batch->placed[i], m);
    }
    s->body = (bvp_body){.part = BVP_ASSEMBLY, .placement = scale == 0 ? NULL : s->m};
}

static inline uint32_t instance_of(const side *s, uint64_t k)
{
    uint32_t i = 0;
    while (k >= s->first[i + 1])
        i++;
    return i;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/* Is this pair of triangles asked? */
static inline bool asks(const scene *s, uint64_t k, uint64_t l)
{
    return !s->is_self || instance_of(&s->a, k) < instance_of(&s->b, l);
}

static inline void scene_meet(scene *s)
{
    s->asked = s->meeting = 0;
    for (uint64_t k = 0; k < s->a.first[s->a.instance_count]; k++)
        for (uint64_t l = 0; l < s->b.first[s->b.instance_count]; l++) {
            s->meet[k][l] = 0;
            if (!asks(s, k, l))
                continue;
            s->meet[k][l] = (uint8_t)range_meet(&s->a.tri[k], &s->b.tri[l]);
            s->meeting += s->meet[k][l] != 0;
            s->asked++;
        }
}

/* A part near the assembly: a third of them the second instance's again. */
static inline void place_near_assembly(scene *s, const batch *batch)
{
    int part = case_int(PARTS), lo = -1000, hi = 1000;
    double m[12], turn[12];
    range_worlds(&batch->mesh[part], &lo, &hi);
    if (case_int(3) == 0 || batch->world < lo || batch->world > hi) {
        part = (int)(batch->placed[1] - batch->mesh);
        memcpy(m, batch->placement[1], sizeof m);
    } else {
        range_turn(turn);
        range_scale(&batch->mesh[part], turn, batch->world, m);
    }
    if (case_int(3) != 0)
        range_bring(batch->placed[0], batch->placement[0], &batch->mesh[part], m);
    side_of_part(&s->b, batch, part, m);
}

static inline void scene_init(scene *s, const batch *batch)
{
    const int kind = case_int(8);
    s->is_self = kind == 0;
    s->world = batch->world;
    if (kind == 0) {
        side_of_assembly(&s->a, batch, case_int(2) ? case_int(5) - 2 : 0);
        s->b = s->a;
    } else if (kind == 1) {
        side_of_assembly(&s->a, batch, 0);
        place_near_assembly(s, batch);
    } else {
        const int i = case_int(PARTS), j = case_int(4) ? case_int(PARTS) : i;
        double ma[12], mb[12];
        range_place_pair(&batch->mesh[i], &batch->mesh[j], ma, mb, &s->world);
        if (i == j && case_int(2)) /* a part and itself */
            memcpy(mb, ma, sizeof mb);
        side_of_part(&s->a, batch, i, ma);
        side_of_part(&s->b, batch, j, mb);
    }
    scene_meet(s);
}

/* The largest coordinate of two instances relative to one another: bvpack.h, "reach". */
static inline long double reach_of(const scene *s, uint32_t i, uint32_t j)
{
    long double reach = 0;
    for (int x = 0; x < 3; x++) {
        const double *a = s->a.placement[i] + 4 * x, *b = s->b.placement[j] + 4 * x;
        long double sum = fabsl((long double)b[3] - a[3]);
        for (int k = 0; k < 3; k++)
            sum += fabsl((long double)a[k] * s->a.size[i][k]) +
                   fabsl((long double)b[k] * s->b.size[j][k]);
        reach = fmaxl(reach, sum);
    }
    return reach;
}

#endif
