/* SPDX-License-Identifier: MIT
 * raycast: a model in letters, one parallel ray a letter, shaded by the angle of the surface.
 * Usage: raycast FILE.bvp
 */
#include <bvpack.h>

#include <math.h>
#include <stdio.h>

enum { COLUMNS = 72, ROWS = 30 };

int main(int argc, char **argv)
{
    static bvp_ray rays[ROWS][COLUMNS];
    static bvp_ray_hit hits[ROWS][COLUMNS];
    bvp_file *file;
    bvp_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: raycast FILE.bvp\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &file, &error)) {
        fprintf(stderr, "raycast: %s\n", error.message);
        return 1;
    }
    bvp_file_info info;
    bvp_get_info(file, &info);

    /* look along the thinnest axis; letters are twice as high as wide */
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (info.hi[i] - info.lo[i] < info.hi[axis] - info.lo[axis])
            axis = i;
    int across = (axis + 1) % 3, up = (axis + 2) % 3;
    double step = fmax((info.hi[across] - info.lo[across]) / COLUMNS,
                       (info.hi[up] - info.lo[up]) / (2 * ROWS));
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            bvp_ray *ray = &rays[row][column];
            ray->origin[axis] = info.hi[axis] + 1;
            ray->origin[across] =
                (info.lo[across] + info.hi[across]) / 2 + (column - COLUMNS / 2 + 0.5) * step;
            ray->origin[up] = (info.lo[up] + info.hi[up]) / 2 - (row - ROWS / 2 + 0.5) * 2 * step;
            ray->direction[axis] = -1;
            ray->t_max = INFINITY;
        }

    bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    size_t done = 0;
    bvp_stats stats = {0};
    bvp_status status =
        bvp_ray_first_batch(&body, (bvp_const_array){&rays[0][0], 0, (size_t)ROWS * COLUMNS},
                            (bvp_array){&hits[0][0], 0, (size_t)ROWS * COLUMNS}, &done, &stats);
    for (int row = 0; row < ROWS && status == BVP_OK; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            const bvp_ray_hit *hit = &hits[row][column];
            int shade = hit->found ? (int)(fabs(hit->normal[axis]) * 7.99) + 1 : 0;
            putchar(" .:-=+*#@"[shade]);
        }
        putchar('\n');
    }
    printf("%zu rays, %llu nodes, %llu triangles\n", done, (unsigned long long)stats.nodes,
           (unsigned long long)stats.triangles);
    bvp_close(file);
    return status != BVP_OK;
}
