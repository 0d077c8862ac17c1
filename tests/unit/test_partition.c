/* SPDX-License-Identifier: MIT
 * test_partition.c: every rule makes progress on every set, keeps all items, and cuts where it
 * says.
 */
#include "pack/tree/partition.h"

#include "base/isa.h"
#include "pack/tree/mean_kernel.h"
#include "build_case.h"
#include "format/layout.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bvp_split rules[] = {BVP_SPLIT_SAH,       BVP_SPLIT_VOLUME,    BVP_SPLIT_LONGEST,
                                  BVP_SPLIT_LOOKAHEAD, BVP_SPLIT_MIDPOINT,  BVP_SPLIT_MEDIAN,
                                  BVP_SPLIT_MEAN,      BVP_SPLIT_RESTRICTED};
enum { RULES = sizeof rules / sizeof *rules };

/* Triangles and their boxes; coordinates are whole numbers. */
typedef struct set {
    bvpi_mesh mesh;
    float *positions;
    uint32_t *indices;
    bvpi_item *items;
} set;

static set make_set(uint32_t count)
{
    set s = {.positions = calloc(9 * (size_t)count, sizeof(float)),
             .indices = calloc(3 * (size_t)count, sizeof(uint32_t)),
             .items = aligned_alloc(64, (count * sizeof(bvpi_item) + 63) & ~(size_t)63)};
    for (uint32_t i = 0; i < 3 * count; i++)
        s.indices[i] = i;
    s.mesh = (bvpi_mesh){.positions = s.positions,
                         .indices = s.indices,
                         .vertex_count = 3 * count,
                         .triangle_count = count};
    return s;
}

static void free_set(set *s)
{
    free(s->positions);
    free(s->indices);
    free(s->items);
}

/* A triangle whose box is lo .. lo + size. */
static void put(set *s, uint32_t i, const uint32_t lo[3], const uint32_t size[3])
{
    for (int axis = 0; axis < 3; axis++) {
        float *p = s->positions + 9 * (size_t)i + axis;
        p[0] = (float)lo[axis];
        p[3] = (float)(lo[axis] + size[axis]);
        p[6] = (float)(lo[axis] + (axis == 1 ? size[axis] : 0));
        s->items[i].minus_lo[axis] = -(float)lo[axis];
        s->items[i].hi[axis] = (float)(lo[axis] + size[axis]);
    }
    s->items[i].id = i;
    s->items[i].zero = 0;
}

static set random_set(uint64_t *state, uint32_t count, uint32_t range, uint32_t size)
{
    set s = make_set(count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lo[3], extent[3];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = (uint32_t)(case_random(state) % range);
            extent[axis] = (uint32_t)(case_random(state) % size);
        }
        put(&s, i, lo, extent);
    }
    return s;
}

/* A node's box as a boxtree's frame. */
static bvpi_frame frame_of(const bvpi_build_node *node)
{
    bvpi_frame out;
    for (int axis = 0; axis < 3; axis++) {
        out.lo[axis] = (uint32_t)-node->minus_lo[axis];
        out.hi[axis] = (uint32_t)node->hi[axis];
    }
    return out;
}

typedef struct halves {
    bvpi_build_node left, right;
} halves;

/* Cuts all of a set. */
static halves cut_set(set *s, bvp_split rule, const double *axes, uint32_t depth)
{
    bvpi_partition_rule cut = {.rule = rule, .leaf_size = 1, .mesh = &s->mesh, .axes = axes};
    bvpi_build_node root;
    halves out;
    bvpi_split_root(s->items, s->mesh.triangle_count, depth, &root);
    const bvpi_frame box = frame_of(&root);
    cut.box = &box;
    bvpi_partition(s->items, &cut, &root, &out.left, &out.right);
    return out;
}

static void check_side(const set *s, const bvpi_build_node *side, uint8_t *seen)
{
    bvpi_build_node tight;
    bvpi_split_root(s->items + side->first, side->count, side->depth, &tight);
    ck_assert_mem_eq(tight.minus_lo, side->minus_lo, sizeof tight.minus_lo);
    ck_assert_mem_eq(tight.hi, side->hi, sizeof tight.hi);
    for (uint32_t i = side->first; i < side->first + side->count; i++) {
        ck_assert_uint_eq(s->items[i].zero, 0);
        ck_assert_int_eq(seen[s->items[i].id]++, 0);
    }
}

static void check_halves(const set *s, const halves *h, uint32_t depth)
{
    const uint32_t count = s->mesh.triangle_count;
    uint8_t *seen = calloc(count, 1);
    ck_assert_uint_ge(h->left.count, 1);
    ck_assert_uint_ge(h->right.count, 1);
    ck_assert_uint_eq(h->left.count + h->right.count, count);
    ck_assert_uint_eq(h->left.first, 0);
    ck_assert_uint_eq(h->right.first, h->left.count);
    ck_assert(h->left.left == 0 && h->right.left == 0);
    ck_assert(h->left.depth == depth + 1 && h->right.depth == depth + 1);
    check_side(s, &h->left, seen);
    check_side(s, &h->right, seen);
    free(seen);
}

START_TEST(test_progress)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 300; round++) {
        const uint32_t count = 2 + (uint32_t)(case_random(&state) % (round % 10 ? 20 : 500));
        const uint64_t before = state;
        for (int r = 0; r < RULES; r++) {
            const uint32_t depth = round % 7 == 0 ? 50 : 0;
            halves h[2];
            set s[2];
            for (int again = 0; again < 2; again++) {
                state = before;
                s[again] =
                    random_set(&state, count, round % 3 ? 4000000 : 3, 1 + (uint32_t)round * 900);
                h[again] = cut_set(&s[again], rules[r], NULL, depth);
                check_halves(&s[again], &h[again], depth);
            }
            ck_assert_uint_eq(h[0].left.count, h[1].left.count);
            ck_assert_mem_eq(s[0].items, s[1].items, count * sizeof *s[0].items);
            free_set(&s[0]);
            free_set(&s[1]);
        }
    }
}
END_TEST

START_TEST(test_equal_items)
{
    const uint32_t lo[3] = {5, 6, 7}, size[3] = {3, 0, 1};
    for (uint32_t count = 2; count < 40; count++)
        for (int r = 0; r < RULES; r++) {
            set s = make_set(count);
            for (uint32_t i = 0; i < count; i++)
                put(&s, i, lo, size);
            const halves h = cut_set(&s, rules[r], NULL, 0);
            check_halves(&s, &h, 0);
            if (rules[r] != BVP_SPLIT_SAH) /* no rule tells them apart: halves */
                ck_assert_uint_le(abs((int)h.left.count - (int)h.right.count), 1);
            free_set(&s);
        }
}
END_TEST

/* Geometrically growing boxes: rules that peel one off at a time would be too deep. */
START_TEST(test_depth)
{
    enum { COUNT = 2000 };
    for (int r = 0; r < RULES; r++) {
        set s = make_set(COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t at = UINT32_C(1) << i % 21, lo[3] = {at, i % 2, 0}, size[3] = {i, 1, 1};
            put(&s, i, lo, size);
        }
        bvpi_build_node waiting[BVPD_DEPTH_MAX + 1];
        uint32_t used = 1;
        bvpi_partition_rule cut = {.rule = rules[r], .leaf_size = 1, .mesh = &s.mesh};
        bvpi_split_root(s.items, COUNT, 0, &waiting[0]);
        while (used > 0) {
            const bvpi_build_node node = waiting[--used];
            ck_assert_uint_le(node.depth, BVPD_DEPTH_MAX - 2);
            if (node.count == 1)
                continue;
            const bvpi_frame box = frame_of(&node);
            cut.box = &box;
            bvpi_partition(s.items, &cut, &node, &waiting[used], &waiting[used + 1]);
            used += 2;
        }
        free_set(&s);
    }
}
END_TEST

static float centre(const bvpi_item *item, int axis)
{
    return item->hi[axis] - item->minus_lo[axis];
}

/* The largest centre on the left, the smallest one on the right. */
static void extremes(const set *s, const halves *h, int axis, float *left, float *right)
{
    *left = -INFINITY;
    *right = INFINITY;
    for (uint32_t i = 0; i < s->mesh.triangle_count; i++)
        if (i < h->left.count)
            *left = fmaxf(*left, centre(&s->items[i], axis));
        else
            *right = fminf(*right, centre(&s->items[i], axis));
}

START_TEST(test_midpoint_and_median)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 200; round++) {
        const uint32_t count = 2 + (uint32_t)(case_random(&state) % 300);
        set s = random_set(&state, count, 1 << (1 + round % 20), 10);
        bvpi_build_node root;
        float left, right;
        bvpi_split_root(s.items, count, 0, &root);
        const int axis = bvpi_build_node_longest(&root);
        halves h = cut_set(&s, BVP_SPLIT_MEDIAN, NULL, 0);
        ck_assert_uint_eq(h.left.count, count / 2);
        extremes(&s, &h, axis, &left, &right);
        ck_assert(left <= right);
        h = cut_set(&s, BVP_SPLIT_MIDPOINT, NULL, 0);
        extremes(&s, &h, axis, &left, &right);
        const float middle = root.hi[axis] - root.minus_lo[axis];
        ck_assert((left <= middle && right > middle) || h.left.count == count / 2);
        free_set(&s);
    }
}
END_TEST

/* All lie at one place of the first axis; the second one separates them. */
START_TEST(test_mean_takes_next_axis)
{
    const double axes[9] = {0, 0, 1, 0.6, 0.8, 0, -0.8, 0.6, 0};
    const uint32_t size[3] = {0, 0, 0};
    set s = make_set(10);
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t x = i == 9 ? 1000 : i, lo[3] = {3 * x, 4 * x, 77};
        put(&s, i, lo, size);
    }
    const halves h = cut_set(&s, BVP_SPLIT_MEAN, axes, 0);
    check_halves(&s, &h, 0);
    ck_assert_uint_eq(h.left.count, 9); /* the mean, not the median */
    ck_assert_uint_eq(s.items[9].id, 9);
    free_set(&s);
}
END_TEST

/* Nine small triangles, and a large one behind them, towards which the mean moves. */
START_TEST(test_mean_weighs_by_area)
{
    const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    set s = make_set(10);
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t lo[3] = {10 * i, 0, 0}, edge = i < 9 ? 2 : 1000, size[3] = {2, edge, edge};
        put(&s, i, lo, size);
    }
    const halves h = cut_set(&s, BVP_SPLIT_MEAN, axes, 0);
    check_halves(&s, &h, 0);
    ck_assert_uint_eq(h.left.count, 9);
    ck_assert_uint_eq(s.items[9].id, 9);
    free_set(&s);
}
END_TEST

/* Which triangles lie before the mean of the surface, one after the other. */
static uint32_t slow_mean(const set *s, const double axis[3], uint8_t *goes_left)
{
    double sum = 0, all = 0, area = 0;
    uint32_t left = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < s->mesh.triangle_count; i++) {
            const float *p = s->positions + 9 * (size_t)s->items[i].id;
            double centre[3], e[3], f[3];
            for (int k = 0; k < 3; k++) {
                centre[k] = (double)p[k] + p[3 + k] + p[6 + k];
                e[k] = (double)p[3 + k] - p[k];
                f[k] = (double)p[6 + k] - p[k];
            }
            const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                                 e[0] * f[1] - e[1] * f[0]};
            const double weight = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            const double at = centre[0] * axis[0] + centre[1] * axis[1] + centre[2] * axis[2];
            if (pass == 0) {
                sum += weight * at;
                area += weight;
                all += at;
            } else
                left += goes_left[s->items[i].id] =
                    at < (area > 0 ? sum / area : all / s->mesh.triangle_count);
        }
    return left;
}

START_TEST(test_mean_is_cut_alike)
{
    const bvpi_mean_kernel *kernels[2] = {&bvpi_mean_kernel_base,
                                          BVPI_ISA_CHOOSE(bvpi_mean_kernel, bvpi_isa_of_cpu())};
    uint64_t state = case_seed();
    for (int round = 0; round < 200; round++) {
        const uint32_t count = 2 + (uint32_t)(case_random(&state) % 300);
        const double axis[3] = {case_uniform(&state) - .5, case_uniform(&state) - .5, .7};
        for (int k = 0; k < 2; k++) {
            uint64_t same = state;
            set s = random_set(&same, count, 1000, round % 3 ? 100 : 1); /* or without an area */
            uint8_t goes_left[302];
            const uint32_t left = slow_mean(&s, axis, goes_left);
            ck_assert_uint_eq(kernels[k]->cut(s.items, count, &s.mesh, axis), left);
            for (uint32_t i = 0; i < count; i++)
                ck_assert_int_eq(goes_left[s.items[i].id], i < left);
            free_set(&s);
        }
        case_random(&state);
    }
}
END_TEST

/* Small boxes in clumps far from each other: clump k at corner[k], of so many. */
static set clumps(uint64_t *state, const uint32_t corner[][3], uint32_t count, uint32_t each)
{
    set s = make_set(count * each);
    for (uint32_t i = 0; i < count * each; i++) {
        uint32_t lo[3], size[3];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = corner[i % count][axis] + (uint32_t)(case_random(state) % 900);
            size[axis] = (uint32_t)(case_random(state) % 100);
        }
        put(&s, i, lo, size);
    }
    return s;
}

static bool is_split_by(const set *s, const halves *h, uint32_t clump_count, unsigned left_clumps)
{
    for (uint32_t i = 0; i < s->mesh.triangle_count; i++)
        if ((left_clumps >> s->items[i].id % clump_count & 1) != (i < h->left.count))
            return false;
    return true;
}

/* Two clumps along any axis are told apart by all but the median; two layers across the longest
 * side by the rules about volumes: two sets that begin at one border may part on another axis. */
START_TEST(test_volume_finds_gaps)
{
    uint64_t state = case_seed();
    for (int axis = 0; axis < 3; axis++) {
        uint32_t corner[2][3] = {{0, 0, 0}, {0, 0, 0}};
        corner[1][axis] = 50000;
        for (int r = 0; r < RULES; r++) {
            set s = clumps(&state, corner, 2, 40);
            const halves h = cut_set(&s, rules[r], NULL, 0);
            if (rules[r] != BVP_SPLIT_MEDIAN)
                ck_assert(is_split_by(&s, &h, 2, 1) || is_split_by(&s, &h, 2, 2));
            free_set(&s);
        }
    }
    /* rods along x in two layers: only a cut on z makes two thin boxes */
    for (int r = 0; r < RULES; r++) {
        set s = make_set(40);
        for (uint32_t i = 0; i < 40; i++) {
            const uint32_t lo[3] = {0, 10 * i, i % 2 ? 9000 : 0}, size[3] = {10000, 5, 5};
            put(&s, i, lo, size);
        }
        const halves h = cut_set(&s, rules[r], NULL, 0);
        const bool apart = is_split_by(&s, &h, 2, 1) || is_split_by(&s, &h, 2, 2);
        if (rules[r] == BVP_SPLIT_VOLUME || rules[r] == BVP_SPLIT_LOOKAHEAD)
            ck_assert(apart);
        if (rules[r] == BVP_SPLIT_MEDIAN || rules[r] == BVP_SPLIT_MIDPOINT)
            ck_assert(!apart);
        free_set(&s);
    }
}
END_TEST

static double volume_of(const bvpi_build_node *b)
{
    return ((double)b->hi[0] + b->minus_lo[0] + 1) * ((double)b->hi[1] + b->minus_lo[1] + 1) *
           ((double)b->hi[2] + b->minus_lo[2] + 1);
}

/* What two levels of cuts leave: children and grandchildren. */
static double cost_of_two_levels(set *s, bvp_split rule)
{
    const halves h = cut_set(s, rule, NULL, 0);
    const bvpi_build_node *side[2] = {&h.left, &h.right};
    double cost = volume_of(&h.left) + volume_of(&h.right);
    for (int k = 0; k < 2; k++) {
        const bvpi_partition_rule cut = {
            .rule = BVP_SPLIT_VOLUME, .leaf_size = 1, .mesh = &s->mesh};
        bvpi_build_node left, right;
        if (side[k]->count < 2)
            continue;
        bvpi_partition(s->items, &cut, side[k], &left, &right);
        cost += volume_of(&left) + volume_of(&right);
    }
    return cost;
}

/* Looking ahead pays: on average over random sets, the next level included. */
START_TEST(test_lookahead)
{
    uint64_t state = case_seed();
    double cost[2] = {0, 0};
    int better = 0;
    for (int round = 0; round < 200; round++) {
        const uint64_t before = state;
        double own[2];
        for (int r = 0; r < 2; r++) {
            state = before;
            set s = random_set(&state, 30, 1000, 300);
            own[r] = cost_of_two_levels(&s, r ? BVP_SPLIT_LOOKAHEAD : BVP_SPLIT_VOLUME);
            cost[r] += own[r];
            free_set(&s);
        }
        better += own[1] < own[0];
    }
    ck_assert(cost[1] < cost[0]);
    ck_assert_int_gt(better, 10);
}
END_TEST

SUITE(test_partition)
{
    const TTest *const tests[] = {test_progress,
                                  test_equal_items,
                                  test_depth,
                                  test_midpoint_and_median,
                                  test_mean_takes_next_axis,
                                  test_mean_weighs_by_area,
                                  test_mean_is_cut_alike,
                                  test_volume_finds_gaps,
                                  test_lookahead,
                                  NULL};
    return suite_run("partition", tests);
}
