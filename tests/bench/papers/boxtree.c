/* SPDX-License-Identifier: MIT
 * boxtree.c: the tables and figures of Zachmann, Minimal hierarchical collision detection, 2002.
 */
#include "ops.h"
#include "plot.h"
#include "papers_suite.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char paper[] = "BoxTree";

static void tell(claim *c)
{
    c->paper = paper;
    report_claim(c);
}

/* ---- table 1 --------------------------------------------------------------------------------- */

enum { PAIR_MAX = 2000000 };

/* Mean operations of a pair, of real traversals at a distance where the boxes of parts overlap. */
static void walk_ops(bvp_file *file, bvp_kind kind, int axes, ops_walk *out)
{
    volume_tree tree;
    double *poses = tumble_placements(1.2, 8);
    *out = (ops_walk){.pairs = 0};
    if (!volume_tree_read(&tree, file, kind)) {
        free(poses);
        return;
    }
    for (int k = 0; k < 8; k++)
        if (kind == BVP_KIND_BOXTREE)
            ops_walk_boxtree(&tree, &tree, poses + 12 * k, (ops_axes)axes,
                             (uint64_t)PAIR_MAX / 8 * (uint64_t)(k + 1), out);
        else
            ops_walk_boxes(&tree, &tree, poses + 12 * k, kind == BVP_KIND_OBB,
                           (uint64_t)PAIR_MAX / 8 * (uint64_t)(k + 1), out);
    volume_tree_free(&tree);
    free(poses);
}

typedef struct table1_row {
    const char *name;
    int paper_bytes, paper_ops;
    bvp_hierarchy_spec spec; /* kind 0: a baseline */
    int axes, base_bytes;
} table1_row;

static const table1_row table1_rows[] = {
    {"restricted boxtree, aligned (3.2.1)",
     9,
     12,
     {BVP_KIND_BOXTREE, 1, BVP_SPLIT_VOLUME, 1, 4},
     OPS_ALIGNED,
     0},
    {"restricted boxtree, SAT lite (3.2.4)",
     9,
     24,
     {BVP_KIND_BOXTREE, 1, BVP_SPLIT_VOLUME, 1, 4},
     OPS_SAT_LITE,
     0},
    {"restricted boxtree, SAT (3.2.3)",
     9,
     82,
     {BVP_KIND_BOXTREE, 1, BVP_SPLIT_VOLUME, 1, 4},
     OPS_SAT,
     0},
    {"restricted boxtree, 8-bit plane, aligned",
     9,
     12,
     {BVP_KIND_BOXTREE, 1, BVP_SPLIT_VOLUME, 1, 1},
     OPS_ALIGNED,
     0},
    {"restricted boxtree, <= 3 8-bit planes, aligned",
     0,
     0,
     {BVP_KIND_BOXTREE, 1, BVP_SPLIT_SAH, 3, 1},
     OPS_ALIGNED,
     0},
    {"sphere tree", 16, 29, {0, 0, 0, 0, 0}, 0, SPHERE_FLOATS * 4 + 4},
    {"AABB tree", 28, 90, {BVP_KIND_AABB, 1, BVP_SPLIT_MIDPOINT, 0, 0}, 15, 0},
    {"AABB tree, SAT lite", 28, 90, {BVP_KIND_AABB, 1, BVP_SPLIT_MIDPOINT, 0, 0}, 6, 0},
    {"OBB tree", 64, 243, {BVP_KIND_OBB, 1, BVP_SPLIT_MEAN, 0, 0}, 15, 0},
    {"24-DOP tree", 100, 168, {0, 0, 0, 0, 0}, 0, DOP_FLOATS * 4 + 4},
};
enum { BY_ALIGNED, BY_LITE, BY_SAT, BY_8_BIT, BY_3_PLANES, SPHERE, AABB, AABB_LITE, OBB, DOP };
enum { TABLE1_ROWS = sizeof table1_rows / sizeof table1_rows[0] };

typedef struct table1_result {
    double node_bytes, tri_bytes, worst, shared, mean;
    char problem[300];
} table1_result;

static void worst_case(const table1_row *row, table1_result *out)
{
    ops all;
    uint64_t shared = 0;
    if (row->spec.kind == BVP_KIND_BOXTREE)
        ops_boxtree_worst((ops_axes)row->axes, &all, &shared);
    else if (row->spec.kind == BVP_KIND_AABB)
        ops_aabb_worst(row->axes == OPS_SAT_LITE, &all);
    else if (row->spec.kind == BVP_KIND_OBB)
        ops_obb_worst(&all);
    else if (row->base_bytes == DOP_FLOATS * 4 + 4)
        ops_dop_worst(&all);
    else
        ops_sphere_worst(&all);
    out->worst = (double)ops_sum(&all);
    out->shared = shared > 0 ? (double)shared / 100 : NAN;
}

static void fill_table1(const table1_row *row, const mesh *m, table1_result *out)
{
    packed pack;
    ops_walk walk;
    *out = (table1_result){.mean = NAN};
    worst_case(row, out);
    if (row->spec.kind == BVP_KIND_DEFAULT) {
        out->node_bytes = row->base_bytes;
        out->tri_bytes = row->base_bytes * (2 - 1 / (double)m->count);
        return;
    }
    bvp_file *file = NULL;
    if (packed_make(&pack, m, &row->spec, false))
        file = packed_open(&pack, row->spec.kind, BVP_TEST_DEFAULT);
    if (file == NULL) {
        snprintf(out->problem, sizeof out->problem, "%s", pack.problem);
        out->node_bytes = out->tri_bytes = NAN;
    } else {
        out->tri_bytes = packed_bytes(&pack);
        out->node_bytes = out->tri_bytes * (double)m->count / pack.info.node_count;
        walk_ops(file, row->spec.kind, row->axes, &walk);
        if (walk.pairs > 0 && row != &table1_rows[AABB_LITE])
            out->mean = (double)ops_sum(&walk.ops) / (double)walk.pairs;
    }
    bvp_close(file);
    packed_drop(&pack);
}

static void claim_table1(const table1_result *r)
{
    claim memory = {.text = "boxtrees need about 7 times less memory than OBB trees",
                    .figure = "9 against 64 bytes a node"};
    const double against_paper = 64 / r[BY_8_BIT].node_bytes,
                 ours = r[OBB].node_bytes / r[BY_8_BIT].node_bytes;
    if (isnan(r[BY_8_BIT].node_bytes) || isnan(ours)) {
        memory.verdict = NOT_MEASURED;
    } else {
        snprintf(memory.ours, sizeof memory.ours,
                 "boxtree %.1f bytes a node (f32 plane), %.1f (8-bit plane); OBB as the library "
                 "stores it %.1f: %.1f times; against 64 bytes in floats %.1f times",
                 r[BY_ALIGNED].node_bytes, r[BY_8_BIT].node_bytes, r[OBB].node_bytes, ours,
                 against_paper);
        memory.verdict = ours >= 6.3 ? HOLDS : DOES_NOT_HOLD;
        if (memory.verdict == DOES_NOT_HOLD)
            snprintf(
                memory.why, sizeof memory.why,
                "quantisation shrinks an OBB from 64 to %.1f bytes, a boxtree's node only from "
                "9 to %.1f; of both in floats the ratio is %.1f",
                r[OBB].node_bytes, r[BY_8_BIT].node_bytes, 64 / r[BY_ALIGNED].node_bytes);
    }
    tell(&memory);
    claim ops = {.text = "a pair of boxtree nodes takes 12, 24 or 82 operations, an OBB's 243",
                 .figure = "12 / 24 / 82 / 243 in the worst case"};
    ops.verdict = r[BY_ALIGNED].worst <= 12 && r[BY_LITE].worst <= 24 && r[BY_SAT].worst <= 82 &&
                          r[OBB].worst <= 243
                      ? HOLDS
                      : DOES_NOT_HOLD;
    snprintf(ops.ours, sizeof ops.ours,
             "%.0f / %.0f / %.0f / %.0f counted; with 3.3 a boxtree's %.1f / %.1f / %.1f; executed "
             "on real pairs, with early exits, %.1f / %.1f / %.1f / %.1f",
             r[BY_ALIGNED].worst, r[BY_LITE].worst, r[BY_SAT].worst, r[OBB].worst,
             r[BY_ALIGNED].shared, r[BY_LITE].shared, r[BY_SAT].shared, r[BY_ALIGNED].mean,
             r[BY_LITE].mean, r[BY_SAT].mean, r[OBB].mean);
    tell(&ops);
}

static void table1(const setup *setup)
{
    mesh m;
    table1_result results[TABLE1_ROWS];
    if (!setup_model(setup, "cycloidal", &m))
        return;
    table_begin("boxtree_table1", "Table 1: bytes of a node, operations of a pair of nodes",
                "hierarchy|bytes a node, paper|ours|bytes a triangle, leaves of 1|operations, "
                "paper|counted, worst case|with 3.3|mean of real pairs");
    for (int k = 0; k < TABLE1_ROWS; k++) {
        const table1_row *row = &table1_rows[k];
        table1_result *r = &results[k];
        fill_table1(row, &m, r);
        if (r->problem[0] != '\0')
            table_row("%s|%d|not measured: %s||%d|%.0f|%.1f|", row->name, row->paper_bytes,
                      r->problem, row->paper_ops, r->worst, r->shared);
        else
            table_row("%s|%d|%.1f|%.1f|%d|%.0f|%.1f|%.1f", row->name, row->paper_bytes,
                      r->node_bytes, r->tri_bytes, row->paper_ops, r->worst, r->shared, r->mean);
    }
    table_end();
    report_text(
        "Model: cycloidal, %llu triangles. Ours are all bytes of the hierarchy over its "
        "volumes, links included. 0: the paper has no such row. Operations are counted by "
        "copies of the tests whose every addition, multiplication, magnitude and comparison "
        "goes through a counting function (ops.c): the worst case on boxes that overlap, "
        "one moved plane each; the mean on the pairs of eight traversals of two copies at "
        "distance 1.2 (objects of size 2), both nodes opened, each child's own work done once for "
        "its pairs (3.3) and counted as it runs. Signs of products that are fixed during a "
        "traversal are not counted, which is why 11 stand beside 12. An OBB's relative "
        "rotation is composed for each pair, an AABB's is prepared once.",
        (unsigned long long)m.count);
    claim_table1(results);
    mesh_free(&m);
}

/* ---- figure 5: build time -------------------------------------------------------------------- */

static const candidate builds[] = {
    {"volume", {BVP_KIND_BOXTREE, 1, BVP_SPLIT_VOLUME, 1, 4}, 0},
    {"longest", {BVP_KIND_BOXTREE, 1, BVP_SPLIT_LONGEST, 1, 4}, 0},
    {"lookahead", {BVP_KIND_BOXTREE, 1, BVP_SPLIT_LOOKAHEAD, 1, 4}, 0},
    {"sah, 3 planes, leaf 8", {BVP_KIND_BOXTREE, 8, BVP_SPLIT_SAH, 3, 1}, 0},
};
enum { BUILDS = sizeof builds / sizeof builds[0], SIZES = 10, LOOKAHEAD = 2 };

/* Slope of log y over log x, by least squares. */
static double slope(const double *x, const double *y, int count)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < count; k++) {
        if (!(x[k] > 0) || !(y[k] > 0))
            continue;
        const double u = log(x[k]), v = log(y[k]);
        n++, sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* The shortest of a few runs of small ones. */
static double build_seconds(const mesh *m, const bvp_hierarchy_spec *spec, char problem[300])
{
    double best = NAN;
    for (int run = 0; run < (m->count < 100000 ? 3 : 1); run++) {
        packed pack;
        if (packed_make(&pack, m, spec, false))
            best = fmin(best, pack.seconds);
        else
            snprintf(problem, 300, "%s", pack.problem);
        packed_drop(&pack);
    }
    return best;
}

static void claim_build(const double sizes[SIZES], double times[BUILDS][SIZES], int count,
                        const char *problem)
{
    claim linear = {.text = "boxtrees are built in time linear in the number of polygons",
                    .figure = "figure 5, O(n)"};
    claim speed = {.text = "boxtrees are built fast enough for load time",
                   .figure = "20,000 polygons a second at 1 GHz"};
    const double exponent = slope(sizes, times[0], count);
    const double rate = sizes[count - 1] / times[0][count - 1];
    if (isnan(exponent)) {
        linear.verdict = speed.verdict = NOT_MEASURED;
        snprintf(linear.ours, sizeof linear.ours, "%s", problem);
        snprintf(speed.ours, sizeof speed.ours, "%s", problem);
    } else {
        linear.verdict = exponent < 1.15 ? HOLDS : DOES_NOT_HOLD;
        snprintf(linear.ours, sizeof linear.ours,
                 "time grows as n to the %.3f from %.0f to %.0f triangles (volume criterion)",
                 exponent, sizes[0], sizes[count - 1]);
        snprintf(linear.why, sizeof linear.why, "%s",
                 linear.verdict == HOLDS ? "" : "each level costs n, and there are log n levels");
        speed.verdict = rate > 20000 ? HOLDS : DOES_NOT_HOLD;
        snprintf(speed.ours, sizeof speed.ours,
                 "%.0f triangles a second at %.0f triangles, one thread, geometry packed as well",
                 rate, sizes[count - 1]);
    }
    tell(&linear);
    tell(&speed);
}

static void figure5(const setup *setup)
{
    double sizes[SIZES], times[BUILDS][SIZES];
    int count = 0;
    char problem[300] = "";
    plot p = {.name = "boxtree_figure5",
              .title = "Figure 5: build time of boxtrees (torus)",
              .x_label = "triangles",
              .y_label = "seconds",
              .x_log = true,
              .y_log = true,
              .series_count = BUILDS};
    table_begin(
        "boxtree_figure5", "Figure 5: build time, torus, one thread",
        "triangles|volume, s|longest side, s|look-ahead, s|sah, 3 planes, leaf 8, s|volume, "
        "triangles a second");
    for (uint64_t n = 1000; n <= setup_count(setup, 2048000); n *= n < 128000 ? 2 : 4) {
        mesh m;
        mesh_torus(&m, n, 0.7, 0.3);
        sizes[count] = (double)m.count;
        for (int k = 0; k < BUILDS; k++)
            times[k][count] =
                k == LOOKAHEAD && n > 128000 ? NAN : build_seconds(&m, &builds[k].spec, problem);
        table_row("%llu|%.4g|%.4g|%.4g|%.4g|%.0f", (unsigned long long)m.count, times[0][count],
                  times[1][count], times[2][count], times[3][count],
                  (double)m.count / times[0][count]);
        mesh_free(&m);
        count++;
    }
    table_end();
    if (problem[0] != '\0')
        report_text("nan: not measured: %s", problem);
    report_text("nan: look-ahead is left out above 128,000 triangles. The geometry is packed as "
                "well, in the same time.");
    for (int k = 0; k < BUILDS; k++)
        p.series[k] = (plot_series){builds[k].name, sizes, times[k], count, false};
    plot_lines(&p);
    claim_build(sizes, times, count, problem);
}

/* ---- figure 7: overlap tests ----------------------------------------------------------------- */

enum { TESTS = 4, DISTANCES = 12 };
static const bvp_box_test tests[TESTS] = {BVP_TEST_ALIGNED, BVP_TEST_LOOKUP, BVP_TEST_SAT_LITE,
                                          BVP_TEST_SAT};
static const char *const test_names[TESTS] = {"aligned", "lookup", "SAT lite", "SAT"};

static double distance_at(int step)
{
    return 0.5 + 0.15 * step;
}

typedef struct figure7_result {
    double us[TESTS][DISTANCES], total[TESTS], boxes[TESTS];
    bool ok[TESTS];
} figure7_result;

static void figure7_tests(const setup *setup, const mesh *m, const candidate *form,
                          figure7_result *out, char problem[300])
{
    candidate candidates[TESTS];
    suite s;
    *out = (figure7_result){.total = {0}};
    for (int k = 0; k < TESTS; k++) {
        candidates[k] = *form;
        candidates[k].name = test_names[k];
        candidates[k].test = tests[k];
    }
    suite_open(&s, candidates, TESTS, m, NULL);
    for (int d = 0; d < DISTANCES; d++) {
        double *poses = tumble_placements(distance_at(d), 1000);
        const int count =
            measure(s.subjects, s.subject_count, ASK_COLLIDE, poses, 1000, 2 * setup->effort);
        for (int k = 0; k < TESTS; k++) {
            const subject *r = suite_subject(&s, k);
            out->ok[k] = r != NULL;
            out->us[k][d] = r == NULL ? NAN : 1e6 * r->seconds;
            out->total[k] += out->us[k][d] / DISTANCES;
            out->boxes[k] += r == NULL ? 0 : (double)r->stats.boxes / count / DISTANCES;
        }
        free(poses);
    }
    for (int k = 0; k < TESTS; k++)
        if (!out->ok[k])
            snprintf(problem, 300, "%s", s.problem[k]);
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
    table_begin(name, title, "distance|aligned, us|lookup, us|SAT lite, us|SAT, us");
    for (int d = 0; d < DISTANCES; d++) {
        x[d] = distance_at(d);
        table_row("%.2f|%.2f|%.2f|%.2f|%.2f", x[d], r->us[0][d], r->us[1][d], r->us[2][d],
                  r->us[3][d]);
    }
    table_row("mean|%.2f|%.2f|%.2f|%.2f", r->total[0], r->total[1], r->total[2], r->total[3]);
    table_row("box tests a query|%.0f|%.0f|%.0f|%.0f", r->boxes[0], r->boxes[1], r->boxes[2],
              r->boxes[3]);
    table_end();
    for (int k = 0; k < TESTS; k++)
        p.series[k] = (plot_series){test_names[k], x, r->us[k], DISTANCES, false};
    plot_lines(&p);
}

static void claim_figure7(const figure7_result *paper_form, const figure7_result *best_form,
                          const char *problem)
{
    claim lite = {.text = "SAT lite is the fastest of the overlap tests", .figure = "figure 7"};
    claim lookup = {.text = "lookup tables gain at most 8 %",
                    .figure = "<= 8 %, slower when small"};
    const double *t = paper_form->total, *u = best_form->total;
    if (!(paper_form->ok[0] && paper_form->ok[1] && paper_form->ok[2] && paper_form->ok[3])) {
        lite.verdict = lookup.verdict = NOT_MEASURED;
        snprintf(lite.ours, sizeof lite.ours, "%s", problem);
        snprintf(lookup.ours, sizeof lookup.ours, "%s", problem);
    } else {
        lite.verdict = t[2] <= t[0] && t[2] <= t[3] ? HOLDS : DOES_NOT_HOLD;
        snprintf(lite.ours, sizeof lite.ours,
                 "one f32 plane, leaves of 1: aligned %.1f, SAT lite %.1f, SAT %.1f us a query; "
                 "three 8-bit planes, leaves of 8: %.1f, %.1f, %.1f",
                 t[0], t[2], t[3], u[0], u[2], u[3]);
        if (lite.verdict == DOES_NOT_HOLD)
            snprintf(lite.why, sizeof lite.why,
                     "box tests a query: aligned %.0f, SAT lite %.0f, SAT %.0f: what a test costs "
                     "is mostly fetching and decoding the nodes, so the fewer pairs win",
                     paper_form->boxes[0], paper_form->boxes[2], paper_form->boxes[3]);
        const double gain = 100 * (1 - u[1] / u[0]);
        lookup.verdict = gain <= 8 ? HOLDS : DOES_NOT_HOLD;
        snprintf(lookup.ours, sizeof lookup.ours,
                 "gain %.1f %%, of 8-bit offsets (a float offset has no table: aligned and lookup "
                 "are then one test)",
                 gain);
    }
    tell(&lite);
    tell(&lookup);
}

static void figure7(const setup *setup)
{
    mesh m;
    figure7_result paper_form, best_form;
    char problem[300] = "";
    if (!setup_model(setup, "cycloidal", &m))
        return;
    figure7_tests(setup, &m, &candidate_boxtree_paper, &paper_form, problem);
    figure7_table("boxtree_figure7",
                  "Figure 7: overlap tests, cycloidal, one f32 plane, leaves of 1", &paper_form);
    figure7_tests(setup, &m, &candidate_boxtree_best, &best_form, problem);
    figure7_table("boxtree_figure7_best", "Figure 7 again: at most three 8-bit planes, leaves of 8",
                  &best_form);
    report_text(
        "Two copies, one of which tumbles; a boolean query a step; means over the turn.%s%s",
        problem[0] != '\0' ? " nan: not measured: " : "", problem);
    claim_figure7(&paper_form, &best_form, problem);
    mesh_free(&m);
}

/* ---- figure 8: against DOP trees ------------------------------------------------------------- */

enum { FIGURE8_KINDS = 5, FIGURE8_OBJECTS = 9, FIGURE8_DISTANCES = 6 };

typedef struct figure8_result {
    double us[FIGURE8_KINDS][FIGURE8_OBJECTS], boxes[FIGURE8_KINDS][FIGURE8_OBJECTS];
    double bytes[FIGURE8_KINDS];
    char label[FIGURE8_OBJECTS][40];
    int count;
} figure8_result;

static const char *const figure8_names[FIGURE8_KINDS] = {"boxtree, 1 f32 plane, leaf 1",
                                                         "boxtree, 3 planes, leaf 8", "24-DOP tree",
                                                         "sphere tree", "wide"};

static void figure8_object(const setup *setup, const mesh *m, figure8_result *out)
{
    const candidate candidates[3] = {candidate_boxtree_paper, candidate_boxtree_best,
                                     candidate_wide};
    static const int column[FIGURE8_KINDS] = {0, 1, 4, 2, 3}; /* of s's candidates */
    base_tree dops, spheres;
    suite s;
    suite_open(&s, candidates, 3, m, NULL);
    dop_tree_build(&dops, m);
    sphere_tree_build(&spheres, m);
    suite_add_base(&s, "24-DOP tree", &dops, &dops, dop_tree_pairs);
    suite_add_base(&s, "sphere tree", &spheres, &spheres, sphere_tree_pairs);
    double total[FIGURE8_KINDS] = {0}, boxes[FIGURE8_KINDS] = {0};
    for (int d = 0; d < FIGURE8_DISTANCES; d++) {
        double *poses = tumble_placements(0.9 + 0.2 * d, 500);
        const int asked =
            measure(s.subjects, s.subject_count, ASK_COLLIDE, poses, 500, 1.5 * setup->effort);
        for (int k = 0; k < s.count; k++) {
            const subject *r = suite_subject(&s, k);
            total[column[k]] += r == NULL ? NAN : 1e6 * r->seconds / FIGURE8_DISTANCES;
            boxes[column[k]] +=
                r == NULL ? NAN : (double)r->stats.boxes / asked / FIGURE8_DISTANCES;
        }
        free(poses);
    }
    for (int k = 0; k < FIGURE8_KINDS; k++) {
        out->us[k][out->count] = total[k];
        out->boxes[k][out->count] = boxes[k];
    }
    for (int k = 0; k < 3; k++)
        out->bytes[column[k]] = suite_pack(&s, k) == NULL ? NAN : packed_bytes(suite_pack(&s, k));
    out->bytes[2] = 2 * (4 * DOP_FLOATS + 4);
    out->bytes[3] = 2 * (4 * SPHERE_FLOATS + 4);
    suite_close(&s);
    base_tree_free(&dops);
    base_tree_free(&spheres);
}

static void figure8_row(const setup *setup, mesh *m, figure8_result *r)
{
    const int k = r->count;
    figure8_object(setup, m, r);
    snprintf(r->label[k], sizeof r->label[k], "%.8s %lluk", m->name,
             (unsigned long long)(m->count + 500) / 1000);
    table_row("%s|%llu|%.1f|%.1f|%.1f|%.1f|%.2f|%.0f|%.0f|%.0f|%.1f|%.1f", m->name,
              (unsigned long long)m->count, r->us[0][k], r->us[1][k], r->us[2][k], r->us[3][k],
              r->us[4][k], r->boxes[0][k], r->boxes[1][k], r->boxes[2][k], r->bytes[0],
              r->bytes[1]);
    r->count++;
    mesh_free(m);
}

static void claim_figure8(const figure8_result *r)
{
    claim fast = {.text = "boxtrees are about as fast as DOP trees", .figure = "figure 8"};
    double log_paper = 0, log_best = 0, log_tests = 0, log_each = 0;
    for (int k = 0; k < r->count; k++) {
        log_paper += log(r->us[0][k] / r->us[2][k]) / r->count;
        log_best += log(r->us[1][k] / r->us[2][k]) / r->count;
        log_tests += log(r->boxes[0][k] / r->boxes[2][k]) / r->count;
        log_each += log(r->us[0][k] / r->boxes[0][k] * r->boxes[2][k] / r->us[2][k]) / r->count;
    }
    fast.verdict = isnan(log_paper) ? NOT_MEASURED : exp(log_paper) < 1.5 ? HOLDS : DOES_NOT_HOLD;
    snprintf(fast.ours, sizeof fast.ours,
             "time over the DOP tree's, geometric mean over %d objects: one f32 plane %.2f, three "
             "8-bit planes with leaves of 8 %.2f; bytes a triangle %.1f and %.1f against %.0f",
             r->count, exp(log_paper), exp(log_best), r->bytes[0], r->bytes[1], r->bytes[2]);
    if (fast.verdict == DOES_NOT_HOLD)
        snprintf(fast.why, sizeof fast.why,
                 "one plane a node is loose, a box is mended one side a level: %.2f times the "
                 "DOP tree's box tests (geometric mean), each at %.2f of its time; with up to "
                 "three planes and leaves of 8 the factor is %.2f at a fraction of the bytes",
                 exp(log_tests), exp(log_each), exp(log_best));
    tell(&fast);
}

static void figure8(const setup *setup)
{
    static const char *const models[] = {"cycloidal", "link_3", "counter"};
    static const uint64_t sizes[] = {10000, 40000, 160000};
    figure8_result r = {.count = 0};
    const char *labels[FIGURE8_OBJECTS];
    double x[FIGURE8_OBJECTS];
    mesh m;
    plot p = {.name = "boxtree_figure8",
              .title = "Figure 8: boxtrees against DOP trees",
              .x_label = "object, triangles",
              .y_label = "microseconds a query",
              .y_log = true,
              .series_count = FIGURE8_KINDS};
    table_begin(
        "boxtree_figure8", "Figure 8: mean over six distances, 0.9 to 1.9",
        "object|triangles|boxtree, 1 f32 plane, leaf 1, us|boxtree, 3 planes, leaf 8, "
        "us|24-DOP tree, us|sphere tree, us|wide, us|box tests, 1 plane|3 planes|24-DOP|B/tri, 1 "
        "plane|B/tri, 3 planes");
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
    for (int k = 0; k < r.count; k++) {
        x[k] = k;
        labels[k] = r.label[k];
    }
    for (int k = 0; k < FIGURE8_KINDS; k++)
        p.series[k] = (plot_series){figure8_names[k], x, r.us[k], r.count, false};
    plot_bars(&p, labels);
    claim_figure8(&r);
}

/* ---- construction: section 4.2 --------------------------------------------------------------- */

static void construction(const setup *setup)
{
    static const bvp_split splits[] = {BVP_SPLIT_VOLUME, BVP_SPLIT_LONGEST,  BVP_SPLIT_LOOKAHEAD,
                                       BVP_SPLIT_SAH,    BVP_SPLIT_MIDPOINT, BVP_SPLIT_MEDIAN};
    enum { SPLITS = sizeof splits / sizeof splits[0] };
    candidate candidates[2 * SPLITS];
    suite s;
    mesh m;
    if (!setup_model(setup, "cycloidal", &m))
        return;
    for (int k = 0; k < 2 * SPLITS; k++) {
        candidates[k] = k < SPLITS ? candidate_boxtree_paper : candidate_boxtree_best;
        candidates[k].name = split_name(splits[k % SPLITS]);
        candidates[k].spec.split = splits[k % SPLITS];
    }
    suite_open(&s, candidates, 2 * SPLITS, &m, NULL);
    double *poses = tumble_placements(1.1, 1000);
    const int count =
        measure(s.subjects, s.subject_count, ASK_COLLIDE, poses, 1000, 8 * setup->effort);
    table_begin("boxtree_splits", "Section 4.2: construction, cycloidal at distance 1.1",
                "split|form|build, s|area cost|B/tri|box tests a query|us a query");
    for (int k = 0; k < 2 * SPLITS; k++) {
        const subject *r = suite_subject(&s, k);
        const packed *pack = suite_pack(&s, k);
        const char *form = k < SPLITS ? "1 f32 plane, leaf 1" : "3 planes, 8 bit, leaf 8";
        if (r == NULL)
            table_row("%s|%s|not measured: %s||||", candidates[k].name, form, s.problem[k]);
        else
            table_row("%s|%s|%.3f|%.1f|%.2f|%.0f|%.1f", candidates[k].name, form, pack->seconds,
                      pack->info.area_cost, packed_bytes(pack), (double)r->stats.boxes / count,
                      1e6 * r->seconds);
    }
    table_end();
    report_text("volume: all axes, three cases; longest: the paper's variant on the longest side; "
                "look-ahead: its future work, two levels judged, perpendicular planes allowed.");
    free(poses);
    suite_close(&s);
    mesh_free(&m);
}

/* ---- empty space: section 3.1 ---------------------------------------------------------------- */

static void empty_row(const mesh *m, double *median_sum, double *inner_sum, int *count)
{
    packed pack;
    volume_tree tree;
    bvp_file *file = NULL;
    if (packed_make(&pack, m, &candidate_aabb_paper.spec, false))
        file = packed_open(&pack, BVP_KIND_AABB, BVP_TEST_DEFAULT);
    if (file == NULL || !volume_tree_read(&tree, file, BVP_KIND_AABB)) {
        table_row("%s|%llu|not measured: %s||||", m->name, (unsigned long long)m->count,
                  pack.problem);
    } else {
        uint32_t usable, inner_count;
        double *shares = volume_tree_empty(&tree, false, &usable);
        double *inner = volume_tree_empty(&tree, true, &inner_count);
        table_row("%s|%llu|%.1f|%.1f|%.1f|%.1f|%.1f", m->name, (unsigned long long)m->count,
                  100 * shares[usable / 4], 100 * shares[usable / 2], 100 * shares[usable * 3 / 4],
                  100.0 * (tree.count - usable) / tree.count, 100 * inner[inner_count / 2]);
        *inner_sum += 100 * inner[inner_count / 2];
        free(inner);
        *median_sum += 100 * shares[usable / 2];
        ++*count;
        free(shares);
        volume_tree_free(&tree);
    }
    bvp_close(file);
    packed_drop(&pack);
}

static void empty_space(const setup *setup)
{
    static const char *const models[] = {"cycloidal", "link_3", "counter", "featuretype",
                                         "unitree_r1"};
    claim space = {.text =
                       "half of an AABB tree's nodes leave about 10 % of their parent's box empty",
                   .figure = "about 10 % (three objects)"};
    double sum = 0, inner = 0;
    int count = 0;
    mesh m;
    table_begin("boxtree_empty", "Section 3.1: empty space between a node's box and its parent's",
                "model|triangles|first quartile, %|median, %|third quartile, %|boxes without "
                "volume, %|median of inner nodes, %");
    for (int k = 0; k < 5; k++)
        if (setup_model(setup, models[k], &m)) {
            empty_row(&m, &sum, &inner, &count);
            mesh_free(&m);
        }
    table_end();
    report_text("The side at which the parent was split is left out, as in the paper; AABB tree, "
                "midpoint split, leaves of 1.");
    if (count == 0) {
        space.verdict = NOT_MEASURED;
    } else {
        space.verdict = sum / count <= 20 ? HOLDS : DOES_NOT_HOLD;
        snprintf(space.ours, sizeof space.ours,
                 "median %.1f %%, of inner nodes alone %.1f %%, mean of %d models", sum / count,
                 inner / count, count);
        if (space.verdict == DOES_NOT_HOLD)
            snprintf(
                space.why, sizeof space.why,
                "half of all nodes are single triangles, whose boxes shrink on several sides at "
                "once; and CAD models of long thin triangles leave more space than the paper's; "
                "that is why two or three planes a node pay");
    }
    tell(&space);
}

void papers_boxtree(const setup *setup)
{
    report_heading("BoxTree: Zachmann, Minimal hierarchical collision detection, 2002");
    table1(setup);
    figure5(setup);
    figure7(setup);
    figure8(setup);
    construction(setup);
    empty_space(setup);
}
