/* SPDX-License-Identifier: MIT
 * bench_scene.c: the questions about two bodies, asked of the library and of the peers, in turn;
 * every answer is compared, and exact arithmetic judges those that differ.
 */
#include "bench_scene.h"
#include "bench_rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[BENCH_KINDS] = {"collide", "pairs", "distance", "within"};

/* Whom to ask what: a peer with its models, or us with our files when there is none. */
typedef struct question {
    const bench_scene *scene;
    const peer_pairs *peer;
    const void *a, *b;
    bench_kind what;
} question;

/* ---- the peers ------------------------------------------------------------------------------- */

/* Those that know one question and take milliseconds for it get no huge models. */
static int can_take(const peer_pairs *peer, uint64_t triangle_count)
{
    if (!peer)
        return 0;
    return triangle_count <= (peer->pairs         ? UINT64_MAX
                              : peer->distance    ? 3000000u
                              : peer == peer_cgal ? 500000u
                                                  : 100000u);
}

void bench_rivals_make(bench_rivals *out, const bench_mesh *a, const bench_mesh *b)
{
    const peer_pairs *const all[BENCH_PEERS_MAX] = {peer_fcl,  peer_fcl_rss, peer_pqp,
                                                    peer_cgal, peer_bullet,  peer_ode};
    out->count = 0;
    for (int k = 0; k < BENCH_PEERS_MAX; k++) {
        if (!can_take(all[k], a->triangle_count))
            continue;
        const int i = out->count++;
        out->peer[i] = all[k];
        out->a[i] = all[k]->make(a->positions, a->triangle_count);
        out->b[i] = a == b ? out->a[i] : all[k]->make(b->positions, b->triangle_count);
    }
}

void bench_rivals_drop(bench_rivals *rivals)
{
    for (int i = 0; i < rivals->count; i++) {
        if (rivals->a[i] != rivals->b[i])
            rivals->peer[i]->drop(rivals->b[i]);
        rivals->peer[i]->drop(rivals->a[i]);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int go_on(void *user, const bvp_pair *pair)
{
    (void)user;
    (void)pair;
    return 0;
}

static double ask_us(const void *user, int idx)
{
    const question *q = user;
    const bench_scene *s = q->scene;
    const bvp_body a = {.file = q->a, .part = 0},
                   b = {.file = q->b, .part = 0, .placement = s->placements[idx]};
    bvp_distance_result nearest;
    uint64_t count = 0;
    int hit = 0;
    switch (q->what) {
    case BENCH_COLLIDE:
        bench_require(bvp_collide(&a, &b, &hit, NULL), "collide");
        return hit;
    case BENCH_PAIRS:
        bench_require(bvp_pairs_each(&a, &b, go_on, NULL, &count, NULL), "pairs");
        return (double)count;
    case BENCH_DISTANCE:
        bench_require(bvp_distance(&a, &b, INFINITY, &nearest, NULL), "distance");
        return nearest.distance;
    default:
        bench_require(bvp_within(&a, &b, s->delta, &hit, NULL, NULL), "within");
        return hit;
    }
}

static double ask_peer(const void *user, int idx)
{
    const question *q = user;
    const double *placement = q->scene->placements[idx];
    switch (q->what) {
    case BENCH_COLLIDE:
        return q->peer->collide(q->a, q->b, placement);
    case BENCH_PAIRS:
        return (double)q->peer->pairs(q->a, q->b, placement, NULL, NULL);
    case BENCH_DISTANCE:
        return q->peer->distance(q->a, q->b, placement);
    default:
        if (q->peer->within)
            return q->peer->within(q->a, q->b, placement, q->scene->delta);
        return q->peer->distance(q->a, q->b, placement) <= q->scene->delta;
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Counts at all, distances by more than 1e-6 of themselves. */
static int differs(bench_kind what, double x, double y)
{
    return what == BENCH_DISTANCE ? fabs(x - y) > 1e-6 * fmax(x, y) + 1e-12 : x != y;
}

static void print_answers(const bench_scene *s, bench_kind what, const bench_contender *who,
                          int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += who->answers[i];
    printf("%s,%llu,%s,%s,%d,%.6g,%.9g,", s->name, (unsigned long long)s->a->triangle_count,
           kind_names[what], who->name, count, bench_us(who, count).median, sum);
}

static void print_ours(const bench_scene *s, bench_kind what, const bench_contender *ours,
                       int count)
{
    print_answers(s, what, ours, count);
    printf(",,,,,,,%d,\n", ours->stopped);
    fflush(stdout);
}

/* A peer that finds no contact where we do, or the other way round: who is right? All pairs of ours
 * and of the judge's peer are looked at exactly; what neither of them sees is not there. */
static int wrong_of_ours(const bench_scene *s, const bench_rivals *rivals, int idx, int ours)
{
    const bench_truth truth =
        bench_truth_of(s->a, s->b, s->placements[idx], rivals->peer[0], rivals->a[0], rivals->b[0]);
    return truth.known && truth.meet != ours;
}

static uint64_t print_peer(const bench_scene *s, const bench_rivals *rivals, bench_kind what,
                           const bench_contender *ours, const bench_contender *theirs, int count)
{
    enum { JUDGED_MAX = 20 };
    const bench_quartiles ratio = bench_ratio(ours, theirs, count);
    int differ = 0, wrong = 0;
    for (int i = 0; i < count && !ours->stopped && !theirs->stopped; i++) {
        if (!differs(what, ours->answers[i], theirs->answers[i]))
            continue;
        if (what == BENCH_COLLIDE && differ < JUDGED_MAX)
            wrong += wrong_of_ours(s, rivals, i, (int)ours->answers[i]);
        differ++;
    }
    print_answers(s, what, theirs, count);
    printf("%.4g,%d,%.6g,%.4g,%.4g,%d,%.4g,%d,%d\n", ratio.median, differ,
           bench_us(ours, count).median, ratio.q1, ratio.q3, wrong,
           bench_worst(ours, theirs, count), theirs->stopped, ours->stopped);
    fflush(stdout);
    return (uint64_t)wrong;
}

/* Poses whose counts differ are judged pair by pair; nothing of ours may be apart, nothing that
 * crosses may be missing. Returns how many are. */
static uint64_t judge(const bench_scene *s, const bench_rivals *rivals, const bench_contender *ours,
                      const bench_contender *theirs, int count)
{
    bench_verdicts only_ours = {0}, only_theirs = {0};
    int differing = 0;
    for (int i = 0; i < count && differing < 100; i++) {
        if (ours->answers[i] == theirs->answers[i])
            continue;
        differing++;
        bench_judge(s->a, s->b, s->placements[i], rivals->peer[0], rivals->a[0], rivals->b[0],
                    &only_ours, &only_theirs);
    }
    if (differing)
        fprintf(stderr,
                "only bvpack: %llu pairs cross, %llu touch, %llu are apart, %llu not judged; "
                "only %s: %llu cross, %llu touch, %llu are apart, %llu not judged\n",
                (unsigned long long)only_ours.cross, (unsigned long long)only_ours.touch,
                (unsigned long long)only_ours.apart, (unsigned long long)only_ours.unknown,
                theirs->name, (unsigned long long)only_theirs.cross,
                (unsigned long long)only_theirs.touch, (unsigned long long)only_theirs.apart,
                (unsigned long long)only_theirs.unknown);
    return only_ours.apart + only_theirs.cross + only_theirs.touch;
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { ROW_MAX = 1 + BENCH_PEERS_MAX + BENCH_VARIANTS_MAX };

typedef struct row {
    question questions[ROW_MAX];
    bench_contender all[ROW_MAX];
    int count;
} row;

static void enter(row *r, const char *name, question q)
{
    r->questions[r->count] = q;
    r->all[r->count] = (bench_contender){
        .name = name, .ask = q.peer ? ask_peer : ask_us, .user = &r->questions[r->count]};
    r->count++;
}

static int knows(const peer_pairs *peer, bench_kind what)
{
    return what == BENCH_COLLIDE ? peer->collide != NULL
           : what == BENCH_PAIRS ? peer->pairs != NULL
                                 : peer->distance != NULL;
}

/* We, the rivals from..to that know the question and, in a main row, our variants. */
static uint64_t ask_row(const bench_scene *s, const bench_rivals *rivals, bench_kind what, int from,
                        int to, int main_row)
{
    row r = {.count = 0};
    uint64_t wrong = 0;
    enter(&r, "bvpack", (question){s, NULL, s->a->file, s->b->file, what});
    for (int k = from; k < to; k++)
        if (knows(rivals->peer[k], what))
            enter(&r, rivals->peer[k]->name,
                  (question){s, rivals->peer[k], rivals->a[k], rivals->b[k], what});
    for (int k = 0; k < s->variant_count && main_row; k++)
        enter(&r, s->variants[k].name,
              (question){s, NULL, s->variants[k].a, s->variants[k].b, what});
    if (r.count == 1 && !main_row)
        return 0;
    if (s->limit > 0)
        bench_probe(r.all, r.count, s->count, s->limit);
    const int count =
        bench_rounds(r.all, r.count, s->count, main_row ? bench_limit() : bench_limit() / 4);
    if (main_row)
        print_ours(s, what, &r.all[0], count);
    for (int k = 1; k < r.count; k++) {
        wrong += print_peer(s, rivals, what, &r.all[0], &r.all[k], count);
        if (what == BENCH_PAIRS && r.questions[k].peer && !r.all[0].stopped && !r.all[k].stopped)
            wrong += judge(s, rivals, &r.all[0], &r.all[k], count);
    }
    bench_rounds_free(r.all, r.count);
    return wrong;
}

void bench_scene_header(void)
{
    printf(
        "protocol,triangles,query,library,poses,us,sum_of_answers,times_slower,poses_that_differ,"
        "ours_us,times_slower_q1,times_slower_q3,ours_wrong,times_slower_worst,stopped,ours_"
        "stopped\n");
}

/* Those that answer collide alone are slow: they are asked fewer poses, in a row of their own. */
uint64_t bench_scene_run(const bench_scene *scene, const bench_rivals *rivals)
{
    uint64_t wrong = 0;
    int quick = 0;
    while (quick < rivals->count && rivals->peer[quick]->distance)
        quick++;
    for (bench_kind what = BENCH_COLLIDE; what < BENCH_KINDS; what++)
        if (!(scene->skipped >> what & 1))
            wrong += ask_row(scene, rivals, what, 0, quick, 1);
    for (int k = quick; k < rivals->count; k++)
        wrong += ask_row(scene, rivals, BENCH_COLLIDE, k, k + 1, 0);
    return wrong;
}
