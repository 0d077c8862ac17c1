/* SPDX-License-Identifier: MIT
 * collide: drives one model through another and says where they touch and how near they come.
 * Usage: collide FIXED.bvp MOVING.bvp
 */
#include <bvpack.h>

#include <math.h>
#include <stdio.h>

enum { STEPS = 12 };

/* The placement that puts the middle of `moving` at `t` (0..1) on the way through `fixed`, along x.
 */
static void place(const bvp_file_info *fixed, const bvp_file_info *moving, double t, double m[12])
{
    for (int row = 0; row < 3; row++) {
        double from = fixed->lo[row], to = fixed->hi[row];
        double target = row == 0 ? from + (to - from) * t : (from + to) / 2;
        for (int column = 0; column < 3; column++)
            m[4 * row + column] = row == column;
        m[4 * row + 3] = target - (moving->lo[row] + moving->hi[row]) / 2;
    }
}

/* Every pair is counted by the query itself. */
static int go_on(void *user, const bvp_pair *pair)
{
    (void)user;
    (void)pair;
    return 0;
}

int main(int argc, char **argv)
{
    bvp_file *fixed = NULL, *moving = NULL;
    bvp_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: collide FIXED.bvp MOVING.bvp\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &fixed, &error) || bvp_open(argv[2], NULL, &moving, &error)) {
        fprintf(stderr, "collide: %s\n", error.message);
        return 1;
    }
    bvp_file_info fixed_info, moving_info;
    bvp_get_info(fixed, &fixed_info);
    bvp_get_info(moving, &moving_info);

    int failed = 0;
    for (int step = 0; step < STEPS && !failed; step++) {
        double placement[12];
        place(&fixed_info, &moving_info, step / (STEPS - 1.0), placement);
        bvp_body a = {.file = fixed, .part = BVP_ASSEMBLY};
        bvp_body b = {.file = moving, .part = BVP_ASSEMBLY, .placement = placement};
        bvp_distance_result nearest;
        int hit;
        uint64_t pairs;
        failed = bvp_collide(&a, &b, &hit, NULL) ||
                 bvp_distance(&a, &b, INFINITY, &nearest, NULL) ||
                 bvp_pairs_each(&a, &b, go_on, NULL, &pairs, NULL);
        if (!failed)
            printf("step %2d: %s, distance %g, %llu pairs of triangles touch\n", step,
                   hit ? "collision" : "clear", nearest.distance, (unsigned long long)pairs);
        /* the three questions agree: a collision is a distance of exactly zero, and has pairs */
        if (!failed && (hit != (nearest.distance == 0) || hit != (pairs > 0)))
            failed = 1;
    }
    bvp_close(moving);
    bvp_close(fixed);
    return failed;
}
