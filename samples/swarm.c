/* SPDX-License-Identifier: MIT
 * swarm: many copies of a model fly about in a box; which of them touch, step by step. A broad
 * phase says whose boxes meet; only these are asked exactly. Usage: swarm MODEL.bvp
 */
#include <bvpack.h>
#include <bvpack_broad.h>

#include <stdio.h>

enum { BODIES = 300, STEPS = 100 };

/* Of each body its name in the broad phase, where it is and how it moves: one array each, as
 * bvp_broad_move_all takes them. */
typedef struct swarm {
    bvp_broad_id id[BODIES];
    double at[BODIES][12], velocity[BODIES][3];
} swarm;

static double uniform(unsigned *state) /* 0 .. 1 */
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

static void advance(swarm *s, double side)
{
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) {
            double *x = &s->at[i][4 * k + 3], *v = &s->velocity[i][k];
            *x += *v;
            if ((*x < 0) == (*v < 0) && (*x < 0 || *x > side))
                *v = -*v;
        }
}

/* Asks about each pair whose boxes meet; returns how many touch, or -1. */
static int count_touching(const bvp_broad *broad)
{
    const bvp_broad_pair *pairs;
    uint64_t count;
    int touching = 0;
    if (bvp_broad_pairs(broad, &pairs, &count) != BVP_OK)
        return -1;
    for (uint64_t k = 0; k < count; k++) {
        bvp_broad_body a, b;
        int hit;
        if (bvp_broad_get(broad, pairs[k].a, &a) || bvp_broad_get(broad, pairs[k].b, &b) ||
            bvp_collide(&a.body, &b.body, &hit, NULL))
            return -1;
        touching += hit;
    }
    return touching;
}

/* The same without a broad phase. */
static int count_by_brute_force(const bvp_file *file, const swarm *s)
{
    int touching = 0;
    for (int i = 0; i < BODIES; i++)
        for (int k = i + 1; k < BODIES; k++) {
            const bvp_body a = {.file = file, .part = 0, .placement = s->at[i]};
            const bvp_body b = {.file = file, .part = 0, .placement = s->at[k]};
            int hit;
            if (bvp_collide(&a, &b, &hit, NULL))
                return -1;
            touching += hit;
        }
    return touching;
}

int main(int argc, char **argv)
{
    static swarm s;
    bvp_file *file = NULL;
    bvp_broad *broad = NULL;
    bvp_error error;
    bvp_part_info part;
    unsigned state = 1;
    double size = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: swarm MODEL.bvp\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &file, &error)) {
        fprintf(stderr, "swarm: %s\n", error.message);
        return 1;
    }
    int failed = bvp_broad_new(NULL, &broad) || bvp_get_part(file, 0, &part);
    for (int k = 0; k < 3 && !failed; k++)
        if (part.hi[k] - part.lo[k] > size)
            size = part.hi[k] - part.lo[k];
    const double side = 8 * size;
    for (int i = 0; i < BODIES && !failed; i++) {
        for (int k = 0; k < 3; k++) {
            s.at[i][5 * k] = 1;
            s.at[i][4 * k + 3] = side * uniform(&state);
            s.velocity[i][k] = size * (uniform(&state) - 0.5) / 5;
        }
        const bvp_broad_body body = {.body = {.file = file, .part = 0, .placement = s.at[i]}};
        failed = bvp_broad_add(broad, &body, &s.id[i]) != BVP_OK;
    }
    unsigned long long begun = 0, ended = 0;
    int touching = 0;
    for (int step = 0; step < STEPS && !failed; step++) {
        bvp_broad_changes changes;
        uint64_t moved;
        advance(&s, side);
        const double(*at)[12] = (const double(*)[12])s.at;
        failed = bvp_broad_move_all(broad, s.id, at, BODIES, &moved) ||
                 bvp_broad_update(broad, &changes);
        if (failed)
            break;
        begun += changes.begun_count;
        ended += changes.ended_count;
        touching = count_touching(broad);
    }
    failed = failed || touching < 0 || touching != count_by_brute_force(file, &s);
    printf("%d bodies: %llu pairs of boxes began to meet, %llu ended; %d pairs touch at last\n",
           BODIES, begun, ended, touching);
    bvp_broad_free(broad);
    bvp_close(file);
    return failed;
}
