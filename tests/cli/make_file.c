/* SPDX-License-Identifier: MIT
 * make_file: binary STL in, packed file out, by the public build interface alone.
 * Usage: make_file IN.stl OUT.bvp [threads [no-ids | kinds | fast | small]]
 */
#include "bvpack_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_SIZE = 84, RECORD_SIZE = 50 };

/* Corners of all triangles; NULL: not readable. */
static float *read_soup(const char *path, uint32_t *triangle_count)
{
    unsigned char header[HEADER_SIZE], record[RECORD_SIZE];
    FILE *file = fopen(path, "rb");
    float *corners = NULL;
    if (file && fread(header, 1, sizeof header, file) == sizeof header) {
        memcpy(triangle_count, header + 80, 4);
        corners = malloc(36 * (size_t)*triangle_count + 1);
    }
    for (uint32_t i = 0; corners && i < *triangle_count; i++) {
        if (fread(record, 1, sizeof record, file) != sizeof record) {
            free(corners);
            corners = NULL;
            break;
        }
        memcpy(corners + 9 * (size_t)i, record + 12, 36);
    }
    if (file)
        fclose(file);
    return corners;
}

/* Every kind, and every way of cutting that does not follow from the others. */
static const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE},
                                           {.kind = BVP_KIND_BOXTREE, .split = BVP_SPLIT_LOOKAHEAD},
                                           {.kind = BVP_KIND_AABB, .split = BVP_SPLIT_VOLUME},
                                           {.kind = BVP_KIND_OBB, .split = BVP_SPLIT_MEAN},
                                           {.kind = BVP_KIND_RSS, .split = BVP_SPLIT_SAH}};

static const bvp_hierarchy_spec fast = {.kind = BVP_KIND_WIDE, .split = BVP_SPLIT_MORTON};
static const bvp_hierarchy_spec small = {.kind = BVP_KIND_WIDE, .split = BVP_SPLIT_FULL};

int main(int argc, char **argv)
{
    bvp_build_options options = {0};
    bvp_mesh mesh = {0};
    bvp_builder *builder = NULL;
    bvp_build_report r;
    bvp_error error = {0};
    uint32_t count = 0, part;
    if (argc < 3)
        return fprintf(
                   stderr,
                   "usage: make_file IN.stl OUT.bvp [threads [no-ids | kinds | fast | small]]\n"),
               2;
    options.thread_count = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
    options.no_ids = argc > 4 && strcmp(argv[4], "no-ids") == 0;
    if (argc > 4 && strcmp(argv[4], "kinds") == 0) {
        options.hierarchies = kinds;
        options.hierarchy_count = sizeof kinds / sizeof *kinds;
    }
    if (argc > 4 && strcmp(argv[4], "fast") == 0) {
        options.hierarchies = &fast;
        options.hierarchy_count = 1;
    }
    if (argc > 4 && strcmp(argv[4], "small") == 0) {
        options.hierarchies = &small;
        options.hierarchy_count = 1;
    }
    float *corners = read_soup(argv[1], &count);
    if (!corners)
        return fprintf(stderr, "make_file: cannot read %s\n", argv[1]), 1;
    mesh.positions = corners;
    mesh.vertex_count = 3 * (uint64_t)count;
    mesh.triangle_count = count;
    bvp_status status = bvp_builder_new(&options, &builder, &error);
    if (status == BVP_OK)
        status = bvp_builder_add_part(builder, &mesh, &part, &error);
    if (status == BVP_OK)
        status = bvp_builder_finish(builder, argv[2], &r, &error);
    bvp_builder_free(builder);
    free(corners);
    if (status != BVP_OK)
        return fprintf(stderr, "make_file: %s\n", error.message), 1;
    const double n = (double)r.unique_triangle_count;
    printf(
        "%.0f triangles, %.2f s + %.2f s; bytes/triangle: %.2f = hierarchy %.2f + geometry %.2f + "
        "ids %.2f + other %.2f; degenerate %llu, duplicate %llu\n",
        n, r.seconds_build, r.seconds_write, r.file_size / n, r.hierarchy_size / n,
        r.geometry_size / n, r.id_size / n, r.other_size / n,
        (unsigned long long)r.degenerate_count, (unsigned long long)r.duplicate_count);
    return 0;
}
