/* SPDX-License-Identifier: MIT
 * binary_cases.h: parts with every kind of binary hierarchy, and handles that ask each of them by
 * each box test.
 */
#ifndef BINARY_CASES_H
#define BINARY_CASES_H

#include "body_cases.h"
#include "bvpack_build.h"

#include <unistd.h>

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct way {
    bvp_kind kind;
    bvp_box_test test;
} way;

static const way ways[] = {
    {BVP_KIND_BOXTREE, BVP_TEST_SAT},
    {BVP_KIND_BOXTREE, BVP_TEST_SAT_LITE},
    {BVP_KIND_BOXTREE, BVP_TEST_ALIGNED},
    {BVP_KIND_BOXTREE, BVP_TEST_LOOKUP},
    {BVP_KIND_BOXTREE, BVP_TEST_FOUR_SAT},
    {BVP_KIND_BOXTREE, BVP_TEST_FOUR_SAT_LITE},
    {BVP_KIND_BOXTREE, BVP_TEST_FOUR_ALIGNED},
    {BVP_KIND_BOXTREE, BVP_TEST_FOUR_LOOKUP},
    {BVP_KIND_AABB, BVP_TEST_SAT},
    {BVP_KIND_AABB, BVP_TEST_SAT_LITE},
    {BVP_KIND_OBB, BVP_TEST_SAT},
    {BVP_KIND_OBB, BVP_TEST_SAT_LITE},
    {BVP_KIND_RSS, BVP_TEST_DEFAULT},
};
enum { WAYS = sizeof ways / sizeof *ways, KINDS = 5, MESHES = 9, FEW = 7 };
static const bvp_kind kinds[KINDS] = {BVP_KIND_WIDE, BVP_KIND_BOXTREE, BVP_KIND_AABB, BVP_KIND_OBB,
                                      BVP_KIND_RSS};

/* A packed file in memory. */
typedef struct bytes {
    void *data;
    size_t size;
} bytes;

/* A file of one part, and handles on it, one for each way; and the same part with nothing but the
 * wide hierarchy. */
typedef struct model {
    body_mesh mesh;
    bytes file, wide_file;
    bvp_file *wide, *by[WAYS], *plain[WAYS];
} model;

/* The bytes that a builder makes; frees it. */
static inline bytes finish(bvp_builder *builder)
{
    bvp_error error = {0};
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    const bvp_status status = bvp_builder_finish_fd(builder, fileno(file), NULL, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    bvp_builder_free(builder);
    bytes out = {.size = (size_t)lseek(fileno(file), 0, SEEK_END)};
    out.data = aligned_alloc(4096, out.size);
    ck_assert_int_eq(pread(fileno(file), out.data, out.size, 0), (ssize_t)out.size);
    fclose(file);
    return out;
}

static inline uint32_t add_mesh(bvp_builder *builder, const body_mesh *mesh)
{
    const bvp_mesh soup = {
        .positions = mesh->tri, .vertex_count = 3 * mesh->count, .triangle_count = mesh->count};
    uint32_t part;
    ck_assert_int_eq(bvp_builder_add_part(builder, &soup, &part, NULL), BVP_OK);
    return part;
}

static inline bytes pack(const body_mesh *mesh, const bvp_build_options *options)
{
    bvp_builder *builder;
    ck_assert_int_eq(bvp_builder_new(options, &builder, NULL), BVP_OK);
    add_mesh(builder, mesh);
    return finish(builder);
}

static inline bvp_file *open_by(const bytes *file, bvp_kind kind, bvp_box_test test, int baseline)
{
    const bvp_open_options how = {.kind = kind, .box_test = test, .baseline_simd = baseline};
    bvp_file *out;
    ck_assert_int_eq(bvp_open_memory(file->data, file->size, &how, &out, NULL), BVP_OK);
    return out;
}

/* first: whose order the triangles are stored in; the wide one is there only as the first. */
static inline model make_model(body_mesh mesh, uint32_t leaf_size, int first)
{
    model m = {.mesh = mesh};
    bvp_hierarchy_spec specs[KINDS];
    uint32_t count = 0;
    if (first == 0)
        specs[count++] = (bvp_hierarchy_spec){.kind = BVP_KIND_WIDE};
    for (int k = 0; k < KINDS - 1; k++) {
        const bvp_kind kind = kinds[1 + (k + (first > 0 ? first - 1 : 0)) % (KINDS - 1)];
        bvp_hierarchy_spec *spec = &specs[count++];
        *spec = (bvp_hierarchy_spec){.kind = kind, .leaf_size = leaf_size};
        if (kind != BVP_KIND_BOXTREE)
            continue;
        spec->plane_max = 1 + (leaf_size + (uint32_t)first) % 3;
        spec->offset_size = leaf_size == 8 ? 1 : leaf_size;
        if (spec->plane_max == 1)
            spec->split = BVP_SPLIT_RESTRICTED;
    }
    const bvp_build_options options = {
        .thread_count = 1, .hierarchies = specs, .hierarchy_count = count};
    m.file = pack(&mesh, &options);
    const bvp_build_options plain = {.thread_count = 1};
    m.wide_file = pack(&mesh, &plain);
    m.wide = open_by(&m.wide_file, BVP_KIND_DEFAULT, BVP_TEST_DEFAULT, 0);
    for (int k = 0; k < WAYS; k++) {
        m.by[k] = open_by(&m.file, ways[k].kind, ways[k].test, 0);
        m.plain[k] = open_by(&m.file, ways[k].kind, ways[k].test, 1);
    }
    return m;
}

static inline void free_model(model *m)
{
    bvp_close(m->wide);
    for (int k = 0; k < WAYS; k++) {
        bvp_close(m->by[k]);
        bvp_close(m->plain[k]);
    }
    free(m->file.data);
    free(m->wide_file.data);
    free(m->mesh.tri);
}

/* Points, segments, needles and triangles that lie in one plane. */
static inline body_mesh mesh_degenerate(void)
{
    body_mesh m = mesh_new(60);
    for (uint64_t i = 0; i < m.count; i++) {
        float *t = m.tri + 9 * i;
        for (int k = 0; k < 9; k++)
            t[k] = (float)case_int(5);
        if (i % 4 == 0)
            memcpy(t + 3, t, 3 * sizeof *t);
        if (i % 8 == 0)
            memcpy(t + 6, t, 3 * sizeof *t);
        if (i % 4 == 1)
            t[2] = t[5] = t[8] = 1;
    }
    return m;
}

/* Those from FEW on are oblique slivers, whose wide hierarchies are turned. */
static inline body_mesh make_mesh(int number)
{
    switch (number) {
    case 0:
        return mesh_box(1);
    case 1:
        return mesh_box(6);
    case 2:
        return mesh_sphere(10);
    case 3:
        return mesh_soup(300);
    case 4:
        return mesh_planes(5);
    case 5:
        return mesh_soup(1);
    case 7:
        return mesh_strips(100);
    case 8:
        return mesh_tube(120, 0.3);
    default:
        return mesh_degenerate();
    }
}

#endif
