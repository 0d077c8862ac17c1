/* SPDX-License-Identifier: MIT
 * obbtree_models.c: OBB trees of models, by how boxes are fitted and sets are cut, beside FCL's;
 * and how building grows: Gottschalk 1996, section 4.
 */
#include "obbtree_parts.h"
#include "plot.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void tell(claim *c, const char *evidence)
{
    c->evidence = evidence;
    report_claim(c);
}

/* ---- models ---------------------------------------------------------------------------------- */

enum { AABB, HULL, SURFACE, EXTREMES, HULL_SAH, SAH, WIDE, LIBRARY };
enum { FCL_BOXES = LIBRARY, FCL_BOTH, SPHERES, KINDS };
#define OBB_OF(rule, axes)                                                                         \
    {                                                                                              \
        BVP_KIND_OBB, 1, rule, 0, 0, axes                                                          \
    }
static const candidate kinds[LIBRARY] = {
    {"aabb, mean", {.kind = BVP_KIND_AABB, .leaf_size = 1, .split = BVP_SPLIT_MEAN}, BVP_TEST_SAT},
    {"obb, hull, mean", OBB_OF(BVP_SPLIT_MEAN, BVP_FIT_HULL), BVP_TEST_SAT},
    {"obb, surface, mean", OBB_OF(BVP_SPLIT_MEAN, BVP_FIT_SURFACE), BVP_TEST_SAT},
    {"obb, extremes, mean", OBB_OF(BVP_SPLIT_MEAN, BVP_FIT_EXTREMES), BVP_TEST_SAT},
    {"obb, hull, sah", OBB_OF(BVP_SPLIT_SAH, BVP_FIT_HULL), BVP_TEST_SAT},
    {"obb, extremes, sah", OBB_OF(BVP_SPLIT_SAH, BVP_FIT_EXTREMES), BVP_TEST_SAT},
    {"wide", {.kind = BVP_KIND_WIDE, .leaf_size = 8}, BVP_TEST_DEFAULT}};
static const char *const other_names[KINDS - LIBRARY] = {"FCL OBB", "FCL OBBRSS", "sphere tree"};

/* Sums of logarithms, and the worst models' ratios over FCL's better tree. */
typedef struct models_result {
    double boxes[KINDS], ms[KINDS], us[KINDS], build[KINDS];
    double worst_boxes[2], worst_ms[2]; /* hull and mean; the default */
    int count;
} models_result;

static void take_model(const suite *s, const double boxes[KINDS], const double ms[KINDS],
                       models_result *sum)
{
    static const int ours[2] = {HULL, SAH};
    for (int k = 0; k < KINDS; k++) {
        sum->boxes[k] += log(boxes[k]);
        sum->ms[k] += log(ms[k]);
        sum->us[k] += log(suite_us(s, k));
        sum->build[k] += k < LIBRARY ? log(suite_pack(s, k)->seconds) : 0;
    }
    for (int k = 0; k < 2; k++) {
        const double of_boxes = boxes[ours[k]] / fmin(boxes[FCL_BOXES], boxes[FCL_BOTH]);
        const double of_ms = ms[ours[k]] / fmin(ms[FCL_BOXES], ms[FCL_BOTH]);
        sum->worst_boxes[k] = fmax(sum->worst_boxes[k], of_boxes);
        sum->worst_ms[k] = fmax(sum->worst_ms[k], of_ms);
    }
    sum->count++;
}

static void model_rows(const setup *setup, const mesh *m, models_result *sum)
{
    enum { TIMED = 3 };
    const int all = setup_poses(setup, 6), some = setup_poses(setup, 40);
    double boxes[KINDS], ms[KINDS], triangles[KINDS], pairs[KINDS], spread[KINDS];
    base_tree spheres;
    suite s;
    suite_open(&s, kinds, LIBRARY, m, NULL);
    if (!fcl_is_there() || !suite_add_fcl(&s, m, NULL)) {
        suite_close(&s);
        return;
    }
    sphere_tree_build(&spheres, m);
    suite_add_base(&s, "sphere tree", &spheres, &spheres, sphere_tree_pairs);
    double *poses = random_placements(m, m, some, 0.6);
    /* the sphere tree is the last one, and too slow for all pairs */
    measure(s.subjects, s.subject_count - 1, ASK_PAIRS, poses, all, TIMED);
    for (int k = 0; k < KINDS; k++) {
        const bool is_asked = k != SPHERES;
        boxes[k] = is_asked ? suite_boxes(&s, k, all) : NAN;
        triangles[k] = is_asked ? suite_triangles(&s, k, all) : NAN;
        pairs[k] = is_asked ? suite_subject(&s, k)->sum / all : NAN;
        ms[k] = is_asked ? suite_us(&s, k) / 1e3 : NAN;
        spread[k] = is_asked ? measure_spread(suite_subject(&s, k), 1) : 0;
    }
    measure(s.subjects, s.subject_count, ASK_COLLIDE, poses, some, ROUNDS);
    for (int k = 0; k < KINDS; k++) {
        const double built = k < LIBRARY   ? suite_pack(&s, k)->seconds
                             : k < SPHERES ? s.fcl_seconds[k - LIBRARY]
                                           : spheres.seconds;
        table_row("%s|%llu|%s|%.1f|%.0f|%.0f|%.1f|%.3f|%.3f|%.1f|%.0f", m->name,
                  (unsigned long long)m->count,
                  k < LIBRARY ? kinds[k].name : other_names[k - LIBRARY], pairs[k], boxes[k],
                  triangles[k], suite_boxes(&s, k, some), ms[k], built, suite_us(&s, k),
                  fmax(spread[k], measure_spread(suite_subject(&s, k), 1)));
    }
    take_model(&s, boxes, ms, sum);
    free(poses);
    suite_close(&s);
    base_tree_free(&spheres);
}

static double over(const models_result *r, const double logs[KINDS], int a, int b)
{
    return exp((logs[a] - logs[b]) / r->count);
}

static void claim_models(const models_result *r)
{
    claim hull = {.paper = "OBBTree",
                  .text = "axes from the convex hull's surface fit better than from all triangles",
                  .figure = "the hull normalises the distribution of triangles"};
    claim spheres = {.paper = "OBBTree",
                     .text = "OBB trees are an order of magnitude faster than sphere trees",
                     .figure = "an order of magnitude, preliminary"};
    claim peer = {.paper = "requirement",
                  .text = "our OBB tree takes no more box tests and no more time than 1.1 times "
                          "FCL's better one",
                  .figure = "every model, all pairs"};
    hull.verdict = verdict_of(r->boxes[HULL] < r->boxes[SURFACE]);
    snprintf(hull.ours, sizeof hull.ours,
             "hull over surface, cut at the mean: %.2f of the box tests, %.2f of the time, all "
             "pairs; geometric means of %d models",
             over(r, r->boxes, HULL, SURFACE), over(r, r->ms, HULL, SURFACE), r->count);
    snprintf(hull.control, sizeof hull.control,
             "hull over the hull of extreme points %.2f of the box tests; cut by sah hull over "
             "extremes %.2f; hull over FCL's OBB, whose axes are of all vertices, %.2f; the hull "
             "takes %.1f times the time of the surface to build",
             over(r, r->boxes, HULL, EXTREMES), over(r, r->boxes, HULL_SAH, SAH),
             over(r, r->boxes, HULL, FCL_BOXES), over(r, r->build, HULL, SURFACE));
    const double faster = over(r, r->us, SPHERES, HULL);
    spheres.verdict = verdict_of(faster >= 8);
    snprintf(spheres.ours, sizeof spheres.ours,
             "a sphere tree takes %.1f times the time of an OBB tree (hull, mean), boolean queries",
             faster);
    snprintf(spheres.control, sizeof spheres.control,
             "of FCL's OBB tree %.1f times, of an AABB tree %.1f times",
             over(r, r->us, SPHERES, FCL_BOXES), over(r, r->us, SPHERES, AABB));
    peer.verdict = verdict_of(r->worst_boxes[0] <= 1.1 && r->worst_ms[0] <= 1.1);
    snprintf(peer.ours, sizeof peer.ours,
             "hull, mean: box tests %.2f, time %.2f (geometric means), %.2f and %.2f on the worst "
             "models",
             over(r, r->boxes, HULL, FCL_BOXES), over(r, r->ms, HULL, FCL_BOXES), r->worst_boxes[0],
             r->worst_ms[0]);
    snprintf(peer.control, sizeof peer.control,
             "the library's default, extremes and sah: box tests %.2f, time %.2f, on the worst "
             "models %.2f and %.2f; the wide hierarchy takes %.2f of FCL's time",
             over(r, r->boxes, SAH, FCL_BOXES), over(r, r->ms, SAH, FCL_BOXES), r->worst_boxes[1],
             r->worst_ms[1], over(r, r->ms, WIDE, FCL_BOXES));
    tell(&hull, "obbtree_models.csv");
    tell(&spheres, "obbtree_models.csv");
    tell(&peer, "obbtree_models.csv");
}

void obbtree_models(const setup *setup)
{
    static const char *const models[] = {"cycloidal", "featuretype", "link_3", "counter",
                                         "irb6640"};
    models_result sum = {.count = 0};
    mesh m;
    table_begin("obbtree_models", "OBB trees of models, beside FCL's",
                "model|triangles|hierarchy|#pairs a query|#box tests, all pairs|#triangle "
                "tests|#box tests, boolean|all pairs, ms|build (one run), s|boolean, us|spread of "
                "times, %");
    for (int k = 0; k < 5; k++)
        if (setup_model(setup, models[k], &m)) {
            model_rows(setup, &m, &sum);
            mesh_free(&m);
        }
    mesh_torus(&m, setup_count(setup, 40000), 0.7, 0.3);
    model_rows(setup, &m, &sum);
    mesh_free(&m);
    table_end();
    report_text("Two copies at random placements, about 60 %% of which collide: %d for all pairs, "
                "%d for boolean queries; leaves of one but for the wide hierarchy. FCL counts its "
                "own tests; its pairs are equal but for those that the last line of this chapter "
                "counts. Ours are built as part of a file, geometry included.",
                setup_poses(setup, 6), setup_poses(setup, 40));
    if (sum.count > 0)
        claim_models(&sum);
}

/* ---- building -------------------------------------------------------------------------------- */

enum { BUILDS = 3, SIZES = 7, RUNS = 3 };
enum { BY_SURFACE, BY_HULL, BY_FCL };

static scene_timing build_seconds(const mesh *m, int kind, double *nodes)
{
    double seconds[RUNS];
    for (int run = 0; run < RUNS; run++) {
        packed pack;
        if (kind == BY_FCL) {
            seconds[run] = NAN;
            if (fcl_is_there())
                fcl_tree_free(fcl_tree_build(FCL_OBB, m->tri, m->count, &seconds[run]));
            continue;
        }
        packed_make(&pack, m, &kinds[kind == BY_HULL ? HULL : SURFACE].spec, false);
        seconds[run] = pack.seconds;
        *nodes = (double)pack.info.node_count / (double)m->count;
        packed_drop(&pack);
    }
    return timing_of(seconds, RUNS);
}

void obbtree_build(const setup *setup)
{
    static const char *const names[BUILDS] = {"surface", "hull", "FCL OBB"};
    claim grows = {.paper = "OBBTree",
                   .text = "an OBB tree is built in O(n log n), with hulls in O(n log^2 n)",
                   .figure = "section 4"};
    claim boxes = {.paper = "OBBTree",
                   .text = "a tree has about two boxes a triangle",
                   .figure = "n leaves, n - 1 inner nodes"};
    double sizes[SIZES], t[BUILDS][SIZES], log1[SIZES], log2_[SIZES], slope[BUILDS], nodes = 0;
    char text[BUILDS][64];
    int count = 0;
    plot p = {.name = "obbtree_build",
              .title = "Time to build OBB trees (torus)",
              .x_label = "triangles",
              .y_label = "seconds",
              .x_log = true,
              .y_log = true,
              .series_count = fcl_is_there() ? BUILDS : BUILDS - 1,
              .slope_count = 1};
    table_begin("obbtree_build", "Building OBB trees, torus, cut at the mean, one thread",
                "triangles|#nodes a triangle|surface, s|hull, s|FCL OBB, s");
    for (uint64_t n = 1000; n <= setup_count(setup, 64000); n *= 2) {
        mesh m;
        mesh_torus(&m, n, 0.7, 0.3);
        sizes[count] = (double)m.count;
        for (int k = 0; k < BUILDS; k++) {
            const scene_timing built = build_seconds(&m, k, &nodes);
            t[k][count] = built.median;
            timing_text(&built, 4, text[k]);
        }
        log1[count] = sizes[count] * log2(sizes[count]);
        log2_[count] = log1[count] * log2(sizes[count]);
        table_row("%llu|%.4f|%s|%s|%s", (unsigned long long)m.count, nodes, text[0], text[1],
                  text[2]);
        mesh_free(&m);
        count++;
    }
    table_end();
    report_text("Medians of %d runs, least and most in brackets; ours with the geometry.", RUNS);
    for (int k = 0; k < BUILDS; k++) {
        slope[k] = scene_slope(sizes, t[k], count);
        p.series[k] = (plot_series){names[k], sizes, t[k], count, NULL, NULL};
    }
    p.slopes[0] = (plot_slope){sizes[0], t[BY_SURFACE][0] / 2, 1, "slope 1"};
    plot_lines(&p);
    const double once = scene_slope(sizes, log1, count), twice = scene_slope(sizes, log2_, count);
    grows.verdict = verdict_of(slope[BY_SURFACE] < once + 0.05 && slope[BY_HULL] < twice + 0.05);
    snprintf(grows.ours, sizeof grows.ours,
             "n to the %.3f (surface) and %.3f (hull) from %.0f to %.0f triangles",
             slope[BY_SURFACE], slope[BY_HULL], sizes[0], sizes[count - 1]);
    snprintf(grows.control, sizeof grows.control,
             "over these sizes n log n grows as n to the %.3f, n log^2 n as n to the %.3f; FCL's "
             "OBB tree as n to the %.3f",
             once, twice, slope[BY_FCL]);
    boxes.verdict = verdict_of(nodes > 1.9 && nodes <= 2);
    snprintf(boxes.ours, sizeof boxes.ours, "%.4f at %.0f triangles", nodes, sizes[count - 1]);
    snprintf(boxes.control, sizeof boxes.control, "2 - 1/n is %.4f", 2 - 1 / sizes[count - 1]);
    tell(&grows, "obbtree_build.csv");
    tell(&boxes, "obbtree_build.csv");
}
