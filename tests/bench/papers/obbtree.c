/* SPDX-License-Identifier: MIT
 * obbtree.c: the tables and figures of Gottschalk, Lin, Manocha, OBBTree: a hierarchical structure
 * for rapid interference detection, 1996.
 */
#include "ops.h"
#include "plot.h"
#include "papers_suite.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char paper[] = "OBBTree";

static void tell(claim *c)
{
    c->paper = paper;
    report_claim(c);
}

/* ---- operations of the overlap test ---------------------------------------------------------- */

static void operations(void)
{
    ops all[3];
    claim less = {.text = "the box test takes fewer than 200 operations, fewer for rectangles",
                  .figure = "< 200"};
    for (int k = 0; k < 3; k++)
        ops_axes_worst(k == 2, k >= 1, &all[k]);
    table_begin("obbtree_ops", "Operations of the 15 axis tests, worst case, counted",
                "operation|box, box|box, rectangle|rectangle, rectangle");
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
    less.verdict =
        ops_sum(&all[0]) < 200 && ops_sum(&all[1]) < ops_sum(&all[0]) ? HOLDS : DOES_NOT_HOLD;
    snprintf(less.ours, sizeof less.ours, "%llu, %llu and %llu",
             (unsigned long long)ops_sum(&all[0]), (unsigned long long)ops_sum(&all[1]),
             (unsigned long long)ops_sum(&all[2]));
    tell(&less);
}

/* ---- close proximity ------------------------------------------------------------------------- */

enum { GAPS = 14, KINDS = 3 };
static const candidate kinds[KINDS] = {
    {"aabb", {BVP_KIND_AABB, 1, BVP_SPLIT_MEAN, 0, 0}, BVP_TEST_SAT},
    {"obb", {BVP_KIND_OBB, 1, BVP_SPLIT_MEAN, 0, 0}, BVP_TEST_SAT},
    {"wide", {BVP_KIND_WIDE, 8, BVP_SPLIT_DEFAULT, 0, 0}, BVP_TEST_DEFAULT}};

typedef struct proximity {
    double gap[GAPS], boxes[KINDS][GAPS], us[KINDS][GAPS];
    char problem[300];
} proximity;

/* a and b apart by `gap` as placed. */
static void ask_gap(const mesh *a, const mesh *b, const double placement[12], int at,
                    const candidate *what, int first, int count, double budget, proximity *out)
{
    suite s;
    suite_open(&s, what, count, a, b);
    const int asked = measure(s.subjects, s.subject_count, ASK_COLLIDE, placement, 1, budget);
    for (int k = 0; k < count; k++) {
        const subject *r = suite_subject(&s, k);
        if (r == NULL)
            snprintf(out->problem, sizeof out->problem, "%s", s.problem[k]);
        out->boxes[first + k][at] = r == NULL ? NAN : (double)r->stats.boxes / asked;
        out->us[first + k][at] = r == NULL ? NAN : 1e6 * r->seconds;
    }
    suite_close(&s);
}

/* Of the part of the curve that is not level: least squares of the logarithms where y is below an
 * eighth of its largest. */
static double slope_of(const double *x, const double *y)
{
    double most = 0, n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < GAPS; k++)
        most = fmax(most, y[k]);
    for (int k = 0; k < GAPS; k++) {
        if (!(y[k] > 0 && y[k] < most / 8))
            continue;
        const double u = log(x[k]), v = log(y[k]);
        n++, sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    return n < 3 ? NAN : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void show_proximity(const char *name, const char *title, const proximity *r)
{
    plot p = {.name = name,
              .title = title,
              .x_label = "gap (radius 1)",
              .y_label = "box tests a query",
              .x_log = true,
              .y_log = true,
              .series_count = KINDS};
    table_begin(name, title, "gap|aabb, box tests|obb|wide|aabb, us|obb|wide");
    for (int k = 0; k < GAPS; k++)
        table_row("%.5f|%.0f|%.0f|%.0f|%.1f|%.1f|%.1f", r->gap[k], r->boxes[0][k], r->boxes[1][k],
                  r->boxes[2][k], r->us[0][k], r->us[1][k], r->us[2][k]);
    table_row("slope below an eighth of the top|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f",
              slope_of(r->gap, r->boxes[0]), slope_of(r->gap, r->boxes[1]),
              slope_of(r->gap, r->boxes[2]), slope_of(r->gap, r->us[0]), slope_of(r->gap, r->us[1]),
              slope_of(r->gap, r->us[2]));
    table_end();
    if (r->problem[0] != '\0')
        report_text("nan: not measured: %s", r->problem);
    for (int k = 0; k < KINDS; k++)
        p.series[k] = (plot_series){kinds[k].name, r->gap, r->boxes[k], GAPS, false};
    plot_lines(&p);
}

static void claim_parallel(const proximity *r)
{
    claim slopes = {.text =
                        "parallel close proximity: box tests grow as 1/gap with OBBs, as 1/gap^2 "
                        "with AABBs",
                    .figure = "slopes -1 and -2, approximately, by its analysis"};
    const double aabb = slope_of(r->gap, r->boxes[0]), obb = slope_of(r->gap, r->boxes[1]);
    slopes.verdict = isnan(aabb) || isnan(obb)                       ? NOT_MEASURED
                     : fabs(aabb + 2) < 0.35 && fabs(obb + 1) < 0.35 ? HOLDS
                                                                     : DOES_NOT_HOLD;
    snprintf(slopes.ours, sizeof slopes.ours,
             "%.2f (OBB) and %.2f (AABB); at the smallest gap %.0f and %.0f tests", obb, aabb,
             r->boxes[1][GAPS - 1], r->boxes[0][GAPS - 1]);
    if (slopes.verdict == NOT_MEASURED)
        snprintf(slopes.ours, sizeof slopes.ours, "%s", r->problem);
    if (slopes.verdict == DOES_NOT_HOLD)
        snprintf(slopes.why, sizeof slopes.why,
                 "the finite tessellation levels both curves off, and a quantised box is a little "
                 "wider than its contents: the slopes are of the part below an eighth of the top");
    tell(&slopes);
}

/* A pair of shells that are nowhere nearer than the gap. */
static void parallel(const setup *setup)
{
    const uint64_t n = 20000;
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    proximity r = {.problem = ""};
    mesh inner;
    mesh_sphere(&inner, n, 1);
    for (int k = 0; k < GAPS; k++) {
        mesh outer;
        r.gap[k] = 0.5 * pow(0.6, k);
        mesh_sphere(&outer, n, 1 + r.gap[k]);
        ask_gap(&inner, &outer, identity, k, kinds, 0, KINDS, 1 * setup->effort, &r);
        mesh_free(&outer);
    }
    show_proximity("obbtree_parallel", "Parallel close proximity: concentric spheres", &r);
    report_text("%llu triangles each; boolean queries; leaves of one but for the wide hierarchy; "
                "the AABB tree is cut like the OBB tree, as in the paper.",
                (unsigned long long)inner.count);
    claim_parallel(&r);
    mesh_free(&inner);
}

static void point(const setup *setup)
{
    proximity r = {.problem = ""};
    claim fewer = {.text = "point close proximity: OBBs need asymptotically fewer box tests",
                   .figure = "the curves diverge as the gap shrinks"};
    mesh m;
    suite s;
    mesh_sphere(&m, 20000, 1);
    suite_open(&s, kinds, KINDS, &m, NULL);
    for (int k = 0; k < GAPS; k++) {
        double placement[12];
        r.gap[k] = 0.5 * pow(0.5, k);
        pose_shift(1.2 * (1 + r.gap[k] / 2), 1.6 * (1 + r.gap[k] / 2), 0, placement);
        measure(s.subjects, s.subject_count, ASK_COLLIDE, placement, 1, 0.5 * setup->effort);
        for (int j = 0; j < KINDS; j++) {
            const subject *of = suite_subject(&s, j);
            r.boxes[j][k] = of == NULL ? NAN : (double)of->stats.boxes;
            r.us[j][k] = of == NULL ? NAN : 1e6 * of->seconds;
            if (of == NULL)
                snprintf(r.problem, sizeof r.problem, "%s", s.problem[j]);
        }
    }
    show_proximity("obbtree_point", "Point close proximity: two spheres side by side", &r);
    const double first = r.boxes[0][0] / r.boxes[1][0];
    const double last = r.boxes[0][GAPS - 1] / r.boxes[1][GAPS - 1];
    fewer.verdict = isnan(last)                      ? NOT_MEASURED
                    : last > 1.3 * first && last > 1 ? HOLDS
                                                     : DOES_NOT_HOLD;
    snprintf(fewer.ours, sizeof fewer.ours,
             "box tests of AABBs over OBBs: %.2f at gap %.3g, %.2f at gap %.3g", first, r.gap[0],
             last, r.gap[GAPS - 1]);
    if (fewer.verdict == NOT_MEASURED)
        snprintf(fewer.ours, sizeof fewer.ours, "%s", r.problem);
    tell(&fewer);
    suite_close(&s);
    mesh_free(&m);
}

/* ---- scenes with contacts -------------------------------------------------------------------- */

/* A body that falls, and bounces whenever it touches: its placements. */
typedef struct body_motion {
    double at[3], velocity[3], scale;
    bool to_centre; /* gravity; else down */
} body_motion;

static void step_body(body_motion *b, bool touches, uint64_t *seed)
{
    for (int axis = 0; axis < 3; axis++) {
        if (touches)
            b->velocity[axis] = -0.6 * b->velocity[axis] + 0.01 * (2 * scene_random(seed) - 1);
        b->velocity[axis] += b->to_centre ? -0.0004 * b->at[axis] : axis == 2 ? -0.0006 : 0;
        b->at[axis] += b->velocity[axis];
    }
}

static void place_body(const body_motion *b, int step, double out[12])
{
    const double turn = 0.03 * step, c = cos(turn), s = sin(turn), d = cos(0.7 * turn),
                 t = sin(0.7 * turn);
    const double rotation[9] = {c, -s * d, s * t, s, c * d, -c * t, 0, t, d};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            out[4 * row + column] = b->scale * rotation[3 * row + column];
        out[4 * row + 3] = b->at[row];
    }
}

static double *simulate(const mesh *ground, const mesh *mover, body_motion b, int steps)
{
    double *out = scene_allocate((size_t)steps * 12 * sizeof *out);
    uint64_t seed = 7;
    suite s;
    suite_open(&s, &candidate_wide, 1, ground, mover);
    for (int step = 0; step < steps; step++) {
        /* in an order whose every prefix is spread over the motion */
        double *pose = out + 12 * ((step * 619) % steps);
        const bvp_body a = {.file = s.subjects[0].a, .part = 0},
                       c = {.file = s.subjects[0].b, .part = 0, .placement = pose};
        int hit = 0;
        place_body(&b, step, pose);
        bvp_collide(&a, &c, &hit, NULL);
        step_body(&b, hit != 0, &seed);
    }
    suite_close(&s);
    return out;
}

enum { SCENE_KINDS = 4 };
static const candidate scene_kinds[SCENE_KINDS] = {
    {"aabb", {BVP_KIND_AABB, 1, BVP_SPLIT_MEAN, 0, 0}, BVP_TEST_SAT},
    {"obb", {BVP_KIND_OBB, 1, BVP_SPLIT_MEAN, 0, 0}, BVP_TEST_SAT},
    {"obb, sah", {BVP_KIND_OBB, 1, BVP_SPLIT_SAH, 0, 0}, BVP_TEST_SAT},
    {"wide", {BVP_KIND_WIDE, 8, BVP_SPLIT_DEFAULT, 0, 0}, BVP_TEST_DEFAULT}};

typedef struct scene_result {
    double boxes[SCENE_KINDS], ms[SCENE_KINDS], contacts;
    bool ok;
} scene_result;

static void run_scene(const char *name, const mesh *ground, const mesh *mover,
                      const body_motion *start, double budget, scene_result *out)
{
    enum { STEPS = 1000 };
    double *poses = simulate(ground, mover, *start, STEPS);
    suite s;
    suite_open(&s, scene_kinds, SCENE_KINDS, ground, mover);
    const int steps = measure(s.subjects, s.subject_count, ASK_PAIRS, poses, STEPS, budget);
    *out = (scene_result){.ok = s.subject_count == SCENE_KINDS};
    for (int k = 0; k < SCENE_KINDS; k++) {
        const subject *r = suite_subject(&s, k);
        if (r == NULL) {
            table_row("%s|%llu|%llu|%s|not measured: %s||||", name,
                      (unsigned long long)ground->count, (unsigned long long)mover->count,
                      scene_kinds[k].name, s.problem[k]);
            continue;
        }
        out->boxes[k] = (double)r->stats.boxes / steps;
        out->contacts = r->sum / steps;
        out->ms[k] = 1e3 * r->seconds;
        table_row("%s|%llu|%llu|%s|%d|%.2f|%.0f|%.0f|%.3f", name, (unsigned long long)ground->count,
                  (unsigned long long)mover->count, scene_kinds[k].name, steps, out->contacts,
                  out->boxes[k], (double)r->stats.triangles / steps, out->ms[k]);
    }
    free(poses);
    suite_close(&s);
}

static void claim_scenes(const scene_result *pipes, const scene_result *turned,
                         const scene_result *torus)
{
    claim smooth = {.text =
                        "smooth surfaces that come close in parallel raise the box tests: the "
                        "torus scene needs twice as many a step as the pipes, with fewer contacts",
                    .figure = "twice, contacts lower"};
    claim fewer = {.text = "OBBs need far fewer box tests than AABBs in scenes with contacts",
                   .figure = "asymptotically fewer"};
    if (!pipes->ok || !turned->ok || !torus->ok) {
        smooth.verdict = fewer.verdict = NOT_MEASURED;
    } else {
        const double a = torus->boxes[1] / fmax(torus->contacts, 1e-3);
        const double b = pipes->boxes[1] / fmax(pipes->contacts, 1e-3);
        snprintf(smooth.ours, sizeof smooth.ours,
                 "box tests a step %.0f (torus) and %.0f (pipes), contacts %.1f and %.1f: %.0f and "
                 "%.0f tests a contact",
                 torus->boxes[1], pipes->boxes[1], torus->contacts, pipes->contacts, a, b);
        smooth.verdict = a > b ? HOLDS : DOES_NOT_HOLD;
        if (smooth.verdict == DOES_NOT_HOLD)
            snprintf(smooth.why, sizeof smooth.why,
                     "our pipes are denser than the paper's (%.0f contacts a step) and along the "
                     "axes, so that the mover meets many at once: the tests follow the scene",
                     pipes->contacts);
        snprintf(fewer.ours, sizeof fewer.ours,
                 "AABB over OBB: pipes %.2f of the tests, %.2f of the time; torus %.2f, %.2f",
                 pipes->boxes[0] / pipes->boxes[1], pipes->ms[0] / pipes->ms[1],
                 torus->boxes[0] / torus->boxes[1], torus->ms[0] / torus->ms[1]);
        fewer.verdict = pipes->boxes[0] > pipes->boxes[1] && torus->boxes[0] > torus->boxes[1]
                            ? HOLDS
                            : DOES_NOT_HOLD;
        if (fewer.verdict == DOES_NOT_HOLD)
            snprintf(fewer.why, sizeof fewer.why,
                     "our pipes lie along the axes, which suits boxes that do: AABBs take %.0f "
                     "tests and OBBs %.0f; of the same pipes turned %.0f and %.0f, and cut by sah "
                     "instead of at the mean OBBs take %.0f and, turned, %.0f",
                     pipes->boxes[0], pipes->boxes[1], turned->boxes[0], turned->boxes[1],
                     pipes->boxes[2], turned->boxes[2]);
    }
    tell(&smooth);
    tell(&fewer);
}

/* Its triangles turned by some rotation that is far from all of a cube's. */
static void turn_mesh(mesh *m)
{
    double pose[12];
    uint64_t seed = 5;
    pose_random(&seed, 0, pose);
    for (float *at = m->tri; at < m->tri + 9 * m->count; at += 3) {
        const double x = at[0], y = at[1], z = at[2];
        for (int row = 0; row < 3; row++)
            at[row] = (float)(pose[4 * row] * x + pose[4 * row + 1] * y + pose[4 * row + 2] * z);
    }
}

static void scenes(const setup *setup)
{
    const body_motion falling = {.at = {1.4, 0.3, 0.2}, .scale = 0.2, .to_centre = true};
    const body_motion resting = {.at = {0.1, 0.2, 1.5}, .scale = 1};
    scene_result pipes_result, turned_result, torus_result;
    mesh pipes, turned, torus, spikes;
    mesh_pipes(&pipes, setup_count(setup, 140000), 3);
    mesh_pipes(&turned, setup_count(setup, 140000), 3);
    turn_mesh(&turned);
    mesh_wrinkled_torus(&torus, setup_count(setup, 20000));
    mesh_spikes(&spikes, setup_count(setup, 98000));
    table_begin(
        "obbtree_scenes", "Scenes of the paper's kind, all pairs at every step",
        "scene|ground, triangles|mover, triangles|hierarchy|steps|contacts a step|box tests "
        "a step|triangle tests a step|ms a step");
    run_scene("pipes in pipes", &pipes, &pipes, &falling, 12 * setup->effort, &pipes_result);
    run_scene("the same, turned", &turned, &turned, &falling, 12 * setup->effort, &turned_result);
    run_scene("torus on spikes", &spikes, &torus, &resting, 12 * setup->effort, &torus_result);
    table_end();
    report_text("A copy of the pipes at a fifth of their size falls to the centre of the pipes; a "
                "wrinkled torus falls on a bowl of spikes. Both bounce when they touch. Turned: "
                "the pipes are no more along the axes of their part. The motion "
                "is recorded first, then every hierarchy is asked for all pairs at every step.");
    claim_scenes(&pipes_result, &turned_result, &torus_result);
    mesh_free(&pipes);
    mesh_free(&turned);
    mesh_free(&torus);
    mesh_free(&spikes);
}

void papers_obbtree(const setup *setup)
{
    report_heading("OBBTree: Gottschalk, Lin, Manocha, OBBTree: a hierarchical structure for rapid "
                   "interference detection, 1996");
    operations();
    parallel(setup);
    point(setup);
    scenes(setup);
}
