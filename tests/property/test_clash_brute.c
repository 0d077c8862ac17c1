/* SPDX-License-Identifier: MIT
 * test_clash_brute.c: random assemblies of small solids whose faces often lie flush: every verdict
 * is what looking at all pairs of triangles says.
 */
#include <inttypes.h>

#include "clash_brute.h"
#include "clash_case.h"
#include "suite.h"

enum { ASSEMBLIES = 36, INSTANCES = 16, KINDS = 8 };

/* One of some kinds of solid, open, with a cavity, or in pieces. */
static void make_solid(int kind, solid *s)
{
    const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, half[3] = {.5, .5, .5};
    const double three[3] = {3, 3, 3}, four[3] = {4, 4, 4};
    s->count = 0;
    switch (kind) {
    case 0:
        solid_box(s, zero, one, 0, -1);
        break;
    case 1:
        solid_box(s, zero, four, 0, -1);
        break;
    case 2: /* open on top */
        solid_box(s, zero, four, 0, 5);
        break;
    case 3: /* hollow */
        solid_box(s, zero, four, 0, -1);
        solid_box(s, half, three, 1, -1);
        break;
    case 4:
        solid_cylinder(s, 1, 8, 0, 4);
        break;
    case 5: /* a hole of one triangle */
        solid_cylinder(s, 2, 8, 0, 4);
        s->count--;
        break;
    case 6: /* two pieces, far from one another */
        solid_box(s, zero, half, 0, -1);
        solid_box(s, three, four, 0, -1);
        break;
    default:
        solid_plate(s, 2, 1, 8, 0, 1);
    }
}

static double on_grid(uint64_t *state, double reach)
{
    return floor(case_uniform(state) * 2 * reach) / 2;
}

/* A turn by quarters, perhaps mirrored, of one of three sizes; one in four at any angle. */
static void make_place(uint64_t *state, double m[12])
{
    const double angle = case_random(state) % 4 == 0 ? 6 * case_uniform(state)
                                                     : M_PI / 2 * (double)(case_random(state) % 4);
    const double size = ldexp(1, (int)(case_random(state) % 3) - 1);
    const double c = fabs(cos(angle)) < 1e-9 ? 0 : cos(angle) * size;
    const double s = fabs(sin(angle)) < 1e-9 ? 0 : sin(angle) * size;
    const int axis = (int)(case_random(state) % 3), u = (axis + 1) % 3, v = (axis + 2) % 3;
    memset(m, 0, 12 * sizeof *m);
    m[5 * axis] = case_random(state) % 4 == 0 ? -size : size;
    m[5 * u] = m[5 * v] = c;
    m[4 * u + v] = -s;
    m[4 * v + u] = s;
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] = on_grid(state, 4);
}

static case_file make_assembly(uint64_t *state)
{
    static const double home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static solid s;
    assembly all = assembly_new(home);
    double m[12];
    for (int kind = 0; kind < KINDS; kind++) {
        make_solid(kind, &s);
        assembly_part(&all, &s);
    }
    for (int i = 0; i < INSTANCES; i++) {
        if (i == 0 || case_random(state) % 8 != 0)
            make_place(state, m);
        assembly_place(&all, (uint32_t)(case_random(state) % KINDS), m);
    }
    return case_finish(all.builder);
}

START_TEST(random_assemblies)
{
    uint64_t state = case_seed(), pairs = 0, decided = 0, missed = 0;
    uint64_t said[BVP_VERDICT_COUNT] = {0};
    static const bvp_clash_limits limits[] = {{0, NAN, NAN}, {.5, 1e-6, 1e-3}, {1, .01, .5}};
    for (int i = 0; i < ASSEMBLIES; i++) {
        case_file file = make_assembly(&state);
        const brute_options options = {.limits = limits[i % 3], .samples = 40};
        brute_result result;
        brute_check(file.file, &options, stderr, &result);
        ck_assert_msg(result.wrong == 0, "assembly %d: %" PRIu64 " wrong", i, result.wrong);
        pairs += result.pairs;
        decided += result.decided;
        missed += result.missed;
        for (int v = 0; v < BVP_VERDICT_COUNT; v++)
            said[v] += result.said[v];
        case_close(&file);
    }
    printf("%" PRIu64 " pairs, %" PRIu64 " decided, penetrating missed in %" PRIu64 "\n", pairs,
           decided, missed);
    ck_assert_uint_ge(10 * decided, 8 * pairs);
    ck_assert_uint_le(100 * missed, pairs);
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        printf("%" PRIu64 " %s\n", said[v], bvp_verdict_name((bvp_verdict)v));
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        ck_assert_msg(said[v] > 0, "no pair is %s", bvp_verdict_name((bvp_verdict)v));
}
END_TEST

SUITE(test_clash_brute)
{
    const TTest *const list[] = {random_assemblies, NULL};
    return suite_run("clash_brute", list);
}
