/* SPDX-License-Identifier: MIT
 * path: drives one model through another along a fine path and finds where it first collides, with
 * what is kept from each query to the next.
 * Usage: path FIXED.bvp MOVING.bvp
 */
#include <bvpack.h>

#include <stdio.h>

enum { STEPS = 5000 };

/* The placement that puts the middle of `moving` at `t` (0..1) on the way along x: from one length
 * before `fixed` to one behind it. */
static void place(const bvp_file_info *fixed, const bvp_file_info *moving, double t, double m[12])
{
    const double length = fixed->hi[0] - fixed->lo[0] + moving->hi[0] - moving->lo[0];
    for (int row = 0; row < 3; row++) {
        double target = (fixed->lo[row] + fixed->hi[row]) / 2;
        if (row == 0)
            target += (2 * t - 1) * length;
        for (int column = 0; column < 3; column++)
            m[4 * row + column] = row == column;
        m[4 * row + 3] = target - (moving->lo[row] + moving->hi[row]) / 2;
    }
}

int main(int argc, char **argv)
{
    bvp_file *fixed = NULL, *moving = NULL;
    bvp_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: path FIXED.bvp MOVING.bvp\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &fixed, &error) || bvp_open(argv[2], NULL, &moving, &error)) {
        fprintf(stderr, "path: %s\n", error.message);
        return 1;
    }
    bvp_file_info fixed_info, moving_info;
    bvp_get_info(fixed, &fixed_info);
    bvp_get_info(moving, &moving_info);

    /* one for each pair of bodies and thread, zeroed; it never changes an answer */
    bvp_warm_start warm = {0};
    bvp_stats with = {0}, without = {0};
    int failed = 0, first = -1;
    for (int step = 0; step < STEPS && !failed; step++) {
        double placement[12];
        place(&fixed_info, &moving_info, step / (STEPS - 1.0), placement);
        const bvp_body a = {.file = fixed, .part = BVP_ASSEMBLY};
        const bvp_body b = {.file = moving, .part = BVP_ASSEMBLY, .placement = placement};
        int hit, plain;
        failed = bvp_collide_warm(&a, &b, &warm, &hit, &with) ||
                 bvp_collide(&a, &b, &plain, &without) || hit != plain;
        if (hit && first < 0)
            first = step;
    }
    if (first < 0)
        printf("clear all the way");
    else
        printf("collides at %.3f of the way", first / (STEPS - 1.0));
    printf("; nodes opened: %llu, by plain queries %llu\n", (unsigned long long)with.nodes,
           (unsigned long long)without.nodes);
    bvp_close(moving);
    bvp_close(fixed);
    return failed;
}
