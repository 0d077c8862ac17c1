/* SPDX-License-Identifier: MIT
 * refit_case.h: deformable files to refit, formulas to deform them by, and the same geometry packed
 * anew.
 */
#ifndef REFIT_CASE_H
#define REFIT_CASE_H

#include "body_cases.h"
#include "bvpack_build.h"

#include <fcntl.h>
#include <unistd.h>

/* What is packed: meshes and where they stand. */
typedef struct refit_scene {
    body_mesh meshes[4];
    uint32_t mesh_count;
    uint32_t parts[16]; /* of node k + 1; node 0 is the root */
    double placements[16][12];
    uint32_t node_count;
} refit_scene;

enum { BENT, STRETCHED, NOISY, HUGE_BEND, FLAT, POINT, BEND_COUNT };

/* Where a bend takes a point; -0 and 0 go to the same place. */
static inline void bend(int kind, double strength, const float in[3], float out[3])
{
    const double x = in[0] + 0.0, y = in[1] + 0.0, z = in[2] + 0.0;
    double p[3] = {x, y, z};
    switch (kind) {
    case BENT:
        p[0] = cos(strength * z) * x - sin(strength * z) * y;
        p[1] = sin(strength * z) * x + cos(strength * z) * y;
        break;
    case STRETCHED:
        p[0] = x * (1 + strength);
        p[2] = z - 0.3 * strength * x * x;
        break;
    case NOISY:
        for (int axis = 0; axis < 3; axis++)
            p[axis] += 0.2 * strength * sin(1000 * x + 2000 * y + 3000 * z + axis);
        break;
    case HUGE_BEND:
        for (int axis = 0; axis < 3; axis++)
            p[axis] = (p[axis] + 50 * strength) * 1e4 * strength;
        break;
    case FLAT:
        p[2] = -0.0;
        break;
    default:
        p[0] = p[1] = p[2] = strength;
    }
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)p[axis];
}

static inline body_mesh bend_mesh(int kind, double strength, body_mesh mesh)
{
    body_mesh out = mesh_new(mesh.count);
    for (uint64_t corner = 0; corner < 3 * mesh.count; corner++)
        bend(kind, strength, mesh.tri + 3 * corner, out.tri + 3 * corner);
    return out;
}

/* What a part can be refitted in: every kind, its forms, and several at once. */
typedef struct refit_form {
    const char *name;
    bvp_hierarchy_spec specs[5];
    uint32_t count;
    int rays;
} refit_form;

enum { REFIT_ALL = 9, REFIT_FORMS };
static const refit_form refit_forms[REFIT_FORMS] = {
    {"wide", {{.kind = BVP_KIND_WIDE}}, 1, 0},
    {"wide, leaves of 1", {{.kind = BVP_KIND_WIDE, .leaf_size = 1}}, 1, 0},
    {"aabb", {{.kind = BVP_KIND_AABB, .leaf_size = 3}}, 1, 0},
    {"boxtree", {{.kind = BVP_KIND_BOXTREE}}, 1, 0},
    {"boxtree, 1 plane", {{.kind = BVP_KIND_BOXTREE, .plane_max = 1, .offset_size = 2}}, 1, 0},
    {"boxtree, floats",
     {{.kind = BVP_KIND_BOXTREE, .leaf_size = 1, .plane_max = 2, .offset_size = 4}},
     1,
     0},
    {"obb", {{.kind = BVP_KIND_OBB, .leaf_size = 2}}, 1, 0},
    {"rss", {{.kind = BVP_KIND_RSS, .leaf_size = 1}}, 1, 0},
    {"rss and obb", {{.kind = BVP_KIND_RSS}, {.kind = BVP_KIND_OBB}}, 2, 0},
    {"all",
     {{.kind = BVP_KIND_WIDE},
      {.kind = BVP_KIND_BOXTREE},
      {.kind = BVP_KIND_AABB},
      {.kind = BVP_KIND_OBB},
      {.kind = BVP_KIND_RSS}},
     5,
     0},
};

/* A packed file without a name. */
static inline int refit_pack_form(const refit_scene *s, const refit_form *form, int deformable)
{
    char path[] = "refit-XXXXXX";
    const bvp_build_options options = {.thread_count = 1,
                                       .hierarchies = form->specs,
                                       .hierarchy_count = form->count,
                                       .rays = form->rays,
                                       .deformable = deformable};
    bvp_builder *builder;
    bvp_error error = {0};
    uint32_t numbers[4], root, node;
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    unlink(path);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, &error), BVP_OK);
    for (uint32_t k = 0; k < s->mesh_count; k++) {
        const bvp_mesh mesh = {.positions = s->meshes[k].tri,
                               .vertex_count = 3 * s->meshes[k].count,
                               .triangle_count = s->meshes[k].count};
        const bvp_status status = bvp_builder_add_part(builder, &mesh, &numbers[k], &error);
        ck_assert_msg(status == BVP_OK, "%s", error.message);
    }
    bvp_builder_add_node(builder,
                         &(bvp_new_node){.parent = BVP_NONE, .name = "root", .part = BVP_NONE},
                         &root, NULL);
    for (uint32_t k = 0; k < s->node_count; k++)
        ck_assert_int_eq(bvp_builder_add_node(builder,
                                              &(bvp_new_node){.parent = root,
                                                              .placement = s->placements[k],
                                                              .part = numbers[s->parts[k]]},
                                              &node, &error),
                         BVP_OK);
    ck_assert_int_eq(bvp_builder_finish_fd(builder, fd, NULL, &error), BVP_OK);
    bvp_builder_free(builder);
    return fd;
}

static inline int refit_pack(const refit_scene *s, bvp_kind kind, int deformable)
{
    const refit_form form = {.specs = {{.kind = kind}}, .count = 1};
    return refit_pack_form(s, &form, deformable);
}

static inline bvp_file *refit_open(int fd, const bvp_open_options *options)
{
    bvp_file *file;
    bvp_error error = {0};
    const bvp_status status = bvp_open_fd(fd, options, &file, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    return file;
}

static inline bvp_file *refit_open_overlay(int fd)
{
    const bvp_open_options options = {.overlay = 1};
    return refit_open(fd, &options);
}

/* All stored vertices; the caller frees them. */
static inline float *refit_vertices(const bvp_file *file, uint32_t part, uint64_t *count)
{
    uint64_t got;
    ck_assert_int_eq(bvp_get_vertices(file, part, 0, UINT64_MAX, NULL, count), BVP_OK);
    float *positions = malloc(*count * 12 + 1);
    ck_assert_ptr_nonnull(positions);
    ck_assert_int_eq(bvp_get_vertices(file, part, 0, *count, positions, &got), BVP_OK);
    ck_assert_uint_eq(got, *count);
    return positions;
}

/* Bends part `part` of an overlay from the shape that `original` shows. */
static inline void refit_bend(bvp_file *file, const bvp_file *original, uint32_t part, int kind,
                              double strength)
{
    uint64_t count;
    bvp_error error = {0};
    float *positions = refit_vertices(original, part, &count);
    for (uint64_t i = 0; i < count; i++) {
        float at[3];
        memcpy(at, positions + 3 * i, sizeof at);
        bend(kind, strength, at, positions + 3 * i);
    }
    const bvp_status status = bvp_refit(file, part, positions, count, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    free(positions);
}

/* A ball and a box, in `node_count` places; the first two as they are. */
static inline refit_scene refit_scene_make(int rings, uint32_t node_count)
{
    refit_scene s = {
        .meshes = {mesh_sphere(rings), mesh_box(4)}, .mesh_count = 2, .node_count = node_count};
    for (uint32_t k = 0; k < node_count; k++) {
        s.parts[k] = k % 3 == 1;
        place_random(k < 2 ? PLACED_NOT : case_int(PLACED_FAR), s.placements[k]);
        if (k >= 2)
            case_translate(s.placements[k], 4);
    }
    return s;
}

static inline void refit_scene_free(refit_scene *s)
{
    for (uint32_t k = 0; k < s->mesh_count; k++)
        free(s->meshes[k].tri);
}

#endif
