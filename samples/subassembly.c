/* SPDX-License-Identifier: MIT
 * subassembly: moves one sub-assembly through all else of its assembly, and says what stands
 * nearest to the place where it ends.
 * Usage: subassembly FILE.bvp NAME
 */
#include <bvpack.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10, NEAREST = 3 };

/* The first node of that name in the product tree, or BVP_NONE. */
static uint32_t find_node(const bvp_file *file, const char *name)
{
    bvp_node_info node;
    for (uint32_t i = 0; bvp_get_node(file, i, &node) == BVP_OK; i++)
        if (node.name.size == strlen(name) && memcmp(node.name.data, name, node.name.size) == 0)
            return i;
    return BVP_NONE;
}

/* The group along x, a step at a time, against the same file without it. */
static int move(const bvp_file *file, const bvp_filter *group, double length, double placement[12])
{
    const bvp_filter others = {group->bits, group->word_count, 1};
    const bvp_body moving = {
        .file = file, .part = BVP_ASSEMBLY, .placement = placement, .filter = group};
    const bvp_body rest = {.file = file, .part = BVP_ASSEMBLY, .filter = &others};
    for (int step = 0; step <= STEPS; step++) {
        bvp_distance_result nearest;
        placement[3] = length * step / STEPS;
        if (bvp_distance(&moving, &rest, INFINITY, &nearest, NULL) || !nearest.found)
            return 1;
        printf("step %2d: %s, distance %g to instance %u\n", step,
               nearest.distance > 0 ? "clear" : "collision", nearest.distance, nearest.b.instance);
    }
    return 0;
}

/* What of the rest is nearest to a point. */
static int look_around(const bvp_file *file, const bvp_filter *group, const double point[3])
{
    const bvp_filter others = {group->bits, group->word_count, 1};
    const bvp_body rest = {.file = file, .part = BVP_ASSEMBLY, .filter = &others};
    bvp_closest_result nearest[NEAREST];
    uint64_t count;
    if (bvp_nearest_instances(&rest, point, INFINITY, (bvp_array){nearest, 0, NEAREST}, &count,
                              NULL))
        return 1;
    for (uint64_t k = 0; k < count; k++)
        printf("instance %u is %g away\n", nearest[k].id.instance, nearest[k].distance);
    return 0;
}

int main(int argc, char **argv)
{
    bvp_file *file;
    bvp_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: subassembly FILE.bvp NAME\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &file, &error)) {
        fprintf(stderr, "subassembly: %s\n", error.message);
        return 1;
    }
    bvp_file_info info;
    bvp_get_info(file, &info);
    const size_t word_count = info.instance_count / 64 + 1;
    uint64_t *bits = calloc(word_count, sizeof *bits);
    double placement[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, corner[3];
    const bvp_filter group = {bits, word_count, 0};
    int failed = !bits || bvp_filter_subtree(file, find_node(file, argv[2]), bits, word_count);
    if (failed)
        fprintf(stderr, "subassembly: there is no %s\n", argv[2]);
    memcpy(corner, info.lo, sizeof corner);
    corner[0] += info.hi[0] - info.lo[0];
    failed = failed || move(file, &group, info.hi[0] - info.lo[0], placement) ||
             look_around(file, &group, corner);
    free(bits);
    bvp_close(file);
    return failed;
}
