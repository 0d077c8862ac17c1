/* SPDX-License-Identifier: MIT
 * solids: lowers one solid onto another: how deep is it, which way out is short, where do they
 * touch; and the signed distances of points between them.
 * Usage: solids FIXED.bvp MOVING.bvp
 */
#include <bvpack_clash.h>

#include <math.h>
#include <stdio.h>

enum { STEPS = 5, CONTACTS = 4 };

/* Over the middle of `fixed`, `depth` of the way into it from above. */
static void place(const bvp_file_info *fixed, const bvp_file_info *moving, double depth,
                  double m[12])
{
    for (int row = 0; row < 3; row++) {
        const double above = fixed->hi[row] - moving->lo[row];
        const double middle =
            (fixed->lo[row] + fixed->hi[row] - moving->lo[row] - moving->hi[row]) / 2;
        for (int column = 0; column < 3; column++)
            m[4 * row + column] = row == column;
        m[4 * row + 3] = row == 2 ? above - depth : middle;
    }
}

static int fall(const bvp_body *fixed, const bvp_body *moving)
{
    bvp_contact contacts[CONTACTS];
    bvp_penetration_result found;
    if (bvp_penetration(moving, fixed, (bvp_array){contacts, 0, CONTACTS}, &found) != BVP_OK)
        return 1;
    printf("%s, depth %.4g to %.4g, way out %.3g %.3g %.3g", bvp_verdict_name(found.verdict),
           found.depth, found.depth_upper, found.direction[0], found.direction[1],
           found.direction[2]);
    for (uint64_t i = 0; i < found.contact_count; i++)
        printf("; contact %.4g deep", contacts[i].depth);
    printf("\n");
    return !(found.depth <= found.depth_upper);
}

/* A distance field along a line: negative inside. */
static int sample_line(const bvp_body *body, const bvp_file_info *info)
{
    int failed = 0;
    for (int i = 0; i <= STEPS && !failed; i++) {
        bvp_signed_result found;
        double point[3];
        for (int k = 0; k < 3; k++)
            point[k] =
                info->lo[k] + (info->hi[k] - info->lo[k]) * (k == 0 ? i / (double)STEPS : .5);
        failed = bvp_signed_closest(body, point, INFINITY, &found, NULL) != BVP_OK;
        if (failed)
            break;
        static const char *const names[] = {"outside", "inside", "on the surface", "open shell"};
        printf("at %d/%d: %s, signed distance %.4g\n", i, STEPS, names[found.inside.where],
               found.nearest.distance);
        failed = (found.inside.where == BVP_WHERE_INSIDE) != (found.nearest.distance < 0) &&
                 found.inside.where != BVP_WHERE_OPEN;
    }
    return failed;
}

int main(int argc, char **argv)
{
    bvp_file *fixed = NULL, *moving = NULL;
    bvp_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: solids FIXED.bvp MOVING.bvp\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &fixed, &error) || bvp_open(argv[2], NULL, &moving, &error)) {
        fprintf(stderr, "solids: %s\n", error.message);
        bvp_close(fixed);
        return 1;
    }
    bvp_file_info fixed_info, moving_info;
    bvp_get_info(fixed, &fixed_info);
    bvp_get_info(moving, &moving_info);
    const double height = moving_info.hi[2] - moving_info.lo[2];
    const bvp_body body = {.file = fixed, .part = BVP_ASSEMBLY};

    int failed = sample_line(&body, &fixed_info);
    for (int step = 0; step < STEPS && !failed; step++) {
        double m[12];
        place(&fixed_info, &moving_info, height * (step - 1) / STEPS, m);
        failed = fall(&body, &(bvp_body){.file = moving, .part = BVP_ASSEMBLY, .placement = m});
    }
    bvp_close(moving);
    bvp_close(fixed);
    return failed;
}
