/* SPDX-License-Identifier: MIT
 * build: writes a file from a mesh in memory, three times placed (one mirrored), and asks it.
 * Usage: build OUT.bvp
 */
#include <bvpack_build.h>

#include <stdio.h>

static const float corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const uint32_t triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

/* Adds the cube under `root`, at x, its x axis scaled by `scale`. */
static bvp_status add_cube(bvp_builder *builder, uint32_t root, uint32_t part, const char *name,
                           double x, double scale, bvp_error *error)
{
    double placement[12] = {scale, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0};
    uint32_t node;
    bvp_status status = bvp_builder_add_node(
        builder,
        &(bvp_new_node){.parent = root, .name = name, .placement = placement, .part = part}, &node,
        error);
    return status ? status : bvp_builder_add_property(builder, node, "material", "steel", error);
}

static bvp_status write_cubes(const char *path, bvp_error *error)
{
    bvp_build_options options = {.unit_in_metres = 0.001, .up = BVP_UP_Z};
    bvp_mesh cube = {.positions = corners,
                     .vertex_count = 8,
                     .indices = &triangles[0][0],
                     .triangle_count = 12,
                     .name = "cube"};
    bvp_builder *builder = NULL;
    bvp_build_report report;
    uint32_t part, root;
    bvp_status status;
    if ((status = bvp_builder_new(&options, &builder, error)) ||
        (status = bvp_builder_add_part(builder, &cube, &part, error)) ||
        (status = bvp_builder_add_node(
             builder, &(bvp_new_node){.parent = BVP_NONE, .name = "cubes", .part = BVP_NONE}, &root,
             error)) ||
        (status = add_cube(builder, root, part, "first", 0, 1, error)) ||
        (status = add_cube(builder, root, part, "touching", 1, 1, error)) ||
        (status = add_cube(builder, root, part, "mirrored", 4, -1, error)) ||
        (status = bvp_builder_finish(builder, path, &report, error)))
        ;
    else
        printf("%u instances of %u part, %llu bytes\n", report.instance_count, report.part_count,
               (unsigned long long)report.file_size);
    bvp_builder_free(builder);
    return status;
}

int main(int argc, char **argv)
{
    bvp_file *file;
    bvp_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: build OUT.bvp\n");
        return 2;
    }
    if (write_cubes(argv[1], &error) || bvp_open(argv[1], NULL, &file, &error)) {
        fprintf(stderr, "build: %s\n", error.message);
        return 1;
    }
    bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    const double between[3] = {2.25, 0.5, 0.5};
    bvp_closest_result nearest;
    int touching;
    bvp_status status = bvp_collide(&body, NULL, &touching, NULL);
    if (status == BVP_OK)
        status = bvp_closest(&body, between, 10, &nearest, NULL);
    if (status == BVP_OK)
        printf("cubes touch: %s; nearest to (2.25, 0.5, 0.5): %g away at x = %g\n",
               touching ? "yes" : "no", nearest.distance, nearest.point[0]);
    bvp_close(file);
    return status != BVP_OK || !touching || nearest.distance < 0.25 ||
           nearest.distance > 0.25 + 1e-12; /* distance is an upper bound */
}
