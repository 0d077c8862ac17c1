/* SPDX-License-Identifier: MIT
 * mebvh.c: the tables of Shellshear, Li, Carlson, ME-BVH: memory efficient bounding volume
 * hierarchies.
 */
#include "papers_suite.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char paper[] = "ME-BVH";

static void tell(claim *c)
{
    c->paper = paper;
    report_claim(c);
}

/* ---- table 1: volumes, bytes, build time ----------------------------------------------------- */

enum { LEAVES = 3 };
static const uint32_t leaves[LEAVES] = {1, 2, 8};

typedef struct pruning {
    double volumes[LEAVES], bytes[LEAVES], whole[LEAVES], seconds[LEAVES];
    char problem[300];
} pruning;

static void prune(const mesh *m, bvp_kind kind, pruning *out)
{
    const int runs = m->count < 50000 ? 3 : 1;
    *out = (pruning){.problem = ""};
    for (int k = 0; k < LEAVES; k++) {
        const bvp_hierarchy_spec spec = {.kind = kind, .leaf_size = leaves[k]};
        out->seconds[k] = INFINITY;
        for (int run = 0; run < runs; run++) {
            packed pack;
            if (!packed_make(&pack, m, &spec, false)) {
                snprintf(out->problem, sizeof out->problem, "%s", pack.problem);
                return;
            }
            out->volumes[k] = pack.info.node_count;
            out->bytes[k] = packed_bytes(&pack) * (double)m->count;
            out->whole[k] = (double)(pack.part.hierarchy_size + pack.part.geometry_size);
            out->seconds[k] = fmin(out->seconds[k], pack.seconds);
            packed_drop(&pack);
        }
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
    for (int k = 0; k < LEAVES; k++)
        table_row("%s|%llu|%s|%u|%.0f|%.0f|%.2f|%.3f|%.1f|%.1f|%.1f", m->name,
                  (unsigned long long)m->count, kind_name(kind), leaves[k], p->volumes[k],
                  p->bytes[k] / 1000, p->bytes[k] / (double)m->count, p->seconds[k],
                  saved(p->volumes, k), saved(p->bytes, k), saved(p->seconds, k));
}

static void claim_pruning(const pruning *p, int count, const char *problem)
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
    for (int k = 0; k < 3; k++) {
        all[k]->verdict = count == 0                       ? NOT_MEASURED
                          : mean[k][0] >= 0.85 * figure[k] ? HOLDS
                                                           : DOES_NOT_HOLD;
        snprintf(all[k]->ours, sizeof all[k]->ours,
                 "%.1f %% at two, %.1f %% at eight triangles a leaf (RSS, mean of %d models)",
                 mean[k][0], mean[k][1], count);
        if (count == 0)
            snprintf(all[k]->ours, sizeof all[k]->ours, "%s", problem);
    }
    if (count > 0)
        snprintf(memory.ours, sizeof memory.ours,
                 "of the hierarchy %.1f %% at two, %.1f %% at eight triangles a leaf; of hierarchy "
                 "and geometry %.1f %% at two",
                 mean[1][0], mean[1][1], whole);
    for (int k = 0; k < 3; k++)
        tell(all[k]);
}

static void table1(const setup *setup)
{
    static const char *const models[] = {"cycloidal", "counter", "irb6640", "unitree_r1",
                                         "plant_2M"};
    static const bvp_kind kinds[] = {BVP_KIND_RSS, BVP_KIND_OBB, BVP_KIND_AABB, BVP_KIND_BOXTREE};
    pruning of_rss[5];
    char problem[300] = "";
    int count = 0;
    table_begin("mebvh_table1", "Table 1: volumes, bytes and build time by leaf size",
                "model|triangles|kind|leaf|volumes|KB|B/tri|build, s|volumes saved, %|bytes saved, "
                "%|time saved, %");
    for (int k = 0; k < 5; k++) {
        mesh m;
        if ((k == 3 && setup->effort < 0.2) || (k == 4 && setup->effort < 0.5) ||
            !setup_model(setup, models[k], &m))
            continue;
        for (int j = 0; j < (k < 2 ? 4 : 1); j++) {
            pruning p;
            prune(&m, kinds[j], &p);
            prune_rows(&m, kinds[j], &p);
            if (j == 0 && p.problem[0] == '\0')
                of_rss[count++] = p;
            else if (j == 0)
                snprintf(problem, sizeof problem, "%s", p.problem);
        }
        mesh_free(&m);
    }
    table_end();
    report_text("One thread; the time is of the whole part, geometry included, the least of three "
                "for models below 50,000 triangles.");
    claim_pruning(of_rss, count, problem);
}

/* ---- table 2: queries a second --------------------------------------------------------------- */

enum { WIDE = LEAVES, SUBJECTS };

typedef struct speed {
    double log_collide[LEAVES], log_distance[LEAVES]; /* of queries a second */
    double log_boxes[LEAVES], log_triangles[LEAVES];  /* of tests a distance query */
    int count;
    char problem[300];
} speed;

static void queries(const char *scene, const mesh *a, const mesh *b, double budget, speed *sum)
{
    candidate c[SUBJECTS];
    double second[2][SUBJECTS], boxes[SUBJECTS], triangles[SUBJECTS];
    suite s;
    for (int k = 0; k < LEAVES; k++) {
        static const char *const names[LEAVES] = {"rss, leaf 1", "rss, leaf 2", "rss, leaf 8"};
        c[k] = (candidate){names[k], {.kind = BVP_KIND_RSS, .leaf_size = leaves[k]}, 0};
    }
    c[WIDE] = candidate_wide;
    suite_open(&s, c, SUBJECTS, a, b);
    double *poses = random_placements(a, b, 4000, 0.3);
    for (int q = 0; q < 2; q++) {
        const int asked = measure(s.subjects, s.subject_count, q == 0 ? ASK_COLLIDE : ASK_DISTANCE,
                                  poses, 4000, budget);
        for (int k = 0; k < SUBJECTS; k++) {
            const subject *r = suite_subject(&s, k);
            second[q][k] = r == NULL ? NAN : 1 / r->seconds;
            boxes[k] = r == NULL ? NAN : (double)r->stats.boxes / asked;
            triangles[k] = r == NULL ? NAN : (double)r->stats.triangles / asked;
            if (r == NULL)
                snprintf(sum->problem, sizeof sum->problem, "%s", s.problem[k]);
        }
    }
    for (int k = 0; k < SUBJECTS; k++)
        table_row("%s|%s|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f", scene, c[k].name, second[0][k],
                  second[1][k], 100 * (second[0][k] / second[0][0] - 1),
                  100 * (second[1][k] / second[1][0] - 1), boxes[k], triangles[k]);
    if (s.subject_count == SUBJECTS) {
        for (int k = 0; k < LEAVES; k++) {
            sum->log_collide[k] += log(second[0][k] / second[0][0]);
            sum->log_distance[k] += log(second[1][k] / second[1][0]);
            sum->log_boxes[k] += log(boxes[k] / boxes[0]);
            sum->log_triangles[k] += log(triangles[k] / triangles[0]);
        }
        sum->count++;
    }
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
    if (r->count == 0) {
        collide.verdict = distance.verdict = NOT_MEASURED;
        snprintf(collide.ours, sizeof collide.ours, "%s", r->problem);
        snprintf(distance.ours, sizeof distance.ours, "%s", r->problem);
    } else {
        const double c = change(r->log_collide, 1, r->count);
        const double d = change(r->log_distance, 1, r->count);
        collide.verdict = c > -10 ? HOLDS : DOES_NOT_HOLD;
        snprintf(collide.ours, sizeof collide.ours,
                 "%+.0f %% at two, %+.0f %% at eight triangles a leaf", c,
                 change(r->log_collide, 2, r->count));
        distance.verdict = d < -30 ? HOLDS : DOES_NOT_HOLD;
        snprintf(distance.ours, sizeof distance.ours,
                 "%+.0f %% at two, %+.0f %% at eight triangles a leaf", d,
                 change(r->log_distance, 2, r->count));
        if (distance.verdict == DOES_NOT_HOLD)
            snprintf(
                distance.why, sizeof distance.why,
                "at two triangles a leaf a distance query takes %+.0f %% volume tests and %+.0f %% "
                "triangle tests: the latter run eight side by side and cost less than a volume",
                change(r->log_boxes, 1, r->count), change(r->log_triangles, 1, r->count));
    }
    tell(&collide);
    tell(&distance);
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
    table_begin("mebvh_table2", "Table 2: queries a second by leaf size (RSS), random placements",
                "scene|hierarchy|collision queries a second|distance queries a second|collision, "
                "change in %|distance, change in %|volume tests a distance query|triangle tests");
    for (int k = 0; k < 4; k++) {
        mesh a, b;
        if (!setup_model(setup, scenes[k].a, &a))
            continue;
        if (setup_model(setup, scenes[k].b, &b)) {
            queries(scenes[k].name, &a, &b, 6 * setup->effort, &sum);
            mesh_free(&b);
        }
        mesh_free(&a);
    }
    table_end();
    report_text(
        "About 30 %% of the placements collide. Table 3 of the paper (a path planner's time) "
        "has no counterpart here.");
    claim_speed(&sum);
}

void papers_mebvh(const setup *setup)
{
    report_heading("ME-BVH: Shellshear, Li, Carlson, ME-BVH: memory efficient bounding volume "
                   "hierarchies");
    table1(setup);
    table2(setup);
}
