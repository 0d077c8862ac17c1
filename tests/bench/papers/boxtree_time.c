/* SPDX-License-Identifier: MIT
 * boxtree_time.c: figures 7 and 8 of Zachmann 2002: box tests by time, and boxtrees beside others.
 */
#include "boxtree_parts.h"
#include "ops.h"
#include "plot.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(claim *c, const char *evidence)
{
    c->paper = "BoxTree";
    c->evidence = evidence;
    report_claim(c);
}

/* ---- figure 7: overlap tests ----------------------------------------------------------------- */

enum { TESTS = 4, DISTANCES = 12 };
enum { ALIGNED, LOOKUP, LITE, SAT };
static const bvp_box_test tests[TESTS] = {BVP_TEST_ALIGNED, BVP_TEST_LOOKUP, BVP_TEST_SAT_LITE,
                                          BVP_TEST_SAT};
static const char *const test_names[TESTS] = {"aligned", "lookup", "SAT lite", "SAT"};

static double distance_at(int step)
{
    return 0.5 + 0.15 * step;
}

typedef struct figure7_result {
    double us[TESTS][DISTANCES], least[TESTS][DISTANCES], most[TESTS][DISTANCES];
    double boxes[TESTS][DISTANCES];
    double mean_us[TESTS], mean_boxes[TESTS], spread[DISTANCES];
} figure7_result;

static void open_tests(suite *s, const candidate *form, const mesh *m)
{
    candidate candidates[TESTS];
    for (int k = 0; k < TESTS; k++) {
        candidates[k] = *form;
        candidates[k].name = test_names[k];
        candidates[k].test = tests[k];
    }
    suite_open(s, candidates, TESTS, m, NULL);
}

static void figure7_tests(const setup *setup, const mesh *m, const candidate *form,
                          figure7_result *out)
{
    const int count = setup_poses(setup, 80);
    suite s;
    *out = (figure7_result){.mean_us = {0}};
    open_tests(&s, form, m);
    for (int d = 0; d < DISTANCES; d++) {
        double *poses = tumble_placements(distance_at(d), count);
        measure(s.subjects, s.subject_count, ASK_COLLIDE, poses, count, ROUNDS);
        for (int k = 0; k < TESTS; k++) {
            const subject *r = suite_subject(&s, k);
            out->us[k][d] = suite_us(&s, k);
            out->least[k][d] = r == NULL ? NAN : 1e6 * r->least;
            out->most[k][d] = r == NULL ? NAN : 1e6 * r->most;
            out->boxes[k][d] = suite_boxes(&s, k, count);
            out->mean_us[k] += out->us[k][d] / DISTANCES;
            out->mean_boxes[k] += out->boxes[k][d] / DISTANCES;
        }
        out->spread[d] = measure_spread(s.subjects, s.subject_count);
        free(poses);
    }
    suite_close(&s);
}

static void figure7_table(const char *name, const char *title, const figure7_result *r)
{
    double x[DISTANCES];
    plot p = {.name = name,
              .title = title,
              .x_label = "distance of the centres (objects of size 2)",
              .y_label = "microseconds a query",
              .y_log = true,
              .series_count = TESTS};
    table_begin(name, title,
                "distance|#box tests, aligned|#SAT lite|#SAT|aligned, us|lookup, us|SAT lite, "
                "us|SAT, us|spread of times, %");
    for (int d = 0; d < DISTANCES; d++) {
        x[d] = distance_at(d);
        table_row("%.2f|%.1f|%.1f|%.1f|%.2f|%.2f|%.2f|%.2f|%.0f", x[d], r->boxes[ALIGNED][d],
                  r->boxes[LITE][d], r->boxes[SAT][d], r->us[ALIGNED][d], r->us[LOOKUP][d],
                  r->us[LITE][d], r->us[SAT][d], r->spread[d]);
    }
    table_row("mean|%.1f|%.1f|%.1f|%.2f|%.2f|%.2f|%.2f|", r->mean_boxes[ALIGNED],
              r->mean_boxes[LITE], r->mean_boxes[SAT], r->mean_us[ALIGNED], r->mean_us[LOOKUP],
              r->mean_us[LITE], r->mean_us[SAT]);
    table_end();
    if (!measure_is_timing())
        return;
    for (int k = 0; k < TESTS; k++)
        p.series[k] = (plot_series){test_names[k], x, r->us[k], DISTANCES, r->least[k], r->most[k]};
    plot_lines(&p);
}

/* Counted arithmetic of the whole descents of those placements that do not touch: what the tests
 * would cost on a machine that does one operation at a time and fetches nodes for nothing. */
typedef struct counted {
    double pairs[3], ops[3]; /* of a query: aligned, SAT lite, SAT */
    int placements;
} counted;

static void count_descents(const volume_tree *tree, const subject *judge, counted *out)
{
    static const ops_axes axes[3] = {OPS_ALIGNED, OPS_SAT_LITE, OPS_SAT};
    enum { POSES = 24 };
    ops_walk walk[3] = {{.pairs = 0}};
    for (int d = 0; d < DISTANCES; d++) {
        double *poses = tumble_placements(distance_at(d), POSES);
        for (int k = 0; k < POSES; k++) {
            const bvp_body a = {.file = judge->a, .part = 0},
                           b = {.file = judge->b, .part = 0, .placement = poses + 12 * k};
            int hit = 1;
            if (bvp_collide(&a, &b, &hit, NULL) != BVP_OK || hit)
                continue;
            for (int t = 0; t < 3; t++)
                ops_walk_boxtree(tree, tree, poses + 12 * k, axes[t], OPS_SHARED, UINT64_MAX,
                                 &walk[t]);
            out->placements++;
        }
        free(poses);
    }
    for (int t = 0; t < 3; t++) {
        out->pairs[t] = (double)walk[t].pairs / out->placements;
        out->ops[t] = (double)ops_sum(&walk[t].ops) / out->placements;
    }
}

static void count_tests(const mesh *m, counted *out)
{
    volume_tree tree;
    suite s;
    *out = (counted){.placements = 0};
    open_tests(&s, &candidate_restricted, m);
    if (s.subject_count > 0 && volume_tree_read(&tree, s.subjects[0].a, BVP_KIND_BOXTREE)) {
        count_descents(&tree, &s.subjects[0], out);
        volume_tree_free(&tree);
    }
    suite_close(&s);
    table_begin("boxtree_counted", "Figure 7 in operations instead of time, restricted boxtree",
                "test|#pairs a query|#operations a query|#operations a pair");
    for (int t = 0; t < 3; t++)
        table_row("%s|%.0f|%.0f|%.2f", test_names[t == 0 ? ALIGNED : t + 1], out->pairs[t],
                  out->ops[t], out->ops[t] / out->pairs[t]);
    table_end();
    report_text(
        "Whole descents of both nodes, with 3.3 (ops.c), at the %d placements of the figure "
        "that do not touch, so that none ends at a hit.",
        out->placements);
}

static void claim_tests(const figure7_result *paper_form, const figure7_result *free_form,
                        const figure7_result *best_form, const counted *ops)
{
    claim lite = {.text = "SAT lite is the fastest of the overlap tests", .figure = "figure 7"};
    const double *t = paper_form->mean_us, *f = free_form->mean_us, *u = best_form->mean_us;
    lite.verdict = verdict_of(t[LITE] < t[ALIGNED] && t[LITE] < t[SAT]);
    snprintf(lite.ours, sizeof lite.ours,
             "aligned %.1f, SAT lite %.1f, SAT %.1f us a query of the paper's tree; of boxes that "
             "choose their sides %.1f, %.1f, %.1f; of three 8-bit planes and leaves of 8 %.1f, "
             "%.1f, %.1f",
             t[ALIGNED], t[LITE], t[SAT], f[ALIGNED], f[LITE], f[SAT], u[ALIGNED], u[LITE], u[SAT]);
    snprintf(lite.control, sizeof lite.control,
             "in counted operations, one at a time, without fetching, the descents take aligned "
             "%.0f, SAT lite %.0f, SAT %.0f; the library's box tests a query are %.0f, %.0f and "
             "%.0f, at %.0f, %.0f and %.0f ns each, leaves included",
             ops->ops[0], ops->ops[1], ops->ops[2], paper_form->mean_boxes[ALIGNED],
             paper_form->mean_boxes[LITE], paper_form->mean_boxes[SAT],
             1e3 * t[ALIGNED] / paper_form->mean_boxes[ALIGNED],
             1e3 * t[LITE] / paper_form->mean_boxes[LITE],
             1e3 * t[SAT] / paper_form->mean_boxes[SAT]);
    tell(&lite, "boxtree_figure7.csv");
}

void boxtree_overlap_tests(const setup *setup)
{
    mesh m;
    figure7_result paper_form, free_form, best_form;
    counted ops;
    if (!setup_model(setup, "cycloidal", &m))
        return;
    figure7_tests(setup, &m, &candidate_restricted, &paper_form);
    figure7_table("boxtree_figure7",
                  "Figure 7: overlap tests, cycloidal, restricted boxtree, leaves of 1",
                  &paper_form);
    if (!setup->is_check) {
        figure7_tests(setup, &m, &candidate_free, &free_form);
        figure7_table("boxtree_figure7_free",
                      "Figure 7 again: one f32 plane, sides chosen freely, leaves of 1",
                      &free_form);
    }
    figure7_tests(setup, &m, &candidate_boxtree_best, &best_form);
    figure7_table("boxtree_figure7_best", "Figure 7 again: at most three 8-bit planes, leaves of 8",
                  &best_form);
    report_text(
        "Two copies, one of which tumbles, %d placements a distance; a boolean query a "
        "placement; means over the turn. All tests are wide: the axes of a pair lie side by "
        "side in vectors, three of aligned and lookup in both directions in one of eight, "
        "six of SAT lite in one, fifteen of SAT in two. The larger node is opened. At "
        "leaves triangles are tested eight at a time: by aligned on its three axes, by "
        "SAT lite on its six and the triangle's normal, by SAT on all thirteen of a "
        "triangle and a box; the paper's own descent, below, takes leaves by their boxes. A "
        "float offset has no table: aligned and lookup are then one test.",
        setup_poses(setup, 80));
    count_tests(&m, &ops);
    mesh_free(&m);
    if (setup->is_check)
        return;
    claim_tests(&paper_form, &free_form, &best_form, &ops);
}

/* ---- figure 8: against DOP trees ------------------------------------------------------------- */

enum {
    RESTRICTED,
    FREE,
    PLANES,
    OBB,
    BVP_WIDE,
    LIBRARY,
    DOP = LIBRARY,
    SPHERE,
    FCL_BOXES,
    FCL_BOTH,
    KINDS
};
enum { OBJECTS = 9, FIGURE8_DISTANCES = 6 };

typedef struct figure8_result {
    double us[KINDS][OBJECTS], least[KINDS][OBJECTS], most[KINDS][OBJECTS], boxes[KINDS][OBJECTS];
    double bytes[KINDS], spread[OBJECTS];
    char label[OBJECTS][100];
    int count;
} figure8_result;

static const char *const kind_labels[KINDS] = {"restricted boxtree, leaf 1",
                                               "boxtree, free sides, leaf 1",
                                               "boxtree, 3 planes, leaf 8",
                                               "obb, hull, mean, leaf 1",
                                               "wide",
                                               "24-DOP tree",
                                               "sphere tree",
                                               "FCL OBB",
                                               "FCL OBBRSS"};

static void add_distance(const setup *setup, suite *s, double distance, int at, figure8_result *out)
{
    const int count = setup_poses(setup, 30);
    double *poses = tumble_placements(distance, count);
    measure(s->subjects, s->subject_count, ASK_COLLIDE, poses, count, ROUNDS);
    for (int k = 0; k < KINDS; k++) {
        const subject *r = suite_subject(s, k);
        const double share = 1.0 / FIGURE8_DISTANCES;
        out->us[k][at] += suite_us(s, k) * share;
        out->least[k][at] += r == NULL ? NAN : 1e6 * r->least * share;
        out->most[k][at] += r == NULL ? NAN : 1e6 * r->most * share;
        out->boxes[k][at] += suite_boxes(s, k, count) * share;
    }
    out->spread[at] = fmax(out->spread[at], measure_spread(s->subjects, s->subject_count));
    free(poses);
}

static void figure8_object(const setup *setup, const mesh *m, figure8_result *out)
{
    const candidate candidates[LIBRARY] = {candidate_restricted, candidate_free,
                                           candidate_boxtree_best, candidate_obb_paper,
                                           candidate_wide};
    base_tree dops, spheres;
    suite s;
    suite_open(&s, candidates, LIBRARY, m, NULL);
    dop_tree_build(&dops, m);
    sphere_tree_build(&spheres, m);
    suite_add_base(&s, "24-DOP tree", &dops, &dops, dop_tree_pairs);
    suite_add_base(&s, "sphere tree", &spheres, &spheres, sphere_tree_pairs);
    if (fcl_is_there())
        suite_add_fcl(&s, m, NULL);
    for (int d = 0; d < FIGURE8_DISTANCES; d++)
        add_distance(setup, &s, 0.9 + 0.2 * d, out->count, out);
    for (int k = 0; k < LIBRARY; k++)
        out->bytes[k] = suite_pack(&s, k) == NULL ? NAN : packed_bytes(suite_pack(&s, k));
    out->bytes[DOP] = 2 * (4 * DOP_FLOATS + 4);
    suite_close(&s);
    base_tree_free(&dops);
    base_tree_free(&spheres);
}

static void figure8_row(const setup *setup, mesh *m, figure8_result *r)
{
    const int k = r->count;
    figure8_object(setup, m, r);
    snprintf(r->label[k], sizeof r->label[k], "%s %lluk", m->name,
             (unsigned long long)(m->count + 500) / 1000);
    table_row("%s|%llu|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|"
              "%.2f|%.1f|%.1f|%.0f",
              m->name, (unsigned long long)m->count, r->bytes[RESTRICTED], r->bytes[PLANES],
              r->boxes[RESTRICTED][k], r->boxes[FREE][k], r->boxes[PLANES][k], r->boxes[OBB][k],
              r->boxes[DOP][k], r->boxes[SPHERE][k], r->boxes[FCL_BOXES][k], r->us[RESTRICTED][k],
              r->us[FREE][k], r->us[PLANES][k], r->us[OBB][k], r->us[DOP][k], r->us[SPHERE][k],
              r->us[BVP_WIDE][k], r->us[FCL_BOXES][k], r->us[FCL_BOTH][k], r->spread[k]);
    r->count++;
    mesh_free(m);
}

/* Geometric mean over the objects of one kind's figure over another's. */
static double mean_ratio(const figure8_result *r, const double a[OBJECTS], const double b[OBJECTS])
{
    double sum = 0;
    for (int k = 0; k < r->count; k++)
        sum += log(a[k] / b[k]) / r->count;
    return exp(sum);
}

static void claim_figure8(const figure8_result *r)
{
    claim dops = {.text = "boxtrees are about as fast as DOP trees", .figure = "figure 8"};
    claim obbs = {.text = "boxtrees are in the same league as OBB trees",
                  .figure = "figure 8, text"};
    const double time = mean_ratio(r, r->us[RESTRICTED], r->us[DOP]);
    const double boxes = mean_ratio(r, r->boxes[RESTRICTED], r->boxes[DOP]);
    dops.verdict = verdict_of(time < 1.5);
    snprintf(dops.ours, sizeof dops.ours,
             "time over the DOP tree's, geometric mean of %d objects: restricted boxtree %.2f, "
             "sides chosen freely %.2f, three 8-bit planes with leaves of 8 %.2f; bytes a triangle "
             "%.1f, %.1f and %.1f against %.0f",
             r->count, time, mean_ratio(r, r->us[FREE], r->us[DOP]),
             mean_ratio(r, r->us[PLANES], r->us[DOP]), r->bytes[RESTRICTED], r->bytes[FREE],
             r->bytes[PLANES], r->bytes[DOP]);
    snprintf(dops.control, sizeof dops.control,
             "box tests over the DOP tree's: restricted %.2f, freely %.2f, three planes %.2f; time "
             "of a box test, leaves included, %.2f of the DOP tree's",
             boxes, mean_ratio(r, r->boxes[FREE], r->boxes[DOP]),
             mean_ratio(r, r->boxes[PLANES], r->boxes[DOP]), time / boxes);
    const double obb = mean_ratio(r, r->us[RESTRICTED], r->us[OBB]);
    obbs.verdict = verdict_of(obb < 2);
    snprintf(
        obbs.ours, sizeof obbs.ours,
        "time over our OBB tree's (axes of the hull, mean): restricted %.2f, three planes with "
        "leaves of 8 %.2f",
        obb, mean_ratio(r, r->us[PLANES], r->us[OBB]));
    snprintf(
        obbs.control, sizeof obbs.control,
        "over FCL's OBB tree: restricted %.2f, three planes %.2f, our OBB tree %.2f; box tests "
        "of the restricted boxtree over our OBB tree's %.2f (nan: no FCL)",
        mean_ratio(r, r->us[RESTRICTED], r->us[FCL_BOXES]),
        mean_ratio(r, r->us[PLANES], r->us[FCL_BOXES]), mean_ratio(r, r->us[OBB], r->us[FCL_BOXES]),
        mean_ratio(r, r->boxes[RESTRICTED], r->boxes[OBB]));
    tell(&dops, "boxtree_figure8.csv");
    tell(&obbs, "boxtree_figure8.csv");
}

static void plot_figure8(const figure8_result *r)
{
    const char *labels[OBJECTS];
    double x[OBJECTS];
    plot p = {.name = "boxtree_figure8",
              .title = "Figure 8: boxtrees beside other trees",
              .x_label = "object, triangles",
              .y_label = "microseconds a query",
              .y_log = true,
              .series_count = KINDS};
    for (int k = 0; k < r->count; k++) {
        x[k] = k;
        labels[k] = r->label[k];
    }
    for (int k = 0; k < KINDS; k++)
        p.series[k] = (plot_series){kind_labels[k], x, r->us[k], r->count, r->least[k], r->most[k]};
    plot_bars(&p, labels);
}

void boxtree_against_dops(const setup *setup)
{
    static const char *const models[] = {"cycloidal", "link_3", "counter"};
    static const uint64_t sizes[] = {10000, 40000, 160000};
    figure8_result r = {.count = 0};
    mesh m;
    table_begin("boxtree_figure8", "Figure 8: mean over six distances, 0.9 to 1.9",
                "object|triangles|#B/tri, restricted|#3 planes|#box tests, restricted|#free "
                "sides|#3 planes|#obb|#24-DOP|#sphere tree|#FCL OBB|restricted, us|free sides|3 "
                "planes, leaf 8|obb|24-DOP tree|sphere tree|wide|FCL OBB|FCL OBBRSS|spread of "
                "times, %");
    for (int k = 0; k < 3; k++)
        if (setup_model(setup, models[k], &m))
            figure8_row(setup, &m, &r);
    for (int k = 0; k < 6; k++) {
        if (k % 2 == 0)
            mesh_sphere(&m, setup_count(setup, sizes[k / 2]), 1);
        else
            mesh_torus(&m, setup_count(setup, sizes[k / 2]), 0.7, 0.3);
        figure8_row(setup, &m, &r);
    }
    table_end();
    report_text("Boolean queries, %d placements a distance; boxtrees of leaf 1 and the DOP and "
                "sphere trees by SAT lite and by their own tests; nan: FCL is not there. FCL's "
                "trees hold doubles.",
                setup_poses(setup, 30));
    plot_figure8(&r);
    claim_figure8(&r);
}
