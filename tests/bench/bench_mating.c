/* SPDX-License-Identifier: MIT
 * bench_mating.c: protocol mating: every pair of instances of an assembly whose boxes, grown by the
 * clearance, overlap, part against part, and the peer the same. Mating pairs are apart or merely
 * touch, and are nearer than the clearance: bolts in their seats, flanges, pipes in clamps.
 * Usage: bench_mating ASSEMBLY.bvp [CLEARANCE]
 */
#include "bench.h"
#include "bench_rounds.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
    uint32_t part;
    double placement[12], lo[3], hi[3];
} item;

typedef struct assembly {
    bvp_file *file;
    uint32_t item_count, part_count;
    item *items;
    void **models; /* of the peer, by part */
} assembly;

typedef struct pair {
    uint32_t a, b;
} pair;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        bench_require(BVP_ERR_NO_MEMORY, "bench");
    return memory;
}

/* The box of a part's box, placed. */
static void bound(const bvp_part_info *part, item *out)
{
    for (int i = 0; i < 3; i++) {
        const double *row = out->placement + 4 * i;
        out->lo[i] = out->hi[i] = row[3];
        for (int k = 0; k < 3; k++) {
            const double p = row[k] * (double)part->lo[k], q = row[k] * (double)part->hi[k];
            out->lo[i] += fmin(p, q);
            out->hi[i] += fmax(p, q);
        }
    }
}

static void *model_of(const peer_pairs *peer, const bvp_file *file, uint32_t idx,
                      const bvp_part_info *part)
{
    uint64_t count;
    float *positions = allocate(part->triangle_count, 36);
    bench_require(
        bvp_get_triangles(file, idx, (bvp_range){0, part->triangle_count}, positions, NULL, &count),
        "triangles");
    void *model = peer->make(positions, part->triangle_count);
    free(positions);
    return model;
}

static void load(assembly *out, const char *path)
{
    bvp_file_info info;
    bench_require(bvp_open(path, NULL, &out->file, NULL), path);
    bvp_get_info(out->file, &info);
    out->item_count = info.instance_count;
    out->part_count = info.part_count;
    out->items = allocate(info.instance_count, sizeof *out->items);
    out->models = allocate(info.part_count, sizeof *out->models);
    for (uint32_t i = 0; i < info.instance_count; i++) {
        bvp_instance_info instance;
        bvp_part_info part;
        item *at = &out->items[i];
        bench_require(bvp_get_instance(out->file, i, &instance), "instance");
        bench_require(bvp_get_part(out->file, instance.part, &part), "part");
        at->part = instance.part;
        memcpy(at->placement, instance.placement, sizeof at->placement);
        bound(&part, at);
        if (peer_fcl && !out->models[at->part])
            out->models[at->part] = model_of(peer_fcl, out->file, at->part, &part);
    }
}

static int overlap(const item *a, const item *b, double clearance)
{
    for (int i = 0; i < 3; i++)
        if (a->lo[i] > b->hi[i] + clearance || b->lo[i] > a->hi[i] + clearance)
            return 0;
    return 1;
}

/* In no order, so that the first ones of many stand for all of them. */
static pair *find_pairs(const assembly *s, double clearance, int *count)
{
    size_t capacity = 1024;
    uint64_t seed = 12345;
    pair *pairs = allocate(capacity, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < s->item_count; i++)
        for (uint32_t j = i + 1; j < s->item_count; j++) {
            if (!overlap(&s->items[i], &s->items[j], clearance))
                continue;
            if ((size_t)*count == capacity &&
                !(pairs = realloc(pairs, (capacity *= 2) * sizeof *pairs)))
                bench_require(BVP_ERR_NO_MEMORY, "pairs");
            pairs[(*count)++] = (pair){i, j};
        }
    for (int i = *count; i > 1; i--) {
        const int k = (int)(bench_random(&seed) % (uint64_t)i);
        const pair last = pairs[i - 1];
        pairs[i - 1] = pairs[k];
        pairs[k] = last;
    }
    return pairs;
}

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct question {
    const assembly *s;
    const pair *pairs;
    double clearance; /* negative: do they touch? */
} question;

static double ask_us(const void *user, int idx)
{
    const question *q = user;
    const item *x = &q->s->items[q->pairs[idx].a], *y = &q->s->items[q->pairs[idx].b];
    const bvp_body a = {.file = q->s->file, .part = x->part, .placement = x->placement},
                   b = {.file = q->s->file, .part = y->part, .placement = y->placement};
    int yes;
    if (q->clearance < 0)
        bench_require(bvp_collide(&a, &b, &yes, NULL), "collide");
    else
        bench_require(bvp_within(&a, &b, q->clearance, &yes, NULL, NULL), "within");
    return yes;
}

static double ask_peer(const void *user, int idx)
{
    const question *q = user;
    const item *x = &q->s->items[q->pairs[idx].a], *y = &q->s->items[q->pairs[idx].b];
    const void *a = q->s->models[x->part], *b = q->s->models[y->part];
    if (q->clearance < 0)
        return peer_fcl->collide_placed(a, x->placement, b, y->placement);
    return peer_fcl->distance_placed(a, x->placement, b, y->placement) <= q->clearance;
}

/* The peer's answer may differ where faces are flush: it computes in double. */
static void report(const char *sort, const char *what, const question *q, int count)
{
    bench_contender all[2] = {{.name = "bvpack", .ask = ask_us, .user = q},
                              {.name = "FCL", .ask = ask_peer, .user = q}};
    const int contenders = peer_fcl ? 2 : 1;
    int differ = 0;
    if (count == 0)
        return;
    count = bench_rounds(all, contenders, count, bench_limit());
    printf("%s,%s,%d,%.2f,", sort, what, count, bench_us(&all[0], count).median);
    if (peer_fcl) {
        const bench_quartiles ratio = bench_ratio(&all[0], &all[1], count);
        for (int i = 0; i < count; i++)
            differ += all[0].answers[i] != all[1].answers[i];
        printf("%.2f,%.2f,%d,%.2f,%.2f,%.2f\n", bench_us(&all[1], count).median, ratio.median,
               differ, ratio.q1, ratio.q3, bench_worst(&all[0], &all[1], count));
    } else {
        printf(",,,,,\n");
    }
    fflush(stdout);
    bench_rounds_free(all, contenders);
}

/* Keeps those that are nearer than the clearance and do not touch. */
static int keep_mating(const assembly *s, pair *pairs, int count, double clearance)
{
    const question touch = {s, pairs, -1}, near = {s, pairs, clearance};
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (ask_us(&near, i) != 0 && ask_us(&touch, i) == 0)
            pairs[kept++] = pairs[i];
    return kept;
}

int main(int argc, char **argv)
{
    assembly s;
    int count;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_mating ASSEMBLY.bvp [CLEARANCE]\n");
        return 2;
    }
    const double clearance = argc > 2 ? atof(argv[2]) : 0.005;
    load(&s, argv[1]);
    pair *pairs = find_pairs(&s, clearance, &count);
    const question touch = {&s, pairs, -1}, near = {&s, pairs, clearance};
    printf("pairs,query,count,us,peer_us,times_slower,pairs_that_differ,times_slower_q1,"
           "times_slower_q3,times_slower_worst\n");
    report("all", "collide", &touch, count);
    report("all", "within", &near, count);
    count = keep_mating(&s, pairs, count, clearance);
    report("mating", "collide", &touch, count);
    report("mating", "within", &near, count);
    return 0;
}
