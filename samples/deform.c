/* SPDX-License-Identifier: MIT
 * deform: lets a part swell, step by step, until it touches its neighbour: a copy of itself at
 * rest. Usage: deform PART.bvp (packed with --deformable)
 */
#include <bvpack.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10 };

/* The neighbour stands beside the part, along x: a tenth of its width away. */
static void place_neighbour(const bvp_part_info *part, double m[12])
{
    memset(m, 0, 12 * sizeof *m);
    m[0] = m[5] = m[10] = 1;
    m[3] = 1.1 * ((double)part->hi[0] - part->lo[0]);
}

/* All vertices move away from the middle: stored vertices at the same place go to the same place.
 */
static void swell(const bvp_part_info *part, const float *rest, uint64_t count, double factor,
                  float *out)
{
    for (uint64_t i = 0; i < 3 * count; i++) {
        double middle = ((double)part->lo[i % 3] + part->hi[i % 3]) / 2;
        out[i] = (float)(middle + factor * (rest[i] - middle));
    }
}

/* Asks both questions of the swollen part and its neighbour; they must agree. */
static int ask(const bvp_body *part, const bvp_body *neighbour, int step, int *hit)
{
    bvp_distance_result nearest;
    if (bvp_collide(part, neighbour, hit, NULL) ||
        bvp_distance(part, neighbour, INFINITY, &nearest, NULL))
        return 1;
    printf("step %2d: %s, distance %g\n", step, *hit ? "collision" : "clear", nearest.distance);
    return *hit != (nearest.distance == 0);
}

static int run(bvp_file *swollen, const bvp_file *rest, bvp_error *error)
{
    bvp_part_info part;
    uint64_t count;
    double beside[12];
    int failed = bvp_get_part(rest, 0, &part) ||
                 bvp_get_vertices(rest, 0, 0, UINT64_MAX, NULL, &count); /* how many? */
    if (failed)
        return 1;
    float *positions = malloc(count * 12), *moved = malloc(count * 12);
    failed = !positions || !moved || bvp_get_vertices(rest, 0, 0, count, positions, &count);
    place_neighbour(&part, beside);
    const bvp_body body = {.file = swollen, .part = 0},
                   neighbour = {.file = rest, .part = 0, .placement = beside};
    int hit = 0, step = 0;
    for (; step < STEPS && !failed && !hit; step++) {
        swell(&part, positions, count, 1 + 0.05 * step, moved);
        /* only this handle sees it; the file and other handles keep the part at rest */
        failed = bvp_refit(swollen, 0, moved, count, error) || ask(&body, &neighbour, step, &hit);
    }
    if (!failed)
        printf("touches after %d steps, %llu vertices moved in each\n", step - 1,
               (unsigned long long)count);
    free(positions);
    free(moved);
    return failed || !hit;
}

int main(int argc, char **argv)
{
    const bvp_open_options overlay = {.overlay = 1};
    bvp_file *swollen = NULL, *rest = NULL;
    bvp_error error = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: deform PART.bvp\n");
        return 2;
    }
    int failed = bvp_open(argv[1], &overlay, &swollen, &error) ||
                 bvp_open(argv[1], NULL, &rest, &error) || run(swollen, rest, &error);
    if (failed)
        fprintf(stderr, "deform: %s\n", error.message);
    bvp_close(rest);
    bvp_close(swollen);
    return failed;
}
