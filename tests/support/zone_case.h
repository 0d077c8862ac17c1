/* SPDX-License-Identifier: MIT
 * zone_case.h: scenes of instances and convex zones at random, and what a clash of them reports.
 */
#ifndef ZONE_CASE_H
#define ZONE_CASE_H

#include "clash_case.h"

enum { INSTANCES = 80, ZONES = 30, PAIRS_MOST = INSTANCES * ZONES, PARTS = 6 };

static const double zone_home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* ---- scenes ---------------------------------------------------------------------------------- */

static inline void zone_turn(uint64_t *state, double m[12])
{
    double q[4], length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = 2 * case_uniform(state) - 1;
        length += q[i] * q[i];
    }
    const double s = 2 / length, w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                         s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                         s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        m[4 * (i / 3) + i % 3] = r[i];
}

/* A box, a cylinder, a plate with a hole, a box with a cavity, an open box, and two boxes apart. */
static inline case_file zone_scene(uint64_t seed, double spread, int is_turned)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {2, 1, 1}, more[3] = {3, 3, 3};
    static const double in[3] = {.5, .5, .5}, out[3] = {2.5, 2.5, 2.5};
    static const double far_lo[3] = {5, 0, 0}, far_hi[3] = {6, 1, 1};
    static solid s[PARTS];
    assembly all = assembly_new(zone_home);
    uint32_t part[PARTS];
    for (int i = 0; i < PARTS; i++)
        s[i].count = 0;
    solid_box(&s[0], lo, hi, 0, -1);
    solid_cylinder(&s[1], 1, 16, 0, 2);
    solid_plate(&s[2], 2, 1, 16, 0, .5);
    solid_box(&s[3], lo, more, 0, -1);
    solid_box(&s[3], in, out, 1, -1);
    solid_box(&s[4], lo, more, 0, 5);
    solid_box(&s[5], lo, hi, 0, -1);
    solid_box(&s[5], far_lo, far_hi, 0, -1);
    for (int i = 0; i < PARTS; i++)
        part[i] = assembly_part(&all, &s[i]);
    for (int i = 0; i < INSTANCES; i++) {
        double m[12];
        memcpy(m, zone_home, sizeof m);
        if (is_turned && i % 4 != 0)
            zone_turn(&seed, m);
        for (int k = 0; k < 3; k++)
            m[4 * k + 3] = floor(case_uniform(&seed) * spread * 2) / 2;
        assembly_place(&all, part[case_random(&seed) % PARTS], m);
    }
    return case_finish(all.builder);
}

typedef struct zone_set {
    double m[ZONES][12], points[ZONES][27];
    bvp_clash_zone zones[ZONES];
    bvp_const_array array;
} zone_set;

/* Of all sizes from a point to more than the scene. */
static inline zone_set *zone_scene_zones(uint64_t seed, double spread)
{
    zone_set *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    for (int i = 0; i < ZONES; i++) {
        bvp_convex *shape = &c->zones[i].shape;
        const double size = i == 0 ? 4 * spread : exp2(6 * case_uniform(&seed) - 4);
        memcpy(c->m[i], zone_home, sizeof zone_home);
        if (i % 3 != 0)
            zone_turn(&seed, c->m[i]);
        for (int k = 0; k < 3; k++)
            c->m[i][4 * k + 3] = i % 4 == 1 ? floor(case_uniform(&seed) * spread * 2) / 2
                                            : case_uniform(&seed) * spread;
        *shape = (bvp_convex){.kind = (bvp_convex_kind)(1 + i % 5), .placement = c->m[i]};
        shape->radius = i % 7 == 6 ? 0 : size * case_uniform(&seed);
        shape->length = i % 7 == 5 ? 0 : 2 * size * case_uniform(&seed);
        for (int k = 0; k < 3; k++)
            shape->size[k] = i % 7 == k + 2 ? 0 : 2 * size * case_uniform(&seed);
        for (int k = 0; k < 27; k++) /* eight corners, and the middle */
            c->points[i][k] =
                k >= 24 ? 0 : shape->size[k % 3] * (((k / 3) >> (k % 3) & 1) ? .5 : -.5);
        shape->points = c->points[i];
        shape->point_count = 9;
        c->zones[i].name = "a zone";
    }
    c->array = (bvp_const_array){c->zones, 0, ZONES};
    return c;
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct zone_list {
    bvp_clash_pair pairs[PAIRS_MOST];
    uint32_t count, stop_at, done;
    bvp_clash_coverage seen;
} zone_list;

static inline int zone_list_add(void *user, const bvp_clash_pair *pair)
{
    zone_list *l = user;
    ck_assert_uint_lt(l->count, PAIRS_MOST);
    l->pairs[l->count++] = *pair;
    return l->count == l->stop_at;
}

static inline int zone_list_note(void *user, uint32_t done, uint32_t total,
                                 const bvp_clash_coverage *coverage)
{
    zone_list *l = user;
    ck_assert_uint_gt(done, l->done);
    ck_assert_uint_eq(total, INSTANCES);
    l->done = done;
    l->seen = *coverage;
    return 0;
}

static const bvp_clash_limits zone_limits = {.25, 1e-4, 1e-3};

static inline zone_list *zone_run(const bvp_file *file, const zone_set *zones,
                                  bvp_clash_options options, bvp_clash_coverage *sum)
{
    zone_list *l = calloc(1, sizeof *l);
    bvp_error error = {0};
    ck_assert_ptr_nonnull(l);
    options.zones = &zones->array;
    options.progress = zone_list_note;
    options.progress_user = l;
    const bvp_status status =
        bvp_clash(&(bvp_clash_scene){.a = file}, &options, zone_list_add, l, sum, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    return l;
}

#endif
