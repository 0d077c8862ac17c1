/* SPDX-License-Identifier: MIT
 * bench_mating.c: protocol G: every pair of instances of an assembly whose boxes, grown by the
 * clearance, overlap, part against part, and the peer the same. Mating pairs are apart or merely
 * touch, and are nearer than the clearance: bolts in their seats, flanges, pipes in clamps.
 * Usage: bench_mating ASSEMBLY.bvp [CLEARANCE [PAIRS]]
 */
#include "bench.h"
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
    int hit[2], near[2]; /* ours, the peer's */
    double us[4];        /* ours: collide, within; the peer's: collide, distance */
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
    bench_require(bvp_get_triangles(file, idx, 0, part->triangle_count, positions, NULL, &count),
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

/* Every `step`-th pair, so that there are at most `most`. */
static pair *find_pairs(const assembly *s, double clearance, uint32_t most, uint32_t *count)
{
    pair *pairs = NULL;
    uint32_t all = 0, step = 1, seen;
    for (int pass = 0; pass < 2; pass++) {
        seen = *count = 0;
        for (uint32_t i = 0; i < s->item_count; i++)
            for (uint32_t j = i + 1; j < s->item_count; j++) {
                if (!overlap(&s->items[i], &s->items[j], clearance))
                    continue;
                if (pass == 1 && seen % step == 0)
                    pairs[(*count)++] = (pair){.a = i, .b = j};
                seen++;
            }
        if (pass == 0) {
            all = seen;
            step = (all + most - 1) / most;
            pairs = allocate(all, sizeof *pairs);
        }
    }
    return pairs;
}

static void ask_us(const assembly *s, pair *p, double clearance)
{
    const item *x = &s->items[p->a], *y = &s->items[p->b];
    bvp_body a = {s->file, x->part, x->placement}, b = {s->file, y->part, y->placement};
    double start = bench_thread_now();
    bench_require(bvp_collide(&a, &b, &p->hit[0], NULL), "collide");
    double middle = bench_thread_now();
    bench_require(bvp_within(&a, &b, clearance, &p->near[0], NULL, NULL), "within");
    p->us[0] = fmin(p->us[0], (middle - start) * 1e6);
    p->us[1] = fmin(p->us[1], (bench_thread_now() - middle) * 1e6);
}

static void ask_peer(const assembly *s, pair *p, double clearance)
{
    const item *x = &s->items[p->a], *y = &s->items[p->b];
    double start = bench_thread_now();
    p->hit[1] = peer_fcl->collide_placed(s->models[x->part], x->placement, s->models[y->part],
                                         y->placement);
    double middle = bench_thread_now();
    p->near[1] = peer_fcl->distance_placed(s->models[x->part], x->placement, s->models[y->part],
                                           y->placement) <= clearance;
    p->us[2] = fmin(p->us[2], (middle - start) * 1e6);
    p->us[3] = fmin(p->us[3], (bench_thread_now() - middle) * 1e6);
}

/* The pairs of one sort; the peer's answer may differ where faces are flush: it computes in double.
 */
static void print(const char *name, const char *question, int which, const pair *pairs,
                  uint32_t count, int mating)
{
    double ours = 0, theirs = 0;
    uint32_t asked = 0, differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (mating && (!pairs[i].near[0] || pairs[i].hit[0]))
            continue;
        asked++;
        ours += pairs[i].us[which];
        theirs += pairs[i].us[2 + which];
        differ += which ? pairs[i].near[0] != pairs[i].near[1] : pairs[i].hit[0] != pairs[i].hit[1];
    }
    printf("%s,%s,%u,%.2f,%.2f,%.2f,%u\n", name, question, asked, ours / asked, theirs / asked,
           theirs / ours, differ);
}

int main(int argc, char **argv)
{
    assembly s;
    uint32_t count;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_mating ASSEMBLY.bvp [CLEARANCE [PAIRS]]\n");
        return 2;
    }
    const double clearance = argc > 2 ? atof(argv[2]) : 0.005;
    load(&s, argv[1]);
    pair *pairs = find_pairs(&s, clearance, argc > 3 ? (uint32_t)atoi(argv[3]) : 4000, &count);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 4; k++)
            pairs[i].us[k] = INFINITY;
        for (int round = 0; round < 3; round++)
            ask_us(&s, &pairs[i], clearance);
        for (int round = 0; round < 2 && peer_fcl; round++)
            ask_peer(&s, &pairs[i], clearance);
    }
    printf("pairs,query,count,us,peer_us,times_slower,pairs_that_differ\n");
    print("G all", "collide", 0, pairs, count, 0);
    print("G all", "within", 1, pairs, count, 0);
    print("G mating", "collide", 0, pairs, count, 1);
    print("G mating", "within", 1, pairs, count, 1);
    return 0;
}
