/* SPDX-License-Identifier: MIT
 * bench_broad.c: protocol broad: many moving bodies, one hundredth of them in a pair: their boxes
 * and pairs step by step, and the peers the same. The bodies are the parts of a file in turn, at
 * random places in a cube, and are thrown back at its walls. A peer gets our boxes as they are; our
 * time contains that of placing them. Ratios are of whole steps, and of the sums of all; pairs are
 * compared in each step.
 * Usage: bench_broad FILE.bvp [BODIES [STEPS [MOTION]...]], of the names in `motions`
 */
#include "bench.h"
#include "bench_rounds.h"
#include "bvpack_broad.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEERS = 2, ASKED = PEERS + 1, FIRST_STEPS = 3 };
#define IN_PAIRS 0.01 /* share of the bodies */

/* A step in units of a body's size, a turn in radians; which share of the bodies moves; whether to
 * anywhere. */
typedef struct motion {
    const char *name;
    double step, turn, share;
    int is_jump;
} motion;
static const motion motions[] = {{"slow", 0.02, 0.01, 1, 0},
                                 {"fast", 0.5, 0.3, 1, 0},
                                 {"jumps", 0, 3, 1, 1},
                                 {"few", 0.1, 0.1, 0.01, 0}};

typedef struct mover {
    uint32_t part;
    double size, centre[3]; /* of the part */
    double at[3], velocity[3], turn[4], spin[4];
} mover;

typedef struct scene {
    bvp_file *file;
    uint32_t count;
    double side; /* of the cube */
    mover *movers;
    double (*placements)[12];
    double (*boxes)[6];
    uint32_t *moved;
    uint32_t moved_count;
    bvp_broad *broad;
    bvp_broad_id *ids;
} scene;

typedef struct pair_list {
    uint64_t *keys;
    uint64_t count, capacity;
} pair_list;

typedef struct times {
    double *move, *pairs, *step;
} times;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        bench_require(BVP_ERR_NO_MEMORY, "bench");
    return memory;
}

/* ---- motion ---------------------------------------------------------------------------------- */

static void random_direction(uint64_t *seed, double length, double out[3])
{
    const double z = 2 * bench_uniform(seed) - 1, a = 2 * M_PI * bench_uniform(seed);
    const double r = sqrt(1 - z * z);
    out[0] = length * r * cos(a);
    out[1] = length * r * sin(a);
    out[2] = length * z;
}

/* A quaternion about a random axis. */
static void random_turn(uint64_t *seed, double angle, double out[4])
{
    random_direction(seed, sin(angle / 2), out);
    out[3] = cos(angle / 2);
}

static void multiply(const double p[4], const double q[4], double out[4])
{
    const double x = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
    const double y = p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0];
    const double z = p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3];
    const double w = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
    const double length = sqrt(x * x + y * y + z * z + w * w);
    out[0] = x / length;
    out[1] = y / length;
    out[2] = z / length;
    out[3] = w / length;
}

/* The part's centre at m->at, turned. */
static void place(const mover *m, double out[12])
{
    const double x = m->turn[0], y = m->turn[1], z = m->turn[2], w = m->turn[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; i++) {
        out[4 * i + 3] = m->at[i];
        for (int k = 0; k < 3; k++) {
            out[4 * i + k] = r[3 * i + k];
            out[4 * i + 3] -= r[3 * i + k] * m->centre[k];
        }
    }
}

static void scatter(scene *s, double side, uint64_t *seed)
{
    s->side = side;
    for (uint32_t i = 0; i < s->count; i++) {
        for (int k = 0; k < 3; k++)
            s->movers[i].at[k] = side * bench_uniform(seed);
        random_turn(seed, 2 * M_PI * bench_uniform(seed), s->movers[i].turn);
        place(&s->movers[i], s->placements[i]);
    }
}

/* Moves some of the bodies; s->moved: which. */
static void advance(scene *s, const motion *how, uint64_t *seed)
{
    s->moved_count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        mover *m = &s->movers[i];
        if (how->share < 1 && bench_uniform(seed) >= how->share)
            continue;
        s->moved[s->moved_count++] = i;
        for (int k = 0; k < 3; k++) {
            m->at[k] = how->is_jump ? s->side * bench_uniform(seed) : m->at[k] + m->velocity[k];
            if (m->at[k] < 0 || m->at[k] > s->side)
                m->velocity[k] = m->at[k] < 0 ? fabs(m->velocity[k]) : -fabs(m->velocity[k]);
        }
        multiply(m->spin, m->turn, m->turn);
        place(m, s->placements[i]);
    }
}

static void set_off(scene *s, const motion *how, uint64_t *seed)
{
    for (uint32_t i = 0; i < s->count; i++) {
        random_direction(seed, how->step * s->movers[i].size, s->movers[i].velocity);
        random_turn(seed, how->turn, s->movers[i].spin);
    }
}

/* ---- who is asked ---------------------------------------------------------------------------- */

static void move_ours(scene *s)
{
    uint64_t moved;
    if (s->moved_count == s->count)
        bench_require(bvp_broad_move_all(s->broad, s->ids, (const double(*)[12])s->placements,
                                         s->count, &moved),
                      "move");
    for (uint32_t k = 0; k < s->moved_count && s->moved_count < s->count; k++)
        bench_require(bvp_broad_move(s->broad, s->ids[s->moved[k]], s->placements[s->moved[k]]),
                      "move");
}

/* What the peers get. */
static void read_boxes(const scene *s)
{
    for (uint32_t k = 0; k < s->moved_count; k++) {
        double *box = s->boxes[s->moved[k]];
        bench_require(bvp_broad_box(s->broad, s->ids[s->moved[k]], box, box + 3), "box");
    }
}

static void add_key(pair_list *list, uint64_t a, uint64_t b)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 1024;
        list->keys = realloc(list->keys, list->capacity * sizeof *list->keys);
        if (!list->keys)
            bench_require(BVP_ERR_NO_MEMORY, "pairs");
    }
    list->keys[list->count++] = a < b ? a << 32 | b : b << 32 | a;
}

static void on_pair(void *user, uint64_t a, uint64_t b)
{
    add_key(user, a, b);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Bodies are added in order, and none is removed: slots are their numbers. */
static uint64_t list_ours(const scene *s, pair_list *out)
{
    const bvp_broad_pair *pairs;
    uint64_t count;
    bench_require(bvp_broad_pairs(s->broad, &pairs, &count), "pairs");
    out->count = 0;
    for (uint64_t k = 0; k < count; k++)
        add_key(out, pairs[k].a >> 32, pairs[k].b >> 32);
    return count;
}

static int are_equal(const pair_list *ours, pair_list *theirs)
{
    qsort(theirs->keys, theirs->count, sizeof *theirs->keys, compare);
    return ours->count == theirs->count &&
           (ours->count == 0 ||
            memcmp(ours->keys, theirs->keys, ours->count * sizeof *ours->keys) == 0);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void open_scene(scene *s, const char *path, uint32_t count)
{
    bvp_file_info info;
    bench_require(bvp_open(path, NULL, &s->file, NULL), path);
    bvp_get_info(s->file, &info);
    s->count = count;
    s->movers = allocate(count, sizeof *s->movers);
    s->placements = allocate(count, sizeof *s->placements);
    s->boxes = allocate(count, sizeof *s->boxes);
    s->moved = allocate(count, sizeof *s->moved);
    s->ids = allocate(count, sizeof *s->ids);
    for (uint32_t i = 0; i < count; i++) {
        bvp_part_info part;
        mover *m = &s->movers[i];
        m->part = i % info.part_count;
        bench_require(bvp_get_part(s->file, m->part, &part), "part");
        for (int k = 0; k < 3; k++) {
            m->size = fmax(m->size, (double)part.hi[k] - (double)part.lo[k]);
            m->centre[k] = ((double)part.lo[k] + (double)part.hi[k]) / 2;
        }
    }
}

static void close_scene(scene *s)
{
    bvp_close(s->file);
    free(s->movers);
    free(s->placements);
    free(s->boxes);
    free(s->moved);
    free(s->ids);
}

static void add_bodies(scene *s)
{
    bench_require(bvp_broad_new(NULL, &s->broad), "new");
    for (uint32_t i = 0; i < s->count; i++) {
        const bvp_broad_body body = {
            .body = {.file = s->file, .part = s->movers[i].part, .placement = s->placements[i]}};
        bench_require(bvp_broad_add(s->broad, &body, &s->ids[i]), "add");
        s->moved[i] = i;
    }
    s->moved_count = s->count;
    bench_require(bvp_broad_update(s->broad, NULL), "update");
}

/* Share of the bodies that are in a pair. */
static double share_in_pairs(const scene *s)
{
    const bvp_broad_pair *pairs;
    uint64_t count, in = 0;
    char *is = allocate(s->count, 1);
    bench_require(bvp_broad_pairs(s->broad, &pairs, &count), "pairs");
    for (uint64_t k = 0; k < count; k++)
        is[pairs[k].a >> 32] = is[pairs[k].b >> 32] = 1;
    for (uint32_t i = 0; i < s->count; i++)
        in += is[i] != 0;
    free(is);
    return (double)in / s->count;
}

/* A cube so large that IN_PAIRS of the bodies are in a pair: their number goes with its volume. */
static void fill_cube(scene *s, uint64_t *seed)
{
    double size = 0;
    for (uint32_t i = 0; i < s->count; i++)
        size += s->movers[i].size / s->count;
    double side = size * cbrt(100.0 * s->count);
    for (int round = 0; round < 3; round++) {
        scatter(s, side, seed);
        add_bodies(s);
        side *= cbrt(fmax(share_in_pairs(s), 1.0 / s->count) / IN_PAIRS);
        bvp_broad_free(s->broad);
    }
    scatter(s, side, seed);
    add_bodies(s);
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct run {
    scene *s;
    const peer_boxes *peer[PEERS];
    void *manager[PEERS];
    times times[ASKED]; /* ours first */
    pair_list ours, theirs;
    int steps, differ[PEERS];
    double pairs; /* sum over the steps */
} run;

/* steps < 0: not timed. */
static void step_all(run *r, int step)
{
    scene *s = r->s;
    for (int turn = 0; turn < ASKED; turn++) {
        const int who = turn == 0 ? 0 : 1 + (turn - 1 + (step & 1)) % PEERS;
        if (who > 0 && !r->manager[who - 1])
            continue;
        const double start = bench_thread_now();
        if (who == 0)
            move_ours(s);
        else
            r->peer[who - 1]->move(r->manager[who - 1], s->boxes, s->moved, s->moved_count);
        const double moved = bench_thread_now();
        r->theirs.count = 0;
        if (who == 0)
            bench_require(bvp_broad_update(s->broad, NULL), "update");
        else
            r->peer[who - 1]->pairs(r->manager[who - 1], on_pair, &r->theirs);
        const double end = bench_thread_now();
        if (who == 0) {
            const uint64_t count = list_ours(s, &r->ours);
            read_boxes(s);
            r->pairs += step >= 0 ? (double)count : 0;
        } else if (!are_equal(&r->ours, &r->theirs)) {
            r->differ[who - 1]++;
        }
        if (step < 0)
            continue;
        r->times[who].move[step] = 1e6 * (moved - start);
        r->times[who].pairs[step] = 1e6 * (end - moved);
        r->times[who].step[step] = 1e6 * (end - start);
    }
}

static double median(const double *values, int count)
{
    double *sorted = allocate((size_t)count, sizeof *sorted);
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    const double result = bench_quartiles_of(sorted, count).median;
    free(sorted);
    return result;
}

static void print_row(const run *r, const motion *how, int who)
{
    const times *t = &r->times[who], *ours = &r->times[0];
    double worst = 0, least = INFINITY, total = 0, our_total = 0;
    double *ratios = allocate((size_t)r->steps, sizeof *ratios);
    for (int k = 0; k < r->steps; k++) {
        worst = fmax(worst, t->step[k]);
        total += t->step[k];
        our_total += ours->step[k];
        ratios[k] = t->step[k] / ours->step[k];
        least = fmin(least, ratios[k]);
    }
    printf("%s,%u,%s,%d,%.0f,%.2f,%.1f,%.1f,%.1f,%.1f", how->name, r->s->count,
           who == 0 ? "bvpack" : r->peer[who - 1]->name, r->steps, r->pairs / r->steps,
           100 * share_in_pairs(r->s), median(t->move, r->steps), median(t->pairs, r->steps),
           median(t->step, r->steps), worst);
    if (who == 0) {
        printf(",,,,,,\n");
    } else {
        const bench_quartiles q = bench_quartiles_of(ratios, r->steps);
        printf(",%.2f,%.2f,%.2f,%.2f,%.2f,%d\n", q.median, q.q1, q.q3, least, total / our_total,
               r->differ[who - 1]);
    }
    fflush(stdout);
    free(ratios);
}

/* Returns in how many steps pairs differ. */
static int run_motion(const char *path, uint32_t count, int steps, const motion *how)
{
    scene s = {.side = 0};
    run r = {.s = &s, .peer = {peer_fcl_refitted, peer_fcl_inserted}, .steps = steps};
    uint64_t seed = 12345;
    int differ = 0;
    open_scene(&s, path, count);
    fill_cube(&s, &seed);
    set_off(&s, how, &seed);
    read_boxes(&s);
    for (int k = 0; k < ASKED; k++) {
        double *values = allocate(3 * (size_t)steps, sizeof *values);
        r.times[k] = (times){values, values + steps, values + 2 * steps};
        if (k > 0 && r.peer[k - 1])
            r.manager[k - 1] = r.peer[k - 1]->make(s.boxes, count);
    }
    for (int step = -FIRST_STEPS; step < steps; step++) {
        advance(&s, how, &seed);
        step_all(&r, step);
    }
    for (int k = 0; k < ASKED; k++) {
        if (k == 0 || r.manager[k - 1])
            print_row(&r, how, k);
        differ += k > 0 ? r.differ[k - 1] : 0;
        if (k > 0 && r.manager[k - 1])
            r.peer[k - 1]->drop(r.manager[k - 1]);
    }
    for (int k = 0; k < ASKED; k++) /* rows are relative to the first one */
        free(r.times[k].move);
    free(r.ours.keys);
    free(r.theirs.keys);
    bvp_broad_free(s.broad);
    close_scene(&s);
    return differ;
}

/* No names: all are. */
static int is_named(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return count <= 0;
}

int main(int argc, char **argv)
{
    int differ = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_broad FILE.bvp [BODIES [STEPS [MOTION]...]]\n");
        return 2;
    }
    const int count = argc > 2 ? atoi(argv[2]) : 10000, steps = argc > 3 ? atoi(argv[3]) : 100;
    if (count < 2 || steps < 1)
        return 2;
    printf("motion,bodies,who,steps,pairs,percent_in_pairs,move_us,pairs_us,step_us,worst_us,"
           "times_slower,times_slower_q1,times_slower_q3,times_slower_worst,times_slower_sum,steps_"
           "that_differ\n");
    for (size_t k = 0; k < sizeof motions / sizeof motions[0]; k++)
        if (is_named(motions[k].name, argv + 4, argc - 4))
            differ += run_motion(argv[1], (uint32_t)count, steps, &motions[k]);
    return differ != 0;
}
