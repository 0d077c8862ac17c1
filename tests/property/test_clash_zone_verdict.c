/* SPDX-License-Identifier: MIT
 * test_clash_zone_verdict.c: verdicts about instances and convex zones, judged again without a
 * hierarchy: distances by bvp_convex_distance of the one instance, whole instances by their
 * corners, zones in solids by winding numbers, depth by points of the surface, in formulas for
 * boxes, balls, capsules and cylinders; a hull is that of a box. Some scenes are by hand.
 */
#include "suite.h"

#include "zone_case.h"

/* ---- brute force ----------------------------------------------------------------------------- */

/* How deep a point of the world lies in the zone; below 0: how far it is outside, or less. */
static double depth_in(const bvp_convex *zone, const double point[3])
{
    const double *m = zone->placement;
    double p[3] = {0}, from[3], least = INFINITY;
    for (int i = 0; i < 3; i++)
        from[i] = point[i] - m[4 * i + 3];
    for (int i = 0; i < 3; i++) /* a rotation's inverse is its transpose */
        for (int k = 0; k < 3; k++)
            p[i] += m[4 * k + i] * from[k];
    const double half = zone->length / 2, around = hypot(p[0], p[1]);
    switch (zone->kind) {
    case BVP_CONVEX_SPHERE:
        return zone->radius - hypot(around, p[2]);
    case BVP_CONVEX_CAPSULE:
        return zone->radius - hypot(around, fmax(fabs(p[2]) - half, 0));
    case BVP_CONVEX_CYLINDER:
        return fmin(zone->radius - around, half - fabs(p[2]));
    default:
        for (int i = 0; i < 3; i++)
            least = fmin(least, zone->size[i] / 2 - fabs(p[i]));
        return least;
    }
}

typedef struct surface {
    double corners[CASE_TRIANGLES][9];
    uint32_t count;
    int is_open;
    bvp_body body;
    bvp_instance_info at;
} surface;

static void read_surface(const bvp_file *file, uint32_t instance, surface *out)
{
    static float soup[9 * CASE_TRIANGLES];
    bvp_part_info info;
    uint64_t count;
    ck_assert_int_eq(bvp_get_instance(file, instance, &out->at), BVP_OK);
    ck_assert_int_eq(bvp_get_part(file, out->at.part, &info), BVP_OK);
    ck_assert_int_eq(
        bvp_get_triangles(file, out->at.part, (bvp_range){0, CASE_TRIANGLES}, soup, NULL, &count),
        BVP_OK);
    out->count = (uint32_t)count;
    out->is_open = info.open_edge_count > 0;
    out->body = (bvp_body){.file = file, .part = out->at.part, .placement = out->at.placement};
    for (uint32_t t = 0; t < out->count; t++)
        for (int k = 0; k < 9; k++) {
            const float *p = soup + 9 * t + k / 3 * 3;
            const double *row = out->at.placement + 4 * (k % 3);
            out->corners[t][k] =
                row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2] + row[3];
        }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The share of all directions that the surface covers, with its sign: 1 inside of a closed one.
 * Based on: van Oosterom, Strackee, The solid angle of a plane triangle, 1983. */
static double winding(const surface *s, const double point[3])
{
    double sum = 0;
    for (uint32_t t = 0; t < s->count; t++) {
        double v[3][3], length[3];
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++)
                v[k][i] = s->corners[t][3 * k + i] - point[i];
            length[k] = sqrt(dot(v[k], v[k]));
        }
        const double volume = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                              v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                              v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        const double below = length[0] * length[1] * length[2] + dot(v[0], v[1]) * length[2] +
                             dot(v[1], v[2]) * length[0] + dot(v[2], v[0]) * length[1];
        sum += 2 * atan2(volume, below);
    }
    return sum / (4 * M_PI);
}

enum { STEPS = 6 }; /* of each edge of a triangle, for points of it */

/* What is known of an instance in a zone. */
typedef struct facts {
    double distance;   /* of the surface and the zone */
    double deepest;    /* of points of the surface */
    double shallowest; /* of the corners: above 0, and all is inside */
    double turns;      /* winding number of the zone's middle */
} facts;

static facts find_facts(const surface *s, const bvp_convex *zone)
{
    facts f = {.distance = INFINITY, .deepest = -INFINITY, .shallowest = INFINITY};
    bvp_distance_result r;
    ck_assert_int_eq(bvp_convex_distance(&s->body, zone, INFINITY, &r, NULL), BVP_OK);
    ck_assert(r.found);
    f.distance = r.distance;
    for (uint32_t t = 0; t < s->count; t++)
        for (int u = 0; u <= STEPS; u++)
            for (int v = 0; u + v <= STEPS; v++) {
                const double a = (double)u / STEPS, b = (double)v / STEPS;
                const double *c = s->corners[t];
                double p[3];
                for (int i = 0; i < 3; i++)
                    p[i] = c[i] + a * (c[3 + i] - c[i]) + b * (c[6 + i] - c[i]);
                const double depth = depth_in(zone, p);
                f.deepest = fmax(f.deepest, depth);
                if (u % STEPS == 0 && v % STEPS == 0)
                    f.shallowest = fmin(f.shallowest, depth);
            }
    const double middle[3] = {zone->placement[3], zone->placement[7], zone->placement[11]};
    f.turns = winding(s, middle);
    return f;
}

#define NEAR 1e-9 /* rounding, in a scene of some tens of units */

/* Is a penetrating pair's proof one? */
static int is_proof(const surface *s, const bvp_convex *zone, const bvp_clash_pair *pair)
{
    bvp_closest_result nearest;
    if (!(pair->depth > pair->limits.overlap) || pair->depth_upper < pair->depth)
        return 0;
    ck_assert_int_eq(bvp_closest(&s->body, pair->point_a, INFINITY, &nearest, NULL), BVP_OK);
    if (nearest.distance > NEAR) /* the first witness is on the surface */
        return 0;
    if (memcmp(pair->point_a, pair->point_b, sizeof pair->point_a) == 0)
        return depth_in(zone, pair->point_a) >= pair->depth - NEAR;
    ck_assert_int_eq(bvp_closest(&s->body, pair->point_b, INFINITY, &nearest, NULL), BVP_OK);
    return !s->is_open && depth_in(zone, pair->point_b) >= -NEAR &&
           fabs(winding(s, pair->point_b)) > .5 && nearest.distance >= pair->depth - NEAR;
}

/* Counts verdicts that cannot be. */
static int check(const surface *s, const bvp_clash_zone *zone, const bvp_clash_pair *pair,
                 int is_measured)
{
    const facts f = find_facts(s, &zone->shape);
    const bvp_clash_limits *l = &pair->limits;
    const bvp_verdict v = pair->verdict;
    const int is_in = f.shallowest > -NEAR, is_surely_in = f.shallowest > NEAR;
    const int is_around = f.distance > NEAR && fabs(f.turns) > .5;
    const int is_hull = zone->shape.kind == BVP_CONVEX_HULL;
    if (is_surely_in || (is_around && !s->is_open && f.distance > l->touch_gap + NEAR))
        return v != BVP_VERDICT_ENCLOSED;
    switch (v) {
    case BVP_VERDICT_CLEAR:
        return f.distance < l->clearance - NEAR;
    case BVP_VERDICT_WITHIN:
        return f.distance > l->clearance + NEAR || f.distance < l->touch_gap - NEAR;
    case BVP_VERDICT_TOUCHING:
        return f.distance > l->touch_gap + NEAR || (!is_hull && f.deepest > l->overlap + NEAR);
    case BVP_VERDICT_PENETRATING:
        return f.distance > NEAR || !is_proof(s, &zone->shape, pair) ||
               (is_measured && !is_hull && pair->depth < f.deepest * (1 - 0x1p-9) - NEAR);
    case BVP_VERDICT_ENCLOSED:
        return !(is_in || is_around);
    case BVP_VERDICT_UNKNOWN:
        return !s->is_open || f.distance == 0;
    default:
        return 1;
    }
}

static void check_scene(uint64_t seed, bvp_clash_limits own, uint64_t said[BVP_VERDICT_COUNT])
{
    static surface s;
    case_file file = zone_scene(seed, 6, (int)(seed % 2));
    zone_set *zones = zone_scene_zones(seed + 1, 6);
    for (int detail = BVP_CLASH_DISTANCE; detail <= BVP_CLASH_VERDICTS; detail++) {
        const bvp_clash_options options = {.limits = own, .detail = (bvp_clash_detail)detail};
        zone_list *l = zone_run(file.file, zones, options, NULL);
        uint32_t at = 0;
        for (uint32_t a = 0; a < INSTANCES; a++) {
            read_surface(file.file, a, &s);
            for (uint32_t b = 0; b < ZONES; b++) {
                bvp_clash_pair pair = {.a = a, .b = b, .limits = own};
                if (at < l->count && l->pairs[at].a == a && l->pairs[at].b == b)
                    pair = l->pairs[at++];
                said[pair.verdict]++;
                ck_assert_msg(check(&s, &zones->zones[b], &pair, detail == BVP_CLASH_DISTANCE) == 0,
                              "seed %llu, detail %d: instance %u and zone %u are %s, depth %.17g",
                              (unsigned long long)seed, detail, a, b,
                              bvp_verdict_name(pair.verdict), pair.depth);
            }
        }
        ck_assert_uint_eq(at, l->count);
        free(l);
    }
    free(zones);
    case_close(&file);
}

START_TEST(verdicts_are_right)
{
    static const bvp_clash_limits some[] = {
        {.25, 1e-4, 1e-3}, {.5, 0, 0}, {0, .125, .2}, {1, .01, .75}};
    const uint64_t first = case_seed() + 11;
    uint64_t said[BVP_VERDICT_COUNT] = {0};
    for (uint64_t round = 0; round < 4; round++)
        check_scene(first + 100 * round + round % 2, some[round], said);
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        if (v != BVP_VERDICT_DUPLICATE)
            ck_assert_msg(said[v] >= 8, "%d pairs are %s", (int)said[v],
                          bvp_verdict_name((bvp_verdict)v));
    ck_assert_uint_eq(said[BVP_VERDICT_DUPLICATE], 0);
}
END_TEST

/* ---- scenes by hand -------------------------------------------------------------------------- */

typedef struct known {
    const char *what;
    bvp_convex shape;
    double at[3];
    bvp_verdict verdict;
} known;

/* A box from the origin to (4, 4, 4), closed or without its top. */
static void check_known(int skip, const known *cases, size_t count)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {4, 4, 4};
    static const bvp_clash_limits own = {.5, 1e-3, .1};
    static solid s;
    assembly all = assembly_new(zone_home);
    s.count = 0;
    solid_box(&s, lo, hi, 0, skip);
    assembly_put(&all, &s, 0, 0, 0);
    case_file file = case_finish(all.builder);
    for (size_t i = 0; i < count; i++) {
        double m[12];
        memcpy(m, zone_home, sizeof m);
        for (int k = 0; k < 3; k++)
            m[4 * k + 3] = cases[i].at[k];
        bvp_clash_zone zone = {.shape = cases[i].shape};
        zone.shape.placement = m;
        for (int detail = 0; detail <= BVP_CLASH_FAST_CONTACTS; detail++) {
            bvp_clash_pair pair;
            ck_assert_int_eq(
                bvp_clash_one_zone(file.file, 0, &zone, &own, (bvp_clash_detail)detail, &pair),
                BVP_OK);
            ck_assert_msg(pair.verdict == cases[i].verdict, "%s, detail %d: %s", cases[i].what,
                          detail, bvp_verdict_name(pair.verdict));
            const int is_listed =
                pair.verdict == BVP_VERDICT_PENETRATING || detail == BVP_CLASH_CONTACTS;
            const int is_meeting = (pair.verdict == BVP_VERDICT_TOUCHING && pair.distance == 0) ||
                                   pair.verdict == BVP_VERDICT_PENETRATING;
            if (detail >= BVP_CLASH_CONTACTS && is_meeting)
                ck_assert_int_eq(pair.triangle_pairs > 0, is_listed);
        }
    }
    case_close(&file);
}

#define BOX(x, y, z)                                                                               \
    {                                                                                              \
        .kind = BVP_CONVEX_BOX, .size = { x, y, z }                                                \
    }
#define BALL(r)                                                                                    \
    {                                                                                              \
        .kind = BVP_CONVEX_SPHERE, .radius = r                                                     \
    }
#define ROD(r, l)                                                                                  \
    {                                                                                              \
        .kind = BVP_CONVEX_CAPSULE, .radius = r, .length = l                                       \
    }

START_TEST(known_zones)
{
    static const known closed[] = {
        {"a box on top", BOX(1, 1, 1), {2, 2, 4.5}, BVP_VERDICT_TOUCHING},
        {"a box in the top, less than permitted", BOX(1, 1, 1), {2, 2, 4.41}, BVP_VERDICT_TOUCHING},
        {"a box in the top", BOX(1, 1, 1), {2, 2, 4.39}, BVP_VERDICT_PENETRATING},
        {"a box above", BOX(1, 1, 1), {2, 2, 4.7}, BVP_VERDICT_WITHIN},
        {"a box far above", BOX(1, 1, 1), {2, 2, 5.1}, BVP_VERDICT_CLEAR},
        {"a ball inside", BALL(1), {2, 2, 2}, BVP_VERDICT_ENCLOSED},
        {"a point inside", BALL(0), {2, 2, 2}, BVP_VERDICT_ENCLOSED},
        {"a ball inside, beside a wall", BALL(1), {2, 2, 1.2}, BVP_VERDICT_ENCLOSED},
        {"a ball inside, at a wall", BALL(1), {2, 2, 1.0005}, BVP_VERDICT_ENCLOSED},
        {"a ball around", BALL(4), {2, 2, 2}, BVP_VERDICT_ENCLOSED},
        {"a ball that does not hold the corners", BALL(3.4), {2, 2, 2}, BVP_VERDICT_PENETRATING},
        {"the box itself", BOX(4, 4, 4), {2, 2, 2}, BVP_VERDICT_ENCLOSED},
        {"a rod through", ROD(.01, 9), {2, 2, 2}, BVP_VERDICT_PENETRATING},
        {"a line through", ROD(0, 9), {2, 2, 2}, BVP_VERDICT_PENETRATING},
        {"a line along an edge", ROD(0, 9), {0, 0, 2}, BVP_VERDICT_TOUCHING},
        {"a line that ends inside", ROD(0, 2), {2, 2, 4}, BVP_VERDICT_PENETRATING},
        {"a plane through", BOX(9, 9, 0), {2, 2, 2}, BVP_VERDICT_PENETRATING},
        {"a plane on top", BOX(9, 9, 0), {2, 2, 4}, BVP_VERDICT_TOUCHING},
        {"a point on the surface", BALL(0), {2, 2, 4}, BVP_VERDICT_TOUCHING},
        {"a point that is near", BALL(0), {2, 2, 4.0005}, BVP_VERDICT_TOUCHING},
    };
    static const known open[] = {
        {"a ball in an open box", BALL(1), {2, 2, 2}, BVP_VERDICT_UNKNOWN},
        {"a ball around an open box", BALL(4), {2, 2, 2}, BVP_VERDICT_ENCLOSED},
        {"a box in the floor", BOX(1, 1, 1), {2, 2, 0}, BVP_VERDICT_PENETRATING},
        {"a ball in the opening", BALL(.25), {2, 2, 4}, BVP_VERDICT_CLEAR},
    };
    check_known(-1, closed, sizeof closed / sizeof closed[0]);
    check_known(5, open, sizeof open / sizeof open[0]);
}
END_TEST

/* A hull about a ball is as deep as that ball says, at least. */
START_TEST(hulls_are_measured_from_below)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {9, 9, 9};
    static const double tetra[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    static const double flat[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const bvp_clash_limits own = {0, 1e-6, 1e-6};
    static solid s;
    assembly all = assembly_new(zone_home);
    bvp_clash_pair pair;
    s.count = 0;
    solid_box(&s, lo, hi, 0, -1);
    assembly_put(&all, &s, 0, -4.5, -4.5);
    case_file file = case_finish(all.builder);
    /* the wall x = 0 is through the tetrahedron's middle: its ball has radius 1 / sqrt(3) */
    bvp_clash_zone zone = {.shape = {.kind = BVP_CONVEX_HULL, .points = tetra, .point_count = 4}};
    ck_assert_int_eq(bvp_clash_one_zone(file.file, 0, &zone, &own, BVP_CLASH_DISTANCE, &pair),
                     BVP_OK);
    ck_assert_int_eq(pair.verdict, BVP_VERDICT_PENETRATING);
    ck_assert_double_ge(pair.depth, .99 / sqrt(3));
    ck_assert_double_le(pair.depth, 1);
    ck_assert_double_ge(pair.depth_upper, 1);
    /* without a ball inside only its points tell */
    zone.shape.points = flat;
    zone.shape.point_count = 3;
    ck_assert_int_eq(bvp_clash_one_zone(file.file, 0, &zone, &own, BVP_CLASH_DISTANCE, &pair),
                     BVP_OK);
    ck_assert_int_eq(pair.verdict, BVP_VERDICT_PENETRATING);
    ck_assert_double_ge(pair.depth, .4);
    case_close(&file);
}
END_TEST

SUITE(test_clash_zone_verdict)
{
    const TTest *const tests[] = {verdicts_are_right, known_zones, hulls_are_measured_from_below,
                                  NULL};
    return suite_run("test_clash_zone_verdict", tests);
}
