/* SPDX-License-Identifier: MIT
 * best.c: which hierarchy answers which question best on which kind of model.
 */
#include "papers_suite.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6, QUESTIONS = 5 };
static const candidate kinds[KINDS] = {
    {"wide", {.kind = BVP_KIND_WIDE, .leaf_size = 8}, 0},
    {"boxtree", {BVP_KIND_BOXTREE, 8, BVP_SPLIT_DEFAULT, 3, 1, BVP_FIT_DEFAULT}, 0},
    {"aabb", {.kind = BVP_KIND_AABB, .leaf_size = 8, .split = BVP_SPLIT_SAH}, 0},
    {"obb", {.kind = BVP_KIND_OBB, .leaf_size = 8}, 0},
    {"rss", {.kind = BVP_KIND_RSS, .leaf_size = 8}, 0},
    {"rss, leaf 2", {.kind = BVP_KIND_RSS, .leaf_size = 2}, 0}};

static const char *const question_names[QUESTIONS] = {"collide", "all pairs", "distance",
                                                      "first hit of a ray", "closest point"};

/* Rays and points around a model of size 2. */
static double *lone_questions(int count)
{
    double *out = scene_allocate((size_t)count * 12 * sizeof *out);
    uint64_t seed = 11;
    for (int k = 0; k < count; k++)
        for (int axis = 0; axis < 3; axis++) {
            out[12 * k + axis] = 3 * (2 * scene_random(&seed) - 1);
            out[12 * k + 3 + axis] = (2 * scene_random(&seed) - 1) - out[12 * k + axis];
        }
    return out;
}

static const char *default_for(const double us[KINDS])
{
    int best = 0;
    for (int k = 1; k < KINDS; k++)
        best = us[k] < us[best] ? k : best;
    /* another kind is worth its bytes when it saves a fifth */
    return us[best] < 0.8 * us[0] ? kinds[best].name : "wide";
}

static void summarise(const char *class, question q, const suite *s, const double us[KINDS],
                      char *lines, size_t size)
{
    int best = 0;
    for (int k = 1; k < KINDS; k++)
        best = us[k] < us[best] ? k : best;
    snprintf(lines, size, "%s|%s|%s|%.2f|%.2f|%.2f|%s", question_names[q], class, kinds[best].name,
             packed_bytes(suite_pack(s, best)), us[best], us[0], default_for(us));
}

typedef struct summary {
    char line[400];
} summary;

static int measure_class(const setup *setup, const char *class, const mesh *m, summary *lines)
{
    static const int wanted[QUESTIONS] = {600, 8, 60, 6000, 600};
    suite s;
    suite_open(&s, kinds, KINDS, m, NULL);
    double *placed = random_placements(m, m, 4000, 0.5), *lone = lone_questions(20000);
    for (int q = 0; q < QUESTIONS; q++) {
        double us[KINDS];
        measure(s.subjects, s.subject_count, (question)q, q < ASK_RAY ? placed : lone,
                setup_poses(setup, wanted[q]), ROUNDS);
        for (int k = 0; k < KINDS; k++)
            us[k] = suite_subject(&s, k) == NULL ? NAN : 1e6 * suite_subject(&s, k)->seconds;
        table_row("%s|%s|%llu|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.0f", question_names[q], class,
                  (unsigned long long)m->count, us[0], us[1], us[2], us[3], us[4], us[5],
                  measure_spread(s.subjects, s.subject_count));
        summarise(class, (question)q, &s, us, lines[q].line, sizeof lines[q].line);
    }
    double bytes[KINDS];
    for (int k = 0; k < KINDS; k++)
        bytes[k] = suite_subject(&s, k) == NULL ? NAN : packed_bytes(suite_pack(&s, k));
    table_row("bytes a triangle|%s|%llu|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|", class,
              (unsigned long long)m->count, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4],
              bytes[5]);
    for (int k = 0; k < KINDS; k++)
        if (suite_subject(&s, k) == NULL)
            report_text("%s not measured: %s", kinds[k].name, s.problem[k]);
    free(placed);
    free(lone);
    suite_close(&s);
    return QUESTIONS;
}

static void claim_sizes(const mesh *m)
{
    static const struct {
        int kind;
        double most;
        const char *text;
    } limits[] = {
        {1, 1.5, "a boxtree of 8 bits, at most 3 planes, leaf 8 takes <= 1.5 B a triangle"},
        {3, 6, "an OBB tree pruned at 8 takes <= 6 B a triangle"},
        {4, 6, "an RSS tree pruned at 8 takes <= 6 B a triangle"}};
    for (int k = 0; k < 3; k++) {
        claim c = {.paper = "requirement",
                   .text = limits[k].text,
                   .figure = "required",
                   .evidence = "best_all.csv"};
        const bvp_hierarchy_spec *spec = &kinds[limits[k].kind].spec;
        bvp_hierarchy_spec one = *spec;
        packed pack, unpruned;
        one.leaf_size = 1;
        packed_make(&pack, m, spec, false);
        packed_make(&unpruned, m, &one, false);
        snprintf(c.ours, sizeof c.ours, "%.2f (%s)", packed_bytes(&pack), m->name);
        snprintf(c.control, sizeof c.control, "with leaves of one triangle %.2f",
                 packed_bytes(&unpruned));
        c.verdict = verdict_of(packed_bytes(&pack) <= limits[k].most);
        packed_drop(&pack);
        packed_drop(&unpruned);
        report_claim(&c);
    }
}

void papers_best(const setup *setup)
{
    static const struct {
        const char *class, *model;
    } classes[] = {{"machine part", "cycloidal"}, {"smooth casting", "link_3"}, {"plant", "plant"}};
    summary lines[4 * QUESTIONS];
    int count = 0;
    mesh m;
    report_heading("Which hierarchy for which question");
    table_begin(
        "best_all", "Microseconds a query, leaves of 8",
        "question|model class|triangles|wide|boxtree|aabb|obb|rss|rss, leaf 2|spread of times, "
        "%");
    for (int k = 0; k < 3; k++)
        if (setup_model(setup, classes[k].model, &m)) {
            count += measure_class(setup, classes[k].class, &m, lines + count);
            mesh_free(&m);
        }
    mesh_torus(&m, setup_count(setup, 160000), 0.7, 0.3);
    count += measure_class(setup, "fine smooth surface", &m, lines + count);
    mesh_free(&m);
    table_end();
    table_begin("best", "Best hierarchy, and what the default should be",
                "question|model class|best|its B/tri|its us|wide's us|default should be");
    for (int k = 0; k < count; k++)
        table_row("%s", lines[k].line);
    table_end();
    report_text("Another kind than wide is named as the default only where it saves a fifth of the "
                "time: below that, one hierarchy for all questions costs least.");
    if (setup_model(setup, "cycloidal", &m)) {
        claim_sizes(&m);
        mesh_free(&m);
    }
}
