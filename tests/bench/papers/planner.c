/* SPDX-License-Identifier: MIT
 * planner.c: table 3 of Shellshear, Li, Carlson: how long a path planner takes by leaf size.
 *
 * A rapidly exploring random tree: a part is moved from one side of an obstacle to the other. Each
 * node has its clearance, by a distance query; a motion of less than the clearance needs no more,
 * any other one is checked by collision queries at steps. The same seed for each hierarchy, so all
 * of them are asked the same questions as long as they give the same answers.
 */
#include "mebvh_parts.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 1500, SAMPLES = 6000, SEEDS = 6, HIERARCHIES = 5, FCL_TREE = 4 };

/* A place: of the part's middle, and a rotation as a unit quaternion. */
typedef struct place {
    double at[3], turn[4];
} place;

typedef struct node {
    place place;
    double clearance;
} node;

/* Of all seeds. */
typedef struct plan {
    uint64_t found, nodes, collisions, distances;
    double seconds;
} plan;

typedef struct planner {
    const subject *subject;
    double radius, room; /* of the part around its middle; half of the space */
    node *nodes;
    uint64_t count;
    plan *out;
} planner;

static void placement_of(const place *p, double out[12])
{
    const double w = p->turn[0], x = p->turn[1], y = p->turn[2], z = p->turn[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; i++) {
        memcpy(out + 4 * i, r + 3 * i, 3 * sizeof *out);
        out[4 * i + 3] = p->at[i];
    }
}

/* How far no point of the part moves more than. */
static double motion(const planner *p, const place *a, const place *b)
{
    double moved = 0, cosine = 0;
    for (int i = 0; i < 3; i++)
        moved += (a->at[i] - b->at[i]) * (a->at[i] - b->at[i]);
    for (int i = 0; i < 4; i++)
        cosine += a->turn[i] * b->turn[i];
    return sqrt(moved) + 2 * acos(fmin(1, fabs(cosine))) * p->radius;
}

static place between(const place *a, const place *b, double share)
{
    double cosine = 0, length = 0;
    place out;
    for (int i = 0; i < 4; i++)
        cosine += a->turn[i] * b->turn[i];
    for (int i = 0; i < 3; i++)
        out.at[i] = a->at[i] + share * (b->at[i] - a->at[i]);
    for (int i = 0; i < 4; i++) {
        out.turn[i] = (1 - share) * a->turn[i] + share * copysign(b->turn[i], b->turn[i] * cosine);
        length += out.turn[i] * out.turn[i];
    }
    for (int i = 0; i < 4; i++)
        out.turn[i] /= sqrt(length);
    return out;
}

static bool is_free(planner *p, const place *at)
{
    double m[12];
    bvp_stats unused = {.nodes = 0};
    int hit = 0;
    placement_of(at, m);
    p->out->collisions++;
    if (p->subject->fcl_a != NULL)
        return fcl_tree_pairs(p->subject->fcl_a, p->subject->fcl_b, m, true, &unused) == 0;
    const bvp_body a = {.file = p->subject->a, .part = 0},
                   b = {.file = p->subject->b, .part = 0, .placement = m};
    if (bvp_collide(&a, &b, &hit, NULL) != BVP_OK)
        abort();
    return hit == 0;
}

/* Rounded down, so that trees whose answers differ in the last places plan the same. */
static double clearance_of(planner *p, const place *at)
{
    double m[12];
    bvp_distance_result near = {.found = 0};
    placement_of(at, m);
    p->out->distances++;
    if (p->subject->fcl_a != NULL)
        return floor(fcl_tree_distance(p->subject->fcl_a, p->subject->fcl_b, m) * 4096) / 4096;
    const bvp_body a = {.file = p->subject->a, .part = 0},
                   b = {.file = p->subject->b, .part = 0, .placement = m};
    if (bvp_distance(&a, &b, INFINITY, &near, NULL) != BVP_OK)
        abort();
    return floor(near.distance * 4096) / 4096;
}

static place random_place(uint64_t *state, double room)
{
    place out;
    double length = 0;
    for (int i = 0; i < 3; i++)
        out.at[i] = room * (2 * scene_random(state) - 1);
    for (int i = 0; i < 4; i++) {
        out.turn[i] = scene_random(state) + scene_random(state) + scene_random(state) - 1.5;
        length += out.turn[i] * out.turn[i];
    }
    for (int i = 0; i < 4; i++)
        out.turn[i] /= sqrt(length);
    return out;
}

static bool is_way_free(planner *p, const node *from, const place *to)
{
    const double step = 0.02, way = motion(p, &from->place, to);
    const int steps = (int)ceil(way / step);
    for (int k = 1; k <= steps; k++) {
        const place at = between(&from->place, to, (double)k / steps);
        if (way * k / steps >= from->clearance && !is_free(p, &at))
            return false;
    }
    return true;
}

/* Goes from the nearest node towards `to`, 0.3 at most. The new node, or NULL: the way is barred.
 */
static const node *grow(planner *p, const place *to)
{
    const node *from = p->nodes;
    for (uint64_t k = 1; k < p->count; k++)
        if (motion(p, &p->nodes[k].place, to) < motion(p, &from->place, to))
            from = &p->nodes[k];
    const place at = between(&from->place, to, fmin(1, 0.3 / motion(p, &from->place, to)));
    if (!is_way_free(p, from, &at))
        return NULL;
    node *added = &p->nodes[p->count++];
    *added = (node){at, clearance_of(p, &at)};
    return added;
}

static void make_plan(planner *p, uint64_t seed, const place *start, const place *goal)
{
    bool is_found = false;
    p->count = 1;
    p->nodes[0] = (node){*start, clearance_of(p, start)};
    for (int k = 0; k < SAMPLES && p->count < NODES && !is_found; k++) {
        const place to = k % 8 == 0 ? *goal : random_place(&seed, p->room);
        const node *added = grow(p, &to);
        is_found = added != NULL && motion(p, &added->place, goal) < 1e-9;
    }
    p->out->found += is_found;
    p->out->nodes += p->count;
}

static void make_plans(planner *p)
{
    const place start = {{-1.5, 0, 0}, {1, 0, 0, 0}}, goal = {{1.5, 0, 0}, {1, 0, 0, 0}};
    const double begin = scene_now();
    *p->out = (plan){.found = 0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        make_plan(p, seed, &start, &goal);
    p->out->seconds = scene_now() - begin;
}

static double radius_of(const mesh *m)
{
    double most = 0;
    for (uint64_t k = 0; k < 3 * m->count; k++) {
        const float *c = m->tri + 3 * k;
        most = fmax(most, (double)c[0] * (double)c[0] + (double)c[1] * (double)c[1] +
                              (double)c[2] * (double)c[2]);
    }
    return sqrt(most);
}

typedef struct result {
    double log_speed[HIERARCHIES]; /* over leaves of one */
    int count;
} result;

static void plan_scene(const char *scene, const mesh *obstacle, const mesh *part, result *sum)
{
    static const uint32_t leaves[3] = {1, 2, 8};
    static const char *const names[HIERARCHIES] = {"rss, leaf 1", "rss, leaf 2", "rss, leaf 8",
                                                   "wide", "FCL OBBRSS"};
    candidate c[FCL_TREE];
    suite s;
    plan plans[HIERARCHIES];
    node *nodes = scene_allocate(NODES * sizeof *nodes);
    const int rounds = measure_is_timing() ? 3 : 1;
    double seconds[HIERARCHIES][3];
    for (int k = 0; k < 3; k++)
        c[k] = (candidate){names[k], {.kind = BVP_KIND_RSS, .leaf_size = leaves[k]}, 0};
    c[3] = candidate_wide;
    suite_open(&s, c, FCL_TREE, obstacle, part);
    const bool has_fcl = suite_add_fcl(&s, obstacle, part);
    const int count = has_fcl ? HIERARCHIES : FCL_TREE;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < count; k++) {
            planner p = {.subject = suite_subject(&s, k < FCL_TREE ? k : FCL_TREE + 1),
                         .radius = radius_of(part),
                         .room = 1.7,
                         .nodes = nodes,
                         .out = &plans[k]};
            if (p.subject == NULL)
                abort();
            make_plans(&p);
            seconds[k][round] = plans[k].seconds;
        }
    for (int k = 0; k < count; k++) {
        const double spread = rounds < 3
                                  ? NAN
                                  : 50 * (fmax(seconds[k][0], fmax(seconds[k][1], seconds[k][2])) -
                                          fmin(seconds[k][0], fmin(seconds[k][1], seconds[k][2])));
        plans[k].seconds = rounds < 3 ? NAN : scene_median(seconds[k], rounds);
        const double speed = plans[0].seconds / plans[k].seconds;
        table_row("%s|%s|%llu|%llu|%llu|%llu|%.3f|%.2f|%.0f", scene, names[k],
                  (unsigned long long)plans[k].found, (unsigned long long)plans[k].nodes,
                  (unsigned long long)plans[k].collisions, (unsigned long long)plans[k].distances,
                  plans[k].seconds, speed, spread / plans[k].seconds);
        sum->log_speed[k] += log(speed);
    }
    sum->count++;
    suite_close(&s);
    free(nodes);
}

static void claim_planning(const result *r)
{
    claim c = {.paper = "ME-BVH",
               .text = "a path planner takes hardly longer with leaves of two",
               .figure = "speeds 0.80, 0.91 and 1.00 of that with leaves of one",
               .evidence = "mebvh_table3.csv"};
    double speed[HIERARCHIES];
    for (int k = 0; k < HIERARCHIES; k++)
        speed[k] = exp(r->log_speed[k] / r->count);
    c.verdict = verdict_of(speed[1] >= 0.8);
    snprintf(c.ours, sizeof c.ours, "%.2f at two, %.2f at eight; geometric means of %d scenes",
             speed[1], speed[2], r->count);
    snprintf(c.control, sizeof c.control,
             "the wide hierarchy %.2f, FCL's tree of OBBRSS, leaves of one, %.2f (1.00: no FCL)",
             speed[3], speed[4]);
    report_claim(&c);
}

static void scale(mesh *m, float by)
{
    for (uint64_t k = 0; k < 9 * m->count; k++)
        m->tri[k] *= by;
}

void mebvh_planning(const setup *setup)
{
    static const struct {
        const char *name, *obstacle, *part; /* obstacle: NULL: pipes */
        float size;
    } scenes[] = {{"gear through pipes", NULL, "cycloidal", 0.16f},
                  {"link past robot", "irb6640", "link_3", 0.4f},
                  {"rob through env", "env", "rob", 0.2f}};
    result sum = {.count = 0};
    table_begin("mebvh_table3", "Table 3: a path planner's time by leaf size (RSS)",
                "scene|hierarchy|#plans found|#nodes|#collision queries|#distance "
                "queries|seconds|speed over leaf 1|spread of times, %");
    for (int k = 0; k < 3; k++) {
        mesh obstacle, part;
        if (setup->is_check && k > 0)
            break;
        if (!setup_model(setup, scenes[k].part, &part))
            continue;
        scale(&part, scenes[k].size);
        if (scenes[k].obstacle == NULL)
            mesh_pipes(&obstacle, 30000, 12, 6, 1);
        if (scenes[k].obstacle == NULL || setup_model(setup, scenes[k].obstacle, &obstacle)) {
            plan_scene(scenes[k].name, &obstacle, &part, &sum);
            mesh_free(&obstacle);
        }
        mesh_free(&part);
    }
    table_end();
    report_text(
        "A tree of at most %d nodes grows from one side of the obstacle, whose size is 2, to "
        "the other; every eighth sample is the goal. A distance query a node, collision "
        "queries where a motion is more than the clearance. %d plans, the same seeds for all.",
        NODES, SEEDS);
    if (sum.count > 0 && !setup->is_check)
        claim_planning(&sum);
}
