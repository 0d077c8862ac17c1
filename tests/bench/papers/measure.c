/* SPDX-License-Identifier: MIT
 * measure.c: asking, timing, comparing.
 */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t all_differing, fcl_differing;
static bool is_timing = true;

void measure_only_counts(void)
{
    is_timing = false;
}

bool measure_is_timing(void)
{
    return is_timing;
}

uint64_t measure_differing(void)
{
    return all_differing;
}

uint64_t measure_fcl_differing(void)
{
    return fcl_differing;
}

subject subject_of_file(const char *name, bvp_file *a, bvp_file *b)
{
    subject out = {.a = a, .b = b};
    snprintf(out.name, sizeof out.name, "%s", name);
    return out;
}

void subject_close(subject *s)
{
    bvp_close(s->a);
    if (s->b != s->a)
        bvp_close(s->b);
    s->a = s->b = NULL;
}

static int ignore_pair(void *user, const bvp_pair *pair)
{
    (void)user, (void)pair;
    return 0;
}

static double ask_one(const bvp_body *body, question q, const double at[6], bvp_stats *stats,
                      bvp_status *status)
{
    bvp_closest_result near = {.found = 0};
    bvp_ray_hit hit = {.found = 0};
    if (q == ASK_CLOSEST) {
        *status = bvp_closest(body, at, INFINITY, &near, stats);
        return near.distance;
    }
    const bvp_ray ray = {
        .origin = {at[0], at[1], at[2]}, .direction = {at[3], at[4], at[5]}, .t_max = INFINITY};
    *status = bvp_ray_first(body, &ray, &hit, stats);
    return hit.found ? hit.t : -1;
}

static double ask_two(const bvp_body *a, const bvp_body *b, question q, bvp_stats *stats,
                      bvp_status *status)
{
    bvp_distance_result near = {.found = 0};
    uint64_t count = 0;
    int hit = 0;
    if (q == ASK_COLLIDE)
        *status = bvp_collide(a, b, &hit, stats);
    else if (q == ASK_PAIRS)
        *status = bvp_pairs_each(a, b, ignore_pair, NULL, &count, stats);
    else
        *status = bvp_distance(a, b, INFINITY, &near, stats);
    return q == ASK_COLLIDE ? hit : q == ASK_PAIRS ? (double)count : near.distance;
}

static double ask_file(const subject *s, question q, const double placement[12], bvp_stats *stats)
{
    const bvp_body a = {.file = s->a, .part = 0},
                   b = {.file = s->b, .part = 0, .placement = placement};
    bvp_status status = BVP_OK;
    const double answer = q >= ASK_RAY ? ask_one(&a, q, placement, stats, &status)
                                       : ask_two(&a, &b, q, stats, &status);
    if (status != BVP_OK) {
        fprintf(stderr, "papers: %s: %s\n", s->name, bvp_status_name(status));
        exit(1);
    }
    return answer;
}

static double ask(const subject *s, question q, const double placement[12], bvp_stats *stats)
{
    if (s->a != NULL)
        return ask_file(s, q, placement, stats);
    if (s->fcl_a != NULL)
        return (double)fcl_tree_pairs(s->fcl_a, s->fcl_b, placement, q == ASK_COLLIDE, stats);
    return (double)s->base_pairs(s->base_a, s->base_b, placement, q == ASK_COLLIDE, stats);
}

static double pass(const subject *s, question q, const double *placements, int count)
{
    bvp_stats unused = {.nodes = 0};
    const double start = scene_now();
    for (int k = 0; k < count; k++)
        ask(s, q, placements + 12 * k, &unused);
    return scene_now() - start;
}

void measure_compare(subject *s, double expected, double got, double share)
{
    const double allowed = share > 0 ? share * fabs(expected) + 1e-12 : 0;
    if (fabs(expected - got) <= allowed)
        return;
    if (s->differing++ == 0)
        fprintf(stderr, "papers: %s answers %.17g, not %.17g\n", s->name, got, expected);
    ++*(s->fcl_a != NULL ? &fcl_differing : &all_differing);
}

/* Answers and statistics; caches get warm. */
static void first_pass(subject *subjects, int subject_count, question q, const double *placements,
                       int count)
{
    for (int k = 0; k < subject_count; k++) {
        subjects[k].stats = (bvp_stats){.nodes = 0};
        subjects[k].sum = 0;
        subjects[k].differing = 0;
    }
    for (int i = 0; i < count; i++) {
        double expected = 0;
        for (int k = 0; k < subject_count; k++) {
            const double got = ask(&subjects[k], q, placements + 12 * i, &subjects[k].stats);
            expected = k == 0 ? got : expected;
            subjects[k].sum += got;
            measure_compare(&subjects[k], expected, got, q >= ASK_DISTANCE ? 1e-8 : 0);
        }
    }
}

void measure(subject *subjects, int subject_count, question q, const double *placements, int count,
             int rounds)
{
    double times[SUBJECT_MAX][ROUNDS_MAX];
    first_pass(subjects, subject_count, q, placements, count);
    rounds = is_timing ? rounds : 0;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < subject_count; k++)
            times[k][round] = pass(&subjects[k], q, placements, count) / count;
    for (int k = 0; k < subject_count; k++) {
        subject *s = &subjects[k];
        s->seconds = rounds > 0 ? scene_median(times[k], rounds) : NAN;
        s->least = rounds > 0 ? times[k][0] : NAN;
        s->most = rounds > 0 ? times[k][rounds - 1] : NAN;
    }
}

double measure_spread(const subject *subjects, int subject_count)
{
    double worst = 0;
    for (int k = 0; k < subject_count; k++)
        worst = fmax(worst, 50 * (subjects[k].most - subjects[k].least) / subjects[k].seconds);
    return worst;
}
