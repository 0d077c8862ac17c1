/* SPDX-License-Identifier: MIT
 * test_shuffled.c: the order in which a mesh lists its triangles does not change its binary
 * hierarchies: the same cuts, the same volumes, the same triangles in each leaf.
 *
 * Volumes of obb and rss are excepted: their fit sums over vertices in the order of their numbers.
 * So only their cuts are compared, and not those of the rule mean, which follow the volumes' axes.
 */
#include "build_case.h"
#include "format/record.h"
#include "node/binary_node.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { SHUFFLES = 5, SMALL = 700, LARGE = 40000 /* more than one piece */ };

/* What a hierarchy is, in one number. */
typedef struct walk {
    bvpi_binary tree;
    bvpi_part part;
    bool cuts_only;
    uint64_t hash;
} walk;

/* FNV-1a */
static void add(walk *w, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t k = 0; k < size; k++)
        w->hash = (w->hash ^ bytes[k]) * UINT64_C(0x100000001b3);
}

static int compare_corners(const void *left, const void *right)
{
    const float *a = left, *b = right;
    for (int axis = 0; axis < 3; axis++)
        if (a[axis] != b[axis])
            return a[axis] < b[axis] ? -1 : 1;
    return 0;
}

static void add_leaf(walk *w, const bvpi_binary_node *leaf)
{
    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t reference;
        bvpi_cluster cluster;
        float corners[9];
        if (!bvpi_binary_item(&w->tree, leaf->first + i, &reference) ||
            !bvpi_cluster_open(w->part.blob, w->part.blob_size, w->part.outside,
                               (uint64_t)(reference >> 8) << w->part.cluster_shift, &cluster))
            ck_abort_msg("a leaf cannot be read");
        bvpi_cluster_triangle(&cluster, reference & 255, corners);
        qsort(corners, 3, 3 * sizeof *corners, compare_corners);
        add(w, corners, sizeof corners);
    }
}

static void add_subtree(walk *w, const bvpi_binary_node *node, const uint8_t *payload)
{
    bvpi_binary_node child[2];
    const uint8_t *payloads[2];
    add(w, &node->count, sizeof node->count);
    if (!w->cuts_only)
        add(w, payload, bvpi_binary_payload_size(&w->tree, payload));
    if (bvpi_binary_is_leaf(&w->tree, node)) {
        add_leaf(w, node);
        return;
    }
    if (!bvpi_binary_children(&w->tree, node, child, payloads))
        ck_abort_msg("a node cannot be read");
    for (int k = 0; k < 2; k++)
        add_subtree(w, &child[k], payloads[k]);
}

static uint64_t hash_of(const float *soup, uint32_t count, const bvp_hierarchy_spec *spec)
{
    const bvp_mesh mesh = case_mesh(soup, count);
    const bvp_build_options options = {.hierarchies = spec, .hierarchy_count = 1};
    const bool is_oriented = spec->kind == BVP_KIND_OBB || spec->kind == BVP_KIND_RSS;
    case_file file = case_build(&mesh, &options);
    walk w = {.cuts_only = is_oriented, .hash = UINT64_C(0xcbf29ce484222325)};
    bvpi_binary_node root;
    const uint8_t *payload;
    ck_assert_int_eq(bvpi_get_part(file.file, 0, &w.part), BVP_OK);
    ck_assert_int_eq(bvpi_get_part_binary(file.file, 0, (uint32_t)spec->kind, &w.tree), BVP_OK);
    ck_assert(bvpi_binary_root(&w.tree, &root, &payload));
    add_subtree(&w, &root, payload);
    case_close(&file);
    return w.hash;
}

static void shuffle(uint64_t *state, float *soup, uint32_t count)
{
    for (uint32_t left = count; left > 1; left--) {
        float *a = soup + 9 * (size_t)(left - 1), *b = soup + 9 * (case_random(state) % left);
        float triangle[9];
        memcpy(triangle, a, sizeof triangle);
        memmove(a, b, sizeof triangle);
        memcpy(b, triangle, sizeof triangle);
    }
}

/* Pairs of triangles with one box, and triangles that occur twice, among random ones. */
static float *make_soup(uint64_t *state, uint32_t count)
{
    float *soup = malloc(36 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) {
        float *t = soup + 9 * (size_t)i;
        const float x = (float)(i / 2 % 23), y = (float)(i / 46), u = (float)(i % 2);
        const float square[9] = {x, y, 0, x + 1, y + 1, 0, x + u, y + 1 - u, 0};
        memcpy(t, square, sizeof square);
        for (int k = 0; k < 9 && i % 5 == 0; k++)
            t[k] = (float)(20 * case_uniform(state));
        if (i % 7 == 6)
            memcpy(t, t - 9, sizeof square);
    }
    return soup;
}

static void check(uint64_t *state, uint32_t count, bvp_hierarchy_spec spec, int shuffles)
{
    float *soup = make_soup(state, count);
    const uint64_t expected = hash_of(soup, count, &spec);
    for (int k = 0; k < shuffles; k++) {
        shuffle(state, soup, count);
        const uint64_t found = hash_of(soup, count, &spec);
        if (found != expected)
            ck_abort_msg("kind %d, split %d, shuffle %d of %d triangles", (int)spec.kind,
                         (int)spec.split, k, (int)count);
    }
    free(soup);
}

START_TEST(test_all_rules)
{
    uint64_t state = case_seed();
    for (int kind = BVP_KIND_BOXTREE; kind <= BVP_KIND_RSS; kind++)
        for (int split = BVP_SPLIT_SAH; split <= BVP_SPLIT_MEAN; split++) {
            const bool is_oriented = kind == BVP_KIND_OBB || kind == BVP_KIND_RSS;
            if (is_oriented && split == BVP_SPLIT_MEAN)
                continue;
            bvp_hierarchy_spec spec = {.kind = (bvp_kind)kind, .split = (bvp_split)split};
            spec.leaf_size = 1 + (uint32_t)(kind + split) % 3;
            check(&state, SMALL, spec, SHUFFLES);
        }
}
END_TEST

START_TEST(test_restricted_shuffled)
{
    uint64_t state = case_seed();
    const bvp_hierarchy_spec spec = {
        .kind = BVP_KIND_BOXTREE, .leaf_size = 1, .split = BVP_SPLIT_RESTRICTED};
    check(&state, SMALL, spec, SHUFFLES);
    check(&state, LARGE, spec, 1);
}
END_TEST

START_TEST(test_several_pieces)
{
    uint64_t state = case_seed();
    for (int split = BVP_SPLIT_SAH; split <= BVP_SPLIT_MEAN; split++)
        if (split != BVP_SPLIT_LOOKAHEAD) /* slow */
            check(&state, LARGE,
                  (bvp_hierarchy_spec){.kind = BVP_KIND_AABB, .split = (bvp_split)split}, 1);
}
END_TEST

SUITE(test_shuffled)
{
    const TTest *const tests[] = {test_all_rules, test_restricted_shuffled, test_several_pieces,
                                  NULL};
    return suite_run("shuffled", tests);
}
