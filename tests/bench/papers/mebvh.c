/* SPDX-License-Identifier: MIT
 * mebvh.c: the tables of Shellshear, Li, Carlson, ME-BVH: memory efficient bounding volume
 * hierarchies.
 */
#include "mebvh_parts.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char paper[] = "ME-BVH";

static void tell(claim *c, const char *evidence)
{
    c->paper = paper;
    c->evidence = evidence;
    report_claim(c);
}

/* ---- table 1: volumes, bytes, build time ----------------------------------------------------- */

enum { LEAVES = 3 };
static const uint32_t leaves[LEAVES] = {1, 2, 8};

typedef struct pruning {
    double volumes[LEAVES], bytes[LEAVES], whole[LEAVES], seconds[LEAVES];
    scene_timing built[LEAVES];
    char problem[300];
} pruning;

static void prune(const mesh *m, bvp_kind kind, pruning *out)
{
    enum { RUNS = 3, SMALL = 100000 };
    const int runs = m->count < SMALL && measure_is_timing() ? RUNS : 1;
    *out = (pruning){.problem = ""};
    for (int k = 0; k < LEAVES; k++) {
        const bvp_hierarchy_spec spec = {.kind = kind, .leaf_size = leaves[k]};
        double seconds[RUNS];
        for (int run = 0; run < runs; run++) {
            packed pack;
            if (!packed_make(&pack, m, &spec, false)) {
                snprintf(out->problem, sizeof out->problem, "%s", pack.problem);
                return;
            }
            out->volumes[k] = pack.info.node_count;
            out->bytes[k] = packed_bytes(&pack) * (double)m->count;
            out->whole[k] = (double)(pack.part.hierarchy_size + pack.part.geometry_size);
            seconds[run] = pack.seconds;
            packed_drop(&pack);
        }
        out->built[k] =
            measure_is_timing() ? timing_of(seconds, runs) : (scene_timing){NAN, NAN, NAN};
        out->seconds[k] = out->built[k].median;
    }
}

static double saved(const double *values, int k)
{
    return 100 * (1 - values[k] / values[0]);
}

static void prune_rows(const mesh *m, bvp_kind kind, const pruning *p)
{
    if (p->problem[0] != '\0') {
        table_row("%s|%llu|%s||not measured: %s||||||", m->name, (unsigned long long)m->count,
                  kind_name(kind), p->problem);
        return;
    }
    for (int k = 0; k < LEAVES; k++) {
        char text[64];
        table_row("%s|%llu|%s|%u|%.0f|%.0f|%.2f|%.1f|%.1f|%s|%.1f", m->name,
                  (unsigned long long)m->count, kind_name(kind), leaves[k], p->volumes[k],
                  p->bytes[k] / 1000, p->bytes[k] / (double)m->count, saved(p->volumes, k),
                  saved(p->bytes, k), timing_text(&p->built[k], 3, text), saved(p->seconds, k));
    }
}

/* of_others: volumes, bytes and time saved at two, of AABB trees and of boxtrees. */
static void claim_pruning(const pruning *p, int count, double of_others[2][3])
{
    claim volumes = {.text = "pruning at two triangles saves 39 % of the volumes",
                     .figure = "39 % on average"};
    claim memory = {.text = "pruning at two triangles saves 33 % of the memory",
                    .figure = "33 % on average, of hierarchy and triangles"};
    claim build = {.text = "pruning at two triangles saves 6 % of the build time",
                   .figure = "6 % on average"};
    claim *all[3] = {&volumes, &memory, &build};
    static const double figure[3] = {39, 33, 6};
    double mean[3][2] = {{0}}, whole = 0;
    for (int k = 0; k < count; k++) {
        for (int leaf = 0; leaf < 2; leaf++) {
            mean[0][leaf] += saved(p[k].volumes, leaf + 1) / count;
            mean[1][leaf] += saved(p[k].bytes, leaf + 1) / count;
            mean[2][leaf] += saved(p[k].seconds, leaf + 1) / count;
        }
        whole += saved(p[k].whole, 1) / count;
    }
    static const char *const what[3] = {"volumes", "memory of the hierarchy", "time"};
    for (int k = 0; k < 3; k++) {
        all[k]->verdict = verdict_of(mean[k][0] >= 0.85 * figure[k]);
        snprintf(all[k]->ours, sizeof all[k]->ours, "%.1f %% at two (RSS, mean of %d models)",
                 mean[k][0], count);
        snprintf(all[k]->control, sizeof all[k]->control,
                 "at eight triangles a leaf %.1f %%; at two, of AABB trees of the first model, "
                 "%.1f %% of the %s, of boxtrees %.1f %%",
                 mean[k][1], of_others[0][k], what[k], of_others[1][k]);
    }
    snprintf(memory.ours, sizeof memory.ours,
             "of the hierarchy %.1f %%, of hierarchy and geometry %.1f %% at two (RSS, mean of %d "
             "models)",
             mean[1][0], whole, count);
    memory.verdict = verdict_of(whole >= 0.85 * figure[1]);
    for (int k = 0; k < 3; k++)
        tell(all[k], "mebvh_table1.csv");
}

static void table1(const setup *setup)
{
    static const char *const models[] = {"cycloidal", "counter", "irb6640", "unitree_r1", "plant"};
    static const bvp_kind kinds[] = {BVP_KIND_RSS, BVP_KIND_OBB, BVP_KIND_AABB, BVP_KIND_BOXTREE};
    pruning of_rss[5];
    double of_others[2][3] = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    int count = 0;
    table_begin("mebvh_table1", "Table 1: volumes, bytes and build time by leaf size",
                "model|triangles|kind|leaf|#volumes|#KB|#B/tri|#volumes saved, %|#bytes saved, "
                "%|build, s|time saved, %");
    for (int k = 0; k < 5; k++) {
        mesh m;
        if ((k == 3 && setup->effort < 0.2) || !setup_model(setup, models[k], &m))
            continue;
        for (int j = 0; j < (k < 2 ? 4 : 1); j++) {
            pruning p;
            prune(&m, kinds[j], &p);
            prune_rows(&m, kinds[j], &p);
            if (p.problem[0] != '\0')
                continue;
            if (j == 0)
                of_rss[count++] = p;
            if (j >= 2 && k == 0) {
                of_others[j - 2][0] = saved(p.volumes, 1);
                of_others[j - 2][1] = saved(p.bytes, 1);
                of_others[j - 2][2] = saved(p.seconds, 1);
            }
        }
        mesh_free(&m);
    }
    table_end();
    report_text("One thread; the time is of the whole part, geometry included, the median of three "
                "for models below 100,000 triangles, least and most in brackets.");
    if (count > 0 && !setup->is_check)
        claim_pruning(of_rss, count, of_others);
}

/* ---- table 2: queries a second --------------------------------------------------------------- */

enum { WIDE = LEAVES, SUBJECTS };

typedef struct speed {
    double log_collide[LEAVES], log_distance[LEAVES]; /* of queries a second */
    double log_boxes[LEAVES], log_triangles[LEAVES];  /* of tests a distance query */
    int count;
} speed;

static void queries(const setup *setup, const char *scene, const mesh *a, const mesh *b, speed *sum)
{
    candidate c[SUBJECTS];
    double second[2][SUBJECTS], boxes[SUBJECTS], triangles[SUBJECTS], spread[SUBJECTS] = {0};
    const int count[2] = {setup_poses(setup, 500), setup_poses(setup, 120)};
    suite s;
    for (int k = 0; k < LEAVES; k++) {
        static const char *const names[LEAVES] = {"rss, leaf 1", "rss, leaf 2", "rss, leaf 8"};
        c[k] = (candidate){names[k], {.kind = BVP_KIND_RSS, .leaf_size = leaves[k]}, 0};
    }
    c[WIDE] = candidate_wide;
    suite_open(&s, c, SUBJECTS, a, b);
    double *poses = random_placements(a, b, count[0], 0.3);
    for (int q = 0; q < 2; q++) {
        measure(s.subjects, s.subject_count, q == 0 ? ASK_COLLIDE : ASK_DISTANCE, poses, count[q],
                ROUNDS);
        for (int k = 0; k < SUBJECTS; k++) {
            second[q][k] = 1e6 / suite_us(&s, k);
            boxes[k] = suite_boxes(&s, k, count[q]);
            triangles[k] = suite_triangles(&s, k, count[q]);
            spread[k] = fmax(spread[k], measure_spread(suite_subject(&s, k), 1));
        }
    }
    for (int k = 0; k < SUBJECTS; k++)
        table_row("%s|%s|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f", scene, c[k].name, boxes[k],
                  triangles[k], second[0][k], second[1][k], 100 * (second[0][k] / second[0][0] - 1),
                  100 * (second[1][k] / second[1][0] - 1), spread[k]);
    for (int k = 0; k < LEAVES; k++) {
        sum->log_collide[k] += log(second[0][k] / second[0][0]);
        sum->log_distance[k] += log(second[1][k] / second[1][0]);
        sum->log_boxes[k] += log(boxes[k] / boxes[0]);
        sum->log_triangles[k] += log(triangles[k] / triangles[0]);
    }
    sum->count++;
    free(poses);
    suite_close(&s);
}

static double change(const double *logs, int k, int count)
{
    return 100 * (exp(logs[k] / count) - 1);
}

static void claim_speed(const speed *r)
{
    claim collide = {.text = "pruning at two triangles costs less than 10 % of collision queries",
                     .figure = "-10 % on average"};
    claim distance = {.text = "pruning at two triangles costs up to 66 % of distance queries",
                      .figure = "-46 to -68 % in table 2"};
    const double c = change(r->log_collide, 1, r->count);
    const double d = change(r->log_distance, 1, r->count);
    double each[LEAVES];
    for (int k = 0; k < LEAVES; k++)
        each[k] = exp(-(r->log_distance[k] + r->log_boxes[k]) / r->count);
    collide.verdict = verdict_of(c > -10);
    snprintf(collide.ours, sizeof collide.ours, "%+.0f %% queries a second at two triangles a leaf",
             c);
    snprintf(collide.control, sizeof collide.control, "at eight triangles a leaf %+.0f %%",
             change(r->log_collide, 2, r->count));
    distance.verdict = verdict_of(d < -30);
    snprintf(distance.ours, sizeof distance.ours,
             "%+.0f %% queries a second at two triangles a leaf, %+.0f %% at eight", d,
             change(r->log_distance, 2, r->count));
    snprintf(distance.control, sizeof distance.control,
             "at two a query takes %+.0f %% volume tests and %+.0f %% triangle tests, at eight "
             "%+.0f %% and %+.0f %%; its time over its volume tests, triangles included, is %.2f "
             "of that at one a leaf, at eight %.2f",
             change(r->log_boxes, 1, r->count), change(r->log_triangles, 1, r->count),
             change(r->log_boxes, 2, r->count), change(r->log_triangles, 2, r->count), each[1],
             each[2]);
    tell(&collide, "mebvh_table2.csv");
    tell(&distance, "mebvh_table2.csv");
}

static void table2(const setup *setup)
{
    static const struct {
        const char *name, *a, *b;
    } scenes[] = {{"two gears", "cycloidal", "cycloidal"},
                  {"rob in env", "env", "rob"},
                  {"gear at robot", "irb6640", "cycloidal"},
                  {"link at counter", "counter", "link_3"}};
    speed sum = {.count = 0};
    table_begin(
        "mebvh_table2", "Table 2: queries a second by leaf size (RSS), random placements",
        "scene|hierarchy|#volume tests a distance query|#triangle tests|collision queries a "
        "second|distance queries a second|collision, change in %|distance, change in "
        "%|spread of times, %");
    for (int k = 0; k < 4; k++) {
        mesh a, b;
        if (!setup_model(setup, scenes[k].a, &a))
            continue;
        if (setup_model(setup, scenes[k].b, &b)) {
            queries(setup, scenes[k].name, &a, &b, &sum);
            mesh_free(&b);
        }
        mesh_free(&a);
    }
    table_end();
    report_text("About 30 %% of the placements collide.");
    if (sum.count > 0)
        claim_speed(&sum);
}

void papers_mebvh(const setup *setup)
{
    report_heading("ME-BVH: Shellshear, Li, Carlson, ME-BVH: memory efficient bounding volume "
                   "hierarchies");
    table1(setup);
    if (!setup->is_check)
        table2(setup);
    mebvh_planning(setup);
    mebvh_rectangles(setup);
    mebvh_balance(setup);
}
