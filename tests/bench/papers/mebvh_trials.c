/* SPDX-License-Identifier: MIT
 * mebvh_trials.c: what Shellshear, Li, Carlson tried or leave open: a rectangle as two triangles,
 * and trees that are balanced.
 */
#include "mebvh_parts.h"
#include "table.h"

#include "prim/rss_dist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(claim *c, const char *evidence)
{
    c->paper = "ME-BVH";
    c->evidence = evidence;
    report_claim(c);
}

/* ---- a rectangle as two triangles ------------------------------------------------------------ */

enum { PAIRS = 20000, WAYS = 3 };
enum { RECTANGLE, TWO_TRIANGLES, ONE_TRIANGLE };

typedef struct face_pair {
    bvpi_face rectangle, halves[2], triangle;
} face_pair;

static void random_pair(uint64_t *state, face_pair *out)
{
    double m[12], p[9], corner[4][3];
    bvpi_rss rss = {.radius = 0};
    pose_random(state, 2, m);
    for (int i = 0; i < 3; i++) {
        rss.centre[i] = m[4 * i + 3];
        rss.axis[0][i] = m[4 * i];
        rss.axis[1][i] = m[4 * i + 1];
    }
    rss.half[0] = scene_random(state);
    rss.half[1] = scene_random(state);
    for (int i = 0; i < 9; i++)
        p[i] = 2 * scene_random(state) - 1;
    bvpi_face_of_rss(&rss, &out->rectangle);
    bvpi_face_of_triangle(p, &out->triangle);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            corner[k][i] = out->rectangle.corner[i][k];
    for (int half = 0; half < 2; half++) {
        memcpy(p, corner[0], sizeof corner[0]);
        memcpy(p + 3, corner[1 + half], sizeof corner[0]);
        memcpy(p + 6, corner[2 + half], sizeof corner[0]);
        bvpi_face_of_triangle(p, &out->halves[half]);
    }
}

/* The second triangle is measured only as far as the first one is away. */
static double distance_of(const face_pair *p, int way)
{
    if (way == RECTANGLE)
        return bvpi_face_distance(&p->rectangle, &p->triangle, INFINITY);
    const double first = bvpi_face_distance(&p->halves[0], &p->triangle, INFINITY);
    return way == ONE_TRIANGLE || first == 0
               ? first
               : fmin(first, bvpi_face_distance(&p->halves[1], &p->triangle, first));
}

void mebvh_rectangles(const setup *setup)
{
    static const char *const names[WAYS] = {"rectangle and triangle", "two triangles and triangle",
                                            "triangle and triangle"};
    claim c = {.text = "a rectangle as two triangles is much slower than one of its own",
               .figure = "\"much slower\", even where one of both can be left out"};
    face_pair *pairs = aligned_alloc(_Alignof(face_pair), PAIRS * sizeof *pairs);
    double seconds[WAYS][ROUNDS], ns[WAYS];
    uint64_t state = 1, differing[WAYS] = {0};
    if (pairs == NULL)
        abort();
    for (int k = 0; k < PAIRS; k++)
        random_pair(&state, &pairs[k]);
    for (int k = 0; k < PAIRS; k++)
        for (int way = 0; way < WAYS; way++)
            differing[way] += fabs(distance_of(&pairs[k], way) - distance_of(&pairs[k], 0)) > 1e-12;
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++) {
            double sum = 0;
            const double start = scene_now();
            for (int k = 0; k < PAIRS && measure_is_timing(); k++)
                sum += distance_of(&pairs[k], way);
            seconds[way][round] = scene_now() - start;
            if (sum < 0) /* no distance is: the sum is used */
                abort();
        }
    table_begin("mebvh_rectangles", "A rectangle as two triangles: distances to a triangle",
                "way|#pairs|#other answers than the rectangle's|ns a distance");
    for (int way = 0; way < WAYS; way++) {
        ns[way] = measure_is_timing() ? 1e9 * scene_median(seconds[way], ROUNDS) / PAIRS : NAN;
        table_row("%s|%d|%llu|%.0f", names[way], PAIRS, (unsigned long long)differing[way],
                  ns[way]);
    }
    table_end();
    report_text("Random rectangles and triangles, some of which meet; the library's own function, "
                "which takes four edges or three.");
    free(pairs);
    if (setup->is_check)
        return;
    c.verdict = verdict_of(ns[TWO_TRIANGLES] > 1.5 * ns[RECTANGLE]);
    snprintf(c.ours, sizeof c.ours, "%.0f ns as one, %.0f ns as two triangles: %.2f times",
             ns[RECTANGLE], ns[TWO_TRIANGLES], ns[TWO_TRIANGLES] / ns[RECTANGLE]);
    snprintf(c.control, sizeof c.control,
             "one triangle and a triangle take %.0f ns; of %d answers %llu differ",
             ns[ONE_TRIANGLE], PAIRS, (unsigned long long)differing[TWO_TRIANGLES]);
    tell(&c, "mebvh_rectangles.csv");
}

/* ---- balanced trees -------------------------------------------------------------------------- */

enum { SPLITS = 3 };

typedef struct balance {
    double log_nodes, log_boxes[2], log_us[2]; /* of balanced trees over those by sah */
    int count;
} balance;

static void balance_model(const setup *setup, const mesh *m, balance *sum)
{
    static const bvp_split splits[SPLITS] = {BVP_SPLIT_SAH, BVP_SPLIT_MEAN, BVP_SPLIT_MEDIAN};
    const question questions[2] = {ASK_COLLIDE, ASK_DISTANCE};
    const int count[2] = {setup_poses(setup, 300), setup_poses(setup, 60)};
    candidate c[SPLITS];
    double boxes[2][SPLITS], us[2][SPLITS], nodes[SPLITS];
    suite s;
    for (int k = 0; k < SPLITS; k++)
        c[k] = (candidate){
            split_name(splits[k]), {.kind = BVP_KIND_RSS, .leaf_size = 2, .split = splits[k]}, 0};
    suite_open(&s, c, SPLITS, m, NULL);
    double *poses = random_placements(m, m, count[0], 0.3);
    for (int q = 0; q < 2; q++) {
        measure(s.subjects, s.subject_count, questions[q], poses, count[q], ROUNDS);
        for (int k = 0; k < SPLITS; k++) {
            boxes[q][k] = suite_boxes(&s, k, count[q]);
            us[q][k] = suite_us(&s, k);
        }
    }
    for (int k = 0; k < SPLITS; k++) {
        nodes[k] = suite_pack(&s, k)->info.node_count;
        table_row("%s|%llu|%s|%.0f|%.2f|%.0f|%.0f|%.1f|%.1f", m->name, (unsigned long long)m->count,
                  c[k].name, nodes[k], (double)m->count / ((nodes[k] + 1) / 2), boxes[0][k],
                  boxes[1][k], us[0][k], us[1][k]);
    }
    sum->log_nodes += log(nodes[2] / nodes[0]);
    for (int q = 0; q < 2; q++) {
        sum->log_boxes[q] += log(boxes[q][2] / boxes[q][0]);
        sum->log_us[q] += log(us[q][2] / us[q][0]);
    }
    sum->count++;
    free(poses);
    suite_close(&s);
}

void mebvh_balance(const setup *setup)
{
    static const char *const models[] = {"cycloidal", "counter", "link_3"};
    claim c = {.text = "trees that are forced to be balanced are slower to query",
               .figure = "an open question; \"worse performance in hierarchies which are forced to "
                         "be balanced\""};
    balance sum = {.count = 0};
    table_begin("mebvh_balance", "Balanced trees: RSS, leaves of at most two",
                "model|triangles|split|#volumes|#triangles a leaf|#volume tests a collision "
                "query|#a distance query|us a collision query|us a distance query");
    for (int k = 0; k < (setup->is_check ? 1 : 3); k++) {
        mesh m;
        if (!setup_model(setup, models[k], &m))
            continue;
        balance_model(setup, &m, &sum);
        mesh_free(&m);
    }
    table_end();
    report_text("Two copies, random placements, about 30 %% of which collide. The median halves "
                "each set, so all leaves are on two levels at most.");
    if (sum.count == 0 || setup->is_check)
        return;
    const double by_time = exp(sum.log_us[1] / sum.count);
    c.verdict = verdict_of(by_time > 1);
    snprintf(c.ours, sizeof c.ours,
             "the median's trees take %.2f of the volumes of those by sah, %.2f of the time of "
             "collision queries and %.2f of that of distance queries; geometric means of %d models",
             exp(sum.log_nodes / sum.count), exp(sum.log_us[0] / sum.count), by_time, sum.count);
    snprintf(c.control, sizeof c.control, "of the volume tests %.2f and %.2f",
             exp(sum.log_boxes[0] / sum.count), exp(sum.log_boxes[1] / sum.count));
    tell(&c, "mebvh_balance.csv");
}
