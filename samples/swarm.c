/* SPDX-License-Identifier: MIT
 * swarm: many copies of a model fly about in a box; which of them touch, step by step. A broad
 * phase says whose boxes meet; only these are asked exactly. Usage: swarm MODEL.bvp
 */
#include <bvpack.h>
#include <bvpack_broad.h>

#include <stdio.h>

enum { BODIES = 300, STEPS = 100 };

typedef struct flight {
    double at[12], velocity[3];
    bvp_broad_id id;
} flight;

static double uniform(unsigned *state) /* 0 .. 1 */
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

static void advance(flight *f, double side)
{
    for (int k = 0; k < 3; k++) {
        double *x = &f->at[4 * k + 3];
        *x += f->velocity[k];
        if ((*x < 0) == (f->velocity[k] < 0) && (*x < 0 || *x > side))
            f->velocity[k] = -f->velocity[k];
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
static int count_by_brute_force(const bvp_file *file, const flight *flights)
{
    int touching = 0;
    for (int i = 0; i < BODIES; i++)
        for (int k = i + 1; k < BODIES; k++) {
            const bvp_body a = {.file = file, .part = 0, .placement = flights[i].at};
            const bvp_body b = {.file = file, .part = 0, .placement = flights[k].at};
            int hit;
            if (bvp_collide(&a, &b, &hit, NULL))
                return -1;
            touching += hit;
        }
    return touching;
}

int main(int argc, char **argv)
{
    static flight flights[BODIES];
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
        flight *f = &flights[i];
        for (int k = 0; k < 3; k++) {
            f->at[5 * k] = 1;
            f->at[4 * k + 3] = side * uniform(&state);
            f->velocity[k] = size * (uniform(&state) - 0.5) / 5;
        }
        const bvp_broad_body body = {.body = {.file = file, .part = 0, .placement = f->at}};
        failed = bvp_broad_add(broad, &body, &f->id) != BVP_OK;
    }
    unsigned long long begun = 0, ended = 0;
    int touching = 0;
    for (int step = 0; step < STEPS && !failed; step++) {
        bvp_broad_changes changes;
        for (int i = 0; i < BODIES && !failed; i++) {
            advance(&flights[i], side);
            failed = bvp_broad_move(broad, flights[i].id, flights[i].at) != BVP_OK;
        }
        failed = failed || bvp_broad_update(broad, &changes);
        if (failed)
            break;
        begun += changes.begun_count;
        ended += changes.ended_count;
        touching = count_touching(broad);
    }
    failed = failed || touching < 0 || touching != count_by_brute_force(file, flights);
    printf("%d bodies: %llu pairs of boxes began to meet, %llu ended; %d pairs touch at last\n",
           BODIES, begun, ended, touching);
    bvp_broad_free(broad);
    bvp_close(file);
    return failed;
}
