/* SPDX-License-Identifier: MIT
 * test_clash_sweep.c: bolts in holes, turned anyhow: all that a run reports equals asking each pair
 * alone, where thresholds lie between poses that are nearly one; what a part sweeps holds it, and
 * what is said to be clear of it is; what is known is used; and a piece beyond what the other part
 * sweeps is outside of it, as one within may not be.
 */
#include "suite.h"

#include "clash/contacts.h"
#include "clash/known_apart.h"
#include "clash/sweep.h"
#include "clash_case.h"

enum { BOLTS = 60, PAIRS_MOST = 4 * BOLTS };

static double between(uint64_t *seed, double lo, double hi)
{
    return lo + (hi - lo) * case_uniform(seed);
}

static double pick(uint64_t *seed, const double *from, unsigned count)
{
    return from[case_random(seed) % count];
}

/* A head with six sides below 0, a shaft above; bump: of the shaft's first corner, outward. */
static void make_bolt(solid *s, double shaft, double bump, int sides, double length)
{
    double polygon[64][2];
    s->count = 0;
    solid_cylinder(s, 1.75 * shaft, 6, -shaft, 0);
    for (int i = 0; i < sides; i++) {
        const double radius = shaft + (i == 0 ? bump : 0);
        polygon[i][0] = radius * cos(2 * M_PI * i / sides);
        polygon[i][1] = radius * sin(2 * M_PI * i / sides);
    }
    solid_prism(s, (const double(*)[2])polygon, sides, 0, length);
}

static void random_rotation(uint64_t *seed, double m[12])
{
    double q[4], size = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = between(seed, -1, 1);
        size += q[i] * q[i];
    }
    size = sqrt(size);
    const double w = q[0] / size, x = q[1] / size, y = q[2] / size, z = q[3] / size;
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            m[4 * i + k] = r[3 * i + k];
}

/* ---- whole runs ------------------------------------------------------------------------------ */

static const bvp_clash_limits limits = {.3, 1e-3, 1e-3};

/* Plates far from one another, a bolt or a rod in each: in the same pose but for the turn and some
 * of the touch gap. The hole leaves the shaft about the touch gap, or the gap and what poses may
 * differ.
 */
static case_file make_plates(uint64_t *seed)
{
    static const double shares[] = {0, .05, .3, .6, 1.5}, bumps[] = {0, 0, 1e-4, 1e-2};
    static const double heights[] = {0, 0, 2e-4, 1.3e-3, .1}, offsets[] = {100, 1e3, 1e6};
    static solid plate, bolt;
    const double gap = limits.touch_gap, far = gap * pick(seed, shares, 5);
    const int sides = 8 + 4 * (int)(case_random(seed) % 3);
    const double free_way = gap * between(seed, .5, 2.2), height = pick(seed, heights, 5);
    assembly all = assembly_new((double[12]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    plate.count = 0;
    solid_plate(&plate, 1, (.25 + free_way) / cos(M_PI / sides), sides, 0, .5);
    bolt.count = 0;
    if (case_random(seed) % 4 == 0)
        solid_cylinder(&bolt, .25, sides, -1.5, 1.5);
    else
        make_bolt(&bolt, .25, pick(seed, bumps, 4) * .25, sides, 1);
    random_rotation(seed, all.world);
    const double offset = pick(seed, offsets, 3);
    for (int k = 0; k < 3; k++)
        all.world[4 * k + 3] = offset * between(seed, -1, 1);
    const uint32_t plates = assembly_part(&all, &plate), bolts = assembly_part(&all, &bolt);
    for (int i = 0; i < BOLTS; i++) {
        const double turn = between(seed, 0, 2 * M_PI), c = cos(turn), s = sin(turn);
        const double x = 4 * (i % 8), y = 4 * (double)(i / 8);
        assembly_place(&all, plates, (double[12]){1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, 0});
        assembly_place(&all, bolts,
                       (double[12]){c, -s, 0, x + far * between(seed, -1, 1), s, c, 0,
                                    y + far * between(seed, -1, 1), 0, 0, 1,
                                    far * between(seed, -1, 1) - height});
    }
    return case_finish(all.builder);
}

typedef struct list {
    bvp_clash_pair pairs[PAIRS_MOST];
    uint32_t count;
} list;

static int add(void *user, const bvp_clash_pair *pair)
{
    list *l = user;
    if (l->count < PAIRS_MOST)
        l->pairs[l->count++] = *pair;
    return 0;
}

/* How many pairs differ from asking each alone. */
static unsigned compare_run(const bvp_file *file, bvp_clash_detail detail, uint32_t threads,
                            list *l)
{
    const bvp_clash_scene scene = {.a = file};
    const bvp_clash_options options = {.limits = limits, .detail = detail, .thread_count = threads};
    unsigned wrong = 0;
    l->count = 0;
    ck_assert_int_eq(bvp_clash(&scene, &options, add, l, NULL, NULL), BVP_OK);
    for (uint32_t i = 0; i < l->count; i++) {
        bvp_clash_pair one;
        const bvp_status status =
            bvp_clash_one(&scene, l->pairs[i].a, l->pairs[i].b, &limits, detail, &one);
        wrong += status != BVP_OK || memcmp(&one, &l->pairs[i], sizeof one) != 0;
    }
    return wrong;
}

/* Sums the verdicts of all pairs that are not clear. */
static uint32_t count_all(const bvp_file *file, uint64_t verdicts[BVP_VERDICT_COUNT])
{
    const bvp_clash_scene scene = {.a = file};
    uint32_t count = 0;
    for (uint32_t a = 0; a < 2 * BOLTS; a++)
        for (uint32_t b = a + 1; b < 2 * BOLTS; b++) {
            bvp_clash_pair one;
            if (bvp_clash_one(&scene, a, b, &limits, BVP_CLASH_VERDICTS, &one) != BVP_OK)
                return UINT32_MAX;
            verdicts[one.verdict]++;
            count += one.verdict != BVP_VERDICT_CLEAR;
        }
    return count;
}

START_TEST(equals_asking_every_pair)
{
    static list l;
    uint64_t seed = case_seed(), verdicts[BVP_VERDICT_COUNT] = {0};
    for (int k = 0; k < 24; k++) {
        case_file file = make_plates(&seed);
        const uint32_t count = count_all(file.file, verdicts);
        for (int detail = 0; detail <= BVP_CLASH_VERDICTS; detail++)
            for (uint32_t threads = 1; threads <= 2; threads++) {
                ck_assert_uint_eq(compare_run(file.file, (bvp_clash_detail)detail, threads, &l), 0);
                ck_assert_uint_eq(l.count, count);
            }
        case_close(&file);
    }
    ck_assert_uint_gt(verdicts[BVP_VERDICT_WITHIN], 0);
    ck_assert_uint_gt(verdicts[BVP_VERDICT_TOUCHING], 0);
}
END_TEST

/* ---- what is known --------------------------------------------------------------------------- */

/* What judging counts. */
typedef struct counts {
    uint64_t hits;
    unsigned pairs, wrong;
} counts;

/* Judges all near pairs of a file in turn, with what is known and without, as one thread does. */
static void judge_all(const bvp_file *file, bvp_clash_detail detail, counts *sum)
{
    static bvpi_contacts contacts;
    bvpi_clash_scene scene;
    bvpi_clash_judge knows, asks;
    bvpi_clash_item item[2];
    ck_assert_int_eq(bvpi_clash_scene_init(&scene, file, NULL, NULL, limits.clearance, NULL),
                     BVP_OK);
    bvpi_clash_judge_init(&knows, file, file, &contacts);
    asks = knows;
    knows.known = bvpi_known_apart_new();
    ck_assert_ptr_nonnull(knows.known);
    for (uint32_t a = 0; a < 2 * BOLTS; a++)
        for (uint32_t b = a + 1; b < 2 * BOLTS; b++) {
            bvp_clash_pair pairs[2];
            bvpi_clash_judge *judges[2] = {&knows, &asks};
            if (bvpi_clash_item_init(&item[0], &scene, false, a, NULL, NULL) != BVP_OK ||
                bvpi_clash_item_init(&item[1], &scene, true, b, NULL, NULL) != BVP_OK)
                sum->wrong++;
            if (!bvpi_clash_is_near(&item[0].bounds, &item[1].bounds, limits.clearance))
                continue;
            memset(pairs, 0, sizeof pairs);
            for (int k = 0; k < 2; k++) {
                pairs[k].limits = limits;
                judges[k]->a = NULL;
                bvpi_clash_judge_set(judges[k], &item[0], &item[1]);
                sum->wrong += bvpi_clash_judge_pair(judges[k], detail, &pairs[k]) != BVP_OK;
            }
            sum->wrong += memcmp(&pairs[0], &pairs[1], sizeof pairs[0]) != 0;
            sum->pairs++;
        }
    sum->hits += bvpi_known_apart_hits(knows.known);
    free(knows.known);
    bvpi_clash_scene_free(&scene);
}

START_TEST(what_is_known_is_used)
{
    uint64_t seed = case_seed();
    counts sum = {0};
    for (int k = 0; k < 60; k++) {
        case_file file = make_plates(&seed);
        judge_all(file.file, k % 2 ? BVP_CLASH_VERDICTS : BVP_CLASH_DISTANCE, &sum);
        case_close(&file);
    }
    ck_assert_uint_eq(sum.wrong, 0);
    ck_assert_uint_gt(sum.pairs, 1000);
    ck_assert_uint_gt(sum.hits, sum.pairs / 8);
}
END_TEST

/* ---- pieces beyond a sweep ------------------------------------------------------------------- */

/* A flange with a neck, turned anyhow, and a small cube beside it, or in it. */
static unsigned judge_beside_neck(uint64_t *seed, unsigned *enclosed)
{
    enum { SIDES = 24 };
    static solid spool, cube;
    static const double world[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double wide = between(seed, .5, 1), narrow = between(seed, .1, .4), half = .01;
    const double angle = between(seed, 0, 2 * M_PI), radius = between(seed, 0, 1);
    const double height = between(seed, -.1, 1.1), level = between(seed, .2, .6);
    const double at = height > level ? narrow : wide, far = 2 * half, share = cos(M_PI / SIDES);
    const bool is_in =
        radius < at * share - far && height > far && height < 1 - far && fabs(height - level) > far;
    const bool is_out = radius > at + far || height < -far || height > 1 + far;
    double m[12] = {0};
    spool.count = cube.count = 0;
    solid_cylinder(&spool, wide, SIDES, 0, level);
    solid_cylinder(&spool, narrow, SIDES, level, 1);
    const double x = radius * cos(angle), y = radius * sin(angle);
    solid_box(&cube, (double[3]){x - half, y - half, height - half},
              (double[3]){x + half, y + half, height + half}, 0, -1);
    if (!is_in && !(is_out && (fabs(height - level) > far || radius > wide + far)))
        return 0; /* they may meet */
    random_rotation(seed, m);
    for (int k = 0; k < 3; k++)
        m[4 * k + 3] = between(seed, -1e4, 1e4);
    assembly all = assembly_new(world);
    assembly_place(&all, assembly_part(&all, &spool), m);
    assembly_place(&all, assembly_part(&all, &cube), m);
    case_file file = case_finish(all.builder);
    bvp_clash_pair pair;
    const bvp_status status =
        bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &limits, BVP_CLASH_VERDICTS, &pair);
    case_close(&file);
    *enclosed += is_in;
    return status != BVP_OK || (pair.verdict == BVP_VERDICT_ENCLOSED) != is_in;
}

START_TEST(a_piece_beyond_is_outside)
{
    uint64_t seed = case_seed();
    unsigned wrong = 0, enclosed = 0;
    for (int k = 0; k < 1500; k++)
        wrong += judge_beside_neck(&seed, &enclosed);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_gt(enclosed, 100);
}
END_TEST

/* ---- a sweep --------------------------------------------------------------------------------- */

static const bvpi_sweep *get_sweep(const solid *s, case_file *file, bvpi_part_cache *cache)
{
    const bvpi_sweep *sweep;
    assembly all = assembly_new((double[12]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    assembly_part(&all, s);
    *file = case_finish(all.builder);
    ck_assert_int_eq(bvpi_part_cache_init(cache, file->file), BVP_OK);
    ck_assert_int_eq(bvpi_sweep_get(cache, 0, &sweep), BVP_OK);
    return sweep;
}

static void random_point(uint64_t *seed, const float tri[9], double out[3])
{
    const double u = case_uniform(seed), v = case_uniform(seed) * (1 - u);
    for (int i = 0; i < 3; i++)
        out[i] = (double)tri[i] * (1 - u - v) + (double)tri[3 + i] * u + (double)tri[6 + i] * v;
}

/* How far a point is outside of the nearest slab; 0 in one. */
static double outside(const bvpi_placed_sweep *placed, const double point[3])
{
    double height = 0, across_sq = 0, least = INFINITY;
    for (int i = 0; i < 3; i++)
        height += (point[i] - placed->centre[i]) * placed->axis[i];
    for (int i = 0; i < 3; i++) {
        const double across = point[i] - placed->centre[i] - height * placed->axis[i];
        across_sq += across * across;
    }
    for (uint32_t k = 0; k < placed->sweep->slab_count; k++) {
        const struct bvpi_sweep_slab *slab = &placed->sweep->slab[k];
        const double up = fmax(fmax(slab->from - height, height - slab->to), 0);
        least = fmin(least, hypot(up, fmax(sqrt(across_sq) - slab->radius, 0)));
    }
    return least;
}

START_TEST(a_sweep_holds_its_part)
{
    static solid s;
    uint64_t seed = case_seed();
    double most = 0;
    for (int k = 0; k < 60; k++) {
        const double length = between(&seed, .1, 8);
        case_file file;
        bvpi_part_cache cache;
        make_bolt(&s, .25, 0, 5 + (int)(case_random(&seed) % 12), length);
        double m[12];
        random_rotation(&seed, m);
        for (uint32_t i = 0; i < 3 * s.count; i++) { /* any axis */
            const float p[3] = {s.soup[3 * i], s.soup[3 * i + 1], s.soup[3 * i + 2]};
            for (int j = 0; j < 3; j++)
                s.soup[3 * i + (uint32_t)j] =
                    (float)(m[4 * j] * (double)p[0] + m[4 * j + 1] * (double)p[1] +
                            m[4 * j + 2] * (double)p[2] + 3);
        }
        const bvpi_sweep *sweep = get_sweep(&s, &file, &cache);
        ck_assert(sweep->is_round);
        bvpi_placed_sweep placed = {.sweep = sweep};
        memcpy(placed.centre, sweep->centre, sizeof placed.centre);
        memcpy(placed.axis, sweep->axis, sizeof placed.axis);
        for (int i = 0; i < 2000; i++) {
            double point[3];
            random_point(&seed, s.soup + 9 * (case_random(&seed) % s.count), point);
            most = fmax(most, outside(&placed, point));
        }
        /* and hardly more: the shaft's slab is as narrow as the shaft, when that is long */
        if (length > 2)
            ck_assert(sweep->volume < .4375 * .4375 * .26 + .26 * .26 * length * 1.01);
        bvpi_part_cache_free(&cache);
        case_close(&file);
    }
    ck_assert_msg(most <= 1e-11, "%g outside", most);
}
END_TEST

START_TEST(what_is_clear_is_far)
{
    static solid s;
    uint64_t seed = case_seed();
    unsigned clear = 0, wrong = 0, near = 0;
    case_file file;
    bvpi_part_cache cache;
    make_bolt(&s, .25, 0, 8, 1);
    const bvpi_sweep *sweep = get_sweep(&s, &file, &cache);
    for (int k = 0; k < 200000; k++) {
        bvpi_placed_sweep placed = {.sweep = sweep, .centre = {0, 0, 0}};
        double m[12], least = INFINITY;
        float tri[9];
        const double size = k % 4 == 0 ? 3 : .3, margin = between(&seed, .001, .2);
        random_rotation(&seed, m);
        for (int i = 0; i < 3; i++)
            placed.axis[i] = m[4 * i];
        for (int i = 0; i < 3; i++) {
            const double middle = between(&seed, -.8, .8);
            for (int c = 0; c < 9; c += 3)
                tri[c + i] = (float)(middle + size * between(&seed, -1, 1));
        }
        const bool is_clear = bvpi_sweep_is_clear(&placed, margin, tri, 1);
        for (int i = 0; i < 40; i++) {
            double point[3];
            random_point(&seed, tri, point);
            least = fmin(least, outside(&placed, point));
        }
        clear += is_clear;
        near += is_clear && least < 1.5 * margin;
        wrong += is_clear && least < margin;
    }
    bvpi_part_cache_free(&cache);
    case_close(&file);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_gt(clear, 20000);
    ck_assert_uint_gt(near, 1000); /* it says so whenever it can */
}
END_TEST

SUITE(test_clash_sweep)
{
    const TTest *const list[] = {equals_asking_every_pair,  what_is_known_is_used,
                                 a_piece_beyond_is_outside, a_sweep_holds_its_part,
                                 what_is_clear_is_far,      NULL};
    return suite_run("clash_sweep", list);
}
