/* SPDX-License-Identifier: MIT
 * test_binary.c: binary hierarchies as a reader finds them: every triangle in one leaf and in every
 * volume above it, for every kind, form, leaf size and rule; the same bytes on any thread count.
 */
#include "build_case.h"
#include "format/record.h"
#include "format/triangle_ids.h"
#include "node/aabb_node.h"
#include "kinds/node/boxtree_node.h"
#include "kinds/node/oriented_node.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* ---- walking -------------------------------------------------------------------------------- */

enum { TRIANGLES_MAX = 50000 };

typedef union volume {
    bvpi_frame frame;
    bvpi_aabb box;
    bvpi_oriented oriented;
} volume;

typedef struct walk {
    bvpi_binary tree;
    bvpi_part part;
    volume path[BVPD_DEPTH_MAX]; /* from the root down */
    uint32_t node_count, leaf_count, depth;
    uint8_t *seen; /* by number in the source */
} walk;

static void decode(const walk *w, const volume *parent, const uint8_t *payload, volume *out)
{
    if (w->tree.kind == BVPD_KIND_BOXTREE)
        bvpi_boxtree_box(&w->tree, &parent->frame, payload, &out->frame);
    else if (w->tree.kind == BVPD_KIND_AABB)
        bvpi_aabb_box(payload, &out->box);
    else
        bvpi_oriented_volume(&parent->oriented, payload, &out->oriented);
}

static bool holds(const walk *w, const volume *v, const float *p)
{
    const double point[3] = {p[0], p[1], p[2]};
    if (w->tree.kind == BVPD_KIND_OBB || w->tree.kind == BVPD_KIND_RSS)
        return bvpi_oriented_holds(&v->oriented, w->tree.kind == BVPD_KIND_RSS, point);
    for (int axis = 0; axis < 3; axis++) {
        double lo = v->box.lo[axis], hi = v->box.hi[axis];
        if (w->tree.kind == BVPD_KIND_BOXTREE) {
            lo = w->tree.grid_origin[axis] + v->frame.lo[axis] * w->tree.grid_unit;
            hi = w->tree.grid_origin[axis] + v->frame.hi[axis] * w->tree.grid_unit;
        }
        if (point[axis] < lo || point[axis] > hi)
            return false;
    }
    return true;
}

/* A ck_assert() writes to the program's parent each time; these are asked a million times. */
#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg("%s", #condition);                                                        \
    } while (0)

static void check_leaf(walk *w, const bvpi_binary_node *leaf, uint32_t level)
{
    require(leaf->count >= 1 && leaf->count <= w->tree.leaf_size);
    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t reference;
        bvpi_cluster cluster;
        float corners[9];
        require(bvpi_binary_item(&w->tree, leaf->first + i, &reference));
        const uint64_t offset = (uint64_t)(reference >> 8) << w->part.cluster_shift;
        const uint32_t local = reference & 255;
        require(
            bvpi_cluster_open(w->part.blob, w->part.blob_size, w->part.outside, offset, &cluster));
        require(local < cluster.triangle_count);
        bvpi_cluster_triangle(&cluster, local, corners);
        const uint64_t id = bvpi_triangle_id(&w->part, &cluster.head, local);
        require(id < w->part.triangle_count);
        require(w->seen[id]++ == 0);
        for (uint32_t k = 0; k <= level; k++)
            for (int corner = 0; corner < 3; corner++)
                require(holds(w, &w->path[k], corners + 3 * corner));
    }
}

static void check_subtree(walk *w, const bvpi_binary_node *node, uint32_t level)
{
    bvpi_binary_node child[2];
    const uint8_t *payload[2];
    w->node_count++;
    w->depth = level >= w->depth ? level + 1 : w->depth;
    if (bvpi_binary_is_leaf(&w->tree, node)) {
        w->leaf_count++;
        check_leaf(w, node, level);
        return;
    }
    require(bvpi_binary_children(&w->tree, node, child, payload));
    require(level + 1 < BVPD_DEPTH_MAX);
    for (int k = 0; k < 2; k++) {
        decode(w, &w->path[level], payload[k], &w->path[level + 1]);
        check_subtree(w, &child[k], level + 1);
    }
}

static bvp_hierarchy_info info_of(const bvp_file *file, bvp_kind kind)
{
    bvp_hierarchy_info info;
    for (uint32_t k = 0; bvp_get_hierarchy(file, 0, k, &info) == BVP_OK; k++)
        if (info.kind == kind)
            return info;
    ck_abort_msg("kind %d is missing", (int)kind);
    return info;
}

/* Walks part 0's hierarchy of a kind; everything that its record counts is there. */
static bvp_hierarchy_info check_hierarchy(const bvp_file *file, bvp_kind kind)
{
    const bvp_hierarchy_info info = info_of(file, kind);
    walk *w = calloc(1, sizeof *w);
    volume outermost = {0};
    bvpi_binary_node root;
    const uint8_t *payload;
    ck_assert_int_eq(bvpi_get_part(file, 0, &w->part), BVP_OK);
    ck_assert_int_eq(bvpi_get_part_binary(file, 0, (uint32_t)kind, &w->tree), BVP_OK);
    w->seen = calloc(w->part.triangle_count, 1);
    if (kind == BVP_KIND_BOXTREE)
        memcpy(outermost.frame.hi, w->tree.grid_extent, sizeof outermost.frame.hi);
    else
        bvpi_oriented_frame(&w->tree, &outermost.oriented);
    ck_assert(bvpi_binary_root(&w->tree, &root, &payload));
    decode(w, &outermost, payload, &w->path[0]);
    check_subtree(w, &root, 0);
    for (uint64_t i = 0; i < w->part.triangle_count; i++)
        require(w->seen[i] == 1);
    ck_assert_uint_eq(w->node_count, info.node_count);
    ck_assert_uint_eq(w->leaf_count, info.leaf_count);
    ck_assert_uint_eq(w->depth, info.depth);
    free(w->seen);
    free(w);
    return info;
}

/* ---- meshes --------------------------------------------------------------------------------- */

enum shape { RANDOM, NEEDLES, FLAT, LINE, POINT, GRID, SHAPES };

/* A corner of triangle i. */
static void make_corner(uint64_t *state, enum shape shape, uint32_t i, int corner, float out[3])
{
    const double r[3] = {case_uniform(state), case_uniform(state), case_uniform(state)};
    for (int axis = 0; axis < 3; axis++)
        switch (shape) {
        case NEEDLES:
            out[axis] = (float)(axis == (int)(i % 3) ? 100 * r[axis] : r[axis] * 1e-3 + i);
            break;
        case FLAT:
            out[axis] = axis == 1 ? 3.25f : (float)(10 * r[axis]);
            break;
        case LINE:
            out[axis] = (float)((corner + i) * (axis + 1));
            break;
        case POINT:
            out[axis] = -7.125f;
            break;
        case GRID:
            out[axis] = (float)((axis == 0 ? i % 20 : i / 20) + (axis == corner % 2)) * 0.5f;
            break;
        default:
            out[axis] = (float)(50 * ((i * 7919 + axis * 104729) % 1000 * 1e-3) + r[axis]);
        }
}

static float *make_shape(uint64_t *state, enum shape shape, uint32_t count)
{
    float *soup = malloc(36 * (size_t)count);
    for (uint32_t i = 0; i < count; i++)
        for (int corner = 0; corner < 3; corner++)
            make_corner(state, shape, i, corner, soup + 9 * (size_t)i + 3 * corner);
    return soup;
}

static case_file build(const float *soup, uint32_t count, const bvp_hierarchy_spec *specs,
                       uint32_t spec_count, bvp_build_options options)
{
    const bvp_mesh mesh = case_mesh(soup, count);
    options.hierarchies = specs;
    options.hierarchy_count = spec_count;
    return case_build(&mesh, &options);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void check_forms(enum shape shape, uint32_t count, bvp_hierarchy_spec spec)
{
    static const uint32_t sizes[] = {1, 2, 4};
    uint64_t state = 17 + shape;
    float *soup = make_shape(&state, shape, count);
    const bool is_boxtree = spec.kind == BVP_KIND_BOXTREE;
    /* of the boxtree's nine forms some; all shapes together meet each with each leaf size */
    for (uint32_t form = is_boxtree ? (spec.leaf_size + shape) % 5 : 0; form < (is_boxtree ? 9 : 1);
         form += 5) {
        spec.plane_max = is_boxtree ? 1 + form / 3 : 0;
        spec.offset_size = is_boxtree ? sizes[form % 3] : 0;
        case_file file = build(soup, count, &spec, 1, (bvp_build_options){0});
        const bvp_hierarchy_info info = check_hierarchy(file.file, spec.kind);
        ck_assert_uint_eq(info.leaf_size, spec.leaf_size);
        ck_assert_uint_eq(info.plane_max, spec.plane_max);
        ck_assert_uint_eq(info.offset_size, spec.offset_size);
        ck_assert_uint_eq(info.order_size, 0);
        ck_assert_uint_eq(file.report.kind_size[spec.kind], info.size);
        case_check_triangles(&file, soup, NULL, count);
        case_close(&file);
    }
    free(soup);
}

START_TEST(test_forms)
{
    case_seed();
    for (int kind = BVP_KIND_BOXTREE; kind <= BVP_KIND_RSS; kind++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (uint32_t leaf_size = 1; leaf_size <= 8; leaf_size++) {
                const bvp_hierarchy_spec spec = {.kind = (bvp_kind)kind, .leaf_size = leaf_size};
                check_forms((enum shape)shape, 1 + 61 * leaf_size * (leaf_size % 2), spec);
            }
}
END_TEST

START_TEST(test_splits)
{
    case_seed();
    for (int kind = BVP_KIND_BOXTREE; kind <= BVP_KIND_RSS; kind++)
        for (int split = BVP_SPLIT_SAH; split <= BVP_SPLIT_MEAN; split++)
            for (int shape = 0; shape < SHAPES; shape += 2) {
                bvp_hierarchy_spec spec = {.kind = (bvp_kind)kind, .split = (bvp_split)split};
                uint64_t state = 5;
                float *soup = make_shape(&state, (enum shape)shape, 300);
                spec.leaf_size = 1 + (uint32_t)(kind + split) % 4;
                case_file file = build(soup, 300, &spec, 1, (bvp_build_options){0});
                ck_assert_uint_eq(check_hierarchy(file.file, spec.kind).split, (uint32_t)split);
                case_close(&file);
                free(soup);
            }
}
END_TEST

/* Every node below the root has one plane, and siblings have theirs on one axis. */
static void check_siblings(const bvpi_binary *tree, const bvpi_binary_node *node)
{
    bvpi_binary_node child[2];
    const uint8_t *payload[2];
    if (bvpi_binary_is_leaf(tree, node))
        return;
    require(bvpi_binary_children(tree, node, child, payload));
    for (int k = 0; k < 2; k++) {
        require(__builtin_popcount(payload[k][0]) == 1);
        require(__builtin_ctz(payload[0][0]) % 3 == __builtin_ctz(payload[k][0]) % 3);
        check_siblings(tree, &child[k]);
    }
}

START_TEST(test_restricted)
{
    case_seed();
    for (int shape = 0; shape < SHAPES; shape++)
        for (uint32_t offset_size = 1; offset_size <= 4; offset_size *= 2) {
            const bvp_hierarchy_spec spec = {.kind = BVP_KIND_BOXTREE,
                                             .leaf_size = 1 + (uint32_t)shape % 2,
                                             .split = BVP_SPLIT_RESTRICTED,
                                             .offset_size = offset_size};
            uint64_t state = 23;
            float *soup = make_shape(&state, (enum shape)shape, 900);
            case_file file = build(soup, 900, &spec, 1, (bvp_build_options){0});
            const bvp_hierarchy_info info = check_hierarchy(file.file, BVP_KIND_BOXTREE);
            bvpi_binary tree;
            bvpi_binary_node root;
            const uint8_t *payload;
            ck_assert_uint_eq(info.plane_max, 1);
            ck_assert_uint_eq(info.split, BVP_SPLIT_VOLUME); /* what the format has a number for */
            ck_assert_int_eq(bvpi_get_part_binary(file.file, 0, BVP_KIND_BOXTREE, &tree), BVP_OK);
            ck_assert(bvpi_binary_root(&tree, &root, &payload));
            check_siblings(&tree, &root);
            case_close(&file);
            free(soup);
        }
}
END_TEST

/* All kinds over the same triangles, whatever the first: the others have order streams. */
START_TEST(test_orders)
{
    uint64_t state = case_seed();
    float *soup = make_shape(&state, RANDOM, 3000);
    for (int first = BVP_KIND_WIDE; first <= BVP_KIND_RSS; first++) {
        bvp_hierarchy_spec specs[5] = {{.kind = (bvp_kind)first, .leaf_size = 3}};
        uint32_t count = 1;
        for (int kind = BVP_KIND_BOXTREE; kind <= BVP_KIND_RSS; kind++)
            if (kind != first)
                specs[count++] = (bvp_hierarchy_spec){.kind = (bvp_kind)kind, .leaf_size = 5};
        case_file file = build(soup, 3000, specs, count, (bvp_build_options){0});
        for (uint32_t k = 0; k < count; k++) {
            if (specs[k].kind == BVP_KIND_WIDE)
                continue;
            const bvp_hierarchy_info info = check_hierarchy(file.file, specs[k].kind);
            ck_assert(k == 0 ? info.order_size == 0 : info.order_size >= 3000);
        }
        case_check_triangles(&file, soup, NULL, 3000);
        case_close(&file);
    }
    free(soup);
}
END_TEST

START_TEST(test_threads)
{
    uint64_t state = case_seed();
    const bvp_hierarchy_spec specs[][2] = {{{.kind = BVP_KIND_AABB}, {.kind = BVP_KIND_BOXTREE}},
                                           {{.kind = BVP_KIND_BOXTREE}, {.kind = BVP_KIND_AABB}},
                                           {{.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_AABB}},
                                           {{.kind = BVP_KIND_OBB}, {.kind = BVP_KIND_RSS}}};
    float *soup = make_shape(&state, RANDOM, TRIANGLES_MAX); /* more than one piece */
    for (uint32_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        case_file file[2];
        for (uint32_t k = 0; k < 2; k++)
            file[k] =
                build(soup, TRIANGLES_MAX, specs[i], 2, (bvp_build_options){.thread_count = 1 + k});
        ck_assert_uint_eq(file[0].size, file[1].size);
        ck_assert_mem_eq(file[0].bytes, file[1].bytes, file[0].size);
        for (int k = 0; k < 2; k++)
            if (specs[i][k].kind != BVP_KIND_WIDE)
                check_hierarchy(file[0].file, specs[i][k].kind);
        case_close(&file[0]);
        case_close(&file[1]);
    }
    free(soup);
}
END_TEST

START_TEST(test_deformable)
{
    uint64_t state = case_seed();
    const bvp_hierarchy_spec spec = {.kind = BVP_KIND_AABB};
    float *soup = make_shape(&state, GRID, 400);
    case_file file = build(soup, 400, &spec, 1, (bvp_build_options){.deformable = 1});
    bvpi_part part;
    ck_assert_int_eq(bvpi_get_part(file.file, 0, &part), BVP_OK);
    for (uint32_t k = 0; k < part.cluster_count; k++) {
        bvpi_cluster cluster;
        ck_assert(bvpi_cluster_open(part.blob, part.blob_size, part.outside,
                                    bvpi_cluster_off(&part, k), &cluster));
        for (int axis = 0; axis < 3; axis++)
            ck_assert_uint_eq(cluster.head.packing[axis], BVPD_RAW << 6 | 32);
    }
    check_hierarchy(file.file, BVP_KIND_AABB);
    case_close(&file);
    free(soup);
}
END_TEST

/* The boxtree's planes: more of them, and finer ones, make smaller boxes. */
START_TEST(test_planes_pay)
{
    uint64_t state = case_seed();
    float *soup = make_shape(&state, RANDOM, 5000);
    double cost[3][3];
    for (uint32_t planes = 1; planes <= 3; planes++)
        for (uint32_t k = 0; k < 3; k++) {
            const bvp_hierarchy_spec spec = {
                .kind = BVP_KIND_BOXTREE, .plane_max = planes, .offset_size = 1u << k};
            case_file file = build(soup, 5000, &spec, 1, (bvp_build_options){0});
            cost[planes - 1][k] = info_of(file.file, BVP_KIND_BOXTREE).area_cost;
            case_close(&file);
        }
    for (int k = 0; k < 3; k++)
        ck_assert(cost[0][k] > cost[1][k] && cost[1][k] > cost[2][k]);
    ck_assert(cost[2][0] > cost[2][1]);
    const bvp_hierarchy_spec aabb = {.kind = BVP_KIND_AABB};
    case_file file = build(soup, 5000, &aabb, 1, (bvp_build_options){0});
    ck_assert(info_of(file.file, BVP_KIND_AABB).area_cost <= cost[2][2]);
    case_close(&file);
    free(soup);
}
END_TEST

START_TEST(test_refusals)
{
    static const struct {
        bvp_hierarchy_spec specs[2];
        uint32_t count;
        const char *word;
    } cases[] = {{{{.kind = (bvp_kind)6}}, 1, "kind"},
                 {{{.kind = BVP_KIND_AABB, .leaf_size = 9}}, 1, "leaf_size"},
                 {{{.kind = BVP_KIND_AABB, .split = (bvp_split)11}}, 1, "split"},
                 {{{.kind = BVP_KIND_AABB, .split = BVP_SPLIT_MORTON}}, 1, "only wide"},
                 {{{.kind = BVP_KIND_AABB, .split = BVP_SPLIT_FULL}}, 1, "only wide"},
                 {{{.kind = BVP_KIND_WIDE, .split = BVP_SPLIT_MEAN}}, 1, "sah"},
                 {{{.kind = BVP_KIND_AABB, .plane_max = 1}}, 1, "boxtree only"},
                 {{{.kind = BVP_KIND_OBB, .offset_size = 1}}, 1, "boxtree only"},
                 {{{.kind = BVP_KIND_BOXTREE, .plane_max = 4}}, 1, "plane_max"},
                 {{{.kind = BVP_KIND_AABB, .split = BVP_SPLIT_RESTRICTED}}, 1, "one plane"},
                 {{{.kind = BVP_KIND_BOXTREE, .plane_max = 2, .split = BVP_SPLIT_RESTRICTED}},
                  1,
                  "one plane"},
                 {{{.kind = BVP_KIND_BOXTREE, .offset_size = 3}}, 1, "offset_size"},
                 {{{.kind = BVP_KIND_AABB}, {.kind = BVP_KIND_WIDE}}, 2, "first"},
                 {{{.kind = BVP_KIND_AABB}, {.kind = BVP_KIND_AABB}}, 2, "one kind"},
                 {{{.kind = BVP_KIND_AABB}}, 6, "6 hierarchies"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bvp_build_options options = {.hierarchies = cases[i].specs,
                                           .hierarchy_count = cases[i].count};
        bvp_builder *builder;
        bvp_error error;
        ck_assert_int_eq(bvp_builder_new(&options, &builder, &error), BVP_ERR_ARGUMENT);
        ck_assert_msg(strstr(error.message, cases[i].word) != NULL, "%s", error.message);
        ck_assert_ptr_null(builder);
    }
}
END_TEST

/* The hash over source and options tells every option's values apart, defaults made explicit not.
 */
START_TEST(test_source_hash)
{
    static const bvp_hierarchy_spec specs[] = {
        {.kind = BVP_KIND_DEFAULT},
        {.kind = BVP_KIND_AABB},
        {.kind = BVP_KIND_AABB, .leaf_size = 3},
        {.kind = BVP_KIND_AABB, .split = BVP_SPLIT_MEDIAN},
        {.kind = BVP_KIND_BOXTREE},
        {.kind = BVP_KIND_BOXTREE, .plane_max = 2},
        {.kind = BVP_KIND_BOXTREE, .offset_size = 2},
        {.kind = BVP_KIND_BOXTREE, .plane_max = 3, .offset_size = 1, .split = BVP_SPLIT_SAH}};
    enum { SPECS = sizeof specs / sizeof *specs };
    static const uint8_t source[16] = {1, 2, 3};
    static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint8_t hash[SPECS + 1][16];
    for (uint32_t i = 0; i <= SPECS; i++) {
        bvp_file_info info;
        case_file file =
            build(soup, 1, &specs[i % SPECS], 1,
                  (bvp_build_options){.source_hash = source, .deformable = i == SPECS});
        bvp_get_info(file.file, &info);
        memcpy(hash[i], info.source_hash, 16);
        case_close(&file);
    }
    for (uint32_t i = 0; i <= SPECS; i++)
        for (uint32_t k = 0; k < i; k++)
            ck_assert_int_eq(memcmp(hash[i], hash[k], 16) == 0, i == SPECS - 1 && k == 4);
}
END_TEST

SUITE(test_binary)
{
    const TTest *const tests[] = {
        test_forms,      test_splits,     test_restricted, test_orders,      test_threads,
        test_deformable, test_planes_pay, test_refusals,   test_source_hash, NULL};
    return suite_run("binary", tests);
}
