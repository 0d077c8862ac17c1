/* SPDX-License-Identifier: MIT
 * test_first_pick.c: how much of a file from afar its first answer takes: opening, the first ray
 * and the name of what it hits, in a plant of many instances. Reads and bytes are counted, and the
 * round trips of a source that fetches what it is told beside what it is asked for.
 */
#include "source_case.h"

#include <math.h>
#include <stdio.h>

enum { PARTS = 300, INSTANCES = 60000, RAYS = 40, CACHE = 64 << 20, RANGES = 400 };

static double between(uint64_t *state, double from, double to)
{
    return from + (to - from) * case_uniform(state);
}

/* A turn about z and one about x; three of four stand in one of few ways. */
static void turn(uint64_t *state, double m[12])
{
    const bool plain = case_random(state) % 4 != 0;
    const double quarter = 1.5707963267948966;
    double a[2];
    for (int k = 0; k < 2; k++)
        a[k] = plain ? (double)(case_random(state) % 4) * quarter / 2 : between(state, 0, 6);
    const double c = cos(a[0]), s = sin(a[0]), d = cos(a[1]), t = sin(a[1]);
    const double r[9] = {c, -s * d, s * t, s, c * d, -c * t, 0, t, d};
    for (int k = 0; k < 9; k++)
        m[4 * (k / 3) + k % 3] = r[k];
}

/* Most instances are of few parts, whose numbers are not neighbours. */
static uint32_t any_part(uint64_t *state)
{
    const double u = case_uniform(state);
    return (uint32_t)(PARTS * u * u * u * u) * 7 % PARTS;
}

/* The names of a plant, and instances in a flat box, some above the others. */
static case_file make_plant(void)
{
    uint64_t state = 5;
    bvp_builder *builder;
    uint32_t part, node;
    char name[64];
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    for (int k = 0; k < PARTS; k++) {
        const uint32_t count = 20 + (uint32_t)(case_random(&state) % 200);
        float *soup = case_soup(&state, count, 4, 1.5);
        const bvp_mesh mesh = case_mesh(soup, count);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        free(soup);
    }
    for (int i = 0; i < INSTANCES; i++) {
        double m[12];
        turn(&state, m);
        m[3] = between(&state, 0, 1000);
        m[7] = between(&state, 0, 600);
        m[11] = between(&state, 0, 60);
        snprintf(name, sizeof name, "pump %d", i % 997);
        const bvp_new_node made = {
            .parent = BVP_NONE, .name = name, .placement = m, .part = any_part(&state)};
        ck_assert_int_eq(bvp_builder_add_node(builder, &made, &node, NULL), BVP_OK);
    }
    return case_finish(builder);
}

/* Ranges that a source has been told of, and fetches meanwhile; or that have arrived. */
typedef struct line {
    source_case of; /* first: its functions are called with this */
    uint64_t from[RANGES], to[RANGES];
    int count;
    bool waits;           /* what is not here is BVP_ERR_AGAIN */
    int arrived;          /* of the ranges */
    uint64_t trips, told; /* round trips; hints */
} line;

static bool has_range(const line *l, int count, uint64_t from, uint64_t to)
{
    for (int k = 0; k < count; k++)
        if (l->from[k] <= from && to <= l->to[k])
            return true;
    return false;
}

static void take_range(line *l, uint64_t from, uint64_t to)
{
    ck_assert_int_lt(l->count, RANGES);
    l->from[l->count] = from;
    l->to[l->count++] = to;
}

static bvp_status read_line(void *user, uint64_t offset, uint64_t size, void *out, bvp_error *error)
{
    line *l = user;
    const bool is_here = has_range(l, l->waits ? l->arrived : l->count, offset, offset + size);
    const bool is_coming = has_range(l, l->count, offset, offset + size);
    if (!is_coming)
        take_range(l, offset, offset + size);
    if (!is_here && l->waits) {
        l->of.refused++;
        return BVP_ERR_AGAIN;
    }
    l->trips += !is_here;
    return source_case_read(&l->of, offset, size, out, error);
}

static void hint_line(void *user, uint64_t offset, uint64_t size)
{
    line *l = user;
    source_case_hint(&l->of, offset, size);
    if (has_range(l, l->count, offset, offset + size)) {
        ck_assert(l->waits); /* a call that is made again may say what has been fetched for it */
        return;
    }
    l->told++;
    take_range(l, offset, offset + size);
}

typedef struct counts {
    uint64_t reads, trips, bytes; /* reads and bytes with what was told, wanted or not */
    uint64_t hits;
} counts;

/* What all that goes over the line comes to. */
static void add_line(const line *l, counts *sum, counts *worst)
{
    counts c = {.reads = (uint64_t)l->count, .trips = l->trips};
    for (int k = 0; k < l->count; k++)
        c.bytes += l->to[k] - l->from[k];
    sum->reads += c.reads;
    sum->trips += c.trips;
    sum->bytes += c.bytes;
    worst->reads = c.reads > worst->reads ? c.reads : worst->reads;
    worst->trips = c.trips > worst->trips ? c.trips : worst->trips;
    worst->bytes = c.bytes > worst->bytes ? c.bytes : worst->bytes;
}

static bvp_ray any_ray(const bvp_file_info *info, uint64_t *state)
{
    bvp_ray ray = {.t_max = INFINITY};
    for (int k = 0; k < 3; k++) {
        const double size = info->hi[k] - info->lo[k];
        const double to = info->lo[k] + size * between(state, 0.3, 0.7);
        ray.origin[k] = k == 2 ? info->hi[2] + 100 : to + 0.3 * size;
        ray.direction[k] = to - ray.origin[k];
    }
    return ray;
}

/* The ray, and the name; again until all bytes are here. */
static bool pick(line *l, const bvp_file *file, const bvp_ray *ray, bvp_ray_hit *hit)
{
    const bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    bvp_status status;
    while ((status = bvp_ray_first(&body, ray, hit, NULL)) == BVP_ERR_AGAIN) {
        l->arrived = l->count;
        l->trips++;
    }
    ck_assert_int_eq(status, BVP_OK);
    if (!hit->found)
        return false;
    bvp_instance_info instance;
    bvp_node_info node;
    while ((status = bvp_get_instance(file, hit->id.instance, &instance)) == BVP_ERR_AGAIN ||
           (status == BVP_OK &&
            (status = bvp_get_node(file, instance.node, &node)) == BVP_ERR_AGAIN)) {
        l->arrived = l->count;
        l->trips++;
    }
    ck_assert_int_eq(status, BVP_OK);
    ck_assert_uint_gt(node.name.size, 0);
    return true;
}

static void pick_all(const case_file *f, bool with_hints, bool waits, counts *sum, counts *worst)
{
    uint64_t state = 3;
    for (int i = 0; i < RAYS; i++) {
        line *l = calloc(1, sizeof *l);
        l->of = source_case_of(f->bytes, f->size);
        l->waits = waits;
        const bvp_source source = {.size = f->size,
                                   .read = read_line,
                                   .hint = with_hints ? hint_line : NULL,
                                   .close = source_case_close,
                                   .user = l};
        bvp_file *file = NULL;
        bvp_status status;
        while ((status = bvp_open_source(&source, NULL, &file, NULL)) == BVP_ERR_AGAIN) {
            l->arrived = l->count;
            l->trips++;
        }
        ck_assert_int_eq(status, BVP_OK);
        bvp_file_info info;
        bvp_get_info(file, &info);
        const bvp_ray ray = any_ray(&info, &state);
        const bvp_body body = {.file = f->file, .part = BVP_ASSEMBLY};
        bvp_ray_hit hit, expected;
        sum->hits += pick(l, file, &ray, &hit);
        ck_assert_int_eq(bvp_ray_first(&body, &ray, &expected, NULL), BVP_OK);
        ck_assert_int_eq(memcmp(&hit, &expected, sizeof hit), 0);
        add_line(l, sum, worst);
        bvp_close(file);
        free(l);
    }
    if (getenv("BVP_COUNTS"))
        printf("hints %d waits %d: reads %.2f, %llu; trips %.2f, %llu; bytes %.0f, %llu; hits "
               "%llu\n",
               with_hints, waits, (double)sum->reads / RAYS, (unsigned long long)worst->reads,
               (double)sum->trips / RAYS, (unsigned long long)worst->trips,
               (double)sum->bytes / RAYS, (unsigned long long)worst->bytes,
               (unsigned long long)sum->hits);
}

START_TEST(first_picks_take_few_reads)
{
    case_file f = make_plant();
    counts alone[2] = {{0}}, beside[2] = {{0}}, waiting[2] = {{0}};
    pick_all(&f, false, false, &alone[0], &alone[1]);
    pick_all(&f, true, false, &beside[0], &beside[1]);
    pick_all(&f, true, true, &waiting[0], &waiting[1]);
    ck_assert_uint_gt(alone[0].hits, RAYS * 3 / 4);
    /* 749 and 31 when this was written; without a block of hierarchies with the top's record 781,
     * with them in the parts' order 796 */
    ck_assert_uint_le(alone[0].reads, 755);
    ck_assert_uint_le(alone[1].reads, 32);
    ck_assert_uint_le(alone[1].bytes, 36 * BVPD_BLOCK_SIZE);
    ck_assert_uint_eq(alone[0].trips, alone[0].reads);
    /* 657; without the records that an instance expects, or what walks expect, 735 */
    ck_assert_uint_le(beside[0].trips, 660);
    ck_assert_uint_le(beside[1].trips, 28);
    ck_assert_uint_le(beside[0].bytes, alone[0].bytes * 11 / 10);
    ck_assert_uint_le(waiting[0].trips, 660);
    case_close(&f);
}
END_TEST

SUITE(test_first_pick)
{
    const TTest *const tests[] = {first_picks_take_few_reads, NULL};
    return suite_run_within("first_pick", 120, tests);
}
