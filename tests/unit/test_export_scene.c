/* SPDX-License-Identifier: MIT
 * test_export_scene.c: what is packed and written again as STL, OBJ, PLY or GLB reads back the
 * same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "export/export.h"
#include "import_case.h"
#include "suite.h"

typedef bvp_status (*export_fn)(const bvp_file *file, const export_options *options, FILE *out,
                                export_report *report, bvp_error *error);

/* Triangles whose floats no format may change. */
static const float corners[4][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0},
                                    {-0.0f, 0, 0, 0.1f, 1e-41f, 3.4e38f, 1, 2, 3},
                                    {1 / 3.0f, 16777216, -7, 0.1f, 1e-41f, 3.4e38f, 0, 0, 0},
                                    {5, 5, 5, 5, 5, 5, 5, 5, 5}};

static bvp_file *finish(bvp_builder *builder)
{
    FILE *out = tmpfile();
    bvp_file *file;
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(bvp_builder_finish_fd(builder, fileno(out), NULL, NULL), BVP_OK);
    bvp_builder_free(builder);
    ck_assert_int_eq(bvp_open_fd(fileno(out), NULL, &file, NULL), BVP_OK);
    fclose(out);
    return file;
}

static bvp_builder *begin(void)
{
    static const bvp_build_options options = {.thread_count = 1};
    bvp_builder *builder;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    return builder;
}

static uint32_t add_part(bvp_builder *builder, const void *positions, int is_double, uint64_t count)
{
    uint32_t part;
    bvp_mesh mesh = {.positions = positions,
                     .is_double = is_double,
                     .vertex_count = 3 * count,
                     .triangle_count = count,
                     .name = "part"};
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    return part;
}

/* Writes the file by `write` and reads that again. */
static void round_trip(const bvp_file *file, uint32_t part, int flat, export_fn write,
                       const char *format, export_report *report, model *m)
{
    export_options options = {.part = part, .flat = flat};
    bvp_error error = {0};
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    ck_assert_msg(write(file, &options, out, report, &error) == BVP_OK, "%s", error.message);
    ck_assert_int_eq(fclose(out), 0);
    expect_model_of(format, bytes, size, 0, m);
    free(bytes);
}

static const struct {
    const char *format;
    export_fn write;
} formats[] = {{"stl", export_stl}, {"obj", export_obj}, {"ply", export_ply}, {"glb", export_glb}};

START_TEST(bits_and_order)
{
    bvp_builder *builder = begin();
    add_part(builder, corners, 0, 4);
    bvp_file *file = finish(builder);
    for (int f = 0; f < 4; f++)
        for (uint32_t part = 0; part < 2; part++) {
            export_report report;
            model m;
            round_trip(file, part ? BVP_ASSEMBLY : 0, 0, formats[f].write, formats[f].format,
                       &report, &m);
            ck_assert_uint_eq(report.triangle_count, 4);
            ck_assert_uint_eq(report.rounded_count, 0);
            ck_assert_uint_eq(m.mesh_count, 1);
            ck_assert(!m.meshes[0].is_double);
            ck_assert_uint_eq(m.meshes[0].triangle_count, 4);
            for (int i = 0; i < 36; i++) {
                float read = (float)corner_at(&m.meshes[0], (uint64_t)i / 9, i / 3 % 3, i % 3);
                ck_assert_msg(memcmp(&read, &corners[i / 9][i % 9], sizeof read) == 0, "%s, %d: %g",
                              formats[f].format, i, (double)read);
            }
            model_free(&m);
        }
    bvp_close(file);
}
END_TEST

/* Two instances of one part in a tree, one of them moved so that floats cannot say where. */
static bvp_file *make_assembly(void)
{
    static const double moved[12] = {0, -1, 0, 1e6, 1, 0, 0, 0.1, 0, 0, -2, 0};
    bvp_builder *builder = begin();
    uint32_t root, node, part = add_part(builder, corners[0], 0, 1);
    bvp_builder_add_node(builder,
                         &(bvp_new_node){.parent = BVP_NONE, .name = "root", .part = BVP_NONE},
                         &root, NULL);
    bvp_builder_add_node(builder, &(bvp_new_node){.parent = root, .name = "still", .part = part},
                         &node, NULL);
    bvp_builder_add_property(builder, node, "colour", "red", NULL);
    bvp_builder_add_node(
        builder, &(bvp_new_node){.parent = root, .name = "moved", .placement = moved, .part = part},
        &node, NULL);
    return finish(builder);
}

START_TEST(tree)
{
    bvp_file *file = make_assembly();
    export_report report;
    model m;
    round_trip(file, BVP_ASSEMBLY, 0, export_glb, "glb", &report, &m);
    ck_assert_uint_eq(report.triangle_count, 2);
    ck_assert_uint_eq(report.rounded_count, 0);
    ck_assert_uint_eq(m.mesh_count, 1);
    ck_assert_uint_eq(m.node_count, 3);
    ck_assert_str_eq(m.nodes[0].name, "root");
    ck_assert_str_eq(m.nodes[1].name, "still");
    ck_assert_str_eq(m.nodes[1].properties[0].key, "colour");
    ck_assert_str_eq(m.nodes[1].properties[0].value, "red");
    ck_assert_uint_eq(m.nodes[2].parent, 0);
    ck_assert(m.nodes[2].placement[3] == 1e6 && m.nodes[2].placement[7] == 0.1);
    ck_assert(m.nodes[2].placement[1] == -1 && m.nodes[2].placement[10] == -2);
    model_free(&m);
    bvp_close(file);
}
END_TEST

/* Of the assembly's second triangle: corner (1, 0, 0) goes to (1e6, 1.1, 0). */
static void check_flat(const model_mesh *mesh, uint64_t triangle, double tolerance)
{
    ck_assert(fabs(corner_at(mesh, triangle, 1, 0) - 1e6) <= tolerance);
    ck_assert(fabs(corner_at(mesh, triangle, 1, 1) - 1.1) <= tolerance);
    ck_assert(fabs(corner_at(mesh, triangle, 2, 0) - (1e6 - 1)) <= tolerance);
}

START_TEST(flat)
{
    bvp_file *file = make_assembly();
    for (int f = 0; f < 4; f++) {
        export_report report;
        model m;
        round_trip(file, BVP_ASSEMBLY, 1, formats[f].write, formats[f].format, &report, &m);
        ck_assert_uint_eq(report.triangle_count, 2);
        int narrow = strcmp(formats[f].format, "stl") == 0 || strcmp(formats[f].format, "glb") == 0;
        if (narrow) { /* 0.1 and 1.1 are rounded */
            ck_assert_uint_gt(report.rounded_count, 0);
            ck_assert(report.rounding_error > 0 && report.rounding_error < 1e-7);
        }
        if (strcmp(formats[f].format, "obj") == 0) {
            ck_assert_uint_eq(m.mesh_count, 2);
            ck_assert_str_eq(m.meshes[1].name, "moved");
            check_flat(&m.meshes[1], 0, 1e-15);
        } else {
            ck_assert_uint_eq(m.mesh_count, 1);
            check_flat(&m.meshes[0], 1, narrow ? 1e-7 : 1e-15);
        }
        model_free(&m);
    }
    bvp_close(file);
}
END_TEST

/* A tree of nodes only, as a share of a pack may be: GLB knows no mesh of nothing. */
START_TEST(no_parts)
{
    bvp_builder *builder = begin();
    uint32_t root;
    bvp_builder_add_node(builder,
                         &(bvp_new_node){.parent = BVP_NONE, .name = "root", .part = BVP_NONE},
                         &root, NULL);
    bvp_file *file = finish(builder);
    for (int is_flat = 0; is_flat < 2; is_flat++) {
        enum { TEXT = 20 }; /* where a GLB's JSON begins */
        export_options options = {.part = BVP_ASSEMBLY, .flat = is_flat};
        export_report report;
        char *bytes = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&bytes, &size);
        ck_assert_int_eq(export_glb(file, &options, out, &report, NULL), BVP_OK);
        ck_assert_int_eq(fclose(out), 0);
        ck_assert_uint_eq(report.triangle_count, 0);
        ck_assert_uint_gt(size, TEXT);
        ck_assert_ptr_nonnull(strstr(bytes + TEXT, "\"nodes\""));
        ck_assert_msg(!strstr(bytes + TEXT, "mesh"), "%s", bytes + TEXT);
        free(bytes);
    }
    bvp_close(file);
}
END_TEST

/* A rebased part keeps its place: exactly where doubles can say so. */
START_TEST(rebased)
{
    static const double grid[9] = {3512345.678, 5400000.25,  0,          3512346.678, 5400000.25,
                                   0,           3512345.678, 5400001.25, 0.5};
    bvp_builder *builder = begin();
    add_part(builder, grid, 1, 1);
    bvp_file *file = finish(builder);
    bvp_part_info info;
    bvp_get_part(file, 0, &info);
    ck_assert(info.origin[0] != 0);
    for (int f = 1; f < 3; f++) {
        export_report report;
        model m;
        round_trip(file, BVP_ASSEMBLY, 0, formats[f].write, formats[f].format, &report, &m);
        ck_assert(m.meshes[0].is_double);
        for (int i = 0; i < 9; i++)
            ck_assert(fabs(corner_at(&m.meshes[0], 0, i / 3, i % 3) - grid[i]) < 1e-6);
        model_free(&m);
    }
    export_report report;
    model m;
    round_trip(file, BVP_ASSEMBLY, 0, export_glb, "glb", &report, &m);
    uint32_t carrier = m.node_count - 1;
    ck_assert_uint_eq(m.nodes[carrier].mesh, 0);
    for (int axis = 0; axis < 3; axis++)
        ck_assert(m.nodes[carrier].placement[4 * axis + 3] == info.origin[axis]);
    model_free(&m);
    bvp_close(file);
}
END_TEST

START_TEST(failures)
{
    bvp_file *file = make_assembly();
    for (int f = 0; f < 4; f++) {
        export_options options = {.part = BVP_ASSEMBLY};
        export_report report;
        bvp_error error = {0};
        FILE *full = fopen("/dev/full", "wb");
        ck_assert_ptr_nonnull(full);
        ck_assert_int_eq(formats[f].write(file, &options, full, &report, &error), BVP_ERR_SYSTEM);
        ck_assert(error.sys_errno != 0 && error.message[0]);
        fclose(full);
        options.part = 7;
        char *bytes = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&bytes, &size);
        ck_assert_int_ne(formats[f].write(file, &options, out, &report, &error), BVP_OK);
        fclose(out);
        free(bytes);
    }
    bvp_close(file);
}
END_TEST

SUITE(test_export_scene)
{
    const TTest *const tests[] = {bits_and_order, tree, flat, no_parts, rebased, failures, NULL};
    return suite_run("export_scene", tests);
}
