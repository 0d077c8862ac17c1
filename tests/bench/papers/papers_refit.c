/* SPDX-License-Identifier: MIT
 * papers_refit.c: deformed parts: bvp_refit against building anew, by van den Bergen's
 * deformations.
 */
#include "papers_refit.h"
#include "plot.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves a vertex; the same floats give the same ones. */
typedef void (*deformation)(double strength, const float in[3], float out[3]);

static void twist(double strength, const float in[3], float out[3])
{
    const double angle = strength * in[2], c = cos(angle), s = sin(angle);
    out[0] = (float)(c * in[0] - s * in[1]);
    out[1] = (float)(s * in[0] + c * in[1]);
    out[2] = in[2];
}

static void stretch(double strength, const float in[3], float out[3])
{
    out[0] = (float)(in[0] * strength);
    out[1] = (float)(in[1] / sqrt(strength));
    out[2] = (float)(in[2] + 0.3 * (strength - 1) * in[0] * in[0]);
}

/* Uniform in a ball's box of that radius; what a vertex gets depends on where it was. */
static void noise(double strength, const float in[3], float out[3])
{
    uint32_t bits[3];
    memcpy(bits, in, sizeof bits);
    uint64_t state = bits[0] ^ (uint64_t)bits[1] << 21 ^ (uint64_t)bits[2] << 42;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)(in[axis] + strength * (2 * scene_random(&state) - 1));
}

/* out may be in. */
static void deform(deformation f, double strength, const float *in, uint64_t count, float *out)
{
    for (uint64_t k = 0; k < count; k++) {
        const float from[3] = {in[3 * k], in[3 * k + 1], in[3 * k + 2]};
        f(strength, from, out + 3 * k);
    }
}

static bvp_file *open_overlay(const packed *pack, char problem[300])
{
    const bvp_open_options options = {
        .kind = BVP_KIND_AABB, .box_test = BVP_TEST_SAT_LITE, .overlay = 1};
    bvp_error error = {.status = BVP_OK};
    bvp_file *file = NULL;
    if (pack->fd < 0)
        snprintf(problem, 300, "%s", pack->problem);
    else if (bvp_open_fd(pack->fd, &options, &file, &error) != BVP_OK)
        snprintf(problem, 300, "%s", error.message);
    return file;
}

/* A part and its vertices as stored. */
typedef struct deformable {
    bvp_file *file;
    float *vertices, *moved;
    uint64_t vertex_count;
} deformable;

static bool open_deformable(deformable *d, const packed *pack, char problem[300])
{
    *d = (deformable){.file = open_overlay(pack, problem)};
    if (d->file == NULL)
        return false;
    if (bvp_get_vertices(d->file, 0, 0, UINT64_MAX, NULL, &d->vertex_count) != BVP_OK) {
        snprintf(problem, 300, "bvp_get_vertices fails");
        bvp_close(d->file);
        return false;
    }
    d->vertices = scene_allocate(d->vertex_count * 12);
    d->moved = scene_allocate(d->vertex_count * 12);
    bvp_get_vertices(d->file, 0, 0, d->vertex_count, d->vertices, &d->vertex_count);
    return true;
}

static void close_deformable(deformable *d)
{
    bvp_close(d->file);
    free(d->vertices);
    free(d->moved);
}

/* Median seconds of refitting, or NaN with the problem. *first: of the first one on the handle,
 * which copies the pages that it touches. */
static double refit_seconds(deformable *d, deformation f, double strength, double *first,
                            char problem[300])
{
    enum { RUNS = 5 };
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        bvp_error error = {.status = BVP_OK};
        /* every run moves everything: a refit that changes nothing takes a tenth of the time */
        const double now = strength * (1 - 0.001 * (RUNS - 1 - run));
        deform(f, now, d->vertices, d->vertex_count, d->moved);
        const double start = scene_now();
        if (bvp_refit(d->file, 0, d->moved, d->vertex_count, &error) != BVP_OK) {
            snprintf(problem, 300, "%s", error.message);
            return NAN;
        }
        times[run] = scene_now() - start;
    }
    *first = times[0];
    return scene_median(times, RUNS);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void sub(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Squared distance of a point to the segment from p along e. */
static double segment_distance_sq(const double point[3], const double p[3], const double e[3])
{
    double d[3];
    sub(point, p, d);
    const double along = dot(e, e) > 0 ? fmin(fmax(dot(d, e) / dot(e, e), 0), 1) : 0;
    for (int k = 0; k < 3; k++)
        d[k] -= along * e[k];
    return dot(d, d);
}

/* Squared distance of a point to a triangle: to its inside or to one of its sides. */
static double triangle_distance_sq(const double point[3], const float *tri)
{
    double p[3][3], e[3][3], d[3], least = INFINITY;
    for (int i = 0; i < 9; i++)
        p[i / 3][i % 3] = tri[i];
    for (int i = 0; i < 3; i++) {
        sub(p[(i + 1) % 3], p[i], e[i]);
        least = fmin(least, segment_distance_sq(point, p[i], e[i]));
    }
    sub(point, p[0], d);
    const double aa = dot(e[0], e[0]), ab = -dot(e[0], e[2]), bb = dot(e[2], e[2]);
    const double da = dot(d, e[0]), db = -dot(d, e[2]), area = aa * bb - ab * ab;
    const double u = bb * da - ab * db, v = aa * db - ab * da;
    if (area > 0 && u >= 0 && v >= 0 && u + v <= area)
        least = fmin(least, fmax(dot(d, d) - (u * da + v * db) / area, 0));
    return least;
}

/* The refitted part against the one that was built anew, and against all triangles one by one. */
static void check_answers(bvp_file *refitted, packed *again, const mesh *moved)
{
    enum { POSES = 20, POINTS = 8 };
    double *poses = random_placements(moved, moved, POSES, 0.6);
    bvp_file *rebuilt = packed_open(again, BVP_KIND_AABB, BVP_TEST_SAT_LITE);
    subject s[2] = {subject_of_file("rebuilt", rebuilt, rebuilt),
                    subject_of_file("refitted", refitted, refitted)};
    for (question q = ASK_COLLIDE; q <= ASK_CLOSEST; q++)
        measure(s, 2, q, poses, POSES, 0);
    for (int k = 0; k < POINTS; k++) {
        const bvp_body body = {.file = refitted, .part = 0};
        const double *point = poses + 12 * k;
        bvp_closest_result nearest = {.distance = -1};
        double least = INFINITY;
        for (uint64_t i = 0; i < moved->count; i++)
            least = fmin(least, triangle_distance_sq(point, moved->tri + 9 * i));
        bvp_closest(&body, point, INFINITY, &nearest, NULL);
        measure_compare(&s[1], sqrt(least), nearest.distance, 1e-6);
    }
    bvp_close(rebuilt);
    free(poses);
}

/* ---- time ------------------------------------------------------------------------------------ */

static const bvp_hierarchy_spec refit_spec = {
    .kind = BVP_KIND_AABB, .leaf_size = 1, .split = BVP_SPLIT_MIDPOINT};

typedef struct timing {
    double refit, first, rebuild, ratio;
    uint64_t triangles;
    char problem[300];
} timing;

static void time_size(uint64_t wanted, uint32_t leaf_size, timing *out)
{
    bvp_hierarchy_spec spec = refit_spec;
    deformable d;
    packed pack;
    mesh m;
    *out = (timing){.refit = NAN, .rebuild = NAN};
    spec.leaf_size = leaf_size;
    mesh_torus(&m, wanted, 0.7, 0.3);
    out->triangles = m.count;
    if (!packed_make(&pack, &m, &spec, true)) {
        snprintf(out->problem, sizeof out->problem, "%s", pack.problem);
    } else if (open_deformable(&d, &pack, out->problem)) {
        out->refit = refit_seconds(&d, twist, 0.5, &out->first, out->problem);
        deform(twist, 0.5, m.tri, 3 * m.count, m.tri);
        packed again;
        if (packed_make(&again, &m, &spec, true)) {
            out->rebuild = again.seconds;
            check_answers(d.file, &again, &m);
        }
        close_deformable(&d);
        packed_drop(&again);
    }
    out->ratio = out->rebuild / out->refit;
    packed_drop(&pack);
    mesh_free(&m);
}

static void claim_refit(const timing *small, const timing *large)
{
    claim faster = {.text = "refitting an AABB tree is many times as fast as rebuilding it",
                    .figure = "models of over 6000 triangles (factor lost in our copy; required: "
                              "10 at 1 M triangles)"};
    if (isnan(large->ratio)) {
        faster.verdict = NOT_MEASURED;
        snprintf(faster.ours, sizeof faster.ours, "%s", large->problem);
    } else {
        faster.verdict = large->ratio >= 10 ? HOLDS : DOES_NOT_HOLD;
        snprintf(faster.ours, sizeof faster.ours,
                 "%.0f times at %llu triangles (%.3f us a triangle), %.0f times at %llu",
                 small->ratio, (unsigned long long)small->triangles,
                 1e6 * small->refit / (double)small->triangles, large->ratio,
                 (unsigned long long)large->triangles);
    }
    snprintf(
        faster.control, sizeof faster.control,
        "the first refit on a handle, which copies the pages of the file that it writes, takes "
        "%.1f times a later one's time; over it the factors are %.1f and %.1f",
        large->first / large->refit, small->rebuild / small->first, large->rebuild / large->first);
    faster.paper = "AABB/SOLID";
    faster.evidence = "solid_refit.csv";
    report_claim(&faster);
}

double papers_refit_seconds(const mesh *m)
{
    char problem[300] = "";
    double first, seconds = NAN;
    deformable d;
    packed pack;
    if (packed_make(&pack, m, &refit_spec, true) && open_deformable(&d, &pack, problem)) {
        seconds = refit_seconds(&d, twist, 0.5, &first, problem);
        close_deformable(&d);
    }
    packed_drop(&pack);
    return seconds;
}

static void times(const setup *setup)
{
    static const uint64_t sizes[] = {6000, 60000, 250000, 1000000};
    timing t[8];
    table_begin(
        "solid_refit", "Refit against rebuild, torus, one thread",
        "triangles|leaf|refit, ms|first refit, ms|rebuild, ms|refit, us a triangle|rebuild over "
        "refit|over the first");
    for (int k = 0; k < 8; k++) {
        const uint32_t leaf = k < 4 ? 1 : 8;
        time_size(setup_count(setup, sizes[k % 4]), leaf, &t[k]);
        if (t[k].problem[0] != '\0')
            table_row("%llu|%u|not measured: %s|||||", (unsigned long long)t[k].triangles, leaf,
                      t[k].problem);
        else
            table_row("%llu|%u|%.2f|%.2f|%.1f|%.4f|%.1f|%.1f", (unsigned long long)t[k].triangles,
                      leaf, 1e3 * t[k].refit, 1e3 * t[k].first, 1e3 * t[k].rebuild,
                      1e6 * t[k].refit / (double)t[k].triangles, t[k].ratio,
                      t[k].rebuild / t[k].first);
    }
    table_end();
    report_text("A refit moves every vertex of the mapped file's private overlay and all boxes "
                "(median of five; the first on a handle copies the pages, too); a rebuild is "
                "bvp_builder_add_part of the deformed mesh, without writing a file. All kinds of "
                "questions are asked of both, and the closest points also of all triangles one by "
                "one: the answers that differ are counted below.");
    claim_refit(&t[0], &t[3]);
}

/* ---- what refitting costs queries ------------------------------------------------------------ */

typedef struct deformed_case {
    const char *name;
    deformation f;
    double strength;
} deformed_case;

static const deformed_case cases[] = {
    {"none", stretch, 1},          {"stretch 1.5", stretch, 1.5}, {"stretch 3", stretch, 3},
    {"twist 0.5", twist, 0.5},     {"twist 2", twist, 2},         {"twist 8", twist, 8},
    {"noise 0.005", noise, 0.005}, {"noise 0.02", noise, 0.02},   {"noise 0.1", noise, 0.1},
};
enum { CASES = sizeof cases / sizeof cases[0], DEFORMED_ROUNDS = 3 };

typedef struct cost {
    double boxes[2], us[2]; /* refitted, rebuilt */
    double spread;
    double pays; /* queries after which a rebuild would have been cheaper */
} cost;

static bool deformed_row(const mesh *m, deformable *d, const deformed_case *c, const double *poses,
                         int count, cost *out, char problem[300])
{
    mesh moved = *m;
    packed rebuilt;
    *out = (cost){.pays = NAN};
    double first;
    const double refit = refit_seconds(d, c->f, c->strength, &first, problem);
    if (isnan(refit))
        return false;
    moved.tri = scene_allocate(m->count * 36);
    deform(c->f, c->strength, m->tri, 3 * m->count, moved.tri);
    suite s;
    const candidate both[2] = {{"rebuilt", refit_spec, BVP_TEST_SAT_LITE}, candidate_wide};
    suite_open(&s, both, 2, &moved, NULL);
    const bool ok = s.subject_count == 2 && packed_make(&rebuilt, &moved, &refit_spec, true);
    if (ok) {
        s.subjects[s.subject_count++] = subject_of_file("refitted", d->file, d->file);
        measure(s.subjects, s.subject_count, ASK_PAIRS, poses, count, DEFORMED_ROUNDS);
        out->spread = measure_spread(s.subjects, s.subject_count);
        for (int k = 0; k < 2; k++) {
            const subject *r = &s.subjects[k == 0 ? 2 : 0];
            out->boxes[k] = (double)r->stats.boxes / count;
            out->us[k] = 1e6 * r->seconds;
        }
        out->pays =
            1e6 * (rebuilt.seconds - refit) / (out->us[1] * (out->boxes[0] / out->boxes[1] - 1));
        s.subject_count--; /* its file is the caller's */
        packed_drop(&rebuilt);
    }
    suite_close(&s);
    free(moved.tri);
    return ok;
}

/* Box tests of the refitted over those of the rebuilt tree. */
static double excess(const cost *c)
{
    return c->boxes[0] / c->boxes[1];
}

static void claim_degrades(const cost *of)
{
    claim gentle = {.text = "deformations that keep adjacency hardly slow a refitted tree down",
                    .figure = "no significant deterioration (figure lost in our copy)",
                    .paper = "AABB/SOLID"};
    double worst = 0;
    for (int k = 1; k <= 5; k++)
        worst = fmax(worst, excess(&of[k]));
    gentle.verdict = verdict_of(worst < 1.25);
    snprintf(gentle.ours, sizeof gentle.ours,
             "box tests, refitted over rebuilt: stretch 3: %.2f, twist 0.5: %.2f, twist 8: %.2f",
             excess(&of[2]), excess(&of[3]), excess(&of[5]));
    snprintf(gentle.control, sizeof gentle.control,
             "noise of 0.005, 0.02, 0.1, which tears shapes: %.2f, %.2f, %.2f; not deformed: %.2f; "
             "the worst of the stretched and twisted ones is %.2f",
             excess(&of[6]), excess(&of[7]), excess(&of[8]), excess(&of[0]), worst);
    gentle.evidence = "solid_deform.csv";
    report_claim(&gentle);
}

static void deformations(const setup *setup)
{
    char problem[300] = "";
    cost costs[CASES];
    deformable d;
    packed pack;
    mesh m;
    bool ok = true;
    if (!setup_model(setup, "cycloidal", &m))
        return;
    const int count = setup_poses(setup, 2);
    double *poses = random_placements(&m, &m, count, 0.6);
    table_begin("solid_deform", "Refitted and rebuilt trees of deformed shapes, cycloidal",
                "deformation|#box tests a query, refitted|#rebuilt|us a query, refitted|rebuilt|a "
                "rebuild pays after so many queries|spread of times, %");
    if (!packed_make(&pack, &m, &refit_spec, true))
        snprintf(problem, sizeof problem, "%s", pack.problem);
    if (problem[0] == '\0' && open_deformable(&d, &pack, problem)) {
        for (int k = 0; k < CASES && ok; k++) {
            char pays[40] = "never";
            ok = deformed_row(&m, &d, &cases[k], poses, count, &costs[k], problem);
            if (ok && costs[k].boxes[0] > costs[k].boxes[1])
                snprintf(pays, sizeof pays, "%.0f", costs[k].pays);
            if (ok)
                table_row("%s|%.0f|%.0f|%.1f|%.1f|%s|%.0f", cases[k].name, costs[k].boxes[0],
                          costs[k].boxes[1], costs[k].us[0], costs[k].us[1], pays, costs[k].spread);
        }
        close_deformable(&d);
    }
    if (problem[0] != '\0')
        table_row("all|not measured: %s|||||", problem);
    table_end();
    report_text(
        "All pairs of two copies that are deformed alike, random placements; the same "
        "number of pairs from the refitted, the rebuilt and the wide hierarchy. A rebuild pays by "
        "the box tests that it saves. Noise and "
        "lengths are in units of half the object's size, twist in radians a unit.");
    if (problem[0] == '\0' && ok)
        claim_degrades(costs);
    packed_drop(&pack);
    free(poses);
    mesh_free(&m);
}

void papers_refit(const setup *setup)
{
    times(setup);
    deformations(setup);
}
