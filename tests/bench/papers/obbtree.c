/* SPDX-License-Identifier: MIT
 * obbtree.c: the tables and figures of Gottschalk, Lin, Manocha, OBBTree: a hierarchical structure
 * for rapid interference detection, 1996, but for models and scenes: obbtree_models.c,
 * obbtree_scenes.c.
 */
#include "obbtree_parts.h"
#include "ops.h"
#include "plot.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void tell(claim *c, const char *evidence)
{
    c->paper = "OBBTree";
    c->evidence = evidence;
    report_claim(c);
}

/* ---- operations of the overlap test ---------------------------------------------------------- */

static void operations(void)
{
    ops all[3], whole;
    claim less = {.text = "the box test takes fewer than 200 operations, fewer for rectangles",
                  .figure = "< 200"};
    for (int k = 0; k < 3; k++)
        ops_axes_worst(k == 2, k >= 1, &all[k]);
    table_begin("obbtree_ops", "Operations of the 15 axis tests, worst case, counted",
                "operation|#box, box|#box, rectangle|#rectangle, rectangle");
    table_row("compare|%llu|%llu|%llu", (unsigned long long)all[0].cmp,
              (unsigned long long)all[1].cmp, (unsigned long long)all[2].cmp);
    table_row("add, subtract|%llu|%llu|%llu", (unsigned long long)all[0].add,
              (unsigned long long)all[1].add, (unsigned long long)all[2].add);
    table_row("multiply|%llu|%llu|%llu", (unsigned long long)all[0].mul,
              (unsigned long long)all[1].mul, (unsigned long long)all[2].mul);
    table_row("magnitude|%llu|%llu|%llu", (unsigned long long)all[0].abs,
              (unsigned long long)all[1].abs, (unsigned long long)all[2].abs);
    table_row("all|%llu|%llu|%llu", (unsigned long long)ops_sum(&all[0]),
              (unsigned long long)ops_sum(&all[1]), (unsigned long long)ops_sum(&all[2]));
    table_end();
    less.verdict = verdict_of(ops_sum(&all[0]) < 200 && ops_sum(&all[1]) < ops_sum(&all[0]));
    snprintf(less.ours, sizeof less.ours, "%llu, %llu and %llu",
             (unsigned long long)ops_sum(&all[0]), (unsigned long long)ops_sum(&all[1]),
             (unsigned long long)ops_sum(&all[2]));
    ops_obb_worst(&whole);
    snprintf(less.control, sizeof less.control,
             "with the relative rotation and translation of two boxes of a tree composed first, "
             "%llu",
             (unsigned long long)ops_sum(&whole));
    tell(&less, "obbtree_ops.csv");
}

/* ---- close proximity ------------------------------------------------------------------------- */

enum { AABB, OBB, OBB_SAH, WIDE, LIBRARY, FCL_BOXES = LIBRARY, FCL_BOTH, KINDS, GAPS = 14 };
static const candidate kinds[LIBRARY] = {
    {"aabb", {.kind = BVP_KIND_AABB, .leaf_size = 1, .split = BVP_SPLIT_MEAN}, BVP_TEST_SAT},
    {"obb (hull, mean)", {BVP_KIND_OBB, 1, BVP_SPLIT_MEAN, 0, 0, BVP_FIT_HULL}, BVP_TEST_SAT},
    {"obb (sah)", {.kind = BVP_KIND_OBB, .leaf_size = 1, .split = BVP_SPLIT_SAH}, BVP_TEST_SAT},
    {"wide", {.kind = BVP_KIND_WIDE, .leaf_size = 8}, BVP_TEST_DEFAULT}};
static const char *const kind_labels[KINDS] = {"aabb", "obb (hull, mean)", "obb (sah)",
                                               "wide", "FCL OBB",          "FCL OBBRSS"};

typedef struct proximity {
    double gap[GAPS], boxes[KINDS][GAPS], us[KINDS][GAPS], spread[GAPS];
} proximity;

static void take_gap(suite *s, const double placement[12], int at, proximity *out)
{
    measure(s->subjects, s->subject_count, ASK_COLLIDE, placement, 1, ROUNDS);
    for (int k = 0; k < KINDS; k++) {
        out->boxes[k][at] = suite_boxes(s, k, 1);
        out->us[k][at] = suite_us(s, k);
    }
    out->spread[at] = measure_spread(s->subjects, s->subject_count);
}

/* Of the part of the curve that is not level: least squares of the logarithms where y is below an
 * eighth of its largest. */
static double slope_of(const double *x, const double *y)
{
    double most = 0, low_x[GAPS], low_y[GAPS];
    int low = 0;
    for (int k = 0; k < GAPS; k++)
        most = fmax(most, y[k]);
    for (int k = 0; k < GAPS; k++)
        if (y[k] > 0 && y[k] < most / 8) {
            low_x[low] = x[k];
            low_y[low++] = y[k];
        }
    return low < 3 ? NAN : scene_slope(low_x, low_y, low);
}

static void show_proximity(const char *name, const char *title, const proximity *r, bool has_slopes)
{
    plot p = {.name = name,
              .title = title,
              .x_label = "gap (radius 1)",
              .y_label = "box tests a query",
              .x_log = true,
              .y_log = true,
              .series_count = fcl_is_there() ? KINDS : LIBRARY,
              .slope_count = has_slopes ? 2 : 0};
    double slope[2][KINDS];
    table_begin(name, title,
                "gap|#aabb, box tests|#obb (hull, mean)|#obb (sah)|#wide|#FCL OBB|#FCL "
                "OBBRSS|aabb, us|obb (hull, mean)|obb (sah)|wide|FCL OBB|FCL OBBRSS|spread of "
                "times, %");
    for (int k = 0; k < GAPS; k++)
        table_row("%.5f|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.0f",
                  r->gap[k], r->boxes[0][k], r->boxes[1][k], r->boxes[2][k], r->boxes[3][k],
                  r->boxes[4][k], r->boxes[5][k], r->us[0][k], r->us[1][k], r->us[2][k],
                  r->us[3][k], r->us[4][k], r->us[5][k], r->spread[k]);
    for (int k = 0; k < KINDS; k++) {
        slope[0][k] = slope_of(r->gap, r->boxes[k]);
        slope[1][k] = slope_of(r->gap, r->us[k]);
    }
    table_row("slope below an eighth of the top|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|"
              "%.2f|%.2f|",
              slope[0][0], slope[0][1], slope[0][2], slope[0][3], slope[0][4], slope[0][5],
              slope[1][0], slope[1][1], slope[1][2], slope[1][3], slope[1][4], slope[1][5]);
    table_end();
    for (int k = 0; k < p.series_count; k++)
        p.series[k] = (plot_series){kind_labels[k], r->gap, r->boxes[k], GAPS, NULL, NULL};
    p.slopes[0] = (plot_slope){r->gap[0], 1.5 * r->boxes[AABB][0], -2, "slope -2"};
    p.slopes[1] = (plot_slope){r->gap[0], 0.6 * r->boxes[OBB][0], -1, "slope -1"};
    plot_lines(&p);
}

static void claim_parallel(const proximity *r)
{
    claim slopes = {.text = "parallel close proximity: box tests grow as 1/gap with OBBs, as "
                            "1/gap^2 with AABBs",
                    .figure = "slopes -1 and -2, approximately, by its analysis"};
    claim level = {.text =
                       "the curves level off where the gap is below the triangles' own flatness, "
                       "OBBs' at the height of AABBs'",
                   .figure = "figure: both level, at one height"};
    const double aabb = slope_of(r->gap, r->boxes[AABB]), obb = slope_of(r->gap, r->boxes[OBB]);
    slopes.verdict = verdict_of(fabs(aabb + 2) < 0.35 && fabs(obb + 1) < 0.35);
    snprintf(slopes.ours, sizeof slopes.ours,
             "%.2f (OBB) and %.2f (AABB), of the part below an eighth of the top", obb, aabb);
    snprintf(slopes.control, sizeof slopes.control,
             "%.2f of FCL's OBB tree, %.2f of its OBBRSS tree; %.2f of an OBB tree that is cut by "
             "sah; of the times %.2f (OBB), %.2f (AABB), %.2f (FCL OBB)",
             slope_of(r->gap, r->boxes[FCL_BOXES]), slope_of(r->gap, r->boxes[FCL_BOTH]),
             slope_of(r->gap, r->boxes[OBB_SAH]), slope_of(r->gap, r->us[OBB]),
             slope_of(r->gap, r->us[AABB]), slope_of(r->gap, r->us[FCL_BOXES]));
    const double last_obb = log(r->boxes[OBB][GAPS - 1] / r->boxes[OBB][GAPS - 2]) / log(0.6);
    const double last_aabb = log(r->boxes[AABB][GAPS - 1] / r->boxes[AABB][GAPS - 2]) / log(0.6);
    const double height = r->boxes[AABB][GAPS - 1] / r->boxes[OBB][GAPS - 1];
    level.verdict = verdict_of(last_obb > -0.5 && last_aabb > -0.5 && height < 2 && height > 0.5);
    snprintf(level.ours, sizeof level.ours,
             "at the smallest gap %.0f (OBB) and %.0f (AABB) box tests, local slopes %.2f and %.2f",
             r->boxes[OBB][GAPS - 1], r->boxes[AABB][GAPS - 1], last_obb, last_aabb);
    snprintf(level.control, sizeof level.control,
             "FCL's OBB tree %.0f, local slope %.2f; an OBB tree that is cut by sah %.0f, %.2f",
             r->boxes[FCL_BOXES][GAPS - 1],
             log(r->boxes[FCL_BOXES][GAPS - 1] / r->boxes[FCL_BOXES][GAPS - 2]) / log(0.6),
             r->boxes[OBB_SAH][GAPS - 1],
             log(r->boxes[OBB_SAH][GAPS - 1] / r->boxes[OBB_SAH][GAPS - 2]) / log(0.6));
    tell(&slopes, "obbtree_parallel.csv");
    tell(&level, "obbtree_parallel.csv");
}

/* A pair of shells that are nowhere nearer than the gap. */
static void parallel(void)
{
    const uint64_t n = 20000;
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    proximity r = {.gap = {0}};
    mesh inner;
    mesh_sphere(&inner, n, 1);
    for (int k = 0; k < GAPS; k++) {
        suite s;
        mesh outer;
        r.gap[k] = 0.5 * pow(0.6, k);
        mesh_sphere(&outer, n, 1 + r.gap[k]);
        suite_open(&s, kinds, LIBRARY, &inner, &outer);
        if (fcl_is_there())
            suite_add_fcl(&s, &inner, &outer);
        take_gap(&s, identity, k, &r);
        suite_close(&s);
        mesh_free(&outer);
    }
    show_proximity("obbtree_parallel", "Parallel close proximity: concentric spheres", &r, true);
    report_text("%llu triangles each; boolean queries; leaves of one but for the wide hierarchy; "
                "the AABB tree is cut like the OBB tree, as in the paper; nan: FCL is not there.",
                (unsigned long long)inner.count);
    claim_parallel(&r);
    mesh_free(&inner);
}

static void point(const setup *setup)
{
    proximity r = {.gap = {0}};
    claim fewer = {.text = "point close proximity: OBBs need asymptotically fewer box tests",
                   .figure = "the curves diverge as the gap shrinks"};
    mesh m;
    suite s;
    mesh_sphere(&m, 20000, 1);
    suite_open(&s, kinds, LIBRARY, &m, NULL);
    if (fcl_is_there())
        suite_add_fcl(&s, &m, NULL);
    for (int k = 0; k < GAPS; k++) {
        double placement[12];
        r.gap[k] = 0.5 * pow(0.5, k);
        pose_shift(1.2 * (1 + r.gap[k] / 2), 1.6 * (1 + r.gap[k] / 2), 0, placement);
        take_gap(&s, placement, k, &r);
    }
    show_proximity("obbtree_point", "Point close proximity: two spheres side by side", &r, false);
    if (!setup->is_check) {
        const double first = r.boxes[AABB][0] / r.boxes[OBB][0];
        const double last = r.boxes[AABB][GAPS - 1] / r.boxes[OBB][GAPS - 1];
        fewer.verdict = verdict_of(last > 1.3 * first && last > 1);
        snprintf(fewer.ours, sizeof fewer.ours,
                 "box tests of AABBs over OBBs: %.2f at gap %.3g, %.2f at gap %.3g", first,
                 r.gap[0], last, r.gap[GAPS - 1]);
        snprintf(fewer.control, sizeof fewer.control,
                 "of AABBs over FCL's OBB tree: %.2f and %.2f; the time of AABBs over our OBBs: "
                 "%.2f and %.2f",
                 r.boxes[AABB][0] / r.boxes[FCL_BOXES][0],
                 r.boxes[AABB][GAPS - 1] / r.boxes[FCL_BOXES][GAPS - 1],
                 r.us[AABB][0] / r.us[OBB][0], r.us[AABB][GAPS - 1] / r.us[OBB][GAPS - 1]);
        tell(&fewer, "obbtree_point.csv");
    }
    suite_close(&s);
    mesh_free(&m);
}

/* ---- levels ---------------------------------------------------------------------------------- */

enum { LEVELS = 15, TREES = 2 };

/* Of a level of a tree, leaves that end above it among them: means over its boxes. */
typedef struct level {
    double count, thickness, diameter, volume; /* volume: the sum */
} level;

static int read_levels(const mesh *m, const candidate *c, level out[LEVELS])
{
    packed pack;
    volume_tree tree;
    bvp_file *file = NULL;
    int most = 0;
    if (!packed_make(&pack, m, &c->spec, false))
        return 0;
    file = packed_open(&pack, c->spec.kind, BVP_TEST_DEFAULT);
    if (file == NULL || !volume_tree_read(&tree, file, c->spec.kind))
        return 0;
    uint8_t *depth = scene_allocate(tree.count);
    depth[0] = 0;
    for (uint32_t k = 0; k < tree.count; k++) {
        const volume *v = &tree.nodes[k];
        const double *h = v->half;
        if (k > 0)
            depth[k] = (uint8_t)(depth[v->parent] + 1);
        const int last = v->child == 0 ? LEVELS - 1 : depth[k];
        for (int at = depth[k]; at <= last && at < LEVELS; at++) {
            out[at].count++;
            out[at].thickness += 2 * fmin(h[0], fmin(h[1], h[2]));
            out[at].diameter += 2 * sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
            out[at].volume += 8 * h[0] * h[1] * h[2];
        }
        most = depth[k] > most ? depth[k] : most;
    }
    for (int at = 0; at < LEVELS; at++) {
        out[at].thickness /= out[at].count;
        out[at].diameter /= out[at].count;
    }
    free(depth);
    volume_tree_free(&tree);
    bvp_close(file);
    packed_drop(&pack);
    return most;
}

/* How the thickness of boxes follows their diameter, where they are many and not yet triangles. */
static double tightness_slope(const level of[LEVELS])
{
    enum { FIRST = 5, LAST = 11 };
    double x[LEVELS], y[LEVELS];
    for (int k = FIRST; k <= LAST; k++) {
        x[k - FIRST] = of[k].diameter;
        y[k - FIRST] = of[k].thickness;
    }
    return scene_slope(x, y, LAST - FIRST + 1);
}

static void levels(const setup *setup)
{
    claim tight = {.text = "on smooth surfaces the thickness of OBBs falls as the square of their "
                           "diameter, of AABBs linearly",
                   .figure = "quadratic and linear, by its analysis"};
    level of[TREES][LEVELS] = {{{0}}};
    double x[LEVELS], y[TREES][LEVELS];
    mesh m;
    plot p = {.name = "obbtree_levels",
              .title = "Levels: volume of all boxes of a level (torus)",
              .x_label = "level (0: the root)",
              .y_label = "sum of volumes",
              .y_log = true,
              .series_count = TREES};
    mesh_torus(&m, 40000, 0.7, 0.3);
    for (int k = 0; k < TREES; k++)
        read_levels(&m, &kinds[k], of[k]);
    table_begin("obbtree_levels", "Levels of trees over a torus",
                "level|#aabb: boxes|#mean thickness|#mean diameter|#sum of volumes|#obb (hull, "
                "mean): boxes|#mean thickness|#mean diameter|#sum of volumes");
    for (int at = 0; at < LEVELS; at++) {
        const level *a = &of[0][at], *o = &of[1][at];
        table_row("%d|%.0f|%.4f|%.4f|%.4f|%.0f|%.4f|%.4f|%.4f", at, a->count, a->thickness,
                  a->diameter, a->volume, o->count, o->thickness, o->diameter, o->volume);
        x[at] = at;
        for (int k = 0; k < TREES; k++)
            y[k][at] = of[k][at].volume;
    }
    table_end();
    report_text("%llu triangles, both cut at the mean; a leaf counts on all levels below it.",
                (unsigned long long)m.count);
    for (int k = 0; k < TREES; k++)
        p.series[k] = (plot_series){kinds[k].name, x, y[k], LEVELS, NULL, NULL};
    plot_lines(&p);
    const double aabb = tightness_slope(of[AABB]), obb = tightness_slope(of[OBB]);
    tight.verdict = verdict_of(fabs(aabb - 1) < 0.35 && fabs(obb - 2) < 0.35);
    snprintf(tight.ours, sizeof tight.ours,
             "thickness falls as the diameter to the %.2f (OBB) and %.2f (AABB), levels 5 to 11",
             obb, aabb);
    snprintf(tight.control, sizeof tight.control,
             "on level 10 the boxes' volumes sum to %.4f (OBB) and %.4f (AABB), of as many boxes "
             "(%.0f and %.0f)",
             of[OBB][10].volume, of[AABB][10].volume, of[OBB][10].count, of[AABB][10].count);
    if (!setup->is_check)
        tell(&tight, "obbtree_levels.csv");
    mesh_free(&m);
}

void papers_obbtree(const setup *setup)
{
    report_heading("OBBTree: Gottschalk, Lin, Manocha, OBBTree: a hierarchical structure for rapid "
                   "interference detection, 1996");
    operations();
    levels(setup);
    point(setup);
    if (setup->is_check)
        return;
    obbtree_models(setup);
    obbtree_build(setup);
    parallel();
    obbtree_scenes(setup);
}
