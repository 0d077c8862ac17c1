/* SPDX-License-Identifier: MIT
 * test_suggest_rules.c: which pairs fit one another, and which rules are proposed for them. The
 * proposals are read back as a rule file, and bvp_clash says what is left.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "build_case.h"
#include "rules/clash_rules.h"
#include "suggest/suggest_rules.h"
#include "suggest/surface_fit.h"
#include "suite.h"

enum { FACETS = 48, SOUP_MOST = 9 * 8 * FACETS };

typedef struct soup {
    float at[SOUP_MOST];
    uint32_t count; /* triangles */
} soup;

static void add(soup *s, const double a[3], const double b[3], const double c[3])
{
    const double *const corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            s->at[9 * s->count + 3 * (uint32_t)k + (uint32_t)i] = (float)corners[k][i];
    s->count++;
}

/* A quadrangle a b c d whose normal is that of a, b, c. */
static void add_four(soup *s, double four[4][3])
{
    add(s, four[0], four[1], four[2]);
    add(s, four[0], four[2], four[3]);
}

/* A tube about z, from z0 to z1; inner 0: a solid cylinder. */
static void tube(soup *s, double inner, double outer, double z0, double z1)
{
    s->count = 0;
    for (int i = 0; i < FACETS; i++) {
        const double a = 2 * M_PI * i / FACETS, b = 2 * M_PI * (i + 1) / FACETS;
        const double p[2][2] = {{cos(a), sin(a)}, {cos(b), sin(b)}};
        double four[4][3];
#define CORNER(n, which, r, z)                                                                     \
    (four[n][0] = (r)*p[which][0], four[n][1] = (r)*p[which][1], four[n][2] = (z))
        CORNER(0, 0, outer, z0), CORNER(1, 1, outer, z0), CORNER(2, 1, outer, z1),
            CORNER(3, 0, outer, z1), add_four(s, four);
        CORNER(0, 0, inner, z1), CORNER(1, 0, outer, z1), CORNER(2, 1, outer, z1),
            CORNER(3, 1, inner, z1), add_four(s, four);
        CORNER(0, 0, inner, z0), CORNER(1, 1, inner, z0), CORNER(2, 1, outer, z0),
            CORNER(3, 0, outer, z0), add_four(s, four);
        if (inner > 0)
            CORNER(0, 0, inner, z0), CORNER(1, 0, inner, z1), CORNER(2, 1, inner, z1),
                CORNER(3, 1, inner, z0), add_four(s, four);
    }
}

static void block(soup *s, const double lo[3], const double hi[3])
{
    s->count = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int up = 0; up < 2; up++) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            double four[4][3];
            for (int n = 0; n < 4; n++) {
                const int m = up ? n : 3 - n;
                four[n][axis] = up ? hi[axis] : lo[axis];
                four[n][u] = m == 1 || m == 2 ? hi[u] : lo[u];
                four[n][v] = m >= 2 ? hi[v] : lo[v];
            }
            add_four(s, four);
        }
}

static surface_fit measure(const soup *a, const soup *b, const double *place_b, double gap)
{
    const bvp_mesh meshes[2] = {case_mesh(a->at, a->count), case_mesh(b->at, b->count)};
    case_file files[2] = {case_build(&meshes[0], NULL), case_build(&meshes[1], NULL)};
    double places[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {0}};
    memcpy(places[1], place_b ? place_b : places[0], sizeof places[1]);
    bvp_body bodies[2];
    for (int s = 0; s < 2; s++) {
        bvp_part_info part;
        ck_assert_int_eq(bvp_get_part(files[s].file, 0, &part), BVP_OK);
        double *m = places[s];
        for (int i = 0; i < 3; i++) /* part coordinates are relative to the origin */
            m[4 * i + 3] += m[4 * i] * part.origin[0] + m[4 * i + 1] * part.origin[1] +
                            m[4 * i + 2] * part.origin[2];
        bodies[s] = (bvp_body){.file = files[s].file, .part = 0, .placement = m};
    }
    surface_fit fit, turned;
    ck_assert_int_eq(surface_fit_measure(bodies, gap, &fit), BVP_OK);
    const bvp_body other_way[2] = {bodies[1], bodies[0]};
    ck_assert_int_eq(surface_fit_measure(other_way, gap, &turned), BVP_OK);
    ck_assert(fabs(fit.area - turned.area) <= 1e-9 * fit.area && fit.sunk == turned.sunk);
    ck_assert_double_eq_tol(fit.facing, turned.facing, 1e-9);
    for (int s = 0; s < 2; s++)
        case_close(&files[s]);
    return fit;
}

/* A shaft that is 2 % too thick for its hole, wherever and however it lies. */
START_TEST(shaft_in_its_hole)
{
    static const double mirrored[12] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    soup hole, shaft;
    tube(&hole, 5, 9, 0, 8);
    tube(&shaft, 0, 5.1, -10, 20);
    for (int is_mirrored = 0; is_mirrored < 2; is_mirrored++) {
        const surface_fit fit = measure(&hole, &shaft, is_mirrored ? mirrored : NULL, 0.001);
        ck_assert_msg(fit.facing > 0.95 && fit.turned > 0.95, "%g %g", fit.facing, fit.turned);
        ck_assert_msg(fit.sunk > 0.05 && fit.sunk < 0.12, "%g", fit.sunk);
    }
    tube(&shaft, 0, 4.9995, -10, 20); /* within the gap */
    const surface_fit loose = measure(&hole, &shaft, NULL, 0.02);
    ck_assert(loose.facing > 0.95 && loose.turned > 0.95 && loose.sunk < 0.02);
}
END_TEST

/* The same shaft where there is no hole; two pipes that cross. */
START_TEST(what_crosses)
{
    static const double across[12] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0};
    soup disc, shaft;
    tube(&disc, 0, 9, 0, 8);
    tube(&shaft, 0, 5.1, -10, 20);
    surface_fit fit = measure(&disc, &shaft, NULL, 0.001);
    ck_assert_msg(fit.area > 0 && fit.facing < 0.1, "%g", fit.facing);
    tube(&disc, 0, 4, -20, 20);
    fit = measure(&disc, &shaft, across, 0.001);
    ck_assert_msg(fit.area > 0 && fit.facing < 0.5, "%g", fit.facing);
}
END_TEST

/* Flat against flat: facing, but turned nowhere, and as deep as it is. */
START_TEST(a_block_that_sank)
{
    soup ground, stone;
    block(&ground, (double[3]){-50, -50, -10}, (double[3]){50, 50, 0});
    block(&stone, (double[3]){-20, -20, -0.3}, (double[3]){20, 20, 30});
    const surface_fit fit = measure(&ground, &stone, NULL, 0.001);
    ck_assert_msg(fit.facing > 0.9 && fit.turned < 0.1, "%g %g", fit.facing, fit.turned);
    ck_assert_double_eq_tol(fit.sunk, 0.3, 1e-5);
}
END_TEST

START_TEST(apart)
{
    soup a, b;
    block(&a, (double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    block(&b, (double[3]){3, 0, 0}, (double[3]){4, 1, 1});
    const surface_fit fit = measure(&a, &b, NULL, 0.5);
    ck_assert(fit.area == 0 && fit.facing == 0 && fit.sunk == 0);
}
END_TEST

/* ---- proposals ----------------------------------------------------------------------------- */

static uint32_t add_part(bvp_builder *builder, const soup *s, const char *name)
{
    bvp_mesh mesh = case_mesh(s->at, s->count);
    uint32_t part;
    mesh.name = name;
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    return part;
}

static void add_node(bvp_builder *builder, uint32_t root, const char *name, uint32_t part, double x,
                     double y)
{
    const double place[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, 0};
    uint32_t node;
    ck_assert_int_eq(
        bvp_builder_add_node(
            builder,
            &(bvp_new_node){.parent = root, .name = name, .part = part, .placement = place}, &node,
            NULL),
        BVP_OK);
}

typedef struct kept {
    clash_kept *pairs;
    const clash_rules *rules;
    uint64_t allowed;
} kept;

/* As the verb clash does it. */
static int keep(void *user, const bvp_clash_pair *pair)
{
    kept *k = user;
    clash_found found = {.rule = k->rules ? clash_rules_match(k->rules, pair->a, pair->b) : -1};
    memcpy(found.id, &pair->a, 4);
    memcpy(found.id + 4, &pair->b, 4);
    if (found.rule >= 0 && k->rules->rules[found.rule].action == CLASH_ALLOW &&
        (pair->verdict == BVP_VERDICT_WITHIN || pair->verdict == BVP_VERDICT_TOUCHING)) {
        k->allowed++;
        return 0;
    }
    return clash_kept_add(k->pairs, &found, pair);
}

static uint64_t clash(const bvp_file *file, clash_rules *rules, clash_kept *pairs)
{
    const bvp_clash_scene scene = {.a = file};
    const bvp_clash_options options = {.limits = {0, 0.001, 0.001},
                                       .reach = 0.001,
                                       .rule = rules ? clash_rules_apply : NULL,
                                       .rule_user = rules};
    kept k = {pairs, rules, 0};
    ck_assert_int_eq(bvp_clash(&scene, &options, keep, &k, NULL, NULL), BVP_OK);
    ck_assert_int_eq(clash_kept_sort(pairs), 0);
    return k.allowed;
}

/* Three shafts in holes that are a little too small, one that is off its axis by a third of its
 * radius, two bolts, a beam through a plate, a wedge that cuts into it a little. Proposed: the
 * shafts, to a depth that leaves the fourth; the bolts' set. What the proposals leave is what they
 * say. */
START_TEST(proposals)
{
    static soup hole, shaft, plate, beam, bolt, wedge;
    static const double edge[6][3] = {{0, 0, -0.03},  {0, 8, 8},  {0, -8, 8},
                                      {40, 0, -0.03}, {40, 8, 8}, {40, -8, 8}};
    static const int faces[8][3] = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                                    {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
    static char path[] = "/tmp/test_suggest_rules.XXXXXX";
    bvp_builder *builder;
    uint32_t root;
    tube(&hole, 5, 9, 0, 8);
    tube(&shaft, 0, 5.1, -10, 20);
    tube(&bolt, 0, 2, -0.05, 30);
    block(&plate, (double[3]){-50, -50, -10}, (double[3]){50, 50, 0});
    block(&beam, (double[3]){-2, -3, -20}, (double[3]){2, 3, 20});
    wedge.count = 0;
    for (int i = 0; i < 8; i++)
        add(&wedge, edge[faces[i][0]], edge[faces[i][1]], edge[faces[i][2]]);
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_node(
                         builder,
                         &(bvp_new_node){.parent = BVP_NONE, .name = "machine", .part = BVP_NONE},
                         &root, NULL),
                     BVP_OK);
    const uint32_t parts[6] = {
        add_part(builder, &hole, "bush*"),  add_part(builder, &shaft, "shaft"),
        add_part(builder, &plate, "plate"), add_part(builder, &beam, "beam"),
        add_part(builder, &bolt, "M4Bolt"), add_part(builder, &wedge, "wedge")};
    for (int i = 0; i < 4; i++) {
        add_node(builder, root, "bush", parts[0], 1000 + 100 * i, 0);
        add_node(builder, root, "shaft", parts[1], 1000 + 100 * i + (i == 3 ? 1.6 : 0), 0);
    }
    add_node(builder, root, "plate", parts[2], 0, 0);
    add_node(builder, root, "beam", parts[3], 20, 20);
    add_node(builder, root, "wedge", parts[5], 5, -30);
    add_node(builder, root, "bolt", parts[4], -20, 20);
    add_node(builder, root, "bolt", parts[4], -20, -20);
    case_file file = case_finish(builder);
    bvp_file_info info;
    bvp_get_info(file.file, &info);

    instance_tree tree;
    clash_kept pairs = {0}, rest = {0};
    suggestion s = {0};
    const bvp_clash_limits limits = {0, 0.001, 0.001};
    ck_assert_int_eq(instance_tree_open(&tree, file.file), 0);
    clash(file.file, NULL, &pairs);
    ck_assert_uint_eq(pairs.count, 8);
    const suggest_run run = {
        .trees = {&tree, &tree}, .kept = &pairs, .limits = &limits, .info = &info};
    ck_assert_int_eq(suggest_find(&s, &run), 0);
    ck_assert_uint_eq(s.fit_count, 1);
    ck_assert_str_eq(s.fits[0].a.data, "bush\\*");
    ck_assert_str_eq(s.fits[0].b.data, "shaft");
    ck_assert_uint_eq(s.fits[0].pair_count, 3);
    ck_assert(s.fits[0].allow > s.fits[0].depth && s.fits[0].allow < 0.2);
    ck_assert_uint_eq(s.pair_count, 8);
    ck_assert_uint_eq(s.taken_count, 5);
    ck_assert_uint_eq(s.stay_count, 3);
    for (int i = 0; clash_rule_sets[i].name; i++)
        ck_assert_uint_eq(s.set_counts[i], strcmp(clash_rule_sets[i].name, "fasteners") ? 0 : 2);

    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(suggest_write(&s, &run, "a \"name\"\n", path), 0);
    clash_rules rules = {.limits = {NAN, NAN, NAN}};
    ck_assert_int_eq(clash_rules_add_file(&rules, path, &info), 0);
    unlink(path);
    ck_assert_uint_eq(rules.rule_count, 2);
    ck_assert_int_eq(clash_rules_bind(&rules, &tree, &tree), 0);
    ck_assert_uint_eq(clash(file.file, &rules, &rest), s.taken_count);
    ck_assert_uint_eq(rest.count, s.stay_count);
    suggest_free(&s);
    clash_rules_free(&rules);
    clash_kept_close(&pairs);
    clash_kept_close(&rest);
    instance_tree_close(&tree);
    case_close(&file);
}
END_TEST

SUITE(test_suggest_rules)
{
    const TTest *const list[] = {shaft_in_its_hole, what_crosses, a_block_that_sank, apart,
                                 proposals,         NULL};
    return suite_run("suggest_rules", list);
}
